//! Compiled code under AddressSanitizer and UndefinedBehaviorSanitizer: what a program of ours has to
//! be started with, and what counts as a find.
//!
//! The C compiler is a script in `CC` that adds the flags; the runtime of the sanitizers is loaded before
//! the program, since nothing but the code that it loads is compiled with them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

const FLAGS: &str = "-fsanitize=address,undefined -fno-sanitize-recover=all -g1";

/// How a program ends in which a sanitizer finds something.
const FOUND: i32 = 99;

/// A program that runs longer has no end. They take seconds; a busy machine is allowed for.
const LIMIT: Duration = Duration::from_secs(300);

/// The sanitizers of a C compiler.
pub struct Sanitizers {
    /// A folder of the test, for the script and for what is compiled.
    folder: PathBuf,
    script: PathBuf,
    /// Their runtime, as the loader takes it.
    libraries: String,
}

impl Sanitizers {
    /// Those of `cc`. Where there are none, that is said past the harness, which hides what tests print;
    /// and under `CI=true` it is a failure, so that the check cannot become one of nothing.
    pub fn find(folder: &Path) -> Option<Sanitizers> {
        let found = Sanitizers::of("cc", folder);
        found.map_err(|why| skip(&why, std::env::var("CI").is_ok_and(|it| it == "true"))).ok()
    }

    /// Those of the C compiler that is called so, or why there are none.
    pub fn of(compiler: &str, folder: &Path) -> Result<Sanitizers, String> {
        let libraries = ["libasan.so", "libubsan.so"].map(|it| library(compiler, it));
        let libraries: Vec<String> = libraries.into_iter().collect::<Result<_, _>>()?;
        let script = folder.join("cc-with-sanitizers");
        let text = format!("#!/bin/sh\nexec {compiler} \"$@\" {FLAGS}\n");
        write_script(&script, &text)?;
        Ok(Sanitizers { folder: folder.to_path_buf(), script, libraries: libraries.join(" ") })
    }

    /// A program whose compiled code is checked; `name` tells its cache from others.
    pub fn command(&self, program: &str, name: &str) -> Command {
        let mut res = Command::new(program);
        res.env("CC", &self.script);
        res.env("LD_PRELOAD", &self.libraries);
        let address = format!("detect_leaks=0:allocator_may_return_null=1:exitcode={FOUND}");
        res.env("ASAN_OPTIONS", address);
        res.env("UBSAN_OPTIONS", format!("halt_on_error=1:print_stacktrace=1:exitcode={FOUND}"));
        res.env("XDG_CACHE_HOME", self.folder.join(format!("cache-{name}")));
        res
    }
}

/// Runs it; what the sanitizers say is a failure, what the program says is given back.
pub fn clean(mut command: Command, what: &str) -> (Option<i32>, String) {
    let output = match within(LIMIT, &mut command) {
        Ok(output) => output,
        Err(error) => panic!("{what}: {error}"),
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    let found = ["AddressSanitizer:", "runtime error:"].iter().any(|it| text.contains(it));
    let status = output.status.code();
    assert!(!found && status.is_some() && status != Some(FOUND), "{what}: {status:?}\n{text}");
    (status, text)
}

/// What a command gives; it is killed after this time, which its status says.
fn within(limit: Duration, command: &mut Command) -> std::io::Result<Output> {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let id = child.id().to_string();
    let (ended, waits) = mpsc::channel();
    let watch = std::thread::spawn(move || {
        if waits.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            let _ = Command::new("kill").args(["-9", &id]).status();
        }
    });
    let output = child.wait_with_output();
    let _ = ended.send(());
    let _ = watch.join();
    output
}

/// Says that nothing is checked; panics where that must not be.
pub fn skip(why: &str, must_run: bool) {
    assert!(!must_run, "compiled code was not checked by sanitizers: {why}");
    let line = format!("\nNOT CHECKED by sanitizers: {why}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// A library of the compiler; it answers with the bare name if it has none.
fn library(compiler: &str, name: &str) -> Result<String, String> {
    let output = Command::new(compiler).arg(format!("-print-file-name={name}")).output();
    let output = output.map_err(|it| format!("{compiler}: {it}"))?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let found = path.is_absolute().then(|| path.canonicalize().ok()).flatten();
    let found = found.ok_or(format!("{compiler} has no {name}"))?;
    Ok(found.display().to_string())
}

/// A script that can be run. Another process writes it: what a process has open to write to, it may hand
/// on to a child of another thread, and then nobody can run it.
fn write_script(path: &Path, text: &str) -> Result<(), String> {
    let line = "mkdir -p \"$(dirname \"$0\")\" && printf %s \"$1\" > \"$0.$$\" && chmod 755 \"$0.$$\" \
                && mv \"$0.$$\" \"$0\"";
    let written = Command::new("sh").args(["-c", line]).arg(path).arg(text).status();
    match written {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{}: {status}", path.display())),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}
