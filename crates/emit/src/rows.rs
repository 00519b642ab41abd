//! Rows that several vectors are the columns of: lanes are turned in registers, and every row is written at
//! once. An element of each lane by itself would be a write for every element.

use loops::{Atom, How, Node, Place, Scalar, Value, Var};

use crate::forms::Form;
use crate::places::Access;
use crate::printer::Printer;

/// How many elements of a row are written at once.
const MOST_COLUMNS: usize = 8;

/// Where the lanes of a statement store: rows at a distance that is known.
struct Column {
    array: Var,
    /// The place of the row, without what is known of it.
    row: Place,
    /// The column, and how far rows are apart.
    column: i64,
    step: i64,
    value: Atom,
}

impl Printer<'_> {
    /// Prints the neighbours in rows that the first of these statements stores one of, if they are several, behind
    /// what is computed between them; how many statements those are.
    pub(crate) fn rows(&mut self, nodes: &[Node]) -> usize {
        let Some(first) = self.column(nodes) else { return 0 };
        let most = MOST_COLUMNS.min(usize::try_from(first.step).unwrap_or(0));
        let (mut values, mut between, mut done) = (vec![first.value], Vec::new(), 1);
        for (at, node) in nodes.iter().enumerate().skip(1) {
            if values.len() == most {
                break;
            }
            if is_computed(node) {
                between.push(node);
                continue;
            }
            let wanted = first.column.wrapping_add(values.len() as i64);
            let is_next = |it: &Column| {
                (it.array, it.step, it.column) == (first.array, first.step, wanted)
                    && it.row == first.row
            };
            let Some(next) = self.column(&nodes[at..]).filter(is_next) else { break };
            values.push(next.value);
            done = at + 1;
        }
        let (count, Some(Node::Store { array, at, .. })) = (values.len(), nodes.first()) else {
            return 0;
        };
        if count == 1 {
            return 0;
        }
        // What is computed behind the last store is not done yet.
        between.truncate(done - count);
        between.into_iter().for_each(|it| self.node(it));
        let (array, at) = self.forms.whole(*array, at);
        let (pointer, live) = (self.pointer(array, &at), self.live.clone().unwrap_or_default());
        let columns = if count <= 4 { 4 } else { MOST_COLUMNS };
        let mut values: Vec<String> = values.into_iter().map(|it| self.wide_atom(it)).collect();
        values.resize(columns, "ct_set(0)".to_string());
        let (step, values) = (first.step, values.join(", "));
        self.line(&format!("ct_put_rows{columns}({pointer}, {step}, {live}, {count}, {values});"));
        done
    }

    /// What the first of these statements is the column of.
    fn column(&mut self, nodes: &[Node]) -> Option<Column> {
        let Some(Node::Store { array, at, value, how: How::Set }) = nodes.first() else {
            return None;
        };
        let (array, at) = self.forms.whole(*array, at);
        let is_own = self.forms.wide.contains(&array) || self.has_lanes(array);
        if self.live.is_none() || is_own || self.element(array) != Scalar::Real {
            return None;
        }
        let (mut row, mut column) = (Place::new(), 0i64);
        for term in &at {
            match (self.resolve(term.index), self.resolve(term.stride)) {
                (Atom::Int(x), Atom::Int(y)) => column = column.wrapping_add(x.wrapping_mul(y)),
                (_, _) => row.push(*term),
            }
        }
        // What is somewhere else in every lane needs statements of its own.
        let is_counted = |it: Atom| self.forms.of_atom(self.resolve(it)) != Form::Vector;
        if !row.iter().all(|it| is_counted(it.index) && self.forms.is_same(it.stride)) {
            return None;
        }
        let Access::Steps(step) = self.access(&at) else { return None };
        let step = step.parse().ok().filter(|it| *it > 1)?;
        Some(Column { array, row, column, step, value: *value })
    }
}

/// Whether a statement reads no memory, so that it may run before a store.
fn is_computed(node: &Node) -> bool {
    match node {
        Node::Let { value: Value::Prim(..) | Value::ScaleAdd(..) | Value::Atom(_), .. } => true,
        Node::Both { .. } => true,
        Node::Let { value: Value::Load { .. } | Value::Part { .. }, .. } => false,
        Node::Alloc { .. } | Node::Store { .. } | Node::Loop(_) | Node::Chunks(_) => false,
        Node::While(_) | Node::If { .. } | Node::Switch { .. } | Node::Make { .. } => false,
        Node::Call { .. } | Node::Check { .. } | Node::Scope(_) | Node::Kernel(_) => false,
    }
}
