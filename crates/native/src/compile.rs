//! Runs the C compiler.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};

use crate::emit::parts;
use crate::failure::Unavailable;
use crate::toolchain::Toolchain;

/// How C is compiled. No fast-math: NaN, infinities and signed zeros are as the interpreter has them,
/// and sums are in the order that is written.
pub const FLAGS_OF_C: &[&str] = &[
    "-std=gnu11",
    "-O2",
    "-march=native",
    #[cfg(target_arch = "x86_64")]
    "-mprefer-vector-width=512",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fPIC",
    "-shared",
];

/// How much work the C compiler puts into a program. What programs compute does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Fast code, for most programs.
    #[default]
    Full,
    /// Code that is there soon and slow: nothing is optimised, and nothing inlined.
    Quick,
}

/// Lines of C beyond which less is optimised, and beyond which nothing: the time that compilers take
/// grows faster than functions do, and a program that long is rarely one long loop.
const LONG: usize = 4000;
const VERY_LONG: usize = 8000;

/// The flags of an effort; the last flag of its kind counts.
pub(crate) fn flags_of(effort: Effort, text: &str) -> &'static [&'static str] {
    match (effort, text.lines().count()) {
        (Effort::Quick, _) | (Effort::Full, VERY_LONG..) => {
            &["-O0", "-DCT_QUICK", "-fno-asynchronous-unwind-tables"]
        }
        (Effort::Full, LONG..) => &["-O1"],
        (Effort::Full, _) => &["-O2"],
    }
}

/// What a library needs besides what the process has in any case. The linker looks into no others if it
/// is told so, which is a tenth of what a draft takes.
const LIBRARIES: &[&str] = &["-nostdlib", "-lm", "-lgcc"];

/// Lines of the compiler's complaints that are kept.
const MOST_LINES: usize = 5;

/// Makes a shared library of a C text; the text is left beside it, with the ending `c`.
pub(crate) fn compile(
    toolchain: &Toolchain,
    text: &str,
    library: &Path,
) -> Result<(), Unavailable> {
    let source = library.with_extension("c");
    let unwritable = |it: std::io::Error| Unavailable::Files {
        path: source.display().to_string(),
        reason: it.to_string(),
    };
    fs::write(&source, text).map_err(unwritable)?;
    if toolchain.effort == Effort::Quick && draft(toolchain, text, &source, library).is_some() {
        return Ok(());
    }
    let failed = |said: String| Unavailable::Compiler { name: toolchain.name(), said };
    let mut command = toolchain.command();
    command.args(FLAGS_OF_C).args(flags_of(toolchain.effort, text)).arg("-o").arg(library);
    let output = command.arg(&source).arg("-lm").output().map_err(|it| failed(it.to_string()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first: Vec<&str> = errors_first(&said).take(MOST_LINES).collect();
        return Err(failed(first.join("\n")));
    }
    if !library.exists() {
        return Err(failed("it succeeds and makes nothing".to_string()));
    }
    Ok(())
}

/// Makes a library in a hurry: its parts at the same time, and with few libraries. Where that does not
/// work, the compiler does as it likes.
fn draft(toolchain: &Toolchain, text: &str, source: &Path, library: &Path) -> Option<()> {
    let flags = flags_of(Effort::Quick, text);
    let object = |part: usize| library.with_extension(format!("{part}.o"));
    let objects: Vec<PathBuf> = (0..parts::count(text)).map(object).collect();
    let start = |(part, object): (usize, &PathBuf)| {
        let mut command = toolchain.command();
        command.args(FLAGS_OF_C).args(flags).arg(format!("-DCT_PART={part}"));
        command.arg("-c").arg("-o").arg(object).arg(source);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    };
    let running: Vec<io::Result<Child>> = objects.iter().enumerate().map(start).collect();
    let good = |it: io::Result<ExitStatus>| it.is_ok_and(|it| it.success());
    // All of them are waited for, also after a failure.
    let ended = running.into_iter().map(|it| good(it.and_then(|mut it| it.wait())));
    let failed = ended.filter(|it| !it).count();
    let linked = failed == 0 && {
        let mut command = toolchain.command();
        command.arg("-shared").arg("-o").arg(library).args(&objects).args(LIBRARIES);
        command.output().is_ok_and(|it| it.status.success()) && library.exists()
    };
    for object in objects {
        let _ = fs::remove_file(object);
    }
    linked.then_some(())
}

/// The lines from the first error on; all of them if none says so.
fn errors_first(said: &str) -> impl Iterator<Item = &str> {
    let start = said.lines().position(|it| it.contains("error")).unwrap_or(0);
    said.lines().skip(start)
}
