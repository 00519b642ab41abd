//! Control flow, calls, sum types, and operations that are functions of whole arrays.

use crate::context::Lower;

impl Lower<'_, '_> {
    /// A statement that is no loop nest. Its operands are there; it defines its binders.
    pub(crate) fn flow(&mut self, stmt: &ir::Stmt) {
        let _ = stmt;
    }
}
