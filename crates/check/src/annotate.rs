//! Annotations: written types to types. What small-letter names mean depends on the place.

use base::{Name, Span};
use syntax::ast;

use crate::declare::{Body, Param, TypeTable};
use crate::error::{AnnotationError, Error};
use crate::sight::{Space, last_part, refusal};
use crate::types::{Size, Type};

/// A type that is not declared, or not in sight.
pub(crate) fn unknown_type(table: &TypeTable, name: &ast::Ident) -> Error {
    match refusal(&table.qualifiers, &name.name, Space::Type, name.span) {
        Some(it) => it.into(),
        None => AnnotationError::unknown_type(table, name).into(),
    }
}

/// More terms than any size has that somebody wrote, multiplied out.
pub(crate) const MOST_TERMS: usize = 10_000;

/// What the small-letter names of an annotation mean; depends on where it stands.
pub(crate) trait Names {
    /// A type variable.
    fn type_name(&mut self, name: &Name, span: Span) -> Result<Type, AnnotationError>;
    /// A size.
    fn size_name(&mut self, name: &Name, span: Span) -> Result<Size, AnnotationError>;
    /// `_` in the place of a type.
    fn type_hole(&mut self, span: Span) -> Result<Type, AnnotationError>;
    /// `_` in the place of a size.
    fn size_hole(&mut self, span: Span) -> Result<Size, AnnotationError>;
}

/// Turns written types into types.
pub(crate) struct Converter<'a> {
    /// The declared types.
    pub table: &'a TypeTable,
    /// Where complaints go.
    pub errors: &'a mut Vec<Error>,
}

impl Converter<'_> {
    /// The type; `Error` where it is wrong.
    pub(crate) fn ty(&mut self, ty: &ast::Type, names: &mut dyn Names) -> Type {
        match &ty.kind {
            ast::TypeKind::Name(name, args) => self.named(name, args, ty.span, names),
            ast::TypeKind::Array(size, elem) => {
                let size = match size {
                    Some(size) => self.size(size, names),
                    None => self.report(names.size_hole(ty.span)),
                };
                let elem = self.ty(elem, names);
                size.map_or(Type::Error, |size| Type::array(size, elem))
            }
            ast::TypeKind::Tuple(parts) => {
                Type::Tuple(parts.iter().map(|it| self.ty(it, names)).collect())
            }
            ast::TypeKind::Function(params, result) => {
                let params = params.iter().map(|it| self.ty(it, names)).collect();
                Type::function(params, self.ty(result, names))
            }
            ast::TypeKind::Hole => self.report(names.type_hole(ty.span)).unwrap_or(Type::Error),
            ast::TypeKind::Error => Type::Error,
        }
    }

    /// The size; `None` where it is wrong.
    pub(crate) fn size(&mut self, size: &ast::SizeExpr, names: &mut dyn Names) -> Option<Size> {
        match &size.kind {
            ast::SizeKind::Literal(value) => Some(Size::constant(*value)),
            ast::SizeKind::Name(name) => self.report(names.size_name(name, size.span)),
            ast::SizeKind::Binary(op, left, right) => {
                let (left, right) = (self.size(left, names), self.size(right, names));
                let (left, right) = (left?, right?);
                Some(match op {
                    ast::SizeOp::Add => left.add(&right),
                    ast::SizeOp::Sub => left.sub(&right),
                    ast::SizeOp::Mul if left.n_terms() * right.n_terms() > MOST_TERMS => {
                        self.refuse(AnnotationError::SizeTooLarge(size.span));
                        return None;
                    }
                    ast::SizeOp::Mul => left.mul(&right),
                })
            }
            ast::SizeKind::Paren(inner) => self.size(inner, names),
            ast::SizeKind::Error => None,
        }
    }

    fn report<T>(&mut self, result: Result<T, AnnotationError>) -> Option<T> {
        result.map_err(|it| self.refuse(it)).ok()
    }

    fn refuse(&mut self, error: AnnotationError) {
        self.errors.push(error.into());
    }

    fn named(
        &mut self,
        name: &ast::Ident,
        args: &[ast::TypeArg],
        span: Span,
        names: &mut dyn Names,
    ) -> Type {
        let basic = match name.name.as_str() {
            "Real" => Some(Type::Real),
            "Int" => Some(Type::Int),
            "Bool" => Some(Type::Bool),
            "String" => Some(Type::String),
            _ => None,
        };
        if let Some(ty) = basic {
            if !args.is_empty() {
                let (name, found) = (name.name.clone(), args.len());
                self.refuse(AnnotationError::Arguments { name, span, wanted: 0, found });
            }
            return ty;
        }
        if last_part(&name.name).starts_with(|c: char| c.is_lowercase() || c == '_')
            && args.is_empty()
        {
            return self.report(names.type_name(&name.name, name.span)).unwrap_or(Type::Error);
        }
        let table = self.table;
        let Some(decl) = table.names.get(&name.name).and_then(|it| table.decls.get(it)) else {
            self.errors.push(unknown_type(table, name));
            return Type::Error;
        };
        if decl.params.len() != args.len() {
            let (name, wanted, found) = (name.name.clone(), decl.params.len(), args.len());
            self.refuse(AnnotationError::Arguments { name, span, wanted, found });
            return Type::Error;
        }
        let (mut types, mut sizes) = (Vec::new(), Vec::new());
        for (param, arg) in decl.params.iter().zip(args) {
            match (param, arg) {
                (Param::Type(_), ast::TypeArg::Type(ty)) => types.push(self.ty(ty, names)),
                (Param::Type(_), ast::TypeArg::Size(size)) => {
                    self.refuse(AnnotationError::SizeForType(size.span));
                    types.push(Type::Error);
                }
                (Param::Size(_), arg) => match self.size_arg(arg, names) {
                    Some(size) => sizes.push(size),
                    None => return Type::Error,
                },
            }
        }
        match &decl.body {
            Body::Alias(ty) => decl.instantiate(ty, &types, &sizes),
            Body::Record(_) | Body::Data(_) => Type::Named(decl.name.clone(), types, sizes),
        }
    }

    fn size_arg(&mut self, arg: &ast::TypeArg, names: &mut dyn Names) -> Option<Size> {
        match arg {
            ast::TypeArg::Size(size) => self.size(size, names),
            ast::TypeArg::Type(ty) => match &ty.kind {
                ast::TypeKind::Name(name, args) if args.is_empty() => {
                    self.report(names.size_name(&name.name, name.span))
                }
                ast::TypeKind::Hole => self.report(names.size_hole(ty.span)),
                ast::TypeKind::Name(..)
                | ast::TypeKind::Array(..)
                | ast::TypeKind::Tuple(_)
                | ast::TypeKind::Function(..)
                | ast::TypeKind::Error => {
                    self.refuse(AnnotationError::TypeForSize(ty.span));
                    None
                }
            },
        }
    }
}
