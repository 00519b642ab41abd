//! Dense arrays: a shape and the elements in C order. Data only.

/// An array.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    /// Sizes, outermost first; none for a scalar.
    pub shape: Vec<usize>,
    /// The elements in C order, as many as the product of the sizes.
    pub data: Buffer,
}

/// Elements of one type.
#[derive(Clone, Debug, PartialEq)]
pub enum Buffer {
    /// Real numbers.
    Real(Vec<f64>),
    /// Integers.
    Int(Vec<i64>),
    /// Truth values.
    Bool(Vec<bool>),
}

impl Buffer {
    /// The number of elements.
    pub fn len(&self) -> usize {
        match self {
            Buffer::Real(data) => data.len(),
            Buffer::Int(data) => data.len(),
            Buffer::Bool(data) => data.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
