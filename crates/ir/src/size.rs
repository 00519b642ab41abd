//! Sizes: polynomials with integer coefficients, in normal form, so that equality is `==`.
//!
//! `n + 1`, `2*n`, `n*m - 3`. In the ir the unknowns are `Int` variables in scope; the type
//! checker uses the same arithmetic over its own unknowns.

use std::cmp::Ordering;
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

/// A polynomial over unknowns `A`. Nearly all are a number or an unknown, and passes copy and compare types
/// all the time: those two need no memory of their own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<Term<A>>", into = "Vec<Term<A>>")]
#[serde(bound(serialize = "A: Ord + Clone + Serialize", deserialize = "A: Ord + Clone + Deserialize<'de>"))]
pub struct Polynomial<A> {
    form: Form<A>,
}

/// Each polynomial has one form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Form<A> {
    /// A number.
    Constant(i64),
    /// An unknown.
    Var(A),
    /// Anything else: terms in order, none of them zero.
    Sum(Arc<Vec<Term<A>>>),
}

/// A product of unknowns, sorted, repeated for powers, empty for the constant term; and its coefficient.
type Term<A> = (Vec<A>, i64);

/// Its terms; texts such as JSON have no maps from lists.
impl<A: Ord + Clone> From<Polynomial<A>> for Vec<Term<A>> {
    fn from(size: Polynomial<A>) -> Self {
        size.terms().map(|(monomial, coefficient)| (monomial.to_vec(), coefficient)).collect()
    }
}

impl<A: Ord + Clone> From<Vec<Term<A>>> for Polynomial<A> {
    fn from(terms: Vec<Term<A>>) -> Self {
        let mut sum = Sum::default();
        terms.into_iter().for_each(|(monomial, coefficient)| sum.add(monomial, coefficient));
        sum.done()
    }
}

impl<A: Ord + Clone> PartialOrd for Polynomial<A> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Term by term.
impl<A: Ord + Clone> Ord for Polynomial<A> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.terms().cmp(other.terms())
    }
}

/// Terms that are added up.
struct Sum<A>(BTreeMap<Vec<A>, i64>);

impl<A> Default for Sum<A> {
    fn default() -> Self {
        Sum(BTreeMap::new())
    }
}

impl<A: Ord + Clone> Sum<A> {
    fn add(&mut self, monomial: Vec<A>, coefficient: i64) {
        let before = self.0.get(&monomial).copied().unwrap_or(0);
        let sum = exact(before, coefficient, before.checked_add(coefficient));
        if sum == 0 {
            self.0.remove(&monomial);
        } else {
            self.0.insert(monomial, sum);
        }
    }

    fn done(self) -> Polynomial<A> {
        let mut terms: Vec<Term<A>> = self.0.into_iter().collect();
        let form = match &mut terms[..] {
            [] => Form::Constant(0),
            [(monomial, value)] if monomial.is_empty() => Form::Constant(*value),
            [(monomial, 1)] if monomial.len() == 1 => Form::Var(monomial.swap_remove(0)),
            _ => Form::Sum(Arc::new(terms)),
        };
        Polynomial { form }
    }
}

impl<A: Ord + Clone> Polynomial<A> {
    /// A number.
    pub fn constant(value: i64) -> Self {
        Polynomial { form: Form::Constant(value) }
    }

    /// An unknown.
    pub fn var(atom: A) -> Self {
        Polynomial { form: Form::Var(atom) }
    }

    /// The sum.
    pub fn add(&self, other: &Self) -> Self {
        self.plus(other, 1)
    }

    /// The difference.
    pub fn sub(&self, other: &Self) -> Self {
        self.plus(other, -1)
    }

    /// The sum with a multiple.
    fn plus(&self, other: &Self, factor: i64) -> Self {
        let times = |it: i64| exact(it, factor, it.checked_mul(factor));
        match (&self.form, &other.form) {
            (_, Form::Constant(0)) => self.clone(),
            (Form::Constant(0), _) if factor == 1 => other.clone(),
            (Form::Constant(x), Form::Constant(y)) => {
                let y = times(*y);
                Self::constant(exact(*x, y, x.checked_add(y)))
            }
            (Form::Var(x), Form::Var(y)) if factor == -1 && x == y => Self::constant(0),
            (Form::Constant(_) | Form::Var(_) | Form::Sum(_), _) => {
                let mut res = self.sum();
                other.terms().for_each(|(monomial, it)| res.add(monomial.to_vec(), times(it)));
                res.done()
            }
        }
    }

    /// A multiple.
    pub fn scale(&self, factor: i64) -> Self {
        self.mul(&Self::constant(factor))
    }

    /// The product.
    pub fn mul(&self, other: &Self) -> Self {
        match (&self.form, &other.form) {
            (Form::Constant(0), _) | (_, Form::Constant(0)) => return Self::constant(0),
            (Form::Constant(1), _) => return other.clone(),
            (_, Form::Constant(1)) => return self.clone(),
            (Form::Constant(x), Form::Constant(y)) => {
                return Self::constant(exact(*x, *y, x.checked_mul(*y)));
            }
            (Form::Constant(_) | Form::Var(_) | Form::Sum(_), _) => {}
        }
        let mut res = Sum::default();
        for (left, a) in self.terms() {
            for (right, b) in other.terms() {
                let mut monomial: Vec<A> = left.iter().chain(right).cloned().collect();
                monomial.sort();
                res.add(monomial, exact(a, b, a.checked_mul(b)));
            }
        }
        res.done()
    }

    /// Its terms, to add others to.
    fn sum(&self) -> Sum<A> {
        Sum(self.terms().map(|(monomial, it)| (monomial.to_vec(), it)).collect())
    }

    /// Its value, if no unknown occurs and it fits.
    pub fn as_constant(&self) -> Option<i64> {
        match &self.form {
            Form::Constant(value) => Some(*value).filter(|it| *it != TOO_LARGE),
            Form::Var(_) | Form::Sum(_) => None,
        }
    }

    /// Whether all of it fits into 64 bits.
    pub fn is_exact(&self) -> bool {
        self.terms().all(|(_, it)| it != TOO_LARGE)
    }

    /// The unknown it consists of, if it is nothing else.
    pub fn as_var(&self) -> Option<&A> {
        match &self.form {
            Form::Var(atom) => Some(atom),
            Form::Constant(_) | Form::Sum(_) => None,
        }
    }

    /// How many terms it has.
    pub fn n_terms(&self) -> usize {
        match &self.form {
            Form::Constant(0) => 0,
            Form::Constant(_) | Form::Var(_) => 1,
            Form::Sum(terms) => terms.len(),
        }
    }

    /// Its terms in order: products of unknowns with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (&[A], i64)> {
        let (one, several): (Option<(&[A], i64)>, &[Term<A>]) = match &self.form {
            Form::Constant(0) => (None, &[]),
            Form::Constant(value) => (Some((&[], *value)), &[]),
            Form::Var(atom) => (Some((std::slice::from_ref(atom), 1)), &[]),
            Form::Sum(terms) => (None, terms),
        };
        let several = several.iter().map(|(monomial, it)| (monomial.as_slice(), *it));
        one.into_iter().chain(several)
    }

    /// The unknowns, sorted, each once.
    pub fn vars(&self) -> Vec<A> {
        let mut res: Vec<A> = self.terms().flat_map(|it| it.0).cloned().collect();
        res.sort();
        res.dedup();
        res
    }

    /// Puts a polynomial in the place of every unknown.
    pub fn substitute<B: Ord + Clone>(
        &self,
        by: &mut dyn FnMut(&A) -> Polynomial<B>,
    ) -> Polynomial<B> {
        match &self.form {
            Form::Constant(value) => return Polynomial::constant(*value),
            Form::Var(atom) => return by(atom),
            Form::Sum(_) => {}
        }
        // In place: a copy for every term would cost the square of their number.
        let mut res = Sum::default();
        for (monomial, coefficient) in self.terms() {
            let mut term = Polynomial::constant(coefficient);
            for atom in monomial {
                term = term.mul(&by(atom));
            }
            term.terms().for_each(|(monomial, it)| res.add(monomial.to_vec(), it));
        }
        res.done()
    }

    /// Its value when the unknowns have values, as the size of an array: none if it is too large for one.
    pub fn checked(&self, value: &mut dyn FnMut(&A) -> i64) -> Option<i64> {
        let terms = self.terms().map(|(monomial, coefficient)| {
            (coefficient, monomial.iter().map(&mut *value).collect::<Vec<i64>>())
        });
        bounded_sum(terms)
    }

    /// Its value when the unknowns have values; wraps as `Int` does.
    pub fn evaluate(&self, value: &mut dyn FnMut(&A) -> i64) -> i64 {
        self.terms().fold(0i64, |sum, (monomial, coefficient)| {
            let product = monomial.iter().fold(coefficient, |p, it| p.wrapping_mul(value(it)));
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
