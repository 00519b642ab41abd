//! The definitions of a piece of a loop: its steps, and the same with clauses.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::Name;
use ir::{
    Atom, Binder, ControlOp, Custom, Def, DeriveOp, FunctionOp, Loop, Op, Operator, Origin, Size,
    Stmt, Type, Var, walk,
};

use super::Pass;
use super::pieces::{Every, int};

/// The definition that runs a piece, and what it takes in front of the state.
pub(super) struct Piece {
    pub(super) name: Name,
    pub(super) sizes: Vec<Var>,
    pub(super) captured: Vec<Var>,
}

/// What a piece is made of.
#[derive(Clone)]
pub(super) struct Plan<'a> {
    /// The state of the loop.
    pub(super) state: &'a [Binder],
    /// What else is given to each piece: numbers, and its part of each array.
    pub(super) given: Vec<Binder>,
    /// Sizes of its own.
    pub(super) sizes: Vec<Var>,
    /// What steps mention; what is bound among it is left out.
    pub(super) mentioned: BTreeSet<Var>,
    /// The lengths of pieces of the piece.
    pub(super) inner: &'a [Every],
}

/// The definition of some steps.
pub(super) struct Steps {
    pub(super) name: Name,
    pub(super) own_sizes: Vec<Var>,
    pub(super) params: Vec<Binder>,
    pub(super) results: Vec<Binder>,
    pub(super) next_var: u32,
}

impl Pass {
    /// Defines what runs a piece: the steps, the same with clauses, and these.
    pub(super) fn piece(
        &mut self,
        plan: &Plan<'_>,
        steps: impl FnOnce(&mut Pass, Vec<Atom>) -> Op,
    ) -> Piece {
        let names = self.names(["steps", "again", "again_vjp", "again_jvp"]);
        let (sizes, captured) = self.captured(plan);
        let made = self.steps(plan, names[0].clone(), steps);
        let [_, again, vjp, jvp] = names;
        self.with_clauses([&again, &vjp, &jvp], &made, "", self.order);
        Piece { name: again, sizes, captured }
    }

    /// Defines the steps of a piece.
    pub(super) fn steps(
        &mut self,
        plan: &Plan<'_>,
        name: Name,
        steps: impl FnOnce(&mut Pass, Vec<Atom>) -> Op,
    ) -> Steps {
        let (sizes, captured) = self.captured(plan);
        let own_sizes: Vec<Var> = sizes.iter().chain(&plan.sizes).copied().collect();
        let mut params: Vec<Binder> = Vec::new();
        for var in &captured {
            let ty = self.builder.find_type(*var).expect("V2: bound before use");
            params.push(Binder { var: *var, ty });
        }
        params.extend(plan.given.iter().cloned());
        let next = self.builder.next_var();
        let span = self.builder.span();
        let begun = self.begin(next, span, &own_sizes, &params);
        let inits: Vec<Binder> = self.copies(plan.state);
        let results = self.copies(plan.state);
        params.extend(inits.iter().cloned());
        self.builder.open();
        let op = steps(self, atoms(&inits));
        let made: Vec<Var> =
            plan.state.iter().map(|it| self.builder.fresh(it.ty.clone())).collect();
        let bound =
            made.iter().zip(plan.state).map(|(var, it)| Binder { var: *var, ty: it.ty.clone() });
        // A loop with a state of its own gives that, too.
        let extra = n_results(&op).saturating_sub(made.len());
        let more = (0..extra).map(|_| int(self.builder.fresh(Type::Int)));
        let more: Vec<Binder> = more.collect();
        let stmt = Stmt { binders: bound.chain(more).collect(), op };
        if !self.in_pieces(&stmt, plan.inner) {
            self.builder.push(stmt);
        }
        let body = self.builder.close(made.into_iter().map(Atom::Var).collect());
        let (next_var, mut spans) = self.builder.end(begun);
        let own = walk::bound_vars(&body);
        let known = self.def.spans.0.iter().filter(|it| own.contains(it.0));
        spans.0.extend(known.map(|(var, span)| (*var, *span)));
        let def = Def {
            name: name.clone(),
            type_params: Vec::new(),
            size_params: own_sizes.clone(),
            params: params.clone(),
            results: results.clone(),
            body,
            next_var,
            spans,
            origin: self.def.origin.clone(),
        };
        self.builder.program_mut().defs.insert(name.clone(), Arc::new(def));
        Steps { name, own_sizes, params, results, next_var }
    }

    /// Defines some steps once more, with clauses that differentiate them when they are asked for. What is
    /// differentiated further has clauses that are steps with clauses of their own: whatever the order, all that is
    /// kept of a piece is what it is given.
    pub(super) fn with_clauses(
        &mut self,
        [again, vjp, jvp]: [&Name; 3],
        made: &Steps,
        path: &str,
        order: u32,
    ) {
        let Steps { name: plain, own_sizes, params, results, next_var } = made;
        let sizes: Vec<Size> = own_sizes.iter().map(|it| Size::var(*it)).collect();
        let call =
            FunctionOp::Call { def: plain.clone(), types: Vec::new(), sizes, args: atoms(params) };
        let head = Head { sizes: own_sizes, next: *next_var };
        let origin = if path.is_empty() { self.def.origin.clone() } else { Origin::Clause };
        self.wrapper(again, origin, &head, params.clone(), results, call.into());
        let operators = [("_vjp", Operator::Vjp, vjp), ("_jvp", Operator::Jvp, jvp)];
        for (part, operator, clause) in operators {
            if order <= 1 {
                self.clause(clause, operator, made);
                continue;
            }
            let path = format!("{path}{part}");
            let [steps, vjp, jvp] =
                [format!("steps{path}"), format!("again{path}_vjp"), format!("again{path}_jvp")];
            let [steps, vjp, jvp] = self.names([&steps, &vjp, &jvp]);
            let derived = self.clause(&steps, operator, made);
            self.with_clauses([clause, &vjp, &jvp], &derived, &path, order - 1);
        }
        let custom = Custom { vjp: Some(vjp.clone()), jvp: Some(jvp.clone()) };
        self.builder.program_mut().customs.insert(again.clone(), custom);
    }

    /// Defines a derivative of some steps.
    pub(super) fn clause(&mut self, name: &Name, operator: Operator, made: &Steps) -> Steps {
        let Steps { name: plain, own_sizes, params, results, next_var } = made;
        let mut next = *next_var;
        let mut fresh = |like: &[Binder]| -> Vec<Binder> {
            let one = |it: &Binder| {
                next += 1;
                Binder { var: Var(next - 1), ty: it.ty.clone() }
            };
            like.iter().map(one).collect()
        };
        let is_forward = operator == Operator::Jvp;
        let (like, gives) = if is_forward { (params, results) } else { (results, params) };
        let (more, given) = (fresh(like), fresh(gives));
        let params: Vec<Binder> = params.iter().cloned().chain(more).collect();
        let op = DeriveOp::OfDefinition {
            operator,
            def: plain.clone(),
            sizes: own_sizes.iter().map(|it| Size::var(*it)).collect(),
            captured: Vec::new(),
            args: atoms(&params),
        };
        let head = Head { sizes: own_sizes, next };
        self.wrapper(name, Origin::Clause, &head, params.clone(), &given, op.into());
        let (name, own_sizes) = (name.clone(), own_sizes.clone());
        Steps { name, own_sizes, params, results: given, next_var: next }
    }

    /// A definition of one statement.
    pub(super) fn wrapper(
        &mut self,
        name: &Name,
        origin: Origin,
        head: &Head<'_>,
        params: Vec<Binder>,
        results: &[Binder],
        op: Op,
    ) {
        self.define(name, origin, head, params, results, |it| it.builder.emit(op));
    }

    /// A definition.
    pub(super) fn define(
        &mut self,
        name: &Name,
        origin: Origin,
        head: &Head<'_>,
        params: Vec<Binder>,
        results: &[Binder],
        body: impl FnOnce(&mut Pass) -> Vec<Atom>,
    ) {
        let begun = self.begin(head.next, self.builder.span(), head.sizes, &params);
        self.builder.open();
        let given = body(self);
        let body = self.builder.close(given);
        let (next_var, spans) = self.builder.end(begun);
        let def = Def {
            name: name.clone(),
            type_params: Vec::new(),
            size_params: head.sizes.to_vec(),
            params,
            results: results.to_vec(),
            body,
            next_var,
            spans,
            origin,
        };
        self.builder.program_mut().defs.insert(name.clone(), Arc::new(def));
    }

    pub(super) fn begin(
        &mut self,
        next: u32,
        span: Option<base::Span>,
        sizes: &[Var],
        params: &[Binder],
    ) -> ir::Unfinished {
        let outer = self.builder.begin(next);
        self.builder.set_span(span);
        sizes.iter().for_each(|it| self.builder.declare(*it, Type::Int));
        self.declare(params);
        outer
    }

    pub(super) fn copies(&mut self, binders: &[Binder]) -> Vec<Binder> {
        let copy =
            |it: &Binder| Binder { var: self.builder.fresh(it.ty.clone()), ty: it.ty.clone() };
        binders.iter().map(copy).collect()
    }

    /// Names that nothing has yet, for definitions that belong together.
    pub(super) fn names<const N: usize>(&mut self, parts: [&str; N]) -> [Name; N] {
        loop {
            // A piece inside of one that is not finished has another number.
            self.n_pieces += 1;
            let number = match self.n_pieces {
                1 => String::new(),
                number => format!("_{number}"),
            };
            let names = parts.map(|it| self.def.name.part(format_args!("{it}{number}")));
            if !names.iter().any(|it| self.builder.program().defs.contains_key(it)) {
                return names;
            }
        }
    }

    /// What a piece takes from around the loop: sizes, and values.
    pub(super) fn captured(&self, plan: &Plan<'_>) -> (Vec<Var>, Vec<Var>) {
        let mut all = plan.mentioned.clone();
        for every in plan.inner {
            if let Every::Steps(Atom::Var(var)) = every {
                all.insert(*var);
            }
        }
        let own: BTreeSet<Var> = plan
            .state
            .iter()
            .chain(&plan.given)
            .map(|it| it.var)
            .chain(plan.sizes.iter().copied())
            .collect();
        let mut sizes: BTreeSet<Var> = BTreeSet::new();
        sizes.extend(plan.state.iter().chain(&plan.given).flat_map(|it| it.ty.size_vars()));
        for var in &all {
            let ty = self.builder.find_type(*var);
            sizes.extend(ty.iter().flat_map(Type::size_vars));
        }
        sizes.retain(|it| !own.contains(it));
        all.retain(|it| !own.contains(it) && !sizes.contains(it));
        (sizes.into_iter().collect(), all.into_iter().collect())
    }
}

/// What definitions of a piece have in common.
pub(super) struct Head<'a> {
    pub(super) sizes: &'a [Var],
    pub(super) next: u32,
}

/// How many results a loop gives.
fn n_results(op: &Op) -> usize {
    if let Op::Control(ControlOp::While { state, .. } | ControlOp::Iterate { state, .. }) = op {
        state.len()
    } else if let Op::Control(ControlOp::Fold { step: Loop { state, .. }, .. }) = op {
        state.len()
    } else {
        0
    }
}

pub(super) fn atoms(binders: &[Binder]) -> Vec<Atom> {
    binders.iter().map(|it| Atom::Var(it.var)).collect()
}
