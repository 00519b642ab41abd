//! A program of loops as C.
//!
//! Every function becomes a static C function, every entry point `ct_entry_<k>`. Before them stands
//! the part of `c/*.h` that is needed. The text is meant to be read: one statement a line, variables
//! `x12` as in the text of the loops, functions called after their definitions.
//!
//! Ints wrap around by unsigned arithmetic in the text; no compiler flag is needed for that. Needed
//! is `-ffp-contract=off`: no product and sum may become one rounding by itself.

mod atoms;
mod block;
mod chunks;
mod fold;
mod forms;
mod kernels;
mod lanes;
mod look;
mod loose;
mod needed;
mod pairs;
pub(crate) mod parts;
mod places;
mod prelude;
mod prims;
mod steps;
mod sums;
mod table;

pub use crate::tuning::LONG;
pub use parts::{Cut, how_cut};

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use forms::Forms;
use loops::{Atom, Func, How, Module, Scalar, Type, Value, Var};
use pairs::Pairs;

use crate::tuning::DRAFT;

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
    /// Whether a short text counts more than fast code, and a run of many steps ends in
    /// [`Failed::Long`](crate::Failed::Long).
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
            (format!("#define CT_DRAFT {DRAFT}\n{}", parts::DEFINED), code)
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

/// Prints one function.
struct Printer<'a> {
    module: &'a Module,
    func: &'a Func,
    names: &'a [String],
    options: EmitOptions,
    /// Sections of our C that it needs.
    needs: BTreeSet<&'static str>,
    /// Functions on reals that it needs: `exp` of vectors, `exp1` of scalars.
    functions: BTreeSet<String>,
    /// Functions that were cut out of it.
    tasks: String,
    /// For names that are no variables.
    next_name: u32,
    text: String,
    depth: usize,
    /// Variables that stand for a literal here: those of loops that are written out, and what follows.
    known: Vec<Option<Atom>>,
    /// Of variables of loops: how many steps there are.
    counts: BTreeMap<Var, Atom>,
    /// How many elements the chunk around has.
    chunk: Option<Atom>,
    /// Comparisons, and what they are parts of.
    bounds: BTreeMap<Var, Value>,
    /// Products that are part of a sum.
    fused: BTreeSet<Var>,
    /// Functions that are computed together.
    pairs: Pairs,
    /// Arrays with an element for each lane.
    lanes: Vec<Option<How>>,
    /// Arrays that may be on the stack of C: no other variable refers to them.
    private: BTreeSet<Var>,
    /// What is a vector here.
    forms: Forms,
    /// How many lanes count, in a vector loop.
    live: Option<String>,
    /// Whether products that are 0 if a factor is are plain products now, of scalars or of vectors.
    plain_scale: Option<prims::Width>,
}

impl<'a> Printer<'a> {
    fn new(
        module: &'a Module,
        func: &'a Func,
        names: &'a [String],
        options: EmitOptions,
    ) -> Printer<'a> {
        Printer {
            module,
            func,
            names,
            options,
            needs: BTreeSet::new(),
            functions: BTreeSet::new(),
            tasks: String::new(),
            next_name: 0,
            text: String::new(),
            depth: 0,
            known: vec![None; func.vars.len()],
            counts: BTreeMap::new(),
            chunk: None,
            bounds: look::bounds(func),
            fused: BTreeSet::new(),
            pairs: Pairs::new(func),
            lanes: vec![None; func.vars.len()],
            private: look::private_arrays(func),
            forms: Forms::none(func),
            live: None,
            plain_scale: None,
        }
    }

    fn function(&mut self, name: &str) -> String {
        self.line(&format!("// {}", self.func.name));
        self.line(&format!("{} {{", self.head(name)));
        self.depth += 1;
        if self.func.recursive {
            let number = self.names.iter().position(|it| it == name).unwrap_or(0);
            self.line(&format!("ct_check_stack(ctx, {number});"));
        }
        self.block(&self.func.body);
        if let [result] = self.func.results.as_slice() {
            let result = self.atom(*result);
            self.line(&format!("return {result};"));
        } else {
            for (k, result) in self.func.results.iter().enumerate() {
                let result = self.atom(*result);
                self.line(&format!("*r{k} = {result};"));
            }
        }
        self.depth -= 1;
        self.line("}\n");
        std::mem::take(&mut self.text)
    }

    /// The head of the function: one result is returned, several go through pointers.
    fn head(&self, name: &str) -> String {
        let func = self.func;
        let results: Vec<Type> = func.results.iter().map(|it| func.atom_type(*it)).collect();
        let mut parameters = vec!["ct_ctx *ctx".to_string()];
        parameters.extend(func.params.iter().map(|it| declare(func.ty(*it), &variable(*it))));
        let start = if let [result] = results.as_slice() {
            declare(*result, name)
        } else {
            parameters
                .extend(results.iter().enumerate().map(|(k, ty)| declare(*ty, &format!("*r{k}"))));
            format!("void {name}")
        };
        let of = if self.options.draft { parts::FUNCTION } else { "static" };
        format!("{of} {start}({})", parameters.join(", "))
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn open(&mut self, text: &str) {
        self.line(text);
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.next_name += 1;
        format!("{stem}{}", self.next_name)
    }
}

/// The C type of a scalar.
fn scalar_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Real => "real",
        Scalar::Int => "int64_t",
        Scalar::Bool => "_Bool",
        Scalar::Box => "ct_slot *",
    }
}

/// The C type of an element in memory.
fn element_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Real => "real",
        Scalar::Int => "int64_t",
        Scalar::Bool => "uint8_t",
        Scalar::Box => "ct_slot *",
    }
}

/// The declaration of a name.
fn declare(ty: Type, name: &str) -> String {
    match ty {
        Type::Scalar(it) => format!("{} {name}", scalar_type(it)),
        Type::Array(it) => format!("{} *{name}", element_type(it)),
    }
}

fn variable(var: Var) -> String {
    format!("x{}", var.0)
}

fn from_slot(ty: Type, slot: &str) -> String {
    match ty {
        Type::Scalar(Scalar::Real) => format!("(real){slot}.d"),
        Type::Scalar(Scalar::Int) => format!("{slot}.i"),
        Type::Scalar(Scalar::Bool) => format!("{slot}.i != 0"),
        Type::Scalar(Scalar::Box) | Type::Array(_) => format!("{slot}.p"),
    }
}

fn slot_field(ty: Type) -> &'static str {
    match ty {
        Type::Scalar(Scalar::Real) => "d",
        Type::Scalar(Scalar::Int | Scalar::Bool) => "i",
        Type::Scalar(Scalar::Box) | Type::Array(_) => "p",
    }
}

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
