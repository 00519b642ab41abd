//! The order of passes: lists, with the reason beside each entry.
//!
//! `method.rs` says which of them a method is made of, `pipeline.rs` runs them.

use ir::Dialect;

use crate::pass::{
    ACCUMULATE, AT_ONCE, BOT, CHECKPOINT, CHOOSE, COMMON, DEFUNCTIONALISE, DIFFERENTIATE,
    DIFFERENTIATE_FORWARD, DIFFERENTIATE_MAPS, DIFFERENTIATE_PULL_BACKS, DROP_CHECKPOINTS,
    DROP_CLAUSES, FLATTEN, FORWARD, GRADIENT, GRADIENT_MAPS, GRADIENT_PULL_BACKS, INLINE,
    INLINE_MORE, INLINE_MORE_BITS, MERGE, PEEL, Pass, RECOMPUTE, SIMPLIFY, SIMPLIFY_BITS, SINK,
    SPECIALISE, SPREAD, SPREAD_BEFORE, TAPE, VIEWS,
};

/// An entry of a pipeline.
#[derive(Clone, Copy)]
pub enum Step {
    /// A pass.
    Run(&'static Pass),
    /// A pass, and what follows if it changed anything.
    IfNew(&'static Pass, &'static [Step]),
    /// What brings a program back into a dialect that it may have left.
    Unless(Dialect, &'static [Step]),
    /// From here on all definitions keep what they take and give: others may be made of them.
    KeepAll,
    /// Derivative operators, from the inside out.
    InsideOut(InsideOut),
    /// Several entries.
    All(&'static [Step]),
}

/// How derivative operators are taken away: what they differentiate is prepared, by itself with all that
/// it calls, then they are expanded.
#[derive(Clone, Copy)]
pub struct InsideOut {
    /// Prepares what is differentiated.
    pub prepare: &'static [Step],
    /// Prepares what is made of derivatives itself.
    pub prepare_derived: &'static [Step],
    /// Prepares what is differentiated at many points, inside of a `build`.
    pub prepare_mapped: &'static [Step],
    /// Expands the derivative operators of one definition.
    pub expand: &'static Pass,
}

/// All pipelines, by name, for whoever wants to see them.
pub const PIPELINES: &[(&str, &[Step])] = &[
    ("mixed", MIXED),
    ("forward_before", FORWARD_BEFORE),
    ("maps", MAPS),
    ("pull_backs", PULL_BACKS),
    ("draft", DRAFT),
    ("arrange", ARRANGE),
    ("show_gradient", SHOW_GRADIENT),
    ("show_maps", SHOW_MAPS),
    ("show_pull_backs", SHOW_PULL_BACKS),
    ("show_forward", SHOW_FORWARD),
    ("show_tape", SHOW_TAPE),
    ("before_sets", BEFORE_SETS),
];

/// Takes the derivative operators of an entry point away: methods `bulk` and `auto`.
pub(crate) const MIXED: &[Step] = &resolved_by(&CHECKPOINT, &DIFFERENTIATE);

/// Takes derivative operators away by forward mode, which saves nothing: method `forward` in compiled code.
pub(crate) const FORWARD_BEFORE: &[Step] = &resolved_by(&DROP_CHECKPOINTS, &DIFFERENTIATE_FORWARD);

/// Takes derivative operators away by linear maps: method `linmap`.
pub(crate) const MAPS: &[Step] = &resolved_by(&CHECKPOINT, &DIFFERENTIATE_MAPS);

/// Takes derivative operators away by pull-backs and push-forwards: method `chad`.
pub(crate) const PULL_BACKS: &[Step] = &resolved_by(&CHECKPOINT, &DIFFERENTIATE_PULL_BACKS);

const fn resolved_by(checkpoints: &'static Pass, expand: &'static Pass) -> [Step; 6] {
    [
        // Everything behind works on programs whose functions are known.
        Step::All(FIRST_ORDER),
        Step::All(RECURSIONS),
        // It makes definitions with clauses, and derivative operators in them.
        Step::Run(checkpoints),
        // While small definitions are inlined and nothing is simplified, so that clauses are found.
        inside_out(expand),
        // So that definitions with clauses may be inlined.
        Step::Run(&DROP_CLAUSES),
        // Operators leave builds behind, which map derivatives over arrays.
        Step::All(WHOLE_ARRAYS),
    ]
}

const fn inside_out(expand: &'static Pass) -> Step {
    Step::InsideOut(InsideOut {
        prepare: PREPARE,
        prepare_derived: PREPARE_DERIVED,
        prepare_mapped: PREPARE_MAPPED,
        expand,
    })
}

/// Of what compiled code runs fast, what drafts have as well: without it they would need several times the
/// memory, and come to its limit where fast code does not.
pub(crate) const DRAFT: &[Step] = &[Step::IfNew(&AT_ONCE, UNCALLED), Step::Run(&RECOMPUTE)];

/// What compiled code runs fast.
pub(crate) const ARRANGE: &[Step] = &[
    // While the ways there and back are definitions of their own.
    Step::IfNew(&AT_ONCE, UNCALLED),
    // A call keeps the loops on both sides apart.
    Step::All(JOIN),
    // Behind it, since it looks for what loops still save.
    Step::Run(&RECOMPUTE),
    // Last, since the simplifier would take index arithmetic out of loops again.
    Step::Run(&SINK),
];

/// Behind a pass that calls other definitions than before: what nobody calls any more goes.
const UNCALLED: &[Step] = &[Step::Run(&SIMPLIFY), Step::All(AGAIN)];

/// What `stages` shows of a definition that is differentiated before anything runs.
pub(crate) const SHOW_GRADIENT: &[Step] = &shown_by(&DIFFERENTIATE, &GRADIENT);

/// What `stages` shows of a definition that is differentiated by linear maps.
pub(crate) const SHOW_MAPS: &[Step] = &shown_by(&DIFFERENTIATE_MAPS, &GRADIENT_MAPS);

/// What `stages` shows of a definition that is differentiated by pull-backs.
pub(crate) const SHOW_PULL_BACKS: &[Step] =
    &shown_by(&DIFFERENTIATE_PULL_BACKS, &GRADIENT_PULL_BACKS);

const fn shown_by(expand: &'static Pass, gradient: &'static Pass) -> [Step; 8] {
    [
        Step::All(FIRST_ORDER),
        Step::All(RECURSIONS),
        Step::Run(&CHECKPOINT),
        // Operators inside of the definition.
        inside_out(expand),
        // As an operator would prepare it.
        Step::All(PREPARE),
        Step::Run(gradient),
        Step::Run(&DROP_CLAUSES),
        Step::All(WHOLE_ARRAYS),
    ]
}

/// What `stages` shows of a definition that the interpreter differentiates by tangents.
pub(crate) const SHOW_FORWARD: &[Step] = &[Step::Run(&FORWARD)];

/// What `stages` shows of a definition that the interpreter differentiates by a tape.
pub(crate) const SHOW_TAPE: &[Step] = &[Step::Run(&TAPE)];

/// What `opt::elements` takes apart.
pub(crate) const BEFORE_ELEMENTS: &[Step] = &[
    Step::All(FIRST_ORDER),
    Step::Run(&DROP_CHECKPOINTS),
    // What is read twice is one read.
    Step::Run(&COMMON),
];

/// What `ad::chad::dependence` moves sets through, where there are no derivatives inside: what the user wrote,
/// so that nothing is simplified away that the pattern of a run has.
pub(crate) const BEFORE_SETS: &[Step] = &[Step::All(FIRST_ORDER)];

const FIRST_ORDER: &[Step] = &[
    // First: every pass behind it knows which function is called where.
    Step::Run(&SPECIALISE),
    // What is left of functions: no pass behind it knows what a function value is.
    Step::Unless(Dialect::FirstOrder, &[Step::Run(&DEFUNCTIONALISE)]),
    // Needs to know types; leaves no tuples to anybody.
    Step::Run(&FLATTEN),
    // While calls are calls: whoever differentiates the same definition does so by the same words.
    Step::Run(&MERGE),
    // A derivative of a small definition, called, costs more than the definition.
    Step::Run(&INLINE),
];

/// What recursions compute, with less memory for every call.
const RECURSIONS: &[Step] = &[
    // Before anything is differentiated: what calls share has one cotangent.
    Step::Run(&VIEWS),
    // Behind it: a part that is copied for a call would be copied in a loop.
    Step::Run(&ACCUMULATE),
    // Behind both: parts that a last call reads an element of are not made.
    Step::Run(&PEEL),
];

/// Operations on whole arrays, simplified.
const WHOLE_ARRAYS: &[Step] = &[
    // Every rule of the simplifier about arrays is about whole ones.
    Step::Run(&BOT),
    Step::Run(&SIMPLIFY),
    Step::All(AGAIN),
];

/// What kept a build may have been simplified away.
const AGAIN: &[Step] = &[
    Step::Unless(Dialect::Bulk, &[Step::Run(&BOT), Step::Run(&SIMPLIFY)]),
    Step::Unless(Dialect::Bulk, &[Step::Run(&BOT)]),
];

/// What is differentiated, as operations on whole arrays.
const PREPARE: &[Step] = &[
    Step::Run(&BOT),
    // Other derivatives may be made of the same definitions.
    Step::KeepAll,
    Step::Run(&SIMPLIFY),
    Step::All(AGAIN),
];

/// A definition that is made of derivatives, with their calls inlined. By a call, the derivative of a
/// derivative would go through all of its results, wanted or not, and would save for each of them: every
/// order would be several times as large as the one before.
const PREPARE_DERIVED: &[Step] = &[
    // The simplifier wants whole arrays.
    Step::Run(&BOT),
    Step::All(JOIN_BEFORE),
    Step::All(PREPARE),
];

/// A definition that is differentiated at many points, with calls inlined and cheap branches chosen:
/// what they would remember for each point is no value of a sum type then.
const PREPARE_MAPPED: &[Step] = &[
    Step::Run(&BOT),
    Step::All(JOIN_BEFORE),
    // Behind inlining, which brings branches in.
    Step::Run(&CHOOSE),
    Step::All(PREPARE),
];

/// One definition instead of many, as far as it gets not much larger by it.
const JOIN: &[Step] = &joined_by(&SPREAD);

/// One definition instead of many, of a program that is differentiated later.
const JOIN_BEFORE: &[Step] = &joined_by(&SPREAD_BEFORE);

const fn joined_by(spread: &'static Pass) -> [Step; 8] {
    [
        // First within derivatives, which may be simplified up to rounding only while they are apart.
        Step::IfNew(&INLINE_MORE, &[Step::Run(&SIMPLIFY)]),
        // Positions of small arrays are seen where they are made and read in one definition.
        Step::Run(spread),
        Step::Run(&SIMPLIFY),
        // Then all, exact to the bit, since now the user's code stands in the same definition.
        Step::IfNew(&INLINE_MORE_BITS, &[Step::Run(&SIMPLIFY_BITS)]),
        Step::Run(spread),
        Step::Run(&SIMPLIFY_BITS),
        // What kept a build may have been simplified away.
        Step::Unless(Dialect::Bulk, &[Step::Run(&BOT), Step::Run(&SIMPLIFY_BITS)]),
        Step::Unless(Dialect::Bulk, &[Step::Run(&BOT)]),
    ]
}
