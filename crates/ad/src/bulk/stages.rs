//! What becomes of a definition, stage by stage, for people to read.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::{Atom, Binder, Block, Def, Program, Stmt, Var, walk};

use super::derived::vjp;
use super::work::Work;
use super::{Mode, Refused};
use crate::linear::code::var_of;
use crate::linear::term::Linearised;

/// The program with the gradient of a definition by these parameters, and what that is called.
pub fn gradient(
    program: &Program,
    def: &Name,
    active: &[bool],
) -> Result<(Program, Name), Refused> {
    gradient_by(program, def, active, Mode::Mixed)
}

/// The program with the gradient of a definition, which is computed in this mode, and what that is called.
pub(crate) fn gradient_by(
    program: &Program,
    def: &Name,
    active: &[bool],
    mode: Mode,
) -> Result<(Program, Name), Refused> {
    let mut work = Work::new(program.clone(), mode, super::method(mode));
    let gradient = vjp(&mut work, def, active);
    work.finish_jobs();
    match work.refused.take() {
        Some(refused) => Err(refused),
        None => Ok((work.into_program(), gradient)),
    }
}

/// What the gradient of a definition goes through inside: titles and texts.
pub fn inside(program: &Program, def: &Name, active: &[bool]) -> Vec<(String, String)> {
    let mut work = Work::new(program.clone(), Mode::Mixed, super::method(Mode::Mixed));
    let Some(def) = work.code.program().defs.get(def).cloned() else { return Vec::new() };
    let made = work.linearise(&def, active);
    let gradient = vjp(&mut work, &def.name, active);
    work.finish_jobs();
    let whole = work.code.program().defs[&gradient].clone();
    vec![
        // Figure 18: values and Deltas where they are made, and then apart.
        ("dual".into(), shown(&made, ".dual", interleaved(&made)).to_string()),
        ("Delta term".into(), shown(&made, ".delta", made.term.clone()).to_string()),
        ("gradient with sharing".into(), shared(&made, &whole)),
    ]
}

/// The definition with another body, which takes the Deltas of the parameters, and what else it needs.
fn shown(made: &Linearised, suffix: &str, body: Block) -> Def {
    let mut def = Def::clone(&made.def);
    def.name = Name::from(format!("{}{suffix}", def.name));
    def.params.extend(made.inputs.iter().flatten().cloned());
    let known: BTreeSet<Var> =
        def.size_params.iter().copied().chain(def.params.iter().map(|it| it.var)).collect();
    let mut needed = walk::free_vars_block(&body);
    let values: Vec<&Binder> = made.primal.stmts.iter().flat_map(|it| &it.binders).collect();
    for value in values.iter().rev() {
        if needed.contains(&value.var) {
            needed.extend(value.ty.size_vars());
        }
    }
    let values = values.into_iter().filter(|it| needed.contains(&it.var));
    def.params.extend(values.filter(|it| !known.contains(&it.var)).cloned());
    def.body = body;
    def.next_var = walk::next_var(&def);
    def
}

fn interleaved(made: &Linearised) -> Block {
    let mut stmts: Vec<Stmt> = Vec::new();
    let mut term = made.term.stmts.iter().peekable();
    let place = |it: &Stmt| it.binders.first().and_then(|it| made.places.get(&it.var)).copied();
    for (at, stmt) in made.primal.stmts.iter().enumerate() {
        while let Some(delta) = term.next_if(|it| place(it).is_some_and(|it| it <= at)) {
            stmts.push(delta.clone());
        }
        stmts.push(stmt.clone());
    }
    stmts.extend(term.cloned());
    let results = made.primal.results.iter().chain(&made.term.results).cloned().collect();
    Block { stmts, results }
}

/// The cotangents of the parameters as terms, the way the paper writes them below Figure 19: what is
/// used more than once is `share`d. The values of the definition and statements with blocks keep their
/// variables.
fn shared(made: &Linearised, whole: &Def) -> String {
    let own: BTreeSet<Var> =
        made.primal.stmts.iter().flat_map(|it| &it.binders).map(|it| it.var).collect();
    let own: Vec<&Stmt> =
        whole.body.stmts.iter().filter(|it| !own.contains(&it.binders[0].var)).collect();
    let results = &whole.body.results[made.def.results.len()..];
    let mut print = Print::default();
    for stmt in &own {
        if stmt.binders.len() == 1 && walk::blocks(&stmt.op).is_empty() {
            // Every mention is a use: in `x + x` there are two, and each would be written out.
            let text = stmt.op.to_string();
            words(&text).filter_map(|it| it.0).for_each(|it| print.count(it));
            print.stmts.insert(stmt.binders[0].var, text);
        } else {
            walk::free_vars_op(&stmt.op).into_iter().for_each(|it| print.count(it));
        }
    }
    results.iter().filter_map(var_of).for_each(|it| print.count(it));
    let mut res = head(whole);
    made.primal.stmts.iter().for_each(|it| res += &format!("{it}\n"));
    for stmt in &own {
        if !print.stmts.contains_key(&stmt.binders[0].var) {
            res += &format!("{stmt}\n");
        }
    }
    let inputs = made.def.params.iter().zip(&made.inputs).filter(|it| it.1.is_some());
    for ((param, _), result) in inputs.zip(results) {
        res += &format!("{} -> {}\n", param.var, print.atom(result));
    }
    res
}

/// What a definition takes, as a line.
fn head(def: &Def) -> String {
    let sizes = def.size_params.iter().map(|it| format!("{it}: Int"));
    let params = def.params.iter().map(|it| format!("{}: {}", it.var, it.ty));
    format!("given {}\n", sizes.chain(params).collect::<Vec<_>>().join(", "))
}

#[derive(Default)]
struct Print {
    /// The operations that are written in place of their variables.
    stmts: BTreeMap<Var, String>,
    /// How often each variable is mentioned.
    uses: BTreeMap<Var, usize>,
    /// The number of what is shared.
    known: BTreeMap<Var, usize>,
}

impl Print {
    fn count(&mut self, var: Var) {
        *self.uses.entry(var).or_default() += 1;
    }

    fn atom(&mut self, atom: &Atom) -> String {
        match var_of(atom) {
            Some(var) => self.var(var),
            None => atom.to_string(),
        }
    }

    fn var(&mut self, var: Var) -> String {
        if let Some(number) = self.known.get(&var) {
            return format!("(share {number})");
        }
        // Each is written once: what is mentioned again is known by then.
        let Some(text) = self.stmts.remove(&var) else { return var.to_string() };
        let text = self.term(&text);
        if self.uses.get(&var).is_none_or(|it| *it < 2) {
            return format!("({text})");
        }
        let number = self.known.len() + 1;
        self.known.insert(var, number);
        format!("(share {number} ({text}))")
    }

    /// The operation with terms in the place of its variables.
    fn term(&mut self, text: &str) -> String {
        let mut res = String::new();
        for (var, word) in words(text) {
            match var {
                Some(var) => {
                    res += &self.var(var);
                    res += word.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
                }
                None => res += word,
            }
        }
        res
    }
}

/// The words of a text, each with what separates it from the next, and which variable it is.
fn words(text: &str) -> impl Iterator<Item = (Option<Var>, &str)> {
    text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()).map(|word| {
        let end = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        (end.strip_prefix('x').and_then(|it| it.parse().ok()).map(Var), word)
    })
}
