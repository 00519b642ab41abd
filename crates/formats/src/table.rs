//! Tables of numbers as CSV: read by columns, from any bytes, and written.
//!
//! The first row is a header if one of its fields is neither a number nor a truth value. A column is of
//! integers, of reals or of truth values; where it is none of them, the table is still read, and the
//! column says why when it is asked for.

use std::fmt::{self, Write};

use array::{Buffer, Dense};

use crate::elements::Elements;
use crate::records::{Record, Records};

/// Columns of equal lengths.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What the header calls them, if there is one.
    pub names: Option<Vec<String>>,
    /// How many rows there are without the header.
    pub n_rows: usize,
    /// The columns from left to right.
    pub columns: Vec<Result<Buffer, TableError>>,
}

/// Why bytes are no table, or a column of it has no numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableError {
    /// There is nothing at all.
    Empty,
    /// Another encoding than UTF-8.
    Encoding,
    /// A row that is shorter or longer than the first.
    Ragged {
        /// Where it stands, from 1.
        line: u64,
        /// How many fields it has.
        found: usize,
        /// How many the first row has.
        expected: usize,
    },
    /// A field that is no number, or none as those above it.
    Field {
        /// Where it stands, from 1.
        line: u64,
        /// Which field of the line it is, from 1.
        column: usize,
        /// The beginning of what stands there.
        text: String,
    },
    /// No column is called so; these are there.
    NoColumn(String, Vec<String>),
    /// There is no header, and no column has this number.
    NoHeader(String, usize),
    /// Two columns are called so.
    Twice(String),
    /// Columns of numbers and of truth values do not make a matrix.
    Mixed,
    /// No Parquet file, or one that is damaged or of a kind that is not read: what its reader says.
    Parquet(String),
    /// A column, and its number from 0, that is of something else than numbers.
    Kind(String, usize, String),
    /// A column without a value in a row, from 0, and without a NaN for it.
    Missing(String, usize),
    /// So many rows do not fit into memory.
    TooLarge(usize),
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::Empty => write!(f, "the file is empty"),
            TableError::Encoding => write!(f, "the file is no UTF-8 text; save it as UTF-8"),
            TableError::Ragged { line, found, expected } => {
                write!(f, "line {line} has {found} fields, and the first has {expected}")
            }
            TableError::Field { line, column, text } if text.is_empty() => {
                write!(f, "line {line}, field {column} is empty; write nan for what is missing")
            }
            TableError::Field { line, column, text } if text.contains(';') => {
                write!(f, "line {line}, field {column} is `{text}`; separate numbers by commas")
            }
            TableError::Field { line, column, text } => {
                write!(f, "line {line}, field {column} is `{text}`, which is no number")
            }
            TableError::NoColumn(name, known) => {
                write!(f, "it has no column `{name}`, but `{}`", known.join("`, `"))
            }
            TableError::NoHeader(name, n) => {
                write!(f, "it has no header and no column `{name}`; columns are 0 to {}", n - 1)
            }
            TableError::Twice(name) => {
                write!(f, "two columns are called `{name}`; ask for one by its number, from 0")
            }
            TableError::Mixed => write!(f, "it has columns of numbers and of truth values"),
            TableError::Parquet(reason) => write!(f, "{reason}"),
            TableError::Kind(name, at, what) => {
                write!(f, "column `{name}`, number {at} from 0, is of {what}, and not of numbers")
            }
            TableError::Missing(name, row) => {
                write!(
                    f,
                    "column `{name}` has no value in row {row} from 0; only reals may be missing"
                )
            }
            TableError::TooLarge(rows) => {
                write!(f, "its {rows} rows take more memory than there may be")
            }
        }
    }
}

impl std::error::Error for TableError {}

/// Characters of a field that a message shows.
const SHOWN: usize = 40;

impl Table {
    /// Reads a whole file; fields are separated by this byte.
    pub fn read(bytes: &[u8], separator: u8) -> Result<Table, TableError> {
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return Err(TableError::Encoding);
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut records = Records::new(bytes, separator);
        let Some(first) = records.next() else { return Err(TableError::Empty) };
        let n = first.fields.len();
        let mut table = Table { names: header(&first)?, n_rows: 0, columns: Vec::new() };
        let mut columns: Vec<Column> = (0..n).map(|_| Column::default()).collect();
        let is_data = table.names.is_none();
        for record in std::iter::once(first).filter(|_| is_data).chain(records) {
            let line = || line_of(bytes, record.start);
            let found = record.fields.len();
            if found != n {
                return Err(TableError::Ragged { line: line(), found, expected: n });
            }
            table.n_rows += 1;
            let fields = columns.iter_mut().zip(record.fields()).enumerate();
            fields.for_each(|(at, (column, field))| column.push(field, line, at + 1));
        }
        table.columns = columns.into_iter().map(Column::end).collect();
        Ok(table)
    }

    /// A column by its name in the header, or else by its number from 0.
    pub fn column(&self, name: &str) -> Result<Dense, TableError> {
        let at = self.position(name)?;
        let data = self.columns[at].clone()?;
        Ok(Dense { shape: vec![self.n_rows], data })
    }

    fn position(&self, name: &str) -> Result<usize, TableError> {
        let names = self.names.as_deref().unwrap_or_default();
        let mut found = (0..names.len()).filter(|at| names[*at] == name);
        match (found.next(), found.next(), name.parse()) {
            (Some(at), None, _) => Ok(at),
            (Some(_), Some(_), _) => Err(TableError::Twice(name.to_owned())),
            (None, _, Ok(at)) if at < self.columns.len() => Ok(at),
            (None, _, _) => Err(match &self.names {
                Some(names) => TableError::NoColumn(name.to_owned(), names.clone()),
                None => TableError::NoHeader(name.to_owned(), self.columns.len()),
            }),
        }
    }

    /// All columns as a matrix with a row for each row.
    pub fn matrix(&self) -> Result<Dense, TableError> {
        let columns: Vec<&Buffer> = self
            .columns
            .iter()
            .map(|it| it.as_ref())
            .collect::<Result<_, _>>()
            .map_err(Clone::clone)?;
        let shape = vec![self.n_rows, columns.len()];
        let ints =
            columns.iter().map(|it| if let Buffer::Int(it) = it { Some(&it[..]) } else { None });
        let bools =
            columns.iter().map(|it| if let Buffer::Bool(it) = it { Some(&it[..]) } else { None });
        let data = if let Some(columns) = ints.collect::<Option<Vec<&[i64]>>>() {
            Buffer::Int(by_rows(self.n_rows, &columns))
        } else if let Some(columns) = bools.collect::<Option<Vec<&[bool]>>>() {
            Buffer::Bool(by_rows(self.n_rows, &columns))
        } else {
            let columns: Option<Vec<Vec<f64>>> = columns.into_iter().map(reals).collect();
            let columns = columns.ok_or(TableError::Mixed)?;
            let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            Buffer::Real(by_rows(self.n_rows, &columns))
        };
        Ok(Dense { shape, data })
    }
}

/// The line, from 1, of the first record at or behind a byte: line ends before it may be left over.
fn line_of(bytes: &[u8], start: usize) -> u64 {
    let skipped = bytes[start..].iter().take_while(|it| matches!(it, b'\r' | b'\n')).count();
    let before = &bytes[..start + skipped];
    let ends = before.iter().zip(before.iter().skip(1).chain([&0]));
    let ends = ends.filter(|(it, next)| **it == b'\n' || **it == b'\r' && **next != b'\n');
    1 + ends.count() as u64
}

fn by_rows<T: Copy>(n_rows: usize, columns: &[&[T]]) -> Vec<T> {
    (0..n_rows).flat_map(|row| columns.iter().map(move |it| it[row])).collect()
}

/// Integers may stand for reals.
fn reals(column: &Buffer) -> Option<Vec<f64>> {
    match column {
        Buffer::Real(data) => Some(data.clone()),
        Buffer::Int(data) => Some(data.iter().map(|it| *it as f64).collect()),
        Buffer::Bool(_) => None,
    }
}

/// The names of a first row that is not all values. NumPy puts a number sign in front of its headers.
fn header(record: &Record) -> Result<Option<Vec<String>>, TableError> {
    if record.fields().all(|it| it.trim_ascii().is_empty() || Cell::read(it).is_some()) {
        return Ok(None);
    }
    let name = |it: &[u8]| {
        let text = std::str::from_utf8(it).map_err(|_| TableError::Encoding)?;
        Ok(text.trim().to_owned())
    };
    let mut names: Vec<String> = record.fields().map(name).collect::<Result<_, _>>()?;
    if let Some(rest) = names[0].strip_prefix('#') {
        names[0] = rest.trim().to_owned();
    }
    Ok(Some(names))
}

/// A field that is understood.
enum Cell {
    Int(i64),
    Real(f64),
    Bool(bool),
}

impl Cell {
    fn read(field: &[u8]) -> Option<Cell> {
        let text = std::str::from_utf8(field.trim_ascii()).ok()?;
        match text {
            "true" | "True" | "TRUE" => return Some(Cell::Bool(true)),
            "false" | "False" | "FALSE" => return Some(Cell::Bool(false)),
            _ => {}
        }
        if let Ok(number) = text.parse() {
            return Some(Cell::Int(number));
        }
        text.parse().ok().map(Cell::Real)
    }
}

/// A column that is being read: its kind is decided by all its fields.
#[derive(Default)]
struct Column {
    data: Option<Buffer>,
    wrong: Option<TableError>,
}

impl Column {
    fn push(&mut self, field: &[u8], line: impl Fn() -> u64, column: usize) {
        if self.wrong.is_some() {
            return;
        }
        let fits = Cell::read(field).is_some_and(|it| self.fits(it));
        if !fits {
            let text = String::from_utf8_lossy(field.trim_ascii());
            let text = text.chars().take(SHOWN).collect();
            self.wrong = Some(TableError::Field { line: line(), column, text });
        }
    }

    /// Adds it if it is of the kind of those above it; integers become reals with the first real.
    fn fits(&mut self, cell: Cell) -> bool {
        match (&mut self.data, cell) {
            (None, Cell::Int(it)) => self.data = Some(Buffer::Int(vec![it])),
            (None, Cell::Real(it)) => self.data = Some(Buffer::Real(vec![it])),
            (None, Cell::Bool(it)) => self.data = Some(Buffer::Bool(vec![it])),
            (Some(Buffer::Int(data)), Cell::Int(it)) => data.push(it),
            (Some(Buffer::Real(data)), Cell::Int(it)) => data.push(it as f64),
            (Some(Buffer::Real(data)), Cell::Real(it)) => data.push(it),
            (Some(Buffer::Bool(data)), Cell::Bool(it)) => data.push(it),
            (Some(Buffer::Int(data)), Cell::Real(it)) => {
                let data = data.iter().map(|it| *it as f64).chain([it]).collect();
                self.data = Some(Buffer::Real(data));
            }
            (Some(Buffer::Bool(_)), Cell::Int(_) | Cell::Real(_)) => return false,
            (Some(Buffer::Int(_) | Buffer::Real(_)), Cell::Bool(_)) => return false,
        }
        true
    }

    fn end(self) -> Result<Buffer, TableError> {
        match self.wrong {
            Some(wrong) => Err(wrong),
            None => Ok(self.data.unwrap_or(Buffer::Real(Vec::new()))),
        }
    }
}

/// Writes columns of so many rows, below their names if they have some. A column of several numbers for
/// each row is several columns.
pub fn write(names: Option<&[String]>, n_rows: usize, columns: &[Elements<'_>]) -> String {
    let mut res = String::new();
    if let Some(names) = names {
        let quoted: Vec<String> = names.iter().map(|it| quoted(it)).collect();
        res += &quoted.join(",");
        res.push('\n');
    }
    for row in 0..n_rows {
        let mut is_first = true;
        for column in columns {
            let width = column.len() / n_rows;
            for at in row * width..(row + 1) * width {
                res += if is_first { "" } else { "," };
                is_first = false;
                element(&mut res, *column, at);
            }
        }
        res.push('\n');
    }
    res
}

/// As Python reads it back, to the same bits.
fn element(res: &mut String, column: Elements<'_>, at: usize) {
    match column {
        Elements::Reals(data) if data[at].is_nan() => write!(res, "nan"),
        Elements::Singles(data) if data[at].is_nan() => write!(res, "nan"),
        Elements::Reals(data) => write!(res, "{:?}", data[at]),
        Elements::Singles(data) => write!(res, "{:?}", data[at] as f32),
        Elements::Ints(data) => write!(res, "{}", data[at]),
        Elements::Bools(data) => write!(res, "{}", data[at]),
    }
    .expect("a string takes everything");
}

fn quoted(name: &str) -> String {
    match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}
