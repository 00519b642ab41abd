//! The methods of differentiation, one table: what each is called, accepts and gives, and how it runs.
//!
//! The command line, `gradcheck`, `stages`, the random laws and the manual read it. A new method is a
//! variant of [`Via`], a row here, a row of the random laws and a page of the book.

use std::fmt::Write;

use base::Name;
use ir::{Dialect, Program};

use crate::pass::Titled;
use crate::pipelines::{
    FORWARD_BEFORE, MAPS, MIXED, PULL_BACKS, SHOW_FORWARD, SHOW_GRADIENT, SHOW_MAPS,
    SHOW_PULL_BACKS, SHOW_TAPE, Step,
};

/// A choice of method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// The first of those that accept the program: see `TRIED_BY_AUTO`.
    Auto,
    /// Dual numbers: the function is run in the direction of each number.
    Forward,
    /// Gradients by a tape, one recorded run and one sweep for each cotangent; directional
    /// derivatives by dual numbers.
    Tape,
    /// Derivatives that are made before the program runs, as a program.
    Bulk,
    /// Derivatives as a program, by pull-backs: every term with its value and a linear function back.
    Chad,
    /// Derivatives as a program, by linear maps that laws simplify.
    Linmap,
}

/// A method of differentiation.
pub struct Method {
    /// What the command line calls it.
    pub name: &'static str,
    /// What asks for it.
    pub via: Via,
    /// What it does, in one sentence without its end.
    pub about: &'static str,
    /// The programs that it accepts.
    pub accepts: Accepts,
    /// What a gradient is by this method.
    pub gives: &'static str,
    /// The memory that a gradient takes.
    pub memory: &'static str,
    /// What it is the best choice for.
    pub take_it_for: &'static str,
    /// How the interpreter runs it.
    pub(crate) interpreted: Interpreted,
    /// The passes that make a program without derivative operators for compiled code; none if only the
    /// interpreter runs the method.
    pub(crate) compiled: Option<&'static [Step]>,
    /// What `stages` shows before these passes, of a definition of the source: titles and texts.
    pub(crate) introduction: Option<fn(&Program, &Name) -> Titled>,
    /// The passes that `stages` shows: from a definition to its derivative by all parameters.
    pub(crate) stages: &'static [Step],
}

/// What a method accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepts {
    /// What it differentiates: a source program as it is, or one that passes bring into this dialect.
    pub dialect: Dialect,
    /// What is refused, as the end of "all but"; empty if nothing is.
    pub all_but: &'static str,
}

impl Method {
    /// The passes that make a program without derivative operators; none if the interpreter alone runs the
    /// method, as it goes.
    pub fn passes(&self) -> Option<&'static [Step]> {
        self.compiled
    }
}

/// How the interpreter runs a method.
#[derive(Clone, Copy)]
pub(crate) enum Interpreted {
    /// It meets derivative operators, runs them by a mode, and asks for code when it needs it.
    OnDemand(eval::Mode),
    /// These passes make a program without derivative operators before anything runs.
    Before(&'static [Step]),
}

/// Every method, the reference that the others are compared with first.
pub const METHODS: &[&Method] = &[&FORWARD, &TAPE, &BULK, &CHAD, &LINMAP];

/// What `auto` tries, in this order: `bulk` makes the fastest gradients, and `tape` accepts every program.
const TRIED_BY_AUTO: &[&Method] = &[&BULK, &TAPE];

const FORWARD: Method = Method {
    name: "forward",
    via: Via::Forward,
    about: "dual numbers: every real carries its tangent",
    accepts: Accepts { dialect: Dialect::Source, all_but: "" },
    gives: "runs in the direction of each number of the argument",
    memory: "that of the program",
    take_it_for: "functions of a few numbers; loops so long that what they did does not fit",
    interpreted: Interpreted::OnDemand(eval::Mode::Forward),
    compiled: Some(FORWARD_BEFORE),
    introduction: None,
    stages: SHOW_FORWARD,
};

const TAPE: Method = Method {
    name: "tape",
    via: Via::Tape,
    about: "dual numbers: every real carries a Delta, how it depends on the input",
    accepts: Accepts { dialect: Dialect::Source, all_but: "" },
    gives: "one recorded run and one sweep back, however many numbers the argument has",
    memory: "about 20 bytes for each operand that depends on the argument, until the sweep is done",
    take_it_for: "derivatives whose order only running tells; programs that run once",
    interpreted: Interpreted::OnDemand(eval::Mode::Reverse),
    compiled: None,
    introduction: None,
    stages: SHOW_TAPE,
};

const BULK: Method = Method {
    name: "bulk",
    via: Via::Bulk,
    about: "operations on whole arrays: the Delta term of a definition is a program, and so is its \
            transpose",
    accepts: Accepts {
        dialect: Dialect::FirstOrder,
        all_but: "derivatives whose order only running tells, and recursions whose types grow",
    },
    gives: "a program of its own, made once before anything runs: operations on whole arrays, and a \
            way back that takes a few times the work of the way there",
    memory: "that of the program, and the values that the way back needs",
    take_it_for: "gradients",
    interpreted: Interpreted::Before(MIXED),
    compiled: Some(MIXED),
    introduction: None,
    stages: SHOW_GRADIENT,
};

const CHAD: Method = Method {
    name: "chad",
    via: Via::Chad,
    about: "pull-backs: every term becomes its value and a linear function from its cotangent to \
            those of the environment",
    accepts: BULK.accepts,
    gives: "a program of its own, made once before anything runs: each statement, and its pull-back, \
            which adds to the cotangents of the operands",
    memory: "that of the program, and the values that the way back needs",
    take_it_for: "a second opinion on `bulk`, which it shares only the linear core with",
    interpreted: Interpreted::Before(PULL_BACKS),
    compiled: Some(PULL_BACKS),
    introduction: Some(ad::chad::paper::stages),
    stages: SHOW_PULL_BACKS,
};

const LINMAP: Method = Method {
    name: "linmap",
    via: Via::Linmap,
    about: "linear maps: the derivative of a definition is a map, which laws simplify; forward mode \
            applies it, and reverse mode its transpose",
    accepts: BULK.accepts,
    gives: "a program of its own, as by `bulk`, made of the linear map of each statement",
    memory: "as `bulk`",
    take_it_for: "looking at a derivative as a map; Jacobians that are diagonal",
    interpreted: Interpreted::Before(MAPS),
    compiled: Some(MAPS),
    introduction: None,
    stages: SHOW_MAPS,
};

impl Via {
    /// The choice that the command line calls so.
    pub fn named(name: &str) -> Option<Via> {
        Via::all().find(|it| it.name() == name)
    }

    /// What the command line calls it.
    pub fn name(self) -> &'static str {
        self.method().map_or("auto", |it| it.name)
    }

    /// Every choice there is.
    pub fn all() -> impl Iterator<Item = Via> {
        [Via::Auto].into_iter().chain(METHODS.iter().map(|it| it.via))
    }

    /// The method; none if the compiler chooses.
    pub fn method(self) -> Option<&'static Method> {
        METHODS.iter().copied().find(|it| it.via == self)
    }

    /// The methods that are tried in turn.
    pub(crate) fn tried(self) -> Vec<&'static Method> {
        match self.method() {
            Some(method) => vec![method],
            None => TRIED_BY_AUTO.to_vec(),
        }
    }

    /// How the interpreter runs derivative operators that nothing took away before.
    pub(crate) fn mode(self) -> eval::Mode {
        let on_demand = |it: &&Method| match it.interpreted {
            Interpreted::OnDemand(mode) => Some(mode),
            Interpreted::Before(_) => None,
        };
        // Where all are taken away, none is left.
        self.tried().iter().find_map(on_demand).unwrap_or(eval::Mode::Reverse)
    }

    /// Whether the interpreter may run programs that are made before.
    pub(crate) fn makes_programs(self) -> bool {
        self.tried().iter().any(|it| match it.interpreted {
            Interpreted::OnDemand(_) => false,
            Interpreted::Before(_) => true,
        })
    }

    /// Whether gradients are programs that save what the way back needs, which is less with checkpoints.
    pub(crate) fn saves(self) -> bool {
        self.makes_programs()
    }

    /// The passes that compiled code is made by; none if only the interpreter runs the method.
    pub(crate) fn compiled(self) -> Option<&'static [Step]> {
        self.tried().iter().find_map(|it| it.compiled)
    }
}

impl Accepts {
    /// In words.
    fn words(self) -> String {
        match self.all_but {
            "" => "every program".to_string(),
            it => format!("all but {it}"),
        }
    }
}

/// The table of methods in the manual.
pub fn manual() -> String {
    let mut res = "| method | a gradient is | accepts | memory | take it for |\n".to_string();
    res += "|---|---|---|---|---|\n";
    for it in METHODS.iter().rev() {
        let Method { name, gives, memory, take_it_for, .. } = it;
        let accepts = it.accepts.words();
        writeln!(res, "| `{name}` | {gives} | {accepts} | {memory} | {take_it_for} |")
            .expect("a string takes everything");
    }
    let tried: Vec<String> = TRIED_BY_AUTO.iter().map(|it| format!("by `{}`", it.name)).collect();
    let tried = tried.join(" where it can, otherwise ");
    res += &format!("| `auto` | {tried} | every program | | everything else |\n");
    res
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_has_a_name_and_is_found_by_it() {
        for via in Via::all() {
            assert_eq!(Via::named(via.name()), Some(via));
        }
        assert_eq!(Via::named("magic"), None);
    }

    /// `auto` refuses nothing: what it tries last accepts every program.
    #[test]
    fn auto_accepts_every_program() {
        let last = TRIED_BY_AUTO.last().expect("auto tries something");
        assert_eq!(last.accepts, Accepts { dialect: Dialect::Source, all_but: "" });
    }

    /// The first method is what `gradcheck` and the laws compare the others with.
    #[test]
    fn the_reference_accepts_every_program() {
        assert_eq!(METHODS[0].accepts.words(), "every program");
    }
}
