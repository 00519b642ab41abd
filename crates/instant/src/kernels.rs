//! Functions of the runtime.

use cranelift_codegen::ir::{InstBuilder, MemFlags, Value, types};
use loops::{Atom, Kernel, Matrix, Saying, Scalar, Type, Var};

use crate::Callee;
use crate::function::{Body, trusted};
use crate::steps::scalar;

impl Body<'_> {
    pub(crate) fn kernel(&mut self, kernel: &Kernel) {
        match kernel {
            Kernel::Fill { array, at, len, value } => {
                let element = self.element(*array);
                let (start, len) = (self.pointer(*array, at), self.atom(*len));
                let bits = self.atom(*value);
                let bits = self.bits(element, bits);
                let size = self.size(element);
                let size = self.int(size);
                self.outside(Callee::Fill, None, &[start, len, size, bits]);
            }
            Kernel::Copy { from, from_at, into, into_at, len } => {
                let size = self.size(self.element(*into));
                let (from, into) = (self.pointer(*from, from_at), self.pointer(*into, into_at));
                let len = self.atom(*len);
                let bytes = self.build.ins().imul_imm(len, size);
                self.outside(Callee::Copy, None, &[into, from, bytes]);
            }
            Kernel::Product { m, n, k, a, b, c, add, scaled } => {
                let mut words: Vec<Value> =
                    [m, n, k].into_iter().map(|it| self.atom(*it)).collect();
                for Matrix { array, at, rows, columns } in [a, b, c] {
                    words.push(self.pointer(*array, at));
                    words.push(self.atom(*rows));
                    words.push(self.atom(*columns));
                }
                let flags = i64::from(*add) + 2 * i64::from(*scaled);
                let flags = flags + 4 * i64::from(self.options.single);
                let (words, flags) = (self.in_room(&words), self.int(flags));
                let args = [self.context, words, flags];
                let failed = self.outside(Callee::Product, Some(types::I64), &args);
                self.pass_on(failed.expect("it says whether it failed"));
            }
            Kernel::Sort { from, into, len } => self.sort(Callee::Sort, *from, *into, *len),
            Kernel::Argsort { from, into, len } => self.sort(Callee::Argsort, *from, *into, *len),
            Kernel::Tell { saying, every, text, value, sizes } => {
                self.tell(*saying, *every, *text, *value, sizes);
            }
        }
    }

    /// An element as it is in memory, in the lowest bits of a word.
    fn bits(&mut self, element: Scalar, value: Value) -> Value {
        match element {
            Scalar::Real if self.options.single => {
                let value = self.build.ins().fdemote(types::F32, value);
                let value = self.build.ins().bitcast(types::I32, MemFlags::new(), value);
                self.build.ins().uextend(types::I64, value)
            }
            Scalar::Real => self.build.ins().bitcast(types::I64, MemFlags::new(), value),
            Scalar::Bool => self.build.ins().uextend(types::I64, value),
            Scalar::Int | Scalar::Box => value,
        }
    }

    /// The address of these words.
    fn in_room(&mut self, words: &[Value]) -> Value {
        let room = self.room(words.len().max(1));
        for (k, word) in words.iter().enumerate() {
            self.store_word(room, k, *word);
        }
        room
    }

    /// What an element is, for who gets an address only: 0 for `f64`, 1 for `f32`, 2 for integers, 3 for truth
    /// values.
    fn kind(&mut self, element: Scalar) -> Value {
        let kind = match element {
            Scalar::Real => i64::from(self.options.single),
            Scalar::Int | Scalar::Box => 2,
            Scalar::Bool => 3,
        };
        self.int(kind)
    }

    fn sort(&mut self, callee: Callee, from: Var, into: Var, len: Atom) {
        let kind = self.kind(self.element(from));
        let (from, into, len) = (self.get(from), self.get(into), self.atom(len));
        self.outside(callee, None, &[from, into, len, kind]);
    }

    fn tell(&mut self, saying: Saying, every: Atom, text: Atom, value: Atom, sizes: &[Atom]) {
        let is_silent = saying != Saying::Report && every == Atom::Int(0);
        if is_silent {
            return;
        }
        let ty = self.func.atom_type(value);
        let element = scalar(ty);
        let text = self.text(text);
        let rank = sizes.len() as i64;
        let mut words: Vec<Value> = sizes.iter().map(|it| self.atom(*it)).collect();
        let value = self.atom(value);
        let data = match ty {
            Type::Scalar(_) => {
                let bits = self.bits(element, value);
                words.push(bits);
                None
            }
            Type::Array(_) => Some(value),
        };
        let sizes = self.in_room(&words);
        let data = data.unwrap_or_else(|| self.build.ins().iadd_imm(sizes, 8 * rank));
        let (saying, every) = (self.int(saying.number()), self.atom(every));
        let (kind, rank) = (self.kind(element), self.int(rank));
        let args = [self.context, saying, every, text, kind, rank, sizes, data];
        self.outside(Callee::Tell, None, &args);
    }

    /// The address of a text by its number; those that a caller brings have no name here.
    fn text(&mut self, number: Atom) -> Value {
        let count = self.module.texts.len() as i64;
        let number = self.atom(number);
        // A number below 0 is a large one without its sign.
        let last = self.int(count);
        let number = self.build.ins().umin(number, last);
        let texts = self.address(Callee::Texts);
        let at = self.build.ins().imul_imm(number, 8);
        let at = self.build.ins().iadd(texts, at);
        self.build.ins().load(types::I64, trusted(), at, 0)
    }
}
