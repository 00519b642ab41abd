//! Which arrays are taken apart: those that somebody writes or reads position by position, and all
//! that are computed from them, or they from those, element by element.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ArrayOp, Atom, Block, Def, DeriveOp, Op, Type, Var, walk};

use super::small_axes;
use crate::tuning::MOST_STATEMENTS;

#[derive(Default)]
struct Groups {
    types: BTreeMap<Var, Type>,
    /// Another one of the same group.
    parent: BTreeMap<Var, Var>,
    /// Those that are written or read position by position.
    seeds: BTreeSet<Var>,
}

/// The variables that are taken apart.
pub(super) fn split(def: &Def) -> BTreeSet<Var> {
    let mut groups = Groups::default();
    for param in &def.params {
        groups.types.insert(param.var, param.ty.clone());
    }
    groups.block(&def.body);
    let seeds: BTreeSet<Var> = groups.seeds.iter().map(|it| groups.root(*it)).collect();
    let small = groups.types.iter().filter(|it| small_axes(it.1).is_some()).map(|it| *it.0);
    let res: BTreeSet<Var> = small.filter(|it| seeds.contains(&groups.root(*it))).collect();
    let n_parts = |var: &Var| {
        let axes = small_axes(&groups.types[var]).unwrap_or_default();
        axes.iter().map(|it| it.1).product::<usize>()
    };
    if res.iter().map(n_parts).sum::<usize>() > MOST_STATEMENTS { BTreeSet::new() } else { res }
}

impl Groups {
    fn root(&self, var: Var) -> Var {
        let mut at = var;
        while let Some(next) = self.parent.get(&at) {
            at = *next;
        }
        at
    }

    fn is_small(&self, atom: &Atom) -> Option<Var> {
        let Atom::Var(var) = atom else { return None };
        self.types.get(var).and_then(small_axes).map(|_| *var)
    }

    fn join(&mut self, result: Var, atoms: &[Atom]) {
        let result = Atom::Var(result);
        let all: Vec<Var> =
            atoms.iter().chain([&result]).filter_map(|it| self.is_small(it)).collect();
        for pair in all.windows(2) {
            let (x, y) = (self.root(pair[0]), self.root(pair[1]));
            if x != y {
                self.parent.insert(x, y);
            }
        }
    }

    fn seed(&mut self, atom: &Atom) {
        self.seeds.extend(self.is_small(atom));
    }

    /// Whether an axis of an array is taken apart, if the array is.
    fn has_small_axis(&self, atom: &Atom, axis: usize) -> bool {
        let Some(var) = self.is_small(atom) else { return false };
        let axes = self.types.get(&var).and_then(small_axes).unwrap_or_default();
        axes.iter().any(|it| it.0 == axis)
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            for binder in &stmt.binders {
                self.types.insert(binder.var, binder.ty.clone());
            }
            if let Some(first) = stmt.binders.first() {
                self.stmt(first.var, &stmt.op);
            }
            for (bound, inside) in walk::blocks(&stmt.op) {
                for binder in bound {
                    self.types.insert(binder.var, binder.ty.clone());
                }
                self.block(inside);
            }
        }
    }

    fn stmt(&mut self, result: Var, op: &Op) {
        let this = Atom::Var(result);
        match op {
            Op::Prim(_, args) => self.join(result, args),
            Op::Copy(it)
            | Op::Derive(DeriveOp::StopGradient(it) | DeriveOp::Checkpoint { value: it, .. })
            | Op::Array(ArrayOp::Reverse(it)) => {
                self.join(result, std::slice::from_ref(it));
            }
            Op::Array(ArrayOp::Transpose { array, .. } | ArrayOp::Reduce { array, .. }) => {
                self.join(result, std::slice::from_ref(array));
            }
            Op::Array(ArrayOp::Replicate { value, .. }) => {
                self.join(result, std::slice::from_ref(value))
            }
            Op::Array(ArrayOp::Gather { array, indices, .. }) if !indices.is_empty() => {
                self.join(result, std::slice::from_ref(array));
            }
            Op::Array(ArrayOp::Index { array, indices }) => {
                self.join(result, std::slice::from_ref(array));
                let known = |(axis, index): (usize, &Atom)| {
                    matches!(index, Atom::Int(_)) && self.has_small_axis(array, axis)
                };
                if indices.iter().enumerate().any(known) {
                    self.seed(array);
                }
            }
            Op::Array(ArrayOp::Slice { array, axis, from, to }) => {
                self.join(result, std::slice::from_ref(array));
                let known = from.as_constant().is_some() && to.as_constant().is_some();
                if known && self.has_small_axis(array, *axis) {
                    self.seed(array);
                }
            }
            Op::Array(ArrayOp::Literal { parts, .. }) => {
                self.join(result, parts);
                self.seed(&this);
            }
            Op::Array(ArrayOp::Concat(parts)) => {
                self.join(result, parts);
                if self.has_small_axis(&this, 0) {
                    self.seed(&this);
                }
            }
            Op::Array(ArrayOp::Scatter { into, values, indices, .. }) => {
                if (0..indices.len()).any(|axis| self.has_small_axis(into, axis)) {
                    self.join(result, &[into.clone(), values.clone()]);
                    self.seed(&this);
                }
            }
            Op::Size(_)
            | Op::Tuple { .. }
            | Op::Proj { .. }
            | Op::Con { .. }
            | Op::Equal(..)
            | Op::Close(..)
            | Op::Array(_)
            | Op::Control(_)
            | Op::Function(_)
            | Op::Derive(_)
            | Op::Delta(_) => {}
        }
    }
}
