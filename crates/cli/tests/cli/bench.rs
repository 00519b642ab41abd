//! `bench` measures what the file declares. What is asserted is the form: times say nothing here.

use crate::*;

fn program() -> String {
    file(
        "benches.cot",
        "type Vec = { x: Real, y: Real }

def energy(x: [n]Real): Real = sum(x * x)

def area(a: Real, b: Real): Real = a * b

def polar(p: (Real, Real)): (Real, Real) = (p.0 * cos(p.1), p.0 * sin(p.1))

def length2(v: Vec): Real = v.x * v.x + v.y * v.y

bench \"plain\" = energy(build i < 5 => real(i))
bench \"gradient\" = grad(energy)(build i < 5 => real(i))
bench \"of a lambda\" = (value_and_grad(\\a, b => a * b)(2.0, 3.0))
bench \"two parameters\" = jacobian(area)(2.0, 3.0)
bench \"cotangent\" = vjp(area)(2.0, 3.0)(1.0)
bench \"direction\" = jvp(area)((2.0, 3.0), (1.0, 0.0))
bench \"one tuple\" = jvp(polar)((2.0, 3.0), (1.0, 0.0))
bench \"twice\" = hvp(energy)([1.0, 2.0], [1.0, 0.0])
bench \"record\" = grad(length2)(Vec { x: 1.0, y: 2.0 })
",
    )
}

/// The names of the benches, and whether they have a derivative.
fn benches(json: &str) -> Vec<(String, bool)> {
    let starts = json.split("{\"name\":\"").skip(1);
    let one = |it: &str| {
        let (name, rest) = it.split_once('"').unwrap();
        assert!(rest.contains("\"line\":") && rest.contains("\"primal\":{\"median\":"), "{rest}");
        let has_derivative = rest.contains("\"derivative\":{\"median\":");
        assert_eq!(has_derivative, !rest.contains("\"ratio\":null"), "{rest}");
        (name.to_string(), has_derivative)
    };
    starts.map(one).collect()
}

#[test]
fn derivatives_have_a_primal_and_a_ratio() {
    let json = cotan(&["bench", &program(), "--seconds", "0.001", "--json"]).exits(0).out;
    assert!(json.starts_with("{\"benches\":[{\"name\":\"plain\",\"line\":11,"), "{json}");
    assert_eq!(json.lines().count(), 1);
    let found = benches(&json);
    assert_eq!(found.len(), 9);
    for (name, has_derivative) in found {
        assert_eq!(has_derivative, name != "plain", "{name}");
    }
}

#[test]
fn people_get_a_table() {
    let ran = cotan(&["bench", &program(), "--seconds", "0.001", "--only", "gradient"]).exits(0);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 2, "{}", ran.out);
    assert!(lines[0].starts_with("bench") && lines[0].ends_with("ratio"), "{}", ran.out);
    assert!(lines[1].starts_with("gradient"), "{}", ran.out);
}

#[test]
fn no_benches_is_said() {
    cotan(&["bench", &empty(), "--json"]).exits(0).prints("{\"benches\":[]}");
    let ran = cotan(&["bench", &empty()]).exits(0);
    assert!(ran.out.starts_with("no benches found"), "{}", ran.out);
}

#[test]
fn a_bench_that_fails_is_an_error() {
    let path = file("bench_fails.cot", "bench \"out\" = [1][5]\n");
    cotan(&["bench", &path, "--seconds", "0.001"]).exits(1).says("[E0601]");
    let function = file("bench_function.cot", "bench \"f\" = \\x => x + 1.0\n");
    cotan(&["bench", &function]).exits(1).says("[E0633]");
    cotan(&["bench", &program(), "--seconds", "soon"]).exits(2);
}
