//! Closures that become functions of Cotan: run once, on variables of their own block.

use std::panic::Location;

use base::Diagnostic;
use base::token::KEYWORDS;

use crate::error;
use crate::node::{Base, Node, What};
use crate::recorder::{At, Session, Typed, several, with};
use crate::shape::Shape;
use crate::structure::{Traced, nodes};

/// A closure over traced values, of up to eight parameters.
pub trait Closure<Params> {
    /// What it gives.
    type Output: Traced;

    /// The structures of its parameters.
    fn params() -> Vec<Shape>;

    /// Runs it on these nodes.
    fn run(self, nodes: &mut dyn Iterator<Item = Node>) -> Self::Output;
}

macro_rules! closures {
    ($($($part:ident),*;)+) => {$(
        impl<Function, Output, $($part),*> Closure<($($part,)*)> for Function
        where
            Function: FnOnce($($part),*) -> Output,
            Output: Traced,
            $($part: Traced,)*
        {
            type Output = Output;

            fn params() -> Vec<Shape> {
                vec![$($part::shape()),*]
            }

            fn run(self, _nodes: &mut dyn Iterator<Item = Node>) -> Output {
                self($($part::take(_nodes)),*)
            }
        }
    )+};
}

closures! {
    ;
    A;
    A, B;
    A, B, C;
    A, B, C, D;
    A, B, C, D, E;
    A, B, C, D, E, F;
    A, B, C, D, E, F, G;
    A, B, C, D, E, F, G, H;
}

/// A closure inside of a trace.
pub(crate) struct Lambda {
    /// The pattern of each parameter, and its type.
    pub(crate) params: Vec<(String, String)>,
    /// `{ .. }`
    pub(crate) body: String,
}

impl Lambda {
    /// As Cotan writes it.
    pub(crate) fn text(&self) -> String {
        let params: Vec<String> =
            self.params.iter().map(|(pattern, ty)| format!("{pattern}: {ty}")).collect();
        format!("\\{} => {}", params.join(", "), self.body)
    }
}

/// Runs a closure in a block of its own.
pub(crate) fn lambda<P, F: Closure<P>>(at: At, f: F) -> Lambda {
    let (mut given, mut params) = (Vec::new(), Vec::new());
    with(|it| {
        it.open();
        for shape in F::params() {
            let (nodes, pattern) = it.pattern(&shape);
            given.extend(nodes);
            params.push((pattern, shape.ty()));
        }
    });
    let result = nodes(&f.run(&mut given.into_iter()));
    let body = with(|it| it.close(at, &F::Output::shape(), &result)).unwrap_or_default();
    Lambda { params, body }
}

/// What is around a trace.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// What the definition is called.
    pub name: &'a str,
    /// What its parameters are called; `x0`, `x1` and so on if nothing is said.
    pub params: Option<&'a [&'a str]>,
    /// The program that it becomes part of.
    pub program: &'a str,
    /// The definitions of that program.
    pub definitions: &'a [&'a str],
}

/// Runs a closure on traced values and gives the text of a definition that does the same.
#[track_caller]
pub fn record<P, F: Closure<P>>(setting: &Setting<'_>, f: F) -> Result<String, Vec<Diagnostic>> {
    let at = Location::caller();
    let shapes = F::params();
    let names = names(setting, at, shapes.len())?;
    let session = Session::begin(prefix(setting.program, &names));
    let (head, given) = head(setting.name, at, &names, &shapes);
    let result = nodes(&f.run(&mut given.into_iter()));
    let body = with(|it| it.close(at, &F::Output::shape(), &result)).unwrap_or_default();
    let errors = with(|it| {
        let mut errors = std::mem::take(&mut it.errors);
        for (builtin, place) in &it.builtins {
            if setting.definitions.contains(&builtin.as_str()) {
                errors.push(error::hidden(place, builtin, "a definition"));
            }
        }
        for name in &names {
            if it.builtins.contains_key(name) || it.calls.contains(name) {
                errors.push(error::hidden(at, name, "a parameter"));
            }
        }
        errors
    });
    drop(session);
    match errors.unwrap_or_default() {
        errors if errors.is_empty() => Ok(format!("{head}{body}\n")),
        errors => Err(errors),
    }
}

/// Whether something can be a name of a value.
pub(crate) fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|it| it.is_ascii_lowercase() || it == '_')
        && chars.all(|it| it.is_ascii_alphanumeric() || it == '_')
        && name != "_"
        && KEYWORDS.iter().all(|(word, _)| *word != name)
}

/// Whether something can be the name of a constructor.
pub(crate) fn is_constructor(name: &str) -> bool {
    name.starts_with(|it: char| it.is_ascii_uppercase())
        && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
}

fn names(setting: &Setting<'_>, at: At, wanted: usize) -> Result<Vec<String>, Vec<Diagnostic>> {
    let Some(names) = setting.params else {
        return Ok((0..wanted).map(|it| format!("x{it}")).collect());
    };
    if names.len() != wanted {
        return Err(vec![error::wrong_names(at, names.len(), wanted)]);
    }
    let mut errors = Vec::new();
    for (position, name) in names.iter().enumerate() {
        if !is_name(name) {
            errors.push(error::no_name(at, name));
        } else if names[..position].contains(name) {
            errors.push(error::name_twice(at, name));
        }
    }
    match errors.is_empty() {
        true => Ok(names.iter().map(|it| (*it).to_owned()).collect()),
        false => Err(errors),
    }
}

/// What variables are called, so that nothing else is called so.
fn prefix(program: &str, names: &[String]) -> String {
    let mut res = "v".to_owned();
    let is_taken = |res: &str| {
        let numbered = |text: &str| {
            let ends = text.match_indices(res).map(|(at, _)| &text[at + res.len()..]);
            ends.into_iter().any(|it| it.starts_with(|it: char| it.is_ascii_digit()))
        };
        numbered(program) || names.iter().any(|it| numbered(it))
    };
    while is_taken(&res) {
        res.push('_');
    }
    res
}

/// The beginning of the definition, and the nodes of its parameters. What the sizes of arrays are is left to
/// inference, which a `let` does and a parameter does not.
fn head(name: &str, at: At, names: &[String], shapes: &[Shape]) -> (String, Vec<Node>) {
    let mut given = Vec::new();
    let mut params = Vec::new();
    for (name, shape) in names.iter().zip(shapes) {
        match shape {
            Shape::Leaf(kind) => {
                let node = with(|it| it.parameter(name));
                given.extend(node);
                match (kind.base, kind.rank) {
                    (Base::Opaque, 0) => params.push(name.clone()),
                    (_, 0) => params.push(format!("{name}: {}", kind.ty())),
                    (_, _) => {
                        params.push(name.clone());
                        with(|it| it.line(at, &format!("{name}: {}", kind.ty()), name));
                    }
                }
            }
            Shape::Tuple(_) | Shape::Record(..) => {
                params.push(name.clone());
                let whole = with(|it| it.parameter(name)).unwrap_or(Node::new(What::Nothing));
                let pieces = [crate::recorder::Piece::Value(whole)];
                given.extend(several(at, shape, Typed::Yes, &pieces));
            }
        }
    }
    let params = match params.is_empty() {
        true => String::new(),
        false => format!("({})", params.join(", ")),
    };
    (format!("def {name}{params} = "), given)
}
