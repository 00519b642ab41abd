//! What functions are called with: Rust values in the order of the parameters, or arguments by name.

use crate::answer::Answer;
use crate::argument::Argument;

/// A value for a parameter.
pub trait Input {
    /// It as an argument of this name.
    fn argument(&self, name: &str) -> Argument;
}

/// Values for all parameters.
pub trait Inputs {
    /// They as arguments for parameters of these names.
    fn arguments(&self, names: &[&str]) -> Vec<Argument>;
}

impl Input for f64 {
    fn argument(&self, name: &str) -> Argument {
        Argument::real(name, *self)
    }
}

impl Input for i64 {
    fn argument(&self, name: &str) -> Argument {
        Argument::json(name, &self.to_string())
    }
}

impl Input for bool {
    fn argument(&self, name: &str) -> Argument {
        Argument::json(name, if *self { "true" } else { "false" })
    }
}

impl Input for [f64] {
    fn argument(&self, name: &str) -> Argument {
        Argument::reals(name, &[self.len()], self)
    }
}

impl<const N: usize> Input for [f64; N] {
    fn argument(&self, name: &str) -> Argument {
        self.as_slice().argument(name)
    }
}

impl Input for Vec<f64> {
    fn argument(&self, name: &str) -> Argument {
        self.as_slice().argument(name)
    }
}

/// An array by its shape, outermost size first, and its elements in order.
impl Input for (&[usize], &[f64]) {
    fn argument(&self, name: &str) -> Argument {
        Argument::reals(name, self.0, self.1)
    }
}

/// What another function gave, if it is a real or an array of reals; else its value is written and read.
impl Input for Answer {
    fn argument(&self, name: &str) -> Argument {
        Argument::of_answer(name, self).unwrap_or_else(|| Argument::json(name, &self.value_json()))
    }
}

/// Under the name of the parameter, whatever it is called.
impl Input for Argument {
    fn argument(&self, name: &str) -> Argument {
        Argument { name: name.to_owned(), ..self.clone() }
    }
}

impl<T: Input + ?Sized> Input for &T {
    fn argument(&self, name: &str) -> Argument {
        (**self).argument(name)
    }
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
        impl<$($part: Input),+> Inputs for ($($part,)+) {
            fn arguments(&self, names: &[&str]) -> Vec<Argument> {
                // What there is no parameter for is refused by a name that none has.
                vec![$(self.$at.argument(names.get($at).copied().unwrap_or("one too many"))),+]
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
