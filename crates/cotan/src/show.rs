//! Values as text, led by their type: in Cotan's own syntax for people, as JSON for programs.

use std::fmt::Write;

use check::{Type, TypeTable, shown_name};
use eval::{Precision, Value};

use crate::deep;
use crate::sizes::{Fact, Sizes};
use crate::tuning::PIECE;

/// Who reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Cotan syntax.
    Text,
    /// Arrays and tuples as lists, records as objects, data as `{"tag":...,"fields":[...]}`.
    Json,
}

/// What is shown.
pub(crate) enum Shown<'a> {
    /// A value of a type, which has no functions in it.
    Value(&'a Type, &'a Value),
    /// An array of reals, wherever it is: its sizes and its elements.
    Reals(&'a [usize], &'a [f64]),
}

/// Writes it, piece by piece: the text of a value may be many times as large as the value.
pub(crate) fn show_to(
    types: &TypeTable,
    precision: Precision,
    form: Form,
    shown: Shown<'_>,
    to: &mut dyn FnMut(&str),
) {
    let mut writer = Writer { types, precision, form, out: String::new(), to };
    match shown {
        Shown::Value(ty, value) => writer.value(ty, value),
        Shown::Reals(shape, data) => writer.reals(shape, data),
    }
    (writer.to)(&writer.out);
}

/// A real so that it reads back to the same bits, always with a dot or an exponent. Not finite
/// ones are the names `nan` and `infinity` of the prelude, and strings in JSON.
pub(crate) fn real(value: f64, precision: Precision, form: Form) -> String {
    match (value.is_nan(), value.is_infinite(), form) {
        (true, _, Form::Text) => "nan".to_string(),
        (true, _, Form::Json) => "\"NaN\"".to_string(),
        (_, true, Form::Text) => if value > 0.0 { "infinity" } else { "-infinity" }.to_string(),
        (_, true, Form::Json) => {
            if value > 0.0 { "\"Infinity\"" } else { "\"-Infinity\"" }.to_string()
        }
        (false, false, _) => match precision {
            Precision::F64 => format!("{value:?}"),
            Precision::F32 => format!("{:?}", value as f32),
        },
    }
}

struct Writer<'a> {
    types: &'a TypeTable,
    precision: Precision,
    form: Form,
    /// What was not handed on yet.
    out: String,
    to: &'a mut dyn FnMut(&str),
}

impl Writer<'_> {
    fn value(&mut self, ty: &Type, value: &Value) {
        deep::enough_stack(|| match value {
            Value::Real(it) | Value::Dual(_, it) => {
                self.out += &real(*it, self.precision, self.form)
            }
            Value::Int(it) => write!(self.out, "{it}").expect("a string takes everything"),
            Value::Bool(it) => self.out += if *it { "true" } else { "false" },
            Value::Str(it) => self.string(it),
            Value::Tuple(parts) => self.product(ty, parts),
            Value::Array(array) => {
                let n = array.shape.first().copied().unwrap_or(0);
                let elem = element_type(ty);
                self.list("[", n, "]", |it, index| it.value(&elem, &array.row(1, index)));
            }
            Value::Data(data) => {
                let cons = self.types.constructors(ty).unwrap_or_default();
                let fields = cons.get(data.con.tag).map_or(&[][..], |(_, fields)| fields);
                self.data(&data.con.name, fields, &data.fields);
            }
            Value::Closure(_) => self.out += "<function>",
            Value::Delta(_) => self.out += "<Delta>",
        });
    }

    /// Opening, `n` parts with commas between, closing.
    fn list(&mut self, open: &str, n: usize, close: &str, mut part: impl FnMut(&mut Self, usize)) {
        self.out += open;
        for index in 0..n {
            if index > 0 {
                self.comma();
            }
            part(self, index);
        }
        self.out += close;
    }

    fn reals(&mut self, shape: &[usize], data: &[f64]) {
        let Some((n, inner)) = shape.split_first() else {
            data.iter().for_each(|it| self.out += &real(*it, self.precision, self.form));
            return;
        };
        let size = data.len().checked_div(*n).unwrap_or(0);
        self.list("[", *n, "]", |it, at| it.reals(inner, &data[at * size..(at + 1) * size]));
    }

    fn comma(&mut self) {
        if self.out.len() >= PIECE {
            (self.to)(&self.out);
            self.out.clear();
        }
        self.out += match self.form {
            Form::Text => ", ",
            Form::Json => ",",
        };
    }

    fn string(&mut self, text: &str) {
        self.out += &match self.form {
            Form::Text => quoted(text),
            Form::Json => serde_json::Value::from(text).to_string(),
        };
    }

    fn product(&mut self, ty: &Type, parts: &[Value]) {
        if let Some(fields) = self.types.record_fields(ty) {
            return self.record(ty, &fields, parts);
        }
        let unknown = Vec::new();
        let types = if let Type::Tuple(types) = ty { types } else { &unknown };
        let (open, close) = match self.form {
            Form::Text => ("(", ")"),
            Form::Json => ("[", "]"),
        };
        self.list(open, parts.len(), close, |it, index| {
            it.value(types.get(index).unwrap_or(&Type::Error), &parts[index]);
        });
    }

    fn record(&mut self, ty: &Type, fields: &[(base::Name, Type)], parts: &[Value]) {
        let name = if let Type::Named(name, _, _) = ty { shown_name(name) } else { "" };
        let (open, close) = match self.form {
            Form::Text => (format!("{name} {{ "), " }"),
            Form::Json => ("{".to_string(), "}"),
        };
        self.list(&open, fields.len().min(parts.len()), close, |it, index| {
            let (field, ty) = &fields[index];
            it.out += &match it.form {
                Form::Text => format!("{field}: "),
                Form::Json => format!("\"{field}\":"),
            };
            it.value(ty, &parts[index]);
        });
    }

    fn data(&mut self, con: &base::Name, types: &[Type], fields: &[Value]) {
        let con = shown_name(con);
        let (open, close) = match self.form {
            Form::Text if fields.is_empty() => return self.out += con,
            Form::Text => (format!("{con}("), ")"),
            Form::Json => (format!("{{\"tag\":\"{con}\",\"fields\":["), "]}"),
        };
        self.list(&open, fields.len(), close, |it, index| {
            it.value(types.get(index).unwrap_or(&Type::Error), &fields[index]);
        });
    }
}

/// A string literal of Cotan.
fn quoted(text: &str) -> String {
    let mut res = String::from("\"");
    for it in text.chars() {
        match it {
            '\n' => res += "\\n",
            '\t' => res += "\\t",
            '\r' => res += "\\r",
            '"' => res += "\\\"",
            '\\' => res += "\\\\",
            it if it.is_control() => res += &format!("\\u{{{:X}}}", it as u32),
            it => res.push(it),
        }
    }
    res + "\""
}

/// The type of a value with the sizes that the value has.
pub(crate) fn concrete_type(types: &TypeTable, ty: &Type, value: &Value) -> Type {
    let mut measure = Measure { types, sizes: Sizes::default() };
    measure.value(ty, value);
    measure.sizes_put_in(ty)
}

/// Walks a value until all sizes of its type are known.
struct Measure<'a> {
    types: &'a TypeTable,
    sizes: Sizes,
}

impl Measure<'_> {
    fn sizes_put_in(&self, ty: &Type) -> Type {
        ty.map(&mut |part| self.sizes_put_in(part), &mut |size| self.sizes.reduce(size))
    }

    fn value(&mut self, ty: &Type, value: &Value) {
        if ty.sizes().iter().all(|it| self.sizes.value(it).is_some()) {
            return;
        }
        deep::enough_stack(|| match value {
            Value::Real(_) | Value::Int(_) | Value::Bool(_) => {}
            Value::Str(_) | Value::Closure(_) | Value::Dual(..) | Value::Delta(_) => {}
            Value::Tuple(parts) => {
                let types = match (self.types.record_fields(ty), ty) {
                    (Some(fields), _) => fields.into_iter().map(|(_, ty)| ty).collect(),
                    (None, Type::Tuple(types)) => types.clone(),
                    (None, _) => Vec::new(),
                };
                types.iter().zip(parts.iter()).for_each(|(ty, part)| self.value(ty, part));
            }
            Value::Array(array) => self.array(ty, array),
            Value::Data(data) => {
                let cons = self.types.constructors(ty).unwrap_or_default();
                let fields = cons.get(data.con.tag).map_or(&[][..], |(_, fields)| fields);
                fields.iter().zip(data.fields.iter()).for_each(|(ty, it)| self.value(ty, it));
            }
        });
    }

    /// The sizes of an array are those of its rows too, even if there are none.
    fn array(&mut self, ty: &Type, array: &eval::Array) {
        let mut elem = ty;
        for actual in array.shape.iter() {
            let Type::Array(size, inner) = elem else { break };
            let fact = Fact { size: size.clone(), actual: *actual as i64, place: String::new() };
            // A clash would be a bug elsewhere; the type is then printed as it is.
            let _ = self.sizes.learn(&[fact]);
            elem = inner;
        }
        match &array.elems {
            eval::Elems::Real(_) | eval::Elems::Int(_) | eval::Elems::Bool(_) => {}
            eval::Elems::Delta(_) | eval::Elems::Dual(..) | eval::Elems::Lanes(..) => {}
            eval::Elems::Tuple(_) | eval::Elems::Boxed(_) => {
                for index in 0..array.len() {
                    self.value(elem, &array.row(array.shape.len(), index));
                }
            }
        }
    }
}

fn element_type(ty: &Type) -> Type {
    if let Type::Array(_, elem) = ty { (**elem).clone() } else { Type::Error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reals_read_back_to_the_same_bits() {
        for value in [6.0, 0.1 + 0.2, 1e300, 5e-324, -0.0, f64::MAX, 1.0 / 3.0, 1e16, 123456789.0] {
            let text = real(value, Precision::F64, Form::Json);
            assert!(text.contains(['.', 'e']), "{text}");
            assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()));
            let json: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(json.as_f64().map(f64::to_bits), Some(value.to_bits()));
        }
        assert_eq!(real(f64::from(0.1f32), Precision::F32, Form::Text), "0.1");
        assert_eq!(real(f64::NEG_INFINITY, Precision::F64, Form::Json), "\"-Infinity\"");
    }

    #[test]
    fn strings_are_literals_of_the_language() {
        assert_eq!(quoted("a\"b\\c\n\u{1}é"), "\"a\\\"b\\\\c\\n\\u{1}é\"");
    }
}
