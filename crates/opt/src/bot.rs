//! The bulk-operation transformation: `build` becomes operations on whole arrays, ir to ir.
//!
//! Figures 9 to 11 of Smeding and Konarski, "Dual arrays", read statement by statement. Under
//! builds, a variable is held as an array of its values, with the dimensions it depends on in front
//! of its own; what depends on none of them is done once. Operands of different dimensions are
//! brought to common ones where they meet. A rule of the figures is a function of its name:
//! `build_of_...` in `bot/elementwise.rs`, `bot/gather.rs`, `bot/control.rs`, `bot/held.rs`, and
//! `index_of_...` in `bot/index.rs`, which comes first.
//!
//! Requires: dialect FirstOrder, verified, without tuples and derivative operators.
//! Ensures: dialect Bulk. The same results; the same kinds of errors at the same places, though of
//! several positions that fail another one may be reported. What the input does not run does not
//! fail: in a branch not taken, in a build of size zero.
//! Cost: work at most that of the input times a constant, but memory for all positions at once.
//! A branch that is not taken is computed nevertheless if it is cheap.
//! Rows of different lengths, under a mask, are as long as the longest where they are added up.
//! Not done: sorting, `argmax`, sum types, `while`, recursion, loops whose number of steps depends on
//! the position, branches that are not cheap and arrays whose size depends on the position: they
//! remain in a `build` over exactly what they depend on, a *residual*. A negative size of an inner
//! build is an error even if the outer one is empty.
//! Tests: `crates/opt/tests/bot/`; on all examples: `crates/cotan/tests/bot.rs`.
//!
//! Example. `x2 = build (x3 < n) { x4 = index x0 (x3); x5 = mul x4 x1; give x5 }` becomes
//! `x5 = mul x0 x1`.

mod batched;
mod control;
mod cost;
mod elementwise;
mod facts;
mod gather;
mod held;
mod index;
mod loops;
mod mask;
mod ragged;
mod residual;
mod statement;

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Name, Span};
use ir::{Atom, Binder, Builder, Def, Origin, Program, Size, Type, Var};

use batched::{Batched, BatchedDefs};
use facts::{DefFacts, Facts};
use held::{Dim, Dims, Held, Shared};

/// The program without builds that could be operations on whole arrays.
pub fn bot(program: &Program) -> Program {
    let program = &index::push_indices(program);
    let facts = Facts::new(program);
    let mut batched_defs = BatchedDefs::new(program);
    let mut output = Program { defs: BTreeMap::new(), ..program.clone() };
    for def in program.defs.values() {
        let batched =
            Batched { def: def.name.clone(), n_dims: 0, patterns: Vec::new(), masked: false };
        let res = bot_def(&facts, &mut batched_defs, def, def.name.clone(), &batched);
        output.defs.insert(def.name.clone(), Arc::new(res));
    }
    while let Some((name, batched)) = batched_defs.queue.pop_front() {
        let def = &program.defs[&batched.def];
        let res = bot_def(&facts, &mut batched_defs, def, name.clone(), &batched);
        output.defs.insert(name, Arc::new(res));
    }
    output
}

/// The definition under the dimensions of `batched`.
fn bot_def<'p>(
    facts: &Facts<'p>,
    batched_defs: &mut BatchedDefs<'p>,
    def: &Def,
    name: Name,
    batched: &Batched,
) -> Def {
    let own = facts.def(&def.name).expect("facts are of all definitions");
    let mut work = Vectorise {
        builder: Builder::new(batched_defs.source, def.next_var),
        batched_defs,
        all: facts,
        facts: own,
        def,
        env: BTreeMap::new(),
        dims: Dims::new(),
        sizes: Vec::new(),
        spans: Vec::new(),
        lanes: BTreeMap::new(),
        conditions: Vec::new(),
        shared: Vec::new(),
        work: Size::constant(0),
    };
    let mut size_params = Vec::new();
    for _ in 0..batched.n_dims {
        let size = work.builder.fresh(Type::Int);
        size_params.push(size);
        let dim = work.new_dim(Size::var(size));
        work.dims.push(dim);
    }
    for var in &def.size_params {
        work.builder.declare(*var, Type::Int);
        work.env.insert(*var, Held::plain(Atom::Var(*var)));
        size_params.push(*var);
    }
    let mut params = Vec::new();
    if batched.masked {
        let (ty, all) = (Type::arrays(&work.sizes_of(&work.dims), Type::Bool), work.dims.clone());
        let mask = work.builder.fresh(ty.clone());
        work.conditions.push((Held::over(&all, Atom::Var(mask)), true));
        params.push(Binder { var: mask, ty });
    }
    for (at, param) in def.params.iter().enumerate() {
        let dims: Dims =
            batched.patterns.get(at).into_iter().flatten().map(|it| Dim(*it)).collect();
        let ty = Type::arrays(&work.sizes_of(&dims), param.ty.clone());
        work.builder.declare(param.var, ty.clone());
        work.env.insert(param.var, Held::over(&dims, Atom::Var(param.var)));
        params.push(Binder { var: param.var, ty });
    }
    work.open();
    let all = work.dims.clone();
    let held = work.block(&def.body);
    let results = held.iter().map(|it| work.expand(it, &all, &[])).collect();
    let body = work.close(results);
    let outer = work.sizes_of(&all);
    let over = |it: &Binder| Binder { var: it.var, ty: Type::arrays(&outer, it.ty.clone()) };
    let results = def.results.iter().map(over).collect();
    let (next_var, spans) = work.builder.finish();
    // What is over whole arrays is not what others call by its name. A cast of each element is still a
    // cast: inlined, it would lose the sizes that it is there for.
    let is_of_data = match def.origin {
        Origin::Data | Origin::Fields(_) => true,
        Origin::Cast => batched.masked,
        Origin::Source | Origin::Clause | Origin::Derivative => false,
    };
    let is_batched_of_data = is_of_data && batched.n_dims > 0;
    let origin = if is_batched_of_data { Origin::Derivative } else { def.origin.clone() };
    let type_params = Vec::new();
    Def { name, type_params, size_params, params, results, body, next_var, spans, origin }
}

/// The work on one definition.
struct Vectorise<'a, 'p> {
    batched_defs: &'a mut BatchedDefs<'p>,
    all: &'a Facts<'p>,
    facts: &'a DefFacts,
    def: &'a Def,
    builder: Builder<'p>,
    /// What the variables of the input have become.
    env: BTreeMap<Var, Held>,
    /// The dimensions of the builds around.
    dims: Dims,
    /// The sizes of all dimensions.
    sizes: Vec<Size>,
    /// Where they come from: a size that is wrong is blamed on that.
    spans: Vec<Option<Span>>,
    /// The indices of the residual builds around.
    lanes: BTreeMap<Dim, Atom>,
    /// The conditions the code stands under, and whether they hold or not.
    conditions: Vec<(Held, bool)>,
    /// What was made in the open blocks and can be used again.
    shared: Vec<BTreeMap<Shared, Atom>>,
    /// What is computed in each position before the code, at least.
    work: Size,
}
