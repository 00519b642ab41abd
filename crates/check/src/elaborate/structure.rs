//! `map_reals`, `zip_reals`, `ravel` and `unravel`: written out by the type of the value, so that every
//! method of differentiation sees ordinary operations; and `row` and `col`, by the type of the result.
//!
//! The checker has refused functions and, for vectors, type variables and sum types (`infer/structure.rs`).
//! A recursive type gets a definition that calls itself (`elaborate/walk.rs`), a type parameter is left to
//! what the definition gets for it (`elaborate/over_reals.rs`).

use std::sync::Arc;

use base::Name;
use ir::{Arm, ArrayOp, Atom, ControlOp, DeriveOp, FunctionOp, Op, Operator};

use crate::builtin::Builtin;
use crate::elaborate::Elaborate;
use crate::elaborate::call::Callable;
use crate::elaborate::over_reals::has_param;
use crate::infer::structure::is_recursive;
use crate::typed::Expr;
use crate::types::Type;

/// Whether what a builtin does depends on the types of its arguments or of its result.
pub(super) fn by_type(builtin: Builtin) -> bool {
    use Builtin::{Col, Einsum, MapReals, Ravel, Row, Unravel, ZipReals};
    [MapReals, ZipReals, Ravel, Unravel, Row, Col, Einsum].contains(&builtin)
}

impl Elaborate<'_> {
    pub(super) fn call_by_type(&mut self, builtin: Builtin, args: &[Expr], result: &Type) -> Atom {
        if builtin == Builtin::Row || builtin == Builtin::Col {
            return self.repeated(builtin, &args[0], result);
        }
        if builtin == Builtin::Einsum {
            return self.einsum(args);
        }
        if builtin == Builtin::Ravel {
            let value = self.expr(&args[0]);
            let ty = self.resolve(&args[0].ty);
            return self.ravel(&ty, value);
        }
        let ty = self.resolve(result);
        if builtin == Builtin::Unravel {
            let (like, reals) = (self.expr(&args[0]), self.expr(&args[1]));
            return self.unravel(&ty, like, &reals, &mut ir::Size::constant(0));
        }
        let f = self.prepare(&args[0]);
        let values: Vec<Atom> = args[1..].iter().map(|it| self.expr(it)).collect();
        self.refuse_unmapped(&ty, builtin.name());
        if !has_param(&ty) {
            return self.reals_of(&ty, values, &f);
        }
        let f = Callable::Value(self.function_of_reals(&f, values.len()));
        self.reals_of(&ty, values, &f)
    }

    /// The first value with the function of the reals at each place for the real there. Two values fit one
    /// another.
    pub(super) fn reals_of(&mut self, ty: &Type, mut values: Vec<Atom>, f: &Callable<'_>) -> Atom {
        if let [first, second] = &mut values[..]
            && self.has_sums(ty, &mut Vec::new())
        {
            *second = self.fitting(first.clone(), second.clone());
        }
        self.map_reals(ty, &values, f)
    }

    /// The second value, which must have the constructors and sizes of the first: as a direction has to
    /// have them, E0611.
    fn fitting(&mut self, first: Atom, second: Atom) -> Atom {
        let ty = self.b.type_of(&first);
        let var = self.b.fresh(ty.clone());
        let body = ir::Block { stmts: Vec::new(), results: vec![Atom::Var(var)] };
        let lambda = ir::Lambda { params: vec![ir::Binder { var, ty }], body };
        let function = self.b.one(Op::Function(FunctionOp::Lambda(Arc::new(lambda))));
        let (operator, args) = (Operator::Jvp, vec![first, second]);
        self.b.one(Op::Derive(DeriveOp::OfFunction { operator, level: 0, function, args }))
    }

    /// Whether a value of a sum type is in values of this type.
    fn has_sums(&self, ty: &Type, inside: &mut Vec<Type>) -> bool {
        let Type::Named(..) = ty else {
            let mut found = false;
            ty.each(&mut |part| found = found || self.has_sums(part, inside));
            return found;
        };
        if inside.contains(ty) {
            return false;
        }
        inside.push(ty.clone());
        match self.c.table.record_fields(ty) {
            Some(fields) => fields.iter().any(|(_, it)| self.has_sums(it, inside)),
            None => true,
        }
    }

    /// The same row, or column, as often as the type says.
    fn repeated(&mut self, builtin: Builtin, arg: &Expr, result: &Type) -> Atom {
        let value = self.expr(arg);
        let (dims, _) = self.ty(result).split_arrays();
        let is_row = builtin == Builtin::Row;
        let size = dims.get(usize::from(!is_row)).cloned();
        let size = size.unwrap_or_else(|| ir::Size::constant(0));
        let array = self.b.one(Op::Array(ArrayOp::Replicate { size, value }));
        if is_row {
            return array;
        }
        self.b.one(Op::Array(ArrayOp::Transpose { array, permutation: vec![1, 0] }))
    }

    /// The first value with the function of the reals at each place for the real there.
    fn map_reals(&mut self, ty: &Type, values: &[Atom], f: &Callable<'_>) -> Atom {
        match ty {
            Type::Real => self.invoke(f, values.to_vec()),
            Type::Array(_, elem) => {
                self.each_element(values, |this, elements| this.map_reals(elem, &elements, f))
            }
            Type::Tuple(types) => self.each_part(types, values, f),
            Type::Named(..) => match self.c.table.record_fields(ty) {
                Some(fields) => {
                    let types: Vec<Type> = fields.into_iter().map(|(_, it)| it).collect();
                    self.each_part(&types, values, f)
                }
                None if is_recursive(&self.c.table, ty) => self.walk(ty, values, f),
                None => self.each_field(ty, values, f),
            },
            Type::Param(_) => {
                let Some(own) = self.own_over_reals(ty, values.len()) else {
                    return values[0].clone();
                };
                let function = self.function_of_reals(f, values.len());
                let args = std::iter::once(function).chain(values.iter().cloned()).collect();
                self.call_value(&own, args)
            }
            Type::Int | Type::Bool | Type::String => values[0].clone(),
            Type::Function(..) | Type::Var(_) | Type::Error => values[0].clone(),
        }
    }

    fn each_part(&mut self, types: &[Type], values: &[Atom], f: &Callable<'_>) -> Atom {
        let mut parts = Vec::new();
        for (index, ty) in types.iter().enumerate() {
            let inside = self.parts(values, index);
            parts.push(self.map_reals(ty, &inside, f));
        }
        self.b.one(Op::Tuple { rank: 0, parts })
    }

    /// Of values of a sum type: constructor by constructor. They have the same ones.
    pub(super) fn each_field(&mut self, ty: &Type, values: &[Atom], f: &Callable<'_>) -> Atom {
        let made = self.ty(ty);
        let mut arms = Vec::new();
        for (con, types) in self.c.table.constructors(ty).unwrap_or_default() {
            let fields: Vec<ir::Binder> = types.iter().map(|it| self.field(it)).collect();
            self.open();
            let result = match &values[1..] {
                [] => self.made_of(&made, &con, &types, &[&fields], f),
                [second, ..] => {
                    let others: Vec<ir::Binder> = types.iter().map(|it| self.field(it)).collect();
                    self.open();
                    let result = self.made_of(&made, &con, &types, &[&fields, &others], f);
                    let body = self.close(vec![result]);
                    let arms = vec![Arm { con: con.clone(), fields: others, body }];
                    self.open();
                    let otherwise = Some(self.close(vec![values[0].clone()]));
                    let value = second.clone();
                    self.b.one(Op::Control(ControlOp::Match { value, arms, otherwise }))
                }
            };
            let body = self.close(vec![result]);
            arms.push(Arm { con, fields, body });
        }
        let value = values[0].clone();
        self.b.one(Op::Control(ControlOp::Match { value, arms, otherwise: None }))
    }

    /// A value of a constructor, of fields of one value or of two.
    fn made_of(
        &mut self,
        made: &ir::Type,
        con: &Name,
        types: &[Type],
        fields: &[&[ir::Binder]],
        f: &Callable<'_>,
    ) -> Atom {
        let mut args = Vec::new();
        for (at, ty) in types.iter().enumerate() {
            let inside: Vec<Atom> = fields.iter().map(|it| Atom::Var(it[at].var)).collect();
            args.push(self.map_reals(ty, &inside, f));
        }
        self.b.one(Op::Con { ty: made.clone(), con: con.clone(), args })
    }

    fn field(&mut self, ty: &Type) -> ir::Binder {
        let ty = self.ty(ty);
        ir::Binder { var: self.b.fresh(ty.clone()), ty }
    }

    /// That part of each of the values.
    fn parts(&mut self, values: &[Atom], index: usize) -> Vec<Atom> {
        let part = |it: &Atom| self.b.one(Op::Proj { tuple: it.clone(), index });
        values.iter().map(part).collect()
    }

    /// An array of what is made of the elements of arrays of one size.
    fn each_element(
        &mut self,
        arrays: &[Atom],
        make: impl FnOnce(&mut Self, Vec<Atom>) -> Atom,
    ) -> Atom {
        let size = self.outermost(&arrays[0]);
        let index = self.b.fresh(ir::Type::Int);
        self.open();
        let mut elements = Vec::new();
        for array in arrays {
            let (array, indices) = (array.clone(), vec![Atom::Var(index)]);
            elements.push(self.b.one(Op::Array(ArrayOp::Index { array, indices })));
        }
        let result = make(self, elements);
        let body = self.close(vec![result]);
        let sizes = vec![size];
        self.b.one(Op::Control(ControlOp::Build { sizes, indices: vec![index], body }))
    }

    fn outermost(&self, array: &Atom) -> ir::Size {
        let (dims, _) = self.b.type_of(array).split_arrays();
        dims.first().cloned().unwrap_or_else(|| ir::Size::constant(0))
    }

    /// All reals of a value, one after the other.
    fn ravel(&mut self, ty: &Type, value: Atom) -> Atom {
        let mut pieces = Vec::new();
        self.pieces(ty, value, &mut pieces);
        if pieces.is_empty() {
            return self.b.one(Op::Array(ArrayOp::Literal { elem: ir::Type::Real, parts: vec![] }));
        }
        self.b.one(Op::Array(ArrayOp::Concat(pieces)))
    }

    fn pieces(&mut self, ty: &Type, value: Atom, into: &mut Vec<Atom>) {
        match ty {
            Type::Real => {
                let (elem, parts) = (ir::Type::Real, vec![value]);
                into.push(self.b.one(Op::Array(ArrayOp::Literal { elem, parts })));
            }
            Type::Array(_, elem) => {
                if self.n_reals(elem).as_constant() == Some(0) {
                    return;
                }
                if is_reals(elem) {
                    let (dims, _) = self.b.type_of(&value).split_arrays();
                    let rank = dims.len();
                    into.push(self.flat(value, rank));
                } else {
                    let rows = self.each_element(&[value], |this, mut elements| {
                        let element = elements.remove(0);
                        this.ravel(elem, element)
                    });
                    into.push(self.flat(rows, 2));
                }
            }
            Type::Tuple(_) | Type::Named(..) => {
                for (index, ty) in self.part_types(ty).iter().enumerate() {
                    let part = self.part(value.clone(), index);
                    self.pieces(ty, part, into);
                }
            }
            Type::Int | Type::Bool | Type::String => {}
            Type::Function(..) | Type::Param(_) | Type::Var(_) | Type::Error => {}
        }
    }

    fn part(&mut self, tuple: Atom, index: usize) -> Atom {
        self.b.one(Op::Proj { tuple, index })
    }

    /// The elements of the leading axes in one.
    fn flat(&mut self, array: Atom, rank: usize) -> Atom {
        if rank < 2 {
            return array;
        }
        let (dims, _) = self.b.type_of(&array).split_arrays();
        let n = dims.iter().take(rank).fold(ir::Size::constant(1), |n, it| n.mul(it));
        self.b.one(Op::Array(ArrayOp::Reshape { array, rank, sizes: vec![n] }))
    }

    /// A value like the one given, with the reals of a vector from a position on; moves the position.
    fn unravel(&mut self, ty: &Type, like: Atom, reals: &Atom, at: &mut ir::Size) -> Atom {
        match ty {
            Type::Real => {
                let position = self.b.one(Op::Size(at.clone()));
                *at = at.add(&ir::Size::constant(1));
                let (array, indices) = (reals.clone(), vec![position]);
                self.b.one(Op::Array(ArrayOp::Index { array, indices }))
            }
            Type::Array(_, elem) => {
                let each = self.n_reals(elem);
                if each.as_constant() == Some(0) {
                    return like;
                }
                let n = self.outermost(&like);
                let (from, to) = (at.clone(), at.add(&n.mul(&each)));
                *at = to.clone();
                let array = reals.clone();
                let own = self.b.one(Op::Array(ArrayOp::Slice { array, axis: 0, from, to }));
                if is_reals(elem) {
                    let (sizes, _) = self.b.type_of(&like).split_arrays();
                    return self.b.one(Op::Array(ArrayOp::Reshape { array: own, rank: 1, sizes }));
                }
                let (rank, sizes) = (1, vec![n, each]);
                let rows = self.b.one(Op::Array(ArrayOp::Reshape { array: own, rank, sizes }));
                self.each_element(&[like, rows], |this, mut elements| {
                    let (row, like) = (elements.remove(1), elements.remove(0));
                    this.unravel(elem, like, &row, &mut ir::Size::constant(0))
                })
            }
            Type::Tuple(_) | Type::Named(..) => {
                let mut parts = Vec::new();
                for (index, ty) in self.part_types(ty).iter().enumerate() {
                    let part = self.part(like.clone(), index);
                    parts.push(self.unravel(ty, part, reals, at));
                }
                self.b.one(Op::Tuple { rank: 0, parts })
            }
            Type::Int | Type::Bool | Type::String => like,
            Type::Function(..) | Type::Param(_) | Type::Var(_) | Type::Error => like,
        }
    }

    /// The types of the parts of a tuple or record.
    fn part_types(&self, ty: &Type) -> Vec<Type> {
        if let Type::Tuple(types) = ty {
            return types.clone();
        }
        let fields = self.c.table.record_fields(ty).unwrap_or_default();
        fields.into_iter().map(|(_, it)| it).collect()
    }

    /// How many reals a value of the type has.
    fn n_reals(&mut self, ty: &Type) -> ir::Size {
        let n = crate::infer::structure::n_reals(&self.c.table, ty);
        self.size(&n)
    }
}

/// Reals, or arrays of them.
fn is_reals(ty: &Type) -> bool {
    match ty {
        Type::Real => true,
        Type::Array(_, elem) => is_reals(elem),
        Type::Int | Type::Bool | Type::String | Type::Tuple(_) | Type::Function(..) => false,
        Type::Named(..) | Type::Param(_) | Type::Var(_) | Type::Error => false,
    }
}
