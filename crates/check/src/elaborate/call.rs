//! Calls of definitions and builtins, and functions as values.

use std::sync::Arc;

use base::Name;
use ir::{Atom, Lambda, Loop, Op, Operator};

use crate::builtin::Builtin;
use crate::elaborate::{Elaborate, size_of};
use crate::typed::{Expr, Instance, Kind, Pattern, SizeArg};
use crate::types::{Rigid, Type, rigid_size};

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

/// An argument of a builtin.
enum Arg<'t> {
    Value(Atom),
    Function(Callable<'t>),
}

impl Elaborate<'_> {
    pub(super) fn call_def(&mut self, instance: &Instance, args: Vec<Atom>) -> Atom {
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
        let types = types.iter().map(|it| self.ty(it)).collect();
        let mut sizes: Vec<ir::Size> = sizes.iter().map(|it| self.size(it)).collect();
        if own {
            let params = scheme.params.iter().flatten().zip(&args);
            sizes.extend(params.filter(|(it, _)| it.rigid.is_some()).map(|(_, arg)| size_of(arg)));
        }
        let results = self.b.emit(Op::Call { def: instance.def.clone(), types, sizes, args });
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
            Kind::Derive(operator, f) if *operator != Operator::Vjp => {
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
            Callable::Derive(operator, f) => {
                self.b.one(Op::Derive { operator: *operator, level: 0, function: f.clone(), args })
            }
            Callable::Value(f) => self.b.one(Op::Apply(f.clone(), args)),
        }
    }

    /// A definition, constructor, builtin or derivative as a value: a closure that calls it.
    pub(super) fn function_value(&mut self, expr: &Expr) -> Atom {
        let parts = self.resolve(&expr.ty).into_function();
        let (params, result) = parts.unwrap_or((Vec::new(), Type::Error));
        if let Kind::Derive(Operator::Vjp, f) = &expr.kind {
            let f = self.expr(f);
            return self.pullback(f, &params, &result);
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
            if operator == Operator::Vjp {
                return this.pullback(f, &inner, &result);
            }
            this.lambda(&inner, |this, args| {
                this.b.one(Op::Derive { operator, level: 0, function: f, args })
            })
        })
    }

    /// `\x => \dy => vjp(f)(x)(dy)`
    fn pullback(&mut self, f: Atom, params: &[Type], result: &Type) -> Atom {
        let (cotangents, _) = result.clone().into_function().unwrap_or((Vec::new(), Type::Error));
        self.lambda(params, |this, xs| {
            this.lambda(&cotangents, |this, dy| {
                let args = xs.into_iter().chain(dy).collect();
                this.b.one(Op::Derive { operator: Operator::Vjp, level: 0, function: f, args })
            })
        })
    }

    pub(super) fn call_builtin(
        &mut self,
        builtin: Builtin,
        args: &[Expr],
        sizes: &[SizeArg],
        opaque: Option<&Rigid>,
    ) -> Atom {
        let sizes_first = matches!(builtin, Builtin::Replicate | Builtin::Iota | Builtin::Sized);
        let mut size_values: Vec<ir::Size> = Vec::new();
        if sizes_first {
            size_values = sizes.iter().map(|it| self.size_arg(it)).collect();
        }
        let mut values = Vec::new();
        for (position, arg) in args.iter().enumerate() {
            if sizes_first && position == 0 {
                values.push(Arg::Value(Atom::Int(0)));
            } else if takes_function(builtin, position) {
                values.push(Arg::Function(self.prepare(arg)));
            } else {
                values.push(Arg::Value(self.expr(arg)));
            }
        }
        if !sizes_first {
            size_values = sizes.iter().map(|it| self.size_arg(it)).collect();
        }
        self.builtin(builtin, values, size_values, opaque)
    }

    fn builtin(
        &mut self,
        builtin: Builtin,
        args: Vec<Arg<'_>>,
        sizes: Vec<ir::Size>,
        opaque: Option<&Rigid>,
    ) -> Atom {
        let mut functions = Vec::new();
        let mut values = Vec::new();
        for arg in args {
            match arg {
                Arg::Value(atom) => values.push(atom),
                Arg::Function(function) => functions.push(function),
            }
        }
        let mut values = values.into_iter();
        let mut value = || values.next().expect("checked number of arguments");
        let mut sizes = sizes.into_iter();
        let mut size = || sizes.next().unwrap_or_else(|| ir::Size::constant(0));
        match builtin {
            Builtin::Prim(prim) => {
                let args = values.collect();
                self.b.one(Op::Prim(prim, args))
            }
            Builtin::Reduce(reduction) => {
                self.b.one(Op::Reduce { reduction, axis: 0, array: value() })
            }
            Builtin::Argmax => self.b.one(Op::Argmax(value())),
            Builtin::Argmin => self.b.one(Op::Argmin(value())),
            Builtin::Gather => self.b.one(Op::Gather { array: value(), indices: value() }),
            Builtin::Scatter => {
                self.b.one(Op::Scatter { into: value(), indices: value(), values: value() })
            }
            Builtin::Replicate => {
                let _ = value();
                self.b.one(Op::Replicate { size: size(), value: value() })
            }
            Builtin::Iota => self.b.one(Op::Iota(size())),
            Builtin::Transpose => {
                self.b.one(Op::Transpose { array: value(), permutation: vec![1, 0] })
            }
            Builtin::Flatten => {
                let array = value();
                let (dims, _) = self.b.type_of(&array).split_arrays();
                let n =
                    dims.iter().take(2).fold(ir::Size::constant(1), |product, it| product.mul(it));
                self.b.one(Op::Reshape { array, rank: 2, sizes: vec![n] })
            }
            Builtin::Reshape => {
                let array = value();
                let rank = self.b.type_of(&array).split_arrays().0.len();
                self.b.one(Op::Reshape { array, rank, sizes: sizes.collect() })
            }
            Builtin::Reverse => self.b.one(Op::Reverse(value())),
            Builtin::Concat => self.b.one(Op::Concat(values.collect())),
            Builtin::Zip => self.b.one(Op::Tuple { rank: 1, parts: values.collect() }),
            Builtin::Unzip => {
                let tuple = value();
                let ty = self.b.type_of(&tuple);
                let ir::Type::Tuple(types) = ty.split_arrays().1 else {
                    unreachable!("checked to be an array of tuples")
                };
                let part = |index| self.b.one(Op::Proj { tuple: tuple.clone(), index });
                let parts = (0..types.len()).map(part).collect();
                self.b.one(Op::Tuple { rank: 0, parts })
            }
            Builtin::Map => self.map(&functions[0], values.collect()),
            Builtin::Fold => {
                let (inits, arrays, step) = self.loop_over(&functions[0], value(), value());
                self.b.one(Op::Fold { inits, arrays, step })
            }
            Builtin::Scan => {
                let (inits, arrays, step) = self.loop_over(&functions[0], value(), value());
                self.b.one(Op::Scan { inits, arrays, step })
            }
            Builtin::Iterate => self.iterate(&functions[0], value(), value()),
            Builtin::While => self.while_loop(&functions[0], &functions[1], value()),
            Builtin::Filter => self.filter(&functions[0], value(), opaque),
            Builtin::Sort => self.b.one(Op::Sort(value())),
            Builtin::Argsort => self.b.one(Op::Argsort(value())),
            Builtin::Length => {
                let (dims, _) = self.b.type_of(&value()).split_arrays();
                self.b.one(Op::Size(dims.first().cloned().unwrap_or_else(|| ir::Size::constant(0))))
            }
            Builtin::Sized => {
                let _ = value();
                self.b.one(Op::Sized { array: value(), size: size() })
            }
            Builtin::StopGradient => self.b.one(Op::StopGradient(value())),
            Builtin::Derive(_) => unreachable!("made by function_value"),
        }
    }

    fn map(&mut self, function: &Callable<'_>, arrays: Vec<Atom>) -> Atom {
        let (dims, _) = self.b.type_of(&arrays[0]).split_arrays();
        let index = self.b.fresh(ir::Type::Int);
        self.open();
        let elems = arrays
            .into_iter()
            .map(|array| self.b.one(Op::Index { array, indices: vec![Atom::Var(index)] }))
            .collect();
        let result = self.invoke(function, elems);
        let body = self.close(vec![result]);
        self.b.one(Op::Build { sizes: vec![dims[0].clone()], indices: vec![index], body })
    }

    fn binder(&mut self, ty: ir::Type) -> ir::Binder {
        ir::Binder { var: self.b.fresh(ty.clone()), ty }
    }

    fn element_type(&self, array: &Atom) -> ir::Type {
        let ir::Type::Array(_, elem) = self.b.type_of(array) else {
            unreachable!("checked to be an array")
        };
        *elem
    }

    fn loop_over(
        &mut self,
        function: &Callable<'_>,
        init: Atom,
        array: Atom,
    ) -> (Vec<Atom>, Vec<Atom>, Loop) {
        let state = self.b.type_of(&init);
        let elem = self.element_type(&array);
        let (state, elem) = (self.binder(state), self.binder(elem));
        self.open();
        let result = self.invoke(function, vec![Atom::Var(state.var), Atom::Var(elem.var)]);
        let body = self.close(vec![result]);
        (vec![init], vec![array], Loop { state: vec![state], elems: vec![elem], body })
    }

    fn iterate(&mut self, function: &Callable<'_>, count: Atom, init: Atom) -> Atom {
        let ty = self.b.type_of(&init);
        let state = self.binder(ty);
        let index = self.b.fresh(ir::Type::Int);
        self.open();
        let result = self.invoke(function, vec![Atom::Var(state.var)]);
        let body = self.close(vec![result]);
        self.b.one(Op::Iterate { count, index, inits: vec![init], state: vec![state], body })
    }

    fn while_loop(
        &mut self,
        condition: &Callable<'_>,
        function: &Callable<'_>,
        init: Atom,
    ) -> Atom {
        let ty = self.b.type_of(&init);
        let state = self.binder(ty);
        self.open();
        let holds = self.invoke(condition, vec![Atom::Var(state.var)]);
        let cond = self.close(vec![holds]);
        self.open();
        let result = self.invoke(function, vec![Atom::Var(state.var)]);
        let body = self.close(vec![result]);
        self.b.one(Op::While { inits: vec![init], state: vec![state], cond, body })
    }

    fn filter(&mut self, function: &Callable<'_>, array: Atom, opaque: Option<&Rigid>) -> Atom {
        let elem = self.element_type(&array);
        let param = self.binder(elem);
        self.open();
        let result = self.invoke(function, vec![Atom::Var(param.var)]);
        let body = self.close(vec![result]);
        let predicate = Arc::new(Lambda { params: vec![param], body });
        let results = self.b.emit(Op::Filter { array, predicate });
        if let (Some(rigid), Some(count)) = (opaque, results.first()) {
            self.rigids.insert(rigid.id, size_of(count));
        }
        results.into_iter().next_back().expect("two results")
    }
}

/// Whether a builtin calls its argument at that position.
fn takes_function(builtin: Builtin, position: usize) -> bool {
    match builtin {
        Builtin::Map | Builtin::Fold | Builtin::Scan | Builtin::Filter => position == 0,
        Builtin::Iterate => position == 1,
        Builtin::While => position < 2,
        Builtin::Prim(_)
        | Builtin::Reduce(_)
        | Builtin::Argmax
        | Builtin::Argmin
        | Builtin::Gather
        | Builtin::Scatter
        | Builtin::Replicate
        | Builtin::Iota
        | Builtin::Transpose
        | Builtin::Flatten
        | Builtin::Reshape
        | Builtin::Reverse
        | Builtin::Concat
        | Builtin::Zip
        | Builtin::Unzip
        | Builtin::Sort
        | Builtin::Argsort
        | Builtin::Length
        | Builtin::Sized
        | Builtin::StopGradient
        | Builtin::Derive(_) => false,
    }
}
