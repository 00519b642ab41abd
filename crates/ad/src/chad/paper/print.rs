//! How types and terms are written; `parse.rs` reads them back.
//!
//! [`Term::brief`] leaves types out, which are most of a term otherwise, and has pairs on the left of `let`: that
//! is for people.

use std::fmt::{self, Display, Formatter};

use base::Name;
use ir::Prim;

use super::term::{Side, Steps, Term, fst, snd, var};
use super::types::Type;

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Type::Real => write!(f, "Real"),
            Type::Int => write!(f, "Int"),
            Type::Unit => write!(f, "1"),
            Type::Pair(one, other) => write!(f, "({one} * {other})"),
            Type::Sum(one, other) => write!(f, "({one} + {other})"),
            Type::Function(from, to) => write!(f, "({from} -> {to})"),
            Type::Array(size, elem) => write!(f, "[{size}]{elem}"),
            Type::Linear(from, to) => write!(f, "({from} -o {to})"),
            Type::Copower(from, to) => write!(f, "(!{from} x {to})"),
            Type::List(elem) => write!(f, "[]{elem}"),
        }
    }
}

impl Display for Term {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&Printer { has_types: true }.text(self, 0, 0))
    }
}

impl Term {
    /// Its text without types.
    pub fn brief(&self) -> String {
        Printer { has_types: false }.text(self, 0, 0)
    }
}

/// Operators, and how tightly they bind.
pub(super) const INFIX: [(Prim, char, usize); 4] =
    [(Prim::Add, '+', 1), (Prim::Sub, '-', 1), (Prim::Mul, '*', 2), (Prim::Div, '/', 2)];

/// How tightly a linear application binds; and what a function or an operand is.
pub(super) const APPLICATION: usize = 3;

struct Printer {
    has_types: bool,
}

impl Printer {
    /// The text of a term at some depth, in brackets if it binds less tightly than `level`.
    fn text(&self, term: &Term, depth: usize, level: usize) -> String {
        let own = own_level(term);
        let text = self.open(term, depth, own);
        if own < level { format!("({text})") } else { text }
    }

    fn open(&self, term: &Term, depth: usize, own: usize) -> String {
        let plain = |it: &Term| self.text(it, depth, 0);
        let call = |name: &str, parts: &[&Term]| {
            let parts: Vec<String> = parts.iter().map(|it| plain(it)).collect();
            format!("{name}({})", parts.join(", "))
        };
        let ty = |it: &Type| if self.has_types { format!("[{it}]") } else { String::new() };
        match term {
            Term::Var(name) => name.to_string(),
            Term::Let(x, t, s) => match both(x, s).filter(|_| !self.has_types) {
                Some((one, other, body)) => {
                    self.binding("let", &format!("({one}, {other})"), t, body, depth)
                }
                None => self.binding("let", x, t, s, depth),
            },
            Term::LinearLet(x, t, s) => self.binding("linear", x, t, s, depth),
            Term::Real(value) => format!("{:?}", value.0),
            Term::Int(value) => value.to_string(),
            Term::Size(size) => format!("size[{size}]"),
            Term::Op(prim, args) => match (INFIX.iter().find(|it| it.0 == *prim), &args[..]) {
                (Some((_, sign, _)), [one, other]) => {
                    let (one, other) =
                        (self.text(one, depth, own), self.text(other, depth, own + 1));
                    format!("{one} {sign} {other}")
                }
                (Some(_) | None, _) => call(prim.name(), &args.iter().collect::<Vec<&Term>>()),
            },
            Term::Unit => "()".into(),
            Term::Pair(t, s) => format!("({}, {})", plain(t), plain(s)),
            Term::Fst(t) => call("fst", &[t]),
            Term::Snd(t) => call("snd", &[t]),
            Term::Lambda(x, it, t) => self.function(x, it, "->", t, depth),
            Term::LinearLambda(v, it, t) => self.function(v, it, "-o", t, depth),
            Term::Apply(t, s) => format!("{}({})", self.text(t, depth, APPLICATION + 1), plain(s)),
            Term::LinearApply(t, s) => {
                let side = |it| self.text(it, depth, APPLICATION + 1);
                format!("{} @ {}", side(t), side(s))
            }
            Term::Inject(Side::Left, it, t) => call(&format!("inl{}", ty(it)), &[t]),
            Term::Inject(Side::Right, it, t) => call(&format!("inr{}", ty(it)), &[t]),
            Term::Case(t, x, s, y, r) => {
                let (s, r) = (self.spaced(s, depth), self.spaced(r, depth));
                format!("case({}; {x}.{s}; {y}.{r})", plain(t))
            }
            Term::Build(size, i, t) => format!("build[{size}]({i}.{})", self.spaced(t, depth)),
            Term::Index(t, s) => call("index", &[t, s]),
            Term::Map(x, t, s) => format!("map({x}.{}; {})", self.spaced(t, depth), plain(s)),
            Term::Sum(it, t) => call(&format!("sum{}", ty(it)), &[t]),
            Term::Loop(it) => {
                let steps = match &it.steps {
                    Steps::Count(count) => format!("iterate({}", plain(count)),
                    Steps::While(s, holds) => format!("while({s}.{}", self.spaced(holds, depth)),
                };
                let body = self.spaced(&it.body, depth);
                format!("{steps}; {} {}.{body}; {})", it.state, it.index, plain(&it.init))
            }
            Term::Derivative(prim, args, t) => self.linear_op("D", *prim, args, t, depth),
            Term::Transposed(prim, args, t) => self.linear_op("Dt", *prim, args, t, depth),
            Term::Copower(t, s) => format!("!({}; {})", plain(t), plain(s)),
            Term::CopowerCase(it, t, x, v, s) => {
                format!("each{}({}; {x} {v}.{})", ty(it), plain(t), self.spaced(s, depth))
            }
            Term::Zero(it) => format!("zero{}", ty(it)),
            Term::Plus(t, s) => call("plus", &[t, s]),
            Term::Proj(skip, t) => call(&format!("proj[{skip}]"), &[t]),
            Term::Coproj(it, skip, t) => call(&format!("at[{skip}]{}", ty(it)), &[t]),
            Term::OneHot(size, it, t, s) => call(&format!("one[{size}]{}", ty(it)), &[t, s]),
            Term::MapDerivative(it) => format!(
                "Dmap({} {}.{}; {}; {}; {})",
                it.element,
                it.tangent,
                self.spaced(&it.body, depth),
                plain(&it.over),
                plain(&it.outer),
                plain(&it.along)
            ),
            Term::MapTransposed(it) => format!(
                "Dtmap{}({} {}.{}; {}; {}; {}.{})",
                ty(&it.space),
                it.element,
                it.cotangent,
                self.spaced(&it.body, depth),
                plain(&it.over),
                plain(&it.along),
                it.array,
                self.spaced(&it.rest, depth)
            ),
            Term::Singleton(t) => format!("[{}]", plain(t)),
            Term::ToList(t) => call("toList", &[t]),
            Term::Zip(t, s) => call("zip", &[t, s]),
        }
    }

    fn binding(&self, word: &str, x: &str, bound: &Term, body: &Term, depth: usize) -> String {
        let bound = self.spaced(bound, depth);
        format!("{word} {x} ={bound} in{}{}", line(depth), self.text(body, depth, 0))
    }

    fn function(&self, x: &str, ty: &Type, arrow: &str, body: &Term, depth: usize) -> String {
        let ty = if self.has_types { format!(": {ty}") } else { String::new() };
        format!("\\{x}{ty} {arrow}{}", self.spaced(body, depth))
    }

    fn linear_op(&self, word: &str, prim: Prim, args: &[Term], t: &Term, depth: usize) -> String {
        let args: Vec<String> = args.iter().map(|it| self.text(it, depth, 0)).collect();
        format!("{word}_{}({}; {})", prim.name(), args.join(", "), self.text(t, depth, 0))
    }

    /// A term of several lines begins on one of its own, others behind a space.
    fn spaced(&self, term: &Term, depth: usize) -> String {
        match matches!(term, Term::Let(..) | Term::LinearLet(..)) {
            true => format!("{}{}", line(depth + 1), self.text(term, depth + 1, 0)),
            false => format!(" {}", self.text(term, depth, 0)),
        }
    }
}

/// `let z = t in let x = fst z in let y = snd z in s`, which is `let (x, y) = t in s` (Section 7.1): `x`, `y` and
/// `s`.
fn both<'t>(z: &Name, term: &'t Term) -> Option<(&'t Name, &'t Name, &'t Term)> {
    let Term::Let(x, first, rest) = term else { return None };
    let Term::Let(y, second, body) = &**rest else { return None };
    let is_both = **first == fst(var(z)) && **second == snd(var(z)) && !body.free().contains(z);
    is_both.then_some((x, y, body))
}

fn line(depth: usize) -> String {
    format!("\n{}", "  ".repeat(depth))
}

fn own_level(term: &Term) -> usize {
    if let Term::Op(prim, _) = term {
        return INFIX.iter().find(|it| it.0 == *prim).map_or(usize::MAX, |it| it.2);
    }
    let is_open = matches!(
        term,
        Term::Let(..) | Term::LinearLet(..) | Term::Lambda(..) | Term::LinearLambda(..)
    );
    match matches!(term, Term::LinearApply(..)) {
        true => APPLICATION,
        false if is_open => 0,
        false => usize::MAX,
    }
}
