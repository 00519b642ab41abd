//! Tangents of known functions: how the result of a function changes with what it captured.
//!
//! A definition that takes functions may come with a jvp, which takes a tangent for each of them. An
//! instance of the definition takes what the functions captured (`call.rs`), and that of the jvp takes
//! the same and tangents of it. So in there, `g` is a function that captured `c`, and its tangent `dg`
//! is `Tangent { function: g of c, tangent: g of dc }`.
//!
//! `dg(y)` becomes a jvp along `c` of the definition that applies `g` of `c` to `y`:
//! `derivative jvp apply (y) (c, dc)`. To differentiate `dg` itself, that is an instance in its turn.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use base::Name;
use ir::{Atom, Binder, Custom, Def, DeriveOp, Literal, Op, Operator, Size, Type, Var};

use super::body::{Body, Frame};
use super::call::{Callee, Prepared};
use super::derive::Instantiated;
use super::instance::{Code, Job, Key};
use super::value::{Exact, Tangent, Value};
use super::{Reason, Result};

/// What the parameters of an instance are, for those of its derivative.
pub(super) struct Outline {
    def: Arc<Def>,
    key: Key,
    frame: Frame,
    size_params: Vec<Var>,
    params: Vec<Binder>,
}

/// Which parameters of an instance that applies a function are its last, by which it is differentiated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    /// What the function captured.
    Captured,
    /// What it is applied to.
    Arguments,
}

/// An instance that applies a function, and what it is called with.
pub(super) struct Applied {
    pub(super) def: Name,
    pub(super) sizes: Vec<Size>,
    /// Its first parameters.
    pub(super) captured: Vec<Atom>,
    /// Its last.
    pub(super) args: Vec<Atom>,
    /// The type of its result.
    pub(super) result: Type,
    exact: Exact,
}

impl Outline {
    /// The outline of an instance of a definition that takes functions.
    pub(super) fn new(def: &Arc<Def>, prepared: &Prepared) -> Outline {
        let (key, job) = (prepared.key.clone(), &prepared.job);
        let (size_params, params) = (job.size_params.clone(), job.params.clone());
        Outline { def: def.clone(), key, frame: job.frame.clone(), size_params, params }
    }
}

impl Body<'_, '_> {
    /// The jvp of a definition that takes functions, for one of its instances.
    pub(super) fn carry_functions(&mut self, of: Outline, id: usize) -> Result<()> {
        let name = self.spec.instances[id].name.clone();
        if self.spec.output.customs.contains_key(&name) {
            return Ok(());
        }
        let source = self.spec.source;
        let rule = source.customs.get(&of.def.name).and_then(|it| it.jvp.clone());
        let Some(clause) = rule.and_then(|it| source.defs.get(&it)) else {
            return self.refuse(Reason::CustomOfFunctions(of.def.name.clone()));
        };
        // Entered first: it may call the definition.
        self.spec.output.customs.insert(name.clone(), Custom::default());
        let (key, job) = self.clause_job(clause, of);
        let id = self.instance(key, job)?;
        let jvp = Some(self.spec.instances[id].name.clone());
        self.spec.output.customs.insert(name, Custom { vjp: None, jvp });
        Ok(())
    }

    /// The instance of a clause takes what that of its definition takes, and tangents of it.
    fn clause_job(&self, clause: &Arc<Def>, of: Outline) -> (Key, Job) {
        let Outline { def, key, frame: inside, size_params, mut params } = of;
        let next = (size_params.len() + params.len()) as u32;
        let own = params.clone();
        let tangents = own.iter().zip(next..);
        let tangents: BTreeMap<Var, Binder> =
            tangents.map(|(it, to)| (it.var, Binder { var: Var(to), ty: it.ty.clone() })).collect();
        let real = |var: Var| {
            let param = own.iter().find(|it| it.var == var);
            param.is_some_and(|it| self.has_real(&it.ty, &mut BTreeSet::new()))
        };
        let mut frame =
            Frame { origin: clause.clone(), types: inside.types.clone(), env: BTreeMap::new() };
        let value = |var: &Var| inside.env.get(var).cloned().expect("a parameter has a value");
        for (var, old) in clause.size_params.iter().zip(&def.size_params) {
            frame.env.insert(*var, value(old));
        }
        let (primals, directions) = clause.params.split_at(def.params.len());
        for ((primal, direction), old) in primals.iter().zip(directions).zip(&def.params) {
            let function = value(&old.var);
            frame.env.insert(direction.var, tangent_of(&function, &tangents, &real));
            frame.env.insert(primal.var, function);
        }
        params.extend(own.iter().filter_map(|it| tangents.get(&it.var).cloned()));
        let next_var = (size_params.len() + params.len()) as u32;
        let key = Key { def: Some(clause.name.clone()), ..key };
        (key, Job::new(Code::Def(clause.clone()), frame, size_params, params, next_var))
    }

    /// Applies the tangent of a function.
    pub(super) fn apply_tangent(&mut self, of: &Tangent, args: Vec<Value>) -> Result<Vec<Value>> {
        let applied = self.applied(&of.function, &args, Last::Captured)?;
        let Applied { def, sizes, captured, mut args, exact, .. } = applied;
        match self.has_real_leaf(&exact, &of.function) {
            true => args.extend(exact.leaves(&of.tangent)),
            false => args.push(Atom::Real(Literal(0.0))),
        }
        let operator = Operator::Jvp;
        self.emit(Op::Derive(DeriveOp::OfDefinition { operator, def, sizes, captured, args }))
    }

    /// An instance that applies a function, all of whose arguments are its parameters.
    pub(super) fn applied(
        &mut self,
        function: &Value,
        args: &[Value],
        last: Last,
    ) -> Result<Applied> {
        let mut plain = Vec::new();
        for arg in args {
            plain.push(match arg {
                Value::Size(size) => Value::Atom(self.one(Op::Size(size.clone()))?),
                Value::Atom(_) | Value::Tuple(_) | Value::Closure(_) => arg.clone(),
                Value::Chosen(_) | Value::Tangent(_) => arg.clone(),
            });
        }
        let type_of = |atom: &Atom| self.builder.type_of(atom);
        let mut exact = Exact::default();
        plain.iter().chain([function]).for_each(|it| exact.add_value(it, &type_of));
        let code = Code::Apply { origin: self.frame.origin.clone(), n_args: args.len() as u32 };
        let mut callee = Callee::new(&code, exact, &[]);
        let captured = |callee: &mut Callee| {
            let inside = callee.function(function, &type_of);
            callee.frame.env.insert(Var(0), inside);
        };
        if last == Last::Arguments {
            captured(&mut callee);
        }
        let n_captured = callee.args.len();
        for (number, arg) in (1..).zip(&plain) {
            let inside = match arg {
                Value::Atom(atom) => callee.leaf(atom, type_of(atom)),
                Value::Size(_) | Value::Tuple(_) | Value::Closure(_) => {
                    callee.function(arg, &type_of)
                }
                Value::Chosen(_) | Value::Tangent(_) => callee.function(arg, &type_of),
            };
            callee.frame.env.insert(Var(number), inside);
        }
        let n_args = callee.args.len();
        if last == Last::Captured {
            captured(&mut callee);
        }
        let mut n_first = if last == Last::Captured { n_args } else { n_captured };
        if last == Last::Captured && !self.has_real_leaf(&callee.exact, function) {
            // There has to be something to differentiate by.
            n_first = callee.args.len();
            callee.leaf(&Atom::Real(Literal(0.0)), Type::Real);
        }
        let exact = std::mem::take(&mut callee.exact);
        let Prepared { key, job, sizes, args: mut captured } = callee.finish(code);
        let id = self.instance(key, job)?;
        let (def, result) = self.single_result(id)?;
        let args = captured.split_off(n_first);
        Ok(Applied { def, sizes, captured, args, result, exact })
    }

    /// An instance that applies a function to the arguments that it is differentiated by.
    pub(super) fn instantiate_applied(
        &mut self,
        function: &Value,
        args: &[Atom],
    ) -> Result<Instantiated> {
        let args: Vec<Value> = args.iter().cloned().map(Value::Atom).collect();
        let Applied { def, sizes, captured, result, .. } =
            self.applied(function, &args, Last::Arguments)?;
        Ok(Instantiated { def, sizes, captured, result })
    }

    /// How many parameters a function takes.
    pub(super) fn arity(&self, function: &Value) -> Result<usize> {
        match function {
            Value::Closure(closure) => Ok(closure.lambda.params.len()),
            Value::Chosen(chosen) => self.arity(self.spec.choices[chosen.choice].first()),
            Value::Tangent(tangent) => self.arity(&tangent.function),
            Value::Atom(_) | Value::Size(_) | Value::Tuple(_) => {
                self.refuse(Reason::StoredFunction)
            }
        }
    }

    /// Whether a function captured reals.
    fn has_real_leaf(&self, exact: &Exact, function: &Value) -> bool {
        let leaves = exact.leaves(function);
        leaves.iter().any(|it| self.has_real(&self.builder.type_of(it), &mut BTreeSet::new()))
    }
}

/// The tangent of a parameter, from those of what is left of it.
fn tangent_of(
    value: &Value,
    tangents: &BTreeMap<Var, Binder>,
    real: &dyn Fn(Var) -> bool,
) -> Value {
    match value {
        Value::Atom(Atom::Var(var)) => match tangents.get(var) {
            Some(tangent) => Value::Atom(Atom::Var(tangent.var)),
            None => Value::Atom(Atom::Int(0)),
        },
        // A size that both know.
        Value::Atom(Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_)) => value.clone(),
        Value::Size(_) => Value::Atom(Atom::Int(0)),
        Value::Tuple(parts) => {
            Value::Tuple(parts.iter().map(|it| tangent_of(it, tangents, real)).collect())
        }
        Value::Closure(_) | Value::Chosen(_) | Value::Tangent(_) => {
            let mut leaf = |atom: &Atom| match atom {
                Atom::Var(var) if real(*var) => {
                    tangent_of(&Value::Atom(atom.clone()), tangents, real)
                }
                Atom::Var(_) | Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => {
                    Value::Atom(atom.clone())
                }
            };
            let tangent = value.map(&mut leaf, &|_| None);
            Value::Tangent(Rc::new(Tangent { function: value.clone(), tangent }))
        }
    }
}
