//! What a program declares, as texts: for front ends that show it in another language.

use check::{Body, Decl, Scheme, Type, shown_name};

use crate::compiler::Compiled;
use crate::deep::with_deep_stack;

/// A definition of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its parameters and their types; none of a constant.
    pub parameters: Vec<(String, String)>,
    /// The type of its result.
    pub result: String,
    /// Its documentation comment.
    pub documentation: String,
}

/// A record or data type of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// Whether it is a record.
    pub is_record: bool,
    /// Whether it is of the prelude or of a module that is imported, and not of the text itself.
    pub is_prelude: bool,
    /// Of data: its constructors and the types of their fields. Of a record: its name and the names of its
    /// fields.
    pub cases: Vec<(String, Vec<String>)>,
}

impl Compiled {
    /// What the text defines, in its order.
    pub fn definitions(&self) -> Vec<Definition> {
        with_deep_stack(|| {
            let defs = self.checked.defs.iter();
            let known = defs.filter_map(|it| Some((it, self.checked.scheme(&it.name)?)));
            let described = known.map(|(def, scheme)| Definition {
                name: def.name.to_string(),
                parameters: parameters(scheme),
                result: scheme.result.to_string(),
                documentation: def.doc.join("\n"),
            });
            described.collect()
        })
    }

    /// The records and data types that the text, what it imports and the prelude declare, by name.
    pub fn declared_types(&self) -> Vec<Declared> {
        let own = |it: &Decl| it.span.file == self.file();
        // What the text declares itself hides what it imports.
        let is_hidden = |it: &Decl| {
            let same = |other: &Decl| shown_name(&other.name) == shown_name(&it.name);
            !own(it) && self.types.decls.values().any(|other| own(other) && same(other))
        };
        let shown = self.types.decls.values().filter(|it| !is_hidden(it));
        with_deep_stack(|| shown.filter_map(|it| declared(it, !own(it))).collect())
    }
}

fn parameters(scheme: &Scheme) -> Vec<(String, String)> {
    let params = scheme.params.iter().flatten().enumerate();
    let name = |at, it: &check::SchemeParam| {
        it.name.as_ref().map_or_else(|| format!("x{at}"), ToString::to_string)
    };
    params.map(|(at, it)| (name(at, it), it.ty.to_string())).collect()
}

fn declared(decl: &Decl, is_prelude: bool) -> Option<Declared> {
    let name = shown_name(&decl.name).to_owned();
    let texts = |types: &[Type]| types.iter().map(ToString::to_string).collect();
    match &decl.body {
        Body::Record(fields) => {
            let cases = vec![(name.clone(), fields.iter().map(|it| it.0.to_string()).collect())];
            Some(Declared { name, is_record: true, is_prelude, cases })
        }
        Body::Data(cons) => {
            let cases = cons.iter().map(|it| (shown_name(&it.0).to_owned(), texts(&it.1)));
            Some(Declared { name, is_record: false, is_prelude, cases: cases.collect() })
        }
        Body::Alias(_) => None,
    }
}
