//! A run that takes longer than a draft, and need not wait for all that C takes: it is compiled meanwhile.
//!
//! Instant code goes on, for about as long as the C compiler takes. How long that is follows from the loops and is
//! counted in steps, never timed. If instant code is done within them, its result is the result, also where C was
//! there before; else that of C is, also where C comes later. So which code answers is up to the program and its
//! arguments, and not to what else the machine does.
//!
//! A draft in C runs for as many steps as it is worth. Once it has run for a while, its fast code is begun; whether
//! that is asked for is up to the draft's steps again.

use std::sync::Arc;
use std::time::Duration;

use base::Name;
use eval::RunError;

use crate::answer::{Answer, Held};
use crate::backend::Backend;
use crate::compiler::Compiled;
use crate::machine::{Ahead, Entered, Machine, Patience, Wanted};
use crate::options::{Effort, Options};
use crate::signature::Signature;

/// How long a draft runs before its fast code is begun: those that are done at once cost no compiler.
const WHILE: Duration = Duration::from_millis(100);

impl Compiled {
    /// The fast code of a draft in C that is about to run, in the making.
    pub(crate) fn ahead_of_draft(
        &mut self,
        machine: &Machine,
        signature: &Signature,
        sizes: &[i64],
    ) -> Option<Ahead> {
        let is_draft = machine.is_draft() && machine.backend() == Backend::Native;
        if is_draft { self.ahead(&signature.def, sizes, WHILE) } else { None }
    }

    /// Fast code in the making, begun after this time; none if it is there, or nothing can make it.
    fn ahead(&mut self, def: &Name, sizes: &[i64], after: Duration) -> Option<Ahead> {
        if self.has_fast(def, sizes) {
            return None;
        }
        let kind = self.kind_of(def, Some(sizes), Effort::Full);
        let (wanted, options) = self.fast(def, kind.0.as_deref());
        Ahead::begin(wanted, options, &self.stop, after)
    }

    /// What fast code is made of.
    fn fast<'a>(&'a self, entry: &'a Name, typical: Option<&'a [i64]>) -> (Wanted<'a>, Options) {
        let wanted = Wanted {
            sources: &self.sources,
            program: &self.checked.program,
            entry,
            typical,
            only_short: false,
            patience: Patience::Endless,
            watch: &self.watch,
        };
        (wanted, Options { effort: Effort::Full, ..self.options_of(entry) })
    }

    /// Whether the fast code for such sizes is there.
    fn has_fast(&self, def: &Name, sizes: &[i64]) -> bool {
        let machines = self.kept.machines.get(def).and_then(|it| it.as_ref().ok());
        machines.is_some_and(|it| it.contains_key(&self.kind_of(def, Some(sizes), Effort::Full)))
    }

    /// The code that was begun is there, for whoever asks for it next.
    pub(crate) fn keep_ahead(
        &mut self,
        ahead: Ahead,
        signature: &Signature,
        (sizes, effort): (&[i64], Effort),
    ) {
        let Signature { def, parameters, .. } = signature;
        let [first, last] = [effort, Effort::Full].map(|it| self.kind_of(def, Some(sizes), it));
        match ahead.machine() {
            Err(it) => self.note_refusal(&it),
            Ok(made) => {
                if parameters.is_empty() {
                    let (wanted, options) = self.fast(def, last.0.as_deref());
                    Ahead::is_in_vain(wanted, options);
                }
                let made = Arc::new(made);
                let known = self.kept.machines.entry(def.clone());
                if let Ok(known) = known.or_insert_with(|| Ok(Default::default())) {
                    known.insert(last, made.clone());
                    // Every run of what has no parameters is this one.
                    if parameters.is_empty() {
                        known.insert(first, made);
                    }
                }
            }
        }
    }

    /// The answer of instant code that has taken more steps than a draft, if it needs no more than C is worth;
    /// otherwise the code of C is there, for whoever asks for it next.
    pub(crate) fn meanwhile(
        &mut self,
        machine: &Arc<Machine>,
        arguments: &Entered,
        signature: &Signature,
        (sizes, effort): (&[i64], Effort),
    ) -> Result<Option<Answer>, RunError> {
        let is_draft = machine.backend() == Backend::Instant;
        if !is_draft || self.options.backend != Backend::Auto || !self.has_compiler() {
            return Ok(None);
        }
        let ahead = self.ahead(&signature.def, sizes, Duration::ZERO);
        if ahead.is_none() && !self.has_fast(&signature.def, sizes) {
            return Ok(None);
        }
        self.stop.telling().again();
        if let Some(left) = machine.call_longer(arguments)? {
            return Ok(Some(self.answer(signature, Held::of(machine, left))));
        }
        if let Some(ahead) = ahead {
            self.keep_ahead(ahead, signature, (sizes, effort));
        }
        Ok(None)
    }
}
