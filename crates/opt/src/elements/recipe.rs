//! How whole arrays are made, element by element.

use std::collections::BTreeMap;
use std::sync::Arc;

use ir::{ArrayOp, Atom, Binder, Block, ControlOp, Op, Prim, Size, Stmt, Type, Var, walk};

use super::{MOST_STATEMENTS, Pass};

/// How a variable is made of parameters that derivatives are by.
#[derive(Clone)]
pub(super) enum Recipe {
    /// It is another one.
    Alias(Var),
    /// By one statement, which is done again where it is needed.
    Inline(Arc<Stmt>),
    /// Element by element.
    Build(Arc<Built>),
    /// One after the other.
    Concat(Arc<Vec<Atom>>),
}

/// An array that is said element by element.
pub(super) struct Built {
    pub(super) sizes: Vec<Size>,
    indices: Vec<Var>,
    /// It gives an element.
    body: Block,
}

impl Pass<'_> {
    /// Takes a statement of the definition: it stays if nothing in it is differentiated by.
    pub(super) fn statement(&mut self, stmt: &Stmt) -> Option<()> {
        let depends = |it: &Var| self.active.contains_key(it) || self.recipes.contains_key(it);
        if !walk::free_vars_op(&stmt.op).iter().any(depends) {
            self.builder.push(stmt.clone());
            return Some(());
        }
        for binder in &stmt.binders {
            self.builder.declare(binder.var, binder.ty.clone());
        }
        if let Op::Control(ControlOp::Build { sizes, indices, body }) = &stmt.op {
            for (binder, result) in stmt.binders.iter().zip(&body.results) {
                let body = Block { stmts: body.stmts.clone(), results: vec![result.clone()] };
                let built = Built { sizes: sizes.clone(), indices: indices.clone(), body };
                self.recipes.insert(binder.var, Recipe::Build(Arc::new(built)));
            }
            return Some(());
        }
        let [binder] = &stmt.binders[..] else { return None };
        let recipe = self.recipe(stmt, binder)?;
        self.recipes.insert(binder.var, recipe);
        Some(())
    }

    fn recipe(&mut self, stmt: &Stmt, binder: &Binder) -> Option<Recipe> {
        let sizes = binder.ty.split_arrays().0;
        match &stmt.op {
            Op::Copy(Atom::Var(var)) => Some(Recipe::Alias(*var)),
            Op::Prim(..) | Op::Array(ArrayOp::Index { .. }) if sizes.is_empty() => {
                Some(Recipe::Inline(Arc::new(stmt.clone())))
            }
            Op::Array(ArrayOp::Index { .. }) => Some(Recipe::Inline(Arc::new(stmt.clone()))),
            Op::Prim(prim, args) => Some(self.by_elements(&sizes, |it, at| {
                let args = args.iter().map(|arg| it.at(arg, at)).collect();
                it.builder.one(Op::Prim(*prim, args))
            })),
            Op::Array(ArrayOp::Slice { array, axis, from, .. }) => {
                Some(self.by_elements(&sizes, |it, at| {
                    let from = it.builder.one(Op::Size(from.clone()));
                    let mut at = at.to_vec();
                    at[*axis] = it.builder.one(Op::Prim(Prim::Add, vec![from, at[*axis].clone()]));
                    it.at(array, &at)
                }))
            }
            Op::Array(ArrayOp::Transpose { array, permutation }) => {
                Some(self.by_elements(&sizes, |it, at| {
                    let mut from = at.to_vec();
                    permutation.iter().zip(at).for_each(|(axis, at)| from[*axis] = at.clone());
                    it.at(array, &from)
                }))
            }
            Op::Array(ArrayOp::Concat(parts)) => Some(Recipe::Concat(Arc::new(parts.clone()))),
            Op::Array(ArrayOp::Sized { array: Atom::Var(var), .. }) => Some(Recipe::Alias(*var)),
            Op::Copy(_) | Op::Size(_) | Op::Equal(..) | Op::Close(..) | Op::Array(_) => None,
            Op::Tuple { .. } | Op::Proj { .. } | Op::Con { .. } | Op::Control(_) => None,
            Op::Function(_) | Op::Derive(_) | Op::Delta(_) => None,
        }
    }

    fn by_elements(
        &mut self,
        sizes: &[Size],
        element: impl FnOnce(&mut Pass<'_>, &[Atom]) -> Atom,
    ) -> Recipe {
        let indices: Vec<Var> = sizes.iter().map(|_| self.builder.fresh(Type::Int)).collect();
        let at: Vec<Atom> = indices.iter().map(|it| Atom::Var(*it)).collect();
        self.builder.open();
        let element = element(self, &at);
        let body = self.builder.close(vec![element]);
        Recipe::Build(Arc::new(Built { sizes: sizes.to_vec(), indices, body }))
    }

    /// The element of an array at these indices, or a number itself.
    fn at(&mut self, of: &Atom, at: &[Atom]) -> Atom {
        match self.builder.type_of(of) {
            Type::Array(..) => {
                let index = ArrayOp::Index { array: of.clone(), indices: at.to_vec() };
                self.builder.one(Op::Array(index))
            }
            Type::Real | Type::Int | Type::Bool | Type::String | Type::Tuple(_) => of.clone(),
            Type::Function(..) | Type::Var(_) | Type::Data(..) => of.clone(),
            Type::Dual(_) | Type::Delta | Type::Tape(_) => of.clone(),
        }
    }

    /// Adds the statements of an element at these indices, with variables of their own; gives the element.
    /// What they need of outside is added once, and is then known.
    pub(super) fn element(
        &mut self,
        built: &Built,
        at: &[Atom],
        stmts: &mut Vec<Stmt>,
        known: &mut BTreeMap<Var, Atom>,
    ) -> Option<Atom> {
        let block = self.renamed(&built.body);
        let mut by: BTreeMap<Var, Atom> =
            built.indices.iter().copied().zip(at.iter().cloned()).collect();
        let block = walk::substitute_block(&block, &by);
        by.clear();
        for stmt in &block.stmts {
            let stmt = self.with_known(stmt, stmts, known)?;
            let stmt = substituted(&stmt, &by);
            if let Some(atom) = self.read_of_built(&stmt, stmts, known)? {
                by.insert(stmt.binders.first()?.var, atom);
                continue;
            }
            stmts.push(stmt);
            if stmts.len() > MOST_STATEMENTS {
                return None;
            }
        }
        let result = block.results.first()?;
        let Atom::Var(var) = result else { return Some(result.clone()) };
        if let Some(atom) = by.get(var) {
            return Some(atom.clone());
        }
        // An element that was made outside of the build.
        match self.recipes.contains_key(var) || self.active.contains_key(var) {
            true => None,
            false => Some(result.clone()),
        }
    }

    /// The element of an array that is said element by element, if that is what a statement reads; none
    /// inside if it reads something else. Fails if such an array is needed as a whole.
    fn read_of_built(
        &mut self,
        stmt: &Stmt,
        stmts: &mut Vec<Stmt>,
        known: &mut BTreeMap<Var, Atom>,
    ) -> Option<Option<Atom>> {
        if let Op::Array(ArrayOp::Index { array: Atom::Var(var), indices }) = &stmt.op
            && let Some(Recipe::Build(built)) = self.recipes.get(var).cloned()
        {
            let n = built.sizes.len();
            let element = self.element(&built, indices.get(..n)?, stmts, known)?;
            if indices.len() == n {
                return Some(Some(element));
            }
            let op = Op::Array(ArrayOp::Index { array: element, indices: indices[n..].to_vec() });
            let binder = stmt.binders.first()?;
            let var = self.builder.fresh(binder.ty.clone());
            stmts.push(Stmt { binders: vec![Binder { var, ty: binder.ty.clone() }], op });
            return Some(Some(Atom::Var(var)));
        }
        let is_whole = walk::free_vars_op(&stmt.op).iter().any(|it| self.recipes.contains_key(it));
        (!is_whole).then_some(None)
    }

    /// The statement with what it needs of outside added before.
    fn with_known(
        &mut self,
        stmt: &Stmt,
        stmts: &mut Vec<Stmt>,
        known: &mut BTreeMap<Var, Atom>,
    ) -> Option<Stmt> {
        let mut by = BTreeMap::new();
        for var in walk::free_vars_op(&stmt.op) {
            if let Some(atom) = known.get(&var) {
                by.insert(var, atom.clone());
                continue;
            }
            match self.recipes.get(&var).cloned() {
                Some(Recipe::Alias(of)) => {
                    let one = Stmt { binders: Vec::new(), op: Op::Copy(Atom::Var(of)) };
                    let Op::Copy(atom) = self.with_known(&one, stmts, known)?.op else {
                        return None;
                    };
                    by.insert(var, atom);
                }
                Some(Recipe::Inline(made)) => {
                    let made = self.with_known(&made, stmts, known)?;
                    let atom = match self.read_of_built(&made, stmts, known)? {
                        Some(atom) => atom,
                        None => {
                            let binder = made.binders.first()?;
                            let own = self.builder.fresh(binder.ty.clone());
                            let binders = vec![Binder { var: own, ty: binder.ty.clone() }];
                            stmts.push(Stmt { binders, op: made.op.clone() });
                            Atom::Var(own)
                        }
                    };
                    known.insert(var, atom.clone());
                    by.insert(var, atom);
                }
                Some(Recipe::Build(_) | Recipe::Concat(_)) | None => {}
            }
        }
        Some(substituted(stmt, &by))
    }

    /// The block with variables of its own.
    pub(super) fn renamed(&mut self, block: &Block) -> Block {
        let mut own = BTreeMap::new();
        for var in walk::bound_vars(block) {
            own.insert(var, self.builder.fresh(Type::unit()));
        }
        walk::rename_block(block, &mut |it| own.get(&it).copied().unwrap_or(it))
    }
}

/// The statement with atoms in the place of variables.
pub(super) fn substituted(stmt: &Stmt, by: &BTreeMap<Var, Atom>) -> Stmt {
    if by.is_empty() {
        return stmt.clone();
    }
    let block = Block { stmts: vec![stmt.clone()], results: Vec::new() };
    walk::substitute_block(&block, by).stmts.remove(0)
}
