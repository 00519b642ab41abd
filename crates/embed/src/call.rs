//! A Rust function that calls a C function: sizes are found and compared, results are made room for.

use bind::{Function, Interface, Rust, Style, identifier};
use cotan::{CArgument, CElement, CFunction, CGives, CSize};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::leaves::{Kind, Leaf, LeafData, Leaves};
use crate::result::{Of, Slot, Written, count, has_reals};

/// The Rust function, or why there is none.
pub(crate) fn function(
    interface: &Interface,
    function: &Function,
    c: &CFunction,
    name: &Ident,
    style: &Style,
) -> Result<TokenStream, String> {
    let mut params = function.params.clone();
    if c.gives == CGives::Transposed {
        let mut cotangent = "dy".to_owned();
        while params.iter().any(|it| it.0 == cotangent) {
            cotangent.push('_');
        }
        params.push((cotangent, function.result.clone()));
    }
    let idents: Vec<Ident> = params.iter().map(|it| identifier(&it.0).name).collect();
    let mut leaves = Leaves::new(interface);
    for ((name, ty), ident) in params.iter().zip(&idents) {
        leaves.add(ty, quote!(#ident), name)?;
    }
    let call = Call::new(c, leaves)?;
    let (result, value) = call.result(interface, function, &params)?;
    let types = params.iter().map(|it| it.1.borrowed(style));
    let result = result.owned(style);
    let sizes = call.explicit.iter().map(|it| &it.1);
    let (body, declared) = (call.body(c), declaration(c));
    let doc = match c.gives {
        CGives::Value => function.doc.clone(),
        CGives::ValueAndGradient => {
            vec![format!("The value and the gradient of `{}`.", c.definition)]
        }
        CGives::Transposed => vec![format!("The transposed derivative of `{}`.", c.definition)],
    };
    let ty = format!("`{}: {}`", c.definition, function.ty);
    Ok(quote! {
        #(#[doc = #doc])*
        #[doc = ""]
        #[doc = #ty]
        pub fn #name(#(#sizes: i64,)* #(#idents: #types),*) -> ::core::result::Result<#result, Fault> {
            #declared
            #body
            ::core::result::Result::Ok(#value)
        }
    })
}

/// A call of a C function.
struct Call<'a> {
    c: &'a CFunction,
    before: TokenStream,
    /// With what C takes for each.
    leaves: Vec<(Leaf, &'a CArgument)>,
    /// What sizes and integers that are sizes are called in Rust.
    names: Vec<(String, Ident)>,
    /// Sizes that no array tells, which callers have to give.
    explicit: Vec<(String, Ident)>,
    results: Vec<Slot>,
}

impl<'a> Call<'a> {
    fn new(c: &'a CFunction, leaves: Leaves<'_>) -> Result<Call<'a>, String> {
        let taken: Vec<&CArgument> = c.arguments.iter().filter(|it| !it.is_size).collect();
        let fits = |(leaf, to): (&Leaf, &&CArgument)| {
            let is_array = !matches!(leaf.data, LeafData::Scalar(_));
            leaf.kind == kind(to.element) && is_array == to.sizes.is_some()
        };
        if taken.len() != leaves.all.len() || !leaves.all.iter().zip(&taken).all(fits) {
            return Err("C takes other parts than its type says".to_owned());
        }
        let leaves_of: Vec<(Leaf, &CArgument)> = leaves.all.into_iter().zip(taken).collect();
        let mut names = Vec::new();
        let mut explicit = Vec::new();
        for size in c.arguments.iter().filter(|it| it.is_size) {
            let ident = format_ident!("__size_{}", size.name);
            let is_told = leaves_of.iter().flat_map(|it| it.1.sizes.iter().flatten());
            if !is_told.into_iter().any(|it| is_plain(it, &size.name)) {
                explicit.push((size.name.clone(), ident.clone()));
            }
            names.push((size.name.clone(), ident));
        }
        for (at, (_, to)) in leaves_of.iter().enumerate() {
            if to.sizes.is_none() {
                names.push((to.name.clone(), format_ident!("__leaf_{at}")));
            }
        }
        let slot = |(at, it): (usize, &CArgument)| Slot {
            value: format_ident!("__result_{at}"),
            dims: it.sizes.as_ref().map(|_| format_ident!("__result_dims_{at}")),
        };
        let results = c.results.iter().enumerate().map(slot).collect();
        Ok(Call { c, before: leaves.before, leaves: leaves_of, names, explicit, results })
    }

    /// The type of the result and the value of it, out of the variables that C wrote to.
    fn result(
        &self,
        interface: &Interface,
        function: &Function,
        params: &[(String, Rust)],
    ) -> Result<(Rust, TokenStream), String> {
        let left = self.results.clone().into_iter();
        let mut written = Written { interface, left, leaf: 0 };
        if self.c.gives == CGives::Value {
            let value = written.build(&function.result, Of::Value)?;
            return Ok((function.result.clone(), value));
        }
        let mut value = None;
        if self.c.gives == CGives::ValueAndGradient {
            value = Some(written.build(&function.result, Of::Value)?);
        }
        let (mut types, mut slopes) = (Vec::new(), Vec::new());
        let mut first = 0;
        for ((_, ty), by) in params.iter().zip(&self.c.by) {
            written.leaf = first;
            first += count(interface, ty)?;
            if *by && has_reals(interface, ty)? {
                slopes.push(written.build(ty, Of::Slope)?);
                types.push(ty.clone());
            }
        }
        let (ty, slope) = match (types.as_slice(), slopes.as_slice()) {
            ([ty], [slope]) => (ty.clone(), slope.clone()),
            _ => (Rust::Tuple(types), quote!((#(#slopes,)*))),
        };
        Ok(match value {
            Some(value) => (Rust::Tuple(vec![Rust::Real, ty]), quote!((#value, #slope))),
            None => (ty, slope),
        })
    }

    fn body(&self, c: &CFunction) -> TokenStream {
        let before = &self.before;
        let mut res = quote!(#before);
        for (at, (leaf, _)) in self.leaves.iter().enumerate() {
            let (value, dims) = (format_ident!("__leaf_{at}"), format_ident!("__dims_{at}"));
            res.extend(match &leaf.data {
                LeafData::Scalar(it) => quote!(let #value = #it;),
                LeafData::Array { slice, dims: own } => quote! {
                    let #value = #slice;
                    let #dims = #own;
                },
                LeafData::Maybe(part) => {
                    let some = format_ident!("__some_{at}");
                    quote! {
                        let #some = #part;
                        let #dims = support::dims_of(&#some);
                    }
                }
            });
        }
        res.extend(self.sizes());
        for (at, (leaf, to)) in self.leaves.iter().enumerate() {
            let Some(sizes) = &to.sizes else { continue };
            let (value, dims) = (format_ident!("__leaf_{at}"), format_ident!("__dims_{at}"));
            let wanted = sizes.iter().map(|it| self.size(it));
            let (place, zero) = (&leaf.place, leaf.kind.zero());
            res.extend(match &leaf.data {
                LeafData::Maybe(_) => {
                    let (some, zeros) =
                        (format_ident!("__some_{at}"), format_ident!("__zeros_{at}"));
                    quote! {
                        let mut #zeros = ::std::vec::Vec::new();
                        let #value =
                            support::given(#place, #some, &[#(#wanted),*], #zero, &mut #zeros)?;
                    }
                }
                LeafData::Scalar(_) | LeafData::Array { .. } => {
                    quote!(support::fits(#place, &#dims, &[#(#wanted),*], #value.len())?;)
                }
            });
        }
        for (slot, to) in self.results.iter().zip(&c.results) {
            let Slot { value, dims } = slot;
            let zero = zero(to.element);
            res.extend(match (&to.sizes, dims) {
                (Some(sizes), Some(dims)) => {
                    let sizes = sizes.iter().map(|it| self.size(it));
                    quote! {
                        let #dims = [#(#sizes),*];
                        let mut #value = support::zeros(#zero, &#dims)?;
                    }
                }
                (_, _) => {
                    let zero = if to.element == CElement::Bool { quote!(0i32) } else { zero };
                    quote!(let mut #value = #zero;)
                }
            });
        }
        let call = self.call();
        res.extend(quote! {
            // SAFETY: every array has as many elements as the sizes say, by the comparisons above, and C
            // reads and writes no others; the workspace is of this call alone.
            support::run(|workspace, bytes| unsafe { #call })?;
        });
        res
    }

    /// Sizes from the arrays that tell them.
    fn sizes(&self) -> TokenStream {
        let mut res = TokenStream::new();
        for size in self.c.arguments.iter().filter(|it| it.is_size) {
            if self.explicit.iter().any(|it| it.0 == size.name) {
                continue;
            }
            let mut told = Vec::new();
            for (at, (_, to)) in self.leaves.iter().enumerate() {
                let dims = format_ident!("__dims_{at}");
                let own = to.sizes.iter().flatten().enumerate();
                let own = own.filter(|it| is_plain(it.1, &size.name));
                told.extend(own.map(|(dim, _)| quote!(#dims[#dim])));
            }
            let ident = format_ident!("__size_{}", size.name);
            res.extend(quote!(let #ident = support::told(&[#(#told),*]);));
        }
        res
    }

    /// A size, out of those that are known.
    fn size(&self, size: &CSize) -> TokenStream {
        let terms = size.iter().map(|(factor, names)| {
            let names = names.iter().map(|name| {
                let known = self.names.iter().find(|it| it.0 == *name);
                known.map_or(quote!(0), |it| {
                    let ident = &it.1;
                    quote!(#ident)
                })
            });
            quote!((#factor, &[#(#names),*]))
        });
        quote!(support::total(&[#(#terms),*]))
    }

    fn call(&self) -> TokenStream {
        let name = format_ident!("{}", self.c.name);
        let sizes = self.c.arguments.iter().filter(|it| it.is_size);
        let sizes = sizes.map(|it| format_ident!("__size_{}", it.name));
        let leaves = self.leaves.iter().enumerate().map(|(at, (leaf, to))| {
            let value = format_ident!("__leaf_{at}");
            match (&to.sizes, leaf.kind) {
                (Some(_), Kind::Bool) => quote!(#value.as_ptr().cast::<u8>()),
                (Some(_), Kind::Real | Kind::Int) => quote!(#value.as_ptr()),
                (None, Kind::Bool) => quote!(i32::from(#value)),
                (None, Kind::Real | Kind::Int) => quote!(#value),
            }
        });
        let results = self.results.iter().map(|Slot { value, dims }| match dims {
            Some(_) => quote!(#value.as_mut_ptr()),
            None => quote!(&mut #value),
        });
        quote!(#name(#(#sizes,)* #(#leaves,)* #(#results,)* workspace, bytes))
    }
}

/// The C function as Rust declares it.
fn declaration(c: &CFunction) -> TokenStream {
    let name = format_ident!("{}", c.name);
    let taken = c.arguments.iter().enumerate().map(|(at, it)| {
        let ident = format_ident!("a{at}");
        let ty = element(it);
        if it.sizes.is_some() { quote!(#ident: *const #ty) } else { quote!(#ident: #ty) }
    });
    let given = c.results.iter().enumerate().map(|(at, it)| {
        let (ident, ty) = (format_ident!("r{at}"), element(it));
        quote!(#ident: *mut #ty)
    });
    let params: Vec<TokenStream> = taken.chain(given).collect();
    quote! {
        unsafe extern "C" {
            fn #name(#(#params,)* workspace: *mut ::core::ffi::c_void, bytes: usize) -> i32;
        }
    }
}

fn element(it: &CArgument) -> TokenStream {
    match (it.element, &it.sizes) {
        (CElement::Double, _) => quote!(f64),
        (CElement::Float, _) => quote!(f32),
        (CElement::Int, _) => quote!(i64),
        (CElement::Bool, Some(_)) => quote!(u8),
        (CElement::Bool, None) => quote!(i32),
    }
}

fn zero(element: CElement) -> TokenStream {
    match element {
        CElement::Double => quote!(0.0f64),
        CElement::Float => quote!(0.0f32),
        CElement::Int => quote!(0i64),
        CElement::Bool => quote!(0u8),
    }
}

fn kind(element: CElement) -> Kind {
    match element {
        CElement::Double | CElement::Float => Kind::Real,
        CElement::Int => Kind::Int,
        CElement::Bool => Kind::Bool,
    }
}

/// Whether a size is this argument and nothing else.
fn is_plain(size: &CSize, name: &str) -> bool {
    matches!(size.as_slice(), [(1, names)] if names.len() == 1 && names[0] == name)
}
