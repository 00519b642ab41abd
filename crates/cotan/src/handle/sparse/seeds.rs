//! Directions for values of any form without sum types: an array more around every number.

use array::{Buffer, Dense};
use check::{Type, TypeTable};
use eval::{Array, Elems, Value};

use crate::argument::{Argument, ArgumentData};
use crate::deep::enough_stack;

/// The sizes of all arrays in some values, and where values without a size stand.
pub(super) fn sizes_of(values: &[Value]) -> Vec<usize> {
    fn each(value: &Value, into: &mut Vec<usize>) {
        match value {
            Value::Array(array) => {
                into.push(array.shape.len());
                into.extend(array.shape.iter());
            }
            Value::Tuple(parts) => parts.iter().for_each(|it| enough_stack(|| each(it, into))),
            Value::Data(data) => data.fields.iter().for_each(|it| enough_stack(|| each(it, into))),
            Value::Real(_) | Value::Int(_) | Value::Bool(_) | Value::Str(_) => into.push(0),
            Value::Closure(_) | Value::Dual(..) | Value::Delta(_) => into.push(0),
        }
    }
    let mut res = Vec::new();
    values.iter().for_each(|it| each(it, &mut res));
    res
}

/// Makes directions, each of the form of a value.
pub(super) struct Seeds<'a> {
    pub(super) types: &'a TypeTable,
    /// How many directions there are.
    pub(super) n: usize,
    /// Of a number of the values, by its position, what it is in each direction.
    pub(super) fill: &'a dyn Fn(usize, &mut [f64]),
    /// How many numbers there were before.
    pub(super) at: usize,
}

impl Seeds<'_> {
    /// The directions of a value, as an argument of this name; none if it has a sum type in it.
    pub(super) fn argument(&mut self, name: &str, ty: &Type, value: &Value) -> Option<Argument> {
        enough_stack(|| match value {
            Value::Real(_) => Some(self.reals(name, &[], 1)),
            Value::Int(it) => Some(self.rest(name, &[], Buffer::Int(vec![*it]))),
            Value::Bool(it) => Some(self.rest(name, &[], Buffer::Bool(vec![*it]))),
            Value::Tuple(parts) => {
                let types = self.parts_of(ty)?;
                let parts = types.iter().zip(parts.iter());
                let parts = parts.map(|((name, ty), it)| self.argument(name, ty, it));
                Some(Argument::parts(name, parts.collect::<Option<Vec<Argument>>>()?))
            }
            Value::Array(array) => self.array(name, ty, array),
            Value::Str(_) | Value::Data(_) | Value::Closure(_) => None,
            Value::Dual(..) | Value::Delta(_) => None,
        })
    }

    fn array(&mut self, name: &str, ty: &Type, array: &Array) -> Option<Argument> {
        let shape = &array.shape[..];
        match &array.elems {
            Elems::Real(data) => Some(self.reals(name, shape, data.len())),
            Elems::Int(data) => Some(self.rest(name, shape, Buffer::Int(data.to_vec()))),
            Elems::Bool(data) => Some(self.rest(name, shape, Buffer::Bool(data.to_vec()))),
            Elems::Tuple(parts) => {
                let types = self.parts_of(element(ty))?;
                let parts = types.iter().zip(parts.iter());
                let parts = parts.map(|((name, ty), it)| self.array(name, ty, it));
                Some(Argument::parts(name, parts.collect::<Option<Vec<Argument>>>()?))
            }
            // Without elements it does not know what it is of.
            Elems::Boxed(data) if data.is_empty() => {
                let rows = vec!["[]"; self.n].join(",");
                Some(Argument::json(name, &format!("[{rows}]")))
            }
            Elems::Boxed(_) | Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => None,
        }
    }

    fn reals(&mut self, name: &str, shape: &[usize], n: usize) -> Argument {
        let mut data = vec![0.0; n * self.n];
        let mut column = vec![0.0; self.n];
        for at in 0..n {
            column.fill(0.0);
            (self.fill)(self.at + at, &mut column);
            for (row, it) in column.iter().enumerate().filter(|it| *it.1 != 0.0) {
                data[row * n + at] = *it;
            }
        }
        self.at += n;
        Argument::owned_reals(name, &self.around(shape), data)
    }

    /// What has no derivative is the same in all directions.
    fn rest(&self, name: &str, shape: &[usize], data: Buffer) -> Argument {
        let data = match data {
            Buffer::Real(it) => Buffer::Real(it.repeat(self.n)),
            Buffer::Int(it) => Buffer::Int(it.repeat(self.n)),
            Buffer::Bool(it) => Buffer::Bool(it.repeat(self.n)),
        };
        let data = ArgumentData::Array(Dense { shape: self.around(shape), data });
        Argument { name: name.to_owned(), origin: "its value".into(), data }
    }

    fn around(&self, shape: &[usize]) -> Vec<usize> {
        [&[self.n], shape].concat()
    }

    /// The parts of a tuple, by number, or of a record, by name.
    fn parts_of(&self, ty: &Type) -> Option<Vec<(String, Type)>> {
        if let Type::Tuple(types) = ty {
            let types = types.iter().enumerate();
            return Some(types.map(|(at, ty)| (at.to_string(), ty.clone())).collect());
        }
        let fields = self.types.record_fields(ty)?;
        Some(fields.into_iter().map(|(name, ty)| (name.to_string(), ty)).collect())
    }
}

/// What arrays of arrays are of.
fn element(mut ty: &Type) -> &Type {
    while let Type::Array(_, inner) = ty {
        ty = inner;
    }
    ty
}
