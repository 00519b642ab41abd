//! Entry points that keep less for the way back, for calls that came to the end of memory (`again.rs`).

use eval::Value;

use super::entry::{Entry, Given};
use super::lock;
use crate::Stop;
use crate::again::is_short;
use crate::argument::Bound;
use crate::sizes::Sizes;
use base::Diagnostic;

/// What a call takes that was bound before.
pub(super) struct Values<'a> {
    pub(super) values: &'a [Value],
    pub(super) sizes: &'a Sizes,
    pub(super) size_arguments: &'a [i64],
}

impl Entry {
    /// The entry point that keeps less, if these errors say that memory is short and there is anything to be
    /// had by that.
    pub(super) fn shortened(&self, errors: &[Diagnostic], stop: &Stop) -> Option<&Entry> {
        if !is_short(errors) || !lock(&self.compiled).keeps_less(&self.signature.def) {
            return None;
        }
        stop.telling().again();
        let shorter = || Box::new(Entry::of(self, self.signature.clone()));
        Some(self.shorter.get_or_init(shorter))
    }

    /// Calls it with what was bound before, as often as keeping less helps.
    pub(super) fn by_values(
        &self,
        given: &Values<'_>,
        stop: &Stop,
    ) -> Result<Given, Vec<Diagnostic>> {
        if let Some(shorter) = self.shorter.get() {
            return shorter.by_values(given, stop);
        }
        let Values { values, sizes, size_arguments } = given;
        let res = match self.machine(size_arguments)? {
            None => self.interpreted(size_arguments, values.to_vec(), stop),
            Some(machine) => {
                let left = machine.call_until(&machine.enter(size_arguments, values), stop);
                let bound = || Bound { values: values.to_vec(), sizes: (*sizes).clone() };
                self.ended(&machine, left, || Ok(bound()))
            }
        };
        self.or_shorter(res, given, stop)
    }

    /// What a call gave, or what it gives where less is kept, if that was the trouble.
    pub(super) fn or_shorter(
        &self,
        res: Result<Given, Vec<Diagnostic>>,
        given: &Values<'_>,
        stop: &Stop,
    ) -> Result<Given, Vec<Diagnostic>> {
        match res {
            Ok(it) => Ok(it),
            Err(errors) => match self.shortened(&errors, stop) {
                Some(shorter) => shorter.by_values(given, stop),
                None => Err(errors),
            },
        }
    }
}
