//! `program!`: what it is given, and the module that it becomes.

use bind::{Arrays, Asked, Derives, Function, Interface, Style, identifier};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Error, LitStr, Token, Visibility};

/// Stack for the checker, whose recursion follows the text.
const STACK: usize = 256 << 20;

/// What the macro is given.
struct Given {
    visibility: Visibility,
    /// The name of the module, if it is given.
    name: Option<Ident>,
    /// A path or a text.
    literal: LitStr,
    is_path: bool,
    reals: Reals,
    derivatives: Vec<Derivative>,
}

/// What reals are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reals {
    F64,
    F32,
}

/// A derivative with the place where it is asked for.
struct Derivative {
    asked: Asked,
    name: Ident,
    span: Span,
}

impl Parse for Given {
    fn parse(input: ParseStream<'_>) -> syn::Result<Given> {
        let visibility: Visibility = input.parse()?;
        let (name, is_path) = match input.peek(Token![mod]) {
            false => (None, true),
            true => {
                input.parse::<Token![mod]>()?;
                let name: Ident = input.parse()?;
                let is_path = input.peek(Token![in]);
                match is_path {
                    true => drop(input.parse::<Token![in]>()?),
                    false => drop(input.parse::<Token![=]>()?),
                }
                (Some(name), is_path)
            }
        };
        let literal: LitStr = input.parse()?;
        let mut derivatives = Vec::new();
        let mut reals = None;
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            match Reals::next(input) {
                None => derivatives.push(input.parse()?),
                Some(_) if reals.is_some() => return Err(input.error("reals are of one precision")),
                found => {
                    input.parse::<Ident>()?;
                    reals = found;
                }
            }
        }
        let reals = reals.unwrap_or(Reals::F64);
        Ok(Given { visibility, name, literal, is_path, reals, derivatives })
    }
}

impl Reals {
    /// The precision that stands next, if one does.
    fn next(input: ParseStream<'_>) -> Option<Reals> {
        match input.fork().parse::<Ident>().ok()?.to_string().as_str() {
            "f64" => Some(Reals::F64),
            "f32" => Some(Reals::F32),
            _ => None,
        }
    }

    fn style(self) -> Style {
        let real = match self {
            Reals::F64 => quote!(f64),
            Reals::F32 => quote!(f32),
        };
        Style { real, arrays: Arrays::Shaped }
    }

    fn precision(self) -> TokenStream {
        match self {
            Reals::F64 => quote!(::cotan::Precision::F64),
            Reals::F32 => quote!(::cotan::Precision::F32),
        }
    }
}

impl Parse for Derivative {
    fn parse(input: ParseStream<'_>) -> syn::Result<Derivative> {
        let operator: Ident = input.parse()?;
        let inside;
        syn::parenthesized!(inside in input);
        let mut names = inside.parse_terminated(Ident::parse, Token![,])?.into_iter();
        let Some(of) = names.next() else {
            return Err(Error::new(
                operator.span(),
                "a derivative is of a definition: `grad(loss)`",
            ));
        };
        let name = match input.peek(Token![as]) {
            true => {
                input.parse::<Token![as]>()?;
                input.parse()?
            }
            false => Ident::new(&format!("{operator}_{}", word(&of)), of.span()),
        };
        let by = names.map(|it| word(&it)).collect();
        let asked = Asked { operator: operator.to_string(), of: word(&of), by };
        Ok(Derivative { asked, name, span: operator.span() })
    }
}

/// An identifier of Rust as a name of Cotan.
fn word(name: &Ident) -> String {
    let text = name.to_string();
    text.strip_prefix("r#").map_or(text.clone(), str::to_owned)
}

/// The module.
pub(crate) fn expand(input: TokenStream) -> syn::Result<TokenStream> {
    let given: Given = syn::parse2(input)?;
    let source = Source::of(&given)?;
    stacker::maybe_grow(STACK / 2, STACK, || module(&given, &source))
}

/// The text of the program, and the Rust that stands for it.
struct Source {
    /// What messages call it.
    name: String,
    module: Ident,
    text: String,
    tokens: TokenStream,
}

impl Source {
    fn of(given: &Given) -> syn::Result<Source> {
        let Given { literal, .. } = given;
        let value = literal.value();
        if !given.is_path {
            let module = given.name.clone().expect("compiler bug: a text has a name");
            return Ok(Source {
                name: format!("{module}.cot"),
                module,
                text: value,
                tokens: quote!(#literal),
            });
        }
        let path = within_the_crate(&value);
        let text = read(&path).map_err(|why| {
            let help = "the path is relative to the `Cargo.toml` of this crate; for a text write `mod name = \"..\"`";
            Error::new(literal.span(), format!("`{value}` cannot be read: {why}\n{help}"))
        })?;
        let stem = std::path::Path::new(&value).file_stem().unwrap_or_default();
        let module = identifier(&stem.to_string_lossy()).name;
        let module = given.name.clone().unwrap_or(Ident::new(&module.to_string(), literal.span()));
        // Cargo knows by it that the file matters, and the program is what was checked.
        let tokens = quote!(::core::include_str!(#path));
        Ok(Source { name: value, module, text, tokens })
    }
}

#[allow(clippy::disallowed_methods, reason = "the macro is a front end: the file is its input")]
fn within_the_crate(path: &str) -> String {
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    std::path::Path::new(&folder).join(path).to_string_lossy().into_owned()
}

#[allow(clippy::disallowed_methods, reason = "the macro is a front end: the file is its input")]
fn read(path: &str) -> Result<String, std::io::Error> {
    std::fs::read_to_string(path)
}

fn module(given: &Given, source: &Source) -> syn::Result<TokenStream> {
    let literal = &given.literal;
    let wrong = |text: String| Error::new(literal.span(), text.trim_end());
    let checked = Interface::new(&source.name, &source.text);
    let mut interface = checked.map_err(|it| wrong(format!("the program has errors\n\n{it}")))?;
    let mut functions: Vec<(Ident, Function)> = Vec::new();
    let mut left_out = Vec::new();
    for name in interface.definitions() {
        match interface.definition(&name) {
            Ok(function) => functions.push((identifier(&name).name, function)),
            Err(why) => left_out.push(format!("- `{name}`: {why}")),
        }
    }
    for Derivative { asked, name, span } in &given.derivatives {
        let what = format!("{}({})", asked.operator, asked.of);
        let made = interface.derivative(asked);
        let function =
            made.map_err(|why| Error::new(*span, format!("`{what}`: {}", why.trim_end())))?;
        if functions.iter().any(|it| it.0 == *name) {
            let help = format!("give it another name: `{what} as ..`");
            return Err(Error::new(*span, format!("there is a function `{name}` already\n{help}")));
        }
        functions.push((name.clone(), function));
    }
    let all: Vec<Function> = functions.iter().map(|it| it.1.clone()).collect();
    let derives = Derives {
        attributes: quote!(#[derive(Clone, Debug, PartialEq, ::cotan::Cotan)]),
        rename: Some(quote!(cotan)),
        style: given.reals.style(),
    };
    let types = interface.declarations(&all, &derives).map_err(wrong)?;
    let style = given.reals.style();
    let functions = functions.iter().map(|(name, it)| function(name, it, &style));
    let precision = given.reals.precision();
    let Source { name, module, tokens, .. } = source;
    let visibility = &given.visibility;
    let doc = match left_out.is_empty() {
        true => format!("The Cotan program `{name}`."),
        false => format!("The Cotan program `{name}`. Left out:\n{}", left_out.join("\n")),
    };
    Ok(quote! {
        #[doc = #doc]
        #[allow(dead_code, non_snake_case, non_camel_case_types, clippy::all, reason = "it is generated")]
        #visibility mod #module {
            #[doc = "The program."]
            pub static PROGRAM: ::std::sync::LazyLock<::cotan::Program> =
                ::std::sync::LazyLock::new(|| {
                    let options = ::cotan::Options {
                        precision: #precision,
                        ..::cotan::Options::default()
                    };
                    ::cotan::Program::with_options(#name, #tokens, options)
                        .expect("compiler bug: the program checked while Rust compiled")
                });
            #types
            #(#functions)*
        }
    })
}

/// So many arguments may be given as a tuple.
const MOST_IN_ORDER: usize = 8;

fn function(name: &Ident, function: &Function, style: &Style) -> TokenStream {
    let Function { text, params, result, ty, doc } = function;
    let ty = format!("`{ty}`");
    let idents: Vec<Ident> = params.iter().map(|it| identifier(&it.0).name).collect();
    let types = params.iter().map(|it| it.1.borrowed(style));
    let result = result.owned(style);
    let arguments = match idents.len() <= MOST_IN_ORDER {
        true => quote!((#(#idents,)*)),
        false => quote!(&[#(::cotan::ToData::to_data(&#idents)),*][..]),
    };
    quote! {
        #(#[doc = #doc])*
        #[doc = ""]
        #[doc = #ty]
        pub fn #name(#(#idents: #types),*) -> ::core::result::Result<#result, ::cotan::Report> {
            static FUNCTION: ::std::sync::LazyLock<::cotan::Function> =
                ::std::sync::LazyLock::new(|| {
                    PROGRAM.expression(#text).expect("compiler bug: it checked while Rust compiled")
                });
            FUNCTION.call(#arguments)?.get::<#result>()
        }
    }
}
