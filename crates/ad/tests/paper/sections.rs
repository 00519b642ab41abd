//! What the sections of the paper say of types, of the meaning of terms, of memory, and of other instances of
//! `D2(real)`.

use std::collections::BTreeMap;

use ad::chad::paper::meaning::{Environment, Machine, Value, pair};
use ad::chad::paper::term::Term;
use ad::chad::paper::types::Type;
use ad::chad::paper::{forward, reverse};
use base::Name;
use ir::Prim;

use super::random::Context;
use super::support::{Mode, Stage, assert_close, derivative, leaves, machine};

/// Sections 2.5, 7.2 and 11.2: a type, its primals and its (co)tangents in both modes.
#[test]
fn section_7_2_types() {
    // The primal of a function is not the function: it gives its derivative besides.
    let rows = [
        ("Real", "Real", "Real", "Real", "Real"),
        ("Int", "Int", "1", "Int", "1"),
        ("1", "1", "1", "1", "1"),
        ("(Real * Int)", "(Real * Int)", "(Real * 1)", "(Real * Int)", "(Real * 1)"),
        ("(Real + 1)", "(Real + 1)", "(Real * 1)", "(Real + 1)", "(Real * 1)"),
        ("[3]Real", "[3]Real", "[3]Real", "[3]Real", "[3]Real"),
        (
            "(Int -> Real)",
            "(Int -> (Real * (1 -o Real)))",
            "(Int -> Real)",
            "(Int -> (Real * (Real -o 1)))",
            "(!Int x Real)",
        ),
        (
            "((Real -> Real) -> Real)",
            "((Real -> (Real * (Real -o Real))) -> (Real * ((Real -> Real) -o Real)))",
            "((Real -> (Real * (Real -o Real))) -> Real)",
            "((Real -> (Real * (Real -o Real))) -> (Real * (Real -o (!Real x Real))))",
            "(!(Real -> (Real * (Real -o Real))) x Real)",
        ),
        (
            "[2](Real -> Real)",
            "[2](Real -> (Real * (Real -o Real)))",
            "[2](Real -> Real)",
            "[2](Real -> (Real * (Real -o Real)))",
            "[2](!Real x Real)",
        ),
    ];
    for (ty, forth, tangent, back, cotangent) in rows {
        let ty: Type = ty.parse().unwrap();
        let found = [
            forward::primal(&ty),
            forward::tangent(&ty),
            reverse::primal(&ty),
            reverse::cotangent(&ty),
        ];
        assert_eq!(found.map(|it| it.to_string()), [forth, tangent, back, cotangent], "{ty}");
        // Theorems 6.1 and 6.2: (co)tangents are a commutative monoid.
        assert!(forward::tangent(&ty).is_linear() && reverse::cotangent(&ty).is_linear(), "{ty}");
    }
}

/// Figure 7: what the linear words give, one by one.
#[test]
fn figure_7() {
    let shown = |text: &str| {
        let term: Term = text.parse().unwrap_or_else(|it| panic!("{it}: {text}"));
        let (x, f) = (Name::new("x"), Name::new("f"));
        let square: Term = "\\a: Real -> a * a".parse().unwrap();
        let square = machine().run(&Environment::default(), &square).unwrap();
        let env = Environment::default().with(&x, Value::Real(3.0)).with(&f, square);
        leaves(&machine().run(&env, &term).unwrap_or_else(|it| panic!("{it}: {text}")))
    };
    let facts: [(&str, &[f64]); 14] = [
        ("plus((), ())", &[]),
        ("plus((x, 1.0), (2.0, x))", &[5.0, 4.0]),
        ("plus(build[2](i. x), build[2](i. real(i)))", &[3.0, 4.0]),
        ("plus(f, \\a: Real -> a + x)(2.0)", &[9.0]),
        ("zero[(Real * [2]Real)]", &[0.0, 0.0, 0.0]),
        ("zero[(Real -> Real)](x)", &[0.0]),
        ("(\\v: Real -o plus(v, v)) @ x", &[6.0]),
        ("linear w = x in plus(w, w)", &[6.0]),
        ("D_mul(x, 5.0; (1.0, 10.0))", &[35.0]),
        ("Dt_mul(x, 5.0; 2.0)", &[10.0, 6.0]),
        // A copower is a list: its case adds up what each pair gives, in the order of no one.
        ("each[Real](!(x; 2.0); k w. D_mul(k, k; (w, 0.0)))", &[6.0]),
        ("each[Real](plus(!(x; 2.0), !(x; 5.0)); k w. D_mul(k, k; (w, 0.0)))", &[21.0]),
        ("each[Real](zero[(!Real x Real)]; k w. w)", &[0.0]),
        ("one[3][Real](1, x)", &[0.0, 3.0, 0.0]),
    ];
    for (text, wanted) in facts {
        assert_close(text, &shown(text), wanted);
    }
    let lists: Term = "plus(!(x; 2.0), !(x; 5.0))".parse().unwrap();
    let x = Name::new("x");
    let env = Environment::default().with(&x, Value::Real(3.0));
    let n_pairs = machine().run(&env, &lists).unwrap().elements().unwrap().len();
    assert_eq!(n_pairs, 2, "a sum of copowers is their concatenation");
}

/// Section 11.1: the push-forward of a chain of n lets keeps a value of each. Method `chad` applies push-forwards
/// where they are made, and keeps none (`crates/cotan/tests/checkpoints.rs`).
#[test]
fn section_11_1_forward_mode_keeps_all_primals() {
    let kept = |n: usize| {
        let lets: String = (1..=n).map(|k| format!("let x{k} = sin(x{}) in ", k - 1)).collect();
        let term: Term = format!("{lets}x{n}").parse().unwrap();
        let context = vec![(Name::new("x0"), Type::Real)];
        let mut at = derivative(&context, &term, Mode::Forward, Stage::Simplified);
        while let Term::Let(_, _, body) = at {
            at = *body;
        }
        let Term::Pair(_, push) = at else { panic!("{}", at.brief()) };
        push.free().len()
    };
    assert_eq!([5, 10, 20].map(kept), [5, 10, 20]);
}

/// Section 11.3: a third instance of `D2(real)` and `Dop`, besides reals and sets. Over the truth values with
/// `or` as plus and `and` as product, 0 and 1 here, the derivative of a polynomial is its formal one.
#[test]
fn section_11_3_formal_derivatives_over_truth_values() {
    fn boolean(prim: Prim, args: &[Value<'static>]) -> Result<Value<'static>, String> {
        match (prim, args) {
            (Prim::Add, [Value::Real(x), Value::Real(y)]) => Ok(Value::Real(x.max(*y))),
            (Prim::Mul | Prim::Scale, [Value::Real(x), Value::Real(y)]) => {
                Ok(Value::Real(x.min(*y)))
            }
            _ => Err(format!("no {} of truth values", prim.name())),
        }
    }
    let context: Context =
        ["x", "y", "z"].map(|it| (Name::new(it), Type::Real)).into_iter().collect();
    // With the formal partial derivatives, by hand; plus is `or`, so that 2 x is x and x + 1 is 1.
    type Partials = [fn(f64, f64, f64) -> f64; 3];
    let facts: [(&str, Partials); 4] = [
        ("x * y + z", [|_, y, _| y, |x, _, _| x, |_, _, _| 1.0]),
        ("x * x + x * y * z", [|x, y, z| x.max(y.min(z)), |x, _, z| x.min(z), |x, y, _| x.min(y)]),
        (
            "let s = x + y in s * s * z",
            [|x, y, z| x.max(y).min(z), |x, y, z| x.max(y).min(z), |x, y, _| x.max(y)],
        ),
        (
            "let f = \\a: Real -> a * y in f(x) + f(z)",
            [|_, y, _| y, |x, _, z| x.max(z), |_, y, _| y],
        ),
    ];
    for (text, partials) in facts {
        let term: Term = text.parse().unwrap();
        let (back, _) = reverse::reverse(&context, &term).unwrap();
        let (forth, _) = forward::forward(&context, &term).unwrap();
        for bits in 0..8 {
            let [x, y, z] = [0, 1, 2].map(|it| f64::from(bits >> it & 1));
            let values = context.iter().zip([x, y, z]);
            let env =
                values.fold(Environment::default(), |env, it| env.with(&it.0.0, Value::Real(it.1)));
            let wanted = partials.map(|it| it(x, y, z));
            let mut machine = Machine { sizes: BTreeMap::new(), primitives: &boolean, cost: 0 };
            let (_, pull) = machine.run(&env, &back).unwrap().parts().unwrap();
            let found = machine.apply(&pull, Value::Real(1.0)).unwrap();
            assert_eq!(leaves(&found), wanted, "{text} at {x} {y} {z}");
            let (_, push) = machine.run(&env, &forth).unwrap().parts().unwrap();
            for (number, partial) in wanted.iter().enumerate() {
                let along = [0, 1, 2].map(|it| Value::Real(f64::from(u8::from(it == number))));
                let along = along.into_iter().fold(Value::Unit, pair);
                let found = leaves(&machine.apply(&push, along).unwrap());
                assert_eq!(found, [*partial], "{text} at {x} {y} {z}, forward");
            }
        }
    }
}
