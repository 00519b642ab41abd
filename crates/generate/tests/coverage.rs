//! Every construct of the language occurs in random programs.

use std::collections::BTreeMap;

use ir::{ArrayOp, Atom, Block, ControlOp, DeriveOp, Dialect, FunctionOp, Op, Prim, Program, walk};

/// Every operation of the language, which `crates/ir/tests/text.rs` sees to.
const EVERYTHING: &str = include_str!("../../ir/tests/everything.ir");

/// Operations that are not generated: what the methods make of a program, and what tells or is a hint, so that
/// it has no meaning to compare.
const NOT_GENERATED: &[&str] = &[
    "copy",
    "lift",
    "primal",
    "tangent",
    "pair",
    "copair",
    "checkpoint",
    "report",
    "trace",
    "trace_tangent",
    "trace_cotangent",
    "trace_back",
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
    let prims = Prim::all().filter(|it| *it != Prim::Scale).map(|it| -> &str { it.name() });
    let everything: Program = EVERYTHING.parse().expect("a program");
    let mut operations = BTreeMap::new();
    everything.defs.values().for_each(|it| count(&it.body, &mut operations));
    let missing: Vec<&str> = operations
        .keys()
        .map(String::as_str)
        .filter(|it| !NOT_GENERATED.contains(it))
        .chain(prims)
        .filter(|it| found.get(*it).copied().unwrap_or(0) < 3)
        .collect();
    assert!(missing.is_empty(), "not generated: {missing:?}");
}

/// Where an operation stands: the operations around it, outermost first.
fn nested(block: &Block, around: &mut Vec<String>, found: &mut BTreeMap<String, usize>) {
    for stmt in &block.stmts {
        let text = stmt.op.to_string();
        let name = text.split([' ', '(']).next().unwrap_or("").to_string();
        for outer in around.iter() {
            *found.entry(format!("{outer} {name}")).or_default() += 1;
        }
        if let Op::Control(ControlOp::Fold { step, .. }) = &stmt.op {
            let free = walk::free_vars_block(&step.body);
            let own = step.state.iter().chain(&step.elems).map(|it| it.var).collect();
            let captures = free.difference(&own).next().is_some();
            *found.entry("fold captures".to_string()).or_default() += usize::from(captures);
        }
        if let Op::Array(ArrayOp::Gather { indices, mask, .. }) = &stmt.op {
            let several = usize::from(indices.len() > 1);
            *found.entry("gather several".to_string()).or_default() += several;
            *found.entry("gather mask".to_string()).or_default() += usize::from(mask.is_some());
        }
        for binder in &stmt.binders {
            let rank = binder.ty.split_arrays().0.len();
            *found.entry(format!("rank {rank}")).or_default() += 1;
            let empty = binder.ty.sizes().iter().any(|it| it.as_constant() == Some(0));
            *found.entry("empty".to_string()).or_default() += usize::from(empty);
        }
        around.push(name);
        walk::blocks(&stmt.op).iter().for_each(|(_, it)| nested(it, around, found));
        around.pop();
    }
}

/// The derivative operators of what functions are differentiated, by the function's variable.
fn of_derivatives(block: &Block, found: &mut BTreeMap<String, usize>) {
    let mut lambdas = BTreeMap::new();
    for stmt in &block.stmts {
        if let Op::Function(FunctionOp::Lambda(lambda)) = &stmt.op {
            lambdas.insert(stmt.binders[0].var, lambda.clone());
        }
        if let Op::Derive(DeriveOp::OfFunction { operator, function: Atom::Var(var), .. }) =
            &stmt.op
            && let Some(lambda) = lambdas.get(var)
        {
            let mut inner = BTreeMap::new();
            count(&lambda.body, &mut inner);
            for (name, times) in inner {
                *found.entry(format!("{operator} of {name}")).or_default() += times;
            }
        }
        walk::blocks(&stmt.op).iter().for_each(|(_, it)| of_derivatives(it, found));
    }
}

#[test]
fn constructs_are_combined() {
    let mut found = BTreeMap::new();
    for seed in 0..4000 {
        let program = generate::program(seed, 10 + seed as usize % 30, Dialect::Source);
        for def in program.defs.values() {
            nested(&def.body, &mut Vec::new(), &mut found);
            of_derivatives(&def.body, &mut found);
        }
    }
    let wanted = [
        "build if",
        "if build",
        "build index",
        "build fold",
        "build while",
        "build match",
        "build call",
        "build grad",
        "fold build",
        "fold index",
        "fold if",
        "scan fold",
        "while build",
        "while if",
        "iterate build",
        "match build",
        "fold captures",
        "gather several",
        "gather mask",
        "grad of grad",
        "jvp of grad",
        "grad of jvp",
        "grad of vjp",
        "grad of jacobian",
        "hessian of grad",
        "grad of hessian",
        "hvp of fold",
        "grad of while",
        "rank 0",
        "rank 1",
        "rank 2",
        "rank 3",
        "empty",
    ];
    let missing: Vec<&str> =
        wanted.into_iter().filter(|it| found.get(*it).is_none_or(|n| *n < 2)).collect();
    assert!(missing.is_empty(), "not generated: {missing:?}");
}

#[test]
fn the_same_seed_gives_the_same_program() {
    for seed in 0..50 {
        let make = || generate::program(seed, 20, Dialect::Source).to_string();
        assert_eq!(make(), make());
    }
}
