//! Answers as data of Rust, and as Rust values.

use std::borrow::Cow;

use check::{Type, TypeTable, shown_name};
use eval::{Array, Element, Elems, Value};

use super::{Answer, element};
use crate::data::{Data, FromData, Shaped, ToData};
use crate::deep::{enough_stack, with_deep_stack};
use crate::error;
use crate::report::Report;

impl Answer {
    /// The value as a Rust value: `answer.get::<(f64, Vec<i64>)>()`.
    pub fn get<T: FromData>(&self) -> Result<T, Report> {
        let found = with_deep_stack(|| T::from_data(self.data()));
        found.map_err(|it| {
            let ty = std::any::type_name::<T>();
            Report::single(error::wrong_answer(ty, &it))
        })
    }

    /// The value as data. Arrays of numbers are borrowed, unless they are inside of arrays of something
    /// else.
    pub fn data(&self) -> Data<'_> {
        match self.as_slice() {
            Some((shape, data)) if !shape.is_empty() => Data::Reals(Shaped::new(shape, data)),
            Some(_) | None => {
                Seen { types: &self.kind().types }.value(&self.kind().ty, self.value())
            }
        }
    }
}

impl ToData for Answer {
    fn to_data(&self) -> Data<'_> {
        self.data()
    }
}

/// Looks at values together with their types.
struct Seen<'t> {
    types: &'t TypeTable,
}

impl Seen<'_> {
    fn value<'a>(&self, ty: &Type, value: &'a Value) -> Data<'a> {
        match value {
            Value::Real(it) => Data::Real(*it),
            Value::Int(it) => Data::Int(*it),
            Value::Bool(it) => Data::Bool(*it),
            Value::Str(it) => Data::Text(Cow::Borrowed(it)),
            Value::Tuple(parts) => self.tuple(ty, parts),
            Value::Data(data) => {
                let cons = self.types.constructors(ty).unwrap_or_default();
                let types = cons
                    .into_iter()
                    .nth(data.con.tag)
                    .unwrap_or((data.con.name.clone(), Vec::new()))
                    .1;
                let fields = data.fields.iter().zip(&types);
                let fields = fields.map(|(it, ty)| enough_stack(|| self.value(ty, it)));
                let name = shown_name(&data.con.name).to_owned();
                Data::Constructor(Cow::Owned(name), fields.collect())
            }
            Value::Array(array) => self.array(ty, array),
            Value::Closure(_) | Value::Dual(..) | Value::Delta(_) => {
                panic!("compiler bug: {value:?} is no answer")
            }
        }
    }

    fn tuple<'a>(&self, ty: &Type, parts: &'a [Value]) -> Data<'a> {
        let each = |types: &[Type]| {
            let parts = types.iter().zip(parts);
            parts.map(|(ty, it)| enough_stack(|| self.value(ty, it))).collect::<Vec<Data<'a>>>()
        };
        match (ty, self.types.record_fields(ty)) {
            (_, Some(fields)) => {
                let (names, types): (Vec<_>, Vec<Type>) = fields.into_iter().unzip();
                let names = names.iter().map(|it| Cow::Owned(it.to_string()));
                Data::Record(names.zip(each(&types)).collect())
            }
            (Type::Tuple(types), None) => Data::Tuple(each(types)),
            (_, None) => panic!("compiler bug: a tuple of type {ty}"),
        }
    }

    fn array<'a>(&self, ty: &Type, array: &'a Array) -> Data<'a> {
        let shape = &array.shape[..];
        fn shaped<'a, T: Element>(shape: &[usize], data: &'a [T]) -> Shaped<'a, T> {
            Shaped::new(shape, data)
        }
        match (&array.elems, element(ty, array)) {
            (Elems::Real(data), _) => Data::Reals(shaped(shape, data)),
            (Elems::Int(data), _) => Data::Ints(shaped(shape, data)),
            (Elems::Bool(data), _) => Data::Bools(shaped(shape, data)),
            // Arrays without elements may be stored in any way.
            (_, Type::Real) => Data::Reals(shaped(shape, &[])),
            (_, Type::Int) => Data::Ints(shaped(shape, &[])),
            (_, Type::Bool) => Data::Bools(shaped(shape, &[])),
            (Elems::Tuple(_) | Elems::Boxed(_) | Elems::Delta(_), _)
            | (Elems::Dual(..) | Elems::Lanes(..), _) => {
                let Type::Array(_, elem) = ty else {
                    panic!("compiler bug: an array of type {ty}")
                };
                let n = shape.first().copied().unwrap_or(0);
                let row =
                    |at: usize| enough_stack(|| self.value(elem, &array.row(1, at)).into_owned());
                Data::List((0..n).map(row).collect())
            }
        }
    }
}
