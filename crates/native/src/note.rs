//! What a caller knows of a library, kept beside it under a name of the caller's: whoever has the same
//! source need not find out again what has to be compiled, only load it.
//!
//! What is made of a source depends on the compiler that this code is part of. Its version number does
//! not change with every build of it, so the file that holds this code is part of the name: where it is,
//! how long, and from when.

use std::env;
use std::ffi::{CStr, OsStr};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::cache::{Cache, Key, NOTE, file_name, read_sealed, sealed, unfinished};
use crate::checksum::checksum;
use crate::folder::Folder;
use crate::toolchain::{Toolchain, identity, machine};

impl Key {
    /// Names what the compiler that this code is part of makes of these parts; none if it cannot tell
    /// which build it is.
    pub fn of_note(toolchain: &Toolchain, parts: &[&[u8]]) -> Option<Key> {
        let (own, machine) = (own_identity()?, machine());
        let own = [&own, toolchain.identity(), &machine].map(str::as_bytes);
        let parts: Vec<&[u8]> = own.iter().chain(parts).copied().collect();
        Some(Key(checksum(&parts)))
    }
}

impl Cache {
    /// What was kept under this name.
    pub fn note(&self, key: Key) -> Option<Vec<u8>> {
        let folder = Folder::open(self.folder()).ok()?;
        Some(read_sealed(&folder, &file_name(key, NOTE), key).ok()?.1)
    }

    /// Keeps it, if the folder can be written; else it is found out again.
    pub fn keep_note(&self, key: Key, mut bytes: Vec<u8>) {
        let Ok(folder) = Folder::open(self.folder()) else { return };
        let seal = sealed(&bytes, key);
        bytes.extend(seal);
        let beside = format!("{}.{NOTE}", unfinished());
        let written = folder.write(&beside, &bytes).is_ok();
        if !written || folder.rename(&beside, &file_name(key, NOTE)).is_err() {
            folder.remove(&beside);
        }
    }
}

/// The file that holds this code: a program, or a library of ours in another program.
fn own_identity() -> Option<String> {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    let here = own_identity as fn() -> Option<String>;
    // SAFETY: `info` has room for the answer, and any address may be asked for.
    let known = unsafe { libc::dladdr(here as *const libc::c_void, info.as_mut_ptr()) };
    if known == 0 {
        return None;
    }
    // SAFETY: it says that it has answered.
    let info = unsafe { info.assume_init() };
    if info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a file name that lasts as long as the file is loaded, and we are in it.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    let path = Path::new(OsStr::from_bytes(name.to_bytes()));
    // A program is called what it was started as, from wherever that was.
    let path = if path.is_absolute() { path.to_path_buf() } else { env::current_exe().ok()? };
    path.metadata().is_ok().then(|| identity(&path, &[]))
}
