//! Patterns and parameters.

use std::collections::BTreeMap;

use base::{Name, Span};
use syntax::ast::{self, PatternKind as P};

use crate::annotate::unknown_type;
use crate::error::{FunctionError, NameError, PartError, Why};
use crate::infer::{Entry, Infer};
use crate::typed::{Pattern, PatternKind};
use crate::types::Type;

/// The variables of patterns side by side, and where those stand.
struct Bound {
    names: BTreeMap<Name, Span>,
    place: Place,
}

/// What a pattern is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A `let` or parameter: a capital letter there is more likely a variable than a constructor.
    Binding,
    /// An arm of a `match`.
    Arm,
}

impl Place {
    fn start(self) -> Bound {
        Bound { names: BTreeMap::new(), place: self }
    }
}

impl Infer<'_> {
    /// The pattern of a `let` for values of the type; its variables come into scope.
    pub(crate) fn pattern(&mut self, pattern: &ast::Pattern, ty: &Type, value: Span) -> Pattern {
        self.pattern_in(pattern, ty, value, &mut Place::Binding.start())
    }

    /// The pattern of an arm for values of the type; its variables come into scope.
    pub(crate) fn arm_pattern(&mut self, arm: &ast::Arm, ty: &Type, value: Span) -> Pattern {
        self.pattern_in(&arm.pattern, ty, value, &mut Place::Arm.start())
    }

    /// Parameters, whose variables must differ.
    pub(crate) fn patterns<'p>(
        &mut self,
        patterns: impl Iterator<Item = (&'p ast::Pattern, Type)>,
        value: Span,
    ) -> Vec<Pattern> {
        let mut bound = Place::Binding.start();
        patterns.map(|(pattern, ty)| self.pattern_in(pattern, &ty, value, &mut bound)).collect()
    }

    fn pattern_in(
        &mut self,
        pattern: &ast::Pattern,
        ty: &Type,
        value: Span,
        bound: &mut Bound,
    ) -> Pattern {
        let span = pattern.span;
        let kind = match &pattern.kind {
            P::Wildcard | P::Error => PatternKind::Wildcard,
            P::Name(name) => self.variable(name, ty, span, bound),
            P::Int(literal) => {
                self.expect(ty, &Type::Int, span, &Why::Pattern(value));
                PatternKind::Int(*literal)
            }
            P::Bool(literal) => {
                self.expect(ty, &Type::Bool, span, &Why::Pattern(value));
                PatternKind::Bool(*literal)
            }
            P::Str(literal) => {
                self.expect(ty, &Type::String, span, &Why::Pattern(value));
                PatternKind::Str(literal.clone())
            }
            P::Tuple(parts) => {
                let types: Vec<Type> = parts.iter().map(|_| self.fresh()).collect();
                self.expect(ty, &Type::Tuple(types.clone()), span, &Why::Pattern(value));
                let parts = parts.iter().zip(&types);
                PatternKind::Tuple(
                    parts.map(|(it, ty)| self.pattern_in(it, ty, value, bound)).collect(),
                )
            }
            P::Con(con, parts) => self.con_pattern(con, parts, ty, (span, value), bound),
            P::Record(name, fields) => self.record_pattern(name, fields, ty, value, bound),
        };
        Pattern { kind, ty: ty.clone(), span }
    }

    fn variable(&mut self, name: &Name, ty: &Type, span: Span, bound: &mut Bound) -> PatternKind {
        if let Some(first) = bound.names.insert(name.clone(), span) {
            self.report(NameError::BoundTwice { name: name.clone(), second: span, first });
        }
        let local = self.new_local(name.clone(), ty.clone(), span);
        self.scope.push((name.clone(), Entry::Local(local)));
        PatternKind::Local(local)
    }

    fn con_pattern(
        &mut self,
        con: &ast::Ident,
        parts: &[ast::Pattern],
        ty: &Type,
        (span, value): (Span, Span),
        bound: &mut Bound,
    ) -> PatternKind {
        let Some((name, owner, fields)) = self.constructor(&con.name) else {
            if bound.place == Place::Binding && parts.is_empty() {
                self.report(NameError::CapitalVariable { name: con.name.clone(), span: con.span });
                return self.variable(&con.name, ty, span, bound);
            }
            self.unknown_constructor(&con.name, con.span);
            for part in parts {
                self.pattern_in(part, &Type::Error, value, bound);
            }
            return PatternKind::Wildcard;
        };
        self.expect(ty, &owner, con.span, &Why::Pattern(value));
        if parts.len() != fields.len() {
            self.report(FunctionError::arguments(&con.name, span, fields.len(), parts.len()));
        }
        let types = fields.into_iter().chain(std::iter::repeat(Type::Error));
        let parts: Vec<Pattern> = parts
            .iter()
            .zip(types)
            .map(|(it, ty)| self.pattern_in(it, &ty, value, bound))
            .collect();
        PatternKind::Con(name, parts)
    }

    fn record_pattern(
        &mut self,
        name: &ast::Ident,
        fields: &[(ast::Ident, Option<ast::Pattern>)],
        ty: &Type,
        value: Span,
        bound: &mut Bound,
    ) -> PatternKind {
        let Some((record, known)) = self.record(name) else {
            return PatternKind::Wildcard;
        };
        self.expect(ty, &record, name.span, &Why::Pattern(value));
        let wildcard =
            |ty: &Type| Pattern { kind: PatternKind::Wildcard, ty: ty.clone(), span: name.span };
        let mut parts: Vec<Pattern> = known.iter().map(|(_, ty)| wildcard(ty)).collect();
        for (field, pattern) in fields {
            let Some(position) = known.iter().position(|(it, _)| *it == field.name) else {
                let names: Vec<Name> = known.iter().map(|(it, _)| it.clone()).collect();
                self.report(PartError::unknown_field(field, &name.name, names));
                continue;
            };
            let own;
            let pattern = match pattern {
                Some(pattern) => pattern,
                None => {
                    own = ast::Pattern { kind: P::Name(field.name.clone()), span: field.span };
                    &own
                }
            };
            if let Some((first, _)) = fields.iter().find(|it| it.0.name == field.name)
                && first.span != field.span
            {
                let (what, second, first) = ("field", field.clone(), first.span);
                self.report(NameError::Duplicate { what, second, first });
            }
            parts[position] = self.pattern_in(pattern, &known[position].1, value, bound);
        }
        PatternKind::Tuple(parts)
    }

    /// A constructor with fresh type arguments: its name in the program, its type, its fields.
    pub(crate) fn constructor(&mut self, name: &Name) -> Option<(Name, Type, Vec<Type>)> {
        let name = self.c.table.con_names.get(name)?.clone();
        let (owner, position) = self.c.table.cons.get(&name)?.clone();
        let owner = self.fresh_named(&owner);
        let cons = self.c.table.constructors(&owner)?;
        Some((name, owner, cons.get(position)?.1.clone()))
    }

    /// A record with fresh type arguments and its fields; complains if it is none.
    pub(crate) fn record(&mut self, name: &ast::Ident) -> Option<(Type, Vec<(Name, Type)>)> {
        let Some(declared) = self.c.table.names.get(&name.name).cloned() else {
            let error = unknown_type(&self.c.table, name);
            self.report(error);
            return None;
        };
        let record = self.fresh_named(&declared);
        match self.c.table.record_fields(&record) {
            Some(fields) => Some((record, fields)),
            None => {
                self.report(PartError::NotARecord(name.clone()));
                None
            }
        }
    }

    fn fresh_named(&mut self, name: &Name) -> Type {
        let params = self.c.table.decls.get(name).map(|it| it.params.clone()).unwrap_or_default();
        let (mut types, mut sizes) = (Vec::new(), Vec::new());
        for param in params {
            match param {
                crate::declare::Param::Type(_) => types.push(self.fresh()),
                crate::declare::Param::Size(_) => sizes.push(self.c.solver.fresh_size()),
            }
        }
        Type::Named(name.clone(), types, sizes)
    }
}
