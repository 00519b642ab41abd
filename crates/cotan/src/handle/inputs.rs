//! What functions are called with: Rust values in the order of the parameters, or arguments by name.

use crate::argument::Argument;
use crate::data::{Data, ToData};

/// Values for all parameters: a tuple of them, `(x,)` if there is one, or arguments by name.
pub trait Inputs {
    /// Gives them one by one, in the order of the parameters.
    fn each<'a>(&'a self, take: &mut dyn FnMut(Data<'a>));

    /// They by name, in any order, if that is what they are; then there is none in order.
    fn by_name(&self) -> Option<&[Argument]> {
        None
    }
}

impl Inputs for [Argument] {
    fn each<'a>(&'a self, _: &mut dyn FnMut(Data<'a>)) {}

    fn by_name(&self) -> Option<&[Argument]> {
        Some(self)
    }
}

impl Inputs for Vec<Argument> {
    fn each<'a>(&'a self, _: &mut dyn FnMut(Data<'a>)) {}

    fn by_name(&self) -> Option<&[Argument]> {
        Some(self)
    }
}

impl<const N: usize> Inputs for [Argument; N] {
    fn each<'a>(&'a self, _: &mut dyn FnMut(Data<'a>)) {}

    fn by_name(&self) -> Option<&[Argument]> {
        Some(self)
    }
}

impl Inputs for [Data<'_>] {
    fn each<'a>(&'a self, take: &mut dyn FnMut(Data<'a>)) {
        self.iter().for_each(|it| take(it.to_data()));
    }
}

impl Inputs for Vec<Data<'_>> {
    fn each<'a>(&'a self, take: &mut dyn FnMut(Data<'a>)) {
        self.as_slice().each(take);
    }
}

impl<T: Inputs + ?Sized> Inputs for &T {
    fn each<'a>(&'a self, take: &mut dyn FnMut(Data<'a>)) {
        (**self).each(take);
    }

    fn by_name(&self) -> Option<&[Argument]> {
        (**self).by_name()
    }
}

impl Inputs for () {
    fn each<'a>(&'a self, _: &mut dyn FnMut(Data<'a>)) {}
}

macro_rules! tuples {
    ($($($part:ident $at:tt),+;)+) => {$(
        impl<$($part: ToData),+> Inputs for ($($part,)+) {
            fn each<'a>(&'a self, take: &mut dyn FnMut(Data<'a>)) {
                $(take(self.$at.to_data());)+
            }
        }
    )+};
}

tuples! {
    A 0;
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
