//! Definitions with few annotations or none, and the types inferred for them.

mod support;

use expect_test::{Expect, expect};

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&support::types(text));
}

#[test]
fn the_prelude_checks_and_verifies() {
    check("", &expect![[""]]);
}

#[test]
fn functions_are_polymorphic_in_what_nothing_decides() {
    check(
        r"def identity_of(x) = x
def first(p: (a, b)) = p.0
def compose(f, g) = \x => f(g(x))
def twice(f) = \x => f(f(x))
def swap((a, b)) = (b, a)",
        &expect![[r#"
            identity_of: a -> a
            first: ((a, b)) -> a
            compose: (a -> b, c -> a) -> c -> b
            twice: (a -> a) -> a -> a
            swap: ((a, b)) -> (b, a)
        "#]],
    );
}

#[test]
fn let_bound_functions_are_polymorphic() {
    check(
        r#"def main = {
  let pair = \x => (x, x);
  (pair(1), pair(true), pair("a"))
}
def local_sizes(xs: [n]Real, ys: [m]Real) = {
  let total = \zs => sum(zs) + 1.0;
  total(xs) + total(ys)
}"#,
        &expect![[r#"
            main: ((Int, Int), (Bool, Bool), (String, String))
            local_sizes: ([n]Real, [m]Real) -> Real
        "#]],
    );
}

#[test]
fn what_is_captured_is_not_generalised() {
    check(
        r"def f(x) = {
  let constant = \y => x;
  (constant(1), constant(true))
}",
        &expect![[r#"
            f: a -> (a, a)
        "#]],
    );
}

#[test]
fn numbers_default_to_real() {
    check(
        r"def add(x, y) = x + y
def scale(x) = -x
def power(x, k: Int) = x ** real(k)
def counted(n: Int) = n * n
def smaller(x, y) = x < y
def length_of(x, y) = sqrt(x * x + y * y)",
        &expect![[r#"
            add: (Real, Real) -> Real
            scale: Real -> Real
            power: (Real, Int) -> Real
            counted: Int -> Int
            smaller: (Real, Real) -> Bool
            length_of: (Real, Real) -> Real
        "#]],
    );
}

#[test]
fn sizes_are_inferred_through_element_by_element_operations() {
    check(
        r"def dot2(xs: [n]Real, ys) = sum(xs * ys)
def shifted(xs: [n]Real) = xs + 1.0
def rows(m: [n][k]Real) = map(\row => sum(row), m)
def table(m: [n][k]Real) = build i < k, j < n => m[j, i]",
        &expect![[r#"
            dot2: ([n]Real, [n]Real) -> Real
            shifted: [n]Real -> [n]Real
            rows: [n][k]Real -> [n]Real
            table: [n][k]Real -> [k][n]Real
        "#]],
    );
}

#[test]
fn sizes_are_polynomials() {
    check(
        r"def one_more(xs: [n]Real) = concat(xs, [0.0])
def doubled(xs: [n]Real) = concat(xs, xs)
def all(m: [n][k]Real) = flatten(m)
def rest(xs: [n+1]Real) = xs[1..]
def differences(xs: [n+1]Real) = build i < n => xs[i + 1] - xs[i]
def both(xs: [n+1]Real) = one_more(rest(xs))
def halves(xs: [2*n]Real) = (xs[..n], xs[n..])
def used = (halves([1.0, 2.0, 3.0, 4.0]), rest([1.0, 2.0]))",
        &expect![[r#"
            one_more: [n]Real -> [n + 1]Real
            doubled: [n]Real -> [2*n]Real
            all: [n][k]Real -> [n*k]Real
            rest: [n + 1]Real -> [n]Real
            differences: [n + 1]Real -> [n]Real
            both: [n + 1]Real -> [n + 1]Real
            halves: [2*n]Real -> ([n]Real, [n]Real)
            used: (([2]Real, [2]Real), [1]Real)
        "#]],
    );
}

#[test]
fn int_parameters_are_sizes_of_the_result() {
    check(
        r"def zeros(n: Int) = replicate(n, 0.0)
def grid(n: Int, m: Int) = build i < n, j < m => i * j
def promised(n: Int): [n + 1]Int = iota(n + 1)
def three = zeros(3)
def summed(k: Int) = zeros(k) + zeros(k)",
        &expect![[r#"
            zeros: Int -> [n]Real
            grid: (Int, Int) -> [n][m]Int
            promised: Int -> [n + 1]Int
            three: [3]Real
            summed: Int -> [k]Real
        "#]],
    );
}

#[test]
fn sizes_that_only_running_tells() {
    check(
        r"def positive(xs: [n]Real) = filter(\x => x > 0.0, xs)
def halved(n: Int) = iota(n / 2)
def total(xs: [n]Real) = sum(positive(xs))
def promised(xs: [n]Real): [k]Real = filter(\x => x > 0.0, xs)
def made_known(xs: [n]Real): [n]Real = sized(n, positive(xs))",
        &expect![[r#"
            positive: [n]Real -> [k]Real
            halved: Int -> [?]Int
            total: [n]Real -> Real
            promised: [n]Real -> [k]Real
            made_known: [n]Real -> [n]Real
        "#]],
    );
}

#[test]
fn higher_order_functions() {
    check(
        r"def apply_to(f, x) = f(x)
def numbers(xs: [n]Real) = map(\x => (x, x > 0.0), xs)
def folded(xs: [n]Int) = fold(\acc, x => acc + x, 0, xs)
def sums(xs: [n]Real) = scan(\acc, x => acc + x, 0.0, xs)
def newton(x: Real) = while(\y => y > 1.0, \y => y / 2.0, x)
def each(f, xs: [n]a) = map(f, xs)
def partial(x: Real) = \y => \z => x + y + z",
        &expect![[r#"
            apply_to: (a -> b, a) -> b
            numbers: [n]Real -> [n](Real, Bool)
            folded: [n]Int -> Int
            sums: [n]Real -> [n]Real
            newton: Real -> Real
            each: (a -> b, [n]a) -> [n]b
            partial: Real -> Real -> Real -> Real
        "#]],
    );
}

#[test]
fn records() {
    check(
        r"type Point = { x: Real, y: Real }
type Batch<n, a> = { items: [n]a, count: Int }
def norm2(p) = p.x * p.x + p.y * p.y
def moved(p: Point) = Point { x: p.x + 1.0, ..p }
def batch(xs) = Batch { items: xs, count: length(xs) }
def items_of(b: Batch<n, a>) = b.items
def flat(Point { x, y }) = x + y",
        &expect![[r#"
            norm2: Point -> Real
            moved: Point -> Point
            batch: [n]a -> Batch<a, n>
            items_of: Batch<a, n> -> [n]a
            flat: Point -> Real
        "#]],
    );
}

#[test]
fn data() {
    check(
        r#"data Tree<a> = Leaf | Node(Tree<a>, a, Tree<a>)
data Vector<n> = Dense([n]Real) | Zero
def size_of(t) = match t { Leaf => 0, Node(l, _, r) => size_of(l) + 1 + size_of(r) }
def insert(x, t) = match t {
  Leaf => Node(Leaf, x, Leaf),
  Node(l, y, r) => if x < y then Node(insert(x, l), y, r) else Node(l, y, insert(x, r)),
}
def total(v) = match v { Dense(xs) => sum(xs), Zero => 0.0 }
def one = Some(1.5)
def or_zero(o) = match o { Some(x) => x, None => 0 }
def built = Node(Leaf, "a", Leaf)"#,
        &expect![[r#"
            size_of: Tree<a> -> Int
            insert: (Real, Tree<Real>) -> Tree<Real>
            total: Vector<n> -> Real
            one: Option<Real>
            or_zero: Option<Int> -> Int
            built: Tree<String>
        "#]],
    );
}

#[test]
fn mutual_recursion() {
    check(
        r"def even(n) = if n == 0 then true else odd(n - 1)
def odd(n) = if n == 0 then false else even(n - 1)
def ping(n, x) = if n == 0 then x else pong(n - 1, x)
def pong(n, x) = ping(n, x)",
        &expect![[r#"
            even: Int -> Bool
            odd: Int -> Bool
            ping: (Int, a) -> a
            pong: (Int, a) -> a
        "#]],
    );
}

#[test]
fn derivative_operators() {
    check(
        r"def f(x: Real, y: Real) = sin(x) * y
def g(xs: [n]Real) = sum(xs * xs)
def h(xs: [n]Real) = xs * xs
def slope = grad(f)
def both = value_and_grad(f)
def gradient(xs: [n]Real) = grad(g)(xs)
def forward(xs: [n]Real) = jvp(h)(xs, xs)
def along(xs: [n]Real) = jvp(h)(xs)
def along_two(x: Real) = jvp(f)((x, x))
def back(xs: [n]Real) = vjp(h)(xs)
def all(xs: [n]Real) = linearise(h)(xs)
def all_of_two = linearise(f)
def matrix(xs: [n]Real) = jacobian(h)(xs)
def second(xs: [n]Real) = hessian(g)(xs)
def product_with(xs: [n]Real) = hvp(g)(xs, xs)
def of_lambda(x) = grad(\y => y * y * x)(x)
def descend(loss) = \x => x - 0.1 * grad(loss)(x)",
        &expect![[r#"
            f: (Real, Real) -> Real
            g: [n]Real -> Real
            h: [n]Real -> [n]Real
            slope: (Real, Real) -> (Real, Real)
            both: (Real, Real) -> (Real, (Real, Real))
            gradient: [n]Real -> [n]Real
            forward: [n]Real -> [n]Real
            along: [n]Real -> [n]Real -> [n]Real
            along_two: Real -> ((Real, Real)) -> Real
            back: [n]Real -> [n]Real -> [n]Real
            all: [n]Real -> ([n]Real, [n]Real -> [n]Real, [n]Real -> [n]Real)
            all_of_two: (Real, Real) -> (Real, ((Real, Real)) -> Real, Real -> (Real, Real))
            matrix: [n]Real -> [n][n]Real
            second: [n]Real -> [n][n]Real
            product_with: [n]Real -> [n]Real
            of_lambda: Real -> Real
            descend: (Real -> Real) -> Real -> Real
        "#]],
    );
}

#[test]
fn annotations_with_holes() {
    check(
        r"def f(x: _, y: Int): _ = (x, y)
def g(xs: [_]Real) = length(xs)
def h(xs: []Real): Real = sum(xs)",
        &expect![[r#"
            f: (a, Int) -> (a, Int)
            g: [_]Real -> Int
            h: [_]Real -> Real
        "#]],
    );
}

#[test]
fn users_hide_the_prelude_and_builtins() {
    check(
        r"def sum(x: Int) = x + 1
def dot = sum(2)
data Option<a> = Nothing | Just(a)
def some = Just(dot)",
        &expect![[r#"
            sum: Int -> Int
            dot: Int
            some: Option<Int>
        "#]],
    );
}
