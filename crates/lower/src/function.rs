//! Functions that no definition asks for: written in the middle of another one.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use loops::{Block, Func, Var};

use crate::context::{Lower, Operand};

/// The function that was being written before.
pub(crate) struct Outer {
    func: Func,
    blocks: Vec<Block>,
    values: BTreeMap<ir::Var, Operand>,
    types: BTreeMap<ir::Var, ir::Type>,
    owned: BTreeSet<Var>,
    escaped: BTreeSet<Var>,
}

impl Lower<'_, '_> {
    /// Begins another function.
    pub(crate) fn begin_function(&mut self, name: Name) -> Outer {
        use std::mem::{replace, take};
        Outer {
            func: replace(&mut self.func, Func::new(name)),
            blocks: replace(&mut self.blocks, vec![Block::new()]),
            values: take(&mut self.values),
            types: take(&mut self.types),
            owned: take(&mut self.owned),
            escaped: take(&mut self.escaped),
        }
    }

    /// Goes back to the function before; gives the one that was written.
    pub(crate) fn end_function(&mut self, outer: Outer) -> Func {
        let Outer { func, blocks, values, types, owned, escaped } = outer;
        let mut res = std::mem::replace(&mut self.func, func);
        res.body = std::mem::replace(&mut self.blocks, blocks).pop().unwrap_or_default();
        (self.values, self.types) = (values, types);
        (self.owned, self.escaped) = (owned, escaped);
        res
    }
}
