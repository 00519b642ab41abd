//! Drafts in two parts, so that two C compilers share the work: a user waits for them.
//!
//! With `-DCT_PART=0` or `-DCT_PART=1` the text has a part of the functions, which only the other part
//! knows; without, it has all of them.

use std::cmp::Reverse;

/// How many parts there are.
const PARTS: usize = 2;

/// What stands in front of functions that may be in another part than their callers.
pub(super) const FUNCTION: &str = "CT_FUNCTION";

/// What that is.
pub(super) const DEFINED: &str = "\
#ifdef CT_PART
#define CT_FUNCTION __attribute__((visibility(\"hidden\")))
#else
#define CT_FUNCTION static
#endif
";

/// Definitions in parts of about the same length: the longest first, each to the shortest part.
pub(super) fn cut(definitions: &[String]) -> String {
    let mut by_length: Vec<&String> = definitions.iter().collect();
    by_length.sort_by_key(|it| Reverse(it.len()));
    let mut parts = [const { String::new() }; PARTS];
    for it in by_length {
        if let Some(shortest) = parts.iter_mut().min_by_key(|it| it.len()) {
            shortest.push_str(it);
        }
    }
    let part = |(k, it): (usize, &String)| {
        format!("#if !defined(CT_PART) || CT_PART == {k}\n{it}#endif\n")
    };
    parts.iter().enumerate().map(part).collect()
}

/// How many parts a text has.
pub(crate) fn count(text: &str) -> usize {
    if text.contains(DEFINED) { PARTS } else { 1 }
}
