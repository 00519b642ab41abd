//! Every construct of the language occurs in random programs.

use std::collections::BTreeMap;

use ir::{Block, Dialect, Prim, walk};

/// What the operations are called in the text.
const OPERATIONS: &[&str] = &[
    "size",
    "tuple",
    "proj",
    "con",
    "match",
    "lambda",
    "apply",
    "call",
    "if",
    "build",
    "fold",
    "scan",
    "iterate",
    "while",
    "array",
    "index",
    "slice",
    "sum",
    "product",
    "maximum",
    "minimum",
    "argmax",
    "argmin",
    "gather",
    "scatter",
    "replicate",
    "iota",
    "transpose",
    "reshape",
    "reverse",
    "concat",
    "sort",
    "argsort",
    "filter",
    "sized",
    "equal",
    "close",
    "stop_gradient",
    "jvp",
    "vjp",
    "grad",
    "value_and_grad",
    "jacobian",
    "hessian",
    "hvp",
];

fn count(block: &Block, found: &mut BTreeMap<String, usize>) {
    for stmt in &block.stmts {
        let text = stmt.op.to_string();
        let name = text.split([' ', '(']).next().unwrap_or("").to_string();
        *found.entry(name).or_default() += 1;
        walk::blocks(&stmt.op).iter().for_each(|(_, it)| count(it, found));
    }
}

#[test]
fn every_construct_is_generated() {
    let mut found = BTreeMap::new();
    for seed in 0..600 {
        let program = generate::program(seed, 10 + seed as usize % 30, Dialect::Source);
        program.defs.values().for_each(|it| count(&it.body, &mut found));
    }
    println!("{found:?}");
    let prims = Prim::all().filter(|it| *it != Prim::Scale).map(Prim::name);
    let missing: Vec<&str> = OPERATIONS
        .iter()
        .copied()
        .chain(prims)
        .filter(|it| found.get(*it).copied().unwrap_or(0) < 3)
        .collect();
    assert!(missing.is_empty(), "not generated: {missing:?}");
}

#[test]
fn the_same_seed_gives_the_same_program() {
    for seed in 0..50 {
        let make = || generate::program(seed, 20, Dialect::Source).to_string();
        assert_eq!(make(), make());
    }
}
