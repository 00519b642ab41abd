//! A C program of all functions: compiled for a target, fed with points, its answers read back.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::OnceLock;
use std::{fs, io::Write};

use emit::library::{Real, library};

use crate::machine;

const UNARY: &[&str] = &[
    "exp", "log", "log1p", "expm1", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
    "tanh", "asinh", "acosh", "atanh", "erf", "sigmoid", "softplus", "lgamma", "digamma", "round",
    "sign", "sqrt", "floor", "ceil", "abs",
];
const BINARY: &[&str] = &["atan2", "pow", "rem", "scale", "min", "max"];

/// What functions with two results give, and which of the two.
const BOTH: &[(&str, &str, usize)] = &[
    ("sigmoid_of_both", "sigmoids", 0),
    ("sigmoid_below", "sigmoids", 1),
    ("tanh_of_both", "tanh_slope", 0),
    ("slope_of_tanh", "tanh_slope", 1),
];

/// Functions of the vector layer, which is always there.
const LAYER: &[&str] = &["sqrt", "floor", "ceil", "abs"];

const FLAGS: &[&str] = &[
    "-O2",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-psabi",
];

/// A width of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// What this machine has.
    Native,
    /// Four doubles, fused multiply-add.
    Avx2,
    /// Two doubles, no fused multiply-add.
    Sse2,
    /// Two doubles, no builtins of gcc for x86: what clang and other machines have. Scalars trap where
    /// C does not say what they do: an overflow of integers, a shift of what is below zero.
    Plain,
}

impl Target {
    /// Those that can run here.
    pub(crate) fn available() -> Vec<Target> {
        let mut res = vec![Target::Native, Target::Plain];
        if machine::is_other() {
            return res;
        }
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                res.push(Target::Avx2);
            }
            res.push(Target::Sse2);
        }
        res
    }

    fn flags(self) -> &'static [&'static str] {
        match self {
            Target::Native => machine::flags(),
            Target::Avx2 => &["-mavx2", "-mfma"],
            Target::Sse2 => &[],
            // Checked code looks to gcc as if it read what nobody wrote.
            Target::Plain => &[
                "-DCT_PLAIN",
                "-fsanitize=undefined",
                "-fsanitize-undefined-trap-on-error",
                "-Wno-maybe-uninitialized",
            ],
        }
    }
}

/// Points at which a function is called; `y` is 0 where it takes one argument only.
pub(crate) struct Batch {
    pub(crate) function: String,
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
}

impl Batch {
    pub(crate) fn new(function: &str, x: Vec<f64>, y: Vec<f64>) -> Batch {
        Batch { function: function.to_string(), x, y }
    }
}

/// What the function of vectors and the one of scalars gave.
pub(crate) struct Results {
    pub(crate) vector: Vec<f64>,
    pub(crate) scalar: Vec<f64>,
}

impl Results {
    /// Where a lane of a vector and the scalar function differ.
    pub(crate) fn lanes_differ<'a>(
        &'a self,
        batch: &'a Batch,
    ) -> impl Iterator<Item = String> + 'a {
        let pairs = self.vector.iter().zip(&self.scalar).zip(&batch.x);
        pairs
            .filter(|((vector, scalar), _)| !same(**vector, **scalar))
            .map(|((vector, scalar), x)| format!("{}({x}): {vector} and {scalar}", batch.function))
    }
}

/// Whether the bits are the same; all NaNs are.
pub(crate) fn same(x: f64, y: f64) -> bool {
    x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan())
}

/// The nearest number of the type.
pub(crate) fn rounded(x: f64, real: Real) -> f64 {
    match real {
        Real::F64 => x,
        Real::F32 => f64::from(x as f32),
    }
}

/// The compiled program.
pub(crate) struct Program {
    path: PathBuf,
    real: Real,
}

/// Programs are compiled once: it takes longer than to run them.
static COMPILED: [OnceLock<PathBuf>; 8] = [const { OnceLock::new() }; 8];

impl Program {
    pub(crate) fn compile(real: Real, target: Target) -> Program {
        let names: Vec<String> = all()
            .filter(|it| !LAYER.contains(it))
            .map(|it| BOTH.iter().find(|both| both.0 == it).map_or(it, |both| both.1))
            .flat_map(|it| [it.to_string(), format!("{it}1")])
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let index = 4 * (real == Real::F32) as usize + target as usize;
        let make = || compile(real, target, &names, &text(), "functions");
        Program { path: COMPILED[index].get_or_init(make).clone(), real }
    }

    /// The results of each batch.
    pub(crate) fn run(&self, batches: &[&Batch]) -> Vec<Results> {
        let size = match self.real {
            Real::F64 => 8,
            Real::F32 => 4,
        };
        let mut input = Vec::new();
        for batch in batches {
            let index = all().position(|it| it == batch.function).unwrap();
            // Whole vectors, whatever their width.
            let count = batch.x.len().next_multiple_of(16);
            input.extend((index as u64).to_le_bytes());
            input.extend((count as u64).to_le_bytes());
            for list in [&batch.x, &batch.y] {
                for i in 0..count {
                    let value = list.get(i).copied().unwrap_or(1.0);
                    match self.real {
                        Real::F64 => input.extend(value.to_le_bytes()),
                        Real::F32 => input.extend((value as f32).to_le_bytes()),
                    }
                }
            }
        }
        let mut child =
            machine::run(&self.path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || stdin.write_all(&input).unwrap());
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        assert!(output.status.success());
        let mut numbers = output.stdout.chunks_exact(size).map(|bytes| match self.real {
            Real::F64 => f64::from_le_bytes(bytes.try_into().unwrap()),
            Real::F32 => f64::from(f32::from_le_bytes(bytes.try_into().unwrap())),
        });
        let mut list = |length: usize| -> Vec<f64> {
            let padded: Vec<f64> = numbers.by_ref().take(length.next_multiple_of(16)).collect();
            padded[..length].to_vec()
        };
        batches
            .iter()
            .map(|it| Results { vector: list(it.x.len()), scalar: list(it.x.len()) })
            .collect()
    }
}

/// What a program of its own prints, with the vector layer in front.
pub(crate) fn run_text(real: Real, target: Target, text: &str, name: &str) -> String {
    let path = compile(real, target, &["least", "greatest"], text, name);
    let output = machine::run(&path).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The functions that a program has.
pub(crate) fn all() -> impl Iterator<Item = &'static str> {
    let both = BOTH.iter().map(|it| it.0);
    UNARY.iter().chain(BINARY).copied().chain(["polygamma"]).chain(both)
}

fn compile(real: Real, target: Target, names: &[&str], text: &str, name: &str) -> PathBuf {
    let text = library(real, names).unwrap() + text;
    let path =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{real:?}-{target:?}"));
    let source = path.with_extension("c");
    fs::write(&source, text).unwrap();
    let status = machine::compiler()
        .args(FLAGS)
        .args(target.flags())
        .arg(&source)
        .arg("-o")
        .arg(&path)
        .arg("-lm")
        .status()
        .unwrap();
    assert!(status.success(), "{}", source.display());
    path
}

/// Reads number of function, count, x and y; writes what the vectors and the scalars gave.
fn text() -> String {
    let mut res = String::from("#include <stdio.h>\n#include <stdlib.h>\n");
    let mut one = |name: &str, vector: &str, scalar: &str| {
        res += &format!(
            "static void run_{name}(const real *x, const real *y, real *v, real *s, long n) {{\n\
             (void)y;\n\
             for (long i = 0; i < n; i += CT_W) {{ ct_store(v + i, {vector}); }}\n\
             for (long i = 0; i < n; i++) {{ s[i] = {scalar}; }}\n}}\n"
        );
    };
    for name in UNARY {
        let vector = format!("ct_{name}(ct_load(x + i))");
        one(name, &vector, &format!("ct_{name}1(x[i])"));
    }
    for name in BINARY {
        let vector = format!("ct_{name}(ct_load(x + i), ct_load(y + i))");
        one(name, &vector, &format!("ct_{name}1(x[i], y[i])"));
    }
    one(
        "polygamma",
        "ct_polygamma(ct_int(ct_load(y + i)), ct_load(x + i))",
        "ct_polygamma1(ct_int1(y[i]), x[i])",
    );
    for (name, function, which) in BOTH {
        let get = |ty: &str, one: &str, x: &str| {
            format!("({{ {ty} r[2]; ct_{function}{one}({x}, r, r + 1); r[{which}]; }})")
        };
        one(name, &get("vr", "", "ct_load(x + i)"), &get("real", "1", "x[i]"));
    }
    let table: Vec<String> = all().map(|it| format!("run_{it}")).collect();
    res += &format!(
        "typedef void function(const real *, const real *, real *, real *, long);\n\
         static function *const table[] = {{{}}};\n",
        table.join(", ")
    );
    res += "int main(void) {\n\
            uint64_t head[2];\n\
            while (fread(head, 8, 2, stdin) == 2) {\n\
            size_t n = head[1];\n\
            real *x = malloc(4 * n * sizeof(real));\n\
            if (!x || fread(x, sizeof(real), 2 * n, stdin) != 2 * n) return 1;\n\
            table[head[0]](x, x + n, x + 2 * n, x + 3 * n, (long)n);\n\
            if (fwrite(x + 2 * n, sizeof(real), 2 * n, stdout) != 2 * n) return 1;\n\
            free(x);\n}\nreturn 0;\n}\n";
    res
}
