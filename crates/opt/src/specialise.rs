//! From a program towards one of first order, ir to ir: instances instead of type parameters, known
//! functions instead of function values, as far as functions are known before the program runs.
//!
//! Starting from an entry point, definitions are gone through as if they were run, with values that
//! are known as far as functions are concerned (`value.rs`). A call becomes a call of an *instance*:
//! the definition for these types and these functions, made once, which takes in the place of a
//! function what that function captured. A function value that is applied is either put in place,
//! if it is small or mentioned once, or becomes an instance too. Where branches give different
//! functions, a value of a sum type says which one, and to apply it is to match (`choice.rs`). What is
//! not known stays a function value (`residual.rs`), for `defunctionalise`.
//!
//! Requires: dialect Source, verified. The entry point has no type parameters in the types of its
//! parameters, and no functions in those of its parameters and results.
//! Ensures: dialect Monomorphic, the same results and the same errors at run time, in the same order;
//! the entry point has its name and its signature, where a type parameter, which nothing can be a value
//! of, is the empty tuple. The same program gives the same text.
//! Cost: work at most that of the input, and a match where a chosen function is applied. An instance
//! is as large as its definition with the functions that are applied once in it; the number of
//! instances is bounded, by a refusal.
//! A derivative operator becomes one of a definition: the instance of its function (`derive.rs`).
//! Not done: recursions whose types grow and operators on dual values are refused; tuples stay (`flatten`).
//! Nothing is simplified.
//! Tests: `crates/opt/tests/specialise/main.rs`; all examples: `crates/cotan/tests/specialise.rs`.
//!
//! Example. `twice` of a function that captured `x0`
//! ```text
//! x2: (Real) -> Real = lambda (x3: Real) { x4: Real = mul x3 x0 give x4 }
//! x5: Real = call twice<Real>(x2, x1)
//! ```
//! becomes a call of the instance `twice` of that function: `x2: Real = call twice(x0, x1)`.

mod body;
mod call;
mod choice;
mod control;
mod derive;
mod instance;
mod residual;
mod tangent;
mod value;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use base::{Mark, Name, Span};
use ir::{Block, CallGraph, Def, Dialect, FunctionOp, Lambda, Need, Op, Program, Type, Var, walk};

use crate::refusal::{Reason, Refusal};
use choice::Choice;
use instance::{Instance, Job, Key};
use residual::Place;
use value::Shape;

/// Instances that a program may need.
const MAX_INSTANCES: usize = 2000;

/// Statements that the result may have.
const MAX_STATEMENTS: usize = 500_000;

/// How deep instances may be made in the middle of others.
const MAX_DEPTH: usize = 100;

/// How deep functions may be put in the place of their application inside of others: one that applies
/// itself would be put there without end.
const MAX_IN_PLACE: usize = 1000;

/// The part of a program that an entry point needs, in first order.
pub fn specialise(program: &Program, entry: &Name) -> std::result::Result<Program, Refusal> {
    let refuse = |reason| Refusal { span: None, reason };
    let Some(def) = program.defs.get(entry) else {
        return Err(refuse(Reason::NoDefinition(entry.clone())));
    };
    if def.params.iter().any(|it| has_type_param(&it.ty)) {
        return Err(refuse(Reason::PolymorphicEntry(entry.clone())));
    }
    for binder in def.params.iter().chain(&def.results) {
        let ty = binder.ty.substitute(&|_| Some(Type::unit()), &|_| None);
        if !Dialect::FirstOrder.allows_type(&ty) || holds_function(program, &ty) {
            return Err(refuse(Reason::FunctionAtEntry(binder.ty.clone())));
        }
    }
    let recursive = CallGraph::new(program, &[Need::Call]).recursive();
    let mut left = BTreeSet::new();
    loop {
        let mut specialiser = Specialiser::new(program, &recursive, &left);
        let done = specialiser.all(def);
        match (done, specialiser.wanted.take()) {
            (Ok(()), _) => return Ok(specialiser.finish()),
            // Functions are left to run time at one place more, of finitely many.
            (Err(_), Some(place)) if !left.contains(&place) => drop(left.insert(place)),
            (Err(refusal), _) => return Err(refusal),
        }
    }
}

/// The work on one program.
struct Specialiser<'p> {
    source: &'p Program,
    /// The definitions that call themselves.
    recursive: &'p BTreeSet<Name>,
    /// Where functions are left to run time, and where they have to be.
    left: &'p BTreeSet<Place>,
    wanted: Option<Place>,
    /// The instance whose body is being made.
    making: Option<usize>,
    output: Program,
    instances: Vec<Instance>,
    known: BTreeMap<Key, usize>,
    /// Instances whose bodies are not made yet.
    jobs: VecDeque<Job>,
    /// How often each variable occurs, by definition of the source.
    uses: BTreeMap<Name, BTreeMap<ir::Var, usize>>,
    /// Sum types for functions of which one is chosen.
    choices: Vec<Choice>,
    known_choices: BTreeMap<Vec<Shape>, usize>,
    names: BTreeSet<Name>,
    n_statements: usize,
    depth: usize,
    in_place: usize,
}

type Result<T> = std::result::Result<T, Refusal>;

fn refuse<T>(span: Option<Span>, reason: Reason) -> Result<T> {
    Err(Refusal { span, reason })
}

impl<'p> Specialiser<'p> {
    fn new(
        source: &'p Program,
        recursive: &'p BTreeSet<Name>,
        left: &'p BTreeSet<Place>,
    ) -> Specialiser<'p> {
        Specialiser {
            source,
            recursive,
            left,
            wanted: None,
            making: None,
            output: Program { datas: source.datas.clone(), ..Program::default() },
            instances: Vec::new(),
            known: BTreeMap::new(),
            jobs: VecDeque::new(),
            uses: BTreeMap::new(),
            choices: Vec::new(),
            known_choices: BTreeMap::new(),
            names: BTreeSet::new(),
            n_statements: 0,
            depth: 0,
            in_place: 0,
        }
    }

    /// The entry point and all that it needs.
    fn all(&mut self, entry: &Arc<Def>) -> Result<()> {
        self.entry(entry);
        while let Some(job) = self.jobs.pop_front() {
            self.run(job)?;
        }
        Ok(())
    }

    /// A name for an instance: that of the definition, with a number if it is taken.
    fn name(&mut self, base: &Name) -> Name {
        let numbered = (1..).map(|number| base.with(Mark::Instance(number)));
        let numbered = numbered.filter(|it| !self.source.defs.contains_key(it));
        let mut names = std::iter::once(base.clone()).chain(numbered);
        let free = names.find(|it| !self.names.contains(it)).expect("numbers do not end");
        self.names.insert(free.clone());
        free
    }

    /// The program with the sum types that it needs.
    fn finish(self) -> Program {
        let mut needed = BTreeSet::new();
        for def in self.output.defs.values() {
            let binders = def.params.iter().chain(&def.results);
            binders.for_each(|it| need(&self.output, &it.ty, &mut needed));
            need_block(&self.output, &def.body, &mut needed);
        }
        let mut output = self.output;
        output.datas.retain(|name, _| needed.contains(name));
        output
    }
}

fn need_block(program: &Program, block: &Block, needed: &mut BTreeSet<Name>) {
    for stmt in &block.stmts {
        let types = stmt.binders.iter().map(|it| &it.ty).chain(walk::types(&stmt.op));
        types.for_each(|it| need(program, it, needed));
        for (binders, block) in walk::blocks(&stmt.op) {
            binders.iter().for_each(|it| need(program, &it.ty, needed));
            need_block(program, block, needed);
        }
    }
}

/// Adds the sum types that a type needs.
fn need(program: &Program, ty: &Type, needed: &mut BTreeSet<Name>) {
    if let Type::Data(name, ..) = ty
        && needed.insert(name.clone())
    {
        let decl = program.datas.get(name).expect("V7: sum types are declared");
        decl.cons.iter().flat_map(|it| &it.fields).for_each(|it| need(program, it, needed));
    }
    ty.parts().into_iter().for_each(|it| need(program, it, needed));
}

/// Whether functions are in values of the type, those in fields of sum types included.
fn holds_function(program: &Program, ty: &Type) -> bool {
    let mut needed = BTreeSet::new();
    need(program, ty, &mut needed);
    let fields = needed.iter().flat_map(|it| &program.datas[it].cons).flat_map(|it| &it.fields);
    fields.chain([ty]).any(has_function)
}

/// Whether a function occurs anywhere in the type.
fn has_function(ty: &Type) -> bool {
    matches!(ty, Type::Function(..)) || ty.parts().into_iter().any(has_function)
}

fn has_type_param(ty: &Type) -> bool {
    matches!(ty, Type::Var(_)) || ty.parts().into_iter().any(has_type_param)
}

/// The variables that types mention in a function.
fn size_vars(lambda: &Lambda) -> BTreeSet<Var> {
    fn of_block(block: &Block, res: &mut BTreeSet<Var>) {
        for stmt in &block.stmts {
            res.extend(stmt.binders.iter().flat_map(|it| it.ty.size_vars()));
            for (binders, block) in walk::blocks(&stmt.op) {
                res.extend(binders.iter().flat_map(|it| it.ty.size_vars()));
                of_block(block, res);
            }
        }
    }
    let mut res = lambda.params.iter().flat_map(|it| it.ty.size_vars()).collect();
    of_block(&lambda.body, &mut res);
    res
}

/// How many statements a block has, at any depth.
fn n_statements(block: &Block) -> usize {
    let inside = |op: &Op| -> usize { walk::blocks(op).iter().map(|it| n_statements(it.1)).sum() };
    block.stmts.iter().map(|it| 1 + inside(&it.op)).sum()
}

/// Whether a function value is applied anywhere in a block.
fn applies(block: &Block) -> bool {
    let inside = |op: &Op| walk::blocks(op).iter().any(|it| applies(it.1));
    block
        .stmts
        .iter()
        .any(|it| matches!(it.op, Op::Function(FunctionOp::Apply(..))) || inside(&it.op))
}
