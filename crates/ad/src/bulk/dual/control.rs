//! Branches, sum types and calls, which the paper does not have.
//!
//! A branch saves what its Delta term needs, and the Delta term takes the same branch again, by what
//! was saved: `s = if c { ...; save_0 } else { ...; save_1 }`, and in the term `match s { ... }`.

use std::collections::BTreeMap;

use base::Name;
use ir::{Arm, Atom, Binder, Block, ControlOp, FunctionOp, Op, Size, Stmt, Type};

use super::{Dual, Part, Place};
use crate::bulk::code::var_of;
use crate::bulk::saved::{Needs, locals};
use crate::bulk::tangent::{CAST, get_name, tangent_con};

impl Dual<'_> {
    pub(super) fn if_(&mut self, stmt: &Stmt, cond: &Atom, then: &Block, otherwise: &Block) {
        let parts = vec![(self.part(then), Vec::new()), (self.part(otherwise), Vec::new())];
        let primal = |mut blocks: Vec<Block>| {
            let otherwise = blocks.pop().expect("two branches");
            let then = blocks.pop().expect("two branches");
            Op::Control(ControlOp::If { cond: cond.clone(), then, otherwise })
        };
        self.branches(stmt, parts, &primal, &primal);
    }

    pub(super) fn match_(
        &mut self,
        stmt: &Stmt,
        value: &Atom,
        arms: &[Arm],
        otherwise: Option<&Block>,
    ) {
        let value_type = self.code.type_of(value);
        let mut parts = Vec::new();
        for arm in arms {
            self.code.declare(&arm.fields);
            let part = match self.delta(value) {
                None => self.part(&arm.body),
                Some(delta) => self.arm(&value_type, arm, delta),
            };
            parts.push((part, arm.fields.clone()));
        }
        if let Some(block) = otherwise {
            parts.push((self.part(block), Vec::new()));
        }
        let primal = |blocks: Vec<Block>| {
            let mut blocks = blocks.into_iter();
            let arms = arms.iter().zip(&mut blocks);
            let arms = arms.map(|(arm, body)| Arm { body, ..arm.clone() }).collect();
            Op::Control(ControlOp::Match { value: value.clone(), arms, otherwise: blocks.next() })
        };
        // The fields are needed nowhere else, so in the term the arms bind others.
        let renamed: Vec<Arm> = arms
            .iter()
            .map(|arm| Arm { fields: self.code.fields(&value_type, &arm.con), ..arm.clone() })
            .collect();
        let term = |blocks: Vec<Block>| {
            let mut blocks = blocks.into_iter();
            let arms = renamed.iter().zip(&mut blocks);
            let arms = arms.map(|(arm, body)| Arm { body, ..arm.clone() }).collect();
            Op::Control(ControlOp::Match { value: value.clone(), arms, otherwise: blocks.next() })
        };
        self.branches(stmt, parts, &primal, &term);
    }

    /// An arm of the match of an active value: the Deltas of the fields are in that of the value.
    fn arm(&mut self, ty: &Type, arm: &Arm, delta: Atom) -> Part {
        let Type::Data(_, _, sizes) = ty else { panic!("compiler bug: a match of {ty}") };
        let smooth: Vec<(Binder, Type)> = arm
            .fields
            .iter()
            .filter_map(|it| Some((it.clone(), self.code.work.tangent(&it.ty)?)))
            .collect();
        if smooth.is_empty() {
            return self.part(&arm.body);
        }
        let n_sizes = self.n_sizes(ty, &arm.con);
        let mut args: Vec<Atom> =
            arm.fields[..n_sizes].iter().map(|it| Atom::Var(it.var)).collect();
        args.push(delta);
        let (def, sizes) = (get_name(&arm.con), sizes.clone());
        let get = Op::Function(FunctionOp::Call { def, types: Vec::new(), sizes, args });
        if self.place == Place::Along {
            return self.arm_along(arm, &smooth, |it| it.linear(get));
        }
        self.terms.push(Vec::new());
        self.depth += 1;
        let deltas = self.linear(get);
        for ((field, _), delta) in smooth.iter().zip(deltas) {
            self.set(field, delta);
        }
        self.depth -= 1;
        let first = self.terms.pop().expect("opened above");
        let mut part = self.part(&arm.body);
        part.term.splice(0..0, first);
        part
    }

    fn n_sizes(&self, ty: &Type, con: &Name) -> usize {
        let cons = ir::typing::constructors(&self.code.work.program, ty).unwrap_or_default();
        cons.iter().find(|it| it.name == *con).map_or(0, |it| it.sizes.len())
    }

    /// Blocks of which one runs: the statement, and in the term a match of what it saved.
    fn branches(
        &mut self,
        stmt: &Stmt,
        parts: Vec<(Part, Vec<Binder>)>,
        primal: &dyn Fn(Vec<Block>) -> Op,
        again: &dyn Fn(Vec<Block>) -> Op,
    ) {
        let n_results = stmt.binders.len();
        let on = |at: usize| parts.iter().any(|(it, _)| it.deltas[at].is_some());
        let types: Vec<Option<Type>> = (0..n_results)
            .map(|at| if on(at) { self.code.work.tangent(&stmt.binders[at].ty) } else { None })
            .collect();
        if types.iter().all(Option::is_none) {
            return self.keep(stmt);
        }
        self.code.declare(&stmt.binders);
        if self.place == Place::Along {
            let parts = parts.into_iter().map(|it| it.0).collect();
            return self.branches_along(stmt, parts, &types, primal);
        }
        let (mut bodies, mut terms, mut needs) = (Vec::new(), Vec::new(), Vec::new());
        for (part, fields) in parts {
            let (body, term) = self.finish(part, &types);
            needs.push(self.code.needs(&term, &locals(&body, &fields), &BTreeMap::new()));
            bodies.push(body);
            terms.push(term);
        }
        let vars: Vec<_> = stmt.binders.iter().map(|it| it.var).collect();
        let deltas = if needs.iter().all(|it| it.vars.is_empty()) {
            self.keep_as(&vars, primal(bodies));
            self.linear(again(terms))
        } else {
            let saved = self.save(&vars, bodies, &needs, primal);
            self.taken(&saved, terms, &needs)
        };
        let active = stmt.binders.iter().zip(&types).filter(|(_, ty)| ty.is_some());
        for ((binder, _), delta) in active.zip(deltas) {
            self.set(binder, delta);
        }
    }

    /// The statement with other parts in it.
    pub(super) fn keep_as(&mut self, vars: &[ir::Var], op: Op) {
        let stmt = self.code.stmt(vars, op);
        self.keep(&stmt);
    }

    /// The statement, which also gives what its branches save; this is returned.
    fn save(
        &mut self,
        vars: &[ir::Var],
        bodies: Vec<Block>,
        needs: &[Needs],
        primal: &dyn Fn(Vec<Block>) -> Op,
    ) -> (Atom, Vec<Name>) {
        let refs: Vec<&Needs> = needs.iter().collect();
        let outer = self.code.outer_sizes(&refs);
        let name = self.code.work.saved_name(&self.def.name);
        let cons = self.code.declare_saved(&name, &refs, &outer);
        let sizes = outer.into_iter().map(Size::var).collect();
        let ty = Type::Data(name, Vec::new(), sizes);
        let mut blocks = Vec::new();
        for ((body, con), needs) in bodies.into_iter().zip(&cons).zip(needs) {
            let mut results = self.code.builder.reopen(body);
            results.push(self.code.saved_value(&ty, con, needs));
            blocks.push(self.code.builder.close(results));
        }
        let saved = self.code.fresh(ty);
        let vars: Vec<_> = vars.iter().copied().chain([saved.var]).collect();
        self.keep_as(&vars, primal(blocks));
        (Atom::Var(saved.var), cons)
    }

    /// In the term, the branch that was taken.
    fn taken(
        &mut self,
        (saved, cons): &(Atom, Vec<Name>),
        terms: Vec<Block>,
        needs: &[Needs],
    ) -> Vec<Atom> {
        let ty = self.code.type_of(saved);
        let ways = terms.into_iter().zip(cons).zip(needs);
        let arms =
            ways.map(|((term, con), needs)| self.code.saved_arm(&ty, con, needs, term)).collect();
        self.linear(Op::Control(ControlOp::Match { value: saved.clone(), arms, otherwise: None }))
    }

    pub(super) fn con(&mut self, stmt: &Stmt, ty: &Type, con: &Name, args: &[Atom]) {
        self.keep(stmt);
        let Some(tangent) = self.code.work.tangent(ty) else { return };
        let n_sizes = self.n_sizes(ty, con);
        let mut parts = args[..n_sizes].to_vec();
        for arg in &args[n_sizes..] {
            let arg_type = self.code.type_of(arg);
            if self.code.work.tangent(&arg_type).is_some() {
                let delta = self.delta_or_zeros(arg);
                parts.push(delta);
            }
        }
        let con = tangent_con(con);
        let delta = self.linear_one(Op::Con { ty: tangent, con, args: parts });
        self.set(&stmt.binders[0], delta);
    }

    pub(super) fn call(&mut self, stmt: &Stmt, def: &Name, sizes: &[Size], args: &[Atom]) {
        if def.ends_with(CAST) {
            self.keep(stmt);
            if let Some(delta) = self.delta(&args[0]) {
                self.set(&stmt.binders[0], delta);
            }
            return;
        }
        if let Some(custom) = self.code.work.custom(def) {
            return self.custom(stmt, custom.lin, sizes, args);
        }
        let mask: Vec<bool> = args.iter().map(|it| self.is_active(it)).collect();
        if !self.code.work.active_results(def, &mask).contains(&true) {
            return self.keep(stmt);
        }
        if self.place == Place::Along {
            return self.call_along(stmt, (def, &mask), sizes, args);
        }
        let callee = self.code.work.callee(def, &mask);
        let saved = self.code.fresh(Type::unit());
        let vars: Vec<_> = stmt.binders.iter().map(|it| it.var).chain([saved.var]).collect();
        let (name, types) = (callee.fwd.clone(), Vec::new());
        let (sizes, args) = (sizes.to_vec(), args.to_vec());
        self.keep_as(
            &vars,
            Op::Function(FunctionOp::Call {
                def: name,
                types,
                sizes: sizes.clone(),
                args: args.clone(),
            }),
        );
        let mut given: Vec<Atom> = callee.outer_params.iter().map(|at| args[*at].clone()).collect();
        given.extend(callee.outer_results.iter().map(|at| Atom::Var(stmt.binders[*at].var)));
        given.push(Atom::Var(saved.var));
        given.extend(args.iter().filter(|it| var_of(it).is_some()).filter_map(|it| self.delta(it)));
        let (name, types) = (callee.lin.clone(), Vec::new());
        let deltas =
            self.linear(Op::Function(FunctionOp::Call { def: name, types, sizes, args: given }));
        let active = stmt.binders.iter().zip(&callee.results).filter(|(_, on)| **on);
        for ((binder, _), delta) in active.zip(deltas) {
            self.set(binder, delta);
        }
    }

    /// A call of a definition with a derivative of its own.
    fn custom(&mut self, stmt: &Stmt, lin: Name, sizes: &[Size], args: &[Atom]) {
        self.keep(stmt);
        let mut given = args.to_vec();
        for arg in args {
            let ty = self.code.type_of(arg);
            if self.code.work.tangent(&ty).is_some() {
                given.push(self.delta_or_zeros(arg));
            }
        }
        let sizes = sizes.to_vec();
        let deltas = self.linear(Op::Function(FunctionOp::Call {
            def: lin,
            types: Vec::new(),
            sizes,
            args: given,
        }));
        let mut deltas = deltas.into_iter();
        for binder in &stmt.binders {
            if self.code.work.tangent(&binder.ty).is_some() {
                let delta = deltas.next().expect("a Delta for each result with reals");
                self.set(binder, delta);
            }
        }
    }
}
