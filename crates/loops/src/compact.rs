//! Numbers of variables without gaps, in the order in which a reader meets their definitions.

use std::collections::BTreeMap;

use crate::{Atom, Block, Func, Kernel, Matrix, Node, Place, State, Value, Var};

impl Func {
    /// Drops the types of variables that nothing defines any more, and numbers the others anew.
    pub fn compact(&mut self) {
        let mut numbers: BTreeMap<Var, Var> = BTreeMap::new();
        let mut vars = Vec::new();
        let mut number = |var: Var| {
            numbers.entry(var).or_insert_with(|| {
                vars.push(self.vars[var.0 as usize]);
                Var(vars.len() as u32 - 1)
            });
        };
        self.params.iter().for_each(|it| number(*it));
        crate::walk(&self.body, &mut |node| node.defines(&mut number));
        let new = &mut |var: &mut Var| *var = numbers.get(var).copied().unwrap_or(*var);
        self.params.iter_mut().for_each(&mut *new);
        self.results.iter_mut().for_each(|it| atom(it, new));
        block(&mut self.body, new);
        self.vars = vars;
    }
}

fn block(nodes: &mut Block, new: &mut impl FnMut(&mut Var)) {
    for it in nodes {
        node(it, new);
        it.blocks_mut().into_iter().for_each(|it| block(it, new));
    }
}

fn node(it: &mut Node, new: &mut impl FnMut(&mut Var)) {
    match it {
        Node::Let { var, value: it } => {
            new(var);
            value(it, new);
        }
        Node::Both { of, results, .. } => {
            atom(of, new);
            results.iter_mut().for_each(new);
        }
        Node::Alloc { array, len, .. } => {
            new(array);
            atom(len, new);
        }
        Node::Store { array, at, value, .. } => {
            new(array);
            place(at, new);
            atom(value, new);
        }
        Node::Loop(it) => {
            new(&mut it.var);
            atom(&mut it.count, new);
            states(&mut it.state, new);
            for acc in &mut it.accs {
                new(&mut acc.var);
                atoms([&mut acc.init, &mut acc.value], new);
            }
        }
        Node::Chunks(it) => {
            [&mut it.start, &mut it.len].into_iter().for_each(&mut *new);
            atoms([&mut it.total, &mut it.bytes, &mut it.work], new);
            for acc in &mut it.accs {
                [&mut acc.array, &mut acc.into].into_iter().for_each(&mut *new);
                atom(&mut acc.len, new);
            }
        }
        Node::While(it) => {
            states(&mut it.state, new);
            atom(&mut it.cond, new);
        }
        Node::If { cond, results, .. } => {
            atom(cond, new);
            for phi in results {
                new(&mut phi.var);
                atoms([&mut phi.then, &mut phi.otherwise], new);
            }
        }
        Node::Switch { value, arms, results, .. } => {
            atom(value, new);
            arms.iter_mut().flat_map(|it| &mut it.fields).for_each(&mut *new);
            for choice in results {
                new(&mut choice.var);
                choice.arms.iter_mut().for_each(|it| atom(it, new));
                atom(&mut choice.otherwise, new);
            }
        }
        Node::Make { var, fields, .. } => {
            new(var);
            fields.iter_mut().for_each(|it| atom(it, new));
        }
        Node::Call { args, results, .. } => {
            args.iter_mut().for_each(|it| atom(it, new));
            results.iter_mut().for_each(new);
        }
        Node::Check { holds, values, .. } => {
            atom(holds, new);
            values.iter_mut().for_each(|it| atom(it, new));
        }
        Node::Scope(_) => {}
        Node::Kernel(it) => kernel(it, new),
    }
}

fn states(all: &mut [State], new: &mut impl FnMut(&mut Var)) {
    for it in all {
        [&mut it.var, &mut it.last].into_iter().for_each(&mut *new);
        atoms([&mut it.init, &mut it.next], new);
    }
}

fn atom(it: &mut Atom, new: &mut impl FnMut(&mut Var)) {
    match it {
        Atom::Var(var) => new(var),
        Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) => {}
    }
}

fn atoms<const N: usize>(all: [&mut Atom; N], new: &mut impl FnMut(&mut Var)) {
    all.into_iter().for_each(|it| atom(it, new));
}

fn place(at: &mut Place, new: &mut impl FnMut(&mut Var)) {
    at.iter_mut().for_each(|it| atoms([&mut it.index, &mut it.stride], new));
}

fn value(it: &mut Value, new: &mut impl FnMut(&mut Var)) {
    match it {
        Value::Atom(it) => atom(it, new),
        Value::Prim(_, operands) => operands.iter_mut().for_each(|it| atom(it, new)),
        Value::ScaleAdd(a, b, c) => atoms([a, b, c], new),
        Value::Load { array, at } | Value::Part { array, at } => {
            new(array);
            place(at, new);
        }
    }
}

fn kernel(it: &mut Kernel, new: &mut impl FnMut(&mut Var)) {
    match it {
        Kernel::Fill { array, at, len, value } => {
            new(array);
            place(at, new);
            atoms([len, value], new);
        }
        Kernel::Copy { from, from_at, into, into_at, len } => {
            [from, into].into_iter().for_each(&mut *new);
            place(from_at, new);
            place(into_at, new);
            atom(len, new);
        }
        Kernel::Product { m, n, k, a, b, c, .. } => {
            atoms([m, n, k], new);
            for Matrix { array, at, rows, columns } in [a, b, c] {
                new(array);
                place(at, new);
                atoms([rows, columns], new);
            }
        }
        Kernel::Sort { from, into, len } | Kernel::Argsort { from, into, len } => {
            [from, into].into_iter().for_each(&mut *new);
            atom(len, new);
        }
        Kernel::Tell { saying: _, every, text, value, sizes } => {
            atoms([every, text, value], new);
            sizes.iter_mut().for_each(|it| atom(it, new));
        }
    }
}
