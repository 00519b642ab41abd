//! Data of Rust to values. Arrays of numbers are copied once; tuples and records of them part by part.

use array::Shape;
use check::Type;
use eval::{Array, Element, Value};

use super::{Misfit, Reader};
use crate::argument::Content;
use crate::data::{Data, Shaped};
use crate::deep::enough_stack;

impl Reader<'_> {
    /// The value of this type that the data stands for.
    pub(super) fn data(&mut self, ty: &Type, data: &Data<'_>, name: &str) -> Result<Value, Misfit> {
        match data {
            Data::Reals(it) => self.numbers(ty, data, it, name),
            Data::Floats(it) => self.numbers(ty, data, it, name),
            Data::Ints(it) => self.numbers(ty, data, it, name),
            Data::Bools(it) => self.numbers(ty, data, it, name),
            Data::Tuple(parts) if matches!(ty, Type::Tuple(_)) && !parts.is_empty() => {
                let parts: Vec<_> = parts.iter().map(|it| ("", Content::Data(it))).collect();
                self.parts(ty, &parts, name)
            }
            Data::Record(fields) if self.types.record_fields(ty).is_some() => {
                let fields = fields.iter().map(|it| (&*it.0, Content::Data(&it.1)));
                self.parts(ty, &fields.collect::<Vec<_>>(), name)
            }
            Data::Real(_) | Data::Int(_) | Data::Bool(_) | Data::Text(_) => {
                Ok(self.column(ty, &[data], &[], name)?.row(0, 0))
            }
            Data::Tuple(_) | Data::Record(_) | Data::Constructor(..) | Data::List(_) => {
                Ok(self.column(ty, &[&data.with_lists()], &[], name)?.row(0, 0))
            }
        }
    }

    fn numbers<T: Number>(
        &mut self,
        ty: &Type,
        data: &Data<'_>,
        array: &Shaped<'_, T>,
        name: &str,
    ) -> Result<Value, Misfit> {
        if !array.is_whole() {
            let n = array.elements().len();
            let found = format!("{n} elements, which do not fill the shape {:?}", array.shape());
            return Err(Misfit::new(0, ty, found));
        }
        let misfit = || Misfit::new(0, ty, data.describe());
        let elem = self.element(ty, array.shape(), name).ok_or_else(misfit)?;
        let elems = array.elements();
        let (shape, precision) = (Shape::new(array.shape()), self.precision);
        let array = match elem {
            Type::Real => {
                let reals: Option<Vec<f64>> =
                    elems.iter().map(|it| Some(super::round(it.real()?, precision))).collect();
                Array::flat(shape, reals.ok_or_else(misfit)?)
            }
            Type::Int if T::TYPE == Type::Int => T::array(shape, elems),
            Type::Bool if T::TYPE == Type::Bool => T::array(shape, elems),
            // Nothing in the program depends on it: the data decides.
            Type::Param(_) | Type::Var(_) | Type::Error => T::array(shape, elems),
            Type::Int | Type::Bool | Type::String | Type::Tuple(_) => return Err(misfit()),
            Type::Array(..) | Type::Named(..) | Type::Function(..) => return Err(misfit()),
        };
        Ok(if array.shape.is_empty() { array.row(0, 0) } else { Value::array(array) })
    }
}

/// What arrays of data are made of.
trait Number: Copy {
    /// The natural type.
    const TYPE: Type;

    /// As a real; an integer is one.
    fn real(self) -> Option<f64>;

    /// An array of the natural type.
    fn array(shape: Shape, elements: &[Self]) -> Array;
}

impl Number for f64 {
    const TYPE: Type = Type::Real;

    fn real(self) -> Option<f64> {
        Some(self)
    }

    fn array(shape: Shape, elements: &[f64]) -> Array {
        flat(shape, elements)
    }
}

impl Number for f32 {
    const TYPE: Type = Type::Real;

    fn real(self) -> Option<f64> {
        Some(f64::from(self))
    }

    fn array(shape: Shape, elements: &[f32]) -> Array {
        Array::flat(shape, elements.iter().map(|it| f64::from(*it)).collect())
    }
}

impl Number for i64 {
    const TYPE: Type = Type::Int;

    fn real(self) -> Option<f64> {
        Some(self as f64)
    }

    fn array(shape: Shape, elements: &[i64]) -> Array {
        flat(shape, elements)
    }
}

impl Number for bool {
    const TYPE: Type = Type::Bool;

    fn real(self) -> Option<f64> {
        None
    }

    fn array(shape: Shape, elements: &[bool]) -> Array {
        flat(shape, elements)
    }
}

fn flat<T: Element>(shape: Shape, elements: &[T]) -> Array {
    Array::flat(shape, elements.to_vec())
}

impl Data<'_> {
    /// A copy with lists for arrays of numbers.
    pub(super) fn with_lists(&self) -> Data<'static> {
        let all =
            |items: &[Data<'_>]| items.iter().map(|it| enough_stack(|| it.with_lists())).collect();
        match self {
            Data::Reals(_) | Data::Floats(_) | Data::Ints(_) | Data::Bools(_) => {
                match self.clone().into_items() {
                    Some(items) => Data::List(all(&items)),
                    // No list: it is refused where one is wanted.
                    None => self.clone().into_owned(),
                }
            }
            Data::Real(_) | Data::Int(_) | Data::Bool(_) | Data::Text(_) => {
                self.clone().into_owned()
            }
            Data::Tuple(parts) => Data::Tuple(all(parts)),
            Data::List(items) => Data::List(all(items)),
            Data::Constructor(name, fields) => {
                Data::Constructor(name.to_string().into(), all(fields))
            }
            Data::Record(fields) => {
                let with_lists = |it: &Data<'_>| enough_stack(|| it.with_lists());
                let fields = fields.iter().map(|it| (it.0.to_string().into(), with_lists(&it.1)));
                Data::Record(fields.collect())
            }
        }
    }
}
