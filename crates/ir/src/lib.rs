//! The typed core language: data, text, invariants, builder.

pub mod build;
pub mod dialect;
pub mod parse;
pub mod partial;
pub mod prim;
pub mod print;
pub mod signature;
pub mod size;
pub mod term;
pub mod types;
pub mod typing;
pub mod verify;
pub mod walk;

pub use build::Builder;
pub use dialect::Dialect;
pub use partial::{Partial, partials};
pub use prim::Prim;
pub use signature::{MAX_LEVEL, Signature};
pub use size::{Polynomial, Size};
pub use term::{
    Arm, Atom, Binder, Block, Def, Lambda, Literal, Loop, Op, Operator, Program, Reduction, Spans,
    Stmt, Var,
};
pub use types::{ConDecl, DataDecl, Type};
pub use verify::{VerifyError, verify, verify_def};
