//! Operands and places as C expressions.

use loops::{Atom, Place, Scalar, Type, Var};

use crate::Precision;
use crate::printer::{Printer, variable};

impl Printer<'_> {
    /// The literal that an operand stands for here, if it does; else itself.
    pub(crate) fn resolve(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.known[var.0 as usize].unwrap_or(atom),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) => atom,
        }
    }

    /// A scalar or pointer.
    pub(crate) fn atom(&self, atom: Atom) -> String {
        match self.resolve(atom) {
            Atom::Var(var) => variable(var),
            Atom::Real(x) => real(x, self.options.real),
            Atom::Int(x) => int(x),
            Atom::Bool(x) => if x { "1" } else { "0" }.to_string(),
        }
    }

    /// The scalar type of an operand that is no array.
    pub(crate) fn scalar(&self, atom: Atom) -> Scalar {
        element(self.func.atom_type(atom))
    }

    /// The element type of an array.
    pub(crate) fn element(&self, array: Var) -> Scalar {
        element(self.func.ty(array))
    }

    /// The sum of the terms of a place.
    pub(crate) fn place(&self, at: &Place) -> String {
        let mut offset = 0i64;
        let mut terms = Vec::new();
        for term in at {
            match (self.resolve(term.index), self.resolve(term.stride)) {
                (Atom::Int(0), _) | (_, Atom::Int(0)) => {}
                (Atom::Int(x), Atom::Int(y)) => {
                    offset = offset.wrapping_add(x.wrapping_mul(y));
                }
                (Atom::Int(1), other) | (other, Atom::Int(1)) => terms.push(self.atom(other)),
                (x, y) => terms.push(format!("{} * {}", self.atom(x), self.atom(y))),
            }
        }
        if offset != 0 || terms.is_empty() {
            terms.push(int(offset));
        }
        terms.join(" + ")
    }

    /// Whether it has an element for each lane at every place, and is allocated outside of vector loops.
    pub(crate) fn has_lanes(&self, array: Var) -> bool {
        self.options.vector && self.lanes[array.0 as usize].is_some()
    }

    /// A pointer into an array.
    pub(crate) fn pointer(&self, array: Var, at: &Place) -> String {
        let place = self.place(at);
        if self.has_lanes(array) && place != "0" {
            return format!("{} + ({place}) * CT_W", variable(array));
        }
        if place == "0" { variable(array) } else { format!("{} + {place}", variable(array)) }
    }
}

pub(crate) fn element(ty: Type) -> Scalar {
    match ty {
        Type::Scalar(it) | Type::Array(it) => it,
    }
}

pub(crate) fn int(x: i64) -> String {
    if x == i64::MIN {
        "INT64_MIN".to_string()
    } else if x < 0 {
        format!("({x})")
    } else {
        x.to_string()
    }
}

/// A literal that is read back to the same bits.
pub(crate) fn real(x: f64, precision: Precision) -> String {
    let (text, finite) = match precision {
        Precision::F64 => (format!("{x:?}"), x.is_finite()),
        Precision::F32 => (format!("{:?}f", x as f32), (x as f32).is_finite()),
    };
    if finite {
        if text.starts_with('-') { format!("({text})") } else { text }
    } else if x.is_nan() {
        "(real)__builtin_nan(\"\")".to_string()
    } else if x > 0.0 {
        "(real)__builtin_inf()".to_string()
    } else {
        "(-(real)__builtin_inf())".to_string()
    }
}
