//! How linear maps are written; `parse.rs` reads them back.

use std::fmt::{self, Display, Formatter};

use super::map::{Map, Scalar, hole};

impl Display for Map {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Map::Zero(ty) => write!(f, "0<{ty}>"),
            Map::One => write!(f, "1"),
            Map::Scale(factor) => write!(f, "S({factor})"),
            Map::Compose(m, n) => write!(f, "({m} . {n})"),
            Map::Sum(parts) => write!(f, "({})", joined(parts, " + ")),
            Map::VCat(parts) => write!(f, "V({})", joined(parts, ", ")),
            Map::HCat(parts) => write!(f, "H({})", joined(parts, ", ")),
            Map::VBuild(size, index, body) => write!(f, "V[{size}; {index}]({body})"),
            Map::HBuild(size, index, body) => write!(f, "H[{size}; {index}]({body})"),
            Map::Transpose(ty, map) => write!(f, "T<{ty}>({map})"),
            Map::Builtin(op, holes) => {
                let text = (0..*holes).fold(op.to_string(), |text, at| {
                    text.replace(&hole(at).to_string(), &format!("_{at}"))
                });
                write!(f, "{{{text}}}")
            }
            Map::Var(var) => write!(f, "{var}"),
        }
    }
}

impl Display for Scalar {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Atom(atom) => write!(f, "{atom}"),
            Scalar::Times(a, b) => write!(f, "({a} * {b})"),
            Scalar::Plus(a, b) => write!(f, "({a} + {b})"),
        }
    }
}

fn joined(parts: &[Map], between: &str) -> String {
    parts.iter().map(Map::to_string).collect::<Vec<String>>().join(between)
}
