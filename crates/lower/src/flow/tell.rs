//! What programs say while they run.

use base::Saying;
use ir::{Stmt, Type};
use loops::{Atom, Kernel, Node};

use crate::context::{Known, Operand};
use crate::view::View;

impl Known<'_, '_> {
    /// Tells of a value, which it gives.
    pub(super) fn tell(
        &mut self,
        stmt: &Stmt,
        saying: Saying,
        [every, text]: [&ir::Atom; 2],
        value: &ir::Atom,
    ) {
        let (every, text) = (self.scalar(every), self.scalar(text));
        let operand = match self.operand(value) {
            Operand::Scalar(it) => Operand::Scalar(it),
            Operand::Array(view) => {
                let array = self.contiguous(&view);
                Operand::Array(View::contiguous(array, &self.type_of(value)))
            }
        };
        // Who asks for code of anything else is refused before.
        let ty = self.type_of(value);
        if !matches!(ty.split_arrays().1, Type::Real | Type::Int | Type::Bool) {
            return self.define_first(stmt, operand);
        }
        let (value, sizes) = match &operand {
            Operand::Scalar(it) => (*it, Vec::new()),
            Operand::Array(view) => {
                let sizes = view.sizes.iter().map(|it| self.size(it)).collect();
                (Atom::Var(self.contiguous(view)), sizes)
            }
        };
        self.emit(Node::Kernel(Kernel::Tell { saying, every, text, value, sizes }));
        self.define_first(stmt, operand);
    }
}
