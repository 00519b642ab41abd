//! Ragged sums: `build i. sum (build j < i. t)`, where rows have different lengths.
//!
//! `build k (\i. sum (build (s i) (\j. t)))
//!    ~>  sum (select (build k (\i. build m (\j. j < s i))) (build k (\i. build m (\j. t))) 0)`
//! where `m` is the greatest `s i`, and known not to be negative. What is beyond the end of a row is computed
//! and not used, under the mask `j < s i`, so that it does not fail. Rows that grow by one are half of that;
//! compiled code leaves the other half out again (`crates/lower/src/split.rs`).
//!
//! The paper has no arrays of irregular size. What is done with one besides arithmetic and sums remains a
//! build.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ArrayOp, Atom, Block, ControlOp, Op, Prim, Reduction, Size, Stmt, Type, Var, walk};

use super::Vectorise;
use super::facts::partial_on_ints;
use super::held::{Dims, Held, union};
use super::mask::can_be_masked;

/// Where rows of a size that depends on the position end: for each of these sizes, a mask.
type Masks = BTreeMap<Size, Held>;

impl Vectorise<'_, '_> {
    /// Rewrites statements with arrays of irregular size, if all that is done with those is arithmetic and
    /// sums. Says whether it did.
    pub(super) fn padded(&mut self, stmts: &[Stmt], given: &[Atom]) -> bool {
        if !self.can_be_padded(stmts, given) {
            return false;
        }
        let mut masks = Masks::new();
        for stmt in stmts {
            let [binder] = stmt.binders.as_slice() else {
                self.stmt(stmt);
                continue;
            };
            if let Op::Control(ControlOp::Build { sizes, indices, body }) = &stmt.op
                && self.is_ragged(&binder.ty)
            {
                let held = self.padded_build(&sizes[0], indices[0], body, &mut masks);
                self.env.insert(binder.var, held);
            } else if let Op::Array(ArrayOp::Reduce { reduction, array, .. }) = &stmt.op
                && let Some(mask) = self.ragged_size(array).and_then(|it| masks.get(&it)).cloned()
            {
                let held = self.padded_sum(*reduction, array, &mask);
                self.env.insert(binder.var, held);
            } else {
                self.stmt(stmt);
            }
        }
        true
    }

    /// Whether the size of an array depends on the position.
    fn is_ragged(&self, ty: &Type) -> bool {
        ty.size_vars().iter().any(|it| !self.dims_of(*it).is_empty())
    }

    /// The size of an array of numbers that depends on the position, by its type in the input.
    fn ragged_size(&self, array: &Atom) -> Option<Size> {
        let ty = self.facts.type_of(array);
        let (sizes, _) = ty.split_arrays();
        let [size] = sizes.as_slice() else { return None };
        self.is_ragged(&ty).then(|| size.clone())
    }

    fn can_be_padded(&self, stmts: &[Stmt], given: &[Atom]) -> bool {
        let mut ragged: BTreeSet<Var> = BTreeSet::new();
        // A size that only these statements tell is not known before they are done.
        let mut local: BTreeSet<Var> = BTreeSet::new();
        for stmt in stmts {
            local.extend(stmt.binders.iter().map(|it| it.var));
            let mut sizes = stmt.binders.iter().flat_map(|it| it.ty.size_vars());
            if sizes.any(|it| local.contains(&it)) {
                return false;
            }
            let mentions = !walk::free_vars_op(&stmt.op).is_disjoint(&ragged);
            let is_ragged = stmt.binders.iter().any(|it| self.is_ragged(&it.ty));
            if !is_ragged && !mentions {
                continue;
            }
            let [binder] = stmt.binders.as_slice() else { return false };
            let fits = match &stmt.op {
                Op::Control(ControlOp::Build { indices, body, .. }) if is_ragged && !mentions => {
                    let (sizes, inner) = binder.ty.split_arrays();
                    let is_row = sizes.len() == 1 && matches!(inner, Type::Real | Type::Int);
                    let [index] = indices.as_slice() else { return false };
                    let is_bounded = self.facts.padded.contains_key(index);
                    is_row && is_bounded && can_be_masked(self.all, self.facts, body)
                }
                Op::Prim(prim, args) if is_ragged => {
                    let size = self.ragged_size(&Atom::Var(binder.var));
                    let same = |it: &Atom| match self.facts.type_of(it).split_arrays().0.is_empty()
                    {
                        true => true,
                        false => self.ragged_size(it) == size,
                    };
                    size.is_some() && !partial_on_ints(*prim) && args.iter().all(same)
                }
                Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, .. }) => !is_ragged,
                Op::Copy(_) | Op::Size(_) | Op::Tuple { .. } | Op::Proj { .. } => false,
                Op::Con { .. } | Op::Equal(..) | Op::Close(..) | Op::Prim(..) => false,
                Op::Array(_) | Op::Control(_) | Op::Function(_) => false,
                Op::Derive(_) | Op::Delta(_) => false,
            };
            if !fits {
                return false;
            }
            if is_ragged {
                ragged.insert(binder.var);
            }
        }
        let is_given = |it: &Atom| matches!(it, Atom::Var(var) if ragged.contains(var));
        !given.iter().any(is_given)
    }

    /// Rows as long as the longest.
    fn padded_build(&mut self, size: &Size, index: Var, body: &Block, masks: &mut Masks) -> Held {
        let padded = self.facts.padded[&index].clone();
        let padded = self.size(&padded).expect("compiler bug: a greatest size depends on an index");
        let outside = self.dims.clone();
        let dim = self.new_dim(padded);
        self.env.insert(index, Held { atom: Atom::Int(0), dims: vec![dim], index: true });
        self.dims.push(dim);
        let (end, position) = (self.build_of_size(size), self.held(&Atom::Var(index)));
        let mask = self.elementwise(Prim::Lt, &[position, end]);
        self.conditions.push((mask.clone(), true));
        let work = std::mem::replace(&mut self.work, Size::constant(0));
        let results = self.block(body);
        self.conditions.pop();
        (self.dims, self.work) = (outside, work);
        let mut own_axis = |held: &Held| {
            let dims: Dims = held.dims.iter().filter(|it| **it != dim).copied().collect();
            let atom = self.expand(held, &union(&dims, &[dim]), &[]);
            Held::over(&dims, atom)
        };
        masks.insert(size.clone(), own_axis(&mask));
        own_axis(&results[0])
    }

    /// The sum of what is in front of the end of each row.
    fn padded_sum(&mut self, reduction: Reduction, array: &Atom, mask: &Held) -> Held {
        let held = self.held(array);
        let zero = match *self.facts.type_of(array).split_arrays().1 == Type::Int {
            true => Atom::Int(0),
            false => Atom::Real(ir::Literal(0.0)),
        };
        let counted = self.elementwise(Prim::Select, &[mask.clone(), held, Held::plain(zero)]);
        self.build_of_sum(reduction, 0, &counted)
    }
}
