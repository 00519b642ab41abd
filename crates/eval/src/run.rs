//! Runs blocks: statement by statement, scalars first.

use std::sync::Arc;

use base::Span;

use crate::array::Elems;
use crate::closure::Closure;
use crate::code::{Arg, Block, Control, Op, Simple, Stmt};
use crate::cost::Kind;
use crate::error::{Failure, Fault, malformed};
use crate::eval::{Evaluator, Frame};
use crate::kernels::elementwise;
use crate::tape::{dual_part, real_part};
use crate::value::{Data, Fields, Value};
use crate::{memory, stack};

impl Evaluator {
    /// Runs the statements of a block.
    pub(crate) fn block(&mut self, frame: Frame<'_>, block: &Block) -> Result<(), Failure> {
        if stack::is_low() {
            return self.block_on_new_segment(frame, block);
        }
        let _level = stack::Level::enter();
        // Without a statement too: a loop may have nothing to do but to go on.
        if block.stmts.is_empty() && self.counters.total > self.patience {
            self.look()?;
        }
        for stmt in &block.stmts {
            if let Err(failure) = self.stmt(frame, stmt) {
                return Err(at(failure, stmt.span));
            }
            if self.counters.total > self.patience {
                self.look().map_err(|it| at(it, stmt.span))?;
            }
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn block_on_new_segment(&mut self, frame: Frame<'_>, block: &Block) -> Result<(), Failure> {
        self.segments += 1;
        if !self.may_nest() {
            return Err(self.too_deep(frame.function));
        }
        let res = stack::on_new_segment(|| self.block(frame, block));
        self.segments -= 1;
        res.unwrap_or_else(|_| Err(self.too_deep(frame.function)))
    }

    /// Scalars here, everything else elsewhere, so that this stays small.
    #[inline]
    fn stmt(&mut self, frame: Frame<'_>, stmt: &Stmt) -> Result<(), Failure> {
        match &stmt.op {
            Op::Prim1 { prim, real, x } => {
                if let (Some(f), Some(x)) = (real, self.real(frame, x)) {
                    self.counters.prim(*prim, 1);
                    let res = self.limits.precision.round(f(x));
                    self.set(frame, stmt.dest, Value::Real(res));
                    return Ok(());
                }
                self.unary(frame, stmt, *prim, x)
            }
            Op::Prim2 { prim, real, x, y } => {
                if let (Some(f), Some(x), Some(y)) =
                    (real, self.real(frame, x), self.real(frame, y))
                {
                    self.counters.prim(*prim, 1);
                    let res = self.limits.precision.round(f(x, y));
                    self.set(frame, stmt.dest, Value::Real(res));
                    return Ok(());
                }
                self.binary(frame, stmt, *prim, x, y)
            }
            Op::Index { array, indices } => {
                if let Some(value) = self.quick_index(frame, array, indices) {
                    self.counters.kind(Kind::Index, 1);
                    self.set(frame, stmt.dest, value);
                    return Ok(());
                }
                self.index(frame, stmt, array, indices)
            }
            Op::If { cond, then, otherwise } => {
                let block = if self.bool(frame, cond)? { then } else { otherwise };
                self.block(frame, block)?;
                self.give(frame, &block.results, stmt.dest);
                Ok(())
            }
            Op::Call { function, sizes, args } => self.call_op(frame, stmt, *function, sizes, args),
            Op::Apply { dual, function, args } => self.apply_op(frame, stmt, *dual, function, args),
            Op::Control(Control::Match { value, by_tag, arms, otherwise }) => {
                self.match_op(frame, stmt, (value, by_tag, arms, otherwise.as_ref()))
            }
            Op::Control(control) => self.control(frame, stmt, control),
            Op::Record { .. } | Op::Simple(_) | Op::Bulk(_) => self.without_blocks(frame, stmt),
        }
    }

    /// What runs no block needs no room in the frame of each block that is active.
    #[inline(never)]
    fn without_blocks(&mut self, frame: Frame<'_>, stmt: &Stmt) -> Result<(), Failure> {
        let value = match &stmt.op {
            Op::Record { value, terms, delta } => {
                let id = self.combine_scalars(frame, terms)?;
                let value = self.real(frame, value).ok_or_else(no_real)?;
                self.set(frame, *delta, Value::Delta(id));
                Value::dual(id, value)
            }
            Op::Simple(simple) => self.simple(frame, simple)?,
            Op::Bulk(bulk) => self.bulk(frame, stmt, bulk)?,
            Op::Prim1 { .. }
            | Op::Prim2 { .. }
            | Op::Index { .. }
            | Op::If { .. }
            | Op::Call { .. }
            | Op::Apply { .. }
            | Op::Control(_) => return Err(malformed("an operation of another kind").into()),
        };
        self.set(frame, stmt.dest, value);
        Ok(())
    }

    #[inline(never)]
    fn unary(
        &mut self,
        frame: Frame<'_>,
        stmt: &Stmt,
        prim: ir::Prim,
        x: &Arg,
    ) -> Result<(), Failure> {
        let x = self.fetch(frame, x);
        let value = self.prim(prim, &mut [x])?;
        self.set(frame, stmt.dest, value);
        Ok(())
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

    /// Operations that put values together or take them apart.
    #[inline(never)]
    fn simple(&mut self, frame: Frame<'_>, simple: &Simple) -> Result<Value, Failure> {
        match simple {
            Simple::Nothing => Ok(Value::default()),
            Simple::Copy(value) => Ok(self.fetch(frame, value)),
            Simple::Prim(prim, args) => {
                let mut args = self.fetch_all(frame, args);
                self.prim(*prim, &mut args)
            }
            Simple::Size(size) => Ok(Value::Int(self.size(frame, size))),
            Simple::Tuple(parts) => {
                let fields = self.fields(frame, parts);
                if let [first, Value::Delta(id)] = &fields[..]
                    && let Some(value) = real_part(first)
                {
                    return Ok(Value::dual(*id, value));
                }
                self.counters.kind(Kind::Tuple, 1);
                memory::check()?;
                Ok(Value::Tuple(Arc::new(fields)))
            }
            Simple::Proj { tuple, index } => self.proj(frame, tuple, *index),
            Simple::Con { con, args } => {
                self.counters.kind(Kind::Construct, 1);
                let fields = self.fields(frame, args);
                memory::check()?;
                Ok(Value::Data(Arc::new(Data { con: con.clone(), fields })))
            }
            Simple::Lambda { code, captured } => {
                self.counters.kind(Kind::Closure, 1);
                let captured = self.fields(frame, captured);
                memory::check()?;
                Ok(Value::Closure(Arc::new(Closure::Code { code: code.clone(), captured })))
            }
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
        if let Value::Tuple(fields) = self.peek(frame, tuple) {
            let part = fields.get(index).cloned();
            if let Arg::Take(slot) = tuple {
                self.stack[frame.base + *slot as usize] = Value::Bool(false);
            }
            return part.ok_or_else(|| malformed("a part that the tuple does not have").into());
        }
        let tuple = self.fetch_known(frame, tuple);
        if let Some(part) = dual_part(&tuple, index) {
            return Ok(part);
        }
        let part = match &tuple {
            Value::Array(array) => match &array.elems {
                Elems::Tuple(parts) => parts.get(index).cloned().map(Value::array),
                // No element, so no part of one either.
                Elems::Boxed(data) if data.is_empty() => return Ok(tuple),
                Elems::Boxed(_) | Elems::Real(_) | Elems::Int(_) | Elems::Bool(_) => None,
                Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => None,
            },
            Value::Real(_)
            | Value::Int(_)
            | Value::Bool(_)
            | Value::Str(_)
            | Value::Tuple(_)
            | Value::Data(_)
            | Value::Dual(..)
            | Value::Delta(_)
            | Value::Closure(_) => None,
        };
        part.ok_or_else(|| malformed("a part that the tuple does not have").into())
    }
}

#[cold]
fn no_real() -> Fault {
    malformed("a real is expected")
}

fn at(mut failure: Failure, span: Option<Span>) -> Failure {
    if failure.span.is_none() && failure.calls.is_empty() {
        failure.span = span;
    }
    failure
}
