//! Which reals of the results depend on which reals of the arguments: the pattern of the Jacobian of a run.
//!
//! Paper: Vákár and Smeding, CHAD, Section 11.3: what a real has beside it need not be a real. Here it is a
//! set of inputs, a Delta of the tape: `Zero` is the empty set, a sum is a union, and a multiple is the set
//! itself, also if the factor happens to be zero. So the pattern holds for all points that take the same
//! branches and indices. Method `chad` makes a program that moves sets where its derivative moves reals,
//! and [`Evaluator::sets`] runs it. Programs that are not of first order, or whose clauses are wanted,
//! are run with the tape of method `tape`, where a factor is recorded and does not count
//! ([`Evaluator::pattern`]).
//!
//! Ensures: all that the derivatives of the run can be unequal to zero in. What is recorded as a whole, a
//! derivative inside of the program or a definition with clauses of its own, depends on all that it takes.

use base::Name;
use ir::signature::taped_name;

use crate::array::{Array, Elems};
use crate::closure::Closure;
use crate::error::{Failure, Fault, RunError, malformed};
use crate::eval::Evaluator;
use crate::kernels::reduce::Extent;
use crate::memory::reserve;
use crate::stack::grown;
use crate::tape::{Id, Mark, Tape, Whole, delta_part, dual_parts};
use crate::tree::leaves;
use crate::value::Value;

/// The pattern of a Jacobian, in compressed rows. The reals of an array of tuples count part by part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// How many reals the arguments have, each on its own.
    pub inputs: Vec<usize>,
    /// Where the columns of a row begin, and behind the last row where they end.
    pub starts: Vec<usize>,
    /// The columns of each row that are not zero, in order.
    pub columns: Vec<u32>,
}

impl Evaluator {
    /// Runs a definition; gives on which reals of the active arguments each real of its results depends.
    pub fn pattern(
        &mut self,
        def: &Name,
        sizes: &[i64],
        args: &[Value],
        active: &[bool],
    ) -> Result<Pattern, RunError> {
        self.limited(|it| {
            it.tape.keeps_zeros = true;
            let res = it.recorded_pattern(def, sizes, args, active);
            it.tape.keeps_zeros = false;
            res
        })
    }

    /// Runs a definition that method `chad` made to move sets: behind its arguments it takes one for each real
    /// of these values, which begin with themselves, and behind so many results it gives some. Gives which
    /// of the reals each of those has.
    pub fn sets(
        &mut self,
        (def, n_results): (&Name, usize),
        sizes: &[i64],
        args: &[Value],
        values: &[Value],
    ) -> Result<Pattern, RunError> {
        self.limited(|it| {
            let start = it.tape.mark();
            let (mut inputs, mut given) = (Vec::new(), args.to_vec());
            for value in values {
                let before = it.tape.mark().next;
                let numbered = it.variables(value, Whole::Inputs)?;
                given.push(sets_of(&numbered).ok_or_else(|| malformed("reals are expected"))?);
                inputs.push((it.tape.mark().next - before) as usize);
            }
            let outputs = it.called(def, sizes, given)?;
            let mut rows = Vec::new();
            for output in outputs.iter().skip(n_results) {
                each_id(output, &mut |id| rows.push(id));
            }
            it.pattern_since(start, &rows, inputs)
        })
    }

    fn recorded_pattern(
        &mut self,
        def: &Name,
        sizes: &[i64],
        args: &[Value],
        active: &[bool],
    ) -> Result<Pattern, Failure> {
        let start = self.tape.mark();
        let (mut inputs, mut given) = (Vec::new(), Vec::new());
        for (arg, is_active) in args.iter().zip(active) {
            let before = self.tape.mark().next;
            // What has no identifier is constant.
            given.push(if *is_active { self.variables(arg, Whole::Inputs)? } else { arg.clone() });
            inputs.push((self.tape.mark().next - before) as usize);
        }
        let outputs = self.called(&taped_name(def, &vec![true; args.len()]), sizes, given)?;
        let mut rows = Vec::new();
        for output in &outputs {
            rows.extend(leaves(0, output)?.iter().map(|it| delta_part(it).unwrap_or(Id::ZERO)));
        }
        self.pattern_since(start, &rows, inputs)
    }

    /// The inputs, which were recorded first, that each of some identifiers is made of.
    fn pattern_since(
        &self,
        start: Mark,
        rows: &[Id],
        inputs: Vec<usize>,
    ) -> Result<Pattern, Failure> {
        let edges = Edges::new(&self.tape, start, self.tape.mark())?;
        let n_columns = inputs.iter().sum();
        let (starts, columns) = if rows.len() < n_columns {
            edges.by_results(rows, n_columns)
        } else {
            edges.by_inputs(rows, n_columns)?
        };
        Ok(Pattern { inputs, starts, columns })
    }
}

/// The identifiers of a real, or of an array of reals.
fn sets_of(value: &Value) -> Option<Value> {
    if let Value::Array(array) = value {
        return dual_parts(array).map(|it| Value::array(it.1));
    }
    delta_part(value).map(Value::Delta)
}

/// Which identifiers each identifier was made of, in compressed rows; counted from the first one.
struct Edges {
    base: u32,
    starts: Vec<usize>,
    targets: Vec<u32>,
}

impl Edges {
    fn new(tape: &Tape, from: Mark, to: Mark) -> Result<Edges, Fault> {
        let (base, n) = (from.next, (to.next - from.next) as usize);
        reserve(Some(n + 1), size_of::<usize>())?;
        let mut starts = vec![0; n + 1];
        each_edge(tape, from, to, &mut |id, target| {
            starts[(id - base) as usize + 1] += usize::from(target >= base);
        });
        for at in 0..n {
            starts[at + 1] += starts[at];
        }
        reserve(Some(starts[n]), size_of::<u32>())?;
        let mut targets = vec![0; starts[n]];
        let mut next = starts.clone();
        each_edge(tape, from, to, &mut |id, target| {
            if target >= base {
                let at = &mut next[(id - base) as usize];
                targets[*at] = target - base;
                *at += 1;
            }
        });
        Ok(Edges { base, starts, targets })
    }

    fn of(&self, at: u32) -> &[u32] {
        &self.targets[self.starts[at as usize]..self.starts[at as usize + 1]]
    }

    /// From each result back to the inputs: best where there are few results.
    fn by_results(&self, rows: &[Id], n_columns: usize) -> (Vec<usize>, Vec<u32>) {
        let mut seen = vec![0; self.starts.len()];
        let (mut starts, mut columns, mut open) = (vec![0], Vec::new(), Vec::new());
        for (row, id) in (1..).zip(rows) {
            let first = columns.len();
            open.extend(id.0.checked_sub(self.base));
            while let Some(at) = open.pop() {
                if std::mem::replace(&mut seen[at as usize], row) == row {
                    continue;
                }
                match (at as usize) < n_columns {
                    true => columns.push(at),
                    false => open.extend(self.of(at)),
                }
            }
            columns[first..].sort_unstable();
            starts.push(columns.len());
        }
        (starts, columns)
    }

    /// The inputs of all identifiers, in the order in which they were made: best where there are few
    /// inputs. Sets that are equal are shared, as far as that is seen at once.
    fn by_inputs(&self, rows: &[Id], n_columns: usize) -> Result<(Vec<usize>, Vec<u32>), Fault> {
        let n = self.starts.len() - 1;
        reserve(Some(n), size_of::<u32>())?;
        let mut sets: Vec<Vec<u32>> = vec![Vec::new()];
        let mut set_of: Vec<u32> = Vec::with_capacity(n);
        for at in 0..n as u32 {
            let made_of = self.of(at);
            let set = if (at as usize) < n_columns {
                vec![at]
            } else {
                let mut parts: Vec<u32> = made_of.iter().map(|it| set_of[*it as usize]).collect();
                parts.sort_unstable();
                parts.dedup();
                let longest = parts.iter().copied().max_by_key(|it| sets[*it as usize].len());
                let longest = longest.unwrap_or(0);
                if parts.len() < 2 || sets[longest as usize].len() == n_columns {
                    set_of.push(longest);
                    continue;
                }
                let mut union: Vec<u32> =
                    parts.iter().flat_map(|it| &sets[*it as usize]).copied().collect();
                union.sort_unstable();
                union.dedup();
                if union.len() == sets[longest as usize].len() {
                    set_of.push(longest);
                    continue;
                }
                union
            };
            reserve(Some(set.len()), size_of::<u32>())?;
            set_of.push(sets.len() as u32);
            sets.push(set);
        }
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for id in rows {
            if let Some(at) = id.0.checked_sub(self.base) {
                columns.extend(&sets[set_of[at as usize] as usize]);
            }
            starts.push(columns.len());
        }
        Ok((starts, columns))
    }
}

/// Everything between two marks: of each identifier what it was made of.
fn each_edge(tape: &Tape, from: Mark, to: Mark, edge: &mut dyn FnMut(u32, u32)) {
    let mut at = to;
    for number in (from.wholes..to.wholes).rev() {
        let Some(entry) = tape.entry(number) else { break };
        each_of_scalars(tape, entry.position, &mut at, edge);
        at.next = entry.first;
        each_of_whole(&entry.what, entry.first, entry.len, edge);
    }
    each_of_scalars(tape, from.position, &mut at, edge);
}

fn each_of_scalars(tape: &Tape, down_to: usize, at: &mut Mark, edge: &mut dyn FnMut(u32, u32)) {
    let mut id = at.next - 1;
    tape.scalars.backwards(down_to, at.position, |target, _, is_first| {
        edge(id, target);
        id -= u32::from(is_first);
    });
    at.position = down_to;
    at.next = id + 1;
}

fn each_of_whole(what: &Whole, first: u32, len: u32, edge: &mut dyn FnMut(u32, u32)) {
    // Results that depend on the same depend on the first of them.
    let mut alike = |values: &[&Value], function: Option<&Closure>| {
        if len == 0 {
            return;
        }
        let mut found = |id: Id| edge(first, id.0);
        values.iter().for_each(|it| each_id(it, &mut found));
        function.into_iter().for_each(|it| each_captured(it, &mut found));
        (first + 1..first + len).for_each(|it| edge(it, first));
    };
    match what {
        Whole::Inputs => {}
        Whole::Combine(terms) => {
            for (_, ids) in terms {
                (0..len).for_each(|i| edge(first + i, ids.get(i as usize).0));
            }
        }
        Whole::Sum { ids, extent: Extent { outer: _, size, inner } } => {
            for (at, id) in ids.iter().enumerate() {
                let result = at / (size * inner) * inner + at % inner;
                edge(first + result as u32, id.0);
            }
        }
        Whole::Scatter { into, positions, values, inner } => {
            (first..).zip(into.iter()).for_each(|(it, id)| edge(it, id.0));
            for (at, id) in values.iter().enumerate() {
                let result = positions[at / inner] * inner + at % inner;
                edge(first + result as u32, id.0);
            }
        }
        Whole::Derivative(it) => {
            let (function, values) = it.made_of();
            alike(&values, Some(function));
        }
        Whole::Pullback(it) => alike(&[it.inputs()], None),
    }
}

/// All identifiers in a value.
fn each_id(value: &Value, found: &mut dyn FnMut(Id)) {
    match value {
        Value::Dual(id, _) | Value::Delta(id) => found(*id),
        Value::Tuple(parts) => parts.iter().for_each(|it| grown(|| each_id(it, found))),
        Value::Data(data) => data.fields.iter().for_each(|it| grown(|| each_id(it, found))),
        Value::Array(array) => each_id_of_array(array, found),
        Value::Closure(closure) => grown(|| each_captured(closure, found)),
        Value::Real(_) | Value::Int(_) | Value::Bool(_) | Value::Str(_) => {}
    }
}

fn each_id_of_array(array: &Array, found: &mut dyn FnMut(Id)) {
    match &array.elems {
        Elems::Delta(ids) | Elems::Dual(_, ids) => ids.iter().for_each(|it| found(*it)),
        Elems::Tuple(parts) => parts.iter().for_each(|it| each_id_of_array(it, found)),
        Elems::Boxed(values) => values.iter().for_each(|it| each_id(it, found)),
        Elems::Real(_) | Elems::Int(_) | Elems::Bool(_) | Elems::Lanes(..) => {}
    }
}

fn each_captured(closure: &Closure, found: &mut dyn FnMut(Id)) {
    match closure {
        Closure::Code { captured, .. } => captured.iter().for_each(|it| each_id(it, found)),
        Closure::Half { inner, .. }
        | Closure::Zeroed(inner)
        | Closure::Turned { inner, .. }
        | Closure::Kept { inner, .. } => each_captured(inner, found),
    }
}
