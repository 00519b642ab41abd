//! Items in loops: those that can share a loop do.
//!
//! At each level the items are dealt out to *clusters*, which run one after the other: a loop over a
//! class, or a single item that has no loop left. An item goes to the first loop over its outermost
//! class that comes after all it needs; it may share the loop with what it reads if it reads it at
//! the same step, and comes after the loop if it reads something that the loop adds up. Inside of a
//! loop the same is done with the next classes. So what is read in the loop where it is computed stays
//! a scalar, and gets memory only where loops separate.

use std::collections::{BTreeMap, BTreeSet};

use ir::Reduction;
use loops::{Acc, Atom, How, Kernel, Kind, Loop, Node, Place, Scalar, Term, Value, Var};

use crate::context::{Lower, Operand, scalar_of};
use crate::graph::{Work, item_of};
use crate::plan::{Class, Plan};
use crate::view::{Source, View};

/// The loops around, and what is known inside of them.
pub(crate) struct Nest<'p> {
    pub(crate) plan: &'p Plan,
    /// The parts of the index of each class that is fixed.
    pub(crate) index: BTreeMap<Class, Vec<Atom>>,
    /// Values of items at this point, the innermost loop last.
    pub(crate) scopes: Vec<BTreeMap<usize, Atom>>,
    /// Memory of items.
    pub(crate) held: BTreeMap<usize, Held>,
    /// Elements that were loaded at this point, the innermost loop last.
    pub(crate) loads: Vec<Vec<(Var, Place, Atom)>>,
    /// Items that the loop around combines as scalars.
    pub(crate) scalars: BTreeSet<usize>,
    /// Whether a vector loop is around.
    pub(crate) in_vector: bool,
    /// In which of the blocks that are being written memory is allocated: outside of all loops, but
    /// inside of a vector loop, where every lane has its own.
    pub(crate) depth: usize,
}

/// Memory of an item.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) array: Var,
    /// The axes of its domain that the memory has, and how far neighbours are apart.
    pub(crate) axes: Vec<(usize, Atom)>,
}

struct Cluster {
    class: Option<Class>,
    items: Vec<usize>,
}

impl<'a> Lower<'a, '_> {
    /// Lowers items, in order.
    pub(crate) fn nests(&mut self, plan: &Plan, items: &[usize]) {
        let (index, held, scalars) = Default::default();
        let scopes = vec![BTreeMap::new()];
        let loads = vec![Vec::new()];
        let (in_vector, depth) = (false, self.blocks.len() - 1);
        let mut nest = Nest { plan, index, scopes, held, loads, scalars, in_vector, depth };
        self.level(&mut nest, items);
    }

    fn level(&mut self, nest: &mut Nest<'_>, items: &[usize]) {
        let clusters = self.clusters(nest, items);
        for cluster in clusters {
            match cluster.class {
                None => self.at_point(nest, cluster.items[0]),
                Some(class) => self.cluster(nest, class, &cluster.items),
            }
            if nest.index.is_empty() {
                cluster.items.iter().for_each(|it| self.publish(nest, *it));
            }
        }
    }

    /// What is left of the domain of an item inside of the loops around.
    fn left(&self, nest: &Nest<'_>, item: usize) -> Vec<Class> {
        let mut classes = nest.plan.domain(&self.graph, item);
        classes.retain(|it| !nest.index.contains_key(it));
        classes
    }

    fn clusters(&self, nest: &Nest<'_>, items: &[usize]) -> Vec<Cluster> {
        let mut clusters: Vec<Cluster> = Vec::new();
        let mut place: BTreeMap<usize, usize> = BTreeMap::new();
        let here: BTreeSet<usize> = items.iter().copied().collect();
        let mut open: Vec<(usize, Option<Class>, BTreeSet<usize>)> = items
            .iter()
            .map(|item| {
                let needs = nest.plan.needs(&self.graph, *item);
                let needs = needs.intersection(&here).copied().collect();
                (*item, self.left(nest, *item).first().copied(), needs)
            })
            .collect();
        while !open.is_empty() {
            // What has no loop comes as early as it can: loops that need it can then be one.
            let ready = |it: &(usize, Option<Class>, BTreeSet<usize>)| {
                it.2.iter().all(|it| place.contains_key(it))
            };
            let first = open.iter().position(|it| it.1.is_none() && ready(it));
            let next = first.or_else(|| open.iter().position(ready)).unwrap_or(0);
            let (item, class, _) = open.remove(next);
            let mut first = 0;
            let mut after = |dep: usize, together: bool| {
                if let Some(at) = place.get(&dep) {
                    first = first.max(if together { *at } else { at + 1 });
                }
            };
            for view in &nest.plan.reads[&item] {
                let Some(dep) = item_of(view) else { continue };
                let together = place.get(&dep).is_some_and(|at| {
                    let class = class.filter(|it| clusters[*at].class == Some(*it));
                    class.is_some_and(|class| self.in_step(nest.plan, item, view, class))
                });
                after(dep, together);
            }
            for dep in &self.graph.items[item].whole {
                after(*dep, false);
            }
            let fits = |it: &Cluster| class.is_some() && it.class == class;
            let found = (first..clusters.len()).find(|at| fits(&clusters[*at]));
            let at = found.unwrap_or_else(|| {
                clusters.push(Cluster { class, items: Vec::new() });
                clusters.len() - 1
            });
            clusters[at].items.push(item);
            place.insert(item, at);
        }
        clusters
    }

    /// Whether an item reads another one, in a loop over a class that both have, in the very step in
    /// which that is computed.
    fn in_step(&self, plan: &Plan, item: usize, view: &View, class: Class) -> bool {
        let Some(source) = item_of(view) else { return false };
        let out = &self.graph.items[source].out;
        let at = out.iter().position(|axis| plan.class(source, *axis) == class);
        let axis = at.and_then(|at| view.map.get(at)?.as_axis());
        axis.is_some_and(|axis| plan.class(item, axis) == class)
    }

    /// How many steps the loop over a class has.
    fn steps(&mut self, nest: &Nest<'_>, class: Class) -> Atom {
        self.size(&nest.plan.sizes[&class].clone())
    }

    fn cluster(&mut self, nest: &mut Nest<'_>, class: Class, items: &[usize]) {
        let count = self.steps(nest, class);
        let kind = self.kind(nest, class, count, items);
        let members: BTreeSet<usize> = items.iter().copied().collect();
        let mut scalars: Vec<(usize, Var, How)> = Vec::new();
        let mut lanes: Vec<(usize, Held)> = Vec::new();
        for item in items {
            self.prepare(nest, *item);
            if let Work::Scatter { .. } = self.graph.items[*item].work {
                self.scatter_memory(nest, *item);
                continue;
            }
            let axes = self.axes_left(nest, *item);
            match self.reduction_over(nest.plan, *item, class) {
                Some(how) if axes.is_empty() => {
                    let elem = scalar_of(&self.graph.items[*item].elem);
                    scalars.push((*item, self.fresh(elem), how));
                    nest.scalars.insert(*item);
                }
                Some(how) => lanes.extend(self.accumulator(nest, *item, &axes, how, kind)),
                None => {
                    let readers = nest.plan.readers.get(item);
                    let outside =
                        readers.is_some_and(|it| it.iter().any(|it| !members.contains(it)));
                    let needed = outside || nest.plan.external.contains(item);
                    if needed && !nest.held.contains_key(item) {
                        self.hold(nest, *item, &axes);
                    }
                }
            }
        }
        let var = self.fresh(Scalar::Int);
        nest.index.insert(class, vec![Atom::Var(var)]);
        nest.scopes.push(BTreeMap::new());
        nest.loads.push(Vec::new());
        let outer = nest.in_vector;
        let depth = nest.depth;
        if kind == Kind::Vector {
            (nest.in_vector, nest.depth) = (true, self.blocks.len());
        }
        let (body, accs) = self.within(|it| {
            it.level(nest, items);
            let acc = |(item, var, how): &(usize, Var, How)| {
                let value = nest.scopes.last().and_then(|it| it.get(item)).copied();
                let value = value.expect("what is added up was computed");
                let init = neutral(*how, it.func.ty(*var));
                Acc { var: *var, how: *how, init, value }
            };
            scalars.iter().map(acc).collect::<Vec<Acc>>()
        });
        (nest.in_vector, nest.depth) = (outer, depth);
        nest.scopes.pop();
        nest.loads.pop();
        nest.index.remove(&class);
        let state = Vec::new();
        self.emit(Node::Loop(Box::new(Loop { var, count, kind, state, accs, body })));
        for (item, held) in lanes {
            self.join_lanes(nest, item, &held);
        }
        for (item, var, _) in scalars {
            nest.scalars.remove(&item);
            self.set(nest, item, Atom::Var(var));
        }
    }

    /// How a loop runs.
    fn kind(&self, nest: &Nest<'_>, class: Class, count: Atom, items: &[usize]) -> Kind {
        let whole = items.iter().all(|it| match &self.graph.items[*it].work {
            Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => {
                scalar_of(&self.graph.items[*it].elem) != Scalar::Box
            }
            Work::Scatter { .. } | Work::Flow(_) => false,
        });
        match count {
            Atom::Int(0..=8) if nest.in_vector || Some(class) != nest.plan.vector => Kind::Unroll,
            Atom::Int(0..=4) => Kind::Unroll,
            Atom::Int(_) | Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) => {
                if whole && Some(class) == nest.plan.vector { Kind::Vector } else { Kind::Seq }
            }
        }
    }

    /// How an item combines what a loop over a class computes, if it does.
    fn reduction_over(&self, plan: &Plan, item: usize, class: Class) -> Option<How> {
        let it = &self.graph.items[item];
        let Work::Reduce(reduction) = it.work else { return None };
        let reduced = (0..it.axes.len()).find(|axis| plan.class(item, *axis) == class)?;
        it.reduces(reduced).then_some(how(reduction))
    }

    /// The axes of the result of an item whose loops are not around yet.
    fn axes_left(&self, nest: &Nest<'_>, item: usize) -> Vec<usize> {
        let out = self.graph.items[item].out.iter().copied();
        out.filter(|axis| !nest.index.contains_key(&nest.plan.class(item, *axis))).collect()
    }

    /// Memory for an item along some axes.
    fn hold(&mut self, nest: &mut Nest<'_>, item: usize, axes: &[usize]) -> Held {
        let scalar = scalar_of(&self.graph.items[item].elem);
        let sizes: Vec<_> =
            axes.iter().map(|it| self.graph.items[item].axes[*it].clone()).collect();
        let array = match nest.plan.wanted.get(&item) {
            Some(array) => *array,
            None => {
                let array = self.allocate(nest, scalar, &sizes, None);
                self.owned.insert(array);
                array
            }
        };
        let strides = self.strides(&sizes);
        let held = Held { array, axes: axes.iter().copied().zip(strides).collect() };
        nest.held.insert(item, held.clone());
        held
    }

    /// Makes room where loops do not make it again and again.
    fn allocate(
        &mut self,
        nest: &Nest<'_>,
        scalar: Scalar,
        sizes: &[ir::Size],
        lanes: Option<How>,
    ) -> Var {
        let inner = self.blocks.split_off(nest.depth + 1);
        let len = self.count(sizes);
        let array = self.fresh_array(scalar);
        self.emit(Node::Alloc { array, len, lanes });
        self.blocks.extend(inner);
        array
    }

    /// Memory in which a loop adds up; if it is not that of the item itself, gives the latter.
    fn accumulator(
        &mut self,
        nest: &mut Nest<'_>,
        item: usize,
        axes: &[usize],
        how: How,
        kind: Kind,
    ) -> Option<(usize, Held)> {
        let elem = scalar_of(&self.graph.items[item].elem);
        let outer = match nest.held.get(&item) {
            Some(held) => held.clone(),
            None => self.hold(nest, item, axes),
        };
        let sizes: Vec<_> =
            axes.iter().map(|it| self.graph.items[item].axes[*it].clone()).collect();
        let len = self.count(&sizes);
        let value = neutral(how, loops::Type::Scalar(elem));
        let strides = self.strides(&sizes);
        let axes: Vec<(usize, Atom)> = axes.iter().copied().zip(strides).collect();
        let at = Place::new();
        if kind != Kind::Vector && outer.axes == axes {
            let array = outer.array;
            self.emit(Node::Kernel(Kernel::Fill { array, at, len, value }));
            return None;
        }
        // In a vector loop, every lane has its own.
        let lanes = (kind == Kind::Vector).then_some(how);
        let array = self.allocate(nest, elem, &sizes, lanes);
        self.emit(Node::Kernel(Kernel::Fill { array, at, len, value }));
        nest.held.insert(item, Held { array, axes });
        Some((item, outer))
    }

    /// Adds the lanes up, into the memory that others read.
    fn join_lanes(&mut self, nest: &mut Nest<'_>, item: usize, outer: &Held) {
        let lanes = nest.held.insert(item, outer.clone()).expect("it was held");
        let elem = scalar_of(&self.graph.items[item].elem);
        let axes: Vec<usize> = lanes.axes.iter().map(|it| it.0).collect();
        let (counts, vars): (Vec<Atom>, Vec<Var>) = axes
            .iter()
            .map(|axis| {
                let size = self.graph.items[item].axes[*axis].clone();
                (self.size(&size), self.fresh(Scalar::Int))
            })
            .unzip();
        let own = |axis: usize, nest: &Nest<'_>| -> Vec<Atom> {
            match axes.iter().position(|it| *it == axis) {
                Some(at) => vec![Atom::Var(vars[at])],
                None => nest.index[&nest.plan.class(item, axis)].clone(),
            }
        };
        let from: Place = held_place(&lanes, &|axis| own(axis, nest));
        let to: Place = held_place(outer, &|axis| own(axis, nest));
        let (mut body, ()) = self.within(|it| {
            let value = it.bind(elem, Value::Load { array: lanes.array, at: from });
            it.store(outer.array, to, value, How::Set);
        });
        for (count, var) in counts.into_iter().zip(vars.iter()).rev() {
            let (state, accs) = Default::default();
            let (var, kind) = (*var, Kind::Seq);
            body = vec![Node::Loop(Box::new(Loop { var, count, kind, state, accs, body }))];
        }
        body.into_iter().for_each(|it| self.emit(it));
    }

    /// Computes sizes that an item needs, where they are computed once.
    fn prepare(&mut self, nest: &Nest<'_>, item: usize) {
        let views = nest.plan.reads[&item].clone();
        for view in &views {
            if let Source::Memory(_) = view.source {
                self.strides(&view.dims);
            }
        }
        if let Work::Gather { array, .. } = &self.graph.items[item].work {
            let array = self.resolve(array);
            self.strides(&array.dims);
        }
        for size in self.graph.items[item].axes.clone() {
            self.size(&size);
        }
    }

    /// The value of an item at this point is known.
    pub(crate) fn set(&mut self, nest: &mut Nest<'_>, item: usize, value: Atom) {
        if let Some(scope) = nest.scopes.last_mut() {
            scope.insert(item, value);
        }
        if let Some(held) = nest.held.get(&item).cloned() {
            let at = held_place(&held, &|axis| nest.index[&nest.plan.class(item, axis)].clone());
            self.store(held.array, at, value, How::Set);
        }
    }

    /// What others may read of an item that is done, outside of all loops.
    fn publish(&mut self, nest: &Nest<'_>, item: usize) {
        if self.graph.is_there(item, 0) || matches!(self.graph.items[item].work, Work::Flow(_)) {
            return;
        }
        let value = nest.scopes.first().and_then(|it| it.get(&item)).copied();
        if let Some(value) = value.filter(|_| self.graph.items[item].out.is_empty()) {
            return self.resolved(item, 0, Operand::Scalar(value));
        }
        if let Some(held) = nest.held.get(&item) {
            let it = &self.graph.items[item];
            let sizes: Vec<_> = it.out.iter().map(|axis| it.axes[*axis].clone()).collect();
            let ty = ir::Type::arrays(&sizes, it.elem.clone());
            let view = View::contiguous(held.array, &ty);
            self.resolved(item, 0, Operand::Array(view));
        }
    }
}

/// How a reduction combines two values.
pub(crate) fn how(reduction: Reduction) -> How {
    match reduction {
        Reduction::Sum => How::Add,
        Reduction::Product => How::Mul,
        Reduction::Maximum => How::Max,
        Reduction::Minimum => How::Min,
    }
}

/// Where in its memory an item is.
pub(crate) fn held_place(held: &Held, index: &dyn Fn(usize) -> Vec<Atom>) -> Place {
    let terms = held.axes.iter().flat_map(|(axis, stride)| {
        index(*axis).into_iter().map(|index| Term { index, stride: *stride })
    });
    terms.collect()
}

/// What changes nothing.
fn neutral(how: How, ty: loops::Type) -> Atom {
    let real = ty == loops::Type::Scalar(Scalar::Real);
    match how {
        How::Add | How::Set if real => Atom::Real(0.0),
        How::Add | How::Set => Atom::Int(0),
        How::Mul if real => Atom::Real(1.0),
        How::Mul => Atom::Int(1),
        How::Max if real => Atom::Real(f64::NEG_INFINITY),
        How::Max => Atom::Int(i64::MIN),
        How::Min if real => Atom::Real(f64::INFINITY),
        How::Min => Atom::Int(i64::MAX),
    }
}
