//! Method `bulk`: an entry point as a program without derivative operators, made once.
//!
//! The order of its passes: specialise (functions and types become known), flatten (tuples are gone),
//! inline (small definitions stand where they were called), `ad::bulk::resolve` (derivatives become
//! definitions, from the inside out; it asks for each of them to be brought into the form that it
//! differentiates), and once more that form for the whole.

use std::collections::BTreeSet;

use ad::bulk::{Mode, Refused};
use base::Name;
use ir::{Block, ControlOp, DeriveOp, Dialect, FunctionOp, Op, Origin, Program, walk};
use opt::Exactness;

use crate::pipeline;
use crate::spread::Spread;

/// An entry point, compiled.
pub(crate) struct Bulk {
    /// The program without derivative operators.
    pub(crate) program: Program,
    pub(crate) entry: Name,
    pub(crate) spread: Spread,
}

/// Compiles an entry point.
pub(crate) fn compile(program: &Program, entry: &Name, mode: Mode) -> Result<Bulk, Refused> {
    let flat = first_order(program, entry)?;
    let spread = Spread::new(&flat, entry);
    let program = opt::bot(&resolved(flat.program, entry, mode)?);
    pipeline::verify_as(&program, Dialect::Bulk, "bot");
    let program = simplified(&program, std::slice::from_ref(entry));
    Ok(Bulk { program, entry: entry.clone(), spread })
}

/// The title of loop nests.
pub(crate) const LOOPS: &str = "loops";

/// What becomes of a definition that is differentiated by all its parameters: titles and texts.
pub(crate) fn stages(
    source: &Program,
    def: &Name,
    mode: Mode,
) -> Result<Vec<(String, String)>, Refused> {
    let flat = first_order(source, def)?.program;
    let mut res = vec![("specialised".to_string(), flat.to_string())];
    let program = opt::bot(&resolved(flat, def, mode)?);
    res.push(("after BOT".to_string(), program.to_string()));
    let program = prepared(program);
    let active = vec![true; program.defs.get(def).map_or(0, |it| it.params.len())];
    let made = match mode {
        Mode::Mixed | Mode::Forward => ad::bulk::stages(&program, def, &active),
        Mode::Chad => ad::chad::stages(&program, def, &active),
    };
    let Some(made) = made else { return Ok(res) };
    res.extend(made.texts);
    let simple = opt::bot(&made.program);
    let simple = simplified(&simple, std::slice::from_ref(&made.gradient));
    res.push(("simplified".to_string(), simple.to_string()));
    // What the native back end runs, with what each loop computes and moves in a step.
    let loops = |program: &Program, entry: &Name| loops_of(program, entry, None).to_string();
    let own = compile(source, def, mode)?;
    res.push((LOOPS.to_string(), loops(&own.program, &own.entry)));
    res.push((format!("{LOOPS} of the gradient"), loops(&simple, &made.gradient)));
    Ok(res)
}

/// The loop nests of an entry point; they are arranged for the typical sizes, if any are given.
pub(crate) fn loops_of(program: &Program, entry: &Name, typical: Option<&[i64]>) -> loops::Module {
    let program = opt::recompute(&joined(program, entry));
    pipeline::verify_as(&program, Dialect::Bulk, "recompute");
    lower::lower(&program, std::slice::from_ref(entry), typical)
}

/// The same without putting loops together: for what is done soon in any case.
pub(crate) fn plain_loops_of(program: &Program, entry: &Name) -> loops::Module {
    lower::lower(program, std::slice::from_ref(entry), None)
}

/// What the entry point needs, in first order and without tuples.
pub(crate) fn first_order(program: &Program, entry: &Name) -> Result<opt::Flat, Refused> {
    let special = opt::specialise(program, entry).map_err(refused)?;
    pipeline::verify_as(&special, Dialect::FirstOrder, "specialise");
    let flat = opt::flatten(&special, entry).map_err(refused)?;
    pipeline::verify_as(&flat.program, Dialect::FirstOrder, "flatten");
    let flat = opt::Flat { program: opt::inline(&flat.program, entry), ..flat };
    pipeline::verify_as(&flat.program, Dialect::FirstOrder, "inline");
    Ok(flat)
}

/// The same without derivative operators.
pub(crate) fn resolved(program: Program, entry: &Name, mode: Mode) -> Result<Program, Refused> {
    let mut program = ad::bulk::resolve(program, entry, mode, &mut with_prepared)?;
    // Nothing is differentiated any more.
    program.customs.clear();
    pipeline::verify_as(&program, Dialect::FirstOrder, "resolve");
    if program.defs.values().any(|it| has_derivative(&it.body)) {
        let reason = "a derivative operator is left".to_string();
        return Err(Refused { span: None, reason });
    }
    Ok(program)
}

/// The program with a definition, and all that it calls, as operations on whole arrays, simplified.
fn with_prepared(program: Program, def: &Name) -> Program {
    let names = reachable(&program, def);
    let own = program.defs.iter().filter(|it| names.contains(it.0));
    let own = own.map(|(name, def)| (name.clone(), def.clone())).collect();
    let mut customs = program.customs.clone();
    customs.retain(|name, _| names.contains(name));
    let part = Program { datas: program.datas.clone(), defs: own, customs };
    let part = match () {
        () if is_mapped(&program, def) => straight(&part, &entrances(&program, &names, def), def),
        () if names.iter().any(|it| is_derived(&program, it)) => {
            written_out(&part, &entrances(&program, &names, def))
        }
        () => part,
    };
    let part = prepared(part);
    let mut program = program;
    // What is gone was written out, and nothing else calls it.
    program.defs.retain(|name, _| !names.contains(name));
    program.defs.extend(part.defs);
    program
}

/// The definitions of a part that keep what they take and give: those that something outside of it
/// calls or differentiates, and those that other derivatives may be made of.
fn entrances(program: &Program, part: &BTreeSet<Name>, def: &Name) -> Vec<Name> {
    let of_types = part.iter().filter(|it| is_of_type(program, it));
    let mut res: BTreeSet<Name> = of_types.cloned().collect();
    for (_, other) in program.defs.iter().filter(|it| !part.contains(it.0)) {
        uses(&other.body, &mut |it| {
            res.insert(it.clone());
        });
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

/// Whether a definition belongs to a type or to a constructor: derivatives that are made later call it.
fn is_of_type(program: &Program, name: &Name) -> bool {
    program.defs.get(name).is_some_and(|it| match it.origin {
        Origin::Data | Origin::Fields(_) | Origin::Cast => true,
        Origin::Source | Origin::Clause | Origin::Derivative => false,
    })
}

/// A definition that is differentiated at many points, with calls and cheap branches written out: what
/// they would remember for each point is no value of a sum type then.
fn straight(part: &Program, entrances: &[Name], def: &Name) -> Program {
    let res = opt::choose(&written_out(part, entrances), def);
    pipeline::verify_as(&res, Dialect::Bulk, "choose");
    res
}

/// A definition that is made of derivatives, with their calls written out. By a call, the derivative of
/// a derivative would go through all of its results, wanted or not, and would save for each of them:
/// every order would be several times as large as the one before.
fn written_out(part: &Program, entrances: &[Name]) -> Program {
    let part = opt::bot(part);
    let res = opt::join(&part, entrances, &exactness(&part));
    pipeline::verify_as(&res, Dialect::Bulk, "join");
    res
}

/// Whether a definition is differentiated inside of a `build`.
fn is_mapped(program: &Program, def: &Name) -> bool {
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

/// Operations on whole arrays instead of `build`, and simplified; all definitions keep what they take
/// and give.
fn prepared(program: Program) -> Program {
    let program = opt::bot(&program);
    pipeline::verify_as(&program, Dialect::Bulk, "bot");
    let names: Vec<Name> = program.defs.keys().cloned().collect();
    simplified(&program, &names)
}

/// The same with calls written out that would keep loops apart.
fn joined(program: &Program, entry: &Name) -> Program {
    let program = opt::join(program, std::slice::from_ref(entry), &exactness(program));
    pipeline::verify_as(&program, Dialect::Bulk, "join");
    program
}

/// Derivatives may be simplified up to rounding, what the user wrote not.
fn simplified(program: &Program, entries: &[Name]) -> Program {
    let program = opt::simplify_by(program, entries, &exactness(program));
    pipeline::verify_as(&program, Dialect::Bulk, "simplify");
    program
}

/// How exact each definition of a program stays.
fn exactness(program: &Program) -> impl Fn(&Name) -> Exactness {
    |name| if is_derived(program, name) { Exactness::UpToRounding } else { Exactness::Bits }
}

/// Whether it is a derivative or a part of one, clauses included.
fn is_derived(program: &Program, name: &Name) -> bool {
    program.defs.get(name).is_some_and(|it| it.origin != Origin::Source)
}

fn refused(refusal: opt::Refusal) -> Refused {
    Refused { span: refusal.span, reason: refusal.reason.to_string() }
}

/// Whether a derivative operator is in what an entry point needs.
pub(crate) fn reaches_derivative(program: &Program, entry: &Name) -> bool {
    let names = reachable(program, entry);
    names.iter().filter_map(|it| program.defs.get(it)).any(|it| has_derivative(&it.body))
}

/// The definitions that one needs, and itself.
fn reachable(program: &Program, from: &Name) -> BTreeSet<Name> {
    let mut seen = BTreeSet::from([from.clone()]);
    let mut open = vec![from.clone()];
    while let Some(name) = open.pop() {
        let Some(def) = program.defs.get(&name) else { continue };
        let mut add = |it: &Name| {
            if seen.insert(it.clone()) {
                open.push(it.clone());
            }
        };
        calls(&def.body, &mut add);
        let custom = program.customs.get(&name).into_iter();
        custom.flat_map(|it| [&it.vjp, &it.jvp]).flatten().for_each(add);
    }
    seen
}

fn calls(block: &Block, found: &mut dyn FnMut(&Name)) {
    for stmt in &block.stmts {
        if let Op::Function(FunctionOp::Call { def, .. }) = &stmt.op {
            found(def);
        }
        walk::blocks(&stmt.op).into_iter().for_each(|it| calls(it.1, found));
    }
}

/// What a block calls and differentiates.
fn uses(block: &Block, found: &mut dyn FnMut(&Name)) {
    for stmt in &block.stmts {
        if let Op::Function(FunctionOp::Call { def, .. })
        | Op::Derive(DeriveOp::OfDefinition { def, .. }) = &stmt.op
        {
            found(def);
        }
        walk::blocks(&stmt.op).into_iter().for_each(|it| uses(it.1, found));
    }
}

fn has_derivative(block: &Block) -> bool {
    let inside = |op| walk::blocks(op).iter().any(|it| has_derivative(it.1));
    let is_derivative = |op: &Op| {
        matches!(op, Op::Derive(DeriveOp::OfFunction { .. } | DeriveOp::OfDefinition { .. }))
    };
    block.stmts.iter().any(|it| is_derivative(&it.op) || inside(&it.op))
}

#[cfg(test)]
mod tests {
    use base::SourceMap;

    use super::*;

    /// The statements of the program that computes a derivative.
    fn size(text: &str) -> usize {
        let front = pipeline::front(&mut SourceMap::new(), "program.cot", text);
        let program = front.unwrap_or_else(|it| panic!("{it:?}")).checked.program;
        let bulk = compile(&program, &Name::new("main"), Mode::Mixed);
        opt::n_statements(&bulk.unwrap_or_else(|it| panic!("{}", it.reason)).program)
    }

    /// A fold whose step is a fold whose step is a fold, and so on, over what a derivative operator does.
    fn nested(operator: &str, depth: usize) -> usize {
        let step = "s * a + sin(s)".to_string();
        let body = (0..depth).fold(step, |it, _| format!("fold(\\s, a => {it}, s, x)"));
        size(&format!(
            "def f(s: Real, x: [n]Real): Real = {body}
            def main(x: [n]Real): [n]Real = {operator}(\\x => f(1.0, x))(x)"
        ))
    }

    /// Each fold was differentiated several times by transformations that unroll what is inside of it:
    /// a factor for each depth. Here it is a summand.
    #[test]
    fn nested_folds_do_not_blow_the_gradient_up() {
        let sizes: Vec<usize> = (1..=4).map(|it| nested("grad", it)).collect();
        assert!(sizes[3] <= 4 * sizes[0], "{sizes:?}");
    }

    /// The n-th derivative of a function, each order by `grad` of the one before.
    fn order(n: usize, function: &str) -> usize {
        let nested = (0..n).fold(function.to_string(), |it, _| format!("grad(\\x => {it}(x))"));
        size(&format!("def main(x: Real): Real = {nested}(x)"))
    }

    /// Each order was about five times as large as the one before: it called the derivative before it,
    /// and went through all that this computes besides, the values of all lower orders.
    #[test]
    fn an_order_more_is_not_five_times_as_large() {
        let sizes: Vec<usize> = (1..=8).map(|it| order(it, "sin")).collect();
        assert!(sizes.iter().all(|it| *it <= 8), "{sizes:?}");
        let product = "(\\x => x * sin(x) * exp(-x * x))";
        let sizes: Vec<usize> = (1..=6).map(|it| order(it, product)).collect();
        assert!(sizes.windows(2).all(|it| 2 * it[1] <= 5 * it[0]), "{sizes:?}");
    }
}
