//! The language of loop nests: what `lower` makes of a program of first order, and `emit` prints
//! as C.
//!
//! Everything is explicit here: memory is allocated, elements have places, loops say how they run.
//! Values are scalars and pointers to arrays of scalars. An array is contiguous and knows no sizes:
//! whoever reads an element says where it is, as a sum of indices times strides.
//!
//! Variables are assigned once, but for the state of loops; each is of its function, with its type in
//! [`Func::vars`]. Fresh numbers come from the function.
//!
//! Vector loops. In a loop of kind [`Kind::Vector`] one step is done for several values of its
//! variable at once, its lanes. What depends on the variable is then a vector; loops inside run for
//! all lanes together, so how often they run, and what is decided inside by `If`, does not depend on
//! the variable. An array that is allocated inside has a scalar for every lane.
//!
//! Tests: `crates/loops/tests`, `crates/native/tests/emit`.

mod both;
mod compact;
mod cost;
mod pairs;
mod parse;
mod print;
mod site;
mod sums;
mod verify;
mod walk;
mod work;

use std::sync::Arc;

use base::Name;
pub use base::Saying;
use ir::Prim;
use serde::{Deserialize, Serialize};

pub use both::Both;
pub use cost::Cost;
pub use pairs::pairs;
pub use parse::parse;
pub use site::{Fault, Site};
pub use sums::sums;
pub use verify::verify;
pub use walk::{free, walk};
pub use work::work;

/// A variable, unique in its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u32);

/// A scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Scalar {
    /// A real, `double` or `float` as the run says.
    Real,
    /// An `int64_t`. Texts are Ints too: positions in [`Module::texts`].
    Int,
    /// A truth value, one byte.
    Bool,
    /// A value of a sum type: a pointer to its tag and fields.
    Box,
}

/// The type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Type {
    /// A scalar.
    Scalar(Scalar),
    /// A pointer to the first of several scalars.
    Array(Scalar),
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Atom {
    /// A variable.
    Var(Var),
    /// A real.
    Real(f64),
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The functions; they call one another by position.
    pub funcs: Vec<Func>,
    /// The functions that are called from outside.
    pub entries: Vec<usize>,
    /// What can fail, by number.
    pub sites: Vec<Site>,
    /// The texts that occur.
    pub texts: Vec<Arc<str>>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Func {
    /// The definition it was made of.
    pub name: Name,
    /// Its parameters. Sizes are parameters like others.
    pub params: Vec<Var>,
    /// What it does.
    pub body: Block,
    /// What it gives. Arrays are in the memory of the caller's scope, or those of a parameter.
    pub results: Vec<Atom>,
    /// The type of each variable.
    pub vars: Vec<Type>,
    /// Whether it may be active twice.
    pub recursive: bool,
}

/// What is done, one after the other.
pub type Block = Vec<Node>;

/// A part of a sum: `index * stride`, in elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Which one.
    pub index: Atom,
    /// How far they are apart.
    pub stride: Atom,
}

/// Where an element is: the sum of the terms, from the start of the array.
pub type Place = Vec<Term>;

/// How a value meets the one that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It replaces it.
    Set,
    /// The sum.
    Add,
    /// The product.
    Mul,
    /// The greater one; NaN if either is.
    Max,
    /// The lesser one; NaN if either is.
    Min,
}

/// What a variable is bound to.
#[allow(missing_docs, reason = "the sentence above each names them")]
#[derive(Clone, Debug)]
pub enum Value {
    /// The operand itself.
    Atom(Atom),
    /// A primitive of scalars. Operands are of one type as the table says; no primitive fails here:
    /// whoever divides Ints checks before.
    Prim(Prim, Vec<Atom>),
    /// `scale(a, b) + c` of reals, rounded once where the machine can.
    ScaleAdd(Atom, Atom, Atom),
    /// An element.
    Load { array: Var, at: Place },
    /// The part of an array that begins there.
    Part { array: Var, at: Place },
}

/// A step of a program.
#[allow(missing_docs, reason = "the sentence above each names them")]
#[derive(Clone, Debug)]
pub enum Node {
    /// Binds a variable.
    Let { var: Var, value: Value },
    /// Two functions of a real by one call.
    Both { both: Both, of: Atom, results: [Var; 2] },
    /// Makes room for `len` scalars (none if negative), not initialised. It lives until the
    /// end of the innermost scope, step of a vector loop or chunk around it, else as long as the call
    /// of the entry point. With `lanes`, every lane of a vector loop has an element of
    /// its own: stores in such a loop combine lane by lane, and a load outside of it combines the lanes
    /// in a fixed order. Such an array is filled by `Kernel::Fill` before the loop.
    Alloc { array: Var, len: Atom, lanes: Option<How> },
    /// Changes an element.
    Store { array: Var, at: Place, value: Atom, how: How },
    /// A loop that is counted.
    Loop(Box<Loop>),
    /// A loop in pieces, several of which may run at once.
    Chunks(Box<Chunks>),
    /// A loop as long as a condition holds.
    While(Box<While>),
    /// One of two.
    If { cond: Atom, then: Block, otherwise: Block, results: Vec<Phi> },
    /// By the tag of a box.
    Switch { value: Atom, arms: Vec<Arm>, otherwise: Block, results: Vec<Choice> },
    /// A box.
    Make { var: Var, tag: u32, fields: Vec<Atom> },
    /// A call.
    Call { func: usize, args: Vec<Atom>, results: Vec<Var> },
    /// Ends the run unless it holds (for all lanes).
    Check { holds: Atom, site: u32, values: Vec<Atom> },
    /// What is allocated inside is freed at the end.
    Scope(Block),
    /// A function of the runtime.
    Kernel(Kernel),
}

/// How the steps of a loop run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One after the other.
    Seq,
    /// Several at once. There is no state.
    Vector,
    /// One after the other, unrolled; the count is a literal.
    Unroll,
}

/// `for var in 0..count` (no steps if negative).
#[derive(Clone, Debug)]
pub struct Loop {
    /// The number of the step.
    pub var: Var,
    /// How many steps.
    pub count: Atom,
    /// How they run.
    pub kind: Kind,
    /// What is handed on from step to step.
    pub state: Vec<State>,
    /// What is combined over all steps, in an order that is fixed for each machine.
    pub accs: Vec<Acc>,
    /// A step.
    pub body: Block,
}

/// A part of the state of a loop.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name in a step.
    pub var: Var,
    /// Before the first step.
    pub init: Atom,
    /// After a step.
    pub next: Atom,
    /// Its name after the loop.
    pub last: Var,
}

/// A sum, product, maximum or minimum over all steps.
#[derive(Clone, Debug)]
pub struct Acc {
    /// Its name after the loop.
    pub var: Var,
    /// How it is combined (not `Set`).
    pub how: How,
    /// The first operand.
    pub init: Atom,
    /// What a step contributes.
    pub value: Atom,
    /// Whether that is a product that nothing else reads ([`Loop::product`]), which is rounded with the sum, once,
    /// where a vector has a sum for each lane.
    pub once: bool,
}

/// Goes through `0..total` in chunks of consecutive elements. The number and the extents of chunks,
/// and which of them share an accumulator, depend on `total`, `bytes` and `work` only, never on the
/// number of threads.
#[derive(Clone, Debug)]
pub struct Chunks {
    /// The first element of a chunk.
    pub start: Var,
    /// How many there are in it.
    pub len: Var,
    /// How many in all.
    pub total: Atom,
    /// Bytes that the body allocates or touches for each element: chunks are as long as the cache allows.
    pub bytes: Atom,
    /// About how many nanoseconds an element takes: short work is not spread over threads.
    pub work: Atom,
    /// What chunks accumulate.
    pub accs: Vec<ChunkAcc>,
    /// A chunk; it may read everything and store to places that no other chunk stores to.
    pub body: Block,
}

/// An array that chunks add to.
#[derive(Clone, Debug)]
pub struct ChunkAcc {
    /// Its name in the body; neutral before the first chunk.
    pub array: Var,
    /// What it is added to after all, in order.
    pub into: Var,
    /// How many elements it has.
    pub len: Atom,
    /// How they are combined (not `Set`).
    pub how: How,
}

/// `while cond { body }`
#[derive(Clone, Debug)]
pub struct While {
    /// What is handed on from step to step.
    pub state: Vec<State>,
    /// Computes the condition.
    pub before: Block,
    /// The condition.
    pub cond: Atom,
    /// A step.
    pub body: Block,
}

/// A value that either of two blocks gives.
#[derive(Clone, Debug)]
pub struct Phi {
    /// Its name afterwards.
    pub var: Var,
    /// From the first block.
    pub then: Atom,
    /// From the second.
    pub otherwise: Atom,
}

/// An arm of a switch.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The tag.
    pub tag: u32,
    /// The fields of the box; their types are those of the variables.
    pub fields: Vec<Var>,
    /// What follows.
    pub body: Block,
}

/// A value that one of several blocks gives.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Its name afterwards.
    pub var: Var,
    /// From each arm, in order.
    pub arms: Vec<Atom>,
    /// From `otherwise`; any atom of the type where that is never reached.
    pub otherwise: Atom,
}

/// A matrix inside of an array.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The array.
    pub array: Var,
    /// Where its first element is.
    pub at: Place,
    /// From one row to the next.
    pub rows: Atom,
    /// From one column to the next.
    pub columns: Atom,
}

/// What the runtime does.
#[allow(missing_docs, reason = "the sentence above each names them")]
#[derive(Clone, Debug)]
pub enum Kernel {
    /// `len` elements become the value.
    Fill { array: Var, at: Place, len: Atom, value: Atom },
    /// `len` elements from one array to another.
    Copy { from: Var, from_at: Place, into: Var, into_at: Place, len: Atom },
    /// `c = a b`, or `c += a b` with `add`; `a` is m by k, `b` is k by n. With `scaled`, products
    /// are `Prim::Scale`: if a result is not a number, it is computed again that way.
    Product { m: Atom, n: Atom, k: Atom, a: Matrix, b: Matrix, c: Matrix, add: bool, scaled: bool },
    /// `into` gets the `len` elements of `from` (Reals or Ints) in ascending order, NaN last, stable.
    Sort { from: Var, into: Var, len: Atom },
    /// `into` (Ints) gets the positions that sort `from`.
    Argsort { from: Var, into: Var, len: Atom },
    /// Whoever runs the program is told of a scalar, or of an array of these sizes; a report every so many
    /// times. The text is a position in [`Module::texts`].
    Tell { saying: Saying, every: Atom, text: Atom, value: Atom, sizes: Vec<Atom> },
}

impl Func {
    /// A function that does nothing yet.
    pub fn new(name: Name) -> Func {
        let (params, body, results, vars) = Default::default();
        Func { name, params, body, results, vars, recursive: false }
    }

    /// A new variable.
    pub fn fresh(&mut self, ty: Type) -> Var {
        self.vars.push(ty);
        Var(self.vars.len() as u32 - 1)
    }

    /// The type of a variable.
    pub fn ty(&self, var: Var) -> Type {
        self.vars[var.0 as usize]
    }

    /// The type of an operand.
    pub fn atom_type(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => self.ty(var),
            Atom::Real(_) => Type::Scalar(Scalar::Real),
            Atom::Int(_) => Type::Scalar(Scalar::Int),
            Atom::Bool(_) => Type::Scalar(Scalar::Bool),
        }
    }
}
