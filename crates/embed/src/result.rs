//! A Rust value out of what C wrote: the inverse of `leaves.rs`.

use bind::{Interface, Rust};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::leaves::{Kind, number, parts};

/// What C wrote, in order, with the names of the variables that hold it.
pub(crate) struct Written<'a> {
    pub(crate) interface: &'a Interface,
    pub(crate) left: std::vec::IntoIter<Slot>,
}

/// A result of C.
#[derive(Clone)]
pub(crate) struct Slot {
    /// A number, or a vector.
    pub(crate) value: Ident,
    /// Of a vector: its sizes.
    pub(crate) dims: Option<Ident>,
}

/// Whether a value or a slope is put together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    Value,
    /// C has no slopes of integers and truth values.
    Slope,
}

impl Written<'_> {
    /// The value of a type.
    pub(crate) fn build(&mut self, ty: &Rust, of: Of) -> Result<TokenStream, String> {
        if of == Of::Slope && !has_reals(self.interface, ty)? {
            return self.nothing(ty);
        }
        if let Some(kind) = number(ty) {
            let value = self.next()?.value;
            return Ok(if kind == Kind::Bool { quote!((#value != 0)) } else { quote!(#value) });
        }
        let Rust::Array(rank, elem) = ty else {
            return self.whole(ty, &mut |it, part| it.build(part, of));
        };
        if let Some(kind) = number(elem) {
            let Slot { value, dims } = self.next()?;
            let vector =
                if kind == Kind::Bool { quote!(support::truths(&#value)) } else { quote!(#value) };
            return Ok(match rank {
                1 => vector,
                _ => quote!((support::shape(&#dims), #vector)),
            });
        }
        let first = self.left.as_slice().first().cloned().ok_or("there is nothing to give")?;
        let dims = first.dims.ok_or("an array of records has sizes")?;
        let element = self.element(elem, of, *rank)?;
        let all = quote!((0..support::count(&#dims[..#rank])).map(|at| #element).collect());
        Ok(match rank {
            1 => all,
            _ => quote!((support::shape(&#dims[..#rank]), #all)),
        })
    }

    /// The element `at` of an array with so many dimensions, out of columns.
    fn element(&mut self, ty: &Rust, of: Of, outer: usize) -> Result<TokenStream, String> {
        if of == Of::Slope && !has_reals(self.interface, ty)? {
            return self.nothing(ty);
        }
        if let Some(kind) = number(ty) {
            let value = self.next()?.value;
            let element = quote!(#value[at]);
            return Ok(if kind == Kind::Bool { quote!((#element != 0)) } else { element });
        }
        let Rust::Array(rank, elem) = ty else {
            return self.whole(ty, &mut |it, part| it.element(part, of, outer));
        };
        let Some(kind) = number(elem) else {
            return Err("it gives arrays of records in arrays of records".to_owned());
        };
        let Slot { value, dims } = self.next()?;
        let part = quote!(support::part(&#value, at, &#dims[#outer..]));
        let vector = match kind {
            Kind::Bool => quote!(support::truths(#part)),
            Kind::Real | Kind::Int => quote!(#part.to_vec()),
        };
        Ok(match rank {
            1 => vector,
            _ => quote!((support::shape(&#dims[#outer..]), #vector)),
        })
    }

    /// A tuple or a record of its parts.
    fn whole(
        &mut self,
        ty: &Rust,
        part: &mut dyn FnMut(&mut Self, &Rust) -> Result<TokenStream, String>,
    ) -> Result<TokenStream, String> {
        let mut values = Vec::new();
        for (ty, name, _) in parts(self.interface, ty)? {
            values.push((name, part(self, &ty)?));
        }
        let (names, values): (Vec<TokenStream>, Vec<TokenStream>) = values.into_iter().unzip();
        Ok(match ty {
            Rust::Named(name, _) => {
                let name = bind::identifier(name).name;
                quote!(#name { #(#names: #values),* })
            }
            Rust::Real
            | Rust::Int
            | Rust::Bool
            | Rust::Array(..)
            | Rust::Tuple(_)
            | Rust::Param(_) => {
                quote!((#(#values,)*))
            }
        })
    }

    /// The slope of what has no reals.
    fn nothing(&mut self, ty: &Rust) -> Result<TokenStream, String> {
        Ok(match ty {
            Rust::Real => quote!(0.0),
            Rust::Int => quote!(0),
            Rust::Bool => quote!(false),
            Rust::Array(1, _) => quote!(::std::vec::Vec::new()),
            Rust::Array(rank, _) => quote!(([0; #rank], ::std::vec::Vec::new())),
            Rust::Tuple(_) | Rust::Named(..) | Rust::Param(_) => {
                self.whole(ty, &mut |it, part| it.nothing(part))?
            }
        })
    }

    fn next(&mut self) -> Result<Slot, String> {
        self.left.next().ok_or_else(|| "C gives less than its type says".to_owned())
    }
}

/// Whether values of a type have reals.
pub(crate) fn has_reals(interface: &Interface, ty: &Rust) -> Result<bool, String> {
    Ok(match ty {
        Rust::Real => true,
        Rust::Int | Rust::Bool => false,
        Rust::Array(_, elem) => has_reals(interface, elem)?,
        Rust::Tuple(_) | Rust::Named(..) | Rust::Param(_) => {
            for (ty, _, _) in parts(interface, ty)? {
                if has_reals(interface, &ty)? {
                    return Ok(true);
                }
            }
            false
        }
    })
}
