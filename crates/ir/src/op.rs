//! Operations, in groups by what they are. Data only; what holds of them is in `facts.rs`.
//!
//! What every pass has an opinion about stands in [`Op`] itself: copies, primitives, tuples, sum types.
//! The others are groups, so that a pass which has nothing to say about a group says so in one line.

#![allow(missing_docs, reason = "fields of variants are explained at the variant")]

use std::sync::Arc;

use base::{Name, Saying};

use crate::prim::Prim;
use crate::size::Size;
use crate::term::{Arm, Atom, Binder, Block, Lambda, Loop, Var};
use crate::types::Type;

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    /// Equality of whole values of any type without functions.
    Equal(Atom, Atom),
    /// Equality to 1e-9 relative (1e-5 in f32), reals only; everything else exactly.
    Close(Atom, Atom),

    /// On whole arrays.
    Array(ArrayOp),
    /// Choices and loops.
    Control(ControlOp),
    /// Functions and calls.
    Function(FunctionOp),
    /// Derivative operators and dual numbers.
    Derive(DeriveOp),
    /// On Deltas.
    Delta(DeltaOp),
}

/// On whole arrays, element by element nowhere: what the bulk methods and the loops are made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArrayOp {
    /// An array written element by element.
    Literal { elem: Type, parts: Vec<Atom> },
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
}

/// What runs blocks: choices, loops, and the array that is said element by element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ControlOp {
    /// The arm of the constructor; `otherwise` if none of them fits, present unless all are there.
    Match { value: Atom, arms: Vec<Arm>, otherwise: Option<Block> },
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
}

/// Functions as values, and calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FunctionOp {
    /// A function value.
    Lambda(Arc<Lambda>),
    /// A call of a function value.
    Apply(Atom, Vec<Atom>),
    /// A call of a definition.
    Call { def: Name, types: Vec<Type>, sizes: Vec<Size>, args: Vec<Atom> },
}

/// What a value is paired with, in the words of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Beside {
    /// Where it moves.
    Tangent,
    /// How much a result weighs.
    Cotangent,
}

/// Derivative operators, and the operations on dual numbers that forward mode makes of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DeriveOp {
    /// The value itself; its derivative is zero.
    StopGradient(Atom),
    /// The value itself, in a loop whose derivative keeps the state every so many steps, and runs the
    /// others again. No more than a hint: `opt::checkpoint` reads it.
    Checkpoint { every: Atom, value: Atom },
    /// The value itself, and whoever runs the program is told of it; a report every so many times. Counts
    /// as an operation that may fail: it is neither dropped nor moved, and not done instead of another.
    /// A trace by zero times says nothing itself, but its derivatives do.
    Tell { saying: Saying, every: Atom, text: Atom, value: Atom },
    /// `T` to `D<T>` with tangent zero. The reals of `level`-fold dual values count as leaves,
    /// see Note \[Levels\] in `ad`.
    Lift { level: u32, value: Atom },
    /// `D<T>` to `T`: forgets the tangent.
    Primal { level: u32, value: Atom },
    /// `D<T>` to `T`: the tangent, zero in what is no real.
    Tangent { level: u32, value: Atom },
    /// `T` and `T` to `D<T>`: a value and what stands beside it. The program fails if they differ in form.
    Pair { beside: Beside, level: u32, value: Atom, tangent: Atom },
    /// A derivative operator; its value is `level`-fold dual.
    OfFunction { operator: Operator, level: u32, function: Atom, args: Vec<Atom> },
    /// A derivative operator of a definition whose first parameters are `captured`; the others are
    /// `p1..pk`, its results `r1..rm`. All parts stand side by side: `args` are `p1..pk`, then the
    /// directions `p1..pk` (jvp, hvp) or the cotangents `r1..rm` (vjp). Gives `r1..rm` (jvp),
    /// `p1..pk` (vjp, grad, hvp), `Real, p1..pk` (value_and_grad), `r1..rm` and a run, of the type
    /// [`crate::signature::run_type`] (linearise), or for each `r` (jacobian) or `p` (hessian) and each
    /// `p` the first with every `Real` replaced by the second. The `args` of jvp and vjp may end with a
    /// run at that point.
    OfDefinition {
        operator: Operator,
        def: Name,
        sizes: Vec<Size>,
        captured: Vec<Atom>,
        args: Vec<Atom>,
    },
}

/// Operations on Deltas, which reverse mode makes of a program; the dialect `Delta`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DeltaOp {
    /// A new Delta, the linear combination of others: `deltaLet (Add (Scale k u) ...)`. Element by
    /// element if factors or Deltas are arrays. Tangents stand for Deltas where derivatives are
    /// programs (`ad::bulk`).
    Combine(Vec<Term>),
    /// `T` to the reverse-mode type of `T`: every real with the Delta `Zero`.
    Zeros(Atom),
    /// The reverse-mode type of `T` to `T`: forgets the Deltas.
    Strip(Atom),
    /// `T` to the reverse-mode type of `T`, with new Deltas, whose cotangents go to the inputs by a function.
    Pullback { by: Linear, value: Atom, inputs: Vec<Atom>, function: Atom },
}

/// What a linear function of its own says of a value and its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linear {
    /// It takes a cotangent of the value to those of the inputs, as a tuple if there are several.
    Pullback,
    /// It takes tangents of the inputs to that of the value: its transpose is a run for each real of them.
    Pushforward,
    /// It takes tangents of the inputs to that of the value, and is transposed by recording it. An input may
    /// be a function; its tangent gives, at the same argument, how the result changes with what it captured.
    Recorded,
}

impl From<ArrayOp> for Op {
    fn from(op: ArrayOp) -> Op {
        Op::Array(op)
    }
}

impl From<ControlOp> for Op {
    fn from(op: ControlOp) -> Op {
        Op::Control(op)
    }
}

impl From<FunctionOp> for Op {
    fn from(op: FunctionOp) -> Op {
        Op::Function(op)
    }
}

impl From<DeriveOp> for Op {
    fn from(op: DeriveOp) -> Op {
        Op::Derive(op)
    }
}

impl From<DeltaOp> for Op {
    fn from(op: DeltaOp) -> Op {
        Op::Delta(op)
    }
}

/// Reductions of an array along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// `f, p1..pk` gives `(r, f)`: the value, and the function again, which remembers this run of it.
    /// `jvp` and `vjp` of that at the same point need not run it again.
    Linearise,
}

/// `Scale factor delta`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// The factor, a real.
    pub factor: Atom,
    /// What is scaled.
    pub delta: Atom,
}
