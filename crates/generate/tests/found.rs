//! Programs that broke a law once, made small by the hunt. Each is checked at several points.

#![allow(clippy::disallowed_methods, reason = "a test reads its programs")]

mod laws;

use std::fs;
use std::path::Path;

use ir::{Dialect, Program, verify};
use testing::Case;

/// Points at which a program is looked at: the one where it was found, and more.
const SEEDS: [u64; 4] = [0, 1, 2, 3];

#[test]
fn what_was_found_once_stays_fixed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let name = path.display();
        let case = Case::parse(&fs::read_to_string(&path).unwrap()).unwrap();
        let about = case.about.join(" ");
        let seed = about.split("Seed ").nth(1).and_then(|it| it.split([',', '.']).next());
        let seed: u64 = seed.and_then(|it| it.parse().ok()).expect("the header names the seed");
        let program: Program = case.input.parse().unwrap_or_else(|it| panic!("{name}: {it}"));
        let dialects = [Dialect::FirstOrder, Dialect::Source];
        let dialect = dialects.into_iter().find(|it| verify(&program, *it).is_ok());
        let dialect = dialect.unwrap_or_else(|| panic!("{name} does not verify"));
        for seed in SEEDS.into_iter().chain([seed]) {
            if let Err(find) = laws::check(seed, &program, dialect) {
                panic!("{name}, seed {seed}: {}\n{}", find.law, find.detail);
            }
        }
    }
}
