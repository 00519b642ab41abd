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
        self.data.reserve_exact(more);
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

    /// Adds `factor * cotangent`, by `scale`: nothing if either is zero.
    #[inline]
    pub(crate) fn add(&mut self, target: u32, factor: f64, cotangent: f64) {
        if let Some(sum) = self.data.get_mut(target.wrapping_sub(self.base) as usize) {
            let product = self.precision.round(scale(factor, cotangent));
            *sum = self.precision.round(*sum + product);
        }
    }
}

impl Drop for Cotangents {
    fn drop(&mut self) {
        memory::refund(self.charged);
    }
}
