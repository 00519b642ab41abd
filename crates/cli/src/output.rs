//! Standard output for results, standard error for people. A closed pipe is no error; other results that
//! nobody gets are.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};

use cotan::{Report, Style};

use crate::options::Color;
use crate::{Status, advice};

/// Where a command prints.
pub(crate) struct Output {
    style: Style,
    /// Why standard output did not take everything.
    lost: RefCell<Option<io::Error>>,
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
        let style = if colored { Style::Coloured } else { Style::Plain };
        Output { style, lost: RefCell::new(None) }
    }

    /// A line on standard output.
    pub(crate) fn line(&self, text: &str) {
        self.text(&format!("{text}\n"));
    }

    /// A text on standard output, as it is.
    pub(crate) fn text(&self, text: &str) {
        if let Err(error) = print(&mut io::stdout().lock(), text) {
            self.lost.borrow_mut().get_or_insert(error);
        }
    }

    /// How a command ended, once it has printed everything: what standard output did not take is lost,
    /// and that is said.
    pub(crate) fn end(&self, status: Status) -> Status {
        match self.lost.take() {
            None => status,
            Some(error) => {
                self.report(&Report::unwritable("standard output", &error.to_string()));
                Status::Fault
            }
        }
    }

    /// A line on standard error.
    pub(crate) fn note(&self, text: &str) {
        complain(&format!("{text}\n"));
    }

    /// Says that the interpreter ran, where a user may wonder why that took so long.
    pub(crate) fn note_interpreter(&self, reason: Option<&str>) {
        if let Some(reason) = reason {
            self.note(&format!(
                "note: {} runs: {reason}; `cotan doctor` says more, and with \
                 `--backend interp` there is no note",
                cotan::without_compiler()
            ));
        }
    }

    /// Something that is over soon, for somebody who looks at standard error; it is overwritten by
    /// what comes next, and an empty text takes it away.
    pub(crate) fn progress(&self, text: &str) {
        let mut err = io::stderr().lock();
        if err.is_terminal() {
            let _ = print(&mut err, &format!("\r\x1b[K{text}"));
        }
    }

    /// Diagnostics on standard error.
    pub(crate) fn report(&self, report: &Report) {
        complain(&advice::with_options(report).render(self.style));
    }

    /// Ends a command with diagnostics; under `--json` they are also the one object.
    pub(crate) fn fail(&self, report: &Report, format: Format) -> Status {
        self.report(report);
        if format == Format::Json {
            let report = advice::with_options(report);
            self.line(&format!("{{\"error\":{}}}", report.to_json()));
        }
        Status::Fault
    }
}

/// A text on standard error. If nobody can read it, there is nobody to tell.
pub(crate) fn complain(text: &str) {
    let _ = print(&mut io::stderr().lock(), text);
}

/// Writes, unless the reader has gone away: then nobody wants it.
fn print(to: &mut dyn Write, text: &str) -> io::Result<()> {
    match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
