//! Measures gradients against Rust crates for differentiation: Cotan through its library, the
//! crates, and Rust by hand, in one process. Writes `CRATES.md` and `crates.json`.

mod by_cotan;
mod by_crates;
mod by_hand;
mod contender;
mod problem;
mod report;
mod timing;

use crate::effort::Effort;
use contender::Contender;
use problem::Problem;
use report::{Row, Table};

/// Measures the programs of these names, or all; only a full run of all is written down.
pub fn run(names: &[String], effort: Effort) -> Result<(), String> {
    let chosen = |it: &Problem| names.is_empty() || names.iter().any(|name| *name == it.name());
    let problems: Vec<Problem> = Problem::all().into_iter().filter(chosen).collect();
    let tables = measure_all(&problems, effort)?;
    let text = report::markdown(&tables);
    println!("{text}");
    let is_partial = effort == Effort::Quick || !names.is_empty();
    if is_partial { Ok(()) } else { report::write(&text, &tables) }
}

/// The time that a contender took for a problem.
struct Past {
    program: &'static str,
    contender: String,
    work: f64,
    seconds: f64,
}

fn measure_all(problems: &[Problem], effort: Effort) -> Result<Vec<Table>, String> {
    let mut past: Vec<Past> = Vec::new();
    let mut tables = Vec::new();
    for problem in problems {
        eprintln!("{}", problem.title());
        let mut rows = Vec::new();
        for (mut contender, seconds, value_seconds) in measure(problem, effort, &past)? {
            let (program, name) = (problem.name(), contender.name());
            eprintln!("  {name:<28} {}", report::time(seconds));
            let work = work(&*contender, problem);
            past.push(Past { program, contender: name.clone(), work, seconds });
            let notes = contender.notes(&problem.input());
            rows.push(Row { name, seconds, value_seconds, notes });
        }
        tables.push(Table { problem: problem.clone(), rows });
    }
    Ok(tables)
}

type Measured = (Box<dyn Contender>, f64, Option<f64>);

/// Checks that all contenders agree, then measures gradients and values.
fn measure(problem: &Problem, effort: Effort, past: &[Past]) -> Result<Vec<Measured>, String> {
    let mut contenders = contender::all(problem)?;
    contenders.retain(|it| {
        let seconds = foreseen(problem, &**it, past);
        if seconds > effort.longest() {
            eprintln!("  {:<28} left out: about {seconds:.0} s", it.name());
        }
        seconds <= effort.longest()
    });
    let input = problem.input();
    contenders.retain_mut(|it| {
        let why = it.refuses(&input);
        if let Some(why) = &why {
            eprintln!("  {:<28} left out: {why}", it.name());
        }
        why.is_none()
    });
    contender::check(problem, &mut contenders)?;
    let mut output = vec![0.0; input.len()];
    let values = timing::medians(&mut contenders, effort, |it| it.value(&input).is_some());
    let times = timing::medians(&mut contenders, effort, |it| {
        it.gradient(&input, &mut output);
        true
    });
    let pairs = times.into_iter().zip(values);
    let rows = contenders.into_iter().zip(pairs);
    Ok(rows.map(|(it, (time, value))| (it, time.unwrap_or(f64::NAN), value)).collect())
}

/// How much a contender has to do, up to a constant factor.
fn work(contender: &dyn Contender, problem: &Problem) -> f64 {
    contender.passes(problem) as f64 * problem.operations() as f64
}

/// Seconds that a gradient will take, from what the contender took for the last size.
fn foreseen(problem: &Problem, contender: &dyn Contender, past: &[Past]) -> f64 {
    let same = |it: &&Past| it.program == problem.name() && it.contender == contender.name();
    let any = past.iter().any(|it| it.program == problem.name());
    match past.iter().rev().find(same) {
        Some(it) => it.seconds * work(contender, problem) / it.work,
        // Left out before at a smaller size.
        None if any => f64::INFINITY,
        None => 0.0,
    }
}
