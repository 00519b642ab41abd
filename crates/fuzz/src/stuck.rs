//! Whether a process still gets on, by the time that it had a processor for: on a busy machine nothing
//! takes long only because others work too.
#![allow(
    clippy::disallowed_methods,
    reason = "a front end: it looks at the clock and at processes"
)]

use std::fs;
use std::time::{Duration, Instant};

/// How often one has to look.
pub const LOOK: Duration = Duration::from_secs(1);

/// How many times as long a process may take by the clock on the wall: one that waits for ever uses no
/// processor.
const WALL: u32 = 20;

/// A process that has said nothing for a while.
#[derive(Default)]
pub struct Stuck {
    /// Since when, and how long it had worked then.
    since: Option<(Instant, Option<Duration>)>,
}

impl Stuck {
    /// It said something.
    pub fn gets_on(&mut self) {
        self.since = None;
    }

    /// Whether it has worked for longer than this, and said nothing. Called every [`LOOK`].
    pub fn for_longer_than(&mut self, patience: Duration, process: u32) -> bool {
        let now = worked(process);
        let (begun, before) = *self.since.get_or_insert((Instant::now(), now));
        let waited = begun.elapsed();
        let worked = now.zip(before).map_or(waited, |(now, before)| now.saturating_sub(before));
        worked >= patience || waited >= patience * WALL
    }
}

/// How long a process has worked, with those that it started and waited for; nothing where the system
/// does not say.
fn worked(process: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program may hold anything; behind it are numbers, from the third one on: of
    // hundredths of a second in the program and for it in the system, and both again for its children.
    let (_, numbers) = stat.rsplit_once(')')?;
    let ticks = numbers.split_whitespace().skip(11).take(4);
    let ticks: u64 = ticks.map(|it| it.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some(Duration::from_millis(10 * ticks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_that_of_the_process() {
        let Some(before) = worked(std::process::id()) else { return };
        let mut sum = 0u64;
        while worked(std::process::id()).is_some_and(|it| it <= before) {
            sum = std::hint::black_box(sum + 1);
        }
        let mut stuck = Stuck::default();
        // One that never works is not stuck before the wall says so.
        assert!(!stuck.for_longer_than(Duration::from_secs(1), 1));
        assert!(stuck.for_longer_than(Duration::ZERO, 1));
        stuck.gets_on();
        assert!(stuck.since.is_none());
    }
}
