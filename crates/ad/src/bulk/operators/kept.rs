//! Pull-backs that are kept: a definition that is differentiated backwards at one point more than once runs
//! once, by `f.fwd`, and each pull-back is a call of `f.rev` with what that saved.
//!
//! `let back = vjp(f)(x); back(a) + back(b)` has come to two operators at the point `x` by now. Which
//! points come again in a block is known before it is expanded, so that all others stay calls of `f.vjp`.
//! Not done: a pull-back that is called in a loop and was not called before it; the loop may have no step.

use std::rc::Rc;

use ir::{Atom, Block, ControlOp, DeriveOp, FunctionOp, Op, Operator, walk};

use super::Site;
use crate::bulk::work::{Callee, Keeps, Kept, Point, Work};

impl Work {
    /// Begins a block: notes which points come again. Gives what [`Work::end_points`] wants.
    pub(super) fn begin_points(&mut self, block: &Block) -> usize {
        let known = self.kept.len();
        self.depth += 1;
        let own: Vec<Point> = block.stmts.iter().filter_map(|it| point(self, &it.op)).collect();
        let mut all = Vec::new();
        all_points(self, block, &mut all);
        for point in own {
            let again = all.iter().filter(|it| **it == point).count() > 1;
            if again && self.kept.iter().all(|it| it.point != point) {
                self.kept.push(Kept { point, depth: self.depth, run: None });
            }
        }
        known
    }

    /// Ends a block.
    pub(super) fn end_points(&mut self, known: usize) {
        self.kept.truncate(known);
        self.depth -= 1;
    }
}

/// The point of an operator that goes backwards.
fn point(work: &Work, op: &Op) -> Option<Point> {
    let Op::Derive(DeriveOp::OfDefinition { operator, def, sizes, captured, args }) = op else {
        return None;
    };
    let differentiated = work.code.program().defs.get(def)?;
    let n_params = differentiated.params.len() - captured.len();
    match operator {
        // It has a run.
        Operator::Vjp if args.len() > n_params + differentiated.results.len() => None,
        Operator::Vjp | Operator::Grad | Operator::ValueAndGrad => {
            let point = captured.iter().chain(&args[..n_params]).cloned().collect();
            Some((def.clone(), sizes.clone(), point))
        }
        Operator::Jvp | Operator::Jacobian | Operator::Hessian | Operator::Hvp => None,
        Operator::Linearise => None,
    }
}

fn all_points(work: &Work, block: &Block, found: &mut Vec<Point>) {
    for stmt in &block.stmts {
        found.extend(point(work, &stmt.op));
        walk::blocks(&stmt.op).into_iter().for_each(|it| all_points(work, it.1, found));
    }
}

/// A run of a definition that was kept: what it took, its results, and what it saved.
#[derive(Clone)]
pub(in crate::bulk) struct Run {
    pub(super) callee: Rc<Callee>,
    pub(super) values: Vec<Atom>,
    pub(super) results: Vec<Atom>,
    pub(super) saved: Atom,
}

impl Site<'_> {
    /// Whether it pays to keep a run, where one is wanted for many rows or columns. Whole operations are
    /// seen to be the same for all of them anyway; loops and calls are not.
    pub(super) fn is_worth_keeping(&self, work: &Work) -> bool {
        fn has_loop(block: &Block) -> bool {
            block.stmts.iter().any(|it| match &it.op {
                Op::Function(_) => true,
                Op::Control(ControlOp::If { .. } | ControlOp::Match { .. }) => {
                    walk::blocks(&it.op).into_iter().any(|it| has_loop(it.1))
                }
                Op::Control(_) => true,
                Op::Copy(_) | Op::Prim(..) | Op::Size(_) | Op::Tuple { .. } => false,
                Op::Proj { .. } | Op::Con { .. } | Op::Equal(..) | Op::Close(..) => false,
                Op::Array(_) | Op::Derive(_) | Op::Delta(_) => false,
            })
        }
        has_loop(&work.code.program().defs[&self.def].body)
    }

    /// Runs the definition by `f.fwd`; none if nothing that it gives depends on active parameters.
    pub(super) fn run(
        &self,
        work: &mut Work,
        point: &[Atom],
        active: &[bool],
        keeps: Keeps,
    ) -> Option<Run> {
        let mask = self.mask(active);
        if !work.active_results(&self.def, &mask).contains(&true) {
            return None;
        }
        let callee = work.callee(&self.def, &mask, keeps);
        let mut results = self.call(work, callee.fwd.clone(), point, Vec::new());
        let saved = results.pop().expect("what is saved");
        let values = self.captured.iter().chain(point).cloned().collect();
        Some(Run { callee, values, results, saved })
    }

    /// The results, and the cotangents of the parameters that have reals; the definition runs only if it
    /// has not at this point.
    pub(super) fn pulled_back(
        &self,
        work: &mut Work,
        point: &[Atom],
        cotangents: Vec<Atom>,
    ) -> (Vec<Atom>, Vec<Atom>) {
        let values: Vec<Atom> = self.captured.iter().chain(point).cloned().collect();
        let here = (self.def.clone(), self.sizes.clone(), values);
        let Some(at) = work.kept.iter().position(|it| it.point == here) else {
            return self.vjp(work, point, cotangents);
        };
        let known = work.kept[at].run.clone();
        // What a block inside runs is not known outside of it.
        let may_run = known.is_some() || work.kept[at].depth == work.depth;
        let active = self.active(work);
        let run = known.or_else(|| match may_run {
            true => self.run(work, point, &active, Keeps::PullBacks),
            false => None,
        });
        let Some(run) = run else { return self.vjp(work, point, cotangents) };
        work.kept[at].run = Some(run.clone());
        let gradient = self.pull(work, &run, cotangents);
        (run.results, gradient)
    }

    /// A call of `f.rev`: the cotangents of the active parameters of a run, for those of all results with
    /// reals.
    pub(super) fn pull(&self, work: &mut Work, run: &Run, cotangents: Vec<Atom>) -> Vec<Atom> {
        let mut args = run.first();
        let mut cotangents = cotangents.into_iter();
        for (result, on) in run.results.iter().zip(&run.callee.results) {
            let ty = work.code.type_of(result);
            let Some(ty) = work.code.tangent(&ty) else { continue };
            let cotangent = cotangents.next().expect("a cotangent for each result with reals");
            if *on {
                args.push(work.code.fit(cotangent, &ty));
            }
        }
        for (value, _) in run.values.iter().zip(&run.callee.mask).filter(|it| *it.1) {
            let ty = work.code.type_of(value);
            if let Some(ty) = work.code.tangent(&ty) {
                args.push(work.code.zeros(&ty));
            }
        }
        let (def, sizes) = (run.callee.rev.clone(), self.sizes.clone());
        work.code.emit(Op::Function(FunctionOp::Call { def, types: Vec::new(), sizes, args }))
    }

    /// A call of `f.lin`: the tangents of all results with reals, for those of the active parameters of a
    /// run.
    pub(super) fn push(&self, work: &mut Work, run: &Run, tangents: Vec<Atom>) -> Vec<Atom> {
        let mut args = run.first();
        args.extend(tangents);
        let (def, sizes) = (run.callee.lin.clone(), self.sizes.clone());
        let given =
            work.code.emit(Op::Function(FunctionOp::Call { def, types: Vec::new(), sizes, args }));
        let mut given = given.into_iter();
        let mut res = Vec::new();
        for (result, on) in run.results.iter().zip(&run.callee.results) {
            let ty = work.code.type_of(result);
            let Some(ty) = work.code.tangent(&ty) else { continue };
            res.push(match on {
                true => given.next().expect("a tangent for each active result"),
                false => work.code.zeros(&ty),
            });
        }
        res
    }
}

impl Run {
    /// The first arguments of `f.lin` and `f.rev`.
    fn first(&self) -> Vec<Atom> {
        let params = self.callee.outer_params.iter().map(|at| &self.values[*at]);
        let results = self.callee.outer_results.iter().map(|at| &self.results[*at]);
        params.chain(results).chain([&self.saved]).cloned().collect()
    }
}
