//! Types that data suggests, where the program does not say one.

use array::Buffer;
use check::{Size, Type};
use eval::{Precision, Value};
use serde_json::Value as Json;

use super::real;
use crate::argument::Content;

/// The type that the data suggests when the program does not care; `None` if it suggests none.
pub(crate) fn natural_type(content: &Content<'_>) -> Option<Type> {
    let (shape, elem) = match content {
        Content::Json(json) => return natural(&[json]),
        Content::Reals(Value::Array(array)) => (&array.shape[..], Type::Real),
        Content::Reals(_) => return Some(Type::Real),
        Content::Parts(_) => return None,
        Content::Dense(dense) => match dense.data {
            Buffer::Real(_) => (&dense.shape[..], Type::Real),
            Buffer::Int(_) => (&dense.shape[..], Type::Int),
            Buffer::Bool(_) => (&dense.shape[..], Type::Bool),
        },
    };
    let sizes = shape.iter().rev().map(|it| Size::constant(*it as i64));
    Some(sizes.fold(elem, |ty, size| Type::array(size, ty)))
}

pub(super) fn natural(items: &[&Json]) -> Option<Type> {
    if items.iter().all(|it| it.is_i64()) {
        return Some(Type::Int);
    }
    if items.iter().all(|it| real(it, Precision::F64).is_some()) {
        return Some(Type::Real);
    }
    if items.iter().all(|it| it.is_boolean()) {
        return Some(Type::Bool);
    }
    if items.iter().all(|it| it.is_string()) {
        return Some(Type::String);
    }
    let rows: Option<Vec<&Vec<Json>>> = items.iter().map(|it| it.as_array()).collect();
    let rows = rows?;
    let size = Size::constant(rows.first().map_or(0, |it| it.len()) as i64);
    let elements: Vec<&Json> = rows.into_iter().flatten().collect();
    Some(Type::array(size, natural(&elements)?))
}
