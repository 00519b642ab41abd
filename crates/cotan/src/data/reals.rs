//! All reals of data as one vector, and back: what minimisers work on.

use super::{Data, Mismatch, Shaped};
use crate::deep::enough_stack;

impl Data<'_> {
    /// All reals in it, in order.
    pub fn ravel(&self) -> Vec<f64> {
        let mut res = Vec::new();
        self.collect(&mut res);
        res
    }

    /// The same data with these reals in the place of its own.
    pub fn unravel(&self, reals: &[f64]) -> Result<Data<'static>, Mismatch> {
        let mut left = reals;
        let res = self.with(&mut left);
        match (res, left) {
            (Some(it), []) => Ok(it),
            (Some(_) | None, _) => {
                let expected = format!("{} reals", self.ravel().len());
                Err(Mismatch::new(expected, reals.len().to_string()))
            }
        }
    }

    fn collect(&self, into: &mut Vec<f64>) {
        match self {
            Data::Real(it) => into.push(*it),
            Data::Reals(it) => into.extend(it.elements()),
            Data::Floats(it) => into.extend(it.elements().iter().map(|it| f64::from(*it))),
            Data::Int(_) | Data::Bool(_) | Data::Text(_) | Data::Ints(_) | Data::Bools(_) => {}
            Data::Tuple(items) | Data::Constructor(_, items) | Data::List(items) => {
                items.iter().for_each(|it| enough_stack(|| it.collect(into)));
            }
            Data::Record(fields) => fields.iter().for_each(|it| it.1.collect(into)),
        }
    }

    /// Takes as many reals as it has; none if they are too few.
    fn with(&self, left: &mut &[f64]) -> Option<Data<'static>> {
        let mut take = |n: usize| {
            let (taken, rest) = left.split_at_checked(n)?;
            *left = rest;
            Some(taken)
        };
        match self {
            Data::Real(_) => Some(Data::Real(take(1)?[0])),
            Data::Reals(it) => {
                let reals = take(it.elements().len())?.to_vec();
                Some(Data::Reals(Shaped::new(it.shape(), reals)))
            }
            Data::Floats(it) => {
                let reals = take(it.elements().len())?.iter().map(|it| *it as f32);
                Some(Data::Floats(Shaped::new(it.shape(), reals.collect::<Vec<f32>>())))
            }
            Data::Int(_) | Data::Bool(_) | Data::Text(_) | Data::Ints(_) | Data::Bools(_) => {
                Some(self.clone().into_owned())
            }
            Data::Tuple(items) => Some(Data::Tuple(with_all(items, left)?)),
            Data::List(items) => Some(Data::List(with_all(items, left)?)),
            Data::Constructor(name, items) => {
                Some(Data::Constructor(name.to_string().into(), with_all(items, left)?))
            }
            Data::Record(fields) => {
                let fields =
                    fields.iter().map(|it| Some((it.0.to_string().into(), it.1.with(left)?)));
                Some(Data::Record(fields.collect::<Option<Vec<_>>>()?))
            }
        }
    }
}

fn with_all(items: &[Data<'_>], left: &mut &[f64]) -> Option<Vec<Data<'static>>> {
    items.iter().map(|it| enough_stack(|| it.with(left))).collect()
}
