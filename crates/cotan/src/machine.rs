//! Entry points as machine code, for the back ends that compile (`backend.rs`).
//!
//! The order of passes: those of the method (`pipelines.rs`), which leave a program of first order without
//! derivative operators, then what makes code of it: `machine/code.rs`, or `machine/absent.rs` in a build
//! without the feature `native`, which refuses everything.

#[cfg(not(feature = "native"))]
mod absent;
#[cfg(feature = "native")]
mod ahead;
#[cfg(feature = "native")]
mod code;
#[cfg(feature = "native")]
mod enter;
#[cfg(feature = "native")]
mod fault;
#[cfg(feature = "instant")]
mod instant;
mod lazy;
#[cfg(feature = "native")]
mod leave;
mod patience;
#[cfg(feature = "native")]
mod recipe;
mod watch;

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Name, SourceMap, Span};
use ir::{Def, Program};
use smallvec::SmallVec;

use crate::options::{Checkpoints, Effort};

#[cfg(not(feature = "native"))]
pub(crate) use absent::{Entered, Input, Left, Machine, release_memory};
#[cfg(not(feature = "native"))]
pub use absent::{is_interrupted, stop_on_interrupt};
#[cfg(feature = "native")]
pub(crate) use ahead::Ahead;
#[cfg(feature = "native")]
pub(crate) use code::{Input, Machine, release_memory};
#[cfg(feature = "native")]
pub use code::{is_interrupted, stop_on_interrupt};
#[cfg(feature = "native")]
pub(crate) use enter::Entered;
#[cfg(feature = "instant")]
pub(crate) use instant::{compile as compile_instantly, draft as draft_instantly};
pub(crate) use lazy::Lazy;
#[cfg(feature = "native")]
pub(crate) use leave::Left;
pub(crate) use patience::Patience;
pub use watch::{Compiling, Watch};

/// Arguments and results that need no memory of their own.
pub(crate) type Few<T> = SmallVec<[T; 6]>;

/// One of several codes of an entry point: for a kind of sizes that it was called with, how much work went into
/// it, and what it keeps.
pub(crate) type Kind = (Option<Vec<i64>>, Effort, Checkpoints);

/// The machine code of an entry point.
pub(crate) type Machines = Result<BTreeMap<Kind, Arc<Machine>>, Refused>;

/// Sizes that stand for others of their kind, powers of four: loops are arranged for them.
pub(crate) fn typical(sizes: &[i64]) -> Vec<i64> {
    sizes.iter().map(|it| typical_size(*it)).collect()
}

/// The power of four that stands for a size.
pub(crate) fn typical_size(size: i64) -> i64 {
    (0..31).map(|it| 1 << (2 * it)).find(|it| size <= *it).unwrap_or(i64::MAX)
}

/// Why an entry point is not compiled.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    /// The place that is to blame, if there is one.
    pub(crate) span: Option<Span>,
    /// A part of a sentence.
    pub(crate) reason: String,
    /// What would help.
    pub(crate) help: &'static str,
    /// What it is about.
    pub(crate) why: Why,
}

/// What is in the way of compiling an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Something in the program.
    Program,
    /// The C compiler is missing or fails, so that nothing else is compiled either.
    Compiler,
    /// Nothing, but so many operations of the interpreter take as long as compiling it, and may be enough.
    Dear(u64),
}

const USE_INTERP: &str =
    "use the back end `interp`, which runs every program, or the back end `auto`, which chooses";

/// What is to be compiled.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// The texts that the program was made of.
    pub(crate) sources: &'a SourceMap,
    pub(crate) program: &'a Program,
    pub(crate) entry: &'a Name,
    /// The sizes that loops are arranged for.
    pub(crate) typical: Option<&'a [i64]>,
    /// Whether it is not worth fast code, and refused if it takes long.
    pub(crate) only_short: bool,
    /// What waiting for it is worth.
    pub(crate) patience: Patience,
    /// Who is told how long it takes.
    pub(crate) watch: &'a Watch,
}

impl Wanted<'_> {
    /// Whether every run takes more operations of the interpreter than the code is worth: one did, and
    /// without parameters all are the same.
    fn interpreted_in_vain(&self) -> bool {
        let is_constant = |it: &Arc<Def>| it.params.is_empty() && it.size_params.is_empty();
        let is_tried = match self.patience {
            Patience::After(done) => done > 0,
            Patience::Endless => false,
        };
        is_tried && self.program.defs.get(self.entry).is_some_and(is_constant)
    }
}

/// In a build without the feature `instant`: none.
#[cfg(not(feature = "instant"))]
pub(crate) fn compile_instantly(
    _: Wanted<'_>,
    _: crate::options::Options,
    _: &base::Stop,
) -> Result<Machine, Refused> {
    let reason = "this build of Cotan has no instant code".to_string();
    Err(Refused { span: None, reason, help: USE_INTERP, why: Why::Program })
}

/// As above.
#[cfg(not(feature = "instant"))]
pub(crate) fn draft_instantly(
    _: Wanted<'_>,
    _: crate::options::Options,
    _: &base::Stop,
) -> Result<Option<Machine>, Refused> {
    Ok(None)
}

/// C that is compiled while other code runs: none.
#[cfg(not(feature = "native"))]
pub(crate) enum Ahead {}

#[cfg(not(feature = "native"))]
impl Ahead {
    pub(crate) fn begin(
        _: Wanted<'_>,
        _: crate::options::Options,
        _: &base::Stop,
        _: std::time::Duration,
    ) -> Option<Ahead> {
        None
    }

    pub(crate) fn is_in_vain(_: Wanted<'_>, _: crate::options::Options) {}

    pub(crate) fn machine(self) -> Result<Machine, Refused> {
        match self {}
    }
}

/// Why nothing is compiled where only the interpreter was asked for.
pub(crate) fn interpreted_only() -> Refused {
    let reason = "the back end `interp` makes no code".to_string();
    Refused { span: None, reason, help: USE_INTERP, why: Why::Program }
}
