//! The value of an answer that compiled code gave: made when somebody asks for it.

use std::fmt;
use std::sync::{Arc, OnceLock};

use check::Type;
use eval::Value;

use super::{Few, Left, Machine};
use crate::answer::Numbers;

/// A value where compiled code left it.
pub(crate) struct Lazy {
    machine: Arc<Machine>,
    left: Left,
    value: OnceLock<Value>,
}

impl fmt::Debug for Lazy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

impl Lazy {
    pub(crate) fn new(machine: Arc<Machine>, left: Left) -> Lazy {
        Lazy { machine, left, value: OnceLock::new() }
    }

    /// The value.
    pub(crate) fn value(&self) -> &Value {
        self.value.get_or_init(|| self.machine.value(self.left.values()))
    }

    /// Each real and each array of reals, if they can be had without making the value.
    pub(crate) fn slices(&self) -> Option<Vec<&[f64]>> {
        match &self.left {
            Left::InPlace(it) => Some(it.slices(self.machine.n_sizes())),
            Left::One(_) | Left::Values(_) => None,
        }
    }

    /// The numbers of the result, if they can be had without making the value.
    pub(crate) fn numbers(&self) -> Option<Few<Numbers<'_>>> {
        match &self.left {
            Left::InPlace(it) => Some(it.numbers(self.machine.n_sizes())),
            Left::One(_) | Left::Values(_) => None,
        }
    }

    /// Shape and elements, if it is an array of reals that can be had without making the value.
    pub(crate) fn reals(&self, ty: &Type) -> Option<(&[usize], &[f64])> {
        let mut inner = ty;
        while let Type::Array(_, elem) = inner {
            inner = elem;
        }
        match &self.left {
            Left::InPlace(it) if *inner == Type::Real => it.reals(self.machine.n_sizes()),
            Left::InPlace(_) | Left::One(_) | Left::Values(_) => None,
        }
    }
}
