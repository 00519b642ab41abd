//! Derivative operators: the function becomes an instance, and the operator one of a definition.
//!
//! `grad f x`, where `f` captured `a`, becomes `grad f_lambda [] (a) (x)`: what was captured stands in
//! front and is constant. Parts stand side by side there, in tuples here; see `Op::Derivative`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::Name;
use ir::{Atom, ConDecl, DataDecl, DeriveOp, Op, Operator, Size, Type};

use super::body::Body;
use super::value::{Chosen, Closure, Tangent, Value, forgetful};
use super::{Reason, Result};

/// An instance with what it captured.
pub(super) struct Instantiated {
    pub(super) def: Name,
    pub(super) sizes: Vec<Size>,
    pub(super) captured: Vec<Atom>,
    /// The type of its result.
    pub(super) result: Type,
}

impl Body<'_, '_> {
    pub(super) fn derive(
        &mut self,
        operator: Operator,
        level: u32,
        function: &Atom,
        args: &[Atom],
    ) -> Result<Vec<Value>> {
        if level > 0 {
            return self.refuse(Reason::Derivative(operator));
        }
        let args = self.plains(args)?;
        match self.value(function) {
            function @ (Value::Closure(_) | Value::Tangent(_)) => {
                Ok(vec![self.derivative(operator, &function, &args)?])
            }
            Value::Chosen(chosen) => self.each_alternative(&chosen, |body, closure| {
                Ok(vec![body.derivative(operator, &Value::Closure(closure), &args)?])
            }),
            Value::Atom(value) => {
                let Atom::Var(var) = function else { return self.refuse(Reason::StoredFunction) };
                let closure = self.expanded(*var, &value)?;
                Ok(vec![self.derivative(operator, &Value::Closure(closure), &args)?])
            }
            Value::Size(_) | Value::Tuple(_) => self.refuse(Reason::StoredFunction),
        }
    }

    fn derivative(&mut self, operator: Operator, function: &Value, args: &[Atom]) -> Result<Value> {
        let closure = if let Value::Closure(closure) = function { Some(closure) } else { None };
        let count = self.arity(function)?;
        let mut args = match operator {
            Operator::Jvp | Operator::Hvp if count != 1 => self.parts_of_all(args, count)?,
            Operator::Jvp | Operator::Hvp | Operator::Vjp | Operator::Grad => args.to_vec(),
            Operator::ValueAndGrad | Operator::Jacobian | Operator::Hessian => args.to_vec(),
            Operator::Linearise => args.to_vec(),
        };
        if let Operator::Jvp | Operator::Vjp = operator {
            args.extend(closure.and_then(|it| it.run.clone()));
        }
        let params = args[..count].to_vec();
        let Instantiated { def, sizes, captured, result } = match closure {
            Some(closure) => self.instantiate(forgetful(closure), &params)?,
            None => self.instantiate_applied(function, &params)?,
        };
        if operator == Operator::Linearise {
            self.declare_run(&def);
        }
        let results =
            self.emit(Op::Derive(DeriveOp::OfDefinition { operator, def, sizes, captured, args }))?;
        let results = results.iter().map(|it| self.plain(it)).collect::<Result<Vec<Atom>>>()?;
        let whole = match operator {
            Operator::Jvp => results[0].clone(),
            Operator::Vjp | Operator::Grad | Operator::Hvp => self.argument(results)?,
            Operator::ValueAndGrad => {
                let argument = self.argument(results[1..].to_vec())?;
                self.one(Op::Tuple { rank: 0, parts: vec![results[0].clone(), argument] })?
            }
            Operator::Linearise => {
                let Some(closure) = closure else {
                    return self.refuse(Reason::Derivative(operator));
                };
                let run = Some(results[1].clone());
                let kept = Value::Closure(Rc::new(Closure { run, ..Closure::clone(closure) }));
                return Ok(Value::Tuple(Rc::new([Value::Atom(results[0].clone()), kept])));
            }
            Operator::Jacobian => self.zip(operator, &result, results, 0)?,
            Operator::Hessian => {
                let mut rows = Vec::new();
                for (at, param) in params.iter().enumerate() {
                    let ty = self.builder.type_of(param);
                    let row = results[at * count..][..count].to_vec();
                    rows.push(self.zip(operator, &ty, row, 0)?);
                }
                self.argument(rows)?
            }
        };
        Ok(Value::Atom(whole))
    }

    /// The sum type that a run of a definition is a value of; what is in it, the method of differentiation
    /// knows.
    fn declare_run(&mut self, def: &Name) {
        let Type::Data(name, ..) = ir::signature::run_type(def) else { return };
        let con = name.part("none");
        let cons = vec![ConDecl { name: con, sizes: Vec::new(), fields: Vec::new() }];
        let (type_params, size_params) = (Vec::new(), Vec::new());
        let decl = DataDecl { name: name.clone(), type_params, size_params, cons };
        self.spec.output.datas.insert(name, decl);
    }

    /// The value without its derivative. Of a function, that is the one that captured stopped values.
    pub(super) fn stopped(&mut self, value: &Value) -> Result<Value> {
        Ok(match value {
            Value::Atom(Atom::Var(var)) => {
                let atom = Atom::Var(*var);
                // What is discrete has none, and types may mention it.
                match self.has_real(&self.builder.type_of(&atom), &mut BTreeSet::new()) {
                    true => Value::Atom(self.one(Op::Derive(DeriveOp::StopGradient(atom)))?),
                    false => value.clone(),
                }
            }
            Value::Atom(Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_)) => {
                value.clone()
            }
            Value::Size(_) => value.clone(),
            Value::Tuple(parts) => {
                let parts = parts.iter().map(|it| self.stopped(it)).collect::<Result<Vec<_>>>()?;
                Value::Tuple(parts.into())
            }
            Value::Closure(closure) => {
                let mut captured = BTreeMap::new();
                for (var, it) in &closure.captured {
                    captured.insert(*var, self.stopped(it)?);
                }
                let run = match &closure.run {
                    Some(run) => Some(self.one(Op::Derive(DeriveOp::StopGradient(run.clone())))?),
                    None => None,
                };
                Value::Closure(Rc::new(Closure { captured, run, ..Closure::clone(closure) }))
            }
            Value::Chosen(chosen) => {
                let atom = self.one(Op::Derive(DeriveOp::StopGradient(chosen.atom.clone())))?;
                Value::Chosen(Chosen { atom, ..chosen.clone() })
            }
            Value::Tangent(it) => {
                let function = self.stopped(&it.function)?;
                Value::Tangent(Rc::new(Tangent { function, tangent: self.stopped(&it.tangent)? }))
            }
        })
    }

    /// Tuples of so many parts, one after the other.
    fn parts_of_all(&mut self, tuples: &[Atom], count: usize) -> Result<Vec<Atom>> {
        let parts = tuples.iter().flat_map(|tuple| (0..count).map(move |index| (tuple, index)));
        parts.map(|(tuple, index)| self.one(Op::Proj { tuple: tuple.clone(), index })).collect()
    }

    /// One value for all parameters: the one, or the tuple of several.
    fn argument(&mut self, parts: Vec<Atom>) -> Result<Atom> {
        match &*parts {
            [single] => Ok(single.clone()),
            _ => self.one(Op::Tuple { rank: 0, parts }),
        }
    }

    /// From values of type `ty`, under so many dimensions, with every real replaced by a part, to the
    /// one with every real replaced by the tuple of the parts.
    fn zip(
        &mut self,
        operator: Operator,
        ty: &Type,
        mut values: Vec<Atom>,
        rank: usize,
    ) -> Result<Atom> {
        if self.has_sum_of_reals(ty, &mut BTreeSet::new()) || values.is_empty() {
            return self.refuse(Reason::JacobianOfSum(operator));
        }
        if values.len() == 1 {
            return Ok(values.remove(0));
        }
        match ty {
            Type::Real => self.one(Op::Tuple { rank, parts: values }),
            Type::Array(_, elem) => self.zip(operator, elem, values, rank + 1),
            Type::Tuple(parts) if !parts.is_empty() => {
                let mut zipped = Vec::new();
                for (index, part) in parts.iter().enumerate() {
                    let column = values.iter();
                    let column = column.map(|it| self.one(Op::Proj { tuple: it.clone(), index }));
                    let column = column.collect::<Result<Vec<Atom>>>()?;
                    zipped.push(self.zip(operator, part, column, rank)?);
                }
                self.one(Op::Tuple { rank, parts: zipped })
            }
            Type::Tuple(_) | Type::Int | Type::Bool | Type::String | Type::Data(..) => {
                Ok(values.remove(0))
            }
            Type::Function(..) | Type::Var(_) => self.refuse(Reason::StoredFunction),
            Type::Dual(_) | Type::Delta | Type::Tape(_) => self.refuse(Reason::Delta),
        }
    }

    /// Whether a sum type is in the type that has reals in it.
    fn has_sum_of_reals(&self, ty: &Type, seen: &mut BTreeSet<Name>) -> bool {
        match ty {
            Type::Data(..) => self.has_real(ty, seen),
            Type::Real | Type::Int | Type::Bool | Type::String | Type::Tuple(_) => {
                ty.parts().into_iter().any(|it| self.has_sum_of_reals(it, seen))
            }
            Type::Array(..) | Type::Function(..) | Type::Var(_) => {
                ty.parts().into_iter().any(|it| self.has_sum_of_reals(it, seen))
            }
            Type::Dual(_) | Type::Delta | Type::Tape(_) => false,
        }
    }

    pub(super) fn has_real(&self, ty: &Type, seen: &mut BTreeSet<Name>) -> bool {
        let inside = match ty {
            Type::Real => true,
            Type::Data(name, ..) if seen.insert(name.clone()) => {
                let cons = self.spec.output.datas.get(name).into_iter().flat_map(|it| &it.cons);
                let mut fields = cons.flat_map(|it| &it.fields);
                fields.any(|it| self.has_real(it, seen))
            }
            // It may have captured some.
            Type::Function(..) => true,
            Type::Int | Type::Bool | Type::String | Type::Tuple(_) | Type::Array(..) => false,
            Type::Data(..) | Type::Var(_) => false,
            Type::Dual(_) | Type::Delta | Type::Tape(_) => false,
        };
        inside || ty.parts().into_iter().any(|it| self.has_real(it, seen))
    }
}
