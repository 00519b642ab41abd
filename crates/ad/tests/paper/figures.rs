//! The programs of Figures 1 and 2 come out with the structure of Figures 9 to 12.

use ad::chad::paper::term::Term;

use super::facts::{FIGURE_1A, FIGURE_1B, FIGURE_2A, FIGURE_2B};
use super::support::{Mode, Stage, derivative};

fn simplified(context: &[(&str, &str)], text: &str, mode: Mode) -> String {
    let term: Term = text.parse().unwrap();
    let context: Vec<_> = context.iter().map(|it| (it.0.into(), it.1.parse().unwrap())).collect();
    derivative(&context, &term, mode, Stage::Simplified).brief()
}

#[test]
fn look() {
    println!("{}\n", simplified(&[("x", "Real")], FIGURE_1A, Mode::Forward));
    let reals = [("x1", "Real"), ("x2", "Real"), ("x3", "Real"), ("x4", "Real")];
    println!("{}\n", simplified(&reals, FIGURE_1B, Mode::Reverse));
    println!("{}\n", simplified(&[("x", "Real")], FIGURE_2A, Mode::Forward));
    println!("{}\n", simplified(&[("x1", "Real"), ("x2", "[5]Real")], FIGURE_2B, Mode::Reverse));
}
