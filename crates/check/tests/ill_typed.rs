//! Ill-typed programs are refused by the checker: none reaches the builder, which panics.

mod support;

use expect_test::expect;

/// The codes alone.
fn codes(text: &str) -> Vec<String> {
    let all = support::codes(text);
    all.into_iter().map(|it| it.split(':').next().unwrap_or_default().to_string()).collect()
}

#[test]
fn a_matrix_and_a_vector() {
    expect![[r#"
        error[E0407]: arrays of different numbers of dimensions
         --> test.cot:1:12
          |
        1 | def main = [[1.0, 2.0], [3.0, 4.0]] + [10.0, 20.0]
          |            ^^^^^^^^^^^^^^^^^^^^^^^^   ------------ this is `[2]Real`
          |            |
          |            this is `[2][2]Real`
          |
          = help: for the smaller array `v` with every row of `m`, write `map(\row => row + v, m)`
          = help: for each number of `v` with its own row of `m`, write `build i < 2 => m[i] + v[i]`
    "#]]
    .assert_eq(&support::messages("def main = [[1.0, 2.0], [3.0, 4.0]] + [10.0, 20.0]"));
}

#[test]
fn sizes_decide_which_way_is_offered() {
    expect![[r#"
        error[E0407]: arrays of different numbers of dimensions
         --> test.cot:1:40
          |
        1 | def f(m: [n][k]Real, v: [k]Real) = max(v, m)
          |                                        ^  - this is `[n][k]Real`
          |                                        |
          |                                        this is `[k]Real`
          |
          = help: for the smaller array `v` with every row of `m`, write `map(\row => max(v, row), m)`

        error[E0407]: arrays of different numbers of dimensions
         --> test.cot:2:42
          |
        2 | def g(m: [2][3][4]Real, v: [2][3]Real) = v ** m
          |                                          ^    - this is `[2][3][4]Real`
          |                                          |
          |                                          this is `[2][3]Real`
          |
          = help: for each number of `v` with its own row of `m`, write `build i < 2, i2 < 3 => v[i, i2] ** m[i, i2]`

        error[E0407]: arrays of different numbers of dimensions
         --> test.cot:3:39
          |
        3 | def h(m: [2][3][4]Real, v: [4]Real) = m * v
          |                                       ^   - this is `[4]Real`
          |                                       |
          |                                       this is `[2][3][4]Real`
          |
          = help: for the smaller array `v` with every row of `m`, write `map(\m2 => map(\row => row * v, m2), m)`

        error[E0407]: arrays of different numbers of dimensions
         --> test.cot:4:46
          |
        4 | def s(mask: [2]Bool, a: [2][3]Real) = select(mask, a, a)
          |                                              ^^^^ this mask is `[2]Bool`, the values are `[2][3]Real`
          |
          = help: for each number of `v` with its own row of `m`, write `build i < 2 => select(v[i], m[i], ...)`
    "#]]
    .assert_eq(&support::messages(
        "def f(m: [n][k]Real, v: [k]Real) = max(v, m)\n\
         def g(m: [2][3][4]Real, v: [2][3]Real) = v ** m\n\
         def h(m: [2][3][4]Real, v: [4]Real) = m * v\n\
         def s(mask: [2]Bool, a: [2][3]Real) = select(mask, a, a)",
    ));
}

#[test]
fn ranks_that_differ_are_refused_wherever_they_meet() {
    for text in [
        "def f(m: [2][2]Real, v: [2]Real) = v * m",
        "def f(m: [2][2]Real, v: [2]Real) = m < v",
        "def f(m: [2][2]Int, v: [2]Int) = m + v",
        "def f(m: [2][2]Real, v: [2]Real) = min(m, v)",
        "def f(m: [2][2]Real, v: [2]Real) = m ** v",
        "def f(m: [2][2]Real, v: [2]Real) = atan2(m, v)",
        "def f(m: [2][2]Real, v: [2]Real) = select(true, m, v)",
        "def f(b: [2]Bool, m: [2][2]Real) = select(b, m, 0.0)",
        "def f(b: [2]Bool, m: [2][2][2]Real) = select([b, b], m, m)",
        "def f(t: [2][2][2]Real, m: [2][2]Real) = t - m",
        "def f(t: [2][2][2]Real, v: [2]Real) = t - v",
        "def f(m: [2][2]Real, v: [2]Real) = map(\\x => x + v, [m, m])",
        "def f(m: [2][2]Real, v: [2]Real) = fold(\\a, x => a + x, v, [m, m])",
        "def f(m: [n][k]Real, v: [n]Real) = m + v",
        "def f(m: [n][n]Real) = { let add = \\x, y => x + y; add(m, m[0]) }",
        "def f(xs: [2]Real) = { let g = \\x => x + xs; g([xs, xs]) }",
        "def f(xs: [2]Real) = map(\\x => x + [xs, xs], [xs, xs])",
        "def add(x, y) = x + y\ndef f(m: [2][2]Real, v: [2]Real) = add(m, v)",
    ] {
        let found = codes(text);
        assert!(
            found.iter().any(|it| ["E0407", "E0301", "E0401"].contains(&it.as_str())),
            "{text}: {found:?}"
        );
    }
}

/// A small generator of numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    fn one_of(&mut self, texts: &[&str]) -> String {
        texts[self.below(texts.len())].to_string()
    }

    /// An expression, mostly ill typed, over the names in scope.
    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.one_of(&[
                "x", "i", "b", "v", "m", "t", "p", "q", "s", "y", "z", "o", "1", "2.0", "true",
                "[]", "()", "n", "h", "w",
            ]);
        }
        let mut e = || self.expr(depth - 1);
        let (a, c, d) = (e(), e(), e());
        let op = self.one_of(&["+", "-", "*", "/", "**", "<", "==", "~=", "&&", "%"]);
        match self.below(30) {
            0..=5 => format!("({a} {op} {c})"),
            6 => format!("max({a}, {c})"),
            7 => format!("select({a}, {c}, {d})"),
            8 => format!("map(\\y => {a}, {c})"),
            9 => format!("map(\\y, z => {a}, {c}, {d})"),
            10 => format!("fold(\\y, z => {a}, {c}, {d})"),
            11 => format!("scan(\\y, z => {a}, {c}, {d})"),
            12 => format!("(build i < {a} => {c})"),
            13 => format!("[{a}, {c}]"),
            14 => format!("({a}, {c})"),
            15 => format!("{{ let y = {a}; {c} }}"),
            16 => format!("{{ let h = \\y => {a}; (h({c}), h({d})) }}"),
            17 => format!("(if {a} then {c} else {d})"),
            18 => format!("sum({a})"),
            19 => format!("({a})[{c}]"),
            20 => format!("grad(\\y => {a})({c})"),
            21 => format!("jvp(\\y => {a})({c}, {d})"),
            22 => format!("(-{a})"),
            23 => format!("(match ({a}) {{ None => {c}, Some(z) => {d} }})"),
            24 => format!("Some({a})"),
            25 => format!("transpose({a})"),
            26 => format!("reshape({a}, {c}, 2)"),
            27 => format!("zip({a}, {c})"),
            28 => format!("(match ({a}) {{ (y, 1) => {c}, _ => {d} }})"),
            _ => self.more(&a, &c, &d),
        }
    }

    fn more(&mut self, a: &str, c: &str, d: &str) -> String {
        match self.below(16) {
            0 => format!("filter(\\y => {a}, {c})"),
            1 => format!("iterate({a}, \\y => {c}, {d})"),
            2 => format!("while(\\y => {a}, \\y => {c}, {d})"),
            3 => format!("concat({a}, {c})"),
            4 => format!("gather({a}, {c})"),
            5 => format!("scatter({a}, {c}, {d})"),
            6 => format!("({a}).0"),
            7 => format!("P {{ c: {a}, d: {c} }}"),
            8 => format!("({a}).c"),
            9 => format!("jacobian(\\y => {a})({c})"),
            10 => format!("vjp(\\y => {a})({c})({d})"),
            11 => format!("real({a})"),
            12 => format!("({a})[{c}..{d}]"),
            13 => format!("replicate({a}, {c})"),
            14 => format!("unzip({a})"),
            _ => format!("f({a}, {c})"),
        }
    }
}

/// The program around an expression: variables of many types, some of them not annotated.
fn around(expr: &str) -> String {
    format!(
        "type P = {{ c: Real, d: [2]Real }}\n\
         def f(y, z) = y + z\n\
         def g(x: Real, i: Int, b: Bool, v: [2]Real, m: [2][2]Real, t: [n][k]Real, \
         p: (Real, Int), q: P, s: [n]Int, y, z, o: Option<Real>, w: [n]Bool, h: Real -> Real) = {expr}\n"
    )
}

#[test]
fn no_expression_reaches_the_builder_ill_typed() {
    let mut dice = Dice(16);
    let mut accepted = 0;
    for _ in 0..COUNT {
        let depth = 1 + dice.below(3);
        let text = around(&dice.expr(depth));
        let result = std::panic::catch_unwind(|| support::check(&text).1);
        let diagnostics = result.unwrap_or_else(|_| panic!("the checker panics on\n{text}"));
        accepted += usize::from(diagnostics.is_empty());
    }
    assert!(accepted > COUNT / 50, "only {accepted} are well typed");
}

const COUNT: usize = 1200;

/// Found by fuzz: a number was taken for an array without dimensions, which no value is.
#[test]
fn a_number_has_no_other_shape() {
    for text in [
        "def main = reshape(2.0, 1)",
        "def square(x, side) = reshape(x, x)\ndef main = square(1, 1)",
    ] {
        assert!(codes(text).contains(&"E0301".to_string()), "{text}");
    }
    assert_eq!(codes("def main = reshape([[2.0, 3.0]], 2, 1)"), [""; 0]);
}
