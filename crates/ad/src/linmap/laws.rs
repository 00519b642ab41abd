//! The laws of linear maps, each a named rewrite in one direction, and the simplifier that uses them.
//!
//! Paper: Figure 4, and Figure 5 in `laws/transposition.rs`. Those marked (+) are not in the paper:
//! without `one_plus_scale` its own example does not become `S(..)`, and without factoring, reverse mode
//! goes through a shared map once for each use.
//! Cost: a right side takes no more operations than the left one. So the two laws of Figure 4 that push a
//! composition into one `V` or `H` are not here: they write a map twice.

mod transposition;

use ir::{ArrayOp, Op, Type};

use super::map::{Map, Scalar};
use super::typing::{Types, codomain, literal_index};

/// What a law may ask.
pub struct Context<'a> {
    /// The types of variables.
    pub types: &'a Types<'a>,
    /// The domain of the map.
    pub domain: Type,
}

/// A law, from left to right.
pub struct Law {
    /// What it is called.
    pub name: &'static str,
    /// The equation.
    pub equation: &'static str,
    /// The right side, if the map is of the form of the left one.
    pub rewrite: fn(&Context<'_>, &Map) -> Option<Map>,
}

/// Every law, in the order in which they are tried.
pub const LAWS: &[&[Law]] = &[COMPOSITION, SUMS, CATS, BUILDS, transposition::LAWS];

const COMPOSITION: &[Law] = &[
    Law {
        name: "one_compose",
        equation: "1 . m = m",
        rewrite: |_, it| {
            let (outer, inner) = composed(it)?;
            (*outer == Map::One).then(|| inner.clone())
        },
    },
    Law {
        name: "compose_one",
        equation: "m . 1 = m",
        rewrite: |_, it| {
            let (outer, inner) = composed(it)?;
            (*inner == Map::One).then(|| outer.clone())
        },
    },
    Law {
        name: "zero_compose",
        equation: "0 . m = 0",
        rewrite: |_, it| {
            let (Map::Zero(ty), _) = composed(it)? else { return None };
            Some(Map::Zero(ty.clone()))
        },
    },
    Law {
        name: "compose_zero",
        equation: "m . 0 = 0",
        rewrite: |context, it| {
            let (outer, Map::Zero(ty)) = composed(it)? else { return None };
            codomain(context.types, outer, ty).ok().map(Map::Zero)
        },
    },
    Law {
        name: "compose_right",
        equation: "(m . n) . p = m . (n . p)",
        rewrite: |_, it| {
            let (Map::Compose(m, n), p) = composed(it)? else { return None };
            Some(m.as_ref().clone().after(n.as_ref().clone().after(p.clone())))
        },
    },
    Law {
        name: "scale_scale",
        equation: "S(a) . S(b) = S(a * b)",
        rewrite: |_, it| {
            let (Map::Scale(a), inner) = composed(it)? else { return None };
            if let Map::Scale(b) = inner {
                return Some(Map::Scale(a.clone().times(b.clone())));
            }
            let (Map::Scale(b), rest) = composed(inner)? else { return None };
            Some(Map::Scale(a.clone().times(b.clone())).after(rest.clone()))
        },
    },
    // (+) To the side with one number: it is scaled once.
    Law {
        name: "scale_last",
        equation: "m . S(k) = S(k) . m, to Real",
        rewrite: |context, it| {
            let (outer, Map::Scale(factor)) = composed(it)? else { return None };
            let number = super::typing::scalar(context.types, factor).ok()?.is_empty();
            let to = codomain(context.types, outer, &context.domain).ok()?;
            let moves = number && to == Type::Real && is_some(&context.domain);
            let moves = moves && !matches!(outer, Map::Scale(_));
            moves.then(|| Map::Scale(factor.clone()).after(outer.clone()))
        },
    },
];

const SUMS: &[Law] = &[
    Law {
        name: "sum_flat",
        equation: "(m + n) + p = m + n + p",
        rewrite: |_, it| {
            let Map::Sum(parts) = it else { return None };
            if let [only] = parts.as_slice() {
                return Some(only.clone());
            }
            parts.iter().any(|it| matches!(it, Map::Sum(_))).then(|| {
                let flat = |it: &Map| {
                    if let Map::Sum(inner) = it { inner.clone() } else { vec![it.clone()] }
                };
                Map::Sum(parts.iter().flat_map(flat).collect())
            })
        },
    },
    Law {
        name: "sum_zero",
        equation: "m + 0 = m",
        rewrite: |_, it| {
            let Map::Sum(parts) = it else { return None };
            let is_zero = |it: &&Map| matches!(it, Map::Zero(_));
            let zero = parts.iter().find(is_zero)?;
            let rest: Vec<Map> = parts.iter().filter(|it| !is_zero(it)).cloned().collect();
            Some(if rest.is_empty() { zero.clone() } else { Map::Sum(rest) })
        },
    },
    // (+) The linear factoring that reverse mode needs, together with sum_scale and one_plus_scale.
    Law {
        name: "factor",
        equation: "m . p + n . p = (m + n) . p, also for p = 1 . p",
        rewrite: |_, it| {
            let Map::Sum(parts) = it else { return None };
            let shared = |it: &Map| Some(last(it)).filter(|it| !is_scaling(it)).cloned();
            let (at, with) =
                first_pair(parts, |a, b| shared(a).is_some() && shared(a) == shared(b))?;
            let shared = shared(&parts[at])?;
            let both = Map::Sum(vec![but_last(&parts[at]), but_last(&parts[with])]);
            Some(merged(parts, at, with, both.after(shared)))
        },
    },
    Law {
        name: "sum_scale",
        equation: "S(a) + S(b) = S(a + b)",
        rewrite: |_, it| {
            let Map::Sum(parts) = it else { return None };
            let is_scale = |it: &Map| matches!(it, Map::Scale(_));
            let (at, with) = first_pair(parts, |a, b| is_scale(a) && is_scale(b))?;
            let (Map::Scale(a), Map::Scale(b)) = (&parts[at], &parts[with]) else { return None };
            Some(merged(parts, at, with, Map::Scale(a.clone().plus(b.clone()))))
        },
    },
    // (+) Figure 4 lacks it.
    Law {
        name: "one_plus_scale",
        equation: "1 + S(k) = S(1 + k)",
        rewrite: |_, it| {
            let Map::Sum(parts) = it else { return None };
            let factor = |it: &Map| {
                if let Map::Scale(k) = it { Some(k.clone()) } else { (*it == Map::One).then(one) }
            };
            let fits = |a: &Map, b: &Map| {
                (*a == Map::One || *b == Map::One) && factor(a).is_some() && factor(b).is_some()
            };
            let (at, with) = first_pair(parts, fits)?;
            let (a, b) = (factor(&parts[at])?, factor(&parts[with])?);
            Some(merged(parts, at, with, Map::Scale(a.plus(b))))
        },
    },
];

const CATS: &[Law] = &[
    Law {
        name: "hcat_vcat",
        equation: "H(m1, m2) . V(n1, n2) = m1 . n1 + m2 . n2",
        rewrite: |_, it| {
            let (Map::HCat(ms), inner) = composed(it)? else { return None };
            let (cat, rest) = match composed(inner) {
                Some((cat, rest)) => (cat, Some(rest)),
                None => (inner, None),
            };
            let Map::VCat(ns) = cat else { return None };
            let pairs = ms.iter().zip(ns).map(|(m, n)| m.clone().after(n.clone()));
            let sum = Map::Sum(pairs.collect());
            Some(match rest {
                None => sum,
                Some(rest) => sum.after(rest.clone()),
            })
        },
    },
    // (+)
    Law {
        name: "vcat_zeros",
        equation: "V(0, 0) = 0",
        rewrite: |_, it| {
            let Map::VCat(parts) = it else { return None };
            Some(Map::Zero(Type::Tuple(parts.iter().map(zero_type).collect::<Option<_>>()?)))
        },
    },
    // (+)
    Law {
        name: "hcat_zeros",
        equation: "H(0, 0) = 0",
        rewrite: |_, it| {
            let Map::HCat(parts) = it else { return None };
            parts.iter().map(zero_type).collect::<Option<Vec<Type>>>()?.pop().map(Map::Zero)
        },
    },
];

const BUILDS: &[Law] = &[
    // (+)
    Law {
        name: "vbuild_zero",
        equation: "V[n i](0) = 0",
        rewrite: |_, it| {
            let Map::VBuild(size, _, body) = it else { return None };
            Some(Map::Zero(Type::array(size.clone(), zero_type(body)?)))
        },
    },
    // (+)
    Law {
        name: "hbuild_zero",
        equation: "H[n i](0) = 0",
        rewrite: |_, it| {
            let Map::HBuild(_, _, body) = it else { return None };
            zero_type(body).map(Map::Zero)
        },
    },
    // (+) What does not depend on the index is applied once.
    Law {
        name: "vbuild_factor",
        equation: "V[n i](m . p) = V[n i](m) . p, for p without i",
        rewrite: |_, it| {
            let Map::VBuild(size, index, body) = it else { return None };
            composed(body)?;
            let shared = Some(last(body)).filter(|it| !it.vars().contains(index))?;
            // Of no element it would not be applied at all.
            size.as_constant().is_some_and(|it| it > 0).then(|| {
                let body = Box::new(but_last(body));
                Map::VBuild(size.clone(), *index, body).after(shared.clone())
            })
        },
    },
    // (+) Indexing what was built builds one element. Only in bounds: otherwise the error has to stay.
    Law {
        name: "index_vbuild",
        equation: "{index e} . V[n i](m) = m[e/i]",
        rewrite: |_, it| {
            let (Map::Builtin(op, 1), Map::VBuild(size, index, body)) = composed(it)? else {
                return None;
            };
            let Op::Array(ArrayOp::Index { indices, .. }) = &**op else { return None };
            let [at] = indices.as_slice() else { return None };
            let (place, size) = (literal_index(at)?, size.as_constant()?);
            (0 <= place && place < size).then(|| body.at(*index, at))
        },
    },
];

/// The map after all laws, from the inside out, until none applies.
pub fn simplify(types: &Types<'_>, map: &Map, domain: &Type) -> Map {
    let mut res = with_simple_parts(types, map, domain);
    // Every law makes the map smaller, or moves something in one direction.
    for _ in 0..LIMIT {
        let context = Context { types, domain: domain.clone() };
        let mut laws = LAWS.iter().flat_map(|it| it.iter());
        let Some(next) = laws.find_map(|law| (law.rewrite)(&context, &res)) else { break };
        res = with_simple_parts(types, &next, domain);
    }
    res
}

/// More than any map of a statement needs.
const LIMIT: usize = 10_000;

fn with_simple_parts(types: &Types<'_>, map: &Map, domain: &Type) -> Map {
    let Some(domains) = part_domains(types, map, domain) else { return map.clone() };
    if let Map::VBuild(_, index, body) | Map::HBuild(_, index, body) = map {
        let inner = |var| if var == *index { Some(Type::Int) } else { types(var) };
        return map.with(vec![simplify(&inner, body, &domains[0])]);
    }
    let parts = map.parts().into_iter().zip(&domains);
    map.with(parts.map(|(it, domain)| simplify(types, it, domain)).collect())
}

/// The domain of each part.
pub fn part_domains(types: &Types<'_>, map: &Map, domain: &Type) -> Option<Vec<Type>> {
    Some(match map {
        Map::Zero(_) | Map::One | Map::Scale(_) | Map::Builtin(..) | Map::Var(_) => Vec::new(),
        Map::Compose(_, inner) => {
            vec![codomain(types, inner, domain).ok()?, domain.clone()]
        }
        Map::Sum(parts) | Map::VCat(parts) => vec![domain.clone(); parts.len()],
        Map::HCat(_) => {
            let Type::Tuple(domains) = domain else { return None };
            domains.clone()
        }
        Map::VBuild(..) => vec![domain.clone()],
        Map::HBuild(..) => {
            let Type::Array(_, elem) = domain else { return None };
            vec![elem.as_ref().clone()]
        }
        Map::Transpose(ty, _) => vec![ty.clone()],
    })
}

/// Whether a vector of a space has a number for sure.
fn is_some(space: &Type) -> bool {
    let (sizes, inner) = space.split_arrays();
    let some = sizes.iter().all(|it| it.as_constant().is_some_and(|it| it > 0));
    if let Type::Tuple(parts) = inner { parts.iter().any(is_some) } else { some }
}

fn one() -> Scalar {
    Scalar::real(1.0)
}

/// What is applied last, and what first.
fn composed(map: &Map) -> Option<(&Map, &Map)> {
    if let Map::Compose(outer, inner) = map { Some((outer, inner)) } else { None }
}

/// The map that is applied first: `p` of `m . p`, and of `p`, which is `1 . p`.
fn last(map: &Map) -> &Map {
    match composed(map) {
        Some((_, inner)) => last(inner),
        None => map,
    }
}

/// Whether other laws add it to its like.
fn is_scaling(map: &Map) -> bool {
    matches!(map, Map::One | Map::Scale(_) | Map::Zero(_))
}

/// What a composition does after that.
fn but_last(map: &Map) -> Map {
    match composed(map) {
        Some((outer, inner)) if composed(inner).is_some() => outer.clone().after(but_last(inner)),
        Some((outer, _)) => outer.clone(),
        None => Map::One,
    }
}

fn zero_type(map: &Map) -> Option<Type> {
    if let Map::Zero(ty) = map { Some(ty.clone()) } else { None }
}

/// The first two places whose maps fit together.
fn first_pair(parts: &[Map], fits: impl Fn(&Map, &Map) -> bool) -> Option<(usize, usize)> {
    let pairs = (0..parts.len()).flat_map(|at| (at + 1..parts.len()).map(move |it| (at, it)));
    pairs.into_iter().find(|(at, with)| fits(&parts[*at], &parts[*with]))
}

/// The sum with one map in the place of two.
fn merged(parts: &[Map], at: usize, with: usize, both: Map) -> Map {
    let mut parts = parts.to_vec();
    parts.remove(with);
    parts[at] = both;
    if parts.len() == 1 { parts.remove(0) } else { Map::Sum(parts) }
}
