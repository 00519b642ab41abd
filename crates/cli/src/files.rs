//! Reads sources and arguments, and writes files; what cannot be read or written becomes a diagnostic.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use cotan::{Argument, ArgumentData, Report};

/// The text of a source file; `-` is standard input.
pub(crate) fn source(path: &str) -> Result<String, Report> {
    let bytes = if path == "-" { standard_input() } else { fs::read(path) };
    let bytes = bytes.map_err(|error| Report::unreadable(path, &reason(path, &error)))?;
    String::from_utf8(bytes).map_err(|error| Report::not_utf8(path, error.as_bytes()))
}

fn standard_input() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
}

/// Why a file cannot be read, in the user's words.
fn reason(path: &str, error: &io::Error) -> String {
    if Path::new(path).is_dir() {
        return "it is a directory".to_string();
    }
    if error.kind() == io::ErrorKind::NotFound {
        "there is no such file".to_string()
    } else if error.kind() == io::ErrorKind::PermissionDenied {
        "reading it is not permitted".to_string()
    } else {
        error.to_string()
    }
}

/// Gives files new contents: all are written beside their places first, and then moved there one by one.
/// Where writing fails, none is changed; where moving fails, those before it are new and the others old,
/// and each is whole. A file with several names is new by this one only.
pub(crate) fn replace(files: &[(PathBuf, &str)]) -> Result<(), Report> {
    let files: Vec<(&Path, &[u8])> =
        files.iter().map(|(path, text)| (path.as_path(), text.as_bytes())).collect();
    replace_all(&files)
}

/// As [`replace`], one file of any content.
pub(crate) fn replace_bytes(path: &Path, content: &[u8]) -> Result<(), Report> {
    replace_all(&[(path, content)])
}

fn replace_all(files: &[(&Path, &[u8])]) -> Result<(), Report> {
    let mut ready = Vec::new();
    let all = files.iter().try_for_each(|(path, content)| {
        let unwritable =
            |it: io::Error| Report::unwritable(&path.display().to_string(), &it.to_string());
        ready.extend(Beside::write(path, content).map_err(unwritable)?.map(|it| (it, path)));
        Ok(())
    });
    let all = all.and_then(|()| {
        ready.iter().try_for_each(|(it, path)| {
            let unwritable =
                |it: io::Error| Report::unwritable(&path.display().to_string(), &it.to_string());
            fs::rename(&it.new, &it.place).map_err(unwritable)
        })
    });
    if all.is_err() {
        // Those that were moved are not there any more.
        ready.iter().for_each(|(it, _)| it.remove());
    }
    all
}

/// A file with the new content, in the folder of the one that it will replace.
struct Beside {
    new: PathBuf,
    place: PathBuf,
}

impl Beside {
    /// Nothing is left to do where there is no file to replace, but a pipe or a device.
    fn write(path: &Path, content: &[u8]) -> io::Result<Option<Beside>> {
        let place = target(path)?;
        let before = match fs::metadata(&place) {
            Ok(before) if !before.is_file() => {
                fs::write(&place, content)?;
                return Ok(None);
            }
            Ok(before) => {
                // Who may not write to a file may not replace it either.
                OpenOptions::new().write(true).open(&place)?;
                Some(before)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let new = place.with_file_name(format!(".{name}.{}.new", std::process::id()));
        // Left over from a process with the same number.
        let _ = fs::remove_file(&new);
        let beside = Beside { new, place };
        let res = beside.fill(content, before.as_ref());
        if res.is_err() {
            beside.remove();
        }
        res.map(|()| Some(beside))
    }

    fn fill(&self, content: &[u8], before: Option<&Metadata>) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&self.new)?;
        if let Some(before) = before {
            same_owner(&file, before);
            file.set_permissions(before.permissions())?;
        }
        file.write_all(content)?;
        // Some file systems say only now that they are full.
        file.sync_all()
    }

    fn remove(&self) {
        let _ = fs::remove_file(&self.new);
    }
}

/// The owner and the group of the old file, as far as that is permitted.
fn same_owner(file: &File, before: &Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let _ = fchown(file, Some(before.uid()), Some(before.gid()));
    }
    #[cfg(not(unix))]
    let _ = (file, before);
}

/// Links on the way to a file, after which they are taken for a circle.
const MOST_LINKS: usize = 40;

/// The file that a path means: links are followed, the last one too, whether or not anything is there.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let Ok(link) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("")).join(link);
    }
    Err(io::Error::other("its links go round in a circle"))
}

/// Splits `name=value` for clap.
pub(crate) fn name_and_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write name=value or name=@file")?;
    if name.is_empty() {
        return Err("the name in front of `=` is missing".to_string());
    }
    Ok((name.to_string(), value.to_string()))
}

/// `@file.npy`, `@file.json` or JSON itself.
pub(crate) fn arguments(given: &[(String, String)]) -> Result<Vec<Argument>, Report> {
    given.iter().map(|(name, value)| argument(name, value)).collect()
}

/// Files that people keep numbers in and that are not read. Every other name is tried as JSON.
const OTHER_KINDS: &[&str] = &[
    "csv",
    "tsv",
    "npz",
    "txt",
    "dat",
    "xlsx",
    "h5",
    "hdf5",
    "mat",
    "parquet",
    "pt",
    "safetensors",
];

fn argument(name: &str, value: &str) -> Result<Argument, Report> {
    let Some(path) = value.strip_prefix('@') else {
        let data = ArgumentData::Json(value.as_bytes().to_vec());
        return Ok(Argument { name: name.to_string(), origin: "its value".into(), data });
    };
    let bytes = fs::read(path).map_err(|error| Report::unreadable(path, &reason(path, &error)))?;
    let is =
        |kind: &str| Path::new(path).extension().is_some_and(|it| it.eq_ignore_ascii_case(kind));
    if let Some(kind) = OTHER_KINDS.iter().find(|it| is(it)) {
        let reason = format!(
            "arguments are read from `.npy` and JSON files, not from `.{kind}`; convert it, such as by \
             numpy.save(\"data.npy\", array)"
        );
        return Err(Report::unreadable(path, &reason));
    }
    let data = if is("npy") { ArgumentData::Npy(bytes) } else { ArgumentData::Json(bytes) };
    Ok(Argument { name: name.to_string(), origin: format!("`{path}`").into(), data })
}
