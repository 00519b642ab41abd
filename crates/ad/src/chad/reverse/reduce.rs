//! Reductions that are not linear.

use ir::{ArrayOp, Atom, Op, Reduction, Stmt};

use super::{Pull, Reverse};

impl Reverse<'_> {
    /// An element gets it times the product of the others.
    pub(super) fn product(&mut self, stmt: &Stmt, axis: usize, array: &Atom) -> Option<Pull> {
        let size = self.work.code.sizes_of(array).remove(axis);
        let all = array.clone();
        self.moved(stmt, array, move |code, v| {
            let rows = code.one(Op::Array(ArrayOp::Replicate { size: size.clone(), value: v }));
            let v = code.axis_back(axis, rows);
            code.scaled(|code| code.product_factors(axis, &all), v)
        })
    }

    /// The first greatest (least) element gets all of it; none does if there is none.
    pub(super) fn extremum(
        &mut self,
        stmt: &Stmt,
        reduction: Reduction,
        axis: usize,
        array: &Atom,
    ) -> Option<Pull> {
        self.keep(stmt);
        let array = array.clone();
        self.each_leaf(&stmt.binders[0], move |it, leaf, v| {
            let (indices, some) = it.work.code.extremum_at(reduction, axis, &array);
            it.update(&array, leaf, |code, sum| code.added_at(sum, &indices, v, Some(&some)));
        })
    }
}
