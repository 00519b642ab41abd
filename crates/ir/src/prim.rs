//! The one table of primitives: name, type rule, partial derivatives with the conventions at
//! ties and kinks, and one sentence of documentation. The manual, the checker, the interpreter
//! and every AD method read this table.

#![allow(missing_docs, reason = "the table documents each row")]

/// A primitive: a scalar function, applied element by element when an operand is an array
/// (scalar operands are then used for every element).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Prim {
    // Real or Int
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
    Neg,
    Abs,
    Sign,
    Min,
    Max,
    // Real
    Exp,
    Log,
    Log1p,
    Expm1,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Sqrt,
    Floor,
    Ceil,
    Round,
    Erf,
    Lgamma,
    Digamma,
    Polygamma,
    Sigmoid,
    Softplus,
    // The product of a partial derivative and a tangent: zero if either factor is zero.
    Scale,
    // Conversion
    ToReal,
    ToInt,
    // Comparison of Real, Int
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    IsNan,
    // Bool
    And,
    Or,
    Not,
    Select,
}
