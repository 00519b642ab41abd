//! The standard library: every test of every module passes, by every method and back end, and each page of
//! the book is what its module says.
//!
//! Each test goes by one method, the next one by another, and with reals of 32 bits by the interpreter or, every
//! third, in compiled code; with `COTAN_STANDARD=all` each goes by all.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads files, and a panic is its way to fail"
)]

use std::fs;
use std::path::{Path, PathBuf};

use cotan::{Backend, Compiler, METHODS, Options, Precision, STANDARD, Style, TestOutcome};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// What fails of a module. `bulk` and the methods like it may refuse a program, and say so.
fn failures(name: &str, text: &str, options: Options, goes: &dyn Fn(usize) -> bool) -> Vec<String> {
    let mut program = Compiler::new(options).compile(name, text).unwrap();
    assert!(program.n_tests() > 0, "{name} has no tests");
    let mut res = Vec::new();
    for index in (0..program.n_tests()).filter(|it| goes(*it)) {
        let result = program.run_test(index);
        if let TestOutcome::Failed(report) = result.outcome
            && report.codes() != ["E0635"]
        {
            let said = report.render(Style::Plain);
            res.push(format!("{name}, \"{}\" via {:?}:\n{said}", result.name, options.via));
        }
    }
    res
}

fn all(options: Options, goes: &dyn Fn(usize) -> bool) {
    let wrong: Vec<String> =
        STANDARD.iter().flat_map(|it| failures(it.path, it.text, options, goes)).collect();
    assert!(wrong.is_empty(), "{} failures\n{}", wrong.len(), wrong.join("\n"));
}

fn is_whole() -> bool {
    std::env::var("COTAN_STANDARD").is_ok_and(|it| it == "all")
}

#[test]
fn facts_hold_by_every_method() {
    let whole = is_whole();
    for (at, method) in METHODS.iter().enumerate() {
        let via = method.via;
        let options = Options { via, backend: Backend::Interp, ..Options::default() };
        all(options, &|index| whole || index % METHODS.len() == at);
    }
}

#[test]
fn facts_hold_in_compiled_code() {
    all(Options { backend: Backend::Auto, ..Options::default() }, &|_| true);
}

/// Bounds in the tests follow `epsilon`; facts that need more digits than there are say so.
#[test]
fn facts_hold_in_single_precision() {
    let single = Options { precision: Precision::F32, ..Options::default() };
    let whole = is_whole();
    all(Options { backend: Backend::Interp, ..single }, &|index| whole || index % 3 != 0);
    all(Options { backend: Backend::Auto, ..single }, &|index| whole || index % 3 == 0);
}

/// What searches and step sizes do that are asked for as many digits as there are, seven.
const SINGLE: &str = r#"
import std.fft (fft, ifft)
import std.interpolate (height, natural_spline)
import std.ode (dormand_prince, flow, rosenbrock)
import std.optimise (levenberg_marquardt, lbfgs, newton_cg)
import std.quadrature (gauss_legendre, integral)

def bowl(a: Real, v: [2]Real): Real = square(v[0] - a) + 4.0 * square(v[1] + a * a)

test "minima" =
  distance(lbfgs(\v => bowl(1.0, v), [3.0, 3.0], 1e-4, 50).x, [1.0, -1.0]) < 1e-3
    && distance(newton_cg(\v => bowl(1.0, v), [3.0, 3.0], 1e-4, 50).x, [1.0, -1.0]) < 1e-3
    && distance(jacobian(\a => lbfgs(\v => bowl(a, v), [3.0, 3.0], 1e-4, 50).x)(1.0), [1.0, -2.0])
      < 1e-3

test "squares" =
  distance(
    levenberg_marquardt(
      \v => [v[0] + v[1] - 3.0, v[0] - v[1] - 1.0, v[0] - 2.0],
      [0.0, 0.0],
      1e-4,
      50,
    ).x,
    [2.0, 1.0],
  )
    < 1e-3

test "a search that asks for more digits than there are ends" =
  lbfgs(\v => bowl(1.0, v), [3.0, 3.0], 0.0, 1000).steps < 1000

test "equations" =
  abs(dormand_prince(\_, y => -y, [1.0], 0.0, 1.0, 1e-5)[0] - exp(-1.0)) < 1e-4
    && abs(rosenbrock(\t, y => [1000.0 * (cos(t) - y[0])], [0.0], 0.0, 1.0, 1e-4)[0] - cos(1.0))
      < 2e-3
    && abs(grad(\k => flow(\_, y => -k * y, [1.0], 0.0, 1.0, 1e-5)[0])(1.0) + exp(-1.0)) < 1e-4

test "integrals" =
  abs(integral(sqrt, 0.0, 1.0, 0.0) - 2.0 / 3.0) < 1e-5
    && abs(gauss_legendre(exp, 0.0, 1.0, 8) - euler + 1.0) < 1e-5

test "transforms" = {
  let (re, im) = fft([1.0, 2.0, 4.0], [0.5, 0.0, -1.0]);
  let (x, y) = ifft(re, im);
  distance(x, [1.0, 2.0, 4.0]) + distance(y, [0.5, 0.0, -1.0]) < 1e-5
}

test "curves" = abs(height(natural_spline([0.0, 1.0, 2.0], [0.0, 1.0, 0.0]), 0.5) - 0.6875) < 1e-5
"#;

#[test]
fn numerics_hold_in_single_precision() {
    for backend in [Backend::Interp, Backend::Auto] {
        let options = Options { backend, precision: Precision::F32, ..Options::default() };
        let wrong = failures("single.cot", SINGLE, options, &|_| true);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// Four times as many numbers take about five times as many operations, for powers of two, products of small
/// factors and primes, and for the gradient, which is a transform again. A sum for each number would take 16.
#[test]
fn transforms_take_n_log_n_operations() {
    let text = "import std.fft (fft)\n\
        def power(x: [n]Real): Real = { let (a, b) = fft(x, x); a[1] * a[1] + b[2] * b[2] }\n\
        def wave(n: Int): [n]Real = build i < n => sin(real(i * i))";
    let options = Options { backend: Backend::Interp, ..Options::default() };
    let mut program = Compiler::new(options).compile("power.cot", text).unwrap();
    let mut work = |what: &str, n: usize| {
        program.eval(&format!("{what}(wave({n}))"), &[]).unwrap().cost().total() as f64
    };
    for (small, large) in [(256, 1024), (250, 1000), (251, 1009)] {
        for what in ["power", "grad(power)"] {
            let grown = work(what, large) / work(what, small);
            assert!(grown < 5.5, "{what} at {small} and {large}: {grown:.2} times as much");
        }
    }
}

/// Every public definition has documentation and a test, of which its page makes an example.
#[test]
fn every_definition_has_its_documentation_and_an_example() {
    for module in STANDARD {
        let page = cotan::document(module.path, module.path, module.text).unwrap();
        for section in page.split("\n## ").skip(1) {
            let name = section.lines().next().unwrap();
            let (signature, rest) = section.split_once("```\n\n").unwrap_or((section, ""));
            assert!(signature.contains("```text"), "{}: {name} has no signature", module.path);
            let documented = rest.starts_with(|it: char| it.is_ascii_uppercase());
            assert!(documented, "{}: {name} has no documentation", module.path);
            assert!(rest.contains("```cotan"), "{}: {name} has no example", module.path);
        }
        let n_public = module.text.lines().filter(|it| it.starts_with("pub ")).count();
        assert_eq!(page.matches("\n## ").count(), n_public, "{}", module.path);
    }
}

/// `BLESS=1 cargo test -p cotan --test all standard::` writes the pages anew.
#[test]
fn every_module_has_its_page() {
    let folder = root().join("docs/library");
    let bless = std::env::var("BLESS").is_ok_and(|it| it == "1");
    let mut known = Vec::new();
    for module in STANDARD {
        let name = format!("{}.md", module.path.trim_start_matches("std."));
        let page = cotan::document(module.path, module.path, module.text).unwrap();
        let path = folder.join(&name);
        if bless {
            fs::write(&path, &page).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(found == page, "docs/library/{name} is not what its module says; use BLESS=1");
        known.push(name);
    }
    for entry in fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(known.contains(&name), "docs/library/{name} is of no module");
    }
}

/// Every file in the folder of the library is a module of it.
#[test]
fn every_file_is_a_module() {
    for entry in fs::read_dir(root().join("crates/modules/std")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if let Some(stem) = name.strip_suffix(".cot") {
            assert!(STANDARD.iter().any(|it| it.path == format!("std.{stem}")), "{name}");
        }
    }
}
