//! Arrays that can be read without moving anything: memory seen in another order, the numbers from
//! 0 on, or a scalar many times.
//!
//! A view has sizes of its own, and says for each axis of its source which index that is: a sum of its
//! own indices with factors, and an offset. Replicating leaves an index unused, transposing
//! permutes, slicing adds an offset, reversing has the factor -1.

use ir::Size;
use loops::{Atom, Var};

/// Where elements come from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    /// Memory, contiguous under the sizes [`View::dims`].
    Memory(Var),
    /// The index itself; one axis.
    Iota,
    /// A scalar; no axis.
    Same(Atom),
    /// A result of an item of the block that is being lowered, which is not there yet: item, result.
    Item(usize, usize),
}

/// An index of the source: the sum of indices of the view times factors, plus an offset.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lin {
    /// Axis of the view, factor.
    pub(crate) terms: Vec<(usize, i64)>,
    /// Added to it.
    pub(crate) offset: Vec<(Atom, i64)>,
}

impl Lin {
    /// The index of an axis of the view itself.
    pub(crate) fn axis(axis: usize) -> Lin {
        Lin { terms: vec![(axis, 1)], offset: Vec::new() }
    }

    /// The axis of the view whose index it is.
    pub(crate) fn as_axis(&self) -> Option<usize> {
        match (self.terms.as_slice(), self.offset.is_empty()) {
            ([(axis, 1)], true) => Some(*axis),
            _ => None,
        }
    }

    /// The axis of the view whose index it is, counted from wherever.
    pub(crate) fn as_shifted_axis(&self) -> Option<usize> {
        match self.terms.as_slice() {
            [(axis, 1)] => Some(*axis),
            _ => None,
        }
    }

    /// The index in terms of another view: index `i` of this one is `by(i)` of that.
    pub(crate) fn substitute(&self, by: &dyn Fn(usize) -> Lin) -> Lin {
        let mut res = Lin { terms: Vec::new(), offset: self.offset.clone() };
        for (axis, factor) in &self.terms {
            let inner = by(*axis);
            for (axis, inner) in inner.terms {
                match res.terms.iter_mut().find(|it| it.0 == axis) {
                    Some(term) => term.1 += factor * inner,
                    None => res.terms.push((axis, factor * inner)),
                }
            }
            res.offset.extend(inner.offset.iter().map(|(atom, it)| (*atom, it * factor)));
        }
        res.terms.retain(|it| it.1 != 0);
        res
    }
}

/// An array that can be read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct View {
    /// Where elements come from.
    pub(crate) source: Source,
    /// The sizes of the source.
    pub(crate) dims: Vec<Size>,
    /// For each axis of the source, which index it is.
    pub(crate) map: Vec<Lin>,
    /// The sizes of the view.
    pub(crate) sizes: Vec<Size>,
    /// The type of its elements.
    pub(crate) elem: ir::Type,
}

impl View {
    /// A result of an item, of a type; without axes if that is a scalar.
    pub(crate) fn item(item: usize, result: usize, ty: &ir::Type) -> View {
        View { source: Source::Item(item, result), ..View::contiguous(Var(0), ty) }
    }

    /// The axes of the view that make a difference.
    pub(crate) fn varies(&self) -> impl Iterator<Item = usize> {
        self.map.iter().flat_map(|it| it.terms.iter().map(|it| it.0))
    }

    /// Contiguous memory as an array of a type.
    pub(crate) fn contiguous(array: Var, ty: &ir::Type) -> View {
        let (sizes, elem) = ty.split_arrays();
        View {
            source: Source::Memory(array),
            dims: sizes.clone(),
            map: (0..sizes.len()).map(Lin::axis).collect(),
            sizes,
            elem: elem.clone(),
        }
    }

    /// `0, 1, ...`
    pub(crate) fn iota(size: &Size) -> View {
        let sizes = vec![size.clone()];
        let (dims, map) = (sizes.clone(), vec![Lin::axis(0)]);
        View { source: Source::Iota, dims, map, sizes, elem: ir::Type::Int }
    }

    /// A scalar, without axes.
    pub(crate) fn same(atom: Atom, elem: &ir::Type) -> View {
        let (dims, map, sizes) = Default::default();
        View { source: Source::Same(atom), dims, map, sizes, elem: elem.clone() }
    }

    /// Whether it is memory, as it is.
    pub(crate) fn is_contiguous(&self) -> bool {
        matches!(self.source, Source::Memory(_)) && self.is_plain()
    }

    /// Whether its elements are those of its source, in order.
    fn is_plain(&self) -> bool {
        self.map.len() == self.sizes.len()
            && self.map.iter().enumerate().all(|(at, it)| it.as_axis() == Some(at))
    }

    /// Whether its elements are those of its source, in order but for so many axes that are first here and last
    /// there.
    pub(crate) fn is_turned(&self, n: usize) -> bool {
        let rank = self.map.len();
        rank == self.sizes.len()
            && (0..rank).all(|at| self.map[(at + n) % rank].as_axis() == Some(at))
    }

    /// Whether it is all of a result of an item, as it is.
    pub(crate) fn is_whole_item(&self, item: usize) -> bool {
        self.source == Source::Item(item, 0) && self.is_plain() && self.dims == self.sizes
    }

    /// The view of other sizes in which index `i` is `by(i)`.
    pub(crate) fn mapped(&self, sizes: Vec<Size>, by: &dyn Fn(usize) -> Lin) -> View {
        let map = self.map.iter().map(|it| it.substitute(by)).collect();
        View { map, sizes, ..self.clone() }
    }

    /// With one more axis in front that makes no difference.
    pub(crate) fn replicate(&self, size: &Size) -> View {
        let mut sizes = vec![size.clone()];
        sizes.extend(self.sizes.iter().cloned());
        self.mapped(sizes, &|it| Lin::axis(it + 1))
    }

    /// Axis `i` is axis `permutation[i]` of this.
    pub(crate) fn transpose(&self, permutation: &[usize]) -> View {
        let order = |it: usize| permutation.get(it).copied().unwrap_or(it);
        let sizes = (0..self.sizes.len()).map(|it| self.sizes[order(it)].clone()).collect();
        let place = |axis| (0..self.sizes.len()).position(|it| order(it) == axis);
        self.mapped(sizes, &|it| Lin::axis(place(it).expect("it is a permutation")))
    }

    /// The part from `from` on along an axis.
    pub(crate) fn slice(&self, axis: usize, from: Atom, size: &Size) -> View {
        let mut sizes = self.sizes.clone();
        sizes[axis] = size.clone();
        self.mapped(sizes, &|it| {
            let offset = if it == axis { vec![(from, 1)] } else { Vec::new() };
            Lin { terms: vec![(it, 1)], offset }
        })
    }

    /// The first axis backwards; `last` is its size minus one.
    pub(crate) fn reverse(&self, last: Atom) -> View {
        self.mapped(self.sizes.clone(), &|it| match it {
            0 => Lin { terms: vec![(0, -1)], offset: vec![(last, 1)] },
            _ => Lin::axis(it),
        })
    }

    /// The row at these first indices.
    pub(crate) fn row(&self, indices: &[Atom]) -> View {
        let n = indices.len();
        self.mapped(self.sizes[n..].to_vec(), &|it| match indices.get(it) {
            Some(index) => Lin { terms: Vec::new(), offset: vec![(*index, 1)] },
            None => Lin::axis(it - n),
        })
    }
}
