//! Jacobians of which the map says what they look like: method `linmap` knows of results that they are sums
//! of a few paths (`crates/ad/src/linmap/paths.rs`), so the definition runs once, and every path is written
//! into the matrix.
//!
//! What a path does to elements, it does to their numbers: along the way from a parameter, the array of the
//! positions of its elements is moved as they are, and the factors are multiplied. At the end there is
//! for each element of the result a factor, and which element of the parameter it belongs to.
//!
//! Cost: that of the definition and of its paths, and of writing the matrix down; no unit vector.
//! Not done: arrays of several dimensions as parameters or results.

use std::collections::BTreeMap;

use base::Name;
use base::name::digits;
use ir::walk::{self, Rewrite};
use ir::{ArrayOp, Atom, Def, Op, Origin, Prim, Size, Type, Var};

use super::Site;
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
        let is_flat = |it: &Type| smooth(it) && it.split_arrays().0.len() <= 1;
        let params = self.args.iter().map(|it| work.code.type_of(it));
        let params: Vec<Type> = params.zip(&active).filter(|it| *it.1).map(|it| it.0).collect();
        if !results.iter().chain(&params).all(is_flat) {
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
        let given = self.call(work, name, self.args, Vec::new());
        let n_params = self.args.len();
        let mut parts = vec![None; results.len() * n_params];
        for ((row, param, _), part) in blocks.iter().zip(given) {
            parts[row * n_params + param - self.captured.len()] = Some(part);
        }
        Some(parts)
    }
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

/// `f.sparse10(p1..pk)`: the blocks; none if only running tells their sizes.
fn written(work: &mut Work, made: &Linearised, mask: &[bool], blocks: &Blocks<'_>) -> Option<Name> {
    let def = &made.def;
    let own: Vec<Var> = def.results.iter().map(|it| it.var).collect();
    if def.results.iter().any(|it| it.ty.size_vars().iter().any(|var| own.contains(var))) {
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
        let sizes = [&def.results[*row], &def.params[*param]].map(|it| it.ty.split_arrays().0);
        let block = follow.block(paths, &sizes[0], &sizes[1]);
        let ty = Type::arrays(&sizes.concat(), Type::Real);
        given.push(follow.code.fit(block, &ty));
        results.push(follow.code.fresh(ty));
    }
    let body = code.builder.close(given);
    code.builder.close(Vec::new());
    let origin = Origin::Derivative;
    let made_def = Def { name: name.clone(), origin, results, body, ..Def::clone(def) };
    let made_def = finish(code, outer, made_def, &made.spans);
    code.define(made_def);
    Some(name)
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
        let inputs = made.inputs.iter().flatten();
        let binders = inputs.chain(made.term.stmts.iter().flat_map(|it| &it.binders));
        let sizes = binders.map(|it| (it.var, it.ty.split_arrays().0)).collect();
        Follow { code, made, sizes }
    }

    /// The block of the matrix, from the paths to a result of these sizes.
    fn block(&mut self, paths: &[&Path], rows: &[Size], columns: &[Size]) -> Atom {
        let all: Vec<Size> = [rows, columns].concat();
        let mut sum = self.code.spread(real(0.0), &all);
        for path in paths {
            let Trace { factor, position, added } = self.path(path, columns);
            let shape = [&added, rows].concat();
            let values = factor.unwrap_or_else(|| real(1.0));
            let mut values = self.widened(values, &shape);
            let Some(position) = position else {
                for _ in &added {
                    values = self.sum(0, values);
                }
                sum = self.code.prim(Prim::Add, vec![sum, values]);
                continue;
            };
            let mut indices = Vec::new();
            if let [size] = rows {
                let row = self.code.one(Op::Array(ArrayOp::Iota(size.clone())));
                indices.push(self.code.spread(row, &added));
            }
            indices.push(self.widened(position, &shape));
            sum = self.code.one(Op::Array(ArrayOp::Scatter {
                into: sum,
                indices,
                values,
                mask: None,
            }));
        }
        sum
    }

    fn path(&mut self, path: &Path, columns: &[Size]) -> Trace {
        let iota = |size: &Size| self.code.one(Op::Array(ArrayOp::Iota(size.clone())));
        let position = columns.first().map(iota);
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

    fn scale(&mut self, trace: &mut Trace, factor: &Atom, sizes: &[Size]) {
        let shape = [&trace.added, sizes].concat();
        if !is_real(factor, 1.0) {
            let factor = self.widened(factor.clone(), sizes);
            let factor = self.code.spread(factor, &trace.added);
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
                values.insert(other, self.code.spread(zero.clone(), sizes));
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

    fn sum(&mut self, axis: usize, array: Atom) -> Atom {
        let reduction = ir::Reduction::Sum;
        self.code.one(Op::Array(ArrayOp::Reduce { reduction, axis, array }))
    }

    /// A number as an array of these sizes; an array is of these sizes.
    fn widened(&mut self, value: Atom, sizes: &[Size]) -> Atom {
        let rank = self.code.sizes_of(&value).len();
        self.code.spread(value, &sizes[..sizes.len() - rank])
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
