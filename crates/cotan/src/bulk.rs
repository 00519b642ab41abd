//! Method `bulk`: an entry point as a program without derivative operators, made once.
//!
//! The order of its passes: specialise (functions and types become known), flatten (tuples are gone),
//! `ad::bulk::resolve` (derivatives become definitions, from the inside out; it asks for each of them
//! to be brought into the form that it differentiates), and once more that form for the whole.

use std::collections::BTreeSet;
use std::sync::Arc;

use ad::bulk::Refused;
use base::Name;
use eval::{Evaluator, RunError, Value};
use ir::{Block, Dialect, Op, Program, walk};

use crate::options::Options;
use crate::pass::OnDemand;
use crate::pipeline;
use crate::spread::Spread;

/// Whether `--via auto` takes this method where it can.
pub(crate) const CHOSEN_BY_AUTO: bool = false;

/// An entry point, compiled.
pub(crate) struct Bulk {
    /// The program without derivative operators.
    pub(crate) program: Program,
    pub(crate) entry: Name,
    pub(crate) spread: Spread,
}

/// How an entry point runs.
pub(crate) enum Way {
    /// There is nothing to differentiate.
    Plain,
    /// The method does not accept it.
    Refused(Refused),
    /// By a program of its own.
    Ready(Box<Runner>),
}

/// A compiled entry point that runs.
pub(crate) struct Runner {
    entry: Name,
    spread: Spread,
    pub(crate) evaluator: Evaluator,
}

impl Way {
    /// The way of an entry point.
    pub(crate) fn of(program: &Program, entry: &Name, options: Options) -> Way {
        if !reaches_derivative(program, entry) {
            return Way::Plain;
        }
        match compile(program, entry) {
            Ok(bulk) => Way::Ready(Box::new(Runner::new(bulk, options))),
            Err(refused) => Way::Refused(refused),
        }
    }
}

impl Runner {
    fn new(bulk: Bulk, options: Options) -> Runner {
        let program = Arc::new(bulk.program);
        let evaluator = Evaluator::new(program, Box::new(OnDemand), options.limits());
        Runner { entry: bulk.entry, spread: bulk.spread, evaluator }
    }

    /// The results of a call.
    pub(crate) fn call(&mut self, sizes: &[i64], args: &[Value]) -> Result<Vec<Value>, RunError> {
        self.evaluator.reset_cost();
        let args = self.spread.arguments(args);
        let results = self.evaluator.call(&self.entry, sizes, args)?;
        Ok(self.spread.results(results))
    }
}

/// Compiles an entry point.
pub(crate) fn compile(program: &Program, entry: &Name) -> Result<Bulk, Refused> {
    let flat = first_order(program, entry)?;
    let spread = Spread::new(&flat, entry);
    let program = resolved(flat.program, entry)?;
    let program = prepared(program);
    Ok(Bulk { program, entry: entry.clone(), spread })
}

/// What the entry point needs, in first order and without tuples.
pub(crate) fn first_order(program: &Program, entry: &Name) -> Result<opt::Flat, Refused> {
    let special = opt::specialise(program, entry).map_err(refused)?;
    pipeline::verify_as(&special, Dialect::FirstOrder, "specialise");
    let flat = opt::flatten(&special, entry).map_err(refused)?;
    pipeline::verify_as(&flat.program, Dialect::FirstOrder, "flatten");
    Ok(flat)
}

/// The same without derivative operators.
pub(crate) fn resolved(program: Program, entry: &Name) -> Result<Program, Refused> {
    let mut prepare = |program: Program, _: &Name| prepared(program);
    let program = ad::bulk::resolve(program, entry, &mut prepare)?;
    pipeline::verify_as(&program, Dialect::FirstOrder, "resolve");
    if program.defs.values().any(|it| has_derivative(&it.body)) {
        let reason = "a derivative operator is left".to_string();
        return Err(Refused { span: None, reason });
    }
    Ok(program)
}

/// Operations on whole arrays instead of `build`, and simplified.
pub(crate) fn prepared(program: Program) -> Program {
    program
}

fn refused(refusal: opt::Refusal) -> Refused {
    Refused { span: refusal.span, reason: refusal.reason.to_string() }
}

/// Whether a derivative operator is in what an entry point needs.
fn reaches_derivative(program: &Program, entry: &Name) -> bool {
    let mut seen = BTreeSet::from([entry.clone()]);
    let mut open = vec![entry.clone()];
    while let Some(name) = open.pop() {
        let Some(def) = program.defs.get(&name) else { continue };
        if has_derivative(&def.body) {
            return true;
        }
        calls(&def.body, &mut |it| {
            if seen.insert(it.clone()) {
                open.push(it.clone());
            }
        });
    }
    false
}

fn calls(block: &Block, found: &mut dyn FnMut(&Name)) {
    for stmt in &block.stmts {
        if let Op::Call { def, .. } = &stmt.op {
            found(def);
        }
        walk::blocks(&stmt.op).into_iter().for_each(|it| calls(it.1, found));
    }
}

fn has_derivative(block: &Block) -> bool {
    let inside = |op| walk::blocks(op).iter().any(|it| has_derivative(it.1));
    let is_derivative = |op: &Op| matches!(op, Op::Derive { .. } | Op::Derivative { .. });
    block.stmts.iter().any(|it| is_derivative(&it.op) || inside(&it.op))
}
