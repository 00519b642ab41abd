//! Parts of programs, and `.npy` files that are made up; mutations of texts are `testing::texts`.

use ::generate::Random;

/// A few neighbouring declarations of a program, so that one round stays short.
pub fn some_items(random: &mut Random, text: &str) -> String {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices("\n\n").map(|(at, _)| at + 1))
        .chain([text.len()])
        .collect();
    let from = random.below(starts.len() - 1);
    let to = (from + 1 + random.below(6)).min(starts.len() - 1);
    text[starts[from]..starts[to]].to_string()
}

/// A `.npy` file with a few bytes changed, or cut, or made up.
pub fn npy(random: &mut Random) -> Vec<u8> {
    let kinds = ["<f8", ">f4", "<i8", ">i2", "|b1", "|u1", "<u8", "<f2", "<c16", "<U3", "", "O"];
    let sizes: Vec<String> = (0..random.below(4)).map(|_| size(random)).collect();
    let header = format!(
        "{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}",
        random.pick(&kinds),
        random.pick(&["True", "False", "Maybe"]),
        sizes.iter().map(|it| format!("{it},")).collect::<String>()
    );
    let mut bytes = b"\x93NUMPY".to_vec();
    let version = *random.pick(&[1u8, 1, 1, 2, 3, 9]);
    bytes.extend([version, 0]);
    if version == 1 {
        bytes.extend((header.len() as u16).to_le_bytes());
    } else {
        bytes.extend((header.len() as u32).to_le_bytes());
    }
    bytes.extend(header.as_bytes());
    let n_data = random.below(80);
    bytes.extend((0..n_data).map(|_| random.bits() as u8));
    for _ in 0..random.below(4) {
        let at = random.below(bytes.len());
        match random.below(3) {
            0 => bytes[at] = random.bits() as u8,
            1 => bytes.truncate(at + 1),
            _ => bytes.insert(at, random.bits() as u8),
        }
    }
    bytes
}

fn size(random: &mut Random) -> String {
    match random.below(12) {
        0 => "18446744073709551615".to_string(),
        1 => "-1".to_string(),
        2 => "99999999999999999999999".to_string(),
        3 => "L".to_string(),
        _ => random.below(5).to_string(),
    }
}
