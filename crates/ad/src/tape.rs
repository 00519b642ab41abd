//! Reverse-mode AD by dual numbers, ir to ir: every real is paired with a Delta, an identifier of
//! how it depends on the input.
//!
//! `Γ ⊢ t : τ`   becomes   `D[Γ] ⊢ D[t] : D[τ]`   with   `D[Real] = (Real, Delta)`
//!
//! Paper: Krawiec et al., POPL 2022, Section 7, Figure 9; what is homomorphic is in `dual.rs`. The
//! monad of the figure is the order of evaluation, and its state, the bindings of Deltas, belongs
//! to whoever runs the code: `combine` is their `deltaLet` of a linear combination (Figure 14). As
//! there, the Delta of a real is `Zero` or an identifier, so that copies of it cost nothing.
//! Smeding and Vákár, Efficient dual-numbers reverse AD, Sections 9.2 and 9.3: what `combine`
//! records are their contributions, and the state is a tape.
//! Requires: dialect Source, verified.
//! Ensures: dialect Delta. A Delta is recorded only where a real is computed from active ones.
//! Cost: work at most 3 times the work of the input, where computing a partial derivative and
//! recording it count as one operation; the tape has at most one contribution for each active real
//! operand.
//! Not done: the result cannot be differentiated again. A derivative operator stays one, and
//! whoever runs it sees to it that it is recorded as a whole.
//! Tests: `crates/ad/tests/tape.rs`; the cost: `crates/cotan/tests/cost.rs`.
//!
//! Example. `x2: Real = mul x0 x1` with both active becomes
//! ```text
//! x3: Real = proj x0 0
//! x4: Real = proj x1 0
//! x5: Real = mul x3 x4
//! x6: Delta = proj x0 1
//! x7: Delta = proj x1 1
//! x8: Delta = combine (x4 x6, x3 x7)
//! x2: (Real, Delta) = tuple (x5, x8)
//! ```

use base::{Name, Saying};
use ir::signature::taped_name;
use ir::{
    ArrayOp, Atom, Binder, Builder, ControlOp, Def, DeltaOp, FunctionOp, Lambda, Linear, Loop, Op,
    Partial, Prim, Program, Reduction,
};
use ir::{Spans, Term, Type};

use crate::custom::tape_custom;
use crate::dual::{Dual, Numbers, derive_def, derive_lambda, real, tell};

/// D\[f\] of a function whose parameters are all active, and of what it captured those of the mask;
/// the first variable number that it does not use, and where its variables come from. `next_var`
/// and `spans` are those of the function.
pub fn tape_lambda(
    program: &Program,
    (captured, mask): (&[Binder], &[bool]),
    lambda: &Lambda,
    next_var: u32,
    spans: &Spans,
) -> (Lambda, u32, Spans) {
    derive_lambda::<Tape>(program, (captured, mask), lambda, next_var, spans)
}

/// The definition `f~10` from `f`, which may be a forward derivative, and the mask.
pub fn tape_def(program: &Program, def: &Def, mask: &[bool]) -> Def {
    match program.customs.get(&def.name) {
        Some(custom) => tape_custom(program, def, custom, mask),
        None => derive_def::<Tape>(program, def, mask),
    }
}

/// Figure 9: a real and its Delta.
struct Tape;

impl Numbers for Tape {
    fn dual(ty: &Type) -> Type {
        ty.tape()
    }

    fn name(def: &Name, mask: &[bool]) -> Name {
        taped_name(def, mask)
    }

    fn lift(value: Atom) -> Op {
        Op::Delta(DeltaOp::Zeros(value))
    }

    fn primal(value: Atom) -> Op {
        Op::Delta(DeltaOp::Strip(value))
    }

    fn zero(builder: &mut Builder<'_>) -> Atom {
        builder.one(Op::Delta(DeltaOp::Combine(Vec::new())))
    }

    /// Figure 14: deltaLet (Add (Scale partial u) ...)
    fn combine(builder: &mut Builder<'_>, terms: Vec<(Partial, Atom)>) -> Atom {
        let term = |(partial, delta)| {
            let factor = match partial {
                Partial::Zero => real(0.0),
                Partial::One => real(1.0),
                Partial::MinusOne => real(-1.0),
                Partial::Times(factor) => factor,
            };
            Term { factor, delta }
        };
        builder.one(Op::Delta(DeltaOp::Combine(terms.into_iter().map(term).collect())))
    }

    /// The factor of a row is the product of those before it times that of those after it.
    fn product(dual: &mut Dual<'_, Tape>, row: &Type, rows: Atom, delta: Atom) -> [Atom; 2] {
        let reduce = |reduction, array| Op::Array(ArrayOp::Reduce { reduction, axis: 0, array });
        let product = dual.builder.one(reduce(Reduction::Product, rows.clone()));
        let before = products_before(dual, row, rows.clone());
        let backwards = dual.builder.one(Op::Array(ArrayOp::Reverse(rows)));
        let after = products_before(dual, row, backwards);
        let after = dual.builder.one(Op::Array(ArrayOp::Reverse(after)));
        let factor = dual.builder.one(Op::Prim(Prim::Scale, vec![before, after]));
        let delta = dual.builder.one(Op::Delta(DeltaOp::Combine(vec![Term { factor, delta }])));
        [product, dual.builder.one(reduce(Reduction::Sum, delta))]
    }

    /// Its pull-back is the identity, and tells.
    fn traced(builder: &mut Builder<'_>, text: Atom, told: Atom, dual: Atom) -> Op {
        let ty = builder.type_of(&told);
        let cotangent = Binder { var: builder.fresh(ty.clone()), ty };
        builder.open();
        let value = Atom::Var(cotangent.var);
        let res = builder.one(tell(Saying::Cotangent, Atom::Int(1), text, value));
        let body = builder.close(vec![res]);
        let lambda = Lambda { params: vec![cotangent], body };
        let function = builder.one(Op::Function(FunctionOp::Lambda(lambda.into())));
        let (by, inputs) = (Linear::Pullback, vec![dual]);
        Op::Delta(DeltaOp::Pullback { by, value: told, inputs, function })
    }

    fn level(level: u32) -> u32 {
        level
    }
}

/// For every row the product of those before it.
fn products_before(dual: &mut Dual<'_, Tape>, row: &Type, rows: Atom) -> Atom {
    let one = dual.replicate(row, real(1.0));
    let mut binder = || Binder { var: dual.builder.fresh(row.clone()), ty: row.clone() };
    let (state, elems) = (vec![binder(), binder()], vec![binder()]);
    let (product, x) = (Atom::Var(state[0].var), Atom::Var(elems[0].var));
    dual.builder.open();
    let next = dual.builder.one(Op::Prim(Prim::Scale, vec![product.clone(), x]));
    let body = dual.builder.close(vec![next, product]);
    let step = Loop { state, elems, body };
    let inits = vec![one.clone(), one];
    let mut results =
        dual.builder.emit(Op::Control(ControlOp::Scan { inits, arrays: vec![rows], step }));
    results.pop().expect("one result for each state")
}
