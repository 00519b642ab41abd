//! The entries of a matrix from a few directions: columns or rows of one colour share no row or column, so
//! that one derivative along all of them has the entries of each.

use super::seeds::Seeds;
use super::{Kind, Ready};
use crate::Precision;
use crate::answer::{Answer, Numbers};
use crate::argument::{Argument, Bound};
use crate::error;
use crate::handle::Function;
use crate::report::Report;
use crate::sparsity::{Colouring, Side, Sparsity};

/// A pattern with colours.
pub(super) struct Plan {
    pub(super) pattern: Sparsity,
    colouring: Colouring,
    /// Of each entry, the line of the derivative and the place in it that it is read from.
    places: Vec<(u32, u32)>,
}

/// What the derivatives gave.
pub(super) struct Values {
    pub(super) entries: Vec<f64>,
    /// Whether they agree with a directional derivative.
    pub(super) holds: bool,
}

/// The reals of a value, part by part; each has a row for each direction.
struct Parts {
    data: Vec<Vec<f64>>,
    widths: Vec<usize>,
}

impl Plan {
    pub(super) fn new(pattern: Sparsity, kind: Kind) -> Plan {
        let star = match kind {
            Kind::Jacobian => None,
            Kind::Hessian => pattern.star(),
        };
        if let Some(star) = star {
            let colours = &star.colouring.colours;
            let place = |((row, column), mirrored): ((u32, u32), bool)| match mirrored {
                false => (colours[column as usize], row),
                true => (colours[row as usize], column),
            };
            let places = entries(&pattern).zip(star.mirrored).map(place).collect();
            return Plan { colouring: star.colouring, places, pattern };
        }
        let colouring = pattern.colouring();
        let place = |(row, column): (u32, u32)| match colouring.side {
            Side::Columns => (colouring.colours[column as usize], row),
            Side::Rows => (colouring.colours[row as usize], column),
        };
        let places = entries(&pattern).map(place).collect();
        Plan { colouring, places, pattern }
    }

    /// The entries at these arguments; none if the result has other sizes than the pattern.
    pub(super) fn values(
        &self,
        ready: &Ready,
        arguments: &[Argument],
        bound: &Bound,
    ) -> Result<Option<Values>, Report> {
        // Without rows or columns there is nothing to ask for.
        if self.pattern.n_columns() == 0 || self.colouring.n_colours == 0 {
            return Ok(Some(Values { entries: Vec::new(), holds: true }));
        }
        let Colouring { side, colours, n_colours } = &self.colouring;
        let probe = |at: usize, last: &mut f64| *last = weight(at);
        let unit = |at: usize, column: &mut [f64]| column[colours[at] as usize] = 1.0;
        let (found, expected) = match side {
            // The last direction is the one that the matrix is compared along.
            Side::Columns => {
                let fill = |at: usize, column: &mut [f64]| {
                    unit(at, column);
                    probe(at, &mut column[*n_colours]);
                };
                let found = forth(ready, arguments, bound, n_colours + 1, &fill)?;
                let expected = found.row(*n_colours);
                (found, expected)
            }
            Side::Rows => {
                let found = back(ready, arguments, *n_colours, &unit)?;
                let fill = |at: usize, column: &mut [f64]| probe(at, &mut column[0]);
                (found, forth(ready, arguments, bound, 1, &fill)?.row(0))
            }
        };
        let wanted = match side {
            Side::Columns => self.pattern.n_rows(),
            Side::Rows => self.pattern.n_columns(),
        };
        if found.widths.iter().sum::<usize>() != wanted || expected.len() != self.pattern.n_rows() {
            return Ok(None);
        }
        let entries = found.read(&self.places);
        let holds = self.holds(&entries, &expected, ready.function.options.precision);
        Ok(Some(Values { entries, holds }))
    }

    /// Whether the matrix times the vector of weights is what it should be.
    fn holds(&self, entries: &[f64], expected: &[f64], precision: Precision) -> bool {
        let accuracy = match precision {
            Precision::F64 => 1e-9,
            Precision::F32 => 1e-3,
        };
        (0..self.pattern.n_rows()).all(|row| {
            let range = self.pattern.starts()[row]..self.pattern.starts()[row + 1];
            let terms = self.pattern.row(row).iter().zip(&entries[range]);
            let (mut sum, mut size) = (0.0, 0.0);
            for (column, it) in terms {
                let term = it * weight(*column as usize);
                sum += term;
                size += f64::abs(term);
            }
            let expected = expected[row];
            let bound = accuracy * (size + expected.abs()) + f64::MIN_POSITIVE;
            !expected.is_finite() || !sum.is_finite() || (sum - expected).abs() <= bound
        })
    }
}

impl Parts {
    fn new(answer: &Answer, n: usize) -> Result<Parts, Report> {
        let numbers = answer.numbers()?;
        let mut data = Vec::new();
        for it in &numbers {
            match it {
                Numbers::Reals(it) => data.push(it.to_vec()),
                Numbers::Floats(it) => data.push(it.iter().map(|it| f64::from(*it)).collect()),
                Numbers::Ints(_) | Numbers::Int(_) => {}
                Numbers::Bools(_) | Numbers::Bytes(_) => {}
            }
        }
        let widths = data.iter().map(|it: &Vec<f64>| it.len() / n.max(1)).collect();
        Ok(Parts { data, widths })
    }

    /// What one direction gave.
    fn row(&self, at: usize) -> Vec<f64> {
        let parts = self.data.iter().zip(&self.widths);
        parts.flat_map(|(data, n)| &data[at * n..(at + 1) * n]).copied().collect()
    }

    /// The numbers at these places: direction and position.
    fn read(&self, places: &[(u32, u32)]) -> Vec<f64> {
        if let ([data], [n]) = (&self.data[..], &self.widths[..]) {
            return places.iter().map(|(row, at)| data[*row as usize * n + *at as usize]).collect();
        }
        let mut starts = vec![0];
        self.widths.iter().for_each(|it| starts.push(starts[starts.len() - 1] + it));
        let one = |(row, at): &(u32, u32)| {
            let (row, at) = (*row as usize, *at as usize);
            // The last part that begins there or before; those without numbers begin there too.
            let part = starts.partition_point(|it| *it <= at) - 1;
            self.data[part][row * self.widths[part] + at - starts[part]]
        };
        places.iter().map(one).collect()
    }
}

/// Rows and columns of all entries.
fn entries(of: &Sparsity) -> impl Iterator<Item = (u32, u32)> + '_ {
    (0..of.n_rows()).flat_map(|row| of.row(row).iter().map(move |it| (row as u32, *it)))
}

/// A number for each column, none of them zero and no two related.
fn weight(at: usize) -> f64 {
    let mut z = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let size = 0.5 + ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64;
    if z & 1 == 0 { size } else { -size }
}

/// Tangents of the result for so many directions.
fn forth(
    ready: &Ready,
    arguments: &[Argument],
    bound: &Bound,
    n: usize,
    fill: &dyn Fn(usize, &mut [f64]),
) -> Result<Parts, Report> {
    let entry = ready.function.entry()?;
    let mut seeds = Seeds { types: &entry.types, n, fill, at: 0 };
    let names = ready.forth.params();
    let names = &names[names.len() - ready.by.len()..];
    let mut more = Vec::new();
    for (at, name) in ready.by.iter().zip(names) {
        let parameter = &entry.signature.parameters[*at];
        let made = seeds.argument(name, &parameter.ty, &bound.values[*at]);
        let refused = || Report::single(error::no_matrix(&format!("`{}`", parameter.shown_name())));
        more.push(made.ok_or_else(refused)?);
    }
    called(&ready.forth, arguments, more, n)
}

/// Cotangents of the parameters for so many of the result.
fn back(
    ready: &Ready,
    arguments: &[Argument],
    n: usize,
    fill: &dyn Fn(usize, &mut [f64]),
) -> Result<Parts, Report> {
    let value = ready.function.call(arguments)?;
    let mut seeds = Seeds { types: &value.types, n, fill, at: 0 };
    let names = ready.back.params();
    let name = names.last().map_or("", |it| it.as_str());
    let made = seeds.argument(name, &value.ty, value.value());
    let made = made.ok_or_else(|| Report::single(error::no_matrix("the result")))?;
    called(&ready.back, arguments, vec![made], n)
}

fn called(
    function: &Function,
    arguments: &[Argument],
    more: Vec<Argument>,
    n: usize,
) -> Result<Parts, Report> {
    let all: Vec<Argument> = arguments.iter().cloned().chain(more).collect();
    Parts::new(&function.call(all)?, n)
}
