//! Mutations of texts and of `.npy` files, and soups of tokens.

use ::generate::Random;

/// Everything the language has a word for, and some it has not.
const TOKENS: &[&str] = &[
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
];

/// Tokens in any order.
pub fn token_soup(random: &mut Random) -> String {
    let n = random.below(200);
    let space = if random.once_in(3) { "" } else { " " };
    (0..n).map(|_| *random.pick(TOKENS)).collect::<Vec<_>>().join(space)
}

/// A few neighbouring declarations of a program, so that one round stays short.
pub fn some_items(random: &mut Random, text: &str) -> String {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices("\n\n").map(|(at, _)| at + 1))
        .chain([text.len()])
        .collect();
    let from = random.below(starts.len() - 1);
    let to = (from + 1 + random.below(6)).min(starts.len() - 1);
    text[starts[from]..starts[to]].to_string()
}

/// One to four changes somewhere.
pub fn text(random: &mut Random, text: &str, corpus: &[String]) -> String {
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
        2 => format!("{before}{}{middle}{after}", random.pick(TOKENS)),
        3 => format!("{before} {} {after}", random.pick(TOKENS)),
        4 if random.once_in(4) => before.to_string(),
        5 => {
            let other = random.pick(corpus);
            let start = boundary(random, other);
            let piece: String = other[start..].chars().take(random.below(60)).collect();
            format!("{before}{piece}{middle}{after}")
        }
        6 => {
            let many = random.pick(TOKENS).repeat(random.below(400));
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

/// A `.npy` file with a few bytes changed, or cut, or made up.
pub fn npy(random: &mut Random) -> Vec<u8> {
    let kinds = ["<f8", ">f4", "<i8", ">i2", "|b1", "|u1", "<u8", "<f2", "<c16", "<U3", "", "O"];
    let sizes: Vec<String> = (0..random.below(4)).map(|_| size(random)).collect();
    let header = format!(
        "{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}",
        random.pick(&kinds),
        random.pick(&["True", "False", "Maybe"]),
        sizes.iter().map(|it| format!("{it},")).collect::<String>()
    );
    let mut bytes = b"\x93NUMPY".to_vec();
    let version = *random.pick(&[1u8, 1, 1, 2, 3, 9]);
    bytes.extend([version, 0]);
    if version == 1 {
        bytes.extend((header.len() as u16).to_le_bytes());
    } else {
        bytes.extend((header.len() as u32).to_le_bytes());
    }
    bytes.extend(header.as_bytes());
    let n_data = random.below(80);
    bytes.extend((0..n_data).map(|_| random.bits() as u8));
    for _ in 0..random.below(4) {
        let at = random.below(bytes.len());
        match random.below(3) {
            0 => bytes[at] = random.bits() as u8,
            1 => bytes.truncate(at + 1),
            _ => bytes.insert(at, random.bits() as u8),
        }
    }
    bytes
}

fn size(random: &mut Random) -> String {
    match random.below(12) {
        0 => "18446744073709551615".to_string(),
        1 => "-1".to_string(),
        2 => "99999999999999999999999".to_string(),
        3 => "L".to_string(),
        _ => random.below(5).to_string(),
    }
}
