//! The call graph: which definitions need which, how, and what follows from it.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;

use crate::op::{DeriveOp, FunctionOp, Op};
use crate::term::{Block, Program};
use crate::walk;

/// How a definition needs another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// It calls it.
    Call,
    /// It differentiates it.
    Derivative,
    /// It has it as a custom derivative.
    Clause,
}

impl Need {
    /// All of them.
    pub const ALL: [Need; 3] = [Need::Call, Need::Derivative, Need::Clause];
    /// Those that stand in bodies.
    pub const IN_BODIES: [Need; 2] = [Need::Call, Need::Derivative];
}

/// The definition that an operation itself needs.
pub fn needed_by(op: &Op) -> Option<(Need, &Name)> {
    if let Op::Function(FunctionOp::Call { def, .. }) = op {
        Some((Need::Call, def))
    } else if let Op::Derive(DeriveOp::OfDefinition { def, .. }) = op {
        Some((Need::Derivative, def))
    } else {
        None
    }
}

/// The definitions that a block needs, in order, with repetitions, those of inner blocks included.
pub fn callees(block: &Block) -> Vec<(Need, &Name)> {
    let mut res = Vec::new();
    add_callees(block, &mut res);
    res
}

fn add_callees<'a>(block: &'a Block, res: &mut Vec<(Need, &'a Name)>) {
    for stmt in &block.stmts {
        res.extend(needed_by(&stmt.op));
        walk::blocks(&stmt.op).into_iter().for_each(|(_, it)| add_callees(it, res));
    }
}

/// Who needs whom in the ways asked for. Names that have no definition are no nodes.
pub struct CallGraph<'p> {
    edges: BTreeMap<&'p Name, BTreeSet<&'p Name>>,
}

impl<'p> CallGraph<'p> {
    /// The graph of a program.
    pub fn new(program: &'p Program, needs: &[Need]) -> CallGraph<'p> {
        let node = |(name, def): (&'p Name, &'p std::sync::Arc<crate::term::Def>)| {
            let own = callees(&def.body);
            let custom = program.customs.get(name).into_iter();
            let clauses = custom.flat_map(|it| [&it.vjp, &it.jvp]).flatten();
            let all = own.into_iter().chain(clauses.map(|it| (Need::Clause, it)));
            let wanted = all.filter(|(need, _)| needs.contains(need)).map(|it| it.1);
            (name, wanted.filter(|it| program.defs.contains_key(*it)).collect())
        };
        CallGraph { edges: program.defs.iter().map(node).collect() }
    }

    /// What one needs directly.
    pub fn callees(&self, of: &Name) -> impl Iterator<Item = &'p Name> + '_ {
        self.edges.get(of).into_iter().flatten().copied()
    }

    /// What some need, directly or not, and those themselves.
    pub fn reachable<'a>(&self, from: impl IntoIterator<Item = &'a Name>) -> BTreeSet<Name> {
        let mut res = BTreeSet::new();
        let mut open: Vec<&Name> = Vec::new();
        for name in from {
            open.extend(self.edges.get_key_value(name).map(|it| *it.0));
            while let Some(name) = open.pop() {
                if res.insert(name.clone()) {
                    open.extend(self.callees(name));
                }
            }
        }
        res
    }

    /// The definitions that need themselves, directly or not: those of a cycle.
    pub fn recursive(&self) -> BTreeSet<Name> {
        let is_cycle =
            |names: &Vec<&Name>| names.len() > 1 || self.edges[names[0]].contains(names[0]);
        self.components().iter().filter(|it| is_cycle(it)).flatten().copied().cloned().collect()
    }

    /// Strongly connected components, callees first: Tarjan's algorithm with its stack on the heap, since
    /// chains of calls may be as long as a program.
    pub fn components(&self) -> Vec<Vec<&'p Name>> {
        let mut search = Search::default();
        for root in self.edges.keys() {
            if search.index.contains_key(root) {
                continue;
            }
            search.enter(root);
            let mut path = vec![(*root, self.callees(root).collect::<Vec<&Name>>())];
            while let Some((name, open)) = path.last_mut() {
                let name = *name;
                match open.pop() {
                    Some(next) if !search.index.contains_key(next) => {
                        search.enter(next);
                        path.push((next, self.callees(next).collect()));
                    }
                    Some(next) => search.reaches(name, next),
                    None => {
                        path.pop();
                        search.leave(name);
                        if let Some((caller, _)) = path.last() {
                            search.reaches(caller, name);
                        }
                    }
                }
            }
        }
        search.done
    }
}

/// The state of Tarjan's algorithm.
#[derive(Default)]
struct Search<'p> {
    /// The order of first visits.
    index: BTreeMap<&'p Name, usize>,
    /// The earliest that is open and known to be reached, of those that are open.
    low: BTreeMap<&'p Name, usize>,
    open: Vec<&'p Name>,
    done: Vec<Vec<&'p Name>>,
}

impl<'p> Search<'p> {
    fn enter(&mut self, name: &'p Name) {
        let at = self.index.len();
        self.index.insert(name, at);
        self.low.insert(name, at);
        self.open.push(name);
    }

    fn reaches(&mut self, name: &'p Name, next: &'p Name) {
        if let Some(reached) = self.low.get(next).copied() {
            self.low.entry(name).and_modify(|it| *it = reached.min(*it));
        }
    }

    fn leave(&mut self, name: &'p Name) {
        if self.low[name] == self.index[name]
            && let Some(start) = self.open.iter().rposition(|it| *it == name)
        {
            let component = self.open.split_off(start);
            self.low.retain(|it, _| !component.contains(it));
            self.done.push(component);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(of: &[&str]) -> BTreeSet<Name> {
        of.iter().map(|it| Name::new(it)).collect()
    }

    /// A cycle of two, one that calls itself, one behind a cycle, one in front of it.
    #[test]
    fn cycles_and_what_is_reached() {
        let def = |name: &str, calls: &[&str]| {
            let mut text = format!("def {name}(x0: Real) -> (x1: Real) {{\n");
            for (at, callee) in calls.iter().enumerate() {
                text += &format!("  x{}: Real = call {callee}(x0)\n", at + 2);
            }
            text + "  give x0\n}\n"
        };
        let text = def("a", &["b"]) + &def("b", &["c", "d"]) + &def("c", &["b"]) + &def("d", &[]);
        let text = text + &def("e", &["d", "e", "nobody"]);
        let program: Program = text.parse().expect("a program");
        let graph = CallGraph::new(&program, &Need::ALL);
        assert_eq!(graph.recursive(), names(&["b", "c", "e"]));
        assert_eq!(graph.reachable([&Name::new("c")]), names(&["b", "c", "d"]));
        let order: Vec<Vec<&str>> =
            graph.components().iter().map(|it| it.iter().map(|it| it.as_str()).collect()).collect();
        assert_eq!(order, [vec!["d"], vec!["b", "c"], vec!["a"], vec!["e"]]);
    }
}
