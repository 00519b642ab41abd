//! Functions that remember a run of them: `linearise`.
//!
//! Such a function is the function itself, wherever it is applied or differentiated. Only the cotangents
//! of the argument at the point of that run need no other one: by reverse mode the run was recorded, on
//! a tape of its own, and each of them is a sweep; by forward mode the derivatives in all directions are
//! kept, by that run if one is enough for them (`directions.rs`), or when they are wanted for the first time.
//! Tangents of the result are a sweep of the same tape (`push.rs`); by forward mode they are combinations of
//! these derivatives, and each is a run as long as there are none.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::closure::Closure;
use crate::error::{Failure, Fault};
use crate::eval::{Evaluator, Mode};
use crate::forward::{combination, product};
use crate::memory::{charge, refund, reserve};
use crate::point::{Point, leaves_of};
use crate::reverse::Recording;
use crate::tape::Tape;
use crate::value::Value;

/// What is remembered of a run.
pub struct Memory {
    level: u32,
    point: Value,
    recorded: Mutex<Option<Recorded>>,
    columns: Mutex<Option<Arc<Columns>>>,
}

/// A run on a tape of its own.
struct Recorded {
    tape: Tape,
    run: Recording,
}

impl Drop for Recorded {
    fn drop(&mut self) {
        self.tape.rewind(self.run.start);
    }
}

/// The derivatives in the direction of each real of the point, and one of them as it came.
struct Columns {
    first: Value,
    /// Whether they came with the value, and so are there for everybody from the beginning.
    with_value: bool,
    columns: Vec<Vec<f64>>,
    bytes: usize,
}

impl Columns {
    fn new() -> Columns {
        Columns { first: Value::default(), with_value: false, columns: Vec::new(), bytes: 0 }
    }

    /// The next one of so many.
    fn add(&mut self, n: usize, level: u32, tangent: &Value) -> Result<(), Fault> {
        let column = leaves_of(level, tangent)?;
        if self.columns.is_empty() {
            reserve(column.len().checked_mul(n), size_of::<f64>())?;
            self.bytes = column.len() * n * size_of::<f64>();
            charge(self.bytes);
            self.first = tangent.clone();
        }
        self.columns.push(column);
        Ok(())
    }
}

impl Drop for Columns {
    fn drop(&mut self) {
        refund(self.bytes);
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a run at {:?}", self.point)
    }
}

impl Memory {
    fn is_at(&self, at: &Point) -> bool {
        self.level == at.level && same(&self.point, &at.value)
    }
}

/// What is in it, also after a panic elsewhere: it is whole at any time.
pub(crate) fn locked<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a function remembers of a run at this point.
pub(crate) fn remembered(function: &Closure, at: &Point) -> Option<(Arc<Closure>, Arc<Memory>)> {
    match function {
        Closure::Kept { inner, memory } if memory.is_at(at) => {
            Some((inner.clone(), memory.clone()))
        }
        Closure::Kept { .. } | Closure::Code { .. } => None,
        Closure::Half { .. } | Closure::Zeroed(_) | Closure::Turned { .. } => None,
    }
}

/// Whether two values are one. Arrays and values of sum types are not looked into.
fn same(x: &Value, y: &Value) -> bool {
    match (x, y) {
        (Value::Real(x), Value::Real(y)) => x.to_bits() == y.to_bits(),
        (Value::Dual(i, x), Value::Dual(j, y)) => i == j && x.to_bits() == y.to_bits(),
        (Value::Int(x), Value::Int(y)) => x == y,
        (Value::Bool(x), Value::Bool(y)) => x == y,
        (Value::Array(x), Value::Array(y)) => Arc::ptr_eq(x, y),
        (Value::Data(x), Value::Data(y)) => Arc::ptr_eq(x, y),
        (Value::Tuple(x), Value::Tuple(y)) => {
            x.len() == y.len() && x.iter().zip(y.iter()).all(|(x, y)| same(x, y))
        }
        _ => false,
    }
}

impl Evaluator {
    /// The value, and the function that remembers how it came about.
    pub(crate) fn linearise(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
    ) -> Result<Value, Failure> {
        let is_recorded = self.limits.mode == Mode::Reverse && !function.is_taped();
        let (mut recorded, mut columns) = (None, None);
        let value = if is_recorded {
            let run = self.recorded(function, at)?;
            let value = self.strip(&run.run.output)?;
            recorded = Some(run);
            value
        } else if self.limits.mode == Mode::Forward
            && let Some((value, found)) = self.value_and_columns(function, at)?
        {
            columns = Some(Arc::new(found));
            value
        } else {
            // The value of a function with Deltas has those of the recording around this one.
            self.run_plain(function, at)?
        };
        let (level, point) = (at.level, at.value.clone());
        let (recorded, columns) = (Mutex::new(recorded), Mutex::new(columns));
        let memory = Arc::new(Memory { level, point, recorded, columns });
        let kept = Closure::Kept { inner: function.clone(), memory };
        Ok(Value::pair(value, Value::Closure(Arc::new(kept))))
    }

    /// A run on a tape of its own.
    fn recorded(&mut self, function: &Arc<Closure>, at: &Point) -> Result<Recorded, Failure> {
        let beside = self.tape.beside();
        let around = std::mem::replace(&mut self.tape, beside);
        let run = self.recording(function, at);
        let mut tape = std::mem::replace(&mut self.tape, around);
        self.tape.note(&tape);
        tape.shrink();
        Ok(Recorded { run: run?, tape })
    }

    /// The cotangent of the argument by a sweep, of the run that the function remembers, or of another one.
    /// `at` is the point without Deltas.
    pub(crate) fn swept(
        &mut self,
        function: &Arc<Closure>,
        remembered: Option<(Arc<Closure>, Arc<Memory>)>,
        at: &Point,
        cotangent: &Value,
    ) -> Result<Value, Failure> {
        let Some((inner, memory)) = remembered else {
            let run = self.recording(function, at)?;
            let res = self.pull_back(&run, at.level, cotangent)?;
            self.forget(&run);
            return Ok(res);
        };
        self.with_run(&inner, &memory, at, |it, run| it.pull_back(run, at.level, cotangent))
    }

    /// The tangent of the result, by the run that the function remembers if there is one.
    pub(crate) fn reverse_jvp(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
        direction: &Value,
    ) -> Result<Value, Failure> {
        if !function.is_taped()
            && let Some((inner, memory)) = remembered(function, at)
            && let Some(tangent) =
                self.with_run(&inner, &memory, at, |it, run| it.push_forward(run, direction))?
        {
            return Ok(tangent);
        }
        self.jvp(function, at, direction)
    }

    /// Does something with the run that is remembered, while its tape is the tape.
    fn with_run<T>(
        &mut self,
        inner: &Arc<Closure>,
        memory: &Memory,
        at: &Point,
        work: impl FnOnce(&mut Evaluator, &Recording) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let known = locked(&memory.recorded).take();
        let mut recorded = match known {
            Some(recorded) => recorded,
            None => self.recorded(inner, at)?,
        };
        std::mem::swap(&mut self.tape, &mut recorded.tape);
        let res = work(self, &recorded.run);
        std::mem::swap(&mut self.tape, &mut recorded.tape);
        *locked(&memory.recorded) = Some(recorded);
        res
    }

    /// The cotangent of the argument by products with the derivatives in all directions.
    pub(crate) fn kept_vjp(
        &mut self,
        (inner, memory): (Arc<Closure>, Arc<Memory>),
        at: &Point,
        cotangent: &Value,
    ) -> Result<Value, Failure> {
        let known = locked(&memory.columns).clone();
        let columns = match known {
            Some(columns) => columns,
            None => {
                let made = Arc::new(self.columns(&inner, at)?);
                *locked(&memory.columns) = Some(made.clone());
                made
            }
        };
        // Only to see that the cotangent has the structure of the result.
        self.zip(&columns.first, cotangent)?;
        let weights = leaves_of(at.level, cotangent)?;
        let (width, precision) = (at.width(), self.limits.precision);
        let mut reals = Vec::new();
        for column in &columns.columns {
            reals.extend(product(&weights, column, width, precision));
        }
        Ok(at.assemble(&|i| at.leaf(&reals, i))?)
    }

    /// The tangent of the result, by the derivatives in all directions if the function remembers them.
    pub(crate) fn forward_jvp(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
        direction: &Value,
    ) -> Result<Value, Failure> {
        let known =
            remembered(function, at).and_then(|(_, memory)| locked(&memory.columns).clone());
        // Others come too late: what a direction gives is not to depend on what was asked before.
        let Some(columns) = known.filter(|it| it.with_value) else {
            return self.jvp(function, at, direction);
        };
        // Only to see that the direction has the structure of the point.
        self.zip(&at.value, direction)?;
        let weights = leaves_of(at.level, direction)?;
        let result = Point { level: at.level, arity: 1, value: columns.first.clone() };
        let (len, width) = (result.n_leaves()? * at.width(), at.width());
        let precision = self.limits.precision;
        let reals = combination(&weights, &columns.columns, len, width, precision);
        Ok(result.assemble(&|i| result.leaf(&reals, i))?)
    }

    /// The value and the derivatives in all directions by one run, if that is enough.
    fn value_and_columns(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
    ) -> Result<Option<(Value, Columns)>, Failure> {
        let n = at.n_leaves()?;
        if n == 0 || n > self.lanes {
            return Ok(None);
        }
        let Some(in_step) = self.in_step(function, at, 0..n)? else { return Ok(None) };
        let mut columns = Columns::new();
        columns.with_value = true;
        for i in 0..n {
            let tangent = in_step.tangent(at.level, i);
            // Where there is no room for all of them, there may be for the value.
            if tangent.and_then(|it| columns.add(n, at.level, &it)).is_err() {
                return Ok(None);
            }
        }
        Ok(Some((in_step.value, columns)))
    }

    fn columns(&mut self, function: &Arc<Closure>, at: &Point) -> Result<Columns, Failure> {
        let n = at.n_leaves()?;
        let mut columns = Columns::new();
        let value = self.in_each_direction(function, at, &mut |_, _, tangent| {
            Ok(columns.add(n, at.level, tangent)?)
        })?;
        if n == 0 {
            columns.first = value;
        }
        Ok(columns)
    }
}
