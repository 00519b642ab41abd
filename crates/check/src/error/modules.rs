//! E021x: names of other modules.

use base::{Code, Diagnostic, Name, Span};

use super::did_you_mean;

/// What is wrong with a name of another module.
#[derive(Clone, Debug)]
pub enum ModuleError {
    /// `la.solve`, and nothing is imported as `la`.
    NotImported {
        /// What stands before the dot.
        qualifier: Name,
        /// Where it stands.
        span: Span,
        /// The module that may have been meant.
        nearest: Option<Name>,
    },
    /// The module declares nothing of this name.
    Unknown {
        /// The name.
        name: Name,
        /// The module.
        module: String,
        /// Where the name stands.
        span: Span,
        /// The name that may have been meant.
        nearest: Option<Name>,
    },
    /// It is not `pub`.
    Private {
        /// The name.
        name: Name,
        /// The module.
        module: String,
        /// Where the name stands.
        span: Span,
        /// Where it is declared.
        declared: Span,
    },
    /// Two things of one name.
    Ambiguous {
        /// The name.
        name: Name,
        /// Where it comes into sight a second time.
        second: Span,
        /// Where it comes into sight first.
        first: Span,
        /// The type that brings it along, if its own name is not in a list.
        brought_by: Option<Name>,
    },
}

impl ModuleError {
    pub(super) fn diagnostic(&self) -> Diagnostic {
        match self {
            ModuleError::NotImported { qualifier, span, nearest } => {
                let title = format!("no module is imported as `{qualifier}`");
                let res =
                    Diagnostic::error(Code("E0214"), title).label(*span, "its module is not known");
                did_you_mean(res, nearest.as_ref())
            }
            ModuleError::Unknown { name, module, span, nearest } => {
                let title = format!("there is no `{name}` in `{module}`");
                let res = Diagnostic::error(Code("E0215"), title)
                    .label(*span, "the module declares nothing of this name");
                did_you_mean(res, nearest.as_ref())
            }
            ModuleError::Private { name, module, span, declared } => {
                Diagnostic::error(Code("E0216"), format!("`{name}` is private in `{module}`"))
                    .label(*span, "cannot be used outside of its file")
                    .label(*declared, "declared here, without `pub`")
                    .help("write `pub` in front of its declaration")
            }
            ModuleError::Ambiguous { name, second, first, brought_by } => {
                let help = match brought_by {
                    Some(ty) => format!(
                        "import the module without a list and write its name in front, as in `shapes.{name}`: \
                         `{ty}` brings its constructors along under their own names"
                    ),
                    None => format!("give one of them another name, as in `{name} as other`"),
                };
                Diagnostic::error(Code("E0217"), format!("`{name}` may mean two things"))
                    .label(*second, "this is one of them")
                    .label(*first, "and this the other")
                    .help(help)
            }
        }
    }
}
