//! What becomes of a definition, for people to read: with its pull-back, and with its push-forward.

use base::Name;
use ir::Program;

use super::METHOD;
use crate::bulk::derived::{jvp, vjp};
use crate::bulk::stages::gradient_by;
use crate::bulk::work::Work;
use crate::bulk::{Mode, Refused};

/// The program with the gradient of a definition by these parameters, and what that is called.
pub fn gradient(
    program: &Program,
    def: &Name,
    active: &[bool],
) -> Result<(Program, Name), Refused> {
    gradient_by(program, def, active, Mode::Chad)
}

/// The definition with the pull-back of its body, and with the push-forward, by parameters that are
/// active: titles and texts.
pub fn inside(program: &Program, def: &Name, active: &[bool]) -> Vec<(String, String)> {
    if !program.defs.contains_key(def) {
        return Vec::new();
    }
    let mut work = Work::new(program.clone(), Mode::Chad, METHOD);
    let gradient = vjp(&mut work, def, active);
    let tangent = jvp(&mut work, def, active);
    work.finish_jobs();
    let text = |name: &Name| work.def(name).to_string();
    vec![
        ("values and pull-backs".into(), text(&gradient)),
        ("values and push-forwards".into(), text(&tangent)),
    ]
}
