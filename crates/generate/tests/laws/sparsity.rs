//! Patterns of Jacobians: every entry that is other than zero is in them, method `chad` finds the same as the
//! tape, and method `linmap` knows before the run that there may be no others.

use std::sync::Arc;

use super::bulk::pass;
use super::run::{Leaves, evaluator};
use super::{Law, Point, Random, broken, filled};
use ad::chad::{Way, dependence};
use base::Name;
use cotan::dev::{self, Step, Unit};
use eval::{Elems, Mode, Pattern, Value};
use ir::{Binder, Block, DeriveOp, Dialect, Op, Program, Type, verify, walk};

/// Rows of which all entries are looked at.
const ROWS: usize = 3;

/// The rows of the Jacobian by `tape`, some of them, against the pattern of the run.
pub(super) fn pattern(at: &Point, value: &[Value], random: &mut Random) -> Law<()> {
    let law = "patterns have all that is not zero";
    let active = vec![true; at.args.len()];
    let mut recorded = evaluator(Mode::Reverse, &at.program);
    let found = recorded.pattern(&Name::new("main"), &at.sizes, &at.args, &active);
    let found = match found {
        Ok(found) => found,
        Err(error) => return broken(law, format!("{:?}", error.fault)),
    };
    sets(at, value, &found)?;
    let n_rows = Leaves::of(value).reals.len();
    let n_columns: usize = found.inputs.iter().sum();
    if (found.starts.len() - 1, n_columns) != (n_rows, Leaves::of(&at.args).reals.len()) {
        return broken(law, format!("{} rows, {n_columns} columns", found.starts.len() - 1));
    }
    for _ in 0..ROWS.min(n_rows) {
        let row = random.below(n_rows);
        let unit: Vec<f64> = (0..n_rows).map(|it| f64::from(u8::from(it == row))).collect();
        let args = at.args.iter().cloned().chain(filled(value, &unit)).collect();
        // Where the way back fails, other laws say so.
        let Ok(entries) = at.run(1, "main_vjp", args) else { continue };
        let columns = &found.columns[found.starts[row]..found.starts[row + 1]];
        for (column, entry) in Leaves::of(&entries).reals.iter().enumerate() {
            if *entry != 0.0 && columns.binary_search(&(column as u32)).is_err() {
                return broken(law, format!("row {row}, column {column}: {entry}"));
            }
        }
    }
    Ok(())
}

/// The pattern by sets in the place of tangents is that of the tape, where nothing need be flattened.
fn sets(at: &Point, value: &[Value], by_tape: &Pattern) -> Law<()> {
    let (law, main) = ("sets go where derivatives go", Name::new("main"));
    let before = dev::PIPELINES.iter().find(|it| it.0 == "before_sets").expect("a pipeline");
    let source = &at.program.defs[&main];
    let is_plain =
        |it: &Binder| matches!(it.ty.split_arrays().1, Type::Real | Type::Int | Type::Bool);
    let all_plain = source.params.iter().chain(&source.results).all(is_plain);
    if !all_plain || !at.program.customs.is_empty() {
        return Ok(());
    }
    let unit = Unit::new((*at.program).clone(), &main);
    let Ok(unit) = dev::run(before.1, unit, &mut |_| {}) else { return Ok(()) };
    places(at, value, &unit.program, by_tape)?;
    // As it is when its Jacobian is asked for, but for what is simplified away.
    let bulk = [Step::Run(pass("bot"))];
    if !unit.program.defs.values().any(|it| derives(&it.body))
        && let Ok(unit) = dev::run(&bulk, unit.clone(), &mut |_| {})
    {
        places(at, value, &unit.program, by_tape)?;
    }
    let has_reals = |it: &Binder| *it.ty.split_arrays().1 == Type::Real;
    let on: Vec<bool> = source.params.iter().map(has_reals).collect();
    let Ok((program, made)) = dependence(&unit.program, &main, &on, Way::Forward) else {
        return Ok(());
    };
    if let Err(error) = verify(&program, Dialect::Delta) {
        return broken(law, error.to_string());
    }
    let active = at.args.iter().zip(&on).filter(|it| *it.1);
    let values: Vec<Value> = active.map(|it| it.0.clone()).collect();
    let mut moved = evaluator(Mode::Reverse, &Arc::new(program));
    let found = moved.sets((&made, source.results.len()), &at.sizes, &at.args, &values);
    match found {
        Ok(found) if found.starts == by_tape.starts && found.columns == by_tape.columns => Ok(()),
        Ok(found) => broken(law, format!("{found:?}\n{by_tape:?}")),
        Err(error) => broken(law, format!("{:?}", error.fault)),
    }
}

/// Every entry of the pattern of a run is at a place that is known before anything runs.
fn places(at: &Point, value: &[Value], program: &Program, by_tape: &Pattern) -> Law<()> {
    let law = "places have all that a pattern has";
    let found = ad::linmap::places::places(program, &Name::new("main"));
    let (rows, columns) = (elements(value), elements(&at.args));
    for (row, (result, indices)) in rows.iter().enumerate() {
        for column in &by_tape.columns[by_tape.starts[row]..by_tape.starts[row + 1]] {
            let (param, element) = &columns[*column as usize];
            if !found[*result].has(*param, indices, element) {
                let wanted = format!("{indices:?} of {result}, {element:?} of {param}");
                return broken(law, format!("{wanted}: {found:?}"));
            }
        }
    }
    Ok(())
}

/// Whether there is a derivative operator, which whole arrays come after.
fn derives(block: &Block) -> bool {
    block.stmts.iter().any(|it| {
        matches!(it.op, Op::Derive(DeriveOp::OfDefinition { .. }))
            || walk::blocks(&it.op).into_iter().any(|it| derives(it.1))
    })
}

/// For each real, the number of the value that it is in, and where it is there.
fn elements(values: &[Value]) -> Vec<(usize, Vec<usize>)> {
    let mut res = Vec::new();
    for (at, value) in values.iter().enumerate() {
        let shape = if let Value::Array(array) = value
            && let Elems::Real(_) = &array.elems
        {
            &array.shape[..]
        } else if let Value::Real(_) = value {
            &[]
        } else {
            continue;
        };
        let mut all = vec![Vec::new()];
        for size in shape {
            let more = |it: Vec<usize>| (0..*size).map(move |at| [&it[..], &[at]].concat());
            all = all.into_iter().flat_map(more).collect();
        }
        res.extend(all.into_iter().map(|it| (at, it)));
    }
    res
}
