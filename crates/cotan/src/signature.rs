//! What a call has to know of a definition, found once: its parameters, its sizes, its result.

use std::sync::Arc;

use base::{Name, Span};
use check::{Rigid, Scheme, Size, SizeAtom, Type, TypeTable};

use crate::argument::{Bound, Parameter};
use crate::sizes::Sizes;

/// What a call has to know of a definition.
#[derive(Clone)]
pub(crate) struct Signature {
    pub(crate) def: Name,
    /// The place to blame if nothing better is known.
    pub(crate) span: Span,
    pub(crate) parameters: Vec<Parameter>,
    /// The hidden size parameters.
    pub(crate) sizes: Vec<Size>,
    pub(crate) result: Arc<Type>,
    /// Whether the result holds a function, which no answer can.
    pub(crate) gives_function: bool,
    /// Whether its types nest so little that any stack is enough for them.
    pub(crate) is_shallow: bool,
    /// Whether, besides, its arguments are no deeper than their types say.
    pub(crate) is_flat: bool,
    /// Whether running it says something.
    pub(crate) tells: bool,
}

/// Levels of a type for which any stack is enough.
const SHALLOW: usize = 32;

impl Signature {
    pub(crate) fn new(
        types: &TypeTable,
        (def, scheme): (&Name, &Scheme),
        span: Span,
        tells: bool,
    ) -> Signature {
        let parameters = parameters(scheme);
        // As in the program: those of its types, then its `Int` parameters that occur in types.
        let dependent = parameters.iter().filter_map(|it| it.size.clone());
        let sizes = scheme.sizes.iter().map(size).chain(dependent).collect();
        let deepest = parameters.iter().map(|it| depth(&it.ty)).chain([depth(&scheme.result)]);
        let is_shallow = deepest.max() <= Some(SHALLOW);
        Signature {
            def: def.clone(),
            span,
            is_shallow,
            is_flat: is_shallow && !parameters.iter().any(|it| has_named(&it.ty)),
            parameters,
            sizes,
            result: Arc::new(scheme.result.clone()),
            gives_function: types.has_function(&scheme.result),
            tells,
        }
    }

    /// Values of the size parameters. One that no argument tells belongs to arrays without
    /// elements only; zero is as good as any.
    pub(crate) fn size_arguments(&self, bound: &Bound) -> Vec<i64> {
        self.sizes_by(&bound.sizes)
    }

    /// As [`Signature::size_arguments`].
    pub(crate) fn sizes_by(&self, known: &Sizes) -> Vec<i64> {
        self.sizes.iter().map(|it| known.value(it).unwrap_or(0)).collect()
    }
}

fn parameters(scheme: &Scheme) -> Vec<Parameter> {
    let params = scheme.params.as_deref().unwrap_or(&[]);
    params
        .iter()
        .map(|it| Parameter {
            name: it.name.clone(),
            ty: it.ty.clone(),
            size: it.rigid.as_ref().map(size),
        })
        .collect()
}

fn size(rigid: &Rigid) -> Size {
    Size::var(SizeAtom::Rigid(rigid.clone()))
}

/// Whether a declared type is in it, which may have itself in it.
fn has_named(ty: &Type) -> bool {
    let mut found = matches!(ty, Type::Named(..));
    ty.each(&mut |part| found |= has_named(part));
    found
}

/// How many levels a type has; those of declared types count at their declarations.
fn depth(ty: &Type) -> usize {
    let mut deepest = 0;
    ty.each(&mut |part| deepest = deepest.max(depth(part)));
    deepest + 1
}
