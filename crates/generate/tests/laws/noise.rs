//! Where methods may differ: in results that are made of rounding errors.

use eval::{Precision, Value};

use super::run::{Leaves, METHODS, Others, Runner, with_reals};
use super::{Find, Law, Point, greatest, same};

/// How many rounding errors away a method is compared with itself.
const STEPS: [f64; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];

/// By how much rounding to 53 bits is finer than to 24, less what sums in another order may lose.
const FINER: f64 = 64.0 / (1u64 << 29) as f64;

/// Runs a method at other arguments; nothing if it fails there.
type Again<'a> = dyn FnMut(Vec<Value>) -> Option<Vec<Value>> + 'a;

impl Point {
    /// The find, unless rounding errors explain it: then no method is wrong.
    pub(super) fn unless_noise(
        &self,
        (def, args): (&str, &[Value]),
        first: &[Value],
        other: (&[Value], &mut Again<'_>),
        find: Find,
    ) -> Law<()> {
        let (other, again) = other;
        let (a, b) = (Leaves::of(first), Leaves::of(other));
        if a.others != b.others || a.reals.len() != b.reals.len() {
            return Err(find);
        }
        let apart: Vec<f64> = a.reals.iter().zip(&b.reals).map(|(x, y)| x - y).collect();
        let explained = is_unstable(args, first, &find, &mut |it| self.run(0, def, it).ok())
            || is_unstable(args, other, &find, again)
            || greatest(&apart) <= FINER * self.single(def, args, &a);
        if explained { Ok(()) } else { Err(find) }
    }

    /// How far methods are off in single precision; without bound if that is not enough for a number.
    /// Where great numbers cancel, the same digits are lost there.
    fn single(&self, def: &str, args: &[Value], exact: &Leaves) -> f64 {
        let mut most = 0.0_f64;
        for method in METHODS {
            let mut runner = Runner::with_precision(*method, &self.program, Precision::F32);
            let Ok(single) = runner.call(def, &self.sizes, args.to_vec()) else { continue };
            let single = Leaves::of(&single);
            if single.others != exact.others || single.reals.len() != exact.reals.len() {
                continue;
            }
            let apart = single.reals.iter().zip(&exact.reals).map(|(x, y)| (x - y).abs());
            most =
                apart.fold(most, |most, it| if it.is_nan() { f64::INFINITY } else { most.max(it) });
        }
        most
    }
}

/// Whether results differ by no more than rounding to 24 bits loses of them, to scale: where great numbers
/// cancel or go into a sine, the same digits are lost.
pub(super) fn is_lost(wanted: &[Value], found: &[Value], single: &[Value]) -> bool {
    let [wanted, found, single] = [wanted, found, single].map(Leaves::of);
    let fits = |it: &Leaves| it.others == wanted.others && it.reals.len() == wanted.reals.len();
    let apart = |it: &Leaves| -> Vec<f64> {
        it.reals.iter().zip(&wanted.reals).map(|(x, y)| x - y).collect()
    };
    let (found_apart, single_apart) = (greatest(&apart(&found)), greatest(&apart(&single)));
    let most = greatest(&wanted.reals);
    // Where no digit is left of 24 bits, nobody knows how many are of 53: a few are asked for.
    let is_noise = single_apart > 0.1 * most && found_apart < 1e-3 * most;
    fits(&found) && fits(&single) && (is_noise || found_apart <= FINER * single_apart)
}

/// Whether a method differs from itself as much as it may not differ from others, at points that are
/// rounding errors away on either side.
pub(super) fn is_unstable(
    args: &[Value],
    result: &[Value],
    find: &Find,
    again: &mut Again<'_>,
) -> bool {
    let mut differs = |step: f64| {
        let reals = Leaves::of(args).reals.into_iter().enumerate();
        let sign = |at: usize| if at.is_multiple_of(2) { step } else { -step };
        let mut moved = reals.map(|(at, it)| it * (1.0 + sign(at) * f64::EPSILON));
        let args = args.iter().map(|it| with_reals(it, &mut moved, Others::Kept)).collect();
        again(args).is_some_and(|near| same(find.law, result, &near).is_err())
    };
    [1.0, -1.0].iter().all(|side| STEPS.iter().any(|it| differs(side * it)))
}
