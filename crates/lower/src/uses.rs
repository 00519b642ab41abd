//! How often variables are read.

use std::collections::BTreeMap;

use ir::{Atom, Def, Var, walk};

/// How often each variable occurs as an operand in a definition.
pub(crate) fn uses(def: &Def) -> BTreeMap<Var, usize> {
    struct Count(BTreeMap<Var, usize>);
    impl walk::Rewrite for Count {
        fn atom(&mut self, atom: &Atom) -> Atom {
            if let Atom::Var(var) = atom {
                *self.0.entry(*var).or_default() += 1;
            }
            atom.clone()
        }
    }
    let mut count = Count(BTreeMap::new());
    walk::rewrite_block(&def.body, &mut count);
    count.0
}
