//! Solutions of equations and least places, whose derivatives are those of the solution and not of the steps
//! that found it.

use std::panic::Location;

use crate::closure::lambda;
use crate::recorder::{Piece, called, one};
use crate::value::{Array, Leaf, Real};

macro_rules! solvers {
    ($($name:ident($one:ty => $res:ty) $about:literal;)+) => {$(
        #[doc = $about]
        /// Its derivative is that of the solution by what the closure captured; that by `start` is 0.
        #[track_caller]
        pub fn $name(f: impl FnOnce($one) -> $res, start: $one) -> $one {
            let at = Location::caller();
            let f = lambda(at, f).text();
            let args = [Piece::Text(&f), Piece::Value(start.node())];
            Leaf::of(one(at, &called(stringify!($name), &args)))
        }
    )+};
}

solvers! {
    root(Real => Real) "The solution near `start` of `f(x) = 0`.";
    vector_root(Array<1> => Array<1>) "The solution near `start` of as many equations as unknowns.";
    fixed_point(Real => Real) "A solution of `f(x) = x`, where iterating `f` leads from `start`.";
    vector_fixed_point(Array<1> => Array<1>) "The same for vectors.";
    minimiser(Real => Real) "Where `f` is least, near `start`.";
    vector_minimiser(Array<1> => Real) "Where a function of a vector is least, near `start`.";
}
