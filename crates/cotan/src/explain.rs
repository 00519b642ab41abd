//! The pages of `docs/errors/`, embedded when the library is built.

/// Code and page, sorted by code.
const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The page of a code, `E0301` or `e0301`.
pub fn page(code: &str) -> Option<&'static str> {
    let code = code.to_ascii_uppercase();
    PAGES.iter().find(|(it, _)| *it == code).map(|(_, page)| *page)
}

/// Every code that has a page.
pub fn codes() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|(code, _)| *code)
}

/// The code the user may have meant.
pub fn nearest(code: &str) -> Option<&'static str> {
    let code = code.to_ascii_uppercase();
    let digits: String = code.chars().filter(char::is_ascii_digit).collect();
    codes()
        .map(|it| (strsim::levenshtein(&code, it).min(strsim::levenshtein(&digits, &it[1..])), it))
        .min()
        .filter(|(distance, _)| *distance <= 2)
        .map(|(_, it)| it)
}
