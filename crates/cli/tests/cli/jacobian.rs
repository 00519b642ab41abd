//! `cotan jacobian` and `cotan hessian`: printed and written, dense and sparse.

use crate::*;

const TEXT: &str = "def f(x: [n]Real, k: Int): [n]Real = build i < n => x[i] * x[(i + k) % n]\n\
                    def g(x: [n]Real): Real = sum(x * x * x)\n\
                    def h(x: [n]Real, y: Real): [n]Real = x * y\n\
                    data Shape = Circle(Real) | Dot\n\
                    def area(s: Shape): [1]Real = match s { Circle(r) => [r * r], Dot => [0.0] }\n";

fn on(command: &str, rest: &[&str]) -> Ran {
    let path = file("jacobian.cot", TEXT);
    cotan(&[&[command, path.as_str()], rest].concat())
}

const ARGS: [&str; 5] = ["f", "--arg", "x=[2,3,5]", "--arg", "k=1"];

#[test]
fn a_dense_matrix_is_printed_as_a_value() {
    let by_x = [&ARGS[..], &["--wrt", "x", "--backend", "interp"]].concat();
    on("jacobian", &by_x).exits(0).prints("[[3.0, 2.0, 0.0], [0.0, 5.0, 3.0], [5.0, 0.0, 2.0]]");
    on("hessian", &["g", "--arg", "x=[1,2]", "--backend", "interp"])
        .exits(0)
        .prints("[[6.0, 0.0], [0.0, 12.0]]");
}

#[test]
fn a_sparse_matrix_is_printed_by_entries() {
    let sparse = [&ARGS[..], &["--sparse"]].concat();
    on("jacobian", &sparse).exits(0).prints(
        "3 rows by 3 columns, 6 entries\n0 0 3.0\n0 1 2.0\n1 1 5.0\n1 2 3.0\n2 0 5.0\n2 2 2.0",
    );
    on("hessian", &["g", "--arg", "x=[1,2]", "--sparse", "--json"])
        .exits(0)
        .prints(r#"{"rows":2,"columns":2,"starts":[0,1,2],"indices":[0,1],"values":[6.0,12.0]}"#);
}

/// As SciPy's `save_npz` writes it: the names of its parts, and numbers as they lie in memory.
#[test]
fn a_sparse_matrix_is_written_for_scipy() {
    let path = file("jacobian.npz", "old");
    on("jacobian", &[&ARGS[..], &["--sparse", "-o", &path]].concat()).exits(0);
    let bytes = std::fs::read(&path).unwrap();
    let has = |part: &[u8]| bytes.windows(part.len()).any(|it| it == part);
    for name in ["indices.npy", "indptr.npy", "format.npy", "shape.npy", "data.npy"] {
        assert!(has(name.as_bytes()), "{name}");
    }
    let values: Vec<u8> =
        [3.0f64, 2.0, 5.0, 3.0, 5.0, 2.0].iter().flat_map(|it| it.to_le_bytes()).collect();
    assert!(has(&values) && has(b"\ncsr"));
}

#[test]
fn a_dense_matrix_is_written_for_numpy() {
    let path = file("jacobian.npy", "old");
    on("jacobian", &["f", "--arg", "x=[2,3]", "--arg", "k=1", "--wrt", "x", "-o", &path]).exits(0);
    let bytes = std::fs::read(&path).unwrap();
    let values: Vec<u8> = [3.0f64, 2.0, 3.0, 2.0].iter().flat_map(|it| it.to_le_bytes()).collect();
    assert!(bytes.starts_with(b"\x93NUMPY") && bytes.ends_with(&values));
    on("jacobian", &["h", "--arg", "x=[2,3]", "--arg", "y=1", "-o", &path])
        .exits(1)
        .says("one array")
        .says("--wrt");
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "what cannot be written changes nothing");
}

#[test]
fn what_is_wrong_is_said() {
    on("jacobian", &["q", "--sparse"]).exits(1).says("`q`");
    on("jacobian", &["f", "--arg", "x=[1]", "--sparse"]).exits(1).says("`k`");
    on("jacobian", &[&ARGS[..], &["--sparse", "--wrt", "k"]].concat()).exits(1).says("no reals");
    on("hessian", &[&ARGS[..], &["--sparse"]].concat()).exits(1).says("Real");
    let circle = r#"s={"tag": "Circle", "fields": [2]}"#;
    on("jacobian", &["area", "--arg", circle, "--sparse"]).exits(1).says("[E0638]").says("`s`");
}

/// Dual numbers do not carry the pattern of a derivative inside.
#[test]
fn a_sparse_matrix_by_forward_mode_has_all_entries() {
    let hessian = ["g", "--arg", "x=[1,2]", "--sparse", "--via", "forward"];
    on("hessian", &hessian)
        .exits(0)
        .prints("2 rows by 2 columns, 4 entries\n0 0 6.0\n0 1 0.0\n1 0 0.0\n1 1 12.0");
}

#[test]
fn only_reals_have_columns() {
    let text = "def mix(x: [n](Real, Int), y: [n]Real): [n]Real = \
                build i < n => x[i].0 * real(x[i].1) + y[i] * y[i]";
    let path = file("mix.cot", text);
    let args = ["--arg", "x=[[1,2],[3,4]]", "--arg", "y=[5,6]", "--sparse"];
    cotan(&[&["jacobian", path.as_str(), "mix"][..], &args].concat())
        .exits(0)
        .prints("2 rows by 4 columns, 4 entries\n0 0 2.0\n0 2 10.0\n1 1 4.0\n1 3 12.0");
}

#[test]
fn a_file_has_the_ending_of_what_is_in_it() {
    for (rest, wanted) in [(&["-o", "j.npz"][..], ".npy"), (&["-o", "j.npy", "--sparse"], ".npz")] {
        let ran = on("jacobian", &[&ARGS[..], rest].concat()).exits(1);
        assert!(ran.err.contains(wanted), "{}", ran.err);
    }
}
