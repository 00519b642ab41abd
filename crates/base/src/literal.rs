//! The meaning of literal tokens: numbers and strings, read and written.
//!
//! `write_string` gives text that `read_string` reads back to the same characters.

/// The value of an `Int` token; `None` if it does not fit into 64 bits with sign.
pub fn read_int(text: &str) -> Option<i64> {
    let mut value: i64 = 0;
    for byte in text.bytes().filter(|it| *it != b'_') {
        let digit = char::from(byte).to_digit(10)?;
        value = value.checked_mul(10)?.checked_add(i64::from(digit))?;
    }
    Some(value)
}

/// The value of a `Real` (or `Int`) token; `None` if it is larger than every finite number.
pub fn read_real(text: &str) -> Option<f64> {
    let digits: String = text.chars().filter(|it| *it != '_').collect();
    digits.parse().ok().filter(|it: &f64| it.is_finite())
}

/// An escape sequence that means nothing: where it stands in the token, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadEscape {
    /// First byte, that of the backslash, counted from the start of the token.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// The characters a `Str` token stands for, and its escapes that mean nothing (they are left out).
pub fn read_string(token: &str) -> (String, Vec<BadEscape>) {
    let inner = token.strip_prefix('"').unwrap_or(token);
    let offset = token.len() - inner.len();
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut res = String::with_capacity(inner.len());
    let mut bad = Vec::new();
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        res.push_str(&rest[..at]);
        let escape = &rest[at..];
        let (meaning, length) = read_escape(escape);
        let start = offset + (inner.len() - rest.len()) + at;
        match meaning {
            Some(char) => res.push(char),
            None => bad.push(BadEscape { start, end: start + length }),
        }
        rest = &escape[length..];
    }
    res.push_str(rest);
    (res, bad)
}

/// The character an escape stands for, and the length of the escape; `text` starts with `\`.
fn read_escape(text: &str) -> (Option<char>, usize) {
    let Some(letter) = text[1..].chars().next() else { return (None, 1) };
    let simple = match letter {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '"' => '"',
        '\\' => '\\',
        'u' => return read_unicode(text),
        _ => return (None, 1 + letter.len_utf8()),
    };
    (Some(simple), 2)
}

/// The character that `\u{...}` stands for, and the length of that.
fn read_unicode(text: &str) -> (Option<char>, usize) {
    let Some(digits) = text.strip_prefix("\\u{") else { return (None, 2) };
    let length = digits.bytes().take_while(|it| it.is_ascii_hexdigit()).count();
    if digits.as_bytes().get(length) != Some(&b'}') {
        return (None, 3 + length);
    }
    let value = u32::from_str_radix(&digits[..length], 16).ok().and_then(char::from_u32);
    (value.filter(|_| length <= 6), 3 + length + 1)
}

/// A string as a literal, quotes and escapes included.
pub fn write_string(value: &str) -> String {
    let mut res = String::with_capacity(value.len() + 2);
    res.push('"');
    for char in value.chars() {
        match char {
            '\n' => res.push_str("\\n"),
            '\t' => res.push_str("\\t"),
            '\r' => res.push_str("\\r"),
            '"' => res.push_str("\\\""),
            '\\' => res.push_str("\\\\"),
            it if it.is_control() => res.push_str(&format!("\\u{{{:X}}}", u32::from(it))),
            it => res.push(it),
        }
    }
    res.push('"');
    res
}
