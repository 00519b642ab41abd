//! Calls of definitions and function values, and functions as values.

use base::Name;
use ir::{Atom, DeriveOp, FunctionOp, Op, Operator};

use crate::builtin::Builtin;
use crate::elaborate::builtin::{Arg, takes_function};
use crate::elaborate::linearise::Wanted;
use crate::elaborate::{Elaborate, size_of};
use crate::error::SizeError;
use crate::typed::{Expr, Instance, Kind, Pattern};
use crate::types::{Type, rigid_size};

/// Something that can be called with operands.
pub(super) enum Callable<'t> {
    /// A function written in place.
    Inline(&'t [Pattern], &'t Expr),
    /// A definition.
    Def(&'t Instance),
    /// A constructor and the type it makes.
    Con(Name, ir::Type),
    /// A builtin.
    Builtin(Builtin),
    /// A derivative operator on a function value.
    Derive(Operator, Atom),
    /// A function value.
    Value(Atom),
}

impl Elaborate<'_> {
    pub(super) fn call_def(&mut self, instance: &Instance, mut args: Vec<Atom>) -> Atom {
        let scheme = &self.c.schemes[&instance.def];
        // A call inside the group of the definition uses its own parameters.
        let own = instance.types.is_empty() && instance.sizes.is_empty();
        let types: Vec<Type> = match own {
            true => scheme.types.iter().map(|it| Type::Param(it.clone())).collect(),
            false => instance.types.clone(),
        };
        let sizes = match own {
            true => scheme.sizes.iter().map(rigid_size).collect(),
            false => instance.sizes.clone(),
        };
        for it in &scheme.over_reals {
            let at = scheme.types.iter().position(|name| *name == it.of).expect("a parameter");
            args.push(self.over_reals(&types[at], it.n_values, &instance.def));
        }
        let types = types.iter().map(|it| self.ty(it)).collect();
        let mut sizes: Vec<ir::Size> = sizes.iter().map(|it| self.size(it)).collect();
        if own {
            let params = scheme.params.iter().flatten().zip(&args);
            sizes.extend(params.filter(|(it, _)| it.rigid.is_some()).map(|(_, arg)| size_of(arg)));
        }
        for (param, size) in scheme.sizes.iter().zip(&sizes) {
            if let Some(value) = size.as_constant().filter(|it| *it < 0) {
                let (name, def) = (param.name.clone(), instance.def.clone());
                self.errors
                    .push(SizeError::NegativeIn { span: self.span, name, def, value }.into());
                self.b.poison();
            }
        }
        // Arithmetic with what is too large cannot be undone, so a size that was solved for may be wrong.
        let is_exact = sizes.iter().all(ir::Size::is_exact);
        let def = instance.def.clone();
        let call = Op::Function(FunctionOp::Call { def, types, sizes, args });
        if !is_exact && self.errors.is_empty() && !self.b.accepts(&call) {
            self.errors.push(SizeError::TooLarge(self.span).into());
            self.b.poison();
        }
        let results = self.b.emit(call);
        for (rigid, atom) in instance.opaque.iter().zip(&results) {
            self.rigids.insert(rigid.id, size_of(atom));
        }
        results.into_iter().next_back().expect("a call has a result")
    }

    /// Evaluates what must be evaluated before a function is called, perhaps many times.
    pub(super) fn prepare<'t>(&mut self, function: &'t Expr) -> Callable<'t> {
        match &function.kind {
            Kind::Lambda(patterns, body) => Callable::Inline(patterns, body),
            Kind::Def(instance) => Callable::Def(instance),
            Kind::Con(con) => {
                let parts = self.resolve(&function.ty).into_function();
                let (_, made) = parts.expect("a constructor as a value is a function");
                Callable::Con(con.clone(), self.ty(&made))
            }
            Kind::Builtin(builtin) if !matches!(builtin, Builtin::Derive(_)) => {
                Callable::Builtin(*builtin)
            }
            Kind::Derive(operator, f) if Wanted::by(*operator).is_none() => {
                Callable::Derive(*operator, self.expr(f))
            }
            Kind::Int(_)
            | Kind::Real(_)
            | Kind::Bool(_)
            | Kind::Str(_)
            | Kind::Size(_)
            | Kind::Local(_)
            | Kind::Poly(..)
            | Kind::Builtin(_)
            | Kind::Tuple(_)
            | Kind::Array(_)
            | Kind::CallDef(..)
            | Kind::CallCon(..)
            | Kind::CallBuiltin { .. }
            | Kind::Apply(..)
            | Kind::Derive(..)
            | Kind::TangentMap(_)
            | Kind::Opened(..)
            | Kind::Proj(..)
            | Kind::Index(..)
            | Kind::IndexAxis(..)
            | Kind::Slice { .. }
            | Kind::Prim(..)
            | Kind::Equal(..)
            | Kind::Close(..)
            | Kind::If(..)
            | Kind::Match(..)
            | Kind::Block(..)
            | Kind::Build(..)
            | Kind::Error => Callable::Value(self.expr(function)),
        }
    }

    pub(super) fn invoke(&mut self, function: &Callable<'_>, args: Vec<Atom>) -> Atom {
        match function {
            Callable::Inline(patterns, body) => {
                for (pattern, arg) in patterns.iter().zip(args) {
                    self.bind_pattern(pattern, arg);
                }
                self.expr(body)
            }
            Callable::Def(instance) => self.call_def(instance, args),
            Callable::Con(con, ty) => {
                self.b.one(Op::Con { ty: ty.clone(), con: con.clone(), args })
            }
            Callable::Builtin(builtin) => {
                let args = args.into_iter().enumerate().map(|(position, atom)| {
                    if takes_function(*builtin, position) {
                        Arg::Function(Callable::Value(atom))
                    } else {
                        Arg::Value(atom)
                    }
                });
                let args = args.collect();
                self.builtin(*builtin, args, Vec::new(), None)
            }
            Callable::Derive(operator, f) => self.b.one(Op::Derive(DeriveOp::OfFunction {
                operator: *operator,
                level: 0,
                function: f.clone(),
                args,
            })),
            Callable::Value(f) => self.call_value(f, args),
        }
    }

    /// A definition, constructor, builtin or derivative as a value: a closure that calls it.
    pub(super) fn function_value(&mut self, expr: &Expr) -> Atom {
        let parts = self.resolve(&expr.ty).into_function();
        let (params, result) = parts.unwrap_or((Vec::new(), Type::Error));
        if let Kind::Derive(operator, f) = &expr.kind
            && let Some(wanted) = Wanted::by(*operator)
        {
            let f = self.expr(f);
            return self.linearised_value(wanted, f, &params, &result);
        }
        if let Kind::TangentMap(f) = &expr.kind {
            let f = self.expr(f);
            return self.linearised_value(Wanted::Tangents, f, &params, &result);
        }
        if let Kind::Builtin(Builtin::Derive(operator)) = expr.kind {
            return self.operator_value(operator, &params, result);
        }
        let function = self.prepare(expr);
        self.lambda(&params, |this, args| this.invoke(&function, args))
    }

    /// `\f => \x => grad(f)(x)`
    fn operator_value(&mut self, operator: Operator, params: &[Type], result: Type) -> Atom {
        let (inner, result) = result.into_function().unwrap_or((Vec::new(), Type::Error));
        self.lambda(params, |this, args| {
            let f = args.into_iter().next().expect("one parameter");
            if let Some(wanted) = Wanted::by(operator) {
                return this.linearised_value(wanted, f, &inner, &result);
            }
            this.lambda(&inner, |this, args| {
                this.b.one(Op::Derive(DeriveOp::OfFunction {
                    operator,
                    level: 0,
                    function: f,
                    args,
                }))
            })
        })
    }
}
