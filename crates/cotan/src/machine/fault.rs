//! Failures of compiled code as errors of a run.

use array::MOST_ELEMENTS;
use base::Name;
use eval::{Fault, Mismatch, RunError};
use loops::Site;
use native::Failed;

/// The error in the words of the interpreter.
pub(super) fn error(
    failed: Failed,
    sites: &[Site],
    recursive: impl Fn(usize) -> Name,
    limit: usize,
) -> RunError {
    let plain = |fault: Fault| RunError { fault, span: None, calls: Vec::new() };
    match failed {
        Failed::Site { site, values } => match sites.get(site) {
            Some(site) => RunError { span: site.span, ..plain(fault(site.fault, &values)) },
            None => plain(Fault::Malformed("a failure without a place".to_string())),
        },
        Failed::Memory { bytes } if bytes.is_none_or(|it| it > MOST_ELEMENTS) => {
            plain(Fault::TooLarge)
        }
        Failed::Memory { bytes } => plain(Fault::Memory { bytes, limit }),
        Failed::Recursion { function } => {
            plain(Fault::Recursion { def: recursive(function), depth: 0, active: Vec::new() })
        }
        Failed::Stopped => plain(Fault::Stopped),
        Failed::Long => plain(Fault::Malformed("a draft that is too long".to_string())),
        Failed::Malformed(what) => plain(Fault::Malformed(what.to_string())),
    }
}

fn fault(fault: loops::Fault, values: &[i64]) -> Fault {
    let value = |at: usize| values.get(at).copied().unwrap_or_default();
    let size = |it: i64| usize::try_from(it).unwrap_or_default();
    let sizes = |from: usize, to: usize| {
        let part = values.get(from..to.min(values.len())).unwrap_or_default();
        part.iter().map(|it| size(*it)).collect()
    };
    match fault {
        loops::Fault::Index { axis } => {
            Fault::Index { index: value(0), size: size(value(1)), axis }
        }
        loops::Fault::DivisionByZero => Fault::DivisionByZero,
        loops::Fault::NoGreatest => Fault::NoGreatest,
        loops::Fault::Size if value(0) < 0 => Fault::NegativeSize(value(0)),
        loops::Fault::Size | loops::Fault::TooLarge => Fault::TooLarge,
        loops::Fault::Slice => Fault::Slice { from: value(0), to: value(1), size: size(value(2)) },
        loops::Fault::Reshape { from } => {
            Fault::Reshape { from: sizes(0, from), to: sizes(from, values.len()) }
        }
        loops::Fault::Sizes { expected } => {
            Fault::Sizes { expected: sizes(0, expected), found: sizes(expected, values.len()) }
        }
        loops::Fault::NegativePower => Fault::NegativePower(value(0)),
        loops::Fault::Tangent => Fault::Tangent(Mismatch::Kind),
        loops::Fault::Cotangent => Fault::Cotangent(Mismatch::Kind),
    }
}
