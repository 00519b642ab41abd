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
