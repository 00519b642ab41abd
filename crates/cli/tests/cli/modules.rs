//! Files that import files: every command follows them, and whatever stands there gives a diagnostic.

use std::collections::BTreeSet;

use crate::*;

/// A program and the file that it imports.
fn ball() -> String {
    file(
        "modules/lib/ball.cot",
        "-- Balls.\n\n--- Twice as high.\npub def twice(x: Real): Real = hidden * x\n\ndef hidden = 2.0\n\ntest \"of the module\" = twice(1.0) == 2.0\n\ntest \"not run\" = false\n",
    );
    file(
        "modules/main.cot",
        "import \"lib/ball.cot\"\n\ndef f(x: Real): Real = ball.twice(x) * x\n\ndef main = (f(3.0), grad(f)(3.0))\n\ntest \"own\" = f(1.0) == 2.0\n\nbench \"f\" = f(1.0)\n",
    )
}

#[test]
fn commands_follow_imports() {
    let path = ball();
    cotan(&["run", &path]).exits(0).prints("(18.0, 12.0)");
    cotan(&["run", &path, "--backend", "interp"]).exits(0).prints("(18.0, 12.0)");
    cotan(&["eval", &path, "ball.twice(4.0)"]).exits(0).prints("8.0");
    cotan(&["check", &path]).exits(0);
    cotan(&["test", &path]).exits(0).prints("1 passed, 0 failed");
    cotan(&["fmt", "--check", &path]).exits(0);
    cotan(&["stages", &path, "f"]).exits(0);
    cotan(&["gradcheck", &path, "f", "--arg", "x=3.0"]).exits(0);
    cotan(&["sparsity", &path, "f", "--arg", "x=3.0"]).exits(0);
    // What is imported is asked for by the name that it has here.
    let twice = ["ball.twice", "--arg", "x=3.0"];
    let of = |command: &str, more: &[&str]| {
        cotan(&[&[command, path.as_str()], &twice[..], more].concat()).exits(0)
    };
    of("jacobian", &[]).prints("2.0");
    of("jacobian", &["--backend", "interp"]).prints("2.0");
    of("jacobian", &["--sparse"]).prints("1 rows by 1 columns, 1 entries\n0 0 2.0");
    of("gradcheck", &[]);
    of("sparsity", &[]);
    of("stages", &[]);
    cotan(&["jacobian", &path, "ball.hidden"]).exits(1).says("[E0632]");
    cotan(&["jacobian", &path, "twice"]).exits(1).says("[E0632]");
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("modules/c").display().to_string();
    cotan(&["build", &path, "--emit", "c", "-o", &out]).exits(0);
}

#[test]
fn a_path_starts_at_the_file_that_imports() {
    let path = ball();
    file(
        "modules/lib/deep.cot",
        "import \"ball.cot\"\npub def four(x: Real): Real = ball.twice(ball.twice(x))\n",
    );
    let up =
        file("modules/other/up.cot", "import \"../lib/deep.cot\"\ndef main = deep.four(1.0)\n");
    cotan(&["run", &up]).exits(0).prints("4.0");
    // Standard input is where we are.
    let text = format!("import \"{path}\" as b\ndef main = b.f(1.0)");
    let ran = cotan_with_input(&["run", "-"], text.as_bytes());
    ran.exits(1).says("[E0216]");
}

#[test]
fn the_page_of_a_module() {
    ball();
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("modules/lib/ball.cot");
    let ran = cotan(&["doc", &path.display().to_string()]).exits(0);
    let page = "# ball.cot\n\nBalls.\n\n## twice\n\n```text\ntwice(x: Real): Real\n```\n\nTwice as high.\n\n\
        ```cotan\nimport \"ball.cot\" (twice)\n\ntest \"of the module\" = twice(1.0) == 2.0\n```\n";
    assert_eq!(ran.out, page);
    assert!(cotan(&["doc", "std.linalg"]).exits(0).out.starts_with("# std.linalg\n"));
    cotan(&["doc", "std.nothing"]).exits(1).says("[E0630]");
}

#[test]
fn names_that_are_not_there() {
    for (at, (text, says)) in [
        ("import std.linalgebra", "[E0210]"),
        ("import linalg", "[E0210]"),
        ("import \"no-name.cot\"", "[E0213]"),
        ("def f(x: linalg.Matrix) = 1", "[E0214]"),
        ("import std.linalg (choleski)", "[E0215]"),
        ("import std.linalg\ndef x = linalg.choleski([[1.0]])", "did you mean `cholesky`?"),
        ("import std.linalg (pivots)", "[E0216]"),
        ("import std.linalg (det)\ndef det = 1", "[E0217]"),
    ]
    .into_iter()
    .enumerate()
    {
        file("names/no-name.cot", "");
        let path = file(&format!("names/n{at}.cot"), text);
        cotan(&["check", &path]).exits(1).says(says);
    }
}

/// Every command that reads imports must refuse with a diagnostic.
#[track_caller]
fn refused(name: &str, import: &str, says: &[&str]) {
    let path = file(name, format!("import \"{import}\" as it\ndef main = 1\n"));
    for command in ["check", "run", "test"] {
        let ran = cotan(&[command, &path]).exits(1);
        assert!(says.iter().all(|it| ran.err.contains(it)), "{says:?} is not in\n{}", ran.err);
    }
}

#[test]
fn whatever_is_imported_gives_a_diagnostic() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hostile");
    std::fs::create_dir_all(folder.join("directory.cot")).unwrap();
    refused("hostile/a.cot", "nowhere.cot", &["[E0211]", "there is no such file", "a.cot:1"]);
    refused("hostile/b.cot", "directory.cot", &["[E0211]", "directory"]);
    refused("hostile/c.cot", "", &["[E0211]", "directory"]);
    refused("hostile/d.cot", "/dev/zero", &["[E0211]", "no file"]);
    refused("hostile/e.cot", "no\\u{0}thing", &["[E0211]"]);
    refused("hostile/f.cot", &"x/".repeat(5_000), &["[E0211]"]);
    file("hostile/latin1.cot", b"-- fine\npub def x = \"caf\xe9\"\n");
    refused("hostile/g.cot", "latin1.cot", &["[E0211]", "UTF-8", "line 2"]);
    refused("hostile/h.cot", "h.cot", &["[E0212]"]);
    refused("hostile/i.cot", "../hostile/./i.cot", &["[E0212]"]);
    file("hostile/deep.cot", format!("def main = {}1", "(".repeat(100_000)));
    refused("hostile/j.cot", "deep.cot", &["deep.cot:1"]);
    let pipe = folder.join("pipe.cot");
    let made = Command::new("mkfifo").arg(&pipe).status();
    if made.is_ok_and(|it| it.success()) || pipe.exists() {
        refused("hostile/k.cot", "pipe.cot", &["[E0211]", "pipe"]);
    }
}

/// Two modules that differentiate the same definition of a third, and a program that imports both.
#[test]
fn one_derivative_serves_all_that_import() {
    file(
        "serves/energy.cot",
        "pub def energy(x: [n]Real): Real = iterate(3, \\s => sin(s) + sum(x * x), 0.5)\n",
    );
    for (name, body) in [("down", "x - 0.1 * grad(energy)(x)"), ("up", "x + grad(energy)(x)")] {
        let text = format!(
            "import \"energy.cot\" (energy)\n\npub def {name}(x: [n]Real): [n]Real = {body}\n"
        );
        file(&format!("serves/{name}.cot"), &text);
    }
    let path = file(
        "serves/main.cot",
        "import \"down.cot\" (down)\n\nimport \"up.cot\" (up)\n\ndef main(x: [n]Real): Real = sum(up(down(x)))\n",
    );
    let stages = cotan(&["stages", &path, "main"]).exits(0).out;
    let made = stages.lines().filter(|it| it.starts_with("def ") && it.contains(".vjp1\"["));
    let made: BTreeSet<&str> = made.filter_map(|it| it.split('[').next()).collect();
    let of_energy: Vec<&&str> = made.iter().filter(|it| !it.contains("main")).collect();
    assert_eq!(of_energy.len(), 1, "{made:?}");
}
