//! Jacobians whose rows are known element by element (`opt::elements`): positions and entries come from one
//! call, and nothing has colours.

use std::sync::Arc;

use base::name::digits;
use check::Type;
use eval::{Elems, Value};
use opt::elements::Segment;

use super::Ready;
use crate::answer::{Answer, Numbers};
use crate::argument::Bound;
use crate::flattening::Flattening;
use crate::handle::entry::Entry;
use crate::handle::lock;
use crate::machine::Few;
use crate::pass::{self, Unit};
use crate::pipeline;
use crate::pipelines::BEFORE_ELEMENTS;
use crate::report::Report;
use crate::signature::Signature;
use crate::sparse::Sparse;
use crate::sparsity::Sparsity;

/// The definition that gives small Jacobians.
pub(super) struct ByElements {
    entry: Entry,
    segments: Vec<Segment>,
    flattening: Flattening,
    /// Of the parameters of the definition, those that the matrix is by.
    is_active: Vec<bool>,
}

/// Where the small Jacobians stand in the matrix.
pub(super) struct Table {
    pub(super) pattern: Sparsity,
    /// The indices that were read, to be compared with those of the next call.
    indices: Vec<Vec<i64>>,
    /// Of each number of the small Jacobians its entry, or `NOWHERE`; none if they are the entries in order.
    order: Option<Vec<u32>>,
}

const NOWHERE: u32 = u32::MAX;

/// What a call gave of one segment.
struct Given<'a> {
    n: usize,
    rows: usize,
    width: usize,
    indices: Vec<&'a [i64]>,
    jacobians: Reals<'a>,
}

enum Reals<'a> {
    Double(&'a [f64]),
    Single(&'a [f32]),
}

impl ByElements {
    /// Of an entry point by these parameters; none if it is not made of elements.
    pub(super) fn new(entry: &Entry, by: &[usize]) -> Option<ByElements> {
        let Signature { def, span, parameters, .. } = &entry.signature;
        let by: Vec<bool> = (0..parameters.len()).map(|it| by.contains(&it)).collect();
        let mut compiled = lock(&entry.compiled);
        let name = def.part(format_args!("elements{}", digits(&by)));
        let unit = Unit { by: Some(by), ..Unit::new(compiled.checked.program.clone(), def) };
        let unit = pipeline::run(BEFORE_ELEMENTS, unit, &mut |_| {}).ok()?;
        let made = pass::elements(&unit, name.clone())?;
        let is_active = unit.by?;
        compiled.checked.program.defs.insert(name.clone(), Arc::new(made.def));
        compiled.forget_evaluator();
        let n_parts: usize = made.segments.iter().map(|it| 4 + n_indices(it)).sum();
        let signature = Signature {
            def: name,
            span: *span,
            parameters: Vec::new(),
            sizes: Vec::new(),
            result: Arc::new(Type::Tuple(vec![Type::Real; n_parts])),
            gives_function: false,
            is_shallow: true,
            is_flat: true,
            tells: false,
        };
        drop(compiled);
        let (segments, flattening) = (made.segments, unit.flattening?);
        Some(ByElements { entry: Entry::of(entry, signature), segments, flattening, is_active })
    }

    /// The matrix at these values, and where its entries stand; none if something is in the way.
    pub(super) fn call(
        &self,
        ready: &Ready,
        bound: &Bound,
        known: Option<Arc<Table>>,
        into: &mut Sparse,
    ) -> Result<Option<Arc<Table>>, Report> {
        let (leaves, answer) = self.run(ready, bound)?;
        let Some(answer) = answer else { return Ok(None) };
        let numbers = answer.numbers()?;
        let Some(given) = self.parts(&numbers) else { return Ok(None) };
        let table = match known.filter(|it| it.is_of(&given)) {
            Some(table) => table,
            None => match self.laid_out(ready, &leaves, &given) {
                Some(table) => Arc::new(table),
                None => return Ok(None),
            },
        };
        table.fill(&given, into);
        Ok(Some(table))
    }

    /// Where entries stand at these values.
    pub(super) fn table(&self, ready: &Ready, bound: &Bound) -> Result<Option<Table>, Report> {
        let (leaves, answer) = self.run(ready, bound)?;
        let Some(answer) = answer else { return Ok(None) };
        let numbers = answer.numbers()?;
        Ok(self.parts(&numbers).and_then(|it| self.laid_out(ready, &leaves, &it)))
    }

    fn run(&self, ready: &Ready, bound: &Bound) -> Result<(Vec<Value>, Option<Answer>), Report> {
        let sizes = ready.function.entry()?.signature.size_arguments(bound);
        let leaves = self.flattening.arguments(&bound.values);
        let answer = self.entry.attempt(&sizes, leaves.clone(), &ready.function.stop)?;
        Ok((leaves, answer))
    }

    fn parts<'a>(&self, numbers: &Few<Numbers<'a>>) -> Option<Vec<Given<'a>>> {
        let mut numbers = numbers.iter().copied();
        let count = |numbers: &mut dyn Iterator<Item = Numbers<'a>>| match numbers.next()? {
            Numbers::Int(it) => usize::try_from(it).ok(),
            Numbers::Ints([it]) => usize::try_from(*it).ok(),
            Numbers::Ints(_) | Numbers::Reals(_) | Numbers::Floats(_) => None,
            Numbers::Bools(_) | Numbers::Bytes(_) => None,
        };
        let mut res = Vec::new();
        for segment in &self.segments {
            let [n, rows, width] =
                [count(&mut numbers)?, count(&mut numbers)?, count(&mut numbers)?];
            let indices = (0..n_indices(segment)).map(|_| match numbers.next()? {
                Numbers::Ints(it) => (it.len() == n).then_some(it),
                Numbers::Int(_) | Numbers::Reals(_) | Numbers::Floats(_) => None,
                Numbers::Bools(_) | Numbers::Bytes(_) => None,
            });
            let indices = indices.collect::<Option<Vec<&[i64]>>>()?;
            let jacobians = match numbers.next()? {
                Numbers::Reals(it) => Reals::Double(it),
                Numbers::Floats(it) => Reals::Single(it),
                Numbers::Ints(_) | Numbers::Int(_) => return None,
                Numbers::Bools(_) | Numbers::Bytes(_) => return None,
            };
            let given = Given { n, rows, width, indices, jacobians };
            if given.jacobians.len() != n.checked_mul(rows)?.checked_mul(width)? {
                return None;
            }
            res.push(given);
        }
        Some(res)
    }

    /// The pattern of these positions, and the order of its entries.
    fn laid_out(&self, ready: &Ready, leaves: &[Value], given: &[Given<'_>]) -> Option<Table> {
        let shapes: Vec<&[usize]> = leaves.iter().map(shape_of).collect();
        // Other numbers have no columns.
        let count = |it: &Value| if is_of_reals(it) { shape_of(it).iter().product() } else { 0 };
        let counts: Vec<usize> = leaves.iter().map(count).collect();
        let mut starts = Vec::new();
        let mut n_columns = 0usize;
        for (count, is_active) in counts.iter().zip(&self.is_active) {
            starts.push(n_columns);
            n_columns += if *is_active { *count } else { 0 };
        }
        u32::try_from(n_columns).ok()?;
        let mut lay = Lay::new(given);
        for (segment, given) in self.segments.iter().zip(given) {
            let mut columns = Vec::with_capacity(given.width);
            for element in 0..given.n {
                columns.clear();
                let mut next = 0;
                for read in &segment.reads {
                    let shape = shapes[read.param];
                    let indices = &given.indices[next..next + read.n_indices];
                    next += read.n_indices;
                    let inner: usize = shape[read.n_indices..].iter().product();
                    let mut at = Some(0usize);
                    for (index, size) in indices.iter().zip(shape) {
                        let index = usize::try_from(index[element]).ok();
                        at = at.zip(index).map(|(at, index)| at * size + index);
                    }
                    let first = at.map(|it| (starts[read.param] + it * inner) as u32);
                    let one = |it: usize| first.map_or(NOWHERE, |first| first + it as u32);
                    columns.extend((0..inner).map(one));
                }
                lay.rows(given.rows, &columns)?;
            }
        }
        let indices = given.iter().flat_map(|it| it.indices.iter().map(|it| it.to_vec()));
        let names = ready.function.params();
        let widths = self.flattening.widths();
        let mut leaf = 0;
        let mut parameters = Vec::new();
        for (name, width) in names.into_iter().zip(widths) {
            let own = leaf..leaf + width;
            leaf += width;
            let n: usize = own.filter(|it| self.is_active[*it]).map(|it| counts[it]).sum();
            parameters.extend((n > 0).then_some((name, n)));
        }
        let pattern = Sparsity::new(parameters, lay.starts, lay.columns);
        Some(Table { pattern, indices: indices.collect(), order: lay.order })
    }
}

fn n_indices(of: &Segment) -> usize {
    of.reads.iter().map(|it| it.n_indices).sum()
}

fn is_of_reals(value: &Value) -> bool {
    if let Value::Array(array) = value {
        return matches!(array.elems, Elems::Real(_));
    }
    matches!(value, Value::Real(_))
}

fn shape_of(value: &Value) -> &[usize] {
    if let Value::Array(array) = value { &array.shape } else { &[] }
}

/// A pattern on its way.
struct Lay {
    starts: Vec<usize>,
    columns: Vec<u32>,
    /// How many numbers of small Jacobians there were.
    n: usize,
    order: Option<Vec<u32>>,
    sorted: Vec<(u32, usize)>,
}

impl Lay {
    fn new(given: &[Given<'_>]) -> Lay {
        let n_rows: usize = given.iter().map(|it| it.n * it.rows).sum();
        let n: usize = given.iter().map(|it| it.jacobians.len()).sum();
        let (mut starts, columns) = (Vec::with_capacity(n_rows + 1), Vec::with_capacity(n));
        starts.push(0);
        Lay { starts, columns, n: 0, order: None, sorted: Vec::new() }
    }

    /// Adds rows that have entries in these columns, which may stand in any order, or twice, or nowhere.
    fn rows(&mut self, n: usize, columns: &[u32]) -> Option<()> {
        let in_order = columns.windows(2).all(|it| it[0] < it[1]);
        if in_order && columns.last() != Some(&NOWHERE) {
            for _ in 0..n {
                if let Some(order) = &mut self.order {
                    let first = u32::try_from(self.columns.len() + columns.len()).ok()?;
                    let first = first - columns.len() as u32;
                    order.extend(first..first + columns.len() as u32);
                }
                self.columns.extend(columns);
                self.starts.push(self.columns.len());
                self.n += columns.len();
            }
            return Some(());
        }
        self.sorted.clear();
        self.sorted.extend(columns.iter().copied().zip(0..).filter(|it| it.0 != NOWHERE));
        self.sorted.sort_unstable();
        for _ in 0..n {
            let so_far = u32::try_from(self.n).ok()?;
            let order = self.order.get_or_insert_with(|| (0..so_far).collect());
            let first = order.len();
            order.resize(first + columns.len(), NOWHERE);
            for (at, (column, from)) in self.sorted.iter().enumerate() {
                if at == 0 || self.sorted[at - 1].0 != *column {
                    self.columns.push(*column);
                }
                order[first + from] = u32::try_from(self.columns.len() - 1).ok()?;
            }
            self.starts.push(self.columns.len());
            self.n += columns.len();
        }
        Some(())
    }
}

impl Table {
    /// Whether these were read at the same positions.
    fn is_of(&self, given: &[Given<'_>]) -> bool {
        let indices = given.iter().flat_map(|it| &it.indices);
        let n: usize = given.iter().map(|it| it.n * it.rows).sum();
        n == self.pattern.n_rows()
            && indices.clone().count() == self.indices.len()
            && indices.zip(&self.indices).all(|(it, known)| **it == known[..])
    }

    /// Writes the entries.
    fn fill(&self, given: &[Given<'_>], into: &mut Sparse) {
        let mut values = std::mem::take(&mut into.values);
        match &self.order {
            None => {
                values.clear();
                values.reserve(self.pattern.n_entries());
                for it in given {
                    match it.jacobians {
                        Reals::Double(it) => values.extend_from_slice(it),
                        Reals::Single(it) => values.extend(it.iter().map(|it| f64::from(*it))),
                    }
                }
            }
            Some(order) => {
                values.clear();
                values.resize(self.pattern.n_entries(), 0.0);
                let mut rest = &order[..];
                for it in given {
                    let (own, others) = rest.split_at(it.jacobians.len());
                    rest = others;
                    let mut add = |to: u32, it: f64| {
                        if to != NOWHERE {
                            values[to as usize] += it;
                        }
                    };
                    match it.jacobians {
                        Reals::Double(it) => own.iter().zip(it).for_each(|(to, it)| add(*to, *it)),
                        Reals::Single(it) => {
                            own.iter().zip(it).for_each(|(to, it)| add(*to, f64::from(*it)));
                        }
                    }
                }
            }
        }
        match self.pattern.is_of(into) {
            true => into.values = values,
            false => *into = self.pattern.matrix(values),
        }
    }
}

impl Reals<'_> {
    fn len(&self) -> usize {
        match self {
            Reals::Double(it) => it.len(),
            Reals::Single(it) => it.len(),
        }
    }
}
