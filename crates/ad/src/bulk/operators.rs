//! Derivative operators of definitions become calls of their derivatives.
//!
//! `grad` and `vjp` call `f.vjp`, or share a run of `f` (`operators/kept.rs`); `jvp` calls `f.jvp`, or `f.along`
//! where that saves less, or `f.lanes` for all directions of a build (`operators/in_lanes.rs`); `hvp` calls the
//! `jvp` of the `vjp`; `jacobian` is in `operators/matrix.rs`, `hessian` in `operators/hessian.rs`, `linearise`
//! and what is done with a run in `operators/linearise.rs`. By forward mode all call `f.jvp`
//! (`operators/forward.rs`).

mod at_once;
mod compressed;
mod entries;
mod forward;
mod hessian;
mod in_lanes;
mod kept;
mod linearise;
mod matrix;
mod sparse;

use base::Name;
use ir::{
    Atom, Beside, Binder, Block, Def, DeriveOp, FunctionOp, Op, Operator, Size, Spans, Stmt, Type,
    walk,
};

pub(super) use kept::Run;
use linearise::Part;

use super::Mode;
use super::derived::{jvp, vjp};
use super::lanes::along;
use super::work::Work;
use crate::linear::code::real;

/// The definition without derivative operators.
pub(super) fn expand(work: &mut Work, def: &Def) -> Def {
    let outer = work.code.builder.begin(def.next_var);
    def.size_params.iter().for_each(|it| work.code.builder.declare(*it, Type::Int));
    work.code.declare(&def.params);
    let body = expand_block(work, &def.spans, &def.body);
    let (next_var, mut spans) = work.code.builder.end(outer);
    for (var, span) in &def.spans.0 {
        spans.0.entry(*var).or_insert(*span);
    }
    Def { body, next_var, spans, ..def.clone() }
}

fn expand_block(work: &mut Work, spans: &Spans, block: &Block) -> Block {
    work.code.builder.open();
    let known = work.begin_points(block);
    for stmt in &block.stmts {
        let span = stmt.binders.first().and_then(|it| spans.0.get(&it.var)).copied();
        let outer = work.code.builder.set_span(span);
        if let Op::Derive(DeriveOp::OfDefinition { operator, def, sizes, captured, args }) =
            &stmt.op
        {
            let site = Site { def: def.clone(), sizes: sizes.clone(), captured, args };
            let results = site.expand(work, *operator, &stmt.binders);
            // Where it is refused, there is nothing to bind, and all of it is thrown away.
            work.code.declare(&stmt.binders);
            for (binder, atom) in stmt.binders.iter().zip(results) {
                let atom = work.code.fit(atom, &binder.ty);
                work.code.bind(&[binder.var], Op::Copy(atom));
            }
        } else {
            let op = in_lanes::directions_at_once(work, &stmt.op);
            let op = op.unwrap_or_else(|| stmt.op.clone());
            let op = walk::map_blocks(&op, &mut |bound, block| {
                work.code.declare(bound);
                expand_block(work, spans, block)
            });
            work.code.builder.push(Stmt { binders: stmt.binders.clone(), op });
        }
        work.code.builder.set_span(outer);
    }
    work.end_points(known);
    work.code.builder.close(block.results.clone())
}

/// What `row` gives for the unit vectors of a point, as tangents of its values: of the parameters that a
/// definition has behind such a point.
pub(super) fn runs(
    work: &mut Work,
    (def, sizes): (&Name, Vec<Size>),
    point: &[Atom],
    row: impl Fn(&mut Work, &[bool], Atom) -> Atom,
) -> Vec<Atom> {
    let site = Site { def: def.clone(), sizes, captured: point, args: point };
    site.runs(work, point, row)
}

/// A derivative operator of a definition.
struct Site<'a> {
    def: Name,
    sizes: Vec<Size>,
    captured: &'a [Atom],
    args: &'a [Atom],
}

impl Site<'_> {
    fn expand(&self, work: &mut Work, operator: Operator, binders: &[Binder]) -> Vec<Atom> {
        let types: Vec<Type> = binders.iter().map(|it| it.ty.clone()).collect();
        match operator {
            Operator::Jvp if self.has_run(work, self.n_params(work)) => self.kept(work, Part::Push),
            Operator::Jvp => {
                let (point, directions) = self.split_args(work);
                let active = self.active(work);
                let mut given = Vec::new();
                for (at, _) in active.iter().enumerate().filter(|(_, on)| **on) {
                    given.push(work.code.direction(Beside::Tangent, &point[at], &directions[at]));
                }
                let (values, tangents) = self.jvp(work, point, &active, given);
                self.structured(work, &values, tangents)
            }
            Operator::Vjp if self.has_run(work, work.def(&self.def).results.len()) => {
                self.kept(work, Part::Pull)
            }
            Operator::Vjp => {
                let n_params = self.n_params(work);
                let (point, cotangents) = self.args.split_at(n_params);
                let given = self.checked(work, point, cotangents);
                let gradient = match work.mode {
                    Mode::Mixed | Mode::Maps | Mode::Chad => self.pulled_back(work, point, given).1,
                    Mode::Forward => self.vjp_forwards(work, point, &given),
                };
                self.structured(work, point, gradient)
            }
            Operator::Grad => {
                let (_, gradient) = self.gradient(work);
                self.structured(work, self.args, gradient)
            }
            Operator::ValueAndGrad => {
                let (mut values, gradient) = self.gradient(work);
                values.extend(self.structured(work, self.args, gradient));
                values
            }
            Operator::Hvp => {
                let (point, directions) = self.split_args(work);
                let active = self.active(work);
                let mut given = Vec::new();
                for (at, _) in active.iter().enumerate().filter(|(_, on)| **on) {
                    given.push(work.code.direction(Beside::Tangent, &point[at], &directions[at]));
                }
                let tangents = self.hvp(work, point, &active, given);
                self.structured(work, point, tangents)
            }
            Operator::Jacobian => self.jacobian(work, &types),
            Operator::Hessian => self.hessian(work, &types),
            Operator::Linearise => self.kept(work, Part::Linearise),
        }
    }

    /// Value and gradient of a function that gives a real.
    fn gradient(&self, work: &mut Work) -> (Vec<Atom>, Vec<Atom>) {
        match work.mode {
            Mode::Mixed | Mode::Maps | Mode::Chad => {
                self.pulled_back(work, self.args, vec![real(1.0)])
            }
            Mode::Forward => self.gradient_forwards(work),
        }
    }

    /// The cotangents of results that have reals; those of sum types have the form of the results.
    fn checked(&self, work: &mut Work, point: &[Atom], cotangents: &[Atom]) -> Vec<Atom> {
        let is_data = |it: &Atom| matches!(work.code.type_of(it).split_arrays().1, Type::Data(..));
        let values = match cotangents.iter().any(is_data) {
            true => self.call(work, self.def.clone(), point, Vec::new()),
            false => cotangents.to_vec(),
        };
        self.checked_by(work, &values, cotangents)
    }

    /// The cotangents of results that have reals, by these values, of which those of sum types matter.
    fn checked_by(&self, work: &mut Work, values: &[Atom], cotangents: &[Atom]) -> Vec<Atom> {
        let mut res = Vec::new();
        for (value, cotangent) in values.iter().zip(cotangents) {
            let ty = work.code.type_of(cotangent);
            if work.code.tangent(&ty).is_some() {
                res.push(work.code.direction(Beside::Cotangent, value, cotangent));
            }
        }
        res
    }

    /// Whether the arguments of `jvp` or `vjp`, which have so many directions, end with a run.
    fn has_run(&self, work: &Work, n_directions: usize) -> bool {
        self.args.len() > self.n_params(work) + n_directions
    }

    fn n_params(&self, work: &Work) -> usize {
        work.code.program().defs[&self.def].params.len() - self.captured.len()
    }

    fn split_args(&self, work: &Work) -> (&[Atom], &[Atom]) {
        self.args.split_at(self.n_params(work))
    }

    /// Which parameters have reals.
    fn active(&self, work: &mut Work) -> Vec<bool> {
        let def = work.code.program().defs[&self.def].clone();
        let params = &def.params[self.captured.len()..];
        params.iter().map(|it| work.code.tangent(&it.ty).is_some()).collect()
    }

    fn mask(&self, active: &[bool]) -> Vec<bool> {
        vec![false; self.captured.len()].into_iter().chain(active.iter().copied()).collect()
    }

    fn call(&self, work: &mut Work, def: Name, point: &[Atom], more: Vec<Atom>) -> Vec<Atom> {
        let args = self.captured.iter().chain(point).cloned().chain(more).collect();
        work.code.emit(Op::Function(FunctionOp::Call {
            def,
            types: Vec::new(),
            sizes: self.sizes.clone(),
            args,
        }))
    }

    /// The results, and the tangents of those that have reals.
    fn jvp(
        &self,
        work: &mut Work,
        point: &[Atom],
        active: &[bool],
        directions: Vec<Atom>,
    ) -> (Vec<Atom>, Vec<Atom>) {
        let n_results = work.code.program().defs[&self.def].results.len();
        let mask = self.mask(active);
        let along = self.in_one_run(work, &mask);
        let name = along.unwrap_or_else(|| jvp(work, &self.def, &mask));
        let mut results = self.call(work, name, point, directions);
        let tangents = results.split_off(n_results);
        (results, tangents)
    }

    /// `f.along`, where a Delta term behind the program would have to wait for what loops and calls save.
    /// Without those both are the same operations on whole arrays. The other methods say for themselves how
    /// a tangent goes through a definition.
    fn in_one_run(&self, work: &mut Work, mask: &[bool]) -> Option<Name> {
        if work.mode != Mode::Mixed || !self.is_worth_keeping(work) {
            return None;
        }
        let refused = work.refused.clone();
        let name = along(work, &self.def, mask);
        let is_refused = work.refused != refused;
        work.refused = refused;
        (!is_refused).then_some(name)
    }

    /// The results, and the cotangents of the parameters that have reals.
    fn vjp(
        &self,
        work: &mut Work,
        point: &[Atom],
        cotangents: Vec<Atom>,
    ) -> (Vec<Atom>, Vec<Atom>) {
        let n_results = work.code.program().defs[&self.def].results.len();
        let active = self.active(work);
        let name = vjp(work, &self.def, &self.mask(&active));
        let mut results = self.call(work, name, point, cotangents);
        let gradient = results.split_off(n_results);
        (results, gradient)
    }

    /// The derivative of the gradient along directions of some parameters.
    fn hvp(
        &self,
        work: &mut Work,
        point: &[Atom],
        along: &[bool],
        directions: Vec<Atom>,
    ) -> Vec<Atom> {
        if work.mode == Mode::Forward {
            return self.hvp_forwards(work, point, along, &directions);
        }
        let active = self.active(work);
        let gradient = vjp(work, &self.def, &self.mask(&active));
        work.finish_jobs();
        let mut mask = self.mask(along);
        mask.push(false);
        let name = jvp(work, &gradient, &mask);
        let more = std::iter::once(real(1.0)).chain(directions).collect();
        let results = self.call(work, name, point, more);
        // One value and its tangent; between and behind them the gradient and its tangents.
        let n_active = active.iter().filter(|it| **it).count();
        results[n_active + 2..].to_vec()
    }

    /// Values of the types of `like`: tangents where there are reals, zeros elsewhere.
    fn structured(&self, work: &mut Work, like: &[Atom], tangents: Vec<Atom>) -> Vec<Atom> {
        let mut tangents = tangents.into_iter();
        let mut res = Vec::new();
        for value in like {
            let ty = work.code.type_of(value);
            res.push(match work.code.tangent(&ty) {
                Some(_) => {
                    let tangent = tangents.next().expect("a tangent for each value with reals");
                    work.code.filled(value.clone(), tangent)
                }
                None => work.code.discrete_zero(value.clone()),
            });
        }
        res
    }
}
