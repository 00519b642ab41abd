//! What running a program gives: a value with its type.

mod data;
mod file;
mod numbers;
mod room;
mod view;

use std::sync::Arc;

use check::{Type, TypeTable};
use eval::{Array, Cost, Counters, Elems, Evaluator, Precision, TapeStats, Value};

use crate::deep::with_deep_stack;
use crate::handle::Apart;
use crate::machine::{Lazy, Left, Machine};
use crate::show::{Form, Shown, concrete_type, show_to};

use numbers::Found;
pub(crate) use numbers::Numbers;
pub(crate) use room::write;
pub use room::{Number, Place, Room};
pub use view::View;

/// A value with its type.
#[derive(Clone, Debug)]
pub struct Answer {
    kind: Arc<Apart<Kind>>,
    held: Held,
    /// What it took; none if compiled code gave it.
    spent: Option<Arc<Spent>>,
}

/// What is the same for all answers of a function.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) types: Arc<TypeTable>,
    pub(crate) precision: Precision,
    /// As declared; sizes may be variables.
    pub(crate) ty: Arc<Type>,
}

/// What an answer took the interpreter.
#[derive(Clone, Debug)]
pub(crate) struct Spent {
    counters: Counters,
    tape: TapeStats,
}

impl Spent {
    /// What the last call of an evaluator took. It has a counter for each primitive, so what mentions it is
    /// passed on faster than itself.
    pub(crate) fn of(evaluator: &Evaluator) -> Arc<Spent> {
        let tape = evaluator.tape_stats();
        Arc::new(Spent { counters: evaluator.counters().clone(), tape })
    }
}

/// Where a value is.
#[derive(Clone, Debug)]
pub(crate) enum Held {
    /// Here.
    Value(Value),
    /// Where compiled code left it.
    Lazy(Arc<Lazy>),
}

impl Held {
    /// The value.
    fn value(&self) -> &Value {
        match self {
            Held::Value(value) => value,
            Held::Lazy(lazy) => lazy.value(),
        }
    }

    /// What compiled code left.
    pub(crate) fn of(machine: &Arc<Machine>, left: Left) -> Held {
        match left {
            Left::One(value) => Held::Value(value),
            Left::Values(leaves) => Held::Value(machine.value(leaves)),
            Left::InPlace(_) => Held::Lazy(Arc::new(Lazy::new(machine.clone(), left))),
        }
    }
}

impl Answer {
    pub(crate) fn new(
        types: Arc<TypeTable>,
        precision: Precision,
        ty: Arc<Type>,
        value: Value,
    ) -> Answer {
        let kind = Kind { types, precision, ty };
        Answer::held(Arc::new(Apart(kind)), Held::Value(value))
    }

    pub(crate) fn held(kind: Arc<Apart<Kind>>, held: Held) -> Answer {
        Answer { kind, held, spent: None }
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.kind.0
    }

    /// The answer together with what it took.
    pub(crate) fn after(self, spent: Arc<Spent>) -> Answer {
        Answer { spent: Some(spent), ..self }
    }

    /// How many operations it took; compiled code does not count them.
    pub fn cost(&self) -> Cost {
        self.spent.as_ref().map(|it| it.counters.cost()).unwrap_or_default()
    }

    /// What the tape took, if there was one.
    pub fn tape(&self) -> TapeStats {
        self.spent.as_ref().map(|it| it.tape).unwrap_or_default()
    }

    pub(crate) fn value(&self) -> &Value {
        self.held.value()
    }

    /// The type, with the sizes that the value has: `[2][2]Real`.
    pub fn type_text(&self) -> String {
        // Types may nest deeper than the stack of the caller allows.
        with_deep_stack(|| {
            concrete_type(&self.kind().types, &self.kind().ty, self.value()).to_string()
        })
    }

    /// The value in Cotan's syntax.
    pub fn to_text(&self) -> String {
        let mut res = String::new();
        self.write_text(&mut |it| res += it);
        res
    }

    /// As [`Answer::to_text`], piece by piece.
    pub fn write_text(&self, to: &mut dyn FnMut(&str)) {
        self.write(Form::Text, to);
    }

    /// The value alone as JSON.
    pub fn value_json(&self) -> String {
        let mut res = String::new();
        self.write(Form::Json, &mut |it| res += it);
        res
    }

    fn write(&self, form: Form, to: &mut dyn FnMut(&str)) {
        let shown = match self.as_slice() {
            Some((shape, data)) => Shown::Reals(shape, data),
            None => Shown::Value(&self.kind().ty, self.value()),
        };
        show_to(&self.kind().types, self.kind().precision, form, shown, to);
    }

    /// `{"type":"[2]Real","value":[1.0,2.0]}`
    pub fn to_json(&self) -> String {
        let mut res = String::new();
        self.write_json(&mut |it| res += it);
        res
    }

    /// As [`Answer::to_json`], piece by piece.
    pub fn write_json(&self, to: &mut dyn FnMut(&str)) {
        let ty = serde_json::Value::from(self.type_text());
        to(&format!("{{\"type\":{ty},\"value\":"));
        self.write(Form::Json, to);
        to("}");
    }

    /// Whether it is the truth value `true`.
    pub(crate) fn is_true(&self) -> bool {
        matches!(self.value(), Value::Bool(true))
    }

    /// The number, if it is a `Real`.
    pub fn as_real(&self) -> Option<f64> {
        if let Value::Real(value) = self.value() { Some(*value) } else { None }
    }

    /// Sizes and elements, if it is a `Real` or an array of them.
    pub fn as_reals(&self) -> Option<(Vec<usize>, Vec<f64>)> {
        self.as_slice().map(|(shape, data)| (shape.to_vec(), data.to_vec()))
    }

    /// As [`Answer::as_reals`], without a copy.
    pub fn as_slice(&self) -> Option<(&[usize], &[f64])> {
        if let Held::Lazy(lazy) = &self.held
            && let Some(found) = lazy.reals(&self.kind().ty)
        {
            return Some(found);
        }
        match self.value() {
            Value::Real(value) => Some((&[], std::slice::from_ref(value))),
            Value::Array(array) => match (&array.elems, element(&self.kind().ty, array)) {
                (Elems::Real(data), _) => Some((&array.shape, data)),
                // Arrays without elements may be stored in any way.
                (_, Type::Real) if array.is_empty() => Some((&array.shape, &[])),
                _ => None,
            },
            Value::Int(_) | Value::Bool(_) | Value::Str(_) => None,
            Value::Tuple(_) | Value::Data(_) | Value::Closure(_) => None,
            Value::Dual(..) | Value::Delta(_) => None,
        }
    }

    /// The reals inside of tuples and records, one slice for each `Real` and each array of them,
    /// in the order of the type: for `(Real, ([n]Real, [m]Real))` three slices. Arrays of
    /// tuples are stored by columns, and give a slice for each column. Nothing of sum types.
    pub fn slices(&self) -> Vec<&[f64]> {
        if let Held::Lazy(lazy) = &self.held
            && let Some(slices) = lazy.slices()
        {
            return slices;
        }
        let found = Found::new(&self.kind().types, &self.kind().ty, self.value());
        let reals = found.numbers.into_iter();
        reals.filter_map(|it| if let Numbers::Reals(it) = it { Some(it) } else { None }).collect()
    }
}

/// The type of the elements.
fn element<'t>(ty: &'t Type, array: &Array) -> &'t Type {
    array.shape.iter().fold(ty, |ty, _| if let Type::Array(_, elem) = ty { elem } else { ty })
}
