//! Custom derivatives: `with vjp(x, dy) = e` after a definition.
//!
//! Each becomes a definition of its own, `f.custom_vjp`, whose type is that of the derivative of the
//! definition it belongs to, sizes and type parameters included. The tangent of a function has the type
//! of the function. It is inferred after all others: what it promises follows from `f`, and nobody but AD
//! calls it.

use base::{Name, Span};
use syntax::ast::{self, CustomKind};

use crate::define::{RawDef, TypedDef, infer_group};
use crate::error::{CustomError, NoCustom};
use crate::infer::{Checker, Globals};
use crate::names::names;
use crate::scheme::{Scheme, SchemeParam};
use crate::signature::Signature;
use crate::types::Type;

/// The name in the program of a derivative of a definition; the user's names have no dots.
pub(crate) fn custom_name(def: &Name, kind: CustomKind) -> Name {
    def.part(format_args!("custom_{}", kind.word()))
}

/// The kind of derivative that a definition in the program is.
pub(crate) fn kind_of(name: &Name) -> Option<CustomKind> {
    let (of, _) = name.made_of()?;
    [CustomKind::Vjp, CustomKind::Jvp].into_iter().find(|it| custom_name(of, *it) == *name)
}

/// The table of the program, for the definitions that were inferred.
pub(crate) fn table(defs: &[TypedDef]) -> std::collections::BTreeMap<Name, ir::Custom> {
    let mut res = std::collections::BTreeMap::<Name, ir::Custom>::new();
    for def in defs {
        let (Some(kind), Some((of, _))) = (kind_of(&def.name), def.name.made_of()) else {
            continue;
        };
        let custom = res.entry(of.clone()).or_default();
        match kind {
            CustomKind::Vjp => custom.vjp = Some(def.name.clone()),
            CustomKind::Jvp => custom.jvp = Some(def.name.clone()),
        }
    }
    res
}

/// Infers the derivatives that definitions come with.
pub(crate) fn customs(c: &mut Checker, globals: &Globals, defs: &[RawDef<'_>]) -> Vec<TypedDef> {
    let mut res = Vec::new();
    for raw in defs {
        let def = raw.def;
        let mut seen: Vec<(CustomKind, Span)> = Vec::new();
        for custom in &def.customs {
            if let Some((_, first)) = seen.iter().find(|(kind, _)| *kind == custom.kind) {
                let (def, word) = (def.name.name.clone(), custom.name.clone());
                c.errors.push(CustomError::Twice { def, word, first: *first }.into());
                continue;
            }
            seen.push((custom.kind, custom.name.span));
            res.extend(infer_custom(c, globals, raw, custom));
        }
    }
    res
}

/// A clause is called by the derivative of its definition, which has no tangents or cotangents for the
/// functions that a definition gets unseen (`over_reals.rs`).
pub(crate) fn refuse_over_reals(c: &mut Checker, defs: &[RawDef<'_>]) {
    for raw in defs {
        for custom in &raw.def.customs {
            let (kind, name) = (custom.kind, custom_name(&raw.name, custom.kind));
            let asks = |it: &Name| c.schemes.get(it).and_then(|it| it.over_reals.first().cloned());
            if let Some(it) = asks(&raw.name).or_else(|| asks(&name)) {
                let (span, why) = (custom.name.span, NoCustom::OverReals { of: it.of });
                c.errors.push(CustomError::Impossible { kind, span, why }.into());
                c.failed.insert(name);
            }
        }
    }
}

fn infer_custom(
    c: &mut Checker,
    globals: &Globals,
    raw: &RawDef<'_>,
    custom: &ast::Custom,
) -> Option<TypedDef> {
    let scheme = c.schemes.get(&raw.name)?.clone();
    let name = custom_name(&raw.name, custom.kind);
    let signature = custom_signature(c, raw.def, custom, &scheme)?;
    if c.failed.contains(&raw.name) {
        // Its type is not to be trusted.
        c.failed.insert(name);
        return None;
    }
    c.schemes.insert(name.clone(), signature.scheme());
    let def = ast::Def {
        is_public: false,
        doc: Vec::new(),
        name: custom.name.clone(),
        params: Some(custom.params.clone()),
        result: None,
        body: custom.body.clone(),
        customs: Vec::new(),
        span: custom.span,
    };
    let mut mentioned = Vec::new();
    names(&custom.body, &mut mentioned);
    if mentioned.iter().filter_map(|it| globals.get(it)).any(|it| c.failed.contains(it)) {
        c.failed.insert(name.clone());
    }
    let raw = RawDef { name, def: &def };
    infer_group(c, globals, &[(&raw, &signature)], &[]).pop()
}

/// The function for which there can be no derivative of this kind: what a function captured has
/// tangents, which a jvp can ask for, and no cotangents that a vjp could give.
fn function_in(
    c: &Checker,
    def: &ast::Def,
    kind: CustomKind,
    scheme: &Scheme,
    params: &[SchemeParam],
) -> Option<NoCustom> {
    if c.table.has_function(&scheme.result) {
        return Some(NoCustom::FunctionGiven { at: def.name.span, ty: scheme.result.clone() });
    }
    match kind {
        CustomKind::Jvp => None,
        CustomKind::Vjp => {
            let param = params.iter().find(|it| c.table.has_function(&it.ty))?;
            Some(NoCustom::FunctionTaken { at: param.span, ty: param.ty.clone() })
        }
    }
}

/// What a derivative of the definition takes and gives; complains if there can be none.
fn custom_signature(
    c: &mut Checker,
    def: &ast::Def,
    custom: &ast::Custom,
    scheme: &Scheme,
) -> Option<Signature> {
    let (kind, span) = (custom.kind, custom.name.span);
    let impossible = |c: &mut Checker, why: NoCustom| {
        c.errors.push(CustomError::Impossible { kind, span, why }.into());
    };
    let Some(params) = scheme.params.as_ref().filter(|it| !it.is_empty()) else {
        impossible(c, NoCustom::Constant(def.name.clone()));
        return None;
    };
    if let Some(why) = function_in(c, def, custom.kind, scheme, params) {
        impossible(c, why);
        return None;
    }
    if !scheme.opaque.is_empty() {
        impossible(c, NoCustom::OpenSize(def.name.span));
        return None;
    }
    let extra: Vec<SchemeParam> = match custom.kind {
        CustomKind::Vjp => vec![SchemeParam {
            name: None,
            ty: scheme.result.clone(),
            rigid: None,
            span: custom.name.span,
            guess: None,
        }],
        CustomKind::Jvp => {
            params.iter().map(|it| SchemeParam { rigid: None, ..it.clone() }).collect()
        }
    };
    let wanted = params.len() + extra.len();
    if custom.params.len() != wanted {
        let (def, found) = (def.name.name.clone(), custom.params.len());
        let params = params.iter().enumerate().map(|(at, it)| it.shown_name(at)).collect();
        c.errors.push(CustomError::Params { kind, def, span, found, params }.into());
        return None;
    }
    let result = match custom.kind {
        CustomKind::Vjp => Type::pack(params.iter().map(|it| it.ty.clone()).collect()),
        CustomKind::Jvp => scheme.result.clone(),
    };
    Some(Signature {
        types: scheme.types.clone(),
        sizes: scheme.sizes.clone(),
        params: Some(params.iter().cloned().chain(extra).collect()),
        result: Some(result),
        opaque: Vec::new(),
        full: true,
    })
}
