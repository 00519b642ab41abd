//! The C compiler of the system: where it is, which one it is, how it is called.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, UNIX_EPOCH};

use emit::Effort;

use crate::ahead::Wanted;
use crate::checksum::{checksum, in_digits};
use crate::failure::Unavailable;
use crate::process;

/// A C compiler.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The program.
    pub path: PathBuf,
    /// Words between the program and our flags: `CC="ccache gcc"`.
    words: Vec<String>,
    /// Tells one compiler from another.
    identity: String,
    /// How much work it puts into a program.
    pub(crate) effort: Effort,
    /// How long it may take for one.
    pub(crate) patience: Duration,
    /// Who may give it up before; nobody without one.
    wanted: Option<Wanted>,
}

/// How long the compiler may take, unless `COTAN_CC_TIMEOUT` says how many seconds.
const PATIENCE: Duration = Duration::from_secs(300);

/// What the compiler gets to see of the environment: where programs and their libraries are, where
/// temporary files go, and who asks. All else might be an option for it, as `CPATH` is.
const ENVIRONMENT: [&str; 11] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "TMP",
    "TEMP",
    "LD_LIBRARY_PATH",
    "DEVELOPER_DIR",
    "XDG_CACHE_HOME",
    "CCACHE_DIR",
];

impl Toolchain {
    /// The compiler that `CC` names, `cc` without it.
    pub fn find() -> Result<Toolchain, Unavailable> {
        let seconds = env::var("COTAN_CC_TIMEOUT").ok().and_then(|it| it.parse().ok());
        let patience = seconds.map_or(PATIENCE, Duration::from_secs);
        Ok(Toolchain::named(&env::var("CC").unwrap_or_default())?.with_patience(patience))
    }

    /// The compiler that is called so: a program, behind others that start it (`ccache gcc`). Nothing
    /// else may stand there, since options change what programs compute.
    pub fn named(given: &str) -> Result<Toolchain, Unavailable> {
        let mut words = given.split_whitespace().map(str::to_string);
        let name = words.next().unwrap_or_else(|| "cc".to_string());
        let Some(path) = find_program(&name) else { return Err(Unavailable::NoCompiler { name }) };
        let words: Vec<String> = words.collect();
        if let Some(word) = words.iter().find(|it| find_program(it).is_none()) {
            let said = format!("`CC` may name programs only, and `{word}` is none");
            return Err(Unavailable::Compiler { name: given.to_string(), said });
        }
        let identity = identity(&path, &words);
        let (effort, patience) = (Effort::Full, PATIENCE);
        Ok(Toolchain { path, words, identity, effort, patience, wanted: None })
    }

    /// The compiler, which is given up after this time.
    pub fn with_patience(mut self, patience: Duration) -> Toolchain {
        self.patience = patience;
        self
    }

    /// How long it may take.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// The compiler at this effort.
    pub fn with_effort(mut self, effort: Effort) -> Toolchain {
        self.effort = effort;
        self
    }

    /// The compiler, which ends as soon as nobody wants what it makes.
    pub fn with_wanted(mut self, wanted: &Wanted) -> Toolchain {
        self.wanted = Some(wanted.clone());
        self
    }

    /// Does something that leaves files behind if it is left alone, unless the compiler was given up.
    pub fn while_wanted<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        match &self.wanted {
            None => Some(work()),
            Some(it) => it.untidily(work),
        }
    }

    /// Who may give it up.
    pub(crate) fn wanted(&self) -> Option<&Wanted> {
        self.wanted.as_ref()
    }

    /// A command that only lacks its arguments.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.args(&self.words).env_clear();
        command.envs(ENVIRONMENT.iter().filter_map(|it| Some((it, env::var_os(it)?))));
        // Its messages are read by us.
        command.env("LC_ALL", "C").stdin(Stdio::null());
        command
    }

    /// What it is called in messages.
    pub fn name(&self) -> String {
        let mut name = self.path.display().to_string();
        for word in &self.words {
            name = format!("{name} {word}");
        }
        name
    }

    /// The first line of what it says of itself.
    pub fn version(&self) -> Result<String, Unavailable> {
        let failed = |said: String| Unavailable::Compiler { name: self.name(), said };
        let mut command = self.command();
        command.arg("--version");
        let running = process::ask(command).map_err(|it| failed(it.to_string()))?;
        match self.ended(running, Instant::now())? {
            (true, said) if !said.is_empty() => Ok(said.lines().take(1).collect()),
            (_, said) => Err(failed(said)),
        }
    }

    /// Changes when the compiler is another one, or another version of it.
    pub(crate) fn identity(&self) -> &str {
        &self.identity
    }
}

/// The file of a program, by its path or in the folders of `PATH`.
fn find_program(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return is_program(Path::new(name)).then(|| PathBuf::from(name));
    }
    let folders: OsString = env::var_os("PATH")?;
    env::split_paths(&folders).map(|it| it.join(name)).find(|it| is_program(it))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let data = path.metadata();
    data.is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

/// Path, length and time of the file behind all links: asking the compiler for its version takes
/// longer than loading a cached program.
pub(crate) fn identity(path: &Path, words: &[String]) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let data = path.metadata();
    let len = data.as_ref().map_or(0, |it| it.len());
    let time = data.ok().and_then(|it| it.modified().ok());
    let time = time.and_then(|it| it.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let text = format!("{} {words:?} {len} {}", path.display(), time.as_nanos());
    in_digits(checksum(&[text.as_bytes()]))
}

/// Features of this machine that the compiler uses under `-march=native`, as far as they differ
/// between machines that share a home folder.
pub(crate) fn machine() -> String {
    let mut res = std::env::consts::ARCH.to_string();
    for (name, there) in features() {
        if there {
            res = format!("{res} {name}");
        }
    }
    res
}

/// How many bits a vector has.
pub fn vector_bits() -> u32 {
    let there = |wanted: &str| features().iter().any(|it| it.0 == wanted && it.1);
    match () {
        () if there("avx512f") && there("avx512dq") => 512,
        () if there("avx2") => 256,
        () => 128,
    }
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<(&'static str, bool)> {
    macro_rules! each {
        ($($name:tt)*) => { vec![$(($name, std::arch::is_x86_feature_detected!($name))),*] };
    }
    each!(
        "sse3" "ssse3" "sse4.1" "sse4.2" "popcnt" "avx" "avx2" "fma" "bmi1" "bmi2" "lzcnt" "f16c"
        "avx512f" "avx512dq" "avx512bw" "avx512vl" "avx512cd" "avx512ifma" "avx512vbmi" "avx512vbmi2"
        "avx512vnni" "avx512bitalg" "avx512vpopcntdq" "avx512bf16" "avx512fp16" "gfni" "vaes"
        "vpclmulqdq" "avxvnni" "adx" "movbe"
    )
}

#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<(&'static str, bool)> {
    Vec::new()
}
