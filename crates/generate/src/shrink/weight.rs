//! How great a program is.

use ir::{ArrayOp, Atom, Block, FunctionOp, Op, Program, Size, Stmt, walk};

/// The weight of a program: what a reader has to take in.
pub(super) fn weight(program: &Program) -> usize {
    let datas = program.datas.values().map(|it| 20 + 5 * it.cons.len()).sum::<usize>();
    let defs = program.defs.values().map(|def| {
        let binders = def.size_params.len() + def.params.len() + def.results.len();
        let types = def.params.iter().chain(&def.results).map(|it| it.ty.to_string().len());
        20 + 5 * binders + types.sum::<usize>() + block(&def.body)
    });
    datas + defs.sum::<usize>()
}

fn block(of: &Block) -> usize {
    of.results.iter().map(atom).sum::<usize>() + of.stmts.iter().map(stmt).sum::<usize>()
}

fn stmt(stmt: &Stmt) -> usize {
    // What puts constants together is light.
    let light = matches!(stmt.op, Op::Array(ArrayOp::Replicate { .. }) | Op::Tuple { .. });
    let heavy = matches!(stmt.op, Op::Function(FunctionOp::Call { .. }));
    let own = if light { 1 } else { 10 + 5 * stmt.binders.len() } + if heavy { 30 } else { 0 };
    let inner = walk::blocks(&stmt.op);
    let blocks: usize = inner.iter().map(|(bound, it)| 5 + 5 * bound.len() + block(it)).sum();
    let mut leaves = Leaves(0);
    walk::rewrite_op(&stmt.op, &mut leaves);
    own + blocks + leaves.0
}

/// Literals are lighter than variables, and round ones lightest.
fn atom(of: &Atom) -> usize {
    match of {
        Atom::Var(_) => 4,
        Atom::Real(it) if it.0 == 0.0 || it.0 == 1.0 => 0,
        Atom::Real(it) if it.0.fract() == 0.0 => 1,
        Atom::Real(_) => 2,
        Atom::Int(0 | 1) | Atom::Bool(false) => 0,
        Atom::Int(it) => 1 + it.unsigned_abs().min(100).ilog2() as usize,
        Atom::Bool(true) | Atom::Str(_) => 1,
    }
}

/// Operands and sizes. Those of inner blocks count twice, which does no harm.
struct Leaves(usize);

impl walk::Rewrite for Leaves {
    fn atom(&mut self, of: &Atom) -> Atom {
        self.0 += atom(of);
        of.clone()
    }

    fn size(&mut self, size: &Size) -> Size {
        self.0 += size
            .terms()
            .map(|(vars, factor)| vars.len() + factor.unsigned_abs().min(9) as usize)
            .sum::<usize>();
        size.clone()
    }
}
