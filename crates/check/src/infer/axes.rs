//! Builtins that are told axes: `sum(xs, 1)`, `sum(xs, cols)`, `transpose(xs, 2, 0, 1)`. Axes are literals or
//! names of sizes, so that types are known.

use std::collections::BTreeMap;

use base::{Name, Span};
use ir::Reduction;
use syntax::ast;

use crate::builtin::Builtin;
use crate::einsum::Einsum;
use crate::error::{FunctionError, StructureError, Why};
use crate::infer::constraint::{Demand, MOST_DIMENSIONS};
use crate::infer::expr::innermost_span;
use crate::infer::{Entry, Infer};
use crate::typed::{Expr, Kind};
use crate::types::{Size, Type};

impl Infer<'_> {
    /// The reduction of one axis.
    pub(super) fn call_reduce(
        &mut self,
        reduction: Reduction,
        args: &[ast::Expr],
        span: Span,
    ) -> (Kind, Type) {
        let builtin = Builtin::Reduce(reduction);
        let name = builtin.name();
        let array = self.expr(&args[0], None);
        let Some(axes) = self.axes(name, &array.ty, &args[1..]) else {
            return (Kind::Error, Type::Error);
        };
        let elem = self.fresh();
        let mut sizes: Vec<Size> = (0..=axes[0]).map(|_| self.c.solver.fresh_size()).collect();
        let wanted = arrays(&sizes, elem.clone());
        let why = Why::Argument(name.into(), None);
        self.expect(&wanted, &array.ty, innermost_span(&args[0]), &why);
        self.c.demand(Demand::Number(elem.clone(), name), args[0].span);
        sizes.pop();
        (with_axes(builtin, array, &axes, span), arrays(&sizes, elem))
    }

    /// Axis `i` of the result is axis `axes[i]` of the array.
    pub(super) fn call_transpose(&mut self, args: &[ast::Expr], span: Span) -> (Kind, Type) {
        let array = self.expr(&args[0], None);
        let Some(axes) = self.axes("transpose", &array.ty, &args[1..]) else {
            return (Kind::Error, Type::Error);
        };
        let mut sorted = axes.clone();
        sorted.sort_unstable();
        if sorted.iter().enumerate().any(|(at, axis)| at != *axis) {
            let wanted = "each of the first axes once, such as `1, 2, 0`";
            let span = args[1].span.to(args[args.len() - 1].span);
            self.report(StructureError::Axis { name: "transpose", span, wanted });
            return (Kind::Error, Type::Error);
        }
        let elem = self.fresh();
        let sizes: Vec<Size> = axes.iter().map(|_| self.c.solver.fresh_size()).collect();
        let wanted = arrays(&sizes, elem.clone());
        let why = Why::Argument("transpose".into(), None);
        self.expect(&wanted, &array.ty, innermost_span(&args[0]), &why);
        let sizes: Vec<Size> = axes.iter().map(|it| sizes[*it].clone()).collect();
        (with_axes(Builtin::Transpose, array, &axes, span), arrays(&sizes, elem))
    }

    /// A letter is a size: the same one in all operands.
    pub(super) fn call_einsum(&mut self, args: &[ast::Expr], span: Span) -> (Kind, Type) {
        let spec = match args.first().map(|it| &it.kind) {
            Some(ast::ExprKind::Str(text)) => Einsum::read(text),
            Some(_) | None => Err("the text is a literal"),
        };
        let spec = match spec {
            Ok(spec) => spec,
            Err(wrong) => {
                args.iter().for_each(|it| drop(self.expr(it, None)));
                let span = args.first().map_or(span, |it| it.span);
                self.report(StructureError::Einsum { span, wrong });
                return (Kind::Error, Type::Error);
            }
        };
        if args.len() != spec.operands.len() + 1 {
            args.iter().for_each(|it| drop(self.expr(it, None)));
            let wanted = spec.operands.len() + 1;
            self.report(FunctionError::arguments("einsum", span, wanted, args.len()));
            return (Kind::Error, Type::Error);
        }
        let mut sizes: BTreeMap<char, Size> = BTreeMap::new();
        for letter in spec.operands.iter().flatten() {
            sizes.entry(*letter).or_insert_with(|| self.c.solver.fresh_size());
        }
        let shape = |letters: &[char]| {
            let sizes: Vec<Size> = letters.iter().map(|it| sizes[it].clone()).collect();
            arrays(&sizes, Type::Real)
        };
        let mut typed = vec![self.expr(&args[0], None)];
        for (arg, letters) in args[1..].iter().zip(&spec.operands) {
            let why = Why::Argument("einsum".into(), None);
            typed.push(self.check(arg, &shape(letters), &why));
        }
        let builtin = Builtin::Einsum;
        let kind = Kind::CallBuiltin { builtin, args: typed, sizes: Vec::new(), opaque: None };
        (kind, shape(&spec.result))
    }

    /// Literals that count axes of an array of that type, and sizes that name them.
    fn axes(&mut self, name: &'static str, ty: &Type, args: &[ast::Expr]) -> Option<Vec<usize>> {
        let mut res = Vec::new();
        for arg in args {
            if let Some((size, value)) = self.size_name_of(arg) {
                res.push(self.named_axis(name, ty, (size, value), arg.span)?);
                continue;
            }
            let ast::ExprKind::Int(axis @ 0..) = arg.kind else {
                self.expr(arg, None);
                let wanted = "an axis is a literal, `0` the outermost, or the name of its size";
                self.report(StructureError::Axis { name, span: arg.span, wanted });
                return None;
            };
            if axis >= i64::from(MOST_DIMENSIONS) {
                let wanted = "no array has so many";
                self.report(StructureError::Axis { name, span: arg.span, wanted });
                return None;
            }
            res.push(axis as usize);
        }
        Some(res)
    }

    /// The name of a size of a type, which is no variable: an `Int` that is computed names no axis.
    fn size_name_of(&self, arg: &ast::Expr) -> Option<(Name, Size)> {
        let ast::ExprKind::Name(name) = &arg.kind else { return None };
        match self.lookup(name) {
            Some(Entry::Size(size)) => Some((name.clone(), size)),
            Some(Entry::Local(_)) | None => None,
        }
    }

    /// The only axis of that size.
    fn named_axis(
        &mut self,
        name: &'static str,
        ty: &Type,
        (size, value): (Name, Size),
        span: Span,
    ) -> Option<usize> {
        self.c.retry();
        let (ty, value) = (self.c.solver.resolve(ty), self.c.solver.resolve_size(&value));
        let mut axes = Vec::new();
        let (mut at, mut inner) = (0, &ty);
        while let Type::Array(n, elem) = inner {
            if *n == value {
                axes.push(at);
            }
            at += 1;
            inner = elem;
        }
        if let [axis] = axes.as_slice() {
            return Some(*axis);
        }
        if ty != Type::Error {
            self.report(StructureError::NamedAxis { name, span, size, ty, axes });
        }
        None
    }
}

fn with_axes(builtin: Builtin, array: Expr, axes: &[usize], span: Span) -> Kind {
    let axis = |it: &usize| Expr { kind: Kind::Int(*it as i64), ty: Type::Int, span };
    let args = std::iter::once(array).chain(axes.iter().map(axis)).collect();
    Kind::CallBuiltin { builtin, args, sizes: Vec::new(), opaque: None }
}

fn arrays(sizes: &[Size], elem: Type) -> Type {
    sizes.iter().rev().fold(elem, |ty, size| Type::array(size.clone(), ty))
}
