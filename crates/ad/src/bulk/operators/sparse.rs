//! Jacobians of which the map says what they look like: method `linmap` knows of results that they are sums
//! of a few paths (`crates/ad/src/linmap/paths.rs`), so the definition runs once, and every path is written
//! into the matrix.
//!
//! `f.sparse` gives the paths, and who asked for the Jacobian writes them: who reads only the diagonal of
//! a diagonal has no matrix then (`gather-of-scatter` in `crates/opt/src/simplify/rules/gather_of.rs`).
//!
//! What a path does to elements, it does to their numbers: along the way from a parameter, the array of the
//! positions of its elements is moved as they are, and the factors are multiplied. At the end there is
//! for each element of the result a factor, and which element of the parameter it belongs to.
//!
//! Cost: that of the definition and of its paths, and of writing the matrix down; no unit vector.

use std::collections::BTreeMap;

use base::Name;
use base::name::digits;
use ir::walk::{self, Rewrite};
use ir::{ArrayOp, Atom, Def, Op, Origin, Prim, Size, Type, Var};

use super::Site;
use super::entries::{Entry, matrix};
use super::matrix::{Parts, smooth};
use crate::bulk::call::{finish, open};
use crate::bulk::work::Work;
use crate::linear::code::{Code, is_real, real};
use crate::linear::term::Linearised;
use crate::linmap::paths::{Kind, Path, paths};

impl Site<'_> {
    /// The parts of a Jacobian of which all results are sums of paths.
    pub(super) fn sparse(&self, work: &mut Work, results: &[Type]) -> Option<Parts> {
        let active = self.active(work);
        let mask = self.mask(&active);
        let def = work.def(&self.def);
        let params = self.args.iter().map(|it| work.code.type_of(it));
        let params: Vec<Type> = params.collect();
        let mut active_params = params.iter().zip(&active).filter(|it| *it.1).map(|it| it.0);
        if !results.iter().all(smooth) || !active_params.all(smooth) {
            return None;
        }
        let made = work.linearise(&def, &mask);
        let found: Vec<Vec<Path>> = paths(&made).into_iter().collect::<Option<_>>()?;
        let blocks = blocks(&found);
        // It has to run, also where nothing depends on anything.
        if blocks.is_empty() {
            return None;
        }
        let name = written(work, &made, &mask, &blocks)?;
        let mut given = self.call(work, name, self.args, Vec::new()).into_iter();
        let n_params = params.len();
        let mut parts = vec![None; results.len() * n_params];
        for (row, param, paths) in &blocks {
            let at = param - self.captured.len();
            let (rows, columns) = (results[*row].split_arrays().0, params[at].split_arrays().0);
            let mut entries = Vec::new();
            for path in paths {
                let values = given.next()?;
                let position = if has_position(path, &columns) { given.next() } else { None };
                entries.push(Entry { values, position, mask: None });
            }
            parts[row * n_params + at] = Some(matrix(&mut work.code, &rows, &columns, entries));
        }
        Some(parts)
    }
}

/// Whether `f.sparse` says where the elements of a path are: they are where those of the parameter are if
/// nothing moves, and nowhere else if that is a number.
fn has_position(path: &Path, columns: &[Size]) -> bool {
    !columns.is_empty() && path.steps.iter().any(|it| !matches!(it.kind, Kind::Scale(_)))
}

/// The blocks that are not zero: the numbers of result and parameter, and the paths.
type Blocks<'a> = Vec<(usize, usize, Vec<&'a Path>)>;

fn blocks(found: &[Vec<Path>]) -> Blocks<'_> {
    let mut res = Blocks::new();
    for (row, paths) in found.iter().enumerate() {
        let mut by_param: BTreeMap<usize, Vec<&Path>> = BTreeMap::new();
        paths.iter().for_each(|it| by_param.entry(it.param).or_default().push(it));
        res.extend(by_param.into_iter().map(|(param, paths)| (row, param, paths)));
    }
    res
}

/// `f.sparse10(p1..pk)`: the values of each path, and where they are; none if only running tells their sizes.
fn written(work: &mut Work, made: &Linearised, mask: &[bool], blocks: &Blocks<'_>) -> Option<Name> {
    let def = &made.def;
    let own: Vec<Var> = def.results.iter().map(|it| it.var).collect();
    if def.results.iter().any(|it| it.ty.size_vars().iter().any(|var| own.contains(var))) {
        return None;
    }
    let outside = |var: &Var| {
        def.size_params.contains(var) || def.params.iter().any(|param| param.var == *var)
    };
    let sizes_known = |var: &Var, sizes: &BTreeMap<Var, Vec<Size>>| {
        sizes.get(var).is_some_and(|it| it.iter().flat_map(Size::vars).all(|it| outside(&it)))
    };
    let sizes = sizes_of_deltas(made);
    let added = blocks.iter().flat_map(|it| &it.2).flat_map(|it| &it.steps).filter_map(|it| {
        let Kind::Sum(_) = it.kind else { return None };
        walk::free_vars_op(&made.term.stmts[it.stmt].op)
            .into_iter()
            .find(|it| sizes.contains_key(it))
    });
    if !added.into_iter().all(|it| sizes_known(&it, &sizes)) {
        return None;
    }
    let key = ("sparse", def.name.clone(), mask.to_vec());
    if let Some(known) = work.derived.get(&key) {
        return Some(known.clone());
    }
    let called = |number: &str| [def.name.part(format_args!("sparse{}{number}", digits(mask)))];
    let [name] = work.fresh_names(called);
    work.derived.insert(key, name.clone());
    let code = &mut work.code;
    let outer = open(code, made, None);
    code.builder.reopen(made.primal.clone());
    let mut follow = Follow::new(code, made);
    let (mut given, mut results) = (Vec::new(), Vec::new());
    for (row, param, paths) in blocks {
        let [rows, columns] =
            [&def.results[*row], &def.params[*param]].map(|it| it.ty.split_arrays().0);
        for path in paths {
            let Trace { factor, position, added } = follow.path(path, &columns);
            let shape = [added, rows.clone()].concat();
            let values = factor.unwrap_or_else(|| real(1.0));
            let position = position.filter(|_| has_position(path, &columns));
            for (atom, elem) in [(Some(values), Type::Real), (position, Type::Int)] {
                let Some(atom) = atom else { continue };
                let ty = Type::arrays(&shape, elem);
                let atom = follow.widened(atom, &shape);
                given.push(follow.code.fit(atom, &ty));
                results.push(follow.code.fresh(ty));
            }
        }
    }
    let body = code.builder.close(given);
    code.builder.close(Vec::new());
    let origin = Origin::Derivative;
    let made_def = Def { name: name.clone(), origin, results, body, ..Def::clone(def) };
    let made_def = finish(code, outer, made_def, &made.spans);
    code.define(made_def);
    Some(name)
}

fn sizes_of_deltas(made: &Linearised) -> BTreeMap<Var, Vec<Size>> {
    let inputs = made.inputs.iter().flatten();
    let binders = inputs.chain(made.term.stmts.iter().flat_map(|it| &it.binders));
    binders.map(|it| (it.var, it.ty.split_arrays().0)).collect()
}

/// What is known of the elements of a variable: arrays of its sizes, with axes that were added up in front.
struct Trace {
    /// None if it is 1.
    factor: Option<Atom>,
    /// Which element of the parameter it is; none if that is a number.
    position: Option<Atom>,
    /// The sizes of axes that were added up.
    added: Vec<Size>,
}

/// Follows the paths of one definition.
struct Follow<'a> {
    code: &'a mut Code,
    made: &'a Linearised,
    /// The sizes of Deltas.
    sizes: BTreeMap<Var, Vec<Size>>,
}

impl<'a> Follow<'a> {
    fn new(code: &'a mut Code, made: &'a Linearised) -> Follow<'a> {
        let sizes = sizes_of_deltas(made);
        Follow { code, made, sizes }
    }

    fn path(&mut self, path: &Path, columns: &[Size]) -> Trace {
        let position = (!columns.is_empty()).then(|| self.numbers(columns));
        let mut trace = Trace { factor: None, position, added: Vec::new() };
        for step in &path.steps {
            let stmt = &self.made.term.stmts[step.stmt];
            let sizes = stmt.binders[0].ty.split_arrays().0;
            match &step.kind {
                Kind::Scale(factor) => self.scale(&mut trace, factor, &sizes),
                Kind::Move(var) => self.move_(&mut trace, &stmt.op, *var),
                Kind::Sum(axis) => self.add_up(&mut trace, *axis, &sizes, &stmt.op),
            }
        }
        trace
    }

    /// The numbers of the elements of an array of these sizes, at their places.
    fn numbers(&mut self, sizes: &[Size]) -> Atom {
        let count = sizes.iter().fold(Size::constant(1), |all, it| all.mul(it));
        let array = self.code.one(Op::Array(ArrayOp::Iota(count)));
        if sizes.len() == 1 {
            return array;
        }
        self.code.one(Op::Array(ArrayOp::Reshape { array, rank: 1, sizes: sizes.to_vec() }))
    }

    fn scale(&mut self, trace: &mut Trace, factor: &Atom, sizes: &[Size]) {
        let shape = [&trace.added, sizes].concat();
        if !is_real(factor, 1.0) {
            let factor = self.widened(factor.clone(), sizes);
            let factor = self.code.broadcast(factor, &trace.added);
            trace.factor = Some(match trace.factor.take() {
                None => factor,
                Some(other) => {
                    let other = self.widened(other, &shape);
                    self.code.prim(Prim::Scale, vec![factor, other])
                }
            });
        }
        trace.position = trace.position.take().map(|it| self.widened(it, &shape));
    }

    fn move_(&mut self, trace: &mut Trace, op: &Op, var: Var) {
        let ones = trace.factor.take().unwrap_or_else(|| real(1.0));
        let sizes = self.sizes[&var].clone();
        let ones = self.widened(ones, &sizes);
        trace.factor = Some(self.moved(op, var, ones, &real(0.0)));
        trace.position = trace.position.take().map(|it| self.moved(op, var, it, &Atom::Int(0)));
    }

    /// The operation on another array in the place of the variable, and zeros in that of other Deltas.
    fn moved(&mut self, op: &Op, var: Var, value: Atom, zero: &Atom) -> Atom {
        let mut values = BTreeMap::from([(var, value)]);
        for other in walk::free_vars_op(op) {
            if let Some(sizes) = self.sizes.get(&other).filter(|_| other != var) {
                values.insert(other, self.code.broadcast(zero.clone(), sizes));
            }
        }
        let mut op = walk::rewrite_op(op, &mut Replaced { values, zero: zero.clone() });
        if let Op::Array(ArrayOp::Literal { elem, parts }) = &mut op {
            *elem = self.code.type_of(&parts[0]);
        }
        self.code.one(op)
    }

    fn add_up(&mut self, trace: &mut Trace, axis: usize, left: &[Size], op: &Op) {
        let Op::Array(ArrayOp::Reduce { array: Atom::Var(var), .. }) = op else { return };
        let sizes = self.sizes[var].clone();
        debug_assert_eq!(sizes.len(), left.len() + 1);
        let shape = [&trace.added, &sizes[..]].concat();
        let at = trace.added.len() + axis;
        let ones = trace.factor.take().unwrap_or_else(|| real(1.0));
        let ones = self.widened(ones, &shape);
        trace.factor = Some(self.code.axis_first(at, ones));
        trace.position = trace.position.take().map(|it| self.code.axis_first(at, it));
        trace.added.insert(0, sizes[axis].clone());
    }

    /// A number as an array of these sizes; an array is of these sizes.
    fn widened(&mut self, value: Atom, sizes: &[Size]) -> Atom {
        let rank = self.code.sizes_of(&value).len();
        self.code.broadcast(value, &sizes[..sizes.len() - rank])
    }
}

/// Puts other atoms in the place of Deltas. A Delta that is a number is zero.
struct Replaced {
    values: BTreeMap<Var, Atom>,
    zero: Atom,
}

impl Rewrite for Replaced {
    fn atom(&mut self, atom: &Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.values.get(var).unwrap_or(atom).clone(),
            Atom::Real(_) => self.zero.clone(),
            Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => atom.clone(),
        }
    }
}
