//! Vector forward mode: derivatives in several directions by one run.
//!
//! The runs of D[f] in several directions differ in tangents only, and whatever is computed of primal parts is
//! the same in all of them. So they go in step: one run, in which a tangent is a real in *lanes*, one for
//! each direction (`kernels/lanes.rs`). D[f] is the code of one direction, as it is, and so is what it does
//! in a lane: results are those of a run for each direction, to the bit.
//!
//! Paper: Revels, Lubin, Papamarkou, Forward-mode automatic differentiation in Julia, 2016: vector forward mode,
//! with chunks of directions.
//! Cost: that of primal parts once, and that of tangents for each direction.
//! Not done: what runs might do differently in each direction, derivative operators inside, and functions
//! as results: then there is a run for each direction.
//! Tests: `crates/cotan/tests/directions.rs`; the cost: `crates/cotan/tests/cost.rs`.

use std::ops::Range;
use std::sync::Arc;

use base::Name;
use ir::signature::derived_of;
use ir::{Block, DeriveOp, FunctionOp, Op, Program, walk as ir_walk};
use rustc_hash::FxHashSet;

use crate::closure::Closure;
use crate::code::LambdaCode;
use crate::error::{Failure, Fault};
use crate::eval::Evaluator;
use crate::kept::locked;
use crate::kernels::lanes::{apart, lane};
use crate::point::Point;
use crate::tree::{Leaves, join, split, walk};
use crate::value::Value;

/// Of runs in step: the value, and the tangents in all directions.
pub(crate) struct InStep {
    pub(crate) value: Value,
    tangents: Value,
}

impl InStep {
    /// The tangent in one of the directions; leaves are of that level.
    pub(crate) fn tangent(&self, level: u32, number: usize) -> Result<Value, Fault> {
        walk(level, &self.tangents, &mut Lane(number))
    }
}

impl Evaluator {
    /// Has forward mode make a run for each direction, for whoever wants to compare.
    pub fn one_direction_at_a_time(&mut self) {
        self.lanes = 1;
    }

    /// Does something with the tangent in the direction of each real of the point, one after the other; gives
    /// the value.
    pub(crate) fn in_each_direction(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
        each: &mut dyn FnMut(&mut Evaluator, usize, &Value) -> Result<(), Failure>,
    ) -> Result<Value, Failure> {
        let n = at.n_leaves()?;
        let mut value = None;
        let mut next = 0;
        while next < n {
            let end = n.min(next + self.lanes);
            // What is a single run anyway needs no lanes.
            let in_step =
                if end - next > 1 { self.in_step(function, at, next..end)? } else { None };
            if let Some(in_step) = in_step {
                for number in next..end {
                    let tangent = in_step.tangent(at.level, number - next)?;
                    each(self, number, &tangent)?;
                }
                value.get_or_insert(in_step.value);
            } else {
                let derived = self.derived(function)?;
                for number in next..end {
                    let input = self.zip(&at.value, &at.unit(number)?)?;
                    let output = self.apply_closure(&derived, at.arguments(input)?)?;
                    let tangent = self.tangent(&output)?;
                    each(self, number, &tangent)?;
                    if value.is_none() {
                        value = Some(self.innermost_primal(&output)?);
                    }
                }
            }
            next = end;
        }
        match value {
            Some(value) => Ok(value),
            // Without a direction its errors are errors of its derivatives, too.
            None => self.run_plain(function, at),
        }
    }

    /// The runs in the directions of some reals of the point, in step; none if they do not go so.
    pub(crate) fn in_step(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
        directions: Range<usize>,
    ) -> Result<Option<InStep>, Failure> {
        let code = code_of(function);
        if self.lanes < 2 || !self.may_go_in_step(code) {
            return Ok(None);
        }
        let derived = self.derived(function)?;
        let around = std::mem::replace(&mut self.goes_in_step, true);
        let res = self.attempt(|it| {
            let input = it.zip(&at.value, &at.units(directions)?)?;
            let output = it.apply_closure(&derived, at.arguments(input)?)?;
            walk(0, &output, &mut NoFunction)?;
            Ok(InStep { value: it.innermost_primal(&output)?, tangents: it.tangent(&output)? })
        });
        self.goes_in_step = around;
        match res {
            Ok(in_step) => Ok(Some(in_step)),
            // Nobody waits any more.
            Err(failure) if failure.fault == Fault::Stopped || self.counters.total > self.most => {
                Err(failure)
            }
            // If it is an error of the program, a run on its own will tell.
            Err(_) => {
                *locked(&code.in_step) = Some(false);
                Ok(None)
            }
        }
    }

    /// Does what may fail without an error of the run: then nothing is left of it.
    fn attempt<R>(
        &mut self,
        f: impl FnOnce(&mut Evaluator) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let (base, scratch) = (self.stack.len(), self.scratch.len());
        let (depth, segments) = (self.depth, self.segments);
        let res = f(self);
        if res.is_err() {
            self.stack.truncate(base);
            self.scratch.truncate(scratch);
            (self.depth, self.segments) = (depth, segments);
        }
        res
    }

    fn may_go_in_step(&self, code: &LambdaCode) -> bool {
        *locked(&code.in_step)
            .get_or_insert_with(|| !has_operators(&self.program, &code.lambda.body))
    }
}

/// The code that a function comes from.
fn code_of(function: &Closure) -> &LambdaCode {
    match function {
        Closure::Code { code, .. } => code,
        Closure::Half { inner, .. } | Closure::Turned { inner, .. } => code_of(inner),
        Closure::Zeroed(inner) | Closure::Kept { inner, .. } => code_of(inner),
    }
}

/// Whether there are derivative operators in a block or in what it calls, or in derivatives of it.
fn has_operators(program: &Program, block: &Block) -> bool {
    let mut seen: FxHashSet<&Name> = FxHashSet::default();
    let mut blocks = vec![block];
    while let Some(block) = blocks.pop() {
        for stmt in &block.stmts {
            blocks.extend(ir_walk::blocks(&stmt.op).into_iter().map(|it| it.1));
            if let Op::Derive(DeriveOp::OfFunction { .. } | DeriveOp::OfDefinition { .. }) = stmt.op
            {
                return true;
            }
            let Op::Function(FunctionOp::Call { def, .. }) = &stmt.op else { continue };
            let Some(name) = program_name(program, def) else { return true };
            let custom = program.customs.get(name);
            // A vjp alone is transposed by an operator.
            if custom.is_some_and(|it| it.jvp.is_none()) {
                return true;
            }
            let jvp = custom.and_then(|it| it.jvp.as_ref());
            for name in [name].into_iter().chain(jvp) {
                if seen.insert(name) {
                    blocks.extend(program.defs.get(name).map(|it| &it.body));
                }
            }
        }
    }
    false
}

/// The definition of the program that a name is one of, or is derived from.
fn program_name<'a>(program: &Program, mut name: &'a Name) -> Option<&'a Name> {
    while !program.defs.contains_key(name) {
        name = derived_of(name)?.0;
    }
    Some(name)
}

/// Takes one lane.
struct Lane(usize);

impl Lane {
    fn of_tree(&self, tree: &Value) -> Value {
        match split(tree) {
            Some((first, second)) => join(self.of_tree(&first), self.of_tree(&second)),
            None => lane(tree, self.0),
        }
    }
}

impl Leaves for Lane {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        Ok(self.of_tree(value))
    }

    fn function(&mut self, _: &Arc<Closure>) -> Result<Value, Fault> {
        Err(apart())
    }
}

/// Functions may have lanes in them, which nobody else is to see.
struct NoFunction;

impl Leaves for NoFunction {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        Ok(value.clone())
    }

    fn function(&mut self, _: &Arc<Closure>) -> Result<Value, Fault> {
        Err(apart())
    }
}
