//! `let rec`: a local function that calls itself becomes a definition (lambda lifting, Johnsson 1985).
//! What it captures are further parameters of the definition, and the function itself is a closure that
//! calls it with them, inside of the definition and outside:
//!
//!     let rec go = \n, x => .. go(n - 1, x * k) ..;
//!
//!     def go^f(k, n, x) = { let go = \n, x => go^f(k, n, x); .. go(n - 1, x * k) .. }
//!     let go = \n, x => go^f(k, n, x);

use std::collections::BTreeSet;
use std::sync::Arc;

use base::Name;
use base::name::Mark;
use ir::walk::{bound_vars, free_vars};
use ir::{Atom, Binder, Block, FunctionOp, Lambda, Op, Size, Stmt, Var};

use crate::elaborate::Elaborate;
use crate::typed::{Expr, Kind, LocalId};

impl Elaborate<'_> {
    /// Binds the local variable to a function that may mention it.
    pub(super) fn recursive(&mut self, local: LocalId, function: &Expr) {
        let ty = self.ty(&function.ty);
        let var = self.b.fresh(ty.clone());
        self.locals.insert(local, Atom::Var(var));
        let (Kind::Lambda(patterns, body), ir::Type::Function(_, result)) = (&function.kind, &ty)
        else {
            return;
        };
        let before = self.b.set_span(Some(function.span));
        let lambda = self.written_lambda(patterns, body);
        if self.errors.is_empty() {
            let name = self.name_of(local);
            let lifted = self.lift(name, Binder { var, ty: ty.clone() }, &lambda, result);
            let closure = self.closure(&lifted, lambda.params.len());
            self.b.push(Stmt { binders: vec![Binder { var, ty }], op: closure });
            self.lifted.push(lifted);
        }
        self.b.set_span(before);
    }

    /// A name that no other definition has: functions may hide one another, and be made several times.
    fn name_of(&self, local: LocalId) -> Name {
        let of = self.stub.name.to_string();
        let first = self.info[local.0].name.with(Mark::Local(of));
        let taken = |name: &Name| self.lifted.iter().any(|it| it.name == *name);
        let others = (2..).map(|it: u32| first.with(Mark::Local(it.to_string())));
        let mut names = std::iter::once(first.clone()).chain(others);
        names.find(|it| !taken(it)).expect("numbers do not end")
    }

    /// The function as a definition: first what it captured, then its own parameters.
    fn lift(&mut self, name: Name, this: Binder, lambda: &Lambda, result: &ir::Type) -> ir::Def {
        let mut captured = free_vars(lambda);
        captured.remove(&this.var);
        let binder = |var: Var| Binder { var, ty: self.b.type_of(&Atom::Var(var)) };
        let captured: Vec<Binder> = captured.into_iter().map(binder).collect();
        // An `Int` that is the size of something that comes in.
        let params = captured.iter().chain(&lambda.params).map(|it| &it.ty).chain([result]);
        let sizes: BTreeSet<Var> = params.flat_map(ir::Type::size_vars).collect();
        let captured = captured.into_iter().filter(|it| !sizes.contains(&it.var));
        let own = lambda.params.iter().cloned();
        let mut def = ir::Def {
            name,
            type_params: self.stub.type_params.clone(),
            size_params: sizes.iter().copied().collect(),
            params: captured.chain(own).collect(),
            results: vec![Binder { var: self.b.fresh(result.clone()), ty: result.clone() }],
            body: lambda.body.clone(),
            next_var: 0,
            spans: ir::Spans::default(),
            origin: ir::Origin::Source,
        };
        if mentions(lambda, this.var) {
            let op = self.closure(&def, lambda.params.len());
            def.body.stmts.insert(0, Stmt { binders: vec![this], op });
        }
        def.next_var = self.b.next_var();
        def
    }

    /// `\x => f(k, x)` for a definition whose last `n_own` parameters are those of the function.
    fn closure(&mut self, def: &ir::Def, n_own: usize) -> Op {
        let (captured, own) = def.params.split_at(def.params.len() - n_own);
        let own: Vec<Binder> = own
            .iter()
            .map(|it| Binder { var: self.b.fresh(it.ty.clone()), ty: it.ty.clone() })
            .collect();
        let args = captured.iter().chain(&own).map(|it| Atom::Var(it.var)).collect();
        let [result] = &def.results[..] else { unreachable!("a function has one result") };
        let result = Binder { var: self.b.fresh(result.ty.clone()), ty: result.ty.clone() };
        let call = FunctionOp::Call {
            def: def.name.clone(),
            types: def.type_params.iter().cloned().map(ir::Type::Var).collect(),
            sizes: def.size_params.iter().map(|it| Size::var(*it)).collect(),
            args,
        };
        let results = vec![Atom::Var(result.var)];
        let stmts = vec![Stmt { binders: vec![result], op: Op::Function(call) }];
        let body = Block { stmts, results };
        Op::Function(FunctionOp::Lambda(Arc::new(Lambda { params: own, body })))
    }
}

/// Where the variables of a definition come from, of where all those of the one around it do.
pub(super) fn spans_of(def: &ir::Def, all: &ir::Spans) -> ir::Spans {
    let bound = bound_vars(&def.body);
    let params = def.params.iter().map(|it| it.var);
    let of = bound.into_iter().chain(params);
    ir::Spans(of.filter_map(|it| Some((it, *all.0.get(&it)?))).collect())
}

fn mentions(lambda: &Lambda, var: Var) -> bool {
    free_vars(lambda).contains(&var)
}
