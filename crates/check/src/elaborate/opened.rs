//! Derivatives of functions whose results have sizes that only a call tells.
//!
//! `vjp(f)(x)(dy)` is `{ y = f(x); g = \x => sized(k, f(x)); vjp(g)(x)(sized(k, dy)) }`, with `k` the size
//! of `y`: what is differentiated has a known size. Of the first run nothing is needed but the sizes.

use ir::{ArrayOp, Atom, ControlOp, DeriveOp, Op, Operator};

use crate::elaborate::Elaborate;
use crate::elaborate::call::Callable;
use crate::elaborate::linearise::Wanted;
use crate::generalise::rigids;
use crate::infer::opened::outside;
use crate::typed::{Expr, Kind};
use crate::types::{Rigid, Type};

/// A function and its sizes, of `Kind::Opened`.
#[derive(Clone, Copy)]
pub(super) struct Opened<'t> {
    function: &'t Expr,
    sizes: &'t [(Rigid, Rigid)],
}

impl<'t> Opened<'t> {
    /// What an operator is applied to, if only a call tells its sizes.
    pub(super) fn under(operator: &'t Expr) -> Option<Opened<'t>> {
        let (Kind::Derive(_, f) | Kind::TangentMap(f)) = &operator.kind else { return None };
        let Kind::Opened(function, sizes) = &f.kind else { return None };
        Some(Opened { function, sizes })
    }
}

impl Elaborate<'_> {
    /// An operator on such a function, called.
    pub(super) fn apply_opened(&mut self, f: Opened<'_>, operator: &Expr, args: &[Expr]) -> Atom {
        let args = self.all(args);
        let result = self.resolve(&operator.ty).into_function().map_or(Type::Error, |it| it.1);
        let (wanted, operator) = if let Kind::Derive(operator, _) = operator.kind {
            (Wanted::by(operator), operator)
        } else {
            (Some(Wanted::Tangents), Operator::Jvp)
        };
        let point = match operator {
            Operator::Jvp => self.unpacked(n_params(f), args[0].clone()),
            Operator::Vjp | Operator::Grad | Operator::ValueAndGrad | Operator::Linearise => {
                args.clone()
            }
            Operator::Jacobian | Operator::Hessian | Operator::Hvp => args.clone(),
        };
        let function = self.of_known_size(f, point);
        match wanted {
            Some(wanted) => self.linearised(wanted, function, args, &result),
            None => {
                let level = 0;
                self.b.one(Op::Derive(DeriveOp::OfFunction { operator, level, function, args }))
            }
        }
    }

    /// `vjp(f)(x)(dy)` of such a function.
    pub(super) fn pull_back_opened(&mut self, f: Opened<'_>, xs: &[Expr], dy: &[Expr]) -> Atom {
        let mut args = self.all(xs);
        let function = self.of_known_size(f, args.clone());
        let result = self.result_outside(f);
        for it in dy {
            let value = self.expr(it);
            let before = self.b.set_span(Some(it.span));
            args.push(self.resized(value, &it.ty, &result));
            self.b.set_span(before);
        }
        let (operator, level) = (Operator::Vjp, 0);
        self.b.one(Op::Derive(DeriveOp::OfFunction { operator, level, function, args }))
    }

    /// Runs the function at a point, which tells the sizes; gives the function whose results have them.
    fn of_known_size(&mut self, f: Opened<'_>, point: Vec<Atom>) -> Atom {
        let Kind::Lambda(patterns, body) = &f.function.kind else {
            unreachable!("only what is written is opened")
        };
        self.invoke(&Callable::Inline(patterns, body), point);
        for (inside, outside) in f.sizes {
            match self.rigids.get(&inside.id).cloned() {
                Some(size) => drop(self.rigids.insert(outside.id, size)),
                None => self.escape(inside, inside.name.as_str()),
            }
        }
        let types: Vec<Type> = patterns.iter().map(|it| it.ty.clone()).collect();
        let result = self.result_outside(f);
        let res = self.lambda(&types, |this, args| {
            let value = this.invoke(&Callable::Inline(patterns, body), args);
            this.resized(value, &body.ty, &result)
        });
        f.sizes.iter().for_each(|(inside, _)| drop(self.rigids.remove(&inside.id)));
        res
    }

    fn result_outside(&self, f: Opened<'_>) -> Type {
        let result = self.resolve(&f.function.ty).into_function().map_or(Type::Error, |it| it.1);
        outside(&result, f.sizes)
    }

    /// A value of a type as a value of another that differs in its sizes: they are compared.
    fn resized(&mut self, value: Atom, from: &Type, to: &Type) -> Atom {
        let (from, to) = (self.resolve(from), self.resolve(to));
        if from == to {
            return value;
        }
        if let (Type::Array(n, from), Type::Array(m, to)) = (&from, &to) {
            let size = self.size(m);
            let array = match n == m {
                true => value,
                false => {
                    let size = size.clone();
                    self.b.one(Op::Array(ArrayOp::Sized { array: value, size }))
                }
            };
            return if from == to { array } else { self.resized_rows(array, size, from, to) };
        }
        let (Some(from), Some(to_parts)) = (self.fields_of(&from), self.fields_of(&to)) else {
            // Data keeps the sizes it was made with.
            if let Some(rigid) = rigids(&to).first() {
                self.escape(rigid, rigid.name.as_str());
            }
            return value;
        };
        let mut parts = Vec::new();
        for (index, (from, to)) in from.iter().zip(&to_parts).enumerate() {
            let part = self.b.one(Op::Proj { tuple: value.clone(), index });
            parts.push(self.resized(part, from, to));
        }
        self.b.one(Op::Tuple { rank: 0, parts })
    }

    fn resized_rows(&mut self, array: Atom, size: ir::Size, from: &Type, to: &Type) -> Atom {
        self.open();
        let index = self.b.fresh(ir::Type::Int);
        let indices = vec![Atom::Var(index)];
        let row = self.b.one(Op::Array(ArrayOp::Index { array, indices }));
        let row = self.resized(row, from, to);
        let body = self.close(vec![row]);
        self.b.one(Op::Control(ControlOp::Build { sizes: vec![size], indices: vec![index], body }))
    }

    /// The parts of a tuple or record.
    fn fields_of(&self, ty: &Type) -> Option<Vec<Type>> {
        if let Type::Tuple(parts) = ty {
            return Some(parts.clone());
        }
        Some(self.c.table.record_fields(ty)?.into_iter().map(|it| it.1).collect())
    }
}

fn n_params(f: Opened<'_>) -> usize {
    if let Kind::Lambda(patterns, _) = &f.function.kind { patterns.len() } else { 1 }
}
