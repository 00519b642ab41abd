//! Marks the last use of every slot, so that values are freed, or written over, as soon as
//! nobody needs them.
//!
//! The body of a loop runs many times: inside of it, slots from outside are never used for the
//! last time. Slots of scalars are left alone; nothing would be gained.

use crate::code::{Arg, Block, Loop, Op, Slot, Stmt};

/// What the linker knows about a slot.
#[derive(Clone, Copy)]
pub(crate) struct SlotInfo {
    /// Whether its type is that of a scalar.
    pub(crate) scalar: bool,
    /// How many loops of its function are around its definition.
    pub(crate) loops: u32,
}

/// Marks last uses in the body of a function.
pub(crate) fn mark_last_uses(body: &mut Block, slots: &[SlotInfo]) {
    let mut live = Live(vec![false; slots.len()]);
    Marker { slots, loops: 0 }.block(body, &mut live);
}

/// The slots that are used later on.
#[derive(Clone)]
struct Live(Vec<bool>);

impl Live {
    fn merge(&mut self, other: &Live) {
        self.0.iter_mut().zip(&other.0).for_each(|(it, other)| *it |= other);
    }
}

struct Marker<'a> {
    slots: &'a [SlotInfo],
    /// How many loops are around the present place.
    loops: u32,
}

impl Marker<'_> {
    fn block(&mut self, block: &mut Block, live: &mut Live) {
        crate::stack::grown(|| {
            self.args(block.results.iter_mut().collect(), live);
            block.stmts.iter_mut().rev().for_each(|stmt| self.stmt(stmt, live));
        });
    }

    /// Operands in order of evaluation.
    fn args(&mut self, args: Vec<&mut Arg>, live: &mut Live) {
        for arg in args.into_iter().rev() {
            let Arg::Slot(slot) = *arg else { continue };
            let info = self.slots[slot as usize];
            if !live.0[slot as usize] && !info.scalar && info.loops == self.loops {
                *arg = Arg::Take(slot);
            }
            live.0[slot as usize] = true;
        }
    }

    fn body(&mut self, block: &mut Block, live: &mut Live) {
        self.loops += 1;
        self.block(block, live);
        self.loops -= 1;
    }

    fn branches<'b>(&mut self, blocks: impl Iterator<Item = &'b mut Block>, live: &mut Live) {
        let after = live.clone();
        for block in blocks {
            let mut inside = after.clone();
            self.block(block, &mut inside);
            live.merge(&inside);
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt, live: &mut Live) {
        match &mut stmt.op {
            Op::If { then, otherwise, .. } => self.branches([then, otherwise].into_iter(), live),
            Op::Match { arms, otherwise, .. } => {
                let bodies = arms.iter_mut().map(|arm| &mut arm.body);
                self.branches(bodies.chain(otherwise.iter_mut()), live);
            }
            Op::Build { body, .. }
            | Op::Filter { predicate: body, .. }
            | Op::Fold(Loop { body, .. })
            | Op::Scan(Loop { body, .. })
            | Op::Iterate { body, .. } => self.body(body, live),
            Op::While { state, inits, cond, body } => {
                self.body(body, live);
                // The condition looks at a state that is needed after it.
                for slot in *state..*state + inits.len() as Slot {
                    live.0[slot as usize] = true;
                }
                self.body(cond, live);
            }
            _ => {}
        }
        self.args(operands(&mut stmt.op), live);
    }
}

/// The operands of an operation in order of evaluation; those of nested blocks not included.
fn operands(op: &mut Op) -> Vec<&mut Arg> {
    fn first<'a>(arg: &'a mut Arg, rest: &'a mut [Arg]) -> Vec<&'a mut Arg> {
        std::iter::once(arg).chain(rest).collect()
    }
    match op {
        Op::Size(_) | Op::Build { .. } | Op::Iota(_) => Vec::new(),
        Op::Copy(x)
        | Op::Prim1 { x, .. }
        | Op::Proj { tuple: x, .. }
        | Op::Match { value: x, .. }
        | Op::If { cond: x, .. }
        | Op::Slice { array: x, .. }
        | Op::Reduce { array: x, .. }
        | Op::Argmax(x)
        | Op::Argmin(x)
        | Op::Replicate { value: x, .. }
        | Op::Transpose { array: x, .. }
        | Op::Reshape { array: x, .. }
        | Op::Reverse(x)
        | Op::Sort(x)
        | Op::Argsort(x)
        | Op::Filter { array: x, .. }
        | Op::Sized { array: x, .. }
        | Op::Lift { value: x, .. }
        | Op::Primal { value: x, .. } => vec![x],
        Op::Prim2 { x, y, .. }
        | Op::Gather { array: x, indices: y }
        | Op::Equal(x, y)
        | Op::Close(x, y) => vec![x, y],
        Op::Scatter { into, indices, values } => vec![into, indices, values],
        Op::Prim(_, args)
        | Op::Tuple(args)
        | Op::TupleArray { parts: args, .. }
        | Op::Con { args, .. }
        | Op::Lambda { captured: args, .. }
        | Op::Call { args, .. }
        | Op::While { inits: args, .. }
        | Op::Array(args)
        | Op::Concat(args) => args.iter_mut().collect(),
        Op::Apply(function, args) | Op::Derive { function, args, .. } => first(function, args),
        Op::Index { array, indices } => first(array, indices),
        Op::Iterate { count, inits, .. } => first(count, inits),
        Op::Fold(it) | Op::Scan(it) => it.inits.iter_mut().chain(&mut it.arrays).collect(),
    }
}
