//! The typed core language: data, text, invariants, builder.

pub mod prim;
pub mod size;
pub mod term;
pub mod types;

pub use prim::Prim;
pub use size::{Polynomial, Size};
pub use term::{
    Arm, Atom, Binder, Block, Def, Lambda, Literal, Loop, Op, Operator, Program, Reduction, Spans,
    Stmt, Var,
};
pub use types::{ConDecl, DataDecl, Type};
