//! Random well-typed programs: a smooth function of three reals, written with every construct
//! that fits, so that the whole compiler has something to do.

use ::generate::Random;

/// The types that occur.
#[derive(Clone, Debug, PartialEq)]
enum Ty {
    Real,
    Int,
    Bool,
    Vec(usize),
    Mat(usize, usize),
    Pair(Box<Ty>, Box<Ty>),
    Option(Box<Ty>),
    List,
    Point,
}

/// Declarations that the expressions use.
const DECLARATIONS: &str = "\
type Point = { u: Real, v: [2]Real }
def twice(f: a -> a, x: a): a = f(f(x))
def total(l: List<Real>): Real = match l { Nil => 0.0, Cons(h, t) => h + 0.5 * total(t) }
def prefix(xs: [n]Real, k: Int): List<Real> =
  if k >= n || k < 0 then Nil else Cons(xs[k], prefix(xs, k + 1))
def each(l: List<Real>, f: Real -> Real): List<Real -> Real> =
  match l { Nil => Nil, Cons(h, t) => Cons(\\y => f(h) * y, each(t, f)) }
def through(fs: List<Real -> Real>, x: Real): Real =
  match fs { Nil => x, Cons(f, rest) => sin(x) + through(rest, f(x)) }
def slope(f: Real -> Real, x: Real): Real = f(x) - 0.1 * grad(f)(x)
";

/// `f: [3]Real -> Real` with the declarations it needs.
pub fn function(random: &mut Random) -> String {
    let mut maker =
        Maker { random, scope: vec![("x".to_string(), Ty::Vec(3))], fresh: 0, fuel: 60 };
    let body = maker.expr(&Ty::Real, 6);
    format!("{DECLARATIONS}def f(x: [3]Real): Real = {body}\n")
}

struct Maker<'a> {
    random: &'a mut Random,
    scope: Vec<(String, Ty)>,
    fresh: usize,
    /// How many more constructs there may be.
    fuel: usize,
}

impl Maker<'_> {
    fn expr(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 || self.fuel == 0 {
            return self.leaf(ty);
        }
        self.fuel -= 1;
        let depth = depth - 1;
        if self.random.once_in(8) {
            return self.any_type(ty, depth);
        }
        match ty {
            Ty::Real => self.real(depth),
            Ty::Int => self.int(depth),
            Ty::Bool => self.bool(depth),
            Ty::Vec(n) => self.vec(*n, depth),
            Ty::Mat(n, m) => self.mat(*n, *m, depth),
            Ty::Pair(a, b) => format!("({}, {})", self.expr(a, depth), self.expr(b, depth)),
            Ty::Option(a) => format!("Some({})", self.expr(a, depth)),
            Ty::List => format!("Cons({}, {})", self.expr(&Ty::Real, depth), self.expr(ty, depth)),
            Ty::Point => {
                let (u, v) = (self.expr(&Ty::Real, depth), self.expr(&Ty::Vec(2), depth));
                format!("Point {{ u: {u}, v: {v} }}")
            }
        }
    }

    fn leaf(&mut self, ty: &Ty) -> String {
        let known: Vec<String> =
            self.scope.iter().filter(|it| it.1 == *ty).map(|it| it.0.clone()).collect();
        if !known.is_empty() && !self.random.once_in(4) {
            return self.random.pick(&known).clone();
        }
        match ty {
            Ty::Real if self.random.once_in(2) => format!("x[{}]", self.random.below(3)),
            Ty::Real => self.random.pick(&["0.5", "-1.25", "2.0", "0.1", "1.0"]).to_string(),
            Ty::Int => self.random.below(4).to_string(),
            Ty::Bool => self.random.pick(&["true", "false"]).to_string(),
            Ty::Vec(3) => "x".to_string(),
            Ty::Vec(n) => format!("replicate({n}, x[{}])", self.random.below(3)),
            Ty::Mat(n, m) => format!("replicate({n}, {})", self.leaf(&Ty::Vec(*m))),
            Ty::Pair(a, b) => format!("({}, {})", self.leaf(a), self.leaf(b)),
            Ty::Option(a) if self.random.once_in(3) => format!("Some({})", self.leaf(a)),
            Ty::Option(_) => "None".to_string(),
            Ty::List => "prefix(x, 0)".to_string(),
            Ty::Point => format!("Point {{ u: x[0], v: x[{}..3] }}", 1),
        }
    }

    /// An expression with variables in scope.
    fn with(&mut self, vars: &[(&str, Ty)], ty: &Ty, depth: usize) -> String {
        let before = self.scope.len();
        self.scope.extend(vars.iter().map(|(name, ty)| (name.to_string(), ty.clone())));
        let res = self.expr(ty, depth);
        self.scope.truncate(before);
        res
    }

    fn name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    fn some_type(&mut self) -> Ty {
        match self.random.below(8) {
            0 | 1 => Ty::Real,
            2 => Ty::Vec(2),
            3 => Ty::Vec(3),
            4 => Ty::Pair(Box::new(Ty::Real), Box::new(Ty::Vec(2))),
            5 => Ty::Option(Box::new(Ty::Real)),
            6 => Ty::List,
            _ => Ty::Point,
        }
    }

    /// Constructs that give any type.
    fn any_type(&mut self, ty: &Ty, depth: usize) -> String {
        match self.random.below(6) {
            0 => {
                let (name, bound) = (self.name("a"), self.some_type());
                let value = self.expr(&bound, depth);
                let body = self.with(&[(&name, bound)], ty, depth);
                format!("{{ let {name} = {value}; {body} }}")
            }
            1 => {
                let cond = self.expr(&Ty::Bool, depth);
                format!("(if {cond} then {} else {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            2 => {
                let name = self.name("m");
                let value = self.expr(&Ty::Option(Box::new(Ty::Real)), depth);
                let some = self.with(&[(&name, Ty::Real)], ty, depth);
                let none = self.expr(ty, depth);
                format!("(match {value} {{ Some({name}) => {some}, None => {none} }})")
            }
            3 => {
                let name = self.name("t");
                let body = self.with(&[(&name, ty.clone())], ty, depth);
                format!("twice(\\{name} => {body}, {})", self.expr(ty, depth))
            }
            4 => {
                let name = self.name("r");
                let body = self.with(&[(&name, ty.clone())], ty, depth);
                let count = self.random.below(3);
                format!("iterate({count}, \\{name} => {body}, {})", self.expr(ty, depth))
            }
            _ => {
                let pair = Ty::Pair(Box::new(ty.clone()), Box::new(Ty::Real));
                format!("({}).0", self.expr(&pair, depth))
            }
        }
    }

    fn real(&mut self, depth: usize) -> String {
        let a = self.expr(&Ty::Real, depth);
        match self.random.below(29) {
            0..=2 => {
                format!("{}({a})", self.random.pick(&["sin", "cos", "tanh", "sigmoid", "atan"]))
            }
            3 => format!("sqrt(1.0 + {a} ** 2.0)"),
            4 => format!("log(2.0 + sin({a}))"),
            5 => format!("({a} / (1.5 + cos({})))", self.expr(&Ty::Real, depth)),
            6..=8 => {
                let op = *self.random.pick(&["+", "-", "*"]);
                format!("({a} {op} {})", self.expr(&Ty::Real, depth))
            }
            9 => format!("sum({})", self.expr(&Ty::Vec(2), depth)),
            10 => {
                format!("dot({}, {})", self.expr(&Ty::Vec(3), depth), self.expr(&Ty::Vec(3), depth))
            }
            11 => {
                let (s, e) = (self.name("s"), self.name("e"));
                let body = self.with(&[(&s, Ty::Real), (&e, Ty::Real)], &Ty::Real, depth);
                format!("fold(\\{s}, {e} => {body}, {a}, {})", self.expr(&Ty::Vec(3), depth))
            }
            12 => {
                let vec = self.expr(&Ty::Vec(3), depth);
                format!("({vec})[({}) % 3]", self.expr(&Ty::Int, depth))
            }
            13 => {
                let mat = self.expr(&Ty::Mat(2, 3), depth);
                format!("({mat})[{}, {}]", self.random.below(2), self.random.below(3))
            }
            14 => format!("total({})", self.expr(&Ty::List, depth)),
            15 => format!("({}).u", self.expr(&Ty::Point, depth)),
            16 => {
                let name = self.name("g");
                let body = self.with(&[(&name, Ty::Real)], &Ty::Real, depth.min(2));
                format!("grad(\\{name} => {body})({a})")
            }
            17 => {
                let name = self.name("j");
                let body = self.with(&[(&name, Ty::Vec(3))], &Ty::Real, depth.min(2));
                format!("jvp(\\{name} => {body})(x, {})", self.expr(&Ty::Vec(3), depth))
            }
            18 => format!("real({}) * {a}", self.expr(&Ty::Int, depth)),
            19 => {
                let name = self.name("w");
                let step = self.with(&[(&name, Ty::Real)], &Ty::Real, depth.min(2));
                format!(
                    "while(\\(k, _) => k < 2, \\(k, {name}) => (k + 1, sin({step})), (0, {a})).1"
                )
            }
            20 => format!("stop_gradient({}) + {a}", self.random.pick(&["1.5", "2.0"])),
            21 => format!("norm({})", self.expr(&Ty::Vec(2), depth)),
            22 | 23 => {
                let reduce = *self.random.pick(&["product", "maximum", "minimum", "logsumexp"]);
                // Apart from each other, for there is no derivative where two are equal.
                format!("{reduce}({} + [0.0, 0.137, 0.291])", self.expr(&Ty::Vec(3), depth))
            }
            _ => self.by_functions(&a, depth),
        }
    }

    /// Reals by way of functions that are values, and by operators with several arguments.
    fn by_functions(&mut self, a: &str, depth: usize) -> String {
        let name = self.name("f");
        let body = self.with(&[(&name, Ty::Real)], &Ty::Real, depth.min(2));
        match self.random.below(5) {
            0 => format!("through(each({}, \\{name} => {body}), {a})", self.expr(&Ty::List, depth)),
            1 => format!("slope(\\{name} => {body}, {a})"),
            2 => format!("vjp(\\{name} => ({body}, {name}))({a})((0.5, {a}))"),
            3 => {
                let list = self.name("l");
                let vary = self.with(&[(&list, Ty::List)], &Ty::Real, depth.min(2));
                format!("total(grad(\\{list} => {vary})({}))", self.expr(&Ty::List, depth))
            }
            _ => {
                let point = self.name("p");
                let vary = self.with(&[(&point, Ty::Point)], &Ty::Real, depth.min(2));
                let at = self.expr(&Ty::Point, depth);
                format!("{{ let d = grad(\\{point} => {vary})({at}); d.u + sum(d.v) }}")
            }
        }
    }

    fn int(&mut self, depth: usize) -> String {
        match self.random.below(4) {
            0 => format!("({} + {})", self.expr(&Ty::Int, depth), self.expr(&Ty::Int, depth)),
            1 => format!("length({})", self.expr(&Ty::Vec(2), depth)),
            2 => format!("argmax({})", self.expr(&Ty::Vec(3), depth)),
            _ => self.leaf(&Ty::Int),
        }
    }

    fn bool(&mut self, depth: usize) -> String {
        match self.random.below(4) {
            0 => format!("({} < {})", self.expr(&Ty::Real, depth), self.expr(&Ty::Real, depth)),
            1 => format!("({} == {})", self.expr(&Ty::Int, depth), self.expr(&Ty::Int, depth)),
            2 => format!("({} || !{})", self.expr(&Ty::Bool, depth), self.expr(&Ty::Bool, depth)),
            _ => self.leaf(&Ty::Bool),
        }
    }

    fn vec(&mut self, n: usize, depth: usize) -> String {
        let ty = Ty::Vec(n);
        match self.random.below(21) {
            0 => {
                let parts: Vec<String> = (0..n).map(|_| self.expr(&Ty::Real, depth)).collect();
                format!("[{}]", parts.join(", "))
            }
            1 | 2 => {
                let name = self.name("i");
                let body = self.with(&[(&name, Ty::Int)], &Ty::Real, depth);
                format!("(build {name} < {n} => {body})")
            }
            3 | 4 => {
                let name = self.name("e");
                let body = self.with(&[(&name, Ty::Real)], &Ty::Real, depth);
                format!("map(\\{name} => {body}, {})", self.expr(&ty, depth))
            }
            5 => format!("({} * {})", self.expr(&ty, depth), self.expr(&ty, depth)),
            6 => format!("({} + {})", self.expr(&Ty::Real, depth), self.expr(&ty, depth)),
            7 => {
                let (s, e) = (self.name("s"), self.name("e"));
                let body = self.with(&[(&s, Ty::Real), (&e, Ty::Real)], &Ty::Real, depth);
                let init = self.expr(&Ty::Real, depth);
                format!("scan(\\{s}, {e} => {body}, {init}, {})", self.expr(&ty, depth))
            }
            8 => format!("reverse({})", self.expr(&ty, depth)),
            9 => format!("sin({})", self.expr(&ty, depth)),
            10 => format!("({})[{}]", self.expr(&Ty::Mat(2, n), depth), self.random.below(2)),
            11 => {
                let places: Vec<String> =
                    (0..n).map(|_| self.random.below(3).to_string()).collect();
                format!("gather({}, [{}])", self.expr(&Ty::Vec(3), depth), places.join(", "))
            }
            12 => {
                let (into, values) = (self.expr(&ty, depth), self.expr(&Ty::Vec(2), depth));
                format!("scatter({into}, [{}, 0], {values})", self.random.below(n))
            }
            13 => {
                let name = self.name("g");
                let body = self.with(&[(&name, ty.clone())], &Ty::Real, depth.min(2));
                format!("grad(\\{name} => {body})({})", self.expr(&ty, depth))
            }
            14 => {
                let (mat, vec) = (self.expr(&Ty::Mat(n, 2), depth), self.expr(&Ty::Vec(2), depth));
                format!("matvec({mat}, {vec})")
            }
            15 => {
                let apart = ["0.0", "0.137", "0.291"][..n].join(", ");
                format!("sort({} + [{apart}])", self.expr(&ty, depth))
            }
            16 => format!(
                "concat({0}, [{1}])[1..{2}]",
                self.expr(&ty, depth),
                self.leaf(&Ty::Real),
                n + 1
            ),
            17 => format!("sum({})", self.expr(&Ty::Mat(2, n), depth)),
            18 => {
                let (a, b) = (self.name("a"), self.name("b"));
                let body = self.with(&[(&a, Ty::Real), (&b, Ty::Real)], &Ty::Real, depth);
                let (left, right) = (self.expr(&ty, depth), self.expr(&ty, depth));
                format!("map(\\({a}, {b}) => {body}, zip({left}, {right}))")
            }
            19 => format!("select({0} > 0.1, {0}, {1})", self.leaf(&ty), self.expr(&ty, depth)),
            _ => {
                let name = self.name("v");
                let body = self.with(&[(&name, ty.clone())], &ty, depth.min(2));
                let (at, along) = (self.expr(&ty, depth), self.leaf(&ty));
                match self.random.once_in(2) {
                    true => format!("vjp(\\{name} => {body})({at})({along})"),
                    false => format!(
                        "{{ let (y, push, pull) = linearise(\\{name} => {body})({at}); pull(push({along}) + y) }}"
                    ),
                }
            }
        }
    }

    fn mat(&mut self, n: usize, m: usize, depth: usize) -> String {
        match self.random.below(5) {
            0 => {
                let (i, j) = (self.name("i"), self.name("j"));
                let body = self.with(&[(&i, Ty::Int), (&j, Ty::Int)], &Ty::Real, depth);
                format!("(build {i} < {n}, {j} < {m} => {body})")
            }
            1 => {
                format!(
                    "outer({}, {})",
                    self.expr(&Ty::Vec(n), depth),
                    self.expr(&Ty::Vec(m), depth)
                )
            }
            2 => format!("transpose({})", self.expr(&Ty::Mat(m, n), depth)),
            3 => {
                let (a, b) = (self.expr(&Ty::Mat(n, 2), depth), self.expr(&Ty::Mat(2, m), depth));
                format!("matmul({a}, {b})")
            }
            _ => format!("reshape({}, {n}, {m})", self.expr(&Ty::Mat(m, n), depth)),
        }
    }
}
