//! Records, tuples and constructors, taken apart: each field once, and none left.

use std::borrow::Cow;

use super::{Data, FromData, Mismatch};

/// The fields of a record, by name.
pub struct Fields<'a> {
    of: &'a str,
    left: Vec<(Cow<'a, str>, Data<'a>)>,
}

/// The parts of a tuple or the fields of a constructor, in order.
pub struct Parts<'a> {
    of: &'a str,
    taken: usize,
    left: std::vec::IntoIter<Data<'a>>,
}

impl<'a> Data<'a> {
    /// The fields of a record; `of` is what the Rust type is called in messages.
    pub fn into_fields(self, of: &'a str) -> Result<Fields<'a>, Mismatch> {
        if let Data::Record(left) = self {
            return Ok(Fields { of, left });
        }
        Err(Mismatch::new(format!("a record for `{of}`"), self.describe()))
    }

    /// The parts of a tuple; `of` is what the Rust type is called in messages.
    pub fn into_parts(self, of: &'a str) -> Result<Parts<'a>, Mismatch> {
        if let Data::Tuple(parts) = self {
            return Ok(Parts { of, taken: 0, left: parts.into_iter() });
        }
        Err(Mismatch::new(of, self.describe()))
    }

    /// The constructor of a value of a data type and its fields; `of` is what the Rust type is called in
    /// messages.
    pub fn into_constructor(self, of: &'a str) -> Result<(Cow<'a, str>, Parts<'a>), Mismatch> {
        if let Data::Constructor(name, fields) = self {
            return Ok((name, Parts { of, taken: 0, left: fields.into_iter() }));
        }
        Err(Mismatch::new(format!("a constructor for `{of}`"), self.describe()))
    }
}

impl Fields<'_> {
    /// The field of this name as a Rust value.
    pub fn take<T: FromData>(&mut self, name: &str) -> Result<T, Mismatch> {
        let Some(at) = self.left.iter().position(|it| it.0 == name) else {
            let expected = format!("a field `{name}` for `{}`", self.of);
            return Err(Mismatch::new(expected, "no such field"));
        };
        T::from_data(self.left.swap_remove(at).1).map_err(|it| it.under(&format!(".{name}")))
    }

    /// Fails if a field was not taken.
    pub fn end(self) -> Result<(), Mismatch> {
        match self.left.first() {
            None => Ok(()),
            Some((name, _)) => {
                let expected = format!("a field of `{}`", self.of);
                Err(Mismatch::new(expected, format!("a field `{name}`")))
            }
        }
    }
}

impl Parts<'_> {
    /// The next part as a Rust value.
    pub fn take<T: FromData>(&mut self) -> Result<T, Mismatch> {
        let at = self.taken;
        self.taken += 1;
        let Some(part) = self.left.next() else {
            return Err(Mismatch::new(self.of, format!("only {at} of its parts")));
        };
        T::from_data(part).map_err(|it| it.under(&format!(".{at}")))
    }

    /// Fails if a part was not taken.
    pub fn end(self) -> Result<(), Mismatch> {
        match self.left.len() {
            0 => Ok(()),
            more => Err(Mismatch::new(self.of, format!("{} parts", self.taken + more))),
        }
    }
}
