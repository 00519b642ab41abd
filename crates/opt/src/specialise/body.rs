//! Goes through the body of an instance, one arm per constructor, in the order of `op.rs`.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use base::{Name, Span};
use ir::walk::{self, Rewrite};
use ir::{
    ArrayOp, Atom, Binder, Block, Builder, ControlOp, Def, DeriveOp, Dialect, FunctionOp, Lambda,
    Op, Size, Stmt, Type, Var, typing,
};

use super::instance::Code;
use super::value::{Closure, TypeArgs, Value, forgetful, substitute, total};
use super::{MAX_IN_PLACE, MAX_STATEMENTS, Reason, Result, Specialiser};
use super::{applies, n_statements, refuse, size_vars};
use crate::limits::MAX_WEIGHT;
use crate::tuning::SMALL_FUNCTION;

/// What the variables of a definition of the source stand for.
#[derive(Clone)]
pub(super) struct Frame {
    pub(super) origin: Arc<Def>,
    pub(super) types: TypeArgs,
    pub(super) env: BTreeMap<Var, Value>,
}

impl Frame {
    /// The inside of a function, but for its parameters.
    pub(super) fn of(closure: &Closure) -> Frame {
        let (origin, types) = (closure.origin.clone(), closure.types.clone());
        Frame { origin, types, env: closure.captured.clone() }
    }

    pub(super) fn size(&self, size: &Size) -> Size {
        substitute(size, &|var| self.env.get(&var)?.as_size())
    }

    pub(super) fn ty(&self, ty: &Type) -> Type {
        ty.substitute(&|name| self.types.get(name).cloned(), &|var| self.env.get(&var)?.as_size())
    }
}

/// The work on one instance.
pub(super) struct Body<'a, 'p> {
    pub(super) spec: &'a mut Specialiser<'p>,
    pub(super) builder: Builder<'p>,
    pub(super) frame: Frame,
    pub(super) span: Option<Span>,
    /// The statement that is gone through: its definition, and the first variable that it binds.
    pub(super) site: Option<(Name, Var)>,
}

impl Body<'_, '_> {
    pub(super) fn refuse<T>(&self, reason: Reason) -> Result<T> {
        refuse(self.span, reason)
    }

    /// Goes through the statements, into the block that is open; gives the results.
    pub(super) fn block(&mut self, block: &Block) -> Result<Vec<Value>> {
        block.stmts.iter().try_for_each(|it| self.stmt(it))?;
        Ok(block.results.iter().map(|it| self.value(it)).collect())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        let outer = self.span;
        let own = stmt.binders.first().and_then(|it| self.frame.origin.spans.0.get(&it.var));
        self.span = own.copied().or(outer);
        self.builder.set_span(self.span);
        let first = stmt.binders.first().map(|it| (self.frame.origin.name.clone(), it.var));
        let site = std::mem::replace(&mut self.site, first);
        let values = self.op(stmt)?;
        self.site = site;
        let vars = stmt.binders.iter().map(|it| it.var);
        self.frame.env.extend(vars.zip(values));
        self.span = outer;
        self.builder.set_span(outer);
        Ok(())
    }

    fn op(&mut self, stmt: &Stmt) -> Result<Vec<Value>> {
        match &stmt.op {
            Op::Copy(atom) if self.value(atom).is_static() => Ok(vec![self.value(atom)]),

            Op::Tuple { rank: 0, parts } if parts.iter().any(|it| self.value(it).is_static()) => {
                let parts: Rc<[Value]> = parts.iter().map(|it| self.value(it)).collect();
                match total(parts.iter()) > MAX_WEIGHT {
                    true => Ok(vec![Value::Atom(self.plain(&Value::Tuple(parts))?)]),
                    false => Ok(vec![Value::Tuple(parts)]),
                }
            }
            Op::Proj { tuple, index } => match self.value(tuple) {
                Value::Tuple(parts) => Ok(vec![parts[*index].clone()]),
                Value::Atom(_) | Value::Size(_) | Value::Closure(_) => self.leaf_op(&stmt.op),
                Value::Chosen(_) | Value::Tangent(_) => self.leaf_op(&stmt.op),
            },

            Op::Con { ty, con, args } => {
                let (ty, con, args) = (self.frame.ty(ty), con.clone(), self.plains(args)?);
                self.emit(Op::Con { ty, con, args })
            }
            Op::Control(ControlOp::Match { value, arms, otherwise }) => {
                self.match_(value, arms, otherwise.as_ref())
            }

            Op::Function(FunctionOp::Lambda(lambda)) => {
                Ok(vec![self.lambda(stmt.binders[0].var, lambda)?])
            }
            Op::Function(FunctionOp::Apply(function, args)) => {
                let args = args.iter().map(|it| self.value(it)).collect();
                self.apply(function, args)
            }
            Op::Function(FunctionOp::Call { def, types, sizes, args }) => {
                self.call(def, types, sizes, args)
            }

            Op::Control(ControlOp::If { cond, then, otherwise }) => self.if_(cond, then, otherwise),
            Op::Control(ControlOp::Build { sizes, indices, body }) => {
                self.build(sizes, indices, body)
            }
            Op::Control(ControlOp::Fold { inits, arrays, step }) => {
                let (inits, arrays, step, state) = self.loop_(inits, arrays, step)?;
                let results = self.emit(Op::Control(ControlOp::Fold { inits, arrays, step }))?;
                Ok(state.rebuild(results))
            }
            // Arrays hold no functions.
            Op::Control(ControlOp::Scan { inits, arrays, step }) => {
                if inits.iter().any(|it| self.value(it).is_static()) {
                    return self.refuse(Reason::StoredFunction);
                }
                let (inits, arrays, step, _) = self.loop_(inits, arrays, step)?;
                self.emit(Op::Control(ControlOp::Scan { inits, arrays, step }))
            }
            Op::Control(ControlOp::Iterate { count, index, inits, state, body }) => {
                self.iterate(count, *index, inits, state, body)
            }
            Op::Control(ControlOp::While { inits, state, cond, body }) => {
                self.while_(inits, state, cond, body)
            }

            Op::Array(ArrayOp::Literal { elem, parts }) => {
                let (elem, parts) = (self.frame.ty(elem), self.plains(parts)?);
                self.emit(Op::Array(ArrayOp::Literal { elem, parts }))
            }
            Op::Array(ArrayOp::Filter { array, predicate }) => self.filter(array, predicate),

            Op::Derive(DeriveOp::OfFunction { operator, level, function, args }) => {
                self.derive(*operator, *level, function, args)
            }
            Op::Derive(DeriveOp::OfDefinition { operator, .. }) => {
                self.refuse(Reason::Derivative(*operator))
            }
            Op::Delta(_) => self.refuse(Reason::Delta),
            // No function can be kept, or told of.
            Op::Derive(DeriveOp::Checkpoint { value, .. } | DeriveOp::Tell { value, .. })
                if self.value(value).is_static() =>
            {
                Ok(vec![self.value(value)])
            }
            Op::Derive(DeriveOp::StopGradient(value)) => {
                let value = self.value(value);
                Ok(vec![self.stopped(&value)?])
            }
            Op::Copy(_)
            | Op::Prim(..)
            | Op::Size(_)
            | Op::Tuple { .. }
            | Op::Equal(..)
            | Op::Close(..)
            | Op::Array(_)
            | Op::Derive(_) => self.leaf_op(&stmt.op),
        }
    }

    /// An operation without blocks, functions and types inside: other atoms and sizes.
    fn leaf_op(&mut self, op: &Op) -> Result<Vec<Value>> {
        let mut renamed = Renamed { body: self, refusal: None };
        let op = walk::rewrite_op(op, &mut renamed);
        match renamed.refusal {
            Some(refusal) => Err(refusal),
            None => self.emit(op),
        }
    }

    fn lambda(&mut self, at: Var, lambda: &Arc<Lambda>) -> Result<Value> {
        let free = walk::free_vars(lambda);
        let sizes = size_vars(lambda);
        // A number that types mention stays one, wherever the function is handed on to.
        let value = |var: Var| {
            let value = self.value(&Atom::Var(var));
            let size = value.as_size().filter(|it| it.as_constant().is_some());
            size.filter(|_| sizes.contains(&var)).map_or(value, Value::Size)
        };
        let mut captured: BTreeMap<Var, Value> = free.iter().map(|it| (*it, value(*it))).collect();
        if total(captured.values()) > MAX_WEIGHT {
            for value in captured.values_mut().filter(|it| it.is_static()) {
                *value = Value::Atom(self.plain(value)?);
            }
        }
        let weight = total(captured.values());
        let (origin, types) = (self.frame.origin.clone(), self.frame.types.clone());
        let (lambda, run) = (lambda.clone(), None);
        let closure = Rc::new(Closure { origin, at, lambda, types, captured, run, weight });
        match self.is_left() {
            true => Ok(Value::Atom(self.residual(&closure)?)),
            false => Ok(Value::Closure(closure)),
        }
    }

    fn apply(&mut self, function: &Atom, args: Vec<Value>) -> Result<Vec<Value>> {
        match self.value(function) {
            Value::Closure(closure) if self.goes_in_place(function, &closure.lambda) => {
                self.in_place(&closure, args)
            }
            Value::Closure(closure) => {
                self.invoke(Code::Lambda(forgetful(&closure)), &[], &[], args)
            }
            function @ (Value::Atom(_) | Value::Chosen(_) | Value::Tangent(_)) => {
                self.apply_value(&function, args)
            }
            Value::Size(_) | Value::Tuple(_) => self.refuse(Reason::StoredFunction),
        }
    }

    /// Applies a function of which it is not known where else it is mentioned.
    pub(super) fn apply_value(&mut self, function: &Value, args: Vec<Value>) -> Result<Vec<Value>> {
        match function {
            Value::Closure(closure) => self.apply_arm(closure.clone(), args),
            Value::Chosen(chosen) => self.apply_chosen(chosen, args),
            Value::Tangent(tangent) => self.apply_tangent(tangent, args),
            Value::Atom(function) => {
                let args = args.iter().map(|it| self.plain(it)).collect::<Result<_>>()?;
                self.emit(Op::Function(FunctionOp::Apply(function.clone(), args)))
            }
            Value::Size(_) | Value::Tuple(_) => self.refuse(Reason::StoredFunction),
        }
    }

    /// Whether a function is put where it is applied: if the variable occurs nowhere else, or if
    /// it is small. One that applies others is not copied, so that nothing is copied twice.
    fn goes_in_place(&mut self, function: &Atom, lambda: &Lambda) -> bool {
        let Atom::Var(var) = function else { return is_small(lambda) };
        let origin = &self.frame.origin;
        let uses = &mut self.spec.uses;
        let uses =
            uses.entry(origin.name.clone()).or_insert_with(|| walk::count_uses(&origin.body));
        is_small(lambda) || uses.get(var).is_none_or(|it| *it == 1)
    }

    /// Applies one of several functions, in the arm of a match.
    pub(super) fn apply_arm(
        &mut self,
        closure: Rc<Closure>,
        args: Vec<Value>,
    ) -> Result<Vec<Value>> {
        if is_small(&closure.lambda) {
            return self.in_place(&closure, args);
        }
        self.invoke(Code::Lambda(forgetful(&closure)), &[], &[], args)
    }

    /// The body of a function, with its arguments for its parameters.
    fn in_place(&mut self, closure: &Closure, args: Vec<Value>) -> Result<Vec<Value>> {
        if self.spec.in_place >= MAX_IN_PLACE {
            return self.leave_function(closure, Reason::TooDeep);
        }
        let mut frame = Frame::of(closure);
        frame.env.extend(closure.lambda.params.iter().map(|it| it.var).zip(args));
        let outer = std::mem::replace(&mut self.frame, frame);
        self.spec.in_place += 1;
        let values = self.block(&closure.lambda.body);
        self.spec.in_place -= 1;
        self.frame = outer;
        values
    }

    /// What an atom of the source stands for.
    pub(super) fn value(&self, atom: &Atom) -> Value {
        match atom {
            Atom::Var(var) => self.frame.env.get(var).cloned().expect("V1: bound before use"),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => {
                Value::Atom(atom.clone())
            }
        }
    }

    /// A value as an atom; functions in it are left to run time.
    pub(super) fn plain(&mut self, value: &Value) -> Result<Atom> {
        match value {
            Value::Atom(atom) => Ok(atom.clone()),
            Value::Size(size) => self.one(Op::Size(size.clone())),
            Value::Tuple(parts) => {
                let parts = parts.iter().map(|it| self.plain(it)).collect::<Result<_>>()?;
                self.one(Op::Tuple { rank: 0, parts })
            }
            Value::Closure(closure) => self.residual(closure),
            Value::Chosen(chosen) => {
                let values = self.each_alternative(chosen, |body, closure| {
                    Ok(vec![Value::Atom(body.residual(&closure)?)])
                })?;
                self.plain(&values[0])
            }
            Value::Tangent(_) => self.refuse(Reason::StoredFunction),
        }
    }

    pub(super) fn plain_atom(&mut self, atom: &Atom) -> Result<Atom> {
        let value = self.value(atom);
        self.plain(&value)
    }

    pub(super) fn plains(&mut self, atoms: &[Atom]) -> Result<Vec<Atom>> {
        atoms.iter().map(|it| self.plain_atom(it)).collect()
    }

    /// A variable of the source that a block binds.
    pub(super) fn bind(&mut self, binder: &Binder) -> Result<Binder> {
        let ty = self.frame.ty(&binder.ty);
        self.allow(&ty)?;
        let var = self.builder.fresh(ty.clone());
        self.frame.env.insert(binder.var, Value::Atom(Atom::Var(var)));
        Ok(Binder { var, ty })
    }

    pub(super) fn allow(&self, ty: &Type) -> Result<()> {
        match Dialect::Monomorphic.allows_type(ty) {
            true => Ok(()),
            false => self.refuse(Reason::StoredFunction),
        }
    }

    /// Adds a statement; gives its results.
    pub(super) fn emit(&mut self, op: Op) -> Result<Vec<Value>> {
        let output = &self.spec.output;
        let count = match typing::result_count(output, &op) {
            Ok(count) => count,
            Err(message) => return self.refuse(Reason::LostSize(message)),
        };
        let vars: Vec<Var> = (0..count).map(|_| self.builder.fresh(Type::unit())).collect();
        let type_of = |var: Var| Some(self.builder.type_of(&Atom::Var(var)));
        let types = match typing::result_types(output, &type_of, &op, &vars) {
            Ok(types) => types,
            Err(message) => return self.refuse(Reason::LostSize(message)),
        };
        types.iter().try_for_each(|it| self.allow(it))?;
        let binders = vars.iter().zip(types).map(|(var, ty)| Binder { var: *var, ty }).collect();
        self.push(Stmt { binders, op })?;
        Ok(vars.into_iter().map(|it| Value::Atom(Atom::Var(it))).collect())
    }

    /// Adds a statement with one result.
    pub(super) fn one(&mut self, op: Op) -> Result<Atom> {
        let values = self.emit(op)?;
        match values.into_iter().next() {
            Some(Value::Atom(atom)) => Ok(atom),
            Some(Value::Size(_) | Value::Tuple(_) | Value::Closure(_))
            | Some(Value::Chosen(_) | Value::Tangent(_))
            | None => unreachable!("statements bind variables"),
        }
    }

    pub(super) fn push(&mut self, stmt: Stmt) -> Result<()> {
        self.spec.n_statements += 1;
        if self.spec.n_statements > MAX_STATEMENTS {
            return self.refuse(Reason::TooLarge);
        }
        self.builder.push(stmt);
        Ok(())
    }
}

/// Whether a function is put in place wherever it is applied.
fn is_small(lambda: &Lambda) -> bool {
    n_statements(&lambda.body) <= SMALL_FUNCTION && !applies(&lambda.body)
}

/// Puts the values of the frame in the place of variables.
struct Renamed<'b, 'a, 'p> {
    body: &'b mut Body<'a, 'p>,
    refusal: Option<super::Refusal>,
}

impl Rewrite for Renamed<'_, '_, '_> {
    fn atom(&mut self, atom: &Atom) -> Atom {
        self.body.plain_atom(atom).unwrap_or_else(|refusal| {
            self.refusal.get_or_insert(refusal);
            atom.clone()
        })
    }

    fn size(&mut self, size: &Size) -> Size {
        self.body.frame.size(size)
    }
}
