//! The cases of the whole compiler. Commands: `run`, `eval EXPR`, `grad F X`, `jvp F X DX`,
//! `type F`, `print F`, `forward F`, `tape F`, `delta F NAME=JSON...`, `fmt`, `passes A,B`, whose input is a program of the core language, and `error [NAME=JSON...]`, which checks the input,
//! runs its tests and its `main` and gives the message it ends with; `strict` gives those of strict checking.

use std::collections::BTreeSet;

use cotan::{Argument, Backend, Compiled, Compiler, Options, Report, Style, TestOutcome, Via, dev};

fn compile(input: &str) -> Result<Compiled, Report> {
    // A small limit, so that a case about memory needs little of it; and the method that accepts every
    // program and has messages of its own.
    let options = Options {
        memory: 64 << 20,
        via: Via::Tape,
        backend: Backend::Interp,
        ..Options::default()
    };
    Compiler::new(options).compile("example.cot", input)
}

fn eval(input: &str, expression: &str) -> Result<String, Report> {
    Ok(compile(input)?.eval(expression, &[])?.to_text())
}

/// Runs everything there is in a program.
fn run_all(input: &str, arguments: &[Argument]) -> Result<(), Report> {
    let mut compiled = compile(input)?;
    for index in 0..compiled.n_tests() {
        if let TestOutcome::Failed(report) = compiled.run_test(index).outcome {
            return Err(report);
        }
    }
    if !compiled.warnings().is_empty() {
        return Err(compiled.warnings().clone());
    }
    compiled.call("main", arguments).map(|_| ())
}

fn arguments(words: &str) -> Vec<Argument> {
    let pairs = words.split_whitespace().filter_map(|word| word.split_once('='));
    pairs.map(|(name, value)| Argument::json(name, value)).collect()
}

/// The part of `stages` under the heading that starts with `stage`.
fn stage(input: &str, def: &str, stage: &str) -> Result<String, Report> {
    let via = if stage == "tape" { Via::Tape } else { Via::Forward };
    let mut compiled =
        Compiler::new(Options { via, backend: Backend::Interp, ..Options::default() })
            .compile("example.cot", input)?;
    let text = compiled.stages(def, &[], &[])?;
    let mut parts = text.split("-- ").skip(1);
    let part = parts.find(|it| it.starts_with(stage)).unwrap_or_default();
    Ok(part.split_once('\n').map_or("", |(_, rest)| rest).trim_end().to_string())
}

/// The Delta term of a run and what it evaluates to; arguments as in `error`.
fn delta(input: &str, def: &str, values: &str) -> Result<String, Report> {
    let text = compile(input)?.stages(def, &arguments(values), &[])?;
    Ok(text.split_once("-- Delta term").map_or("", |(_, rest)| rest).trim_end().to_string())
}

/// What passes make of a program of the core language.
fn passes(input: &str, names: &str) -> Result<String, String> {
    let part = |name| dev::Part::named(name).ok_or_else(|| format!("no pass `{name}`"));
    let parts = names.split(',').map(part).collect::<Result<Vec<_>, _>>()?;
    let made = dev::passes(input, None, &parts, &mut |_| {});
    Ok(made.unwrap_or_else(|it| format!("error: {it}")).trim_end().to_string())
}

fn command(line: &str, input: &str) -> Result<String, String> {
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    if name == "passes" {
        return passes(input, rest);
    }
    let (function, values) = rest.split_once(' ').unwrap_or((rest, ""));
    let result = match name {
        "run" => eval(input, "main"),
        "eval" => eval(input, rest),
        "grad" => eval(input, &format!("grad({function})({values})")),
        "jvp" => eval(input, &format!("jvp({function})({})", values.replace(' ', ", "))),
        "type" => compile(input).map(|it| it.type_of(rest).unwrap_or_default()),
        "print" => stage(input, rest, "source"),
        "forward" => stage(input, rest, "forward"),
        "tape" => stage(input, rest, "tape"),
        "delta" => delta(input, function, values),
        "fmt" => cotan::format("example.cot", input),
        "strict" => compile(input).map(|it| it.strict().render(Style::Plain)),
        "error" => match run_all(input, &arguments(rest)) {
            Ok(()) => return Err("this should fail".to_string()),
            Err(report) => Ok(report.render(Style::Plain)),
        },
        other => return Err(format!("no command `{other}`")),
    };
    result.map_err(|report| report.render(Style::Plain))
}

#[test]
fn spine() {
    testing::run_cases("tests/cases/spine", &command);
}

#[test]
fn messages() {
    testing::run_cases("tests/cases/messages", &command);
}

#[test]
fn passes_on_text() {
    testing::run_cases("tests/cases/passes", &command);
}

/// A case that runs it alone: text before, text after.
#[test]
#[allow(clippy::disallowed_methods, reason = "a test reads its cases")]
fn every_pass_has_a_case() {
    let mut seen = BTreeSet::new();
    for file in std::fs::read_dir("tests/cases/passes").expect("the folder of the cases") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("a case");
        let case = testing::Case::parse(&text).expect("a case");
        let commands = case.sections.iter().filter_map(|it| it.command.strip_prefix("passes "));
        seen.extend(commands.map(str::to_string));
    }
    let names = dev::PASSES.iter().map(|it| it.name);
    let missing: Vec<&str> = names.filter(|it| !seen.contains(*it)).collect();
    assert!(missing.is_empty(), "no case in tests/cases/passes/ runs {missing:?}");
}
