//! Branches, sum types, calls and loops, as far as they are the same wherever the Delta term is.

use base::{Name, Span};
use ir::{
    Arm, ArrayOp, Atom, Binder, Block, ControlOp, FunctionOp, Loop, Op, Origin, Prim, Size, Stmt,
    Type, Var,
};

use super::{Branches, Dual, Part};
use crate::linear::tangent::{get_name, tangent_con};

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
        let value_type = self.work.code.type_of(value);
        let mut parts = Vec::new();
        for arm in arms {
            self.work.code.declare(&arm.fields);
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
            .map(|arm| Arm { fields: self.work.code.fields(&value_type, &arm.con), ..arm.clone() })
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
        let mut smooth = arm.fields.clone();
        smooth.retain(|it| self.work.code.tangent(&it.ty).is_some());
        if smooth.is_empty() {
            return self.part(&arm.body);
        }
        let n_sizes = self.n_sizes(ty, &arm.con);
        let mut args: Vec<Atom> =
            arm.fields[..n_sizes].iter().map(|it| Atom::Var(it.var)).collect();
        args.push(delta);
        let (def, sizes) = (get_name(&arm.con), sizes.clone());
        let get = Op::Function(FunctionOp::Call { def, types: Vec::new(), sizes, args });
        self.place.arm(self, arm, &smooth, get)
    }

    fn n_sizes(&self, ty: &Type, con: &Name) -> usize {
        let cons = ir::typing::constructors(&self.work.code.program(), ty).unwrap_or_default();
        cons.iter().find(|it| it.name == *con).map_or(0, |it| it.sizes.len())
    }

    /// Blocks of which one runs.
    fn branches(
        &mut self,
        stmt: &Stmt,
        parts: Vec<(Part, Vec<Binder>)>,
        primal: &dyn Fn(Vec<Block>) -> Op,
        again: &dyn Fn(Vec<Block>) -> Op,
    ) {
        let on = |at: usize| parts.iter().any(|(it, _)| it.deltas[at].is_some());
        let types: Vec<Option<Type>> = (0..stmt.binders.len())
            .map(|at| if on(at) { self.work.code.tangent(&stmt.binders[at].ty) } else { None })
            .collect();
        if types.iter().all(Option::is_none) {
            return self.keep(stmt);
        }
        self.work.code.declare(&stmt.binders);
        self.place.branches(self, stmt, Branches { parts, types, primal, again });
    }

    /// The statement with other parts in it.
    pub(in crate::bulk) fn keep_as(&mut self, vars: &[ir::Var], op: Op) {
        let stmt = self.work.code.stmt(vars, op);
        self.keep(&stmt);
    }

    pub(super) fn con(&mut self, stmt: &Stmt, ty: &Type, con: &Name, args: &[Atom]) {
        self.keep(stmt);
        let Some(tangent) = self.work.code.tangent(ty) else { return };
        let n_sizes = self.n_sizes(ty, con);
        let mut parts = args[..n_sizes].to_vec();
        for arg in &args[n_sizes..] {
            let arg_type = self.work.code.type_of(arg);
            if self.work.code.tangent(&arg_type).is_some() {
                let delta = self.delta_or_zeros(arg);
                parts.push(delta);
            }
        }
        let con = tangent_con(con);
        let delta = self.linear_one(Op::Con { ty: tangent, con, args: parts });
        self.set(&stmt.binders[0], delta);
    }

    pub(super) fn call(&mut self, stmt: &Stmt, def: &Name, sizes: &[Size], args: &[Atom]) {
        if self.work.code.program().defs[def].origin == Origin::Cast {
            self.keep(stmt);
            if let Some(delta) = self.delta(&args[0]) {
                self.set(&stmt.binders[0], delta);
            }
            return;
        }
        if let Some(custom) = self.work.custom(def) {
            return self.custom(stmt, custom.lin, sizes, args);
        }
        let mask: Vec<bool> = args.iter().map(|it| self.is_active(it)).collect();
        if !self.work.active_results(def, &mask).contains(&true) {
            return self.keep(stmt);
        }
        self.place.call(self, stmt, (def, &mask, sizes, args));
    }

    /// A call of a definition with a derivative of its own.
    fn custom(&mut self, stmt: &Stmt, lin: Name, sizes: &[Size], args: &[Atom]) {
        self.keep(stmt);
        let mut given = args.to_vec();
        for arg in args {
            let ty = self.work.code.type_of(arg);
            if self.work.code.tangent(&ty).is_some() {
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
            if self.work.code.tangent(&binder.ty).is_some() {
                let delta = deltas.next().expect("a Delta for each result with reals");
                self.set(binder, delta);
            }
        }
    }

    pub(super) fn scan(
        &mut self,
        stmt: &Stmt,
        inits: &[Atom],
        arrays: &[Atom],
        step: &Loop,
        span: Option<Span>,
    ) {
        let mut step = step.clone();
        step.body.results.extend(step.body.results.clone());
        let last: Vec<Binder> =
            step.state.iter().map(|it| self.work.code.fresh(it.ty.clone())).collect();
        let binders: Vec<Binder> = last.into_iter().chain(stmt.binders.clone()).collect();
        self.place.fold(self, (&binders, span), (inits, arrays), &step);
    }

    pub(super) fn iterate(
        &mut self,
        stmt: &Stmt,
        count: &Atom,
        index: Var,
        (inits, state): (&[Atom], &[Binder]),
        body: &Block,
        span: Option<Span>,
    ) {
        let size = self.work.code.prim(Prim::Max, vec![count.clone(), Atom::Int(0)]);
        let size = ir::signature::atom_size(&size).expect("an Int");
        let all = self.work.code.one(Op::Array(ArrayOp::Iota(size)));
        let elems = vec![Binder { var: index, ty: Type::Int }];
        let step = Loop { state: state.to_vec(), elems, body: body.clone() };
        self.place.fold(self, (&stmt.binders, span), (inits, &[all]), &step);
    }

    /// Deltas for the parts of a state that are active.
    pub(in crate::bulk) fn state_deltas(&mut self, state: &[Binder], on: &[bool]) -> Vec<Binder> {
        let mut res = Vec::new();
        for (binder, _) in state.iter().zip(on).filter(|(_, on)| **on) {
            let ty = self.work.code.tangent(&binder.ty).expect("an active state");
            res.push(self.input(binder.var, ty));
        }
        res
    }
}
