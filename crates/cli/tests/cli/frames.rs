//! Frames of compiled functions: the stack that is kept free for them is enough.

use crate::*;

/// A recursion without end whose body has this many steps.
fn long_recursion(n: usize) -> String {
    let mut text =
        "def f(n: Int, x: Real): Real = if n == 0 then x else {\n  let y0 = x;\n".to_string();
    for k in 1..n {
        let (last, other) = (k - 1, k.saturating_sub(7));
        text += &format!("  let y{k} = sin(y{last}) + y{other} * 0.5;\n");
    }
    let (last, middle) = (n - 1, n / 2);
    text + &format!("  f(n - 1, y{last}) + y{middle}\n}}\ndef main = f(100000000, 0.5)\n")
}

#[test]
fn a_recursion_with_large_frames_ends_in_an_error() {
    let path = file("frames_long.cot", long_recursion(4500));
    for memory in ["18M", "24M"] {
        cotan(&["run", &path, "--backend", "native", "--memory", memory]).exits(1).says("E0604");
    }
}

/// What the C compiler says of frames, at every level of optimisation, against what the text says.
#[test]
fn frames_are_within_what_is_kept_free() {
    let folder = std::env::temp_dir().join(format!("cotan-frames-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let place = folder.display();
    let script = format!(
        "#!/bin/sh\nfor it in \"$@\"; do case \"$it\" in *.c) cp \"$it\" {place}/text.c;; esac; done\nexec cc \"$@\"\n"
    );
    let script = program("frames.sh", &script);
    let rows = "def g(x: [n]Real, k: Int): Real = if k == 0 then sum(x) else \
                g(map(\\v => sin(v) * tanh(v) + exp(v), x), k - 1)\n\
                def main = grad(\\x => g(x, 3))([1.0, 2.0, 3.0])\n";
    for (name, text, effort) in
        [("long", long_recursion(300), "run"), ("rows", rows.to_string(), "run")]
    {
        let path = file(&format!("frames_{name}.cot"), text);
        let mut command = Command::new(env!("CARGO_BIN_EXE_cotan"));
        command.args([effort, &path, "--backend", "native", "--memory", "64M"]);
        command.env("CC", &script).env("XDG_CACHE_HOME", folder.join(name));
        command.output().unwrap();
        let text = std::fs::read_to_string(folder.join("text.c")).unwrap();
        let kept = text.lines().find_map(|it| it.strip_prefix("#define CT_STACK_BYTES "));
        let kept: u64 = kept.unwrap().parse().unwrap();
        for level in ["-O0 -DCT_QUICK", "-O1", "-O2"] {
            let mut compiler = Command::new("cc");
            compiler.args(level.split(' ')).args(["-march=native", "-w", "-c", "-fstack-usage"]);
            compiler.args(["-std=gnu11", "-o", "text.o", "text.c"]).current_dir(&folder);
            assert!(compiler.status().unwrap().success());
            let usage = std::fs::read_to_string(folder.join("text.su")).unwrap();
            let bytes = usage.lines().filter_map(|it| it.split('\t').nth(1)?.parse::<u64>().ok());
            let all: u64 = bytes.sum();
            assert!(all > 0 && 2 * all < kept, "{name} {level}: {all} of {kept}");
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}
