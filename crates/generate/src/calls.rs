//! Functions and sums: calls of definitions, function values, constructors and matches.

use std::sync::Arc;

use base::Name;
use ir::{Arm, Atom, Binder, ControlOp, FunctionOp, Lambda, Op, Signature, Size, Type, Var};

use crate::scope::{Callee, Gen};
use crate::shapes;

impl Gen<'_, '_> {
    /// A call of a definition that has a result of the type.
    pub(crate) fn call(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let mut found = Vec::new();
        for callee in self.callees {
            let signature = self.program().signature(&callee.name)?;
            for (at, result) in signature.results.iter().enumerate() {
                if let Some(types) = matched(&signature, &result.ty, ty) {
                    found.push((callee.clone(), signature.clone(), at, types));
                }
            }
        }
        if found.is_empty() {
            return None;
        }
        let (callee, signature, at, known) = self.random.pick(&found).clone();
        if !self.may_repeat(callee.cost / 4 + 1) {
            return None;
        }
        self.cost = self.cost.saturating_add(self.runs.saturating_mul(callee.cost));
        let size = |it: &mut Self, var: &Var| match known.sizes.iter().find(|it| it.0 == *var) {
            Some((_, size)) => size.clone(),
            None => it.any_size(),
        };
        let sizes: Vec<Size> = signature.size_params.iter().map(|var| size(self, var)).collect();
        let types: Vec<Type> = signature
            .type_params
            .iter()
            .map(|name| match known.types.iter().find(|it| it.0 == *name) {
                Some((_, ty)) => ty.clone(),
                None => Type::Real,
            })
            .collect();
        let args = self.arguments_of(&callee, &signature, &types, &sizes, fuel)?;
        let op = Op::Function(FunctionOp::Call { def: callee.name, types, sizes, args });
        self.emit(op).into_iter().nth(at)
    }

    /// Calls most of the definitions there are; what they give is used by whoever finds it.
    pub(crate) fn call_some(&mut self) {
        for callee in self.callees {
            if self.random.once_in(3) || !self.may_repeat(callee.cost / 4 + 1) {
                continue;
            }
            let Some(signature) = self.program().signature(&callee.name) else { continue };
            let sizes: Vec<Size> = signature.size_params.iter().map(|_| self.any_size()).collect();
            let types: Vec<Type> =
                signature.type_params.iter().map(|_| self.plain_type()).collect();
            if let Some(args) = self.arguments_of(callee, &signature, &types, &sizes, 2) {
                self.cost = self.cost.saturating_add(self.runs.saturating_mul(callee.cost));
                let def = callee.name.clone();
                self.emit(Op::Function(FunctionOp::Call { def, types, sizes, args }));
            }
        }
    }

    /// Values for the parameters of a definition.
    fn arguments_of(
        &mut self,
        callee: &Callee,
        signature: &Signature,
        types: &[Type],
        sizes: &[Size],
        fuel: usize,
    ) -> Option<Vec<Atom>> {
        let type_of =
            |it: &Name| Some(types[signature.type_params.iter().position(|p| p == it)?].clone());
        let size_of =
            |it: Var| Some(sizes[signature.size_params.iter().position(|p| *p == it)?].clone());
        let share = fuel / signature.params.len().max(1);
        let mut args = Vec::new();
        for (at, param) in signature.params.iter().enumerate() {
            let ty = param.ty.substitute(&type_of, &size_of);
            if shapes::scalars(&ty) > 150 {
                return None;
            }
            args.push(match (at, callee.counts_down) {
                (0, true) => self.few(share),
                _ => self.value(&ty, share),
            });
        }
        Some(args)
    }

    /// A function value of these parameters.
    pub(crate) fn lambda(&mut self, params: &[Type], result: &Type, fuel: usize) -> Atom {
        let params: Vec<Binder> = params.iter().map(|ty| self.binder(ty)).collect();
        let body = self.block(&params, |it| vec![it.value(result, fuel)]);
        self.one(Op::Function(FunctionOp::Lambda(Arc::new(Lambda { params, body }))))
    }

    /// A call of a function value that is there already, or of a new one. The body of one that is
    /// there counts as often as it is called, so that calls are few.
    pub(crate) fn apply(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        if !self.habits.functions {
            return None;
        }
        let fits = |it: &Type| {
            let Type::Function(params, result) = it else { return None };
            (**result == *ty).then(|| params.clone())
        };
        let found: Vec<(Atom, Vec<Type>)> =
            self.scope.iter().filter_map(|it| Some((Atom::Var(it.var), fits(&it.ty)?))).collect();
        let (inside, outside) = self.split(fuel);
        if !found.is_empty() && !self.random.once_in(3) && self.may_repeat(20) {
            let (function, params) = self.random.pick(&found).clone();
            self.cost = self.cost.saturating_add(self.runs.saturating_mul(20));
            let args = params.iter().map(|ty| self.value(ty, outside / params.len())).collect();
            return Some(self.one(Op::Function(FunctionOp::Apply(function, args))));
        }
        // Twice, since whoever takes the function may call it again.
        self.repeated(2, |it| {
            let count = 1 + it.random.below(2);
            let params: Vec<Type> = (0..count).map(|_| it.any_type()).collect();
            let function = it.value(&Type::Function(params.clone(), Box::new(ty.clone())), inside);
            let args = params.iter().map(|ty| it.value(ty, outside / count)).collect();
            Some(it.one(Op::Function(FunctionOp::Apply(function, args))))
        })
    }

    /// A value of a sum type; without fuel of a constructor that does not need another such value.
    pub(crate) fn construct(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let cons = ir::typing::constructors(self.program(), ty).ok()?;
        let flat: Vec<_> = cons.iter().filter(|it| !it.fields.contains(ty)).cloned().collect();
        let con = self.random.pick(if fuel < 2 { &flat } else { &cons }).clone();
        let share = fuel / con.fields.len().max(1);
        let args = con.fields.iter().map(|it| self.value(it, share)).collect();
        Some(self.one(Op::Con { ty: ty.clone(), con: con.name, args }))
    }

    /// A match on a value of a sum type.
    pub(crate) fn case(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let names: Vec<Name> = self.program().datas.keys().cloned().collect();
        if names.is_empty() {
            return None;
        }
        let sum = Type::Data(self.random.pick(&names).clone(), Vec::new(), Vec::new());
        let (outside, inside) = self.split(fuel);
        let value = self.value(&sum, outside);
        let mut cons = ir::typing::constructors(self.program(), &sum).ok()?;
        let partial = self.random.once_in(3);
        if partial {
            cons.remove(self.random.below(cons.len()));
        }
        let mut arms = Vec::new();
        for con in cons {
            let fields: Vec<Binder> = con.fields.iter().map(|it| self.binder(it)).collect();
            let body = self.block(&fields, |it| vec![it.value(ty, inside / 2)]);
            arms.push(Arm { con: con.name, fields, body });
        }
        let otherwise = partial.then(|| self.block(&[], |it| vec![it.value(ty, inside / 2)]));
        Some(self.one(Op::Control(ControlOp::Match { value, arms, otherwise })))
    }
}

/// What type and size parameters must be.
#[derive(Clone, Default)]
struct Matched {
    types: Vec<(Name, Type)>,
    sizes: Vec<(Var, Size)>,
}

/// What the parameters of a definition must be so that a result has the type wanted.
fn matched(signature: &Signature, result: &Type, wanted: &Type) -> Option<Matched> {
    let mut known = Matched::default();
    match_type(signature, result, wanted, &mut known).then_some(known)
}

fn match_type(signature: &Signature, result: &Type, wanted: &Type, known: &mut Matched) -> bool {
    if let Type::Var(name) = result {
        return match known.types.iter().find(|it| it.0 == *name) {
            Some((_, ty)) => ty == wanted,
            None => {
                known.types.push((name.clone(), wanted.clone()));
                true
            }
        };
    }
    let sizes = result.sizes().into_iter().zip(wanted.sizes());
    let parts = result.parts().into_iter().zip(wanted.parts());
    result.same_form(wanted)
        && sizes.into_iter().all(|(size, wanted)| match_size(signature, size, wanted, known))
        && parts.into_iter().all(|(part, wanted)| match_type(signature, part, wanted, known))
}

fn match_size(signature: &Signature, size: &Size, wanted: &Size, known: &mut Matched) -> bool {
    match size.as_var() {
        Some(var) if signature.size_params.contains(var) => {
            match known.sizes.iter().find(|it| it.0 == *var) {
                Some((_, size)) => size == wanted,
                None => {
                    known.sizes.push((*var, wanted.clone()));
                    true
                }
            }
        }
        Some(_) | None => size.as_constant().is_some() && size == wanted,
    }
}
