//! Dual numbers on values: pairing with tangents, lifting, forgetting tangents, and changing the
//! order in which pairs are nested. See Note [Levels] at the end.

use std::sync::Arc;

use crate::array::{Array, Elems};
use crate::closure::{Closure, Part, Turn, Way};
use crate::error::{Failure, Fault, malformed};
use crate::eval::Evaluator;
use crate::stack::limited;
use crate::tree::{Leaves, into_array, join, mismatch, split, unit, walk, zero_of_discrete};
use crate::value::{Data, Fields, Value};

impl Evaluator {
    /// Every leaf `v` of `level` becomes `(v, 0)`.
    pub(crate) fn lift(&mut self, level: u32, value: &Value) -> Result<Value, Failure> {
        walk(level, value, &mut Lift { level, evaluator: self })
    }

    /// Every leaf `(v, w)`, with `v` and `w` of `level`, becomes `v`.
    pub(crate) fn primal(&self, level: u32, value: &Value) -> Result<Value, Fault> {
        walk(level + 1, value, &mut Half { part: Part::Primal, level })
    }

    /// The order in which the pairs of leaves are nested is changed.
    pub(crate) fn turned(&self, turn: Turn, value: &Value) -> Value {
        let height = turn.level + 1 + turn.below;
        walk(height, value, &mut Turning(turn)).unwrap_or_else(|_| value.clone())
    }

    /// Of every innermost pair, the second part.
    pub(crate) fn tangent(&self, value: &Value) -> Result<Value, Failure> {
        Ok(walk(1, value, &mut Half { part: Part::Tangent, level: 0 })?)
    }

    /// Every leaf `(v, w)`, with `v` and `w` of `level`, becomes `w`.
    pub(crate) fn tangent_at(&self, level: u32, value: &Value) -> Result<Value, Fault> {
        walk(level + 1, value, &mut Half { part: Part::Tangent, level })
    }

    /// Of every innermost pair, the first part.
    pub(crate) fn innermost_primal(&self, value: &Value) -> Result<Value, Failure> {
        self.primal(0, value).map_err(Failure::from)
    }

    /// Every real becomes the pair of it and its tangent; their structures must agree.
    pub(crate) fn zip(&mut self, value: &Value, tangent: &Value) -> Result<Value, Failure> {
        limited(|| match (value, tangent) {
            (Value::Real(_) | Value::Dual(..), Value::Real(_) | Value::Dual(..)) => {
                Ok(Value::pair(value.clone(), tangent.clone()))
            }
            (Value::Real(_), Value::Array(lanes)) if lanes.shape.is_empty() => {
                Ok(Value::pair(value.clone(), tangent.clone()))
            }
            (Value::Int(_), Value::Int(_))
            | (Value::Bool(_), Value::Bool(_))
            | (Value::Str(_), Value::Str(_)) => Ok(value.clone()),
            (Value::Tuple(x), Value::Tuple(dx)) if x.len() == dx.len() => {
                Ok(Value::tuple(self.zip_all(x, dx)?))
            }
            (Value::Data(x), Value::Data(dx)) if x.con.tag == dx.con.tag => {
                let fields = Fields::new(self.zip_all(&x.fields, &dx.fields)?);
                Ok(Value::Data(Arc::new(Data { con: x.con.clone(), fields })))
            }
            (Value::Array(x), Value::Array(dx)) => self.zip_arrays(x, dx),
            (Value::Closure(function), Value::Closure(_)) => {
                Ok(Value::Closure(self.derived_like(function)?))
            }
            _ => Err(mismatch(value, tangent).into()),
        })
    }

    /// The forward derivative of a function, with Deltas if it has them.
    pub(crate) fn derived_like(
        &mut self,
        function: &Arc<Closure>,
    ) -> Result<Arc<Closure>, Failure> {
        if function.is_taped() { self.taped_derived(function) } else { self.derived(function) }
    }

    fn zip_all(&mut self, values: &[Value], tangents: &[Value]) -> Result<Vec<Value>, Failure> {
        values.iter().zip(tangents).map(|(x, dx)| self.zip(x, dx)).collect()
    }

    fn zip_arrays(&mut self, x: &Arc<Array>, dx: &Arc<Array>) -> Result<Value, Failure> {
        let unknown = |it: &Array| matches!(&it.elems, Elems::Boxed(data) if data.is_empty());
        if x.is_empty() && dx.is_empty() {
            // One of them may not know its type.
            if unknown(x) {
                return Ok(Value::Array(dx.clone()));
            }
            if unknown(dx) && !matches!(x.elems, Elems::Boxed(_)) {
                return self.zip_arrays(x, x);
            }
        }
        if x.shape != dx.shape {
            let fault = mismatch(&Value::Array(x.clone()), &Value::Array(dx.clone()));
            return Err(fault.into());
        }
        match (&x.elems, &dx.elems) {
            (
                Elems::Real(_) | Elems::Dual(..),
                Elems::Real(_) | Elems::Dual(..) | Elems::Lanes(..),
            ) => Ok(join(Value::Array(x.clone()), Value::Array(dx.clone()))),
            (Elems::Int(_), Elems::Int(_)) | (Elems::Bool(_), Elems::Bool(_)) => {
                Ok(Value::Array(x.clone()))
            }
            (Elems::Tuple(xs), Elems::Tuple(dxs)) if xs.len() == dxs.len() => {
                let mut parts = Vec::with_capacity(xs.len());
                for (part, tangent) in xs.iter().zip(dxs) {
                    let zipped =
                        self.zip_arrays(&Arc::new(part.clone()), &Arc::new(tangent.clone()))?;
                    parts.push(into_array(zipped)?);
                }
                Ok(Value::array(Array { shape: x.shape.clone(), elems: Elems::Tuple(parts) }))
            }
            (Elems::Boxed(xs), Elems::Boxed(dxs)) => {
                Ok(Value::array(Array::flat(x.shape.clone(), self.zip_all(xs, dxs)?)))
            }
            _ => Err(mismatch(&Value::Array(x.clone()), &Value::Array(dx.clone())).into()),
        }
    }
}

struct Lift<'a> {
    level: u32,
    evaluator: &'a mut Evaluator,
}

impl Leaves for Lift<'_> {
    type Error = Failure;

    fn leaf(&mut self, value: &Value) -> Result<Value, Failure> {
        Ok(join(value.clone(), unit(value, None)))
    }

    fn function(&mut self, function: &Arc<Closure>) -> Result<Value, Failure> {
        lifted_function(self.evaluator, self.level, function)
    }
}

/// The derivative of a function, as a leaf of `level`.
pub(crate) fn lifted_function(
    evaluator: &mut Evaluator,
    level: u32,
    function: &Arc<Closure>,
) -> Result<Value, Failure> {
    let inner = evaluator.derived_like(function)?;
    let turn = Turn { level, below: 0, way: Way::Inward };
    Ok(Value::Closure(if level == 0 { inner } else { with_turn(turn, &inner) }))
}

/// A function whose arguments are turned.
fn with_turn(turn: Turn, inner: &Arc<Closure>) -> Arc<Closure> {
    match &**inner {
        Closure::Turned { turn: other, inner } if *other == turn.inverse() => inner.clone(),
        Closure::Turned { .. }
        | Closure::Code { .. }
        | Closure::Half { .. }
        | Closure::Zeroed(_)
        | Closure::Kept { .. } => Arc::new(Closure::Turned { turn, inner: inner.clone() }),
    }
}

/// Takes the first or the second part of every leaf.
struct Half {
    part: Part,
    level: u32,
}

impl Leaves for Half {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        let (first, second) = split(value).ok_or_else(|| malformed("a leaf is no pair"))?;
        Ok(match self.part {
            Part::Primal => first,
            Part::Tangent => second,
        })
    }

    fn discrete(&mut self, value: &Value) -> Value {
        match self.part {
            Part::Primal => value.clone(),
            Part::Tangent => zero_of_discrete(value),
        }
    }

    fn function(&mut self, function: &Arc<Closure>) -> Result<Value, Fault> {
        let Half { part, level } = *self;
        let closure = Closure::Half { part, level, inner: function.clone() };
        Ok(Value::Closure(Arc::new(closure)))
    }
}

struct Turning(Turn);

impl Leaves for Turning {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        let turned = match self.0.way {
            Way::Inward => split(value).and_then(|(a, b)| push_in(&a, &b, self.0.level)),
            Way::Outward => pull_out(value, self.0.level).map(|(a, b)| join(a, b)),
        };
        turned.ok_or_else(|| malformed("a leaf is no pair"))
    }

    fn function(&mut self, function: &Arc<Closure>) -> Result<Value, Fault> {
        Ok(Value::Closure(with_turn(self.0.inverse(), function)))
    }
}

/// Pairs up two trees below their first `level` levels.
fn push_in(x: &Value, y: &Value, level: u32) -> Option<Value> {
    if level == 0 {
        return Some(join(x.clone(), y.clone()));
    }
    let ((a, b), (c, d)) = (split(x)?, split(y)?);
    Some(join(push_in(&a, &c, level - 1)?, push_in(&b, &d, level - 1)?))
}

/// The inverse of `push_in`.
fn pull_out(tree: &Value, level: u32) -> Option<(Value, Value)> {
    let (first, second) = split(tree)?;
    if level == 0 {
        return Some((first, second));
    }
    let ((a, c), (b, d)) = (pull_out(&first, level - 1)?, pull_out(&second, level - 1)?);
    Some((join(a, b), join(c, d)))
}

// Note [Levels]
// ~~~~~~~~~~~~~
// Differentiating code that contains a derivative operator gives the same operator at the next
// level, applied to a function and to arguments that are dual already. At level k the reals of
// the original program are trees of k pairs, one pair for each derivative around, the outermost
// derivative innermost in the tree: D maps every Real to a pair, also those inside of pairs.
//
// The derivative of a function value is D of its code, and puts its pair innermost too, below
// those of the derivatives around it. So operators zip a point and a direction real by real,
// whatever the level, and take the tangent of innermost pairs; the level only says what counts
// as a leaf. What the function captured may carry tangents of the derivatives around; it takes
// part as a constant. Had the new pair been put outermost, those tangents would be mistaken for
// tangents of the new derivative.
//
// `Lift` at level k makes pairs outermost, though: it is what D makes, k times, of a `Lift` that
// stood in the program before. Of a function, it gives D of its code with the new pair moved from
// the outside to the inside on the way in, and back on the way out (`Turn`).
