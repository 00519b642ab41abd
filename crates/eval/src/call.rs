//! Calls of definitions and of function values.

use std::sync::Arc;

use base::Span;

use crate::closure::{Closure, Part};
use crate::code::{Arg, Function, SizeCode, Slot, Stmt};
use crate::cost::Kind;
use crate::error::{Failure, Fault, malformed};
use crate::eval::{Evaluator, Frame};
use crate::value::Value;

impl Evaluator {
    #[inline(never)]
    pub(crate) fn call_op(
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
            return self.call_constant(frame, stmt, number, &code);
        }
        let base = self.room(&code)?;
        self.push_all(frame, sizes, args)?;
        let inner = self.open(&code, base);
        if let Err(failure) = self.block(inner, &code.body) {
            return Err(called(failure, &code, stmt.span));
        }
        self.give_up(inner, &code.body.results, (frame, stmt.dest));
        Ok(())
    }

    #[inline(never)]
    fn call_constant(
        &mut self,
        frame: Frame<'_>,
        stmt: &Stmt,
        number: usize,
        code: &Arc<Function>,
    ) -> Result<(), Failure> {
        let values = self.constant(number, code).map_err(|it| called(it, code, stmt.span))?;
        for (i, value) in values.into_iter().enumerate() {
            self.set(frame, stmt.dest + i as Slot, value);
        }
        Ok(())
    }

    /// Puts the parameters of a call on the stack.
    #[inline(never)]
    fn push_all(
        &mut self,
        frame: Frame<'_>,
        sizes: &[SizeCode],
        args: &[Arg],
    ) -> Result<(), Failure> {
        for size in sizes {
            let size = self.bounded(frame, size)?;
            self.stack.push(Value::Int(size));
        }
        for arg in args {
            let arg = self.fetch(frame, arg);
            self.stack.push(arg);
        }
        Ok(())
    }

    /// Hands the results of a call to the frame that called, and takes its own away.
    #[inline(never)]
    fn give_up(&mut self, inner: Frame<'_>, results: &[Arg], (frame, dest): (Frame<'_>, Slot)) {
        for (i, result) in results.iter().enumerate() {
            let value = self.fetch(inner, result);
            self.set(frame, dest + i as Slot, value);
        }
        self.close(inner.base);
    }

    #[inline(never)]
    pub(crate) fn apply_op(
        &mut self,
        frame: Frame<'_>,
        stmt: &Stmt,
        dual: bool,
        function: &Arg,
        args: &[Arg],
    ) -> Result<(), Failure> {
        self.counters.kind(Kind::Apply, 1);
        let Value::Closure(mut closure) = self.fetch(frame, function) else {
            return Err(malformed("an application of what is no function").into());
        };
        if dual && !closure.is_taped() {
            closure = self.taped(&closure)?;
        }
        let value = match &*closure {
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
            Closure::Half { .. }
            | Closure::Turned { .. }
            | Closure::Zeroed(_)
            | Closure::Kept { .. } => {
                let args = self.fetch_all(frame, args);
                self.apply_closure(&closure, args)?
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
            | Value::Dual(..)
            | Value::Delta(_)
            | Value::Array(_) => Err(malformed("an application of what is no function").into()),
        }
    }

    /// Applies a function to values that are at hand.
    pub(crate) fn apply_closure(
        &mut self,
        closure: &Arc<Closure>,
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
            Closure::Half { part, level, inner } => {
                let lifted: Result<_, Failure> =
                    args.iter().map(|arg| self.lift(*level, arg)).collect();
                let res = self.apply_closure(inner, lifted?)?;
                Ok(match part {
                    Part::Primal => self.primal(*level, &res)?,
                    Part::Tangent => self.tangent_at(*level, &res)?,
                })
            }
            Closure::Zeroed(inner) => {
                let plain: Result<_, Fault> = args.iter().map(|arg| self.strip(arg)).collect();
                let res = self.apply_closure(inner, plain?)?;
                self.zeroed(&res)
            }
            Closure::Turned { turn, inner } => {
                let args = args.iter().map(|arg| self.turned(*turn, arg)).collect();
                let res = self.apply_closure(inner, args)?;
                Ok(self.turned(turn.inverse(), &res))
            }
            Closure::Kept { inner, .. } => self.apply_closure(inner, args),
        }
    }
}

fn called(mut failure: Failure, callee: &Function, span: Option<Span>) -> Failure {
    failure.called(&callee.name, span);
    failure
}
