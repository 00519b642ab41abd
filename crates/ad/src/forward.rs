//! Forward-mode AD by dual numbers, ir to ir: every real is paired with its tangent.
//!
//! `Γ ⊢ t : τ`   becomes   `D[Γ] ⊢ D[t] : D[τ]`   with   `D[Real] = (Real, Real)`
//!
//! Paper: Krawiec et al., POPL 2022, Section 4, Figure 3; what is homomorphic is in `dual.rs`.
//! Requires: dialect Source, verified.
//! Ensures: dialect Source.
//! Cost: work at most 4 times the work of the input, with the partial derivatives of the table
//! counted as one operation each.
//! Not done: a derivative operator stays one, at the next level.
//! Tests: `crates/ad/tests/forward.rs`; the cost: `crates/cotan/tests/cost.rs`.
//!
//! Example. `x2: Real = mul x0 x1` with `x0` active and `x1` constant becomes
//! ```text
//! x3: Real = proj x0 0
//! x4: Real = mul x3 x1
//! x5: Real = proj x0 1
//! x6: Real = scale x1 x5
//! x2: (Real, Real) = tuple (x4, x6)
//! ```
//! Partial derivatives are multiplied with tangents by `scale`, which is zero if either factor is.

use base::{Name, Saying};
use ir::signature::{derived_name, derived_of};
use ir::{
    Atom, Binder, Builder, ControlOp, Def, DeriveOp, Lambda, Loop, Op, Partial, Prim, Program,
    Spans, Type,
};

use crate::custom::forward_custom;
use crate::dual::{Dual, Numbers, derive_def, derive_lambda, real, tell};

/// D\[f\] of a function whose parameters are all active and whose captured variables are constants;
/// the first variable number that it does not use, and where its variables come from. `next_var` and
/// `spans` are those of the function.
pub fn forward_lambda(
    program: &Program,
    captured: &[Binder],
    lambda: &Lambda,
    next_var: u32,
    spans: &Spans,
) -> (Lambda, u32, Spans) {
    let constant = vec![false; captured.len()];
    derive_lambda::<Forward>(program, (captured, &constant), lambda, next_var, spans)
}

/// The definition of a derived name such as `f'10`, from `f`; if that is derived and not in the
/// program, from its own derivation. `None` if there is no such definition.
pub fn forward_def(program: &Program, name: &Name) -> Option<Def> {
    // What is left to derive, the last one first.
    let mut masks = Vec::new();
    let mut base = name;
    let mut def = loop {
        if let Some(def) = program.defs.get(base) {
            break Def::clone(def);
        }
        let (shorter, mask) = derived_of(base)?;
        masks.push(mask);
        base = shorter;
    };
    while let Some(mask) = masks.pop() {
        if mask.len() != def.params.len() {
            return None;
        }
        def = match program.customs.get(&def.name) {
            Some(custom) => forward_custom(program, &def, custom, mask),
            None => derive_def::<Forward>(program, &def, mask),
        };
    }
    Some(def)
}

/// Figure 3: a real and its tangent, which is a real.
struct Forward;

impl Numbers for Forward {
    fn dual(ty: &Type) -> Type {
        ty.dual()
    }

    fn name(def: &Name, mask: &[bool]) -> Name {
        derived_name(def, mask)
    }

    fn lift(value: Atom) -> Op {
        Op::Derive(DeriveOp::Lift { level: 0, value })
    }

    fn primal(value: Atom) -> Op {
        Op::Derive(DeriveOp::Primal { level: 0, value })
    }

    fn zero(_: &mut Builder<'_>) -> Atom {
        real(0.0)
    }

    fn combine(builder: &mut Builder<'_>, terms: Vec<(Partial, Atom)>) -> Atom {
        let sum = terms
            .into_iter()
            .fold(None, |sum, (partial, tangent)| Some(add_term(builder, sum, partial, tangent)));
        sum.expect("there is at least one term")
    }

    /// A fold with the product rule, which is right also where elements are zero. Its factors are not
    /// the value: that is NaN where a zero met an infinite element, and a factor is zero then.
    fn product(dual: &mut Dual<'_, Forward>, row: &Type, rows: Atom, tangents: Atom) -> [Atom; 2] {
        let [one, zero] = [1.0, 0.0].map(|it| dual.replicate(row, real(it)));
        let mut binder = || Binder { var: dual.builder.fresh(row.clone()), ty: row.clone() };
        let (state, elems) = (vec![binder(), binder(), binder()], vec![binder(), binder()]);
        let [value, p, dp] = [&state[0], &state[1], &state[2]].map(|it| Atom::Var(it.var));
        let [x, dx] = [&elems[0], &elems[1]].map(|it| Atom::Var(it.var));
        dual.builder.open();
        let left = dual.builder.one(Op::Prim(Prim::Scale, vec![x.clone(), dp]));
        let right = dual.builder.one(Op::Prim(Prim::Scale, vec![p.clone(), dx]));
        let sum = dual.builder.one(Op::Prim(Prim::Add, vec![left, right]));
        let factor = dual.builder.one(Op::Prim(Prim::Scale, vec![p, x.clone()]));
        let value = dual.builder.one(Op::Prim(Prim::Mul, vec![value, x]));
        let body = dual.builder.close(vec![value, factor, sum]);
        let step = Loop { state, elems, body };
        let (inits, arrays) = (vec![one.clone(), one, zero], vec![rows, tangents]);
        let results = dual.builder.emit(Op::Control(ControlOp::Fold { inits, arrays, step }));
        [results[0].clone(), results[2].clone()]
    }

    fn traced(builder: &mut Builder<'_>, text: Atom, _: Atom, dual: Atom) -> Op {
        let tangent = DeriveOp::Tangent { level: 0, value: dual.clone() };
        let value = builder.one(Op::Derive(tangent));
        builder.one(tell(Saying::Tangent, Atom::Int(1), text, value));
        Op::Copy(dual)
    }

    fn level(level: u32) -> u32 {
        level + 1
    }
}

/// `sum + partial * tangent`
fn add_term(builder: &mut Builder<'_>, sum: Option<Atom>, partial: Partial, tangent: Atom) -> Atom {
    let (term, last) = match partial {
        Partial::Zero | Partial::One => (tangent, Prim::Add),
        Partial::MinusOne if sum.is_some() => (tangent, Prim::Sub),
        Partial::MinusOne => (builder.one(Op::Prim(Prim::Neg, vec![tangent])), Prim::Add),
        Partial::Times(factor) => {
            (builder.one(Op::Prim(Prim::Scale, vec![factor, tangent])), Prim::Add)
        }
    };
    match sum {
        None => term,
        Some(sum) => builder.one(Op::Prim(last, vec![sum, term])),
    }
}

// Note [Levels]
// ~~~~~~~~~~~~~
// Derivative operators nest because D[-] maps them to themselves. `grad f x` is a composition of
// D[f] with operations on dual numbers (pairing x with a direction, taking tangents), and D of these
// operations is the same operations on reals that are pairs already. So an operation says at which
// *level* it works: at level k a real is a perfect tree of pairs of depth k, D<D<...Real>>, and
// the rule is D[op at level k] = op at level k+1. `Lift` at level k maps every such tree v to (v, 0)
// and `Primal` maps (v, w) to v, so that the pair they make or take apart is outside of the k pairs of
// the derivatives that are applied later: D applied last is the innermost pair, as
// D<(Real, Real)> = (D<Real>, D<Real>).
//
// A function value that reaches `Derive` at level k was made by D applied k times, and the interpreter
// applies D once more to that code: its pair is again the innermost one, and captured values are
// constants for it, whatever pairs they have. The interpreter says how the order is put right.
