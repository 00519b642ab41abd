//! Builtins, called or as values: by the table of primitives, by `intrinsics.cot`, or by hand.

use base::{Name, Span};
use ir::Prim;
use syntax::ast;

use crate::builtin::{Builtin, Shape, shape};
use crate::error::{FunctionError, Why};
use crate::infer::Infer;
use crate::infer::constraint::{Demand, Leaves};
use crate::typed::{Expr, Kind, SizeArg};
use crate::types::{Size, Type};

impl Infer<'_> {
    pub(super) fn call_builtin(
        &mut self,
        builtin: Builtin,
        args: &[ast::Expr],
        span: Span,
    ) -> (Kind, Type) {
        match builtin {
            Builtin::Prim(prim) => self.call_prim(prim, args, span),
            Builtin::Derive(operator) => self.derive(operator, args, span),
            Builtin::Map => self.call_map(args, span),
            Builtin::Zip => self.call_zip(args, span),
            Builtin::Unzip => self.call_unzip(args, span),
            Builtin::Reshape => self.call_reshape(args, span),
            Builtin::MapReals | Builtin::ZipReals | Builtin::Ravel | Builtin::Unravel => {
                self.call_structure(builtin, args, span)
            }
            Builtin::Row | Builtin::Col => self.call_repeat(builtin, args, span),
            Builtin::Einsum => self.call_einsum(args, span),
            Builtin::Transpose if args.len() > 1 => self.call_transpose(args, span),
            Builtin::Reduce(reduction) if args.len() == 2 => {
                self.call_reduce(reduction, args, span)
            }
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
            | Builtin::StopGradient
            | Builtin::Checkpoint
            | Builtin::Report
            | Builtin::Trace => self.call_intrinsic(builtin, args, span),
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
        let ready = args.iter().map(|_| None).collect();
        let (args, sizes) = self.dependent_arguments(name, &it, (args, ready), span);
        if builtin == Builtin::Length
            && let Some(Type::Array(size, _)) = args.first().map(|it| self.head(&it.ty))
            && matches!(args[0].kind, Kind::Local(_))
        {
            return (Kind::Size(size), Type::Int);
        }
        let sizes: Vec<SizeArg> = sizes.into_iter().map(|(_, it)| it).collect();
        sizes.iter().for_each(|it| self.refuse_negative(it));
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
            Shape::Arithmetic | Shape::RealArithmetic | Shape::IntArithmetic => 2,
            Shape::Select => 3,
            Shape::Scheme => {
                let (kind, ty) = self.call_intrinsic(builtin, args, span);
                let Kind::CallBuiltin { args, .. } = kind else { return (kind, ty) };
                return (Kind::Prim(prim, args), ty);
            }
        };
        if args.len() != arity {
            args.iter().for_each(|it| drop(self.expr(it, None)));
            self.report(FunctionError::arguments(name, span, arity, args.len()));
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
            Shape::IntArithmetic => self.arithmetic(prim, name, args, Leaves::Int, span),
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
                let demand =
                    Demand::Mask { mask: mask.ty.clone(), of: result.clone(), whole: None };
                self.c.demand(demand, mask.span);
                let Kind::Prim(prim, mut args) = kind else { return (kind, result) };
                args.insert(0, mask);
                (Kind::Prim(prim, args), result)
            }
        }
    }

    fn call_map(&mut self, args: &[ast::Expr], span: Span) -> (Kind, Type) {
        if args.len() < 2 {
            args.iter().for_each(|it| drop(self.expr(it, None)));
            self.report(FunctionError::arguments("map", span, 2, args.len()));
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
            self.report(FunctionError::arguments("zip", span, 2, args.len()));
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
            self.report(FunctionError::arguments("unzip", span, 1, args.len()));
            return (Kind::Error, Type::Error);
        };
        let arg = self.expr(arg, None);
        self.c.retry();
        let elem = self.head(&arg.ty).into_element().map(|it| self.head(&it));
        let arity = if let Some(Type::Tuple(parts)) = elem { parts.len() } else { 2 };
        let size = self.c.solver.fresh_size();
        let elems: Vec<Type> = (0..arity).map(|_| self.fresh()).collect();
        let wanted = Type::array(size.clone(), Type::Tuple(elems.clone()));
        self.expect(&wanted, &arg.ty, arg.span, &Why::Argument("unzip".into(), None));
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
            self.report(FunctionError::arguments("reshape", span, 2, args.len()));
            return (Kind::Error, Type::Error);
        };
        let why = Why::Argument("reshape".into(), None);
        let some_array = Type::array(self.c.solver.fresh_size(), self.fresh());
        let array = self.check(array, &some_array, &why);
        let mut size_args = Vec::new();
        for size in sizes {
            let size = self.check(size, &Type::Int, &why);
            let size = self.size_arg(size);
            self.refuse_negative(&size);
            size_args.push(size);
        }
        let elem = self.fresh();
        let count = size_args.iter().fold(Size::constant(1), |product, it| product.mul(&it.size));
        self.c.demand(Demand::Reshape { array: array.ty.clone(), elem: elem.clone(), count }, span);
        let ty = size_args.iter().rev().fold(elem, |ty, it| Type::array(it.size.clone(), ty));
        let builtin = Builtin::Reshape;
        (Kind::CallBuiltin { builtin, args: vec![array], sizes: size_args, opaque: None }, ty)
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
                    Shape::Arithmetic | Shape::RealArithmetic | Shape::IntArithmetic => 2,
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
            Builtin::MapReals
            | Builtin::ZipReals
            | Builtin::Ravel
            | Builtin::Unravel
            | Builtin::Row
            | Builtin::Col => {
                let name = Name::new(builtin.name());
                self.report(FunctionError::SizeByArgument { name, span });
                (Kind::Error, Type::Error)
            }
            Builtin::Map | Builtin::Zip | Builtin::Reshape | Builtin::Einsum => {
                self.report(FunctionError::CallDirectly { name: builtin.name(), span });
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
            | Builtin::StopGradient
            | Builtin::Checkpoint
            | Builtin::Report
            | Builtin::Trace => self.intrinsic_value(builtin, span),
        }
    }

    fn intrinsic_value(&mut self, builtin: Builtin, span: Span) -> (Kind, Type) {
        let scheme = self.c.intrinsics[&Name::new(builtin.name())].clone();
        let it = scheme.instantiate(&mut self.c.solver, span);
        if !it.dependent.is_empty() || !it.opaque.is_empty() {
            let name = Name::new(builtin.name());
            self.report(FunctionError::SizeByArgument { name, span });
            return (Kind::Error, Type::Error);
        }
        self.demand_classes(&scheme.types, &it.types, builtin.name(), span);
        (Kind::Builtin(builtin), Type::function(it.params, it.result))
    }
}
