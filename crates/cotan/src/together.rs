//! Tests that are compiled together, as one entry point with a result for each of them: alone, most of
//! them take less time than the C compiler needs to begin.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use base::Name;
use eval::Value;
use ir::{Atom, Binder, Builder, Def, FunctionOp, Op, Origin, Program, Spans};

use crate::backend::Found;
use crate::compiler::Compiled;
use crate::machine::{Patience, Wanted};
use crate::options::{Effort, Options};
use crate::tuning::TESTS_AT_ONCE;

/// Of each test that ran together with others: whether it came out true.
pub(crate) type Passed = BTreeMap<usize, bool>;

impl Compiled {
    /// Whether a test came out true together with those around it. If not, it may be false, or it ends
    /// in an error, or nobody compiles it: running it alone tells.
    pub(crate) fn passed_together(&mut self, index: usize) -> bool {
        if !self.tries_compiler() {
            return false;
        }
        if !self.kept.passed.contains_key(&index) {
            let start = index - index % TESTS_AT_ONCE;
            self.run_together(start..(start + TESTS_AT_ONCE).min(self.n_tests()));
        }
        self.kept.passed[&index]
    }

    /// Runs these tests, or each half of them if something is in the way of some.
    fn run_together(&mut self, tests: Range<usize>) {
        let middle = tests.start + tests.len() / 2;
        match self.results_of(tests.clone()) {
            Some(results) => self.kept.passed.extend(tests.zip(results)),
            None if tests.len() > 1 => {
                self.run_together(tests.start..middle);
                self.run_together(middle..tests.end);
            }
            None => self.kept.passed.extend(tests.map(|it| (it, false))),
        }
    }

    /// What the tests give; nothing if one of them gives nothing, or nothing soon.
    fn results_of(&mut self, tests: Range<usize>) -> Option<Vec<bool>> {
        if tests.len() < 2 || !self.tries_compiler() {
            return None;
        }
        let options = Options { effort: Effort::Once, ..self.options };
        let mut program = self.checked.program.clone();
        let defs = self.checked.tests[tests].iter().map(|it| &it.def);
        // No name of a text has a dot.
        let all = entry_of(&program, "tests.together", defs, |_, results| results);
        let entry = all.name.clone();
        program.defs.insert(entry.clone(), Arc::new(all));
        let wanted = Wanted {
            sources: &self.sources,
            program: &program,
            entry: &entry,
            typical: None,
            only_short: true,
            patience: Patience::Endless,
            watch: &self.watch,
        };
        let found = options.backend.compile(wanted, options, &self.stop, self.has_compiler());
        let Found { machine, without } = found.inspect_err(|it| self.note_refusal(it)).ok()?;
        without.iter().for_each(|it| self.note_refusal(it));
        let left = machine.call(&machine.enter(&[], &[])).ok()??;
        let is_true = |it: Value| matches!(it, Value::Bool(true));
        Some(machine.values(&left).into_iter().map(is_true).collect())
    }
}

/// An entry point that calls all of these definitions, none of which takes anything, and gives what is made of
/// their results.
pub(crate) fn entry_of<'a>(
    program: &Program,
    name: &str,
    defs: impl Iterator<Item = &'a Name>,
    gives: impl FnOnce(&mut Builder<'_>, Vec<Atom>) -> Vec<Atom>,
) -> Def {
    let mut builder = Builder::new(program, 0);
    builder.open();
    let call = |def: &Name| {
        Op::Function(FunctionOp::Call {
            def: def.clone(),
            types: Vec::new(),
            sizes: Vec::new(),
            args: Vec::new(),
        })
    };
    let values: Vec<Atom> = defs.map(|it| builder.one(call(it))).collect();
    let given = gives(&mut builder, values);
    let result = |it: &Atom| {
        let ty = builder.type_of(it);
        Binder { var: builder.fresh(ty.clone()), ty }
    };
    let results = given.iter().map(result).collect();
    let body = builder.close(given);
    let (next_var, _) = builder.finish();
    Def {
        name: Name::from(name.to_string()),
        type_params: Vec::new(),
        size_params: Vec::new(),
        params: Vec::new(),
        results,
        body,
        next_var,
        spans: Spans::default(),
        origin: Origin::Source,
    }
}
