//! The part of our C that a program needs: of the library of functions on reals, and of the runtime.
//!
//! `c/runtime.h` consists of sections like the files of the library (`src/library.rs`). Only what is
//! needed is pasted, since the C compiler is most of what a user waits for.

use std::collections::{BTreeMap, BTreeSet};

use ir::Prim;

use crate::library::{Real, library};
use crate::tuning::{FEW_OF_SCALARS, FEW_OF_VECTORS};
use crate::{EmitOptions, Precision};

const RUNTIME: &str = include_str!("../c/runtime.h");

/// The least cost of a primitive whose code is long, and the greatest of one that is put where it is
/// used at all.
const LONG: std::ops::RangeInclusive<i64> = 12..=24;

/// Functions that are long, with the number of their arguments, of which a second and third may be for
/// results: where many places call one of them, it is compiled once and called instead of being put there.
fn long() -> BTreeMap<&'static str, usize> {
    let prims = Prim::all().filter(|it| LONG.contains(&it.row().cost));
    let several = [("sigmoids", 3), ("tanh_slope", 3)];
    prims.map(|it| (it.name(), it.arity())).chain(several).collect()
}

/// The sections of the runtime with these names, the functions on reals, and all that they need.
pub(crate) fn prelude(
    options: EmitOptions,
    sections: &BTreeSet<&'static str>,
    functions: &BTreeSet<String>,
    code: &str,
) -> String {
    let real = match options.real {
        Precision::F64 => Real::F64,
        Precision::F32 => Real::F32,
    };
    let names: Vec<&str> = functions.iter().map(String::as_str).collect();
    // A name that is unknown is reported by the C compiler.
    let mut res = library(real, &names).unwrap_or_else(|it| format!("#error {it}\n"));
    // Drafts have one copy of everything anyway.
    let long = if options.draft { BTreeMap::new() } else { long() };
    for (name, arguments) in long {
        let scalar = format!("{name}1");
        for (name, ty, few) in
            [(scalar.as_str(), "real", FEW_OF_SCALARS), (name, "vr", FEW_OF_VECTORS)]
        {
            if functions.contains(name) && code.matches(&format!("ct_{name}(")).count() > few {
                res.push_str(&shared(name, ty, arguments));
            }
        }
    }
    for (name, text) in runtime() {
        if name == "runtime" || sections.contains(name) {
            res.push_str(text);
        }
    }
    res
}

/// The one copy of a function, under the name that generated code has for it.
fn shared(name: &str, ty: &str, arguments: usize) -> String {
    let (result, parameters, values) = match arguments {
        1 => (ty, format!("{ty} x"), "x"),
        2 => (ty, format!("{ty} x, {ty} y"), "x, y"),
        _ => ("void", format!("{ty} x, {ty} *y, {ty} *z"), "x, y, z"),
    };
    format!(
        "static __attribute__((noinline)) {result} ct_shared_{name}({parameters}) {{ \
         return ct_{name}({values}); }}\n#undef ct_{name}\n#define ct_{name} ct_shared_{name}\n"
    )
}

/// The sections of `c/runtime.h` in order; each needs the first one only.
fn runtime() -> impl Iterator<Item = (&'static str, &'static str)> {
    RUNTIME.split("//@ ").skip(1).map(|part| {
        let (head, text) = part.split_once('\n').unwrap_or((part, ""));
        (head.split(':').next().unwrap_or(head), text)
    })
}
