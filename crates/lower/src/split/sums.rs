//! Ints as sums of variables, and what is known of the size of variables that count steps.

use std::collections::{BTreeMap, BTreeSet};

use ir::Prim;
use loops::{Atom, Value, Var};

use crate::tuning::DEEPEST_BOUND;

/// Terms and constants beyond this are not looked at: whatever a program does with them, sums of a few
/// smaller ones do not wrap.
const GREATEST: i64 = 1 << 40;

/// Variables times literals, and a literal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) terms: BTreeMap<Var, i64>,
    pub(super) constant: i64,
}

impl Sum {
    pub(super) fn constant(value: i64) -> Sum {
        Sum { terms: BTreeMap::new(), constant: value }
    }

    pub(super) fn var(var: Var) -> Sum {
        Sum { terms: BTreeMap::from([(var, 1)]), constant: 0 }
    }

    /// `self + factor * other`, unless numbers get too great.
    pub(super) fn plus(&self, factor: i64, other: &Sum) -> Option<Sum> {
        let small = |it: i64| (-GREATEST..=GREATEST).contains(&it).then_some(it);
        let times = |it: i64| small(it)?.checked_mul(factor).and_then(small);
        let mut res = self.clone();
        res.constant = small(res.constant.checked_add(times(other.constant)?)?)?;
        for (var, by) in &other.terms {
            let sum = small(res.terms.get(var).unwrap_or(&0) + times(*by)?)?;
            match sum {
                0 => res.terms.remove(var),
                _ => res.terms.insert(*var, sum),
            };
        }
        Some(res)
    }
}

/// What is known of the Ints of a function. A variable has one definition, and what is known of it holds
/// wherever it can be used.
#[derive(Clone, Default)]
pub(super) struct Facts {
    /// Variables that are numbers of elements or steps, or count them. Sums of other Ints may wrap.
    pub(super) tame: BTreeSet<Var>,
    sums: BTreeMap<Var, Sum>,
    /// Sums that a variable is not below.
    least: BTreeMap<Var, Vec<Sum>>,
    /// Sums that a variable is not above.
    greatest: BTreeMap<Var, Vec<Sum>>,
}

impl Facts {
    /// Nothing is known but which variables are numbers of elements or steps.
    pub(super) fn new(tame: BTreeSet<Var>) -> Facts {
        Facts { tame, ..Facts::default() }
    }

    /// An Int as a sum.
    pub(super) fn sum(&self, atom: Atom) -> Option<Sum> {
        match atom {
            Atom::Int(value) => Sum::default().plus(1, &Sum::constant(value)),
            Atom::Var(var) => Some(self.sums.get(&var).cloned().unwrap_or_else(|| Sum::var(var))),
            Atom::Real(_) | Atom::Bool(_) => None,
        }
    }

    /// Notes what an Int is bound to.
    pub(super) fn note(&mut self, var: Var, value: &Value) {
        // More is known of the index of a piece than that it is a sum.
        if self.least.contains_key(&var) {
            return;
        }
        let sum = match value {
            Value::Atom(atom) => self.sum(*atom),
            Value::Prim(prim, args) => self.sum_of(*prim, args),
            Value::ScaleAdd(..) | Value::Load { .. } | Value::Part { .. } => None,
        };
        if let Some(sum) = sum.filter(|it| self.is_tame(it)) {
            self.sums.insert(var, sum);
        }
    }

    fn is_tame(&self, sum: &Sum) -> bool {
        sum.terms.keys().all(|it| self.tame.contains(it))
    }

    fn sum_of(&self, prim: Prim, args: &[Atom]) -> Option<Sum> {
        let [x, y] = args else { return None };
        match (prim, x, y) {
            (Prim::Add, _, _) => self.sum(*x)?.plus(1, &self.sum(*y)?),
            (Prim::Sub, _, _) => self.sum(*x)?.plus(-1, &self.sum(*y)?),
            (Prim::Mul, Atom::Int(by), it) | (Prim::Mul, it, Atom::Int(by)) => {
                Sum::default().plus(*by, &self.sum(*it)?)
            }
            _ => None,
        }
    }

    pub(super) fn not_below(&mut self, var: Var, least: Sum) {
        self.least.entry(var).or_default().push(least);
    }

    pub(super) fn not_above(&mut self, var: Var, greatest: Sum) {
        self.greatest.entry(var).or_default().push(greatest);
    }

    /// A variable that counts from 0 to below a number.
    pub(super) fn counts(&mut self, var: Var, count: Atom) {
        self.not_below(var, Sum::constant(0));
        if let Some(last) = self.sum(count).and_then(|it| it.plus(-1, &Sum::constant(1))) {
            self.not_above(var, last);
        }
    }

    /// Notes, for the time of a step, that there are more steps than its number, or more elements; gives
    /// what [`Facts::end_step`] wants.
    pub(super) fn begin_step(&mut self, count: Atom, least: Option<Sum>) -> Option<Var> {
        let Atom::Var(count) = count else { return None };
        // What is computed of others is known by them.
        if self.sums.contains_key(&count) {
            return None;
        }
        self.not_below(count, least?);
        Some(count)
    }

    /// The step is over.
    pub(super) fn end_step(&mut self, count: Option<Var>) {
        if let Some(bounds) = count.and_then(|it| self.least.get_mut(&it)) {
            bounds.pop();
        }
    }

    /// Whether a sum is known not to be negative: the variable that was defined last is replaced by a bound
    /// of it, which is made of earlier ones.
    pub(super) fn is_natural(&self, sum: &Sum) -> bool {
        self.natural(sum, DEEPEST_BOUND)
    }

    fn natural(&self, sum: &Sum, deep: usize) -> bool {
        if sum.terms.is_empty() {
            return sum.constant >= 0;
        }
        if deep == 0 {
            return false;
        }
        sum.terms.iter().rev().any(|(var, by)| {
            let bounds = if *by > 0 { &self.least } else { &self.greatest };
            let without = sum.plus(-by, &Sum::var(*var));
            let mut bounds = bounds.get(var).into_iter().flatten();
            let replaced = |bound: &Sum| without.as_ref()?.plus(*by, bound);
            bounds.any(|it| replaced(it).is_some_and(|it| self.natural(&it, deep - 1)))
        })
    }

    /// Whether `x - y` is at least a literal.
    pub(super) fn is_above(&self, x: &Sum, y: &Sum, least: i64) -> bool {
        let more = x.plus(-1, y).and_then(|it| it.plus(-1, &Sum::constant(least)));
        more.is_some_and(|it| self.is_natural(&it))
    }

    /// What a comparison of Ints gives, if that is known.
    pub(super) fn decide(&self, prim: Prim, x: Atom, y: Atom) -> Option<bool> {
        let (x, y) = (self.sum(x)?, self.sum(y)?);
        let either = |yes: bool, no: &dyn Fn() -> bool| {
            if yes { Some(true) } else { no().then_some(false) }
        };
        let is_any = |any: [Prim; 2]| any.contains(&prim);
        if is_any([Prim::Eq, Prim::Ne]) {
            return self.is_equal(&x, &y).map(|it| it == (prim == Prim::Eq));
        }
        let (less, more) = match is_any([Prim::Lt, Prim::Le]) {
            true => (x, y),
            false if is_any([Prim::Gt, Prim::Ge]) => (y, x),
            false => return None,
        };
        // `less < more`, or `less <= more`.
        let gap = i64::from(is_any([Prim::Lt, Prim::Gt]));
        either(self.is_above(&more, &less, gap), &|| self.is_above(&less, &more, 1 - gap))
    }

    fn is_equal(&self, x: &Sum, y: &Sum) -> Option<bool> {
        if self.is_above(x, y, 0) && self.is_above(y, x, 0) {
            return Some(true);
        }
        (self.is_above(x, y, 1) || self.is_above(y, x, 1)).then_some(false)
    }
}
