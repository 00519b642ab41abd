//! Rust values out of data: what answers become.

use super::{Data, Mismatch, Shaped, described};

/// A Rust type that data of a program becomes.
///
/// ```
/// use cotan::{Data, FromData, Mismatch};
///
/// #[derive(Debug, PartialEq)]
/// struct Ball { height: f64, speed: f64 }
///
/// impl FromData for Ball {
///     fn from_data(data: Data<'_>) -> Result<Ball, Mismatch> {
///         let mut fields = data.into_fields("Ball")?;
///         let ball = Ball { height: fields.take("height")?, speed: fields.take("speed")? };
///         fields.end()?;
///         Ok(ball)
///     }
/// }
///
/// # fn main() -> Result<(), cotan::Report> {
/// let text = "type Ball = { height: Real, speed: Real }
///     def thrown(speed: Real): Ball = Ball { height: 0.0, speed: speed }";
/// let thrown = cotan::Program::new(text)?.function("thrown")?;
/// assert_eq!(thrown.call((3.0,))?.get::<Ball>()?, Ball { height: 0.0, speed: 3.0 });
/// # Ok(())
/// # }
/// ```
pub trait FromData: Sized {
    /// The value that the data stands for.
    fn from_data(data: Data<'_>) -> Result<Self, Mismatch>;

    /// The elements of an array.
    fn many(data: Data<'_>) -> Result<Vec<Self>, Mismatch> {
        let found = data.describe();
        let Some(items) = data.into_items() else { return Err(Mismatch::new("an array", found)) };
        let items = items.into_iter().enumerate();
        items
            .map(|(at, it)| Self::from_data(it).map_err(|it| it.under(&format!("[{at}]"))))
            .collect()
    }
}

fn expected<T>(what: &str, data: &Data<'_>) -> Result<T, Mismatch> {
    Err(Mismatch::new(what, data.describe()))
}

impl FromData for f64 {
    fn from_data(data: Data<'_>) -> Result<f64, Mismatch> {
        if let Data::Real(it) = data { Ok(it) } else { expected("a real", &data) }
    }

    fn many(data: Data<'_>) -> Result<Vec<f64>, Mismatch> {
        Shaped::<'static, f64>::from_data(data)?.into_vector("reals")
    }
}

/// Rounded.
impl FromData for f32 {
    fn from_data(data: Data<'_>) -> Result<f32, Mismatch> {
        f64::from_data(data).map(|it| it as f32)
    }
}

impl FromData for i64 {
    fn from_data(data: Data<'_>) -> Result<i64, Mismatch> {
        if let Data::Int(it) = data { Ok(it) } else { expected("an integer", &data) }
    }

    fn many(data: Data<'_>) -> Result<Vec<i64>, Mismatch> {
        Shaped::<'static, i64>::from_data(data)?.into_vector("integers")
    }
}

impl FromData for bool {
    fn from_data(data: Data<'_>) -> Result<bool, Mismatch> {
        if let Data::Bool(it) = data { Ok(it) } else { expected("a truth value", &data) }
    }
}

macro_rules! integers {
    ($($int:ident)+) => {$(
        impl FromData for $int {
            fn from_data(data: Data<'_>) -> Result<$int, Mismatch> {
                let int = i64::from_data(data)?;
                let range = concat!("an integer that fits ", stringify!($int));
                $int::try_from(int).map_err(|_| Mismatch::new(range, int.to_string()))
            }
        }
    )+};
}

integers! { i8 i16 i32 isize u8 u16 u32 u64 usize }

impl FromData for String {
    fn from_data(data: Data<'_>) -> Result<String, Mismatch> {
        if let Data::Text(it) = data { Ok(it.into_owned()) } else { expected("a text", &data) }
    }
}

impl<T: FromData> FromData for Vec<T> {
    fn from_data(data: Data<'_>) -> Result<Vec<T>, Mismatch> {
        T::many(data)
    }
}

impl<T: FromData, const N: usize> FromData for [T; N] {
    fn from_data(data: Data<'_>) -> Result<[T; N], Mismatch> {
        let items = T::many(data)?;
        let found = format!("an array of {}", items.len());
        items.try_into().map_err(|_| Mismatch::new(format!("an array of {N}"), found))
    }
}

impl<T: FromData> FromData for Box<T> {
    fn from_data(data: Data<'_>) -> Result<Box<T>, Mismatch> {
        T::from_data(data).map(Box::new)
    }
}

/// With any number of dimensions; copied if it is borrowed.
impl FromData for Shaped<'static, f64> {
    fn from_data(data: Data<'_>) -> Result<Shaped<'static, f64>, Mismatch> {
        if let Data::Reals(it) = data {
            return Ok(it.into_owned());
        }
        if let Data::Real(it) = data {
            return Ok(Shaped::new(&[], vec![it]));
        }
        nothing(&data).ok_or_else(|| Mismatch::new("an array of reals", data.describe()))
    }
}

/// Rounded.
impl FromData for Shaped<'static, f32> {
    fn from_data(data: Data<'_>) -> Result<Shaped<'static, f32>, Mismatch> {
        let reals = Shaped::<'static, f64>::from_data(data)?;
        let elements: Vec<f32> = reals.elements.iter().map(|it| *it as f32).collect();
        Ok(Shaped { shape: reals.shape, elements: elements.into() })
    }
}

/// With any number of dimensions; copied if it is borrowed.
impl FromData for Shaped<'static, i64> {
    fn from_data(data: Data<'_>) -> Result<Shaped<'static, i64>, Mismatch> {
        if let Data::Ints(it) = data {
            return Ok(it.into_owned());
        }
        if let Data::Int(it) = data {
            return Ok(Shaped::new(&[], vec![it]));
        }
        nothing(&data).ok_or_else(|| Mismatch::new("an array of integers", data.describe()))
    }
}

/// With any number of dimensions; copied if it is borrowed.
impl FromData for Shaped<'static, bool> {
    fn from_data(data: Data<'_>) -> Result<Shaped<'static, bool>, Mismatch> {
        if let Data::Bools(it) = data {
            return Ok(it.into_owned());
        }
        if let Data::Bool(it) = data {
            return Ok(Shaped::new(&[], vec![it]));
        }
        nothing(&data).ok_or_else(|| Mismatch::new("an array of truth values", data.describe()))
    }
}

/// An array without elements, whatever it might be of.
fn nothing<T: Clone + 'static>(data: &Data<'_>) -> Option<Shaped<'static, T>> {
    if let Data::List(items) = data
        && items.is_empty()
    {
        return Some(Shaped::new(&[0], vec![]));
    }
    None
}

impl<T: Clone + 'static> Shaped<'_, T> {
    /// The elements of an array with one dimension.
    fn into_vector(self, what: &str) -> Result<Vec<T>, Mismatch> {
        match self.shape.len() {
            1 => Ok(self.into_elements()),
            _ => {
                let expected = format!("an array of {what} with one dimension");
                Err(Mismatch::new(expected, described(what, &self.shape)))
            }
        }
    }
}

/// Anything, as it is.
impl FromData for Data<'static> {
    fn from_data(data: Data<'_>) -> Result<Data<'static>, Mismatch> {
        Ok(data.into_owned())
    }
}

impl FromData for () {
    fn from_data(data: Data<'_>) -> Result<(), Mismatch> {
        data.into_parts("()")?.end()
    }
}

macro_rules! tuples {
    ($($name:literal: $($part:ident)+;)+) => {$(
        impl<$($part: FromData),+> FromData for ($($part,)+) {
            fn from_data(data: Data<'_>) -> Result<($($part,)+), Mismatch> {
                let mut parts = data.into_parts($name)?;
                let tuple = ($(parts.take::<$part>()?,)+);
                parts.end()?;
                Ok(tuple)
            }
        }
    )+};
}

tuples! {
    "a pair": A B;
    "a tuple of 3": A B C;
    "a tuple of 4": A B C D;
    "a tuple of 5": A B C D E;
    "a tuple of 6": A B C D E F;
    "a tuple of 7": A B C D E F G;
    "a tuple of 8": A B C D E F G H;
    "a tuple of 9": A B C D E F G H I;
    "a tuple of 10": A B C D E F G H I J;
    "a tuple of 11": A B C D E F G H I J K;
    "a tuple of 12": A B C D E F G H I J K L;
}
