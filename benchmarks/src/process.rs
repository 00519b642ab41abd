//! The other end of a worker: starts a process and talks to it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::problem::Phase;

/// A running worker. It is ended when this is dropped.
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

/// Seconds of some runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seconds {
    /// Of the clock.
    pub wall: f64,
    /// That the process used, all of its threads together.
    pub used: f64,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Silence {
    /// It cannot take part.
    Missing(String),
    /// It failed.
    Failed(String),
}

impl Process {
    /// Starts a worker and waits until it has read its inputs.
    pub fn start(mut command: Command, patience: Duration) -> Result<Process, Silence> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let program = command.get_program().to_string_lossy().into_owned();
        let spawned = command.spawn();
        let mut child =
            spawned.map_err(|error| Silence::Missing(format!("`{program}`: {error}")))?;
        let input = child.stdin.take();
        let output = child.stdout.take().expect("it was asked for");
        let (sender, lines) = channel();
        // Ends when the process ends, or when nobody listens any more.
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut process = Process { child, input, lines };
        let first = process.answer(patience)?;
        match first.split_once(' ') {
            None if first == "ready" => Ok(process),
            Some(("missing", why)) => Err(Silence::Missing(why.to_string())),
            None | Some(_) => Err(Silence::Failed(first)),
        }
    }

    /// Runs once; results go to the folder.
    pub fn run(&mut self, phase: Phase, folder: &Path, patience: Duration) -> Result<(), Silence> {
        let line = format!("run {} {}", phase.name(), folder.display());
        self.ask(&line, patience).map(|_| ())
    }

    /// Runs some times; the seconds of one run.
    pub fn time(
        &mut self,
        phase: Phase,
        count: usize,
        patience: Duration,
    ) -> Result<Seconds, Silence> {
        let answer = self.ask(&format!("time {} {count}", phase.name()), patience)?;
        let numbers: Vec<f64> = answer.split(' ').filter_map(|it| it.parse().ok()).collect();
        let [wall, used] = numbers[..] else { return Err(Silence::Failed(answer)) };
        Ok(Seconds { wall: wall / count as f64, used: used / count as f64 })
    }

    /// The number that the system gave it.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    fn ask(&mut self, line: &str, patience: Duration) -> Result<String, Silence> {
        let input = self.input.as_mut().expect("it is taken only when this is dropped");
        let sent = writeln!(input, "{line}").and_then(|()| input.flush());
        sent.map_err(|error| Silence::Failed(format!("it ended: {error}")))?;
        let answer = self.answer(patience)?;
        match answer.strip_prefix("ok") {
            Some(rest) => Ok(rest.trim().to_string()),
            None => Err(Silence::Failed(answer)),
        }
    }

    fn answer(&mut self, patience: Duration) -> Result<String, Silence> {
        self.lines.recv_timeout(patience).map_err(|error| match error {
            RecvTimeoutError::Timeout => Silence::Missing(format!("over {} s", patience.as_secs())),
            RecvTimeoutError::Disconnected => Silence::Failed("it ended".to_string()),
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.input.take());
        // It may be busy with what nobody waits for; if it has ended, there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
