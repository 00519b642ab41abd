//! A program of loops as C: text from data, and nothing else. No file is touched here, no process is run, and
//! nothing is unsafe; `native` compiles the text, keeps it, loads it and calls it.
//!
//! Every function becomes a static C function, every entry point `ct_entry_<k>`. Before them stands
//! the part of `c/*.h` that is needed. The text is meant to be read: one statement a line, variables
//! `x12` as in the text of the loops, functions called after their definitions.
//!
//! Ints wrap around by unsigned arithmetic in the text; no compiler flag is needed for that. Needed
//! is `-ffp-contract=off`: no product and sum may become one rounding by itself ([`FLAGS_OF_C`]).
//!
//! What the printer decides by itself, beyond spelling, is in the Note at the end.

mod atoms;
mod block;
mod chunks;
mod flags;
mod fold;
mod forms;
mod kernels;
mod lanes;
pub mod library;
mod look;
mod loose;
mod needed;
mod parts;
mod places;
mod prelude;
mod prims;
mod printer;
mod rows;
mod steps;
mod sums;
mod table;
mod tell;
mod tuning;

pub use flags::{Effort, FLAGS_OF_C, flags_of};
pub use parts::{Cut, how_cut, n_parts};
pub use tuning::{DRAFT, LINE_OF_DRAFT, LONG};

use std::collections::BTreeSet;
use std::fmt::Write;

use loops::{Func, Module, Type};
use printer::{Printer, declare, from_slot, slot_field};

/// What a `Real` is in the generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `double`.
    F64,
    /// `float`.
    F32,
}

/// How to print.
#[derive(Clone, Copy, Debug)]
pub struct EmitOptions {
    /// What a real is.
    pub real: Precision,
    /// Whether vector loops are vectors; else they are plain loops.
    pub vector: bool,
    /// Whether a short text counts more than fast code, and a run of many steps ends early, so that fast
    /// code may be made instead.
    pub draft: bool,
}

/// The C text of a module. `-Wall -Wextra` has nothing to say about it.
pub fn emit(module: &Module, options: &EmitOptions) -> String {
    debug_assert_eq!(loops::verify(module), Ok(()));
    let names: Vec<String> = module
        .funcs
        .iter()
        .enumerate()
        .map(|(k, it)| format!("f{k}_{}", mangled(&it.name)))
        .collect();
    let (mut needs, mut functions) = (BTreeSet::new(), BTreeSet::new());
    let mut heads = String::new();
    let mut definitions = Vec::new();
    for (func, name) in module.funcs.iter().zip(&names) {
        let mut printer = Printer::new(module, func, &names, *options);
        let _ = writeln!(heads, "{};", printer.head(name));
        let text = printer.function(name);
        needs.append(&mut printer.needs);
        functions.append(&mut printer.functions);
        definitions.push(printer.tasks + &text);
    }
    for (k, index) in module.entries.iter().enumerate() {
        definitions.push(entry(k, &module.funcs[*index], &names[*index]));
    }
    let stack = stack_bytes(definitions.iter().map(String::len).sum());
    let (defined, code) = match options.draft {
        true => {
            let code = parts::cut(&definitions, parts::of_draft());
            let n_lines = code.lines().count() as u64;
            let worth = DRAFT + n_lines * LINE_OF_DRAFT;
            (format!("#define CT_DRAFT {worth}\n{}", parts::DEFINED), code)
        }
        false => match parts::of_fast_code(&definitions) {
            1 => (String::new(), definitions.concat()),
            n_parts => {
                parts::make_known(&mut heads, &mut definitions);
                (parts::DEFINED.to_string(), parts::cut(&definitions, n_parts))
            }
        },
    };
    String::from(WARNINGS)
        + &format!("#define CT_STACK_BYTES {stack}\n")
        + &defined
        + &needed::needed(&prelude::prelude(*options, &needs, &functions, &code), &code)
        + "\n"
        + &heads
        + &code
        + STACK_NEED
}

/// How much stack the functions of a text of this length need at most, all of them together and one
/// of them twice: whoever is called by a function that looks at the stack must have it. No compiler keeps
/// more than this of what so many characters say: a vector of 64 bytes and its operands need 24 of
/// them at least. `crates/cli/tests/cli/frames.rs` asks one.
fn stack_bytes(length: usize) -> usize {
    (64 << 10) + 16 * length
}

/// Tells the host.
const STACK_NEED: &str = "\
#if defined(CT_PART) && CT_PART > 0
#else
extern const int64_t ct_stack_need;
const int64_t ct_stack_need = CT_STACK_BYTES;
#endif
";

/// Results that nobody uses are no mistake here, nor are arrays that are filled later.
const WARNINGS: &str = "\
#pragma GCC diagnostic ignored \"-Wunused-variable\"
#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"
#pragma GCC diagnostic ignored \"-Wunused-parameter\"
#pragma GCC diagnostic ignored \"-Wunused-function\"
#pragma GCC diagnostic ignored \"-Wpsabi\"
#pragma GCC diagnostic ignored \"-Wtautological-compare\"
#ifndef __clang__
#pragma GCC diagnostic ignored \"-Wmaybe-uninitialized\"
#endif
";

/// What the host calls: arguments and results in slots, failures come back as a code.
fn entry(k: usize, func: &Func, name: &str) -> String {
    let mut arguments = vec!["ctx".to_string()];
    for (i, var) in func.params.iter().enumerate() {
        arguments.push(from_slot(func.ty(*var), &format!("args[{i}]")));
    }
    let types: Vec<Type> = func.results.iter().map(|it| func.atom_type(*it)).collect();
    let mut body = String::new();
    if let [ty] = types.as_slice() {
        let _ =
            writeln!(body, "  results[0].{} = {name}({});", slot_field(*ty), arguments.join(", "));
    } else {
        for (i, ty) in types.iter().enumerate() {
            let _ = writeln!(body, "  {};", declare(*ty, &format!("r{i}")));
            arguments.push(format!("&r{i}"));
        }
        let _ = writeln!(body, "  {name}({});", arguments.join(", "));
        for (i, ty) in types.iter().enumerate() {
            let _ = writeln!(body, "  results[{i}].{} = r{i};", slot_field(*ty));
        }
    }
    format!(
        "static __attribute__((noinline)) void entry{k}(ct_ctx *ctx, const ct_slot *args, \
         ct_slot *results) {{\n{body}}}\n\
         int64_t ct_entry_{k}(ct_ctx *ctx, const ct_slot *args, ct_slot *results);\n\
         int64_t ct_entry_{k}(ct_ctx *ctx, const ct_slot *args, ct_slot *results) {{\n  \
         return ct_enter(ctx, entry{k}, args, results);\n}}\n"
    )
}

/// Letters, digits and underscores of a name; others become underscores. The number before it makes
/// it unique.
fn mangled(name: &str) -> String {
    name.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect()
}

// Note: what the printer decides
//
// What is fused, stored, chunked, cut into tasks, done by vectors and multiplied as matrices is in the loops
// already. Left to the printer is this; an optimisation that another back end would want too should become
// a pass on loops, as soon as loops have a word for what it makes.
//
// - What of a vector loop is a vector, what a scalar and what a count (`forms.rs`). An analysis; loops say
//   only which loop has lanes.
// - How many vectors a small body does in a row, and the accumulators of each (`lanes.rs`): the order of sums
//   is that of the number of lanes, which only the C compiler knows.
// - Loops that are short when literals are known are unrolled, and literals folded in them (`steps.rs`,
//   `fold.rs`): a copy of the body in loops would need names of its own for every copy, and other C.
// - Bodies of many `scale` are written twice, with plain products first (`loose.rs`). It asks what is a
//   vector, so it stands behind `forms.rs`.
// - Many constants in a row are a table (`table.rs`), a check of an index is one comparison (`block.rs`), and
//   small private arrays are on the stack of C (`look.rs`): about C, and its compiler.
// - Where a loop looks whether to stop (`steps.rs`), which part of the text a function is in (`parts.rs`), and
//   which of our C is pasted (`prelude.rs`, `needed.rs`): about C, and its compiler.
