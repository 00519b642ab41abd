//! The programs that the rungs are compared on: the examples, and small ones by topic.

use std::path::Path;

use base::{FileId, Name};
use cotan::{Backend, Compiler, Options, Style, Via};
use ir::Program;

use crate::ladder::machine::{Machine, Stop};
use crate::ladder::rung::{Counter, Plain, Rung};
use crate::ladder::value::Value;

/// A function and the point where its gradient is taken, as text.
pub(crate) struct Text {
    pub(crate) name: String,
    program: String,
    function: String,
    at: String,
}

/// A function and a point as values. The function is that of the program; each rung maps its own numbers
/// over what it captured.
pub(crate) struct Subject {
    program: Program,
    function: Value<f64>,
    args: Vec<Value<f64>>,
}

/// The examples; each says in its header which function to differentiate, and where.
pub(crate) fn examples() -> Vec<Text> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let paths = std::fs::read_dir(folder).expect("the examples are there");
    let mut paths: Vec<_> = paths.map(|it| it.expect("readable").path()).collect();
    paths.retain(|it| it.extension().is_some_and(|it| it == "cot"));
    paths.sort();
    let example = |path: &Path| {
        let program = std::fs::read_to_string(path).expect("readable");
        let header = |key: &str| {
            let line = program.lines().find_map(|it| it.strip_prefix(key));
            line.unwrap_or_else(|| panic!("{}: no line `{key}`", path.display())).to_string()
        };
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        let (function, at) = (header("-- function: "), header("-- at: "));
        Text { name, program, function, at }
    };
    paths.iter().map(|it| example(it)).collect()
}

/// Small programs: the function `f` of each, at the point that its first line names.
pub(crate) fn small() -> Vec<Text> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ladder");
    let text = std::fs::read_to_string(folder.join("small.txt")).expect("readable");
    let program = |part: &str| {
        let (head, program) = part.split_once('\n').expect("a program has lines");
        let (name, at) = head.split_once(" at ").expect("a program has a point");
        let (name, at) = (name.to_string(), at.to_string());
        Text { name, program: program.to_string(), function: "f".to_string(), at }
    };
    text.split("-- program ").skip(1).map(program).collect()
}

/// The parts between the commas that stand in no brackets.
fn split_arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut res) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                res.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    res.push(&text[start..]);
    res
}

impl Text {
    /// The gradient that the library finds, its reals in order.
    pub(crate) fn library_gradient(&self, via: Via) -> Vec<f64> {
        let options = Options { via, backend: Backend::Interp, ..Options::default() };
        let compiled = Compiler::new(options).compile(&self.name, &self.program);
        let mut program = compiled.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)));
        let gradient = program.eval(&format!("grad({})({})", self.function, self.at), &[]);
        let gradient = gradient.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)));
        reals(&gradient.to_text())
    }

    /// Checks the program, and evaluates the function and its arguments.
    pub(crate) fn subject(&self) -> Result<Subject, Stop> {
        let types: Vec<String> =
            (0..split_arguments(&self.at).len()).map(|it| format!("t{it}")).collect();
        let params: String = types.iter().map(|it| format!(", x_{it}: {it}")).collect();
        let names: String = types.iter().map(|it| format!(", x_{it}")).collect();
        let types = types.join(", ");
        // Ties the types of the function, sizes included, to those of the arguments.
        let tie = format!(
            "def ladder_tie(f: ({types}) -> Real{params}): (({types}) -> Real, {types}) = (f{names})"
        );
        let parse = |text: &str| {
            let (module, complaints) = syntax::parse(FileId(0), text);
            assert!(complaints.is_empty(), "{}: {complaints:?}", self.name);
            module
        };
        let module = parse(&format!("{}\n{tie}\n", self.program));
        let (mut checked, complaints) = check::check(FileId(0), &module);
        assert!(!complaints.iter().any(|it| it.is_error()), "{}: {complaints:?}", self.name);
        let point = format!("ladder_tie({}, {})", self.function, self.at);
        let (point, _) = syntax::parse_expr(FileId(0), &point);
        let entry = checked.expression(&point, &[]);
        let entry = entry.unwrap_or_else(|it| panic!("{}: {it:?}", self.name));
        Subject::new(checked.program, &entry.def)
    }
}

/// The real literals of a printed value.
fn reals(text: &str) -> Vec<f64> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    let words = text.split(|c| !is_part(c));
    let is_real = |it: &&str| it.contains(['.', 'e']) || it.ends_with("infinity") || *it == "nan";
    words.filter(is_real).filter_map(|it| it.parse().ok()).collect()
}

impl Subject {
    /// The definition gives a function of reals, and the arguments for it.
    pub(crate) fn new(program: Program, def: &Name) -> Result<Subject, Stop> {
        let mut results = Machine::new(&program, Plain).call(def, Vec::new(), Vec::new())?;
        let Some(Value::Tuple(parts)) = results.pop() else { panic!("{def} gives a tuple") };
        let (function, args) = (parts[0].clone(), parts[1..].to_vec());
        Ok(Subject { program, function, args })
    }

    /// How many reals the arguments have.
    pub(crate) fn n_inputs(&self) -> usize {
        let mut n = 0;
        self.args.iter().for_each(|it| {
            it.map(&mut |_| n += 1);
        });
        n
    }

    /// Runs the function with the numbers of a rung; gives the rung and the result.
    pub(crate) fn run<R: Rung>(&self, counter: Counter) -> Result<(R, R::Num), Stop> {
        let mut machine = Machine::new(&self.program, R::new(self.n_inputs(), counter));
        let domain = &mut machine.domain;
        let mut n = 0;
        let mut input = |value: &f64| {
            n += 1;
            domain.input(n - 1, *value)
        };
        let args = self.args.iter().map(|it| it.map(&mut input)).collect();
        let function = self.function.map(&mut |value| domain.constant(*value));
        let Value::Num(result) = machine.apply(&function, args)? else { panic!("no real") };
        Ok((machine.domain, result))
    }

    /// The gradient by a rung, and the operations it took; `None` if they are beyond the budget.
    pub(crate) fn gradient<R: Rung>(&self, budget: u64) -> (Option<Vec<f64>>, u64) {
        let counter = Counter::new(budget);
        let (rung, result) = self.run::<R>(counter.clone()).unwrap_or_else(|it| panic!("{it:?}"));
        let gradient = rung.gradient(result);
        ((!counter.is_over()).then_some(gradient), counter.count())
    }
}
