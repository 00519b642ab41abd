//! A program by Cotan, through its library: compiled once, called many times with arguments that
//! were made before.

use std::fs;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::path::Path;

use array::Buffer;
use cotan::{
    Answer, Argument, ArgumentData, Backend, Compiled, Compiler, Options, Precision, Prepared,
    Report, Style, Via,
};

use super::Worker;
use crate::npy;
use crate::problem::{Phase, Program, Real};

/// Bytes that a run may hold.
const MEMORY: u64 = 16 << 30;

/// A compiled program with arguments.
pub struct ByCotan {
    program: Program,
    compiled: Compiled,
    value: Prepared,
    gradient: Prepared,
}

impl ByCotan {
    pub fn new(
        program: Program,
        real: Real,
        threads: usize,
        folder: &Path,
    ) -> Result<ByCotan, String> {
        let precision = match real {
            Real::F64 => Precision::F64,
            Real::F32 => Precision::F32,
        };
        let options = Options {
            precision,
            memory: MEMORY,
            backend: Backend::Native,
            threads: NonZeroUsize::new(threads),
            ..Options::default()
        };
        ByCotan::with(program, options, folder)
    }

    /// By one method, at one thread; compiled if the method gives code.
    pub fn by_method(program: Program, folder: &Path, via: Via) -> Result<ByCotan, String> {
        let threads = NonZeroUsize::new(1);
        let backend = if via == Via::Tape { Backend::Interp } else { Backend::Native };
        let options = Options { via, backend, threads, memory: MEMORY, ..Options::default() };
        ByCotan::with(program, options, folder)
    }

    fn with(program: Program, options: Options, folder: &Path) -> Result<ByCotan, String> {
        let file = format!("{}.cot", program.name());
        let mut compiled =
            Compiler::new(options).compile(&file, text(program)).map_err(complaint)?;
        let arguments = arguments(program, folder)?;
        let value = compiled.prepare("value", &arguments).map_err(complaint)?;
        let gradient = compiled.prepare("gradient", &arguments).map_err(complaint)?;
        Ok(ByCotan { program, compiled, value, gradient })
    }

    fn call(&mut self, phase: Phase) -> Result<Answer, String> {
        let call = match phase {
            Phase::Value => &self.value,
            Phase::Gradient => &self.gradient,
        };
        self.compiled.call_prepared(call).map_err(complaint)
    }
}

fn complaint(report: Report) -> String {
    report.render(Style::Plain)
}

impl Worker for ByCotan {
    fn run(&mut self, phase: Phase) -> Result<(), String> {
        black_box(self.call(phase)?);
        Ok(())
    }

    fn results(&mut self, phase: Phase) -> Result<Vec<Vec<f64>>, String> {
        let answer = self.call(phase)?;
        let mut slices = answer.slices().into_iter();
        let widths = widths(self.program, phase, slices.len());
        let mut take = |width: usize| interleaved(slices.by_ref().take(width).collect());
        Ok(widths.into_iter().map(&mut take).collect())
    }
}

/// How many slices of an answer make up each result of the reference: records, which Cotan stores
/// by columns and C does not.
fn widths(program: Program, phase: Phase, n_slices: usize) -> Vec<usize> {
    if phase == Phase::Gradient && program == Program::RotateRecords {
        vec![1, 4, 3]
    } else if phase == Phase::Gradient && program == Program::RotateColumns {
        vec![1, 4, 1, 1, 1]
    } else {
        vec![1; n_slices]
    }
}

/// The first of each, then the second of each, and so on.
fn interleaved(slices: Vec<&[f64]>) -> Vec<f64> {
    let length = slices.first().map_or(0, |it| it.len());
    (0..length).flat_map(|row| slices.iter().map(move |it| it[row])).collect()
}

/// The text of a program.
fn text(program: Program) -> &'static str {
    match program {
        Program::Elementwise => include_str!("../../programs/elementwise.cot"),
        Program::LogSumExp => include_str!("../../programs/logsumexp.cot"),
        Program::RotateRecords => include_str!("../../programs/rotate_records.cot"),
        Program::RotateColumns => include_str!("../../programs/rotate_columns.cot"),
        Program::RotateRows => include_str!("../../programs/rotate_rows.cot"),
        Program::MatMul => include_str!("../../programs/matmul.cot"),
        Program::Gather => include_str!("../../programs/gather.cot"),
        Program::Rk4 => include_str!("../../programs/rk4.cot"),
        Program::Jacobian => include_str!("../../programs/jacobian.cot"),
        Program::Mixture => include_str!("../../programs/mixture.cot"),
        Program::Bundle => include_str!("../../programs/bundle.cot"),
        Program::Lstm => include_str!("../../programs/lstm.cot"),
        Program::KMeans => include_str!("../../programs/kmeans.cot"),
        Program::Network => include_str!("../../programs/network.cot"),
        Program::Shifted => include_str!("../../programs/shifted.cot"),
        Program::Ragged => include_str!("../../programs/ragged.cot"),
        Program::Joined => include_str!("../../programs/joined.cot"),
        Program::Horner => include_str!("../../programs/horner.cot"),
        Program::Minors => include_str!("../../programs/minors.cot"),
        Program::Pushforward => include_str!("../../programs/pushforward.cot"),
        Program::Directions => include_str!("../../programs/directions.cot"),
        Program::Forces => include_str!("../../programs/forces.cot"),
    }
}

const VECTOR: [&str; 3] = ["x", "y", "z"];
const QUATERNION: [&str; 4] = ["x", "y", "z", "w"];

/// The arguments from the files of a folder: as the parameters of the definitions want them.
fn arguments(program: Program, folder: &Path) -> Result<Vec<Argument>, String> {
    match program {
        Program::RotateRecords => Ok(vec![
            record(folder, "q", &QUATERNION)?,
            records(folder, "v", &VECTOR)?,
            records(folder, "t", &VECTOR)?,
        ]),
        Program::RotateColumns => Ok(vec![
            record(folder, "q", &QUATERNION)?,
            columns(folder, "v", &VECTOR)?,
            columns(folder, "t", &VECTOR)?,
        ]),
        Program::Elementwise
        | Program::LogSumExp
        | Program::RotateRows
        | Program::MatMul
        | Program::Gather
        | Program::Rk4
        | Program::Jacobian
        | Program::Mixture
        | Program::Bundle
        | Program::Lstm
        | Program::KMeans
        | Program::Network
        | Program::Shifted
        | Program::Ragged
        | Program::Joined
        | Program::Horner
        | Program::Minors
        | Program::Pushforward
        | Program::Directions
        | Program::Forces => files(folder),
    }
}

/// An argument for every file.
fn files(folder: &Path) -> Result<Vec<Argument>, String> {
    let complaint = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut res = Vec::new();
    for entry in fs::read_dir(folder).map_err(complaint)? {
        let path = entry.map_err(complaint)?.path();
        let name = path.file_stem().map(|it| it.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let dense = npy::read(&path)?;
        res.push(match dense.data {
            Buffer::Real(data) if dense.shape.is_empty() => Argument::real(&name, data[0]),
            Buffer::Real(data) => Argument::owned_reals(&name, &dense.shape, data),
            Buffer::Int(_) | Buffer::Bool(_) => {
                let data = ArgumentData::Array(dense);
                Argument { name, origin: "a file".into(), data }
            }
        });
    }
    Ok(res)
}

/// `[k]` numbers as the fields of a record.
fn record(folder: &Path, name: &str, fields: &[&str]) -> Result<Argument, String> {
    let data = npy::read_reals(&folder.join(format!("{name}.npy")))?;
    let parts = fields.iter().zip(data).map(|(field, it)| Argument::real(field, it));
    Ok(Argument::parts(name, parts.collect()))
}

/// `[n][k]` numbers as the fields of n records.
fn records(folder: &Path, name: &str, fields: &[&str]) -> Result<Argument, String> {
    let data = npy::read_reals(&folder.join(format!("{name}.npy")))?;
    let part = |(index, field): (usize, &&str)| {
        let column: Vec<f64> = data.iter().copied().skip(index).step_by(fields.len()).collect();
        Argument::owned_reals(field, &[column.len()], column)
    };
    Ok(Argument::parts(name, fields.iter().enumerate().map(part).collect()))
}

/// `NAME.FIELD` for every field of a record.
fn columns(folder: &Path, name: &str, fields: &[&str]) -> Result<Argument, String> {
    let part = |field: &&str| {
        let data = npy::read_reals(&folder.join(format!("{name}.{field}.npy")))?;
        Ok(Argument::owned_reals(field, &[data.len()], data))
    };
    let parts: Result<Vec<Argument>, String> = fields.iter().map(part).collect();
    parts.map(|it| Argument::parts(name, it))
}
