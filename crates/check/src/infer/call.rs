//! Calls of definitions, constructors and function values, and their arguments.

use base::{Name, Span};
use syntax::ast::{self, ExprKind as E};

use crate::each_use::decided;
use crate::error::{FunctionError, Why};
use crate::infer::Infer;
use crate::infer::constraint::Demand;
use crate::infer::expr::{innermost_span, without_parens};
use crate::scheme::{Instantiated, Scheme};
use crate::sight::last_part;
use crate::typed::{Expr, Instance, Kind, SizeArg};
use crate::types::{Type, shown_name};

impl Infer<'_> {
    /// A definition at one use. If it comes with derivatives of its own, its type parameters stand for
    /// no functions: the derivatives would lose what those capture.
    pub(super) fn instantiate(&mut self, def: &Name, scheme: &Scheme, span: Span) -> Instantiated {
        let res = scheme.instantiate(&mut self.c.solver, span);
        if self.c.with_customs.contains(def) {
            res.types.iter().for_each(|it| self.c.demand(Demand::Differentiable(it.clone()), span));
        }
        self.needs.by_use(def, &res.types);
        res
    }

    pub(crate) fn call(
        &mut self,
        function: &ast::Expr,
        args: &[ast::Expr],
        span: Span,
    ) -> (Kind, Type) {
        if let Some(name) = self.global_name(function) {
            if let Some(def) = self.globals.get(&name).cloned() {
                if self.c.schemes.contains_key(&def) {
                    return self.call_def(&name, &def, args, span);
                }
            } else if last_part(&name).starts_with(char::is_uppercase) {
                if let Some((con, owner, fields)) = self.constructor(&name) {
                    let args = self.arguments(&name, &fields, args, span);
                    return (Kind::CallCon(con, args), owner);
                }
            } else if let Some(builtin) = self.builtin(&name) {
                return self.call_builtin(builtin, args, span);
            }
        }
        if let Some((operator, f)) = self.derivative_call(function) {
            return self.call_derivative(operator, &f, function.span, args, span);
        }
        self.call_value(function, args, span)
    }

    fn call_value(&mut self, function: &ast::Expr, args: &[ast::Expr], span: Span) -> (Kind, Type) {
        let callee = self.expr(function, None);
        let callee = self.without_direction(callee, args.len());
        let ty = self.head(&callee.ty);
        if let Type::Function(params, result) = ty {
            let params = self.taken(&callee, params);
            let args = self.arguments(&describe(function), &params, args, span);
            return (Kind::Apply(Box::new(callee), args), *result);
        }
        let args: Vec<Expr> = args.iter().map(|it| self.expr(it, None)).collect();
        if let Type::Var(_) = ty {
            let result = self.fresh();
            let wanted =
                Type::function(args.iter().map(|it| it.ty.clone()).collect(), result.clone());
            self.expect(
                &callee.ty,
                &wanted,
                function.span,
                &Why::Argument(describe(function), None),
            );
            return (Kind::Apply(Box::new(callee), args), result);
        }
        self.refuse_callee(&ty, function.span)
    }

    /// Something that is not a function is called, or differentiated.
    pub(crate) fn refuse_callee(&mut self, ty: &Type, span: Span) -> (Kind, Type) {
        if *ty != Type::Error {
            let ty = self.c.solver.resolve(ty);
            self.report(FunctionError::NotAFunction { span, ty });
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
        let ready = args.iter().map(|_| None).collect();
        self.arguments_with(name, (params, &[]), (args, ready), span, &mut |_, _| {})
    }

    fn arguments_with(
        &mut self,
        name: &str,
        (params, declared): (&[Type], &[Span]),
        (args, mut res): (&[ast::Expr], Vec<Option<Expr>>),
        span: Span,
        before_lambdas: &mut dyn FnMut(&mut Self, &[Option<Expr>]),
    ) -> Vec<Expr> {
        if params.len() != args.len() {
            self.report(FunctionError::arguments(name, span, params.len(), args.len()));
        }
        let why =
            |position: usize| Why::Argument(name.to_string(), declared.get(position).copied());
        let wanted = |position: usize| params.get(position).cloned().unwrap_or(Type::Error);
        let is_late: Vec<bool> = args.iter().map(|it| is_lambda(it) || self.is_open(it)).collect();
        for (position, arg) in args.iter().enumerate() {
            if let Some(it) = &res[position] {
                let found = it.ty.clone();
                self.expect(&wanted(position), &found, innermost_span(arg), &why(position));
            } else if !is_late[position] {
                res[position] = Some(self.check(arg, &wanted(position), &why(position)));
            }
        }
        before_lambdas(self, &res);
        self.c.retry();
        for (position, arg) in args.iter().enumerate() {
            if res[position].is_none() {
                res[position] = Some(self.check(arg, &wanted(position), &why(position)));
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
        let (def, ready) = self.decided_by(def, args);
        let scheme = self.c.schemes[&def].clone();
        let it = self.instantiate(&def, &scheme, span);
        if scheme.params.is_none() {
            return self.call_constant(&def, it, args, span);
        }
        let (args, sizes) = self.dependent_arguments(name, &it, (args, ready), span);
        let defines = sizes
            .iter()
            .filter_map(|(position, it)| Some((*position, it.defines.clone()?)))
            .collect();
        let mut all_sizes = it.sizes;
        all_sizes.extend(it.dependent.into_iter().map(|(_, size)| size));
        let instance = Instance { def, types: it.types, sizes: all_sizes, opaque: it.opaque };
        (Kind::CallDef(instance, args, defines), it.result)
    }

    /// The definition that a call means, and the arguments that had to be inferred to tell.
    fn decided_by(&mut self, def: &Name, args: &[ast::Expr]) -> (Name, Vec<Option<Expr>>) {
        let mut ready: Vec<Option<Expr>> = args.iter().map(|_| None).collect();
        let Some(params) = self.c.each_use.params(def).map(<[usize]>::to_vec) else {
            return (def.clone(), ready);
        };
        for at in params {
            if let Some(arg) = args.get(at).filter(|it| !is_lambda(it)) {
                ready[at] = Some(self.expr(arg, None));
            }
        }
        self.c.retry();
        let types: Vec<Option<Type>> =
            ready.iter().map(|it| it.as_ref().map(|it| it.ty.clone())).collect();
        (decided(self.c, def, &types), ready)
    }

    /// Whether an expression is the name of a definition that each use decides.
    pub(super) fn is_open(&self, expr: &ast::Expr) -> bool {
        self.open_arity(expr).is_some()
    }

    /// How many parameters such a definition has.
    pub(super) fn open_arity(&self, expr: &ast::Expr) -> Option<usize> {
        let def = self.globals.get(&self.global_name(without_parens(expr))?)?;
        self.c.each_use.params(def)?;
        self.c.schemes.get(def)?.params.as_ref().map(Vec::len)
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
            let ty = self.c.solver.resolve(&it.result);
            self.report(FunctionError::NotAFunction { span, ty });
            return (Kind::Error, Type::Error);
        };
        let args = self.arguments(shown_name(def), &params, args, span);
        (Kind::Apply(Box::new(callee), args), *result)
    }

    /// Arguments, those that are sizes among them put in the place of the unknowns that stand for them.
    pub(crate) fn dependent_arguments(
        &mut self,
        name: &str,
        it: &Instantiated,
        args: (&[ast::Expr], Vec<Option<Expr>>),
        span: Span,
    ) -> (Vec<Expr>, Vec<(usize, SizeArg)>) {
        let mut sizes: Vec<(usize, SizeArg)> = Vec::new();
        let args =
            self.arguments_with(name, (&it.params, &it.declared), args, span, &mut |this, args| {
                for (position, unknown) in &it.dependent {
                    if let Some(Some(arg)) = args.get(*position) {
                        let size = this.size_arg(arg.clone());
                        this.expect_size(
                            unknown,
                            &size.size,
                            arg.span,
                            &Why::Argument(name.to_string(), None),
                        );
                        sizes.push((*position, size));
                    }
                }
            });
        (args, sizes)
    }
}

pub(crate) fn is_lambda(expr: &ast::Expr) -> bool {
    matches!(without_parens(expr).kind, E::Lambda { .. })
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
