//! Errors that compiled code found, told by the interpreter, which also knows names and calls: a call
//! leaves nothing behind, so it can be made again.

use base::Diagnostic;
use eval::{Fault, RunError, Value};

use crate::backend::Backend;
use crate::compiler::Compiled;
use crate::machine::release_memory;
use crate::signature::Signature;
use crate::tuning::MOST_RETOLD;

impl Compiled {
    /// The error as the interpreter tells it; as it is if that takes long, says something else, or a back
    /// end that compiles was asked for, which is trusted but for the recursion that is too deep: what its
    /// code called last may be another one.
    pub(crate) fn retold(
        &mut self,
        error: RunError,
        signature: &Signature,
        sizes: &[i64],
        values: Vec<Value>,
    ) -> Vec<Diagnostic> {
        let is_asked = match self.options.backend == Backend::Auto {
            true => has_more_to_tell(&error.fault),
            false => matches!(error.fault, Fault::Recursion { .. }),
        };
        if is_asked {
            // Both calls together may hold what one may.
            release_memory();
            let stop = self.stop.clone();
            // The program has said what it says.
            let told = stop
                .telling()
                .quietly(|| self.interpreted_within(MOST_RETOLD, signature, sizes, values));
            let is_same = |it: &[Diagnostic]| it.iter().all(|it| it.code == error.fault.code());
            if let Some(told) = told.err().filter(|it| is_same(it)) {
                return told;
            }
        }
        vec![error.to_diagnostic(signature.span)]
    }
}

/// Whether it is a fault of the program, at some place of it.
fn has_more_to_tell(fault: &Fault) -> bool {
    match fault {
        Fault::Index { .. }
        | Fault::DivisionByZero
        | Fault::Recursion { .. }
        | Fault::NoGreatest
        | Fault::NegativeSize(_)
        | Fault::TooLarge
        | Fault::Slice { .. }
        | Fault::Reshape { .. }
        | Fault::Sizes { .. }
        | Fault::NegativePower(_)
        | Fault::Tangent(_)
        | Fault::Cotangent(_)
        | Fault::EqualFunctions => true,
        Fault::Memory { .. }
        | Fault::Tape { .. }
        | Fault::EndlessClause(_)
        | Fault::Stopped
        | Fault::Malformed(_) => false,
    }
}
