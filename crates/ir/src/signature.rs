//! What a caller sees of a definition, derived definitions included.

use base::{Mark, Name};

use crate::Size;
use crate::term::{Atom, Binder, Program, Var};
use crate::types::Type;

/// How often a derivative may be taken of a derivative. A real at level k is a tree of 2^k reals:
/// whoever nests deeper has to refuse the program before types of that level are made.
pub const MAX_LEVEL: u32 = 16;

/// The types of a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// Type parameters.
    pub type_params: Vec<Name>,
    /// Size parameters.
    pub size_params: Vec<Var>,
    /// Value parameters.
    pub params: Vec<Binder>,
    /// Results; sizes first.
    pub results: Vec<Binder>,
}

impl Program {
    /// The signature of a definition. Derived definitions need not exist: that of `f'10` comes
    /// from `f`, that of `f'10'11` from `f'10`.
    pub fn signature(&self, name: &Name) -> Option<Signature> {
        if let Some(def) = self.defs.get(name) {
            return Some(Signature {
                type_params: def.type_params.clone(),
                size_params: def.size_params.clone(),
                params: def.params.clone(),
                results: def.results.clone(),
            });
        }
        if let Some((of, mask)) = taped_of(name) {
            return self.signature(of)?.taped(mask);
        }
        // Masks are applied one after the other, to the longest name that exists.
        let (mut of, mut masks) = (name, Vec::new());
        while !self.defs.contains_key(of) {
            let (shorter, mask) = derived_of(of)?;
            masks.push(mask);
            of = shorter;
        }
        if masks.len() > MAX_LEVEL as usize {
            return None;
        }
        masks.iter().rev().try_fold(self.signature(of)?, |it, mask| it.derived(mask))
    }
}

impl Signature {
    /// The signature of the derivative in which the parameters of the mask are dual; all results are.
    pub fn derived(&self, mask: &[bool]) -> Option<Signature> {
        self.mapped(mask, Type::dual)
    }

    /// The signature of the reverse-mode code where the parameters of the mask have Deltas; all results do.
    pub fn taped(&self, mask: &[bool]) -> Option<Signature> {
        self.mapped(mask, Type::tape)
    }

    fn mapped(&self, mask: &[bool], ty: fn(&Type) -> Type) -> Option<Signature> {
        if mask.len() != self.params.len() {
            return None;
        }
        let dual = |it: &Binder| Binder { var: it.var, ty: ty(&it.ty) };
        let params = self.params.iter().zip(mask);
        Some(Signature {
            type_params: self.type_params.clone(),
            size_params: self.size_params.clone(),
            params: params.map(|(it, on)| if *on { dual(it) } else { it.clone() }).collect(),
            results: self.results.iter().map(dual).collect(),
        })
    }
}

/// The name of the derivative of `def` in which the parameters of the mask are dual.
pub fn derived_name(def: &Name, mask: &[bool]) -> Name {
    def.with(Mark::Dual(mask.to_vec()))
}

/// The name of the reverse-mode derivative of `def`, which may be a derivative already.
pub fn taped_name(def: &Name, mask: &[bool]) -> Name {
    def.with(Mark::Taped(mask.to_vec()))
}

/// What `f'10` is the derivative of, and by which parameters; `None` if it is no such name.
pub fn derived_of(name: &Name) -> Option<(&Name, &[bool])> {
    let (of, mark) = name.made_of()?;
    if let Mark::Dual(mask) = mark { Some((of, mask)) } else { None }
}

/// What `f~10` is the derivative of, and by which parameters; `None` if it is no such name.
pub fn taped_of(name: &Name) -> Option<(&Name, &[bool])> {
    let (of, mark) = name.made_of()?;
    if let Mark::Taped(mask) = mark { Some((of, mask)) } else { None }
}

/// What a run of a definition is kept as: a sum type that a method of differentiation fills with what it
/// saves.
pub fn run_type(def: &Name) -> Type {
    Type::Data(def.part("run"), Vec::new(), Vec::new())
}

/// An atom of type `Int` as a size.
pub fn atom_size(atom: &Atom) -> Option<Size> {
    match atom {
        Atom::Var(var) => Some(Size::var(*var)),
        Atom::Int(value) => Some(Size::constant(*value)),
        Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => None,
    }
}

/// The types of binders of which later ones mention earlier ones as sizes, when the binders
/// stand for these atoms.
pub fn instantiate(binders: &[Binder], atoms: &[Atom]) -> Vec<Type> {
    let size = |var: Var| {
        let at = binders.iter().position(|it| it.var == var)?;
        atoms.get(at).and_then(atom_size)
    };
    binders.iter().map(|it| it.ty.substitute_sizes(&size)).collect()
}
