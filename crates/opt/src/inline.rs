//! Small definitions are inlined: written where they are called, ir to ir.
//!
//! What is called stands between the operations of a loop: its derivative would save what it needs in
//! a value of its own, and no rule sees through it. So a definition of at most `SMALL_DEFINITION` statements,
//! counted after its own calls are inlined, is copied to every call, and one of any length to its
//! only call. A program grows by no more than the factor `SMALL_DEFINITION`, however deep the calls are.
//!
//! Requires: dialect FirstOrder, verified, without tuples (`flatten`).
//! Ensures: the same dialect and results, and the same errors at run time; what the entry does not
//! need any more is dropped.
//! Cost: linear in the size of what comes out.
//! Not done: definitions with derivatives of their own, recursive ones, and those whose results have
//! sizes that only running them can tell, are called as before.
//! No paper has it; it is ours.
//! Tests: `crates/opt/tests/inline.rs`; on all examples: `crates/cotan/tests/specialise.rs`.
//!
//! Example. With `def f(x) { y = mul x x give y }`, `z = call f(a)` is `z = mul a a`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{Name, Span};
use ir::walk::{self, Rewrite};
use ir::{
    Atom, Block, CallGraph, Def, FunctionOp, Need, Op, Program, Size, Spans, Stmt, Type, Var, graph,
};

use crate::tuning::SMALL_DEFINITION;

/// The program with small definitions where they were called.
pub fn inline(program: &Program, entry: &Name) -> Program {
    let mut uses = BTreeMap::new();
    program.defs.values().for_each(|it| count(&it.body, &mut uses));
    let recursive = CallGraph::new(program, &Need::IN_BODIES).recursive();
    let (done, open) = (BTreeMap::new(), BTreeSet::new());
    let mut pass = Pass { program, uses, recursive, done, open };
    for name in program.defs.keys() {
        pass.visit(name);
    }
    let mut needed = BTreeSet::new();
    pass.need(entry, &mut needed);
    let done = pass.done.into_iter().filter(|it| needed.contains(&it.0));
    let defs = done.map(|(name, it)| (name, it.def)).collect();
    let mut customs = program.customs.clone();
    customs.retain(|name, _| needed.contains(name));
    Program { datas: program.datas.clone(), defs, customs }
}

struct Pass<'p> {
    program: &'p Program,
    /// How often each definition is called or differentiated.
    uses: BTreeMap<&'p Name, usize>,
    recursive: BTreeSet<Name>,
    done: BTreeMap<Name, Done>,
    /// Those that wait for what they call.
    open: BTreeSet<Name>,
}

struct Done {
    def: Arc<Def>,
    is_small: bool,
}

impl Pass<'_> {
    /// Inlines the calls of a definition, after those of what it calls.
    fn visit(&mut self, name: &Name) {
        let program = self.program;
        let Some(def) = program.defs.get(name) else { return };
        if self.done.contains_key(name) || !self.open.insert(name.clone()) {
            return;
        }
        let mut called = BTreeMap::new();
        count(&def.body, &mut called);
        let called: Vec<Name> = called.into_keys().cloned().collect();
        called.iter().for_each(|it| self.visit(it));
        self.open.remove(name);
        let def = match called.iter().any(|it| self.small(it).is_some()) {
            true => Arc::new(Writer::new(self, def).written(def)),
            false => def.clone(),
        };
        let is_small = !program.customs.contains_key(name)
            && (n_statements(&def.body) <= SMALL_DEFINITION || self.uses.get(name) == Some(&1))
            && keeps_its_promise(&def)
            && !self.recursive.contains(name);
        self.done.insert(name.clone(), Done { def, is_small });
    }

    /// Adds a definition and what it needs.
    fn need(&self, name: &Name, needed: &mut BTreeSet<Name>) {
        if !needed.insert(name.clone()) {
            return;
        }
        let mut uses = BTreeMap::new();
        if let Some(it) = self.done.get(name) {
            count(&it.def.body, &mut uses);
        }
        let custom = self.program.customs.get(name);
        let custom = custom.into_iter().flat_map(|it| [it.vjp.clone(), it.jvp.clone()]).flatten();
        uses.into_keys().cloned().chain(custom).for_each(|it| self.need(&it, needed));
    }

    /// A definition that is inlined.
    fn small(&self, name: &Name) -> Option<&Arc<Def>> {
        self.done.get(name).filter(|it| it.is_small).map(|it| &it.def)
    }
}

/// Counts how often definitions are called; what is differentiated has to stay.
pub(crate) fn count<'p>(block: &'p Block, uses: &mut BTreeMap<&'p Name, usize>) {
    for (need, def) in graph::callees(block) {
        *uses.entry(def).or_default() += if need == Need::Call { 1 } else { 2 };
    }
}

/// Statements, those in inner blocks included.
pub(crate) fn n_statements(block: &Block) -> usize {
    let inside = |op| walk::blocks(op).iter().map(|it| n_statements(it.1)).sum::<usize>();
    block.stmts.iter().map(|it| 1 + inside(&it.op)).sum()
}

/// Whether the results have the types they promise by name, none of them the size of another.
pub(crate) fn keeps_its_promise(def: &Def) -> bool {
    let stmts = def.body.stmts.iter().flat_map(|it| &it.binders);
    let types: BTreeMap<Var, &Type> = stmts.chain(&def.params).map(|it| (it.var, &it.ty)).collect();
    let own: BTreeSet<Var> = def.results.iter().map(|it| it.var).collect();
    def.results.iter().zip(&def.body.results).all(|(promised, given)| {
        let found = match given {
            Atom::Var(var) if def.size_params.contains(var) => Some(&Type::Int),
            Atom::Var(var) => types.get(var).copied(),
            Atom::Real(_) => Some(&Type::Real),
            Atom::Int(_) => Some(&Type::Int),
            Atom::Bool(_) => Some(&Type::Bool),
            Atom::Str(_) => Some(&Type::String),
        };
        let vars = promised.ty.size_vars();
        found == Some(&promised.ty) && !vars.iter().any(|it| own.contains(it))
    })
}

/// Whether a call passes a sum for a size that the definition uses as an operand. As an operand, a sum
/// is a variable of its own; types that mention it by what is passed to another definition would not
/// be equal to those that mention the sum.
pub(crate) fn passes_sums(def: &Def, sizes: &[Size]) -> bool {
    let sums = def.size_params.iter().zip(sizes);
    let mut sums = sums.filter(|(_, it)| it.as_var().is_none() && it.as_constant().is_none());
    sums.any(|(var, _)| is_operand(*var, &def.body))
}

/// Whether a variable is an operand, and not only mentioned in sizes.
pub(crate) fn is_operand(var: Var, block: &Block) -> bool {
    let mut found = Operand { var, found: false };
    walk::rewrite_block(block, &mut found);
    found.found
}

struct Operand {
    var: Var,
    found: bool,
}

impl Rewrite for Operand {
    fn atom(&mut self, atom: &Atom) -> Atom {
        self.found |= *atom == Atom::Var(self.var);
        atom.clone()
    }
}

/// What stands for variables, as an operand and as a size.
pub(crate) type Values = BTreeMap<Var, (Atom, Size)>;

/// What an atom is for a variable.
pub(crate) fn value(var: Var, atom: &Atom) -> (Atom, Size) {
    let size = ir::signature::atom_size(atom).unwrap_or_else(|| Size::var(var));
    (atom.clone(), size)
}

/// Puts the body of a definition in its place: values for its variables.
pub(crate) struct Place<'a>(pub(crate) &'a Values);

impl Rewrite for Place<'_> {
    fn binder(&mut self, var: Var) -> Var {
        match self.0.get(&var) {
            Some((Atom::Var(fresh), _)) => *fresh,
            Some((Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_), _)) | None => var,
        }
    }

    fn atom(&mut self, atom: &Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.0.get(var).map_or(atom, |it| &it.0).clone(),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => atom.clone(),
        }
    }

    fn size(&mut self, size: &Size) -> Size {
        size.substitute(&mut |var| self.0.get(var).map_or(Size::var(*var), |it| it.1.clone()))
    }
}

/// Writes one definition.
struct Writer<'a> {
    pass: &'a Pass<'a>,
    next_var: u32,
    spans: BTreeMap<Var, Span>,
    /// The results of calls that are inlined.
    values: Values,
}

impl<'a> Writer<'a> {
    fn new(pass: &'a Pass<'a>, def: &Def) -> Writer<'a> {
        let spans = def.spans.0.clone();
        Writer { pass, next_var: def.next_var, spans, values: Values::new() }
    }

    fn written(mut self, def: &Def) -> Def {
        let body = self.block(&def.body);
        let spans = Spans(self.spans);
        Def { body, next_var: self.next_var, spans, ..def.clone() }
    }

    fn block(&mut self, block: &Block) -> Block {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for stmt in &block.stmts {
            self.stmt(stmt, &mut stmts);
        }
        let results = block.results.iter().map(|it| Place(&self.values).atom(it)).collect();
        Block { stmts, results }
    }

    fn stmt(&mut self, stmt: &Stmt, stmts: &mut Vec<Stmt>) {
        if let Op::Function(FunctionOp::Call { def, sizes, args, .. }) = &stmt.op
            && let Some(def) = self.pass.small(def)
            && !passes_sums(def, sizes)
        {
            return self.call(stmt, def, sizes, args, stmts);
        }
        // Inner blocks by themselves, so that what is written there is seen there.
        let inner = walk::map_blocks(&stmt.op, &mut |_, it| self.block(it));
        stmts.push(walk::rewrite_stmt(
            &Stmt { binders: stmt.binders.clone(), op: inner },
            &mut Place(&self.values),
        ));
    }

    fn call(
        &mut self,
        stmt: &Stmt,
        def: &Def,
        sizes: &[Size],
        args: &[Atom],
        stmts: &mut Vec<Stmt>,
    ) {
        // What has no place of its own is where the call is.
        let call = stmt.binders.first().and_then(|it| self.spans.get(&it.var).copied());
        let mut values = Values::new();
        for (var, size) in def.size_params.iter().zip(sizes) {
            let size = Place(&self.values).size(size);
            let atom = match (size.as_var(), size.as_constant()) {
                (Some(var), _) => Atom::Var(*var),
                (None, Some(constant)) => Atom::Int(constant),
                // Only mentioned in sizes.
                (None, None) => Atom::Var(*var),
            };
            values.insert(*var, (atom, size));
        }
        for (param, arg) in def.params.iter().zip(args) {
            let arg = Place(&self.values).atom(arg);
            values.insert(param.var, value(param.var, &arg));
        }
        for var in walk::bound_vars(&def.body) {
            let fresh = Var(self.next_var);
            self.next_var += 1;
            if let Some(span) = def.spans.0.get(&var).copied().or(call) {
                self.spans.insert(fresh, span);
            }
            values.insert(var, (Atom::Var(fresh), Size::var(fresh)));
        }
        let body = walk::rewrite_block(&def.body, &mut Place(&values));
        stmts.extend(body.stmts);
        for (binder, result) in stmt.binders.iter().zip(&body.results) {
            self.values.insert(binder.var, value(binder.var, result));
        }
    }
}
