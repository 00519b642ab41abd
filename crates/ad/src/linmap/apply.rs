//! What linear maps mean, as statements: `m @ x`. Transposing these statements gives `r @R m`.
//!
//! Paper: Figure 4, its semantics; one arm per operator.
//! Cost: a sum of scaled vectors is one linear combination, and no matrix is made; a `V` or `H` of the
//! identity is a replication or a sum, others are loops.

use std::collections::BTreeSet;

use ir::{
    ArrayOp, Atom, Binder, Block, ControlOp, DeltaOp, Op, Prim, Reduction, Stmt, Term, Type, Var,
    walk,
};

use super::laws::simplify;
use super::map::{Map, Scalar, hole, put_atoms};
use super::typing::codomain;
use crate::linear::code::{Code, real, var_of};
use crate::linear::transpose::Transpose;

/// Where linear statements go.
pub(crate) trait Sink {
    /// Makes the statements that are not linear.
    fn code(&mut self) -> &mut Code;
    /// Adds a linear statement.
    fn linear(&mut self, op: Op) -> Vec<Atom>;
    /// Zeros where linear statements are.
    fn zeros(&mut self, ty: &Type) -> Atom;
    /// Adds a statement that was made elsewhere.
    fn adopt(&mut self, stmt: Stmt);
    /// Begins a block of linear statements.
    fn open(&mut self);
    /// Ends it.
    fn close(&mut self, results: Vec<Atom>) -> Block;
}

/// A vector that may be not written down yet.
#[derive(Clone, Debug)]
pub(crate) enum Vector {
    /// The vector that maps which are variables were applied to already.
    Input,
    /// A zero of the space.
    Zero(Type),
    /// Vectors of one space, each with a factor if it is not 1.
    Sum(Vec<(Option<Atom>, Atom)>),
    /// A vector of a space of tuples.
    Tuple(Vec<Vector>),
}

impl Vector {
    pub(crate) fn of(atom: Atom) -> Vector {
        Vector::Sum(vec![(None, atom)])
    }
}

/// `map @ vector`
pub(crate) fn apply(sink: &mut dyn Sink, map: &Map, vector: Vector) -> Vector {
    match map {
        Map::Zero(ty) => Vector::Zero(ty.clone()),
        Map::One => vector,
        Map::Scale(factor) => {
            let factor = scalar(sink, factor);
            scaled(sink, &factor, vector)
        }
        Map::Compose(outer, inner) => {
            let vector = apply(sink, inner, vector);
            apply(sink, outer, vector)
        }
        Map::Sum(parts) => {
            // It is used by each of them.
            let vector = written(sink, vector);
            let parts: Vec<Vector> =
                parts.iter().map(|it| apply(sink, it, vector.clone())).collect();
            sum(parts)
        }
        Map::VCat(parts) => {
            let vector = written(sink, vector);
            Vector::Tuple(parts.iter().map(|it| apply(sink, it, vector.clone())).collect())
        }
        Map::HCat(parts) => {
            let vectors = tuple(vector, parts.len());
            let parts = parts.iter().zip(vectors).map(|(it, x)| apply(sink, it, x)).collect();
            sum(parts)
        }
        Map::VBuild(size, _, body) if **body == Map::One && !is_tuple(&vector) => {
            let value = atom(sink, vector);
            let op = ArrayOp::Replicate { size: size.clone(), value };
            Vector::of(sink.linear(Op::Array(op)).remove(0))
        }
        Map::VBuild(size, index, body) => {
            let vector = written(sink, vector);
            let build = |sink: &mut dyn Sink, at: Var| {
                apply(sink, &body.at(*index, &Atom::Var(at)), vector)
            };
            Vector::of(build_each(sink, size, build).remove(0))
        }
        Map::HBuild(_, _, body) if **body == Map::One => {
            let array = atom(sink, vector);
            Vector::of(sum_of(sink, array))
        }
        Map::HBuild(size, index, body) => {
            let array = atom(sink, vector);
            let build = |sink: &mut dyn Sink, at: Var| {
                let indices = vec![Atom::Var(at)];
                let element = sink.linear(Op::Array(ArrayOp::Index { array, indices })).remove(0);
                apply(sink, &body.at(*index, &Atom::Var(at)), Vector::of(element))
            };
            let arrays = build_each(sink, size, build);
            let mut sums: Vec<Vector> =
                arrays.into_iter().map(|it| Vector::of(sum_of(sink, it))).collect();
            if sums.len() == 1 { sums.remove(0) } else { Vector::Tuple(sums) }
        }
        Map::Transpose(from, map) => transposed(sink, from, map, vector),
        Map::Builtin(op, holes) => {
            let operands = if *holes == 1 { vec![vector] } else { tuple(vector, *holes) };
            let operands: Vec<Atom> = operands.into_iter().map(|it| atom(sink, it)).collect();
            let put = |it: &Atom| {
                let at = (0..*holes).find(|at| *it == Atom::Var(hole(*at)));
                at.map_or_else(|| it.clone(), |at| operands[at].clone())
            };
            Vector::of(sink.linear(put_atoms(op, &put)).remove(0))
        }
        Map::Var(var) => Vector::of(Atom::Var(*var)),
    }
}

/// The factor as a value of the program.
pub(crate) fn scalar(sink: &mut dyn Sink, factor: &Scalar) -> Atom {
    match factor {
        Scalar::Atom(atom) => atom.clone(),
        Scalar::Times(a, b) => {
            let (a, b) = (scalar(sink, a), scalar(sink, b));
            sink.code().prim(Prim::Scale, vec![a, b])
        }
        Scalar::Plus(a, b) => {
            let (a, b) = (scalar(sink, a), scalar(sink, b));
            sink.code().prim(Prim::Add, vec![a, b])
        }
    }
}

/// The vector as an atom; a tuple has none.
pub(crate) fn atom(sink: &mut dyn Sink, vector: Vector) -> Atom {
    match vector {
        Vector::Zero(ty) => sink.zeros(&ty),
        Vector::Sum(parts) => {
            if let [(None, only)] = parts.as_slice() {
                return only.clone();
            }
            let term = |(factor, delta): (Option<Atom>, Atom)| Term {
                factor: factor.unwrap_or_else(|| real(1.0)),
                delta,
            };
            let terms = parts.into_iter().map(term).collect();
            sink.linear(Op::Delta(DeltaOp::Combine(terms))).remove(0)
        }
        Vector::Tuple(_) | Vector::Input => panic!("compiler bug: no vector of one array"),
    }
}

/// The vector with its sums written down, so that it can be used more than once.
fn written(sink: &mut dyn Sink, vector: Vector) -> Vector {
    match vector {
        Vector::Input | Vector::Zero(_) => vector,
        Vector::Sum(_) => Vector::of(atom(sink, vector)),
        Vector::Tuple(parts) => {
            Vector::Tuple(parts.into_iter().map(|it| written(sink, it)).collect())
        }
    }
}

fn scaled(sink: &mut dyn Sink, factor: &Atom, vector: Vector) -> Vector {
    match vector {
        Vector::Zero(_) => vector,
        Vector::Sum(parts) => match parts.as_slice() {
            [(None, only)] => Vector::Sum(vec![(Some(factor.clone()), only.clone())]),
            _ => {
                let only = atom(sink, Vector::Sum(parts));
                Vector::Sum(vec![(Some(factor.clone()), only)])
            }
        },
        Vector::Tuple(parts) => {
            Vector::Tuple(parts.into_iter().map(|it| scaled(sink, factor, it)).collect())
        }
        Vector::Input => panic!("compiler bug: the input of let-bound maps is scaled"),
    }
}

fn sum(vectors: Vec<Vector>) -> Vector {
    let mut vectors = vectors.into_iter();
    let first = vectors.next().expect("a sum of something");
    vectors.fold(first, |sum, it| match (sum, it) {
        (Vector::Zero(_), it) | (it, Vector::Zero(_)) => it,
        (Vector::Sum(mut parts), Vector::Sum(more)) => {
            parts.extend(more);
            Vector::Sum(parts)
        }
        (Vector::Tuple(parts), Vector::Tuple(more)) => {
            let pairs = parts.into_iter().zip(more);
            Vector::Tuple(pairs.map(|(a, b)| self::sum(vec![a, b])).collect())
        }
        (a, b) => panic!("compiler bug: a sum of {a:?} and {b:?}"),
    })
}

fn tuple(vector: Vector, count: usize) -> Vec<Vector> {
    match vector {
        Vector::Tuple(parts) => parts,
        Vector::Zero(Type::Tuple(parts)) => parts.into_iter().map(Vector::Zero).collect(),
        Vector::Input | Vector::Zero(_) | Vector::Sum(_) => {
            panic!("compiler bug: no tuple of {count}")
        }
    }
}

fn is_tuple(vector: &Vector) -> bool {
    matches!(vector, Vector::Tuple(_))
}

fn sum_of(sink: &mut dyn Sink, array: Atom) -> Atom {
    let op = ArrayOp::Reduce { reduction: Reduction::Sum, axis: 0, array };
    sink.linear(Op::Array(op)).remove(0)
}

/// Arrays of what is made for each index; one for each part of a tuple.
fn build_each(
    sink: &mut dyn Sink,
    size: &ir::Size,
    each: impl FnOnce(&mut dyn Sink, Var) -> Vector,
) -> Vec<Atom> {
    // The map may occur twice, but a variable is bound once.
    let index = sink.code().fresh(Type::Int).var;
    sink.open();
    let results = match each(sink, index) {
        Vector::Tuple(parts) => parts.into_iter().map(|it| atom(sink, it)).collect(),
        one @ (Vector::Input | Vector::Zero(_) | Vector::Sum(_)) => vec![atom(sink, one)],
    };
    let body = sink.close(results);
    let (sizes, indices) = (vec![size.clone()], vec![index]);
    sink.linear(Op::Control(ControlOp::Build { sizes, indices, body }))
}

/// `vector @R map`: the laws push the transpose inwards, and that of a built-in operation is the transpose
/// of its statement.
fn transposed(sink: &mut dyn Sink, from: &Type, map: &Map, vector: Vector) -> Vector {
    let inward = {
        let code = sink.code();
        let types = |var: Var| code.builder.find_type(var);
        let to = codomain(&types, map, from).unwrap_or_else(|it| panic!("compiler bug: {it}"));
        simplify(&types, &Map::Transpose(from.clone(), Box::new(map.clone())), &to)
    };
    let Map::Transpose(from, map) = &inward else { return apply(sink, &inward, vector) };
    let cotangents: Vec<Atom> = parts(vector).into_iter().map(|it| atom(sink, it)).collect();
    sink.code().builder.open();
    let inputs: Vec<Binder> = spaces(from).into_iter().map(|it| sink.code().fresh(it)).collect();
    let (block, linear) = Plain::block(sink.code(), from, &inputs, map);
    let mut transpose = Transpose::new(sink.code(), &linear);
    inputs.iter().for_each(|it| transpose.input(it, None));
    transpose.block(&block, cotangents.into_iter().map(Some).collect());
    let sums: Vec<Atom> = inputs.iter().map(|it| transpose.take_or_zeros(it.var)).collect();
    let made = sink.code().builder.close(Vec::new()).stmts;
    made.into_iter().for_each(|it| sink.adopt(it));
    together(from, sums)
}

/// The parts of a vector that are one array each.
fn parts(vector: Vector) -> Vec<Vector> {
    match vector {
        Vector::Tuple(all) => all.into_iter().flat_map(parts).collect(),
        Vector::Zero(Type::Tuple(types)) => {
            types.into_iter().map(Vector::Zero).flat_map(parts).collect()
        }
        Vector::Input | Vector::Zero(_) | Vector::Sum(_) => vec![vector],
    }
}

/// The spaces of these parts.
pub(crate) fn spaces(ty: &Type) -> Vec<Type> {
    if let Type::Tuple(types) = ty {
        return types.iter().flat_map(spaces).collect();
    }
    vec![ty.clone()]
}

/// The vector of a space whose parts these are.
fn together(ty: &Type, atoms: Vec<Atom>) -> Vector {
    fn next(ty: &Type, atoms: &mut impl Iterator<Item = Atom>) -> Vector {
        if let Type::Tuple(types) = ty {
            return Vector::Tuple(types.iter().map(|it| next(it, atoms)).collect());
        }
        Vector::of(atoms.next().expect("an atom for each part"))
    }
    next(ty, &mut atoms.into_iter())
}

/// Linear statements among those of the program.
pub(crate) struct Plain<'c> {
    code: &'c mut Code,
    linear: BTreeSet<Var>,
}

impl Plain<'_> {
    /// The block of `map @ inputs`, and which of its variables are linear.
    pub(crate) fn block(
        code: &mut Code,
        from: &Type,
        inputs: &[Binder],
        map: &Map,
    ) -> (Block, BTreeSet<Var>) {
        let linear = inputs.iter().map(|it| it.var).collect();
        let mut plain = Plain { code, linear };
        plain.open();
        let input = together(from, inputs.iter().map(|it| Atom::Var(it.var)).collect());
        let vector = apply(&mut plain, map, input);
        let results = parts(vector).into_iter().map(|it| atom(&mut plain, it)).collect();
        (plain.close(results), plain.linear)
    }
}

impl Sink for Plain<'_> {
    fn code(&mut self) -> &mut Code {
        self.code
    }

    fn linear(&mut self, op: Op) -> Vec<Atom> {
        let results = self.code.emit(op);
        self.linear.extend(results.iter().filter_map(var_of));
        results
    }

    fn zeros(&mut self, ty: &Type) -> Atom {
        self.code.zeros(ty)
    }

    fn adopt(&mut self, stmt: Stmt) {
        if !walk::free_vars_op(&stmt.op).is_disjoint(&self.linear) {
            self.linear.extend(stmt.binders.iter().map(|it| it.var));
        }
        self.code.builder.push(stmt);
    }

    fn open(&mut self) {
        self.code.builder.open();
    }

    fn close(&mut self, results: Vec<Atom>) -> Block {
        self.code.builder.close(results)
    }
}
