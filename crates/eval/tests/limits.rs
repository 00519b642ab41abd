//! Limits and errors: memory, recursion, deep values, places and calls.

mod common;

use std::sync::Arc;

use base::{FileId, Name, Span};
use common::*;
use eval::{Fault, Limits, NoDerivatives, Precision, Value};
use ir::Program;

fn small(memory: usize) -> Limits {
    Limits { memory, precision: Precision::F64, mode: eval::Mode::Reverse }
}

const COUNT: &str = "def main(x0: Int) -> (x1: Int) {
    x2: Bool = le x0 0
    x3: Int = if x2 { give 0 } else {
        x4: Int = sub x0 1
        x5: Int = call main(x4)
        x6: Int = add x5 1
        give x6
    }
    give x3 }";

#[test]
fn a_million_nested_calls_run() {
    let res = main(COUNT, &[], vec![Value::Int(1_000_000)]).unwrap();
    assert_equal(&res[0], &Value::Int(1_000_000));
}

#[test]
fn a_run_is_given_up_after_so_many_operations() {
    let mut evaluator = evaluator(COUNT, small(64 << 20));
    let main = Name::new("main");
    // A call, a comparison, a difference and a sum each time.
    let run = evaluator.call_within(1000, &main, &[], vec![Value::Int(10_000)]);
    assert!(run.unwrap().is_none());
    // The evaluator is as good as new.
    let run = evaluator.call_within(1000, &main, &[], vec![Value::Int(100)]);
    assert_equal(&run.unwrap().unwrap()[0], &Value::Int(100));
    let run = evaluator.call(&main, &[], vec![Value::Int(10_000)]);
    assert_equal(&run.unwrap()[0], &Value::Int(10_000));
}

#[test]
fn endless_recursion_ends_with_an_error() {
    let mut evaluator = evaluator(COUNT, small(64 << 20));
    let error = evaluator.call(&Name::new("main"), &[], vec![Value::Int(i64::MAX)]).unwrap_err();
    let Fault::Recursion { def, depth, .. } = &error.fault else { panic!("{error:?}") };
    assert_eq!(def.as_str(), "main");
    assert!(*depth > 10_000, "{depth}");
    // The evaluator is as good as new.
    let res = evaluator.call(&Name::new("main"), &[], vec![Value::Int(10)]).unwrap();
    assert_equal(&res[0], &Value::Int(10));
    let text = "def main() -> (x0: Int) { x1: Int = call main() give x1 }";
    let endless =
        fault(common::evaluator(text, small(64 << 20)).call(&Name::new("main"), &[], vec![]));
    assert!(matches!(endless, Fault::Recursion { .. }), "{endless:?}");
}

const LIST: &str = "data List = Nil() | Cons(Real, List)
def main(x0: Int) -> (x1: List) {
    x2: List = con List Nil()
    x3: List = iterate x4 < x0 (x5: List = x2) {
        x6: Real = real x4
        x7: List = con List Cons(x6, x5)
        give x7
    }
    give x3 }
def same(x0: List, x1: List) -> (x2: Bool) { x3: Bool = equal x0 x1 give x3 }
def lifted(x0: List) -> (x1: D<List>) { x2: D<List> = lift 0 x0 give x2 }";

#[test]
fn long_lists_are_made_compared_lifted_and_dropped() {
    let before = eval::live();
    let mut evaluator = evaluator(LIST, LIMITS);
    let mut list = || evaluator.call(&Name::new("main"), &[], vec![Value::Int(1_000_000)]);
    let (first, second) = (list().unwrap().remove(0), list().unwrap().remove(0));
    assert!(eval::live() > before + 100_000_000);
    let args = vec![first.clone(), second];
    let same = evaluator.call(&Name::new("same"), &[], args).unwrap();
    assert_equal(&same[0], &Value::Bool(true));
    let lifted = evaluator.call(&Name::new("lifted"), &[], vec![first]).unwrap();
    drop((same, lifted, evaluator));
    assert_eq!(eval::live(), before);
}

#[test]
fn values_beyond_the_limit_are_refused() {
    let list =
        evaluator(LIST, small(10 << 20)).call(&Name::new("main"), &[], vec![Value::Int(1_000_000)]);
    assert!(matches!(fault(list), Fault::Memory { .. }));
    for body in [
        "x1: [1000000000000]Real = replicate [1000000000000] 1.0",
        "x1: [1000000000000]Int = iota [1000000000000]",
        "x1: [1000000000000]Real = build (x2 < 1000000000000) { give 1.0 }",
    ] {
        let text = format!("def main(x0: Int) -> (x9: Int) {{ {body} give x0 }}");
        let error = fault(main(&text, &[], vec![Value::Int(0)]));
        assert!(matches!(error, Fault::Memory { .. }), "{body}: {error:?}");
    }
    let text = "def main(x0: Int) -> (x9: Int) {
        x1: [4000000000][4000000000][4000000000]Real =
            build (x2 < 4000000000, x3 < 4000000000, x4 < 4000000000) { give 1.0 }
        give x0
    }";
    // More than a number can say.
    assert_eq!(fault(main(text, &[], vec![Value::Int(0)])), Fault::TooLarge);
}

#[test]
fn negative_sizes_are_errors() {
    for body in [
        "x1: [x0]Real = replicate [x0] 1.0",
        "x1: [x0]Int = iota [x0]",
        "x1: [x0]Real = build (x2 < x0) { give 1.0 }",
    ] {
        let text = format!("def main(x0: Int) -> (x9: Int) {{ {body} give x0 }}");
        assert_eq!(fault(main(&text, &[], vec![Value::Int(-3)])), Fault::NegativeSize(-3));
    }
}

#[test]
fn integer_faults() {
    let text =
        |op: &str| format!("def main(x0: Int) -> (x1: Int) {{ x2: Int = {op} 7 x0 give x2 }}");
    assert_eq!(fault(main(&text("div"), &[], vec![Value::Int(0)])), Fault::DivisionByZero);
    assert_eq!(fault(main(&text("rem"), &[], vec![Value::Int(0)])), Fault::DivisionByZero);
    assert_eq!(fault(main(&text("pow"), &[], vec![Value::Int(-1)])), Fault::NegativePower(-1));
}

#[test]
fn errors_know_their_place_and_the_calls_that_led_there() {
    let text = "def inner(x0: Int) -> (x1: Int) { x2: Int = div 1 x0 give x2 }
    def main(x0: Int) -> (x1: Int) { x2: Int = call inner(x0) give x2 }";
    let mut program: Program = text.parse().unwrap();
    for (name, start) in [("inner", 10), ("main", 50)] {
        let def = program.defs.get_mut(&Name::new(name)).unwrap();
        let span = Span::new(FileId(0), start, start + 5);
        std::sync::Arc::make_mut(def).spans.0.insert(ir::Var(2), span);
    }
    let mut evaluator = eval::Evaluator::new(program.into(), Box::new(NoDerivatives), LIMITS);
    let error = evaluator.call(&Name::new("main"), &[], vec![Value::Int(0)]).unwrap_err();
    assert_eq!(error.span, Some(Span::new(FileId(0), 10, 15)));
    assert_eq!(error.calls, [(Name::new("inner"), Some(Span::new(FileId(0), 50, 55)))]);
    let diagnostic = error.to_diagnostic(Span::default());
    assert_eq!(diagnostic.code.0, "E0602");
    assert_eq!(diagnostic.labels[1].text, "in this call of `inner`");
}

#[test]
fn definitions_without_parameters_are_evaluated_once() {
    let text = "def big() -> (x0: Real) {
        x1: Real = iterate x2 < 1000 (x3: Real = 0.0) { x4: Real = add x3 1.0 give x4 }
        give x1 }
    def main(x0: Int) -> (x1: Real) {
        x2: Real = iterate x3 < x0 (x4: Real = 0.0) {
            x5: Real = call big()
            x6: Real = add x4 x5
            give x6
        }
        give x2 }";
    let mut evaluator = evaluator(text, LIMITS);
    let res = evaluator.call(&Name::new("main"), &[], vec![Value::Int(500)]).unwrap();
    assert_equal(&res[0], &Value::Real(500_000.0));
    assert_eq!(evaluator.cost().counts["add"], 1500);
}

#[test]
fn single_precision_rounds_after_every_operation() {
    let text = "def main[x0](x1: [x0]Real) -> (x2: Real, x3: [x0]Real) {
        x4: Real = sum 0 x1
        x5: [x0]Real = mul x1 0.1
        give x4, x5 }";
    let limits = Limits { precision: Precision::F32, ..LIMITS };
    let mut evaluator = evaluator(text, limits);
    let data = [f64::from(0.1f32); 10];
    let res = evaluator.call(&Name::new("main"), &[10], vec![reals(&data)]).unwrap();
    let sum = [0.1f32; 10].iter().fold(0.0f32, |sum, it| sum + it);
    assert_equal(&res[0], &Value::Real(f64::from(sum)));
    assert_equal(&res[1], &reals(&[f64::from(0.1f32 * 0.1f32); 10]));
}

#[test]
fn dropping_what_closures_hold_is_not_recursive_either() {
    // Each function holds the one before it.
    let text = "def main(x0: Int) -> (x1: Real) {
        x2: (Real) -> Real = lambda (x3: Real) { give x3 }
        x4: (Real) -> Real = iterate x5 < x0 (x6: (Real) -> Real = x2) {
            x7: (Real) -> Real = lambda (x8: Real) { x9: Real = apply x6 (x8) x10: Real = add x9 1.0 give x10 }
            give x7
        }
        x11: Real = apply x4 (0.5)
        give x11 }";
    let res = main(text, &[], vec![Value::Int(200_000)]).unwrap();
    assert_equal(&res[0], &Value::Real(200_000.5));
}

#[test]
fn constructors_can_be_asked_for() {
    let evaluator = evaluator(LIST, LIMITS);
    let nil = evaluator.constructor(&Name::new("Nil")).unwrap();
    assert_eq!(nil.tag, 0);
    assert!(evaluator.constructor(&Name::new("None")).is_none());
    assert_eq!(Arc::strong_count(&nil), 2);
}
