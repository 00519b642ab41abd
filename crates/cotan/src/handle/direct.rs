//! Arguments that compiled code takes where they are: numbers, and arrays of them.
//!
//! This is the short way of a call. It knows only what is right: whatever has to be converted or does not
//! fit takes the long way, which converts it or says what is wrong.

use array::MOST_ELEMENTS;
use check::{Size, Type};
use eval::Precision;

use crate::data::{Data, Shaped};
use crate::machine::{Few, Input};
use crate::signature::Signature;

/// How the parameters of a function are given.
pub(super) struct Direct {
    params: Vec<Param>,
    n_sizes: usize,
    precision: Precision,
}

/// A parameter that is a number, or an array of numbers.
struct Param {
    scalar: Scalar,
    dimensions: Vec<Dimension>,
    /// The size that it stands for.
    size: Option<usize>,
}

#[derive(Clone, Copy)]
enum Scalar {
    Real,
    Int,
    Bool,
}

/// How long an array is.
enum Dimension {
    /// As the size of this number.
    Size(usize),
    /// Always so long.
    Constant(usize),
}

/// The sizes that are known so far; those that are not are negative.
struct Sizes<'s, 'a>(&'s mut [Input<'a>]);

impl Direct {
    /// The short way, if all parameters have one.
    pub(super) fn new(signature: &Signature, precision: Precision) -> Option<Direct> {
        if !signature.is_shallow {
            return None;
        }
        let params = signature.parameters.iter().map(|it| {
            let size = match &it.size {
                Some(size) => Some(signature.sizes.iter().position(|it| it == size)?),
                None => None,
            };
            Param::new(&it.ty, size, &signature.sizes)
        });
        let params = params.collect::<Option<Vec<Param>>>()?;
        Some(Direct { params, n_sizes: signature.sizes.len(), precision })
    }

    /// How many of the inputs are sizes.
    pub(super) fn n_sizes(&self) -> usize {
        self.n_sizes
    }

    /// Puts what compiled code takes for these arguments where there is nothing yet, sizes first. Says whether
    /// it could.
    pub(super) fn inputs<'a>(
        &self,
        arguments: &'a [Data<'a>],
        res: &mut Few<Input<'a>>,
    ) -> Option<()> {
        if arguments.len() != self.params.len() {
            return None;
        }
        res.resize(self.n_sizes, Input::Int(-1));
        for (param, argument) in self.params.iter().zip(arguments) {
            let input = self.input(param, argument, &mut Sizes(&mut res[..self.n_sizes]))?;
            res.push(input);
        }
        let is_known = |it: &Input<'_>| matches!(it, Input::Int(0..));
        res[..self.n_sizes].iter().all(is_known).then_some(())
    }

    fn input<'a>(
        &self,
        param: &Param,
        argument: &'a Data<'a>,
        sizes: &mut Sizes<'_, '_>,
    ) -> Option<Input<'a>> {
        let Param { scalar, dimensions, size } = param;
        if dimensions.is_empty() {
            return match (scalar, argument) {
                (Scalar::Real, Data::Real(it)) => Some(Input::Real(self.rounded(*it))),
                (Scalar::Real, Data::Int(it)) => Some(Input::Real(self.rounded(*it as f64))),
                (Scalar::Int, Data::Int(it)) => {
                    let fits = size.is_none_or(|at| sizes.learn(at, usize::try_from(*it).ok()));
                    fits.then_some(Input::Int(*it))
                }
                (Scalar::Bool, Data::Bool(it)) => Some(Input::Bool(*it)),
                (Scalar::Real | Scalar::Int | Scalar::Bool, _) => None,
            };
        }
        match (scalar, argument, self.precision) {
            (Scalar::Real, Data::Reals(it), Precision::F64) => {
                sizes.fit(dimensions, it).then_some(Input::Reals(it.elements()))
            }
            (Scalar::Real, Data::Floats(it), Precision::F32) => {
                sizes.fit(dimensions, it).then_some(Input::Floats(it.elements()))
            }
            (Scalar::Int, Data::Ints(it), _) => {
                sizes.fit(dimensions, it).then_some(Input::Ints(it.elements()))
            }
            (Scalar::Bool, Data::Bools(it), _) => {
                sizes.fit(dimensions, it).then_some(Input::Bools(it.elements()))
            }
            (Scalar::Real | Scalar::Int | Scalar::Bool, _, _) => None,
        }
    }

    fn rounded(&self, value: f64) -> f64 {
        match self.precision {
            Precision::F64 => value,
            Precision::F32 => f64::from(value as f32),
        }
    }
}

impl Param {
    fn new(ty: &Type, size: Option<usize>, sizes: &[Size]) -> Option<Param> {
        let (mut dimensions, mut inner) = (Vec::new(), ty);
        while let Type::Array(size, elem) = inner {
            let constant = || size.as_constant().and_then(|it| usize::try_from(it).ok());
            let dimension = match sizes.iter().position(|it| it == size) {
                Some(at) => Dimension::Size(at),
                None => Dimension::Constant(constant()?),
            };
            dimensions.push(dimension);
            inner = elem;
        }
        let scalar = match inner {
            Type::Real => Scalar::Real,
            Type::Int => Scalar::Int,
            Type::Bool => Scalar::Bool,
            Type::String | Type::Tuple(_) | Type::Array(..) | Type::Named(..) => return None,
            Type::Function(..) | Type::Param(_) | Type::Var(_) | Type::Error => return None,
        };
        Some(Param { scalar, dimensions, size })
    }
}

impl Sizes<'_, '_> {
    /// Whether an array is as long as it should be.
    fn fit<T: Clone + 'static>(&mut self, to: &[Dimension], array: &Shaped<'_, T>) -> bool {
        let shape = array.shape();
        array.is_whole()
            && shape.len() == to.len()
            && to.iter().zip(shape).all(|(to, size)| match to {
                Dimension::Constant(it) => it == size,
                Dimension::Size(at) => self.learn(*at, Some(*size)),
            })
    }

    /// Whether a size may be this: it is if it was not known before.
    fn learn(&mut self, at: usize, value: Option<usize>) -> bool {
        let Some(value) = value.filter(|it| *it <= MOST_ELEMENTS) else { return false };
        match &mut self.0[at] {
            Input::Int(known @ ..0) => {
                *known = value as i64;
                true
            }
            Input::Int(known) => *known == value as i64,
            Input::Real(_) | Input::Bool(_) | Input::Reals(_) | Input::Floats(_) => false,
            Input::Ints(_) | Input::Bools(_) | Input::Boxed(..) => false,
        }
    }
}
