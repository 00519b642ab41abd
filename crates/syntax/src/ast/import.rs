//! Imports: other modules, and what of them is in sight.

use base::{Name, Span};

use super::Ident;

/// `import std.linalg as la (solve, lu as factors)`
#[derive(Clone, Debug)]
pub struct Import {
    /// Which module.
    pub from: ImportFrom,
    /// The name that stands before the dot, if one is given.
    pub alias: Option<Ident>,
    /// The names that can be written without the module's; `None` if there is no list.
    pub selected: Option<Vec<Selected>>,
    /// The whole declaration.
    pub span: Span,
}

/// Which module is imported.
#[derive(Clone, Debug)]
pub enum ImportFrom {
    /// `"linear_algebra.cot"`: a file, from the folder of the one that imports it.
    File { path: String, span: Span },
    /// `std.linalg`: a module that comes with Cotan. The last part is its name.
    Library { path: Name, name: Ident, span: Span },
}

/// One name of a list: `lu as factors`.
#[derive(Clone, Debug)]
pub struct Selected {
    /// What it is called in the module.
    pub name: Ident,
    /// What it is called here, if that is another name.
    pub alias: Option<Ident>,
}

impl ImportFrom {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            ImportFrom::File { span, .. } | ImportFrom::Library { span, .. } => *span,
        }
    }
}

impl Selected {
    /// What it is called here.
    pub fn here(&self) -> &Ident {
        self.alias.as_ref().unwrap_or(&self.name)
    }
}
