//! The table of back ends: what it says is what they do.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use cotan::{BACK_ENDS, Backend, Compiler, METHODS, Options, Style};

#[test]
fn every_choice_has_a_name_and_is_found_by_it() {
    for backend in Backend::all() {
        assert_eq!(Backend::named(backend.name()), Some(backend));
    }
    assert_eq!(Backend::named("magic"), None);
}

#[test]
fn the_reference_runs_every_program_as_it_is() {
    assert!(!BACK_ENDS[0].compiles() && BACK_ENDS[0].is_built);
    assert!(METHODS.iter().all(|it| BACK_ENDS[0].accepts_method(it)));
}

/// A derivative of x * x by each method and back end: 6 at 3, or a refusal that says who accepts it, exactly
/// where the table says so. `auto` refuses nothing.
#[test]
fn what_a_back_end_refuses_is_what_the_table_says() {
    for method in METHODS {
        let is_built = |it: &Backend| it.back_end().is_none_or(|it| it.is_built);
        for backend in Backend::all().filter(is_built) {
            let options = Options { backend, via: method.via, ..Options::default() };
            let text = "def f(x: Real): Real = x * x\ndef main = grad(f)(3.0)";
            let mut program = Compiler::new(options).compile("f.cot", text).ok().unwrap();
            let found = program.call("main", &[]);
            let row = backend.back_end();
            if row.is_none_or(|it| it.accepts_method(method)) {
                assert_eq!(found.ok().unwrap().to_text(), "6.0", "{} {backend:?}", method.name);
                continue;
            }
            let row = row.unwrap();
            let told = found.err().unwrap().render(Style::Plain);
            assert!(told.contains("E0637") && told.contains(&format!("`{}`", row.name)), "{told}");
            assert!(told.contains("`interp`, which runs every method"), "{told}");
            assert!(row.accepts.contains(&format!("`{}`", method.name)), "{}", row.accepts);
        }
    }
}

/// Of what is tried, the last one accepts every program.
#[test]
fn auto_ends_with_the_interpreter() {
    assert!(cotan::manual_of_back_ends().contains(
        "| `auto` | `native` where it can, otherwise `instant` where it can, otherwise `interp` |"
    ));
}
