//! Sizes: polynomials with integer coefficients, in normal form, so that equality is `==`.
//!
//! `n + 1`, `2*n`, `n*m - 3`. In the ir the unknowns are `Int` variables in scope; the type
//! checker uses the same arithmetic over its own unknowns.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::term::Var;

pub use array::MOST_ELEMENTS;

/// The coefficient of whatever did not fit: no array has such a size, and no arithmetic leads back from
/// there. Wrapping around would make a small array of a large one.
pub const TOO_LARGE: i64 = i64::MAX;

/// A coefficient that comes of two others.
fn exact(x: i64, y: i64, res: Option<i64>) -> i64 {
    if x == TOO_LARGE || y == TOO_LARGE { TOO_LARGE } else { res.unwrap_or(TOO_LARGE) }
}

/// A size in the ir.
pub type Size = Polynomial<Var>;

/// A polynomial over unknowns `A`: from a product of unknowns (sorted, repeated for powers,
/// empty for the constant term) to its coefficient, never zero. Shared: types are full of them, and
/// passes clone types all the time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<(Vec<A>, i64)>", into = "Vec<(Vec<A>, i64)>")]
#[serde(bound(serialize = "A: Clone + Serialize", deserialize = "A: Deserialize<'de>"))]
pub struct Polynomial<A: Ord> {
    terms: Arc<BTreeMap<Vec<A>, i64>>,
}

/// Its terms; texts such as JSON have no maps from lists.
impl<A: Ord + Clone> From<Polynomial<A>> for Vec<(Vec<A>, i64)> {
    fn from(size: Polynomial<A>) -> Self {
        let terms = Arc::try_unwrap(size.terms).unwrap_or_else(|it| (*it).clone());
        terms.into_iter().collect()
    }
}

impl<A: Ord> From<Vec<(Vec<A>, i64)>> for Polynomial<A> {
    fn from(terms: Vec<(Vec<A>, i64)>) -> Self {
        Polynomial { terms: Arc::new(terms.into_iter().collect()) }
    }
}

impl<A: Ord + Clone> Polynomial<A> {
    /// A number.
    pub fn constant(value: i64) -> Self {
        let mut terms = BTreeMap::new();
        if value != 0 {
            terms.insert(Vec::new(), value);
        }
        Polynomial { terms: Arc::new(terms) }
    }

    /// An unknown.
    pub fn var(atom: A) -> Self {
        Polynomial { terms: Arc::new(BTreeMap::from([(vec![atom], 1)])) }
    }

    /// The sum.
    pub fn add(&self, other: &Self) -> Self {
        let mut res = self.clone();
        for (monomial, coefficient) in other.terms.iter() {
            res.add_term(monomial.clone(), *coefficient);
        }
        res
    }

    /// The difference.
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.scale(-1))
    }

    /// A multiple.
    pub fn scale(&self, factor: i64) -> Self {
        self.mul(&Self::constant(factor))
    }

    /// The product.
    pub fn mul(&self, other: &Self) -> Self {
        let mut res = Self::constant(0);
        for (left, a) in self.terms.iter() {
            for (right, b) in other.terms.iter() {
                let mut monomial: Vec<A> = left.iter().chain(right).cloned().collect();
                monomial.sort();
                res.add_term(monomial, exact(*a, *b, a.checked_mul(*b)));
            }
        }
        res
    }

    fn add_term(&mut self, monomial: Vec<A>, coefficient: i64) {
        let terms = Arc::make_mut(&mut self.terms);
        let before = terms.get(&monomial).copied().unwrap_or(0);
        let sum = exact(before, coefficient, before.checked_add(coefficient));
        if sum == 0 {
            terms.remove(&monomial);
        } else {
            terms.insert(monomial, sum);
        }
    }

    /// Its value, if no unknown occurs and it fits.
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new()).copied().filter(|it| *it != TOO_LARGE),
            _ => None,
        }
    }

    /// Whether all of it fits into 64 bits.
    pub fn is_exact(&self) -> bool {
        self.terms.values().all(|it| *it != TOO_LARGE)
    }

    /// The unknown it consists of, if it is nothing else.
    pub fn as_var(&self) -> Option<&A> {
        match self.terms.iter().next() {
            Some((monomial, 1)) if self.terms.len() == 1 && monomial.len() == 1 => monomial.first(),
            _ => None,
        }
    }

    /// How many terms it has.
    pub fn n_terms(&self) -> usize {
        self.terms.len()
    }

    /// Its terms in order: products of unknowns with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (&[A], i64)> {
        self.terms.iter().map(|(monomial, coefficient)| (monomial.as_slice(), *coefficient))
    }

    /// The unknowns, sorted, each once.
    pub fn vars(&self) -> Vec<A> {
        let mut res: Vec<A> = self.terms.keys().flatten().cloned().collect();
        res.sort();
        res.dedup();
        res
    }

    /// Puts a polynomial in the place of every unknown.
    pub fn substitute<B: Ord + Clone>(
        &self,
        by: &mut dyn FnMut(&A) -> Polynomial<B>,
    ) -> Polynomial<B> {
        // Most sizes.
        if let Some(atom) = self.as_var() {
            return by(atom);
        }
        let mut res = Polynomial::constant(0);
        for (monomial, coefficient) in self.terms.iter() {
            let mut term = Polynomial::constant(*coefficient);
            for atom in monomial {
                term = term.mul(&by(atom));
            }
            // In place: a copy for every term would cost the square of their number.
            for (monomial, coefficient) in term.terms.iter() {
                res.add_term(monomial.clone(), *coefficient);
            }
        }
        res
    }

    /// Its value when the unknowns have values, as the size of an array: none if it is too large for one.
    pub fn checked(&self, value: &mut dyn FnMut(&A) -> i64) -> Option<i64> {
        let terms = self.terms.iter().map(|(monomial, coefficient)| {
            (*coefficient, monomial.iter().map(&mut *value).collect::<Vec<i64>>())
        });
        bounded_sum(terms)
    }

    /// Its value when the unknowns have values; wraps as `Int` does.
    pub fn evaluate(&self, value: &mut dyn FnMut(&A) -> i64) -> i64 {
        self.terms.iter().fold(0i64, |sum, (monomial, coefficient)| {
            let product = monomial.iter().fold(*coefficient, |p, it| p.wrapping_mul(value(it)));
            sum.wrapping_add(product)
        })
    }
}

/// The sum of products, each with its coefficient, if the absolute values of them together are at most
/// [`MOST_ELEMENTS`]: so nothing wraps on the way, in whatever order it is computed.
pub fn bounded_sum(
    terms: impl Iterator<Item = (i64, impl IntoIterator<Item = i64>)>,
) -> Option<i64> {
    let (mut sum, mut bound) = (0i64, 0u64);
    for (coefficient, factors) in terms {
        let (mut product, mut size) = (coefficient, coefficient.unsigned_abs());
        for factor in factors {
            product = product.wrapping_mul(factor);
            size = size.saturating_mul(factor.unsigned_abs());
        }
        sum = sum.wrapping_add(product);
        bound = bound.saturating_add(size);
    }
    (bound <= MOST_ELEMENTS as u64).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_stays_too_large() {
        let number = Polynomial::<u32>::constant;
        // The product is 2^64 + 1.
        let product = number(274_177).mul(&number(67_280_421_310_721));
        let is_too_large = |it: &Polynomial<u32>| !it.is_exact() && it.as_constant().is_none();
        assert!(is_too_large(&product));
        assert!(is_too_large(&product.sub(&product)));
        assert!(is_too_large(&product.scale(-1).add(&number(5))));
        assert!(is_too_large(&number(i64::MIN).sub(&number(1))));
        assert_eq!(product.scale(0).as_constant(), Some(0));
        assert!(!Polynomial::var(1).mul(&product).is_exact());
        assert!(number(1 << 62).add(&Polynomial::var(1)).is_exact());
    }

    #[test]
    fn sizes_that_wrap_are_none() {
        let product = Polynomial::var(0).mul(&Polynomial::var(1));
        let of = |n: i64, m: i64| product.checked(&mut |it| if *it == 0 { n } else { m });
        assert_eq!(of(3, 4), Some(12));
        assert_eq!(of(274_177, 67_280_421_310_721), None, "the product is 2^64 + 1");
        assert_eq!(of(i64::MAX, 0), Some(0));
        assert_eq!(of(i64::MIN, i64::MIN), None);
        let sum = Polynomial::var(0).add(&Polynomial::var(1));
        let of = |n: i64, m: i64| sum.checked(&mut |it| if *it == 0 { n } else { m });
        assert_eq!(of(1 << 62, 1 << 62), None);
        assert_eq!(of(5, -2), Some(3));
    }
}
