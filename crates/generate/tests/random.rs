//! The laws on random programs with fixed seeds, the smallest first.

mod laws;

use std::collections::BTreeMap;

use ir::Dialect;

/// How many programs.
const PROGRAMS: u64 = 2000;

/// The size of the last one.
const LARGEST: u64 = 40;

#[test]
fn random_programs_keep_the_laws() {
    let mut reached = BTreeMap::new();
    for seed in 0..PROGRAMS {
        let dialect = if seed % 4 == 0 { Dialect::FirstOrder } else { Dialect::Source };
        let size = (1 + seed * LARGEST / PROGRAMS) as usize;
        let program = generate::program(seed, size, dialect);
        match laws::check(seed, &program, dialect) {
            Ok(far) => *reached.entry(far).or_insert(0) += 1,
            Err(find) => panic!(
                "seed {seed}, size {size}, {dialect:?}: {}\n{}\n{program}",
                find.law, find.detail
            ),
        }
    }
    println!("{reached:?}");
}
