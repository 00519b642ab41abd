//! Calls that are made once: interpreted for as long as compiling them would take, see
//! `machine/patience.rs`; in a build with instant code, run by that.

use std::sync::Arc;

use base::Diagnostic;
use eval::Value;

use crate::answer::Answer;
use crate::argument::Bound;
use crate::backend::Backend;
use crate::compiler::Compiled;
use crate::machine::{Machine, Patience};
use crate::options::Effort;
use crate::prepared::Made;
use crate::signature::Signature;

/// What there is first: the answer, or the code that gives it.
pub(crate) enum InTime {
    /// The interpreter was done before the C compiler would have been.
    Answer(Answer),
    /// The code.
    Machine(Arc<Machine>),
    /// Nothing: the interpreter is to run it.
    Nothing,
}

impl Compiled {
    /// The code of a call, or its answer if interpreting it takes less time. Who was patient in vain is so
    /// again with better code.
    pub(crate) fn in_time(
        &mut self,
        patience: &mut Patience,
        signature: &Signature,
        sizes: &[i64],
        bound: &Bound,
        effort: Effort,
    ) -> Result<InTime, Vec<Diagnostic>> {
        let Signature { def, span, .. } = signature;
        loop {
            match self.machine_after(*patience, def, *span, Some(sizes), effort)? {
                Made::Machine(it) => return Ok(InTime::Machine(it)),
                Made::Nothing => return Ok(InTime::Nothing),
                Made::Dear(price) => {
                    let values = bound.values.clone();
                    if let Some(answer) = self.tried(price, signature, sizes, values)? {
                        return Ok(InTime::Answer(answer));
                    }
                    self.stop.telling().again();
                    *patience = Patience::After(price);
                }
            }
        }
    }

    /// How long a call waits for its code: what is run once and may be interpreted as well, no longer than
    /// that takes.
    pub(crate) fn patience(&self, effort: Effort, signature: &Signature) -> Patience {
        let is_run_once = match effort {
            Effort::Once => true,
            Effort::Fitting => signature.parameters.is_empty(),
            Effort::Full | Effort::Quick => false,
        };
        match self.options.backend == Backend::Auto && is_run_once {
            true => Patience::After(0),
            false => Patience::Endless,
        }
    }

    /// Has the interpreter call a definition, for so many operations. What does not fit into its memory or
    /// on its stack may fit into those of compiled code.
    pub(crate) fn tried(
        &mut self,
        operations: u64,
        signature: &Signature,
        sizes: &[i64],
        values: Vec<Value>,
    ) -> Result<Option<Answer>, Vec<Diagnostic>> {
        let is_room = |it: &Diagnostic| ["E0603", "E0604", "E0613"].contains(&it.code.0);
        match self.interpreted_within(operations, signature, sizes, values) {
            Err(errors) if errors.iter().any(is_room) => Ok(None),
            it => it,
        }
    }
}
