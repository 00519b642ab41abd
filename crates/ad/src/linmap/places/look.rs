//! The places of definitions, statement by statement.

mod control;

use std::collections::BTreeMap;

use base::Name;
use ir::{
    ArrayOp, Atom, Binder, Block, Custom, Def, DeriveOp, FunctionOp, Op, Prim, Program, Size, Stmt,
    Type, Var, partial, walk,
};

use super::{Along, Places};
use crate::linear::code::var_of;

/// The places of the results of a definition.
pub(super) fn look(program: &Program, def: &Name) -> Vec<Places> {
    let mut known: Known = BTreeMap::new();
    let mut asked: Vec<Asked> = vec![(def.clone(), Of::Derivatives)];
    loop {
        let (before, n_asked) = (known.clone(), asked.len());
        // What is called came later: it is looked at first.
        for at in (0..n_asked).rev() {
            let (name, of) = asked[at].clone();
            let Some(def) = program.defs.get(&name) else { continue };
            let found = Look::new(program, (def, of), &known, &mut asked).def(def);
            let old = known.remove(&(name.clone(), of));
            let old = old.unwrap_or_else(|| vec![Places::default(); found.len()]);
            let both = found.into_iter().zip(old).map(|(new, old)| new.and(old));
            known.insert((name, of), both.collect());
        }
        if known == before && asked.len() == n_asked {
            return known.remove(&asked[0]).unwrap_or_default();
        }
    }
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    /// Which elements derivatives are other than zero by.
    Derivatives,
    /// Which elements reals are computed of: what a clause does to tangents.
    Values,
}

/// A definition whose places are wanted.
type Asked = (Name, Of);

/// The places of results, as far as they are known.
type Known = BTreeMap<Asked, Vec<Places>>;

/// What becomes of the axes of an array.
type Turn = Box<dyn Fn(usize) -> Along>;

/// Integers in a value of a sum type, element by element of an array of them.
type Fields = BTreeMap<(Name, usize), Along>;

/// The look at one definition.
struct Look<'a> {
    program: &'a Program,
    what: Of,
    known: &'a Known,
    asked: &'a mut Vec<Asked>,
    /// The places of variables that have some.
    places: BTreeMap<Var, Places>,
    /// What integers are, element by element, where that is known.
    ints: BTreeMap<Var, Along>,
    /// What the integers in values of sum types are: fields by constructor and number.
    fields: BTreeMap<Var, Fields>,
    sizes: BTreeMap<Var, Vec<Size>>,
    /// How many loops there are around.
    depth: usize,
}

impl<'a> Look<'a> {
    fn new(
        program: &'a Program,
        (def, what): (&Def, Of),
        known: &'a Known,
        asked: &'a mut Vec<Asked>,
    ) -> Look<'a> {
        let (places, ints) = (BTreeMap::new(), BTreeMap::new());
        let (fields, sizes) = (BTreeMap::new(), BTreeMap::new());
        let mut res = Look { program, what, known, asked, places, ints, fields, sizes, depth: 0 };
        res.declare(&def.params);
        res
    }

    fn def(&mut self, def: &Def) -> Vec<Places> {
        for (at, param) in def.params.iter().enumerate() {
            if has_reals(&param.ty) {
                let rank = param.ty.split_arrays().0.len();
                self.places.insert(param.var, Places::of_param(at, rank));
            }
        }
        let custom = self.program.customs.get(&def.name);
        if let Some(custom) = custom.filter(|_| self.what == Of::Derivatives) {
            return self.clause(def, custom);
        }
        let given = self.block(&def.body);
        // Nothing else that is bound here is known to who calls it.
        let param = |var: Var| def.params.iter().position(|it| it.var == var && it.ty == Type::Int);
        let outside = |it| match it {
            Along::Var(var) => param(var).map_or(Along::All, Along::Param),
            Along::Step(_) => Along::All,
            Along::Axis(_) | Along::Int(_) | Along::Param(_) | Along::All => it,
        };
        given.iter().map(|it| it.moved(outside)).collect()
    }

    /// What a clause makes of tangents.
    fn clause(&mut self, def: &Def, custom: &Custom) -> Vec<Places> {
        let Some(jvp) = &custom.jvp else {
            // A pull-back may do anything.
            let params = def.params.iter().map(|it| self.of(&Atom::Var(it.var)).mixed());
            return vec![params.fold(Places::default(), Places::and); def.results.len()];
        };
        // It takes the parameters, and then their tangents.
        let n_params = def.params.len();
        let known = self.known_of(&(jvp.clone(), Of::Values));
        known.map_or_else(
            || vec![Places::default(); def.results.len()],
            |known| known.iter().map(|it| it.of_tangents(n_params)).collect(),
        )
    }

    /// The places of another definition, as far as they are known; they are looked for from now on.
    fn known_of(&mut self, asked: &Asked) -> Option<&'a [Places]> {
        if !self.asked.contains(asked) {
            self.asked.push(asked.clone());
        }
        self.known.get(asked).map(Vec::as_slice)
    }

    fn declare(&mut self, binders: &[Binder]) {
        for binder in binders {
            self.sizes.insert(binder.var, binder.ty.split_arrays().0);
            self.ints.remove(&binder.var);
            self.fields.remove(&binder.var);
        }
    }

    /// What an operand depends on.
    fn of(&self, atom: &Atom) -> Places {
        var_of(atom).and_then(|it| self.places.get(&it)).cloned().unwrap_or_default()
    }

    fn sizes(&self, atom: &Atom) -> &[Size] {
        var_of(atom).and_then(|it| self.sizes.get(&it)).map_or(&[], Vec::as_slice)
    }

    fn rank(&self, atom: &Atom) -> usize {
        self.sizes(atom).len()
    }

    /// Notes what the integers of a variable are, as far as they are those of another one.
    fn note(&mut self, var: Var, like: &Atom, by: &dyn Fn(Along) -> Along) {
        self.ints.insert(var, by(self.int(like)));
        if let Some(fields) = var_of(like).and_then(|it| self.fields.get(&it)) {
            let fields = fields.iter().map(|(field, it)| (field.clone(), by(*it)));
            self.fields.insert(var, fields.collect());
        }
    }

    /// What an integer is, or each of an array.
    fn int(&self, atom: &Atom) -> Along {
        match atom {
            Atom::Int(value) => Along::Int(*value),
            Atom::Var(var) => match (self.ints.get(var), self.rank(atom)) {
                (Some(known), _) => *known,
                (None, 0) => Along::Var(*var),
                (None, _) => Along::All,
            },
            Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => Along::All,
        }
    }

    fn block(&mut self, block: &Block) -> Vec<Places> {
        block.stmts.iter().for_each(|it| self.stmt(it));
        block.results.iter().map(|it| self.of(it)).collect()
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.declare(&stmt.binders);
        let found = self.op(&stmt.op, &stmt.binders);
        for (binder, places) in stmt.binders.iter().zip(found) {
            let places = if has_reals(&binder.ty) { places } else { Places::default() };
            self.places.insert(binder.var, places);
        }
    }

    /// The places of each result.
    fn op(&mut self, op: &Op, binders: &[Binder]) -> Vec<Places> {
        match op {
            Op::Copy(atom) | Op::Derive(DeriveOp::Checkpoint { value: atom, .. }) => {
                self.note(binders[0].var, atom, &|it| it);
                vec![self.of(atom)]
            }
            Op::Prim(prim, args) => {
                let matters = |at: usize| {
                    let is_all = *prim == Prim::Select || self.what == Of::Values;
                    is_all || !partial::is_zero(*prim, at)
                };
                let smooth = args.iter().enumerate().filter(|it| matters(it.0));
                vec![smooth.fold(Places::default(), |all, (_, it)| all.and(self.of(it)))]
            }
            Op::Array(op) => self.array(op, binders),
            Op::Control(op) => self.control(op, binders),
            Op::Function(FunctionOp::Call { def, args, .. }) => self.call(def, args, binders),
            Op::Size(_) | Op::Equal(..) | Op::Close(..) => vec![Places::default(); binders.len()],
            Op::Derive(DeriveOp::StopGradient(atom)) => match self.what {
                Of::Derivatives => vec![Places::default()],
                Of::Values => vec![self.of(atom)],
            },
            Op::Con { con, args, .. } => {
                let ints = args.iter().enumerate().map(|(at, it)| ((con.clone(), at), it));
                let ints = ints.filter(|it| self.rank(it.1) == 0);
                let fields = ints.map(|(field, it)| (field, self.int(it))).collect();
                self.fields.insert(binders[0].var, fields);
                self.anything(op, binders)
            }
            Op::Tuple { .. } | Op::Proj { .. } => self.anything(op, binders),
            Op::Function(_) | Op::Derive(_) | Op::Delta(_) => self.anything(op, binders),
        }
    }

    /// The places of an operation of which nothing is known but its operands.
    fn anything(&self, op: &Op, binders: &[Binder]) -> Vec<Places> {
        let operands = walk::free_vars_op(op).into_iter().map(|it| self.of(&Atom::Var(it)).mixed());
        vec![operands.fold(Places::default(), Places::and); binders.len()]
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "of what is not known, all may be anywhere")]
    fn array(&mut self, op: &ArrayOp, binders: &[Binder]) -> Vec<Places> {
        if let Some((array, by)) = self.moves(op) {
            let is_element =
                !matches!(op, ArrayOp::Reduce { .. } | ArrayOp::Gather { mask: Some(_), .. });
            if is_element {
                self.note(binders[0].var, &array, &|it| it.turned(&by));
            }
            return vec![self.of(&array).turned(by)];
        }
        match op {
            ArrayOp::Iota(_) => {
                self.ints.insert(binders[0].var, Along::Axis(0));
                vec![Places::default()]
            }
            ArrayOp::Scatter { into, indices, values, .. } => {
                let at: Vec<Along> = indices.iter().map(|it| self.int(it)).collect();
                let rank = indices.iter().map(|it| self.rank(it)).max().unwrap_or(0);
                let number = |along: Along| at.iter().position(|it| *it == along);
                let values = self.of(values).moved(|it| match it {
                    Along::Axis(axis) if axis >= rank => Along::Axis(axis - rank + at.len()),
                    Along::Axis(_) => number(it).map_or(Along::All, Along::Axis),
                    Along::Var(_) | Along::Step(_) => number(it).map_or(it, Along::Axis),
                    Along::Int(_) | Along::Param(_) | Along::All => it,
                });
                vec![self.of(into).and(values)]
            }
            ArrayOp::Concat(arrays) => {
                let all =
                    arrays.iter().map(|it| self.of(it).turned(|axis| where_so(axis > 0, axis)));
                vec![all.fold(Places::default(), Places::and)]
            }
            ArrayOp::Literal { parts, .. } => {
                let all = parts.iter().map(|it| self.of(it).turned(|axis| Along::Axis(axis + 1)));
                vec![all.fold(Places::default(), Places::and)]
            }
            ArrayOp::Argmax(_) | ArrayOp::Argmin(_) | ArrayOp::Argsort(_) => {
                vec![Places::default()]
            }
            ArrayOp::Filter { array, .. } => {
                let kept = self.of(array).turned(|axis| where_so(axis > 0, axis));
                vec![Places::default(), kept]
            }
            _ => self.anything(&Op::Array(op.clone()), binders),
        }
    }

    /// The one array that an operation takes elements of, and what becomes of its axes.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others take elements of several, or none")]
    fn moves(&self, op: &ArrayOp) -> Option<(Atom, Turn)> {
        Some(match op {
            ArrayOp::Index { array, indices } => {
                let at: Vec<Along> = indices.iter().map(|it| self.int(it)).collect();
                let by = move |axis: usize| match at.get(axis) {
                    Some(along) => *along,
                    None => Along::Axis(axis - at.len()),
                };
                (array.clone(), Box::new(by))
            }
            ArrayOp::Gather { array, indices, .. } => {
                let at: Vec<Along> = indices.iter().map(|it| self.int(it)).collect();
                let rank = indices.iter().map(|it| self.rank(it)).max().unwrap_or(0);
                let by = move |axis: usize| match at.get(axis) {
                    Some(along) => *along,
                    None => Along::Axis(axis - at.len() + rank),
                };
                (array.clone(), Box::new(by))
            }
            ArrayOp::Slice { array, axis, from, .. } => {
                let (moved, from) = (*axis, from.as_constant());
                let by = move |axis| where_so(axis != moved || from == Some(0), axis);
                (array.clone(), Box::new(by))
            }
            ArrayOp::Replicate { value, .. } => {
                (value.clone(), Box::new(|axis| Along::Axis(axis + 1)))
            }
            ArrayOp::Transpose { array, permutation } => {
                let permutation = permutation.clone();
                let by = move |axis: usize| {
                    let at = permutation.iter().position(|it| *it == axis);
                    // Axes behind the permutation stay.
                    Along::Axis(at.unwrap_or(axis))
                };
                (array.clone(), Box::new(by))
            }
            ArrayOp::Reshape { array, rank, sizes } => {
                let (rank, n_sizes) = (*rank, sizes.len());
                let before = &self.sizes(array)[..rank];
                // Axes of the same sizes in front, and behind, stay what they are.
                let same = |it: &(&Size, &Size)| it.0 == it.1;
                let first = before.iter().zip(sizes).take_while(same).count();
                let last = before[first..].iter().rev().zip(sizes[first..].iter().rev());
                let last = last.take_while(same).count();
                let by = move |axis: usize| match axis {
                    _ if axis < first => Along::Axis(axis),
                    _ if axis < rank - last => Along::All,
                    _ => Along::Axis(axis + n_sizes - rank),
                };
                (array.clone(), Box::new(by))
            }
            ArrayOp::Reverse(array) | ArrayOp::Sort(array) => {
                (array.clone(), Box::new(|axis| where_so(axis > 0, axis)))
            }
            ArrayOp::Sized { array, .. } => (array.clone(), Box::new(Along::Axis)),
            ArrayOp::Reduce { axis, array, .. } => {
                let added = *axis;
                let by = move |axis: usize| match axis.cmp(&added) {
                    std::cmp::Ordering::Less => Along::Axis(axis),
                    std::cmp::Ordering::Equal => Along::All,
                    std::cmp::Ordering::Greater => Along::Axis(axis - 1),
                };
                (array.clone(), Box::new(by))
            }
            _ => return None,
        })
    }
}

/// Whether there may be reals in a value.
fn has_reals(ty: &Type) -> bool {
    !matches!(ty.split_arrays().1, Type::Int | Type::Bool | Type::String)
}

/// The axis, if it stays what it is.
fn where_so(stays: bool, axis: usize) -> Along {
    if stays { Along::Axis(axis) } else { Along::All }
}
