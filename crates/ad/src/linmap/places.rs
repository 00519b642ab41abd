//! Which elements of a parameter an element of a result depends on, through branches, loops and calls.
//!
//! An element of a value at indices `a0, a1, ...` depends on some *places* of each parameter. A place says for
//! every axis of the parameter where along it: at one of the indices `a0, a1, ...`, at one position, or
//! anywhere. So `x[a0]` is the only place of a function that goes element by element, and its Jacobian is a
//! diagonal, whatever loops, branches and recursive calls compute an element.
//!
//! A clause says how tangents go through a definition, so its places are those of what the clause computes of
//! them. A loop has the places that no further step adds to, and a definition those that no further look at what it
//! calls does. What is chosen, counted or compared by has no derivative, so it has no place.
//!
//! Paper: Ellis, Peyton Jones, Fitzgibbon, Section 2.5, as `paths.rs`, which looks at maps without loops and
//! tells more of them.
//! Not done: indices that are computed, `x[i + 1]`, are anywhere; so is what several places make of an axis.

mod look;

use std::collections::BTreeSet;

use base::Name;
use ir::{Program, Var};

use super::paths::Form;
use crate::tuning::MOST_PLACES;

/// Where along an axis of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Along {
    /// At the index of this axis of the value.
    Axis(usize),
    /// At this position.
    Int(i64),
    /// At the value of a variable, for as long as that is bound.
    Var(Var),
    /// At the value of a parameter of the definition, which is an integer.
    Param(usize),
    /// At the number of the step, of the loop inside of so many others.
    Step(usize),
    /// Anywhere.
    All,
}

/// Elements of a parameter: where along each of its axes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) param: usize,
    pub(crate) along: Vec<Along>,
}

/// All that an element of a value depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places(BTreeSet<Place>);

/// The places of each result of a definition.
pub fn places(program: &Program, def: &Name) -> Vec<Places> {
    let known = look::look(program, def);
    // Where the integer is, its caller knows.
    let outside = |it| if let Along::Param(_) = it { Along::All } else { it };
    known.iter().map(|it| it.moved(outside)).collect()
}

/// The form of the block of a result of so many axes, of a parameter that it depends on so.
pub(crate) fn form(rank: usize, along: Option<&[Along]>) -> Form {
    let Some(along) = along else { return Form::Zero };
    let is_same = along.iter().enumerate().all(|(at, it)| *it == Along::Axis(at));
    if is_same && along.len() == rank {
        return Form::Diagonal;
    }
    match along.iter().any(|it| *it != Along::All) || along.is_empty() {
        true => Form::Sparse,
        false => Form::Full,
    }
}

impl Along {
    /// Where it is if the axes of the value become others, or anything.
    fn turned(self, by: &impl Fn(usize) -> Along) -> Along {
        match self {
            Along::Axis(axis) => by(axis),
            Along::Int(_) | Along::Var(_) | Along::Param(_) | Along::Step(_) | Along::All => self,
        }
    }
}

impl Places {
    /// An element of a parameter of so many axes is itself.
    fn of_param(param: usize, rank: usize) -> Places {
        Places(BTreeSet::from([Place { param, along: (0..rank).map(Along::Axis).collect() }]))
    }

    /// Whether the element of a value at these indices may depend on that of a parameter at those.
    pub fn has(&self, param: usize, row: &[usize], column: &[usize]) -> bool {
        let is_there = |(along, at): (&Along, &usize)| match along {
            Along::Axis(axis) => row.get(*axis) == Some(at),
            Along::Int(value) => usize::try_from(*value).is_ok_and(|it| it == *at),
            Along::Var(_) | Along::Param(_) | Along::Step(_) | Along::All => true,
        };
        let own = |it: &&Place| it.param == param;
        self.0.iter().filter(own).any(|it| it.along.iter().zip(column).all(is_there))
    }

    /// One place that has all of a parameter; none if there is no place of it.
    pub(crate) fn of(&self, param: usize) -> Option<Vec<Along>> {
        let places = self.0.iter().filter(|it| it.param == param).map(|it| it.along.clone());
        places.reduce(|one, other| {
            let both = |(one, other)| if one == other { one } else { Along::All };
            one.into_iter().zip(other).map(both).collect()
        })
    }

    /// What there is of parameters behind so many, which are the tangents of these.
    fn of_tangents(&self, n_params: usize) -> Places {
        let mut res = BTreeSet::new();
        for place in &self.0 {
            let Some(param) = place.param.checked_sub(n_params) else { continue };
            let is_tangent = |it: &Along| matches!(it, Along::Param(at) if *at >= n_params);
            let along = place.along.iter();
            let along = along.map(|it| if is_tangent(it) { Along::All } else { *it }).collect();
            res.insert(Place { param, along });
        }
        Places(res).bounded()
    }

    /// The places with others along their axes.
    fn moved(&self, by: impl Fn(Along) -> Along) -> Places {
        let place = |it: &Place| Place {
            param: it.param,
            along: it.along.iter().map(|along| by(*along)).collect(),
        };
        Places(self.0.iter().map(place).collect()).bounded()
    }

    /// The places where axis `i` of the value becomes `by(i)`: another axis, or anything.
    fn turned(&self, by: impl Fn(usize) -> Along) -> Places {
        self.moved(|it| it.turned(&by))
    }

    /// What a value depends on that may depend on any element of this one.
    fn mixed(&self) -> Places {
        self.turned(|_| Along::All)
    }

    fn and(mut self, other: Places) -> Places {
        self.0.extend(other.0);
        self.bounded()
    }

    /// The same set with no place inside of another one, and not many.
    fn bounded(self) -> Places {
        let covers = |one: &Place, other: &Place| {
            let pairs = || one.along.iter().zip(&other.along);
            one != other
                && one.param == other.param
                && pairs().all(|(one, other)| *one == Along::All || one == other)
        };
        let outer = |it: &&Place| !self.0.iter().any(|other| covers(other, it));
        let kept = Places(self.0.iter().filter(outer).cloned().collect());
        let params: BTreeSet<usize> = kept.0.iter().map(|it| it.param).collect();
        let mut res = BTreeSet::new();
        for param in params {
            let own = || kept.0.iter().filter(|it| it.param == param);
            match kept.of(param).filter(|_| own().count() > MOST_PLACES) {
                Some(along) => drop(res.insert(Place { param, along })),
                None => res.extend(own().cloned()),
            }
        }
        Places(res)
    }
}
