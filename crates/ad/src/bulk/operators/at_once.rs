//! Jacobians by few numbers: all columns in one run of the function, with their tangents beside it.
//!
//! With many columns, what a run saves is small beside them, and each column is an array of its own; with
//! few, saving and reading it again is most of the work. Only method `bulk` has a choice: by forward mode
//! columns are runs, and linear maps are applied.

use ir::{ArrayOp, Atom, Op, Prim, Size, Type};

use super::Site;
use super::matrix::{Parts, smooth};
use crate::bulk::Mode;
use crate::bulk::lanes::lanes;
use crate::bulk::work::Work;
use crate::linear::code::real;
use crate::tuning::MOST_COLUMNS;

impl Site<'_> {
    /// The parts of a jacobian by few numbers of a function that has loops or calls.
    pub(super) fn columns_at_once(
        &self,
        work: &mut Work,
        params: &[Type],
        results: &[Type],
    ) -> Option<Parts> {
        if work.mode != Mode::Mixed || !self.is_worth_keeping(work) {
            return None;
        }
        let blocks = params.iter().map(numbers).collect::<Option<Vec<_>>>()?;
        let count: i64 = blocks.iter().flatten().map(|it| it.iter().product::<i64>()).sum();
        let active = self.active(work);
        let is_smooth = blocks.iter().zip(&active).all(|it| it.0.is_some() == *it.1);
        if count == 0 || count > MOST_COLUMNS || !is_smooth {
            return None;
        }
        let name = lanes(work, &self.def, &self.mask(&active))?;
        let (mut units, mut first) = (Vec::new(), 0);
        for sizes in blocks.iter().flatten() {
            units.push(unit_vectors(work, sizes, first, count));
            first += sizes.iter().product::<i64>();
        }
        let sizes = std::iter::once(Size::constant(count)).chain(self.sizes.clone()).collect();
        let own = Site { sizes, def: name.clone(), ..*self };
        let mut values = own.call(work, name, self.args, units);
        let tangents = values.split_off(results.len());
        let n_params = params.len();
        let mut parts = vec![None; results.len() * n_params];
        let mut first = 0;
        for (at, sizes) in blocks.iter().enumerate() {
            let Some(sizes) = sizes else { continue };
            let n = sizes.iter().product::<i64>();
            let rows = results.iter().enumerate().filter(|it| smooth(it.1));
            for ((row, result), tangent) in rows.zip(&tangents) {
                let column = some_lanes(work, tangent.clone(), (first, count), sizes);
                let ranks = (sizes.len(), result.split_arrays().0.len());
                parts[row * n_params + at] = Some(work.code.swapped(column, ranks));
            }
            first += n;
        }
        Some(parts)
    }
}

/// The sizes of a value of reals, if they are known, or that it has no reals; none if it may have.
fn numbers(ty: &Type) -> Option<Option<Vec<i64>>> {
    let (sizes, inner) = ty.split_arrays();
    if *inner == Type::Real {
        return sizes
            .iter()
            .map(|it| it.as_constant().filter(|it| *it >= 0))
            .collect::<Option<_>>()
            .map(Some);
    }
    (*inner == Type::Int || *inner == Type::Bool).then_some(None)
}

/// Tangents over all lanes: the unit vectors in those from `first` on, zeros in the others.
fn unit_vectors(work: &mut Work, sizes: &[i64], first: i64, count: i64) -> Atom {
    let code = &mut work.code;
    let own: i64 = sizes.iter().product();
    let all: Vec<Size> = [count].iter().chain(sizes).map(|it| Size::constant(*it)).collect();
    let into = code.broadcast(real(0.0), &all);
    let number = code.one(Op::Array(ArrayOp::Iota(Size::constant(own))));
    let mut indices = vec![code.prim(Prim::Add, vec![number.clone(), Atom::Int(first)])];
    if sizes.len() == 1 {
        indices.push(number.clone());
    }
    let mut below = own;
    for size in sizes.iter().filter(|_| sizes.len() > 1) {
        below /= (*size).max(1);
        let whole = code.prim(Prim::Div, vec![number.clone(), Atom::Int(below.max(1))]);
        indices.push(code.prim(Prim::Rem, vec![whole, Atom::Int((*size).max(1))]));
    }
    let values = code.broadcast(real(1.0), &[Size::constant(own)]);
    code.one(Op::Array(ArrayOp::Scatter { into, indices, values, mask: None }))
}

/// What is in the lanes of a parameter of these sizes, from the first of them on.
pub(super) fn some_lanes(
    work: &mut Work,
    array: Atom,
    (first, count): (i64, i64),
    sizes: &[i64],
) -> Atom {
    let code = &mut work.code;
    if sizes.is_empty() {
        let indices = vec![Atom::Int(first)];
        return code.one(Op::Array(ArrayOp::Index { array, indices }));
    }
    let own: i64 = sizes.iter().product();
    let array = match own == count {
        true => array,
        false => {
            let (from, to) = (Size::constant(first), Size::constant(first + own));
            code.one(Op::Array(ArrayOp::Slice { array, axis: 0, from, to }))
        }
    };
    if sizes.len() == 1 {
        return array;
    }
    let sizes = sizes.iter().map(|it| Size::constant(*it)).collect();
    code.one(Op::Array(ArrayOp::Reshape { array, rank: 1, sizes }))
}
