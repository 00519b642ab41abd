//! Checks as nodes, and scalars that are computed before nests.

use ir::{Prim, Size, Var};
use loops::{Atom, Fault, Scalar};

use crate::context::{Known, scalar_of};
use crate::items::{Before, Check, Early, fails};
use crate::sizes::MOST;

impl Known<'_, '_> {
    /// Writes what a statement needs before, and notes it; gives the scalar.
    pub(crate) fn write_before(
        &mut self,
        (checks, early): (Vec<Check>, Option<Early>),
        notes: &mut Vec<Before>,
    ) -> Option<Atom> {
        checks.iter().for_each(|it| self.write_check(it));
        notes.extend(checks.into_iter().map(Before::Check));
        let early = early?;
        let atom = self.write_early(&early);
        if let Atom::Var(var) = atom {
            notes.push(Before::Is(var, early));
        }
        Some(atom)
    }

    fn write_early(&mut self, early: &Early) -> Atom {
        match early {
            Early::Prim(prim, args, ty) => self.prim(scalar_of(ty), *prim, args),
            Early::Size(size) => self.size(size),
            Early::Last(size) => {
                let size = self.size(size);
                self.sub(size, Atom::Int(1))
            }
            Early::Element(view) => self.element(view, &[]),
            Early::Any(sizes) => {
                let count = self.count(sizes);
                self.prim(Scalar::Bool, Prim::Gt, &[count, Atom::Int(0)])
            }
        }
    }

    fn write_check(&mut self, check: &Check) {
        match check {
            Check::Bounded(size) => self.check_size_bounded(size),
            Check::Natural(size) => self.check_size_natural(size),
            Check::Slice { from, to, of } => self.check_slice(from, to, of),
            Check::Index { index, size, axis } => {
                let size = self.size(size);
                self.check_index(*index, size, *axis);
            }
            Check::Greatest { rows, size } => self.check_greatest(rows, size),
            Check::Prim(prim, args) => self.check_prim(*prim, args, &ir::Type::Int),
        }
    }

    /// Ends the run if an array of these sizes would have more elements than any machine holds.
    pub(crate) fn check_fits(&mut self, sizes: &[Size]) {
        let checks = self.must_fit(sizes);
        checks.iter().for_each(|it| self.write_check(it));
    }

    /// Ends the run if a size is negative or too large.
    pub(crate) fn check_natural(&mut self, size: &Size) {
        let checks = self.must_be_natural(size);
        checks.iter().for_each(|it| self.write_check(it));
    }

    /// Ends the run if computing a size would wrap, or gives more than an array can have.
    pub(crate) fn check_bounded(&mut self, size: &Size) {
        let check = self.must_be_bounded(size);
        check.iter().for_each(|it| self.write_check(it));
    }

    fn check_size_natural(&mut self, size: &Size) {
        let value = self.size(size);
        let mut holds = self.prim(Scalar::Bool, Prim::Ge, &[value, Atom::Int(0)]);
        if size.as_var().is_some() {
            let small = self.prim(Scalar::Bool, Prim::Le, &[value, Atom::Int(MOST)]);
            holds = self.prim(Scalar::Bool, Prim::And, &[holds, small]);
        }
        self.check(holds, Fault::Size, vec![value]);
    }

    fn check_size_bounded(&mut self, size: &Size) {
        let holds = if self.is_short_sum(size) {
            let value = self.size(size);
            self.prim(Scalar::Bool, Prim::Le, &[value, Atom::Int(MOST)])
        } else {
            let bound = self.bound(size);
            self.prim(Scalar::Bool, Prim::Le, &[bound, Atom::Real(MOST as f64)])
        };
        self.check(holds, Fault::TooLarge, Vec::new());
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
                if !self.sizes.anchored.contains(&var) {
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

    fn check_slice(&mut self, from: &Size, to: &Size, of: &Size) {
        let size = self.size(of);
        let (low, high) = (self.size(from), self.size(to));
        let first = self.prim(Scalar::Bool, Prim::Ge, &[low, Atom::Int(0)]);
        let second = self.prim(Scalar::Bool, Prim::Le, &[low, high]);
        let third = self.prim(Scalar::Bool, Prim::Le, &[high, size]);
        let holds = self.prim(Scalar::Bool, Prim::And, &[first, second]);
        let holds = self.prim(Scalar::Bool, Prim::And, &[holds, third]);
        self.check(holds, Fault::Slice, vec![low, high, size]);
    }

    /// Whether an index is below a size and not negative.
    pub(crate) fn check_index(&mut self, index: Atom, size: Atom, axis: usize) {
        if let (Atom::Int(index), Atom::Int(size)) = (index, size)
            && (0..size).contains(&index)
        {
            return;
        }
        let low = self.prim(Scalar::Bool, Prim::Ge, &[index, Atom::Int(0)]);
        let high = self.prim(Scalar::Bool, Prim::Lt, &[index, size]);
        let holds = self.prim(Scalar::Bool, Prim::And, &[low, high]);
        self.check(holds, Fault::Index { axis }, vec![index, size]);
    }

    fn check_greatest(&mut self, rows: &[Size], size: &Size) {
        let size = self.size(size);
        let mut holds = self.prim(Scalar::Bool, Prim::Gt, &[size, Atom::Int(0)]);
        if !rows.is_empty() {
            // The rows themselves may be none.
            let rows = self.count(rows);
            let none = self.prim(Scalar::Bool, Prim::Eq, &[rows, Atom::Int(0)]);
            holds = self.prim(Scalar::Bool, Prim::Or, &[holds, none]);
        }
        self.check(holds, Fault::NoGreatest, Vec::new());
    }

    /// Checks what a primitive of Ints needs.
    pub(crate) fn check_prim(&mut self, prim: Prim, args: &[Atom], elem: &ir::Type) {
        if !fails(prim, elem) {
            return;
        }
        let y = args[1];
        if prim == Prim::Pow {
            let holds = self.prim(Scalar::Bool, Prim::Ge, &[y, Atom::Int(0)]);
            return self.check(holds, Fault::NegativePower, vec![y]);
        }
        if matches!(y, Atom::Int(it) if it != 0) {
            return;
        }
        let holds = self.prim(Scalar::Bool, Prim::Ne, &[y, Atom::Int(0)]);
        self.check(holds, Fault::DivisionByZero, Vec::new());
    }
}
