//! Evaluation that gives up after so many operations, for programs that nobody has read.

use base::Diagnostic;

use crate::answer::Answer;
use crate::argument::{self, Argument};
use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::error;
use crate::report::Report;

impl Compiled {
    /// As [`Compiled::eval`], by the interpreter, whatever the back end is; nothing if it takes more
    /// than so many operations.
    pub fn eval_within(
        &mut self,
        operations: u64,
        expression: &str,
        arguments: &[Argument],
    ) -> Result<Option<Answer>, Report> {
        with_deep_stack(|| {
            let res = self.expression_within(operations, expression, arguments);
            res.map_err(|diagnostics| self.report(diagnostics))
        })
    }

    fn expression_within(
        &mut self,
        operations: u64,
        expression: &str,
        arguments: &[Argument],
    ) -> Result<Option<Answer>, Vec<Diagnostic>> {
        let (def, span) = self.entry_of(expression, arguments)?;
        let signature = self.signature(&def, span);
        if signature.gives_function {
            return Err(vec![error::function_result(span, &signature.result.to_string())]);
        }
        let (types, precision) = (&self.types, self.options.precision);
        let bound = argument::bind(types, precision, &signature.parameters, arguments)?;
        let sizes = signature.size_arguments(&bound);
        self.interpreted_within(operations, &signature, &sizes, bound.values)
    }
}
