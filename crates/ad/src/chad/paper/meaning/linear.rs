//! What linear operations mean: derivatives of primitives by the one table, coprojections, and the
//! derivatives of `map` (Section 10).

use base::Name;
use ir::Prim;

use super::{Environment, Machine, Run, Value, array, pair};
use crate::chad::paper::derivative::{self, Partial};
use crate::chad::paper::term::{MapDerivative, MapTransposed, Term};
use crate::chad::paper::types::Type;

impl<'t> Machine<'_> {
    /// `Dop(t1, ..., tk; s)`: the tangents times partial derivatives, added up.
    pub(super) fn derivative(
        &mut self,
        env: &Environment<'t>,
        prim: Prim,
        args: &'t [Term],
        tangent: &'t Term,
    ) -> Run<'t> {
        let args = self.scalars(env, args)?;
        let mut rest = self.run(env, tangent)?;
        let partials = self.partials(prim, &args)?;
        let mut res = Value::Real(0.0);
        for (at, partial) in partials.iter().enumerate().rev() {
            let own = match at {
                0 => rest.clone(),
                _ => {
                    let (before, own) = rest.parts()?;
                    rest = before;
                    own
                }
            };
            if let Some(partial) = partial {
                let own = self.scaled(prim, *partial, own)?;
                res = self.plus(&res, &own)?;
            }
        }
        Ok(res)
    }

    /// `Dop^t(t1, ..., tk; s)`: the cotangent times partial derivatives, side by side.
    pub(super) fn transposed(
        &mut self,
        env: &Environment<'t>,
        prim: Prim,
        args: &'t [Term],
        cotangent: &'t Term,
    ) -> Run<'t> {
        let args = self.scalars(env, args)?;
        let cotangent = self.run(env, cotangent)?;
        let mut parts = Vec::new();
        for (partial, arg) in self.partials(prim, &args)?.into_iter().zip(&args) {
            parts.push(match (partial, arg) {
                (Some(partial), _) => self.scaled(prim, partial, cotangent.clone())?,
                (None, Value::Real(_)) => Value::Real(0.0),
                (None, Value::Inject(..)) => pair(Value::Unit, Value::Unit),
                (None, _) => Value::Unit,
            });
        }
        Ok(parts.into_iter().reduce(pair).unwrap_or(Value::Unit))
    }

    /// What goes through a primitive with this partial derivative. A set does, even if that happens to be
    /// zero here, but not to what was not selected.
    fn scaled(&mut self, prim: Prim, partial: f64, by: Value<'t>) -> Run<'t> {
        self.cost += 1;
        if let Value::Set(_) = by {
            let is_through = prim != Prim::Select || partial != 0.0;
            return Ok(if is_through { by } else { Value::Real(0.0) });
        }
        (self.primitives)(Prim::Scale, &[Value::Real(partial), by.scalar()?])
    }

    /// The partial derivatives at a point; none is zero everywhere.
    fn partials(
        &mut self,
        prim: Prim,
        args: &[Value<'static>],
    ) -> Result<Vec<Option<f64>>, String> {
        let names: Vec<Name> = (0..args.len()).map(|it| Name::from(format!("p{it}"))).collect();
        let vars: Vec<Term> = names.iter().map(|it| Term::Var(it.clone())).collect();
        let partials = derivative::partials(prim, &vars);
        let mut env = Environment::default();
        for (name, value) in names.iter().zip(args) {
            env = env.with(name, value.clone());
        }
        let mut res = Vec::new();
        for partial in &partials {
            res.push(match partial {
                Partial::Zero => None,
                Partial::One => Some(1.0),
                Partial::MinusOne => Some(-1.0),
                Partial::Times(term) => match self.run(&env, term)? {
                    Value::Real(value) => Some(value),
                    Value::Int(_) | Value::Unit | Value::Pair(_) | Value::Inject(..) => None,
                    Value::Set(_) | Value::Array(_) | Value::List(_) | Value::Function(_) => None,
                },
            });
        }
        Ok(res)
    }

    /// An environment of zeros but for one part.
    pub(super) fn coprojection(&mut self, ty: &Type, skip: usize, value: Value<'t>) -> Run<'t> {
        self.cost += 1;
        let Type::Pair(rest, last) = ty else { return Err("no environment".into()) };
        match skip {
            0 => Ok(pair(self.zero(rest)?, value)),
            _ => Ok(pair(self.coprojection(rest, skip - 1, value)?, self.zero(last)?)),
        }
    }

    /// `λy. zipWith((x, x'). t (y, x'), s, r y)`
    pub(super) fn map_derivative(
        &mut self,
        env: &Environment<'t>,
        it: &'t MapDerivative,
    ) -> Run<'t> {
        let over = self.run(env, &it.over)?.elements()?;
        let outer = self.run(env, &it.outer)?;
        let along = self.run(env, &it.along)?.elements()?;
        let mut all = Vec::new();
        for (element, tangent) in over.iter().zip(along.iter()) {
            let env = env.with(&it.element, element.clone());
            let env = env.with(&it.tangent, pair(outer.clone(), tangent.clone()));
            all.push(self.run(&env, &it.body)?);
        }
        Ok(array(all))
    }

    /// `λy. let zs = zipWith((x, x'). t x', s, y) in sum(map(w. fst w, zs)) + r(map(w. snd w, zs))`
    pub(super) fn map_transposed(
        &mut self,
        env: &Environment<'t>,
        it: &'t MapTransposed,
    ) -> Run<'t> {
        let over = self.run(env, &it.over)?.elements()?;
        let along = self.run(env, &it.along)?.elements()?;
        let (mut outer, mut parts) = (Vec::new(), Vec::new());
        for (element, cotangent) in over.iter().zip(along.iter()) {
            let env = env.with(&it.element, element.clone());
            let env = env.with(&it.cotangent, cotangent.clone());
            let (one, other) = self.run(&env, &it.body)?.parts()?;
            outer.push(one);
            parts.push(other);
        }
        let outer = self.sum(&it.space, &outer)?;
        let rest = self.run(&env.with(&it.array, array(parts)), &it.rest)?;
        self.plus(&outer, &rest)
    }
}
