//! Nodes, one after the other.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use loops::{Arm, Atom, Block, Both, Choice, Node, Phi, Var};

use crate::function::{Body, NO_ARGS, trusted};

impl Body<'_> {
    pub(crate) fn block(&mut self, block: &Block) {
        block.iter().for_each(|it| self.node(it));
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Let { var, value } => {
                let value = self.bound(value);
                self.set(*var, value);
            }
            Node::Both { both, of, results } => self.both(*both, *of, *results),
            // Lanes are for who does several steps at once.
            Node::Alloc { array, len, lanes: _ } => {
                let (len, size) = (self.atom(*len), self.size(self.element(*array)));
                let start = self.allocated(len, size);
                self.set(*array, start);
            }
            Node::Store { array, at, value, how } => self.store(*array, at, *value, *how),
            Node::Loop(it) => self.counted(it),
            Node::Chunks(it) => self.chunks(it),
            Node::While(it) => self.while_loop(it),
            Node::If { cond, then, otherwise, results } => {
                self.branch(*cond, then, otherwise, results);
            }
            Node::Switch { value, arms, otherwise, results } => {
                self.switch(*value, arms, otherwise, results);
            }
            Node::Make { var, tag, fields } => self.make(*var, *tag, fields),
            Node::Call { func, args, results } => self.call(*func, args, results),
            Node::Check { holds: Atom::Bool(true), .. } => {}
            Node::Check { holds, site, values } => {
                let holds = self.atom(*holds);
                let values: Vec<Value> = values.iter().map(|it| self.atom(*it)).collect();
                self.check(holds, self.options.offsets.site + i64::from(*site), &values);
            }
            Node::Scope(block) => self.scoped(block),
            Node::Kernel(kernel) => self.kernel(kernel),
        }
    }

    /// Two functions, one after the other.
    fn both(&mut self, both: Both, of: Atom, results: [Var; 2]) {
        let of = self.atom(of);
        let [first, second] = self.both_of(both, of);
        self.set(results[0], first);
        self.set(results[1], second);
    }

    /// A block whose arrays end with it.
    pub(crate) fn scoped(&mut self, block: &Block) {
        let mark = self.mark();
        self.block(block);
        self.free(mark);
    }

    fn branch(&mut self, cond: Atom, then: &Block, otherwise: &Block, results: &[Phi]) {
        let cond = self.atom(cond);
        let [first, second, after] = [(); 3].map(|()| self.build.create_block());
        self.build.ins().brif(cond, first, &NO_ARGS, second, &NO_ARGS);
        for (start, block, is_first) in [(first, then, true), (second, otherwise, false)] {
            self.build.seal_block(start);
            self.build.switch_to_block(start);
            self.block(block);
            self.set_all(
                results.iter().map(|it| (it.var, if is_first { it.then } else { it.otherwise })),
            );
            self.build.ins().jump(after, &NO_ARGS);
        }
        self.build.seal_block(after);
        self.build.switch_to_block(after);
    }

    fn switch(&mut self, value: Atom, arms: &[Arm], otherwise: &Block, results: &[Choice]) {
        let value = self.atom(value);
        let tag = self.build.ins().load(types::I64, trusted(), value, 0);
        let after = self.build.create_block();
        for (k, arm) in arms.iter().enumerate() {
            let (here, next) = (self.build.create_block(), self.build.create_block());
            let is_it = self.build.ins().icmp_imm(IntCC::Equal, tag, i64::from(arm.tag));
            self.build.ins().brif(is_it, here, &NO_ARGS, next, &NO_ARGS);
            self.build.seal_block(here);
            self.build.seal_block(next);
            self.build.switch_to_block(here);
            for (i, field) in arm.fields.iter().enumerate() {
                let loaded = self.load_word(self.func.ty(*field), value, i + 1);
                self.set(*field, loaded);
            }
            self.block(&arm.body);
            self.set_all(results.iter().map(|it| (it.var, it.arms[k])));
            self.build.ins().jump(after, &NO_ARGS);
            self.build.switch_to_block(next);
        }
        self.block(otherwise);
        self.set_all(results.iter().map(|it| (it.var, it.otherwise)));
        self.build.ins().jump(after, &NO_ARGS);
        self.build.seal_block(after);
        self.build.switch_to_block(after);
    }

    /// All at once: what is set was computed before anything changes.
    pub(crate) fn set_all(&mut self, all: impl Iterator<Item = (Var, Atom)>) {
        let values: Vec<(Var, Value)> = all.map(|(var, atom)| (var, self.atom(atom))).collect();
        values.into_iter().for_each(|(var, value)| self.set(var, value));
    }

    fn make(&mut self, var: Var, tag: u32, fields: &[Atom]) {
        let count = self.int(fields.len() as i64 + 1);
        let start = self.allocated(count, 8);
        let tag = self.int(i64::from(tag));
        self.store_word(start, 0, tag);
        for (k, field) in fields.iter().enumerate() {
            let value = self.atom(*field);
            self.store_word(start, k + 1, value);
        }
        self.set(var, start);
    }

    fn call(&mut self, func: usize, args: &[Atom], results: &[Var]) {
        let function = self.function_ref(func);
        let mut given = vec![self.context];
        for arg in args {
            let value = self.atom(*arg);
            given.push(value);
        }
        let room = self.room(results.len().max(1));
        given.push(room);
        let call = self.build.ins().call(function, &given);
        let failed = self.build.inst_results(call)[0];
        self.pass_on(failed);
        for (k, result) in results.iter().enumerate() {
            let value = self.load_word(self.func.ty(*result), room, k);
            self.set(*result, value);
        }
    }
}
