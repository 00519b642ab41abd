//! Calls of what says something: those that run at once do not mix what they say.

use super::entry::{Entry, Given};
use super::inputs::Inputs;
use crate::Stop;
use crate::report::Report;

impl Entry {
    /// Calls it.
    pub(super) fn held(&self, inputs: &impl Inputs, stop: &Stop) -> Result<Given, Report> {
        if !self.signature.tells {
            return self.held_by(inputs, stop);
        }
        let own = stop.of_one_call();
        let res = self.held_by(inputs, &own);
        if res.is_err() {
            own.telling().ended_early();
        }
        res
    }
}
