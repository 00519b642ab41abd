//! Functions with Deltas: made from those without, and back.
//!
//! Reverse-mode code is never differentiated again. It remembers its origin, the code without
//! Deltas, and derivatives of it are derivatives of the origin, with Deltas after that. See Note
//! [Reverse mode and levels] in `reverse.rs`.

use std::sync::{Arc, PoisonError, Weak};

use ir::Binder;

use crate::array::{Array, Elems};
use crate::closure::{Closure, Turn};
use crate::code::{LambdaCode, Origin};
use crate::error::{Failure, Fault, malformed};
use crate::eval::Evaluator;
use crate::link::link_lambda;
use crate::tape::Id;
use crate::tree::{Leaves, walk};
use crate::value::{Fields, Value};

impl Evaluator {
    /// The function with Deltas; what it captured is constant. Gives functions with Deltas as they
    /// are.
    pub(crate) fn taped(&mut self, closure: &Arc<Closure>) -> Result<Arc<Closure>, Failure> {
        if closure.is_taped() {
            return Ok(closure.clone());
        }
        match &**closure {
            Closure::Code { code, captured } => {
                let code = self.taped_code(code, &vec![false; code.captured.len()])?;
                let captured = Fields::new(captured.to_vec());
                Ok(Arc::new(Closure::Code { code, captured }))
            }
            Closure::Half { part, level, inner } => {
                let (part, level, inner) = (*part, *level, self.taped(inner)?);
                Ok(Arc::new(Closure::Half { part, level, inner }))
            }
            Closure::Zeroed(inner) => Ok(Arc::new(Closure::Zeroed(self.taped(inner)?))),
            Closure::Turned { turn, inner } => {
                Ok(Arc::new(Closure::Turned { turn: *turn, inner: self.taped(inner)? }))
            }
            Closure::Kept { inner, .. } => self.taped(inner),
        }
    }

    /// The forward derivative of a function with Deltas, with Deltas.
    pub(crate) fn taped_derived(
        &mut self,
        closure: &Arc<Closure>,
    ) -> Result<Arc<Closure>, Failure> {
        let closure = self.taped(closure)?;
        match &*closure {
            Closure::Code { code, captured } => {
                let origin = code.origin.as_ref().ok_or_else(|| malformed("a lost origin"))?;
                let derived = self.derived_code(&origin.code)?;
                let of = |binder: &Binder| code.captured.iter().position(|it| it.var == binder.var);
                let (mut mask, mut values) = (Vec::new(), Vec::new());
                for binder in &derived.captured {
                    let at = of(binder).ok_or_else(|| malformed("a lost variable"))?;
                    mask.push(origin.mask.get(at).copied().unwrap_or(false));
                    values.extend(captured.get(at).cloned());
                }
                let code = self.taped_code(&derived, &mask)?;
                Ok(Arc::new(Closure::Code { code, captured: Fields::new(values) }))
            }
            Closure::Half { part, level, inner } => {
                let inner = self.taped_derived(inner)?;
                Ok(Arc::new(Closure::Half { part: *part, level: level + 1, inner }))
            }
            Closure::Zeroed(inner) => Ok(Arc::new(Closure::Zeroed(self.taped_derived(inner)?))),
            Closure::Turned { turn, inner } => {
                let turn = Turn { below: turn.below + 1, ..*turn };
                Ok(Arc::new(Closure::Turned { turn, inner: self.taped_derived(inner)? }))
            }
            Closure::Kept { inner, .. } => self.taped_derived(inner),
        }
    }

    /// Reverse-mode code, made once for each choice of active variables.
    fn taped_code(
        &mut self,
        code: &Arc<LambdaCode>,
        mask: &[bool],
    ) -> Result<Arc<LambdaCode>, Failure> {
        let same = |it: &Arc<LambdaCode>| it.origin.as_ref().is_some_and(|it| it.mask == mask);
        let known = || code.taped.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(taped) = known().iter().filter_map(Weak::upgrade).find(same) {
            return Ok(taped);
        }
        let (lambda, next_var, spans) = self.derive.reverse_lambda(
            &self.program,
            (&code.captured, mask),
            &code.lambda,
            code.next_var,
            &code.spans,
        );
        let captured = code.captured.iter().zip(mask).map(|(it, active)| Binder {
            var: it.var,
            ty: if *active { it.ty.tape() } else { it.ty.clone() },
        });
        let taped = Arc::new(link_lambda(
            &mut self.names,
            self.limits.precision,
            code.function.name.clone(),
            (Arc::new(lambda), next_var, Arc::new(spans)),
            captured.collect(),
            Some(Origin { code: code.clone(), mask: mask.to_vec() }),
        )?);
        known().push(Arc::downgrade(&taped));
        self.taped_codes.push(taped.clone());
        Ok(taped)
    }

    /// The value without Deltas.
    pub(crate) fn strip(&self, value: &Value) -> Result<Value, Fault> {
        walk(0, value, &mut Strip)
    }
}

/// The function without Deltas.
pub(crate) fn untaped(closure: &Arc<Closure>) -> Result<Arc<Closure>, Fault> {
    if !closure.is_taped() {
        return Ok(closure.clone());
    }
    match &**closure {
        Closure::Code { code, captured } => {
            let origin = code.origin.as_ref().ok_or_else(|| malformed("a lost origin"))?;
            let mut values = Vec::with_capacity(captured.len());
            for (value, active) in captured.iter().zip(&origin.mask) {
                values.push(if *active { walk(0, value, &mut Strip)? } else { value.clone() });
            }
            let (code, captured) = (origin.code.clone(), Fields::new(values));
            Ok(Arc::new(Closure::Code { code, captured }))
        }
        Closure::Half { part, level, inner } => {
            let (part, level, inner) = (*part, *level, untaped(inner)?);
            Ok(Arc::new(Closure::Half { part, level, inner }))
        }
        Closure::Zeroed(inner) => Ok(Arc::new(Closure::Zeroed(untaped(inner)?))),
        Closure::Turned { turn, inner } => {
            Ok(Arc::new(Closure::Turned { turn: *turn, inner: untaped(inner)? }))
        }
        Closure::Kept { inner, .. } => untaped(inner),
    }
}

struct Strip;

impl Leaves for Strip {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        Ok(match value {
            Value::Dual(_, x) => Value::Real(*x),
            Value::Array(array) => match &array.elems {
                Elems::Dual(data, _) => {
                    let elems = Elems::Real(data.clone());
                    Value::array(Array { shape: array.shape.clone(), elems })
                }
                Elems::Real(_) | Elems::Int(_) | Elems::Bool(_) | Elems::Delta(_) => value.clone(),
                Elems::Tuple(_) | Elems::Boxed(_) | Elems::Lanes(..) => value.clone(),
            },
            Value::Real(_) | Value::Int(_) | Value::Bool(_) | Value::Str(_) => value.clone(),
            Value::Tuple(_) | Value::Data(_) | Value::Closure(_) | Value::Delta(_) => value.clone(),
        })
    }

    fn function(&mut self, function: &Arc<Closure>) -> Result<Value, Fault> {
        Ok(Value::Closure(untaped(function)?))
    }
}

/// Every real with a new identifier: `initVars` of Krawiec et al., Figure 15.
pub(crate) struct Variables {
    pub(crate) next: u32,
}

impl Variables {
    fn fresh(&mut self) -> Id {
        self.next += 1;
        Id(self.next - 1)
    }
}

impl Leaves for Variables {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        if let Value::Array(array) = value
            && let Elems::Real(data) = &array.elems
        {
            crate::memory::reserve(Some(data.len()), size_of::<Id>())?;
            let ids: Vec<Id> = data.iter().map(|_| self.fresh()).collect();
            let elems = Elems::Dual(data.clone(), ids.into());
            return Ok(Value::array(Array { shape: array.shape.clone(), elems }));
        }
        if let Value::Real(x) = value {
            return Ok(Value::Dual(self.fresh(), *x));
        }
        Ok(value.clone())
    }

    fn function(&mut self, function: &Arc<Closure>) -> Result<Value, Fault> {
        Ok(Value::Closure(function.clone()))
    }
}
