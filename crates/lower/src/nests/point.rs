//! What an item does at one point of its domain.

use ir::{Prim, walk};
use loops::{Atom, How, Node, Place, Scalar, Value, Var};

use crate::context::{Operand, scalar_of};
use crate::items::{Work, item_of};
use crate::schedule::{Sum, Target, how};
use crate::view::{Source, View};

use super::{Held, Nest, Nests};

impl<'a> Nests<'_, 'a, '_> {
    /// Computes an item; all its loops are around.
    pub(super) fn at_point(&mut self, nest: &mut Nest<'_, 'a>, item: usize) {
        let own = nest.items[item].span;
        self.span = nest.plan.blamed.get(&item).copied().unwrap_or(own);
        let args = nest.items[item].args.clone();
        let elem = nest.items[item].elem.clone();
        match nest.items[item].work {
            Work::Flow(_) => panic!("compiler bug: item {item} is no nest"),
            Work::Prim(prim) => {
                let args: Vec<Atom> = args.iter().map(|it| self.read(nest, item, it)).collect();
                self.check_prim(prim, &args, &elem);
                let value = self.prim(scalar_of(&elem), prim, &args);
                self.set(nest, item, value);
            }
            Work::Copy => {
                let value = self.read(nest, item, &args[0]);
                self.set(nest, item, value);
            }
            Work::Reduce(_) => {
                let value = self.read(nest, item, &args[0]);
                self.contribute(nest, item, value);
            }
            Work::Product(product) => self.product(nest, item, product),
            Work::Gather { .. } => self.gather(nest, item, &args),
            Work::Scatter { .. } => self.scatter(nest, item, &args),
            Work::Rows { .. } => self.rows_at_point(nest, item, &args),
        }
    }

    /// An item that is read at a point of another one's domain.
    pub(crate) fn read(&mut self, nest: &mut Nest<'_, 'a>, reader: usize, view: &View) -> Atom {
        let view = &nest.resolve(view);
        let Source::Item(item, _) = view.source else {
            return self.loaded(nest, reader, view);
        };
        if nest.plan.inline.contains_key(&item) {
            let Work::Prim(prim) = nest.items[item].work else {
                panic!("compiler bug: item {item} is computed in place")
            };
            let args = nest.items.through(item, view);
            let args: Vec<Atom> = args.iter().map(|it| self.read(nest, reader, it)).collect();
            let elem = scalar_of(&nest.items[item].elem);
            return self.prim(elem, prim, &args);
        }
        if let Some(value) = nest.scopes.iter().rev().find_map(|it| it.get(&item)) {
            return *value;
        }
        let Some(held) = nest.held.get(&item).cloned() else {
            panic!("compiler bug: item {item} is neither in reach nor in memory")
        };
        let array = held.array;
        let at = self.held_at(nest, reader, view, item, &held);
        let elem = scalar_of(&nest.items[item].elem);
        self.load_once(nest, elem, array, at)
    }

    /// An element of what was there before the nest.
    fn loaded(&mut self, nest: &mut Nest<'_, 'a>, reader: usize, view: &View) -> Atom {
        let index = |axis| nest.index[&nest.plan.class(reader, axis)].clone();
        let Source::Memory(array) = view.source else { return self.element_at(view, &index) };
        let at = self.place(view, &index);
        if self.changed.contains(&array) {
            return self.bind(scalar_of(&view.elem), Value::Load { array, at });
        }
        self.load_once(nest, scalar_of(&view.elem), array, at)
    }

    /// An element that is loaded once for all who read it at this point.
    fn load_once(&mut self, nest: &mut Nest<'_, 'a>, elem: Scalar, array: Var, at: Place) -> Atom {
        let known = nest.loads.iter().flatten().find(|it| it.0 == array && it.1 == at);
        if let Some((_, _, value)) = known {
            return *value;
        }
        let value = self.bind(elem, Value::Load { array, at: at.clone() });
        if let Some(loads) = nest.loads.last_mut() {
            loads.push((array, at, value));
        }
        value
    }

    /// Where the memory of an item has what a reader's view of it shows.
    fn held_at(
        &mut self,
        nest: &Nest<'_, 'a>,
        reader: usize,
        view: &View,
        item: usize,
        held: &Held,
    ) -> Place {
        let index = |axis| nest.parts(held, nest.plan.class(reader, axis)).to_vec();
        let out = nest.items[item].out.clone();
        let mut place = Place::new();
        for (axis, stride) in &held.axes {
            let at = out.iter().position(|it| it == axis).expect("memory is along the result");
            let lin = view.map[at].clone();
            self.terms(&lin, *stride, &index, &mut place);
        }
        place
    }

    /// What is combined: the loop around does it, or the memory.
    fn contribute(&mut self, nest: &mut Nest<'_, 'a>, item: usize, value: Atom) {
        if nest.schedule.memory.sums.get(&item) == Some(&Sum::Variable) {
            if let Some(scope) = nest.scopes.last_mut() {
                scope.insert(item, value);
            }
            return;
        }
        let Work::Reduce(reduction) = nest.items[item].work else { return };
        let how = how(reduction);
        let held = nest.held[&item].clone();
        let at = self.held_place(nest, item, &held);
        nest.forget(held.array);
        self.store(held.array, at, value, how);
    }

    fn gather(&mut self, nest: &mut Nest<'_, 'a>, item: usize, args: &[View]) {
        let Work::Gather { array, n_indices, masked } = &nest.items[item].work else {
            return;
        };
        let (array, n_indices, masked) = (array.clone(), *n_indices, *masked);
        let array = nest.resolve(&array);
        let inside: Vec<bool> =
            (0..n_indices).map(|it| inside(&args[it], &array.sizes[it])).collect();
        let args: Vec<Atom> = args.iter().map(|it| self.read(nest, item, it)).collect();
        let mask = masked.then(|| args[n_indices]);
        let mut indices = Vec::new();
        for (axis, index) in args[..n_indices].iter().enumerate() {
            if inside[axis] {
                indices.push(*index);
                continue;
            }
            let size = self.size(&array.sizes[axis].clone());
            indices.push(self.checked_index(nest, *index, size, axis, mask));
        }
        let rows = nest.items[item].axes.len() + n_indices - array.sizes.len();
        let value = {
            let own = nest.index.clone();
            let plan = nest.plan;
            let index = |axis: usize| match indices.get(axis) {
                Some(index) => vec![*index],
                None => own[&plan.class(item, rows + axis - n_indices)].clone(),
            };
            self.element_at(&array, &index)
        };
        let value = match mask {
            None => value,
            Some(mask) => {
                let elem = scalar_of(&array.elem);
                let zero = match elem {
                    Scalar::Real => Atom::Real(0.0),
                    Scalar::Int | Scalar::Box => Atom::Int(0),
                    Scalar::Bool => Atom::Bool(false),
                };
                self.prim(elem, Prim::Select, &[mask, value, zero])
            }
        };
        self.set(nest, item, value);
    }

    /// An index that is in range, or 0 where the mask does not hold.
    fn checked_index(
        &mut self,
        nest: &mut Nest<'_, 'a>,
        index: Atom,
        size: Atom,
        axis: usize,
        mask: Option<Atom>,
    ) -> Atom {
        let Some(mask) = mask else {
            self.check_index_once(nest, index, size, axis);
            return index;
        };
        let safe = self.prim(Scalar::Int, Prim::Select, &[mask, index, Atom::Int(0)]);
        let low = self.prim(Scalar::Bool, Prim::Ge, &[safe, Atom::Int(0)]);
        let high = self.prim(Scalar::Bool, Prim::Lt, &[safe, size]);
        let inside = self.prim(Scalar::Bool, Prim::And, &[low, high]);
        let off = self.prim(Scalar::Bool, Prim::Not, &[mask]);
        let holds = self.prim(Scalar::Bool, Prim::Or, &[inside, off]);
        self.check(holds, loops::Fault::Index { axis }, vec![index, size]);
        safe
    }

    /// Checks an index, unless that was done at this point.
    fn check_index_once(&mut self, nest: &mut Nest<'_, 'a>, index: Atom, size: Atom, axis: usize) {
        if !nest.checked.iter().flatten().any(|it| *it == (index, size)) {
            self.check_index(index, size, axis);
            nest.checked.last_mut().into_iter().for_each(|it| it.push((index, size)));
        }
    }

    /// The memory that a scatter changes, with what it was before.
    pub(crate) fn scatter_memory(&mut self, nest: &mut Nest<'_, 'a>, item: usize) {
        if nest.held.contains_key(&item) {
            return;
        }
        let Work::Scatter { into, last_read, .. } = &nest.items[item].work else { return };
        let into = nest.resolve(into);
        let own = match nest.schedule.memory.targets[&item] {
            Target::GoesOn(other) => {
                let held = nest.held[&other].clone();
                nest.held.insert(item, held);
                return;
            }
            Target::InPlace => self.left_to_change(&into, *last_read),
            Target::Copy => None,
        };
        let array = match own {
            Some(array) => {
                self.changed.insert(array);
                array
            }
            None => {
                let ty = ir::Type::arrays(&into.sizes, into.elem.clone());
                let wanted = nest.items.room.nests.get(&item).copied();
                let array = wanted.unwrap_or_else(|| self.room(&ty));
                self.copy_view(&into, array);
                array
            }
        };
        nest.held.insert(item, Held { array, axes: Vec::new(), local: false });
    }

    /// The memory of an array, unless a statement that is no nest has left it to somebody else, too.
    fn left_to_change(&self, array: &View, last_read: Option<usize>) -> Option<Var> {
        let moment = last_read.filter(|it| self.is_last_read(&array.source, *it));
        self.owned_memory(array).filter(|_| moment.is_some())
    }

    fn scatter(&mut self, nest: &mut Nest<'_, 'a>, item: usize, args: &[View]) {
        self.scatter_memory(nest, item);
        let Work::Scatter { into, n_indices, masked, how, .. } = &nest.items[item].work else {
            return;
        };
        let (sizes, n_indices, masked, how) = (into.sizes.clone(), *n_indices, *masked, *how);
        let array = nest.held[&item].array;
        let inside: Vec<bool> =
            (0..n_indices).map(|it| inside(&args[it + 1], &sizes[it])).collect();
        let args: Vec<Atom> = args.iter().map(|it| self.read(nest, item, it)).collect();
        let mask = masked.then(|| args[n_indices + 1]);
        let rows = nest.items[item].axes.len() + n_indices - sizes.len();
        let (body, ()) = self.within(|it| {
            let strides = it.strides(&sizes);
            let mut place = Place::new();
            for (axis, index) in args[1..=n_indices].iter().enumerate() {
                if !inside[axis] && how != How::Set {
                    let size = it.size(&sizes[axis]);
                    match masked {
                        true => it.check_index(*index, size, axis),
                        false => it.check_index_once(nest, *index, size, axis),
                    }
                }
                place.push(loops::Term { index: *index, stride: strides[axis] });
            }
            for (axis, stride) in strides.iter().enumerate().skip(n_indices) {
                let class = nest.plan.class(item, rows + axis - n_indices);
                let parts = nest.index[&class].iter();
                place.extend(parts.map(|it| loops::Term { index: *it, stride: *stride }));
            }
            it.store(array, place, args[0], how);
        });
        match mask {
            None => body.into_iter().for_each(|it| self.emit(it)),
            Some(cond) => {
                let (otherwise, results) = Default::default();
                self.emit(Node::If { cond, then: body, otherwise, results });
            }
        }
    }

    /// What a statement that is no nest reads is there.
    pub(crate) fn settle_all(&mut self, nest: &mut Nest<'_, 'a>, stmt: &'a ir::Stmt) {
        for var in walk::free_vars_op(&stmt.op) {
            self.settle(nest, var);
        }
        let sizes: Vec<ir::Size> =
            stmt.binders.iter().flat_map(|it| it.ty.split_arrays().0).collect();
        for var in sizes.iter().flat_map(ir::Size::vars) {
            if stmt.binders.iter().all(|it| it.var != var) {
                self.settle(nest, var);
            }
        }
    }

    /// What a result of an item is, now that it is there.
    pub(crate) fn resolved(
        &mut self,
        nest: &mut Nest<'_, 'a>,
        item: usize,
        result: usize,
        operand: Operand,
    ) {
        nest.there.insert((item, result), operand);
        let source = Source::Item(item, result);
        let waiting = nest.items.names.iter().filter(|it| it.1.source == source);
        waiting.for_each(|it| self.settle(nest, *it.0));
    }

    /// What a variable of the ir is now that items are there.
    fn settle(&mut self, nest: &Nest<'_, 'a>, var: ir::Var) {
        let Some(view) = nest.items.names.get(&var).map(|it| nest.resolve(it)) else { return };
        if self.values.contains_key(&var) || item_of(&view).is_some() {
            return;
        }
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

/// Whether indices are `0, 1, ...` up to this size.
fn inside(index: &View, size: &ir::Size) -> bool {
    let plain = index.map.first().is_some_and(|it| it.as_axis().is_some());
    index.source == Source::Iota && plain && index.dims[0] == *size
}
