//! `let rec`: a local function that calls itself becomes a definition (lambda lifting, Johnsson 1985).
//! What it captures are further parameters of the definition. Calls of the function are calls of the
//! definition; as a value it is a closure that calls it, inside of the definition and outside. So
//! `let rec go = \n, x => .. go(n - 1, x * k) ..` becomes `def go^f(k, n, x) = .. go^f(k, n - 1, x * k) ..`,
//! and behind it `go(5, y)` is `go^f(k, 5, y)`, and `go` is `\n, x => go^f(k, n, x)`.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::Name;
use base::name::Mark;
use ir::walk::{bound_vars, free_vars, free_vars_block, map_blocks};
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
            self.direct.insert(var, Direct::of(&lifted, lambda.params.len()));
            self.lifted.push(lifted);
        }
        self.b.set_span(before);
    }

    /// A name that no other definition has: functions may hide one another, and be made several times.
    fn name_of(&mut self, local: LocalId) -> Name {
        let of = self.stub.name.to_string();
        let name = self.info[local.0].name.with(Mark::Local(of));
        let count = self.recursive.entry(name.clone()).or_default();
        *count += 1;
        if *count == 1 { name } else { name.with(Mark::Local(count.to_string())) }
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
        let direct = Direct::of(&def, lambda.params.len());
        def.body = direct.calls(&def.body, this.var);
        if free_vars_block(&def.body).contains(&this.var) {
            let op = self.closure(&def, lambda.params.len());
            def.body.stmts.insert(0, Stmt { binders: vec![this], op });
        }
        def.next_var = self.b.next_var();
        def
    }

    /// `\x => f(k, x)` for a definition whose last `n_own` parameters are those of the function.
    fn closure(&mut self, def: &ir::Def, n_own: usize) -> Op {
        let own = &def.params[def.params.len() - n_own..];
        let mut fresh =
            |it: &Binder| Binder { var: self.b.fresh(it.ty.clone()), ty: it.ty.clone() };
        let params: Vec<Binder> = own.iter().map(&mut fresh).collect();
        let binders: Vec<Binder> = def.results.iter().map(fresh).collect();
        let args = params.iter().map(|it| Atom::Var(it.var)).collect();
        let results = binders.iter().map(|it| Atom::Var(it.var)).collect();
        let stmts = vec![Stmt { binders, op: Direct::of(def, n_own).call(args) }];
        let body = Block { stmts, results };
        Op::Function(FunctionOp::Lambda(Arc::new(Lambda { params, body })))
    }

    /// A call of a function value: of its definition, if it is a recursive local function.
    pub(super) fn call_value(&mut self, function: &Atom, args: Vec<Atom>) -> Atom {
        let direct = match function {
            Atom::Var(var) => self.direct.get(var),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => None,
        };
        let (Some(direct), ir::Type::Function(_, result)) = (direct, self.b.type_of(function))
        else {
            return self.b.one(Op::Function(FunctionOp::Apply(function.clone(), args)));
        };
        let op = direct.call(args);
        let var = self.b.fresh((*result).clone());
        self.b.push(Stmt { binders: vec![Binder { var, ty: *result }], op });
        Atom::Var(var)
    }
}

/// How a recursive local function is called: its definition, with what it captured.
pub(super) struct Direct {
    def: Name,
    types: Vec<ir::Type>,
    sizes: Vec<Size>,
    captured: Vec<Atom>,
}

impl Direct {
    /// Of a definition whose last `n_own` parameters are those of the function.
    fn of(def: &ir::Def, n_own: usize) -> Direct {
        let captured = &def.params[..def.params.len() - n_own];
        Direct {
            def: def.name.clone(),
            types: def.type_params.iter().cloned().map(ir::Type::Var).collect(),
            sizes: def.size_params.iter().map(|it| Size::var(*it)).collect(),
            captured: captured.iter().map(|it| Atom::Var(it.var)).collect(),
        }
    }

    fn call(&self, own: Vec<Atom>) -> Op {
        let args = self.captured.iter().cloned().chain(own).collect();
        let (def, types, sizes) = (self.def.clone(), self.types.clone(), self.sizes.clone());
        Op::Function(FunctionOp::Call { def, types, sizes, args })
    }

    /// The block with calls of the definition for those of the function.
    fn calls(&self, block: &Block, function: Var) -> Block {
        let stmt = |it: &Stmt| {
            let op = if let Op::Function(FunctionOp::Apply(Atom::Var(var), args)) = &it.op
                && *var == function
            {
                self.call(args.clone())
            } else {
                map_blocks(&it.op, &mut |_, inner| self.calls(inner, function))
            };
            Stmt { binders: it.binders.clone(), op }
        };
        let stmts = block.stmts.iter().map(stmt).collect();
        Block { stmts, results: block.results.clone() }
    }
}

/// Where the variables of a definition come from, of where all those of the one around it do.
pub(super) fn spans_of(def: &ir::Def, all: &ir::Spans) -> ir::Spans {
    let bound = bound_vars(&def.body);
    let params = def.params.iter().map(|it| it.var);
    let of = bound.into_iter().chain(params);
    ir::Spans(of.filter_map(|it| Some((it, *all.0.get(&it)?))).collect())
}
