//! Gradients of loops whose states do not fit into memory: the time of a step beside that of a run whose states
//! do fit, and how much memory they take.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use cotan::{Backend, Function, Options, Program, Report};
use cpu_time::ThreadTime;

use crate::effort::Effort;
use crate::machine;
use crate::memory::held;
use crate::report::{digits, time};

/// Bytes that a run may hold.
const MEMORY: u64 = 1 << 30;
/// How many times longer a step may take than where all states fit.
const MOST_TIMES: f64 = 2.5;
/// Steps whose states fit: 64 MB.
const FEW: i64 = 2000;
/// Steps whose states are more than `MEMORY`.
const ENOUGH: i64 = 40_000;
const RATE: f64 = 1e-6;

/// The program on one grid.
const TEXT: &str = concat!(
    include_str!("../programs/lattice.cot"),
    "
def start: [64][64]Real = build i < 64, j < 64 => 0.5
def one_loop(steps: Int, r: Real): Real = lattice(steps, r, start)
def loop_of_loops(steps: Int, r: Real): Real = rounds(steps / 1000, 1000, r, start)
"
);

/// What was measured of a definition.
struct Row {
    name: &'static str,
    steps: i64,
    /// Seconds of a step where all states fit, and in pieces.
    seconds: [f64; 2],
    /// The most bytes that the process held, or why that is not known.
    peak: Result<u64, String>,
}

/// Measures all; a full run writes `CHECKPOINTS.md`.
pub fn run(effort: Effort) -> Result<(), String> {
    let steps = match effort {
        Effort::Full => 1_000_000,
        Effort::Quick => ENOUGH,
    };
    let mut rows = Vec::new();
    for name in ["one_loop", "loop_of_loops"] {
        eprintln!("{name}");
        rows.push(measure(name, steps)?);
    }
    let table = table(&rows);
    println!("{}", table.trim());
    if effort == Effort::Quick {
        return Ok(());
    }
    let mut text = format!("{HEAD}\n- date: {}\n", machine::date());
    text += &format!("- machine: {}; load {}\n", machine::processor(), machine::load());
    for (name, version) in machine::ours() {
        text += &format!("- {name}: {version}\n");
    }
    text += &format!("\n{table}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("CHECKPOINTS.md");
    fs::write(&path, text).map_err(|error| format!("CHECKPOINTS.md: {error}"))
}

const HEAD: &str = "# Loops whose states do not fit

Written by `cargo run --release --manifest-path benchmarks/Cargo.toml -- checkpoints`: the gradient of a nonlinear \
map on a grid of 64 by 64 points, by one thread, of as many steps as fit and of a million steps in 1 GiB.
";

fn table(rows: &[Row]) -> String {
    let heads = ["program", "steps", "step, all kept", "step, in pieces", "times", "bar"];
    let mut out = format!("| {} | peak | bar | reached |\n", heads.join(" | "));
    out += "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";
    for it in rows {
        let [kept, pieces] = it.seconds;
        let ratio = pieces / kept;
        let (peak, fits) = match &it.peak {
            Ok(peak) => (format!("{} MiB", peak >> 20), *peak <= MEMORY),
            Err(why) => (format!("not measured ({why})"), false),
        };
        let verdict = if fits && ratio <= MOST_TIMES { "yes" } else { "**no**" };
        let cells = [
            format!("`{}`", it.name),
            it.steps.to_string(),
            time(kept),
            time(pieces),
            digits(ratio),
            MOST_TIMES.to_string(),
            peak,
            format!("{} MiB", MEMORY >> 20),
            verdict.to_string(),
        ];
        out += &format!("| {} |\n", cells.join(" | "));
    }
    out
}

fn measure(name: &'static str, steps: i64) -> Result<Row, String> {
    let gradient = || -> Result<Function, String> {
        let (memory, threads) = (MEMORY, NonZeroUsize::new(1));
        let options = Options { memory, threads, backend: Backend::Native, ..Options::default() };
        let program = Program::with_options("lattice.cot", TEXT, options).map_err(told)?;
        Ok(program.function(name).map_err(told)?.grad().wrt(["r"]))
    };
    let whole = gradient()?;
    // The first run compiles.
    seconds(&whole, FEW)?;
    let mut few = Vec::new();
    for _ in 0..5 {
        few.push(seconds(&whole, FEW)?);
    }
    few.sort_by(f64::total_cmp);
    let pieces = gradient()?;
    seconds(&pieces, ENOUGH)?;
    let status = "/proc/self/status";
    // Forgets what compiling took.
    let forgot = fs::write("/proc/self/clear_refs", "5");
    let many = seconds(&pieces, steps)?;
    let peak = forgot.and_then(|()| fs::read_to_string(status)).map_err(|it| it.to_string());
    let peak = peak.and_then(|it| held(&it));
    let seconds = [few[few.len() / 2] / FEW as f64, many / steps as f64];
    Ok(Row { name, steps, seconds, peak })
}

/// Seconds of this thread for one gradient, if that is right.
fn seconds(gradient: &Function, steps: i64) -> Result<f64, String> {
    let start = ThreadTime::now();
    let answer = gradient.call((steps, RATE)).map_err(told)?;
    let took = start.elapsed().as_secs_f64();
    let found = answer.as_real().ok_or("the gradient is no number")?;
    let right = derivative(steps);
    if (found - right).abs() > 1e-9 * right.abs() {
        return Err(format!("{steps} steps give {found}, not {right}"));
    }
    Ok(took)
}

/// The derivative of the sum over all points: they are the same, so nothing flows between them.
fn derivative(steps: i64) -> f64 {
    let (mut u, mut du) = (0.5, 0.0);
    for _ in 0..steps {
        du += u * (1.0 - u) + RATE * (1.0 - 2.0 * u) * du;
        u += RATE * u * (1.0 - u);
    }
    64.0 * 64.0 * du
}

fn told(report: Report) -> String {
    report.to_string()
}
