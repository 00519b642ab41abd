//! The methods of differentiation, one table: what `--via` may name and what the interpreter
//! asks for derivatives.

use base::Name;
use eval::Derive;
use ir::{Binder, Def, Lambda, Program, Spans};

use crate::deep::with_deep_stack;
use crate::pipeline;

/// A method of differentiation.
pub(crate) struct Method {
    /// What the command line calls it.
    pub(crate) name: &'static str,
    /// What it does, in one sentence.
    pub(crate) about: &'static str,
    /// The derivative of a definition in all its parameters, with everything it needs.
    pub(crate) derive: fn(&Program, &Def) -> Option<Def>,
}

/// Every method there is.
pub(crate) const METHODS: &[Method] = &[Method {
    name: "forward",
    about: "dual numbers: every real carries its tangent",
    derive: |program, def| ad::forward_def(program, &derived_name(def)),
}];

/// `f'11` for `f` of two parameters.
fn derived_name(def: &Def) -> Name {
    Name::from(format!("{}'{}", def.name, "1".repeat(def.params.len())))
}

/// Forward derivatives for the interpreter, made when it asks and verified in debug builds. It
/// may ask with little stack left, and code nests as deep as the text does.
pub(crate) struct Forward;

impl Derive for Forward {
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
        with_deep_stack(|| {
            let def = ad::forward_def(program, name)?;
            pipeline::verify_def(program, &def, "forward");
            Some(def)
        })
    }
}
