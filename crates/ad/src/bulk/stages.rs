//! What becomes of a definition, stage by stage, for people to read.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::{Atom, Block, Def, Program, Stmt, Var, walk};

use super::Mode;
use super::code::var_of;
use super::derived::vjp;
use super::dual::Linearised;
use super::work::Work;

/// A definition on its way to its gradient.
pub struct Stages {
    /// Titles and texts.
    pub texts: Vec<(String, String)>,
    /// The program with the gradient in it, not simplified.
    pub program: Program,
    /// What the gradient is called there.
    pub gradient: Name,
}

/// The dual program, its Delta term, and the gradient, of a definition with parameters that are active.
pub fn stages(program: &Program, def: &Name, active: &[bool]) -> Option<Stages> {
    let mut work = Work::new(program.clone(), Mode::Mixed);
    let def = work.program.defs.get(def)?.clone();
    let made = work.linearise(&def, active);
    let dual = shown(&made, ".dual", interleaved(&made));
    let term = shown(&made, ".delta", made.term.clone());
    let gradient = vjp(&mut work, &def.name, active);
    work.finish_jobs();
    let whole = work.program.defs[&gradient].clone();
    let texts = vec![
        // Figure 18: values and Deltas where they are made, and then apart.
        ("dual".into(), dual.to_string()),
        ("Delta term".into(), term.to_string()),
        ("gradient with sharing".into(), shared(&made, &whole)),
        ("gradient with lets".into(), whole.to_string()),
    ];
    Some(Stages { texts, program: work.program, gradient })
}

/// The definition with another body, which may mention the Deltas of the parameters.
fn shown(made: &Linearised, suffix: &str, body: Block) -> Def {
    let mut def = Def::clone(&made.def);
    def.name = Name::from(format!("{}{suffix}", def.name));
    def.params.extend(made.inputs.iter().flatten().cloned());
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
/// used more than once is `share`d. Statements with blocks keep their variables.
fn shared(made: &Linearised, whole: &Def) -> String {
    let own: BTreeSet<Var> =
        made.primal.stmts.iter().flat_map(|it| &it.binders).map(|it| it.var).collect();
    let own: Vec<&Stmt> =
        whole.body.stmts.iter().filter(|it| !own.contains(&it.binders[0].var)).collect();
    let results = &whole.body.results[made.def.results.len()..];
    let mut print = Print { stmts: BTreeMap::new(), uses: BTreeMap::new(), known: BTreeMap::new() };
    for stmt in &own {
        walk::free_vars_op(&stmt.op)
            .into_iter()
            .for_each(|it| *print.uses.entry(it).or_default() += 1);
        if stmt.binders.len() == 1 && walk::blocks(&stmt.op).is_empty() {
            print.stmts.insert(stmt.binders[0].var, stmt);
        }
    }
    results.iter().filter_map(var_of).for_each(|it| *print.uses.entry(it).or_default() += 1);
    let mut res = String::new();
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

struct Print<'a> {
    stmts: BTreeMap<Var, &'a Stmt>,
    uses: BTreeMap<Var, usize>,
    /// The number of what is shared.
    known: BTreeMap<Var, usize>,
}

impl Print<'_> {
    fn atom(&mut self, atom: &Atom) -> String {
        let Some(stmt) = var_of(atom).and_then(|it| self.stmts.get(&it)).copied() else {
            return atom.to_string();
        };
        let var = stmt.binders[0].var;
        if let Some(number) = self.known.get(&var) {
            return format!("(share {number})");
        }
        let text = self.term(stmt);
        if self.uses.get(&var).is_none_or(|it| *it < 2) {
            return format!("({text})");
        }
        let number = self.known.len() + 1;
        self.known.insert(var, number);
        format!("(share {number} ({text}))")
    }

    /// The operation with terms in the place of its variables.
    fn term(&mut self, stmt: &Stmt) -> String {
        let text = stmt.op.to_string();
        let mut res = String::new();
        for word in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
            let end = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            let number = end.strip_prefix('x').and_then(|it| it.parse().ok());
            match number {
                Some(number) => {
                    res += &self.atom(&Atom::Var(Var(number)));
                    res += &word[end.len()..];
                }
                None => res += word,
            }
        }
        res
    }
}
