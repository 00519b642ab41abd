//! Numbers and arrays of numbers on one line, as values of the language are written.

use std::fmt::{self, Display, Formatter};

/// Elements in the order of memory.
#[derive(Clone, Copy)]
pub enum Elements<'a> {
    /// Reals.
    Reals(&'a [f64]),
    /// Reals of single precision.
    Floats(&'a [f32]),
    /// Integers.
    Ints(&'a [i64]),
    /// Truth values, one byte each.
    Bools(&'a [u8]),
    /// Something else.
    Others(&'a [&'a dyn Display]),
}

/// A value to be shown.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// Its sizes; none if it is no array.
    pub sizes: &'a [usize],
    /// Its elements, as many as the sizes say.
    pub elements: Elements<'a>,
}

/// A number that is kept.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// A real.
    Real(f64),
    /// A real of single precision.
    Float(f32),
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
}

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Number::Real(it) if it.is_finite() => write!(f, "{it:?}"),
            Number::Float(it) if it.is_finite() => write!(f, "{it:?}"),
            Number::Real(it) => f.write_str(not_finite(*it)),
            Number::Float(it) => f.write_str(not_finite(f64::from(*it))),
            Number::Int(it) => write!(f, "{it}"),
            Number::Bool(it) => write!(f, "{it}"),
        }
    }
}

fn not_finite(value: f64) -> &'static str {
    match (value.is_nan(), value > 0.0) {
        (true, _) => "nan",
        (false, true) => "infinity",
        (false, false) => "-infinity",
    }
}

/// Arrays of more elements are shown by their ends.
const MANY: usize = 100;
/// So many elements at each end of an axis.
const END: usize = 3;

impl<'a> Shown<'a> {
    /// A value that is no array.
    pub fn scalar(elements: Elements<'a>) -> Shown<'a> {
        Shown { sizes: &[], elements }
    }

    /// The number that it is, if it is one.
    pub fn number(&self) -> Option<Number> {
        if self.sizes.is_empty() { self.element(0) } else { None }
    }

    fn element(&self, at: usize) -> Option<Number> {
        match self.elements {
            Elements::Reals(it) => it.get(at).copied().map(Number::Real),
            Elements::Floats(it) => it.get(at).copied().map(Number::Float),
            Elements::Ints(it) => it.get(at).copied().map(Number::Int),
            Elements::Bools(it) => it.get(at).map(|it| Number::Bool(*it != 0)),
            Elements::Others(_) => None,
        }
    }

    /// The part from an element on that has these sizes.
    fn part(
        &self,
        f: &mut Formatter<'_>,
        from: usize,
        sizes: &[usize],
        is_long: bool,
    ) -> fmt::Result {
        let Some((size, inner)) = sizes.split_first() else {
            return match (self.element(from), self.elements) {
                (Some(number), _) => number.fmt(f),
                (None, Elements::Others(it)) => it.get(from).map_or(Ok(()), |it| it.fmt(f)),
                (None, _) => Ok(()),
            };
        };
        let stride: usize = inner.iter().product();
        f.write_str("[")?;
        for at in 0..*size {
            if is_long && *size > 2 * END && at >= END && at + END < *size {
                if at == END {
                    f.write_str(", ...")?;
                }
                continue;
            }
            if at > 0 {
                f.write_str(", ")?;
            }
            self.part(f, from + at * stride, inner, is_long)?;
        }
        f.write_str("]")
    }
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_long = self.sizes.iter().product::<usize>() > MANY;
        self.part(f, 0, self.sizes, is_long)
    }
}

#[cfg(test)]
mod tests {
    use super::{Elements, Shown};

    fn shown(sizes: &[usize], elements: &[f64]) -> String {
        Shown { sizes, elements: Elements::Reals(elements) }.to_string()
    }

    #[test]
    fn numbers_and_arrays_are_written_as_values_are() {
        assert_eq!(shown(&[], &[1.0]), "1.0");
        assert_eq!(shown(&[], &[f64::NEG_INFINITY]), "-infinity");
        assert_eq!(shown(&[2, 2], &[1.0, 2.5, f64::NAN, 1e-9]), "[[1.0, 2.5], [nan, 1e-9]]");
        assert_eq!(shown(&[0], &[]), "[]");
        assert_eq!(shown(&[2, 0], &[]), "[[], []]");
    }

    #[test]
    fn of_long_arrays_the_ends_are_shown() {
        let elements: Vec<f64> = (0..101).map(f64::from).collect();
        assert_eq!(shown(&[101], &elements), "[0.0, 1.0, 2.0, ..., 98.0, 99.0, 100.0]");
        let elements = vec![1.0; 102];
        let rows = shown(&[51, 2], &elements);
        assert_eq!(rows.matches("[1.0, 1.0]").count(), 6);
    }
}
