//! What a rule is: a name, an equation, where it applies, what it keeps of a value, and a function.

use ir::{ArrayOp, Atom, ControlOp, FunctionOp, Op, Prim, Stmt, Type};

use super::Exactness;
use super::forward::Forward;

/// A rule of `simplify`. The table of them is `rules.rs`.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name, which no other rule has.
    pub name: &'static str,
    /// `before -> after`, and where that holds.
    pub equation: &'static str,
    /// The operations that it is tried on.
    pub on: &'static [On],
    /// What it keeps of a value.
    pub keeps: Keeps,
    pub(super) run: Run,
}

/// An operation that rules are tried on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "they are the operations of the ir")]
pub enum On {
    Copy,
    Size,
    AnyPrim,
    Prim(Prim),
    Index,
    Slice,
    Reduce,
    Gather,
    Scatter,
    Transpose,
    Reshape,
    Reverse,
    Concat,
    Sized,
    If,
    Match,
    Fold,
    Scan,
    Iterate,
    While,
    Call,
}

/// What a rule keeps of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// Every bit.
    Bits,
    /// Every bit of integers; of reals what [`Exactness::UpToRounding`] asks for.
    BitsOfIntegers,
    /// What [`Exactness::UpToRounding`] asks for.
    UpToRounding,
}

/// How a rule is run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Run {
    /// On an operation without blocks inside, and the type of what it gives.
    Op(OnOp),
    /// On a statement, before the blocks inside are gone through.
    Entering(OnEntering),
    /// On a statement and the operation that was made of it, after the blocks inside were gone through.
    /// Says which values its results have; whether there are any.
    Leaving(OnLeaving),
}

/// What a rule makes of an operation.
pub(super) enum Step {
    /// It is this value.
    Value(Atom),
    /// It is this operation.
    Op(Op),
}

/// What a rule makes of a statement with blocks inside.
pub(super) enum Entered {
    /// Nothing.
    Not,
    /// Something is known of the variables inside.
    Known,
    /// It is this statement.
    Instead(Stmt),
    /// Its results are known, and it is not needed.
    Gone,
}

type OnOp = fn(&mut Forward<'_>, &Op, &Type) -> Option<Step>;
type OnEntering = fn(&mut Forward<'_>, &Stmt) -> Entered;
type OnLeaving = fn(&mut Forward<'_>, &Stmt, &Op) -> bool;

/// The rows of the table.
impl Rule {
    /// A rule on operations that keeps every bit.
    pub(super) const fn exact(
        name: &'static str,
        equation: &'static str,
        on: &'static [On],
        run: OnOp,
    ) -> Rule {
        Rule { name, equation, on, keeps: Keeps::Bits, run: Run::Op(run) }
    }

    /// A rule on operations that keeps every bit of integers.
    pub(super) const fn exact_on_integers(
        name: &'static str,
        equation: &'static str,
        on: &'static [On],
        run: OnOp,
    ) -> Rule {
        Rule { name, equation, on, keeps: Keeps::BitsOfIntegers, run: Run::Op(run) }
    }

    /// A rule on operations that is for derivatives only.
    pub(super) const fn loose(
        name: &'static str,
        equation: &'static str,
        on: &'static [On],
        run: OnOp,
    ) -> Rule {
        Rule { name, equation, on, keeps: Keeps::UpToRounding, run: Run::Op(run) }
    }

    /// A rule on statements before the blocks inside are gone through.
    pub(super) const fn entering(
        name: &'static str,
        equation: &'static str,
        on: &'static [On],
        run: OnEntering,
    ) -> Rule {
        Rule { name, equation, on, keeps: Keeps::Bits, run: Run::Entering(run) }
    }

    /// A rule on statements after the blocks inside were gone through.
    pub(super) const fn leaving(
        name: &'static str,
        equation: &'static str,
        on: &'static [On],
        run: OnLeaving,
    ) -> Rule {
        Rule { name, equation, on, keeps: Keeps::Bits, run: Run::Leaving(run) }
    }
}

impl Rule {
    /// Whether it is tried on operations of this kind.
    pub(super) fn is_on(&self, kind: On) -> bool {
        let is_prim = matches!(kind, On::Prim(_));
        self.on.iter().any(|it| *it == kind || is_prim && *it == On::AnyPrim)
    }

    /// Whether it keeps as much as it has to, of values of this type.
    pub(super) fn is_exact_enough(&self, exactness: Exactness, ty: &Type) -> bool {
        match self.keeps {
            Keeps::Bits => true,
            Keeps::BitsOfIntegers => {
                exactness == Exactness::UpToRounding || *ty.split_arrays().1 == Type::Int
            }
            Keeps::UpToRounding => exactness == Exactness::UpToRounding,
        }
    }
}

impl On {
    /// What an operation is; none if no rule is tried on it.
    pub(super) fn of(op: &Op) -> Option<On> {
        match op {
            Op::Copy(_) => Some(On::Copy),
            Op::Size(_) => Some(On::Size),
            Op::Prim(prim, _) => Some(On::Prim(*prim)),
            Op::Array(op) => On::of_array(op),
            Op::Control(ControlOp::If { .. }) => Some(On::If),
            Op::Control(ControlOp::Match { .. }) => Some(On::Match),
            Op::Control(ControlOp::Fold { .. }) => Some(On::Fold),
            Op::Control(ControlOp::Scan { .. }) => Some(On::Scan),
            Op::Control(ControlOp::Iterate { .. }) => Some(On::Iterate),
            Op::Control(ControlOp::While { .. }) => Some(On::While),
            Op::Control(ControlOp::Build { .. }) => None,
            Op::Function(FunctionOp::Call { .. }) => Some(On::Call),
            Op::Function(FunctionOp::Lambda(_) | FunctionOp::Apply(..)) => None,
            Op::Tuple { .. } | Op::Proj { .. } | Op::Con { .. } => None,
            Op::Equal(..) | Op::Close(..) | Op::Derive(_) | Op::Delta(_) => None,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "no rule is tried on what no rule names")]
    fn of_array(op: &ArrayOp) -> Option<On> {
        match op {
            ArrayOp::Index { .. } => Some(On::Index),
            ArrayOp::Slice { .. } => Some(On::Slice),
            ArrayOp::Reduce { .. } => Some(On::Reduce),
            ArrayOp::Gather { .. } => Some(On::Gather),
            ArrayOp::Scatter { .. } => Some(On::Scatter),
            ArrayOp::Transpose { .. } => Some(On::Transpose),
            ArrayOp::Reshape { .. } => Some(On::Reshape),
            ArrayOp::Reverse(_) => Some(On::Reverse),
            ArrayOp::Concat(_) => Some(On::Concat),
            ArrayOp::Sized { .. } => Some(On::Sized),
            _ => None,
        }
    }
}
