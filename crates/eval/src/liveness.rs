//! Marks the last use of every slot, so that values are freed, or written over, as soon as
//! nobody needs them.
//!
//! The body of a loop runs many times: inside of it, slots from outside are never used for the
//! last time. Slots of scalars are left alone; nothing would be gained.

use crate::code::{Arg, Block, Bulk, Control, Loop, Op, Simple, Slot, Stmt};

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
            block.stmts.retain(|stmt| !is_nothing(stmt));
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
        if let Op::Simple(Simple::Proj { .. }) = stmt.op
            && !live.0[stmt.dest as usize]
        {
            // Those who need the part of a pair take the pair.
            stmt.op = Op::Simple(Simple::Nothing);
            return;
        }
        match &mut stmt.op {
            Op::If { then, otherwise, .. } => self.branches([then, otherwise].into_iter(), live),
            Op::Control(control) => self.control(control, live),
            Op::Prim1 { .. }
            | Op::Prim2 { .. }
            | Op::Index { .. }
            | Op::Call { .. }
            | Op::Apply { .. }
            | Op::Record { .. }
            | Op::Simple(_)
            | Op::Bulk(_) => {}
        }
        self.args(operands(&mut stmt.op), live);
    }

    fn control(&mut self, control: &mut Control, live: &mut Live) {
        match control {
            Control::Match { arms, otherwise, .. } => {
                let bodies = arms.iter_mut().map(|arm| &mut arm.body);
                self.branches(bodies.chain(otherwise.iter_mut()), live);
            }
            Control::Build { body, .. }
            | Control::Filter { predicate: body, .. }
            | Control::Fold(Loop { body, .. })
            | Control::Scan(Loop { body, .. })
            | Control::Iterate { body, .. } => self.body(body, live),
            Control::While { state, inits, cond, body } => {
                self.body(body, live);
                // The condition looks at a state that is needed after it.
                for slot in *state..*state + inits.len() as Slot {
                    live.0[slot as usize] = true;
                }
                self.body(cond, live);
            }
        }
    }
}

/// The operands of an operation in order of evaluation; those of nested blocks not included.
fn operands(op: &mut Op) -> Vec<&mut Arg> {
    match op {
        Op::Prim1 { x, .. } | Op::If { cond: x, .. } => vec![x],
        Op::Prim2 { x, y, .. } => vec![x, y],
        Op::Index { array, indices } => first(array, indices),
        Op::Call { args, .. } => args.iter_mut().collect(),
        Op::Apply { function, args, .. } => first(function, args),
        Op::Record { value, terms, .. } => {
            first(value, &mut []).into_iter().chain(pairs(terms)).collect()
        }
        Op::Control(control) => match control {
            Control::Build { .. } => Vec::new(),
            Control::Match { value: x, .. } | Control::Filter { array: x, .. } => vec![x],
            Control::Fold(it) | Control::Scan(it) => {
                it.inits.iter_mut().chain(&mut it.arrays).collect()
            }
            Control::Iterate { count, inits, .. } => first(count, inits),
            Control::While { inits, .. } => inits.iter_mut().collect(),
        },
        Op::Simple(simple) => match simple {
            Simple::Size(_) | Simple::Nothing => Vec::new(),
            Simple::Copy(x) | Simple::Proj { tuple: x, .. } => vec![x],
            Simple::Prim(_, args)
            | Simple::Tuple(args)
            | Simple::Con { args, .. }
            | Simple::Lambda { captured: args, .. } => args.iter_mut().collect(),
        },
        Op::Bulk(bulk) => bulk_operands(bulk),
    }
}

fn is_nothing(stmt: &Stmt) -> bool {
    matches!(stmt.op, Op::Simple(Simple::Nothing))
}

fn pairs(terms: &mut [(Arg, Arg)]) -> impl Iterator<Item = &mut Arg> {
    terms.iter_mut().flat_map(|(factor, delta)| [factor, delta])
}

fn first<'a>(arg: &'a mut Arg, rest: &'a mut [Arg]) -> Vec<&'a mut Arg> {
    std::iter::once(arg).chain(rest).collect()
}

fn bulk_operands(bulk: &mut Bulk) -> Vec<&mut Arg> {
    match bulk {
        Bulk::Iota(_) => Vec::new(),
        Bulk::Slice { array: x, .. }
        | Bulk::Reduce { array: x, .. }
        | Bulk::Argmax(x)
        | Bulk::Argmin(x)
        | Bulk::Replicate { value: x, .. }
        | Bulk::Transpose { array: x, .. }
        | Bulk::Reshape { array: x, .. }
        | Bulk::Whole { array: x, .. }
        | Bulk::Sized { array: x, .. }
        | Bulk::Lift { value: x, .. }
        | Bulk::Primal { value: x, .. }
        | Bulk::Tangent { value: x, .. }
        | Bulk::Strip(x) => vec![x],
        Bulk::Combine(terms) => pairs(terms).collect(),
        Bulk::Equal(x, y) | Bulk::Close(x, y) => vec![x, y],
        Bulk::Pair { value, tangent, .. } => vec![value, tangent],
        Bulk::Pullback { by: _, value, inputs, function } => {
            first(value, inputs).into_iter().chain([function]).collect()
        }
        Bulk::Gather { array, indices, mask } => {
            first(array, indices).into_iter().chain(mask).collect()
        }
        Bulk::Scatter { into, indices, values, mask } => {
            first(into, indices).into_iter().chain(mask).chain([values]).collect()
        }
        Bulk::TupleArray { parts: args, .. } | Bulk::Array(args) | Bulk::Concat(args) => {
            args.iter_mut().collect()
        }
        Bulk::Tell { saying: _, every, text, value } => vec![every, text, value],
        Bulk::Derive { function, args, .. } => first(function, args),
    }
}
