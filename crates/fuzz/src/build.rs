//! `cotan build` on an input: the C is compiled with warnings as errors and called, and what it gives
//! is compared with the interpreter.
#![allow(clippy::disallowed_methods, reason = "a front end: it writes the C that it has compiled")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cotan::{Backend, Compiler, Options};
use serde_json::Value as Json;

use crate::agree::taken_apart;
use crate::case::Case;
use crate::target::{Asked, Find, MEMORY, Tally, ask_within, compare, count};

/// The only definition that a case asks for is exported with all others; values and gradients of it are
/// called if its parameters are numbers and arrays of them.
pub fn run(case: &Case, tally: &mut Tally) -> Result<(), Find> {
    let Some(def) = case.asks.first() else { return Ok(()) };
    let options = Options { memory: MEMORY, backend: Backend::Interp, ..Options::default() };
    let Ok(program) = Compiler::new(options).compile("fuzz.cot", &case.text) else { return Ok(()) };
    let Ok(exported) = program.export_c("p", &[]) else { return Ok(()) };
    if exported.functions.is_empty() {
        return Ok(());
    }
    let manifest = exported.files.iter().find(|it| it.0.ends_with(".json"));
    let manifest: Json =
        manifest.and_then(|it| serde_json::from_str(&it.1).ok()).unwrap_or(Json::Null);
    let names: Vec<&str> = case.arguments.iter().map(|it| it.0.as_str()).collect();
    let names = names.join(", ");
    let mut calls = Vec::new();
    for (ending, ask) in
        [("", format!("{def}({names})")), ("_grad", format!("value_and_grad({def})({names})"))]
    {
        let function = format!("p_{def}{ending}");
        let described = described(&manifest, &function);
        if let Some(call) = described.and_then(|it| call(case, &function, it))
            && let Asked::Value(_) | Asked::Error(_) = ask_within(case, &ask)
        {
            calls.push((ask, call));
        }
    }
    let caller = caller(&calls);
    let (folder, program) = written(&exported.files, &caller)?;
    let built = compiled(&folder, &program);
    count(tally, "C compilations", 1);
    let output = built.and_then(|()| called(&program));
    let _ = fs::remove_dir_all(&folder);
    let output = output?;
    count(tally, "compiled", exported.functions.len() as u64);
    for ((ask, _), line) in calls.iter().zip(output.lines()) {
        answer(case, ask, line, tally)?;
        count(tally, "called from C", 1);
    }
    Ok(())
}

/// What C printed, against the interpreter.
fn answer(case: &Case, ask: &str, line: &str, tally: &mut Tally) -> Result<(), Find> {
    let mut words = line.split_whitespace();
    let status = words.next().unwrap_or("");
    let reference = ask_within(case, ask);
    // The numbers of an answer as C prints them, without its structure.
    let numbers = |text: &str| {
        let reals = taken_apart(text).1;
        reals.iter().map(|it| format!("{it:e}")).collect::<Vec<String>>().join(" ")
    };
    let found = match (status, &reference) {
        ("0", _) => Asked::Value(numbers(&words.collect::<Vec<&str>>().join(" "))),
        ("1", _) => Asked::Error("E0603".to_string()),
        ("2", _) => Asked::Error("E0604".to_string()),
        // C says that something is wrong, and not what.
        (_, Asked::Error(codes)) => Asked::Error(codes.clone()),
        (_, Asked::Value(_) | Asked::Long) => Asked::Error("a fault".to_string()),
    };
    let reference = match reference {
        Asked::Value(text) => Asked::Value(numbers(&text)),
        it @ (Asked::Error(_) | Asked::Long) => it,
    };
    compare(case, ask, "build", &reference, &found, tally).map(|_| ())
}

fn described<'a>(manifest: &'a Json, function: &str) -> Option<&'a Json> {
    let functions = manifest.get("functions")?.as_array()?;
    functions.iter().find(|it| it.get("name").and_then(Json::as_str) == Some(function))
}

/// C that calls a function with the arguments of the case and prints the status and all reals.
fn call(case: &Case, function: &str, described: &Json) -> Option<String> {
    let (mut before, mut passed) = (String::new(), Vec::new());
    let arguments = described.get("arguments")?.as_array()?;
    // Sum types have more numbers in C than the interpreter prints.
    let results = described.get("results")?.as_array()?;
    if arguments.iter().chain(results).any(|it| it.get("role").is_some_and(|it| it == "tag")) {
        return None;
    }
    // Sizes first: what the lengths of the arguments say.
    for argument in arguments {
        let name = argument.get("name")?.as_str()?;
        let ty = argument.get("type")?.as_str()?;
        if argument.get("role")?.as_str()? == "size" {
            before += &format!("  int64_t {name} = {};\n", size(case, arguments, name)?);
        } else {
            let (_, json) = case.arguments.iter().find(|it| it.0 == name)?;
            let value: Json = serde_json::from_str(json).ok()?;
            let mut all = Vec::new();
            leaves(&value, &mut all)?;
            if argument.get("sizes")?.is_null() {
                before += &format!("  {ty} {name} = {};\n", all.first()?);
            } else {
                before += &format!("  static const {ty} {name}[] = {{{}}};\n", list(&all));
            }
        }
        passed.push(name.to_string());
    }
    let mut after = String::new();
    for result in described.get("results")?.as_array()? {
        let name = result.get("name")?.as_str()?;
        let ty = result.get("type")?.as_str()?;
        let length = match result.get("sizes")?.as_array() {
            Some(sizes) => {
                sizes.iter().filter_map(Json::as_str).map(|it| format!("({it})")).collect()
            }
            None => vec!["1".to_string()],
        };
        let length = length.join(" * ");
        before += &format!("  {ty} *out_{name} = calloc((size_t)({length}) + 1, sizeof({ty}));\n");
        passed.push(format!("out_{name}"));
        if ty == "double" || ty == "float" {
            after += &format!(
                "    for (int64_t i = 0; i < {length}; i++) printf(\" %.17e\", (double)out_{name}[i]);\n"
            );
        }
    }
    let passed = passed.join(", ");
    Some(format!(
        "static void call_{function}(void) {{\n{before}  int status = {function}({passed}, workspace, \
         sizeof workspace);\n  printf(\"%d\", status);\n  if (status == 0) {{\n{after}  }}\n  \
         printf(\"\\n\");\n}}\n"
    ))
}

fn list(values: &[String]) -> String {
    if values.is_empty() { "0".to_string() } else { values.join(", ") }
}

/// The value of a size that is the length of an argument.
fn size(case: &Case, arguments: &[Json], name: &str) -> Option<usize> {
    for argument in arguments {
        let sizes = argument.get("sizes").and_then(Json::as_array);
        let at = sizes.and_then(|all| all.iter().position(|it| it.as_str() == Some(name)));
        let Some(at) = at else { continue };
        let given = argument.get("name")?.as_str()?;
        let (_, json) = case.arguments.iter().find(|it| it.0 == given)?;
        let value: Json = serde_json::from_str(json).ok()?;
        let mut inner = &value;
        for _ in 0..at {
            inner = inner.as_array()?.first()?;
        }
        return Some(inner.as_array()?.len());
    }
    None
}

/// The numbers of an argument as C.
fn leaves(value: &Json, into: &mut Vec<String>) -> Option<()> {
    match value {
        Json::Array(parts) => parts.iter().try_for_each(|it| leaves(it, into)),
        Json::Number(it) => {
            into.push(it.to_string());
            Some(())
        }
        Json::Bool(it) => {
            into.push(u8::from(*it).to_string());
            Some(())
        }
        Json::Null | Json::String(_) | Json::Object(_) => None,
    }
}

fn caller(calls: &[(String, String)]) -> String {
    let functions: String = calls.iter().map(|it| it.1.clone()).collect();
    let name = |it: &str| it.split(['(', ' ']).nth(2).unwrap_or("").to_string();
    let made: String = calls.iter().map(|it| format!("  {}();\n", name(&it.1))).collect();
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include \"p.h\"\n\n\
         static char workspace[1 << 24] __attribute__((unused));\n\n{functions}\nint main(void) {{\n{made}  return 0;\n}}\n"
    )
}

fn written(files: &[(String, String)], caller: &str) -> Result<(PathBuf, PathBuf), Find> {
    let folder = std::env::temp_dir().join(format!("cotan-fuzz-{}", std::process::id()));
    let failed = |it: std::io::Error| Find {
        symptom: "no file can be written".to_string(),
        detail: it.to_string(),
    };
    fs::create_dir_all(&folder).map_err(failed)?;
    for (name, content) in
        files.iter().map(|it| (it.0.as_str(), it.1.as_str())).chain([("main.c", caller)])
    {
        fs::write(folder.join(name), content).map_err(failed)?;
    }
    let program = folder.join("program");
    Ok((folder, program))
}

fn compiled(folder: &Path, program: &Path) -> Result<(), Find> {
    let files = fs::read_dir(folder).into_iter().flatten().filter_map(|it| Some(it.ok()?.path()));
    let mut sources: Vec<PathBuf> =
        files.filter(|it| it.extension().is_some_and(|it| it == "c")).collect();
    sources.sort();
    let output = Command::new("cc")
        .args(["-std=gnu11", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"])
        // That a recursion has no end is a fault of the program, and not of its C.
        .args(["-Wno-infinite-recursion", "-o"])
        .arg(program)
        .args(&sources)
        .arg("-lm")
        .output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let first = said.lines().find(|it| it.contains("error:")).unwrap_or("");
            let what = first.rsplit_once('[').map_or("an error", |it| it.1.trim_end_matches(']'));
            Err(Find { symptom: format!("C does not compile: {what}"), detail: said })
        }
        Err(error) => Err(Find { symptom: "no C compiler".to_string(), detail: error.to_string() }),
    }
}

fn called(program: &Path) -> Result<String, Find> {
    match Command::new(program).output() {
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Ok(output) => Err(Find {
            symptom: format!("built C ends with {}", output.status),
            detail: String::from_utf8_lossy(&output.stderr).into_owned(),
        }),
        Err(error) => {
            Err(Find { symptom: "built C does not run".to_string(), detail: error.to_string() })
        }
    }
}
