//! Compiles a module with a C program around it, runs it and reads what it prints.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, process};

use emit::{EmitOptions, Precision, emit};
use loops::Module;

use crate::machine;

/// Ways to print. Loops that are no vector loops are the same in the second one and without vectors.
pub(crate) const WAYS: [EmitOptions; 3] = [
    EmitOptions { real: Precision::F64, vector: false, draft: true },
    EmitOptions { real: Precision::F64, vector: true, draft: false },
    EmitOptions { real: Precision::F32, vector: true, draft: false },
];

/// An argument.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    Real(f64),
    Int(i64),
    Bool(bool),
    Reals(Vec<f64>),
    Ints(Vec<i64>),
    Bools(Vec<bool>),
}

/// A result that is expected: its type and, of an array, how long it is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Want {
    Real,
    Int,
    Bool,
    Reals(usize),
    Ints(usize),
    Bools(usize),
}

/// What came out of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    /// The code; 0 if all went well.
    pub(crate) code: i64,
    /// The values of a failed check.
    pub(crate) values: Vec<i64>,
    /// The results, Ints and Bools as reals too.
    pub(crate) results: Vec<Vec<f64>>,
}

/// How the host is in the C program: none, one whose tasks run in reverse order, each with an arena of
/// its own, or one that asks to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Host {
    None,
    Reverse,
    Stopping,
}

/// Calls the first entry point once for each list of arguments, in one program.
pub(crate) fn run(
    module: &Module,
    options: &EmitOptions,
    host: Host,
    calls: &[Vec<Arg>],
    wants: &[Vec<Want>],
) -> Vec<Outcome> {
    let entries = vec![0; calls.len()];
    run_entries(module, options, host, &entries, calls, wants)
}

/// Calls an entry point for each list of arguments, in one program.
pub(crate) fn run_entries(
    module: &Module,
    options: &EmitOptions,
    host: Host,
    entries: &[usize],
    calls: &[Vec<Arg>],
    wants: &[Vec<Want>],
) -> Vec<Outcome> {
    let mut text = emit(module, options);
    text.push_str(MAIN);
    for (k, (args, wants)) in calls.iter().zip(wants).enumerate() {
        call(&mut text, (k, entries[k]), args, wants, host);
    }
    text.push_str("int main(void) {\n");
    for k in 0..calls.len() {
        let _ = writeln!(text, "  call{k}();");
    }
    text.push_str("  return 0;\n}\n");
    let output = execute(&text, options);
    let found = outcomes(&output, calls.len());
    // Tasks in another order are about threads, which instant code has none of.
    #[cfg(feature = "instant")]
    if host != Host::Reverse {
        crate::instantly::compare((module, options, host), entries, calls, wants, &found);
    }
    found
}

const MAIN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static char arena[1 << 26] __attribute__((aligned(64)));
static char other[1 << 24] __attribute__((aligned(64)));
static ct_ctx fresh_ctx(void) {
  ct_ctx ctx = {0};
  ctx.top = arena;
  ctx.end = arena + sizeof arena;
  ctx.stack_low = (char *)__builtin_frame_address(0) - (1 << 20);
  return ctx;
}
__attribute__((unused)) static void reverse(void *self, int64_t tasks, ct_task *task, void *env, ct_ctx *caller) {
  (void)self;
  for (int64_t i = tasks - 1; i >= 0; i--) {
    ct_ctx ctx = *caller;
    ctx.top = other;
    ctx.end = other + sizeof other;
    ctx.code = 0;
    task(env, i, &ctx);
    if (ctx.code) {
      caller->code = ctx.code;
      caller->n_values = ctx.n_values;
      memcpy(caller->values, ctx.values, sizeof ctx.values);
    }
  }
}
__attribute__((unused)) static ct_host reverse_host = {reverse, NULL, NULL, 2, 0, NULL};
__attribute__((unused)) static volatile int stop = 1;
__attribute__((unused)) static void show(double x) { union { double d; unsigned long long i; } u = {x}; printf(" %llx", u.i); }
"#;

fn call(text: &mut String, (k, entry): (usize, usize), args: &[Arg], wants: &[Want], host: Host) {
    let _ = writeln!(
        text,
        "static void call{k}(void) {{\n  ct_slot args[{}], results[{}];",
        args.len() + 1,
        wants.len() + 1
    );
    for (i, arg) in args.iter().enumerate() {
        let mut array = |ty: &str, field: &[String]| {
            let list = if field.is_empty() { "0".to_string() } else { field.join(", ") };
            let _ = writeln!(text, "  static {ty} a{i}[] = {{{list}}};\n  args[{i}].p = a{i};");
        };
        match arg {
            Arg::Reals(xs) => array("real", &xs.iter().map(|it| literal(*it)).collect::<Vec<_>>()),
            Arg::Ints(xs) => array("int64_t", &xs.iter().map(|it| whole(*it)).collect::<Vec<_>>()),
            Arg::Bools(xs) => {
                array(
                    "uint8_t",
                    &xs.iter().map(|it| i32::from(*it).to_string()).collect::<Vec<_>>(),
                );
            }
            Arg::Real(x) => {
                let _ = writeln!(text, "  args[{i}].d = {};", literal(*x));
            }
            Arg::Int(x) => {
                let _ = writeln!(text, "  args[{i}].i = {};", whole(*x));
            }
            Arg::Bool(x) => {
                let _ = writeln!(text, "  args[{i}].i = {};", i32::from(*x));
            }
        }
    }
    let host = match host {
        Host::None => "",
        Host::Reverse => "ctx.host = &reverse_host;",
        Host::Stopping => "ctx.stop = &stop;",
    };
    let _ = write!(
        text,
        "  ct_ctx ctx = fresh_ctx();\n  {host}\n  (void)args;\n  (void)results;\n  \
         printf(\"code %lld\", (long long)ct_entry_{entry}(&ctx, args, results));\n  \
         for (int64_t i = 0; i < ctx.n_values; i++) printf(\" %lld\", (long long)ctx.values[i]);\n  \
         printf(\"\\n\");\n  if (ctx.code) return;\n"
    );
    for (i, want) in wants.iter().enumerate() {
        let (len, element) = match want {
            Want::Real => (1, format!("results[{i}].d")),
            Want::Int | Want::Bool => (1, format!("(double)results[{i}].i")),
            Want::Reals(len) => (*len, format!("((real *)results[{i}].p)[i]")),
            Want::Ints(len) => (*len, format!("(double)((int64_t *)results[{i}].p)[i]")),
            Want::Bools(len) => (*len, format!("((uint8_t *)results[{i}].p)[i]")),
        };
        let _ = write!(
            text,
            "  printf(\"result\");\n  for (int i = 0; i < {len}; i++) show({element});\n  printf(\"\\n\");\n"
        );
    }
    text.push_str("}\n");
}

fn literal(x: f64) -> String {
    if x.is_nan() {
        "__builtin_nan(\"\")".into()
    } else if x.is_infinite() {
        format!("{}__builtin_inf()", if x < 0.0 { "-" } else { "" })
    } else {
        format!("{x:?}")
    }
}

fn whole(x: i64) -> String {
    if x == i64::MIN { "INT64_MIN".into() } else { x.to_string() }
}

/// Compiles and runs a C program; what it prints.
pub(crate) fn execute(text: &str, options: &EmitOptions) -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let stem: PathBuf = env::temp_dir().join(format!("cotan-emit-{}-{number}", process::id()));
    let (source, program) = (stem.with_extension("c"), stem.with_extension("exe"));
    fs::write(&source, text).unwrap();
    let compiled = machine::compiler()
        .args(["-std=gnu11", "-O2"])
        .args(machine::flags())
        .args(["-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"])
        .args(["-Wall", "-Wextra", "-Werror", "-o"])
        .args([&program, &source])
        .args(["-lm"])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{options:?}: {}\n{errors}", source.display());
    let ran = machine::run(&program).output().unwrap();
    assert!(ran.status.success(), "{options:?}: {} {}", source.display(), ran.status);
    let _ = fs::remove_file(source);
    let _ = fs::remove_file(program);
    String::from_utf8(ran.stdout).unwrap()
}

fn outcomes(output: &str, count: usize) -> Vec<Outcome> {
    let mut res: Vec<Outcome> = Vec::new();
    for line in output.lines() {
        if let Some(rest) = line.strip_prefix("code ") {
            let numbers: Vec<i64> = rest.split(' ').map(|it| it.parse().unwrap()).collect();
            res.push(Outcome { code: numbers[0], values: numbers[1..].to_vec(), results: vec![] });
        } else if let Some(rest) = line.strip_prefix("result") {
            let bits = |it: &str| f64::from_bits(u64::from_str_radix(it, 16).unwrap());
            let result = rest.split_whitespace().map(bits).collect();
            res.last_mut().unwrap().results.push(result);
        }
    }
    assert_eq!(res.len(), count);
    res
}
