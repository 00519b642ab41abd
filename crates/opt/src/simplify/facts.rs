//! What the rules know at a place of a program: the types of variables, what binds them, how often they
//! are used, and of every block around the place what its statements tell.
//!
//! - `facts/affine.rs`: arrays of integers as affine functions of their position;
//! - `facts/bounds.rs`: sizes that are not negative, indices in bounds;
//! - `facts/masks.rs`: indices in bounds where a mask holds;
//! - `facts/fail.rs`: which operations can fail;
//! - `facts/mirror.rs`: arrays that are the same by rows and by columns.
//!
//! Facts are only ever added, by [`Facts::declare`] and [`Facts::note`], and forgotten with the block
//! that they are of.

mod affine;
mod bounds;
mod fail;
mod masks;
mod mirror;

pub(super) use affine::{Affine, Along};
pub(super) use mirror::Symmetry;

use std::collections::{BTreeSet, HashSet};

use ir::walk::{self, Visit};
use ir::{ArrayOp, Atom, Block, Op, Program, Size, Type, Var, VarMap, typing};

use bounds::Positions;
use mirror::Mirror;

/// What one of the blocks around a place tells.
#[derive(Default)]
struct Scope {
    /// Whether it is the body of a loop.
    is_loop: bool,
    /// Sizes that arrays have, and which are not negative therefore.
    sizes: BTreeSet<Size>,
    /// Positions that were read or written.
    taken: HashSet<Positions>,
}

/// What is known at a place of a definition.
pub(super) struct Facts<'a> {
    program: &'a Program,
    /// The size parameters of the definition.
    size_params: &'a [Var],
    types: VarMap<Type>,
    /// How deep the block is that binds a variable.
    depths: VarMap<usize>,
    /// The operations that bind variables, of one result and without blocks inside.
    ops: VarMap<Op>,
    affine: VarMap<Affine>,
    /// What arrays are with their first two axes exchanged.
    mirrors: VarMap<Mirror>,
    /// The ends of the ranges of indices, which start at 0.
    ranges: VarMap<Size>,
    /// How often a variable is an operand in the input.
    uses: VarMap<usize>,
    /// The blocks around the place, the outermost first.
    scopes: Vec<Scope>,
}

impl<'a> Facts<'a> {
    pub(super) fn new(program: &'a Program, size_params: &'a [Var]) -> Facts<'a> {
        Facts {
            program,
            size_params,
            types: VarMap::default(),
            depths: VarMap::default(),
            ops: VarMap::default(),
            affine: VarMap::default(),
            mirrors: VarMap::default(),
            ranges: VarMap::default(),
            uses: VarMap::default(),
            scopes: Vec::new(),
        }
    }

    /// Goes into a block.
    pub(super) fn enter(&mut self, is_loop: bool) {
        self.scopes.push(Scope { is_loop, ..Scope::default() });
    }

    /// Goes out of a block, and forgets what only it told.
    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    /// How deep the place is: 0 in the outermost block.
    pub(super) fn depth(&self) -> usize {
        self.scopes.len() - 1
    }

    /// Whether the block of this depth is the body of a loop.
    pub(super) fn is_loop(&self, depth: usize) -> bool {
        self.scopes[depth].is_loop
    }

    /// Counts the operands of a block.
    pub(super) fn count_uses(&mut self, block: &Block) {
        walk::visit_block(block, &mut Uses(&mut self.uses));
    }

    /// A variable is bound in the block of this depth.
    pub(super) fn declare(&mut self, var: Var, ty: Type, depth: usize) {
        let (sizes, _) = ty.split_arrays();
        self.scopes[depth].sizes.extend(sizes);
        if depth == 0 && ty == Type::Int && self.size_params.contains(&var) {
            self.scopes[0].sizes.insert(Size::var(var));
        }
        self.types.insert(var, ty);
        self.depths.insert(var, depth);
    }

    /// An index goes from 0 to this end.
    pub(super) fn declare_range(&mut self, var: Var, end: Size) {
        self.ranges.insert(var, end);
    }

    /// A statement was done in the block of this depth, and gave these variables.
    pub(super) fn note(&mut self, vars: &[Var], op: &Op, depth: usize) {
        self.learn(op, depth);
        let [var] = vars else { return };
        self.learn_found(*var, op, depth);
        self.learn_remainder(*var, op, depth);
        if walk::blocks(op).is_empty() {
            if let Some(form) = self.affine_op(op) {
                self.affine.insert(*var, form);
            }
            self.note_mirror(*var, op);
            self.ops.insert(*var, op.clone());
        }
    }

    pub(super) fn type_of(&self, atom: &Atom) -> Option<&Type> {
        match atom {
            Atom::Var(var) => self.types.get(*var),
            Atom::Real(_) => Some(&Type::Real),
            Atom::Int(_) => Some(&Type::Int),
            Atom::Bool(_) => Some(&Type::Bool),
            Atom::Str(_) => Some(&Type::String),
        }
    }

    pub(super) fn is_bound(&self, var: Var) -> bool {
        self.types.contains(var)
    }

    /// The types of what an operation gives.
    pub(super) fn result_types(&self, op: &Op, results: &[Var]) -> Result<Vec<Type>, String> {
        let lookup = |var: Var| self.types.get(var).cloned();
        typing::result_types(self.program, &lookup, op, results)
    }

    /// The type of what an operation of one result gives.
    pub(super) fn result_type(&self, op: &Op) -> Option<Type> {
        self.result_types(op, &[Var(0)]).ok()?.pop()
    }

    /// How deep the block is that binds a variable.
    pub(super) fn depth_of(&self, var: Var) -> Option<usize> {
        self.depths.get(var).copied()
    }

    /// Whether a value is bound in the block that is being made, and not outside of a loop.
    pub(super) fn is_here(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Var(var) => self.depth_of(*var) == Some(self.depth()),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => true,
        }
    }

    /// Whether a value is bound in the block that is being made, or around it.
    pub(super) fn is_outside(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Var(var) => self.depth_of(*var).is_some_and(|it| it <= self.depth()),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => true,
        }
    }

    /// Whether a variable has but one use, as far as the input tells.
    pub(super) fn is_used_once(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Var(var) => self.uses.get(*var).is_none_or(|it| *it <= 1),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => true,
        }
    }

    pub(super) fn is_array(&self, atom: &Atom) -> bool {
        matches!(self.type_of(atom), Some(Type::Array(..)))
    }

    /// The sizes of an array.
    pub(super) fn sizes_of(&self, atom: &Atom) -> Option<Vec<Size>> {
        self.type_of(atom).map(|it| it.split_arrays().0)
    }

    /// The operation that binds a variable, if it has one result and no blocks inside.
    pub(super) fn op_of(&self, atom: &Atom) -> Option<&Op> {
        match atom {
            Atom::Var(var) => self.ops.get(*var),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => None,
        }
    }

    /// The scalar that a value consists of: itself, or what it is replicated from along all axes.
    pub(super) fn scalar_of(&self, atom: &Atom) -> Option<Atom> {
        let mut atom = atom.clone();
        loop {
            match self.op_of(&atom) {
                Some(Op::Array(ArrayOp::Replicate { value, .. })) => atom = value.clone(),
                Some(_) | None => {
                    let is_array = matches!(self.type_of(&atom)?, Type::Array(..));
                    return (!is_array).then_some(atom);
                }
            }
        }
    }

    /// The literal that a value consists of.
    pub(super) fn constant_of(&self, atom: &Atom) -> Option<Atom> {
        self.scalar_of(atom).filter(|it| !matches!(it, Atom::Var(_)))
    }

    /// Whether all elements are the real 0 (of either sign) or the integer 0.
    pub(super) fn is_zero(&self, atom: &Atom) -> bool {
        match self.scalar_of(atom) {
            Some(Atom::Real(it)) => it.0 == 0.0,
            Some(Atom::Int(it)) => it == 0,
            Some(Atom::Var(_) | Atom::Bool(_) | Atom::Str(_)) | None => false,
        }
    }

    /// Whether a value is repeated along an axis, as replicates and transposes tell.
    pub(super) fn is_repeated(&self, atom: &Atom, axis: usize) -> bool {
        match self.op_of(atom) {
            Some(Op::Array(ArrayOp::Replicate { value, .. })) => {
                axis.checked_sub(1).is_none_or(|axis| self.is_repeated(value, axis))
            }
            Some(Op::Array(ArrayOp::Transpose { array, permutation })) => {
                self.is_repeated(array, permutation.get(axis).copied().unwrap_or(axis))
            }
            Some(_) | None => !self.is_array(atom),
        }
    }

    /// The common sizes of index arrays; none if they are all scalars.
    pub(super) fn positions_shape(&self, indices: &[Atom]) -> Vec<Size> {
        let shapes = indices.iter().filter_map(|it| self.sizes_of(it));
        shapes.max_by_key(Vec::len).unwrap_or_default()
    }
}

/// Counts how often variables are operands.
struct Uses<'u>(&'u mut VarMap<usize>);

impl Visit<'_> for Uses<'_> {
    fn atom(&mut self, atom: &Atom) {
        if let Atom::Var(var) = atom {
            *self.0.entry(*var) += 1;
        }
    }
}
