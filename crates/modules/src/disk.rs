//! Files on the disk.
#![allow(clippy::disallowed_methods, reason = "reading imported files is what it is for")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::files::{Files, Found};

/// The files of this machine; a path starts at the folder of the file that imports.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    folder: PathBuf,
}

impl Disk {
    /// The names of programs, if they are no whole paths, start at this folder; otherwise where we are.
    pub fn at(folder: impl Into<PathBuf>) -> Disk {
        Disk { folder: folder.into() }
    }

    /// The text of a file that is a program itself: it may come from a pipe.
    pub fn source(&self, path: &str) -> Result<String, String> {
        text(fs::read(self.folder.join(path)).map_err(|it| reason(&it))?)
    }
}

impl Files for Disk {
    fn find(&self, from: &str, path: &str) -> Result<Found, String> {
        let name = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
        let place = self.folder.join(&name);
        let kind = fs::metadata(&place).map_err(|it| reason(&it))?.file_type();
        if kind.is_dir() {
            return Err("it is a directory".to_owned());
        }
        // Reading a pipe would wait for somebody to write, and a device may have no end.
        if !kind.is_file() {
            return Err("it is a pipe or a device and no file".to_owned());
        }
        let whole = fs::canonicalize(&place).map_err(|it| reason(&it))?;
        Ok(Found { name: name.display().to_string(), key: key_of(whole) })
    }

    fn read(&self, file: &Found) -> Result<String, String> {
        text(fs::read(&file.key).map_err(|it| reason(&it))?)
    }

    fn key(&self, name: &str) -> Option<String> {
        fs::canonicalize(self.folder.join(name)).ok().map(key_of)
    }
}

fn text(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|it| {
        let start = it.utf8_error().valid_up_to();
        let line = it.as_bytes()[..start].iter().filter(|it| **it == b'\n').count() + 1;
        format!("it is not UTF-8 text, from line {line} on")
    })
}

fn key_of(path: PathBuf) -> String {
    path.into_os_string().into_string().unwrap_or_else(|it| it.to_string_lossy().into_owned())
}

/// Why a file cannot be read, in the user's words.
fn reason(error: &io::Error) -> String {
    #[allow(clippy::wildcard_enum_match_arm, reason = "an enum of std that may grow")]
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "reading it is not permitted".to_owned(),
        _ => error.to_string(),
    }
}
