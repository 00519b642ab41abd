//! What can go wrong when a program runs, and how it is told.

use base::{Code, Diagnostic, Mark, Name, Span};
use ir::Beside;

/// A run-time error: what, where, and the calls that led there, innermost first.
#[derive(Clone, Debug, PartialEq)]
pub struct RunError {
    /// What went wrong.
    pub fault: Fault,
    /// The statement at fault, if its source is known.
    pub span: Option<Span>,
    /// Definitions that were running, with the place of the call; at most a few.
    pub calls: Vec<(Name, Option<Span>)>,
}

/// How many calls an error remembers.
const MOST_CALLS: usize = 4;

/// What went wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// An index that is not below the size of its axis, or negative.
    Index {
        /// The index.
        index: i64,
        /// The size of the axis.
        size: usize,
        /// The axis, outermost first, from 0.
        axis: usize,
    },
    /// `/` or `%` of integers by zero.
    DivisionByZero,
    /// An allocation that the memory limit does not allow.
    Memory {
        /// The bytes asked for; `None` if no machine holds them.
        bytes: Option<usize>,
        /// The limit.
        limit: usize,
    },
    /// A tape that the memory limit does not allow.
    Tape {
        /// How many contributions were recorded.
        contributions: u64,
        /// The limit of memory; `None` if there are no more identifiers.
        limit: Option<usize>,
        /// The loop that recorded most of them, and how many it recorded.
        by: Option<(Span, u64)>,
    },
    /// Calls nested until the memory limit was reached.
    Recursion {
        /// The definition called last.
        def: Name,
        /// How many calls were active; 0 if nobody counted.
        depth: usize,
        /// How many of each definition, with its derivatives.
        active: Vec<(Name, usize)>,
    },
    /// `argmax` or `argmin` of nothing.
    NoGreatest,
    /// A negative size.
    NegativeSize(i64),
    /// An array of more elements than any machine holds.
    TooLarge,
    /// A slice outside of its array.
    Slice {
        /// First element.
        from: i64,
        /// One past the last.
        to: i64,
        /// The size of the axis.
        size: usize,
    },
    /// A reshape to another number of elements.
    Reshape {
        /// The sizes there are.
        from: Vec<usize>,
        /// The sizes asked for.
        to: Vec<usize>,
    },
    /// Two sizes that should be equal.
    Sizes {
        /// What was asked for.
        expected: Vec<usize>,
        /// What there is.
        found: Vec<usize>,
    },
    /// An integer to a negative power.
    NegativePower(i64),
    /// A tangent that does not have the structure of the value.
    Tangent(Mismatch),
    /// A cotangent that does not have the structure of the value.
    Cotangent(Mismatch),
    /// `==` or `~=` of functions.
    EqualFunctions,
    /// A derivative that this method has none of: the clause of this definition would need itself.
    EndlessClause(Name),
    /// Somebody asked the program to stop.
    Stopped,
    /// A program that is not well-typed reached the interpreter: a bug of ours.
    Malformed(String),
}

/// In what a tangent or cotangent differs from its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// Arrays of other sizes.
    Sizes {
        /// The sizes of the value.
        value: Vec<usize>,
        /// The sizes that were given.
        given: Vec<usize>,
    },
    /// Another constructor.
    Constructor {
        /// The constructor of the value.
        value: Name,
        /// The constructor that was given.
        given: Name,
    },
    /// A value of another kind altogether.
    Kind,
}

impl Fault {
    /// The code of its page in the manual.
    pub fn code(&self) -> Code {
        Code(match self {
            Fault::Index { .. } => "E0601",
            Fault::DivisionByZero => "E0602",
            Fault::Memory { .. } => "E0603",
            Fault::Recursion { .. } => "E0604",
            Fault::NoGreatest => "E0605",
            Fault::NegativeSize(_) => "E0606",
            Fault::Slice { .. } => "E0607",
            Fault::Reshape { .. } => "E0608",
            Fault::Sizes { .. } => "E0609",
            Fault::NegativePower(_) => "E0610",
            Fault::Tangent(_) | Fault::Cotangent(_) => "E0611",
            Fault::EqualFunctions => "E0612",
            Fault::Tape { .. } => "E0613",
            Fault::Stopped => "E0614",
            Fault::TooLarge => "E0615",
            Fault::EndlessClause(_) => "E0616",
            Fault::Malformed(_) => "E0600",
        })
    }

    /// What is wrong, in a few words.
    pub fn title(&self) -> String {
        match self {
            Fault::Index { .. } => "index out of bounds".to_owned(),
            Fault::DivisionByZero => "division of integers by zero".to_owned(),
            Fault::Memory { .. } => "the memory limit is reached".to_owned(),
            Fault::Tape { limit: Some(_), .. } => {
                "the tape of a derivative reaches the memory limit".to_owned()
            }
            Fault::Tape { limit: None, .. } => "the tape of a derivative is too long".to_owned(),
            Fault::Recursion { def, active, .. } => {
                let short: String = deepest(def, active).chars().take(30).collect();
                format!("recursion too deep in `{short}`")
            }
            Fault::NoGreatest => "argmax or argmin of an empty array".to_owned(),
            Fault::NegativeSize(_) => "an array of negative size".to_owned(),
            Fault::TooLarge => "an array too large for any machine".to_owned(),
            Fault::Slice { .. } => "slice out of bounds".to_owned(),
            Fault::Reshape { .. } => "reshape to another number of elements".to_owned(),
            Fault::Sizes { .. } => "sizes that should be equal differ".to_owned(),
            Fault::NegativePower(_) => "an Int to a negative power".to_owned(),
            Fault::Tangent(_) => "a tangent has not the shape of its value".to_owned(),
            Fault::Cotangent(_) => "a cotangent has not the shape of its value".to_owned(),
            Fault::EqualFunctions => "functions cannot be compared".to_owned(),
            Fault::EndlessClause(_) => {
                "a clause that has no end by this method of differentiation".to_owned()
            }
            Fault::Stopped => "the program was stopped from outside".to_owned(),
            Fault::Malformed(_) => "the interpreter met an ill-typed program".to_owned(),
        }
    }

    /// What the place at fault has to do with it.
    pub fn detail(&self) -> String {
        match self {
            Fault::Index { index, size, axis: 0 } => {
                format!("index {index}, but the size is {size}")
            }
            Fault::Index { index, size, axis } => {
                format!("index {index} in dimension {axis}, whose size is {size}")
            }
            Fault::DivisionByZero => "the divisor is 0".to_owned(),
            Fault::Memory { bytes: Some(0), limit } => {
                format!("values hold more than the limit of {limit} bytes")
            }
            Fault::Memory { bytes: Some(bytes), limit } => {
                format!("this needs {bytes} more bytes, the limit is {limit}")
            }
            Fault::Memory { bytes: None, limit } => {
                format!("this needs more bytes than any machine has, the limit is {limit}")
            }
            Fault::Tape { contributions, limit: Some(limit), .. } => {
                format!("{contributions} contributions are recorded, the limit is {limit} bytes")
            }
            Fault::Tape { contributions, limit: None, .. } => {
                format!("{contributions} contributions are recorded, and no identifier is left")
            }
            Fault::Recursion { depth: 0, .. } => "calls nest until no stack is left".to_owned(),
            Fault::Stopped => "it was running here when it was asked to stop".to_owned(),
            Fault::Recursion { depth, .. } => format!("{depth} calls are active"),
            Fault::NoGreatest => "this array has no element".to_owned(),
            Fault::NegativeSize(size) => format!("the size is {size}"),
            Fault::TooLarge => "it would have more than 2^56 elements".to_owned(),
            Fault::Slice { from, to, size } => format!("{from}..{to} of an array of size {size}"),
            Fault::Reshape { from, to } => format!("from {} to {}", sizes(from), sizes(to)),
            Fault::Sizes { expected, found } => {
                format!("expected {}, found {}", sizes(expected), sizes(found))
            }
            Fault::NegativePower(exponent) => format!("the exponent is {exponent}"),
            Fault::Tangent(mismatch) => mismatch.detail("tangent"),
            Fault::Cotangent(mismatch) => mismatch.detail("cotangent"),
            Fault::EqualFunctions => "these values contain functions".to_owned(),
            Fault::EndlessClause(def) => {
                let def = written(def);
                format!("the vjp of `{def}` calls `{def}` on its cotangent, which is of a sum type")
            }
            Fault::Malformed(what) => what.clone(),
        }
    }

    fn help(&self) -> Option<&'static str> {
        match self {
            Fault::Memory { .. } => Some(
                "raise the memory limit, or compute on smaller arrays; for derivatives, \
                 the method `forward` saves nothing",
            ),
            Fault::Tape { .. } => Some(
                "raise the memory limit, or differentiate by the method `forward`, which records nothing",
            ),
            Fault::Recursion { .. } => Some("check that the recursion ends, or write a loop"),
            Fault::EndlessClause(_) => Some(
                "differentiate by the method `bulk`, `chad` or `linmap`, or write a jvp clause beside it",
            ),
            Fault::NegativePower(_) => Some("convert to Real first: real(x) ** real(k)"),
            Fault::Malformed(_) => Some("this is a bug in Cotan, please report it"),
            Fault::Index { .. }
            | Fault::DivisionByZero
            | Fault::NoGreatest
            | Fault::NegativeSize(_)
            | Fault::TooLarge
            | Fault::Slice { .. }
            | Fault::Reshape { .. }
            | Fault::Sizes { .. }
            | Fault::Tangent(_)
            | Fault::Cotangent(_)
            | Fault::EqualFunctions
            | Fault::Stopped => None,
        }
    }
}

impl Mismatch {
    /// With the word for what was given.
    fn detail(&self, word: &str) -> String {
        match self {
            Mismatch::Sizes { value, given } => {
                format!("the value has sizes {}, its {word} {}", sizes(value), sizes(given))
            }
            Mismatch::Constructor { value, given } => {
                format!("the value is `{value}`, its {word} `{given}`")
            }
            Mismatch::Kind => format!("the value and its {word} have different forms"),
        }
    }
}

/// The name without the marks of derived definitions, which the user never wrote.
fn written(name: &Name) -> &str {
    name.written()
}

/// The definition with the most calls, which need not be the one that was called last.
/// Functions without a name are no answer if there is another.
fn deepest<'a>(def: &'a Name, active: &'a [(Name, usize)]) -> &'a str {
    let named = active.iter().filter(|it| !it.0.has(&Mark::Lambda));
    named.max_by_key(|it| it.1).map_or(written(def), |it| written(&it.0))
}

fn sizes(sizes: &[usize]) -> String {
    sizes.iter().map(|size| format!("[{size}]")).collect()
}

impl RunError {
    /// One more call that was active.
    pub(crate) fn called(&mut self, def: &Name, span: Option<Span>) {
        if self.calls.len() < MOST_CALLS {
            self.calls.push((def.clone(), span));
        }
        if let Fault::Recursion { active, .. } = &mut self.fault {
            match active.iter_mut().find(|it| written(&it.0) == written(def)) {
                Some(it) => it.1 += 1,
                None => active.push((def.clone(), 1)),
            }
        }
    }

    /// The error where what did not fit beside a value is this: a tangent, or a cotangent.
    pub(crate) fn beside(mut self: Box<RunError>, beside: Beside) -> Box<RunError> {
        self.fault = match (self.fault, beside) {
            (Fault::Tangent(it), Beside::Cotangent) => Fault::Cotangent(it),
            (fault, Beside::Tangent | Beside::Cotangent) => fault,
        };
        self
    }

    /// The message for the user; `fallback` is the place if the statement's own is not known.
    pub fn to_diagnostic(&self, fallback: Span) -> Diagnostic {
        let span = self.span.or_else(|| self.calls.iter().find_map(|it| it.1)).unwrap_or(fallback);
        let mut res = Diagnostic::error(self.fault.code(), self.fault.title())
            .label(span, self.fault.detail());
        if let Fault::Tape { by: Some((at, recorded)), .. } = self.fault {
            res = res.label(at, format!("this loop recorded {recorded} of them"));
        }
        for (number, (name, at)) in self.calls.iter().enumerate() {
            // A recursion calls from the same place again and again.
            let is_new = self.calls[..number].iter().all(|(_, other)| other != at);
            let name = written(name);
            if let Some(at) = at
                && *at != span
                && is_new
            {
                res = res.label(*at, format!("in this call of `{name}`"));
            }
        }
        if let Some(help) = self.fault.help() {
            res = res.help(help);
        }
        res
    }
}

/// An error on its way to whoever asked for the value; small, since every step may return one.
pub(crate) type Failure = Box<RunError>;

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        Box::new(RunError { fault, span: None, calls: Vec::new() })
    }
}

/// For states that a verified program cannot reach.
pub(crate) fn malformed(what: &str) -> Fault {
    Fault::Malformed(what.to_owned())
}
