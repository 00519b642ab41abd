//! What becomes of a definition, for people to read: its Jacobian as let-bound maps, and what follows.
//!
//! Paper: Section 6, the stages of its demonstration.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::rc::Rc;

use base::Name;
use ir::{Program, Type, Var};

use super::Bound;
use super::laws::simplify;
use super::map::Map;
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
        ("Jacobian, simplified".into(), written(&made, simple.iter().map(|it| (*it, &it.simple)))),
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
