//! What can go wrong between the compiler and the world: files, arguments, results.
//! E062x is about arguments, E063x about files and about what is asked of a program.

use base::{Code, Diagnostic, Span};

use crate::data::Mismatch;
use crate::read::Misfit;
use crate::sizes::Clash;

/// An argument for a parameter that is not there.
pub(crate) const UNKNOWN_ARGUMENT: Code = Code("E0620");
/// A parameter got no argument.
pub(crate) const MISSING_ARGUMENT: Code = Code("E0621");
/// The data does not fit the type of the parameter.
pub(crate) const WRONG_ARGUMENT: Code = Code("E0622");
/// Two arguments disagree about a size.
pub(crate) const SIZES_DISAGREE: Code = Code("E0623");
/// The data is not JSON, or not a `.npy` file.
pub(crate) const MALFORMED_ARGUMENT: Code = Code("E0624");
/// A file cannot be read or written.
pub(crate) const FILE: Code = Code("E0630");
/// A source file is no text.
pub(crate) const NOT_UTF8: Code = Code("E0631");
/// There is no definition of that name.
pub(crate) const NO_DEFINITION: Code = Code("E0632");
/// The result has no printed form.
pub(crate) const FUNCTION_RESULT: Code = Code("E0633");
/// A test came out false.
pub(crate) const TEST_FAILED: Code = Code("E0634");
/// Method `bulk` does not accept the program.
pub(crate) const NOT_ACCEPTED: Code = Code("E0635");
/// The result has no form in the files that were asked for.
pub(crate) const NO_FORM: Code = Code("E0639");
/// A plot is not made of layers, or a layer cannot draw its numbers.
pub(crate) const NO_PLOT: Code = Code("E0640");
/// A back end that compiles cannot run the program.
pub(crate) const NOT_COMPILED: Code = Code("E0637");
pub(crate) const NO_MATRIX: Code = Code("E0638");

pub(crate) fn unreadable(path: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(FILE, format!("cannot read `{path}`: {reason}"))
}

pub(crate) fn unwritable(path: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(FILE, format!("cannot write `{path}`: {reason}"))
}

pub(crate) fn not_utf8(span: Span, byte: Option<u8>) -> Diagnostic {
    let byte = byte.map_or(String::new(), |it| format!("the byte {it:#04x} "));
    Diagnostic::error(NOT_UTF8, "this file is not UTF-8 text")
        .label(span, format!("{byte}cannot stand here"))
        .help("save the file as UTF-8")
}

pub(crate) fn unknown_argument(name: &str, near: Option<String>, known: &[&str]) -> Diagnostic {
    let res = Diagnostic::error(UNKNOWN_ARGUMENT, format!("there is no parameter `{name}`"));
    match (near, known) {
        (Some(near), _) => res.help(format!("did you mean `{near}`?")),
        (None, []) => res.help("leave the argument out: there are no parameters"),
        (None, known) => res.help(format!("the parameters are `{}`", known.join("`, `"))),
    }
}

/// A parameter that nothing can be differentiated by.
pub(crate) fn no_reals(name: &str, known: &[&str]) -> Diagnostic {
    let res = Diagnostic::error(UNKNOWN_ARGUMENT, format!("the parameter `{name}` has no reals"));
    match known {
        [] => res.help("leave the names out: no parameter has reals"),
        known => res.help(format!("differentiate by one of `{}`", known.join("`, `"))),
    }
}

/// A matrix whose rows or columns would be those of a sum type.
pub(crate) fn no_matrix(what: &str) -> Diagnostic {
    Diagnostic::error(NO_MATRIX, format!("no sparse matrix: {what} is not made of numbers alone"))
        .help("take reals, arrays, tuples and records; a dense Jacobian is also by sum types")
}

/// A derivative of something that has nothing to differentiate by.
pub(crate) fn nothing_to_differentiate_by(text: &str) -> Diagnostic {
    let title = "there is no parameter to differentiate by";
    Diagnostic::error(UNKNOWN_ARGUMENT, title)
        .help(format!("give `{text}` a parameter, or write a function: \\x => ..."))
}

pub(crate) fn argument_twice(name: &str) -> Diagnostic {
    Diagnostic::error(UNKNOWN_ARGUMENT, format!("the argument `{name}` is given twice"))
        .help("give each argument once")
}

pub(crate) fn too_many_arguments(given: usize, wanted: usize) -> Diagnostic {
    let (given, wanted) = (counted(given, "argument"), counted(wanted, "parameter"));
    Diagnostic::error(UNKNOWN_ARGUMENT, format!("{given} for {wanted}"))
        .help(format!("leave out what is behind {wanted}"))
}

/// `2 arguments`
fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// A parameter by a number that it does not have.
pub(crate) fn no_parameter(at: usize, known: &[&str]) -> Diagnostic {
    let res = Diagnostic::error(UNKNOWN_ARGUMENT, format!("there is no parameter number {at}"));
    match known {
        [] => res.help("there are no parameters"),
        known => res.help(format!("the parameters, from number 0, are `{}`", known.join("`, `"))),
    }
}

/// What no definition has rows of.
pub(crate) fn no_rows(over: &str) -> Diagnostic {
    let title = format!("no definition has an array `{over}` as a parameter");
    Diagnostic::error(UNKNOWN_ARGUMENT, title)
        .help("name a parameter such as `x`, or that of one definition, `loss.x`")
}

/// Memory of the caller that a result does not fit into.
pub(crate) fn wrong_room(what: &str, found: &str) -> Diagnostic {
    Diagnostic::error(WRONG_ARGUMENT, "the result does not fit where it is to be written")
        .help(format!("give {what} instead of {found}"))
}

pub(crate) fn missing_argument(name: &str, ty: &str) -> Diagnostic {
    Diagnostic::error(MISSING_ARGUMENT, format!("the parameter `{name}` got no value"))
        .help(format!("give it one of type `{ty}`"))
}

/// A parameter that is a pattern cannot be given by name.
pub(crate) fn nameless_parameter(position: usize, ty: &str) -> Diagnostic {
    let title = format!("parameter {position} is a pattern and has no name to give a value to");
    Diagnostic::error(MISSING_ARGUMENT, title)
        .help(format!("write the call as an expression, with a `{ty}`"))
}

pub(crate) fn wrong_argument(name: &str, ty: &str, misfit: &Misfit) -> Diagnostic {
    let place = format!("{name}{}", misfit.path);
    Diagnostic::error(WRONG_ARGUMENT, format!("the argument `{name}` is no `{ty}`"))
        .help(format!("at `{place}`, give {} instead of {}", misfit.expected, misfit.found))
}

/// An answer that is not what a Rust type is made of.
pub(crate) fn wrong_answer(ty: &str, mismatch: &Mismatch) -> Diagnostic {
    let Mismatch { path, expected, found } = mismatch;
    let place = if path.is_empty() { String::new() } else { format!(" at `{path}`") };
    Diagnostic::error(WRONG_ARGUMENT, format!("the result is no `{ty}`"))
        .help(format!("ask for another type:{place} {expected} was expected, and {found} is there"))
}

/// Data that only a type could make sense of, for a parameter that may be anything.
pub(crate) fn shapeless_argument(name: &str) -> Diagnostic {
    Diagnostic::error(WRONG_ARGUMENT, format!("nothing says what type `{name}` has"))
        .help(format!("use `{name}` where its type is known, or give it a type in the program"))
}

pub(crate) fn sizes_disagree(clash: &Clash) -> Diagnostic {
    let Clash { place, actual, size, wanted, because, too_large, undecided } = clash;
    if *too_large {
        let reasons = match because.is_empty() {
            true => format!("`{place}` says {actual}"),
            false => because.join(" and "),
        };
        let help = format!("give smaller sizes: {size} is more than 2^56, {reasons}");
        return Diagnostic::error(eval::Fault::TooLarge.code(), eval::Fault::TooLarge.title())
            .help(help);
    }
    let title = format!("`{place}` has {actual} elements instead of {size}");
    let res = Diagnostic::error(SIZES_DISAGREE, title);
    match wanted {
        Some(wanted) if because.is_empty() => res.help(format!("give it {wanted} elements")),
        Some(wanted) => res.help(format!("give it {wanted} elements, {}", because.join(" and "))),
        None if *undecided => res.help(format!(
            "add a parameter whose type tells the sizes apart: {actual} may be {size} in several ways"
        )),
        None => res.help(format!("give it a number of elements that {size} can be")),
    }
}

pub(crate) fn malformed_argument(name: &str, origin: &str, why: &str) -> Diagnostic {
    Diagnostic::error(MALFORMED_ARGUMENT, format!("cannot read the argument `{name}`"))
        .help(format!("correct {origin}: {why}"))
}

/// A column or an array that a file does not have.
pub(crate) fn not_in_file(path: &str, what: &str, asked: &str, known: &[String]) -> Diagnostic {
    let res = Diagnostic::error(MALFORMED_ARGUMENT, format!("`{path}` has no {what}"));
    let names = known.iter().map(String::as_str);
    // `Height` for `height` is further than a letter or two, and still meant.
    let same = names.clone().find(|it| it.eq_ignore_ascii_case(asked)).map(str::to_owned);
    match (same.or_else(|| nearest(asked, names)), known) {
        (Some(near), _) => res.help(format!("did you mean `{near}`?")),
        (None, []) => res.help("give another file: it is empty"),
        (None, known) => res.help(format!("ask for one of `{}`", known.join("`, `"))),
    }
}

/// Data that would take more memory than a program may.
pub(crate) fn too_large_argument(name: &str, path: &str, why: &str) -> Diagnostic {
    Diagnostic::error(MALFORMED_ARGUMENT, format!("cannot read the argument `{name}`"))
        .help(format!("raise the memory limit, or give less than `{path}`: {why}"))
}

/// Something that cannot be drawn.
pub(crate) fn no_plot(why: &str, span: Option<Span>, help: &str) -> Diagnostic {
    let res = Diagnostic::error(NO_PLOT, "this cannot be drawn").help(help);
    match span {
        Some(span) => res.label(span, why),
        None => res.help(why),
    }
}

/// A result that a format of files has no form for.
pub(crate) fn no_form(ending: &str, why: &str, instead: &str) -> Diagnostic {
    Diagnostic::error(NO_FORM, format!("a `.{ending}` file cannot hold this result"))
        .help(format!("{instead}: {why}"))
}

pub(crate) fn no_definition(name: &str, near: Option<String>) -> Diagnostic {
    let res = Diagnostic::error(NO_DEFINITION, format!("there is no definition `{name}`"));
    match near {
        Some(near) => res.help(format!("did you mean `{near}`?")),
        None if name == "main" => res.help("write one: def main = ..."),
        None => res,
    }
}

pub(crate) fn function_result(span: Span, ty: &str) -> Diagnostic {
    Diagnostic::error(FUNCTION_RESULT, "the result is a function and cannot be printed")
        .label(span, format!("this is of type `{ty}`"))
        .help("apply it to arguments")
}

/// A test that came out false; `sides` are the two values of a comparison.
pub(crate) fn test_failed(
    name: &str,
    span: Span,
    sides: Option<[(Span, String); 2]>,
) -> Diagnostic {
    let res = Diagnostic::error(TEST_FAILED, format!("test \"{name}\" failed"));
    match sides {
        None => res.label(span, "this is false"),
        Some([(left_span, left), (right_span, right)]) => res
            .label(left_span, format!("this is {left}"))
            .label(right_span, format!("this is {right}")),
    }
}

/// A method was asked for, and something is in its way.
pub(crate) fn not_accepted(method: &str, span: Span, reason: &str) -> Diagnostic {
    let title = format!("the method `{method}` does not differentiate this program");
    Diagnostic::error(NOT_ACCEPTED, title).label(span, reason).help(
        "use the method `tape`, which accepts every program, or the method `auto`, which chooses",
    )
}

/// A back end was asked for, and something is in its way.
pub(crate) fn not_compiled(name: &str, span: Span, reason: &str, help: &str) -> Diagnostic {
    Diagnostic::error(NOT_COMPILED, format!("the back end `{name}` cannot run this program"))
        .label(span, reason)
        .help(help)
}

/// The known name nearest to a misspelt one, if it is near enough.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let limit = (name.chars().count() / 3).max(1);
    known
        .map(|it| (strsim::damerau_levenshtein(name, it), it))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, it)| it.to_string())
}
