//! Compiled code under AddressSanitizer and UndefinedBehaviorSanitizer: shipped programs, random ones, and
//! sizes at the ends of what an argument can say.
//!
//! The C compiler is told by a script in `CC`; the runtime of the sanitizers is loaded before the program,
//! and the arena has forbidden bytes between arrays (`ct_alloc` of `crates/native/c/runtime.h`).
//! A test runs a part, which it prints; `COTAN_SANITIZE=all` runs all programs, and
//! `COTAN_SANITIZE_SEED=N` the random programs of another seed.

use crate::*;

const FLAGS: &str = "-fsanitize=address,undefined -fno-sanitize-recover=all -g1";

/// The `cotan` of a test, whose code is compiled with sanitizers; none where the compiler has none.
fn sanitized(name: &str, args: &[&str]) -> Option<Command> {
    let mut libraries = Vec::new();
    for library in ["libasan.so", "libubsan.so"] {
        let output = Command::new("cc").arg(format!("-print-file-name={library}")).output().ok()?;
        let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
        libraries.push(path.is_absolute().then(|| path.canonicalize().ok())??);
    }
    let libraries: Vec<String> = libraries.iter().map(|it| it.display().to_string()).collect();
    let script = format!("#!/bin/sh\nunset LD_PRELOAD\nexec cc \"$@\" {FLAGS}\n");
    let script = program(&format!("sanitize_{name}.sh"), &script);
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotan"));
    command.args(args).env("CC", script);
    command.env("LD_PRELOAD", libraries.join(" "));
    command.env("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1:exitcode=99");
    command.env("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1:exitcode=99");
    command.env("XDG_CACHE_HOME", std::env::temp_dir().join("cotan-sanitize").join(name));
    Some(command)
}

/// Runs it; what the sanitizers say is a failure, what the program says is given back.
fn clean(mut command: Command, what: &str) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    let found = ["AddressSanitizer:", "runtime error:"].iter().any(|it| text.contains(it));
    let status = output.status.code();
    assert!(!found && status.is_some() && status != Some(99), "{what}: {status:?}\n{text}");
    (status, text)
}

fn all() -> bool {
    std::env::var("COTAN_SANITIZE").is_ok_and(|it| it == "all")
}

/// The files of a folder that are programs, and those of the folders in it.
fn programs(folder: &std::path::Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            programs(&path, into);
        } else if path.extension().is_some_and(|it| it == "cot") {
            into.push(path);
        }
    }
}

/// Of all shipped programs, every so manieth is checked by default.
const ONE_OF: usize = 60;

#[test]
fn shipped_programs_are_clean() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    programs(&root.join("examples"), &mut paths);
    programs(&root.join("tests/programs"), &mut paths);
    paths.sort();
    let step = if all() { 1 } else { ONE_OF };
    for path in paths.iter().step_by(step) {
        let path = path.display().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        let subcommand = if text.contains("\ntest ") { "test" } else { "run" };
        let args = [subcommand, &path, "--backend", "auto"];
        let Some(command) = sanitized("shipped", &args) else { return };
        println!("{subcommand} {path}");
        clean(command, &path);
    }
}

/// Arguments at the ends: none, one, and what needs more than 31, 32 and 62 bits.
const ENDS: [i64; 6] = [0, 1, 1 << 31, 1 << 32, i64::MAX, -1];

#[test]
fn sizes_at_the_ends_are_clean() {
    let text = "def main(n: Int, m: Int): Int = {
  let a = build i < n, k < m => real(i) * 0.5 + real(k);
  let flat = flatten(a);
  let twice = concat(flat, flat);
  let steps = scan(\\s, x => [s[0] + x, s[1], s[2]], [0.0, 0.0, 0.0], twice);
  let kept = filter(\\x => x > 0.5, flat);
  let back = vjp(\\b => flatten(b))(a)(flat);
  length(steps) + length(kept) + length(replicate(n + m, 1.0)) + length(back)
}
";
    let path = file("sanitize_ends.cot", text);
    for n in ENDS {
        for m in if all() { ENDS.to_vec() } else { vec![0, 3, 1 << 32] } {
            let (n_arg, m_arg) = (format!("n={n}"), format!("m={m}"));
            let args = ["run", &path, "--backend", "native", "--memory", "64M"];
            let args: Vec<&str> =
                args.into_iter().chain(["--arg", &n_arg, "--arg", &m_arg]).collect();
            let Some(command) = sanitized("ends", &args) else { return };
            let (status, said) = clean(command, &format!("{n} and {m}"));
            let small = (0..=1).contains(&n) && m < 4;
            // Nothing is made of no rows, and of what is only as long as something nothing but the length.
            let length = n.wrapping_add(m).wrapping_add(n).to_string();
            let lengths = (n == 0 || m == 0) && said.lines().next() == Some(&length);
            let known = ["E0603", "E0606", "E0615"].iter().any(|it| said.contains(it));
            let fits = match status {
                Some(0) => small || lengths,
                Some(1) => known,
                Some(_) | None => false,
            };
            assert!(fits, "{n}, {m}: {said}");
        }
    }
}

/// A function from arrays to arrays, of random parts.
fn random_function(next: &mut impl FnMut(u64) -> u64) -> String {
    let mut text = "x".to_string();
    for _ in 0..2 + next(4) {
        text = match next(11) {
            0 => format!("map(\\v => sin(v) * v, {text})"),
            1 => format!("concat({text}, {text})"),
            2 => format!("reverse({text})"),
            3 => format!("scan(\\a, v => a * 0.5 + v, 0.0, {text})"),
            4 => format!("filter(\\v => v > 0.2, {text})"),
            5 => format!("sort({text})"),
            6 => format!("flatten(build i < {}, k < 3 => x[i % n] * real(k))", next(6)),
            7 => format!("flatten(map(\\v => [v, v * v], {text}))"),
            8 => format!("map(\\v => v + sum(x), {text})"),
            9 => format!("(\\y => map(\\v => v * length_of(y), y))({text})"),
            _ => format!("flatten(transpose([x, {}.5 * x]))", next(9)),
        };
    }
    text
}

#[test]
fn random_programs_are_clean() {
    let seed = std::env::var("COTAN_SANITIZE_SEED").ok().and_then(|it| it.parse().ok());
    let mut state: u64 = seed.unwrap_or(16);
    println!("COTAN_SANITIZE_SEED={state}");
    let mut next = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut text = "def length_of(y: [k]Real): Real = real(length(y))\n".to_string();
    for k in 0..if all() { 200 } else { 12 } {
        let function = random_function(&mut next);
        let x: Vec<String> = (0..next(20)).map(|_| format!("{}.25", next(9))).collect();
        let x =
            if x.is_empty() { "[1.0][0..0]".to_string() } else { format!("[{}]", x.join(", ")) };
        text += &format!("def f{k}(x: [n]Real): Real = sum({function})\n");
        text += &format!("test \"{k}\" = length(grad(f{k})({x})) == length({x})\n");
    }
    let path = file("sanitize_random.cot", text);
    let args = ["test", &path, "--backend", "native"];
    let Some(command) = sanitized("random", &args) else { return };
    let (status, said) = clean(command, &path);
    assert_eq!(status, Some(0), "{said}");
}
