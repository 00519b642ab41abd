//! Definitions that the derivatives of others call: `f.fwd`, `f.lin` and `f.rev`. Method `chad` makes
//! the first and the last of them from its pull-backs.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use ir::{Arm, Atom, Binder, Block, ControlOp, Def, Op, Size, Spans, Type, Var, walk};

use super::Mode;
use super::code::{Code, atoms, var_of};
use super::dual::Linearised;
use super::saved::{Needs, locals};
use super::transpose::Transpose;
use super::work::{Callee, Work, stub};

/// The signatures, so that the definitions can be called before they exist.
pub(super) fn declare(work: &mut Work, callee: &Callee) {
    let def = &callee.def;
    let sizes = def.size_params.clone();
    let next = def.next_var;
    let saved = Binder { var: Var(next), ty: callee.saved_type() };
    let tangents = |work: &mut Work, binders: &[Binder], on: &[bool], from: u32| {
        let on = binders.iter().zip(on).filter(|(_, on)| **on);
        let types: Vec<Type> = on.flat_map(|(it, _)| work.leaves(&it.ty)).collect();
        let binder = |(at, ty)| Binder { var: Var(from + at as u32), ty };
        types.into_iter().enumerate().map(binder).collect::<Vec<Binder>>()
    };
    let results = def.results.iter().cloned().chain([saved.clone()]).collect();
    let fwd = stub(callee.fwd.clone(), sizes.clone(), def.params.clone(), results, next + 1);
    let inputs = tangents(work, &def.params, &callee.mask, next + 1);
    let from = next + 1 + inputs.len() as u32;
    let outputs = tangents(work, &def.results, &callee.results, from);
    let from = from + outputs.len() as u32;
    let given: Vec<Binder> = callee.size_binders().into_iter().chain([saved]).collect();
    let params: Vec<Binder> = given.iter().chain(&inputs).cloned().collect();
    let lin = stub(callee.lin.clone(), sizes.clone(), params, outputs.clone(), from);
    let params: Vec<Binder> = given.iter().chain(&outputs).chain(&inputs).cloned().collect();
    let given = inputs.iter().enumerate();
    let given = given.map(|(at, it)| Binder { var: Var(from + at as u32), ty: it.ty.clone() });
    let given: Vec<Binder> = given.collect();
    let next = from + given.len() as u32;
    let rev = stub(callee.rev.clone(), sizes, params, given, next);
    let lin = (work.mode != Mode::Chad).then_some(lin);
    for def in [fwd, rev].into_iter().chain(lin) {
        work.program.defs.insert(def.name.clone(), def);
    }
}

/// Makes the definitions.
pub(super) fn define(work: &mut Work, callee: &Rc<Callee>) {
    if work.mode == Mode::Chad {
        return crate::chad::define(work, callee);
    }
    let made = work.linearise(&callee.def, &callee.mask);
    let saved = Saved::new(work, callee, made.apart());
    for def in [saved.fwd(work), saved.lin(work, &made), saved.rev(work, &made)] {
        work.program.defs.insert(def.name.clone(), Arc::new(def));
    }
}

/// A definition in two parts: what it computes, and what is made of that later.
#[derive(Clone, Copy)]
pub(crate) struct Apart<'a> {
    pub(crate) def: &'a Def,
    pub(crate) primal: &'a Block,
    pub(crate) term: &'a Block,
    pub(crate) next_var: u32,
    pub(crate) spans: &'a Spans,
}

impl Linearised {
    fn apart(&self) -> Apart<'_> {
        let Linearised { def, primal, term, spans, .. } = self;
        Apart { def, primal, term, next_var: self.next_var, spans }
    }
}

/// What a call saves.
pub(crate) struct Saved<'a> {
    callee: &'a Callee,
    made: Apart<'a>,
    needs: Needs,
    con: base::Name,
    /// What stands in `lin` and `rev` for variables that are known outside.
    outer: BTreeMap<Var, Var>,
}

impl<'a> Saved<'a> {
    pub(crate) fn new(work: &mut Work, callee: &'a Callee, made: Apart<'a>) -> Saved<'a> {
        let def = made.def;
        let mut outer: BTreeMap<Var, Var> = def.size_params.iter().map(|it| (*it, *it)).collect();
        for at in &callee.outer_params {
            outer.insert(def.params[*at].var, def.params[*at].var);
        }
        for at in &callee.outer_results {
            if let Some(var) = var_of(&made.primal.results[*at]) {
                outer.entry(var).or_insert(def.results[*at].var);
            }
        }
        let mut code = open_apart(work, made, None);
        let bound: Vec<Binder> = def.params.clone();
        let needs = code.needs(made.term, &locals(made.primal, &bound), &outer);
        // The size parameters of the type, by what the fields call them.
        let called = |var: Var| outer.iter().find(|(_, to)| **to == var).map_or(var, |it| *it.0);
        let names: Vec<Var> = callee.outer_vars().into_iter().map(called).collect();
        let con = code.declare_saved(&callee.saved, &[&needs], &names).remove(0);
        code.builder.close(Vec::new());
        code.finish();
        Saved { callee, made, needs, con, outer }
    }

    /// The type of what is saved, where it is made: results are what the body gives.
    fn type_inside(&self) -> Type {
        let def = &self.made.def;
        let size = |var: Var| match def.results.iter().position(|it| it.var == var) {
            Some(at) => ir::signature::atom_size(&self.made.primal.results[at]).expect("an Int"),
            None => Size::var(var),
        };
        let sizes = self.callee.outer_vars().into_iter().map(size).collect();
        Type::Data(self.callee.saved.clone(), Vec::new(), sizes)
    }

    pub(crate) fn fwd(&self, work: &mut Work) -> Def {
        let stub = work.program.defs[&self.callee.fwd].clone();
        let mut code = open_apart(work, self.made, None);
        let mut results = code.builder.reopen(self.made.primal.clone());
        let ty = self.type_inside();
        results.push(code.saved_value(&ty, &self.con, &self.needs));
        let body = code.builder.close(results);
        code.builder.close(Vec::new());
        // The result has a number that the body may use by now.
        let last = code.fresh(stub.results.last().expect("what is saved").ty.clone());
        let mut results = stub.results.clone();
        results.pop();
        results.push(last);
        finish(code, Def { results, body, ..Def::clone(&stub) }, self.made.spans)
    }

    fn lin(&self, work: &mut Work, made: &Linearised) -> Def {
        self.unpacked(work, &self.callee.lin.clone(), |code, params, results, term| {
            let inputs = made.inputs.iter().flatten();
            let names: BTreeMap<Var, Atom> = inputs.map(|it| it.var).zip(atoms(params)).collect();
            let term = walk::substitute_block(&term, &names);
            let term = super::forward::lower(code, term);
            let mut given = code.builder.reopen(term);
            for (atom, result) in given.iter_mut().zip(results) {
                *atom = code.fit(atom.clone(), &result.ty);
            }
            code.builder.close(given)
        })
    }

    fn rev(&self, work: &mut Work, made: &Linearised) -> Def {
        let n_outputs = self.callee.results.iter().filter(|it| **it).count();
        self.unpacked(work, &self.callee.rev.clone(), |code, params, results, term| {
            let (cotangents, sums) = params.split_at(n_outputs);
            let inputs: Vec<Binder> = made.inputs.iter().flatten().cloned().collect();
            let mut transpose = Transpose::new(code, &made.linear);
            transpose.code.builder.open();
            for (input, sum) in inputs.iter().zip(sums) {
                let ty = sum.ty.clone();
                transpose.input(&Binder { var: input.var, ty }, Some(Atom::Var(sum.var)));
            }
            let given = cotangents.iter().map(|it| Some(Atom::Var(it.var))).collect();
            transpose.block(&term, given);
            let mut sums = Vec::new();
            for (input, result) in inputs.iter().zip(results) {
                let sum = transpose.take_or_zeros(input.var);
                sums.push(transpose.code.fit(sum, &result.ty));
            }
            transpose.code.builder.close(sums)
        })
    }

    /// A definition that takes what was saved apart, and then does something with the term.
    pub(crate) fn unpacked(
        &self,
        work: &mut Work,
        name: &base::Name,
        inside: impl FnOnce(&mut Code<'_>, &[Binder], &[Binder], Block) -> Block,
    ) -> Def {
        let stub = work.program.defs[name].clone();
        let next = self.made.next_var.max(stub.next_var);
        let mut code = open_apart(work, self.made, Some(next));
        // New variables throughout: the numbers of the signature may be used in the term.
        let sizes = self.callee.size_binders();
        let mut params = sizes.clone();
        for param in &stub.params[sizes.len()..] {
            params.push(code.fresh(param.ty.clone()));
        }
        let results: Vec<Binder> =
            stub.results.iter().map(|it| code.fresh(it.ty.clone())).collect();
        code.declare(&sizes);
        let names = |var: Var| self.outer.get(&var).map(|it| Atom::Var(*it));
        let names: BTreeMap<Var, Atom> = walk::free_vars_block(self.made.term)
            .into_iter()
            .filter_map(|it| Some((it, names(it)?)))
            .collect();
        let term = walk::substitute_block(self.made.term, &names);
        let saved = params[sizes.len()].clone();
        let fields = code.fields(&saved.ty, &self.con);
        let vars = self.needs.vars.iter().copied().zip(atoms(&fields)).collect();
        let term = walk::substitute_block(&term, &vars);
        let body = inside(&mut code, &params[sizes.len() + 1..], &results, term);
        let arms = vec![Arm { con: self.con.clone(), fields, body }];
        let value = Atom::Var(saved.var);
        let given = match results.is_empty() {
            true => Vec::new(),
            false => code.emit(Op::Control(ControlOp::Match { value, arms, otherwise: None })),
        };
        let body = code.builder.close(given);
        let def = Def { params, results, body, ..Def::clone(&stub) };
        finish(code, def, self.made.spans)
    }
}

/// Begins a definition that is made of D\[f\].
pub(super) fn open<'w>(work: &'w mut Work, made: &Linearised, next: Option<u32>) -> Code<'w> {
    open_apart(work, made.apart(), next)
}

fn open_apart<'w>(work: &'w mut Work, made: Apart<'_>, next: Option<u32>) -> Code<'w> {
    let next = next.unwrap_or(made.next_var);
    let mut code = Code::new(work, next);
    made.def.size_params.iter().for_each(|it| code.builder.declare(*it, Type::Int));
    code.declare(&made.def.params);
    code.declare_block(made.primal);
    code.builder.open();
    code
}

/// Ends a definition.
pub(super) fn finish(code: Code<'_>, def: Def, from: &Spans) -> Def {
    let (next_var, mut spans) = code.finish();
    for (var, span) in &from.0 {
        spans.0.entry(*var).or_insert(*span);
    }
    Def { next_var, spans, ..def }
}
