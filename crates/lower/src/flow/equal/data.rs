//! Equality of values of a sum type: one function for each type and tolerance.
//!
//! Two types that are compared may differ in sizes. So the function is that of the type with
//! variables in the place of sizes, and takes the sizes of both values in front of them. It is a loop:
//! if the last field is of the same type, the next step compares that, so that long lists need no
//! stack.

use std::collections::BTreeMap;

use ir::typing::constructors;
use ir::walk::Rewrite;
use ir::{Binder, ConDecl, Size, Type};
use loops::{Arm, Atom, Block, Choice, Func, Node, Phi, Scalar, State, Var, While};

use super::Tolerance;
use crate::context::Lower;
use crate::uses::Uses;

/// The first variable for sizes; those of declarations are small.
const OWN: u32 = 1 << 30;

/// Puts variables in the place of sizes, and remembers these.
struct Abstract {
    first: u32,
    found: Vec<Size>,
}

impl Rewrite for Abstract {
    fn size(&mut self, size: &Size) -> Size {
        self.found.push(size.clone());
        Size::var(ir::Var(self.first + self.found.len() as u32 - 1))
    }
}

/// The type with variables in the place of its sizes, and the sizes.
fn abstracted(ty: &Type, first: u32) -> (Type, Vec<Size>) {
    let mut by = Abstract { first, found: Vec::new() };
    let ty = by.ty(ty);
    (ty, by.found)
}

/// What the function is being written of.
struct Compared {
    types: (Type, Type),
    /// As in the list of functions.
    key: Type,
    /// The values of its loop: sizes of both, then both.
    values: Vec<Var>,
    tolerance: Tolerance,
}

impl Lower<'_, '_> {
    pub(super) fn data_equal(
        &mut self,
        types: &(Type, Type),
        values: (Atom, Atom),
        tolerance: Tolerance,
    ) -> Atom {
        let ((key, left), (_, right)) = (abstracted(&types.0, OWN), abstracted(&types.1, OWN));
        let mut args: Vec<Atom> = left.iter().chain(&right).map(|it| self.size(it)).collect();
        args.extend([values.0, values.1]);
        let func = self.equality(key, tolerance);
        let res = self.fresh(Scalar::Bool);
        self.emit(Node::Call { func, args, results: vec![res] });
        Atom::Var(res)
    }

    /// The function that compares values of a type, written when it is needed first.
    fn equality(&mut self, key: Type, tolerance: Tolerance) -> usize {
        let n_defs = self.whole.positions.len();
        if let Some(at) = self.whole.equalities.get(&(key.clone(), tolerance)) {
            return *at;
        }
        let at = n_defs + self.whole.extra.len();
        let Type::Data(name, ..) = &key else { panic!("compiler bug: {key:?} is no sum type") };
        let name = name.part("equal");
        self.whole.equalities.insert((key.clone(), tolerance), at);
        self.whole.extra.push(Func::new(name.clone()));
        let func = {
            let nodes = &mut self.known.nodes;
            let given = (&mut *self.whole, &mut *nodes.module);
            Lower::new(given, (nodes.def, name), Uses::default()).write_equality(key, tolerance)
        };
        self.whole.extra[at - n_defs] = func;
        at
    }

    fn write_equality(mut self, key: Type, tolerance: Tolerance) -> Func {
        let left = key.clone();
        let n_sizes = abstracted(&key, OWN).1.len() as u32;
        let right = abstracted(&key, OWN + n_sizes).0;
        let scalars = (0..2 * n_sizes).map(|_| Scalar::Int).chain([Scalar::Box; 2]);
        let scalars: Vec<Scalar> = scalars.collect();
        let params: Vec<Var> = scalars.iter().map(|it| self.fresh(*it)).collect();
        let values: Vec<Var> = scalars.iter().map(|it| self.fresh(*it)).collect();
        for (at, value) in (0..2 * n_sizes).zip(&values) {
            self.define_var(&Binder { var: ir::Var(OWN + at), ty: Type::Int }, *value);
        }
        let (go, same) = (self.fresh(Scalar::Bool), self.fresh(Scalar::Bool));
        let compared = Compared { types: (left, right), key, values, tolerance };
        let (body, mut next) = self.within(|it| it.step_of_equality(&compared));
        let last: Vec<Var> = scalars.iter().map(|it| self.fresh(*it)).collect();
        let (last_go, last_same) = (self.fresh(Scalar::Bool), self.fresh(Scalar::Bool));
        let tests = [(go, last_go), (same, last_same)].into_iter();
        let tests = tests.rev().map(|(var, last)| {
            let next = next.pop().unwrap_or(Atom::Bool(false));
            State { var, init: Atom::Bool(true), next, last }
        });
        let tests: Vec<State> = tests.collect();
        let mut state: Vec<State> = Vec::new();
        for (at, next) in next.into_iter().enumerate() {
            let init = Atom::Var(params[at]);
            state.push(State { var: compared.values[at], init, next, last: last[at] });
        }
        state.extend(tests);
        let (before, cond) = (Block::new(), Atom::Var(go));
        self.emit(Node::While(Box::new(While { state, before, cond, body })));
        self.func.params = params;
        self.func.results = vec![Atom::Var(last_same)];
        self.func.body = self.blocks.pop().unwrap_or_default();
        self.known.nodes.func
    }

    /// Compares two values; gives the next values of the loop, whether to go on, and whether
    /// what was seen is equal.
    fn step_of_equality(&mut self, compared: &Compared) -> Vec<Atom> {
        let [.., x, y] = compared.values[..] else { return Vec::new() };
        let mut stay: Vec<Atom> = compared.values.iter().map(|it| Atom::Var(*it)).collect();
        stay.extend([Atom::Bool(false), Atom::Bool(false)]);
        let lefts = self.constructors(&compared.types.0);
        let rights = self.constructors(&compared.types.1);
        let mut next_var = OWN + compared.values.len() as u32;
        let (mut arms, mut given) = (Vec::new(), Vec::new());
        for (tag, (left, right)) in lefts.iter().zip(&rights).enumerate() {
            let tag = tag as u32;
            let (fields, lefts) = self.fields(left, &mut next_var);
            let (other_fields, rights) = self.fields(right, &mut next_var);
            let (body, res) = self.within(|it| {
                let (body, res) = it.within(|it| it.fields_equal(compared, &lefts, &rights));
                let arms = vec![Arm { tag, fields: other_fields, body }];
                it.chosen(Atom::Var(y), arms, &[res], &stay)
            });
            arms.push(Arm { tag, fields, body });
            given.push(res);
        }
        self.chosen(Atom::Var(x), arms, &given, &stay)
    }

    /// A switch, and what its arms give.
    fn chosen(
        &mut self,
        value: Atom,
        arms: Vec<Arm>,
        given: &[Vec<Atom>],
        otherwise: &[Atom],
    ) -> Vec<Atom> {
        let mut results = Vec::new();
        for (at, otherwise) in otherwise.iter().enumerate() {
            let ty = self.func.atom_type(*otherwise);
            let var = self.func.fresh(ty);
            let arms = given.iter().map(|it| it[at]).collect();
            results.push(Choice { var, arms, otherwise: *otherwise });
        }
        let res = results.iter().map(|it| Atom::Var(it.var)).collect();
        self.emit(Node::Switch { value, arms, otherwise: Block::new(), results });
        res
    }

    fn constructors(&self, ty: &Type) -> Vec<ConDecl> {
        let cons = constructors(self.whole.program, ty);
        cons.unwrap_or_else(|error| panic!("compiler bug: {error}"))
    }

    /// New names for the fields of a constructor.
    fn fields(&mut self, con: &ConDecl, next: &mut u32) -> (Vec<Var>, Vec<Binder>) {
        let first = *next;
        *next += con.fields.len() as u32;
        let own: BTreeMap<ir::Var, ir::Var> =
            con.sizes.iter().copied().zip((first..).map(ir::Var)).collect();
        let size = |var: ir::Var| own.get(&var).map(|it| Size::var(*it));
        let binder =
            |(var, ty): (u32, &Type)| Binder { var: ir::Var(var), ty: ty.substitute_sizes(&size) };
        let binders: Vec<Binder> = (first..).zip(&con.fields).map(binder).collect();
        (binders.iter().map(|it| self.declare(it)).collect(), binders)
    }

    fn fields_equal(&mut self, compared: &Compared, xs: &[Binder], ys: &[Binder]) -> Vec<Atom> {
        let mut stay: Vec<Atom> = compared.values.iter().map(|it| Atom::Var(*it)).collect();
        let tail = xs.last().zip(ys.last());
        let tail = tail.filter(|it| abstracted(&it.0.ty, OWN).0 == compared.key);
        let n_now = xs.len() - usize::from(tail.is_some());
        let mut same = Atom::Bool(true);
        for (x, y) in xs[..n_now].iter().zip(ys) {
            same = self.field_equal(same, x, y, compared.tolerance);
        }
        let Some((x, y)) = tail else {
            stay.extend([Atom::Bool(false), same]);
            return stay;
        };
        let sizes = [abstracted(&x.ty, OWN).1, abstracted(&y.ty, OWN).1].concat();
        let mut next: Vec<Atom> = sizes.iter().map(|it| self.size(it)).collect();
        next.extend([x, y].map(|it| self.scalar(&ir::Atom::Var(it.var))));
        next.extend([same, same]);
        next
    }

    /// Whether all was equal before and these are; what may take long is done only if it was.
    fn field_equal(&mut self, same: Atom, x: &Binder, y: &Binder, tolerance: Tolerance) -> Atom {
        let types = (x.ty.clone(), y.ty.clone());
        let operands = [x, y].map(|it| self.operand(&ir::Atom::Var(it.var)));
        let [left, right] = operands;
        let (then, res) = self.within(|it| it.operands_equal(&types, &(left, right), tolerance));
        let is_short = !matches!(x.ty, Type::Array(..) | Type::Data(..));
        if is_short || same == Atom::Bool(true) {
            then.into_iter().for_each(|it| self.emit(it));
            return self.both(same, res);
        }
        let var = self.fresh(Scalar::Bool);
        let results = vec![Phi { var, then: res, otherwise: Atom::Bool(false) }];
        self.emit(Node::If { cond: same, then, otherwise: Block::new(), results });
        Atom::Var(var)
    }
}
