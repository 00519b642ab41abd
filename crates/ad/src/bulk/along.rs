//! Forward mode in one run: the Delta term runs along with the program, so that nothing is saved. Blocks
//! give the tangents of their results behind these, loops have those of their state beside it, and calls
//! are calls of `f.jvp`.
//!
//! Paper: Krawiec et al., Figure 3, with the parts of a pair as variables of their own.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use base::Name;
use ir::{
    Arm, Atom, Binder, Block, ControlOp, Def, FunctionOp, Loop, Op, Origin, Size, Spans, Stmt,
    Type, Var,
};

use super::derived::jvp;
use super::dual::{Bound, Branches, Called, Deltas, Dual, Part, Place, State};
use super::lanes;
use super::work::{Work, as_call};
use crate::linear::apply;
use crate::linear::code::{stub, with_sizes};

/// The result at each place of a block, if it has a tangent: its type.
type Types = [Option<Type>];

/// The body of `f.jvp`, in one run, which saves nothing.
pub(crate) fn jvp_along(work: &mut Work, def: &Arc<Def>, mask: &[bool], name: &Name) {
    along(work, def, mask, name, &BY_JVP);
}

/// As [`jvp_along`], with callees that run along too, whatever the method.
pub(super) fn run_with_tangents(work: &mut Work, def: &Arc<Def>, mask: &[bool], name: &Name) {
    along(work, def, mask, name, &BY_ALONG);
}

fn along(work: &mut Work, def: &Arc<Def>, mask: &[bool], name: &Name, place: &'static Along) {
    let mut next = def.next_var;
    let mut fresh = |ty: Type| {
        next += 1;
        Binder { var: Var(next - 1), ty }
    };
    let (mut params, mut results) = (def.params.clone(), def.results.clone());
    for (param, _) in def.params.iter().zip(mask).filter(|it| *it.1) {
        params.extend(work.code.tangent(&param.ty).map(&mut fresh));
    }
    let tangents: Vec<Option<Type>> =
        def.results.iter().map(|it| work.code.tangent(&it.ty)).collect();
    results.extend(tangents.iter().flatten().cloned().map(&mut fresh));
    // It may call itself.
    let named = (name.clone(), Origin::Derivative);
    let stub = stub(named, def.size_params.clone(), params, results, next);
    work.code.define_shared(stub.clone());
    let body = match work.code.program().customs.contains_key(&def.name) {
        true => Arc::new(as_call(def)),
        false => def.clone(),
    };
    // Above the numbers of the signature.
    let body = Arc::new(Def { next_var: body.next_var.max(next), ..Def::clone(&body) });
    let of = |var: Var| {
        let at = def.results.iter().position(|it| it.var == var)?;
        body.body.results.get(at).cloned()
    };
    let inside = |ty: &Option<Type>| ty.as_ref().map(|it| with_sizes(it, &of));
    let types: Vec<Option<Type>> = tangents.iter().map(inside).collect();
    let (inputs, block, next_var, spans) = run_along(work, &body, mask, &types, place);
    let params = def.params.iter().cloned().chain(inputs).collect();
    let made = Def { params, body: block, next_var, spans, ..Def::clone(&stub) };
    work.code.define(made);
}

/// The body of `f.jvp` with the parameters of the mask active, and the tangents that it takes. It gives
/// the results, and the tangents of those that have reals, which are of these types.
fn run_along(
    work: &mut Work,
    def: &Arc<Def>,
    mask: &[bool],
    types: &[Option<Type>],
    place: &'static Along,
) -> (Vec<Binder>, Block, u32, Spans) {
    let (mut dual, inputs) = Dual::new(work, def, mask, place, Rc::new(Deltas));
    let part = dual.part(&def.body);
    let body = dual.along(part, types, def.results.len());
    let body = apply::lower(&mut dual.work.code, body);
    let (next_var, spans) = dual.end();
    (inputs.into_iter().flatten().collect(), body, next_var, spans)
}

/// Among the statements of the program; which derivative of a definition calls become calls of.
struct Along(fn(&mut Work, &Name, &[bool]) -> Name);

static BY_JVP: Along = Along(jvp);
static BY_ALONG: Along = Along(lanes::along);

impl Place for Along {
    fn push(&self, dual: &mut Dual<'_>, stmt: Stmt) {
        dual.work.code.builder.push(stmt);
    }

    fn arm(&self, dual: &mut Dual<'_>, arm: &Arm, smooth: &[Binder], get: Op) -> Part {
        dual.arm_along(arm, smooth, get)
    }

    fn branches(&self, dual: &mut Dual<'_>, stmt: &Stmt, branches: Branches<'_>) {
        let parts = branches.parts.into_iter().map(|it| it.0).collect();
        dual.branches_along(stmt, parts, &branches.types, branches.primal);
    }

    fn call(&self, dual: &mut Dual<'_>, stmt: &Stmt, call: Called<'_>) {
        dual.call_along(stmt, call, self.0);
    }

    fn build(&self, dual: &mut Dual<'_>, stmt: &Stmt, sizes: &[Size], at: &[Var], body: &Block) {
        dual.build_along(stmt, sizes, at, body);
    }

    fn fold(
        &self,
        dual: &mut Dual<'_>,
        (binders, _): Bound<'_>,
        (inits, arrays): (&[Atom], &[Atom]),
        step: &Loop,
    ) {
        dual.fold_along(binders, inits, arrays, step);
    }

    fn while_(
        &self,
        dual: &mut Dual<'_>,
        (binders, _): Bound<'_>,
        state: State<'_>,
        [cond, body]: [&Block; 2],
    ) {
        dual.while_along(binders, state, cond, body);
    }
}

impl Dual<'_> {
    /// The block with the tangents of those results for which a type is given, in groups: the first
    /// `n_state` results, their tangents, the others, their tangents.
    fn along(&mut self, part: Part, types: &Types, n_state: usize) -> Block {
        let results = self.work.code.builder.reopen(part.primal);
        let mut tangents = Vec::new();
        for (delta, ty) in part.deltas.into_iter().zip(types) {
            tangents.push(match (delta, ty) {
                (Some(delta), Some(ty)) => Some(self.fit(delta, ty)),
                (None, Some(ty)) => Some(self.term_zeros(ty)),
                (_, None) => None,
            });
        }
        let results = grouped(&results, &tangents, n_state);
        self.work.code.builder.close(results)
    }

    /// A statement that gives tangents behind its results, in the same groups.
    fn bind_along(&mut self, binders: &[Binder], types: &Types, n_state: usize, op: Op) {
        let vars: Vec<Var> = binders.iter().map(|it| it.var).collect();
        let fresh = |it: &Option<Type>| it.as_ref().map(|_| self.work.code.fresh(Type::unit()).var);
        let tangents: Vec<Option<Var>> = types.iter().map(fresh).collect();
        let all = grouped(&vars, &tangents, n_state);
        self.keep_as(&all, op);
        for (binder, tangent) in binders.iter().zip(tangents) {
            if let Some(tangent) = tangent {
                self.set(binder, Atom::Var(tangent));
            }
        }
    }

    fn branches_along(
        &mut self,
        stmt: &Stmt,
        parts: Vec<Part>,
        types: &Types,
        op: &dyn Fn(Vec<Block>) -> Op,
    ) {
        let n_results = stmt.binders.len();
        let mut blocks = Vec::new();
        for part in parts {
            // Sizes that the statement gives are what the block gives.
            let of = |var: Var| {
                let at = stmt.binders.iter().position(|it| it.var == var)?;
                part.primal.results.get(at).cloned()
            };
            let inside = |ty: &Option<Type>| ty.as_ref().map(|it| with_sizes(it, &of));
            let types: Vec<Option<Type>> = types.iter().map(inside).collect();
            blocks.push(self.along(part, &types, n_results));
        }
        self.bind_along(&stmt.binders, types, n_results, op(blocks));
    }

    /// An arm of the match of an active value: the tangents of the fields are in that of the value.
    fn arm_along(&mut self, arm: &Arm, smooth: &[Binder], get: Op) -> Part {
        self.work.code.builder.open();
        let tangents = self.linear(get);
        for (field, tangent) in smooth.iter().zip(tangents) {
            self.set(field, tangent);
        }
        let first = self.work.code.builder.close(Vec::new()).stmts;
        let mut part = self.part(&arm.body);
        part.primal.stmts.splice(0..0, first);
        part
    }

    fn fold_along(&mut self, binders: &[Binder], inits: &[Atom], arrays: &[Atom], step: &Loop) {
        let mut active: BTreeSet<Var> = self.deltas.keys().copied().collect();
        let (on, _) = self.work.loop_activity(inits, arrays, step, &mut active);
        self.work.code.declare(&step.state);
        self.work.code.declare(&step.elems);
        let (mut arrays, mut elems) = (arrays.to_vec(), step.elems.clone());
        for (array, elem) in arrays.clone().iter().zip(&step.elems) {
            if let Some(delta) = self.delta(array) {
                let ty = self.work.code.tangent(&elem.ty).expect("an active element");
                elems.push(self.input(elem.var, ty));
                arrays.push(delta);
            }
        }
        let (inits, state, body, types) = self.step_along(inits, &step.state, &on, &step.body);
        let step_ = Loop { state, elems, body };
        let op = Op::Control(ControlOp::Fold { inits, arrays, step: step_ });
        self.bind_along(binders, &types, step.state.len(), op);
    }

    fn while_along(
        &mut self,
        binders: &[Binder],
        (inits, state): State<'_>,
        cond: &Block,
        body: &Block,
    ) {
        let mut active: BTreeSet<Var> = self.deltas.keys().copied().collect();
        let (on, _) = self.work.state_activity(inits, state, body, &mut active);
        self.work.code.declare(state);
        let n_state = state.len();
        let (inits, state, body, mut types) = self.step_along(inits, state, &on, body);
        if types.len() > n_state {
            // Between the state and what is collected is the number of steps.
            types.insert(n_state, None);
        }
        let op = Op::Control(ControlOp::While { inits, state, cond: cond.clone(), body });
        self.bind_along(binders, &types, n_state, op);
    }

    /// Initial values, state and body of a loop, each with tangents; the types of those of its results.
    fn step_along(
        &mut self,
        inits: &[Atom],
        state: &[Binder],
        on: &[bool],
        body: &Block,
    ) -> (Vec<Atom>, Vec<Binder>, Block, Vec<Option<Type>>) {
        let (mut inits, mut both) = (inits.to_vec(), state.to_vec());
        let names = |var: Var| {
            let at = state.iter().position(|it| it.var == var)?;
            inits.get(at).cloned()
        };
        let first: Vec<Type> = state.iter().map(|it| with_sizes(&it.ty, &names)).collect();
        for at in (0..state.len()).filter(|it| on[*it]) {
            let delta = self.delta_or_zeros(&inits[at]);
            let ty = self.work.code.tangent(&first[at]).expect("an active state");
            let delta = self.fit(delta, &ty);
            inits.push(delta);
        }
        both.extend(self.state_deltas(state, on));
        let part = self.part(body);
        let mut types = Vec::new();
        for (at, delta) in part.deltas.iter().enumerate() {
            let ty = match (state.get(at), delta) {
                (Some(_), _) if !on[at] => None,
                (None, None) => None,
                (Some(_), _) | (None, Some(_)) => {
                    let ty = self.work.code.type_of(&part.primal.results[at]);
                    self.work.code.tangent(&ty)
                }
            };
            types.push(ty);
        }
        let body = self.along(part, &types, state.len());
        (inits, both, body, types)
    }

    fn build_along(&mut self, stmt: &Stmt, sizes: &[Size], indices: &[Var], body: &Block) {
        indices.iter().for_each(|it| self.work.code.builder.declare(*it, Type::Int));
        let part = self.part(body);
        let mut types = Vec::new();
        for (delta, result) in part.deltas.iter().zip(&part.primal.results) {
            let ty = self.work.code.type_of(result);
            types.push(if delta.is_some() { self.work.code.tangent(&ty) } else { None });
        }
        let n_results = types.len();
        let body = self.along(part, &types, n_results);
        let (sizes, indices) = (sizes.to_vec(), indices.to_vec());
        self.bind_along(
            &stmt.binders,
            &types,
            n_results,
            Op::Control(ControlOp::Build { sizes, indices, body }),
        );
    }

    fn call_along(
        &mut self,
        stmt: &Stmt,
        (def, mask, sizes, args): Called<'_>,
        derivative: fn(&mut Work, &Name, &[bool]) -> Name,
    ) {
        let name = derivative(self.work, def, mask);
        let deltas: Vec<Atom> = args.iter().filter_map(|it| self.delta(it)).collect();
        let args = args.iter().cloned().chain(deltas).collect();
        let op = Op::Function(FunctionOp::Call {
            def: name,
            types: Vec::new(),
            sizes: sizes.to_vec(),
            args,
        });
        let mut types = Vec::new();
        for binder in &stmt.binders {
            types.push(self.work.code.tangent(&binder.ty));
        }
        self.bind_along(&stmt.binders, &types, types.len(), op);
    }
}

/// The first `n_state`, their tangents, the others, their tangents.
fn grouped<T: Clone>(values: &[T], tangents: &[Option<T>], n_state: usize) -> Vec<T> {
    let (first, rest) = values.split_at(n_state);
    let (of_first, of_rest) = tangents.split_at(n_state);
    let groups = first.iter().chain(of_first.iter().flatten());
    groups.chain(rest).chain(of_rest.iter().flatten()).cloned().collect()
}
