//! What the variables of the ir have become that are there: scalars, or memory.

use loops::{Atom, Var};

use crate::context::{Known, Operand, refused, scalar_of};
use crate::view::{Source, View};

impl Known<'_, '_> {
    /// The type of an operand.
    pub(crate) fn type_of(&self, atom: &ir::Atom) -> ir::Type {
        match atom {
            ir::Atom::Var(var) => self.types[var].clone(),
            ir::Atom::Real(_) => ir::Type::Real,
            ir::Atom::Int(_) => ir::Type::Int,
            ir::Atom::Bool(_) => ir::Type::Bool,
            ir::Atom::Str(_) => ir::Type::String,
        }
    }

    /// What an operand has become.
    pub(crate) fn operand(&mut self, atom: &ir::Atom) -> Operand {
        match atom {
            ir::Atom::Var(var) => self.meaning(*var).expect("it was defined"),
            ir::Atom::Real(it) => Operand::Scalar(Atom::Real(it.0)),
            ir::Atom::Int(it) => Operand::Scalar(Atom::Int(*it)),
            ir::Atom::Bool(it) => Operand::Scalar(Atom::Bool(*it)),
            ir::Atom::Str(it) => Operand::Scalar(Atom::Int(self.text(it))),
        }
    }

    /// A scalar operand.
    pub(crate) fn scalar(&mut self, atom: &ir::Atom) -> Atom {
        match self.operand(atom) {
            Operand::Scalar(atom) => atom,
            Operand::Array(_) => panic!("compiler bug: {atom:?} is an array"),
        }
    }

    /// An operand that is an array.
    pub(crate) fn view(&mut self, atom: &ir::Atom) -> View {
        match self.operand(atom) {
            Operand::Array(view) => view,
            Operand::Scalar(_) => panic!("compiler bug: {atom:?} is a scalar"),
        }
    }

    /// An operand that is an array, contiguous in memory.
    pub(crate) fn array(&mut self, atom: &ir::Atom) -> Var {
        let view = self.view(atom);
        self.contiguous(&view)
    }

    /// A variable of the ir has become this.
    pub(crate) fn define(&mut self, binder: &ir::Binder, operand: Operand) {
        self.types.insert(binder.var, binder.ty.clone());
        self.values.insert(binder.var, operand);
    }

    /// What a variable of the ir has become, if it is defined.
    pub(crate) fn meaning(&self, var: ir::Var) -> Option<Operand> {
        self.values.get(&var).cloned()
    }

    /// Whether an array is read at most once from a moment on, under whatever name.
    pub(crate) fn is_last_read(&self, source: &Source, from: usize) -> bool {
        self.left(source, from) <= 1
    }

    /// How often an array is read from a moment on, under the names that are there.
    pub(crate) fn left(&self, source: &Source, from: usize) -> usize {
        let there = self.values.iter().filter_map(|(var, it)| match it {
            Operand::Array(view) => Some((var, view)),
            Operand::Scalar(_) => None,
        });
        let names = there.filter(|it| it.1.source == *source);
        names.map(|it| self.uses.left(*it.0, from)).sum()
    }

    /// A variable of the ir is in contiguous memory, or is a scalar variable.
    pub(crate) fn define_var(&mut self, binder: &ir::Binder, var: Var) {
        let operand = match &binder.ty {
            ir::Type::Array(..) => Operand::Array(View::contiguous(var, &binder.ty)),
            ir::Type::Real | ir::Type::Int | ir::Type::Bool | ir::Type::String => {
                Operand::Scalar(Atom::Var(var))
            }
            ir::Type::Tuple(_) | ir::Type::Data(..) | ir::Type::Dual(_) => {
                Operand::Scalar(Atom::Var(var))
            }
            ir::Type::Function(..) | ir::Type::Var(_) => refused(&binder.ty),
            ir::Type::Delta | ir::Type::Tape(_) => refused(&binder.ty),
        };
        self.define(binder, operand);
    }

    /// A new variable for a binder: a scalar, or a pointer.
    pub(crate) fn declare(&mut self, binder: &ir::Binder) -> Var {
        let scalar = scalar_of(&binder.ty);
        let array = matches!(binder.ty, ir::Type::Array(..));
        let var = if array { self.fresh_array(scalar) } else { self.fresh(scalar) };
        self.define_var(binder, var);
        var
    }

    /// What an operand is as one atom: a scalar, or the pointer to contiguous memory.
    pub(crate) fn atom(&mut self, atom: &ir::Atom) -> Atom {
        match self.operand(atom) {
            Operand::Scalar(atom) => atom,
            Operand::Array(view) => Atom::Var(self.contiguous(&view)),
        }
    }

    /// The memory of an array, if this function may overwrite it. The caller makes sure that
    /// nobody reads it afterwards.
    pub(crate) fn owned_memory(&self, view: &View) -> Option<Var> {
        match view.source {
            Source::Memory(array) if view.is_contiguous() && self.owned.contains(&array) => {
                Some(array)
            }
            Source::Memory(_) | Source::Iota | Source::Same(_) | Source::Item(..) => None,
        }
    }
}
