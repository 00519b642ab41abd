//! What of a region goes into the vector loop, and what is done before or after it.

use std::collections::BTreeSet;

use ir::Prim;
use loops::{Atom, Block, Chunks, How, Kernel, Kind, Node, Type, Value, Var, walk};

use super::{Columns, Pointer, counted_inside};

impl Columns<'_> {
    /// A statement of the region. Nothing if the region cannot have it.
    pub(super) fn statement(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Alloc { array, len, lanes: None } => self.room(node, *array, *len),
            Node::Scope(block) if self.is_ours(node) => {
                block.iter().try_for_each(|it| self.statement(it))
            }
            Node::Loop(it) if it.kind == Kind::Vector && self.is_ours(node) => {
                (self.is_count(it.count)).then_some(())?;
                self.elements(it)
            }
            Node::Loop(it) if counted_inside(node) == Some(self.count) => self.steps(it),
            Node::Chunks(it) if self.is_ours(node) => self.chunks(it),
            Node::Kernel(Kernel::Fill { .. } | Kernel::Copy { .. }) if self.is_ours(node) => {
                self.moved(node)
            }
            // Another name for cells or rows is gone with them.
            Node::Let { var, .. } if self.is_ours(node) && self.is_used_outside(*var) => None,
            Node::Let { var, value: Value::Part { array, at } } if self.is_ours(node) => {
                self.part(*var, *array, at)
            }
            Node::Let { var, value: Value::Atom(Atom::Var(array)) } if self.is_ours(node) => {
                let pointer = self.pointers.get(array)?.clone();
                self.pointers.insert(*var, pointer);
                Some(())
            }
            Node::Let { .. } | Node::Alloc { .. } | Node::Store { .. } | Node::Loop(_) => {
                self.apart(node)
            }
            Node::Chunks(_) | Node::While(_) | Node::If { .. } | Node::Switch { .. } => {
                self.apart(node)
            }
            Node::Make { .. }
            | Node::Both { .. }
            | Node::Call { .. }
            | Node::Check { .. }
            | Node::Scope(_) => self.apart(node),
            Node::Kernel(_) => self.apart(node),
        }
    }

    pub(super) fn is_count(&self, atom: Atom) -> bool {
        atom == self.count
    }

    /// Whether a statement works on cells or rows.
    fn is_ours(&self, node: &Node) -> bool {
        let mut is_ours = false;
        walk(std::slice::from_ref(node), &mut |node| {
            node.uses(&mut |var| is_ours |= self.pointers.contains_key(&var));
        });
        is_ours
    }

    /// Memory of the region: a cell, rows, or none of both.
    pub(super) fn room(&mut self, node: &Node, array: Var, len: Atom) -> Option<()> {
        let is_local = !self.is_used_outside(array);
        if self.by_step.contains(&array) {
            return self.apart(node);
        }
        if self.is_count(len) {
            self.cells.push(None);
            let cell = self.cells.len() - 1;
            self.pointers.insert(array, Pointer::Cell(cell));
            if !is_local {
                self.before.push(node.clone());
                self.exported.push((array, cell));
            }
            return Some(());
        }
        let n_before = self.before.len();
        match is_local.then(|| self.n_rows(len)).flatten() {
            Some(rows) => {
                let wide = self.func.fresh(self.func.ty(array));
                self.step.push(Node::Alloc { array: wide, len: rows, lanes: None });
                self.pointers.insert(array, Pointer::Rows { array: wide, at: Vec::new() });
                Some(())
            }
            None => {
                self.before.truncate(n_before);
                self.apart(node)
            }
        }
    }

    /// A number by the number of columns, where both are literals and it is a multiple.
    pub(super) fn times_count(&self, len: Atom) -> Option<Atom> {
        let (Atom::Int(len), Atom::Int(count)) = (len, self.count) else { return None };
        (count > 0 && len % count == 0).then_some(Atom::Int(len / count))
    }

    /// A number of elements by the number of columns, if it is a multiple: written before the vector loop.
    fn n_rows(&mut self, len: Atom) -> Option<Atom> {
        if self.is_count(len) {
            return Some(Atom::Int(1));
        }
        if let Some(rows) = self.times_count(len) {
            return Some(rows);
        }
        let Atom::Var(var) = len else { return None };
        let Value::Prim(prim, args) = self.known.values.get(&var)? else { return None };
        match (*prim, args.as_slice()) {
            (Prim::Mul, [x, y]) if self.is_count(*y) => self.atom(*x),
            (Prim::Mul, [x, y]) if self.is_count(*x) => self.atom(*y),
            (Prim::Add, [x, y]) => {
                let (x, y) = (self.n_rows(*x)?, self.n_rows(*y)?);
                let var = self.func.fresh(Type::Scalar(loops::Scalar::Int));
                let value = Value::Prim(Prim::Add, vec![x, y]);
                self.before.push(Node::Let { var, value });
                Some(Atom::Var(var))
            }
            // What is too much to count is no memory.
            (Prim::Select, [_, len, Atom::Int(i64::MAX)]) => self.n_rows(*len),
            _ => None,
        }
    }

    /// A statement that works on no cell: before the vector loop, or after it, if it needs what that makes.
    fn apart(&mut self, node: &Node) -> Option<()> {
        (!self.is_ours(node)).then_some(())?;
        let (mut used, mut defined, mut written) = <[BTreeSet<Var>; 3]>::default().into();
        walk(std::slice::from_ref(node), &mut |node| {
            node.uses(&mut |var| {
                used.insert(var);
                used.insert(self.known.root(var));
                let is_array = matches!(self.func.ty(var), Type::Array(_));
                if is_array && !matches!(node, Node::Let { .. }) {
                    written.insert(self.known.root(var));
                }
            });
            node.defines(&mut |var| {
                defined.insert(var);
            });
        });
        // Of an array of unknown origin nobody knows who else reads it.
        let is_known = |it: &Var| {
            let is_param = self.func.params.contains(it);
            is_param || self.known.lens.contains_key(it) || defined.contains(it)
        };
        written.iter().all(is_known).then_some(())?;
        let meets = |x: &BTreeSet<Var>, y: &BTreeSet<Var>| !x.is_disjoint(y);
        // What can be noticed from outside keeps its order.
        let is_heard = !matches!(node, Node::Let { .. } | Node::Alloc { .. } | Node::Store { .. });
        let is_late = meets(&used, &self.late)
            || meets(&written, &self.read)
            || meets(&written, &self.read_late)
            || is_heard && !self.after.is_empty();
        if is_late {
            self.late.extend(defined);
            self.late.extend(written);
            self.read_late.extend(used);
            self.after.push(node.clone());
        } else {
            self.before.push(node.clone());
        }
        Some(())
    }

    /// A loop in chunks, which adds something up: in the vector loop it is as long as all chunks.
    fn chunks(&mut self, it: &Chunks) -> Option<()> {
        self.is_count(it.total).then_some(())?;
        self.values.insert(it.start, Atom::Int(0));
        let into = |array: Var| it.accs.iter().find(|acc| acc.array == array).map(|acc| acc.into);
        for node in &it.body {
            match node {
                Node::Loop(inner) if inner.kind == Kind::Vector => {
                    (inner.count == Atom::Var(it.len)).then_some(())?;
                    self.elements(inner)?;
                }
                Node::Store { array, at, value, how } if *how != How::Set && at.is_empty() => {
                    let (array, at, how) = (into(*array)?, at.clone(), *how);
                    let is_sum = self.accs.iter().any(|acc| Atom::Var(acc.var) == *value);
                    let root = self.known.root(array);
                    (is_sum && !self.read.contains(&root)).then_some(())?;
                    self.late.extend([array, root]);
                    self.read_late.insert(root);
                    self.after.push(Node::Store { array, at, value: *value, how });
                }
                Node::Let { .. } | Node::Alloc { .. } | Node::Store { .. } | Node::Loop(_) => {
                    return None;
                }
                Node::Chunks(_) | Node::While(_) | Node::If { .. } | Node::Switch { .. } => {
                    return None;
                }
                Node::Make { .. } | Node::Both { .. } | Node::Call { .. } | Node::Check { .. } => {
                    return None;
                }
                Node::Scope(_) | Node::Kernel(_) => return None,
            }
        }
        Some(())
    }

    /// The sums over all elements that steps have added up lane by lane, where they belong.
    pub(super) fn add_up(&mut self, lanes: Var, array: Var, len: Atom) {
        let index = self.func.fresh(Type::Scalar(loops::Scalar::Int));
        let sum = self.func.fresh(Type::Scalar(loops::Scalar::Real));
        let at = vec![loops::Term { index: Atom::Var(index), stride: Atom::Int(1) }];
        let load = Value::Load { array: lanes, at: at.clone() };
        let body: Block = vec![
            Node::Let { var: sum, value: load },
            Node::Store { array, at, value: Atom::Var(sum), how: How::Set },
        ];
        let (kind, state, accs) = (Kind::Seq, Vec::new(), Vec::new());
        let it = loops::Loop { var: index, count: len, kind, state, accs, body };
        self.late.extend([array, self.known.root(array)]);
        self.read_late.insert(self.known.root(array));
        self.after.push(Node::Loop(Box::new(it)));
    }
}
