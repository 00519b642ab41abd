//! What the checker finds wrong, as data: an enum for each family, a file for each enum.
//!
//! An error holds what was found out, not how it is said. `Error::diagnostic` says it, at the
//! border of the crate, and `Error::repair` what to write instead, where that is certain.

mod annotations;
mod custom;
mod derivatives;
mod dimensions;
mod functions;
mod mismatch;
mod modules;
mod names;
mod operands;
mod parts;
mod patterns;
mod repair;
mod sizes;
mod structures;

use base::{Diagnostic, Name};

pub use annotations::AnnotationError;
pub use custom::{CustomError, NoCustom};
pub use derivatives::DerivativeError;
pub use functions::FunctionError;
pub use mismatch::{MismatchError, Why};
pub use modules::ModuleError;
pub use names::{Instead, NameError};
pub use operands::{OperandError, Takes};
pub use parts::PartError;
pub use patterns::PatternError;
pub use sizes::{SizeError, SizeOrigin};
pub use structures::{StructureError, Unfit};

/// Something wrong with a program, by what it is about.
#[derive(Clone, Debug)]
pub enum Error {
    /// Names of values and constructors.
    Name(NameError),
    /// Names of other modules.
    Module(ModuleError),
    /// Types and sizes as they are written.
    Annotation(AnnotationError),
    /// Two types or sizes that have to be the same.
    Mismatch(Box<MismatchError>),
    /// Operands of operators and of builtins on numbers.
    Operand(Box<OperandError>),
    /// Functions and calls.
    Function(FunctionError),
    /// Fields of records, parts of tuples, elements of arrays.
    Part(PartError),
    /// Patterns and the arms of a `match`.
    Pattern(PatternError),
    /// Sizes.
    Size(Box<SizeError>),
    /// The parts and axes of values.
    Structure(Box<StructureError>),
    /// Derivative operators.
    Derivative(DerivativeError),
    /// Custom derivatives.
    Custom(CustomError),
}

impl Error {
    /// What is said about it.
    pub fn diagnostic(&self) -> Diagnostic {
        let res = match self {
            Error::Name(it) => it.diagnostic(),
            Error::Module(it) => it.diagnostic(),
            Error::Annotation(it) => it.diagnostic(),
            Error::Mismatch(it) => it.diagnostic(),
            Error::Operand(it) => it.diagnostic(),
            Error::Function(it) => it.diagnostic(),
            Error::Part(it) => it.diagnostic(),
            Error::Pattern(it) => it.diagnostic(),
            Error::Size(it) => it.diagnostic(),
            Error::Structure(it) => it.diagnostic(),
            Error::Derivative(it) => it.diagnostic(),
            Error::Custom(it) => it.diagnostic(),
        };
        let res = Diagnostic { repair: self.repair().map(Box::new), ..res };
        if self.is_error() { res } else { res.warning() }
    }

    /// Whether it keeps the program from running.
    pub fn is_error(&self) -> bool {
        !matches!(self, Error::Pattern(PatternError::Unreachable { .. }))
    }
}

/// The diagnostics of errors, in the same order.
pub fn diagnostics(errors: &[Error]) -> Vec<Diagnostic> {
    errors.iter().map(Error::diagnostic).collect()
}

/// The errors in the order of the text, each thing said once.
pub(crate) fn in_order(errors: Vec<Error>) -> Vec<Error> {
    let mut said: Vec<(Diagnostic, Error)> =
        errors.into_iter().map(|it| (it.diagnostic(), it)).collect();
    said.sort_by_key(|(it, _)| it.labels.first().map(|label| label.span));
    said.dedup_by(|(a, _), (b, _)| a == b);
    said.into_iter().map(|(_, it)| it).collect()
}

macro_rules! family {
    ($($family:ident($error:ty) by $wrap:expr;)*) => {
        $(impl From<$error> for Error {
            fn from(it: $error) -> Error {
                Error::$family($wrap(it))
            }
        })*
    };
}

family! {
    Name(NameError) by std::convert::identity;
    Module(ModuleError) by std::convert::identity;
    Annotation(AnnotationError) by std::convert::identity;
    Mismatch(MismatchError) by Box::new;
    Operand(OperandError) by Box::new;
    Function(FunctionError) by std::convert::identity;
    Part(PartError) by std::convert::identity;
    Pattern(PatternError) by std::convert::identity;
    Size(SizeError) by Box::new;
    Structure(StructureError) by Box::new;
    Derivative(DerivativeError) by std::convert::identity;
    Custom(CustomError) by std::convert::identity;
}

/// The known name nearest to a misspelt one, if it is near enough.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<Name> {
    // Short names are near to every other short name: only their case may differ.
    let limit = match name.chars().count() {
        0..=2 => 0,
        n => (n / 3).max(1),
    };
    let distance = |it: &str| strsim::damerau_levenshtein(&name.to_lowercase(), &it.to_lowercase());
    let same_start = |it: &str| it.chars().next() == name.chars().next();
    // Of equally near ones that with the same first letter is meant, then the first: what is in scope comes
    // before what is built in.
    known
        .map(|it| (distance(it), it))
        .filter(|(distance, it)| *distance <= limit && *it != name)
        .min_by_key(|(distance, it)| (*distance, !same_start(it)))
        .map(|(_, it)| Name::new(it))
}

/// `did you mean ...?`, if something is near enough.
fn did_you_mean(res: Diagnostic, nearest: Option<&Name>) -> Diagnostic {
    match nearest {
        Some(it) => res.help(format!("did you mean `{it}`?")),
        None => res,
    }
}

/// `1 argument`, `2 arguments`.
pub(crate) fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// `` `a`, `b` ``.
fn list(names: &[Name]) -> String {
    let quoted: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    quoted.join(", ")
}
