//! The one place that says which differences between methods and back ends have an explanation.
//!
//! Two answers are the same if they have the same text but for reals, and reals that are apart by less
//! than what sums in another order give. What is left over must be explained by one of the variants of
//! [`Explanation`], or it is a find.

use cotan::Precision;

use crate::target::Asked;

/// What became of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Nothing to explain.
    Same,
    /// They differ, and that is documented.
    Explained(Explanation),
    /// They differ: which way, without numbers, and the whole story.
    Unexplained(String, String),
}

/// Why two answers may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Explanation {
    /// A method or back end says that it does not do this program (E0616, E0635, E0637).
    Refused,
    /// A limit of memory or depth was met by one and not by the other (E0603, E0604, E0613, E0615):
    /// each method keeps something else in memory.
    Limit,
    /// Forward mode runs once for each real, so it takes more operations than the others.
    Long,
    /// Both methods that run the program as it stands, forward mode and the tape, take too long: what
    /// nobody needs is left out by the others.
    Unneeded,
    /// The reals are no further apart than a thousand times what they change when the literals of the
    /// program change in their last digit.
    Rounding,
    /// One of two reals is infinite or not a number, and the expression differentiates: sums of
    /// infinite contributions depend on the order (`docs/language/meaning_of_derivatives.md`).
    Infinite,
    /// A second derivative, by a clause that is not the derivative of its body: it need not be symmetric, and
    /// methods look at one half of it (`docs/language/custom_derivatives.md`).
    Clause,
}

impl Explanation {
    /// A few words for the table of figures.
    pub fn describe(self) -> &'static str {
        match self {
            Explanation::Refused => "refused by a method or back end",
            Explanation::Limit => "a limit of memory or depth",
            Explanation::Long => "forward mode takes too long",
            Explanation::Unneeded => "work that nobody needs is left out",
            Explanation::Rounding => "rounding, as shown by the last digits of literals",
            Explanation::Infinite => "sums of infinite contributions to a derivative",
            Explanation::Clause => "a second derivative by a clause that is none of its body",
        }
    }
}

/// How far answers may be apart relative to their greatest real, without explanation.
fn tolerance(precision: Precision) -> f64 {
    match precision {
        Precision::F64 => 1e-10,
        Precision::F32 => 1e-4,
    }
}

/// What counts as the greatest real of an answer whose reals are all smaller.
const LEAST: f64 = 1e-2;

/// How much more than literals rounding may move.
const AMPLIFIED: f64 = 1e3;

/// What is being compared.
pub struct Question<'a> {
    /// The precision of `Real`.
    pub precision: Precision,
    /// Whether the program differentiates anything.
    pub derives: bool,
    /// The answer, taken apart, when the literals of the program change in their last digit, by so much, several
    /// times.
    pub moved: &'a dyn Fn(f64) -> Vec<(String, Vec<f64>)>,
    /// Whether second derivatives hang on a clause that is not the derivative of its body.
    pub by_clause: &'a dyn Fn() -> bool,
}

/// Compares the answer of the reference with another.
pub fn judge(question: &Question<'_>, reference: &Asked, found: &Asked) -> Verdict {
    let story = || format!("{}\n{}", reference.shown(), found.shown());
    let unexplained = |how: &str| Verdict::Unexplained(how.to_string(), story());
    match (reference, found) {
        (_, Asked::Long) => unexplained("does not end"),
        (Asked::Error(codes), _) if codes == "E0600" => unexplained("E0600"),
        (_, Asked::Error(codes)) if codes == "E0600" => unexplained("E0600"),
        (Asked::Error(codes), _) | (_, Asked::Error(codes)) if is_refusal(codes) => {
            Verdict::Explained(Explanation::Refused)
        }
        (Asked::Error(a), Asked::Error(b)) if a == b => Verdict::Same,
        (Asked::Error(codes), _) | (_, Asked::Error(codes)) if is_limit(codes) => {
            Verdict::Explained(Explanation::Limit)
        }
        (Asked::Error(a), Asked::Error(b)) => unexplained(&format!("{a} against {b}")),
        (Asked::Value(_), Asked::Error(b)) => unexplained(&format!("a value against {b}")),
        (Asked::Error(a), Asked::Value(_)) => unexplained(&format!("{a} against a value")),
        (Asked::Value(a), Asked::Value(b)) => values(question, a, b),
        (Asked::Long, _) => Verdict::Same,
    }
}

fn is_refusal(codes: &str) -> bool {
    ["E0616", "E0635", "E0637"].contains(&codes)
}

fn is_limit(codes: &str) -> bool {
    ["E0603", "E0604", "E0613", "E0615"].contains(&codes)
}

fn values(question: &Question<'_>, a: &str, b: &str) -> Verdict {
    let unexplained = |how: &str| Verdict::Unexplained(how.to_string(), format!("{a}\n{b}"));
    let ((shape, reals), (other_shape, others)) = (taken_apart(a), taken_apart(b));
    let differ = |it: &(&f64, &f64)| !is_same(*it.0, *it.1);
    let scale = reals.iter().filter(|it| it.is_finite()).fold(LEAST, |most, it| most.max(it.abs()));
    let apart: Vec<(usize, f64, f64)> = reals
        .iter()
        .zip(&others)
        .enumerate()
        .filter(|(_, it)| differ(it))
        .map(|(at, (x, y))| (at, *x, *y))
        .filter(|(_, x, y)| {
            (x - y).is_nan() || (x - y).abs() > tolerance(question.precision) * scale
        })
        .collect();
    if shape == other_shape && apart.is_empty() {
        return Verdict::Same;
    }
    let moved = (question.moved)(1.0);
    let is_other = |it: &(String, Vec<f64>)| it.0 != shape;
    if shape != other_shape {
        // A choice that hangs on the last digits, or on a derivative that is not finite: a search that goes on
        // as long as the slope is large ends at once if it is not a number.
        let is_infinite = |it: &(usize, f64, f64)| !it.1.is_finite() || !it.2.is_finite();
        let is_chance =
            moved.iter().any(is_other) || (question.moved)(AMPLIFIED).iter().any(is_other);
        return if is_chance {
            Verdict::Explained(Explanation::Rounding)
        } else if question.derives && apart.iter().any(is_infinite) {
            Verdict::Explained(Explanation::Infinite)
        } else {
            unexplained("another structure")
        };
    }
    let noise = |at: usize| {
        let spread = moved.iter().filter_map(|it| it.1.get(at)).map(|it| (it - reals[at]).abs());
        spread.fold(0.0, |most: f64, it| if it.is_nan() { f64::INFINITY } else { most.max(it) })
    };
    let mut explanation = Explanation::Rounding;
    for (at, x, y) in apart {
        if x.is_finite() && y.is_finite() {
            if (x - y).abs() > AMPLIFIED * noise(at) {
                return match (question.by_clause)() {
                    true => Verdict::Explained(Explanation::Clause),
                    false => unexplained("other numbers"),
                };
            }
        } else if question.derives {
            explanation = Explanation::Infinite;
        } else if noise(at).is_finite() {
            return unexplained("other numbers, not finite");
        }
    }
    Verdict::Explained(explanation)
}

fn is_same(x: f64, y: f64) -> bool {
    x == y || x.is_nan() && y.is_nan()
}

/// A printed value as its text without reals, and its reals.
pub fn taken_apart(text: &str) -> (String, Vec<f64>) {
    let (mut shape, mut reals) = (String::new(), Vec::new());
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_') {
            word.push(c);
            continue;
        }
        match word.replace("infinity", "inf").parse::<f64>() {
            Ok(real) if word.contains(['.', 'e', 'n']) => {
                reals.push(real);
                shape.push('#');
            }
            Ok(_) | Err(_) => shape.push_str(&word),
        }
        word.clear();
        shape.push(c);
    }
    (shape, reals)
}
