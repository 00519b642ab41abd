//! Files that pyarrow wrote (`parquet.py` beside this), and bytes that lie.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use array::Buffer;
use formats::{Table, TableError};

const NONE: &[u8] = include_bytes!("parquet/none.parquet");
const SNAPPY: &[u8] = include_bytes!("parquet/snappy.parquet");
const GZIP: &[u8] = include_bytes!("parquet/gzip.parquet");
const ZSTD: &[u8] = include_bytes!("parquet/zstd.parquet");
const PLAIN: &[u8] = include_bytes!("parquet/plain.parquet");
const EMPTY: &[u8] = include_bytes!("parquet/empty.parquet");

fn read(bytes: &[u8]) -> Result<Table, TableError> {
    Table::read_parquet(bytes.to_vec(), 1 << 30)
}

#[test]
fn columns_of_numbers_are_read_over_groups_of_rows() {
    for bytes in [NONE, SNAPPY, GZIP] {
        let table = read(bytes).unwrap();
        assert_eq!(table.n_rows, 5);
        let column = |name: &str| table.column(name).unwrap().data;
        let Buffer::Real(t) = column("t") else { panic!("no reals") };
        assert!(t[2].is_nan());
        assert_eq!([t[0], t[1], t[3], t[4]], [0.0, 0.5, 1.5, -2.0]);
        let singles = [0.1f32, 0.2, 0.3, 0.4, 0.5].map(f64::from);
        assert_eq!(column("single"), Buffer::Real(singles.to_vec()));
        assert_eq!(column("n"), Buffer::Int(vec![1, -2, 3, 1 << 62, 5]));
        assert_eq!(column("small"), Buffer::Int(vec![1, 2, 3, 4, 255]));
        assert_eq!(column("wide"), Buffer::Int(vec![1, 2, 3, 4, u32::MAX.into()]));
        assert_eq!(column("on"), Buffer::Bool(vec![true, false, true, true, false]));
        assert_eq!(table.column("1").unwrap().data, column("single"));
    }
    let plain = read(PLAIN).unwrap();
    assert_eq!(plain.column("n").unwrap().data, Buffer::Int(vec![1, -2, 3, 1 << 62, 5]));
    let empty = read(EMPTY).unwrap();
    assert_eq!(empty.column("t").unwrap().data, Buffer::Real(vec![]));
}

#[test]
fn other_columns_say_what_they_are() {
    let table = read(SNAPPY).unwrap();
    let says = |name: &str| table.column(name).unwrap_err().to_string();
    assert_eq!(says("gap"), "column `gap` has no value in row 2 from 0; only reals may be missing");
    assert_eq!(
        says("name"),
        "column `name`, number 7 from 0, is of texts or bytes, and not of numbers"
    );
    assert!(says("list.list.element").contains("is of lists"));
    assert!(says("T").starts_with("it has no column `T`, but `t`, `single`"));
    let packed =
        "it is compressed by zstd, which is not read; write it with compression=\"snappy\"";
    assert_eq!(read(ZSTD), Err(TableError::Parquet(packed.to_owned())));
    assert_eq!(Table::read_parquet(NONE.to_vec(), 100), Err(TableError::TooLarge(5)));
}

/// Every byte, changed in a few ways, and every length: an answer or an error.
#[test]
fn bytes_that_lie() {
    // Panics of the crate that reads are errors of the file; what they print is of no use here.
    std::panic::set_hook(Box::new(|_| {}));
    for bytes in [NONE, SNAPPY, PLAIN, EMPTY] {
        for at in 0..bytes.len() {
            for by in [1, 0x80, 0xff] {
                let mut changed = bytes.to_vec();
                changed[at] ^= by;
                let _ = Table::read_parquet(changed, 1 << 20);
            }
            assert!(read(&bytes[..at]).is_err());
        }
    }
}
