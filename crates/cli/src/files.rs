//! Reads sources and arguments; what cannot be read becomes a diagnostic.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

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

fn argument(name: &str, value: &str) -> Result<Argument, Report> {
    let Some(path) = value.strip_prefix('@') else {
        let data = ArgumentData::Json(value.as_bytes().to_vec());
        return Ok(Argument { name: name.to_string(), origin: "its value".into(), data });
    };
    let bytes = fs::read(path).map_err(|error| Report::unreadable(path, &reason(path, &error)))?;
    let npy = Path::new(path).extension().is_some_and(|it| it.eq_ignore_ascii_case("npy"));
    let data = if npy { ArgumentData::Npy(bytes) } else { ArgumentData::Json(bytes) };
    Ok(Argument { name: name.to_string(), origin: format!("`{path}`").into(), data })
}
