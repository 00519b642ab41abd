//! Which definitions are additive over the rows of a parameter, for people: `check --additive`.

use base::{Code, Diagnostic, Name};
use ir::{Prim, Reduction};
use opt::Additive;
use opt::additive::{Blame, Why};

use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::error;
use crate::report::Report;

/// A definition that is not additive.
const NOT_ADDITIVE: Code = Code("E0514");

impl Compiled {
    /// What definitions give for data that is cut into parts by the rows of a parameter: a line for each
    /// that is additive, or gives a row for each row, and the errors of the others.
    ///
    /// `over` is the name of a parameter, of all definitions that have an array of that name, or
    /// `definition.parameter`.
    pub fn additive(&self, over: &str) -> (Vec<String>, Report) {
        with_deep_stack(|| {
            let (of, param) = match over.split_once('.') {
                Some((def, param)) => (Some(def), param),
                None => (None, over),
            };
            let (mut lines, mut errors, mut n_found) = (Vec::new(), Vec::new(), 0);
            for def in self.definitions() {
                let at = def.parameters.iter().position(|it| it.0 == param);
                let Some(at) = at.filter(|_| of.is_none_or(|it| it == def.name)) else { continue };
                match opt::additive(&self.checked.program, &Name::new(&def.name), at) {
                    Ok(found) => lines.push(told(found, &def.name, param)),
                    // One number of that name is not what was asked about.
                    Err(Blame { why: Why::NoRows, .. }) if of.is_none() => continue,
                    Err(blame) => errors.push(self.not_additive(&blame, &def.name, param)),
                }
                n_found += 1;
            }
            if n_found == 0 {
                errors.push(error::no_rows(over));
            }
            (lines, self.report(errors))
        })
    }

    fn not_additive(&self, blame: &Blame, def: &str, param: &str) -> Diagnostic {
        let title = format!("`{def}` is not additive over `{param}`");
        let mut res = Diagnostic::error(NOT_ADDITIVE, title);
        let mut places = blame.at.iter().flatten().filter(|it| it.file == self.file());
        // Inside of the prelude, the call of it is the place.
        match places.next() {
            Some(at) => {
                res = res.label(*at, reason(&blame.why));
                for at in places {
                    res = res.label(*at, "called from here");
                }
            }
            None => res = res.help(format!("{}, and this is all it gives", reason(&blame.why))),
        }
        match help(&blame.why) {
            Some(text) => res.help(text),
            None => res,
        }
    }
}

fn help(why: &Why) -> Option<&'static str> {
    match why {
        Why::Constant => Some("add it once, outside of what is summed over shards"),
        Why::Prim(Prim::Div) => {
            Some("divide after the sum over shards; the number of rows is a sum as well")
        }
        Why::NoRows => Some("ask about an array whose first size is a variable"),
        Why::Size | Why::Number | Why::OtherRow | Why::Prim(_) | Why::Reduction(_) => None,
        Why::Order | Why::State | Why::Choice | Why::Function | Why::Other => None,
    }
}

fn told(found: Additive, def: &str, param: &str) -> String {
    match found {
        Additive::Sum => format!("`{def}` is additive over `{param}`"),
        Additive::Rows => format!("`{def}` gives a row for each row of `{param}`"),
    }
}

fn reason(why: &Why) -> String {
    let text = match why {
        Why::NoRows => "it is no array with rows",
        Why::Size => "the number of all rows is part of another size here",
        Why::Number => "the number of a row is another in each shard",
        Why::OtherRow => "this looks at rows other than the one at hand",
        Why::Constant => "this is the same for all shards, so it would be added once for each",
        Why::Reduction(Reduction::Sum) => "this is a sum of what is no row",
        Why::Reduction(Reduction::Product) => "a product of all rows is no sum",
        Why::Reduction(Reduction::Maximum) => "the greatest of all rows is no sum",
        Why::Reduction(Reduction::Minimum) => "the least of all rows is no sum",
        Why::Order => "this depends on which rows stand beside one another",
        Why::State => "this state is no sum of what each row contributes",
        Why::Choice => "this decides by all rows, or between a sum and something else",
        Why::Function => "what is called here gets all rows, and does not say what it does",
        Why::Other => "this puts rows or sums into something that is neither",
        Why::Prim(prim) => {
            return format!("sums over shards cannot be added up after `{}` of them", prim.name());
        }
    };
    text.to_owned()
}
