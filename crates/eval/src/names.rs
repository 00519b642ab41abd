//! Numbers for the names of definitions, constructors for theirs.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Name;
use ir::Program;

use crate::value::Constructor;

/// Numbers of definitions and constructors.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) functions: BTreeMap<Name, usize>,
    pub(crate) in_order: Vec<Name>,
    constructors: BTreeMap<Name, Arc<Constructor>>,
}

impl Names {
    pub(crate) fn new(program: &Program) -> Names {
        let mut res = Names::default();
        for decl in program.datas.values() {
            for (tag, con) in decl.cons.iter().enumerate() {
                let constructor = Constructor { name: con.name.clone(), tag };
                res.constructors.insert(con.name.clone(), Arc::new(constructor));
            }
        }
        res
    }

    /// The number of a definition, whether or not it exists.
    pub(crate) fn function(&mut self, name: &Name) -> usize {
        if let Some(number) = self.functions.get(name) {
            return *number;
        }
        let number = self.in_order.len();
        self.in_order.push(name.clone());
        self.functions.insert(name.clone(), number);
        number
    }

    /// The constructor of that name.
    pub(crate) fn constructor(&self, name: &Name) -> Option<Arc<Constructor>> {
        self.constructors.get(name).cloned()
    }
}
