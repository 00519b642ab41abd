//! Items in loops: those that can share a loop do.
//!
//! At each level the items are dealt out to *clusters* (`nest/cluster.rs`), which run one after the
//! other: a loop over a class, or a single item that has no loop left. Inside of a loop the same is
//! done with the next classes. What is read in the loop where it is computed stays a scalar, and gets
//! memory only where loops separate (`nest/memory.rs`). A loop outside of all others runs in chunks
//! (`nest/chunks.rs`): the class of it is a batch dimension.

mod chunks;
mod cluster;
mod memory;

use std::collections::{BTreeMap, BTreeSet};

use ir::Reduction;
use loops::{Acc, Atom, How, Kind, Loop, Node, Place, Scalar, Var};

use crate::context::{Lower, Operand, scalar_of};
use crate::graph::Work;
use crate::plan::{Class, Plan};
use crate::view::{Source, View};

use cluster::Manner;

pub(crate) use memory::{Held, neutral};

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
    /// Indices that were checked at this point, and the sizes that they are below.
    pub(crate) checked: Vec<Vec<(Atom, Atom)>>,
    /// Items that the loop around combines as scalars.
    pub(crate) scalars: BTreeSet<usize>,
    /// Whether a vector loop is around.
    pub(crate) in_vector: bool,
    /// In which of the blocks that are being written memory is allocated: outside of all loops, but
    /// inside of a chunk or a vector loop, which have their own.
    pub(crate) depth: usize,
    /// The chunk around.
    pub(crate) chunk: Option<Chunk>,
}

/// The chunk around: a part of the loop over a class.
#[derive(Clone)]
pub(crate) struct Chunk {
    pub(crate) class: Class,
    pub(crate) start: Atom,
    pub(crate) len: Atom,
    /// The items that it adds up, and the memory of the chunk for it.
    pub(crate) accs: BTreeMap<usize, Held>,
    /// What it allocates for each element, in scalars.
    pub(crate) room: Vec<ir::Size>,
}

impl Nest<'_> {
    /// What was loaded from an array that is changed now is not what is there.
    pub(crate) fn forget(&mut self, array: Var) {
        self.loads.iter_mut().for_each(|it| it.retain(|it| it.0 != array));
    }

    /// The index of the loop around over a class.
    pub(crate) fn at(&self, class: Class) -> Vec<Atom> {
        self.index[&class].clone()
    }
}

impl<'a> Lower<'a, '_> {
    /// Lowers items, in order.
    pub(crate) fn nests(&mut self, plan: &Plan, items: &[usize]) {
        let (index, held, scalars, chunk) = Default::default();
        let scopes = vec![BTreeMap::new()];
        let (loads, checked) = (vec![Vec::new()], vec![Vec::new()]);
        let (in_vector, depth) = (false, self.blocks.len() - 1);
        let mut nest =
            Nest { plan, index, scopes, held, loads, checked, scalars, in_vector, depth, chunk };
        self.level(&mut nest, items);
    }

    fn level(&mut self, nest: &mut Nest<'_>, items: &[usize]) {
        for cluster in self.clusters(nest, items) {
            match cluster.class {
                None => self.single(nest, cluster.items[0]),
                Some(class) if cluster.manner == Manner::Chunks => {
                    self.chunks(nest, class, &cluster.items);
                }
                Some(class) => self.cluster(nest, class, &cluster.items),
            }
            if nest.index.is_empty() && nest.chunk.is_none() {
                cluster.items.iter().for_each(|it| self.publish(nest, *it));
            }
        }
    }

    /// An item without a loop.
    fn single(&mut self, nest: &mut Nest<'_>, item: usize) {
        if nest.plan.products.contains_key(&item) && !nest.held.contains_key(&item) {
            let axes = self.axes_left(nest, item);
            self.hold(nest, item, &axes);
        }
        self.at_point(nest, item);
    }

    /// How many steps the loop over a class has.
    pub(crate) fn steps(&mut self, nest: &Nest<'_>, class: Class) -> Atom {
        match &nest.chunk {
            Some(chunk) if chunk.class == class => chunk.len,
            Some(_) | None => self.size(&nest.plan.sizes[&class].clone()),
        }
    }

    fn cluster(&mut self, nest: &mut Nest<'_>, class: Class, items: &[usize]) {
        let count = self.steps(nest, class);
        let kind = self.kind(nest, class, count, items);
        let members: BTreeSet<usize> = items.iter().copied().collect();
        let mut scalars: Vec<(usize, Var, How)> = Vec::new();
        let mut apart: Vec<(usize, Held, How)> = Vec::new();
        for item in items {
            self.prepare(nest, *item);
            if let Work::Scatter { .. } = self.graph.items[*item].work {
                self.scatter_memory(nest, *item);
                continue;
            }
            if let Work::Rows { .. } = self.graph.items[*item].work {
                self.rows_memory(nest, *item);
                continue;
            }
            let axes = self.axes_left(nest, *item);
            match self.reduction_over(nest.plan, *item, class) {
                Some(how) if axes.is_empty() => {
                    let elem = scalar_of(&self.graph.items[*item].elem);
                    scalars.push((*item, self.fresh(elem), how));
                    nest.scalars.insert(*item);
                }
                Some(how) => apart.extend(self.accumulator(nest, *item, &axes, how, kind)),
                None => {
                    let outside = nest.plan.read_outside(*item, &members);
                    if outside && !nest.held.contains_key(item) {
                        self.hold(nest, *item, &axes);
                    }
                }
            }
        }
        let var = self.fresh(Scalar::Int);
        let start = nest.chunk.as_ref().filter(|it| it.class == class).map(|it| it.start);
        nest.index.insert(class, start.into_iter().chain([Atom::Var(var)]).collect());
        nest.scopes.push(BTreeMap::new());
        nest.loads.push(Vec::new());
        nest.checked.push(Vec::new());
        let outer = (nest.in_vector, nest.depth);
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
        (nest.in_vector, nest.depth) = outer;
        nest.scopes.pop();
        nest.loads.pop();
        nest.checked.pop();
        nest.index.remove(&class);
        let state = Vec::new();
        self.emit(Node::Loop(Box::new(Loop { var, count, kind, state, accs, body })));
        for (item, held, how) in apart {
            self.join(nest, item, &held, how);
        }
        for (item, var, how) in scalars {
            nest.scalars.remove(&item);
            self.added_up(nest, item, class, Atom::Var(var), how);
        }
    }

    /// A loop has added up a scalar: it is the item, or the part of it that a chunk contributes.
    fn added_up(&mut self, nest: &mut Nest<'_>, item: usize, class: Class, value: Atom, how: How) {
        let chunk = nest.chunk.as_ref().filter(|it| it.class == class);
        match chunk.and_then(|it| it.accs.get(&item)).cloned() {
            Some(acc) => {
                let at = self.held_place(nest, item, &acc);
                self.store(acc.array, at, value, how);
            }
            None => self.set(nest, item, value),
        }
    }

    /// How a loop runs.
    fn kind(&self, nest: &Nest<'_>, class: Class, count: Atom, items: &[usize]) -> Kind {
        let fits = items.iter().all(|it| self.fits_vectors(nest.plan, *it, class));
        let own = items.iter().all(|it| nest.plan.vector_of(&self.graph, *it) == Some(class));
        match count {
            _ if fits && own && !nest.in_vector => Kind::Vector,
            Atom::Int(0..=8) => Kind::Unroll,
            Atom::Int(_) | Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) => Kind::Seq,
        }
    }

    /// Whether several steps of the loop over a class can be done at once.
    pub(crate) fn fits_vectors(&self, plan: &Plan, item: usize, class: Class) -> bool {
        let it = &self.graph.items[item];
        match &it.work {
            Work::Prim(_)
            | Work::Copy
            | Work::Gather { .. }
            | Work::Reduce(_)
            | Work::Rows { .. } => scalar_of(&it.elem) != Scalar::Box,
            // Where every step adds to an element of its own.
            Work::Scatter { into, n_indices, .. } => {
                let axis = (0..it.axes.len()).find(|axis| plan.class(item, *axis) == class);
                let rows = it.axes.len() + n_indices - into.sizes.len();
                axis.is_some_and(|axis| {
                    let own = |view: &View| {
                        let terms = view.map.iter().flat_map(|it| &it.terms);
                        view.source == Source::Iota && terms.clone().any(|term| term.0 == axis)
                    };
                    axis >= rows || it.args[1..=*n_indices].iter().any(own)
                })
            }
            Work::Flow(_) | Work::Product(_) => false,
        }
    }

    /// How an item combines what a loop over a class computes, if it does.
    pub(crate) fn reduction_over(&self, plan: &Plan, item: usize, class: Class) -> Option<How> {
        let it = &self.graph.items[item];
        let reduction = match it.work {
            Work::Reduce(reduction) => reduction,
            Work::Product(_) => Reduction::Sum,
            Work::Prim(_) | Work::Copy | Work::Gather { .. } => return None,
            Work::Scatter { .. } | Work::Flow(_) | Work::Rows { .. } => return None,
        };
        let reduced = (0..it.axes.len()).find(|axis| plan.class(item, *axis) == class)?;
        (!it.out.contains(&reduced)).then_some(how(reduction))
    }

    /// The axes of the result of an item whose loops are not around yet.
    pub(crate) fn axes_left(&self, nest: &Nest<'_>, item: usize) -> Vec<usize> {
        let out = self.graph.items[item].out.iter().copied();
        out.filter(|axis| !nest.index.contains_key(&nest.plan.class(item, *axis))).collect()
    }

    /// Computes sizes that an item needs, where they are computed once.
    pub(crate) fn prepare(&mut self, nest: &Nest<'_>, item: usize) {
        let mut views = nest.plan.reads[&item].clone();
        if let Work::Gather { array, .. } = &self.graph.items[item].work {
            views.push(self.resolve(array));
        }
        views.iter().for_each(|view| {
            self.strides(&view.dims);
        });
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
            let at = self.held_place(nest, item, &held);
            nest.forget(held.array);
            self.store(held.array, at, value, How::Set);
        }
    }

    /// What others may read of an item that is done, outside of all loops.
    fn publish(&mut self, nest: &Nest<'_>, item: usize) {
        if self.graph.is_there(item, 0) || matches!(self.graph.items[item].work, Work::Flow(_)) {
            return;
        }
        let it = &self.graph.items[item];
        if let Work::Scatter { into, .. } = &it.work {
            let ty = ir::Type::arrays(&into.sizes, it.elem.clone());
            let view = View::contiguous(nest.held[&item].array, &ty);
            return self.resolved(item, 0, Operand::Array(view));
        }
        if let Work::Rows { .. } = &it.work {
            let view = self.rows_view(item, nest.held[&item].array);
            return self.resolved(item, 0, Operand::Array(view));
        }
        let value = nest.scopes.first().and_then(|it| it.get(&item)).copied();
        if let Some(value) = value.filter(|_| it.out.is_empty()) {
            return self.resolved(item, 0, Operand::Scalar(value));
        }
        if let Some(held) = nest.held.get(&item).filter(|_| nest.plan.external.contains(&item)) {
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
