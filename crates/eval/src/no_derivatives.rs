//! For programs without derivative operators: nobody is asked for derivatives of them.

use base::Name;
use ir::{Binder, Def, Lambda, Program, Spans};

use crate::eval::Derive;

/// Panics if it is asked.
pub struct NoDerivatives;

impl Derive for NoDerivatives {
    fn forward_lambda(
        &self,
        _: &Program,
        _: &[Binder],
        _: &Lambda,
        _: u32,
        _: &Spans,
    ) -> (Lambda, u32, Spans) {
        panic!("there are no derivative operators")
    }

    fn def(&self, _: &Program, _: &Name) -> Option<Def> {
        panic!("there are no derivative operators")
    }

    fn reverse_lambda(
        &self,
        _: &Program,
        _: (&[Binder], &[bool]),
        _: &Lambda,
        _: u32,
        _: &Spans,
    ) -> (Lambda, u32, Spans) {
        panic!("there are no derivative operators")
    }
}
