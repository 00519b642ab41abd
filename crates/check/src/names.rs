//! The names an expression mentions, for the order in which definitions are inferred.

use base::Name;
use syntax::ast::{Expr, ExprKind as E, IndexItem};

/// Adds every name that occurs, bound or not; too many edges only make groups larger.
pub(crate) fn names(expr: &Expr, res: &mut Vec<Name>) {
    match &expr.kind {
        E::Int(_) | E::Real(_) | E::Bool(_) | E::Str(_) | E::Error => {}
        E::Name(name) => res.push(name.clone()),
        E::Tuple(parts) | E::Array(parts) => parts.iter().for_each(|it| names(it, res)),
        E::Paren(inner) => names(inner, res),
        E::Record { fields, base, .. } => {
            for (field, value) in fields {
                match value {
                    Some(value) => names(value, res),
                    None => res.push(field.name.clone()),
                }
            }
            base.iter().for_each(|it| names(it, res));
        }
        E::Lambda { body, .. } => names(body, res),
        E::Call { function, args } => {
            names(function, res);
            args.iter().for_each(|it| names(it, res));
        }
        E::Field { value, field } => {
            // It may be a module that stands before the dot.
            if let E::Name(name) = &value.kind {
                res.push(name.part(&field.name));
            }
            names(value, res);
        }
        E::Proj { value, .. } | E::Unary { value, .. } => names(value, res),
        E::Index { array, indices } => {
            names(array, res);
            for item in indices {
                match item {
                    IndexItem::At(index) => names(index, res),
                    IndexItem::Range { lo, hi, .. } => {
                        lo.iter().chain(hi).for_each(|it| names(it, res))
                    }
                }
            }
        }
        E::With { array, indices, value } => {
            names(array, res);
            indices.iter().for_each(|it| names(it, res));
            names(value, res);
        }
        E::Binary { left, right, .. } => {
            names(left, res);
            names(right, res);
        }
        E::If { cond, then, otherwise } => {
            [cond, then, otherwise].into_iter().for_each(|it| names(it, res))
        }
        E::Match { value, arms } => {
            names(value, res);
            arms.iter().for_each(|it| names(&it.body, res));
        }
        E::Block { lets, result } => {
            lets.iter().for_each(|it| names(&it.value, res));
            names(result, res);
        }
        E::Build { indices, body } => {
            indices.iter().for_each(|(_, it)| names(it, res));
            names(body, res);
        }
    }
}

/// Groups of definitions that need one another, each after the groups it needs (Tarjan).
/// `edges[i]` are the positions that `i` mentions.
pub(crate) fn groups(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut state = Tarjan {
        edges,
        number: vec![usize::MAX; edges.len()],
        low: vec![0; edges.len()],
        on_stack: vec![false; edges.len()],
        stack: Vec::new(),
        next: 0,
        res: Vec::new(),
    };
    for node in 0..edges.len() {
        if state.number[node] == usize::MAX {
            state.visit(node);
        }
    }
    state.res
}

struct Tarjan<'a> {
    edges: &'a [Vec<usize>],
    number: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    res: Vec<Vec<usize>>,
}

impl Tarjan<'_> {
    /// With a stack of its own: a chain of definitions may be as long as the file.
    fn visit(&mut self, root: usize) {
        let mut work = vec![(root, 0)];
        self.enter(root);
        while let Some((node, edge)) = work.pop() {
            if let Some(&next) = self.edges[node].get(edge) {
                work.push((node, edge + 1));
                if self.number[next] == usize::MAX {
                    self.enter(next);
                    work.push((next, 0));
                } else if self.on_stack[next] {
                    self.low[node] = self.low[node].min(self.number[next]);
                }
                continue;
            }
            if let Some(&(parent, _)) = work.last() {
                self.low[parent] = self.low[parent].min(self.low[node]);
            }
            if self.low[node] == self.number[node] {
                self.leave(node);
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.number[node] = self.next;
        self.low[node] = self.next;
        self.next += 1;
        self.stack.push(node);
        self.on_stack[node] = true;
    }

    fn leave(&mut self, root: usize) {
        let mut group = Vec::new();
        while let Some(node) = self.stack.pop() {
            self.on_stack[node] = false;
            group.push(node);
            if node == root {
                break;
            }
        }
        group.sort_unstable();
        self.res.push(group);
    }
}
