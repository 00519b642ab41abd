//! Shapes: the sizes of an array, outermost first. Up to four of them are stored in place.

use std::fmt;
use std::ops::Deref;

const SHORT: usize = 4;

/// The sizes of an array, outermost first.
#[derive(Clone)]
pub struct Shape(Repr);

#[derive(Clone)]
enum Repr {
    Short(u8, [usize; SHORT]),
    Long(Box<[usize]>),
}

impl Shape {
    /// The shape with these sizes.
    pub fn new(sizes: &[usize]) -> Shape {
        if sizes.len() > SHORT {
            return Shape(Repr::Long(sizes.into()));
        }
        let mut short = [0; SHORT];
        short[..sizes.len()].copy_from_slice(sizes);
        Shape(Repr::Short(sizes.len() as u8, short))
    }

    /// The shape of a scalar.
    pub fn scalar() -> Shape {
        Shape(Repr::Short(0, [0; SHORT]))
    }

    /// First these sizes, then those of `inner`.
    pub fn join(outer: &[usize], inner: &[usize]) -> Shape {
        let len = outer.len() + inner.len();
        if len > SHORT {
            return Shape(Repr::Long(outer.iter().chain(inner).copied().collect()));
        }
        let mut short = [0; SHORT];
        short[..outer.len()].copy_from_slice(outer);
        short[outer.len()..len].copy_from_slice(inner);
        Shape(Repr::Short(len as u8, short))
    }
}

impl Deref for Shape {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        match &self.0 {
            Repr::Short(len, sizes) => &sizes[..usize::from(*len)],
            Repr::Long(sizes) => sizes,
        }
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Shape) -> bool {
        **self == **other
    }
}

impl Eq for Shape {}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The most elements that an array may have: what machines can address is less, and the bytes of so many
/// fit into 64 bits, for every lane of a vector too. Where addresses have 32 bits, the bytes fit into those.
pub const MOST_ELEMENTS: usize = match 1usize.checked_shl(56) {
    Some(it) => it,
    None => 1 << 27,
};

/// The number of elements; `None` if it does not fit. A size of zero makes it zero, however
/// large the others are.
pub fn count(sizes: &[usize]) -> Option<usize> {
    if sizes.contains(&0) {
        return Some(0);
    }
    sizes.iter().try_fold(1usize, |product, size| product.checked_mul(*size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_shapes_read_the_same() {
        assert_eq!(&*Shape::new(&[2, 3]), &[2, 3]);
        assert_eq!(&*Shape::join(&[1, 2, 3], &[4, 5]), &[1, 2, 3, 4, 5]);
        assert_eq!(Shape::join(&[1, 2], &[3]), Shape::new(&[1, 2, 3]));
        assert_eq!(Shape::scalar().len(), 0);
    }

    #[test]
    fn counts_do_not_overflow() {
        assert_eq!(count(&[]), Some(1));
        assert_eq!(count(&[3, 4]), Some(12));
        assert_eq!(count(&[usize::MAX, 2]), None);
        assert_eq!(count(&[usize::MAX, 2, 0]), Some(0));
    }
}
