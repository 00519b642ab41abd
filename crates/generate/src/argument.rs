//! Arguments for `main`: concrete sizes, 0 and 1 among them, and numbers.

use array::{Buffer, Dense};
use ir::{Program, Size, Type, Var};

use crate::define::main;
use testing::Random;

/// The description of a value without functions.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A real number.
    Real(f64),
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A tuple.
    Tuple(Vec<Argument>),
    /// An array of scalars.
    Array(Dense),
    /// An array of tuples as a tuple of arrays, which share these sizes.
    Tuples(Vec<usize>, Vec<Argument>),
}

/// What `main` is called with.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    /// For the size parameters.
    pub sizes: Vec<i64>,
    /// For the parameters.
    pub values: Vec<Argument>,
    /// Whether zeros, ones and ties occur, where functions may have no derivative.
    pub special: bool,
}

/// Arguments that fit the program. Those of one parameter depend on the seed and the number of its
/// variable only, so that they stay the same when the program is shrunk.
pub fn arguments(seed: u64, program: &Program) -> Arguments {
    let special = seed.is_multiple_of(5);
    let Some(def) = program.defs.get(&main()) else {
        return Arguments { sizes: Vec::new(), values: Vec::new(), special };
    };
    let of = |var: Var| Random::new(seed ^ u64::from(var.0 + 1).wrapping_mul(0x9E37_79B9));
    let concrete = |var: Var| *of(var).pick(&[0, 1, 1, 2, 2, 2, 3, 3, 3, 4]);
    let sizes: Vec<i64> = def.size_params.iter().map(|it| concrete(*it)).collect();
    let size = |size: &Size| {
        let value = |var: &Var| {
            let at = def.size_params.iter().position(|it| it == var);
            at.map_or(0, |at| sizes[at])
        };
        size.evaluate(&mut |var| value(var)).max(0) as usize
    };
    let values = def
        .params
        .iter()
        .map(|it| Fill { random: of(it.var), special, size: &size }.value(&it.ty, &[]));
    let values = values.collect();
    Arguments { sizes, values, special }
}

struct Fill<'a> {
    random: Random,
    special: bool,
    size: &'a dyn Fn(&Size) -> usize,
}

impl Fill<'_> {
    /// An array of this shape, whose elements have the type; a value of the type if it has no axes.
    fn value(&mut self, ty: &Type, shape: &[usize]) -> Argument {
        let count: usize = shape.iter().product();
        let dense = |data| Argument::Array(Dense { shape: shape.to_vec(), data });
        match ty {
            Type::Array(size, elem) => {
                let mut inner = shape.to_vec();
                inner.push((self.size)(size));
                self.value(elem, &inner)
            }
            Type::Tuple(parts) if shape.is_empty() => {
                Argument::Tuple(parts.iter().map(|it| self.value(it, shape)).collect())
            }
            Type::Tuple(parts) => {
                let parts = parts.iter().map(|it| self.value(it, shape)).collect();
                Argument::Tuples(shape.to_vec(), parts)
            }
            Type::Int if shape.is_empty() => Argument::Int(self.int()),
            Type::Int => dense(Buffer::Int((0..count).map(|_| self.int()).collect())),
            Type::Bool if shape.is_empty() => Argument::Bool(self.random.once_in(2)),
            Type::Bool => dense(Buffer::Bool((0..count).map(|_| self.random.once_in(2)).collect())),
            Type::Real if shape.is_empty() => Argument::Real(self.real()),
            Type::Real => dense(Buffer::Real((0..count).map(|_| self.real()).collect())),
            Type::String | Type::Function(..) | Type::Var(_) | Type::Data(..) => {
                unreachable!("`main` has no parameters of {ty}")
            }
            Type::Dual(_) | Type::Delta | Type::Tape(_) => {
                unreachable!("`main` has no parameters of {ty}")
            }
        }
    }

    fn int(&mut self) -> i64 {
        self.random.within(-2, 4)
    }

    fn real(&mut self) -> f64 {
        if self.special && self.random.once_in(2) {
            return *self.random.pick(&[0.0, 1.0, -1.0, 0.5, 2.0]);
        }
        self.random.real() * 1.5
    }
}
