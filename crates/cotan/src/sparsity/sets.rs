//! The pattern of a Jacobian by method `chad`, whose (co)tangents are sets of reals by number instead of reals.
//!
//! Paper: Vákár and Smeding, Section 11.3; `ad::chad::dependence` makes the program, `eval` runs it. It is of
//! first order. What has no such form, and every run that fails, is left to the tape, which takes all programs
//! and has the messages.

use std::sync::Arc;

use ad::chad::{Way, dependence};
use base::Name;
use eval::{Evaluator, Pattern, Value};
use ir::{Binder, Dialect, Program, Type};

use crate::Stop;
use crate::method::Interpreted;
use crate::on_demand::OnDemand;
use crate::options::Options;
use crate::parts::reaches_derivative;
use crate::pipeline::{Resolved, resolve, verify};
use crate::pipelines::BEFORE_SETS;

/// The pattern of an entry point at these arguments, by the active ones; none if the tape is to find it.
pub(super) fn pattern(
    (program, entry, options): (&Program, &Name, Options),
    (sizes, args): (&[i64], &[Value]),
    active: &[bool],
    stop: &Stop,
) -> Option<Pattern> {
    let resolved = resolved(program, entry, options)?;
    let def = resolved.program.defs.get(&resolved.entry)?;
    let widths = resolved.flattening.widths();
    let active = widths.iter().zip(active).flat_map(|(n, it)| vec![*it; *n]);
    let on: Vec<bool> = active.zip(&def.params).map(|(on, it)| on && has_reals(it)).collect();
    let args = resolved.flattening.arguments(args);
    let (made, name) = dependence(&resolved.program, &resolved.entry, &on, Way::Forward).ok()?;
    verify(&made, Dialect::Delta, "dependence");
    let mut evaluator = Evaluator::new(Arc::new(made), Box::new(OnDemand), options.limits());
    evaluator.stopped_by(stop);
    let values: Vec<Value> =
        args.iter().zip(&on).filter(|it| *it.1).map(|it| it.0.clone()).collect();
    let mut found = evaluator.sets((&name, def.results.len()), sizes, &args, &values).ok()?;
    let mut counts = found.inputs.into_iter();
    let mut each = on.iter().map(|on| if *on { counts.next().unwrap_or(0) } else { 0 });
    found.inputs = widths.iter().map(|n| each.by_ref().take(*n).sum()).collect();
    Some(found)
}

/// The entry point without derivative operators; none if they are recorded as they are met.
fn resolved(program: &Program, entry: &Name, options: Options) -> Option<Resolved> {
    if !reaches_derivative(program, entry) {
        return resolve(BEFORE_SETS, program, entry).ok();
    }
    for method in options.via.tried() {
        match method.interpreted {
            Interpreted::OnDemand(_) => return None,
            Interpreted::Before(steps) => {
                if let Ok(resolved) = resolve(steps, program, entry) {
                    return Some(resolved);
                }
            }
        }
    }
    None
}

fn has_reals(it: &Binder) -> bool {
    *it.ty.split_arrays().1 == Type::Real
}
