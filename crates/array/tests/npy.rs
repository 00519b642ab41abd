//! Reading and writing `.npy`: every element type, both orders, and bytes that lie.

use array::{Buffer, Dense, NpyError, read, write};

fn file(header: &str, data: &[u8]) -> Vec<u8> {
    let mut res = b"\x93NUMPY\x01\x00".to_vec();
    res.extend((header.len() as u16).to_le_bytes());
    res.extend(header.as_bytes());
    res.extend(data);
    res
}

fn header(descr: &str, fortran: &str, shape: &str) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n")
}

fn vector(descr: &str, n: usize, data: &[u8]) -> Result<Buffer, NpyError> {
    read(&file(&header(descr, "False", &format!("({n},)")), data)).map(|it| it.data)
}

#[test]
fn reads_every_element_type_in_both_byte_orders() {
    let real = |descr, data: &[u8]| match vector(descr, 1, data) {
        Ok(Buffer::Real(res)) => res[0],
        other => panic!("{descr}: {other:?}"),
    };
    assert_eq!(real("<f8", &1.5f64.to_le_bytes()), 1.5);
    assert_eq!(real(">f8", &(-1.5f64).to_be_bytes()), -1.5);
    assert_eq!(real("<f4", &0.1f32.to_le_bytes()), f64::from(0.1f32));
    assert_eq!(real(">f4", &0.1f32.to_be_bytes()), f64::from(0.1f32));
    assert_eq!(real("<f2", &0x3555u16.to_le_bytes()), 0.333251953125);
    assert_eq!(real(">f2", &0xfc00u16.to_be_bytes()), f64::NEG_INFINITY);
    assert_eq!(real("<f2", &1u16.to_le_bytes()), f64::powi(2.0, -24));
    let int = |descr, data: &[u8]| match vector(descr, 1, data) {
        Ok(Buffer::Int(res)) => res[0],
        other => panic!("{descr}: {other:?}"),
    };
    assert_eq!(int("|i1", &[0xff]), -1);
    assert_eq!(int("|u1", &[0xff]), 255);
    assert_eq!(int("<i2", &(-2i16).to_le_bytes()), -2);
    assert_eq!(int(">u2", &65535u16.to_be_bytes()), 65535);
    assert_eq!(int(">i4", &(-3i32).to_be_bytes()), -3);
    assert_eq!(int("<u4", &u32::MAX.to_le_bytes()), i64::from(u32::MAX));
    assert_eq!(int("<i8", &i64::MIN.to_le_bytes()), i64::MIN);
    assert_eq!(int(">u8", &7u64.to_be_bytes()), 7);
    assert_eq!(vector("<u8", 1, &u64::MAX.to_le_bytes()), Err(NpyError::IntTooLarge(u64::MAX)));
    assert_eq!(vector("|b1", 2, &[0, 1]), Ok(Buffer::Bool(vec![false, true])));
}

#[test]
fn fortran_order_becomes_c_order() {
    // numpy.asfortranarray([[1, 2, 3], [4, 5, 6]], dtype=int8) stores 1 4 2 5 3 6.
    let bytes = file(&header("|i1", "True", "(2, 3)"), &[1, 4, 2, 5, 3, 6]);
    let expected = Dense { shape: vec![2, 3], data: Buffer::Int(vec![1, 2, 3, 4, 5, 6]) };
    assert_eq!(read(&bytes), Ok(expected));
}

#[test]
fn what_is_written_reads_back() {
    for array in [
        Dense { shape: vec![], data: Buffer::Real(vec![2.5]) },
        Dense { shape: vec![3], data: Buffer::Int(vec![1, -2, i64::MAX]) },
        Dense { shape: vec![2, 2], data: Buffer::Bool(vec![true, false, false, true]) },
        Dense { shape: vec![0, 3], data: Buffer::Real(vec![]) },
        Dense { shape: vec![1; 64], data: Buffer::Real(vec![-0.0]) },
    ] {
        let bytes = write(&array);
        assert_eq!(read(&bytes), Ok(array));
    }
    let bytes = write(&Dense { shape: vec![3], data: Buffer::Real(vec![0.0; 3]) });
    assert_eq!((bytes.len() - 24) % 64, 0);
    assert_eq!(bytes[bytes.len() - 25], b'\n');
}

#[test]
fn bytes_that_lie_are_refused() {
    let refused = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    assert_eq!(refused(b""), "this is no .npy file");
    assert_eq!(refused(b"\x93NUMPY"), "this is no .npy file");
    assert_eq!(refused(b"\x93NUMPY\x04\x00"), "version 4.0 of the .npy format is not known");
    // A header of four gigabytes, and data of 2^80 elements.
    assert!(refused(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{").contains("ends early"));
    let huge = file(&header("<f8", "False", "(1099511627776, 1099511627776)"), &[]);
    assert!(refused(&huge).contains("more data than fits"));
    let claims = file(&header("<f8", "False", "(1099511627776,)"), &[0; 8]);
    assert!(refused(&claims).contains("the file has 8"));
    for descr in ["|O", "<c16", "|S5", "<M8[ns]", "<f16", "|V3", "", ">"] {
        let bytes = file(&header(descr, "False", "(1,)"), &[0; 16]);
        assert!(refused(&bytes).contains("no counterpart"), "{descr}");
    }
    let structured = "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }";
    assert!(refused(&file(structured, &[0; 8])).contains("a structure"));
    for bad in
        ["", "{", "{'shape': (", "{'descr': 'x", "{'shape': (-1,)}", "{'shape': (1 2)}", "[[["]
    {
        assert!(refused(&file(bad, &[])).contains("malformed"), "{bad}");
    }
    let many = format!("({})", "1,".repeat(65));
    assert!(refused(&file(&header("<f8", "False", &many), &[0; 8])).contains("64 dimensions"));
    let nested = "(".repeat(60_000);
    assert!(refused(&file(&header("<f8", "False", &nested), &[])).contains("malformed"));
}

#[test]
fn no_mutation_of_a_file_panics() {
    let seeds = [
        write(&Dense { shape: vec![2, 3], data: Buffer::Real(vec![0.5; 6]) }),
        file(&header(">i4", "True", "(2, 2)"), &[1; 16]),
        file(&header("|b1", "False", "()"), &[1]),
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % below
    };
    let interesting = b"(){}[],:'\"0123456789LTFbfiu<>|-\\\xff\x00 ";
    for round in 0..200_000 {
        let mut bytes = seeds[round % seeds.len()].clone();
        for _ in 0..=random(4) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes[at] = random(256) as u8,
                1 => bytes[at] = interesting[random(interesting.len())],
                2 => bytes.insert(at, interesting[random(interesting.len())]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        if let Ok(array) = read(&bytes) {
            assert_eq!(array::count(&array.shape), Some(array.data.len()));
        }
    }
}
