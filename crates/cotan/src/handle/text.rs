//! What a handle computes, as a text over its parameters: `grad(\w => loss(w, x))(w)`.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The builtins that a program hides by definitions of its own, and what they are called instead.
pub(super) type Hidden = Arc<BTreeMap<String, String>>;

/// What a handle stands for, without derivatives.
pub(super) struct Of {
    /// A definition, or a function in parentheses.
    pub(super) text: String,
    pub(super) params: Vec<String>,
    /// Names that the text binds itself.
    pub(super) bound: Vec<String>,
    pub(super) hidden: Hidden,
}

/// What is computed of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Value,
    Grad,
    ValueAndGrad,
    Jvp,
    Vjp,
    Jacobian,
    Hessian,
    Hvp,
    Linearise,
}

impl Operator {
    /// As programs write it; the value is written as nothing.
    fn name(self) -> &'static str {
        match self {
            Operator::Value => "",
            Operator::Grad => "grad",
            Operator::ValueAndGrad => "value_and_grad",
            Operator::Jvp => "jvp",
            Operator::Vjp => "vjp",
            Operator::Jacobian => "jacobian",
            Operator::Hessian => "hessian",
            Operator::Hvp => "hvp",
            Operator::Linearise => "linearise",
        }
    }
}

/// A derivative, or the value, of a function by some of its parameters.
pub(super) struct Text<'a> {
    pub(super) of: &'a Of,
    pub(super) operator: Operator,
    /// The parameters that it is by; all if none is named.
    pub(super) wrt: &'a [String],
}

impl Text<'_> {
    /// The names of its parameters: behind those of the function the directions or the cotangent.
    pub(super) fn params(&self) -> Vec<String> {
        let mut res = self.of.params.clone();
        let more: Vec<String> = match self.operator {
            Operator::Jvp | Operator::Hvp => {
                self.by().map(|at| format!("d{}", self.of.params[at])).collect()
            }
            Operator::Vjp => vec!["dy".to_owned()],
            Operator::Value | Operator::Grad | Operator::ValueAndGrad => Vec::new(),
            Operator::Jacobian | Operator::Hessian | Operator::Linearise => Vec::new(),
        };
        for name in more {
            let name = free(name, |it| res.iter().any(|known| known == it));
            res.push(name);
        }
        res
    }

    /// The names of the parameters inside of the text, where they must hide nothing that it uses.
    pub(super) fn inner_params(&self) -> Vec<String> {
        let used = words(&self.of.text).filter(|it| !self.of.bound.iter().any(|name| name == it));
        let used: Vec<&str> = used.chain([self.of.builtin(self.operator.name())]).collect();
        let mut res: Vec<String> = Vec::new();
        for name in self.params() {
            let taken = |it: &str| used.contains(&it) || res.iter().any(|known| known == it);
            let name = free(name, taken);
            res.push(name);
        }
        res
    }

    /// What it computes, over the inner names of its parameters.
    pub(super) fn text(&self) -> String {
        let inner = self.inner_params();
        let (params, more) = inner.split_at(self.of.params.len());
        let call = match params.is_empty() {
            true => self.of.text.clone(),
            false => format!("{}({})", self.of.text, params.join(", ")),
        };
        let by: Vec<&str> = self.by().map(|at| params[at].as_str()).collect();
        let (is_single, by, more) = (by.len() == 1, by.join(", "), more.join(", "));
        let name = self.of.builtin(self.operator.name());
        let applied = format!("{name}(\\{by} => {call})");
        match self.operator {
            Operator::Value => call,
            Operator::Jvp | Operator::Hvp if is_single => format!("{applied}({by}, {more})"),
            Operator::Jvp | Operator::Hvp => format!("{applied}(({by}), ({more}))"),
            Operator::Vjp => format!("{applied}({by})({more})"),
            Operator::Grad | Operator::ValueAndGrad | Operator::Linearise => {
                format!("{applied}({by})")
            }
            Operator::Jacobian | Operator::Hessian => format!("{applied}({by})"),
        }
    }

    /// The derivative as a function of its parameters, of which there may be derivatives again.
    pub(super) fn into_of(self) -> Of {
        let bound = self.inner_params();
        let text = format!("(\\{} => {})", bound.join(", "), self.text());
        Of { text, params: self.params(), bound, hidden: self.of.hidden.clone() }
    }

    /// The parameters that it is by, by number.
    fn by(&self) -> impl Iterator<Item = usize> {
        let all = self.of.params.iter().enumerate();
        let chosen = all.filter(|it| self.wrt.is_empty() || self.wrt.contains(it.1));
        chosen.map(|it| it.0)
    }
}

/// Which way many directions go through a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Through {
    /// From directions of the parameters to tangents of the result.
    Forth,
    /// From cotangents of the result to those of the parameters.
    Back,
}

impl Of {
    /// What a builtin is called where the text stands.
    fn builtin<'a>(&'a self, name: &'a str) -> &'a str {
        self.hidden.get(name).map_or(name, String::as_str)
    }

    /// Its derivative by these parameters, applied to many directions at once: they are further parameters
    /// at the end, arrays with a direction in each row.
    pub(super) fn through(&self, way: Through, by: &[usize]) -> Of {
        let builtins = ["jvp", "vjp", "length"].map(|it| self.builtin(it));
        let [jvp, vjp, length] = builtins;
        let (mut outer, mut inner) = (self.params.clone(), Vec::new());
        let seeds = if way == Through::Forth { by.len() } else { 1 };
        for at in 0..seeds {
            let name = free(format!("seeds{at}"), |it| outer.iter().any(|known| known == it));
            outer.push(name);
        }
        let used = words(&self.text).filter(|it| !self.bound.iter().any(|name| name == it));
        let used: Vec<&str> = used.chain(builtins).collect();
        for name in &outer {
            let taken =
                |it: &str| used.contains(&it) || inner.iter().any(|known: &String| known == it);
            let name = free(name.clone(), taken);
            inner.push(name);
        }
        let (params, seeds) = inner.split_at(self.params.len());
        let by: Vec<&str> = by.iter().map(|at| params[*at].as_str()).collect();
        let by = by.join(", ");
        let call = format!("{}({})", self.text, params.join(", "));
        let map = match way {
            Through::Forth => format!("{jvp}(\\{by} => {call})(({by}))"),
            Through::Back => format!("{vjp}(\\{by} => {call})({by})"),
        };
        // Behind the map only directions are mentioned, so these names hide nothing.
        let name =
            |it: &str| free(it.to_owned(), |it| it == length || seeds.iter().any(|s| s == it));
        let (through, at) = (name("through"), name("at"));
        let rows: Vec<String> = seeds.iter().map(|it| format!("{it}[{at}]")).collect();
        let (first, rows) = (&seeds[0], rows.join(", "));
        let text = format!(
            "(\\{} => {{ let {through} = {map}; build {at} < {length}({first}) => {through}(({rows})) }})",
            inner.join(", ")
        );
        Of { text, params: outer, bound: inner, hidden: self.hidden.clone() }
    }
}

/// The name, or one like it that is not taken.
pub(super) fn free(mut name: String, is_taken: impl Fn(&str) -> bool) -> String {
    while is_taken(&name) {
        name.push('_');
    }
    name
}

/// What may be names in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_').filter(|it| !it.is_empty())
}
