//! Which values a match leaves out, and which of its arms nothing reaches.

mod support;

use support::codes;

/// The complaints about `match value { arms }` in a function of a parameter of that type.
fn matching(ty: &str, arms: &str) -> Vec<String> {
    let declarations = "data Shape = Circle(Real) | Square(Real, Bool) | Point\n\
                        type Pair = { left: Bool, right: Option<Int> }\n";
    codes(&format!("{declarations}def f(v: {ty}) = match v {{ {arms} }}"))
}

const UNREACHABLE: &str = "E0306: the arms before it cover all its cases";

#[test]
fn complete_matches_are_silent() {
    let complete = [
        ("Bool", "true => 1, false => 0"),
        ("Int", "0 => 1, -1 => 2, n => n"),
        ("String", "\"a\" => 1, _ => 2"),
        ("Shape", "Circle(_) => 1, Square(_, true) => 2, Square(_, false) => 3, Point => 4"),
        ("(Bool, Bool)", "(true, _) => 1, (_, true) => 2, (false, false) => 3"),
        ("Option<Option<Bool>>", "None => 1, Some(None) => 2, Some(Some(b)) => 3"),
        (
            "Pair",
            "Pair { left: true } => 1, Pair { right: None } => 2, Pair { right: Some(_) } => 3",
        ),
        ("List<Int>", "Nil => 0, Cons(x, Nil) => x, Cons(x, Cons(y, _)) => y"),
        ("()", "() => 1"),
        ("((Bool, Int), Bool)", "((true, 1), _) => 1, ((_, n), true) => n, (_, false) => 0"),
    ];
    for (ty, arms) in complete {
        assert_eq!(matching(ty, arms), Vec::<String>::new(), "match of {ty}: {arms}");
    }
}

#[test]
fn missing_values_are_named() {
    let incomplete = [
        ("Bool", "true => 1", "`false`"),
        ("Int", "0 => 1, 1 => 2", "`_`"),
        ("String", "\"a\" => 1", "`_`"),
        ("Shape", "Circle(_) => 1, Square(_, true) => 2", "`Square(_, false)`, `Point`"),
        ("(Bool, Bool)", "(true, _) => 1, (_, true) => 2", "`(false, false)`"),
        (
            "Option<Option<Bool>>",
            "None => 1, Some(Some(true)) => 2",
            "`Some(None)`, `Some(Some(false))`",
        ),
        ("Pair", "Pair { left: true } => 1, Pair { right: None } => 2", "`(false, Some(_))`"),
        ("List<Int>", "Nil => 0, Cons(x, Nil) => x", "`Cons(_, Cons(_, _))`"),
        (
            "((Bool, Int), Bool)",
            "((true, 1), _) => 1, (_, false) => 0",
            "`((true, _), true)`, `((false, _), true)`",
        ),
        ("Real", "", "`_`"),
    ];
    for (ty, arms, missing) in incomplete {
        let expected = vec![format!("E0305: not covered: {missing}")];
        assert_eq!(matching(ty, arms), expected, "match of {ty}: {arms}");
    }
}

#[test]
fn arms_that_nothing_reaches_are_found() {
    let redundant = [
        ("Bool", "true => 1, false => 0, _ => 2"),
        ("Int", "0 => 1, 0 => 2, _ => 3"),
        ("String", "\"a\" => 1, _ => 2, \"b\" => 3"),
        ("Shape", "Square(_, _) => 1, Square(_, true) => 2, _ => 3"),
        ("(Bool, Bool)", "(true, _) => 1, (_, true) => 2, (true, true) => 3, _ => 4"),
        ("Option<Int>", "Some(1) => 1, Some(_) => 2, Some(2) => 3, None => 4"),
    ];
    for (ty, arms) in redundant {
        assert_eq!(matching(ty, arms), vec![UNREACHABLE.to_string()], "match of {ty}: {arms}");
    }
}

#[test]
fn bindings_must_always_match() {
    assert_eq!(codes("def f(Some(x)) = x + 1"), ["E0311: does not cover `None`"]);
    assert_eq!(codes("def f((x, 1)) = x + 1"), ["E0311: does not cover `(_, _)`"]);
    assert_eq!(
        codes("def f(p: (Bool, Real)) = { let (true, x) = p; x }"),
        ["E0311: does not cover `(false, _)`"]
    );
    assert_eq!(codes("def f((x, (y, _))) = x + y"), Vec::<String>::new());
}

/// Arms over `n` columns: the `i`-th asks for two of them, `step` apart.
fn columns(n: usize, step: usize, first: &str, second: &str) -> String {
    let arm = |i: usize| {
        let column = |at: usize| match at {
            it if it == i => first,
            it if it == (i + step) % n => second,
            _ => "_",
        };
        let columns: Vec<&str> = (0..n).map(column).collect();
        format!("({}) => {i}.0, ", columns.join(", "))
    };
    (0..n).map(arm).collect()
}

fn tuple(n: usize, ty: &str) -> String {
    format!("({})", vec![ty; n].join(", "))
}

#[test]
fn a_match_of_many_columns_is_not_taken_for_complete() {
    // Found once: the search was given up after a while, and what it had not found was built.
    for n in [18, 40] {
        let all_true = format!("({}) => 1.0", vec!["true"; n].join(", "));
        let found =
            matching(&tuple(n, "Bool"), &format!("{}{all_true}", columns(n, 9, "true", "false")));
        assert_eq!(found.len(), 1, "{found:?}");
        let not_covered = found[0].starts_with("E0305") || found[0].starts_with("E0321");
        assert!(not_covered, "{found:?}");
    }
}

#[test]
fn a_match_without_a_reasonable_tree_is_as_long_as_it_is_written() {
    let length = |n: usize| {
        let arms = columns(n, n / 2, "Some(x)", "None");
        let ty = tuple(n, "Option<Real>");
        let text = format!("def f(v: {ty}) = match v {{ {arms}_ => 0.0 }}");
        let (checked, diagnostics, _) = support::check(&text);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        checked.program.defs[&base::Name::new("f")].to_string().len()
    };
    // Trees have a bound; beyond it every arm is tried by itself.
    let (few, more) = (length(19), length(76));
    assert!(few < 100_000 && more < 4 * 4 * few, "{few} and {more} characters");
}

#[test]
fn a_body_that_many_cases_share_is_written_once() {
    let nested = (0..12).fold("0.0".to_string(), |inner, _| {
        format!("match v {{ (true, true) => 1.0, (false, false) => 2.0, _ => sin({inner}) + 1.0 }}")
    });
    let (checked, diagnostics, _) = support::check(&format!("def f(v: (Bool, Bool)) = {nested}"));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let text = checked.program.defs[&base::Name::new("f")].to_string();
    assert_eq!(text.matches(" sin ").count(), 13, "{text}");
}

#[test]
fn a_thousand_literals() {
    let arms: String = (0..1000).map(|it| format!("{it} => {it}.0, ")).collect();
    assert_eq!(matching("Int", &format!("{arms}_ => 0.0")), Vec::<String>::new());
    assert_eq!(matching("Int", &arms), vec!["E0305: not covered: `_`".to_string()]);
    assert_eq!(matching("Int", &format!("{arms}7 => 1.0, _ => 0.0")), vec![UNREACHABLE]);
}
