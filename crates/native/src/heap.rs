//! Values of sum types as compiled code has them, made by the caller: a tag and fields, in words.

use crate::abi::Slot;

/// Owns values of sum types and what they point to. Nothing in it moves.
#[derive(Default)]
pub struct Heap {
    blocks: Vec<Box<[u64]>>,
    /// Words of the last block that are used.
    used: usize,
}

/// Something in a [`Heap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer(pub(crate) Slot);

impl Pointer {
    /// An array without elements.
    pub fn nothing() -> Pointer {
        Pointer(Slot::nothing())
    }
}

/// A field of a value of a sum type.
#[derive(Clone, Copy, Debug)]
pub enum Field {
    /// A real.
    Real(f64),
    /// An integer, a text by its number.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A value of a sum type, or an array, of the same heap.
    Pointer(Pointer),
}

/// Words of a block; larger things have one of their own.
const BLOCK: usize = 1 << 12;

impl Heap {
    /// A value: its tag and fields.
    pub fn make(&mut self, tag: usize, fields: &[Field]) -> Pointer {
        let words = std::iter::once(tag as u64).chain(fields.iter().map(|it| it.slot().0));
        self.words(words, fields.len() + 1)
    }

    /// An array of reals.
    pub fn reals(&mut self, data: &[f64]) -> Pointer {
        self.words(data.iter().map(|it| it.to_bits()), data.len())
    }

    /// An array of reals of single precision.
    pub fn floats(&mut self, data: &[f32]) -> Pointer {
        let bytes: Vec<u8> = data.iter().flat_map(|it| it.to_ne_bytes()).collect();
        self.bytes(&bytes)
    }

    /// An array of integers.
    pub fn ints(&mut self, data: &[i64]) -> Pointer {
        self.words(data.iter().map(|it| it.cast_unsigned()), data.len())
    }

    /// An array of truth values.
    pub fn bools(&mut self, data: &[bool]) -> Pointer {
        let bytes: Vec<u8> = data.iter().map(|it| u8::from(*it)).collect();
        self.bytes(&bytes)
    }

    /// An array of values of sum types.
    pub fn pointers(&mut self, data: &[Pointer]) -> Pointer {
        self.words(data.iter().map(|it| it.0.0), data.len())
    }

    /// The ranges of addresses that it owns.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = (usize, usize)> {
        self.blocks.iter().map(|it| {
            let range = it.as_ptr_range();
            (range.start.addr(), range.end.addr())
        })
    }

    fn bytes(&mut self, bytes: &[u8]) -> Pointer {
        let word = |it: &[u8]| {
            let mut word = [0; 8];
            word[..it.len()].copy_from_slice(it);
            u64::from_ne_bytes(word)
        };
        self.words(bytes.chunks(8).map(word), bytes.len().div_ceil(8))
    }

    fn words(&mut self, words: impl Iterator<Item = u64>, len: usize) -> Pointer {
        if len == 0 {
            return Pointer::nothing();
        }
        if self.blocks.last().is_none_or(|it| it.len() - self.used < len) {
            self.blocks.push(vec![0; len.max(BLOCK)].into_boxed_slice());
            self.used = 0;
        }
        let block = self.blocks.last_mut().expect("there is one now");
        let place = &mut block[self.used..self.used + len];
        place.iter_mut().zip(words).for_each(|(place, word)| *place = word);
        self.used += len;
        Pointer(Slot::address(place.as_ptr()))
    }
}

impl Field {
    fn slot(self) -> Slot {
        match self {
            Field::Real(it) => Slot::real(it),
            Field::Int(it) => Slot::int(it),
            Field::Bool(it) => Slot::int(i64::from(it)),
            Field::Pointer(it) => it.0,
        }
    }
}
