//! The constructors of a sum type, with its arguments put in.

use base::Name;

use crate::size::Size;
use crate::term::{Atom, Program, Var};
use crate::types::{ConDecl, Type};

/// The fields of a constructor of `ty`, which is a sum type or the dual of one, when these are the
/// values of its fields: the first ones may be sizes that the types of the others mention.
pub fn constructor_fields(
    program: &Program,
    ty: &Type,
    con: &Name,
    values: &[Atom],
) -> Result<Vec<Type>, String> {
    let local = |con: &ConDecl, at: usize| {
        let value = values.get(at).and_then(crate::signature::atom_size);
        value.unwrap_or_else(|| Size::var(con.sizes[at]))
    };
    let cons = constructors_with(program, ty, &local)?;
    let found = cons.into_iter().find(|it| it.name == *con);
    found.map(|it| it.fields).ok_or_else(|| format!("{ty} has no constructor {con}"))
}

/// The constructors of `ty`, which is a sum type or the dual of one, with its arguments put in.
/// Sizes of a constructor's own stay what they are called there.
pub fn constructors(program: &Program, ty: &Type) -> Result<Vec<ConDecl>, String> {
    constructors_with(program, ty, &|con, at| Size::var(con.sizes[at]))
}

fn constructors_with(
    program: &Program,
    ty: &Type,
    local: &dyn Fn(&ConDecl, usize) -> Size,
) -> Result<Vec<ConDecl>, String> {
    let mut level = 0;
    let (mut data, mut taped) = (ty, false);
    if let Type::Tape(inner) = data {
        (data, taped) = (inner, true);
    }
    while let Type::Dual(inner) = data {
        level += 1;
        data = inner;
    }
    let Type::Data(name, types, sizes) = data else {
        return Err(format!("{ty} is no sum type"));
    };
    let decl = program.datas.get(name).ok_or_else(|| format!("there is no sum type {name}"))?;
    if decl.type_params.len() != types.len() || decl.size_params.len() != sizes.len() {
        return Err(format!("{name} takes another number of arguments than {ty} has"));
    }
    let type_of = |it: &Name| Some(types[decl.type_params.iter().position(|p| p == it)?].clone());
    let size_of = |con: &ConDecl, it: Var| match con.sizes.iter().position(|own| *own == it) {
        Some(at) => Some(local(con, at)),
        None => Some(sizes[decl.size_params.iter().position(|p| *p == it)?].clone()),
    };
    let field = |con: &ConDecl, it: &Type| {
        let dual = it.substitute(&type_of, &|var| size_of(con, var)).dual_at(level);
        if taped { dual.tape() } else { dual }
    };
    let con = |it: &ConDecl| ConDecl {
        name: it.name.clone(),
        sizes: it.sizes.clone(),
        fields: it.fields.iter().map(|ty| field(it, ty)).collect(),
    };
    Ok(decl.cons.iter().map(con).collect())
}
