//! The structure of traced values as Cotan sees it: tuples of scalars and arrays.

use crate::node::Kind;

/// A scalar or array, or a tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One node.
    Leaf(Kind),
    /// Several parts; one part alone is written as it is.
    Tuple(Vec<Shape>),
}

impl Shape {
    /// The kinds of its nodes, in order.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        match self {
            Shape::Leaf(kind) => vec![*kind],
            Shape::Tuple(parts) => parts.iter().flat_map(Shape::kinds).collect(),
        }
    }

    /// Its type, sizes left to inference.
    pub(crate) fn ty(&self) -> String {
        self.text(&mut |kind| kind.ty())
    }

    /// A pattern or a tuple that has these texts for its nodes.
    pub(crate) fn filled<'a>(&self, mut texts: impl Iterator<Item = &'a str>) -> String {
        self.text(&mut |_| texts.next().unwrap_or("_").to_owned())
    }

    /// Each node as a part of a variable: `.1.0`; nothing if it is the whole.
    pub(crate) fn paths(&self) -> Vec<String> {
        match self {
            Shape::Leaf(_) => vec![String::new()],
            Shape::Tuple(parts) if parts.len() == 1 => parts[0].paths(),
            Shape::Tuple(parts) => {
                let paths = |(at, it): (usize, &Shape)| -> Vec<String> {
                    it.paths().iter().map(|it| format!(".{at}{it}")).collect()
                };
                parts.iter().enumerate().flat_map(paths).collect()
            }
        }
    }

    fn text(&self, leaf: &mut dyn FnMut(Kind) -> String) -> String {
        match self {
            Shape::Leaf(kind) => leaf(*kind),
            Shape::Tuple(parts) => {
                let texts: Vec<String> = parts.iter().map(|it| it.text(leaf)).collect();
                match &*texts {
                    [one] => one.clone(),
                    texts => format!("({})", texts.join(", ")),
                }
            }
        }
    }
}
