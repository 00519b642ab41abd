//! `trace` and `report`: says what a value is, part by part.
//!
//! Parts are those that compiled code has: of tuples each one, of arrays of tuples arrays. What is a
//! function is not told.

use std::fmt::{self, Display, Formatter};

use base::Saying;
use base::shown::{Elements, Shown};

use crate::array::{Array, Elems};
use crate::eval::Evaluator;
use crate::kernels::elementwise::Precision;
use crate::value::Value;

impl Evaluator {
    /// Says something of a value.
    #[cold]
    pub(crate) fn tell(&mut self, saying: Saying, every: i64, text: &Value, value: &Value) {
        let Value::Str(text) = text else { return };
        let mut parts = Vec::new();
        collect(value, &mut parts);
        let is_one = parts.len() == 1;
        for (at, part) in parts.into_iter().enumerate() {
            let numbered = if is_one { String::new() } else { format!("{text}.{at}") };
            let text = if is_one { text } else { numbered.as_str() };
            self.tell_part(saying, every, text, part);
        }
    }

    fn tell_part(&self, saying: Saying, every: i64, text: &str, part: Part<'_>) {
        let say = |sizes: &[usize], elements: Elements<'_>| {
            self.stop.telling().say(saying, every, text, &Shown { sizes, elements });
        };
        let reals = |sizes: &[usize], reals: &[f64]| match self.limits.precision {
            Precision::F64 => say(sizes, Elements::Reals(reals)),
            Precision::F32 => {
                let floats: Vec<f32> = reals.iter().map(|it| *it as f32).collect();
                say(sizes, Elements::Floats(&floats));
            }
        };
        match part {
            Part::Scalar(Value::Real(it) | Value::Dual(_, it)) => reals(&[], &[*it]),
            Part::Scalar(Value::Int(it)) => say(&[], Elements::Ints(&[*it])),
            Part::Scalar(Value::Bool(it)) => say(&[], Elements::Bools(&[u8::from(*it)])),
            Part::Scalar(it) => say(&[], Elements::Others(&[&Written(it, MOST_DEPTH)])),
            Part::Array(array) => match &array.elems {
                Elems::Real(it) | Elems::Dual(it, _) => reals(&array.shape, it),
                Elems::Int(it) => say(&array.shape, Elements::Ints(it)),
                Elems::Bool(it) => {
                    let bytes: Vec<u8> = it.iter().map(|it| u8::from(*it)).collect();
                    say(&array.shape, Elements::Bools(&bytes));
                }
                Elems::Boxed(it) => {
                    let all: Vec<Written<'_>> =
                        it.iter().map(|it| Written(it, MOST_DEPTH)).collect();
                    let all: Vec<&dyn Display> = all.iter().map(|it| it as &dyn Display).collect();
                    say(&array.shape, Elements::Others(&all));
                }
                // Each run says what it has.
                Elems::Lanes(data, width) => {
                    for number in 0..*width {
                        let lane: Vec<f64> =
                            data.iter().skip(number).step_by(*width).copied().collect();
                        reals(&array.shape, &lane);
                    }
                }
                // Collected part by part; Deltas are no values of programs.
                Elems::Tuple(_) | Elems::Delta(_) => {}
            },
        }
    }
}

/// A part that is told by itself.
enum Part<'a> {
    Scalar(&'a Value),
    Array(&'a Array),
}

fn collect<'a>(value: &'a Value, parts: &mut Vec<Part<'a>>) {
    match value {
        Value::Tuple(fields) => fields.iter().for_each(|it| collect(it, parts)),
        Value::Array(array) => collect_array(array, parts),
        Value::Closure(_) | Value::Delta(_) => {}
        Value::Real(_) | Value::Int(_) | Value::Bool(_) | Value::Str(_) => {
            parts.push(Part::Scalar(value));
        }
        Value::Data(_) | Value::Dual(..) => parts.push(Part::Scalar(value)),
    }
}

fn collect_array<'a>(array: &'a Array, parts: &mut Vec<Part<'a>>) {
    match &array.elems {
        Elems::Tuple(arrays) => arrays.iter().for_each(|it| collect_array(it, parts)),
        Elems::Real(_) | Elems::Int(_) | Elems::Bool(_) | Elems::Dual(..) | Elems::Boxed(_) => {
            parts.push(Part::Array(array));
        }
        Elems::Lanes(..) => parts.push(Part::Array(array)),
        Elems::Delta(_) => {}
    }
}

/// Values of sum types are written as deep as this.
const MOST_DEPTH: usize = 8;

/// A value as a part of another.
struct Written<'a>(&'a Value, usize);

impl Display for Written<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let list = |f: &mut Formatter<'_>, items: &[Value]| -> fmt::Result {
            f.write_str("(")?;
            for (at, it) in items.iter().enumerate() {
                f.write_str(if at == 0 { "" } else { ", " })?;
                match self.1 {
                    0 => f.write_str("...")?,
                    depth => Written(it, depth - 1).fmt(f)?,
                }
            }
            f.write_str(")")
        };
        let number = |elements| Shown::scalar(elements).to_string();
        match self.0 {
            Value::Real(it) | Value::Dual(_, it) => f.write_str(&number(Elements::Reals(&[*it]))),
            Value::Int(it) => write!(f, "{it}"),
            Value::Bool(it) => write!(f, "{it}"),
            Value::Str(it) => write!(f, "{it:?}"),
            Value::Tuple(fields) => list(f, fields),
            Value::Data(data) if data.fields.is_empty() => write!(f, "{}", data.con.name),
            Value::Data(data) => {
                write!(f, "{}", data.con.name)?;
                list(f, &data.fields)
            }
            Value::Array(array) => match &array.elems {
                Elems::Real(it) | Elems::Dual(it, _) => {
                    Shown { sizes: &array.shape, elements: Elements::Reals(it) }.fmt(f)
                }
                Elems::Int(it) => {
                    Shown { sizes: &array.shape, elements: Elements::Ints(it) }.fmt(f)
                }
                Elems::Bool(_) | Elems::Tuple(_) | Elems::Boxed(_) | Elems::Delta(_) => {
                    f.write_str("[...]")
                }
                Elems::Lanes(..) => f.write_str("[...]"),
            },
            Value::Closure(_) | Value::Delta(_) => f.write_str("..."),
        }
    }
}
