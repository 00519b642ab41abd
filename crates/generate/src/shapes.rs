//! Random types, and what is known about sizes.

use ir::{Size, Type};

use crate::scope::Gen;
use testing::Random;

/// A size that stands for any when work is estimated.
const USUAL_SIZE: i64 = 3;

/// Elements an array may be estimated to have.
const MOST_ELEMENTS: u64 = 60;

/// The least value of a size whose variables are at least 0.
pub(crate) fn least(size: &Size) -> i64 {
    size.terms()
        .filter(|(vars, factor)| vars.is_empty() || *factor < 0)
        .fold(0, |sum, it| if it.0.is_empty() { sum + it.1 } else { i64::MIN / 2 })
}

/// An estimate of a size, at least 1.
pub(crate) fn estimate(size: &Size) -> u64 {
    size.evaluate(&mut |_| USUAL_SIZE).max(1) as u64
}

/// An estimate of how many scalars a value has.
pub(crate) fn scalars(ty: &Type) -> u64 {
    match ty {
        Type::Array(size, elem) => estimate(size).saturating_mul(scalars(elem)),
        Type::Tuple(parts) => parts.iter().map(scalars).sum::<u64>().max(1),
        Type::Data(..) => 4,
        Type::Real | Type::Int | Type::Bool | Type::String | Type::Function(..) => 1,
        Type::Var(_) | Type::Dual(_) | Type::Delta | Type::Tape(_) => 1,
    }
}

/// `[s0][s1]...Real` or the same of `Int`, with its sizes.
pub(crate) fn numbers(ty: &Type) -> Option<(Vec<Size>, &Type)> {
    let (sizes, scalar) = ty.split_arrays();
    matches!(scalar, Type::Real | Type::Int).then_some((sizes, scalar))
}

/// Whether it consists of numbers and truth values only.
pub(crate) fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Real | Type::Int | Type::Bool => true,
        Type::Tuple(_) | Type::Array(..) => ty.parts().into_iter().all(is_plain),
        Type::String | Type::Function(..) | Type::Var(_) | Type::Data(..) => false,
        Type::Dual(_) | Type::Delta | Type::Tape(_) => false,
    }
}

/// Whether reals can be in a value.
pub(crate) fn has_real(ty: &Type) -> bool {
    match ty {
        Type::Real | Type::Data(..) | Type::Function(..) => true,
        Type::Tuple(_) | Type::Array(..) => ty.parts().into_iter().any(has_real),
        Type::Int | Type::Bool | Type::String | Type::Var(_) => false,
        Type::Dual(_) | Type::Delta | Type::Tape(_) => false,
    }
}

/// A size out of these, now and then a sum or a multiple.
pub(crate) fn size(random: &mut Random, sizes: &[Size]) -> Size {
    let one = random.pick(sizes).clone();
    match random.below(12) {
        0 => one.add(&Size::constant(1)),
        1 => one.add(random.pick(sizes)),
        2 => one.scale(2),
        _ => one,
    }
}

/// `[s0]...elem` of that rank.
pub(crate) fn array(random: &mut Random, sizes: &[Size], rank: usize, elem: Type) -> Type {
    let (mut ty, mut count) = (elem, 1);
    for _ in 0..rank {
        let size = size(random, sizes);
        count *= estimate(&size);
        if count > MOST_ELEMENTS {
            break;
        }
        ty = Type::array(size, ty);
    }
    ty
}

/// A type of plain values with a preference for reals.
pub(crate) fn plain(random: &mut Random, sizes: &[Size]) -> Type {
    match random.below(20) {
        0..=6 => Type::Real,
        7..=11 => array(random, sizes, 1, Type::Real),
        12 | 13 => array(random, sizes, 2, Type::Real),
        14 => array(random, sizes, 3, Type::Real),
        15 => Type::Int,
        16 => array(random, sizes, 1, Type::Int),
        17 => array(random, sizes, 1, Type::Tuple(vec![Type::Real, Type::Int])),
        18 => Type::Bool,
        _ => Type::Tuple(vec![plain(random, sizes), plain(random, sizes)]),
    }
}

impl Gen<'_, '_> {
    /// A size that is in scope.
    pub(crate) fn any_size(&mut self) -> Size {
        size(self.random, &self.sizes)
    }

    /// A type of plain values whose sizes are in scope.
    pub(crate) fn plain_type(&mut self) -> Type {
        plain(self.random, &self.sizes)
    }

    /// Any type that values may have here; functions and sums among them if the dialect has them.
    pub(crate) fn any_type(&mut self) -> Type {
        let datas: Vec<Type> = self.program().datas.values().map(|it| self.data_type(it)).collect();
        if !datas.is_empty() && self.random.once_in(8) {
            let data = self.random.pick(&datas).clone();
            let is_array = self.random.once_in(3);
            return if is_array { Type::array(self.any_size(), data) } else { data };
        }
        if !self.habits.functions || !self.random.once_in(8) {
            return self.plain_type();
        }
        let function = Type::Function(vec![self.plain_type()], Box::new(self.plain_type()));
        if self.random.once_in(2) {
            return function;
        }
        Type::Tuple(vec![function, self.plain_type()])
    }

    fn data_type(&self, data: &ir::DataDecl) -> Type {
        Type::Data(data.name.clone(), Vec::new(), Vec::new())
    }
}
