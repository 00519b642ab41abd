//! Rules for sums of rows that are mostly zero: what is not zero is added where it belongs, and the
//! row is never made. This is how the derivative of parts of a row of weights adds to them.
//!
//! Sums at one position are taken in another order: `Exactness::UpToRounding`, or integers.

use ir::{ArrayOp, Atom, Op, Prim, Size, Type};

use super::forward::{Forward, Step};

impl Forward<'_> {
    /// Something is added to a row, or to an array as a whole if there is no index.
    pub(super) fn scatter_pieces(
        &mut self,
        into: &Atom,
        indices: &[Atom],
        values: &Atom,
    ) -> Option<Step> {
        let scalars = indices.iter().all(|it| !self.is_array(it));
        let (row, at) = (into.clone(), indices.to_vec());
        let op = Op::Array(ArrayOp::Scatter {
            into: row,
            indices: at,
            values: values.clone(),
            mask: None,
        });
        // Of a piece of no elements nothing fails.
        if !scalars || !self.is_used_once(values) || self.can_fail(&op, self.depth()) {
            return None;
        }
        let op = self.op_of(values)?.clone();
        if let Op::Array(ArrayOp::Scatter {
            into: row,
            indices: inner,
            values: piece,
            mask: None,
        }) = &op
        {
            return self.scatter_of_scatter(into, indices, (&op, row), (inner, piece));
        }
        let Op::Array(ArrayOp::Concat(parts)) = &op else { return None };
        self.scatter_of_concat(into, indices, parts)
    }

    // scatter-of-scatter: `scatter a (i) (scatter b (js) xs)` -> `scatter (scatter a (i) b) (i, js) xs`,
    // where nobody else needs the inner one and it cannot fail
    fn scatter_of_scatter(
        &mut self,
        into: &Atom,
        indices: &[Atom],
        (op, row): (&Op, &Atom),
        (inner, piece): (&[Atom], &Atom),
    ) -> Option<Step> {
        if self.can_fail(op, self.depth()) {
            return None;
        }
        let (values, all) = (row.clone(), [indices, inner].concat());
        let (into, indices) = (into.clone(), indices.to_vec());
        let into = self.emit(Op::Array(ArrayOp::Scatter { into, indices, values, mask: None }))?;
        Some(Step::Op(Op::Array(ArrayOp::Scatter {
            into,
            indices: all,
            values: piece.clone(),
            mask: None,
        })))
    }

    // scatter-of-concat: `scatter a (i) (concat (zeros, xs, zeros))` -> `scatter a (i, iota + c) xs`, and so
    // for every part that is not zero
    fn scatter_of_concat(&mut self, into: &Atom, indices: &[Atom], parts: &[Atom]) -> Option<Step> {
        if indices.is_empty() || !parts.iter().any(|it| self.is_zero(it)) {
            return None;
        }
        let mut res = into.clone();
        let mut start = Size::constant(0);
        for part in parts {
            let Type::Array(size, _) = self.type_of(part)? else { return None };
            if !self.is_zero(part) {
                let place = self.emit(Op::Array(ArrayOp::Iota(size.clone())))?;
                let offset = self.emit(Op::Size(start.clone()))?;
                let place = self.emit(Op::Prim(Prim::Add, vec![place, offset]))?;
                let indices = indices.iter().cloned().chain([place]).collect();
                let (into, values) = (res, part.clone());
                res =
                    self.emit(Op::Array(ArrayOp::Scatter { into, indices, values, mask: None }))?;
            }
            start = start.add(&size);
        }
        // The index would not be looked at.
        (res != *into).then_some(Step::Value(res))
    }
}
