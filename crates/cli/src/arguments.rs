//! Values of `--arg`: JSON, or files of numbers.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use cotan::{Argument, ArgumentData, Report, Table, TableError};

use crate::files;

/// Splits `name=value` for clap.
pub(crate) fn name_and_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write name=value or name=@file")?;
    if name.is_empty() {
        return Err("the name in front of `=` is missing".to_string());
    }
    Ok((name.to_string(), value.to_string()))
}

/// The arguments that these texts stand for; files may hold so many bytes.
pub(crate) fn arguments(given: &[(String, String)], memory: u64) -> Result<Vec<Argument>, Report> {
    let mut reader = Reader { memory, tables: Vec::new() };
    given.iter().map(|(name, value)| reader.argument(name, value)).collect()
}

/// Files with several arrays, by ending; a name may follow behind a colon.
const OF_SEVERAL: &[(&str, Kind)] = &[
    (".csv", Kind::Table(b',')),
    (".tsv", Kind::Table(b'\t')),
    (".npz", Kind::Archive),
    (".parquet", Kind::Parquet),
];

#[derive(Clone, Copy)]
enum Kind {
    /// Fields are separated by this.
    Table(u8),
    Archive,
    Parquet,
}

/// Files that people keep numbers in and that are not read. Every other name is tried as JSON.
const OTHER_KINDS: &[&str] = &["txt", "dat", "xlsx", "h5", "hdf5", "mat", "pt", "safetensors"];

struct Reader {
    memory: u64,
    /// Tables that were read already: several arguments are often columns of one.
    tables: Vec<(String, Arc<Table>)>,
}

impl Reader {
    fn argument(&mut self, name: &str, value: &str) -> Result<Argument, Report> {
        let Some(file) = value.strip_prefix('@') else {
            let data = ArgumentData::Json(value.as_bytes().to_vec());
            return Ok(Argument { name: name.to_string(), origin: "its value".into(), data });
        };
        if let Some((path, kind, part)) = split(file) {
            return match kind {
                Kind::Archive => Argument::npz(name, path, &self.read(path)?, part, self.memory),
                Kind::Table(separator) => {
                    let read = |bytes: Vec<u8>, _| Table::read(&bytes, separator);
                    Argument::table(name, path, &self.table(name, path, read)?, part)
                }
                Kind::Parquet => {
                    Argument::table(name, path, &self.table(name, path, parquet)?, part)
                }
            };
        }
        let bytes = self.read(file)?;
        let is = |kind: &str| {
            Path::new(file).extension().is_some_and(|it| it.eq_ignore_ascii_case(kind))
        };
        if let Some(kind) = OTHER_KINDS.iter().find(|it| is(it)) {
            let reason = format!(
                "arguments are read from `.csv`, `.tsv`, `.npy`, `.npz` and JSON files, not from \
                 `.{kind}`; convert it, such as by numpy.save(\"data.npy\", array)"
            );
            return Err(Report::unreadable(file, &reason));
        }
        let data = if is("npy") { ArgumentData::Npy(bytes) } else { ArgumentData::Json(bytes) };
        Ok(Argument { name: name.to_string(), origin: format!("`{file}`").into(), data })
    }

    /// The bytes of a file. A pipe or device may have no end.
    fn read(&self, path: &str) -> Result<Vec<u8>, Report> {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| {
            let most = if file.metadata()?.is_file() { u64::MAX } else { self.memory };
            let n = file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
            Ok(n as u64 <= most)
        });
        match read.map_err(|it| Report::unreadable(path, &files::reason(path, &it)))? {
            true => Ok(bytes),
            false => Err(Report::unreadable(path, "it gives more bytes than `--memory` allows")),
        }
    }

    fn table(
        &mut self,
        name: &str,
        path: &str,
        read: impl Fn(Vec<u8>, u64) -> Result<Table, TableError>,
    ) -> Result<Arc<Table>, Report> {
        if let Some((_, table)) = self.tables.iter().find(|it| it.0 == path) {
            return Ok(table.clone());
        }
        let table = read(self.read(path)?, self.memory);
        let table = Arc::new(table.map_err(|it| Report::unfit_table(name, path, &it))?);
        self.tables.push((path.to_owned(), table.clone()));
        Ok(table)
    }
}

#[cfg(feature = "parquet")]
fn parquet(bytes: Vec<u8>, most: u64) -> Result<Table, TableError> {
    // Some damaged files make the crate that reads them panic; that is an error of the file, as others are.
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let read = Table::read_parquet(bytes, most);
    std::panic::set_hook(told);
    read
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: Vec<u8>, _: u64) -> Result<Table, TableError> {
    Err(TableError::Parquet(
        "this `cotan` was built without the feature `parquet`; build it with that, or make a table of the \
         file: pandas.read_parquet(\"x.parquet\").to_csv(\"x.csv\", index=False)"
            .to_owned(),
    ))
}

/// Path, kind, and what stands behind the colon.
fn split(file: &str) -> Option<(&str, Kind, Option<&str>)> {
    let lower = file.to_ascii_lowercase();
    OF_SEVERAL.iter().find_map(|(ending, kind)| {
        if lower.ends_with(ending) {
            return Some((file, *kind, None));
        }
        let at = lower.find(&format!("{ending}:"))? + ending.len();
        Some((&file[..at], *kind, Some(&file[at + 1..])))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_follows_the_ending() {
        let parts = |file| split(file).map(|(path, _, part)| (path, part));
        assert_eq!(parts("a.csv"), Some(("a.csv", None)));
        assert_eq!(parts("a.CSV:x"), Some(("a.CSV", Some("x"))));
        assert_eq!(parts("C:\\a.npz:model.w"), Some(("C:\\a.npz", Some("model.w"))));
        assert_eq!(parts("a.csv:time [s]: local"), Some(("a.csv", Some("time [s]: local"))));
        assert_eq!(parts("é.tsv:"), Some(("é.tsv", Some(""))));
        assert_eq!(parts("a.npy"), None);
        assert_eq!(parts("csv"), None);
    }
}
