//! All edits of a program, numbered.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Name;
use ir::{Atom, Binder, Block, Def, FunctionOp, Literal, Op, Program, Size, Stmt, Type, Var, walk};

use super::replace::{default, drop_result, map_blocks, replacements};
use crate::define::main;

/// The program after the edit of that number; `None` if there are fewer.
pub(super) fn edited(program: &Program, number: usize) -> Option<Program> {
    let mut left = number;
    let mut hit = || {
        let hit = left == 0;
        left = left.wrapping_sub(1);
        hit
    };
    for name in program.datas.keys() {
        if hit() {
            let mut res = program.clone();
            res.datas.remove(name);
            return Some(res);
        }
    }
    let names: Vec<&Name> = program.defs.keys().collect();
    for name in &names {
        if **name != main() && hit() {
            let mut res = program.clone();
            res.defs.remove(*name);
            return Some(res);
        }
    }
    for name in names.iter().rev() {
        let def = &program.defs[*name];
        for at in 0..def.params.len() {
            if hit() {
                return Some(without_param(program, name, at));
            }
        }
        if **name == main() {
            for at in 0..def.results.len() {
                if def.results.len() > 1 && hit() {
                    let mut def = Def::clone(def);
                    def.results.remove(at);
                    def.body.results.remove(at);
                    return Some(with_def(program, def));
                }
            }
            for (at, value) in
                (0..def.size_params.len()).flat_map(|at| [2, 1, 0, 3].map(|it| (at, it)))
            {
                if hit() {
                    return Some(with_def(program, with_size(def, at, value)));
                }
            }
        }
    }
    for name in names.iter().rev() {
        let def = &program.defs[*name];
        let sizes = def.size_params.iter().map(|it| Binder { var: *it, ty: Type::Int });
        let scope: Vec<Binder> = sizes.chain(def.params.iter().cloned()).collect();
        let mut edit = Edit { program, next_var: def.next_var, left, done: false };
        let mut body = edit.block(&def.body, &scope);
        if !edit.done {
            let mut known = scope.into_iter().map(|it| (it.var, it.ty)).collect();
            types(&def.body, &mut known);
            let mut atoms = Atoms { edit, types: known };
            body = walk::rewrite_block(&def.body, &mut atoms);
            edit = atoms.edit;
        }
        if edit.done {
            let def = Def { body, next_var: edit.next_var, ..Def::clone(def) };
            return Some(with_def(program, def));
        }
        left = edit.left;
    }
    None
}

fn with_def(program: &Program, def: Def) -> Program {
    let mut res = program.clone();
    res.defs.insert(def.name.clone(), Arc::new(def));
    res
}

/// A definition whose size parameter is a number.
fn with_size(def: &Def, at: usize, value: i64) -> Def {
    let mut res = def.clone();
    let var = res.size_params.remove(at);
    let size = |it: Var| (it == var).then(|| Size::constant(value));
    for binder in res.params.iter_mut().chain(&mut res.results) {
        binder.ty = binder.ty.substitute_sizes(&size);
    }
    res.body = walk::substitute_block(&res.body, &BTreeMap::from([(var, Atom::Int(value))]));
    res
}

/// Takes away a parameter, here and in all calls; in the body a constant takes its place.
fn without_param(program: &Program, name: &Name, at: usize) -> Program {
    let mut res = program.clone();
    let mut def = Def::clone(&program.defs[name]);
    let param = def.params.remove(at);
    let mut next_var = def.next_var;
    let (mut stmts, value) = default(program, &param.ty, &mut next_var);
    let rest = walk::substitute_block(&def.body, &BTreeMap::from([(param.var, value)]));
    let free = walk::free_vars_block(&def.body).contains(&param.var);
    if !free {
        stmts.clear();
    }
    stmts.extend(rest.stmts);
    def.body = Block { stmts, results: rest.results };
    def.next_var = next_var;
    res.defs.insert(name.clone(), Arc::new(def));
    for def in res.defs.values_mut() {
        let body = without_argument(&def.body, name, at);
        *def = Arc::new(Def { body, ..Def::clone(def) });
    }
    res
}

fn without_argument(block: &Block, name: &Name, at: usize) -> Block {
    let stmt = |stmt: &Stmt| {
        let mut op = map_blocks(&stmt.op, &mut |_, it| without_argument(it, name, at));
        if let Op::Function(FunctionOp::Call { def, args, .. }) = &mut op
            && def == name
        {
            args.remove(at);
        }
        Stmt { binders: stmt.binders.clone(), op }
    };
    Block { stmts: block.stmts.iter().map(stmt).collect(), results: block.results.clone() }
}

/// A walk that does the edit it has counted down to.
struct Edit<'a> {
    program: &'a Program,
    next_var: u32,
    left: usize,
    done: bool,
}

impl Edit<'_> {
    fn hit(&mut self) -> bool {
        if self.done {
            return false;
        }
        self.done = self.left == 0;
        self.left = self.left.wrapping_sub(1);
        self.done
    }

    fn block(&mut self, block: &Block, scope: &[Binder]) -> Block {
        let mut scope = scope.to_vec();
        let mut stmts: Vec<Stmt> = Vec::new();
        for (at, stmt) in block.stmts.iter().enumerate() {
            let rest = &block.stmts[at + 1..];
            let rest = Block { stmts: rest.to_vec(), results: block.results.clone() };
            if let Some(rest) = self.stmt(stmt, &rest, &scope) {
                stmts.extend(rest.stmts);
                return Block { stmts, results: rest.results };
            }
            let op = map_blocks(&stmt.op, &mut |bound, it| {
                let inner: Vec<Binder> = scope.iter().chain(bound).cloned().collect();
                self.block(it, &inner)
            });
            stmts.push(Stmt { binders: stmt.binders.clone(), op });
            if self.done {
                stmts.extend(rest.stmts);
                return Block { stmts, results: rest.results };
            }
            scope.extend(stmt.binders.iter().cloned());
        }
        Block { stmts, results: block.results.clone() }
    }

    /// The edits of a statement as a whole: it and what follows, if this is the place.
    fn stmt(&mut self, stmt: &Stmt, rest: &Block, scope: &[Binder]) -> Option<Block> {
        let free = walk::free_vars_block(rest);
        let unused = |it: &Binder| !free.contains(&it.var);
        if stmt.binders.iter().all(unused) && self.hit() {
            return Some(rest.clone());
        }
        let mut fresh = self.next_var;
        for replacement in replacements(self.program, stmt, scope, &mut fresh) {
            if self.hit() {
                self.next_var = fresh;
                let vars = stmt.binders.iter().map(|it| it.var);
                let by: BTreeMap<Var, Atom> = vars.zip(replacement.results).collect();
                let rest = walk::substitute_block(rest, &by);
                let stmts = replacement.stmts.into_iter().chain(rest.stmts).collect();
                return Some(Block { stmts, results: rest.results });
            }
        }
        for (at, binder) in stmt.binders.iter().enumerate() {
            if stmt.binders.len() > 1
                && unused(binder)
                && let Some(stmt) = drop_result(stmt, at)
                && self.hit()
            {
                let stmts = [stmt].into_iter().chain(rest.stmts.clone()).collect();
                return Some(Block { stmts, results: rest.results.clone() });
            }
        }
        None
    }
}

/// The edits of operands: literals in the place of variables, and simpler literals.
struct Atoms<'a> {
    edit: Edit<'a>,
    types: BTreeMap<Var, Type>,
}

impl walk::Rewrite for Atoms<'_> {
    fn atom(&mut self, atom: &Atom) -> Atom {
        let real = |x: f64| Atom::Real(Literal(x));
        let simpler = match atom {
            Atom::Var(var) => match self.types.get(var) {
                Some(Type::Real) => vec![real(0.0), real(1.0), real(0.5)],
                Some(Type::Int) => vec![Atom::Int(0), Atom::Int(1)],
                Some(Type::Bool) => vec![Atom::Bool(false), Atom::Bool(true)],
                Some(_) | None => Vec::new(),
            },
            Atom::Real(x) => vec![real(0.0), real(1.0), real(x.0.trunc())],
            Atom::Int(x) => vec![Atom::Int(0), Atom::Int(1), Atom::Int(x / 2)],
            Atom::Bool(_) => vec![Atom::Bool(false)],
            Atom::Str(_) => Vec::new(),
        };
        for other in simpler {
            if other != *atom && self.edit.hit() {
                return other;
            }
        }
        atom.clone()
    }
}

/// The types of all variables that a block binds.
fn types(block: &Block, found: &mut BTreeMap<Var, Type>) {
    for stmt in &block.stmts {
        for (bound, inner) in walk::blocks(&stmt.op) {
            found.extend(bound.into_iter().map(|it| (it.var, it.ty)));
            types(inner, found);
        }
        found.extend(stmt.binders.iter().map(|it| (it.var, it.ty.clone())));
    }
}
