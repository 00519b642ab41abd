//! What can go wrong between C text and a result.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;

/// Why there is no compiled program: a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// There is no C compiler where we looked.
    NoCompiler {
        /// What was looked for.
        name: String,
    },
    /// It does not accept what we gave it, or does not run.
    Compiler {
        /// The program.
        name: String,
        /// The first lines of what it said, or why it did not run.
        said: String,
    },
    /// Files cannot be written or read.
    Files {
        /// What was tried.
        doing: &'static str,
        /// Where.
        path: String,
        /// Why.
        reason: String,
    },
    /// It was compiled, but does not load.
    Load {
        /// Why.
        reason: String,
    },
    /// The system has no address space for the memory limit.
    Memory {
        /// The bytes asked for.
        bytes: usize,
    },
}

impl Unavailable {
    pub(crate) fn files(doing: &'static str, path: &Path, why: &io::Error) -> Unavailable {
        Unavailable::Files { doing, path: path.display().to_string(), reason: why.to_string() }
    }

    /// Of a compiler that was given up.
    pub(crate) fn unwanted(name: String) -> Unavailable {
        Unavailable::Compiler { name, said: "nobody wants what it makes".to_string() }
    }

    pub(crate) fn load(why: &libloading::Error) -> Unavailable {
        // What the system says is behind what failed.
        let mut reason = why.to_string();
        let mut source = why.source();
        while let Some(it) = source {
            reason = format!("{reason}: {it}");
            source = it.source();
        }
        Unavailable::Load { reason }
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unavailable::NoCompiler { name } => {
                write!(f, "there is no C compiler: `{name}` was not found")
            }
            Unavailable::Compiler { name, said } if said.is_empty() => {
                write!(f, "the C compiler `{name}` fails and says nothing")
            }
            Unavailable::Compiler { name, said } => {
                write!(f, "the C compiler `{name}` fails: {said}")
            }
            Unavailable::Files { doing, path, reason } => {
                write!(f, "cannot {doing} `{path}`: {reason}")
            }
            Unavailable::Load { reason } => write!(f, "compiled code does not load: {reason}"),
            Unavailable::Memory { bytes } => {
                write!(f, "the system does not reserve {bytes} bytes of memory")
            }
        }
    }
}

/// Why a call gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    /// A check of the program did not hold.
    Site {
        /// Its number in the module.
        site: usize,
        /// Its values.
        values: Vec<i64>,
    },
    /// The memory limit is reached; the bytes that were asked for.
    Memory {
        /// As far as they are known.
        bytes: Option<usize>,
    },
    /// No stack is left.
    Recursion {
        /// For which function of the module.
        function: usize,
    },
    /// Somebody asked to stop.
    Stopped,
    /// A draft has taken more steps than it is worth.
    Long,
    /// A bug of ours, found out in time.
    Malformed(&'static str),
}
