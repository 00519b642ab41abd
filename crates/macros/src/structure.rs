//! `#[derive(Structure)]`: a Rust struct of traced values.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Error, Fields, LitStr};

use crate::derive::record_field;

/// A struct has no more fields than tuples of traced values have parts.
const MOST_FIELDS: usize = 12;

/// The struct taken apart, and put together again.
pub(crate) fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let Data::Struct(data) = &input.data else {
        let why = "only structs are structures of traced values: which variant an enum is would be known \
             while tracing, and not when the program runs; take it as `cotan::trace::Opaque`, which definitions \
             of Cotan look into";
        return Err(Error::new_spanned(name, why));
    };
    if data.fields.len() > MOST_FIELDS {
        let why =
            format!("more than {MOST_FIELDS} fields: put some of them into a struct of their own");
        return Err(Error::new_spanned(name, why));
    }
    let record = match (record(&input.attrs)?, &data.fields) {
        (None, _) => TokenStream::new(),
        (Some(given), Fields::Named(fields)) => {
            let of = given.unwrap_or_else(|| name.to_string());
            let fields = fields.named.iter().map(record_field).collect::<syn::Result<Vec<_>>>()?;
            let fields = fields.into_iter().map(|it| it.1);
            quote! {
                const RECORD: ::core::option::Option<(&'static str, &'static [&'static str])> =
                    ::core::option::Option::Some((#of, &[#(#fields),*]));
            }
        }
        (Some(_), Fields::Unnamed(_) | Fields::Unit) => {
            return Err(Error::new_spanned(name, "a record has fields with names"));
        }
    };
    let members: Vec<_> = data.fields.members().collect();
    let types: Vec<_> = data.fields.iter().map(|it| &it.ty).collect();
    let numbers = (0..members.len()).map(syn::Index::from);
    let (parts, apart, together) = match (&members[..], &types[..]) {
        // Cotan has no tuples of one part.
        ([member], [ty]) if record.is_empty() => (
            quote!(#ty),
            quote!(::core::clone::Clone::clone(&self.#member)),
            quote!(#member: parts),
        ),
        _ => (
            quote!((#(#types,)*)),
            quote!((#(::core::clone::Clone::clone(&self.#members),)*)),
            quote!(#(#members: parts.#numbers),*),
        ),
    };
    let (params, args, conditions) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #params ::cotan::trace::Structure for #name #args #conditions {
            #record
            type Parts = #parts;

            fn apart(&self) -> Self::Parts {
                #apart
            }

            fn together(parts: Self::Parts) -> Self {
                Self { #together }
            }
        }
    })
}

/// Whether `#[cotan(record)]` stands there, and the name of `#[cotan(record = "..")]`.
fn record(attributes: &[Attribute]) -> syn::Result<Option<Option<String>>> {
    let mut res = None;
    for attribute in attributes.iter().filter(|it| it.path().is_ident("cotan")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("record") {
                return Err(meta.error("a structure knows `record` and `record = \"..\"` only"));
            }
            let has_name = meta.input.peek(syn::Token![=]);
            let name = if has_name { Some(meta.value()?.parse::<LitStr>()?.value()) } else { None };
            res = Some(name);
            Ok(())
        })?;
    }
    Ok(res)
}
