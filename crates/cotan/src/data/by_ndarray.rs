//! Arrays of the crate `ndarray`: those whose elements lie in order go in without a copy, and owned ones come
//! out.

use std::borrow::Cow;

use array::Shape;
use ndarray::{Array, ArrayBase, ArrayD, ArrayViewMut, Dimension, IxDyn};

use super::{Data, FromData, Mismatch, Shaped, ToData};
use crate::answer::{Number, Place, Room};

/// What arrays of programs are made of.
pub trait Element: Clone + 'static {
    /// An array of these.
    fn data(array: Shaped<'_, Self>) -> Data<'_>;
}

impl Element for f64 {
    fn data(array: Shaped<'_, f64>) -> Data<'_> {
        Data::Reals(array)
    }
}

impl Element for f32 {
    fn data(array: Shaped<'_, f32>) -> Data<'_> {
        Data::Floats(array)
    }
}

impl Element for i64 {
    fn data(array: Shaped<'_, i64>) -> Data<'_> {
        Data::Ints(array)
    }
}

impl Element for bool {
    fn data(array: Shaped<'_, bool>) -> Data<'_> {
        Data::Bools(array)
    }
}

/// Borrowed if the elements lie in order, else copied.
impl<T: Element, S: ndarray::Data<Elem = T>, D: Dimension> ToData for ArrayBase<S, D> {
    fn to_data(&self) -> Data<'_> {
        let elements = match self.as_slice() {
            Some(it) => Cow::Borrowed(it),
            None => Cow::Owned(self.iter().cloned().collect()),
        };
        T::data(Shaped { shape: Shape::new(self.shape()), elements })
    }
}

impl<T: Clone + 'static, D: Dimension> FromData for Array<T, D>
where
    Shaped<'static, T>: FromData,
{
    fn from_data(data: Data<'_>) -> Result<Array<T, D>, Mismatch> {
        let shaped = Shaped::<'static, T>::from_data(data)?;
        let shape = shaped.shape().to_vec();
        let found = super::described("elements", &shape);
        let array = ArrayD::from_shape_vec(IxDyn(&shape), shaped.into_elements());
        let array = array.ok().and_then(|it| it.into_dimensionality::<D>().ok());
        let wanted = D::NDIM.map_or("an array".to_owned(), |it| format!("{it} dimensions"));
        array.ok_or_else(|| Mismatch::new(wanted, found))
    }
}

/// Memory whose elements lie in order.
impl<T: Number, D: Dimension> Room for ArrayViewMut<'_, T, D> {
    fn each<'a>(&'a mut self, take: &mut dyn FnMut(Place<'a>)) {
        take(self.as_slice_mut().map_or(Place::Scattered, T::place));
    }
}
