//! `test` runs what the files declare, shows what failed, and counts.

use crate::*;

#[test]
fn counts_over_all_files() {
    let one = file("tests_one.cot", "test \"a\" = 1 == 1\ntest \"b\" = 2.0 ~= 2.0\n");
    let two = file("tests_two.cot", "test \"c\" = true\n");
    cotan(&["test", &one, &two]).exits(0).prints("3 passed, 0 failed");
}

#[test]
fn a_failing_test_shows_both_sides_and_its_place() {
    let path = file(
        "tests_fail.cot",
        "def f(x: Real): Real = x * x\n\ntest \"square\" = f(3.0) ~= 10.0\ntest \"fine\" = true\n",
    );
    let ran =
        cotan(&["test", &path]).exits(1).says("[E0634]").says("9.0").says("10.0").says("square");
    assert!(ran.err.contains("tests_fail.cot:3"), "{}", ran.err);
    assert!(ran.out.ends_with("1 passed, 1 failed\n"), "{}", ran.out);
    let json = cotan(&["test", &path, "--json"]).exits(1).out;
    assert!(json.starts_with("{\"passed\":1,\"failed\":1,\"tests\":[{"), "{json}");
    assert_eq!(json.lines().count(), 1);
}

#[test]
fn a_run_time_error_is_a_failed_test_and_the_others_go_on() {
    let path = file("tests_error.cot", "test \"out\" = [1][5] == 1\ntest \"fine\" = true\n");
    let ran = cotan(&["test", &path]).exits(1).says("error[E06");
    assert!(ran.out.ends_with("1 passed, 1 failed\n"), "{}", ran.out);
}

#[test]
fn no_tests_is_said() {
    let ran = cotan(&["test", &empty()]).exits(0);
    assert!(ran.out.starts_with("no tests found") && ran.out.ends_with("0 passed, 0 failed\n"));
    cotan(&["test", &empty(), "--json"])
        .exits(0)
        .prints("{\"passed\":0,\"failed\":0,\"tests\":[]}");
}

#[test]
fn a_file_that_does_not_check_is_a_failure() {
    let bad = file("tests_bad.cot", "test \"a\" = nobody\n");
    let good = file("tests_good.cot", "test \"a\" = true\n");
    let ran = cotan(&["test", &bad, &good]).exits(1).says("nobody");
    assert!(ran.out.ends_with("1 passed, 0 failed\n"), "{}", ran.out);
}
