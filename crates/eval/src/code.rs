//! Linked code: what the interpreter runs. Data only; `link.rs` makes it from the ir.
//!
//! Variables are slots of a frame, numbered densely per function; names of definitions and
//! constructors are resolved; operands know whether they are the last use of their slot.

use std::sync::{Arc, Mutex, OnceLock, Weak};

use base::{Name, Saying, Span};
use ir::{Beside, Binder, Lambda, Linear, Operator, Prim, Reduction, Spans, Type, Var};
use rustc_hash::FxHashMap;

use crate::array::Array;
use crate::cost::Kind;
use crate::error::Fault;
use crate::value::{Constructor, Value};

/// A place in a frame.
pub(crate) type Slot = u32;

/// An operand.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    /// The value in a slot, which is needed again.
    Slot(Slot),
    /// The value in a slot, for the last time.
    Take(Slot),
    /// A literal.
    Const(Value),
}

/// A size: a polynomial over slots that hold integers.
#[derive(Clone, Debug)]
pub(crate) enum SizeCode {
    Const(i64),
    Slot(Slot),
    Sum(Vec<(i64, Vec<Slot>)>),
}

/// A definition, or the code of a lambda.
#[derive(Debug)]
pub(crate) struct Function {
    /// The definition it is, or is part of.
    pub(crate) name: Name,
    /// Parameters are the first slots.
    pub(crate) n_params: usize,
    pub(crate) n_slots: usize,
    pub(crate) body: Block,
    /// The types of slots that hold arrays; sizes in them are slots.
    pub(crate) types: Vec<Option<Type>>,
    /// The lambdas in it, at any depth, by the variable that each is bound to.
    pub(crate) lambdas: Lambdas,
}

/// Lambdas by the variable that each is bound to. AD keeps these variables.
pub(crate) type Lambdas = FxHashMap<Var, Arc<LambdaCode>>;

/// The code of a lambda, and what its derivative is made from.
#[derive(Debug)]
pub struct LambdaCode {
    /// The lambda.
    pub(crate) lambda: Arc<Lambda>,
    /// Its free variables; captured values stand in the same order.
    pub(crate) captured: Vec<Binder>,
    /// The slots that captured values are copied to.
    pub(crate) captured_slots: Vec<Slot>,
    /// The first variable number that its definition does not use.
    pub(crate) next_var: u32,
    /// Where its statements come from.
    pub(crate) spans: Arc<Spans>,
    pub(crate) function: Function,
    /// The code of its forward derivative, once that has been asked for.
    pub(crate) derived: OnceLock<Arc<LambdaCode>>,
    /// Whether runs of its derivative go in step, as far as is known (`directions.rs`).
    pub(crate) in_step: Mutex<Option<bool>>,
    /// Its reverse-mode code, for each choice of captured variables that are active. That knows
    /// its origin, this code; so the evaluator holds it, not this code.
    pub(crate) taped: Mutex<Vec<Weak<LambdaCode>>>,
    /// Of reverse-mode code, what it was made of.
    pub(crate) origin: Option<Origin>,
}

/// What reverse-mode code was made of.
#[derive(Debug)]
pub(crate) struct Origin {
    /// The code without Deltas.
    pub(crate) code: Arc<LambdaCode>,
    /// Which of its captured variables are active.
    pub(crate) mask: Vec<bool>,
}

#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) stmts: Vec<Stmt>,
    pub(crate) results: Vec<Arg>,
}

/// Binds the slots from `dest`, as many as the operation gives.
#[derive(Debug)]
pub(crate) struct Stmt {
    pub(crate) dest: Slot,
    pub(crate) op: Op,
    pub(crate) span: Option<Span>,
}

/// A block whose parameters are the slots from `first`.
#[derive(Debug)]
pub(crate) struct Arm {
    pub(crate) first: Slot,
    pub(crate) body: Block,
}

/// The body of a loop over arrays.
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) inits: Vec<Arg>,
    pub(crate) arrays: Vec<Arg>,
    pub(crate) state: Slot,
    pub(crate) elems: Slot,
    pub(crate) body: Block,
}

/// Operations, by who runs them.
#[derive(Debug)]
pub(crate) enum Op {
    /// `real` is the primitive on reals, if it gives one.
    Prim1 {
        prim: Prim,
        real: Option<fn(f64) -> f64>,
        x: Arg,
    },
    Prim2 {
        prim: Prim,
        real: Option<fn(f64, f64) -> f64>,
        x: Arg,
        y: Arg,
    },
    Index {
        array: Arg,
        indices: Vec<Arg>,
    },
    If {
        cond: Arg,
        then: Block,
        otherwise: Block,
    },
    Call {
        function: usize,
        sizes: Vec<SizeCode>,
        args: Vec<Arg>,
    },
    /// `dual` if the function takes Deltas or gives them.
    Apply {
        dual: bool,
        function: Arg,
        args: Vec<Arg>,
    },
    /// A real and the Delta of its terms (factor and Delta); the Delta goes to a slot of its own.
    Record {
        value: Arg,
        terms: Vec<(Arg, Arg)>,
        delta: Slot,
    },
    Control(Control),
    Simple(Simple),
    Bulk(Bulk),
}

/// Operations that run blocks.
#[derive(Debug)]
pub(crate) enum Control {
    /// `by_tag` has the number of the arm for each constructor.
    Match {
        value: Arg,
        by_tag: Vec<Option<usize>>,
        arms: Vec<Arm>,
        otherwise: Option<Block>,
    },
    Build {
        sizes: Vec<SizeCode>,
        indices: Slot,
        body: Block,
    },
    Fold(Loop),
    Scan(Loop),
    Iterate {
        count: Arg,
        index: Slot,
        inits: Vec<Arg>,
        state: Slot,
        body: Block,
    },
    While {
        inits: Vec<Arg>,
        state: Slot,
        cond: Block,
        body: Block,
    },
    Filter {
        array: Arg,
        elem: Slot,
        predicate: Block,
    },
}

/// Operations that put values together or take them apart.
#[derive(Debug)]
pub(crate) enum Simple {
    /// What turned out to be of no use.
    Nothing,
    Copy(Arg),
    Prim(Prim, Vec<Arg>),
    Size(SizeCode),
    Tuple(Vec<Arg>),
    Proj {
        tuple: Arg,
        index: usize,
    },
    Con {
        con: Arc<Constructor>,
        args: Vec<Arg>,
    },
    Lambda {
        code: Arc<LambdaCode>,
        captured: Vec<Arg>,
    },
}

/// Operations on whole arrays, and on whole values.
#[derive(Debug)]
pub(crate) enum Bulk {
    TupleArray {
        rank: usize,
        parts: Vec<Arg>,
    },
    Array(Vec<Arg>),
    Slice {
        array: Arg,
        axis: usize,
        from: SizeCode,
        to: SizeCode,
    },
    Reduce {
        reduction: Reduction,
        axis: usize,
        array: Arg,
    },
    Argmax(Arg),
    Argmin(Arg),
    Gather {
        array: Arg,
        indices: Vec<Arg>,
        mask: Option<Arg>,
    },
    Scatter {
        into: Arg,
        indices: Vec<Arg>,
        values: Arg,
        mask: Option<Arg>,
    },
    Replicate {
        size: SizeCode,
        value: Arg,
    },
    Iota(SizeCode),
    Transpose {
        array: Arg,
        permutation: Vec<usize>,
    },
    Reshape {
        array: Arg,
        rank: usize,
        sizes: Vec<SizeCode>,
    },
    Concat(Vec<Arg>),
    /// What makes an array of one, and what it counts as for each element of that.
    Whole {
        array: Arg,
        by: fn(&Array) -> Result<Array, Fault>,
        kind: Kind,
    },
    Sized {
        array: Arg,
        size: SizeCode,
    },
    Equal(Arg, Arg),
    Close(Arg, Arg),
    Lift {
        level: u32,
        value: Arg,
    },
    Primal {
        level: u32,
        value: Arg,
    },
    Tangent {
        level: u32,
        value: Arg,
    },
    Pair {
        beside: Beside,
        level: u32,
        value: Arg,
        tangent: Arg,
    },
    /// `dual` if the function takes Deltas or gives them.
    Derive {
        operator: Operator,
        level: u32,
        dual: bool,
        function: Arg,
        args: Vec<Arg>,
    },
    /// `trace` and `report`.
    Tell {
        saying: Saying,
        every: Arg,
        text: Arg,
        value: Arg,
    },
    /// Factors and Deltas.
    Combine(Vec<(Arg, Arg)>),
    Strip(Arg),
    /// The inputs have Deltas, or are constant.
    Pullback {
        by: Linear,
        value: Arg,
        inputs: Vec<Arg>,
        function: Arg,
    },
}
