//! What is written of functions for an entry point: an expression as a definition of the program, and what
//! that takes and gives.

use std::collections::BTreeSet;

use ad::flow::Flow;
use base::{Diagnostic, Name};
use ir::Var;
use syntax::ast;

use super::text::{Operator, Text};
use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::error;
use crate::report::Report;
use crate::signature::Signature;

/// The definition that computes a text.
pub(super) fn signature(
    compiled: &mut Compiled,
    text: &Text<'_>,
) -> Result<Signature, Vec<Diagnostic>> {
    let is_by_all = text.operator == Operator::Jacobian && text.wrt.is_empty();
    match is_by_all.then(|| beside_sizes(compiled, text)).flatten() {
        Some(wrt) => written(compiled, &Text { wrt: &wrt, ..*text }),
        None => written(compiled, text),
    }
}

/// The parameters with reals, if another one says how long the result is: that has no derivative by it, and
/// stays outside.
fn beside_sizes(compiled: &mut Compiled, text: &Text<'_>) -> Option<Vec<String>> {
    if text.of.params.len() < 2 {
        return None;
    }
    let of = written(compiled, &Text { operator: Operator::Value, ..*text }).ok()?;
    let def = compiled.checked.program.defs.get(&of.def)?;
    // A number that is a size is a size of the definition that no array among the parameters has.
    let known: BTreeSet<Var> = def.params.iter().flat_map(|it| it.ty.size_vars()).collect();
    let told = |it: &Var| def.size_params.contains(it) && !known.contains(it);
    if !def.results.iter().any(|it| it.ty.size_vars().iter().any(told)) {
        return None;
    }
    let flow = Flow::new(&compiled.checked.program);
    let all = text.of.params.iter().zip(&def.params);
    let wrt: Vec<String> = all.filter(|it| flow.carries(&it.1.ty)).map(|it| it.0.clone()).collect();
    (!wrt.is_empty()).then_some(wrt)
}

fn written(compiled: &mut Compiled, text: &Text<'_>) -> Result<Signature, Vec<Diagnostic>> {
    let expr = parsed(compiled, &text.text())?;
    let inner = text.inner_params();
    let params: Vec<_> = inner.iter().map(|it| (Name::new(it), None)).collect();
    let entry = compiled.checked.expression(&expr, &params);
    let entry = entry.map_err(|errors| check::diagnostics(&errors))?;
    compiled.forget_evaluator();
    with_reals(compiled, &entry.def, text)?;
    let mut signature = compiled.signature(&entry.def, expr.span);
    for (parameter, name) in signature.parameters.iter_mut().zip(text.params()) {
        parameter.name = Some(Name::new(&name));
    }
    // What is linearised has functions in it that stay here.
    match signature.gives_function && text.operator != Operator::Linearise {
        true => Err(vec![error::function_result(expr.span, &signature.result.to_string())]),
        false => Ok(signature),
    }
}

/// Fails on parameters that are asked for and have nothing to differentiate by.
fn with_reals(compiled: &Compiled, def: &Name, text: &Text<'_>) -> Result<(), Vec<Diagnostic>> {
    let Some(def) = compiled.checked.program.defs.get(def) else { return Ok(()) };
    let flow = Flow::new(&compiled.checked.program);
    let all = text.of.params.iter().zip(&def.params);
    let (real, other): (Vec<_>, Vec<_>) = all.partition(|it| flow.carries(&it.1.ty));
    let real: Vec<&str> = real.iter().map(|it| it.0.as_str()).collect();
    match other.iter().find(|it| text.wrt.contains(it.0)) {
        None => Ok(()),
        Some((name, _)) => Err(vec![error::no_reals(name, &real)]),
    }
}

fn parsed(compiled: &mut Compiled, text: &str) -> Result<ast::Expr, Vec<Diagnostic>> {
    let file = compiled.sources.add("<expression>", text);
    let (expr, diagnostics) = syntax::parse_expr(file, text);
    if check::has_errors(&diagnostics) { Err(diagnostics) } else { Ok(expr) }
}

/// The names of the parameters of a function that is written as an expression; patterns have none.
pub(super) fn params_of(
    compiled: &mut Compiled,
    text: &str,
) -> Result<Vec<Option<String>>, Report> {
    let expr = with_deep_stack(|| parsed(compiled, text)).map_err(|it| compiled.report(it))?;
    let mut expr = &expr;
    while let ast::ExprKind::Paren(inner) = &expr.kind {
        expr = inner;
    }
    let ast::ExprKind::Lambda { params, .. } = &expr.kind else { return Ok(Vec::new()) };
    let name = |it: &ast::Param| {
        if let ast::PatternKind::Name(name) = &it.pattern.kind {
            return Some(name.to_string());
        }
        None
    };
    Ok(params.iter().map(name).collect())
}
