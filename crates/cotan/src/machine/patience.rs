//! How long an entry point that is run once waits for its code: no longer than interpreting it takes.
//!
//! Both are counted in operations of the interpreter, and never timed, so that whether the interpreter or
//! compiled code gives a result depends on the program and its arguments only, and a program has one result.

use super::{Refused, USE_INTERP, Why};

/// What waiting for code is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Whatever it takes: the code is what was asked for, or is going to be used often.
    Endless,
    /// No more than so many operations of the interpreter, which were in vain.
    After(u64),
}

/// Operations that take as long as the C compiler needs for a line, and for beginning at all. Measured with
/// gcc 12: drafts take 0.12 ms a line, half of it in our own passes, and 35 ms, fast code 0.8 ms a line and
/// 65 ms; the interpreter does 100 million operations in long arrays in a second, 30 million on single reals, and
/// 11 million in arrays of four, so 20 million are assumed: nobody waits for more than twice what he had to.
const DRAFT: Price = Price { line: 2_400, start: 700_000 };
const FAST: Price = Price { line: 16_000, start: 1_300_000 };

struct Price {
    line: u64,
    start: u64,
}

/// Operations that take as long as the C compiler does.
pub(super) fn price(text: &str, is_draft: bool) -> u64 {
    let Price { line, start } = if is_draft { DRAFT } else { FAST };
    let n_lines = u64::try_from(text.lines().count()).unwrap_or(u64::MAX);
    n_lines.saturating_mul(line).saturating_add(start)
}

impl Patience {
    /// Whether to wait for code of this price for a run that is known to take so much work, or may take any.
    pub(super) fn allows(self, price: u64, work: Option<u64>) -> Result<(), Refused> {
        match self {
            Patience::Endless => Ok(()),
            Patience::After(done) if done >= price || work.is_some_and(|it| it > price) => Ok(()),
            Patience::After(_) => Err(Refused {
                span: None,
                reason: "interpreting it may take less time than compiling it".to_string(),
                help: USE_INTERP,
                why: Why::Dear(price),
            }),
        }
    }
}
