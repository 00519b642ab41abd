//! A matrix of derivatives that is written down from numbers and where they are.

use ir::{ArrayOp, Atom, Op, Prim, Reduction, Size};

use crate::linear::code::{Code, real};

/// Numbers of a matrix, one or more for each element of the result.
pub(super) struct Entry {
    pub(super) values: Atom,
    /// Which element of the parameter each belongs to; its own if nothing is said.
    pub(super) position: Option<Atom>,
    /// Where there is such an element; everywhere if nothing is said.
    pub(super) mask: Option<Atom>,
}

/// The matrix of a result and a parameter of these sizes, of numbers and their positions. In front of
/// the sizes of the result they may have axes that are added up.
pub(super) fn matrix(
    code: &mut Code,
    rows: &[Size],
    columns: &[Size],
    entries: Vec<Entry>,
) -> Atom {
    let count = |sizes: &[Size]| sizes.iter().fold(Size::constant(1), |all, it| all.mul(it));
    // Several dimensions are one while the matrix is written.
    let flat: Vec<Size> = if rows.is_empty() { Vec::new() } else { vec![count(rows)] };
    if columns.is_empty() {
        let mut sum = code.spread(real(0.0), rows);
        for Entry { mut values, .. } in entries {
            for _ in rows.len()..code.sizes_of(&values).len() {
                let (reduction, axis, array) = (Reduction::Sum, 0, values);
                values = code.one(Op::Array(ArrayOp::Reduce { reduction, axis, array }));
            }
            sum = code.prim(Prim::Add, vec![sum, values]);
        }
        return sum;
    }
    let all: Vec<Size> = flat.iter().cloned().chain([count(columns)]).collect();
    let mut into = code.spread(real(0.0), &all);
    for Entry { values, position, mask } in entries {
        let shape = code.sizes_of(&values);
        let added = &shape[..shape.len() - rows.len()];
        let shape: Vec<Size> = added.iter().chain(&flat).cloned().collect();
        let iota = |code: &mut Code, size: &Size| code.one(Op::Array(ArrayOp::Iota(size.clone())));
        let mut indices = Vec::new();
        for size in &flat {
            let row = iota(code, size);
            indices.push(code.spread(row, added));
        }
        indices.push(match position {
            Some(position) => reshaped(code, position, rows.len(), &shape),
            None => iota(code, &all[all.len() - 1]),
        });
        let values = reshaped(code, values, rows.len(), &shape);
        let mask = mask.map(|it| reshaped(code, it, rows.len(), &shape));
        into = code.one(Op::Array(ArrayOp::Scatter { into, indices, values, mask }));
    }
    if rows.len() <= 1 && columns.len() == 1 {
        return into;
    }
    let sizes = [rows, columns].concat();
    code.one(Op::Array(ArrayOp::Reshape { array: into, rank: all.len(), sizes }))
}

/// The array under other sizes, if its last dimensions are not one already.
fn reshaped(code: &mut Code, array: Atom, n_last: usize, sizes: &[Size]) -> Atom {
    if n_last <= 1 {
        return array;
    }
    let rank = code.sizes_of(&array).len();
    code.one(Op::Array(ArrayOp::Reshape { array, rank, sizes: sizes.to_vec() }))
}
