//! What rounding does to an answer: it is asked again with numbers that are changed in their last digit.

use base::FileId;
use base::token::{TokenKind, TokenMode, tokenize};
use cotan::{Precision, Via};

use crate::agree::taken_apart;
use crate::case::Case;
use crate::target::{Asked, MORE, OPERATIONS, by_interpreter, choice};

/// How often literals change, and how often operators do.
const MOVES: usize = 24;

/// An answer, taken apart, for each of several changes that rounding cannot be told from: by as many units of the
/// last digit, or twice as many.
pub(crate) fn moved(case: &Case, ask: &str, by: f64) -> Vec<(String, Vec<f64>)> {
    let unit = by
        * match case.precision {
            Precision::F64 => f64::EPSILON,
            Precision::F32 => f64::from(f32::EPSILON),
        };
    // The literals that change, and the way they go, are others every time.
    let steps = |at: usize, k: usize| (choice(&format!("{at} {k}")) % 5) as f64 - 2.0;
    let literals = |k: usize| {
        changed(case, ask, &|at, kind, word| match (kind, word.parse::<f64>()) {
            (TokenKind::Real, Ok(value)) => {
                Some(format!("{:e}", value * (1.0 + steps(at, k) * unit)))
            }
            (_, _) => None,
        })
    };
    // Products and quotients that change by a factor next to one. What cancels to the last bit, however the literals
    // are changed, does not cancel then: 1 / a - a / (a * a).
    let operators = |k: usize| {
        changed(case, ask, &|at, _, word| {
            let is_changed = choice(&format!("{k} {at}")).is_multiple_of([1, 2, 4, 8][k % 4]);
            let factor = 1.0 + steps(at, k) * unit;
            (is_changed && (word == "*" || word == "/"))
                .then(|| format!("{word} {factor:e} {word}"))
        })
    };
    let mut res: Vec<(String, Vec<f64>)> =
        (0..MOVES).map(|k| answer(literals(k)).unwrap_or_default()).collect();
    // Integers have no such factors, so there are programs that are none any more.
    res.extend((0..MOVES).filter_map(|k| answer(operators(k))));
    res.extend(answer(nearly(case, ask)));
    res
}

/// The case and the question with other words in the place of some; a word is given by its place and its kind.
fn changed(
    case: &Case,
    ask: &str,
    other: &dyn Fn(usize, TokenKind, &str) -> Option<String>,
) -> (Case, String) {
    let text = |text: &str| {
        let (mut res, mut end) = (String::new(), 0);
        for (at, token) in tokenize(FileId(0), text, TokenMode::Source).iter().enumerate() {
            if let Some(word) = other(at, token.kind, token.text(text)) {
                let range = token.span.range();
                res += &text[end..range.start];
                res += &word;
                end = range.end;
            }
        }
        res + &text[end..]
    };
    let mut case = case.clone();
    case.text = text(&case.text);
    for (_, json) in &mut case.arguments {
        *json = text(json);
    }
    (case, text(ask))
}

/// `==` says what `~=` does: that two reals are the same to the bit is a choice that no change of literals need
/// show.
fn nearly(case: &Case, ask: &str) -> (Case, String) {
    let loose = |text: &str| text.replace("==", "~=");
    (Case { text: loose(&case.text), ..case.clone() }, loose(ask))
}

fn answer((case, ask): (Case, String)) -> Option<(String, Vec<f64>)> {
    match by_interpreter(&case, &ask, Via::Auto, OPERATIONS * MORE) {
        Asked::Value(text) => Some(taken_apart(&text)),
        Asked::Error(_) | Asked::Long => None,
    }
}
