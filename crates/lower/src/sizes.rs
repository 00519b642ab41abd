//! Sizes that arrays can have: where an array comes into being, its sizes and the number of its elements
//! are not negative, do not wrap, and are at most what any machine holds.
//!
//! Every array is the result of a statement, or a parameter. What a statement gives is checked before the
//! statement; parameters were checked by whoever made them. So places of elements, which are sums of
//! indices times products of sizes, need no checks.
//!
//! Here is what has to be checked, and what has been; `checks.rs` writes it.

use ir::{MOST_ELEMENTS, Size, Type, Var};

use crate::context::Known;
use crate::items::Check;

/// No array has more elements.
pub(crate) const MOST: i64 = MOST_ELEMENTS as i64;

/// Sums of so many sizes, repetitions counted, do not wrap.
const FEW: u64 = 64;

impl Known<'_, '_> {
    /// An array of this type, or more of them, is there: whoever made it has checked its sizes.
    pub(crate) fn trust(&mut self, ty: &Type) {
        let sizes = ty.split_arrays().0;
        self.sizes.anchored.extend(sizes.iter().filter_map(Size::as_var).copied());
        self.sizes.bounded.insert(product(&sizes));
        self.sizes.bounded.extend(sizes);
    }

    /// What has to be checked so that an array of these sizes has no more elements than any machine holds.
    pub(crate) fn must_fit(&mut self, sizes: &[Size]) -> Vec<Check> {
        let mut checks: Vec<Check> =
            sizes.iter().filter_map(|it| self.must_be_bounded(it)).collect();
        if sizes.len() > 1 {
            checks.extend(self.must_be_bounded(&product(sizes)));
        }
        checks
    }

    /// What has to be checked so that a size is not negative and not too large.
    pub(crate) fn must_be_natural(&mut self, size: &Size) -> Vec<Check> {
        let mut checks: Vec<Check> = self.must_be_bounded(size).into_iter().collect();
        if size.as_constant().is_some_and(|it| it >= 0) || !self.sizes.natural.insert(size.clone())
        {
            return checks;
        }
        let is_size = |it: &Var| self.sizes.anchored.contains(it);
        if !size.terms().all(|(vars, factor)| factor > 0 && vars.iter().all(is_size)) {
            checks.push(Check::Natural(size.clone()));
        }
        checks
    }

    /// What has to be checked so that a size does not wrap and is no more than an array can have. Variables are
    /// checked for that where they have to be natural.
    pub(crate) fn must_be_bounded(&mut self, size: &Size) -> Option<Check> {
        if size.as_constant().is_some_and(|it| it.unsigned_abs() <= MOST as u64) {
            return None;
        }
        // What only the statement itself tells is at most what was there before.
        let unknown = size.vars().iter().any(|it| self.meaning(*it).is_none());
        if size.as_var().is_some() || unknown || !self.sizes.bounded.insert(size.clone()) {
            return None;
        }
        Some(Check::Bounded(size.clone()))
    }

    /// Whether it is a sum of so few sizes of arrays that it does not wrap.
    pub(crate) fn is_short_sum(&self, size: &Size) -> bool {
        let weight = size.terms().map(|it| it.1.unsigned_abs()).fold(0, u64::saturating_add);
        let plain =
            |vars: &[Var]| vars.len() < 2 && vars.iter().all(|it| self.sizes.anchored.contains(it));
        weight <= FEW && size.terms().all(|(vars, _)| plain(vars))
    }
}

fn product(sizes: &[Size]) -> Size {
    sizes.iter().fold(Size::constant(1), |product, it| product.mul(it))
}
