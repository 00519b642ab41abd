//! What becomes of a definition, for people to read: its Jacobian as let-bound maps, and what follows.
//!
//! Paper: Section 6, the stages of its demonstration.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;

use base::Name;
use ir::{Block, Program, Type, Var, walk};

use super::Bound;
use super::laws::simplify;
use super::map::Map;
use super::paths::{Form, form, paths};
use super::places::{self, places};
use super::rules::Maps;
use crate::bulk::apart;
use crate::bulk::derived::jvp;
use crate::bulk::stages::gradient_by;
use crate::bulk::work::Work;
use crate::bulk::{Mode, Refused, method};
use crate::linear::code::var_of;
use crate::linear::term::Linearised;

/// The program with the gradient of a definition by these parameters, and what that is called.
pub fn gradient(
    program: &Program,
    def: &Name,
    active: &[bool],
) -> Result<(Program, Name), Refused> {
    gradient_by(program, def, active, Mode::Maps)
}

/// What the gradient of a definition goes through inside: titles and texts.
pub fn inside(program: &Program, def: &Name, active: &[bool]) -> Vec<(String, String)> {
    let mut work = Work::new(program.clone(), Mode::Maps, method(Mode::Maps));
    let Some(def) = work.code.program().defs.get(def).cloned() else { return Vec::new() };
    let maps = Rc::new(Maps::default());
    let made = apart::linearise(&mut work, &def, active, maps.clone());
    let forward = jvp(&mut work, &def.name, active);
    work.finish_jobs();
    let bound = maps.bound.borrow();
    let simple = needed(&made, &bound);
    vec![
        ("Jacobian".into(), written(&made, bound.iter().map(|it| (it, &it.map)))),
        ("Jacobian, simplified".into(), simplified(&made, &bound)),
        ("Jacobian, its structure".into(), structure(work.code.program(), &made)),
        ("forward derivative".into(), work.code.program().defs[&forward].to_string()),
        ("transposed Jacobian".into(), transposed(&made, &simple)),
    ]
}

/// The maps of inputs, then those of statements, one line each.
fn written<'a>(made: &Linearised, maps: impl Iterator<Item = (&'a Bound, &'a Map)>) -> String {
    let mut res = inputs(made);
    for (bound, map) in maps {
        writeln!(res, "{} = {map}    (d{})", bound.name, bound.var).expect("a string");
    }
    res + &results(made)
}

/// The maps that are left after the laws, those inside of loops and branches in the place of their block.
fn simplified(made: &Linearised, bound: &[Bound]) -> String {
    let bound: BTreeMap<Var, &Bound> = bound.iter().map(|it| (it.name, it)).collect();
    let mut res = inputs(made);
    write_block(&mut res, &made.term, &bound, 0);
    res + &results(made)
}

fn write_block(res: &mut String, block: &Block, bound: &BTreeMap<Var, &Bound>, depth: usize) {
    let indent = "  ".repeat(depth);
    for stmt in &block.stmts {
        let found = stmt.binders.first().and_then(|it| bound.get(&it.var));
        if let Some(Bound { var, name, simple, .. }) = found {
            writeln!(res, "{indent}{name} = {simple}    (d{var})").expect("a string");
            continue;
        }
        let blocks = walk::blocks(&stmt.op);
        if blocks.is_empty() {
            continue;
        }
        let text = stmt.to_string();
        let head = text.lines().next().unwrap_or_default();
        writeln!(res, "{indent}{head}").expect("a string");
        for (_, inner) in blocks {
            write_block(res, inner, bound, depth + 1);
            let given: Vec<String> = inner.results.iter().map(ToString::to_string).collect();
            writeln!(res, "{indent}  give V({})", given.join(", ")).expect("a string");
        }
        writeln!(res, "{indent}}}").expect("a string");
    }
}

/// The matrix, one sign for each block: a line for each result, and a column for each parameter.
fn structure(program: &Program, made: &Linearised) -> String {
    let (found, seen) = (paths(made), places(program, &made.def.name));
    let inputs = made.inputs.iter().enumerate().filter(|it| it.1.is_some());
    let inputs: Vec<usize> = inputs.map(|it| it.0).collect();
    let mut res = String::from("   ");
    for at in &inputs {
        write!(res, " {:>3}", made.def.params[*at].var.to_string()).expect("a string");
    }
    res.push('\n');
    for (row, paths) in found.iter().enumerate() {
        write!(res, "r{row:<2}").expect("a string");
        for at in &inputs {
            let rank = made.def.results[row].ty.split_arrays().0.len();
            let along = seen[row].of(*at);
            let form = form(paths.as_ref(), *at).min(places::form(rank, along.as_deref()));
            let sign = match form {
                Form::Zero => '.',
                Form::Diagonal => '\\',
                Form::Sparse => ':',
                Form::Full => '#',
            };
            write!(res, " {sign:>3}").expect("a string");
        }
        res.push('\n');
    }
    res + "(. zero, \\ diagonal, : a few in each row, # full)\n"
}

/// Each input is one of the space of inputs.
fn inputs(made: &Linearised) -> String {
    let mut res = String::new();
    let names: Vec<Var> = made.inputs.iter().flatten().map(|it| it.var).collect();
    for (at, name) in names.iter().enumerate() {
        let parts = (0..names.len()).map(|it| if it == at { "1" } else { "0" });
        let map = match names.len() {
            1 => "1".to_string(),
            _ => format!("H({})", parts.collect::<Vec<&str>>().join(", ")),
        };
        writeln!(res, "{name} = {map}").expect("a string");
    }
    res
}

fn results(made: &Linearised) -> String {
    let names: Vec<String> = made.term.results.iter().map(ToString::to_string).collect();
    format!("give V({})\n", names.join(", "))
}

/// The maps that results need, of those that are bound outside of loops and branches; what these bind
/// is in the Delta term.
fn needed<'a>(made: &Linearised, bound: &'a [Bound]) -> Vec<&'a Bound> {
    let kept: BTreeSet<Var> =
        made.term.stmts.iter().flat_map(|it| &it.binders).map(|it| it.var).collect();
    bound.iter().filter(|it| kept.contains(&it.name)).collect()
}

/// The transposed maps, the last one first: what each contributes to the cotangents of its operands.
fn transposed(made: &Linearised, bound: &[&Bound]) -> String {
    let mut res = String::new();
    for (result, atom) in made.term.results.iter().enumerate() {
        if let Some(var) = var_of(atom) {
            writeln!(res, "b{var} += r{result}").expect("a string");
        }
    }
    for it in bound.iter().rev() {
        let whole = std::slice::from_ref(&it.simple);
        let parts = if let Map::Sum(parts) = &it.simple { parts } else { whole };
        for part in parts {
            let (map, operands) = apart_from_operands(part);
            let map = simplify(&|_| None, &Map::Transpose(Type::Real, Box::new(map)), &Type::Real);
            let operands: Vec<String> = operands.iter().map(|it| format!("b{it}")).collect();
            writeln!(res, "{} += {map} @ b{}", operands.join(", "), it.name).expect("a string");
        }
    }
    res
}

/// The map without the names it is applied to first, and these.
fn apart_from_operands(map: &Map) -> (Map, Vec<Var>) {
    if let Map::Compose(outer, inner) = map {
        let (rest, operands) = apart_from_operands(inner);
        let outer = outer.as_ref().clone();
        return (if rest == Map::One { outer } else { outer.after(rest) }, operands);
    }
    let var = |it: &Map| if let Map::Var(var) = it { Some(*var) } else { None };
    if let Map::VCat(parts) = map {
        return (Map::One, parts.iter().filter_map(var).collect());
    }
    match var(map) {
        Some(var) => (Map::One, vec![var]),
        None => (map.clone(), Vec::new()),
    }
}
