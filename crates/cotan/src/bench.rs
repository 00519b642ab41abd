//! Prepares the `bench` declarations of a program, so that somebody with a clock can run them.
//!
//! A bench whose expression is a derivative operator applied to a function and a point,
//! `grad(f)(x)`, is two things to measure: the derivative, and `f(x)`, its primal. The parts of
//! the point that are reals or arrays of them are computed before, and do not count. Any other
//! expression is a primal as it stands.

use std::sync::Arc;

use base::{Diagnostic, Name, Span};
use syntax::ast::{self, Expr, ExprKind};

use crate::answer::Answer;
use crate::argument::Argument;
use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::prepared::Prepared;
use crate::report::Report;

/// A bench that is ready to run.
pub struct Bench {
    /// The text between its quotes.
    pub name: String,
    /// The line it stands in, from 1.
    pub line: usize,
    primal: Prepared,
    derivative: Option<Prepared>,
}

/// What of a bench to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchPart {
    /// The function that is differentiated, or the whole expression if nothing is.
    Primal,
    /// The derivative.
    Derivative,
}

impl Bench {
    /// The name as JSON, in quotes.
    pub fn name_json(&self) -> String {
        serde_json::Value::from(self.name.as_str()).to_string()
    }

    /// Whether there is a derivative to run.
    pub fn has_derivative(&self) -> bool {
        self.derivative.is_some()
    }
}

impl Compiled {
    /// How many benches there are.
    pub fn n_benches(&self) -> usize {
        self.checked.benches.len()
    }

    /// The text between the quotes of a bench; `index` counts from 0 in the order of the text.
    pub fn bench_name(&self, index: usize) -> &str {
        &self.checked.benches[index].name
    }

    /// Gets a bench ready: finds its parts, and computes the point of a derivative.
    pub fn bench(&mut self, index: usize) -> Result<Bench, Report> {
        with_deep_stack(|| {
            let bench = self.checked.benches[index].clone();
            let (line, _) = self.sources.position(bench.span);
            let body = self.bench_body(index);
            if let Some(split) = body.as_ref().and_then(|it| Split::new(it, self))
                && let Some((primal, derivative)) = self.bench_of_derivative(&split)?
            {
                let derivative = Some(derivative);
                return Ok(Bench { name: bench.name, line, primal, derivative });
            }
            let primal = self.bench_part(&bench.def, bench.span, &[]);
            let primal = primal.map_err(|diagnostics| self.report(diagnostics))?;
            Ok(Bench { name: bench.name, line, primal, derivative: None })
        })
    }

    /// Runs a part of a bench; nothing happens if it has no such part.
    pub fn run_bench(&mut self, bench: &Bench, part: BenchPart) -> Result<Option<Answer>, Report> {
        let run = match part {
            BenchPart::Primal => Some(&bench.primal),
            BenchPart::Derivative => bench.derivative.as_ref(),
        };
        run.map(|it| self.call_prepared(it)).transpose()
    }

    fn bench_body(&self, index: usize) -> Option<Expr> {
        let benches = self.module.items.iter().filter_map(|item| match item {
            ast::Item::Bench(bench) => Some(&bench.body),
            ast::Item::Import(_)
            | ast::Item::Def(_)
            | ast::Item::Type(_)
            | ast::Item::Data(_)
            | ast::Item::Test(_)
            | ast::Item::Plot(_) => None,
        });
        benches.into_iter().nth(index).cloned()
    }

    /// Primal and derivative with the point as arguments. If a point of its own is too little to
    /// infer types from, it stays where it is; if there is no primal of this form, nothing.
    fn bench_of_derivative(
        &mut self,
        split: &Split,
    ) -> Result<Option<(Prepared, Prepared)>, Report> {
        let (named, arguments) = self.point(split)?;
        for (split, arguments) in [(&named, &arguments[..]), (split, &[])] {
            let derivative = self.entry(&split.derivative(), arguments);
            let mut primals = split.primals().into_iter();
            let primal = primals.find_map(|it| self.entry(&it, arguments).ok());
            if let (Some(primal), Ok(derivative)) = (primal, derivative) {
                self.forget_evaluator();
                let primal = self.bench_part(&primal.def, split.span, arguments);
                let both = primal.and_then(|primal| {
                    Ok((primal, self.bench_part(&derivative.def, split.span, arguments)?))
                });
                return both.map(Some).map_err(|diagnostics| self.report(diagnostics));
            }
        }
        Ok(None)
    }

    /// Computes what it can of the point, and gives it names.
    fn point(&mut self, split: &Split) -> Result<(Split, Vec<Argument>), Report> {
        let mut named = split.clone();
        let mut arguments = Vec::new();
        for part in named.parts() {
            let Ok(entry) = self.checked.expression(part, &[]) else { continue };
            self.forget_evaluator();
            let answer = self.run(&entry.def, &[], part.span);
            let answer = answer.map_err(|diagnostics| self.report(diagnostics))?;
            // No name of a program has a space.
            let name = format!("argument {}", arguments.len());
            if let Some(argument) = Argument::of_answer(&name, &answer) {
                part.kind = ExprKind::Name(Name::new(&name));
                arguments.push(argument);
            }
        }
        Ok((named, arguments))
    }

    fn bench_part(
        &mut self,
        def: &Name,
        span: Span,
        arguments: &[Argument],
    ) -> Result<Prepared, Vec<Diagnostic>> {
        let signature = Arc::new(self.signature(def, span));
        // A primal has no parameter for a direction.
        let is_asked = |it: &&Argument| {
            let name = Some(it.name.as_str());
            signature.parameters.iter().any(|it| it.name.as_ref().map(Name::as_str) == name)
        };
        let arguments: Vec<Argument> = arguments.iter().filter(is_asked).cloned().collect();
        self.prepared(signature, &arguments)
    }
}

/// `operator(function)(point, ...)(more)`
#[derive(Clone)]
struct Split {
    operator: Operator,
    /// `operator(function)`
    applied: Expr,
    function: Expr,
    /// What the function is differentiated at, a direction included.
    point: Vec<Expr>,
    /// The cotangent of `vjp`.
    more: Option<Vec<Expr>>,
    span: Span,
}

/// How an operator takes its point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    /// As the function does: `grad(f)(x, y)`.
    Point,
    /// And a cotangent afterwards: `vjp(f)(x, y)(dz)`.
    PointThenCotangent,
    /// Together with a direction: `jvp(f)((x, y), (dx, dy))`.
    PointAndDirection,
}

impl Operator {
    fn named(name: &str) -> Option<Operator> {
        match name {
            "grad" | "value_and_grad" | "jacobian" | "hessian" => Some(Operator::Point),
            "vjp" => Some(Operator::PointThenCotangent),
            "jvp" | "hvp" => Some(Operator::PointAndDirection),
            _ => None,
        }
    }
}

impl Split {
    fn new(body: &Expr, program: &Compiled) -> Option<Split> {
        let (outer, last) = call(body)?;
        let with_cotangent = call(outer).and_then(|(inner, point)| {
            let (operator, function) = application(inner, program)?;
            (operator == Operator::PointThenCotangent).then_some((
                operator,
                inner,
                function,
                point,
                Some(last),
            ))
        });
        let (operator, applied, function, point, more) = with_cotangent.or_else(|| {
            let (operator, function) = application(outer, program)?;
            let is_whole = operator == Operator::Point
                || operator == Operator::PointAndDirection && last.len() == 2;
            is_whole.then_some((operator, outer, function, last, None))
        })?;
        Some(Split {
            operator,
            applied: applied.clone(),
            function: function.clone(),
            point: point.to_vec(),
            more: more.map(<[Expr]>::to_vec),
            span: body.span,
        })
    }

    /// The expressions of the point, of its tuples that are written out, and of a cotangent.
    fn parts(&mut self) -> Vec<&mut Expr> {
        let all = self.point.iter_mut().chain(self.more.iter_mut().flatten());
        all.flat_map(parts_of).collect()
    }

    fn derivative(&self) -> Expr {
        let once = self.call(&self.applied, &self.point);
        self.more.as_ref().map_or(once.clone(), |more| self.call(&once, more))
    }

    /// The function at the point. With a direction, a tuple is all parameters or one.
    fn primals(&self) -> Vec<Expr> {
        if self.operator != Operator::PointAndDirection {
            return vec![self.call(&self.function, &self.point)];
        }
        let point = &self.point[..1];
        let mut res = vec![self.call(&self.function, point)];
        if let ExprKind::Tuple(parts) = &point[0].kind {
            res.push(self.call(&self.function, parts));
        }
        res
    }

    fn call(&self, function: &Expr, args: &[Expr]) -> Expr {
        let kind = ExprKind::Call { function: Box::new(function.clone()), args: args.to_vec() };
        Expr { kind, span: self.span }
    }
}

/// The parts of a tuple that is written out, or the expression itself.
fn parts_of(expr: &mut Expr) -> Vec<&mut Expr> {
    if !matches!(expr.kind, ExprKind::Tuple(_)) {
        return vec![expr];
    }
    let ExprKind::Tuple(parts) = &mut expr.kind else { return Vec::new() };
    parts.iter_mut().collect()
}

/// Function and arguments of a call.
fn call(expr: &Expr) -> Option<(&Expr, &[Expr])> {
    if let ExprKind::Paren(inner) = &expr.kind {
        return call(inner);
    }
    let ExprKind::Call { function, args } = &expr.kind else { return None };
    Some((function, args))
}

/// Operator and function of `grad(f)`, unless the program has a `grad` of its own.
fn application<'e>(expr: &'e Expr, program: &Compiled) -> Option<(Operator, &'e Expr)> {
    let (operator, [function]) = call(expr)? else { return None };
    let ExprKind::Name(name) = &operator.kind else { return None };
    let operator = Operator::named(name.as_str()).filter(|_| !program.has_def(name.as_str()))?;
    Some((operator, function))
}
