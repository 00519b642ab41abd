//! What the macros say while Rust compiles, and where: each file of `tests/ui` is compiled, and what rustc
//! prints is the file `.stderr` beside it. `BLESS=1` rewrites those.
//!
//! rustc is run on each file by itself, with the macros that Cargo has just built: they complain before
//! anything else of the library is looked for.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads files, and a panic is its way to fail"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")
}

/// The macros, as the newest library of that name beside this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let files = fs::read_dir(test.parent().unwrap()).unwrap().map(|it| it.unwrap().path());
    let is_ours = |it: &PathBuf| {
        let name = it.file_name().unwrap().to_string_lossy().into_owned();
        let name = name.trim_start_matches("lib");
        name.starts_with("macros-") && name.ends_with(std::env::consts::DLL_SUFFIX)
    };
    let newest = files.filter(is_ours).max_by_key(|it| it.metadata().unwrap().modified().unwrap());
    newest.expect("Cargo builds the macros before their tests")
}

/// What rustc prints of a file, which must not compile.
fn printed(file: &Path, library: &Path) -> String {
    let name = file.file_name().unwrap();
    let output = Command::new(std::env::var("RUSTC").unwrap_or("rustc".to_owned()))
        .current_dir(folder())
        .env("CARGO_MANIFEST_DIR", folder())
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "-o", "-"])
        .arg(format!("--extern=macros={}", library.display()))
        .arg(name)
        .output()
        .unwrap();
    assert!(!output.status.success(), "{} compiles", file.display());
    // The last lines count errors and name their pages, in words of the version of rustc.
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let end = text.find("error: aborting due to").unwrap_or(text.len());
    text[..end].replace(&*folder().to_string_lossy(), "$DIR").trim_end().to_owned() + "\n"
}

#[test]
fn complaints_are_as_they_were() {
    let library = library();
    let is_blessed = std::env::var("BLESS").is_ok_and(|it| it == "1");
    let files = fs::read_dir(folder()).unwrap().map(|it| it.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|it| it.extension().is_some_and(|it| it == "rs")).collect();
    files.sort();
    assert!(files.len() >= 8, "the cases are there");
    for file in files {
        let printed = printed(&file, &library);
        let expected = file.with_extension("stderr");
        if is_blessed {
            fs::write(&expected, printed).unwrap();
            continue;
        }
        assert_eq!(printed, fs::read_to_string(&expected).unwrap(), "{}", file.display());
    }
}
