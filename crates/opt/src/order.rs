//! Statements in an order in which each comes after what it needs.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ArrayOp, Block, Op, Prim, Stmt, Type, Var, walk};

/// The statements of a block in their order, but that what one needs of later ones comes before it; none if
/// there is no such order, or if what would come earlier can fail, or runs blocks.
pub(crate) fn ordered(stmts: Vec<Stmt>) -> Option<Vec<Stmt>> {
    let bound = stmts.iter().enumerate();
    let bound = bound.flat_map(|(at, it)| it.binders.iter().map(move |it| (it.var, at))).collect();
    let mut order = Order { stmts: &stmts, bound, open: BTreeSet::new(), done: Vec::new() };
    for at in 0..stmts.len() {
        order.add(at)?;
    }
    let done = order.done;
    Some(done.into_iter().map(|it| stmts[it].clone()).collect())
}

struct Order<'s> {
    stmts: &'s [Stmt],
    bound: BTreeMap<Var, usize>,
    /// Those that wait for what they need.
    open: BTreeSet<usize>,
    done: Vec<usize>,
}

impl Order<'_> {
    fn add(&mut self, at: usize) -> Option<()> {
        if self.done.contains(&at) {
            return Some(());
        }
        if !self.open.insert(at) {
            return None;
        }
        let stmt = &self.stmts[at];
        // What a later binder says of an earlier one is no need.
        let own = walk::free_vars_op(&stmt.op);
        if stmt.binders.iter().any(|it| own.contains(&it.var)) {
            return None;
        }
        let needed = needs(stmt).into_iter().filter_map(|it| self.bound.get(&it).copied());
        for needed in needed.filter(|it| *it != at).collect::<Vec<_>>() {
            let is_done = self.done.contains(&needed);
            if needed > at && !is_done && !is_total(&self.stmts[needed]) {
                return None;
            }
            self.add(needed)?;
        }
        self.done.push(at);
        Some(())
    }
}

/// The variables that a statement needs, in sizes too.
fn needs(stmt: &Stmt) -> BTreeSet<Var> {
    let mut res = walk::free_vars_op(&stmt.op);
    res.extend(stmt.binders.iter().flat_map(|it| it.ty.size_vars()));
    res
}

/// Whether a statement has a value whatever its operands are.
fn is_total(stmt: &Stmt) -> bool {
    let is_real = stmt.binders.iter().all(|it| *it.ty.split_arrays().1 == Type::Real);
    match &stmt.op {
        Op::Copy(_) | Op::Size(_) | Op::Con { .. } | Op::Equal(..) | Op::Close(..) => true,
        Op::Tuple { .. } | Op::Proj { .. } => true,
        Op::Prim(Prim::Div | Prim::Rem | Prim::Pow, _) => is_real,
        Op::Prim(..) => true,
        Op::Array(op) => !op.is_partial() && !matches!(op, ArrayOp::Filter { .. }),
        Op::Control(_) | Op::Function(_) | Op::Derive(_) | Op::Delta(_) => false,
    }
}

/// Whether every variable is bound before it is read, in a block and in those inside of it.
pub(crate) fn is_in_order(block: &Block, known: &BTreeSet<Var>) -> bool {
    let mut known = known.clone();
    for stmt in &block.stmts {
        let inside = walk::blocks(&stmt.op).into_iter().all(|(binders, it)| {
            let mut known = known.clone();
            known.extend(binders.iter().map(|it| it.var));
            is_in_order(it, &known)
        });
        if !inside || !walk::free_vars_op(&stmt.op).is_subset(&known) {
            return false;
        }
        known.extend(stmt.binders.iter().map(|it| it.var));
        if !needs(stmt).is_subset(&known) {
            return false;
        }
    }
    let results = Block { stmts: Vec::new(), results: block.results.clone() };
    walk::free_vars_block(&results).is_subset(&known)
}
