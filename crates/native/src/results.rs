//! What a call gave, where it stands: in the memory of the call, or in an argument.
//!
//! Every address is checked before it is followed: it must be in memory that this call owns or was
//! given. So a wrong type here is an error and nothing worse.

use std::marker::PhantomData;

use smallvec::SmallVec;

use crate::abi::Slot;
use crate::arena::Arena;
use crate::failure::Failed;

/// A result or a field: its meaning is what its type says.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Word(pub(crate) Slot);

/// Arguments and results that a call has without asking for memory.
pub(crate) const FEW: usize = 8;

pub(crate) type Words = SmallVec<[Word; FEW]>;

/// Ranges of addresses, first to one past the last.
pub(crate) type Ranges = SmallVec<[(usize, usize); 4]>;

/// The results of a call, readable as long as its arguments are there.
pub struct Results<'a> {
    pub(crate) words: Words,
    pub(crate) memory: Owned,
    pub(crate) arguments: PhantomData<&'a ()>,
}

/// Ranges of addresses that may be read.
pub(crate) struct Owned {
    pub(crate) arena: Arena,
    /// Those of arguments.
    pub(crate) others: Ranges,
}

/// Results that outlive their arguments: scalars, and arrays of scalars.
pub struct Kept {
    words: Words,
    memory: Owned,
    /// Arrays that were arguments; `memory` knows where they are.
    copies: Vec<Vec<u64>>,
}

/// How long an array is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Its elements.
    pub len: usize,
    /// The bytes of one.
    pub width: usize,
}

const BAD_ADDRESS: Failed = Failed::Malformed("a result is not in the memory of the call");

/// A scalar of arrays.
pub trait Element: Copy + sealed::Sealed {}

mod sealed {
    /// # Safety
    /// Any bits are a value.
    pub unsafe trait Sealed {}
}

// SAFETY: any bits are a value of these.
unsafe impl sealed::Sealed for f64 {}
// SAFETY: as above.
unsafe impl sealed::Sealed for f32 {}
// SAFETY: as above.
unsafe impl sealed::Sealed for i64 {}
// SAFETY: as above. Truth values are read as bytes: a wrong one is no bool of Rust.
unsafe impl sealed::Sealed for u8 {}
// SAFETY: a word is any 64 bits.
unsafe impl sealed::Sealed for Word {}

impl Element for f64 {}
impl Element for f32 {}
impl Element for i64 {}
impl Element for u8 {}
impl Element for Word {}

impl Word {
    /// As a real.
    pub fn real(self) -> f64 {
        self.0.as_real()
    }

    /// As an integer.
    pub fn int(self) -> i64 {
        self.0.as_int()
    }

    /// As a truth value.
    pub fn bool(self) -> bool {
        self.0.as_int() != 0
    }
}

impl Results<'_> {
    /// The results, in order.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// The elements of an array.
    pub fn array<T: Element>(&self, start: Word, len: usize) -> Result<&[T], Failed> {
        self.memory.array(start, len)
    }

    /// The tag and the address of the fields of a value of a sum type.
    pub fn tag(&self, value: Word) -> Result<i64, Failed> {
        Ok(self.array::<i64>(value, 1)?[0])
    }

    /// The fields of a value of a sum type; as many as its constructor has.
    pub fn fields(&self, value: Word, n_fields: usize) -> Result<&[Word], Failed> {
        Ok(&self.array::<Word>(value, n_fields + 1)?[1..])
    }

    /// Whether they should not be kept for long: too many are.
    pub fn is_scarce(&self) -> bool {
        Arena::is_scarce()
    }

    /// Makes them outlive the arguments. The extents say how long each array is, `None` that a result
    /// is a scalar; there are no values of sum types.
    pub fn keep(self, extents: &[Option<Extent>]) -> Result<Kept, Failed> {
        let Results { words, mut memory, .. } = self;
        memory.arena.keep();
        let others = std::mem::take(&mut memory.others);
        let mut copies: Vec<(usize, Vec<u64>)> = Vec::new();
        for (position, extent) in extents.iter().enumerate() {
            let Some(extent) = extent else { continue };
            let len = extent.len.checked_mul(extent.width).ok_or(BAD_ADDRESS)?;
            let word = words[position];
            let address = word.0.0 as usize;
            let inside = |it: &(usize, usize)| it.0 <= address && address + len <= it.1;
            if len == 0 || !others.iter().any(inside) {
                // Read once for its checks: what is kept can be read.
                memory.array::<u8>(word, len)?;
                continue;
            }
            let mut copy = vec![0u64; len.div_ceil(8)];
            // SAFETY: the range is within an argument, which is still there, and the copy is as long.
            unsafe {
                let from = std::ptr::with_exposed_provenance::<u8>(address);
                std::ptr::copy_nonoverlapping(from, copy.as_mut_ptr().cast(), len);
            }
            copies.push((position, copy));
        }
        let mut kept = Kept { words, memory, copies: Vec::new() };
        for (position, copy) in copies {
            let range = copy.as_ptr_range();
            kept.words[position] = Word(Slot::address(copy.as_ptr()));
            kept.memory.others.push((range.start.addr(), range.end.addr()));
            kept.copies.push(copy);
        }
        Ok(kept)
    }
}

impl Kept {
    /// The results, in order.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// The elements of an array.
    pub fn array<T: Element>(&self, start: Word, len: usize) -> Result<&[T], Failed> {
        self.memory.array(start, len)
    }
}

impl Owned {
    fn array<T: Element>(&self, start: Word, len: usize) -> Result<&[T], Failed> {
        if len == 0 {
            return Ok(&[]);
        }
        let address = usize::try_from(start.0.0).map_err(|_| BAD_ADDRESS)?;
        let bytes = len.checked_mul(size_of::<T>()).ok_or(BAD_ADDRESS)?;
        let end = address.checked_add(bytes).ok_or(BAD_ADDRESS)?;
        let arena = self.arena.start().addr();
        let own = (arena, arena + self.arena.len());
        let fits = |it: &(usize, usize)| it.0 <= address && end <= it.1;
        if !address.is_multiple_of(align_of::<T>()) || !(fits(&own) || self.others.iter().any(fits))
        {
            return Err(BAD_ADDRESS);
        }
        // SAFETY: the range is within the arena, whose pages are always readable and which nobody writes
        // to while it belongs to these results, or within an argument or a copy, which outlive the
        // reference. It is aligned, and any bits are a value of the type.
        Ok(unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address), len) })
    }
}
