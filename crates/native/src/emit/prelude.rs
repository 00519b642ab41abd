//! The part of our C that a program needs: sections of `c/*.h`, each with the sections it needs.
//!
//! A section begins with a line `//@ name: other other`. Only what is needed is pasted, since the C
//! compiler is most of what a user waits for.

use std::collections::{BTreeMap, BTreeSet};

use super::Precision;

const VECTOR: &str = include_str!("../../c/vector.h");
const RUNTIME: &str = include_str!("../../c/runtime.h");
const PLAIN: &str = include_str!("../../c/plain.h");

/// The sections of the runtime with these names, the functions on reals, and all that they need.
pub(crate) fn prelude(
    real: Precision,
    names: &BTreeSet<&'static str>,
    _functions: &BTreeSet<String>,
) -> String {
    let sections = sections(&[VECTOR, RUNTIME, PLAIN]);
    let mut res = String::new();
    let mut done = BTreeSet::new();
    let memory = match real {
        Precision::F64 => "memory_d",
        Precision::F32 => "memory_f",
    };
    for name in [memory, "generic", "plain", "runtime"].iter().chain(names) {
        paste(name, &sections, &mut done, &mut res);
    }
    res
}

struct Section<'a> {
    needs: Vec<&'a str>,
    text: &'a str,
}

fn sections(sources: &[&'static str]) -> BTreeMap<&'static str, Section<'static>> {
    let mut res = BTreeMap::new();
    for source in sources {
        for part in source.split("\n//@ ").flat_map(|it| it.strip_prefix("//@ ").or(Some(it))) {
            let (head, text) = part.split_once('\n').unwrap_or((part, ""));
            let (name, needs) = head.split_once(':').unwrap_or((head, ""));
            let needs = needs.split_whitespace().collect();
            res.insert(name.trim(), Section { needs, text });
        }
    }
    res
}

fn paste<'a>(
    name: &'a str,
    sections: &BTreeMap<&'a str, Section<'a>>,
    done: &mut BTreeSet<&'a str>,
    res: &mut String,
) {
    if !done.insert(name) {
        return;
    }
    if let Some(section) = sections.get(name) {
        for other in &section.needs {
            paste(other, sections, done, res);
        }
        res.push_str(section.text);
        res.push('\n');
    }
}
