//! Matrices of derivatives: `jacobian`; `hessian` is in `hessian.rs`.
//!
//! A jacobian is a build of rows, one `vjp` for each real of the result (Appendix A of the paper), or of
//! columns, one `jvp` for each real of the input, if there are fewer of them; where only running tells, both
//! are there and one of them runs. If the function has loops or calls, it runs once for all of them. By a value
//! of a sum type, a jacobian has rows, each of the form of the value. The result itself is of no sum type: the
//! types of fields do not change.

use ir::{ArrayOp, Atom, ControlOp, Op, Prim, Size, Type, Var};

use super::{Run, Site};
use crate::bulk::Mode;
use crate::bulk::work::{Keeps, Work};
use crate::linear::code::{real, with_sizes};

/// The parts of a jacobian, row by row; `None` where there is no derivative.
pub(super) type Parts = Vec<Option<Atom>>;

impl Site<'_> {
    pub(super) fn jacobian(&self, work: &mut Work, types: &[Type]) -> Vec<Atom> {
        let params: Vec<Type> = self.args.iter().map(|it| work.code.type_of(it)).collect();
        let results = self.result_types(work);
        if results.iter().any(is_data) {
            // Checked programs have none (E0503): there is no type for the derivative.
            work.refuse(None, "a jacobian of a function that gives a sum type");
            return Vec::new();
        }
        // How many reals a value of a sum type has, only running tells.
        let by_data = params.iter().any(|it| is_data(it) && work.code.tangent(it).is_some());
        let (inputs, outputs) = (count(&params), count(&results));
        let way = match work.mode {
            Mode::Forward => Some(Way::Columns),
            Mode::Mixed | Mode::Maps | Mode::Chad if by_data => Some(Way::Rows),
            Mode::Mixed | Mode::Maps | Mode::Chad => shorter(&inputs, &outputs),
        };
        let sparse = match work.mode {
            Mode::Maps => {
                let paths = self.sparse(work, &results);
                paths.or_else(|| self.compressed(work, &params, &results))
            }
            Mode::Mixed | Mode::Forward | Mode::Chad => None,
        };
        match (sparse, way) {
            (Some(parts), _) => self.filled_parts(work, parts, &params, &results, types),
            (None, Some(way)) => self.by(work, way, &params, &results, types),
            // Only running tells.
            (None, None) => {
                let (inputs, outputs) = (work.code.int(&inputs), work.code.int(&outputs));
                let cond = work.code.prim(Prim::Lt, vec![inputs, outputs]);
                let [then, otherwise] = [Way::Columns, Way::Rows].map(|way| {
                    work.code.builder.open();
                    let parts = self.by(work, way, &params, &results, types);
                    work.code.builder.close(parts)
                });
                work.code.emit(Op::Control(ControlOp::If { cond, then, otherwise }))
            }
        }
    }

    /// All parts of a jacobian, one way.
    fn by(
        &self,
        work: &mut Work,
        way: Way,
        params: &[Type],
        results: &[Type],
        types: &[Type],
    ) -> Vec<Atom> {
        let parts = match (work.mode, way) {
            (Mode::Forward, _) => self.columns_forwards(work, results),
            (Mode::Mixed | Mode::Maps | Mode::Chad, Way::Columns) => {
                self.columns(work, params, results)
            }
            (Mode::Mixed | Mode::Maps | Mode::Chad, Way::Rows) => self.rows(work, results),
        };
        self.filled_parts(work, parts, params, results, types)
    }

    /// The parts of a jacobian with zeros where there is no derivative.
    fn filled_parts(
        &self,
        work: &mut Work,
        parts: Parts,
        params: &[Type],
        results: &[Type],
        types: &[Type],
    ) -> Vec<Atom> {
        let mut res = Vec::new();
        for (at, (part, ty)) in parts.into_iter().zip(types).enumerate() {
            let (result, arg) = (&results[at / params.len()], at % params.len());
            res.push(match part {
                Some(part) => work.code.fit(part, ty),
                None if smooth(result) && is_data(&params[arg]) => {
                    let zero = work.code.discrete_zero(self.args[arg].clone());
                    work.code.broadcast(zero, &result.split_arrays().0)
                }
                None => work.code.zeros(ty),
            });
        }
        res
    }

    /// The types of the results, with the sizes of this call.
    pub(super) fn result_types(&self, work: &Work) -> Vec<Type> {
        let def = work.code.program().defs[&self.def].clone();
        let values: Vec<&Atom> = self.captured.iter().chain(self.args).collect();
        let of = |var: Var| {
            let at = def.params.iter().position(|it| it.var == var)?;
            values.get(at).map(|it| (*it).clone())
        };
        let with_call = |ty: &Type| {
            let ty = with_sizes(ty, &of);
            ty.substitute_sizes(&|var| {
                let at = def.size_params.iter().position(|it| *it == var)?;
                Some(self.sizes[at].clone())
            })
        };
        def.results.iter().map(|it| with_call(&it.ty)).collect()
    }

    fn columns(&self, work: &mut Work, params: &[Type], results: &[Type]) -> Parts {
        if let Some(parts) = self.columns_at_once(work, params, results) {
            return parts;
        }
        let n_params = params.len();
        let run = match work.mode {
            Mode::Mixed | Mode::Maps | Mode::Chad => self.run_for_all(work, Keeps::BothWays),
            Mode::Forward => None,
        };
        self.run_for_none(work, run.as_ref(), params);
        let mut parts = vec![None; results.len() * n_params];
        for (at, param) in params.iter().enumerate().filter(|it| smooth(it.1)) {
            let only: Vec<bool> = (0..n_params).map(|it| it == at).collect();
            let columns = each(work, &param.split_arrays().0, |work, unit| match &run {
                Some(run) => {
                    let tangents = self.along(work, params, at, unit);
                    self.push(work, run, tangents)
                }
                None => self.jvp(work, self.args, &only, vec![unit]).1,
            });
            let rows = results.iter().enumerate().filter(|it| smooth(it.1));
            for ((row, result), column) in rows.zip(columns) {
                let ranks = (param.split_arrays().0.len(), result.split_arrays().0.len());
                parts[row * n_params + at] = Some(work.code.swapped(column, ranks));
            }
        }
        parts
    }

    /// A run that is shared by all rows or columns, if that pays.
    fn run_for_all(&self, work: &mut Work, keeps: Keeps) -> Option<Run> {
        if !self.is_worth_keeping(work) {
            return None;
        }
        let active = self.active(work);
        self.run(work, self.args, &active, keeps)
    }

    /// Runs the function where there may be no row or column to run it for: errors of a function are errors
    /// of its derivatives.
    pub(super) fn run_for_none(&self, work: &mut Work, run: Option<&Run>, directions: &[Type]) {
        let is_some = count(directions).as_constant().is_some_and(|it| it > 0);
        if run.is_none() && !is_some {
            self.call(work, self.def.clone(), self.args, Vec::new());
        }
    }

    /// The tangents of all parameters that have reals in a direction of one of them.
    pub(super) fn along(
        &self,
        work: &mut Work,
        params: &[Type],
        at: usize,
        unit: Atom,
    ) -> Vec<Atom> {
        let smooth = params.iter().enumerate().filter(|it| smooth(it.1));
        let mut res = Vec::new();
        for (other, ty) in smooth {
            res.push(if other == at { unit.clone() } else { work.code.zeros(ty) });
        }
        res
    }

    fn rows(&self, work: &mut Work, results: &[Type]) -> Parts {
        let n_params = self.args.len();
        let active = self.active(work);
        let run = self.run_for_all(work, Keeps::PullBacks);
        self.run_for_none(work, run.as_ref(), results);
        let mut parts = vec![None; results.len() * n_params];
        for (row, result) in results.iter().enumerate().filter(|it| smooth(it.1)) {
            let rows = each(work, &result.split_arrays().0, |work, unit| {
                let mut given = Vec::new();
                for (other, ty) in results.iter().enumerate().filter(|it| smooth(it.1)) {
                    given.push(if other == row { unit.clone() } else { work.code.zeros(ty) });
                }
                let gradient = match &run {
                    Some(run) => self.pull(work, run, given),
                    None => self.vjp(work, self.args, given).1,
                };
                let smooth = self.args.iter().zip(&active).filter(|it| *it.1);
                let filled = smooth.zip(gradient);
                filled.map(|((arg, _), it)| work.code.filled(arg.clone(), it)).collect()
            });
            let columns = active.iter().enumerate().filter(|it| *it.1);
            for ((at, _), rows) in columns.zip(rows) {
                parts[row * n_params + at] = Some(rows);
            }
        }
        parts
    }
}

pub(super) fn is_data(ty: &Type) -> bool {
    matches!(ty.split_arrays().1, Type::Data(..))
}

pub(super) fn smooth(ty: &Type) -> bool {
    *ty.split_arrays().1 == Type::Real
}

/// What comes out for every unit vector of a space: an array of it, by the position of the one.
pub(super) fn each(
    work: &mut Work,
    sizes: &[Size],
    row: impl FnOnce(&mut Work, Atom) -> Vec<Atom>,
) -> Vec<Atom> {
    if sizes.is_empty() {
        return row(work, real(1.0));
    }
    let indices: Vec<Var> = sizes.iter().map(|_| work.code.fresh(Type::Int).var).collect();
    work.code.builder.open();
    let zeros = work.code.zeros(&Type::arrays(sizes, Type::Real));
    let at = indices.iter().map(|it| Atom::Var(*it)).collect();
    let unit =
        Op::Array(ArrayOp::Scatter { into: zeros, indices: at, values: real(1.0), mask: None });
    let unit = work.code.one(unit);
    let results = row(work, unit);
    let body = work.code.builder.close(results);
    work.code.emit(Op::Control(ControlOp::Build { sizes: sizes.to_vec(), indices, body }))
}

/// How a jacobian is made.
#[derive(Clone, Copy)]
enum Way {
    /// One run forwards for each real of the input.
    Columns,
    /// One run backwards for each real of the result.
    Rows,
}

/// The way with fewer runs, whatever the sizes are, if they are not zero; if it is always the same.
fn shorter(inputs: &Size, outputs: &Size) -> Option<Way> {
    let one_more = &mut |var: &Var| Size::var(*var).add(&Size::constant(1));
    let difference = outputs.sub(inputs).substitute(one_more);
    if difference.terms().all(|it| it.1 <= 0) {
        return Some(Way::Rows);
    }
    difference.terms().all(|it| it.1 >= 0).then_some(Way::Columns)
}

/// How many reals there are in values of types that are no sum types.
pub(super) fn count(types: &[Type]) -> Size {
    let smooth = types.iter().filter(|it| smooth(it));
    smooth.fold(Size::constant(0), |sum, it| {
        let sizes = it.split_arrays().0;
        sum.add(&sizes.iter().fold(Size::constant(1), |product, it| product.mul(it)))
    })
}
