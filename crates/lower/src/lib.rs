//! Programs of first order as loop nests.
//!
//! Requires: dialect FirstOrder without derivative operators, flat (no tuples), verified.
//! Ensures: a module of the loops language that computes the same; parameters of a function are the
//! size parameters of its definition, then its parameters; results in order.

mod access;
mod block;
mod chain;
mod checks;
mod columns;
mod context;
mod contract;
mod flow;
mod handed;
mod items;
mod names;
mod nests;
mod plan;
mod recursion;
mod schedule;
mod sizes;
mod split;
mod stretch;
mod tuning;
mod typical;
mod uses;
mod view;
mod whereabouts;
mod write;

use std::collections::BTreeMap;

use base::Name;
use ir::Program;
use loops::{Func, Module, Scalar};

use context::{Lower, Whole};
use flow::whole_body;
use recursion::mark_recursive;
use schedule::{CPU, Processor};
use stretch::Stretch;
use typical::Typical;
use uses::Uses;

/// The kind of processor that nests are written for. Another one has a value of its own beside `CPU`.
const PROCESSOR: &Processor = &CPU;

/// The loop nests of some definitions and of all that they call. `typical` says, for the size
/// parameters of the first one, how great they usually are: it changes how loops are arranged and
/// nothing else.
pub fn lower(program: &Program, entries: &[Name], typical: Option<&[i64]>) -> Module {
    let mut module = nests(program, entries, typical, PROCESSOR, None).0;
    finish(&mut module);
    module
}

/// What a program is on its way to loops.
pub struct Stages {
    /// The stretches of all blocks, outer ones first.
    pub stretches: Vec<Shown>,
    /// The nests that were written for them.
    pub nests: Module,
    /// What passes on loops make of those: what [`lower`] gives.
    pub loops: Module,
}

/// A stretch of a block, as text.
pub struct Shown {
    /// The definition, then the items around that are no nests, each with the number of its block.
    pub place: String,
    /// What it computes.
    pub items: String,
    /// What is one loop, and what is memory.
    pub plan: String,
    /// How loops run, what is done in them, and where that is in memory.
    pub schedule: String,
}

/// Lowers a program, and keeps what it was on the way.
pub fn stages(program: &Program, entries: &[Name], typical: Option<&[i64]>) -> Stages {
    let (nests, noted) = nests(program, entries, typical, PROCESSOR, Some(Vec::new()));
    let shown = |(place, it): (String, Stretch<'_>)| Shown {
        place,
        items: it.items.to_string(),
        plan: it.plan.to_string(),
        schedule: it.schedule.to_string(),
    };
    let stretches = noted.unwrap_or_default().into_iter().map(shown).collect();
    let mut loops = nests.clone();
    finish(&mut loops);
    Stages { stretches, nests, loops }
}

type Noted<'a> = Option<Vec<(String, Stretch<'a>)>>;

fn nests<'a>(
    program: &'a Program,
    entries: &[Name],
    typical: Option<&[i64]>,
    processor: &'static Processor,
    noted: Noted<'a>,
) -> (Module, Noted<'a>) {
    let positions: BTreeMap<Name, usize> =
        program.defs.keys().enumerate().map(|(at, name)| (name.clone(), at)).collect();
    let (module, equalities, extra) = Default::default();
    let typical = typical::typical(program, entries.first(), typical);
    let handed = handed::handed(program, entries);
    let mut module: Module = module;
    let mut whole =
        Whole { program, processor, positions, typical, equalities, extra, handed, noted };
    for def in program.defs.values() {
        let func = lower_def(&mut whole, &mut module, def);
        module.funcs.push(func);
    }
    module.funcs.append(&mut whole.extra);
    mark_recursive(&mut module);
    module.entries = entries.iter().filter_map(|it| whole.positions.get(it)).copied().collect();
    verify(&module);
    (module, whole.noted)
}

/// In debug builds.
fn verify(module: &Module) {
    if cfg!(debug_assertions) {
        loops::verify(module).unwrap_or_else(|it| panic!("compiler bug: {it}\n{module}"));
    }
}

/// Passes on loops.
fn finish(module: &mut Module) {
    // Before loops are split, whose pieces are of different sizes.
    module.funcs.iter_mut().for_each(columns::columns);
    module.funcs.iter_mut().for_each(split::split);
    module.funcs.iter_mut().for_each(contract::contract);
    // Behind it, since it looks for what waits; it leaves sums of products to be contracted.
    module.funcs.iter_mut().for_each(chain::chain);
    module.funcs.iter_mut().for_each(contract::contract);
    module.funcs.iter_mut().for_each(loops::pairs);
    module.funcs.iter_mut().for_each(loops::sums);
    verify(module);
}

fn lower_def<'a>(whole: &mut Whole<'a>, module: &mut Module, def: &'a ir::Def) -> Func {
    let mut lower = Lower::new((whole, module), (def, def.name.clone()), Uses::of(def));
    let typical = lower.whole.typical.get(&def.name).cloned().unwrap_or_default();
    lower.typical = Typical::new(typical, def);
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
    lower.known.nodes.func
}
