//! Forward mode in many directions at once: `f.lanes` is a run of `f` with all tangents beside it.
//!
//! A definition that runs along with its tangents (`along.rs`) decides nothing by them. So all directions
//! take the same way, and the values are computed once: what depends on a tangent is over *lanes*, one for
//! each direction, in front of its own axes. A statement over lanes is a build of itself, which `bot` makes
//! an operation on whole arrays; blocks, loops and calls stay what they are, with lanes in what they hold.
//! Nothing is saved, unlike in `f.fwd` and `f.lin`, and a loop waits for the values of a step while it
//! computes the tangents of the one before.
//!
//! Not done: tangents of sum types, and directions that decide something after all; there is no `f.lanes`
//! then.

mod blocks;

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use base::name::digits;
use ir::{
    Arm, ArrayOp, Atom, Binder, Block, ControlOp, Def, FunctionOp, Op, Origin, Size, Stmt, Type,
    Var, walk,
};

use super::along::run_with_tangents;
use super::work::Work;
use crate::linear::code::{stub, var_of};

/// `f.lanes10[k](p1..pk, tangents of active parameters)`: the results, and the tangents of those that have
/// reals. All tangents have an axis of `k` in front, the first size parameter.
pub(super) fn lanes(work: &mut Work, name: &Name, mask: &[bool]) -> Option<Name> {
    let refused = work.refused.clone();
    let one = along(work, name, mask);
    let mut made = Vec::new();
    let found = match work.refused == refused {
        true => over_lanes(work, &one, &mut made),
        false => None,
    };
    if found.is_none() {
        work.refused = refused;
        for (key, name) in made {
            work.derived.remove(&key);
            work.code.undefine(&name);
        }
    }
    found
}

/// `f.along10`: as `f.jvp10` by forward mode, whatever the method.
pub(super) fn along(work: &mut Work, name: &Name, mask: &[bool]) -> Name {
    let key = ("along", name.clone(), mask.to_vec());
    if let Some(known) = work.derived.get(&key) {
        return known.clone();
    }
    let called = |number: &str| [name.part(format_args!("along{}{number}", digits(mask)))];
    let [derived] = work.fresh_names(called);
    work.derived.insert(key, derived.clone());
    let def = work.def(name);
    work.along.insert(derived.clone(), (def.params.len(), def.results.len()));
    run_with_tangents(work, &def, mask, &derived);
    derived
}

/// Definitions made, by what they are known as.
type Made = Vec<((&'static str, Name, Vec<bool>), Name)>;

/// The definition, which runs along with its tangents, over lanes.
fn over_lanes(work: &mut Work, name: &Name, made: &mut Made) -> Option<Name> {
    let key = ("lanes", name.clone(), Vec::new());
    if let Some(known) = work.derived.get(&key) {
        return Some(known.clone());
    }
    let [lanes] = work.fresh_names(|number| [name.part(format_args!("lanes{number}"))]);
    work.derived.insert(key.clone(), lanes.clone());
    made.push((key, lanes.clone()));
    let (n_params, n_results) = work.along[name];
    let def = work.def(name);
    let outer = work.code.builder.begin(def.next_var);
    let size = work.code.fresh(Type::Int).var;
    let over = |(at, it): (usize, &Binder), values: usize| {
        let ty =
            if at < values { it.ty.clone() } else { Type::array(Size::var(size), it.ty.clone()) };
        Binder { var: it.var, ty }
    };
    let params: Vec<Binder> = def.params.iter().enumerate().map(|it| over(it, n_params)).collect();
    let results = def.results.iter().enumerate().map(|it| over(it, n_results)).collect();
    let size_params: Vec<Var> = std::iter::once(size).chain(def.size_params.clone()).collect();
    size_params.iter().for_each(|it| work.code.builder.declare(*it, Type::Int));
    work.code.declare(&params);
    // It may call itself.
    let named = (lanes.clone(), Origin::Derivative);
    let stub = stub(named, size_params, params.clone(), results, def.next_var);
    work.code.define_shared(stub.clone());
    let over = params[n_params..].iter().map(|it| it.var).collect();
    let mut run = Lanes { work, made, size: Size::var(size), over, def: &def };
    run.work.code.builder.open();
    let given = run.block(&def.body);
    let given = given.and_then(|it| run.as_wanted(it, |at| at >= n_results));
    let body = run.work.code.builder.close(given.clone().unwrap_or_default());
    let (next_var, mut spans) = work.code.builder.end(outer);
    for (var, span) in &def.spans.0 {
        spans.0.entry(*var).or_insert(*span);
    }
    given?;
    work.code.define(Def { body, next_var, spans, ..Def::clone(&stub) });
    Some(lanes)
}

/// The work on one definition.
struct Lanes<'a> {
    work: &'a mut Work,
    made: &'a mut Made,
    /// How many lanes there are.
    size: Size,
    /// The variables that are over lanes.
    over: BTreeSet<Var>,
    def: &'a Def,
}

impl Lanes<'_> {
    fn is_over(&self, atom: &Atom) -> bool {
        var_of(atom).is_some_and(|it| self.over.contains(&it))
    }

    fn any_over(&self, vars: &BTreeSet<Var>) -> bool {
        !vars.is_disjoint(&self.over)
    }

    /// An atom over lanes.
    fn widened(&mut self, atom: Atom) -> Atom {
        match self.is_over(&atom) {
            true => atom,
            false => self.work.code.broadcast(atom, std::slice::from_ref(&self.size)),
        }
    }

    /// Atoms of which those are over lanes that are to be; none if one is that is not to be.
    fn as_wanted(&mut self, atoms: Vec<Atom>, wanted: impl Fn(usize) -> bool) -> Option<Vec<Atom>> {
        let mut res = Vec::new();
        for (at, atom) in atoms.into_iter().enumerate() {
            res.push(match (wanted(at), self.is_over(&atom)) {
                (true, _) => self.widened(atom),
                (false, false) => atom,
                (false, true) => return None,
            });
        }
        Some(res)
    }

    /// Declares variables in front of a block, some of them over lanes.
    fn declare(&mut self, binders: &[Binder], on: &[bool]) -> Vec<Binder> {
        let over = |(it, on): (&Binder, &bool)| match on {
            true => Binder { var: it.var, ty: Type::array(self.size.clone(), it.ty.clone()) },
            false => it.clone(),
        };
        let res: Vec<Binder> = binders.iter().zip(on).map(over).collect();
        self.work.code.declare(&res);
        self.note(binders, on);
        res
    }

    /// Notes which variables are over lanes; a loop may be gone through more than once.
    fn note(&mut self, binders: &[Binder], on: &[bool]) {
        for (binder, on) in binders.iter().zip(on) {
            match on {
                true => self.over.insert(binder.var),
                false => self.over.remove(&binder.var),
            };
        }
    }

    /// Adds the statements to the open block; gives its results.
    fn block(&mut self, block: &Block) -> Option<Vec<Atom>> {
        for stmt in &block.stmts {
            let span = stmt.binders.first().and_then(|it| self.def.spans.0.get(&it.var)).copied();
            let outer = self.work.code.builder.set_span(span);
            let done = self.stmt(stmt);
            self.work.code.builder.set_span(outer);
            done?;
        }
        Some(block.results.clone())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<()> {
        if !self.any_over(&walk::free_vars_op(&stmt.op)) {
            self.note(&stmt.binders, &vec![false; stmt.binders.len()]);
            self.work.code.declare_block(&Block { stmts: vec![stmt.clone()], results: Vec::new() });
            self.work.code.builder.push(stmt.clone());
            return Some(());
        }
        match &stmt.op {
            Op::Control(ControlOp::If { cond, then, otherwise }) => {
                if self.is_over(cond) {
                    return None;
                }
                let mut blocks = self.branches(stmt, &[(&[], then), (&[], otherwise)])?;
                let otherwise = blocks.1.pop()?;
                let then = blocks.1.pop()?;
                let op = ControlOp::If { cond: cond.clone(), then, otherwise };
                self.bind(&stmt.binders, &blocks.0, Op::Control(op));
            }
            Op::Control(ControlOp::Match { value, arms, otherwise }) => {
                if self.is_over(value) {
                    return None;
                }
                let mut all: Vec<(&[Binder], &Block)> =
                    arms.iter().map(|it| (&*it.fields, &it.body)).collect();
                all.extend(otherwise.iter().map(|it| (&[][..], it)));
                let (on, blocks) = self.branches(stmt, &all)?;
                let mut blocks = blocks.into_iter();
                let arms = arms.iter().zip(&mut blocks);
                let arms = arms.map(|(arm, body)| Arm { body, ..arm.clone() }).collect();
                let (value, otherwise) = (value.clone(), blocks.next());
                self.bind(
                    &stmt.binders,
                    &on,
                    Op::Control(ControlOp::Match { value, arms, otherwise }),
                );
            }
            Op::Control(ControlOp::Build { sizes, indices, body }) => {
                self.build(stmt, sizes, indices, body)?;
            }
            Op::Control(ControlOp::Fold { inits, arrays, step }) => {
                let n_state = step.state.len();
                let (inits, arrays, step, on) = self.fold(inits, arrays, step)?;
                let op = Op::Control(ControlOp::Fold { inits, arrays, step });
                self.bind_collected(&stmt.binders, &on, n_state, 1, op);
            }
            Op::Control(ControlOp::Scan { inits, arrays, step }) => {
                let (inits, arrays, step, on) = self.fold(inits, arrays, step)?;
                let op = Op::Control(ControlOp::Scan { inits, arrays, step });
                self.bind_collected(&stmt.binders, &on, 0, 1, op);
            }
            Op::Control(ControlOp::Iterate { count, index, inits, state, body }) => {
                if self.is_over(count) {
                    return None;
                }
                self.work.code.builder.declare(*index, Type::Int);
                let (inits, state, body, on) = self.steps(inits, state, None, body)?;
                let (count, index) = (count.clone(), *index);
                let op = ControlOp::Iterate { count, index, inits, state, body };
                self.bind(&stmt.binders, &on, Op::Control(op));
            }
            Op::Control(ControlOp::While { inits, state, cond, body }) => {
                let n_state = state.len();
                let (inits, state, body, mut on) = self.steps(inits, state, Some(cond), body)?;
                if on.len() > n_state {
                    // The number of steps.
                    on.insert(n_state, false);
                }
                self.work.code.declare_block(cond);
                let op = ControlOp::While { inits, state, cond: cond.clone(), body };
                self.bind_collected(&stmt.binders, &on, n_state, 1, Op::Control(op));
            }
            Op::Function(FunctionOp::Call { def, types, sizes, args })
                if self.work.along.contains_key(def) =>
            {
                let (n_params, n_results) = self.work.along[def];
                let args = self.as_wanted(args.clone(), |at| at >= n_params)?;
                let def = over_lanes(self.work, def, self.made)?;
                let sizes = std::iter::once(&self.size).chain(sizes).cloned().collect();
                let op = FunctionOp::Call { def, types: types.clone(), sizes, args };
                let on: Vec<bool> = (0..stmt.binders.len()).map(|at| at >= n_results).collect();
                self.bind(&stmt.binders, &on, Op::Function(op));
            }
            Op::Copy(_) | Op::Prim(..) | Op::Array(_) => self.each_lane(stmt)?,
            Op::Function(FunctionOp::Call { .. }) | Op::Derive(_) => self.each_lane(stmt)?,
            Op::Function(_) | Op::Size(_) | Op::Tuple { .. } | Op::Proj { .. } => return None,
            Op::Con { .. } | Op::Equal(..) | Op::Close(..) | Op::Delta(_) => return None,
        }
        Some(())
    }

    /// A statement as a build over lanes.
    fn each_lane(&mut self, stmt: &Stmt) -> Option<()> {
        if stmt.binders.iter().any(|it| *it.ty.split_arrays().1 != Type::Real) {
            return None;
        }
        let lane = self.work.code.fresh(Type::Int).var;
        let mut names: BTreeMap<Var, Var> = BTreeMap::new();
        self.work.code.builder.open();
        for var in walk::free_vars_op(&stmt.op).into_iter().filter(|it| self.over.contains(it)) {
            let (array, indices) = (Atom::Var(var), vec![Atom::Var(lane)]);
            let own = self.work.code.one(Op::Array(ArrayOp::Index { array, indices }));
            names.insert(var, var_of(&own)?);
        }
        for binder in &stmt.binders {
            names.insert(binder.var, self.work.code.fresh(binder.ty.clone()).var);
        }
        let results = stmt.binders.iter().map(|it| Atom::Var(it.var)).collect();
        let whole = Block { stmts: vec![stmt.clone()], results };
        let own = walk::rename_block(&whole, &mut |var| names.get(&var).copied().unwrap_or(var));
        self.work.code.declare_block(&own);
        own.stmts.into_iter().for_each(|it| self.work.code.builder.push(it));
        let body = self.work.code.builder.close(own.results);
        let (sizes, indices) = (vec![self.size.clone()], vec![lane]);
        let on = vec![true; stmt.binders.len()];
        self.bind(&stmt.binders, &on, Op::Control(ControlOp::Build { sizes, indices, body }));
        Some(())
    }

    /// Binds what a statement binds, some of it over lanes.
    fn bind(&mut self, binders: &[Binder], on: &[bool], op: Op) {
        self.bind_collected(binders, on, binders.len(), 0, op);
    }

    /// Binds results, of which those behind the first `n_first` have so many axes in front of the lanes.
    fn bind_collected(
        &mut self,
        binders: &[Binder],
        on: &[bool],
        n_first: usize,
        axes: usize,
        op: Op,
    ) {
        let mut vars: Vec<Var> = binders.iter().map(|it| it.var).collect();
        let mut turned = Vec::new();
        for at in (n_first..vars.len()).filter(|it| on[*it]) {
            let var = self.work.code.fresh(Type::unit()).var;
            turned.push((vars[at], var));
            vars[at] = var;
        }
        self.work.code.bind(&vars, op);
        for (var, from) in turned {
            let permutation = std::iter::once(axes).chain(0..axes).collect();
            let array = Atom::Var(from);
            self.work.code.bind(&[var], Op::Array(ArrayOp::Transpose { array, permutation }));
        }
        self.note(binders, on);
    }
}
