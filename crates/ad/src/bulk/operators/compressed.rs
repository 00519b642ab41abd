//! Jacobians whose structure is seen through branches, loops and calls: where every element of a result
//! depends on one element of a parameter (`crates/ad/src/linmap/places.rs`), all columns are in one tangent.
//!
//! No two columns have a number in the same row then, so the tangent in the direction of ones has all of
//! them, and which column a number is of is known before anything runs. Where a result depends on all
//! elements along some axes, and on one along the others, there is a tangent for each position along the
//! former: blocks on a diagonal take as many as a block has columns.
//!
//! Paper: Curtis, Powell, Reid, *On the estimation of sparse Jacobian matrices* (1974), of columns that can be
//! told from the places.
//! Cost: one run of the function, with as many tangents beside it as a block has columns.

use ir::{Atom, ControlOp, Op, Prim, Size, Type, Var};

use super::Site;
use super::entries::{Entry, matrix};
use super::matrix::{Parts, count, smooth};
use crate::bulk::lanes::{along, lanes};
use crate::bulk::work::{Keeps, Work};
use crate::linear::code::{Code, real};
use crate::linmap::places::{Along, places};
use crate::tuning::{LARGE_SIZE, MOST_COLUMNS};

/// Which derivatives are wanted.
pub(super) struct Wanted {
    /// By which arguments.
    pub(super) args: Vec<bool>,
    /// Of which results.
    pub(super) results: Vec<bool>,
}

/// A part of a matrix of derivatives.
#[derive(Clone)]
pub(super) struct Block {
    pub(super) part: Atom,
    /// Whether it has nothing beside its diagonal.
    pub(super) is_diagonal: bool,
}

/// The columns of one parameter, many in each tangent.
struct Columns {
    /// The number of the argument.
    arg: usize,
    sizes: Vec<Size>,
    /// The axes along which a tangent has ones at one position only.
    apart: Vec<usize>,
    /// Where each result depends on it.
    rows: Vec<Option<Vec<Along>>>,
}

impl Columns {
    fn apart_sizes(&self) -> Vec<Size> {
        self.apart.iter().map(|it| self.sizes[*it].clone()).collect()
    }
}

impl Site<'_> {
    /// The parts of a Jacobian that takes fewer tangents than it has columns or rows.
    pub(super) fn compressed(
        &self,
        work: &mut Work,
        params: &[Type],
        results: &[Type],
    ) -> Option<Parts> {
        let wanted = Wanted { args: self.active(work), results: vec![true; results.len()] };
        let blocks = self.blocks(work, &wanted, params, results)?;
        Some(blocks.into_iter().map(|it| it.map(|it| it.part)).collect())
    }

    /// The blocks of a compressed Jacobian that are wanted: of some results, by some arguments.
    pub(super) fn blocks(
        &self,
        work: &mut Work,
        wanted: &Wanted,
        params: &[Type],
        results: &[Type],
    ) -> Option<Vec<Option<Block>>> {
        let all = self.few_columns(work, wanted, params, results)?;
        let tangents = self.tangents(work, wanted, params, &all)?;
        let mut blocks = vec![None; results.len() * params.len()];
        for (columns, tangents) in all.iter().zip(tangents) {
            let smooth = results.iter().enumerate().filter(|it| smooth(it.1));
            for ((row, result), values) in smooth.zip(tangents) {
                let Some(along) = &columns.rows[row] else { continue };
                let rows = result.split_arrays().0;
                let (position, mask) = positions(&mut work.code, &rows, columns, along);
                let is_diagonal = position.is_none();
                let entry = Entry { values, position, mask };
                let part = matrix(&mut work.code, &rows, &columns.sizes, vec![entry]);
                blocks[row * params.len() + columns.arg] = Some(Block { part, is_diagonal });
            }
        }
        Some(blocks)
    }

    /// What the places say, if it is worth anything.
    fn few_columns(
        &self,
        work: &Work,
        wanted: &Wanted,
        params: &[Type],
        results: &[Type],
    ) -> Option<Vec<Columns>> {
        let def = work.def(&self.def);
        let is_result = |var: &Var| def.results.iter().any(|it| it.var == *var);
        if def.results.iter().any(|it| it.ty.size_vars().iter().any(is_result)) {
            return None;
        }
        let found = places(work.code.program(), &self.def);
        let of_result: Vec<bool> =
            results.iter().zip(&wanted.results).map(|it| smooth(it.0) && *it.1).collect();
        let mut all = Vec::new();
        for arg in (0..params.len()).filter(|it| wanted.args[*it]) {
            if !smooth(&params[arg]) {
                return None;
            }
            let param = self.captured.len() + arg;
            let rows = found.iter().zip(&of_result);
            let rows: Vec<Option<Vec<Along>>> =
                rows.map(|(it, on)| if *on { it.of(param) } else { None }).collect();
            if rows.iter().all(Option::is_none) {
                continue;
            }
            let sizes = params[arg].split_arrays().0;
            let is_apart = |axis: &usize| rows.iter().flatten().any(|it| it[*axis] == Along::All);
            let apart = (0..sizes.len()).filter(is_apart).collect();
            all.push(Columns { arg, sizes, apart, rows });
        }
        let some = |types: &[Type], on: &[bool]| {
            let some = types.iter().zip(on).filter(|it| *it.1).map(|it| it.0.clone());
            count(&some.collect::<Vec<Type>>())
        };
        let (inputs, outputs) = (some(params, &wanted.args), some(results, &of_result));
        let tangents = n_tangents(&all);
        let is_few = at_most(&tangents, &inputs) && at_most(&tangents, &outputs);
        (!all.is_empty() && tangents != inputs && is_few).then_some(all)
    }

    /// For the columns of each parameter, the tangents of the results that have reals, with the positions
    /// along axes that are apart in front.
    fn tangents(
        &self,
        work: &mut Work,
        wanted: &Wanted,
        params: &[Type],
        all: &[Columns],
    ) -> Option<Vec<Vec<Atom>>> {
        match n_tangents(all).as_constant() {
            Some(1) => self.one_run(work, &all[0]).map(|it| vec![it]),
            Some(n) if (2..=MOST_COLUMNS).contains(&n) => {
                self.at_once(work, all, n).or_else(|| self.apart(work, wanted, params, all))
            }
            Some(_) | None => self.apart(work, wanted, params, all),
        }
    }

    /// One tangent runs along with the function, and nothing is saved.
    fn one_run(&self, work: &mut Work, columns: &Columns) -> Option<Vec<Atom>> {
        let refused = work.refused.clone();
        let only: Vec<bool> = (0..self.args.len()).map(|it| it == columns.arg).collect();
        let name = along(work, &self.def, &self.mask(&only));
        if work.refused != refused {
            // Who asks for the Jacobian otherwise says so.
            work.refused = refused;
            return None;
        }
        let ones = work.code.broadcast(real(1.0), &columns.sizes);
        let mut values = self.call(work, name, self.args, vec![ones]);
        Some(values.split_off(work.def(&self.def).results.len()))
    }

    /// A few of them run along with the function.
    fn at_once(&self, work: &mut Work, all: &[Columns], n: i64) -> Option<Vec<Vec<Atom>>> {
        let mask: Vec<bool> =
            (0..self.args.len()).map(|arg| all.iter().any(|it| it.arg == arg)).collect();
        let name = lanes(work, &self.def, &self.mask(&mask))?;
        let mut first = Vec::new();
        let mut seeds = Vec::new();
        let mut next = 0;
        for columns in all {
            first.push(next);
            seeds.push(seeds_in_lanes(&mut work.code, columns, next, n));
            next += n_tangents(std::slice::from_ref(columns)).as_constant()?;
        }
        let sizes = std::iter::once(Size::constant(n)).chain(self.sizes.clone()).collect();
        let own = Site { sizes, def: name.clone(), ..*self };
        let mut values = own.call(work, name, self.args, seeds);
        let tangents = values.split_off(work.def(&self.def).results.len());
        let mut res = Vec::new();
        for (columns, first) in all.iter().zip(first) {
            let sizes = columns.apart_sizes();
            let sizes: Vec<i64> = sizes.iter().filter_map(Size::as_constant).collect();
            let own = tangents.iter();
            let own =
                own.map(|it| super::at_once::some_lanes(work, it.clone(), (first, n), &sizes));
            res.push(own.collect());
        }
        Some(res)
    }

    /// Each of them reads what a run saved.
    fn apart(
        &self,
        work: &mut Work,
        wanted: &Wanted,
        params: &[Type],
        all: &[Columns],
    ) -> Option<Vec<Vec<Atom>>> {
        let run = match self.is_worth_keeping(work) {
            true => self.run(work, self.args, &wanted.args, Keeps::BothWays),
            false => None,
        };
        let mut res = Vec::new();
        for columns in all {
            let only: Vec<bool> = (0..self.args.len()).map(|it| it == columns.arg).collect();
            let sizes = columns.apart_sizes();
            let indices: Vec<Var> = sizes.iter().map(|_| work.code.fresh(Type::Int).var).collect();
            work.code.builder.open();
            let at: Vec<Atom> = indices.iter().map(|it| Atom::Var(*it)).collect();
            let seed = seed(&mut work.code, columns, &at);
            let tangents = match &run {
                Some(run) => {
                    let mut tangents = Vec::new();
                    for (arg, ty) in params.iter().enumerate().filter(|it| wanted.args[it.0]) {
                        let is_own = arg == columns.arg;
                        tangents.push(if is_own { seed.clone() } else { work.code.zeros(ty) });
                    }
                    self.push(work, run, tangents)
                }
                None => self.jvp(work, self.args, &only, vec![seed]).1,
            };
            if sizes.is_empty() {
                let block = work.code.builder.close(tangents);
                block.stmts.into_iter().for_each(|it| work.code.builder.push(it));
                res.push(block.results);
                continue;
            }
            let body = work.code.builder.close(tangents);
            res.push(work.code.emit(Op::Control(ControlOp::Build { sizes, indices, body })));
        }
        Some(res)
    }
}

/// How many tangents these columns take.
fn n_tangents(all: &[Columns]) -> Size {
    let own =
        |it: &Columns| it.apart_sizes().iter().fold(Size::constant(1), |all, size| all.mul(size));
    all.iter().fold(Size::constant(0), |sum, it| sum.add(&own(it)))
}

/// Whether it is at most as much, if sizes that are not known are not small.
fn at_most(one: &Size, other: &Size) -> bool {
    let large = &mut |var: &Var| Size::var(*var).add(&Size::constant(LARGE_SIZE));
    other.sub(one).substitute(large).terms().all(|it| it.1 >= 0)
}

/// A tangent of a parameter: one at these positions along the axes that are apart, whatever those along the
/// others, and zero elsewhere.
fn seed(code: &mut Code, columns: &Columns, at: &[Atom]) -> Atom {
    if columns.apart.is_empty() {
        return code.broadcast(real(1.0), &columns.sizes);
    }
    built(code, &columns.sizes, |code, indices| {
        let mut here = Atom::Bool(true);
        for (axis, at) in columns.apart.iter().zip(at) {
            let same = code.prim(Prim::Eq, vec![indices[*axis].clone(), at.clone()]);
            here = code.prim(Prim::And, vec![here, same]);
        }
        code.prim(Prim::Select, vec![here, real(1.0), real(0.0)])
    })
}

/// All tangents of a parameter in lanes from `first` on, and zeros in the others of the `n` lanes.
fn seeds_in_lanes(code: &mut Code, columns: &Columns, first: i64, n: i64) -> Atom {
    let apart: Vec<i64> = columns.apart_sizes().iter().filter_map(Size::as_constant).collect();
    let own: i64 = apart.iter().product();
    let sizes: Vec<Size> =
        std::iter::once(Size::constant(n)).chain(columns.sizes.iter().cloned()).collect();
    built(code, &sizes, |code, indices| {
        let number = code.prim(Prim::Sub, vec![indices[0].clone(), Atom::Int(first)]);
        let behind = code.prim(Prim::Ge, vec![number.clone(), Atom::Int(0)]);
        let before = code.prim(Prim::Lt, vec![number.clone(), Atom::Int(own)]);
        let mut here = code.prim(Prim::And, vec![behind, before]);
        let mut below = own;
        for (axis, size) in columns.apart.iter().zip(&apart) {
            let size = size.max(&1);
            below /= size;
            let whole = code.prim(Prim::Div, vec![number.clone(), Atom::Int(below)]);
            let at = code.prim(Prim::Rem, vec![whole, Atom::Int(*size)]);
            let same = code.prim(Prim::Eq, vec![indices[axis + 1].clone(), at]);
            here = code.prim(Prim::And, vec![here, same]);
        }
        code.prim(Prim::Select, vec![here, real(1.0), real(0.0)])
    })
}

/// Which element of the parameter each number of the tangents of a result belongs to, and whether there is
/// such an element: a place that is never read may be none. Nothing where each belongs to its own.
fn positions(
    code: &mut Code,
    rows: &[Size],
    columns: &Columns,
    along: &[Along],
) -> (Option<Atom>, Option<Atom>) {
    let is_same = along.iter().enumerate().all(|(at, it)| *it == Along::Axis(at));
    if columns.sizes.is_empty() || (columns.apart.is_empty() && is_same && rows == columns.sizes) {
        return (None, None);
    }
    let n_apart = columns.apart.len();
    let shape = [&columns.apart_sizes(), rows].concat();
    let place = |axis: usize, indices: &[Atom]| {
        let apart = columns.apart.iter().position(|it| *it == axis);
        match (apart, along[axis]) {
            (Some(at), _) => indices[at].clone(),
            (None, Along::Axis(at)) => indices[n_apart + at].clone(),
            (None, Along::Int(at)) => Atom::Int(at),
            (None, Along::Var(_) | Along::Param(_) | Along::Step(_) | Along::All) => {
                panic!("compiler bug: a place that is not known")
            }
        }
    };
    let numbers = built(code, &shape, |code, indices| {
        let mut number = Atom::Int(0);
        for (axis, size) in columns.sizes.iter().enumerate() {
            let size = code.int(size);
            number = code.prim(Prim::Mul, vec![number, size]);
            number = code.prim(Prim::Add, vec![number, place(axis, indices)]);
        }
        number
    });
    let are_there = built(code, &shape, |code, indices| {
        let mut there = Atom::Bool(true);
        for (axis, size) in columns.sizes.iter().enumerate() {
            let size = code.int(size);
            let place = place(axis, indices);
            let inside = match matches!(place, Atom::Int(at) if at < 0) {
                true => Atom::Bool(false),
                false => code.prim(Prim::Lt, vec![place, size]),
            };
            there = code.prim(Prim::And, vec![there, inside]);
        }
        there
    });
    (Some(numbers), Some(are_there))
}

/// An array of these sizes, element by element.
fn built(
    code: &mut Code,
    sizes: &[Size],
    element: impl FnOnce(&mut Code, &[Atom]) -> Atom,
) -> Atom {
    let indices: Vec<Var> = sizes.iter().map(|_| code.fresh(Type::Int).var).collect();
    let at: Vec<Atom> = indices.iter().map(|it| Atom::Var(*it)).collect();
    if sizes.is_empty() {
        return element(code, &at);
    }
    code.builder.open();
    let given = element(code, &at);
    let body = code.builder.close(vec![given]);
    code.one(Op::Control(ControlOp::Build { sizes: sizes.to_vec(), indices, body }))
}
