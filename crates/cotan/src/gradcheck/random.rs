//! Random arguments of given types, the same ones in every run.

use std::collections::BTreeMap;

use check::{Size, SizeAtom, Type, TypeTable};
use serde_json::{Value as Json, json};

use crate::argument::{Argument, Parameter};

/// Data is at most so deep, where it can be.
const DEEPEST: usize = 3;

/// Nothing is deeper than this.
const LIMIT: usize = 40;

/// Random numbers from a seed: SplitMix64.
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random { state: seed.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ 0x5DEE_CE66 }
    }

    fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.bits() % n.max(1) as u64) as usize
    }

    /// Between -1 and 1.
    pub(super) fn real(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// So many reals between -1 and 1.
    pub(super) fn reals(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.real()).collect()
    }
}

/// Arguments for all parameters. Sizes are 2, 3 and 4 in turn; from try to try the reals are of either
/// sign or all positive, since logarithms and roots want that.
pub(super) fn arguments(
    types: &TypeTable,
    parameters: &[Parameter],
    number: usize,
    random: &mut Random,
) -> Vec<Argument> {
    let positive = number % 2 == 1;
    let mut maker = Maker { types, sizes: BTreeMap::new(), first: number, positive, random };
    let one = |it: &Parameter| {
        let value = match &it.size {
            Some(size) => json!(maker.size(size)),
            None => maker.value(&it.ty, 0),
        };
        Argument::json(it.name.as_ref().map_or("_", |it| it.as_str()), &value.to_string())
    };
    parameters.iter().map(one).collect()
}

struct Maker<'a> {
    types: &'a TypeTable,
    sizes: BTreeMap<SizeAtom, i64>,
    /// The size that the first unknown gets: 2, 3 or 4.
    first: usize,
    positive: bool,
    random: &'a mut Random,
}

impl Maker<'_> {
    fn size(&mut self, size: &Size) -> i64 {
        for atom in size.vars() {
            let next = 2 + ((self.first + 1 + self.sizes.len()) % 3) as i64;
            self.sizes.entry(atom).or_insert(next);
        }
        let known = size.substitute(&mut |it| Size::constant(self.sizes[it]));
        known.as_constant().unwrap_or(0).max(0)
    }

    fn value(&mut self, ty: &Type, depth: usize) -> Json {
        match ty {
            Type::Real | Type::Param(_) | Type::Var(_) | Type::Error => json!(self.real()),
            // As an index it is inside of every array.
            Type::Int => json!(self.random.below(2)),
            Type::Bool => json!(self.random.below(2) == 0),
            Type::String => json!("text"),
            Type::Tuple(parts) => {
                Json::Array(parts.iter().map(|it| self.value(it, depth + 1)).collect())
            }
            Type::Array(size, elem) => {
                let n = self.size(size);
                Json::Array((0..n).map(|_| self.value(elem, depth + 1)).collect())
            }
            Type::Named(..) => self.named(ty, depth),
            Type::Function(..) => Json::Null,
        }
    }

    fn real(&mut self) -> f64 {
        let x = 1.5 * self.random.real();
        if self.positive { x.abs() + 0.1 } else { x }
    }

    fn named(&mut self, ty: &Type, depth: usize) -> Json {
        if let Some(fields) = self.types.record_fields(ty) {
            let field =
                |(name, ty): &(base::Name, Type)| (name.to_string(), self.value(ty, depth + 1));
            return Json::Object(fields.iter().map(field).collect());
        }
        let cons = self.types.constructors(ty).unwrap_or_default();
        // Deep down, one with the fewest fields: it leads to an end if any does.
        let least = cons.iter().map(|(_, fields)| fields.len()).min().unwrap_or(0);
        let small: Vec<_> = cons.iter().filter(|it| it.1.len() == least).collect();
        let chosen = match depth >= DEEPEST {
            true => small.get(self.random.below(small.len())).copied(),
            false => cons.get(self.random.below(cons.len())),
        };
        let Some((name, fields)) = chosen.filter(|_| depth < LIMIT) else { return Json::Null };
        let fields: Vec<Json> = fields.iter().map(|it| self.value(it, depth + 1)).collect();
        json!({ "tag": check::shown_name(name), "fields": fields })
    }
}
