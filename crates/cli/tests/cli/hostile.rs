//! Any bytes as source give diagnostics and exit status 1: no panic, no hang, no overflow.

use crate::*;

/// Every command that reads a source must refuse it with a diagnostic.
#[track_caller]
fn refused(name: &str, content: impl AsRef<[u8]>) {
    let path = file(name, content);
    for args in
        [&["check", &path][..], &["run", &path], &["test", &path], &["fmt", "--check", &path]]
    {
        let ran = cotan(args);
        assert_eq!(ran.status, Some(1), "{args:?}: {}", ran.err.get(..2000).unwrap_or(&ran.err));
        assert!(ran.err.contains("error"), "{args:?}: {}", ran.err);
        assert!(ran.err.len() < 2_000_000, "{args:?}: {} bytes of diagnostics", ran.err.len());
    }
}

#[test]
fn bytes_that_are_no_text() {
    refused("latin1.cot", b"def main = \"caf\xe9\"\n");
    refused("random.cot", (0..4096u32).map(|it| (it * 7919 % 251) as u8).collect::<Vec<_>>());
    let path = file("latin1_2.cot", b"-- ok\ndef main = \"caf\xe9\"\n");
    cotan(&["check", &path]).exits(1).says("[E0631]").says("0xe9").says("latin1_2.cot:2");
}

#[test]
fn nul_bytes_and_odd_characters() {
    refused("nul.cot", b"def main = 1\0 + 2");
    refused("only_nul.cot", [0u8; 1000]);
    refused("unicode.cot", "def m\u{e4}in = \u{2211} 1");
    refused("quote.cot", "def main = \"never closed");
    refused("bom.cot", "\u{feff}\u{feff}def main = ");
}

#[test]
fn deep_nesting() {
    let n = 100_000;
    refused("parens.cot", format!("def main = {}1{}", "(".repeat(n), ")".repeat(n)));
    refused("open_parens.cot", format!("def main = {}", "(".repeat(n)));
    refused("brackets.cot", format!("def main = {}", "[".repeat(n)));
    refused("braces.cot", format!("def main = {}", "{".repeat(n)));
    refused("minus.cot", format!("def main = {}nobody", "- ".repeat(n)));
    refused("types.cot", format!("def f(x: {}Nope): Int = 1", "[2]".repeat(n)));
    refused("arrows.cot", format!("def f(x: {}Nope): Int = 1", "Int -> ".repeat(n)));
    refused("patterns.cot", format!("def f(x) = match x {{ {}", "(a, ".repeat(n / 10)));
    refused("lambdas.cot", format!("def main = {}nobody", "\\x => ".repeat(n)));
    refused("ifs.cot", format!("def main = {}", "if true then 1 else ".repeat(n)));
    refused("lets.cot", format!("def main = {}", "{ let x = ".repeat(n)));
    refused("calls.cot", format!("def main = nobody{}", "(1)".repeat(n)));
    refused("sizes.cot", format!("def f(x: [{}n]Real) = nobody", "(".repeat(n)));
    refused("matches.cot", format!("def main = {}", "match 1 { x => ".repeat(n)));
}

#[test]
fn long_chains() {
    let n = 20_000;
    refused("sums.cot", format!("def main = nobody{}", " + 1".repeat(n)));
    refused("powers.cot", format!("def main = nobody{}", " ** 2.0".repeat(n)));
    refused("fields.cot", format!("def main = nobody{}", ".x".repeat(n)));
    refused("garbage.cot", ") ] } => = , ; ".repeat(n / 4));
    refused("errors.cot", "def f = nobody +\n".repeat(2_000));
    let errors = file("many_errors.cot", "def f = nobody +\n".repeat(2_000));
    cotan(&["check", &errors]).exits(1).says("[E0101]").says("more");
    // Programs get all that were counted.
    let all = cotan(&["check", &errors, "--json"]).exits(1);
    assert!(all.out.contains("\"E0119\""), "{}", all.out);
}

/// None of them may look at all text before it: this was a minute and more.
#[test]
fn many_errors_of_one_kind() {
    let n = 100_000;
    let twice = file("twice.cot", "def f = 1.0\n".repeat(n));
    cotan(&["check", &twice]).exits(1).says("[E0205]").says("... and 99");
    let one_line = file("one_line.cot", "def f = 1.0; ".repeat(n / 4));
    cotan(&["check", &one_line]).exits(1).says("[E0111]").says("more");
    let names = format!("def main = [{}]", "nobody, ".repeat(n));
    let unknown = file("unknown.cot", names);
    let all = cotan(&["check", &unknown, "--json"]).exits(1).out;
    assert_eq!(all.matches("\"E0201\"").count(), n);
}

#[test]
fn huge_numbers() {
    refused("big_int.cot", format!("def main = {}", "9".repeat(100_000)));
    refused("big_proj.cot", "def main = (1, 2).99999999999999999999");
    for (name, body) in [
        ("big_size.cot", "build i < 9223372036854775807 => 1.0"),
        ("big_product.cot", "build i < 4294967296, j < 4294967296 => 1.0"),
        ("big_iterate.cot", "replicate(1000000000000, 1.0)"),
        ("big_power.cot", "[1, 2, 3][9223372036854775807]"),
    ] {
        cotan(&["run", &main_file(name, body)]).exits(1).says("error[E06");
    }
    let path = file("big_real.cot", format!("def main = {}.0", "9".repeat(1000)));
    assert!(cotan(&["run", &path]).status.is_some_and(|it| it < 2));
}

#[test]
fn expressions_on_the_command_line_too() {
    // The system passes no argument longer than 128 KiB.
    let n = 15_000;
    for expression in ["(".repeat(n), "[".repeat(n), "\\x => ".repeat(n), "-".repeat(n)] {
        cotan(&["eval", &empty(), &expression]).exits(1).says("error");
    }
    cotan(&["eval", &empty(), ""]).exits(1).says("error");
}

#[test]
fn an_empty_file_is_a_program() {
    cotan(&["check", &empty()]).exits(0);
    cotan(&["run", &empty()]).exits(1).says("[E0632]");
    cotan(&["eval", &empty(), "1 + 1"]).exits(0).prints("2");
}

/// Found by the fuzz program: the compiler followed it until its stack was full.
#[test]
fn a_function_that_applies_itself_without_end() {
    let text = "def line(a: Real, b: Real): Real -> Real =\n  \
                \\x => a * (\\s, o => line(s, o)(3.0))(2.0, 1.0) + b\n\
                def main = grad(\\s, o => line(s, o)(3.0))(2.0, 1.0)\n";
    let path = file("line_in_itself.cot", text);
    cotan(&["run", &path, "--memory", "64M"]).exits(1).says("[E0604]");
    cotan(&["run", &path, "--memory", "64M", "--via", "bulk"]).exits(1).says("[E0604]");
}

/// `--via forward` ended at the limit of calls, `--via tape` at that of memory, after minutes.
#[test]
fn a_clause_on_cotangents_of_a_sum_type_that_calls_its_own_definition() {
    let text = "data Part = One(Real) | Two(Real, Real)\n\
                def half(y: Part): Part = match y {\n  \
                  One(a) => One(a / 2.0),\n  Two(a, b) => Two(a / 2.0, b / 2.0)\n}\n\
                with vjp(y, dr) = half(dr)\n\
                def total(y: Part): Real = match y { One(a) => a, Two(a, b) => a + b }\n\
                def main = jvp(\\x => total(half(Two(x, x * x))))(3.0, 1.0)\n";
    let path = file("clause_of_a_sum.cot", text);
    for via in ["forward", "tape"] {
        let run = ["run", &path, "--backend", "interp", "--memory", "64M", "--via", via];
        cotan(&run).exits(1).says("[E0616]").says("`--via bulk`, `chad` or `linmap`");
    }
    // (x + x^2) / 2 has the derivative 1/2 + x.
    for via in programs() {
        cotan(&["run", &path, "--backend", "interp", "--via", via]).exits(0).prints("3.5");
    }
    cotan(&["run", &path, "--backend", "native", "--via", "forward"]).exits(0).prints("3.5");
}
