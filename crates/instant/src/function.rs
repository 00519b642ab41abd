//! A function, and what is known of it while it is made.

use std::collections::BTreeMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, ExtFuncData, ExternalName, FuncRef, Function, InstBuilder, MemFlags,
    Signature, StackSlot, StackSlotData, StackSlotKind, Type, UserExternalName, Value, types,
};
use cranelift_codegen::isa::{CallConv, OwnedTargetIsa};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use ir::Prim;
use loops::{Atom, Func, Module, Scalar, Var};

use crate::{Callee, Options};

/// What a name in code stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// A function of the module.
    Function(usize),
    /// Something that is not in the code.
    Outside(Callee),
}

/// Makes one function.
pub(crate) struct Body<'a> {
    pub(crate) build: FunctionBuilder<'a>,
    pub(crate) module: &'a Module,
    pub(crate) func: &'a Func,
    pub(crate) options: Options,
    conv: CallConv,
    vars: Vec<Option<Variable>>,
    callees: BTreeMap<Callee, FuncRef>,
    functions: BTreeMap<usize, FuncRef>,
    /// Room for the results of calls, and for what goes by address.
    room: Option<StackSlot>,
    room_words: usize,
    pub(crate) context: Value,
    /// Where it ends if something it calls has failed, where if it is to stop, and where after too many steps.
    pub(crate) failed: Option<Block>,
    pub(crate) stopped: Option<Block>,
    pub(crate) long: Option<Block>,
}

/// Addresses are aligned and can be read, or the module is wrong.
pub(crate) fn trusted() -> MemFlags {
    MemFlags::trusted()
}

pub(crate) const NO_ARGS: [BlockArg; 0] = [];

impl<'a> Body<'a> {
    pub(crate) fn new(
        into: &'a mut Function,
        builder: &'a mut FunctionBuilderContext,
        isa: &OwnedTargetIsa,
        module: &'a Module,
        func: &'a Func,
        options: Options,
    ) -> Body<'a> {
        let build = FunctionBuilder::new(into, builder);
        Body {
            build,
            module,
            func,
            options,
            conv: isa.default_call_conv(),
            vars: vec![None; func.vars.len()],
            callees: BTreeMap::new(),
            functions: BTreeMap::new(),
            room: None,
            room_words: 0,
            context: Value::from_u32(0),
            failed: None,
            stopped: None,
            long: None,
        }
    }

    /// The function with this number: `context, parameters, results -> failed`.
    pub(crate) fn function(mut self, number: usize, stack: usize) {
        self.build.func.signature = self.signature(self.func);
        let start = self.build.create_block();
        self.build.append_block_params_for_function_params(start);
        self.build.switch_to_block(start);
        self.build.seal_block(start);
        let given = self.build.block_params(start).to_vec();
        self.context = given[0];
        for (param, value) in self.func.params.iter().zip(&given[1..]) {
            self.set(*param, *value);
        }
        let results = given[self.func.params.len() + 1];
        if self.func.recursive {
            self.look_at_stack(number, stack);
        }
        self.block(&self.func.body);
        for (k, result) in self.func.results.iter().enumerate() {
            let value = self.atom(*result);
            self.store_word(results, k, value);
        }
        self.give(0);
        self.ends();
        self.build.seal_all_blocks();
        self.build.finalize();
    }

    /// What is called from outside: `context, arguments, results -> code`, with slots of eight bytes.
    pub(crate) fn entry(mut self, number: usize) {
        let word = || AbiParam::new(types::I64);
        let mut signature = Signature::new(self.conv);
        signature.params.extend([word(), word(), word()]);
        signature.returns.push(word());
        self.build.func.signature = signature;
        let start = self.build.create_block();
        self.build.append_block_params_for_function_params(start);
        self.build.switch_to_block(start);
        self.build.seal_block(start);
        let [context, args, results] = [0, 1, 2].map(|k| self.build.block_params(start)[k]);
        let zero = self.int(0);
        let Options { offsets, .. } = self.options;
        // How many steps it has taken before is up to who calls.
        self.build.ins().store(trusted(), zero, context, offsets.code);
        let mut given = vec![context];
        for (k, param) in self.func.params.iter().enumerate() {
            let value = self.load_word(self.func.ty(*param), args, k);
            given.push(value);
        }
        given.push(results);
        let function = self.function_ref(number);
        self.build.ins().call(function, &given);
        let code = self.build.ins().load(types::I64, trusted(), context, offsets.code);
        self.build.ins().return_(&[code]);
        self.build.seal_all_blocks();
        self.build.finalize();
    }

    fn signature(&self, func: &Func) -> Signature {
        let mut signature = Signature::new(self.conv);
        signature.params.push(AbiParam::new(types::I64));
        signature.params.extend(func.params.iter().map(|it| AbiParam::new(register(func.ty(*it)))));
        signature.params.push(AbiParam::new(types::I64));
        signature.returns.push(AbiParam::new(types::I8));
        signature
    }

    /// Fails if there is not enough stack for all that may be called before somebody looks again.
    fn look_at_stack(&mut self, number: usize, stack: usize) {
        self.spend();
        let Options { offsets, .. } = self.options;
        let here = self.build.ins().get_stack_pointer(types::I64);
        let low = self.build.ins().load(types::I64, trusted(), self.context, offsets.stack_low);
        let low = self.build.ins().iadd_imm(low, stack as i64);
        let is_there = self.build.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, here, low);
        let number = self.int(number as i64);
        self.check(is_there, offsets.recursion, &[number]);
    }

    /// Goes on if it holds, else fails with these values.
    pub(crate) fn check(&mut self, holds: Value, code: i64, values: &[Value]) {
        let (bad, good) = (self.build.create_block(), self.build.create_block());
        self.build.set_cold_block(bad);
        self.build.ins().brif(holds, good, &NO_ARGS, bad, &NO_ARGS);
        self.build.seal_block(bad);
        self.build.seal_block(good);
        self.build.switch_to_block(bad);
        self.fail(code, values);
        self.build.switch_to_block(good);
    }

    /// Says why, and ends.
    fn fail(&mut self, code: i64, values: &[Value]) {
        let Options { offsets, .. } = self.options;
        let values = &values[..values.len().min(offsets.most_values)];
        let (code, count) = (self.int(code), self.int(values.len() as i64));
        self.build.ins().store(trusted(), code, self.context, offsets.code);
        self.build.ins().store(trusted(), count, self.context, offsets.n_values);
        for (k, value) in values.iter().enumerate() {
            let at = offsets.values + 8 * k as i32;
            self.build.ins().store(trusted(), *value, self.context, at);
        }
        self.give(1);
    }

    pub(crate) fn give(&mut self, failed: i64) {
        let failed = self.build.ins().iconst(types::I8, failed);
        self.build.ins().return_(&[failed]);
    }

    /// The blocks that end it, if anybody goes there.
    fn ends(&mut self) {
        let Options { offsets, .. } = self.options;
        if let Some(block) = self.failed {
            self.build.switch_to_block(block);
            self.give(1);
        }
        let codes = [(self.stopped, offsets.stopped), (self.long, offsets.long)];
        for (block, code) in codes {
            if let Some(block) = block {
                self.build.switch_to_block(block);
                self.fail(code, &[]);
            }
        }
    }

    /// A block at the end that is gone to rarely.
    pub(crate) fn end(&mut self, known: Option<Block>) -> Block {
        known.unwrap_or_else(|| {
            let block = self.build.create_block();
            self.build.set_cold_block(block);
            block
        })
    }

    /// Ends the function if what was called has failed.
    pub(crate) fn pass_on(&mut self, failed: Value) {
        let bad = self.end(self.failed);
        self.failed = Some(bad);
        let good = self.build.create_block();
        self.build.ins().brif(failed, bad, &NO_ARGS, good, &NO_ARGS);
        self.build.seal_block(good);
        self.build.switch_to_block(good);
    }

    pub(crate) fn int(&mut self, value: i64) -> Value {
        self.build.ins().iconst(types::I64, value)
    }

    pub(crate) fn set(&mut self, var: Var, value: Value) {
        let ty = register(self.func.ty(var));
        let known = &mut self.vars[var.0 as usize];
        let variable = match *known {
            Some(it) => it,
            None => {
                let it = self.build.declare_var(ty);
                *known = Some(it);
                it
            }
        };
        self.build.def_var(variable, value);
    }

    pub(crate) fn get(&mut self, var: Var) -> Value {
        match self.vars[var.0 as usize] {
            Some(it) => self.build.use_var(it),
            // Of a path that nobody goes.
            None => match register(self.func.ty(var)) {
                types::F64 => self.build.ins().f64const(0.0),
                ty => self.build.ins().iconst(ty, 0),
            },
        }
    }

    pub(crate) fn atom(&mut self, atom: Atom) -> Value {
        match atom {
            Atom::Var(var) => self.get(var),
            Atom::Real(it) if self.options.single => {
                self.build.ins().f64const(f64::from(it as f32))
            }
            Atom::Real(it) => self.build.ins().f64const(it),
            Atom::Int(it) => self.int(it),
            Atom::Bool(it) => self.build.ins().iconst(types::I8, i64::from(it)),
        }
    }

    /// A function of the module.
    pub(crate) fn function_ref(&mut self, number: usize) -> FuncRef {
        if let Some(known) = self.functions.get(&number) {
            return *known;
        }
        let signature = self.signature(&self.module.funcs[number]);
        let res = self.import(Name::Function(number), signature);
        self.functions.insert(number, res);
        res
    }

    /// The results of a function outside; none or one.
    pub(crate) fn outside(
        &mut self,
        callee: Callee,
        result: Option<Type>,
        args: &[Value],
    ) -> Option<Value> {
        let function = match self.callees.get(&callee) {
            Some(known) => *known,
            None => {
                let mut signature = Signature::new(self.conv);
                let types = args.iter().map(|it| self.build.func.dfg.value_type(*it));
                signature.params.extend(types.map(AbiParam::new));
                signature.returns.extend(result.map(AbiParam::new));
                let res = self.import(Name::Outside(callee), signature);
                self.callees.insert(callee, res);
                res
            }
        };
        let call = self.build.ins().call(function, args);
        self.build.inst_results(call).first().copied()
    }

    /// The address of something outside.
    pub(crate) fn address(&mut self, callee: Callee) -> Value {
        let function = match self.callees.get(&callee) {
            Some(known) => *known,
            None => {
                let res = self.import(Name::Outside(callee), Signature::new(self.conv));
                self.callees.insert(callee, res);
                res
            }
        };
        self.build.ins().func_addr(types::I64, function)
    }

    fn import(&mut self, name: Name, signature: Signature) -> FuncRef {
        let colocated = matches!(name, Name::Function(_));
        let name = self.build.func.declare_imported_user_function(name.number());
        let signature = self.build.import_signature(signature);
        let name = ExternalName::user(name);
        self.build.import_function(ExtFuncData { name, signature, colocated, patchable: false })
    }

    /// The address of room on the stack for so many words, until the next time.
    pub(crate) fn room(&mut self, words: usize) -> Value {
        let slot = match self.room {
            Some(it) if self.room_words >= words => it,
            _ => {
                self.room_words = words.max(8);
                let size = u32::try_from(8 * self.room_words).expect("few results");
                let data = StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3);
                self.build.create_sized_stack_slot(data)
            }
        };
        self.room = Some(slot);
        self.build.ins().stack_addr(types::I64, slot, 0)
    }
}

/// What a value is in a register.
pub(crate) fn register(ty: loops::Type) -> Type {
    match ty {
        loops::Type::Scalar(Scalar::Real) => types::F64,
        loops::Type::Scalar(Scalar::Bool) => types::I8,
        loops::Type::Scalar(Scalar::Int | Scalar::Box) | loops::Type::Array(_) => types::I64,
    }
}

impl Name {
    /// As Cranelift has it.
    fn number(self) -> UserExternalName {
        let plain = |callee: Callee| CALLEES.iter().position(|it| *it == callee);
        let (namespace, index) = match self {
            Name::Function(number) => (0, number),
            Name::Outside(Callee::OnReals(prim)) => (1, prim as usize),
            Name::Outside(Callee::OnInts(prim)) => (2, prim as usize),
            Name::Outside(callee) => (3, plain(callee).expect("the list below has it")),
        };
        UserExternalName::new(namespace, u32::try_from(index).expect("few functions"))
    }

    /// What it stands for.
    pub(crate) fn of(name: &UserExternalName) -> Option<Name> {
        let prim = || Prim::all().find(|it| *it as u32 == name.index);
        match name.namespace {
            0 => Some(Name::Function(name.index as usize)),
            1 => Some(Name::Outside(Callee::OnReals(prim()?))),
            2 => Some(Name::Outside(Callee::OnInts(prim()?))),
            _ => Some(Name::Outside(*CALLEES.get(name.index as usize)?)),
        }
    }
}

const CALLEES: [Callee; 13] = [
    Callee::Unary,
    Callee::Binary,
    Callee::IntBinary,
    Callee::Polygamma,
    Callee::Alloc,
    Callee::Fill,
    Callee::Copy,
    Callee::Product,
    Callee::Sort,
    Callee::Argsort,
    Callee::Chunk,
    Callee::Tell,
    Callee::Texts,
];
