//! Sizes that arrays can have: where an array comes into being, its sizes and the number of its elements
//! are not negative, do not wrap, and are at most what any machine holds.
//!
//! Every array is the result of a statement, or a parameter. What a statement gives is checked before the
//! statement; parameters were checked by whoever made them. So places of elements, which are sums of
//! indices times products of sizes, need no checks.

use ir::{MOST_ELEMENTS, Prim, Size, Type, Var};
use loops::{Atom, Fault, Scalar};

use crate::context::Lower;

const MOST: i64 = MOST_ELEMENTS as i64;

/// Sums of so many sizes, repetitions counted, do not wrap.
const FEW: u64 = 64;

impl Lower<'_, '_> {
    /// An array of this type, or more of them, is there: whoever made it has checked its sizes.
    pub(crate) fn trust(&mut self, ty: &Type) {
        let sizes = ty.split_arrays().0;
        self.anchored.extend(sizes.iter().filter_map(Size::as_var).copied());
        self.bounded.insert(product(&sizes));
        self.bounded.extend(sizes);
    }

    /// Ends the run if an array of these sizes would have more elements than any machine holds.
    pub(crate) fn check_fits(&mut self, sizes: &[Size]) {
        for size in sizes {
            self.check_bounded(size);
        }
        if sizes.len() > 1 {
            self.check_bounded(&product(sizes));
        }
    }

    /// Ends the run if a size is negative or too large.
    pub(crate) fn check_natural(&mut self, size: &Size) {
        self.check_bounded(size);
        if size.as_constant().is_some_and(|it| it >= 0) || !self.natural.insert(size.clone()) {
            return;
        }
        let is_size = |it: &Var| self.anchored.contains(it);
        if size.terms().all(|(vars, factor)| factor > 0 && vars.iter().all(is_size)) {
            return;
        }
        let value = self.size(size);
        let mut holds = self.prim(Scalar::Bool, Prim::Ge, &[value, Atom::Int(0)]);
        if size.as_var().is_some() {
            let small = self.prim(Scalar::Bool, Prim::Le, &[value, Atom::Int(MOST)]);
            holds = self.prim(Scalar::Bool, Prim::And, &[holds, small]);
        }
        self.check(holds, Fault::Size, vec![value]);
    }

    /// Ends the run if computing a size would wrap, or gives more than an array can have. Variables are
    /// checked by `check_natural`.
    pub(crate) fn check_bounded(&mut self, size: &Size) {
        if size.as_constant().is_some_and(|it| it.unsigned_abs() <= MOST as u64) {
            return;
        }
        // What only the statement itself tells is at most what was there before.
        let unknown = size.vars().iter().any(|it| self.meaning(*it).is_none());
        if size.as_var().is_some() || unknown || !self.bounded.insert(size.clone()) {
            return;
        }
        let holds = if self.is_short_sum(size) {
            let value = self.size(size);
            self.prim(Scalar::Bool, Prim::Le, &[value, Atom::Int(MOST)])
        } else {
            let bound = self.bound(size);
            self.prim(Scalar::Bool, Prim::Le, &[bound, Atom::Real(MOST as f64)])
        };
        self.check(holds, Fault::TooLarge, Vec::new());
    }

    /// Whether it is a sum of so few sizes of arrays that it does not wrap.
    fn is_short_sum(&self, size: &Size) -> bool {
        let weight = size.terms().map(|it| it.1.unsigned_abs()).fold(0, u64::saturating_add);
        let plain =
            |vars: &[Var]| vars.len() < 2 && vars.iter().all(|it| self.anchored.contains(it));
        weight <= FEW && size.terms().all(|(vars, _)| plain(vars))
    }

    /// The absolute values of its terms added up, as a real: that does not wrap.
    fn bound(&mut self, size: &Size) -> Atom {
        let terms: Vec<(Vec<Var>, i64)> =
            size.terms().map(|(vars, it)| (vars.to_vec(), it)).collect();
        let mut sum = Atom::Real(0.0);
        for (vars, factor) in terms {
            let mut product = Atom::Real(factor.unsigned_abs() as f64);
            for var in vars {
                let value = self.scalar(&ir::Atom::Var(var));
                let mut value = self.prim(Scalar::Real, Prim::ToReal, &[value]);
                if !self.anchored.contains(&var) {
                    value = self.prim(Scalar::Real, Prim::Abs, &[value]);
                }
                product = match product == Atom::Real(1.0) {
                    true => value,
                    false => self.prim(Scalar::Real, Prim::Mul, &[product, value]),
                };
            }
            sum = match sum == Atom::Real(0.0) {
                true => product,
                false => self.prim(Scalar::Real, Prim::Add, &[sum, product]),
            };
        }
        sum
    }
}

fn product(sizes: &[Size]) -> Size {
    sizes.iter().fold(Size::constant(1), |product, it| product.mul(it))
}
