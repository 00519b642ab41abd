//! `map_reals` and `zip_reals` of a recursive type: a definition that calls itself for what is inside, lifted
//! out as a recursive local function is (`elaborate/recursive.rs`).

use std::collections::BTreeSet;

use base::Name;
use ir::{Atom, FunctionOp, Op};

use crate::elaborate::Elaborate;
use crate::elaborate::call::Callable;
use crate::scheme::OverReals;
use crate::types::Type;

/// What maps a function over the reals of values of a recursive type.
pub(super) struct Walk {
    /// The type.
    of: ir::Type,
    /// How many values there are side by side.
    n_values: usize,
    /// The definition.
    name: Name,
}

impl Elaborate<'_> {
    /// Values of a recursive type: by a definition of their own, which takes the function too.
    pub(super) fn walk(&mut self, ty: &Type, values: &[Atom], f: &Callable<'_>) -> Atom {
        let function = self.function_of_reals(f, values.len());
        let of = self.ty(ty);
        let known = self.walks.iter().find(|it| it.of == of && it.n_values == values.len());
        let name = match known {
            Some(it) => it.name.clone(),
            None => self.make_walk(ty, values.len()),
        };
        let inside = self.over_reals.values();
        let args = std::iter::once(&function).chain(values).chain(inside).cloned().collect();
        let call = FunctionOp::Call {
            def: name,
            types: self.stub.type_params.iter().cloned().map(ir::Type::Var).collect(),
            sizes: sizes_of(&of).into_iter().map(ir::Size::var).collect(),
            args,
        };
        let var = self.b.fresh(of.clone());
        let binders = vec![ir::Binder { var, ty: of }];
        self.b.push(ir::Stmt { binders, op: Op::Function(call) });
        Atom::Var(var)
    }

    /// The definition that calls itself for what is inside. It is known before it is made.
    fn make_walk(&mut self, ty: &Type, n_values: usize) -> Name {
        let of = self.ty(ty);
        let number = self.walks.len() + 1;
        let name = self.stub.name.part(format!("reals{number}"));
        self.walks.push(Walk { of: of.clone(), n_values, name: name.clone() });
        let mut binder = |ty: ir::Type| ir::Binder { var: self.b.fresh(ty.clone()), ty };
        let reals = vec![ir::Type::Real; n_values];
        let function = binder(ir::Type::Function(reals, Box::new(ir::Type::Real)));
        let values: Vec<ir::Binder> = (0..n_values).map(|_| binder(of.clone())).collect();
        let result = binder(of.clone());
        // What is inside may be of a type parameter.
        let asked: Vec<OverReals> = self.over_reals.keys().cloned().collect();
        let inside: Vec<ir::Binder> = asked.iter().map(|it| self.unseen(it)).collect();
        let outside = std::mem::take(&mut self.over_reals);
        self.take_over_reals(&asked, &inside);
        self.open();
        let atoms: Vec<Atom> = values.iter().map(|it| Atom::Var(it.var)).collect();
        let atom = self.each_field(ty, &atoms, &Callable::Value(Atom::Var(function.var)));
        let body = self.close(vec![atom]);
        self.over_reals = outside;
        self.lifted.push(ir::Def {
            name: name.clone(),
            type_params: self.stub.type_params.clone(),
            size_params: sizes_of(&of),
            params: std::iter::once(function).chain(values).chain(inside).collect(),
            results: vec![result],
            body,
            next_var: self.b.next_var(),
            spans: ir::Spans::default(),
            origin: ir::Origin::Source,
        });
        name
    }

    /// A parameter for what maps over the reals of a type parameter.
    fn unseen(&mut self, it: &OverReals) -> ir::Binder {
        let ty = self.ty(&it.ty());
        ir::Binder { var: self.b.fresh(ty.clone()), ty }
    }
}

/// The variables in the sizes of a type, each once.
fn sizes_of(ty: &ir::Type) -> Vec<ir::Var> {
    let vars: BTreeSet<ir::Var> = ty.size_vars().into_iter().collect();
    vars.into_iter().collect()
}
