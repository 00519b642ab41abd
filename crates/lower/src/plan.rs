//! Which axes of different items are one loop, which items are computed wherever they are read, and
//! which need memory.
//!
//! Axes are of one *class* if one item reads another one, or two items read one array, at the same
//! index along them. No item has two axes of one class: what would force it, as the table of all
//! differences `x[i] - x[j]` does, is read from memory.

use std::collections::{BTreeMap, BTreeSet};

use base::Span;
use ir::{Prim, Size};
use loops::Var;

use crate::context::{Lower, Operand};
use crate::graph::{Graph, Work, item_of};
use crate::tuning::MOST_IN_PLACE;
use crate::view::{Lin, Source, View};

/// A loop, as the axes of all items that it could go through.
pub(crate) type Class = usize;

/// What is known of the items before they are put in order.
#[derive(Default)]
pub(crate) struct Plan {
    /// The class of each axis of an item.
    pub(crate) classes: BTreeMap<(usize, usize), Class>,
    /// How many steps the loop of a class has.
    pub(crate) sizes: BTreeMap<Class, Size>,
    /// The classes from the outermost loop to the innermost.
    pub(crate) order: Vec<Class>,
    /// The classes whose loops are done by vectors, the most important one first.
    pub(crate) vectors: Vec<Class>,
    /// The classes whose loops run in chunks, the most important one first.
    pub(crate) batches: Vec<Class>,
    /// Scatters of rows, and what goes along with them, with the class of the rows (`rowwise.rs`).
    pub(crate) rowwise: BTreeMap<usize, Class>,
    /// Items that are products of matrices, and whether they take part in chunks.
    pub(crate) products: BTreeMap<usize, bool>,
    /// Items that are computed where they are read, each with how many primitives that takes.
    pub(crate) inline: BTreeMap<usize, usize>,
    /// Items that are needed as a whole, in memory.
    pub(crate) external: BTreeSet<usize>,
    /// For each item what it reads, beyond what is computed in place: views of its domain.
    pub(crate) reads: BTreeMap<usize, Vec<View>>,
    /// Who reads an item.
    pub(crate) readers: BTreeMap<usize, BTreeSet<usize>>,
    /// Where checks of an item are in the source, if they are those of another one.
    pub(crate) blamed: BTreeMap<usize, Option<Span>>,
    /// Memory that is meant for an item.
    pub(crate) wanted: BTreeMap<usize, Var>,
}

impl Plan {
    pub(crate) fn class(&self, item: usize, axis: usize) -> Class {
        self.classes[&(item, axis)]
    }

    /// The classes that an item has loops for, outermost first.
    pub(crate) fn domain(&self, graph: &Graph<'_>, item: usize) -> Vec<Class> {
        let kernel = match &graph.items[item].work {
            Work::Product(product) => product.axes().to_vec(),
            Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => Vec::new(),
            Work::Scatter { .. } | Work::Flow(_) | Work::Rows { .. } => Vec::new(),
        };
        let axes = (0..graph.items[item].axes.len()).filter(|it| !kernel.contains(it));
        let mut res: Vec<Class> = axes.map(|axis| self.class(item, axis)).collect();
        let row = self.rowwise.get(&item);
        res.sort_by_key(|it| (row == Some(it), self.rank(*it)));
        res
    }

    /// All classes of an item.
    pub(crate) fn whole_domain(&self, graph: &Graph<'_>, item: usize) -> BTreeSet<Class> {
        (0..graph.items[item].axes.len()).map(|axis| self.class(item, axis)).collect()
    }

    /// The class of an item that is done by vectors.
    pub(crate) fn vector_of(&self, graph: &Graph<'_>, item: usize) -> Option<Class> {
        if let Some(row) = self.rowwise.get(&item) {
            return Some(*row);
        }
        let domain = self.domain(graph, item);
        self.vectors.iter().copied().find(|it| domain.contains(it))
    }

    /// The class of an item that runs in chunks.
    pub(crate) fn batch_of(&self, graph: &Graph<'_>, item: usize) -> Option<Class> {
        let domain = self.whole_domain(graph, item);
        self.batches.iter().copied().find(|it| domain.contains(it))
    }

    /// Whether an item is read by others than these, or needed as a whole.
    pub(crate) fn read_outside(&self, item: usize, members: &BTreeSet<usize>) -> bool {
        let readers = self.readers.get(&item);
        self.external.contains(&item)
            || readers.is_some_and(|it| it.iter().any(|it| !members.contains(it)))
    }

    /// The items that have to come before an item.
    pub(crate) fn needs(&self, graph: &Graph<'_>, item: usize) -> BTreeSet<usize> {
        let mut res = graph.items[item].whole.clone();
        res.extend(self.reads[&item].iter().filter_map(item_of));
        res
    }

    /// How far inside the loop of a class is.
    pub(crate) fn rank(&self, class: Class) -> usize {
        self.order.iter().position(|it| *it == class).unwrap_or(usize::MAX)
    }
}

impl Lower<'_, '_> {
    /// The plan for the items that are not done.
    pub(crate) fn plan(&self, all_needed: bool, wanted: BTreeMap<usize, Var>) -> Plan {
        let graph = &self.graph;
        let items = graph.n_done..graph.items.len();
        let mut plan = Plan { wanted, ..Plan::default() };
        for item in items.clone() {
            plan.external.extend(graph.items[item].whole.iter().copied());
        }
        for item in items.clone() {
            match graph.items[item].work {
                Work::Flow(_) | Work::Scatter { .. } => {}
                Work::Prim(_)
                | Work::Copy
                | Work::Gather { .. }
                | Work::Reduce(_)
                | Work::Rows { .. }
                | Work::Product(_) => {
                    if all_needed {
                        plan.external.insert(item);
                    }
                }
            }
        }
        plan.external.extend(plan.wanted_items(self));
        // The operands of a kernel are memory.
        let products = items.clone().filter(|it| self.is_product(*it));
        let operands: BTreeSet<usize> =
            products.flat_map(|it| graph.items[it].args.iter().filter_map(item_of)).collect();
        for item in items.clone() {
            let memory = plan.external.contains(&item) || operands.contains(&item);
            if !memory && self.is_cheap(&plan, item) {
                let inner = graph.items[item].args.iter().filter_map(item_of);
                let weight = 1 + inner.map(|it| plan.inline.get(&it).unwrap_or(&0)).sum::<usize>();
                if weight <= MOST_IN_PLACE {
                    plan.inline.insert(item, weight);
                }
            }
        }
        let read = self.needed(&mut plan);
        for item in items.filter(|it| !plan.inline.contains_key(it) && read.contains(it)) {
            let mut reads = Vec::new();
            let args = graph.items[item].args.clone();
            args.iter().for_each(|it| self.collect_reads(&plan, it, &mut reads));
            for view in &reads {
                if let Some(source) = item_of(view) {
                    plan.readers.entry(source).or_default().insert(item);
                }
            }
            for source in &graph.items[item].whole {
                plan.readers.entry(*source).or_default().insert(item);
            }
            plan.reads.insert(item, reads);
        }
        self.find_classes(&mut plan);
        self.order(&mut plan);
        self.choose_rowwise(&mut plan);
        plan
    }

    fn is_product(&self, item: usize) -> bool {
        matches!(self.graph.items[item].work, Work::Product(_))
    }

    /// Whether an item is so cheap that it is computed wherever it is read.
    fn is_cheap(&self, plan: &Plan, item: usize) -> bool {
        let it = &self.graph.items[item];
        let Work::Prim(prim) = it.work else { return false };
        let cheap = matches!(
            prim,
            Prim::Add
                | Prim::Sub
                | Prim::Mul
                | Prim::Neg
                | Prim::Abs
                | Prim::Min
                | Prim::Max
                | Prim::Lt
                | Prim::Le
                | Prim::Gt
                | Prim::Ge
                | Prim::Eq
                | Prim::Ne
                | Prim::IsNan
                | Prim::And
                | Prim::Or
                | Prim::Not
                | Prim::Select
                | Prim::ToReal
        );
        let plain = |view: &View| match view.source {
            Source::Memory(_) => it.elem != ir::Type::Real,
            Source::Iota | Source::Same(_) => true,
            Source::Item(item, _) => plan.inline.contains_key(&item),
        };
        cheap && !it.axes.is_empty() && it.args.iter().all(plain)
    }

    /// The views that an argument comes from, with what is computed in place taken apart.
    fn collect_reads(&self, plan: &Plan, view: &View, into: &mut Vec<View>) {
        match item_of(view) {
            Some(item) if plan.inline.contains_key(&item) => {
                for arg in self.through(item, view) {
                    self.collect_reads(plan, &arg, into);
                }
            }
            Some(_) | None => into.push(self.resolve(view)),
        }
    }

    /// The arguments of an item, as the reader of a view of it sees them.
    pub(crate) fn through(&self, item: usize, view: &View) -> Vec<View> {
        let it = &self.graph.items[item];
        // The axes of the domain are those of the result: it reduces nothing.
        let by = |axis: usize| match it.out.iter().position(|out| *out == axis) {
            Some(at) => view.map[at].clone(),
            None => Lin { terms: Vec::new(), offset: Vec::new() },
        };
        it.args.iter().map(|arg| arg.mapped(view.sizes.clone(), &by)).collect()
    }

    fn find_classes(&self, plan: &mut Plan) {
        let graph = &self.graph;
        let mut finder = Classes::default();
        let items: Vec<usize> = plan.reads.keys().copied().collect();
        for item in &items {
            for axis in 0..graph.items[*item].axes.len() {
                finder.add(Axis::Item(*item, axis));
            }
        }
        let mut edges: Vec<(usize, &View)> = Vec::new();
        for item in &items {
            edges.extend(plan.reads[item].iter().map(|view| (*item, view)));
        }
        // Who reads whom comes first; arrays that several read are less important.
        edges.sort_by_key(|it| item_of(it.1).is_none());
        for (item, view) in edges {
            for (at, lin) in view.map.iter().enumerate() {
                let Some(axis) = lin.as_axis() else { continue };
                let other = match view.source {
                    Source::Item(source, _) => match graph.items[source].out.get(at) {
                        Some(out) => Axis::Item(source, *out),
                        None => continue,
                    },
                    Source::Memory(var) => Axis::Memory(var, at),
                    Source::Iota | Source::Same(_) => continue,
                };
                finder.join(Axis::Item(item, axis), other);
            }
        }
        for item in &items {
            for (axis, size) in graph.items[*item].axes.iter().enumerate() {
                let class = finder.of(Axis::Item(*item, axis));
                plan.classes.insert((*item, axis), class);
                plan.sizes.entry(class).or_insert_with(|| size.clone());
            }
        }
    }
}

impl Plan {
    fn wanted_items(&self, lower: &Lower<'_, '_>) -> Vec<usize> {
        lower.graph.results.iter().filter_map(item_of).collect()
    }
}

/// An axis of an item, or of an array that several items read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Axis {
    Item(usize, usize),
    Memory(Var, usize),
}

impl Axis {
    /// What has at most one axis of a class.
    fn owner(self) -> (usize, Option<Var>) {
        match self {
            Axis::Item(item, _) => (item, None),
            Axis::Memory(var, _) => (usize::MAX, Some(var)),
        }
    }
}

#[derive(Default)]
struct Classes {
    of: BTreeMap<Axis, Class>,
    members: BTreeMap<Class, Vec<Axis>>,
}

impl Classes {
    fn add(&mut self, axis: Axis) {
        if !self.of.contains_key(&axis) {
            let class = self.of.len();
            self.of.insert(axis, class);
            self.members.insert(class, vec![axis]);
        }
    }

    fn of(&self, axis: Axis) -> Class {
        self.of[&axis]
    }

    /// Makes two axes one class, unless something would have two axes of it then.
    fn join(&mut self, x: Axis, y: Axis) {
        self.add(x);
        self.add(y);
        let (a, b) = (self.of(x), self.of(y));
        if a == b {
            return;
        }
        let owners: BTreeSet<(usize, Option<Var>)> =
            self.members[&a].iter().map(|it| it.owner()).collect();
        if self.members[&b].iter().any(|it| owners.contains(&it.owner())) {
            return;
        }
        let moved = self.members.remove(&b).unwrap_or_default();
        moved.iter().for_each(|it| {
            self.of.insert(*it, a);
        });
        self.members.entry(a).or_default().extend(moved);
    }
}

impl Lower<'_, '_> {
    /// What a variable of the ir is now, for a statement that needs it whole.
    pub(crate) fn settle(&mut self, var: ir::Var) {
        let Some(Operand::Array(view)) = self.values.get(&var).cloned() else { return };
        let view = self.resolve(&view);
        let operand = match view.source {
            Source::Same(atom) if view.sizes.is_empty() => Operand::Scalar(atom),
            Source::Memory(_) if view.sizes.is_empty() => Operand::Scalar(self.element(&view, &[])),
            Source::Same(_) | Source::Memory(_) | Source::Iota | Source::Item(..) => {
                Operand::Array(view)
            }
        };
        self.values.insert(var, operand);
    }
}
