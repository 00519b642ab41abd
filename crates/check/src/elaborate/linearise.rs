//! Operators that give functions: `vjp(f)(x)`, `jvp(f)(x)` and `linearise(f)(x)`.
//!
//! `vjp(f)(x)` is `{ (y, k) = linearise f x; \dy => vjp k (x, dy) }`: the function runs here, and `k` is the
//! function that remembers this run. So do the others.

use ir::{Atom, DeriveOp, Op, Operator};

use crate::elaborate::Elaborate;
use crate::types::Type;

/// What is wanted of a run.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    /// The function from tangents to tangents.
    Tangents,
    /// The function from cotangents to cotangents.
    Cotangents,
    /// The value, and both.
    All,
}

impl Wanted {
    /// What an operator wants that gives functions.
    pub(super) fn by(operator: Operator) -> Option<Wanted> {
        match operator {
            Operator::Vjp => Some(Wanted::Cotangents),
            Operator::Linearise => Some(Wanted::All),
            Operator::Jvp | Operator::Grad | Operator::ValueAndGrad | Operator::Jacobian => None,
            Operator::Hessian | Operator::Hvp => None,
        }
    }
}

impl Elaborate<'_> {
    /// `\x => vjp(f)(x)` and its like, of these types.
    pub(super) fn linearised_value(
        &mut self,
        wanted: Wanted,
        f: Atom,
        params: &[Type],
        result: &Type,
    ) -> Atom {
        self.lambda(params, |this, args| this.linearised(wanted, f, args, result))
    }

    /// Runs a function at a point; gives what is wanted, of this type.
    pub(super) fn linearised(
        &mut self,
        wanted: Wanted,
        function: Atom,
        args: Vec<Atom>,
        result: &Type,
    ) -> Atom {
        let (point, whole) = match wanted {
            Wanted::Tangents => {
                let ir::Type::Function(params, _) = self.b.type_of(&function) else {
                    unreachable!("checked to be a function")
                };
                (self.unpacked(params.len(), args[0].clone()), args[0].clone())
            }
            Wanted::Cotangents | Wanted::All => (args.clone(), self.packed(args)),
        };
        let level = 0;
        let (operator, args) = (Operator::Linearise, point.clone());
        let run = self.b.one(Op::Derive(DeriveOp::OfFunction { operator, level, function, args }));
        let kept = self.b.one(Op::Proj { tuple: run.clone(), index: 1 });
        let tangents = |this: &mut Self, ty: &Type| {
            this.directed(Operator::Jvp, kept.clone(), vec![whole.clone()], ty)
        };
        let cotangents = |this: &mut Self, ty: &Type| {
            this.directed(Operator::Vjp, kept.clone(), point.clone(), ty)
        };
        match (wanted, result) {
            (Wanted::Tangents, _) => tangents(self, result),
            (Wanted::Cotangents, _) => cotangents(self, result),
            (Wanted::All, Type::Tuple(types)) => {
                let value = self.b.one(Op::Proj { tuple: run, index: 0 });
                let parts = vec![value, tangents(self, &types[1]), cotangents(self, &types[2])];
                self.b.one(Op::Tuple { rank: 0, parts })
            }
            (Wanted::All, _) => unreachable!("a linearisation is three things"),
        }
    }

    /// The function from a direction to what an operator gives at a point and that direction.
    fn directed(
        &mut self,
        operator: Operator,
        function: Atom,
        point: Vec<Atom>,
        ty: &Type,
    ) -> Atom {
        let (params, _) = ty.clone().into_function().unwrap_or((Vec::new(), Type::Error));
        self.lambda(&params, |this, direction| {
            let args = point.into_iter().chain(direction).collect();
            let level = 0;
            this.b.one(Op::Derive(DeriveOp::OfFunction { operator, level, function, args }))
        })
    }

    /// So many arguments of a function that are given as one value.
    pub(super) fn unpacked(&mut self, count: usize, whole: Atom) -> Vec<Atom> {
        if count == 1 {
            return vec![whole];
        }
        (0..count).map(|index| self.b.one(Op::Proj { tuple: whole.clone(), index })).collect()
    }

    /// All arguments as one value.
    fn packed(&mut self, mut args: Vec<Atom>) -> Atom {
        match args.len() {
            1 => args.remove(0),
            _ => self.b.one(Op::Tuple { rank: 0, parts: args }),
        }
    }
}
