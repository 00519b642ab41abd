//! A program as Rust sees it: a Rust type for every Cotan type, structs for records, enums for sum types,
//! and the functions that there are with the types of their parameters and results.
//!
//! Macros and build scripts write Rust by it, so it knows types only and runs nothing.

mod declare;
mod derivative;
mod ident;
mod ty;

use base::render;
use base::{Diagnostic, Name, SourceMap};
use check::{Checked, Scheme};

pub use check::{Disk, Files, Record, Remembered};

pub use declare::{Derives, declarations};
pub use derivative::{Asked, OPERATORS};
pub use ident::{Identifier, identifier};
pub use ty::{Arrays, Rust, Style};

/// A program that checks.
pub struct Interface {
    checked: Checked,
    sources: SourceMap,
}

/// A function with its types in Rust.
#[derive(Clone, Debug)]
pub struct Function {
    /// The expression that computes it, a function of these parameters if there are any.
    pub text: String,
    /// The names of its parameters in Cotan, with their types.
    pub params: Vec<(String, Rust)>,
    /// The type of its result.
    pub result: Rust,
    /// Its type in Cotan.
    pub ty: String,
    /// The documentation of the definition.
    pub doc: Vec<String>,
}

impl Interface {
    /// Checks a text that messages call `name`; if something is wrong, the rendered messages.
    pub fn new(name: &str, text: &str) -> Result<Interface, String> {
        Interface::with_files(name, text, &check::Nowhere)
    }

    /// Checks a text that may import these files; if something is wrong, the rendered messages.
    pub fn with_files(name: &str, text: &str, files: &dyn Files) -> Result<Interface, String> {
        let mut sources = SourceMap::new();
        match check::front_with(&mut sources, files, name, text) {
            Ok(front) => Ok(Interface { checked: front.checked, sources }),
            Err(found) => Err(render::render(&found, &sources, render::Style::Plain)),
        }
    }

    /// The names of the definitions, in order.
    pub fn definitions(&self) -> Vec<String> {
        self.checked.defs.iter().map(|it| it.name.to_string()).collect()
    }

    /// A definition as a function, or why Rust cannot have it.
    pub fn definition(&self, name: &str) -> Result<Function, String> {
        let Some(def) = self.checked.defs.iter().find(|it| *it.name == *name) else {
            return Err(format!("there is no definition `{name}`"));
        };
        let scheme = self.checked.scheme(&def.name).expect("compiler bug: a definition has a type");
        let function = self.function(scheme)?;
        let params: Vec<&str> = function.params.iter().map(|it| it.0.as_str()).collect();
        let text = match params.join(", ") {
            all if all.is_empty() => name.to_owned(),
            all => format!("\\{all} => {name}({all})"),
        };
        Ok(Function { text, doc: def.doc.clone(), ..function })
    }

    /// A derivative of a definition, or why there is none.
    pub fn derivative(&mut self, asked: &Asked) -> Result<Function, String> {
        let of = self.definition(&asked.of)?;
        let names: Vec<String> = of.params.iter().map(|it| it.0.clone()).collect();
        let derived = asked.text(&names)?;
        let file = self.sources.add("<derivative>", derived.body.as_str());
        let (expr, complaints) = syntax::parse_expr(file, &derived.body);
        let shown = |all: &[Diagnostic], sources: &SourceMap| {
            render::render(all, sources, render::Style::Plain)
        };
        if check::has_errors(&complaints) {
            return Err(shown(&complaints, &self.sources));
        }
        let params: Vec<_> = derived.params.iter().map(|it| (Name::new(it), None)).collect();
        let entry = self.checked.expression(&expr, &params);
        let entry = entry.map_err(|it| shown(&check::diagnostics(&it), &self.sources))?;
        let scheme =
            self.checked.scheme(&entry.def).expect("compiler bug: an expression has a type");
        let text = format!("\\{} => {}", derived.params.join(", "), derived.body);
        let function = self.function(scheme)?;
        let doc = vec![format!("The {} of `{}`.", asked.noun(), asked.of)];
        Ok(Function { text, doc, ..function })
    }

    /// The declared types that these functions mention, as Rust.
    pub fn declarations(
        &self,
        functions: &[Function],
        derives: &Derives,
    ) -> Result<proc_macro2::TokenStream, String> {
        declarations(self.checked.types(), functions, derives)
    }

    /// The fields of a record of the program.
    pub fn fields(&self, record: &Rust) -> Option<Vec<(String, Rust)>> {
        declare::fields(self.checked.types(), record)
    }

    /// The constructors of a sum type of the program, with the types of their fields.
    pub fn variants(&self, sum: &Rust) -> Option<Vec<(String, Vec<Rust>)>> {
        declare::variants(self.checked.types(), sum)
    }

    fn function(&self, scheme: &Scheme) -> Result<Function, String> {
        if !scheme.types.is_empty() {
            return Err("it is polymorphic".to_owned());
        }
        let table = self.checked.types();
        let params = scheme.params.iter().flatten().enumerate().map(|(at, it)| {
            let name = it.name.as_ref().map_or(format!("x{at}"), |it| it.to_string());
            Ok((name, Rust::of(table, &it.ty)?))
        });
        let params = params.collect::<Result<Vec<_>, String>>()?;
        let result = Rust::of(table, &scheme.result)?;
        let ty = check::show_scheme(scheme);
        Ok(Function { text: String::new(), params, result, ty, doc: Vec::new() })
    }
}
