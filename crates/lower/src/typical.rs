//! How great sizes usually are: from the entry point to what it calls.

use std::collections::BTreeMap;

use base::Name;
use ir::{Block, FunctionOp, Op, Program, Size, Var, walk};

use crate::tuning::TYPICAL;

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
        let own: BTreeMap<Var, i64> = def.size_params.iter().copied().zip(sizes).collect();
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
}

impl Typical {
    pub(crate) fn new(own: BTreeMap<Var, i64>, params: &[Var]) -> Typical {
        let is_known = params.iter().all(|it| own.contains_key(it));
        Typical { own, is_known }
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
