//! Expressions, one arm per form.

use std::sync::Arc;

use ir::{ArrayOp, Atom, Block, ControlOp, DeriveOp, FunctionOp, Lambda, Literal, Op, Operator};

use crate::elaborate::opened::Opened;
use crate::elaborate::structure::by_type;
use crate::elaborate::{Elaborate, size_of};
use crate::typed::{Expr, Kind, Let, LocalId, Pattern, SizeArg};
use crate::types::{Size, Type};

impl Elaborate<'_> {
    /// Emits the statements of an expression and returns its value.
    pub(super) fn expr(&mut self, expr: &Expr) -> Atom {
        let outer = std::mem::replace(&mut self.span, expr.span);
        let before = self.b.set_span(Some(expr.span));
        let res = self.kind(expr);
        self.refuse_functions_in_arrays(&expr.ty);
        if has_blocks(&expr.kind) {
            // A size that only the inside knows must not be part of the type.
            self.ty(&expr.ty);
        }
        self.b.set_span(before);
        self.span = outer;
        res
    }

    fn kind(&mut self, expr: &Expr) -> Atom {
        match &expr.kind {
            Kind::Int(value) => Atom::Int(*value),
            Kind::Real(value) => Atom::Real(Literal(*value)),
            Kind::Bool(value) => Atom::Bool(*value),
            Kind::Str(value) => Atom::Str(value.as_str().into()),
            Kind::Size(size) => self.size_value(size),
            Kind::Local(local) => self.locals.get(local).cloned().expect("bound before use"),
            Kind::Poly(local, types, sizes) => self.poly(*local, types, sizes),
            Kind::Def(_) | Kind::Con(_) | Kind::Builtin(_) => self.function_value(expr),
            Kind::Derive(..) | Kind::TangentMap(_) => self.function_value(expr),
            Kind::Tuple(parts) => {
                let parts = self.all(parts);
                self.b.one(Op::Tuple { rank: 0, parts })
            }
            Kind::Array(parts) => {
                let ir::Type::Array(_, elem) = self.ty(&expr.ty) else {
                    unreachable!("an array literal has an array type")
                };
                let elem = (*elem).clone();
                let parts = self.all(parts);
                self.b.one(Op::Array(ArrayOp::Literal { elem, parts }))
            }
            Kind::Lambda(patterns, body) => {
                let lambda = self.written_lambda(patterns, body);
                self.b.one(Op::Function(FunctionOp::Lambda(Arc::new(lambda))))
            }
            Kind::CallDef(instance, args, defines) => {
                let mut atoms = Vec::new();
                for (position, arg) in args.iter().enumerate() {
                    let atom = self.expr(arg);
                    if let Some((_, rigid)) = defines.iter().find(|(it, _)| *it == position) {
                        self.rigids.insert(rigid.id, size_of(&atom));
                    }
                    atoms.push(atom);
                }
                self.call_def(instance, atoms)
            }
            Kind::CallCon(con, args) => {
                let args = self.all(args);
                let ty = self.ty(&expr.ty);
                self.b.one(Op::Con { ty, con: con.clone(), args })
            }
            Kind::CallBuiltin { builtin, args, .. } if by_type(*builtin) => {
                self.call_by_type(*builtin, args, &expr.ty)
            }
            Kind::CallBuiltin { builtin, args, sizes, opaque } => {
                self.call_builtin(*builtin, args, sizes, opaque.as_ref())
            }
            Kind::Apply(function, args) => self.apply(function, args),
            Kind::Proj(value, slot) => {
                let tuple = self.expr(value);
                self.b.one(Op::Proj { tuple, index: slot.get() })
            }
            Kind::Index(array, indices) => {
                let array = self.expr(array);
                let indices = self.all(indices);
                self.b.one(Op::Array(ArrayOp::Index { array, indices }))
            }
            Kind::IndexAxis(array, axis, index) => self.index_axis(array, *axis, index),
            Kind::Slice { array, axis, from, to } => {
                let array = self.expr(array);
                let (from, to) = (self.size_arg(from), self.size_arg(to));
                self.b.one(Op::Array(ArrayOp::Slice { array, axis: *axis, from, to }))
            }
            Kind::Prim(prim, args) => {
                let args = self.all(args);
                self.b.one(Op::Prim(*prim, args))
            }
            Kind::Equal(left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                self.b.one(Op::Equal(left, right))
            }
            Kind::Close(left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                self.b.one(Op::Close(left, right))
            }
            Kind::If(cond, then, otherwise) => {
                let cond = self.expr(cond);
                let then = self.block(then);
                let otherwise = self.block(otherwise);
                self.b.one(Op::Control(ControlOp::If { cond, then, otherwise }))
            }
            Kind::Match(value, arms) => self.matching(value, arms),
            Kind::Block(lets, result) => {
                for binding in lets {
                    self.binding(binding);
                }
                self.expr(result)
            }
            Kind::Build(indices, body) => self.build(indices, body),
            Kind::Opened(..) => unreachable!("under an operator that is called"),
            Kind::Error => Atom::Int(0),
        }
    }

    pub(super) fn all(&mut self, exprs: &[Expr]) -> Vec<Atom> {
        exprs.iter().map(|it| self.expr(it)).collect()
    }

    fn block(&mut self, expr: &Expr) -> Block {
        self.open();
        let result = self.expr(expr);
        self.close(vec![result])
    }

    fn size_value(&mut self, size: &Size) -> Atom {
        let size = self.size(size);
        match size.as_constant() {
            Some(value) => Atom::Int(value),
            None => match size.as_var() {
                Some(var) => Atom::Var(*var),
                None => self.b.one(Op::Size(size)),
            },
        }
    }

    /// The size that an argument stands for; evaluates it if its value defines one.
    pub(super) fn size_arg(&mut self, arg: &SizeArg) -> ir::Size {
        if let Some(rigid) = &arg.defines {
            let atom = self.expr(&arg.expr);
            self.rigids.insert(rigid.id, size_of(&atom));
        } else if makes_sizes(&arg.expr) {
            self.expr(&arg.expr);
        }
        self.size(&arg.size)
    }

    /// A polymorphic local function at some types: made here, at these types.
    fn poly(&mut self, local: LocalId, types: &[Type], sizes: &[Size]) -> Atom {
        let function = self.polys.get(&local).cloned().expect("bound before use");
        let types: Vec<Type> = types.iter().map(|it| self.resolve(it)).collect();
        let sizes: Vec<Size> = sizes.iter().map(|it| self.resolve_size(it)).collect();
        let (outer_types, outer_sizes) = (self.types.clone(), self.sizes.clone());
        self.types.extend(function.types.iter().copied().zip(types));
        self.sizes.extend(function.sizes.iter().copied().zip(sizes));
        let res = self.expr(&function.value);
        (self.types, self.sizes) = (outer_types, outer_sizes);
        res
    }

    fn binding(&mut self, binding: &Let) {
        match binding {
            Let::Plain(pattern, value) => {
                let value = self.expr(value);
                self.bind_pattern(pattern, value);
            }
            Let::Recursive(local, function) => self.recursive(*local, function),
            Let::Poly(local, function) => {
                self.polys.insert(*local, function.clone());
            }
        }
    }

    fn build(&mut self, indices: &[(LocalId, SizeArg)], body: &Expr) -> Atom {
        let sizes: Vec<ir::Size> = indices.iter().map(|(_, it)| self.size_arg(it)).collect();
        let mut vars = Vec::new();
        self.open();
        for (local, _) in indices {
            let var = self.b.fresh(ir::Type::Int);
            self.bind(*local, Atom::Var(var));
            vars.push(var);
        }
        let result = self.expr(body);
        let body = self.close(vec![result]);
        self.b.one(Op::Control(ControlOp::Build { sizes, indices: vars, body }))
    }

    /// `a[1..3, i]`: brings the axis of the index to the front.
    fn index_axis(&mut self, array: &Expr, axis: usize, index: &Expr) -> Atom {
        let array = self.expr(array);
        let index = self.expr(index);
        let permutation: Vec<usize> = std::iter::once(axis).chain(0..axis).collect();
        let array = self.b.one(Op::Array(ArrayOp::Transpose { array, permutation }));
        self.b.one(Op::Array(ArrayOp::Index { array, indices: vec![index] }))
    }

    /// A function that is written in the source.
    pub(super) fn written_lambda(&mut self, patterns: &[Pattern], body: &Expr) -> Lambda {
        let types: Vec<Type> = patterns.iter().map(|it| it.ty.clone()).collect();
        self.lambda_code(&types, |this, params| {
            for (pattern, atom) in patterns.iter().zip(params) {
                this.bind_pattern(pattern, atom);
            }
            this.expr(body)
        })
    }

    /// A closure with parameters of these types.
    pub(super) fn lambda(
        &mut self,
        types: &[Type],
        body: impl FnOnce(&mut Self, Vec<Atom>) -> Atom,
    ) -> Atom {
        let lambda = self.lambda_code(types, body);
        self.b.one(Op::Function(FunctionOp::Lambda(Arc::new(lambda))))
    }

    pub(super) fn lambda_code(
        &mut self,
        types: &[Type],
        body: impl FnOnce(&mut Self, Vec<Atom>) -> Atom,
    ) -> Lambda {
        let params: Vec<ir::Binder> = types
            .iter()
            .map(|it| {
                let ty = self.ty(it);
                ir::Binder { var: self.b.fresh(ty.clone()), ty }
            })
            .collect();
        self.open();
        let atoms = params.iter().map(|it| Atom::Var(it.var)).collect();
        let result = body(self, atoms);
        let body = self.close(vec![result]);
        Lambda { params, body }
    }

    fn apply(&mut self, function: &Expr, args: &[Expr]) -> Atom {
        if let Kind::Apply(inner, xs) = &function.kind
            && let Kind::Derive(Operator::Vjp, f) = &inner.kind
        {
            if let Some(f) = Opened::under(inner) {
                return self.pull_back_opened(f, xs, args);
            }
            let f = self.expr(f);
            let mut all = self.all(xs);
            all.extend(self.all(args));
            return self.b.one(Op::Derive(DeriveOp::OfFunction {
                operator: Operator::Vjp,
                level: 0,
                function: f,
                args: all,
            }));
        }
        if let Some(f) = Opened::under(function) {
            return self.apply_opened(f, function, args);
        }
        let function = self.prepare(function);
        let args = self.all(args);
        self.invoke(&function, args)
    }
}

/// Whether an expression is evaluated in blocks of its own.
fn has_blocks(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Lambda(..)
            | Kind::If(..)
            | Kind::Match(..)
            | Kind::Build(..)
            | Kind::CallBuiltin { .. }
    )
}

/// Whether evaluating an `Int` expression makes sizes known, as `length(filter(p, xs))` does.
fn makes_sizes(expr: &Expr) -> bool {
    if let Kind::Prim(_, args) = &expr.kind {
        return args.iter().any(makes_sizes);
    }
    !matches!(expr.kind, Kind::Int(_) | Kind::Size(_) | Kind::Local(_))
}
