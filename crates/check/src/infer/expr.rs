//! Expressions, one arm per form.

use std::cell::Cell;
use std::rc::Rc;

use base::{Name, Span};
use ir::Prim;
use syntax::ast::{self, BinaryOp, ExprKind as E, IndexItem, UnaryOp};

use crate::builtin::Builtin;
use crate::error::{Error, Why};
use crate::infer::constraint::{Arithmetic, Demand, Leaves};
use crate::infer::{Coverage, Entry, Infer};
use crate::typed::{Expr, Instance, Kind, Let, LocalId, Pattern, PatternKind, PolyFn, SizeArg};
use crate::types::{Size, SizeVar, Type, TypeVar};

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
            E::Name(name) => self.name(name, span),
            E::Paren(inner) => return Expr { span, ..self.expr(inner, hint) },
            E::Tuple(parts) => self.tuple(parts, hint),
            E::Record { name, fields, base } => {
                self.record_literal(name, fields, base.as_deref(), span)
            }
            E::Array(parts) => self.array(parts, hint),
            E::Lambda { params, body } => self.lambda(params, body, hint, span),
            E::Call { function, args } => self.call(function, args, span),
            E::Field { value, field } => self.field(value, field),
            E::Proj { value, index, index_span } => self.proj(value, *index, *index_span),
            E::Index { array, indices } => self.index(array, indices),
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
        Expr { kind, ty, span }
    }

    /// Infers an expression and demands that it has the type.
    pub(crate) fn check(&mut self, expr: &ast::Expr, wanted: &Type, why: &Why) -> Expr {
        let res = self.expr(expr, Some(wanted));
        self.expect(wanted, &res.ty, innermost_span(expr), why);
        res
    }

    fn name(&mut self, name: &Name, span: Span) -> (Kind, Type) {
        match self.lookup(name) {
            Some(Entry::Local(local)) => return self.local(local),
            Some(Entry::Size(size)) => return (Kind::Size(size), Type::Int),
            None => {}
        }
        if let Some(def) = self.globals.get(name).cloned() {
            return self.def_value(name, &def, span);
        }
        if name.starts_with(char::is_uppercase) {
            return self.con_value(name, span);
        }
        match Builtin::from_name(name) {
            Some(builtin) => self.builtin_value(builtin, span),
            None => {
                let known: Vec<Name> = self.known_names();
                self.report(Error::unknown_name(name, span, known.iter().map(|it| it.as_str())));
                (Kind::Error, Type::Error)
            }
        }
    }

    fn known_names(&self) -> Vec<Name> {
        let scope = self.scope.iter().map(|(it, _)| it.clone());
        let globals = self.globals.keys().cloned();
        scope.chain(globals).chain(Builtin::names().into_iter().map(Name::new)).collect()
    }

    fn local(&mut self, local: LocalId) -> (Kind, Type) {
        let info = self.locals[local.0].clone();
        let Some((types, sizes)) = info.poly else {
            return (Kind::Local(local), info.ty);
        };
        let type_args: Vec<Type> = types.iter().map(|_| self.fresh()).collect();
        let size_args: Vec<Size> = sizes.iter().map(|_| self.c.solver.fresh_size()).collect();
        let ty = instantiate(
            &self.c.solver.resolve(&info.ty),
            (&types, &type_args),
            (&sizes, &size_args),
        );
        (Kind::Poly(local, type_args, size_args), ty)
    }

    fn def_value(&mut self, name: &Name, def: &Name, span: Span) -> (Kind, Type) {
        if let Some(scheme) = self.c.schemes.get(def).cloned() {
            let it = scheme.instantiate(&mut self.c.solver, span);
            let depends = !it.dependent.is_empty() || !it.opaque.is_empty();
            let instance =
                Instance { def: def.clone(), types: it.types, sizes: it.sizes, opaque: it.opaque };
            if scheme.params.is_none() {
                return (Kind::CallDef(instance, Vec::new(), Vec::new()), it.result);
            }
            if depends {
                self.report(Error::size_by_argument(name, span));
                return (Kind::Error, Type::Error);
            }
            return (Kind::Def(instance), Type::function(it.params, it.result));
        }
        let Some(mono) = self.c.monos.get(def).cloned() else {
            return (Kind::Error, Type::Error);
        };
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
                let known: Vec<Name> = self.c.table.con_names.keys().cloned().collect();
                self.report(Error::unknown_constructor(
                    name,
                    span,
                    known.iter().map(|it| it.as_str()),
                ));
                (Kind::Error, Type::Error)
            }
        }
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

    fn record_literal(
        &mut self,
        name: &ast::Ident,
        fields: &[(ast::Ident, Option<ast::Expr>)],
        base: Option<&ast::Expr>,
        span: Span,
    ) -> (Kind, Type) {
        let Some((record, known)) = self.record(name) else {
            for value in fields.iter().filter_map(|(_, it)| it.as_ref()) {
                self.expr(value, None);
            }
            return (Kind::Error, Type::Error);
        };
        let base = base.map(|it| {
            let value = self.check(it, &record, &Why::Base);
            (self.new_local(Name::new("_"), record.clone(), it.span), value)
        });
        let mut parts: Vec<Option<Expr>> = known.iter().map(|_| None).collect();
        for (field, value) in fields {
            let Some(position) = known.iter().position(|(it, _)| *it == field.name) else {
                let names: Vec<Name> = known.iter().map(|(it, _)| it.clone()).collect();
                self.report(Error::unknown_field(field, &name.name, &names));
                continue;
            };
            if let Some(first) = &parts[position] {
                let first = first.span;
                self.report(Error::duplicate("field", field, first));
            }
            let why = Why::Field(field.name.clone());
            let own = ast::Expr { kind: E::Name(field.name.clone()), span: field.span };
            parts[position] =
                Some(self.check(value.as_ref().unwrap_or(&own), &known[position].1, &why));
        }
        let missing: Vec<Name> = known
            .iter()
            .zip(&parts)
            .filter(|(_, it)| it.is_none())
            .map(|((it, _), _)| it.clone())
            .collect();
        if base.is_none() && !missing.is_empty() {
            self.report(Error::fields(name, &missing));
            return (Kind::Error, record);
        }
        let from_base = |position: usize, ty: &Type| {
            let (local, _) = base.as_ref().expect("a field is missing only if there is a base");
            let value = Expr { kind: Kind::Local(*local), ty: record.clone(), span };
            Expr {
                kind: Kind::Proj(Box::new(value), Rc::new(Cell::new(position))),
                ty: ty.clone(),
                span,
            }
        };
        let parts = parts
            .into_iter()
            .enumerate()
            .map(|(position, part)| part.unwrap_or_else(|| from_base(position, &known[position].1)))
            .collect();
        match base {
            None => (Kind::Tuple(parts), record),
            Some((local, value)) => {
                let pattern = Pattern { kind: PatternKind::Local(local), ty: record.clone(), span };
                let result = Expr { kind: Kind::Tuple(parts), ty: record.clone(), span };
                (Kind::Block(vec![Let::Plain(pattern, Box::new(value))], Box::new(result)), record)
            }
        }
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

    fn lambda(
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
                self.report(Error::lambda_parameters(span, types.len(), params.len()));
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

    fn field(&mut self, value: &ast::Expr, field: &ast::Ident) -> (Kind, Type) {
        let value = self.expr(value, None);
        let (ty, slot) = (self.fresh(), Rc::new(Cell::new(0)));
        let demand = Demand::Field {
            value: value.ty.clone(),
            field: field.clone(),
            ty: ty.clone(),
            slot: slot.clone(),
        };
        self.c.demand(demand, field.span);
        (Kind::Proj(Box::new(value), slot), ty)
    }

    fn proj(&mut self, value: &ast::Expr, index: usize, span: Span) -> (Kind, Type) {
        let value = self.expr(value, None);
        let (ty, slot) = (self.fresh(), Rc::new(Cell::new(index)));
        self.c.demand(
            Demand::Part { value: value.ty.clone(), index, ty: ty.clone(), slot: slot.clone() },
            span,
        );
        (Kind::Proj(Box::new(value), slot), ty)
    }

    fn index(&mut self, array: &ast::Expr, items: &[IndexItem]) -> (Kind, Type) {
        let mut res = self.expr(array, None);
        let mut kept: Vec<Size> = Vec::new();
        let mut ty = res.ty.clone();
        let mut pending: Vec<Expr> = Vec::new();
        for (position, item) in items.iter().enumerate() {
            let Some((size, elem)) = self.axis(&ty, array.span, position) else {
                return (Kind::Error, Type::Error);
            };
            match item {
                IndexItem::At(index) => {
                    let index = self.check(index, &Type::Int, &Why::Index);
                    if kept.is_empty() {
                        pending.push(index);
                    } else {
                        // An index behind a range: elaboration brings its axis to the front.
                        let whole = nest(&kept, elem.clone());
                        let span = array.span.to(index.span);
                        let kind = Kind::IndexAxis(Box::new(res), kept.len(), Box::new(index));
                        res = Expr { kind, ty: whole, span };
                    }
                }
                IndexItem::Range { lo, hi, span } => {
                    res = flush(res, &mut pending, &ty);
                    let (from, to) = self.range(lo.as_ref(), hi.as_ref(), &size, *span);
                    let length = to.size.sub(&from.size);
                    if let Some(value) = length.as_constant()
                        && value < 0
                    {
                        self.report(Error::negative_size(*span, value));
                    }
                    let axis = kept.len();
                    kept.push(length);
                    let whole = nest(&kept, elem.clone());
                    let kind = Kind::Slice {
                        array: Box::new(res),
                        axis,
                        from: Box::new(from),
                        to: Box::new(to),
                    };
                    res = Expr { kind, ty: whole, span: array.span.to(*span) };
                }
            }
            ty = elem;
        }
        let res = flush(res, &mut pending, &ty);
        (res.kind, res.ty)
    }

    /// The outermost size and the element of an array type.
    fn axis(&mut self, ty: &Type, span: Span, before: usize) -> Option<(Size, Type)> {
        match self.head(ty) {
            Type::Array(size, elem) => Some((size, *elem)),
            Type::Var(_) => {
                let (size, elem) = (self.c.solver.fresh_size(), self.fresh());
                self.expect(ty, &Type::array(size.clone(), elem.clone()), span, &Why::Index);
                Some((size, elem))
            }
            Type::Error => None,
            other @ (Type::Real
            | Type::Int
            | Type::Bool
            | Type::String
            | Type::Tuple(_)
            | Type::Function(..)
            | Type::Named(..)
            | Type::Param(_)) => {
                let other = self.c.solver.resolve(&other);
                self.report(Error::not_indexable(span, &other, before));
                None
            }
        }
    }

    fn range(
        &mut self,
        lo: Option<&ast::Expr>,
        hi: Option<&ast::Expr>,
        size: &Size,
        span: Span,
    ) -> (SizeArg, SizeArg) {
        let int = |kind: Kind| Expr { kind, ty: Type::Int, span };
        let from = match lo {
            Some(lo) => self.check(lo, &Type::Int, &Why::Index),
            None => int(Kind::Int(0)),
        };
        let to = match hi {
            Some(hi) => self.check(hi, &Type::Int, &Why::Index),
            None => int(Kind::Size(size.clone())),
        };
        (self.size_arg(from), self.size_arg(to))
    }

    fn unary(&mut self, op: UnaryOp, value: &ast::Expr) -> (Kind, Type) {
        match op {
            UnaryOp::Not => {
                let value = self.check(value, &Type::Bool, &Why::Condition);
                (Kind::Prim(Prim::Not, vec![value]), Type::Bool)
            }
            UnaryOp::Neg => {
                let value = self.expr(value, None);
                if let Kind::Int(it) = value.kind {
                    return (Kind::Int(it.wrapping_neg()), Type::Int);
                }
                if let Kind::Real(it) = value.kind {
                    return (Kind::Real(-it), Type::Real);
                }
                let ty = value.ty.clone();
                self.c.demand(Demand::Number(ty.clone(), "-"), value.span);
                (Kind::Prim(Prim::Neg, vec![value]), ty)
            }
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        op_span: Span,
        left: &ast::Expr,
        right: &ast::Expr,
        hint: Option<&Type>,
        span: Span,
    ) -> (Kind, Type) {
        let (prim, leaves) = match op {
            BinaryOp::And | BinaryOp::Or => return self.logic(op, left, right, span),
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Close => {
                return self.equality(op, left, right, span);
            }
            BinaryOp::Lt => (Prim::Lt, Leaves::Compare),
            BinaryOp::Le => (Prim::Le, Leaves::Compare),
            BinaryOp::Gt => (Prim::Gt, Leaves::Compare),
            BinaryOp::Ge => (Prim::Ge, Leaves::Compare),
            BinaryOp::Add => (Prim::Add, Leaves::Same),
            BinaryOp::Sub => (Prim::Sub, Leaves::Same),
            BinaryOp::Mul => (Prim::Mul, Leaves::Same),
            BinaryOp::Div => (Prim::Div, Leaves::Same),
            BinaryOp::Rem => (Prim::Rem, Leaves::Same),
            BinaryOp::Pow => (Prim::Pow, Leaves::Same),
        };
        let args = vec![self.expr(left, hint), self.expr(right, hint)];
        self.arithmetic(prim, op.symbol(), args, leaves, op_span)
    }

    /// A primitive of two operands that broadcast.
    pub(crate) fn arithmetic(
        &mut self,
        prim: Prim,
        symbol: &'static str,
        args: Vec<Expr>,
        leaves: Leaves,
        span: Span,
    ) -> (Kind, Type) {
        let result = self.fresh();
        let literal = |it: &Expr| if let Kind::Int(value) = it.kind { Some(value) } else { None };
        let demand = Arithmetic {
            symbol,
            left: (args[0].ty.clone(), args[0].span),
            right: (args[1].ty.clone(), args[1].span),
            result: result.clone(),
            literals: (literal(&args[0]), literal(&args[1])),
            leaves,
        };
        self.c.demand(Demand::Arithmetic(Box::new(demand)), span);
        (Kind::Prim(prim, args), result)
    }

    fn logic(
        &mut self,
        op: BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> (Kind, Type) {
        let left = Box::new(self.check(left, &Type::Bool, &Why::Condition));
        let right = Box::new(self.check(right, &Type::Bool, &Why::Condition));
        let constant = |value| Box::new(Expr { kind: Kind::Bool(value), ty: Type::Bool, span });
        let kind = if op == BinaryOp::And {
            Kind::If(left, right, constant(false))
        } else {
            Kind::If(left, constant(true), right)
        };
        (kind, Type::Bool)
    }

    fn equality(
        &mut self,
        op: BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> (Kind, Type) {
        let left_expr = Box::new(self.expr(left, None));
        let right_expr = Box::new(self.expr(right, Some(&left_expr.ty)));
        // Sizes that only running the program can tell may differ: then the values do, too.
        let left_ty = self.c.solver.forget_opaque(&left_expr.ty);
        let right_ty = self.c.solver.forget_opaque(&right_expr.ty);
        self.expect(&left_ty, &right_ty, right.span, &Why::Operand(left.span));
        self.c.demand(Demand::Comparable(left_expr.ty.clone()), left.span);
        if op == BinaryOp::Close {
            return (Kind::Close(left_expr, right_expr), Type::Bool);
        }
        let equal = Kind::Equal(left_expr, right_expr);
        if op == BinaryOp::Ne {
            let equal = Expr { kind: equal, ty: Type::Bool, span };
            return (Kind::Prim(Prim::Not, vec![equal]), Type::Bool);
        }
        (equal, Type::Bool)
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
            let pattern = self.pattern(&arm.pattern, &value_expr.ty, value.span);
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

    fn block(
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

    /// A function bound by `let` is polymorphic in what nothing around it decides.
    fn function_binding(&mut self, name: &Name, binding: &ast::Let) -> Let {
        self.c.solver.level += 1;
        let value = self.expr(&binding.value, None);
        self.c.retry();
        self.c.solver.level -= 1;
        for constraint in self.c.constraints.clone() {
            for ty in constraint.demand.types() {
                self.c.solver.lower(&ty);
            }
        }
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
        self.locals[local.0].poly = Some((types.clone(), sizes.clone()));
        Let::Poly(local, PolyFn { types, sizes, value: Rc::new(value) })
    }

    fn build(
        &mut self,
        indices: &[(ast::Ident, ast::Expr)],
        body: &ast::Expr,
        hint: Option<&Type>,
    ) -> (Kind, Type) {
        let depth = self.scope.len();
        let mut res: Vec<(LocalId, SizeArg)> = Vec::new();
        let mut hint = hint.cloned();
        for (index, bound) in indices {
            let bound = self.check(bound, &Type::Int, &Why::Index);
            let size = self.size_arg(bound);
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

/// Applies the indices collected so far.
fn flush(array: Expr, pending: &mut Vec<Expr>, elem: &Type) -> Expr {
    if pending.is_empty() {
        return array;
    }
    let indices = std::mem::take(pending);
    let span = indices.iter().fold(array.span, |span, it| span.to(it.span));
    Expr { kind: Kind::Index(Box::new(array), indices), ty: elem.clone(), span }
}

fn nest(sizes: &[Size], elem: Type) -> Type {
    sizes.iter().rev().fold(elem, |ty, size| Type::array(size.clone(), ty))
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
