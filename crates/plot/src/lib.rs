//! Pictures of numbers: a figure is data, and becomes SVG or characters for a terminal. Equal figures are
//! equal texts. Numbers that are not finite leave a gap.

mod canvas;
mod colour;
pub mod figure;
mod frame;
mod marks;
mod scale;
mod svg;
mod terminal;

pub use figure::{Figure, Layer, Matrix, Shape};
pub use scale::{Scale, histogram};
pub use svg::svg;
pub use terminal::terminal;
