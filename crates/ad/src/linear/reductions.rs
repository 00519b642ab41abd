//! Values that the derivatives of reductions, `sort` and `filter` need: factors and positions.

use std::sync::Arc;

use ir::{ArrayOp, Atom, Binder, Block, ControlOp, Lambda, Loop, Op, Prim, Reduction, Size, Type};

use super::code::{Code, real};

impl Code {
    /// The statement of a `filter`, by way of the positions that it keeps; gives these.
    pub(crate) fn filtered(
        &mut self,
        binders: &[Binder],
        array: &Atom,
        predicate: &Lambda,
    ) -> Atom {
        let size = self.sizes_of(array).remove(0);
        let all = self.one(Op::Array(ArrayOp::Iota(size)));
        let position = self.fresh(Type::Int);
        self.builder.open();
        let indices = vec![Atom::Var(position.var)];
        let element = predicate.params[0].var;
        self.bind(&[element], Op::Array(ArrayOp::Index { array: array.clone(), indices }));
        predicate.body.stmts.iter().for_each(|it| self.builder.push(it.clone()));
        let body: Block = self.builder.close(predicate.body.results.clone());
        let predicate = Arc::new(Lambda { params: vec![position], body });
        let found = self.fresh(Type::unit());
        let count = binders[0].var;
        self.bind(&[count, found.var], Op::Array(ArrayOp::Filter { array: all, predicate }));
        let found = Atom::Var(found.var);
        let (array, indices) = (array.clone(), vec![found.clone()]);
        let gather = ArrayOp::Gather { array, indices, mask: None };
        self.bind(&[binders[1].var], Op::Array(gather));
        found
    }

    /// The factor of each element of a product is the product of those before and those after it, which
    /// is right also where elements are zero: `scale` makes it zero then, whatever the others are.
    pub(crate) fn product_factors(&mut self, axis: usize, array: &Atom) -> Atom {
        let rows = self.axis_first(axis, array.clone());
        let before = self.products_before(rows.clone());
        let backwards = self.one(Op::Array(ArrayOp::Reverse(rows)));
        let after = self.products_before(backwards);
        let after = self.one(Op::Array(ArrayOp::Reverse(after)));
        let factor = self.prim(Prim::Scale, vec![before, after]);
        self.axis_back(axis, factor)
    }

    /// Element `i` is the product of the elements before it.
    fn products_before(&mut self, array: Atom) -> Atom {
        let Type::Array(_, row) = self.type_of(&array) else { panic!("compiler bug: an array") };
        let sizes = row.split_arrays().0;
        let one = self.broadcast(real(1.0), &sizes);
        let (state, elem) = (self.fresh((*row).clone()), self.fresh((*row).clone()));
        let so_far = Atom::Var(state.var);
        self.builder.open();
        let next = self.prim(Prim::Scale, vec![so_far.clone(), Atom::Var(elem.var)]);
        let body = self.builder.close(vec![next, so_far]);
        let step = Loop { state: vec![state], elems: vec![elem], body };
        self.emit(Op::Control(ControlOp::Fold { inits: vec![one], arrays: vec![array], step }))
            .remove(1)
    }

    /// Where the first greatest (least) elements are, and whether there are any.
    pub(crate) fn extremum_at(
        &mut self,
        reduction: Reduction,
        axis: usize,
        array: &Atom,
    ) -> (Vec<Atom>, Atom) {
        let mut sizes = self.sizes_of(array);
        let length = sizes.remove(axis);
        let length = self.int(&length);
        let some = self.prim(Prim::Gt, vec![length, Atom::Int(0)]);
        let indices = match sizes.is_empty() {
            true => vec![self.position(reduction, array.clone(), &some)],
            false => self.positions(reduction, axis, &sizes, array, &some),
        };
        (indices, some)
    }

    /// Where the extremum of a row is; 0 if there is none.
    fn position(&mut self, reduction: Reduction, row: Atom, some: &Atom) -> Atom {
        self.builder.open();
        let at = self.one(match reduction {
            Reduction::Minimum => Op::Array(ArrayOp::Argmin(row)),
            Reduction::Maximum | Reduction::Sum | Reduction::Product => {
                Op::Array(ArrayOp::Argmax(row))
            }
        });
        let then = self.builder.close(vec![at]);
        let otherwise = Block { stmts: Vec::new(), results: vec![Atom::Int(0)] };
        self.one(Op::Control(ControlOp::If { cond: some.clone(), then, otherwise }))
    }

    /// Where the extremum of every row along one axis of a larger array is: an index for each axis.
    fn positions(
        &mut self,
        reduction: Reduction,
        axis: usize,
        sizes: &[Size],
        array: &Atom,
        some: &Atom,
    ) -> Vec<Atom> {
        // The axis becomes the last one, so that a row is what all other indices lead to.
        let permutation: Vec<usize> =
            (0..=sizes.len()).filter(|it| *it != axis).chain([axis]).collect();
        let rows = self.one(Op::Array(ArrayOp::Transpose { array: array.clone(), permutation }));
        let indices: Vec<_> = sizes.iter().map(|_| self.fresh(Type::Int).var).collect();
        let mut at: Vec<Atom> = indices.iter().map(|it| Atom::Var(*it)).collect();
        self.builder.open();
        let row = self.one(Op::Array(ArrayOp::Index { array: rows, indices: at.clone() }));
        let position = self.position(reduction, row, some);
        at.insert(axis, position);
        let body = self.builder.close(at);
        self.emit(Op::Control(ControlOp::Build { sizes: sizes.to_vec(), indices, body }))
    }
}
