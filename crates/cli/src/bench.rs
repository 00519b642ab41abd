//! `cotan bench FILE`: measures the `bench` declarations of a file.

use std::time::{Duration, Instant};

use clap::Args;
use cotan::{Bench as Ready, BenchPart, Compiled, Report};

use crate::options::RunOptions;
use crate::output::{Format, Output};
use crate::{Status, files, waiting};

/// Arguments of `bench`.
#[derive(Args)]
pub(crate) struct Bench {
    /// The program; `-` reads standard input
    file: String,
    /// Only benches whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// How long to measure each value and each derivative
    #[arg(long, value_name = "SECONDS", default_value = "0.5", value_parser = seconds)]
    seconds: Duration,
    /// Print one JSON object: {"benches":[...]}
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: RunOptions,
}

/// Seconds of one run of each part.
struct Measured {
    name: String,
    name_json: String,
    line: usize,
    primal: Times,
    derivative: Option<Times>,
}

/// The times of one part, in seconds of one run.
struct Times {
    median: f64,
    least: f64,
    /// How often it ran.
    runs: u64,
}

impl Bench {
    pub(crate) fn run(&self, output: &Output) -> Status {
        let format = Format::from_flag(self.json);
        let measured = self.measured(output);
        output.progress("");
        match measured {
            Ok(benches) => {
                print_benches(&benches, format, output);
                Status::Success
            }
            Err(report) => output.fail(&report, format),
        }
    }

    fn measured(&self, output: &Output) -> Result<Vec<Measured>, Report> {
        let text = files::source(&self.file)?;
        let mut program = waiting::compiler(self.options.library()).compile(&self.file, &text)?;
        output.report(program.warnings());
        let chosen: Vec<usize> = (0..program.n_benches())
            .filter(|it| program.bench_name(*it).contains(&self.only))
            .collect();
        // All before the first runs: getting one ready adds to the program.
        let mut ready = Vec::new();
        for index in chosen {
            output.progress(&format!("{}: getting ready", program.bench_name(index)));
            ready.push(program.bench(index)?);
        }
        output.note_interpreter(program.without_compiler());
        let n_ready = ready.len();
        let mut res = Vec::new();
        for (position, bench) in ready.into_iter().enumerate() {
            output.progress(&format!("{} ({} of {n_ready})", bench.name, position + 1));
            let primal = self.times(&mut program, &bench, BenchPart::Primal)?;
            let derivative = match bench.has_derivative() {
                true => Some(self.times(&mut program, &bench, BenchPart::Derivative)?),
                false => None,
            };
            let (name_json, line) = (bench.name_json(), bench.line);
            res.push(Measured { name: bench.name, name_json, line, primal, derivative });
        }
        Ok(res)
    }

    /// Runs once to compile and to warm up, then in batches that are long against the steps of
    /// the clock, until the time is over.
    fn times(
        &self,
        program: &mut Compiled,
        bench: &Ready,
        part: BenchPart,
    ) -> Result<Times, Report> {
        program.run_bench(bench, part)?;
        let (start, mut batch, mut runs, mut found) = (Instant::now(), 1, 0, Vec::new());
        while found.is_empty() || start.elapsed() < self.seconds {
            let begin = Instant::now();
            for _ in 0..batch {
                std::hint::black_box(program.run_bench(bench, part)?);
            }
            let whole = begin.elapsed();
            runs += batch;
            if whole < BATCH && start.elapsed() < self.seconds {
                batch *= 2;
            } else {
                found.push(whole.as_secs_f64() / batch as f64);
            }
        }
        found.sort_by(f64::total_cmp);
        Ok(Times { median: found[found.len() / 2], least: found[0], runs })
    }
}

/// How long a batch is at least.
const BATCH: Duration = Duration::from_millis(2);

impl Measured {
    fn ratio(&self) -> Option<f64> {
        self.derivative.as_ref().map(|it| it.median / self.primal.median)
    }

    fn to_json(&self) -> String {
        let name = &self.name_json;
        let primal = self.primal.to_json();
        let derivative = self.derivative.as_ref().map_or("null".to_string(), Times::to_json);
        let ratio = self.ratio().map_or("null".to_string(), |it| format!("{it:e}"));
        format!(
            "{{\"name\":{name},\"line\":{},\"primal\":{primal},\"derivative\":{derivative},\"ratio\":{ratio}}}",
            self.line
        )
    }
}

impl Times {
    fn to_json(&self) -> String {
        let Times { median, least, runs } = self;
        format!("{{\"median\":{median:e},\"least\":{least:e},\"runs\":{runs}}}")
    }
}

fn print_benches(benches: &[Measured], format: Format, output: &Output) {
    if format == Format::Json {
        let objects: Vec<String> = benches.iter().map(Measured::to_json).collect();
        output.line(&format!("{{\"benches\":[{}]}}", objects.join(",")));
        return;
    }
    if benches.is_empty() {
        output.line("no benches found: write some as `bench \"name\" = expression`");
        return;
    }
    let width = benches.iter().map(|it| it.name.chars().count()).max().unwrap_or(0).max(5);
    output.line(&format!(
        "{:<width$}  {:>10}  {:>10}  {:>6}",
        "bench", "primal", "derivative", "ratio"
    ));
    for bench in benches {
        let derivative = bench.derivative.as_ref().map_or("-".to_string(), |it| time(it.median));
        let ratio = bench.ratio().map_or("-".to_string(), |it| format!("{it:.2}"));
        let primal = time(bench.primal.median);
        output.line(&format!("{:<width$}  {primal:>10}  {derivative:>10}  {ratio:>6}", bench.name));
    }
}

/// `1.23 us`, three digits.
fn time(seconds: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")];
    let (unit, name) = units.into_iter().find(|it| seconds >= it.0).unwrap_or(units[3]);
    let number = seconds / unit;
    let decimals = if number >= 100.0 {
        0
    } else if number >= 10.0 {
        1
    } else {
        2
    };
    format!("{number:.decimals$} {name}")
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "write a number of seconds".to_string())?;
    Duration::try_from_secs_f64(number).map_err(|_| "write a number of seconds".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_a_unit() {
        assert_eq!(time(1.234e-3), "1.23 ms");
        assert_eq!(time(56.78e-6), "56.8 us");
        assert_eq!(time(901.2e-9), "901 ns");
        assert_eq!(time(12.0), "12.0 s");
    }

    #[test]
    fn seconds_are_positive_numbers() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for wrong in ["", "-1", "x", "nan", "inf"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
