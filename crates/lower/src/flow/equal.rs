//! Equality of whole values, exact or to a tolerance: scalars, arrays element by element until two
//! differ, values of sum types by a function for each type (`equal/data.rs`).

mod data;

use ir::{Beside, Prim, Stmt, Type};
use loops::{Atom, Fault, Node, Scalar, State, Term, Value, Var, While};

use crate::context::{Lower, Operand};
use crate::view::View;

/// When two reals are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tolerance {
    /// If they are.
    Exact,
    /// If they differ by little: 1e-9 of the greater one or 1e-12; 1e-5 or 1e-6 in single precision.
    Close,
    /// Always: only constructors and sizes are compared.
    Form,
}

impl Lower<'_, '_> {
    /// `==` or `~=` of whole values.
    pub(super) fn whole_equal(
        &mut self,
        stmt: &Stmt,
        left: &ir::Atom,
        right: &ir::Atom,
        tolerance: Tolerance,
    ) {
        let types = (self.type_of(left), self.type_of(right));
        let operands = (self.operand(left), self.operand(right));
        let res = self.operands_equal(&types, &operands, tolerance);
        self.define_first(stmt, Operand::Scalar(res));
    }

    /// A value and its tangent, which has to be of the form of the value; only the tangent is kept.
    pub(super) fn pair(
        &mut self,
        stmt: &Stmt,
        beside: Beside,
        value: &ir::Atom,
        tangent: &ir::Atom,
    ) {
        let types = (self.type_of(value), self.type_of(tangent));
        let operands = (self.operand(value), self.operand(tangent));
        let holds = self.operands_equal(&types, &operands, Tolerance::Form);
        let fault = match beside {
            Beside::Tangent => Fault::Tangent,
            Beside::Cotangent => Fault::Cotangent,
        };
        self.check(holds, fault, Vec::new());
        self.define_first(stmt, operands.1);
    }

    fn operands_equal(
        &mut self,
        types: &(Type, Type),
        operands: &(Operand, Operand),
        tolerance: Tolerance,
    ) -> Atom {
        match operands {
            (Operand::Scalar(x), Operand::Scalar(y)) => {
                self.scalars_equal(types, (*x, *y), tolerance)
            }
            (Operand::Array(x), Operand::Array(y)) => self.arrays_equal(x, y, tolerance),
            (Operand::Scalar(_), Operand::Array(_)) | (Operand::Array(_), Operand::Scalar(_)) => {
                panic!("compiler bug: an array is compared with a scalar")
            }
        }
    }

    fn scalars_equal(
        &mut self,
        types: &(Type, Type),
        (x, y): (Atom, Atom),
        tolerance: Tolerance,
    ) -> Atom {
        let is_data = matches!(types.0, Type::Data(..));
        if tolerance == Tolerance::Form && !is_data {
            return Atom::Bool(true);
        }
        match &types.0 {
            Type::Real if tolerance == Tolerance::Close => self.close(x, y),
            Type::Real => self.prim(Scalar::Bool, Prim::Eq, &[x, y]),
            Type::Int | Type::String => self.prim(Scalar::Bool, Prim::Eq, &[x, y]),
            Type::Bool => {
                let not = self.prim(Scalar::Bool, Prim::Not, &[y]);
                self.prim(Scalar::Bool, Prim::Select, &[x, y, not])
            }
            Type::Tuple(_) => Atom::Bool(true),
            Type::Data(..) => self.data_equal(types, (x, y), tolerance),
            Type::Array(..) | Type::Function(..) | Type::Var(_) | Type::Dual(_) => other(&types.0),
            Type::Delta | Type::Tape(_) => other(&types.0),
        }
    }

    /// Infinities are close if identical; NaN is close to nothing.
    fn close(&mut self, x: Atom, y: Atom) -> Atom {
        let (relative, absolute) = (self.by_precision(1e-9, 1e-5), self.by_precision(1e-12, 1e-6));
        let mut real = |prim, args: &[Atom]| self.prim(Scalar::Real, prim, args);
        let difference = real(Prim::Sub, &[x, y]);
        let difference = real(Prim::Abs, &[difference]);
        let sizes = [real(Prim::Abs, &[x]), real(Prim::Abs, &[y])];
        let scale = real(Prim::Max, &sizes);
        let allowed = real(Prim::Mul, &[relative, scale]);
        let mut test = |prim, args: &[Atom]| self.prim(Scalar::Bool, prim, args);
        let near = test(Prim::Le, &[difference, absolute]);
        let relatively = test(Prim::Le, &[difference, allowed]);
        let near = test(Prim::Or, &[near, relatively]);
        let finite = test(Prim::Lt, &[scale, Atom::Real(f64::INFINITY)]);
        let near = test(Prim::And, &[finite, near]);
        let same = test(Prim::Eq, &[x, y]);
        test(Prim::Or, &[same, near])
    }

    /// The first if reals are double, the second if they are single: in single precision, adding 1e-9
    /// to 1 makes no difference.
    fn by_precision(&mut self, double: f64, single: f64) -> Atom {
        let one = Atom::Real(1.0);
        let sum = self.prim(Scalar::Real, Prim::Add, &[one, Atom::Real(1e-9)]);
        let is_single = self.prim(Scalar::Bool, Prim::Eq, &[sum, one]);
        let values = [is_single, Atom::Real(single), Atom::Real(double)];
        self.prim(Scalar::Real, Prim::Select, &values)
    }

    /// Equal sizes, and then equal elements.
    fn arrays_equal(&mut self, x: &View, y: &View, tolerance: Tolerance) -> Atom {
        let mut same = Atom::Bool(true);
        for (left, right) in x.sizes.iter().zip(&y.sizes).filter(|(left, right)| left != right) {
            let sizes = [self.size(left), self.size(right)];
            let equal = self.prim(Scalar::Bool, Prim::Eq, &sizes);
            same = self.both(same, equal);
        }
        let is_data = matches!(x.elem, Type::Data(..));
        if tolerance == Tolerance::Form && !is_data {
            return same;
        }
        let len = self.count(&x.sizes);
        let types = (x.elem.clone(), y.elem.clone());
        let arrays = (self.contiguous(x), self.contiguous(y));
        let (at, is_equal) = (self.fresh(Scalar::Int), self.fresh(Scalar::Bool));
        let index = Atom::Var(at);
        let (before, cond) = self.repeated(&[], |it| {
            let inside = it.prim(Scalar::Bool, Prim::Lt, &[index, len]);
            it.prim(Scalar::Bool, Prim::And, &[Atom::Var(is_equal), inside])
        });
        let (body, (next, next_at)) = self.repeated(&[], |it| {
            let elems = (it.load(arrays.0, index), it.load(arrays.1, index));
            let next = it.scalars_equal(&types, elems, tolerance);
            (next, it.prim(Scalar::Int, Prim::Add, &[index, Atom::Int(1)]))
        });
        let (last, unused) = (self.fresh(Scalar::Bool), self.fresh(Scalar::Int));
        let state = vec![
            State { var: is_equal, init: same, next, last },
            State { var: at, init: Atom::Int(0), next: next_at, last: unused },
        ];
        self.emit(Node::While(Box::new(While { state, before, cond, body })));
        Atom::Var(last)
    }

    fn load(&mut self, array: Var, index: Atom) -> Atom {
        let (loops::Type::Scalar(scalar) | loops::Type::Array(scalar)) = self.func.ty(array);
        self.bind(scalar, Value::Load { array, at: vec![Term { index, stride: Atom::Int(1) }] })
    }

    /// Whether both hold.
    fn both(&mut self, x: Atom, y: Atom) -> Atom {
        match (x, y) {
            (Atom::Bool(true), it) | (it, Atom::Bool(true)) => it,
            _ => self.prim(Scalar::Bool, Prim::And, &[x, y]),
        }
    }
}

fn other(ty: &Type) -> ! {
    panic!("compiler bug: {ty:?} is no type of scalars of first order")
}
