//! Trees that values are read from: JSON, and data of Rust.

use check::Type;
use serde_json::Value as Json;

use crate::data::Data;

/// A tree, seen as what a type wants it to be.
pub(super) trait Node: Sized {
    /// As a real; an integer is one.
    fn real(&self) -> Option<f64>;
    fn int(&self) -> Option<i64>;
    fn bool(&self) -> Option<bool>;
    fn text(&self) -> Option<&str>;
    /// The elements of an array.
    fn list(&self) -> Option<&[Self]>;
    fn tuple(&self) -> Option<&[Self]>;
    /// The fields of a record.
    fn fields(&self) -> Option<Vec<(&str, &Self)>>;
    /// The name of a constructor and its fields.
    fn constructor(&self) -> Option<(&str, &[Self])>;
    /// What it is, in few words.
    fn found(&self) -> String;
    /// How values of a data type are written.
    fn form(ty: &Type) -> String;
}

impl Node for Json {
    fn real(&self) -> Option<f64> {
        match self.as_str() {
            Some("NaN") => Some(f64::NAN),
            Some("Infinity") => Some(f64::INFINITY),
            Some("-Infinity") => Some(f64::NEG_INFINITY),
            Some(_) => None,
            None => self.as_f64(),
        }
    }

    fn int(&self) -> Option<i64> {
        self.as_i64()
    }

    fn bool(&self) -> Option<bool> {
        self.as_bool()
    }

    fn text(&self) -> Option<&str> {
        self.as_str()
    }

    fn list(&self) -> Option<&[Json]> {
        self.as_array().map(Vec::as_slice)
    }

    fn tuple(&self) -> Option<&[Json]> {
        self.list()
    }

    fn fields(&self) -> Option<Vec<(&str, &Json)>> {
        Some(self.as_object()?.iter().map(|(name, it)| (name.as_str(), it)).collect())
    }

    fn constructor(&self) -> Option<(&str, &[Json])> {
        let object = self.as_object().filter(|it| it.len() == 2)?;
        Some((object.get("tag")?.as_str()?, object.get("fields")?.list()?))
    }

    fn found(&self) -> String {
        match self {
            Json::Null => "null".to_string(),
            Json::Bool(it) => it.to_string(),
            Json::Number(it) => it.to_string(),
            Json::String(it) if it.chars().count() > 30 => "a string".to_string(),
            Json::String(it) => format!("{it:?}"),
            Json::Array(it) => format!("a list of {}", it.len()),
            Json::Object(_) => "an object".to_string(),
        }
    }

    fn form(ty: &Type) -> String {
        format!("{ty} as {{\"tag\": ..., \"fields\": [...]}}")
    }
}

/// Arrays of numbers are lists here: [`Data::with_lists`].
impl Node for Data<'_> {
    fn real(&self) -> Option<f64> {
        match self {
            Data::Real(it) => Some(*it),
            Data::Int(it) => Some(*it as f64),
            Data::Bool(_) | Data::Text(_) | Data::Reals(_) | Data::Floats(_) => None,
            Data::Ints(_) | Data::Bools(_) | Data::Tuple(_) | Data::Record(_) => None,
            Data::Constructor(..) | Data::List(_) => None,
        }
    }

    fn int(&self) -> Option<i64> {
        if let Data::Int(it) = self { Some(*it) } else { None }
    }

    fn bool(&self) -> Option<bool> {
        if let Data::Bool(it) = self { Some(*it) } else { None }
    }

    fn text(&self) -> Option<&str> {
        if let Data::Text(it) = self { Some(it) } else { None }
    }

    fn list(&self) -> Option<&[Self]> {
        if let Data::List(it) = self { Some(it) } else { None }
    }

    fn tuple(&self) -> Option<&[Self]> {
        if let Data::Tuple(it) = self { Some(it) } else { None }
    }

    fn fields(&self) -> Option<Vec<(&str, &Self)>> {
        let Data::Record(fields) = self else { return None };
        Some(fields.iter().map(|(name, it)| (&**name, it)).collect())
    }

    fn constructor(&self) -> Option<(&str, &[Self])> {
        if let Data::Constructor(name, fields) = self { Some((name, fields)) } else { None }
    }

    fn found(&self) -> String {
        self.describe()
    }

    fn form(ty: &Type) -> String {
        format!("a constructor of {ty}")
    }
}
