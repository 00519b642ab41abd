//! Flags that several subcommands share, and how their values are read.

use clap::{Args, ValueEnum};
use cotan::{Options, Precision, Via};

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
    /// Method of differentiation: auto, forward, tape or bulk
    #[arg(long, value_name = "METHOD", default_value = "auto", value_parser = method)]
    via: Via,
    /// What runs the program: auto or interp
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = backend)]
    backend: String,
    /// Precision of `Real`
    #[arg(long, value_enum, default_value_t = Real::F64)]
    real: Real,
    /// Threads to use; the interpreter uses one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
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
    /// As the library wants them. Back end and threads leave no choice in this version.
    pub(crate) fn library(&self) -> Options {
        let precision = match self.real {
            Real::F64 => Precision::F64,
            Real::F32 => Precision::F32,
        };
        Options { precision, memory: self.memory, via: self.via }
    }
}

/// Methods that the design names and a later version brings.
const LATER_METHODS: [&str; 2] = ["chad", "linmap"];

fn method(text: &str) -> Result<Via, String> {
    match text {
        "auto" => Ok(Via::Auto),
        "forward" => Ok(Via::Forward),
        "tape" => Ok(Via::Tape),
        "bulk" => Ok(Via::Bulk),
        it if LATER_METHODS.contains(&it) => Err(format!(
            "the method `{it}` is not in this version; use `tape`, `bulk` or `forward`"
        )),
        _ => Err("possible values are `auto`, `forward`, `tape` and `bulk`".to_string()),
    }
}

fn backend(text: &str) -> Result<String, String> {
    match text {
        "auto" | "interp" => Ok(text.to_string()),
        "native" => Err("the back end `native` is not in this version; use `interp`".to_string()),
        _ => Err("possible values are `auto` and `interp`".to_string()),
    }
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
    fn methods_of_later_versions_are_refused_by_name() {
        assert!(method("chad").unwrap_err().contains("not in this version"));
        assert!(method("magic").unwrap_err().contains("possible values"));
        assert!(backend("native").unwrap_err().contains("not in this version"));
    }
}
