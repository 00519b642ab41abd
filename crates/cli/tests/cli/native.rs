//! Back end `native` from outside: values, errors, limits, the cache, compilers that are missing or fail.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::*;

/// A command with a cache of its own.
pub(crate) fn command(cache: &str, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotan"));
    command.args(args).env("COTAN_CACHE", folder(cache)).env_remove("CC");
    command
}

pub(crate) fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache").join(name)
}

pub(crate) fn ran(command: &mut Command) -> Ran {
    let output = command.stdin(Stdio::null()).output().unwrap();
    Ran {
        status: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs `main` of a file by the back end.
fn run(path: &str, flags: &[&str]) -> Ran {
    let args = ["run", path, "--backend", "native"];
    ran(&mut command("common", &[&args, flags].concat()))
}

fn libraries(folder: &Path) -> Vec<PathBuf> {
    files(folder, "so")
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let files = files.map(|it| it.unwrap().path());
    files.filter(|it| it.extension().is_some_and(|it| it == extension)).collect()
}

#[test]
fn values_and_gradients() {
    let text = "def loss(w: [n]Real, x: [n]Real): Real = (dot(w, x) - 1.0) ** 2.0
        def main(w: [n]Real): (Real, [n]Real) = value_and_grad(\\w => loss(w, w * 2.0))(w)";
    let path = file("native_values.cot", text);
    // (2 |w|^2 - 1)^2 = 81 at |w|^2 = 5, and its gradient 2 * 9 * 4 w.
    run(&path, &["--arg", "w=[1,2]"]).exits(0).prints("(81.0, [72.0, 144.0])");
    run(&path, &["--arg", "w=[1,2]", "--real", "f32"]).exits(0).prints("(81.0, [72.0, 144.0])");
    run(&path, &["--arg", "w=[1,2]", "--threads", "3"]).exits(0).prints("(81.0, [72.0, 144.0])");
    run(&path, &["--arg", "w=[]"]).exits(0).prints("(1.0, [])");
}

#[test]
fn an_index_out_of_bounds_is_shown_in_the_source() {
    let text =
        "def at(x: [n]Real, i: Int): Real = x[i]\ndef main(i: Int): Real = at([1.0, 2.0], i)\n";
    let path = file("native_index.cot", text);
    run(&path, &["--arg", "i=1"]).exits(0).prints("2.0");
    let failed = run(&path, &["--arg", "i=5"]).exits(1);
    failed.says("error[E0601]").says("native_index.cot:1:36").says("index 5, but the size is 2");
}

#[test]
fn the_memory_limit_holds() {
    let text = "def main(n: Int): [n]Real = scan(\\a, b => a + b, 0.0, build i < n => real(i))\n";
    let path = file("native_memory.cot", text);
    run(&path, &["--arg", "n=100000000", "--memory", "64M"]).exits(1).says("error[E0603]");
}

#[test]
fn recursion_runs_deep_or_ends_in_an_error() {
    let text = "def depth(n: Int): Int = if n == 0 then 0 else 1 + depth(n - 1)\n\
                def main(n: Int): Int = depth(n)\n";
    let path = file("native_deep.cot", text);
    run(&path, &["--arg", "n=1000000"]).exits(0).prints("1000000");
    let text = "def f(n: Int): Real = 1.0 + sin(f(n + 1))\ndef main = f(0)\n";
    run(&file("native_endless.cot", text), &[]).exits(1).says("error[E0604]");
    // Of several that call themselves, the one that does not end is named.
    let text = "def down(n: Int): Int = if n == 0 then 0 else 1 + down(n - 1)\n\
                def up(n: Int): Real = 1.0 + sin(up(n + 1))\n\
                def main = real(down(3)) + up(0)\n";
    let said = run(&file("native_two.cot", text), &[]).exits(1).says("error[E0604]").err;
    assert!(said.contains("`up`") && !said.contains("`down`"), "{said}");
    // The one that is called last may be another one, and a derivative has no name of its own.
    let text = "def down(n: Int, x: Real): Real = if n == 0 then x else 0.9 * sin(down(n - 1, x))\n\
                def up(n: Int, x: Real): Real = down(20, x) * up(n + 1, x)\n\
                def over(n: Int, x: Real): Real = 1.0 + sin(over(n + 1, x))\n\
                def main = up(0, 0.5)\ndef slope = grad(\\x => over(0, x) + down(3, x))(0.5)\n";
    let path = file("native_nested.cot", text);
    for backend in ["interp", "native", "auto"] {
        for (main, deep) in [("main", "up"), ("slope", "over")] {
            let args = ["eval", &path, main, "--backend", backend, "--memory", "64M"];
            let said = ran(&mut command("common", &args)).exits(1).err;
            let title = format!("recursion too deep in `{deep}`\n");
            assert!(said.contains(&title), "{backend} {main}: {said}");
        }
    }
}

#[test]
fn an_interrupt_ends_an_endless_loop_within_100_ms() {
    let path = file(
        "native_endless_loop.cot",
        "def main(x: Real): Real = while(\\x => x > 0.0, \\x => x, x)\n",
    );
    let args = ["run", &path, "--backend", "native", "--arg", "x=1.0"];
    let _ = std::fs::remove_dir_all(folder("interrupt"));
    let child = endless(&mut command("interrupt", &args));
    // Interrupted when its code is loaded, so in the loop.
    while libraries(&folder("interrupt")).is_empty() {
        std::thread::yield_now();
    }
    let taken = interrupt(child);
    // Ten times the promise: other tests run at the same time.
    assert!(taken < Duration::from_secs(1), "{taken:?}");
}

/// What has no parameters is compiled by two compilers at once, which notice what they are told.
#[test]
fn two_compilers_share_a_draft() {
    let _ = std::fs::remove_dir_all(folder("parts"));
    std::fs::create_dir_all(folder("parts")).unwrap();
    let said = folder("parts").join("said");
    let text = format!("#!/bin/sh\necho \"$@\" >> {}\nexec cc \"$@\"\n", said.display());
    let compiler = program("compiler.sh", &text);
    let path = main_file("native_parts.cot", "sum(build i < 10 => real(i))");
    let mut run = command("parts", &["run", &path, "--backend", "native"]);
    ran(run.env("CC", compiler)).exits(0).prints("45.0");
    let said = std::fs::read_to_string(said).unwrap();
    let ran: Vec<&str> = said.lines().collect();
    assert_eq!(ran.len(), 3, "{said}");
    assert!(ran[..2].iter().all(|it| it.contains("-DCT_PART=")), "{said}");
    assert!(ran[2].contains("-nostdlib"), "{said}");
}

#[test]
fn a_damaged_entry_of_the_cache_is_made_anew() {
    let path = main_file("native_damaged.cot", "sum(build i < 10 => real(i))");
    let args = ["run", &path, "--backend", "native"];
    let _ = std::fs::remove_dir_all(folder("damaged"));
    ran(&mut command("damaged", &args)).exits(0).prints("45.0");
    let library = &libraries(&folder("damaged"))[0];
    let good = std::fs::read(library).unwrap();
    for bad in [&b"nothing"[..], &good[..good.len() - 10], &[0; 5000]] {
        std::fs::write(library, bad).unwrap();
        ran(&mut command("damaged", &args)).exits(0).prints("45.0");
        assert_eq!(std::fs::read(library).unwrap().len(), good.len());
    }
}

#[test]
fn what_is_known_of_code_is_kept_beside_it() {
    let text = "data Shape = Circle(Real) | Box(Real, (Real, String))
        def main(s: Shape, x: [n]Real): (Shape, [n](Real, Int), String) =
          match s {
            Circle(r) => (Box(r, (2.0 * r, \"box\")), build i < n => (x[i] * r, i), \"circle\"),
            Box(a, b) => (Circle(a * b.0), build i < n => (x[n - 1 - i], i), b.1),
          }";
    let path = file("native_note.cot", text);
    let run = |shape: &str| {
        let shape = format!("s={shape}");
        let args = ["run", &path, "--backend", "native", "--arg", &shape, "--arg", "x=[1,2]"];
        ran(&mut command("note", &args)).exits(0)
    };
    let circle = r#"{"tag":"Circle","fields":[3]}"#;
    let first = "(Box(3.0, (6.0, \"box\")), [(3.0, 0), (6.0, 1)], \"circle\")";
    let second = "(Circle(8.0), [(2.0, 0), (1.0, 1)], \"b\")";
    let _ = std::fs::remove_dir_all(folder("note"));
    run(circle).prints(first);
    let note = &files(&folder("note"), "note")[0];
    let long_ago = std::time::SystemTime::UNIX_EPOCH;
    let good = std::fs::read(note).unwrap();
    std::fs::File::options().append(true).open(note).unwrap().set_modified(long_ago).unwrap();
    run(r#"{"tag":"Box","fields":[2,[4,"b"]]}"#).prints(second);
    assert!(note.metadata().unwrap().modified().unwrap() > long_ago, "it was not used");
    assert_eq!(std::fs::read(note).unwrap(), good, "it was made anew");
    for bad in [&b"nothing"[..], &good[1..]] {
        std::fs::write(note, bad).unwrap();
        run(circle).prints(first);
        assert_eq!(std::fs::read(note).unwrap(), good);
    }
    // Known, but not there.
    for library in libraries(&folder("note")) {
        std::fs::remove_file(library).unwrap();
    }
    run(circle).prints(first);
}

#[test]
fn the_same_code_at_another_place_of_the_source() {
    for (above, place) in [("", "native_moved.cot:1:26"), ("-- Above.\n", "native_moved.cot:2:26")]
    {
        let text = format!("{above}def main(i: Int): Real = [1.0][i]\n");
        let path = file("native_moved.cot", &text);
        run(&path, &["--arg", "i=0"]).exits(0).prints("1.0");
        run(&path, &["--arg", "i=1"]).exits(1).says(place);
    }
}

/// Code that was made in a hurry takes too long, and is made anew.
#[test]
fn a_long_run_gets_fast_code() {
    // Nothing tells beforehand how long the loop takes.
    let count = "while(\\x => x < 2e8, \\x => x + 1.0, 0.0)";
    let path = main_file("native_long.cot", count);
    let _ = std::fs::remove_dir_all(folder("long"));
    let args = ["run", &path, "--backend", "native"];
    ran(&mut command("long", &args)).exits(0).prints("200000000.0");
    assert_eq!(libraries(&folder("long")).len(), 2, "a draft and fast code");
}

/// The steps that a draft is worth are those of inner loops, however short: of 64 elements, so many times as only an
/// argument tells.
#[test]
fn a_long_run_in_short_loops_gets_fast_code() {
    let text = "def main(n: Int): Real = sum(iterate(n, \\u => build i < 64 => u[(i + 1) % 64] + 1.0, build i < 64 => 0.0))\n";
    let path = file("native_short_loops.cot", text);
    let _ = std::fs::remove_dir_all(folder("short_loops"));
    let args = ["run", &path, "--backend", "native", "--arg", "n=1000000"];
    ran(&mut command("short_loops", &args)).exits(0).prints("64000000.0");
    assert_eq!(libraries(&folder("short_loops")).len(), 2, "a draft and fast code");
}

#[test]
fn processes_at_once_share_the_cache() {
    let path = main_file("native_at_once.cot", "sum(build i < 100 => real(i))");
    let args = ["run", &path, "--backend", "native"];
    let _ = std::fs::remove_dir_all(folder("at_once"));
    let start = || command("at_once", &args).stdout(Stdio::piped()).spawn().unwrap();
    let children: Vec<_> = (0..3).map(|_| start()).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "4950.0\n");
    }
    assert_eq!(libraries(&folder("at_once")).len(), 1);
}

#[test]
fn without_a_compiler_the_message_says_so() {
    let path = main_file("native_missing.cot", "1.0 + 2.0");
    let args = ["run", &path, "--backend", "native"];
    let missing = ran(command("missing", &args).env("PATH", "")).exits(1);
    missing.says("error[E0637]").says("no C compiler").says("--backend interp");
    let failing = ran(command("missing", &args).env("CC", "false")).exits(1);
    failing.says("error[E0637]").says("false").says("fails");
    let absent = ran(command("missing", &args).env("CC", "no-such-compiler")).exits(1);
    absent.says("error[E0637]").says("no-such-compiler");
    // The interpreter runs instead where it may, and says so if the code would have been worth it.
    assert_eq!(ran(command("missing", &["run", &path]).env("CC", "false")).exits(0).err, "");
    let path = main_file("native_missing_long.cot", LONG);
    let args = ["run", &path];
    let missing = ran(command("missing", &args).env("PATH", "")).exits(0).prints(LONG_GIVES);
    missing.says("note: the interpreter runs").says("no C compiler").says("--backend interp");
    let failing = ran(command("missing", &args).env("CC", "false")).exits(0).prints(LONG_GIVES);
    failing.says("note: the interpreter runs").says("false");
    let asked = ran(&mut command("missing", &["run", &path, "--backend", "interp"]));
    assert_eq!(asked.exits(0).prints(LONG_GIVES).err, "");
}

/// More operations than the C compiler is worth.
const LONG: &str = "iterate(20000000, \\x => x + 1.0, 0.0)";
const LONG_GIVES: &str = "20000000.0";

/// Nobody waits longer for code than for an answer.
#[test]
fn compiled_code_is_the_default_for_what_takes_longer_than_compiling_it() {
    let _ = std::fs::remove_dir_all(folder("default"));
    let path = file("native_default.cot", "def main(x: Real): Real = x + 2.0\n");
    let args = ["run", &path, "--arg", "x=1"];
    assert_eq!(ran(&mut command("default", &args)).exits(0).prints("3.0").err, "");
    assert_eq!(libraries(&folder("default")).len(), 0);
    let path = main_file("native_default_long.cot", LONG);
    for _ in 0..2 {
        ran(&mut command("default", &["run", &path])).exits(0).prints(LONG_GIVES);
        assert!(!libraries(&folder("default")).is_empty());
    }
}

#[test]
fn tests_are_compiled_together() {
    let tests = (0..10).map(|i| format!("test \"{i}\" = {i} * {i} == {}\n", i * i));
    let path = file("native_tests.cot", tests.collect::<String>());
    let _ = std::fs::remove_dir_all(folder("together"));
    for _ in 0..2 {
        ran(&mut command("together", &["test", &path])).exits(0).prints("10 passed, 0 failed");
        assert_eq!(libraries(&folder("together")).len(), 1);
    }
    // A compiler that fails is told about once.
    let failing = ran(command("missing", &["test", &path, &path]).env("CC", "false"));
    let failing = failing.exits(0).prints("20 passed, 0 failed");
    assert_eq!(failing.err.matches("note: the interpreter runs").count(), 1);
}

#[test]
fn errors_of_compiled_code_tell_calls_too() {
    let text = "def at(x: [n]Real, i: Int): Real = x[i]
        def twice(i: Int): Real = 2.0 * at([1.0, 2.0], i)
        def main(i: Int): Real = twice(i)";
    let path = file("native_calls.cot", text);
    let failed = ran(&mut command("common", &["run", &path, "--arg", "i=7"])).exits(1);
    let failed = failed.says("[E0601]").says("index 7, but the size is 2");
    failed.says("in this call of `at`").says("in this call of `twice`");
}

#[test]
fn what_only_the_interpreter_can_run_is_refused_with_the_reason() {
    let text = "def derivative(f: Real -> Real): Real -> Real = \\x => grad(f)(x)
        def order(n: Int): Real -> Real = iterate(n, derivative, \\x => exp(2.0 * x))
        def main = order(3)(0.0)";
    let path = file("native_order.cot", text);
    run(&path, &[]).exits(1).says("[E0637]").says("inside of itself").says("--backend interp");
    let auto = ["run", &path, "--backend", "auto"];
    ran(&mut command("common", &auto)).exits(0).prints("8.0");
    let path = main_file("native_tape.cot", "grad(\\x => x * x)(3.0)");
    run(&path, &["--via", "tape"]).exits(1).says("[E0637]").says("tape").says("--via bulk");
}

/// A derivative by forward mode saves nothing: by `bulk` this loop needs 80 MB.
#[test]
fn forward_mode_of_long_loops_needs_no_memory() {
    let text = "def f(x: Real): Real = while(\\s => s.0 < 5000000.0, \\s => (s.0 + 1.0, sin(s.1 + x)), (0.0, x)).1
        def main(x: Real): Real = grad(f)(x)";
    let path = file("native_forward.cot", text);
    let flags = ["--arg", "x=0.5", "--memory", "16M"];
    let forward = run(&path, &[&flags[..], &["--via", "forward"]].concat()).exits(0);
    let bulk = run(&path, &["--arg", "x=0.5", "--via", "bulk"]).exits(0);
    // All steps do not fit, but checkpoints do.
    let short = run(&path, &[&flags[..], &["--via", "bulk"]].concat()).exits(0);
    let [forward, bulk, short] =
        [forward, bulk, short].map(|it| it.out.trim().parse::<f64>().unwrap());
    for other in [forward, short] {
        assert!((other - bulk).abs() <= 1e-9 * bulk.abs(), "{other} and {bulk}");
    }
}

#[test]
fn stages_print_the_loops_of_compiled_code() {
    let path =
        file("native_stages.cot", "def f(x: Real): Real = x * x\ndef g(x: Real) = grad(f)(x)\n");
    for via in ["bulk", "forward"] {
        for (backend, has_loops) in [("auto", true), ("native", true), ("interp", false)] {
            let args = ["stages", &path, "g", "--via", via, "--backend", backend];
            let out = ran(&mut command("common", &args)).exits(0).out;
            assert_eq!(out.contains("-- loops\n"), has_loops, "{via} {backend}\n{out}");
        }
    }
}

#[test]
fn doctor_says_what_was_found() {
    let well = ran(&mut command("doctor", &["doctor"])).exits(0);
    for part in ["C compiler", "vectors", "threads", "cache", "native"] {
        assert!(well.out.contains(part), "{}", well.out);
    }
    let json = ran(&mut command("doctor", &["doctor", "--json"])).exits(0);
    assert!(json.out.starts_with("{\"well\":true,\"findings\":[{\"what\":\"C compiler\""));
    let ill = ran(command("doctor", &["doctor"]).env("PATH", "")).exits(1);
    assert!(ill.out.contains("no C compiler") && ill.out.contains("interp"), "{}", ill.out);
    ran(command("doctor", &["doctor"]).env("CC", "false")).exits(1);
}

/// The script stays the same, and so does its name in the cache; what it starts does not.
#[test]
fn doctor_tries_what_was_kept_again() {
    let switch = file("doctor_switch", "");
    let text = format!("#!/bin/sh\ntest -e {switch} || exit 1\nexec cc \"$@\"\n");
    let cc = program("doctor_cc.sh", &text);
    ran(command("doctor_again", &["doctor"]).env("CC", &cc)).exits(0);
    std::fs::remove_file(&switch).unwrap();
    let ill = ran(command("doctor_again", &["doctor"]).env("CC", &cc)).exits(1);
    assert!(ill.out.contains("fails"), "{}", ill.out);
}

/// The C compiler would take longer for it than the interpreter takes altogether.
#[test]
fn a_long_program_that_does_little_is_not_compiled() {
    let part = |k: usize| {
        format!(
            "def f{k}(x: Real): Real = if x > {k}.5 then sin(x) * x else exp(0.0 * x) + {k}.0\n"
        )
    };
    let defs: String = (0..300).map(part).collect();
    let sums: Vec<String> =
        (0..300).map(|k| format!("sum(build i < 2 => f{k}(0.0 * real(i)))")).collect();
    let path = file("long_and_little.cot", format!("{defs}def main = {}\n", sums.join(" + ")));
    // 2 * (1 + k) for k from 0 to 299. A compiler that is called would fail, which is noted.
    let failing = ran(command("long_and_little", &["run", &path]).env("CC", "false")).exits(0);
    assert_eq!(failing.err, "", "nothing was compiled");
    failing.prints("90300.0");
}

#[test]
fn a_transformer_that_trains_for_200_steps_does_not_wait_for_its_code() {
    let path = file("transformer.cot", include_str!("transformer.cot"));
    let failing = ran(command("transformer", &["run", &path]).env("CC", "false")).exits(0);
    assert_eq!(failing.err, "", "nothing was compiled");
    // Before training the loss is 390; going down the gradient makes it less.
    let loss: f64 = failing.out.trim().parse().unwrap();
    assert!(0.0 < loss && loss < 39.0, "{loss}");
}
