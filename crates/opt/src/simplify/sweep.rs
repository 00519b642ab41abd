//! Drops what is not needed: definitions, parameters, results, statements, sum types.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::Name;
use ir::{
    Arm, ArrayOp, Atom, Binder, Block, ControlOp, Def, FunctionOp, Loop, Op, Program, Stmt, Type,
    walk,
};

use super::bare;
use super::live::loop_binders;
use super::mark::Live;

pub(super) fn sweep(program: &Program, live: &Live) -> Program {
    let mut res = program.clone();
    res.defs.retain(|name, _| live.def(name));
    for (name, def) in &mut res.defs {
        *def = Arc::new(Sweep { program, live, name }.def(def));
    }
    let mut names = BTreeSet::new();
    for def in res.defs.values() {
        def.params.iter().chain(&def.results).for_each(|it| datas(program, &it.ty, &mut names));
        block_datas(program, &def.body, &mut names);
    }
    res.datas.retain(|name, _| names.contains(name));
    res
}

fn block_datas(program: &Program, block: &Block, names: &mut BTreeSet<Name>) {
    for stmt in &block.stmts {
        stmt.binders.iter().for_each(|it| datas(program, &it.ty, names));
        walk::types(&stmt.op).into_iter().for_each(|it| datas(program, it, names));
        for (binders, inner) in walk::blocks(&stmt.op) {
            binders.iter().for_each(|it| datas(program, &it.ty, names));
            block_datas(program, inner, names);
        }
    }
}

/// The sum types that a type mentions, and those that their fields mention.
fn datas(program: &Program, ty: &Type, names: &mut BTreeSet<Name>) {
    if let Type::Data(name, ..) = ty
        && names.insert(name.clone())
    {
        let cons = program.datas.get(name).map_or(&[][..], |it| &it.cons);
        cons.iter().flat_map(|it| &it.fields).for_each(|it| datas(program, it, names));
    }
    ty.parts().into_iter().for_each(|it| datas(program, it, names));
}

struct Sweep<'a> {
    program: &'a Program,
    live: &'a Live,
    name: &'a Name,
}

impl Sweep<'_> {
    fn def(&self, def: &Def) -> Def {
        let results = |at: usize| self.live.result(self.name, at);
        let body = self.block(&def.body, &results);
        let params = self.binders(&def.params);
        let kept = def.results.iter().enumerate().filter(|(at, _)| results(*at));
        let results = kept.map(|(_, it)| it.clone()).collect();
        let mut res = Def { params, results, body, ..def.clone() };
        let bound = walk::bound_vars(&res.body);
        res.spans.0.retain(|var, _| bound.contains(var));
        res
    }

    fn is_live(&self, binder: &Binder) -> bool {
        self.live.var(self.name, binder.var)
    }

    fn binders(&self, binders: &[Binder]) -> Vec<Binder> {
        binders.iter().filter(|it| self.is_live(it)).cloned().collect()
    }

    fn block(&self, block: &Block, keep: &dyn Fn(usize) -> bool) -> Block {
        let kept = block.stmts.iter().filter(|it| self.live.stmt(self.name, it));
        let stmts = kept.map(|it| self.stmt(it)).collect();
        let results = block.results.iter().enumerate().filter(|(at, _)| keep(*at));
        Block { stmts, results: results.map(|(_, it)| it.clone()).collect() }
    }

    fn stmt(&self, stmt: &Stmt) -> Stmt {
        let (state, _) = loop_binders(&stmt.op);
        // A state stays with its result.
        let keeps = |at: usize| match (&stmt.op, state.get(at)) {
            (Op::Function(FunctionOp::Call { def, .. }), _) => self.live.result(def, at),
            (_, Some(state)) => self.is_live(state),
            (_, None) => self.is_live(&stmt.binders[at]),
        };
        // After the last state, the number of steps has no result of the body.
        let shift = usize::from(stmt.binders.len() > state.len());
        let body_keeps = |at: usize| keeps(if at < state.len() { at } else { at + shift });
        let states = || state.iter().filter(|it| self.is_live(it)).cloned().collect();
        let inits = |atoms: &[Atom]| {
            let kept = atoms.iter().zip(state).filter(|(_, it)| self.is_live(it));
            kept.map(|(it, _)| it.clone()).collect()
        };
        let op = match &stmt.op {
            Op::Control(ControlOp::If { cond, then, otherwise }) => Op::Control(ControlOp::If {
                cond: cond.clone(),
                then: self.block(then, &keeps),
                otherwise: self.block(otherwise, &keeps),
            }),
            Op::Control(ControlOp::Match { value, arms, otherwise }) => {
                let arm = |it: &Arm| Arm { body: self.block(&it.body, &keeps), ..it.clone() };
                Op::Control(ControlOp::Match {
                    value: value.clone(),
                    arms: arms.iter().map(arm).collect(),
                    otherwise: otherwise.as_ref().map(|it| self.block(it, &keeps)),
                })
            }
            Op::Control(ControlOp::Build { sizes, indices, body }) => {
                Op::Control(ControlOp::Build {
                    sizes: sizes.clone(),
                    indices: indices.clone(),
                    body: self.block(body, &keeps),
                })
            }
            Op::Control(ControlOp::Fold { inits: starts, arrays, step }) => {
                let (arrays, step) = self.loop_(arrays, step, &keeps);
                Op::Control(ControlOp::Fold { inits: inits(starts), arrays, step })
            }
            Op::Control(ControlOp::Scan { inits: starts, arrays, step }) => {
                let (arrays, step) = self.loop_(arrays, step, &keeps);
                Op::Control(ControlOp::Scan { inits: inits(starts), arrays, step })
            }
            Op::Control(ControlOp::Iterate { count, index, inits: starts, body, .. }) => {
                Op::Control(ControlOp::Iterate {
                    count: count.clone(),
                    index: *index,
                    inits: inits(starts),
                    state: states(),
                    body: self.block(body, &keeps),
                })
            }
            Op::Control(ControlOp::While { inits: starts, cond, body, .. }) => {
                Op::Control(ControlOp::While {
                    inits: inits(starts),
                    state: states(),
                    cond: self.block(cond, &|_| true),
                    body: self.block(body, &body_keeps),
                })
            }
            Op::Array(ArrayOp::Filter { array, predicate }) => {
                let mut predicate = (**predicate).clone();
                predicate.body = self.block(&predicate.body, &|_| true);
                Op::Array(ArrayOp::Filter { array: array.clone(), predicate: Arc::new(predicate) })
            }
            Op::Function(FunctionOp::Call { def, types, sizes, args }) => {
                let params = self.program.defs.get(def).map_or(&[][..], |it| &it.params);
                let kept = args.iter().zip(params).filter(|(_, it)| self.live.var(def, it.var));
                let args = kept.map(|(it, _)| it.clone()).collect();
                let (types, sizes) = (types.clone(), sizes.clone());
                Op::Function(FunctionOp::Call { def: def.clone(), types, sizes, args })
            }
            Op::Copy(_)
            | Op::Prim(..)
            | Op::Size(_)
            | Op::Tuple { .. }
            | Op::Proj { .. }
            | Op::Con { .. }
            | Op::Equal(..)
            | Op::Close(..)
            | Op::Array(_)
            | Op::Function(_)
            | Op::Derive(_)
            | Op::Delta(_) => return stmt.clone(),
        };
        let binders = stmt.binders.iter().enumerate().filter(|(at, _)| keeps(*at));
        let binders: Vec<Binder> = binders.map(|(_, it)| it.clone()).collect();
        if binders.is_empty() && bare::can_be(stmt) {
            return bare::bare(stmt, op);
        }
        Stmt { binders, op }
    }

    fn loop_(
        &self,
        arrays: &[Atom],
        step: &Loop,
        keeps: &dyn Fn(usize) -> bool,
    ) -> (Vec<Atom>, Loop) {
        let kept = arrays.iter().zip(&step.elems).filter(|(_, it)| self.is_live(it));
        let arrays = kept.map(|(it, _)| it.clone()).collect();
        let (state, elems) = (self.binders(&step.state), self.binders(&step.elems));
        (arrays, Loop { state, elems, body: self.block(&step.body, keeps) })
    }
}
