//! The passes, one table: ir to ir. What each does in full is written where it is.
//!
//! A pass gets a [`Unit`] and gives one, or says what is in its way. It calls no other pass: the order is
//! in `pipelines.rs`, and `pipeline.rs` runs it. `cotan dev` runs any of them on the text of a program.

mod arranging;
mod checkpoints;

use ad::bulk::{Mode, Refused};
use base::Name;
use ir::{Block, DeriveOp, Dialect, Op, Origin, Program, walk};
use opt::{Checkpoints, Exactness, Settled};

use crate::flattening::Flattening;
use crate::on_demand;
pub(crate) use arranging::{
    ACCUMULATE, AT_ONCE, CHOOSE, PEEL, RECOMPUTE, SINK, SPREAD, SPREAD_BEFORE, VIEWS,
};
pub(crate) use checkpoints::{CHECKPOINT, DROP_CHECKPOINTS};

/// A program on its way, and what passes have to know of it.
#[derive(Clone)]
pub struct Unit {
    /// The program.
    pub program: Program,
    /// The definition that it is about: the entry point, or what is differentiated.
    pub at: Name,
    /// The parameters of that one that derivatives are by; all, if nothing is said.
    pub by: Option<Vec<bool>>,
    /// The definitions that keep their parameters and results.
    pub entries: Vec<Name>,
    /// Which loops keep checkpoints.
    pub checkpoints: Checkpoints,
    /// How values of the entry point are flattened, once tuples are gone.
    pub(crate) flattening: Option<Flattening>,
    /// What the simplifier has found out.
    pub(crate) settled: Settled,
}

/// Texts, each under a title.
pub(crate) type Titled = Vec<(String, String)>;

/// A pass.
pub struct Pass {
    /// What it is called by everybody.
    pub name: &'static str,
    /// What it does, in one sentence without its end.
    pub about: &'static str,
    /// The dialect that it takes.
    pub from: Dialect,
    /// The dialect that it gives.
    pub to: Dialect,
    pub(crate) run: fn(Unit) -> Result<Unit, Refused>,
    /// What it goes through inside, for people to read: titles and texts.
    pub(crate) inside: Option<fn(&Unit) -> Titled>,
}

impl Unit {
    /// A program with the definition that it is about, which is all that stays as it is.
    pub fn new(program: Program, at: &Name) -> Unit {
        let (at, entries) = (at.clone(), vec![at.clone()]);
        let (flattening, settled) = (None, Settled::default());
        let checkpoints = Checkpoints::default();
        Unit { program, at, by: None, entries, checkpoints, flattening, settled }
    }

    fn with(self, pass: impl FnOnce(&Program) -> Program) -> Result<Unit, Refused> {
        Ok(Unit { program: pass(&self.program), ..self })
    }
}

/// Every pass, in the order in which most programs meet them.
pub const PASSES: &[&Pass] = &[
    &FORWARD,
    &TAPE,
    &SPECIALISE,
    &DEFUNCTIONALISE,
    &FLATTEN,
    &MERGE,
    &INLINE,
    &VIEWS,
    &ACCUMULATE,
    &PEEL,
    &CHECKPOINT,
    &DROP_CHECKPOINTS,
    &DIFFERENTIATE,
    &DIFFERENTIATE_FORWARD,
    &DIFFERENTIATE_MAPS,
    &DIFFERENTIATE_PULL_BACKS,
    &DROP_CLAUSES,
    &GRADIENT,
    &GRADIENT_MAPS,
    &GRADIENT_PULL_BACKS,
    &BOT,
    &SIMPLIFY,
    &SIMPLIFY_BITS,
    &COMMON,
    &HOIST,
    &AT_ONCE,
    &INLINE_MORE,
    &INLINE_MORE_BITS,
    &SPREAD,
    &SPREAD_BEFORE,
    &CHOOSE,
    &RECOMPUTE,
    &SINK,
];

/// A pass that shows nothing of its inside; the others say so.
const PLAIN: Pass = Pass {
    name: "",
    about: "",
    from: Dialect::FirstOrder,
    to: Dialect::FirstOrder,
    run: Ok,
    inside: None,
};

pub(crate) const FORWARD: Pass = Pass {
    name: "forward",
    about: "dual numbers: every real carries its tangent",
    from: Dialect::Source,
    to: Dialect::Source,
    run: |unit| derived(unit, on_demand::forward),
    ..PLAIN
};

pub(crate) const TAPE: Pass = Pass {
    name: "tape",
    about: "dual numbers: every real carries a Delta, how it depends on the input",
    from: Dialect::Source,
    to: Dialect::Delta,
    run: |unit| derived(unit, on_demand::tape),
    ..PLAIN
};

pub(crate) const SPECIALISE: Pass = Pass {
    name: "specialise",
    about: "functions and types become known, an instance for each; functions in data stay values",
    from: Dialect::Source,
    to: Dialect::Monomorphic,
    run: |unit| {
        let program = opt::specialise(&unit.program, &unit.at).map_err(refused)?;
        Ok(Unit { program, ..unit })
    },
    ..PLAIN
};

pub(crate) const DEFUNCTIONALISE: Pass = Pass {
    name: "defunctionalise",
    about: "function values become data: a constructor for each lambda, a match where one is applied",
    from: Dialect::Monomorphic,
    run: |unit| {
        let program = opt::defunctionalise(&unit.program).map_err(refused)?;
        Ok(Unit { program, ..unit })
    },
    ..PLAIN
};

pub(crate) const FLATTEN: Pass = Pass {
    name: "flatten",
    about: "tuples, and arrays of them, become several variables",
    run: |unit| {
        let flat = opt::flatten(&unit.program, &unit.at).map_err(refused)?;
        let flattening = Some(Flattening::new(&flat, &unit.at));
        // One for each leaf of a parameter.
        let by = unit.by.map(|by| {
            let all = flat.params.iter().zip(by);
            all.flat_map(|(it, on)| vec![on; it.width()]).collect()
        });
        Ok(Unit { program: flat.program, by, flattening, ..unit })
    },
    ..PLAIN
};

pub(crate) const MERGE: Pass = Pass {
    name: "merge",
    about: "definitions that are the same become one, so that there is one derivative of them",
    run: |unit| Ok(Unit { program: opt::merge(&unit.program, &unit.at), ..unit }),
    ..PLAIN
};

pub(crate) const INLINE: Pass = Pass {
    name: "inline",
    about: "small definitions stand where they were called",
    run: |unit| Ok(Unit { program: opt::inline(&unit.program, &unit.at), ..unit }),
    ..PLAIN
};

pub(crate) const DIFFERENTIATE: Pass = Pass {
    name: "differentiate",
    about: "derivative operators of one definition become calls of derivatives, by forward and reverse \
            mode, whichever is less work",
    run: |unit| expanded(unit, Mode::Mixed),
    ..PLAIN
};

pub(crate) const DIFFERENTIATE_FORWARD: Pass = Pass {
    name: "differentiate_forward",
    about: "derivative operators of one definition become calls of derivatives, by forward mode",
    run: |unit| expanded(unit, Mode::Forward),
    ..PLAIN
};

pub(crate) const DIFFERENTIATE_MAPS: Pass = Pass {
    name: "differentiate_maps",
    about: "derivative operators of one definition become calls of derivatives, by linear maps",
    run: |unit| expanded(unit, Mode::Maps),
    ..PLAIN
};

pub(crate) const DROP_CLAUSES: Pass = Pass {
    name: "drop_clauses",
    about: "custom derivatives go, since nothing is differentiated any more",
    run: |mut unit| {
        if unit.program.defs.values().any(|it| has_derivative(&it.body)) {
            let reason = "a derivative operator is left".to_string();
            return Err(Refused { span: None, reason });
        }
        unit.program.customs.clear();
        Ok(unit)
    },
    ..PLAIN
};

pub(crate) const DIFFERENTIATE_PULL_BACKS: Pass = Pass {
    name: "differentiate_pull_backs",
    about: "derivative operators of one definition become calls of derivatives, by pull-backs and \
            push-forwards",
    run: |unit| expanded(unit, Mode::Chad),
    ..PLAIN
};

pub(crate) const GRADIENT_PULL_BACKS: Pass = Pass {
    name: "gradient_pull_backs",
    about: "every statement with its value and its pull-back, by the parameters asked for",
    from: Dialect::Bulk,
    run: |unit| {
        let active = active(&unit);
        let (program, at) = ad::chad::gradient(&unit.program, &unit.at, &active)?;
        Ok(Unit { program, entries: vec![at.clone()], at, ..unit })
    },
    inside: Some(|unit| ad::chad::inside(&unit.program, &unit.at, &active(unit))),
    ..PLAIN
};

pub(crate) const GRADIENT_MAPS: Pass = Pass {
    name: "gradient_maps",
    about: "the transpose of the block of linear maps, by the parameters asked for",
    from: Dialect::Bulk,
    run: |unit| {
        let active = active(&unit);
        let (program, at) = ad::linmap::gradient(&unit.program, &unit.at, &active)?;
        Ok(Unit { program, entries: vec![at.clone()], at, ..unit })
    },
    inside: Some(|unit| ad::linmap::inside(&unit.program, &unit.at, &active(unit))),
    ..PLAIN
};

pub(crate) const GRADIENT: Pass = Pass {
    name: "gradient",
    about: "the transpose of the Delta term, by the parameters asked for",
    from: Dialect::Bulk,
    run: |unit| {
        let active = active(&unit);
        let (program, at) = ad::bulk::gradient(&unit.program, &unit.at, &active)?;
        Ok(Unit { program, entries: vec![at.clone()], at, ..unit })
    },
    inside: Some(|unit| ad::bulk::inside(&unit.program, &unit.at, &active(unit))),
    ..PLAIN
};

pub(crate) const BOT: Pass = Pass {
    name: "bot",
    about: "every build that can be becomes operations on whole arrays",
    to: Dialect::Bulk,
    run: |unit| unit.with(opt::bot),
    ..PLAIN
};

pub(crate) const SIMPLIFY: Pass = Pass {
    name: "simplify",
    about: "fewer and plainer statements: what the user wrote to the bit, derivatives up to rounding",
    run: |unit| Ok(simplified(unit, by_origin)),
    ..PLAIN
};

pub(crate) const SIMPLIFY_BITS: Pass = Pass {
    name: "simplify_bits",
    about: "fewer and plainer statements, to the bit",
    run: |unit| Ok(bare(simplified(unit, bits), bits)),
    ..PLAIN
};

pub(crate) const COMMON: Pass = Pass {
    name: "common",
    about: "no operation is done twice; `simplify` does so as it goes",
    run: |unit| unit.with(opt::common),
    ..PLAIN
};

const HOIST: Pass = Pass {
    name: "hoist",
    about: "loops do not do what does not depend on them; `simplify` does so as it goes",
    run: |unit| unit.with(opt::hoist),
    ..PLAIN
};

pub(crate) const INLINE_MORE: Pass = Pass {
    name: "inline_more",
    about: "calls are inlined that would keep loops apart, within derivatives and within the rest",
    run: |unit| Ok(inlined_more(unit, by_origin)),
    ..PLAIN
};

pub(crate) const INLINE_MORE_BITS: Pass = Pass {
    name: "inline_more_bits",
    about: "calls are inlined that would keep loops apart",
    run: |unit| Ok(inlined_more(unit, bits)),
    ..PLAIN
};

/// The program with a derivative of the definition that it is about.
fn derived(
    mut unit: Unit,
    derive: fn(&Program, &ir::Def, &[bool]) -> Option<ir::Def>,
) -> Result<Unit, Refused> {
    let def = unit.program.defs.get(&unit.at);
    let Some(def) = def.and_then(|it| derive(&unit.program, it, &active(&unit))) else {
        return Err(Refused { span: None, reason: format!("there is no definition {}", unit.at) });
    };
    unit.at = def.name.clone();
    unit.program.defs.insert(def.name.clone(), def.into());
    Ok(unit)
}

fn expanded(unit: Unit, mode: Mode) -> Result<Unit, Refused> {
    Ok(Unit { program: ad::bulk::expand(unit.program, &unit.at, mode)?, ..unit })
}

/// How exact a definition of a program stays.
type Exact = fn(&Program, &Name) -> Exactness;

fn simplified(mut unit: Unit, exactness: Exact) -> Unit {
    let Unit { program, entries, settled, .. } = &mut unit;
    let made = opt::simplify_by(program, entries, &|it| exactness(program, it), settled);
    Unit { program: made, ..unit }
}

/// What stays for its checks only gives no arrays, once what is done twice was found.
fn bare(mut unit: Unit, exactness: Exact) -> Unit {
    let Unit { program, entries, settled, .. } = &mut unit;
    let made = opt::bare(program, entries, &|it| exactness(program, it), settled);
    Unit { program: made, ..unit }
}

fn inlined_more(mut unit: Unit, exactness: Exact) -> Unit {
    let Unit { program, entries, settled, .. } = &mut unit;
    let made = opt::inline_more(program, entries, &|it| exactness(program, it), settled);
    Unit { program: made, ..unit }
}

/// The small Jacobians of the elements of a definition, if it is made of such. It is in no table: what it
/// makes is a definition beside the program, and not the program.
pub(crate) fn elements(unit: &Unit, name: Name) -> Option<opt::Elements> {
    opt::elements(&unit.program, &unit.at, &active(unit), name)
}

/// Which parameters derivatives are by.
fn active(unit: &Unit) -> Vec<bool> {
    let n = unit.program.defs.get(&unit.at).map_or(0, |it| it.params.len());
    unit.by.clone().unwrap_or_else(|| vec![true; n])
}

/// Derivatives may be simplified up to rounding, what the user wrote not.
fn by_origin(program: &Program, name: &Name) -> Exactness {
    if is_derived(program, name) { Exactness::UpToRounding } else { Exactness::Bits }
}

fn bits(_: &Program, _: &Name) -> Exactness {
    Exactness::Bits
}

/// Whether it is a derivative or a part of one, clauses included.
pub(crate) fn is_derived(program: &Program, name: &Name) -> bool {
    program.defs.get(name).is_some_and(|it| it.origin != Origin::Source)
}

/// Whether there is a derivative operator in a block.
pub(crate) fn has_derivative(block: &Block) -> bool {
    let inside = |op| walk::blocks(op).iter().any(|it| has_derivative(it.1));
    let is_derivative = |op: &Op| {
        matches!(op, Op::Derive(DeriveOp::OfFunction { .. } | DeriveOp::OfDefinition { .. }))
    };
    block.stmts.iter().any(|it| is_derivative(&it.op) || inside(&it.op))
}

fn refused(refusal: opt::Refusal) -> Refused {
    Refused { span: refusal.span, reason: refusal.reason.to_string() }
}
