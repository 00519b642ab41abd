//! Linear maps against their matrices: random maps over random spaces, empty ones included.
//!
//! A matrix is written down from the meaning of each operator (Ellis, Peyton Jones, Fitzgibbon, Figure 3, its last
//! column), without the code under test. Then typing, text, applying, applying backwards, every law and
//! the simplifier have to agree with it.

mod matrix;
mod random;

use std::collections::BTreeMap;

use ad::linmap::laws::{Context, LAWS, part_domains, simplify};
use ad::linmap::map::Map;
use ad::linmap::typing::{Types, codomain};
use base::Name;
use eval::{Mode, Value};
use ir::{Type, Var};
use matrix::{Matrix, Values, dimension, matrix, work};

use crate::laws::run::{Leaves, evaluator};

/// How many maps; each takes well below a millisecond but for the programs that are run.
const MAPS: u64 = 4000;

/// How many of them are run as programs.
const RUN: u64 = 400;

/// How deep they are.
const DEPTH: usize = 5;

fn close(left: &Matrix, right: &Matrix) -> bool {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()));
    left.n_rows == right.n_rows
        && left.n_columns == right.n_columns
        && left.numbers.iter().zip(&right.numbers).all(near)
}

#[test]
fn random_maps_are_typed_and_read_back() {
    for seed in 0..MAPS {
        let (map, from, to) = random::map(seed, DEPTH);
        assert_eq!(codomain(&random::types, &map, &from), Ok(to.clone()), "{map}");
        assert_eq!(map.to_string().parse::<Map>(), Ok(map.clone()), "{map}");
        let matrix = matrix(&Values::default(), &map, &from);
        assert_eq!((matrix.n_rows, matrix.n_columns), (dimension(&to), dimension(&from)), "{map}");
    }
}

/// (TP) and (RP), since the matrix backwards is the transposed one.
#[test]
fn applying_maps_is_multiplying_by_their_matrices() {
    for seed in 0..RUN {
        let (map, from, to) = random::map(seed * 7 + 1, 1 + seed as usize % DEPTH);
        let matrix = matrix(&Values::default(), &map, &from);
        let program = ad::linmap::program(&map, &from, &random::given());
        let program = program.unwrap_or_else(|it| panic!("{it}: {map}"));
        ir::verify(&program, ir::Dialect::FirstOrder)
            .unwrap_or_else(|it| panic!("{it}\n{map}\n{program}"));
        let program = std::sync::Arc::new(program);
        for (name, domain, matrix) in
            [("apply", &from, matrix.clone()), ("reverse", &to, matrix.transposed())]
        {
            let vector = random::vector(seed, dimension(domain));
            let mut args = random::given_values();
            args.extend(values(domain, &vector));
            let results = evaluator(Mode::Forward, &program).call(&Name::new(name), &[], args);
            let results = results.unwrap_or_else(|it| panic!("{:?}: {map}", it.fault));
            let got = Matrix::column(Leaves::of(&results).reals);
            assert!(close(&got, &matrix.times(&Matrix::column(vector))), "{name} {map}\n{program}");
        }
    }
}

/// Values of the parts of a space.
fn values(space: &Type, vector: &[f64]) -> Vec<Value> {
    let mut rest = vector;
    let mut res = Vec::new();
    for part in random::parts(space) {
        let (own, more) = rest.split_at(dimension(&part));
        res.push(random::value(&part, own));
        rest = more;
    }
    res
}

#[test]
fn every_law_holds_for_matrices_and_adds_no_work() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..MAPS {
        let (map, from, _) = random::map(seed, DEPTH);
        look(&random::types, &Values::default(), &map, &from, &mut seen);
        for (law, map, from) in random::left_sides(seed) {
            let before = seen.get(law).copied();
            look(&random::types, &Values::default(), &map, &from, &mut seen);
            assert!(seen.get(law).copied() > before, "{law} does not apply to {map}");
        }
    }
    let never: Vec<&str> = LAWS
        .iter()
        .flat_map(|it| it.iter())
        .map(|it| it.name)
        .filter(|it| seen.get(it).is_none_or(|count| *count < 50))
        .collect();
    assert!(never.is_empty(), "{never:?} are looked at too rarely: {seen:?}");
}

/// Looks at every law at every place of a map.
fn look(
    types: &Types<'_>,
    values: &Values,
    map: &Map,
    domain: &Type,
    seen: &mut BTreeMap<&str, usize>,
) {
    let context = Context { types, domain: domain.clone() };
    for law in LAWS.iter().flat_map(|it| it.iter()) {
        let Some(right) = (law.rewrite)(&context, map) else { continue };
        *seen.entry(law.name).or_default() += 1;
        let (before, after) = (matrix(values, map, domain), matrix(values, &right, domain));
        assert!(close(&before, &after), "{}: {}\n{map}\n{right}", law.name, law.equation);
        let (before, after) = (work(values, map, domain), work(values, &right, domain));
        assert!(after <= before, "{}: {before} to {after}\n{map}\n{right}", law.name);
    }
    let Some(domains) = part_domains(types, map, domain) else { panic!("{map} of {domain}") };
    if let Map::VBuild(size, index, body) | Map::HBuild(size, index, body) = map {
        let inner = |var: Var| if var == *index { Some(Type::Int) } else { types(var) };
        // At the first index, if there is one.
        if size.as_constant().is_some_and(|it| it > 0) {
            look(&inner, &values.with(*index, 0), body, &domains[0], seen);
        }
        return;
    }
    map.parts().into_iter().zip(&domains).for_each(|(it, of)| look(types, values, it, of, seen));
}

#[test]
fn simplified_maps_are_equal_and_stay_simple() {
    let mut shorter = 0;
    for seed in 0..MAPS {
        let (map, from, _) = random::map(seed, DEPTH);
        let simple = simplify(&random::types, &map, &from);
        let (before, after) =
            (matrix(&Values::default(), &map, &from), matrix(&Values::default(), &simple, &from));
        assert!(close(&before, &after), "{map}\n{simple}");
        assert_eq!(simplify(&random::types, &simple, &from), simple, "{map}");
        shorter += usize::from(simple.to_string().len() < map.to_string().len());
    }
    assert!(2 * shorter > MAPS as usize, "only {shorter} became shorter");
}
