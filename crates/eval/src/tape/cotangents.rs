//! Cotangents by identifier.

use crate::error::Fault;
use crate::kernels::elementwise::Precision;
use crate::kernels::scalar::scale;
use crate::memory::{self, reserve};
use crate::tape::Id;

/// The cotangents of the identifiers from `base` on; what goes to others is dropped.
pub(crate) struct Cotangents {
    base: u32,
    data: Vec<f64>,
    charged: usize,
    precision: Precision,
}

impl Cotangents {
    /// Zero for the identifiers from `base` to `end`.
    pub(crate) fn new(base: u32, end: u32, precision: Precision) -> Result<Cotangents, Fault> {
        let mut res = Cotangents { base, data: Vec::new(), charged: 0, precision };
        res.extend(end)?;
        Ok(res)
    }

    /// Makes room for the identifiers below `end`.
    pub(crate) fn extend(&mut self, end: u32) -> Result<(), Fault> {
        let len = end.saturating_sub(self.base) as usize;
        let more = len.saturating_sub(self.data.len());
        reserve(Some(more), size_of::<f64>())?;
        if self.data.is_empty() {
            self.data.reserve_exact(more);
        }
        self.data.resize(len, 0.0);
        memory::refund(self.charged);
        self.charged = self.data.capacity() * size_of::<f64>();
        memory::charge(self.charged);
        Ok(())
    }

    /// Forgets the identifiers from `end` on.
    pub(crate) fn truncate(&mut self, end: u32) {
        self.data.truncate(end.saturating_sub(self.base) as usize);
    }

    #[inline]
    pub(crate) fn get(&self, id: Id) -> f64 {
        self.data.get(id.0.wrapping_sub(self.base) as usize).copied().unwrap_or(0.0)
    }

    /// Whether one of `len` identifiers from `first` on has a cotangent that is not zero.
    pub(crate) fn any(&self, first: u32, len: usize) -> bool {
        (first..first + len as u32).any(|id| self.get(Id(id)) != 0.0)
    }

    /// Adds `factor * cotangent`, by `scale`: nothing if either is zero.
    #[inline]
    pub(crate) fn add(&mut self, target: u32, factor: f64, cotangent: f64) {
        if let Some(sum) = self.data.get_mut(target.wrapping_sub(self.base) as usize) {
            let product = self.precision.round(scale(factor, cotangent));
            *sum = self.precision.round(*sum + product);
        }
    }

    /// Adds to each target what its factor makes of its own cotangent; these begin with `first`.
    pub(crate) fn add_each(
        &mut self,
        targets: &[Id],
        first: u32,
        factors: impl Iterator<Item = f64>,
    ) {
        if let Some((sums, cotangents)) = self.runs(targets, first) {
            let pairs = sums.iter_mut().zip(cotangents).zip(factors);
            return pairs.for_each(|((sum, cotangent), factor)| *sum += scale(factor, *cotangent));
        }
        for ((target, id), factor) in targets.iter().zip(first..).zip(factors) {
            self.add(target.0, factor, self.get(Id(id)));
        }
    }

    /// Adds the same cotangent to all targets.
    pub(crate) fn add_same(&mut self, targets: &[Id], cotangent: f64) {
        let end = self.base.wrapping_add(self.data.len() as u32);
        match self.runs(targets, end) {
            Some((sums, _)) => sums.iter_mut().for_each(|sum| *sum += scale(1.0, cotangent)),
            None => targets.iter().for_each(|it| self.add(it.0, 1.0, cotangent)),
        }
    }

    /// The cotangents of identifiers.
    pub(crate) fn of(&self, ids: &[Id]) -> Vec<f64> {
        let run = run(ids).and_then(|id| self.data.get(id.wrapping_sub(self.base) as usize..));
        match run.and_then(|it| it.get(..ids.len())) {
            Some(cotangents) => cotangents.to_vec(),
            None => ids.iter().map(|it| self.get(*it)).collect(),
        }
    }

    /// The sums of targets that follow one another, and cotangents behind them; the results of an
    /// operation on arrays have such identifiers, and plain loops over slices are fast.
    fn runs(&mut self, targets: &[Id], first: u32) -> Option<(&mut [f64], &[f64])> {
        if self.precision != Precision::F64 {
            return None;
        }
        let start = run(targets)?.wrapping_sub(self.base) as usize;
        let (sums, cotangents) =
            self.data.split_at_mut_checked(first.wrapping_sub(self.base) as usize)?;
        Some((sums.get_mut(start..)?.get_mut(..targets.len())?, cotangents))
    }
}

/// The first of identifiers that follow one another.
fn run(ids: &[Id]) -> Option<u32> {
    let first = ids.first()?.0;
    let differences = ids.iter().zip(first..).fold(0, |all, (id, next)| all | (id.0 ^ next));
    (differences == 0).then_some(first)
}

impl Drop for Cotangents {
    fn drop(&mut self) {
        memory::refund(self.charged);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cotangents 1, 2, 3, ... of the identifiers from 5 on.
    fn counted(precision: Precision) -> Cotangents {
        let mut res = Cotangents::new(5, 15, precision).unwrap();
        (5..15).for_each(|id| res.add(id, 1.0, f64::from(id - 4)));
        res
    }

    #[test]
    fn identifiers_that_follow_one_another_get_what_others_get() {
        let factors = [2.0, 0.0, -1.0];
        for targets in [[6, 7, 8], [8, 6, 7], [6, 6, 6], [0, 6, 7], [3, 4, 5], [7, 9, 8]] {
            let ids = targets.map(Id);
            for precision in [Precision::F64, Precision::F32] {
                let (mut fast, mut slow) = (counted(precision), counted(precision));
                fast.add_each(&ids, 10, factors.into_iter());
                fast.add_same(&ids, 0.5);
                for (index, target) in targets.into_iter().enumerate() {
                    slow.add(target, factors[index], slow.get(Id(10 + index as u32)));
                }
                targets.into_iter().for_each(|it| slow.add(it, 1.0, 0.5));
                assert_eq!(fast.data, slow.data, "{targets:?}");
                assert_eq!(fast.of(&ids), ids.map(|it| slow.get(it)), "{targets:?}");
            }
        }
    }

    #[test]
    fn zero_times_anything_is_zero() {
        let mut all = counted(Precision::F64);
        all.add_each(&[Id(5)], 10, std::iter::once(f64::INFINITY));
        all.add_each(&[Id(6)], 10, std::iter::once(0.0));
        all.add_each(&[Id(7)], 5, std::iter::once(0.0));
        assert_eq!((all.get(Id(5)), all.get(Id(6)), all.get(Id(7))), (f64::INFINITY, 2.0, 3.0));
    }
}
