//! Reading views: where an element is, its value, and the whole in contiguous memory.

use ir::Size;
use loops::{Atom, How, Kernel, Kind, Loop, Node, Place, Scalar, Term, Value, Var};

use crate::context::{Known, scalar_of};
use crate::view::{Lin, Source, View};

impl Known<'_, '_> {
    /// How far neighbours along each axis are apart in contiguous memory.
    pub(crate) fn strides(&mut self, dims: &[Size]) -> Vec<Atom> {
        (0..dims.len()).map(|at| self.count(&dims[at + 1..])).collect()
    }

    /// An index times a stride, its parts added up; `index` gives the parts of the view's own indices.
    pub(crate) fn terms(
        &mut self,
        lin: &Lin,
        stride: Atom,
        index: &dyn Fn(usize) -> Vec<Atom>,
        place: &mut Place,
    ) {
        let own = lin
            .terms
            .iter()
            .flat_map(|(axis, factor)| index(*axis).into_iter().map(move |it| (it, *factor)));
        for (index, factor) in own.chain(lin.offset.iter().copied()) {
            if index == Atom::Int(0) {
                continue;
            }
            let stride = self.mul(Atom::Int(factor), stride);
            place.push(Term { index, stride });
        }
    }

    /// Where an element of a view of memory is.
    pub(crate) fn place(&mut self, view: &View, index: &dyn Fn(usize) -> Vec<Atom>) -> Place {
        let strides = self.strides(&view.dims);
        let mut place = Place::new();
        for (lin, stride) in view.map.iter().zip(strides) {
            self.terms(lin, stride, index, &mut place);
        }
        place
    }

    /// An element of a view that is there.
    pub(crate) fn element_at(&mut self, view: &View, index: &dyn Fn(usize) -> Vec<Atom>) -> Atom {
        match &view.source {
            Source::Same(atom) => *atom,
            Source::Iota => {
                let mut place = Place::new();
                self.terms(&view.map[0], Atom::Int(1), index, &mut place);
                place.into_iter().fold(Atom::Int(0), |sum, it| {
                    let part = self.mul(it.index, it.stride);
                    self.add(sum, part)
                })
            }
            Source::Memory(array) => {
                let at = self.place(view, index);
                self.bind(scalar_of(&view.elem), Value::Load { array: *array, at })
            }
            Source::Item(item, _) => panic!("compiler bug: item {item} is not there yet"),
        }
    }

    /// An element.
    pub(crate) fn element(&mut self, view: &View, indices: &[Atom]) -> Atom {
        self.element_at(view, &|axis| vec![indices[axis]])
    }

    /// The array in contiguous memory; copied if it is not there as it is.
    pub(crate) fn contiguous(&mut self, view: &View) -> Var {
        if let Source::Memory(array) = view.source {
            if view.is_contiguous() {
                return array;
            }
            if let Some(part) = self.part(array, view) {
                return part;
            }
        }
        let ty = ir::Type::arrays(&view.sizes, view.elem.clone());
        let array = self.room(&ty);
        self.copy_view(view, array);
        array
    }

    /// The part of memory that a view is, if that is contiguous: some indices are fixed, then come
    /// all elements.
    fn part(&mut self, array: Var, view: &View) -> Option<Var> {
        let fixed = view.map.len().checked_sub(view.sizes.len())?;
        let (head, tail) = view.map.split_at(fixed);
        let whole = tail.iter().enumerate().all(|(at, it)| match it.terms.as_slice() {
            // A slice along the first of them is contiguous too.
            [(axis, 1)] => *axis == at && (at == 0 || it.offset.is_empty()),
            _ => false,
        });
        if !whole || head.iter().any(|it| !it.terms.is_empty()) {
            return None;
        }
        if tail.iter().zip(&view.dims[fixed..]).zip(&view.sizes).skip(1).any(|it| it.0.1 != it.1) {
            return None;
        }
        let at = self.place(view, &|_| Vec::new());
        let part = self.fresh_array(scalar_of(&view.elem));
        self.emit(Node::Let { var: part, value: Value::Part { array, at } });
        Some(part)
    }

    /// Copies all elements of a view to contiguous memory.
    pub(crate) fn copy_view(&mut self, view: &View, into: Var) {
        if let (Source::Memory(array), true) = (&view.source, view.is_contiguous()) {
            let len = self.count(&view.sizes);
            return self.copy(*array, into, len);
        }
        if let Source::Same(value) = view.source {
            let (array, at, len) = (into, Place::new(), self.count(&view.sizes));
            return self.emit(Node::Kernel(Kernel::Fill { array, at, len, value }));
        }
        let strides = self.strides(&view.sizes);
        // What the places need is computed before the loops.
        self.strides(&view.dims);
        self.copy_axes(view, into, &strides, &mut Vec::new());
    }

    fn copy_axes(&mut self, view: &View, into: Var, strides: &[Atom], at: &mut Vec<Atom>) {
        let axis = at.len();
        if axis == view.sizes.len() {
            let value = self.element(view, at);
            let place = at.iter().zip(strides);
            let place = place.map(|(index, stride)| Term { index: *index, stride: *stride });
            self.store(into, place.collect(), value, How::Set);
            return;
        }
        let count = self.size(&view.sizes[axis]);
        let var = self.fresh(Scalar::Int);
        at.push(Atom::Var(var));
        let (body, ()) = self.within(|it| it.copy_axes(view, into, strides, at));
        at.pop();
        let plain = matches!(scalar_of(&view.elem), Scalar::Real | Scalar::Int | Scalar::Bool);
        let kind = match axis + 1 == view.sizes.len() && plain {
            true => Kind::Vector,
            false => Kind::Seq,
        };
        let (state, accs) = Default::default();
        self.emit(Node::Loop(Box::new(Loop { var, count, kind, state, accs, body })));
    }
}
