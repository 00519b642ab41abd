//! The Delta term of rotate_vec_by_quat against the one that is printed in the paper.
//!
//! Paper: Krawiec et al., Figure 12, right-hand side.

use std::collections::BTreeMap;

use cotan::{Argument, Style};

use super::compile;

const EXAMPLE: &str = include_str!("../../../../examples/rotate_vec_by_quat.cot");

/// The bindings of the figure: what it adds, as factors and names. A `Var` has the factor 1, `Zero`
/// is nothing. The inputs `qx` and `vx` of the figure are `q.x` and `v.x` here.
const FIGURE: [(&str, &[(f64, &str)]); 40] = [
    ("x1", &[(5.5, "q.y"), (2.2, "v.x")]),
    ("x2", &[(6.6, "q.x"), (1.1, "v.y")]),
    ("x3", &[(1.0, "x2"), (-1.0, "x1")]),
    ("x4", &[(7.7, "q.x"), (1.1, "v.z")]),
    ("x5", &[(5.5, "q.z"), (3.3, "v.x")]),
    ("x6", &[(1.0, "x5"), (-1.0, "x4")]),
    ("x7", &[(6.6, "q.z"), (3.3, "v.y")]),
    ("x8", &[(7.7, "q.y"), (2.2, "v.z")]),
    ("x9", &[(1.0, "x8"), (-1.0, "x7")]),
    ("x10", &[]),
    ("x11", &[(4.4, "x10"), (2.0, "q.w")]),
    ("x12", &[(-4.84, "x11"), (8.8, "x3")]),
    ("x13", &[(9.68, "x11"), (8.8, "x6")]),
    ("x14", &[(-4.84, "x11"), (8.8, "x9")]),
    ("x15", &[(3.3, "q.z"), (3.3, "q.z")]),
    ("x16", &[(2.2, "q.y"), (2.2, "q.y")]),
    ("x17", &[(1.1, "q.x"), (1.1, "q.x")]),
    ("x18", &[(1.0, "x17"), (1.0, "x16")]),
    ("x19", &[(1.0, "x18"), (1.0, "x15")]),
    ("x20", &[(4.4, "q.w"), (4.4, "q.w")]),
    ("x21", &[(1.0, "x20"), (-1.0, "x19")]),
    ("x22", &[(7.7, "x21"), (2.42, "v.z")]),
    ("x23", &[(6.6, "x21"), (2.42, "v.y")]),
    ("x24", &[(5.5, "x21"), (2.42, "v.x")]),
    ("x25", &[(7.7, "q.z"), (3.3, "v.z")]),
    ("x26", &[(6.6, "q.y"), (2.2, "v.y")]),
    ("x27", &[(5.5, "q.x"), (1.1, "v.x")]),
    ("x28", &[(1.0, "x27"), (1.0, "x26")]),
    ("x29", &[(1.0, "x28"), (1.0, "x25")]),
    ("x30", &[]),
    ("x31", &[(45.98, "x30"), (2.0, "x29")]),
    ("x32", &[(3.3, "x31"), (91.96, "q.z")]),
    ("x33", &[(2.2, "x31"), (91.96, "q.y")]),
    ("x34", &[(1.1, "x31"), (91.96, "q.x")]),
    ("x35", &[(1.0, "x32"), (1.0, "x22")]),
    ("x36", &[(1.0, "x33"), (1.0, "x23")]),
    ("x37", &[(1.0, "x34"), (1.0, "x24")]),
    ("x38", &[(1.0, "x35"), (1.0, "x12")]),
    ("x39", &[(1.0, "x36"), (1.0, "x13")]),
    ("x40", &[(1.0, "x37"), (1.0, "x14")]),
];

/// The result of the figure.
const ROOT: &str = "x40";

/// A name, and the factors and names whose products it is the sum of.
type Let = (String, Vec<(f64, String)>);

/// What does not change if independent bindings, or summands, stand in another order: for each
/// binding, by its name, the sum that it is with names replaced by what they stand for, down to the
/// inputs. What is bound to `Zero` is left out, where it is bound and where it occurs.
fn canonical(lets: &[Let]) -> BTreeMap<String, String> {
    let mut res: BTreeMap<String, String> = BTreeMap::new();
    for (name, terms) in lets {
        let expanded = |(factor, of): &(f64, String)| {
            let of = res.get(of).unwrap_or(of);
            // To 1e-9: the figure rounds its factors, and we do not.
            (!of.is_empty()).then(|| format!("{factor:.9}*{of}"))
        };
        let mut terms: Vec<String> = terms.iter().filter_map(expanded).collect();
        terms.sort();
        let sum = if terms.is_empty() { String::new() } else { format!("({})", terms.join("+")) };
        res.insert(name.clone(), sum);
    }
    res
}

/// The structures of bindings that are not `Zero`, in an order of their own.
fn structures(canonical: &BTreeMap<String, String>) -> Vec<&str> {
    let all = canonical.values().map(String::as_str).filter(|it| !it.is_empty());
    let mut res: Vec<&str> = all.collect();
    res.sort_unstable();
    res
}

/// Reads `Add (Scale 5.5 (Var q.y)) (Var x1)` as `stages` prints it.
fn read_delta(text: &str, factor: f64, to: &mut Vec<(f64, String)>) {
    let text = text.strip_prefix('(').and_then(|it| it.strip_suffix(')')).unwrap_or(text);
    let (head, rest) = text.split_once(' ').unwrap_or((text, ""));
    match head {
        "Zero" => {}
        "Var" => to.push((factor, rest.to_string())),
        "Scale" => {
            let (scale, inner) = rest.split_once(' ').expect("a factor and a term");
            read_delta(inner, factor * scale.parse::<f64>().expect("a factor"), to);
        }
        "Add" => {
            let mut depth = 0;
            let between = rest.find(|it| {
                depth += i32::from(it == '(') - i32::from(it == ')');
                it == ' ' && depth == 0
            });
            let (first, second) = rest.split_at(between.expect("two terms"));
            read_delta(first, factor, to);
            read_delta(second.trim_start(), factor, to);
        }
        _ => panic!("no Delta: {text}"),
    }
}

/// The bindings and the result of the Delta term that `cotan stages --via tape` prints.
fn printed() -> (Vec<Let>, String) {
    let q = Argument::json("q", r#"{"x": 1.1, "y": 2.2, "z": 3.3, "w": 4.4}"#);
    let v = Argument::json("v", r#"{"x": 5.5, "y": 6.6, "z": 7.7}"#);
    let stages = compile(EXAMPLE).stages("first", &[q, v], &[]);
    let stages = stages.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)));
    let (_, term) = stages.split_once("-- Delta term of this run\n").expect("a Delta term");
    let (term, result) = term.split_once("\n\n-- result").expect("a result");
    // The oracle of the seven numbers is the fact in the example.
    assert!(result.contains("q = Quaternion { x: 91.96"), "{result}");
    let (mut lets, mut root) = (Vec::new(), None);
    for line in term.lines() {
        let Some(binding) = line.strip_prefix("let ") else {
            root = line.strip_prefix("Var ");
            continue;
        };
        let binding = binding.strip_suffix(" in").expect("`in` at the end");
        let (name, delta) = binding.split_once(" = ").expect("a name and a Delta");
        let mut terms = Vec::new();
        read_delta(delta, 1.0, &mut terms);
        lets.push((name.to_string(), terms));
    }
    (lets, root.expect("one variable in the end").to_string())
}

#[test]
fn the_delta_term_has_the_structure_of_figure_12() {
    let term = |(factor, of): &(f64, &str)| (*factor, of.to_string());
    let figure: Vec<Let> = FIGURE
        .iter()
        .map(|(name, terms)| (name.to_string(), terms.iter().map(term).collect()))
        .collect();
    let (lets, root) = printed();
    // Constants have no bindings here: `Zero` is bound twice in the figure.
    assert_eq!(figure.iter().filter(|it| it.1.is_empty()).count(), 2);
    assert_eq!(lets.len(), figure.len() - 2);
    let (figure, found) = (canonical(&figure), canonical(&lets));
    assert_eq!(structures(&found), structures(&figure));
    assert_eq!(found[&root], figure[ROOT]);
}

/// The comparison itself can tell terms apart.
#[test]
fn another_factor_or_another_operand_is_another_structure() {
    let (lets, root) = printed();
    let found = canonical(&lets);
    for at in 0..lets.len() {
        let mut other = lets.clone();
        other[at].1[0].0 += 1e-6;
        assert_ne!(structures(&canonical(&other)), structures(&found), "{:?}", lets[at]);
        let mut other = lets.clone();
        other[at].1[0].1 = "w.x".to_string();
        assert_ne!(structures(&canonical(&other)), structures(&found), "{:?}", lets[at]);
    }
    // The other order of a sum and of the first two bindings is the same term.
    let mut other = lets;
    other.iter_mut().for_each(|it| it.1.reverse());
    other.swap(0, 1);
    assert_eq!(structures(&canonical(&other)), structures(&found));
    assert_eq!(canonical(&other)[&root], found[&root]);
}
