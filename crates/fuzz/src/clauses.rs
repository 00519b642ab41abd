//! Clauses that are not the derivative of their body. What they say is a first derivative like others; but a
//! second derivative made of it need not be symmetric.

use base::FileId;
use cotan::Via;
use syntax::ast;

use crate::agree::{Question, Verdict, judge};
use crate::case::Case;
use crate::edit;
use crate::target::{Asked, MORE, OPERATIONS, by_interpreter};

/// Whether there may be a second derivative in a program of these words.
pub(crate) fn is_second(words: &[String]) -> bool {
    // `with vjp` begins a clause.
    let before = std::iter::once("").chain(words.iter().map(String::as_str));
    let is_operator =
        |it: &(&String, &str)| edit::OPERATORS.contains(&it.0.as_str()) && it.1 != "with";
    let operators = words.iter().zip(before).filter(is_operator).count();
    operators > 1 || words.iter().any(|it| it == "hessian" || it == "hvp")
}

/// Whether the answer is another one by the derivatives of bodies, where definitions have clauses.
pub(crate) fn matter(case: &Case, ask: &str, reference: &Asked) -> bool {
    let (module, _) = syntax::parse(FileId(0), &case.text);
    let (mut text, mut end) = (String::new(), 0);
    for item in &module.items {
        let ast::Item::Def(def) = item else { continue };
        if !def.customs.is_empty() {
            text += &case.text[end..def.body.span.range().end];
            end = def.span.range().end;
        }
    }
    text += &case.text[end..];
    if text == case.text {
        return false;
    }
    let without = Case { text, ..case.clone() };
    let found = by_interpreter(&without, ask, Via::Auto, OPERATIONS * MORE);
    let (moved, by_clause) = (|_| Vec::new(), || false);
    let question =
        Question { precision: case.precision, derives: true, moved: &moved, by_clause: &by_clause };
    matches!(judge(&question, reference, &found), Verdict::Unexplained(..))
}
