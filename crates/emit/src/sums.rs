//! Sums of products, in one operation each.

use std::collections::BTreeMap;

use ir::Prim;
use loops::{Atom, Loop, Var};

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

    /// The products that are rounded with the sums that they are added to, of vectors: loops say which ones.
    pub(crate) fn products(&mut self, it: &Loop) -> BTreeMap<Var, (Prim, Atom, Atom)> {
        let mut res = BTreeMap::new();
        for acc in it.accs.iter().filter(|acc| acc.once) {
            let Atom::Var(value) = acc.value else { continue };
            if let Some(product) = it.product(acc).filter(|_| self.is_vector(value)) {
                self.fused.insert(value);
                res.insert(acc.var, product);
            }
        }
        res
    }
}
