//! Operators: arithmetic that broadcasts, logic, equality.

use base::Span;
use ir::Prim;
use syntax::ast::{self, BinaryOp, UnaryOp};

use crate::error::Why;
use crate::infer::Infer;
use crate::infer::constraint::{Arithmetic, Demand, Leaves};
use crate::typed::{Expr, Kind};
use crate::types::Type;

impl Infer<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, value: &ast::Expr) -> (Kind, Type) {
        match op {
            UnaryOp::Not => {
                let value = self.check(value, &Type::Bool, &Why::Condition);
                (Kind::Prim(Prim::Not, vec![value]), Type::Bool)
            }
            UnaryOp::Neg => {
                let value = self.expr(value, None);
                if let Kind::Int(it) = value.kind {
                    return (Kind::Int(it.wrapping_neg()), Type::Int);
                }
                if let Kind::Real(it) = value.kind {
                    return (Kind::Real(-it), Type::Real);
                }
                let ty = value.ty.clone();
                self.c.demand(Demand::Number(ty.clone(), "-"), value.span);
                (Kind::Prim(Prim::Neg, vec![value]), ty)
            }
        }
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        op_span: Span,
        left: &ast::Expr,
        right: &ast::Expr,
        hint: Option<&Type>,
        span: Span,
    ) -> (Kind, Type) {
        let (prim, leaves) = match op {
            BinaryOp::And | BinaryOp::Or => return self.logic(op, left, right, span),
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Close => {
                return self.equality(op, left, right, span);
            }
            BinaryOp::Lt => (Prim::Lt, Leaves::Compare),
            BinaryOp::Le => (Prim::Le, Leaves::Compare),
            BinaryOp::Gt => (Prim::Gt, Leaves::Compare),
            BinaryOp::Ge => (Prim::Ge, Leaves::Compare),
            BinaryOp::Add => (Prim::Add, Leaves::Same),
            BinaryOp::Sub => (Prim::Sub, Leaves::Same),
            BinaryOp::Mul => (Prim::Mul, Leaves::Same),
            BinaryOp::Div => (Prim::Div, Leaves::Same),
            BinaryOp::Rem => (Prim::Rem, Leaves::Same),
            BinaryOp::Pow => (Prim::Pow, Leaves::Same),
        };
        let args = vec![self.expr(left, hint), self.expr(right, hint)];
        self.arithmetic(prim, op.symbol(), args, leaves, op_span)
    }

    /// A primitive of two operands that broadcast.
    pub(crate) fn arithmetic(
        &mut self,
        prim: Prim,
        symbol: &'static str,
        args: Vec<Expr>,
        leaves: Leaves,
        span: Span,
    ) -> (Kind, Type) {
        let result = self.fresh();
        let literal = |it: &Expr| if let Kind::Int(value) = it.kind { Some(value) } else { None };
        let demand = Arithmetic {
            symbol,
            left: (args[0].ty.clone(), args[0].span),
            right: (args[1].ty.clone(), args[1].span),
            result: result.clone(),
            literals: (literal(&args[0]), literal(&args[1])),
            leaves,
            whole: None,
        };
        self.c.demand(Demand::Arithmetic(Box::new(demand)), span);
        (Kind::Prim(prim, args), result)
    }

    fn logic(
        &mut self,
        op: BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> (Kind, Type) {
        let left = Box::new(self.check(left, &Type::Bool, &Why::Condition));
        let right = Box::new(self.check(right, &Type::Bool, &Why::Condition));
        let constant = |value| Box::new(Expr { kind: Kind::Bool(value), ty: Type::Bool, span });
        let kind = if op == BinaryOp::And {
            Kind::If(left, right, constant(false))
        } else {
            Kind::If(left, constant(true), right)
        };
        (kind, Type::Bool)
    }

    fn equality(
        &mut self,
        op: BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> (Kind, Type) {
        let left_expr = Box::new(self.expr(left, None));
        let right_expr = Box::new(self.expr(right, Some(&left_expr.ty)));
        // Sizes that only running the program can tell may differ: then the values do, too.
        let left_ty = self.c.solver.forget_opaque(&left_expr.ty);
        let right_ty = self.c.solver.forget_opaque(&right_expr.ty);
        self.expect(&left_ty, &right_ty, right.span, &Why::Operand(left.span));
        self.c.demand(Demand::Comparable(left_expr.ty.clone()), left.span);
        if op == BinaryOp::Close {
            return (Kind::Close(left_expr, right_expr), Type::Bool);
        }
        let equal = Kind::Equal(left_expr, right_expr);
        if op == BinaryOp::Ne {
            let equal = Expr { kind: equal, ty: Type::Bool, span };
            return (Kind::Prim(Prim::Not, vec![equal]), Type::Bool);
        }
        (equal, Type::Bool)
    }
}
