//! The `.npy` format of NumPy, versions 1 to 3: reading any bytes, writing version 1 or 2.
//!
//! Every byte sequence gives an array or an error: nothing is allocated before the file is
//! known to hold as much data as its header claims. Reals of 2, 4 and 8 bytes, integers of
//! any width and sign, and truth values are read, in either byte order; arrays in Fortran
//! order are turned into C order.

use std::fmt;

use crate::dense::{Buffer, Dense};
use crate::header;
use crate::shape::count;

/// Why bytes are no `.npy` file that we read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NpyError {
    /// The magic string is missing.
    Magic,
    /// A version of the format that does not exist.
    Version(u8, u8),
    /// The header is not what the format asks for.
    Header(&'static str),
    /// Elements of a type that has no counterpart.
    ElementType(String),
    /// The sizes and the number of bytes do not agree.
    Length {
        /// The bytes that the sizes ask for; `None` if no machine holds them.
        expected: Option<usize>,
        /// The bytes there are.
        found: usize,
    },
    /// An unsigned integer above the greatest `Int`.
    IntTooLarge(u64),
}

impl fmt::Display for NpyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NpyError::Magic => write!(f, "this is no .npy file"),
            NpyError::Version(major, minor) => {
                write!(f, "version {major}.{minor} of the .npy format is not known")
            }
            NpyError::Header(why) => write!(f, "the header of the .npy file is malformed: {why}"),
            NpyError::ElementType(descr) => {
                write!(f, "elements of type {descr} have no counterpart; use f8, i8 or b1")
            }
            NpyError::Length { expected: Some(expected), found } => {
                write!(f, "the header asks for {expected} bytes of data, the file has {found}")
            }
            NpyError::Length { expected: None, found } => {
                write!(f, "the header asks for more data than fits, the file has {found} bytes")
            }
            NpyError::IntTooLarge(value) => write!(f, "{value} is too large for an Int"),
        }
    }
}

impl std::error::Error for NpyError {}

const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads a whole file.
pub fn read(bytes: &[u8]) -> Result<Dense, NpyError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(NpyError::Magic)?;
    let (text, data) = match rest {
        [1, 0, a, b, rest @ ..] => split(rest, usize::from(u16::from_le_bytes([*a, *b])))?,
        [2 | 3, 0, a, b, c, d, rest @ ..] => {
            split(rest, u32::from_le_bytes([*a, *b, *c, *d]) as usize)?
        }
        [1..=3, 0, ..] => return Err(NpyError::Header("it ends early")),
        [major, minor, ..] => return Err(NpyError::Version(*major, *minor)),
        [] | [_] => return Err(NpyError::Magic),
    };
    let header = header::parse(text)?;
    let kind = Kind::parse(&header.descr)?;
    let n_items = count(&header.shape);
    let expected = n_items.and_then(|it| it.checked_mul(kind.width));
    if expected != Some(data.len()) {
        return Err(NpyError::Length { expected, found: data.len() });
    }
    let buffer = kind.decode(data)?;
    let data = if header.fortran_order { from_fortran(&header.shape, buffer) } else { buffer };
    Ok(Dense { shape: header.shape, data })
}

fn split(rest: &[u8], length: usize) -> Result<(&[u8], &[u8]), NpyError> {
    rest.split_at_checked(length).ok_or(NpyError::Header("it ends early"))
}

/// Writes an array as `<f8`, `<i8` or `|b1`, in C order.
pub fn write(array: &Dense) -> Vec<u8> {
    let (descr, data): (&str, Vec<u8>) = match &array.data {
        Buffer::Real(data) => ("<f8", data.iter().flat_map(|it| it.to_le_bytes()).collect()),
        Buffer::Int(data) => ("<i8", data.iter().flat_map(|it| it.to_le_bytes()).collect()),
        Buffer::Bool(data) => ("|b1", data.iter().map(|it| u8::from(*it)).collect()),
    };
    let sizes: String = array.shape.iter().map(|it| format!("{it}, ")).collect();
    let mut header = format!(
        "{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}), }}",
        if array.shape.len() == 1 { sizes.trim_end() } else { sizes.trim_end_matches(", ") }
    );
    // The data begins at a multiple of 64, with a line feed before it.
    let long = header.len() + 64 > usize::from(u16::MAX);
    let before = MAGIC.len() + if long { 6 } else { 4 };
    let padding = (before + header.len() + 1).next_multiple_of(64) - before - header.len() - 1;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    let mut res = MAGIC.to_vec();
    if long {
        res.extend([2, 0]);
        res.extend((header.len() as u32).to_le_bytes());
    } else {
        res.extend([1, 0]);
        res.extend((header.len() as u16).to_le_bytes());
    }
    res.extend(header.into_bytes());
    res.extend(data);
    res
}

/// An element type.
struct Kind {
    letter: u8,
    width: usize,
    big_endian: bool,
}

impl Kind {
    fn parse(descr: &str) -> Result<Kind, NpyError> {
        let (big_endian, kind) = match descr.as_bytes() {
            [b'>', kind @ ..] => (true, kind),
            [b'<' | b'|' | b'=', kind @ ..] => (false, kind),
            kind => (false, kind),
        };
        let known: &[&[u8]] =
            &[b"f2", b"f4", b"f8", b"i1", b"i2", b"i4", b"i8", b"u1", b"u2", b"u4", b"u8", b"b1"];
        match kind {
            [letter, digit] if known.contains(&kind) => {
                Ok(Kind { letter: *letter, width: usize::from(digit - b'0'), big_endian })
            }
            _ => Err(NpyError::ElementType(descr.chars().take(40).collect())),
        }
    }

    /// `data` is a whole number of elements.
    fn decode(&self, data: &[u8]) -> Result<Buffer, NpyError> {
        let items = data.chunks_exact(self.width).map(|item| self.bits(item));
        match (self.letter, self.width) {
            (b'b', _) => Ok(Buffer::Bool(items.map(|it| it != 0).collect())),
            (b'f', 2) => Ok(Buffer::Real(items.map(half).collect())),
            (b'f', 4) => {
                Ok(Buffer::Real(items.map(|it| f64::from(f32::from_bits(it as u32))).collect()))
            }
            (b'f', _) => Ok(Buffer::Real(items.map(f64::from_bits).collect())),
            (b'i', width) => {
                let unused = 64 - 8 * width as u32;
                Ok(Buffer::Int(items.map(|it| ((it << unused) as i64) >> unused).collect()))
            }
            (_, _) => items
                .map(|it| i64::try_from(it).map_err(|_| NpyError::IntTooLarge(it)))
                .collect::<Result<_, _>>()
                .map(Buffer::Int),
        }
    }

    fn bits(&self, item: &[u8]) -> u64 {
        let push = |bits: u64, byte: &u8| (bits << 8) | u64::from(*byte);
        if self.big_endian { item.iter().fold(0, push) } else { item.iter().rev().fold(0, push) }
    }
}

/// The value of an IEEE half: sign, 5 bits of exponent, 10 bits of fraction.
fn half(bits: u64) -> f64 {
    let fraction = (bits & 0x3ff) as f64;
    let exponent = ((bits >> 10) & 0x1f) as i32;
    let magnitude = match exponent {
        0 => fraction * f64::powi(2.0, -24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * f64::powi(2.0, exponent - 25),
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

fn from_fortran(shape: &[usize], buffer: Buffer) -> Buffer {
    match buffer {
        Buffer::Real(data) => Buffer::Real(reorder(shape, &data)),
        Buffer::Int(data) => Buffer::Int(reorder(shape, &data)),
        Buffer::Bool(data) => Buffer::Bool(reorder(shape, &data)),
    }
}

/// From the first index running fastest to the last one running fastest.
fn reorder<T: Copy>(shape: &[usize], data: &[T]) -> Vec<T> {
    let mut res = Vec::with_capacity(data.len());
    let mut index = vec![0; shape.len()];
    for _ in 0..data.len() {
        let position = index.iter().zip(shape).rfold(0, |at, (i, size)| at * size + i);
        res.push(data[position]);
        for (i, size) in index.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < *size {
                break;
            }
            *i = 0;
        }
    }
    res
}
