//! Compiled code under AddressSanitizer and UndefinedBehaviorSanitizer: shipped programs, and sizes at the
//! ends of what an argument can say. Random programs are in `crates/fuzz/tests/fuzz.rs`.
//!
//! The arena has forbidden bytes between arrays then (`ct_alloc` of `crates/emit/c/runtime.h`).
//! A test runs a part, which it prints; `COTAN_SANITIZE=all` runs all programs.

use crate::*;
use testing::sanitizer::{Sanitizers, clean, skip};

/// The sanitizers, if there are any.
fn sanitizers() -> Option<Sanitizers> {
    Sanitizers::find(&PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sanitize"))
}

/// The `cotan` of a test, whose code is compiled with sanitizers.
fn sanitized(sanitizers: &Sanitizers, name: &str, args: &[&str]) -> Command {
    let mut res = sanitizers.command(env!("CARGO_BIN_EXE_cotan"), name);
    res.args(args);
    res
}

#[test]
fn a_compiler_without_sanitizers_is_no_silence() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sanitize_none");
    let compiler = program("cc_without_sanitizers.sh", "#!/bin/sh\necho \"${1#*=}\"\n");
    let why = Sanitizers::of(&compiler, &folder).err().unwrap();
    assert!(why.ends_with("has no libasan.so"), "{why}");
    assert!(std::panic::catch_unwind(|| skip("a test of this message", true)).is_err());
}

fn all() -> bool {
    std::env::var("COTAN_SANITIZE").is_ok_and(|it| it == "all")
}

/// The files of a folder that are programs, and those of the folders in it.
fn programs(folder: &std::path::Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // What is in `errors` is not even well typed.
        if path.is_dir() && !path.ends_with("errors") {
            programs(&path, into);
        } else if path.extension().is_some_and(|it| it == "cot") {
            into.push(path);
        }
    }
}

/// Of all shipped programs, every so manieth is checked by default.
const ONE_OF: usize = 50;

/// Programs that need too much memory by the interpreter, and none in compiled code: that makes no array of
/// the 10^12 numbers to be added, and no record of a loop for the derivative by one real. So they do not end.
const ENDLESS: [&str; 2] = ["failures/memory.cot", "failures/tape.cot"];

#[test]
fn shipped_programs_are_clean() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    programs(&root.join("examples"), &mut paths);
    programs(&root.join("tests/programs"), &mut paths);
    paths.sort();
    let step = if all() { 1 } else { ONE_OF };
    let Some(sanitizers) = sanitizers() else { return };
    let (mut ran, mut refused) = (0, 0);
    for path in paths.iter().step_by(step) {
        let path = path.display().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        if ENDLESS.iter().any(|it| path.ends_with(it)) {
            continue;
        }
        let subcommand = if text.contains("\ntest ") { "test" } else { "run" };
        // What runs once is interpreted first by default, and no sanitizer sees that.
        let args = [subcommand, &path, "--backend", "native"];
        println!("{subcommand} {path}");
        let (status, said) = clean(sanitized(&sanitizers, "shipped", &args), &path);
        // Some are wrong on purpose, and some choose functions as they run, which is not compiled.
        if status == Some(0) {
            ran += 1;
        } else {
            refused += 1;
            assert!(said.contains("error["), "{path}: {said}");
        }
    }
    assert!(ran > refused, "{ran} programs ran, {refused} did not");
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
    let Some(sanitizers) = sanitizers() else { return };
    for n in ENDS {
        // The code is made for sizes like these, so each pair may have to be compiled.
        let some = if n == 1 << 32 { vec![0, 3, 1 << 32] } else { vec![3] };
        for m in if all() { ENDS.to_vec() } else { some } {
            let (n_arg, m_arg) = (format!("n={n}"), format!("m={m}"));
            let args = ["run", &path, "--backend", "native", "--memory", "64M"];
            let args: Vec<&str> =
                args.into_iter().chain(["--arg", &n_arg, "--arg", &m_arg]).collect();
            let command = sanitized(&sanitizers, "ends", &args);
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
