//! Numbers and truth values: primitives, with operands of moderate size so that most values are
//! finite, and now and then where they are singular.

use ir::prim::Reals;
use ir::{Atom, Literal, Op, Prim, Type};

use crate::scope::Gen;
use crate::shapes;

/// The functions of one real that are moderate for these.
fn moderate(on: Reals) -> Vec<Prim> {
    Prim::all().filter(|it| it.row().moderate == on).collect()
}

const BINARY: &[Prim] =
    &[Prim::Add, Prim::Sub, Prim::Mul, Prim::Mul, Prim::Add, Prim::Min, Prim::Max];
const SINGULAR: &[Prim] = &[Prim::Div, Prim::Pow, Prim::Rem, Prim::Atan2];

fn literal(value: f64) -> Atom {
    Atom::Real(Literal(value))
}

impl Gen<'_, '_> {
    /// A primitive, element by element if the type is that of an array.
    pub(crate) fn primitive(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let (_, scalar) = shapes::numbers(ty)?;
        if *scalar == Type::Int {
            return self.integer(ty, fuel);
        }
        let singular = self.habits.singular && self.random.once_in(3);
        match self.random.below(20) {
            0..=10 => {
                let (x, y) = self.operands(ty, &Type::Real, fuel);
                let table = if singular { SINGULAR } else { BINARY };
                let prim = *self.random.pick(table);
                Some(self.prim(prim, vec![x, y]))
            }
            11..=14 => self.unary(&moderate(Reals::All), ty, fuel),
            15 => self.unary(&moderate(Reals::Jumps), ty, fuel),
            16 if singular => self.unary(&moderate(Reals::Small), ty, fuel),
            16 => {
                let x = self.value(ty, fuel);
                let x = self.small(x);
                let prim = *self.random.pick(&moderate(Reals::Small));
                Some(self.prim(prim, vec![x]))
            }
            17 if singular => self.unary(&moderate(Reals::Positive), ty, fuel),
            17 => {
                let x = self.value(ty, fuel);
                let x = self.above(x, 0.1);
                let prim = *self.random.pick(&moderate(Reals::Positive));
                Some(self.prim(prim, vec![x]))
            }
            18 => {
                let (x, y) = self.operands(ty, &Type::Real, fuel);
                let y = self.above(y, 0.5);
                let prim = *self.random.pick(&[Prim::Div, Prim::Div, Prim::Atan2, Prim::Rem]);
                Some(self.prim(prim, vec![x, y]))
            }
            _ => {
                let x = self.value(ty, fuel);
                let x = self.above(x, 1.1);
                match self.random.below(3) {
                    0 => Some(self.prim(Prim::Acosh, vec![x])),
                    1 => Some(self.prim(Prim::Pow, vec![x, literal(1.5)])),
                    _ => Some(self.prim(Prim::Polygamma, vec![Atom::Int(1), x])),
                }
            }
        }
    }

    fn unary(&mut self, of: &[Prim], ty: &Type, fuel: usize) -> Option<Atom> {
        let x = self.value(ty, fuel);
        let prim = *self.random.pick(of);
        Some(self.prim(prim, vec![x]))
    }

    pub(crate) fn prim(&mut self, prim: Prim, args: Vec<Atom>) -> Atom {
        self.one(Op::Prim(prim, args))
    }

    /// Two operands of which at least one has the type; the other may be a scalar.
    fn operands(&mut self, ty: &Type, scalar: &Type, fuel: usize) -> (Atom, Atom) {
        let (left, right) = self.split(fuel);
        let other = if self.random.once_in(4) { scalar } else { ty };
        let x = self.value(ty, left);
        let y = self.value(other, right);
        if self.random.once_in(2) { (x, y) } else { (y, x) }
    }

    /// Between -0.9 and 0.9.
    pub(crate) fn small(&mut self, x: Atom) -> Atom {
        let x = self.prim(Prim::Tanh, vec![x]);
        self.prim(Prim::Mul, vec![x, literal(0.9)])
    }

    /// At least so much.
    fn above(&mut self, x: Atom, least: f64) -> Atom {
        let x = match self.random.below(2) {
            0 => self.prim(Prim::Mul, vec![x.clone(), x]),
            _ => self.prim(Prim::Softplus, vec![x]),
        };
        self.prim(Prim::Add, vec![literal(least), x])
    }

    /// A value that a loop may go on with: numbers do not grow from turn to turn.
    pub(crate) fn tame(&mut self, x: Atom) -> Atom {
        let ty = self.builder.type_of(&x);
        match shapes::numbers(&ty) {
            Some((_, Type::Real)) if !self.random.once_in(3) => {
                let prim = *self.random.pick(&[Prim::Tanh, Prim::Sin, Prim::Atan]);
                self.prim(prim, vec![x])
            }
            Some((_, Type::Int)) => self.prim(Prim::Rem, vec![x, Atom::Int(7)]),
            Some(_) | None => x,
        }
    }

    fn integer(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let binary = [Prim::Add, Prim::Sub, Prim::Mul, Prim::Min, Prim::Max];
        match self.random.below(7) {
            0 => {
                let x = self.value(ty, fuel);
                let prim = *self.random.pick(&[Prim::Rem, Prim::Div]);
                let divisor = Atom::Int(*self.random.pick(&[2, 3, 5, -3]));
                Some(self.prim(prim, vec![x, divisor]))
            }
            1 => self.unary(&[Prim::Neg, Prim::Abs, Prim::Sign], ty, fuel),
            2 if *ty == Type::Int => {
                let size = self.any_size();
                Some(self.one(Op::Size(size)))
            }
            3 => {
                let (x, y) = self.operands(ty, &Type::Int, fuel);
                let bits =
                    [Prim::BitAnd, Prim::BitOr, Prim::BitXor, Prim::ShiftLeft, Prim::ShiftRight];
                let prim = *self.random.pick(&bits);
                Some(self.prim(prim, vec![x, y]))
            }
            _ => {
                let (x, y) = self.operands(ty, &Type::Int, fuel);
                let prim = *self.random.pick(&binary);
                Some(self.prim(prim, vec![x, y]))
            }
        }
    }

    /// From `Int` to `Real` or back.
    pub(crate) fn convert(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let (sizes, scalar) = shapes::numbers(ty)?;
        if *scalar == Type::Real {
            let x = self.value(&Type::arrays(&sizes, Type::Int), fuel);
            let x = self.prim(Prim::Rem, vec![x, Atom::Int(5)]);
            return Some(self.prim(Prim::ToReal, vec![x]));
        }
        let x = self.value(&Type::arrays(&sizes, Type::Real), fuel);
        Some(self.prim(Prim::ToInt, vec![x]))
    }

    /// `select`: both sides are evaluated.
    pub(crate) fn choose(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let (_, scalar) = shapes::numbers(ty)?;
        let (first, rest) = self.split(fuel);
        let cond = if self.random.once_in(3) {
            self.value(&Type::Bool, first.min(3))
        } else {
            let (x, y) = self.operands(ty, scalar, first);
            let prim = *self.random.pick(&[Prim::Lt, Prim::Le, Prim::Gt, Prim::Ge]);
            self.prim(prim, vec![x, y])
        };
        let (x, y) = self.operands(ty, scalar, rest);
        Some(self.prim(Prim::Select, vec![cond, x, y]))
    }

    /// A truth value.
    pub(crate) fn test(&mut self, _: &Type, fuel: usize) -> Option<Atom> {
        let (left, right) = self.split(fuel);
        match self.random.below(10) {
            0 => {
                let x = self.value(&Type::Bool, fuel);
                Some(self.prim(Prim::Not, vec![x]))
            }
            1 | 2 => {
                let (x, y) = (self.value(&Type::Bool, left), self.value(&Type::Bool, right));
                let prim = *self.random.pick(&[Prim::And, Prim::Or]);
                Some(self.prim(prim, vec![x, y]))
            }
            3 => {
                let x = self.value(&Type::Real, fuel);
                Some(self.prim(Prim::IsNan, vec![x]))
            }
            4 => {
                let ty = self.plain_type();
                let (x, y) = (self.value(&ty, left), self.value(&ty, right));
                let exact = self.random.once_in(2);
                Some(self.one(if exact { Op::Equal(x, y) } else { Op::Close(x, y) }))
            }
            at => {
                let ty = if at < 8 { Type::Real } else { Type::Int };
                let (x, y) = (self.value(&ty, left), self.value(&ty, right));
                let all = [Prim::Lt, Prim::Le, Prim::Gt, Prim::Ge, Prim::Eq, Prim::Ne];
                let prim = *self.random.pick(&all);
                Some(self.prim(prim, vec![x, y]))
            }
        }
    }
}
