//! Arguments from files that hold several arrays: `.npz` archives and tables.

use std::sync::Arc;

use array::Dense;
use formats::{NpzError, Table, TableError, npz};

use super::{Argument, ArgumentData};
use crate::error;
use crate::report::Report;

impl Argument {
    /// An array of a `.npz` file, or all of them for a record or a tuple; one that is alone is meant
    /// without its name. `origin` is what messages call the file, and `most` how many bytes its arrays
    /// may have.
    pub fn npz(
        name: &str,
        origin: &str,
        bytes: &[u8],
        member: Option<&str>,
        most: u64,
    ) -> Result<Argument, Report> {
        let data = match member {
            Some(member) => npz::read_one(bytes, member, most).map(ArgumentData::Array),
            None => npz::read(bytes, most).map(|it| nested(origin, it)),
        };
        let data = data.map_err(|it| Report::single(wrong_archive(name, origin, &it)))?;
        Ok(Argument::from_file(name, origin, data))
    }

    /// A column of a table by its name or its number from 0, or the whole table: a matrix, an array of
    /// records by the names of the columns, or the one column that it has.
    pub fn table(
        name: &str,
        origin: &str,
        table: &Arc<Table>,
        column: Option<&str>,
    ) -> Result<Argument, Report> {
        let data = match column {
            Some(column) => ArgumentData::Array(
                table.column(column).map_err(|it| Report::unfit_table(name, origin, &it))?,
            ),
            None => ArgumentData::Table(table.clone()),
        };
        Ok(Argument::from_file(name, origin, data))
    }

    fn from_file(name: &str, origin: &str, data: ArgumentData) -> Argument {
        Argument { name: name.to_string(), origin: format!("`{origin}`").into(), data }
    }
}

impl Report {
    /// A table that a front end could not read for an argument.
    pub fn unfit_table(name: &str, origin: &str, error: &TableError) -> Report {
        let diagnostic = match error {
            TableError::NoColumn(asked, known) => {
                error::not_in_file(origin, &format!("column `{asked}`"), asked, known)
            }
            TableError::Empty | TableError::Encoding | TableError::Ragged { .. } => {
                error::malformed_argument(name, &format!("`{origin}`"), &error.to_string())
            }
            TableError::Field { .. } | TableError::NoHeader(..) | TableError::Twice(_) => {
                error::malformed_argument(name, &format!("`{origin}`"), &error.to_string())
            }
            TableError::TooLarge(_) => error::too_large_argument(name, origin, &error.to_string()),
            TableError::Mixed | TableError::Parquet(_) => {
                error::malformed_argument(name, &format!("`{origin}`"), &error.to_string())
            }
            TableError::Kind(..) | TableError::Missing(..) => {
                error::malformed_argument(name, &format!("`{origin}`"), &error.to_string())
            }
        };
        Report::single(diagnostic)
    }
}

fn wrong_archive(name: &str, origin: &str, error: &NpzError) -> base::Diagnostic {
    match error {
        NpzError::NoMember(asked, known) => {
            error::not_in_file(origin, &format!("array `{asked}`"), asked, known)
        }
        NpzError::TooLarge(..) => error::too_large_argument(name, origin, &error.to_string()),
        NpzError::NoArchive | NpzError::Damaged(_) => {
            error::malformed_argument(name, &format!("`{origin}`"), &error.to_string())
        }
        NpzError::Method(..) | NpzError::Member(..) => {
            error::malformed_argument(name, &format!("`{origin}`"), &error.to_string())
        }
    }
}

/// Arrays whose names are paths, `model.w`, as parts of parts. One that is alone is itself.
fn nested(origin: &str, mut arrays: Vec<(String, Dense)>) -> ArgumentData {
    if let [_] = arrays[..]
        && let Some((_, array)) = arrays.pop()
    {
        return ArgumentData::Array(array);
    }
    ArgumentData::Parts(parts(origin, arrays))
}

/// Names have so many steps at most, so that nothing nests deeper than the stack.
const MOST_STEPS: usize = 64;

fn parts(origin: &str, arrays: Vec<(String, Dense)>) -> Vec<Argument> {
    let mut res: Vec<(String, Vec<(String, Dense)>)> = Vec::new();
    for (name, array) in arrays {
        let is_path = name.matches('.').count() < MOST_STEPS;
        let (first, rest) = name.split_once('.').filter(|_| is_path).unwrap_or((&name, ""));
        match res.iter_mut().find(|it| it.0 == first) {
            Some((_, group)) => group.push((rest.to_owned(), array)),
            None => res.push((first.to_owned(), vec![(rest.to_owned(), array)])),
        }
    }
    let argument = |(name, group): (String, Vec<(String, Dense)>)| {
        let data = match <[_; 1]>::try_from(group) {
            Ok([(rest, array)]) if rest.is_empty() => ArgumentData::Array(array),
            Ok(group) => ArgumentData::Parts(parts(origin, group.into())),
            Err(group) => ArgumentData::Parts(parts(origin, group)),
        };
        Argument::from_file(&name, origin, data)
    };
    res.into_iter().map(argument).collect()
}
