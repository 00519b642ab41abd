//! What a pipeline makes of a definition, pass by pass, as text.

use std::sync::Arc;

use base::Name;
use ir::{Dialect, Program};

use crate::pass::{Pass, Unit};
use crate::pipeline::Event;

/// The text so far.
pub(crate) struct Dump {
    pub(crate) text: String,
    /// The definition that it is about.
    pub(crate) def: Name,
    /// Stands behind the first title.
    pub(crate) note: String,
    /// The program before the pass that runs.
    before: Program,
    /// The definition that the pass that runs is about.
    at: Name,
}

impl Dump {
    pub(crate) fn new(program: &Program, def: &Name) -> Dump {
        let (before, at) = (program.clone(), def.clone());
        Dump { text: String::new(), def: def.clone(), note: String::new(), before, at }
    }

    /// Notes what a runner tells.
    pub(crate) fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Begins(pass, unit) => {
                (self.before, self.at) = (unit.program.clone(), unit.at.clone());
                for (title, text) in pass.inside.map(|it| it(unit)).unwrap_or_default() {
                    self.section(&title, &text);
                }
            }
            Event::Ends(pass, unit) => self.ends(pass, unit),
        }
    }

    /// Definitions that a pass made or changed; of the others it says the names, unless it gives a source
    /// program, most of which is nobody's business.
    fn ends(&mut self, pass: &Pass, unit: &Unit) {
        let of = if self.at == self.def { String::new() } else { format!(" of `{}`", self.at) };
        let is_as_before =
            |name: &Name, def| self.before.defs.get(name).is_some_and(|it| is_same(it, def));
        let mut text = String::new();
        let mut as_before: Vec<&str> = Vec::new();
        for (name, def) in &unit.program.defs {
            if is_as_before(name, def) {
                as_before.push(name);
            } else {
                text += &format!("{def}\n");
            }
        }
        let is_whole = matches!(pass.to, Dialect::Source | Dialect::Delta);
        if !is_whole && !as_before.is_empty() {
            text += &format!("(as before: {})\n", as_before.join(", "));
        }
        self.section(&format!("{}{of}: {}", pass.name, pass.about), &text);
    }

    /// What a program is on its way to loops: items, plan and schedule of every block, then the nests, then
    /// what passes on loops make of them.
    pub(crate) fn lowered(&mut self, unit: &Unit, of: &str) -> loops::Module {
        let stages = lower::stages(&unit.program, std::slice::from_ref(&unit.at), None);
        for lower::Shown { place, items, plan, schedule } in &stages.stretches {
            let parts = [("items", items), ("plan", plan), ("schedule", schedule)];
            for (title, text) in parts.into_iter().filter(|it| !it.1.is_empty()) {
                self.section(&format!("{title}{of}: {place}"), text);
            }
        }
        self.section(&format!("nests{of}"), &stages.nests.to_string());
        self.section(&format!("loops{of}"), &stages.loops.to_string());
        stages.loops
    }

    /// A title and a text.
    pub(crate) fn section(&mut self, title: &str, text: &str) {
        let note = std::mem::take(&mut self.note);
        self.text += &format!("\n-- {title}{note}\n");
        if !text.trim().is_empty() {
            self.text += &format!("{}\n", text.trim_end());
        }
    }
}

fn is_same(one: &Arc<ir::Def>, other: &Arc<ir::Def>) -> bool {
    Arc::ptr_eq(one, other) || one == other
}
