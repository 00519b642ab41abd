//! Wrong usage is exit status 2; help and version are 0; files that cannot be read are 1.

use crate::*;

#[test]
fn wrong_usage_is_status_2() {
    for args in [
        &[][..],
        &["frobnicate"],
        &["run"],
        &["eval", "a.cot"],
        &["check"],
        &["run", "a.cot", "--nonsense"],
        &["run", "a.cot", "--memory", "lots"],
        &["run", "a.cot", "--threads", "0"],
        &["run", "a.cot", "--arg", "noequals"],
        &["run", "a.cot", "--real", "f16"],
    ] {
        let ran = cotan(args).exits(2);
        assert!(ran.out.is_empty() && !ran.err.is_empty(), "{args:?}");
    }
}

#[test]
fn methods_and_back_ends_have_names() {
    for flag in ["--via", "--backend"] {
        cotan(&["run", "a.cot", flag, "magic"]).exits(2).says("possible values are `auto`");
    }
    let file = main_file("via_forward.cot", "grad(\\x => x * x)(3.0)");
    for flags in
        [["--via", "forward"], ["--via", "tape"], ["--via", "auto"], ["--backend", "interp"]]
    {
        cotan(&["run", &file, flags[0], flags[1], "--threads", "2"]).exits(0).prints("6.0");
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    assert!(cotan(&["--help"]).exits(0).out.contains("explain"));
    let version = cotan(&["--version"]).exits(0).out;
    assert!(version.starts_with("cotan 0."));
    let git = Command::new("git").args(["rev-parse", "--short=10", "HEAD"]).output();
    if let Ok(git) = git.as_ref().map(|it| String::from_utf8_lossy(&it.stdout))
        && !git.is_empty()
    {
        assert!(version.contains(&format!("({})", git.trim())), "{version}");
    }
    assert!(cotan(&["eval", "--help"]).exits(0).out.contains("--arg"));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let missing = "no/such/file.cot";
    for command in ["run", "check", "test", "fmt"] {
        cotan(&[command, missing]).exits(1).says("E0630").says("there is no such file");
    }
    cotan(&["check", env!("CARGO_TARGET_TMPDIR")]).exits(1).says("it is a directory");
    let json = cotan(&["eval", missing, "1", "--json"]).exits(1).out;
    assert!(json.starts_with("{\"error\":[{\"code\":\"E0630\""), "{json}");
}

#[test]
fn run_evaluates_main() {
    cotan(&["run", &main_file("run_main.cot", "(1 + 2, [1.5, 2.0])")])
        .exits(0)
        .prints("(3, [1.5, 2.0])");
    let file = file("no_main.cot", "def mian = 1\n");
    cotan(&["run", &file]).exits(1).says("E0632").says("mian");
    cotan_with_input(&["run", "-"], b"def main = 7").exits(0).prints("7");
}

#[test]
fn check_reports_every_file_and_is_silent_if_all_is_well() {
    let good = main_file("check_good.cot", "1");
    let bad = main_file("check_bad.cot", "nobody");
    let ran = cotan(&["check", &good]).exits(0);
    assert!(ran.out.is_empty() && ran.err.is_empty());
    let ran = cotan(&["check", &bad, &good, &bad]).exits(1);
    assert_eq!(ran.err.matches("nobody").count() / 2, ran.err.matches("error[").count());
    let json = cotan(&["check", &bad, "--json"]).exits(1).out;
    assert!(json.starts_with("{\"diagnostics\":[{\"code\":\"E02"), "{json}");
    cotan(&["check", &good, "--json"]).exits(0).prints("{\"diagnostics\":[]}");
}

#[test]
fn explain_prints_a_page_or_suggests_one() {
    assert!(cotan(&["explain", "E0620"]).exits(0).out.starts_with("# E0620"));
    assert!(cotan(&["explain", "e0620"]).exits(0).out.starts_with("# E0620"));
    cotan(&["explain", "E0692"]).exits(1).says("did you mean");
    cotan(&["explain", "nonsense"]).exits(1).says("no error code `nonsense`");
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let file = main_file("closed_pipe.cot", "iota(200000)");
    let mut child = Command::new(env!("CARGO_BIN_EXE_cotan"))
        .args(["run", &file])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn stages_prints_the_definition_and_its_derivative() {
    let file = file("stages.cot", "def f(x: Real): Real = sin(x) * x\n");
    let out = cotan(&["stages", &file, "f", "--via", "forward"]).exits(0).out;
    assert!(out.contains("f'1") && out.contains("cos"), "{out}");
    let out = cotan(&["stages", &file, "f"]).exits(0).out;
    assert!(out.contains("f.vjp1") && out.contains("chosen by auto"), "{out}");
    let out = cotan(&["stages", &file, "f", "--via", "tape", "--arg", "x=0.0"]).exits(0).out;
    assert!(out.contains("let x1 = Var x in") && out.contains("x = 0.0"), "{out}");
    cotan(&["stages", &file, "g"]).exits(1).says("E0632");
}

/// The size of its cotangent is that of a result, which is a parameter of the vjp.
#[test]
fn stages_of_what_has_a_size_that_only_running_tells() {
    let file = file("opaque.cot", "def f(x: [n]Real) = filter(\\e => e > 0.0, x)\n");
    let out = cotan(&["stages", &file, "f"]).exits(0).out;
    assert!(out.contains("f.vjp1"), "{out}");
}

/// A derivative whose order nobody knows before the program runs.
const ORDER: &str = "def derivative(f: Real -> Real): Real -> Real = \\x => grad(f)(x)
def order(n: Int, x: Real): Real = iterate(n, derivative, \\x => exp(2.0 * x))(x)
def main = order(3, 0.0)
";

#[test]
fn bulk_says_what_is_in_its_way_and_auto_takes_tape() {
    let file = file("order.cot", ORDER);
    let ran = cotan(&["run", &file, "--via", "bulk"]).exits(1).says("error[E0635]");
    ran.says("differentiated inside of itself").says("--via tape");
    cotan(&["run", &file, "--via", "tape"]).exits(0).prints("8.0");
    cotan(&["run", &file]).exits(0).prints("8.0");
    cotan(&["stages", &file, "order", "--via", "bulk"]).exits(1).says("error[E0635]");
    let out = cotan(&["stages", &file, "order"]).exits(0).out;
    assert!(out.contains("-- tape:") && out.contains("chosen by auto, because of `bulk`"), "{out}");
}

/// Names that the compiler made are nobody's business.
#[test]
fn errors_by_bulk_are_in_the_names_of_the_program() {
    let text = "def pick(x: [n]Real, k: Int): Real = x[k] * x[k]\n\
                def main = build i < 2 => grad(\\x => pick(x, 7))([1.0, real(i)])\n";
    let ran = cotan(&["run", &file("pick.cot", text), "--via", "bulk"]).exits(1);
    let ran = ran.says("index 7, but the size is 2");
    assert!(!ran.err.contains("vjp") && !ran.err.contains("lambda"), "{}", ran.err);
    let text = "def main = match vjp(\\k => Cons(k, Nil))(1.0)(Nil) { x => x }\n";
    let ran = cotan(&["run", &file("other.cot", text), "--via", "bulk"]).exits(1);
    ran.says("the value is `Cons`, its cotangent `Nil`");
}

#[test]
fn stages_of_bulk_have_no_tuples() {
    let file = file("bulk.cot", "def f(x: (Real, [n]Real)): Real = x.0 * sum(x.1)\n");
    let out = cotan(&["stages", &file, "f", "--via", "bulk"]).exits(0).out;
    let (_, flat) = out.split_once("-- flatten: ").expect("a pass that takes tuples away");
    let (title, text) = flat.split_once('\n').expect("a title");
    assert!(title.contains("tuples") && text.starts_with("def f[x0](x7: Real, x8: [x0]Real)"));
    assert!(!text.contains("proj") && text.contains("-- bot: "), "{out}");
}

/// Whatever `dev` prints, it can read: passes may be tried one by one.
#[test]
fn dev_runs_passes_on_text() {
    let source = file("dev.cot", "def main(x: (Real, [n]Real)): Real = x.0 * 1.0 * sum(x.1)\n");
    let half = cotan(&["dev", &source, "--passes", "specialise,flatten"]).exits(0).out;
    assert!(half.starts_with("def main[x0]("), "{half}");
    let half = file("dev.ir", &half);
    let timed = cotan(&["dev", &half, "--passes", "bot,simplify", "--time"]).exits(0);
    let at_once = cotan(&["dev", &source, "--passes", "mixed"]).exits(0);
    assert_eq!(timed.out, at_once.out);
    assert!(timed.err.contains(" us  simplify\n"), "{}", timed.err);
    let list = cotan(&["dev", "--list"]).exits(0).out;
    assert!(list.contains("FirstOrder -> Bulk"), "{list}");
    cotan(&["dev", &half, "--passes", "magic"]).exits(2).says("--list");
    cotan(&["dev", &half, "--at", "f"]).exits(1).says("there is no definition f");
    cotan(&["dev", &half, "--passes", "specialise"]).exits(0);
    let wrong = file("wrong.ir", "def main(x0: Real) -> (x1: Real) {\n  give x2\n}\n");
    cotan(&["dev", &wrong, "--passes", "bot"]).exits(1).says("`bot` takes FirstOrder: V");
    cotan(&["dev", &file("no.ir", "def main("), "--passes", "bot"]).exits(1).says("does not read");
}

#[test]
fn a_syntax_error_does_not_hide_the_others() {
    let text = "def broken(x: Real): Real = 2.0 *\ndef uses = broken(1.0)\ndef typo = sine(1.0)\n\
                def wrong: Int = 1.5\n";
    let ran = cotan(&["check", &file("several.cot", text)]).exits(1);
    let ran = ran.says("E0101").says("`sine`").says("E0301");
    assert!(!ran.err.contains("unknown name `broken`"), "{}", ran.err);
}

/// Each `let` uses the one before twice: written out, the last would be 2^2000 terms.
#[test]
fn stages_are_by_what_is_asked_for() {
    let text = "def f(a: Real, p: (Real, Real), n: Int): Real = a * p.0 * p.1\n";
    let path = file("stages_wrt.cot", text);
    let stages = |more: &[&str]| cotan(&[&["stages", &path, "f"], more].concat()).exits(0).out;
    // Of four leaves, those of `p` are the second and the third.
    assert!(stages(&["--wrt", "p", "--via", "bulk"]).contains("f.vjp0110"));
    assert!(stages(&["--wrt", "a", "--via", "tape"]).contains("f~100"));
    let run = ["--wrt", "a", "--via", "tape", "--arg", "a=2.0", "--arg", "p=[3.0,5.0]"];
    let said = stages(&[&run[..], &["--arg", "n=1"]].concat());
    assert!(said.ends_with("\na = 15.0\n"), "{said}");
    cotan(&["stages", &path, "f", "--wrt", "b"]).exits(1).says("[E0620]");
}

/// A function that is called from two places is a function of C; one that is called once is not.
#[test]
fn stages_say_how_the_c_is_cut() {
    let lets = |n: usize, k: usize| -> String {
        let one = |j: usize| format!("let x = sin(x * {}.5) + y;\n", 1 + (j + k) % 9);
        (0..n).map(one).collect()
    };
    let def = |n: usize, k: usize| {
        let lets = lets(n, k);
        format!(
            "def r{k}(n: Int, x: Real, y: Real): Real = if n == 0 then x else {{\n{lets}r{k}(n - 1, x, y)\n}}\n"
        )
    };
    let calls =
        |n: usize| (0..n).map(|k| format!("r{k}(2, x, 0.5)")).collect::<Vec<_>>().join(" + ");
    let program = |n_defs: usize, n_lets: usize| {
        let defs: String = (0..n_defs).map(|k| def(n_lets, k)).collect();
        format!("{defs}def main(x: Real): Real = {}\n", calls(n_defs))
    };
    let stages = |name: &str, text: String| {
        let args = ["stages", &file(name, text), "main", "--backend", "native"];
        cotan(&args).exits(0).out
    };
    assert!(stages("cut_short.cot", program(1, 3)).contains(" lines in one part\n"));
    let said = stages("cut_many.cot", program(8, 200));
    assert!(said.contains(" parts\n") && !said.contains("not cut"), "{said}");
    let said = stages("cut_one.cot", program(1, 1500));
    assert!(said.contains("one function alone has"), "{said}");
}

#[test]
fn stages_shows_what_is_shared_once() {
    let lets: String = (1..=2000).map(|k| format!("  let y{k} = y{0} + y{0};\n", k - 1)).collect();
    let text = format!("def f(y0: Real): Real = {{\n{lets}  y2000\n}}\n");
    let out = cotan(&["stages", &file("stages_chain.cot", text), "f"]).exits(0).out;
    assert!(out.len() < 2_000_000, "{} bytes", out.len());
    for part in ["(share 1 (add x", "(share 1))", "(share 1999 (add (share 1998 (add"] {
        assert!(out.contains(part), "{part}");
    }
}

#[test]
fn results_that_nobody_gets_are_an_error() {
    let path = file(
        "full.cot",
        "def main = f(2.0)\ndef f(x: Real): Real = x * x\ntest \"f\" = f(2.0) == 4.0\n",
    );
    for args in [
        &["run", &path, "--backend", "interp"][..],
        &["run", &path, "--json", "--backend", "interp"],
        &["eval", &path, "f(3.0)", "--backend", "interp"],
        &["check", &path, "--json"],
        &["test", &path, "--backend", "interp"],
        &["bench", &path],
        &["gradcheck", &path, "f"],
        &["stages", &path, "f"],
        &["fmt", "-"],
        &["explain", "E0620"],
        &["doctor"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_cotan"))
            .args(args)
            .stdin(std::fs::File::open(&path).unwrap())
            .stdout(std::fs::File::create("/dev/full").unwrap())
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?} {err}");
        assert!(err.contains("cannot write `standard output`"), "{args:?} {err}");
    }
}

#[test]
fn wrong_usage_is_an_object_too() {
    for command in ["run", "eval", "check", "test", "bench", "gradcheck", "doctor"] {
        let ran = cotan(&[command, "--json", "--nonsense"]).exits(2).says("--nonsense");
        assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
        assert!(ran.out.starts_with("{\"error\":[{\"code\":null,"), "{}", ran.out);
        assert!(ran.out.contains("--nonsense"), "{}", ran.out);
    }
    assert!(cotan(&["run", "--nonsense", "--", "--json"]).exits(2).out.is_empty());
}

#[test]
fn completions_and_the_manual_page_know_every_command() {
    let man = cotan(&["man"]).exits(0).out;
    assert!(man.contains(".TH cotan 1"), "{man}");
    for shell in ["bash", "zsh", "fish"] {
        let out = cotan(&["completions", shell]).exits(0).out;
        for command in ["gradcheck", "stages", "completions"] {
            assert!(out.contains(command), "{shell} {command}");
            assert!(man.contains(&format!("COTAN {}", command.to_uppercase())), "{command}");
        }
    }
    cotan(&["completions", "cmd"]).exits(2).says("bash");
}
