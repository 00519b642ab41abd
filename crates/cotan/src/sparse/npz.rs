//! Sparse matrices in the format of `scipy.sparse.save_npz`: a ZIP archive of `.npy` files.

use array::{Buffer, Dense, npy};
use formats::archive;

use super::Sparse;

pub(super) fn write(of: &Sparse) -> Vec<u8> {
    let ints =
        |data: Vec<i64>| npy::write(&Dense { shape: vec![data.len()], data: Buffer::Int(data) });
    let reals = Dense { shape: vec![of.values.len()], data: Buffer::Real(of.values.clone()) };
    let files = [
        ("indices.npy", ints(of.columns.iter().map(|it| i64::from(*it)).collect())),
        ("indptr.npy", ints(of.starts.iter().map(|it| *it as i64).collect())),
        ("format.npy", word()),
        ("shape.npy", ints(vec![of.n_rows() as i64, of.n_columns as i64])),
        ("data.npy", npy::write(&reals)),
    ];
    archive(&files.map(|(name, content)| (name.to_owned(), content)))
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

#[cfg(test)]
mod tests {
    use super::*;

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
