//! The passes that arrange a program for compiled code, recursions before they are differentiated, and what is
//! differentiated at many points.

use ir::Dialect;

use super::{PLAIN, Pass, Unit};

pub(crate) const VIEWS: Pass = Pass {
    name: "views",
    about: "a recursion over parts of an array gets the array, and where the part is",
    run: |unit| unit.with(opt::views),
    ..PLAIN
};

pub(crate) const ACCUMULATE: Pass = Pass {
    name: "accumulate",
    about: "a sum over calls that a definition makes of itself is added up as they return",
    run: |unit| unit.with(opt::accumulate),
    ..PLAIN
};

pub(crate) const PEEL: Pass = Pass {
    name: "peel",
    about: "the last calls of a recursion are written where they are made",
    run: |unit| unit.with(opt::peel),
    ..PLAIN
};

pub(crate) const AT_ONCE: Pass = Pass {
    name: "at_once",
    about: "a recursion whose cotangents are known on the way there goes back at once",
    from: Dialect::Bulk,
    to: Dialect::Bulk,
    run: |unit| unit.with(opt::at_once),
    ..PLAIN
};

pub(crate) const SPREAD: Pass = Pass {
    name: "spread",
    about: "arrays with small axes become a value for each position",
    run: |unit| unit.with(opt::spread),
    ..PLAIN
};

pub(crate) const SPREAD_BEFORE: Pass = Pass {
    name: "spread_before",
    about: "arrays with small axes become a value for each position, with the same derivatives",
    run: |unit| unit.with(opt::spread_before),
    ..PLAIN
};

pub(crate) const CHOOSE: Pass = Pass {
    name: "choose",
    about: "cheap conditionals compute both branches and select",
    run: |unit| Ok(Unit { program: opt::choose(&unit.program, &unit.at), ..unit }),
    ..PLAIN
};

pub(crate) const RECOMPUTE: Pass = Pass {
    name: "recompute",
    about: "loops keep less for the way back, which computes it again where that is cheaper",
    from: Dialect::Bulk,
    to: Dialect::Bulk,
    run: |unit| unit.with(opt::recompute),
    ..PLAIN
};

pub(crate) const SINK: Pass = Pass {
    name: "sink",
    about: "positions and tests of positions are computed where they are used, also in loops",
    from: Dialect::Bulk,
    to: Dialect::Bulk,
    run: |unit| unit.with(opt::sink),
    ..PLAIN
};
