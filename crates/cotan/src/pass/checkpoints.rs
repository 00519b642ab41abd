//! The passes that decide what loops keep for the way back.

use super::{PLAIN, Pass, Unit};

pub(crate) const CHECKPOINT: Pass = Pass {
    name: "checkpoint",
    about: "loops that keep a state now and then run in pieces, whose derivatives run them again",
    run: |unit| Ok(Unit { program: opt::checkpoint(&unit.program, unit.checkpoints), ..unit }),
    ..PLAIN
};

pub(crate) const DROP_CHECKPOINTS: Pass = Pass {
    name: "drop_checkpoints",
    about: "loops keep no states, since nothing goes back through them",
    run: |unit| unit.with(opt::drop_checkpoints),
    ..PLAIN
};
