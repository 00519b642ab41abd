//! E0204, E0310, E0312, E0315, E0316: fields of records, parts of tuples, elements of arrays.

use base::{Code, Diagnostic, Name, Span};
use syntax::ast::Ident;

use super::{count, did_you_mean, list, nearest};
use crate::types::Type;

/// What is wrong with the parts of a value.
#[derive(Clone, Debug)]
pub enum PartError {
    /// The record has no such field.
    UnknownField {
        /// The field.
        field: Ident,
        /// The record.
        of: String,
        /// The fields it has.
        known: Vec<Name>,
        /// The field that may have been meant.
        nearest: Option<Name>,
    },
    /// A field of something that is no record.
    NoFields {
        /// The field.
        field: Ident,
        /// What the value is.
        ty: Type,
    },
    /// Nothing is known of the value.
    Unknown {
        /// The field, index or call.
        span: Span,
        /// A question, such as `a field of what?`
        what: &'static str,
    },
    /// A record literal without some of the fields.
    Missing {
        /// The record.
        name: Ident,
        /// The fields.
        fields: Vec<Name>,
    },
    /// Fields are given to a type that is no record.
    NotARecord(Ident),
    /// No tuple, or one with fewer parts.
    NoPart {
        /// The number behind the dot.
        span: Span,
        /// Its value.
        index: usize,
        /// What the value is.
        ty: Type,
    },
    /// More indices than dimensions.
    NotIndexable {
        /// The array.
        span: Span,
        /// What the value is after the indices.
        ty: Type,
        /// How many indices have been applied.
        indices: usize,
    },
}

impl PartError {
    /// A field that is not among the known ones.
    pub(crate) fn unknown_field(field: &Ident, of: &str, known: Vec<Name>) -> PartError {
        let nearest = nearest(&field.name, known.iter().map(|it| it.as_str()));
        PartError::UnknownField { field: field.clone(), of: of.to_string(), known, nearest }
    }

    pub(super) fn diagnostic(&self) -> Diagnostic {
        match self {
            PartError::UnknownField { field, of, known, nearest } => {
                let title = format!("no field `{}` in `{of}`", field.name);
                let res =
                    Diagnostic::error(Code("E0204"), title).label(field.span, "unknown field");
                match nearest {
                    Some(_) => did_you_mean(res, nearest.as_ref()),
                    None if known.is_empty() => res,
                    None => res.help(format!("its fields are {}", list(known))),
                }
            }
            PartError::NoFields { field, ty } => {
                Diagnostic::error(Code("E0204"), format!("no field `{}` here", field.name))
                    .label(field.span, format!("the value has type `{ty}`, which is no record"))
            }
            PartError::Unknown { span, what } => {
                Diagnostic::error(Code("E0310"), "the type must be known here")
                    .label(*span, *what)
                    .help("annotate the variable it comes from")
            }
            PartError::Missing { name, fields } => {
                let title = format!("fields of `{}` are missing", name.name);
                Diagnostic::error(Code("E0312"), title)
                    .label(name.span, format!("missing: {}", list(fields)))
                    .help("give them values, or take the rest from another record with `..other`")
            }
            PartError::NotARecord(name) => {
                Diagnostic::error(Code("E0312"), format!("`{}` is not a record", name.name))
                    .label(name.span, "only types declared as `type Name = { ... }` have fields")
            }
            PartError::NoPart { span, index, ty } => {
                let title = format!("there is no part {index} here");
                let res = Diagnostic::error(Code("E0315"), title)
                    .label(*span, format!("the value has type `{ty}`"));
                if let Type::Array(..) = ty {
                    res.help(format!("an element of an array is written `xs[{index}]`"))
                } else {
                    res.help("the parts of a tuple count from 0")
                }
            }
            PartError::NotIndexable { span, ty, indices } => {
                let after = count(*indices, "index").replace("indexs", "indices");
                let label = match indices {
                    0 => format!("this has type `{ty}`"),
                    _ => format!("after {after} this has type `{ty}`"),
                };
                Diagnostic::error(Code("E0316"), "too many indices, or not an array")
                    .label(*span, label)
            }
        }
    }
}
