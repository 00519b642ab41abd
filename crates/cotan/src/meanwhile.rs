//! A run that takes longer than a draft, and need not wait for C: instant code goes on, for about as long as the
//! C compiler takes, which is at work meanwhile.
//!
//! How long that is follows from the loops and is counted in steps, never timed. If instant code is done within
//! them, its result is the result, also where C was there before; else that of C is, also where C comes later.
//! So which code answers is up to the program and its arguments, and not to what else the machine does.

use std::sync::Arc;

use eval::RunError;

use crate::answer::{Answer, Held};
use crate::backend::Backend;
use crate::compiler::Compiled;
use crate::machine::{Ahead, Entered, Machine, Patience, Wanted};
use crate::options::{Effort, Options};
use crate::signature::Signature;

impl Compiled {
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
        let options = Options { effort: Effort::Full, ..self.options_of(&signature.def) };
        let [first, last] =
            [effort, Effort::Full].map(|it| self.kind_of(&signature.def, Some(sizes), it));
        let known = |it: &Self| {
            let machines = it.kept.machines.get(&signature.def).and_then(|it| it.as_ref().ok());
            machines.is_some_and(|it| it.contains_key(&last))
        };
        let ahead = if known(self) {
            None
        } else {
            let wanted = Wanted {
                sources: &self.sources,
                program: &self.checked.program,
                entry: &signature.def,
                typical: last.0.as_deref(),
                only_short: false,
                patience: Patience::Endless,
                watch: &self.watch,
            };
            let Some(ahead) = Ahead::begin(wanted, options, &self.stop) else { return Ok(None) };
            Some(ahead)
        };
        self.stop.telling().again();
        if let Some(left) = machine.call_longer(arguments)? {
            return Ok(Some(self.answer(signature, Held::of(machine, left))));
        }
        match ahead.map(Ahead::machine) {
            None => {}
            Some(Err(it)) => self.note_refusal(&it),
            Some(Ok(made)) => {
                let made = Arc::new(made);
                let known = self.kept.machines.entry(signature.def.clone());
                if let Ok(known) = known.or_insert_with(|| Ok(Default::default())) {
                    known.insert(last, made.clone());
                    // Every run of what has no parameters is this one.
                    if signature.parameters.is_empty() {
                        known.insert(first, made);
                    }
                }
            }
        }
        Ok(None)
    }
}
