//! A Rust value out of what C wrote: the inverse of `leaves.rs`.

use bind::{Interface, Rust};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::leaves::{Kind, constructor, number, parts};

/// What C wrote, in order, with the names of the variables that hold it.
pub(crate) struct Written<'a> {
    pub(crate) interface: &'a Interface,
    pub(crate) left: std::vec::IntoIter<Slot>,
    /// The leaf of the arguments that a slope belongs to: C gives no tags of slopes, they are those of the
    /// arguments.
    pub(crate) leaf: usize,
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

/// Where a number of an argument is.
#[derive(Clone, Copy)]
enum At {
    /// It is a variable.
    Alone,
    /// It is the element `at` of a column.
    Column,
}

impl Written<'_> {
    /// The value of a type.
    pub(crate) fn build(&mut self, ty: &Rust, of: Of) -> Result<TokenStream, String> {
        if of == Of::Slope && !has_reals(self.interface, ty)? {
            return self.nothing(ty, At::Alone);
        }
        if let Some(kind) = number(ty) {
            self.leaf += 1;
            let value = self.next()?.value;
            return Ok(if kind == Kind::Bool { quote!((#value != 0)) } else { quote!(#value) });
        }
        if let Some(variants) = self.interface.variants(ty) {
            let tag = match of {
                Of::Value => {
                    let tag = self.next()?.value;
                    quote!(#tag)
                }
                Of::Slope => self.tag(At::Alone),
            };
            return self.sum(ty, &variants, &tag, &mut |it, field| it.build(field, of));
        }
        let Rust::Array(rank, elem) = ty else {
            return self.whole(ty, &mut |it, part| it.build(part, of));
        };
        if let Some(kind) = number(elem) {
            self.leaf += 1;
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
            return self.nothing(ty, At::Column);
        }
        if let Some(kind) = number(ty) {
            self.leaf += 1;
            let value = self.next()?.value;
            let element = quote!(#value[at]);
            return Ok(if kind == Kind::Bool { quote!((#element != 0)) } else { element });
        }
        if let Some(variants) = self.interface.variants(ty) {
            let tag = match of {
                Of::Value => {
                    let tags = self.next()?.value;
                    quote!(#tags[at])
                }
                Of::Slope => self.tag(At::Column),
            };
            return self.sum(ty, &variants, &tag, &mut |it, field| it.element(field, of, outer));
        }
        let Rust::Array(rank, elem) = ty else {
            return self.whole(ty, &mut |it, part| it.element(part, of, outer));
        };
        let Some(kind) = number(elem) else {
            return Err("it gives arrays of records in arrays of records".to_owned());
        };
        self.leaf += 1;
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

    /// A value of the constructor of a tag.
    fn sum(
        &mut self,
        ty: &Rust,
        variants: &[(String, Vec<Rust>)],
        tag: &TokenStream,
        field: &mut dyn FnMut(&mut Self, &Rust) -> Result<TokenStream, String>,
    ) -> Result<TokenStream, String> {
        self.leaf += 1;
        let mut arms = Vec::new();
        for (number, (name, fields)) in variants.iter().enumerate() {
            let con = constructor(ty, name);
            let fields = fields.iter().map(|it| field(self, it));
            let fields = fields.collect::<Result<Vec<TokenStream>, String>>()?;
            let value = if fields.is_empty() { con } else { quote!(#con(#(#fields),*)) };
            let number = proc_macro2::Literal::usize_unsuffixed(number);
            arms.push(match arms.len() + 1 == variants.len() {
                true => quote!(_ => #value),
                false => quote!(#number => #value),
            });
        }
        Ok(quote!(match #tag { #(#arms),* }))
    }

    /// The tag of the argument whose slope is put together.
    fn tag(&self, at: At) -> TokenStream {
        let leaf = format_ident!("__leaf_{}", self.leaf);
        match at {
            At::Alone => quote!(#leaf),
            At::Column => quote!(#leaf[at]),
        }
    }

    /// The slope of what has no reals: zeros, in a value of the constructor that the argument is of.
    fn nothing(&mut self, ty: &Rust, at: At) -> Result<TokenStream, String> {
        if let Some(variants) = self.interface.variants(ty) {
            let tag = self.tag(at);
            return self.sum(ty, &variants, &tag, &mut |it, field| it.nothing(field, at));
        }
        match ty {
            Rust::Real | Rust::Int | Rust::Bool => {
                self.leaf += 1;
                Ok(number(ty).map_or(quote!(0), Kind::zero))
            }
            Rust::Array(rank, elem) => {
                self.leaf += count(self.interface, elem)?;
                Ok(match rank {
                    1 => quote!(::std::vec::Vec::new()),
                    _ => quote!(([0; #rank], ::std::vec::Vec::new())),
                })
            }
            Rust::Tuple(_) | Rust::Named(..) | Rust::Param(_) => {
                self.whole(ty, &mut |it, part| it.nothing(part, at))
            }
        }
    }

    fn next(&mut self) -> Result<Slot, String> {
        self.left.next().ok_or_else(|| "C gives less than its type says".to_owned())
    }
}

/// Whether values of a type have reals.
pub(crate) fn has_reals(interface: &Interface, ty: &Rust) -> Result<bool, String> {
    match ty {
        Rust::Real => Ok(true),
        Rust::Int | Rust::Bool => Ok(false),
        Rust::Array(_, elem) => has_reals(interface, elem),
        Rust::Tuple(_) | Rust::Named(..) | Rust::Param(_) => {
            for ty in below(interface, ty)? {
                if has_reals(interface, &ty)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
    }
}

/// How many leaves a value of a type has.
pub(crate) fn count(interface: &Interface, ty: &Rust) -> Result<usize, String> {
    match ty {
        Rust::Real | Rust::Int | Rust::Bool => Ok(1),
        Rust::Array(_, elem) => count(interface, elem),
        Rust::Tuple(_) | Rust::Named(..) | Rust::Param(_) => {
            let tag = usize::from(interface.variants(ty).is_some());
            below(interface, ty)?.iter().try_fold(tag, |n, it| Ok(n + count(interface, it)?))
        }
    }
}

/// The types of the parts of a tuple or a record, or of the fields of all constructors.
fn below(interface: &Interface, ty: &Rust) -> Result<Vec<Rust>, String> {
    match interface.variants(ty) {
        Some(variants) => Ok(variants.into_iter().flat_map(|it| it.1).collect()),
        None => Ok(parts(interface, ty)?.into_iter().map(|it| it.0).collect()),
    }
}
