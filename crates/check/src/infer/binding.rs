//! Forms that bind variables: functions, blocks, `build`.

use std::sync::Arc;

use base::{Name, Span};
use syntax::ast::{self, ExprKind as E};

use crate::error::{FunctionError, SizeError, Why};
use crate::generalise::rigids;
use crate::infer::constraint::Demand;
use crate::infer::expr::without_parens;
use crate::infer::{Coverage, Entry, Infer};
use crate::typed::{Expr, Kind, Let, LocalId, Pattern, PatternKind, PolyFn, SizeArg};
use crate::types::{Rigid, Type};

impl Infer<'_> {
    pub(super) fn lambda(
        &mut self,
        params: &[ast::Param],
        body: &ast::Expr,
        hint: Option<&Type>,
        span: Span,
    ) -> (Kind, Type) {
        let (hints, result_hint) = match hint.map(|it| self.head(it)) {
            Some(Type::Function(types, result)) if types.len() == params.len() => {
                (types, Some(*result))
            }
            Some(Type::Function(types, _)) => {
                let (wanted, found) = (types.len(), params.len());
                self.report(FunctionError::LambdaParameters { span, wanted, found });
                return (Kind::Error, Type::Error);
            }
            _ => (Vec::new(), None),
        };
        let depth = self.scope.len();
        let mut types = Vec::new();
        for (position, param) in params.iter().enumerate() {
            let ty = hints.get(position).cloned().unwrap_or_else(|| self.fresh());
            if let Some(annotation) = &param.ty {
                let annotated = self.annotation(annotation);
                self.expect(&annotated, &ty, param.pattern.span, &Why::Annotation(annotation.span));
            }
            types.push(ty);
        }
        let patterns = self.patterns(params.iter().map(|it| &it.pattern).zip(types.clone()), span);
        self.cover_bindings(&patterns);
        let body = self.expr(body, result_hint.as_ref());
        self.scope.truncate(depth);
        let ty = Type::function(types, body.ty.clone());
        (Kind::Lambda(patterns, Box::new(body)), ty)
    }

    pub(crate) fn cover_bindings(&mut self, patterns: &[Pattern]) {
        for pattern in patterns {
            if !matches!(pattern.kind, PatternKind::Local(_) | PatternKind::Wildcard) {
                self.coverage.push(Coverage {
                    patterns: vec![pattern.clone()],
                    span: pattern.span,
                    binding: true,
                });
            }
        }
    }

    pub(super) fn block(
        &mut self,
        lets: &[ast::Let],
        result: &ast::Expr,
        hint: Option<&Type>,
    ) -> (Kind, Type) {
        let depth = self.scope.len();
        let lets: Vec<Let> = lets.iter().map(|it| self.binding(it)).collect();
        let result = self.expr(result, hint);
        self.scope.truncate(depth);
        let ty = result.ty.clone();
        (Kind::Block(lets, Box::new(result)), ty)
    }

    fn binding(&mut self, binding: &ast::Let) -> Let {
        if binding.is_recursive {
            return self.recursive_binding(binding);
        }
        let is_lambda = matches!(without_parens(&binding.value).kind, E::Lambda { .. });
        if let ast::PatternKind::Name(name) = &binding.pattern.kind
            && is_lambda
            && binding.ty.is_none()
        {
            return self.function_binding(name, binding);
        }
        let value = match &binding.ty {
            Some(annotation) => {
                let ty = self.annotation(annotation);
                let value = self.check(&binding.value, &ty, &Why::Annotation(annotation.span));
                Expr { ty, ..value }
            }
            None => self.expr(&binding.value, None),
        };
        let is_int = self.head(&value.ty) == Type::Int;
        let size = if is_int { self.size_of(&value) } else { None };
        let pattern = self.pattern(&binding.pattern, &value.ty, binding.value.span);
        if let PatternKind::Local(local) = pattern.kind {
            self.locals[local.0].size = size;
        }
        self.cover_bindings(std::slice::from_ref(&pattern));
        Let::Plain(pattern, Box::new(value))
    }

    /// A function that may call itself has one type, inside of itself and outside: it is polymorphic in
    /// nothing.
    fn recursive_binding(&mut self, binding: &ast::Let) -> Let {
        let span = binding.pattern.span;
        let (ast::PatternKind::Name(name), E::Lambda { params, .. }) =
            (&binding.pattern.kind, &without_parens(&binding.value).kind)
        else {
            // The parser has said what is wrong.
            let value = Expr { kind: Kind::Error, ty: Type::Error, span };
            let pattern = self.pattern(&binding.pattern, &Type::Error, span);
            return Let::Plain(pattern, Box::new(value));
        };
        let sizes_before = self.c.solver.n_rigids();
        let (ty, why) = match &binding.ty {
            Some(annotation) => (self.annotation(annotation), Why::Annotation(annotation.span)),
            None => {
                let params = params.iter().map(|_| self.fresh()).collect();
                (Type::function(params, self.fresh()), Why::Recursive(span))
            }
        };
        let local = self.new_local(name.clone(), ty.clone(), span);
        let outside = self.locals.len();
        self.scope.push((name.clone(), Entry::Local(local)));
        let value = self.check(&binding.value, &ty, &why);
        self.c.retry();
        if let Some(rigid) = self.inner_size(&value.ty, outside, sizes_before) {
            return self.refuse_inner_size(name, binding, &value, &rigid);
        }
        Let::Recursive(local, Box::new(value))
    }

    /// A function bound by `let` is polymorphic in what nothing around it decides.
    fn function_binding(&mut self, name: &Name, binding: &ast::Let) -> Let {
        self.c.solver.level += 1;
        let made_before = self.copies;
        let outside = self.locals.len();
        let sizes_before = self.c.solver.n_rigids();
        self.bound.push(name.clone());
        let value = self.expr(&binding.value, None);
        self.bound.pop();
        self.c.retry();
        self.c.solver.level -= 1;
        if let Some(rigid) = self.inner_size(&value.ty, outside, sizes_before) {
            return self.refuse_inner_size(name, binding, &value, &rigid);
        }
        for constraint in self.c.constraints.clone() {
            // Reals are mapped by the types of each use.
            if let Demand::Structure { vector: None, .. } = constraint.demand {
                continue;
            }
            for ty in constraint.demand.types() {
                self.c.solver.lower(&ty);
            }
        }
        self.c.solver.lower_waiting();
        let (types, sizes) = self.c.solver.generalisable(&value.ty);
        let local = self.new_local(name.clone(), value.ty.clone(), binding.pattern.span);
        self.scope.push((name.clone(), Entry::Local(local)));
        if types.is_empty() && sizes.is_empty() {
            let pattern = Pattern {
                kind: PatternKind::Local(local),
                ty: value.ty.clone(),
                span: binding.pattern.span,
            };
            return Let::Plain(pattern, Box::new(value));
        }
        self.locals[local.0].copies = 1 + self.copies - made_before;
        self.copies = made_before;
        self.locals[local.0].poly = Some((types.clone(), sizes.clone()));
        Let::Poly(local, PolyFn { types, sizes, value: Arc::new(value) })
    }

    /// The first size in the type of a function that is known only inside of the function.
    fn inner_size(&self, ty: &Type, outside: usize, sizes_before: u32) -> Option<Rigid> {
        self.inner_sizes(ty, outside, sizes_before).into_iter().next()
    }

    /// All of them.
    pub(super) fn inner_sizes(&self, ty: &Type, outside: usize, sizes_before: u32) -> Vec<Rigid> {
        let of_outer = |rigid: &Rigid| {
            let owners = self.locals[..outside].iter().filter_map(|it| it.rigid.as_ref());
            rigid.id <= sizes_before || owners.into_iter().any(|it| it.id == rigid.id)
        };
        rigids(&self.c.solver.resolve(ty)).into_iter().filter(|it| !of_outer(it)).collect()
    }

    /// Says once that a function has to be a `def`, and nothing at its uses.
    fn refuse_inner_size(
        &mut self,
        name: &Name,
        binding: &ast::Let,
        value: &Expr,
        rigid: &Rigid,
    ) -> Let {
        let ty = self.c.solver.resolve(&value.ty);
        let result = if let Type::Function(_, result) = &ty { &**result } else { &ty };
        let origin = self.c.solver.origins.get(&rigid.id).cloned();
        let params = if let Kind::Lambda(params, _) = &value.kind { &params[..] } else { &[] };
        let by_argument = params.iter().any(|it| {
            let PatternKind::Local(local) = it.kind else { return false };
            self.locals[local.0].rigid.as_ref().is_some_and(|it| it.id == rigid.id)
        });
        self.report(SizeError::OfLocalFunction {
            name: name.clone(),
            span: binding.pattern.span,
            size: rigid.name.clone(),
            origin,
            result: result.clone(),
            by_argument,
        });
        let local = self.new_local(name.clone(), Type::Error, binding.pattern.span);
        self.scope.push((name.clone(), Entry::Local(local)));
        let span = binding.pattern.span;
        let pattern = Pattern { kind: PatternKind::Local(local), ty: Type::Error, span };
        let value = Expr { kind: Kind::Error, ty: Type::Error, span: value.span };
        Let::Plain(pattern, Box::new(value))
    }

    pub(super) fn build(
        &mut self,
        indices: &[(ast::Ident, ast::Expr)],
        body: &ast::Expr,
        hint: Option<&Type>,
    ) -> (Kind, Type) {
        let depth = self.scope.len();
        let mut res: Vec<(LocalId, SizeArg)> = Vec::new();
        let mut hint = hint.cloned();
        for (position, (index, bound)) in indices.iter().enumerate() {
            let before = indices[..position].iter().map(|(it, _)| it.name.clone()).collect();
            let outer = std::mem::replace(&mut self.beside, before);
            let bound = self.check(bound, &Type::Int, &Why::Index);
            self.beside = outer;
            let size = self.size_arg(bound);
            self.refuse_negative(&size);
            let local = self.new_local(index.name.clone(), Type::Int, index.span);
            res.push((local, size));
            hint = hint.and_then(|it| self.head(&it).into_element());
        }
        for ((index, _), (local, _)) in indices.iter().zip(&res) {
            self.scope.push((index.name.clone(), Entry::Local(*local)));
        }
        let body = self.expr(body, hint.as_ref());
        self.scope.truncate(depth);
        let ty =
            res.iter().rev().fold(body.ty.clone(), |ty, (_, it)| Type::array(it.size.clone(), ty));
        (Kind::Build(res, Box::new(body)), ty)
    }
}
