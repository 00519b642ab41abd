//! What a value is, seen from the parts that rows are cut into.

use std::rc::Rc;

use base::Span;
use ir::Lambda;

use super::walk::Frame;
use super::{Blame, Why};

/// What a value is.
#[derive(Clone)]
pub(super) enum Class<'p> {
    /// Zero, which is the same for all parts and a sum.
    Zero,
    /// The same for all parts.
    Whole,
    /// In the body of a loop over rows: it depends on the row at hand and on what is the same for all parts.
    Row,
    /// The number of the row at hand.
    Number,
    /// An array with a row for each row of the data, along this axis.
    Rows(usize),
    /// A sum over rows.
    Sum,
    /// In a loop over rows: the state of this number, to which values of the row at hand may have been added.
    State(usize),
    /// A tuple, or an array of tuples.
    Parts(Vec<Class<'p>>),
    /// A function that is written in place, with what it captures.
    Function(Rc<Closure<'p>>),
    /// Anything else.
    Mixed(Blame),
}

/// A function with what it captures.
pub(super) struct Closure<'p> {
    pub(super) lambda: &'p Lambda,
    pub(super) frame: Frame<'p>,
}

impl PartialEq for Class<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Class::Rows(a), Class::Rows(b)) | (Class::State(a), Class::State(b)) => a == b,
            (Class::Parts(a), Class::Parts(b)) => a == b,
            (Class::Function(a), Class::Function(b)) => Rc::ptr_eq(a, b),
            (Class::Mixed(_), Class::Mixed(_)) => true,
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
    }
}

impl<'p> Class<'p> {
    /// What mixes parts at a place.
    pub(super) fn mixed(why: Why, at: Option<Span>) -> Class<'p> {
        Class::Mixed(Blame { why, at: vec![at] })
    }

    pub(super) fn blame(&self) -> Option<&Blame> {
        match self {
            Class::Mixed(blame) => Some(blame),
            Class::Parts(parts) => parts.iter().find_map(Class::blame),
            Class::Zero | Class::Whole | Class::Row | Class::Number | Class::Rows(_) => None,
            Class::Sum | Class::State(_) | Class::Function(_) => None,
        }
    }

    /// Whether it is the same for all parts.
    pub(super) fn is_whole(&self) -> bool {
        match self {
            Class::Zero | Class::Whole => true,
            Class::Parts(parts) => parts.iter().all(Class::is_whole),
            Class::Function(it) => it.frame.captured(it.lambda).iter().all(Class::is_whole),
            Class::Row | Class::Number | Class::Rows(_) => false,
            Class::Sum | Class::State(_) | Class::Mixed(_) => false,
        }
    }

    /// Whether it depends on the row at hand at most.
    pub(super) fn is_row(&self) -> bool {
        match self {
            Class::Zero | Class::Whole | Class::Row => true,
            Class::Parts(parts) => parts.iter().all(Class::is_row),
            Class::Function(it) => it.frame.captured(it.lambda).iter().all(Class::is_row),
            Class::Number | Class::Rows(_) | Class::Sum => false,
            Class::State(_) | Class::Mixed(_) => false,
        }
    }

    /// The class, or those of the parts of a tuple one by one.
    pub(super) fn leaves<'a>(&'a self, into: &mut Vec<&'a Class<'p>>) {
        match self {
            Class::Parts(parts) => parts.iter().for_each(|it| it.leaves(into)),
            Class::Zero | Class::Whole | Class::Row | Class::Number | Class::Rows(_) => {
                into.push(self)
            }
            Class::Sum | Class::State(_) | Class::Function(_) | Class::Mixed(_) => into.push(self),
        }
    }

    /// What `f` gives, for a tuple of each of its parts.
    pub(super) fn each(&self, f: &mut dyn FnMut(&Class<'p>) -> Class<'p>) -> Class<'p> {
        match self {
            Class::Parts(parts) => Class::Parts(parts.iter().map(|it| it.each(f)).collect()),
            Class::Zero | Class::Whole | Class::Row | Class::Number | Class::Rows(_) => f(self),
            Class::Sum | Class::State(_) | Class::Function(_) | Class::Mixed(_) => f(self),
        }
    }

    /// What a value is that may be either.
    pub(super) fn join(&self, other: &Class<'p>, at: Option<Span>) -> Class<'p> {
        match (self, other) {
            (a, b) if a == b => a.clone(),
            (Class::Mixed(_), _) => self.clone(),
            (_, Class::Mixed(_)) => other.clone(),
            (Class::Parts(a), Class::Parts(b)) if a.len() == b.len() => {
                Class::Parts(a.iter().zip(b).map(|(a, b)| a.join(b, at)).collect())
            }
            (a, b) if a.is_whole() && b.is_whole() => Class::Whole,
            (a, b) if a.is_row() && b.is_row() => Class::Row,
            (Class::Zero, Class::Sum) | (Class::Sum, Class::Zero) => Class::Sum,
            (Class::Zero, Class::Rows(axis)) | (Class::Rows(axis), Class::Zero) => {
                Class::Rows(*axis)
            }
            _ => Class::mixed(Why::Choice, at),
        }
    }

    /// An array of so many dimensions more, outermost, of such values.
    pub(super) fn within(&self, n_axes: usize, at: Option<Span>) -> Class<'p> {
        self.each(&mut |it| match it {
            Class::Rows(axis) => Class::Rows(axis + n_axes),
            Class::State(_) => Class::mixed(Why::State, at),
            Class::Number => Class::mixed(Why::Number, at),
            Class::Zero | Class::Whole | Class::Row | Class::Sum => it.clone(),
            Class::Function(_) | Class::Parts(_) | Class::Mixed(_) => it.clone(),
        })
    }
}

/// What an operation gives that may do anything with its operands: it can be told only if all rows it sees
/// are the one at hand.
pub(super) fn plain<'p>(operands: &[Class<'p>], why: Why, at: Option<Span>) -> Class<'p> {
    if let Some(blame) = operands.iter().find_map(Class::blame) {
        return Class::Mixed(blame.clone());
    }
    let mut leaves = Vec::new();
    operands.iter().for_each(|it| it.leaves(&mut leaves));
    if leaves.iter().any(|it| matches!(it, Class::Number)) {
        return Class::mixed(Why::Number, at);
    }
    if operands.iter().all(Class::is_whole) {
        Class::Whole
    } else if operands.iter().all(Class::is_row) {
        Class::Row
    } else {
        Class::mixed(why, at)
    }
}
