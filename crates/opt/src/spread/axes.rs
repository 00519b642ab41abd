//! Which axes of an array are small enough to be taken apart.

use ir::Type;

use super::small_axes;

/// The small axes of an array, and how many axes there are.
pub(super) struct Axes {
    pub(super) small: Vec<(usize, usize)>,
    pub(super) rank: usize,
}

impl Axes {
    pub(super) fn of(ty: &Type) -> Axes {
        Axes { small: small_axes(ty).unwrap_or_default(), rank: ty.split_arrays().0.len() }
    }

    pub(super) fn sizes(&self) -> Vec<usize> {
        self.small.iter().map(|it| it.1).collect()
    }

    /// Where an axis is among the small ones.
    pub(super) fn place(&self, axis: usize) -> Option<usize> {
        self.small.iter().position(|it| it.0 == axis)
    }

    /// Which axis of a part an axis is that is not small.
    pub(super) fn inside(&self, axis: usize) -> usize {
        axis - self.small.iter().filter(|it| it.0 < axis).count()
    }

    /// The axes that parts have.
    pub(super) fn others(&self) -> Vec<usize> {
        (0..self.rank).filter(|it| self.place(*it).is_none()).collect()
    }
}
