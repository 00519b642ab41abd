//! What a step of a loop costs: operations and bytes, counted in its body.

use std::fmt;
use std::ops::Add;

use crate::{Atom, Func, Kind, Node, Scalar, Type, Value, Var};

/// Operations on scalars, bytes that are read, bytes that are written. Reals have eight bytes here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Primitives; `a * b + c` is two.
    pub operations: u64,
    /// Bytes of elements that are loaded.
    pub read: u64,
    /// Bytes of elements that are stored, or read for a sum.
    pub written: u64,
}

impl Cost {
    /// Of a block, once. Loops inside do not count, but for those that are unrolled; of branches
    /// all count.
    pub fn of(func: &Func, block: &[Node]) -> Cost {
        block.iter().fold(Cost::default(), |sum, it| sum + Cost::of_node(func, it))
    }

    fn of_node(func: &Func, node: &Node) -> Cost {
        match node {
            Node::Let { value, .. } => match value {
                Value::Prim(..) => Cost { operations: 1, ..Cost::default() },
                Value::ScaleAdd(..) => Cost { operations: 2, ..Cost::default() },
                Value::Load { array, .. } => Cost { read: bytes(func, *array), ..Cost::default() },
                Value::Atom(_) | Value::Part { .. } => Cost::default(),
            },
            Node::Both { .. } => Cost { operations: 2, ..Cost::default() },
            Node::Store { array, .. } => Cost { written: bytes(func, *array), ..Cost::default() },
            Node::Loop(it) if it.kind == Kind::Unroll => match it.count {
                Atom::Int(count) => Cost::of(func, &it.body).times(count.max(0) as u64),
                Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) => Cost::default(),
            },
            Node::If { .. } | Node::Switch { .. } | Node::Scope(_) => {
                node.blocks().into_iter().fold(Cost::default(), |sum, it| sum + Cost::of(func, it))
            }
            Node::Alloc { .. }
            | Node::Loop(_)
            | Node::Chunks(_)
            | Node::While(_)
            | Node::Make { .. }
            | Node::Call { .. }
            | Node::Check { .. }
            | Node::Kernel(_) => Cost::default(),
        }
    }

    fn times(self, count: u64) -> Cost {
        Cost {
            operations: self.operations * count,
            read: self.read * count,
            written: self.written * count,
        }
    }
}

impl Add for Cost {
    type Output = Cost;
    fn add(self, other: Cost) -> Cost {
        Cost {
            operations: self.operations + other.operations,
            read: self.read + other.read,
            written: self.written + other.written,
        }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cost { operations, read, written } = self;
        write!(f, "{operations} operations, {read} bytes read, {written} written")
    }
}

fn bytes(func: &Func, array: Var) -> u64 {
    match func.ty(array) {
        Type::Array(Scalar::Bool) => 1,
        Type::Array(Scalar::Real | Scalar::Int | Scalar::Box) | Type::Scalar(_) => 8,
    }
}
