//! Additive definitions: whose value over all rows of data is the sum of those over parts of the rows.
//!
//! A value is one of a few kinds (`Class`): the same for all parts, one for each row, a sum over rows. The
//! analysis follows them through a program, and where they meet in a way that is none of these, it says at
//! which statement.
//!
//! Requires: dialect Source, verified.
//! Ensures: what is found additive is, up to rounding, for every cut of the rows, an empty part included.
//! The reverse does not hold: `sum(reverse(x))` is refused, and so are data types made of rows.
//! Cost: one walk for each call with rows among its arguments; loops are walked until nothing changes.
//! Not done: values are not looked at, so `0.0 * x[0]` mixes. Derivatives that the user wrote are taken to
//! be those of their functions.
//! Tests: `crates/cotan/tests/additive.rs`.
//!
//! Example. In `x3 = sum 0 x1; x4 = real x0; x5 = div x3 x4` with rows `x1: [x0]Real`, both `x3` and `x4`
//! are sums, and `div` of them is none: a mean of parts is not a part of the mean.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "rules name the classes that they keep; any other, also one to come, mixes"
)]

mod arrays;
mod calls;
mod class;
mod loops;
mod prims;
mod walk;

use base::{Name, Span};
use ir::{Binder, Prim, Program, Reduction, Type, Var};

use class::Class;
use walk::Walk;

/// What a definition gives for data that is cut into parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Additive {
    /// The sum of what it gives for the parts.
    Sum,
    /// A row for each row of the data, so that a sum of them would be additive.
    Rows,
}

/// The statement that mixes parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Blame {
    /// What it does.
    pub why: Why,
    /// Where it stands, then the calls that lead there, from the inside.
    pub at: Vec<Option<Span>>,
}

/// How parts are mixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The parameter is no array whose first size is a variable of its own.
    NoRows,
    /// The number of rows is part of another size.
    Size,
    /// The number of a row, which is another in each part.
    Number,
    /// A row is taken that is not the one at hand.
    OtherRow,
    /// An operation of sums that is not linear in them.
    Prim(Prim),
    /// A value that is the same for all parts is added to a sum, once for each part.
    Constant,
    /// A reduction over all rows that is no sum.
    Reduction(Reduction),
    /// Rows are put in another order, joined or chosen.
    Order,
    /// A state that is no sum of what rows contribute.
    State,
    /// A choice between values of different kinds, or by all rows.
    Choice,
    /// A function that is known only when the program runs, or that calls itself.
    Function,
    /// Anything else that looks at all rows.
    Other,
}

/// Whether a definition is additive over the rows of a parameter. All parameters with as many rows are cut
/// with it.
pub fn additive(program: &Program, def: &Name, param: usize) -> Result<Additive, Blame> {
    let no_rows = || Blame { why: Why::NoRows, at: vec![None] };
    let def = program.defs.get(def).ok_or_else(no_rows)?;
    let binder = def.params.get(param).ok_or_else(no_rows)?;
    let rows = rows_of(&binder.ty).filter(|it| def.size_params.contains(it)).ok_or_else(no_rows)?;
    let mut walk = Walk::new(program);
    let of = |it: &Binder| class_of(&it.ty, rows);
    let args = def.params.iter().map(of).collect::<Result<Vec<Class<'_>>, Blame>>()?;
    let sizes = def.size_params.iter().map(|it| match *it == rows {
        true => Class::Sum,
        false => Class::Whole,
    });
    let results = walk.enter(def, sizes.collect(), args);
    verdict(&results)
}

/// The variable that is the number of rows of a type.
fn rows_of(ty: &Type) -> Option<Var> {
    match ty {
        Type::Array(size, _) => size.as_var().copied(),
        Type::Tuple(parts) => parts.iter().find_map(rows_of),
        Type::Real | Type::Int | Type::Bool | Type::String | Type::Function(..) => None,
        Type::Var(_) | Type::Data(..) | Type::Dual(_) | Type::Delta | Type::Tape(_) => None,
    }
}

fn class_of<'p>(ty: &Type, rows: Var) -> Result<Class<'p>, Blame> {
    if !mentions(ty, rows) {
        return Ok(Class::Whole);
    }
    match ty {
        Type::Array(size, elem) if size.as_var() == Some(&rows) && !mentions(elem, rows) => {
            Ok(Class::Rows(0))
        }
        Type::Tuple(parts) => {
            let parts = parts.iter().map(|it| class_of(it, rows));
            Ok(Class::Parts(parts.collect::<Result<Vec<Class<'_>>, Blame>>()?))
        }
        _ => Err(Blame { why: Why::Size, at: vec![None] }),
    }
}

fn mentions(ty: &Type, rows: Var) -> bool {
    ty.sizes().iter().any(|it| it.vars().contains(&rows))
        || ty.parts().into_iter().any(|it| mentions(it, rows))
}

fn verdict(results: &[Class<'_>]) -> Result<Additive, Blame> {
    let mut leaves = Vec::new();
    results.iter().for_each(|it| it.leaves(&mut leaves));
    if let Some(blame) = leaves.iter().find_map(|it| it.blame()) {
        return Err(blame.clone());
    }
    let all = |is: &dyn Fn(&Class<'_>) -> bool| leaves.iter().all(|it| is(it));
    if all(&|it| matches!(it, Class::Sum | Class::Zero)) {
        return Ok(Additive::Sum);
    }
    if all(&|it| matches!(it, Class::Rows(0))) {
        return Ok(Additive::Rows);
    }
    Err(Blame { why: Why::Constant, at: vec![None] })
}
