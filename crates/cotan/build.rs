//! Lists the pages of `docs/errors/` and embeds them, so that `cotan explain` needs no files.
#![allow(clippy::disallowed_methods, reason = "a build script reads and writes files")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut pages = pages(&folder);
    pages.sort();
    let mut table = String::from("&[\n");
    for (code, path) in &pages {
        println!("cargo::rerun-if-changed={}", path.display());
        writeln!(table, "    ({code:?}, include_str!({:?})),", path.display().to_string())
            .expect("writing to a string cannot fail");
    }
    table.push(']');
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    fs::write(Path::new(&out).join("pages.rs"), table).expect("OUT_DIR can be written to");
}

/// Files named by a code, `E0301.md`; nothing if the folder is not there.
fn pages(folder: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|it| it.ok()?.path().canonicalize().ok());
    paths
        .filter_map(|path| {
            let code = path.file_stem()?.to_str()?.to_string();
            let is_code = code.len() == 5
                && code.starts_with('E')
                && code[1..].bytes().all(|it| it.is_ascii_digit());
            (is_code && path.extension()? == "md").then_some((code, path))
        })
        .collect()
}
