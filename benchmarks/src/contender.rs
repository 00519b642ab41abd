//! Who takes part, and how each is started.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::problem::{Problem, Real, Rival};

/// Somebody who runs the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contender {
    /// C by hand.
    C,
    /// The `gemm` crate, for the matrix product.
    Gemm,
    Cotan,
    Jax,
    Torch,
}

/// A contender with its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub contender: Contender,
    pub threads: usize,
}

impl Contender {
    pub fn name(self) -> &'static str {
        match self {
            Contender::C => "C",
            Contender::Gemm => "gemm",
            Contender::Cotan => "Cotan",
            Contender::Jax => "JAX",
            Contender::Torch => "PyTorch",
        }
    }

    /// Whether it is this one that a bar names.
    pub fn is(self, rival: Rival) -> bool {
        match self {
            Contender::C | Contender::Gemm => rival == Rival::Reference,
            Contender::Cotan => rival == Rival::Primal,
            Contender::Jax => rival == Rival::Jax,
            Contender::Torch => rival == Rival::Torch,
        }
    }
}

/// Everybody who may take part in a problem; the one whose results count as right comes first.
pub fn entries(problem: &Problem) -> Vec<Entry> {
    let both = |contender| [1, 2].map(|threads| Entry { contender, threads });
    let mut res = vec![Entry { contender: reference(problem), threads: 1 }];
    res.extend([Contender::Cotan, Contender::Jax, Contender::Torch].into_iter().flat_map(both));
    res
}

/// Who is right about a problem.
pub fn reference(problem: &Problem) -> Contender {
    if problem.program.reference().is_some() { Contender::C } else { Contender::Gemm }
}

/// What it takes to start them.
pub struct Roster {
    /// For the executables of the references.
    folder: PathBuf,
    python: Option<PathBuf>,
}

impl Roster {
    /// Builds into the folder.
    pub fn new(folder: &Path) -> Roster {
        Roster { folder: folder.to_path_buf(), python: python() }
    }

    /// The Python that has the frameworks, if any.
    pub fn python(&self) -> Option<&Path> {
        self.python.as_deref()
    }

    /// The command of a worker that reads its inputs from a folder.
    pub fn command(
        &self,
        entry: Entry,
        problem: &Problem,
        inputs: &Path,
    ) -> Result<Command, String> {
        let threads = entry.threads.to_string();
        let framework = |name: &str| {
            let python = self.python.as_ref().ok_or("not installed; see `--frameworks`")?;
            let mut command = Command::new(python);
            command.arg(reference_folder().join("worker.py"));
            command.args([name, problem.program.name(), &threads]).arg(inputs);
            Ok(command)
        };
        let ourselves = |name: &str| {
            let program = env::current_exe().map_err(|error| error.to_string())?;
            let mut command = Command::new(program);
            command.args(["worker", name, problem.program.name(), problem.real.name(), &threads]);
            command.arg(inputs);
            Ok(command)
        };
        match entry.contender {
            Contender::C => {
                let name = problem.program.reference().ok_or("there is no reference in C")?;
                let mut command = Command::new(self.reference(name, problem.real)?);
                command.arg(inputs);
                Ok(command)
            }
            Contender::Gemm => ourselves("gemm"),
            Contender::Cotan => ourselves("cotan"),
            Contender::Jax => framework("jax"),
            Contender::Torch => framework("torch"),
        }
    }

    /// The executable of a reference. The program is compiled with fast-math, the harness is not,
    /// and neither is the linking: that would make the whole process flush small numbers to zero.
    pub fn reference(&self, name: &str, real: Real) -> Result<PathBuf, String> {
        let executable = self.folder.join(format!("{name}-{}", real.name()));
        if executable.exists() {
            return Ok(executable);
        }
        let define = match real {
            Real::F64 => "-DREAL=double",
            Real::F32 => "-DREAL=float",
        };
        let object = |of: &str, flags: &[&str]| {
            let to = self.folder.join(format!("{of}-{}.o", real.name()));
            let mut command = compiler();
            command.args(flags).args([define, "-c"]);
            command.arg(reference_folder().join(format!("{of}.c"))).arg("-o").arg(&to);
            run(command).map(|()| to)
        };
        let harness = object("harness", &["-O2"])?;
        let loops = object(name, &REFERENCE_FLAGS)?;
        let mut command = compiler();
        command.arg(loops).arg(harness).arg("-lm").arg("-o").arg(&executable);
        run(command).map(|()| executable)
    }
}

/// What the references are compiled with.
pub const REFERENCE_FLAGS: [&str; 3] = ["-O3", "-march=native", "-ffast-math"];

/// The C compiler of the references.
pub fn compiler_name() -> String {
    env::var("CC").unwrap_or_else(|_| "gcc".to_string())
}

fn compiler() -> Command {
    let mut command = Command::new(compiler_name());
    command.args(["-std=gnu11", "-Wall", "-Wextra"]);
    command
}

/// Where the references are.
pub fn reference_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("reference")
}

/// Runs a command that has nothing to say unless it fails.
pub fn run(mut command: Command) -> Result<(), String> {
    let shown = format!("{command:?}");
    let output = command.output().map_err(|error| format!("{shown}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{shown}\n{}", String::from_utf8_lossy(&output.stderr)))
}

/// Where `--frameworks` installs.
pub fn environment() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/frameworks")
}

fn python() -> Option<PathBuf> {
    let chosen = env::var_os("COTAN_BENCH_PYTHON").map(PathBuf::from);
    let found = chosen.unwrap_or_else(|| environment().join("bin/python"));
    found.exists().then_some(found)
}

/// Installs JAX and PyTorch into an environment of their own, unless they are there.
pub fn install_frameworks() -> Result<(), String> {
    let place = environment();
    let python = place.join("bin/python");
    if !python.exists() {
        let mut create = Command::new("python3");
        create.args(["-m", "venv"]).arg(&place);
        run(create)?;
    }
    let mut install = Command::new(python);
    install.args(["-m", "pip", "install", "-r"]);
    install.arg(reference_folder().join("requirements.txt"));
    run(install)
}
