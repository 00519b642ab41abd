//! Derivatives for the interpreter, made when it asks for them.

use base::Name;
use eval::Derive;
use ir::signature::{derived_name, taped_of};
use ir::{Binder, Def, Dialect, Lambda, Program, Spans};

use crate::deep::with_deep_stack;
use crate::pipeline;

/// Derivatives for the interpreter, made when it asks; definitions are verified in debug builds. It
/// may ask with little stack left, and code nests as deep as the text does.
pub(crate) struct OnDemand;

impl Derive for OnDemand {
    fn forward_lambda(
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

    fn endless(&self, program: &Program, name: &Name) -> Option<Name> {
        ad::endless(program, name)
    }

    fn reverse_lambda(
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

/// A definition with tangents, by these parameters.
pub(crate) fn forward(program: &Program, def: &Def, by: &[bool]) -> Option<Def> {
    ad::forward_def(program, &derived_name(&def.name, by))
}

/// A definition with Deltas, by these parameters.
pub(crate) fn tape(program: &Program, def: &Def, by: &[bool]) -> Option<Def> {
    Some(ad::tape_def(program, def, by))
}

/// A definition such as `f'10` or `f~10`.
fn derived_def(program: &Program, name: &Name) -> Option<Def> {
    let Some((base, mask)) = taped_of(name) else {
        let def = ad::forward_def(program, name)?;
        pipeline::verify_def(program, Dialect::Source, &def, "forward");
        return Some(def);
    };
    let base = ad::forward_def(program, base)?;
    if mask.len() != base.params.len() {
        return None;
    }
    let def = ad::tape_def(program, &base, mask);
    pipeline::verify_def(program, Dialect::Delta, &def, "tape");
    Some(def)
}
