//! Signatures: what the annotations of a definition promise, without looking at its body.

use base::{Name, Span};
use syntax::ast;

use crate::annotate::{Converter, Names};
use crate::define::RawDef;
use crate::error::AnnotationError;
use crate::infer::{Checker, Mono};
use crate::scheme::{Scheme, SchemeParam};
use crate::solve::Solver;
use crate::types::{Rigid, Size, Type, rigid_size};

/// What the annotations of a definition say.
pub(crate) struct Signature {
    /// Type parameters.
    pub types: Vec<Name>,
    /// Size parameters.
    pub sizes: Vec<Rigid>,
    /// Parameters, those without annotation with an unknown type; `None` for a constant.
    pub params: Option<Vec<SchemeParam>>,
    /// The result, if it is annotated.
    pub result: Option<Type>,
    /// Sizes in the result that only a call can tell.
    pub opaque: Vec<Rigid>,
    /// Whether nothing is left to inference.
    pub full: bool,
}

impl Signature {
    /// The type of a definition with a full signature.
    pub(crate) fn scheme(&self) -> Scheme {
        Scheme {
            types: self.types.clone(),
            sizes: self.sizes.clone(),
            params: self.params.clone(),
            result: self.result.clone().unwrap_or(Type::Error),
            opaque: self.opaque.clone(),
            over_reals: Vec::new(),
        }
    }

    /// The type to start from while the definition is being inferred.
    pub(crate) fn mono(&self, c: &mut Checker) -> Mono {
        let params = self.params.as_ref().map(|it| it.iter().map(|it| it.ty.clone()).collect());
        Mono { params, result: c.solver.fresh_type() }
    }
}

/// The types that the annotations of definitions promise, without looking at the bodies.
pub(crate) fn signatures(c: &mut Checker, defs: &[RawDef<'_>]) -> Vec<(Name, Scheme)> {
    defs.iter().map(|it| (it.name.clone(), signature(c, it.def).scheme())).collect()
}

/// Reads the annotations of a definition.
pub(crate) fn signature(c: &mut Checker, def: &ast::Def) -> Signature {
    let Checker { table, solver, errors, .. } = c;
    let mut names = SignatureNames::new(def, solver);
    let mut converter = Converter { table, errors };
    let mut full = def.result.is_some();
    let mut params: Vec<SchemeParam> = Vec::new();
    for param in def.params.as_deref().unwrap_or(&[]) {
        let ty = match &param.ty {
            Some(ty) => converter.ty(ty, &mut names),
            None => {
                full = false;
                names.solver.fresh_type()
            }
        };
        params.push(SchemeParam {
            name: bound_name(&param.pattern),
            ty,
            rigid: None,
            span: param.pattern.span,
            guess: None,
        });
    }
    names.in_result = true;
    let result = def.result.as_ref().map(|ty| converter.ty(ty, &mut names));
    for param in &mut params {
        let own = names.dependent.iter().find(|it| Some(&it.name) == param.name.as_ref());
        param.rigid = own.cloned();
    }
    full &= !names.holes;
    let params = def.params.as_ref().map(|_| params);
    Signature { types: names.types, sizes: names.sizes, params, result, opaque: names.opaque, full }
}

fn bound_name(pattern: &ast::Pattern) -> Option<Name> {
    let ast::PatternKind::Name(name) = &pattern.kind else { return None };
    Some(name.clone())
}

fn is_int(ty: &ast::Type) -> bool {
    matches!(&ty.kind, ast::TypeKind::Name(name, args) if name.name.as_str() == "Int" && args.is_empty())
}

/// In the annotations of a definition, small-letter names are its parameters.
struct SignatureNames<'c> {
    solver: &'c mut Solver,
    int_params: Vec<(Name, Span)>,
    types: Vec<Name>,
    sizes: Vec<Rigid>,
    dependent: Vec<Rigid>,
    opaque: Vec<Rigid>,
    in_result: bool,
    holes: bool,
    def: Name,
}

impl<'c> SignatureNames<'c> {
    fn new(def: &ast::Def, solver: &'c mut Solver) -> Self {
        let int_params = def.params.iter().flatten().filter_map(|param| {
            let name = bound_name(&param.pattern).filter(|_| param.ty.as_ref().is_some_and(is_int));
            Some((name?, param.pattern.span))
        });
        SignatureNames {
            solver,
            int_params: int_params.collect(),
            types: Vec::new(),
            sizes: Vec::new(),
            dependent: Vec::new(),
            opaque: Vec::new(),
            in_result: false,
            holes: false,
            def: def.name.name.clone(),
        }
    }
}

impl Names for SignatureNames<'_> {
    fn type_name(&mut self, name: &Name, span: Span) -> Result<Type, AnnotationError> {
        if self.sizes.iter().any(|it| it.name == *name) {
            return Err(AnnotationError::SizeForType(span));
        }
        if !self.types.contains(name) {
            self.types.push(name.clone());
        }
        Ok(Type::Param(name.clone()))
    }

    fn size_name(&mut self, name: &Name, span: Span) -> Result<Size, AnnotationError> {
        let known = self
            .sizes
            .iter()
            .chain(&self.dependent)
            .chain(&self.opaque)
            .find(|it| it.name == *name);
        if let Some(rigid) = known {
            return Ok(rigid_size(rigid));
        }
        if self.types.contains(name) {
            return Err(AnnotationError::TypeForSize(span));
        }
        let param = self.int_params.iter().find(|(it, _)| it == name).cloned();
        let (at, origin) = match &param {
            Some((_, at)) => (*at, format!("`{name}` is this parameter")),
            None => (span, format!("`{name}` is a size of `{}`", self.def)),
        };
        let rigid = self.solver.fresh_rigid(name.clone(), at, origin);
        let list = match (param, self.in_result) {
            (Some(_), _) => &mut self.dependent,
            (None, true) => &mut self.opaque,
            (None, false) => &mut self.sizes,
        };
        list.push(rigid.clone());
        Ok(rigid_size(&rigid))
    }

    fn type_hole(&mut self, _: Span) -> Result<Type, AnnotationError> {
        self.holes = true;
        Ok(self.solver.fresh_type())
    }

    fn size_hole(&mut self, span: Span) -> Result<Size, AnnotationError> {
        if self.in_result {
            let rigid = self.solver.fresh_rigid(Name::new("?"), span, "left open here");
            self.opaque.push(rigid.clone());
            return Ok(rigid_size(&rigid));
        }
        let rigid = self.solver.fresh_rigid(Name::new("_"), span, "left open here");
        self.sizes.push(rigid.clone());
        Ok(rigid_size(&rigid))
    }
}
