//! What terms mean: an interpreter, call by value, that counts.
//!
//! Paper: Figure 7 (Section 5.4). A sum of copowers is their concatenation, one of functions is pointwise.
//! The count is that of the paper's form: 1 for a term that is evaluated, and 1 for each number of a zero
//! that is made, of a plus, and of a list that is copied. So an environment costs as much as it is wide.
//! A (co)tangent of a real may be a set instead of a real (Section 11.3, `dependence.rs`): linear terms say
//! only zero, plus and what goes through a primitive, and the zero of all modules is the real 0. Plus and the
//! products with partial derivatives are primitives too, so whoever says those has another semiring.

mod linear;

mod repeat;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::Name;
use ir::{Prim, Size, Var};

use super::term::{Side, Term};
use super::types::Type;

/// A value.
#[derive(Clone, Debug)]
pub enum Value<'t> {
    /// A real number.
    Real(f64),
    /// An integer.
    Int(i64),
    /// A tangent or cotangent of a real that says what it depends on.
    Set(Rc<BTreeSet<usize>>),
    /// `()`
    Unit,
    /// A pair.
    Pair(Rc<(Value<'t>, Value<'t>)>),
    /// A value of a sum type.
    Inject(Side, Rc<Value<'t>>),
    /// An array.
    Array(Rc<Vec<Value<'t>>>),
    /// A list of pairs, which a copower is.
    List(Rc<Vec<Value<'t>>>),
    /// A function, linear or not.
    Function(Rc<Function<'t>>),
}

/// A function.
#[derive(Debug)]
pub enum Function<'t> {
    /// A term with its environment.
    Closure(Environment<'t>, &'t Name, &'t Term),
    /// The one that gives zeros of this type.
    Zero(Type),
    /// The pointwise sum.
    Plus(Value<'t>, Value<'t>),
}

/// Values of variables, the last one first.
#[derive(Clone, Debug, Default)]
pub struct Environment<'t>(Option<Rc<Bound<'t>>>);

#[derive(Debug)]
struct Bound<'t> {
    name: &'t Name,
    value: Value<'t>,
    rest: Environment<'t>,
}

impl<'t> Environment<'t> {
    /// With one more variable.
    pub fn with(&self, name: &'t Name, value: Value<'t>) -> Environment<'t> {
        Environment(Some(Rc::new(Bound { name, value, rest: self.clone() })))
    }

    fn find(&self, name: &Name) -> Option<Value<'t>> {
        let mut at = self;
        while let Some(bound) = &at.0 {
            if bound.name == name {
                return Some(bound.value.clone());
            }
            at = &bound.rest;
        }
        None
    }
}

/// What primitives give of scalars: whoever runs a term says it.
pub type Primitives = dyn Fn(Prim, &[Value<'static>]) -> Result<Value<'static>, String>;

/// The interpreter.
pub struct Machine<'p> {
    /// How large arrays are.
    pub sizes: BTreeMap<Var, i64>,
    /// What primitives give.
    pub primitives: &'p Primitives,
    /// What it took so far.
    pub cost: u64,
}

type Run<'t> = Result<Value<'t>, String>;

/// A truth value.
pub fn truth(value: bool) -> Value<'static> {
    let side = if value { Side::Left } else { Side::Right };
    Value::Inject(side, Rc::new(Value::Unit))
}

/// A pair.
pub fn pair<'t>(one: Value<'t>, other: Value<'t>) -> Value<'t> {
    Value::Pair(Rc::new((one, other)))
}

impl<'t> Value<'t> {
    /// The parts of a pair.
    pub fn parts(&self) -> Result<(Value<'t>, Value<'t>), String> {
        match self {
            Value::Pair(parts) => Ok((parts.0.clone(), parts.1.clone())),
            Value::Real(_) | Value::Int(_) | Value::Unit | Value::Inject(..) => {
                Err("no pair".into())
            }
            Value::Set(_) | Value::Array(_) | Value::List(_) | Value::Function(_) => {
                Err("no pair".into())
            }
        }
    }

    /// The elements of an array or a list.
    pub fn elements(&self) -> Result<Rc<Vec<Value<'t>>>, String> {
        match self {
            Value::Array(parts) | Value::List(parts) => Ok(parts.clone()),
            Value::Real(_) | Value::Int(_) | Value::Unit | Value::Inject(..) => {
                Err("no array".into())
            }
            Value::Set(_) | Value::Pair(_) | Value::Function(_) => Err("no array".into()),
        }
    }

    /// An array or a list, as this is, of other elements.
    pub(super) fn like(&self, parts: Vec<Value<'t>>) -> Value<'t> {
        if matches!(self, Value::List(_)) { list(parts) } else { array(parts) }
    }

    /// The array of pairs.
    pub(super) fn zip(&self, other: &Value<'t>) -> Run<'t> {
        let (one, other) = (self.elements()?, other.elements()?);
        let all = one.iter().zip(other.iter()).map(|it| pair(it.0.clone(), it.1.clone()));
        Ok(self.like(all.collect()))
    }

    /// A scalar, which has no terms in it.
    fn scalar(&self) -> Result<Value<'static>, String> {
        match self {
            Value::Real(value) => Ok(Value::Real(*value)),
            Value::Int(value) => Ok(Value::Int(*value)),
            Value::Inject(side, _) => Ok(truth(*side == Side::Left)),
            Value::Unit | Value::Pair(_) | Value::Function(_) => Err("no scalar".into()),
            Value::Set(_) | Value::Array(_) | Value::List(_) => Err("no scalar".into()),
        }
    }
}

impl<'t> Machine<'_> {
    /// How large this is.
    pub fn size(&self, size: &Size) -> Result<usize, String> {
        let known = size.substitute(&mut |it| {
            self.sizes.get(it).map_or_else(|| Size::var(*it), |it| Size::constant(*it))
        });
        let known = known.as_constant().and_then(|it| usize::try_from(it).ok());
        known.ok_or_else(|| format!("size {size} is not known"))
    }

    /// The value of a term.
    pub fn run(&mut self, env: &Environment<'t>, term: &'t Term) -> Run<'t> {
        self.cost += 1;
        match term {
            Term::Var(name) => env.find(name).ok_or_else(|| format!("no variable `{name}`")),
            Term::Let(x, t, s) | Term::LinearLet(x, t, s) => {
                let value = self.run(env, t)?;
                self.run(&env.with(x, value), s)
            }
            Term::Real(value) => Ok(Value::Real(value.0)),
            Term::Int(value) => Ok(Value::Int(*value)),
            Term::Size(size) => Ok(Value::Int(self.size(size)? as i64)),
            Term::Op(prim, args) => {
                let args = self.scalars(env, args)?;
                (self.primitives)(*prim, &args)
            }
            Term::Unit => Ok(Value::Unit),
            Term::Pair(t, s) => Ok(pair(self.run(env, t)?, self.run(env, s)?)),
            Term::Fst(t) => Ok(self.run(env, t)?.parts()?.0),
            Term::Snd(t) => Ok(self.run(env, t)?.parts()?.1),
            Term::Lambda(x, _, t) | Term::LinearLambda(x, _, t) => {
                Ok(Value::Function(Rc::new(Function::Closure(env.clone(), x, t))))
            }
            Term::Apply(t, s) | Term::LinearApply(t, s) => {
                let (function, argument) = (self.run(env, t)?, self.run(env, s)?);
                self.apply(&function, argument)
            }
            Term::Inject(side, _, t) => Ok(Value::Inject(*side, Rc::new(self.run(env, t)?))),
            Term::Case(t, x, s, y, r) => match self.run(env, t)? {
                Value::Inject(Side::Left, value) => self.run(&env.with(x, (*value).clone()), s),
                Value::Inject(Side::Right, value) => self.run(&env.with(y, (*value).clone()), r),
                Value::Real(_) | Value::Int(_) | Value::Set(_) | Value::Unit | Value::Pair(_) => {
                    Err("no sum".into())
                }
                Value::Array(_) | Value::List(_) | Value::Function(_) => Err("no sum".into()),
            },
            Term::Build(size, i, t) => {
                let size = self.size(size)?;
                let all = (0..size).map(|at| self.run(&env.with(i, Value::Int(at as i64)), t));
                Ok(array(all.collect::<Result<_, _>>()?))
            }
            Term::Index(t, s) => {
                let parts = self.run(env, t)?.elements()?;
                let at = self.position(env, s)?;
                parts.get(at).cloned().ok_or_else(|| format!("no element {at}"))
            }
            Term::Map(x, t, s) => {
                let array = self.run(env, s)?;
                let parts = array.elements()?;
                let all = parts.iter().map(|it| self.run(&env.with(x, it.clone()), t));
                Ok(array.like(all.collect::<Result<_, _>>()?))
            }
            Term::Sum(ty, t) => {
                let parts = self.run(env, t)?.elements()?;
                self.sum(ty, &parts)
            }
            Term::Loop(it) => self.repeat(env, it),
            Term::Derivative(prim, args, t) => self.derivative(env, *prim, args, t),
            Term::Transposed(prim, args, t) => self.transposed(env, *prim, args, t),
            Term::Copower(t, s) => {
                let one = pair(self.run(env, t)?, self.run(env, s)?);
                Ok(list(vec![one]))
            }
            Term::CopowerCase(ty, t, x, v, s) => {
                let parts = self.run(env, t)?.elements()?;
                let mut all = Vec::new();
                for part in parts.iter() {
                    let (key, value) = part.parts()?;
                    all.push(self.run(&env.with(x, key).with(v, value), s)?);
                }
                self.sum(ty, &all)
            }
            Term::Zero(ty) => self.zero(ty),
            Term::Plus(t, s) => {
                let (one, other) = (self.run(env, t)?, self.run(env, s)?);
                self.plus(&one, &other)
            }
            Term::Proj(skip, t) => {
                let all = self.run(env, t)?;
                let at = (0..*skip).try_fold(all, |it, _| it.parts().map(|it| it.0))?;
                Ok(at.parts()?.1)
            }
            Term::Coproj(ty, skip, t) => {
                let value = self.run(env, t)?;
                self.coprojection(ty, *skip, value)
            }
            Term::OneHot(size, ty, t, s) => {
                let (at, value) = (self.position(env, t)?, self.run(env, s)?);
                let mut all = vec![self.zero(ty)?];
                all.resize(self.size(size)?, all[0].clone());
                self.cost += all.len() as u64;
                *all.get_mut(at).ok_or_else(|| format!("no element {at}"))? = value;
                Ok(array(all))
            }
            Term::MapDerivative(it) => self.map_derivative(env, it),
            Term::MapTransposed(it) => self.map_transposed(env, it),
            Term::Singleton(t) => Ok(list(vec![self.run(env, t)?])),
            Term::ToList(t) => Ok(Value::List(self.run(env, t)?.elements()?)),
            Term::Zip(t, s) => {
                let (one, other) = (self.run(env, t)?, self.run(env, s)?);
                one.zip(&other)
            }
        }
    }

    fn scalars(
        &mut self,
        env: &Environment<'t>,
        terms: &'t [Term],
    ) -> Result<Vec<Value<'static>>, String> {
        terms.iter().map(|it| self.run(env, it)?.scalar()).collect()
    }

    fn position(&mut self, env: &Environment<'t>, term: &'t Term) -> Result<usize, String> {
        let value = self.run(env, term)?;
        let at = if let Value::Int(at) = value { usize::try_from(at).ok() } else { None };
        at.ok_or_else(|| "no position".into())
    }

    /// A function of an argument.
    pub fn apply(&mut self, function: &Value<'t>, argument: Value<'t>) -> Run<'t> {
        let Value::Function(function) = function else { return Err("no function".into()) };
        match &**function {
            Function::Closure(env, x, t) => self.run(&env.with(x, argument), t),
            Function::Zero(ty) => self.zero(ty),
            Function::Plus(one, other) => {
                let one = self.apply(one, argument.clone())?;
                let other = self.apply(other, argument)?;
                self.plus(&one, &other)
            }
        }
    }

    /// `0` of a type.
    pub fn zero(&mut self, ty: &Type) -> Run<'t> {
        self.cost += 1;
        match ty {
            Type::Real => Ok(Value::Real(0.0)),
            Type::Unit => Ok(Value::Unit),
            Type::Pair(one, other) => Ok(pair(self.zero(one)?, self.zero(other)?)),
            Type::Function(_, to) | Type::Linear(_, to) => {
                Ok(Value::Function(Rc::new(Function::Zero((**to).clone()))))
            }
            Type::Array(size, elem) => {
                let size = self.size(size)?;
                Ok(array((0..size).map(|_| self.zero(elem)).collect::<Result<_, _>>()?))
            }
            Type::Copower(..) | Type::List(_) => Ok(list(Vec::new())),
            Type::Int | Type::Sum(..) => Err(format!("no zero of {ty}")),
        }
    }

    /// `t + s`
    pub fn plus(&mut self, one: &Value<'t>, other: &Value<'t>) -> Run<'t> {
        self.cost += 1;
        match (one, other) {
            (Value::Real(x), Value::Real(y)) => {
                (self.primitives)(Prim::Add, &[Value::Real(*x), Value::Real(*y)])
            }
            (Value::Set(x), Value::Set(y)) => Ok(Value::Set(Rc::new(&**x | &**y))),
            (Value::Set(_), Value::Real(_)) => Ok(one.clone()),
            (Value::Real(_), Value::Set(_)) => Ok(other.clone()),
            (Value::Unit, Value::Unit) => Ok(Value::Unit),
            (Value::Pair(x), Value::Pair(y)) => {
                Ok(pair(self.plus(&x.0, &y.0)?, self.plus(&x.1, &y.1)?))
            }
            (Value::Function(_), Value::Function(_)) => {
                Ok(Value::Function(Rc::new(Function::Plus(one.clone(), other.clone()))))
            }
            (Value::List(x), Value::List(y)) => {
                self.cost += (x.len() + y.len()) as u64;
                Ok(list(x.iter().chain(y.iter()).cloned().collect()))
            }
            (Value::Array(x), Value::Array(y)) => {
                let all = x.iter().zip(y.iter()).map(|it| self.plus(it.0, it.1));
                Ok(array(all.collect::<Result<_, _>>()?))
            }
            (Value::Real(_) | Value::Int(_) | Value::Set(_) | Value::Unit, _) => {
                Err("no sum of these".into())
            }
            (Value::Pair(_) | Value::Inject(..), _) => Err("no sum of these".into()),
            (Value::Array(_) | Value::List(_) | Value::Function(_), _) => {
                Err("no sum of these".into())
            }
        }
    }

    fn sum(&mut self, ty: &Type, parts: &[Value<'t>]) -> Run<'t> {
        let zero = self.zero(ty)?;
        parts.iter().try_fold(zero, |all, it| self.plus(&all, it))
    }
}

/// An array.
pub fn array(parts: Vec<Value<'_>>) -> Value<'_> {
    Value::Array(Rc::new(parts))
}

fn list(parts: Vec<Value<'_>>) -> Value<'_> {
    Value::List(Rc::new(parts))
}
