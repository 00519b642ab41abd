//! What the checker complains about, grouped by family. Each function makes one diagnostic.

mod custom;
mod dimensions;
mod names;
mod sizes;
mod types;

pub(crate) use types::Why;

/// The complaints of the checker.
pub(crate) struct Error;

/// `a`, `b` or `c`: the known name nearest to a misspelt one, if it is near enough.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    // Short names are near to every other short name: only their case may differ.
    let limit = match name.chars().count() {
        0..=2 => 0,
        n => (n / 3).max(1),
    };
    let distance = |it: &str| strsim::damerau_levenshtein(&name.to_lowercase(), &it.to_lowercase());
    // Of equally near ones the first is meant: what is in scope comes before what is built in.
    known
        .filter(|it| !it.starts_with("Prelude_"))
        .map(|it| (distance(it), it))
        .filter(|(distance, it)| *distance <= limit && *it != name)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, it)| it.to_string())
}

/// `1 argument`, `2 arguments`.
pub(crate) fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
