//! Records, parts of tuples, elements and slices of arrays.

use base::{Name, Span};
use syntax::ast::{self, ExprKind as E, IndexItem};

use crate::error::{NameError, PartError, SizeError, Why};
use crate::infer::Infer;
use crate::infer::constraint::Demand;
use crate::typed::{Expr, Kind, Let, Pattern, PatternKind, SizeArg, Slot};
use crate::types::{Size, Type};

impl Infer<'_> {
    pub(super) fn record_literal(
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
        let parts = self.field_values(&name.name, fields, &known);
        let missing: Vec<Name> = known
            .iter()
            .zip(&parts)
            .filter(|(_, it)| it.is_none())
            .map(|((it, _), _)| it.clone())
            .collect();
        if base.is_none() && !missing.is_empty() {
            self.report(PartError::Missing { name: name.clone(), fields: missing });
            return (Kind::Error, record);
        }
        let from_base = |position: usize, ty: &Type| {
            let (local, _) = base.as_ref().expect("a field is missing only if there is a base");
            let value = Expr { kind: Kind::Local(*local), ty: record.clone(), span };
            Expr { kind: Kind::Proj(Box::new(value), Slot::new(position)), ty: ty.clone(), span }
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

    /// The values of the fields that are written, each at its place in the record.
    fn field_values(
        &mut self,
        record: &Name,
        fields: &[(ast::Ident, Option<ast::Expr>)],
        known: &[(Name, Type)],
    ) -> Vec<Option<Expr>> {
        let mut parts: Vec<Option<Expr>> = known.iter().map(|_| None).collect();
        for (field, value) in fields {
            let Some(position) = known.iter().position(|(it, _)| *it == field.name) else {
                let names: Vec<Name> = known.iter().map(|(it, _)| it.clone()).collect();
                self.report(PartError::unknown_field(field, record, names));
                continue;
            };
            if let Some(first) = &parts[position] {
                let first = first.span;
                let second = field.clone();
                self.report(NameError::Duplicate { what: "field", second, first });
            }
            let why = Why::Field(field.name.clone());
            let own = ast::Expr { kind: E::Name(field.name.clone()), span: field.span };
            parts[position] =
                Some(self.check(value.as_ref().unwrap_or(&own), &known[position].1, &why));
        }
        parts
    }

    pub(super) fn field(&mut self, value: &ast::Expr, field: &ast::Ident) -> (Kind, Type) {
        let value = self.expr(value, None);
        let (ty, slot) = (self.fresh(), Slot::new(0));
        let demand = Demand::Field {
            value: value.ty.clone(),
            field: field.clone(),
            ty: ty.clone(),
            slot: slot.clone(),
        };
        self.c.demand(demand, field.span);
        (Kind::Proj(Box::new(value), slot), ty)
    }

    pub(super) fn proj(&mut self, value: &ast::Expr, index: usize, span: Span) -> (Kind, Type) {
        let value = self.expr(value, None);
        let (ty, slot) = (self.fresh(), Slot::new(index));
        self.c.demand(
            Demand::Part { value: value.ty.clone(), index, ty: ty.clone(), slot: slot.clone() },
            span,
        );
        (Kind::Proj(Box::new(value), slot), ty)
    }

    pub(super) fn index(&mut self, array: &ast::Expr, items: &[IndexItem]) -> (Kind, Type) {
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
                        self.report(SizeError::Negative { span: *span, size: value });
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
    pub(super) fn axis(&mut self, ty: &Type, span: Span, before: usize) -> Option<(Size, Type)> {
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
                let ty = self.c.solver.resolve(&other);
                self.report(PartError::NotIndexable { span, ty, indices: before });
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
