//! Trees of small texts, as s-expressions.

use base::FileId;
use expect_test::{Expect, expect};
use syntax::dump::{dump, dump_expr, dump_type};

fn check(text: &str, expected: Expect) {
    let (module, diagnostics) = syntax::parse(FileId(0), text);
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    expected.assert_eq(&dump(&module));
}

fn exprs(texts: &[&str], expected: Expect) {
    let mut res = String::new();
    for text in texts {
        let (tree, diagnostics) = syntax::parse_expr(FileId(0), text);
        assert!(diagnostics.is_empty(), "{text}: {diagnostics:#?}");
        res += &format!("{}\n", dump_expr(&tree));
    }
    expected.assert_eq(&res);
}

fn types(texts: &[&str], expected: Expect) {
    let mut res = String::new();
    for text in texts {
        let (tree, diagnostics) = syntax::parse_type(FileId(0), text);
        assert!(diagnostics.is_empty(), "{text}: {diagnostics:#?}");
        res += &format!("{}\n", dump_type(&tree));
    }
    expected.assert_eq(&res);
}

#[test]
fn declarations() {
    check(
        r#"
-- Gaussian mixture, the way it is written on paper
--- Stable.
---  Twice.
def logsumexp(x: [n]Real): Real = {
  let m = maximum(x);
  m + log(sum(build i < n => exp(x[i] - m)))
}
def matmul(a: [k][m]Real, b: [m][n]Real): [k][n]Real =
  build i < k, j < n => sum(build p < m => a[i, p] * b[p, j])
data Expr = Const(Real) | Var(Int) | Add(Expr, Expr) | Mul(Expr, Expr)
data List<a>= | Nil | Cons(a, List<a>)
type Vec3 = { x: Real, y: Real, }
type Pair<a> = (a, a)
def value(e: Expr, env: [n]Real): Real = match e {
  Const(c)  => c,
  Add(a, b) => value(a, env) + value(b, env),
}
def unit() = ()
def main = f
test "gradient of a recursive evaluator" =
  grad(\v => value(Mul(Var(0), Add(Var(1), Const(2.0))), v))([3.0, 4.0]) ~= [6.0, 3.0]
bench "b" = 1
plot "p" = plot(1)
"#,
        expect![[r#"
            (def doc:"Stable." doc:" Twice." logsumexp [x: [n]Real] : Real (block (let m (call maximum x)) (+ m (call log (call sum (build i<n (call exp (- (index x i) m))))))))
            (def matmul [a: [k][m]Real b: [m][n]Real] : [k][n]Real (build i<k j<n (call sum (build p<m (* (index a i p) (index b p j))))))
            (data Expr [] (Const Real) (Var Int) (Add Expr Expr) (Mul Expr Expr))
            (data List [a] (Nil) (Cons a (List a)))
            (type Vec3 [] (record x: Real y: Real))
            (type Pair [a] (tuple a a))
            (def value [e: Expr env: [n]Real] : Real (match e ((Const c) => c) ((Add a b) => (+ (call value a env) (call value b env)))))
            (def unit [] (tuple))
            (def main f)
            (test "gradient of a recursive evaluator" (~= (call (call grad (\ [v] (call value (call Mul (call Var 0) (call Add (call Var 1) (call Const 2.0))) v))) (array 3.0 4.0)) (array 6.0 3.0)))
            (bench "b" 1)
            (plot "p" (call plot 1))
        "#]],
    );
}

#[test]
fn precedence() {
    exprs(
        &[
            "a || b && c == d + e * -f ** g",
            "-x**2",
            "2.0**-1.0",
            "a ** b ** c",
            "a - b - c",
            "a >= b",
            "a>=b && c<-d",
            "!a && !b",
            "1.0 + if c then a else b + 1",
            "a * \\x => x + 1",
            "f(x)(y)[i, j].z.0.1",
        ],
        expect![[r#"
            (|| a (&& b (== c (+ d (* e (- (** f g)))))))
            (- (** x 2))
            (** 2.0 (- 1.0))
            (** a (** b c))
            (- (- a b) c)
            (>= a b)
            (&& (>= a b) (< c (- d)))
            (&& (! a) (! b))
            (+ 1.0 (if c a (+ b 1)))
            (* a (\ [x] (+ x 1)))
            (.1 (.0 (.z (index (call (call f x) y) i j))))
        "#]],
    );
}

#[test]
fn forms() {
    exprs(
        &[
            "fold(\\acc, x => acc + x, 0.0, xs)",
            "\\() => 1",
            "\\(a, b), _: Real => a",
            "\\f: List<a>=> f",
            "a[1..n]",
            "a[..]",
            "a[i, 1.., ..2]",
            "Vec3 { x: 1.0, y, ..v }",
            "match Foo { A => 1, B(-1, \"s\", true) => 2 }",
            "match (Foo { x: 1 }) { Foo { x, y: (a, b) } => x, }",
            "match f(Foo { x }) {}",
            "()",
            "(a)",
            "(a, b,)",
            "[]",
            "{ let (a, b): (Int, Int) = p; a }",
            "build i < if a then 1 else 2, j < n + 1 => i",
            "\"a\\n\\u{41}\"",
        ],
        expect![[r#"
            (call fold (\ [acc x] (+ acc x)) 0.0 xs)
            (\ [] 1)
            (\ [(tuple a b) _: Real] a)
            (\ [f: (List a)] f)
            (index a (.. 1 n))
            (index a (.. _ _))
            (index a i (.. 1 _) (.. _ 2))
            (record Vec3 x: 1.0 y ..v)
            (match Foo ((A) => 1) ((B -1 "s" true) => 2))
            (match (paren (record Foo x: 1)) ((record Foo x y: (tuple a b)) => x))
            (match (call f (record Foo x)))
            (tuple)
            (paren a)
            (tuple a b)
            (array)
            (block (let (tuple a b): (tuple Int Int) p) a)
            (build i<(if a 1 2) j<(+ n 1) i)
            "a\nA"
        "#]],
    );
}

#[test]
fn type_forms() {
    types(
        &[
            "Real",
            "[n][m]Real -> Real",
            "(A, B) -> C -> D",
            "((A, B)) -> C",
            "() -> C",
            "(A -> B) -> [n](A -> B)",
            "(A)",
            "Matrix<n, n+1, 3, (2*n), List<a>>",
            "[_][]a",
            "[2*(n-1)+m]_",
        ],
        expect![[r#"
            Real
            (-> [[n][m]Real] Real)
            (-> [A B] (-> [C] D))
            (-> [(tuple A B)] C)
            (-> [] C)
            (-> [(-> [A] B)] [n](-> [A] B))
            A
            (Matrix n #(+ n 1) #3 #(paren (* 2 n)) (List a))
            [_][_]a
            [(+ (* 2 (paren (- n 1))) m)]_
        "#]],
    );
}

#[test]
fn custom_derivatives() {
    check(
        "def f(x: Real): Real = g(x) with vjp(x, dy) = dy
with jvp(x: Real, (a, _)) = { a }
def with = 1
def h(with) = (with) + with",
        expect![[r#"
            (def f [x: Real] : Real (call g x) (with vjp [x dy] dy) (with jvp [x: Real (tuple a _)] (block a)))
            (def with 1)
            (def h [with] (+ (paren with) with))
        "#]],
    );
}
