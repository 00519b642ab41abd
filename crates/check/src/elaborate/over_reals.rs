//! What maps or zips the reals of values of a type, as a function value: what a definition gets unseen for
//! each type parameter of which it asks so (`crate::over_reals`), and what it hands on.

use base::Name;
use ir::{Atom, Binder};

use crate::elaborate::Elaborate;
use crate::elaborate::call::Callable;
use crate::error::StructureError;
use crate::infer::structure::unmapped;
use crate::scheme::OverReals;
use crate::types::{Type, shown_name};

impl OverReals {
    /// The type of the function.
    pub(super) fn ty(&self) -> Type {
        let of = Type::Param(self.of.clone());
        Type::function(parameters(&of, self.n_values), of)
    }
}

/// A function of reals, and the values.
fn parameters(of: &Type, n_values: usize) -> Vec<Type> {
    let reals = Type::function(vec![Type::Real; n_values], Type::Real);
    std::iter::once(reals).chain(vec![of.clone(); n_values]).collect()
}

impl Elaborate<'_> {
    /// Takes what the definition gets for its type parameters.
    pub(super) fn take_over_reals(&mut self, asked: &[OverReals], params: &[Binder]) {
        for (it, param) in asked.iter().zip(params) {
            self.b.declare(param.var, param.ty.clone());
            self.over_reals.insert(it.clone(), Atom::Var(param.var));
        }
    }

    /// What maps, or zips, the reals of values of the type, for the definition of that name.
    pub(super) fn over_reals(&mut self, ty: &Type, n_values: usize, asking: &Name) -> Atom {
        let ty = self.resolve(ty);
        if let Some(own) = self.own_over_reals(&ty, n_values) {
            return own;
        }
        self.refuse_unmapped(&ty, shown_name(asking));
        self.lambda(&parameters(&ty, n_values), |this, args| {
            let (function, values) = args.split_first().expect("a function and values");
            this.reals_of(&ty, values.to_vec(), &Callable::Value(function.clone()))
        })
    }

    /// What the definition got for a type parameter.
    pub(super) fn own_over_reals(&self, ty: &Type, n_values: usize) -> Option<Atom> {
        let Type::Param(of) = ty else { return None };
        self.over_reals.get(&OverReals { of: of.clone(), n_values }).cloned()
    }

    /// Says that the reals of a type cannot be mapped, if so.
    pub(super) fn refuse_unmapped(&mut self, ty: &Type, name: &str) {
        if self.errors.is_empty()
            && let Some(why) = unmapped(&self.c.table, ty)
        {
            let (name, span, ty) = (Name::new(name), self.span, ty.clone());
            self.errors.push(StructureError::Reals { name, span, ty, why }.into());
            self.b.poison();
        }
    }

    /// A function of reals as a value.
    pub(super) fn function_of_reals(&mut self, f: &Callable<'_>, n_values: usize) -> Atom {
        match f {
            Callable::Value(function) => function.clone(),
            Callable::Inline(..)
            | Callable::Def(_)
            | Callable::Con(..)
            | Callable::Builtin(_)
            | Callable::Derive(..) => {
                self.lambda(&vec![Type::Real; n_values], |this, args| this.invoke(f, args))
            }
        }
    }
}

/// Whether a type parameter is in it.
pub(super) fn has_param(ty: &Type) -> bool {
    let mut found = matches!(ty, Type::Param(_));
    ty.each(&mut |part| found = found || has_param(part));
    found
}
