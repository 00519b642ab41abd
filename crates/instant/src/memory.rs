//! Elements, their places, and room for them.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use loops::{Atom, How, Place, Scalar, Type, Var};

use crate::Callee;
use crate::function::{Body, trusted};

impl Body<'_> {
    /// The element type of an array.
    pub(crate) fn element(&self, array: Var) -> Scalar {
        match self.func.ty(array) {
            Type::Scalar(it) | Type::Array(it) => it,
        }
    }

    /// The bytes of an element.
    pub(crate) fn size(&self, scalar: Scalar) -> i64 {
        match scalar {
            Scalar::Real if self.options.single => 4,
            Scalar::Real | Scalar::Int | Scalar::Box => 8,
            Scalar::Bool => 1,
        }
    }

    /// The address of an element, and what is to be added to it.
    fn place(&mut self, array: Var, at: &Place) -> (Value, i32) {
        let size = self.size(self.element(array));
        let (mut sum, mut offset) = (None, 0i64);
        for term in at {
            let part = match (term.index, term.stride) {
                (Atom::Int(0), _) | (_, Atom::Int(0)) => continue,
                (Atom::Int(x), Atom::Int(y)) => {
                    offset = offset.wrapping_add(x.wrapping_mul(y));
                    continue;
                }
                (Atom::Int(1), it) | (it, Atom::Int(1)) => self.atom(it),
                (x, y) => {
                    let (x, y) = (self.atom(x), self.atom(y));
                    self.build.ins().imul(x, y)
                }
            };
            sum = Some(match sum {
                None => part,
                Some(sum) => self.build.ins().iadd(sum, part),
            });
        }
        let mut address = self.get(array);
        if let Some(sum) = sum {
            let sum = match size {
                1 => sum,
                _ => self.build.ins().ishl_imm(sum, i64::from(size.trailing_zeros())),
            };
            address = self.build.ins().iadd(address, sum);
        }
        match i32::try_from(offset.wrapping_mul(size)) {
            Ok(offset) => (address, offset),
            Err(_) => (self.build.ins().iadd_imm(address, offset.wrapping_mul(size)), 0),
        }
    }

    /// The address of an element.
    pub(crate) fn pointer(&mut self, array: Var, at: &Place) -> Value {
        match self.place(array, at) {
            (address, 0) => address,
            (address, offset) => self.build.ins().iadd_imm(address, i64::from(offset)),
        }
    }

    pub(crate) fn load(&mut self, array: Var, at: &Place) -> Value {
        let (address, offset) = self.place(array, at);
        self.load_element(self.element(array), address, offset)
    }

    pub(crate) fn load_element(&mut self, scalar: Scalar, from: Value, offset: i32) -> Value {
        match scalar {
            Scalar::Real if self.options.single => {
                let value = self.build.ins().load(types::F32, trusted(), from, offset);
                self.build.ins().fpromote(types::F64, value)
            }
            Scalar::Real => self.build.ins().load(types::F64, trusted(), from, offset),
            Scalar::Int | Scalar::Box => self.build.ins().load(types::I64, trusted(), from, offset),
            Scalar::Bool => self.build.ins().load(types::I8, trusted(), from, offset),
        }
    }

    pub(crate) fn store(&mut self, array: Var, at: &Place, value: Atom, how: How) {
        let scalar = self.element(array);
        let value = self.atom(value);
        let (address, offset) = self.place(array, at);
        let value = match how {
            How::Set => value,
            How::Add | How::Mul | How::Max | How::Min => {
                let old = self.load_element(scalar, address, offset);
                self.combine(how, scalar, old, value)
            }
        };
        self.store_element(scalar, value, address, offset);
    }

    pub(crate) fn store_element(&mut self, scalar: Scalar, value: Value, into: Value, offset: i32) {
        let value = match scalar {
            Scalar::Real if self.options.single => self.build.ins().fdemote(types::F32, value),
            Scalar::Real | Scalar::Int | Scalar::Box | Scalar::Bool => value,
        };
        self.build.ins().store(trusted(), value, into, offset);
    }

    /// A slot of eight bytes as a value.
    pub(crate) fn load_word(&mut self, ty: Type, from: Value, number: usize) -> Value {
        let offset = 8 * number as i32;
        match ty {
            Type::Scalar(Scalar::Real) => {
                let value = self.build.ins().load(types::F64, trusted(), from, offset);
                self.rounded(value)
            }
            Type::Scalar(Scalar::Bool) => {
                let value = self.build.ins().load(types::I64, trusted(), from, offset);
                self.build.ins().icmp_imm(IntCC::NotEqual, value, 0)
            }
            Type::Scalar(Scalar::Int | Scalar::Box) | Type::Array(_) => {
                self.build.ins().load(types::I64, trusted(), from, offset)
            }
        }
    }

    /// A value as a slot of eight bytes.
    pub(crate) fn store_word(&mut self, into: Value, number: usize, value: Value) {
        let is_bool = self.build.func.dfg.value_type(value) == types::I8;
        let value = if is_bool { self.build.ins().uextend(types::I64, value) } else { value };
        self.build.ins().store(trusted(), value, into, 8 * number as i32);
    }

    /// Room for so many elements of this size.
    pub(crate) fn allocated(&mut self, count: Value, size: i64) -> Value {
        let size = self.int(size);
        let args = [self.context, count, size];
        let start = self.outside(Callee::Alloc, Some(types::I64), &args);
        let start = start.expect("it gives an address");
        let is_missing = self.build.ins().icmp_imm(IntCC::Equal, start, 0);
        self.pass_on(is_missing);
        start
    }

    /// What is allocated from here on is freed when this is given back.
    pub(crate) fn mark(&mut self) -> Value {
        self.build.ins().load(types::I64, trusted(), self.context, self.options.offsets.top)
    }

    pub(crate) fn free(&mut self, mark: Value) {
        self.build.ins().store(trusted(), mark, self.context, self.options.offsets.top);
    }
}
