//! What is said once about the parts of terms and the names that they bind: free variables, substitution,
//! sizes of terms, names for people.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;

use super::term::{Loop, MapDerivative, MapTransposed, Steps, Term};

/// Gets the names that are bound in a part, and the part; gives both anew.
pub type Visit<'a> = dyn FnMut(&[&Name], &Term) -> (Vec<Name>, Term) + 'a;

/// Names that occur nowhere else: a word, `#` and a number. Names that people write have no `#`.
#[derive(Clone, Debug, Default)]
pub struct Supply {
    next: usize,
}

/// A name without its number.
pub fn stem(name: &str) -> &str {
    name.split('#').next().unwrap_or(name)
}

impl Supply {
    /// A new name that starts like this one.
    pub fn fresh(&mut self, like: &str) -> Name {
        self.next += 1;
        Name::new(&format!("{}#{}", stem(like), self.next))
    }
}

impl Term {
    /// The term with what `f` gives in the place of each direct part and of the names that it binds there.
    pub fn rebuild(&self, f: &mut Visit<'_>) -> Term {
        let mut under = |names: &[&Name], it: &Term| f(names, it);
        macro_rules! plain {
            ($it:expr) => {
                Box::new(under(&[], $it).1)
            };
        }
        macro_rules! bound {
            ($name:expr, $it:expr) => {{
                let (mut names, body) = under(&[$name], $it);
                (names.remove(0), Box::new(body))
            }};
        }
        match self {
            Term::Var(_) | Term::Real(_) | Term::Int(_) | Term::Size(_) | Term::Unit => {
                self.clone()
            }
            Term::Zero(_) => self.clone(),
            Term::Let(x, t, s) => {
                let t = plain!(t);
                let (x, s) = bound!(x, s);
                Term::Let(x, t, s)
            }
            Term::LinearLet(x, t, s) => {
                let t = plain!(t);
                let (x, s) = bound!(x, s);
                Term::LinearLet(x, t, s)
            }
            Term::Op(prim, args) => Term::Op(*prim, args.iter().map(|it| *plain!(it)).collect()),
            Term::Pair(t, s) => Term::Pair(plain!(t), plain!(s)),
            Term::Fst(t) => Term::Fst(plain!(t)),
            Term::Snd(t) => Term::Snd(plain!(t)),
            Term::Lambda(x, ty, t) => {
                let (x, t) = bound!(x, t);
                Term::Lambda(x, ty.clone(), t)
            }
            Term::LinearLambda(x, ty, t) => {
                let (x, t) = bound!(x, t);
                Term::LinearLambda(x, ty.clone(), t)
            }
            Term::Apply(t, s) => Term::Apply(plain!(t), plain!(s)),
            Term::LinearApply(t, s) => Term::LinearApply(plain!(t), plain!(s)),
            Term::Inject(side, ty, t) => Term::Inject(*side, ty.clone(), plain!(t)),
            Term::Case(t, x, s, y, r) => {
                let t = plain!(t);
                let (x, s) = bound!(x, s);
                let (y, r) = bound!(y, r);
                Term::Case(t, x, s, y, r)
            }
            Term::Build(size, i, t) => {
                let (i, t) = bound!(i, t);
                Term::Build(size.clone(), i, t)
            }
            Term::Index(t, s) => Term::Index(plain!(t), plain!(s)),
            Term::Map(x, t, s) => {
                let (x, t) = bound!(x, t);
                Term::Map(x, t, plain!(s))
            }
            Term::Sum(ty, t) => Term::Sum(ty.clone(), plain!(t)),
            Term::Loop(it) => {
                let steps = match &it.steps {
                    Steps::Count(count) => Steps::Count(*plain!(count)),
                    Steps::While(s, holds) => {
                        let (s, holds) = bound!(s, holds);
                        Steps::While(s, *holds)
                    }
                };
                let (mut names, body) = under(&[&it.state, &it.index], &it.body);
                let (index, state) = (names.remove(1), names.remove(0));
                Term::Loop(Box::new(Loop { steps, state, index, body, init: *plain!(&it.init) }))
            }
            Term::Derivative(prim, args, t) => {
                let args = args.iter().map(|it| *plain!(it)).collect();
                Term::Derivative(*prim, args, plain!(t))
            }
            Term::Transposed(prim, args, t) => {
                let args = args.iter().map(|it| *plain!(it)).collect();
                Term::Transposed(*prim, args, plain!(t))
            }
            Term::Copower(t, s) => Term::Copower(plain!(t), plain!(s)),
            Term::CopowerCase(ty, t, x, v, s) => {
                let t = plain!(t);
                let (mut names, s) = under(&[x, v], s);
                let (v, x) = (names.remove(1), names.remove(0));
                Term::CopowerCase(ty.clone(), t, x, v, Box::new(s))
            }
            Term::Plus(t, s) => Term::Plus(plain!(t), plain!(s)),
            Term::Proj(skip, t) => Term::Proj(*skip, plain!(t)),
            Term::Coproj(ty, skip, t) => Term::Coproj(ty.clone(), *skip, plain!(t)),
            Term::OneHot(size, ty, t, s) => {
                Term::OneHot(size.clone(), ty.clone(), plain!(t), plain!(s))
            }
            Term::MapDerivative(it) => {
                let (mut names, body) = under(&[&it.element, &it.tangent], &it.body);
                Term::MapDerivative(Box::new(MapDerivative {
                    tangent: names.remove(1),
                    element: names.remove(0),
                    body,
                    over: *plain!(&it.over),
                    outer: *plain!(&it.outer),
                    along: *plain!(&it.along),
                }))
            }
            Term::MapTransposed(it) => {
                let (mut names, body) = under(&[&it.element, &it.cotangent], &it.body);
                let (over, along) = (*plain!(&it.over), *plain!(&it.along));
                let (array, rest) = bound!(&it.array, &it.rest);
                Term::MapTransposed(Box::new(MapTransposed {
                    space: it.space.clone(),
                    cotangent: names.remove(1),
                    element: names.remove(0),
                    body,
                    over,
                    along,
                    array,
                    rest: *rest,
                }))
            }
            Term::Singleton(t) => Term::Singleton(plain!(t)),
            Term::ToList(t) => Term::ToList(plain!(t)),
            Term::Zip(t, s) => Term::Zip(plain!(t), plain!(s)),
        }
    }

    /// The term with `f` of each direct part in the place of that; the names that are bound in it stay.
    pub fn map_parts(&self, f: &mut dyn FnMut(&Term) -> Term) -> Term {
        self.rebuild(&mut |names, it| (names.iter().map(|it| (*it).clone()).collect(), f(it)))
    }

    /// Looks at the parts, each with the names that it binds.
    pub fn visit(&self, f: &mut dyn FnMut(&[&Name], &Term)) {
        self.rebuild(&mut |names, it| {
            f(names, it);
            (names.iter().map(|it| (*it).clone()).collect(), Term::Unit)
        });
    }

    /// How many terms it is made of; types and environments count nothing.
    pub fn size(&self) -> usize {
        let mut res = 1;
        self.visit(&mut |_, it| res += it.size());
        res
    }

    /// Its free variables.
    pub fn free(&self) -> BTreeSet<Name> {
        fn go(term: &Term, bound: &mut Vec<Name>, res: &mut BTreeSet<Name>) {
            if let Term::Var(name) = term
                && !bound.contains(name)
            {
                res.insert(name.clone());
            }
            term.visit(&mut |names, it| {
                let before = bound.len();
                bound.extend(names.iter().map(|it| (*it).clone()));
                go(it, bound, res);
                bound.truncate(before);
            });
        }
        let mut res = BTreeSet::new();
        go(self, &mut Vec::new(), &mut res);
        res
    }

    /// `self[with/name]`: bound names that would capture a variable become new ones.
    pub fn substitute(&self, name: &Name, with: &Term, supply: &mut Supply) -> Term {
        let free = with.free();
        self.put(name, with, &free, supply)
    }

    fn put(&self, name: &Name, with: &Term, free: &BTreeSet<Name>, supply: &mut Supply) -> Term {
        if let Term::Var(it) = self
            && it == name
        {
            return with.clone();
        }
        self.rebuild(&mut |names, it| {
            if names.contains(&name) {
                return (names.iter().map(|it| (*it).clone()).collect(), it.clone());
            }
            let mut body = it.clone();
            let mut anew = Vec::new();
            for bound in names {
                if free.contains(*bound) {
                    let other = supply.fresh(bound);
                    body = body.substitute(bound, &Term::Var(other.clone()), supply);
                    anew.push(other);
                } else {
                    anew.push((*bound).clone());
                }
            }
            (anew, body.put(name, with, free, supply))
        })
    }

    /// A copy with new names for all that it binds, so that it can stand beside the term itself.
    pub fn anew(&self, supply: &mut Supply) -> Term {
        let mut name = |it: &Name| supply.fresh(it);
        renamed(self, &BTreeMap::new(), &mut name)
    }

    /// A copy with names for people: without numbers, where they are not needed.
    pub fn named(&self) -> Term {
        let mut used: BTreeMap<String, usize> = BTreeMap::new();
        let mut seen: BTreeSet<Name> = self.free();
        let mut name = |it: &Name| {
            let stem = stem(it).to_string();
            loop {
                let count = used.entry(stem.clone()).or_default();
                *count += 1;
                let text = match (*count, stem.strip_suffix('\'')) {
                    (1, _) => stem.clone(),
                    (count, Some(plain)) => format!("{plain}_{count}'"),
                    (count, None) => format!("{stem}_{count}"),
                };
                if seen.insert(Name::new(&text)) {
                    return Name::new(&text);
                }
            }
        };
        renamed(self, &BTreeMap::new(), &mut name)
    }
}

fn renamed(
    term: &Term,
    names: &BTreeMap<Name, Name>,
    fresh: &mut dyn FnMut(&Name) -> Name,
) -> Term {
    if let Term::Var(name) = term {
        return Term::Var(names.get(name).unwrap_or(name).clone());
    }
    term.rebuild(&mut |bound, it| {
        if bound.is_empty() {
            return (Vec::new(), renamed(it, names, fresh));
        }
        let mut names = names.clone();
        let mut anew = Vec::new();
        for name in bound {
            let other = fresh(name);
            names.insert((*name).clone(), other.clone());
            anew.push(other);
        }
        let it = renamed(it, &names, fresh);
        (anew, it)
    })
}
