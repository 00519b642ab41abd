//! What C functions take and give, for whoever writes calls of them.

use eval::Precision;

use super::Kind;
use super::wrapper::Wrapper;

/// A C function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CFunction {
    /// Its name in C.
    pub name: String,
    /// The definition that it is about.
    pub definition: String,
    /// What it computes of that.
    pub gives: CGives,
    /// By which parameters of the definition a derivative is.
    pub by: Vec<bool>,
    /// What it takes, in order: sizes, then parameters part by part, then the cotangent of the result.
    pub arguments: Vec<CArgument>,
    /// What it writes, in order. The slopes of integers are not there.
    pub results: Vec<CArgument>,
}

/// What a C function computes of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CGives {
    /// Its value.
    Value,
    /// Its value and its gradient.
    ValueAndGradient,
    /// Its transposed derivative.
    Transposed,
}

/// A parameter of a C function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CArgument {
    /// Its name.
    pub name: String,
    /// What it is, or what its elements are.
    pub element: CElement,
    /// Of an array: its sizes, outermost first.
    pub sizes: Option<Vec<CSize>>,
    /// Whether it is a size of arrays and no parameter of the definition.
    pub is_size: bool,
}

/// A size: a sum of terms, each a number times sizes that are arguments.
pub type CSize = Vec<(i64, Vec<String>)>;

/// A number in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CElement {
    /// `double`
    Double,
    /// `float`
    Float,
    /// `int64_t`
    Int,
    /// `int`, in arrays `uint8_t`
    Bool,
}

impl Wrapper {
    /// It for callers.
    pub(super) fn interface(&self) -> CFunction {
        let there = |all: &[super::Argument]| -> Vec<CArgument> {
            all.iter().filter(|it| it.is_there()).map(|it| it.interface(self.precision)).collect()
        };
        CFunction {
            name: self.name.clone(),
            definition: self.definition.clone(),
            gives: match self.kind {
                Kind::Value => CGives::Value,
                Kind::Gradient => CGives::ValueAndGradient,
                Kind::Transposed => CGives::Transposed,
            },
            by: self.by.clone(),
            arguments: there(&self.arguments),
            results: there(&self.results),
        }
    }
}

/// How reals are written.
pub(super) fn real(precision: Precision) -> CElement {
    match precision {
        Precision::F64 => CElement::Double,
        Precision::F32 => CElement::Float,
    }
}
