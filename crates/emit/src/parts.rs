//! Texts in parts. Drafts have two, so that two C compilers share the work: a user waits for them. Fast
//! code has one, since it is inlined across functions, unless it is long: the time that compilers take
//! grows faster than the text does, so then it has as many as keep each of them short.
//!
//! With `-DCT_PART=0`, `-DCT_PART=1` and so on the text has a part of the functions, which only the other
//! parts know; without, it has all of them.

use std::cmp::Reverse;

use crate::tuning::{LONG, PART, PARTS_OF_DRAFT};

/// What stands in front of functions that may be in another part than their callers.
pub(crate) const FUNCTION: &str = "CT_FUNCTION";

/// What that is.
pub(crate) const DEFINED: &str = "\
#ifdef CT_PART
#define CT_FUNCTION __attribute__((visibility(\"hidden\")))
#else
#define CT_FUNCTION static
#endif
";

/// How many parts fast code of these definitions has.
pub(crate) fn of_fast_code(definitions: &[String]) -> usize {
    let lines: usize = definitions.iter().map(|it| it.lines().count()).sum();
    if lines <= LONG { 1 } else { lines.div_ceil(PART).min(definitions.len()) }
}

/// Lets functions be known to other parts: those that have a head of their own.
pub(crate) fn make_known(heads: &mut String, definitions: &mut [String]) {
    let mut known = String::new();
    for (head, definition) in heads.lines().zip(definitions) {
        let own = head.trim_end_matches(';');
        let new = own.replacen("static", FUNCTION, 1);
        *definition = definition.replacen(&format!("{own} {{"), &format!("{new} {{"), 1);
        known += &format!("{new};\n");
    }
    *heads = known;
}

/// How many parts a draft has.
pub(crate) fn of_draft() -> usize {
    PARTS_OF_DRAFT
}

/// Definitions in so many parts of about the same length: the longest first, each to the shortest part.
pub(crate) fn cut(definitions: &[String], n_parts: usize) -> String {
    let mut by_length: Vec<&String> = definitions.iter().collect();
    by_length.sort_by_key(|it| Reverse(it.len()));
    let mut parts = vec![String::new(); n_parts];
    for it in by_length {
        if let Some(shortest) = parts.iter_mut().min_by_key(|it| it.len()) {
            shortest.push_str(it);
        }
    }
    let part = |(k, it): (usize, &String)| format!("{START}{k}\n{it}#endif\n");
    parts.iter().enumerate().map(part).collect()
}

/// The line before a part, up to its number.
const START: &str = "#if !defined(CT_PART) || CT_PART == ";

/// How many parts a text has.
pub fn n_parts(text: &str) -> usize {
    if text.contains(DEFINED) { text.lines().filter(|it| it.starts_with(START)).count() } else { 1 }
}

/// How a text is cut.
pub struct Cut {
    /// The lines of its functions.
    pub lines: usize,
    /// The parts that are compiled by themselves.
    pub parts: usize,
    /// The lines of the longest function, which is never cut.
    pub longest: usize,
}

/// How a text is cut.
pub fn how_cut(text: &str) -> Cut {
    // A function begins at the left, and ends with a brace there. Those of our C are inlined.
    const OWN: [&str; 5] = [" ", "#", "}", "CT_INLINE", "CT_COLD"];
    let (mut lines, mut longest, mut begun) = (0, 0, None);
    for (at, line) in text.lines().enumerate() {
        if line.ends_with('{') && !OWN.iter().any(|it| line.starts_with(it)) {
            begun = Some(at);
        } else if line == "}"
            && let Some(begun) = begun.take()
        {
            lines += at - begun + 1;
            longest = longest.max(at - begun + 1);
        }
    }
    Cut { lines, parts: n_parts(text), longest }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Functions with so many lines each.
    fn functions(lines: &[usize]) -> (String, Vec<String>) {
        let head = |k: usize| format!("static real f{k}(ct_ctx *ctx)");
        let heads = (0..lines.len()).map(|k| format!("{};\n", head(k))).collect();
        let text = |(k, n): (usize, &usize)| format!("{} {{\n{}}}\n", head(k), "x;\n".repeat(*n));
        (heads, lines.iter().enumerate().map(text).collect())
    }

    #[test]
    fn long_code_has_parts_that_know_each_other_and_are_not_long() {
        let (mut heads, mut definitions) = functions(&[1500; 8]);
        let wanted = of_fast_code(&definitions);
        assert_eq!(wanted, 7, "12,016 lines");
        make_known(&mut heads, &mut definitions);
        let text = format!("{DEFINED}{heads}{}", cut(&definitions, wanted));
        assert_eq!(n_parts(&text), wanted);
        // Each twice: where it is declared and where it is defined.
        assert_eq!(text.matches("CT_FUNCTION real f").count(), 16);
        assert!(!text.contains("static real"));
        let Cut { lines, parts, longest } = how_cut(&text);
        assert_eq!((lines, parts, longest), (12_016, wanted, 1502));
    }

    #[test]
    fn other_code_has_one_part() {
        let (heads, definitions) = functions(&[1500, 1500]);
        assert_eq!(of_fast_code(&definitions), 1);
        assert_eq!(n_parts(&(heads + &definitions.concat())), 1);
    }
}
