//! What functions are called with: Rust values in the order of the parameters, or arguments by name.

use crate::argument::Argument;
use crate::data::ToData;

/// Values for all parameters.
pub trait Inputs {
    /// They as arguments for parameters of these names.
    fn arguments(&self, names: &[&str]) -> Vec<Argument>;
}

/// By name, in any order.
impl Inputs for [Argument] {
    fn arguments(&self, _: &[&str]) -> Vec<Argument> {
        self.to_vec()
    }
}

impl<const N: usize> Inputs for [Argument; N] {
    fn arguments(&self, _: &[&str]) -> Vec<Argument> {
        self.to_vec()
    }
}

impl<T: Inputs + ?Sized> Inputs for &T {
    fn arguments(&self, names: &[&str]) -> Vec<Argument> {
        (**self).arguments(names)
    }
}

impl Inputs for () {
    fn arguments(&self, _: &[&str]) -> Vec<Argument> {
        Vec::new()
    }
}

macro_rules! tuples {
    ($($($part:ident $at:tt),+;)+) => {$(
        impl<$($part: ToData),+> Inputs for ($($part,)+) {
            fn arguments(&self, names: &[&str]) -> Vec<Argument> {
                // What there is no parameter for is refused by a name that none has.
                vec![$(Argument::data(names.get($at).copied().unwrap_or("one too many"), &self.$at)),+]
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
}
