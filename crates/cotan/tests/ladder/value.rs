//! Values of the evaluator: trees whose real leaves are of any type `N`.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use base::Name;
use ir::{Lambda, Var};

/// A value. Arrays are rows of rows, whatever they hold.
#[derive(Clone)]
pub(crate) enum Value<N> {
    Num(N),
    Int(i64),
    Bool(bool),
    Str(Arc<str>),
    Tuple(Rc<Vec<Value<N>>>),
    Data(Name, Rc<Vec<Value<N>>>),
    Array(Rc<Vec<Value<N>>>),
    Closure(Rc<Closure<N>>),
}

/// A function value: its code, and the values of the variables it captured.
pub(crate) struct Closure<N> {
    pub(crate) lambda: Arc<Lambda>,
    pub(crate) captured: Frame<N>,
}

/// The values of the variables of a definition while it runs.
pub(crate) type Frame<N> = BTreeMap<Var, Value<N>>;

impl<N: Clone> Value<N> {
    pub(crate) fn array(rows: Vec<Value<N>>) -> Value<N> {
        Value::Array(Rc::new(rows))
    }

    pub(crate) fn tuple(parts: Vec<Value<N>>) -> Value<N> {
        Value::Tuple(Rc::new(parts))
    }

    /// The same tree with other leaves; they are visited from left to right.
    pub(crate) fn map<M: Clone>(&self, leaf: &mut dyn FnMut(&N) -> M) -> Value<M> {
        let mut all = |parts: &[Value<N>]| Rc::new(parts.iter().map(|it| it.map(leaf)).collect());
        match self {
            Value::Num(num) => Value::Num(leaf(num)),
            Value::Int(value) => Value::Int(*value),
            Value::Bool(value) => Value::Bool(*value),
            Value::Str(text) => Value::Str(text.clone()),
            Value::Tuple(parts) => Value::Tuple(all(parts)),
            Value::Data(con, fields) => Value::Data(con.clone(), all(fields)),
            Value::Array(rows) => Value::Array(all(rows)),
            Value::Closure(closure) => {
                let captured = closure.captured.iter().map(|(var, it)| (*var, it.map(leaf)));
                let (lambda, captured) = (closure.lambda.clone(), captured.collect());
                Value::Closure(Rc::new(Closure { lambda, captured }))
            }
        }
    }
}
