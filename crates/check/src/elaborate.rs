//! Elaboration: typed tree to ir, one definition at a time.
//!
//! Blocks of the surface are flattened, patterns become projections and one-level matches,
//! records become tuples, polymorphic local functions are made anew where they are used.
//! Loops take functions written in place apart, so that no closure is made for them.

mod builtin;
mod call;
mod decide;
mod einsum;
mod expr;
mod linearise;
mod opened;
mod over_reals;
mod pattern;
mod recursive;
mod structure;
mod walk;

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Name, Span};
use ir::{Atom, Builder, Program};

use crate::declare::{Body, Param, TypeTable};
use crate::define::TypedDef;
use crate::error::{Error, FunctionError, SizeError};
use crate::infer::{Checker, Local};
use crate::scheme::{OverReals, Scheme};
use crate::typed::{LocalId, Pattern, PatternKind, PolyFn};
use crate::types::{Rigid, ShowSize, Size, SizeAtom, SizeVar, Type, TypeVar, rigid_size};

/// The elaboration of one definition.
pub(crate) struct Elaborate<'a> {
    c: &'a Checker,
    b: Builder<'a>,
    info: &'a [Local],
    locals: BTreeMap<LocalId, Atom>,
    rigids: BTreeMap<u32, ir::Size>,
    polys: BTreeMap<LocalId, PolyFn>,
    /// What unknowns of polymorphic local functions stand for where they are being made.
    types: BTreeMap<TypeVar, Type>,
    sizes: BTreeMap<SizeVar, Size>,
    errors: Vec<Error>,
    span: Span,
    /// The sizes known outside each open block.
    outside: Vec<BTreeMap<u32, ir::Size>>,
    /// The definition that is elaborated.
    stub: Arc<ir::Def>,
    /// What recursive local functions became.
    lifted: Vec<ir::Def>,
    /// How many of a name there were.
    recursive: BTreeMap<Name, u32>,
    /// How they are called, by the variables they are bound to.
    direct: BTreeMap<ir::Var, recursive::Direct>,
    /// What maps over the reals of recursive types; among those that were lifted.
    walks: Vec<walk::Walk>,
    /// What maps over the reals of type parameters.
    over_reals: BTreeMap<OverReals, Atom>,
}

/// Enters the sum types, and every definition with its signature and an empty body, so that
/// bodies can be built in any order.
pub(crate) fn declare(c: &Checker, program: &mut Program, defs: &[TypedDef]) {
    for decl in c.table.decls.values() {
        if let Body::Data(cons) = &decl.body {
            program.datas.insert(decl.name.clone(), data_decl(&c.table, decl, cons));
        }
    }
    for def in defs {
        let stub = stub(c, &def.name);
        program.defs.insert(def.name.clone(), Arc::new(stub));
    }
}

/// Fills in the body of a definition; gives it, and those that its recursive local functions became.
pub(crate) fn elaborate(
    c: &Checker,
    program: &Program,
    def: &TypedDef,
) -> Result<Vec<ir::Def>, Vec<Error>> {
    let stub = program.defs[&def.name].clone();
    let scheme = &c.schemes[&def.name];
    let mut e = Elaborate {
        c,
        b: Builder::new(program, stub.next_var),
        info: &def.locals,
        locals: BTreeMap::new(),
        rigids: BTreeMap::new(),
        polys: BTreeMap::new(),
        types: BTreeMap::new(),
        sizes: BTreeMap::new(),
        errors: Vec::new(),
        span: def.body.span,
        outside: Vec::new(),
        stub: stub.clone(),
        lifted: Vec::new(),
        recursive: BTreeMap::new(),
        direct: BTreeMap::new(),
        walks: Vec::new(),
        over_reals: BTreeMap::new(),
    };
    for (rigid, var) in size_rigids(scheme).into_iter().zip(&stub.size_params) {
        e.b.declare(*var, ir::Type::Int);
        e.rigids.insert(rigid.id, ir::Size::var(*var));
    }
    e.b.open();
    for (pattern, param) in def.params.iter().zip(&stub.params) {
        e.b.declare(param.var, param.ty.clone());
        e.bind_param(pattern, param.var);
    }
    e.take_over_reals(&scheme.over_reals, &stub.params[def.params.len()..]);
    let value = e.expr(&def.body);
    let mut results: Vec<Atom> = Vec::new();
    let inferred: Vec<Size> = scheme.opaque.iter().map(rigid_size).collect();
    let opaque = if def.opaque.is_empty() { &inferred } else { &def.opaque };
    for size in opaque {
        let size = e.size(size);
        results.push(e.b.one(ir::Op::Size(size)));
    }
    results.push(value);
    let body = e.b.close(results);
    if !e.errors.is_empty() {
        return Err(e.errors);
    }
    let mut res = e.lifted;
    let (next_var, spans) = e.b.finish();
    res.iter_mut().for_each(|it| it.spans = recursive::spans_of(it, &spans));
    res.push(ir::Def { body, next_var, spans, ..(*stub).clone() });
    Ok(res)
}

/// The size parameters of a definition in the program: those of its types, then its `Int`
/// parameters that occur in types.
fn size_rigids(scheme: &Scheme) -> Vec<Rigid> {
    let dependent = scheme.params.iter().flatten().filter_map(|it| it.rigid.clone());
    scheme.sizes.iter().cloned().chain(dependent).collect()
}

fn data_decl(
    table: &TypeTable,
    decl: &crate::declare::Decl,
    cons: &[(Name, Vec<Type>)],
) -> ir::DataDecl {
    let mut type_params = Vec::new();
    let mut rigids = BTreeMap::new();
    for param in &decl.params {
        match param {
            Param::Type(name) => type_params.push(name.clone()),
            Param::Size(rigid) => {
                let var = ir::Var(rigids.len() as u32);
                rigids.insert(rigid.id, ir::Size::var(var));
            }
        }
    }
    let size_params = (0..rigids.len() as u32).map(ir::Var).collect();
    let convert = |ty: &Type| to_ir(table, ty, &mut |rigid| rigids.get(&rigid.id).cloned());
    let con = |(name, fields): &(Name, Vec<Type>)| ir::ConDecl {
        name: name.clone(),
        sizes: Vec::new(),
        fields: fields.iter().map(convert).collect(),
    };
    ir::DataDecl {
        name: decl.name.clone(),
        type_params,
        size_params,
        cons: cons.iter().map(con).collect(),
    }
}

fn stub(c: &Checker, name: &Name) -> ir::Def {
    let scheme = &c.schemes[name];
    let mut next = 0;
    let mut fresh = || {
        next += 1;
        ir::Var(next - 1)
    };
    let rigids = size_rigids(scheme);
    let size_params: Vec<ir::Var> = rigids.iter().map(|_| fresh()).collect();
    let mut known: BTreeMap<u32, ir::Size> =
        rigids.iter().zip(&size_params).map(|(it, var)| (it.id, ir::Size::var(*var))).collect();
    let convert = |ty: &Type, known: &BTreeMap<u32, ir::Size>| {
        to_ir(&c.table, &c.solver.resolve(ty), &mut |rigid| known.get(&rigid.id).cloned())
    };
    let written = scheme.params.iter().flatten().map(|it| convert(&it.ty, &known));
    let unseen = scheme.over_reals.iter().map(|it| convert(&it.ty(), &known));
    let params: Vec<ir::Binder> =
        written.chain(unseen).map(|ty| ir::Binder { var: fresh(), ty }).collect();
    let mut results: Vec<ir::Binder> = Vec::new();
    for rigid in &scheme.opaque {
        let var = fresh();
        results.push(ir::Binder { var, ty: ir::Type::Int });
        known.insert(rigid.id, ir::Size::var(var));
    }
    results.push(ir::Binder { var: fresh(), ty: convert(&scheme.result, &known) });
    ir::Def {
        name: name.clone(),
        type_params: scheme.types.clone(),
        size_params,
        params,
        results,
        body: ir::Block { stmts: Vec::new(), results: Vec::new() },
        next_var: next,
        spans: ir::Spans::default(),
        origin: match crate::custom::kind_of(name) {
            Some(_) => ir::Origin::Clause,
            None => ir::Origin::Source,
        },
    }
}

/// A resolved surface type in the program. Records become tuples; what is unknown to the end
/// does not matter and is `Real`, unknown sizes are 0.
fn to_ir(
    table: &TypeTable,
    ty: &Type,
    rigid: &mut dyn FnMut(&Rigid) -> Option<ir::Size>,
) -> ir::Type {
    let size = |size: &Size, rigid: &mut dyn FnMut(&Rigid) -> Option<ir::Size>| {
        size.substitute(&mut |atom| match atom {
            SizeAtom::Rigid(it) => rigid(it).unwrap_or_else(|| ir::Size::constant(0)),
            SizeAtom::Var(_) => ir::Size::constant(0),
        })
    };
    match ty {
        Type::Real | Type::Var(_) | Type::Error => ir::Type::Real,
        Type::Int => ir::Type::Int,
        Type::Bool => ir::Type::Bool,
        Type::String => ir::Type::String,
        Type::Param(name) => ir::Type::Var(name.clone()),
        Type::Tuple(parts) => {
            ir::Type::Tuple(parts.iter().map(|it| to_ir(table, it, rigid)).collect())
        }
        Type::Array(n, elem) => {
            let n = size(n, rigid);
            ir::Type::array(n, to_ir(table, elem, rigid))
        }
        Type::Function(params, result) => {
            let params = params.iter().map(|it| to_ir(table, it, rigid)).collect();
            ir::Type::Function(params, Box::new(to_ir(table, result, rigid)))
        }
        Type::Named(name, types, sizes) => match table.record_fields(ty) {
            Some(fields) => {
                ir::Type::Tuple(fields.iter().map(|(_, it)| to_ir(table, it, rigid)).collect())
            }
            None => {
                let types = types.iter().map(|it| to_ir(table, it, rigid)).collect();
                let sizes = sizes.iter().map(|it| size(it, rigid)).collect();
                ir::Type::Data(name.clone(), types, sizes)
            }
        },
    }
}

impl Elaborate<'_> {
    /// What is known of a type here.
    fn resolve(&self, ty: &Type) -> Type {
        let resolved = self.c.solver.resolve(ty);
        if self.types.is_empty() && self.sizes.is_empty() {
            return resolved;
        }
        self.replace(&resolved)
    }

    fn replace(&self, ty: &Type) -> Type {
        if let Type::Var(var) = ty
            && let Some(by) = self.types.get(var)
        {
            return by.clone();
        }
        ty.map(&mut |part| self.replace(part), &mut |size| self.replace_size(size))
    }

    fn replace_size(&self, size: &Size) -> Size {
        size.substitute(&mut |atom| match atom {
            SizeAtom::Var(var) => {
                self.sizes.get(var).cloned().unwrap_or_else(|| Size::var(atom.clone()))
            }
            SizeAtom::Rigid(_) => Size::var(atom.clone()),
        })
    }

    fn resolve_size(&self, size: &Size) -> Size {
        self.replace_size(&self.c.solver.resolve_size(size))
    }

    /// A type in the program.
    fn ty(&mut self, ty: &Type) -> ir::Type {
        let resolved = self.resolve(ty);
        let mut unknown: Option<Rigid> = None;
        let res = to_ir(&self.c.table, &resolved, &mut |rigid| {
            let known = self.rigids.get(&rigid.id).cloned();
            if known.is_none() {
                unknown = Some(rigid.clone());
            }
            known
        });
        if let Some(rigid) = unknown {
            self.escape(&rigid, &rigid.name.to_string());
        }
        res
    }

    /// A size in the program.
    fn size(&mut self, size: &Size) -> ir::Size {
        let resolved = self.resolve_size(size);
        let mut unknown: Option<Rigid> = None;
        let res = resolved.substitute(&mut |atom| match atom {
            SizeAtom::Rigid(rigid) => self.rigids.get(&rigid.id).cloned().unwrap_or_else(|| {
                unknown = Some(rigid.clone());
                ir::Size::constant(0)
            }),
            SizeAtom::Var(_) => ir::Size::constant(0),
        });
        if let Some(rigid) = unknown {
            self.escape(&rigid, &ShowSize(&resolved).to_string());
        }
        res
    }

    /// Arrays hold first-order values: numbers, texts, and what is made of them.
    fn refuse_functions_in_arrays(&mut self, ty: &Type) {
        let ty = self.resolve(ty);
        if holds_functions(&ty) && self.errors.is_empty() {
            self.errors.push(FunctionError::InArray { span: self.span, ty }.into());
            self.b.poison();
        }
    }

    /// Starts a nested block.
    fn open(&mut self) {
        self.outside.push(self.rigids.clone());
        self.b.open();
    }

    /// Ends it: sizes that became known inside are not known outside.
    fn close(&mut self, results: Vec<Atom>) -> ir::Block {
        self.rigids = self.outside.pop().expect("one for each open block");
        self.b.close(results)
    }

    fn escape(&mut self, rigid: &Rigid, size: &str) {
        let origin = self.c.solver.origins.get(&rigid.id).cloned();
        if self.errors.is_empty() {
            self.errors.push(
                SizeError::Escapes { span: self.span, size: size.to_string(), origin }.into(),
            );
            self.b.poison();
        }
        // Known from now on, so that it is reported once.
        self.rigids.insert(rigid.id, ir::Size::constant(0));
    }

    /// Gives a variable its value; an `Int` that occurs in sizes becomes known as a size.
    fn bind(&mut self, local: LocalId, atom: Atom) {
        if let Some(rigid) = &self.info[local.0].rigid {
            self.rigids.insert(rigid.id, size_of(&atom));
        }
        self.locals.insert(local, atom);
    }

    fn bind_param(&mut self, pattern: &Pattern, var: ir::Var) {
        // The size parameter that stands for an `Int` parameter is known already.
        if let PatternKind::Local(local) = pattern.kind
            && let Some(rigid) = &self.info[local.0].rigid
            && self.rigids.contains_key(&rigid.id)
        {
            self.locals.insert(local, Atom::Var(var));
        } else {
            self.bind_pattern(pattern, Atom::Var(var));
        }
    }
}

fn holds_functions(ty: &Type) -> bool {
    let mut found = matches!(ty, Type::Array(_, elem) if has_function(elem));
    ty.each(&mut |part| found |= holds_functions(part));
    found
}

fn has_function(ty: &Type) -> bool {
    let mut found = matches!(ty, Type::Function(..));
    ty.each(&mut |part| found |= has_function(part));
    found
}

/// An `Int` operand as a size.
fn size_of(atom: &Atom) -> ir::Size {
    match atom {
        Atom::Var(var) => ir::Size::var(*var),
        Atom::Int(value) => ir::Size::constant(*value),
        Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => ir::Size::constant(0),
    }
}
