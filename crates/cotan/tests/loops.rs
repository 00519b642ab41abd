//! Loops that compiled code runs in a way of its own mean what they say: scatters in parts, checks that
//! stand for others, products that are plain where nobody sees the difference.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use std::num::NonZeroUsize;

use cotan::{Argument, Backend, Compiled, Compiler, Options, Style, Via};

const TEXT: &str = "
    def counted(at: [m]Int, w: [m]Real, x: [n]Real): [n]Real =
      vjp(\\x => build i < m => x[at[i]])(x)(w)
    def turned(base: [n]Real, at: [m]Int, w: [m]Real): [n]Real =
      scatter(reverse(scatter(base, at, w)), at, w)
    def shorter(base: [n + 1]Real, at: [m]Int, w: [m]Real): [n]Real =
      scatter(scatter(base, at, w)[0 .. n], at, w)
    def powered(start: Real, steps: Int): Real =
      grad(\\x => iterate(steps, \\y => y * y + 0.0 * sqrt(y), x))(start)
";

fn compiled(backend: Backend, threads: usize) -> Compiled {
    let threads = NonZeroUsize::new(threads);
    let program = Compiler::new(Options { backend, threads, ..Options::default() });
    let program = program.compile("loops.cot", TEXT);
    program.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)))
}

const M: usize = 300_000;
const N: usize = 1000;

fn arguments(at: Vec<i64>, w: Vec<f64>) -> [Argument; 3] {
    [
        Argument::json("at", &format!("{at:?}")),
        Argument::owned_reals("w", &[M], w),
        Argument::owned_reals("x", &[N], vec![0.0; N]),
    ]
}

/// Each element of `x` is read 300 times.
fn places() -> Vec<i64> {
    (0..M as i64).map(|it| it * 7 % N as i64).collect()
}

#[test]
fn a_scatter_in_parts_adds_everything_once() {
    for threads in [1, 2, 3] {
        let mut program = compiled(Backend::Native, threads);
        let answer = program.call("counted", &arguments(places(), vec![1.0; M])).unwrap();
        assert!(answer.as_slice().unwrap().1.iter().all(|it| *it == (M / N) as f64));
    }
}

#[test]
fn a_scatter_has_the_same_bits_on_any_number_of_threads() {
    let weights: Vec<f64> = (0..M).map(|it| 1.0 / (1.0 + it as f64)).collect();
    let sums = [1, 2, 3].map(|threads| {
        let mut program = compiled(Backend::Native, threads);
        let answer = program.call("counted", &arguments(places(), weights.clone())).unwrap();
        answer.as_slice().unwrap().1.to_vec()
    });
    assert_eq!(sums[0], sums[1]);
    assert_eq!(sums[0], sums[2]);
}

/// The gather itself is not done, since only its positions matter; but it is to blame.
#[test]
fn a_position_out_of_range_is_that_of_the_gather() {
    let mut at = places();
    (at[777], at[999]) = (N as i64, -1);
    let reports = [Backend::Interp, Backend::Native].map(|backend| {
        let mut program = compiled(backend, 1);
        let arguments = arguments(at.clone(), vec![1.0; M]);
        program.call("counted", &arguments).unwrap_err().render(Style::Plain)
    });
    assert_eq!(reports[0], reports[1]);
    assert!(reports[0].contains("index 1000"), "{}", reports[0]);
}

/// The derivative of `x^8`; that of the root is infinite at 0, and multiplied with 0.
#[test]
fn a_factor_of_zero_counts_more_than_infinity() {
    let mut program = compiled(Backend::Native, 1);
    for (start, slope) in [(0.0, 0.0), (1.0, 8.0), (0.5, 8.0 / 128.0)] {
        let arguments = [Argument::real("start", start), Argument::json("steps", "3")];
        let answer = program.call("powered", &arguments).unwrap();
        assert_eq!(answer.as_real(), Some(slope), "at {start}");
    }
}

#[test]
fn a_negative_size_is_blamed_on_its_array() {
    let text = "def f(n: Int): Real = sum(build i < n => real(i) * 2.0)\ndef main = f(-1)\n";
    for backend in [Backend::Interp, Backend::Native] {
        let options = Options { backend, via: Via::Bulk, ..Options::default() };
        let mut program = Compiler::new(options).compile("negative.cot", text).unwrap();
        let report = program.call("main", &[]).unwrap_err().render(Style::Plain);
        assert!(report.contains("negative.cot:1:27"), "{backend:?}: {report}");
    }
}

#[test]
fn a_scatter_into_a_part_of_another_one_comes_after_it() {
    let mut program = compiled(Backend::Native, 1);
    let (base, at, w) = ("[100, 0, 0, 7]", "[2, 0, 2]", "[1, 2, 3]");
    let mut ask = |name: &str| {
        let parts = [("base", base), ("at", at), ("w", w)];
        let answer = program.call(name, &parts.map(|it| Argument::json(it.0, it.1))).unwrap();
        answer.value_json()
    };
    assert_eq!(ask("turned"), "[9.0,4.0,4.0,102.0]");
    assert_eq!(ask("shorter"), "[104.0,0.0,8.0]");
}

/// Products of parts of matrices, beside calls and concatenations that read the same matrices.
const PARTS: &str = "
    def below(l: [n][n]Real, b: [n][m]Real): [n][m]Real = {
      let k = n / 2;
      concat(b[..k], b[k..] - matmul(l[k.., ..k], b[..k]))
    }
    def halves(l: [n][n]Real, b: [n][m]Real): [n][m]Real = if n <= 2 then b else {
      let k = n / 2;
      let x = halves(l[..k, ..k], b[..k]);
      concat(x, halves(l[k.., k..], b[k..] - matmul(l[k.., ..k], x)))
    }
";

/// By loops: whole numbers, so that there is no rounding.
fn by_halves(from: usize, to: usize, deep: bool, l: &[f64], n: usize, b: &mut [Vec<f64>]) {
    let k = from + (to - from) / 2;
    if deep && to - from <= 2 {
        return;
    }
    if deep {
        by_halves(from, k, deep, l, n, b);
    }
    for row in k..to {
        for inner in from..k {
            let known = b[inner].clone();
            for (it, x) in b[row].iter_mut().zip(known) {
                *it -= l[row * n + inner] * x;
            }
        }
    }
    if deep {
        by_halves(k, to, deep, l, n, b);
    }
}

#[test]
fn products_of_parts_are_products_of_matrices() {
    let options = |backend| Options { backend, via: Via::Bulk, ..Options::default() };
    let program = |backend| Compiler::new(options(backend)).compile("parts.cot", PARTS).unwrap();
    for (def, deep) in [("below", false), ("halves", true)] {
        let stages = program(Backend::Native).stages(def, &[], &[]).unwrap();
        let loops = stages.split("\n-- ").find(|it| it.starts_with("loops\n")).unwrap();
        assert!(loops.contains("] = product "), "{loops}");
        for (n, m) in [(0, 3), (1, 1), (5, 0), (7, 4), (37, 11), (64, 50)] {
            let l: Vec<f64> = (0..n * n).map(|it| (it * 5 % 3) as f64 - 1.0).collect();
            let b: Vec<f64> = (0..n * m).map(|it| (it * 7 % 5) as f64).collect();
            let mut rows: Vec<Vec<f64>> = (0..n).map(|it| b[it * m..][..m].to_vec()).collect();
            by_halves(0, n, deep, &l, n, &mut rows);
            for backend in [Backend::Native, Backend::Interp] {
                let l = Argument::owned_reals("l", &[n, n], l.clone());
                let b = Argument::owned_reals("b", &[n, m], b.clone());
                let answer = program(backend).call(def, &[l, b]).unwrap();
                assert_eq!(answer.as_slice().unwrap().1, rows.concat(), "{def} {n} {m}");
            }
        }
    }
}

/// A recursion that puts its parts together, and parts that are read when the whole has been changed in place.
const JOINED: &str = "
    def sums(x: [n]Real): [n]Real = if n <= 2 then x else {
      let k = n / 2;
      concat(sums(x[..k]), sums(build i < n - k => x[k + i] + x[i]))
    }
    def changed(x: [n]Real): ([2 * n]Real, [n]Real, Real) = {
      let part = sums(x);
      let other = build i < n => 2.0 * x[i];
      let whole = concat(part, other);
      let more = iterate(3, \\y => scatter(y, [0, n], [1.0, 10.0]), whole);
      (more, part, sum(other))
    }
";

fn joined(backend: Backend, memory: u64) -> Compiled {
    let options = Options { backend, memory, ..Options::default() };
    Compiler::new(options).compile("joined.cot", JOINED).unwrap()
}

/// Without giving back what calls have taken it would need more than 16 MiB.
#[test]
fn a_recursion_runs_in_memory_that_calls_give_back() {
    fn sums(x: &[f64]) -> Vec<f64> {
        if x.len() <= 2 {
            return x.to_vec();
        }
        let (first, second) = x.split_at(x.len() / 2);
        // The last one of an odd number has the first one of the second half as its partner.
        let more: Vec<f64> = second.iter().zip(x).map(|(x, y)| x + y).collect();
        [sums(first), sums(&more)].concat()
    }
    let x: Vec<f64> = (0..100_000).map(|it| (it % 7) as f64).collect();
    let mut program = joined(Backend::Native, 4 << 20);
    let answer = program.call("sums", &[Argument::owned_reals("x", &[x.len()], x.clone())]);
    assert_eq!(answer.unwrap().as_slice().unwrap().1, sums(&x));
}

#[test]
fn a_part_stays_as_it_is_when_the_whole_changes() {
    for backend in [Backend::Native, Backend::Interp] {
        let mut program = joined(backend, 1 << 30);
        let x = Argument::json("x", "[1.0, 2.0, 3.0, 4.0]");
        let text = program.call("changed", &[x]).unwrap().to_text();
        let expected = "([4.0, 2.0, 4.0, 6.0, 32.0, 4.0, 6.0, 8.0], [1.0, 2.0, 4.0, 6.0], 20.0)";
        assert_eq!(text, expected, "{backend:?}");
    }
}

/// A product of matrices whose operand a branch overwrites afterwards: nobody needs the 200^3 numbers that it
/// adds up, 64 MB.
#[test]
fn a_product_in_front_of_a_branch_takes_no_memory_for_what_it_adds_up() {
    let text = "
        def more(a: [n][n]Real, least: Real): [n][n]Real = {
          let w = a + 1.0;
          let inner = matmul(w, transpose(w));
          if maximum(flatten(inner)) > least then w + matmul(inner, w) else w
        }
        def run(least: Real, a: Real): Real =
          more(build i < 200, j < 200 => a * real(i + j), least)[7, 9]";
    let options = Options { backend: Backend::Native, memory: 16 << 20, ..Options::default() };
    let mut program = Compiler::new(options).compile("products.cot", text).unwrap();
    for (least, right) in [(0.0, 1.0 + 200.0 * 200.0), (1e9, 1.0)] {
        let arguments = [Argument::real("least", least), Argument::real("a", 0.0)];
        let found = program.call("run", &arguments).unwrap();
        assert_eq!(found.as_real(), Some(right));
    }
}
