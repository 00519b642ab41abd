//! The way forward through a definition: every statement with what is known put in, rewritten by
//! the rules, found again, or moved out of loops. It knows no rule.

use std::borrow::Cow;
use std::collections::BTreeSet;

use base::{Name, Span};
use ir::walk::{self, Rewrite};
use ir::{Atom, Binder, Block, Def, Op, Program, Size, Spans, Stmt, Type, Var, VarMap};

use super::Exactness;
use super::common::{Common, may_repeat};
use super::facts::Facts;
use super::hoist;
use super::inline::Inlined;
use super::rule::{Entered, On, Rule, Run, Step};
use super::rules::{ENTERING, rules_on};

/// Rewritings of one statement, and rewritings inside of rewritings: more would be a rule that does
/// not get simpler.
const MAX_STEPS: usize = 64;

/// What is done on the way: all of it by [`super::simplify`], which the rules need (`common.rs` and
/// `hoist.rs` say why), and each alone by a pass of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Does {
    pub(super) rules: bool,
    pub(super) common: bool,
    pub(super) hoist: bool,
}

impl Does {
    pub(super) const ALL: Does = Does { rules: true, common: true, hoist: true };
}

/// The work on one definition.
pub(super) struct Forward<'a> {
    does: Does,
    pub(super) program: &'a Program,
    pub(super) facts: Facts<'a>,
    common: Common,
    pub(super) exactness: Exactness,
    pub(super) exactness_of: &'a dyn Fn(&Name) -> Exactness,
    /// The definitions that are inlined, and those that are being.
    pub(super) inlined: &'a Inlined,
    pub(super) inside: Vec<Name>,
    /// The values that variables of the input have.
    known: VarMap<Atom>,
    /// The statements of the blocks that are being made, the outermost first.
    blocks: Vec<Vec<Stmt>>,
    fallible: BTreeSet<Var>,
    /// The names of the rules that applied.
    applied: BTreeSet<&'static str>,
    next_var: u32,
    spans: Spans,
    /// Where the statement comes from that is being rewritten.
    pub(super) span: Option<Span>,
    nesting: usize,
}

/// What was made of a definition.
pub(super) struct Made {
    pub(super) def: Def,
    /// Which of its statements can fail.
    pub(super) can_fail: BTreeSet<Var>,
    /// The names of the rules that applied.
    pub(super) applied: BTreeSet<&'static str>,
}

/// The definition rewritten.
pub(super) fn rewrite(
    program: &Program,
    def: &Def,
    inlined: &Inlined,
    exactness_of: &dyn Fn(&Name) -> Exactness,
    does: Does,
) -> Made {
    let mut forward = Forward {
        does,
        program,
        facts: Facts::new(program, &def.size_params),
        common: Common::default(),
        exactness: exactness_of(&def.name),
        exactness_of,
        inlined,
        inside: vec![def.name.clone()],
        known: VarMap::default(),
        blocks: Vec::new(),
        fallible: BTreeSet::new(),
        applied: BTreeSet::new(),
        next_var: def.next_var,
        spans: def.spans.clone(),
        span: None,
        nesting: 0,
    };
    forward.facts.count_uses(&def.body);
    let sizes = def.size_params.iter().map(|it| Binder { var: *it, ty: Type::Int });
    let params: Vec<Binder> = sizes.chain(def.params.iter().cloned()).collect();
    let body = forward.block_of(&params, &def.body, false);
    let (next_var, spans) = (forward.next_var, std::mem::take(&mut forward.spans));
    let def = Def { body, next_var, spans, ..def.clone() };
    Made { def, can_fail: forward.fallible, applied: forward.applied }
}

impl Forward<'_> {
    pub(super) fn atom(&self, atom: &Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.known.get(*var).unwrap_or(atom).clone(),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => atom.clone(),
        }
    }

    pub(super) fn atoms(&self, atoms: &[Atom]) -> Vec<Atom> {
        atoms.iter().map(|it| self.atom(it)).collect()
    }

    pub(super) fn size(&self, size: &Size) -> Size {
        let known = |var: &Var| self.known.get(*var).and_then(ir::signature::atom_size);
        size.substitute(&mut |var| known(var).unwrap_or_else(|| Size::var(*var)))
    }

    pub(super) fn type_(&self, ty: &Type) -> Type {
        Known(self).ty(ty)
    }

    /// An operation without blocks inside, with known values put in.
    pub(super) fn op(&self, op: &Op) -> Op {
        walk::rewrite_op(op, &mut Known(self))
    }

    /// Says which value a variable of the input has.
    pub(super) fn alias(&mut self, var: Var, atom: Atom) {
        if atom != Atom::Var(var) {
            self.known.insert(var, atom);
        }
    }

    /// Variables in front of a block, whose types may need known values put in.
    pub(super) fn binders(&self, binders: &[Binder]) -> Vec<Binder> {
        binders.iter().map(|it| Binder { var: it.var, ty: self.type_(&it.ty) }).collect()
    }

    /// A block, with these variables in front of it.
    pub(super) fn block_of(&mut self, binders: &[Binder], block: &Block, is_loop: bool) -> Block {
        self.blocks.push(Vec::new());
        self.facts.enter(is_loop);
        self.common.enter();
        for binder in binders {
            self.facts.declare(binder.var, binder.ty.clone(), self.facts.depth());
        }
        self.stmts(block);
        let results = self.atoms(&block.results);
        self.common.leave();
        self.facts.leave();
        let stmts = self.blocks.pop().expect("the block pushed above");
        Block { stmts, results }
    }

    /// The statements of a block, into the block that is being made.
    pub(super) fn stmts(&mut self, block: &Block) {
        for stmt in &block.stmts {
            let first = stmt.binders.first().map(|it| it.var);
            self.span = first.and_then(|it| self.spans.0.get(&it)).copied();
            self.stmt(stmt);
        }
    }

    /// One statement without blocks inside and with one result; the others are in `inside.rs`.
    pub(super) fn simple(&mut self, stmt: &Stmt) {
        let op = self.op(&stmt.op);
        let var = stmt.binders[0].var;
        let Ok(types) = self.facts.result_types(&op, &[var]) else {
            panic!("compiler bug: simplify met an ill-typed statement: {stmt}");
        };
        let value = self.define(Some(var), op.clone());
        let value = match value.filter(|it| self.facts.type_of(it) == types.first()) {
            Some(value) => value,
            // A value whose size has another name is another one to the verifier.
            None => self.bind_one(var, op),
        };
        self.alias(var, value);
    }

    /// What an operation gives, by the rules and in as few statements as possible; for rules. `None` if
    /// it is not well typed.
    pub(super) fn emit(&mut self, op: Op) -> Option<Atom> {
        self.define(None, op)
    }

    fn define(&mut self, var: Option<Var>, op: Op) -> Option<Atom> {
        let mut op = op;
        self.nesting += 1;
        for _ in 0..MAX_STEPS {
            if self.nesting > MAX_STEPS {
                break;
            }
            match self.step(&op) {
                Some(Step::Value(value)) => {
                    self.nesting -= 1;
                    return Some(value);
                }
                Some(Step::Op(next)) => op = next,
                None => break,
            }
        }
        self.nesting -= 1;
        let target = match self.does.hoist {
            true => hoist::target(&self.facts, &op),
            false => self.facts.depth(),
        };
        if let Some(values) = self.found(&op) {
            return values.first().cloned();
        }
        let var = match var {
            Some(var) if !self.facts.is_bound(var) => var,
            Some(_) | None => self.fresh(),
        };
        let ty = self.facts.result_types(&op, &[var]).ok()?.pop()?;
        self.push(vec![Binder { var, ty }], op, target);
        Some(Atom::Var(var))
    }

    /// What the operation gave before.
    fn found(&self, op: &Op) -> Option<&[Atom]> {
        if self.does.common { self.common.find(op) } else { None }
    }

    /// The rules that are tried on an operation.
    fn rules(&self, op: &Op) -> &'static [&'static Rule] {
        if self.does.rules { rules_on(op) } else { &[] }
    }

    /// What the first rule that applies makes of an operation.
    fn step(&mut self, op: &Op) -> Option<Step> {
        let mut ty = None;
        for rule in self.rules(op) {
            let Run::Op(run) = rule.run else { continue };
            if ty.is_none() {
                ty = Some(self.facts.result_type(op)?);
            }
            let Some(ty) = &ty else { continue };
            if rule.is_exact_enough(self.exactness, ty)
                && let Some(step) = run(self, op, ty)
            {
                self.applied.insert(rule.name);
                return Some(step);
            }
        }
        None
    }

    /// The statement as it is when its blocks are to be gone through, or nothing if it is done.
    pub(super) fn entered<'s>(&mut self, stmt: &'s Stmt) -> Option<Cow<'s, Stmt>> {
        let mut stmt = Cow::Borrowed(stmt);
        // A rule may put a statement of another kind in its place, which later rules are tried on.
        let is_on = self.does.rules;
        for rule in ENTERING.iter().filter(|_| is_on) {
            let Run::Entering(run) = rule.run else { continue };
            if !On::of(&stmt.op).is_some_and(|it| rule.is_on(it)) {
                continue;
            }
            let entered = run(self, &stmt);
            if !matches!(entered, Entered::Not) {
                self.applied.insert(rule.name);
            }
            match entered {
                Entered::Not | Entered::Known => {}
                Entered::Instead(next) => stmt = Cow::Owned(next),
                Entered::Gone => return None,
            }
        }
        Some(stmt)
    }

    /// A statement whose blocks were gone through.
    pub(super) fn left(&mut self, stmt: &Stmt, op: &Op) {
        for rule in self.rules(op) {
            let Run::Leaving(run) = rule.run else { continue };
            if run(self, stmt, op) {
                self.applied.insert(rule.name);
            }
        }
    }

    /// The operation as it is.
    fn bind_one(&mut self, var: Var, op: Op) -> Atom {
        let var = if self.facts.is_bound(var) { self.fresh() } else { var };
        let ty = self.facts.result_types(&op, &[var]).ok().and_then(|mut it| it.pop());
        let ty = ty.expect("it was well typed before");
        self.push(vec![Binder { var, ty }], op, self.facts.depth());
        Atom::Var(var)
    }

    /// Adds a statement with any number of results, unless it was done before.
    pub(super) fn bind(&mut self, binders: &[Binder], op: Op) {
        let vars: Vec<Var> = binders.iter().map(|it| it.var).collect();
        if may_repeat(&op)
            && let Some(values) = self.found(&op).map(<[Atom]>::to_vec)
        {
            vars.iter().zip(values).for_each(|(var, value)| self.alias(*var, value));
            return;
        }
        match self.facts.result_types(&op, &vars) {
            Err(message) => panic!("compiler bug: {message}: {op}"),
            Ok(types) => {
                let binders = vars.iter().zip(types).map(|(var, ty)| Binder { var: *var, ty });
                self.push(binders.collect(), op, self.facts.depth());
            }
        }
    }

    fn fresh(&mut self) -> Var {
        let var = Var(self.next_var);
        self.next_var = self.next_var.checked_add(1).expect("compiler bug: out of variables");
        if let Some(span) = self.span {
            self.spans.0.insert(var, span);
        }
        var
    }

    /// A new variable for one that comes from this place.
    pub(super) fn fresh_at(&mut self, span: Option<Span>) -> Var {
        self.span = span;
        self.fresh()
    }

    fn push(&mut self, binders: Vec<Binder>, op: Op, depth: usize) {
        let Some(first) = binders.first().map(|it| it.var) else { return };
        if self.facts.can_fail(&op, depth) {
            self.fallible.insert(first);
        }
        for binder in &binders {
            self.facts.declare(binder.var, binder.ty.clone(), depth);
        }
        let vars: Vec<Var> = binders.iter().map(|it| it.var).collect();
        self.facts.note(&vars, &op, depth);
        // Who is told something twice hears it twice.
        if !ir::tells(&op, &self.inlined.tellers) {
            self.common.note(&op, vars.into_iter().map(Atom::Var).collect(), depth);
        }
        self.blocks[depth].push(Stmt { binders, op });
    }
}

/// Puts known values in.
struct Known<'a, 'p>(&'a Forward<'p>);

impl Rewrite for Known<'_, '_> {
    fn atom(&mut self, atom: &Atom) -> Atom {
        self.0.atom(atom)
    }

    fn size(&mut self, size: &Size) -> Size {
        self.0.size(size)
    }
}
