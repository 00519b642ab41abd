//! A folder that is ours alone, held open: what is read, loaded or removed is in the folder that was
//! looked at, whatever becomes of its path meanwhile.
//!
//! Ours is what the user who runs this process owns, and nobody else may write to. That is asked of the
//! open file and not of a path, and what was asked is what is used.

use std::ffi::CString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::failure::Unavailable;
use crate::system::attempt;

/// An open folder.
pub(crate) struct Folder {
    file: File,
    path: PathBuf,
}

/// A file in it.
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) used: SystemTime,
}

/// Permissions of others to write.
const OTHERS: u32 = 0o022;

impl Folder {
    /// Opens a folder, if it is ours.
    pub(crate) fn open(path: &Path) -> Result<Folder, Unavailable> {
        let failed = |it: io::Error| Unavailable::files("open", path, &it);
        attempt("open a folder").map_err(failed)?;
        let file = File::options().read(true).custom_flags(libc::O_DIRECTORY).open(path);
        let file = file.map_err(failed)?;
        let data = file.metadata().map_err(failed)?;
        if data.uid() != user() || data.mode() & OTHERS != 0 {
            let why = io::Error::other("others may write there, and what is there is run");
            return Err(Unavailable::files("use", path, &why));
        }
        Ok(Folder { file, path: path.to_path_buf() })
    }

    /// Makes it first, if it is not there.
    pub(crate) fn make(path: &Path) -> Result<Folder, Unavailable> {
        let mut builder = fs::DirBuilder::new();
        let made = attempt("make a folder");
        let made = made.and_then(|()| builder.recursive(true).mode(0o700).create(path));
        made.map_err(|it| Unavailable::files("make", path, &it))?;
        Folder::open(path)
    }

    /// The path of a file, for those who cannot be given an open one.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// A file of ours, open, and its bytes. Neither a link nor a pipe is followed or waited for.
    pub(crate) fn read(&self, name: &str) -> Result<(File, Vec<u8>), Unavailable> {
        let failed = |it: io::Error| Unavailable::files("read", &self.path(name), &it);
        let file = attempt("open").and_then(|()| self.open_at(name, libc::O_RDWR, 0));
        let mut file = file.map_err(failed)?;
        let data = file.metadata().map_err(failed)?;
        if !data.is_file() || data.uid() != user() || data.mode() & OTHERS != 0 {
            return Err(failed(io::Error::other("it is no file that only we may write to")));
        }
        let mut bytes = Vec::new();
        attempt("read").and_then(|()| file.read_to_end(&mut bytes)).map_err(failed)?;
        Ok((file, bytes))
    }

    /// Makes a file that was not there.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<File, Unavailable> {
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL;
        let file = attempt("create").and_then(|()| self.open_at(name, flags, 0o600));
        let written = file.and_then(|mut it| {
            let done = attempt("write").and_then(|()| it.write_all(bytes));
            // Half of it is of no use to anybody.
            done.inspect_err(|_| self.forget(name)).map(|()| it)
        });
        written.map_err(|it| Unavailable::files("write", &self.path(name), &it))
    }

    /// Takes the permission to write to a file that we own from others: the compiler gives it to whom
    /// the user gives it in general.
    pub(crate) fn close_to_others(&self, name: &str) {
        // What cannot be changed is found out when it is read.
        if let Ok(file) = self.open_at(name, libc::O_RDONLY, 0) {
            let _ = file.set_permissions(fs::Permissions::from_mode(0o700));
        }
    }

    /// Gives a file another name, and takes that from whoever had it.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        attempt("rename")?;
        let (folder, from, name) = (self.file.as_raw_fd(), c_name(from)?, c_name(to)?);
        // An empty folder may be in the way, which a file does not replace.
        // SAFETY: both names are texts of C, and the folder is open.
        unsafe { libc::unlinkat(folder, name.as_ptr(), libc::AT_REMOVEDIR) };
        // SAFETY: as above.
        let res = unsafe { libc::renameat(folder, from.as_ptr(), folder, name.as_ptr()) };
        if res == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Removes a file, and says whether that went well.
    pub(crate) fn remove(&self, name: &str) -> bool {
        let (Ok(()), Ok(name)) = (attempt("remove"), c_name(name)) else { return false };
        // SAFETY: the name is a text of C, and the folder is open.
        unsafe { libc::unlinkat(self.file.as_raw_fd(), name.as_ptr(), 0) == 0 }
    }

    /// The files that we own.
    pub(crate) fn list(&self) -> Vec<Listed> {
        let Ok(files) = fs::read_dir(&self.path) else { return Vec::new() };
        let listed = |it: io::Result<fs::DirEntry>| {
            let it = it.ok()?;
            // That of the entry itself, if it is a link.
            let data = it.metadata().ok().filter(|it| it.is_file() && it.uid() == user())?;
            let name = it.file_name().into_string().ok()?;
            Some(Listed { name, bytes: data.len(), used: data.modified().ok()? })
        };
        files.filter_map(listed).collect()
    }

    fn forget(&self, name: &str) {
        self.remove(name);
    }

    fn open_at(&self, name: &str, flags: i32, mode: u32) -> io::Result<File> {
        let name = c_name(name)?;
        let flags = flags | libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC;
        // SAFETY: the name is a text of C, and the folder is open.
        let file = unsafe { libc::openat(self.file.as_raw_fd(), name.as_ptr(), flags, mode) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was opened just now, and nobody else knows it.
        Ok(unsafe { File::from_raw_fd(file) })
    }
}

/// Who we are.
pub(crate) fn user() -> u32 {
    // SAFETY: asks for a number; it cannot fail.
    unsafe { libc::geteuid() }
}

fn c_name(name: &str) -> io::Result<CString> {
    CString::new(name).map_err(io::Error::other)
}
