//! What a generator knows about the place it is at: variables, sizes, and how often it runs.

use ir::{Atom, Binder, Block, Builder, DeriveOp, Dialect, Op, Size, Type, Var, walk};

use crate::shapes;
use testing::Random;

/// How often a statement of a definition may run in one call; a bound on the work of a run.
const MOST_RUNS: u64 = 600;

/// What a program has more than the others; most have nothing of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habits {
    /// Primitives where they are singular or not defined.
    pub(crate) singular: bool,
    /// `stop_gradient`, which central differences know nothing of.
    pub(crate) stops: bool,
    /// Indices that may be out of bounds.
    pub(crate) faults: bool,
    /// Functions as values, and not only where derivative operators take them.
    pub(crate) functions: bool,
}

/// A definition that can be called.
#[derive(Clone, Debug)]
pub(crate) struct Callee {
    pub(crate) name: base::Name,
    /// Statements that one call runs, at most.
    pub(crate) cost: u64,
    /// Whether the first parameter counts down, so that it must be small.
    pub(crate) counts_down: bool,
}

/// A variable that can be used.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) var: Var,
    pub(crate) ty: Type,
    /// Whether it has reals that depend on the parameters.
    pub(crate) active: bool,
    /// Whether something uses it already.
    pub(crate) used: bool,
}

/// Makes one definition.
pub(crate) struct Gen<'p, 'r> {
    pub(crate) random: &'r mut Random,
    pub(crate) builder: Builder<'p>,
    pub(crate) dialect: Dialect,
    pub(crate) habits: Habits,
    pub(crate) callees: &'r [Callee],
    /// Variables that can be used here.
    pub(crate) scope: Vec<Known>,
    /// Sizes that arrays may have here.
    pub(crate) sizes: Vec<Size>,
    /// Sizes known to be at least 1 here.
    pub(crate) positive: Vec<Size>,
    /// `Int`s known to be at least 0 and below a size.
    pub(crate) indices: Vec<(Var, Size)>,
    /// How often what comes now runs in one call.
    pub(crate) runs: u64,
    /// The work of one call.
    pub(crate) cost: u64,
    /// How many derivative operators are around.
    pub(crate) derivatives: u32,
}

impl Gen<'_, '_> {
    /// The program so far.
    pub(crate) fn program(&self) -> &ir::Program {
        self.builder.program()
    }

    /// Adds a statement; its results can be used from now on.
    pub(crate) fn emit(&mut self, op: Op) -> Vec<Atom> {
        self.cost = self.cost.saturating_add(self.runs);
        let used = walk::free_vars_op(&op);
        let mut active = false;
        for known in &mut self.scope {
            if used.contains(&known.var) {
                known.used = true;
                active |= known.active;
            }
        }
        active &= !matches!(op, Op::Derive(DeriveOp::StopGradient(_)));
        let results = self.builder.emit(op);
        for atom in &results {
            if let Atom::Var(var) = atom {
                let ty = self.builder.type_of(atom);
                let active = active && shapes::has_real(&ty);
                self.scope.push(Known { var: *var, ty, active, used: false });
            }
        }
        results
    }

    /// Variables that are bound from outside; they depend on whatever comes there.
    pub(crate) fn bring(&mut self, bound: &[Binder]) {
        let known = |it: &Binder| {
            let active = shapes::has_real(&it.ty);
            Known { var: it.var, ty: it.ty.clone(), active, used: false }
        };
        self.scope.extend(bound.iter().map(known));
    }

    /// Adds a statement with one result.
    pub(crate) fn one(&mut self, op: Op) -> Atom {
        self.emit(op).pop().expect("an operation with one result")
    }

    /// A block in which these variables can be used besides.
    pub(crate) fn block(
        &mut self,
        bound: &[Binder],
        body: impl FnOnce(&mut Self) -> Vec<Atom>,
    ) -> Block {
        let marks = (self.scope.len(), self.sizes.len(), self.positive.len(), self.indices.len());
        self.builder.open();
        self.bring(bound);
        let results = body(self);
        self.scope.truncate(marks.0);
        self.sizes.truncate(marks.1);
        self.positive.truncate(marks.2);
        self.indices.truncate(marks.3);
        self.builder.close(results)
    }

    /// A new variable with its type.
    pub(crate) fn binder(&mut self, ty: &Type) -> Binder {
        Binder { var: self.builder.fresh(ty.clone()), ty: ty.clone() }
    }

    /// Does something that runs `times` times as often, if that is not too often.
    pub(crate) fn repeated<R>(
        &mut self,
        times: u64,
        body: impl FnOnce(&mut Self) -> Option<R>,
    ) -> Option<R> {
        if !self.may_repeat(times) {
            return None;
        }
        let before = self.runs;
        self.runs *= times;
        let res = body(self);
        self.runs = before;
        res
    }

    /// Whether something may run `times` times here.
    pub(crate) fn may_repeat(&self, times: u64) -> bool {
        self.runs.saturating_mul(times) <= MOST_RUNS
    }

    /// Whether a size is at least 1 here.
    pub(crate) fn is_positive(&self, size: &Size) -> bool {
        shapes::least(size) >= 1 || self.positive.contains(size)
    }

    /// The value of a size as an operand.
    pub(crate) fn size(&mut self, size: &Size) -> Atom {
        match (size.as_constant(), size.as_var()) {
            (Some(value), _) => Atom::Int(value),
            (None, Some(var)) if self.random.once_in(2) => Atom::Var(*var),
            (None, _) => self.one(Op::Size(size.clone())),
        }
    }

    /// Two parts of what is left to spend.
    pub(crate) fn split(&mut self, fuel: usize) -> (usize, usize) {
        let first = self.random.below(fuel + 1);
        (first, fuel - first)
    }
}
