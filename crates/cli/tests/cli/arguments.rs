//! `--arg name=...`: JSON and `.npy`, led by the type of the parameter.

use crate::*;

/// A `.npy` file of version 1.0 with this description and data.
fn npy(name: &str, descr: &str, shape: &str, data: &[u8]) -> String {
    npy_header(
        name,
        &format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}"),
        data,
    )
}

fn npy_header(name: &str, header: &str, data: &[u8]) -> String {
    let padding = 64 - (10 + header.len() + 1) % 64;
    let header = format!("{header}{}\n", " ".repeat(padding % 64));
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    file(name, bytes)
}

fn reals(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|it| it.to_le_bytes()).collect()
}

fn eval(expression: &str, args: &[&str]) -> Ran {
    let program = file(
        "arguments.cot",
        "type Model<n> = { w: [n]Real, b: Real }\n\
         data Shape = Circle(Real) | Box(Real, Real)\n\
         def area(s: Shape): Real = match s { Circle(r) => 3.0 * r * r, Box(a, b) => a * b }\n\
         def predict(m: Model<n>, x: [n]Real): Real = dot(m.w, x) + m.b\n\
         def pairs(xs: [n](Int, Real)): Real = sum(map(\\(i, x) => real(i) * x, xs))\n\
         def solve(a: [n][n]Real, b: [n]Real): [n]Real = b\n\
         def longer(a: [n]Real, b: [n + 1]Real): Int = n\n\
         def pick(i: Int): Int = i\n\
         def half(x: Real): Real = x / 2.0\n\
         def text(s: String, c: Bool): (String, Bool) = (s, c)\n",
    );
    let mut all = vec!["eval", program.as_str(), expression];
    all.extend(args.iter().flat_map(|it| ["--arg", *it]));
    cotan(&all)
}

#[test]
fn json_follows_the_type_of_the_parameter() {
    eval("sum(x)", &["x=[1, 2.5, 3]"]).exits(0).prints("6.5");
    eval("x + 1", &["x=41"]).exits(0).prints("42");
    eval("x + 1.0", &["x=41"]).exits(0).prints("42.0");
    eval("(x + 1.0, y + 1, z + 1.0)", &["x=1", "y=2", "z=[3]"]).exits(0).prints("(2.0, 3, [4.0])");
    eval("x * 2.0", &["x=\"-Infinity\""]).exits(0).prints("-infinity");
    eval("x * 2.0", &["x=\"NaN\""]).exits(0).prints("nan");
    eval("area(s)", &["s={\"tag\":\"Box\",\"fields\":[2,3]}"]).exits(0).prints("6.0");
    eval("predict(m, x)", &["m={\"w\":[1,2],\"b\":0.5}", "x=[3,4]"]).exits(0).prints("11.5");
    eval("pairs(xs)", &["xs=[[1, 2.0], [3, 4.0]]"]).exits(0).prints("14.0");
    eval("pairs(xs)", &["xs=[]"]).exits(0).prints("0.0");
    eval("text(s, c)", &["s=\"hi\"", "c=true"]).exits(0).prints("(\"hi\", true)");
    eval("grad(\\w => predict(Model { w, b: 0.0 }, x))(w)", &["w=[1,2]", "x=[3,4]"])
        .exits(0)
        .prints("[3.0, 4.0]");
}

#[test]
fn main_takes_arguments_too() {
    let file = file("main_args.cot", "def main(x: [n]Real, k: Int) = (sum(x), k, n)\n");
    cotan(&["run", &file, "--arg", "x=[1,2]", "--arg", "k=3"]).exits(0).prints("(3.0, 3, 2)");
    cotan(&["run", &file, "--arg", "x=[1,2]"]).exits(1).says("[E0621]").says("k");
}

#[test]
fn json_from_a_file() {
    let path = file("matrix.json", "[[1, 2], [3, 4]]\n");
    eval("transpose(m)[0] + 0.0", &[&format!("m=@{path}")]).exits(0).prints("[1.0, 3.0]");
}

#[test]
fn npy_of_every_usual_kind() {
    let f8 = npy("f8.npy", "<f8", "2, 2", &reals(&[1.0, 2.0, 3.0, 4.0]));
    eval("sum(sum(m)) + 0.0", &[&format!("m=@{f8}")]).exits(0).prints("10.0");
    let f4: Vec<u8> = [1.5f32, 2.5].iter().flat_map(|it| it.to_le_bytes()).collect();
    let f4 = npy("f4.npy", "<f4", "2,", &f4);
    eval("x + 0.0", &[&format!("x=@{f4}")]).exits(0).prints("[1.5, 2.5]");
    let i4: Vec<u8> = [7i32, -8].iter().flat_map(|it| it.to_be_bytes()).collect();
    let i4 = npy("i4.npy", ">i4", "2,", &i4);
    eval("x + 0", &[&format!("x=@{i4}")]).exits(0).prints("[7, -8]");
    eval("x + 0.0", &[&format!("x=@{i4}")]).exits(0).prints("[7.0, -8.0]");
    let b1 = npy("b1.npy", "|b1", "2,", &[1, 0]);
    eval("x[0] && !x[1]", &[&format!("x=@{b1}")]).exits(0).prints("true");
    let scalar = npy("scalar.npy", "<f8", "", &reals(&[2.5]));
    eval("x + 0.5", &[&format!("x=@{scalar}")]).exits(0).prints("3.0");
    let header = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }";
    let fortran = npy_header("fortran.npy", header, &reals(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
    eval("m[0] + 0.0", &[&format!("m=@{fortran}")]).exits(0).prints("[1.0, 2.0, 3.0]");
}

#[test]
fn names_are_checked_and_suggested() {
    eval("sum(xs) + 0.0", &["xz=[1]"]).exits(1).says("xs");
    eval("sum(xs) + 0.0", &["xs=[1]", "xs=[2]"]).exits(1).says("[E0620]").says("twice");
    let file = file("arg_names.cot", "def main(weights: [n]Real) = sum(weights)\n");
    cotan(&["run", &file, "--arg", "weigths=[1]"]).exits(1).says("[E0620]").says("`weights`");
}

#[test]
fn data_that_does_not_fit_is_refused_with_its_place() {
    for (expression, arg, says) in [
        ("pick(x)", "x=1.5", "Int"),
        ("half(x)", "x=\"hello\"", "Real"),
        ("sum(x) + 0.0", "x=3", "[n]Real"),
        ("pick(x)", "x=9223372036854775808", "Int"),
        ("sum(sum(x)) + 0.0", "x=[[1,2],[3]]", "x[1]"),
        ("pairs(x)", "x=[[1,2],[1.5,2]]", "x[1]"),
        ("area(x)", "x={\"tag\":\"Sphere\",\"fields\":[1]}", "Sphere"),
        ("area(x)", "x={\"tag\":\"Circle\",\"fields\":[]}", "Circle"),
        ("area(x)", "x={\"tag\":\"Circle\"}", "fields"),
        ("predict(x, [1.0])", "x={\"w\":[1]}", "b"),
        ("predict(x, [1.0])", "x={\"w\":[1],\"b\":1,\"c\":2}", "c"),
        ("text(x, true)", "x=1", "String"),
        ("text(\"\", x)", "x=0", "Bool"),
        ("x(1.0) + 1.0", "x=1", "function"),
        ("x", "x={\"a\":1}", "nothing says what type"),
    ] {
        eval(expression, &[arg]).exits(1).says("[E0622]").says(says);
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_is_a_feature() {
    let table = file("table.parquet", "PAR1");
    let column = eval("sum(x) + 0.0", &[&format!("x=@{table}:t")]).exits(1).says("[E0624]");
    column.says("built without the feature `parquet`").says("to_csv");
}

#[test]
fn sizes_of_arguments_must_agree() {
    eval("solve(a, b)", &["a=[[1,2],[3,4]]", "b=[1,2,3]"]).exits(1).says("[E0623]");
    eval("solve(a, b)", &["a=[[1,2,3],[3,4,5]]", "b=[1,2]"]).exits(1).says("[E0623]");
    eval("longer(a, b)", &["a=[1,2]", "b=[1,2,3]"]).exits(0).prints("2");
    eval("longer(a, b)", &["a=[1,2]", "b=[1,2]"]).exits(1).says("[E0623]").says("b");
    eval("predict(m, x)", &["m={\"w\":[1,2],\"b\":0.5}", "x=[3]"]).exits(1).says("[E0623]");
}

/// A size that only a root tells was taken for zero, and so were the elements.
#[test]
fn sizes_are_found_by_roots_or_refused() {
    let path = file("square.cot", "def main(m: [n * n]Int): Int = sum(m) + 10 * n\n");
    cotan(&["run", &path, "--arg", "m=[1,1,1,1,1,1,1,1,1]"]).exits(0).prints("39");
    cotan(&["run", &path, "--arg", "m=[1,1,1]"]).exits(1).says("[E0623]");
}

#[test]
fn malformed_data_is_refused() {
    let deep = "[".repeat(100_000);
    for json in ["", "[1,", "{", "nope", "[1] [2]", deep.as_str()] {
        eval("sum(x) + 0.0", &[&format!("x={json}")]).exits(1).says("[E0624]");
    }
    let bad = file("bad.json", [0xff, 0xfe, 0x00]);
    eval("sum(x) + 0.0", &[&format!("x=@{bad}")]).exits(1).says("[E0624]");
    eval("sum(x) + 0.0", &["x=@missing.json"]).exits(1).says("E0630");
    let good = npy("good.npy", "<f8", "3,", &reals(&[1.0, 2.0, 3.0]));
    let bytes = std::fs::read(good).unwrap();
    for (index, cut) in [0, 5, 9, 40, bytes.len() - 1].into_iter().enumerate() {
        let path = file(&format!("cut{index}.npy"), &bytes[..cut]);
        eval("sum(x) + 0.0", &[&format!("x=@{path}")]).exits(1).says("[E0624]");
    }
    let huge = npy("huge.npy", "<f8", "4611686018427387904, 4", &[]);
    eval("sum(sum(x)) + 0.0", &[&format!("x=@{huge}")]).exits(1).says("[E0624]");
    let complex = npy("complex.npy", "<c16", "1,", &[0; 16]);
    eval("sum(x) + 0.0", &[&format!("x=@{complex}")]).exits(1).says("[E0624]");
}

#[test]
fn wrong_rank_of_npy_is_said_with_the_shape() {
    let path = npy("rank.npy", "<f8", "2,", &reals(&[1.0, 2.0]));
    eval("sum(sum(x)) + 0.0", &[&format!("x=@{path}")]).exits(1).says("[E0622]").says("(2,)");
}

#[test]
fn files_that_are_not_read_say_which_are() {
    let program = file("mat.cot", "def main(x: [n]Real): Real = sum(x)\n");
    let data = file("data.mat", "1,2\n3,4\n");
    let ran = cotan(&["run", &program, "--arg", &format!("x=@{data}")]).exits(1);
    ran.says("[E0630]").says("`.npz` and JSON files, not from `.mat`").says("numpy.save");
}

#[test]
fn sizes_of_arguments_do_not_wrap() {
    let text = "def main(n: Int, m: Int, c: [n*m]Real) =\n  \
                vjp(\\a => flatten(a))(build i < n, k < m => 0.0)(c)\n";
    let path = file("wrapping_sizes.cot", text);
    for backend in ["interp", "native", "auto"] {
        // The product is 2^64 + 1.
        let args = ["run", &path, "--backend", backend, "--arg", "n=274177"];
        let more = ["--arg", "m=67280421310721", "--arg", "c=[1.0]"];
        cotan(&[&args[..], &more].concat()).exits(1).says("error[E0615]").says("n*m");
        let args = ["run", &path, "--backend", backend, "--arg", "n=2", "--arg", "m=2"];
        cotan(&[&args[..], &["--arg", "c=[1,2,3,4]"]].concat())
            .exits(0)
            .prints("[[1.0, 2.0], [3.0, 4.0]]");
    }
}
