//! Pictures of patterns: characters for small ones, SVG for all.

use std::fmt::Write;

use super::Sparsity;

/// The most rows and columns of a picture made of characters.
const MOST_ROWS: usize = 60;
const MOST_COLUMNS: usize = 100;

/// The most squares in a direction of a picture in SVG.
const MOST_SQUARES: usize = 500;

/// A line for each row, a star where an entry may be other than zero, a bar between parameters; nothing if
/// it does not fit.
pub(super) fn text(of: &Sparsity) -> Option<String> {
    if of.n_rows() > MOST_ROWS || of.n_columns() > MOST_COLUMNS {
        return None;
    }
    let mut res = String::new();
    for row in 0..of.n_rows() {
        let mut at = 0;
        for (number, (_, n)) in of.parameters.iter().enumerate() {
            res += if number == 0 { "" } else { "|" };
            let star = |it: usize| of.row(row).binary_search(&(it as u32)).is_ok();
            res.extend((at..at + n).map(|it| if star(it) { '*' } else { '.' }));
            at += n;
        }
        res.push('\n');
    }
    Some(res)
}

/// A square of the picture for each entry, or for a square of entries.
pub(super) fn svg(of: &Sparsity) -> String {
    let (rows, columns) = (of.n_rows(), of.n_columns());
    let side = rows.max(columns).div_ceil(MOST_SQUARES).max(1);
    let (height, width) = (rows.div_ceil(side), columns.div_ceil(side));
    let mut path = String::new();
    for y in 0..height {
        let members = y * side..rows.min((y + 1) * side);
        let mut squares: Vec<usize> =
            members.flat_map(|row| of.row(row)).map(|it| *it as usize / side).collect();
        squares.sort_unstable();
        squares.dedup();
        // Neighbours are one rectangle.
        for run in squares.chunk_by(|a, b| a + 1 == *b) {
            write!(path, "M{} {y}h{}v1h-{2}z", run[0], run.len(), run.len())
                .expect("a string takes everything");
        }
    }
    let mut lines = String::new();
    let mut at = 0;
    for (_, n) in &of.parameters {
        at += n;
        if at < columns {
            let x = at as f64 / side as f64;
            write!(lines, "M{x} 0v{height}").expect("a string takes everything");
        }
    }
    let scale = (600 / height.max(width).max(1)).clamp(1, 20);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-1 -1 {} {}\" width=\"{}\" height=\"{}\">\n\
         <title>{rows} rows, {columns} columns, {} entries</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\" stroke=\"gray\" stroke-width=\"0.1\"/>\n\
         <path d=\"{path}\"/>\n\
         <path d=\"{lines}\" stroke=\"red\" stroke-width=\"0.1\"/>\n\
         </svg>\n",
        width + 2,
        height + 2,
        (width + 2) * scale,
        (height + 2) * scale,
        of.n_entries(),
    )
}
