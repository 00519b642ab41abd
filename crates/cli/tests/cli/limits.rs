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
