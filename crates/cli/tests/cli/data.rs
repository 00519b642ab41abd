//! Numbers in files: columns of tables and arrays of archives go in, results come out.

use crate::*;

/// What `numpy.savez` and `numpy.savez_compressed` wrote: `crates/formats/tests/facts.py`.
fn of_numpy(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/tests/numpy/");
    format!("{folder}{name}")
}

fn program() -> String {
    file(
        "data.cot",
        "type Row = { t: Real, height: Real }\n\
         type Model<n> = { w: [n]Real, b: Real }\n\
         def total(rows: [n]Row): Real = sum(map(\\r => r.t * r.height, rows))\n\
         def first(m: [n][k]Real): [k]Real = m[0]\n\
         def count(xs: [n]Int): Int = n + sum(xs)\n\
         def pairs(xs: [n](Real, Real)): Real = sum(map(\\(a, b) => a * b, xs))\n\
         def weigh(m: Model<n>): Real = sum(m.w) + m.b\n\
         def column(xs: [n]Real): Real = sum(xs)\n",
    )
}

fn eval(expression: &str, args: &[&str]) -> Ran {
    let program = program();
    let mut all = vec!["eval", program.as_str(), expression];
    all.extend(args.iter().flat_map(|it| ["--arg", *it]));
    cotan(&all)
}

fn table() -> String {
    file("fall.csv", "t,height,note\r\n0,10.0,\"start, here\"\r\n1,5.1,fast\r\n2,-9.6,\r\n")
}

#[test]
fn a_column_is_an_array() {
    let path = table();
    let (t, height) = (format!("t=@{path}:t"), format!("h=@{path}:height"));
    eval("dot(t, h)", &[&t, &height]).exits(0).prints("-14.1");
    eval("count(t)", &[&t]).exits(0).prints("6");
    eval("grad(\\h => dot(h, h))(h)", &[&height]).exits(0).prints("[20.0, 10.2, -19.2]");
    // By number, from 0.
    eval("sum(x) + 0.0", &[&format!("x=@{path}:0")]).exits(0).prints("3.0");
}

#[test]
fn a_table_is_a_matrix_or_records_by_the_names_of_columns() {
    let bare = file("bare.csv", "1,2\n3,4\n");
    eval("first(m)", &[&format!("m=@{bare}")]).exits(0).prints("[1.0, 2.0]");
    eval("pairs(m)", &[&format!("m=@{bare}")]).exits(0).prints("14.0");
    eval("m[1][0] + 0", &[&format!("m=@{bare}")]).exits(0).prints("3");
    // The column of notes is no field, so nobody minds that it has no numbers.
    eval("total(rows)", &[&format!("rows=@{}", table())]).exits(0).prints("-14.1");
    eval("first(m)", &[&format!("m=@{}", table())])
        .exits(1)
        .says("[E0622]")
        .says("line 2, field 3");
    let narrow = file("narrow.csv", "x\n1\n2.5\n");
    eval("column(x)", &[&format!("x=@{narrow}")]).exits(0).prints("3.5");
    eval("first(m)", &[&format!("m=@{narrow}")]).exits(0).prints("[1.0]");
    let tabs = file("tabs.tsv", "a\tb\n1\t2\n");
    eval("column(x)", &[&format!("x=@{tabs}:b")]).exits(0).prints("2.0");
    let none = file("none.csv", "a,b\n");
    eval("count(x)", &[&format!("x=@{none}:b")]).exits(0).prints("0");
    eval("column(x)", &[&format!("x=@{none}:b")]).exits(0).prints("0.0");
}

#[test]
fn tables_that_cannot_be_read_say_where_and_why() {
    let path = table();
    let ask = |part: &str| eval("column(x)", &[&format!("x=@{path}{part}")]).exits(1);
    ask(":heigth").says("[E0624]").says("no column `heigth`").says("did you mean `height`?");
    ask(":Height").says("did you mean `height`?");
    ask(":weight_of_it").says("ask for one of `t`, `height`, `note`");
    ask(":note").says("[E0624]").says("line 2, field 3 is `start, here`");
    ask(":7").says("no column `7`");
    for (name, text, says) in [
        ("empty.csv", "", "the file is empty"),
        ("ragged.csv", "1,2\n3\n", "line 2 has 1 fields, and the first has 2"),
        ("hole.csv", "1\n\"\"\n", "line 2, field 1 is empty"),
        ("semicolons.csv", "a;b\n1;2\n", "separate numbers by commas"),
        ("sixteen.csv", "\u{feff}a\n1\nx\n", "line 3, field 1 is `x`"),
    ] {
        let path = file(name, text);
        eval("column(x)", &[&format!("x=@{path}")]).exits(1).says(says);
    }
    let path = file("utf16.csv", b"\xff\xfe1\x00");
    eval("column(x)", &[&format!("x=@{path}")]).exits(1).says("[E0624]").says("UTF-8");
    eval("column(x)", &["x=@missing.csv:a"]).exits(1).says("[E0630]").says("no such file");
}

#[test]
fn arrays_of_archives_are_arguments() {
    for name in ["stored.npz", "deflated.npz"] {
        let path = of_numpy(name);
        eval("column(x)", &[&format!("x=@{path}:t")]).exits(0).prints("1.5");
        eval("m[1] + 0", &[&format!("m=@{path}:m")]).exits(0).prints("[4, 5, 6]");
        eval("x[0] && !x[1]", &[&format!("x=@{path}:on")]).exits(0).prints("true");
        let missing = eval("column(x)", &[&format!("x=@{path}:tt")]).exits(1);
        missing.says("[E0624]").says("no array `tt`").says("did you mean `t`?");
        let narrow = ["eval", &program(), "x + 0.0", "--memory", "100"];
        let narrow = cotan(&[&narrow[..], &["--arg", &format!("x=@{path}:t")]].concat());
        narrow.exits(1).says("[E0624]").says("152 bytes").says("`--memory`");
    }
    let wrong = file("no_archive.npz", "PK");
    eval("column(x)", &[&format!("x=@{wrong}:t")]).exits(1).says("[E0624]").says("no .npz file");
}

/// Writes what an expression gives.
fn write(expression: &str, name: &str, more: &[&str]) -> String {
    let path = file(name, "old");
    let program = program();
    let all = ["eval", program.as_str(), expression, "--out", path.as_str()];
    let ran = cotan(&[&all[..], more].concat()).exits(0);
    assert_eq!(ran.out, "", "what is written is not printed");
    path
}

#[test]
fn results_are_written_and_read_back() {
    for more in [&[][..], &["--backend", "interp"], &["--backend", "native"], &["--real", "f32"]] {
        let path = write("Model { w: [0.5, 2.5], b: 1.0 }", "model.npz", more);
        eval("weigh(m)", &[&format!("m=@{path}")]).exits(0).prints("4.0");
        eval("column(x)", &[&format!("x=@{path}:w")]).exits(0).prints("3.0");
        let path = write("([1, 2], (true, 0.1))", "tuple.npz", more);
        eval("count(x)", &[&format!("x=@{path}:arr_0")]).exits(0).prints("5");
        let tenth = if more.contains(&"f32") { "0.10000000149011612" } else { "0.1" };
        eval("x + 0.0", &[&format!("x=@{path}:arr_1.arr_1")]).exits(0).prints(tenth);
        let path = write("[[1.5, 2.5], [3.5, 4.5]]", "matrix.npy", more);
        eval("first(m)", &[&format!("m=@{path}")]).exits(0).prints("[1.5, 2.5]");
        let path = write("build i < 0 => 1.0", "none.npy", more);
        eval("column(x)", &[&format!("x=@{path}")]).exits(0).prints("0.0");
    }
}

#[test]
fn tables_are_written_by_columns_or_rows() {
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    let rows = "map(\\i => Row { t: real(i), height: 0.5 }, iota(2))";
    assert_eq!(read(&write(rows, "rows.csv", &[])), "t,height\n0.0,0.5\n1.0,0.5\n");
    let matrix = write("[[1, 2, 3], [4, 5, 6]]", "ints.csv", &[]);
    assert_eq!(read(&matrix), "1,2,3\n4,5,6\n");
    let tuple = write("([1.0 / 0.0, 0.0 / 0.0], [true, false])", "columns.csv", &[]);
    assert_eq!(read(&tuple), "arr_0,arr_1\ninf,true\nnan,false\n");
    assert_eq!(read(&write("0.1", "one.csv", &["--real", "f32"])), "0.1\n");
    assert_eq!(read(&write("Model { w: [1.0], b: 2.0 }.w", "vector.csv", &[])), "1.0\n");
}

#[test]
fn what_a_file_cannot_hold_is_refused_and_the_old_one_stays() {
    for (expression, name, says) in [
        ("(1, 2)", "refused.npy", "`.npz`"),
        ("\"text\"", "refused.npz", "a text"),
        ("Model { w: [1.0], b: 2.0 }", "refused.csv", "differ in length"),
        ("[[[1.0]]]", "refused.csv", "more than two dimensions"),
    ] {
        let path = file(name, "old");
        let ran = cotan(&["eval", &program(), expression, "--out", &path]);
        ran.exits(1).says("[E0639]").says(says);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    }
    let ran = cotan(&["eval", &program(), "1", "--out", "x.txt"]);
    ran.exits(2).says(".npz, .npy or .csv");
    let ran = cotan(&["eval", &program(), "1.0", "--out", "/nowhere/x.npy"]);
    ran.exits(1).says("[E0630]");
    // A device that is always full.
    let full = file("full.npz", "");
    std::fs::remove_file(&full).unwrap();
    std::os::unix::fs::symlink("/dev/full", &full).unwrap();
    let ran = cotan(&["eval", &program(), "1.0", "--out", &full]);
    ran.exits(1).says("[E0630]").says("No space left");
}

#[test]
fn who_asks_for_json_gets_an_object_too() {
    let path = file("json_too.npy", "old");
    let ran = cotan(&["eval", &program(), "[1.0]", "--out", &path, "--json"]).exits(0);
    assert_eq!(ran.out, "{\"type\":\"[1]Real\",\"value\":[1.0]}\n");
    assert!(std::fs::read(&path).unwrap().starts_with(b"\x93NUMPY"));
}

/// A device may have no end.
#[test]
#[cfg(target_os = "linux")]
fn a_file_without_an_end_is_refused() {
    let path = file("endless.cot", "def main(x: [n]Real): [n]Real = x");
    let ran = cotan(&["run", &path, "--arg", "x=@/dev/zero", "--memory", "10M"]).exits(1);
    assert!(ran.err.contains("more bytes than `--memory` allows"), "{}", ran.err);
}
