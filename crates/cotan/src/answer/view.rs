//! Answers as they are stored, for front ends that make values of another language of them: arrays of
//! tuples by columns, declared types by name, nothing copied.

use check::{Type, TypeTable, shown_name};
use eval::{Array, Elems, Value};

use super::{Answer, element};
use crate::deep::enough_stack;

/// A part of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum View<'a> {
    /// A real number.
    Real(f64),
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(&'a str),
    /// Sizes and elements of an array of reals.
    Reals(&'a [usize], &'a [f64]),
    /// Sizes and elements of an array of integers.
    Ints(&'a [usize], &'a [i64]),
    /// Sizes and elements of an array of truth values.
    Bools(&'a [usize], &'a [bool]),
    /// A tuple; of an array of tuples, the arrays of their parts.
    Tuple(Vec<View<'a>>),
    /// A record: its type and its fields; of an array of records, the arrays of their fields.
    Record(String, Vec<(String, View<'a>)>),
    /// A value of a data type: its constructor and its fields.
    Constructor(String, Vec<View<'a>>),
    /// An array of texts or of data: its sizes and its elements.
    List(&'a [usize], Vec<View<'a>>),
}

impl Answer {
    /// The value as it is stored.
    pub fn view(&self) -> View<'_> {
        match self.as_slice() {
            Some((shape, data)) if !shape.is_empty() => View::Reals(shape, data),
            Some(_) | None => {
                Viewer { types: &self.kind().types }.value(&self.kind().ty, self.value())
            }
        }
    }
}

/// Looks at values together with their types.
struct Viewer<'t> {
    types: &'t TypeTable,
}

impl Viewer<'_> {
    fn value<'a>(&self, ty: &Type, value: &'a Value) -> View<'a> {
        enough_stack(|| match value {
            Value::Real(it) => View::Real(*it),
            Value::Int(it) => View::Int(*it),
            Value::Bool(it) => View::Bool(*it),
            Value::Str(it) => View::Text(it),
            Value::Tuple(parts) => self.parts(ty, |at, ty| self.value(ty, &parts[at])),
            Value::Data(data) => {
                let cons = self.types.constructors(ty).unwrap_or_default();
                let types = cons.get(data.con.tag).map_or(&[][..], |it| &it.1);
                let fields = data.fields.iter().zip(types).map(|(it, ty)| self.value(ty, it));
                View::Constructor(shown_name(&data.con.name).to_owned(), fields.collect())
            }
            Value::Array(array) => self.array(element(ty, array), array),
            Value::Closure(_) | Value::Dual(..) | Value::Delta(_) => {
                panic!("compiler bug: {value:?} is no answer")
            }
        })
    }

    /// An array of elements of this type.
    fn array<'a>(&self, elem: &Type, array: &'a Array) -> View<'a> {
        let shape = &array.shape[..];
        match (&array.elems, elem) {
            (Elems::Real(data), _) => View::Reals(shape, data),
            (Elems::Int(data), _) => View::Ints(shape, data),
            (Elems::Bool(data), _) => View::Bools(shape, data),
            (Elems::Tuple(parts), _) => {
                self.parts(elem, |at, ty| self.array(inner(ty), &parts[at]))
            }
            (Elems::Boxed(data), _) if !data.is_empty() => {
                View::List(shape, data.iter().map(|it| self.value(elem, it)).collect())
            }
            // Arrays without elements may be stored in any way.
            (_, elem) => self.nothing(elem, shape),
        }
    }

    fn nothing<'a>(&self, elem: &Type, shape: &'a [usize]) -> View<'a> {
        match elem {
            Type::Real => View::Reals(shape, &[]),
            Type::Int => View::Ints(shape, &[]),
            Type::Bool => View::Bools(shape, &[]),
            Type::Tuple(_) => self.parts(elem, |_, ty| self.nothing(inner(ty), shape)),
            Type::Named(..) if self.types.record_fields(elem).is_some() => {
                self.parts(elem, |_, ty| self.nothing(inner(ty), shape))
            }
            Type::Named(..) | Type::String | Type::Array(..) | Type::Function(..) => {
                View::List(shape, Vec::new())
            }
            Type::Param(_) | Type::Var(_) | Type::Error => View::List(shape, Vec::new()),
        }
    }

    /// A tuple or a record whose parts are these.
    fn parts<'a>(&self, ty: &Type, part: impl Fn(usize, &Type) -> View<'a>) -> View<'a> {
        if let (Type::Named(name, ..), Some(fields)) = (ty, self.types.record_fields(ty)) {
            let fields = fields.iter().enumerate();
            let fields = fields.map(|(at, (name, ty))| (name.to_string(), part(at, ty)));
            return View::Record(shown_name(name).to_owned(), fields.collect());
        }
        let Type::Tuple(types) = ty else { panic!("compiler bug: a tuple of type {ty}") };
        View::Tuple(types.iter().enumerate().map(|(at, ty)| part(at, ty)).collect())
    }
}

/// What an array holds, however many dimensions it has; of anything else, itself.
fn inner(ty: &Type) -> &Type {
    if let Type::Array(_, elem) = ty { inner(elem) } else { ty }
}
