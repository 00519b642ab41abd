//! Builtins on all reals of a value, whatever its type: `map_reals`, `zip_reals`, `ravel`, `unravel`; and
//! `row` and `col`, whose size the other operand tells.
//!
//! They are written out by type (`elaborate/structure.rs`), so the type has to be known.

use base::Span;
use syntax::ast;

use crate::builtin::Builtin;
use crate::declare::TypeTable;
use crate::error::{FunctionError, StructureError, Unfit, Why};
use crate::infer::constraint::{Demand, Outcome};
use crate::infer::{Checker, Infer};
use crate::typed::Kind;
use crate::types::{Size, Type};

impl Infer<'_> {
    pub(super) fn call_structure(
        &mut self,
        builtin: Builtin,
        args: &[ast::Expr],
        span: Span,
    ) -> (Kind, Type) {
        let name = builtin.name();
        let (value, real) = (self.fresh(), Type::Real);
        let vector = Type::array(self.c.solver.fresh_size(), Type::Real);
        let f = |n: usize| Type::function(vec![real.clone(); n], real.clone());
        let (params, result, vector) = if builtin == Builtin::MapReals {
            (vec![f(1), value.clone()], value.clone(), None)
        } else if builtin == Builtin::ZipReals {
            (vec![f(2), value.clone(), value.clone()], value.clone(), None)
        } else if builtin == Builtin::Ravel {
            (vec![value.clone()], vector.clone(), Some(vector))
        } else {
            (vec![value.clone(), vector.clone()], value.clone(), Some(vector))
        };
        let args = self.arguments(name, &params, args, span);
        if args.len() != params.len() {
            return (Kind::Error, Type::Error);
        }
        if vector.is_none() {
            self.needs.directly(&value, params.len() - 1);
        }
        self.c.demand(Demand::Structure { ty: value, vector, name }, span);
        (Kind::CallBuiltin { builtin, args, sizes: Vec::new(), opaque: None }, result)
    }

    /// `row(v)` and `col(v)`: as often as what they are combined with has rows or columns.
    pub(super) fn call_repeat(
        &mut self,
        builtin: Builtin,
        args: &[ast::Expr],
        span: Span,
    ) -> (Kind, Type) {
        let name = builtin.name();
        let [arg] = args else {
            args.iter().for_each(|it| drop(self.expr(it, None)));
            self.report(FunctionError::arguments(name, span, 1, args.len()));
            return (Kind::Error, Type::Error);
        };
        let (own, other) = (self.c.solver.fresh_size(), self.c.solver.fresh_size());
        let elem = self.fresh();
        let wanted = Type::array(own.clone(), elem.clone());
        let arg = self.check(arg, &wanted, &Why::Argument(name.into(), None));
        let ty = match builtin == Builtin::Row {
            true => Type::array(other.clone(), wanted),
            false => Type::array(own, Type::array(other.clone(), elem)),
        };
        self.c.demand(Demand::Repeated { size: other, name }, span);
        (Kind::CallBuiltin { builtin, args: vec![arg], sizes: Vec::new(), opaque: None }, ty)
    }
}

impl Checker {
    pub(super) fn structure(
        &mut self,
        ty: &Type,
        vector: Option<&Type>,
        name: &'static str,
        span: Span,
    ) -> Outcome {
        let ty = self.solver.resolve(ty);
        if !self.solver.unknowns(&ty).0.is_empty() {
            return Outcome::Wait;
        }
        // A vector has as many elements as the type says, whatever the value is.
        let sums = vector.is_none();
        if let Some(why) = unfit(&self.table, &ty, sums, &mut Vec::new()) {
            return self.refuse(StructureError::Reals { name: name.into(), span, ty, why });
        }
        if let Some(vector) = vector {
            let n = n_reals(&self.table, &ty);
            self.force(vector, &Type::array(n, Type::Real), span);
        }
        Outcome::Done
    }

    pub(super) fn repeated(&mut self, size: &Size) -> Outcome {
        let ty = Type::array(size.clone(), Type::Real);
        match self.solver.unknowns(&ty).1.is_empty() {
            true => Outcome::Done,
            false => Outcome::Wait,
        }
    }
}

/// How often a sum type may be inside of itself at other types, as `Option<Option<Real>>` is.
const DEEPEST: usize = 8;

/// Why the reals of a type cannot be mapped, if so.
pub(crate) fn unmapped(table: &TypeTable, ty: &Type) -> Option<Unfit> {
    unfit(table, ty, true, &mut Vec::new())
}

/// Why a type cannot be written out, if so.
fn unfit(table: &TypeTable, ty: &Type, sums: bool, inside: &mut Vec<Type>) -> Option<Unfit> {
    match ty {
        Type::Real | Type::Int | Type::Bool | Type::String | Type::Error => None,
        Type::Function(..) => Some(Unfit::Function),
        // Whoever uses the definition says how its reals are reached, but not how many there are.
        Type::Param(name) => (!sums).then(|| Unfit::Variable(name.clone())),
        Type::Var(_) => None,
        Type::Tuple(parts) => parts.iter().find_map(|it| unfit(table, it, sums, inside)),
        Type::Array(_, elem) => unfit(table, elem, sums, inside),
        Type::Named(name, ..) => {
            if inside.contains(ty) {
                return None;
            }
            let at_another = |it: &Type| matches!(it, Type::Named(other, ..) if other == name);
            if inside.iter().filter(|it| at_another(it)).count() > DEEPEST {
                return Some(Unfit::Recursive(name.clone()));
            }
            let fields: Vec<Type> = match (table.record_fields(ty), table.constructors(ty)) {
                (Some(fields), _) => fields.into_iter().map(|(_, it)| it).collect(),
                (None, Some(_)) if !sums => return Some(Unfit::Sum(name.clone())),
                (None, cons) => cons.into_iter().flatten().flat_map(|it| it.1).collect(),
            };
            inside.push(ty.clone());
            let found = fields.iter().find_map(|it| unfit(table, it, sums, inside));
            inside.pop();
            found
        }
    }
}

/// Whether values of a type have values of the same type in them.
pub(crate) fn is_recursive(table: &TypeTable, ty: &Type) -> bool {
    let (mut seen, mut left) = (Vec::new(), vec![ty.clone()]);
    while let Some(next) = left.pop() {
        let Type::Named(..) = &next else {
            next.each(&mut |part| left.push(part.clone()));
            continue;
        };
        let fields = table.record_fields(&next).into_iter().flatten().map(|it| it.1);
        let parts = table.constructors(&next).into_iter().flatten().flat_map(|it| it.1);
        for part in fields.chain(parts) {
            if part == *ty {
                return true;
            }
            if !seen.contains(&part) {
                seen.push(part.clone());
                left.push(part);
            }
        }
    }
    false
}

/// How many reals a value of the type has; the type has no sums.
pub(crate) fn n_reals(table: &TypeTable, ty: &Type) -> Size {
    let all = |types: &mut dyn Iterator<Item = &Type>| {
        types.fold(Size::constant(0), |n, it| n.add(&n_reals(table, it)))
    };
    match ty {
        Type::Real => Size::constant(1),
        Type::Array(n, elem) => n.mul(&n_reals(table, elem)),
        Type::Tuple(parts) => all(&mut parts.iter()),
        Type::Named(..) => {
            let fields = table.record_fields(ty).unwrap_or_default();
            all(&mut fields.iter().map(|(_, it)| it))
        }
        Type::Int | Type::Bool | Type::String => Size::constant(0),
        Type::Function(..) | Type::Param(_) | Type::Var(_) | Type::Error => Size::constant(0),
    }
}
