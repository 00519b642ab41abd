//! When two numbers, or two texts with numbers in them, count as the same. Every tolerance of
//! the tests is stated here and nowhere else.

/// Facts: closed forms and other systems' numbers, relative to the greater of 1 and the number.
pub const FACT: f64 = 1e-9;

/// Central differences with a step of about the cube root of the precision.
pub const DIFFERENCES: f64 = 1e-5;

/// Whether two numbers agree to `tolerance`, relative above 1 and absolute below. NaN agrees
/// with NaN, an infinity only with itself.
pub fn close(expected: f64, got: f64, tolerance: f64) -> bool {
    if expected.is_nan() || got.is_nan() {
        return expected.is_nan() && got.is_nan();
    }
    if expected.is_infinite() || got.is_infinite() {
        return expected == got;
    }
    (expected - got).abs() <= tolerance * expected.abs().max(1.0)
}

/// Whether two texts agree: numbers with a dot or an exponent (and `nan`, `inf`) to `tolerance`,
/// everything else character by character, white space aside.
pub fn texts_close(expected: &str, got: &str, tolerance: f64) -> bool {
    let (expected, got) = (pieces(expected), pieces(got));
    expected.len() == got.len()
        && expected.iter().zip(&got).all(|pair| match pair {
            (Piece::Real(a), Piece::Real(b)) => close(*a, *b, tolerance),
            (Piece::Text(a), Piece::Text(b)) => a == b,
            (Piece::Real(_), Piece::Text(_)) | (Piece::Text(_), Piece::Real(_)) => false,
        })
}

/// A word of a text: a real number or anything else.
#[derive(Debug)]
enum Piece<'a> {
    Real(f64),
    Text(&'a str),
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut res = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (word, tail) = rest.split_at(word_length(rest));
        res.push(match word.parse::<f64>() {
            Ok(number) if !is_integer(word) => Piece::Real(number),
            Ok(_) | Err(_) => Piece::Text(word),
        });
        rest = tail.trim_start();
    }
    res
}

fn is_integer(word: &str) -> bool {
    word.trim_start_matches('-').bytes().all(|it| it.is_ascii_digit())
}

/// A number, a word, or a single other character.
fn word_length(text: &str) -> usize {
    let number = number_length(text);
    if number > 0 {
        return number;
    }
    let sign = usize::from(text.starts_with('-'));
    let word = text[sign..].find(|it: char| !it.is_alphanumeric() && it != '_');
    match sign + word.unwrap_or(text.len() - sign) {
        // A lone `-`, or no letter at all: one character.
        n if n == sign => text.chars().next().map_or(0, char::len_utf8),
        n if sign == 1 && text[sign..n].parse::<f64>().is_err() => sign,
        n => n,
    }
}

/// Length of `-1`, `2.5e-3`, `1e10` at the start of a text; 0 if there is no number.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes.iter().skip(from).take_while(|it| it.is_ascii_digit()).count();
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let mut end = sign + digits(sign);
    if end == sign {
        return 0;
    }
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let from = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        if digits(from) > 0 {
            end = from + digits(from);
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_up_to_the_tolerance() {
        assert!(close(1e12, 1e12 + 1.0, FACT) && !close(1.0, 1.0 + 1e-8, FACT));
        assert!(close(f64::NAN, f64::NAN, FACT) && !close(1.0, f64::NAN, FACT));
        assert!(close(f64::INFINITY, f64::INFINITY, FACT));
        assert!(
            !close(f64::INFINITY, f64::MAX, FACT) && !close(f64::INFINITY, -f64::INFINITY, FACT)
        );
    }

    #[test]
    fn texts_agree_word_by_word() {
        for (a, b) in [
            ("[1.0, -2.5e-3]", "[ 1.0000000000001,-0.0025 ]"),
            ("Node { x: 0.3 }", "Node { x: 0.30000000000000004 }"),
            ("(nan, inf, -inf)", "(NaN, inf, -inf)"),
            ("{\"type\":\"[2]Real\"}", "{\"type\":\"[2]Real\"}"),
        ] {
            assert!(texts_close(a, b, FACT), "{a} and {b}");
        }
        for (a, b) in [
            ("[1.0, 2.0]", "[1.0, 2.1]"),
            ("3", "3.0"),
            ("12345678901234567", "12345678901234568"),
            ("[1.0]", "[1.0, 1.0]"),
            ("x - y", "x + y"),
            ("inf", "-inf"),
            ("true", "false"),
        ] {
            assert!(!texts_close(a, b, FACT), "{a} and {b}");
        }
    }
}
