//! Forward mode of the same programs: a Delta term whose Deltas are tangents is a program once its
//! linear combinations are sums of products.

use ir::{Atom, Block, Loop, Op, Prim, Stmt, Term};

use super::code::Code;

/// The term with every `combine` as arithmetic.
pub(super) fn lower(code: &mut Code<'_>, term: Block) -> Block {
    code.builder.open();
    for stmt in term.stmts {
        lower_stmt(code, stmt);
    }
    code.builder.close(term.results)
}

fn lower_stmt(code: &mut Code<'_>, stmt: Stmt) {
    let Stmt { binders, op } = stmt;
    code.declare(&binders);
    let op = match op {
        Op::Combine(terms) => combine(code, &terms),
        Op::If { cond, then, otherwise } => {
            Op::If { cond, then: lower(code, then), otherwise: lower(code, otherwise) }
        }
        Op::Match { value, mut arms, otherwise } => {
            for arm in &mut arms {
                code.declare(&arm.fields);
                arm.body = lower(code, arm.body.clone());
            }
            Op::Match { value, arms, otherwise: otherwise.map(|it| lower(code, it)) }
        }
        Op::Build { sizes, indices, body } => {
            indices.iter().for_each(|it| code.builder.declare(*it, ir::Type::Int));
            Op::Build { sizes, indices, body: lower(code, body) }
        }
        Op::Fold { inits, arrays, step } => {
            let Loop { state, elems, body } = step;
            code.declare(&state);
            code.declare(&elems);
            Op::Fold { inits, arrays, step: Loop { state, elems, body: lower(code, body) } }
        }
        other => other,
    };
    code.builder.push(Stmt { binders, op });
}

/// `factor * tangent + ...`; the last operation of it.
fn combine(code: &mut Code<'_>, terms: &[Term]) -> Op {
    let mut sum: Option<Atom> = None;
    let mut last = None;
    for term in terms {
        if let Some(op) = last.take() {
            sum = Some(code.one(op));
        }
        let (product, add) = match &term.factor {
            Atom::Real(it) if it.0 == 1.0 => (Op::Copy(term.delta.clone()), Prim::Add),
            Atom::Real(it) if it.0 == -1.0 && sum.is_some() => {
                (Op::Copy(term.delta.clone()), Prim::Sub)
            }
            Atom::Real(it) if it.0 == -1.0 => {
                (Op::Prim(Prim::Neg, vec![term.delta.clone()]), Prim::Add)
            }
            factor => (Op::Prim(Prim::Scale, vec![factor.clone(), term.delta.clone()]), Prim::Add),
        };
        last = Some(match (&sum, product) {
            (None, product) => product,
            (Some(sum), Op::Copy(tangent)) => Op::Prim(add, vec![sum.clone(), tangent]),
            (Some(sum), product) => {
                let product = code.one(product);
                Op::Prim(add, vec![sum.clone(), product])
            }
        });
    }
    last.expect("a combination of something")
}
