//! A sum over calls that a definition makes of itself is added up while they return, ir to ir.
//!
//! `sum (build i < n => x[i] * f(..))` inside of `f` would be an array of what the calls gave, and around it
//! operations on arrays of what they are multiplied with. Calls are made one after the other in any case, and
//! in a recursion most of these arrays have a few elements: a loop that adds up needs none of them, and its
//! derivative goes back call by call.
//!
//! Requires: dialect FirstOrder, verified, without tuples (`flatten`).
//! Ensures: the same dialect, results and errors at run time; a sum begins with zero and goes through the
//! elements in order, as the interpreter adds them up.
//! Cost: linear in the size of the program.
//! Not done: other reductions, builds of several results or with several indices, and those that compute
//! arrays of reals for their calls, which are made faster all at once.
//! No paper has it; it is ours.
//! Tests: `crates/opt/tests/accumulate.rs`; whole programs: `tests/programs/language/parts.cot`.
//!
//! Example. In `f`, `x = build (i < n) { .. y = call f(..) give y }, s = sum 0 x` becomes `is = iota [n], s =
//! fold (t = 0.0) (i = is) { .. y = call f(..), u = add t y give u }`.

use std::collections::BTreeMap;
use std::sync::Arc;

use ir::{
    ArrayOp, Atom, Binder, Block, ControlOp, Def, FunctionOp, Literal, Loop, Op, Prim, Program,
    Reduction, Size, Spans, Stmt, Type, Var, walk,
};

/// The program with sums over calls as loops.
pub fn accumulate(program: &Program) -> Program {
    let mut res = program.clone();
    for def in res.defs.values_mut() {
        if !calls_itself(def, &def.body) {
            continue;
        }
        let (uses, spans) = (walk::count_uses(&def.body), def.spans.clone());
        let mut pass = Pass { def, uses, next_var: def.next_var, spans };
        let body = pass.block(&def.body);
        let (next_var, spans) = (pass.next_var, pass.spans);
        *def = Arc::new(Def { body, next_var, spans, ..(**def).clone() });
    }
    res
}

/// Whether a call of a definition stands in a block.
fn calls_itself(def: &Def, block: &Block) -> bool {
    let is_call = |op: &Op| matches!(op, Op::Function(FunctionOp::Call { def: called, .. }) if *called == def.name);
    let inside = |op| walk::blocks(op).iter().any(|it| calls_itself(def, it.1));
    block.stmts.iter().any(|it| is_call(&it.op) || inside(&it.op))
}

struct Pass<'d> {
    def: &'d Def,
    /// How often variables are operands.
    uses: BTreeMap<Var, usize>,
    next_var: u32,
    spans: Spans,
}

/// A build that becomes a loop.
struct Summed<'b> {
    size: &'b Size,
    index: Var,
    body: &'b Block,
    array: Var,
}

impl Pass<'_> {
    fn block(&mut self, block: &Block) -> Block {
        let mut stmts: Vec<Stmt> = Vec::with_capacity(block.stmts.len());
        for stmt in &block.stmts {
            if let Some(summed) = self.summed(block, stmt) {
                let made = self.added_up(&summed, stmt);
                // Where the calls were made: what stands between may fail, and would fail first.
                let at = stmts.iter().position(|it| it.binders[0].var == summed.array);
                let at = at.expect("the array of a sum is in the same block");
                stmts.splice(at..=at, made);
                continue;
            }
            let op = walk::map_blocks(&stmt.op, &mut |_, it| self.block(it));
            stmts.push(Stmt { binders: stmt.binders.clone(), op });
        }
        Block { stmts, results: block.results.clone() }
    }

    /// The build that a statement adds up, if it is one of calls and nobody else reads it.
    fn summed<'b>(&self, block: &'b Block, stmt: &Stmt) -> Option<Summed<'b>> {
        let Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, axis: 0, array }) = &stmt.op
        else {
            return None;
        };
        let Atom::Var(array) = array else { return None };
        let made = block.stmts.iter().find(|it| it.binders[0].var == *array)?;
        let Op::Control(ControlOp::Build { sizes, indices, body }) = &made.op else { return None };
        let ([size], [index], [_]) =
            (sizes.as_slice(), indices.as_slice(), made.binders.as_slice())
        else {
            return None;
        };
        let is_number = matches!(stmt.binders[0].ty, Type::Real | Type::Int);
        let fits = is_number
            && self.uses.get(array) == Some(&1)
            && calls_itself(self.def, body)
            && !has_reals(body);
        fits.then_some(Summed { size, index: *index, body, array: *array })
    }

    fn added_up(&mut self, summed: &Summed<'_>, stmt: &Stmt) -> [Stmt; 2] {
        let number = stmt.binders[0].ty.clone();
        let zero = if number == Type::Int { Atom::Int(0) } else { Atom::Real(Literal(0.0)) };
        let positions = self.fresh(summed.array);
        let (before, after) = (self.fresh(summed.array), self.fresh(summed.array));
        let mut body = self.block(summed.body);
        let args = vec![Atom::Var(before), body.results.remove(0)];
        let op = Op::Prim(Prim::Add, args);
        body.stmts.push(Stmt { binders: vec![Binder { var: after, ty: number.clone() }], op });
        body.results.push(Atom::Var(after));
        let step = Loop {
            state: vec![Binder { var: before, ty: number }],
            elems: vec![Binder { var: summed.index, ty: Type::Int }],
            body,
        };
        let ty = Type::array(summed.size.clone(), Type::Int);
        let arrays = vec![Atom::Var(positions)];
        let fold = ControlOp::Fold { inits: vec![zero], arrays, step };
        [
            Stmt {
                binders: vec![Binder { var: positions, ty }],
                op: ArrayOp::Iota(summed.size.clone()).into(),
            },
            Stmt { binders: stmt.binders.clone(), op: fold.into() },
        ]
    }

    /// A new variable at the place of another.
    fn fresh(&mut self, like: Var) -> Var {
        let var = Var(self.next_var);
        self.next_var += 1;
        if let Some(span) = self.spans.0.get(&like).copied() {
            self.spans.0.insert(var, span);
        }
        var
    }
}

/// Whether arrays of anything but integers are computed in a block.
fn has_reals(block: &Block) -> bool {
    let is_array = |ty: &Type| {
        let (sizes, elem) = ty.split_arrays();
        !sizes.is_empty() && *elem != Type::Int
    };
    block.stmts.iter().any(|stmt| {
        stmt.binders.iter().any(|it| is_array(&it.ty))
            || walk::blocks(&stmt.op).iter().any(|it| has_reals(it.1))
    })
}
