//! Types that data suggests, where the program does not say one.

use array::Buffer;
use check::{Size, Type};
use eval::Value;

use super::node::Node;
use super::table::natural_table;
use crate::argument::Content;
use crate::data::Data;

/// The type that the data suggests when the program does not care; `None` if it suggests none.
pub(crate) fn natural_type(content: &Content<'_>) -> Option<Type> {
    let dense;
    let (shape, elem) = match content {
        Content::Json(json) => return natural(&[json]),
        Content::Reals(Value::Array(array)) => (&array.shape[..], Type::Real),
        Content::Reals(_) => return Some(Type::Real),
        Content::Parts(_) => return None,
        Content::Data(data) => return natural_of(data),
        Content::Dense(dense) => (&dense.shape[..], element_of(&dense.data)),
        Content::Table(table) => {
            dense = natural_table(table).ok()?;
            (&dense.shape[..], element_of(&dense.data))
        }
    };
    Some(array_of(shape, elem))
}

fn element_of(data: &Buffer) -> Type {
    match data {
        Buffer::Real(_) => Type::Real,
        Buffer::Int(_) => Type::Int,
        Buffer::Bool(_) => Type::Bool,
    }
}

/// The type that data suggests.
fn natural_of(data: &Data<'_>) -> Option<Type> {
    let (shape, elem) = match data {
        Data::Reals(it) => (it.shape(), Type::Real),
        Data::Floats(it) => (it.shape(), Type::Real),
        Data::Ints(it) => (it.shape(), Type::Int),
        Data::Bools(it) => (it.shape(), Type::Bool),
        Data::Real(_) | Data::Int(_) | Data::Bool(_) | Data::Text(_) => return natural(&[data]),
        Data::List(_) => return natural(&[&data.with_lists()]),
        Data::Tuple(parts) => {
            let parts: Option<Vec<Type>> = parts.iter().map(natural_of).collect();
            return parts.map(Type::Tuple);
        }
        Data::Record(_) | Data::Constructor(..) => return None,
    };
    Some(array_of(shape, elem))
}

fn array_of(shape: &[usize], elem: Type) -> Type {
    let sizes = shape.iter().rev().map(|it| Size::constant(*it as i64));
    sizes.fold(elem, |ty, size| Type::array(size, ty))
}

pub(super) fn natural<N: Node>(items: &[&N]) -> Option<Type> {
    if items.iter().all(|it| it.int().is_some()) {
        return Some(Type::Int);
    }
    if items.iter().all(|it| it.real().is_some()) {
        return Some(Type::Real);
    }
    if items.iter().all(|it| it.bool().is_some()) {
        return Some(Type::Bool);
    }
    if items.iter().all(|it| it.text().is_some()) {
        return Some(Type::String);
    }
    let rows: Option<Vec<&[N]>> = items.iter().map(|it| it.list()).collect();
    let rows = rows?;
    let size = Size::constant(rows.first().map_or(0, |it| it.len()) as i64);
    let elements: Vec<&N> = rows.into_iter().flatten().collect();
    Some(Type::array(size, natural(&elements)?))
}
