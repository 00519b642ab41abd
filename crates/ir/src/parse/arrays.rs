//! Operations on arrays as text: written and read, side by side.

use std::fmt::{self, Formatter};
use std::sync::Arc;

use super::{Parsed, Parser};
use crate::op::{ArrayOp, Reduction};
use crate::print::ops::{commas, lambda};
use crate::term::Atom;

/// Writes an operation.
pub(crate) fn print_array(f: &mut Formatter<'_>, op: &ArrayOp, indent: usize) -> fmt::Result {
    match op {
        ArrayOp::Literal { elem, parts } => {
            write!(f, "array {elem} ({})", commas(parts))
        }
        ArrayOp::Index { array, indices } => {
            write!(f, "index {array} ({})", commas(indices))
        }
        ArrayOp::Slice { array, axis, from, to } => {
            write!(f, "slice {array} {axis} [{from}] [{to}]")
        }
        ArrayOp::Reduce { reduction, axis, array } => {
            write!(f, "{reduction} {axis} {array}")
        }
        ArrayOp::Argmax(array) => write!(f, "argmax {array}"),
        ArrayOp::Argmin(array) => write!(f, "argmin {array}"),
        ArrayOp::Gather { array, indices, mask } => {
            write!(f, "gather {array} ({})", commas(indices))?;
            masked(f, mask.as_ref())
        }
        ArrayOp::Scatter { into, indices, values, mask } => {
            write!(f, "scatter {into} ({}) {values}", commas(indices))?;
            masked(f, mask.as_ref())
        }
        ArrayOp::Replicate { size, value } => write!(f, "replicate [{size}] {value}"),
        ArrayOp::Iota(size) => write!(f, "iota [{size}]"),
        ArrayOp::Transpose { array, permutation } => {
            write!(f, "transpose {array} ({})", commas(permutation))
        }
        ArrayOp::Reshape { array, rank, sizes } => {
            write!(f, "reshape {array} {rank} [{}]", commas(sizes))
        }
        ArrayOp::Reverse(array) => write!(f, "reverse {array}"),
        ArrayOp::Concat(arrays) => write!(f, "concat ({})", commas(arrays)),
        ArrayOp::Sort(array) => write!(f, "sort {array}"),
        ArrayOp::Argsort(array) => write!(f, "argsort {array}"),
        ArrayOp::Filter { array, predicate } => {
            write!(f, "filter {array} ")?;
            lambda(f, predicate, indent)
        }
        ArrayOp::Sized { array, size } => write!(f, "sized {array} [{size}]"),
    }
}

fn masked(f: &mut Formatter<'_>, mask: Option<&Atom>) -> fmt::Result {
    mask.map_or(Ok(()), |it| write!(f, " where {it}"))
}

impl Parser<'_> {
    /// The operation of this name, whose operands follow; none if there is no such operation.
    pub(super) fn array_op(&mut self, name: &str) -> Parsed<Option<ArrayOp>> {
        if let Some(reduction) = reduction(name) {
            let (axis, array) = (self.number()?, self.atom()?);
            return Ok(Some(ArrayOp::Reduce { reduction, axis, array }));
        }
        Ok(Some(match name {
            "array" => ArrayOp::Literal { elem: self.ty()?, parts: self.atoms()? },
            "index" => ArrayOp::Index { array: self.atom()?, indices: self.atoms()? },
            "slice" => ArrayOp::Slice {
                array: self.atom()?,
                axis: self.number()?,
                from: self.bracketed_size()?,
                to: self.bracketed_size()?,
            },
            "argmax" => ArrayOp::Argmax(self.atom()?),
            "argmin" => ArrayOp::Argmin(self.atom()?),
            "gather" => {
                ArrayOp::Gather { array: self.atom()?, indices: self.atoms()?, mask: self.mask()? }
            }
            "scatter" => ArrayOp::Scatter {
                into: self.atom()?,
                indices: self.atoms()?,
                values: self.atom()?,
                mask: self.mask()?,
            },
            "replicate" => ArrayOp::Replicate { size: self.bracketed_size()?, value: self.atom()? },
            "iota" => ArrayOp::Iota(self.bracketed_size()?),
            "transpose" => ArrayOp::Transpose {
                array: self.atom()?,
                permutation: self.parens(Parser::number)?,
            },
            "reshape" => {
                let (array, rank) = (self.atom()?, self.number()?);
                ArrayOp::Reshape { array, rank, sizes: self.bracketed_sizes()? }
            }
            "reverse" => ArrayOp::Reverse(self.atom()?),
            "concat" => ArrayOp::Concat(self.atoms()?),
            "sort" => ArrayOp::Sort(self.atom()?),
            "argsort" => ArrayOp::Argsort(self.atom()?),
            "filter" => {
                let array = self.atom()?;
                self.word("lambda")?;
                ArrayOp::Filter { array, predicate: Arc::new(self.lambda()?) }
            }
            "sized" => ArrayOp::Sized { array: self.atom()?, size: self.bracketed_size()? },
            _ => return Ok(None),
        }))
    }

    fn mask(&mut self) -> Parsed<Option<Atom>> {
        if self.accept_word("where") { Ok(Some(self.atom()?)) } else { Ok(None) }
    }
}

fn reduction(text: &str) -> Option<Reduction> {
    let all = [Reduction::Sum, Reduction::Product, Reduction::Maximum, Reduction::Minimum];
    all.into_iter().find(|it| it.to_string() == text)
}
