//! Delta terms: what a tape says, as a term that can be read, printed and evaluated.
//!
//! Paper: Krawiec et al., Section 7, Figure 10. Operations on whole arrays are written element by
//! element here, so a term is as long as the run; it is for looking at. A gradient inside of the
//! program is not a term of theirs: it is printed as `Gradient`, and `eval` passes nothing through; the same for `Custom`.

use std::fmt;

use crate::kernels::scalar::scale;
use crate::tape::{Id, Mark, Tape, Whole};

/// A linear function of the input.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// No dependence.
    Zero,
    /// What the identifier stands for.
    Var(Id),
    /// A multiple.
    Scale(f64, Box<Delta>),
    /// A sum.
    Add(Box<Delta>, Box<Delta>),
    /// A gradient inside of the program, whose own derivative is taken when it is needed.
    Gradient,
    /// The result of a definition with a derivative of its own, which is called when it is needed.
    Custom,
}

/// A term with its bindings, innermost last: `Let id delta in ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct DeltaTerm {
    /// Bindings in order; each mentions earlier ones and inputs only.
    pub lets: Vec<(Id, Delta)>,
    /// The Delta of every real of the result.
    pub body: Vec<Delta>,
}

impl Delta {
    /// The sum of multiples.
    fn sum(terms: impl IntoIterator<Item = (f64, Id)>) -> Delta {
        let term = |(factor, id): (f64, Id)| match factor {
            1.0 => Delta::Var(id),
            _ => Delta::Scale(factor, Box::new(Delta::Var(id))),
        };
        let terms = terms.into_iter().filter(|(factor, id)| *factor != 0.0 && *id != Id::ZERO);
        let add = |sum, term| Delta::Add(Box::new(sum), Box::new(term));
        terms.map(term).reduce(add).unwrap_or(Delta::Zero)
    }

    /// The Delta of a real with this identifier.
    pub(crate) fn var(id: Id) -> Delta {
        if id == Id::ZERO { Delta::Zero } else { Delta::Var(id) }
    }

    /// Figure 10, `eval`, without `Let`: adds what the term contributes, `cotangent` times.
    fn eval(&self, cotangent: f64, to: &mut [f64]) {
        match self {
            Delta::Zero | Delta::Gradient | Delta::Custom => {}
            Delta::Var(id) => {
                if let Some(sum) = to.get_mut(id.0 as usize) {
                    *sum += cotangent;
                }
            }
            Delta::Scale(factor, inner) => inner.eval(scale(*factor, cotangent), to),
            Delta::Add(first, second) => {
                first.eval(cotangent, to);
                second.eval(cotangent, to);
            }
        }
    }

    /// Writes it with names for identifiers.
    pub fn write(&self, out: &mut dyn fmt::Write, name: &dyn Fn(Id) -> String) -> fmt::Result {
        match self {
            Delta::Zero => write!(out, "Zero"),
            Delta::Var(id) => write!(out, "Var {}", name(*id)),
            Delta::Gradient => write!(out, "Gradient"),
            Delta::Custom => write!(out, "Custom"),
            Delta::Scale(factor, inner) => {
                write!(out, "Scale {factor:?} ")?;
                inner.write_argument(out, name)
            }
            Delta::Add(first, second) => {
                write!(out, "Add ")?;
                first.write_argument(out, name)?;
                write!(out, " ")?;
                second.write_argument(out, name)
            }
        }
    }

    fn write_argument(&self, out: &mut dyn fmt::Write, name: &dyn Fn(Id) -> String) -> fmt::Result {
        if *self == Delta::Zero {
            return self.write(out, name);
        }
        write!(out, "(")?;
        self.write(out, name)?;
        write!(out, ")")
    }
}

impl DeltaTerm {
    /// The cotangents of all identifiers below `end`, for those of the results: one sweep over the
    /// bindings, the last one first, with a dense array.
    pub fn eval(&self, cotangents: &[f64], end: Id) -> Vec<f64> {
        let mut res = vec![0.0; end.0 as usize];
        self.body.iter().zip(cotangents).for_each(|(delta, weight)| delta.eval(*weight, &mut res));
        for (id, delta) in self.lets.iter().rev() {
            let cotangent = res.get(id.0 as usize).copied().unwrap_or(0.0);
            delta.eval(cotangent, &mut res);
        }
        res
    }
}

impl Tape {
    /// What was recorded between two marks, as bindings.
    pub(crate) fn lets(&self, from: Mark, to: Mark) -> Vec<(Id, Delta)> {
        // Backwards, as the contributions of scalars can be read; turned round in the end.
        let mut lets = Vec::new();
        let mut at = to;
        for number in (from.wholes..to.wholes).rev() {
            let Some(entry) = self.entry(number) else { break };
            self.scalar_lets(entry.position, &mut at, &mut lets);
            at.next = entry.first;
            for i in (0..entry.len as usize).rev() {
                if let Some(delta) = entry.what.element(i) {
                    lets.push((Id(entry.first + i as u32), delta));
                }
            }
        }
        self.scalar_lets(from.position, &mut at, &mut lets);
        lets.reverse();
        lets
    }

    fn scalar_lets(&self, down_to: usize, at: &mut Mark, lets: &mut Vec<(Id, Delta)>) {
        let mut id = at.next - 1;
        let mut terms = Vec::new();
        self.scalars.backwards(down_to, at.position, |target, factor, is_first| {
            terms.push((factor, Id(target)));
            if is_first {
                lets.push((Id(id), Delta::sum(terms.drain(..).rev())));
                id -= 1;
            }
        });
        at.position = down_to;
        at.next = id + 1;
    }
}

impl Whole {
    /// The Delta of one of its results; `None` for an input.
    fn element(&self, i: usize) -> Option<Delta> {
        match self {
            Whole::Inputs => None,
            Whole::Derivative(_) => Some(Delta::Gradient),
            Whole::Pullback(_) => Some(Delta::Custom),
            Whole::Combine(terms) => {
                Some(Delta::sum(terms.iter().map(|(factors, ids)| (factors.get(i), ids.get(i)))))
            }
            Whole::Sum { ids, extent } => {
                let (o, i) = (i / extent.inner, i % extent.inner);
                let at = |k: usize| ids[(o * extent.size + k) * extent.inner + i];
                Some(Delta::sum((0..extent.size).map(|k| (1.0, at(k)))))
            }
            Whole::Scatter { into, positions, values, inner } => {
                let rows = positions.iter().enumerate().filter(|(_, at)| **at == i / inner);
                let added = rows.map(|(row, _)| (1.0, values[row * inner + i % inner]));
                Some(Delta::sum([(1.0, into[i])].into_iter().chain(added)))
            }
        }
    }
}
