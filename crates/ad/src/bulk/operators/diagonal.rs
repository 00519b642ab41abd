//! Jacobians that are diagonal by their maps: method `linmap` knows of results that they are scalings of a
//! parameter, so the definition runs once, and its factors are the diagonal.
//!
//! Paper: Ellis, Peyton Jones, Fitzgibbon, Section 2.5, read backwards: a map says what its matrix looks like.
//! Cost: that of the definition, and of writing the matrix down.
//! Not done: block structure, and results of which only some are scalings; these take rows or columns.

use base::Name;
use base::name::digits;
use ir::{ArrayOp, Atom, Def, Op, Origin, Size, Type, Var};

use super::Site;
use super::matrix::{Parts, smooth};
use crate::bulk::call::{finish, open};
use crate::bulk::work::Work;
use crate::linear::code::{real, var_of};
use crate::linear::term::Linearised;

/// For each result, the parameter that it is a scaling of, and the factor; none if it depends on none.
type Diagonals = Vec<Option<(usize, Atom)>>;

impl Site<'_> {
    /// The parts of a Jacobian of which all results are scalings of a parameter, or constant.
    pub(super) fn diagonal(&self, work: &mut Work, results: &[Type]) -> Option<Parts> {
        let mask = self.mask(&self.active(work));
        let def = work.def(&self.def);
        let made = work.linearise(&def, &mask);
        let is_flat = |it: &Type| smooth(it) && it.split_arrays().0.len() <= 1;
        if !results.iter().all(is_flat) {
            return None;
        }
        let diagonals = diagonals(&made)?;
        // It has to run, also where nothing depends on anything.
        diagonals.iter().flatten().next()?;
        let name = factors(work, &made, &mask, &diagonals)?;
        let mut factors = self.call(work, name, self.args, Vec::new()).into_iter();
        let n_params = self.args.len();
        let mut parts = vec![None; results.len() * n_params];
        for (row, (diagonal, ty)) in diagonals.iter().zip(results).enumerate() {
            let Some((param, _)) = diagonal else { continue };
            let factor = factors.next()?;
            let sizes = ty.split_arrays().0;
            let at = row * n_params + param - self.captured.len();
            parts[at] = Some(match sizes.first() {
                Some(size) => matrix(work, size, factor),
                None => factor,
            });
        }
        Some(parts)
    }
}

fn diagonals(made: &Linearised) -> Option<Diagonals> {
    let param = |base: Var| {
        let is_base = |it: &Option<ir::Binder>| it.as_ref().is_some_and(|it| it.var == base);
        made.inputs.iter().position(is_base)
    };
    let mut deltas = made.term.results.iter();
    let mut res = Vec::new();
    for on in &made.results {
        if !on {
            res.push(None);
            continue;
        }
        let delta = var_of(deltas.next()?)?;
        let (factor, base) = made.scalings.get(&delta).cloned().unwrap_or((None, delta));
        res.push(Some((param(base)?, factor.unwrap_or_else(|| real(1.0)))));
    }
    Some(res)
}

/// `f.diagonal10(p1..pk)`: the factors, each of the sizes of its result; none if only running tells these.
fn factors(
    work: &mut Work,
    made: &Linearised,
    mask: &[bool],
    diagonals: &Diagonals,
) -> Option<Name> {
    let def = &made.def;
    let own: Vec<Var> = def.results.iter().map(|it| it.var).collect();
    if def.results.iter().any(|it| it.ty.size_vars().iter().any(|var| own.contains(var))) {
        return None;
    }
    let key = ("diagonal", def.name.clone(), mask.to_vec());
    if let Some(known) = work.derived.get(&key) {
        return Some(known.clone());
    }
    let called = |number: &str| [def.name.part(format_args!("diagonal{}{number}", digits(mask)))];
    let [name] = work.fresh_names(called);
    work.derived.insert(key, name.clone());
    let code = &mut work.code;
    let outer = open(code, made, None);
    code.builder.reopen(made.primal.clone());
    let (mut given, mut results) = (Vec::new(), Vec::new());
    for (result, diagonal) in def.results.iter().zip(diagonals) {
        let Some((_, factor)) = diagonal else { continue };
        let sizes = result.ty.split_arrays().0;
        let wide = !code.sizes_of(factor).is_empty();
        let factor = if wide { factor.clone() } else { code.spread(factor.clone(), &sizes) };
        given.push(code.fit(factor, &result.ty));
        results.push(code.fresh(result.ty.clone()));
    }
    let body = code.builder.close(given);
    code.builder.close(Vec::new());
    let origin = Origin::Derivative;
    let made_def = Def { name: name.clone(), origin, results, body, ..Def::clone(def) };
    let made_def = finish(code, outer, made_def, &made.spans);
    code.define(made_def);
    Some(name)
}

/// The matrix with these numbers on its diagonal.
fn matrix(work: &mut Work, size: &Size, values: Atom) -> Atom {
    let code = &mut work.code;
    let into = code.zeros(&Type::arrays(&[size.clone(), size.clone()], Type::Real));
    let at = code.one(Op::Array(ArrayOp::Iota(size.clone())));
    let indices = vec![at.clone(), at];
    code.one(Op::Array(ArrayOp::Scatter { into, indices, values, mask: None }))
}
