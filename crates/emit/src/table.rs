//! Arrays that are written element by element, with constants: a table of C that is copied. The
//! C compiler takes a thousand times longer for as many assignments.

use loops::{Atom, How, Node, Var};

use crate::printer::{Printer, element_type};
use crate::tuning::MANY_CONSTANTS;

/// So many of them stand in a line.
const IN_LINE: usize = 1000;

impl Printer<'_> {
    /// Prints the constants that the first of these statements store side by side, if they are many;
    /// how many statements those are.
    pub(crate) fn table(&mut self, nodes: &[Node]) -> usize {
        let Some(Node::Store { array, at, .. }) = nodes.first() else { return 0 };
        let Some((_, first, _)) = self.constant_store(&nodes[0]) else { return 0 };
        let (whole, at) = self.forms.whole(*array, at);
        if self.live.is_some() || self.has_lanes(whole) {
            return 0;
        }
        let stores = nodes.iter().zip(first..).map_while(|(node, wanted)| {
            let (into, place, value) = self.constant_store(node)?;
            (into == *array && place == wanted).then_some(value)
        });
        let values: Vec<String> = stores.map(|it| self.atom(it)).collect();
        if values.len() < MANY_CONSTANTS {
            return 0;
        }
        self.needs.insert("copy");
        let (ty, name) = (element_type(self.element(whole)), self.fresh("table"));
        let into = self.pointer(whole, &at);
        self.open(&format!("static const {ty} {name}[] = {{"));
        for line in values.chunks(IN_LINE) {
            self.line(&format!("{},", line.join(", ")));
        }
        self.depth -= 1;
        self.line("};");
        self.line(&format!("ct_copy({into}, {name}, {}, sizeof({ty}));", values.len()));
        values.len()
    }

    /// Array, place and value of a statement that stores a constant at a constant place.
    fn constant_store(&self, node: &Node) -> Option<(Var, i64, Atom)> {
        let Node::Store { array, at, value, how: How::Set } = node else { return None };
        let constant = |atom: Atom| match self.resolve(atom) {
            Atom::Int(it) => Some(it),
            Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) => None,
        };
        let mut place = 0i64;
        for term in at {
            let term = constant(term.index)?.wrapping_mul(constant(term.stride)?);
            place = place.wrapping_add(term);
        }
        let value = self.resolve(*value);
        (!matches!(value, Atom::Var(_))).then_some((*array, place, value))
    }
}
