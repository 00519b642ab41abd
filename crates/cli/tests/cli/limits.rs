//! Limits of a run: memory, depth of recursion.

use crate::*;

#[test]
fn too_much_memory_is_a_clear_error() {
    let path = main_file("memory.cot", "sum(sort(build i < 100000000 => real(i)))");
    cotan(&["run", &path, "--memory", "64M"]).exits(1).says("error[E06").says("memory");
    let path = main_file("memory_loop.cot", "iterate(60, \\x => concat(x, x), [1.0])");
    cotan(&["run", &path, "--memory", "64M"]).exits(1).says("memory");
}

#[test]
fn a_recursion_of_depth_one_million() {
    let path = file(
        "deep.cot",
        "def depth(n: Int): Int = if n == 0 then 0 else 1 + depth(n - 1)\n\
         def main = depth(1000000)\n",
    );
    let ran = cotan(&["run", &path]);
    match ran.status {
        Some(0) => assert_eq!(ran.out, "1000000\n"),
        Some(1) => assert!(ran.err.contains("error[E06"), "{}", ran.err),
        other => panic!("status {other:?}\n{}", ran.err),
    }
}

#[test]
fn endless_recursion_ends_in_an_error() {
    let path = file("endless.cot", "def f(n: Int): Int = 1 + f(n + 1)\ndef main = f(0)\n");
    cotan(&["run", &path, "--memory", "256M"]).exits(1).says("error[E06");
}

#[test]
fn a_list_of_a_million_elements_is_printed() {
    let path = file("list.cot", "def main = iterate(1000000, \\l => Cons(1, l), Nil)\n");
    let ran = cotan(&["run", &path]).exits(0);
    assert_eq!(ran.out.matches("Cons").count(), 1_000_000);
    let ran = cotan(&["run", &path, "--json"]).exits(0);
    assert!(ran.out.starts_with("{\"type\":\"List<Int>\",\"value\":{\"tag\":\"Cons\""));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_an_endless_loop() {
    let program = file("endless_loop.cot", "def main = while(\\x => x > 0.0, \\x => x, 1.0)\n");
    interrupt(endless(Command::new(env!("CARGO_BIN_EXE_cotan")).args(["run", &program])));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_far_it_was() {
    use std::io::{BufRead, BufReader, Read};
    let text = "def main = while(\\y => y > 0.0, \\y => report(1000, \"y\", report(10 ** 15, \"z\", y + 1.0)), 1.0)\n";
    let program = file("endless_reports.cot", text);
    for backend in ["interp", "native"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cotan"));
        command.args(["run", &program, "--backend", backend]).stderr(Stdio::piped());
        let mut child = endless(&mut command);
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        assert_eq!(line, "[1000] y = 1001.0\n");
        // A pipe that nobody reads would hold up the run.
        let rest = std::thread::spawn(move || {
            let mut rest = String::new();
            said.read_to_string(&mut rest).unwrap();
            rest
        });
        interrupt(child);
        let rest = rest.join().unwrap();
        let last = rest.lines().find(|it| it.ends_with(", the last"));
        let last = last.unwrap_or_else(|| panic!("{backend}: nothing is the last: {rest:.300}"));
        assert!(last.contains("] y = ") || last.contains("] z = "), "{last}");
        assert!(rest.contains("E0614"), "{backend}");
    }
}

/// The most bytes that `cotan` held in memory at once.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the standard library does not tell what a process took")]
#[allow(clippy::zombie_processes, reason = "it is waited for, by its number")]
fn peak(args: &[&str]) -> usize {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotan"));
    let child = command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    let child = i32::try_from(child.id()).unwrap();
    // SAFETY: there is room for both answers, and nobody else waits for this child.
    let usage = unsafe {
        assert_eq!(libc::wait4(child, &raw mut status, 0, usage.as_mut_ptr()), child);
        usage.assume_init()
    };
    usize::try_from(usage.ru_maxrss).unwrap() << 10
}

#[cfg(target_os = "linux")]
#[test]
fn the_memory_limit_holds_for_the_stack_of_a_recursion() {
    const LIMIT: usize = 64 << 20;
    let text = "def deep(n: Int): Real = if n == 0 then 1.0 else 1.0 + deep(n - 1)\n";
    let path = file("deep_and_held.cot", text);
    for backend in ["interp", "native", "auto"] {
        let run =
            |depth: &str| peak(&["eval", &path, depth, "--backend", backend, "--memory", "64M"]);
        let (shallow, deep) = (run("deep(3)"), run("deep(100000000)"));
        let taken = deep.saturating_sub(shallow);
        assert!(taken <= LIMIT + LIMIT / 4, "{backend}: {taken} bytes");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_memory_limit_holds_for_what_is_printed() {
    const LIMIT: usize = 64 << 20;
    let path = file("printed.cot", "def many(n: Int): [n]Real = build i < n => sqrt(real(i))\n");
    for backend in ["interp", "native", "auto"] {
        let run =
            |many: &str| peak(&["eval", &path, many, "--backend", backend, "--memory", "64M"]);
        // 56 MB of reals, and 130 MB of text.
        let taken = run("many(7000000)").saturating_sub(run("many(3)"));
        assert!(taken <= LIMIT + LIMIT / 4, "{backend}: {taken} bytes");
    }
}

#[test]
fn compiled_code_names_the_definition_that_does_not_end() {
    let path = file("endless_name.cot", "def f(n: Int): Int = 1 + f(n + 1)\n");
    let args = ["eval", &path, "f(0)", "--backend", "native", "--memory", "64M"];
    cotan(&args).exits(1).says("recursion too deep in `f`");
}

#[test]
fn little_address_space_makes_auto_use_the_interpreter() {
    let path = main_file("addresses.cot", "sum([1.0, 2.0])");
    let script = "ulimit -v 2000000; exec \"$0\" run \"$1\" --memory 4G";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_cotan"), &path])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "3.0\n", "{said}");
    assert!(said.contains("the interpreter runs") && said.contains("bytes of memory"), "{said}");
}

/// Each call is a derivative of the next one: a level more every time.
#[test]
fn derivatives_without_end_are_an_error() {
    let path =
        file("endless_derivatives.cot", "def f(x: Real): Real = jvp(f)(x, 1.0)\ndef main = f(1.0)");
    for via in ["auto", "forward", "tape"] {
        cotan(&["run", &path, "--via", via]).exits(1).says("[E0604]");
    }
    for via in programs() {
        cotan(&["run", &path, "--via", via]).exits(1).says("[E0635]");
    }
}
