//! What is done to each element by itself: cells are variables, rows are arrays of the step.

use ir::Prim;
use loops::{Acc, Atom, How, Kernel, Loop, Node, Place, Scalar, Term, Type, Value, Var};

use super::{Columns, Pointer};

/// What a variable differs over.
struct Over {
    elements: bool,
    steps: bool,
}

impl Columns<'_> {
    /// The body of a vector loop over all elements.
    pub(super) fn elements(&mut self, it: &Loop) -> Option<()> {
        self.values.insert(it.var, Atom::Var(self.index));
        it.body.iter().try_for_each(|node| match node {
            Node::Let { var, value } => self.bound(*var, value),
            Node::Store { array, at, value, how } => {
                let value = self.atom(*value)?;
                self.stored(*array, at, value, *how)
            }
            Node::Alloc { .. } | Node::Loop(_) | Node::Chunks(_) | Node::While(_) => None,
            Node::If { .. }
            | Node::Switch { .. }
            | Node::Make { .. }
            | Node::Both { .. }
            | Node::Call { .. } => None,
            Node::Check { .. } | Node::Scope(_) | Node::Kernel(_) => None,
        })?;
        for acc in &it.accs {
            let (init, value) = (self.atom(acc.init)?, self.atom(acc.value)?);
            // A sum is not there before all elements are.
            self.late.insert(acc.var);
            if self.loops.is_empty() {
                self.accs.push(Acc { init, value, ..acc.clone() });
            } else {
                (acc.how == How::Add && init == Atom::Real(0.0)).then_some(())?;
                self.sums.insert(acc.var, value);
            }
        }
        Some(())
    }

    /// A variable in the step of a loop, or of the vector loop.
    pub(super) fn bound(&mut self, var: Var, value: &Value) -> Option<()> {
        let value = match value {
            Value::Load { array, at } => return self.loaded(var, *array, at),
            Value::Part { array, at } => return self.part(var, *array, at),
            Value::Atom(atom) => {
                let atom = self.atom(*atom)?;
                self.values.insert(var, atom);
                return Some(());
            }
            Value::Prim(prim, args) => {
                let args = args.iter().map(|it| self.atom(*it)).collect::<Option<_>>()?;
                Value::Prim(*prim, args)
            }
            Value::ScaleAdd(a, b, c) => {
                Value::ScaleAdd(self.atom(*a)?, self.atom(*b)?, self.atom(*c)?)
            }
        };
        let args: &[Atom] = match &value {
            Value::Prim(_, args) => args,
            Value::ScaleAdd(a, b, c) => &[*a, *b, *c],
            Value::Atom(_) | Value::Load { .. } | Value::Part { .. } => &[],
        };
        let elements = args.iter().any(|it| self.is_wide(*it));
        let steps = args.iter().any(|it| self.is_varying(*it));
        // Once for all elements would be better, and cheap operations are no loss.
        if let Value::Prim(prim, _) = &value
            && !elements
            && prim.row().cost > 5
        {
            return None;
        }
        self.push(var, value, Over { elements, steps });
        Some(())
    }

    fn push(&mut self, var: Var, value: Value, over: Over) {
        if over.elements {
            self.wide.insert(var);
        }
        if over.steps {
            self.varying.insert(var);
        }
        self.step.push(Node::Let { var, value });
    }

    fn loaded(&mut self, var: Var, array: Var, at: &Place) -> Option<()> {
        match self.pointers.get(&array).cloned() {
            Some(Pointer::Cell(cell)) => {
                self.is_own(at).then_some(())?;
                let value = self.cells[cell]?;
                self.values.insert(var, value);
            }
            Some(Pointer::Rows { array, at: mut place }) => {
                place.extend(self.row(at, true)?);
                self.gains |= !self.loops.is_empty();
                let over = Over { elements: true, steps: true };
                self.push(var, Value::Load { array, at: place }, over);
            }
            None => {
                let array = self.outside(array)?;
                let at = self.place(at)?;
                let elements = at.iter().any(|it| self.is_wide(it.index));
                let steps = self.varying.contains(&array)
                    || at.iter().any(|it| self.is_varying(it.index) || self.is_varying(it.stride));
                // Elements of another row for each step would be far apart.
                (!elements || !steps).then_some(())?;
                self.read.insert(self.known.root(array));
                self.push(var, Value::Load { array, at }, Over { elements, steps });
            }
        }
        Some(())
    }

    /// A part of an array: rows from some row on, or an array outside, which is the same for all elements.
    pub(super) fn part(&mut self, var: Var, array: Var, at: &Place) -> Option<()> {
        match self.pointers.get(&array).cloned() {
            Some(Pointer::Cell(_)) => None,
            Some(Pointer::Rows { array, at: mut place }) => {
                place.extend(self.row(at, false)?);
                self.pointers.insert(var, Pointer::Rows { array, at: place });
                Some(())
            }
            None => {
                let array = self.outside(array)?;
                let at = self.place(at)?;
                (!at.iter().any(|it| self.is_wide(it.index))).then_some(())?;
                self.read.insert(self.known.root(array));
                self.push(var, Value::Part { array, at }, Over { elements: false, steps: true });
                Some(())
            }
        }
    }

    pub(super) fn stored(&mut self, array: Var, at: &Place, value: Atom, how: How) -> Option<()> {
        match self.pointers.get(&array).cloned() {
            Some(Pointer::Cell(cell)) => {
                self.is_own(at).then_some(())?;
                self.set(cell, value, how)
            }
            Some(Pointer::Rows { array, at: mut place }) => {
                place.extend(self.row(at, true)?);
                self.gains |= !self.loops.is_empty();
                self.step.push(Node::Store { array, at: place, value, how });
                Some(())
            }
            None => {
                let at = self.place(at)?;
                let is_new = self.is_untouched(array);
                let is_own = at.iter().any(|it| *it == self.own_term())
                    && at.iter().filter(|it| self.is_wide(it.index)).count() == 1;
                (self.loops.is_empty() && is_new && is_own && how == How::Set).then_some(())?;
                self.late.extend([array, self.known.root(array)]);
                self.step.push(Node::Store { array, at, value, how });
                Some(())
            }
        }
    }

    fn set(&mut self, cell: usize, value: Atom, how: How) -> Option<()> {
        let prim = match how {
            How::Set => {
                self.cells[cell] = Some(value);
                return Some(());
            }
            How::Add => Prim::Add,
            How::Mul => Prim::Mul,
            How::Max | How::Min => return None,
        };
        let old = self.cells[cell]?;
        let var = self.func.fresh(self.func.atom_type(value));
        let over = Over { elements: true, steps: !self.loops.is_empty() };
        self.push(var, Value::Prim(prim, vec![old, value]), over);
        self.cells[cell] = Some(Atom::Var(var));
        Some(())
    }

    /// Cells or rows that are filled or copied.
    pub(super) fn moved(&mut self, node: &Node) -> Option<()> {
        let own = self.own_term();
        match node {
            Node::Kernel(Kernel::Fill { array, at, len, value }) => {
                self.is_count(*len).then_some(())?;
                let value = self.atom(*value)?;
                self.stored(*array, &[at.as_slice(), &[own]].concat(), value, How::Set)
            }
            Node::Kernel(Kernel::Copy { from, from_at, into, into_at, len }) => {
                self.is_count(*len).then_some(())?;
                let value = self.element(*from, &[from_at.as_slice(), &[own]].concat())?;
                self.stored(*into, &[into_at.as_slice(), &[own]].concat(), value, How::Set)
            }
            Node::Kernel(_) | Node::Let { .. } | Node::Alloc { .. } | Node::Store { .. } => None,
            Node::Loop(_) | Node::Chunks(_) | Node::While(_) | Node::If { .. } => None,
            Node::Switch { .. } | Node::Make { .. } | Node::Both { .. } | Node::Call { .. } => None,
            Node::Check { .. } | Node::Scope(_) => None,
        }
    }

    /// An element of an array, wherever it is.
    pub(super) fn element(&mut self, array: Var, at: &Place) -> Option<Atom> {
        let Type::Array(scalar) = self.func.ty(array) else { return None };
        (scalar != Scalar::Box).then_some(())?;
        let var = self.func.fresh(Type::Scalar(scalar));
        self.loaded(var, array, at)?;
        Some(self.values.get(&var).copied().unwrap_or(Atom::Var(var)))
    }

    /// An array outside of the region, if nothing is written to it that was not there before.
    fn outside(&self, array: Var) -> Option<Var> {
        let array = super::var_of(&self.atom(Atom::Var(array))?)?;
        (!self.late.contains(&self.known.root(array))).then_some(array)
    }

    /// Whether the vector loop neither reads nor writes an array outside of the region.
    pub(super) fn is_untouched(&self, array: Var) -> bool {
        let root = self.known.root(array);
        !self.read.contains(&root) && !self.late.contains(&root) && !self.late.contains(&array)
    }

    /// The place of the element itself.
    pub(super) fn own_term(&self) -> Term {
        Term { index: Atom::Var(self.index), stride: Atom::Int(1) }
    }

    fn place(&self, at: &Place) -> Option<Place> {
        let mut res = Place::new();
        for term in at {
            let (index, stride) = (self.atom(term.index)?, self.atom(term.stride)?);
            if index != Atom::Int(0) {
                res.push(Term { index, stride });
            }
        }
        Some(res)
    }

    /// Whether it is the place of the element itself.
    fn is_own(&self, at: &Place) -> bool {
        self.place(at).is_some_and(|it| it == [self.own_term()])
    }

    /// A place in rows of all elements, as a place in the rows of one: where `own`, the element is part of it.
    fn row(&self, at: &Place, own: bool) -> Option<Place> {
        let place = self.place(at)?;
        let (ours, others): (Place, Place) =
            place.into_iter().partition(|it| *it == self.own_term());
        (ours.len() == usize::from(own)).then_some(())?;
        let row = |it: Term| {
            let stride = self.by_count(it.stride)?;
            (!self.is_wide(it.index)).then_some(Term { index: it.index, stride })
        };
        others.into_iter().map(row).collect()
    }

    /// A stride in rows instead of elements.
    fn by_count(&self, stride: Atom) -> Option<Atom> {
        if self.is_count(stride) {
            return Some(Atom::Int(1));
        }
        if let Some(rows) = self.times_count(stride) {
            return Some(rows);
        }
        let Atom::Var(var) = stride else { return None };
        let Value::Prim(Prim::Mul, args) = self.known.values.get(&var)? else { return None };
        match args.as_slice() {
            [x, y] if self.is_count(*y) => self.atom(*x),
            [x, y] if self.is_count(*x) => self.atom(*y),
            _ => None,
        }
    }
}
