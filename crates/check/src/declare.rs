//! Declared types: records, aliases and sums, with parameters that are types or sizes.

mod naming;
mod order;
mod raw;

use std::collections::BTreeMap;

use base::{Name, Span};
use syntax::ast;

use crate::annotate::{Converter, Names};
use crate::declare::order::{aliases_first, size_params};
use crate::declare::raw::Raw;
use crate::error::{AnnotationError, Error, NameError};
use crate::sight::Qualifiers;
use crate::solve::Solver;
use crate::types::{Rigid, Size, Type, rigid_size};

pub(crate) use crate::declare::naming::Naming;
pub(crate) use crate::declare::raw::{con_idents, raw_decls};

/// What a parameter of a declared type stands for.
#[derive(Clone, Debug)]
pub enum Param {
    /// A type.
    Type(Name),
    /// A size.
    Size(Rigid),
}

/// A declared type.
#[derive(Clone, Debug)]
pub struct Decl {
    /// Its name in the program.
    pub name: Name,
    /// Where it is declared.
    pub span: Span,
    /// Its parameters, in order.
    pub params: Vec<Param>,
    /// What it stands for.
    pub body: Body,
}

/// The right side of a declaration.
#[derive(Clone, Debug)]
pub enum Body {
    /// A record and its fields.
    Record(Vec<(Name, Type)>),
    /// A sum and its constructors.
    Data(Vec<(Name, Vec<Type>)>),
    /// Another name.
    Alias(Type),
}

/// All declared types.
#[derive(Clone, Debug, Default)]
pub struct TypeTable {
    /// From the name in the program to the declaration.
    pub decls: BTreeMap<Name, Decl>,
    /// From the name the user writes to the name in the program.
    pub names: BTreeMap<Name, Name>,
    /// From the constructor the user writes to the constructor in the program.
    pub con_names: BTreeMap<Name, Name>,
    /// From a constructor to its type and position.
    pub cons: BTreeMap<Name, (Name, usize)>,
    /// The modules whose names can be written, by what stands before the dot.
    pub(crate) qualifiers: Qualifiers,
}

impl Decl {
    /// The parameters that are types, in order.
    pub fn type_params(&self) -> impl Iterator<Item = &Name> {
        self.params.iter().filter_map(|it| match it {
            Param::Type(name) => Some(name),
            Param::Size(_) => None,
        })
    }

    /// Puts arguments for the parameters in a type of the body.
    pub fn instantiate(&self, ty: &Type, types: &[Type], sizes: &[Size]) -> Type {
        let (mut type_args, mut size_args) = (types.iter(), sizes.iter());
        let mut by_name = BTreeMap::new();
        let mut by_rigid = BTreeMap::new();
        for param in &self.params {
            match param {
                Param::Type(name) => {
                    by_name.insert(name.clone(), type_args.next().cloned().unwrap_or(Type::Error));
                }
                Param::Size(rigid) => {
                    if let Some(size) = size_args.next() {
                        by_rigid.insert(rigid.id, size.clone());
                    }
                }
            }
        }
        ty.substitute(&|name| by_name.get(name).cloned(), &|rigid| by_rigid.get(&rigid.id).cloned())
    }
}

impl TypeTable {
    /// The fields of a record type, if it is one.
    pub fn record_fields(&self, ty: &Type) -> Option<Vec<(Name, Type)>> {
        let Type::Named(name, types, sizes) = ty else { return None };
        let decl = self.decls.get(name)?;
        let Body::Record(fields) = &decl.body else { return None };
        Some(
            fields
                .iter()
                .map(|(field, ty)| (field.clone(), decl.instantiate(ty, types, sizes)))
                .collect(),
        )
    }

    /// The constructors of a sum type and their fields, if it is one.
    pub fn constructors(&self, ty: &Type) -> Option<Vec<(Name, Vec<Type>)>> {
        let Type::Named(name, types, sizes) = ty else { return None };
        let decl = self.decls.get(name)?;
        let Body::Data(cons) = &decl.body else { return None };
        let fields = |tys: &Vec<Type>| {
            tys.iter().map(|it| decl.instantiate(it, types, sizes)).collect::<Vec<Type>>()
        };
        Some(cons.iter().map(|(con, tys)| (con.clone(), fields(tys))).collect())
    }

    /// Whether a value of the type may contain a function.
    pub fn has_function(&self, ty: &Type) -> bool {
        self.has_function_in(ty, &mut Vec::new())
    }

    fn has_function_in(&self, ty: &Type, seen: &mut Vec<Name>) -> bool {
        if matches!(ty, Type::Function(..)) {
            return true;
        }
        let mut found = false;
        ty.each(&mut |part| found |= self.has_function_in(part, seen));
        if let Type::Named(name, _, _) = ty
            && !seen.contains(name)
        {
            seen.push(name.clone());
            let parts: Vec<Type> = match self.decls.get(name).map(|it| &it.body) {
                Some(Body::Record(fields)) => fields.iter().map(|(_, it)| it.clone()).collect(),
                Some(Body::Data(cons)) => cons.iter().flat_map(|(_, it)| it.clone()).collect(),
                Some(Body::Alias(_)) | None => Vec::new(),
            };
            found |= parts.iter().any(|it| self.has_function_in(it, seen));
        }
        found
    }
}

/// Enters the types of a module; two of the same name are an error. What it may mention is in the table.
pub(crate) fn declare(
    module: &ast::Module,
    naming: &Naming<'_>,
    table: &mut TypeTable,
    solver: &mut Solver,
    errors: &mut Vec<Error>,
) {
    TypeScope { table, solver, errors }.module(module, naming);
}

struct TypeScope<'a> {
    table: &'a mut TypeTable,
    solver: &'a mut Solver,
    errors: &'a mut Vec<Error>,
}

impl TypeScope<'_> {
    fn module(&mut self, module: &ast::Module, naming: &Naming<'_>) {
        let raws = self.unique(raw_decls(module));
        let size_params = size_params(&raws, self.table);
        for raw in &raws {
            self.enter_name(raw, &size_params, naming);
        }
        for position in aliases_first(&raws) {
            self.enter_body(&raws[position], naming);
        }
        for raw in &raws {
            self.refuse_cycles(raw);
        }
    }

    fn twice(&mut self, what: &'static str, second: &ast::Ident, first: Span) {
        let second = second.clone();
        self.errors.push(NameError::Duplicate { what, second, first }.into());
    }

    fn unique<'m>(&mut self, raws: Vec<Raw<'m>>) -> Vec<Raw<'m>> {
        let mut seen: BTreeMap<Name, Span> = BTreeMap::new();
        let mut cons: BTreeMap<Name, Span> = BTreeMap::new();
        let mut res = Vec::new();
        for raw in raws {
            if let Some(first) = seen.get(&raw.name.name) {
                self.twice("type", raw.name, *first);
                continue;
            }
            if BASIC.contains(&raw.name.name.as_str()) {
                self.errors.push(AnnotationError::BuiltIn(raw.name.clone()).into());
                continue;
            }
            seen.insert(raw.name.name.clone(), raw.name.span);
            for con in con_idents(raw.item) {
                if let Some(first) = cons.get(&con.name) {
                    self.twice("constructor", con, *first);
                }
                cons.insert(con.name.clone(), con.span);
            }
            res.push(raw);
        }
        res
    }

    fn enter_name(
        &mut self,
        raw: &Raw<'_>,
        size_params: &BTreeMap<Name, Vec<Name>>,
        naming: &Naming<'_>,
    ) {
        let name = &raw.name.name;
        let program_name = naming.ty(name);
        let sizes = size_params.get(name).cloned().unwrap_or_default();
        let mut params: Vec<Param> = Vec::new();
        let mut seen: BTreeMap<Name, Span> = BTreeMap::new();
        for param in raw.params {
            if let Some(first) = seen.insert(param.name.clone(), param.span) {
                self.twice("parameter", param, first);
            }
            params.push(if sizes.contains(&param.name) {
                let origin = format!("`{}` is a size parameter of `{name}`", param.name);
                Param::Size(self.solver.fresh_rigid(param.name.clone(), param.span, origin))
            } else {
                Param::Type(param.name.clone())
            });
        }
        let body = match raw.item {
            ast::Item::Data(_) => Body::Data(Vec::new()),
            ast::Item::Type(_)
            | ast::Item::Import(_)
            | ast::Item::Def(_)
            | ast::Item::Test(_)
            | ast::Item::Bench(_)
            | ast::Item::Plot(_) => Body::Record(Vec::new()),
        };
        let decl = Decl { name: program_name.clone(), span: raw.name.span, params, body };
        self.table.names.insert(name.clone(), program_name.clone());
        self.table.decls.insert(program_name, decl);
    }

    fn enter_body(&mut self, raw: &Raw<'_>, naming: &Naming<'_>) {
        let program_name = self.table.names[&raw.name.name].clone();
        let params = self.table.decls[&program_name].params.clone();
        let body = match raw.item {
            ast::Item::Data(data) => self.data_body(data, &params, &program_name, naming),
            ast::Item::Type(decl) => match &decl.body {
                ast::TypeBody::Record(fields) => self.record_body(fields, &params),
                ast::TypeBody::Alias(ty) => Body::Alias(self.convert(ty, &params)),
            },
            ast::Item::Import(_)
            | ast::Item::Def(_)
            | ast::Item::Test(_)
            | ast::Item::Bench(_)
            | ast::Item::Plot(_) => {
                return;
            }
        };
        if let Some(decl) = self.table.decls.get_mut(&program_name) {
            decl.body = body;
        }
    }

    fn data_body(
        &mut self,
        data: &ast::DataDecl,
        params: &[Param],
        owner: &Name,
        naming: &Naming<'_>,
    ) -> Body {
        let mut cons = Vec::new();
        for (position, con) in data.cons.iter().enumerate() {
            let name = &con.name.name;
            let program_name = naming.con(name);
            let fields = con.fields.iter().map(|it| self.convert(it, params)).collect();
            self.table.con_names.insert(name.clone(), program_name.clone());
            self.table.cons.insert(program_name.clone(), (owner.clone(), position));
            cons.push((program_name, fields));
        }
        Body::Data(cons)
    }

    fn record_body(&mut self, fields: &[(ast::Ident, ast::Type)], params: &[Param]) -> Body {
        let mut seen: BTreeMap<Name, Span> = BTreeMap::new();
        let mut res = Vec::new();
        for (field, ty) in fields {
            if let Some(first) = seen.insert(field.name.clone(), field.span) {
                self.twice("field", field, first);
                continue;
            }
            res.push((field.name.clone(), self.convert(ty, params)));
        }
        Body::Record(res)
    }

    fn convert(&mut self, ty: &ast::Type, params: &[Param]) -> Type {
        let mut names = DeclNames { params };
        Converter { table: self.table, errors: self.errors }.ty(ty, &mut names)
    }

    /// An alias or record that contains itself, other than through a sum type, has no values.
    fn refuse_cycles(&mut self, raw: &Raw<'_>) {
        let name = self.table.names[&raw.name.name].clone();
        let mut path = vec![name.clone()];
        if self.reaches(&name, &name, &mut path) {
            self.errors.push(AnnotationError::ContainsItself(raw.name.clone()).into());
            if let Some(decl) = self.table.decls.get_mut(&name) {
                decl.body = Body::Record(Vec::new());
            }
        }
    }

    fn reaches(&self, from: &Name, target: &Name, path: &mut Vec<Name>) -> bool {
        let parts: Vec<Type> = match self.table.decls.get(from).map(|it| &it.body) {
            Some(Body::Record(fields)) => fields.iter().map(|(_, it)| it.clone()).collect(),
            Some(Body::Alias(ty)) => vec![ty.clone()],
            Some(Body::Data(_)) | None => return false,
        };
        let mut named = Vec::new();
        parts.iter().for_each(|it| names_in(it, &mut named));
        named.iter().any(|it| {
            it == target
                || !path.contains(it) && {
                    path.push(it.clone());
                    self.reaches(it, target, path)
                }
        })
    }
}

fn names_in(ty: &Type, res: &mut Vec<Name>) {
    if let Type::Named(name, _, _) = ty {
        res.push(name.clone());
    }
    ty.each(&mut |part| names_in(part, res));
}

/// Types that are not declared.
pub(crate) const BASIC: [&str; 4] = ["Real", "Int", "Bool", "String"];

/// In a declaration, only its parameters are known.
struct DeclNames<'a> {
    params: &'a [Param],
}

impl DeclNames<'_> {
    fn refuse(&self, name: &Name, span: Span) -> AnnotationError {
        AnnotationError::NotAParameter { name: name.clone(), span }
    }
}

impl Names for DeclNames<'_> {
    fn type_name(&mut self, name: &Name, span: Span) -> Result<Type, AnnotationError> {
        let known = self.params.iter().any(|it| matches!(it, Param::Type(param) if param == name));
        if known { Ok(Type::Param(name.clone())) } else { Err(self.refuse(name, span)) }
    }

    fn size_name(&mut self, name: &Name, span: Span) -> Result<Size, AnnotationError> {
        let known = self.params.iter().find_map(|it| match it {
            Param::Size(rigid) if rigid.name == *name => Some(rigid_size(rigid)),
            Param::Size(_) | Param::Type(_) => None,
        });
        known.ok_or_else(|| self.refuse(name, span))
    }

    fn type_hole(&mut self, span: Span) -> Result<Type, AnnotationError> {
        Err(AnnotationError::Hole(span))
    }

    fn size_hole(&mut self, span: Span) -> Result<Size, AnnotationError> {
        Err(AnnotationError::Hole(span))
    }
}
