//! What is known of statements before anything is rewritten: which may fail, and what they cost.
//!
//! A statement may fail if running it can end in an error, or not end. Indices are known to be in
//! bounds by their ranges: an index variable is in `0..=n-1`, and sums and differences of ranges
//! are ranges. Ranges are polynomials, and compared if they differ by a constant.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::{
    ArrayOp, Atom, Block, CallGraph, ControlOp, Def, FunctionOp, Need, Op, Prim, Program, Size,
    Stmt, Type, Var, graph, typing, walk,
};

use super::cost::{self, Bound};
use super::mask;

/// What is known of all definitions.
pub(super) struct Facts<'p> {
    program: &'p Program,
    recursive: BTreeSet<Name>,
    /// Definitions that say something.
    tellers: BTreeSet<Name>,
    defs: BTreeMap<Name, DefFacts>,
}

/// What is known of a definition.
#[derive(Default)]
pub(super) struct DefFacts {
    /// Whether running it may fail.
    pub(super) fails: bool,
    /// How many elements it computes at most, if that is known.
    pub(super) cost: Option<Size>,
    /// How many elements it computes at least.
    pub(super) least: Option<Size>,
    /// Whether nothing in it fails where a mask does not hold.
    pub(super) maskable: bool,
    /// The statements that may fail, by the first variable they bind.
    failing: BTreeSet<Var>,
    types: BTreeMap<Var, Type>,
    /// Of indices of builds whose size depends on other indices: a size that is not below any of those, and
    /// not negative.
    pub(super) padded: BTreeMap<Var, Size>,
}

impl DefFacts {
    /// Whether the statement may fail.
    pub(super) fn fails(&self, stmt: &Stmt) -> bool {
        stmt.binders.first().is_none_or(|it| self.failing.contains(&it.var))
    }

    /// The types of all variables of the input.
    pub(super) fn types(&self) -> impl Iterator<Item = (&Var, &Type)> {
        self.types.iter()
    }

    /// The type of an operand in the input.
    pub(super) fn type_of(&self, atom: &Atom) -> Type {
        let found = typing::atom_type(&|var| self.types.get(&var).cloned(), atom);
        found.expect("V1: bound before use")
    }
}

impl<'p> Facts<'p> {
    pub(super) fn new(program: &'p Program) -> Facts<'p> {
        let recursive = CallGraph::new(program, &Need::IN_BODIES).recursive();
        let (tellers, defs) = (ir::tellers(program), BTreeMap::new());
        let mut res = Facts { program, recursive, tellers, defs };
        program.defs.keys().for_each(|it| res.learn(it));
        res
    }

    /// Whether it is called as it is: it may not end, or has a derivative of its own.
    pub(super) fn is_recursive(&self, def: &Name) -> bool {
        self.recursive.contains(def) || self.program.customs.contains_key(def)
    }

    /// Whether a statement says something, so that it is done as often as the input does it.
    pub(super) fn tells(&self, stmt: &Stmt) -> bool {
        !self.tellers.is_empty() && ir::tells(&stmt.op, &self.tellers)
    }

    pub(super) fn source(&self, def: &Name) -> Option<&Def> {
        self.program.defs.get(def).map(|it| &**it)
    }

    pub(super) fn def(&self, def: &Name) -> Option<&DefFacts> {
        self.defs.get(def)
    }

    fn learn(&mut self, name: &Name) {
        let Some(def) = self.program.defs.get(name).filter(|_| !self.defs.contains_key(name))
        else {
            return;
        };
        // Calls inside of a cycle count as failing, so any answer does while it is worked out.
        let unknown = DefFacts { fails: true, ..DefFacts::default() };
        self.defs.insert(name.clone(), unknown);
        let called: BTreeSet<&Name> =
            graph::callees(&def.body).into_iter().map(|it| it.1).collect();
        called.into_iter().for_each(|it| self.learn(it));
        let facts = self.of(def);
        self.defs.insert(name.clone(), facts);
    }

    fn of(&self, def: &Def) -> DefFacts {
        let facts = DefFacts { fails: self.is_recursive(&def.name), ..DefFacts::default() };
        let mut learn = Learn { all: self, facts, ranges: BTreeMap::new() };
        for var in &def.size_params {
            learn.facts.types.insert(*var, Type::Int);
        }
        for param in &def.params {
            learn.facts.types.insert(param.var, param.ty.clone());
        }
        let fails = learn.block(&def.body);
        let mut facts = learn.facts;
        facts.fails |= fails;
        facts.cost = cost::block(self, &facts, &def.body, Bound::Most);
        facts.least = cost::block(self, &facts, &def.body, Bound::Least);
        facts.maskable =
            !self.is_recursive(&def.name) && mask::can_be_masked(self, &facts, &def.body);
        facts
    }
}

/// The least and the greatest value.
type Range = (Size, Size);

/// The work on one definition.
struct Learn<'a, 'p> {
    all: &'a Facts<'p>,
    facts: DefFacts,
    /// Of integers, and of the elements of arrays of integers.
    ranges: BTreeMap<Var, Range>,
}

impl Learn<'_, '_> {
    /// Whether anything in the block may fail.
    fn block(&mut self, block: &Block) -> bool {
        block.stmts.iter().fold(false, |fails, it| self.stmt(it) | fails)
    }

    fn stmt(&mut self, stmt: &Stmt) -> bool {
        self.bind_indices(&stmt.op);
        let mut fails = false;
        for (binders, block) in walk::blocks(&stmt.op) {
            let types = binders.into_iter().map(|it| (it.var, it.ty));
            self.facts.types.extend(types);
            fails |= self.block(block);
        }
        fails |= self.op_fails(&stmt.op);
        for binder in &stmt.binders {
            self.facts.types.insert(binder.var, binder.ty.clone());
        }
        if let [binder] = stmt.binders.as_slice() {
            if let Some(range) = self.range_of_op(&stmt.op) {
                self.ranges.insert(binder.var, range);
            }
            if fails {
                self.facts.failing.insert(binder.var);
            }
        } else if fails {
            self.facts.failing.extend(stmt.binders.first().map(|it| it.var));
        }
        fails
    }

    /// Index variables count from 0.
    fn bind_indices(&mut self, op: &Op) {
        if let Op::Control(ControlOp::Build { sizes, indices, .. }) = op {
            for (index, size) in indices.iter().zip(sizes) {
                let range = self.range_of_size(size);
                let padded = range.as_ref().filter(|it| it.0 != it.1).and_then(padded);
                let greatest = range.map_or(size.clone(), |it| it.1);
                let greatest = padded.clone().unwrap_or(greatest);
                self.facts.padded.extend(padded.map(|it| (*index, it)));
                let range = (Size::constant(0), greatest.sub(&Size::constant(1)));
                self.ranges.insert(*index, range);
            }
        }
        if let Op::Control(ControlOp::Iterate { count, index, .. }) = op
            && let Some((_, greatest)) = self.range_of_atom(count)
        {
            let range = (Size::constant(0), greatest.sub(&Size::constant(1)));
            self.ranges.insert(*index, range);
        }
    }

    /// Whether the operation itself may fail; the blocks inside of it are another question.
    fn op_fails(&self, op: &Op) -> bool {
        match op {
            Op::Prim(prim, args) => self.prim_fails(*prim, args),
            Op::Function(FunctionOp::Call { def, .. }) => {
                self.all.def(def).is_none_or(|it| it.fails)
            }
            Op::Array(
                ArrayOp::Index { array, indices } | ArrayOp::Gather { array, indices, .. },
            ) => !self.in_bounds(array, indices),
            Op::Array(ArrayOp::Scatter { into, indices, .. }) => !self.in_bounds(into, indices),
            Op::Array(ArrayOp::Slice { array, axis, from, to }) => {
                !self.slice_fits(array, *axis, from, to)
            }
            Op::Array(ArrayOp::Argmax(array) | ArrayOp::Argmin(array)) => {
                let (sizes, _) = self.sizes(array);
                sizes[0].as_constant().is_none_or(|it| it < 1)
            }
            Op::Array(ArrayOp::Reshape { array, rank, sizes }) => {
                let product =
                    |it: &[Size]| it.iter().fold(Size::constant(1), |product, it| product.mul(it));
                product(sizes) != product(&self.sizes(array).0[..*rank])
            }
            Op::Array(ArrayOp::Sized { array, size }) => self.sizes(array).0[0] != *size,
            Op::Copy(_)
            | Op::Size(_)
            | Op::Tuple { .. }
            | Op::Proj { .. }
            | Op::Con { .. }
            | Op::Equal(..)
            | Op::Close(..)
            | Op::Function(FunctionOp::Lambda(_)) => false,
            Op::Array(op) => op.is_partial(),
            Op::Derive(op) => op.is_partial(),
            // It may have no end.
            Op::Control(op) => matches!(op, ControlOp::While { .. }),
            Op::Function(FunctionOp::Apply(..)) | Op::Delta(_) => true,
        }
    }

    fn sizes(&self, array: &Atom) -> (Vec<Size>, Type) {
        let ty = self.facts.type_of(array);
        let (sizes, inner) = ty.split_arrays();
        (sizes, inner.clone())
    }

    /// Integers cannot be divided by zero, and have no negative powers.
    fn prim_fails(&self, prim: Prim, args: &[Atom]) -> bool {
        if !partial_on_ints(prim) || self.sizes(&args[0]).1 != Type::Int {
            return false;
        }
        let least = self.range_of_atom(&args[1]).and_then(|it| it.0.as_constant());
        let greatest = self.range_of_atom(&args[1]).and_then(|it| it.1.as_constant());
        let positive = least.is_some_and(|it| it > 0 || prim == Prim::Pow && it == 0);
        let negative = prim != Prim::Pow && greatest.is_some_and(|it| it < 0);
        !positive && !negative
    }

    fn in_bounds(&self, array: &Atom, indices: &[Atom]) -> bool {
        let (sizes, _) = self.sizes(array);
        let fits = |(index, size): (&Atom, &Size)| {
            let Some((least, greatest)) = self.range_of_atom(index) else { return false };
            not_negative(&least) && not_negative(&size.sub(&greatest).sub(&Size::constant(1)))
        };
        indices.iter().zip(&sizes).all(fits)
    }

    fn slice_fits(&self, array: &Atom, axis: usize, from: &Size, to: &Size) -> bool {
        let (sizes, _) = self.sizes(array);
        let (Some(first), Some(last)) = (self.range_of_size(from), self.range_of_size(to)) else {
            return false;
        };
        let fits = not_negative(&first.0) && not_negative(&sizes[axis].sub(&last.1));
        fits && not_negative(&to.sub(from))
    }

    fn range_of_atom(&self, atom: &Atom) -> Option<Range> {
        match atom {
            Atom::Int(value) => Some((Size::constant(*value), Size::constant(*value))),
            Atom::Var(var) => match self.ranges.get(var) {
                Some(range) => Some(range.clone()),
                None if self.facts.types.get(var) == Some(&Type::Int) => {
                    Some((Size::var(*var), Size::var(*var)))
                }
                None => None,
            },
            Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => None,
        }
    }

    /// The range of a polynomial in which no two variables with ranges are multiplied.
    fn range_of_size(&self, size: &Size) -> Option<Range> {
        let (mut least, mut greatest) = (Size::constant(0), Size::constant(0));
        for (monomial, coefficient) in size.terms() {
            let ranged = monomial.iter().filter(|it| self.ranges.contains_key(it)).count();
            let (low, high) = match (ranged, monomial) {
                (0, _) => {
                    let product = |p: Size, it: &Var| p.mul(&Size::var(*it));
                    let product = monomial.iter().fold(Size::constant(1), product);
                    (product.clone(), product)
                }
                (1, [var]) => self.ranges[var].clone(),
                _ => return None,
            };
            let (low, high) = if coefficient < 0 { (high, low) } else { (low, high) };
            least = least.add(&low.scale(coefficient));
            greatest = greatest.add(&high.scale(coefficient));
        }
        Some((least, greatest))
    }

    fn range_of_op(&self, op: &Op) -> Option<Range> {
        match op {
            Op::Prim(Prim::Add, args) => {
                let (a, b) = (self.range_of_atom(&args[0])?, self.range_of_atom(&args[1])?);
                Some((a.0.add(&b.0), a.1.add(&b.1)))
            }
            Op::Prim(Prim::Sub, args) => {
                let (a, b) = (self.range_of_atom(&args[0])?, self.range_of_atom(&args[1])?);
                Some((a.0.sub(&b.1), a.1.sub(&b.0)))
            }
            Op::Prim(Prim::Rem, args) => match args.get(1) {
                Some(Atom::Int(divisor)) if *divisor > 0 => {
                    Some((Size::constant(0), Size::constant(divisor - 1)))
                }
                Some(_) | None => None,
            },
            Op::Size(size) => self.range_of_size(size),
            Op::Array(ArrayOp::Iota(size)) => {
                let (_, greatest) = self.range_of_size(size)?;
                Some((Size::constant(0), greatest.sub(&Size::constant(1))))
            }
            Op::Copy(array)
            | Op::Array(
                ArrayOp::Replicate { value: array, .. } | ArrayOp::Transpose { array, .. },
            ) => self.range_of_atom(array),
            Op::Prim(..)
            | Op::Tuple { .. }
            | Op::Proj { .. }
            | Op::Con { .. }
            | Op::Equal(..)
            | Op::Close(..)
            | Op::Array(_)
            | Op::Control(_)
            | Op::Function(_)
            | Op::Derive(_)
            | Op::Delta(_) => None,
        }
    }
}

/// A size that is not below any in a range, and not negative: rows from 0 to `n - 1` elements have room for
/// `n`, also where there is none.
fn padded((least, greatest): &Range) -> Option<Size> {
    if !not_negative(least) {
        return None;
    }
    let below = greatest.terms().find(|it| it.0.is_empty()).map_or(0, |it| it.1.min(0));
    let is_sum = greatest.terms().all(|(monomial, by)| monomial.is_empty() || by > 0);
    (is_sum && below >= -2).then(|| greatest.sub(&Size::constant(below)))
}

/// Whether a primitive of integers fails for some of them.
pub(super) fn partial_on_ints(prim: Prim) -> bool {
    matches!(prim, Prim::Div | Prim::Rem | Prim::Pow)
}

fn not_negative(size: &Size) -> bool {
    size.as_constant().is_some_and(|it| it >= 0)
}
