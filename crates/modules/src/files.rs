//! Where the texts of imported files come from.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Finds and reads the files that programs import.
pub trait Files: Send + Sync {
    /// The file that `path` means in an import of the file that is called `from`; or why there is none, in
    /// words that go on after `cannot import ...:`.
    fn find(&self, from: &str, path: &str) -> Result<Found, String>;

    /// The text of a file that was found, or why it cannot be read.
    fn read(&self, file: &Found) -> Result<String, String>;

    /// What tells the file of this name from all others, so that a program that imports itself is found out;
    /// `None` if it is no file.
    fn key(&self, name: &str) -> Option<String>;
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What messages call it.
    pub name: String,
    /// What tells it from all others, however it is called.
    pub key: String,
}

/// There are no files: what imports one is told so. For texts that have no place.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nowhere;

impl Files for Nowhere {
    fn find(&self, _: &str, _: &str) -> Result<Found, String> {
        Err("this text has no place that the path could start from".to_owned())
    }

    fn read(&self, _: &Found) -> Result<String, String> {
        Err("there are no files".to_owned())
    }

    fn key(&self, _: &str) -> Option<String> {
        None
    }
}

/// Files that are texts in memory: paths with slashes, and what stands there.
#[derive(Clone, Debug, Default)]
pub struct Texts(pub BTreeMap<String, String>);

impl Files for Texts {
    fn find(&self, from: &str, path: &str) -> Result<Found, String> {
        let folder = from.rsplit_once('/').map_or("", |it| it.0);
        let name = tidy(&format!("{folder}/{path}"));
        match self.0.contains_key(&name) {
            true => Ok(Found { key: name.clone(), name }),
            false => Err("there is no such file".to_owned()),
        }
    }

    fn read(&self, file: &Found) -> Result<String, String> {
        self.0.get(&file.key).cloned().ok_or_else(|| "there is no such file".to_owned())
    }

    fn key(&self, name: &str) -> Option<String> {
        Some(tidy(name))
    }
}

/// The path without `.` and `..`.
fn tidy(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|it| *it != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Files that stay what they were when they were first asked for: a program that is made a second time, with
/// other options, is the same program.
pub struct Remembered {
    files: Arc<dyn Files>,
    record: Mutex<Record>,
}

/// Files that were found and read, to be found and read again elsewhere: in a program that Rust compiled, or
/// on another machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Who imports, the path as it is written, what was found.
    pub found: Vec<(String, String, Found)>,
    /// The texts of files, by their keys.
    pub texts: Vec<(String, String)>,
}

impl Record {
    /// The record of a program that was checked while Rust compiled: who imports, path, name and key of each
    /// import, and the texts by their keys.
    pub fn new(found: &[[&str; 4]], texts: &[[&str; 2]]) -> Record {
        let found = found.iter().map(|[from, path, name, key]| {
            let file = Found { name: (*name).to_owned(), key: (*key).to_owned() };
            ((*from).to_owned(), (*path).to_owned(), file)
        });
        let texts = texts.iter().map(|[key, text]| ((*key).to_owned(), (*text).to_owned()));
        Record { found: found.collect(), texts: texts.collect() }
    }

    fn known(&self, from: &str, path: &str) -> Option<&Found> {
        self.found.iter().find(|it| it.0 == from && it.1 == path).map(|it| &it.2)
    }

    fn text(&self, key: &str) -> Option<&String> {
        self.texts.iter().find(|it| it.0 == key).map(|it| &it.1)
    }
}

impl Remembered {
    /// These files, which are remembered from now on.
    pub fn new(files: Arc<dyn Files>) -> Remembered {
        Remembered { files, record: Mutex::default() }
    }

    /// What was found and read so far.
    pub fn record(&self) -> Record {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Files for Remembered {
    fn find(&self, from: &str, path: &str) -> Result<Found, String> {
        let mut record = self.lock();
        if let Some(known) = record.known(from, path) {
            return Ok(known.clone());
        }
        let found = self.files.find(from, path)?;
        record.found.push((from.to_owned(), path.to_owned(), found.clone()));
        Ok(found)
    }

    fn read(&self, file: &Found) -> Result<String, String> {
        let mut record = self.lock();
        if let Some(known) = record.text(&file.key) {
            return Ok(known.clone());
        }
        let text = self.files.read(file)?;
        record.texts.push((file.key.clone(), text.clone()));
        Ok(text)
    }

    fn key(&self, name: &str) -> Option<String> {
        self.files.key(name)
    }
}

impl Files for Record {
    fn find(&self, from: &str, path: &str) -> Result<Found, String> {
        self.known(from, path).cloned().ok_or_else(|| "it is not among those recorded".to_owned())
    }

    fn read(&self, file: &Found) -> Result<String, String> {
        self.text(&file.key).cloned().ok_or_else(|| "it is not among those recorded".to_owned())
    }

    fn key(&self, _: &str) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_start_at_the_folder_of_who_imports() {
        let files = Texts([("a/b.cot".to_owned(), String::new())].into());
        let found = |from: &str, path: &str| files.find(from, path).map(|it| it.name);
        assert_eq!(found("a/main.cot", "b.cot"), Ok("a/b.cot".to_owned()));
        assert_eq!(found("main.cot", "./a/b.cot"), Ok("a/b.cot".to_owned()));
        assert_eq!(found("c/d/main.cot", "../../a/b.cot"), Ok("a/b.cot".to_owned()));
        assert!(found("main.cot", "b.cot").is_err());
        assert!(found("main.cot", "../a/b.cot").is_err());
    }
}
