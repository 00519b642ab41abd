//! Which parameters of a definition are parts of themselves in every call that it makes of itself.

use std::collections::{BTreeMap, BTreeSet};

use ir::walk::{self, Visit};
use ir::{ArrayOp, Atom, Block, ControlOp, Def, FunctionOp, Need, Op, Size, Type, Var, graph};

use super::depth_of;
use super::ranges::Bounds;
use super::shape::{Axis, Shape, shape};

/// What becomes of a definition.
pub(super) struct Parts {
    /// By the position of a parameter, how each axis of it is kept.
    pub(super) params: BTreeMap<usize, Vec<Kept>>,
    /// What is known of its integers.
    pub(super) bounds: Bounds,
}

/// How the place of an axis is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// By the position of the first element; the others follow it.
    Shift,
    /// By a list of all positions.
    List,
}

/// What becomes of a definition, if anything does.
pub(super) fn find(def: &Def) -> Option<Parts> {
    let own: Vec<Need> = graph::callees(&def.body)
        .into_iter()
        .filter(|it| *it.1 == def.name)
        .map(|it| it.0)
        .collect();
    if own.is_empty() || own.iter().any(|it| *it != Need::Call) || names_sizes(def) {
        return None;
    }
    let mut finder = Finder::new(def);
    finder.block(&def.body, 0);
    let Finder { roots, kept, unfit, moved, bounds, .. } = finder;
    let is_fit = |root: &Var| !unfit.contains(root) && moved.contains(root);
    let params: BTreeMap<usize, Vec<Kept>> = roots
        .into_iter()
        .filter(|it| is_fit(&it.0))
        .map(|(root, at)| (at, kept[&root].clone()))
        .collect();
    (!params.is_empty()).then_some(Parts { params, bounds })
}

/// Whether the type of a result mentions another one.
fn names_sizes(def: &Def) -> bool {
    let own: BTreeSet<Var> = def.results.iter().map(|it| it.var).collect();
    def.results.iter().any(|it| it.ty.size_vars().iter().any(|it| own.contains(it)))
}

/// An array that is a parameter or a part of one.
#[derive(Clone)]
struct Seen {
    root: Var,
    sizes: Vec<Size>,
    /// Whether it is no part as the parameter is, but a row of one.
    is_row: bool,
}

struct Finder<'d> {
    def: &'d Def,
    /// The parameters that may be parts, with their positions.
    roots: BTreeMap<Var, usize>,
    kept: BTreeMap<Var, Vec<Kept>>,
    seen: BTreeMap<Var, Seen>,
    /// Those that are used as a whole.
    unfit: BTreeSet<Var>,
    /// Those of which a call gets a part.
    moved: BTreeSet<Var>,
    bounds: Bounds,
}

impl<'d> Finder<'d> {
    fn new(def: &'d Def) -> Finder<'d> {
        let (mut roots, mut kept, mut seen) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut bounds = Bounds::default();
        for (at, param) in def.params.iter().enumerate() {
            let (sizes, elem) = param.ty.split_arrays();
            bounds.natural.extend(sizes.iter().filter_map(Size::as_var));
            if sizes.is_empty() || !matches!(elem, Type::Real | Type::Int | Type::Bool) {
                continue;
            }
            roots.insert(param.var, at);
            kept.insert(param.var, vec![Kept::Shift; sizes.len()]);
            seen.insert(param.var, Seen { root: param.var, sizes, is_row: false });
        }
        let (unfit, moved) = (BTreeSet::new(), BTreeSet::new());
        Finder { def, roots, kept, seen, unfit, moved, bounds }
    }

    fn block(&mut self, block: &Block, depth: usize) {
        for stmt in &block.stmts {
            let found = shape(stmt, &|it| self.sizes_of(it), &self.bounds);
            if let Some(found) = found {
                self.part(stmt.binders[0].var, &found, stmt.binders[0].ty.split_arrays().0);
                continue;
            }
            if let Op::Array(ArrayOp::Index { array: Atom::Var(array), indices }) = &stmt.op
                && self.seen.contains_key(array)
            {
                self.read(stmt.binders[0].var, *array, indices.len(), depth);
            } else if let Op::Function(FunctionOp::Call { def, args, .. }) = &stmt.op
                && *def == self.def.name
            {
                self.call(args);
            } else {
                self.other(&stmt.op);
            }
            if let Op::Control(ControlOp::Build { sizes, indices, .. }) = &stmt.op {
                self.bounds.indices.extend(indices.iter().copied().zip(sizes.iter().cloned()));
            }
            for (_, inner) in walk::blocks(&stmt.op) {
                self.block(inner, depth + depth_of(&stmt.op));
            }
        }
        block.results.iter().for_each(|it| self.whole(it));
    }

    /// The sizes of an array that parts are made of.
    fn sizes_of(&self, array: Var) -> Option<Vec<Size>> {
        self.seen.get(&array).filter(|it| !it.is_row).map(|it| it.sizes.clone())
    }

    /// Another part.
    fn part(&mut self, var: Var, shape: &Shape, sizes: Vec<Size>) {
        let root = self.seen[&shape.source].root;
        let kept = self.kept.get_mut(&root).expect("a root knows how its axes are kept");
        let is_slice = shape.axes.iter().any(|it| matches!(it, Axis::Slice { .. }));
        for (axis, kept) in shape.axes.iter().zip(kept.iter_mut()) {
            if matches!(axis, Axis::At(it) if it.shift.is_none()) {
                *kept = Kept::List;
            }
        }
        // A list is no shorter than a part of one axis, and what is out of bounds would fail elsewhere.
        let is_list = shape.axes.len() == 1 && *kept == [Kept::List];
        if is_list || (shape.may_fail && !is_slice) {
            self.unfit.insert(root);
        }
        self.seen.insert(var, Seen { root, sizes, is_row: false });
    }

    /// An element, or a row of which one is read. In so many loops as there are axes, that is all of them.
    fn read(&mut self, var: Var, array: Var, n_indices: usize, depth: usize) {
        let Seen { root, sizes, .. } = self.seen[&array].clone();
        if n_indices < sizes.len() {
            let sizes = sizes[n_indices..].to_vec();
            self.seen.insert(var, Seen { root, sizes, is_row: true });
        }
        if depth >= self.kept[&root].len() {
            self.unfit.insert(root);
        }
    }

    fn call(&mut self, args: &[Atom]) {
        for (at, (arg, param)) in args.iter().zip(&self.def.params).enumerate() {
            let found = match arg {
                Atom::Var(var) => self.seen.get(var),
                Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => None,
            };
            let is_part = found.is_some_and(|it| it.root == param.var && !it.is_row);
            if !is_part {
                self.unfit.insert(param.var);
                self.whole(arg);
            } else if args[at] != Atom::Var(param.var) {
                self.moved.insert(param.var);
            }
        }
    }

    /// An operand that is needed as a whole.
    fn whole(&mut self, atom: &Atom) {
        if let Atom::Var(var) = atom
            && let Some(seen) = self.seen.get(var)
        {
            self.unfit.insert(seen.root);
        }
    }

    /// An operation that wants whole operands; what is inside of its blocks is another matter.
    fn other(&mut self, op: &Op) {
        struct Operands(Vec<Atom>);
        impl<'a> Visit<'a> for Operands {
            fn atom(&mut self, atom: &'a Atom) {
                self.0.push(atom.clone());
            }
            fn block(&mut self, _: &'a Block) {}
        }
        let mut operands = Operands(Vec::new());
        walk::visit_op(op, &mut operands);
        operands.0.iter().for_each(|it| self.whole(it));
    }
}
