//! Functions under derivative operators whose results have sizes that only a call tells, as `filter` has.
//!
//! Such a function has no type of its own, but its derivative at a point has one: the sizes of the result
//! there are fresh, as those of a call are. The cotangent for `vjp(f)(x)(dy)` may have any size; it is
//! compared with that of the result when the program runs.

use base::{Name, Span};
use syntax::ast::{self, ExprKind as E};

use crate::generalise::rigids;
use crate::infer::Infer;
use crate::infer::call::is_lambda;
use crate::scheme::Scheme;
use crate::typed::{Expr, Kind};
use crate::types::{Rigid, Size, SizeAtom, Type, rigid_size};

impl Infer<'_> {
    /// The function under an operator that is called, if it is written there: a lambda, or `\x => f(x)` for
    /// a definition that is no value because the sizes of its result depend on the call. What the arguments
    /// decide is written there as well.
    pub(super) fn written(&self, f: &ast::Expr) -> Option<ast::Expr> {
        if is_lambda(f) {
            return Some(f.clone());
        }
        let scheme = self.c.schemes.get(self.globals.get(&self.global_name(f)?)?)?;
        let around = || around(f, scheme.params.as_ref().map_or(0, Vec::len));
        let is_open = || self.is_open(f).then(|| f.clone());
        opens(scheme).then(around).or_else(is_open)
    }

    /// A lambda under an operator that is called: the sizes that only it knows are fresh outside. There were
    /// so many variables and sizes before it.
    pub(super) fn opened(&mut self, f: Expr, n_locals: usize, n_sizes: u32, span: Span) -> Expr {
        self.c.retry();
        let Kind::Lambda(..) = f.kind else { return f };
        let Type::Function(params, result) = self.c.solver.resolve(&f.ty) else { return f };
        let inside = self.inner_sizes(&result, n_locals, n_sizes);
        let of_params: Vec<Rigid> = params.iter().flat_map(rigids).collect();
        if inside.is_empty() || inside.iter().any(|it| of_params.contains(it)) {
            return f;
        }
        let opened = |it: Rigid| {
            let outside = self.c.solver.fresh_opaque(it.name.clone(), span);
            (it, outside)
        };
        let sizes: Vec<(Rigid, Rigid)> = inside.into_iter().map(opened).collect();
        let ty = Type::function(params, outside(&result, &sizes));
        let span = f.span;
        Expr { kind: Kind::Opened(Box::new(f), sizes), ty, span }
    }

    /// What a function takes; the cotangent of a result of unknown size may have any.
    pub(super) fn taken(&mut self, callee: &Expr, params: Vec<Type>) -> Vec<Type> {
        let Kind::Apply(operator, _) = &callee.kind else { return params };
        let Kind::Derive(ir::Operator::Vjp, f) = &operator.kind else { return params };
        let Kind::Opened(_, sizes) = &f.kind else { return params };
        params.iter().map(|it| self.any_size(&self.c.solver.resolve(it), sizes)).collect()
    }

    fn any_size(&mut self, ty: &Type, sizes: &[(Rigid, Rigid)]) -> Type {
        let this = std::cell::RefCell::new(self);
        ty.map(&mut |part| this.borrow_mut().any_size(part, sizes), &mut |size| match sizes
            .iter()
            .any(|(_, it)| mentions(size, it))
        {
            true => this.borrow_mut().c.solver.fresh_size(),
            false => size.clone(),
        })
    }
}

/// The result of a function as it is outside of it.
pub(crate) fn outside(result: &Type, sizes: &[(Rigid, Rigid)]) -> Type {
    let by_rigid = |rigid: &Rigid| {
        let found = sizes.iter().find(|(it, _)| it.id == rigid.id)?;
        Some(rigid_size(&found.1))
    };
    result.substitute(&|_| None, &by_rigid)
}

fn mentions(size: &Size, rigid: &Rigid) -> bool {
    size.vars().iter().any(|it| matches!(it, SizeAtom::Rigid(it) if it.id == rigid.id))
}

/// Whether only a call tells the sizes of the result, and any call may.
fn opens(scheme: &Scheme) -> bool {
    let params = scheme.params.iter().flatten();
    let given: Vec<&Rigid> = params.clone().filter_map(|it| it.rigid.as_ref()).collect();
    let mut taken = params.flat_map(|it| rigids(&it.ty));
    let is_function = scheme.params.as_ref().is_some_and(|it| !it.is_empty());
    let depends = !scheme.opaque.is_empty() || !given.is_empty();
    is_function && depends && !taken.any(|it| given.iter().any(|given| given.id == it.id))
}

/// `\x0, x1 => f(x0, x1)`
fn around(f: &ast::Expr, n_params: usize) -> ast::Expr {
    let span = f.span;
    let names: Vec<Name> = (0..n_params).map(|it| Name::from(format!("x{it}"))).collect();
    let param = |name: &Name| {
        let pattern = ast::Pattern { kind: ast::PatternKind::Name(name.clone()), span };
        ast::Param { pattern, ty: None }
    };
    let params = names.iter().map(param).collect();
    let args = names.into_iter().map(|it| ast::Expr { kind: E::Name(it), span }).collect();
    let call = ast::Expr { kind: E::Call { function: Box::new(f.clone()), args }, span };
    ast::Expr { kind: E::Lambda { params, body: Box::new(call) }, span }
}
