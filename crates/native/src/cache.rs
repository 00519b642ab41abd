//! Compiled programs in a folder, by what they were made of.
//!
//! An entry is one file: a shared library with a seal behind its end, which says for which key it was
//! made and what its bytes were; the loader does not mind what stands there. Files are written under
//! another name and then moved, so a reader sees a whole entry or none, whatever other processes do.
//! What has no right seal, or does not load, is made anew. What a caller knows of a library is kept
//! beside it: see `note.rs`. Who may have written an entry is asked of the open file, and that file is
//! what is loaded: see `folder.rs`.

use std::env;
use std::fs::{self, File};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use emit::{FLAGS_OF_C, flags_of};
use libloading::Library;
use serde::{Deserialize, Serialize};

use crate::checksum::{checksum, in_digits};
use crate::compile::compile;
use crate::failure::Unavailable;
use crate::folder::{Folder, Listed, user};
use crate::system::attempt;
use crate::toolchain::{Toolchain, machine};

/// Bytes that entries may have together.
const MOST_BYTES: u64 = 1 << 30;
/// After so long, nobody is still writing a file.
const ABANDONED: Duration = Duration::from_secs(3600);
/// The endings of libraries and of what is known of them.
const LIBRARY: &str = "so";
const SOURCE: &str = "c";
pub(crate) const NOTE: &str = "note";
/// How the names of files begin that are not finished.
const UNFINISHED: &str = "unfinished-";
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

    /// The cache with another limit of its size.
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
        let entries = Folder::open(&self.folder).map_or_else(|_| Vec::new(), |it| entries(&it));
        let bytes = entries.iter().map(|it| it.bytes).sum();
        let entries = entries.iter().filter(|it| is_entry(&it.name, &[LIBRARY])).count();
        CacheState { entries, bytes, most_bytes: self.most_bytes }
    }

    /// Whether we may write there; makes the folder.
    pub fn usable(&self) -> Result<(), Unavailable> {
        let folder = Folder::make(&self.folder)?;
        let probe = format!("{}.probe", unfinished());
        folder.write(&probe, b"")?;
        folder.remove(&probe);
        Ok(())
    }

    /// Removes what was kept of a text, so that it is compiled when it is asked for.
    pub fn forget(&self, key: Key) {
        for cache in [self, &Cache::that_does_not_last()] {
            if let Ok(folder) = Folder::open(&cache.folder) {
                folder.remove(&file_name(key, LIBRARY));
            }
        }
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
        let usable = self.usable().and_then(|()| Folder::open(&self.folder));
        match (usable, Cache::that_does_not_last()) {
            (Ok(folder), _) => {
                let made = toolchain.while_wanted(|| self.made(&folder, toolchain, text, key));
                made.unwrap_or_else(|| Err(Unavailable::unwanted(toolchain.name())))
            }
            (Err(error), other) if other.folder == self.folder => Err(error),
            (Err(_), other) => other.library(toolchain, text),
        }
    }

    /// The library that is there, if it is right.
    pub(crate) fn kept(&self, key: Key) -> Result<Library, Unavailable> {
        let (folder, name) = (Folder::open(&self.folder)?, file_name(key, LIBRARY));
        let (file, _) = read_sealed(&folder, &name, key)?;
        load(&file, &folder.path(&name))
    }

    /// Compiles, loads, seals and moves to its place. What cannot be kept was still made.
    fn made(
        &self,
        folder: &Folder,
        toolchain: &Toolchain,
        text: &str,
        key: Key,
    ) -> Result<Library, Unavailable> {
        let beside = unfinished();
        let [source, made] = [SOURCE, LIBRARY].map(|it| format!("{beside}.{it}"));
        let done = folder.write(&source, text.as_bytes()).and_then(|_| {
            compile(toolchain, text, &folder.path(&made))?;
            folder.close_to_others(&made);
            let (mut file, bytes) = folder.read(&made)?;
            let library = load(&file, &folder.path(&made))?;
            let seal = attempt("write").and_then(|()| file.write_all(&sealed(&bytes, key)));
            let kept = seal.and_then(|()| folder.rename(&made, &file_name(key, LIBRARY)));
            // The text is for people.
            let _ = kept.and_then(|()| folder.rename(&source, &file_name(key, SOURCE)));
            Ok(library)
        });
        // What has its name by now has gone from here.
        folder.remove(&source);
        folder.remove(&made);
        self.drop_old(folder);
        done
    }

    /// Removes the oldest entries until the others fit, and what nobody is going to finish.
    fn drop_old(&self, folder: &Folder) {
        let mut entries = entries(folder);
        entries.sort_by_key(|it| it.used);
        let mut bytes: u64 = entries.iter().map(|it| it.bytes).sum();
        for entry in entries {
            let is_old = match entry.name.strip_prefix(UNFINISHED) {
                Some(rest) => is_abandoned(rest, entry.used),
                None => bytes > self.most_bytes,
            };
            if is_old && folder.remove(&entry.name) {
                bytes -= entry.bytes;
            }
        }
    }
}

/// The file of an entry.
pub(crate) fn file_name(key: Key, extension: &str) -> String {
    format!("{}.{extension}", in_digits(key.0))
}

/// What stands before the seal of a file, and the file, if the seal is right.
pub(crate) fn read_sealed(
    folder: &Folder,
    name: &str,
    key: Key,
) -> Result<(File, Vec<u8>), Unavailable> {
    let (file, mut bytes) = folder.read(name)?;
    let len = bytes.len().saturating_sub(SEAL);
    if bytes[len..] != *sealed(&bytes[..len], key) {
        let why = std::io::Error::other("this entry is damaged");
        return Err(Unavailable::files("use", &folder.path(name), &why));
    }
    bytes.truncate(len);
    // Entries that are used are the last to go. Not being able to say so is no harm.
    let _ = file.set_modified(SystemTime::now());
    Ok((file, bytes))
}

/// The beginning of a name that nobody else has: where processes have their numbers from, the number of
/// this one, and one for each name.
#[doc(hidden)]
pub fn unfinished() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let (process, number) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    format!("{UNFINISHED}{}-{process}-{number}", realm())
}

/// What tells apart processes of one number: which start of which machine, and which part of it.
fn realm() -> String {
    let start = fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let part = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    in_digits(checksum(&[&start, part.as_os_str().as_encoded_bytes()]))
}

/// Whether nobody is writing this file any more, by the rest of its name and when it was written to.
fn is_abandoned(rest: &str, used: SystemTime) -> bool {
    let mut parts = rest.split('-');
    let is_here = parts.next() == Some(realm().as_str());
    let process = parts.next().and_then(|it| it.parse::<i32>().ok());
    let is_gone = process.filter(|it| is_here && *it > 0).is_some_and(|it| {
        // SAFETY: no signal is sent; it only asks whether there is such a process.
        let found = unsafe { libc::kill(it, 0) } == 0;
        !found && std::io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH)
    });
    is_gone || used.elapsed().unwrap_or_default() > ABANDONED
}

/// The files that Cotan made; others may lie there too.
fn entries(folder: &Folder) -> Vec<Listed> {
    let is_ours =
        |name: &str| name.starts_with(UNFINISHED) || is_entry(name, &[LIBRARY, SOURCE, NOTE]);
    folder.list().into_iter().filter(|it| is_ours(&it.name)).collect()
}

/// Whether a file is called as an entry is.
fn is_entry(name: &str, extensions: &[&str]) -> bool {
    let Some((key, extension)) = name.split_once('.') else { return false };
    let is_digit = |it: u8| it.is_ascii_digit() || (b'a'..=b'f').contains(&it);
    key.len() == 32 && key.bytes().all(is_digit) && extensions.contains(&extension)
}

impl Key {
    /// All that what the compiler makes of a text depends on.
    pub fn new(toolchain: &Toolchain, text: &str) -> Key {
        let version = env!("CARGO_PKG_VERSION");
        let flags = FLAGS_OF_C.join(" ");
        let machine = machine();
        let effort = flags_of(toolchain.effort).join(" ");
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

/// Loads an open file. `path` is what messages call it.
fn load(file: &File, path: &Path) -> Result<Library, Unavailable> {
    attempt("load").map_err(|it| Unavailable::files("load", path, &it))?;
    let opened = by_descriptor(file).unwrap_or_else(|| path.to_path_buf());
    // SAFETY: loading runs what a library wants to run at its start; ours want nothing, and that it
    // is ours is what the seal says, or that we have just made it.
    let library = unsafe { Library::new(&opened) };
    library.map_err(|it| match Unavailable::load(&it) {
        Unavailable::Load { reason } => {
            let opened = opened.display().to_string();
            Unavailable::Load { reason: reason.replace(&opened, &path.display().to_string()) }
        }
        it @ (Unavailable::NoCompiler { .. }
        | Unavailable::Compiler { .. }
        | Unavailable::Files { .. }
        | Unavailable::Memory { .. }) => it,
    })
}

/// A path that leads to what is open, where the system has one. The loader takes what has the same path
/// for the same library, and numbers of files come again; so every path is spelled in its own way.
fn by_descriptor(file: &File) -> Option<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    const FILES: &str = "/proc/self/fd";
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let bits = (0..u64::BITS - count.leading_zeros()).map(|it| count >> it & 1);
    let spelling: String = bits.map(|it| if it == 0 { "/" } else { "/." }).collect();
    let path = PathBuf::from(format!("{FILES}{spelling}/{}", file.as_raw_fd()));
    path.exists().then_some(path)
}
