//! Random linear maps of given domain and codomain, and left sides of laws.

use ad::linmap::map::{Map, Scalar, hole};
use array::{Buffer, Dense};
use eval::Value;
use generate::Random;
use ir::{ArrayOp, Atom, Binder, Literal, Op, Size, Type, Var};

use super::matrix::dimension;

/// The longest array.
const LONGEST: usize = 3;

/// A map, its domain and its codomain.
pub(crate) fn map(seed: u64, depth: usize) -> (Map, Type, Type) {
    let mut random = Random::new(seed);
    let (from, to) = (space(&mut random, 2), space(&mut random, 2));
    // As often as not a square one, so that there are identities.
    let to = if random.once_in(2) { from.clone() } else { to };
    let mut next = FIRST_INDEX;
    (between(&mut random, &mut next, &from, &to, depth), from, to)
}

/// Factors that are arrays: one variable for each length.
pub(crate) fn given() -> Vec<Binder> {
    (0..=LONGEST).map(|n| Binder { var: Var(n as u32), ty: vector_of(n) }).collect()
}

pub(crate) fn given_values() -> Vec<Value> {
    given().iter().map(|it| dense(vec![it.var.0 as usize], factors(it.var))).collect()
}

/// What the array with this name has in it.
pub(crate) fn factors(var: Var) -> Vec<f64> {
    (0..var.0).map(|at| 0.5 + f64::from(at) - 0.25 * f64::from(var.0)).collect()
}

pub(crate) fn types(var: Var) -> Option<Type> {
    given().into_iter().find(|it| it.var == var).map(|it| it.ty)
}

pub(crate) fn vector(seed: u64, n: usize) -> Vec<f64> {
    let mut random = Random::new(seed ^ 0x5eed);
    (0..n).map(|_| number(&mut random)).collect()
}

/// The parts of a space that are one array each.
pub(crate) fn parts(space: &Type) -> Vec<Type> {
    if let Type::Tuple(all) = space {
        return all.iter().flat_map(parts).collect();
    }
    vec![space.clone()]
}

/// A value of a space that is no tuple.
pub(crate) fn value(space: &Type, numbers: &[f64]) -> Value {
    let sizes = space.split_arrays().0;
    if sizes.is_empty() {
        return Value::Real(numbers[0]);
    }
    let shape = sizes.iter().map(|it| it.as_constant().expect("a constant") as usize);
    dense(shape.collect(), numbers.to_vec())
}

fn dense(shape: Vec<usize>, numbers: Vec<f64>) -> Value {
    Value::from(Dense { shape, data: Buffer::Real(numbers) })
}

const FIRST_INDEX: u32 = 100;

/// Small numbers with short texts.
fn number(random: &mut Random) -> f64 {
    f64::from(random.within(-8, 8) as i32) / 4.0
}

fn vector_of(n: usize) -> Type {
    Type::array(Size::constant(n as i64), Type::Real)
}

fn space(random: &mut Random, depth: usize) -> Type {
    if depth > 0 && random.once_in(3) {
        let count = 1 + random.below(3);
        return Type::Tuple((0..count).map(|_| space(random, depth - 1)).collect());
    }
    let rank = random.below(3);
    (0..rank)
        .fold(Type::Real, |ty, _| Type::array(Size::constant(random.below(LONGEST + 1) as i64), ty))
}

fn scale(random: &mut Random, space: &Type) -> Map {
    if let Type::Array(size, elem) = space
        && **elem == Type::Real
        && random.once_in(2)
    {
        return Map::scale(Atom::Var(Var(size.as_constant().expect("a constant") as u32)));
    }
    Map::scale(Atom::Real(Literal(number(random))))
}

/// A map from one space to another; `next` numbers indices.
fn between(random: &mut Random, next: &mut u32, from: &Type, to: &Type, depth: usize) -> Map {
    if depth == 0 {
        return match (from == to, random.below(3)) {
            (true, 0) => Map::One,
            (true, 1) => scale(random, from),
            (true, _) | (false, _) => Map::Zero(to.clone()),
        };
    }
    let mut all = |random: &mut Random, spaces: &[(Type, Type)]| -> Vec<Map> {
        spaces.iter().map(|(from, to)| between(random, next, from, to, depth - 1)).collect()
    };
    match random.below(10) {
        0 | 1 => {
            let middle = if random.once_in(2) { from.clone() } else { space(random, 1) };
            let inner = all(random, &[(from.clone(), middle.clone())]).remove(0);
            all(random, &[(middle, to.clone())]).remove(0).after(inner)
        }
        2 => {
            let count = 1 + random.below(3);
            Map::Sum(all(random, &vec![(from.clone(), to.clone()); count]))
        }
        3 => Map::Transpose(
            to.clone(),
            Box::new(all(random, &[(to.clone(), from.clone())]).remove(0)),
        ),
        4 if from == to => scale(random, from),
        5 if from == to => Map::One,
        _ => by_form(random, next, from, to, depth),
    }
}

/// By what the spaces are made of.
fn by_form(random: &mut Random, next: &mut u32, from: &Type, to: &Type, depth: usize) -> Map {
    if let Type::Tuple(parts) = to
        && (random.once_in(2) || !matches!(from, Type::Tuple(_)))
    {
        let parts = parts.iter().map(|to| between(random, next, from, to, depth - 1));
        return Map::VCat(parts.collect());
    }
    if let Type::Tuple(parts) = from {
        let parts = parts.iter().map(|from| between(random, next, from, to, depth - 1));
        return Map::HCat(parts.collect());
    }
    if let Type::Array(size, elem) = from {
        let n = size.as_constant().expect("a constant");
        let array = Atom::Var(hole(0));
        if **elem == *to && n > 0 && random.once_in(2) {
            let indices = vec![Atom::Int(random.below(n as usize) as i64)];
            return Map::builtin(Op::Array(ArrayOp::Index { array, indices }));
        }
        if from == to && random.once_in(2) {
            return Map::builtin(Op::Array(ArrayOp::Reverse(array)));
        }
    }
    if let Type::Array(size, elem) = to
        && random.once_in(2)
    {
        let index = fresh(next);
        let body = with_index(random, next, (from, elem), (size, index), depth);
        return Map::VBuild(size.clone(), index, Box::new(body));
    }
    if let Type::Array(size, elem) = from {
        let index = fresh(next);
        let body = between(random, next, elem, to, depth - 1);
        return Map::HBuild(size.clone(), index, Box::new(body));
    }
    between(random, next, from, to, 0)
}

/// A map for each index, which may depend on it.
fn with_index(
    random: &mut Random,
    next: &mut u32,
    (from, to): (&Type, &Type),
    (size, index): (&Size, Var),
    depth: usize,
) -> Map {
    if *from == Type::array(size.clone(), to.clone()) && random.once_in(2) {
        let (array, indices) = (Atom::Var(hole(0)), vec![Atom::Var(index)]);
        return Map::builtin(Op::Array(ArrayOp::Index { array, indices }));
    }
    between(random, next, from, to, depth - 1)
}

fn fresh(next: &mut u32) -> Var {
    *next += 1;
    Var(*next - 1)
}

/// For laws that random maps seldom fit: left sides, with their domains.
pub(crate) fn left_sides(seed: u64) -> Vec<(&'static str, Map, Type)> {
    let mut random = Random::new(seed ^ 0x1ef7);
    let (from, to) = (space(&mut random, 1), space(&mut random, 1));
    let mut next = FIRST_INDEX;
    let shallow = 2;
    let mut any =
        |random: &mut Random, from: &Type, to: &Type| between(random, &mut next, from, to, shallow);
    let real = |random: &mut Random| Map::Scale(Scalar::real(number(random)));
    let row = vector_of(2);
    let turned = Map::builtin(Op::Array(ArrayOp::Reverse(Atom::Var(hole(0)))));
    let (m, n) = (any(&mut random, &row, &to), any(&mut random, &row, &to));
    let size = Size::constant(2);
    let element = any(&mut random, &from, &Type::Real);
    let index =
        Op::Array(ArrayOp::Index { array: Atom::Var(hole(0)), indices: vec![Atom::Int(1)] });
    let built = Map::VBuild(size.clone(), Var(99), Box::new(element.clone()));
    let nonempty = Map::HBuild(size.clone(), Var(98), Box::new(Map::One));
    vec![
        ("factor", Map::Sum(vec![m.after(turned.clone()), n.after(turned)]), row.clone()),
        ("sum_scale", Map::Sum(vec![real(&mut random), real(&mut random)]), from.clone()),
        ("one_plus_scale", Map::Sum(vec![Map::One, real(&mut random)]), from.clone()),
        ("scale_scale", real(&mut random).after(scale(&mut random, &from)), from.clone()),
        ("scale_last", nonempty.after(real(&mut random)), row),
        ("index_vbuild", Map::builtin(index).after(built), from.clone()),
        (
            "vbuild_factor",
            Map::VBuild(size.clone(), Var(97), Box::new(Map::One.after(element))),
            from.clone(),
        ),
        ("vcat_zeros", Map::VCat(vec![Map::Zero(to.clone()), Map::Zero(Type::Real)]), from.clone()),
        (
            "hcat_zeros",
            Map::HCat(vec![Map::Zero(to.clone()), Map::Zero(to.clone())]),
            Type::Tuple(vec![from.clone(), Type::Real]),
        ),
        (
            "hbuild_zero",
            Map::HBuild(size.clone(), Var(96), Box::new(Map::Zero(to.clone()))),
            Type::array(size.clone(), Type::Real),
        ),
        ("vbuild_zero", Map::VBuild(size, Var(95), Box::new(Map::Zero(Type::Real))), from),
    ]
    .into_iter()
    .filter(|(_, _, from)| dimension(from) < 100)
    .collect()
}
