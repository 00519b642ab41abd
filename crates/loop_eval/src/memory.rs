//! Arrays: each by itself, so that nobody gets from one to another, and none comes back once it is freed.

use std::collections::BTreeMap;

use crate::{Cost, Ended, Value};

/// The place of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// The number of its array; no other one ever has it.
    pub(crate) array: usize,
    /// How far from the start.
    pub(crate) at: i64,
}

/// What nobody checks before asking for it ends here, rather than the memory of the machine.
const MOST_ELEMENTS: i64 = 1 << 26;

#[derive(Default)]
pub(crate) struct Memory {
    arrays: BTreeMap<usize, Vec<Value>>,
    next: usize,
    pub(crate) cost: Cost,
}

impl Memory {
    /// A new array; the size of none is that of nothing.
    pub(crate) fn allocate(&mut self, len: i64) -> Result<Pointer, Ended> {
        if len > MOST_ELEMENTS {
            return Err(Ended::Long);
        }
        Ok(self.put(vec![Value::Unknown; len.max(0) as usize]))
    }

    pub(crate) fn put(&mut self, values: Vec<Value>) -> Pointer {
        let array = self.next;
        self.next += 1;
        self.arrays.insert(array, values);
        Pointer { array, at: 0 }
    }

    /// A mark for [`Memory::free`].
    pub(crate) fn mark(&self) -> usize {
        self.next
    }

    /// Frees all arrays that are newer than the mark.
    pub(crate) fn free(&mut self, mark: usize) {
        self.arrays.split_off(&mark);
    }

    /// An element; nothing is known of those of an array that has none.
    pub(crate) fn load(&mut self, from: Pointer) -> Result<Value, Ended> {
        let array = self.arrays.get(&from.array);
        let array = array.ok_or_else(|| wrong(from, "is read after it was freed"))?;
        let element = match usize::try_from(from.at).ok().and_then(|it| array.get(it)) {
            Some(element) => element.clone(),
            None if array.is_empty() => Value::Unknown,
            None => return Err(wrong(from, &format!("is read, of {} elements", array.len()))),
        };
        self.cost.read += bytes(&element);
        Ok(element)
    }

    pub(crate) fn store(&mut self, into: Pointer, value: Value) -> Result<(), Ended> {
        let array = self.arrays.get_mut(&into.array);
        let array = array.ok_or_else(|| wrong(into, "is written after it was freed"))?;
        let len = array.len();
        let element = usize::try_from(into.at).ok().and_then(|it| array.get_mut(it));
        let element =
            element.ok_or_else(|| wrong(into, &format!("is written, of {len} elements")))?;
        self.cost.written += bytes(&value);
        *element = value;
        Ok(())
    }

    /// All elements from here on.
    pub(crate) fn rest(&self, from: Pointer) -> Result<Vec<Value>, Ended> {
        let array = self.arrays.get(&from.array);
        let array = array.ok_or_else(|| wrong(from, "is given after it was freed"))?;
        let start = usize::try_from(from.at).ok().filter(|it| *it <= array.len());
        Ok(array[start.ok_or_else(|| wrong(from, "is given"))?..].to_vec())
    }
}

fn bytes(value: &Value) -> u64 {
    match value {
        Value::Bool(_) => 1,
        Value::Unknown | Value::Real(_) | Value::Int(_) | Value::Box(_) | Value::Array(_) => 8,
    }
}

fn wrong(at: Pointer, what: &str) -> Ended {
    Ended::Wrong(format!("element {} of array {} {what}", at.at, at.array))
}
