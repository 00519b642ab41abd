//! `.npy` files: written in 32 or 64 bits, read into 64.

use std::fs;
use std::path::Path;

use array::{Buffer, Dense};

use crate::problem::Real;

/// A file of reals.
pub fn of_reals(shape: &[usize], data: &[f64], real: Real) -> Vec<u8> {
    match real {
        Real::F64 => {
            let mut bytes = header("<f8", shape);
            bytes.extend(data.iter().flat_map(|it| it.to_le_bytes()));
            bytes
        }
        Real::F32 => {
            let mut bytes = header("<f4", shape);
            bytes.extend(data.iter().flat_map(|it| (*it as f32).to_le_bytes()));
            bytes
        }
    }
}

/// A file of integers.
pub fn of_ints(shape: &[usize], data: &[i64]) -> Vec<u8> {
    let mut bytes = header("<i8", shape);
    bytes.extend(data.iter().flat_map(|it| it.to_le_bytes()));
    bytes
}

/// Reads a file.
pub fn read(path: &Path) -> Result<Dense, String> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let bytes = fs::read(path).map_err(|error| named(&error))?;
    array::read(&bytes).map_err(|error| named(&error))
}

/// Reads a file of reals, without its shape.
pub fn read_reals(path: &Path) -> Result<Vec<f64>, String> {
    match read(path)?.data {
        Buffer::Real(data) => Ok(data),
        Buffer::Int(_) | Buffer::Bool(_) => Err(format!("{}: no reals", path.display())),
    }
}

/// Version 1: elements begin at a multiple of 64 bytes.
fn header(kind: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: String = shape.iter().map(|it| format!("{it},")).collect();
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes}), }}");
    let padded = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((padded as u16).to_le_bytes());
    bytes.extend(format!("{text:<width$}\n", width = padded - 1).bytes());
    bytes
}
