//! `check --strict` and the section of `stages`: where gradients end.

use crate::*;

fn stops() -> String {
    file(
        "stops.cot",
        "def pixels(width: Real, height: Real): Real = floor(width) * height\n\
         def main = grad(pixels)(2.5, 3.0)\n",
    )
}

#[test]
fn an_argument_without_a_path_is_an_error() {
    cotan(&["check", &stops()]).exits(0);
    let ran = cotan(&["check", "--strict", &stops()]).exits(1).says("[E0513]");
    for text in ["from `width` to the result", "a path ends here: rounding", ":2:17", "grad"] {
        assert!(ran.err.contains(text), "`{text}` is not in\n{}", ran.err);
    }
    assert!(!ran.err.contains("`height`"), "{}", ran.err);
    let ran = cotan(&["check", "--strict", "--json", &stops()]).exits(1);
    assert!(ran.out.contains("\"code\":\"E0513\""), "{}", ran.out);
}

/// Whatever may carry a gradient is taken to carry it.
#[test]
fn nothing_is_reported_falsely() {
    let file = file(
        "flows.cot",
        "data Op = Keep | Scale(Real)\n\
         def run(op: Op, x: Real): Real = match op { Keep => x, Scale(s) => s * x }\n\
         def straight(x: Real): Real = x + stop_gradient(round(x) - x)\n\
         def asked(x: Real): Real = floor(x)\n\
         with vjp(_, dy) = dy\n\
         def twice(f: Real -> Real, x: Real): Real = f(f(x))\n\
         def loop(n: Int, x: Real): Real = iterate(n, \\s => s * x, 1.0)\n\
         def even(n: Int, x: Real): Real = if n == 0 then 1.0 else odd(n - 1, x)\n\
         def odd(n: Int, x: Real): Real = if n == 0 then x else even(n - 1, x)\n\
         test \"a\" = grad(\\x => run(Scale(2.0), x))(1.0) == 2.0\n\
         test \"b\" = grad(straight)(1.2) == 1.0\n\
         test \"c\" = grad(asked)(1.2) == 1.0\n\
         test \"d\" = grad(\\x => twice(\\y => x * y, 1.0))(3.0) == 6.0\n\
         test \"e\" = grad(\\x => loop(3, x))(2.0) == 12.0\n\
         test \"f\" = grad(\\x => even(3, x))(2.0) == 1.0\n\
         test \"g\" = grad(\\x => grad(\\y => x * y)(1.0))(3.0) == 1.0\n\
         test \"h\" = grad(\\p => (if p.1 > 0 then 2.0 else 3.0) * p.0)((1.0, 2)) == (2.0, 0)\n\
         test \"i\" = vjp(\\n, x => (n, x))(3, 2.0)((0, 1.0)) == (0, 1.0)\n\
         test \"j\" = grad(\\x => sum(scan(\\acc, y => acc + x * y, 0.0, [1.0, 2.0])))(1.0) == 4.0\n\
         test \"k\" = grad(\\x => { let fs = (\\y => x, 1); (fs.0)(2.0) })(1.0) == 1.0\n",
    );
    cotan(&["test", &file]).exits(0);
    let ran = cotan(&["check", "--strict", &file]).exits(0);
    assert_eq!(ran.err, "");
}

#[test]
fn stages_list_the_places() {
    let file = file(
        "places.cot",
        "def steps(x: Real): Real = round(x) + real(int(x)) + (if x > 0.0 then sign(x) else 2.0)\n\
         def main(a: [n]Real, b: Real): Real = steps(b) + sum(stop_gradient(a)) + a[argmax(a)]\n\
         def smooth(x: Real): Real = x * x\n",
    );
    let ran = cotan(&["stages", &file, "main"]).exits(0);
    let (_, section) = ran.out.split_once("-- gradient stops at\n").unwrap();
    let section = section.split("\n\n").next().unwrap().replace(&file, "places.cot");
    let expected = [
        "places.cot:1:28: rounding: round(x)",
        "places.cot:1:44: a conversion to Int: int(x)",
        "places.cot:1:58: a comparison: x > 0.0",
        "places.cot:1:71: a sign: sign(x)",
        "places.cot:2:54: stop_gradient: stop_gradient(a)",
        "places.cot:2:76: a position: argmax(a)",
    ];
    assert_eq!(section.trim_end(), expected.join("\n"));
    let ran = cotan(&["stages", &file, "smooth"]).exits(0);
    assert!(!ran.out.contains("gradient stops"), "{}", ran.out);
}
