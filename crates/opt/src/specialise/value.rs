//! What is known of a value while its program is specialised: that it is computed when the program
//! runs, or which function it is.
//!
//! A function is its code and the values it captured. The atoms in it are its *leaves*: what is left
//! of it when the program runs, and what is handed on in its place.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use base::Name;
use ir::signature::atom_size;
use ir::{Atom, Def, Lambda, Size, Type, Var};

/// Type parameters of a definition and the types that stand for them.
pub(super) type TypeArgs = Rc<BTreeMap<Name, Type>>;

/// What is known of a value. Atoms, sizes and types are those of the result of the pass.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Computed when the program runs; no function is in it.
    Atom(Atom),
    /// An `Int`: a size that is no single variable, or a number that types mention.
    Size(Size),
    /// A tuple with a function in it.
    Tuple(Rc<[Value]>),
    /// A function.
    Closure(Rc<Closure>),
    /// One of several functions: a value of a sum type that says which (`choice.rs`).
    Chosen(Chosen),
    /// How a function changes with what it captured (`tangent.rs`).
    Tangent(Rc<Tangent>),
}

/// A function, and the same function with tangents in the place of the reals it captured.
#[derive(Clone, Debug)]
pub(super) struct Tangent {
    pub(super) function: Value,
    pub(super) tangent: Value,
}

/// One of several functions.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// The number of the sum type among those that the pass has declared.
    pub(super) choice: usize,
    /// Its arguments.
    pub(super) sizes: Vec<Size>,
    /// The value.
    pub(super) atom: Atom,
}

/// A known function.
#[derive(Clone, Debug)]
pub(super) struct Closure {
    /// The definition of the source that it is written in.
    pub(super) origin: Arc<Def>,
    /// The variable there that it is bound to.
    pub(super) at: Var,
    /// Its code, in the variables of the origin.
    pub(super) lambda: Arc<Lambda>,
    /// The types of that instance of the origin.
    pub(super) types: TypeArgs,
    /// The variables of the origin that it mentions.
    pub(super) captured: BTreeMap<Var, Value>,
    /// The run of it that it remembers.
    pub(super) run: Option<Atom>,
    /// How many values it consists of.
    pub(super) weight: usize,
}

impl Closure {
    /// The captured sizes that its type mentions: whoever hands it on hands them on as sizes.
    pub(super) fn sizes_of_type(&self) -> Vec<Size> {
        let Lambda { params, body } = &*self.lambda;
        let of_result = |atom: &Atom| match atom {
            Atom::Var(var) => {
                let mut binders = body.stmts.iter().rev().flat_map(|it| &it.binders);
                binders.find(|it| it.var == *var).map(|it| it.ty.size_vars())
            }
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => None,
        };
        let results = body.results.iter().filter_map(of_result).flatten();
        let mentioned = params.iter().flat_map(|it| it.ty.size_vars()).chain(results);
        mentioned.filter_map(|it| self.captured.get(&it)?.as_size()).collect()
    }
}

/// A value without its leaves: instances are made once for each.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// An atom of the type that the signature says.
    Plain,
    /// An atom.
    Leaf(Type),
    /// An `Int` that types mention.
    Size(Size),
    /// A tuple.
    Tuple(Vec<Shape>),
    /// A function: where it is written, its types, what it captured, and the run that it remembers.
    Closure(Name, Var, Vec<Type>, Vec<Shape>),
    /// One of several functions.
    Chosen(usize, Vec<Size>),
    /// The tangent of a function.
    Tangent(Box<Shape>),
}

impl Shape {
    /// The shape with other sizes in the place of variables.
    pub(super) fn substitute(&self, by: &dyn Fn(Var) -> Option<Size>) -> Shape {
        let all = |shapes: &[Shape]| shapes.iter().map(|it| it.substitute(by)).collect();
        match self {
            Shape::Plain => Shape::Plain,
            Shape::Leaf(ty) => Shape::Leaf(ty.substitute_sizes(by)),
            Shape::Size(size) => Shape::Size(substitute(size, by)),
            Shape::Tuple(parts) => Shape::Tuple(all(parts)),
            Shape::Closure(def, at, types, captured) => {
                let types = types.iter().map(|it| it.substitute_sizes(by)).collect();
                Shape::Closure(def.clone(), *at, types, all(captured))
            }
            Shape::Chosen(choice, sizes) => {
                Shape::Chosen(*choice, sizes.iter().map(|it| substitute(it, by)).collect())
            }
            Shape::Tangent(function) => Shape::Tangent(Box::new(function.substitute(by))),
        }
    }
}

impl Value {
    /// The `Int` that a size is.
    pub(super) fn size(size: &Size) -> Value {
        match (size.as_var(), size.as_constant()) {
            (Some(var), _) => Value::Atom(Atom::Var(*var)),
            (None, Some(value)) => Value::Atom(Atom::Int(value)),
            (None, None) => Value::Size(size.clone()),
        }
    }

    /// The size that an `Int` is.
    pub(super) fn as_size(&self) -> Option<Size> {
        match self {
            Value::Atom(atom) => atom_size(atom),
            Value::Size(size) => Some(size.clone()),
            Value::Tuple(_) | Value::Closure(_) | Value::Chosen(_) | Value::Tangent(_) => None,
        }
    }

    /// Whether a function is in it.
    pub(super) fn is_static(&self) -> bool {
        match self {
            Value::Atom(_) | Value::Size(_) => false,
            Value::Tuple(_) | Value::Closure(_) | Value::Chosen(_) | Value::Tangent(_) => true,
        }
    }

    /// The value without the run that a function remembers.
    pub(super) fn forgetful(&self) -> Value {
        if let Value::Closure(closure) = self {
            return Value::Closure(forgetful(closure));
        }
        self.clone()
    }

    /// How many values it consists of.
    pub(super) fn weight(&self) -> usize {
        match self {
            Value::Atom(_) | Value::Size(_) | Value::Chosen(_) => 1,
            Value::Tuple(parts) => total(parts.iter()),
            Value::Closure(closure) => closure.weight,
            Value::Tangent(it) => total([&it.function, &it.tangent].into_iter()),
        }
    }

    /// The value with others in the place of atoms, and other sizes in the place of variables.
    pub(super) fn map(
        &self,
        atoms: &mut dyn FnMut(&Atom) -> Value,
        sizes: &dyn Fn(Var) -> Option<Size>,
    ) -> Value {
        match self {
            Value::Atom(atom) => atoms(atom),
            Value::Size(size) if size.as_constant().is_some() => self.clone(),
            Value::Size(size) => Value::size(&substitute(size, sizes)),
            Value::Tuple(parts) => {
                Value::Tuple(parts.iter().map(|it| it.map(atoms, sizes)).collect())
            }
            Value::Closure(closure) => {
                let types = closure.types.iter();
                let types = types.map(|(name, ty)| (name.clone(), ty.substitute_sizes(sizes)));
                let captured = closure.captured.iter();
                let captured = captured.map(|(var, it)| (*var, it.map(atoms, sizes))).collect();
                let run = closure.run.as_ref().map(|it| {
                    let Value::Atom(atom) = atoms(it) else {
                        unreachable!("a run is of a sum type")
                    };
                    atom
                });
                Value::Closure(Rc::new(Closure {
                    types: Rc::new(types.collect()),
                    captured,
                    run,
                    ..Closure::clone(closure)
                }))
            }
            Value::Chosen(chosen) => {
                let Value::Atom(atom) = atoms(&chosen.atom) else {
                    unreachable!("no size is of a sum type")
                };
                let sizes = chosen.sizes.iter().map(|it| substitute(it, sizes)).collect();
                Value::Chosen(Chosen { choice: chosen.choice, sizes, atom })
            }
            Value::Tangent(it) => {
                let function = it.function.map(atoms, sizes);
                Value::Tangent(Rc::new(Tangent { function, tangent: it.tangent.map(atoms, sizes) }))
            }
        }
    }
}

/// The function without the run that it remembers.
pub(super) fn forgetful(closure: &Rc<Closure>) -> Rc<Closure> {
    match closure.run {
        None => closure.clone(),
        Some(_) => Rc::new(Closure { run: None, ..Closure::clone(closure) }),
    }
}

/// The weight of several values and of what holds them.
pub(super) fn total<'a>(values: impl Iterator<Item = &'a Value>) -> usize {
    values.fold(1, |sum: usize, it| sum.saturating_add(it.weight()))
}

pub(super) fn substitute(size: &Size, by: &dyn Fn(Var) -> Option<Size>) -> Size {
    size.substitute(&mut |var| by(*var).unwrap_or_else(|| Size::var(*var)))
}

/// The variables that types mention. Where values are handed on, these are handed on as sizes, so
/// that what was of equal size stays so; an atom among them is no leaf.
#[derive(Debug, Default)]
pub(super) struct Exact(pub(super) Vec<Var>);

impl Exact {
    pub(super) fn add_size(&mut self, size: &Size) {
        for var in size.vars() {
            if !self.0.contains(&var) {
                self.0.push(var);
            }
        }
    }

    pub(super) fn add_type(&mut self, ty: &Type) {
        ty.sizes().into_iter().for_each(|it| self.add_size(it));
        ty.parts().into_iter().for_each(|it| self.add_type(it));
    }

    /// Adds the variables that the types of a value with functions mention.
    pub(super) fn add_value(&mut self, value: &Value, type_of: &dyn Fn(&Atom) -> Type) {
        match value {
            Value::Atom(atom) => self.add_type(&type_of(atom)),
            Value::Size(size) => self.add_size(size),
            Value::Tuple(parts) => parts.iter().for_each(|it| self.add_value(it, type_of)),
            Value::Closure(closure) => {
                closure.types.values().for_each(|it| self.add_type(it));
                closure.captured.values().for_each(|it| self.add_value(it, type_of));
                closure.sizes_of_type().iter().for_each(|it| self.add_size(it));
            }
            Value::Chosen(chosen) => chosen.sizes.iter().for_each(|it| self.add_size(it)),
            // The tangent has the sizes of the function.
            Value::Tangent(it) => self.add_value(&it.function, type_of),
        }
    }

    /// The variable as an instance sees it, which takes all of them as its first sizes.
    pub(super) fn number(&self, var: Var) -> Option<Size> {
        let at = self.0.iter().position(|it| *it == var)?;
        Some(Size::var(Var(at as u32)))
    }

    /// Whether the size is made of the variables, and no number.
    pub(super) fn covers(&self, size: &Size) -> bool {
        !size.vars().is_empty() && size.vars().iter().all(|it| self.0.contains(it))
    }

    /// Whether the atom is one of the variables.
    pub(super) fn has(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Var(var) => self.0.contains(var),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => false,
        }
    }

    /// The atoms of a value that are handed on, in order.
    pub(super) fn leaves(&self, value: &Value) -> Vec<Atom> {
        let mut res = Vec::new();
        value.map(
            &mut |atom| {
                if !self.has(atom) {
                    res.push(atom.clone());
                }
                Value::Atom(atom.clone())
            },
            &|_| None,
        );
        res
    }

    /// The value with other leaves, and other sizes for the variables.
    pub(super) fn rebuild(
        &self,
        value: &Value,
        leaf: &mut dyn FnMut(&Atom) -> Atom,
        sizes: &dyn Fn(Var) -> Option<Size>,
    ) -> Value {
        let mut atom = |atom: &Atom| match atom {
            Atom::Var(var) if self.0.contains(var) => {
                Value::size(&sizes(*var).unwrap_or_else(|| Size::var(*var)))
            }
            Atom::Var(_) | Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => {
                Value::Atom(leaf(atom))
            }
        };
        value.map(&mut atom, sizes)
    }

    /// The value without its leaves, with other sizes for the variables.
    pub(super) fn shape(
        &self,
        value: &Value,
        type_of: &dyn Fn(&Atom) -> Type,
        sizes: &dyn Fn(Var) -> Option<Size>,
    ) -> Shape {
        match value {
            Value::Atom(Atom::Var(var)) if self.0.contains(var) => {
                Shape::Size(substitute(&Size::var(*var), sizes))
            }
            Value::Atom(atom) => Shape::Leaf(type_of(atom).substitute_sizes(sizes)),
            Value::Size(size) => Shape::Size(substitute(size, sizes)),
            Value::Tuple(parts) => {
                Shape::Tuple(parts.iter().map(|it| self.shape(it, type_of, sizes)).collect())
            }
            Value::Closure(closure) => {
                let types = closure.types.values().map(|it| it.substitute_sizes(sizes)).collect();
                let captured = closure.captured.values();
                let captured = captured.map(|it| self.shape(it, type_of, sizes));
                let run = closure.run.as_ref().map(|it| Shape::Leaf(type_of(it)));
                let captured = captured.chain(run).collect();
                Shape::Closure(closure.origin.name.clone(), closure.at, types, captured)
            }
            Value::Chosen(chosen) => {
                let own = chosen.sizes.iter().map(|it| substitute(it, sizes));
                Shape::Chosen(chosen.choice, own.collect())
            }
            Value::Tangent(it) => {
                Shape::Tangent(Box::new(self.shape(&it.function, type_of, sizes)))
            }
        }
    }
}
