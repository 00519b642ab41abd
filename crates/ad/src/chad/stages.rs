//! What becomes of a definition, for people to read: with its pull-back, and with its push-forward.

use base::Name;
use ir::Program;

use super::METHOD;
use crate::bulk::derived::{jvp, vjp};
use crate::bulk::work::Work;
use crate::bulk::{Mode, Stages};

/// The definition with the pull-back of its body, and with the push-forward, by parameters that are
/// active; nothing is simplified.
pub fn stages(program: &Program, def: &Name, active: &[bool]) -> Option<Stages> {
    program.defs.get(def)?;
    let mut work = Work::new(program.clone(), Mode::Chad, METHOD);
    let gradient = vjp(&mut work, def, active);
    let tangent = jvp(&mut work, def, active);
    work.finish_jobs();
    let text = |name: &Name| work.def(name).to_string();
    let texts = vec![
        ("values and pull-backs".into(), text(&gradient)),
        ("values and push-forwards".into(), text(&tangent)),
    ];
    Some(Stages { texts, program: work.into_program(), gradient })
}
