//! Runs pipelines: verifies after every pass (in debug builds), and tells whoever watches.

use ad::bulk::Refused;
use base::Name;
use ir::{Binder, Block, Def, Dialect, Op, Program, Stmt, Type, walk};
use opt::Checkpoints;

use crate::flattening::Flattening;
use crate::parts;
use crate::pass::{Pass, Unit, is_derived};
use crate::pipelines::{ARRANGE, DRAFT, InsideOut, Step};

/// What a runner tells.
pub enum Event<'a> {
    /// A pass is about to run.
    Begins(&'static Pass, &'a Unit),
    /// It has run.
    Ends(&'static Pass, &'a Unit),
}

/// Who is told.
pub type Watch<'a> = dyn FnMut(Event<'_>) + 'a;

/// An entry point without derivative operators.
pub(crate) struct Resolved {
    pub(crate) program: Program,
    pub(crate) entry: Name,
    pub(crate) flattening: Flattening,
}

/// Runs a pipeline.
pub fn run(steps: &[Step], unit: Unit, watch: &mut Watch<'_>) -> Result<Unit, Refused> {
    steps.iter().try_fold(unit, |unit, step| run_step(step, unit, watch))
}

/// Runs a pass.
pub fn run_pass(pass: &'static Pass, unit: Unit, watch: &mut Watch<'_>) -> Result<Unit, Refused> {
    watch(Event::Begins(pass, &unit));
    let unit = (pass.run)(unit)?;
    verify(&unit.program, pass.to, pass.name);
    watch(Event::Ends(pass, &unit));
    Ok(unit)
}

fn run_step(step: &Step, unit: Unit, watch: &mut Watch<'_>) -> Result<Unit, Refused> {
    match step {
        Step::Run(pass) => run_pass(pass, unit, watch),
        Step::IfNew(pass, then) => {
            let before = unit.program.clone();
            let unit = run_pass(pass, unit, watch)?;
            if unit.program == before { Ok(unit) } else { run(then, unit, watch) }
        }
        Step::Unless(dialect, steps) => {
            if is_in(*dialect, &unit.program) {
                return Ok(unit);
            }
            run(steps, unit, watch)
        }
        Step::KeepAll => {
            let entries = unit.program.defs.keys().cloned().collect();
            Ok(Unit { entries, ..unit })
        }
        Step::InsideOut(it) => inside_out(it, unit, watch),
        Step::All(steps) => run(steps, unit, watch),
    }
}

fn inside_out(it: &InsideOut, mut unit: Unit, watch: &mut Watch<'_>) -> Result<Unit, Refused> {
    while let Some(next) = ad::bulk::next(&unit.program, &unit.at)? {
        for target in &next.differentiated {
            unit.program = prepared(it, unit.program, target, watch)?;
        }
        let entry = std::mem::replace(&mut unit.at, next.def);
        unit = Unit { at: entry, ..run_pass(it.expand, unit, watch)? };
    }
    Ok(unit)
}

/// The program with a definition that is going to be differentiated, and all that it calls, prepared.
fn prepared(
    it: &InsideOut,
    mut program: Program,
    def: &Name,
    watch: &mut Watch<'_>,
) -> Result<Program, Refused> {
    let names = parts::reachable(&program, def);
    let steps = match () {
        () if parts::is_mapped(&program, def) => it.prepare_mapped,
        () if names.iter().any(|it| is_derived(&program, it)) => it.prepare_derived,
        () => it.prepare,
    };
    let entries = parts::entrances(&program, &names, def);
    let unit = Unit { entries, ..Unit::new(parts::part(&program, &names), def) };
    let part = run(steps, unit, watch)?.program;
    // What is gone was inlined, and nothing else calls it.
    program.defs.retain(|name, _| !names.contains(name));
    program.defs.extend(part.defs);
    Ok(program)
}

/// Takes the derivative operators of an entry point away.
pub(crate) fn resolve(
    steps: &[Step],
    program: &Program,
    entry: &Name,
) -> Result<Resolved, Refused> {
    resolve_with(steps, program, entry, Checkpoints::default())
}

/// Takes the derivative operators of an entry point away, with these loops in pieces.
pub(crate) fn resolve_with(
    steps: &[Step],
    program: &Program,
    entry: &Name,
    checkpoints: Checkpoints,
) -> Result<Resolved, Refused> {
    let unit = Unit { checkpoints, ..Unit::new(program.clone(), entry) };
    let unit = run(steps, unit, &mut |_| {})?;
    let flattening = unit.flattening.unwrap_or_else(|| Flattening::plain(&unit.program, entry));
    Ok(Resolved { program: unit.program, entry: entry.clone(), flattening })
}

/// The loop nests of an entry point; they are arranged for the typical sizes, if any are given.
pub(crate) fn loops_of(program: &Program, entry: &Name, typical: Option<&[i64]>) -> loops::Module {
    lowered(ARRANGE, program, entry, typical)
}

/// The loop nests of an entry point nearly as it is: for what is done soon in any case.
pub(crate) fn draft_of(program: &Program, entry: &Name) -> loops::Module {
    lowered(DRAFT, program, entry, None)
}

fn lowered(
    steps: &[Step],
    program: &Program,
    entry: &Name,
    typical: Option<&[i64]>,
) -> loops::Module {
    let unit = run(steps, Unit::new(program.clone(), entry), &mut |_| {});
    let unit = unit.unwrap_or_else(|it| panic!("compiler bug: refused to arrange: {}", it.reason));
    lower::lower(&unit.program, std::slice::from_ref(entry), typical)
}

/// Whether all operations and types of a program are of a dialect.
fn is_in(dialect: Dialect, program: &Program) -> bool {
    fn all(dialect: Dialect, binders: &[Binder]) -> bool {
        binders.iter().all(|it| dialect.allows_type(&it.ty))
    }
    fn holds(dialect: Dialect, block: &Block) -> bool {
        let inside = |op: &Op| {
            let blocks = walk::blocks(op);
            blocks.iter().all(|(binders, it)| all(dialect, binders) && holds(dialect, it))
        };
        let stmt = |it: &Stmt| dialect.allows_op(&it.op) && inside(&it.op);
        block.stmts.iter().all(|it| all(dialect, &it.binders) && stmt(it))
    }
    let mut fields = program.datas.values().flat_map(|it| &it.cons).flat_map(|it| &it.fields);
    // Type parameters of sum types are no matter.
    let allows =
        |ty: &Type| dialect.allows_type(&ty.substitute(&|_| Some(Type::unit()), &|_| None));
    fields.all(allows)
        && program.defs.values().all(|it| all(dialect, &it.params) && holds(dialect, &it.body))
}

/// In debug builds: panics if a pass left a program that breaks an invariant.
pub(crate) fn verify(program: &Program, dialect: Dialect, pass: &str) {
    if !cfg!(debug_assertions) {
        return;
    }
    if let Err(error) = ir::verify(program, dialect) {
        panic!("compiler bug: after pass `{pass}`, {error}");
    }
}

/// As [`verify`], for one definition that a pass made of the program.
pub(crate) fn verify_def(program: &Program, dialect: Dialect, def: &Def, pass: &str) {
    if !cfg!(debug_assertions) {
        return;
    }
    if let Err(error) = ir::verify_def(program, dialect, def) {
        panic!("compiler bug: after pass `{pass}`, {error}");
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use base::SourceMap;
    use check::front;

    use super::*;
    use crate::pass::PASSES;
    use crate::pipelines::{MIXED, PIPELINES};

    /// The statements of the program that computes a derivative.
    fn size(text: &str) -> usize {
        let front = front(&mut SourceMap::new(), "program.cot", text);
        let program = front.unwrap_or_else(|it| panic!("{it:?}")).checked.program;
        let bulk = resolve(MIXED, &program, &Name::new("main"));
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

    /// What a pass takes is what the one before it gives, or a smaller dialect, in every list.
    #[test]
    fn passes_fit_together() {
        for (name, steps) in PIPELINES {
            after(name, steps, first(steps));
        }
    }

    /// The dialect that a list takes.
    fn first(steps: &[Step]) -> Dialect {
        match steps.first() {
            Some(Step::Run(pass) | Step::IfNew(pass, _)) => pass.from,
            Some(Step::All(steps)) => first(steps),
            Some(Step::Unless(..) | Step::KeepAll | Step::InsideOut(_)) | None => {
                panic!("a pipeline begins with a pass")
            }
        }
    }

    fn is_within(small: Dialect, large: Dialect) -> bool {
        small == large || (small, large) == (Dialect::Bulk, Dialect::FirstOrder)
    }

    /// The dialect after a list that begins in one.
    fn after(name: &str, steps: &[Step], start: Dialect) -> Dialect {
        let by = |pass: &Pass, from| {
            let (pass, to, wanted) = (pass.name, pass.to, pass.from);
            assert!(is_within(from, wanted), "{name}: `{pass}` takes {wanted:?}, not {from:?}");
            to
        };
        steps.iter().fold(start, |from, step| match step {
            Step::Run(pass) => by(pass, from),
            // What follows is left out if nothing changed.
            Step::IfNew(pass, then) => {
                let to = by(pass, from);
                assert_eq!(after(name, then, to), to, "{name}: `{}`", pass.name);
                to
            }
            Step::Unless(dialect, steps) => {
                let to = after(name, steps, from);
                if is_within(to, *dialect) { *dialect } else { from }
            }
            Step::KeepAll => from,
            Step::All(steps) => after(name, steps, from),
            Step::InsideOut(it) => {
                for steps in [it.prepare, it.prepare_derived, it.prepare_mapped] {
                    assert_eq!(after(name, steps, from), Dialect::Bulk, "{name}");
                }
                by(it.expand, from)
            }
        })
    }

    #[test]
    fn passes_have_names_of_their_own() {
        let names: BTreeSet<&str> = PASSES.iter().map(|it| it.name).collect();
        assert_eq!(names.len(), PASSES.len());
        assert!(PASSES.iter().all(|it| !it.about.is_empty()));
    }
}
