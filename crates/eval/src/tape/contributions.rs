//! Contributions of scalars: to which identifier, by which factor. Twelve bytes each, in chunks, so
//! that a long tape is never copied.

use crate::error::Fault;
use crate::memory::{self, reserve};
use crate::tuning::{CHUNK, SPARE_CHUNKS};

/// Marks the first contribution of a scalar, so that nothing is stored for scalars themselves.
const FIRST: u32 = 1 << 31;
const CHUNK_BYTES: usize = CHUNK * (size_of::<u32>() + size_of::<f64>());
struct Chunk {
    targets: Vec<u32>,
    factors: Vec<f64>,
    charged: usize,
}

impl Chunk {
    fn new() -> Chunk {
        memory::charge(CHUNK_BYTES);
        let (targets, factors) = (Vec::with_capacity(CHUNK), Vec::with_capacity(CHUNK));
        Chunk { targets, factors, charged: CHUNK_BYTES }
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        memory::refund(self.charged);
    }
}

/// Contributions, those of one scalar after those of another.
pub(crate) struct Contributions {
    full: Vec<Chunk>,
    last: Chunk,
    /// How many contributions the last chunk can hold: none before the first one.
    room: usize,
    spare: Vec<Chunk>,
    /// How many were taken back.
    taken_back: u64,
}

impl Contributions {
    pub(super) fn new() -> Contributions {
        let last = Chunk { targets: Vec::new(), factors: Vec::new(), charged: 0 };
        Contributions { full: Vec::new(), last, room: 0, spare: Vec::new(), taken_back: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.full.len() * CHUNK + self.last.targets.len()
    }

    /// How many were ever added.
    pub(super) fn pushed(&self) -> u64 {
        self.taken_back + self.len() as u64
    }

    pub(super) fn bytes(&self) -> usize {
        self.len() * (size_of::<u32>() + size_of::<f64>())
    }

    /// Adds a contribution; `first` says whether the scalar had none before.
    #[inline]
    pub(crate) fn push(&mut self, target: u32, factor: f64, first: bool) -> Result<(), Fault> {
        if self.last.targets.len() == self.room {
            self.next_chunk()?;
        }
        self.last.targets.push(if first { target | FIRST } else { target });
        self.last.factors.push(factor);
        Ok(())
    }

    #[cold]
    fn next_chunk(&mut self) -> Result<(), Fault> {
        let next = match self.spare.pop() {
            Some(chunk) => chunk,
            None => {
                // Cotangents will need room too.
                reserve(Some(self.len() + CHUNK), size_of::<f64>())?;
                Chunk::new()
            }
        };
        let last = std::mem::replace(&mut self.last, next);
        if self.room > 0 {
            self.full.push(last);
        }
        self.room = CHUNK;
        Ok(())
    }

    /// Gives back what the last chunk does not need; it may still grow.
    pub(super) fn shrink(&mut self) {
        self.spare.clear();
        let Chunk { targets, factors, charged } = &mut self.last;
        targets.shrink_to_fit();
        factors.shrink_to_fit();
        let needed = targets.len() * (size_of::<u32>() + size_of::<f64>());
        memory::refund(*charged - needed);
        *charged = needed;
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.taken_back += (self.len() - len) as u64;
        while self.full.len() * CHUNK > len {
            let chunk = self.full.pop().expect("there is a full one");
            let mut old = std::mem::replace(&mut self.last, chunk);
            if self.spare.len() < SPARE_CHUNKS {
                old.targets.clear();
                old.factors.clear();
                self.spare.push(old);
            }
        }
        // The last chunk may be full itself.
        let rest = len - self.full.len() * CHUNK;
        self.last.targets.truncate(rest);
        self.last.factors.truncate(rest);
    }

    /// The contributions at some positions, in order, each with whether it is the first of its scalar.
    pub(crate) fn forwards(&self, from: usize, to: usize, mut f: impl FnMut(u32, f64, bool)) {
        for at in from..to {
            let chunk = self.full.get(at / CHUNK).unwrap_or(&self.last);
            let (target, factor) = (chunk.targets[at % CHUNK], chunk.factors[at % CHUNK]);
            f(target & !FIRST, factor, target & FIRST != 0);
        }
    }

    /// The contributions at some positions, last one first, each with whether it is the first of its
    /// scalar.
    pub(crate) fn backwards(&self, from: usize, to: usize, mut f: impl FnMut(u32, f64, bool)) {
        let mut end = to;
        while end > from {
            let number = (end - 1) / CHUNK;
            let chunk = self.full.get(number).unwrap_or(&self.last);
            let start = from.max(number * CHUNK);
            let range = start - number * CHUNK..end - number * CHUNK;
            let contributions = chunk.targets[range.clone()].iter().zip(&chunk.factors[range]);
            for (target, factor) in contributions.rev() {
                f(target & !FIRST, *factor, target & FIRST != 0);
            }
            end = start;
        }
    }
}
