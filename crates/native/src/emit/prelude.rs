//! The part of our C that a program needs: of the library of functions on reals, and of the runtime.
//!
//! `c/runtime.h` consists of sections like the files of the library (`src/library.rs`). Only what is
//! needed is pasted, since the C compiler is most of what a user waits for.

use std::collections::BTreeSet;

use super::Precision;
use crate::library::{Real, library};

const RUNTIME: &str = include_str!("../../c/runtime.h");

/// The sections of the runtime with these names, the functions on reals, and all that they need.
pub(crate) fn prelude(
    real: Precision,
    sections: &BTreeSet<&'static str>,
    functions: &BTreeSet<String>,
) -> String {
    let real = match real {
        Precision::F64 => Real::F64,
        Precision::F32 => Real::F32,
    };
    let functions: Vec<&str> = functions.iter().map(String::as_str).collect();
    // A name that is unknown is reported by the C compiler.
    let mut res = library(real, &functions).unwrap_or_else(|it| format!("#error {it}\n"));
    for (name, text) in runtime() {
        if name == "runtime" || sections.contains(name) {
            res.push_str(text);
        }
    }
    res
}

/// The sections of `c/runtime.h` in order; each needs the first one only.
fn runtime() -> impl Iterator<Item = (&'static str, &'static str)> {
    RUNTIME.split("//@ ").skip(1).map(|part| {
        let (head, text) = part.split_once('\n').unwrap_or((part, ""));
        (head.split(':').next().unwrap_or(head), text)
    })
}
