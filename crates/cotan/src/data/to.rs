//! Rust values as data: what functions are called with.

use std::borrow::Cow;

use super::{Data, Shaped};
use crate::deep::enough_stack;

/// A Rust value that is data for a program. Slices and vectors of numbers are borrowed.
///
/// ```
/// use cotan::{Data, ToData};
///
/// struct Ball { height: f64, speed: f64 }
///
/// impl ToData for Ball {
///     fn to_data(&self) -> Data<'_> {
///         Data::Record(vec![
///             ("height".into(), self.height.to_data()),
///             ("speed".into(), self.speed.to_data()),
///         ])
///     }
/// }
///
/// # fn main() -> Result<(), cotan::Report> {
/// let text = "type Ball = { height: Real, speed: Real }
///     def energy(b: Ball): Real = 9.81 * b.height + 0.5 * b.speed * b.speed";
/// let energy = cotan::Program::new(text)?.function("energy")?;
/// assert_eq!(energy.call((Ball { height: 0.0, speed: 2.0 },))?.as_real(), Some(2.0));
/// # Ok(())
/// # }
/// ```
pub trait ToData {
    /// It as data.
    fn to_data(&self) -> Data<'_>;

    /// Several of these as an array.
    fn many(items: &[Self]) -> Data<'_>
    where
        Self: Sized,
    {
        Data::List(items.iter().map(ToData::to_data).collect())
    }
}

impl ToData for f64 {
    fn to_data(&self) -> Data<'_> {
        Data::Real(*self)
    }

    fn many(items: &[f64]) -> Data<'_> {
        Data::Reals(Shaped::flat(items))
    }
}

impl ToData for f32 {
    fn to_data(&self) -> Data<'_> {
        Data::Real(f64::from(*self))
    }

    fn many(items: &[f32]) -> Data<'_> {
        Data::Floats(Shaped::flat(items))
    }
}

impl ToData for i64 {
    fn to_data(&self) -> Data<'_> {
        Data::Int(*self)
    }

    fn many(items: &[i64]) -> Data<'_> {
        Data::Ints(Shaped::flat(items))
    }
}

impl ToData for bool {
    fn to_data(&self) -> Data<'_> {
        Data::Bool(*self)
    }

    fn many(items: &[bool]) -> Data<'_> {
        Data::Bools(Shaped::flat(items))
    }
}

macro_rules! integers {
    ($($int:ty)+) => {$(
        impl ToData for $int {
            fn to_data(&self) -> Data<'_> {
                // What is too large for an integer is a real, which no integer parameter takes.
                i64::try_from(*self).map_or(Data::Real(*self as f64), Data::Int)
            }
        }
    )+};
}

integers! { i8 i16 i32 isize u8 u16 u32 u64 usize }

impl ToData for str {
    fn to_data(&self) -> Data<'_> {
        Data::Text(Cow::Borrowed(self))
    }
}

impl ToData for String {
    fn to_data(&self) -> Data<'_> {
        self.as_str().to_data()
    }
}

impl<T: ToData> ToData for [T] {
    fn to_data(&self) -> Data<'_> {
        T::many(self)
    }
}

impl<T: ToData, const N: usize> ToData for [T; N] {
    fn to_data(&self) -> Data<'_> {
        T::many(self)
    }
}

impl<T: ToData> ToData for Vec<T> {
    fn to_data(&self) -> Data<'_> {
        T::many(self)
    }
}

impl ToData for Shaped<'_, f64> {
    fn to_data(&self) -> Data<'_> {
        Data::Reals(self.borrowed())
    }
}

impl ToData for Shaped<'_, f32> {
    fn to_data(&self) -> Data<'_> {
        Data::Floats(self.borrowed())
    }
}

impl ToData for Shaped<'_, i64> {
    fn to_data(&self) -> Data<'_> {
        Data::Ints(self.borrowed())
    }
}

impl ToData for Shaped<'_, bool> {
    fn to_data(&self) -> Data<'_> {
        Data::Bools(self.borrowed())
    }
}

impl<T: Clone + 'static> Shaped<'_, T> {
    fn borrowed(&self) -> Shaped<'_, T> {
        Shaped { shape: self.shape.clone(), elements: Cow::Borrowed(&self.elements) }
    }
}

impl ToData for Data<'_> {
    fn to_data(&self) -> Data<'_> {
        fn all<'a>(items: &'a [Data<'_>]) -> Vec<Data<'a>> {
            items.iter().map(|it| enough_stack(|| it.to_data())).collect()
        }
        match self {
            Data::Real(it) => Data::Real(*it),
            Data::Int(it) => Data::Int(*it),
            Data::Bool(it) => Data::Bool(*it),
            Data::Text(it) => it.to_data(),
            Data::Reals(it) => it.to_data(),
            Data::Floats(it) => it.to_data(),
            Data::Ints(it) => it.to_data(),
            Data::Bools(it) => it.to_data(),
            Data::Tuple(parts) => Data::Tuple(all(parts)),
            Data::Record(fields) => {
                let fields = fields.iter().map(|it| (Cow::Borrowed(&*it.0), it.1.to_data()));
                Data::Record(fields.collect())
            }
            Data::Constructor(name, fields) => Data::Constructor(Cow::Borrowed(name), all(fields)),
            Data::List(items) => Data::List(all(items)),
        }
    }
}

impl<T: ToData + ?Sized> ToData for &T {
    fn to_data(&self) -> Data<'_> {
        (**self).to_data()
    }
}

impl<T: ToData + ?Sized> ToData for Box<T> {
    fn to_data(&self) -> Data<'_> {
        (**self).to_data()
    }
}

impl ToData for () {
    fn to_data(&self) -> Data<'_> {
        Data::Tuple(Vec::new())
    }
}

macro_rules! tuples {
    ($($($part:ident $at:tt),+;)+) => {$(
        impl<$($part: ToData),+> ToData for ($($part,)+) {
            fn to_data(&self) -> Data<'_> {
                Data::Tuple(vec![$(self.$at.to_data()),+])
            }
        }
    )+};
}

tuples! {
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11;
}
