//! Files that NumPy wrote (`facts.py` beside this), files that we write, and bytes that lie.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use array::{Buffer, Dense};
use formats::{Elements, NpzError, Table, TableError, npy, npz, table};

const STORED: &[u8] = include_bytes!("numpy/stored.npz");
const DEFLATED: &[u8] = include_bytes!("numpy/deflated.npz");
const SAVETXT: &[u8] = include_bytes!("numpy/savetxt.csv");

fn reals(shape: &[usize], data: &[f64]) -> Dense {
    Dense { shape: shape.to_vec(), data: Buffer::Real(data.to_vec()) }
}

#[test]
fn archives_of_numpy_are_read_stored_or_deflated() {
    for bytes in [STORED, DEFLATED] {
        let all = npz::read(bytes, u64::MAX).unwrap();
        let names: Vec<&str> = all.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(names, ["t", "m", "on", "single"]);
        assert_eq!(all[0].1, reals(&[3], &[0.0, 0.5, 1.0]));
        let m = Dense { shape: vec![2, 3], data: Buffer::Int(vec![1, 2, 3, 4, 5, 6]) };
        assert_eq!(npz::read_one(bytes, "m", 1000), Ok(m));
        assert_eq!(all[2].1.data, Buffer::Bool(vec![true, false]));
        assert_eq!(all[3].1, reals(&[], &[f64::from(0.1f32)]));
    }
}

#[test]
fn a_member_that_is_missing_is_said_with_those_that_are_there() {
    let error = npz::read_one(STORED, "T", u64::MAX).unwrap_err();
    assert_eq!(error.to_string(), "there is no array `T` in it, but `t`, `m`, `on`, `single`");
}

#[test]
fn what_is_written_reads_back() {
    let written = npz::write(&[
        ("x".to_owned(), &[2], Elements::Reals(&[0.1, f64::NEG_INFINITY])),
        ("é.w".to_owned(), &[], Elements::Singles(&[0.5])),
        ("n".to_owned(), &[1, 2], Elements::Ints(&[i64::MIN, 7])),
        ("c".to_owned(), &[0, 5], Elements::Bools(&[])),
    ]);
    let all = npz::read(&written, u64::MAX).unwrap();
    assert_eq!(all[0], ("x".to_owned(), reals(&[2], &[0.1, f64::NEG_INFINITY])));
    assert_eq!(all[1], ("é.w".to_owned(), reals(&[], &[0.5])));
    assert_eq!(all[2].1.data, Buffer::Int(vec![i64::MIN, 7]));
    assert_eq!(all[3].1, Dense { shape: vec![0, 5], data: Buffer::Bool(vec![]) });
    assert_eq!(npz::read(&npz::write(&[]), 0), Ok(vec![]));
}

#[test]
fn the_data_of_a_npy_file_is_aligned() {
    for n in 0..70 {
        let shape = vec![1; n];
        let bytes = npy(&shape, Elements::Singles(&[1.5]));
        assert_eq!((bytes.len() - 4) % 64, 0, "{n} dimensions");
        assert_eq!(&bytes[bytes.len() - 4..], 1.5f32.to_le_bytes());
        if n <= 64 {
            assert_eq!(array::read(&bytes), Ok(reals(&shape, &[1.5])));
        }
    }
}

#[test]
fn memory_bounds_what_is_inflated() {
    // `t` is 152 bytes as a .npy file, all members together 561 or more.
    assert!(npz::read_one(DEFLATED, "t", 152).is_ok());
    let error = npz::read_one(DEFLATED, "t", 151).unwrap_err();
    assert_eq!(error, NpzError::TooLarge("t".to_owned(), 152));
    assert!(matches!(npz::read(DEFLATED, 400), Err(NpzError::TooLarge(_, _))));
}

/// A deflated member whose directory claims less than it has, and one that claims more.
#[test]
fn sizes_that_lie_are_found() {
    let at = DEFLATED.windows(4).position(|it| it == b"PK\x01\x02").unwrap();
    for size in [0u32, 151, 153, 1 << 30] {
        let mut bytes = DEFLATED.to_vec();
        bytes[at + 24..at + 28].copy_from_slice(&size.to_le_bytes());
        let error = npz::read_one(&bytes, "t", u64::MAX).unwrap_err();
        assert!(matches!(error, NpzError::Damaged(_)), "{size}: {error}");
    }
}

#[test]
fn no_byte_of_an_archive_can_do_harm() {
    for bytes in [STORED, DEFLATED] {
        for cut in 0..bytes.len() {
            assert!(npz::read(&bytes[..cut], 1 << 20).is_err());
        }
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = bytes.to_vec();
                bytes[at] = value;
                // Some bytes are dates and comments; what is read is at most what is permitted.
                let _ = npz::read(&bytes, 1 << 20);
            }
        }
    }
    assert_eq!(npz::read(b"", 0), Err(NpzError::NoArchive));
    assert_eq!(npz::read(b"t,height\n0,1\n", 0), Err(NpzError::NoArchive));
}

#[test]
fn a_table_of_numpy_has_a_header() {
    let table = Table::read(SAVETXT, b',').unwrap();
    assert_eq!(table.names, Some(vec!["t".to_owned(), "height".to_owned()]));
    assert_eq!(table.column("height"), Ok(reals(&[2], &[1.5, -2.0])));
    assert_eq!(table.column("0"), Ok(reals(&[2], &[0.0, 0.25])));
    assert_eq!(table.matrix(), Ok(reals(&[2, 2], &[0.0, 1.5, 0.25, -2.0])));
}

#[test]
fn kinds_of_columns_follow_from_all_their_fields() {
    let text = b"\xef\xbb\xbfi,\"x, m\",ok,name\r\n1,2,true,a\r\n -3 ,\"2.5\",False,b\r\n";
    let table = Table::read(text, b',').unwrap();
    assert_eq!(table.column("i").map(|it| it.data), Ok(Buffer::Int(vec![1, -3])));
    assert_eq!(table.column("x, m").map(|it| it.data), Ok(Buffer::Real(vec![2.0, 2.5])));
    assert_eq!(table.column("ok").map(|it| it.data), Ok(Buffer::Bool(vec![true, false])));
    let error = table.column("name").unwrap_err();
    assert_eq!(error.to_string(), "line 2, field 4 is `a`, which is no number");
    assert_eq!(table.matrix(), Err(error));
    let huge = Table::read(b"9223372036854775808\nnan\n-inf\n", b',').unwrap();
    let Ok(Buffer::Real(data)) = &huge.columns[0] else { panic!("{huge:?}") };
    assert!(data[0] == f64::powi(2.0, 63) && data[1].is_nan() && data[2] == f64::NEG_INFINITY);
}

#[test]
fn a_table_without_rows_has_columns_without_elements() {
    let table = Table::read(b"a\tb", b'\t').unwrap();
    assert_eq!(table.column("b"), Ok(reals(&[0], &[])));
    assert_eq!(table.matrix().map(|it| it.shape), Ok(vec![0, 2]));
}

#[test]
fn what_is_wrong_with_a_table_is_said_with_its_place() {
    let read = |text: &[u8]| Table::read(text, b',').map(|it| it.matrix());
    assert_eq!(read(b""), Err(TableError::Empty));
    assert_eq!(read(b"\n\r\n"), Err(TableError::Empty));
    assert_eq!(read(b"\xff\xfe1\x00"), Err(TableError::Encoding));
    assert_eq!(read(b"\xe9,b\n1,2\n"), Err(TableError::Encoding));
    let ragged = TableError::Ragged { line: 4, found: 1, expected: 2 };
    assert_eq!(read(b"1,2\n\n3,4\n5\n"), Err(ragged));
    let said = |text: &[u8]| read(text).unwrap().unwrap_err().to_string();
    assert_eq!(said(b"1\r\n\r\n2\r\nx\r\n"), "line 4, field 1 is `x`, which is no number");
    assert_eq!(said(b"1\r2\rx"), "line 3, field 1 is `x`, which is no number");
    assert_eq!(said(b"1,2\n3,\n"), "line 2, field 2 is empty; write nan for what is missing");
    assert_eq!(said(b"1\ntrue\n"), "line 2, field 1 is `true`, which is no number");
    assert_eq!(said(b"a\n1;2\n"), "line 2, field 1 is `1;2`; separate numbers by commas");
    assert_eq!(said(b"1,true\n"), "it has columns of numbers and of truth values");
    let long = format!("a\n\"{}", "x".repeat(100_000));
    assert!(said(long.as_bytes()).len() < 100);
}

#[test]
fn columns_that_are_not_there_or_there_twice_are_refused() {
    let table = Table::read(b"a,b,b\n1,2,3\n", b',').unwrap();
    let said = |name: &str| table.column(name).unwrap_err().to_string();
    assert_eq!(said("c"), "it has no column `c`, but `a`, `b`, `b`");
    assert_eq!(said("3"), "it has no column `3`, but `a`, `b`, `b`");
    assert_eq!(said("b"), "two columns are called `b`; ask for one by its number, from 0");
    let bare = Table::read(b"1,2\n", b',').unwrap();
    let error = bare.column("a").unwrap_err().to_string();
    assert_eq!(error, "it has no header and no column `a`; columns are 0 to 1");
}

#[test]
fn tables_that_are_written_read_back() {
    let names = ["t".to_owned(), "say \"x, y\"".to_owned()];
    let columns = [Elements::Reals(&[0.1, f64::NAN]), Elements::Singles(&[f64::from(0.1f32), 2.0])];
    let text = table::write(Some(&names), 2, &columns);
    assert_eq!(text, "t,\"say \"\"x, y\"\"\"\n0.1,0.1\nNaN,2.0\n".replace("NaN", "nan"));
    let read = Table::read(text.as_bytes(), b',').unwrap();
    assert_eq!(read.names.as_deref(), Some(&names[..]));
    let matrix = table::write(None, 2, &[Elements::Ints(&[1, 2, 3, 4, 5, 6])]);
    assert_eq!(matrix, "1,2,3\n4,5,6\n");
    assert_eq!(table::write(None, 0, &[Elements::Bools(&[])]), "");
}
