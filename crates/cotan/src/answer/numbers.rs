//! The numbers inside of tuples and records, one slice for each number and each array of them.

use check::{Type, TypeTable};
use eval::{Array, Elems, Value};

use super::element;
use crate::deep::enough_stack;
use crate::machine::Few;

/// Numbers of one kind that lie together.
#[derive(Clone, Copy)]
pub(crate) enum Numbers<'a> {
    Reals(&'a [f64]),
    Floats(&'a [f32]),
    Ints(&'a [i64]),
    Int(i64),
    Bools(&'a [bool]),
    /// Truth values of compiled code: anything but zero is true.
    Bytes(&'a [u8]),
}

/// The numbers of a value, in the order of its type. Arrays of tuples are stored by columns, and give a
/// slice for each column.
pub(super) struct Found<'a> {
    types: &'a TypeTable,
    pub(super) numbers: Few<Numbers<'a>>,
    /// Whether there is something else, a text or a value of a data type.
    pub(super) has_more: bool,
}

impl<'a> Found<'a> {
    pub(super) fn new(types: &'a TypeTable, ty: &Type, value: &'a Value) -> Found<'a> {
        let mut found = Found { types, numbers: Few::new(), has_more: false };
        found.value(ty, value);
        found
    }

    fn value(&mut self, ty: &Type, value: &'a Value) {
        enough_stack(|| match value {
            Value::Real(value) => self.numbers.push(Numbers::Reals(std::slice::from_ref(value))),
            Value::Int(value) => self.numbers.push(Numbers::Ints(std::slice::from_ref(value))),
            Value::Bool(value) => self.numbers.push(Numbers::Bools(std::slice::from_ref(value))),
            Value::Tuple(fields) => {
                self.each_part(ty, |it, index, ty| it.value(ty, &fields[index]));
            }
            Value::Array(array) => self.elements(element(ty, array), array),
            Value::Str(_) | Value::Data(_) | Value::Closure(_) => self.has_more = true,
            // Answers have no Deltas.
            Value::Dual(..) | Value::Delta(_) => self.has_more = true,
        });
    }

    fn elements(&mut self, elem: &Type, array: &'a Array) {
        match &array.elems {
            Elems::Real(data) => self.numbers.push(Numbers::Reals(data)),
            Elems::Int(data) => self.numbers.push(Numbers::Ints(data)),
            Elems::Bool(data) => self.numbers.push(Numbers::Bools(data)),
            Elems::Tuple(parts) => {
                self.each_part(elem, |it, index, ty| it.elements(ty, &parts[index]));
            }
            Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => self.has_more = true,
            // Without elements, the type alone tells the columns.
            Elems::Boxed(data) if data.is_empty() => self.nothing(elem),
            Elems::Boxed(_) => self.has_more = true,
        }
    }

    fn nothing(&mut self, elem: &Type) {
        match elem {
            Type::Real => self.numbers.push(Numbers::Reals(&[])),
            Type::Int => self.numbers.push(Numbers::Ints(&[])),
            Type::Bool => self.numbers.push(Numbers::Bools(&[])),
            Type::Array(_, inner) => self.nothing(inner),
            Type::Tuple(_) | Type::Named(..) => self.each_part(elem, |it, _, ty| it.nothing(ty)),
            Type::String | Type::Function(..) => self.has_more = true,
            Type::Param(_) | Type::Var(_) | Type::Error => {}
        }
    }

    /// The parts of a tuple or record type, in order.
    fn each_part(&mut self, ty: &Type, mut f: impl FnMut(&mut Self, usize, &Type)) {
        if let Type::Tuple(types) = ty {
            types.iter().enumerate().for_each(|(index, ty)| f(self, index, ty));
        } else if let Some(fields) = self.types.record_fields(ty) {
            fields.iter().enumerate().for_each(|(index, (_, ty))| f(self, index, ty));
        } else {
            self.has_more = true;
        }
    }
}
