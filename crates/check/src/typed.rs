//! The typed tree: what inference makes of the AST and elaboration turns into ir. Data only.
//! Types in it may mention unknowns, which the solver resolves.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base::{Name, Span};
use ir::{Operator, Prim};

use crate::builtin::Builtin;
use crate::types::{Rigid, Size, SizeVar, Type, TypeVar};

/// Number of a local variable in its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LocalId(pub usize);

/// An expression with its type.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    /// What it is.
    pub kind: Kind,
    /// Its type.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// An instance of a definition: what its type and size parameters stand for here.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    /// The definition, by its name in the program.
    pub def: Name,
    /// Its type arguments.
    pub types: Vec<Type>,
    /// Its size arguments.
    pub sizes: Vec<Size>,
    /// Sizes of results that this call determines.
    pub opaque: Vec<Rigid>,
}

/// An `Int` expression that is used as a size.
#[derive(Clone, Debug)]
pub(crate) struct SizeArg {
    /// The expression.
    pub expr: Expr,
    /// The size it stands for.
    pub size: Size,
    /// The rigid size that its value defines, if it is not a polynomial of known ones.
    pub defines: Option<Rigid>,
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A literal.
    Int(i64),
    /// A literal.
    Real(f64),
    /// A literal.
    Bool(bool),
    /// A literal.
    Str(String),
    /// A size used as an `Int`.
    Size(Size),
    /// A variable.
    Local(LocalId),
    /// A variable bound to a polymorphic function, at these types and sizes.
    Poly(LocalId, Vec<Type>, Vec<Size>),
    /// A definition as a value.
    Def(Instance),
    /// A constructor as a value.
    Con(Name),
    /// A builtin as a value.
    Builtin(Builtin),
    /// A tuple or record.
    Tuple(Vec<Expr>),
    /// An array literal.
    Array(Vec<Expr>),
    /// A function.
    Lambda(Vec<Pattern>, Box<Expr>),
    /// A call of a definition; arguments that define sizes carry them.
    CallDef(Instance, Vec<Expr>, Vec<(usize, Rigid)>),
    /// A constructor with its fields.
    CallCon(Name, Vec<Expr>),
    /// A builtin with its arguments; the sizes among them, and the size it makes up.
    CallBuiltin { builtin: Builtin, args: Vec<Expr>, sizes: Vec<SizeArg>, opaque: Option<Rigid> },
    /// A call of a function value.
    Apply(Box<Expr>, Vec<Expr>),
    /// A derivative operator and the function under it.
    Derive(Operator, Box<Expr>),
    /// `jvp` and the function under it, where only the point is given to it.
    TangentMap(Box<Expr>),
    /// A function written under an operator that is called at once, with the sizes of its result that only
    /// a call tells: inside of it, and for this call.
    Opened(Box<Expr>, Vec<(Rigid, Rigid)>),
    /// A part of a tuple or record; the place may be found late.
    Proj(Box<Expr>, Slot),
    /// An element or row.
    Index(Box<Expr>, Vec<Expr>),
    /// The elements at one place of a later axis.
    IndexAxis(Box<Expr>, usize, Box<Expr>),
    /// A part of one axis.
    Slice { array: Box<Expr>, axis: usize, from: Box<SizeArg>, to: Box<SizeArg> },
    /// A primitive.
    Prim(Prim, Vec<Expr>),
    /// Equality of whole values.
    Equal(Box<Expr>, Box<Expr>),
    /// Equality up to rounding.
    Close(Box<Expr>, Box<Expr>),
    /// A conditional.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A case distinction.
    Match(Box<Expr>, Vec<(Pattern, Expr)>),
    /// Bindings and a result.
    Block(Vec<Let>, Box<Expr>),
    /// An array by its elements.
    Build(Vec<(LocalId, SizeArg)>, Box<Expr>),
    /// Something wrong that has been reported.
    Error,
}

/// A binding in a block.
#[derive(Clone, Debug)]
pub(crate) enum Let {
    /// The usual one.
    Plain(Pattern, Box<Expr>),
    /// A function that may call itself.
    Recursive(LocalId, Box<Expr>),
    /// A polymorphic function: made anew wherever it is used, at the types of that use.
    Poly(LocalId, PolyFn),
}

/// A function that is polymorphic in some unknowns.
#[derive(Clone, Debug)]
pub(crate) struct PolyFn {
    /// The unknown types it is polymorphic in.
    pub types: Vec<TypeVar>,
    /// The unknown sizes it is polymorphic in.
    pub sizes: Vec<SizeVar>,
    /// The function.
    pub value: Arc<Expr>,
}

/// A pattern with its type.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// What it is.
    pub kind: PatternKind,
    /// Its type.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// The forms of patterns. Records are tuples here.
#[derive(Clone, Debug)]
pub(crate) enum PatternKind {
    /// Anything.
    Wildcard,
    /// Anything, bound to a variable.
    Local(LocalId),
    /// A literal.
    Int(i64),
    /// A literal.
    Bool(bool),
    /// A literal.
    Str(String),
    /// The parts of a tuple or record.
    Tuple(Vec<Pattern>),
    /// A constructor and its fields.
    Con(Name, Vec<Pattern>),
}

/// The position of a field, which may be found out later.
#[derive(Clone, Debug)]
pub(crate) struct Slot(Arc<AtomicUsize>);

impl Slot {
    pub(crate) fn new(position: usize) -> Slot {
        Slot(Arc::new(AtomicUsize::new(position)))
    }

    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, position: usize) {
        self.0.store(position, Ordering::Relaxed);
    }
}
