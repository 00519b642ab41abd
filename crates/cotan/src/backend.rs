//! The back ends, one table: what each is called, accepts and needs, and how it makes code of an entry point.
//!
//! The command line, `doctor`, `stages`, the fuzz program, the Python package and the manual read it. A new
//! back end is a variant of [`Backend`] and a row here; `auto` is a list of rows, [`TRIED_BY_AUTO`]. What else
//! a row touches:
//!
//! - Code that is called as C is, by the convention of `crates/native/src/abi.rs`, is a `Machine` as that of C
//!   is. So is that of `instant` (`machine/instant.rs`).
//! - Code with memory of its own (a GPU) has other arguments and results: `machine/enter.rs` and
//!   `machine/leave.rs` are about those of C, and the field `function` of `Machine` becomes one of two. Its
//!   schedule is one beside that of the CPU in `lower`.
//!
//! Nothing outside of `machine/` and of this file asks which back end it is, only whether it compiles.
//!
//! Tests: `crates/cotan/tests/back_ends.rs`.

use std::fmt::Write;

use base::Stop;

use crate::doctor::{self, Finding};
use crate::machine::{self, Machine, Patience, Refused, Wanted, Why};
use crate::method::Method;
use crate::options::Options;

/// A choice of back end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The first of those that accept the program: compiled code where there is a C compiler and the program
    /// can be compiled, else the interpreter. See `TRIED_BY_AUTO`.
    Auto,
    /// The interpreter.
    Interp,
    /// Compiled in memory, at once.
    Instant,
    /// Compiled by the C compiler of the system.
    Native,
}

/// A back end.
pub struct BackEnd {
    /// What the command line calls it.
    pub name: &'static str,
    /// What asks for it.
    pub backend: Backend,
    /// What it does, in one sentence without its end.
    pub about: &'static str,
    /// The programs that it accepts.
    pub accepts: &'static str,
    /// What the machine must have for it; empty if nothing.
    pub needs: &'static str,
    /// What it is the best choice for.
    pub take_it_for: &'static str,
    /// Whether that is a C compiler.
    pub(crate) needs_compiler: bool,
    /// Whether this build has it: features decide.
    pub is_built: bool,
    /// How it runs an entry point.
    pub(crate) runs: Runs,
    /// What it needs, and whether the machine has it.
    pub(crate) examine: fn(Options) -> Vec<Finding>,
}

/// How a back end runs an entry point.
#[derive(Clone, Copy)]
pub(crate) enum Runs {
    /// As it is: nothing is made before a call, and nothing is refused.
    Interpreted,
    /// By code that this makes, and that is called then.
    Compiled(Compile),
}

/// Makes code of an entry point, or says why not.
pub(crate) type Compile = fn(Wanted<'_>, Options, &Stop) -> Result<Machine, Refused>;

/// Every back end, the reference that the others are compared with first.
pub const BACK_ENDS: &[&BackEnd] = &[&INTERP, &INSTANT, &NATIVE];

/// What `auto` tries, in this order, of what this build has.
const TRIED_BY_AUTO: &[&BackEnd] = &[&NATIVE, &INSTANT, &INTERP];

const INTERP: BackEnd = BackEnd {
    name: "interp",
    backend: Backend::Interp,
    about: "an interpreter on flat buffers, the meaning of every program",
    accepts: "every program, by every method",
    needs: "",
    needs_compiler: false,
    take_it_for: "a reference; machines without a C compiler",
    is_built: true,
    runs: Runs::Interpreted,
    examine: |_| Vec::new(),
};

const INSTANT: BackEnd = BackEnd {
    name: "instant",
    backend: Backend::Instant,
    about: "the same loops as machine code in memory, on one thread and without vectors",
    accepts: "what `native` accepts, so every method but `tape`",
    needs: "a processor of the kind x86-64, and a build with the feature `instant`",
    needs_compiler: false,
    take_it_for: "a first result at once; machines without a C compiler",
    is_built: cfg!(all(feature = "instant", target_arch = "x86_64")),
    runs: Runs::Compiled(machine::compile_instantly),
    examine: doctor::examine_instant,
};

const NATIVE: BackEnd = BackEnd {
    name: "native",
    backend: Backend::Native,
    about: "loops, printed as C and compiled by the C compiler of the system",
    accepts: "what a method makes a program of first order of, so every method but `tape`",
    needs: "a C compiler (`cc`, or what `CC` says), once for every program",
    needs_compiler: true,
    take_it_for: "what takes longer than a moment",
    is_built: cfg!(feature = "native"),
    runs: Runs::Compiled(Machine::new),
    examine: doctor::examine_native,
};

impl BackEnd {
    /// Whether it runs programs by a method.
    pub fn accepts_method(&self, method: &Method) -> bool {
        match self.runs {
            Runs::Interpreted => true,
            Runs::Compiled(_) => method.passes().is_some(),
        }
    }

    /// Whether it makes code before it runs.
    pub fn compiles(&self) -> bool {
        match self.runs {
            Runs::Interpreted => false,
            Runs::Compiled(_) => true,
        }
    }
}

impl Backend {
    /// The choice that the command line calls so.
    pub fn named(name: &str) -> Option<Backend> {
        Backend::all().find(|it| it.name() == name)
    }

    /// What the command line calls it.
    pub fn name(self) -> &'static str {
        self.back_end().map_or("auto", |it| it.name)
    }

    /// Every choice there is.
    pub fn all() -> impl Iterator<Item = Backend> {
        [Backend::Auto].into_iter().chain(BACK_ENDS.iter().map(|it| it.backend))
    }

    /// The back end; none if the compiler chooses.
    pub fn back_end(self) -> Option<&'static BackEnd> {
        BACK_ENDS.iter().copied().find(|it| it.backend == self)
    }

    /// The back ends that are tried in turn.
    pub(crate) fn tried(self) -> impl Iterator<Item = &'static BackEnd> {
        let (chosen, auto) = match self.back_end() {
            Some(it) => (Some(it), &[] as &[&BackEnd]),
            None => (None, TRIED_BY_AUTO),
        };
        chosen.into_iter().chain(auto.iter().copied().filter(|it| it.is_built))
    }

    /// Whether one of those that are tried makes code, with a C compiler or without one.
    pub(crate) fn compiles(self, has_compiler: bool) -> bool {
        self.tried().any(|it| it.compiles() && (has_compiler || !it.needs_compiler))
    }

    /// Code by the first back end that makes any, or why none does. What one refuses for what is in the
    /// program, the others that make code refuse too.
    pub(crate) fn compile(
        self,
        mut wanted: Wanted<'_>,
        options: Options,
        stop: &Stop,
        has_compiler: bool,
    ) -> Result<Found, Refused> {
        // What is run once is there before a C compiler would have begun. Whether it is, and when it is given
        // up for fast code, are counts of steps: which code gives a result does not depend on the clock.
        if self == Backend::Auto && INSTANT.is_built {
            match machine::draft_instantly(wanted, options, stop) {
                Ok(Some(machine)) => return Ok(Found { machine, without: None }),
                Err(it) if it.why == Why::Program => return Err(it),
                Ok(None) | Err(_) => {}
            }
            // What takes too long for that takes too long for the interpreter.
            wanted.patience = Patience::Endless;
        }
        let mut without = None;
        for it in self.tried().filter(|it| has_compiler || !it.needs_compiler) {
            let Runs::Compiled(compile) = it.runs else { continue };
            match compile(wanted, options, stop) {
                Ok(machine) => return Ok(Found { machine, without }),
                Err(it) => match it.why {
                    Why::Program | Why::Dear(_) => return Err(it),
                    Why::Compiler => without = without.or(Some(it)),
                },
            }
        }
        Err(without.unwrap_or_else(machine::interpreted_only))
    }
}

/// Code, and why a back end before does not make it, if the C compiler is to blame.
pub(crate) struct Found {
    pub(crate) machine: Machine,
    pub(crate) without: Option<Refused>,
}

/// What `auto` runs programs by where there is no C compiler.
pub fn without_compiler() -> &'static str {
    match Backend::Auto.compiles(false) {
        true => "instant code",
        false => "the interpreter",
    }
}

/// In words, what `auto` runs programs by if all that compiled programs need is there, or not.
pub(crate) fn chosen(is_well: bool) -> String {
    let tried: Vec<&BackEnd> =
        Backend::Auto.tried().filter(|it| is_well || !it.needs_compiler).collect();
    let first = |compiles: bool| tried.iter().find(|it| it.compiles() == compiles);
    let (compiled, interpreted) = [true, false].map(|it| first(it).map(|it| it.name)).into();
    match compiled {
        None => interpreted.unwrap_or_default().to_string(),
        Some(it) => {
            let interpreted = interpreted.unwrap_or_default();
            format!("{it}, and {interpreted} for what {it} refuses")
        }
    }
}

/// The table of back ends in the manual.
pub fn manual() -> String {
    let mut res = "| back end | what it is | accepts | needs | take it for |\n".to_string();
    res += "|---|---|---|---|---|\n";
    for it in BACK_ENDS.iter().rev() {
        let BackEnd { name, about, accepts, needs, take_it_for, .. } = it;
        writeln!(res, "| `{name}` | {about} | {accepts} | {needs} | {take_it_for} |")
            .expect("a string takes everything");
    }
    let tried: Vec<String> = TRIED_BY_AUTO.iter().map(|it| format!("`{}`", it.name)).collect();
    let tried = tried.join(" where it can, otherwise ");
    res += &format!("| `auto` | {tried} | every program | | everything else |\n");
    res
}
