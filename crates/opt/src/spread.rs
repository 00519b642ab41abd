//! Arrays with small axes of known size as separate values, one for each position: the three
//! coordinates of many vectors become three arrays, a vector three scalars, ir to ir.
//!
//! So loops over many vectors have no loops over coordinates inside, coordinates are in registers, and
//! what is zero or one in a part of a vector is seen. Only arrays are taken apart that somebody writes
//! or reads position by position (`spread/groups.rs`), and what is computed from them element by
//! element; the others are better left in one piece.
//!
//! Requires: dialect FirstOrder or Bulk, verified, without tuples and derivative operators.
//! Ensures: the same dialect, the same results to the bit, the same errors at run time. Parameters and
//! results of definitions, operands of control flow, and what is read at an index that only running
//! tells stay in one piece. Of [`spread_before`] also the same derivatives: that of a minimum or maximum goes to
//! the first NaN among the elements, which is not what `min` and `max` do with theirs.
//! Cost: as many statements as there are positions, bounded by `MOST_STATEMENTS` for a definition.
//! Not done: states of loops.
//! C compilers do so with records, as scalar replacement of aggregates; with axes of arrays it is ours.
//! Tests: `crates/opt/tests/simplify/joined.rs`; on all programs: `crates/cotan/tests/native.rs`.
//!
//! Example. `x2: [n][2]Real`, of which `x3 = index x2 (i, 0)` and `x4 = index x2 (i, 1)` are read, is
//! two arrays `[n]Real`.

mod axes;
mod groups;
mod ops;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ir::walk::{self, Rewrite};
use ir::{ArrayOp, Atom, Binder, Block, Def, Op, Program, Spans, Stmt, Type, Var, typing};

use crate::tuning::{LONGEST_AXIS, MOST_PARTS};

/// The program with small arrays taken apart.
pub fn spread(program: &Program) -> Program {
    spread_for(program, false)
}

/// The program with small arrays taken apart, as far as derivatives stay what they are.
pub fn spread_before(program: &Program) -> Program {
    spread_for(program, true)
}

fn spread_for(program: &Program, is_differentiated: bool) -> Program {
    let mut res = program.clone();
    for (name, def) in &program.defs {
        let split = groups::split(def);
        if !split.is_empty() {
            res.defs
                .insert(name.clone(), Arc::new(spread_def(program, def, split, is_differentiated)));
        }
    }
    res
}

/// The axes of an array that are taken apart, if any are, with their sizes.
fn small_axes(ty: &Type) -> Option<Vec<(usize, usize)>> {
    let (sizes, elem) = ty.split_arrays();
    if !matches!(elem, Type::Real | Type::Int | Type::Bool) {
        return None;
    }
    let small = |size: &ir::Size| size.as_constant().filter(|it| (1..=LONGEST_AXIS).contains(it));
    let axes = sizes.iter().enumerate();
    let axes: Vec<(usize, usize)> =
        axes.filter_map(|(axis, size)| Some((axis, small(size)? as usize))).collect();
    let fits = !axes.is_empty() && axes.iter().map(|it| it.1).product::<usize>() <= MOST_PARTS;
    fits.then_some(axes)
}

/// The indices of all positions, the last one fastest.
fn positions(sizes: &[usize]) -> Vec<Vec<usize>> {
    sizes.iter().fold(vec![Vec::new()], |all, size| {
        let longer = |it: &Vec<usize>| {
            let it = it.clone();
            (0..*size).map(move |at| it.iter().copied().chain([at]).collect())
        };
        all.iter().flat_map(longer).collect()
    })
}

/// The number of a position.
fn number(sizes: &[usize], position: &[usize]) -> usize {
    sizes.iter().zip(position).fold(0, |sum, (size, at)| sum * size + at)
}

fn spread_def(program: &Program, def: &Def, split: BTreeSet<Var>, is_differentiated: bool) -> Def {
    let mut spread = Spread {
        program,
        is_differentiated,
        split,
        types: BTreeMap::new(),
        parts: vec![BTreeMap::new()],
        wholes: vec![BTreeMap::new()],
        apart: BTreeSet::new(),
        counting: BTreeMap::new(),
        frames: Vec::new(),
        next_var: def.next_var,
        spans: def.spans.clone(),
        span: None,
    };
    let sizes = def.size_params.iter().map(|it| Binder { var: *it, ty: Type::Int });
    let params: Vec<Binder> = sizes.chain(def.params.iter().cloned()).collect();
    let body = spread.block(&params, &def.body);
    let (next_var, spans) = (spread.next_var, spread.spans);
    Def { body, next_var, spans, ..def.clone() }
}

/// The work on one definition.
struct Spread<'a> {
    program: &'a Program,
    /// Whether derivatives are made of it later.
    is_differentiated: bool,
    /// The variables that are taken apart.
    split: BTreeSet<Var>,
    types: BTreeMap<Var, Type>,
    /// The parts of arrays, in order of their positions, the innermost block last.
    parts: Vec<BTreeMap<Var, Vec<Atom>>>,
    /// What is taken apart, in one piece, the innermost block last.
    wholes: Vec<BTreeMap<Var, Atom>>,
    /// The variables that no statement binds any more.
    apart: BTreeSet<Var>,
    /// Arrays whose elements are the index along an axis.
    counting: BTreeMap<Var, usize>,
    frames: Vec<Vec<Stmt>>,
    next_var: u32,
    spans: Spans,
    span: Option<base::Span>,
}

impl Spread<'_> {
    fn block(&mut self, binders: &[Binder], block: &Block) -> Block {
        self.frames.push(Vec::new());
        self.parts.push(BTreeMap::new());
        self.wholes.push(BTreeMap::new());
        for binder in binders {
            self.types.insert(binder.var, binder.ty.clone());
        }
        for stmt in &block.stmts {
            let first = stmt.binders.first().map(|it| it.var);
            self.span = first.and_then(|it| self.spans.0.get(&it)).copied();
            self.stmt(stmt);
        }
        let results = block.results.iter().map(|it| self.whole(it)).collect();
        self.parts.pop();
        self.wholes.pop();
        Block { stmts: self.frames.pop().unwrap_or_default(), results }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        for binder in &stmt.binders {
            self.types.insert(binder.var, binder.ty.clone());
        }
        if let [binder] = stmt.binders.as_slice()
            && let Some(axis) = self.counts_along(&stmt.op)
        {
            self.counting.insert(binder.var, axis);
        }
        if let [binder] = stmt.binders.as_slice()
            && let Some(parts) = self.by_parts(binder, &stmt.op)
            && self.are_parts_of(&binder.ty, &parts)
        {
            if let (None, [value]) = (small_axes(&binder.ty), parts.as_slice()) {
                // Sizes may mention it.
                return self.push(stmt.binders.clone(), Op::Copy(value.clone()));
            }
            self.apart.insert(binder.var);
            self.keep_parts(binder.var, parts);
            return;
        }
        let inside = walk::blocks(&stmt.op);
        if inside.is_empty() {
            let op = self.in_one_piece(&stmt.op);
            return self.push(stmt.binders.clone(), op);
        }
        // What a loop needs in one piece is put together in front of it.
        for var in walk::free_vars_op(&stmt.op) {
            self.whole(&Atom::Var(var));
        }
        let inside: Vec<Block> = inside.iter().map(|(bound, it)| self.block(bound, it)).collect();
        let (stmts, results) = Default::default();
        let nothing = Block { stmts, results };
        let op = walk::map_blocks(&stmt.op, &mut |_, _| nothing.clone());
        let op = self.in_one_piece(&op);
        let mut inside = inside.into_iter();
        let op = walk::map_blocks(&op, &mut |_, _| inside.next().unwrap_or(nothing.clone()));
        self.push(stmt.binders.clone(), op);
    }

    /// Whether there is a value for each position of the small axes of a type, of the axes that are left.
    /// What an operation gives may have other small axes than what it takes: a slice of `[30][7]` is
    /// `[2][7]`, with one more, or `[5][7]`, which is too large to be taken apart.
    fn are_parts_of(&self, ty: &Type, parts: &[Atom]) -> bool {
        let small = small_axes(ty).unwrap_or_default();
        let (sizes, elem) = ty.split_arrays();
        let left = (0..sizes.len()).filter(|axis| small.iter().all(|it| it.0 != *axis));
        let left: Vec<ir::Size> = left.map(|it| sizes[it].clone()).collect();
        let part = Type::arrays(&left, elem.clone());
        let fits = |it: &Atom| self.type_of(it).is_some_and(|it| it.equal_up_to_sizes(&part));
        parts.len() == small.iter().map(|it| it.1).product::<usize>() && parts.iter().all(fits)
    }

    fn push(&mut self, binders: Vec<Binder>, op: Op) {
        if let Some(frame) = self.frames.last_mut() {
            frame.push(Stmt { binders, op });
        }
    }

    /// The operation with operands in one piece.
    fn in_one_piece(&mut self, op: &Op) -> Op {
        walk::rewrite_op(op, &mut InOnePiece(self))
    }

    fn type_of(&self, atom: &Atom) -> Option<Type> {
        typing::atom_type(&|var| self.types.get(&var).cloned(), atom).ok()
    }

    /// What an operation gives. `None` if it is not well typed.
    fn emit(&mut self, op: Op) -> Option<Atom> {
        if let Some(value) = ops::constant(&op) {
            return Some(value);
        }
        let var = Var(self.next_var);
        let lookup = |var: Var| self.types.get(&var).cloned();
        let ty = typing::result_types(self.program, &lookup, &op, &[var]).ok()?.pop()?;
        self.next_var += 1;
        if let Some(span) = self.span {
            self.spans.0.insert(var, span);
        }
        self.types.insert(var, ty.clone());
        self.push(vec![Binder { var, ty }], op);
        Some(Atom::Var(var))
    }

    fn keep_parts(&mut self, var: Var, parts: Vec<Atom>) {
        if let Some(scope) = self.parts.last_mut() {
            scope.insert(var, parts);
        }
    }

    /// Whether an operand is in parts, or should be.
    fn is_split(&self, atom: &Atom) -> bool {
        matches!(atom, Atom::Var(var) if self.split.contains(var))
    }

    /// The parts of an array with small axes.
    fn parts(&mut self, atom: &Atom) -> Option<Vec<Atom>> {
        let Atom::Var(var) = atom else { return None };
        if let Some(parts) = self.parts.iter().rev().find_map(|it| it.get(var)) {
            return Some(parts.clone());
        }
        let ty = self.type_of(atom)?;
        let axes = small_axes(&ty)?;
        let rank = ty.split_arrays().0.len();
        if self.is_too_much(&ty) {
            return None;
        }
        if let Some(axis) = self.counting.get(var)
            && axes.len() == rank
        {
            let sizes: Vec<usize> = axes.iter().map(|it| it.1).collect();
            return Some(positions(&sizes).iter().map(|it| Atom::Int(it[*axis] as i64)).collect());
        }
        let own = axes.iter().map(|it| it.0);
        let others = (0..rank).filter(|axis| axes.iter().all(|it| it.0 != *axis));
        let permutation: Vec<usize> = own.chain(others).collect();
        let array = self.permuted(atom, permutation)?;
        let sizes: Vec<usize> = axes.iter().map(|it| it.1).collect();
        let mut parts = Vec::new();
        for position in positions(&sizes) {
            let indices = position.iter().map(|it| Atom::Int(*it as i64)).collect();
            parts.push(self.emit(Op::Array(ArrayOp::Index { array: array.clone(), indices }))?);
        }
        self.keep_parts(*var, parts.clone());
        Some(parts)
    }

    /// Whether arrays of a type are left alone here: inside of a loop, what is large is not taken apart
    /// or put together in every step.
    fn is_too_much(&self, ty: &Type) -> bool {
        let small = small_axes(ty).map_or(0, |it| it.len());
        self.frames.len() > 1 && small < ty.split_arrays().0.len()
    }

    fn permuted(&mut self, atom: &Atom, permutation: Vec<usize>) -> Option<Atom> {
        if permutation.iter().enumerate().all(|(at, it)| at == *it) {
            return Some(atom.clone());
        }
        self.emit(Op::Array(ArrayOp::Transpose { array: atom.clone(), permutation }))
    }

    /// An operand in one piece.
    fn whole(&mut self, atom: &Atom) -> Atom {
        let Atom::Var(var) = atom else { return atom.clone() };
        if !self.apart.contains(var) {
            return atom.clone();
        }
        if let Some(whole) = self.wholes.iter().rev().find_map(|it| it.get(var)) {
            return whole.clone();
        }
        let whole =
            self.put_together(*var).expect("compiler bug: parts have the types of an array");
        if let Some(scope) = self.wholes.last_mut() {
            scope.insert(*var, whole.clone());
        }
        whole
    }

    fn put_together(&mut self, var: Var) -> Option<Atom> {
        let mut parts = self.parts(&Atom::Var(var))?;
        let ty = self.types.get(&var)?.clone();
        let axes = small_axes(&ty)?;
        for (_, size) in axes.iter().rev() {
            let mut longer = Vec::new();
            for row in parts.chunks(*size) {
                let elem = self.type_of(row.first()?)?;
                longer.push(self.emit(Op::Array(ArrayOp::Literal { elem, parts: row.to_vec() }))?);
            }
            parts = longer;
        }
        let rank = ty.split_arrays().0.len();
        let own: Vec<usize> = axes.iter().map(|it| it.0).collect();
        let others: Vec<usize> = (0..rank).filter(|it| !own.contains(it)).collect();
        let place = |axis: usize| match own.iter().position(|it| *it == axis) {
            Some(at) => Some(at),
            None => Some(own.len() + others.iter().position(|it| *it == axis)?),
        };
        let permutation: Option<Vec<usize>> = (0..rank).map(place).collect();
        self.permuted(&parts.pop()?, permutation?)
    }
}

struct InOnePiece<'s, 'a>(&'s mut Spread<'a>);

impl Rewrite for InOnePiece<'_, '_> {
    fn atom(&mut self, atom: &Atom) -> Atom {
        self.0.whole(atom)
    }
}
