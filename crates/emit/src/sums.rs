//! Sums of products, in one operation each.

use std::collections::BTreeMap;

use ir::Prim;
use loops::{Atom, How, Loop, Node, Scalar, Type, Value, Var};

use crate::printer::Printer;

impl Printer<'_> {
    /// A sum and a product, in one operation.
    pub(crate) fn plus_product(&mut self, (prim, x, y): (Prim, Atom, Atom), sum: &str) -> String {
        let args = [self.wide_atom(x), self.wide_atom(y), sum.to_string()];
        match prim == Prim::Scale {
            true => self.scale_add(true, &args),
            false => format!("ct_fma({})", args.join(", ")),
        }
    }

    /// Sums of vectors whose contributions are products that nothing else reads: those are multiplied
    /// and added in one operation, rounded once.
    pub(crate) fn products(&mut self, it: &Loop) -> BTreeMap<Var, (Prim, Atom, Atom)> {
        let mut res = BTreeMap::new();
        for acc in &it.accs {
            let Atom::Var(value) = acc.value else { continue };
            let real = self.func.ty(acc.var) == Type::Scalar(Scalar::Real);
            if acc.how != How::Add || !real || !self.is_vector(value) {
                continue;
            }
            let product = it.body.iter().find_map(|node| {
                let Node::Let { var, value: Value::Prim(prim, args) } = node else {
                    return None;
                };
                let is_product = matches!(prim, Prim::Mul | Prim::Scale);
                (*var == value && is_product).then(|| (*prim, args[0], args[1]))
            });
            let mut reads = it.accs.iter().filter(|it| it.value == acc.value).count();
            loops::walk(&it.body, &mut |node| {
                node.uses(&mut |var| reads += usize::from(var == value))
            });
            if let Some(product) = product.filter(|_| reads == 1) {
                self.fused.insert(value);
                res.insert(acc.var, product);
            }
        }
        res
    }
}
