//! Which results depend on which inputs: the same derivatives, where a (co)tangent of a real is a set.
//!
//! Paper: Section 11.3. `D2(real)` is any commutative monoid that primitives act on. Of the sets of numbers,
//! zero is the empty one and plus the union, and a set goes through a primitive to all operands that it
//! depends on. Forward, each input begins with a set of itself, and a result ends with its row of the pattern
//! of the Jacobian; in reverse, each result begins with itself, and an input ends with its column.
//! Requires: a term of the target language. What is lowered multiplies reals.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::meaning::{Environment, Machine, Value, array, pair};
use super::term::{Side, Term};
use super::types::Type;

/// The (co)tangent of a value of first order with a set for each of its reals: its number, in order. None of
/// functions, which have no reals of their own.
pub fn numbered<'t>(ty: &Type, value: &Value<'t>, next: &mut usize) -> Option<Value<'t>> {
    match (ty, value) {
        (Type::Real, _) => {
            *next += 1;
            Some(Value::Set(Rc::new(BTreeSet::from([*next - 1]))))
        }
        (Type::Int | Type::Unit, _) => Some(Value::Unit),
        (Type::Pair(one, other), Value::Pair(parts)) => {
            let one = numbered(one, &parts.0, next)?;
            Some(pair(one, numbered(other, &parts.1, next)?))
        }
        (Type::Array(_, elem), Value::Array(parts)) => {
            let parts: Option<Vec<Value<'t>>> =
                parts.iter().map(|it| numbered(elem, it, next)).collect();
            Some(array(parts?))
        }
        // Truth values; a side with reals would need a zero of the other.
        (Type::Sum(one, other), Value::Inject(Side::Left | Side::Right, _)) => {
            let is_truth = **one == Type::Unit && **other == Type::Unit;
            is_truth.then(|| pair(Value::Unit, Value::Unit))
        }
        (_, _) => None,
    }
}

/// The sets of a (co)tangent, in order; a zero is the empty one.
pub fn sets(value: &Value<'_>) -> Vec<BTreeSet<usize>> {
    match value {
        Value::Set(set) => vec![(**set).clone()],
        Value::Real(_) => vec![BTreeSet::new()],
        Value::Pair(parts) => [sets(&parts.0), sets(&parts.1)].concat(),
        Value::Array(parts) => parts.iter().flat_map(sets).collect(),
        Value::Int(_) | Value::Unit | Value::Inject(..) => Vec::new(),
        Value::List(_) | Value::Function(_) => Vec::new(),
    }
}

/// The rows of the pattern of a Jacobian by the derivative of a term in reverse mode, at these values of its
/// parameters: for each real of the result the inputs that it depends on. The type is that of the term.
pub fn rows<'t>(
    machine: &mut Machine<'_>,
    env: &Environment<'t>,
    (reverse, ty): (&'t Term, &Type),
) -> Result<Vec<BTreeSet<usize>>, String> {
    let (value, pull_back) = machine.run(env, reverse)?.parts()?;
    let mut n_rows = 0;
    let given = numbered(ty, &value, &mut n_rows).ok_or("a result with functions")?;
    let columns = sets(&machine.apply(&pull_back, given)?);
    let mut rows = vec![BTreeSet::new(); n_rows];
    for (at, column) in columns.iter().enumerate() {
        for row in column {
            rows[*row].insert(at);
        }
    }
    Ok(rows)
}
