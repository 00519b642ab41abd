//! The names the language is born with, and how each is typed.

use std::collections::BTreeMap;

use base::{FileId, Name};
use ir::prim::Rule;
use ir::{Operator, Prim, Reduction};
use syntax::ast;

use crate::scheme::Scheme;
use crate::types::Type;

/// A builtin function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// A row of the table of primitives, element by element.
    Prim(Prim),
    /// `sum` and its like.
    Reduce(Reduction),
    /// `argmax`
    Argmax,
    /// `argmin`
    Argmin,
    /// `gather`
    Gather,
    /// `scatter`
    Scatter,
    /// `replicate`
    Replicate,
    /// `iota`
    Iota,
    /// `transpose`
    Transpose,
    /// `flatten`
    Flatten,
    /// `reshape(xs, n, m)`, any number of sizes
    Reshape,
    /// `row(v)`, the same row for each row of the other operand
    Row,
    /// `col(v)`
    Col,
    /// `einsum("ij,jk->ik", xs, ys, ...)`
    Einsum,
    /// `map_reals`
    MapReals,
    /// `zip_reals`
    ZipReals,
    /// `ravel`
    Ravel,
    /// `unravel`
    Unravel,
    /// `reverse`
    Reverse,
    /// `concat`
    Concat,
    /// `zip(xs, ys, ...)`
    Zip,
    /// `unzip`
    Unzip,
    /// `map(f, xs, ...)`
    Map,
    /// `fold`
    Fold,
    /// `scan`
    Scan,
    /// `iterate`
    Iterate,
    /// `while`
    While,
    /// `filter`
    Filter,
    /// `sort`
    Sort,
    /// `argsort`
    Argsort,
    /// `length`
    Length,
    /// `sized`
    Sized,
    /// `stop_gradient`
    StopGradient,
    /// `checkpoint`
    Checkpoint,
    /// `report`
    Report,
    /// `trace`
    Trace,
    /// `grad` and its like
    Derive(Operator),
}

/// How a primitive is typed on the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Real to Real, element by element.
    Reals,
    /// Real to Real or Int to Int, element by element.
    Numbers,
    /// Two operands that broadcast, Real or Int.
    Arithmetic,
    /// Two operands that broadcast, Real only.
    RealArithmetic,
    /// Two operands that broadcast, Int only.
    IntArithmetic,
    /// From one scalar type to another, element by element.
    Convert(&'static Type, &'static Type),
    /// `select(c, a, b)`.
    Select,
    /// Typed by its entry in `intrinsics.cot`.
    Scheme,
}

const STRUCTURAL: [(&str, Builtin); 26] = [
    ("sum", Builtin::Reduce(Reduction::Sum)),
    ("product", Builtin::Reduce(Reduction::Product)),
    ("maximum", Builtin::Reduce(Reduction::Maximum)),
    ("minimum", Builtin::Reduce(Reduction::Minimum)),
    ("argmax", Builtin::Argmax),
    ("argmin", Builtin::Argmin),
    ("gather", Builtin::Gather),
    ("scatter", Builtin::Scatter),
    ("replicate", Builtin::Replicate),
    ("iota", Builtin::Iota),
    ("transpose", Builtin::Transpose),
    ("flatten", Builtin::Flatten),
    ("reshape", Builtin::Reshape),
    ("reverse", Builtin::Reverse),
    ("concat", Builtin::Concat),
    ("zip", Builtin::Zip),
    ("unzip", Builtin::Unzip),
    ("map", Builtin::Map),
    ("fold", Builtin::Fold),
    ("scan", Builtin::Scan),
    ("iterate", Builtin::Iterate),
    ("while", Builtin::While),
    ("filter", Builtin::Filter),
    ("sort", Builtin::Sort),
    ("argsort", Builtin::Argsort),
    ("length", Builtin::Length),
];

const OTHERS: [(&str, Builtin); 20] = [
    ("einsum", Builtin::Einsum),
    ("row", Builtin::Row),
    ("col", Builtin::Col),
    ("map_reals", Builtin::MapReals),
    ("zip_reals", Builtin::ZipReals),
    ("ravel", Builtin::Ravel),
    ("unravel", Builtin::Unravel),
    ("sized", Builtin::Sized),
    ("stop_gradient", Builtin::StopGradient),
    ("checkpoint", Builtin::Checkpoint),
    ("report", Builtin::Report),
    ("trace", Builtin::Trace),
    ("jvp", Builtin::Derive(Operator::Jvp)),
    ("vjp", Builtin::Derive(Operator::Vjp)),
    ("grad", Builtin::Derive(Operator::Grad)),
    ("value_and_grad", Builtin::Derive(Operator::ValueAndGrad)),
    ("jacobian", Builtin::Derive(Operator::Jacobian)),
    ("hessian", Builtin::Derive(Operator::Hessian)),
    ("hvp", Builtin::Derive(Operator::Hvp)),
    ("linearise", Builtin::Derive(Operator::Linearise)),
];

impl Builtin {
    /// The builtin of that name.
    pub fn from_name(name: &str) -> Option<Builtin> {
        let known = STRUCTURAL.iter().chain(&OTHERS).find(|(it, _)| *it == name);
        known.map(|(_, builtin)| *builtin).or_else(|| Prim::from_builtin(name).map(Builtin::Prim))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        if let Builtin::Prim(prim) = self {
            return prim.name();
        }
        let row = STRUCTURAL.iter().chain(&OTHERS).find(|(_, it)| *it == self);
        row.expect("every other builtin has a row").0
    }

    /// All names, for suggestions and the manual.
    pub fn names() -> Vec<&'static str> {
        let prims = Prim::all().map(Prim::name).filter(|it| Prim::from_builtin(it).is_some());
        STRUCTURAL.iter().chain(&OTHERS).map(|(it, _)| *it).chain(prims).collect()
    }
}

/// How a primitive is typed when it is called by name.
pub(crate) fn shape(prim: Prim) -> Shape {
    match prim.row().rule {
        Rule::Real1 => Shape::Reals,
        Rule::Number1 => Shape::Numbers,
        Rule::Number2 => Shape::Arithmetic,
        Rule::Real2 => Shape::RealArithmetic,
        Rule::Int2 => Shape::IntArithmetic,
        Rule::IntToReal => Shape::Convert(&Type::Int, &Type::Real),
        Rule::RealToInt => Shape::Convert(&Type::Real, &Type::Int),
        Rule::TestReal => Shape::Convert(&Type::Real, &Type::Bool),
        Rule::Choose => Shape::Select,
        Rule::IntReal => Shape::Scheme,
        Rule::Compare | Rule::Bool1 | Rule::Bool2 => Shape::Arithmetic,
    }
}

/// The signatures of the builtins with an ordinary type.
pub(crate) fn intrinsics() -> ast::Module {
    let (module, errors) = syntax::parse(FileId(u32::MAX), include_str!("intrinsics.cot"));
    assert!(errors.is_empty(), "compiler bug: intrinsics.cot does not parse: {errors:?}");
    module
}

/// From the name to the type, for those builtins.
pub(crate) type Intrinsics = BTreeMap<Name, Scheme>;
