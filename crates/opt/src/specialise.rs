//! From a program to one of first order, ir to ir: instances instead of type parameters, known
//! functions instead of function values.
//!
//! Starting from an entry point, definitions are gone through as if they were run, with values that
//! are known as far as functions are concerned (`value.rs`). A call becomes a call of an *instance*:
//! the definition for these types and these functions, made once, which takes in the place of a
//! function what that function captured. A function value that is applied is either put in place,
//! if it is small or mentioned once, or becomes an instance too. Where branches give different
//! functions, a value of a sum type says which one, and to apply it is to match (`choice.rs`).
//!
//! Requires: dialect Source, verified. The entry point has no type parameters in the types of its
//! parameters, and no functions in those of its parameters and results.
//! Ensures: dialect FirstOrder, the same results and the same errors at run time, in the same order;
//! the entry point has its name and its signature, where a type parameter, which nothing can be a value
//! of, is the empty tuple. The same program gives the same text.
//! Cost: work at most that of the input, and a match where a chosen function is applied. An instance
//! is as large as its definition with the functions that are applied once in it; the number of
//! instances is bounded, by a refusal.
//! A derivative operator becomes one of a definition: the instance of its function (`derive.rs`).
//! Not done: functions in sum types, functions that differ from step to step of a loop, recursive
//! definitions that give functions and operators on dual values are refused; tuples stay (`flatten`).
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
mod tangent;
mod value;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use base::{Mark, Name, Span};
use ir::{Block, Dialect, FunctionOp, Lambda, Op, Program, Type, Var, walk};

use crate::refusal::{Reason, Refusal};
use choice::Choice;
use instance::{Instance, Job, Key};
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
        if !Dialect::FirstOrder.allows_type(&ty) {
            return Err(refuse(Reason::FunctionAtEntry(binder.ty.clone())));
        }
    }
    let mut specialiser = Specialiser::new(program);
    specialiser.entry(def);
    while let Some(job) = specialiser.jobs.pop_front() {
        specialiser.run(job)?;
    }
    specialiser.finish()
}

/// The work on one program.
struct Specialiser<'p> {
    source: &'p Program,
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
    fn new(source: &'p Program) -> Specialiser<'p> {
        Specialiser {
            source,
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
    fn finish(self) -> Result<Program> {
        let mut needed = BTreeSet::new();
        for def in self.output.defs.values() {
            for binder in def.params.iter().chain(&def.results) {
                self.need(&binder.ty, &mut needed)?;
            }
            self.need_block(&def.body, &mut needed)?;
        }
        let mut output = self.output;
        output.datas.retain(|name, _| needed.contains(name));
        Ok(output)
    }

    fn need_block(&self, block: &Block, needed: &mut BTreeSet<Name>) -> Result<()> {
        for stmt in &block.stmts {
            for ty in stmt.binders.iter().map(|it| &it.ty).chain(walk::types(&stmt.op)) {
                self.need(ty, needed)?;
            }
            for (binders, block) in walk::blocks(&stmt.op) {
                binders.iter().try_for_each(|it| self.need(&it.ty, needed))?;
                self.need_block(block, needed)?;
            }
        }
        Ok(())
    }

    fn need(&self, ty: &Type, needed: &mut BTreeSet<Name>) -> Result<()> {
        if let Type::Data(name, ..) = ty
            && needed.insert(name.clone())
        {
            let decl = self.output.datas.get(name).expect("V7: sum types are declared");
            for field in decl.cons.iter().flat_map(|it| &it.fields) {
                if has_function(field) {
                    return refuse(None, Reason::StoredFunction);
                }
                self.need(field, needed)?;
            }
        }
        ty.parts().into_iter().try_for_each(|it| self.need(it, needed))
    }
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
