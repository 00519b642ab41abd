//! Standard output for results, standard error for people. A closed pipe is no error.

use std::io::{self, IsTerminal, Write};

use cotan::{Report, Style};

use crate::Status;
use crate::options::Color;

/// Where a command prints.
pub(crate) struct Output {
    style: Style,
}

/// Who reads standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A person.
    Text,
    /// A program: exactly one JSON object.
    Json,
}

impl Format {
    /// The format a `--json` flag asks for.
    pub(crate) fn from_flag(json: bool) -> Format {
        if json { Format::Json } else { Format::Text }
    }
}

impl Output {
    /// Decides about colours once.
    pub(crate) fn new(color: Color) -> Output {
        let colored = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        Output { style: if colored { Style::Coloured } else { Style::Plain } }
    }

    /// A line on standard output.
    pub(crate) fn line(&self, text: &str) {
        print(&mut io::stdout().lock(), &format!("{text}\n"));
    }

    /// A text on standard output, as it is.
    pub(crate) fn text(&self, text: &str) {
        print(&mut io::stdout().lock(), text);
    }

    /// A line on standard error.
    pub(crate) fn note(&self, text: &str) {
        print(&mut io::stderr().lock(), &format!("{text}\n"));
    }

    /// Says that the interpreter ran, where a user may wonder why that took so long.
    pub(crate) fn note_interpreter(&self, reason: Option<&str>) {
        if let Some(reason) = reason {
            self.note(&format!(
                "note: the interpreter runs: {reason}; `cotan doctor` says more, and with \
                 `--backend interp` there is no note"
            ));
        }
    }

    /// Something that is over soon, for somebody who looks at standard error; it is overwritten by
    /// what comes next, and an empty text takes it away.
    pub(crate) fn progress(&self, text: &str) {
        let mut err = io::stderr().lock();
        if err.is_terminal() {
            print(&mut err, &format!("\r\x1b[K{text}"));
        }
    }

    /// Diagnostics on standard error.
    pub(crate) fn report(&self, report: &Report) {
        print(&mut io::stderr().lock(), &report.render(self.style));
    }

    /// Ends a command with diagnostics; under `--json` they are also the one object.
    pub(crate) fn fail(&self, report: &Report, format: Format) -> Status {
        self.report(report);
        if format == Format::Json {
            self.line(&format!("{{\"error\":{}}}", report.to_json()));
        }
        Status::Fault
    }
}

/// Says to somebody who looks at standard error what takes so long.
pub(crate) fn say_that_compiling_is_slow() {
    let mut err = io::stderr().lock();
    if err.is_terminal() {
        print(
            &mut err,
            "note: the C compiler takes longer than two seconds; `--backend interp` does without\n",
        );
    }
}

/// Help on standard output, complaints about usage on standard error.
pub(crate) fn print_usage(text: &str, wanted: bool) {
    if wanted {
        print(&mut io::stdout().lock(), text);
    } else {
        print(&mut io::stderr().lock(), text);
    }
}

/// Writes, unless the reader has gone away: then there is nobody to tell.
fn print(to: &mut dyn Write, text: &str) {
    let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
}
