//! Tuples and records, and arrays of them, that are given part by part. Arrays are stored that way, so
//! nothing is copied.

use array::Shape;
use check::{Size, Type};
use eval::{Array, Elems, Value};

use super::{Misfit, Reader, unknown_field};
use crate::argument::Content;

impl Reader<'_> {
    /// The value of a type whose parts these are.
    pub(super) fn parts(
        &mut self,
        ty: &Type,
        given: &[(&str, Content<'_>)],
        name: &str,
    ) -> Result<Value, Misfit> {
        let (sizes, inner) = split_arrays(ty);
        let wanted = self.wanted(inner);
        let Some(wanted) = wanted.filter(|it| !it.is_empty()) else {
            return Err(Misfit::new(0, ty, "parts"));
        };
        let is_wanted = |it: &str| wanted.iter().any(|to| to.0.as_deref() == Some(it));
        let is_record = wanted.iter().all(|it| it.0.is_some());
        if let Some(unknown) = given.iter().find(|it| is_record && !is_wanted(it.0)) {
            return Err(Misfit::new(0, ty, unknown_field(unknown.0)));
        }
        let is_given = |it: &str| given.iter().any(|to| to.0 == it);
        let mut fields = wanted.iter().filter_map(|it| it.0.as_deref());
        if let Some(missing) = fields.find(|it| !is_given(it)) {
            return Err(Misfit::new(0, ty, format!("no field `{missing}`")));
        }
        if given.len() != wanted.len() {
            let expected = format!("{} parts", wanted.len());
            return Err(Misfit::new(0, expected, given.len()));
        }
        let mut values = Vec::with_capacity(wanted.len());
        for (position, (field, part)) in wanted.iter().enumerate() {
            let found = match field {
                Some(field) => given.iter().find(|it| it.0 == field),
                None => given.get(position),
            };
            let (_, content) = found.expect("compiler bug: no part is missing");
            let step = match field {
                Some(field) => format!(".{field}"),
                None => format!(".{position}"),
            };
            let column =
                sizes.iter().rev().fold(part.clone(), |ty, it| Type::array((*it).clone(), ty));
            let value = self.read(&column, content, &format!("{name}{step}"));
            values.push(value.map_err(|it| it.under(&step))?);
        }
        Ok(together(values, sizes.len()))
    }

    /// The parts of a type, by name if it is a record.
    pub(super) fn wanted(&self, ty: &Type) -> Option<Vec<(Option<String>, Type)>> {
        if let Type::Tuple(types) = ty {
            return Some(types.iter().map(|it| (None, it.clone())).collect());
        }
        let fields = self.types.record_fields(ty)?;
        Some(fields.into_iter().map(|(name, ty)| (Some(name.to_string()), ty)).collect())
    }
}

pub(super) fn split_arrays(ty: &Type) -> (Vec<&Size>, &Type) {
    let (mut sizes, mut inner) = (Vec::new(), ty);
    while let Type::Array(size, elem) = inner {
        sizes.push(size);
        inner = elem;
    }
    (sizes, inner)
}

/// A tuple, or an array of tuples with so many dimensions. That the columns are equally long is found
/// out with all other sizes.
fn together(values: Vec<Value>, rank: usize) -> Value {
    if rank == 0 {
        return Value::tuple(values);
    }
    let array = |it: Value| if let Value::Array(it) = it { Some((*it).clone()) } else { None };
    let columns: Vec<Array> = values.into_iter().filter_map(array).collect();
    let shape = columns.first().map_or(&[][..], |it| &it.shape);
    let shape = Shape::new(&shape[..shape.len().min(rank)]);
    Value::array(Array { shape, elems: Elems::Tuple(columns) })
}
