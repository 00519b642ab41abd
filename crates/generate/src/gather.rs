//! Gather and scatter: index arrays of one or two axes into one or two axes, with and without a mask.

use ir::{ArrayOp, Atom, Binder, ControlOp, Op, Prim, Size, Type};

use crate::scope::Gen;
use crate::shapes;

impl Gen<'_, '_> {
    pub(crate) fn gather(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let (sizes, inner) = ty.split_arrays();
        let (shape, rest) = sizes.split_at(1 + self.random.below(sizes.len().min(2)));
        let mut of = vec![if self.random.once_in(2) { shape[0].clone() } else { self.any_size() }];
        if self.random.once_in(3) {
            of.push(self.any_size());
        }
        let (left, right) = self.split(fuel);
        let (indices, mask) = self.places(shape, &of, left, *inner == Type::Int)?;
        of.extend(rest.iter().cloned());
        let array = self.smaller(&Type::arrays(&of, inner.clone()), right)?;
        Some(self.one(Op::Array(ArrayOp::Gather { array, indices, mask })))
    }

    /// Values added into an array, several at one place.
    pub(crate) fn scatter(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let (sizes, scalar) = shapes::numbers(ty)?;
        // Of reals, the tape knows one index array only; nothing that is written has more.
        let axes = if *scalar == Type::Int { sizes.len().min(2) } else { 1 };
        let (of, rest) = sizes.split_at(1 + self.random.below(axes));
        let mut shape = vec![if self.random.once_in(2) { of[0].clone() } else { self.any_size() }];
        if self.random.once_in(4) {
            shape.push(self.any_size());
        }
        let (indices, mask) = self.places(&shape, of, fuel / 4, *scalar == Type::Int)?;
        shape.extend(rest.iter().cloned());
        let values = self.smaller(&Type::arrays(&shape, scalar.clone()), fuel / 3)?;
        let into = self.value(ty, fuel / 3);
        Some(self.one(Op::Array(ArrayOp::Scatter { into, indices, values, mask })))
    }

    /// Index arrays of a shape, one for each axis of the sizes `of`, and perhaps a mask. What is
    /// written has no masks, so methods of the interpreter do not differentiate any.
    fn places(
        &mut self,
        shape: &[Size],
        of: &[Size],
        fuel: usize,
        masks: bool,
    ) -> Option<(Vec<Atom>, Option<Atom>)> {
        let elements = shapes::scalars(&Type::arrays(shape, Type::Int));
        if elements > 60 {
            return None;
        }
        let mask = masks && self.random.once_in(2);
        if mask && self.random.once_in(2) {
            return Some(self.masked(shape, of, fuel));
        }
        let mut indices = Vec::new();
        for (at, size) in of.iter().enumerate() {
            // One of several may be the same for all.
            let same = at > 0 && self.random.once_in(4) && self.is_positive(size);
            indices.push(match same {
                true => self.position(size, 1),
                false => self.positions(shape, size, fuel)?,
            });
        }
        let truths = Type::arrays(shape, Type::Bool);
        let mask = mask.then(|| self.value(&truths, fuel / 2));
        Some((indices, mask))
    }

    /// Any indices, of which those out of bounds are masked.
    fn masked(&mut self, shape: &[Size], of: &[Size], fuel: usize) -> (Vec<Atom>, Option<Atom>) {
        let (mut indices, mut mask) = (Vec::new(), None);
        for size in of {
            let at = self.value(&Type::arrays(shape, Type::Int), fuel / of.len());
            let size = self.size(size);
            let low = self.prim(Prim::Le, vec![Atom::Int(0), at.clone()]);
            let high = self.prim(Prim::Lt, vec![at.clone(), size]);
            let inside = self.prim(Prim::And, vec![low, high]);
            mask = Some(match mask {
                Some(mask) => self.prim(Prim::And, vec![mask, inside]),
                None => inside,
            });
            indices.push(at);
        }
        (indices, mask)
    }

    /// Indices below `size` in an array, if one of the two is known well enough.
    fn positions(&mut self, shape: &[Size], size: &Size, fuel: usize) -> Option<Atom> {
        let own = shape == std::slice::from_ref(size);
        if own && self.random.once_in(4) {
            let keys = self.value(&Type::array(size.clone(), Type::Real), fuel);
            return Some(self.one(Op::Array(ArrayOp::Argsort(keys))));
        }
        if own && self.random.once_in(4) {
            return Some(self.one(Op::Array(ArrayOp::Iota(size.clone()))));
        }
        if !own && !self.is_positive(size) {
            return None;
        }
        let bound: Vec<Binder> = shape.iter().map(|_| self.binder(&Type::Int)).collect();
        let indices = bound.iter().map(|it| it.var).collect();
        let body = self.block(&bound, |it| {
            it.positive.push(size.clone());
            it.indices.extend(bound.iter().map(|it| it.var).zip(shape.iter().cloned()));
            vec![it.position(size, fuel.min(2))]
        });
        Some(self.one(Op::Control(ControlOp::Build { sizes: shape.to_vec(), indices, body })))
    }
}
