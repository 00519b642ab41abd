//! Runs the `test` declarations of a program.

use base::{Diagnostic, Span};
use syntax::ast;

use crate::answer::Answer;
use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::error;
use crate::report::Report;

/// What became of one test.
#[derive(Clone, Debug)]
pub struct TestResult {
    /// The text between its quotes.
    pub name: String,
    /// The line it stands in, from 1.
    pub line: usize,
    /// Passed or failed.
    pub outcome: TestOutcome,
}

/// Passed or failed.
#[derive(Clone, Debug)]
pub enum TestOutcome {
    /// It came out true.
    Passed,
    /// It came out false, or not at all.
    Failed(Report),
}

impl TestResult {
    /// `{"name":"...","line":3,"passed":false,"error":[...]}`
    pub fn to_json(&self) -> String {
        let name = serde_json::Value::from(self.name.as_str());
        let start = format!("{{\"name\":{name},\"line\":{}", self.line);
        match &self.outcome {
            TestOutcome::Passed => format!("{start},\"passed\":true}}"),
            TestOutcome::Failed(report) => {
                format!("{start},\"passed\":false,\"error\":{}}}", report.to_json())
            }
        }
    }
}

impl Compiled {
    /// How many tests there are.
    pub fn n_tests(&self) -> usize {
        self.checked.tests.len()
    }

    /// Runs a test; `index` counts from 0 in the order of the text.
    pub fn run_test(&mut self, index: usize) -> TestResult {
        with_deep_stack(|| {
            let test = self.checked.tests[index].clone();
            let (line, _) = self.sources.position(test.span);
            let outcome = if self.passed_together(index) {
                TestOutcome::Passed
            } else {
                self.outcome_alone(index)
            };
            TestResult { name: test.name, line, outcome }
        })
    }

    fn outcome_alone(&mut self, index: usize) -> TestOutcome {
        let test = self.checked.tests[index].clone();
        match self.run(&test.def, &[], test.span) {
            Ok(answer) if answer.is_true() => TestOutcome::Passed,
            Ok(_) => TestOutcome::Failed(self.explain_failure(index)),
            Err(diagnostics) => TestOutcome::Failed(self.report(diagnostics)),
        }
    }

    /// A test that came out false: shows both sides if it compares.
    fn explain_failure(&mut self, index: usize) -> Report {
        let test = self.checked.tests[index].clone();
        let body = self.test_body(index);
        let span = body.as_ref().map_or(test.span, |it| it.span);
        let sides = match (&test.sides, body.as_ref().and_then(comparison)) {
            (Some((left, right)), Some((left_span, right_span))) => {
                match (self.run(left, &[], left_span), self.run(right, &[], right_span)) {
                    (Ok(left), Ok(right)) => {
                        Some([(left_span, shorten(&left)), (right_span, shorten(&right))])
                    }
                    (Err(_), _) | (_, Err(_)) => None,
                }
            }
            (None, _) | (_, None) => None,
        };
        let diagnostic: Diagnostic = error::test_failed(&test.name, span, sides);
        self.report(vec![diagnostic])
    }

    fn test_body(&self, index: usize) -> Option<ast::Expr> {
        let tests = self.module.items.iter().filter_map(|item| match item {
            ast::Item::Test(test) => Some(&test.body),
            ast::Item::Import(_)
            | ast::Item::Def(_)
            | ast::Item::Type(_)
            | ast::Item::Data(_)
            | ast::Item::Bench(_)
            | ast::Item::Plot(_) => None,
        });
        tests.into_iter().nth(index).cloned()
    }
}

/// The places of both sides of `a ~= b` or `a == b`.
fn comparison(body: &ast::Expr) -> Option<(Span, Span)> {
    if let ast::ExprKind::Paren(inner) = &body.kind {
        return comparison(inner);
    }
    let ast::ExprKind::Binary { op: ast::BinaryOp::Eq | ast::BinaryOp::Close, left, right, .. } =
        &body.kind
    else {
        return None;
    };
    Some((left.span, right.span))
}

/// The value in a label: its beginning if it is long.
fn shorten(answer: &Answer) -> String {
    const MOST: usize = 200;
    let text = answer.to_text();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}... ({})", &text[..end], answer.type_text()),
        None => text,
    }
}
