//! The structure of traced values as Cotan sees it: tuples and records of scalars and arrays.

use crate::node::Kind;

/// A scalar or array, a tuple, or a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One node.
    Leaf(Kind),
    /// Several parts; one part alone is written as it is.
    Tuple(Vec<Shape>),
    /// A record of the program: its name, and its fields.
    Record(&'static str, Vec<(&'static str, Shape)>),
}

impl Shape {
    /// The kinds of its nodes, in order.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        match self {
            Shape::Leaf(kind) => vec![*kind],
            Shape::Tuple(parts) => parts.iter().flat_map(Shape::kinds).collect(),
            Shape::Record(_, fields) => fields.iter().flat_map(|it| it.1.kinds()).collect(),
        }
    }

    /// Its type; sizes are left to inference, and so is what records are of.
    pub(crate) fn ty(&self) -> String {
        match self {
            Shape::Leaf(kind) => kind.ty(),
            Shape::Tuple(parts) => tuple(&parts.iter().map(Shape::ty).collect::<Vec<String>>()),
            Shape::Record(..) => "_".to_owned(),
        }
    }

    /// A pattern, or a value, that has these texts for its nodes.
    pub(crate) fn filled<'a>(&self, mut texts: impl Iterator<Item = &'a str>) -> String {
        self.text(&mut || texts.next().unwrap_or("_").to_owned())
    }

    /// Each node as a part of a variable: `.1.x`; nothing if it is the whole.
    pub(crate) fn paths(&self) -> Vec<String> {
        match self {
            Shape::Leaf(_) => vec![String::new()],
            Shape::Tuple(parts) if parts.len() == 1 => parts[0].paths(),
            Shape::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                parts.flat_map(|(at, it)| below(&at.to_string(), it)).collect()
            }
            Shape::Record(_, fields) => {
                fields.iter().flat_map(|(name, it)| below(name, it)).collect()
            }
        }
    }

    fn text(&self, leaf: &mut dyn FnMut() -> String) -> String {
        match self {
            Shape::Leaf(_) => leaf(),
            Shape::Tuple(parts) => {
                tuple(&parts.iter().map(|it| it.text(leaf)).collect::<Vec<String>>())
            }
            Shape::Record(name, fields) => {
                let field = |(name, it): &(&str, Shape)| format!("{name}: {}", it.text(leaf));
                let fields: Vec<String> = fields.iter().map(field).collect();
                format!("{name} {{ {} }}", fields.join(", "))
            }
        }
    }
}

fn tuple(parts: &[String]) -> String {
    match parts {
        [one] => one.clone(),
        parts => format!("({})", parts.join(", ")),
    }
}

/// The paths of a part.
fn below(name: &str, part: &Shape) -> Vec<String> {
    part.paths().iter().map(|it| format!(".{name}{it}")).collect()
}
