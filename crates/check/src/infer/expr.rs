//! Expressions, one arm per form; names, literals and case distinctions here.

use base::{Name, Span};
use syntax::ast::{self, ExprKind as E};

use crate::builtin::Builtin;
use crate::each_use::decided;
use crate::error::{FunctionError, MismatchError, NameError, Why, nearest};
use crate::infer::{Coverage, Entry, Infer};
use crate::sight::{Space, last_part, refusal};
use crate::typed::{Expr, Instance, Kind, LocalId, Pattern};
use crate::types::{Size, SizeVar, Type, TypeVar};

/// More copies of polymorphic local functions than anyone can mean.
const MAX_COPIES: usize = 5_000;

impl Infer<'_> {
    /// Infers an expression; `hint` is what is expected of it, used to type lambdas and to
    /// show better messages, not enforced.
    pub(crate) fn expr(&mut self, expr: &ast::Expr, hint: Option<&Type>) -> Expr {
        let span = expr.span;
        let (kind, ty) = match &expr.kind {
            E::Int(value) => (Kind::Int(*value), Type::Int),
            E::Real(value) => (Kind::Real(*value), Type::Real),
            E::Bool(value) => (Kind::Bool(*value), Type::Bool),
            E::Str(value) => (Kind::Str(value.clone()), Type::String),
            E::Name(name) => self.name(name, hint, span),
            E::Paren(inner) => return Expr { span, ..self.expr(inner, hint) },
            E::Tuple(parts) => self.tuple(parts, hint),
            E::Record { name, fields, base } => {
                self.record_literal(name, fields, base.as_deref(), span)
            }
            E::Array(parts) => self.array(parts, hint),
            E::Lambda { params, body } => self.lambda(params, body, hint, span),
            E::Call { function, args } => self.call(function, args, span),
            E::Field { value, field } => match self.qualified(value, field) {
                Some(name) => self.global(&name, hint, span),
                None => self.field(value, field),
            },
            E::Proj { value, index, index_span } => self.proj(value, *index, *index_span),
            E::Index { array, indices } => self.index(array, indices),
            E::With { array, indices, value } => self.with(array, indices, value, hint, span),
            E::Unary { op, value } => self.unary(*op, value),
            E::Binary { op, left, right, op_span } => {
                self.binary(*op, *op_span, left, right, hint, span)
            }
            E::If { cond, then, otherwise } => self.conditional(cond, then, otherwise, hint),
            E::Match { value, arms } => self.matching(value, arms, hint, span),
            E::Block { lets, result } => self.block(lets, result, hint),
            E::Build { indices, body } => self.build(indices, body, hint),
            E::Error => (Kind::Error, Type::Error),
        };
        let grows = matches!(
            expr.kind,
            E::Tuple(_)
                | E::Array(_)
                | E::Lambda { .. }
                | E::Call { .. }
                | E::Name(_)
                | E::Build { .. }
        );
        if grows && self.c.solver.is_too_large(&ty) {
            self.report(MismatchError::TooLarge(span));
            return Expr { kind: Kind::Error, ty: Type::Error, span };
        }
        Expr { kind, ty, span }
    }

    /// Infers an expression and demands that it has the type.
    pub(crate) fn check(&mut self, expr: &ast::Expr, wanted: &Type, why: &Why) -> Expr {
        let res = self.expr(expr, Some(wanted));
        self.expect(wanted, &res.ty, innermost_span(expr), why);
        res
    }

    fn name(&mut self, name: &Name, hint: Option<&Type>, span: Span) -> (Kind, Type) {
        match self.lookup(name) {
            Some(Entry::Local(local)) => self.local(local, span),
            Some(Entry::Size(size)) => (Kind::Size(size), Type::Int),
            None => self.global(name, hint, span),
        }
    }

    fn global(&mut self, name: &Name, hint: Option<&Type>, span: Span) -> (Kind, Type) {
        if let Some(def) = self.globals.get(name).cloned() {
            let def = self.decided_as(&def, hint);
            return self.def_value(name, &def, span);
        }
        if last_part(name).starts_with(char::is_uppercase) {
            return self.con_value(name, span);
        }
        if let Some(it) = refusal(&self.c.table.qualifiers, name, Space::Value, span) {
            self.report(it);
            return (Kind::Error, Type::Error);
        }
        match self.builtin(name) {
            Some(builtin) => self.builtin_value(builtin, span),
            None if self.beside.contains(name) => {
                self.report(NameError::IndexInBound { name: name.clone(), span });
                (Kind::Error, Type::Error)
            }
            None => {
                let known: Vec<Name> = self.known_names();
                let mut error = NameError::unknown(name, span, known.iter().map(|it| it.as_str()));
                if self.bound.contains(name) {
                    error.instead_of_unknown(crate::error::Instead::Recursive);
                }
                self.report(error);
                (Kind::Error, Type::Error)
            }
        }
    }

    /// What may have been meant by a name. The first errors are read, and get a suggestion.
    fn known_names(&self) -> Vec<Name> {
        if self.c.has_many_errors() {
            return Vec::new();
        }
        let scope = self.scope.names().cloned();
        let (own, prelude): (Vec<Name>, Vec<Name>) =
            self.globals.keys().cloned().partition(|it| !self.c.prelude.contains(it));
        scope
            .rev()
            .chain(own)
            .chain(prelude)
            .chain(Builtin::names().into_iter().map(Name::new))
            .collect()
    }

    fn local(&mut self, local: LocalId, span: Span) -> (Kind, Type) {
        let info = self.locals[local.0].clone();
        let Some((types, sizes)) = info.poly else {
            return (Kind::Local(local), info.ty);
        };
        self.copies += info.copies;
        if self.copies > MAX_COPIES {
            self.copies = 0;
            self.report(FunctionError::TooManyCopies(span));
            return (Kind::Error, Type::Error);
        }
        let type_args: Vec<Type> = types.iter().map(|_| self.fresh()).collect();
        let size_args: Vec<Size> = sizes.iter().map(|_| self.c.solver.fresh_size()).collect();
        let ty = instantiate(
            &self.c.solver.resolve(&info.ty),
            (&types, &type_args),
            (&sizes, &size_args),
        );
        self.needs.by_copy(&types, &type_args);
        (Kind::Poly(local, type_args, size_args), ty)
    }

    /// The definition that is meant by a value of which this is expected.
    fn decided_as(&mut self, def: &Name, hint: Option<&Type>) -> Name {
        if self.c.each_use.params(def).is_none() {
            return def.clone();
        }
        let types = match hint.map(|it| self.head(it)) {
            Some(Type::Function(params, _)) => params.into_iter().map(Some).collect(),
            Some(_) | None => Vec::new(),
        };
        decided(self.c, def, &types)
    }

    fn def_value(&mut self, name: &Name, def: &Name, span: Span) -> (Kind, Type) {
        if let Some(scheme) = self.c.schemes.get(def).cloned() {
            let it = self.instantiate(def, &scheme, span);
            let depends = !it.dependent.is_empty() || !it.opaque.is_empty();
            let instance =
                Instance { def: def.clone(), types: it.types, sizes: it.sizes, opaque: it.opaque };
            if scheme.params.is_none() {
                return (Kind::CallDef(instance, Vec::new(), Vec::new()), it.result);
            }
            if depends {
                let name = name.clone();
                self.report(FunctionError::SizeByArgument { name, span });
                return (Kind::Error, Type::Error);
            }
            return (Kind::Def(instance), Type::function(it.params, it.result));
        }
        let Some(mono) = self.c.monos.get(def).cloned() else {
            return (Kind::Error, Type::Error);
        };
        self.needs.inside_group(def);
        let instance =
            Instance { def: def.clone(), types: Vec::new(), sizes: Vec::new(), opaque: Vec::new() };
        match mono.params {
            Some(params) => (Kind::Def(instance), Type::function(params, mono.result)),
            None => (Kind::CallDef(instance, Vec::new(), Vec::new()), mono.result),
        }
    }

    fn con_value(&mut self, name: &Name, span: Span) -> (Kind, Type) {
        match self.constructor(name) {
            Some((con, owner, fields)) if fields.is_empty() => {
                (Kind::CallCon(con, Vec::new()), owner)
            }
            Some((con, owner, fields)) => (Kind::Con(con), Type::function(fields, owner)),
            None => {
                self.unknown_constructor(name, span);
                (Kind::Error, Type::Error)
            }
        }
    }

    /// Says that there is no such constructor, or that it is not in sight.
    pub(super) fn unknown_constructor(&mut self, name: &Name, span: Span) {
        if let Some(it) = refusal(&self.c.table.qualifiers, name, Space::Constructor, span) {
            self.report(it);
            return;
        }
        let known: Vec<Name> = match self.c.has_many_errors() {
            true => Vec::new(),
            false => self.c.table.con_names.keys().cloned().collect(),
        };
        let nearest = nearest(name, known.iter().map(|it| it.as_str()));
        let name = name.clone();
        self.report(NameError::UnknownConstructor { name, span, nearest });
    }

    /// The name that `linalg.solve` is, if `linalg` is a module and no variable.
    pub(super) fn qualified(&self, value: &ast::Expr, field: &ast::Ident) -> Option<Name> {
        let E::Name(module) = &value.kind else { return None };
        let is_module =
            self.lookup(module).is_none() && self.c.table.qualifiers.contains_key(module);
        is_module.then(|| module.part(&field.name))
    }

    /// The name of a definition, builtin or constructor, if the expression is nothing but that.
    pub(super) fn global_name(&self, expr: &ast::Expr) -> Option<Name> {
        if let E::Name(name) = &expr.kind {
            return self.lookup(name).is_none().then(|| name.clone());
        }
        let E::Field { value, field } = &expr.kind else { return None };
        self.qualified(value, field)
    }

    fn tuple(&mut self, parts: &[ast::Expr], hint: Option<&Type>) -> (Kind, Type) {
        let hints = match hint.map(|it| self.head(it)) {
            Some(Type::Tuple(types)) if types.len() == parts.len() => types,
            _ => Vec::new(),
        };
        let parts: Vec<Expr> = parts
            .iter()
            .enumerate()
            .map(|(position, it)| self.expr(it, hints.get(position)))
            .collect();
        let ty = Type::Tuple(parts.iter().map(|it| it.ty.clone()).collect());
        (Kind::Tuple(parts), ty)
    }

    fn array(&mut self, parts: &[ast::Expr], hint: Option<&Type>) -> (Kind, Type) {
        let hint = hint.and_then(|it| self.head(it).into_element());
        let size = Size::constant(parts.len() as i64);
        let Some((first, rest)) = parts.split_first() else {
            let elem = self.fresh();
            return (Kind::Array(Vec::new()), Type::array(size, elem));
        };
        let first_expr = self.expr(first, hint.as_ref());
        let elem = first_expr.ty.clone();
        let mut res = vec![first_expr];
        for part in rest {
            res.push(self.check(part, &elem, &Why::Element(first.span)));
        }
        (Kind::Array(res), Type::array(size, elem))
    }

    fn conditional(
        &mut self,
        cond: &ast::Expr,
        then: &ast::Expr,
        otherwise: &ast::Expr,
        hint: Option<&Type>,
    ) -> (Kind, Type) {
        let cond = self.check(cond, &Type::Bool, &Why::Condition);
        let first = self.expr(then, hint);
        let second = self.check(otherwise, &first.ty, &Why::Branch(innermost_span(then)));
        let ty = first.ty.clone();
        (Kind::If(Box::new(cond), Box::new(first), Box::new(second)), ty)
    }

    fn matching(
        &mut self,
        value: &ast::Expr,
        arms: &[ast::Arm],
        hint: Option<&Type>,
        span: Span,
    ) -> (Kind, Type) {
        let value_expr = self.expr(value, None);
        let ty = self.fresh();
        let mut res: Vec<(Pattern, Expr)> = Vec::new();
        for arm in arms {
            let depth = self.scope.len();
            let pattern = self.arm_pattern(arm, &value_expr.ty, value.span);
            let body = self.expr(&arm.body, hint);
            let first = arms.first().map_or(span, |it| innermost_span(&it.body));
            self.expect(&ty, &body.ty, innermost_span(&arm.body), &Why::Branch(first));
            self.scope.truncate(depth);
            res.push((pattern, body));
        }
        let patterns = res.iter().map(|(it, _)| it.clone()).collect();
        let head = Span { end: value.span.end, ..span };
        self.coverage.push(Coverage { patterns, span: head, binding: false });
        (Kind::Match(Box::new(value_expr), res), ty)
    }
}

/// Puts types and sizes for unknowns.
pub(crate) fn instantiate(
    ty: &Type,
    types: (&[TypeVar], &[Type]),
    sizes: (&[SizeVar], &[Size]),
) -> Type {
    if let Type::Var(var) = ty
        && let Some(position) = types.0.iter().position(|it| it == var)
    {
        return types.1[position].clone();
    }
    ty.map(&mut |part| instantiate(part, types, sizes), &mut |size| {
        size.substitute(&mut |atom| {
            let position = match atom {
                crate::types::SizeAtom::Var(var) => sizes.0.iter().position(|it| it == var),
                crate::types::SizeAtom::Rigid(_) => None,
            };
            position.map_or_else(|| Size::var(atom.clone()), |it| sizes.1[it].clone())
        })
    })
}

/// Where to point for the value of an expression: the result of a block, not all of it.
pub(crate) fn innermost_span(expr: &ast::Expr) -> Span {
    if let E::Block { result, .. } = &expr.kind { innermost_span(result) } else { expr.span }
}

/// The expression inside all parentheses around it.
pub(crate) fn without_parens(expr: &ast::Expr) -> &ast::Expr {
    let mut res = expr;
    while let E::Paren(inner) = &res.kind {
        res = inner;
    }
    res
}
