//! Modules: what is in sight, what is not, and that derivatives go through them.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use std::sync::Arc;

use cotan::{Backend, Compiled, Compiler, Options, Program, Report, Texts, Via};

const TREE: &str = "
--- A tree of numbers.
pub data Tree = Leaf(Real) | Node(Tree, Tree)

pub type Weighted = { tree: Tree, weight: Real }

pub def total(t: Tree): Real = match t {
  Leaf(x) => bent(x),
  Node(a, b) => total(a) + total(b),
}

def bent(x: Real): Real = x * x

pub def scaled(w: Weighted): Real = w.weight * total(w.tree)

test \"somebody else's\" = false
";

/// Files of these names.
fn files(texts: &[(&str, &str)]) -> Arc<Texts> {
    let texts = texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    Arc::new(Texts(texts.collect()))
}

fn compile(text: &str, others: &[(&str, &str)], options: Options) -> Result<Compiled, Report> {
    Compiler::new(options).with_files(files(others)).compile("main.cot", text)
}

/// What an expression gives, by the interpreter.
#[track_caller]
fn value(text: &str, expression: &str) -> String {
    let options = Options { backend: Backend::Interp, ..Options::default() };
    let mut program = compile(text, &[("tree.cot", TREE)], options).unwrap();
    program.eval(expression, &[]).unwrap().to_text()
}

/// The codes and the text of what is wrong.
#[track_caller]
fn refused(text: &str, others: &[(&str, &str)]) -> (Vec<&'static str>, String) {
    match compile(text, others, Options::default()) {
        Ok(_) => panic!("this is accepted:\n{text}"),
        Err(it) => (it.codes(), it.to_string()),
    }
}

#[test]
fn names_with_their_module() {
    let text = "import \"tree.cot\"\n\
        def one(x: Real): tree.Tree = tree.Node(tree.Leaf(x), tree.Leaf(1.0))\n\
        def left(t: tree.Tree): Real = match t { tree.Node(a, _) => tree.total(a), tree.Leaf(x) => x }\n\
        def weighted = tree.Weighted { tree: one(2.0), weight: 3.0 }";
    assert_eq!(value(text, "tree.total(one(2.0))"), "5.0");
    assert_eq!(value(text, "left(one(3.0))"), "9.0");
    assert_eq!(value(text, "tree.scaled(weighted)"), "15.0");
    assert_eq!(value(text, "weighted.tree"), "Node(Leaf(2.0), Leaf(1.0))");
    assert_eq!(
        value(text, "weighted"),
        "Weighted { tree: Node(Leaf(2.0), Leaf(1.0)), weight: 3.0 }"
    );
    assert_eq!(value(text, "map(tree.total, [tree.Leaf(2.0), tree.Leaf(3.0)])"), "[4.0, 9.0]");
}

#[test]
fn names_without_it() {
    let text = "import \"tree.cot\" (Tree, total as sum_of)\nimport \"tree.cot\" as t";
    assert_eq!(value(text, "sum_of(Node(Leaf(1.0), Leaf(2.0)))"), "5.0");
    assert_eq!(value(text, "t.total(Leaf(2.0))"), "4.0");
    let (codes, _) = refused("import \"tree.cot\" (Tree)\ndef x = total(Leaf(1.0))", TREES);
    assert_eq!(codes, ["E0201"]);
}

const TREES: &[(&str, &str)] = &[("tree.cot", TREE)];

#[test]
fn a_variable_hides_a_module() {
    let text = "import \"tree.cot\"\ntype T = { total: Real }\n\
        def f(tree: T): Real = tree.total\ndef g = tree.total(tree.Leaf(3.0))";
    assert_eq!(value(text, "(f(T { total: 2.0 }), g)"), "(2.0, 9.0)");
}

#[test]
fn each_module_has_its_own_names() {
    let a = "pub def f(x: Real): Real = g(x) + 1.0\ndef g(x: Real): Real = 10.0 * x\n\
             pub def dot(x: Real): Real = x";
    let b = "pub def f(x: Real): Real = g(x) + 2.0\ndef g(x: Real): Real = 20.0 * x\n\
             pub data Option = Both(Real, Real)\npub def both(x: Real): Option = Both(x, x)";
    let text = "import \"a.cot\"\nimport \"lib/b.cot\"\nimport \"lib/a.cot\" as other\n\
        def g(x: Real): Real = 30.0 * x\n\
        def main = (a.f(1.0), b.f(1.0), g(1.0), other.f(1.0), dot([1.0], [2.0]), a.dot(7.0), Some(1.0), b.both(1.0))";
    let others = [("a.cot", a), ("lib/b.cot", b), ("lib/a.cot", "pub def f(x: Real): Real = -x")];
    let options = Options { backend: Backend::Interp, ..Options::default() };
    let mut program = compile(text, &others, options).unwrap();
    let shown = "(11.0, 22.0, 30.0, -1.0, 2.0, 7.0, Some(1.0), Both(1.0, 1.0))";
    assert_eq!(program.call("main", &[]).unwrap().to_text(), shown);
}

/// d (x^2 + 1) / dx = 2x, and the derivative of x^2 w is x^2 by w and 2xw by the leaf.
#[test]
fn derivatives_go_through_modules_by_every_method() {
    let text = "import \"tree.cot\" (Tree, Weighted, scaled)\nimport \"tree.cot\"\n\
        def f(x: Real): Real = tree.total(Node(Leaf(x), Leaf(1.0)))\n\
        def main = (f(3.0), grad(f)(3.0), hessian(f)(3.0), grad(scaled)(Weighted { tree: Leaf(3.0), weight: 2.0 }))";
    let shown = "(10.0, 6.0, 2.0, Weighted { tree: Leaf(12.0), weight: 9.0 })";
    for via in Via::all() {
        for backend in [Backend::Interp, Backend::Auto] {
            let options = Options { via, backend, ..Options::default() };
            let mut program = compile(text, TREES, options).unwrap();
            let found = program.call("main", &[]);
            // A method may refuse a program, but only with the code that says so.
            match found {
                Ok(it) => assert_eq!(it.to_text(), shown, "{via:?}"),
                Err(it) => assert_eq!(it.codes(), ["E0635"], "{via:?}"),
            }
        }
    }
}

#[test]
fn tests_are_those_of_the_program_itself() {
    let text = "import \"tree.cot\" (total, Leaf)\ntest \"mine\" = total(Leaf(2.0)) ~= 4.0";
    let program = compile(text, TREES, Options::default()).unwrap();
    assert_eq!(program.n_tests(), 1);
    assert_eq!(program.definitions().len(), 0);
}

/// A module that is imported twice, by different paths, declares its types once.
#[test]
fn a_module_is_read_once() {
    let others = [
        ("tree.cot", TREE),
        ("lib/make.cot", "import \"../tree.cot\" (Tree)\npub def leaf(x: Real): Tree = Leaf(x)"),
    ];
    let text = "import \"lib/make.cot\"\nimport \"./lib/../tree.cot\" as t\n\
        def main = t.total(make.leaf(3.0))";
    let mut program = compile(text, &others, Options::default()).unwrap();
    assert_eq!(program.call("main", &[]).unwrap().to_text(), "9.0");
}

#[test]
fn what_a_module_imports_is_not_handed_on() {
    let others = [("tree.cot", TREE), ("middle.cot", "import \"tree.cot\" (total)")];
    let (codes, _) = refused("import \"middle.cot\" (total)", &others);
    assert_eq!(codes, ["E0215"]);
}

#[test]
fn private_and_unknown_names() {
    let (codes, said) = refused("import \"tree.cot\"\ndef x = tree.bent(1.0)", TREES);
    assert_eq!(codes, ["E0216"]);
    assert!(said.contains("write `pub` in front") && said.contains("tree.cot:12"), "{said}");
    let (codes, _) = refused("import \"tree.cot\" (bent)", TREES);
    assert_eq!(codes, ["E0216"]);
    let (codes, said) = refused("import \"tree.cot\"\ndef x = tree.totl(1.0)", TREES);
    assert_eq!(codes, ["E0215"]);
    assert!(said.contains("did you mean `total`?"), "{said}");
    let (codes, _) = refused("import \"tree.cot\"\ndef f(x: tree.Shrub) = 1", TREES);
    assert_eq!(codes, ["E0215"]);
    let (codes, _) = refused("import \"tree.cot\"\ndef x = tree.Branch(1.0)", TREES);
    assert_eq!(codes, ["E0215"]);
    // One error, not another one for what is not in sight.
    let text = "import \"a.cot\" (f)\ndef x = f(1.0)";
    assert_eq!(refused(text, &[("a.cot", "def f(x: Real) = x")]).0, ["E0216"]);
    let (codes, _) = refused("def x = tree.Leaf(1.0)", TREES);
    assert_eq!(codes, ["E0214"]);
    let (codes, _) = refused("import \"tree.cot\" (total)\ndef x = tree.total(1.0)", TREES);
    assert_eq!(codes, ["E0201"]);
}

#[test]
fn names_that_may_mean_two_things() {
    let others = [("a.cot", "pub def f = 1"), ("b.cot", "pub def f = 2"), ("lib/a.cot", "")];
    for text in [
        "import \"a.cot\" (f)\nimport \"b.cot\" (f)",
        "import \"a.cot\" (f)\ndef f = 3",
        "import \"a.cot\"\ndef a = 3",
        "import \"a.cot\"\nimport \"lib/a.cot\"",
    ] {
        assert_eq!(refused(text, &others).0, ["E0217"], "{text}");
    }
    // A constructor that comes with its type has no `as`.
    let text = "import \"t.cot\" (Tree)\ndata Other = Leaf | Root";
    let (codes, said) = refused(text, &[("t.cot", "pub data Tree = Leaf | Node(Tree)")]);
    assert_eq!(codes, ["E0217"]);
    assert!(said.contains("`shapes.Leaf`: `Tree` brings"), "{said}");
    for text in [
        "import \"a.cot\" (f)\nimport \"a.cot\" (f)",
        "import \"a.cot\" (f)\nimport \"b.cot\" (f as g)",
        "import \"a.cot\"\nimport \"a.cot\"",
    ] {
        compile(text, &others, Options::default()).unwrap();
    }
}

#[test]
fn circles_show_their_way() {
    let others = [("a.cot", "import \"b.cot\""), ("b.cot", "import \"a.cot\"")];
    let (codes, said) = refused("import \"a.cot\"", &others);
    assert_eq!(codes, ["E0212"]);
    assert!(said.contains("b.cot:1") && said.contains("imports `b.cot`"), "{said}");
    assert!(!said.contains("main.cot"), "the program is not on the circle: {said}");
    let (codes, _) = refused("import \"main.cot\"", &[("main.cot", "")]);
    assert_eq!(codes, ["E0212"]);
}

#[test]
fn errors_point_into_their_file() {
    let others = [("a.cot", "pub def f(x: Real): Real = x + true"), ("b.cot", "pub def = 1")];
    let (_, said) = refused("import \"a.cot\"", &others);
    assert!(said.contains("a.cot:1:32"), "{said}");
    // Of a file that does not parse, nothing else is said.
    let (codes, said) = refused("import \"b.cot\" (f)\ndef x = f", &others);
    assert_eq!(codes, ["E0101"]);
    assert!(said.contains("b.cot:1:9"), "{said}");
    // What fails while it runs, too.
    let others = [("a.cot", "pub def at(x: [n]Real, i: Int): Real = x[i]")];
    let mut program =
        compile("import \"a.cot\"\ndef main = a.at([1.0], 3)", &others, Options::default())
            .unwrap();
    let said = program.call("main", &[]).unwrap_err().to_string();
    assert!(said.contains("a.cot:1") && said.contains("main.cot:2"), "{said}");
}

#[test]
fn a_text_without_a_place_imports_the_library_only() {
    let text = "import std.linalg (det)\ndef f(a: [n][n]Real): Real = det(a)";
    let gradient = Program::new(text).unwrap().function("f").unwrap().grad();
    let found = gradient.call(([[1.0, 2.0], [3.0, 4.0]],)).unwrap().get::<Vec<Vec<f64>>>().unwrap();
    for (found, wanted) in found.iter().flatten().zip([4.0, -3.0, -2.0, 1.0]) {
        assert!((found - wanted).abs() < 1e-12, "{found} instead of {wanted}");
    }
    let said = Program::new("import \"a.cot\"").unwrap_err();
    assert_eq!(said.codes(), ["E0211"]);
    assert_eq!(Program::new("import std.nothing").unwrap_err().codes(), ["E0210"]);
    assert_eq!(Program::new("import nothing").unwrap_err().codes(), ["E0210"]);
}

/// A program that is made again with other options, or from its record, is the same program.
#[test]
fn a_program_keeps_what_it_imported() {
    let text = "import \"tree.cot\"\ndef f(x: Real): Real = tree.total(tree.Leaf(x))";
    let program = Program::with_files("main.cot", text, Options::default(), files(TREES)).unwrap();
    let record = program.imported();
    assert_eq!(record.texts, [("tree.cot".to_owned(), TREE.to_owned())]);
    let again = Program::with_files("main.cot", text, Options::default(), Arc::new(record));
    let gradient = again.unwrap().function("f").unwrap().grad();
    assert_eq!(gradient.call((3.0,)).unwrap().get::<f64>().unwrap(), 6.0);
}

#[test]
fn the_name_of_a_file_is_a_name() {
    let others = [("my-tree.cot", TREE), ("Tree.cot", TREE), ("def.cot", TREE)];
    for path in ["my-tree.cot", "Tree.cot", "def.cot"] {
        assert_eq!(refused(&format!("import \"{path}\""), &others).0, ["E0213"]);
        let text =
            format!("import \"{path}\" as t\nimport \"{path}\" (Leaf)\ndef x = t.total(Leaf(1.0))");
        compile(&text, &others, Options::default()).unwrap();
    }
}

#[test]
fn a_thousand_modules_in_a_chain() {
    let mut others: Vec<(String, String)> = (0..1000)
        .map(|it| {
            let next = it + 1;
            let text =
                format!("import \"m{next}.cot\"\npub def f(x: Real): Real = m{next}.f(x) + 1.0");
            (format!("m{it}.cot"), text)
        })
        .collect();
    others.push(("m1000.cot".to_owned(), "pub def f(x: Real): Real = x * x".to_owned()));
    let others: Vec<(&str, &str)> = others.iter().map(|it| (&*it.0, &*it.1)).collect();
    // Others write a thousand calls out first, which takes its time in a build for tests.
    let options = Options { via: Via::Tape, backend: Backend::Interp, ..Options::default() };
    let mut program = compile("import \"m0.cot\"", &others, options).unwrap();
    assert_eq!(
        program.eval("(m0.f(3.0), grad(m0.f)(3.0))", &[]).unwrap().to_text(),
        "(1009.0, 6.0)"
    );
}

#[test]
fn imports_are_formatted() {
    let text = "import   std . linalg  as la(det,solve   as s ,)\nimport \"a.cot\"\n\npub   def f = 1\n\
                pub data T=A|B(tree.Tree)\ndef g(x: tree . Tree) = match x { tree . Leaf(y) => y, _ => 0.0 }\n";
    let formatted = "import std.linalg as la (det, solve as s)\nimport \"a.cot\"\n\npub def f = 1\n\
                pub data T = A | B(tree.Tree)\n\
                def g(x: tree.Tree) = match x {\n  tree.Leaf(y) => y,\n  _ => 0.0,\n}\n";
    assert_eq!(cotan::format("a.cot", text).unwrap(), formatted);
    assert_eq!(cotan::format("a.cot", formatted).unwrap(), formatted);
}

#[test]
fn imports_that_are_not_understood() {
    for text in [
        "import",
        "import 3",
        "import \"a.cot\" (",
        "import \"a.cot\" as",
        "import \"a.cot\" (3)",
        "import \"a.cot",
        "import std.",
        "pub",
        "pub test \"x\" = true",
        "pub import \"a.cot\"",
        "import \"a.cot\" def f = 1",
    ] {
        let (codes, said) = refused(text, &[("a.cot", "")]);
        assert!(codes.iter().all(|it| it.starts_with("E01")), "{text}: {said}");
    }
}
