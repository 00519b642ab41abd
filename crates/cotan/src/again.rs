//! Calls that do not fit into memory are made again with checkpoints: on two levels, then on more.
//!
//! Compiled code asks for all that a counted loop is going to keep before its first step, so it finds out at
//! once that this is too much; a `while` finds out when memory is full. A call leaves nothing behind, so it
//! can be made again. The next call of the same definition begins with what was enough.

use base::{Diagnostic, Name};
use ir::{Block, ControlOp, Op, walk};
use opt::Checkpoints;

use crate::compiler::Compiled;
use crate::machine::release_memory;
use crate::options::Options;
use crate::parts::{reachable, reaches_derivative};
use crate::tuning::MOST_LEVELS;

/// Whether an error says that memory is short.
pub(crate) fn is_short(errors: &[Diagnostic]) -> bool {
    errors.iter().any(|it| it.code.0 == "E0603")
}

impl Compiled {
    /// How an entry point runs.
    pub(crate) fn options_of(&self, def: &Name) -> Options {
        let checkpoints = self.kept.checkpoints.get(def).copied();
        Options { checkpoints: checkpoints.unwrap_or(self.options.checkpoints), ..self.options }
    }

    /// Has an entry point that came to the end of memory keep less for the way back from now on; says
    /// whether there is anything to be had by that.
    pub(crate) fn keeps_less(&mut self, def: &Name) -> bool {
        let program = &self.checked.program;
        let has_loop = || {
            let names = reachable(program, def);
            names.iter().filter_map(|it| program.defs.get(it)).any(|it| has_loop(&it.body))
        };
        let may = self.options.via.saves() && reaches_derivative(program, def) && has_loop();
        let next = match self.options_of(def).checkpoints {
            Checkpoints::Marked => Checkpoints::All(2),
            Checkpoints::All(levels) if levels < MOST_LEVELS => Checkpoints::All(levels + 1),
            Checkpoints::All(_) => return false,
        };
        if may {
            self.kept.checkpoints.insert(def.clone(), next);
            self.kept.ways.remove(def);
            // Both calls together may hold what one may.
            release_memory();
        }
        may
    }
}

fn has_loop(block: &Block) -> bool {
    let inside = |op| walk::blocks(op).iter().any(|it| has_loop(it.1));
    let is_loop = |op: &Op| {
        matches!(
            op,
            Op::Control(
                ControlOp::Fold { .. } | ControlOp::Iterate { .. } | ControlOp::While { .. }
            )
        )
    };
    block.stmts.iter().any(|it| is_loop(&it.op) || inside(&it.op))
}
