//! Parquet files as tables, by the crate `parquet`. Columns of integers, of reals and of truth values are
//! read; where a column is none of them, the table is still read, and the column says why when it is asked
//! for. A real that is missing is NaN.

use array::Buffer;
use parquet::basic::{ConvertedType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use crate::table::{Table, TableError};

/// Rows that are read at once.
const AT_ONCE: usize = 1 << 16;

impl Table {
    /// Reads a whole Parquet file, whose columns may take so many bytes of memory.
    pub fn read_parquet(bytes: Vec<u8>, most: u64) -> Result<Table, TableError> {
        // A file that lies about itself should be an error of the crate. Where it is a panic, it is the file
        // that is wrong nevertheless, and nothing of the reader is left.
        let read = std::panic::catch_unwind(|| read(bytes::Bytes::from(bytes), most));
        read.unwrap_or_else(|_| Err(damaged()))
    }
}

fn read(bytes: impl ChunkReader + 'static, most: u64) -> Result<Table, TableError> {
    let file = SerializedFileReader::new(bytes).map_err(wrong)?;
    let groups = file.metadata().row_groups();
    let n_rows = groups
        .iter()
        .try_fold(0_usize, |sum, it| sum.checked_add(usize::try_from(it.num_rows()).ok()?));
    let n_rows = n_rows.ok_or_else(damaged)?;
    let columns = file.metadata().file_metadata().schema_descr().columns();
    let names = columns.iter().map(|it| it.path().string()).collect();
    let mut room = most;
    let mut read = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        read.push(match empty(column, at) {
            Ok(mut buffer) => {
                let bytes = n_rows as u64 * size_of::<u64>() as u64;
                room = room.checked_sub(bytes).ok_or(TableError::TooLarge(n_rows))?;
                let mut missing = None;
                for group in 0..file.num_row_groups() {
                    let reader = file.get_row_group(group).map_err(wrong)?;
                    let reader = reader.get_column_reader(at).map_err(wrong)?;
                    missing = missing.or(append(&mut buffer, reader, column)?);
                }
                match missing {
                    _ if buffer.len() != n_rows => {
                        return Err(TableError::Parquet(format!(
                            "column `{}` has {} rows of {n_rows}",
                            column.path().string(),
                            buffer.len(),
                        )));
                    }
                    Some(row) => Err(TableError::Missing(column.path().string(), row)),
                    None => Ok(buffer),
                }
            }
            Err(error) => Err(error),
        });
    }
    Ok(Table { names: Some(names), n_rows, columns: read })
}

/// Where the numbers of a column go; an error if it has none.
fn empty(column: &ColumnDescriptor, at: usize) -> Result<Buffer, TableError> {
    let other = |what: &str| Err(TableError::Kind(column.path().string(), at, what.to_owned()));
    if column.max_rep_level() > 0 {
        return other("lists");
    }
    let is_decimal = column.converted_type() == ConvertedType::DECIMAL;
    match column.physical_type() {
        Type::INT32 | Type::INT64 if is_decimal => other("decimal numbers"),
        Type::INT64 if column.converted_type() == ConvertedType::UINT_64 => {
            other("unsigned integers of 64 bits")
        }
        Type::INT32 | Type::INT64 => Ok(Buffer::Int(Vec::new())),
        Type::FLOAT | Type::DOUBLE => Ok(Buffer::Real(Vec::new())),
        Type::BOOLEAN => Ok(Buffer::Bool(Vec::new())),
        Type::INT96 => other("times of 96 bits"),
        Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => other("texts or bytes"),
    }
}

/// Reads what a group of rows has of a column; the first row without a value where there is no NaN.
fn append(
    to: &mut Buffer,
    reader: ColumnReader,
    column: &ColumnDescriptor,
) -> Result<Option<usize>, TableError> {
    let is_unsigned = column.converted_type() == ConvertedType::UINT_32;
    match (to, reader) {
        (Buffer::Real(to), ColumnReader::DoubleColumnReader(it)) => {
            values(to, it, column, |it| it, Some(f64::NAN))
        }
        (Buffer::Real(to), ColumnReader::FloatColumnReader(it)) => {
            values(to, it, column, f64::from, Some(f64::NAN))
        }
        (Buffer::Int(to), ColumnReader::Int64ColumnReader(it)) => {
            values(to, it, column, |it| it, None)
        }
        (Buffer::Int(to), ColumnReader::Int32ColumnReader(it)) if is_unsigned => {
            values(to, it, column, |it| i64::from(it as u32), None)
        }
        (Buffer::Int(to), ColumnReader::Int32ColumnReader(it)) => {
            values(to, it, column, i64::from, None)
        }
        (Buffer::Bool(to), ColumnReader::BoolColumnReader(it)) => {
            values(to, it, column, |it| it, None)
        }
        (_, _) => Err(damaged()),
    }
}

fn values<T: DataType, E: Copy + Default>(
    to: &mut Vec<E>,
    mut reader: ColumnReaderImpl<T>,
    column: &ColumnDescriptor,
    convert: impl Fn(T::T) -> E,
    missing: Option<E>,
) -> Result<Option<usize>, TableError> {
    let mut first = None;
    loop {
        let (mut levels, mut found) = (Vec::new(), Vec::new());
        let read = reader.read_records(AT_ONCE, Some(&mut levels), None, &mut found);
        let (rows, _, _) = read.map_err(wrong)?;
        if rows == 0 {
            return Ok(first);
        }
        let is_there = |row: usize| match levels.get(row) {
            Some(level) => *level == column.max_def_level(),
            None => column.max_def_level() == 0,
        };
        let mut found = found.into_iter();
        for row in 0..rows {
            match is_there(row).then(|| found.next()) {
                Some(Some(value)) => to.push(convert(value)),
                Some(None) => return Err(damaged()),
                None => {
                    first = first.or(missing.is_none().then_some(to.len()));
                    to.push(missing.unwrap_or_default());
                }
            }
        }
    }
}

fn damaged() -> TableError {
    TableError::Parquet("the file is damaged".to_owned())
}

fn wrong(error: ParquetError) -> TableError {
    let text = error.to_string();
    TableError::Parquet(match text.split_once("Disabled feature at compile time: ") {
        Some((_, by)) => {
            format!(
                "it is compressed by {by}, which is not read; write it with compression=\"snappy\""
            )
        }
        None => text,
    })
}
