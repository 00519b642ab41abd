//! A panic inside is a bug of ours: it is caught here and reported as one, without a backtrace.

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;

/// Exit status for a bug of ours, the one Rust itself uses for a panic.
const BUG: u8 = 101;

/// What to do about one.
pub(crate) const ADVICE: &str =
    "This is a fault of Cotan, not of the program. Please report it with the input.";

/// Where the last panic was and what it said.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Runs a command; a panic in it becomes a message, which is handed on, and exit status 101.
pub(crate) fn guard(command: impl FnOnce() -> ExitCode, tell: impl FnOnce(&str)) -> ExitCode {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map_or(String::new(), |it| format!(" at {it}"));
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let message = text.or_else(|| payload.downcast_ref().copied()).unwrap_or("no message");
        let mut last = LAST.lock().unwrap_or_else(|it| it.into_inner());
        *last = Some(format!("{message}{place}"));
    }));
    let result = panic::catch_unwind(AssertUnwindSafe(command));
    let _ = panic::take_hook();
    result.unwrap_or_else(|_| {
        let last = LAST.lock().unwrap_or_else(|it| it.into_inner()).take();
        let message = last.unwrap_or_default();
        let message = message.strip_prefix("compiler bug: ").unwrap_or(&message);
        tell(&format!("compiler bug: {message}"));
        ExitCode::from(BUG)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_exit_status() {
        let mut told = String::new();
        let code = guard(|| panic!("V3 broken"), |it| told = it.to_string());
        assert_eq!(code, ExitCode::from(BUG));
        assert!(told.starts_with("compiler bug: V3 broken at "), "{told}");
        let quiet = |it: &str| panic!("{it}");
        assert_eq!(guard(|| ExitCode::SUCCESS, quiet), ExitCode::SUCCESS);
    }
}
