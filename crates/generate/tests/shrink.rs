//! Shrinking keeps the property and gets down to what the property needs.

use generate::shrink;
use ir::{Dialect, Program, verify};

/// Programs that have the property, shrunk.
fn shrunk(has: fn(&Program) -> bool) -> Vec<Program> {
    let programs = (0..300).map(|seed| generate::program(seed, 20, Dialect::Source));
    let found: Vec<Program> = programs.filter(has).take(8).collect();
    assert_eq!(found.len(), 8, "such programs are generated");
    let small: Vec<Program> = found.into_iter().map(|it| shrink(it, &mut |it| has(it))).collect();
    for program in &small {
        assert!(has(program));
        verify(program, Dialect::Source).unwrap_or_else(|it| panic!("{it}\n{program}"));
    }
    small
}

#[test]
fn without_a_condition_nothing_is_left() {
    for program in shrunk(|_| true) {
        let main = &program.defs[&generate::main()];
        assert_eq!(program.defs.len(), 1, "{program}");
        assert!(main.params.is_empty() && main.size_params.is_empty(), "{program}");
    }
}

#[test]
fn what_the_property_needs_stays() {
    for program in shrunk(|it| it.to_string().contains("= sort ")) {
        assert!(program.to_string().lines().count() < 14, "{program}");
    }
    for program in shrunk(|it| it.to_string().contains("= while ")) {
        assert!(program.to_string().lines().count() < 20, "{program}");
    }
}
