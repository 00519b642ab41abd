//! `#[derive(Cotan)]`: a Rust type into data of programs, and out of it.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{
    Data, DataEnum, DeriveInput, Error, Field, Fields, GenericParam, Generics, LitStr, Variant,
};

/// Both directions; what borrows goes in only.
pub(crate) fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let shape = Shape::of(input)?;
    let name = &input.ident;
    let (into, out) = (shape.going_in(), shape.coming_out(&name.to_string()));
    let bound = |what: TokenStream| {
        let mut generics: Generics = input.generics.clone();
        for param in &mut generics.params {
            if let GenericParam::Type(it) = param {
                it.bounds.push(syn::parse_quote!(#what));
            }
        }
        generics
    };
    let generics = bound(quote!(::cotan::ToData));
    let (params, args, conditions) = generics.split_for_impl();
    let mut res = quote! {
        #[automatically_derived]
        impl #params ::cotan::ToData for #name #args #conditions {
            fn to_data(&self) -> ::cotan::Data<'_> {
                #into
            }
        }
    };
    if input.generics.lifetimes().next().is_some() {
        return Ok(res);
    }
    let generics = bound(quote!(::cotan::FromData));
    let (params, args, conditions) = generics.split_for_impl();
    res.extend(quote! {
        #[automatically_derived]
        impl #params ::cotan::FromData for #name #args #conditions {
            fn from_data(
                data: ::cotan::Data<'_>,
            ) -> ::core::result::Result<Self, ::cotan::Mismatch> {
                #out
            }
        }
    });
    Ok(res)
}

/// What a Rust type is in Cotan.
enum Shape {
    /// Fields with their names in Rust and in Cotan.
    Record(Vec<(Ident, String)>),
    /// The one field of a struct without names: it is what its field is.
    Same,
    /// So many fields without names.
    Tuple(usize),
    Sum(Sum),
}

struct Sum {
    cons: Vec<Con>,
    /// Whether values may be as deep as there is memory.
    is_deep: bool,
}

/// A variant.
struct Con {
    variant: Ident,
    name: String,
    fields: Fields,
}

impl Shape {
    fn of(input: &DeriveInput) -> syn::Result<Shape> {
        if named(&input.attrs)?.is_some() {
            let why = "the names of types need not agree, those of fields and variants do";
            return Err(Error::new_spanned(&input.ident, why));
        }
        match &input.data {
            Data::Struct(it) => match &it.fields {
                Fields::Named(fields) => {
                    let fields = fields.named.iter().map(record_field);
                    Ok(Shape::Record(fields.collect::<syn::Result<_>>()?))
                }
                Fields::Unnamed(fields) if fields.unnamed.len() == 1 => Ok(Shape::Same),
                Fields::Unnamed(fields) => Ok(Shape::Tuple(fields.unnamed.len())),
                Fields::Unit => Ok(Shape::Tuple(0)),
            },
            Data::Enum(it) => Ok(Shape::Sum(Sum::of(it)?)),
            Data::Union(_) => {
                let why = "a union says not which of its fields is there; Cotan has no such type";
                Err(Error::new_spanned(&input.ident, why))
            }
        }
    }

    fn going_in(&self) -> TokenStream {
        match self {
            Shape::Record(fields) => {
                let fields = fields.iter().map(|(field, name)| {
                    quote!((::std::borrow::Cow::Borrowed(#name), ::cotan::ToData::to_data(&self.#field)))
                });
                quote!(::cotan::Data::Record(::std::vec![#(#fields),*]))
            }
            Shape::Same => quote!(::cotan::ToData::to_data(&self.0)),
            Shape::Tuple(n) => {
                let parts = (0..*n).map(syn::Index::from);
                quote!(::cotan::Data::Tuple(
                    ::std::vec![#(::cotan::ToData::to_data(&self.#parts)),*]
                ))
            }
            Shape::Sum(sum) => {
                // An enum without variants has no values.
                let arms = sum.cons.iter().map(|Con { variant, name, fields }| {
                    let (pattern, parts) = taken_apart(fields);
                    quote! {
                        Self::#variant #pattern => ::cotan::Data::Constructor(
                            ::std::borrow::Cow::Borrowed(#name),
                            ::std::vec![#(::cotan::ToData::to_data(#parts)),*],
                        ),
                    }
                });
                sum.with_stack(match sum.cons.is_empty() {
                    true => quote!(match *self {}),
                    false => quote!(match self { #(#arms)* }),
                })
            }
        }
    }

    fn coming_out(&self, of: &str) -> TokenStream {
        match self {
            Shape::Record(fields) => {
                let fields = fields.iter().map(|(field, name)| quote!(#field: fields.take(#name)?));
                quote! {
                    let mut fields = data.into_fields(#of)?;
                    let res = Self { #(#fields),* };
                    fields.end()?;
                    ::core::result::Result::Ok(res)
                }
            }
            Shape::Same => quote!(::cotan::FromData::from_data(data).map(Self)),
            Shape::Tuple(n) => {
                let parts = (0..*n).map(|it| {
                    let at = syn::Index::from(it);
                    quote!(#at: parts.take()?)
                });
                quote! {
                    let mut parts = data.into_parts(#of)?;
                    let res = Self { #(#parts),* };
                    parts.end()?;
                    ::core::result::Result::Ok(res)
                }
            }
            Shape::Sum(sum) => {
                let arms = sum.cons.iter().map(|Con { variant, name, fields }| {
                    let members = fields.members().map(|it| quote!(#it: parts.take()?));
                    quote!(#name => Self::#variant { #(#members),* },)
                });
                let names: Vec<String> =
                    sum.cons.iter().map(|it| format!("`{}`", it.name)).collect();
                let expected = format!("a constructor of `{of}`: {}", names.join(", "));
                sum.with_stack(quote! {
                    let (name, mut parts) = data.into_constructor(#of)?;
                    let res = match &*name {
                        #(#arms)*
                        other => {
                            let found = ::std::format!("`{other}`");
                            return ::core::result::Result::Err(
                                ::cotan::Mismatch::new(#expected, found),
                            );
                        }
                    };
                    parts.end()?;
                    ::core::result::Result::Ok(res)
                })
            }
        }
    }
}

impl Sum {
    fn of(data: &DataEnum) -> syn::Result<Sum> {
        let con = |it: &Variant| {
            let name = named(&it.attrs)?.unwrap_or_else(|| word(&it.ident));
            Ok(Con { variant: it.ident.clone(), name, fields: it.fields.clone() })
        };
        let cons = data.variants.iter().map(con).collect::<syn::Result<Vec<Con>>>()?;
        let mut fields = data.variants.iter().flat_map(|it| &it.fields);
        let is_deep = fields.any(|it| it.ty.to_token_stream().to_string().contains("Box"));
        Ok(Sum { cons, is_deep })
    }

    fn with_stack(&self, body: TokenStream) -> TokenStream {
        if self.is_deep { quote!(::cotan::with_deep_stack(move || { #body })) } else { body }
    }
}

/// The pattern of a variant, and its fields.
fn taken_apart(fields: &Fields) -> (TokenStream, Vec<Ident>) {
    let parts: Vec<Ident> = (0..fields.len()).map(|it| format_ident!("part_{it}")).collect();
    let members = fields.members();
    (quote!({ #(#members: #parts),* }), parts)
}

pub(crate) fn record_field(field: &Field) -> syn::Result<(Ident, String)> {
    let ident = field.ident.clone().expect("compiler bug: it is a field with a name");
    let name = named(&field.attrs)?.unwrap_or_else(|| word(&ident));
    Ok((ident, name))
}

/// A name of Rust as one of Cotan.
fn word(ident: &Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map_or(text.clone(), str::to_owned)
}

/// The name that `#[cotan(name = "..")]` gives.
fn named(attributes: &[syn::Attribute]) -> syn::Result<Option<String>> {
    let mut res = None;
    for attribute in attributes.iter().filter(|it| it.path().is_ident("cotan")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("name") {
                return Err(meta.error("`cotan` knows `name = \"..\"` only"));
            }
            res = Some(meta.value()?.parse::<LitStr>()?.value());
            Ok(())
        })?;
    }
    Ok(res)
}
