//! The laws on random programs with fixed seeds, the smallest first; those of linear maps in `maps/mod.rs`, those of
//! the paper's form of CHAD in `paper/mod.rs`.

mod laws;
mod maps;
mod paper;

use std::collections::BTreeMap;

use ir::Dialect;
use laws::Reached;

/// How many programs. Making instant code of each of their derivatives takes longer than all else.
const PROGRAMS: u64 = if cfg!(feature = "instant") { 400 } else { 1600 };

/// The size of the last one.
const LARGEST: u64 = 18;

#[test]
fn every_method_has_a_row() {
    assert!(laws::without_row().is_empty(), "{:?}", laws::without_row());
}

#[test]
fn random_programs_of_first_order_keep_the_laws() {
    all_keep_the_laws(Dialect::FirstOrder, 0);
}

#[test]
fn random_programs_keep_the_laws() {
    all_keep_the_laws(Dialect::Source, 1);
}

#[test]
fn more_random_programs_keep_the_laws() {
    all_keep_the_laws(Dialect::Source, 2);
}

#[test]
fn even_more_random_programs_keep_the_laws() {
    all_keep_the_laws(Dialect::Source, 3);
}

/// Every fourth program, so that there are parts that run at the same time.
fn all_keep_the_laws(dialect: Dialect, part: u64) {
    let mut reached: BTreeMap<Reached, usize> = BTreeMap::new();
    let mut refused = 0;
    for seed in (0..PROGRAMS).filter(|it| it % 4 == part) {
        let size = (1 + seed * LARGEST / PROGRAMS) as usize;
        let program = generate::program(seed, size, dialect);
        match laws::check(seed, &program, dialect) {
            Ok(found) => {
                *reached.entry(found.reached).or_default() += 1;
                refused += usize::from(found.refusal.is_some());
            }
            Err(find) => panic!(
                "seed {seed}, size {size}, {dialect:?}: {}\n{}\n{program}",
                find.law, find.detail
            ),
        }
    }
    // Laws that are never looked at hold always.
    let (all, most) = (reached.values().sum::<usize>(), reached[&Reached::Everything]);
    assert!(2 * most > all, "few programs have a derivative: {reached:?}");
    // What is of first order is never refused; of the others, few are.
    assert!(20 * refused < all, "method bulk refuses {refused} of {all}");
}
