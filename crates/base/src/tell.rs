//! What a program says while it runs: `trace` and `report`.
//!
//! Whoever runs a program hears it. A call may be made again: with more stack, with other code, with less
//! kept for the way back. What was said before is not said twice then, since a run says the same again.

use std::collections::BTreeMap;
use std::fmt::{self, Debug, Display, Formatter};
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::shown::{Number, Shown};

/// What is said of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Saying {
    /// What it is.
    Value,
    /// Its tangent.
    Tangent,
    /// Its cotangent.
    Cotangent,
    /// How far a loop is.
    Report,
}

impl Saying {
    /// All of them.
    pub const ALL: [Saying; 4] =
        [Saying::Value, Saying::Tangent, Saying::Cotangent, Saying::Report];

    /// Its place among all, by which compiled code names it.
    pub fn number(self) -> i64 {
        match self {
            Saying::Value => 0,
            Saying::Tangent => 1,
            Saying::Cotangent => 2,
            Saying::Report => 3,
        }
    }
}

/// Something that was said.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// What is said.
    pub saying: Saying,
    /// The text beside it.
    pub text: &'a str,
    /// Of reports, how many there were with this text.
    pub count: u64,
    /// The value.
    pub value: &'a str,
    /// Whether the run ended early, and this is how far it was.
    pub is_last: bool,
}

impl Display for Said<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Said { text, count, value, .. } = self;
        match self.saying {
            Saying::Value => write!(f, "{text} = {value}"),
            Saying::Tangent => write!(f, "tangent of {text} = {value}"),
            Saying::Cotangent => write!(f, "cotangent of {text} = {value}"),
            Saying::Report if self.is_last => write!(f, "[{count}] {text} = {value}, the last"),
            Saying::Report => write!(f, "[{count}] {text} = {value}"),
        }
    }
}

/// Who hears what is said.
pub type Listener = Arc<dyn Fn(&Said<'_>) + Send + Sync>;

/// What a call has said so far, and to whom.
#[derive(Default)]
pub struct Telling {
    listener: Mutex<Option<Listener>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// How many lines this run of the call has.
    at: u64,
    /// How many lines were heard.
    heard: u64,
    is_quiet: bool,
    /// By their texts.
    reports: BTreeMap<String, Reports>,
}

#[derive(Default)]
struct Reports {
    count: u64,
    /// The last one that was heard.
    heard: u64,
    /// The last value, if it is a number.
    last: Option<Number>,
}

impl Debug for Telling {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_heard = lock(&self.listener).is_some();
        f.write_str(if is_heard { "Telling(somebody)" } else { "Telling(standard error)" })
    }
}

impl Telling {
    /// For another call: the same listener, and nothing said yet.
    pub(crate) fn anew(&self) -> Telling {
        let listener = Mutex::new(lock(&self.listener).clone());
        Telling { listener, state: Mutex::default() }
    }

    /// Has somebody hear what is said; standard error gets lines otherwise.
    pub fn set_listener(&self, listener: Listener) {
        *lock(&self.listener) = Some(listener);
    }

    /// A call begins.
    pub fn begins(&self) {
        *lock(&self.state) = State::default();
    }

    /// The same call is made again: what was heard is not said twice.
    pub fn again(&self) {
        let mut state = lock(&self.state);
        state.at = 0;
        state.reports.clear();
    }

    /// Runs something that says nothing: it is done to find out more about an error.
    pub fn quietly<R>(&self, f: impl FnOnce() -> R) -> R {
        lock(&self.state).is_quiet = true;
        let res = f();
        lock(&self.state).is_quiet = false;
        res
    }

    /// The call has ended with an error: how far it was, if that is more than was heard.
    pub fn ended_early(&self) {
        let reports = std::mem::take(&mut lock(&self.state).reports);
        for (text, it) in reports {
            let Some(last) = it.last.filter(|_| it.count > it.heard) else { continue };
            let (saying, value) = (Saying::Report, last.to_string());
            self.heard(&Said {
                saying,
                text: &text,
                count: it.count,
                value: &value,
                is_last: true,
            });
        }
    }

    /// Says something; a report every so many times only, and nothing by zero times otherwise.
    pub fn say(&self, saying: Saying, every: i64, text: &str, value: &Shown<'_>) {
        if saying != Saying::Report && every == 0 {
            return;
        }
        let mut state = lock(&self.state);
        if state.is_quiet {
            return;
        }
        let mut count = 0;
        if saying == Saying::Report {
            if !state.reports.contains_key(text) {
                state.reports.insert(text.to_string(), Reports::default());
            }
            let Some(reports) = state.reports.get_mut(text) else { return };
            reports.count += 1;
            reports.last = value.number();
            count = reports.count;
            if count % every.max(1).cast_unsigned() != 0 {
                return;
            }
            reports.heard = count;
        }
        state.at += 1;
        if state.at > state.heard {
            state.heard = state.at;
            let value = value.to_string();
            // With the lock held, so that lines of several threads do not mix.
            self.heard(&Said { saying, text, count, value: &value, is_last: false });
        }
    }

    fn heard(&self, said: &Said<'_>) {
        match &*lock(&self.listener) {
            Some(listener) => listener(said),
            // Nobody is left to be told that standard error is closed.
            None => drop(writeln!(std::io::stderr(), "{said}")),
        }
    }
}

/// A listener that panicked has left nothing half done here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::{Saying, Telling};
    use crate::shown::{Elements, Shown};

    fn heard() -> (Telling, Arc<Mutex<Vec<String>>>) {
        let (telling, lines) = (Telling::default(), Arc::new(Mutex::new(Vec::new())));
        let into = lines.clone();
        telling.set_listener(Arc::new(move |it| into.lock().unwrap().push(it.to_string())));
        (telling, lines)
    }

    fn report(telling: &Telling, every: i64, value: f64) {
        telling.say(Saying::Report, every, "x", &Shown::scalar(Elements::Reals(&[value])));
    }

    #[test]
    fn reports_are_heard_every_so_many_times() {
        let (telling, lines) = heard();
        (1..=5).for_each(|it| report(&telling, 2, f64::from(it)));
        telling.ended_early();
        let expected = ["[2] x = 2.0", "[4] x = 4.0", "[5] x = 5.0, the last"];
        assert_eq!(*lines.lock().unwrap(), expected);
    }

    #[test]
    fn what_was_heard_is_not_said_again() {
        let (telling, lines) = heard();
        (1..=2).for_each(|it| report(&telling, 1, f64::from(it)));
        telling.again();
        (1..=3).for_each(|it| report(&telling, 0, f64::from(it)));
        assert_eq!(*lines.lock().unwrap(), ["[1] x = 1.0", "[2] x = 2.0", "[3] x = 3.0"]);
        telling.begins();
        report(&telling, 1, 7.0);
        assert_eq!(lines.lock().unwrap().len(), 4);
    }
}
