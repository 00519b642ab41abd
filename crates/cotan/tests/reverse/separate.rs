//! Separate compilation: the derivative of a definition is made once, whoever calls it.
//!
//! Paper: Krawiec et al., Section 7.5. The derivative of a library function does not mention the
//! argument of the main function, so it serves every gradient.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use base::{Name, Severity, SourceMap};
use eval::{Derive, Evaluator, Limits, Mode, Precision, Value};
use ir::signature::taped_of;
use ir::{Binder, Def, Lambda, Program, Spans};

/// Makes derivatives, and counts how often each was asked for: definitions by name, functions
/// without a name by their text.
#[derive(Clone, Default)]
pub(crate) struct Derivatives {
    asked: Arc<Mutex<BTreeMap<String, usize>>>,
}

impl Derivatives {
    fn note(&self, what: String) {
        *self.asked.lock().expect("no test panicked").entry(what).or_default() += 1;
    }

    /// How often derivatives of definitions were asked for.
    fn of_definitions(&self) -> BTreeMap<String, usize> {
        let asked = self.asked.lock().expect("no test panicked");
        asked.iter().filter(|it| !it.0.contains(' ')).map(|(it, n)| (it.clone(), *n)).collect()
    }

    /// How many derivatives were asked for, each counted every time.
    fn total(&self) -> usize {
        self.asked.lock().expect("no test panicked").values().sum()
    }

    /// Fails if anything was asked for twice.
    #[track_caller]
    fn once_each(&self) {
        for (what, count) in self.asked.lock().expect("no test panicked").iter() {
            assert_eq!(*count, 1, "derived {count} times: {what}");
        }
    }
}

impl Derive for Derivatives {
    fn forward_lambda(
        &self,
        program: &Program,
        captured: &[Binder],
        lambda: &Lambda,
        next_var: u32,
        spans: &Spans,
    ) -> (Lambda, u32, Spans) {
        self.note(format!("forward {lambda}"));
        ad::forward_lambda(program, captured, lambda, next_var, spans)
    }

    fn def(&self, program: &Program, name: &Name) -> Option<Def> {
        self.note(name.to_string());
        let Some((base, mask)) = taped_of(name) else {
            return ad::forward_def(program, name);
        };
        Some(ad::tape_def(program, &ad::forward_def(program, base)?, mask))
    }

    fn reverse_lambda(
        &self,
        program: &Program,
        captured: (&[Binder], &[bool]),
        lambda: &Lambda,
        next_var: u32,
        spans: &Spans,
    ) -> (Lambda, u32, Spans) {
        self.note(format!("tape {:?} {lambda}", captured.1));
        ad::tape_lambda(program, captured, lambda, next_var, spans)
    }
}

/// The program of a text, as the evaluator wants it.
pub(crate) fn checked(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let prelude = sources.add("<prelude>", check::PRELUDE);
    let (module, mut found) = syntax::parse(sources.add("reverse.cot", text), text);
    let (checked, complaints) = check::check(prelude, &module);
    found.extend(check::diagnostics(&complaints));
    assert!(found.iter().all(|it| it.severity != Severity::Error), "{found:?}");
    checked.program
}

/// An evaluator that shares its counts.
fn counted(text: &str) -> (Evaluator, Derivatives) {
    let derivatives = Derivatives::default();
    let limits = Limits { memory: 1 << 30, precision: Precision::F64, mode: Mode::Reverse };
    let program = Arc::new(checked(text));
    (Evaluator::new(program, Box::new(derivatives.clone()), limits), derivatives)
}

#[track_caller]
fn call(evaluator: &mut Evaluator, def: &str, args: &[f64]) -> Value {
    let args = args.iter().map(|it| Value::Real(*it)).collect();
    let res = evaluator.call(&Name::read(def), &[], args);
    res.unwrap_or_else(|it| panic!("{it:?}")).remove(0)
}

const LIBRARY: &str = "
def helper(x: Real): Real = x * sin(x)
def both(x: Real, y: Real): Real = helper(x) * y + helper(y)
def power(x: Real, n: Int): Real = if n == 0 then helper(x) else x * power(helper(x), n - 1)
def many(x: Real): Real = helper(x) + helper(x * x) + helper(helper(x)) + both(x, x) + both(x, 2.0)
";

#[test]
fn called_from_many_places_and_in_recursion() {
    let text = format!(
        "{LIBRARY}
        def main(x: Real): Real = grad(\\y => many(y) + power(y, 20) + helper(y))(x)"
    );
    let (mut evaluator, derivatives) = counted(&text);
    call(&mut evaluator, "main", &[0.5]);
    derivatives.once_each();
    let names: Vec<String> = derivatives.of_definitions().into_keys().collect();
    assert_eq!(names, ["both~10", "both~11", "helper~1", "many~1", "power~10"]);
}

/// Nothing is derived for another point, nor for another gradient that calls the same definitions,
/// whatever the type of its argument is.
#[test]
fn several_gradients_share_the_derivatives_of_what_they_call() {
    let text = format!(
        "{LIBRARY}
        def first(x: Real): Real = grad(helper)(x)
        def second(x: Real): Real = grad(\\y => helper(y) * helper(x))(x)
        def third(x: Real): Real = sum(grad(\\v => sum(map(helper, v)))(replicate(5, x)))
        def fourth(x: Real): Real = grad(\\p => helper(p.0) + helper(p.1))((x, x)).0
        def loop(x: Real): Real = iterate(100, \\s => s - 0.01 * grad(\\y => helper(y * x))(s), x)"
    );
    let (mut evaluator, derivatives) = counted(&text);
    for main in ["first", "second", "third", "fourth", "loop"] {
        for x in [0.5, 0.25, -1.0, 2.0] {
            let before = derivatives.total();
            call(&mut evaluator, main, &[x]);
            let made = derivatives.total() - before;
            assert!(x == 0.5 || made == 0, "{main} at {x}: {made} more derivatives");
        }
    }
    assert_eq!(derivatives.of_definitions()["helper~1"], 1);
    derivatives.once_each();
}

/// The derivative of a recursive definition does not depend on how deep the recursion goes.
#[test]
fn the_number_of_derivatives_does_not_depend_on_the_run() {
    let made = |n: usize| {
        let text = format!(
            "{LIBRARY}
            def main(x: Real): Real = iterate({n}, \\s => s + grad(\\y => power(y, {n}))(s), x)"
        );
        let (mut evaluator, derivatives) = counted(&text);
        call(&mut evaluator, "main", &[0.01]);
        derivatives.total()
    };
    assert_eq!(made(2), made(50));
}

/// Second derivatives have derivatives of derivatives, each once: forward mode of the definition,
/// and its reverse mode.
#[test]
fn derivatives_of_derivatives_are_made_once() {
    let text = format!(
        "{LIBRARY}
        def slope(x: Real): Real = grad(many)(x)
        def main(x: Real): Real = grad(slope)(x) + grad(\\y => slope(y) * y)(x)
        def along(x: Real): Real = hvp(\\y => many(y) + y)(x, 1.0)"
    );
    let (mut evaluator, derivatives) = counted(&text);
    for x in [0.5, 0.25] {
        call(&mut evaluator, "main", &[x]);
        call(&mut evaluator, "along", &[x]);
    }
    derivatives.once_each();
    let names = derivatives.of_definitions();
    for name in ["helper~1", "slope~1", "helper'1", "helper'1~1"] {
        assert_eq!(names.get(name), Some(&1), "{name}: {names:?}");
    }
}
