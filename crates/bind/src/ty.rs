//! The Rust type of a Cotan type.

use check::{Body, Type, TypeTable};
use proc_macro2::TokenStream;
use quote::quote;

use crate::ident::identifier;

/// Rust's own traits end at tuples of so many parts, and ours with them.
const MOST_PARTS: usize = 12;

/// How types are written.
#[derive(Clone, Debug)]
pub struct Style {
    /// The type of reals.
    pub real: TokenStream,
    /// What arrays of several dimensions are.
    pub arrays: Arrays,
}

/// What arrays of several dimensions are; those of one are vectors and slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrays {
    /// The sizes and the elements in order: `([usize; 2], Vec<f64>)`.
    Pairs,
    /// `cotan::Shaped` of numbers, vectors of vectors of all else.
    Shaped,
}

/// A Rust type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rust {
    /// `f64`, or `f32` in single precision.
    Real,
    /// `i64`
    Int,
    /// `bool`
    Bool,
    /// By the number of its dimensions.
    Array(usize, Box<Rust>),
    /// A tuple.
    Tuple(Vec<Rust>),
    /// A struct or an enum, by its name in the program, with its type arguments.
    Named(String, Vec<Rust>),
    /// A parameter of a generic struct or enum.
    Param(String),
}

impl Rust {
    /// The Rust type of a Cotan type, or why there is none.
    pub fn of(table: &TypeTable, ty: &Type) -> Result<Rust, String> {
        let all = |types: &[Type]| -> Result<Vec<Rust>, String> {
            types.iter().map(|it| Rust::of(table, it)).collect()
        };
        Ok(match ty {
            Type::Real => Rust::Real,
            Type::Int => Rust::Int,
            Type::Bool => Rust::Bool,
            Type::String => return Err("it takes or gives strings".to_owned()),
            Type::Function(..) => return Err("it takes or gives functions".to_owned()),
            Type::Param(name) => Rust::Param(name.to_string()),
            Type::Var(_) | Type::Error => return Err("its type is not known".to_owned()),
            Type::Tuple(parts) if parts.len() > MOST_PARTS => {
                return Err(format!("it takes or gives a tuple of {} parts", parts.len()));
            }
            Type::Tuple(parts) => Rust::Tuple(all(parts)?),
            Type::Array(_, elem) => Rust::of(table, elem)?.repeated(1),
            Type::Named(name, types, _) => {
                if table.has_function(ty) {
                    return Err("it takes or gives functions".to_owned());
                }
                match table.decls.get(name).map(|it| &it.body) {
                    Some(Body::Record(_) | Body::Data(_)) => {
                        Rust::Named(name.to_string(), all(types)?)
                    }
                    Some(Body::Alias(_)) | None => return Err("its type is not known".to_owned()),
                }
            }
        })
    }

    /// As a type of values.
    pub fn owned(&self, style: &Style) -> TokenStream {
        let all = |parts: &[Rust]| parts.iter().map(|it| it.owned(style)).collect::<Vec<_>>();
        match self {
            Rust::Real => style.real.clone(),
            Rust::Int => quote!(i64),
            Rust::Bool => quote!(bool),
            Rust::Array(rank, elem) => array(*rank, elem, style),
            Rust::Tuple(parts) => {
                let parts = all(parts);
                quote!((#(#parts,)*))
            }
            Rust::Named(name, args) => {
                let (name, args) = (identifier(name).name, all(args));
                if args.is_empty() { quote!(#name) } else { quote!(#name<#(#args),*>) }
            }
            Rust::Param(name) => {
                let name = param(name);
                quote!(#name)
            }
        }
    }

    /// As a type of parameters, which are borrowed where that saves a copy.
    pub fn borrowed(&self, style: &Style) -> TokenStream {
        match self {
            Rust::Real | Rust::Int | Rust::Bool => self.owned(style),
            Rust::Array(1, elem) => {
                let elem = elem.owned(style);
                quote!(&[#elem])
            }
            Rust::Array(rank, elem) => {
                let inner = elem.owned(style);
                match style.arrays {
                    Arrays::Pairs => quote!(([usize; #rank], &[#inner])),
                    Arrays::Shaped if elem.is_number() => quote!(&::cotan::Shaped<'_, #inner>),
                    Arrays::Shaped => {
                        let row = array(rank - 1, elem, style);
                        quote!(&[#row])
                    }
                }
            }
            Rust::Tuple(parts) => {
                let parts: Vec<TokenStream> = parts.iter().map(|it| it.borrowed(style)).collect();
                quote!((#(#parts,)*))
            }
            Rust::Named(..) | Rust::Param(_) => {
                let owned = self.owned(style);
                quote!(&#owned)
            }
        }
    }

    /// Arrays of it, with so many dimensions more.
    fn repeated(self, rank: usize) -> Rust {
        if let Rust::Array(own, elem) = self {
            return Rust::Array(own + rank, elem);
        }
        Rust::Array(rank, Box::new(self))
    }

    fn is_number(&self) -> bool {
        matches!(self, Rust::Real | Rust::Int | Rust::Bool)
    }

    /// Puts types for parameters. An array of a parameter that is an array becomes an array of arrays, as the
    /// generic struct has it.
    pub(crate) fn substitute(&self, by: &dyn Fn(&str) -> Option<Rust>) -> Rust {
        let all = |parts: &[Rust]| parts.iter().map(|it| it.substitute(by)).collect();
        match self {
            Rust::Real | Rust::Int | Rust::Bool => self.clone(),
            Rust::Array(rank, elem) => Rust::Array(*rank, Box::new(elem.substitute(by))),
            Rust::Tuple(parts) => Rust::Tuple(all(parts)),
            Rust::Named(name, args) => Rust::Named(name.clone(), all(args)),
            Rust::Param(name) => by(name).unwrap_or_else(|| self.clone()),
        }
    }
}

/// The name of a type parameter in Rust: `a` becomes `A`.
pub(crate) fn param(name: &str) -> proc_macro2::Ident {
    let upper: String = name.chars().take(1).flat_map(char::to_uppercase).collect();
    identifier(&(upper + name.get(1..).unwrap_or(""))).name
}

fn array(rank: usize, elem: &Rust, style: &Style) -> TokenStream {
    let inner = elem.owned(style);
    match (rank, style.arrays) {
        (0 | 1, _) => quote!(::std::vec::Vec<#inner>),
        (_, Arrays::Pairs) => quote!(([usize; #rank], ::std::vec::Vec<#inner>)),
        (_, Arrays::Shaped) if elem.is_number() => quote!(::cotan::Shaped<'static, #inner>),
        (_, Arrays::Shaped) => {
            let row = array(rank - 1, elem, style);
            quote!(::std::vec::Vec<#row>)
        }
    }
}
