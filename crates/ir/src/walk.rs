//! Going through programs: every variable of an operation in one place, once to look at it
//! (`walk/visit.rs`) and once to make another program of it (`walk/rewrite.rs`), both for arrays in
//! `walk/arrays.rs`, and on top of these, in `walk/vars.rs`, free variables, renaming and substitution of atoms.
//!
//! Variables that types and sizes mention count like operands.

mod arrays;
mod blocks;
mod rewrite;
mod vars;
mod visit;

use crate::op::Op;
use crate::term::Block;
use crate::types::Type;

pub use blocks::{blocks, map_blocks};
pub use rewrite::{Rewrite, rewrite_block, rewrite_lambda, rewrite_op, rewrite_stmt};
pub use vars::{
    bound_vars, count_uses, free_vars, free_vars_block, free_vars_op, next_var, next_var_lambda,
    rename_block, rename_lambda, substitute_block,
};
pub use visit::{
    Visit, visit_binders, visit_block, visit_lambda, visit_op, visit_stmt, visit_type,
};

/// The types written directly in an operation.
pub fn types(op: &Op) -> Vec<&Type> {
    struct Types<'a>(Vec<&'a Type>);
    impl<'a> Visit<'a> for Types<'a> {
        fn ty(&mut self, ty: &'a Type) {
            self.0.push(ty);
        }
        fn block(&mut self, _: &'a Block) {}
    }
    let mut found = Types(Vec::new());
    visit_op(op, &mut found);
    found.0
}
