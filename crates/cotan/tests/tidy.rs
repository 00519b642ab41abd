//! The rules of the house that no compiler checks. Each failure names the file and the rule.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads files, and a panic is its way to fail"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The edges between crates: our own crates that each may use, then outside crates.
/// A new edge is a commit of its own, with ARCHITECTURE.md.
const EDGES: &[(&str, &[&str], &[&str])] = &[
    ("base", &[], &["annotate-snippets", "anstyle", "serde"]),
    ("syntax", &["base"], &["stacker"]),
    ("array", &["base"], &[]),
    ("formats", &["array"], &["bytes", "csv-core", "miniz_oxide", "parquet"]),
    ("plot", &[], &[]),
    ("ir", &["base", "array"], &["rustc-hash", "serde"]),
    ("modules", &["base", "syntax"], &["strsim"]),
    ("check", &["base", "syntax", "modules", "ir"], &["strsim"]),
    ("real", &[], &["libm"]),
    // The first for its tests only.
    ("minimise", &["real"], &["indicatif"]),
    ("trace", &["base"], &[]),
    ("eval", &["base", "array", "ir", "real"], &["libm", "rustc-hash", "stacker"]),
    ("ad", &["base", "ir"], &[]),
    // The last two for its tests only.
    ("opt", &["base", "ir", "array", "eval"], &["serde"]),
    ("loops", &["base", "ir"], &["serde"]),
    ("loop_eval", &["ir", "loops", "eval"], &["stacker"]),
    // The last one for its tests only.
    ("lower", &["base", "ir", "loops", "loop_eval"], &[]),
    ("emit", &["ir", "loops"], &[]),
    ("instant", &["ir", "loops"], &["cranelift-codegen", "cranelift-frontend", "cranelift-native"]),
    // `ir` and the first outside crate for its tests only.
    (
        "native",
        &["base", "ir", "loops", "emit", "instant", "eval"],
        &[
            "astro-float-num",
            "gemm-common",
            "gemm-f32",
            "gemm-f64",
            "libc",
            "libloading",
            "serde",
            "smallvec",
            "stacker",
        ],
    ),
    // Itself for its tests only, with all features.
    (
        "cotan",
        &[
            "base",
            "syntax",
            "array",
            "formats",
            "plot",
            "ir",
            "check",
            "eval",
            "ad",
            "opt",
            "loops",
            "lower",
            "emit",
            "native",
            "instant",
            "real",
            "minimise",
            "trace",
            "macros", // The last two for its tests only.
            "loop_eval",
            "cotan",
        ],
        &["ndarray", "serde", "serde_json", "smallvec", "stacker", "strsim"],
    ),
    ("bind", &["base", "syntax", "check"], &["proc-macro2", "quote"]),
    ("macros", &["bind"], &["proc-macro2", "quote", "stacker", "syn"]),
    ("embed", &["bind", "cotan"], &["cc", "proc-macro2", "quote"]),
    ("cli", &["cotan"], &["clap", "clap_complete", "clap_mangen", "indicatif", "libc"]),
    ("testing", &[], &[]),
    // All behind `testing` for its tests and its example only.
    (
        "generate",
        &[
            "base",
            "array",
            "ir",
            "testing",
            "eval",
            "ad",
            "opt",
            "loops",
            "loop_eval",
            "lower",
            "instant",
            "native",
            "cotan",
        ],
        &[],
    ),
    ("fuzz", &["base", "syntax", "array", "cotan", "generate", "testing"], &["serde_json"]),
];

/// What the tests of any crate may use besides.
const DEV: &[&str] = &["testing", "expect-test"];

/// Lines a source file may have before two ideas share a room.
const LONGEST_FILE: usize = 400;

/// Files that may be longer, each with its reason.
const LONG_FILES: &[(&str, &str)] = &[];

/// Lines a file of tests may have: facts in a row are no two ideas.
const LONGEST_TEST: usize = 600;

/// Codes without an example in a block: E0120 needs a text of 4 GiB, E0600 a bug of ours, E0614
/// another thread, E066x a Rust program, the others the command line (`crates/cli/tests/` provokes them).
const COMMAND_LINE_CODES: &[&str] = &[
    "E0120", "E0212", "E0213", "E0600", "E0614", "E0616", "E0630", "E0631", "E0635", "E0636",
    "E0637", "E0638", "E0639", "E0660", "E0661", "E0662", "E0663", "E0664",
];

/// Codes that no text can provoke: one of 4 GiB, a bug of ours, a program that is stopped from Rust
/// (`crates/cotan/tests/prepared.rs`), a closure that is traced (`crates/cotan/tests/trace/errors.rs`).
const UNSHOWN_CODES: &[&str] =
    &["E0120", "E0600", "E0614", "E0660", "E0661", "E0662", "E0663", "E0664"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every file of the repository with one of these extensions, relative to the root, sorted.
fn files(extensions: &[&str]) -> Vec<PathBuf> {
    let root = root();
    let mut folders = vec![root.clone()];
    let mut res = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if !name.starts_with('.') && name != "target" {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|it| extensions.iter().any(|e| it == *e)) {
                res.push(path.strip_prefix(&root).unwrap().to_path_buf());
            }
        }
    }
    res.sort();
    res
}

fn read(path: &Path) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

fn report(rule: &str, failures: &[String]) {
    assert!(failures.is_empty(), "{rule}\n  {}", failures.join("\n  "));
}

/// The dependencies of a manifest: section and key.
fn dependencies(manifest: &str) -> Vec<(String, String)> {
    let mut section = String::new();
    let mut res = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            section = name.to_string();
        } else if section.ends_with("dependencies")
            && !line.starts_with('#')
            && let Some(key) = line.split(['.', '=', ' ']).next().filter(|it| !it.is_empty())
        {
            res.push((section.clone(), key.to_string()));
        }
    }
    res
}

#[test]
fn crates_use_only_what_the_edge_table_allows() {
    let mut failures = Vec::new();
    let mut folders: BTreeSet<String> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|it| it.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    for (name, own, outside) in EDGES {
        if !folders.remove(*name) {
            failures.push(format!("crates/{name}: in the table but not there"));
            continue;
        }
        let manifest = read(&Path::new("crates").join(name).join("Cargo.toml"));
        for (section, key) in dependencies(&manifest) {
            let key = key.as_str();
            let allowed = own.contains(&key)
                || outside.contains(&key)
                // Itself, with features that its tests need.
                || (section == "dev-dependencies" && (DEV.contains(&key) || key == *name));
            if !allowed {
                failures.push(format!("crates/{name}: may not use `{key}` ({section})"));
            }
        }
        if !manifest.contains("[lints]\nworkspace = true") {
            failures.push(format!("crates/{name}: `[lints] workspace = true` is missing"));
        }
    }
    failures.extend(folders.iter().map(|it| format!("crates/{it}: not in the edge table")));
    report("Only the edges of the table in tidy.rs exist.", &failures);
}

#[test]
fn outside_dependencies_say_why_they_are_there() {
    let manifest = read(Path::new("Cargo.toml"));
    let lines: Vec<&str> = manifest.lines().collect();
    let mut inside = false;
    let mut failures = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if line.starts_with('[') {
            inside = *line == "[workspace.dependencies]";
        } else if inside
            && line.contains('=')
            && !line.starts_with('#')
            && !line.contains("path =")
            && !lines[index - 1].starts_with('#')
        {
            failures.push(format!("Cargo.toml:{}: {line}", index + 1));
        }
    }
    report("Every outside dependency has a comment above it that says why.", &failures);
}

#[test]
fn every_source_file_starts_with_a_sentence() {
    let mut failures = Vec::new();
    for file in files(&["rs"]) {
        let text = read(&file);
        let first = text.lines().next().unwrap_or("");
        if !first.starts_with("//! ") || first.contains("to be filled") {
            failures.push(file.display().to_string());
        }
    }
    report("Every file starts with `//!` and says what it does.", &failures);
}

#[test]
fn source_files_stay_short() {
    let mut failures = Vec::new();
    let mut excused: BTreeSet<&str> = LONG_FILES.iter().map(|(file, _)| *file).collect();
    for file in files(&["rs"]) {
        let lines = read(&file).lines().count();
        let name = file.display().to_string();
        let is_test = file.components().any(|it| it.as_os_str() == "tests");
        let longest = if is_test { LONGEST_TEST } else { LONGEST_FILE };
        if lines > longest && !excused.remove(name.as_str()) {
            failures.push(format!("{name}: {lines} lines"));
        }
    }
    failures.extend(excused.iter().map(|it| format!("{it}: excused without need")));
    report("A file past 400 lines holds two ideas.", &failures);
}

/// Error codes of a text: `E` and four digits between the given quotes.
fn codes(text: &str, before: char, after: char) -> BTreeSet<String> {
    let bytes = text.as_bytes();
    let mut res = BTreeSet::new();
    for (index, _) in text.match_indices('E') {
        let Some(code) = text.get(index..index + 5) else { continue };
        let fits = index > 0
            && bytes[index - 1] == before as u8
            && bytes.get(index + 5) == Some(&(after as u8))
            && code[1..].bytes().all(|it| it.is_ascii_digit());
        if fits {
            res.insert(code.to_string());
        }
    }
    res
}

/// Every code that a source file can put into a diagnostic, with one such file.
fn codes_in_sources() -> BTreeMap<String, String> {
    let mut res = BTreeMap::new();
    for file in files(&["rs"]) {
        if file.components().any(|it| it.as_os_str() == "tests") {
            continue;
        }
        let text = read(&file);
        let product = text.split("#[cfg(test)]").next().unwrap_or("");
        for code in codes(product, '"', '"') {
            res.entry(code).or_insert(file.display().to_string());
        }
    }
    res
}

#[test]
fn every_error_code_has_a_page_and_every_page_a_code() {
    let used = codes_in_sources();
    let mut failures = Vec::new();
    for (code, file) in &used {
        let page = Path::new("docs/errors").join(format!("{code}.md"));
        if !root().join(&page).exists() {
            failures.push(format!("{code} ({file}): no page {}", page.display()));
            continue;
        }
        let text = read(&page);
        let failing = format!("```cotan-error {code}");
        if !COMMAND_LINE_CODES.contains(&code.as_str()) && !text.contains(&failing) {
            failures.push(format!("{}: no failing example `{failing}`", page.display()));
        }
        if !text.starts_with(&format!("# {code}")) {
            failures.push(format!("{}: must start with `# {code}`", page.display()));
        }
    }
    for page in files(&["md"]).iter().filter(|it| it.starts_with("docs/errors")) {
        let code = page.file_stem().unwrap().to_string_lossy().into_owned();
        if code.starts_with('E') && !used.contains_key(&code) {
            failures.push(format!("{}: no diagnostic has this code", page.display()));
        }
    }
    report("Codes and pages belong together.", &failures);
}

#[test]
fn every_error_code_has_a_case() {
    let mut seen = BTreeSet::new();
    for file in files(&["case"]) {
        seen.extend(codes(&read(&file), '[', ']'));
    }
    for file in files(&["rs"]).iter().filter(|it| it.starts_with("crates/cli/tests")) {
        seen.extend(codes(&read(file), '"', '"'));
        seen.extend(codes(&read(file), '[', ']'));
    }
    for file in files(&["cot"]).iter().filter(|it| it.starts_with("tests/programs")) {
        let text = read(file);
        let first = text.lines().next().unwrap_or("");
        seen.extend(first.strip_prefix("-- expect: ").map(|it| it.trim().to_string()));
    }
    let failures: Vec<String> = codes_in_sources()
        .into_iter()
        .filter(|(code, _)| !seen.contains(code) && !UNSHOWN_CODES.contains(&code.as_str()))
        .map(|(code, file)| format!("{code} ({file})"))
        .collect();
    report(
        "Every code is shown by a case: `[E0301]` in a .case file or a test of the command line, \
         `-- expect: E0301` in a program.",
        &failures,
    );
}

/// Words between backquotes and targets of links that look like paths of this repository.
fn quoted_paths(text: &str) -> Vec<String> {
    let mut res = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        let quoted = line.split('`').skip(1).step_by(2);
        res.extend(quoted.filter(|it| looks_like_a_path(it)).map(str::to_string));
        let prose: String = line.split('`').step_by(2).collect();
        for part in prose.split("](").skip(1) {
            let target = part.split([')', '#', ' ']).next().unwrap_or("");
            if !target.is_empty() && !target.contains(':') {
                res.push(target.to_string());
            }
        }
    }
    res
}

fn looks_like_a_path(word: &str) -> bool {
    let plain = word.chars().all(|it| it.is_ascii_alphanumeric() || "_./-".contains(it));
    let inside = ["crates/", "docs/", "examples/", "tests/", ".ci/", "src/"]
        .iter()
        .any(|it| word.starts_with(it));
    let extension = word.rsplit('.').next().unwrap_or("");
    let named = word.contains('.') && ["md", "rs", "toml", "cot", "case"].contains(&extension);
    plain && (inside || named) && !word.starts_with('.') | word.starts_with(".ci/")
}

#[test]
fn every_path_that_a_document_names_exists() {
    let mut failures = Vec::new();
    for file in files(&["md"]) {
        let folder = file.parent().unwrap();
        for path in quoted_paths(&read(&file)) {
            let anywhere = [root().join(&path), root().join(folder).join(&path)];
            if !anywhere.iter().any(|it| it.exists()) {
                failures.push(format!("{}: {path}", file.display()));
            }
        }
    }
    report("Every path that a document names exists.", &failures);
}

/// The passes of `opt`: their module, and the functions that run them.
const PASSES: &[(&str, &[&str])] = &[
    ("accumulate", &["accumulate"]),
    ("at_once", &["at_once"]),
    ("bot", &["bot"]),
    ("checkpoint", &["checkpoint", "drop_checkpoints"]),
    ("choose", &["choose"]),
    ("defunctionalise", &["defunctionalise"]),
    ("elements", &["elements"]),
    ("flatten", &["flatten"]),
    ("inline", &["inline"]),
    ("merge", &["merge"]),
    ("peel", &["peel"]),
    ("recompute", &["recompute"]),
    ("sink", &["sink"]),
    ("simplify", &["simplify", "simplify_by", "inline_more", "bare", "common", "hoist"]),
    ("specialise", &["specialise"]),
    ("spread", &["spread"]),
    ("views", &["views"]),
];

/// Whether a line of code names a function of a module: `module::function`, or one of
/// `module::{.., function, ..}`.
fn names_function(line: &str, module: &str, function: &str) -> bool {
    let start = format!("{module}::");
    let is_word = |it: &str| !it.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
    line.match_indices(&start).any(|(at, _)| {
        let before = &line[..at];
        let whole = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let rest = &line[at + start.len()..];
        let single = rest.strip_prefix(function).is_some_and(is_word);
        let listed = rest.strip_prefix('{').and_then(|it| it.split('}').next()).unwrap_or("");
        whole && (single || listed.split(',').any(|it| it.trim() == function))
    })
}

#[test]
fn names_of_functions_are_found() {
    for line in ["use crate::bot::bot;", "let x = bot::bot(&y);", "use crate::bot::{cost, bot};"] {
        assert!(names_function(line, "bot", "bot"), "{line}");
    }
    for line in ["use crate::bot::both;", "mod bot;", "use crate::robot::bot;", "bot::bot::cost()"]
    {
        assert!(!names_function(line, "bot", "bot"), "{line}");
    }
}

/// The order of passes is that of `crates/cotan/src/pipelines.rs` and of nothing else.
#[test]
fn no_pass_calls_a_pass() {
    let modules = read(Path::new("crates/opt/src/lib.rs"));
    let helpers = ["additive", "limits", "order", "refusal", "tuning"];
    let modules = modules.lines().filter_map(|it| it.strip_suffix(';')?.split("mod ").nth(1));
    let unknown = modules.filter(|it| !helpers.contains(it) && !PASSES.iter().any(|p| p.0 == *it));
    let mut failures: Vec<String> =
        unknown.map(|it| format!("crates/opt/src/{it}.rs: not in the list of tidy.rs")).collect();
    for file in files(&["rs"]) {
        let name = file.display().to_string();
        let inside_opt = name.strip_prefix("crates/opt/src/");
        // The table of passes is what may call them.
        let is_cotan =
            name.starts_with("crates/cotan/src/") && !name.starts_with("crates/cotan/src/pass");
        if !is_cotan && inside_opt.is_none_or(|it| it == "lib.rs") {
            continue;
        }
        let own = inside_opt.and_then(|it| it.split(['/', '.']).next()).unwrap_or("");
        let text = read(&file);
        let product = text.split("#[cfg(test)]").next().unwrap_or("");
        let code = product.lines().filter(|it| !it.trim_start().starts_with("//"));
        for line in code {
            for (module, functions) in PASSES.iter().filter(|it| it.0 != own) {
                let calls = |it: &&str| {
                    let short = ["opt", "crate"]
                        .iter()
                        .any(|krate| line.contains(&format!("{krate}::{it}(")));
                    short || names_function(line, module, it)
                };
                if let Some(function) = functions.iter().find(|it| calls(it)) {
                    failures.push(format!("{name}: `{function}`"));
                }
            }
        }
    }
    report("No pass calls a pass: what follows what is in `pipelines.rs`.", &failures);
}

/// A crate that says it has no tests in its sources, so that it is not compiled a second time for them, or no
/// examples in its documentation, has none.
#[test]
fn what_is_not_tested_has_no_tests() {
    let mut failures = Vec::new();
    for manifest in files(&["toml"]) {
        let text = read(&manifest);
        let sources = manifest.parent().unwrap().join("src");
        let has = |mark: &str| {
            let inside = files(&["rs"]).into_iter().filter(|it| it.starts_with(&sources));
            inside.map(|it| read(&it)).any(|it| it.lines().any(|it| it.trim_start() == mark))
        };
        if text.lines().any(|it| it == "test = false") && has("#[test]") {
            failures.push(format!("{}: test = false", manifest.display()));
        }
        if text.lines().any(|it| it == "doctest = false") && (has("/// ```") || has("//! ```")) {
            failures.push(format!("{}: doctest = false", manifest.display()));
        }
    }
    report("tests that nobody runs", &failures);
}

#[test]
fn lines_per_crate() {
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for file in files(&["rs"]) {
        let mut parts = file.components().map(|it| it.as_os_str().to_string_lossy().into_owned());
        if parts.next().as_deref() == Some("crates") {
            *lines.entry(parts.next().unwrap_or_default()).or_default() +=
                read(&file).lines().count();
        }
    }
    for (name, count) in &lines {
        println!("{count:7} {name}");
    }
    println!("{:7} in all", lines.values().sum::<usize>());
    assert_eq!(lines.len(), EDGES.len(), "every crate has sources");
}
