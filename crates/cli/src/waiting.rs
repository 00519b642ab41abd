//! Says on a terminal that the C compiler is at work, if that takes longer than people wonder.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use cotan::{Compiler, Compiling, Options, Watch};

use crate::{files, output};

/// So long nobody wonders.
const PATIENCE: Duration = Duration::from_secs(2);

/// A compiler whose programs say what takes long.
pub(crate) fn compiler(options: Options) -> Compiler {
    let compiler = files::compiler(options);
    if !io::stderr().is_terminal() {
        return compiler;
    }
    compiler.watched(watch(PATIENCE, |text| output::complain(&format!("{text}\n"))))
}

/// Tells a text if the C compiler has not ended after a time.
fn watch(after: Duration, tell: impl Fn(&str) + Clone + Send + Sync + 'static) -> Watch {
    let running: Arc<Mutex<Vec<Sender<()>>>> = Arc::default();
    Watch::new(move |what| {
        let Ok(mut running) = running.lock() else { return };
        match what {
            Compiling::Begins(n_lines) => {
                let (ended, end) = channel();
                running.push(ended);
                let tell = tell.clone();
                thread::spawn(move || {
                    if end.recv_timeout(after) == Err(RecvTimeoutError::Timeout) {
                        tell(&sentence(n_lines));
                    }
                });
            }
            // Whoever waits for the other end learns that it is gone.
            Compiling::Ends => drop(running.pop()),
        }
    })
}

fn sentence(n_lines: usize) -> String {
    format!(
        "note: the C compiler is at work on {n_lines} lines; what it makes is kept for the next run\n         help: `--backend interp` runs at once, but slower"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program whose code takes a moment to compile, compiled as soon as it is called.
    fn compile_with(watch: Watch) {
        let options = Options { backend: cotan::Backend::Native, ..Options::default() };
        let text = "def f(x: Real): Real = x * 4711.25";
        let compiled = Compiler::new(options).watched(watch).compile("f.cot", text);
        compiled.expect("it checks").load("f").expect("it compiles");
    }

    #[test]
    fn who_waits_is_told_why() {
        let (said, heard) = channel();
        let said = Mutex::new(said);
        let events =
            Watch::new(move |it| said.lock().expect("nobody fails").send(it).expect("heard"));
        compile_with(events);
        let events: Vec<Compiling> = heard.iter().collect();
        match events[..] {
            [Compiling::Begins(n_lines), Compiling::Ends] => assert!(n_lines > 0),
            // It was compiled before.
            [] => {}
            [..] => panic!("{events:?}"),
        }
        let (said, heard) = channel();
        let said = Arc::new(Mutex::new(said));
        let tell =
            move |it: &str| said.lock().expect("nobody fails").send(it.to_string()).expect("heard");
        let watch = watch(Duration::ZERO, tell);
        watch.tell(Compiling::Begins(4321));
        let told = heard.recv().expect("it says something while it waits");
        watch.tell(Compiling::Ends);
        assert!(told.contains("4321 lines"), "{told}");
    }
}
