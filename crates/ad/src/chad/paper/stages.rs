//! What becomes of a definition in the paper's form, for people to read.

use base::Name;
use ir::Program;

use super::forward::{self, forward};
use super::from_ir::from_ir;
use super::lower::{lower, lower_type};
use super::reverse::{self, reverse};
use super::simplify::simplify;
use super::term::Term;
use super::types::Type;

/// Longer sources are counted and not printed: nobody reads them.
const MOST_TERMS: usize = 100;

/// Longer terms are not simplified: rules look at all of a term often.
const MOST_SIMPLIFIED: usize = 1200;

/// A mode: what it is called, its derivative of a term, its primal of a type.
type Mode = (&'static str, Differentiate, fn(&Type) -> Type);

type Differentiate = fn(&[(Name, Type)], &Term) -> Result<(Term, Type), String>;

const MODES: [Mode; 2] =
    [("reverse", reverse, reverse::primal), ("forward", forward, forward::primal)];

/// Source, raw derivative, lowered and simplified, for both modes: titles and texts. Where the paper's language
/// has no word for something, that is all that is said.
pub fn stages(program: &Program, def: &Name) -> Vec<(String, String)> {
    let title = |what: &str| format!("the paper's form: {what}");
    let source = match from_ir(program, def) {
        Ok(it) => it,
        Err(what) => {
            let text = format!("The paper's language has no word for {what}.");
            return vec![(title("none"), text)];
        }
    };
    if source.body.size() > MOST_TERMS {
        let text = format!("{} terms, too many to be printed.", source.body.size());
        return vec![(title("source"), text)];
    }
    let mut res = vec![(title("source"), source.body.named().brief())];
    for (mode, differentiate, primal) in MODES {
        let raw = match differentiate(&source.params, &source.body) {
            Ok((raw, _)) => raw,
            // No program that is known to us gets here; who reads stages should see the others.
            Err(why) => return vec![(title("none"), format!("It has no type there: {why}."))],
        };
        let lowered = lower(&raw);
        let context: Vec<(Name, Type)> =
            source.params.iter().map(|it| (it.0.clone(), lower_type(&primal(&it.1)))).collect();
        let simple = match lowered.size() <= MOST_SIMPLIFIED {
            true => simplify(&context, &lowered).term.brief(),
            false => format!("{} terms, too many to be simplified.", lowered.size()),
        };
        res.push((title(&format!("derivative, {mode} mode")), raw.named().brief()));
        res.push((title(&format!("lowered, {mode} mode")), lowered.named().brief()));
        res.push((title(&format!("simplified, {mode} mode")), simple));
    }
    res
}
