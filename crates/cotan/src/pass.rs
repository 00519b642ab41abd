//! The methods of differentiation that the interpreter asks for derivatives, one table; method `bulk`
//! differentiates before (`bulk.rs`).

use base::Name;
use eval::{Derive, Via};
use ir::signature::{derived_name, split_taped};
use ir::{Binder, Def, Dialect, Lambda, Program, Spans};

use crate::deep::with_deep_stack;
use crate::pipeline;

/// A method of differentiation.
pub(crate) struct Method {
    /// What the command line calls it.
    pub(crate) name: &'static str,
    /// What it does, in one sentence.
    pub(crate) about: &'static str,
    /// The derivative of a definition by all its parameters; those that it calls are only named.
    pub(crate) derive: fn(&Program, &Def) -> Option<Def>,
}

/// Every method there is.
pub(crate) const METHODS: &[Method] = &[
    Method {
        name: "forward",
        about: "dual numbers: every real carries its tangent",
        derive: |program, def| ad::forward_def(program, &derived_name(&def.name, &all(def))),
    },
    Method {
        name: "tape",
        about: "dual numbers: every real carries a Delta, how it depends on the input",
        derive: |program, def| Some(ad::tape_def(program, def, &all(def))),
    },
];

/// Every method that `--via` may name, by its name: what `gradcheck` compares.
pub(crate) const VIAS: [(&str, Via); 4] =
    [("forward", Via::Forward), ("tape", Via::Tape), ("bulk", Via::Bulk), ("chad", Via::Chad)];

/// All parameters are active.
fn all(def: &Def) -> Vec<bool> {
    vec![true; def.params.len()]
}

/// Derivatives for the interpreter, made when it asks; definitions are verified in debug builds. It
/// may ask with little stack left, and code nests as deep as the text does.
pub(crate) struct OnDemand;

impl Derive for OnDemand {
    fn lambda(
        &self,
        program: &Program,
        captured: &[Binder],
        lambda: &Lambda,
        next_var: u32,
        spans: &Spans,
    ) -> (Lambda, u32, Spans) {
        with_deep_stack(|| ad::forward_lambda(program, captured, lambda, next_var, spans))
    }

    fn def(&self, program: &Program, name: &Name) -> Option<Def> {
        with_deep_stack(|| derived_def(program, name))
    }

    fn tape_lambda(
        &self,
        program: &Program,
        captured: (&[Binder], &[bool]),
        lambda: &Lambda,
        next_var: u32,
        spans: &Spans,
    ) -> (Lambda, u32, Spans) {
        with_deep_stack(|| ad::tape_lambda(program, captured, lambda, next_var, spans))
    }
}

/// A definition such as `f'10` or `f~10`.
fn derived_def(program: &Program, name: &Name) -> Option<Def> {
    let Some((base, mask)) = split_taped(name) else {
        let def = ad::forward_def(program, name)?;
        pipeline::verify_def(program, Dialect::Source, &def, "forward");
        return Some(def);
    };
    let base = ad::forward_def(program, &base)?;
    if mask.len() != base.params.len() {
        return None;
    }
    let def = ad::tape_def(program, &base, &mask);
    pipeline::verify_def(program, Dialect::Delta, &def, "tape");
    Some(def)
}
