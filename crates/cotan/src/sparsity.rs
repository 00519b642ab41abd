//! The pattern of a Jacobian: which reals of the result depend on which reals of the arguments, of one call.
//!
//! It is found by method `chad` with sets for cotangents (`sets.rs`), or else by the tape (`eval::Pattern`).
//! Derivatives inside of the program are resolved before, where that is possible: else each of their results
//! counts as dependent on all that it is made of.

mod colouring;
mod picture;
mod sets;
mod star;

use std::sync::Arc;

use base::Diagnostic;
use eval::{Evaluator, Pattern};
use ir::Type;
use serde_json::json;

use crate::Stop;
use crate::argument::{self, Argument, Bound};
use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::error;
use crate::method::Via;
use crate::on_demand::OnDemand;
use crate::options::Options;
use crate::parts::reachable;
use crate::report::Report;
use crate::runner::Way;
use crate::signature::Signature;
use crate::sparse::Sparse;
use crate::wrt;

pub use colouring::{Colouring, Side};

/// The pattern of a Jacobian, in compressed rows: a row for each real of the result, a column for each real
/// of the parameters that were asked for, in the order in which they are written; those of an array of
/// tuples part by part.
///
/// What is not in it is zero, at this point and at all others that take the same branches and indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sparsity {
    /// The parameters, and how many columns each of them has.
    pub parameters: Vec<(String, usize)>,
    starts: Arc<Vec<usize>>,
    columns: Arc<Vec<u32>>,
}

impl Sparsity {
    /// A pattern of these rows.
    pub(crate) fn new(
        parameters: Vec<(String, usize)>,
        starts: Vec<usize>,
        columns: Vec<u32>,
    ) -> Sparsity {
        Sparsity { parameters, starts: Arc::new(starts), columns: Arc::new(columns) }
    }

    /// A matrix of this pattern, which shares it.
    pub(crate) fn matrix(&self, values: Vec<f64>) -> Sparse {
        let (starts, columns) = (self.starts.clone(), self.columns.clone());
        Sparse { n_columns: self.n_columns(), starts, columns, values }
    }

    /// Whether a matrix shares this pattern.
    pub(crate) fn is_of(&self, matrix: &Sparse) -> bool {
        Arc::ptr_eq(&self.starts, &matrix.starts) && Arc::ptr_eq(&self.columns, &matrix.columns)
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of columns.
    pub fn n_columns(&self) -> usize {
        self.parameters.iter().map(|it| it.1).sum()
    }

    /// How many entries may be other than zero.
    pub fn n_entries(&self) -> usize {
        self.columns.len()
    }

    /// The columns of a row in which it may be other than zero, in order.
    pub fn row(&self, at: usize) -> &[u32] {
        &self.columns[self.starts[at]..self.starts[at + 1]]
    }

    /// Where each row begins among the columns, and where the last one ends.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The columns of all rows, one row after the other.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Counts, and a picture if it is small.
    pub fn to_text(&self) -> String {
        let (rows, columns, entries) = (self.n_rows(), self.n_columns(), self.n_entries());
        let by: Vec<String> =
            self.parameters.iter().map(|it| format!("{} {}", it.0, it.1)).collect();
        let by = if by.is_empty() { String::new() } else { format!(" ({})", by.join(", ")) };
        let all = rows.saturating_mul(columns);
        let share = if all == 0 { 0.0 } else { 100.0 * entries as f64 / all as f64 };
        let in_row = (0..rows).map(|it| self.row(it).len()).max().unwrap_or(0);
        let mut counts = vec![0; columns];
        self.columns.iter().for_each(|it| counts[*it as usize] += 1);
        let in_column = counts.into_iter().max().unwrap_or(0);
        let head = format!(
            "{rows} rows by {columns} columns{by}\n{entries} entries may be other than zero, {share:.3} %\n\
             at most {in_row} in a row and {in_column} in a column\n"
        );
        match picture::text(self) {
            Some(picture) => format!("{head}\n{picture}"),
            None => head,
        }
    }

    /// `{"rows":2,"columns":3,"parameters":[{"name":"x","columns":3}],"starts":[0,1,3],"indices":[0,1,2]}`
    pub fn to_json(&self) -> String {
        let parameter = |it: &(String, usize)| json!({ "name": it.0, "columns": it.1 });
        let parameters: Vec<serde_json::Value> = self.parameters.iter().map(parameter).collect();
        json!({
            "rows": self.n_rows(),
            "columns": self.n_columns(),
            "parameters": parameters,
            "starts": *self.starts,
            "indices": *self.columns,
        })
        .to_string()
    }

    /// A picture; of a large pattern each square stands for many entries and is black if one of them may be
    /// other than zero.
    pub fn to_svg(&self) -> String {
        picture::svg(self)
    }
}

impl Compiled {
    /// The pattern of the Jacobian of a definition for these arguments, by the parameters of these names,
    /// or by all if there are none. The definition is run once.
    pub fn sparsity(
        &mut self,
        name: &str,
        arguments: &[Argument],
        wrt: &[&str],
    ) -> Result<Sparsity, Report> {
        with_deep_stack(|| {
            let res = self.pattern_of(name, arguments, wrt);
            res.map_err(|diagnostics| self.report(diagnostics))
        })
    }

    fn pattern_of(
        &mut self,
        name: &str,
        arguments: &[Argument],
        wrt: &[&str],
    ) -> Result<Sparsity, Vec<Diagnostic>> {
        let signature = self.signature_of(name)?;
        if signature.gives_function {
            let ty = signature.result.to_string();
            return Err(vec![error::function_result(signature.span, &ty)]);
        }
        let active = wrt::of_one(self, &signature.def, wrt).map_err(|it| vec![it])?;
        let precision = self.options.precision;
        let bound = argument::bind(&self.types, precision, &signature.parameters, arguments)?;
        let stop = self.stop.clone();
        self.pattern_at(&signature, &active, &bound, &stop)
    }

    /// The pattern of an entry point for these values, by the active ones.
    pub(crate) fn pattern_at(
        &mut self,
        signature: &Signature,
        active: &[bool],
        bound: &Bound,
        stop: &Stop,
    ) -> Result<Sparsity, Vec<Diagnostic>> {
        let sizes = signature.size_arguments(bound);
        let is_alike = self.is_resolved_alike(signature);
        if is_alike {
            let asked = (&self.checked.program, &signature.def, self.options);
            if let Some(found) = sets::pattern(asked, (&sizes, &bound.values), active, stop) {
                return Ok(named(signature, found));
            }
        }
        let way = match is_alike {
            true => Way::of(&self.checked.program, &signature.def, self.options),
            false => Way::Plain,
        };
        let pattern = match way {
            Way::Ready(mut runner) => {
                runner.evaluator.stopped_by(stop);
                runner.pattern(&sizes, &bound.values, active)
            }
            // Dual numbers do not carry what is recorded here; derivatives inside go by the tape then.
            Way::Plain | Way::Refused(..) if self.options.via == Via::Forward => {
                let limits = Options { via: Via::Tape, ..self.options }.limits();
                let program = Arc::new(self.checked.program.clone());
                let mut evaluator = Evaluator::new(program, Box::new(OnDemand), limits);
                evaluator.stopped_by(stop);
                evaluator.pattern(&signature.def, &sizes, &bound.values, active)
            }
            Way::Plain | Way::Refused(..) => {
                let evaluator = self.evaluator();
                evaluator.stopped_by(stop);
                evaluator.pattern(&signature.def, &sizes, &bound.values, active)
            }
        };
        let found = pattern.map_err(|it| vec![it.to_diagnostic(signature.span)])?;
        Ok(named(signature, found))
    }

    /// Whether the reals of arguments and results stand in the same order where derivatives are resolved,
    /// and depend on the same: clauses are not there any more then.
    fn is_resolved_alike(&self, signature: &Signature) -> bool {
        let program = &self.checked.program;
        let Some(def) = program.defs.get(&signature.def) else { return false };
        let mut values = def.params.iter().chain(&def.results);
        let needed = reachable(program, &signature.def);
        let has_clauses = program.customs.keys().any(|it| needed.contains(it));
        !has_clauses && values.all(|it| has_parts_only(&it.ty))
    }
}

/// Whether a type is made of arrays, tuples and scalars.
fn has_parts_only(ty: &Type) -> bool {
    match ty.split_arrays().1 {
        Type::Real | Type::Int | Type::Bool => true,
        Type::Tuple(parts) => parts.iter().all(has_parts_only),
        Type::String | Type::Data(..) | Type::Array(..) | Type::Function(..) | Type::Var(_) => {
            false
        }
        Type::Dual(_) | Type::Delta | Type::Tape(_) => false,
    }
}

fn named(signature: &Signature, found: Pattern) -> Sparsity {
    let name =
        |it: &argument::Parameter| it.name.as_ref().map_or("_", |it| it.as_str()).to_string();
    let parameters = signature.parameters.iter().map(name).zip(found.inputs);
    let parameters = parameters.filter(|it| it.1 > 0).collect();
    Sparsity::new(parameters, found.starts, found.columns)
}
