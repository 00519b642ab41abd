//! Functions that are left to run time: values like any other, for `defunctionalise` behind this pass.
//!
//! A function that is put into a sum type becomes a lambda there, and what is taken out of one is applied
//! as it is. Otherwise a function is known until it turns out that it cannot be: branches, loops and
//! recursions that have no end of known functions are told by a refusal, which names the *place*. Then the
//! work begins anew, with functions at that place left to run time.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use base::Name;
use ir::{Atom, Binder, Block, FunctionOp, Lambda, Op, Size, Stmt, Type, Var};

use super::body::{Body, Frame};
use super::instance::{Code, Key};
use super::value::{Closure, Shape, Value, total};
use super::{Reason, Result, Specialiser};

/// Where functions are left to run time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// What a statement of a definition gives, which binds this variable first.
    Statement(Name, Var),
    /// What a definition gives.
    Results(Name),
    /// What a definition takes at this position.
    Param(Name, usize),
}

/// How many functions may arrive at a place of a recursion before they are left to run time.
const MAX_ALTERNATIVES: usize = 16;

impl Body<'_, '_> {
    /// Whether functions are left to run time at the statement that is gone through.
    pub(super) fn is_left(&self) -> bool {
        let place = self.site.clone().map(|(name, var)| Place::Statement(name, var));
        place.is_some_and(|it| self.spec.left.contains(&it))
    }

    /// Refuses, unless that is over with functions left to run time at the current statement.
    pub(super) fn leave<T>(&mut self, reason: Reason) -> Result<T> {
        if let Some((name, var)) = self.site.clone() {
            self.spec.wanted = Some(Place::Statement(name, var));
        }
        self.refuse(reason)
    }

    /// Refuses, unless that is over with functions left to run time where this function is made.
    pub(super) fn leave_function<T>(&mut self, closure: &Closure, reason: Reason) -> Result<T> {
        let (name, var) = (closure.origin.name.clone(), closure.at);
        self.spec.wanted = Some(Place::Statement(name, var));
        self.refuse(reason)
    }

    /// Refuses a call of an instance whose results are not known yet, unless that is over with functions
    /// left to run time in its results.
    pub(super) fn unfinished<T>(&mut self, id: usize) -> Result<T> {
        let instance = &self.spec.instances[id];
        let place = match (&instance.of, &*instance.args) {
            (Some(def), _) => Some(Place::Results(def.clone())),
            (None, [Shape::Closure(name, at, ..), ..]) => Some(Place::Statement(name.clone(), *at)),
            (None, _) => None,
        };
        let name = instance.name.clone();
        self.spec.wanted = place;
        self.refuse(Reason::RecursiveFunction(name))
    }

    /// A function as a value: a lambda that applies it.
    pub(super) fn residual(&mut self, closure: &Rc<Closure>) -> Result<Atom> {
        let frame = Frame::of(closure);
        let mut params = Vec::new();
        for param in &closure.lambda.params {
            let ty = frame.ty(&param.ty);
            params.push(Binder { var: self.builder.fresh(ty.clone()), ty });
        }
        self.builder.open();
        let args = params.iter().map(|it| Value::Atom(Atom::Var(it.var))).collect();
        let values = self.apply_arm(closure.clone(), args)?;
        let results = values.iter().map(|it| self.plain(it)).collect::<Result<_>>()?;
        let body = self.builder.close(results);
        self.one(Op::Function(FunctionOp::Lambda(Arc::new(Lambda { params, body }))))
    }

    /// Values without known functions in them.
    pub(super) fn all_plain(&mut self, values: &[Value]) -> Result<Vec<Value>> {
        values.iter().map(|it| Ok(Value::Atom(self.plain(it)?))).collect()
    }

    /// A known function that applies the value of a variable of the source, a function that is not known:
    /// `(x, ...) => f(x, ...)`. Sizes of its type are captured under new names.
    pub(super) fn expanded(&self, function: Var, value: &Atom) -> Result<Rc<Closure>> {
        let Type::Function(params, _) = self.builder.type_of(value) else {
            return self.refuse(Reason::StoredFunction);
        };
        let origin = self.frame.origin.clone();
        let mut captured = BTreeMap::from([(function, Value::Atom(value.clone()))]);
        let mut next = origin.next_var;
        let mut fresh = || {
            next += 1;
            Var(next - 1)
        };
        let mut names: BTreeMap<Var, Var> = BTreeMap::new();
        for var in params.iter().flat_map(Type::size_vars) {
            let name = *names.entry(var).or_insert_with(&mut fresh);
            captured.insert(name, Value::Atom(Atom::Var(var)));
        }
        let named = |var: Var| names.get(&var).map(|it| Size::var(*it));
        let params = params.iter().map(|ty| ty.substitute_sizes(&named));
        let params: Vec<Binder> = params.map(|ty| Binder { var: fresh(), ty }).collect();
        let args = params.iter().map(|it| Atom::Var(it.var)).collect();
        let result = fresh();
        let op = Op::Function(FunctionOp::Apply(Atom::Var(function), args));
        // Statements of the source are gone through without their types.
        let binders = vec![Binder { var: result, ty: Type::unit() }];
        let body = Block { stmts: vec![Stmt { binders, op }], results: vec![Atom::Var(result)] };
        let weight = total(captured.values());
        let (lambda, types) = (Arc::new(Lambda { params, body }), self.frame.types.clone());
        // No variable has this number: the function itself may be one that is bound to the variable.
        let at = Var(!function.0);
        let run = None;
        Ok(Rc::new(Closure { origin, at, lambda, types, captured, run, weight }))
    }
}

impl Specialiser<'_> {
    /// Where a recursion takes larger and larger functions: the new instance is needed for one of the same
    /// definition, whose function occurs in what it takes. Homeomorphic embedding, as in supercompilation:
    /// every endless chain has such a pair.
    pub(super) fn grows(&self, code: &Code, key: &Key) -> Option<Place> {
        let Code::Def(def) = code else { return None };
        if !self.recursive.contains(&def.name) {
            return None;
        }
        let mut above = self.making;
        while let Some(id) = above {
            let (of, args) = (&self.instances[id].of, &self.instances[id].args);
            if of.as_ref() == Some(&def.name) {
                let mut pairs = args.iter().zip(&key.args);
                let at = pairs.position(|(old, new)| old != new && self.is_in(old, new));
                if let Some(at) = at {
                    return Some(Place::Param(def.name.clone(), at));
                }
            }
            above = self.instances[id].needed_by;
        }
        None
    }

    /// Whether a function is embedded in another.
    fn is_in(&self, old: &Shape, new: &Shape) -> bool {
        let parts = |shape: &'_ Shape| match shape {
            Shape::Closure(_, _, _, parts) | Shape::Tuple(parts) => parts.clone(),
            Shape::Tangent(function) => vec![(**function).clone()],
            Shape::Plain | Shape::Leaf(_) | Shape::Size(_) | Shape::Chosen(..) => Vec::new(),
        };
        let pairwise = |a: &[Shape], b: &[Shape]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same_or_in(a, b))
        };
        let coupled = match (old, new) {
            (Shape::Closure(a, at, _, old), Shape::Closure(b, there, _, new)) => {
                a == b && at == there && pairwise(old, new)
            }
            (Shape::Tuple(old), Shape::Tuple(new)) => pairwise(old, new),
            (Shape::Tangent(old), Shape::Tangent(new)) => self.same_or_in(old, new),
            (Shape::Chosen(a, _), Shape::Chosen(b, _)) => {
                let [few, many] = [a, b].map(|it| self.choices[*it].n_alternatives());
                a != b && (few == many || many > MAX_ALTERNATIVES)
            }
            (Shape::Closure(..) | Shape::Tuple(_) | Shape::Chosen(..), _) => false,
            (Shape::Tangent(_), _) => false,
            (Shape::Plain | Shape::Leaf(_) | Shape::Size(_), _) => false,
        };
        let is_function = matches!(old, Shape::Closure(..) | Shape::Tuple(_) | Shape::Chosen(..));
        coupled || is_function && parts(new).iter().any(|it| self.same_or_in(old, it))
    }

    fn same_or_in(&self, old: &Shape, new: &Shape) -> bool {
        let is_value = |it: &Shape| matches!(it, Shape::Plain | Shape::Leaf(_) | Shape::Size(_));
        is_value(old) && is_value(new) || old == new || self.is_in(old, new)
    }
}
