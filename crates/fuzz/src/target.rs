//! What is done with an input, and what must hold.

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

use base::FileId;
use cotan::{BACK_ENDS, Backend, Compiler, Effort, Options, Report, Style, Via};

use crate::agree::{Explanation, Question, Verdict, judge};
use crate::build;
use crate::case::Case;
use crate::clauses;
use crate::edit;
use crate::rounding;

/// The bytes that an evaluation may hold.
pub const MEMORY: u64 = 64 << 20;

/// Operations of the interpreter that a program may take; one that takes more is left alone.
pub(crate) const OPERATIONS: u64 = 100_000;

/// How many times as many any other method may take.
pub(crate) const MORE: u64 = 50;

/// How many times as many operations as forward mode the tape may take: it records each, and walks back.
const TAPE: u64 = 10;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Parsed and formatted.
    Text,
    /// Checked, strictly too; printed stage by stage.
    Check,
    /// Evaluated by the interpreter, by every method; benches too.
    Evaluate,
    /// Evaluated by compiled code, drafts and fast ones.
    Compile,
    /// Made C of, compiled with warnings as errors, and called.
    Build,
}

/// All of them.
pub const KINDS: [Kind; 5] = [Kind::Text, Kind::Check, Kind::Evaluate, Kind::Compile, Kind::Build];

impl Kind {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Check => "check",
            Kind::Evaluate => "evaluate",
            Kind::Compile => "compile",
            Kind::Build => "build",
        }
    }
}

/// Something that must not be.
#[derive(Clone, Debug)]
pub struct Find {
    /// What all inputs that show the same fault have in common.
    pub symptom: String,
    /// What was seen.
    pub detail: String,
}

/// Counts by what is counted.
pub type Tally = BTreeMap<String, u64>;

/// Counts one more.
pub fn count(tally: &mut Tally, what: &str, n: u64) {
    *tally.entry(what.to_string()).or_default() += n;
}

/// What an evaluation gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// A value, printed.
    Value(String),
    /// The codes of its errors.
    Error(String),
    /// It takes too many operations.
    Long,
}

impl Asked {
    /// For a report.
    pub fn shown(&self) -> String {
        match self {
            Asked::Value(text) => text.clone(),
            Asked::Error(codes) => format!("error {codes}"),
            Asked::Long => "too many operations".to_string(),
        }
    }

    fn of(answer: Result<Option<cotan::Answer>, Report>) -> Asked {
        match answer {
            Ok(Some(answer)) => Asked::Value(answer.to_text()),
            Ok(None) => Asked::Long,
            Err(report) => {
                let mut codes = report.codes();
                codes.dedup();
                Asked::Error(codes.join(", "))
            }
        }
    }
}

/// Where the last panic was.
static LAST: Mutex<String> = Mutex::new(String::new());

/// Makes panics silent, and remembers where they were.
pub fn remember_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map_or(String::new(), ToString::to_string);
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let message = text.or_else(|| payload.downcast_ref().copied()).unwrap_or("no message");
        *LAST.lock().unwrap_or_else(|it| it.into_inner()) = format!("{place}\n{message}");
    }));
}

/// Does with a case what this kind does; a panic is a find.
pub fn run(kind: Kind, case: &Case, tally: &mut Tally) -> Result<(), Find> {
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| match kind {
        Kind::Text => text(&case.text),
        Kind::Check => check(case, tally),
        Kind::Evaluate => evaluate(case, tally),
        Kind::Compile => compile(case, tally),
        Kind::Build => build::run(case, tally),
    }));
    outcome.unwrap_or_else(|_| {
        let last = LAST.lock().unwrap_or_else(|it| it.into_inner()).clone();
        let place = last.lines().next().unwrap_or("").to_string();
        Err(Find { symptom: format!("panic at {place}"), detail: last })
    })
}

fn demand(holds: bool, symptom: &str, detail: impl Fn() -> String) -> Result<(), Find> {
    if holds { Ok(()) } else { Err(Find { symptom: symptom.to_string(), detail: detail() }) }
}

fn text(text: &str) -> Result<(), Find> {
    let (_, diagnostics) = syntax::parse(FileId(0), text);
    for diagnostic in &diagnostics {
        let mut labels = diagnostic.labels.iter().filter(|it| it.span.file == FileId(0));
        let sound = labels.all(|it| text.get(it.span.range()).is_some());
        demand(sound && !diagnostic.title.is_empty(), "a label outside of the text", || {
            format!("{diagnostic:?}")
        })?;
    }
    match cotan::format("fuzz.cot", text) {
        Ok(once) => {
            demand(diagnostics.is_empty(), "a wrong program was formatted", String::new)?;
            let twice = cotan::format("fuzz.cot", &once).ok();
            demand(twice.as_ref() == Some(&once), "formatting again changes it", || once.clone())
        }
        Err(report) => demand(!report.is_empty(), "refused without an error", String::new),
    }
}

/// A number that follows from a text and from nothing else.
pub(crate) fn choice(text: &str) -> u64 {
    text.bytes().fold(7, |hash: u64, it| (hash ^ u64::from(it)).wrapping_mul(0x100_0000_01B3)) >> 16
}

fn check(case: &Case, tally: &mut Tally) -> Result<(), Find> {
    let (text, choice) = (case.text.as_str(), case.way);
    let vias: Vec<Via> = Via::all().collect();
    let via = vias[choice as usize % vias.len()];
    let backend = if choice & 64 == 0 { Backend::Interp } else { Backend::Auto };
    let options = Options { memory: MEMORY, via, backend, ..Options::default() };
    let mut program = match Compiler::new(options).compile("fuzz.cot", text) {
        Ok(program) => program,
        Err(report) => {
            let rendered = report.render(Style::Plain);
            let said = report.codes().first().is_some_and(|it| rendered.contains(it));
            return demand(said, "refused without an error", || rendered.clone());
        }
    };
    count(tally, "well typed", 1);
    let strict = program.strict();
    demand(strict.is_empty() || !strict.codes().is_empty(), "strict without a code", String::new)?;
    let (module, _) = syntax::parse(FileId(0), text);
    let names = module.items.iter().filter_map(|it| match it {
        syntax::ast::Item::Def(def) => Some(def.name.name.to_string()),
        syntax::ast::Item::Import(_) | syntax::ast::Item::Plot(_) => None,
        syntax::ast::Item::Type(_) | syntax::ast::Item::Data(_) => None,
        syntax::ast::Item::Test(_) | syntax::ast::Item::Bench(_) => None,
    });
    let names: Vec<String> = names.collect();
    if let Some(name) = names.get(choice as usize % names.len().max(1)) {
        count(tally, "stages", 1);
        if let Err(report) = program.stages(name, &[], &[]) {
            demand(!report.codes().contains(&"E0600"), "E0600 by stages", || {
                report.render(Style::Plain)
            })?;
        }
    }
    Ok(())
}

fn options(case: &Case, via: Via) -> Options {
    let backend = Backend::Interp;
    Options { precision: case.precision, memory: MEMORY, via, backend, ..Options::default() }
}

/// The answer of the reference: the interpreter by the method that the compiler chooses.
pub fn ask_within(case: &Case, ask: &str) -> Asked {
    by_interpreter(case, ask, Via::Auto, OPERATIONS)
}

/// Whether a case gives a value by way of a program of first order, which is what can be compiled.
pub fn gives_compiled(case: &Case, ask: &str) -> bool {
    matches!(ask_within(case, ask), Asked::Value(_))
        && matches!(by_interpreter(case, ask, Via::Bulk, OPERATIONS * MORE), Asked::Value(_))
}

pub(crate) fn by_interpreter(case: &Case, ask: &str, via: Via, operations: u64) -> Asked {
    match Compiler::new(options(case, via)).compile("fuzz.cot", &case.text) {
        Ok(mut it) => Asked::of(it.eval_within(operations, ask, &case.given())),
        Err(report) => Asked::of(Err(report)),
    }
}

/// Whether an error is one of the program and not of its run.
fn is_static(asked: &Asked) -> bool {
    match asked {
        Asked::Error(codes) => ["E01", "E02", "E03", "E04"].iter().any(|it| codes.starts_with(it)),
        Asked::Value(_) | Asked::Long => false,
    }
}

/// Compares one way with the reference; tells what explains a difference.
pub fn compare(
    case: &Case,
    ask: &str,
    way: &str,
    reference: &Asked,
    found: &Asked,
    tally: &mut Tally,
) -> Result<Option<Explanation>, Find> {
    count(tally, "evaluations", 1);
    let words = [crate::corpus::words(&case.text), crate::corpus::words(ask)].concat();
    let derives = words.iter().any(|it| edit::OPERATORS.contains(&it.as_str()));
    let moved = |by| rounding::moved(case, ask, by);
    let by_clause = || clauses::is_second(&words) && clauses::matter(case, ask, reference);
    let question =
        Question { precision: case.precision, derives, moved: &moved, by_clause: &by_clause };
    match judge(&question, reference, found) {
        Verdict::Same => Ok(None),
        Verdict::Explained(why) => {
            count(tally, &format!("explained: {}", why.describe()), 1);
            Ok(Some(why))
        }
        Verdict::Unexplained(how, story) => Err(Find {
            symptom: format!("difference by {way}: {how}"),
            detail: format!("{ask}\n{story}"),
        }),
    }
}

fn evaluate(case: &Case, tally: &mut Tally) -> Result<(), Find> {
    for ask in &case.asks {
        let reference = ask_within(case, ask);
        if reference == Asked::Error("E0600".to_string()) {
            return Err(Find { symptom: "E0600".to_string(), detail: ask.clone() });
        }
        if reference == Asked::Long || is_static(&reference) {
            count(tally, "left alone: too long or ill typed", 1);
            continue;
        }
        // The reference may leave out all that a derivative does not need, which these methods run.
        let is_long_anyway = || {
            let found = by_interpreter(case, ask, Via::Forward, OPERATIONS * MORE / TAPE);
            found == Asked::Long
        };
        for via in cotan::METHODS.iter().map(|it| it.via) {
            let found = by_interpreter(case, ask, via, OPERATIONS * MORE);
            let why = match via == Via::Forward {
                true => Some(Explanation::Long),
                false => (via == Via::Tape).then_some(Explanation::Unneeded),
            };
            if let (Asked::Long, Some(why)) = (&found, why)
                && (via == Via::Forward || is_long_anyway())
            {
                count(tally, &format!("explained: {}", why.describe()), 1);
                continue;
            }
            compare(case, ask, &format!("{via:?}"), &reference, &found, tally)?;
        }
        count(tally, "evaluated", 1);
    }
    if case.way.is_multiple_of(8) {
        bench(case, tally)?;
    }
    Ok(())
}

/// Measures nothing, but runs what `bench` would.
fn bench(case: &Case, tally: &mut Tally) -> Result<(), Find> {
    let Some(ask) = case.asks.first().filter(|_| case.arguments.is_empty()) else { return Ok(()) };
    if !matches!(ask_within(case, ask), Asked::Value(_)) {
        return Ok(());
    }
    let text = format!("{}\nbench \"b\" = {ask}\n", case.text);
    let Ok(mut program) = Compiler::new(options(case, Via::Auto)).compile("fuzz.cot", &text) else {
        return Ok(());
    };
    count(tally, "benches", 1);
    let Ok(ready) = program.bench(program.n_benches() - 1) else { return Ok(()) };
    for part in [cotan::BenchPart::Primal, cotan::BenchPart::Derivative] {
        if let Err(report) = program.run_bench(&ready, part) {
            demand(!report.codes().contains(&"E0600"), "E0600 by bench", || {
                report.render(Style::Plain)
            })?;
        }
    }
    Ok(())
}

fn compile(case: &Case, tally: &mut Tally) -> Result<(), Find> {
    let Some(ask) = case.asks.first() else { return Ok(()) };
    let reference = by_interpreter(case, ask, Via::Auto, OPERATIONS * MORE);
    if reference == Asked::Long || is_static(&reference) {
        count(tally, "left alone: too long or ill typed", 1);
        return Ok(());
    }
    let mut ways = vec![(Via::Auto, Effort::Once)];
    match case.way % 8 {
        0 => ways.push((Via::Auto, Effort::Full)),
        1 => ways.push((Via::Forward, Effort::Once)),
        2 => ways.push((Via::Bulk, Effort::Quick)),
        _ => {}
    }
    let compiled = BACK_ENDS.iter().filter(|it| it.is_built && it.compiles());
    for (it, (via, effort)) in compiled.flat_map(|it| ways.iter().map(move |way| (it, *way))) {
        let options = Options { backend: it.backend, effort, ..options(case, via) };
        let found = match Compiler::new(options).compile("fuzz.cot", &case.text) {
            Ok(mut program) => Asked::of(program.eval(ask, &case.given()).map(Some)),
            Err(report) => Asked::of(Err(report)),
        };
        let way = format!("{} {via:?} {effort:?}", it.name);
        if compare(case, ask, &way, &reference, &found, tally)? != Some(Explanation::Refused) {
            count(tally, "C compilations", 1);
            if effort == Effort::Once && via == Via::Auto {
                count(tally, "compiled", crate::corpus::n_programs(&case.text));
            }
        }
    }
    Ok(())
}
