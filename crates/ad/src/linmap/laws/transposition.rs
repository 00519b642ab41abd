//! Laws of transposition, which push it inwards until it is gone: Figure 5.

use super::Law;
use crate::linmap::map::Map;
use crate::linmap::typing::codomain;

/// In the order of the figure.
pub(super) const LAWS: &[Law] = &[
    Law {
        name: "transpose_compose",
        equation: "T(m . n) = T(n) . T(m)",
        rewrite: |context, it| {
            let Map::Transpose(from, map) = it else { return None };
            let Map::Compose(m, n) = &**map else { return None };
            let middle = codomain(context.types, n, from).ok()?;
            let n = Map::Transpose(from.clone(), n.clone());
            Some(n.after(Map::Transpose(middle, m.clone())))
        },
    },
    Law {
        name: "transpose_sum",
        equation: "T(m + n) = T(m) + T(n)",
        rewrite: |_, it| {
            let Map::Transpose(from, map) = it else { return None };
            let Map::Sum(parts) = &**map else { return None };
            let transposed = |it: &Map| Map::Transpose(from.clone(), Box::new(it.clone()));
            Some(Map::Sum(parts.iter().map(transposed).collect()))
        },
    },
    Law {
        name: "transpose_vcat",
        equation: "T(V(m, n)) = H(T(m), T(n))",
        rewrite: |_, it| {
            let Map::Transpose(from, map) = it else { return None };
            let Map::VCat(parts) = &**map else { return None };
            let transposed = |it: &Map| Map::Transpose(from.clone(), Box::new(it.clone()));
            Some(Map::HCat(parts.iter().map(transposed).collect()))
        },
    },
    Law {
        name: "transpose_hcat",
        equation: "T(H(m, n)) = V(T(m), T(n))",
        rewrite: |_, it| {
            let Map::Transpose(ir::Type::Tuple(from), map) = it else { return None };
            let Map::HCat(parts) = &**map else { return None };
            let parts = parts.iter().zip(from);
            let transposed =
                |(it, from): (&Map, &ir::Type)| Map::Transpose(from.clone(), Box::new(it.clone()));
            Some(Map::VCat(parts.map(transposed).collect()))
        },
    },
    Law {
        name: "transpose_vbuild",
        equation: "T(V[n i](m)) = H[n i](T(m))",
        rewrite: |_, it| {
            let Map::Transpose(from, map) = it else { return None };
            let Map::VBuild(size, index, body) = &**map else { return None };
            let body = Map::Transpose(from.clone(), body.clone());
            Some(Map::HBuild(size.clone(), *index, Box::new(body)))
        },
    },
    Law {
        name: "transpose_hbuild",
        equation: "T(H[n i](m)) = V[n i](T(m))",
        rewrite: |_, it| {
            let Map::Transpose(ir::Type::Array(_, from), map) = it else { return None };
            let Map::HBuild(size, index, body) = &**map else { return None };
            let body = Map::Transpose(from.as_ref().clone(), body.clone());
            Some(Map::VBuild(size.clone(), *index, Box::new(body)))
        },
    },
    Law {
        name: "transpose_zero",
        equation: "T(0) = 0",
        rewrite: |_, it| {
            let Map::Transpose(from, map) = it else { return None };
            matches!(**map, Map::Zero(_)).then(|| Map::Zero(from.clone()))
        },
    },
    Law {
        name: "transpose_one",
        equation: "T(1) = 1",
        rewrite: |_, it| {
            let Map::Transpose(_, map) = it else { return None };
            (**map == Map::One).then_some(Map::One)
        },
    },
    Law {
        name: "transpose_scale",
        equation: "T(S(k)) = S(k)",
        rewrite: |_, it| {
            let Map::Transpose(_, map) = it else { return None };
            matches!(**map, Map::Scale(_)).then(|| map.as_ref().clone())
        },
    },
    Law {
        name: "transpose_transpose",
        equation: "T(T(m)) = m",
        rewrite: |_, it| {
            let Map::Transpose(_, map) = it else { return None };
            let Map::Transpose(_, inner) = &**map else { return None };
            Some(inner.as_ref().clone())
        },
    },
];
