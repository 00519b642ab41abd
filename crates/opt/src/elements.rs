//! Jacobians that are known element by element: where each element of a result reads a few elements of the
//! parameters, the rows of the Jacobian are small dense ones, beside the positions that were read.
//!
//! `build i < p => r(x[k[i]], y[i])` becomes `build i < p => (k[i], i, jacobian(\z => r(z[0], z[1]))([x[k[i]], y[i]]))`.
//! Operations on whole arrays that are element by element, slices and rows count as builds, and a build that
//! reads an element of another one computes it again. A read in a branch is done before the branch is taken,
//! under its condition; where it does not hold, the position is -1.
//!
//! Requires: dialect FirstOrder, verified, without tuples (`flatten`), calls inlined (`inline`).
//! Ensures: a definition of the dialect Source with the same parameters. Running it fails only where the
//! given one fails, or where it reads something that no element needs: who calls it has another way.
//! Cost: linear in the size of what comes out, which is bounded by `MOST_STATEMENTS`.
//! Not done: reads inside of loops, positions that depend on the reals that are differentiated by, results
//! that are numbers, sum types, calls that are left.
//! No paper has it; it is ours.
//! Tests: `crates/cotan/tests/library/elements.rs`.

mod body;
mod branch;
mod recipe;

use std::collections::BTreeMap;
use std::sync::Arc;

use ir::{
    ArrayOp, Atom, Binder, Block, Builder, ControlOp, Def, DeriveOp, FunctionOp, Lambda, Op,
    Operator, Origin, Program, Size, Type, Var, walk,
};

use base::Name;
use body::Body;
use recipe::{Built, Recipe};

/// Statements of one element after which it is given up.
const MOST_STATEMENTS: usize = 4000;

/// A definition that gives small Jacobians, and how its result is to be read.
pub struct Elements {
    /// It gives a tuple, for each segment: how many elements there are, how many rows and how many columns
    /// each has, then for each read an array for each of its indices, then the Jacobians.
    pub def: Def,
    /// The rows of the whole Jacobian, in order.
    pub segments: Vec<Segment>,
}

/// Elements that are made alike.
pub struct Segment {
    /// What each of them reads, in the order of the columns.
    pub reads: Vec<Read>,
}

/// An element or a row of a parameter.
pub struct Read {
    /// The parameter, by number.
    pub param: usize,
    /// How many indices there are.
    pub n_indices: usize,
}

/// The small Jacobians of a definition by these of its parameters, as a definition of this name.
pub fn elements(program: &Program, at: &Name, by: &[bool], name: Name) -> Option<Elements> {
    let def = program.defs.get(at)?;
    let is_plain = |it: &Binder| match it.ty.split_arrays().1 {
        Type::Real | Type::Int | Type::Bool => true,
        Type::String | Type::Tuple(_) | Type::Array(..) | Type::Function(..) => false,
        Type::Var(_) | Type::Data(..) | Type::Dual(_) | Type::Delta | Type::Tape(_) => false,
    };
    let params = def.params.iter().chain(&def.results).all(is_plain);
    if !params || !def.type_params.is_empty() || !is_first_order(&def.body) {
        return None;
    }
    let mut pass = Pass {
        builder: Builder::new(program, walk::next_var(def)),
        active: BTreeMap::new(),
        recipes: BTreeMap::new(),
    };
    def.size_params.iter().for_each(|it| pass.builder.declare(*it, Type::Int));
    for (number, (param, is_active)) in def.params.iter().zip(by).enumerate() {
        pass.builder.declare(param.var, param.ty.clone());
        if *is_active && *param.ty.split_arrays().1 == Type::Real {
            pass.active.insert(param.var, (number, param.ty.clone()));
        }
    }
    pass.builder.open();
    def.body.stmts.iter().try_for_each(|it| pass.statement(it))?;
    let (mut parts, mut segments) = (Vec::new(), Vec::new());
    for (result, atom) in def.results.iter().zip(&def.body.results) {
        if *result.ty.split_arrays().1 == Type::Real {
            pass.result(atom, &mut parts, &mut segments)?;
        }
    }
    if segments.is_empty() {
        return None;
    }
    let tuple = pass.builder.one(Op::Tuple { rank: 0, parts });
    let ty = pass.builder.type_of(&tuple);
    let result = Binder { var: pass.builder.fresh(ty.clone()), ty };
    let body = pass.builder.close(vec![tuple]);
    let (next_var, mut spans) = pass.builder.finish();
    spans.0.extend(def.spans.0.iter().map(|(var, span)| (*var, *span)));
    let def = Def {
        name,
        results: vec![result],
        body,
        next_var,
        spans,
        origin: Origin::Source,
        ..Def::clone(def)
    };
    Some(Elements { def, segments })
}

/// Whether nothing is called or differentiated in a block, and nothing has a sum type.
fn is_first_order(block: &Block) -> bool {
    block.stmts.iter().all(|stmt| {
        let here = match &stmt.op {
            Op::Function(_) | Op::Derive(_) | Op::Delta(_) | Op::Con { .. } => false,
            Op::Tuple { .. } | Op::Proj { .. } => false,
            Op::Control(ControlOp::Match { .. }) | Op::Array(ArrayOp::Filter { .. }) => false,
            Op::Copy(_) | Op::Prim(..) | Op::Size(_) | Op::Equal(..) | Op::Close(..) => true,
            Op::Array(_) | Op::Control(_) => true,
        };
        here && walk::blocks(&stmt.op).iter().all(|it| is_first_order(it.1))
    })
}

/// A definition on its way.
struct Pass<'p> {
    builder: Builder<'p>,
    /// The parameters that derivatives are by, with their numbers.
    active: BTreeMap<Var, (usize, Type)>,
    /// How what depends on them is made.
    recipes: BTreeMap<Var, Recipe>,
}

impl Pass<'_> {
    /// The segments of a result.
    fn result(
        &mut self,
        atom: &Atom,
        parts: &mut Vec<Atom>,
        segments: &mut Vec<Segment>,
    ) -> Option<()> {
        let Atom::Var(var) = atom else { return None };
        match self.recipes.get(var)?.clone() {
            Recipe::Alias(of) => self.result(&Atom::Var(of), parts, segments),
            Recipe::Concat(of) => of.iter().try_for_each(|it| self.result(it, parts, segments)),
            Recipe::Build(built) => {
                segments.push(self.segment(&built, parts)?);
                Some(())
            }
            Recipe::Inline(_) => None,
        }
    }

    fn segment(&mut self, built: &Built, parts: &mut Vec<Atom>) -> Option<Segment> {
        let indices: Vec<Var> = built.sizes.iter().map(|_| self.builder.fresh(Type::Int)).collect();
        let at: Vec<Atom> = indices.iter().map(|it| Atom::Var(*it)).collect();
        let (mut stmts, mut pulled) = (Vec::new(), BTreeMap::new());
        let result = self.element(built, &at, &mut stmts, &mut pulled)?;
        let body = Body::new(self, stmts, &result)?;
        self.builder.open();
        body.before.iter().for_each(|it| self.builder.push(it.clone()));
        let widths: Vec<Size> = body.reads.iter().map(|it| count(&it.ty)).collect();
        let inputs = body.reads.iter().zip(&widths);
        let inputs = inputs.map(|(it, width)| {
            let array = Atom::Var(it.value);
            self.builder.one(Op::Array(match it.ty.split_arrays().0.len() {
                0 => ArrayOp::Literal { elem: Type::Real, parts: vec![array] },
                1 => return array,
                rank => ArrayOp::Reshape { array, rank, sizes: vec![width.clone()] },
            }))
        });
        let inputs: Vec<Atom> = inputs.collect();
        let input = self.builder.one(Op::Array(ArrayOp::Concat(inputs)));
        let columns = widths.iter().fold(Size::constant(0), |sum, it| sum.add(it));
        let (function, ty) = self.function(&body, &widths, &columns, result);
        let args = vec![input];
        let operator = Operator::Jacobian;
        let derivative = DeriveOp::OfFunction { operator, level: 0, function, args };
        let jacobian = self.builder.one(Op::Derive(derivative));
        let mut given: Vec<Atom> = body.reads.iter().flat_map(|it| it.indices.clone()).collect();
        given.push(jacobian);
        let block = self.builder.close(given);
        let sizes = built.sizes.clone();
        let n = sizes.iter().fold(Size::constant(1), |product, it| product.mul(it));
        for size in [n, count(&ty), columns] {
            parts.push(self.builder.one(Op::Size(size)));
        }
        parts.extend(self.builder.emit(Op::Control(ControlOp::Build {
            sizes,
            indices,
            body: block,
        })));
        let read = |it: &body::Read| Read { param: it.param, n_indices: it.indices.len() };
        Some(Segment { reads: body.reads.iter().map(read).collect() })
    }

    /// An element as a function of all that it reads, and its type.
    fn function(
        &mut self,
        body: &Body,
        widths: &[Size],
        columns: &Size,
        result: Atom,
    ) -> (Atom, Type) {
        let ty = Type::array(columns.clone(), Type::Real);
        let input = Binder { var: self.builder.fresh(ty.clone()), ty };
        let array = Atom::Var(input.var);
        self.builder.open();
        let mut from = Size::constant(0);
        for (read, width) in body.reads.iter().zip(widths) {
            let to = from.add(width);
            let slice = ArrayOp::Slice {
                array: array.clone(),
                axis: 0,
                from: from.clone(),
                to: to.clone(),
            };
            let sizes = read.ty.split_arrays().0;
            let op = match sizes.len() {
                0 => {
                    let at = match from.as_constant() {
                        Some(it) => Atom::Int(it),
                        None => self.builder.one(Op::Size(from.clone())),
                    };
                    ArrayOp::Index { array: array.clone(), indices: vec![at] }
                }
                1 => slice,
                _ => {
                    let array = self.builder.one(Op::Array(slice));
                    ArrayOp::Reshape { array, rank: 1, sizes }
                }
            };
            self.builder.bind(&[read.var], Op::Array(op));
            from = to;
        }
        body.after.iter().for_each(|it| self.builder.push(it.clone()));
        let ty = self.builder.type_of(&result);
        let body = self.builder.close(vec![result]);
        let lambda = Lambda { params: vec![input], body };
        (self.builder.one(Op::Function(FunctionOp::Lambda(Arc::new(lambda)))), ty)
    }
}

/// How many numbers a type has.
fn count(ty: &Type) -> Size {
    ty.split_arrays().0.iter().fold(Size::constant(1), |product, it| product.mul(it))
}
