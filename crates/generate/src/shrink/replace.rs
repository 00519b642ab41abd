//! What a statement can be replaced by, and the pieces for it.
#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "an operation not known here is only shrunk less; a block forgotten is a panic"
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use ir::{
    Arm, ArrayOp, Atom, Binder, Block, ControlOp, Def, FunctionOp, Lambda, Literal, Loop, Op,
    Program, Stmt, Type, Var, graph, typing, walk,
};

/// How deep a constant of a sum type may be.
const DEEPEST: usize = 3;

/// Blocks that give what the statement gives: a branch, the initial state, a body without its loop,
/// operands and variables of the same types, constants.
pub(super) fn replacements(
    program: &Program,
    stmt: &Stmt,
    scope: &[Binder],
    next_var: &mut u32,
) -> Vec<Block> {
    let mut res = Vec::new();
    let given = |results: &[Atom]| Block { stmts: Vec::new(), results: results.to_vec() };
    match &stmt.op {
        Op::Control(ControlOp::If { then, otherwise, .. }) => {
            res.extend([then.clone(), otherwise.clone()])
        }
        Op::Control(ControlOp::Match { arms, otherwise, .. }) => {
            res.extend(otherwise.clone());
            res.extend(
                arms.iter().map(|it| with_defaults(program, &it.fields, &it.body, next_var)),
            );
        }
        Op::Control(ControlOp::Fold { inits, step, .. }) => {
            res.push(given(inits));
            let body = with_atoms(&step.state, inits, &step.body);
            res.push(with_defaults(program, &step.elems, &body, next_var));
        }
        Op::Control(ControlOp::Iterate { inits, index, state, body, .. }) => {
            res.push(given(inits));
            let body = with_atoms(state, inits, body);
            res.push(walk::substitute_block(&body, &BTreeMap::from([(*index, Atom::Int(0))])));
        }
        Op::Control(ControlOp::While { inits, state, body, .. }) => {
            res.push(given(inits));
            res.push(with_atoms(state, inits, body));
        }
        Op::Function(FunctionOp::Call { def, types, sizes, args }) if types.is_empty() => {
            res.extend(inlined(program, &program.defs[def], sizes, args, next_var));
        }
        _ => {}
    }
    for atoms in alike(stmt, scope) {
        res.push(given(&atoms));
    }
    let mut constant = Block { stmts: Vec::new(), results: Vec::new() };
    for binder in &stmt.binders {
        let (stmts, value) = default(program, &binder.ty, next_var);
        constant.stmts.extend(stmts);
        constant.results.push(value);
    }
    res.push(constant);
    res
}

/// For every result a variable of the same type: of the operands the first, of those the last, of
/// all that is there the first.
fn alike(stmt: &Stmt, scope: &[Binder]) -> Vec<Vec<Atom>> {
    let used = walk::free_vars_op(&stmt.op);
    let choose = |choice: usize, ty: &Type| {
        let mut operands = scope.iter().filter(|it| it.ty == *ty && used.contains(&it.var));
        let found = match choice {
            0 => operands.next(),
            1 => operands.next_back(),
            _ => scope.iter().find(|it| it.ty == *ty),
        };
        found.map(|it| Atom::Var(it.var))
    };
    let all = |choice| stmt.binders.iter().map(|it| choose(choice, &it.ty)).collect();
    let mut res: Vec<Vec<Atom>> = (0..3).filter_map(all).collect();
    res.dedup();
    res
}

/// The body of a definition in the place of a call, with all its variables renamed.
fn inlined(
    program: &Program,
    def: &Arc<Def>,
    sizes: &[ir::Size],
    args: &[Atom],
    next_var: &mut u32,
) -> Option<Block> {
    let calls_itself = graph::callees(&def.body).iter().any(|it| *it.1 == def.name);
    // Sizes must be operands, and a definition that calls itself stays one.
    let sizes: Vec<Atom> = sizes
        .iter()
        .map(|it| match (it.as_constant(), it.as_var()) {
            (Some(value), _) => Some(Atom::Int(value)),
            (None, Some(var)) => Some(Atom::Var(*var)),
            (None, None) => None,
        })
        .collect::<Option<_>>()?;
    if calls_itself || !program.defs.contains_key(&def.name) {
        return None;
    }
    let first = *next_var;
    *next_var += def.next_var;
    let renamed = walk::rename_block(&def.body, &mut |var| Var(var.0 + first));
    let params = def.size_params.iter().copied().chain(def.params.iter().map(|it| it.var));
    let by = params.map(|it| Var(it.0 + first)).zip(sizes.iter().chain(args).cloned());
    Some(walk::substitute_block(&renamed, &by.collect()))
}

fn with_atoms(binders: &[Binder], atoms: &[Atom], body: &Block) -> Block {
    let by = binders.iter().map(|it| it.var).zip(atoms.iter().cloned()).collect();
    walk::substitute_block(body, &by)
}

/// The body with constants for these variables.
fn with_defaults(program: &Program, binders: &[Binder], body: &Block, next_var: &mut u32) -> Block {
    let (mut stmts, mut values) = (Vec::new(), Vec::new());
    for binder in binders {
        let (more, value) = default(program, &binder.ty, next_var);
        stmts.extend(more);
        values.push(value);
    }
    let body = with_atoms(binders, &values, body);
    stmts.extend(body.stmts);
    Block { stmts, results: body.results }
}

/// A constant of a type, and the statements that make it.
pub(super) fn default(program: &Program, ty: &Type, next_var: &mut u32) -> (Vec<Stmt>, Atom) {
    let mut stmts = Vec::new();
    let value = constant(program, ty, next_var, &mut stmts, DEEPEST);
    (stmts, value)
}

fn constant(
    program: &Program,
    ty: &Type,
    next_var: &mut u32,
    stmts: &mut Vec<Stmt>,
    depth: usize,
) -> Atom {
    let op = match ty {
        Type::Real => return Atom::Real(Literal(1.0)),
        Type::Int => return Atom::Int(0),
        Type::Bool => return Atom::Bool(false),
        Type::String => return Atom::Str("".into()),
        Type::Array(size, elem) => {
            let value = constant(program, elem, next_var, stmts, depth);
            Op::Array(ArrayOp::Replicate { size: size.clone(), value })
        }
        Type::Tuple(parts) => {
            let part = |it| constant(program, it, next_var, stmts, depth);
            Op::Tuple { rank: 0, parts: parts.iter().map(part).collect() }
        }
        Type::Function(params, result) => {
            let mut binder = |ty: &Type| {
                *next_var += 1;
                Binder { var: Var(*next_var - 1), ty: ty.clone() }
            };
            let params = params.iter().map(&mut binder).collect();
            let mut inner = Vec::new();
            let value = constant(program, result, next_var, &mut inner, depth);
            let body = Block { stmts: inner, results: vec![value] };
            Op::Function(FunctionOp::Lambda(Arc::new(Lambda { params, body })))
        }
        Type::Data(..) => {
            let cons = typing::constructors(program, ty).unwrap_or_default();
            let flat = cons.iter().find(|it| !it.fields.contains(ty)).filter(|_| depth > 0);
            let Some(con) = flat else { return Atom::Bool(false) };
            let arg = |it| constant(program, it, next_var, stmts, depth - 1);
            let args = con.fields.iter().map(arg).collect();
            Op::Con { ty: ty.clone(), con: con.name.clone(), args }
        }
        // No such values are generated; what does not verify is not taken.
        Type::Var(_) | Type::Dual(_) | Type::Delta | Type::Tape(_) => return Atom::Bool(false),
    };
    let var = Var(*next_var);
    *next_var += 1;
    stmts.push(Stmt { binders: vec![Binder { var, ty: ty.clone() }], op });
    Atom::Var(var)
}

/// The statement without one of its results, in whose place loops have the initial state.
pub(super) fn drop_result(stmt: &Stmt, at: usize) -> Option<Stmt> {
    let mut res = stmt.clone();
    res.binders.remove(at);
    let cut = |block: &mut Block| drop(block.results.remove(at));
    let fixed = |block: &Block, state: &Binder, init: &Atom| {
        let mut block = walk::substitute_block(block, &BTreeMap::from([(state.var, init.clone())]));
        block.results.remove(at);
        block
    };
    match &mut res.op {
        Op::Control(ControlOp::If { then, otherwise, .. }) => {
            cut(then);
            cut(otherwise);
        }
        Op::Control(ControlOp::Build { body, .. }) => cut(body),
        Op::Control(ControlOp::Fold { inits, step, .. } | ControlOp::Scan { inits, step, .. }) => {
            let (init, state) = (inits.remove(at), step.state.remove(at));
            step.body = fixed(&step.body, &state, &init);
        }
        Op::Control(ControlOp::Iterate { inits, state, body, .. }) => {
            let (init, state) = (inits.remove(at), state.remove(at));
            *body = fixed(body, &state, &init);
        }
        Op::Control(ControlOp::While { inits, state, cond, body }) => {
            let (init, state) = (inits.remove(at), state.remove(at));
            *body = fixed(body, &state, &init);
            *cond = walk::substitute_block(cond, &BTreeMap::from([(state.var, init)]));
        }
        _ => return None,
    }
    Some(res)
}

/// The operation with other blocks inside; each comes with what is bound in front of it.
pub(super) fn map_blocks(op: &Op, f: &mut dyn FnMut(&[Binder], &Block) -> Block) -> Op {
    let mut blocks: Vec<Block> = walk::blocks(op).iter().map(|(bound, it)| f(bound, it)).collect();
    blocks.reverse();
    let mut next = || blocks.pop().expect("as many blocks as before");
    let mut res = op.clone();
    match &mut res {
        Op::Control(ControlOp::Match { arms, otherwise, .. }) => {
            arms.iter_mut().for_each(|it: &mut Arm| it.body = next());
            if otherwise.is_some() {
                *otherwise = Some(next());
            }
        }
        Op::Function(FunctionOp::Lambda(lambda))
        | Op::Array(ArrayOp::Filter { predicate: lambda, .. }) => {
            *lambda = Arc::new(Lambda { params: lambda.params.clone(), body: next() });
        }
        Op::Control(ControlOp::If { then, otherwise, .. }) => {
            (*then, *otherwise) = (next(), next())
        }
        Op::Control(ControlOp::Build { body, .. } | ControlOp::Iterate { body, .. }) => {
            *body = next()
        }
        Op::Control(ControlOp::Fold { step, .. } | ControlOp::Scan { step, .. }) => {
            let step: &mut Loop = step;
            step.body = next();
        }
        Op::Control(ControlOp::While { cond, body, .. }) => (*cond, *body) = (next(), next()),
        _ => {}
    }
    assert!(blocks.is_empty(), "every block has its place");
    res
}
