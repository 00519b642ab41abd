//! The evaluator: programs in, values out. This is the meaning of the core language.
//!
//! Frames lie one after the other on one stack of values; blocks, loops and branches of a
//! function run in its frame. Recursion of the program is recursion here, on a stack that grows.

use std::rc::Rc;
use std::sync::Arc;

use base::{Name, Span};
use ir::{Binder, Def, Lambda, Program, Spans, Type};

use crate::array::{Array, Elems};
use crate::closure::Closure;
use crate::code::{Arg, Block, Function, Op, SizeCode, Slot, Stmt};
use crate::cost::{Cost, Counters, Kind};
use crate::error::{Failure, Fault, MOST_CALLS, RunError, malformed};
use crate::kernels::elementwise::{self, Precision};
use crate::link::{Names, link_def};
use crate::memory;
use crate::rows::empty;
use crate::stack;
use crate::value::{Data, Fields, Value};

/// Gives derivative code to the evaluator, which has none of its own.
pub trait Derive {
    /// The forward derivative of a lambda whose free variables `captured` are constant: the same
    /// parameters at dual types, in the same order; the first variable number that neither uses;
    /// and where its statements come from. `next_var` and `spans` are those of the lambda.
    fn lambda(
        &self,
        program: &Program,
        captured: &[Binder],
        lambda: &Lambda,
        next_var: u32,
        spans: &Spans,
    ) -> (Lambda, u32, Spans);

    /// A definition that the program does not have, such as `f'10`.
    fn def(&self, program: &Program, name: &Name) -> Option<Def>;
}

/// What a run may use, and how exact it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that values, frames and the stack may hold together.
    pub memory: usize,
    /// How exact reals are.
    pub precision: Precision,
}

/// Runs a program.
pub struct Evaluator {
    pub(crate) program: Arc<Program>,
    pub(crate) derive: Box<dyn Derive>,
    pub(crate) limits: Limits,
    pub(crate) names: Names,
    /// By the number of the definition.
    functions: Vec<Option<Rc<Function>>>,
    /// The results of definitions without parameters.
    constants: Vec<Option<Vec<Value>>>,
    /// All frames.
    pub(crate) stack: Vec<Value>,
    /// Results of a loop's body before they become its state.
    pub(crate) scratch: Vec<Value>,
    /// The bytes of `stack` that count as memory.
    frames_charged: usize,
    depth: usize,
    pub(crate) counters: Counters,
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
            constants: Vec::new(),
            stack: Vec::new(),
            scratch: Vec::new(),
            frames_charged: 0,
            depth: 0,
            counters: Counters::new(),
        }
    }

    /// Calls a definition with values for its size parameters and parameters.
    pub fn call(
        &mut self,
        def: &Name,
        sizes: &[i64],
        args: Vec<Value>,
    ) -> Result<Vec<Value>, RunError> {
        self.limited(|it| {
            let number = it.names.function(def);
            let code = it.function(number)?;
            if code.n_params != sizes.len() + args.len() {
                return Err(malformed(&format!("`{def}` is called with other parameters")).into());
            }
            if code.n_params == 0 {
                return it.constant(number, &code);
            }
            let base = it.room(&code)?;
            let sizes = sizes.iter().map(|size| Value::Int(*size));
            it.stack.extend(sizes.chain(args));
            it.enter(&code, base)
        })
    }

    /// Applies a function value.
    pub fn apply(&mut self, function: &Value, args: Vec<Value>) -> Result<Value, RunError> {
        self.limited(|it| it.apply_value(function, args))
    }

    /// What has been done since the evaluator exists or `reset_cost` was called.
    pub fn cost(&self) -> Cost {
        self.counters.cost()
    }

    /// Counts from zero again.
    pub fn reset_cost(&mut self) {
        self.counters = Counters::new();
    }

    /// The constructor of that name, to make values with.
    pub fn constructor(&self, name: &Name) -> Option<Rc<crate::value::Constructor>> {
        self.names.constructor(name)
    }

    fn limited<R>(
        &mut self,
        f: impl FnOnce(&mut Evaluator) -> Result<R, Failure>,
    ) -> Result<R, RunError> {
        let outer = memory::set_limit(self.limits.memory);
        let (base, scratch, depth) = (self.stack.len(), self.scratch.len(), self.depth);
        let res = f(self);
        self.stack.truncate(base);
        self.scratch.truncate(scratch);
        self.depth = depth;
        memory::set_limit(outer);
        res.map_err(|failure| *failure)
    }

    /// The code of a definition, linked when it is first used.
    fn function(&mut self, number: usize) -> Result<Rc<Function>, Failure> {
        if let Some(Some(function)) = self.functions.get(number) {
            return Ok(function.clone());
        }
        let name = self.names.in_order[number].clone();
        let def = match self.program.defs.get(&name) {
            Some(def) => def.clone(),
            None => match self.derive.def(&self.program, &name) {
                Some(def) => Arc::new(def),
                None => return Err(malformed(&format!("`{name}` is not defined")).into()),
            },
        };
        let function = Rc::new(link_def(&mut self.names, self.limits.precision, &def)?);
        self.functions.resize(self.names.in_order.len(), None);
        self.functions[number] = Some(function.clone());
        Ok(function)
    }

    /// A definition without parameters, evaluated once.
    fn constant(&mut self, number: usize, code: &Rc<Function>) -> Result<Vec<Value>, Failure> {
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
    fn room(&mut self, function: &Function) -> Result<usize, Failure> {
        let base = self.stack.len();
        if self.stack.capacity() < base + function.n_slots {
            self.grow_frames(function, base + function.n_slots)?;
        }
        Ok(base)
    }

    /// Makes the frame of a function whose parameters are on the stack from `base`.
    #[inline]
    fn open<'a>(&mut self, function: &'a Function, base: usize) -> Frame<'a> {
        self.stack.resize(base + function.n_slots, Value::Bool(false));
        self.depth += 1;
        Frame { function, base }
    }

    fn close(&mut self, base: usize) {
        self.stack.truncate(base);
        self.depth -= 1;
    }

    #[cold]
    fn grow_frames(&mut self, function: &Function, end: usize) -> Result<(), Failure> {
        let more = (end * 2).max(1024) - self.stack.len();
        if memory::reserve(Some(more), size_of::<Value>()).is_err() {
            return Err(self.too_deep(function));
        }
        self.stack.reserve_exact(more);
        memory::refund(self.frames_charged);
        self.frames_charged = self.stack.capacity() * size_of::<Value>();
        memory::charge(self.frames_charged);
        Ok(())
    }

    fn too_deep(&self, function: &Function) -> Failure {
        Fault::Recursion { def: function.name.clone(), depth: self.depth }.into()
    }

    /// Runs the statements of a block.
    pub(crate) fn block(&mut self, frame: Frame<'_>, block: &Block) -> Result<(), Failure> {
        if stack::is_low() {
            return self.block_on_new_segment(frame, block);
        }
        for stmt in &block.stmts {
            if let Err(failure) = self.stmt(frame, stmt) {
                return Err(at(failure, stmt.span));
            }
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn block_on_new_segment(&mut self, frame: Frame<'_>, block: &Block) -> Result<(), Failure> {
        match stack::on_new_segment(|| self.block(frame, block)) {
            Ok(res) => res,
            Err(_) => Err(self.too_deep(frame.function)),
        }
    }

    /// Scalars here, everything else elsewhere, so that this stays small.
    #[inline]
    fn stmt(&mut self, frame: Frame<'_>, stmt: &Stmt) -> Result<(), Failure> {
        match &stmt.op {
            Op::Prim1 { prim, real: Some(f), x } => {
                if let Some(x) = self.real(frame, x) {
                    self.counters.prim(*prim, 1);
                    let res = self.limits.precision.round(f(x));
                    self.set(frame, stmt.dest, Value::Real(res));
                    return Ok(());
                }
            }
            Op::Prim2 { prim, real: Some(f), x, y } => {
                if let (Some(x), Some(y)) = (self.real(frame, x), self.real(frame, y)) {
                    self.counters.prim(*prim, 1);
                    let res = self.limits.precision.round(f(x, y));
                    self.set(frame, stmt.dest, Value::Real(res));
                    return Ok(());
                }
                return self.binary(frame, stmt, *prim, x, y);
            }
            Op::Prim2 { prim, x, y, real: None } => {
                return self.binary(frame, stmt, *prim, x, y);
            }
            Op::Index { array, indices } => {
                if let Some(value) = self.quick_index(frame, array, indices) {
                    self.counters.kind(Kind::Index, 1);
                    self.set(frame, stmt.dest, value);
                    return Ok(());
                }
            }
            Op::If { cond, then, otherwise } => {
                let block = if self.bool(frame, cond)? { then } else { otherwise };
                self.block(frame, block)?;
                return self.give(frame, &block.results, stmt.dest);
            }
            Op::Call { function, sizes, args } => {
                return self.call_op(frame, stmt, *function, sizes, args);
            }
            _ => {}
        }
        self.other(frame, stmt)
    }

    /// A primitive of two operands that is not a real function of reals.
    #[inline(never)]
    fn binary(
        &mut self,
        frame: Frame<'_>,
        stmt: &Stmt,
        prim: ir::Prim,
        x: &Arg,
        y: &Arg,
    ) -> Result<(), Failure> {
        let scalars = elementwise::binary_scalars(prim, self.peek(frame, x), self.peek(frame, y));
        let value = match scalars {
            Some(value) => {
                self.counters.prim(prim, 1);
                value?
            }
            None => {
                let x = self.fetch(frame, x);
                let y = self.fetch(frame, y);
                self.prim(prim, &mut [x, y])?
            }
        };
        self.set(frame, stmt.dest, value);
        Ok(())
    }

    #[inline(never)]
    fn other(&mut self, frame: Frame<'_>, stmt: &Stmt) -> Result<(), Failure> {
        match &stmt.op {
            Op::Call { .. } | Op::If { .. } => Err(malformed("an operation twice").into()),
            Op::Match { value, by_tag, arms, otherwise } => {
                self.match_op(frame, stmt, (value, by_tag, arms, otherwise.as_ref()))
            }
            Op::Apply(function, args) => self.apply_op(frame, stmt, function, args),
            Op::Build { sizes, indices, body } => self.build(frame, stmt, sizes, *indices, body),
            Op::Fold(fold) => self.fold(frame, stmt, fold),
            Op::Scan(scan) => self.scan(frame, stmt, scan),
            Op::Iterate { count, index, inits, state, body } => {
                let count = self.int(frame, count)?;
                self.iterate(frame, stmt, (count, *index), (inits, *state), body)
            }
            Op::While { inits, state, cond, body } => {
                self.while_op(frame, stmt, (inits, *state), cond, body)
            }
            Op::Filter { array, elem, predicate } => {
                self.filter(frame, stmt, array, *elem, predicate)
            }
            Op::Derive { operator, level, function, args } => {
                let function = self.fetch(frame, function);
                let args = self.fetch_all(frame, args);
                let value = self.derive_op(*operator, *level, &function, args)?;
                self.set(frame, stmt.dest, value);
                Ok(())
            }
            _ => {
                let value = self.simple(frame, stmt)?;
                self.set(frame, stmt.dest, value);
                Ok(())
            }
        }
    }

    /// Operations that give one value and run no block.
    #[inline(never)]
    fn simple(&mut self, frame: Frame<'_>, stmt: &Stmt) -> Result<Value, Failure> {
        match &stmt.op {
            Op::Copy(value) => Ok(self.fetch(frame, value)),
            Op::Prim1 { prim, x, .. } => {
                let x = self.fetch(frame, x);
                self.prim(*prim, &mut [x])
            }
            Op::Prim(prim, args) => {
                let mut args = self.fetch_all(frame, args);
                self.prim(*prim, &mut args)
            }
            Op::Size(size) => Ok(Value::Int(self.size(frame, size))),
            Op::Tuple(parts) => {
                self.counters.kind(Kind::Tuple, 1);
                let fields = self.fields(frame, parts);
                memory::check()?;
                Ok(Value::Tuple(Rc::new(fields)))
            }
            Op::Proj { tuple, index } => self.proj(frame, tuple, *index),
            Op::Con { con, args } => {
                self.counters.kind(Kind::Construct, 1);
                let fields = self.fields(frame, args);
                memory::check()?;
                Ok(Value::Data(Rc::new(Data { con: con.clone(), fields })))
            }
            Op::Lambda { code, captured } => {
                self.counters.kind(Kind::Closure, 1);
                let captured = self.fields(frame, captured);
                memory::check()?;
                Ok(Value::Closure(Rc::new(Closure::Code { code: code.clone(), captured })))
            }
            _ => self.bulk(frame, stmt),
        }
    }

    fn prim(&mut self, prim: ir::Prim, args: &mut [Value]) -> Result<Value, Failure> {
        let (value, n) = elementwise::apply(prim, args, self.limits.precision)?;
        self.counters.prim(prim, n);
        Ok(value)
    }

    fn fields(&mut self, frame: Frame<'_>, args: &[Arg]) -> Fields {
        match args {
            [x] => Fields::one(self.fetch(frame, x)),
            [x, y] => {
                let x = self.fetch(frame, x);
                let y = self.fetch(frame, y);
                Fields::two(x, y)
            }
            _ => Fields::new(self.fetch_all(frame, args)),
        }
    }

    fn proj(&mut self, frame: Frame<'_>, tuple: &Arg, index: usize) -> Result<Value, Failure> {
        let tuple = match self.peek(frame, tuple) {
            Value::Tuple(fields) => {
                let part = fields.get(index).cloned();
                if let Arg::Take(slot) = tuple {
                    self.stack[frame.base + *slot as usize] = Value::Bool(false);
                }
                return part.ok_or_else(|| malformed("a part that the tuple does not have").into());
            }
            _ => self.fetch_known(frame, tuple),
        };
        let part = match &tuple {
            Value::Array(array) => match &array.elems {
                Elems::Tuple(parts) => parts.get(index).cloned().map(Value::array),
                // No element, so no part of one either.
                Elems::Boxed(data) if data.is_empty() => return Ok(tuple),
                Elems::Boxed(_) | Elems::Real(_) | Elems::Int(_) | Elems::Bool(_) => None,
            },
            Value::Real(_)
            | Value::Int(_)
            | Value::Bool(_)
            | Value::Str(_)
            | Value::Tuple(_)
            | Value::Data(_)
            | Value::Closure(_) => None,
        };
        part.ok_or_else(|| malformed("a part that the tuple does not have").into())
    }

    #[inline(never)]
    fn call_op(
        &mut self,
        frame: Frame<'_>,
        stmt: &Stmt,
        number: usize,
        sizes: &[SizeCode],
        args: &[Arg],
    ) -> Result<(), Failure> {
        self.counters.kind(Kind::Call, 1);
        let code = self.function(number)?;
        if code.n_params != sizes.len() + args.len() {
            return Err(malformed("a call with other parameters").into());
        }
        if code.n_params == 0 {
            let values = self.constant(number, &code).map_err(|it| called(it, &code, stmt.span))?;
            for (i, value) in values.into_iter().enumerate() {
                self.set(frame, stmt.dest + i as Slot, value);
            }
            return Ok(());
        }
        let base = self.room(&code)?;
        for size in sizes {
            let size = self.size(frame, size);
            self.stack.push(Value::Int(size));
        }
        for arg in args {
            let arg = self.fetch(frame, arg);
            self.stack.push(arg);
        }
        let inner = self.open(&code, base);
        if let Err(failure) = self.block(inner, &code.body) {
            return Err(called(failure, &code, stmt.span));
        }
        for (i, result) in code.body.results.iter().enumerate() {
            let value = self.fetch(inner, result);
            self.set(frame, stmt.dest + i as Slot, value);
        }
        self.close(base);
        Ok(())
    }

    #[inline(never)]
    fn apply_op(
        &mut self,
        frame: Frame<'_>,
        stmt: &Stmt,
        function: &Arg,
        args: &[Arg],
    ) -> Result<(), Failure> {
        self.counters.kind(Kind::Apply, 1);
        let function = self.fetch(frame, function);
        let Value::Closure(closure) = &function else {
            return Err(malformed("an application of what is no function").into());
        };
        let value = match &**closure {
            Closure::Code { code, captured } => {
                if code.function.n_params != args.len() {
                    return Err(malformed("an application to other parameters").into());
                }
                let base = self.room(&code.function)?;
                for arg in args {
                    let arg = self.fetch(frame, arg);
                    self.stack.push(arg);
                }
                let inner = self.open(&code.function, base);
                for (slot, value) in code.captured_slots.iter().zip(captured.iter()) {
                    self.set(inner, *slot, value.clone());
                }
                self.block(inner, &code.function.body)?;
                let value = self.single(inner, &code.function.body)?;
                self.close(base);
                value
            }
            Closure::Primal { .. } | Closure::Turned { .. } => {
                let args = self.fetch_all(frame, args);
                self.apply_closure(closure, args)?
            }
        };
        self.set(frame, stmt.dest, value);
        Ok(())
    }

    pub(crate) fn apply_value(
        &mut self,
        function: &Value,
        args: Vec<Value>,
    ) -> Result<Value, Failure> {
        match function {
            Value::Closure(closure) => self.apply_closure(closure, args),
            Value::Real(_)
            | Value::Int(_)
            | Value::Bool(_)
            | Value::Str(_)
            | Value::Tuple(_)
            | Value::Data(_)
            | Value::Array(_) => Err(malformed("an application of what is no function").into()),
        }
    }

    /// Applies a function to values that are at hand.
    pub(crate) fn apply_closure(
        &mut self,
        closure: &Rc<Closure>,
        args: Vec<Value>,
    ) -> Result<Value, Failure> {
        match &**closure {
            Closure::Code { code, captured } => {
                if code.function.n_params != args.len() {
                    return Err(malformed("an application to other parameters").into());
                }
                let base = self.room(&code.function)?;
                self.stack.extend(args);
                let inner = self.open(&code.function, base);
                for (slot, value) in code.captured_slots.iter().zip(captured.iter()) {
                    self.set(inner, *slot, value.clone());
                }
                self.block(inner, &code.function.body)?;
                let value = self.single(inner, &code.function.body)?;
                self.close(base);
                Ok(value)
            }
            Closure::Primal { level, inner } => {
                let lifted: Result<_, Failure> =
                    args.iter().map(|arg| self.lift(*level, arg)).collect();
                let res = self.apply_closure(inner, lifted?)?;
                Ok(self.primal(*level, &res)?)
            }
            Closure::Turned { turn, inner } => {
                let args = args.iter().map(|arg| self.turned(*turn, arg)).collect();
                let res = self.apply_closure(inner, args)?;
                Ok(self.turned(turn.inverse(), &res))
            }
        }
    }

    /// The only result of a block.
    pub(crate) fn single(&mut self, frame: Frame<'_>, block: &Block) -> Result<Value, Failure> {
        match &block.results[..] {
            [result] => Ok(self.fetch(frame, result)),
            _ => Err(malformed("a block with another number of results").into()),
        }
    }

    /// Copies results to the slots from `dest`; no result is one of these slots.
    pub(crate) fn give(
        &mut self,
        frame: Frame<'_>,
        results: &[Arg],
        dest: Slot,
    ) -> Result<(), Failure> {
        for (i, result) in results.iter().enumerate() {
            let value = self.fetch(frame, result);
            self.set(frame, dest + i as Slot, value);
        }
        Ok(())
    }

    // Operands.

    #[inline]
    pub(crate) fn set(&mut self, frame: Frame<'_>, slot: Slot, value: Value) {
        self.stack[frame.base + slot as usize] = value;
    }

    #[inline]
    pub(crate) fn peek<'a>(&'a self, frame: Frame<'_>, arg: &'a Arg) -> &'a Value {
        match arg {
            Arg::Slot(slot) | Arg::Take(slot) => &self.stack[frame.base + *slot as usize],
            Arg::Const(value) => value,
        }
    }

    #[inline]
    pub(crate) fn fetch(&mut self, frame: Frame<'_>, arg: &Arg) -> Value {
        match arg {
            Arg::Slot(slot) => self.stack[frame.base + *slot as usize].clone(),
            Arg::Take(slot) => std::mem::take(&mut self.stack[frame.base + *slot as usize]),
            Arg::Const(value) => value.clone(),
        }
    }

    pub(crate) fn fetch_all(&mut self, frame: Frame<'_>, args: &[Arg]) -> Vec<Value> {
        args.iter().map(|arg| self.fetch(frame, arg)).collect()
    }

    #[inline]
    fn real(&self, frame: Frame<'_>, arg: &Arg) -> Option<f64> {
        match self.peek(frame, arg) {
            Value::Real(value) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn int(&self, frame: Frame<'_>, arg: &Arg) -> Result<i64, Failure> {
        match self.peek(frame, arg) {
            Value::Int(value) => Ok(*value),
            _ => Err(malformed("an Int is expected").into()),
        }
    }

    pub(crate) fn bool(&self, frame: Frame<'_>, arg: &Arg) -> Result<bool, Failure> {
        match self.peek(frame, arg) {
            Value::Bool(value) => Ok(*value),
            _ => Err(malformed("a Bool is expected").into()),
        }
    }

    fn slot_int(&self, frame: Frame<'_>, slot: Slot) -> i64 {
        match &self.stack[frame.base + slot as usize] {
            Value::Int(value) => *value,
            _ => 0,
        }
    }

    pub(crate) fn size(&self, frame: Frame<'_>, size: &SizeCode) -> i64 {
        match size {
            SizeCode::Const(value) => *value,
            SizeCode::Slot(slot) => self.slot_int(frame, *slot),
            SizeCode::Sum(terms) => terms.iter().fold(0, |sum: i64, (coefficient, slots)| {
                let product = slots
                    .iter()
                    .fold(*coefficient, |it, slot| it.wrapping_mul(self.slot_int(frame, *slot)));
                sum.wrapping_add(product)
            }),
        }
    }

    /// A size that an array can have.
    pub(crate) fn natural(&self, frame: Frame<'_>, size: &SizeCode) -> Result<usize, Failure> {
        let size = self.size(frame, size);
        usize::try_from(size).map_err(|_| Fault::NegativeSize(size).into())
    }

    /// An operand; an array without elements gets the shape that its type says.
    pub(crate) fn fetch_known(&mut self, frame: Frame<'_>, arg: &Arg) -> Value {
        let value = self.fetch(frame, arg);
        match (&value, arg) {
            (Value::Array(array), Arg::Slot(slot) | Arg::Take(slot)) if array.is_empty() => {
                match frame.function.types.get(*slot as usize) {
                    Some(Some(ty @ Type::Array(..))) => Value::array(self.known(frame, array, ty)),
                    _ => value,
                }
            }
            _ => value,
        }
    }

    fn known(&self, frame: Frame<'_>, array: &Array, ty: &Type) -> Array {
        let by_type = self.empty(frame, &[], ty);
        let agree = by_type.is_empty() && by_type.shape.starts_with(&array.shape);
        if agree { by_type } else { array.clone() }
    }

    /// The array without elements of type `ty` below some sizes.
    pub(crate) fn empty(&self, frame: Frame<'_>, outer: &[usize], ty: &Type) -> Array {
        empty(outer, ty, &mut |size| {
            let size = size.evaluate(&mut |var| self.slot_int(frame, var.0));
            usize::try_from(size).unwrap_or(0)
        })
    }
}

impl Drop for Evaluator {
    fn drop(&mut self) {
        memory::refund(self.frames_charged);
    }
}

fn at(mut failure: Failure, span: Option<Span>) -> Failure {
    if failure.span.is_none() && failure.calls.is_empty() {
        failure.span = span;
    }
    failure
}

fn called(mut failure: Failure, callee: &Function, span: Option<Span>) -> Failure {
    if failure.calls.len() < MOST_CALLS {
        failure.calls.push((callee.name.clone(), span));
    }
    failure
}
