//! Methods that make programs, on a random program: what every pass makes verifies, is read back, and
//! means what it meant before. The passes are those of the method's row in `crates/cotan/src/method.rs`.

use std::mem::discriminant;
use std::sync::Arc;

use base::Name;
use cotan::dev::{self, Event, Pass, Step, Unit};
use eval::{Evaluator, Fault, Value};
use ir::{Block, CallGraph, DeriveOp, FunctionOp, Need, Op, Program, Type, verify, walk};
use opt::{Checkpoints, Layout};

use super::nests::VALUES;
use super::noise::is_unstable;
use super::run::{Leaves, evaluator};
use super::{Find, Law, broken, same};
use super::{flattening, nests};

/// Why an entry point is not compiled.
pub(crate) type Refusal = String;

/// An entry point, compiled: what it is after each of the passes, in order.
pub(crate) struct Compiled {
    entry: Name,
    params: Vec<Layout>,
    results: Vec<Layout>,
    stages: Vec<Stage>,
    /// What they are lowered to.
    nests: nests::Nests,
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
        let flat = flattening::arguments(&self.params, args);
        let mut given = None;
        for stage in &mut self.stages {
            let now = match stage.flat {
                true => {
                    let results = stage.evaluator.call(&self.entry, sizes, flat.clone());
                    given = Some(results.clone().map_err(|it| it.fault));
                    results.map(|it| flattening::results(&self.results, it))
                }
                false => stage.evaluator.call(&self.entry, sizes, args.to_vec()),
            };
            let now = now.map_err(|it| it.fault);
            if let Some(before) = before {
                means_the_same(stage, &before, &now)?;
            }
            before = Some(now);
        }
        if let (Some(given), Some(last)) = (given, self.stages.last_mut()) {
            let again = &mut |args| last.evaluator.call(&self.entry, sizes, args).ok();
            let compared = nests::compared(&self.nests, sizes, &flat, &given);
            compared.or_else(|find| match &given {
                // Sums in another order are rounding errors away from the program.
                Ok(it) if find.law == VALUES && is_unstable(&flat, it, &find, again) => Ok(()),
                _ => Err(find),
            })?;
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

/// Compiles an entry point by the passes of a method, with all its stages if they are asked for.
pub(crate) fn compile(
    program: &Program,
    entry: &Name,
    thorough: bool,
    calls: Calls,
    (steps, checkpoints): (&[Step], Checkpoints),
) -> Law<Result<Compiled, Refusal>> {
    let steps = listed(steps, calls);
    let mut made = Making::new(program, entry, thorough);
    let mut unit = Unit::new(program.clone(), entry);
    unit.checkpoints = checkpoints;
    let unit = dev::run(&steps, unit, &mut |it| made.event(&it));
    let unit = match unit {
        Ok(unit) => unit,
        Err(refused) => return made.find.map_or(Ok(Err(refused.reason)), Err),
    };
    // What only compiled code runs.
    let arrange = if thorough { named("arrange") } else { &[Step::Run(pass("recompute"))][..] };
    let last = unit.program.clone();
    let arranged = dev::run(arrange, unit, &mut |it| made.event(&it));
    let arranged = match arranged {
        Ok(unit) => unit,
        Err(refused) => return broken("nothing that is resolved is refused", refused.reason),
    };
    if let Some(find) = made.find {
        return Err(find);
    }
    if made.stages.is_empty() {
        made.stages.push(Stage::new("simplify", &last));
    }
    let Some((params, results)) = made.layouts else {
        return broken("there are layouts", "the program was not flattened");
    };
    // Fast code is lowered from what is arranged, a draft from what is not.
    let nests = nests::lowered(if thorough { &arranged.program } else { &last }, entry)?;
    Ok(Ok(Compiled { entry: entry.clone(), params, results, stages: made.stages, nests }))
}

/// The passes of a list, with or without inlining.
fn listed(steps: &[Step], calls: Calls) -> Vec<Step> {
    let mut res = Vec::new();
    for step in steps {
        if let Step::All(inside) = step {
            res.extend(listed(inside, calls));
        } else if !matches!(step, Step::Run(it) if it.name == "inline" && calls == Calls::Stay) {
            res.push(*step);
        }
    }
    res
}

pub(super) fn pass(name: &str) -> &'static Pass {
    dev::PASSES.iter().find(|it| it.name == name).expect("a pass of the table")
}

fn named(name: &str) -> &'static [Step] {
    dev::PIPELINES.iter().find(|it| it.0 == name).expect("a pipeline of the table").1
}

/// An entry point on its way.
struct Making<'a> {
    entry: &'a Name,
    thorough: bool,
    layouts: Option<(Vec<Layout>, Vec<Layout>)>,
    is_flat: bool,
    stages: Vec<Stage>,
    find: Option<Find>,
}

impl<'a> Making<'a> {
    fn new(program: &Program, entry: &'a Name, thorough: bool) -> Making<'a> {
        let mut stages = Vec::new();
        if thorough && !has_derivatives(program, entry) {
            stages.push(Stage { flat: false, ..Stage::new("", program) });
        }
        Making { entry, thorough, layouts: None, is_flat: false, stages, find: None }
    }

    fn event(&mut self, event: &Event<'_>) {
        if let Event::Ends(pass, unit) = event
            && let Err(find) = self.ends(pass, unit)
        {
            self.find.get_or_insert(find);
        }
    }

    /// Looks at what a pass made, and keeps it for later if it runs.
    fn ends(&mut self, pass: &'static Pass, unit: &Unit) -> Law<()> {
        if let Err(error) = verify(&unit.program, pass.to) {
            let detail = format!("{}: {error}\n{}", pass.name, unit.program);
            return broken("what a pass makes verifies", detail);
        }
        // What is differentiated goes its own way.
        if unit.at != *self.entry {
            return Ok(());
        }
        if pass.name == "specialise"
            && let Ok(data) = opt::defunctionalise(&unit.program)
            && let Ok(flat) = opt::flatten(&data, self.entry)
        {
            self.layouts = Some((flat.params, flat.results));
        }
        self.is_flat |= pass.name == "flatten";
        let last = pass.name == "recompute";
        if !(self.thorough || last) || has_derivatives(&unit.program, self.entry) {
            return Ok(());
        }
        super::read_back(&unit.program)?;
        if self.thorough && pass.name == "bot" {
            let bits = dev::run_pass(self::pass("simplify_bits"), unit.clone(), &mut |_| {});
            let Ok(bits) = bits else { return broken("simplify refuses nothing", "") };
            self.stages.push(Stage::new(pass.name, &unit.program));
            self.stages.push(Stage::new("simplify to the bit", &bits.program));
            return Ok(());
        }
        let exact = !["simplify", "at_once", "inline_more"].contains(&pass.name);
        let stage = Stage::new(pass.name, &unit.program);
        self.stages.push(Stage { exact, flat: self.is_flat, ..stage });
        Ok(())
    }
}

/// Whether an entry point needs a derivative operator.
fn has_derivatives(program: &Program, entry: &Name) -> bool {
    let needed = CallGraph::new(program, &Need::ALL).reachable([entry]);
    let defs = needed.iter().filter_map(|it| program.defs.get(it));
    defs.into_iter().any(|it| has_derivative(&it.body))
}

fn has_derivative(block: &Block) -> bool {
    block.stmts.iter().any(|it| {
        let is_derivative = matches!(
            it.op,
            Op::Derive(DeriveOp::OfFunction { .. } | DeriveOp::OfDefinition { .. })
        );
        is_derivative || walk::blocks(&it.op).iter().any(|it| has_derivative(it.1))
    })
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
