//! Typing rules of the paper's languages: two judgements.
//!
//! `Γ ⊢ t : τ` is [`Typing::cartesian`] (Figure 3, and Figure 8 for what is lowered), `Γ; v : σ ⊢ t : τ` is
//! [`Typing::linear`] (Figure 5). Linear means additive: both parts of a pair may use the linear variable.
//! What is kept is that it occurs in no Cartesian term, so in no index, no operand of a product, no argument.

use base::Name;
use ir::Prim;
use ir::prim::Rule;

use super::term::{Side, Steps, Term};
use super::types::Type;

/// Which formers there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Section 3.
    Source,
    /// Section 4.
    Target,
    /// What Section 9.2 makes of Section 4: no linear functions, zero and plus are terms like others.
    Lowered,
}

/// A Cartesian context.
#[derive(Clone, Debug)]
pub struct Typing {
    language: Language,
    context: Vec<(Name, Type)>,
}

type Typed = Result<Type, String>;

/// The type of a term of this language in a context.
pub fn type_of(language: Language, context: &[(Name, Type)], term: &Term) -> Typed {
    Typing { language, context: context.to_vec() }.cartesian(term)
}

/// The type of a linear term in a context and a linear variable.
pub fn linear_type_of(context: &[(Name, Type)], v: (&Name, &Type), term: &Term) -> Typed {
    Typing { language: Language::Target, context: context.to_vec() }.linear(v, term)
}

/// What a primitive takes and gives; a real one, if it may be of integers.
pub fn operation(prim: Prim, args: &[Type]) -> Typed {
    let number = args.first().filter(|it| **it == Type::Int).unwrap_or(&Type::Real).clone();
    let chosen = args.get(1).cloned().unwrap_or(Type::Real);
    let (wanted, result) = match prim.row().rule {
        Rule::Number1 => (vec![number.clone()], number),
        Rule::Number2 => (vec![number.clone(), number.clone()], number),
        Rule::Real1 => (vec![Type::Real], Type::Real),
        Rule::Real2 => (vec![Type::Real, Type::Real], Type::Real),
        Rule::Int2 => (vec![Type::Int, Type::Int], Type::Int),
        Rule::IntReal => (vec![Type::Int, Type::Real], Type::Real),
        Rule::IntToReal => (vec![Type::Int], Type::Real),
        Rule::RealToInt => (vec![Type::Real], Type::Int),
        Rule::Compare => (vec![number.clone(), number], Type::bool()),
        Rule::TestReal => (vec![Type::Real], Type::bool()),
        Rule::Bool1 => (vec![Type::bool()], Type::bool()),
        Rule::Bool2 => (vec![Type::bool(), Type::bool()], Type::bool()),
        Rule::Choose => (vec![Type::bool(), chosen.clone(), chosen.clone()], chosen),
    };
    match wanted == args {
        true => Ok(result),
        false => Err(format!("`{}` of {}", prim.name(), Type::tuple(args))),
    }
}

impl Typing {
    /// With one more variable.
    fn with<T>(&mut self, name: &Name, ty: &Type, f: impl FnOnce(&mut Typing) -> T) -> T {
        self.context.push((name.clone(), ty.clone()));
        let res = f(self);
        self.context.pop();
        res
    }

    fn only(&self, language: Language, former: &str) -> Result<(), String> {
        match self.language == language {
            true => Ok(()),
            false => Err(format!("{former} is no term of this language")),
        }
    }

    /// `Γ ⊢ t : τ`
    pub fn cartesian(&mut self, term: &Term) -> Typed {
        match term {
            Term::Var(name) => {
                let found = self.context.iter().rev().find(|it| it.0 == *name);
                found
                    .map(|it| it.1.clone())
                    .ok_or_else(|| format!("no Cartesian variable `{name}`"))
            }
            Term::Let(x, t, s) => {
                let ty = self.cartesian(t)?;
                self.with(x, &ty, |it| it.cartesian(s))
            }
            Term::Real(_) => Ok(Type::Real),
            Term::Int(_) | Term::Size(_) => Ok(Type::Int),
            Term::Op(prim, args) => {
                let args = self.all(args)?;
                operation(*prim, &args)
            }
            Term::Unit => Ok(Type::Unit),
            Term::Pair(t, s) => Ok(self.cartesian(t)?.times(&self.cartesian(s)?)),
            Term::Fst(t) => Ok(pair_of(self.cartesian(t)?)?.0),
            Term::Snd(t) => Ok(pair_of(self.cartesian(t)?)?.1),
            Term::Lambda(x, ty, t) => Ok(ty.to(&self.with(x, ty, |it| it.cartesian(t))?)),
            Term::Apply(t, s) => {
                let (from, to) = function_of(self.cartesian(t)?)?;
                same("argument", &from, &self.cartesian(s)?)?;
                Ok(to)
            }
            Term::Inject(Side::Left, other, t) => Ok(self.cartesian(t)?.or(other)),
            Term::Inject(Side::Right, other, t) => Ok(other.or(&self.cartesian(t)?)),
            Term::Case(t, x, s, y, r) => {
                let ty = self.cartesian(t)?;
                let Type::Sum(left, right) = &ty else { return Err(format!("case of {ty}")) };
                let res = self.with(x, left, |it| it.cartesian(s))?;
                same("right side", &res, &self.with(y, right, |it| it.cartesian(r))?)?;
                Ok(res)
            }
            Term::Build(size, i, t) => {
                Ok(self.with(i, &Type::Int, |it| it.cartesian(t))?.array(size))
            }
            Term::Index(t, s) => {
                let ty = self.cartesian(t)?;
                let Type::Array(_, elem) = &ty else { return Err(format!("element of {ty}")) };
                same("index", &Type::Int, &self.cartesian(s)?)?;
                Ok((**elem).clone())
            }
            Term::Map(x, t, s) => {
                let ty = self.cartesian(s)?;
                let elem = element(&ty)?;
                let res = self.with(x, &elem, |it| it.cartesian(t))?;
                Ok(ty.map(&|_| res.clone()))
            }
            Term::Sum(ty, t) => {
                is_linear(ty)?;
                let array = self.cartesian(t)?;
                same("element", ty, &element(&array)?)?;
                Ok(ty.clone())
            }
            Term::Loop(it) => {
                let ty = self.cartesian(&it.init)?;
                match &it.steps {
                    Steps::Count(count) => same("count", &Type::Int, &self.cartesian(count)?)?,
                    Steps::While(s, holds) => {
                        let found = self.with(s, &ty, |typing| typing.cartesian(holds))?;
                        same("condition", &Type::bool(), &found)?;
                    }
                }
                let next = self.with(&it.state, &ty, |typing| {
                    typing.with(&it.index, &Type::Int, |typing| typing.cartesian(&it.body))
                })?;
                same("state", &ty, &next)?;
                Ok(ty)
            }
            Term::LinearLambda(v, ty, t) => {
                self.only(Language::Target, "a linear function")?;
                is_linear(ty)?;
                Ok(ty.linear_to(&self.linear((v, ty), t)?))
            }
            Term::Zero(ty) => {
                self.only(Language::Lowered, "zero")?;
                is_linear(ty).map(|()| ty.clone())
            }
            Term::Plus(t, s) => {
                self.only(Language::Lowered, "plus")?;
                let ty = self.cartesian(t)?;
                is_linear(&ty)?;
                same("summand", &ty, &self.cartesian(s)?)?;
                Ok(ty)
            }
            Term::OneHot(size, ty, t, s) => {
                self.only(Language::Lowered, "an array of zeros")?;
                same("index", &Type::Int, &self.cartesian(t)?)?;
                same("element", ty, &self.cartesian(s)?)?;
                Ok(ty.array(size))
            }
            Term::Singleton(t) => {
                self.only(Language::Lowered, "a list")?;
                Ok(self.cartesian(t)?.list())
            }
            Term::ToList(t) => {
                self.only(Language::Lowered, "a list")?;
                let ty = self.cartesian(t)?;
                Ok(element(&ty)?.list())
            }
            Term::Zip(t, s) => {
                self.only(Language::Lowered, "zip")?;
                let (one, other) = (self.cartesian(t)?, self.cartesian(s)?);
                same("size", &one.map(&|_| Type::Unit), &other.map(&|_| Type::Unit))?;
                let elem = element(&one)?.times(&element(&other)?);
                Ok(one.map(&|_| elem.clone()))
            }
            Term::LinearLet(..) | Term::Derivative(..) | Term::Transposed(..) => {
                Err("a linear term where there is no linear variable".into())
            }
            Term::Copower(..) | Term::CopowerCase(..) | Term::LinearApply(..) => {
                Err("a linear term where there is no linear variable".into())
            }
            Term::Proj(..) | Term::Coproj(..) => {
                Err("a linear term where there is no linear variable".into())
            }
            Term::MapDerivative(_) | Term::MapTransposed(_) => {
                Err("a linear term where there is no linear variable".into())
            }
        }
    }

    fn all(&mut self, terms: &[Term]) -> Result<Vec<Type>, String> {
        terms.iter().map(|it| self.cartesian(it)).collect()
    }

    /// `Γ; v : σ ⊢ t : τ`
    pub fn linear(&mut self, v: (&Name, &Type), term: &Term) -> Typed {
        match term {
            Term::Var(name) if name == v.0 => Ok(v.1.clone()),
            Term::Var(name) => Err(format!("`{name}` is not the linear variable `{}`", v.0)),
            Term::Let(x, t, s) => {
                let ty = self.cartesian(t)?;
                self.with(x, &ty, |it| it.linear(v, s))
            }
            Term::LinearLet(w, t, s) => {
                let ty = self.linear(v, t)?;
                self.linear((w, &ty), s)
            }
            Term::Derivative(prim, args, t) => {
                let args = self.all(args)?;
                let result = operation(*prim, &args)?;
                let tangents: Vec<Type> = args.iter().map(scalar_tangent).collect();
                same("tangent", &Type::tuple(&tangents), &self.linear(v, t)?)?;
                Ok(scalar_tangent(&result))
            }
            Term::Transposed(prim, args, t) => {
                let args = self.all(args)?;
                let result = operation(*prim, &args)?;
                same("cotangent", &scalar_tangent(&result), &self.linear(v, t)?)?;
                Ok(Type::tuple(&args.iter().map(scalar_tangent).collect::<Vec<Type>>()))
            }
            Term::Unit => Ok(Type::Unit),
            Term::Pair(t, s) => Ok(self.linear(v, t)?.times(&self.linear(v, s)?)),
            Term::Fst(t) => Ok(pair_of(self.linear(v, t)?)?.0),
            Term::Snd(t) => Ok(pair_of(self.linear(v, t)?)?.1),
            Term::Lambda(y, ty, t) => Ok(ty.to(&self.with(y, ty, |it| it.linear(v, t))?)),
            Term::Apply(t, s) => {
                let (from, to) = function_of(self.linear(v, t)?)?;
                same("argument", &from, &self.cartesian(s)?)?;
                Ok(to)
            }
            Term::Copower(t, s) => Ok(self.cartesian(t)?.copower(&self.linear(v, s)?)),
            Term::CopowerCase(ty, t, x, w, s) => {
                let copower = self.linear(v, t)?;
                let Type::Copower(from, to) = &copower else {
                    return Err(format!("case of {copower}, which is no copower"));
                };
                let res = self.with(x, from, |it| it.linear((w, to), s))?;
                same("result", ty, &res)?;
                Ok(res)
            }
            Term::LinearApply(t, s) => {
                let ty = self.cartesian(t)?;
                let Type::Linear(from, to) = &ty else {
                    return Err(format!("{ty} is no linear function"));
                };
                same("argument", from, &self.linear(v, s)?)?;
                Ok((**to).clone())
            }
            Term::Zero(ty) => is_linear(ty).map(|()| ty.clone()),
            Term::Plus(t, s) => {
                let ty = self.linear(v, t)?;
                same("summand", &ty, &self.linear(v, s)?)?;
                Ok(ty)
            }
            Term::Proj(skip, t) => {
                let ty = self.linear(v, t)?;
                let ty = (0..*skip).try_fold(ty, |it, _| Ok::<Type, String>(pair_of(it)?.0))?;
                Ok(pair_of(ty)?.1)
            }
            Term::Coproj(ty, skip, t) => {
                let at =
                    (0..*skip).try_fold(ty.clone(), |it, _| Ok::<Type, String>(pair_of(it)?.0));
                same("part", &pair_of(at?)?.1, &self.linear(v, t)?)?;
                is_linear(ty).map(|()| ty.clone())
            }
            Term::Build(size, i, t) => {
                Ok(self.with(i, &Type::Int, |it| it.linear(v, t))?.array(size))
            }
            Term::Index(t, s) => {
                let ty = self.linear(v, t)?;
                same("index", &Type::Int, &self.cartesian(s)?)?;
                element(&ty)
            }
            Term::Sum(ty, t) => {
                let array = self.linear(v, t)?;
                same("element", ty, &element(&array)?)?;
                Ok(ty.clone())
            }
            Term::OneHot(size, ty, t, s) => {
                same("index", &Type::Int, &self.cartesian(t)?)?;
                same("element", ty, &self.linear(v, s)?)?;
                Ok(ty.array(size))
            }
            Term::MapDerivative(it) => {
                let over = self.cartesian(&it.over)?;
                let along = self.linear(v, &it.along)?;
                same("size", &over.map(&|_| Type::Unit), &along.map(&|_| Type::Unit))?;
                let w = self.linear(v, &it.outer)?.times(&element(&along)?);
                let body = self.with(&it.element, &element(&over)?, |typing| {
                    typing.linear((&it.tangent, &w), &it.body)
                })?;
                Ok(over.map(&|_| body.clone()))
            }
            Term::MapTransposed(it) => {
                let over = self.cartesian(&it.over)?;
                let along = self.linear(v, &it.along)?;
                same("size", &over.map(&|_| Type::Unit), &along.map(&|_| Type::Unit))?;
                let w = element(&along)?;
                let body = self.with(&it.element, &element(&over)?, |typing| {
                    typing.linear((&it.cotangent, &w), &it.body)
                })?;
                let (space, part) = pair_of(body)?;
                same("cotangent", &it.space, &space)?;
                let array = over.map(&|_| part.clone());
                same("cotangent", &it.space, &self.linear((&it.array, &array), &it.rest)?)?;
                Ok(space)
            }
            Term::Real(_) | Term::Int(_) | Term::Size(_) | Term::Op(..) => {
                Err("a constant or an operation is not linear".into())
            }
            Term::Inject(..) | Term::Case(..) | Term::LinearLambda(..) => {
                Err("a value of a Cartesian type is not linear".into())
            }
            Term::Map(..) | Term::Loop(_) => Err("not a linear term".into()),
            Term::Singleton(_) | Term::ToList(_) | Term::Zip(..) => Err("not a linear term".into()),
        }
    }
}

/// D2 of a scalar type, in both modes.
fn scalar_tangent(ty: &Type) -> Type {
    match ty {
        Type::Real => Type::Real,
        Type::Sum(..) => Type::Unit.times(&Type::Unit),
        Type::Int | Type::Unit | Type::Pair(..) | Type::Function(..) | Type::Array(..) => {
            Type::Unit
        }
        Type::Linear(..) | Type::Copower(..) | Type::List(_) => Type::Unit,
    }
}

fn is_linear(ty: &Type) -> Result<(), String> {
    match ty.is_linear() {
        true => Ok(()),
        false => Err(format!("{ty} is no linear type")),
    }
}

fn same(what: &str, wanted: &Type, found: &Type) -> Result<(), String> {
    match wanted == found {
        true => Ok(()),
        false => Err(format!("{what} of type {found}, not {wanted}")),
    }
}

fn pair_of(ty: Type) -> Result<(Type, Type), String> {
    let Type::Pair(one, other) = &ty else { return Err(format!("{ty} is no pair")) };
    Ok(((**one).clone(), (**other).clone()))
}

fn function_of(ty: Type) -> Result<(Type, Type), String> {
    let Type::Function(from, to) = &ty else { return Err(format!("{ty} is no function")) };
    Ok(((**from).clone(), (**to).clone()))
}

fn element(ty: &Type) -> Result<Type, String> {
    let (Type::Array(_, elem) | Type::List(elem)) = ty else {
        return Err(format!("{ty} is no array"));
    };
    Ok((**elem).clone())
}
