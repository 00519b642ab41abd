//! Values that take no fuel: variables, what is in them, literals; and the use of what is left over.

use ir::{ArrayOp, Atom, FunctionOp, Literal, Op, Prim, Reduction, Type};

use crate::scope::{Gen, Known};
use crate::shapes;

/// How many values that nothing uses a result takes up.
const MOST_LEFT: usize = 3;

impl Gen<'_, '_> {
    /// A variable of this type, or the simplest value. What depends on the parameters comes first,
    /// and of that what nothing uses yet.
    pub(crate) fn leaf(&mut self, ty: &Type) -> Atom {
        let useful: fn(&Known) -> bool = match self.random.below(8) {
            0..=3 => |it| it.active && !it.used,
            4..=6 => |it| it.active,
            _ => |_| true,
        };
        for fits in [useful, |it| it.active, |_| true] {
            let found = self.scope.iter().filter(|it| it.ty == *ty && fits(it));
            let found: Vec<Atom> = found.map(|it| Atom::Var(it.var)).collect();
            if !found.is_empty() && !self.random.once_in(10) {
                return self.random.pick(&found).clone();
            }
        }
        self.simplest(ty)
    }

    /// A value that needs no fuel.
    pub(crate) fn simplest(&mut self, ty: &Type) -> Atom {
        match ty {
            Type::Real if !self.random.once_in(4) => match self.left_over() {
                Some(known) => self.as_real(Atom::Var(known.var)).unwrap_or_else(|| self.real()),
                None => self.real(),
            },
            Type::Real => self.real(),
            Type::Int => Atom::Int(self.random.within(-2, 5)),
            Type::Bool => Atom::Bool(self.random.once_in(2)),
            Type::String => Atom::Str("text".into()),
            Type::Array(size, elem) => {
                let value = self.leaf(elem);
                self.one(Op::Array(ArrayOp::Replicate { size: size.clone(), value }))
            }
            Type::Tuple(_) | Type::Function(..) | Type::Data(..) => {
                self.composed(ty, 0).expect("a value of that form can always be made")
            }
            Type::Var(_) | Type::Dual(_) | Type::Delta | Type::Tape(_) => {
                unreachable!("no values of {ty} are generated")
            }
        }
    }

    /// A literal real of moderate size.
    pub(crate) fn real(&mut self) -> Atom {
        let value = match self.random.below(8) {
            0 => 0.0,
            1 => 1.0,
            2 => -1.0,
            3 => 0.5,
            4 => 2.0,
            _ => (self.random.real() * 2000.0).round() / 1000.0,
        };
        Atom::Real(Literal(value))
    }

    /// An active variable, if possible one that nothing uses.
    fn left_over(&mut self) -> Option<Known> {
        for unused in [true, false] {
            let fits = |it: &&Known| it.active && !(unused && it.used);
            let found: Vec<&Known> = self.scope.iter().filter(fits).collect();
            if !found.is_empty() {
                return Some((*self.random.pick(&found)).clone());
            }
        }
        None
    }

    /// One real that depends on all reals of a value, or on those of one part.
    fn as_real(&mut self, value: Atom) -> Option<Atom> {
        let ty = self.builder.type_of(&value);
        let (sizes, inner) = ty.split_arrays();
        match inner {
            Type::Real => {
                let (reduction, axis) = (Reduction::Sum, 0);
                let sum = |it: &mut Self, array| {
                    it.one(Op::Array(ArrayOp::Reduce { reduction, axis, array }))
                };
                Some(sizes.iter().fold(value, |array, _| sum(self, array)))
            }
            Type::Tuple(parts) => {
                let index = parts.iter().position(shapes::has_real)?;
                let part = self.one(Op::Proj { tuple: value, index });
                self.as_real(part)
            }
            Type::Function(params, _) if self.may_repeat(20) => {
                self.cost = self.cost.saturating_add(self.runs.saturating_mul(20));
                let args = params.iter().map(|it| self.leaf(it)).collect();
                let result = self.one(Op::Function(FunctionOp::Apply(value, args)));
                self.as_real(result)
            }
            Type::Function(..) | Type::Data(..) | Type::Int | Type::Bool | Type::String => None,
            Type::Array(..) | Type::Var(_) | Type::Dual(_) | Type::Delta | Type::Tape(_) => None,
        }
    }

    /// A value in which also something goes that nothing else uses.
    pub(crate) fn computed(&mut self, ty: &Type, fuel: usize) -> Atom {
        let mut value = self.value(ty, fuel);
        if *ty.split_arrays().1 != Type::Real || fuel == 0 {
            return value;
        }
        for _ in 0..MOST_LEFT {
            let is_left = |it: &&Known| it.active && !it.used && Atom::Var(it.var) != value;
            let left = self.scope.iter().rev().find(is_left);
            let Some(left) = left.map(|it| it.var) else { break };
            let Some(more) = self.as_real(Atom::Var(left)) else { break };
            let prim = *self.random.pick(&[Prim::Add, Prim::Sub, Prim::Mul]);
            let more = self.prim(Prim::Sin, vec![more]);
            value = self.prim(prim, vec![value, more]);
        }
        value
    }
}
