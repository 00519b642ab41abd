//! All operators by `f.jvp` alone: a run for each real of what is differentiated by.
//!
//! Paper: Krawiec et al., Figure 4, with the Delta term run forwards in the place of dual numbers.
//! Cost: a gradient by n reals is n runs of `f.jvp` and one of the function, a hessian n times as many runs
//! of the `jvp` of that.

use ir::{ArrayOp, Atom, ControlOp, Op, Prim, Size, Type, Var};

use super::Site;
use super::matrix::{Parts, each, is_data, smooth};
use crate::bulk::derived::jvp;
use crate::bulk::work::Work;
use crate::linear::code::real;

impl Site<'_> {
    /// The tangents of all parameters that have reals: what `row` gives for each unit vector, of which
    /// it is told the parameter.
    pub(super) fn runs(
        &self,
        work: &mut Work,
        point: &[Atom],
        row: impl Fn(&mut Work, &[bool], Atom) -> Atom,
    ) -> Vec<Atom> {
        let active = self.active(work);
        let mut res = Vec::new();
        for at in (0..active.len()).filter(|it| active[*it]) {
            let columns =
                self.columns_by(work, point, at, |work, only, unit| vec![row(work, only, unit)]);
            res.push(match is_data(&work.code.type_of(&point[at])) {
                true => work.code.tangent_from(&point[at], &columns[0], Atom::Int(0)).0,
                false => columns[0].clone(),
            });
        }
        res
    }

    /// What comes out for each unit vector of a parameter: arrays by its position, or by its number if the
    /// parameter is of a sum type.
    pub(super) fn columns_by(
        &self,
        work: &mut Work,
        point: &[Atom],
        at: usize,
        column: impl FnOnce(&mut Work, &[bool], Atom) -> Vec<Atom>,
    ) -> Vec<Atom> {
        let only: Vec<bool> = (0..point.len()).map(|it| it == at).collect();
        let ty = work.code.type_of(&point[at]);
        if !is_data(&ty) {
            return each(work, &ty.split_arrays().0, |work, unit| column(work, &only, unit));
        }
        let count = work.code.n_leaves(&point[at]);
        each(work, &[count], |work, unit| {
            let direction = work.code.tangent_from(&point[at], &unit, Atom::Int(0)).0;
            column(work, &only, direction)
        })
    }

    /// Value and gradient of a function that gives a real.
    pub(super) fn gradient_forwards(&self, work: &mut Work) -> (Vec<Atom>, Vec<Atom>) {
        // Also where there is no real: errors of a function are errors of its derivatives.
        let values = self.call(work, self.def.clone(), self.args, Vec::new());
        let gradient = self.runs(work, self.args, |work, only, unit| {
            self.jvp(work, self.args, only, vec![unit]).1.remove(0)
        });
        (values, gradient)
    }

    /// The gradient of the scalar product of the results with cotangents.
    pub(super) fn vjp_forwards(
        &self,
        work: &mut Work,
        point: &[Atom],
        cotangents: &[Atom],
    ) -> Vec<Atom> {
        self.call(work, self.def.clone(), point, Vec::new());
        self.runs(work, point, |work, only, unit| {
            let tangents = self.jvp(work, point, only, vec![unit]).1;
            let mut sum = real(0.0);
            for (cotangent, tangent) in cotangents.iter().zip(&tangents) {
                let product = work.code.dot(cotangent, tangent);
                sum = work.code.prim(Prim::Add, vec![sum, product]);
            }
            sum
        })
    }

    /// The derivative of the gradient along directions of some parameters: tangents of tangents.
    pub(super) fn hvp_forwards(
        &self,
        work: &mut Work,
        point: &[Atom],
        along: &[bool],
        directions: &[Atom],
    ) -> Vec<Atom> {
        self.call(work, self.def.clone(), point, Vec::new());
        self.runs(work, point, |work, only, unit| {
            let first = jvp(work, &self.def, &self.mask(only));
            work.finish_jobs();
            let mut mask = self.mask(along);
            mask.push(false);
            let second = jvp(work, &first, &mask);
            let more = std::iter::once(unit).chain(directions.iter().cloned()).collect();
            // A value, its tangent, and the tangents of both.
            self.call(work, second, point, more).remove(3)
        })
    }

    /// The parts of a jacobian, column by column.
    pub(super) fn columns_forwards(&self, work: &mut Work, results: &[Type]) -> Parts {
        let n_params = self.args.len();
        self.call(work, self.def.clone(), self.args, Vec::new());
        let active = self.active(work);
        let mut parts = vec![None; results.len() * n_params];
        for at in (0..n_params).filter(|it| active[*it]) {
            let columns = self.columns_by(work, self.args, at, |work, only, unit| {
                self.jvp(work, self.args, only, vec![unit]).1
            });
            let ty = work.code.type_of(&self.args[at]);
            let rank = if is_data(&ty) { 1 } else { ty.split_arrays().0.len() };
            let rows = results.iter().enumerate().filter(|it| smooth(it.1));
            for ((row, result), column) in rows.zip(columns) {
                let sizes = result.split_arrays().0;
                let rows = work.code.swapped(column, (rank, sizes.len()));
                parts[row * n_params + at] = Some(match is_data(&ty) {
                    true => self.filled_rows(work, &self.args[at], &sizes, rows),
                    false => rows,
                });
            }
        }
        parts
    }

    /// Rows of reals by their number as values of the form of `like`.
    fn filled_rows(&self, work: &mut Work, like: &Atom, sizes: &[Size], rows: Atom) -> Atom {
        let filled = |work: &mut Work, row: &Atom| {
            let tangent = work.code.tangent_from(like, row, Atom::Int(0)).0;
            work.code.filled(like.clone(), tangent)
        };
        if sizes.is_empty() {
            return filled(work, &rows);
        }
        let indices: Vec<Var> = sizes.iter().map(|_| work.code.fresh(Type::Int).var).collect();
        work.code.builder.open();
        let at = indices.iter().map(|it| Atom::Var(*it)).collect();
        let row = work.code.one(Op::Array(ArrayOp::Index { array: rows, indices: at }));
        let row = filled(work, &row);
        let body = work.code.builder.close(vec![row]);
        work.code.one(Op::Control(ControlOp::Build { sizes: sizes.to_vec(), indices, body }))
    }
}
