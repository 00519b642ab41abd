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
        let mut sum = code.broadcast(real(0.0), rows);
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
    let mut into = code.broadcast(real(0.0), &all);
    for Entry { values, position, mask } in entries {
        let shape = code.sizes_of(&values);
        let added = &shape[..shape.len() - rows.len()];
        let shape: Vec<Size> = added.iter().chain(&flat).cloned().collect();
        let iota = |code: &mut Code, size: &Size| code.one(Op::Array(ArrayOp::Iota(size.clone())));
        let mut indices = Vec::new();
        for size in &flat {
            let row = iota(code, size);
            indices.push(code.broadcast(row, added));
        }
        let is_moved = position.is_some();
        indices.push(match position {
            Some(position) => reshaped(code, position, rows.len(), &shape),
            None => iota(code, &all[all.len() - 1]),
        });
        let values = reshaped(code, values, rows.len(), &shape);
        let mask = match mask {
            Some(mask) => Some(reshaped(code, mask, rows.len(), &shape)),
            None if is_moved => some_column(code, &all[all.len() - 1], &shape),
            None => None,
        };
        into = code.one(Op::Array(ArrayOp::Scatter { into, indices, values, mask }));
    }
    if rows.len() <= 1 && columns.len() == 1 {
        return into;
    }
    let sizes = [rows, columns].concat();
    code.one(Op::Array(ArrayOp::Reshape { array: into, rank: all.len(), sizes }))
}

/// Whether there is a column at all, for each number: the position of what is read under a mask is 0 where
/// the mask does not hold, which is none of an empty parameter. Nothing if that is known.
fn some_column(code: &mut Code, n_columns: &Size, shape: &[Size]) -> Option<Atom> {
    if n_columns.as_constant().is_some_and(|it| it > 0) {
        return None;
    }
    let n_columns = code.int(n_columns);
    let some = code.prim(Prim::Gt, vec![n_columns, Atom::Int(0)]);
    Some(code.broadcast(some, shape))
}

/// The array under other sizes, if its last dimensions are not one already.
fn reshaped(code: &mut Code, array: Atom, n_last: usize, sizes: &[Size]) -> Atom {
    if n_last <= 1 {
        return array;
    }
    let rank = code.sizes_of(&array).len();
    code.one(Op::Array(ArrayOp::Reshape { array, rank, sizes: sizes.to_vec() }))
}
