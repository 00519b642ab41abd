//! Names for the reals of an argument: `q.x`, `xs[2]`, `tree.1`.

use std::collections::BTreeMap;

use check::{Type, TypeTable};
use eval::Value;

use crate::deep::enough_stack;

/// Puts the paths of the reals of a value below their identifiers.
pub(crate) fn paths(
    types: &TypeTable,
    path: &str,
    ty: &Type,
    value: &Value,
    names: &mut BTreeMap<u32, String>,
) {
    Paths { types, names }.value(path, ty, value);
}

struct Paths<'a> {
    types: &'a TypeTable,
    names: &'a mut BTreeMap<u32, String>,
}

impl Paths<'_> {
    fn value(&mut self, path: &str, ty: &Type, value: &Value) {
        enough_stack(|| match value {
            Value::Dual(id, _) => {
                self.names.insert(id.0, path.to_string());
            }
            Value::Tuple(parts) => {
                if let Some(fields) = self.types.record_fields(ty) {
                    for ((field, ty), part) in fields.iter().zip(parts.iter()) {
                        self.value(&format!("{path}.{field}"), ty, part);
                    }
                } else if let Type::Tuple(types) = ty {
                    for (at, (ty, part)) in types.iter().zip(parts.iter()).enumerate() {
                        self.value(&format!("{path}.{at}"), ty, part);
                    }
                }
            }
            Value::Data(data) => {
                let cons = self.types.constructors(ty).unwrap_or_default();
                let fields = cons.get(data.con.tag).map_or(&[][..], |(_, fields)| fields);
                for (at, (ty, part)) in fields.iter().zip(data.fields.iter()).enumerate() {
                    self.value(&format!("{path}.{at}"), ty, part);
                }
            }
            Value::Array(array) => {
                let elem = if let Type::Array(_, elem) = ty { elem } else { ty };
                for at in 0..array.shape.first().copied().unwrap_or(0) {
                    self.value(&format!("{path}[{at}]"), elem, &array.row(1, at));
                }
            }
            Value::Real(_) | Value::Int(_) | Value::Bool(_) | Value::Str(_) => {}
            Value::Closure(_) | Value::Delta(_) => {}
        });
    }
}
