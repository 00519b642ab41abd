//! What running a program gives: a value with its type.

use std::rc::Rc;

use check::{Type, TypeTable};
use eval::{Elems, Precision, Value};

use crate::deep::with_deep_stack;
use crate::show::{Form, concrete_type, show};

/// A value with its type.
#[derive(Clone, Debug)]
pub struct Answer {
    pub(crate) types: Rc<TypeTable>,
    pub(crate) precision: Precision,
    /// As declared; sizes may be variables.
    pub(crate) ty: Rc<Type>,
    pub(crate) value: Value,
}

impl Answer {
    pub(crate) fn new(
        types: Rc<TypeTable>,
        precision: Precision,
        ty: Rc<Type>,
        value: Value,
    ) -> Answer {
        Answer { types, precision, ty, value }
    }

    /// The type, with the sizes that the value has: `[2][2]Real`.
    pub fn type_text(&self) -> String {
        // Types may nest deeper than the stack of the caller allows.
        with_deep_stack(|| concrete_type(&self.types, &self.ty, &self.value).to_string())
    }

    /// The value in Cotan's syntax.
    pub fn to_text(&self) -> String {
        show(&self.types, self.precision, Form::Text, &self.ty, &self.value)
    }

    /// The value alone as JSON.
    pub fn value_json(&self) -> String {
        show(&self.types, self.precision, Form::Json, &self.ty, &self.value)
    }

    /// `{"type":"[2]Real","value":[1.0,2.0]}`
    pub fn to_json(&self) -> String {
        let ty = serde_json::Value::from(self.type_text());
        format!("{{\"type\":{ty},\"value\":{}}}", self.value_json())
    }

    /// Whether it is the truth value `true`.
    pub(crate) fn is_true(&self) -> bool {
        matches!(self.value, Value::Bool(true))
    }

    /// The number, if it is a `Real`.
    pub fn as_real(&self) -> Option<f64> {
        if let Value::Real(value) = self.value { Some(value) } else { None }
    }

    /// Sizes and elements, if it is a `Real` or an array of them.
    pub fn as_reals(&self) -> Option<(Vec<usize>, Vec<f64>)> {
        if let Value::Real(value) = self.value {
            return Some((Vec::new(), vec![value]));
        }
        let Value::Array(array) = &self.value else { return None };
        let Elems::Real(data) = &array.elems else { return None };
        Some((array.shape.to_vec(), data.to_vec()))
    }
}
