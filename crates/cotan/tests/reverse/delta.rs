//! Delta terms: what they evaluate to is what the tape gives.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Name;
use eval::{Delta, Evaluator, Id, Limits, Mode, Precision, Tolerance, Trace, Value, equal};

use super::separate::{Derivatives, checked};

const EXAMPLE: &str = include_str!("../../../../examples/rotate_vec_by_quat.cot");

fn real(x: f64) -> Value {
    Value::Real(x)
}

fn reals(data: &[f64]) -> Value {
    Value::array(eval::Array::reals(data.to_vec()))
}

fn tuple(data: &[f64]) -> Value {
    Value::tuple(data.iter().map(|it| Value::Real(*it)).collect())
}

fn evaluator(text: &str) -> Evaluator {
    let limits = Limits { memory: 1 << 30, precision: Precision::F64, mode: Mode::Reverse };
    Evaluator::new(Arc::new(checked(text)), Box::new(Derivatives::default()), limits)
}

/// Runs the definition `f` and looks whether its Delta term says what the tape says.
#[track_caller]
fn trace(text: &str, sizes: &[i64], args: Vec<Value>) -> Trace {
    let trace = evaluator(text).trace(&Name::new("f"), sizes, args);
    let trace = trace.unwrap_or_else(|it| panic!("{it:?}"));
    let ones = vec![1.0; trace.term.body.len()];
    let cotangents = trace.term.eval(&ones, trace.end);
    let found: Vec<Value> = trace.inputs.iter().map(|it| looked_up(it, &cotangents)).collect();
    for (found, expected) in found.iter().zip(&trace.gradient) {
        let close = Tolerance::close(Precision::F64);
        let same = equal(found, expected, close, &mut 0).expect("no functions");
        assert!(same, "{text}\nthe term gives {found:?}\nthe tape gives {expected:?}");
    }
    closed(&trace);
    trace
}

/// The cotangents in the place of identifiers, `lookup` of the paper, written anew; integers have
/// the derivative zero.
fn looked_up(value: &Value, cotangents: &[f64]) -> Value {
    let at = |id: &Id| cotangents[id.0 as usize];
    if let Value::Dual(id, _) = value {
        return Value::Real(at(id));
    }
    if let Value::Tuple(fields) = value {
        return Value::tuple(fields.iter().map(|it| looked_up(it, cotangents)).collect());
    }
    if let Value::Data(data) = value {
        let fields: Vec<Value> = data.fields.iter().map(|it| looked_up(it, cotangents)).collect();
        return Value::data(data.con.clone(), fields);
    }
    if let Value::Array(array) = value
        && let eval::Elems::Dual(_, ids) = &array.elems
    {
        return reals(&ids.iter().map(at).collect::<Vec<f64>>());
    }
    if let Value::Int(_) = value { Value::Int(0) } else { value.clone() }
}

/// Every identifier of the term is bound once, before it is used: an input, or a binding.
#[track_caller]
fn closed(trace: &Trace) {
    fn used(delta: &Delta, to: &mut Vec<u32>) {
        match delta {
            Delta::Zero | Delta::Gradient | Delta::Custom => {}
            Delta::Var(id) => to.push(id.0),
            Delta::Scale(_, inner) => used(inner, to),
            Delta::Add(first, second) => {
                used(first, to);
                used(second, to);
            }
        }
    }
    let mut bound = BTreeMap::new();
    for (number, (id, _)) in trace.term.lets.iter().enumerate() {
        assert_eq!(bound.insert(id.0, number), None, "bound twice: {id:?}");
    }
    for (number, (_, delta)) in trace.term.lets.iter().enumerate() {
        let mut ids = Vec::new();
        used(delta, &mut ids);
        for id in ids {
            assert!(
                bound.get(&id).is_none_or(|it| *it < number),
                "{id} is used before it is bound"
            );
            assert!(id > 0 && id < trace.end.0, "{id} is no identifier of this run");
        }
    }
}

#[track_caller]
fn is(found: &Value, expected: &Value) {
    let close = Tolerance::close(Precision::F64);
    assert!(equal(found, expected, close, &mut 0).expect("no functions"), "{found:?}");
}

/// The oracle is that of the example: Krawiec et al., Figure 12, evaluated by hand.
#[test]
fn the_seven_numbers_of_figure_12() {
    let text = EXAMPLE.replace("def first(", "def f(");
    let args = vec![tuple(&[1.1, 2.2, 3.3, 4.4]), tuple(&[5.5, 6.6, 7.7])];
    let trace = trace(&text, &[], args);
    is(&trace.gradient[0], &tuple(&[91.96, 58.08, -77.44, 38.72]));
    is(&trace.gradient[1], &tuple(&[4.84, -24.2, 26.62]));
    assert_eq!(trace.term.lets.len(), 38);
}

#[test]
fn arrays() {
    let text = "def f(x: [n]Real, k: Real): Real =
        sum(tanh(x * k)) + product(x) + maximum(x) + sum(scatter(x, [0, 0], [k, k * k]))
        + sum(sum(build i < n, j < n => x[i] * x[n - 1 - j])) + sort(reverse(x))[0]";
    trace(text, &[4], vec![reals(&[0.5, -1.0, 2.0, 0.3]), real(0.7)]);
    // d/dx sum(x * x) = 2 x, with a binding for every element and one for the sum.
    let text = "def f(x: [n]Real): Real = sum(x * x)";
    let squares = trace(text, &[3], vec![reals(&[1.0, 2.0, 3.0])]);
    is(&squares.gradient[0], &reals(&[2.0, 4.0, 6.0]));
    assert_eq!(squares.term.lets.len(), 4);
}

/// Several results: the cotangent of each is one, so the term has a body for each.
#[test]
fn several_results() {
    let text = "def f(x: [n]Real, y: Real): ([n]Real, Real, Int, Real) = (x * y, y * y, n, 3.0)";
    let several = trace(text, &[3], vec![reals(&[1.0, 2.0, 3.0]), real(2.0)]);
    assert_eq!(several.term.body.len(), 5);
    assert_eq!(several.term.body[4], Delta::Zero);
    is(&several.gradient[0], &reals(&[2.0; 3]));
    is(&several.gradient[1], &real(6.0 + 4.0));
}

#[test]
fn loops_branches_recursion_and_closures() {
    let text = "def f(x: Real, n: Int): Real = {
          let a = iterate(n, \\s => if s > 1.0 then s * x else s + x * x, x);
          let b = while(\\y => y < 50.0, \\y => y * x + 1.0, 0.0);
          let c = fold(\\s, i => s * x + real(i), 1.0, iota(n));
          let add = \\y => y + x;
          add(a) * add(add(b)) + c * power(x, n)
        }
        def power(x: Real, n: Int): Real = if n == 0 then 1.0 else x * power(x, n - 1)";
    trace(text, &[], vec![real(1.3), Value::Int(5)]);
}

#[test]
fn data() {
    let text = "data Expr = Num(Real) | Plus(Expr, Expr) | Times(Expr, Expr) | Var
        def value(e: Expr, x: Real): Real = match e {
          Num(c) => c,
          Plus(a, b) => value(a, x) + value(b, x),
          Times(a, b) => value(a, x) * value(b, x),
          Var => x,
        }
        def f(e: Expr, x: Real): Real = value(Times(e, Plus(Var, e)), x)";
    let evaluator = evaluator(text);
    let con = |name: &str, fields: Vec<Value>| {
        Value::data(evaluator.constructor(&Name::new(name)).expect("a constructor"), fields)
    };
    // e = 3 x + 2, so that f = e (x + e): at x = 2 with e = 8, df/dx by `x` alone is
    // 3 * 10 + 8 * (1 + 3) = 62.
    let product = con("Times", vec![con("Num", vec![real(3.0)]), con("Var", vec![])]);
    let expr = con("Plus", vec![product, con("Num", vec![real(2.0)])]);
    let trace = trace(text, &[], vec![expr, real(2.0)]);
    is(&trace.gradient[1], &real(62.0));
    // d f / d e = (x + e) + e = 18, and e depends on its constants by 2 and by 1.
    let Value::Data(sum) = &trace.gradient[0] else { panic!("{:?}", trace.gradient) };
    is(&sum.fields[1], &con("Num", vec![real(18.0)]));
    is(&sum.fields[0], &con("Times", vec![con("Num", vec![real(36.0)]), con("Var", vec![])]));
}
