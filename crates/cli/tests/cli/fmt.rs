//! `fmt` rewrites, checks, and reads standard input.

use crate::*;

const UGLY: &str = "def   f( x:Real ):Real=x+1.0 -- why\n";

#[test]
fn fmt_rewrites_in_place_and_is_idempotent() {
    let path = file("ugly.cot", UGLY);
    cotan(&["fmt", "--check", &path]).exits(1).says("not formatted");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), UGLY, "--check changes nothing");
    cotan(&["fmt", &path]).exits(0);
    let once = std::fs::read_to_string(&path).unwrap();
    assert_ne!(once, UGLY);
    assert!(once.contains("-- why"));
    cotan(&["fmt", "--check", &path]).exits(0);
    cotan(&["fmt", &path]).exits(0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), once);
}

#[test]
fn fmt_of_standard_input_goes_to_standard_output() {
    let out = cotan_with_input(&["fmt", "-"], UGLY.as_bytes()).exits(0).out;
    assert!(out.starts_with("def f(x: Real): Real = x + 1.0"), "{out}");
}

#[test]
fn fmt_leaves_a_wrong_file_alone() {
    let path = file("fmt_wrong.cot", "def f( = \n");
    cotan(&["fmt", &path]).exits(1).says("error[E01");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "def f( = \n");
}
