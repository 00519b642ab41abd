//! The derivative operators by reverse mode: one recorded run, then one sweep for each cotangent.
//!
//! Paper: Krawiec et al., Figure 15: `initVars`, the run of D[f], `eval`, `lookup`. The figure
//! differentiates the product of the result with its cotangent; here the cotangent is put on the
//! identifiers of the result, so that one recording serves any number of them.
//! See Note [Reverse mode and levels] at the end.

use std::sync::Arc;

use ir::Beside;

use crate::array::{Array, Elems};
use crate::closure::Closure;
use crate::cost::Kind;
use crate::error::{Failure, Fault};
use crate::eval::Evaluator;
use crate::kept::remembered;
use crate::point::Point;
use crate::stack::limited;
use crate::tape::{Cotangents, Id, Mark, Whole};
use crate::taped::Variables;
use crate::tree::{Leaves, join, mismatch, split, walk, zero_of_discrete};
use crate::value::Value;

/// A gradient taken inside of code that is differentiated itself.
pub(crate) struct Derivative {
    /// The function and the point, with Deltas.
    function: Arc<Closure>,
    level: u32,
    point: Value,
    /// The cotangent of the function's result, with Deltas.
    cotangent: Value,
    /// The gradient, with the Deltas of this entry.
    gradient: Value,
}

impl Derivative {
    /// What it depends on: the function, the point and the cotangent.
    pub(crate) fn made_of(&self) -> (&Closure, [&Value; 2]) {
        (&self.function, [&self.point, &self.cotangent])
    }
}

/// A run of a function that was recorded from `start` on, of inputs whose identifiers come first.
pub(crate) struct Recording {
    pub(crate) start: Mark,
    pub(crate) inputs: Value,
    pub(crate) output: Value,
}

impl Evaluator {
    /// Runs a function at variables. If it has Deltas, they belong to a recording around this one, and
    /// what they stand for is constant.
    pub(crate) fn recording(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
    ) -> Result<Recording, Failure> {
        let taped = self.taped(function)?;
        let start = self.tape.mark();
        let around = self.tape.raise(start);
        let inputs = self.variables(&at.value, Whole::Inputs)?;
        let output = self.apply_closure(&taped, at.arguments(inputs.clone())?)?;
        self.tape.lower(around);
        Ok(Recording { start, inputs, output })
    }

    /// Gives every real of a value an identifier; the tape has one entry for all of them.
    pub(crate) fn variables(&mut self, value: &Value, what: Whole) -> Result<Value, Failure> {
        let first = self.tape.mark().next;
        let mut variables = Variables { next: first };
        let res = walk(0, value, &mut variables)?;
        self.tape.whole((variables.next - first) as usize, what)?;
        Ok(res)
    }

    /// The cotangent of the inputs of a recording, for that of its output. The recording stays.
    pub(crate) fn pull_back(
        &mut self,
        run: &Recording,
        level: u32,
        cotangent: &Value,
    ) -> Result<Value, Failure> {
        let end = self.tape.mark();
        let mut to = Cotangents::new(run.start.next, end.next, self.limits.precision)?;
        seed(&run.output, &flipped(level, cotangent)?, &mut to)?;
        let around = self.tape.raise(run.start);
        self.sweep(run.start, end, &mut to)?;
        self.tape.lower(around);
        Ok(flipped(level, &walk(0, &run.inputs, &mut Lookup(&to))?)?)
    }

    /// The cotangents of inputs recorded from `start` on, if each of some reals has the cotangent one.
    pub(crate) fn pull_back_ones(
        &mut self,
        start: Mark,
        inputs: &[Value],
        reals: &[Value],
    ) -> Result<Vec<Value>, Failure> {
        let end = self.tape.mark();
        let mut to = Cotangents::new(start.next, end.next, self.limits.precision)?;
        for real in reals {
            seed(real, &Value::Real(1.0), &mut to)?;
        }
        self.sweep(start, end, &mut to)?;
        Ok(inputs.iter().map(|it| walk(0, it, &mut Lookup(&to))).collect::<Result<_, _>>()?)
    }

    pub(crate) fn forget(&mut self, run: &Recording) {
        self.tape.rewind(run.start);
    }

    /// Goes from the last entry to the first; every cotangent is complete when its turn comes.
    pub(crate) fn sweep(
        &mut self,
        from: Mark,
        to: Mark,
        cotangents: &mut Cotangents,
    ) -> Result<(), Failure> {
        let mut at = to;
        while at.wholes > from.wholes {
            let Some(entry) = self.tape.entry(at.wholes - 1) else { break };
            let (what, first, len) = (entry.what.clone(), entry.first, entry.len as usize);
            self.sweep_scalars(entry.position, &mut at, cotangents);
            at.wholes -= 1;
            at.next = first;
            self.counters.kind(Kind::Sweep, what.n_contributions(len));
            match &*what {
                Whole::Derivative(_) | Whole::Pullback(_) if !cotangents.any(first, len) => {}
                Whole::Derivative(derivative) => self.sweep_derivative(derivative, cotangents)?,
                Whole::Pullback(it) => self.sweep_pullback(it, cotangents)?,
                Whole::Inputs | Whole::Combine(_) | Whole::Sum { .. } | Whole::Scatter { .. } => {
                    what.sweep(first, len, cotangents);
                }
            }
        }
        self.sweep_scalars(from.position, &mut at, cotangents);
        Ok(())
    }

    /// The contributions of scalars down to a position.
    fn sweep_scalars(&mut self, down_to: usize, at: &mut Mark, cotangents: &mut Cotangents) {
        self.counters.kind(Kind::Sweep, at.position - down_to);
        let mut id = at.next - 1;
        let mut cotangent = cotangents.get(Id(id));
        self.tape.scalars.backwards(down_to, at.position, |target, factor, is_first| {
            if cotangent != 0.0 {
                cotangents.add(target, factor, cotangent);
            }
            if is_first {
                id -= 1;
                cotangent = cotangents.get(Id(id));
            }
        });
        at.position = down_to;
        at.next = id + 1;
    }

    /// The gradient of a function with Deltas, recorded as a whole.
    pub(crate) fn taped_gradient(
        &mut self,
        function: &Arc<Closure>,
        at: &Point,
        cotangent: &Value,
    ) -> Result<Value, Failure> {
        let inner = Point { level: at.level, arity: at.arity, value: self.strip(&at.value)? };
        let plain = self.strip(cotangent)?;
        let gradient = self.swept(function, remembered(function, at), &inner, &plain)?;
        // The identifiers of the gradient are those that the entry will have.
        let mut variables = Variables { next: self.tape.mark().next };
        let first = variables.next;
        let gradient = walk(0, &gradient, &mut variables)?;
        let derivative = Derivative {
            function: function.clone(),
            level: at.level,
            point: at.value.clone(),
            cotangent: cotangent.clone(),
            gradient: gradient.clone(),
        };
        let what = Whole::Derivative(Box::new(derivative));
        self.tape.whole((variables.next - first) as usize, what)?;
        Ok(gradient)
    }

    /// The cotangent w of a gradient g = J^T c goes to what g depends on: <w, J^T c> = <J w, c>, and
    /// J w is a forward derivative, which is recorded now and swept at once.
    fn sweep_derivative(
        &mut self,
        it: &Derivative,
        cotangents: &mut Cotangents,
    ) -> Result<(), Failure> {
        let direction = flipped(it.level, &walk(0, &it.gradient, &mut Lookup(cotangents))?)?;
        let derived = self.taped_derived(&it.function)?;
        let start = self.tape.mark();
        let at = Point { level: it.level, arity: derived.arity(), value: it.point.clone() };
        let input = self.zip(&it.point, &direction)?;
        let output = self.apply_closure(&derived, at.arguments(input)?)?;
        let tangent = self.tangent(&output)?;
        let end = self.tape.mark();
        cotangents.extend(end.next)?;
        seed(&tangent, &flipped(it.level, &self.strip(&it.cotangent)?)?, cotangents)?;
        seed(&it.cotangent, &flipped(it.level, &self.strip(&tangent)?)?, cotangents)?;
        self.sweep(start, end, cotangents)?;
        self.tape.rewind(start);
        cotangents.truncate(start.next);
        Ok(())
    }
}

/// Adds a cotangent to the identifiers of a value; their structures must agree.
pub(crate) fn seed(value: &Value, cotangent: &Value, to: &mut Cotangents) -> Result<(), Failure> {
    limited(|| match (value, cotangent) {
        (Value::Dual(id, _), Value::Real(weight)) => {
            to.add(id.0, 1.0, *weight);
            Ok(())
        }
        (Value::Real(_), Value::Real(_))
        | (Value::Int(_), Value::Int(_))
        | (Value::Bool(_), Value::Bool(_))
        | (Value::Str(_), Value::Str(_))
        | (Value::Closure(_), Value::Closure(_)) => Ok(()),
        (Value::Tuple(x), Value::Tuple(w)) if x.len() == w.len() => seed_all(x, w, to),
        (Value::Data(x), Value::Data(w)) if x.con.tag == w.con.tag => {
            seed_all(&x.fields, &w.fields, to)
        }
        (Value::Array(x), Value::Array(w)) => seed_arrays(x, w, to),
        _ => Err(Failure::from(mismatch(value, cotangent)).beside(Beside::Cotangent)),
    })
}

fn seed_all(values: &[Value], cotangents: &[Value], to: &mut Cotangents) -> Result<(), Failure> {
    values.iter().zip(cotangents).try_for_each(|(x, w)| seed(x, w, to))
}

fn seed_arrays(x: &Array, w: &Array, to: &mut Cotangents) -> Result<(), Failure> {
    if x.is_empty() && w.is_empty() {
        return Ok(());
    }
    let wrong = || {
        let fault = mismatch(&Value::array(x.clone()), &Value::array(w.clone()));
        Failure::from(fault).beside(Beside::Cotangent)
    };
    if x.shape != w.shape {
        return Err(wrong());
    }
    match (&x.elems, &w.elems) {
        (Elems::Dual(_, ids), Elems::Real(weights)) => {
            ids.iter().zip(weights.iter()).for_each(|(id, weight)| to.add(id.0, 1.0, *weight));
            Ok(())
        }
        (Elems::Real(_), Elems::Real(_))
        | (Elems::Int(_), Elems::Int(_))
        | (Elems::Bool(_), Elems::Bool(_)) => Ok(()),
        (Elems::Tuple(x), Elems::Tuple(w)) if x.len() == w.len() => {
            x.iter().zip(w).try_for_each(|(x, w)| seed_arrays(x, w, to))
        }
        (Elems::Boxed(x), Elems::Boxed(w)) => seed_all(x, w, to),
        _ => Err(wrong()),
    }
}

/// The cotangents in the place of identifiers: `lookup` of Krawiec et al., Figure 15.
pub(crate) struct Lookup<'a>(pub(crate) &'a Cotangents);

impl Leaves for Lookup<'_> {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        if let Value::Array(array) = value {
            let data = match &array.elems {
                Elems::Dual(_, ids) => self.0.of(ids),
                Elems::Real(data) => vec![0.0; data.len()],
                Elems::Int(_) | Elems::Bool(_) | Elems::Delta(_) => return Ok(value.clone()),
                Elems::Tuple(_) | Elems::Boxed(_) | Elems::Lanes(..) => return Ok(value.clone()),
            };
            return Ok(Value::array(Array::flat(array.shape.clone(), data)));
        }
        let id = crate::tape::delta_part(value).unwrap_or(Id::ZERO);
        Ok(Value::Real(self.0.get(id)))
    }

    fn discrete(&mut self, value: &Value) -> Value {
        zero_of_discrete(value)
    }

    fn function(&mut self, function: &Arc<Closure>) -> Result<Value, Fault> {
        Ok(Value::Closure(function.clone()))
    }
}

/// The reals of every leaf in the opposite order.
fn flipped(level: u32, value: &Value) -> Result<Value, Fault> {
    if level == 0 { Ok(value.clone()) } else { walk(level, value, &mut Flip) }
}

struct Flip;

impl Leaves for Flip {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        fn flip(tree: &Value) -> Value {
            match split(tree) {
                Some((first, second)) => join(flip(&second), flip(&first)),
                None => tree.clone(),
            }
        }
        Ok(flip(value))
    }

    fn function(&mut self, function: &Arc<Closure>) -> Result<Value, Fault> {
        Ok(Value::Closure(function.clone()))
    }
}

// Note [Reverse mode and levels]
// ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// Forward outside, reverse inside. At level k the reals of the program are trees of 2^k reals, the
// coefficients of a number with k infinitesimals: f is a function on such numbers, and so is its
// gradient. Reverse mode does not see that. It records every real by itself, from a function that
// forward mode made, and that is enough: with y the coefficient of the product of all infinitesimals
// in the result, and x the coefficient of a set S of them in an argument, dy/dx is the coefficient
// of the complement of S in the gradient of f, because a change of x by h changes the argument by h
// times the product of S. So one sweep from y gives all coefficients, and the complement of a set is
// the leaf with its reals in the opposite order (`flipped`).
//
// Reverse outside, anything inside. Reverse-mode code is not differentiated again. Where it meets a
// derivative operator, the function has an origin, the code without Deltas, and:
// - a directional derivative is that of the origin, with Deltas (`taped_derived`);
// - a gradient is computed by a recording of its own, for which what was recorded before is
//   constant (`Tape::raise`), and is one entry of the tape. The derivative of a gradient J^T c along w is that of <J w, c>: when its turn comes, the
//   directional derivative of the origin along w is recorded, at the end of the tape, and swept.
//   The point, and what the function captured, have their Deltas from the outer recording, so what
//   they are owed goes to them directly.
// So derivatives nest to any order, and each costs a constant factor.
