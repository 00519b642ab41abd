//! The evaluator: programs in, values out. This is the meaning of the core language.
//!
//! Frames lie one after the other on one stack of values; blocks, loops and branches of a
//! function run in its frame. Recursion of the program is recursion here, on a stack that grows.

use std::sync::Arc;

use base::{Name, Stop};
use ir::signature::taped_of;
use ir::{Binder, Def, Lambda, Program, Spans};

use crate::code::{Function, LambdaCode};
use crate::cost::{Cost, Counters};
use crate::error::{Failure, Fault, RunError, malformed};
use crate::kernels::elementwise::Precision;
use crate::link::link_def;
use crate::memory;
use crate::names::Names;
use crate::stack;
use crate::tape::{Tape, TapeStats};
use crate::tuning::{LANES, LOOKS_EVERY, SEGMENT};
use crate::value::{Constructor, Value};

/// Gives derivative code to the evaluator, which has none of its own.
pub trait Derive: Send + Sync {
    /// The forward derivative of a lambda whose free variables `captured` are constant: the same
    /// parameters at dual types, in the same order; the first variable number that neither uses;
    /// and where its statements come from. `next_var` and `spans` are those of the lambda.
    fn forward_lambda(
        &self,
        program: &Program,
        captured: &[Binder],
        lambda: &Lambda,
        next_var: u32,
        spans: &Spans,
    ) -> (Lambda, u32, Spans);

    /// A definition that the program does not have, such as `f'10` or `f~10`.
    fn def(&self, program: &Program, name: &Name) -> Option<Def>;

    /// The definition, if it is one whose derivative of that name would need itself without end.
    fn endless(&self, _program: &Program, _name: &Name) -> Option<Name> {
        None
    }

    /// The reverse-mode derivative of a lambda; of its free variables `captured` those of the mask
    /// are active.
    fn reverse_lambda(
        &self,
        program: &Program,
        captured: (&[Binder], &[bool]),
        lambda: &Lambda,
        next_var: u32,
        spans: &Spans,
    ) -> (Lambda, u32, Spans);
}

/// What a run may use, and how exact it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that values, frames and the stack may hold together.
    pub memory: usize,
    /// How exact reals are.
    pub precision: Precision,
    /// How derivative operators are run.
    pub mode: Mode,
}

/// How derivative operators that a program still has are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Forward mode: runs for some directions each (`directions.rs`).
    Forward,
    /// Reverse mode: gradients by one recorded run and one sweep for each cotangent; directional
    /// derivatives by forward mode.
    Reverse,
}

/// Runs a program.
pub struct Evaluator {
    pub(crate) program: Arc<Program>,
    pub(crate) derive: Box<dyn Derive>,
    pub(crate) limits: Limits,
    pub(crate) names: Names,
    /// By the number of the definition.
    functions: Vec<Option<Arc<Function>>>,
    /// Reverse-mode code of lambdas, which find it by themselves.
    pub(crate) taped_codes: Vec<Arc<LambdaCode>>,
    /// The results of definitions without parameters.
    constants: Vec<Option<Vec<Value>>>,
    /// All frames.
    pub(crate) stack: Vec<Value>,
    /// Results of a loop's body before they become its state.
    pub(crate) scratch: Vec<Value>,
    /// The bytes of `stack` that count as memory.
    frames_charged: usize,
    /// How many segments of our own stack are in use.
    pub(crate) segments: usize,
    pub(crate) depth: usize,
    pub(crate) counters: Counters,
    /// Beyond so many operations a run is looked at: whether somebody wants it to stop.
    pub(crate) patience: u64,
    /// Beyond so many operations it is given up.
    pub(crate) most: u64,
    pub(crate) stop: Stop,
    pub(crate) tape: Tape,
    /// How many runs go in step at most, and whether they do right now (`directions.rs`).
    pub(crate) lanes: usize,
    pub(crate) goes_in_step: bool,
}

/// The frame of a running function.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) function: &'a Function,
    pub(crate) base: usize,
}

impl Evaluator {
    /// An evaluator for a verified program.
    pub fn new(program: Arc<Program>, derive: Box<dyn Derive>, limits: Limits) -> Evaluator {
        let names = Names::new(&program);
        Evaluator {
            program,
            derive,
            limits,
            names,
            functions: Vec::new(),
            taped_codes: Vec::new(),
            constants: Vec::new(),
            stack: Vec::new(),
            scratch: Vec::new(),
            frames_charged: 0,
            segments: 0,
            depth: 0,
            counters: Counters::new(),
            patience: 0,
            most: u64::MAX,
            stop: Stop::default(),
            tape: Tape::new(),
            lanes: LANES,
            goes_in_step: false,
        }
    }

    /// Has the calls to come end when this asks.
    pub fn stopped_by(&mut self, stop: &Stop) {
        self.stop = stop.clone();
    }

    /// Calls a definition with values for its size parameters and parameters.
    pub fn call(
        &mut self,
        def: &Name,
        sizes: &[i64],
        args: Vec<Value>,
    ) -> Result<Vec<Value>, RunError> {
        self.limited(|it| it.called(def, sizes, args))
    }

    /// As [`Evaluator::call`], with costs counted from zero; given up after about so many operations,
    /// and then there is no result.
    pub fn call_within(
        &mut self,
        operations: u64,
        def: &Name,
        sizes: &[i64],
        args: Vec<Value>,
    ) -> Result<Option<Vec<Value>>, RunError> {
        self.reset_cost();
        self.most = operations;
        let res = self.call(def, sizes, args);
        self.most = u64::MAX;
        match res {
            Err(_) if self.counters.total > operations => Ok(None),
            Ok(values) => Ok(Some(values)),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn called(
        &mut self,
        def: &Name,
        sizes: &[i64],
        args: Vec<Value>,
    ) -> Result<Vec<Value>, Failure> {
        let number = self.names.function(def);
        let code = self.function(number)?;
        if code.n_params != sizes.len() + args.len() {
            return Err(malformed(&format!("`{def}` is called with other parameters")).into());
        }
        if code.n_params == 0 {
            return self.constant(number, &code);
        }
        let base = self.room(&code)?;
        let sizes = sizes.iter().map(|size| Value::Int(*size));
        self.stack.extend(sizes.chain(args));
        self.enter(&code, base)
    }

    /// Applies a function value.
    pub fn apply(&mut self, function: &Value, args: Vec<Value>) -> Result<Value, RunError> {
        self.limited(|it| it.apply_value(function, args))
    }

    /// What has been done since the evaluator exists or `reset_cost` was called.
    pub fn cost(&self) -> Cost {
        self.counters.cost()
    }

    /// As [`Evaluator::cost`], before names are looked up.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// What recording took since then.
    pub fn tape_stats(&self) -> TapeStats {
        self.tape.stats()
    }

    /// Counts from zero again.
    pub fn reset_cost(&mut self) {
        self.counters = Counters::new();
        self.tape.reset_stats();
    }

    /// The constructor of that name, to make values with.
    pub fn constructor(&self, name: &Name) -> Option<Arc<Constructor>> {
        self.names.constructor(name)
    }

    /// Looks whether a run is to end, and when to look again.
    #[cold]
    #[inline(never)]
    pub(crate) fn look(&mut self) -> Result<(), Failure> {
        if self.stop.is_asked() {
            return Err(Fault::Stopped.into());
        }
        if self.counters.total > self.most {
            // Nobody sees it: `call_within` has no result then.
            return Err(malformed("more operations than anybody waits for").into());
        }
        self.patience = self.counters.total.saturating_add(LOOKS_EVERY).min(self.most);
        Ok(())
    }

    pub(crate) fn limited<R>(
        &mut self,
        f: impl FnOnce(&mut Evaluator) -> Result<R, Failure>,
    ) -> Result<R, RunError> {
        self.patience = 0;
        self.goes_in_step = false;
        let outer = memory::set_limit(self.limits.memory);
        let (base, scratch) = (self.stack.len(), self.scratch.len());
        let (depth, segments) = (self.depth, self.segments);
        let start = self.tape.mark();
        let around = self.tape.raise(start);
        let res = stack::counted(self.limits.memory, || f(self));
        let res = res.map_err(|it| self.told_from_tape(it));
        self.tape.lower(around);
        self.tape.rewind(start);
        self.stack.truncate(base);
        self.scratch.truncate(scratch);
        (self.depth, self.segments) = (depth, segments);
        memory::set_limit(outer);
        res.map_err(|failure| *failure)
    }

    /// Where arrays do not fit because of what is recorded, the tape is to blame.
    pub(crate) fn told_from_tape(&self, mut failure: Failure) -> Failure {
        if let Fault::Memory { .. } = failure.fault
            && self.tape.is_most()
        {
            failure.fault = self.tape.too_long();
        }
        failure
    }

    /// The code of a definition, linked when it is first used.
    pub(crate) fn function(&mut self, number: usize) -> Result<Arc<Function>, Failure> {
        if let Some(Some(function)) = self.functions.get(number) {
            return Ok(function.clone());
        }
        let name = self.names.in_order[number].clone();
        let def = match self.program.defs.get(&name) {
            Some(def) => def.clone(),
            None if let Some(def) = self.derive.endless(&self.program, &name) => {
                return Err(Fault::EndlessClause(def).into());
            }
            None => match self.derive.def(&self.program, &name) {
                Some(def) => Arc::new(def),
                None => return Err(malformed(&format!("`{name}` is not defined")).into()),
            },
        };
        let origin = match taped_of(&name) {
            Some((origin, _)) => {
                let number = self.names.function(origin);
                Some(self.function(number)?)
            }
            None => None,
        };
        let origins = origin.as_ref().map(|it| &it.lambdas);
        let linked = link_def(&mut self.names, self.limits.precision, &def, origins)?;
        let function = Arc::new(linked);
        self.functions.resize(self.names.in_order.len(), None);
        self.functions[number] = Some(function.clone());
        Ok(function)
    }

    /// A definition without parameters, evaluated once.
    pub(crate) fn constant(
        &mut self,
        number: usize,
        code: &Arc<Function>,
    ) -> Result<Vec<Value>, Failure> {
        if let Some(Some(values)) = self.constants.get(number) {
            return Ok(values.clone());
        }
        let base = self.room(code)?;
        let values = self.enter(code, base)?;
        self.constants.resize(self.constants.len().max(number + 1), None);
        self.constants[number] = Some(values.clone());
        Ok(values)
    }

    /// Runs a function whose parameters are on the stack from `base`; takes its frame away.
    fn enter(&mut self, function: &Function, base: usize) -> Result<Vec<Value>, Failure> {
        let frame = self.open(function, base);
        self.block(frame, &function.body)?;
        let results = function.body.results.iter().map(|it| self.fetch(frame, it)).collect();
        self.close(base);
        Ok(results)
    }

    /// Sees to it that there is room for the frame of a function; gives its beginning.
    #[inline]
    pub(crate) fn room(&mut self, function: &Function) -> Result<usize, Failure> {
        let base = self.stack.len();
        if self.stack.capacity() < base + function.n_slots {
            self.grow_frames(function, base + function.n_slots)?;
        }
        Ok(base)
    }

    /// Makes the frame of a function whose parameters are on the stack from `base`.
    #[inline]
    pub(crate) fn open<'a>(&mut self, function: &'a Function, base: usize) -> Frame<'a> {
        self.stack.resize_with(base + function.n_slots, Value::default);
        self.depth += 1;
        Frame { function, base }
    }

    pub(crate) fn close(&mut self, base: usize) {
        self.stack.truncate(base);
        self.depth -= 1;
    }

    #[cold]
    fn grow_frames(&mut self, function: &Function, end: usize) -> Result<(), Failure> {
        let more = (end + end / 4).max(1024) - self.stack.len();
        if memory::reserve(Some(more), size_of::<Value>()).is_err() {
            return Err(self.too_deep(function));
        }
        self.stack.reserve_exact(more);
        memory::refund(self.frames_charged);
        self.frames_charged = self.stack.capacity() * size_of::<Value>();
        memory::charge(self.frames_charged);
        if self.may_nest() { Ok(()) } else { Err(self.too_deep(function)) }
    }

    /// Calls may take half of the memory, so that a recursion without end is told soon.
    pub(crate) fn may_nest(&self) -> bool {
        self.segments * SEGMENT + self.frames_charged <= self.limits.memory / 2
    }

    pub(crate) fn too_deep(&self, function: &Function) -> Failure {
        Fault::Recursion { def: function.name.clone(), depth: self.depth, active: Vec::new() }
            .into()
    }
}

impl Drop for Evaluator {
    fn drop(&mut self) {
        memory::refund(self.frames_charged);
    }
}
