//! Names for C.

use std::collections::BTreeSet;

use check::{Type, TypeTable};

use super::wrapper::Role;

/// Words that C has its own meaning for, or that wrappers use, besides those that start with `ct_`.
const TAKEN: &[&str] = &[
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "class",
    "new",
    "delete",
    "template",
    "this",
    "real",
    "workspace",
    "workspace_bytes",
    "memcpy",
    "memset",
];

/// The names of one function.
#[derive(Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// The name for C, with underscores behind it where something else has it.
    pub(super) fn fresh(&mut self, name: &str) -> String {
        let mut res = identifier(name);
        if res.starts_with("ct_") {
            res.insert(0, '_');
        }
        while TAKEN.contains(&res.as_str()) || self.taken.contains(&res) {
            res.push('_');
        }
        self.taken.insert(res.clone());
        res
    }
}

/// Letters, digits and underscores.
pub(super) fn identifier(name: &str) -> String {
    let plain = |it: char| if it.is_ascii_alphanumeric() { it } else { '_' };
    let res: String = name.chars().map(plain).collect();
    if res.starts_with(|it: char| it.is_ascii_digit()) || res.is_empty() {
        format!("_{res}")
    } else {
        res
    }
}

/// A number or an array of numbers inside of a value.
pub(super) struct LeafName {
    pub(super) name: String,
    /// Whether it says which constructor of a sum type the value is.
    pub(super) is_tag: bool,
}

impl LeafName {
    pub(super) fn role(&self) -> Role {
        if self.is_tag { Role::Tag } else { Role::Value }
    }
}

/// A name for each leaf of a type, in the order in which `apart.rs` and `opt::flatten` give them: `p_x` for
/// the field `x` of a record, `p_0` for a part of a tuple, `p_tag` and `p_Circle_0` for a sum type.
pub(super) fn leaf_names(types: &TypeTable, name: &str, ty: &Type) -> Vec<LeafName> {
    let mut inner = ty;
    while let Type::Array(_, elem) = inner {
        inner = elem;
    }
    if let Type::Tuple(parts) = inner
        && !parts.is_empty()
    {
        let part = |(at, ty): (usize, &Type)| leaf_names(types, &format!("{name}_{at}"), ty);
        return parts.iter().enumerate().flat_map(part).collect();
    }
    if let Some(constructors) = types.constructors(inner) {
        let mut res = vec![LeafName { name: format!("{name}_tag"), is_tag: true }];
        for (con, fields) in constructors {
            let name = format!("{name}_{}", check::shown_name(&con));
            let part = |(at, ty): (usize, &Type)| leaf_names(types, &format!("{name}_{at}"), ty);
            res.extend(fields.iter().enumerate().flat_map(part));
        }
        return res;
    }
    match types.record_fields(inner) {
        Some(fields) if !fields.is_empty() => {
            let part = |(field, ty): &(base::Name, Type)| {
                leaf_names(types, &format!("{name}_{field}"), ty)
            };
            fields.iter().flat_map(part).collect()
        }
        Some(_) | None => vec![LeafName { name: name.to_string(), is_tag: false }],
    }
}
