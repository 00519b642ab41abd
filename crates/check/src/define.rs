//! Definitions: groups that need one another, their inference, generalisation.

use std::collections::BTreeMap;

use base::{Name, Span};
use syntax::ast;

use crate::custom::kind_of;
use crate::each_use::{leave_open, undecided};
use crate::error::{MismatchError, PatternError, SizeError, Why};
use crate::exhaustive::{Cover, Exhaustive};
use crate::generalise::generalise;
use crate::infer::{Checker, Coverage, Entry, Globals, Infer, Local, Mono};
use crate::names::{groups, names};
use crate::over_reals::{Needs, at_reals};
use crate::signature::{Signature, signature};
use crate::solve::Mismatch;
use crate::typed::{Expr, Pattern, PatternKind};
use crate::types::{Rigid, Size, Type, rigid_size};

/// A definition that has been inferred.
#[derive(Clone, Debug)]
pub(crate) struct TypedDef {
    /// Its name in the program.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Pattern>,
    /// Its body.
    pub body: Expr,
    /// What the sizes that only a call can tell are, in terms of the body.
    pub opaque: Vec<Size>,
    /// Its variables.
    pub locals: Vec<Local>,
    /// Where reals of values are mapped whose types may be parameters.
    pub needs: Needs,
}

/// A definition to infer: its name in the program, and what the user wrote.
pub(crate) struct RawDef<'a> {
    /// The name in the program.
    pub name: Name,
    /// What was written.
    pub def: &'a ast::Def,
}

/// Infers definitions, each after those it needs. `fallbacks` are types for parameters that
/// nothing in the program decides.
pub(crate) fn define(
    c: &mut Checker,
    globals: &Globals,
    defs: &[RawDef<'_>],
    fallbacks: &[Option<Type>],
) -> Vec<TypedDef> {
    let errors_before = c.n_errors();
    let signatures: Vec<Signature> = defs.iter().map(|it| signature(c, it.def)).collect();
    c.unsound |= c.n_errors() > errors_before;
    let with_customs = defs.iter().filter(|it| !it.def.customs.is_empty());
    c.with_customs.extend(with_customs.map(|it| it.name.clone()));
    for (raw, signature) in defs.iter().zip(&signatures) {
        if signature.full {
            c.schemes.insert(raw.name.clone(), signature.scheme());
        }
    }
    let edges = dependencies(globals, defs, &signatures);
    let mut res = Vec::new();
    for group in groups(&edges) {
        let members: Vec<(&RawDef<'_>, &Signature)> =
            group.iter().map(|&it| (&defs[it], &signatures[it])).collect();
        res.extend(infer_group(c, globals, &members, fallbacks));
    }
    propagate_failures(c, globals, defs);
    res
}

/// What mentions a definition with errors is not to be trusted either.
fn propagate_failures(c: &mut Checker, globals: &Globals, defs: &[RawDef<'_>]) {
    let mentions = |raw: &RawDef<'_>| {
        let mut mentioned = Vec::new();
        names(&raw.def.body, &mut mentioned);
        mentioned.iter().filter_map(|it| globals.get(it).cloned()).collect::<Vec<Name>>()
    };
    if c.failed.is_empty() {
        return;
    }
    let mut mentioned_by: BTreeMap<Name, Vec<&Name>> = BTreeMap::new();
    for raw in defs {
        for name in mentions(raw) {
            mentioned_by.entry(name).or_default().push(&raw.name);
        }
    }
    let mut open: Vec<Name> = c.failed.iter().cloned().collect();
    while let Some(failed) = open.pop() {
        for name in mentioned_by.remove(&failed).unwrap_or_default() {
            if c.failed.insert(name.clone()) {
                open.push(name.clone());
            }
        }
    }
}

fn dependencies(
    globals: &Globals,
    defs: &[RawDef<'_>],
    signatures: &[Signature],
) -> Vec<Vec<usize>> {
    let by_name: BTreeMap<&Name, usize> =
        defs.iter().enumerate().map(|(position, it)| (&it.name, position)).collect();
    let edges = |raw: &RawDef<'_>| {
        let mut mentioned = Vec::new();
        names(&raw.def.body, &mut mentioned);
        let mut res: Vec<usize> = mentioned
            .iter()
            .filter_map(|it| by_name.get(globals.get(it)?).copied())
            .filter(|&it| !signatures[it].full)
            .collect();
        res.sort_unstable();
        res.dedup();
        res
    };
    defs.iter().map(edges).collect()
}

pub(crate) fn infer_group(
    c: &mut Checker,
    globals: &Globals,
    members: &[(&RawDef<'_>, &Signature)],
    fallbacks: &[Option<Type>],
) -> Vec<TypedDef> {
    for (raw, signature) in members {
        if !signature.full {
            let mono = signature.mono(c);
            c.monos.insert(raw.name.clone(), mono);
        }
    }
    let errors_before = c.n_errors();
    let mut res: Vec<TypedDef> = Vec::new();
    let mut coverage: Vec<Coverage> = Vec::new();
    for (raw, signature) in members {
        let (def, to_cover) = infer_def(c, globals, raw, signature);
        res.push(def);
        coverage.extend(to_cover);
    }
    c.retry();
    apply_fallbacks(c, members, fallbacks);
    let undecided = undecided(c, members);
    c.settle();
    report_sizes(c, members[0].0.def.name.span);
    check_coverage(c, &coverage);
    res.iter().filter(|it| is_nameless(&it.name)).for_each(|it| at_reals(c, it));
    generalise(c, members, &res);
    let failed = c.n_errors() > errors_before;
    for (raw, signature) in members {
        if failed {
            c.failed.insert(raw.name.clone());
        }
        if !signature.full {
            c.monos.remove(&raw.name);
            if failed {
                blur(c, &raw.name);
            } else if !undecided.is_empty() && !is_nameless(&raw.name) {
                leave_open(c, globals, raw, &undecided);
            }
        }
    }
    res
}

/// Whether a definition is a test, a bench, a plot or an entry point: nobody can mention it, so nobody can
/// say what it is polymorphic in.
fn is_nameless(name: &Name) -> bool {
    name.starts_with(char::is_uppercase)
}

/// A definition with errors keeps its parameters' number, so that its callers are still
/// checked, but promises nothing that could make a second error of the first.
fn blur(c: &mut Checker, name: &Name) {
    if let Some(scheme) = c.schemes.get_mut(name) {
        scheme.result = Type::Error;
        if let Some(params) = &mut scheme.params {
            params.iter_mut().for_each(|it| it.ty = Type::Error);
        }
        scheme.opaque.clear();
    }
}

fn infer_def(
    c: &mut Checker,
    globals: &Globals,
    raw: &RawDef<'_>,
    signature: &Signature,
) -> (TypedDef, Vec<Coverage>) {
    let mono = c.monos.get(&raw.name).cloned();
    let mut infer = Infer::new(c, globals);
    for name in &signature.types {
        infer.type_names.insert(name.clone(), Type::Param(name.clone()));
    }
    for rigid in &signature.sizes {
        infer.scope.push((rigid.name.clone(), Entry::Size(rigid_size(rigid))));
    }
    let types: Vec<Type> = match (&mono, &signature.params) {
        (Some(mono), _) => mono.params.clone().unwrap_or_default(),
        (None, Some(params)) => params.iter().map(|it| it.ty.clone()).collect(),
        (None, None) => Vec::new(),
    };
    let patterns = raw.def.params.as_deref().unwrap_or(&[]).iter().map(|it| &it.pattern);
    let params = infer.patterns(patterns.zip(types), raw.def.name.span);
    infer.cover_bindings(&params);
    if kind_of(&raw.name).is_some() {
        // The types of others come from these annotations.
        for (param, pattern) in raw.def.params.iter().flatten().zip(&params) {
            if let Some(annotated) = &param.ty {
                let ty = infer.annotation(annotated);
                infer.expect(&pattern.ty, &ty, annotated.span, &Why::Pattern(pattern.span));
            }
        }
    }
    for (position, pattern) in params.iter().enumerate() {
        if let PatternKind::Local(local) = pattern.kind {
            let rigid = signature.params.as_ref().and_then(|it| it[position].rigid.clone());
            infer.locals[local.0].rigid = rigid;
        }
    }
    let (result, opaque) = opened_result(&mut infer, signature, mono.as_ref());
    let why = match (&raw.def.result, kind_of(&raw.name)) {
        (Some(result), _) => Why::Annotation(result.span),
        (None, Some(kind)) => Why::Custom(kind),
        (None, None) => Why::Test,
    };
    let body = infer.check(&raw.def.body, &result, &why);
    let Infer { locals, needs, coverage, .. } = infer;
    let def = TypedDef { name: raw.name.clone(), params, body, opaque, locals, needs };
    (def, coverage)
}

/// The result type with unknowns in the place of sizes that only the body tells.
fn opened_result(
    infer: &mut Infer<'_>,
    signature: &Signature,
    mono: Option<&Mono>,
) -> (Type, Vec<Size>) {
    let Some(annotated) = &signature.result else {
        return (mono.map_or(Type::Error, |it| it.result.clone()), Vec::new());
    };
    let opaque: Vec<Size> = signature.opaque.iter().map(|_| infer.c.solver.fresh_size()).collect();
    let by_rigid = |rigid: &Rigid| {
        let position = signature.opaque.iter().position(|it| it.id == rigid.id)?;
        Some(opaque[position].clone())
    };
    let result = annotated.substitute(&|_| None, &by_rigid);
    if let Some(mono) = mono {
        // Holes of the annotation are unknowns that the group shares. If a recursive call has
        // made something else of them, the body is about to be refused.
        infer.c.solver.unify(&mono.result, &result).ok();
    }
    (result, opaque)
}

fn apply_fallbacks(
    c: &mut Checker,
    members: &[(&RawDef<'_>, &Signature)],
    fallbacks: &[Option<Type>],
) {
    let [(raw, _)] = members else { return };
    let Some(params) = c.monos.get(&raw.name).and_then(|it| it.params.clone()) else { return };
    for (ty, fallback) in params.iter().zip(fallbacks) {
        let Some(fallback) = fallback else { continue };
        let mut attempt = c.solver.clone();
        if attempt.unify(ty, fallback).is_ok() {
            c.solver = attempt;
            c.retry();
        }
    }
}

fn report_sizes(c: &mut Checker, span: Span) {
    for mismatch in c.solver.retry_sizes() {
        if let Mismatch::Sizes(left, right) = mismatch {
            let (a, b) =
                (Type::array(left.clone(), Type::Error), Type::array(right.clone(), Type::Error));
            let mismatch = Mismatch::Sizes(left, right);
            let why = Why::Index;
            c.errors.push(MismatchError::new(&c.solver, &mismatch, &a, &b, span, &why).into());
        }
    }
    for (left, right) in std::mem::take(&mut c.solver.waiting) {
        c.errors.push(SizeError::Open { span, left, right }.into());
    }
}

fn check_coverage(c: &mut Checker, coverage: &[Coverage]) {
    for it in coverage {
        let Some(first) = it.patterns.first() else {
            let witnesses = vec!["_".to_string()];
            c.errors.push(PatternError::Missing { span: it.span, witnesses }.into());
            continue;
        };
        let exhaustive = Exhaustive::new(&c.table, &c.solver);
        let cover = exhaustive.cover(&it.patterns, &first.ty);
        let unreachable = exhaustive.unreachable(&it.patterns, &first.ty);
        match cover {
            Cover::All => {}
            Cover::Missing(values) if it.binding => {
                let witness = values.into_iter().next().unwrap_or_else(|| "_".to_string());
                c.errors.push(PatternError::Refutable { span: it.span, witness }.into());
            }
            Cover::Missing(witnesses) => {
                c.errors.push(PatternError::Missing { span: it.span, witnesses }.into());
            }
            Cover::TooInvolved => c.errors.push(PatternError::TooInvolved(it.span).into()),
        }
        if let Some(position) = unreachable {
            c.errors.push(PatternError::Unreachable { span: it.patterns[position].span }.into());
        }
    }
}
