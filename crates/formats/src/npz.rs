//! The `.npz` format of NumPy: a ZIP archive with a `.npy` file for each array. Any bytes are read; what
//! is written is stored without compression, as by `numpy.savez`.

use std::fmt;

use crate::elements::{Elements, npy};
use crate::zip::{self, ZipError};
use array::{Dense, NpyError};

/// Why bytes are no `.npz` file that we read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NpzError {
    /// They are no ZIP archive.
    NoArchive,
    /// The archive says what cannot be.
    Damaged(&'static str),
    /// A member is packed in a way that NumPy does not use.
    Method(String, u16),
    /// A member, or all together, has more bytes than may be used.
    TooLarge(String, u64),
    /// There is no array of this name; these are there.
    NoMember(String, Vec<String>),
    /// A member that is no array.
    Member(String, NpyError),
}

impl fmt::Display for NpzError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NpzError::NoArchive => write!(f, "this is no .npz file"),
            NpzError::Damaged(why) => write!(f, "the .npz file is damaged: {why}"),
            NpzError::Method(name, method) => {
                write!(f, "`{name}` is packed by method {method}; save it by numpy.savez")
            }
            NpzError::TooLarge(name, size) => {
                write!(f, "`{name}` has {size} bytes, which is more than the memory limit")
            }
            NpzError::NoMember(name, known) if known.is_empty() => {
                write!(f, "there is no array `{name}` in it; it is empty")
            }
            NpzError::NoMember(name, known) => {
                write!(f, "there is no array `{name}` in it, but `{}`", known.join("`, `"))
            }
            NpzError::Member(name, error) => write!(f, "in `{name}`, {error}"),
        }
    }
}

impl std::error::Error for NpzError {}

/// One array of a file, if it has at most so many bytes.
pub fn read_one(bytes: &[u8], name: &str, most: u64) -> Result<Dense, NpzError> {
    let members = members(bytes)?;
    match members.iter().find(|it| array_name(&it.name) == name) {
        Some(it) => read_member(it, most),
        None => {
            let known = members.iter().map(|it| array_name(&it.name).to_owned()).collect();
            Err(NpzError::NoMember(name.to_owned(), known))
        }
    }
}

/// All arrays of a file with their names, if they have at most so many bytes together.
pub fn read(bytes: &[u8], most: u64) -> Result<Vec<(String, Dense)>, NpzError> {
    let mut left = most;
    let mut res = Vec::new();
    for member in members(bytes)? {
        let dense = read_member(&member, left)?;
        left -= member.size;
        res.push((array_name(&member.name).to_owned(), dense));
    }
    Ok(res)
}

/// Writes arrays under their names.
pub fn write(arrays: &[(String, &[usize], Elements<'_>)]) -> Vec<u8> {
    let files =
        arrays.iter().map(|(name, shape, elements)| (format!("{name}.npy"), npy(shape, *elements)));
    zip::archive(&files.collect::<Vec<_>>())
}

fn members(bytes: &[u8]) -> Result<Vec<zip::Member<'_>>, NpzError> {
    zip::members(bytes).map_err(|error| of_zip("", error))
}

fn read_member(member: &zip::Member<'_>, most: u64) -> Result<Dense, NpzError> {
    let name = array_name(&member.name);
    let content = member.content(most).map_err(|error| of_zip(name, error))?;
    array::read(&content).map_err(|error| NpzError::Member(name.to_owned(), error))
}

/// NumPy adds the ending to the names that its users give.
fn array_name(file: &str) -> &str {
    file.strip_suffix(".npy").unwrap_or(file)
}

fn of_zip(name: &str, error: ZipError) -> NpzError {
    match error {
        ZipError::NoArchive => NpzError::NoArchive,
        ZipError::Damaged(why) => NpzError::Damaged(why),
        ZipError::Method(method) => NpzError::Method(name.to_owned(), method),
        ZipError::TooLarge(size) => NpzError::TooLarge(name.to_owned(), size),
    }
}
