//! Memory of items: it is made where the schedule says that it begins, and loops add up in it or apart.

use loops::{Atom, How, Kernel, Kind, Loop, Node, Place, Scalar, Term, Value, Var};

use super::{Nest, Nests};
use crate::context::scalar_of;

/// Memory of an item.
#[derive(Clone, PartialEq)]
pub(crate) struct Held {
    pub(crate) array: Var,
    /// The axes of its domain that the memory has, and how far neighbours are apart.
    pub(crate) axes: Vec<(usize, Atom)>,
    /// Whether it is of a chunk: it begins where the chunk begins.
    pub(crate) local: bool,
}

impl<'a> Nests<'_, 'a, '_> {
    /// How many elements there are along an axis, in the chunk if there is one.
    pub(crate) fn axis_count(&mut self, nest: &Nest<'_, 'a>, item: usize, axis: usize) -> Atom {
        self.steps(nest, nest.plan.class(item, axis))
    }

    /// Makes the memory of an item, if that is there from here on.
    pub(super) fn begin_memory(&mut self, nest: &mut Nest<'_, 'a>, item: usize) {
        let Some(array) = nest.schedule.memory.begins(item, nest.n_loops) else { return };
        let axes = &array.axes;
        let held = match nest.items.room.nests.get(&item) {
            Some(array) => {
                let strides = self.axis_strides(nest, item, axes).0;
                let axes = axes.iter().copied().zip(strides).collect();
                Held { array: *array, axes, local: false }
            }
            None => {
                let held = self.allocate(nest, item, axes, None);
                self.owned.insert(held.array);
                held
            }
        };
        nest.held.insert(item, held);
    }

    /// How far neighbours along each axis are apart, and how many elements there are.
    fn axis_strides(
        &mut self,
        nest: &Nest<'_, 'a>,
        item: usize,
        axes: &[usize],
    ) -> (Vec<Atom>, Atom) {
        let mut strides = vec![Atom::Int(1); axes.len()];
        let mut len = Atom::Int(1);
        for (at, axis) in axes.iter().enumerate().rev() {
            strides[at] = len;
            let count = self.axis_count(nest, item, *axis);
            len = self.mul(len, count);
        }
        (strides, len)
    }

    /// Makes room where loops do not make it again and again.
    fn allocate(
        &mut self,
        nest: &mut Nest<'_, 'a>,
        item: usize,
        axes: &[usize],
        lanes: Option<How>,
    ) -> Held {
        let inner = self.blocks.split_off(nest.depth + 1);
        let (strides, len) = self.axis_strides(nest, item, axes);
        let counts: Vec<Atom> = axes.iter().map(|it| self.axis_count(nest, item, *it)).collect();
        let len = self.unwrapped(len, &counts);
        let array = self.fresh_array(scalar_of(&nest.items[item].elem));
        self.emit(Node::Alloc { array, len, lanes });
        self.blocks.extend(inner);
        if let Some(chunk) = &mut nest.chunk {
            let class = |axis: &usize| nest.plan.class(item, *axis);
            if axes.iter().any(|it| class(it) == chunk.class) {
                let others = axes.iter().filter(|it| class(it) != chunk.class);
                let sizes = others.map(|it| &nest.items[item].axes[*it]);
                chunk.room.push(sizes.fold(ir::Size::constant(1), |product, it| product.mul(it)));
            }
        }
        let axes = axes.iter().copied().zip(strides).collect();
        Held { array, axes, local: nest.chunk.is_some() }
    }

    /// A loop adds up in the memory of an item, or of the chunk, which goes on adding to what it has.
    pub(super) fn add_up(
        &mut self,
        nest: &mut Nest<'_, 'a>,
        item: usize,
        axes: &[usize],
        how: How,
    ) {
        match nest.of_chunk(item).cloned() {
            Some(held) => _ = nest.held.insert(item, held),
            None => {
                let array = nest.held[&item].array;
                self.fill_neutral(nest, item, array, axes, how);
            }
        }
    }

    /// A loop adds up in memory of its own, by vectors every lane in its own; gives where that goes in the end,
    /// and how.
    pub(super) fn add_up_apart(
        &mut self,
        nest: &mut Nest<'_, 'a>,
        item: usize,
        axes: &[usize],
        how: How,
        kind: Kind,
    ) -> (usize, Held, How) {
        let chunk = nest.of_chunk(item).cloned();
        let outer_how = if chunk.is_some() { how } else { How::Set };
        let outer = chunk.unwrap_or_else(|| nest.held[&item].clone());
        let lanes = (kind == Kind::Vector).then_some(how);
        let own = self.allocate(nest, item, axes, lanes);
        self.fill_neutral(nest, item, own.array, axes, how);
        nest.held.insert(item, own);
        (item, outer, outer_how)
    }

    /// Nothing is added up yet.
    fn fill_neutral(
        &mut self,
        nest: &Nest<'_, 'a>,
        item: usize,
        array: Var,
        axes: &[usize],
        how: How,
    ) {
        let value = neutral(how, loops::Type::Scalar(scalar_of(&nest.items[item].elem)));
        let len = self.axis_strides(nest, item, axes).1;
        self.emit(Node::Kernel(Kernel::Fill { array, at: Place::new(), len, value }));
    }

    /// Brings what a loop has added up, in memory of its own, to where others read it.
    pub(super) fn join(&mut self, nest: &mut Nest<'_, 'a>, item: usize, outer: &Held, how: How) {
        let Some(own) = nest.held.insert(item, outer.clone()) else { return };
        let elem = scalar_of(&nest.items[item].elem);
        let mut loops: Vec<(usize, Atom, Var)> = Vec::new();
        for (axis, _) in &own.axes {
            let count = self.axis_count(nest, item, *axis);
            loops.push((nest.plan.class(item, *axis), count, self.fresh(Scalar::Int)));
        }
        for (class, _, var) in &loops {
            let start = nest.chunk.as_ref().filter(|it| it.class == *class).map(|it| it.start);
            nest.index.insert(*class, start.into_iter().chain([Atom::Var(*var)]).collect());
        }
        let from = self.held_place(nest, item, &own);
        let to = self.held_place(nest, item, outer);
        let (mut body, ()) = self.within(|it| {
            let value = it.bind(elem, Value::Load { array: own.array, at: from });
            it.store(outer.array, to, value, how);
        });
        for (class, count, var) in loops.into_iter().rev() {
            nest.index.remove(&class);
            let (state, accs) = Default::default();
            let kind = Kind::Seq;
            body = vec![Node::Loop(Box::new(Loop { var, count, kind, state, accs, body }))];
        }
        body.into_iter().for_each(|it| self.emit(it));
    }

    /// Where in its memory an item is, at the point where it is computed.
    pub(crate) fn held_place(&self, nest: &Nest<'_, 'a>, item: usize, held: &Held) -> Place {
        let mut place = Place::new();
        for (axis, stride) in &held.axes {
            let class = nest.plan.class(item, *axis);
            place.extend(
                nest.parts(held, class).iter().map(|it| Term { index: *it, stride: *stride }),
            );
        }
        place
    }
}

impl Nest<'_, '_> {
    /// The memory of the chunk around in which an item is added up over the class of the chunk.
    fn of_chunk(&self, item: usize) -> Option<&Held> {
        self.chunk.as_ref().and_then(|it| it.accs.get(&item))
    }

    /// The index of the loop around over a class, as memory counts it.
    pub(crate) fn parts(&self, held: &Held, class: usize) -> &[Atom] {
        let parts = self.index.get(&class).map_or(&[][..], Vec::as_slice);
        let chunk = self.chunk.as_ref().is_some_and(|it| it.class == class);
        if held.local && chunk { parts.get(1..).unwrap_or_default() } else { parts }
    }
}

/// What changes nothing.
pub(crate) fn neutral(how: How, ty: loops::Type) -> Atom {
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
