//! Calls of definitions: `f.fwd10` gives the results and what its pull-back needs, `f.rev10` is the
//! pull-back, which is handed the sums of the arguments. One of each for every choice of active
//! parameters, shared by all callers; a recursive definition saves a recursive value.

use std::collections::BTreeMap;
use std::rc::Rc;

use base::Name;
use ir::{Atom, Binder, FunctionOp, Op, Origin, Size, Stmt, Type, Var, walk};

use super::environment::Sum;
use super::{Pull, Reverse};
use crate::bulk::call::{Halves, Saved};
use crate::bulk::work::{Callee, Keeps, Work};
use crate::linear::code::atoms;

impl Reverse<'_> {
    pub(super) fn call(
        &mut self,
        stmt: &Stmt,
        def: &Name,
        sizes: &[Size],
        args: &[Atom],
    ) -> Option<Pull> {
        if self.work.code.program().defs[def].origin == Origin::Cast {
            return self.moved(stmt, &args[0], |_, v| v);
        }
        if let Some(custom) = self.work.custom(def) {
            return self.custom(stmt, custom.rev, sizes, args);
        }
        let mask: Vec<bool> = args.iter().map(|it| self.is_active(it)).collect();
        if !self.work.active_results(def, &mask).contains(&true) {
            return self.constant(stmt);
        }
        let callee = self.work.callee(def, &mask, Keeps::PullBacks);
        let saved = self.work.code.fresh(Type::unit());
        let vars: Vec<Var> = stmt.binders.iter().map(|it| it.var).chain([saved.var]).collect();
        let call = |def: &Name, sizes: &[Size], args: Vec<Atom>| {
            Op::Function(FunctionOp::Call {
                def: def.clone(),
                types: Vec::new(),
                sizes: sizes.to_vec(),
                args,
            })
        };
        self.work.code.bind(&vars, call(&callee.fwd, sizes, args.to_vec()));
        let mut first: Vec<Atom> = callee.outer_params.iter().map(|at| args[*at].clone()).collect();
        first.extend(callee.outer_results.iter().map(|at| Atom::Var(stmt.binders[*at].var)));
        first.push(Atom::Var(saved.var));
        let active = stmt.binders.iter().zip(&callee.results).filter(|it| *it.1);
        let active: Vec<Binder> = active.map(|it| it.0.clone()).collect();
        active.iter().for_each(|it| {
            self.activate(it);
        });
        let results: Vec<Var> = active.iter().map(|it| it.var).collect();
        let (sizes, args) = (sizes.to_vec(), args.to_vec());
        Some(Box::new(move |it: &mut Reverse<'_>| {
            let found: Vec<_> = results.iter().map(|var| it.take_all(*var)).collect();
            if found.iter().all(Option::is_none) {
                return;
            }
            let mut given = first;
            for (found, var) in found.into_iter().zip(&results) {
                given.extend(found.unwrap_or_else(|| it.take_or_zeros(*var)));
            }
            // An argument that is given twice is handed over once with its sum, and then with zeros.
            for arg in &args {
                if let Atom::Var(var) = arg
                    && it.is_active(arg)
                {
                    given.extend(it.take_or_zeros(*var));
                }
            }
            let mut sums = it.work.code.emit(call(&callee.rev, &sizes, given)).into_iter();
            for arg in &args {
                if it.is_active(arg) {
                    let n_leaves = it.leaves_of(arg).len();
                    it.contribute_all(arg, sums.by_ref().take(n_leaves).collect());
                }
            }
        }))
    }

    /// A definition with a derivative of its own: the clause is the pull-back.
    fn custom(&mut self, stmt: &Stmt, rev: Name, sizes: &[Size], args: &[Atom]) -> Option<Pull> {
        self.keep(stmt);
        let mut results = Vec::new();
        for binder in &stmt.binders {
            if self.activate(binder) {
                results.push(binder.var);
            }
        }
        let (sizes, args) = (sizes.to_vec(), args.to_vec());
        Some(Box::new(move |it: &mut Reverse<'_>| {
            let found: Vec<_> = results.iter().map(|var| it.take_all(*var)).collect();
            if found.iter().all(Option::is_none) {
                return;
            }
            let mut given = args.clone();
            for (found, var) in found.into_iter().zip(&results) {
                given.extend(found.unwrap_or_else(|| it.take_or_zeros(*var)));
            }
            let call =
                Op::Function(FunctionOp::Call { def: rev, types: Vec::new(), sizes, args: given });
            let mut cotangents = it.work.code.emit(call).into_iter();
            for arg in &args {
                let n_leaves = it.leaves_of(arg).len();
                it.contribute_all(arg, cotangents.by_ref().take(n_leaves).collect());
            }
        }))
    }
}

/// Makes `f.fwd10` and `f.rev10`.
pub(crate) fn define(work: &mut Work, callee: &Rc<Callee>) {
    let def = work.differentiated(&callee.def);
    let mut reverse = Reverse::new(work, &def, &callee.mask);
    let mut sums = Vec::new();
    for (param, _) in def.params.iter().zip(&callee.mask).filter(|it| *it.1) {
        for (leaf, ty) in reverse.work.code.leaves(&param.ty).into_iter().enumerate() {
            sums.push(Sum { slot: (param.var, leaf), given: reverse.work.code.fresh(ty) });
        }
    }
    let mut given = Vec::new();
    for (result, on) in def.results.iter().zip(&callee.results) {
        let leaves =
            if *on { reverse.work.code.result_leaves(&def, &result.ty) } else { Vec::new() };
        given.push(leaves.into_iter().map(|it| reverse.work.code.fresh(it)).collect::<Vec<_>>());
    }
    let part = reverse.part(&def.body);
    let cotangents = given.iter().map(|it| atoms(it)).collect();
    let (primal, term) = reverse.pulled(part, cotangents, &sums, |_| Vec::new());
    let (next_var, spans) = reverse.end();
    let made = Halves { def: &def, primal: &primal, term: &term, next_var, spans: &spans };
    let saved = Saved::new(&mut work.code, callee, made);
    let fwd = saved.fwd(&mut work.code);
    let names: Vec<Var> =
        given.iter().flatten().chain(sums.iter().map(|it| &it.given)).map(|it| it.var).collect();
    let rev = saved.unpacked(&mut work.code, &callee.rev, |code, params, results, term| {
        let names: BTreeMap<Var, Atom> = names.iter().copied().zip(atoms(params)).collect();
        let term = walk::substitute_block(&term, &names);
        code.declare_block(&term);
        let sums = code.builder.reopen(term).into_iter().zip(results);
        let sums = sums.map(|(sum, result)| code.fit(sum, &result.ty)).collect();
        code.builder.close(sums)
    });
    for def in [fwd, rev] {
        work.code.define(def);
    }
}
