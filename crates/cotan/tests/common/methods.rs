//! The methods of differentiation, and whether they agree on a program.

use cotan::{Backend, Compiled, Compiler, Options, Precision, Style, Via};
use syntax::ast::{BinaryOp, Expr, ExprKind, Item};

/// The methods that differentiate a program as it runs, and so accept every one; the reference first.
pub(crate) const METHODS: [Via; 2] = [Via::Forward, Via::Tape];

/// How far two methods may be apart, relative to the greatest number of the answer or to `LEAST`:
/// sums of the same terms in another order differ by that much where they cancel.
fn tolerance(precision: Precision) -> f64 {
    match precision {
        Precision::F64 => 1e-12,
        Precision::F32 => 1e-5,
    }
}

/// What counts as the greatest number of an answer whose numbers are all smaller.
const LEAST: f64 = 1e-2;

/// Where the methods disagree on a program, one text per place: both sides of the comparisons
/// in its tests, the expressions given, and `main`, if it has no parameters.
/// Programs that do not check are other tests' business.
pub(crate) fn disagreements(
    name: &str,
    text: &str,
    precision: Precision,
    expressions: &[String],
) -> Vec<String> {
    let mut questions = compared(text);
    questions.extend(expressions.iter().cloned());
    questions.extend(has_plain_main(text).then(|| "main".to_string()));
    let numbered = questions.iter().enumerate();
    let defs: String = numbered.map(|(i, it)| format!("\ndef question{i} = {it}")).collect();
    let compile = |text: &str, via| {
        let options = Options { precision, via, backend: Backend::Interp, ..Options::default() };
        Compiler::new(options).compile(name, text)
    };
    if compile(text, METHODS[0]).is_err() {
        return Vec::new();
    }
    let mut programs = METHODS.map(|via| {
        let program = compile(&format!("{text}{defs}"), via);
        program.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)))
    });
    let mut res = Vec::new();
    for (i, question) in questions.iter().enumerate() {
        let answers = programs.each_mut().map(|it| answer(it, &format!("question{i}")));
        if answers[0].starts_with(FAILED) {
            res.push(format!("{name}: {question}\n  {}", answers[0]));
        }
        for (via, found) in METHODS.iter().zip(&answers).skip(1) {
            // A whole program may iterate, and carry rounding on from step to step.
            let more = if question == "main" { 1e3 } else { 1.0 };
            if let Some(difference) = difference(&answers[0], found, more * tolerance(precision)) {
                let methods = format!("{:?} against {via:?}", METHODS[0]);
                let both = format!("{}\n  {found}", answers[0]);
                res.push(format!("{name}: {question}\n  {methods}: {difference}\n  {both}"));
            }
        }
    }
    res
}

/// What starts the answer of a run that ended in an error.
const FAILED: &str = "error";

/// The value of a constant as text; for an error its codes.
fn answer(program: &mut Compiled, constant: &str) -> String {
    match program.call(constant, &[]) {
        Ok(answer) => answer.to_text(),
        Err(report) => format!("{FAILED} {}", report.codes().join(", ")),
    }
}

/// What the tests of a program compare, as expressions: a tuple for each comparison.
pub(crate) fn compared(text: &str) -> Vec<String> {
    let mut sources = base::SourceMap::new();
    let file = sources.add("program", text);
    let (module, _) = syntax::parse(file, text);
    let tests = module.items.iter().filter_map(|item| match item {
        Item::Test(test) => Some(&test.body),
        Item::Import(_)
        | Item::Def(_)
        | Item::Type(_)
        | Item::Data(_)
        | Item::Bench(_)
        | Item::Plot(_) => None,
    });
    tests.map(|body| sides(text, body)).collect()
}

/// The expression with a pair in the place of each comparison that decides it.
fn sides(text: &str, expr: &Expr) -> String {
    let whole = &text[expr.span.start as usize..expr.span.end as usize];
    // By the kinds that occur in tests; whatever else there is keeps its value.
    if let ExprKind::Paren(inner) = &expr.kind {
        return format!("({})", sides(text, inner));
    }
    if let ExprKind::Block { result, .. } = &expr.kind {
        let start = &text[expr.span.start as usize..result.span.start as usize];
        return format!("{start}{} }}", sides(text, result));
    }
    let ExprKind::Binary { op, left, right, .. } = &expr.kind else { return whole.to_string() };
    let part = |it: &Expr| &text[it.span.start as usize..it.span.end as usize];
    if matches!(op, BinaryOp::Eq | BinaryOp::Close) {
        format!("({}, {})", part(left), part(right))
    } else if *op == BinaryOp::And {
        format!("({}, {})", sides(text, left), sides(text, right))
    } else {
        whole.to_string()
    }
}

fn has_plain_main(text: &str) -> bool {
    text.lines().any(|it| it.starts_with("def main =") || it.starts_with("def main:"))
}

/// What is different about two printed values, if anything.
pub(crate) fn difference(a: &str, b: &str, tolerance: f64) -> Option<String> {
    let ((shape, reals), (other_shape, others)) = (taken_apart(a), taken_apart(b));
    if shape != other_shape {
        return Some("they have not the same structure".to_string());
    }
    let scale = reals.iter().fold(LEAST, |greatest, it| greatest.max(it.abs()));
    let mut pairs = reals.iter().zip(&others);
    let (x, y) = pairs.find(|(x, y)| (**x - **y).abs() > tolerance * scale)?;
    Some(format!("{x:?} and {y:?} differ by {:e} of the greatest", (x - y).abs() / scale))
}

/// A printed value as its text without reals, and its reals. `nan` and `infinity` are text.
fn taken_apart(text: &str) -> (String, Vec<f64>) {
    let (mut shape, mut reals) = (String::new(), Vec::new());
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_') {
            word.push(c);
            continue;
        }
        match word.parse::<f64>() {
            Ok(real) if word.contains(['.', 'e']) && real.is_finite() => {
                reals.push(real);
                shape.push('#');
            }
            Ok(_) | Err(_) => shape.push_str(&word),
        }
        word.clear();
        shape.push(c);
    }
    (shape, reals)
}
