//! Processes that do not outlive us, and do not take for ever.
//!
//! A C compiler starts others, so it is started in a group of its own. Between it and us stands a
//! process that waits for both: if we end, by whatever signal, it ends the group.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::ahead::Wanted;
use crate::system::attempt;

/// How often somebody looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(5);

/// A process at work.
pub(crate) struct Running(Child);

/// How it ended.
pub(crate) enum Ended {
    /// By itself: whether it succeeded, and what it said.
    Itself(bool, String),
    /// It was given up, since its time was over.
    GivenUp,
    /// It was given up, since nobody wanted it any more.
    Unwanted,
}

/// Starts a command; what it says on standard error is listened to.
pub(crate) fn start(mut command: Command) -> io::Result<Running> {
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    start_guarded(command)
}

/// Starts a command; what it says on standard output is listened to.
pub(crate) fn ask(mut command: Command) -> io::Result<Running> {
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    start_guarded(command)
}

fn start_guarded(mut command: Command) -> io::Result<Running> {
    attempt("start a process")?;
    command.stdin(Stdio::null()).process_group(0);
    #[cfg(target_os = "linux")]
    {
        let us = std::process::id();
        // SAFETY: only functions are called that are allowed after `fork`.
        unsafe { command.pre_exec(move || guard(us)) };
    }
    command.spawn().map(Running)
}

impl Running {
    /// Waits for its end, until the time is over or nobody wants it.
    pub(crate) fn end(
        mut self,
        begun: Instant,
        patience: Duration,
        wanted: Option<&Wanted>,
    ) -> io::Result<Ended> {
        let mut said = Vec::new();
        let stderr = self.0.stderr.take().map(Into::<OwnedFd>::into);
        if let Some(pipe) = stderr.or(self.0.stdout.take().map(Into::into)) {
            let mut listened = File::from(pipe);
            loop {
                let passed = begun.elapsed();
                let is_unwanted = wanted.is_some_and(Wanted::is_given_up);
                if is_unwanted || passed >= patience {
                    self.kill();
                    self.0.wait()?;
                    return Ok(if is_unwanted { Ended::Unwanted } else { Ended::GivenUp });
                }
                let left = patience.saturating_sub(passed);
                let left = if wanted.is_some() { left.min(LOOK) } else { left };
                // It says nothing more when it, and all that it has started, have ended.
                if is_readable(&listened, left) && !more(&mut listened, &mut said)? {
                    break;
                }
            }
        }
        let status = self.0.wait()?;
        Ok(Ended::Itself(status.success(), String::from_utf8_lossy(&said).into_owned()))
    }

    /// Ends it and all that it has started.
    fn kill(&self) {
        if let Ok(group) = i32::try_from(self.0.id()) {
            // SAFETY: the group is that of a child that we have not waited for, so it is still its own.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
    }
}

/// Reads what there is; false at the end.
fn more(from: &mut impl Read, into: &mut Vec<u8>) -> io::Result<bool> {
    let mut part = [0; 4096];
    let n = from.read(&mut part)?;
    into.extend(&part[..n]);
    Ok(n > 0)
}

fn is_readable(from: &impl AsRawFd, within: Duration) -> bool {
    let mut wanted = libc::pollfd { fd: from.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // At least a millisecond, so that nobody asks again and again.
    let within = i32::try_from(within.as_millis() + 1).unwrap_or(i32::MAX);
    // SAFETY: there is one, and it is ours.
    unsafe { libc::poll(&raw mut wanted, 1, within) > 0 }
}

/// In the new process, before it becomes the command: leaves the command to a child, and waits for its
/// end or for that of `us`.
#[cfg(target_os = "linux")]
fn guard(us: u32) -> io::Result<()> {
    use std::mem::MaybeUninit;
    use std::ptr;
    let (mut awaited, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: all of these may be called after `fork`, and what they are given is initialised by those
    // before. Nothing of Rust is run by the process that stays here, and it ends here.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        libc::sigemptyset(awaited.as_mut_ptr());
        libc::sigaddset(awaited.as_mut_ptr(), libc::SIGTERM);
        libc::sigaddset(awaited.as_mut_ptr(), libc::SIGCHLD);
        libc::sigprocmask(libc::SIG_BLOCK, awaited.as_ptr(), before.as_mut_ptr());
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
        if libc::getppid().cast_unsigned() != us {
            libc::_exit(1);
        }
        let command = libc::fork();
        if command < 0 {
            return Err(io::Error::last_os_error());
        }
        if command == 0 {
            libc::sigprocmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut());
            return Ok(());
        }
        // Among them is what tells our parent that the command has begun.
        if libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0) != 0 {
            (3..1024).for_each(|it| {
                libc::close(it);
            });
        }
        loop {
            let (mut signal, mut status) = (0, 0);
            libc::sigwait(awaited.as_ptr(), &raw mut signal);
            if signal == libc::SIGTERM {
                libc::kill(0, libc::SIGKILL);
            }
            if libc::waitpid(command, &raw mut status, libc::WNOHANG) == command {
                libc::_exit(if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 1 });
            }
        }
    }
}
