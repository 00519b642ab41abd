//! The C around a compiled entry point: a function with plain parameters, the header, the manifest.

use std::fmt::Write;

use emit::FLAGS_OF_C;
use eval::Precision;
use ir::{Size, Type, Var};
use serde_json::json;

use super::interface::{self, CArgument, CElement, CSize};
use super::{Kind, Skipped};

/// A C function.
pub(super) struct Wrapper {
    pub(super) name: String,
    /// The definition that it is about.
    pub(super) definition: String,
    pub(super) kind: Kind,
    /// Which parameters it is differentiated by.
    pub(super) by: Vec<bool>,
    /// What it computes, in words.
    pub(super) about: String,
    /// The definition and its type.
    pub(super) ty: String,
    /// The entry point `ct_entry_0`.
    pub(super) text: String,
    pub(super) arguments: Vec<Argument>,
    pub(super) results: Vec<Argument>,
    pub(super) precision: Precision,
}

/// A slot of the entry point.
pub(super) struct Argument {
    name: String,
    scalar: Scalar,
    /// The sizes of an array, in C.
    sizes: Option<Vec<String>>,
    /// The sizes of an array, as sums of terms.
    terms: Vec<CSize>,
    /// What does not hold if such an array cannot be, in C.
    limits: Vec<String>,
    role: Role,
}

/// What the C function has for a slot.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A size.
    Size,
    /// A number or an array, or the place for one.
    Value,
    /// The position of a constructor of a sum type, or the place for one.
    Tag,
    /// A size that is a parameter itself.
    Repeated,
    /// Nothing: nobody wants it.
    Dropped,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalar {
    Real,
    Int,
    Bool,
}

impl Argument {
    pub(super) fn new(name: &str, ty: &Type, role: Role, sizes: &[(Var, String)]) -> Argument {
        let (dimensions, inner) = ty.split_arrays();
        let scalar = match inner {
            Type::Int => Scalar::Int,
            Type::Bool => Scalar::Bool,
            Type::Real | Type::String | Type::Tuple(_) | Type::Array(..) => Scalar::Real,
            Type::Function(..) | Type::Var(_) | Type::Data(..) | Type::Dual(_) => Scalar::Real,
            Type::Delta | Type::Tape(_) => Scalar::Real,
        };
        let size = |it: &Size| in_c(it, sizes);
        let is_array = matches!(ty, Type::Array(..));
        let limits = limits(&dimensions, sizes);
        let terms = dimensions.iter().map(|it| terms(it, sizes)).collect();
        let sizes = is_array.then(|| dimensions.iter().map(size).collect());
        Argument { name: name.to_string(), scalar, sizes, terms, limits, role }
    }

    /// It for callers.
    pub(super) fn interface(&self, precision: Precision) -> CArgument {
        let element = match self.scalar {
            Scalar::Real => interface::real(precision),
            Scalar::Int => CElement::Int,
            Scalar::Bool => CElement::Bool,
        };
        let sizes = self.sizes.is_some().then(|| self.terms.clone());
        CArgument { name: self.name.clone(), element, sizes, is_size: self.role == Role::Size }
    }

    pub(super) fn is_there(&self) -> bool {
        matches!(self.role, Role::Size | Role::Value | Role::Tag)
    }

    /// As a parameter that is read.
    fn taken(&self, precision: Precision) -> String {
        let ty = self.scalar.c_type(precision);
        match self.sizes {
            Some(_) => format!("const {} *{}", self.element(precision), self.name),
            None => format!("{ty} {}", self.name),
        }
    }

    /// As a parameter that is written to.
    fn given(&self, precision: Precision) -> String {
        format!("{} *{}", self.element(precision), self.name)
    }

    fn element(&self, precision: Precision) -> &'static str {
        match (self.scalar, &self.sizes) {
            (Scalar::Bool, Some(_)) => "uint8_t",
            (scalar, _) => scalar.c_type(precision),
        }
    }

    fn slot(&self) -> String {
        let field = match (&self.sizes, self.scalar) {
            (Some(sizes), _) => {
                // What is read of an array without elements is thrown away.
                let (name, len) = (&self.name, product(sizes));
                return format!(
                    "{{.p = (void *)(uintptr_t)({len} > 0 ? (const void *){name} : ct_nothing)}}"
                );
            }
            (None, Scalar::Real) => "d",
            (None, Scalar::Int | Scalar::Bool) => "i",
        };
        format!("{{.{field} = {}}}", self.name)
    }

    /// Copies a result out.
    fn copied(&self, at: usize, precision: Precision) -> String {
        let ty = self.element(precision);
        match (&self.sizes, self.scalar) {
            (Some(sizes), _) => {
                let len = product(sizes);
                format!(
                    "  if ({len} > 0) memcpy({}, ct_results[{at}].p, (size_t)({len}) * sizeof({ty}));\n",
                    self.name
                )
            }
            (None, Scalar::Real) => format!("  *{} = ({ty})ct_results[{at}].d;\n", self.name),
            (None, Scalar::Int) => format!("  *{} = ct_results[{at}].i;\n", self.name),
            (None, Scalar::Bool) => format!("  *{} = ct_results[{at}].i != 0;\n", self.name),
        }
    }

    fn described(&self, precision: Precision) -> serde_json::Value {
        let role = match self.role {
            Role::Size => "size",
            Role::Tag => "tag",
            Role::Value | Role::Repeated | Role::Dropped => "value",
        };
        json!({ "name": self.name, "type": self.element(precision), "role": role, "sizes": self.sizes })
    }
}

impl Scalar {
    fn c_type(self, precision: Precision) -> &'static str {
        match (self, precision) {
            (Scalar::Real, Precision::F64) => "double",
            (Scalar::Real, Precision::F32) => "float",
            (Scalar::Int, _) => "int64_t",
            (Scalar::Bool, _) => "int",
        }
    }
}

impl Wrapper {
    fn head(&self) -> String {
        let precision = self.precision;
        let taken = self.arguments.iter().filter(|it| it.is_there()).map(|it| it.taken(precision));
        let given = self.results.iter().filter(|it| it.is_there()).map(|it| it.given(precision));
        let ends = ["void *workspace", "size_t workspace_bytes"].map(str::to_string);
        let params: Vec<String> = taken.chain(given).chain(ends).collect();
        format!("int {}({})", self.name, params.join(", "))
    }

    /// The whole source.
    pub(super) fn source(&self, header: &str) -> String {
        let entry = "int64_t ct_entry_0(";
        let text = self.text.replace(&format!("\n{entry}"), &format!("\nstatic {entry}"));
        let need = "const int64_t ct_stack_need";
        let text = text.replace(&format!("\nextern {need};"), "");
        let text = text.replace(&format!("\n{need}"), &format!("\nstatic CT_UNUSED {need}"));
        let slots: Vec<String> = self.arguments.iter().map(Argument::slot).collect();
        let slots = if slots.is_empty() { "{.i = 0}".to_string() } else { slots.join(", ") };
        let n_results = self.results.len().max(1);
        let results = self.results.iter().enumerate().filter(|it| it.1.is_there());
        let mut limits: Vec<&str> =
            self.arguments.iter().flat_map(|it| it.limits.iter().map(String::as_str)).collect();
        limits.sort_unstable();
        limits.dedup();
        let limits = match limits.is_empty() {
            true => String::new(),
            false => format!("if (!({})) return COTAN_FAULT;\n  ", limits.join(" && ")),
        };
        let copies: String = results.map(|(at, it)| it.copied(at, self.precision)).collect();
        let Wrapper { about, ty, .. } = self;
        format!(
            "// Made by Cotan: {about}, where {ty}.\n\
             // Compile with {flags}, and link with -lm.\n\
             #include \"{header}\"\n\n\
             {text}\n\
             #ifndef COTAN_STACK_BYTES\n\
             #define COTAN_STACK_BYTES (512 * 1024 + CT_STACK_BYTES)\n\
             #endif\n\n\
             {head} {{\n  \
             {limits}const uintptr_t ct_start = ((uintptr_t)workspace + 63) & ~(uintptr_t)63;\n  \
             const uintptr_t ct_end = (uintptr_t)workspace + workspace_bytes;\n  \
             ct_ctx ct_context;\n  \
             memset(&ct_context, 0, sizeof ct_context);\n  \
             ct_context.top = (char *)ct_start;\n  \
             ct_context.end = (char *)(ct_end < ct_start ? ct_start : ct_end);\n  \
             ct_context.stack_low = (char *)((uintptr_t)__builtin_frame_address(0) - COTAN_STACK_BYTES);\n  \
             static const double ct_nothing[16];\n  \
             (void)ct_nothing;\n  \
             const ct_slot ct_args[] = {{{slots}}};\n  \
             ct_slot ct_results[{n_results}];\n  \
             switch (ct_entry_0(&ct_context, ct_args, ct_results)) {{\n  \
             case 0: break;\n  \
             case CT_MEMORY: return COTAN_WORKSPACE;\n  \
             case CT_RECURSION: return COTAN_RECURSION;\n  \
             default: return COTAN_FAULT;\n  \
             }}\n\
             {copies}  return COTAN_OK;\n}}\n",
            flags = flags(),
            head = self.head(),
        )
    }

    fn described(&self) -> serde_json::Value {
        let there = |all: &[Argument]| -> Vec<serde_json::Value> {
            all.iter().filter(|it| it.is_there()).map(|it| it.described(self.precision)).collect()
        };
        json!({
            "name": self.name,
            "about": self.about,
            "definition": self.ty,
            "source": format!("{}.c", self.name),
            "arguments": there(&self.arguments),
            "results": there(&self.results),
        })
    }
}

/// Flags that the meaning or the speed of the sources depends on.
pub(super) fn flags() -> String {
    let ours =
        FLAGS_OF_C.iter().filter(|it| !matches!(**it, "-fPIC" | "-shared" | "-fno-sanitize=all"));
    ours.copied().collect::<Vec<&str>>().join(" ")
}

/// What the header says of sum types, if there are any.
const ABOUT_SUMS: &str = "//
// A value of a sum type is a tag, which counts constructors from 0, and the fields of all of them.
// Those of other constructors than the tag's are not looked at, but are there, and 0 in results.
// A tag that no constructor has counts as the last.
";

/// The header of all functions.
pub(super) fn header(stem: &str, made: &[Wrapper]) -> String {
    let guard = format!("{}_H", stem.to_uppercase());
    let mut slots = made.iter().flat_map(|it| it.arguments.iter().chain(&it.results));
    let sums = match slots.any(|it| it.role == Role::Tag) {
        true => ABOUT_SUMS,
        false => "",
    };
    let mut res = format!(
        "// Made by Cotan.\n\
         //\n\
         // All buffers are of the caller, results too. Arrays are contiguous, outermost index first.\n\
         // Every function gives 0, or says why it wrote nothing. What it needs in between is taken from\n\
         // `workspace`: if that is too small, call again with a larger one. It may be used for the next\n\
         // call; calls at the same time need one each.\n\
         {sums}\
         #ifndef {guard}\n#define {guard}\n\n\
         #include <stddef.h>\n#include <stdint.h>\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
         #ifndef COTAN_STATUS\n#define COTAN_STATUS\n\
         enum cotan_status {{\n  \
         COTAN_OK = 0,\n  \
         COTAN_WORKSPACE = 1,  // the workspace is too small\n  \
         COTAN_RECURSION = 2,  // the recursion is too deep\n  \
         COTAN_FAULT = 3       // an index out of bounds, a division by zero and the like\n}};\n#endif\n"
    );
    for wrapper in made {
        let _ = write!(res, "\n// {}, where {}\n{};\n", wrapper.about, wrapper.ty, wrapper.head());
    }
    res + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
}

/// What there is, for programs.
pub(super) fn manifest(stem: &str, made: &[Wrapper], skipped: &[Skipped]) -> String {
    let functions: Vec<serde_json::Value> = made.iter().map(Wrapper::described).collect();
    let skipped: Vec<serde_json::Value> =
        skipped.iter().map(|it| json!({ "name": it.name, "reason": it.reason })).collect();
    let manifest = json!({
        "cotan": env!("CARGO_PKG_VERSION"),
        "header": format!("{stem}.h"),
        "flags": flags(),
        "functions": functions,
        "skipped": skipped,
    });
    let text = serde_json::to_string_pretty(&manifest).expect("strings and lists become JSON");
    format!("{text}\n")
}

fn product(sizes: &[String]) -> String {
    let factors: Vec<String> = sizes.iter().map(|it| format!("({it})")).collect();
    factors.join(" * ")
}

/// What does not hold if an array of these sizes cannot be: its sizes and the number of its elements are
/// not negative, do not wrap, and are not beyond what machines hold.
fn limits(dimensions: &[Size], names: &[(Var, String)]) -> Vec<String> {
    let most = ir::MOST_ELEMENTS;
    let count = dimensions.iter().fold(Size::constant(1), |product, it| product.mul(it));
    let vars = count.vars();
    let known = names.iter().filter(|it| vars.contains(&it.0));
    let mut res: Vec<String> =
        known.map(|(_, name)| format!("({name} >= 0 && {name} <= {most})")).collect();
    for size in dimensions.iter().chain([&count]).filter(|it| it.terms().any(|it| it.0.len() > 1)) {
        let reals: Vec<(Var, String)> =
            names.iter().map(|(var, name)| (*var, format!("(double){name}"))).collect();
        res.push(format!("{} <= {most}.0", in_c(size, &reals)));
    }
    let polynomials = dimensions.iter().filter(|it| it.as_var().is_none());
    let polynomials = polynomials.filter(|it| it.as_constant().is_none());
    res.extend(polynomials.map(|it| format!("{} >= 0", in_c(it, names))));
    res
}

/// A size as a sum of terms.
fn terms(size: &Size, names: &[(Var, String)]) -> CSize {
    let name = |var: &Var| names.iter().find(|it| it.0 == *var).map_or("0", |it| &it.1).to_string();
    size.terms().map(|(vars, factor)| (factor, vars.iter().map(name).collect())).collect()
}

/// A size as C.
fn in_c(size: &Size, names: &[(Var, String)]) -> String {
    let term = |(coefficient, vars): (i64, Vec<String>)| {
        let number = (coefficient != 1 || vars.is_empty()).then(|| coefficient.to_string());
        number.into_iter().chain(vars).collect::<Vec<String>>().join(" * ")
    };
    let terms: Vec<String> = terms(size, names).into_iter().map(term).collect();
    if terms.is_empty() { "0".to_string() } else { terms.join(" + ") }
}
