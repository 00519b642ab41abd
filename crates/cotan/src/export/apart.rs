//! Sum types for C, which has none: a definition of them as a definition of tags and fields.
//!
//! A value of a sum type is a tuple here: its tag, the position of its constructor, and then the fields of all
//! constructors, of which those of the others are not looked at, or 0. The definition that is exported puts
//! its parameters together, calls the one of the text, and takes its result apart; derivatives are of that one,
//! so that they are by fields, and need no rule of their own.

use base::Name;
use ir::prim::Prim;
use ir::{
    Arm, ArrayOp, Atom, Binder, Builder, ConDecl, ControlOp, Def, FunctionOp, Literal, Op, Origin,
    Program, Size, Spans, Type,
};

/// The definition over tags and fields; none if there are no sum types, or why it cannot be.
pub(super) fn apart(program: &Program, def: &Def, name: Name) -> Result<Option<Def>, String> {
    let [result] = &*def.results else { return Ok(None) };
    if !def.params.iter().chain([result]).any(|it| has_data(&it.ty)) {
        return Ok(None);
    }
    let mut builder = Builder::new(program, def.next_var);
    def.size_params.iter().for_each(|it| builder.declare(*it, Type::Int));
    let mut params = Vec::new();
    for it in &def.params {
        let ty = plain(program, &it.ty, &mut Vec::new())?;
        params.push(Binder { var: builder.fresh(ty.clone()), ty });
    }
    let result_ty = plain(program, &result.ty, &mut Vec::new())?;
    builder.open();
    let given = def.params.iter().zip(&params);
    let args = given.map(|(it, to)| whole(&mut builder, &it.ty, Atom::Var(to.var))).collect();
    let sizes = def.size_params.iter().map(|it| Size::var(*it)).collect();
    let call = FunctionOp::Call { def: def.name.clone(), types: Vec::new(), sizes, args };
    let value = builder.one(Op::Function(call));
    let value = parts(&mut builder, &result.ty, value);
    let body = builder.close(vec![value]);
    let results = vec![Binder { var: builder.fresh(result_ty.clone()), ty: result_ty }];
    let (next_var, _) = builder.finish();
    Ok(Some(Def {
        name,
        type_params: Vec::new(),
        size_params: def.size_params.clone(),
        params,
        results,
        body,
        next_var,
        spans: Spans::default(),
        origin: Origin::Source,
    }))
}

fn has_data(ty: &Type) -> bool {
    match ty {
        Type::Data(..) => true,
        Type::Tuple(parts) => parts.iter().any(has_data),
        Type::Array(_, elem) => has_data(elem),
        Type::Real | Type::Int | Type::Bool | Type::String | Type::Function(..) => false,
        Type::Var(_) | Type::Dual(_) | Type::Delta | Type::Tape(_) => false,
    }
}

/// The constructors of a sum type, with its arguments in their fields.
fn constructors(program: &Program, ty: &Type) -> Vec<ConDecl> {
    let Type::Data(name, types, sizes) = ty else { return Vec::new() };
    let decl = program.datas.get(name).expect("compiler bug: a sum type is declared");
    let by_type = |it: &Name| {
        let at = decl.type_params.iter().position(|param| param == it)?;
        types.get(at).cloned()
    };
    let by_size = |it: ir::Var| {
        let at = decl.size_params.iter().position(|param| *param == it)?;
        sizes.get(at).cloned()
    };
    let con = |it: &ConDecl| ConDecl {
        fields: it.fields.iter().map(|it| it.substitute(&by_type, &by_size)).collect(),
        ..it.clone()
    };
    decl.cons.iter().map(con).collect()
}

/// So deep may a sum type stand inside of itself with other arguments, such as `Maybe<Maybe<Real>>`: a type
/// that grows by every step never ends.
const MOST_INSIDE: usize = 8;

/// The type of what is taken apart; `inside` are the sum types around it.
fn plain(program: &Program, ty: &Type, inside: &mut Vec<Type>) -> Result<Type, String> {
    match ty {
        Type::Tuple(parts) => {
            let parts = parts.iter().map(|it| plain(program, it, inside));
            Ok(Type::Tuple(parts.collect::<Result<_, String>>()?))
        }
        Type::Array(size, elem) => Ok(Type::array(size.clone(), plain(program, elem, inside)?)),
        Type::Data(name, ..) => {
            let shown = name.written();
            let same = |it: &&Type| matches!(it, Type::Data(other, ..) if other == name);
            if inside.contains(ty) || inside.iter().filter(same).count() >= MOST_INSIDE {
                return Err(format!(
                    "C has no type for `{shown}`, which contains itself; handles and `program!` take it"
                ));
            }
            inside.push(ty.clone());
            let mut res = vec![Type::Int];
            for con in constructors(program, ty) {
                if !con.sizes.is_empty() {
                    return Err(format!(
                        "C has no type for `{shown}`, which has sizes of its own; handles and `program!` take it"
                    ));
                }
                for field in &con.fields {
                    res.push(plain(program, field, inside)?);
                }
            }
            inside.pop();
            Ok(Type::Tuple(res))
        }
        Type::Real | Type::Int | Type::Bool | Type::String | Type::Function(..) => Ok(ty.clone()),
        Type::Var(_) | Type::Dual(_) | Type::Delta | Type::Tape(_) => Ok(ty.clone()),
    }
}

/// A value out of its parts.
fn whole(builder: &mut Builder<'_>, ty: &Type, from: Atom) -> Atom {
    if !has_data(ty) {
        return from;
    }
    match ty {
        Type::Tuple(types) => by_parts(builder, types, &from, whole),
        Type::Array(size, elem) => by_elements(builder, (size, elem), from, whole),
        Type::Data(..) => {
            let tag = builder.one(Op::Proj { tuple: from.clone(), index: 0 });
            let cons = constructors(builder.program(), ty);
            of_tag(builder, ty, (&tag, &from), (0, 1), &cons)
        }
        Type::Real | Type::Int | Type::Bool | Type::String | Type::Function(..) => from,
        Type::Var(_) | Type::Dual(_) | Type::Delta | Type::Tape(_) => from,
    }
}

/// The constructor of a tag, of those from one on whose fields begin at a part; the last one is that of all
/// other tags.
fn of_tag(
    builder: &mut Builder<'_>,
    ty: &Type,
    (tag, from): (&Atom, &Atom),
    (at, first): (i64, usize),
    cons: &[ConDecl],
) -> Atom {
    let [con, others @ ..] = cons else { panic!("compiler bug: a sum type has constructors") };
    let this = |builder: &mut Builder<'_>| {
        let mut args = Vec::new();
        for (at, ty) in con.fields.iter().enumerate() {
            let part = builder.one(Op::Proj { tuple: from.clone(), index: first + at });
            args.push(whole(builder, ty, part));
        }
        builder.one(Op::Con { ty: ty.clone(), con: con.name.clone(), args })
    };
    if others.is_empty() {
        return this(builder);
    }
    let cond = builder.one(Op::Prim(Prim::Eq, vec![tag.clone(), Atom::Int(at)]));
    builder.open();
    let value = this(builder);
    let then = builder.close(vec![value]);
    builder.open();
    let value = of_tag(builder, ty, (tag, from), (at + 1, first + con.fields.len()), others);
    let otherwise = builder.close(vec![value]);
    builder.one(Op::Control(ControlOp::If { cond, then, otherwise }))
}

/// A value as its parts.
fn parts(builder: &mut Builder<'_>, ty: &Type, from: Atom) -> Atom {
    if !has_data(ty) {
        return from;
    }
    match ty {
        Type::Tuple(types) => by_parts(builder, types, &from, parts),
        Type::Array(size, elem) => by_elements(builder, (size, elem), from, parts),
        Type::Data(..) => {
            let cons = constructors(builder.program(), ty);
            let arms = (0..cons.len()).map(|tag| arm(builder, &cons, tag)).collect();
            builder.one(Op::Control(ControlOp::Match { value: from, arms, otherwise: None }))
        }
        Type::Real | Type::Int | Type::Bool | Type::String | Type::Function(..) => from,
        Type::Var(_) | Type::Dual(_) | Type::Delta | Type::Tape(_) => from,
    }
}

/// The parts of a value of the constructor with this tag.
fn arm(builder: &mut Builder<'_>, cons: &[ConDecl], tag: usize) -> Arm {
    let con = &cons[tag];
    let field = |ty: &Type| Binder { var: builder.fresh(ty.clone()), ty: ty.clone() };
    let fields: Vec<Binder> = con.fields.iter().map(field).collect();
    builder.open();
    let mut all = vec![Atom::Int(tag as i64)];
    for (at, other) in cons.iter().enumerate() {
        if at == tag {
            all.extend(fields.iter().map(|it| parts(builder, &it.ty, Atom::Var(it.var))));
        } else {
            all.extend(other.fields.iter().map(|it| zero(builder, it)));
        }
    }
    let all = builder.one(Op::Tuple { rank: 0, parts: all });
    Arm { con: con.name.clone(), fields, body: builder.close(vec![all]) }
}

/// The parts of a field that is not there.
fn zero(builder: &mut Builder<'_>, ty: &Type) -> Atom {
    match ty {
        Type::Real => Atom::Real(Literal(0.0)),
        Type::Int => Atom::Int(0),
        Type::Bool => Atom::Bool(false),
        Type::Tuple(types) => {
            let parts = types.iter().map(|it| zero(builder, it)).collect();
            builder.one(Op::Tuple { rank: 0, parts })
        }
        Type::Array(size, elem) => {
            let value = zero(builder, elem);
            builder.one(Op::Array(ArrayOp::Replicate { size: size.clone(), value }))
        }
        Type::Data(..) => {
            let mut parts = vec![Atom::Int(0)];
            for con in constructors(builder.program(), ty) {
                parts.extend(con.fields.iter().map(|it| zero(builder, it)));
            }
            builder.one(Op::Tuple { rank: 0, parts })
        }
        // C has no types for these, and nothing is exported.
        Type::String => Atom::Str("".into()),
        Type::Function(..) | Type::Var(_) | Type::Dual(_) | Type::Delta | Type::Tape(_) => {
            Atom::Int(0)
        }
    }
}

/// What becomes of a value.
type Change = fn(&mut Builder<'_>, &Type, Atom) -> Atom;

/// The tuple of what its parts become.
fn by_parts(builder: &mut Builder<'_>, types: &[Type], from: &Atom, change: Change) -> Atom {
    let mut parts = Vec::new();
    for (index, ty) in types.iter().enumerate() {
        let part = builder.one(Op::Proj { tuple: from.clone(), index });
        parts.push(change(builder, ty, part));
    }
    builder.one(Op::Tuple { rank: 0, parts })
}

/// The array of what its elements become.
fn by_elements(
    builder: &mut Builder<'_>,
    (size, elem): (&Size, &Type),
    array: Atom,
    change: Change,
) -> Atom {
    let index = builder.fresh(Type::Int);
    builder.open();
    let indices = vec![Atom::Var(index)];
    let it = builder.one(Op::Array(ArrayOp::Index { array, indices }));
    let value = change(builder, elem, it);
    let body = builder.close(vec![value]);
    let sizes = vec![size.clone()];
    builder.one(Op::Control(ControlOp::Build { sizes, indices: vec![index], body }))
}
