//! `build` of `gather`, `scatter` and `index`: Fig. 9 and Fig. 11.

use ir::{ArrayOp, Atom, Op, Prim, Size};

use super::Vectorise;
use super::held::{Dim, Dims, Held, union, union_all};
use super::mask::has_zero;

/// What an index, a gather or a scatter that may fail has to be brought to.
pub(super) struct Guard {
    /// Dimensions in which the statement is run as often as the input runs it.
    pub(super) dims: Dims,
    /// Where it may be run; everywhere if `None`.
    pub(super) mask: Option<Held>,
}

/// The indices of an array, apart.
struct Taken {
    /// The dimensions with their axes.
    axes: Vec<(Dim, usize)>,
    /// The indices that are none, with their axes.
    rest: Vec<Held>,
    rest_axes: Vec<usize>,
}

impl Vectorise<'_, '_> {
    /// The indices of a batch: the positions of its dimensions, then the others.
    fn batch_indices(
        &mut self,
        batch: &[Dim],
        indices: &[Held],
        dims: &[Dim],
        shape: &[Size],
        has_mask: bool,
    ) -> Vec<Atom> {
        let own = batch.iter().map(|it| Held { atom: Atom::Int(0), dims: vec![*it], index: true });
        let all: Vec<Held> = own.chain(indices.iter().cloned()).collect();
        let is_scalar =
            |it: &Self, held: &Held| held.dims.is_empty() && it.elem_sizes(held).is_empty();
        // Scalars are allowed among arrays.
        let mut needs_array = !has_mask && all.iter().all(|it| is_scalar(self, it));
        let mut res = Vec::new();
        for index in &all {
            let stays = is_scalar(self, index) && !needs_array;
            needs_array = false;
            res.push(if stays { self.atom(index) } else { self.expand(index, dims, shape) });
        }
        res
    }

    /// The sizes that index arrays have in common.
    fn shape(&self, indices: &[Held], mask: Option<&Held>) -> Vec<Size> {
        let shapes = indices.iter().chain(mask).map(|it| self.elem_sizes(it));
        shapes.into_iter().find(|it| !it.is_empty()).unwrap_or_default()
    }

    fn both(&mut self, a: Option<Held>, b: Option<Held>) -> Option<Held> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.elementwise(Prim::And, &[a, b])),
            (a, b) => a.or(b),
        }
    }

    /// `build_of_gather`. `build k (\i. gather sh t (\is. ix))
    ///   ~>  gather (k ::: sh) (build k (\i. t)) (\(i ::: is). i ::: ix)`
    pub(super) fn build_of_gather(
        &mut self,
        array: &Held,
        indices: &[Held],
        mask: Option<Held>,
        guard: Guard,
    ) -> Held {
        let shape = self.shape(indices, mask.as_ref());
        let mask = self.both(mask, guard.mask);
        let dims = union(&union(&array.dims, &union_all(indices)), &guard.dims);
        let dims = mask.as_ref().map_or(dims.clone(), |it| union(&dims, &it.dims));
        if mask.is_none() && dims == array.dims && union_all(indices).is_empty() {
            let can_be_masked = !shape.is_empty() && has_zero(&self.elem_type(array));
            if guard.dims.is_empty() || can_be_masked {
                let unless_empty = self.not_empty(&guard.dims);
                return self.gather_below(array, indices, &shape, unless_empty);
            }
        }
        let has_mask = mask.is_some();
        let indices = self.batch_indices(&array.dims, indices, &dims, &shape, has_mask);
        let mask = mask.map(|it| self.expand(&it, &dims, &shape));
        let op = Op::Array(ArrayOp::Gather { array: self.atom(array), indices, mask });
        Held::over(&dims, self.builder.one(op))
    }

    /// `build k (\i. gather t ix)  ~>  tr (gather (tr (build k (\i. t))) ix)   if i is not free in ix`
    ///
    /// If `ix` may be out of bounds, under the mask `k > 0`.
    fn gather_below(
        &mut self,
        array: &Held,
        indices: &[Held],
        shape: &[Size],
        unless_empty: Option<Atom>,
    ) -> Held {
        let n_dims = array.dims.len();
        let indices: Vec<Atom> = indices.iter().map(|it| it.atom.clone()).collect();
        let turned = self.axes_first(array, indices.len());
        let mask = unless_empty.map(|it| self.expand(&Held::plain(it), &[], shape));
        let found = self.builder.one(Op::Array(ArrayOp::Gather { array: turned, indices, mask }));
        let n_axes = shape.len();
        let permutation = (0..n_dims).map(|it| n_axes + it).chain(0..n_axes).collect();
        Held::over(&array.dims, self.transpose(found, permutation))
    }

    /// Brings the first `n_axes` of its own axes in front of its dimensions.
    fn axes_first(&mut self, held: &Held, n_axes: usize) -> Atom {
        let n_dims = held.dims.len();
        let permutation = (0..n_axes).map(|it| n_dims + it).chain(0..n_dims).collect();
        let atom = self.atom(held);
        self.transpose(atom, permutation)
    }

    /// `build_of_scatter`. `build k (\i. scatter sh t (\is. ix))
    ///   ~>  scatter (k ::: sh) (build k (\i. t)) (\(i ::: is). i ::: ix)`
    pub(super) fn build_of_scatter(
        &mut self,
        into: &Held,
        indices: &[Held],
        values: &Held,
        mask: Option<Held>,
        guard: Guard,
    ) -> Held {
        let shape = self.shape(indices, mask.as_ref());
        let mask = self.both(mask, guard.mask);
        let dims = union(&union(&into.dims, &values.dims), &union_all(indices));
        let dims = union(&dims, &guard.dims);
        let dims = mask.as_ref().map_or(dims.clone(), |it| union(&dims, &it.dims));
        let indices = self.batch_indices(&dims, indices, &dims, &shape, mask.is_some());
        let mask = mask.map(|it| self.expand(&it, &dims, &shape));
        let into = self.expand(into, &dims, &[]);
        let values = self.expand(values, &dims, &[]);
        Held::over(
            &dims,
            self.builder.one(Op::Array(ArrayOp::Scatter { into, indices, values, mask })),
        )
    }

    /// `build_of_index_of_variable` (Fig. 11).
    /// `build k (\i. index x ix)  ~>  gather (k ::: sh) x (\[i]. ix)`
    ///
    /// What the paper says of constants, array literals and scatters is the same rule: `x` is held
    /// with the dimensions it depends on in front, and these are indexed by their positions.
    pub(super) fn build_of_index_of_variable(
        &mut self,
        array: &Held,
        indices: &[Held],
        guard: Guard,
    ) -> Held {
        let taken = self.index_variables(array, indices);
        let rest = taken.rest.clone();
        let is_checked = !guard.dims.is_empty() || guard.mask.is_some();
        if is_checked && !rest.is_empty() {
            // At every position, and nowhere if there are none.
            return self.build_of_gather(array, indices, None, guard);
        }
        let array = self.build_of_index_of_index_variable(array, taken);
        if rest.is_empty() {
            return array;
        }
        match union_all(&rest).is_empty() {
            true => self.build_of_index_of_invariant(&array, &rest),
            false => self.build_of_gather(&array, &rest, None, guard),
        }
    }

    /// Of several indices, those that are index variables of all of their axis can be taken away: the
    /// axis becomes the dimension.
    fn index_variables(&self, array: &Held, indices: &[Held]) -> Taken {
        let sizes = self.elem_sizes(array);
        let n_dims = array.dims.len();
        let axes = (0..n_dims).map(|it| (array.dims[it], it)).collect();
        let mut res = Taken { axes, rest: Vec::new(), rest_axes: Vec::new() };
        for (at, index) in indices.iter().enumerate() {
            match index.index_of() {
                Some(dim)
                    if res.axes.iter().all(|it| it.0 != dim) && sizes[at] == self.size_of(dim) =>
                {
                    res.axes.push((dim, n_dims + at));
                }
                Some(_) | None => {
                    res.rest.push(index.clone());
                    res.rest_axes.push(n_dims + at);
                }
            }
        }
        res
    }

    /// `build k (\i. index x [i])  ~>  x   if x has size k`
    fn build_of_index_of_index_variable(&mut self, array: &Held, taken: Taken) -> Held {
        let Taken { mut axes, rest_axes, .. } = taken;
        if axes.len() == array.dims.len() {
            return array.clone();
        }
        axes.sort_unstable();
        let dims: Dims = axes.iter().map(|it| it.0).collect();
        let permutation = axes.iter().map(|it| it.1).chain(rest_axes).collect();
        let atom = self.atom(array);
        Held::over(&dims, self.transpose(atom, permutation))
    }

    /// `build k (\i. index t ix)  ~>  index (tr (build k (\i. t))) ix   if i is not free in ix`
    ///
    /// Where `ix` is in bounds, or there is a position for sure.
    fn build_of_index_of_invariant(&mut self, array: &Held, indices: &[Held]) -> Held {
        let turned = self.axes_first(array, indices.len());
        let indices = indices.iter().map(|it| it.atom.clone()).collect();
        Held::over(
            &array.dims,
            self.builder.one(Op::Array(ArrayOp::Index { array: turned, indices })),
        )
    }
}
