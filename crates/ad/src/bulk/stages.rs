//! What becomes of a definition, stage by stage, for people to read.

use std::sync::Arc;

use base::Name;
use ir::{Block, Program, Stmt};

use super::derived::vjp;
use super::work::Work;

/// Titles and texts: the dual program, its Delta term, and the gradient.
pub fn stages(program: &Program, def: &Name, active: &[bool]) -> Vec<(String, String)> {
    let mut work = Work::new(program.clone());
    let Some(def) = work.program.defs.get(def).cloned() else { return Vec::new() };
    let made = work.linearise(&def, active);
    // Figure 18: values and Deltas where they are made, and then apart.
    let mut stmts: Vec<Stmt> = Vec::new();
    let mut term = made.term.stmts.iter().peekable();
    for (at, stmt) in made.primal.stmts.iter().enumerate() {
        let place = |it: &Stmt| it.binders.first().and_then(|it| made.places.get(&it.var)).copied();
        while let Some(delta) = term.next_if(|it| place(it).is_some_and(|it| it <= at)) {
            stmts.push(delta.clone());
        }
        stmts.push(stmt.clone());
    }
    stmts.extend(term.cloned());
    let results = made.primal.results.iter().chain(&made.term.results).cloned().collect();
    let dual = Block { stmts, results };
    let mut whole = ir::Def::clone(&def);
    whole.name = Name::from(format!("{}.dual", def.name));
    whole.params.extend(made.inputs.iter().flatten().cloned());
    whole.body = dual;
    let mut only = whole.clone();
    only.name = Name::from(format!("{}.delta", def.name));
    only.body = made.term.clone();
    let name = vjp(&mut work, &def.name, active);
    work.finish_jobs();
    let gradient = Arc::clone(&work.program.defs[&name]);
    vec![
        ("dual".into(), whole.to_string()),
        ("Delta term".into(), only.to_string()),
        ("gradient".into(), gradient.to_string()),
    ]
}
