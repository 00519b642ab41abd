//! Parts of a program: what an entry point needs, and what stays of it.

use std::collections::BTreeSet;

use base::{Name, Span};
use ir::{
    Binder, Block, CallGraph, ControlOp, Def, DeriveOp, Need, Op, Origin, Program, Type, graph,
    walk,
};

use crate::pass::has_derivative;

/// The program with these definitions alone.
pub(crate) fn part(program: &Program, names: &BTreeSet<Name>) -> Program {
    let own = program.defs.iter().filter(|it| names.contains(it.0));
    let defs = own.map(|(name, def)| (name.clone(), def.clone())).collect();
    let mut customs = program.customs.clone();
    customs.retain(|name, _| names.contains(name));
    Program { datas: program.datas.clone(), defs, customs }
}

/// The definitions of a part that keep what they take and give: those that something outside of it
/// calls or differentiates, and those that other derivatives may be made of.
pub(crate) fn entrances(program: &Program, part: &BTreeSet<Name>, def: &Name) -> Vec<Name> {
    let of_types = part.iter().filter(|it| is_of_type(program, it));
    let mut res: BTreeSet<Name> = of_types.cloned().collect();
    for (_, other) in program.defs.iter().filter(|it| !part.contains(it.0)) {
        res.extend(graph::callees(&other.body).into_iter().map(|it| it.1.clone()));
    }
    for (name, custom) in &program.customs {
        res.extend(
            [Some(name), custom.vjp.as_ref(), custom.jvp.as_ref()].into_iter().flatten().cloned(),
        );
    }
    res.retain(|it| part.contains(it));
    res.insert(def.clone());
    res.into_iter().collect()
}

/// Where compiled code would have to say what it has no words for: anything but numbers and truth values.
pub(crate) fn untold(program: &Program) -> Option<Option<Span>> {
    fn found(def: &Def, block: &Block) -> Option<Option<Span>> {
        block.stmts.iter().find_map(|it| {
            let is_number =
                |it: &Binder| matches!(it.ty.split_arrays().1, Type::Real | Type::Int | Type::Bool);
            match it.binders.first() {
                Some(binder)
                    if matches!(it.op, Op::Derive(DeriveOp::Tell { .. })) && !is_number(binder) =>
                {
                    Some(def.spans.0.get(&binder.var).copied())
                }
                Some(_) | None => walk::blocks(&it.op).iter().find_map(|it| found(def, it.1)),
            }
        })
    }
    program.defs.values().find_map(|it| found(it, &it.body))
}

/// Why it does not.
pub(crate) const UNTOLD: &str = "`trace` or `report` of what is neither number nor truth value";

/// Whether a definition belongs to a type or to a constructor: derivatives that are made later call it.
fn is_of_type(program: &Program, name: &Name) -> bool {
    program.defs.get(name).is_some_and(|it| match it.origin {
        Origin::Data | Origin::Fields(_) | Origin::Cast => true,
        Origin::Source | Origin::Clause | Origin::Derivative => false,
    })
}

/// Whether a definition is differentiated inside of a `build`.
pub(crate) fn is_mapped(program: &Program, def: &Name) -> bool {
    fn inside(block: &Block, def: &Name, built: bool) -> bool {
        block.stmts.iter().any(|stmt| {
            let here =
                matches!(&stmt.op, Op::Derive(DeriveOp::OfDefinition { def: it, .. }) if it == def);
            let built = built || matches!(stmt.op, Op::Control(ControlOp::Build { .. }));
            (here && built) || walk::blocks(&stmt.op).iter().any(|it| inside(it.1, def, built))
        })
    }
    program.defs.values().any(|it| inside(&it.body, def, false))
}

/// Whether a derivative operator is in what an entry point needs.
pub(crate) fn reaches_derivative(program: &Program, entry: &Name) -> bool {
    let names = reachable(program, entry);
    names.iter().filter_map(|it| program.defs.get(it)).any(|it| has_derivative(&it.body))
}

/// The definitions that one needs, and itself.
pub(crate) fn reachable(program: &Program, from: &Name) -> BTreeSet<Name> {
    CallGraph::new(program, &[Need::Call, Need::Clause]).reachable([from])
}
