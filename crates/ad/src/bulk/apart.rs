//! The Delta term apart from the program: the program saves what the term needs.
//!
//! A branch saves for its term, and the term takes the same branch again, by what was saved:
//! `s = if c { ...; save_0 } else { ...; save_1 }`, and in the term `match s { ... }`. A call is one of
//! `f.fwd`, and in the term one of `f.lin`; loops are in `apart/loops.rs`. The paper has none of them.

mod loops;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use base::Name;
use ir::{Arm, Atom, Binder, Block, ControlOp, Def, FunctionOp, Loop, Op, Size, Stmt, Type, Var};

use super::dual::{Bound, Branches, Called, Dual, Part, Place, Rules, State};
use super::work::{Keeps, Work};
use crate::linear::code::{block, var_of, with_sizes};
use crate::linear::saved::{Needs, locals};
use crate::linear::term::{Linearised, prune};

/// Behind the program.
struct Apart;

/// D\[f\] with the parameters of the mask active.
pub(crate) fn linearise(
    work: &mut Work,
    def: &Arc<Def>,
    mask: &[bool],
    rules: Rc<dyn Rules>,
) -> Linearised {
    let (mut dual, inputs) = Dual::new(work, def, mask, &Apart, rules);
    let part = dual.part(&def.body);
    // Callers go by what is known without D[f], which may take more for active.
    let known = dual.work.active_results(&def.name, mask);
    let results: Vec<bool> =
        part.deltas.iter().zip(known).map(|(delta, known)| known || delta.is_some()).collect();
    let types: Vec<Option<Type>> = std::iter::zip(&def.results, &results)
        .map(|(it, on)| if *on { dual.work.code.tangent(&it.ty) } else { None })
        .collect();
    // The types of results mention results; inside they are what the body gives.
    let of = |var: Var| {
        let at = def.results.iter().position(|it| it.var == var)?;
        def.body.results.get(at).cloned()
    };
    let types: Vec<Option<Type>> =
        types.into_iter().map(|it| it.map(|ty| with_sizes(&ty, &of))).collect();
    let places = std::mem::take(&mut dual.places);
    let (primal, term) = dual.finish(part, &types);
    let linear = std::mem::take(&mut dual.linear);
    let (next_var, spans) = dual.end();
    let def = def.clone();
    Linearised { def, primal, term, places, inputs, results, next_var, spans, linear }
}

impl Place for Apart {
    fn push(&self, dual: &mut Dual<'_>, stmt: Stmt) {
        if dual.depth == 1 {
            let place = dual.work.code.builder.n_statements();
            dual.places.extend(stmt.binders.first().map(|it| (it.var, place)));
        }
        dual.terms.last_mut().expect("a term is open").push(stmt);
    }

    fn arm(&self, dual: &mut Dual<'_>, arm: &Arm, smooth: &[Binder], get: Op) -> Part {
        dual.terms.push(Vec::new());
        dual.depth += 1;
        let deltas = dual.linear(get);
        for (field, delta) in smooth.iter().zip(deltas) {
            dual.set(field, delta);
        }
        dual.depth -= 1;
        let first = dual.terms.pop().expect("opened above");
        let mut part = dual.part(&arm.body);
        part.term.splice(0..0, first);
        part
    }

    fn branches(&self, dual: &mut Dual<'_>, stmt: &Stmt, branches: Branches<'_>) {
        let Branches { parts, types, primal, again } = branches;
        let (mut bodies, mut terms, mut needs) = (Vec::new(), Vec::new(), Vec::new());
        for (part, fields) in parts {
            let (body, term) = dual.finish(part, &types);
            let locals = locals(&body, &fields);
            let term = dual.work.code.with_views(&body, term, &locals);
            let term = dual.work.code.with_places(&body, term, &locals);
            needs.push(dual.work.code.needs(&term, &locals, &BTreeMap::new()));
            bodies.push(body);
            terms.push(term);
        }
        let vars: Vec<_> = stmt.binders.iter().map(|it| it.var).collect();
        let given: Vec<Type> = types.iter().flatten().cloned().collect();
        let deltas = if needs.iter().all(|it| it.vars.is_empty()) {
            dual.keep_as(&vars, primal(bodies));
            dual.linear_as(again(terms), given)
        } else {
            let saved = dual.save(&vars, bodies, &needs, primal);
            dual.taken(&saved, (terms, given), &needs)
        };
        let active = stmt.binders.iter().zip(&types).filter(|(_, ty)| ty.is_some());
        for ((binder, _), delta) in active.zip(deltas) {
            dual.set(binder, delta);
        }
    }

    fn call(&self, dual: &mut Dual<'_>, stmt: &Stmt, (def, mask, sizes, args): Called<'_>) {
        let callee = dual.work.callee(def, mask, Keeps::BothWays);
        let saved = dual.work.code.fresh(Type::unit());
        let vars: Vec<_> = stmt.binders.iter().map(|it| it.var).chain([saved.var]).collect();
        let (name, types) = (callee.fwd.clone(), Vec::new());
        let (sizes, args) = (sizes.to_vec(), args.to_vec());
        dual.keep_as(
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
        given.extend(args.iter().filter(|it| var_of(it).is_some()).filter_map(|it| dual.delta(it)));
        let (name, types) = (callee.lin.clone(), Vec::new());
        let deltas =
            dual.linear(Op::Function(FunctionOp::Call { def: name, types, sizes, args: given }));
        let active = stmt.binders.iter().zip(&callee.results).filter(|(_, on)| **on);
        for ((binder, _), delta) in active.zip(deltas) {
            dual.set(binder, delta);
        }
    }

    fn build(&self, dual: &mut Dual<'_>, stmt: &Stmt, sizes: &[Size], at: &[Var], body: &Block) {
        dual.build_apart(stmt, sizes, at, body);
    }

    fn fold(
        &self,
        dual: &mut Dual<'_>,
        (binders, span): Bound<'_>,
        (inits, arrays): (&[Atom], &[Atom]),
        step: &Loop,
    ) {
        dual.fold_apart(binders, inits, arrays, step, span);
    }

    fn while_(
        &self,
        dual: &mut Dual<'_>,
        bound: Bound<'_>,
        state: State<'_>,
        [cond, body]: [&Block; 2],
    ) {
        dual.while_apart(bound, state, cond, body);
    }
}

impl Dual<'_> {
    /// Ends the Delta term of a block: its results are those for which a type is given.
    fn finish(&mut self, part: Part, types: &[Option<Type>]) -> (Block, Block) {
        self.terms.push(part.term);
        let mut results = Vec::new();
        for (delta, ty) in part.deltas.into_iter().zip(types) {
            let Some(ty) = ty else { continue };
            let delta = match delta {
                Some(delta) => self.fit(delta, ty),
                None => self.term_zeros(ty),
            };
            results.push(delta);
        }
        let term = self.terms.pop().expect("opened above");
        (part.primal, prune(block(term, results)))
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
        let outer = self.work.code.outer_sizes(&refs);
        let name = self.work.code.saved_name(&self.def.name);
        let cons = self.work.code.declare_saved(&name, &refs, &outer);
        let sizes = outer.into_iter().map(Size::var).collect();
        let ty = Type::Data(name, Vec::new(), sizes);
        let mut blocks = Vec::new();
        for ((body, con), needs) in bodies.into_iter().zip(&cons).zip(needs) {
            let mut results = self.work.code.builder.reopen(body);
            results.push(self.work.code.saved_value(&ty, con, needs));
            blocks.push(self.work.code.builder.close(results));
        }
        let saved = self.work.code.fresh(ty);
        let vars: Vec<_> = vars.iter().copied().chain([saved.var]).collect();
        self.keep_as(&vars, primal(blocks));
        (Atom::Var(saved.var), cons)
    }

    /// In the term, the branch that was taken.
    fn taken(
        &mut self,
        (saved, cons): &(Atom, Vec<Name>),
        (terms, given): (Vec<Block>, Vec<Type>),
        needs: &[Needs],
    ) -> Vec<Atom> {
        let ty = self.work.code.type_of(saved);
        let ways = terms.into_iter().zip(cons).zip(needs);
        let arms = ways
            .map(|((term, con), needs)| self.work.code.saved_arm(&ty, con, needs, term))
            .collect();
        let value = saved.clone();
        self.linear_as(Op::Control(ControlOp::Match { value, arms, otherwise: None }), given)
    }
}
