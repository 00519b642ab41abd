//! What programs say while they run: lines on standard error. On a terminal, reports are one line that
//! changes.
//!
//! From its first report on, a run that is interrupted ends by itself, and says how far it was. The second
//! interrupt ends the process, as the first one does without reports.

use std::io::{self, IsTerminal};
use std::sync::{Arc, Once};

use cotan::{Compiled, Said, Saying};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output;

/// The exit status of what an interrupt has ended, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;

/// A program that is heard; the line that changes goes away with it.
pub(crate) struct Heard(ProgressBar);

impl Drop for Heard {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Hears what a program says.
pub(crate) fn hear(program: &Compiled) -> Heard {
    let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
    let style = style.expect("compiler bug: the template is one");
    let bar = match io::stderr().is_terminal() {
        true => ProgressBar::new_spinner().with_style(style),
        false => ProgressBar::hidden(),
    };
    let (stop, line) = (program.stop_handle(), bar.clone());
    let (asked, reports) = (stop.clone(), Once::new());
    stop.set_listener(Arc::new(move |said| {
        if said.saying == Saying::Report {
            reports.call_once(|| cotan::stop_on_interrupt(&asked));
        }
        show(&line, said);
    }));
    Heard(bar)
}

fn show(line: &ProgressBar, said: &Said<'_>) {
    if said.saying == Saying::Report && !said.is_last && !line.is_hidden() {
        line.set_message(said.to_string());
        line.tick();
    } else {
        line.suspend(|| output::complain(&format!("{said}\n")));
    }
}
