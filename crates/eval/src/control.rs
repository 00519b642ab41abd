//! Operations that run blocks: matches, builds, loops, filters.

use ir::Type;

use crate::array::Array;
use crate::code::{Arg, Arm, Block, Control, Loop, SizeCode, Slot, Stmt};
use crate::cost::Kind;
use crate::error::{Failure, Fault, malformed};
use crate::eval::{Evaluator, Frame};
use crate::rows::{Rows, checked_count};
use crate::value::Value;

/// The parts of a match: value, arm by tag, arms, otherwise.
type Match<'a> = (&'a Arg, &'a [Option<usize>], &'a [Arm], Option<&'a Block>);

impl Evaluator {
    /// Operations that run blocks, but for matches.
    #[inline(never)]
    pub(crate) fn control(
        &mut self,
        frame: Frame<'_>,
        stmt: &Stmt,
        control: &Control,
    ) -> Result<(), Failure> {
        let before = self.tape.held();
        let res = self.run_control(frame, stmt, control);
        res.map_err(|it| self.blame(it, stmt, before))
    }

    /// Of a tape that is too long, says which loop recorded it: the innermost one that recorded more
    /// than half.
    #[cold]
    fn blame(&self, failure: Failure, stmt: &Stmt, before: u64) -> Failure {
        let mut failure = self.told_from_tape(failure);
        if let Fault::Tape { contributions, by: by @ None, .. } = &mut failure.fault
            && let Some(span) = stmt.span
        {
            let here = self.tape.held().saturating_sub(before);
            *by = (2 * here > *contributions).then_some((span, here));
        }
        failure
    }

    #[inline]
    fn run_control(
        &mut self,
        frame: Frame<'_>,
        stmt: &Stmt,
        control: &Control,
    ) -> Result<(), Failure> {
        match control {
            Control::Match { value, by_tag, arms, otherwise } => {
                self.match_op(frame, stmt, (value, by_tag, arms, otherwise.as_ref()))
            }
            Control::Build { sizes, indices, body } => {
                self.build(frame, stmt, sizes, *indices, body)
            }
            Control::Fold(fold) => self.fold(frame, stmt, fold),
            Control::Scan(scan) => self.scan(frame, stmt, scan),
            Control::Iterate { count, index, inits, state, body } => {
                let count = self.int(frame, count)?;
                self.iterate(frame, stmt, (count, *index), (inits, *state), body)
            }
            Control::While { inits, state, cond, body } => {
                self.while_op(frame, stmt, (inits, *state), cond, body)
            }
            Control::Filter { array, elem, predicate } => {
                self.filter(frame, stmt, array, *elem, predicate)
            }
        }
    }

    #[inline(never)]
    pub(crate) fn match_op(
        &mut self,
        frame: Frame<'_>,
        stmt: &Stmt,
        (value, by_tag, arms, otherwise): Match<'_>,
    ) -> Result<(), Failure> {
        self.counters.kind(Kind::Match, 1);
        let Value::Data(data) = self.fetch(frame, value) else {
            return Err(malformed("a match of what is no sum").into());
        };
        let arm = by_tag.get(data.con.tag).copied().flatten().and_then(|number| arms.get(number));
        let body = match (arm, otherwise) {
            (Some(arm), _) => {
                for (i, field) in data.fields.iter().enumerate() {
                    self.set(frame, arm.first + i as Slot, field.clone());
                }
                &arm.body
            }
            (None, Some(block)) => block,
            (None, None) => return Err(malformed("a match without an arm that fits").into()),
        };
        drop(data);
        self.block(frame, body)?;
        self.give(frame, &body.results, stmt.dest);
        Ok(())
    }

    #[inline(never)]
    fn build(
        &mut self,
        frame: Frame<'_>,
        stmt: &Stmt,
        sizes: &[SizeCode],
        indices: Slot,
        body: &Block,
    ) -> Result<(), Failure> {
        let sizes: Vec<usize> =
            sizes.iter().map(|size| self.natural(frame, size)).collect::<Result<_, _>>()?;
        let n = checked_count(&sizes)?;
        self.counters.kind(Kind::Step, n);
        let mut rows: Vec<Rows> = body.results.iter().map(|_| Rows::new(n)).collect();
        for i in 0..sizes.len() {
            self.set(frame, indices + i as Slot, Value::Int(0));
        }
        for _ in 0..n {
            self.block(frame, body)?;
            for (rows, result) in rows.iter_mut().zip(&body.results) {
                let value = self.fetch(frame, result);
                rows.push(value)?;
            }
            self.next_index(frame, indices, &sizes);
        }
        for (i, rows) in rows.into_iter().enumerate() {
            let array = self.finish(frame, rows, &sizes, stmt.dest + i as Slot)?;
            self.set(frame, stmt.dest + i as Slot, Value::array(array));
        }
        Ok(())
    }

    #[inline]
    fn next_index(&mut self, frame: Frame<'_>, indices: Slot, sizes: &[usize]) {
        for (axis, size) in sizes.iter().enumerate().rev() {
            let index = &mut self.stack[frame.base + indices as usize + axis];
            let Value::Int(value) = index else { return };
            *value += 1;
            if *value < *size as i64 {
                return;
            }
            *value = 0;
        }
    }

    /// The array of some rows; if there is none, its type says what it looks like.
    fn finish(
        &self,
        frame: Frame<'_>,
        rows: Rows,
        outer: &[usize],
        dest: Slot,
    ) -> Result<Array, Failure> {
        if let Some(array) = rows.finish(outer) {
            return Ok(array);
        }
        let mut elem = frame.function.types.get(dest as usize).and_then(Option::as_ref);
        for _ in outer {
            elem = match elem {
                Some(Type::Array(_, inner)) => Some(inner),
                _ => None,
            };
        }
        match elem {
            Some(elem) => self.empty(frame, outer, elem),
            None => Ok(Rows::new(0).finish_or_empty(outer)),
        }
    }

    /// An array written element by element.
    pub(crate) fn array_literal(
        &mut self,
        frame: Frame<'_>,
        parts: &[Arg],
        dest: Slot,
    ) -> Result<Value, Failure> {
        let mut rows = Rows::new(parts.len());
        for part in parts {
            let value = self.fetch(frame, part);
            rows.push(value)?;
        }
        Ok(Value::array(self.finish(frame, rows, &[parts.len()], dest)?))
    }

    fn begin_state(&mut self, frame: Frame<'_>, inits: &[Arg], state: Slot) {
        for (i, init) in inits.iter().enumerate() {
            let value = self.fetch(frame, init);
            self.set(frame, state + i as Slot, value);
        }
    }

    /// Makes the results of the body the state; all are read before any is written.
    #[inline]
    fn next_state(&mut self, frame: Frame<'_>, results: &[Arg], state: Slot) {
        if let [result] = results {
            let value = self.fetch(frame, result);
            self.set(frame, state, value);
            return;
        }
        let mark = self.scratch.len();
        for result in results {
            let value = self.fetch(frame, result);
            self.scratch.push(value);
        }
        let first = frame.base + state as usize;
        for (slot, value) in self.stack[first..].iter_mut().zip(self.scratch.drain(mark..)) {
            *slot = value;
        }
    }

    fn end_state(&mut self, frame: Frame<'_>, n: usize, state: Slot, dest: Slot) {
        for i in 0..n as Slot {
            let value = std::mem::take(&mut self.stack[frame.base + (state + i) as usize]);
            self.set(frame, dest + i, value);
        }
    }

    /// The arrays that a loop goes through, and their common size.
    fn loop_arrays(
        &mut self,
        frame: Frame<'_>,
        args: &[Arg],
    ) -> Result<(Vec<Value>, usize), Failure> {
        let arrays: Vec<Value> = args.iter().map(|arg| self.fetch_known(frame, arg)).collect();
        let mut size = None;
        for value in &arrays {
            let found = as_array(value)?.shape.first().copied();
            let found = found.ok_or_else(|| malformed("an axis is missing"))?;
            if size.is_some_and(|size| size != found) {
                let expected = size.into_iter().collect();
                return Err(Fault::Sizes { expected, found: vec![found] }.into());
            }
            size = Some(found);
        }
        Ok((arrays, size.unwrap_or(0)))
    }

    fn next_elems(
        &mut self,
        frame: Frame<'_>,
        arrays: &[Value],
        position: usize,
        elems: Slot,
    ) -> Result<(), Failure> {
        for (i, array) in arrays.iter().enumerate() {
            let value = as_array(array)?.row(1, position);
            self.set(frame, elems + i as Slot, value);
        }
        Ok(())
    }

    #[inline(never)]
    fn fold(&mut self, frame: Frame<'_>, stmt: &Stmt, fold: &Loop) -> Result<(), Failure> {
        self.begin_state(frame, &fold.inits, fold.state);
        let (arrays, n) = self.loop_arrays(frame, &fold.arrays)?;
        self.counters.kind(Kind::Step, n);
        let (next, more) = fold.body.results.split_at(fold.inits.len());
        let mut rows: Vec<Rows> = more.iter().map(|_| Rows::new(n)).collect();
        for i in 0..n {
            self.next_elems(frame, &arrays, i, fold.elems)?;
            self.block(frame, &fold.body)?;
            self.collect(frame, more, &mut rows)?;
            self.next_state(frame, next, fold.state);
        }
        self.end_state(frame, fold.inits.len(), fold.state, stmt.dest);
        self.collected(frame, rows, n, stmt.dest + fold.inits.len() as Slot)?;
        Ok(())
    }

    /// Adds a row to each array of what is collected.
    #[inline]
    fn collect(
        &mut self,
        frame: Frame<'_>,
        results: &[Arg],
        rows: &mut [Rows],
    ) -> Result<(), Failure> {
        for (result, rows) in results.iter().zip(rows) {
            let value = self.peek(frame, result).clone();
            self.counters.moved(1);
            rows.push(value)?;
        }
        Ok(())
    }

    fn collected(
        &mut self,
        frame: Frame<'_>,
        rows: Vec<Rows>,
        n: usize,
        dest: Slot,
    ) -> Result<(), Failure> {
        for (dest, rows) in (dest..).zip(rows) {
            let array = self.finish(frame, rows, &[n], dest)?;
            self.set(frame, dest, Value::array(array));
        }
        Ok(())
    }

    #[inline(never)]
    fn scan(&mut self, frame: Frame<'_>, stmt: &Stmt, scan: &Loop) -> Result<(), Failure> {
        self.begin_state(frame, &scan.inits, scan.state);
        let (arrays, n) = self.loop_arrays(frame, &scan.arrays)?;
        self.counters.kind(Kind::Step, n);
        let mut rows: Vec<Rows> = scan.inits.iter().map(|_| Rows::new(n)).collect();
        for i in 0..n {
            self.next_elems(frame, &arrays, i, scan.elems)?;
            self.block(frame, &scan.body)?;
            self.next_state(frame, &scan.body.results, scan.state);
            for (k, rows) in rows.iter_mut().enumerate() {
                rows.push(self.stack[frame.base + scan.state as usize + k].clone())?;
            }
        }
        for (k, rows) in rows.into_iter().enumerate() {
            let dest = stmt.dest + k as Slot;
            let array = self.finish(frame, rows, &[n], dest)?;
            self.set(frame, dest, Value::array(array));
        }
        Ok(())
    }

    #[inline(never)]
    fn iterate(
        &mut self,
        frame: Frame<'_>,
        stmt: &Stmt,
        (count, index): (i64, Slot),
        (inits, state): (&[Arg], Slot),
        body: &Block,
    ) -> Result<(), Failure> {
        self.begin_state(frame, inits, state);
        for i in 0..count {
            self.counters.kind(Kind::Step, 1);
            self.set(frame, index, Value::Int(i));
            self.block(frame, body)?;
            self.next_state(frame, &body.results, state);
        }
        self.end_state(frame, inits.len(), state, stmt.dest);
        Ok(())
    }

    #[inline(never)]
    fn while_op(
        &mut self,
        frame: Frame<'_>,
        stmt: &Stmt,
        (inits, state): (&[Arg], Slot),
        cond: &Block,
        body: &Block,
    ) -> Result<(), Failure> {
        self.begin_state(frame, inits, state);
        let (next, more) = body.results.split_at(inits.len());
        let mut rows: Vec<Rows> = more.iter().map(|_| Rows::new(0)).collect();
        let mut n_steps = 0;
        loop {
            self.block(frame, cond)?;
            let Value::Bool(holds) = self.single(frame, cond)? else {
                return Err(malformed("a Bool is expected").into());
            };
            if !holds {
                break;
            }
            self.counters.kind(Kind::Step, 1);
            self.block(frame, body)?;
            self.collect(frame, more, &mut rows)?;
            self.next_state(frame, next, state);
            n_steps += 1;
        }
        self.end_state(frame, inits.len(), state, stmt.dest);
        if !more.is_empty() {
            let dest = stmt.dest + inits.len() as Slot;
            self.set(frame, dest, Value::Int(n_steps as i64));
            self.collected(frame, rows, n_steps, dest + 1)?;
        }
        Ok(())
    }
}

/// The array that a value is.
pub(crate) fn as_array(value: &Value) -> Result<&Array, Fault> {
    match value {
        Value::Array(array) => Ok(array),
        Value::Real(_)
        | Value::Int(_)
        | Value::Bool(_)
        | Value::Str(_)
        | Value::Tuple(_)
        | Value::Data(_)
        | Value::Dual(..)
        | Value::Delta(_)
        | Value::Closure(_) => Err(malformed("an array is expected")),
    }
}
