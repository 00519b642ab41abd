//! Loop nests: what a schedule says, written as nodes.
//!
//! Memory is made where the schedule says, and loops add up there (`nests/memory.rs`). A loop outside of all
//! others may run in chunks (`nests/chunks.rs`). What an item does at a point is in `nests/point.rs`.

mod chunks;
mod memory;
mod point;
mod product;
mod rows;

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use loops::{Acc, Atom, Block, How, Kind, Loop, Node, Place, Scalar, Var};

use crate::context::{Known, Operand, scalar_of};
use crate::items::{Items, Work};
use crate::plan::{Class, Plan};
use crate::schedule::{Nested, Run, Schedule, Sum, reduction_over};
use crate::stretch::Stretch;
use crate::view::{Source, View};

use memory::{Held, neutral};
use rows::rows_view;

/// What results of items are, where they are there.
pub(crate) type There = BTreeMap<(usize, usize), Operand>;

/// The loops around, and what is known inside of them.
pub(crate) struct Nest<'p, 'a> {
    pub(crate) items: &'p Items<'a>,
    pub(crate) plan: &'p Plan,
    pub(crate) schedule: &'p Schedule,
    /// What results of items are, where they are there.
    pub(crate) there: There,
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
    /// How many loops are around, chunks among them.
    pub(crate) n_loops: usize,
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

impl Nest<'_, '_> {
    /// What was loaded from an array that is changed now is not what is there.
    pub(crate) fn forget(&mut self, array: Var) {
        self.loads.iter_mut().for_each(|it| it.retain(|it| it.0 != array));
    }

    /// The index of the loop around over a class.
    pub(crate) fn at(&self, class: Class) -> Vec<Atom> {
        self.index[&class].clone()
    }

    /// The view of what is there already, if it is.
    pub(crate) fn resolve(&self, view: &View) -> View {
        resolve(&self.there, view)
    }
}

/// The view of what is there already, if it is.
pub(crate) fn resolve(there: &There, view: &View) -> View {
    let Source::Item(item, result) = view.source else { return view.clone() };
    match there.get(&(item, result)) {
        Some(Operand::Array(it)) => it.mapped(view.sizes.clone(), &|axis| view.map[axis].clone()),
        Some(Operand::Scalar(atom)) => {
            View { source: Source::Same(*atom), dims: Vec::new(), map: Vec::new(), ..view.clone() }
        }
        None => view.clone(),
    }
}

/// What writes nests, on top of what is known: it knows no statements.
pub(crate) struct Nests<'k, 'a, 'w> {
    pub(crate) known: &'k mut Known<'a, 'w>,
}

impl<'a, 'w> Deref for Nests<'_, 'a, 'w> {
    type Target = Known<'a, 'w>;
    fn deref(&self) -> &Known<'a, 'w> {
        self.known
    }
}

impl DerefMut for Nests<'_, '_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.known
    }
}

impl<'p, 'a> Nest<'p, 'a> {
    /// No loop is around yet.
    pub(crate) fn new(stretch: &'p Stretch<'a>, known: &Known<'_, '_>) -> Nest<'p, 'a> {
        let Stretch { items, plan, schedule } = stretch;
        let (there, index, held, n_loops, chunk) = Default::default();
        let scopes = vec![BTreeMap::new()];
        let (loads, checked) = (vec![Vec::new()], vec![Vec::new()]);
        let depth = known.blocks.len() - 1;
        Nest {
            items,
            plan,
            schedule,
            there,
            index,
            scopes,
            held,
            loads,
            checked,
            n_loops,
            depth,
            chunk,
        }
    }
}

impl<'a> Nests<'_, 'a, '_> {
    /// Writes an item or a loop that is in no other.
    pub(crate) fn outside(&mut self, nest: &mut Nest<'_, 'a>, nested: &Nested) {
        self.level(nest, std::slice::from_ref(nested));
    }

    /// What is written meanwhile, as a block of its own.
    fn within<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> (Block, T) {
        let outer = self.begin_block();
        let res = write(self);
        (self.end_block(outer), res)
    }

    fn level(&mut self, nest: &mut Nest<'_, 'a>, nested: &[Nested]) {
        for it in nested {
            match it {
                Nested::Item(item) => self.single(nest, *item),
                Nested::Loop { class, run: Run::Chunks, items, inside } => {
                    self.chunks(nest, *class, items, inside);
                }
                Nested::Loop { class, run, items, inside } => {
                    self.cluster(nest, (*class, *run), items, inside);
                }
            }
            if nest.index.is_empty() && nest.chunk.is_none() {
                it.items().iter().for_each(|it| self.publish(nest, *it));
            }
        }
    }

    /// An item without a loop.
    fn single(&mut self, nest: &mut Nest<'_, 'a>, item: usize) {
        self.begin_memory(nest, item);
        self.at_point(nest, item);
    }

    /// How many steps the loop over a class has.
    pub(crate) fn steps(&mut self, nest: &Nest<'_, 'a>, class: Class) -> Atom {
        match &nest.chunk {
            Some(chunk) if chunk.class == class => chunk.len,
            Some(_) | None => self.size(&nest.plan.sizes[&class].clone()),
        }
    }

    fn cluster(
        &mut self,
        nest: &mut Nest<'_, 'a>,
        (class, run): (Class, Run),
        items: &[usize],
        inside: &[Nested],
    ) {
        let count = self.steps(nest, class);
        let kind = match run {
            Run::Vectors => Kind::Vector,
            Run::Unrolled => Kind::Unroll,
            Run::Steps | Run::Chunks => Kind::Seq,
        };
        let mut scalars: Vec<(usize, Var, How)> = Vec::new();
        let mut apart: Vec<(usize, Held, How)> = Vec::new();
        for item in items {
            self.prepare(nest, *item);
            if let Work::Scatter { .. } = nest.items[*item].work {
                self.scatter_memory(nest, *item);
                continue;
            }
            if let Work::Rows { .. } = nest.items[*item].work {
                self.rows_memory(nest, *item);
                continue;
            }
            self.begin_memory(nest, *item);
            let Some(how) = reduction_over(nest.items, nest.plan, *item, class) else { continue };
            match &nest.schedule.memory.sums[item] {
                Sum::Variable => {
                    let elem = scalar_of(&nest.items[*item].elem);
                    scalars.push((*item, self.fresh(elem), how));
                }
                Sum::Array { axes, apart: false } => self.add_up(nest, *item, axes, how),
                Sum::Array { axes, apart: true } => {
                    apart.push(self.add_up_apart(nest, *item, axes, how, kind));
                }
            }
        }
        let var = self.fresh(Scalar::Int);
        let start = nest.chunk.as_ref().filter(|it| it.class == class).map(|it| it.start);
        nest.index.insert(class, start.into_iter().chain([Atom::Var(var)]).collect());
        nest.scopes.push(BTreeMap::new());
        nest.loads.push(Vec::new());
        nest.checked.push(Vec::new());
        nest.n_loops += 1;
        let depth = nest.depth;
        if kind == Kind::Vector {
            nest.depth = self.blocks.len();
        }
        let (body, accs) = self.within(|it| {
            it.level(nest, inside);
            let acc = |(item, var, how): &(usize, Var, How)| {
                let value = nest.scopes.last().and_then(|it| it.get(item)).copied();
                let value = value.expect("what is added up was computed");
                let init = neutral(*how, it.func.ty(*var));
                Acc { var: *var, how: *how, init, value, once: false }
            };
            scalars.iter().map(acc).collect::<Vec<Acc>>()
        });
        nest.depth = depth;
        nest.n_loops -= 1;
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
            self.added_up(nest, item, class, Atom::Var(var), how);
        }
    }

    /// A loop has added up a scalar: it is the item, or the part of it that a chunk contributes.
    fn added_up(
        &mut self,
        nest: &mut Nest<'_, 'a>,
        item: usize,
        class: Class,
        value: Atom,
        how: How,
    ) {
        let chunk = nest.chunk.as_ref().filter(|it| it.class == class);
        match chunk.and_then(|it| it.accs.get(&item)).cloned() {
            Some(acc) => {
                let at = self.held_place(nest, item, &acc);
                self.store(acc.array, at, value, how);
            }
            None => self.set(nest, item, value),
        }
    }

    /// Computes sizes that an item needs, where they are computed once.
    pub(crate) fn prepare(&mut self, nest: &Nest<'_, 'a>, item: usize) {
        let mut views = nest.plan.reads[&item].clone();
        if let Work::Gather { array, .. } = &nest.items[item].work {
            views.push(nest.resolve(array));
        }
        views.iter().for_each(|view| {
            self.strides(&view.dims);
        });
        for size in nest.items[item].axes.clone() {
            self.size(&size);
        }
    }

    /// The value of an item at this point is known.
    pub(crate) fn set(&mut self, nest: &mut Nest<'_, 'a>, item: usize, value: Atom) {
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
    fn publish(&mut self, nest: &mut Nest<'_, 'a>, item: usize) {
        if nest.there.contains_key(&(item, 0)) || matches!(nest.items[item].work, Work::Flow(_)) {
            return;
        }
        let it = &nest.items[item];
        if let Work::Scatter { into, .. } = &it.work {
            let ty = ir::Type::arrays(&into.sizes, it.elem.clone());
            let view = View::contiguous(nest.held[&item].array, &ty);
            return self.resolved(nest, item, 0, Operand::Array(view));
        }
        if let Work::Rows { .. } = &it.work {
            let view = rows_view(nest.items, item, nest.held[&item].array);
            return self.resolved(nest, item, 0, Operand::Array(view));
        }
        let value = nest.scopes.first().and_then(|it| it.get(&item)).copied();
        if let Some(value) = value.filter(|_| it.out.is_empty()) {
            return self.resolved(nest, item, 0, Operand::Scalar(value));
        }
        if let Some(held) = nest.held.get(&item).filter(|_| nest.plan.external.contains(&item)) {
            let sizes: Vec<_> = it.out.iter().map(|axis| it.axes[*axis].clone()).collect();
            let ty = ir::Type::arrays(&sizes, it.elem.clone());
            let view = View::contiguous(held.array, &ty);
            self.resolved(nest, item, 0, Operand::Array(view));
        }
    }
}
