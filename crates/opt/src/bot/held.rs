//! How variables of the input are held while it is rewritten: with the dimensions they depend on
//! in front of their own, and what brings operands to common dimensions.

use std::collections::BTreeMap;

use ir::{ArrayOp, Atom, Op, Prim, Size, Type, Var};

use super::Vectorise;

/// A dimension of the surrounding builds; inner ones have greater numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Dim(pub(super) usize);

/// Dimensions, sorted, each once.
pub(super) type Dims = Vec<Dim>;

/// What a variable of the input has become.
#[derive(Clone, Debug)]
pub(super) struct Held {
    /// An array of its values, or, if it is `index`, nothing yet.
    pub(super) atom: Atom,
    /// The dimensions it depends on, which are the first axes of `atom`.
    pub(super) dims: Dims,
    /// Whether it is the index variable of its one dimension.
    pub(super) index: bool,
}

impl Held {
    /// A value that depends on no dimension.
    pub(super) fn plain(atom: Atom) -> Held {
        Held { atom, dims: Dims::new(), index: false }
    }

    /// A value for each position of some dimensions.
    pub(super) fn over(dims: &[Dim], atom: Atom) -> Held {
        Held { atom, dims: dims.to_vec(), index: false }
    }

    /// The dimension of which it is the index variable.
    pub(super) fn index_of(&self) -> Option<Dim> {
        self.dims.first().copied().filter(|_| self.index)
    }
}

/// All of both.
pub(super) fn union(a: &[Dim], b: &[Dim]) -> Dims {
    let mut res: Dims = a.iter().chain(b).copied().collect();
    res.sort_unstable();
    res.dedup();
    res
}

/// All of all.
pub(super) fn union_all(all: &[Held]) -> Dims {
    all.iter().fold(Dims::new(), |dims, it| union(&dims, &it.dims))
}

/// Whether all of `a` are in `b`.
pub(super) fn within(a: &[Dim], b: &[Dim]) -> bool {
    a.iter().all(|it| b.contains(it))
}

/// What is made once in a block and used again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shared {
    /// The positions of a dimension.
    Iota(Dim),
    /// A variable under some dimensions, then under more, and with inner ones.
    Expanded(Var, Dims, Dims, Vec<Size>),
    /// A variable with its axes in another order.
    Transposed(Var, Vec<usize>),
    /// The element of a variable at the position of a remaining build, for the dimensions that its
    /// first axes are: `x[i]` and `x[j]` may both be held as `x`.
    Lane(Var, Dims),
}

impl Vectorise<'_, '_> {
    pub(super) fn open(&mut self) {
        self.builder.open();
        self.shared.push(BTreeMap::new());
    }

    pub(super) fn close(&mut self, results: Vec<Atom>) -> ir::Block {
        self.shared.pop();
        self.builder.close(results)
    }

    /// What is made by `make`, or was in this block or around it.
    pub(super) fn share(&mut self, key: Shared, make: impl FnOnce(&mut Self) -> Atom) -> Atom {
        if let Some(found) = self.shared.iter().rev().find_map(|it| it.get(&key)) {
            return found.clone();
        }
        let atom = make(self);
        self.shared.last_mut().expect("a block is open").insert(key, atom.clone());
        atom
    }

    pub(super) fn size_of(&self, dim: Dim) -> Size {
        self.sizes[dim.0].clone()
    }

    pub(super) fn sizes_of(&self, dims: &[Dim]) -> Vec<Size> {
        dims.iter().map(|it| self.size_of(*it)).collect()
    }

    /// A new innermost dimension.
    pub(super) fn new_dim(&mut self, size: Size) -> Dim {
        self.sizes.push(size);
        self.spans.push(self.builder.span());
        Dim(self.sizes.len() - 1)
    }

    /// The dimensions that a variable of the input depends on.
    pub(super) fn dims_of(&self, var: Var) -> Dims {
        match self.env.get(&var) {
            Some(held) if !self.is_lane(held) => held.dims.clone(),
            Some(_) | None => Dims::new(),
        }
    }

    /// Whether a remaining build goes through the dimensions it depends on.
    fn is_lane(&self, held: &Held) -> bool {
        held.dims.first().is_some_and(|it| self.lanes.contains_key(it))
    }

    /// What an operand has become.
    pub(super) fn held(&mut self, atom: &Atom) -> Held {
        let Atom::Var(var) = atom else { return Held::plain(atom.clone()) };
        let held = self.env.get(var).cloned().expect("V1: bound before use");
        if !self.is_lane(&held) {
            return held;
        }
        let indices: Vec<Atom> = held.dims.iter().map(|it| self.lanes[it].clone()).collect();
        if held.index {
            return Held::plain(indices[0].clone());
        }
        let array = held.atom;
        let Atom::Var(batch) = array else { return Held::plain(array) };
        let lane = |it: &mut Self| it.builder.one(Op::Array(ArrayOp::Index { array, indices }));
        Held::plain(self.share(Shared::Lane(batch, held.dims), lane))
    }

    /// An array at the position of a remaining build: itself, and the indices that are wanting.
    pub(super) fn held_array(&mut self, atom: &Atom) -> (Held, Vec<Atom>) {
        if let Atom::Var(var) = atom
            && let Some(held) = self.env.get(var).cloned().filter(|it| self.is_lane(it))
        {
            let indices = held.dims.iter().map(|it| self.lanes[it].clone()).collect();
            return (Held::plain(held.atom), indices);
        }
        (self.held(atom), Vec::new())
    }

    pub(super) fn all_held(&mut self, atoms: &[Atom]) -> Vec<Held> {
        atoms.iter().map(|it| self.held(it)).collect()
    }

    /// An operand that depends on no dimension.
    pub(super) fn plain(&mut self, atom: &Atom) -> Atom {
        let held = self.held(atom);
        assert!(held.dims.is_empty(), "compiler bug: {atom} depends on an index");
        held.atom
    }

    /// The array of its values.
    pub(super) fn atom(&mut self, held: &Held) -> Atom {
        match held.index_of() {
            Some(dim) => self.iota(dim),
            None => held.atom.clone(),
        }
    }

    /// `build_of_iota`. `build k (\i. i)  ~>  [0, ..., k-1]`
    pub(super) fn iota(&mut self, dim: Dim) -> Atom {
        let (size, span) = (self.size_of(dim), self.spans[dim.0]);
        self.share(Shared::Iota(dim), |it| {
            let outside = it.builder.set_span(span);
            let positions = it.builder.one(Op::Array(ArrayOp::Iota(size)));
            it.builder.set_span(outside);
            positions
        })
    }

    /// The type of one of its values.
    pub(super) fn elem_type(&self, held: &Held) -> Type {
        if held.index {
            return Type::Int;
        }
        let ty = self.builder.type_of(&held.atom);
        let (sizes, inner) = ty.split_arrays();
        Type::arrays(&sizes[held.dims.len()..], inner.clone())
    }

    /// The sizes of one of its values.
    pub(super) fn elem_sizes(&self, held: &Held) -> Vec<Size> {
        self.elem_type(held).split_arrays().0
    }

    /// `build_of_invariant`. `build k (\i. t)  ~>  replicate k t   if i is not free in t`
    ///
    /// Here for any dimensions that are wanting, wherever they stand; a scalar also gets the inner
    /// dimensions of an array that it meets.
    pub(super) fn expand(&mut self, held: &Held, to: &[Dim], inner: &[Size]) -> Atom {
        let fill = if self.elem_sizes(held).is_empty() { inner } else { &[] };
        let missing: Dims = to.iter().filter(|it| !held.dims.contains(it)).copied().collect();
        let atom = self.atom(held);
        if missing.is_empty() && fill.is_empty() {
            return atom;
        }
        match &atom {
            Atom::Var(var) => {
                let key = Shared::Expanded(*var, held.dims.clone(), to.to_vec(), fill.to_vec());
                let fill = fill.to_vec();
                self.share(key, |it| it.replicate(held, atom, &missing, to, &fill))
            }
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => {
                self.replicate(held, atom, &missing, to, fill)
            }
        }
    }

    fn replicate(
        &mut self,
        held: &Held,
        atom: Atom,
        missing: &[Dim],
        to: &[Dim],
        fill: &[Size],
    ) -> Atom {
        let new: Vec<Size> = self.sizes_of(missing).into_iter().chain(fill.to_vec()).collect();
        let value = new.into_iter().rev().fold(atom, |value, size| {
            self.builder.one(Op::Array(ArrayOp::Replicate { size, value }))
        });
        // The axes are now: missing dimensions, inner ones, those that it had.
        let position = |dim: &Dim| match missing.iter().position(|it| it == dim) {
            Some(at) => at,
            None => {
                let at = held.dims.iter().position(|it| it == dim);
                missing.len() + fill.len() + at.expect("it has the dimension")
            }
        };
        let outer = to.iter().map(position);
        let permutation = outer.chain((0..fill.len()).map(|it| missing.len() + it)).collect();
        self.transpose(value, permutation)
    }

    /// Axes in another order; nothing if it is the same.
    pub(super) fn transpose(&mut self, array: Atom, permutation: Vec<usize>) -> Atom {
        if permutation.iter().enumerate().all(|(at, it)| at == *it) {
            return array;
        }
        let Atom::Var(var) = array else { return array };
        let key = Shared::Transposed(var, permutation.clone());
        self.share(key, |it| it.builder.one(Op::Array(ArrayOp::Transpose { array, permutation })))
    }

    /// Brings the first of its own axes in front of its dimensions.
    pub(super) fn own_axis_first(&mut self, held: &Held) -> Atom {
        let n_dims = held.dims.len();
        let atom = self.atom(held);
        self.transpose(atom, [n_dims].into_iter().chain(0..n_dims).collect())
    }

    /// Takes the first axis behind `n_dims` others.
    pub(super) fn own_axis_back(&mut self, array: Atom, n_dims: usize) -> Atom {
        self.transpose(array, (1..=n_dims).chain([0]).collect())
    }

    /// The size in the output; `None` if it depends on a dimension.
    pub(super) fn size(&mut self, size: &Size) -> Option<Size> {
        let mut by = BTreeMap::new();
        for var in size.vars() {
            let held = match self.env.contains_key(&var) {
                true => self.held(&Atom::Var(var)),
                false => Held::plain(Atom::Var(var)),
            };
            if !held.dims.is_empty() {
                return None;
            }
            by.insert(var, ir::signature::atom_size(&held.atom)?);
        }
        Some(size.substitute(&mut |var| by[var].clone()))
    }

    pub(super) fn all_sizes(&mut self, sizes: &[Size]) -> Option<Vec<Size>> {
        sizes.iter().map(|it| self.size(it)).collect()
    }

    /// The type in the output; `None` if a size in it depends on a dimension.
    pub(super) fn ty(&mut self, ty: &Type) -> Option<Type> {
        let sizes = ty.sizes().into_iter().map(|it| self.size(it)).collect::<Option<Vec<_>>>()?;
        let parts = ty.parts().into_iter().map(|it| self.ty(it)).collect::<Option<Vec<_>>>()?;
        Some(ty.with(sizes, parts))
    }

    /// Where all conditions hold that the code being rewritten stands under.
    pub(super) fn mask(&mut self) -> Option<Held> {
        let mut res: Option<Held> = None;
        for (cond, holds) in self.conditions.clone() {
            let cond = if holds { cond } else { self.elementwise(Prim::Not, &[cond]) };
            res = Some(match res {
                None => cond,
                Some(mask) => self.elementwise(Prim::And, &[mask, cond]),
            });
        }
        res
    }
}
