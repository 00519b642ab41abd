//! Sums of products, rounded once: which contributions of loops are products that nothing else reads.
//!
//! A product that is only added up need not be rounded before: with one operation for both a sum of vectors
//! takes half as long. So [`Acc::once`] is set for such contributions. Of scalars nothing changes: a loop that
//! is no vector loop adds up in the order of its steps, and waits for the sum and not for the product.
//!
//! Requires: a verified function. Ensures: the same, and the same results but for their last bits.
//! Tests: `crates/loops/tests/sums.rs`.

use ir::Prim;

use crate::{Acc, Atom, Block, Func, How, Loop, Node, Scalar, Type, Value};

/// Marks the sums of a function that are rounded once with what they add.
pub fn sums(func: &mut Func) {
    let mut body = std::mem::take(&mut func.body);
    mark(func, &mut body);
    func.body = body;
}

fn mark(func: &Func, block: &mut Block) {
    for node in block {
        node.blocks_mut().into_iter().for_each(|it| mark(func, it));
        let Node::Loop(it) = node else { continue };
        let is_real = |acc: &Acc| func.ty(acc.var) == Type::Scalar(Scalar::Real);
        let found: Vec<bool> =
            it.accs.iter().map(|acc| is_real(acc) && it.product(acc).is_some()).collect();
        it.accs.iter_mut().zip(found).for_each(|(acc, found)| acc.once = found);
    }
}

impl Loop {
    /// The product that a step contributes to a sum, if it is one that nothing else reads.
    pub fn product(&self, acc: &Acc) -> Option<(Prim, Atom, Atom)> {
        let (Atom::Var(value), How::Add) = (acc.value, acc.how) else { return None };
        let product = self.body.iter().find_map(|node| {
            let Node::Let { var, value: Value::Prim(prim, args) } = node else { return None };
            let is_product = matches!(prim, Prim::Mul | Prim::Scale);
            (*var == value && is_product).then(|| (*prim, args[0], args[1]))
        })?;
        let mut reads = self.accs.iter().filter(|it| it.value == acc.value).count();
        crate::walk(&self.body, &mut |node| {
            node.uses(&mut |var| reads += usize::from(var == value));
        });
        (reads == 1).then_some(product)
    }
}
