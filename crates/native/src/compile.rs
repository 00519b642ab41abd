//! Runs the C compiler.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use emit::{Effort, FLAGS_OF_C, flags_of, n_parts};

use crate::failure::Unavailable;
use crate::process::{self, Ended, Running};
use crate::toolchain::Toolchain;
use crate::tuning::COMPILERS;

/// What a library needs besides what the process has in any case. The linker looks into no others if it
/// is told so, which is a tenth of what a draft takes.
const LIBRARIES: &[&str] = &["-nostdlib", "-lm", "-lgcc"];

/// Lines of the compiler's complaints that are kept.
const MOST_LINES: usize = 5;

/// Makes a shared library of a C text, which stands beside it with the ending `c`.
pub(crate) fn compile(
    toolchain: &Toolchain,
    text: &str,
    library: &Path,
) -> Result<(), Unavailable> {
    let source = library.with_extension("c");
    let begun = Instant::now();
    let in_parts = toolchain.effort == Effort::Quick || n_parts(text) > 1;
    if in_parts && compile_parts(toolchain, text, &source, library, begun)? {
        return Ok(());
    }
    let mut command = toolchain.command();
    command.args(FLAGS_OF_C).args(flags_of(toolchain.effort)).arg("-o").arg(library);
    command.arg(&source).arg("-lm");
    let failed = |said: String| Unavailable::Compiler { name: toolchain.name(), said };
    let running = process::start(command).map_err(|it| failed(it.to_string()))?;
    let (well, said) = toolchain.ended(running, begun)?;
    if !well {
        let first: Vec<&str> = errors_first(&said).take(MOST_LINES).collect();
        return Err(failed(first.join("\n")));
    }
    if !library.exists() {
        return Err(failed("it succeeds and makes nothing".to_string()));
    }
    Ok(())
}

/// Makes a library of parts, of which some are compiled at the same time, and with few others. Where that
/// does not work, the compiler does as it likes.
fn compile_parts(
    toolchain: &Toolchain,
    text: &str,
    source: &Path,
    library: &Path,
    begun: Instant,
) -> Result<bool, Unavailable> {
    let object = |part: usize| library.with_extension(format!("{part}.o"));
    let objects: Vec<PathBuf> = (0..n_parts(text)).map(object).collect();
    let start = |(part, object): (usize, &PathBuf)| {
        let mut command = toolchain.command();
        command.args(FLAGS_OF_C).args(flags_of(toolchain.effort)).arg(format!("-DCT_PART={part}"));
        command.arg("-c").arg("-o").arg(object).arg(source);
        process::start(command)
    };
    let numbered: Vec<(usize, &PathBuf)> = objects.iter().enumerate().collect();
    let mut res = Ok(true);
    for few in numbered.chunks(COMPILERS) {
        let running: Vec<io::Result<Running>> = few.iter().copied().map(start).collect();
        // All of them are waited for, also after a failure.
        for it in running {
            let well = it.map_or(Ok(false), |it| Ok(toolchain.ended(it, begun)?.0));
            res = res.and_then(|before| Ok(well? && before));
        }
        if !matches!(res, Ok(true)) {
            break;
        }
    }
    if let Ok(true) = res {
        let mut command = toolchain.command();
        command.arg("-shared").arg("-o").arg(library).args(&objects).args(LIBRARIES);
        let linked = process::start(command);
        res = linked.map_or(Ok(false), |it| Ok(toolchain.ended(it, begun)?.0 && library.exists()));
    }
    for object in objects {
        let _ = fs::remove_file(object);
    }
    res
}

impl Toolchain {
    /// Whether a process of the compiler went well, and what it said.
    pub(crate) fn ended(
        &self,
        running: Running,
        begun: Instant,
    ) -> Result<(bool, String), Unavailable> {
        let failed = |said: String| Unavailable::Compiler { name: self.name(), said };
        match running.end(begun, self.patience, self.wanted()) {
            Ok(Ended::Itself(well, said)) => Ok((well, said)),
            Ok(Ended::Unwanted) => Err(Unavailable::unwanted(self.name())),
            Ok(Ended::GivenUp) => {
                let seconds = self.patience.as_secs_f64();
                let said = "it was given up after so many seconds, which `COTAN_CC_TIMEOUT` sets";
                Err(failed(format!("{said}: {seconds}")))
            }
            Err(it) => Err(failed(it.to_string())),
        }
    }
}

/// The lines from the first error on; all of them if none says so.
fn errors_first(said: &str) -> impl Iterator<Item = &str> {
    let start = said.lines().position(|it| it.contains("error")).unwrap_or(0);
    said.lines().skip(start)
}
