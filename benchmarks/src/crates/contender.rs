//! Who takes part: anything that computes a gradient.

use crate::crates::by_cotan::ByCotan;
use crate::crates::by_crates::{ByDual, ByEchidna, ByNumDual, ByReverse, ByTape};
use crate::crates::by_hand::ByHand;
use crate::crates::problem::Problem;

/// Something that computes the gradient of a problem, from one slice into another.
pub trait Contender {
    /// For people; the same for all sizes of a program.
    fn name(&self) -> String;

    /// How often the function is evaluated for one gradient; to foresee the time at other sizes.
    fn passes(&self, problem: &Problem) -> usize;

    /// The gradient at `input`, in the same order.
    fn gradient(&mut self, input: &[f64], output: &mut [f64]);

    /// Why it cannot do this problem at this size, if so: what would not fit into memory.
    fn refuses(&mut self, _input: &[f64]) -> Option<String> {
        None
    }

    /// The value, if evaluating it is something of its own here.
    fn value(&mut self, _input: &[f64]) -> Option<f64> {
        None
    }

    /// What else is known of a gradient.
    fn notes(&mut self, _input: &[f64]) -> Notes {
        Notes::default()
    }
}

/// What is known of a run besides its time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Notes {
    /// Operations that were counted for a value and for a gradient.
    pub counted: Option<(u64, u64)>,
    /// The tape that was recorded.
    pub tape: Option<Tape>,
}

/// What a tape holds.
#[derive(Clone, Copy, Debug)]
pub struct Tape {
    pub contributions: u64,
    /// The most that tape and cotangents held at once.
    pub bytes: u64,
    /// Entries for operations on whole arrays.
    pub wholes: u64,
}

/// Everybody who can do this problem; the gradient by hand comes first.
pub fn all(problem: &Problem) -> Result<Vec<Box<dyn Contender>>, String> {
    let mut res: Vec<Box<dyn Contender>> = vec![
        Box::new(ByHand { problem: problem.clone() }),
        Box::new(ByNumDual { problem: problem.clone() }),
        Box::new(ByEchidna { problem: problem.clone() }),
        Box::new(ByReverse { problem: problem.clone() }),
        Box::new(ByDual { problem: problem.clone() }),
        Box::new(ByTape { problem: problem.clone(), tape: cotan::real::Tape::new() }),
    ];
    for it in ByCotan::all(problem)? {
        res.push(Box::new(it));
    }
    Ok(res)
}

/// How far gradients may differ, relative to each component.
const TOLERANCE: f64 = 1e-10;

/// Whether all gradients are the one by hand, and that one is what a difference quotient says.
pub fn check(problem: &Problem, contenders: &mut [Box<dyn Contender>]) -> Result<(), String> {
    let input = problem.input();
    let mut wanted = vec![0.0; input.len()];
    contenders[0].gradient(&input, &mut wanted);
    check_by_difference(problem, &input, &wanted)?;
    for contender in contenders {
        let mut found = vec![f64::NAN; input.len()];
        contender.gradient(&input, &mut found);
        let is_close = |(a, b): (&f64, &f64)| (a - b).abs() <= TOLERANCE * b.abs();
        let wrong = found.iter().zip(&wanted).position(|it| !is_close(it));
        if let Some(index) = wrong {
            return Err(format!(
                "{}: {}: component {index} of the gradient is {}, by hand {}",
                problem.title(),
                contender.name(),
                found[index],
                wanted[index],
            ));
        }
    }
    Ok(())
}

/// The directional derivative along the input against a central difference.
fn check_by_difference(problem: &Problem, input: &[f64], gradient: &[f64]) -> Result<(), String> {
    let step = 1e-7;
    let at = |t: f64| {
        let moved: Vec<f64> = input.iter().map(|it| it * (1.0 + t)).collect();
        problem.value(&moved)
    };
    let wanted = (at(step) - at(-step)) / (2.0 * step);
    let found: f64 = input.iter().zip(gradient).map(|(x, g)| x * g).sum();
    let close = (found - wanted).abs() <= 1e-4 * wanted.abs();
    let complaint = || format!("{}: by hand {found}, by difference {wanted}", problem.title());
    if close { Ok(()) } else { Err(complaint()) }
}
