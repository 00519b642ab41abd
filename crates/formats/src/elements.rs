//! Elements of arrays that are somewhere else, and how they are written as `.npy`.

/// Elements of one type, in C order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Elements<'a> {
    /// Real numbers.
    Reals(&'a [f64]),
    /// Real numbers that are numbers of 32 bits, and are written so.
    Singles(&'a [f64]),
    /// Integers.
    Ints(&'a [i64]),
    /// Truth values.
    Bools(&'a [bool]),
}

impl Elements<'_> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        match self {
            Elements::Reals(data) | Elements::Singles(data) => data.len(),
            Elements::Ints(data) => data.len(),
            Elements::Bools(data) => data.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What NumPy calls their type.
    fn descr(&self) -> &'static str {
        match self {
            Elements::Reals(_) => "<f8",
            Elements::Singles(_) => "<f4",
            Elements::Ints(_) => "<i8",
            Elements::Bools(_) => "|b1",
        }
    }
}

/// An array as a `.npy` file. As `array::write`, which has no numbers of 32 bits and wants to own its elements.
pub fn npy(shape: &[usize], elements: Elements<'_>) -> Vec<u8> {
    let sizes: String = shape.iter().map(|it| format!("{it}, ")).collect();
    // A tuple of one has a comma.
    let sizes = if shape.len() == 1 { sizes.trim_end() } else { sizes.trim_end_matches(", ") };
    let descr = elements.descr();
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}), }}");
    // The data begins at a multiple of 64, with a line feed before it. Version 2 has a longer length.
    let mut res = b"\x93NUMPY\x02\x00".to_vec();
    let width = (res.len() + 4 + header.len() + 1).next_multiple_of(64) - res.len() - 4;
    res.extend((width as u32).to_le_bytes());
    res.extend(format!("{header:<0$}\n", width - 1).into_bytes());
    match elements {
        Elements::Reals(data) => res.extend(data.iter().flat_map(|it| it.to_le_bytes())),
        Elements::Singles(data) => {
            res.extend(data.iter().flat_map(|it| (*it as f32).to_le_bytes()));
        }
        Elements::Ints(data) => res.extend(data.iter().flat_map(|it| it.to_le_bytes())),
        Elements::Bools(data) => res.extend(data.iter().map(|it| u8::from(*it))),
    }
    res
}
