//! The AST as s-expressions, complete but for places: for tests, and to compare two trees.
//!
//! `f(x) + 1` is `(+ (call f x) 1)`. Documentation is included, other comments are not.

use std::fmt::Write;

use base::literal::write_string;

use crate::ast::{
    Expr, ExprKind, Import, ImportFrom, IndexItem, Item, Module, Named, Param, Pattern,
    PatternKind, SizeExpr, SizeKind, SizeOp, Type, TypeArg, TypeBody, TypeKind, UnaryOp,
};

/// A whole text, one declaration per line.
pub fn dump(module: &Module) -> String {
    let mut res = String::new();
    for it in &module.items {
        item(&mut res, it);
        res.push('\n');
    }
    res
}

/// An expression.
pub fn dump_expr(value: &Expr) -> String {
    let mut res = String::new();
    expr(&mut res, value);
    res
}

/// A type.
pub fn dump_type(value: &Type) -> String {
    let mut res = String::new();
    ty(&mut res, value);
    res
}

fn item(out: &mut String, value: &Item) {
    match value {
        Item::Import(it) => import(out, it),
        Item::Def(it) => {
            open(out, "def", &it.doc);
            public(out, it.is_public);
            text(out, &it.name.name);
            if let Some(params) = &it.params {
                list(out, params, param);
            }
            if let Some(result) = &it.result {
                text(out, ":");
                out.push(' ');
                ty(out, result);
            }
            out.push(' ');
            expr(out, &it.body);
            for custom in &it.customs {
                let _ = write!(out, " (with {}", custom.kind.word());
                list(out, &custom.params, param);
                out.push(' ');
                expr(out, &custom.body);
                out.push(')');
            }
        }
        Item::Type(it) => {
            open(out, "type", &it.doc);
            public(out, it.is_public);
            text(out, &it.name.name);
            list(out, &it.params, |out, it| out.push_str(&it.name));
            out.push(' ');
            match &it.body {
                TypeBody::Record(fields) => {
                    out.push_str("(record");
                    for (field, field_type) in fields {
                        let _ = write!(out, " {}: ", field.name);
                        ty(out, field_type);
                    }
                    out.push(')');
                }
                TypeBody::Alias(alias) => ty(out, alias),
            }
        }
        Item::Data(it) => {
            open(out, "data", &it.doc);
            public(out, it.is_public);
            text(out, &it.name.name);
            list(out, &it.params, |out, it| out.push_str(&it.name));
            for con in &it.cons {
                let _ = write!(out, " ({}", con.name.name);
                spaced(out, &con.fields, ty);
                out.push(')');
            }
        }
        Item::Test(it) => named(out, "test", it),
        Item::Bench(it) => named(out, "bench", it),
        Item::Plot(it) => named(out, "plot", it),
    }
    out.push(')');
}

fn public(out: &mut String, is_public: bool) {
    if is_public {
        text(out, "pub");
    }
}

fn import(out: &mut String, value: &Import) {
    match &value.from {
        ImportFrom::File { path, .. } => drop(write!(out, "(import {}", write_string(path))),
        ImportFrom::Library { path, .. } => drop(write!(out, "(import {path}")),
    }
    if let Some(alias) = &value.alias {
        let _ = write!(out, " as {}", alias.name);
    }
    if let Some(selected) = &value.selected {
        list(out, selected, |out, it| {
            out.push_str(&it.name.name);
            if let Some(alias) = &it.alias {
                let _ = write!(out, " as {}", alias.name);
            }
        });
    }
}

fn named(out: &mut String, keyword: &str, value: &Named) {
    open(out, keyword, &value.doc);
    text(out, &write_string(&value.name));
    out.push(' ');
    expr(out, &value.body);
}

fn open(out: &mut String, keyword: &str, doc: &[String]) {
    let _ = write!(out, "({keyword}");
    for line in doc {
        let _ = write!(out, " doc:{}", write_string(line));
    }
}

fn text(out: &mut String, word: &str) {
    let _ = write!(out, " {word}");
}

/// ` [a b c]`
fn list<T>(out: &mut String, values: &[T], mut each: impl FnMut(&mut String, &T)) {
    out.push_str(" [");
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        each(out, value);
    }
    out.push(']');
}

/// ` a b c`
fn spaced<T>(out: &mut String, values: &[T], mut each: impl FnMut(&mut String, &T)) {
    for value in values {
        out.push(' ');
        each(out, value);
    }
}

fn param(out: &mut String, value: &Param) {
    pattern(out, &value.pattern);
    if let Some(annotation) = &value.ty {
        out.push_str(": ");
        ty(out, annotation);
    }
}

fn expr(out: &mut String, value: &Expr) {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || expr_kind(out, &value.kind));
}

fn node(out: &mut String, head: &str, parts: &[&Expr]) {
    let _ = write!(out, "({head}");
    spaced(out, parts, |out, it| expr(out, it));
    out.push(')');
}

fn expr_kind(out: &mut String, kind: &ExprKind) {
    match kind {
        ExprKind::Int(it) => drop(write!(out, "{it}")),
        ExprKind::Real(it) => drop(write!(out, "{it:?}")),
        ExprKind::Bool(it) => drop(write!(out, "{it}")),
        ExprKind::Str(it) => out.push_str(&write_string(it)),
        ExprKind::Name(it) => out.push_str(it),
        ExprKind::Tuple(parts) => node(out, "tuple", &parts.iter().collect::<Vec<_>>()),
        ExprKind::Paren(inner) => node(out, "paren", &[inner]),
        ExprKind::Record { name, fields, base } => {
            let _ = write!(out, "(record {}", name.name);
            for (field, value) in fields {
                text(out, &field.name);
                if let Some(value) = value {
                    out.push_str(": ");
                    expr(out, value);
                }
            }
            if let Some(base) = base {
                out.push_str(" ..");
                expr(out, base);
            }
            out.push(')');
        }
        ExprKind::Array(parts) => node(out, "array", &parts.iter().collect::<Vec<_>>()),
        ExprKind::Lambda { params, body } => {
            out.push_str("(\\");
            list(out, params, param);
            out.push(' ');
            expr(out, body);
            out.push(')');
        }
        ExprKind::Call { function, args } => {
            let parts: Vec<&Expr> = std::iter::once(&**function).chain(args).collect();
            node(out, "call", &parts);
        }
        ExprKind::Field { value, field } => node(out, &format!(".{}", field.name), &[value]),
        ExprKind::Proj { value, index, .. } => node(out, &format!(".{index}"), &[value]),
        ExprKind::Index { array, indices } => {
            out.push_str("(index ");
            expr(out, array);
            spaced(out, indices, index_item);
            out.push(')');
        }
        ExprKind::With { array, indices, value } => {
            let mut parts: Vec<&Expr> = vec![array];
            parts.extend(indices);
            parts.push(value);
            node(out, "with", &parts);
        }
        ExprKind::Unary { op, value } => {
            let head = match op {
                UnaryOp::Neg => "-",
                UnaryOp::Not => "!",
            };
            node(out, head, &[value]);
        }
        ExprKind::Binary { op, left, right, .. } => node(out, op.symbol(), &[left, right]),
        ExprKind::If { cond, then, otherwise } => node(out, "if", &[cond, then, otherwise]),
        ExprKind::Match { value, arms } => {
            out.push_str("(match ");
            expr(out, value);
            for arm in arms {
                out.push_str(" (");
                pattern(out, &arm.pattern);
                out.push_str(" => ");
                expr(out, &arm.body);
                out.push(')');
            }
            out.push(')');
        }
        ExprKind::Block { lets, result } => {
            out.push_str("(block");
            for it in lets {
                out.push_str(if it.is_recursive { " (let rec " } else { " (let " });
                pattern(out, &it.pattern);
                if let Some(annotation) = &it.ty {
                    out.push_str(": ");
                    ty(out, annotation);
                }
                out.push(' ');
                expr(out, &it.value);
                out.push(')');
            }
            out.push(' ');
            expr(out, result);
            out.push(')');
        }
        ExprKind::Build { indices, body } => {
            out.push_str("(build");
            for (index, bound) in indices {
                let _ = write!(out, " {}<", index.name);
                expr(out, bound);
            }
            out.push(' ');
            expr(out, body);
            out.push(')');
        }
        ExprKind::Error => out.push_str("<error>"),
    }
}

fn index_item(out: &mut String, value: &IndexItem) {
    match value {
        IndexItem::At(at) => expr(out, at),
        IndexItem::Range { lo, hi, .. } => {
            out.push_str("(..");
            for side in [lo, hi] {
                out.push(' ');
                match side {
                    Some(side) => expr(out, side),
                    None => out.push('_'),
                }
            }
            out.push(')');
        }
    }
}

fn pattern(out: &mut String, value: &Pattern) {
    match &value.kind {
        PatternKind::Wildcard => out.push('_'),
        PatternKind::Name(it) => out.push_str(it),
        PatternKind::Int(it) => drop(write!(out, "{it}")),
        PatternKind::Bool(it) => drop(write!(out, "{it}")),
        PatternKind::Str(it) => out.push_str(&write_string(it)),
        PatternKind::Tuple(parts) => {
            out.push_str("(tuple");
            spaced(out, parts, pattern);
            out.push(')');
        }
        PatternKind::Con(name, parts) => {
            let _ = write!(out, "({}", name.name);
            spaced(out, parts, pattern);
            out.push(')');
        }
        PatternKind::Record(name, fields) => {
            let _ = write!(out, "(record {}", name.name);
            for (field, value) in fields {
                text(out, &field.name);
                if let Some(value) = value {
                    out.push_str(": ");
                    pattern(out, value);
                }
            }
            out.push(')');
        }
        PatternKind::Error => out.push_str("<error>"),
    }
}

fn ty(out: &mut String, value: &Type) {
    match &value.kind {
        TypeKind::Name(name, args) if args.is_empty() => out.push_str(&name.name),
        TypeKind::Name(name, args) => {
            let _ = write!(out, "({}", name.name);
            spaced(out, args, |out, it| match it {
                TypeArg::Type(it) => ty(out, it),
                TypeArg::Size(it) => {
                    out.push('#');
                    size(out, it);
                }
            });
            out.push(')');
        }
        TypeKind::Array(length, element) => {
            out.push('[');
            match length {
                Some(length) => size(out, length),
                None => out.push('_'),
            }
            out.push(']');
            ty(out, element);
        }
        TypeKind::Tuple(parts) => {
            out.push_str("(tuple");
            spaced(out, parts, ty);
            out.push(')');
        }
        TypeKind::Function(params, result) => {
            out.push_str("(->");
            list(out, params, ty);
            out.push(' ');
            ty(out, result);
            out.push(')');
        }
        TypeKind::Hole => out.push('_'),
        TypeKind::Error => out.push_str("<error>"),
    }
}

fn size(out: &mut String, value: &SizeExpr) {
    match &value.kind {
        SizeKind::Literal(it) => drop(write!(out, "{it}")),
        SizeKind::Name(it) => out.push_str(it),
        SizeKind::Binary(op, left, right) => {
            let symbol = match op {
                SizeOp::Add => '+',
                SizeOp::Sub => '-',
                SizeOp::Mul => '*',
            };
            let _ = write!(out, "({symbol} ");
            size(out, left);
            out.push(' ');
            size(out, right);
            out.push(')');
        }
        SizeKind::Paren(inner) => {
            out.push_str("(paren ");
            size(out, inner);
            out.push(')');
        }
        SizeKind::Error => out.push_str("<error>"),
    }
}
