//! `fmt` rewrites, checks, and reads standard input.

use crate::*;

const UGLY: &str = "def   f( x:Real ):Real=x+1.0 -- why\n";

#[test]
fn fmt_rewrites_in_place_and_is_idempotent() {
    let path = file("ugly.cot", UGLY);
    cotan(&["fmt", "--check", &path]).exits(1).says("not formatted");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), UGLY, "--check changes nothing");
    cotan(&["fmt", &path]).exits(0);
    let once = std::fs::read_to_string(&path).unwrap();
    assert_ne!(once, UGLY);
    assert!(once.contains("-- why"));
    cotan(&["fmt", "--check", &path]).exits(0);
    cotan(&["fmt", &path]).exits(0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), once);
}

#[test]
fn fmt_of_standard_input_goes_to_standard_output() {
    let out = cotan_with_input(&["fmt", "-"], UGLY.as_bytes()).exits(0).out;
    assert!(out.starts_with("def f(x: Real): Real = x + 1.0"), "{out}");
}

#[test]
fn fmt_leaves_a_wrong_file_alone() {
    let path = file("fmt_wrong.cot", "def f( = \n");
    cotan(&["fmt", &path]).exits(1).says("error[E01");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "def f( = \n");
}

/// Runs `cotan` where no file can get longer than nothing, as on a full disk.
fn on_a_full_disk(args: &[&str]) -> Ran {
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_cotan")])
        .args(args)
        .output()
        .unwrap();
    Ran {
        status: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_full_disk_leaves_the_old_files() {
    let path = file("fmt_full/ugly.cot", UGLY);
    on_a_full_disk(&["fmt", &path]).exits(1).says("[E0630]").says("ugly.cot");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), UGLY);
    let folder = PathBuf::from(&path).parent().unwrap().join("out");
    let _ = std::fs::remove_dir_all(&folder);
    let (square, out) =
        (file("fmt_full/square.cot", "def f(x: Real): Real = x * x\n"), folder.display());
    let build = ["build", &square, "--emit", "c", "-o", &out.to_string()];
    cotan(&build).exits(0);
    let before = contents(&folder);
    on_a_full_disk(&build).exits(1).says("[E0630]");
    assert_eq!(contents(&folder), before, "old files, and no others");
}

fn contents(folder: &std::path::Path) -> Vec<(PathBuf, String)> {
    let files = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let mut res: Vec<(PathBuf, String)> =
        files.map(|it| (it.clone(), std::fs::read_to_string(it).unwrap())).collect();
    res.sort();
    res
}

#[test]
fn fmt_keeps_permissions_and_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let path = file("fmt_kept/target.cot", UGLY);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let link = PathBuf::from(&path).with_file_name("link.cot");
    let _ = std::fs::remove_file(&link);
    symlink("target.cot", &link).unwrap();
    cotan(&["fmt", &link.display().to_string()]).exits(0);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_ne!(std::fs::read_to_string(&path).unwrap(), UGLY);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}
