//! Matrices of second derivatives: a hessian is a build of `hvp`s, of a gradient that runs once for all of them.
//!
//! By method `linmap` the gradient is looked at as a function is whose Jacobian is asked for: that of a sum over
//! elements goes element by element, and its hessian is a diagonal (`compressed.rs`). What a hessian is by is of
//! no sum type: the types of fields do not change.

use ir::{Atom, ControlOp, Op, Prim, Size, Type, Var};

use super::compressed::Wanted;
use super::matrix::{Parts, each, is_data, smooth};
use super::{Run, Site};
use crate::bulk::Mode;
use crate::bulk::derived::vjp;
use crate::bulk::work::{Keeps, Work};
use crate::linear::code::real;

impl Site<'_> {
    pub(super) fn hessian(&self, work: &mut Work, types: &[Type]) -> Vec<Atom> {
        let params: Vec<Type> = self.args.iter().map(|it| work.code.type_of(it)).collect();
        let n_params = params.len();
        if params.iter().any(is_data) {
            // Checked programs have none (E0503): there is no type for the derivative.
            work.refuse(None, "a hessian of a function that takes a sum type");
            return Vec::new();
        }
        let fill = |work: &mut Work, blocks: Parts| -> Vec<Atom> {
            let fill =
                |(block, ty): (Option<Atom>, &Type)| block.unwrap_or_else(|| work.code.zeros(ty));
            blocks.into_iter().zip(types).map(fill).collect()
        };
        if work.mode == Mode::Maps
            && let Some(blocks) = self.compressed_hessian(work, &params)
        {
            return fill(work, blocks);
        }
        let run = match work.mode {
            Mode::Mixed | Mode::Maps | Mode::Chad => self.gradient_for_all(work),
            Mode::Forward => None,
        };
        self.run_for_none(work, run.as_ref(), &params);
        let mut blocks: Vec<Option<Atom>> = vec![None; types.len()];
        let rank = |at: usize| params[at].split_arrays().0.len();
        for (row, param) in params.iter().enumerate().filter(|it| smooth(it.1)) {
            let mut along = vec![false; n_params];
            along[row] = true;
            let sizes = param.split_arrays().0;
            let rows = each(work, &sizes, |work, unit| match &run {
                Some(run) => {
                    let tangents = self.along(work, &params, row, unit);
                    let n_active = tangents.len();
                    let all = self.push(work, run, tangents);
                    all[all.len() - n_active..].to_vec()
                }
                None => self.hvp(work, self.args, &along, vec![unit]),
            });
            // Symmetric to the bit: what is above the diagonal is what is below it.
            let columns = params.iter().enumerate().filter(|it| smooth(it.1));
            for ((at, _), rows) in columns.zip(rows).filter(|((at, _), _)| *at <= row) {
                let rows = if at == row { symmetric(work, rows, &sizes) } else { rows };
                if at < row {
                    let columns = work.code.swapped(rows.clone(), (rank(row), rank(at)));
                    blocks[at * n_params + row] = Some(columns);
                }
                blocks[row * n_params + at] = Some(rows);
            }
        }
        fill(work, blocks)
    }

    /// The parts of a hessian that takes fewer tangents of the gradient than it has columns.
    fn compressed_hessian(&self, work: &mut Work, params: &[Type]) -> Option<Parts> {
        let active = self.active(work);
        let def = vjp(work, &self.def, &self.mask(&active));
        work.finish_jobs();
        let point: Vec<Atom> = self.args.iter().cloned().chain([real(1.0)]).collect();
        let gradient = Site { def, sizes: self.sizes.clone(), args: &point, ..*self };
        let (results, n_params) = (gradient.result_types(work), params.len());
        let types: Vec<Type> = params.iter().cloned().chain([Type::Real]).collect();
        let n_values = results.len() - active.iter().filter(|it| **it).count();
        let wanted = Wanted {
            args: active.iter().copied().chain([false]).collect(),
            results: (0..results.len()).map(|it| it >= n_values).collect(),
        };
        let mut found = gradient.blocks(work, &wanted, &types, &results)?;
        let mut blocks: Parts = vec![None; n_params * n_params];
        let sizes = |at: usize| params[at].split_arrays().0;
        let rows = (0..n_params).filter(|it| active[*it]).zip(n_values..);
        for (row, number) in rows {
            for at in 0..=row {
                let Some(block) = found[number * types.len() + at].take() else { continue };
                // Symmetric to the bit: what is above the diagonal is what is below it.
                let part = match at == row && !block.is_diagonal {
                    true => symmetric(work, block.part, &sizes(row)),
                    false => block.part,
                };
                if at < row {
                    let ranks = (sizes(row).len(), sizes(at).len());
                    blocks[at * n_params + row] = Some(work.code.swapped(part.clone(), ranks));
                }
                blocks[row * n_params + at] = Some(part);
            }
        }
        Some(blocks)
    }

    /// A run of the gradient that is shared by all rows, if that pays.
    fn gradient_for_all(&self, work: &mut Work) -> Option<Run> {
        if !self.is_worth_keeping(work) {
            return None;
        }
        let active = self.active(work);
        let def = vjp(work, &self.def, &self.mask(&active));
        work.finish_jobs();
        let gradient = Site { def, sizes: self.sizes.clone(), ..*self };
        let point: Vec<Atom> = self.args.iter().cloned().chain([real(1.0)]).collect();
        let active: Vec<bool> = active.into_iter().chain([false]).collect();
        gradient.run(work, &point, &active, Keeps::BothWays)
    }
}

/// The square array, of these sizes twice, with its lower triangle above the diagonal too.
fn symmetric(work: &mut Work, array: Atom, sizes: &[Size]) -> Atom {
    if sizes.is_empty() {
        return array;
    }
    let mirrored = work.code.swapped(array.clone(), (sizes.len(), sizes.len()));
    let both: Vec<Size> = sizes.iter().chain(sizes).cloned().collect();
    let indices: Vec<Var> = both.iter().map(|_| work.code.fresh(Type::Int).var).collect();
    work.code.builder.open();
    let mut number = |indices: &[Var]| {
        let mut sum = Atom::Int(0);
        for (index, size) in indices.iter().zip(sizes) {
            let size = work.code.int(size);
            let scaled = work.code.prim(Prim::Mul, vec![sum, size]);
            sum = work.code.prim(Prim::Add, vec![scaled, Atom::Var(*index)]);
        }
        sum
    };
    let (row, column) = indices.split_at(sizes.len());
    let (row, column) = (number(row), number(column));
    let lower = work.code.prim(Prim::Ge, vec![row, column]);
    let body = work.code.builder.close(vec![lower]);
    let lower = work.code.one(Op::Control(ControlOp::Build { sizes: both, indices, body }));
    work.code.prim(Prim::Select, vec![lower, array, mirrored])
}
