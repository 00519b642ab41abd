//! Definitions that the derivatives of others call: `f.fwd`, `f.lin` and `f.rev`. Where nobody asks for
//! directions, method `chad` makes the first and the last of them from its pull-backs.

use std::collections::BTreeMap;
use std::rc::Rc;

use base::Name;
use base::name::digits;
use ir::{
    Arm, Atom, Binder, Block, ControlOp, Def, Op, Origin, Size, Spans, Type, Unfinished, Var, walk,
};

use super::work::{Callee, Keeps, Work};
use crate::linear::apply;
use crate::linear::code::{Code, Transposed, atoms, stub, var_of};
use crate::linear::saved::{Needs, locals};
use crate::linear::term::Linearised;
use crate::linear::transpose::Transpose;

impl Callee {
    /// The variables that the type of what is saved mentions, inside of `lin` and `rev`.
    fn outer_vars(&self) -> Vec<Var> {
        let params = self.outer_params.iter().map(|it| self.def.params[*it].var);
        let results = self.outer_results.iter().map(|it| self.def.results[*it].var);
        self.def.size_params.iter().copied().chain(params).chain(results).collect()
    }

    /// The type of what is saved, as `lin` and `rev` see it.
    pub(super) fn saved_type(&self) -> Type {
        let sizes = self.outer_vars().into_iter().map(Size::var).collect();
        Type::Data(self.saved.clone(), Vec::new(), sizes)
    }

    /// The sizes among the parameters of `lin` and `rev`.
    fn size_binders(&self) -> Vec<Binder> {
        let vars = self.outer_vars().split_off(self.def.size_params.len());
        vars.into_iter().map(|var| Binder { var, ty: Type::Int }).collect()
    }
}

/// Makes the definitions that were declared.
type Define = fn(&mut Work, &Rc<Callee>);

impl Work {
    /// What the derivative of a caller calls, which wants this of it.
    pub(crate) fn callee(&mut self, name: &Name, mask: &[bool], keeps: Keeps) -> Rc<Callee> {
        let (keeps, define) = match (keeps, self.method.pull_backs) {
            (Keeps::PullBacks, Some(define)) => (Keeps::PullBacks, define),
            // A Delta term goes both ways.
            (Keeps::PullBacks, None) | (Keeps::BothWays, _) => (Keeps::BothWays, define as Define),
        };
        let key = (keeps, (name.clone(), mask.to_vec()));
        if let Some(known) = self.callees.get(&key) {
            return known.clone();
        }
        let def = self.def(name);
        let digits = digits(mask);
        let kinds = ["fwd", "lin", "rev", "saved"];
        let [fwd, lin, rev, saved] = self.fresh_names(|number| {
            kinds.map(|what| name.part(format_args!("{what}{digits}{number}")))
        });
        let types = || def.params.iter().chain(&def.results).map(|it| &it.ty);
        let is_size = |it: &Binder| types().any(|ty| ty.size_vars().contains(&it.var));
        let outer = |binders: &[Binder]| -> Vec<usize> {
            (0..binders.len()).filter(|at| is_size(&binders[*at])).collect()
        };
        let callee = Rc::new(Callee {
            mask: mask.to_vec(),
            keeps,
            fwd,
            lin,
            rev,
            saved,
            outer_params: outer(&def.params),
            outer_results: outer(&def.results),
            results: self.active_results(name, mask),
            def,
        });
        self.callees.insert(key, callee.clone());
        declare(&mut self.code, &callee);
        let asked = callee.clone();
        self.jobs.push(Box::new(move |work| define(work, &asked)));
        callee
    }
}

/// The signatures, so that the definitions can be called before they exist; that of `lin` if there will
/// be one.
fn declare(code: &mut Code, callee: &Callee) {
    let def = &callee.def;
    let sizes = def.size_params.clone();
    let next = def.next_var;
    let saved = Binder { var: Var(next), ty: callee.saved_type() };
    let tangents = |code: &mut Code, binders: &[Binder], on: &[bool], from: u32| {
        let on = binders.iter().zip(on).filter(|(_, on)| **on);
        let types: Vec<Type> = on.flat_map(|(it, _)| code.leaves(&it.ty)).collect();
        let binder = |(at, ty)| Binder { var: Var(from + at as u32), ty };
        types.into_iter().enumerate().map(binder).collect::<Vec<Binder>>()
    };
    let results = def.results.iter().cloned().chain([saved.clone()]).collect();
    let fwd = stub(
        (callee.fwd.clone(), Origin::Derivative),
        sizes.clone(),
        def.params.clone(),
        results,
        next + 1,
    );
    let inputs = tangents(code, &def.params, &callee.mask, next + 1);
    let from = next + 1 + inputs.len() as u32;
    let outputs = tangents(code, &def.results, &callee.results, from);
    let from = from + outputs.len() as u32;
    let given: Vec<Binder> = callee.size_binders().into_iter().chain([saved]).collect();
    let transposed = Transposed::Adding(callee.rev.clone(), inputs.len());
    code.transposed.insert(callee.lin.clone(), transposed);
    let params: Vec<Binder> = given.iter().chain(&inputs).cloned().collect();
    let lin = stub(
        (callee.lin.clone(), Origin::Derivative),
        sizes.clone(),
        params,
        outputs.clone(),
        from,
    );
    let params: Vec<Binder> = given.iter().chain(&outputs).chain(&inputs).cloned().collect();
    let given = inputs.iter().enumerate();
    let given = given.map(|(at, it)| Binder { var: Var(from + at as u32), ty: it.ty.clone() });
    let given: Vec<Binder> = given.collect();
    let next = from + given.len() as u32;
    let rev = stub((callee.rev.clone(), Origin::Derivative), sizes, params, given, next);
    let lin = (callee.keeps == Keeps::BothWays).then_some(lin);
    for def in [fwd, rev].into_iter().chain(lin) {
        code.define_shared(def);
    }
}

/// Makes the three definitions.
pub(super) fn define(work: &mut Work, callee: &Rc<Callee>) {
    let made = work.linearise(&callee.def, &callee.mask);
    let code = &mut work.code;
    let saved = Saved::new(code, callee, made.halves());
    for def in [saved.fwd(code), saved.lin(code, &made), saved.rev(code, &made)] {
        code.define(def);
    }
}

/// A definition in two parts: what it computes, and what is made of that later.
#[derive(Clone, Copy)]
pub(crate) struct Halves<'a> {
    pub(crate) def: &'a Def,
    pub(crate) primal: &'a Block,
    pub(crate) term: &'a Block,
    pub(crate) next_var: u32,
    pub(crate) spans: &'a Spans,
}

impl Linearised {
    fn halves(&self) -> Halves<'_> {
        let Linearised { def, primal, term, spans, .. } = self;
        Halves { def, primal, term, next_var: self.next_var, spans }
    }
}

/// What a call saves.
pub(crate) struct Saved<'a> {
    callee: &'a Callee,
    made: Halves<'a>,
    needs: Needs,
    con: Name,
    /// What stands in `lin` and `rev` for variables that are known outside.
    outer: BTreeMap<Var, Var>,
}

impl<'a> Saved<'a> {
    pub(crate) fn new(code: &mut Code, callee: &'a Callee, made: Halves<'a>) -> Saved<'a> {
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
        let outer_def = open_halves(code, made, None);
        let bound: Vec<Binder> = def.params.clone();
        let needs = code.needs(made.term, &locals(made.primal, &bound), &outer);
        // The size parameters of the type, by what the fields call them.
        let called = |var: Var| outer.iter().find(|(_, to)| **to == var).map_or(var, |it| *it.0);
        let names: Vec<Var> = callee.outer_vars().into_iter().map(called).collect();
        let con = code.declare_saved(&callee.saved, &[&needs], &names).remove(0);
        code.builder.close(Vec::new());
        code.builder.end(outer_def);
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

    pub(crate) fn fwd(&self, code: &mut Code) -> Def {
        let stub = code.program().defs[&self.callee.fwd].clone();
        let outer = open_halves(code, self.made, None);
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
        finish(code, outer, Def { results, body, ..Def::clone(&stub) }, self.made.spans)
    }

    fn lin(&self, code: &mut Code, made: &Linearised) -> Def {
        self.unpacked(code, &self.callee.lin.clone(), |code, params, results, term| {
            let inputs = made.inputs.iter().flatten();
            let names: BTreeMap<Var, Atom> = inputs.map(|it| it.var).zip(atoms(params)).collect();
            let term = walk::substitute_block(&term, &names);
            let term = apply::lower(code, term);
            let mut given = code.builder.reopen(term);
            for (atom, result) in given.iter_mut().zip(results) {
                *atom = code.fit(atom.clone(), &result.ty);
            }
            code.builder.close(given)
        })
    }

    fn rev(&self, code: &mut Code, made: &Linearised) -> Def {
        let n_outputs = self.callee.results.iter().filter(|it| **it).count();
        self.unpacked(code, &self.callee.rev.clone(), |code, params, results, term| {
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
        code: &mut Code,
        name: &Name,
        inside: impl FnOnce(&mut Code, &[Binder], &[Binder], Block) -> Block,
    ) -> Def {
        let stub = code.program().defs[name].clone();
        let next = self.made.next_var.max(stub.next_var);
        let outer = open_halves(code, self.made, Some(next));
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
        let body = inside(code, &params[sizes.len() + 1..], &results, term);
        let arms = vec![Arm { con: self.con.clone(), fields, body }];
        let value = Atom::Var(saved.var);
        let given = match results.is_empty() {
            true => Vec::new(),
            false => code.emit(Op::Control(ControlOp::Match { value, arms, otherwise: None })),
        };
        let body = code.builder.close(given);
        let def = Def { params, results, body, ..Def::clone(&stub) };
        finish(code, outer, def, self.made.spans)
    }
}

/// Begins a definition that is made of D\[f\]; gives the one that waits.
pub(super) fn open(code: &mut Code, made: &Linearised, next: Option<u32>) -> Unfinished {
    open_halves(code, made.halves(), next)
}

fn open_halves(code: &mut Code, made: Halves<'_>, next: Option<u32>) -> Unfinished {
    let outer = code.builder.begin(next.unwrap_or(made.next_var));
    made.def.size_params.iter().for_each(|it| code.builder.declare(*it, Type::Int));
    code.declare(&made.def.params);
    code.declare_block(made.primal);
    code.builder.open();
    outer
}

/// Ends a definition.
pub(super) fn finish(code: &mut Code, outer: Unfinished, def: Def, from: &Spans) -> Def {
    let (next_var, mut spans) = code.builder.end(outer);
    for (var, span) in &from.0 {
        spans.0.entry(*var).or_insert(*span);
    }
    Def { next_var, spans, ..def }
}
