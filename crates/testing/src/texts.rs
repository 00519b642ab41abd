//! Random texts: tokens in any order, and programs with a few changes.

use crate::Random;

/// Everything the language has a word for, and some it has not.
pub const WORDS: &[&str] = &[
    "def",
    "let",
    "if",
    "then",
    "else",
    "match",
    "build",
    "type",
    "data",
    "test",
    "bench",
    "true",
    "false",
    "x",
    "y",
    "n",
    "f",
    "Vec",
    "Some",
    "None",
    "Real",
    "Int",
    "Bool",
    "String",
    "_",
    "0",
    "1",
    "2.5",
    "1e-3",
    "1_000",
    "9223372036854775807",
    "99999999999999999999",
    "1e999",
    "\"s\"",
    "\"",
    "\\",
    "=>",
    "->",
    "=",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "~=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "**",
    "&&",
    "||",
    "!",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    ".",
    "..",
    "|",
    "@",
    "#",
    "--",
    "---",
    "-- c\n",
    "--- d\n",
    "\n",
    "\t",
    "\r",
    "\0",
    "é",
    "∑",
    "😀",
    "\u{feff}",
    "grad",
    "sum",
    "fold",
    "map",
    "while",
    "jvp",
    "sin",
    "$",
    "?",
    "'",
    "`",
    "A",
    "Vec3",
    "Cons",
    "1e3",
    "&",
    "^",
    "\n\n",
    "and",
    "or",
    "not",
    "fn",
    "lambda",
    "for",
    "return",
    "in",
    "elif",
    "with",
    "mut",
    "def f = ",
    "\ndef g(x) = ",
    "{ let x = 1; ",
    "0x",
    "1.",
    ".5",
    "\\q",
    "//",
    "/*",
    "*/",
    "\r\n",
    "\u{0}",
    "\u{a0}",
];

/// Tokens in any order, at most so many.
pub fn token_soup(random: &mut Random, most: usize) -> String {
    let n = random.below(most);
    let space = if random.once_in(3) { "" } else { " " };
    (0..n).map(|_| *random.pick(WORDS)).collect::<Vec<_>>().join(space)
}

/// A text with one to four changes; some bring in pieces of others.
pub fn changed(random: &mut Random, text: &str, corpus: &[String]) -> String {
    let mut text = text.to_string();
    for _ in 0..=random.below(4) {
        text = change(random, &text, corpus);
    }
    text
}

fn change(random: &mut Random, text: &str, corpus: &[String]) -> String {
    let from = boundary(random, text);
    let length = random.below(30);
    let to = (from..=text.len()).filter(|it| text.is_char_boundary(*it)).nth(length);
    let to = to.unwrap_or(text.len());
    let (before, middle, after) = (&text[..from], &text[from..to], &text[to..]);
    match random.below(8) {
        0 => format!("{before}{after}"),
        1 => format!("{before}{middle}{middle}{after}"),
        2 => format!("{before}{}{middle}{after}", random.pick(WORDS)),
        3 => format!("{before} {} {after}", random.pick(WORDS)),
        4 if random.once_in(4) => before.to_string(),
        5 => {
            let other = random.pick(corpus);
            let start = boundary(random, other);
            let piece: String = other[start..].chars().take(random.below(60)).collect();
            format!("{before}{piece}{middle}{after}")
        }
        6 => {
            let many = random.pick(WORDS).repeat(random.below(400));
            format!("{before}{many}{after}")
        }
        _ => swap_words(random, text),
    }
}

fn boundary(random: &mut Random, text: &str) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Puts one word of the text in the place of another.
fn swap_words(random: &mut Random, text: &str) -> String {
    let words: Vec<&str> = text
        .split(|it: char| !it.is_alphanumeric() && it != '_')
        .filter(|it| !it.is_empty())
        .collect();
    if words.is_empty() {
        return text.to_string();
    }
    let (old, new) = (*random.pick(&words), *random.pick(&words));
    text.replacen(old, new, 1 + random.below(2))
}
