//! Pull-backs that are kept: a definition that is differentiated backwards at one point more than once runs
//! once, by `f.fwd`, and each pull-back is a call of `f.rev` with what that saved.
//!
//! `let back = vjp(f)(x); back(a) + back(b)` has come to two operators at the point `x` by now. Which
//! points come again in a block is known before it is expanded, so that all others stay calls of `f.vjp`.
//! Not done: a pull-back that is called in a loop and was not called before it; the loop may have no step.

use ir::{Atom, Block, DeriveOp, FunctionOp, Op, Operator, walk};

use super::Site;
use crate::bulk::work::{Callee, Kept, Point, Work};

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
    let n_params = work.code.program().defs.get(def)?.params.len() - captured.len();
    match operator {
        Operator::Vjp | Operator::Grad | Operator::ValueAndGrad => {
            let point = captured.iter().chain(&args[..n_params]).cloned().collect();
            Some((def.clone(), sizes.clone(), point))
        }
        Operator::Jvp | Operator::Jacobian | Operator::Hessian | Operator::Hvp => None,
    }
}

fn all_points(work: &Work, block: &Block, found: &mut Vec<Point>) {
    for stmt in &block.stmts {
        found.extend(point(work, &stmt.op));
        walk::blocks(&stmt.op).into_iter().for_each(|it| all_points(work, it.1, found));
    }
}

impl Site<'_> {
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
        let mask = self.mask(&self.active(work));
        // What a block inside runs is not known outside of it.
        let may_run = work.kept[at].run.is_some() || work.kept[at].depth == work.depth;
        if !may_run || !work.active_results(&self.def, &mask).contains(&true) {
            return self.vjp(work, point, cotangents);
        }
        let callee = work.callee(&self.def, &mask);
        let (results, saved) = match work.kept[at].run.clone() {
            Some(run) => run,
            None => {
                let mut results = self.call(work, callee.fwd.clone(), point, Vec::new());
                let saved = results.pop().expect("what is saved");
                work.kept[at].run = Some((results.clone(), saved.clone()));
                (results, saved)
            }
        };
        let gradient = self.reverse(work, &callee, (&here.2, &results, saved), cotangents);
        (results, gradient)
    }

    /// A call of `f.rev`.
    fn reverse(
        &self,
        work: &mut Work,
        callee: &Callee,
        (values, results, saved): (&[Atom], &[Atom], Atom),
        cotangents: Vec<Atom>,
    ) -> Vec<Atom> {
        let mut args: Vec<Atom> =
            callee.outer_params.iter().map(|at| values[*at].clone()).collect();
        args.extend(callee.outer_results.iter().map(|at| results[*at].clone()));
        args.push(saved);
        let mut cotangents = cotangents.into_iter();
        for (result, on) in results.iter().zip(&callee.results) {
            let ty = work.code.type_of(result);
            let Some(ty) = work.code.tangent(&ty) else { continue };
            let cotangent = cotangents.next().expect("a cotangent for each result with reals");
            if *on {
                args.push(work.code.fit(cotangent, &ty));
            }
        }
        for (value, _) in values.iter().zip(&callee.mask).filter(|it| *it.1) {
            let ty = work.code.type_of(value);
            if let Some(ty) = work.code.tangent(&ty) {
                args.push(work.code.zeros(&ty));
            }
        }
        let (def, sizes) = (callee.rev.clone(), self.sizes.clone());
        work.code.emit(Op::Function(FunctionOp::Call { def, types: Vec::new(), sizes, args }))
    }
}
