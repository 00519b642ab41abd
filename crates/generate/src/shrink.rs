//! Makes a program smaller as long as it keeps a property.
//!
//! Edits are numbered in the order of a walk through the program, and tried one after the other; an
//! edit that makes the program lighter, verified and still of the property is kept. Weights are
//! natural numbers, so this ends.

mod edit;
mod replace;
mod weight;

use std::sync::Arc;

use ir::{CallGraph, Dialect, Need, Program, verify};

use crate::define::main;
use edit::edited;
use weight::weight;

/// The smallest program found that still has the property.
pub fn shrink(program: Program, has: &mut dyn FnMut(&Program) -> bool) -> Program {
    let dialects = [Dialect::FirstOrder, Dialect::Source, Dialect::Delta];
    let Some(dialect) = dialects.into_iter().find(|it| verify(&program, *it).is_ok()) else {
        return program;
    };
    // What `main` does not need goes first, unless that is what the property is about.
    let pruned = reachable(&program);
    let prunes = has(&pruned);
    let mut best = if prunes { pruned } else { program };
    loop {
        let before = weight(&best);
        let mut number = 0;
        while let Some(candidate) = edited(&best, number) {
            let candidate = if prunes { reachable(&candidate) } else { candidate };
            let lighter = weight(&candidate) < weight(&best);
            if lighter && verify(&candidate, dialect).is_ok() && has(&candidate) {
                best = candidate;
            } else {
                number += 1;
            }
        }
        if weight(&best) == before {
            return best;
        }
    }
}

/// The program without definitions that `main` does not need.
fn reachable(program: &Program) -> Program {
    let needed = CallGraph::new(program, &[Need::Call]).reachable([&main()]);
    let defs = program.defs.iter().filter(|(name, _)| needed.contains(*name));
    let defs = defs.map(|(name, def)| (name.clone(), Arc::clone(def))).collect();
    Program { datas: program.datas.clone(), defs, ..Program::default() }
}
