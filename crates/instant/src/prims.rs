//! Primitives: instructions where they mean exactly that, else calls of what the interpreter calls.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use ir::Prim;
use loops::{Atom, Both, How, Scalar, Type};

use crate::Callee;
use crate::function::Body;

impl Body<'_> {
    /// What is bound to a variable.
    pub(crate) fn bound(&mut self, value: &loops::Value) -> Value {
        match value {
            loops::Value::Atom(it) => self.atom(*it),
            loops::Value::Prim(prim, operands) => {
                let scalar = operands.last().map_or(Scalar::Real, |it| self.scalar(*it));
                let operands: Vec<Value> = operands.iter().map(|it| self.atom(*it)).collect();
                self.prim(*prim, scalar, &operands)
            }
            loops::Value::ScaleAdd(a, b, c) => {
                let [a, b, c] = [a, b, c].map(|it| self.atom(*it));
                let product = self.scale(a, b);
                let sum = self.build.ins().fadd(product, c);
                self.rounded(sum)
            }
            loops::Value::Load { array, at } => self.load(*array, at),
            loops::Value::Part { array, at } => self.pointer(*array, at),
        }
    }

    /// Two functions that others compute together: here one after the other, which is what they mean.
    pub(crate) fn both_of(&mut self, both: Both, x: Value) -> [Value; 2] {
        match both {
            Both::Sigmoids => {
                let first = self.prim(Prim::Sigmoid, Scalar::Real, &[x]);
                let less = self.prim(Prim::Neg, Scalar::Real, &[x]);
                [first, self.prim(Prim::Sigmoid, Scalar::Real, &[less])]
            }
            Both::TanhSlope => {
                let first = self.prim(Prim::Tanh, Scalar::Real, &[x]);
                let cosh = self.prim(Prim::Cosh, Scalar::Real, &[x]);
                let square = self.prim(Prim::Mul, Scalar::Real, &[cosh, cosh]);
                let one = self.atom(Atom::Real(1.0));
                [first, self.prim(Prim::Div, Scalar::Real, &[one, square])]
            }
        }
    }

    fn scalar(&self, atom: Atom) -> Scalar {
        match self.func.atom_type(atom) {
            Type::Scalar(it) | Type::Array(it) => it,
        }
    }

    /// A real as the precision has it.
    pub(crate) fn rounded(&mut self, value: Value) -> Value {
        if !self.options.single {
            return value;
        }
        let value = self.build.ins().fdemote(types::F32, value);
        self.build.ins().fpromote(types::F64, value)
    }

    /// A value that meets the one that is there.
    pub(crate) fn combine(&mut self, how: How, scalar: Scalar, old: Value, new: Value) -> Value {
        let prim = match how {
            How::Set => return new,
            How::Add => Prim::Add,
            How::Mul => Prim::Mul,
            How::Max => Prim::Max,
            How::Min => Prim::Min,
        };
        self.prim(prim, scalar, &[old, new])
    }

    /// A primitive; `scalar` is what its last operand is.
    fn prim(&mut self, prim: Prim, scalar: Scalar, operands: &[Value]) -> Value {
        match (operands, scalar) {
            ([cond, x, y], _) => self.build.ins().select(*cond, *x, *y),
            ([x], Scalar::Real) => self.on_real(prim, *x),
            ([k, x], Scalar::Real) if prim == Prim::Polygamma => {
                let res = self.outside(Callee::Polygamma, Some(types::F64), &[*k, *x]);
                self.rounded(res.expect("it gives a number"))
            }
            ([x, y], Scalar::Real) => self.on_reals(prim, *x, *y),
            ([x], Scalar::Int) => self.on_int(prim, *x),
            ([x, y], Scalar::Int) => self.on_ints(prim, *x, *y),
            (_, Scalar::Bool | Scalar::Box) => self.on_bools(prim, operands),
            (_, Scalar::Real | Scalar::Int) => unreachable!("compiler bug: a primitive of nothing"),
        }
    }

    fn on_real(&mut self, prim: Prim, x: Value) -> Value {
        if prim == Prim::Neg {
            self.build.ins().fneg(x)
        } else if prim == Prim::Abs {
            self.build.ins().fabs(x)
        } else if prim == Prim::Sqrt {
            let res = self.build.ins().sqrt(x);
            self.rounded(res)
        } else if prim == Prim::IsNan {
            self.build.ins().fcmp(FloatCC::Unordered, x, x)
        } else if prim == Prim::ToInt {
            self.build.ins().fcvt_to_sint_sat(types::I64, x)
        } else {
            let meaning = self.address(Callee::OnReals(prim));
            let res = self.outside(Callee::Unary, Some(types::F64), &[meaning, x]);
            self.rounded(res.expect("it gives a number"))
        }
    }

    fn on_reals(&mut self, prim: Prim, x: Value, y: Value) -> Value {
        if let Some(how) = real_comparison(prim) {
            return self.build.ins().fcmp(how, x, y);
        }
        let res = if prim == Prim::Add {
            self.build.ins().fadd(x, y)
        } else if prim == Prim::Sub {
            self.build.ins().fsub(x, y)
        } else if prim == Prim::Mul {
            self.build.ins().fmul(x, y)
        } else if prim == Prim::Div {
            self.build.ins().fdiv(x, y)
        } else if prim == Prim::Scale {
            self.scale(x, y)
        } else if prim == Prim::Min {
            return self.first_if(FloatCC::LessThanOrEqual, x, y);
        } else if prim == Prim::Max {
            return self.first_if(FloatCC::GreaterThanOrEqual, x, y);
        } else {
            let meaning = self.address(Callee::OnReals(prim));
            let res = self.outside(Callee::Binary, Some(types::F64), &[meaning, x, y]);
            res.expect("it gives a number")
        };
        self.rounded(res)
    }

    /// `x` if the comparison holds or it is not a number, else `y`.
    fn first_if(&mut self, how: FloatCC, x: Value, y: Value) -> Value {
        let holds = self.build.ins().fcmp(how, x, y);
        let is_nan = self.build.ins().fcmp(FloatCC::Unordered, x, x);
        let first = self.build.ins().bor(holds, is_nan);
        self.build.ins().select(first, x, y)
    }

    /// A product that is 0 if a factor is, not rounded yet.
    fn scale(&mut self, x: Value, y: Value) -> Value {
        let zero = self.build.ins().f64const(0.0);
        let left = self.build.ins().fcmp(FloatCC::Equal, x, zero);
        let right = self.build.ins().fcmp(FloatCC::Equal, y, zero);
        let is_zero = self.build.ins().bor(left, right);
        let product = self.build.ins().fmul(x, y);
        self.build.ins().select(is_zero, zero, product)
    }

    fn on_int(&mut self, prim: Prim, x: Value) -> Value {
        if prim == Prim::ToReal {
            let res = self.build.ins().fcvt_from_sint(types::F64, x);
            self.rounded(res)
        } else if prim == Prim::Neg {
            self.build.ins().ineg(x)
        } else if prim == Prim::Abs {
            self.build.ins().iabs(x)
        } else if prim == Prim::Sign {
            let more = self.build.ins().icmp_imm(IntCC::SignedGreaterThan, x, 0);
            let less = self.build.ins().icmp_imm(IntCC::SignedLessThan, x, 0);
            let sign = self.build.ins().isub(more, less);
            self.build.ins().sextend(types::I64, sign)
        } else {
            unreachable!("compiler bug: {} of an integer", prim.name())
        }
    }

    fn on_ints(&mut self, prim: Prim, x: Value, y: Value) -> Value {
        if let Some(how) = int_comparison(prim) {
            return self.build.ins().icmp(how, x, y);
        }
        if prim == Prim::Add {
            self.build.ins().iadd(x, y)
        } else if prim == Prim::Sub {
            self.build.ins().isub(x, y)
        } else if prim == Prim::Mul {
            self.build.ins().imul(x, y)
        } else if prim == Prim::Min {
            self.build.ins().smin(x, y)
        } else if prim == Prim::Max {
            self.build.ins().smax(x, y)
        } else if prim == Prim::BitAnd {
            self.build.ins().band(x, y)
        } else if prim == Prim::BitOr {
            self.build.ins().bor(x, y)
        } else if prim == Prim::BitXor {
            self.build.ins().bxor(x, y)
        } else if prim == Prim::ShiftLeft {
            self.build.ins().ishl(x, y)
        } else if prim == Prim::ShiftRight {
            self.build.ins().ushr(x, y)
        } else {
            // Division, of which an instruction would end the process if a lane that nobody needs divides by 0.
            let meaning = self.address(Callee::OnInts(prim));
            let res = self.outside(Callee::IntBinary, Some(types::I64), &[meaning, x, y]);
            res.expect("it gives a number")
        }
    }

    /// Also how truth values are combined: the greater one is whether either holds.
    fn on_bools(&mut self, prim: Prim, operands: &[Value]) -> Value {
        let x = operands[0];
        let y = operands.get(1).copied().unwrap_or(x);
        if matches!(prim, Prim::And | Prim::Min | Prim::Mul) {
            self.build.ins().band(x, y)
        } else if matches!(prim, Prim::Or | Prim::Max | Prim::Add) {
            self.build.ins().bor(x, y)
        } else if prim == Prim::Not {
            self.build.ins().bxor_imm(x, 1)
        } else if prim == Prim::Eq {
            self.build.ins().icmp(IntCC::Equal, x, y)
        } else if prim == Prim::Ne {
            self.build.ins().icmp(IntCC::NotEqual, x, y)
        } else {
            unreachable!("compiler bug: {} of truth values", prim.name())
        }
    }
}

fn real_comparison(prim: Prim) -> Option<FloatCC> {
    const ALL: [(Prim, FloatCC); 6] = [
        (Prim::Lt, FloatCC::LessThan),
        (Prim::Le, FloatCC::LessThanOrEqual),
        (Prim::Gt, FloatCC::GreaterThan),
        (Prim::Ge, FloatCC::GreaterThanOrEqual),
        (Prim::Eq, FloatCC::Equal),
        (Prim::Ne, FloatCC::NotEqual),
    ];
    ALL.iter().find(|it| it.0 == prim).map(|it| it.1)
}

fn int_comparison(prim: Prim) -> Option<IntCC> {
    const ALL: [(Prim, IntCC); 6] = [
        (Prim::Lt, IntCC::SignedLessThan),
        (Prim::Le, IntCC::SignedLessThanOrEqual),
        (Prim::Gt, IntCC::SignedGreaterThan),
        (Prim::Ge, IntCC::SignedGreaterThanOrEqual),
        (Prim::Eq, IntCC::Equal),
        (Prim::Ne, IntCC::NotEqual),
    ];
    ALL.iter().find(|it| it.0 == prim).map(|it| it.1)
}
