//! The numbers and arrays of numbers inside of a Rust value, in the order in which C takes them.
//!
//! What is inside of tuples and records is passed where it is. An array of records is an array for each field
//! in C, so its columns are copied.

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

pub(crate) enum LeafData {
    /// A value.
    Scalar(TokenStream),
    /// A slice, and its sizes as a slice of integers.
    Array { slice: TokenStream, dims: TokenStream },
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

    /// Those of a value.
    pub(crate) fn add(&mut self, ty: &Rust, at: TokenStream, place: &str) -> Result<(), String> {
        if let Some(kind) = number(ty) {
            let data = LeafData::Scalar(at);
            self.all.push(Leaf { place: place.to_owned(), kind, data });
            return Ok(());
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
        return Err(
            "it takes or gives what is neither a number, an array, a tuple nor a record".to_owned()
        );
    };
    let part = |(name, ty): (String, Rust)| {
        let field: Ident = identifier(&name).name;
        (ty, quote!(#field), name)
    };
    Ok(fields.into_iter().map(part).collect())
}
