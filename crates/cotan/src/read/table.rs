//! Tables: matrices, arrays of records by the names of the columns, single columns.

use std::borrow::Cow;

use array::Dense;
use check::Type;
use eval::Value;
use formats::{Table, TableError};

use super::parts::split_arrays;
use super::{Misfit, Reader};
use crate::argument::Content;

impl Reader<'_> {
    /// The value of a type that has these columns.
    pub(super) fn table(&mut self, ty: &Type, table: &Table, name: &str) -> Result<Value, Misfit> {
        let misfit = |error: TableError| Misfit::new(0, ty, format!("a table: {error}"));
        let (sizes, inner) = split_arrays(ty);
        if let Some(wanted) = self.wanted(inner).filter(|_| sizes.len() == 1) {
            let is_wanted =
                |it: &str| wanted.iter().any(|to| to.0.as_deref().is_none_or(|to| to == it));
            let mut parts = Vec::new();
            for at in 0..table.columns.len() {
                let name = table.names.as_ref().map_or("", |it| &it[at]);
                if is_wanted(name) {
                    let data = table.columns[at].clone().map_err(misfit)?;
                    let column = Dense { shape: vec![table.n_rows], data };
                    parts.push((name, Content::Dense(Cow::Owned(column))));
                }
            }
            return self.parts(ty, &parts, name);
        }
        let dense = match sizes.len() {
            2 => table.matrix(),
            _ => natural_table(table),
        };
        self.dense(ty, &dense.map_err(misfit)?, name)
    }
}

/// What a table is where the program does not care: a column if there is one, else a matrix.
pub(super) fn natural_table(table: &Table) -> Result<Dense, TableError> {
    match &table.columns[..] {
        [column] => Ok(Dense { shape: vec![table.n_rows], data: column.clone()? }),
        _ => table.matrix(),
    }
}
