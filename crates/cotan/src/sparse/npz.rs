//! Sparse matrices in the format of `scipy.sparse.save_npz`: a ZIP archive of `.npy` files.
//!
//! The files are stored as they are, which every reader of the format takes. ZIP counts by 32 bits; past that,
//! the fields of its 64-bit extension stand in addition (APPNOTE.TXT, Sections 4.3 and 4.5.3).

use array::{Buffer, Dense, npy};

use super::Sparse;

pub(super) fn write(of: &Sparse) -> Vec<u8> {
    let ints =
        |data: Vec<i64>| npy::write(&Dense { shape: vec![data.len()], data: Buffer::Int(data) });
    let reals = Dense { shape: vec![of.values.len()], data: Buffer::Real(of.values.clone()) };
    archive(&[
        ("indices.npy", ints(of.columns.iter().map(|it| i64::from(*it)).collect())),
        ("indptr.npy", ints(of.starts.iter().map(|it| *it as i64).collect())),
        ("format.npy", word()),
        ("shape.npy", ints(vec![of.n_rows() as i64, of.n_columns as i64])),
        ("data.npy", npy::write(&reals)),
    ])
}

/// The text `csr`, as an array without dimensions.
fn word() -> Vec<u8> {
    let header = "{'descr': '|S3', 'fortran_order': False, 'shape': (), }";
    // The data begins at a multiple of 64, with a line feed before it.
    let mut res = b"\x93NUMPY\x01\x00".to_vec();
    res.extend(118u16.to_le_bytes());
    res.extend(format!("{header:<117}\ncsr").into_bytes());
    res
}

/// A ZIP archive of stored files.
fn archive(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut res, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let (start, sum) = (res.len() as u64, checksum(content));
        let size = content.len() as u64;
        res.extend(b"PK\x03\x04");
        res.extend(common(name, sum, size, if is_long(size) { 20 } else { 0 }));
        res.extend(name.as_bytes());
        if is_long(size) {
            res.extend(long(&[size, size]));
        }
        res.extend(content);
        let mut more = Vec::new();
        if is_long(size) {
            more.extend([size, size]);
        }
        if is_long(start) {
            more.push(start);
        }
        let more = if more.is_empty() { Vec::new() } else { long(&more) };
        directory.extend(b"PK\x01\x02\x2d\x00");
        directory.extend(common(name, sum, size, more.len() as u16));
        // No comment, first disk, no attributes.
        directory.extend([0; 10]);
        directory.extend(short(start).to_le_bytes());
        directory.extend(name.as_bytes());
        directory.extend(more);
    }
    let (start, size, n) = (res.len() as u64, directory.len() as u64, files.len());
    res.extend(directory);
    if is_long(start) {
        let end = res.len() as u64;
        res.extend(b"PK\x06\x06");
        res.extend(44u64.to_le_bytes());
        res.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        [n as u64, n as u64, size, start].iter().for_each(|it| res.extend(it.to_le_bytes()));
        res.extend(b"PK\x06\x07\x00\x00\x00\x00");
        res.extend(end.to_le_bytes());
        res.extend(1u32.to_le_bytes());
    }
    res.extend(b"PK\x05\x06\x00\x00\x00\x00");
    [n as u16, n as u16].iter().for_each(|it| res.extend(it.to_le_bytes()));
    res.extend(short(size).to_le_bytes());
    res.extend(short(start).to_le_bytes());
    res.extend([0, 0]);
    res
}

/// What the head of a file and its line of the directory have in common, from the version on.
fn common(name: &str, sum: u32, size: u64, more: u16) -> Vec<u8> {
    // Version 4.5, stored, the first day that ZIP knows, so that equal matrices are equal files.
    let mut res = vec![45, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
    [sum, short(size), short(size)].iter().for_each(|it| res.extend(it.to_le_bytes()));
    [name.len() as u16, more].iter().for_each(|it| res.extend(it.to_le_bytes()));
    res
}

fn is_long(it: u64) -> bool {
    it >= u64::from(u32::MAX)
}

fn short(it: u64) -> u32 {
    u32::try_from(it).unwrap_or(u32::MAX)
}

/// The field of numbers of 64 bits.
fn long(numbers: &[u64]) -> Vec<u8> {
    let mut res = vec![1, 0];
    res.extend((8 * numbers.len() as u16).to_le_bytes());
    numbers.iter().for_each(|it| res.extend(it.to_le_bytes()));
    res
}

/// CRC-32, as ZIP wants it.
fn checksum(bytes: &[u8]) -> u32 {
    let table: Vec<u32> = (0..256).map(|it| (0..8).fold(it, |it, _| step(it))).collect();
    let next = |sum: u32, it: &u8| table[usize::from(sum as u8 ^ it)] ^ (sum >> 8);
    !bytes.iter().fold(u32::MAX, next)
}

fn step(it: u32) -> u32 {
    if it & 1 == 1 { (it >> 1) ^ 0xedb8_8320 } else { it >> 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of the catalogue of CRC algorithms.
    #[test]
    fn the_checksum_is_that_of_zip() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn every_file_begins_where_the_directory_says() {
        let matrix = Sparse {
            n_columns: 3,
            starts: vec![0, 1, 1].into(),
            columns: vec![2].into(),
            values: vec![0.5],
        };
        let bytes = write(&matrix);
        assert_eq!(&bytes[..4], b"PK\x03\x04");
        let end = bytes.len() - 22;
        assert_eq!(&bytes[end..end + 4], b"PK\x05\x06");
        let start = u32::from_le_bytes(bytes[end + 16..end + 20].try_into().unwrap()) as usize;
        assert_eq!(&bytes[start..start + 4], b"PK\x01\x02");
        assert_eq!(word().len(), 128 + 3);
    }
}
