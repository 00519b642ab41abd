//! Adds the derivatives of a definition to its program, as definitions that can be called.

use std::sync::Arc;

use ad::flow::Flow;
use base::Name;
use ir::{
    Atom, Binder, Block, Builder, Def, DeriveOp, FunctionOp, Lambda, Op, Operator, Origin, Program,
    Size, Spans, Type,
};

/// A program with derivatives of one of its definitions.
pub(super) struct Wrapped {
    pub(super) program: Program,
    /// The definition itself.
    pub(super) def: Name,
    /// Which parameters it is differentiated by.
    pub(super) by: Vec<bool>,
    /// Takes the arguments and a direction for each of those.
    pub(super) jvp: Name,
    /// Takes the arguments and a cotangent of the result.
    pub(super) vjp: Name,
}

/// The program with derivatives, or why there are none. Type parameters become `Real`.
pub(super) fn wrap(program: &Program, name: &Name, by: &[bool]) -> Result<Wrapped, &'static str> {
    let def = program.defs.get(name).ok_or("there is no such definition")?;
    let flow = Flow::new(program);
    let [result] = &*def.results else {
        return Err("the size of its result is known only when it runs");
    };
    if !def.params.iter().any(|it| flow.carries(&it.ty)) {
        return Err("it takes no real numbers");
    }
    if !flow.carries(&result.ty) {
        return Err("it gives no real numbers");
    }
    let mut res = Wrapped {
        program: program.clone(),
        def: name.clone(),
        by: by.to_vec(),
        jvp: name.part("check_jvp"),
        vjp: name.part("check_vjp"),
    };
    for (operator, name) in [(Operator::Jvp, &res.jvp), (Operator::Vjp, &res.vjp)] {
        let wrapper = derivative(program, def, result, (operator, by), name.clone());
        res.program.defs.insert(wrapper.name.clone(), Arc::new(wrapper));
    }
    Ok(res)
}

/// A definition that applies an operator to another as a function of some of its parameters: it takes all
/// parameters, then directions of those for `jvp` or a cotangent for `vjp`.
pub(crate) fn derivative(
    program: &Program,
    def: &Def,
    result: &Binder,
    (operator, by): (Operator, &[bool]),
    name: Name,
) -> Def {
    let mut builder = Builder::new(program, def.next_var);
    def.size_params.iter().for_each(|it| builder.declare(*it, Type::Int));
    let fixed = |ty: &Type| ty.substitute(&|_| Some(Type::Real), &|_| None);
    let fixed = |it: &Binder| Binder { var: it.var, ty: fixed(&it.ty) };
    let params: Vec<Binder> = def.params.iter().map(fixed).collect();
    params.iter().for_each(|it| builder.declare(it.var, it.ty.clone()));
    let mut fresh = |binders: &[Binder]| -> Vec<Binder> {
        let one = |it: &Binder| Binder { var: builder.fresh(it.ty.clone()), ty: it.ty.clone() };
        binders.iter().map(one).collect()
    };
    let result = fixed(result);
    let chosen: Vec<Binder> =
        params.iter().zip(by).filter(|it| *it.1).map(|it| it.0.clone()).collect();
    let seeds = match operator {
        Operator::Jvp => fresh(&chosen),
        Operator::Vjp => fresh(&[result]),
        Operator::Grad | Operator::ValueAndGrad | Operator::Jacobian => Vec::new(),
        Operator::Hessian | Operator::Hvp | Operator::Linearise => Vec::new(),
    };
    let inner = fresh(&chosen);
    // The others are those from outside.
    let mut own = atoms(&inner).into_iter();
    let given = atoms(&params).into_iter().zip(by);
    let given = given.map(|(it, on)| if *on { own.next().unwrap_or(it) } else { it }).collect();
    builder.open();
    builder.open();
    let sizes = def.size_params.iter().map(|it| Size::var(*it)).collect();
    let types = vec![Type::Real; def.type_params.len()];
    let call = Op::Function(FunctionOp::Call { def: def.name.clone(), types, sizes, args: given });
    let value = builder.one(call);
    let body: Block = builder.close(vec![value]);
    let function =
        builder.one(Op::Function(FunctionOp::Lambda(Arc::new(Lambda { params: inner, body }))));
    let mut args = atoms(&chosen);
    if operator == Operator::Jvp {
        args = vec![single(&mut builder, args)];
    }
    if !seeds.is_empty() {
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
        size_params: def.size_params.clone(),
        params: params.into_iter().chain(seeds).collect(),
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
    match atoms.len() {
        1 => atoms.remove(0),
        _ => builder.one(Op::Tuple { rank: 0, parts: atoms }),
    }
}
