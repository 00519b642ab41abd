//! A run of a definition with everything that reverse mode makes of it, to look at.

use base::Name;
use ir::signature::taped_name;

use crate::delta::{Delta, DeltaTerm};
use crate::error::{Failure, RunError};
use crate::eval::Evaluator;
use crate::tape::{Id, Whole, delta_part};
use crate::tree::leaves;
use crate::value::Value;

/// What reverse mode makes of a run.
pub struct Trace {
    /// The arguments, every real with its identifier.
    pub inputs: Vec<Value>,
    /// The results, with Deltas.
    pub outputs: Vec<Value>,
    /// How the results depend on the arguments.
    pub term: DeltaTerm,
    /// One more than the last identifier.
    pub end: Id,
    /// The cotangents of the arguments, if that of every real of the results is one.
    pub gradient: Vec<Value>,
}

impl Evaluator {
    /// Runs the reverse-mode derivative of a definition.
    pub fn trace(
        &mut self,
        def: &Name,
        sizes: &[i64],
        args: Vec<Value>,
    ) -> Result<Trace, RunError> {
        self.limited(|it| it.traced(def, sizes, &args))
    }

    fn traced(&mut self, def: &Name, sizes: &[i64], args: &[Value]) -> Result<Trace, Failure> {
        let start = self.tape.mark();
        let inputs = args.iter().map(|it| self.variables(it, Whole::Inputs));
        let inputs = inputs.collect::<Result<Vec<Value>, Failure>>()?;
        let name = taped_name(def, &vec![true; args.len()]);
        let outputs = self.called(&name, sizes, inputs.clone())?;
        let mut reals = Vec::new();
        for output in &outputs {
            reals.extend(leaves(0, output)?);
        }
        let body = reals.iter().map(|it| Delta::var(delta_part(it).unwrap_or(Id::ZERO)));
        let end = self.tape.mark();
        let term = DeltaTerm { lets: self.tape.lets(start, end), body: body.collect() };
        let gradient = self.pull_back_ones(start, &inputs, &reals)?;
        Ok(Trace { inputs, outputs, term, end: Id(end.next), gradient })
    }
}
