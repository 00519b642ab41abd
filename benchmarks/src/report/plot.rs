//! Pictures: plain SVG.

use std::fmt::Write;

use super::{LEAST_SPEEDUP, Results};
use crate::contender::Contender;
use crate::measure::Table;
use crate::problem::Phase;

/// Width of the titles, of the part with the data, and height of a line.
const TITLES: f64 = 430.0;
const DATA: f64 = 470.0;
const LINE: f64 = 18.0;

const RIVALS: [(Contender, &str); 4] = [
    (Contender::C, "#d95f02"),
    (Contender::Gemm, "#d95f02"),
    (Contender::Jax, "#1b6ca8"),
    (Contender::Torch, "#7b3294"),
];

/// How many times as long as Cotan the others take for a gradient, on a logarithmic axis.
pub fn ratios(results: &Results) -> String {
    let shown = |table: &&Table| table.counted(Contender::Cotan, 1, Phase::Gradient).is_some();
    let tables: Vec<&Table> = results.tables.iter().filter(shown).collect();
    let axis = Axis::logarithmic(0.1, 1000.0);
    let head = "Gradient, one thread: time of C or gemm (orange), JAX (blue), PyTorch (purple) by that of Cotan; right of 1 Cotan is faster";
    let mut out = start(tables.len(), head);
    for mark in [0.1, 1.0, 10.0, 100.0, 1000.0] {
        out += &axis.mark(mark, tables.len());
    }
    for (index, table) in tables.iter().enumerate() {
        let y = row(index);
        out += &title(y, &table.problem.title());
        let Some(ours) = table.counted(Contender::Cotan, 1, Phase::Gradient) else { continue };
        for (rival, colour) in RIVALS {
            if let Some(other) = table.counted(rival, 1, Phase::Gradient) {
                let x = axis.at(other / ours);
                writeln!(out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="5" fill="{colour}"/>"#)
                    .expect("a string takes everything");
            }
        }
    }
    out + "</svg>\n"
}

/// How many times as fast two threads are.
pub fn threads(results: &Results) -> String {
    let mut bars = Vec::new();
    for table in &results.tables {
        for phase in Phase::ALL {
            if let Some((one, two)) = table.two_threads(phase) {
                bars.push((format!("{}, {}", table.problem.title(), phase.name()), one / two));
            }
        }
    }
    let axis = Axis::linear(0.0, 2.2);
    let mut out = start(bars.len(), "Cotan: how many times as fast with two threads");
    for mark in [0.0, 1.0, LEAST_SPEEDUP, 2.0] {
        out += &axis.mark(mark, bars.len());
    }
    for (index, (name, faster)) in bars.iter().enumerate() {
        let (y, width) = (row(index), axis.at(*faster) - TITLES);
        out += &title(y, name);
        let top = y - 5.0;
        writeln!(
            out,
            r##"<rect x="{TITLES}" y="{top:.1}" width="{width:.1}" height="10" fill="#1b6ca8"/>"##
        )
        .expect("a string takes everything");
    }
    out + "</svg>\n"
}

/// Where numbers are from left to right.
struct Axis {
    low: f64,
    high: f64,
    is_logarithmic: bool,
}

impl Axis {
    fn linear(low: f64, high: f64) -> Axis {
        Axis { low, high, is_logarithmic: false }
    }

    fn logarithmic(low: f64, high: f64) -> Axis {
        Axis { low: low.log10(), high: high.log10(), is_logarithmic: true }
    }

    fn at(&self, number: f64) -> f64 {
        let number = if self.is_logarithmic { number.log10() } else { number };
        let share = (number - self.low) / (self.high - self.low);
        TITLES + DATA * share.clamp(0.0, 1.0)
    }

    /// A line from top to bottom with its number.
    fn mark(&self, number: f64, lines: usize) -> String {
        let (x, end) = (self.at(number), row(lines));
        format!(
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"40\" y2=\"{end:.1}\" stroke=\"#bbbbbb\"/>\n\
             <text x=\"{x:.1}\" y=\"36\" text-anchor=\"middle\">{number}</text>\n"
        )
    }
}

fn row(index: usize) -> f64 {
    52.0 + LINE * index as f64
}

fn start(lines: usize, head: &str) -> String {
    let (width, height) = (TITLES + DATA + 30.0, row(lines) + 10.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"8\" y=\"18\">{head}</text>\n"
    )
}

fn title(y: f64, text: &str) -> String {
    let text = text.replace('`', "").replace('&', "&amp;").replace('<', "&lt;");
    let (x, y) = (TITLES - 8.0, y + 4.0);
    format!("<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{text}</text>\n")
}
