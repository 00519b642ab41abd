//! Typing of linear maps, which is also their verifier: from the domain to the codomain.
//!
//! Paper: Figure 3, the column of types. A built-in operation is typed as the ir types it, with holes
//! of the types of its operands.

use ir::{Atom, Program, Type, Var, typing};

use super::map::{Map, Scalar, hole};

/// What is known of variables: the types of factors and indices, and the codomains of maps.
pub type Types<'a> = dyn Fn(Var) -> Option<Type> + 'a;

/// The codomain of a map of this domain; an error says what does not fit.
pub fn codomain(types: &Types<'_>, map: &Map, domain: &Type) -> Result<Type, String> {
    match map {
        Map::Zero(ty) => space(ty).map(|()| ty.clone()),
        Map::One => Ok(domain.clone()),
        Map::Scale(factor) => {
            let sizes = scalar(types, factor)?;
            match sizes.is_empty() || sizes == domain.split_arrays().0 {
                true => Ok(domain.clone()),
                false => Err(format!("a factor for each element does not fit {domain}")),
            }
        }
        Map::Compose(outer, inner) => codomain(types, outer, &codomain(types, inner, domain)?),
        Map::Sum(parts) => all_equal(types, parts, &vec![domain.clone(); parts.len()]),
        Map::VCat(parts) => {
            let parts = parts.iter().map(|it| codomain(types, it, domain));
            Ok(Type::Tuple(parts.collect::<Result<_, _>>()?))
        }
        Map::HCat(parts) => {
            if let Type::Tuple(domains) = domain
                && domains.len() == parts.len()
            {
                return all_equal(types, parts, domains);
            }
            Err(format!("H of {} maps, of the domain {domain}", parts.len()))
        }
        Map::VBuild(size, index, body) => {
            let inner = |var| if var == *index { Some(Type::Int) } else { types(var) };
            let elem = codomain(&inner, body, domain)?;
            match matches!(elem, Type::Tuple(_)) {
                true => Err("V of maps to a tuple".into()),
                false => Ok(Type::array(size.clone(), elem)),
            }
        }
        Map::HBuild(size, index, body) => {
            if let Type::Array(found, elem) = domain
                && found == size
            {
                let inner = |var| if var == *index { Some(Type::Int) } else { types(var) };
                return codomain(&inner, body, elem);
            }
            Err(format!("H of {size} maps, of the domain {domain}"))
        }
        Map::Transpose(ty, map) => {
            space(ty)?;
            let found = codomain(types, map, ty)?;
            match found == *domain {
                true => Ok(ty.clone()),
                false => Err(format!("the transpose of a map to {found}, of the domain {domain}")),
            }
        }
        Map::Builtin(op, holes) => {
            let several = if let Type::Tuple(parts) = domain { Some(parts.clone()) } else { None };
            let several = several.filter(|_| *holes != 1);
            let operands = several.unwrap_or_else(|| vec![domain.clone()]);
            if operands.len() != *holes {
                return Err(format!("{holes} operands, of the domain {domain}"));
            }
            let lookup = |var: Var| {
                let at = (0..*holes).find(|it| hole(*it) == var);
                at.map(|it| operands[it].clone()).or_else(|| types(var))
            };
            let result = Var(u32::MAX);
            typing::result_types(&Program::default(), &lookup, op, &[result])
                .map(|mut it| it.remove(0))
        }
        Map::Var(var) => types(*var).ok_or_else(|| format!("{var} is not bound")),
    }
}

/// The sizes of a factor: none if it is a number.
pub fn scalar(types: &Types<'_>, factor: &Scalar) -> Result<Vec<ir::Size>, String> {
    match factor {
        Scalar::Atom(atom) => {
            let ty = typing::atom_type(&|var| types(var), atom)?;
            let (sizes, inner) = ty.split_arrays();
            match *inner == Type::Real {
                true => Ok(sizes),
                false => Err(format!("{atom} is a factor of type {ty}")),
            }
        }
        Scalar::Times(a, b) | Scalar::Plus(a, b) => {
            let (a, b) = (scalar(types, a)?, scalar(types, b)?);
            match a.is_empty() || b.is_empty() || a == b {
                true => Ok(if a.is_empty() { b } else { a }),
                false => Err("factors of different sizes".into()),
            }
        }
    }
}

/// Whether a type is a space: tuples at the outside only, since arrays of tuples are tuples of arrays.
fn space(ty: &Type) -> Result<(), String> {
    if let Type::Tuple(parts) = ty {
        return parts.iter().try_for_each(space);
    }
    match *ty.split_arrays().1 == Type::Real {
        true => Ok(()),
        false => Err(format!("{ty} is no space")),
    }
}

fn all_equal(types: &Types<'_>, maps: &[Map], domains: &[Type]) -> Result<Type, String> {
    let mut found = None;
    for (map, domain) in maps.iter().zip(domains) {
        let ty = codomain(types, map, domain)?;
        match &found {
            Some(before) if *before != ty => return Err(format!("maps to {before} and to {ty}")),
            Some(_) => {}
            None => found = Some(ty),
        }
    }
    found.ok_or_else(|| "a sum of no maps".into())
}

/// An atom as an index, if it is a literal.
pub(super) fn literal_index(atom: &Atom) -> Option<i64> {
    match atom {
        Atom::Int(value) => Some(*value),
        Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => None,
    }
}
