//! Where in a definition a block is, for whoever looks at stretches.

use std::fmt::{self, Display};

use base::Name;

/// A block: the definition, then the statements that are no nests around it.
#[derive(Clone, Debug)]
pub(crate) struct Whereabouts {
    def: Name,
    /// The item that each statement is, and how many blocks of it have begun.
    around: Vec<(usize, usize)>,
}

impl Whereabouts {
    pub(crate) fn of(def: &Name) -> Whereabouts {
        Whereabouts { def: def.clone(), around: Vec::new() }
    }

    /// The statement that an item is begins.
    pub(crate) fn enter(&mut self, item: usize) {
        self.around.push((item, 0));
    }

    /// It ends.
    pub(crate) fn leave(&mut self) {
        self.around.pop();
    }

    /// The next block of a statement begins.
    pub(crate) fn next_block(&mut self) {
        if let Some(last) = self.around.last_mut() {
            last.1 += 1;
        }
    }
}

impl Display for Whereabouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.def)?;
        self.around.iter().try_for_each(|(item, block)| write!(f, ", i{item}, block {block}"))
    }
}
