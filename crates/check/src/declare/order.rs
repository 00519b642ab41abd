//! What must be known before declarations are read: their order, and which parameters are sizes.

use std::collections::BTreeMap;

use base::Name;
use syntax::ast;

use super::raw::Raw;
use super::{Param, TypeTable};

/// An order in which an alias comes after the aliases it mentions, and everything else last.
pub(crate) fn aliases_first(raws: &[Raw<'_>]) -> Vec<usize> {
    let is_alias = |raw: &Raw<'_>| matches!(raw.item, ast::Item::Type(decl) if matches!(decl.body, ast::TypeBody::Alias(_)));
    let mut order: Vec<usize> = Vec::new();
    let mut rest: Vec<usize> = (0..raws.len()).collect();
    loop {
        let waits = |position: usize, rest: &[usize]| {
            let mut mentioned = Vec::new();
            raws[position].parts.iter().for_each(|it| names_in_ast(it, &mut mentioned));
            rest.iter().any(|it| is_alias(&raws[*it]) && mentioned.contains(&raws[*it].name.name))
        };
        let ready: Vec<usize> = rest.iter().copied().filter(|it| !waits(*it, &rest)).collect();
        if ready.is_empty() {
            order.extend(rest);
            return order;
        }
        rest.retain(|it| !ready.contains(it));
        order.extend(ready);
    }
}

/// Which parameters of each declaration are sizes: those that occur in a size, or where another
/// declaration wants a size. A fixed point, because declarations may be recursive.
pub(crate) fn size_params(raws: &[Raw<'_>], table: &TypeTable) -> BTreeMap<Name, Vec<Name>> {
    let mut res: BTreeMap<Name, Vec<Name>> = BTreeMap::new();
    loop {
        let mut changed = false;
        for raw in raws {
            let mut found = Vec::new();
            for part in &raw.parts {
                sizes_in_type(part, raws, &res, table, &mut found);
            }
            let known = res.entry(raw.name.name.clone()).or_default();
            for param in raw.params {
                if found.contains(&param.name) && !known.contains(&param.name) {
                    known.push(param.name.clone());
                    changed = true;
                }
            }
        }
        if !changed {
            return res;
        }
    }
}

fn sizes_in_type(
    ty: &ast::Type,
    raws: &[Raw<'_>],
    known: &BTreeMap<Name, Vec<Name>>,
    table: &TypeTable,
    found: &mut Vec<Name>,
) {
    match &ty.kind {
        ast::TypeKind::Name(name, args) => {
            for (position, arg) in args.iter().enumerate() {
                let wants_size = match raws.iter().find(|it| it.name.name == name.name) {
                    Some(raw) => raw.params.get(position).is_some_and(|it| {
                        known.get(&name.name).is_some_and(|sizes| sizes.contains(&it.name))
                    }),
                    None => table
                        .names
                        .get(&name.name)
                        .and_then(|it| table.decls.get(it))
                        .and_then(|it| it.params.get(position))
                        .is_some_and(|it| matches!(it, Param::Size(_))),
                };
                match arg {
                    ast::TypeArg::Size(size) => names_in_size(size, found),
                    ast::TypeArg::Type(ast::Type {
                        kind: ast::TypeKind::Name(it, inner), ..
                    }) if wants_size && inner.is_empty() => {
                        found.push(it.name.clone());
                    }
                    ast::TypeArg::Type(ty) => sizes_in_type(ty, raws, known, table, found),
                }
            }
        }
        ast::TypeKind::Array(size, elem) => {
            if let Some(size) = size {
                names_in_size(size, found);
            }
            sizes_in_type(elem, raws, known, table, found);
        }
        ast::TypeKind::Tuple(parts) => {
            parts.iter().for_each(|it| sizes_in_type(it, raws, known, table, found));
        }
        ast::TypeKind::Function(params, result) => {
            params.iter().for_each(|it| sizes_in_type(it, raws, known, table, found));
            sizes_in_type(result, raws, known, table, found);
        }
        ast::TypeKind::Hole | ast::TypeKind::Error => {}
    }
}

fn names_in_ast(ty: &ast::Type, found: &mut Vec<Name>) {
    match &ty.kind {
        ast::TypeKind::Name(name, args) => {
            found.push(name.name.clone());
            for arg in args {
                if let ast::TypeArg::Type(ty) = arg {
                    names_in_ast(ty, found);
                }
            }
        }
        ast::TypeKind::Array(_, elem) => names_in_ast(elem, found),
        ast::TypeKind::Tuple(parts) => parts.iter().for_each(|it| names_in_ast(it, found)),
        ast::TypeKind::Function(params, result) => {
            params.iter().for_each(|it| names_in_ast(it, found));
            names_in_ast(result, found);
        }
        ast::TypeKind::Hole | ast::TypeKind::Error => {}
    }
}

fn names_in_size(size: &ast::SizeExpr, found: &mut Vec<Name>) {
    match &size.kind {
        ast::SizeKind::Name(name) => found.push(name.clone()),
        ast::SizeKind::Binary(_, left, right) => {
            names_in_size(left, found);
            names_in_size(right, found);
        }
        ast::SizeKind::Paren(inner) => names_in_size(inner, found),
        ast::SizeKind::Literal(_) | ast::SizeKind::Error => {}
    }
}
