//! The errors of the C functions in `c/math.h` and `c/math32.h`, measured against a reference of
//! 128 bits on fixed points; the special arguments; and that a lane of a vector has the bits of
//! the scalar function. For every width of vectors that this machine can run.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test runs the compiler, and a panic is its way to fail"
)]

#[path = "../common/machine.rs"]
mod machine;

mod points;
mod program;
mod reference;
mod specials;

use emit::library::Real;
use program::{Batch, Program, Target};
use reference::Reference;

/// Functions and the error they may have, in units in the last place.
const ERRORS: &[(&str, f64)] = &[
    ("exp", 2.0),
    ("log", 2.0),
    ("log1p", 2.0),
    ("expm1", 2.0),
    ("sin", 2.0),
    ("cos", 2.0),
    ("tan", 2.0),
    ("asin", 2.0),
    ("acos", 2.0),
    ("atan", 2.0),
    ("sinh", 2.0),
    ("cosh", 2.0),
    ("tanh", 3.0),
    ("asinh", 2.0),
    ("acosh", 2.0),
    ("atanh", 2.0),
    ("erf", 2.0),
    ("sigmoid", 2.0),
    ("sigmoid_of_both", 2.0),
    ("sigmoid_below", 2.0),
    ("tanh_of_both", 3.0),
    ("slope_of_tanh", 4.0),
    ("softplus", 2.0),
    ("atan2", 2.0),
    ("pow", 2.0),
];

/// Functions of a real that have no bound above: exact ones, and those with closed forms below.
const WITHOUT_BOUND: &[&str] = &["sqrt", "floor", "ceil", "round", "lgamma", "digamma"];

#[test]
fn every_function_of_a_real_has_a_bound() {
    let rows = ir::Prim::all().map(ir::Prim::row).filter(|it| it.rule == ir::prim::Rule::Real1);
    let has_bound =
        |name: &str| ERRORS.iter().any(|it| it.0 == name) || WITHOUT_BOUND.contains(&name);
    let missing: Vec<&str> = rows.map(|it| it.name).filter(|it| !has_bound(it)).collect();
    assert!(missing.is_empty(), "no bound for {missing:?}");
}

fn errors_are_small(real: Real) {
    let mut reference = Reference::new();
    let batches: Vec<(Batch, Vec<reference::Exact>)> = ERRORS
        .iter()
        .map(|(function, _)| {
            let batch = points::points(function, real);
            let pairs = batch.x.iter().zip(&batch.y);
            let exact = pairs.map(|(x, y)| reference.value(function, *x, *y)).collect();
            (batch, exact)
        })
        .collect();
    let mut failures = Vec::new();
    for target in Target::available() {
        let program = Program::compile(real, target);
        let inputs: Vec<&Batch> = batches.iter().map(|it| &it.0).collect();
        let results = program.run(&inputs);
        for (((batch, exact), result), (function, limit)) in
            batches.iter().zip(&results).zip(ERRORS)
        {
            let mut worst = (0.0, 0);
            for (index, exact) in exact.iter().enumerate() {
                let error = exact.error(result.vector[index], real);
                if error > worst.0 {
                    worst = (error, index);
                }
            }
            let (error, at) = worst;
            println!("{real:?} {target:?} {function} {error:.3} at {:e}", batch.x[at]);
            if error > *limit {
                failures.push(format!(
                    "{target:?} {function}({:e}, {:e}) = {:e}: {error:.2} ulp",
                    batch.x[at], batch.y[at], result.vector[at]
                ));
            }
            failures.extend(result.lanes_differ(batch).map(|it| format!("{target:?} {it}")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn errors_of_f64_are_small() {
    errors_are_small(Real::F64);
}

#[test]
fn errors_of_f32_are_small() {
    errors_are_small(Real::F32);
}

fn special_arguments_are_right(real: Real) {
    let mut failures = Vec::new();
    for target in Target::available() {
        let program = Program::compile(real, target);
        for (function, facts) in specials::specials(real) {
            let x = facts.iter().map(|it| it.0).collect();
            let y = facts.iter().map(|it| it.1).collect();
            let batch = Batch::new(function, x, y);
            let result = &program.run(&[&batch])[0];
            for (index, (x, y, expected)) in facts.iter().enumerate() {
                let found = result.vector[index];
                let expected = program::rounded(*expected, real);
                if !program::same(found, expected) {
                    failures.push(format!("{target:?} {function}({x}, {y}) = {found}, {expected}"));
                }
            }
            failures.extend(result.lanes_differ(&batch).map(|it| format!("{target:?} {it}")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn special_arguments_of_f64_are_right() {
    special_arguments_are_right(Real::F64);
}

#[test]
fn special_arguments_of_f32_are_right() {
    special_arguments_are_right(Real::F32);
}

/// NaNs of all bits are arguments like others: no arithmetic on their bits overflows, which traps.
#[test]
fn any_nan_is_an_argument() {
    for real in [Real::F64, Real::F32] {
        for target in Target::available() {
            let program = Program::compile(real, target);
            for function in program::all() {
                let nans = [u64::MAX, i64::MAX as u64, 0x7ff0_0000_2000_0000].map(f64::from_bits);
                let batch = Batch::new(function, nans.to_vec(), vec![1.0; 3]);
                let result = &program.run(&[&batch])[0];
                let all = result.vector.iter().chain(&result.scalar);
                assert!(all.into_iter().all(|it| it.is_nan()), "{target:?} {function}");
            }
        }
    }
}

/// `layer.c` compares loads, stores, conversions, masks, integers and reductions with loops.
#[test]
fn the_vector_layer_does_what_loops_do() {
    for real in [Real::F64, Real::F32] {
        for target in Target::available() {
            let found = program::run_text(real, target, include_str!("layer.c"), "layer");
            assert_eq!(found, "ok\n", "{real:?} {target:?}");
        }
    }
}

/// Euler's constant, and zeta(3).
const EULER: f64 = 0.577_215_664_901_532_9;
const APERY: f64 = 1.202_056_903_159_594_2;

#[test]
fn gamma_functions_have_their_closed_forms() {
    use std::f64::consts::{LN_2, PI};
    let facts: &[(&str, f64, f64, f64)] = &[
        ("lgamma", 0.5, 0.0, PI.sqrt().ln()),
        ("lgamma", 1.0, 0.0, 0.0),
        ("lgamma", 11.0, 0.0, 3628800f64.ln()),
        ("lgamma", -0.5, 0.0, (2.0 * PI.sqrt()).ln()),
        ("lgamma", 0.0, 0.0, f64::INFINITY),
        ("lgamma", -3.0, 0.0, f64::INFINITY),
        ("digamma", 1.0, 0.0, -EULER),
        ("digamma", 0.5, 0.0, -EULER - 2.0 * LN_2),
        ("digamma", 0.25, 0.0, -EULER - PI / 2.0 - 3.0 * LN_2),
        ("digamma", -0.5, 0.0, 2.0 - EULER - 2.0 * LN_2),
        ("digamma", -3.0, 0.0, f64::NAN),
        ("digamma", 0.0, 0.0, f64::NEG_INFINITY),
        ("polygamma", 1.0, 1.0, PI * PI / 6.0),
        ("polygamma", 0.5, 1.0, PI * PI / 2.0),
        ("polygamma", 1.0, 2.0, -2.0 * APERY),
        ("polygamma", 0.5, 2.0, -14.0 * APERY),
        ("polygamma", 1.0, 3.0, PI.powi(4) / 15.0),
        ("polygamma", -0.5, 1.0, PI * PI / 2.0 + 4.0),
        ("polygamma", -2.0, 1.0, f64::INFINITY),
        ("polygamma", -2.0, 2.0, f64::NAN),
        ("polygamma", 2.0, 0.0, 1.0 - EULER),
        ("polygamma", 2.0, -1.0, f64::NAN),
    ];
    for (real, tolerance) in [(Real::F64, 1e-14), (Real::F32, 1e-7)] {
        for target in Target::available() {
            let program = Program::compile(real, target);
            for (function, x, y, expected) in facts {
                let batch = Batch::new(function, vec![*x], vec![*y]);
                let result = &program.run(&[&batch])[0];
                let found = result.vector[0];
                let close = (found - expected).abs() <= tolerance * expected.abs().max(1e-2);
                assert!(
                    close || program::same(found, *expected),
                    "{target:?} {function}({x}, {y}) = {found}, not {expected}"
                );
                assert_eq!(result.lanes_differ(&batch).next(), None);
            }
        }
    }
}
