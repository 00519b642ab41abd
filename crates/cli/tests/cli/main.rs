//! The built program from outside: exit status, standard output, standard error.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test reads files, and a panic is its way to fail"
)]

mod additive;
mod arguments;
mod bench;
mod build;
mod compilers;
mod data;
mod eval;
mod fmt;
mod frames;
mod gradcheck;
mod hostile;
mod jacobian;
mod limits;
mod modules;
mod native;
mod plot;
mod sanitize;
mod shipped;
mod strict;
mod test;
mod usage;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The methods that make programs of derivatives before anything runs, and so refuse some.
fn programs() -> impl Iterator<Item = &'static str> {
    cotan::METHODS.iter().filter(|it| !it.accepts.all_but.is_empty()).map(|it| it.name)
}

/// What a run of the program left behind.
struct Ran {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    /// Fails the test unless the status is `status`; gives itself back.
    #[track_caller]
    fn exits(self, status: i32) -> Ran {
        assert_eq!(self.status, Some(status), "\nstdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    /// Fails the test unless standard error contains `text`; gives itself back.
    #[track_caller]
    fn says(self, text: &str) -> Ran {
        assert!(self.err.contains(text), "`{text}` is not in\n{}", self.err);
        self
    }

    /// Fails the test unless standard output is exactly `text` and a newline.
    #[track_caller]
    fn prints(self, text: &str) -> Ran {
        assert_eq!(self.out, format!("{text}\n"), "\nstderr:\n{}", self.err);
        self
    }
}

/// Runs `cotan` with these arguments.
fn cotan(args: &[&str]) -> Ran {
    cotan_with_input(args, b"")
}

/// Runs `cotan` with these arguments and this standard input.
fn cotan_with_input(args: &[&str], input: &[u8]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_cotan"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A child that does not read its input closes the pipe; that is no failure.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Ran {
        status: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Starts a program that does not end by itself. Interrupts end it, as they do from a terminal: where the
/// tests run in the background they may be ignored, and programs inherit that.
fn endless(command: &mut Command) -> Child {
    use std::os::unix::process::CommandExt;
    let interruptible = || {
        // SAFETY: between `fork` and `exec` a process may say what it does with signals.
        #[allow(unsafe_code, reason = "the standard library does not know signals")]
        unsafe {
            libc::signal(libc::SIGINT, libc::SIG_DFL)
        };
        Ok(())
    };
    // SAFETY: see above.
    #[allow(unsafe_code, reason = "see above")]
    let command = unsafe { command.pre_exec(interruptible) };
    command.stdout(Stdio::null()).spawn().unwrap()
}

/// Interrupts a program that does not end by itself; gives the time until it does.
fn interrupt(mut child: Child) -> Duration {
    let start = Instant::now();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("an interrupt did nothing");
        }
        std::thread::yield_now();
    }
    assert!(!child.wait().unwrap().success());
    start.elapsed()
}

/// A file with this content; the same name always has the same content. Written beside its
/// place and then moved there, since tests run at the same time and share some files.
fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let beside = folder.join(format!("{name}.{:?}", std::thread::current().id()));
    std::fs::write(&beside, content).unwrap();
    std::fs::rename(beside, &path).unwrap();
    path.display().to_string()
}

/// A program of one definition, `main`.
fn main_file(name: &str, body: &str) -> String {
    file(name, format!("def main = {body}\n"))
}

/// The program behind most expressions below.
fn empty() -> String {
    file("empty.cot", "")
}

/// Evaluates an expression in an empty file, as JSON.
fn eval_json(expression: &str) -> Ran {
    cotan(&["eval", &empty(), expression, "--json"])
}

/// A script that can be run. Another process writes it: what a process has open to write to, it may hand
/// on to a child of another thread, and then nobody can run it.
fn program(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name).display().to_string();
    let script = "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\"";
    assert!(Command::new("sh").args(["-c", script, &path, text]).status().unwrap().success());
    path
}
