//! How great sizes usually are: from the entry point to what it calls, also those that are computed
//! (`typical/computed.rs`), and in branches for some sizes only (`typical/branches.rs`).

mod branches;
mod computed;

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::{Atom, Block, ControlOp, Def, FunctionOp, Op, Program, Size, Var, walk};

use self::branches::Branches;
use crate::tuning::{SMALL, TYPICAL};

/// For each definition that is called, what its size parameters usually are.
pub(crate) fn typical(
    program: &Program,
    entry: Option<&Name>,
    sizes: Option<&[i64]>,
) -> BTreeMap<Name, BTreeMap<Var, i64>> {
    let mut res = BTreeMap::new();
    let Some(entry) = entry else { return res };
    let sizes = sizes.unwrap_or_default().to_vec();
    let mut open = vec![(entry.clone(), sizes)];
    while let Some((name, sizes)) = open.pop() {
        let Some(def) = program.defs.get(&name) else { continue };
        if res.contains_key(&name) {
            continue;
        }
        let mut own: BTreeMap<Var, i64> = def.size_params.iter().copied().zip(sizes).collect();
        computed::computed(&def.body, &mut own);
        calls(&def.body, &own, &mut open);
        res.insert(name, own);
    }
    res
}

/// What the sizes of a definition usually are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Typical {
    /// Of variables that are sizes, as far as somebody has said so.
    own: BTreeMap<Var, i64>,
    /// Whether that is all size parameters: what is estimated is more than a guess.
    pub(crate) is_known: bool,
    /// Those that are small in nearly all calls.
    small: BTreeSet<Var>,
    branches: Branches,
}

impl Typical {
    pub(crate) fn new(mut own: BTreeMap<Var, i64>, def: &Def) -> Typical {
        let is_known = def.size_params.iter().all(|it| own.contains_key(it));
        let small = small(def);
        own.extend(small.iter().map(|it| (*it, SMALL)));
        let mut branches = Branches::new();
        branches::branches(&def.body, &mut branches);
        Typical { own, is_known, small, branches }
    }

    /// The same where a condition holds, or where it does not.
    pub(crate) fn within(&self, cond: &Atom, holds: bool) -> Typical {
        let mut res = self.clone();
        let Atom::Var(cond) = cond else { return res };
        for (var, most) in self.branches.get(cond).map_or(&[][..], |it| &it[usize::from(!holds)]) {
            let usual = res.own.get(var).copied().unwrap_or(TYPICAL);
            res.own.insert(*var, usual.min(*most).max(1));
        }
        res
    }

    /// Whether a size is a few in nearly all calls.
    pub(crate) fn is_small(&self, size: &Size) -> bool {
        size.vars().iter().any(|it| self.small.contains(it))
    }

    /// About how great a size is.
    pub(crate) fn estimate(&self, size: &Size) -> f64 {
        guess(size, &self.own)
    }

    /// About how many points a domain has.
    pub(crate) fn points<'s>(&self, sizes: impl IntoIterator<Item = &'s Size>) -> f64 {
        sizes.into_iter().map(|it| self.estimate(it)).product()
    }
}

/// The sizes that a definition lessens by a number in every call that it makes of itself, in a loop: a call of
/// size n makes several of n - 1, so nearly all of the calls are near the end.
fn small(def: &Def) -> BTreeSet<Var> {
    let mut calls = Vec::new();
    own_calls(def, &def.body, false, &mut calls);
    let is_less = |at: usize, var: Var| {
        calls.iter().all(|(sizes, is_in_loop)| {
            let less = sizes.get(at).and_then(|it| Size::var(var).sub(it).as_constant());
            *is_in_loop && less.is_some_and(|it| it > 0)
        })
    };
    let params = def.size_params.iter().enumerate();
    params.filter(|(at, var)| !calls.is_empty() && is_less(*at, **var)).map(|it| *it.1).collect()
}

/// The sizes of the calls that a definition makes of itself, and whether each is made in a loop.
fn own_calls<'d>(
    def: &Def,
    block: &'d Block,
    is_in_loop: bool,
    calls: &mut Vec<(&'d [Size], bool)>,
) {
    for stmt in &block.stmts {
        if let Op::Function(FunctionOp::Call { def: called, sizes, .. }) = &stmt.op
            && *called == def.name
        {
            calls.push((sizes, is_in_loop));
        }
        let is_choice =
            matches!(stmt.op, Op::Control(ControlOp::If { .. } | ControlOp::Match { .. }));
        for (_, inner) in walk::blocks(&stmt.op) {
            own_calls(def, inner, is_in_loop || !is_choice, calls);
        }
    }
}

/// About how great a size is, at least 1. What is left of a size without a part that is not known, as
/// `n - k` for some `k`, is taken for half of it where the guesses would leave nothing.
fn guess(size: &Size, own: &BTreeMap<Var, i64>) -> f64 {
    let value = |var: &Var| own.get(var).copied().unwrap_or(TYPICAL) as f64;
    let terms = size
        .terms()
        .map(|(vars, factor)| vars.iter().fold(factor as f64, |product, it| product * value(it)));
    let (more, less) = terms.fold((0.0, 0.0), |(more, less), it| match it > 0.0 {
        true => (more + it, less),
        false => (more, less - it),
    });
    let is_guessed = size.vars().iter().any(|it| !own.contains_key(it));
    let left = if is_guessed && less >= more { more / 2.0 } else { more - less };
    left.max(1.0)
}

fn calls(block: &Block, own: &BTreeMap<Var, i64>, open: &mut Vec<(Name, Vec<i64>)>) {
    for stmt in &block.stmts {
        if let Op::Function(FunctionOp::Call { def, sizes, .. }) = &stmt.op {
            let value = |it: &Size| guess(it, own) as i64;
            open.push((def.clone(), sizes.iter().map(value).collect()));
        }
        walk::blocks(&stmt.op).into_iter().for_each(|it| calls(it.1, own, open));
    }
}
