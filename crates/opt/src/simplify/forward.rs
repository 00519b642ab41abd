//! The way forward through a definition: every statement with what is known put in, rewritten by
//! the rules, found again, or moved out of loops.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use base::{Name, Span};
use ir::walk::{self, Rewrite};
use ir::{Atom, Binder, Block, Def, DeriveOp, Op, Program, Size, Spans, Stmt, Type, Var, typing};

use super::Exactness;
use super::affine::Affine;
use super::facts::Positions;
use super::inline::Inlined;

/// Rewritings of one statement, and rewritings inside of rewritings: more would be a rule that does
/// not get simpler.
const MAX_STEPS: usize = 64;

/// What a rule makes of an operation.
pub(super) enum Step {
    /// It is this value.
    Value(Atom),
    /// It is this operation.
    Op(Op),
}

/// A block that is being made.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) stmts: Vec<Stmt>,
    /// Whether it is the body of a loop.
    is_loop: bool,
    /// Operations that were done, and what they gave. Never gone through.
    done: HashMap<Op, Vec<Atom>>,
    /// Sizes that arrays have, and which are not negative therefore.
    pub(super) sizes: BTreeSet<Size>,
    /// Positions that were read or written.
    pub(super) taken: HashSet<Positions>,
}

/// The work on one definition.
pub(super) struct Forward<'a> {
    pub(super) program: &'a Program,
    def: &'a Def,
    pub(super) exactness: Exactness,
    pub(super) exactness_of: &'a dyn Fn(&Name) -> Exactness,
    /// The definitions that are written where they are called, and those that are being.
    pub(super) inlined: &'a Inlined,
    pub(super) inside: Vec<Name>,
    /// How often a variable is an operand in the input.
    pub(super) uses: BTreeMap<Var, usize>,
    pub(super) types: BTreeMap<Var, Type>,
    /// How deep the block is that binds a variable.
    pub(super) depths: BTreeMap<Var, usize>,
    pub(super) ops: BTreeMap<Var, Op>,
    pub(super) affine: BTreeMap<Var, Affine>,
    /// The ends of the ranges of indices, which start at 0.
    pub(super) ranges: BTreeMap<Var, Size>,
    known: BTreeMap<Var, Atom>,
    pub(super) frames: Vec<Frame>,
    fallible: BTreeSet<Var>,
    next_var: u32,
    spans: Spans,
    /// Where the statement comes from that is being rewritten.
    pub(super) span: Option<Span>,
    nesting: usize,
}

/// The definition rewritten, and which of its statements can fail.
pub(super) fn rewrite(
    program: &Program,
    def: &Def,
    inlined: &Inlined,
    exactness_of: &dyn Fn(&Name) -> Exactness,
) -> (Def, BTreeSet<Var>) {
    let mut forward = Forward {
        program,
        def,
        exactness: exactness_of(&def.name),
        exactness_of,
        inlined,
        inside: vec![def.name.clone()],
        uses: BTreeMap::new(),
        types: BTreeMap::new(),
        depths: BTreeMap::new(),
        ops: BTreeMap::new(),
        affine: BTreeMap::new(),
        ranges: BTreeMap::new(),
        known: BTreeMap::new(),
        frames: Vec::new(),
        fallible: BTreeSet::new(),
        next_var: def.next_var,
        spans: def.spans.clone(),
        span: None,
        nesting: 0,
    };
    forward.count_uses(&def.body);
    let sizes = def.size_params.iter().map(|it| Binder { var: *it, ty: Type::Int });
    let params: Vec<Binder> = sizes.chain(def.params.iter().cloned()).collect();
    let body = forward.block_of(&params, &def.body, false);
    let (next_var, spans) = (forward.next_var, std::mem::take(&mut forward.spans));
    (Def { body, next_var, spans, ..def.clone() }, forward.fallible)
}

impl Forward<'_> {
    pub(super) fn type_of(&self, atom: &Atom) -> Option<Type> {
        typing::atom_type(&|var| self.types.get(&var).cloned(), atom).ok()
    }

    pub(super) fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    pub(super) fn atom(&self, atom: &Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.known.get(var).unwrap_or(atom).clone(),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => atom.clone(),
        }
    }

    pub(super) fn atoms(&self, atoms: &[Atom]) -> Vec<Atom> {
        atoms.iter().map(|it| self.atom(it)).collect()
    }

    pub(super) fn size(&self, size: &Size) -> Size {
        let known = |var: &Var| self.known.get(var).and_then(ir::signature::atom_size);
        size.substitute(&mut |var| known(var).unwrap_or_else(|| Size::var(*var)))
    }

    pub(super) fn type_(&self, ty: &Type) -> Type {
        walk::rewrite_type(ty, &mut Known(self))
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
        self.frames.push(Frame { is_loop, ..Frame::default() });
        for binder in binders {
            self.declare(binder.var, binder.ty.clone(), self.depth());
        }
        self.stmts(block);
        let results = self.atoms(&block.results);
        let frame = self.frames.pop().expect("the frame pushed above");
        Block { stmts: frame.stmts, results }
    }

    /// The statements of a block, into the block that is being made.
    pub(super) fn stmts(&mut self, block: &Block) {
        for stmt in &block.stmts {
            let first = stmt.binders.first().map(|it| it.var);
            self.span = first.and_then(|it| self.spans.0.get(&it)).copied();
            self.stmt(stmt);
        }
    }

    fn declare(&mut self, var: Var, ty: Type, depth: usize) {
        let (sizes, _) = ty.split_arrays();
        self.frames[depth].sizes.extend(sizes);
        if depth == 0 && ty == Type::Int && self.def.size_params.contains(&var) {
            self.frames[0].sizes.insert(Size::var(var));
        }
        self.types.insert(var, ty);
        self.depths.insert(var, depth);
    }

    /// One statement without blocks inside and with one result; the others are in `control.rs`.
    pub(super) fn simple(&mut self, stmt: &Stmt) {
        let op = walk::rewrite_op(&stmt.op, &mut Known(self));
        let var = stmt.binders[0].var;
        let Ok(types) = self.result_types(&op, &[var]) else {
            panic!("compiler bug: simplify met an ill-typed statement: {stmt}");
        };
        let value = self.define(Some(var), op.clone());
        let value = match value.filter(|it| self.type_of(it).as_ref() == types.first()) {
            Some(value) => value,
            // The same under another name of its size: not the same to the verifier.
            None => self.bind_one(var, op),
        };
        self.alias(var, value);
    }

    pub(super) fn result_types(&self, op: &Op, results: &[Var]) -> Result<Vec<Type>, String> {
        let lookup = |var: Var| self.types.get(&var).cloned();
        typing::result_types(self.program, &lookup, op, results)
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
        let target = self.target(&op);
        if let Some(values) = self.done(&op) {
            return values.first().cloned();
        }
        let var = match var {
            Some(var) if !self.types.contains_key(&var) => var,
            Some(_) | None => self.fresh(),
        };
        let ty = self.result_types(&op, &[var]).ok()?.pop()?;
        self.push(vec![Binder { var, ty }], op, target);
        Some(Atom::Var(var))
    }

    /// The operation as it is.
    fn bind_one(&mut self, var: Var, op: Op) -> Atom {
        let var = if self.types.contains_key(&var) { self.fresh() } else { var };
        let ty = self.result_types(&op, &[var]).ok().and_then(|mut it| it.pop());
        let ty = ty.expect("it was well typed before");
        self.push(vec![Binder { var, ty }], op, self.depth());
        Atom::Var(var)
    }

    /// Adds a statement with any number of results, unless it was done before.
    pub(super) fn bind(&mut self, binders: &[Binder], op: Op) {
        let vars: Vec<Var> = binders.iter().map(|it| it.var).collect();
        let has_blocks = !walk::blocks(&op).is_empty();
        let may_repeat = !has_blocks && !matches!(op, Op::Derive(DeriveOp::OfDefinition { .. }));
        if may_repeat && let Some(values) = self.done(&op) {
            vars.iter().zip(values).for_each(|(var, value)| self.alias(*var, value));
            return;
        }
        match self.result_types(&op, &vars) {
            Err(message) => panic!("compiler bug: {message}: {op}"),
            Ok(types) => {
                let binders = vars.iter().zip(types).map(|(var, ty)| Binder { var: *var, ty });
                self.push(binders.collect(), op, self.depth());
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

    /// Counts the operands of a block.
    pub(super) fn count_uses(&mut self, block: &Block) {
        let mut uses = Uses(std::mem::take(&mut self.uses));
        walk::rewrite_block(block, &mut uses);
        self.uses = uses.0;
    }

    /// What the operation gave, in this block or in one around it.
    fn done(&self, op: &Op) -> Option<Vec<Atom>> {
        self.frames.iter().rev().find_map(|it| it.done.get(op)).cloned()
    }

    fn push(&mut self, binders: Vec<Binder>, op: Op, depth: usize) {
        let Some(first) = binders.first().map(|it| it.var) else { return };
        if self.can_fail(&op, depth) {
            self.fallible.insert(first);
        }
        for binder in &binders {
            self.declare(binder.var, binder.ty.clone(), depth);
        }
        let values = binders.iter().map(|it| Atom::Var(it.var)).collect();
        self.learn(&op, depth);
        if binders.len() == 1 {
            self.learn_found(first, &op, depth);
        }
        if walk::blocks(&op).is_empty() {
            self.frames[depth].done.insert(op.clone(), values);
            if binders.len() == 1 {
                if let Some(form) = self.affine_op(&op) {
                    self.affine.insert(first, form);
                }
                self.ops.insert(first, op.clone());
            }
        }
        self.frames[depth].stmts.push(Stmt { binders, op });
    }

    // loop-invariant: `loop { x = op a }` -> `x = op a; loop { }` where `a` is not of the loop
    // and `op` cannot fail.
    fn target(&self, op: &Op) -> usize {
        let free = walk::free_vars_op(op);
        let bound = free.iter().filter_map(|it| self.depths.get(it)).max().copied().unwrap_or(0);
        let mut target = self.depth();
        while target > bound && self.frames[target].is_loop && !self.can_fail(op, target - 1) {
            target -= 1;
        }
        target
    }
}

/// Puts known values in.
pub(super) struct Known<'a, 'p>(pub(super) &'a Forward<'p>);

impl Rewrite for Known<'_, '_> {
    fn atom(&mut self, atom: &Atom) -> Atom {
        self.0.atom(atom)
    }

    fn size(&mut self, size: &Size) -> Size {
        self.0.size(size)
    }
}

/// Counts how often variables are operands.
struct Uses(BTreeMap<Var, usize>);

impl Rewrite for Uses {
    fn atom(&mut self, atom: &Atom) -> Atom {
        if let Atom::Var(var) = atom {
            *self.0.entry(*var).or_default() += 1;
        }
        atom.clone()
    }
}
