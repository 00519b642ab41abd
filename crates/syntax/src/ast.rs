//! The abstract syntax: what the user wrote, with the place of every part. Data only.

#![allow(missing_docs, reason = "fields of variants are explained at the variant")]

mod custom;
mod import;
mod operator;
mod size;
pub use custom::{Custom, CustomKind};
pub use import::{Import, ImportFrom, Selected};
pub use operator::{BinaryOp, UnaryOp};
pub use size::{SizeExpr, SizeKind, SizeOp};

use base::{Name, Span};

/// A whole text.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Its declarations, in order.
    pub items: Vec<Item>,
    /// Every comment, in order; the formatter puts them back.
    pub comments: Vec<Comment>,
}

/// A comment, from its dashes to the end of the line (newline not included).
#[derive(Clone, Debug, PartialEq)]
pub struct Comment {
    /// Where it stands.
    pub span: Span,
    /// Its text, dashes included. Documentation starts with exactly three dashes.
    pub text: String,
}

/// A declaration. Text that could not be understood leaves no item, only a diagnostic.
#[derive(Clone, Debug)]
pub enum Item {
    /// `import std.linalg (solve)`
    Import(Import),
    /// `def f(x: Real): Real = e`
    Def(Def),
    /// `type Vec3 = { x: Real, y: Real }` or `type Pair<a> = (a, a)`
    Type(TypeDecl),
    /// `data List<a> = Nil | Cons(a, List<a>)`
    Data(DataDecl),
    /// `test "name" = e`
    Test(Named),
    /// `bench "name" = e`
    Bench(Named),
    /// `plot "title" = e`
    Plot(Named),
}

/// A name and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// A definition.
#[derive(Clone, Debug)]
pub struct Def {
    /// Whether other modules may use it.
    pub is_public: bool,
    /// Lines of documentation (`---`) in front of it, dashes and one space removed.
    pub doc: Vec<String>,
    /// Its name.
    pub name: Ident,
    /// Its parameters; `None` for a constant (`def main = e`), `Some([])` for `def f() = e`.
    pub params: Option<Vec<Param>>,
    /// The annotated type of the result.
    pub result: Option<Type>,
    /// The body.
    pub body: Expr,
    /// `with vjp(x, dy) = e`
    pub customs: Vec<Custom>,
    /// The whole definition.
    pub span: Span,
}

/// A parameter of a definition or a lambda.
#[derive(Clone, Debug)]
pub struct Param {
    /// Usually a name; `\(a, b) => e` takes a pair apart.
    pub pattern: Pattern,
    /// Its annotation.
    pub ty: Option<Type>,
}

/// A record or alias.
#[derive(Clone, Debug)]
pub struct TypeDecl {
    /// Whether other modules may use it.
    pub is_public: bool,
    /// Lines of documentation.
    pub doc: Vec<String>,
    /// Its name, a capital letter first.
    pub name: Ident,
    /// Its parameters, types or sizes; which one shows in how the body uses them.
    pub params: Vec<Ident>,
    /// What it stands for.
    pub body: TypeBody,
    /// The whole declaration.
    pub span: Span,
}

/// The right side of a `type`.
#[derive(Clone, Debug)]
pub enum TypeBody {
    /// `{ x: Real, y: Real }`: a new type.
    Record(Vec<(Ident, Type)>),
    /// Another name for a type.
    Alias(Type),
}

/// A sum type.
#[derive(Clone, Debug)]
pub struct DataDecl {
    /// Whether other modules may use it.
    pub is_public: bool,
    /// Lines of documentation.
    pub doc: Vec<String>,
    /// Its name, a capital letter first.
    pub name: Ident,
    /// Its parameters, types or sizes.
    pub params: Vec<Ident>,
    /// Its constructors.
    pub cons: Vec<ConDecl>,
    /// The whole declaration.
    pub span: Span,
}

/// A constructor: `Node(Tree, Tree)`, or `Leaf` without fields.
#[derive(Clone, Debug)]
pub struct ConDecl {
    /// Its name, a capital letter first.
    pub name: Ident,
    /// The types of its fields.
    pub fields: Vec<Type>,
}

/// A `test`, `bench` or `plot`.
#[derive(Clone, Debug)]
pub struct Named {
    /// Lines of documentation.
    pub doc: Vec<String>,
    /// The text between the quotes.
    pub name: String,
    /// Where the quoted name stands.
    pub name_span: Span,
    /// The expression.
    pub body: Expr,
    /// The whole declaration.
    pub span: Span,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of types.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `Real`, `Int`, `Bool`, `String`, `Vec3`, `List<a>`; a small letter first is a variable.
    /// An argument is a type or a size; see [`TypeArg`].
    Name(Ident, Vec<TypeArg>),
    /// `[n]T`; `[n][m]T` is nested. `None` is `[_]T` (or `[]T`): a size left to inference.
    Array(Option<SizeExpr>, Box<Type>),
    /// `(A, B)`; `()` is unit. Never of length one.
    Tuple(Vec<Type>),
    /// `A -> B`, `(A, B) -> C` (two parameters), `() -> C` (none), `((A, B)) -> C` (one pair).
    Function(Vec<Type>, Box<Type>),
    /// `_`: left to inference.
    Hole,
    /// Not understood; reported already.
    Error,
}

/// An argument of a named type. A bare name is parsed as a type; the declaration decides.
#[derive(Clone, Debug)]
pub enum TypeArg {
    /// A type, or a bare name that may turn out to be a size.
    Type(Type),
    /// A size that cannot be a type: `3`, `n+1`.
    Size(SizeExpr),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `42`, `1_000`
    Int(i64),
    /// `1.0`, `1e-3`
    Real(f64),
    /// `true`, `false`
    Bool(bool),
    /// `"text"`, escapes resolved
    Str(String),
    /// A variable, a definition or (capital letter first) a constructor.
    Name(Name),
    /// `(a, b)`; `()` is unit. Never of length one.
    Tuple(Vec<Expr>),
    /// `(e)`: kept, so that the formatter gives back what was written.
    Paren(Box<Expr>),
    /// `Vec3 { x: 1.0, y }` or `Vec3 { x: 1.0, ..v }`. A field without value (`y`) takes the variable of its name.
    Record { name: Ident, fields: Vec<(Ident, Option<Expr>)>, base: Option<Box<Expr>> },
    /// `[a, b, c]`
    Array(Vec<Expr>),
    /// `\x, y => e`; `\() => e` has no parameters.
    Lambda { params: Vec<Param>, body: Box<Expr> },
    /// `f(x, y)`
    Call { function: Box<Expr>, args: Vec<Expr> },
    /// `v.x`
    Field { value: Box<Expr>, field: Ident },
    /// `p.0`
    Proj { value: Box<Expr>, index: usize, index_span: Span },
    /// `a[i, j]`, `a[1..n]`
    Index { array: Box<Expr>, indices: Vec<IndexItem> },
    /// `a with [i, j] = e`
    With { array: Box<Expr>, indices: Vec<Expr>, value: Box<Expr> },
    /// `-x`, `!b`
    Unary { op: UnaryOp, value: Box<Expr> },
    /// `a + b`
    Binary { op: BinaryOp, op_span: Span, left: Box<Expr>, right: Box<Expr> },
    /// `if c then a else b`
    If { cond: Box<Expr>, then: Box<Expr>, otherwise: Box<Expr> },
    /// `match e { p => e, ... }`
    Match { value: Box<Expr>, arms: Vec<Arm> },
    /// `{ let p = e; ...; e }`
    Block { lets: Vec<Let>, result: Box<Expr> },
    /// `build i < n, j < m => e`
    Build { indices: Vec<(Ident, Expr)>, body: Box<Expr> },
    /// Not understood; reported already.
    Error,
}

/// One place between index brackets.
#[derive(Clone, Debug)]
pub enum IndexItem {
    /// `i`
    At(Expr),
    /// `lo..hi`, either side may be missing.
    Range { lo: Option<Expr>, hi: Option<Expr>, span: Span },
}

/// An arm of a `match`.
#[derive(Clone, Debug)]
pub struct Arm {
    /// What it matches.
    pub pattern: Pattern,
    /// What it gives.
    pub body: Expr,
    /// The whole arm, comma not included.
    pub span: Span,
}

/// `let p: T = e;`, or `let rec f: T = e;`
#[derive(Clone, Debug)]
pub struct Let {
    /// Whether the value may call what is bound: then that is a name, and the value a function.
    pub is_recursive: bool,
    /// What is bound; must always match.
    pub pattern: Pattern,
    /// Its annotation.
    pub ty: Option<Type>,
    /// The value.
    pub value: Expr,
    /// From `let` to the semicolon.
    pub span: Span,
}

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// What it is.
    pub kind: PatternKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of patterns.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// `_`
    Wildcard,
    /// `x`
    Name(Name),
    /// `1`, `-1`
    Int(i64),
    /// `true`
    Bool(bool),
    /// `"text"`
    Str(String),
    /// `(a, b)`; `()` is unit
    Tuple(Vec<Pattern>),
    /// `Cons(h, t)`, `Nil`
    Con(Ident, Vec<Pattern>),
    /// `Vec3 { x, y: p }`: fields not named are ignored; `x` alone binds `x`.
    Record(Ident, Vec<(Ident, Option<Pattern>)>),
    /// Not understood; reported already.
    Error,
}
