//! The standard library: modules that come with Cotan, inside of the program.

/// A module of the standard library.
#[derive(Clone, Copy, Debug)]
pub struct Standard {
    /// As it is imported: `std.linalg`.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// All of them. A new one is a file in `crates/modules/std/` and a row here.
pub const STANDARD: &[Standard] = &[
    Standard { path: "std.arrays", text: include_str!("../std/arrays.cot") },
    Standard { path: "std.bessel", text: include_str!("../std/bessel.cot") },
    Standard { path: "std.distributions", text: include_str!("../std/distributions.cot") },
    Standard { path: "std.fft", text: include_str!("../std/fft.cot") },
    Standard { path: "std.interpolate", text: include_str!("../std/interpolate.cot") },
    Standard { path: "std.linalg", text: include_str!("../std/linalg.cot") },
    Standard { path: "std.nuts", text: include_str!("../std/nuts.cot") },
    Standard { path: "std.ode", text: include_str!("../std/ode.cot") },
    Standard { path: "std.optimise", text: include_str!("../std/optimise.cot") },
    Standard { path: "std.quadrature", text: include_str!("../std/quadrature.cot") },
    Standard { path: "std.random", text: include_str!("../std/random.cot") },
    Standard { path: "std.special", text: include_str!("../std/special.cot") },
];

/// The module that is imported by this path.
pub(crate) fn standard(path: &str) -> Option<&'static Standard> {
    STANDARD.iter().find(|it| it.path == path)
}
