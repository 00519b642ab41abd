//! Array operations that move what they are given, forwards and back.

use ir::{ArrayOp, Atom, Lambda, Op, Prim, Size, Stmt, Type};

use super::{Pull, Reverse};

impl Reverse<'_> {
    pub(super) fn array_op(&mut self, stmt: &Stmt, op: &ArrayOp) -> Option<Pull> {
        match op {
            ArrayOp::Literal { parts, .. } => self.array(stmt, parts),
            ArrayOp::Index { array, indices } => self.read(stmt, array, indices, None),
            ArrayOp::Gather { array, indices, mask } => {
                self.read(stmt, array, indices, mask.as_ref())
            }
            ArrayOp::Slice { array, axis, from, to } => self.slice(stmt, array, *axis, (from, to)),
            ArrayOp::Replicate { value, .. } => {
                self.moved(stmt, value, |code, v| code.sum_of_rows(v))
            }
            ArrayOp::Transpose { array, permutation } => self.transpose(stmt, array, permutation),
            ArrayOp::Reshape { array, rank, .. } => self.reshape(stmt, array, *rank),
            ArrayOp::Reverse(array) => {
                self.moved(stmt, array, |code, v| code.one(Op::Array(ArrayOp::Reverse(v))))
            }
            ArrayOp::Sized { array, .. } => self.moved(stmt, array, |_, v| v),
            ArrayOp::Scatter { into, indices, values, mask } => {
                self.scatter(stmt, into, (indices, mask.as_ref()), values)
            }
            ArrayOp::Concat(arrays) => self.concat(stmt, arrays),
            ArrayOp::Reduce { reduction, axis, array } => {
                self.reduce(stmt, *reduction, *axis, array)
            }
            ArrayOp::Sort(array) => self.sort(stmt, array),
            ArrayOp::Filter { array, predicate } => self.filter(stmt, array, predicate),
            ArrayOp::Iota(_) | ArrayOp::Argmax(_) | ArrayOp::Argmin(_) | ArrayOp::Argsort(_) => {
                self.constant(stmt)
            }
        }
    }

    /// One element of the cotangent for each.
    fn array(&mut self, stmt: &Stmt, parts: &[Atom]) -> Option<Pull> {
        self.keep(stmt);
        let parts = parts.to_vec();
        self.each_leaf(&stmt.binders[0], move |it, leaf, v| {
            for (at, part) in parts.iter().enumerate() {
                if it.is_active(part) {
                    let indices = vec![Atom::Int(at as i64)];
                    let w =
                        it.work.code.one(Op::Array(ArrayOp::Index { array: v.clone(), indices }));
                    it.contribute(part, leaf, w);
                }
            }
        })
    }

    /// `index` and `gather`: what was read is added where it was read, at a cost of what was read.
    fn read(
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

    fn scatter(
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
                let w = it.work.code.one(Op::Array(ArrayOp::Gather {
                    array: v.clone(),
                    indices,
                    mask,
                }));
                it.contribute(&values, leaf, w);
            }
            it.contribute(&into, leaf, v);
        })
    }

    fn slice(
        &mut self,
        stmt: &Stmt,
        array: &Atom,
        axis: usize,
        (from, to): (&Size, &Size),
    ) -> Option<Pull> {
        self.keep(stmt);
        let (array, from, to) = (array.clone(), from.clone(), to.clone());
        self.each_leaf(&stmt.binders[0], move |it, leaf, v| {
            let at = it.work.code.one(Op::Array(ArrayOp::Iota(to.sub(&from))));
            let first = it.work.code.int(&from);
            let at = it.work.code.prim(Prim::Add, vec![at, first]);
            let v = it.work.code.axis_first(axis, v);
            it.update(&array, leaf, |code, sum| {
                let sum = code.axis_first(axis, sum);
                let sum = code.added_at(sum, &[at], v, None);
                code.axis_back(axis, sum)
            });
        })
    }

    fn transpose(&mut self, stmt: &Stmt, array: &Atom, permutation: &[usize]) -> Option<Pull> {
        let mut inverse = vec![0; permutation.len()];
        permutation.iter().enumerate().for_each(|(at, axis)| inverse[*axis] = at);
        self.moved(stmt, array, move |code, v| {
            code.one(Op::Array(ArrayOp::Transpose { array: v, permutation: inverse.clone() }))
        })
    }

    fn reshape(&mut self, stmt: &Stmt, array: &Atom, rank: usize) -> Option<Pull> {
        let mut sizes = self.work.code.sizes_of(array);
        let rank_now = self.work.code.sizes_of(&Atom::Var(stmt.binders[0].var)).len() + rank;
        let rank_now = rank_now - sizes.len();
        sizes.truncate(rank);
        self.moved(stmt, array, move |code, v| match rank_now {
            0 => code.spread(v, &vec![Size::constant(1); rank]),
            rank => code.one(Op::Array(ArrayOp::Reshape { array: v, rank, sizes: sizes.clone() })),
        })
    }

    fn concat(&mut self, stmt: &Stmt, arrays: &[Atom]) -> Option<Pull> {
        self.keep(stmt);
        let arrays = arrays.to_vec();
        self.each_leaf(&stmt.binders[0], move |it, leaf, v| {
            let mut from = Size::constant(0);
            for array in &arrays {
                let to = from.add(&it.work.code.sizes_of(array)[0]);
                if it.is_active(array) {
                    let (from, to, array_) = (from.clone(), to.clone(), v.clone());
                    let w = it.work.code.one(Op::Array(ArrayOp::Slice {
                        array: array_,
                        axis: 0,
                        from,
                        to,
                    }));
                    it.contribute(array, leaf, w);
                }
                from = to;
            }
        })
    }

    /// By the inverse permutation: each is added where it came from.
    fn sort(&mut self, stmt: &Stmt, array: &Atom) -> Option<Pull> {
        self.keep(stmt);
        if *stmt.binders[0].ty.split_arrays().1 != Type::Real {
            return None;
        }
        let at = self.work.code.one(Op::Array(ArrayOp::Argsort(array.clone())));
        self.scattered(stmt, 0, array, at)
    }

    /// The positions are filtered, and what is there is read.
    fn filter(&mut self, stmt: &Stmt, array: &Atom, predicate: &Lambda) -> Option<Pull> {
        if !self.is_active(array) {
            return self.constant(stmt);
        }
        let at = self.work.code.filtered(&stmt.binders, array, predicate);
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
