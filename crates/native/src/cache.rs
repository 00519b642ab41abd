//! Compiled programs in a folder, by what they were made of.
//!
//! An entry is one file: a shared library with a seal behind its end, which says for which key it was
//! made and what its bytes were; the loader does not mind what stands there. Files are written under
//! another name and then moved, so a reader sees a whole entry or none, whatever other processes do.
//! What has no right seal, or does not load, is removed and made anew. What a caller knows of a library
//! is kept beside it: see `note.rs`.

use std::env;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use libloading::Library;
use serde::{Deserialize, Serialize};

use crate::checksum::{checksum, in_digits};
use crate::compile::{FLAGS_OF_C, compile, flags_of};
use crate::failure::Unavailable;
use crate::toolchain::{Toolchain, machine};

/// Bytes that entries may have together.
const MOST_BYTES: u64 = 1 << 30;
/// After so long, nobody is still writing a file.
const ABANDONED: Duration = Duration::from_secs(3600);
/// The endings of libraries and of what is known of them.
const LIBRARY: &str = "so";
pub(crate) const NOTE: &str = "note";
/// The first bytes of a seal.
const MAGIC: &[u8; 8] = b"cotan 01";
/// The bytes of a seal: magic, key, checksum.
const SEAL: usize = 8 + 16 + 16;

/// A folder of compiled programs.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    most_bytes: u64,
}

/// What a library was made of, in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key(pub(crate) [u64; 2]);

/// What there is in the folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheState {
    /// How many programs.
    pub entries: usize,
    /// Their bytes.
    pub bytes: u64,
    /// How many they may have.
    pub most_bytes: u64,
}

impl Cache {
    /// The folder that `COTAN_CACHE` names, else `cotan` among the caches of the user, else one for
    /// what does not last.
    pub fn of_user() -> Cache {
        let path = |name: &str| env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
        let own = || path("XDG_CACHE_HOME").filter(|it| it.is_absolute());
        let home = || path("HOME").map(|it| it.join(".cache"));
        let folder = path("COTAN_CACHE").or_else(|| Some(own().or_else(home)?.join("cotan")));
        folder.map_or_else(Cache::that_does_not_last, Cache::at)
    }

    /// Among the temporary files. Others cannot have prepared it for us: see `usable`.
    fn that_does_not_last() -> Cache {
        Cache::at(env::temp_dir().join(format!("cotan-{}", user())))
    }

    /// This folder.
    pub fn at(folder: PathBuf) -> Cache {
        Cache { folder, most_bytes: MOST_BYTES }
    }

    /// The same with another limit.
    pub fn with_most_bytes(mut self, most_bytes: u64) -> Cache {
        self.most_bytes = most_bytes;
        self
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What there is.
    pub fn state(&self) -> CacheState {
        let entries = self.entries();
        let bytes = entries.iter().map(|it| it.bytes).sum();
        let entries = entries.iter().filter(|it| is_library(&it.path)).count();
        CacheState { entries, bytes, most_bytes: self.most_bytes }
    }

    /// Whether we may write there; makes the folder.
    pub fn usable(&self) -> Result<(), Unavailable> {
        let mut builder = fs::DirBuilder::new();
        let made = builder.recursive(true).mode(0o700).create(&self.folder);
        made.map_err(|it| self.unusable(&it.to_string()))?;
        let data = self.folder.metadata().map_err(|it| self.unusable(&it.to_string()))?;
        if data.uid() != user() || data.mode() & 0o022 != 0 {
            return Err(self.unusable("others may write there, and what is there is run"));
        }
        let probe = self.unfinished("probe");
        fs::write(&probe, b"").map_err(|it| self.unusable(&it.to_string()))?;
        let _ = fs::remove_file(probe);
        Ok(())
    }

    fn unusable(&self, reason: &str) -> Unavailable {
        let path = self.folder.display().to_string();
        Unavailable::Files { path, reason: reason.to_string() }
    }

    /// The library of a C text: as it was kept, or compiled now.
    pub(crate) fn library(
        &self,
        toolchain: &Toolchain,
        text: &str,
    ) -> Result<Library, Unavailable> {
        let key = Key::new(toolchain, text);
        if let Ok(library) = self.kept(key) {
            return Ok(library);
        }
        if let Err(error) = self.usable() {
            let other = Cache::that_does_not_last();
            return match other.folder == self.folder {
                true => Err(error),
                false => other.library(toolchain, text),
            };
        }
        let _ = fs::remove_file(self.path(key, LIBRARY));
        self.made(toolchain, text, key)
    }

    /// The file of an entry.
    pub(crate) fn path(&self, key: Key, extension: &str) -> PathBuf {
        self.folder.join(in_digits(key.0)).with_extension(extension)
    }

    /// The library that is there, if it is right.
    pub(crate) fn kept(&self, key: Key) -> Result<Library, Unavailable> {
        let path = self.path(key, LIBRARY);
        self.read_sealed(&path, key)?;
        load(&path)
    }

    /// What stands before the seal of a file, if that is right.
    pub(crate) fn read_sealed(&self, path: &Path, key: Key) -> Result<Vec<u8>, Unavailable> {
        let mut bytes = fs::read(path).map_err(|it| self.unusable(&it.to_string()))?;
        let owner = path.metadata().map_err(|it| self.unusable(&it.to_string()))?.uid();
        let len = bytes.len().saturating_sub(SEAL);
        if owner != user() || bytes[len..] != *sealed(&bytes[..len], key) {
            return Err(self.unusable("this entry is not ours"));
        }
        bytes.truncate(len);
        // Entries that are used are the last to go. Not being able to say so is no harm.
        let now = SystemTime::now();
        let _ = File::options().append(true).open(path).and_then(|it| it.set_modified(now));
        Ok(bytes)
    }

    /// Compiles, seals, moves to its place and loads.
    fn made(&self, toolchain: &Toolchain, text: &str, key: Key) -> Result<Library, Unavailable> {
        let beside = self.unfinished("so");
        let source = beside.with_extension("c");
        let done = compile(toolchain, text, &beside).and_then(|()| {
            let failed = |it: io::Error| self.unusable(&it.to_string());
            let mut bytes = fs::read(&beside).map_err(failed)?;
            let seal = sealed(&bytes, key);
            bytes.extend(seal);
            fs::write(&beside, bytes).map_err(failed)?;
            // Loaded before it has its name: another process may remove that at any time.
            let library = load(&beside)?;
            fs::rename(&source, self.path(key, "c")).map_err(failed)?;
            fs::rename(&beside, self.path(key, LIBRARY)).map_err(failed)?;
            Ok(library)
        });
        if done.is_err() {
            let _ = fs::remove_file(&source);
            let _ = fs::remove_file(&beside);
        }
        self.drop_old();
        done
    }

    /// A name that nobody else has.
    pub(crate) fn unfinished(&self, extension: &str) -> PathBuf {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let (process, number) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        self.folder.join(format!("unfinished-{process}-{number}")).with_extension(extension)
    }

    /// Removes the oldest entries until the others fit, and what was never finished.
    fn drop_old(&self) {
        let mut entries = self.entries();
        entries.sort_by_key(|it| it.used);
        let mut bytes: u64 = entries.iter().map(|it| it.bytes).sum();
        for entry in entries {
            let name = entry.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let unfinished = name.starts_with("unfinished-");
            let age = entry.used.elapsed().unwrap_or_default();
            let is_old = if unfinished { age > ABANDONED } else { bytes > self.most_bytes };
            if is_old && fs::remove_file(&entry.path).is_ok() {
                bytes -= entry.bytes;
            }
        }
    }

    fn entries(&self) -> Vec<Kept> {
        let Ok(files) = fs::read_dir(&self.folder) else { return Vec::new() };
        let kept = |it: io::Result<fs::DirEntry>| {
            let it = it.ok()?;
            let path = it.path();
            let ours = path.extension().is_some_and(|it| it == LIBRARY || it == "c" || it == NOTE);
            let data = it.metadata().ok().filter(|it| ours && it.is_file())?;
            Some(Kept { path, bytes: data.len(), used: data.modified().ok()? })
        };
        files.filter_map(kept).collect()
    }
}

/// A file of the cache.
struct Kept {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

/// Who we are.
fn user() -> u32 {
    // SAFETY: asks for a number; it cannot fail.
    unsafe { libc::geteuid() }
}

fn is_library(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == LIBRARY)
}

impl Key {
    /// All that what the compiler makes of a text depends on.
    pub fn new(toolchain: &Toolchain, text: &str) -> Key {
        let version = env!("CARGO_PKG_VERSION");
        let flags = FLAGS_OF_C.join(" ");
        let machine = machine();
        let effort = flags_of(toolchain.effort, text).join(" ");
        let parts = [version, &flags, &effort, toolchain.identity(), &machine, text];
        Key(checksum(&parts.map(str::as_bytes)))
    }
}

/// What stands behind the end of a library.
pub(crate) fn sealed(body: &[u8], key: Key) -> Vec<u8> {
    let sum = checksum(&[body]);
    let words = [key.0[0], key.0[1], sum[0], sum[1]];
    MAGIC.iter().copied().chain(words.iter().flat_map(|it| it.to_le_bytes())).collect()
}

fn load(path: &Path) -> Result<Library, Unavailable> {
    // SAFETY: loading runs what a library wants to run at its start; ours want nothing, and that it
    // is ours is what the seal says, or that we have just made it.
    let library = unsafe { Library::new(path) };
    library.map_err(|it| Unavailable::Load { reason: it.to_string() })
}
