//! Loops, one step after the other.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlags, Value, types};
use loops::{Atom, Block, Chunks, Kind, Loop, Node, Scalar, State, Type, While};

use crate::Callee;
use crate::function::{Body, NO_ARGS, trusted};

/// A loop of so many steps with nothing inside that takes long needs no look at whether to stop, and longer
/// ones look after as many.
const LOOK: i64 = 1024;
/// A loop counts for at most so many steps, so that sums of them are Ints; nobody waits for so many.
const MANY: i64 = 1 << 61;

impl Body<'_> {
    pub(crate) fn counted(&mut self, it: &Loop) {
        self.begin(&it.state);
        self.set_all(it.accs.iter().map(|it| (it.var, it.init)));
        let zero = self.int(0);
        self.set(it.var, zero);
        let count = self.atom(it.count);
        if is_flat(&it.body) {
            self.spend_all(count);
        }
        let [head, step, after] = [(); 3].map(|()| self.build.create_block());
        self.build.ins().jump(head, &NO_ARGS);
        self.build.switch_to_block(head);
        let at = self.get(it.var);
        let goes_on = self.build.ins().icmp(IntCC::SignedLessThan, at, count);
        self.build.ins().brif(goes_on, step, &NO_ARGS, after, &NO_ARGS);
        self.build.seal_block(step);
        self.build.switch_to_block(step);
        match is_flat(&it.body) {
            false => self.poll(),
            true => self.poll_sometimes(it.count, at),
        }
        match it.kind == Kind::Vector && allocates(&it.body) {
            true => self.scoped(&it.body),
            false => self.block(&it.body),
        }
        for acc in &it.accs {
            let scalar = scalar(self.func.ty(acc.var));
            let (old, new) = (self.get(acc.var), self.atom(acc.value));
            let value = self.combine(acc.how, scalar, old, new);
            self.set(acc.var, value);
        }
        self.set_all(it.state.iter().map(|it| (it.var, it.next)));
        let next = self.build.ins().iadd_imm(at, 1);
        self.set(it.var, next);
        self.build.ins().jump(head, &NO_ARGS);
        self.build.seal_block(head);
        self.build.seal_block(after);
        self.build.switch_to_block(after);
        self.last(&it.state);
    }

    pub(crate) fn while_loop(&mut self, it: &While) {
        self.begin(&it.state);
        let [head, step, after] = [(); 3].map(|()| self.build.create_block());
        self.build.ins().jump(head, &NO_ARGS);
        self.build.switch_to_block(head);
        self.block(&it.before);
        let goes_on = self.atom(it.cond);
        self.build.ins().brif(goes_on, step, &NO_ARGS, after, &NO_ARGS);
        self.build.seal_block(step);
        self.build.switch_to_block(step);
        self.poll();
        self.block(&it.body);
        self.set_all(it.state.iter().map(|it| (it.var, it.next)));
        self.build.ins().jump(head, &NO_ARGS);
        self.build.seal_block(head);
        self.build.seal_block(after);
        self.build.switch_to_block(after);
        self.last(&it.state);
    }

    /// One chunk after the other. What they accumulate is added to the target itself, in their order.
    pub(crate) fn chunks(&mut self, it: &Chunks) {
        let (total, bytes) = (self.atom(it.total), self.atom(it.bytes));
        let most = self.outside(Callee::Chunk, Some(types::I64), &[total, bytes]);
        let most = most.expect("it gives a number");
        for acc in &it.accs {
            let into = self.get(acc.into);
            self.set(acc.array, into);
        }
        let zero = self.int(0);
        self.set(it.start, zero);
        let [head, step, after] = [(); 3].map(|()| self.build.create_block());
        self.build.ins().jump(head, &NO_ARGS);
        self.build.switch_to_block(head);
        let start = self.get(it.start);
        let goes_on = self.build.ins().icmp(IntCC::SignedLessThan, start, total);
        self.build.ins().brif(goes_on, step, &NO_ARGS, after, &NO_ARGS);
        self.build.seal_block(step);
        self.build.switch_to_block(step);
        self.poll();
        let left = self.build.ins().isub(total, start);
        let len = self.build.ins().smin(left, most);
        self.set(it.len, len);
        self.scoped(&it.body);
        let next = self.build.ins().iadd(start, len);
        self.set(it.start, next);
        self.build.ins().jump(head, &NO_ARGS);
        self.build.seal_block(head);
        self.build.seal_block(after);
        self.build.switch_to_block(after);
    }

    fn begin(&mut self, state: &[State]) {
        self.set_all(state.iter().map(|it| (it.var, it.init)));
    }

    fn last(&mut self, state: &[State]) {
        self.set_all(state.iter().map(|it| (it.last, Atom::Var(it.var))));
    }

    /// Looks whether to stop, every so many steps of a loop that has nothing in it that takes long.
    fn poll_sometimes(&mut self, count: Atom, at: Value) {
        if matches!(count, Atom::Int(it) if it <= LOOK) {
            return;
        }
        let [look, on] = [(); 2].map(|()| self.build.create_block());
        self.build.set_cold_block(look);
        let rest = self.build.ins().band_imm(at, LOOK - 1);
        let is_time = self.build.ins().icmp_imm(IntCC::Equal, rest, LOOK - 1);
        self.build.ins().brif(is_time, look, &NO_ARGS, on, &NO_ARGS);
        self.build.seal_block(look);
        self.build.switch_to_block(look);
        self.look();
        self.build.ins().jump(on, &NO_ARGS);
        self.build.seal_block(on);
        self.build.switch_to_block(on);
    }

    /// Ends the run if somebody wants it to stop, or if there have been too many steps, of which this is one.
    fn poll(&mut self) {
        self.spend();
        self.look();
    }

    /// Ends the run if somebody wants it to stop.
    fn look(&mut self) {
        let stopped = self.end(self.stopped);
        self.stopped = Some(stopped);
        let on = self.build.create_block();
        let offset = self.options.offsets.stop;
        let flag = self.build.ins().load(types::I64, trusted(), self.context, offset);
        // Another thread writes it, so it is read every time.
        let flag = self.build.ins().atomic_load(types::I32, MemFlags::trusted(), flag);
        self.build.ins().brif(flag, stopped, &NO_ARGS, on, &NO_ARGS);
        self.build.seal_block(on);
        self.build.switch_to_block(on);
    }

    /// Counts a step, where they are limited.
    pub(crate) fn spend(&mut self) {
        if self.options.most_steps.is_some() {
            let one = self.int(1);
            self.spend_all(one);
        }
    }

    /// Counts steps, where they are limited: those of a loop in whose steps nothing takes long, before the first.
    fn spend_all(&mut self, steps: Value) {
        let Some(most) = self.options.most_steps else { return };
        let most = self.int(i64::try_from(most).unwrap_or(i64::MAX));
        let long = self.end(self.long);
        self.long = Some(long);
        let on = self.build.create_block();
        let offset = self.options.offsets.steps;
        let old = self.build.ins().load(types::I64, trusted(), self.context, offset);
        let (none, all) = (self.int(0), self.int(MANY));
        let steps = self.build.ins().smax(steps, none);
        let steps = self.build.ins().smin(steps, all);
        let new = self.build.ins().iadd(old, steps);
        self.build.ins().store(trusted(), new, self.context, offset);
        let is_long = self.build.ins().icmp(IntCC::SignedGreaterThan, new, most);
        self.build.ins().brif(is_long, long, &NO_ARGS, on, &NO_ARGS);
        self.build.seal_block(on);
        self.build.switch_to_block(on);
    }
}

pub(crate) fn scalar(ty: Type) -> Scalar {
    match ty {
        Type::Scalar(it) | Type::Array(it) => it,
    }
}

/// Whether there is nothing in it that takes long.
fn is_flat(block: &Block) -> bool {
    let mut res = true;
    loops::walk(block, &mut |node| match node {
        Node::Let { .. }
        | Node::Alloc { .. }
        | Node::Store { .. }
        | Node::Make { .. }
        | Node::Both { .. }
        | Node::Check { .. }
        | Node::If { .. }
        | Node::Switch { .. }
        | Node::Scope(_) => {}
        Node::Loop(_) | Node::Chunks(_) | Node::While(_) | Node::Call { .. } | Node::Kernel(_) => {
            res = false
        }
    });
    res
}

/// Whether it takes memory that a step gives back.
fn allocates(block: &Block) -> bool {
    let mut res = false;
    loops::walk(block, &mut |node| {
        res |= matches!(node, Node::Alloc { .. } | Node::Make { .. } | Node::Call { .. });
    });
    res
}
