//! Answers as files: `.npy`, `.npz` and CSV.

use std::borrow::Cow;

use base::Diagnostic;
use eval::Precision;
use formats::{Elements, npy, npz, table};

use super::{Answer, View};
use crate::deep::{enough_stack, with_deep_stack};
use crate::error;
use crate::report::Report;

impl Answer {
    /// The value as a `.npy` file, if it is a number or an array of them.
    pub fn to_npy(&self) -> Result<Vec<u8>, Report> {
        let instead = "write a `.npz` file, which holds several arrays";
        let leaves = self.leaves("npy", instead)?;
        match &leaves[..] {
            [leaf] if leaf.name.is_empty() => {
                Ok(npy(leaf.shape, leaf.elements(self.kind().precision)))
            }
            _ => Err(no_form("npy", "this is a tuple or a record", instead)),
        }
    }

    /// The value as a `.npz` file: the parts of tuples and records are arrays of their own, under the
    /// names of the fields; what has no name is `arr_0`, `arr_1` and so on, as NumPy does it. Inside of
    /// one another they are paths: `model.w`.
    pub fn to_npz(&self) -> Result<Vec<u8>, Report> {
        let leaves = self.leaves("npz", "print it as JSON")?;
        let named = leaves.iter().map(|it| {
            let name = if it.name.is_empty() { "arr_0" } else { &it.name };
            (name.to_owned(), it.shape, it.elements(self.kind().precision))
        });
        Ok(npz::write(&named.collect::<Vec<_>>()))
    }

    /// The value as CSV: a matrix row by row, arrays of one length side by side below their names, or
    /// numbers in one row below theirs.
    pub fn to_csv(&self) -> Result<String, Report> {
        let instead = "write a `.npz` file";
        let leaves = self.leaves("csv", instead)?;
        let columns: Vec<Elements<'_>> =
            leaves.iter().map(|it| it.elements(self.kind().precision)).collect();
        let names: Vec<String> = leaves.iter().map(|it| it.name.clone()).collect();
        let names = if names.iter().all(String::is_empty) { None } else { Some(&names[..]) };
        let rank = leaves.first().map_or(0, |it| it.shape.len());
        let wrong = match (rank, leaves.len()) {
            (_, 0) => Some("there are no numbers in it"),
            (0 | 1, _) => None,
            (2, 1) => None,
            (2, _) => Some("there are several matrices"),
            (_, _) => Some("it has more than two dimensions"),
        };
        let is_even = leaves.iter().all(|it| it.shape == leaves[0].shape);
        let wrong = wrong.or((!is_even).then_some("its parts differ in length"));
        if let Some(wrong) = wrong {
            return Err(no_form("csv", wrong, instead));
        }
        let n_rows = leaves[0].shape.first().copied().unwrap_or(1);
        Ok(table::write(names, n_rows, &columns))
    }

    fn leaves(&self, ending: &str, instead: &str) -> Result<Vec<Leaf<'_>>, Report> {
        with_deep_stack(|| {
            let mut leaves = Vec::new();
            let view = self.view();
            match collect(&view, "", &mut leaves) {
                Ok(()) => Ok(leaves),
                Err(what) => Err(no_form(ending, what, instead)),
            }
        })
    }
}

fn no_form(ending: &str, why: &str, instead: &str) -> Report {
    let diagnostic: Diagnostic = error::no_form(ending, why, instead);
    Report::single(diagnostic)
}

/// A number or an array of numbers inside of an answer.
struct Leaf<'a> {
    /// Its path; empty if it is the answer itself.
    name: String,
    shape: &'a [usize],
    data: Data<'a>,
}

enum Data<'a> {
    Reals(Cow<'a, [f64]>),
    Ints(Cow<'a, [i64]>),
    Bools(Cow<'a, [bool]>),
}

impl Leaf<'_> {
    fn elements(&self, precision: Precision) -> Elements<'_> {
        match (&self.data, precision) {
            (Data::Reals(data), Precision::F64) => Elements::Reals(data),
            (Data::Reals(data), Precision::F32) => Elements::Singles(data),
            (Data::Ints(data), Precision::F64 | Precision::F32) => Elements::Ints(data),
            (Data::Bools(data), Precision::F64 | Precision::F32) => Elements::Bools(data),
        }
    }
}

/// The numbers of a part of an answer; or what is no number in it.
fn collect<'a>(view: &View<'a>, name: &str, res: &mut Vec<Leaf<'a>>) -> Result<(), &'static str> {
    let inner = |step: &str| match name {
        "" => step.to_owned(),
        name => format!("{name}.{step}"),
    };
    let (shape, data): (&[usize], Data<'a>) = match view {
        View::Real(it) => (&[], Data::Reals(Cow::Owned(vec![*it]))),
        View::Int(it) => (&[], Data::Ints(Cow::Owned(vec![*it]))),
        View::Bool(it) => (&[], Data::Bools(Cow::Owned(vec![*it]))),
        View::Reals(shape, data) => (*shape, Data::Reals(Cow::Borrowed(*data))),
        View::Ints(shape, data) => (*shape, Data::Ints(Cow::Borrowed(*data))),
        View::Bools(shape, data) => (*shape, Data::Bools(Cow::Borrowed(*data))),
        View::Tuple(parts) => {
            let mut parts = parts.iter().enumerate();
            return parts.try_for_each(|(at, it)| {
                enough_stack(|| collect(it, &inner(&format!("arr_{at}")), res))
            });
        }
        View::Record(_, fields) => {
            let mut fields = fields.iter();
            return fields
                .try_for_each(|(field, it)| enough_stack(|| collect(it, &inner(field), res)));
        }
        View::Text(_) => return Err("there is a text in it"),
        View::Constructor(..) => return Err("there is a value of a data type in it"),
        View::List(..) => return Err("there is an array of texts or of data in it"),
    };
    res.push(Leaf { name: name.to_owned(), shape, data });
    Ok(())
}
