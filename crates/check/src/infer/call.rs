//! Calls: of definitions, constructors, builtins, derivative operators and function values.

use base::{Name, Span};
use ir::{Operator, Prim};
use syntax::ast::{self, ExprKind as E};

use crate::builtin::{Builtin, Shape, shape};
use crate::error::{Error, Why};
use crate::infer::Infer;
use crate::infer::constraint::{Demand, Leaves};
use crate::infer::expr::without_parens;
use crate::scheme::Instantiated;
use crate::typed::{Expr, Instance, Kind, SizeArg};
use crate::types::{Size, Type, shown_name};

impl Infer<'_> {
    pub(crate) fn call(
        &mut self,
        function: &ast::Expr,
        args: &[ast::Expr],
        span: Span,
    ) -> (Kind, Type) {
        if let E::Name(name) = &function.kind
            && self.lookup(name).is_none()
        {
            if let Some(def) = self.globals.get(name).cloned() {
                if self.c.schemes.contains_key(&def) {
                    return self.call_def(name, &def, args, span);
                }
            } else if name.starts_with(char::is_uppercase) {
                if let Some((con, owner, fields)) = self.constructor(name) {
                    let args = self.arguments(name, &fields, args, span);
                    return (Kind::CallCon(con, args), owner);
                }
            } else if let Some(builtin) = Builtin::from_name(name) {
                return self.call_builtin(builtin, args, span);
            }
        }
        if let Some((operator, f)) = self.derivative_call(function) {
            return self.call_derivative(operator, f, function.span, args, span);
        }
        self.call_value(function, args, span)
    }

    fn call_value(&mut self, function: &ast::Expr, args: &[ast::Expr], span: Span) -> (Kind, Type) {
        let callee = self.expr(function, None);
        let ty = self.head(&callee.ty);
        if let Type::Function(params, result) = ty {
            let args = self.arguments(&describe(function), &params, args, span);
            return (Kind::Apply(Box::new(callee), args), *result);
        }
        let args: Vec<Expr> = args.iter().map(|it| self.expr(it, None)).collect();
        if let Type::Var(_) = ty {
            let result = self.fresh();
            let wanted =
                Type::function(args.iter().map(|it| it.ty.clone()).collect(), result.clone());
            self.expect(&callee.ty, &wanted, function.span, &Why::Argument(describe(function)));
            return (Kind::Apply(Box::new(callee), args), result);
        }
        self.refuse_callee(&ty, function.span)
    }

    /// Something that is not a function is called, or differentiated.
    fn refuse_callee(&mut self, ty: &Type, span: Span) -> (Kind, Type) {
        if *ty != Type::Error {
            let ty = self.c.solver.resolve(ty);
            self.report(Error::not_a_function(span, &ty));
        }
        (Kind::Error, Type::Error)
    }

    /// Arguments against parameter types: lambdas last, when their parameters may be known.
    pub(crate) fn arguments(
        &mut self,
        name: &str,
        params: &[Type],
        args: &[ast::Expr],
        span: Span,
    ) -> Vec<Expr> {
        self.arguments_with(name, params, args, span, &mut |_, _| {})
    }

    fn arguments_with(
        &mut self,
        name: &str,
        params: &[Type],
        args: &[ast::Expr],
        span: Span,
        before_lambdas: &mut dyn FnMut(&mut Self, &[Option<Expr>]),
    ) -> Vec<Expr> {
        if params.len() != args.len() {
            self.report(Error::arguments(name, span, params.len(), args.len()));
        }
        let why = Why::Argument(name.to_string());
        let mut res: Vec<Option<Expr>> = args.iter().map(|_| None).collect();
        let wanted = |position: usize| params.get(position).cloned().unwrap_or(Type::Error);
        for (position, arg) in args.iter().enumerate() {
            if !is_lambda(arg) {
                res[position] = Some(self.check(arg, &wanted(position), &why));
            }
        }
        before_lambdas(self, &res);
        self.c.retry();
        for (position, arg) in args.iter().enumerate() {
            if is_lambda(arg) {
                res[position] = Some(self.check(arg, &wanted(position), &why));
            }
        }
        res.into_iter().flatten().collect()
    }

    fn call_def(
        &mut self,
        name: &Name,
        def: &Name,
        args: &[ast::Expr],
        span: Span,
    ) -> (Kind, Type) {
        let scheme = self.c.schemes[def].clone();
        let it = scheme.instantiate(&mut self.c.solver, span);
        if scheme.params.is_none() {
            return self.call_constant(def, it, args, span);
        }
        let (args, sizes) = self.dependent_arguments(name, &it, args, span);
        let defines = sizes
            .iter()
            .filter_map(|(position, it)| Some((*position, it.defines.clone()?)))
            .collect();
        let mut all_sizes = it.sizes;
        all_sizes.extend(it.dependent.into_iter().map(|(_, size)| size));
        let instance =
            Instance { def: def.clone(), types: it.types, sizes: all_sizes, opaque: it.opaque };
        (Kind::CallDef(instance, args, defines), it.result)
    }

    /// A constant that is a function: `def f = \x => ...`.
    fn call_constant(
        &mut self,
        def: &Name,
        it: Instantiated,
        args: &[ast::Expr],
        span: Span,
    ) -> (Kind, Type) {
        let instance =
            Instance { def: def.clone(), types: it.types, sizes: it.sizes, opaque: it.opaque };
        let callee = Expr {
            kind: Kind::CallDef(instance, Vec::new(), Vec::new()),
            ty: it.result.clone(),
            span,
        };
        let Type::Function(params, result) = self.head(&it.result) else {
            let found = self.c.solver.resolve(&it.result);
            self.report(Error::not_a_function(span, &found));
            return (Kind::Error, Type::Error);
        };
        let args = self.arguments(shown_name(def), &params, args, span);
        (Kind::Apply(Box::new(callee), args), *result)
    }

    /// Arguments, those that are sizes among them put in the place of the unknowns that stand for them.
    fn dependent_arguments(
        &mut self,
        name: &str,
        it: &Instantiated,
        args: &[ast::Expr],
        span: Span,
    ) -> (Vec<Expr>, Vec<(usize, SizeArg)>) {
        let mut sizes: Vec<(usize, SizeArg)> = Vec::new();
        let args = self.arguments_with(name, &it.params, args, span, &mut |this, args| {
            for (position, unknown) in &it.dependent {
                if let Some(Some(arg)) = args.get(*position) {
                    let size = this.size_arg(arg.clone());
                    this.expect_size(
                        unknown,
                        &size.size,
                        arg.span,
                        &Why::Argument(name.to_string()),
                    );
                    sizes.push((*position, size));
                }
            }
        });
        (args, sizes)
    }

    fn call_builtin(&mut self, builtin: Builtin, args: &[ast::Expr], span: Span) -> (Kind, Type) {
        match builtin {
            Builtin::Prim(prim) => self.call_prim(prim, args, span),
            Builtin::Derive(operator) => self.derive(operator, args, span),
            Builtin::Map => self.call_map(args, span),
            Builtin::Zip => self.call_zip(args, span),
            Builtin::Unzip => self.call_unzip(args, span),
            Builtin::Reshape => self.call_reshape(args, span),
            Builtin::Reduce(_)
            | Builtin::Argmax
            | Builtin::Argmin
            | Builtin::Gather
            | Builtin::Scatter
            | Builtin::Replicate
            | Builtin::Iota
            | Builtin::Transpose
            | Builtin::Flatten
            | Builtin::Reverse
            | Builtin::Concat
            | Builtin::Fold
            | Builtin::Scan
            | Builtin::Iterate
            | Builtin::While
            | Builtin::Filter
            | Builtin::Sort
            | Builtin::Argsort
            | Builtin::Length
            | Builtin::Sized
            | Builtin::StopGradient => self.call_intrinsic(builtin, args, span),
        }
    }

    fn call_intrinsic(&mut self, builtin: Builtin, args: &[ast::Expr], span: Span) -> (Kind, Type) {
        let name = builtin.name();
        let scheme = self.c.intrinsics[&Name::new(name)].clone();
        let it = scheme.instantiate(&mut self.c.solver, span);
        self.demand_classes(
            &scheme.types,
            &it.types,
            name,
            args.first().map_or(span, |it| it.span),
        );
        let (args, sizes) = self.dependent_arguments(name, &it, args, span);
        if builtin == Builtin::Length
            && let Some(Type::Array(size, _)) = args.first().map(|it| self.head(&it.ty))
            && matches!(args[0].kind, Kind::Local(_))
        {
            return (Kind::Size(size), Type::Int);
        }
        let sizes = sizes.into_iter().map(|(_, it)| it).collect();
        let opaque = it.opaque.first().cloned();
        (Kind::CallBuiltin { builtin, args, sizes, opaque }, it.result)
    }

    /// The type variables `number`, `reals` and `scalar` of `intrinsics.cot` stand for those only.
    fn demand_classes(
        &mut self,
        names: &[Name],
        types: &[Type],
        function: &'static str,
        span: Span,
    ) {
        for (name, ty) in names.iter().zip(types) {
            match name.as_str() {
                "number" => self.c.demand(Demand::Number(ty.clone(), function), span),
                "reals" => self.c.demand(Demand::Reals(ty.clone(), function), span),
                "scalar" => self.c.demand(Demand::Scalar(ty.clone(), function), span),
                _ => {}
            }
        }
    }

    fn call_prim(&mut self, prim: Prim, args: &[ast::Expr], span: Span) -> (Kind, Type) {
        let builtin = Builtin::Prim(prim);
        let name = builtin.name();
        let arity = match shape(prim) {
            Shape::Reals | Shape::Numbers | Shape::Convert(..) => 1,
            Shape::Arithmetic | Shape::RealArithmetic => 2,
            Shape::Select => 3,
            Shape::Scheme => {
                let (kind, ty) = self.call_intrinsic(builtin, args, span);
                let Kind::CallBuiltin { args, .. } = kind else { return (kind, ty) };
                return (Kind::Prim(prim, args), ty);
            }
        };
        if args.len() != arity {
            args.iter().for_each(|it| drop(self.expr(it, None)));
            self.report(Error::arguments(name, span, arity, args.len()));
            return (Kind::Error, Type::Error);
        }
        let args: Vec<Expr> = args.iter().map(|it| self.expr(it, None)).collect();
        self.prim(prim, args, span)
    }

    /// A primitive on operands that are typed already.
    fn prim(&mut self, prim: Prim, args: Vec<Expr>, span: Span) -> (Kind, Type) {
        let name = Builtin::Prim(prim).name();
        let ty = args[0].ty.clone();
        let at = args[0].span;
        match shape(prim) {
            Shape::Reals | Shape::Scheme => {
                self.c.demand(Demand::Reals(ty.clone(), name), at);
                (Kind::Prim(prim, args), ty)
            }
            Shape::Numbers => {
                self.c.demand(Demand::Number(ty.clone(), name), at);
                (Kind::Prim(prim, args), ty)
            }
            Shape::Arithmetic => self.arithmetic(prim, name, args, Leaves::Same, span),
            Shape::RealArithmetic => self.arithmetic(prim, name, args, Leaves::Real, span),
            Shape::Convert(from, into) => {
                let to = self.fresh();
                let leaf = (from.clone(), into.clone());
                self.c.demand(Demand::Convert { from: ty, to: to.clone(), leaf, name }, at);
                (Kind::Prim(prim, args), to)
            }
            Shape::Select => {
                let mut args = args;
                let mask = args.remove(0);
                let (kind, result) = self.arithmetic(prim, name, args, Leaves::Same, span);
                self.c
                    .demand(Demand::Mask { mask: mask.ty.clone(), of: result.clone() }, mask.span);
                let Kind::Prim(prim, mut args) = kind else { return (kind, result) };
                args.insert(0, mask);
                (Kind::Prim(prim, args), result)
            }
        }
    }

    fn call_map(&mut self, args: &[ast::Expr], span: Span) -> (Kind, Type) {
        if args.len() < 2 {
            args.iter().for_each(|it| drop(self.expr(it, None)));
            self.report(Error::arguments("map", span, 2, args.len()));
            return (Kind::Error, Type::Error);
        }
        let (size, result) = (self.c.solver.fresh_size(), self.fresh());
        let elems: Vec<Type> = args[1..].iter().map(|_| self.fresh()).collect();
        let mut params = vec![Type::function(elems.clone(), result.clone())];
        params.extend(elems.into_iter().map(|it| Type::array(size.clone(), it)));
        let args = self.arguments("map", &params, args, span);
        let kind =
            Kind::CallBuiltin { builtin: Builtin::Map, args, sizes: Vec::new(), opaque: None };
        (kind, Type::array(size, result))
    }

    fn call_zip(&mut self, args: &[ast::Expr], span: Span) -> (Kind, Type) {
        if args.len() < 2 {
            args.iter().for_each(|it| drop(self.expr(it, None)));
            self.report(Error::arguments("zip", span, 2, args.len()));
            return (Kind::Error, Type::Error);
        }
        let size = self.c.solver.fresh_size();
        let elems: Vec<Type> = args.iter().map(|_| self.fresh()).collect();
        let params: Vec<Type> =
            elems.iter().map(|it| Type::array(size.clone(), it.clone())).collect();
        let args = self.arguments("zip", &params, args, span);
        let kind =
            Kind::CallBuiltin { builtin: Builtin::Zip, args, sizes: Vec::new(), opaque: None };
        (kind, Type::array(size, Type::Tuple(elems)))
    }

    /// As many arrays as the tuples have parts; pairs if nothing is known of them.
    fn call_unzip(&mut self, args: &[ast::Expr], span: Span) -> (Kind, Type) {
        let [arg] = args else {
            args.iter().for_each(|it| drop(self.expr(it, None)));
            self.report(Error::arguments("unzip", span, 1, args.len()));
            return (Kind::Error, Type::Error);
        };
        let arg = self.expr(arg, None);
        self.c.retry();
        let elem = self.head(&arg.ty).into_element().map(|it| self.head(&it));
        let arity = if let Some(Type::Tuple(parts)) = elem { parts.len() } else { 2 };
        let size = self.c.solver.fresh_size();
        let elems: Vec<Type> = (0..arity).map(|_| self.fresh()).collect();
        let wanted = Type::array(size.clone(), Type::Tuple(elems.clone()));
        self.expect(&wanted, &arg.ty, arg.span, &Why::Argument("unzip".into()));
        let ty = Type::Tuple(elems.into_iter().map(|it| Type::array(size.clone(), it)).collect());
        (
            Kind::CallBuiltin {
                builtin: Builtin::Unzip,
                args: vec![arg],
                sizes: Vec::new(),
                opaque: None,
            },
            ty,
        )
    }

    fn call_reshape(&mut self, args: &[ast::Expr], span: Span) -> (Kind, Type) {
        let Some((array, sizes)) = args.split_first().filter(|(_, rest)| !rest.is_empty()) else {
            args.iter().for_each(|it| drop(self.expr(it, None)));
            self.report(Error::arguments("reshape", span, 2, args.len()));
            return (Kind::Error, Type::Error);
        };
        let array = self.expr(array, None);
        let mut size_args = Vec::new();
        for size in sizes {
            let size = self.check(size, &Type::Int, &Why::Argument("reshape".into()));
            size_args.push(self.size_arg(size));
        }
        let elem = self.fresh();
        let count = size_args.iter().fold(Size::constant(1), |product, it| product.mul(&it.size));
        self.c.demand(Demand::Reshape { array: array.ty.clone(), elem: elem.clone(), count }, span);
        let ty = size_args.iter().rev().fold(elem, |ty, it| Type::array(it.size.clone(), ty));
        let builtin = Builtin::Reshape;
        (Kind::CallBuiltin { builtin, args: vec![array], sizes: size_args, opaque: None }, ty)
    }

    /// `grad(f)` and its like: the type of the derivative follows from the type of `f`.
    fn derive(&mut self, operator: Operator, args: &[ast::Expr], span: Span) -> (Kind, Type) {
        let name = Builtin::Derive(operator).name();
        let [function] = args else {
            args.iter().for_each(|it| drop(self.expr(it, None)));
            self.report(Error::operator_arguments(name, span, args.len()));
            return (Kind::Error, Type::Error);
        };
        let f = self.expr(function, None);
        self.derive_typed(operator, f)
    }

    /// `grad(\x => ...)` about to be called: the operator and the lambda.
    fn derivative_call<'e>(&self, function: &'e ast::Expr) -> Option<(Operator, &'e ast::Expr)> {
        let E::Call { function, args } = &function.kind else { return None };
        let (E::Name(name), [f]) = (&function.kind, args.as_slice()) else { return None };
        let hidden = self.lookup(name).is_some() || self.globals.contains_key(name);
        match Builtin::from_name(name) {
            Some(Builtin::Derive(operator)) if !hidden && is_lambda(f) => Some((operator, f)),
            _ => None,
        }
    }

    /// `grad(\x => ...)(x)`: the argument first, so that the lambda knows its parameters.
    fn call_derivative(
        &mut self,
        operator: Operator,
        f: &ast::Expr,
        f_span: Span,
        args: &[ast::Expr],
        span: Span,
    ) -> (Kind, Type) {
        let args: Vec<Expr> = args.iter().map(|it| self.expr(it, None)).collect();
        self.c.retry();
        let n_params = lambda_arity(f);
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
        let f = self.expr(f, hint.as_ref());
        let (kind, ty) = self.derive_typed(operator, f);
        let callee = Expr { kind, ty, span: f_span };
        let Type::Function(params, result) = self.head(&callee.ty) else {
            return (Kind::Error, Type::Error);
        };
        let name = format!("{}(...)", Builtin::Derive(operator).name());
        if params.len() != args.len() {
            self.report(Error::arguments(&name, span, params.len(), args.len()));
            return (Kind::Error, Type::Error);
        }
        let why = Why::Argument(name);
        for (param, arg) in params.iter().zip(&args) {
            self.expect(param, &arg.ty, arg.span, &why);
        }
        (Kind::Apply(Box::new(callee), args), *result)
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
                    &Why::Argument(name.into()),
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
            self.report(Error::no_parameters(name, f.span));
            return (Kind::Error, Type::Error);
        }
        let ty = self.derivative_type(operator, name, params, result, f.span);
        (Kind::Derive(operator, Box::new(f)), ty)
    }

    fn derivative_type(
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
            Operator::Jvp | Operator::Vjp | Operator::Jacobian => false,
        };
        if scalar && self.c.solver.unify(&Type::Real, &result).is_err() {
            let found = self.c.solver.resolve(&result);
            self.report(Error::not_to_real(name, span, &found));
            return Type::Error;
        }
        match operator {
            Operator::Jvp => Type::function(vec![argument.clone(), argument], result),
            Operator::Vjp => Type::function(params, Type::function(vec![result], argument)),
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

    /// A builtin as a value: a function of its usual number of parameters.
    pub(crate) fn builtin_value(&mut self, builtin: Builtin, span: Span) -> (Kind, Type) {
        match builtin {
            Builtin::Prim(prim) if shape(prim) == Shape::Scheme => {
                self.intrinsic_value(builtin, span)
            }
            Builtin::Prim(prim) => {
                let arity = match shape(prim) {
                    Shape::Reals | Shape::Numbers | Shape::Convert(..) | Shape::Scheme => 1,
                    Shape::Arithmetic | Shape::RealArithmetic => 2,
                    Shape::Select => 3,
                };
                let types: Vec<Type> = (0..arity).map(|_| self.fresh()).collect();
                let args = types
                    .iter()
                    .map(|ty| Expr { kind: Kind::Error, ty: ty.clone(), span })
                    .collect();
                let (_, result) = self.prim(prim, args, span);
                (Kind::Builtin(builtin), Type::function(types, result))
            }
            Builtin::Derive(operator) => {
                let (param, result) = (self.fresh(), self.fresh());
                let f = Type::function(vec![param.clone()], result.clone());
                let ty = self.derivative_type(operator, builtin.name(), vec![param], result, span);
                (Kind::Builtin(builtin), Type::function(vec![f], ty))
            }
            Builtin::Map | Builtin::Zip | Builtin::Reshape => {
                self.report(Error::call_directly(builtin.name(), span));
                (Kind::Error, Type::Error)
            }
            Builtin::Unzip
            | Builtin::Reduce(_)
            | Builtin::Argmax
            | Builtin::Argmin
            | Builtin::Gather
            | Builtin::Scatter
            | Builtin::Replicate
            | Builtin::Iota
            | Builtin::Transpose
            | Builtin::Flatten
            | Builtin::Reverse
            | Builtin::Concat
            | Builtin::Fold
            | Builtin::Scan
            | Builtin::Iterate
            | Builtin::While
            | Builtin::Filter
            | Builtin::Sort
            | Builtin::Argsort
            | Builtin::Length
            | Builtin::Sized
            | Builtin::StopGradient => self.intrinsic_value(builtin, span),
        }
    }

    fn intrinsic_value(&mut self, builtin: Builtin, span: Span) -> (Kind, Type) {
        let scheme = self.c.intrinsics[&Name::new(builtin.name())].clone();
        let it = scheme.instantiate(&mut self.c.solver, span);
        if !it.dependent.is_empty() || !it.opaque.is_empty() {
            self.report(Error::size_by_argument(&Name::new(builtin.name()), span));
            return (Kind::Error, Type::Error);
        }
        self.demand_classes(&scheme.types, &it.types, builtin.name(), span);
        (Kind::Builtin(builtin), Type::function(it.params, it.result))
    }
}

fn is_lambda(expr: &ast::Expr) -> bool {
    matches!(without_parens(expr).kind, E::Lambda { .. })
}

fn lambda_arity(expr: &ast::Expr) -> usize {
    if let E::Lambda { params, .. } = &without_parens(expr).kind { params.len() } else { 0 }
}

/// What to call a function in messages.
fn describe(function: &ast::Expr) -> String {
    let function = without_parens(function);
    if let E::Name(name) = &function.kind {
        name.to_string()
    } else if let E::Call { function, .. } = &function.kind {
        format!("{}(...)", describe(function))
    } else {
        "this function".to_string()
    }
}
