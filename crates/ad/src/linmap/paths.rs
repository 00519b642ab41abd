//! What the matrix of a map looks like, read off before anything runs: a sum of paths.
//!
//! A statement of a Delta term scales, moves elements or adds them up. If all statements between an input and
//! a result do, the result is a sum of *paths* from inputs, each a chain of such steps. A path that only
//! scales is a diagonal of the matrix; one that also moves has at most one number in each row; one
//! that adds up may fill rows. Where there is no path, the matrix is zero.
//!
//! Paper: Ellis, Peyton Jones, Fitzgibbon, Section 2.5, read backwards: a map says what its matrix looks like.
//! Not done: branches, loops, calls, and what scatters; maps of many paths. `places.rs` tells less, of them too.

use std::collections::BTreeMap;

use ir::{ArrayOp, Atom, DeltaOp, Op, Prim, Reduction, Stmt, Var, walk};

use crate::linear::code::var_of;
use crate::linear::term::Linearised;
use crate::tuning::MOST_PATHS;

/// One way from a parameter to a result.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// The number of the parameter.
    pub(crate) param: usize,
    pub(crate) steps: Vec<Step>,
}

/// What a statement of the term does on the way.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The number of the statement.
    pub(crate) stmt: usize,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Multiplies by a factor.
    Scale(Atom),
    /// Moves the elements of a variable.
    Move(Var),
    /// Adds up along an axis.
    Sum(usize),
}

/// What a block of a matrix looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    Zero,
    Diagonal,
    /// A few numbers in each row.
    Sparse,
    Full,
}

/// The paths of each result; none of one that has other statements before it.
pub(crate) fn paths(made: &Linearised) -> Vec<Option<Vec<Path>>> {
    let mut known: BTreeMap<Var, Option<Vec<Path>>> = BTreeMap::new();
    for (param, input) in made.inputs.iter().enumerate() {
        let start = Path { param, steps: Vec::new() };
        known.extend(input.iter().map(|it| (it.var, Some(vec![start.clone()]))));
    }
    for (at, stmt) in made.term.stmts.iter().enumerate() {
        let found = through(at, stmt, &known).filter(|it| it.len() <= MOST_PATHS);
        known.extend(stmt.binders.iter().map(|it| (it.var, found.clone())));
    }
    let mut deltas = made.term.results.iter();
    let of = |on: &bool| match on {
        true => known.get(&var_of(deltas.next()?)?).cloned().flatten(),
        false => Some(Vec::new()),
    };
    made.results.iter().map(of).collect()
}

/// The form of the block of a result and a parameter.
pub(crate) fn form(paths: Option<&Vec<Path>>, param: usize) -> Form {
    let Some(paths) = paths else { return Form::Full };
    let mut steps = paths.iter().filter(|it| it.param == param).peekable();
    if steps.peek().is_none() {
        return Form::Zero;
    }
    let kinds = steps.flat_map(|it| &it.steps).map(|it| match it.kind {
        Kind::Scale(_) => Form::Diagonal,
        Kind::Move(_) => Form::Sparse,
        Kind::Sum(_) => Form::Full,
    });
    kinds.fold(Form::Diagonal, |all, it| match (all, it) {
        (Form::Full, _) | (_, Form::Full) => Form::Full,
        (Form::Sparse, _) | (_, Form::Sparse) => Form::Sparse,
        (Form::Zero | Form::Diagonal, Form::Zero | Form::Diagonal) => Form::Diagonal,
    })
}

/// The paths of what a statement binds.
fn through(at: usize, stmt: &Stmt, known: &BTreeMap<Var, Option<Vec<Path>>>) -> Option<Vec<Path>> {
    let after = |var: Var, kind: Kind| {
        let paths = known.get(&var)?.clone()?;
        let more = |Path { param, mut steps }: Path| {
            steps.push(Step { stmt: at, kind: kind.clone() });
            Path { param, steps }
        };
        Some(paths.into_iter().map(more).collect::<Vec<Path>>())
    };
    let free = walk::free_vars_op(&stmt.op);
    let operands: Vec<Var> = free.into_iter().filter(|it| known.contains_key(it)).collect();
    let mut res = Vec::new();
    if operands.is_empty() {
        return Some(res);
    }
    if let Op::Copy(_) = &stmt.op {
        return known.get(&operands[0])?.clone();
    }
    if let Op::Delta(DeltaOp::Combine(terms)) = &stmt.op {
        for term in terms {
            res.extend(after(var_of(&term.delta)?, Kind::Scale(term.factor.clone()))?);
        }
        return Some(res);
    }
    if let Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, axis, array }) = &stmt.op {
        return after(var_of(array)?, Kind::Sum(*axis));
    }
    if !moves(&stmt.op) {
        return None;
    }
    for var in operands {
        let paths = after(var, Kind::Move(var))?;
        let is_sum = |it: &Step| matches!(it.kind, Kind::Sum(_));
        if paths.iter().any(|it| it.steps.iter().any(is_sum)) {
            return None;
        }
        res.extend(paths);
    }
    Some(res)
}

/// Whether every element of the result is an element of an operand, or zero.
fn moves(op: &Op) -> bool {
    let array = matches!(
        op,
        Op::Array(
            ArrayOp::Index { .. }
                | ArrayOp::Slice { .. }
                | ArrayOp::Gather { .. }
                | ArrayOp::Reverse(_)
                | ArrayOp::Replicate { .. }
                | ArrayOp::Concat(_)
                | ArrayOp::Literal { .. }
                | ArrayOp::Transpose { .. }
                | ArrayOp::Reshape { .. }
        )
    );
    array || matches!(op, Op::Prim(Prim::Select, _))
}
