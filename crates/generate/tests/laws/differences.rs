//! Tangents are what central differences say, where a program is smooth.

use ir::{Op, Prim};

use super::run::{Leaves, Others, with_reals};
use super::{Law, Point, Reached, broken, greatest, has};

/// A part of the step, to look again.
const CLOSER: f64 = 1e-6;

/// Central differences along `dx`, at two steps.
pub(super) fn differences(
    at: &Point,
    x: &Leaves,
    y: &Leaves,
    dx: &[f64],
    tangent: &Leaves,
) -> Law<Reached> {
    let step = 1e-5;
    let moved = |times: f64| -> Option<Vec<f64>> {
        let mut reals = x.reals.iter().zip(dx).map(|(x, dx)| x + times * step * dx);
        let args = at.args.iter().map(|it| with_reals(it, &mut reals, Others::Kept)).collect();
        let moved = Leaves::of(&at.run(0, "main", args).ok()?);
        let fits = moved.others == y.others && moved.reals.len() == y.reals.len();
        (fits && moved.reals.iter().all(|it| it.is_finite())).then_some(moved.reals)
    };
    let Some(points) = [-2.0, -1.0, 1.0, 2.0].map(moved).into_iter().collect::<Option<Vec<_>>>()
    else {
        return Ok(Reached::Rough);
    };
    let slope = |from: &[f64], to: &[f64], times: f64| -> Vec<f64> {
        from.iter().zip(to).map(|(from, to)| (to - from) / (times * step)).collect()
    };
    let near = slope(&points[1], &points[2], 2.0);
    let far = slope(&points[0], &points[3], 4.0);
    // At a kink the slopes of both sides differ, and by as much from near as from afar.
    let sides = |left: &[f64], right: &[f64], times: f64| -> Vec<f64> {
        let (left, right) = (slope(left, &y.reals, times), slope(&y.reals, right, times));
        left.iter().zip(right).map(|(left, right)| right - left).collect()
    };
    let (bend, bend_far) = (sides(&points[1], &points[2], 1.0), sides(&points[0], &points[3], 2.0));
    let scale = greatest(near.iter().chain(&far)).max(1e-3);
    for at in 0..near.len() {
        let smooth = (near[at] - far[at]).abs() <= 1e-6 * scale
            && (bend[at].abs() <= 1e-6 * scale || (bend_far[at] / bend[at] - 2.0).abs() < 0.2);
        if !smooth {
            return Ok(Reached::Rough);
        }
    }
    for (number, ((near, tangent), y)) in near.iter().zip(&tangent.reals).zip(&y.reals).enumerate()
    {
        // Values are rounded, and that is divided by the step.
        let rounding = 4.0 * f64::EPSILON * y.abs() / step;
        if (near - tangent).abs() > 1e-5 * scale + rounding {
            // Pieces of `rem` that are shorter than the step look flat together.
            let is_rem = |op: &Op| matches!(op, Op::Prim(Prim::Rem, _));
            if near.abs() <= 1e-6 && has(&at.program, &is_rem) {
                return Ok(Reached::Rough);
            }
            // Waves that are shorter than the step are not seen, if they are low: from nearer they are.
            let (left, right) = (moved(-CLOSER), moved(CLOSER));
            let (Some(left), Some(right)) = (left, right) else { return Ok(Reached::Rough) };
            let nearer = (right[number] - left[number]) / (2.0 * CLOSER * step);
            if (nearer - near).abs() > 1e-3 * scale + rounding / CLOSER {
                return Ok(Reached::Rough);
            }
            return broken("central differences", format!("{near} and {tangent}"));
        }
    }
    let zero = tangent.reals.iter().all(|it| *it == 0.0);
    Ok(if zero { Reached::Flat } else { Reached::Everything })
}
