//! Array operations that move what they are given, forwards and back.

use std::sync::Arc;

use ir::{ArrayOp, Atom, Block, Lambda, Op, Prim, Size, Stmt, Type};

use super::{Pull, Reverse};

impl Reverse<'_> {
    /// One element of the cotangent for each.
    pub(super) fn array(&mut self, stmt: &Stmt, parts: &[Atom]) -> Option<Pull> {
        self.keep(stmt);
        let parts = parts.to_vec();
        self.each_leaf(&stmt.binders[0], move |it, leaf, v| {
            for (at, part) in parts.iter().enumerate() {
                if it.is_active(part) {
                    let indices = vec![Atom::Int(at as i64)];
                    let w = it.code.one(Op::Array(ArrayOp::Index { array: v.clone(), indices }));
                    it.contribute(part, leaf, w);
                }
            }
        })
    }

    /// `index` and `gather`: what was read is added where it was read, at a cost of what was read.
    pub(super) fn read(
        &mut self,
        stmt: &Stmt,
        array: &Atom,
        indices: &[Atom],
        mask: Option<&Atom>,
    ) -> Option<Pull> {
        self.keep(stmt);
        let (array, indices, mask) = (array.clone(), indices.to_vec(), mask.cloned());
        self.each_leaf(&stmt.binders[0], move |it, leaf, v| {
            it.update(&array, leaf, |code, sum| code.added_at(sum, &indices, v, mask.as_ref()));
        })
    }

    pub(super) fn scatter(
        &mut self,
        stmt: &Stmt,
        into: &Atom,
        (indices, mask): (&[Atom], Option<&Atom>),
        values: &Atom,
    ) -> Option<Pull> {
        self.keep(stmt);
        let (into, values) = (into.clone(), values.clone());
        let (indices, mask) = (indices.to_vec(), mask.cloned());
        self.each_leaf(&stmt.binders[0], move |it, leaf, v| {
            if it.is_active(&values) {
                let (indices, mask) = (indices.clone(), mask.clone());
                let w = it.code.one(Op::Array(ArrayOp::Gather { array: v.clone(), indices, mask }));
                it.contribute(&values, leaf, w);
            }
            it.contribute(&into, leaf, v);
        })
    }

    pub(super) fn slice(
        &mut self,
        stmt: &Stmt,
        array: &Atom,
        axis: usize,
        (from, to): (&Size, &Size),
    ) -> Option<Pull> {
        self.keep(stmt);
        let (array, from, to) = (array.clone(), from.clone(), to.clone());
        self.each_leaf(&stmt.binders[0], move |it, leaf, v| {
            let at = it.code.one(Op::Array(ArrayOp::Iota(to.sub(&from))));
            let first = it.code.int(&from);
            let at = it.code.prim(Prim::Add, vec![at, first]);
            let v = it.code.axis_first(axis, v);
            it.update(&array, leaf, |code, sum| {
                let sum = code.axis_first(axis, sum);
                let sum = code.added_at(sum, &[at], v, None);
                code.axis_back(axis, sum)
            });
        })
    }

    pub(super) fn transpose(
        &mut self,
        stmt: &Stmt,
        array: &Atom,
        permutation: &[usize],
    ) -> Option<Pull> {
        let mut inverse = vec![0; permutation.len()];
        permutation.iter().enumerate().for_each(|(at, axis)| inverse[*axis] = at);
        self.moved(stmt, array, move |code, v| {
            code.one(Op::Array(ArrayOp::Transpose { array: v, permutation: inverse.clone() }))
        })
    }

    pub(super) fn reshape(&mut self, stmt: &Stmt, array: &Atom, rank: usize) -> Option<Pull> {
        let mut sizes = self.code.sizes_of(array);
        let rank_now = self.code.sizes_of(&Atom::Var(stmt.binders[0].var)).len() + rank;
        let rank_now = rank_now - sizes.len();
        sizes.truncate(rank);
        self.moved(stmt, array, move |code, v| match rank_now {
            0 => code.spread(v, &vec![Size::constant(1); rank]),
            rank => code.one(Op::Array(ArrayOp::Reshape { array: v, rank, sizes: sizes.clone() })),
        })
    }

    pub(super) fn concat(&mut self, stmt: &Stmt, arrays: &[Atom]) -> Option<Pull> {
        self.keep(stmt);
        let arrays = arrays.to_vec();
        self.each_leaf(&stmt.binders[0], move |it, leaf, v| {
            let mut from = Size::constant(0);
            for array in &arrays {
                let to = from.add(&it.code.sizes_of(array)[0]);
                if it.is_active(array) {
                    let (from, to, array_) = (from.clone(), to.clone(), v.clone());
                    let w =
                        it.code.one(Op::Array(ArrayOp::Slice { array: array_, axis: 0, from, to }));
                    it.contribute(array, leaf, w);
                }
                from = to;
            }
        })
    }

    /// By the inverse permutation: each is added where it came from.
    pub(super) fn sort(&mut self, stmt: &Stmt, array: &Atom) -> Option<Pull> {
        self.keep(stmt);
        if *stmt.binders[0].ty.split_arrays().1 != Type::Real {
            return None;
        }
        let at = self.code.one(Op::Array(ArrayOp::Argsort(array.clone())));
        self.scattered(stmt, 0, array, at)
    }

    /// The positions are filtered, and what is there is read.
    pub(super) fn filter(
        &mut self,
        stmt: &Stmt,
        array: &Atom,
        predicate: &Arc<Lambda>,
    ) -> Option<Pull> {
        if !self.is_active(array) {
            return self.constant(stmt);
        }
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
        let at = Atom::Var(found.var);
        let gather = Op::Array(ArrayOp::Gather {
            array: array.clone(),
            indices: vec![at.clone()],
            mask: None,
        });
        self.code.bind(&[stmt.binders[1].var], gather);
        self.scattered(stmt, 1, array, at)
    }

    /// The pull-back of what was read at these positions.
    fn scattered(&mut self, stmt: &Stmt, result: usize, array: &Atom, at: Atom) -> Option<Pull> {
        let array = array.clone();
        self.each_leaf(&stmt.binders[result], move |it, leaf, v| {
            let at = at.clone();
            it.update(&array, leaf, |code, sum| code.added_at(sum, &[at], v, None));
        })
    }
}
