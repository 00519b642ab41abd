//! E02xx: names.

use base::{Code, Diagnostic, Name, Span};
use syntax::ast::Ident;

use super::{Error, count, nearest};
use crate::declare::{BASIC, TypeTable};

impl Error {
    pub(crate) fn unknown_name<'a>(
        name: &Name,
        span: Span,
        known: impl Iterator<Item = &'a str>,
    ) -> Diagnostic {
        let res = Diagnostic::error(Code("E0201"), format!("unknown name `{name}`"))
            .label(span, "nothing of this name is in scope");
        let foreign = match name.as_str() {
            "len" | "size" => Some("length"),
            "ln" => Some("log"),
            "fabs" => Some("abs"),
            "zeros" => Some("replicate(n, 0.0)"),
            "ones" => Some("replicate(n, 1.0)"),
            "range" | "arange" => Some("iota"),
            "reduce" => Some("fold"),
            "float" => Some("real"),
            "power" => Some("pow"),
            "append" => Some("concat"),
            "sqr" => Some("square"),
            _ => None,
        };
        if let Some(advice) = elsewhere(name) {
            return res.help(advice);
        }
        match foreign.map(str::to_string).or_else(|| nearest(name, known)) {
            Some(it) => res.help(format!("did you mean `{it}`?")),
            None => res,
        }
    }

    /// `build i < n, j < i`.
    pub(crate) fn index_in_bound(name: &Name, span: Span) -> Diagnostic {
        Diagnostic::error(Code("E0201"), format!("`{name}` is not known in this bound"))
            .label(span, format!("all rows have one size, which cannot depend on `{name}`"))
            .help(format!(
                "take the largest size, as in `build {name} < n, j < n => if j < {name} then ... else 0.0`"
            ))
    }

    pub(crate) fn unknown_type(table: &TypeTable, name: &Ident) -> Diagnostic {
        let known = table.names.keys().map(|it| it.as_str()).chain(BASIC);
        let res = Diagnostic::error(Code("E0202"), format!("unknown type `{}`", name.name))
            .label(name.span, "no type of this name is declared");
        let foreign = match name.name.as_str() {
            "Float" | "Double" | "F64" | "Number" => Some("Real"),
            "Integer" | "I64" => Some("Int"),
            "Boolean" => Some("Bool"),
            "Str" | "Text" => Some("String"),
            _ => None,
        };
        match foreign.map(str::to_string).or_else(|| nearest(&name.name, known)) {
            Some(it) => res.help(format!("did you mean `{it}`?")),
            None => res,
        }
    }

    pub(crate) fn unknown_constructor<'a>(
        name: &Name,
        span: Span,
        known: impl Iterator<Item = &'a str>,
    ) -> Diagnostic {
        let res = Diagnostic::error(Code("E0203"), format!("unknown constructor `{name}`"))
            .label(span, "no `data` declares it");
        match nearest(name, known) {
            Some(it) => res.help(format!("did you mean `{it}`?")),
            None => res,
        }
    }

    /// A parameter or `let` of a name that no constructor has.
    pub(crate) fn capital_variable(name: &Name, span: Span) -> Diagnostic {
        let mut letters = name.chars();
        let first = letters.next().map(|it| it.to_ascii_lowercase());
        let suggestion: String = first.into_iter().chain(letters).collect();
        Diagnostic::error(Code("E0117"), "names start with a small letter")
            .label(span, "wrong first letter")
            .help(format!("write `{suggestion}`"))
    }

    pub(crate) fn unknown_field(field: &Ident, of: &str, known: &[Name]) -> Diagnostic {
        let res = Diagnostic::error(Code("E0204"), format!("no field `{}` in `{of}`", field.name))
            .label(field.span, "unknown field");
        match nearest(&field.name, known.iter().map(|it| it.as_str())) {
            Some(it) => res.help(format!("did you mean `{it}`?")),
            None if known.is_empty() => res,
            None => {
                let list: Vec<String> = known.iter().map(|it| format!("`{it}`")).collect();
                res.help(format!("its fields are {}", list.join(", ")))
            }
        }
    }

    pub(crate) fn duplicate(what: &str, second: &Ident, first: Span) -> Diagnostic {
        Diagnostic::error(Code("E0205"), format!("the {what} `{}` is defined twice", second.name))
            .label(second.span, "defined again here")
            .label(first, "first defined here")
            .help("rename or remove one of them")
    }

    pub(crate) fn basic_type_redefined(name: &Ident) -> Diagnostic {
        Diagnostic::error(Code("E0205"), format!("the type `{}` is built in", name.name))
            .label(name.span, "cannot be declared again")
            .help("choose another name")
    }

    pub(crate) fn bound_twice(name: &Name, second: Span, first: Span) -> Diagnostic {
        Diagnostic::error(Code("E0206"), format!("`{name}` is bound twice"))
            .label(second, "bound again here")
            .label(first, "first bound here")
            .help("give each variable of one pattern or parameter list its own name")
    }

    pub(crate) fn type_arguments(
        name: &Name,
        span: Span,
        wanted: usize,
        found: usize,
    ) -> Diagnostic {
        Diagnostic::error(Code("E0207"), "wrong number of type arguments")
            .label(span, format!("`{name}` takes {}, here are {found}", count(wanted, "argument")))
    }

    pub(crate) fn size_for_type(span: Span) -> Diagnostic {
        Diagnostic::error(Code("E0207"), "a size where a type is wanted")
            .label(span, "this is a size, a type is wanted here")
    }

    pub(crate) fn type_for_size(span: Span) -> Diagnostic {
        Diagnostic::error(Code("E0207"), "a type where a size is wanted")
            .label(span, "this is a type, a size is wanted here")
    }

    pub(crate) fn type_contains_itself(name: &Ident) -> Diagnostic {
        Diagnostic::error(Code("E0208"), format!("the type `{}` contains itself", name.name))
            .label(name.span, "a value of it would never end")
            .help("use `data` for recursive types: its constructors can stop the recursion")
    }

    pub(crate) fn not_a_parameter(name: &Name, span: Span) -> Diagnostic {
        Diagnostic::error(Code("E0209"), format!("`{name}` is not a parameter of this type"))
            .label(span, "not declared on the left side")
            .help(format!("add it after the name of the type: `<{name}>`"))
    }

    pub(crate) fn hole_in_declaration(span: Span) -> Diagnostic {
        Diagnostic::error(Code("E0209"), "a declaration cannot leave a part open")
            .label(span, "say what it is")
            .help("name it, and make it a parameter of the type")
    }
}

/// What to do instead of what other languages have under this name.
fn elsewhere(name: &str) -> Option<&'static str> {
    match name {
        "print" | "println" | "printf" | "display" | "puts" => {
            Some("a program prints nothing but its result: make it part of `main`, as in `(x, y)`")
        }
        "random" | "rand" | "randn" | "randint" | "rng" | "normal" | "uniform" => {
            Some("there is no randomness: pass random numbers in, as in `--arg noise=@noise.npy`")
        }
        "einsum" => Some(
            "write the sum by its indices: `build i < n, j < m => sum(build k < l => a[i, k] * b[k, j])`",
        ),
        "np" | "numpy" | "jnp" | "jax" | "torch" | "tf" | "math" => {
            Some("there are no modules: write the name alone, such as `sin(x)` or `sum(xs)`")
        }
        _ => None,
    }
}
