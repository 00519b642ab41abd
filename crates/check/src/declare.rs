//! Declared types: records, aliases and sums, with parameters that are types or sizes.

use std::collections::BTreeMap;

use base::{Diagnostic, Name, Span};
use syntax::ast;

use crate::error::Error;
use crate::solve::Solver;
use crate::types::{Rigid, Size, Type, hidden_name, rigid_size};

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
}

impl Decl {
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

/// Enters the types of the modules, the prelude first. A user's declaration hides one of the
/// prelude; two of the same name in one module are an error.
pub(crate) fn declare(
    modules: &[&ast::Module],
    solver: &mut Solver,
    errors: &mut Vec<Diagnostic>,
) -> TypeTable {
    let mut table = TypeTable::default();
    for (position, module) in modules.iter().enumerate() {
        let hidden_by = modules.get(position + 1).copied();
        let mut scope = TypeScope::new(&mut table, solver, errors);
        scope.module(module, hidden_by);
    }
    table
}

/// A declaration of either kind, seen alike.
struct Raw<'a> {
    name: &'a ast::Ident,
    params: &'a [ast::Ident],
    parts: Vec<&'a ast::Type>,
    item: &'a ast::Item,
}

struct TypeScope<'a> {
    table: &'a mut TypeTable,
    solver: &'a mut Solver,
    errors: &'a mut Vec<Diagnostic>,
}

impl<'a> TypeScope<'a> {
    fn new(
        table: &'a mut TypeTable,
        solver: &'a mut Solver,
        errors: &'a mut Vec<Diagnostic>,
    ) -> Self {
        TypeScope { table, solver, errors }
    }

    fn module(&mut self, module: &ast::Module, hidden_by: Option<&ast::Module>) {
        let raws = self.unique(raw_decls(module));
        let hidden = hidden_by.map(raw_decls).unwrap_or_default();
        let hidden_types: Vec<&Name> = hidden.iter().map(|it| &it.name.name).collect();
        let hidden_cons: Vec<&Name> =
            hidden.iter().flat_map(|it| con_idents(it.item)).map(|it| &it.name).collect();
        let size_params = size_params(&raws, self.table);
        for raw in &raws {
            self.enter_name(raw, &size_params, &hidden_types);
        }
        for position in aliases_first(&raws) {
            self.enter_body(&raws[position], &hidden_cons);
        }
        for raw in &raws {
            self.refuse_cycles(raw);
        }
    }

    fn unique<'m>(&mut self, raws: Vec<Raw<'m>>) -> Vec<Raw<'m>> {
        let mut seen: BTreeMap<Name, Span> = BTreeMap::new();
        let mut cons: BTreeMap<Name, Span> = BTreeMap::new();
        let mut res = Vec::new();
        for raw in raws {
            if let Some(first) = seen.get(&raw.name.name) {
                self.errors.push(Error::duplicate("type", raw.name, *first));
                continue;
            }
            if BASIC.contains(&raw.name.name.as_str()) {
                self.errors.push(Error::basic_type_redefined(raw.name));
                continue;
            }
            seen.insert(raw.name.name.clone(), raw.name.span);
            for con in con_idents(raw.item) {
                if let Some(first) = cons.get(&con.name) {
                    self.errors.push(Error::duplicate("constructor", con, *first));
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
        hidden: &[&Name],
    ) {
        let name = &raw.name.name;
        let program_name = if hidden.contains(&name) { hidden_name(name) } else { name.clone() };
        let sizes = size_params.get(name).cloned().unwrap_or_default();
        let mut params: Vec<Param> = Vec::new();
        let mut seen: BTreeMap<Name, Span> = BTreeMap::new();
        for param in raw.params {
            if let Some(first) = seen.insert(param.name.clone(), param.span) {
                self.errors.push(Error::duplicate("parameter", param, first));
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
            ast::Item::Type(_) | ast::Item::Def(_) | ast::Item::Test(_) | ast::Item::Bench(_) => {
                Body::Record(Vec::new())
            }
        };
        let decl = Decl { name: program_name.clone(), span: raw.name.span, params, body };
        self.table.names.insert(name.clone(), program_name.clone());
        self.table.decls.insert(program_name, decl);
    }

    fn enter_body(&mut self, raw: &Raw<'_>, hidden_cons: &[&Name]) {
        let program_name = self.table.names[&raw.name.name].clone();
        let params = self.table.decls[&program_name].params.clone();
        let body = match raw.item {
            ast::Item::Data(data) => self.data_body(data, &params, &program_name, hidden_cons),
            ast::Item::Type(decl) => match &decl.body {
                ast::TypeBody::Record(fields) => self.record_body(fields, &params),
                ast::TypeBody::Alias(ty) => Body::Alias(self.convert(ty, &params)),
            },
            ast::Item::Def(_) | ast::Item::Test(_) | ast::Item::Bench(_) => return,
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
        hidden: &[&Name],
    ) -> Body {
        let mut cons = Vec::new();
        for (position, con) in data.cons.iter().enumerate() {
            let name = &con.name.name;
            let program_name =
                if hidden.contains(&name) { hidden_name(name) } else { name.clone() };
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
                self.errors.push(Error::duplicate("field", field, first));
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
            self.errors.push(Error::type_contains_itself(raw.name));
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

fn raw_decls(module: &ast::Module) -> Vec<Raw<'_>> {
    module
        .items
        .iter()
        .filter_map(|item| match item {
            ast::Item::Type(decl) => {
                let parts = match &decl.body {
                    ast::TypeBody::Record(fields) => fields.iter().map(|(_, ty)| ty).collect(),
                    ast::TypeBody::Alias(ty) => vec![ty],
                };
                Some(Raw { name: &decl.name, params: &decl.params, parts, item })
            }
            ast::Item::Data(data) => {
                let parts = data.cons.iter().flat_map(|it| &it.fields).collect();
                Some(Raw { name: &data.name, params: &data.params, parts, item })
            }
            ast::Item::Def(_) | ast::Item::Test(_) | ast::Item::Bench(_) => None,
        })
        .collect()
}

fn con_idents(item: &ast::Item) -> Vec<&ast::Ident> {
    match item {
        ast::Item::Data(data) => data.cons.iter().map(|it| &it.name).collect(),
        ast::Item::Def(_) | ast::Item::Type(_) | ast::Item::Test(_) | ast::Item::Bench(_) => {
            Vec::new()
        }
    }
}

/// An order in which an alias comes after the aliases it mentions, and everything else last.
fn aliases_first(raws: &[Raw<'_>]) -> Vec<usize> {
    let is_alias = |raw: &Raw<'_>| matches!(raw.item, ast::Item::Type(decl) if matches!(decl.body, ast::TypeBody::Alias(_)));
    let mut order: Vec<usize> = Vec::new();
    let mut rest: Vec<usize> = (0..raws.len()).collect();
    loop {
        let waits = |position: usize, rest: &[usize]| {
            let mut mentioned = Vec::new();
            raws[position].parts.iter().for_each(|it| names_in_ast(it, &mut mentioned));
            rest.iter().any(|it| is_alias(&raws[*it]) && mentioned.contains(&raws[*it].name.name))
        };
        let ready: Vec<usize> = rest.iter().copied().filter(|it| !waits(*it, &rest)).collect();
        if ready.is_empty() {
            order.extend(rest);
            return order;
        }
        rest.retain(|it| !ready.contains(it));
        order.extend(ready);
    }
}

fn names_in_ast(ty: &ast::Type, found: &mut Vec<Name>) {
    match &ty.kind {
        ast::TypeKind::Name(name, args) => {
            found.push(name.name.clone());
            for arg in args {
                if let ast::TypeArg::Type(ty) = arg {
                    names_in_ast(ty, found);
                }
            }
        }
        ast::TypeKind::Array(_, elem) => names_in_ast(elem, found),
        ast::TypeKind::Tuple(parts) => parts.iter().for_each(|it| names_in_ast(it, found)),
        ast::TypeKind::Function(params, result) => {
            params.iter().for_each(|it| names_in_ast(it, found));
            names_in_ast(result, found);
        }
        ast::TypeKind::Hole | ast::TypeKind::Error => {}
    }
}

/// Which parameters of each declaration are sizes: those that occur in a size, or where another
/// declaration wants a size. A fixed point, because declarations may be recursive.
fn size_params(raws: &[Raw<'_>], table: &TypeTable) -> BTreeMap<Name, Vec<Name>> {
    let mut res: BTreeMap<Name, Vec<Name>> = BTreeMap::new();
    loop {
        let mut changed = false;
        for raw in raws {
            let mut found = Vec::new();
            for part in &raw.parts {
                sizes_in_type(part, raws, &res, table, &mut found);
            }
            let known = res.entry(raw.name.name.clone()).or_default();
            for param in raw.params {
                if found.contains(&param.name) && !known.contains(&param.name) {
                    known.push(param.name.clone());
                    changed = true;
                }
            }
        }
        if !changed {
            return res;
        }
    }
}

fn sizes_in_type(
    ty: &ast::Type,
    raws: &[Raw<'_>],
    known: &BTreeMap<Name, Vec<Name>>,
    table: &TypeTable,
    found: &mut Vec<Name>,
) {
    match &ty.kind {
        ast::TypeKind::Name(name, args) => {
            for (position, arg) in args.iter().enumerate() {
                let wants_size = match raws.iter().find(|it| it.name.name == name.name) {
                    Some(raw) => raw.params.get(position).is_some_and(|it| {
                        known.get(&name.name).is_some_and(|sizes| sizes.contains(&it.name))
                    }),
                    None => table
                        .names
                        .get(&name.name)
                        .and_then(|it| table.decls.get(it))
                        .and_then(|it| it.params.get(position))
                        .is_some_and(|it| matches!(it, Param::Size(_))),
                };
                match arg {
                    ast::TypeArg::Size(size) => names_in_size(size, found),
                    ast::TypeArg::Type(ast::Type {
                        kind: ast::TypeKind::Name(it, inner), ..
                    }) if wants_size && inner.is_empty() => {
                        found.push(it.name.clone());
                    }
                    ast::TypeArg::Type(ty) => sizes_in_type(ty, raws, known, table, found),
                }
            }
        }
        ast::TypeKind::Array(size, elem) => {
            if let Some(size) = size {
                names_in_size(size, found);
            }
            sizes_in_type(elem, raws, known, table, found);
        }
        ast::TypeKind::Tuple(parts) => {
            parts.iter().for_each(|it| sizes_in_type(it, raws, known, table, found));
        }
        ast::TypeKind::Function(params, result) => {
            params.iter().for_each(|it| sizes_in_type(it, raws, known, table, found));
            sizes_in_type(result, raws, known, table, found);
        }
        ast::TypeKind::Hole | ast::TypeKind::Error => {}
    }
}

fn names_in_size(size: &ast::SizeExpr, found: &mut Vec<Name>) {
    match &size.kind {
        ast::SizeKind::Name(name) => found.push(name.clone()),
        ast::SizeKind::Binary(_, left, right) => {
            names_in_size(left, found);
            names_in_size(right, found);
        }
        ast::SizeKind::Paren(inner) => names_in_size(inner, found),
        ast::SizeKind::Literal(_) | ast::SizeKind::Error => {}
    }
}

/// What the small-letter names of an annotation mean; depends on where it stands.
pub(crate) trait Names {
    /// A type variable.
    fn type_name(&mut self, name: &Name, span: Span) -> Result<Type, Diagnostic>;
    /// A size.
    fn size_name(&mut self, name: &Name, span: Span) -> Result<Size, Diagnostic>;
    /// `_` in the place of a type.
    fn type_hole(&mut self, span: Span) -> Result<Type, Diagnostic>;
    /// `_` in the place of a size.
    fn size_hole(&mut self, span: Span) -> Result<Size, Diagnostic>;
}

/// In a declaration, only its parameters are known.
struct DeclNames<'a> {
    params: &'a [Param],
}

impl Names for DeclNames<'_> {
    fn type_name(&mut self, name: &Name, span: Span) -> Result<Type, Diagnostic> {
        let known = self.params.iter().any(|it| matches!(it, Param::Type(param) if param == name));
        if known { Ok(Type::Param(name.clone())) } else { Err(Error::not_a_parameter(name, span)) }
    }

    fn size_name(&mut self, name: &Name, span: Span) -> Result<Size, Diagnostic> {
        let known = self.params.iter().find_map(|it| match it {
            Param::Size(rigid) if rigid.name == *name => Some(rigid_size(rigid)),
            Param::Size(_) | Param::Type(_) => None,
        });
        known.ok_or_else(|| Error::not_a_parameter(name, span))
    }

    fn type_hole(&mut self, span: Span) -> Result<Type, Diagnostic> {
        Err(Error::hole_in_declaration(span))
    }

    fn size_hole(&mut self, span: Span) -> Result<Size, Diagnostic> {
        Err(Error::hole_in_declaration(span))
    }
}

/// Turns written types into types.
pub(crate) struct Converter<'a> {
    /// The declared types.
    pub table: &'a TypeTable,
    /// Where complaints go.
    pub errors: &'a mut Vec<Diagnostic>,
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
                    ast::SizeOp::Mul => left.mul(&right),
                })
            }
            ast::SizeKind::Paren(inner) => self.size(inner, names),
            ast::SizeKind::Error => None,
        }
    }

    fn report<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|it| self.errors.push(it)).ok()
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
                self.errors.push(Error::type_arguments(&name.name, span, 0, args.len()));
            }
            return ty;
        }
        if name.name.starts_with(|c: char| c.is_lowercase() || c == '_') && args.is_empty() {
            return self.report(names.type_name(&name.name, name.span)).unwrap_or(Type::Error);
        }
        let table = self.table;
        let Some(decl) = table.names.get(&name.name).and_then(|it| table.decls.get(it)) else {
            self.errors.push(Error::unknown_type(table, name));
            return Type::Error;
        };
        if decl.params.len() != args.len() {
            self.errors.push(Error::type_arguments(
                &name.name,
                span,
                decl.params.len(),
                args.len(),
            ));
            return Type::Error;
        }
        let (mut types, mut sizes) = (Vec::new(), Vec::new());
        for (param, arg) in decl.params.iter().zip(args) {
            match (param, arg) {
                (Param::Type(_), ast::TypeArg::Type(ty)) => types.push(self.ty(ty, names)),
                (Param::Type(_), ast::TypeArg::Size(size)) => {
                    self.errors.push(Error::size_for_type(size.span));
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
                    self.errors.push(Error::type_for_size(ty.span));
                    None
                }
            },
        }
    }
}
