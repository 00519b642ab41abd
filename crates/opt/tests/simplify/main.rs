//! `simplify`: a case for each rule, with the program after it and the values before and after it, at
//! several sizes and with reals of every kind. A case names the rules that it is for, and they have to
//! apply; a rule without a case is told by `every_rule_has_a_case`.
//!
//! `UPDATE_EXPECT=1 cargo test -p cotan-opt --test simplify` rewrites what comes after.

mod bare;
mod control;
mod dead;
mod gathers;
mod joined;
mod loops;
mod movement;
mod one_hot;
mod repeated;
mod scalars;
mod scatters;
mod sums;
mod symmetric;

use std::collections::BTreeSet;
use std::sync::Arc;

use array::{Buffer, Dense};
use base::Name;
use eval::{Evaluator, Limits, Mode, NoDerivatives, Precision, RunError, Value};
use expect_test::Expect;
use ir::{Dialect, Program, Type};
use opt::Exactness;

pub(crate) fn run(
    program: &Program,
    def: &Name,
    sizes: &[i64],
    args: Vec<Value>,
    precision: Precision,
) -> Result<Vec<Value>, RunError> {
    let limits = Limits { memory: 1 << 30, precision, mode: Mode::Reverse };
    Evaluator::new(Arc::new(program.clone()), Box::new(NoDerivatives), limits)
        .call(def, sizes, args)
}

/// Reals that tell formulas apart.
const REALS: [f64; 11] =
    [1.5, -2.0, -0.0, 0.0, f64::INFINITY, 3.25, f64::NAN, 1e-3, f64::NEG_INFINITY, 0.1, -7.0];

/// A value of a type; another one for every seed.
fn value(ty: &Type, size: &dyn Fn(&ir::Size) -> i64, seed: usize) -> Value {
    let (sizes, scalar) = ty.split_arrays();
    let shape: Vec<usize> = sizes.iter().map(|it| size(it).max(0) as usize).collect();
    let n: usize = shape.iter().product();
    let real = |at: usize| REALS[(at * 5 + seed * 3) % REALS.len()];
    let int = |at: usize| ((at * 7 + seed) % 4) as i64 - i64::from(seed % 5 == 4);
    let bool = |at: usize| !(at + seed).is_multiple_of(3);
    if sizes.is_empty() {
        return if *scalar == Type::Real {
            Value::Real(real(0))
        } else if *scalar == Type::Int {
            Value::Int(int(0))
        } else {
            Value::Bool(bool(0))
        };
    }
    let data = if *scalar == Type::Real {
        Buffer::Real((0..n).map(real).collect())
    } else if *scalar == Type::Int {
        Buffer::Int((0..n).map(int).collect())
    } else {
        Buffer::Bool((0..n).map(bool).collect())
    };
    Value::from(Dense { shape, data })
}

/// The results of `main` for several sizes and arguments.
fn outcomes(program: &Program) -> Vec<Result<Vec<Value>, RunError>> {
    let main = Name::new("main");
    let def = &program.defs[&main];
    let mut res = Vec::new();
    for first in [0, 1, 3] {
        for second in [0, 1, 3] {
            for seed in 0..6 {
                let sizes: Vec<i64> =
                    (0..def.size_params.len()).map(|it| [first, second][it % 2]).collect();
                let of_var = |var: &ir::Var| {
                    def.size_params.iter().position(|it| it == var).map_or(0, |at| sizes[at])
                };
                let size = |it: &ir::Size| it.evaluate(&mut |var| of_var(var));
                let params = def.params.iter().enumerate();
                let args = params.map(|(at, it)| value(&it.ty, &size, seed + at)).collect();
                res.push(run(program, &main, &sizes, args, Precision::F64));
            }
        }
    }
    res
}

/// A program before and after; these rules have to be among those that applied.
#[track_caller]
fn simplified(rules: &[&str], text: &str, exactness: Exactness) -> (Program, Program) {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    ir::verify(&program, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}"));
    let (after, applied) = opt::simplify_and_tell(&program, &[Name::new("main")], exactness);
    let missing: Vec<&&str> = rules.iter().filter(|it| !applied.contains(*it)).collect();
    assert!(missing.is_empty(), "{missing:?} did not apply, but {applied:?} did:\n{after}");
    ir::verify(&after, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}\n{after}"));
    (program, after)
}

/// To the bit.
#[track_caller]
pub(crate) fn check(rules: &[&str], text: &str, expected: Expect) {
    let (before, after) = simplified(rules, text, Exactness::Bits);
    expected.assert_eq(&after.to_string());
    for (before, after) in outcomes(&before).iter().zip(outcomes(&after)) {
        assert_eq!(show(before), show(&after));
    }
}

fn show(outcome: &Result<Vec<Value>, RunError>) -> String {
    match outcome {
        Ok(values) => format!("{values:?}").replace("-NaN", "NaN"),
        Err(error) => format!("{:?}", error.fault),
    }
}

/// Up to the sign of zeros and the order of sums.
#[track_caller]
pub(crate) fn check_loosely(rules: &[&str], text: &str, expected: Expect) {
    let (before, after) = simplified(rules, text, Exactness::UpToRounding);
    expected.assert_eq(&after.to_string());
    for (before, after) in outcomes(&before).iter().zip(outcomes(&after)) {
        let (before, after) = (show(before), show(&after));
        let same = before.replace("-0.0", "0.0") == after.replace("-0.0", "0.0");
        assert!(same || close(&before, &after), "{before}\n{after}");
    }
}

/// Whether two texts differ in nothing but the last digits of numbers.
fn close(a: &str, b: &str) -> bool {
    let parts = |it: &str| -> Vec<String> {
        it.split([' ', ',', '[', ']', '(', ')']).map(str::to_string).collect()
    };
    let (a, b) = (parts(a), parts(b));
    let same = |(a, b): (&String, &String)| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 1e-12 * a.abs().max(b.abs()) || a == b,
        (Err(_), _) | (_, Err(_)) => a == b,
    };
    a.len() == b.len() && a.iter().zip(&b).all(same)
}

/// The texts of the cases, which name the rules they are for.
const CASES: [&str; 11] = [
    include_str!("control.rs"),
    include_str!("dead.rs"),
    include_str!("gathers.rs"),
    include_str!("loops.rs"),
    include_str!("movement.rs"),
    include_str!("one_hot.rs"),
    include_str!("repeated.rs"),
    include_str!("scalars.rs"),
    include_str!("scatters.rs"),
    include_str!("sums.rs"),
    include_str!("symmetric.rs"),
];

#[test]
fn every_rule_has_a_case() {
    let named = |name: &str| CASES.iter().any(|it| it.contains(&format!("\"{name}\"")));
    let without: Vec<&str> = opt::rules().map(|it| it.name).filter(|it| !named(it)).collect();
    assert!(without.is_empty(), "rules without a case: {without:?}");
}

#[test]
fn names_are_unique_and_equations_have_two_sides() {
    let mut names = BTreeSet::new();
    for rule in opt::rules() {
        assert!(names.insert(rule.name), "two rules are called {}", rule.name);
        assert!(!rule.on.is_empty(), "{} applies nowhere", rule.name);
        assert!(rule.equation.contains(" -> "), "{}: {}", rule.name, rule.equation);
    }
}
