//! Types of results that come out of one of several blocks.
//!
//! The branches of a conditional may give arrays of different sizes if they give the size as an
//! earlier result: `x4: Int, x5: [x4]Real = if x1 { ... => x6 x7 } else { ... => 0 x8 }`
//! where `x7: [x6]Real` and `x8: [0]Real`.

use std::collections::BTreeSet;

use super::{Types, Typing, same_count};
use crate::signature::atom_size;
use crate::size::Size;
use crate::term::{Binder, Block, Var};
use crate::types::Type;

impl Typing<'_> {
    /// The types of the results of blocks, each given with the variables bound in front of it.
    pub(super) fn join(&self, blocks: &[(&Block, &[Binder])], results: &[Var]) -> Types {
        for (block, _) in blocks {
            same_count("result of a branch", results.len(), block.results.len())?;
        }
        let locals: BTreeSet<Var> = blocks.iter().flat_map(|(it, more)| locals(it, more)).collect();
        let mut res = Vec::new();
        for at in 0..results.len() {
            let types = blocks.iter().map(|(it, _)| self.of(&it.results[at]));
            let types = types.collect::<Result<Vec<Type>, String>>()?;
            let join_sizes = |sizes: &[&Size]| {
                if all_equal(sizes) && !sizes[0].vars().iter().any(|it| locals.contains(it)) {
                    return Some(sizes[0].clone());
                }
                let is_result = |earlier: usize| {
                    blocks.iter().zip(sizes).all(|((block, _), size)| {
                        atom_size(&block.results[earlier]).as_ref() == Some(*size)
                    })
                };
                (0..at).find(|it| is_result(*it)).map(|it| Size::var(results[it]))
            };
            let refs: Vec<&Type> = types.iter().collect();
            let joined = join_types(&refs, &join_sizes).or_else(|| said(&refs, &locals));
            res.push(joined.ok_or_else(|| differ(at, &types))?);
        }
        Ok(res)
    }
}

/// Of types that agree but for sizes of what a pass made: one that can be said outside. Nobody compares
/// those sizes, so 0 stands for what cannot.
fn said(types: &[&Type], locals: &BTreeSet<Var>) -> Option<Type> {
    let first = types.first()?;
    if !types.iter().all(|it| first.agrees(it)) {
        return None;
    }
    let visible = |it: &&&Type| !it.size_vars().iter().any(|var| locals.contains(var));
    let best = types.iter().find(visible).unwrap_or(first);
    let size = |var: Var| locals.contains(&var).then(|| Size::constant(0));
    Some(best.substitute_sizes(&size))
}

fn differ(at: usize, types: &[Type]) -> String {
    let types: Vec<String> = types.iter().map(Type::to_string).collect();
    format!("result {at} of the branches has types {}", types.join(" and "))
}

fn locals(block: &Block, more: &[Binder]) -> Vec<Var> {
    let binders = block.stmts.iter().flat_map(|it| &it.binders);
    binders.chain(more).map(|it| it.var).collect()
}

fn join_types(types: &[&Type], sizes: &dyn Fn(&[&Size]) -> Option<Size>) -> Option<Type> {
    let first = types.first()?;
    if !types.iter().all(|it| first.same_form(it)) {
        return None;
    }
    let all_sizes: Vec<Vec<&Size>> = types.iter().map(|it| it.sizes()).collect();
    let all_parts: Vec<Vec<&Type>> = types.iter().map(|it| it.parts()).collect();
    let joined_sizes = (0..all_sizes[0].len()).map(|at| sizes(&column(&all_sizes, at)));
    let joined_parts = (0..all_parts[0].len()).map(|at| join_types(&column(&all_parts, at), sizes));
    let joined_sizes = joined_sizes.collect::<Option<Vec<Size>>>()?;
    Some(first.with(joined_sizes, joined_parts.collect::<Option<Vec<Type>>>()?))
}

fn column<'a, T>(rows: &[Vec<&'a T>], at: usize) -> Vec<&'a T> {
    rows.iter().map(|it| it[at]).collect()
}

fn all_equal(sizes: &[&Size]) -> bool {
    sizes.iter().all(|it| *it == sizes[0])
}
