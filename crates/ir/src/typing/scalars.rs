//! Types of primitives, with broadcasting.

use crate::prim::{Prim, Rule};
use crate::size::Size;
use crate::types::Type;

/// The type of a primitive applied to operands of these types: each operand is a scalar or an
/// array, and all arrays have the same sizes.
pub fn prim_type(prim: Prim, operands: &[Type]) -> Result<Type, String> {
    if operands.len() != prim.arity() {
        return Err(format!("{} takes {} operands", prim.name(), prim.arity()));
    }
    let mut shape: Vec<Size> = Vec::new();
    let mut scalars = Vec::new();
    for operand in operands {
        let (sizes, scalar) = operand.split_arrays();
        if shape.is_empty() {
            shape = sizes;
        } else if !sizes.is_empty() && sizes != shape {
            let other = Type::arrays(&shape, scalar.clone());
            return Err(format!("{}: {operand} and {other} differ in size", prim.name()));
        }
        scalars.push(scalar.clone());
    }
    match scalar_type(prim.row().rule, &scalars) {
        Some(ty) => Ok(Type::arrays(&shape, ty)),
        None => {
            let found: Vec<String> = operands.iter().map(Type::to_string).collect();
            Err(format!("{} takes no operands {}", prim.name(), found.join(", ")))
        }
    }
}

fn scalar_type(rule: Rule, operands: &[Type]) -> Option<Type> {
    let number = |ty: &Type| *ty == Type::Real || *ty == Type::Int;
    match (rule, operands) {
        (Rule::Number1, [x]) if number(x) => Some(x.clone()),
        (Rule::Number2, [x, y]) if number(x) && x == y => Some(x.clone()),
        (Rule::Real1, [Type::Real]) => Some(Type::Real),
        (Rule::Real2, [Type::Real, Type::Real]) => Some(Type::Real),
        (Rule::Int2, [Type::Int, Type::Int]) => Some(Type::Int),
        (Rule::IntReal, [Type::Int, Type::Real]) => Some(Type::Real),
        (Rule::IntToReal, [Type::Int]) => Some(Type::Real),
        (Rule::RealToInt, [Type::Real]) => Some(Type::Int),
        (Rule::Compare, [x, y]) if number(x) && x == y => Some(Type::Bool),
        (Rule::TestReal, [Type::Real]) => Some(Type::Bool),
        (Rule::Bool1, [Type::Bool]) => Some(Type::Bool),
        (Rule::Bool2, [Type::Bool, Type::Bool]) => Some(Type::Bool),
        (Rule::Choose, [Type::Bool, x, y]) if x == y => {
            (number(x) || *x == Type::Bool || *x == Type::String).then(|| x.clone())
        }
        (
            Rule::Number1
            | Rule::Number2
            | Rule::Real1
            | Rule::Real2
            | Rule::Int2
            | Rule::IntReal
            | Rule::IntToReal
            | Rule::RealToInt
            | Rule::Compare
            | Rule::TestReal
            | Rule::Bool1
            | Rule::Bool2
            | Rule::Choose,
            _,
        ) => None,
    }
}
