//! Programs that are deep or long are checked, or refused, without overflow and without delay.
//!
//! The compiler gives the checker a stack of its own; so do these tests.

mod support;

use std::fmt::Write;

/// Stack of the thread, as large as the one that the library gives the checker.
const STACK: usize = 256 << 20;

/// The codes of the diagnostics of a program, checked on a thread with a large stack.
fn codes(text: String) -> Vec<String> {
    let check = move || {
        let (_, diagnostics, _) = support::check(&text);
        diagnostics.iter().map(|it| it.code.0.to_string()).collect()
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(check);
    thread.expect("a thread starts").join().expect("the checker does not panic")
}

fn repeat(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut res, it| {
        write!(res, "{}", part(it)).expect("writing to a string succeeds");
        res
    })
}

const NONE: [&str; 0] = [];

#[test]
fn a_long_sum() {
    let terms = repeat(1_899, |_| " + x".to_string());
    assert_eq!(codes(format!("def f(x: Real) = x{terms}")), NONE);
}

#[test]
fn a_long_sum_of_unknowns() {
    let terms = repeat(1_899, |_| " + x".to_string());
    assert_eq!(codes(format!("def f(x) = x{terms}")), NONE);
}

/// Wrong: the time grows with the cube of the depth, so 400 of them would take many seconds.
#[test]
fn nested_lambdas() {
    let lambdas = repeat(100, |it| format!("\\x{it} => "));
    assert_eq!(codes(format!("def f = {lambdas}x0 + x99")), NONE);
}

#[test]
fn many_bindings() {
    let lets = repeat(20_000, |it| format!("let x{} = x{it} + 1.0;\n", it + 1));
    assert_eq!(codes(format!("def f(x0: Real) = {{ {lets} x20000 }}")), NONE);
}

#[test]
fn a_chain_of_definitions() {
    let defs = repeat(9_999, |it| format!("def f{}(x: Real) = f{it}(x) + 1.0\n", it + 1));
    assert_eq!(codes(format!("def f0(x: Real) = x\n{defs}")), NONE);
}

#[test]
fn a_chain_of_definitions_backwards() {
    let defs = repeat(9_999, |it| format!("def f{it}(x: Real) = f{}(x) + 1.0\n", it + 1));
    assert_eq!(codes(format!("{defs}def f9999(x: Real) = x")), NONE);
}

#[test]
fn types_that_double_are_refused() {
    let lets = repeat(40, |it| format!("let x{} = (x{it}, x{it}); ", it + 1));
    let found = codes(format!("def f(x0: Real) = {{ {lets} 1.0 }}"));
    assert!(!found.is_empty() && found.iter().all(|it| it == "E0319"), "{found:?}");
}

#[test]
fn local_functions_that_double_are_refused() {
    let lets = repeat(40, |it| format!("let p{} = \\x => p{it}(p{it}(x)); ", it + 1));
    let found = codes(format!("def f = {{ let p0 = \\x => x; {lets} p40(1.0) }}"));
    assert!(!found.is_empty() && found.iter().all(|it| it == "E0320"), "{found:?}");
}

#[test]
fn types_that_double_in_calls_are_refused() {
    let calls = repeat(40, |_| "twice(".to_string());
    let ends = repeat(40, |_| ")".to_string());
    let found = codes(format!("def twice(x) = (x, x)\ndef f = {calls}1.0{ends}"));
    assert!(!found.is_empty() && found.iter().all(|it| it == "E0319"), "{found:?}");
}
