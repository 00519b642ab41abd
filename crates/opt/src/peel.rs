//! The last calls of a recursion are written where they are made, ir to ir.
//!
//! Of the calls of a recursion that branches, most are the last ones, which call nobody: half of them in a
//! binary tree, more where a loop makes the calls. A call wants a frame, a look at the stack, arrays in memory
//! for what it is given, and in a derivative a value that says what it took for the way back. So a definition
//! whose body chooses between an end and a part with calls of itself asks before that part, once, whether
//! these calls would be ends; if so, a copy of the part runs that has the end in their places. No test is
//! left inside of a loop, and what an end has no use for is not made.
//!
//! Requires: dialect FirstOrder, verified, without tuples (`flatten`).
//! Ensures: the same dialect, results and errors at run time; only that less memory and stack is needed.
//! Cost: linear in the size of the program; a definition gets at most twice as long.
//! Not done: ends of more than `SMALL_DEFINITION` statements, or with blocks or calls; parts of more than
//! `MOST_PEELED`; calls that are not known to be ends, all or none, before the first of them is made;
//! definitions with derivatives of their own; recursions that make one call, which are loops.
//! No paper of ours has it; compilers know it as recursion unrolling and partial inlining.
//! Tests: `crates/opt/tests/peel.rs`; whole programs: `tests/programs/language/parts.cot`.
//!
//! Example. `def f(n) { if n == 0 { give a } else { m = sub n 1, y = call f(m), z = call f(m), .. } }` gets `else {
//! l = sub n 1, c = equal l 0, if c { m = sub n 1, .. } else { m = sub n 1, y = call f(m), z = call f(m), .. } }`,
//! with `a` for `y` and `z` in the first of them.

mod early;

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Span;
use ir::walk::{self, Rewrite};
use ir::{
    Atom, Binder, Block, ControlOp, Def, FunctionOp, Op, Program, Size, Spans, Stmt, Type, Var,
};

use crate::inline::{Place, Values, is_operand, keeps_its_promise, n_statements, value};
use crate::tuning::{MOST_PEELED, SMALL_DEFINITION};
use early::Early;

/// The program with the last calls of recursions where they are made.
pub fn peel(program: &Program) -> Program {
    let mut res = program.clone();
    for (name, def) in &mut res.defs {
        if !program.customs.contains_key(name)
            && let Some(made) = peeled(def)
        {
            *def = Arc::new(made);
        }
    }
    res
}

fn peeled(def: &Def) -> Option<Def> {
    let choice = Choice::of(def)?;
    let mut calls = Vec::new();
    let has_many = own_calls(def, choice.part, &mut calls) || calls.len() > 1;
    let fits = has_many
        && n_statements(choice.part) <= MOST_PEELED
        && !has_derivatives(choice.part)
        && choice.is_short(def)
        && keeps_its_promise(def);
    if !fits {
        return None;
    }
    let mut early = Early::new(def, &choice);
    let tests: Option<Vec<Atom>> =
        calls.iter().map(|it| early.of_callee(it, choice.cond)).collect();
    let tests = tests?;
    let (test, others) = tests.split_first()?;
    if !matches!(test, Atom::Var(_)) || others.iter().any(|it| it != test) {
        return None;
    }
    let Early { stmts: mut before, next_var, spans, .. } = early;
    let mut writer = Writer { def, choice: &choice, next_var, spans, values: Values::new() };
    let last = writer.copy();
    let binders = choice.binders.iter().map(|it| writer.again(it)).collect::<Vec<_>>();
    let results = binders.iter().map(|it| Atom::Var(it.var)).collect();
    let op = choice.choose(test, last, choice.part.clone());
    before.push(Stmt { binders, op });
    let part = Block { stmts: before, results };
    let mut body = def.body.clone();
    body.stmts[choice.at].op = choice.choose(choice.cond, choice.end.clone(), part);
    Some(Def { body, next_var: writer.next_var, spans: Spans(writer.spans), ..def.clone() })
}

/// The place where a definition chooses between an end and a part with calls of itself.
struct Choice<'d> {
    at: usize,
    binders: &'d [Binder],
    cond: &'d Atom,
    end: &'d Block,
    part: &'d Block,
    /// Whether it ends if the condition holds.
    ends_if: bool,
}

impl<'d> Choice<'d> {
    fn of(def: &'d Def) -> Option<Choice<'d>> {
        let calls = |it: &Block| {
            let mut found = Vec::new();
            own_calls(def, it, &mut found);
            !found.is_empty()
        };
        let at = def.body.stmts.iter().position(|it| {
            own_call(def, it).is_some() || walk::blocks(&it.op).iter().any(|it| calls(it.1))
        })?;
        let Stmt { binders, op } = &def.body.stmts[at];
        let Op::Control(ControlOp::If { cond, then, otherwise }) = op else { return None };
        match (calls(then), calls(otherwise)) {
            (false, true) => {
                Some(Choice { at, binders, cond, end: then, part: otherwise, ends_if: true })
            }
            (true, false) => {
                Some(Choice { at, binders, cond, end: otherwise, part: then, ends_if: false })
            }
            (true, true) | (false, false) => None,
        }
    }

    /// Whether a call that ends runs a few plain operations.
    fn is_short(&self, def: &Def) -> bool {
        let others = def.body.stmts.iter().enumerate().filter(|it| it.0 != self.at);
        let mut stmts = others.map(|it| it.1).chain(&self.end.stmts);
        let n = def.body.stmts.len() + self.end.stmts.len();
        n <= SMALL_DEFINITION && stmts.all(|it| is_plain(&it.op))
    }

    fn choose(&self, cond: &Atom, end: Block, part: Block) -> Op {
        let (then, otherwise) = if self.ends_if { (end, part) } else { (part, end) };
        ControlOp::If { cond: cond.clone(), then, otherwise }.into()
    }
}

/// A call that a definition makes of itself.
struct Call<'d> {
    sizes: &'d [Size],
    args: &'d [Atom],
}

fn own_call<'d>(def: &Def, stmt: &'d Stmt) -> Option<Call<'d>> {
    match &stmt.op {
        Op::Function(FunctionOp::Call { def: called, sizes, args, .. }) if *called == def.name => {
            Some(Call { sizes, args })
        }
        Op::Function(_) | Op::Copy(_) | Op::Prim(..) | Op::Size(_) | Op::Array(_) => None,
        Op::Tuple { .. } | Op::Proj { .. } | Op::Con { .. } | Op::Equal(..) | Op::Close(..) => None,
        Op::Control(_) | Op::Derive(_) | Op::Delta(_) => None,
    }
}

/// The calls that a definition makes of itself in a block; whether one of them is in a loop.
fn own_calls<'d>(def: &Def, block: &'d Block, found: &mut Vec<Call<'d>>) -> bool {
    let mut in_loop = false;
    for stmt in &block.stmts {
        found.extend(own_call(def, stmt));
        let n_before = found.len();
        for (_, inner) in walk::blocks(&stmt.op) {
            in_loop |= own_calls(def, inner, found);
        }
        let is_choice =
            matches!(stmt.op, Op::Control(ControlOp::If { .. } | ControlOp::Match { .. }));
        in_loop |= found.len() > n_before && !is_choice;
    }
    in_loop
}

/// Whether an operation is short as text, and has no derivative of another one inside.
fn is_plain(op: &Op) -> bool {
    match op {
        Op::Copy(_) | Op::Prim(..) | Op::Size(_) | Op::Con { .. } | Op::Equal(..) => true,
        Op::Close(..) | Op::Tuple { .. } | Op::Proj { .. } => true,
        Op::Array(_) => walk::blocks(op).is_empty(),
        Op::Control(_) | Op::Function(_) | Op::Derive(_) | Op::Delta(_) => false,
    }
}

/// Whether something is differentiated in a block, kept for a derivative, or told: that is there once.
fn has_derivatives(block: &Block) -> bool {
    let inside = |op: &Op| walk::blocks(op).iter().any(|it| has_derivatives(it.1));
    block.stmts.iter().any(|it| matches!(it.op, Op::Derive(_) | Op::Delta(_)) || inside(&it.op))
}

/// Writes the part with ends for calls.
struct Writer<'d> {
    def: &'d Def,
    choice: &'d Choice<'d>,
    next_var: u32,
    spans: BTreeMap<Var, Span>,
    /// What stands for what the part binds.
    values: Values,
}

impl Writer<'_> {
    fn copy(&mut self) -> Block {
        for var in walk::bound_vars(self.choice.part) {
            let fresh = self.fresh(var, None);
            self.values.insert(var, (Atom::Var(fresh), Size::var(fresh)));
        }
        self.block(self.choice.part)
    }

    fn block(&mut self, block: &Block) -> Block {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for stmt in &block.stmts {
            if let Some(call) = own_call(self.def, stmt) {
                self.end(stmt, &call, &mut stmts);
                continue;
            }
            // Inner blocks by themselves; what is new in them is left alone afterwards.
            let op = walk::map_blocks(&stmt.op, &mut |_, it| self.block(it));
            let stmt = Stmt { binders: stmt.binders.clone(), op };
            stmts.push(walk::rewrite_stmt(&stmt, &mut Place(&self.values)));
        }
        let results = block.results.iter().map(|it| Place(&self.values).atom(it)).collect();
        Block { stmts, results }
    }

    /// What a call does that ends.
    fn end(&mut self, stmt: &Stmt, call: &Call<'_>, stmts: &mut Vec<Stmt>) {
        let (def, choice) = (self.def, self.choice);
        // What has no place of its own is where the call is.
        let place = stmt.binders.first().and_then(|it| self.spans.get(&it.var).copied());
        let mut values = self.given(call, place, stmts);
        let (before, after) = (&def.body.stmts[..choice.at], &def.body.stmts[choice.at + 1..]);
        for binder in before.iter().chain(&choice.end.stmts).chain(after).flat_map(|it| &it.binders)
        {
            let fresh = self.fresh(binder.var, place);
            values.insert(binder.var, (Atom::Var(fresh), Size::var(fresh)));
        }
        let placed = |it| walk::rewrite_stmt(it, &mut Place(&values));
        stmts.extend(before.iter().chain(&choice.end.stmts).map(placed));
        for (binder, result) in choice.binders.iter().zip(&choice.end.results) {
            let result = Place(&values).atom(result);
            values.insert(binder.var, value(binder.var, &result));
        }
        stmts.extend(after.iter().map(|it| walk::rewrite_stmt(it, &mut Place(&values))));
        for (binder, result) in stmt.binders.iter().zip(&def.body.results) {
            let result = Place(&values).atom(result);
            self.values.insert(binder.var, value(binder.var, &result));
        }
    }

    /// What a call gives to parameters.
    fn given(&mut self, call: &Call<'_>, place: Option<Span>, stmts: &mut Vec<Stmt>) -> Values {
        let mut values = Values::new();
        for (var, size) in self.def.size_params.iter().zip(call.sizes) {
            let size = Place(&self.values).size(size);
            let atom = match (size.as_var(), size.as_constant()) {
                (Some(var), _) => Atom::Var(*var),
                (None, Some(constant)) => Atom::Int(constant),
                (None, None) if is_operand(*var, &self.def.body) => {
                    let binder = Binder { var: self.fresh(*var, place), ty: Type::Int };
                    let atom = Atom::Var(binder.var);
                    stmts.push(Stmt { binders: vec![binder], op: Op::Size(size.clone()) });
                    atom
                }
                // Only mentioned in sizes.
                (None, None) => Atom::Var(*var),
            };
            values.insert(*var, (atom, size));
        }
        for (param, arg) in self.def.params.iter().zip(call.args) {
            let arg = Place(&self.values).atom(arg);
            values.insert(param.var, value(param.var, &arg));
        }
        values
    }

    fn again(&mut self, binder: &Binder) -> Binder {
        Binder { var: self.fresh(binder.var, None), ty: binder.ty.clone() }
    }

    /// A new variable at the place of another, or else at this one.
    fn fresh(&mut self, like: Var, place: Option<Span>) -> Var {
        let var = Var(self.next_var);
        self.next_var += 1;
        if let Some(span) = self.spans.get(&like).copied().or(place) {
            self.spans.insert(var, span);
        }
        var
    }
}
