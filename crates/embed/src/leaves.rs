//! The numbers and arrays of numbers inside of a Rust value, in the order in which C takes them.
//!
//! What is inside of tuples and records is passed where it is. An array of records is an array for each field
//! in C, so its columns are copied. A sum type is a tag and the fields of all constructors, of which those of
//! other constructors are zeros.

use bind::{Interface, Rust, identifier};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// A number or an array of numbers.
pub(crate) struct Leaf {
    /// Where it is, for messages: `p.w`.
    pub(crate) place: String,
    pub(crate) kind: Kind,
    pub(crate) data: LeafData,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Real,
    Int,
    Bool,
}

impl Kind {
    pub(crate) fn zero(self) -> TokenStream {
        match self {
            Kind::Real => quote!(0.0),
            Kind::Int => quote!(0),
            Kind::Bool => quote!(false),
        }
    }
}

pub(crate) enum LeafData {
    /// A value.
    Scalar(TokenStream),
    /// A slice, and its sizes as a slice of integers.
    Array { slice: TokenStream, dims: TokenStream },
    /// An option of a slice and its sizes: the field of a constructor that the value need not be of.
    Maybe(TokenStream),
}

/// What is to be done before the leaves are there, and the leaves.
pub(crate) struct Leaves<'a> {
    interface: &'a Interface,
    pub(crate) before: TokenStream,
    pub(crate) all: Vec<Leaf>,
}

impl<'a> Leaves<'a> {
    pub(crate) fn new(interface: &'a Interface) -> Leaves<'a> {
        Leaves { interface, before: TokenStream::new(), all: Vec::new() }
    }

    /// Adds the leaves of a value.
    pub(crate) fn add(&mut self, ty: &Rust, at: TokenStream, place: &str) -> Result<(), String> {
        if let Some(kind) = number(ty) {
            let data = LeafData::Scalar(at);
            self.all.push(Leaf { place: place.to_owned(), kind, data });
            return Ok(());
        }
        if let Some(variants) = self.interface.variants(ty) {
            return self.sum(ty, &variants, &at, place);
        }
        let Rust::Array(rank, elem) = ty else {
            for (ty, part, name) in parts(self.interface, ty)? {
                self.add(&ty, quote!(#at.#part), &format!("{place}.{name}"))?;
            }
            return Ok(());
        };
        let (elements, dims) = match rank {
            1 => (quote!(#at[..]), quote!(support::dims([#at.len()]))),
            _ => (quote!(#at.1[..]), quote!(support::dims(#at.0))),
        };
        match number(elem) {
            Some(kind) => {
                let data = LeafData::Array { slice: quote!(&#elements), dims };
                self.all.push(Leaf { place: place.to_owned(), kind, data });
                Ok(())
            }
            None => self.columns(elem, &elements, &dims, place),
        }
    }

    /// The tag of a sum type, and the fields of all constructors.
    fn sum(
        &mut self,
        ty: &Rust,
        variants: &[(String, Vec<Rust>)],
        at: &TokenStream,
        place: &str,
    ) -> Result<(), String> {
        let con = |it: &String| constructor(ty, it);
        let tags = variants.iter().zip(0i64..).map(|((name, _), tag)| {
            let con = con(name);
            quote!(#con { .. } => #tag)
        });
        let data = LeafData::Scalar(quote!(match &#at { #(#tags),* }));
        self.all.push(Leaf { place: place.to_owned(), kind: Kind::Int, data });
        for (name, fields) in variants {
            let con = con(name);
            for (number, ty) in fields.iter().enumerate() {
                let mut inner = Leaves::new(self.interface);
                inner.add(ty, quote!((*__field)), &format!("{place}.{name}.{number}"))?;
                if !inner.before.is_empty() {
                    return Err(format!("it takes arrays of records in `{name}`"));
                }
                let own = |it| if it == number { quote!(__field) } else { quote!(_) };
                let pattern: Vec<TokenStream> = (0..fields.len()).map(own).collect();
                for Leaf { place, kind, data } in inner.all {
                    let only = |there: TokenStream, else_: TokenStream| quote!(match &#at { #con(#(#pattern),*) => #there, _ => #else_ });
                    let none = quote!(::core::option::Option::None);
                    let data = match data {
                        LeafData::Scalar(value) => LeafData::Scalar(only(value, kind.zero())),
                        LeafData::Array { slice, dims } => {
                            let some = quote!(::core::option::Option::Some((#slice, #dims)));
                            LeafData::Maybe(only(some, none))
                        }
                        LeafData::Maybe(part) => LeafData::Maybe(only(part, none)),
                    };
                    self.all.push(Leaf { place, kind, data });
                }
            }
        }
        Ok(())
    }

    fn columns(
        &mut self,
        elem: &Rust,
        elements: &TokenStream,
        outer: &TokenStream,
        place: &str,
    ) -> Result<(), String> {
        let mut inner = Leaves::new(self.interface);
        inner.add(elem, quote!(it), place)?;
        if !inner.before.is_empty() {
            return Err("it takes arrays of records in arrays of records".to_owned());
        }
        for Leaf { place, kind, data } in inner.all {
            let n = self.all.len();
            let (column, dims) = (format_ident!("__column_{n}"), format_ident!("__outer_{n}"));
            self.before.extend(match data {
                LeafData::Scalar(value) => quote! {
                    let #dims = #outer;
                    let #column: ::std::vec::Vec<_> = #elements.iter().map(|it| #value).collect();
                },
                LeafData::Array { slice, dims: inner } => quote! {
                    let (#column, #dims) = support::column(
                        #place,
                        &#outer,
                        #elements.iter().map(|it| (#slice, #inner)),
                    )?;
                },
                LeafData::Maybe(_) => {
                    return Err("it takes arrays of sum types with arrays in them".to_owned());
                }
            });
            let data = LeafData::Array { slice: quote!(&#column[..]), dims: quote!(#dims) };
            self.all.push(Leaf { place, kind, data });
        }
        Ok(())
    }
}

/// What kind of number a type is, if it is one.
pub(crate) fn number(ty: &Rust) -> Option<Kind> {
    match ty {
        Rust::Real => Some(Kind::Real),
        Rust::Int => Some(Kind::Int),
        Rust::Bool => Some(Kind::Bool),
        Rust::Array(..) | Rust::Tuple(_) | Rust::Named(..) | Rust::Param(_) => None,
    }
}

/// A constructor of a sum type.
pub(crate) fn constructor(sum: &Rust, name: &str) -> TokenStream {
    let con = identifier(name).name;
    match sum {
        Rust::Named(sum, _) => {
            let sum = identifier(sum).name;
            quote!(#sum::#con)
        }
        Rust::Real | Rust::Int | Rust::Bool => quote!(#con),
        Rust::Array(..) | Rust::Tuple(_) | Rust::Param(_) => quote!(#con),
    }
}

/// A part of a tuple or a record: its type, how Rust calls it, how it is shown.
pub(crate) type Part = (Rust, TokenStream, String);

/// The parts of a tuple or a record.
pub(crate) fn parts(interface: &Interface, ty: &Rust) -> Result<Vec<Part>, String> {
    if let Rust::Tuple(parts) = ty {
        let part = |(at, it): (usize, &Rust)| {
            let index = proc_macro2::Literal::usize_unsuffixed(at);
            (it.clone(), quote!(#index), at.to_string())
        };
        return Ok(parts.iter().enumerate().map(part).collect());
    }
    let Some(fields) = interface.fields(ty) else {
        return Err("it takes or gives what C has no type for".to_owned());
    };
    let part = |(name, ty): (String, Rust)| {
        let field: Ident = identifier(&name).name;
        (ty, quote!(#field), name)
    };
    Ok(fields.into_iter().map(part).collect())
}
