//! Rules for primitives of replicated arrays: a scalar does as well.

use ir::{ArrayOp, Atom, Op, Prim, Size, Type};

use super::forward::{Forward, Step};

impl Forward<'_> {
    pub(super) fn broadcast(&mut self, prim: Prim, args: &[Atom]) -> Option<Step> {
        self.prim_of_replicates(prim, args)
            .or_else(|| self.prim_of_repeated(prim, args))
            .or_else(|| self.prim_of_scalar(prim, args))
            .or_else(|| self.prim_of_transposes(prim, args))
    }

    pub(super) fn is_array(&self, atom: &Atom) -> bool {
        matches!(self.type_of(atom), Some(Type::Array(..)))
    }

    // prim-of-replicates: `add (replicate n x) (replicate n y)` -> `replicate n (add x y)`
    fn prim_of_replicates(&mut self, prim: Prim, args: &[Atom]) -> Option<Step> {
        // Of no elements nothing fails.
        if self.prim_can_fail(prim, args) {
            return None;
        }
        let mut common: Option<Size> = None;
        let mut inner = Vec::new();
        for arg in args {
            match self.op_of(arg) {
                Some(Op::Array(ArrayOp::Replicate { size, value })) => {
                    if common.as_ref().is_some_and(|it| it != size) {
                        return None;
                    }
                    common = Some(size.clone());
                    inner.push(value.clone());
                }
                Some(_) | None if self.is_array(arg) => return None,
                Some(_) | None => inner.push(arg.clone()),
            }
        }
        let size = common?;
        let value = self.emit(Op::Prim(prim, inner))?;
        Some(Step::Op(Op::Array(ArrayOp::Replicate { size, value })))
    }

    // prim-of-scalar: `add (replicate n x) ys` -> `add x ys`
    fn prim_of_scalar(&mut self, prim: Prim, args: &[Atom]) -> Option<Step> {
        let scalar = |it: &Atom| self.scalar_of(it).filter(|_| self.is_array(it));
        let scalars: Vec<Option<Atom>> = args.iter().map(scalar).collect();
        let stays = args
            .iter()
            .zip(&scalars)
            .any(|(it, as_scalar)| self.is_array(it) && as_scalar.is_none());
        if !stays || scalars.iter().all(Option::is_none) {
            return None;
        }
        let new = args.iter().zip(scalars).map(|(it, scalar)| scalar.unwrap_or_else(|| it.clone()));
        Some(Step::Op(Op::Prim(prim, new.collect())))
    }

    // prim-of-transposes: `mul (transpose p xs) (transpose p ys)` -> `transpose p (mul xs ys)`, also
    // with scalars among them; where nobody else needs the transposed arrays
    fn prim_of_transposes(&mut self, prim: Prim, args: &[Atom]) -> Option<Step> {
        let arrays = args.iter().filter(|it| self.is_array(it)).count();
        let mut common: Option<Vec<usize>> = None;
        let mut inner = Vec::new();
        for arg in args {
            match self.op_of(arg) {
                Some(Op::Array(ArrayOp::Transpose { array, permutation })) => {
                    let same = common.as_ref().is_none_or(|it| it == permutation);
                    if !same || arrays < 2 || !self.is_used_once(arg) {
                        return None;
                    }
                    common = Some(permutation.clone());
                    inner.push(array.clone());
                }
                Some(_) | None if self.is_array(arg) => return None,
                Some(_) | None => inner.push(arg.clone()),
            }
        }
        let permutation = common?;
        let array = self.emit(Op::Prim(prim, inner))?;
        Some(Step::Op(Op::Array(ArrayOp::Transpose { array, permutation })))
    }

    /// Whether a variable has but one use, as far as the input tells.
    pub(super) fn is_used_once(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Var(var) => self.uses.get(var).is_none_or(|it| *it <= 1),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => true,
        }
    }
}
