//! Where numbers are on an axis, which of them are written there, and how.

/// From numbers to shares of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The number at the beginning.
    pub low: f64,
    /// The number at the end, greater than the other.
    pub high: f64,
}

/// Numbers beyond this are drawn at the end: their differences would not be numbers.
const MOST: f64 = 1e300;

impl Scale {
    /// An axis for all of these that are finite.
    pub fn around(numbers: impl Iterator<Item = f64>) -> Scale {
        let finite = numbers.filter(|it| it.is_finite()).map(|it| it.clamp(-MOST, MOST));
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| {
            (low.min(it), high.max(it))
        });
        if low > high {
            return Scale { low: 0.0, high: 1.0 };
        }
        // Room for something that does not change, however large it is.
        let room = if high - low > low.abs().max(high.abs()) * 1e-12 {
            0.0
        } else {
            (low.abs() * 0.1).max(f64::MIN_POSITIVE.max(if low == 0.0 { 0.5 } else { 0.0 }))
        };
        Scale { low: low - room, high: high + room }
    }

    /// A little longer at both ends.
    pub(crate) fn wider(self, share: f64) -> Scale {
        let more = (self.high - self.low) * share;
        Scale { low: self.low - more, high: self.high + more }
    }

    /// The share of the axis that lies before a number, 0 to 1 inside of it.
    pub(crate) fn share(self, number: f64) -> f64 {
        (number.clamp(-MOST, MOST) - self.low) / (self.high - self.low)
    }

    /// At most about so many round numbers on the axis, with their texts.
    pub fn ticks(self, most: usize) -> Vec<(f64, String)> {
        let rough = (self.high - self.low) / most.max(1) as f64;
        let power = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0];
        let step = steps.iter().map(|it| it * power).find(|it| *it >= rough * 0.999);
        let step = step.unwrap_or(10.0 * power);
        if !(step.is_normal() && (self.low / step).abs() < 1e15) {
            return vec![
                (self.low, format!("{:e}", self.low)),
                (self.high, format!("{:e}", self.high)),
            ];
        }
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|it| (it as f64 * step, text(it, step))).collect()
    }
}

/// So many steps, with as many digits as a step has.
fn text(n: i64, step: f64) -> String {
    let number = n as f64 * step;
    let exponent = step.log10().floor() as i32;
    let greatest = number.abs().max(step);
    if number == 0.0 {
        return "0".to_owned();
    }
    if greatest >= 1e6 || step < 1e-5 {
        let digits = (greatest.log10().floor() as i32 - exponent).max(0) as usize;
        let text = format!("{number:.digits$e}");
        // `1.50e6` says nothing that `1.5e6` does not.
        let (head, tail) = text.split_once('e').unwrap_or((&text, "0"));
        let head = if head.contains('.') {
            head.trim_end_matches('0').trim_end_matches('.')
        } else {
            head
        };
        return format!("{head}e{tail}");
    }
    format!("{number:.0$}", (-exponent).max(0) as usize)
}

/// How many numbers lie in each of `n_bins` intervals of the axis that is around them; the last includes its
/// end, as `numpy.histogram` does it.
pub fn histogram(values: &[f64], n_bins: usize) -> (Scale, Vec<u64>) {
    let n_bins = n_bins.max(1);
    let scale = Scale::around(values.iter().copied());
    let mut counts = vec![0; n_bins];
    for value in values.iter().filter(|it| it.is_finite()) {
        let at = (scale.share(*value) * n_bins as f64).floor();
        counts[(at.max(0.0) as usize).min(n_bins - 1)] += 1;
    }
    (scale, counts)
}
