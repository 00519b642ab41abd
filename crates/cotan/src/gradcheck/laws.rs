//! The laws of derivatives, checked at points.
//!
//! - `methods`: a method gives what the first one does.
//! - `differences`: so do central differences, where the function is smooth.
//! - `adjoint`: `<J dx, dy> = <dx, J^T dy>`.
//! - `linear_jvp`, `linear_vjp`: `J (a u + b v) = a J u + b J v`, and the same of `J^T`. A method keeps
//!   them by itself; custom derivatives need not.

use base::Name;
use eval::{Evaluator, Precision, RunError, Value};

use super::leaves::{Others, reals, with_reals};
use super::random::Random;
use super::wrap::Wrapped;
use super::{Law, Outcome};
use crate::runner::Runner;

/// What counts as equal.
#[derive(Clone, Copy)]
pub(super) struct Tolerance {
    /// Of what only rounding makes different, relative to the greatest number.
    exact: f64,
    /// The step of central differences.
    step: f64,
    /// Of central differences.
    differences: f64,
    /// Differences of slopes below this say that a function is smooth.
    smooth: f64,
}

impl Tolerance {
    pub(super) fn of(precision: Precision) -> Tolerance {
        match precision {
            Precision::F64 => {
                Tolerance { exact: 1e-9, step: 1e-5, differences: 1e-5, smooth: 1e-6 }
            }
            Precision::F32 => {
                Tolerance { exact: 1e-4, step: 1e-2, differences: 2e-2, smooth: 1e-2 }
            }
        }
    }
}

/// Arguments at which derivatives are checked.
pub(super) struct Point<'a> {
    pub(super) wrapped: &'a Wrapped,
    pub(super) sizes: Vec<i64>,
    pub(super) args: Vec<Value>,
    /// The arguments as text.
    pub(super) text: String,
}

/// A method, ready to run.
pub(super) struct Checker {
    pub(super) name: &'static str,
    pub(super) caller: Caller,
}

/// How a method runs.
pub(super) enum Caller {
    /// Derivatives are made when the program runs.
    Evaluator(Box<Evaluator>),
    /// There is a program for each of them.
    Programs { jvp: Box<Runner>, vjp: Box<Runner> },
    /// It does not accept the definition, for this reason.
    None(String),
}

impl Caller {
    fn call(&mut self, def: &Name, at: &Point<'_>, args: Vec<Value>) -> Ran<Vec<Value>> {
        let res = match self {
            Caller::Evaluator(evaluator) => evaluator.call(def, &at.sizes, args),
            Caller::Programs { jvp, .. } if *def == at.wrapped.jvp => jvp.call(&at.sizes, &args),
            Caller::Programs { vjp, .. } => vjp.call(&at.sizes, &args),
            Caller::None(_) => Ok(Vec::new()),
        };
        res.map_err(Box::new)
    }
}

/// The laws, for each method, and what is known of them so far.
pub(super) struct Laws {
    tolerance: Tolerance,
    /// Whether the program asks for derivatives that central differences do not see.
    stops: bool,
    runners: Vec<Checker>,
    points: usize,
    found: Vec<Law>,
}

/// The laws, in order.
const NAMES: [&str; 5] = ["methods", "differences", "adjoint", "linear_jvp", "linear_vjp"];

/// Why central differences say nothing.
const ROUGH: &str = "not smooth where it was tried";
const STOPPED: &str = "`stop_gradient` is not seen by differences";

/// What a method gives at a point.
struct Derivatives {
    tangent: Vec<f64>,
    cotangent: Vec<f64>,
    linear_jvp: (Vec<f64>, Vec<f64>),
    linear_vjp: (Vec<f64>, Vec<f64>),
}

/// Directions and cotangents at a point.
struct Seeds {
    dx: [Vec<f64>; 2],
    dy: [Vec<f64>; 2],
    factors: [f64; 2],
}

type Ran<T> = Result<T, Box<RunError>>;

impl Laws {
    pub(super) fn new(tolerance: Tolerance, stops: bool, runners: Vec<Checker>) -> Laws {
        let law = |name, method: &Checker| Law {
            name,
            method: method.name,
            outcome: Outcome::Skipped(match &method.caller {
                Caller::None(reason) => format!("`{}` refuses: {reason}", method.name),
                Caller::Evaluator(_) | Caller::Programs { .. } if stops => STOPPED.to_string(),
                Caller::Evaluator(_) | Caller::Programs { .. } => ROUGH.to_string(),
            }),
            worst: 0.0,
            tolerance: if name == "differences" { tolerance.differences } else { tolerance.exact },
        };
        let mut found = Vec::new();
        for name in NAMES {
            // The first method is what the others are compared with.
            let skipped = usize::from(name == "methods");
            found.extend(runners.iter().skip(skipped).map(|it| law(name, it)));
        }
        Laws { tolerance, stops, runners, points: 0, found }
    }

    /// At how many points the laws have been checked.
    pub(super) fn points(&self) -> usize {
        self.points
    }

    pub(super) fn finish(self) -> Vec<Law> {
        self.found
    }

    /// Checks all laws at a point. If the definition fails there, the error; if something is not
    /// finite, none.
    pub(super) fn check(
        &mut self,
        at: &Point<'_>,
        random: &mut Random,
    ) -> Result<(), Option<Box<RunError>>> {
        let value = self.value(at, &at.args).map_err(Some)?;
        let (n, m) = (reals(&at.args).len(), reals(&value).len());
        let seeds = Seeds {
            dx: [random.reals(n), random.reals(n)],
            dy: [random.reals(m), random.reals(m)],
            factors: [random.real(), random.real()],
        };
        let mut all = Vec::new();
        for number in 0..self.runners.len() {
            if !matches!(self.runners[number].caller, Caller::None(_)) {
                all.push((number, self.derivatives(number, at, &value, &seeds)));
            }
        }
        let not_finite = |it: &Ran<Derivatives>| it.as_ref().is_ok_and(|it| !it.is_finite());
        if all.iter().any(|it| not_finite(&it.1)) || !finite(&reals(&value)) {
            return Err(None);
        }
        // A method may fail where another does not: that is a disagreement.
        if all.iter().all(|it| it.1.is_err()) {
            return Err(all.pop().and_then(|it| it.1.err()));
        }
        self.points += 1;
        let slopes = if self.stops { None } else { self.differences(at, &value, &seeds.dx[0]) };
        for (number, found) in &all {
            let method = self.runners[*number].name;
            let found = match found {
                Ok(found) => found,
                Err(error) => {
                    let what = format!("the derivative fails: {}", error.fault.title());
                    self.fail("methods", method, at, what);
                    continue;
                }
            };
            if let Some((_, Ok(first))) = all.first().filter(|_| *number > 0) {
                let both = [(&found.tangent, &first.tangent), (&found.cotangent, &first.cotangent)];
                for (what, (found, first)) in ["jvp", "vjp"].into_iter().zip(both) {
                    self.compare(
                        "methods",
                        method,
                        at,
                        (what, found),
                        (self.runners[0].name, first),
                    );
                }
            }
            if let Some(slopes) = &slopes {
                let by = ("differences", &**slopes);
                self.compare("differences", method, at, ("jvp", &found.tangent), by);
            }
            self.adjoint(method, at, found, &seeds);
            for (name, (whole, parts)) in
                [("linear_jvp", &found.linear_jvp), ("linear_vjp", &found.linear_vjp)]
            {
                self.compare(name, method, at, ("of a sum", whole), ("the sum", parts));
            }
        }
        Ok(())
    }

    fn value(&mut self, at: &Point<'_>, args: &[Value]) -> Ran<Vec<Value>> {
        self.runners[0].caller.call(&at.wrapped.def, at, args.to_vec())
    }

    fn derivatives(
        &mut self,
        number: usize,
        at: &Point<'_>,
        value: &[Value],
        seeds: &Seeds,
    ) -> Ran<Derivatives> {
        let caller = &mut self.runners[number].caller;
        let mut run = |def, like: &[Value], seed: &[f64]| -> Ran<Vec<f64>> {
            let seed = with_reals(like, seed, Others::Zero);
            let args = at.args.iter().cloned().chain(seed).collect();
            Ok(reals(&caller.call(def, at, args)?))
        };
        let mut tangents = |seed: &[f64]| run(&at.wrapped.jvp, &at.args, seed);
        let [u, v] = &seeds.dx;
        let (ju, jv) = (tangents(u)?, tangents(v)?);
        let whole = tangents(&combined(seeds.factors, u, v))?;
        let linear_jvp = (whole, combined(seeds.factors, &ju, &jv));
        let mut cotangents = |seed: &[f64]| run(&at.wrapped.vjp, value, seed);
        let [u, v] = &seeds.dy;
        let (cu, cv) = (cotangents(u)?, cotangents(v)?);
        let whole = cotangents(&combined(seeds.factors, u, v))?;
        let linear_vjp = (whole, combined(seeds.factors, &cu, &cv));
        Ok(Derivatives { tangent: ju, cotangent: cu, linear_jvp, linear_vjp })
    }

    /// The slopes of the results along `dx`; none if the function is not smooth there.
    fn differences(&mut self, at: &Point<'_>, value: &[Value], dx: &[f64]) -> Option<Vec<f64>> {
        let (x, y) = (reals(&at.args), reals(value));
        let step = self.tolerance.step;
        let mut moved = |times: f64| -> Option<Vec<f64>> {
            let there: Vec<f64> = x.iter().zip(dx).map(|(x, dx)| x + times * step * dx).collect();
            let args = with_reals(&at.args, &there, Others::Kept);
            let moved = reals(&self.value(at, &args).ok()?);
            (moved.len() == y.len() && finite(&moved)).then_some(moved)
        };
        let [far_left, left] = [moved(-2.0)?, moved(-1.0)?];
        let [right, far_right] = [moved(1.0)?, moved(2.0)?];
        let slope = |from: &[f64], to: &[f64], times: f64| -> Vec<f64> {
            from.iter().zip(to).map(|(from, to)| (to - from) / (times * step)).collect()
        };
        let (near, far) = (slope(&left, &right, 2.0), slope(&far_left, &far_right, 4.0));
        // At a kink the slopes of both sides differ, and by as much from near as from afar.
        let bend = |left: &[f64], right: &[f64], times: f64| -> Vec<f64> {
            let sides = slope(left, &y, times).into_iter().zip(slope(&y, right, times));
            sides.map(|(left, right)| right - left).collect()
        };
        let (bends, far_bends) = (bend(&left, &right, 1.0), bend(&far_left, &far_right, 2.0));
        let limit = self.tolerance.smooth * greatest(near.iter().chain(&far)).max(1e-3);
        let smooth = (0..near.len()).all(|at| {
            let bent = bends[at].abs() > limit && (far_bends[at] / bends[at] - 2.0).abs() > 0.2;
            (near[at] - far[at]).abs() <= limit && !bent
        });
        // One step of Richardson's.
        let slopes = near.iter().zip(&far).map(|(near, far)| (4.0 * near - far) / 3.0).collect();
        smooth.then_some(slopes)
    }

    fn adjoint(
        &mut self,
        method: &'static str,
        at: &Point<'_>,
        found: &Derivatives,
        seeds: &Seeds,
    ) {
        let products =
            |x: &[f64], y: &[f64]| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| x * y).collect() };
        let left = products(&found.tangent, &seeds.dy[0]);
        let right = products(&seeds.dx[0], &found.cotangent);
        let scale = greatest(left.iter().chain(&right));
        let (left, right): (f64, f64) = (left.iter().sum(), right.iter().sum());
        let what = format!("<J dx, dy> is {left:?}, <dx, J^T dy> is {right:?}");
        self.judge("adjoint", method, at, relative(left - right, scale), what);
    }

    fn compare(
        &mut self,
        name: &'static str,
        method: &'static str,
        at: &Point<'_>,
        (what, found): (&str, &[f64]),
        (by, expected): (&str, &[f64]),
    ) {
        if found.len() != expected.len() {
            let what = format!("{what} has {} reals, {by} {}", found.len(), expected.len());
            return self.judge(name, method, at, f64::INFINITY, what);
        }
        let scale = greatest(found.iter().chain(expected));
        // Of differences, what is nearly zero says nothing about what is small.
        let scale = if name == "differences" { scale.max(1e-3) } else { scale };
        let deviation = |at: usize| relative(found[at] - expected[at], scale);
        let worst = (0..found.len()).max_by(|a, b| deviation(*a).total_cmp(&deviation(*b)));
        let Some(worst) = worst else { return self.judge(name, method, at, 0.0, String::new()) };
        let place = if found.len() == 1 { String::new() } else { format!(" at real {worst}") };
        let (x, y) = (found[worst], expected[worst]);
        let text = format!("{what} gives {x:?}{place}, {by} {y:?}");
        self.judge(name, method, at, deviation(worst), text);
    }

    fn judge(
        &mut self,
        name: &'static str,
        method: &'static str,
        at: &Point<'_>,
        deviation: f64,
        what: String,
    ) {
        let Some(law) = self.found.iter_mut().find(|it| it.name == name && it.method == method)
        else {
            return;
        };
        if deviation > law.tolerance && deviation > law.worst {
            law.outcome = Outcome::Fails { at: at.text.clone(), what };
        } else if matches!(law.outcome, Outcome::Skipped(_)) {
            law.outcome = Outcome::Holds;
        }
        law.worst = law.worst.max(deviation);
    }

    fn fail(&mut self, name: &'static str, method: &'static str, at: &Point<'_>, what: String) {
        // The first method stands in no line of its own there.
        let known = self.found.iter().any(|it| it.name == name && it.method == method);
        let name = if known { name } else { "adjoint" };
        self.judge(name, method, at, f64::INFINITY, what);
    }
}

impl Derivatives {
    fn is_finite(&self) -> bool {
        let all = [&self.tangent, &self.cotangent, &self.linear_jvp.0, &self.linear_vjp.0];
        all.into_iter().all(|it| finite(it))
    }
}

/// `a u + b v`
fn combined([a, b]: [f64; 2], u: &[f64], v: &[f64]) -> Vec<f64> {
    u.iter().zip(v).map(|(u, v)| a * u + b * v).collect()
}

fn finite(reals: &[f64]) -> bool {
    reals.iter().all(|it| it.is_finite())
}

/// The greatest absolute value.
fn greatest<'a>(of: impl IntoIterator<Item = &'a f64>) -> f64 {
    of.into_iter().fold(0.0, |most: f64, it| most.max(it.abs()))
}

/// A difference relative to the numbers that it is one of; what cancels out counts as equal.
fn relative(difference: f64, scale: f64) -> f64 {
    if difference == 0.0 { 0.0 } else { difference.abs() / scale.max(1e-2) }
}
