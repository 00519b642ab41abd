//! Flags that several subcommands share, and how their values are read.

use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};
use cotan::{Backend, Effort, Options, Precision, Via};

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// If standard error is a terminal and NO_COLOR is not set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How a program runs.
#[derive(Args, Debug)]
pub(crate) struct RunOptions {
    #[arg(long, value_name = "METHOD", default_value = "auto", value_parser = method, help = methods())]
    via: Via,
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = backend, help = back_ends())]
    backend: Backend,
    /// Precision of `Real`
    #[arg(long, value_enum, default_value_t = Real::F64)]
    real: Real,
    /// Threads that compiled code uses; as many as there are cores by default. The interpreter uses one
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Most memory the program may use, such as 512M or 4G
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = memory)]
    memory: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Real {
    /// 64 bits
    F64,
    /// 32 bits
    F32,
}

impl RunOptions {
    /// The most bytes that the program, or what is read for it, may use.
    pub(crate) fn memory(&self) -> u64 {
        self.memory
    }

    /// As the library wants them.
    pub(crate) fn library(&self) -> Options {
        let precision = match self.real {
            Real::F64 => Precision::F64,
            Real::F32 => Precision::F32,
        };
        Options {
            precision,
            memory: self.memory,
            via: self.via,
            backend: self.backend,
            threads: self.threads,
            // A command calls what it asks for once; `bench` prepares its calls.
            effort: Effort::Once,
            ..Options::default()
        }
    }
}

fn method(text: &str) -> Result<Via, String> {
    Via::named(text)
        .ok_or_else(|| format!("possible values are {}", listed(all_methods(), "and", "`")))
}

/// The help of `--via`.
fn methods() -> String {
    format!("Method of differentiation: {}", listed(all_methods(), "or", ""))
}

fn all_methods() -> impl Iterator<Item = &'static str> {
    Via::all().map(Via::name)
}

fn all_back_ends() -> impl Iterator<Item = &'static str> {
    Backend::all().map(Backend::name)
}

/// Names, with a word before the last one.
fn listed(names: impl Iterator<Item = &'static str>, word: &str, quote: &str) -> String {
    let mut names: Vec<String> = names.map(|it| format!("{quote}{it}{quote}")).collect();
    let last = names.pop().unwrap_or_default();
    format!("{} {word} {last}", names.join(", "))
}

fn backend(text: &str) -> Result<Backend, String> {
    Backend::named(text)
        .ok_or_else(|| format!("possible values are {}", listed(all_back_ends(), "and", "`")))
}

/// The help of `--backend`.
fn back_ends() -> String {
    format!("What runs the program: {}", listed(all_back_ends(), "or", ""))
}

/// `512M`, `4G`, `4GiB`, `100000`: bytes, in powers of 1024.
fn memory(text: &str) -> Result<u64, String> {
    let digits = text.find(|it: char| !it.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err("write a number and one of K, M, G, T: 512M".to_string()),
    };
    let number: u64 = number.parse().map_err(|_| "write a size such as 512M or 4G".to_string())?;
    let bytes = number.checked_mul(1 << shift).ok_or("no machine has so much memory")?;
    if bytes == 0 { Err("at least one byte, please".to_string()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(memory("512M"), Ok(512 << 20));
        assert_eq!(memory("4g"), Ok(4 << 30));
        assert_eq!(memory("1KiB"), Ok(1024));
        assert_eq!(memory("77"), Ok(77));
        for wrong in ["", "M", "0", "-1", "4X", "1.5G", "99999999999999T"] {
            assert!(memory(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn methods_and_back_ends_are_those_of_the_table() {
        for via in Via::all() {
            assert_eq!(method(via.name()), Ok(via));
            assert!(methods().contains(via.name()), "{}", methods());
        }
        assert!(method("magic").unwrap_err().contains("possible values"));
        assert!(backend("magic").unwrap_err().contains("possible values"));
    }
}
