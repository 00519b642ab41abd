//! Forward mode of the same programs: a Delta term whose Deltas are tangents is a program once its
//! linear combinations are sums of products.

use ir::{Atom, Block, DeltaOp, Op, Prim, Stmt, Term, walk};

use super::code::{Code, is_real};

/// The term with every `combine` as arithmetic.
pub(crate) fn lower(code: &mut Code, term: Block) -> Block {
    code.builder.open();
    for Stmt { binders, op } in term.stmts {
        code.declare(&binders);
        let op = if let Op::Delta(DeltaOp::Combine(terms)) = op {
            combine(code, &terms)
        } else {
            let op = code.fitted(op);
            walk::map_blocks(&op, &mut |bound, block| {
                code.declare(bound);
                lower(code, block.clone())
            })
        };
        code.builder.push(Stmt { binders, op });
    }
    code.builder.close(term.results)
}

/// `factor * tangent + ...`; the last operation of it.
fn combine(code: &mut Code, terms: &[Term]) -> Op {
    let (first, rest) = terms.split_first().expect("a combination of something");
    let mut last = product(first);
    for term in rest {
        let sum = code.one(last);
        last = if is_real(&term.factor, 1.0) {
            Op::Prim(Prim::Add, vec![sum, term.delta.clone()])
        } else if is_real(&term.factor, -1.0) {
            Op::Prim(Prim::Sub, vec![sum, term.delta.clone()])
        } else {
            let product = code.one(product(term));
            Op::Prim(Prim::Add, vec![sum, product])
        };
    }
    last
}

/// `factor * tangent`
fn product(term: &Term) -> Op {
    let tangent = term.delta.clone();
    if is_real(&term.factor, 1.0) {
        Op::Copy(tangent)
    } else if is_real(&term.factor, -1.0) {
        Op::Prim(Prim::Neg, vec![tangent])
    } else {
        Op::Prim(Prim::Scale, vec![Atom::clone(&term.factor), tangent])
    }
}
