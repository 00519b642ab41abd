//! Values that a Delta term needs of a block it is not in: of a branch, of the step of a loop, of a
//! call. They are put into a sum type with one constructor for each way it may have gone.
//!
//! Sizes that are known where the Delta term stands are arguments of the type; those that the block
//! found out itself are fields, in front of the arrays that have them.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::walk::Visit;
use ir::{
    Arm, ArrayOp, Atom, Binder, Block, ConDecl, DataDecl, Op, Prim, Size, Stmt, Type, Var, walk,
};

use super::code::{Code, atoms};

/// What a block saves: the variables, and which of them the types of others mention.
pub(crate) struct Needs {
    /// Sizes that the block found out, then everything else.
    pub(crate) vars: Vec<Var>,
    pub(crate) n_sizes: usize,
}

impl Code {
    /// What a term needs of the variables that are bound in a block; `outer` are sizes that can be
    /// said outside.
    pub(crate) fn needs(
        &self,
        term: &Block,
        locals: &BTreeSet<Var>,
        outer: &BTreeMap<Var, Var>,
    ) -> Needs {
        let free = walk::free_vars_block(term);
        let wanted: BTreeSet<Var> =
            free.intersection(locals).copied().filter(|it| !outer.contains_key(it)).collect();
        let mut sizes = BTreeSet::new();
        for var in &wanted {
            sizes.extend(self.type_of(&Atom::Var(*var)).size_vars());
        }
        sizes.retain(|it| locals.contains(it) && !outer.contains_key(it));
        let n_sizes = sizes.len();
        let others = wanted.into_iter().filter(|it| !sizes.contains(it));
        let vars = sizes.iter().copied().chain(others).collect();
        Needs { vars, n_sizes }
    }

    /// The term with what it may compute itself of what is known outside: numbers that count or stay the same,
    /// and what Ints are made of them. That takes less than saving them.
    pub(crate) fn with_places(
        &mut self,
        body: &Block,
        term: Block,
        locals: &BTreeSet<Var>,
    ) -> Block {
        let mut found: Vec<&Stmt> = Vec::new();
        let mut known: BTreeSet<Var> = BTreeSet::new();
        // Arrays that are saved have types of these names.
        let mut sizes = Sizes::default();
        walk::visit_block(body, &mut sizes);
        for stmt in &body.stmts {
            let [binder] = stmt.binders.as_slice() else { continue };
            if sizes.0.contains(&binder.var) {
                continue;
            }
            let is_outside = |it: &Var| !locals.contains(it);
            let may_read = |it: &Var| is_outside(it) || known.contains(it);
            if makes_places(stmt)
                && walk::free_vars_op(&stmt.op).iter().all(may_read)
                && binder.ty.size_vars().iter().all(is_outside)
            {
                known.insert(binder.var);
                found.push(stmt);
            }
        }
        self.with_again(found, term)
    }

    /// The term with what shows arrays of the block in another order, or more often, done by itself, so that the
    /// arrays are saved: a product of two matrices is made of arrays with an axis more than either. Nor is a part saved
    /// of an array from outside: where it is says as much.
    pub(crate) fn with_views(
        &mut self,
        body: &Block,
        term: Block,
        locals: &BTreeSet<Var>,
    ) -> Block {
        let is_outside = |it: &Var| !locals.contains(it);
        let may_be_shown = |stmt: &&Stmt| {
            let has_size_from_outside =
                || stmt.binders.iter().all(|it| it.ty.size_vars().iter().all(is_outside));
            shows_elements(stmt) && has_size_from_outside() || is_part_of(stmt, &is_outside)
        };
        self.with_again(body.stmts.iter().filter(may_be_shown).collect(), term)
    }

    /// The term with those of these statements in front that it needs.
    fn with_again(&mut self, mut found: Vec<&Stmt>, term: Block) -> Block {
        let mut needed = walk::free_vars_block(&term);
        for stmt in found.iter().rev() {
            if needed.contains(&stmt.binders[0].var) {
                needed.extend(walk::free_vars_op(&stmt.op));
            }
        }
        found.retain(|it| needed.contains(&it.binders[0].var));
        let mut names = BTreeMap::new();
        let mut stmts = Vec::new();
        for stmt in found {
            let again = Block { stmts: vec![stmt.clone()], results: Vec::new() };
            let again = walk::substitute_block(&again, &names);
            let binder = self.fresh(stmt.binders[0].ty.clone());
            names.insert(stmt.binders[0].var, Atom::Var(binder.var));
            stmts.extend(
                again.stmts.into_iter().map(|it| Stmt { binders: vec![binder.clone()], ..it }),
            );
        }
        let term = walk::substitute_block(&term, &names);
        stmts.extend(term.stmts);
        Block { stmts, results: term.results }
    }

    /// Declares the sum type for these ways; gives it with the sizes that it is applied to.
    /// `outer` maps variables of the blocks to those that stand for them outside.
    pub(crate) fn declare_saved(
        &mut self,
        name: &Name,
        ways: &[&Needs],
        outer: &[Var],
    ) -> Vec<Name> {
        let mut next = outer.len() as u32;
        let mut cons = Vec::new();
        for (number, way) in ways.iter().enumerate() {
            let mut names: BTreeMap<Var, Var> = BTreeMap::new();
            for (at, var) in outer.iter().enumerate() {
                names.insert(*var, Var(at as u32));
            }
            let mut sizes = Vec::new();
            for var in &way.vars[..way.n_sizes] {
                names.insert(*var, Var(next));
                sizes.push(Var(next));
                next += 1;
            }
            let rename = |var: Var| names.get(&var).map(|it| Size::var(*it));
            let field = |var: &Var| self.type_of(&Atom::Var(*var)).substitute_sizes(&rename);
            let fields = way.vars.iter().map(field).collect();
            let name = name.part(number);
            cons.push(ConDecl { name, sizes, fields });
        }
        let names = cons.iter().map(|it| it.name.clone()).collect();
        let size_params = (0..outer.len() as u32).map(Var).collect();
        let decl = DataDecl { name: name.clone(), type_params: Vec::new(), size_params, cons };
        self.declare_data(decl);
        names
    }

    /// A name for a sum type of saved values.
    pub(crate) fn saved_name(&self, def: &Name) -> Name {
        let names = (1..).map(|number| def.part(format_args!("save{number}")));
        let mut names = names.filter(|it| !self.program().datas.contains_key(it));
        names.next().expect("numbers do not end")
    }

    /// The sizes that types of saved values mention and that are not found out by the block itself.
    pub(crate) fn outer_sizes(&self, ways: &[&Needs]) -> Vec<Var> {
        let mut res = BTreeSet::new();
        for way in ways {
            for var in &way.vars {
                res.extend(self.type_of(&Atom::Var(*var)).size_vars());
            }
        }
        for way in ways {
            way.vars[..way.n_sizes].iter().for_each(|it| {
                res.remove(it);
            });
        }
        res.into_iter().collect()
    }

    /// A match with one arm, in which the term finds what was saved for it.
    pub(crate) fn saved_arm(&mut self, ty: &Type, con: &Name, needs: &Needs, term: Block) -> Arm {
        let fields = self.fields(ty, con);
        let names: BTreeMap<Var, Atom> = needs.vars.iter().copied().zip(atoms(&fields)).collect();
        let body = walk::substitute_block(&term, &names);
        Arm { con: con.clone(), fields, body }
    }

    /// The value that is saved.
    pub(crate) fn saved_value(&mut self, ty: &Type, con: &Name, needs: &Needs) -> Atom {
        let args = needs.vars.iter().map(|it| Atom::Var(*it)).collect();
        self.one(Op::Con { ty: ty.clone(), con: con.clone(), args })
    }
}

/// The variables that are sizes, or of which sizes are computed.
#[derive(Default)]
struct Sizes(BTreeSet<Var>);

impl Visit<'_> for Sizes {
    fn size(&mut self, size: &Size) {
        self.0.extend(size.vars());
    }
}

/// Whether a statement counts, repeats or does arithmetic with Ints.
fn makes_places(stmt: &Stmt) -> bool {
    match &stmt.op {
        Op::Array(ArrayOp::Iota(_) | ArrayOp::Replicate { .. }) => true,
        // Without those that may fail.
        Op::Prim(Prim::Add | Prim::Sub | Prim::Mul | Prim::Neg | Prim::Min | Prim::Max, _) => {
            stmt.binders.iter().all(|it| *it.ty.split_arrays().1 == Type::Int)
        }
        Op::Prim(..) | Op::Copy(_) | Op::Size(_) | Op::Tuple { .. } | Op::Proj { .. } => false,
        Op::Con { .. } | Op::Equal(..) | Op::Close(..) | Op::Array(_) | Op::Control(_) => false,
        Op::Function(_) | Op::Derive(_) | Op::Delta(_) => false,
    }
}

/// Whether a statement repeats an array of numbers, or turns it around.
fn shows_elements(stmt: &Stmt) -> bool {
    let is_view = matches!(
        stmt.op,
        Op::Array(ArrayOp::Replicate { .. } | ArrayOp::Transpose { .. } | ArrayOp::Reverse(_))
    );
    let is_number = |ty: &Type| matches!(ty.split_arrays().1, Type::Real | Type::Int | Type::Bool);
    is_view && stmt.binders.iter().all(|it| is_number(&it.ty))
}

/// Whether a statement is a part of one of these arrays.
fn is_part_of(stmt: &Stmt, arrays: &dyn Fn(&Var) -> bool) -> bool {
    matches!(&stmt.op, Op::Array(ArrayOp::Slice { array: Atom::Var(array), .. }) if arrays(array))
}

/// Every variable bound by the statements of a block, but not inside of them.
pub(crate) fn locals(block: &Block, more: &[Binder]) -> BTreeSet<Var> {
    let own = block.stmts.iter().flat_map(|it| &it.binders);
    own.chain(more).map(|it| it.var).collect()
}
