//! The part of our C that a program needs: sections of `c/*.h`, each with the sections it needs.
//!
//! A section begins with a line `//@ name: needs other other`. Only what is needed is pasted, since
//! the C compiler is most of what a user waits for.

use std::collections::{BTreeMap, BTreeSet};

const SOURCES: [&str; 2] = [include_str!("../../c/runtime.h"), include_str!("../../c/plain.h")];

/// The sections with these names and all that they need, each after what it needs.
pub(crate) fn prelude(names: &BTreeSet<&'static str>) -> String {
    let sections = sections();
    let mut res = String::new();
    let mut done = BTreeSet::new();
    for name in names {
        paste(name, &sections, &mut done, &mut res);
    }
    res
}

struct Section<'a> {
    needs: Vec<&'a str>,
    text: &'a str,
}

fn sections() -> BTreeMap<&'static str, Section<'static>> {
    let mut res = BTreeMap::new();
    for source in SOURCES {
        for part in source.split("//@ ").skip(1) {
            let (head, text) = part.split_once('\n').unwrap_or((part, ""));
            let (name, needs) = head.split_once(": needs ").unwrap_or((head, ""));
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_that_is_needed_exists() {
        let sections = sections();
        for (name, section) in &sections {
            for other in &section.needs {
                assert!(sections.contains_key(other), "{name} needs {other}");
            }
        }
    }
}
