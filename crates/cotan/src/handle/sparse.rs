//! Sparse Jacobians and Hessians from handles: the pattern of a call, a few directions for all of its
//! columns or rows, and three arrays as the result.

mod compressed;
mod elements;
mod seeds;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ad::flow::Flow;

use super::inputs::Inputs;
use super::text::{Operator, Through};
use super::{Function, lock};
use crate::argument::{Argument, Bound};
use crate::data::Data;
use crate::deep::with_deep_stack;
use crate::error;
use crate::report::Report;
use crate::sparse::Sparse;
use crate::sparsity::Sparsity;
use compressed::Plan;
use elements::{ByElements, Table};
use seeds::sizes_of;

/// The Jacobian of a function, or the Hessian of one that gives a real, as a sparse matrix. Made by
/// [`Function::sparse_jacobian`] and [`Function::sparse_hessian`].
///
/// A row is a real of the result, a column a real of the parameters that it is by, in order; those of an
/// array of tuples part by part. The pattern is found by a run of the interpreter, at the first call with
/// arguments of such sizes and when it does not hold any more: each call compares the product of the matrix
/// and a vector with the directional derivative.
///
/// ```
/// # fn main() -> Result<(), cotan::Report> {
/// let text = "def steps(x: [n+1]Real): [n]Real = build i < n => x[i + 1] - x[i] * x[i]";
/// let jacobian = cotan::Program::new(text)?.function("steps")?.sparse_jacobian();
/// let found = jacobian.call(([1.0, 2.0, 3.0],))?;
/// assert_eq!(found.starts[..], [0, 2, 4]);
/// assert_eq!(found.columns[..], [0, 1, 1, 2]);
/// assert_eq!(found.values, [-2.0, 1.0, -4.0, 1.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SparseJacobian {
    shared: Arc<Shared>,
}

struct Shared {
    /// What is differentiated, without a derivative operator of its own.
    of: Function,
    kind: Kind,
    /// The names of the parameters that it is by; all that have reals if none is named.
    wrt: Vec<String>,
    ready: OnceLock<Result<Ready, Report>>,
    /// What is known of arguments of such sizes.
    known: Mutex<Vec<(Vec<usize>, Known)>>,
}

/// What a matrix is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Jacobian,
    /// The Jacobian of a gradient, which is symmetric.
    Hessian,
}

/// How the entries for arguments of some sizes are found.
#[derive(Clone)]
enum Known {
    /// Each element on its own.
    Table(Arc<Table>),
    /// By a few directions.
    Plan(Arc<Plan>),
}

/// The functions that are called.
struct Ready {
    /// Its Jacobian is the matrix.
    function: Function,
    /// The parameters that it is by, by number.
    by: Vec<usize>,
    /// Many directions forth, and many cotangents back.
    forth: Function,
    back: Function,
    /// The small Jacobians of elements, if it is made of such.
    elements: Option<ByElements>,
}

impl Function {
    /// The Jacobian as a sparse matrix, by the parameters of [`Function::wrt`] or by all.
    pub fn sparse_jacobian(&self) -> SparseJacobian {
        self.sparse(Kind::Jacobian)
    }

    /// The Hessian of a function that gives a real as a sparse matrix.
    ///
    /// ```
    /// # fn main() -> Result<(), cotan::Report> {
    /// let text = "def energy(x: [n]Real): Real = x[0] * sum(x * x)";
    /// let hessian = cotan::Program::new(text)?.function("energy")?.sparse_hessian();
    /// // 2 colours, however long it is: all but the first row and column is a diagonal.
    /// assert_eq!(hessian.call(([1.0, 2.0, 3.0],))?.columns[..], [0, 1, 2, 0, 1, 0, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn sparse_hessian(&self) -> SparseJacobian {
        self.sparse(Kind::Hessian)
    }

    fn sparse(&self, kind: Kind) -> SparseJacobian {
        let (of, wrt) = match self.operator == Operator::Value {
            true => (self.wrt([]), self.wrt.clone()),
            false => (self.derived(Operator::Value), Vec::new()),
        };
        let (ready, known) = (OnceLock::new(), Mutex::default());
        SparseJacobian { shared: Arc::new(Shared { of, kind, wrt, ready, known }) }
    }
}

impl SparseJacobian {
    /// The matrix at these arguments.
    pub fn call(&self, inputs: impl Inputs) -> Result<Sparse, Report> {
        let mut res = Sparse::default();
        self.call_into(inputs, &mut res)?;
        Ok(res)
    }

    /// As [`SparseJacobian::call`], into a matrix that was there before: its memory is used again.
    pub fn call_into(&self, inputs: impl Inputs, into: &mut Sparse) -> Result<(), Report> {
        let (ready, bound) = self.given(&inputs)?;
        let sizes = sizes_of(&bound.values);
        let mut all = self.known();
        let known = all.iter().position(|it| it.0 == sizes).map(|at| all.swap_remove(at).1);
        drop(all);
        let known = match (ready.elements.as_ref(), known) {
            (Some(elements), known @ (None | Some(Known::Table(_)))) => {
                let known = if let Some(Known::Table(it)) = known { Some(it) } else { None };
                match elements.call(ready, &bound, known, into)? {
                    Some(table) => Known::Table(table),
                    None => self.compressed(ready, &inputs, &bound, None, into)?,
                }
            }
            (_, Some(Known::Plan(plan))) => {
                self.compressed(ready, &inputs, &bound, Some(plan), into)?
            }
            (None, None | Some(Known::Table(_))) => {
                self.compressed(ready, &inputs, &bound, None, into)?
            }
        };
        let mut all = self.known();
        all.retain(|it| it.0 != sizes);
        all.push((sizes, known));
        Ok(())
    }

    /// By directions of a plan, or of a new one if there is none or it does not hold.
    fn compressed(
        &self,
        ready: &Ready,
        inputs: &impl Inputs,
        bound: &Bound,
        plan: Option<Arc<Plan>>,
        into: &mut Sparse,
    ) -> Result<Known, Report> {
        let arguments = self.by_name(inputs);
        if let Some(plan) = plan
            && let Some(values) = plan.values(ready, &arguments, bound)?
            && values.holds
        {
            *into = plan.pattern.matrix(values.entries);
            return Ok(Known::Plan(plan));
        }
        let plan = Arc::new(Plan::new(self.found(ready, bound)?, self.shared.kind));
        let values = plan.values(ready, &arguments, bound)?;
        let Some(values) = values else {
            return Err(Report::single(error::no_matrix("the result")));
        };
        *into = plan.pattern.matrix(values.entries);
        Ok(Known::Plan(plan))
    }

    /// The entries that may be other than zero at these arguments.
    pub fn pattern(&self, inputs: impl Inputs) -> Result<Sparsity, Report> {
        let (ready, bound) = self.given(&inputs)?;
        if let Some(elements) = &ready.elements
            && let Some(table) = elements.table(ready, &bound)?
        {
            return Ok(table.pattern);
        }
        self.found(ready, &bound)
    }

    /// The names of the parameters of the function.
    pub fn params(&self) -> Vec<String> {
        self.shared.of.params()
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Vec<(Vec<usize>, Known)>> {
        self.shared.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn found(&self, ready: &Ready, bound: &Bound) -> Result<Sparsity, Report> {
        let Function { stop, .. } = &ready.function;
        let entry = ready.function.entry()?;
        let active: Vec<bool> = (0..bound.values.len()).map(|it| ready.by.contains(&it)).collect();
        let mut compiled = lock(&entry.compiled);
        let found = with_deep_stack(|| compiled.pattern_at(&entry.signature, &active, bound, stop));
        let found = found.map_err(|it| compiled.report(it))?;
        // What the run did in another order may be asymmetric; the matrix is not.
        match self.shared.kind {
            Kind::Jacobian => Ok(found),
            Kind::Hessian => Ok(found.symmetric().unwrap_or(found)),
        }
    }

    /// What is called, and the values of the arguments.
    fn given(&self, inputs: &impl Inputs) -> Result<(&Ready, Bound), Report> {
        let ready = self.shared.ready.get_or_init(|| self.shared.made());
        let ready = ready.as_ref().map_err(Report::clone)?;
        let entry = ready.function.entry()?;
        let mut data: Vec<Data<'_>> = Vec::new();
        inputs.each(&mut |it| data.push(it));
        let bound = with_deep_stack(|| entry.bound(inputs, &data));
        Ok((ready, bound.map_err(|it| entry.report(it))?))
    }

    fn by_name(&self, inputs: &impl Inputs) -> Vec<Argument> {
        if let Some(arguments) = inputs.by_name() {
            return arguments.to_vec();
        }
        let (params, mut data) = (self.params(), Vec::new());
        inputs.each(&mut |it| data.push(it));
        params.iter().zip(&data).map(|(name, it)| Argument::data(name, it)).collect()
    }
}

impl Shared {
    fn made(&self) -> Result<Ready, Report> {
        let by = self.by()?;
        let function = match self.kind {
            Kind::Jacobian => self.of.clone(),
            Kind::Hessian => {
                let params = &self.of.of.params;
                let gradient = self.of.grad().wrt(by.iter().map(|it| params[*it].as_str()));
                gradient.derived(Operator::Value)
            }
        };
        let through = |way: Through| {
            let of = Arc::new(function.of.through(way, &by));
            Function { of, entry: Arc::default(), ..function.clone() }
        };
        let (forth, back) = (through(Through::Forth), through(Through::Back));
        let elements = match self.kind {
            Kind::Jacobian => ByElements::new(function.entry()?, &by),
            Kind::Hessian => None,
        };
        Ok(Ready { function, by, forth, back, elements })
    }

    /// The parameters that it is by, by number.
    fn by(&self) -> Result<Vec<usize>, Report> {
        let entry = self.of.entry()?;
        self.of.grad().wrt(self.wrt.iter().map(String::as_str)).known_wrt()?;
        let compiled = lock(&entry.compiled);
        let program = &compiled.checked.program;
        let flow = Flow::new(program);
        let types = program.defs.get(&entry.signature.def).map_or(&[][..], |it| &it.params);
        let params = &self.of.of.params;
        let has_reals = |at: usize| types.get(at).is_some_and(|it| flow.carries(&it.ty));
        let real: Vec<usize> = (0..params.len()).filter(|at| has_reals(*at)).collect();
        let names: Vec<&str> = real.iter().map(|at| params[*at].as_str()).collect();
        if let Some(name) = self.wrt.iter().find(|it| !names.contains(&it.as_str())) {
            return Err(Report::single(error::no_reals(name, &names)));
        }
        let is_wanted = |at: &usize| self.wrt.is_empty() || self.wrt.contains(&params[*at]);
        let by: Vec<usize> = real.into_iter().filter(is_wanted).collect();
        match by.is_empty() {
            true => Err(Report::single(error::nothing_to_differentiate_by(&self.of.of.text))),
            false => Ok(by),
        }
    }
}

impl std::fmt::Debug for SparseJacobian {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SparseJacobian({:?}, {:?})", self.shared.kind, self.shared.of)
    }
}
