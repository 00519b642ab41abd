//! The programs of Figures 1 and 2 come out with the structure of Figures 9 to 12.
//!
//! What is expected is written from the figures. Where they multiply a partial derivative by a (co)tangent it
//! is `scale` here, `zipWith` is `map` of a `zip`, `vreplicate` is `build`, and constants need no name.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use ad::chad::paper::meaning::Value::{self, Real};
use ad::chad::paper::meaning::{Environment, Machine, array, pair};
use ad::chad::paper::rules::{OURS, TABLE};
use ad::chad::paper::term::Term;
use base::Name;
use ir::Prim;

use super::facts::{FIGURE_1A, FIGURE_1B, FIGURE_2A, FIGURE_2B};
use super::support::{Mode, Stage, assert_close, derivative, leaves, primitives};

fn simplified(context: &[(&str, &str)], text: &str, mode: Mode) -> String {
    let term: Term = text.parse().unwrap();
    let context: Vec<_> = context.iter().map(|it| (it.0.into(), it.1.parse().unwrap())).collect();
    derivative(&context, &term, mode, Stage::Simplified).brief()
}

/// Words, and everything else letter by letter.
fn tokens(text: &str) -> Vec<String> {
    let mut res: Vec<String> = Vec::new();
    let mut is_inside = false;
    for it in text.chars() {
        let is_part = it.is_alphanumeric() || "_'.".contains(it);
        match res.last_mut().filter(|_| is_part && is_inside) {
            Some(last) => last.push(it),
            None if it.is_whitespace() => {}
            None => res.push(it.to_string()),
        }
        is_inside = is_part;
    }
    // A dot behind a name that is bound.
    res.iter().map(|it| it.trim_end_matches('.').to_string()).filter(|it| !it.is_empty()).collect()
}

/// Whether two texts are the same up to the names of what they bind.
fn same(found: &str, wanted: &str, free: &[&str]) -> bool {
    const WORDS: [&str; 11] =
        ["let", "in", "fst", "snd", "zero", "plus", "map", "zip", "sum", "build", "index"];
    let is_name = |it: &str| {
        it.starts_with(|it: char| it.is_alphabetic())
            && !WORDS.contains(&it)
            && Prim::from_name(it).is_none()
            && !free.contains(&it)
    };
    let (found, wanted) = (tokens(found), tokens(wanted));
    let (mut there, mut back) = (BTreeMap::new(), BTreeMap::new());
    found.len() == wanted.len()
        && found.iter().zip(&wanted).all(|(one, other)| match (is_name(one), is_name(other)) {
            (true, true) => {
                there.entry(one.clone()).or_insert_with(|| other.clone()) == other
                    && back.entry(other.clone()).or_insert_with(|| one.clone()) == one
            }
            (false, false) => one == other,
            (true, false) | (false, true) => false,
        })
}

fn expect(found: &str, free: &[&str], wanted: &str) {
    assert!(same(found, wanted, free), "found\n{found}\nwanted\n{wanted}");
}

#[test]
fn texts_are_the_same_up_to_names() {
    assert!(same("let a = x * x in (a, a)", "let b = x * x in (b, b)", &["x"]));
    assert!(!same("let a = x * x in (a, x)", "let b = x * x in (b, b)", &["x"]));
    assert!(!same("let a = x * x in (a, a)", "let b = y * y in (b, b)", &["x", "y"]));
    assert!(!same("map(a. a; x)", "map(b. c; x)", &["x"]));
}

#[test]
fn figure_9a() {
    let found = simplified(&[("x", "Real")], FIGURE_1A, Mode::Forward);
    expect(
        &found,
        &["x"],
        "let y = 2.0 * x in
         let z = x * y in
         (((y, z), cos(z)), \\x' ->
           let y' = scale(2.0, snd(x')) in
           let z' = plus(scale(y, snd(x')), scale(x, y')) in
           ((y', z'), scale(neg(sin(z)), z')))",
    );
}

#[test]
fn figure_9b() {
    let context = [("x1", "Real"), ("x2", "Real"), ("x3", "Real"), ("x4", "Real")];
    let found = simplified(&context, FIGURE_1B, Mode::Reverse);
    expect(
        &found,
        &["x1", "x2", "x3", "x4"],
        "let y = x1 * x4 + 2.0 * x2 in
         let w = y * x3 + x4 in
         (sin(w), \\v' ->
           let w' = scale(cos(w), v') in
           let y' = scale(x3, w') in
           ((((zero, scale(x4, y')), scale(2.0, y')), scale(y, w')), plus(w', scale(x1, y'))))",
    );
    // Only x4 is used twice.
    assert_eq!(found.matches("plus").count(), 1);
}

/// Figures 10, 11 and 2c. Section 10 says `Dmap` by one `zipWith`; the figures have a `map` of functions, which
/// is the sum of two. Their `f'` is put where it is used, as Figure 2c has it.
#[test]
fn figure_11() {
    let found = simplified(&[("x", "Real")], FIGURE_2A, Mode::Forward);
    expect(
        &found,
        &["x"],
        "let zs = build[3](i. x) in
         (map(z. x * z + 1.0; zs), \\x' ->
           map(p. plus(scale(fst(p), snd(x')), scale(x, snd(p))); zip(zs, build[3](j. snd(x')))))",
    );
}

#[test]
fn figure_12() {
    let found = simplified(&[("x1", "Real"), ("x2", "[5]Real")], FIGURE_2B, Mode::Reverse);
    expect(
        &found,
        &["x1", "x2"],
        "(sum(map(x2i. x1 * x2i; x2)), \\w' ->
           let ys' = build[5](i. w') in
           ((zero, sum(map(p. scale(fst(p), snd(p)); zip(x2, ys')))),
             map(q. scale(x1, snd(q)); zip(x2, ys'))))",
    );
}

/// Section 9.4: no copower is left of a function that is known, whether it is mapped or called.
#[test]
fn section_9_4_copowers_are_compiled_away() {
    let texts = [
        FIGURE_2B,
        "let f = \\z: Real -> x1 * z in f(x1) * index(x2, 0)",
        "let f = \\z: Real -> x1 * z in sum[Real](map(z. f(f(z)); x2))",
        "let f = \\z: Real -> sum[Real](map(y. x1 * y * z; x2)) in f(x1) * f(2.0)",
    ];
    for text in texts {
        let found = simplified(&[("x1", "Real"), ("x2", "[5]Real")], text, Mode::Reverse);
        let is_list = found.contains("toList") || found.contains("([") || found.contains(" [");
        assert!(!is_list, "{text}\n{found}");
    }
}

/// The value of a term of the cases of Table 1, and how many primitives it took.
fn worked(term: &Term) -> (Vec<f64>, usize) {
    let n_run = Rc::new(Cell::new(0));
    let counter = n_run.clone();
    let counting = move |prim: Prim, args: &[Value<'static>]| {
        counter.set(counter.get() + 1);
        primitives(prim, args)
    };
    let mut machine = Machine { sizes: BTreeMap::new(), primitives: &counting, cost: 0 };
    let square: Term = "\\a: Real -> a * a".parse().unwrap();
    let square = machine.run(&Environment::default(), &square).unwrap();
    let values = [
        ("x", Real(0.7)),
        ("p", pair(Real(0.3), Real(-0.4))),
        ("xs", array(vec![Real(1.5), Real(-0.5)])),
        ("f", square),
    ];
    let values = values.map(|it| (Name::new(it.0), it.1));
    let env = values.iter().fold(Environment::default(), |env, it| env.with(&it.0, it.1.clone()));
    let value = machine.run(&env, term).unwrap_or_else(|it| panic!("{it}: {}", term.brief()));
    // No fold can tell the order of a list (Insight 6).
    let seen = if let Value::List(parts) = &value {
        let mut all = leaves(&array(parts.to_vec()));
        all.sort_by(f64::total_cmp);
        all
    } else {
        leaves(&value)
    };
    (seen, n_run.get())
}

/// Every rule is seen by name: a term, and what it becomes, which is equal and no more work.
#[test]
fn table_1() {
    use ad::chad::paper::rules::Context;
    use ad::chad::paper::walk::Supply;
    let cases: &[(&str, &str, &str)] = &[
        ("lamAppLet", "(\\a: Real -> a * a)(x)", "let a = x in a * a"),
        (
            "letRotate",
            "let a = let b = x * x in b + b in a * a",
            "let b = x * x in let a = b + b in a * a",
        ),
        (
            "letPairSplit",
            "let q = (x * x, x) in fst(q)",
            "let a = x * x in let b = x in fst((a, b))",
        ),
        ("letInline", "let a = x * x in a + x", "x * x + x"),
        ("letInline", "let a = x in a + a", "x + x"),
        ("pairProj1", "fst((x, 1.0))", "x"),
        ("pairProj2", "snd((x, 1.0))", "1.0"),
        ("pairEta", "(fst(p), snd(p))", "p"),
        ("letProj1", "fst(let a = x * x in (a, a))", "let a = x * x in fst((a, a))"),
        ("letProj2", "snd(let a = x * x in (a, a))", "let a = x * x in snd((a, a))"),
        ("plusZero1", "plus(zero[Real], x)", "x"),
        ("plusZero2", "plus(x, zero[Real])", "x"),
        ("plusPair", "plus((x, 1.0), (2.0, x))", "(plus(x, 2.0), plus(1.0, x))"),
        ("plusLet1", "plus(let a = x * x in a, x)", "let a = x * x in plus(a, x)"),
        ("plusLet2", "plus(x, let a = x * x in a)", "let a = x * x in plus(x, a)"),
        ("algebra", "scale(x, zero[Real])", "zero"),
        ("algebra", "scale(1.0, x)", "x"),
        (
            "letLamPairSplit",
            "let f = \\a: Real -> (a * x, a) in f(x)",
            "let f = \\a -> a * x in let g = \\b -> b in (\\c -> (f(c), g(c)))(x)",
        ),
        (
            "mapPairSplit",
            "map(a. (a * x, a); xs)",
            "let all = xs in zip(map(a. a * x; all), map(b. b; all))",
        ),
        ("mapZero", "map(a. zero[Real]; xs)", "zero"),
        ("sumZip", "sum[(Real * Real)](zip(xs, xs))", "(sum(xs), sum(xs))"),
        ("sumZero", "sum[Real](zero[[2]Real])", "zero"),
        ("sumSingleton", "sum[[]Real](map(a. [a]; xs))", "toList(xs)"),
        ("caseOfKnown", "case(inl[Real](x); a. a * a; b. b)", "let a = x in a * a"),
        ("letLamInline", "let f = \\a: Real -> a in f(f(x))", "(\\a -> a)((\\b -> b)(x))"),
        ("letApply", "(let a = x * x in \\b: Real -> a)(x)", "let a = x * x in (\\b -> a)(x)"),
        ("zeroProj", "fst(zero[(Real * 1)])", "zero"),
        ("zeroApply", "zero[(Real -> Real)](x)", "zero"),
        ("plusApply", "plus(f, f)(x * x)", "let a = x * x in plus(f(a), f(a))"),
        ("pairLet", "(let a = x * x in a, x)", "let a = x * x in (a, x)"),
        ("mapLet", "map(b. b; let a = xs in a)", "let a = xs in map(b. b; a)"),
        ("sumLet", "sum[Real](let a = xs in a)", "let a = xs in sum(a)"),
        ("letZipSplit", "let a = zip(xs, xs) in a", "let a = xs in let b = xs in zip(a, b)"),
        ("mapId", "map(a. a; xs)", "xs"),
        ("mapMap", "map(a. a * a; map(b. b + x; xs))", "map(b. let a = b + x in a * a; xs)"),
        ("mapZip", "map(a. snd(a); zip(xs, xs))", "xs"),
        ("mapToList", "map(a. a; toList(xs))", "toList(map(a. a; xs))"),
        ("sumToList", "sum[Real](toList(xs))", "sum(xs)"),
        ("sumOne", "sum[Real]([x])", "x"),
        ("sumMapZero", "sum[Real](map(a. x; zero[[]Real]))", "zero"),
        (
            "mapLetSplit",
            "map(a. let b = sin(a) in (a, b); xs)",
            "let all = xs in map(q. (fst(q), snd(q)); zip(all, map(a. sin(a); all)))",
        ),
        (
            "sumPlus",
            "sum[[]Real](map(a. plus([a], [x]); xs))",
            "let all = xs in plus(sum(map(a. [a]; all)), sum(map(b. [x]; all)))",
        ),
        (
            "sumMapPlus",
            "sum[Real](map(a. sin(a); plus([x], [1.0])))",
            "plus(sum(map(a. sin(a); [x])), sum(map(b. sin(b); [1.0])))",
        ),
        ("buildPairSplit", "build[2](i. (x, 1.0))", "zip(build[2](i. x), build[2](j. 1.0))"),
        ("buildZero", "build[2](i. zero[Real])", "zero"),
        ("indexBuild", "index(build[2](i. x), 0)", "let i = 0 in x"),
        ("indexZip", "index(zip(xs, xs), 0)", "(index(xs, 0), index(xs, 0))"),
        ("indexZero", "index(zero[[2]Real], 0)", "zero"),
    ];
    let free = ["x", "p", "xs", "f"];
    let types = ["Real", "(Real * Real)", "[2]Real", "(Real -> Real)"];
    let types = free.iter().zip(types).map(|(name, ty)| ((*name).into(), ty.parse().unwrap()));
    let mut context = Context { types: types.collect(), supply: Supply::default() };
    for (name, left, right) in cases {
        let rule = TABLE.iter().chain(OURS).find(|it| it.name == *name);
        let rule = rule.unwrap_or_else(|| panic!("no rule {name}"));
        let term: Term = left.parse().unwrap_or_else(|it| panic!("{it}: {left}"));
        let found = (rule.rewrite)(&mut context, &term);
        let found = found.unwrap_or_else(|| panic!("{name} does not apply to {left}"));
        let before = context.type_of(&term);
        assert!(before.is_some(), "{left} is ill typed");
        assert_eq!(context.type_of(&found), before, "{name}");
        expect(&found.named().brief(), &["x", "p", "xs"], right);
        let ((was, before), (is, after)) = (worked(&term), worked(&found));
        assert_close(name, &is, &was);
        // A sum begins with a zero, which is a plus more.
        let n_sums = found.brief().matches("sum").count();
        assert!(after <= before + n_sums, "{name} takes {after} primitives, and took {before}");
    }
    let is_unseen = |it: &&str| !cases.iter().any(|case| case.0 == *it);
    let unseen: Vec<&str> = TABLE.iter().chain(OURS).map(|it| it.name).filter(is_unseen).collect();
    assert!(unseen.is_empty(), "{unseen:?} have no case");
}
