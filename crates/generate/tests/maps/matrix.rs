//! Matrices of linear maps, row by row, and how many products it takes to apply a map.

use std::collections::BTreeMap;

use ad::linmap::map::{Map, Scalar};
use ir::{ArrayOp, Atom, Op, Type, Var};

use super::random;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matrix {
    pub(crate) n_rows: usize,
    pub(crate) n_columns: usize,
    pub(crate) numbers: Vec<f64>,
}

/// The values of indices.
#[derive(Clone, Default)]
pub(crate) struct Values(BTreeMap<Var, i64>);

impl Values {
    pub(crate) fn with(&self, index: Var, value: i64) -> Values {
        let mut res = self.clone();
        res.0.insert(index, value);
        res
    }

    fn int(&self, atom: &Atom) -> usize {
        match atom {
            Atom::Int(value) => *value as usize,
            Atom::Var(var) => self.0[var] as usize,
            Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => panic!("no index: {atom}"),
        }
    }

    /// The factor of each of so many elements.
    fn factors(&self, scalar: &Scalar, count: usize) -> Vec<f64> {
        let both = |a: &Scalar, b: &Scalar, f: fn(f64, f64) -> f64| {
            let (a, b) = (self.factors(a, count), self.factors(b, count));
            a.into_iter().zip(b).map(|(a, b)| f(a, b)).collect()
        };
        match scalar {
            Scalar::Atom(Atom::Real(it)) => vec![it.0; count],
            Scalar::Atom(Atom::Var(var)) => random::factors(*var),
            Scalar::Atom(it) => panic!("no factor: {it}"),
            Scalar::Times(a, b) => both(a, b, |a, b| a * b),
            Scalar::Plus(a, b) => both(a, b, |a, b| a + b),
        }
    }
}

impl Matrix {
    fn new(n_rows: usize, n_columns: usize, at: impl Fn(usize, usize) -> f64) -> Matrix {
        let cells = (0..n_rows).flat_map(|row| (0..n_columns).map(move |column| (row, column)));
        let numbers = cells.map(|(row, column)| at(row, column)).collect();
        Matrix { n_rows, n_columns, numbers }
    }

    pub(crate) fn column(numbers: Vec<f64>) -> Matrix {
        Matrix { n_rows: numbers.len(), n_columns: 1, numbers }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.numbers[row * self.n_columns + column]
    }

    pub(crate) fn transposed(&self) -> Matrix {
        Matrix::new(self.n_columns, self.n_rows, |row, column| self.at(column, row))
    }

    pub(crate) fn times(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.n_columns, other.n_rows);
        Matrix::new(self.n_rows, other.n_columns, |row, column| {
            (0..self.n_columns).map(|it| self.at(row, it) * other.at(it, column)).sum()
        })
    }

    fn plus(&self, other: &Matrix) -> Matrix {
        Matrix::new(self.n_rows, self.n_columns, |r, c| self.at(r, c) + other.at(r, c))
    }

    /// The rows of both.
    fn above(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.n_columns, other.n_columns);
        let numbers = self.numbers.iter().chain(&other.numbers).copied().collect();
        Matrix { n_rows: self.n_rows + other.n_rows, n_columns: self.n_columns, numbers }
    }

    /// The columns of both.
    fn beside(&self, other: &Matrix) -> Matrix {
        self.transposed().above(&other.transposed()).transposed()
    }
}

/// How many numbers a vector of a space has.
pub(crate) fn dimension(space: &Type) -> usize {
    match space {
        Type::Real => 1,
        Type::Tuple(parts) => parts.iter().map(dimension).sum(),
        Type::Array(size, elem) => length(size) * dimension(elem),
        Type::Int
        | Type::Bool
        | Type::String
        | Type::Function(..)
        | Type::Var(_)
        | Type::Data(..)
        | Type::Dual(_)
        | Type::Delta
        | Type::Tape(_) => {
            panic!("no space: {space}")
        }
    }
}

fn length(size: &ir::Size) -> usize {
    size.as_constant().expect("sizes are constant here") as usize
}

fn identity(n: usize) -> Matrix {
    Matrix::new(n, n, |row, column| f64::from(u8::from(row == column)))
}

fn zero(n_rows: usize, n_columns: usize) -> Matrix {
    Matrix::new(n_rows, n_columns, |_, _| 0.0)
}

/// The matrix of a map.
pub(crate) fn matrix(values: &Values, map: &Map, domain: &Type) -> Matrix {
    let n = dimension(domain);
    match map {
        Map::Zero(to) => zero(dimension(to), n),
        Map::One => identity(n),
        Map::Scale(factor) => {
            let factors = values.factors(factor, n);
            Matrix::new(n, n, |row, column| if row == column { factors[row] } else { 0.0 })
        }
        Map::Compose(outer, inner) => {
            let middle = space_after(values, inner, domain);
            matrix(values, outer, &middle).times(&matrix(values, inner, domain))
        }
        Map::Sum(parts) => {
            let parts: Vec<Matrix> = parts.iter().map(|it| matrix(values, it, domain)).collect();
            parts[1..].iter().fold(parts[0].clone(), |sum, it| sum.plus(it))
        }
        Map::VCat(parts) => {
            let parts = parts.iter().map(|it| matrix(values, it, domain));
            parts.fold(zero(0, n), |above, it| above.above(&it))
        }
        Map::HCat(parts) => {
            let Type::Tuple(domains) = domain else { panic!("H of {domain}") };
            let parts = parts.iter().zip(domains).map(|(it, from)| matrix(values, it, from));
            parts.reduce(|left, it| left.beside(&it)).expect("a part")
        }
        Map::VBuild(size, index, body) => (0..length(size)).fold(zero(0, n), |above, at| {
            above.above(&matrix(&values.with(*index, at as i64), body, domain))
        }),
        Map::HBuild(size, index, body) => {
            let Type::Array(_, elem) = domain else { panic!("H of {domain}") };
            // The codomain is that at any index: no body depends on it in its space.
            let rows = matrix(&values.with(*index, 0), body, elem).n_rows;
            (0..length(size)).fold(zero(rows, 0), |left, at| {
                left.beside(&matrix(&values.with(*index, at as i64), body, elem))
            })
        }
        Map::Transpose(from, map) => matrix(values, map, from).transposed(),
        Map::Builtin(op, _) => builtin(values, op, domain),
        Map::Var(var) => panic!("{var} is not bound"),
    }
}

/// Which element of the operand each element of the result is.
fn builtin(values: &Values, op: &Op, domain: &Type) -> Matrix {
    let Type::Array(size, elem) = domain else { panic!("{op} of {domain}") };
    let (n, row) = (length(size), dimension(elem));
    let picked: Vec<usize> = if let Op::Array(ArrayOp::Index { indices, .. }) = op {
        // Out of bounds only where nothing is run.
        let at = values.int(&indices[0]);
        if at < n { (at * row..(at + 1) * row).collect() } else { vec![0; row] }
    } else if let Op::Array(ArrayOp::Reverse(_)) = op {
        (0..n).rev().flat_map(|at| at * row..(at + 1) * row).collect()
    } else if let Op::Array(ArrayOp::Slice { from, to, .. }) = op {
        (length(from) * row..length(to) * row).collect()
    } else {
        panic!("no random map has {op}")
    };
    Matrix::new(picked.len(), n * row, |at, column| f64::from(u8::from(picked[at] == column)))
}

fn space_after(values: &Values, map: &Map, domain: &Type) -> Type {
    let types = |var: Var| values.0.get(&var).map(|_| Type::Int).or_else(|| random::types(var));
    ad::linmap::typing::codomain(&types, map, domain).expect("a map that is well typed")
}

/// How many sums and products of numbers it takes to apply a map.
pub(crate) fn work(values: &Values, map: &Map, domain: &Type) -> usize {
    let to = |map: &Map, from: &Type| dimension(&space_after(values, map, from));
    match map {
        Map::Zero(_) | Map::One | Map::Builtin(..) | Map::Var(_) => 0,
        Map::Scale(factor) => dimension(domain) + work_of(factor, dimension(domain)),
        Map::Compose(outer, inner) => {
            let middle = space_after(values, inner, domain);
            work(values, outer, &middle) + work(values, inner, domain)
        }
        Map::Sum(parts) => {
            let own = (parts.len() - 1) * to(&parts[0], domain);
            own + parts.iter().map(|it| work(values, it, domain)).sum::<usize>()
        }
        Map::VCat(parts) => parts.iter().map(|it| work(values, it, domain)).sum(),
        Map::HCat(parts) => {
            let Type::Tuple(domains) = domain else { panic!("H of {domain}") };
            let own = (parts.len() - 1) * to(&parts[0], &domains[0]);
            own + parts.iter().zip(domains).map(|(it, of)| work(values, it, of)).sum::<usize>()
        }
        Map::VBuild(size, index, body) => {
            length(size) * work(&values.with(*index, 0), body, domain)
        }
        Map::HBuild(size, index, body) => {
            let Type::Array(_, elem) = domain else { panic!("H of {domain}") };
            let values = values.with(*index, 0);
            let own = dimension(&space_after(&values, body, elem));
            length(size) * (own + work(&values, body, elem))
        }
        // As much as the map itself: Theorem of Tellegen, up to the additions at shared operands.
        Map::Transpose(from, map) => work(values, &pushed(values, map, from), domain),
    }
}

/// The transpose, pushed inwards.
fn pushed(values: &Values, map: &Map, from: &Type) -> Map {
    let types = |var: Var| values.0.get(&var).map(|_| Type::Int).or_else(|| random::types(var));
    let to = space_after(values, map, from);
    let context = ad::linmap::laws::Context { types: &types, domain: to };
    let whole = Map::Transpose(from.clone(), Box::new(map.clone()));
    let mut laws = ad::linmap::laws::LAWS.iter().flat_map(|it| it.iter());
    let next = laws.find_map(|law| {
        law.name.starts_with("transpose").then(|| (law.rewrite)(&context, &whole)).flatten()
    });
    next.unwrap_or(Map::One)
}

fn work_of(factor: &Scalar, count: usize) -> usize {
    match factor {
        Scalar::Atom(_) => 0,
        // A product of numbers is one, of arrays as many as there are elements: this is not less.
        Scalar::Times(a, b) | Scalar::Plus(a, b) => {
            let own = if has_array(factor) { count } else { count.min(1) };
            own + work_of(a, count) + work_of(b, count)
        }
    }
}

fn has_array(factor: &Scalar) -> bool {
    match factor {
        Scalar::Atom(it) => matches!(it, Atom::Var(_)),
        Scalar::Times(a, b) | Scalar::Plus(a, b) => has_array(a) || has_array(b),
    }
}
