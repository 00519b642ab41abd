//! Programs of first order as loop nests.
//!
//! Requires: dialect FirstOrder without derivative operators, flat (no tuples), verified.
//! Ensures: a module of the loops language that computes the same; parameters of a function are the
//! size parameters of its definition, then its parameters; results in order.

mod access;
mod block;
mod chain;
mod columns;
mod context;
mod contract;
mod flow;
mod graph;
mod handed;
mod needed;
mod nest;
mod order;
mod pack;
mod plan;
mod point;
mod product;
mod recursion;
mod rows;
mod rowwise;
mod sizes;
mod split;
mod tuning;
mod typical;
mod uses;
mod view;

use std::collections::BTreeMap;

use base::Name;
use ir::Program;
use loops::{Func, Module, Scalar};

use context::{Lower, Whole};
use flow::whole_body;
use recursion::mark_recursive;

/// The loop nests of some definitions and of all that they call. `typical` says, for the size
/// parameters of the first one, how great they usually are: it changes how loops are arranged and
/// nothing else.
pub fn lower(program: &Program, entries: &[Name], typical: Option<&[i64]>) -> Module {
    let positions: BTreeMap<Name, usize> =
        program.defs.keys().enumerate().map(|(at, name)| (name.clone(), at)).collect();
    let (module, equalities, extra) = Default::default();
    let typical = typical::typical(program, entries.first(), typical);
    let handed = handed::handed(program, entries);
    let mut whole = Whole { program, module, positions, typical, equalities, extra, handed };
    for def in program.defs.values() {
        let func = lower_def(&mut whole, def);
        whole.module.funcs.push(func);
    }
    whole.module.funcs.append(&mut whole.extra);
    mark_recursive(&mut whole.module);
    // Before loops are split, whose pieces are of different sizes.
    whole.module.funcs.iter_mut().for_each(columns::columns);
    whole.module.funcs.iter_mut().for_each(split::split);
    whole.module.funcs.iter_mut().for_each(contract::contract);
    // Behind it, since it looks for what waits; it leaves sums of products to be contracted.
    whole.module.funcs.iter_mut().for_each(chain::chain);
    whole.module.funcs.iter_mut().for_each(contract::contract);
    whole.module.entries =
        entries.iter().filter_map(|it| whole.positions.get(it)).copied().collect();
    whole.module
}

fn lower_def<'a>(whole: &mut Whole<'a>, def: &'a ir::Def) -> Func {
    let mut lower = Lower::new(whole, def, def.name.clone());
    lower.uses = uses::Uses::of(def);
    lower.typical = lower.whole.typical.get(&def.name).cloned().unwrap_or_default();
    let n_sizes = def.size_params.len();
    for size in &def.size_params {
        let var = lower.fresh(Scalar::Int);
        lower.func.params.push(var);
        lower.define_var(&ir::Binder { var: *size, ty: ir::Type::Int }, var);
    }
    for param in &def.params {
        let var = lower.declare(param);
        lower.func.params.push(var);
        lower.trust(&param.ty);
    }
    let handed = lower.whole.handed.get(&def.name).cloned().unwrap_or_default();
    let own = |at: usize| handed.get(at).copied().flatten().map(|it| n_sizes + it);
    let own: Vec<Option<loops::Var>> =
        (0..def.results.len()).map(|at| Some(lower.func.params[own(at)?])).collect();
    lower.owned.extend(own.iter().flatten());
    let wanted: Vec<Option<loops::Var>> = def.results.iter().map(|_| None).collect();
    let mut results = lower.block(&def.body, &wanted);
    for (at, own) in own.iter().enumerate() {
        if let Some(own) = own {
            lower.put(results[at], *own, &def.results[at].ty);
            results[at] = loops::Atom::Var(*own);
        }
    }
    lower.func.results = results;
    let elsewhere = def.results.iter().zip(&own).filter(|it| it.1.is_none()).map(|it| it.0);
    lower.func.body = whole_body(lower.blocks.pop().unwrap_or_default(), elsewhere);
    lower.func
}
