//! The C library of generated code: takes out of `c/*.h` the sections that a program needs.
//!
//! The files say how they are divided (`c/vector.h`) and what a template is (`c/math.h`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

const VECTOR: &str = include_str!("../c/vector.h");
const MATH: &str = include_str!("../c/math.h");
const MATH32: &str = include_str!("../c/math32.h");

/// What a `Real` is in generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Real {
    /// `double`.
    F64,
    /// `float`.
    F32,
}

/// There is no such function in the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown(pub String);

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the C library has no function `{}`", self.0)
    }
}

impl std::error::Error for Unknown {}

/// The text to put in front of generated code: the vector layer, and each function of `math.h`
/// in `functions` as `ct_name`: `exp` for vectors, `exp1` for scalars.
pub fn library(real: Real, functions: &[&str]) -> Result<String, Unknown> {
    let sections = sections();
    let mut picked = Picked::default();
    let roots: &[&str] = match real {
        Real::F64 => &["memory_d", "generic"],
        Real::F32 => &["memory_f", "generic"],
    };
    for root in roots {
        picked.add(&sections, root, Form::Plain)?;
    }
    for function in functions {
        let suffix = match real {
            Real::F64 => "_d",
            Real::F32 => "_f",
        };
        let (name, form) = scalar_or_vector(&sections, function);
        picked.add(&sections, &format!("{name}{suffix}"), form)?;
    }
    let mut res = picked.print(&sections, real);
    for function in functions {
        res += &match scalar_or_vector(&sections, function) {
            (name, Form::Scalar) => format!("#define ct_{function} CT_R1({name})\n"),
            (name, Form::Vector | Form::Plain) => format!("#define ct_{function} CT_R({name})\n"),
        };
    }
    Ok(res)
}

/// What `exp1` and `expm1` mean: a last 1 is the sign of a scalar if the rest is a function.
fn scalar_or_vector<'a>(sections: &[Section], function: &'a str) -> (&'a str, Form) {
    let known = |name: &str| sections.iter().any(|it| it.name.strip_suffix("_d") == Some(name));
    match function.strip_suffix('1') {
        Some(name) if known(name) => (name, Form::Scalar),
        Some(_) | None => (function, Form::Vector),
    }
}

/// A section of a file.
struct Section {
    name: &'static str,
    needs: Vec<&'static str>,
    text: String,
    /// Whether it is a template, pasted by form.
    template: bool,
}

/// How a section is pasted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Plain,
    Scalar,
    Vector,
}

/// The order in which templates are pasted: 64 bits first, scalars first, so that lane by lane
/// and through 64 bits find what they call.
const GROUPS: [(&str, Form, &str); 4] = [
    ("_d", Form::Scalar, "mode_d1"),
    ("_d", Form::Vector, "mode_d"),
    ("_f", Form::Scalar, "mode_f1"),
    ("_f", Form::Vector, "mode_f"),
];

fn sections() -> Vec<Section> {
    let mut res: Vec<Section> = Vec::new();
    for (file, templates) in [(VECTOR, false), (MATH, true), (MATH32, true)] {
        let mut inside = false;
        for line in file.lines() {
            if let Some(head) = line.strip_prefix("//@ ") {
                let (name, needs) = head.split_once(':').unwrap_or((head, ""));
                let template = templates && (name.ends_with("_d") || name.ends_with("_f"));
                let template = template && !name.starts_with("mode_");
                let needs = needs.split_whitespace().collect();
                res.push(Section { name, needs, text: String::new(), template });
                inside = true;
            } else if inside && let Some(section) = res.last_mut() {
                section.text += line;
                section.text.push('\n');
            }
        }
    }
    res
}

/// Sections to paste: the position in the files, and the form.
#[derive(Default)]
struct Picked {
    instances: BTreeMap<usize, BTreeSet<Form>>,
}

impl Picked {
    fn add(&mut self, sections: &[Section], name: &str, form: Form) -> Result<(), Unknown> {
        let found = sections.iter().position(|it| it.name == name);
        let index = found.ok_or_else(|| Unknown(name.to_string()))?;
        let section = &sections[index];
        let form = if section.template { form } else { Form::Plain };
        if !self.instances.entry(index).or_default().insert(form) {
            return Ok(());
        }
        for need in &section.needs {
            match need.strip_suffix('1') {
                Some(scalar) if section.template => self.add(sections, scalar, Form::Scalar)?,
                _ => self.add(sections, need, form)?,
            }
        }
        if let Some((_, _, mode)) = GROUPS.iter().find(|it| name.ends_with(it.0) && it.1 == form) {
            self.add(sections, mode, Form::Plain)?;
        }
        Ok(())
    }

    fn print(&self, sections: &[Section], real: Real) -> String {
        let mut res = String::new();
        if real == Real::F32 {
            res += "#define CT_F32 1\n";
        }
        let plain = |name: &str| sections.iter().find(|it| it.name == name);
        for index in self.instances.keys() {
            let section = &sections[*index];
            if !section.template && !section.name.starts_with("mode_") {
                res += &section.text;
            }
        }
        for (suffix, form, mode) in GROUPS {
            let group = self.instances.iter().filter(|(index, forms)| {
                let section = &sections[**index];
                section.template && section.name.ends_with(suffix) && forms.contains(&form)
            });
            let texts: Vec<&str> = group.map(|it| sections[*it.0].text.as_str()).collect();
            if texts.is_empty() {
                continue;
            }
            res += plain(mode).map_or("", |it| &it.text);
            res.extend(texts);
            res += plain("mode_end").map_or("", |it| &it.text);
        }
        res
    }
}
