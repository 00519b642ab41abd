//! Method `bulk` on a random program: every pass verifies, what it makes is read back, and it means
//! what it meant before. The order of passes is that of `crates/cotan/src/bulk.rs`.

use std::collections::BTreeSet;
use std::mem::discriminant;
use std::sync::Arc;

use ad::bulk::Mode;
use base::Name;
use eval::{Evaluator, Fault, Value};
use ir::{Block, DeriveOp, Dialect, FunctionOp, Op, Program, Type, verify, walk};
use opt::{Exactness, Layout};

use super::run::{Leaves, evaluator};
use super::spread;
use super::{Law, broken, same};

/// Why an entry point is not compiled.
pub(crate) type Refusal = String;

/// An entry point, compiled: what it is after each of the passes, in order.
pub(crate) struct Compiled {
    entry: Name,
    params: Vec<Layout>,
    results: Vec<Layout>,
    stages: Vec<Stage>,
}

/// A program on its way.
struct Stage {
    /// The law that it means the same as the one before.
    law: &'static str,
    /// To the bit.
    exact: bool,
    /// Without tuples.
    flat: bool,
    evaluator: Box<Evaluator>,
}

impl Stage {
    fn new(law: &'static str, program: &Program) -> Stage {
        let evaluator = evaluator(eval::Mode::Forward, &Arc::new(program.clone()));
        Stage { law, exact: true, flat: true, evaluator }
    }
}

impl Compiled {
    /// The results of a call at the end, after a look at what they are on the way there.
    pub(crate) fn call(&mut self, sizes: &[i64], args: &[Value]) -> Law<Result<Vec<Value>, Fault>> {
        let mut before: Option<Result<Vec<Value>, Fault>> = None;
        for stage in &mut self.stages {
            let now = match stage.flat {
                true => {
                    let flat = spread::arguments(&self.params, args);
                    let results = stage.evaluator.call(&self.entry, sizes, flat);
                    results.map(|it| spread::results(&self.results, it))
                }
                false => stage.evaluator.call(&self.entry, sizes, args.to_vec()),
            };
            let now = now.map_err(|it| it.fault);
            if let Some(before) = before {
                means_the_same(stage, &before, &now)?;
            }
            before = Some(now);
        }
        Ok(before.expect("there is a last stage"))
    }
}

fn means_the_same(
    stage: &Stage,
    before: &Result<Vec<Value>, Fault>,
    now: &Result<Vec<Value>, Fault>,
) -> Law<()> {
    match (before, now) {
        (Ok(before), Ok(now)) if !stage.exact => same(stage.law, before, now),
        (Ok(before), Ok(now)) => {
            let (before, now) = (Leaves::of(before), Leaves::of(now));
            match before.same_bits(&now) {
                true => Ok(()),
                false => broken(stage.law, format!("{before:?}\n{now:?}")),
            }
        }
        (Err(before), Err(now)) if discriminant(before) == discriminant(now) => Ok(()),
        (Err(_), Err(_)) | (Ok(_), Err(_)) | (Err(_), Ok(_)) => {
            broken("passes keep faults", format!("{}\n{before:?}\n{now:?}", stage.law))
        }
    }
}

/// What becomes of calls of small definitions: most programs have no others, and what calls become
/// later is looked at too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Calls {
    Stay,
    Inlined,
}

/// Compiles an entry point, with all its stages if they are asked for.
pub(crate) fn compile(
    program: &Program,
    entry: &Name,
    thorough: bool,
    calls: Calls,
    mode: Mode,
) -> Law<Result<Compiled, Refusal>> {
    let special = match opt::specialise(program, entry) {
        Ok(special) => special,
        Err(refusal) => return Ok(Err(refusal.to_string())),
    };
    sound("specialised programs verify", &special, Dialect::FirstOrder)?;
    if thorough {
        super::read_back(&special)?;
    }
    let flat = match opt::flatten(&special, entry) {
        Ok(flat) => flat,
        Err(refusal) => return Ok(Err(refusal.to_string())),
    };
    sound("flattened programs verify", &flat.program, Dialect::FirstOrder)?;
    let inlined = opt::inline(&flat.program, entry);
    sound("inlined programs verify", &inlined, Dialect::FirstOrder)?;
    let mut stages = Vec::new();
    if thorough && !special.defs.values().any(|it| has_derivative(&it.body)) {
        let (source, special) = (Stage::new("", program), Stage::new("specialise", &special));
        stages.extend([source, special].map(|it| Stage { flat: false, ..it }));
        stages.push(Stage::new("flatten", &flat.program));
        stages.push(Stage::new("inline", &inlined));
        super::read_back(&inlined)?;
    }
    let first_order = match calls {
        Calls::Stay => flat.program,
        Calls::Inlined => inlined,
    };
    let mut find = None;
    let mut prepare = |program: Program, def: &Name| {
        let own = part(&program, def);
        let own = prepared(&own).unwrap_or_else(|it| {
            find.get_or_insert(it);
            own
        });
        let mut program = program;
        program.defs.extend(own.defs);
        program
    };
    let resolved = ad::bulk::resolve(first_order, entry, mode, &mut prepare);
    if let Some(find) = find {
        return Err(find);
    }
    let resolved = match resolved {
        Ok(resolved) => resolved,
        Err(refused) => return Ok(Err(refused.reason)),
    };
    sound("resolved programs verify", &resolved, Dialect::FirstOrder)?;
    if thorough {
        super::read_back(&resolved)?;
    }
    if resolved.defs.values().any(|it| has_derivative(&it.body)) {
        return broken("no derivative operator is left", resolved.to_string());
    }
    let bulk = opt::bot(&resolved);
    sound("bulk programs verify", &bulk, Dialect::Bulk)?;
    let entries = std::slice::from_ref(entry);
    let simple = simplified(&bulk, entries)?;
    if thorough {
        super::read_back(&bulk)?;
        super::read_back(&simple)?;
        let exact = opt::simplify(&bulk, entries, Exactness::Bits);
        sound("programs simplified to the bit verify", &exact, Dialect::Bulk)?;
        stages.push(Stage::new("resolve", &resolved));
        stages.push(Stage::new("bot", &bulk));
        stages.push(Stage::new("simplify to the bit", &exact));
    }
    stages.push(Stage { exact: false, ..Stage::new("simplify", &simple) });
    let again = opt::recompute(&simple);
    if again != simple {
        sound("programs that compute again verify", &again, Dialect::Bulk)?;
        super::read_back(&again)?;
        stages.push(Stage::new("recompute", &again));
    }
    let (params, results) = (flat.params, flat.results);
    Ok(Ok(Compiled { entry: entry.clone(), params, results, stages }))
}

fn sound(law: &'static str, program: &Program, dialect: Dialect) -> Law<()> {
    if let Err(error) = verify(program, dialect) {
        return broken(law, format!("{error}\n{program}"));
    }
    Ok(())
}

/// Operations on whole arrays instead of `build`, and simplified; all definitions keep what they take
/// and give.
fn prepared(program: &Program) -> Law<Program> {
    let program = opt::bot(program);
    sound("differentiated bulk programs verify", &program, Dialect::Bulk)?;
    let names: Vec<Name> = program.defs.keys().cloned().collect();
    simplified(&program, &names)
}

/// Derivatives are simplified up to rounding, what was there not.
fn simplified(program: &Program, entries: &[Name]) -> Law<Program> {
    let is_derived = |name: &Name| name.split('.').skip(1).any(|it| !it.starts_with("map"));
    let exactness = |name: &Name| match is_derived(name) {
        true => Exactness::UpToRounding,
        false => Exactness::Bits,
    };
    let program = opt::simplify_by(program, entries, &exactness);
    sound("simplified programs verify", &program, Dialect::Bulk)?;
    Ok(program)
}

/// A definition and what it needs.
fn part(program: &Program, from: &Name) -> Program {
    let mut names = BTreeSet::from([from.clone()]);
    let mut open = vec![from.clone()];
    while let Some(name) = open.pop() {
        let Some(def) = program.defs.get(&name) else { continue };
        each_op(&def.body, &mut |op| {
            if let Op::Function(FunctionOp::Call { def, .. }) = op
                && names.insert(def.clone())
            {
                open.push(def.clone());
            }
        });
    }
    let defs = program.defs.iter().filter(|it| names.contains(it.0));
    let defs = defs.map(|(name, def)| (name.clone(), Arc::clone(def))).collect();
    Program { datas: program.datas.clone(), defs, ..Program::default() }
}

fn each_op(block: &Block, visit: &mut dyn FnMut(&Op)) {
    for stmt in &block.stmts {
        visit(&stmt.op);
        walk::blocks(&stmt.op).into_iter().for_each(|it| each_op(it.1, visit));
    }
}

fn has_derivative(block: &Block) -> bool {
    let mut found = false;
    each_op(block, &mut |op| {
        found |=
            matches!(op, Op::Derive(DeriveOp::OfFunction { .. } | DeriveOp::OfDefinition { .. }))
    });
    found
}

/// Whether functions are nothing but what derivative operators are of. Such a program is never
/// refused.
pub(crate) fn is_first_order(program: &Program) -> bool {
    fn is_function(ty: &Type) -> bool {
        matches!(ty, Type::Function(..)) || ty.parts().into_iter().any(is_function)
    }
    fn holds(block: &Block) -> bool {
        block.stmts.iter().all(|stmt| {
            let is_lambda = matches!(stmt.op, Op::Function(FunctionOp::Lambda(_)));
            let values = is_lambda || !stmt.binders.iter().any(|it| is_function(&it.ty));
            values && walk::blocks(&stmt.op).into_iter().all(|it| holds(it.1))
        })
    }
    let fields = program.datas.values().flat_map(|it| &it.cons).flat_map(|it| &it.fields);
    let params = program.defs.values().flat_map(|it| &it.params).map(|it| &it.ty);
    !fields.chain(params).any(is_function) && program.defs.values().all(|it| holds(&it.body))
}
