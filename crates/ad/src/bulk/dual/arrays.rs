//! Array operations.

use std::sync::Arc;

use ir::{
    ArrayOp, Atom, Block, ControlOp, DeltaOp, Lambda, Loop, Op, Prim, Reduction, Size, Stmt, Term,
    Type, walk,
};

use super::Dual;
use crate::bulk::code::real;

impl Dual<'_> {
    /// Figure 14: a linear operation is its own derivative.
    pub(super) fn same(&mut self, stmt: &Stmt, operand: &Atom) {
        self.keep(stmt);
        let Some(delta) = self.delta(operand) else { return };
        struct Put<'a>(&'a Atom, Atom);
        impl walk::Rewrite for Put<'_> {
            fn atom(&mut self, atom: &Atom) -> Atom {
                if atom == self.0 { self.1.clone() } else { atom.clone() }
            }
        }
        let op = walk::rewrite_op(&stmt.op, &mut Put(operand, delta));
        let delta = self.linear_one(op);
        self.set(&stmt.binders[0], delta);
    }

    pub(super) fn array(&mut self, stmt: &Stmt, elem: &Type, parts: &[Atom]) {
        self.keep(stmt);
        let Some(elem) = self.code.work.tangent(elem) else { return };
        let parts = parts.iter().map(|it| self.delta_or_zeros(it)).collect();
        let delta = self.linear_one(Op::Array(ArrayOp::Literal { elem, parts }));
        self.set(&stmt.binders[0], delta);
    }

    pub(super) fn concat(&mut self, stmt: &Stmt, arrays: &[Atom]) {
        self.keep(stmt);
        let arrays = arrays.iter().map(|it| self.delta_or_zeros(it)).collect();
        let delta = self.linear_one(Op::Array(ArrayOp::Concat(arrays)));
        self.set(&stmt.binders[0], delta);
    }

    pub(super) fn scatter(
        &mut self,
        stmt: &Stmt,
        into: &Atom,
        (indices, mask): (&[Atom], Option<&Atom>),
        values: &Atom,
    ) {
        self.keep(stmt);
        let (into, values) = (self.delta_or_zeros(into), self.delta_or_zeros(values));
        let (indices, mask) = (indices.to_vec(), mask.cloned());
        let delta = self.linear_one(Op::Array(ArrayOp::Scatter { into, indices, values, mask }));
        self.set(&stmt.binders[0], delta);
    }

    /// The Deltas go where their elements go.
    pub(super) fn sort(&mut self, stmt: &Stmt, array: &Atom) {
        self.keep(stmt);
        let Some(delta) = self.delta(array) else { return };
        let at = self.code.one(Op::Array(ArrayOp::Argsort(array.clone())));
        let delta = self.linear_one(Op::Array(ArrayOp::Gather {
            array: delta,
            indices: vec![at],
            mask: None,
        }));
        self.set(&stmt.binders[0], delta);
    }

    /// The positions are filtered, and what is there is gathered.
    pub(super) fn filter(&mut self, stmt: &Stmt, array: &Atom, predicate: &Arc<Lambda>) {
        let size = self.code.sizes_of(array).remove(0);
        let all = self.code.one(Op::Array(ArrayOp::Iota(size)));
        let position = self.code.fresh(Type::Int);
        self.code.builder.open();
        let indices = vec![Atom::Var(position.var)];
        let element = predicate.params[0].var;
        self.code.bind(&[element], Op::Array(ArrayOp::Index { array: array.clone(), indices }));
        predicate.body.stmts.iter().for_each(|it| self.code.builder.push(it.clone()));
        let body: Block = self.code.builder.close(predicate.body.results.clone());
        let predicate = Arc::new(Lambda { params: vec![position], body });
        let found = self.code.fresh(Type::unit());
        let count = stmt.binders[0].var;
        self.code.bind(&[count, found.var], Op::Array(ArrayOp::Filter { array: all, predicate }));
        let indices = vec![Atom::Var(found.var)];
        let kept = &stmt.binders[1];
        let gather = |array, indices| Op::Array(ArrayOp::Gather { array, indices, mask: None });
        self.code.bind(&[kept.var], gather(array.clone(), indices.clone()));
        let Some(delta) = self.delta(array) else { return };
        let delta = self.linear_one(gather(delta, indices));
        self.set(kept, delta);
    }

    pub(super) fn reduce(&mut self, stmt: &Stmt, reduction: Reduction, axis: usize, array: &Atom) {
        match reduction {
            Reduction::Sum => self.same(stmt, array),
            Reduction::Product => self.product(stmt, axis, array),
            Reduction::Maximum | Reduction::Minimum => {
                self.extremum(stmt, reduction, axis, array);
            }
        }
    }

    /// The factor of each element is the product of those before and those after it, which is right
    /// also where elements are zero: `scale` makes it zero then, whatever the others are.
    fn product(&mut self, stmt: &Stmt, axis: usize, array: &Atom) {
        self.keep(stmt);
        let Some(delta) = self.delta(array) else { return };
        let rows = self.code.axis_first(axis, array.clone());
        let before = self.products_before(rows.clone());
        let backwards = self.code.one(Op::Array(ArrayOp::Reverse(rows)));
        let after = self.products_before(backwards);
        let after = self.code.one(Op::Array(ArrayOp::Reverse(after)));
        let factor = self.code.prim(Prim::Scale, vec![before, after]);
        let factor = self.code.axis_back(axis, factor);
        let delta = self.linear_one(Op::Delta(DeltaOp::Combine(vec![Term { factor, delta }])));
        let delta = self.linear_one(Op::Array(ArrayOp::Reduce {
            reduction: Reduction::Sum,
            axis,
            array: delta,
        }));
        self.set(&stmt.binders[0], delta);
    }

    /// Element `i` is the product of the elements before it.
    fn products_before(&mut self, array: Atom) -> Atom {
        let Type::Array(_, row) = self.code.type_of(&array) else { panic!("an array") };
        let sizes = row.split_arrays().0;
        let one = self.code.spread(real(1.0), &sizes);
        let (state, elem) = (self.code.fresh((*row).clone()), self.code.fresh((*row).clone()));
        let so_far = Atom::Var(state.var);
        self.code.builder.open();
        let next = self.code.prim(Prim::Scale, vec![so_far.clone(), Atom::Var(elem.var)]);
        let body = self.code.builder.close(vec![next, so_far]);
        let step = Loop { state: vec![state], elems: vec![elem], body };
        self.code
            .emit(Op::Control(ControlOp::Fold { inits: vec![one], arrays: vec![array], step }))
            .remove(1)
    }

    /// The Delta is that of the first greatest (least) element; zero if there is none.
    fn extremum(&mut self, stmt: &Stmt, reduction: Reduction, axis: usize, array: &Atom) {
        self.keep(stmt);
        let Some(delta) = self.delta(array) else { return };
        let mut sizes = self.code.sizes_of(array);
        let length = sizes.remove(axis);
        let length = self.code.int(&length);
        let some = self.code.prim(Prim::Gt, vec![length, Atom::Int(0)]);
        let indices = match sizes.is_empty() {
            true => vec![self.position(reduction, array.clone(), &some)],
            false => self.positions(reduction, axis, &sizes, array, &some),
        };
        let op = Op::Array(ArrayOp::Gather { array: delta, indices, mask: Some(some) });
        let delta = self.linear_one(op);
        self.set(&stmt.binders[0], delta);
    }

    /// Where the extremum of a row is; 0 if there is none.
    fn position(&mut self, reduction: Reduction, row: Atom, some: &Atom) -> Atom {
        self.code.builder.open();
        let at = self.code.one(match reduction {
            Reduction::Minimum => Op::Array(ArrayOp::Argmin(row)),
            Reduction::Maximum | Reduction::Sum | Reduction::Product => {
                Op::Array(ArrayOp::Argmax(row))
            }
        });
        let then = self.code.builder.close(vec![at]);
        let otherwise = Block { stmts: Vec::new(), results: vec![Atom::Int(0)] };
        self.code.one(Op::Control(ControlOp::If { cond: some.clone(), then, otherwise }))
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
        let rows =
            self.code.one(Op::Array(ArrayOp::Transpose { array: array.clone(), permutation }));
        let indices: Vec<_> = sizes.iter().map(|_| self.code.fresh(Type::Int).var).collect();
        let mut at: Vec<Atom> = indices.iter().map(|it| Atom::Var(*it)).collect();
        self.code.builder.open();
        let row = self.code.one(Op::Array(ArrayOp::Index { array: rows, indices: at.clone() }));
        let position = self.position(reduction, row, some);
        at.insert(axis, position);
        let body = self.code.builder.close(at);
        self.code.emit(Op::Control(ControlOp::Build { sizes: sizes.to_vec(), indices, body }))
    }
}
