//! The types the checker works with: as in the surface language, with unknowns.

use std::fmt;

use base::{Mark, Name};
use ir::Polynomial;

/// An unknown type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeVar(pub u32);

/// An unknown size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SizeVar(pub u32);

/// A size that stands for itself: a size parameter, an `Int` variable in scope, or a length that
/// only running the program can tell. Compared by number; the name is for messages.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rigid {
    /// Its number, unique in one checker.
    pub id: u32,
    /// What the user calls it.
    pub name: Name,
}

/// An unknown of a size polynomial.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SizeAtom {
    /// To be found by inference.
    Var(SizeVar),
    /// Standing for itself.
    Rigid(Rigid),
}

/// A size of the surface language.
pub type Size = Polynomial<SizeAtom>;

/// A type of the surface language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A real number.
    Real,
    /// An integer.
    Int,
    /// A truth value.
    Bool,
    /// A text.
    String,
    /// A tuple; `()` is the empty one.
    Tuple(Vec<Type>),
    /// An array.
    Array(Size, Box<Type>),
    /// A function: parameters and result.
    Function(Vec<Type>, Box<Type>),
    /// A record or sum type with its type and size arguments.
    Named(Name, Vec<Type>, Vec<Size>),
    /// A type parameter of the definition.
    Param(Name),
    /// To be found by inference.
    Var(TypeVar),
    /// Of something that is wrong and has been reported; agrees with everything.
    Error,
}

impl Type {
    /// The unit type.
    pub fn unit() -> Type {
        Type::Tuple(Vec::new())
    }

    /// `[size]elem`.
    pub fn array(size: Size, elem: Type) -> Type {
        Type::Array(size, Box::new(elem))
    }

    /// The function type.
    pub fn function(params: Vec<Type>, result: Type) -> Type {
        Type::Function(params, Box::new(result))
    }

    /// One type as it is, several as a tuple: the argument type of a function under a
    /// derivative operator.
    pub fn pack(mut types: Vec<Type>) -> Type {
        match types.len() {
            1 => types.remove(0),
            _ => Type::Tuple(types),
        }
    }

    /// What an array holds.
    pub(crate) fn into_element(self) -> Option<Type> {
        if let Type::Array(_, elem) = self { Some(*elem) } else { None }
    }

    /// The parameters and the result of a function.
    pub(crate) fn into_function(self) -> Option<(Vec<Type>, Type)> {
        if let Type::Function(params, result) = self { Some((params, *result)) } else { None }
    }

    /// Applies `f` to the direct parts of the type and `size` to its sizes.
    pub fn map(
        &self,
        f: &mut dyn FnMut(&Type) -> Type,
        size: &mut dyn FnMut(&Size) -> Size,
    ) -> Type {
        match self {
            Type::Real | Type::Int | Type::Bool | Type::String => self.clone(),
            Type::Param(_) | Type::Var(_) | Type::Error => self.clone(),
            Type::Tuple(parts) => Type::Tuple(parts.iter().map(f).collect()),
            Type::Array(n, elem) => Type::array(size(n), f(elem)),
            Type::Function(params, result) => {
                let params = params.iter().map(&mut *f).collect();
                Type::function(params, f(result))
            }
            Type::Named(name, types, sizes) => Type::Named(
                name.clone(),
                types.iter().map(f).collect(),
                sizes.iter().map(size).collect(),
            ),
        }
    }

    /// Calls `f` on the direct parts.
    pub fn each(&self, f: &mut dyn FnMut(&Type)) {
        match self {
            Type::Real | Type::Int | Type::Bool | Type::String => {}
            Type::Param(_) | Type::Var(_) | Type::Error => {}
            Type::Tuple(parts) | Type::Named(_, parts, _) => parts.iter().for_each(f),
            Type::Array(_, elem) => f(elem),
            Type::Function(params, result) => {
                params.iter().for_each(&mut *f);
                f(result);
            }
        }
    }

    /// Every size in it, outside in.
    pub fn sizes(&self) -> Vec<Size> {
        let mut res = match self {
            Type::Array(size, _) => vec![size.clone()],
            Type::Named(_, _, sizes) => sizes.clone(),
            Type::Real | Type::Int | Type::Bool | Type::String | Type::Tuple(_) => Vec::new(),
            Type::Function(..) | Type::Param(_) | Type::Var(_) | Type::Error => Vec::new(),
        };
        self.each(&mut |part| res.extend(part.sizes()));
        res
    }

    /// Puts types for parameters and sizes for rigid sizes.
    pub fn substitute(
        &self,
        types: &dyn Fn(&Name) -> Option<Type>,
        sizes: &dyn Fn(&Rigid) -> Option<Size>,
    ) -> Type {
        if let Type::Param(name) = self {
            return types(name).unwrap_or_else(|| self.clone());
        }
        self.map(&mut |part| part.substitute(types, sizes), &mut |size| {
            substitute_size(size, sizes)
        })
    }

    fn is_function(&self) -> bool {
        matches!(self, Type::Function(..))
    }
}

/// Puts sizes for rigid sizes.
pub(crate) fn substitute_size(size: &Size, by: &dyn Fn(&Rigid) -> Option<Size>) -> Size {
    size.substitute(&mut |atom| match atom {
        SizeAtom::Rigid(rigid) => by(rigid).unwrap_or_else(|| Size::var(atom.clone())),
        SizeAtom::Var(_) => Size::var(atom.clone()),
    })
}

/// A size parameter as a size.
pub(crate) fn rigid_size(rigid: &Rigid) -> Size {
    Size::var(SizeAtom::Rigid(rigid.clone()))
}

/// The name of a prelude declaration that a user's declaration hides, as the program calls it.
pub(crate) fn hidden_name(name: &Name) -> Name {
    name.with(Mark::Module("prelude".to_owned()))
}

/// The name as it is declared, without its module.
pub fn shown_name(name: &Name) -> &str {
    match name.made_of() {
        Some((of, Mark::Module(_))) => of,
        Some(_) | None => name,
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Real => f.write_str("Real"),
            Type::Int => f.write_str("Int"),
            Type::Bool => f.write_str("Bool"),
            Type::String => f.write_str("String"),
            Type::Tuple(parts) => write!(f, "({})", commas(parts)),
            Type::Array(size, elem) if elem.is_function() => {
                write!(f, "[{}]({elem})", ShowSize(size))
            }
            Type::Array(size, elem) => write!(f, "[{}]{elem}", ShowSize(size)),
            Type::Function(params, result) => match params.as_slice() {
                [one] if !matches!(one, Type::Tuple(_) | Type::Function(..)) => {
                    write!(f, "{one} -> {result}")
                }
                _ => write!(f, "({}) -> {result}", commas(params)),
            },
            Type::Named(name, types, sizes) => {
                f.write_str(shown_name(name))?;
                if types.is_empty() && sizes.is_empty() {
                    return Ok(());
                }
                let types = types.iter().map(ToString::to_string);
                let sizes = sizes.iter().map(|it| ShowSize(it).to_string());
                write!(f, "<{}>", types.chain(sizes).collect::<Vec<_>>().join(", "))
            }
            Type::Param(name) => write!(f, "{name}"),
            Type::Var(_) | Type::Error => f.write_str("_"),
        }
    }
}

fn commas(parts: &[Type]) -> String {
    parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A size as the user writes it.
pub struct ShowSize<'a>(pub &'a Size);

impl fmt::Display for ShowSize<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut terms: Vec<(&[SizeAtom], i64)> = self.0.terms().collect();
        // The constant comes last, negative terms after positive ones.
        terms.sort_by_key(|(atoms, coefficient)| (atoms.is_empty(), *coefficient < 0));
        if terms.is_empty() {
            return f.write_str("0");
        }
        for (position, (atoms, coefficient)) in terms.iter().enumerate() {
            match (position, *coefficient < 0) {
                (0, true) => f.write_str("-")?,
                (0, false) => {}
                (_, true) => f.write_str(" - ")?,
                (_, false) => f.write_str(" + ")?,
            }
            let factor = coefficient.unsigned_abs();
            let mut parts: Vec<String> = atoms.iter().map(show_atom).collect();
            if factor != 1 || parts.is_empty() {
                parts.insert(0, factor.to_string());
            }
            f.write_str(&parts.join("*"))?;
        }
        Ok(())
    }
}

fn show_atom(atom: &SizeAtom) -> String {
    match atom {
        SizeAtom::Var(_) => "_".to_string(),
        SizeAtom::Rigid(rigid) => rigid.name.to_string(),
    }
}
