//! The machine that the C programs of tests are for: this one, or another one by an emulator.
//!
//! `COTAN_TEST_CC` names a C compiler for the other one, `COTAN_TEST_RUN` what runs its programs:
//! `COTAN_TEST_CC=aarch64-linux-gnu-gcc COTAN_TEST_RUN='qemu-aarch64 -L /usr/aarch64-linux-gnu'`.

use std::env;
use std::path::Path;
use std::process::Command;

fn other() -> Option<String> {
    env::var("COTAN_TEST_CC").ok()
}

/// Whether programs are for another machine.
#[allow(dead_code, reason = "not every test asks")]
pub(crate) fn is_other() -> bool {
    other().is_some()
}

/// The C compiler.
pub(crate) fn compiler() -> Command {
    Command::new(other().unwrap_or_else(|| "cc".to_string()))
}

/// The flags for all that the machine has; of another one, for the least that it has.
pub(crate) fn flags() -> &'static [&'static str] {
    match other() {
        Some(_) => &[],
        None if cfg!(target_arch = "x86_64") => &["-march=native", "-mprefer-vector-width=256"],
        None => &["-march=native"],
    }
}

/// Runs a program.
pub(crate) fn run(program: &Path) -> Command {
    let words = env::var("COTAN_TEST_RUN").unwrap_or_default();
    let mut words = words.split_whitespace();
    match words.next().filter(|_| other().is_some()) {
        None => Command::new(program),
        Some(emulator) => {
            let mut command = Command::new(emulator);
            command.args(words).arg(program);
            command
        }
    }
}
