//! `gradcheck`: right and wrong derivatives, arguments, what cannot be checked.

use crate::*;

fn program() -> String {
    file(
        "gradcheck.cot",
        "def softplus(x: Real): Real = log(1.0 + exp(x))\n\
         with vjp(x, dy) = dy / (1.0 + exp(-x))\n\
         with jvp(x, dx) = dx / (1.0 + exp(-x))\n\
         def doubled(x: Real): Real = sin(x)\n\
         with vjp(x, dy) = 2.0 * cos(x) * dy\n\
         def clipped(x: Real): Real = x\n\
         with vjp(_, dy) = min(max(dy, -0.1), 0.1)\n\
         def unlike(x: Real): Real = x * x\n\
         with vjp(x, dy) = 2.0 * x * dy\n\
         with jvp(x, dx) = x * dx\n\
         data Tree = Leaf(Real) | Fork(Tree, Int, Tree)\n\
         type Point = { x: Real, n: Int }\n\
         def mixed(k: Int, t: Tree, (a, b): (Real, Bool), p: Point, xs: [k][m]Real): [m]Real =\n\
           build j < m => sum(build i < k => xs[i, j]) * a * p.x * total(t)\n\
         def total(t: Tree): Real = match t { Leaf(x) => x, Fork(a, _, b) => total(a) * total(b) }\n\
         def roots(x: [n]Real): Real = sum(sqrt(x))\n\
         def norm(x: [n]Real): Real = sqrt(sum(x * x))\n\
         def far(x: [n]Real): Real = x[7]\n\
         def stopped(x: Real): Real = x * stop_gradient(x)\n\
         def twice(f: Real -> Real, x: Real): Real = f(f(x))\n\
         def never(x: Real): Real = log(-1.0 - x * x)\n\
         def some(x: [n]Real): [_]Real = filter(\\y => y > 0.0, x)\n",
    )
}

/// The outcomes of a check: for each law and method `holds`, `fails` or `skipped`.
fn outcomes(ran: &Ran) -> Vec<(String, String, String)> {
    let text = |law: &str, key: &str| {
        let (_, rest) = law.split_once(&format!("\"{key}\":\"")).unwrap();
        rest.split('"').next().unwrap().to_string()
    };
    let (_, laws) = ran.out.split_once("\"laws\":[").unwrap();
    let laws = laws.split("},{");
    laws.map(|it| (text(it, "law"), text(it, "method"), text(it, "outcome"))).collect()
}

fn check(function: &str, status: i32) -> Vec<(String, String, String)> {
    outcomes(&cotan(&["gradcheck", &program(), function, "--json"]).exits(status))
}

/// The laws that a method breaks.
fn broken(function: &str, method: &str) -> Vec<String> {
    let found = check(function, 1);
    let broken = found.into_iter().filter(|it| it.1 == method && it.2 == "fails");
    broken.map(|it| it.0).collect()
}

#[test]
fn right_derivatives_hold() {
    for function in ["softplus", "mixed", "total", "roots", "norm"] {
        let found = check(function, 0);
        for method in ["forward", "tape"] {
            let laws: Vec<&str> =
                found.iter().filter(|it| it.1 == method).map(|it| it.2.as_str()).collect();
            assert!(
                laws.len() >= 4 && laws.iter().all(|it| *it == "holds"),
                "{function} {found:?}"
            );
        }
    }
}

#[test]
fn wrong_derivatives_are_told_by_the_laws_they_break() {
    // A wrong factor is a linear function all the same.
    assert_eq!(broken("doubled", "tape"), ["differences"]);
    assert_eq!(broken("doubled", "forward"), ["differences"]);
    assert_eq!(broken("clipped", "tape"), ["methods", "adjoint", "linear_vjp"]);
    // The methods ask different rules.
    assert_eq!(broken("unlike", "forward"), ["differences"]);
    assert_eq!(broken("unlike", "tape"), ["methods", "differences", "adjoint"]);
}

#[test]
fn the_table_says_where() {
    let ran = cotan(&["gradcheck", &program(), "doubled", "--arg", "x=0.5"]).exits(1);
    assert!(ran.out.starts_with("doubled, 1 point"), "{}", ran.out);
    assert!(ran.out.contains("agrees with central differences fails for tape"), "{}", ran.out);
    assert!(ran.out.contains("where x = 0.5"), "{}", ran.out);
    let ran = cotan(&["gradcheck", &program(), "softplus", "--points", "3"]).exits(0);
    assert!(ran.out.starts_with("softplus, 3 points"), "{}", ran.out);
    assert!(!ran.out.contains("FAILS"), "{}", ran.out);
}

/// At a kink and through `stop_gradient`, central differences say nothing.
#[test]
fn differences_are_left_out_where_they_say_nothing() {
    let args = ["gradcheck", &program(), "norm", "--arg", "x=[0.0, 0.0]", "--json"];
    for found in [outcomes(&cotan(&args).exits(0)), check("stopped", 0)] {
        for (law, _, outcome) in found.iter().filter(|it| it.1 != "bulk") {
            assert_eq!(outcome == "skipped", law == "differences", "{found:?}");
        }
    }
}

#[test]
fn what_cannot_be_checked_says_why() {
    cotan(&["gradcheck", &program(), "twice"]).exits(1).says("[E0636]").says("functions");
    cotan(&["gradcheck", &program(), "some"]).exits(1).says("[E0636]").says("size of its result");
    cotan(&["gradcheck", &program(), "never"]).exits(1).says("[E0636]").says("not finite");
    cotan(&["gradcheck", &program(), "far"]).exits(1).says("[E0601]").says("--arg");
    cotan(&["gradcheck", &program(), "nobody"]).exits(1).says("[E0632]");
    cotan(&["gradcheck", &program(), "norm", "--arg", "y=1.0"]).exits(1).says("[E0620]");
    cotan(&["gradcheck", &program(), "norm", "--points", "0"]).exits(2);
}

#[test]
fn single_precision_has_its_own_tolerance() {
    cotan(&["gradcheck", &program(), "norm", "--real", "f32"]).exits(0);
    cotan(&["gradcheck", &program(), "doubled", "--real", "f32"]).exits(1);
}

/// The clause is right by `a` and wrong by `b`, whose derivative is 2 b.
#[test]
fn laws_are_about_what_is_asked_for() {
    let text = "def f(a: Real, b: Real, n: Int): Real = a * a + b * b
                with vjp(a, b, n, dy) = (2.0 * a * dy, 3.0 * b * dy, 0)\n";
    let path = file("gradcheck_wrt.cot", text);
    let check = |names: &str| cotan(&["gradcheck", &path, "f", "--wrt", names]);
    check("a").exits(0);
    check("b").exits(1);
    check("a,b").exits(1);
    check("c").exits(1).says("[E0620]").says("there is no parameter `c`");
    check("n").exits(1).says("[E0620]").says("has no reals");
}

/// A parameter that is a size.
#[test]
fn sizes_can_be_arguments() {
    let file = file("sized.cot", "def main(n: Int, x: [n]Real): Real = sum(x) * real(n)\n");
    cotan(&["run", &file, "--arg", "n=2", "--arg", "x=[1.0, 2.0]"]).exits(0).prints("6.0");
    cotan(&["run", &file, "--arg", "n=3", "--arg", "x=[1.0, 2.0]"]).exits(1).says("[E0623]");
}
