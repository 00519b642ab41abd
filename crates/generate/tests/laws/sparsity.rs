//! Patterns of Jacobians: every entry that is other than zero is in them.

use super::run::{Leaves, evaluator};
use super::{Law, Point, Random, broken, filled};
use base::Name;
use eval::{Mode, Value};

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
