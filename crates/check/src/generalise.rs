//! Generalisation: what a group of definitions is polymorphic in, and the types it promises.

use base::Name;

use crate::define::{RawDef, TypedDef};
use crate::error::SizeError;
use crate::infer::{Checker, Local, Mono};
use crate::scheme::{Scheme, SchemeParam};
use crate::signature::Signature;
use crate::typed::{LocalId, Pattern, PatternKind};
use crate::types::{Rigid, SizeAtom, Type, rigid_size};

/// What is still unknown becomes a parameter, the same for all members of the group.
pub(crate) fn generalise(
    c: &mut Checker,
    members: &[(&RawDef<'_>, &Signature)],
    defs: &[TypedDef],
) {
    let open: Vec<&(&RawDef<'_>, &Signature)> = members.iter().filter(|(_, it)| !it.full).collect();
    if open.is_empty() {
        return;
    }
    let mut types: Vec<Name> = Vec::new();
    let mut sizes: Vec<Rigid> = Vec::new();
    for (_, signature) in &open {
        for name in &signature.types {
            if !types.contains(name) {
                types.push(name.clone());
            }
        }
        sizes.extend(signature.sizes.iter().cloned());
    }
    for (raw, _) in &open {
        let ty = c.monos[&raw.name].ty();
        let (unknown_types, unknown_sizes) = c.solver.unknowns(&ty);
        for var in unknown_types {
            let name = fresh_letter(&types);
            c.solver.set_type(var, Type::Param(name.clone()));
            types.push(name);
        }
        for var in unknown_sizes {
            let taken: Vec<Name> = sizes.iter().map(|it| it.name.clone()).collect();
            let name = fresh_size_name(&taken);
            let origin = format!("`{name}` is a size of `{}`", raw.def.name.name);
            let rigid = c.solver.fresh_rigid(name, raw.def.name.span, origin);
            c.solver.set_size(var, rigid_size(&rigid));
            sizes.push(rigid);
        }
    }
    for (raw, signature) in &open {
        let def = defs.iter().find(|it| it.name == raw.name).expect("a member of the group");
        let scheme = scheme(c, raw, signature, def, &types, &sizes);
        refuse_unknown_sizes(c, &scheme);
        c.schemes.insert(raw.name.clone(), scheme);
    }
}

fn scheme(
    c: &Checker,
    raw: &RawDef<'_>,
    signature: &Signature,
    def: &TypedDef,
    types: &[Name],
    sizes: &[Rigid],
) -> Scheme {
    let mono = &c.monos[&raw.name];
    let result = match &signature.result {
        Some(annotated) => c.solver.resolve(annotated),
        None => c.solver.resolve(&mono.result),
    };
    let param_types: Vec<Type> =
        mono.params.iter().flatten().map(|it| c.solver.resolve(it)).collect();
    let mut mentioned: Vec<Rigid> = Vec::new();
    for ty in param_types.iter().chain([&result]) {
        mentioned.extend(rigids(ty));
    }
    let rigid_of = |pattern: &Pattern| {
        let rigid = def.local(pattern)?.rigid.clone();
        rigid.filter(|it| mentioned.iter().any(|other| other.id == it.id))
    };
    let params: Option<Vec<SchemeParam>> = mono.params.as_ref().map(|_| {
        let inferred = mono.params.iter().flatten();
        let typed = def.params.iter().zip(&param_types).zip(inferred);
        typed
            .map(|((it, ty), inferred)| SchemeParam {
                name: def.local(it).map(|local| local.name.clone()),
                ty: ty.clone(),
                rigid: rigid_of(it),
                span: it.span,
                guess: c.solver.guess(inferred),
            })
            .collect()
    });
    let known = |it: &Rigid| {
        sizes.iter().any(|size| size.id == it.id)
            || params
                .iter()
                .flatten()
                .any(|param| param.rigid.as_ref().is_some_and(|r| r.id == it.id))
    };
    let mut opaque: Vec<Rigid> = signature.opaque.clone();
    for rigid in rigids(&result) {
        if !known(&rigid) && !opaque.iter().any(|it| it.id == rigid.id) {
            opaque.push(rigid);
        }
    }
    let (types, sizes) = (types.to_vec(), sizes.to_vec());
    Scheme { types, sizes, params, result, opaque, over_reals: Vec::new() }
}

impl TypedDef {
    /// The variable that a pattern is, if it is nothing more.
    fn local(&self, pattern: &Pattern) -> Option<&Local> {
        let PatternKind::Local(LocalId(local)) = pattern.kind else { return None };
        Some(&self.locals[local])
    }
}

/// A parameter cannot have a size that only the body makes.
fn refuse_unknown_sizes(c: &mut Checker, scheme: &Scheme) {
    let params = scheme.params.iter().flatten();
    let known: Vec<u32> = (scheme.sizes.iter().map(|it| it.id))
        .chain(params.clone().filter_map(|it| it.rigid.as_ref()).map(|it| it.id))
        .collect();
    for param in params {
        if let Some(rigid) = rigids(&param.ty).iter().find(|it| !known.contains(&it.id)) {
            let origin = c.solver.origins.get(&rigid.id).cloned();
            c.errors.push(
                SizeError::Escapes { span: param.span, size: rigid.name.to_string(), origin }
                    .into(),
            );
        }
    }
}

/// The rigid sizes in a type.
pub(crate) fn rigids(ty: &Type) -> Vec<Rigid> {
    let mut res: Vec<Rigid> = Vec::new();
    for size in ty.sizes() {
        for atom in size.vars() {
            if let SizeAtom::Rigid(rigid) = atom
                && !res.iter().any(|it| it.id == rigid.id)
            {
                res.push(rigid);
            }
        }
    }
    res
}

fn fresh_letter(taken: &[Name]) -> Name {
    let letters = ('a'..='z').map(|it| it.to_string()).chain((0..).map(|it| format!("t{it}")));
    letters.map(Name::from).find(|it| !taken.contains(it)).expect("endless")
}

fn fresh_size_name(taken: &[Name]) -> Name {
    let letters =
        ["n", "m", "k"].into_iter().map(str::to_string).chain((0..).map(|it| format!("n{it}")));
    letters.map(Name::from).find(|it| !taken.contains(it)).expect("endless")
}

impl Mono {
    fn ty(&self) -> Type {
        match &self.params {
            Some(params) => Type::function(params.clone(), self.result.clone()),
            None => self.result.clone(),
        }
    }
}
