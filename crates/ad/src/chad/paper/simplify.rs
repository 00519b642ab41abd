//! Applies the rules of `rules.rs` until none fits.
//!
//! Paper: Appendix B. Requires and ensures: a lowered term of the same type and meaning, which costs no more.

use std::collections::BTreeSet;

use base::Name;

use super::rules::{Context, OURS, TABLE};
use super::term::{Steps, Term};
use super::types::Type;
use super::walk::Supply;

/// How often all of a term is looked at; the figures of the paper need ten.
const MOST_PASSES: usize = 60;

/// A simplified term, and which rules it took.
pub struct Simplified {
    /// The term.
    pub term: Term,
    /// Names of rules.
    pub rules: BTreeSet<&'static str>,
}

/// The lowered term in a context of lowered types, simplified.
pub fn simplify(context: &[(Name, Type)], term: &Term) -> Simplified {
    let mut supply = Supply::default();
    let mut term = term.anew(&mut supply);
    let context = Context { types: context.to_vec(), supply };
    let mut simplify = Simplify { context, rules: BTreeSet::new(), has_arrays: true };
    for _ in 0..MOST_PASSES {
        simplify.has_arrays = has_arrays(&term);
        let next = simplify.pass(&term);
        if next == term {
            break;
        }
        term = next;
    }
    Simplified { term: term.named(), rules: simplify.rules }
}

struct Simplify {
    context: Context,
    rules: BTreeSet<&'static str>,
    /// Only rules about arrays ask for types.
    has_arrays: bool,
}

fn has_arrays(term: &Term) -> bool {
    let mut res = matches!(term, Term::Map(..) | Term::Sum(..));
    term.visit(&mut |_, it| res = res || has_arrays(it));
    res
}

impl Simplify {
    /// Simplifies the parts of a term, and then the term itself.
    fn pass(&mut self, term: &Term) -> Term {
        let types = if self.has_arrays { self.bound_types(term) } else { Vec::new() };
        let mut types = types.into_iter();
        let mut res = term.rebuild(&mut |names, it| {
            let before = self.context.types.len();
            for name in names {
                let ty = types.next().flatten().unwrap_or(Type::Unit);
                self.context.types.push(((*name).clone(), ty));
            }
            let it = self.pass(it);
            self.context.types.truncate(before);
            (names.iter().map(|it| (*it).clone()).collect(), it)
        });
        while let Some(next) = self.step(&res) {
            res = next;
        }
        res
    }

    fn step(&mut self, term: &Term) -> Option<Term> {
        for rule in TABLE.iter().chain(OURS) {
            if let Some(next) = (rule.rewrite)(&mut self.context, term) {
                self.rules.insert(rule.name);
                return Some(next);
            }
        }
        None
    }

    /// The types of what a term binds, in the order of [`Term::rebuild`].
    fn bound_types(&self, term: &Term) -> Vec<Option<Type>> {
        let of = |it: &Term| self.context.type_of(it);
        if let Term::Let(_, t, _) = term {
            return vec![of(t)];
        }
        if let Term::Lambda(_, ty, _) = term {
            return vec![Some(ty.clone())];
        }
        if let Term::Map(_, _, s) = term {
            let array = of(s);
            let (Some(Type::Array(_, elem)) | Some(Type::List(elem))) = array else {
                return Vec::new();
            };
            return vec![Some((*elem).clone())];
        }
        if let Term::Case(t, ..) = term
            && let Some(Type::Sum(one, other)) = of(t)
        {
            return vec![Some((*one).clone()), Some((*other).clone())];
        }
        if let Term::Loop(it) = term {
            let state = of(&it.init);
            let of_condition = matches!(it.steps, Steps::While(..)).then(|| state.clone());
            return of_condition.into_iter().chain([state, Some(Type::Int)]).collect();
        }
        // All that is left of the lowered language is `build`.
        vec![Some(Type::Int)]
    }
}
