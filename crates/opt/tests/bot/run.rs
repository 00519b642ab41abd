//! Rewrites a program, verifies it, and compares what both mean.

use std::sync::Arc;

use base::{FileId, Name, Span};
use eval::{
    Array, Element, Elems, Evaluator, Limits, Mode, NoDerivatives, Precision, RunError, Slice,
    Value,
};
use expect_test::Expect;
use ir::{Block, Def, Dialect, Program, Spans, Type, walk};

const LIMITS: Limits = Limits { memory: 1 << 28, precision: Precision::F64, mode: Mode::Reverse };

/// `main` before and after, at sizes 0, 1 and 3.
pub(crate) fn check(text: &str, expected: Expect) {
    expected.assert_eq(&same_after(text, &[0, 1, 3]).to_string());
}

/// The program after `bot`, which means the same.
pub(crate) fn same_after(text: &str, sizes: &[i64]) -> Program {
    let mut before: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    before.defs =
        before.defs.into_iter().map(|(name, def)| (name, Arc::new(with_places(&def)))).collect();
    ir::verify(&before, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}"));
    let after = opt::bot(&before);
    let text = after.to_string();
    ir::verify(&after, Dialect::Bulk).unwrap_or_else(|it| panic!("{it}\n{text}"));
    assert_eq!(text.parse::<Program>().as_ref(), Ok(&after), "{text}");
    // It is run again on what differentiation makes of its results.
    let again = opt::bot(&after);
    ir::verify(&again, Dialect::Bulk).unwrap_or_else(|it| panic!("{it}\n{again}"));
    for size in sizes {
        compare(&run(&after, *size), &run(&again, *size), &format!("again at {size}:\n{again}"));
        compare(&run(&before, *size), &run(&after, *size), &format!("at {size}:\n{text}"));
    }
    after
}

/// Gives every statement a place of its own.
fn with_places(def: &Def) -> Def {
    fn block(it: &Block, spans: &mut Spans) {
        for stmt in &it.stmts {
            for binder in &stmt.binders {
                let place = stmt.binders[0].var.0;
                spans.0.insert(binder.var, Span { file: FileId(0), start: place, end: place + 1 });
            }
            walk::blocks(&stmt.op).iter().for_each(|it| block(it.1, spans));
        }
    }
    let mut res = def.clone();
    block(&def.body, &mut res.spans);
    res
}

/// `main` when all sizes are this one.
fn run(program: &Program, size: i64) -> Result<Vec<Value>, RunError> {
    let name = Name::new("main");
    let def = &program.defs[&name];
    let sizes = vec![size; def.size_params.len()];
    let mut seed = 0;
    let args = def.params.iter().map(|it| argument(&it.ty, size, &mut seed)).collect();
    Evaluator::new(Arc::new(program.clone()), Box::new(NoDerivatives), LIMITS)
        .call(&name, &sizes, args)
}

/// A value of a type.
fn argument(ty: &Type, size: i64, seed: &mut i64) -> Value {
    let (sizes, inner) = ty.split_arrays();
    let shape: Vec<usize> = sizes.iter().map(|it| it.evaluate(&mut |_| size) as usize).collect();
    let n_items: usize = shape.iter().product();
    let mut next = || {
        *seed += 1;
        *seed * 7 % 11
    };
    let items: Vec<i64> = (0..n_items).map(|_| next()).collect();
    match inner {
        Type::Real => {
            value(&shape, items.iter().map(|it| *it as f64 / 4.0 - 1.0).collect(), Value::Real)
        }
        Type::Int => value(&shape, items.iter().map(|it| it % 3).collect(), Value::Int),
        Type::Bool => value(&shape, items.iter().map(|it| it % 2 == 0).collect(), Value::Bool),
        Type::String
        | Type::Tuple(_)
        | Type::Array(..)
        | Type::Function(..)
        | Type::Var(_)
        | Type::Data(..)
        | Type::Dual(_)
        | Type::Delta
        | Type::Tape(_) => {
            panic!("no value of {inner}")
        }
    }
}

fn value<T: Element>(shape: &[usize], data: Vec<T>, scalar: fn(T) -> Value) -> Value {
    if shape.is_empty() {
        return scalar(data[0].clone());
    }
    Value::array(Array { shape: array::Shape::new(shape), elems: T::elems(Slice::from(data)) })
}

fn compare(
    before: &Result<Vec<Value>, RunError>,
    after: &Result<Vec<Value>, RunError>,
    context: &str,
) {
    match (before, after) {
        (Ok(a), Ok(b)) => {
            let all = |it: &[Value]| it.iter().map(shown).collect::<Vec<String>>();
            assert_eq!(all(a), all(b), "{context}");
        }
        (Err(a), Err(b)) => {
            let kind = |it: &RunError| (std::mem::discriminant(&it.fault), it.span);
            assert_eq!(kind(a), kind(b), "{a:?}\n{b:?}\n{context}");
        }
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => panic!("{before:?}\n{after:?}\n{context}"),
    }
}

/// Sizes and elements of a value, and not how they are stored.
fn shown(value: &Value) -> String {
    let Value::Array(array) = value else { return format!("{value:?}") };
    let elems = match &array.elems {
        Elems::Real(data) => format!("{:?}", data.to_vec()),
        Elems::Int(data) => format!("{:?}", data.to_vec()),
        Elems::Bool(data) => format!("{:?}", data.to_vec()),
        Elems::Delta(_)
        | Elems::Dual(..)
        | Elems::Lanes(..)
        | Elems::Tuple(_)
        | Elems::Boxed(_) => {
            format!("{:?}", array.elems)
        }
    };
    format!("{:?} {elems}", array.shape)
}
