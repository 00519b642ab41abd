//! Tangents from a tape: the run that was recorded, gone through again from the first entry to the last.
//!
//! A tape says how every real depends on earlier ones, linearly, so it serves both ways. What was
//! recorded of a function at level k are its reals one by one, and the derivative of these along those of a
//! direction is the derivative of the function along the direction.

use crate::cost::Kind;
use crate::error::Failure;
use crate::eval::Evaluator;
use crate::kernels::reduce::Extent;
use crate::reverse::{Lookup, Recording, seed};
use crate::tape::{Cotangents, Id, Whole};
use crate::tree::walk;
use crate::value::Value;

impl Evaluator {
    /// The tangent of the output of a recording for that of its inputs; none if a derivative was recorded as
    /// a whole, whose own derivative is not on the tape.
    pub(crate) fn push_forward(
        &mut self,
        run: &Recording,
        direction: &Value,
    ) -> Result<Option<Value>, Failure> {
        let (start, end) = (run.start, self.tape.mark());
        let mut tangents = Cotangents::new(start.next, end.next, self.limits.precision)?;
        seed(&run.inputs, direction, &mut tangents)?;
        let mut at = start;
        for number in start.wholes..end.wholes {
            let Some(entry) = self.tape.entry(number) else { break };
            let (what, first, len) = (entry.what.clone(), entry.first, entry.len as usize);
            let position = entry.position;
            self.push_scalars(at.position, position, at.next, &mut tangents);
            self.counters.kind(Kind::Sweep, what.n_contributions(len));
            if !what.push(first, len, &mut tangents) {
                return Ok(None);
            }
            at.position = position;
            at.next = first + len as u32;
        }
        self.push_scalars(at.position, end.position, at.next, &mut tangents);
        Ok(Some(walk(0, &run.output, &mut Lookup(&tangents))?))
    }

    /// The contributions of scalars at some positions; `next` is the identifier of the first of them.
    fn push_scalars(&mut self, from: usize, to: usize, next: u32, tangents: &mut Cotangents) {
        self.counters.kind(Kind::Sweep, to - from);
        let mut id = next - 1;
        self.tape.scalars.forwards(from, to, |target, factor, is_first| {
            id += u32::from(is_first);
            tangents.add(id, factor, tangents.get(Id(target)));
        });
    }
}

impl Whole {
    /// Adds up the tangents of its results, which begin with `first`; says whether it can.
    fn push(&self, first: u32, len: usize, tangents: &mut Cotangents) -> bool {
        let mut add = |at: usize, factor: f64, id: Id| {
            tangents.add(first + at as u32, factor, tangents.get(id));
        };
        match self {
            Whole::Inputs => {}
            Whole::Combine(terms) => {
                for (factors, ids) in terms {
                    (0..len).for_each(|it| add(it, factors.get(it), ids.get(it)));
                }
            }
            Whole::Sum { ids, extent: Extent { outer: _, size, inner } } => {
                for (index, row) in ids.chunks_exact((*inner).max(1)).enumerate() {
                    let result = index / size * inner;
                    row.iter().enumerate().for_each(|(at, id)| add(result + at, 1.0, *id));
                }
            }
            Whole::Scatter { into, positions, values, inner } => {
                into.iter().enumerate().for_each(|(at, id)| add(at, 1.0, *id));
                for (position, row) in positions.iter().zip(values.chunks_exact((*inner).max(1))) {
                    let result = position * inner;
                    row.iter().enumerate().for_each(|(at, id)| add(result + at, 1.0, *id));
                }
            }
            Whole::Derivative(_) | Whole::Pullback(_) => return false,
        }
        true
    }
}
