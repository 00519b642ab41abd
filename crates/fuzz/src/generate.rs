//! Programs that parse and are often well typed: they reach deeper than mutations do.

use ::generate::Random;

/// A program of a few declarations.
pub fn program(random: &mut Random) -> String {
    let mut res = String::new();
    if random.once_in(2) {
        res += "type P<n> = { u: [n]Real, v: Int }\n";
        res += "data T<a> = L | N(T<a>, a, T<a>)\n";
    }
    for index in 0..=random.below(3) {
        let ty = *random.pick(&["", ": Real", ": [n]Real", ": [n][m]Real", ": Int", ": [n + 1]a"]);
        let result = *random.pick(&["", "", ": Real", ": [n]Real", ": Int", ": _"]);
        let body = expr(random, 5);
        res += &format!("def f{index}(x{ty}, y){result} = {body}\n");
    }
    res + &format!("test \"t\" = {}\n", expr(random, 4))
}

/// Functions of one argument.
const UNARY: &[&str] = &[
    "sin",
    "exp",
    "sum",
    "maximum",
    "length",
    "real",
    "int",
    "reverse",
    "sort",
    "transpose",
    "flatten",
    "iota",
    "argmax",
    "sqrt",
    "abs",
    "Some",
    "grad(f0)",
    "unzip",
    "norm",
    "mean",
];

/// Functions of two arguments.
const BINARY: &[&str] = &[
    "f0",
    "f1",
    "dot",
    "matmul",
    "min",
    "pow",
    "concat",
    "zip",
    "gather",
    "replicate",
    "Cons",
    "jvp(f0)",
    "sized",
    "reshape",
    "outer",
    "atan2",
];

const OPERATORS: &[&str] = &["+", "-", "*", "/", "%", "**", "==", "<", "~=", "&&", "||"];

fn expr(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return leaf(random);
    }
    let a = expr(random, depth - 1);
    match random.below(20) {
        0..=3 => leaf(random),
        4 => format!("{}({a})", random.pick(UNARY)),
        5 => format!("{}({a}, {})", random.pick(BINARY), expr(random, depth - 1)),
        6 | 7 => format!("({a} {} {})", random.pick(OPERATORS), expr(random, depth - 1)),
        8 => format!("[{a}, {}]", expr(random, depth - 1)),
        9 => format!("({a}, {})", expr(random, depth - 1)),
        10 => format!("build i < {} => {a}", leaf(random)),
        11 => format!("{{ let z = {a}; {} }}", expr(random, depth - 1)),
        12 => format!("if {a} then {} else {}", expr(random, depth - 1), leaf(random)),
        13 => format!("fold(\\s, e => {a}, {}, x)", leaf(random)),
        14 => format!("map(\\e => {a}, {})", expr(random, depth - 1)),
        15 => format!("({a})[{}]", leaf(random)),
        16 => format!("match {} {{ Some(z) => {a}, None => {} }}", leaf(random), leaf(random)),
        17 => format!("grad(\\z => {a})({})", leaf(random)),
        18 => format!("({a}).{}", random.pick(&["0", "1", "u", "v"])),
        _ => format!("iterate({}, \\z => {a}, {})", leaf(random), leaf(random)),
    }
}

fn leaf(random: &mut Random) -> String {
    let leaves = [
        "x",
        "y",
        "x",
        "y",
        "z",
        "e",
        "s",
        "i",
        "n",
        "m",
        "1.0",
        "2",
        "0",
        "true",
        "[1.0, 2.0]",
        "[1, 2, 3]",
        "None",
        "L",
        "\"s\"",
        "x[0]",
        "x[1..n]",
        "P { u: x, v: 1 }",
        "f0",
        "()",
    ];
    random.pick(&leaves).to_string()
}
