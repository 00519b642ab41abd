//! Where gradients end, for people: a section of `stages`, and the errors of `check --strict`.

use ad::flow::{Flow, Stop, Summary};
use base::{Code, Diagnostic, Name, Span};
use ir::prim::Rule;
use ir::{Block, Def, DeriveOp, FunctionOp, Lambda, Op, Operator, Prim, Program, Type, Var};
use syntax::ast::ExprKind;

use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::report::Report;

/// An argument without any gradient path.
const NO_PATH: Code = Code("E0513");

/// Expressions are shown up to this length.
const LONGEST: usize = 60;

/// So many places are shown in one message.
const MOST_PLACES: usize = 4;

impl Compiled {
    /// An error for every argument that is differentiated by and has no gradient path to the result:
    /// its derivative is zero wherever it is taken.
    pub fn strict(&self) -> Report {
        with_deep_stack(|| {
            let program = &self.checked.program;
            let flow = Flow::new(program);
            let mut found = Vec::new();
            for def in program.defs.values() {
                for (operator, lambda, at) in differentiated(def) {
                    found.extend(self.without_path(&flow, def, operator, lambda, at));
                }
            }
            found.sort_by_key(|it| it.labels.first().map(|label| label.span));
            // The sides of a test are definitions of their own.
            let mut seen: Vec<Diagnostic> = Vec::new();
            for diagnostic in found {
                if !seen.contains(&diagnostic) {
                    seen.push(diagnostic);
                }
            }
            self.report(seen)
        })
    }

    fn without_path(
        &self,
        flow: &Flow<'_>,
        def: &Def,
        operator: Operator,
        lambda: &Lambda,
        at: Option<Span>,
    ) -> Vec<Diagnostic> {
        let [result] = &*lambda.body.results else { return Vec::new() };
        if at.is_none_or(|it| it.file != self.file()) || !gives_reals(flow, def, lambda, result) {
            return Vec::new();
        }
        let summary = flow.of_lambda(def, lambda);
        let mut res = Vec::new();
        for (position, param) in lambda.params.iter().enumerate() {
            if flow.has_reals(&param.ty) && !summary.flows.contains(&position) {
                let name = self.parameter_name(lambda, position, at);
                res.push(self.no_path(flow, &summary, operator, (position, name), at));
            }
        }
        res
    }

    fn no_path(
        &self,
        flow: &Flow<'_>,
        summary: &Summary,
        operator: Operator,
        (position, name): (usize, String),
        at: Option<Span>,
    ) -> Diagnostic {
        let title = format!("no gradient path leads from {name} to the result");
        let mut res = Diagnostic::error(NO_PATH, title);
        if let Some(at) = at {
            // It is what `vjp(f)(x)` and `jvp(f)(x)` are made of, which users may have written.
            res = res.label(
                at,
                match operator {
                    Operator::Linearise => format!("its derivative by {name} is zero everywhere"),
                    Operator::Jvp
                    | Operator::Vjp
                    | Operator::Grad
                    | Operator::ValueAndGrad
                    | Operator::Jacobian
                    | Operator::Hessian
                    | Operator::Hvp => {
                        format!("what `{operator}` gives for {name} is zero everywhere")
                    }
                },
            );
        }
        let places = flow.places(summary, position);
        for (stop, span) in places.iter().take(MOST_PLACES) {
            if let Some(span) = span {
                res = res.label(*span, format!("a path ends here: {}", told(stop)));
            }
        }
        match places.is_empty() {
            true => res.help("use it, or leave it out of what is differentiated"),
            false => res.help(
                "take the function apart there, or leave the parameter out of what is differentiated",
            ),
        }
    }

    /// What the user calls a parameter of a function.
    fn parameter_name(&self, lambda: &Lambda, position: usize, at: Option<Span>) -> String {
        let written = at.map(|it| self.sources.snippet(it)).unwrap_or_default();
        let file = self.file();
        let expr = syntax::parse_expr(file, written).0;
        let names: Vec<String> = if let ExprKind::Lambda { params, .. } = expr.kind {
            let name = |it: syntax::ast::Param| written.get(it.pattern.span.range());
            params.into_iter().filter_map(|it| name(it).map(str::to_string)).collect()
        } else {
            // A definition as it is: the one call in the function.
            only_call(&lambda.body).map_or_else(Vec::new, |it| self.names_of(it))
        };
        match names.get(position) {
            Some(name) => format!("`{name}`"),
            None if lambda.params.len() == 1 => "the argument".to_string(),
            None => format!("argument {}", position + 1),
        }
    }

    fn names_of(&self, def: &Name) -> Vec<String> {
        let scheme = self.checked.scheme(def);
        let params = scheme.and_then(|it| it.params.as_deref()).unwrap_or(&[]);
        let name = |it: &check::SchemeParam| it.name.as_ref().map_or("_".into(), Name::to_string);
        params.iter().map(name).collect()
    }

    /// The section of `stages`: a line for every place at which a gradient ends.
    pub(crate) fn gradient_stops(&self, def: &Name) -> String {
        let flow = Flow::new(&self.checked.program);
        let mut lines = Vec::new();
        for def in flow.differentiated(def) {
            for end in flow.summary(&def).iter().flat_map(|it| &it.ends) {
                // What is called has lines of its own.
                if !matches!(end.what, Stop::Call(..))
                    && let Some(at) = end.at
                {
                    lines.push((at, self.stop_line(&end.what, at)));
                }
            }
        }
        // The text first, then what it calls in the prelude.
        lines.sort_by_key(|(at, _)| (at.file != self.file(), *at));
        lines.dedup();
        lines.into_iter().map(|(_, line)| line).collect()
    }

    fn stop_line(&self, stop: &Stop, at: Span) -> String {
        let file = self.sources.get(at.file).map_or("", |it| it.name.as_str());
        let (line, column) = self.sources.position(at);
        let words: Vec<&str> = self.sources.snippet(at).split_whitespace().collect();
        let text = words.join(" ");
        let text = match text.chars().count() > LONGEST {
            true => text.chars().take(LONGEST - 3).chain("...".chars()).collect(),
            false => text,
        };
        format!("{file}:{line}:{column}: {}: {text}\n", told(stop))
    }
}

/// The kind of place, in the user's words.
fn told(stop: &Stop) -> &'static str {
    match stop {
        Stop::Asked => "stop_gradient",
        Stop::Prim(Prim::Sign) => "a sign",
        Stop::Prim(prim) => match prim.row().rule {
            Rule::Compare | Rule::TestReal => "a comparison",
            Rule::RealToInt => "a conversion to Int",
            Rule::Number1 | Rule::Number2 | Rule::Real1 | Rule::Real2 | Rule::IntReal => "rounding",
            Rule::IntToReal | Rule::Int2 => "an integer",
            Rule::Bool1 | Rule::Bool2 | Rule::Choose => "a choice",
        },
        Stop::Comparison => "a comparison",
        Stop::Position => "a position",
        Stop::Call(..) => "a call",
    }
}

/// The functions written in place that a definition differentiates.
fn differentiated(def: &Def) -> Vec<(Operator, &Lambda, Option<Span>)> {
    fn collect<'a>(
        def: &'a Def,
        block: &'a Block,
        lambdas: &mut Vec<(Var, &'a Lambda)>,
        res: &mut Vec<(Operator, &'a Lambda, Option<Span>)>,
    ) {
        for stmt in &block.stmts {
            if let (Op::Function(FunctionOp::Lambda(lambda)), [binder]) = (&stmt.op, &*stmt.binders)
            {
                lambdas.push((binder.var, lambda));
            }
            if let Op::Derive(DeriveOp::OfFunction {
                operator,
                function: ir::Atom::Var(function),
                ..
            }) = &stmt.op
                && let Some((var, lambda)) = lambdas.iter().find(|(var, _)| var == function)
            {
                res.push((*operator, lambda, def.spans.0.get(var).copied()));
            }
            for (_, inner) in ir::walk::blocks(&stmt.op) {
                collect(def, inner, lambdas, res);
            }
        }
    }
    let mut res = Vec::new();
    collect(def, &def.body, &mut Vec::new(), &mut res);
    res
}

/// Whether the result of a function has reals, as far as its type is known.
fn gives_reals(flow: &Flow<'_>, def: &Def, lambda: &Lambda, result: &ir::Atom) -> bool {
    match result {
        ir::Atom::Var(var) => type_of(*var, def, lambda).is_some_and(|it| flow.has_reals(it)),
        ir::Atom::Real(_) => true,
        ir::Atom::Int(_) | ir::Atom::Bool(_) | ir::Atom::Str(_) => false,
    }
}

fn type_of<'a>(var: Var, def: &'a Def, lambda: &'a Lambda) -> Option<&'a Type> {
    fn bound(var: Var, block: &Block) -> Option<&Type> {
        let all = block.stmts.iter().flat_map(|it| &it.binders);
        all.into_iter().find(|it| it.var == var).map(|it| &it.ty)
    }
    let param = |params: &'a [ir::Binder]| params.iter().find(|it| it.var == var).map(|it| &it.ty);
    bound(var, &lambda.body)
        .or_else(|| param(&lambda.params))
        .or_else(|| bound(var, &def.body))
        .or_else(|| param(&def.params))
}

/// The definition that a function calls, if it does nothing else.
fn only_call(body: &Block) -> Option<&Name> {
    match &*body.stmts {
        [ir::Stmt { op: Op::Function(FunctionOp::Call { def, .. }), .. }] => Some(def),
        _ => None,
    }
}

/// Used by `gradcheck`: whether something is not differentiated on purpose.
pub(crate) fn asks_to_stop(program: &Program, def: &Name) -> bool {
    let flow = Flow::new(program);
    let ends = |it: &Name| flow.summary(it).map_or(&[][..], |it| &it.ends).to_vec();
    flow.differentiated(def).iter().any(|it| ends(it).iter().any(|it| it.what == Stop::Asked))
}
