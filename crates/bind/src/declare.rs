//! Records as structs, sum types as enums.

use check::{Body, Decl, Type, TypeTable};
use proc_macro2::TokenStream;
use quote::quote;

use crate::Function;
use crate::ident::identifier;
use crate::ty::{Rust, Style, param};

/// What is written at every declaration.
pub struct Derives {
    /// Attributes, such as `#[derive(Clone)]`.
    pub attributes: TokenStream,
    /// The attribute of a name that is another word in Rust, such as `cotan` for `#[cotan(name = "self")]`.
    pub rename: Option<TokenStream>,
    /// How types are written.
    pub style: Style,
}

/// The declared types that functions mention, each once, as Rust.
pub fn declarations(
    table: &TypeTable,
    functions: &[Function],
    derives: &Derives,
) -> Result<TokenStream, String> {
    let mut names = Vec::new();
    for function in functions {
        let types = function.params.iter().map(|it| &it.1).chain([&function.result]);
        types.for_each(|it| mentioned(it, &mut names));
    }
    let mut res = TokenStream::new();
    // The list grows by what the declarations themselves mention.
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        at += 1;
        let decl = declared(table, &name).expect("compiler bug: a named type is declared");
        let body = Shape::of(table, decl)?;
        body.types().for_each(|it| mentioned(it, &mut names));
        res.extend(body.item(table, decl, derives));
    }
    Ok(res)
}

/// The fields of a record, with its type arguments in them.
pub(crate) fn fields(table: &TypeTable, record: &Rust) -> Option<Vec<(String, Rust)>> {
    let Rust::Named(name, args) = record else { return None };
    let decl = declared(table, name)?;
    let Ok(Shape::Record(fields)) = Shape::of(table, decl) else { return None };
    let params = type_params(decl);
    let by = |name: &str| params.iter().position(|it| it == name).map(|it| args[it].clone());
    Some(fields.into_iter().map(|(name, ty)| (name, ty.substitute(&by))).collect())
}

/// The constructors of a sum type, with its type arguments in their fields.
pub(crate) fn variants(table: &TypeTable, sum: &Rust) -> Option<Vec<(String, Vec<Rust>)>> {
    let Rust::Named(name, args) = sum else { return None };
    let decl = declared(table, name)?;
    let Ok(Shape::Data(cons)) = Shape::of(table, decl) else { return None };
    let params = type_params(decl);
    let by = |name: &str| params.iter().position(|it| it == name).map(|it| args[it].clone());
    let con = |(name, types): (String, Vec<Rust>)| {
        (name, types.iter().map(|it| it.substitute(&by)).collect())
    };
    Some(cons.into_iter().map(con).collect())
}

fn declared<'t>(table: &'t TypeTable, name: &str) -> Option<&'t Decl> {
    table.decls.iter().find(|it| **it.0 == *name).map(|it| it.1)
}

fn type_params(decl: &Decl) -> Vec<String> {
    decl.type_params().map(|it| it.to_string()).collect()
}

fn mentioned(ty: &Rust, names: &mut Vec<String>) {
    match ty {
        Rust::Real | Rust::Int | Rust::Bool | Rust::Param(_) => {}
        Rust::Array(_, elem) => mentioned(elem, names),
        Rust::Tuple(parts) => parts.iter().for_each(|it| mentioned(it, names)),
        Rust::Named(name, args) => {
            if !names.contains(name) {
                names.push(name.clone());
            }
            args.iter().for_each(|it| mentioned(it, names));
        }
    }
}

/// A declaration with its types in Rust.
enum Shape {
    Record(Vec<(String, Rust)>),
    Data(Vec<(String, Vec<Rust>)>),
}

impl Shape {
    fn of(table: &TypeTable, decl: &Decl) -> Result<Shape, String> {
        let rust = |it: &Type| Rust::of(table, it);
        match &decl.body {
            Body::Record(fields) => {
                let fields = fields.iter().map(|(name, ty)| Ok((name.to_string(), rust(ty)?)));
                Ok(Shape::Record(fields.collect::<Result<_, String>>()?))
            }
            Body::Data(cons) => {
                let con = |(name, types): &(base::Name, Vec<Type>)| {
                    let types = types.iter().map(rust).collect::<Result<_, String>>()?;
                    Ok((check::shown_name(name).to_owned(), types))
                };
                Ok(Shape::Data(cons.iter().map(con).collect::<Result<_, String>>()?))
            }
            Body::Alias(_) => Err("its type is not known".to_owned()),
        }
    }

    fn types(&self) -> impl Iterator<Item = &Rust> {
        let res: Vec<&Rust> = match self {
            Shape::Record(fields) => fields.iter().map(|it| &it.1).collect(),
            Shape::Data(cons) => cons.iter().flat_map(|it| &it.1).collect(),
        };
        res.into_iter()
    }

    fn item(&self, table: &TypeTable, decl: &Decl, derives: &Derives) -> TokenStream {
        let Derives { attributes, style, .. } = derives;
        let shown = check::shown_name(&decl.name);
        let name = identifier(&decl.name).name;
        let params = type_params(decl);
        let params: Vec<_> = params.iter().map(|it| param(it)).collect();
        let generics = if params.is_empty() { quote!() } else { quote!(<#(#params),*>) };
        match self {
            Shape::Record(fields) => {
                let doc = format!("The record `{shown}`.");
                let fields = fields.iter().map(|(field, ty)| {
                    let (rename, doc) = (derives.renamed(field), format!("`{field}`"));
                    let (field, ty) = (identifier(field).name, ty.owned(style));
                    quote!(#[doc = #doc] #rename pub #field: #ty,)
                });
                quote!(#[doc = #doc] #attributes pub struct #name #generics { #(#fields)* })
            }
            Shape::Data(cons) => {
                let doc = format!("The sum type `{shown}`.");
                let cons = cons.iter().map(|(con, types)| {
                    let (rename, doc) = (derives.renamed(con), format!("`{con}`"));
                    let con = identifier(con).name;
                    let types = types.iter().map(|it| {
                        let owned = it.owned(style);
                        match is_inside(table, &decl.name, it, &mut Vec::new()) {
                            true => quote!(::std::boxed::Box<#owned>),
                            false => owned,
                        }
                    });
                    let fields = types.collect::<Vec<_>>();
                    let fields = if fields.is_empty() { quote!() } else { quote!((#(#fields),*)) };
                    quote!(#[doc = #doc] #rename #con #fields,)
                });
                quote!(#[doc = #doc] #attributes pub enum #name #generics { #(#cons)* })
            }
        }
    }
}

impl Derives {
    fn renamed(&self, name: &str) -> TokenStream {
        match (&self.rename, identifier(name).is_other) {
            (Some(attribute), true) => quote!(#[#attribute(name = #name)]),
            (Some(_) | None, _) => quote!(),
        }
    }
}

/// Whether a value of a type holds one of the declared type in place, as no Rust type can.
fn is_inside(table: &TypeTable, owner: &str, ty: &Rust, seen: &mut Vec<String>) -> bool {
    match ty {
        Rust::Real | Rust::Int | Rust::Bool | Rust::Param(_) | Rust::Array(..) => false,
        Rust::Tuple(parts) => parts.iter().any(|it| is_inside(table, owner, it, seen)),
        Rust::Named(name, args) => {
            if name == owner || args.iter().any(|it| is_inside(table, owner, it, seen)) {
                return true;
            }
            if seen.contains(name) {
                return false;
            }
            seen.push(name.clone());
            let shape = declared(table, name).and_then(|it| Shape::of(table, it).ok());
            shape.is_some_and(|it| it.types().any(|it| is_inside(table, owner, it, seen)))
        }
    }
}
