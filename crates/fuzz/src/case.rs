//! An input of the fuzz program: a program, what to evaluate in it, with which arguments. All of it is
//! one text, a Cotan program whose first lines are comments, so that a find is a file.

use cotan::{Argument, ArgumentData, Precision};
use serde_json::Value as Json;

/// An input.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The precision of `Real`.
    pub precision: Precision,
    /// What chooses among the ways to run it, where not all are tried.
    pub way: u64,
    /// Expressions to evaluate.
    pub asks: Vec<String>,
    /// Names and JSON values of arguments.
    pub arguments: Vec<(String, String)>,
    /// The program.
    pub text: String,
}

const ASK: &str = "-- ask: ";
const ARGUMENT: &str = "-- argument: ";
const WAY: &str = "-- way: ";
const SINGLE: &str = "-- real: f32";

impl Case {
    /// A text alone.
    pub fn of_text(text: String) -> Case {
        Case { precision: Precision::F64, way: 0, asks: Vec::new(), arguments: Vec::new(), text }
    }

    /// Reads what [`Case::to_text`] wrote; every text is a case.
    pub fn parse(whole: &str) -> Case {
        let mut res = Case::of_text(String::new());
        let mut rest = whole;
        loop {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            if line == SINGLE {
                res.precision = Precision::F32;
            } else if let Some(way) = line.strip_prefix(WAY).and_then(|it| it.parse().ok()) {
                res.way = way;
            } else if let Some(ask) = line.strip_prefix(ASK) {
                res.asks.push(ask.to_string());
            } else if let Some((name, json)) =
                line.strip_prefix(ARGUMENT).and_then(|it| it.split_once(" = "))
            {
                res.arguments.push((name.to_string(), json.to_string()));
            } else {
                res.text = rest.to_string();
                return res;
            }
            rest = after;
        }
    }

    /// The case as a program.
    pub fn to_text(&self) -> String {
        let single =
            if self.precision == Precision::F32 { format!("{SINGLE}\n") } else { String::new() };
        let asks: String = self.asks.iter().map(|it| format!("{ASK}{}\n", one_line(it))).collect();
        let arguments: String = self
            .arguments
            .iter()
            .map(|(name, json)| format!("{ARGUMENT}{name} = {json}\n"))
            .collect();
        let way = if self.way > 0 { format!("{WAY}{}\n", self.way) } else { String::new() };
        format!("{single}{way}{asks}{arguments}{}", self.text)
    }

    /// The arguments as the library takes them: what is an array of numbers as the content of a `.npy`
    /// file, every second time.
    pub fn given(&self) -> Vec<Argument> {
        let given = |(at, (name, json)): (usize, &(String, String))| match npy(json) {
            Some(bytes) if at % 2 == 0 => Argument {
                name: name.clone(),
                origin: "its value".into(),
                data: ArgumentData::Npy(bytes),
            },
            Some(_) | None => Argument::json(name, json),
        };
        self.arguments.iter().enumerate().map(given).collect()
    }
}

/// An expression without its line breaks; comments in it end there.
fn one_line(text: &str) -> String {
    let code = |it: &str| it.split("--").next().unwrap_or("").trim().to_string();
    text.lines().map(code).collect::<Vec<String>>().join(" ")
}

/// An array of reals as a `.npy` file.
fn npy(json: &str) -> Option<Vec<u8>> {
    let value: Json = serde_json::from_str(json).ok()?;
    let (mut shape, mut data) = (Vec::new(), Vec::new());
    let mut first = &value;
    while let Json::Array(parts) = first {
        shape.push(parts.len());
        first = parts.first()?;
    }
    flatten(&value, &shape, &mut data)?;
    if shape.is_empty() {
        return None;
    }
    Some(array::write(&array::Dense { shape, data: array::Buffer::Real(data) }))
}

fn flatten(value: &Json, shape: &[usize], data: &mut Vec<f64>) -> Option<()> {
    match (value, shape) {
        (Json::Array(parts), [n, inner @ ..]) if parts.len() == *n => {
            parts.iter().try_for_each(|it| flatten(it, inner, data))
        }
        (Json::Number(it), []) if it.is_f64() => {
            data.push(it.as_f64()?);
            Some(())
        }
        (Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_), _) => None,
        (Json::Array(_) | Json::Object(_), _) => None,
    }
}
