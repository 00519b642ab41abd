//! Each typing rule of Figures 3, 5 and 8, with a twin that it refuses.

use ad::chad::paper::term::Term;
use ad::chad::paper::types::Type;
use ad::chad::paper::typing::{Language, linear_type_of, type_of};
use base::Name;

fn context() -> Vec<(Name, Type)> {
    let types = [
        ("x", "Real"),
        ("i", "Int"),
        ("p", "(Real * Int)"),
        ("s", "(Real + Int)"),
        ("f", "(Real -> Int)"),
        ("xs", "[2]Real"),
        ("ys", "[3]Real"),
        ("l", "((Real * Real) -o Real)"),
    ];
    types.iter().map(|it| (Name::new(it.0), it.1.parse().unwrap())).collect()
}

fn term(text: &str) -> Term {
    text.parse().unwrap_or_else(|it| panic!("{it}: {text}"))
}

/// A term that has this type, and one that has none, with what is said of it.
type Twins = (&'static str, &'static str, &'static str, &'static str);

fn cartesian(language: Language, twins: &[Twins]) {
    for (good, ty, bad, why) in twins {
        let ty = Ok(ty.parse().unwrap());
        assert_eq!(type_of(language, &context(), &term(good)), ty, "{good}");
        let found = type_of(language, &context(), &term(bad));
        assert!(found.clone().is_err_and(|it| it.contains(why)), "{bad}: {found:?}");
    }
}

/// The linear variable is `v : (Real * Real)`.
fn linear(twins: &[Twins]) {
    let (v, space) = (Name::new("v"), "(Real * Real)".parse().unwrap());
    for (good, ty, bad, why) in twins {
        let ty = Ok(ty.parse().unwrap());
        let of = |text| linear_type_of(&context(), (&v, &space), &term(text));
        assert_eq!(of(good), ty, "{good}");
        let found = of(bad);
        assert!(found.clone().is_err_and(|it| it.contains(why)), "{bad}: {found:?}");
    }
}

#[test]
fn figure_3() {
    cartesian(
        Language::Source,
        &[
            ("x", "Real", "z", "no Cartesian variable `z`"),
            ("let y = x in (y, y)", "(Real * Real)", "let y = y in x", "no Cartesian variable `y`"),
            ("x * 2.0", "Real", "x * i", "`mul` of (Real * Int)"),
            ("lt(x, 2.0)", "(1 + 1)", "lt(x)", "`lt` of Real"),
            ("()", "1", "(x, z)", "no Cartesian variable `z`"),
            ("fst(p)", "Real", "fst(x)", "Real is no pair"),
            ("snd(p)", "Int", "snd(f)", "is no pair"),
            ("\\y: Int -> x", "(Int -> Real)", "\\y: Int -> y * x", "`mul` of (Int * Real)"),
            ("f(x)", "Int", "f(i)", "argument of type Int, not Real"),
            ("inl[1](x)", "(Real + 1)", "inl[1](z)", "no Cartesian variable"),
            (
                "case(s; a. a; b. x)",
                "Real",
                "case(s; a. a; b. b)",
                "right side of type Int, not Real",
            ),
            ("build[2](k. x)", "[2]Real", "build[2](k. k * x)", "`mul` of (Int * Real)"),
            ("index(xs, i)", "Real", "index(xs, x)", "index of type Real, not Int"),
            ("map(y. i; xs)", "[2]Int", "map(y. y; x)", "Real is no array"),
            ("sum[Real](xs)", "Real", "sum[Int](build[2](k. k))", "Int is no linear type"),
            ("size[2]", "Int", "size[2] * x", "`mul` of (Int * Real)"),
            (
                "iterate(i; y k. y * x; x)",
                "Real",
                "iterate(x; y k. y; x)",
                "count of type Real, not Int",
            ),
            (
                "iterate(2; y k. k; i)",
                "Int",
                "iterate(2; y k. k; x)",
                "state of type Int, not Real",
            ),
            (
                "while(y. lt(y, x); y k. y; x)",
                "Real",
                "while(y. y; y k. y; x)",
                "condition of type Real, not (1 + 1)",
            ),
        ],
    );
    // What belongs to another language.
    for text in ["\\v: Real -o v", "zero[Real]", "plus(x, x)", "[x]", "zip(xs, xs)"] {
        let found = type_of(Language::Source, &context(), &term(text));
        assert!(
            found.clone().is_err_and(|it| it.contains("no term of this language")),
            "{found:?}"
        );
    }
}

#[test]
fn figure_5() {
    linear(&[
        ("v", "(Real * Real)", "x", "is not the linear variable"),
        // A Cartesian let in a linear term; what it binds must not be linear.
        ("let y = x * x in v", "(Real * Real)", "let y = v in y", "no Cartesian variable `v`"),
        (
            "linear w = fst(v) in (w, w)",
            "(Real * Real)",
            "linear w = fst(v) in v",
            "linear variable `w`",
        ),
        ("D_mul(x, x; v)", "Real", "D_mul(fst(v), x; v)", "no Cartesian variable `v`"),
        ("Dt_mul(x, x; fst(v))", "(Real * Real)", "Dt_mul(x, x; v)", "cotangent of type"),
        ("D_polygamma(i, x; ((), fst(v)))", "Real", "D_polygamma(i, x; v)", "tangent of type"),
        ("()", "1", "2.0", "is not linear"),
        // Linear means additive: both parts may use the variable.
        ("(fst(v), v)", "(Real * (Real * Real))", "(v, x)", "is not the linear variable"),
        ("fst(v)", "Real", "fst(fst(v))", "Real is no pair"),
        ("snd(v)", "Real", "snd(x)", "is not the linear variable"),
        ("\\y: Real -> fst(v)", "(Real -> Real)", "\\y: Real -> y", "is not the linear variable"),
        (
            "(\\y: Real -> fst(v))(x)",
            "Real",
            "(\\y: Real -> fst(v))(fst(v))",
            "no Cartesian variable `v`",
        ),
        ("!(x; v)", "(!Real x (Real * Real))", "!(fst(v); v)", "no Cartesian variable `v`"),
        (
            "each[Real](!(x; v); y w. D_mul(y, y; w))",
            "Real",
            "each[Real](!(x; v); y w. D_mul(y, y; v))",
            "is not the linear variable `w`",
        ),
        ("each[Real](!(x; v); y w. fst(w))", "Real", "each[Real](v; y w. w)", "no copower"),
        ("l @ v", "Real", "l @ fst(v)", "argument of type Real"),
        ("(\\w: Real -o w) @ fst(v)", "Real", "(\\w: Real -o v) @ fst(v)", "linear variable `w`"),
        ("zero[Real]", "Real", "zero[Int]", "Int is no linear type"),
        ("plus(v, v)", "(Real * Real)", "plus(v, fst(v))", "summand of type Real"),
        // An operation of Cartesian terms is no linear one, even if it happens to be additive.
        ("plus(fst(v), snd(v))", "Real", "fst(v) + snd(v)", "is not linear"),
        ("proj[0](v)", "Real", "proj[1](v)", "Real is no pair"),
        ("at[0][(1 * Real)](fst(v))", "(1 * Real)", "at[0][(1 * Int)](fst(v))", "part of type"),
        ("build[2](k. fst(v))", "[2]Real", "build[2](k. k)", "is not the linear variable"),
        ("index(build[2](k. v), i)", "(Real * Real)", "index(v, i)", "is no array"),
        ("sum[Real](build[2](k. fst(v)))", "Real", "sum[Real](v)", "is no array"),
        (
            "one[2][Real](i, fst(v))",
            "[2]Real",
            "one[2][Real](fst(v), fst(v))",
            "no Cartesian variable",
        ),
        (
            "Dmap(y w. D_mul(y, y; (fst(fst(w)), snd(w))); xs; v; build[2](k. fst(v)))",
            "[2]Real",
            "Dmap(y w. snd(w); xs; v; build[3](k. fst(v)))",
            "size of type [3]1, not [2]1",
        ),
        (
            "Dtmap[Real](y w. (w, w); xs; build[2](k. fst(v)); a. sum[Real](a))",
            "Real",
            "Dtmap[Real](y w. (w, w); xs; build[2](k. fst(v)); a. v)",
            "is not the linear variable `a`",
        ),
    ]);
    // A linear term needs its variable: there is none in a Cartesian one.
    for text in ["linear w = x in w", "!(x; x)", "l @ (x, x)", "D_sin(x; x)", "proj[0](p)"] {
        let found = type_of(Language::Target, &context(), &term(text));
        assert!(found.is_err_and(|it| it.contains("where there is no linear variable")), "{text}");
    }
    let closed = term("\\w: Real -o plus(w, w)");
    assert_eq!(type_of(Language::Target, &context(), &closed), "(Real -o Real)".parse());
    let bad = type_of(Language::Target, &context(), &term("\\w: Int -o w"));
    assert!(bad.is_err_and(|it| it.contains("Int is no linear type")));
}

#[test]
fn figure_8() {
    cartesian(
        Language::Lowered,
        &[
            ("zero[(Real -> Real)]", "(Real -> Real)", "zero[(Real + 1)]", "is no linear type"),
            ("plus(x, x)", "Real", "plus(i, i)", "Int is no linear type"),
            ("[(i, x)]", "[](Int * Real)", "[z]", "no Cartesian variable `z`"),
            ("toList(xs)", "[]Real", "toList(x)", "Real is no array"),
            ("zip(xs, xs)", "[2](Real * Real)", "zip(xs, ys)", "size of type [3]1, not [2]1"),
            ("one[2][Real](i, x)", "[2]Real", "one[2][Real](x, x)", "index of type Real"),
            (
                "sum[[]Real](map(y. [y]; xs))",
                "[]Real",
                "sum[Real](map(y. [y]; xs))",
                "element of type",
            ),
            ("x", "Real", "\\v: Real -o v", "no term of this language"),
        ],
    );
}
