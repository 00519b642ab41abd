//! C that is compiled while other code runs, for a run that takes longer than a draft.
//!
//! All that its passes read is shared or copied, so that whoever has an answer before it is done goes away and
//! waits for nothing but the end of the C compiler, if that is at work.

use std::time::Duration;

use base::Stop;
use native::{Cache, Toolchain};

use super::code::Machine;
use super::recipe::Recipe;
use super::{Patience, Refused, USE_INTERP, Wanted, Why};
use crate::deep::with_deep_stack;
use crate::options::Options;

/// Code in the making; given up when this is dropped.
pub(crate) struct Ahead(native::Ahead<Result<Machine, Refused>>);

impl Ahead {
    /// Begins to make it after this time, or when it is asked for; none if there is no C compiler, or no thread.
    pub(crate) fn begin(
        wanted: Wanted<'_>,
        options: Options,
        stop: &Stop,
        after: Duration,
    ) -> Option<Ahead> {
        let toolchain = Toolchain::find().ok()?;
        let (sources, program) = (wanted.sources.clone(), wanted.program.clone());
        let (entry, watch, stop) = (wanted.entry.clone(), wanted.watch.clone(), stop.clone());
        let typical = wanted.typical.map(<[i64]>::to_vec);
        let begun = native::Ahead::begin(move |asked| {
            if !asked.after(after) {
                let reason = "nobody wants the code any more".to_string();
                return Err(Refused { span: None, reason, help: USE_INTERP, why: Why::Dear(0) });
            }
            let wanted = Wanted {
                sources: &sources,
                program: &program,
                entry: &entry,
                typical: typical.as_deref(),
                only_short: false,
                // Nobody knows yet whether other code runs in vain: that is not up to who is done first.
                patience: Patience::Endless,
                watch: &watch,
            };
            let toolchain = toolchain.with_wanted(asked);
            with_deep_stack(|| Machine::by(&toolchain, wanted, options, &stop))
        });
        begun.ok().map(Ahead)
    }

    /// Says of this code, which is kept, that every run comes to it in the end.
    pub(crate) fn is_in_vain(wanted: Wanted<'_>, options: Options) {
        if let Ok(toolchain) = Toolchain::find() {
            Recipe::note_in_vain(wanted, options, &toolchain, &Cache::of_user());
        }
    }

    /// The code, when it is made.
    pub(crate) fn machine(self) -> Result<Machine, Refused> {
        self.0.wait()
    }
}
