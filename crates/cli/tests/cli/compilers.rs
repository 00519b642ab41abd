//! C compilers other than plain `cc`: clang, one that checks what it compiles unless told not to, and
//! what one is given of a long program.

use crate::native::{command, folder, ran};
use crate::*;

/// Value and gradient of 81 at |w|^2 = 5: (2 |w|^2 - 1)^2 and 2 * 9 * 4 w.
const SQUARES: &str = "def loss(w: [n]Real, x: [n]Real): Real = (dot(w, x) - 1.0) ** 2.0
    def main(w: [n]Real): (Real, [n]Real) = value_and_grad(\\w => loss(w, w * 2.0))(w)";

/// That compiled code is there and right with this C compiler: by `doctor`, as a draft and as fast code.
fn works(compiler: &str, cache: &str) {
    let _ = std::fs::remove_dir_all(folder(cache));
    let well = ran(command(cache, &["doctor"]).env("CC", compiler)).exits(0);
    for trial in ["compiled by -O2 and loaded", "compiled by -O0 and loaded"] {
        assert!(well.out.contains(trial), "{compiler}: {}", well.out);
    }
    let path = file("compilers.cot", SQUARES);
    let args = ["run", &path, "--backend", "native", "--arg", "w=[1,2]"];
    ran(command(cache, &args).env("CC", compiler)).exits(0).prints("(81.0, [72.0, 144.0])");
    let bench =
        file("compilers_bench.cot", format!("{SQUARES}\nbench \"loss\" = main([1.0, 2.0])\n"));
    let args = ["bench", &bench, "--backend", "native", "--seconds", "0.01"];
    ran(command(cache, &args).env("CC", compiler)).exits(0);
}

fn is_installed(compiler: &str) -> bool {
    let asked = Command::new(compiler).arg("--version").stdout(Stdio::null()).status();
    asked.is_ok_and(|it| it.success())
}

#[test]
fn gcc_and_clang_compile_programs() {
    let found: Vec<&str> =
        ["cc", "gcc", "clang"].into_iter().filter(|it| is_installed(it)).collect();
    assert!(!found.is_empty(), "there is no C compiler");
    for compiler in found {
        works(compiler, &format!("compilers_{compiler}"));
    }
}

/// Libraries with checks would not load: their runtime has to be in the program that loads them.
#[test]
fn a_compiler_that_checks_by_default_is_told_not_to() {
    for compiler in ["cc", "clang"].into_iter().filter(|it| is_installed(it)) {
        let text = format!("#!/bin/sh\nexec {compiler} -fsanitize=address,undefined \"$@\"\n");
        let script = program(&format!("checking_{compiler}.sh"), &text);
        works(&script, &format!("checking_{compiler}"));
    }
}
