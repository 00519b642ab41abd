//! E02xx: names of values and constructors.

use base::{Code, Diagnostic, Name, Span};
use syntax::ast::Ident;

use super::{did_you_mean, nearest};

/// What is wrong with a name.
#[derive(Clone, Debug)]
pub enum NameError {
    /// Nothing of this name is in scope.
    Unknown {
        /// The name.
        name: Name,
        /// Where it stands.
        span: Span,
        /// What may have been meant.
        instead: Option<Instead>,
    },
    /// `build i < n, j < i`: an index in the bound of another one.
    IndexInBound {
        /// The index.
        name: Name,
        /// Where the bound uses it.
        span: Span,
    },
    /// No `data` has such a constructor.
    UnknownConstructor {
        /// The name.
        name: Name,
        /// Where it stands.
        span: Span,
        /// The constructor that may have been meant.
        nearest: Option<Name>,
    },
    /// A parameter or `let` with a capital letter first, which no constructor is.
    CapitalVariable {
        /// The name.
        name: Name,
        /// Where it stands.
        span: Span,
    },
    /// Defined, declared or given a value twice.
    Duplicate {
        /// A definition, a type, a field, ...
        what: &'static str,
        /// The second one.
        second: Ident,
        /// Where the first one is.
        first: Span,
    },
    /// Two variables of one pattern or parameter list have the same name.
    BoundTwice {
        /// The name.
        name: Name,
        /// Where the second one is.
        second: Span,
        /// Where the first one is.
        first: Span,
    },
}

/// What to write instead of an unknown name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instead {
    /// A name that is known.
    Name(Name),
    /// Something like this expression.
    Like(&'static str),
    /// Something else altogether, said in a sentence.
    Advice(&'static str),
    /// `let rec` where the function is bound.
    Recursive,
}

impl NameError {
    /// A name that is not among the known ones.
    pub(crate) fn unknown<'a>(
        name: &Name,
        span: Span,
        known: impl Iterator<Item = &'a str>,
    ) -> NameError {
        let found = || nearest(name, known).map(Instead::Name);
        let instead = elsewhere(name).or_else(|| foreign(name)).or_else(found);
        NameError::Unknown { name: name.clone(), span, instead }
    }

    /// Says what to write, if it is a name that is not known.
    pub(crate) fn instead_of_unknown(&mut self, by: Instead) {
        if let NameError::Unknown { instead, .. } = self {
            *instead = Some(by);
        }
    }

    pub(super) fn diagnostic(&self) -> Diagnostic {
        match self {
            NameError::Unknown { name, span, instead } => {
                let res = Diagnostic::error(Code("E0201"), format!("unknown name `{name}`"))
                    .label(*span, "nothing of this name is in scope");
                match instead {
                    Some(Instead::Name(it)) => did_you_mean(res, Some(it)),
                    Some(Instead::Like(it)) => res.help(format!("did you mean `{it}`?")),
                    Some(Instead::Advice(advice)) => res.help(*advice),
                    Some(Instead::Recursive) => res.help(format!(
                        "a function that calls itself is bound by `let rec {name} = ...`"
                    )),
                    None => res,
                }
            }
            NameError::IndexInBound { name, span } => Diagnostic::error(
                Code("E0201"),
                format!("`{name}` is not known in this bound"),
            )
            .label(*span, format!("all rows have one size, which cannot depend on `{name}`"))
            .help(format!(
                "take the largest size, as in `build {name} < n, j < n => if j < {name} then ... else 0.0`"
            )),
            NameError::UnknownConstructor { name, span, nearest } => {
                let res = Diagnostic::error(Code("E0203"), format!("unknown constructor `{name}`"))
                    .label(*span, "no `data` declares it");
                did_you_mean(res, nearest.as_ref())
            }
            NameError::CapitalVariable { name, span } => {
                Diagnostic::error(Code("E0117"), "names start with a small letter")
                    .label(*span, "wrong first letter")
                    .help(format!("write `{}`", small(name)))
            }
            NameError::Duplicate { what, second, first } => Diagnostic::error(
                Code("E0205"),
                format!("the {what} `{}` is defined twice", second.name),
            )
            .label(second.span, "defined again here")
            .label(*first, "first defined here")
            .help("rename or remove one of them"),
            NameError::BoundTwice { name, second, first } => {
                Diagnostic::error(Code("E0206"), format!("`{name}` is bound twice"))
                    .label(*second, "bound again here")
                    .label(*first, "first bound here")
                    .help("give each variable of one pattern or parameter list its own name")
            }
        }
    }
}

/// The name with a small letter first.
fn small(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|it| it.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

/// What is called so in other languages, and otherwise here.
fn foreign(name: &str) -> Option<Instead> {
    let here = match name {
        "len" | "size" => "length",
        "ln" => "log",
        "fabs" => "abs",
        "zeros" => return Some(Instead::Like("replicate(n, 0.0)")),
        "ones" => return Some(Instead::Like("replicate(n, 1.0)")),
        "range" | "arange" => "iota",
        "reduce" => "fold",
        "float" => "real",
        "power" => "pow",
        "append" => "concat",
        "sqr" => "square",
        _ => return None,
    };
    Some(Instead::Name(Name::new(here)))
}

/// What to do instead of what other languages have under this name.
fn elsewhere(name: &str) -> Option<Instead> {
    let advice = match name {
        "print" | "println" | "printf" | "display" | "puts" => {
            "a program prints nothing but its result: make it part of `main`, as in `(x, y)`"
        }
        "random" | "rand" | "randn" | "randint" | "rng" | "normal" | "uniform" => {
            "random numbers are made of a key: `import std.random`, then `random.normal(random.key(1), 3)`"
        }
        "np" | "numpy" | "jnp" | "jax" | "torch" | "tf" | "math" => {
            "write the name alone, such as `sin(x)` or `sum(xs)`: builtins are in no module"
        }
        _ => return None,
    };
    Some(Instead::Advice(advice))
}
