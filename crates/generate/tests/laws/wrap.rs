//! Adds to a program the derivatives of `main` as definitions.

use std::sync::Arc;

use base::Name;
use ir::{
    Atom, Binder, Builder, Def, DeriveOp, FunctionOp, Lambda, Op, Operator, Origin, Program, Size,
    Spans, Type,
};

/// The program with `main_jvp`, which takes the arguments and then their tangents, and `main_vjp`,
/// which takes the arguments and then cotangents of the results. If the result is one real, also
/// `main_grad` of the arguments, and `main_hvp` of the arguments and a direction. Each has one
/// result, a tuple if there are several parts.
pub(crate) fn wrap(program: &Program) -> Program {
    let mut res = program.clone();
    let mut operators = vec![("main_jvp", Operator::Jvp), ("main_vjp", Operator::Vjp)];
    if has_gradient(program) {
        operators.extend([("main_grad", Operator::Grad), ("main_hvp", Operator::Hvp)]);
    }
    for (name, operator) in operators {
        let def = derivative(program, Name::new(name), operator);
        res.defs.insert(def.name.clone(), Arc::new(def));
    }
    res
}

/// Whether `main` gives one real.
pub(crate) fn has_gradient(program: &Program) -> bool {
    let main = &program.defs[&generate::main()];
    matches!(&*main.results, [Binder { ty: Type::Real, .. }])
}

fn derivative(program: &Program, name: Name, operator: Operator) -> Def {
    let main = &program.defs[&generate::main()];
    let mut builder = Builder::new(program, main.next_var);
    for var in &main.size_params {
        builder.declare(*var, Type::Int);
    }
    for param in &main.params {
        builder.declare(param.var, param.ty.clone());
    }
    let mut fresh = |binders: &[Binder]| -> Vec<Binder> {
        let binder = |it: &Binder| Binder { var: builder.fresh(it.ty.clone()), ty: it.ty.clone() };
        binders.iter().map(binder).collect()
    };
    let forward = matches!(operator, Operator::Jvp | Operator::Hvp);
    let seeds = match (forward, operator) {
        (true, _) => fresh(&main.params),
        (false, Operator::Grad) => Vec::new(),
        (false, _) => fresh(&main.results),
    };
    let inner = fresh(&main.params);
    builder.open();
    builder.open();
    let sizes = main.size_params.iter().map(|it| Size::var(*it)).collect();
    let op = Op::Function(FunctionOp::Call {
        def: main.name.clone(),
        types: Vec::new(),
        sizes,
        args: atoms(&inner),
    });
    let results = builder.emit(op);
    let result = single(&mut builder, results);
    let body = builder.close(vec![result]);
    let function =
        builder.one(Op::Function(FunctionOp::Lambda(Arc::new(Lambda { params: inner, body }))));
    let mut args = atoms(&main.params);
    if forward {
        args = vec![single(&mut builder, args)];
    }
    if operator != Operator::Grad {
        args.push(single(&mut builder, atoms(&seeds)));
    }
    let res = builder.one(Op::Derive(DeriveOp::OfFunction { operator, level: 0, function, args }));
    let ty = builder.type_of(&res);
    let body = builder.close(vec![res]);
    let results = vec![Binder { var: builder.fresh(ty.clone()), ty }];
    let (next_var, _) = builder.finish();
    Def {
        name,
        type_params: Vec::new(),
        size_params: main.size_params.clone(),
        params: main.params.iter().chain(&seeds).cloned().collect(),
        results,
        body,
        next_var,
        spans: Spans::default(),
        origin: Origin::Derivative,
    }
}

fn atoms(binders: &[Binder]) -> Vec<Atom> {
    binders.iter().map(|it| Atom::Var(it.var)).collect()
}

/// The one atom, or the tuple of several.
fn single(builder: &mut Builder<'_>, mut atoms: Vec<Atom>) -> Atom {
    if atoms.len() == 1 {
        return atoms.remove(0);
    }
    builder.one(Op::Tuple { rank: 0, parts: atoms })
}
