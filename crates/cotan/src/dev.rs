//! For developers of Cotan: passes one by one, on the text of a program.

use std::fmt::Write;

use base::Name;
use ir::Program;

pub use crate::pass::{PASSES, Pass, Unit};
pub use crate::pipeline::{Event, Watch, run, run_pass};
pub use crate::pipelines::{InsideOut, PIPELINES, Step};
pub use ad::bulk::Refused;

use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::pipeline;
use crate::pipelines::MIXED;

/// Something to run: a pass, or a pipeline.
#[derive(Clone, Copy)]
pub struct Part {
    /// What it is called.
    pub name: &'static str,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Pass(&'static Pass),
    Pipeline(&'static [Step]),
}

impl Part {
    /// The pass or pipeline of a name.
    pub fn named(name: &str) -> Option<Part> {
        all().find(|it| it.name == name)
    }
}

/// All passes, then all pipelines.
fn all() -> impl Iterator<Item = Part> {
    let passes = PASSES.iter().map(|it| Part { name: it.name, what: What::Pass(it) });
    let lists = PIPELINES.iter().map(|it| Part { name: it.0, what: What::Pipeline(it.1) });
    passes.chain(lists)
}

/// Every pass with its dialects and what it does, then the pipelines with their passes.
pub fn list() -> String {
    let mut res = String::new();
    for Pass { name, about, from, to, .. } in PASSES {
        writeln!(res, "{name:<22} {from:?} -> {to:?}: {about}").expect("a string takes everything");
    }
    for (name, steps) in PIPELINES {
        writeln!(res, "{name:<22} {}", names(steps)).expect("a string takes everything");
    }
    res
}

/// The passes of a list in order; those that may be left out in brackets.
fn names(steps: &[Step]) -> String {
    let one = |step: &Step| match step {
        Step::Run(pass) => pass.name.to_string(),
        Step::IfNew(pass, then) => format!("{} [{}]", pass.name, names(then)),
        Step::Unless(_, steps) => format!("[{}]", names(steps)),
        Step::KeepAll => "keep all".to_string(),
        Step::All(steps) => names(steps),
        Step::InsideOut(it) => format!("({}, {})*", names(it.prepare), it.expand.name),
    };
    steps.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Runs passes on a program, from and to text. `at` is the definition that they are about: `main`, or the
/// only one, unless it is given.
pub fn passes(
    text: &str,
    at: Option<&str>,
    parts: &[Part],
    watch: &mut Watch<'_>,
) -> Result<String, String> {
    let program: Program = text.parse().map_err(|it| format!("it does not read: {it}"))?;
    passes_of(program, at, parts, watch)
}

/// As [`passes`], of a program that was compiled.
pub fn passes_of_source(
    compiled: &Compiled,
    at: Option<&str>,
    parts: &[Part],
    watch: &mut Watch<'_>,
) -> Result<String, String> {
    passes_of(compiled.checked.program.clone(), at, parts, watch)
}

fn passes_of(
    program: Program,
    at: Option<&str>,
    parts: &[Part],
    watch: &mut Watch<'_>,
) -> Result<String, String> {
    let mut unit = Unit::new(program.clone(), &about(&program, at)?);
    for Part { name, what } in parts {
        let refused = |it: Refused| format!("`{name}` refuses: {}", it.reason);
        unit = match what {
            What::Pass(pass) => {
                ir::verify(&unit.program, pass.from)
                    .map_err(|it| format!("`{name}` takes {:?}: {it}", pass.from))?;
                run_pass(pass, unit, watch).map_err(refused)?
            }
            What::Pipeline(steps) => run(steps, unit, watch).map_err(refused)?,
        };
    }
    Ok(unit.program.to_string())
}

/// The loop nests of a test: arranged as for fast code, or as they come, as for a draft. None if the
/// program is refused.
pub fn nests_of_test(compiled: &Compiled, index: usize, arranged: bool) -> Option<loops::Module> {
    let test = compiled.checked.tests.get(index)?;
    with_deep_stack(|| {
        let (program, levels) = (&compiled.checked.program, compiled.options.checkpoints);
        let resolved = pipeline::resolve_with(MIXED, program, &test.def, levels).ok()?;
        Some(match arranged {
            true => pipeline::loops_of(&resolved.program, &resolved.entry, None),
            false => pipeline::draft_of(&resolved.program, &resolved.entry),
        })
    })
}

/// The definition that passes are about.
fn about(program: &Program, at: Option<&str>) -> Result<Name, String> {
    let mut names = program.defs.keys();
    let only = match (names.next(), names.next()) {
        (Some(name), None) => Some(name.clone()),
        (Some(_), Some(_)) | (None, _) => None,
    };
    let main = || Some(Name::new("main")).filter(|it| program.defs.contains_key(it));
    match at.map(Name::new) {
        Some(name) if program.defs.contains_key(&name) => Ok(name),
        Some(name) => Err(format!("there is no definition {name}")),
        None => main().or(only).ok_or_else(|| "say which definition by --at NAME".to_string()),
    }
}
