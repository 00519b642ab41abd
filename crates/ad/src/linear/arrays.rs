//! Operations on arrays that are linear in the reals they are given: on tangents, and transposed.
//!
//! Paper: the dual-arrays paper's Figures 14 (a linear operation is its own derivative) and 17. Which
//! operands an operation is linear in is a fact of the operation (`crates/ir/src/facts.rs`); its
//! transpose is here, once for every method.

use ir::{ArrayOp, Atom, Op, Prim, Size, Type, walk};

use super::code::Code;

/// The operation on other values in the place of these operands; its result is of this type.
pub(crate) fn on_tangents(op: &ArrayOp, operands: &[&Atom], tangents: &[Atom], ty: &Type) -> Op {
    struct Put<'a>(std::iter::Peekable<std::iter::Zip<Operands<'a>, Values<'a>>>);
    type Operands<'a> = std::slice::Iter<'a, &'a Atom>;
    type Values<'a> = std::slice::Iter<'a, Atom>;
    impl walk::Rewrite for Put<'_> {
        fn atom(&mut self, atom: &Atom) -> Atom {
            match self.0.next_if(|(operand, _)| **operand == atom) {
                Some((_, tangent)) => tangent.clone(),
                None => atom.clone(),
            }
        }
    }
    let mut put = Put(operands.iter().zip(tangents).peekable());
    let mut res = walk::rewrite_op(&Op::Array(op.clone()), &mut put);
    assert!(put.0.peek().is_none(), "compiler bug: operands of {res} are in another order");
    if let (Op::Array(ArrayOp::Literal { elem, .. }), Type::Array(_, of)) = (&mut res, ty) {
        *elem = Type::clone(of);
    }
    res
}

/// Who adds up cotangents.
pub(crate) trait Cotangents {
    /// Where code is emitted.
    fn code(&mut self) -> &mut Code;
    /// Whether an operand has a cotangent.
    fn is_active(&self, operand: &Atom) -> bool;
    /// Adds to the cotangent of an operand, if it has one.
    fn contribute(&mut self, to: &Atom, value: Atom);
    /// Changes the cotangent of an operand in place, if it has one.
    fn update(&mut self, to: &Atom, change: impl FnOnce(&mut Code, Atom) -> Atom);
}

/// What a linear operation contributes to the cotangents of its operands, given that of its result.
/// `None` if it is not linear.
pub(crate) fn transposed(to: &mut impl Cotangents, op: &ArrayOp, c: Atom) -> Option<()> {
    match op {
        // `eval c (Index d i)`, with one-hot arrays that are never made.
        ArrayOp::Index { array, indices } => {
            to.update(array, |code, sum| code.added_at(sum, indices, c, None));
        }
        ArrayOp::Gather { array, indices, mask } => {
            to.update(array, |code, sum| code.added_at(sum, indices, c, mask.as_ref()));
        }
        // `eval c (SumOuter d)`: every element gets all of it.
        ArrayOp::Reduce { axis, array, .. } => {
            let size = to.code().sizes_of(array).remove(*axis);
            let value = to.code().one(Op::Array(ArrayOp::Replicate { size, value: c }));
            let value = to.code().axis_back(*axis, value);
            to.contribute(array, value);
        }
        ArrayOp::Scatter { into, indices, values, mask } => {
            if to.is_active(values) {
                let (array, indices, mask) = (c.clone(), indices.clone(), mask.clone());
                let gather = Op::Array(ArrayOp::Gather { array, indices, mask });
                let gather = to.code().one(gather);
                to.contribute(values, gather);
            }
            to.contribute(into, c);
        }
        ArrayOp::Literal { parts, .. } => literal(to, parts, &c),
        ArrayOp::Replicate { value, .. } => {
            let sum = to.code().sum_of_rows(c);
            to.contribute(value, sum);
        }
        ArrayOp::Transpose { array, permutation } => {
            let mut inverse = vec![0; permutation.len()];
            permutation.iter().enumerate().for_each(|(at, axis)| inverse[*axis] = at);
            let op = Op::Array(ArrayOp::Transpose { array: c, permutation: inverse });
            let value = to.code().one(op);
            to.contribute(array, value);
        }
        ArrayOp::Reshape { array, rank, sizes } => {
            let value = reshaped(to.code(), array, *rank, sizes, c);
            to.contribute(array, value);
        }
        ArrayOp::Slice { array, axis, from, to: end } => slice(to, array, *axis, (from, end), c),
        ArrayOp::Reverse(array) => {
            let value = to.code().one(Op::Array(ArrayOp::Reverse(c)));
            to.contribute(array, value);
        }
        ArrayOp::Concat(arrays) => concat(to, arrays, &c),
        ArrayOp::Sized { array, .. } => to.contribute(array, c),
        ArrayOp::Argmax(_) | ArrayOp::Argmin(_) | ArrayOp::Iota(_) => return None,
        ArrayOp::Sort(_) | ArrayOp::Argsort(_) | ArrayOp::Filter { .. } => return None,
    }
    Some(())
}

fn literal(to: &mut impl Cotangents, parts: &[Atom], c: &Atom) {
    for (at, part) in parts.iter().enumerate() {
        if to.is_active(part) {
            let (array, indices) = (c.clone(), vec![Atom::Int(at as i64)]);
            let element = to.code().one(Op::Array(ArrayOp::Index { array, indices }));
            to.contribute(part, element);
        }
    }
}

/// The cotangent of a reshaped array under the sizes that it had.
fn reshaped(code: &mut Code, array: &Atom, rank: usize, sizes: &[Size], c: Atom) -> Atom {
    if sizes.is_empty() {
        return code.broadcast(c, &vec![Size::constant(1); rank]);
    }
    let mut before = code.sizes_of(array);
    before.truncate(rank);
    code.one(Op::Array(ArrayOp::Reshape { array: c, rank: sizes.len(), sizes: before }))
}

fn slice(
    to: &mut impl Cotangents,
    array: &Atom,
    axis: usize,
    (from, end): (&Size, &Size),
    c: Atom,
) {
    if !to.is_active(array) {
        return;
    }
    let size = end.sub(from);
    let c = to.code().axis_first(axis, c);
    let at = to.code().one(Op::Array(ArrayOp::Iota(size)));
    let from = to.code().int(from);
    let at = to.code().prim(Prim::Add, vec![at, from]);
    to.update(array, |code, sum| {
        let into = code.axis_first(axis, sum);
        let sum = code.added_at(into, &[at], c, None);
        code.axis_back(axis, sum)
    });
}

fn concat(to: &mut impl Cotangents, arrays: &[Atom], c: &Atom) {
    let mut from = Size::constant(0);
    for array in arrays {
        let end = from.add(&to.code().sizes_of(array)[0]);
        if to.is_active(array) {
            let (from, end, whole) = (from, end.clone(), c.clone());
            let part = ArrayOp::Slice { array: whole, axis: 0, from, to: end };
            let value = to.code().one(Op::Array(part));
            to.contribute(array, value);
        }
        from = end;
    }
}

impl Code {
    /// The sum over the outermost axis.
    pub(crate) fn sum_of_rows(&mut self, array: Atom) -> Atom {
        let ty = self.type_of(&array);
        if let Type::Data(..) = ty.split_arrays().1 {
            return self.fold_rows(array);
        }
        let reduction = ir::Reduction::Sum;
        self.one(Op::Array(ArrayOp::Reduce { reduction, axis: 0, array }))
    }

    /// An array with values added at positions, where the mask holds.
    pub(crate) fn added_at(
        &mut self,
        into: Atom,
        indices: &[Atom],
        values: Atom,
        mask: Option<&Atom>,
    ) -> Atom {
        let ty = self.type_of(&into);
        if let Type::Data(..) = ty.split_arrays().1 {
            return self.scatter_sums(into, indices, values);
        }
        let (indices, mask) = (indices.to_vec(), mask.cloned());
        self.one(Op::Array(ArrayOp::Scatter { into, indices, values, mask }))
    }
}
