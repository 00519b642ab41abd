//! What the interpreter is given for programs without derivatives.

use base::Name;
use eval::Derive;
use ir::{Binder, Def, Lambda, Program, Spans};

/// Programs of first order need no derivatives.
pub(crate) struct NoDerivatives;

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
