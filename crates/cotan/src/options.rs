//! How programs run.

use std::num::NonZeroUsize;

pub use eval::Precision;
pub use opt::Checkpoints;

use crate::backend::Backend;
use crate::method::Via;

/// How programs run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The precision of `Real`.
    pub precision: Precision,
    /// The bytes that a running program may hold, at most 4 TiB.
    pub memory: u64,
    /// The method of differentiation.
    pub via: Via,
    /// What runs programs.
    pub backend: Backend,
    /// How many threads compiled programs use; `None` is as many as there are cores.
    pub threads: Option<NonZeroUsize>,
    /// How much work goes into compiled programs.
    pub effort: Effort,
    /// Which loops keep checkpoints for gradients. Where memory is short, all that are differentiated do
    /// in the end.
    pub checkpoints: Checkpoints,
}

/// How much work goes into compiled programs, ours and that of the C compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// All for what has parameters, so that it may be called often; else as by `Once`.
    Fitting,
    /// As much as one run is worth: little, and all if the run takes long then.
    Once,
    /// All.
    Full,
    /// All of ours, and little of the C compiler.
    Quick,
}

impl Default for Options {
    /// Double precision, 4 GiB, method and back end chosen by the compiler, all cores.
    fn default() -> Options {
        Options {
            precision: Precision::F64,
            memory: 4 << 30,
            via: Via::Auto,
            backend: Backend::Auto,
            threads: None,
            effort: Effort::Fitting,
            checkpoints: Checkpoints::Marked,
        }
    }
}

impl Options {
    /// As the interpreter wants them.
    pub(crate) fn limits(self) -> eval::Limits {
        eval::Limits { memory: self.bytes(), precision: self.precision, mode: self.via.mode() }
    }

    /// The memory limit.
    pub(crate) fn bytes(self) -> usize {
        usize::try_from(self.memory.min(MOST_MEMORY)).unwrap_or(usize::MAX)
    }

    /// The effort for what is going to be called often, whatever it is.
    pub(crate) fn lasting_effort(self) -> Effort {
        match self.effort {
            Effort::Fitting | Effort::Once | Effort::Full => Effort::Full,
            Effort::Quick => Effort::Quick,
        }
    }

    /// How many threads compiled programs use.
    pub(crate) fn n_threads(self) -> usize {
        let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.threads.unwrap_or_else(all).get()
    }
}

/// 4 TiB, for whoever asks for no limit: compiled code reserves addresses for all of it, once for
/// each thread, and there have to be as many. Where addresses have 32 bits, a quarter of them.
const MOST_MEMORY: u64 = if cfg!(target_pointer_width = "32") { 1 << 30 } else { 4 << 40 };
