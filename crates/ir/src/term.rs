//! Programs of the core language: definitions, blocks, statements, operations. Data only.
//!
//! A-normal form with nested blocks: every operand is an atom, every binder is unique in its
//! definition and has its type beside it, a statement may bind several results. The type of a
//! later binder may mention an earlier one of the same statement as a size
//! (`x4: Int, x5: [x4]Real = filter ...`): sizes are `Int` variables.

#![allow(missing_docs, reason = "fields of variants are explained at the variant")]

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Name, Span};
use serde::{Deserialize, Serialize};

use crate::prim::Prim;
use crate::size::Size;
use crate::types::{DataDecl, Type};

/// A variable, unique in its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Var(pub u32);

/// A variable and its type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Binder {
    /// The variable.
    pub var: Var,
    /// Its type.
    pub ty: Type,
}

/// A literal real; equal if the bits are, so that programs with NaN compare.
#[derive(Clone, Copy, Debug)]
pub struct Literal(pub f64);

impl PartialEq for Literal {
    fn eq(&self, other: &Literal) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Atom {
    /// A variable.
    Var(Var),
    /// A real number.
    Real(Literal),
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Str(Arc<str>),
}

/// A whole program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Sum types by name.
    pub datas: BTreeMap<Name, DataDecl>,
    /// Definitions by name.
    pub defs: BTreeMap<Name, Arc<Def>>,
    /// By the name of a definition, its custom derivatives.
    pub customs: BTreeMap<Name, Custom>,
}

/// The definitions that say what the derivative of another is, instead of its body. With parameters
/// `p1..pk` and result `r` of that one, its sizes and types being theirs too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Custom {
    /// `p1..pk, dr: r` gives the cotangents `p1..pk`, as a tuple if there are several.
    pub vjp: Option<Name>,
    /// `p1..pk, dp1..dpk` gives the tangent `r`.
    pub jvp: Option<Name>,
}

/// A definition. `f'10` is the forward derivative of `f` with its first parameter active and
/// its second one constant; primes never occur in the user's names.
#[derive(Clone, Debug, PartialEq)]
pub struct Def {
    /// Its name.
    pub name: Name,
    /// Type parameters.
    pub type_params: Vec<Name>,
    /// Size parameters: `Int` variables that the types of the parameters may mention.
    pub size_params: Vec<Var>,
    /// Value parameters; a later type may mention an earlier `Int` parameter as a size.
    pub params: Vec<Binder>,
    /// Results; sizes that only running it can tell come first and are named here, so that
    /// the types of later results can mention them. The variables are used for nothing else.
    pub results: Vec<Binder>,
    /// The body; as many results.
    pub body: Block,
    /// The first variable number not used.
    pub next_var: u32,
    /// Where statements come from.
    pub spans: Spans,
}

/// From a variable to the source of the statement that binds it. Not part of a program's
/// identity: any two are equal.
#[derive(Clone, Debug, Default)]
pub struct Spans(pub BTreeMap<Var, Span>);

impl PartialEq for Spans {
    fn eq(&self, _: &Spans) -> bool {
        true
    }
}

/// Statements and what they give.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// In order of evaluation.
    pub stmts: Vec<Stmt>,
    /// The results.
    pub results: Vec<Atom>,
}

/// `x1: T1, x2: T2 = op`
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it binds.
    pub binders: Vec<Binder>,
    /// What it does.
    pub op: Op,
}

/// A function written in place. Its body has exactly one result.
#[derive(Clone, Debug, PartialEq)]
pub struct Lambda {
    /// Parameters.
    pub params: Vec<Binder>,
    /// The body; may mention variables of the surrounding definition.
    pub body: Block,
}

/// The body of a loop over arrays: `state` gets the initial values and then the first results of
/// the body, `elems` the elements of the arrays, in turn. Results after those are collected.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The state.
    pub state: Vec<Binder>,
    /// One element of each array.
    pub elems: Vec<Binder>,
    /// As many results as the state; in a `Fold` there may be more.
    pub body: Block,
}

/// An arm of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// The constructor.
    pub con: Name,
    /// Its fields.
    pub fields: Vec<Binder>,
    /// What follows.
    pub body: Block,
}

/// Reductions of an array along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reduction {
    /// 0 for nothing.
    Sum,
    /// 1 for nothing.
    Product,
    /// Minus infinity (the least `Int`) for nothing; NaN if any element is.
    Maximum,
    /// Plus infinity (the greatest `Int`) for nothing; NaN if any element is.
    Minimum,
}

/// Derivative operators, fully applied. With `f: (p1, ..., pk) -> r`, `a` is `p1` if k = 1 and
/// the tuple `(p1, ..., pk)` otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    /// `f, x: a, dx: a` gives the tangent of the result, `r`.
    Jvp,
    /// `f, p1..pk, dy: r` gives the cotangent of the argument, `a`.
    Vjp,
    /// `f, p1..pk` with `r = Real` gives `a`.
    Grad,
    /// `f, p1..pk` with `r = Real` gives `(Real, a)`.
    ValueAndGrad,
    /// `f, p1..pk` gives `r` with every `Real` replaced by `a`.
    Jacobian,
    /// `f, p1..pk` with `r = Real` gives `a` with every `Real` replaced by `a`.
    Hessian,
    /// `f, x: a, v: a` with `r = Real` gives the gradient's derivative along `v`, `a`.
    Hvp,
}

/// An operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// The operand itself.
    Copy(Atom),
    /// A row of the table of primitives; element by element if an operand is an array.
    Prim(Prim, Vec<Atom>),
    /// The value of a size as an `Int`.
    Size(Size),

    /// A tuple (`rank` 0), or an array of tuples from arrays that share their first `rank` sizes.
    Tuple { rank: usize, parts: Vec<Atom> },
    /// A part of a tuple, or, of an array of tuples, the array of that part.
    Proj { tuple: Atom, index: usize },

    /// A value of the sum type `ty` (a `Data`, or what AD makes of one).
    Con { ty: Type, con: Name, args: Vec<Atom> },
    /// The arm of the constructor; `otherwise` if none of them fits, present unless all are there.
    Match { value: Atom, arms: Vec<Arm>, otherwise: Option<Block> },

    /// A function value.
    Lambda(Arc<Lambda>),
    /// A call of a function value.
    Apply(Atom, Vec<Atom>),
    /// A call of a definition.
    Call { def: Name, types: Vec<Type>, sizes: Vec<Size>, args: Vec<Atom> },

    /// Only the branch taken runs.
    If { cond: Atom, then: Block, otherwise: Block },
    /// One array per result of the body, of the given sizes (outermost first).
    Build { sizes: Vec<Size>, indices: Vec<Var>, body: Block },
    /// Goes through arrays of one size from the first element to the last; gives the last state, and
    /// for every further result of the body the array of what it was in each step.
    Fold { inits: Vec<Atom>, arrays: Vec<Atom>, step: Loop },
    /// As `Fold`, but gives the array of the states after each element.
    Scan { inits: Vec<Atom>, arrays: Vec<Atom>, step: Loop },
    /// The body `count` times (not at all if negative); `index` counts from 0.
    Iterate { count: Atom, index: Var, inits: Vec<Atom>, state: Vec<Binder>, body: Block },
    /// While `cond` (of one `Bool` result) holds of the state, the body. Both see `state`. If the body
    /// has further results, then after the last state come the number of steps and, for each of them,
    /// the array of what it was in each step.
    While { inits: Vec<Atom>, state: Vec<Binder>, cond: Block, body: Block },

    /// An array written element by element.
    Array { elem: Type, parts: Vec<Atom> },
    /// An element, or with fewer indices than dimensions, a row.
    Index { array: Atom, indices: Vec<Atom> },
    /// The part `from..to` along one axis.
    Slice { array: Atom, axis: usize, from: Size, to: Size },
    /// Reduces away one axis.
    Reduce { reduction: Reduction, axis: usize, array: Atom },
    /// Position of the first greatest element of `[n]Real` or `[n]Int`; an error if there is none.
    Argmax(Atom),
    /// Position of the first least element; an error if there is none.
    Argmin(Atom),
    /// Element `i` (of any rank) is `array[indices[0][i], indices[1][i], ...]`: the indices are arrays
    /// of equal sizes, or scalars, and their sizes come first in those of the result. Where the mask
    /// does not hold, nothing is read: the element is 0, or false.
    Gather { array: Atom, indices: Vec<Atom>, mask: Option<Atom> },
    /// `into` with `values[i]` added at `[indices[0][i], ...]`, where the mask holds; collisions add
    /// up in order.
    Scatter { into: Atom, indices: Vec<Atom>, values: Atom, mask: Option<Atom> },
    /// `size` times the same.
    Replicate { size: Size, value: Atom },
    /// `0, 1, ..., size - 1`.
    Iota(Size),
    /// Axis `i` of the result is axis `permutation[i]` of the array.
    Transpose { array: Atom, permutation: Vec<usize> },
    /// The elements of the leading `rank` axes in the same order under other sizes; an error if the counts differ.
    Reshape { array: Atom, rank: usize, sizes: Vec<Size> },
    /// The outermost axis backwards.
    Reverse(Atom),
    /// One after the other along the outermost axis; at least one.
    Concat(Vec<Atom>),
    /// `[n]Real` or `[n]Int` in ascending order, NaN last, stable.
    Sort(Atom),
    /// The positions that sort it.
    Argsort(Atom),
    /// Two results: how many elements satisfy the predicate, and those.
    Filter { array: Atom, predicate: Arc<Lambda> },
    /// The same array under another size; an error if the sizes differ when it runs.
    Sized { array: Atom, size: Size },

    /// Equality of whole values of any type without functions.
    Equal(Atom, Atom),
    /// Equality to 1e-9 relative (1e-5 in f32), reals only; everything else exactly.
    Close(Atom, Atom),

    /// The value itself; its derivative is zero.
    StopGradient(Atom),
    /// `T` to `D<T>` with tangent zero. The reals of `level`-fold dual values count as leaves,
    /// see Note \[Levels\] in `ad`.
    Lift { level: u32, value: Atom },
    /// `D<T>` to `T`: forgets the tangent.
    Primal { level: u32, value: Atom },
    /// `D<T>` to `T`: the tangent, zero in what is no real.
    Tangent { level: u32, value: Atom },
    /// `T` and `T` to `D<T>`: a value and its tangent.
    Pair { level: u32, value: Atom, tangent: Atom },
    /// A derivative operator; its value is `level`-fold dual.
    Derive { operator: Operator, level: u32, function: Atom, args: Vec<Atom> },
    /// A derivative operator of a definition whose first parameters are `captured`; the others are
    /// `p1..pk`, its results `r1..rm`. All parts stand side by side: `args` are `p1..pk`, then the
    /// directions `p1..pk` (jvp, hvp) or the cotangents `r1..rm` (vjp). Gives `r1..rm` (jvp),
    /// `p1..pk` (vjp, grad, hvp), `Real, p1..pk` (value_and_grad), or for each `r` (jacobian) or `p`
    /// (hessian) and each `p` the first with every `Real` replaced by the second.
    Derivative {
        operator: Operator,
        def: Name,
        sizes: Vec<Size>,
        captured: Vec<Atom>,
        args: Vec<Atom>,
    },

    /// A new Delta, the linear combination of others: `deltaLet (Add (Scale k u) ...)`. Element by
    /// element if factors or Deltas are arrays. Tangents stand for Deltas where derivatives are
    /// programs (`ad::bulk`).
    Combine(Vec<Term>),
    /// `T` to the reverse-mode type of `T`: every real with the Delta `Zero`.
    Zeros(Atom),
    /// The reverse-mode type of `T` to `T`: forgets the Deltas.
    Strip(Atom),
    /// `T` to the reverse-mode type of `T`, with new Deltas: `function` takes a cotangent of the value to
    /// those of the inputs, as a tuple if there are several.
    Pullback { value: Atom, inputs: Vec<Atom>, function: Atom },
}

/// `Scale factor delta`
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The factor, a real.
    pub factor: Atom,
    /// What is scaled.
    pub delta: Atom,
}
