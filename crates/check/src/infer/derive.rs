//! Derivative operators: the type of the derivative follows from the type of the function.

use base::Span;
use ir::Operator;
use syntax::ast::{self, ExprKind as E};

use crate::builtin::Builtin;
use crate::error::{DerivativeError, FunctionError, OperandError, Why};
use crate::infer::Infer;
use crate::infer::constraint::Demand;
use crate::infer::expr::without_parens;
use crate::typed::{Expr, Kind};
use crate::types::Type;

impl Infer<'_> {
    /// `grad(f)` and its like: the type of the derivative follows from the type of `f`.
    pub(super) fn derive(
        &mut self,
        operator: Operator,
        args: &[ast::Expr],
        span: Span,
    ) -> (Kind, Type) {
        let name = Builtin::Derive(operator).name();
        let [function] = args else {
            args.iter().for_each(|it| drop(self.expr(it, None)));
            let args = args.iter().map(|it| it.span).collect();
            self.report(DerivativeError::Arguments { operator: name, span, args });
            return (Kind::Error, Type::Error);
        };
        let f = self.expr(function, None);
        self.derive_typed(operator, f)
    }

    /// `grad(\x => ...)` about to be called: the operator and the lambda.
    pub(super) fn derivative_call(&self, function: &ast::Expr) -> Option<(Operator, ast::Expr)> {
        let E::Call { function, args } = &function.kind else { return None };
        let (E::Name(name), [f]) = (&function.kind, args.as_slice()) else { return None };
        let hidden = self.lookup(name).is_some() || self.globals.contains_key(name);
        match self.builtin(name) {
            Some(Builtin::Derive(operator)) if !hidden => Some((operator, self.written(f)?)),
            _ => None,
        }
    }

    /// `grad(\x => ...)(x)`: the argument first, so that the lambda knows its parameters.
    pub(super) fn call_derivative(
        &mut self,
        operator: Operator,
        f: &ast::Expr,
        f_span: Span,
        args: &[ast::Expr],
        span: Span,
    ) -> (Kind, Type) {
        let args: Vec<Expr> = args.iter().map(|it| self.expr(it, None)).collect();
        self.c.retry();
        let n_params = match self.open_arity(f) {
            Some(it) => it,
            None => lambda_arity(f),
        };
        let mut hints: Vec<Type> = args.iter().map(|it| it.ty.clone()).collect();
        if let Operator::Jvp | Operator::Hvp = operator {
            hints.truncate(1);
            if n_params != 1
                && let Some(Type::Tuple(parts)) = hints.first().map(|it| self.head(it))
            {
                hints = parts;
            }
        }
        let hint = (hints.len() == n_params).then(|| Type::function(hints, self.fresh()));
        let (n_locals, n_sizes) = (self.locals.len(), self.c.solver.n_rigids());
        let f = self.expr(f, hint.as_ref());
        let f = self.opened(f, n_locals, n_sizes, span);
        let (kind, ty) = self.derive_typed(operator, f);
        let callee = Expr { kind, ty, span: f_span };
        let callee = self.without_direction(callee, args.len());
        let Type::Function(params, result) = self.head(&callee.ty) else {
            return (Kind::Error, Type::Error);
        };
        let name = format!("{}(...)", Builtin::Derive(operator).name());
        if params.len() != args.len() {
            self.report(FunctionError::arguments(&name, span, params.len(), args.len()));
            return (Kind::Error, Type::Error);
        }
        let why = Why::Argument(name, None);
        for (param, arg) in params.iter().zip(&args) {
            self.expect(param, &arg.ty, arg.span, &why);
        }
        (Kind::Apply(Box::new(callee), args), *result)
    }

    /// `jvp(f)`, called with so many arguments: with the point alone, it gives a function of the
    /// direction.
    pub(super) fn without_direction(&self, callee: Expr, n_args: usize) -> Expr {
        let Expr { kind: Kind::Derive(Operator::Jvp, f), ty, span } = callee else {
            return callee;
        };
        if n_args == 1
            && let Type::Function(params, result) = self.head(&ty)
        {
            let point = params[..1].to_vec();
            let map = Type::function(point.clone(), *result);
            return Expr { kind: Kind::TangentMap(f), ty: Type::function(point, map), span };
        }
        Expr { kind: Kind::Derive(Operator::Jvp, f), ty, span }
    }

    /// A derivative operator on a function that is typed already.
    fn derive_typed(&mut self, operator: Operator, f: Expr) -> (Kind, Type) {
        let name = Builtin::Derive(operator).name();
        self.c.retry();
        let (params, result) = match self.head(&f.ty) {
            Type::Function(params, result) => (params, *result),
            Type::Var(_) => {
                let (param, result) = (self.fresh(), self.fresh());
                self.expect(
                    &f.ty,
                    &Type::function(vec![param.clone()], result.clone()),
                    f.span,
                    &Why::Argument(name.into(), None),
                );
                (vec![param], result)
            }
            other @ (Type::Real
            | Type::Int
            | Type::Bool
            | Type::String
            | Type::Tuple(_)
            | Type::Array(..)
            | Type::Named(..)
            | Type::Param(_)
            | Type::Error) => return self.refuse_callee(&other, f.span),
        };
        if params.is_empty() {
            self.report(DerivativeError::NoParameters { operator: name, span: f.span });
            return (Kind::Error, Type::Error);
        }
        let ty = self.derivative_type(operator, name, params, result, f.span);
        (Kind::Derive(operator, Box::new(f)), ty)
    }

    pub(super) fn derivative_type(
        &mut self,
        operator: Operator,
        name: &'static str,
        params: Vec<Type>,
        result: Type,
        span: Span,
    ) -> Type {
        let argument = Type::pack(params.clone());
        self.c.demand(Demand::Differentiable(argument.clone()), span);
        self.c.demand(Demand::Differentiable(result.clone()), span);
        let scalar = match operator {
            Operator::Grad | Operator::ValueAndGrad | Operator::Hessian | Operator::Hvp => true,
            Operator::Jvp | Operator::Vjp | Operator::Jacobian | Operator::Linearise => false,
        };
        if scalar && self.c.solver.unify(&Type::Real, &result).is_err() {
            let found = self.c.solver.resolve(&result);
            let guess = params.iter().find_map(|it| self.c.solver.guess(it));
            match guess.filter(|_| found == Type::Int) {
                Some(guess) => {
                    let found = self.c.solver.resolve(&Type::function(params, found));
                    self.report(OperandError::Guessed { guess, span, found, real: Type::Real });
                }
                None => {
                    let result = found;
                    self.report(DerivativeError::NotToReal { operator: name, span, result });
                }
            }
            return Type::Error;
        }
        match operator {
            Operator::Jvp => Type::function(vec![argument.clone(), argument], result),
            Operator::Vjp => Type::function(params, Type::function(vec![result], argument)),
            Operator::Linearise => {
                let tangents = Type::function(vec![argument.clone()], result.clone());
                let cotangents = Type::function(vec![result.clone()], argument);
                Type::function(params, Type::Tuple(vec![result, tangents, cotangents]))
            }
            Operator::Grad => Type::function(params, argument),
            Operator::ValueAndGrad => {
                Type::function(params, Type::Tuple(vec![Type::Real, argument]))
            }
            Operator::Hvp => Type::function(vec![argument.clone(), argument.clone()], argument),
            Operator::Jacobian | Operator::Hessian => {
                let output = if operator == Operator::Hessian { argument.clone() } else { result };
                let ty = self.fresh();
                self.c
                    .demand(Demand::Jacobian { result: ty.clone(), output, argument, name }, span);
                Type::function(params, ty)
            }
        }
    }
}

fn lambda_arity(expr: &ast::Expr) -> usize {
    if let E::Lambda { params, .. } = &without_parens(expr).kind { params.len() } else { 0 }
}
