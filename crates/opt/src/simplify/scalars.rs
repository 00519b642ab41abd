//! Rules for primitives: constants, and identities that hold to the bit, or up to the sign of zero
//! where that is said. A constant may also be a whole array of it.

use ir::{ArrayOp, Atom, Literal, Op, Prim, Type};

use super::Exactness;
use super::forward::{Forward, Step};

impl Forward<'_> {
    /// One step for any operation without blocks inside.
    pub(super) fn step(&mut self, op: &Op) -> Option<Step> {
        match op {
            // copy: `x = a` -> `a`
            Op::Copy(atom) => Some(Step::Value(atom.clone())),
            // size-known: `size [3]` -> `3`, `size [n]` -> `n`
            Op::Size(size) => match (size.as_constant(), size.as_var()) {
                (Some(value), _) => Some(Step::Value(Atom::Int(value))),
                (None, Some(var)) => Some(Step::Value(Atom::Var(*var))),
                (None, None) => None,
            },
            Op::Prim(prim, args) => {
                let value = constant(*prim, args).map(Step::Value);
                value
                    .or_else(|| self.identity(*prim, args))
                    .or_else(|| self.add_selects(*prim, args))
                    .or_else(|| self.add_sums(*prim, args))
                    .or_else(|| self.broadcast(*prim, args))
            }
            Op::Array(ArrayOp::Index { array, indices }) => self.index(array, indices),
            Op::Array(ArrayOp::Slice { array, axis, from, to }) => {
                self.slice(array, *axis, from, to)
            }
            Op::Array(ArrayOp::Reduce { reduction, axis, array }) => {
                self.reduce(*reduction, *axis, array)
            }
            Op::Array(ArrayOp::Gather { array, indices, mask }) => {
                self.gather(array, indices, mask.as_ref())
            }
            Op::Array(ArrayOp::Scatter { into, indices, values, mask }) => {
                self.scatter(into, indices, values, mask.as_ref())
            }
            Op::Array(ArrayOp::Transpose { array, permutation }) => {
                self.transpose(array, permutation)
            }
            Op::Array(ArrayOp::Reshape { array, rank, sizes }) => self.reshape(array, *rank, sizes),
            Op::Array(ArrayOp::Reverse(array)) => self.reverse(array),
            // concat-one: `concat (a)` -> `a`
            Op::Array(ArrayOp::Concat(arrays)) => match &**arrays {
                [array] => Some(Step::Value(array.clone())),
                [] | [_, _, ..] => None,
            },
            // sized-known: `sized a [n]` -> `a`, where `a: [n]T`
            Op::Array(ArrayOp::Sized { array, size }) => match self.type_of(array)? {
                Type::Array(n, _) if n == *size => Some(Step::Value(array.clone())),
                Type::Array(..) | Type::Real | Type::Int | Type::Bool | Type::String => None,
                Type::Tuple(_) | Type::Function(..) | Type::Var(_) | Type::Data(..) => None,
                Type::Dual(_) | Type::Delta | Type::Tape(_) => None,
            },
            Op::Tuple { .. }
            | Op::Proj { .. }
            | Op::Con { .. }
            | Op::Equal(..)
            | Op::Close(..)
            | Op::Array(
                ArrayOp::Literal { .. }
                | ArrayOp::Argmax(_)
                | ArrayOp::Argmin(_)
                | ArrayOp::Replicate { .. }
                | ArrayOp::Iota(_)
                | ArrayOp::Sort(_)
                | ArrayOp::Argsort(_)
                | ArrayOp::Filter { .. },
            )
            | Op::Control(_)
            | Op::Function(_)
            | Op::Derive(_)
            | Op::Delta(_) => None,
        }
    }

    fn identity(&mut self, prim: Prim, args: &[Atom]) -> Option<Step> {
        let op = Op::Prim(prim, args.to_vec());
        let ty = self.result_types(&op, &[ir::Var(0)]).ok()?.pop()?;
        let constants: Vec<Option<Atom>> = args.iter().map(|it| self.constant_of(it)).collect();
        match (args, &*constants) {
            ([x], _) => self.twice(prim, x),
            ([x, y], [a, b]) => {
                let right = b.as_ref().and_then(|b| self.right(prim, x, b));
                let left = || a.as_ref().and_then(|a| self.left(prim, a, y));
                let same = || (x == y).then(|| same(prim, &ty)).flatten();
                match right.or_else(left).or_else(same)? {
                    Step::Value(value) => self.as_type(value, &ty),
                    Step::Op(op) => {
                        let value = self.emit(op)?;
                        self.as_type(value, &ty)
                    }
                }
            }
            ([_, x, y], [c, ..]) if prim == Prim::Select => {
                // select-same: `select c x x` -> `x`; select-constant: `select true x y` -> `x`
                let chosen = match c {
                    Some(Atom::Bool(true)) => x,
                    Some(Atom::Bool(false)) => y,
                    Some(Atom::Var(_) | Atom::Real(_) | Atom::Int(_) | Atom::Str(_)) | None => {
                        (x == y).then_some(x)?
                    }
                };
                self.as_type(chosen.clone(), &ty)
            }
            _other => None,
        }
    }

    /// The literal that a value consists of.
    fn constant_of(&self, atom: &Atom) -> Option<Atom> {
        self.scalar_of(atom).filter(|it| !matches!(it, Atom::Var(_)))
    }

    /// A value as one of the type, by replicating it if it is a scalar.
    pub(super) fn as_type(&mut self, value: Atom, ty: &Type) -> Option<Step> {
        let (sizes, _) = ty.split_arrays();
        let found = self.type_of(&value)?;
        if found == *ty {
            return Some(Step::Value(value));
        }
        if matches!(found, Type::Array(..)) {
            return None;
        }
        let value = sizes.iter().rev().try_fold(value, |value, size| {
            self.emit(Op::Array(ArrayOp::Replicate { size: size.clone(), value }))
        })?;
        (self.type_of(&value)? == *ty).then_some(Step::Value(value))
    }

    // neg-neg: `- (- x)` -> `x`; not-not: `not (not x)` -> `x`
    fn twice(&self, prim: Prim, x: &Atom) -> Option<Step> {
        if prim != Prim::Neg && prim != Prim::Not {
            return None;
        }
        let Op::Prim(inner, args) = self.op_of(x)? else { return None };
        (*inner == prim).then(|| Step::Value(args[0].clone()))
    }

    /// Identities with a constant on the right.
    fn right(&self, prim: Prim, x: &Atom, y: &Atom) -> Option<Step> {
        let loose = self.exactness == Exactness::UpToRounding;
        let value = || Some(Step::Value(x.clone()));
        if let Atom::Real(Literal(y)) = *y {
            let negative = y.is_sign_negative();
            // add-zero: `x + -0.0` -> `x`; up to the sign of zero also `x + 0.0` -> `x`
            if prim == Prim::Add && y == 0.0 && (negative || loose) {
                return value();
            }
            // sub-zero: `x - 0.0` -> `x`
            if prim == Prim::Sub && y == 0.0 && (!negative || loose) {
                return value();
            }
            // times-one: `x * 1.0` -> `x`, `x / 1.0` -> `x`, `x ** 1.0` -> `x`; `scale` forgets the
            // sign of zero: `scale x 1.0` -> `x`
            let times = [Prim::Mul, Prim::Div, Prim::Pow].contains(&prim);
            if y == 1.0 && (times || prim == Prim::Scale && loose) {
                return value();
            }
            // power-two: `x ** 2.0` -> `x * x`, up to rounding: the power is not rounded correctly
            if prim == Prim::Pow && y == 2.0 && loose {
                return Some(Step::Op(Op::Prim(Prim::Mul, vec![x.clone(), x.clone()])));
            }
            // times-minus-one: `x * -1.0` -> `-x`
            if y == -1.0 && (prim == Prim::Mul || prim == Prim::Scale && loose) {
                return Some(Step::Op(Op::Prim(Prim::Neg, vec![x.clone()])));
            }
            // scale-zero: `scale x 0.0` -> `0.0`
            if prim == Prim::Scale && y == 0.0 {
                return Some(Step::Value(Atom::Real(Literal(0.0))));
            }
            // power-zero: `x ** 0.0` -> `1.0`, of NaN too
            if prim == Prim::Pow && y == 0.0 {
                return Some(Step::Value(Atom::Real(Literal(1.0))));
            }
        }
        if let Atom::Int(y) = *y {
            if y == 0 && [Prim::Add, Prim::Sub].contains(&prim) {
                return value();
            }
            if y == 1 && [Prim::Mul, Prim::Div, Prim::Pow].contains(&prim) {
                return value();
            }
            if y == 0 && prim == Prim::Mul {
                return Some(Step::Value(Atom::Int(0)));
            }
        }
        if let Atom::Bool(y) = *y {
            // and-true: `and x true` -> `x`, `and x false` -> `false`; or alike
            if prim == Prim::And {
                return if y { value() } else { Some(Step::Value(Atom::Bool(false))) };
            }
            if prim == Prim::Or {
                return if y { Some(Step::Value(Atom::Bool(true))) } else { value() };
            }
        }
        None
    }

    /// Identities with a constant on the left: those on the right, where the order does not matter.
    fn left(&self, prim: Prim, x: &Atom, y: &Atom) -> Option<Step> {
        let commutes = [Prim::Add, Prim::Mul, Prim::Scale, Prim::And, Prim::Or].contains(&prim);
        if commutes {
            return self.right(prim, y, x);
        }
        let loose = self.exactness == Exactness::UpToRounding;
        let zero = match x {
            Atom::Real(Literal(x)) => *x == 0.0 && (x.is_sign_negative() || loose),
            Atom::Int(x) => *x == 0,
            Atom::Var(_) | Atom::Bool(_) | Atom::Str(_) => false,
        };
        // zero-minus: `-0.0 - x` -> `-x`
        (prim == Prim::Sub && zero).then(|| Step::Op(Op::Prim(Prim::Neg, vec![y.clone()])))
    }
}

// same-int: `i - i` -> `0`, `i <= i` -> `true`, `i < i` -> `false`
fn same(prim: Prim, ty: &Type) -> Option<Step> {
    // Comparisons of reals are left alone for NaN: their type does not say whether they are.
    let int = *ty.split_arrays().1 == Type::Int;
    (prim == Prim::Sub && int).then_some(Step::Value(Atom::Int(0)))
}

/// Whether a real is the same in both precisions.
fn is_exact(x: f64) -> bool {
    f64::from(x as f32).to_bits() == x.to_bits()
}

// constant: `2 + 3` -> `5`; of reals, where it is the same in single precision
fn constant(prim: Prim, args: &[Atom]) -> Option<Atom> {
    match args {
        [Atom::Real(Literal(x))] => real_1(prim, *x),
        [Atom::Int(x)] => int_1(prim, *x),
        [Atom::Bool(x)] => (prim == Prim::Not).then_some(Atom::Bool(!*x)),
        [Atom::Real(Literal(x)), Atom::Real(Literal(y))] => real_2(prim, *x, *y),
        [Atom::Int(x), Atom::Int(y)] => int_2(prim, *x, *y),
        _other => None,
    }
}

fn real(exact: &[f64], x: f64) -> Option<Atom> {
    let same = is_exact(x) && exact.iter().all(|it| is_exact(*it));
    same.then_some(Atom::Real(Literal(x)))
}

fn real_1(prim: Prim, x: f64) -> Option<Atom> {
    if prim == Prim::Neg {
        // Rounding goes both ways alike.
        Some(Atom::Real(Literal(-x)))
    } else if prim == Prim::Abs {
        Some(Atom::Real(Literal(x.abs())))
    } else if prim == Prim::IsNan {
        Some(Atom::Bool(x.is_nan()))
    } else if prim == Prim::ToInt && is_exact(x) {
        Some(Atom::Int(x as i64))
    } else {
        None
    }
}

fn real_2(prim: Prim, x: f64, y: f64) -> Option<Atom> {
    let exact = is_exact(x) && is_exact(y);
    let compare = |holds: bool| exact.then_some(Atom::Bool(holds));
    if prim == Prim::Add {
        real(&[x, y], x + y)
    } else if prim == Prim::Sub {
        real(&[x, y], x - y)
    } else if prim == Prim::Mul {
        real(&[x, y], x * y)
    } else if prim == Prim::Div {
        real(&[x, y], x / y)
    } else if prim == Prim::Lt {
        compare(x < y)
    } else if prim == Prim::Le {
        compare(x <= y)
    } else if prim == Prim::Gt {
        compare(x > y)
    } else if prim == Prim::Ge {
        compare(x >= y)
    } else if prim == Prim::Eq {
        compare(x == y)
    } else if prim == Prim::Ne {
        compare(x != y)
    } else {
        None
    }
}

fn int_1(prim: Prim, x: i64) -> Option<Atom> {
    if prim == Prim::Neg {
        Some(Atom::Int(x.wrapping_neg()))
    } else if prim == Prim::Abs {
        Some(Atom::Int(x.wrapping_abs()))
    } else if prim == Prim::Sign {
        Some(Atom::Int(x.signum()))
    } else if prim == Prim::ToReal {
        real(&[], x as f64)
    } else {
        None
    }
}

fn int_2(prim: Prim, x: i64, y: i64) -> Option<Atom> {
    let found = [
        (Prim::Add, Atom::Int(x.wrapping_add(y))),
        (Prim::Sub, Atom::Int(x.wrapping_sub(y))),
        (Prim::Mul, Atom::Int(x.wrapping_mul(y))),
        (Prim::Min, Atom::Int(x.min(y))),
        (Prim::Max, Atom::Int(x.max(y))),
        (Prim::Lt, Atom::Bool(x < y)),
        (Prim::Le, Atom::Bool(x <= y)),
        (Prim::Gt, Atom::Bool(x > y)),
        (Prim::Ge, Atom::Bool(x >= y)),
        (Prim::Eq, Atom::Bool(x == y)),
        (Prim::Ne, Atom::Bool(x != y)),
    ];
    found.into_iter().find(|it| it.0 == prim).map(|it| it.1)
}
