//! Reading operands and sizes from a frame, and writing results to it.

use ir::{MOST_ELEMENTS, Type, bounded_sum};

use crate::array::Array;
use crate::code::{Arg, Block, SizeCode, Slot};
use crate::error::{Failure, Fault, malformed};
use crate::eval::{Evaluator, Frame};
use crate::rows::empty;
use crate::tape::real_part;
use crate::value::Value;

impl Evaluator {
    /// The only result of a block.
    pub(crate) fn single(&mut self, frame: Frame<'_>, block: &Block) -> Result<Value, Failure> {
        match &block.results[..] {
            [result] => Ok(self.fetch(frame, result)),
            _ => Err(malformed("a block with another number of results").into()),
        }
    }

    /// Copies results to the slots from `dest`; no result is one of these slots.
    pub(crate) fn give(&mut self, frame: Frame<'_>, results: &[Arg], dest: Slot) {
        for (i, result) in results.iter().enumerate() {
            let value = self.fetch(frame, result);
            self.set(frame, dest + i as Slot, value);
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, frame: Frame<'_>, slot: Slot, value: Value) {
        self.stack[frame.base + slot as usize] = value;
    }

    #[inline]
    pub(crate) fn peek<'a>(&'a self, frame: Frame<'_>, arg: &'a Arg) -> &'a Value {
        match arg {
            Arg::Slot(slot) | Arg::Take(slot) => &self.stack[frame.base + *slot as usize],
            Arg::Const(value) => value,
        }
    }

    #[inline]
    pub(crate) fn fetch(&mut self, frame: Frame<'_>, arg: &Arg) -> Value {
        match arg {
            Arg::Slot(slot) => self.stack[frame.base + *slot as usize].clone(),
            Arg::Take(slot) => std::mem::take(&mut self.stack[frame.base + *slot as usize]),
            Arg::Const(value) => value.clone(),
        }
    }

    pub(crate) fn fetch_all(&mut self, frame: Frame<'_>, args: &[Arg]) -> Vec<Value> {
        args.iter().map(|arg| self.fetch(frame, arg)).collect()
    }

    #[inline]
    pub(crate) fn real(&self, frame: Frame<'_>, arg: &Arg) -> Option<f64> {
        real_part(self.peek(frame, arg))
    }

    pub(crate) fn int(&self, frame: Frame<'_>, arg: &Arg) -> Result<i64, Failure> {
        let Value::Int(value) = self.peek(frame, arg) else {
            return Err(malformed("an Int is expected").into());
        };
        Ok(*value)
    }

    pub(crate) fn bool(&self, frame: Frame<'_>, arg: &Arg) -> Result<bool, Failure> {
        let Value::Bool(value) = self.peek(frame, arg) else {
            return Err(malformed("a Bool is expected").into());
        };
        Ok(*value)
    }

    pub(crate) fn slot_int(&self, frame: Frame<'_>, slot: Slot) -> i64 {
        if let Value::Int(value) = &self.stack[frame.base + slot as usize] { *value } else { 0 }
    }

    pub(crate) fn size(&self, frame: Frame<'_>, size: &SizeCode) -> i64 {
        match size {
            SizeCode::Const(value) => *value,
            SizeCode::Slot(slot) => self.slot_int(frame, *slot),
            SizeCode::Sum(terms) => terms.iter().fold(0, |sum: i64, (coefficient, slots)| {
                let product = slots
                    .iter()
                    .fold(*coefficient, |it, slot| it.wrapping_mul(self.slot_int(frame, *slot)));
                sum.wrapping_add(product)
            }),
        }
    }

    /// As `size`, but what is computed and too large for an array, or would wrap, is an error.
    pub(crate) fn bounded(&self, frame: Frame<'_>, size: &SizeCode) -> Result<i64, Failure> {
        let computed = match size {
            SizeCode::Slot(slot) => return Ok(self.slot_int(frame, *slot)),
            SizeCode::Const(it) => Some(*it).filter(|it| it.unsigned_abs() <= MOST_ELEMENTS as u64),
            SizeCode::Sum(terms) => bounded_sum(terms.iter().map(|(coefficient, slots)| {
                (*coefficient, slots.iter().map(|slot| self.slot_int(frame, *slot)))
            })),
        };
        computed.ok_or_else(|| Fault::TooLarge.into())
    }

    /// A size that an array can have.
    pub(crate) fn natural(&self, frame: Frame<'_>, size: &SizeCode) -> Result<usize, Failure> {
        natural(Some(self.bounded(frame, size)?))
    }

    /// An operand; an array without elements gets the shape that its type says.
    pub(crate) fn fetch_known(&mut self, frame: Frame<'_>, arg: &Arg) -> Value {
        let value = self.fetch(frame, arg);
        match (&value, arg) {
            (Value::Array(array), Arg::Slot(slot) | Arg::Take(slot)) if array.is_empty() => {
                match frame.function.types.get(*slot as usize) {
                    Some(Some(ty @ Type::Array(..))) => Value::array(self.known(frame, array, ty)),
                    _ => value,
                }
            }
            _ => value,
        }
    }

    fn known(&self, frame: Frame<'_>, array: &Array, ty: &Type) -> Array {
        let fits = |it: &Array| it.is_empty() && it.shape.starts_with(&array.shape);
        self.empty(frame, &[], ty).ok().filter(fits).unwrap_or_else(|| array.clone())
    }

    /// The array without elements of type `ty` below some sizes.
    pub(crate) fn empty(
        &self,
        frame: Frame<'_>,
        outer: &[usize],
        ty: &Type,
    ) -> Result<Array, Failure> {
        empty(outer, ty, &mut |size| natural(size.checked(&mut |var| self.slot_int(frame, var.0))))
    }
}

/// A size that an array can have; `None` is one that is too large.
pub(crate) fn natural(size: Option<i64>) -> Result<usize, Failure> {
    let size = size.ok_or(Fault::TooLarge)?;
    let natural = usize::try_from(size).map_err(|_| Fault::NegativeSize(size))?;
    if natural <= MOST_ELEMENTS { Ok(natural) } else { Err(Fault::TooLarge.into()) }
}
