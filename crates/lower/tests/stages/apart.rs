//! Items and plans know of no processor: what makes them reads nothing of schedules and nests, so that
//! a schedule for another kind of processor can stand beside the one there is.

use std::fs;
use std::path::{Path, PathBuf};

fn files(names: &[&str]) -> Vec<PathBuf> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all: Vec<PathBuf> = names.iter().map(|it| src.join(format!("{it}.rs"))).collect();
    for folder in names.iter().map(|it| src.join(it)).filter(|it| it.is_dir()) {
        all.extend(fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()));
    }
    all.retain(|it| it.is_file());
    all
}

/// What a file takes from other modules of the crate.
fn uses(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    // Tests of a file come last.
    let text = text.split("#[cfg(test)]").next().unwrap_or_default().to_string();
    let parts = text.split("crate::").skip(1);
    let name =
        |it: &str| it.split(|it: char| !it.is_alphanumeric() && it != '_').next().map(String::from);
    parts.filter_map(name).collect()
}

fn check(names: &[&str], never: &[&str]) {
    for path in files(names) {
        let found = uses(&path).into_iter().find(|it| never.contains(&it.as_str()));
        assert_eq!(found, None, "{}", path.display());
    }
}

#[test]
fn each_step_knows_those_before_it_only() {
    check(&["view"], &["items", "plan", "schedule", "nests", "context"]);
    check(&["items"], &["plan", "schedule", "nests", "stretch", "flow"]);
    check(&["plan"], &["schedule", "nests", "stretch", "flow", "block"]);
    check(&["schedule"], &["nests", "stretch", "flow", "block"]);
    check(&["nests"], &["flow", "block"]);
}

/// What statements become, and what they need before, is data: none of it is written on the way.
#[test]
fn items_write_nothing() {
    for path in files(&["items"]) {
        let text = fs::read_to_string(&path).unwrap();
        let writes = ["emit", "bind", "prim", "check", "size", "count", "element", "room"];
        let found = writes.into_iter().find(|it| text.contains(&format!("self.{it}(")));
        assert_eq!(found, None, "{}", path.display());
    }
    assert!(files(&["items"]).len() > 10);
}

/// Each context has its methods where its stage is, and control flow does not write nests.
#[test]
fn each_context_is_of_one_stage() {
    check(&["flow"], &["nests", "plan", "schedule", "stretch"]);
    let has_methods = |path: &Path, context: &str| {
        let text = fs::read_to_string(path).unwrap();
        let mut lines = text.lines();
        lines.any(|it| it.starts_with("impl") && it.contains(&format!(" {context}<")))
    };
    let all = [
        "items", "nests", "flow", "access", "block", "checks", "context", "names", "sizes", "write",
    ];
    let stages = [("Reading", "items", 9), ("Nests", "nests", 6), ("Nodes", "write", 1)];
    for (context, stage, least) in stages {
        let own = files(&[stage, "context"]);
        let found: Vec<PathBuf> =
            files(&all).into_iter().filter(|it| has_methods(it, context)).collect();
        assert!(found.iter().all(|it| own.contains(it)), "{context}: {found:?}");
        assert!(found.len() >= least, "{context}: {found:?}");
    }
}

/// How great sizes are, and what a processor likes, is for schedules.
#[test]
fn plans_know_no_sizes() {
    check(&["items", "plan"], &["typical"]);
}

/// A plan and a schedule are functions of what they are given: nothing is written on the way.
#[test]
fn plans_and_schedules_write_nothing() {
    check(&["plan"], &["context"]);
    for path in files(&["plan", "schedule"]) {
        let text = fs::read_to_string(&path).unwrap();
        let writes = ["Lower<", "Known<", "Nodes<"].iter().find(|it| text.contains(**it));
        assert_eq!(writes, None, "{}", path.display());
    }
    assert!(files(&["plan", "schedule"]).len() > 10);
}
