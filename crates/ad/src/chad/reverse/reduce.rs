//! Reductions.

use ir::{ArrayOp, Atom, Block, ControlOp, Loop, Op, Prim, Reduction, Size, Stmt, Type};

use super::{Pull, Reverse};
use crate::bulk::code::{Code, real};

impl Reverse<'_> {
    pub(super) fn reduce(
        &mut self,
        stmt: &Stmt,
        reduction: Reduction,
        axis: usize,
        array: &Atom,
    ) -> Option<Pull> {
        let size = self.code.sizes_of(array).remove(axis);
        match reduction {
            // Every element gets all of it.
            Reduction::Sum => self.moved(stmt, array, move |code, v| {
                let rows = code.one(Op::Array(ArrayOp::Replicate { size: size.clone(), value: v }));
                code.axis_back(axis, rows)
            }),
            // An element gets it times the product of the others.
            Reduction::Product => {
                let all = array.clone();
                self.moved(stmt, array, move |code, v| {
                    let rows =
                        code.one(Op::Array(ArrayOp::Replicate { size: size.clone(), value: v }));
                    let v = code.axis_back(axis, rows);
                    let others = code.products_of_others(axis, &all);
                    code.prim(Prim::Scale, vec![others, v])
                })
            }
            Reduction::Maximum | Reduction::Minimum => {
                self.extremum(stmt, reduction, (axis, &size), array)
            }
        }
    }

    /// The first greatest (least) element gets all of it; none does if there is none.
    fn extremum(
        &mut self,
        stmt: &Stmt,
        reduction: Reduction,
        (axis, length): (usize, &Size),
        array: &Atom,
    ) -> Option<Pull> {
        self.keep(stmt);
        if *stmt.binders[0].ty.split_arrays().1 != Type::Real {
            return None;
        }
        let (array, length) = (array.clone(), length.clone());
        self.each_leaf(&stmt.binders[0], move |it, leaf, v| {
            let mut sizes = it.code.sizes_of(&array);
            sizes.remove(axis);
            let length = it.code.int(&length);
            let some = it.code.prim(Prim::Gt, vec![length, Atom::Int(0)]);
            let indices = match sizes.is_empty() {
                true => vec![it.code.position(reduction, array.clone(), &some)],
                false => it.code.positions(reduction, axis, &sizes, &array, &some),
            };
            it.update(&array, leaf, |code, sum| code.added_at(sum, &indices, v, Some(&some)));
        })
    }
}

impl Code<'_> {
    /// For each element the product of those before and after it along an axis: right also where
    /// elements are zero, since `scale` makes it zero then, whatever the others are.
    fn products_of_others(&mut self, axis: usize, array: &Atom) -> Atom {
        let rows = self.axis_first(axis, array.clone());
        let before = self.products_before(rows.clone());
        let backwards = self.one(Op::Array(ArrayOp::Reverse(rows)));
        let after = self.products_before(backwards);
        let after = self.one(Op::Array(ArrayOp::Reverse(after)));
        let others = self.prim(Prim::Scale, vec![before, after]);
        self.axis_back(axis, others)
    }

    /// Element `i` is the product of the elements before it.
    fn products_before(&mut self, array: Atom) -> Atom {
        let Type::Array(_, row) = self.type_of(&array) else { panic!("an array") };
        let sizes = row.split_arrays().0;
        let one = self.spread(real(1.0), &sizes);
        let (state, elem) = (self.fresh((*row).clone()), self.fresh((*row).clone()));
        let so_far = Atom::Var(state.var);
        self.builder.open();
        let next = self.prim(Prim::Scale, vec![so_far.clone(), Atom::Var(elem.var)]);
        let body = self.builder.close(vec![next, so_far]);
        let step = Loop { state: vec![state], elems: vec![elem], body };
        self.emit(Op::Control(ControlOp::Fold { inits: vec![one], arrays: vec![array], step }))
            .remove(1)
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

    /// The same for every row along one axis of a larger array: an index for each axis.
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
