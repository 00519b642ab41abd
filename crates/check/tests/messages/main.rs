//! What typical mistakes look like to the user; and that there is one message for each.

mod names;
mod repairs;
mod sizes;
#[path = "../support/mod.rs"]
mod support;
mod types;

use expect_test::{Expect, expect};

pub(crate) fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&support::messages(text));
}

/// The help of the only complaint.
pub(crate) fn help(text: &str) -> String {
    let (_, diagnostics, _) = support::check(text);
    assert_eq!(diagnostics.len(), 1, "{}", support::messages(text));
    diagnostics[0].help.join("; ")
}

#[test]
fn one_mistake_gives_one_message() {
    check(
        r"def f(x: Real) = x + undefined
def g(x: Real) = f(x) * 2.0 + f(1.0)",
        &expect![[r#"
            error[E0201]: unknown name `undefined`
             --> test.cot:1:22
              |
            1 | def f(x: Real) = x + undefined
              |                      ^^^^^^^^^ nothing of this name is in scope
        "#]],
    );
}

#[test]
fn every_error_of_a_text_in_one_run() {
    let found = support::messages(
        "def fs = [sin, cos]\n\
         def triangle(n: Int) = build i < n => iota(i)\n\
         def wrong(x: Real): Int = x\n\
         def uses = wrong(1.0) + 1\n\
         def typo = sine(1.0)\n",
    );
    let codes: Vec<&str> =
        found.lines().filter_map(|it| it.strip_prefix("error[")?.split(']').next()).collect();
    assert_eq!(codes, ["E0318", "E0403", "E0301", "E0201"], "{found}");
}

#[test]
fn very_many_errors() {
    // As many as would take minutes if each cost as much as there are others.
    let n = 40_000;
    let unknown: String = (0..n).map(|it| format!("def f{it} = u{it}\n")).collect();
    let found = support::messages(&unknown);
    assert!(found.ends_with("\n... and 39900 more\n"), "{}", &found[found.len() - 200..]);
    let again: String = (0..=n).map(|_| "def f = 1\n").collect();
    assert!(support::messages(&again).ends_with("\n... and 39900 more\n"));
}
