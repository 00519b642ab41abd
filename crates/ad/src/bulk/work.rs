//! What is known and made while a program is differentiated.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use base::{Name, Span};
use ir::{Atom, Binder, Def, FunctionOp, Op, Program, Size, Stmt, Var};

use super::operators::Run;
use super::{Mode, Refused};
use crate::linear::code::{Code, atoms, block};
use crate::linear::term::Linearised;

/// The work on one program, which grows.
pub(crate) struct Work {
    pub(crate) code: Code,
    pub(crate) mode: Mode,
    pub(crate) method: Method,
    /// Which results of a definition depend on active parameters.
    pub(crate) active: BTreeMap<Masked, Vec<bool>>,
    /// Set while [`Work::active`] is being solved and not at a fixed point.
    pub(crate) unsettled: Option<bool>,
    linearised: BTreeMap<Masked, Rc<Linearised>>,
    pub(crate) callees: BTreeMap<(Keeps, Masked), Rc<Callee>>,
    /// Derivatives of definitions that are made: by `vjp` or `jvp`.
    pub(crate) derived: BTreeMap<(&'static str, Name, Vec<bool>), Name>,
    /// Definitions that run along with their tangents: how many parameters and results are no tangents.
    pub(super) along: BTreeMap<Name, (usize, usize)>,
    pub(crate) customs: BTreeMap<Name, CustomNames>,
    /// Points whose runs are shared, in the blocks that are open, and how many these are.
    pub(super) kept: Vec<Kept>,
    pub(super) depth: usize,
    /// Definitions that are to be made.
    pub(crate) jobs: Vec<Job>,
    /// The first thing found that cannot be differentiated.
    pub(crate) refused: Option<Refused>,
}

/// A definition with some of its parameters active.
pub(crate) type Masked = (Name, Vec<bool>);

/// Makes a definition that has been declared.
pub(crate) type Job = Box<dyn FnOnce(&mut Work)>;

/// What differs from method to method.
#[derive(Clone, Copy)]
pub(crate) struct Method {
    /// The Delta term of a definition.
    pub(crate) linearise: fn(&mut Work, &Arc<Def>, &[bool]) -> Linearised,
    /// Makes `f.jvp`, under this name.
    pub(crate) jvp: fn(&mut Work, &Arc<Def>, &[bool], &Name),
    /// Makes `f.vjp`, under this name.
    pub(crate) vjp: fn(&mut Work, &Arc<Def>, &[bool], &Name),
    /// Makes what the pull-backs of callers call, if that is not made of a Delta term.
    pub(crate) pull_backs: Option<fn(&mut Work, &Rc<Callee>)>,
}

/// A definition at a point: its sizes, and what it captured and takes.
pub(super) type Point = (Name, Vec<Size>, Vec<Atom>);

/// A point that comes again in a block.
pub(super) struct Kept {
    pub(super) point: Point,
    /// How many blocks are around that block.
    pub(super) depth: usize,
    /// The run, after the first operator.
    pub(super) run: Option<Run>,
}

/// The linear definitions of one that has a derivative of its own.
#[derive(Clone, Debug)]
pub(crate) struct CustomNames {
    pub(crate) lin: Name,
    pub(crate) rev: Name,
}

/// What a run of a definition is kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Keeps {
    /// Cotangents: there is `f.rev`.
    PullBacks,
    /// Tangents too: there are `f.lin` and `f.rev`.
    BothWays,
}

/// How a definition is called by the derivative of another one: `f.fwd` computes and saves, `f.lin`
/// takes tangents to tangents, `f.rev` cotangents to cotangents.
#[derive(Debug)]
pub(crate) struct Callee {
    pub(crate) def: Arc<Def>,
    pub(crate) mask: Vec<bool>,
    pub(crate) keeps: Keeps,
    pub(crate) fwd: Name,
    pub(crate) lin: Name,
    pub(crate) rev: Name,
    /// The sum type of what is saved.
    pub(crate) saved: Name,
    /// Parameters and results that are mentioned as sizes outside, by their variables in the
    /// definition. All of them are parameters of `lin` and `rev`.
    pub(crate) outer_params: Vec<usize>,
    pub(crate) outer_results: Vec<usize>,
    /// Which results depend on active parameters.
    pub(crate) results: Vec<bool>,
}

impl Work {
    pub(crate) fn new(program: Program, mode: Mode, method: Method) -> Work {
        Work {
            code: Code::new(program),
            mode,
            method,
            active: BTreeMap::new(),
            unsettled: None,
            linearised: BTreeMap::new(),
            callees: BTreeMap::new(),
            derived: BTreeMap::new(),
            along: BTreeMap::new(),
            customs: BTreeMap::new(),
            kept: Vec::new(),
            depth: 0,
            jobs: Vec::new(),
            refused: None,
        }
    }

    /// The program as it has become.
    pub(crate) fn into_program(self) -> Program {
        self.code.builder.into_program()
    }

    pub(crate) fn def(&self, name: &Name) -> Arc<Def> {
        self.code.program().defs[name].clone()
    }

    /// Notes that something cannot be differentiated; what is made from then on is thrown away.
    pub(crate) fn refuse(&mut self, span: Option<Span>, reason: impl Into<String>) {
        self.refused.get_or_insert(Refused { span, reason: reason.into() });
    }

    /// D\[f\] of a definition, made once.
    pub(crate) fn linearise(&mut self, def: &Arc<Def>, mask: &[bool]) -> Rc<Linearised> {
        let key = (def.name.clone(), mask.to_vec());
        if let Some(known) = self.linearised.get(&key) {
            return known.clone();
        }
        let made = match self.code.program().customs.contains_key(&def.name) {
            true => (self.method.linearise)(self, &Arc::new(as_call(def)), mask),
            false => (self.method.linearise)(self, def, mask),
        };
        let made = Rc::new(made);
        self.linearised.insert(key, made.clone());
        made
    }

    /// Names that nothing has. What was made before is not used again: other passes may have changed
    /// it since.
    pub(crate) fn fresh_names<const N: usize>(
        &self,
        name: impl Fn(&str) -> [Name; N],
    ) -> [Name; N] {
        let program = self.code.program();
        let taken = |it: &Name| program.defs.contains_key(it) || program.datas.contains_key(it);
        let numbers = std::iter::once(String::new()).chain((2..).map(|it: u32| format!("_{it}")));
        let mut names = numbers.map(|number| name(&number));
        names.find(|it| !it.iter().any(taken)).expect("numbers do not end")
    }

    /// Makes the definitions that were asked for.
    pub(crate) fn finish_jobs(&mut self) {
        while let Some(job) = self.jobs.pop() {
            job(self);
        }
    }
}

/// The definition as a call of itself, so that its derivative is that of a call.
pub(crate) fn as_call(def: &Def) -> Def {
    let next = def.next_var;
    let fresh: Vec<Var> = (0..def.results.len() as u32).map(|at| Var(next + at)).collect();
    let given: Vec<Atom> = fresh.iter().map(|it| Atom::Var(*it)).collect();
    let types = ir::signature::instantiate(&def.results, &given);
    let binders = fresh.iter().zip(types).map(|(var, ty)| Binder { var: *var, ty }).collect();
    let sizes = def.size_params.iter().map(|it| Size::var(*it)).collect();
    let (name, args) = (def.name.clone(), atoms(&def.params));
    let op = Op::Function(FunctionOp::Call { def: name, types: Vec::new(), sizes, args });
    let body = block(vec![Stmt { binders, op }], given);
    Def { body, next_var: next + fresh.len() as u32, ..def.clone() }
}
