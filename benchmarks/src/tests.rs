//! Whether the references are right: their derivatives against central differences of their
//! values. And whether Cotan agrees with them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::contender::{Contender, Entry, Roster};
use crate::inputs::{self, Data, Input, Random};
use crate::measure::difference;
use crate::npy;
use crate::problem::{Phase, Problem, Program, Real};
use crate::process::Process;
use crate::worker;

/// A folder of its own for each test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("cotan-{name}-{}", std::process::id()));
        fs::create_dir_all(path.join("inputs")).unwrap();
        Folder(path)
    }

    fn inputs(&self, problem: &Problem, inputs: &[Input]) -> PathBuf {
        let place = self.0.join("inputs");
        inputs::write(inputs, problem.real, &place).unwrap();
        place
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

type Results = Vec<Vec<f64>>;

/// What C gives.
fn by_c(folder: &Folder, problem: &Problem, inputs: &[Input], phase: Phase) -> Results {
    let roster = Roster::new(&folder.0);
    let place = folder.inputs(problem, inputs);
    let entry = Entry { contender: Contender::C, threads: 1 };
    let command = roster.command(entry, problem, &place).unwrap();
    let patience = Duration::from_secs(20);
    let mut process = Process::start(command, patience).unwrap();
    process.run(phase, &folder.0, patience).unwrap();
    read(&folder.0, phase)
}

fn read(folder: &Path, phase: Phase) -> Results {
    let path = |index| folder.join(format!("{}.{index}.npy", phase.name()));
    (0..).map(path).take_while(|it| it.exists()).map(|it| npy::read_reals(&it).unwrap()).collect()
}

/// The inputs that are differentiated by, in the order of the results.
fn active(program: Program) -> &'static [&'static str] {
    match program {
        Program::Elementwise => &["a", "b", "c", "d", "e"],
        Program::LogSumExp | Program::Gather | Program::Jacobian => &["x"],
        Program::RotateRecords | Program::RotateRows => &["q", "v"],
        Program::RotateColumns => &["q", "v.x", "v.y", "v.z"],
        Program::MatMul => &["a", "b"],
        Program::Rk4 => &["rates", "start"],
        Program::Mixture => &["alpha", "mu", "q", "l"],
        Program::Bundle => &["cameras", "points", "weights"],
        Program::Lstm => &["main", "extra"],
        Program::KMeans => &["centres"],
        Program::Network => &["w1", "b1", "w2", "b2"],
        Program::Shifted => &["x", "y"],
        Program::Ragged => &["l", "u"],
        Program::Joined | Program::Directions | Program::Forces => &["x"],
        Program::Horner => &["c", "x"],
        Program::Minors => &["a"],
        Program::Pushforward => &["r"],
    }
}

fn reals<'a>(inputs: &'a [Input], name: &str) -> &'a [f64] {
    match inputs.iter().find(|it| it.name == name).map(|it| &it.data) {
        Some(Data::Reals(data)) => data,
        Some(Data::Ints(_)) | None => panic!("no reals {name}"),
    }
}

fn ints<'a>(inputs: &'a [Input], name: &str) -> &'a [i64] {
    match inputs.iter().find(|it| it.name == name).map(|it| &it.data) {
        Some(Data::Ints(data)) => data,
        Some(Data::Reals(_)) | None => panic!("no integers {name}"),
    }
}

/// Random directions for the active inputs.
fn directions(program: Program, inputs: &[Input]) -> Results {
    let mut random = Random(77);
    let mut one = |name: &&str| -> Vec<f64> {
        reals(inputs, name).iter().map(|_| random.between(-1.0, 1.0)).collect()
    };
    active(program).iter().map(&mut one).collect()
}

/// The inputs moved along directions.
fn moved(program: Program, inputs: &[Input], directions: &Results, step: f64) -> Vec<Input> {
    let mut res = inputs.to_vec();
    for (name, direction) in active(program).iter().zip(directions) {
        let input = res.iter_mut().find(|it| it.name == *name).unwrap();
        let Data::Reals(data) = &mut input.data else { panic!("{name} is not real") };
        data.iter_mut().zip(direction).for_each(|(it, along)| *it += step * along);
    }
    res
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

const STEP: f64 = 1e-6;

/// How the values of C change along the directions.
fn change(folder: &Folder, problem: &Problem, inputs: &[Input], along: &Results) -> Results {
    let at = |step| {
        let inputs = moved(problem.program, inputs, along, step);
        by_c(folder, problem, &inputs, Phase::Value)
    };
    let quotient = |(up, down): (&f64, &f64)| (up - down) / (2.0 * STEP);
    let column = |(up, down): (Vec<f64>, Vec<f64>)| up.iter().zip(&down).map(quotient).collect();
    at(STEP).into_iter().zip(at(-STEP)).map(column).collect()
}

/// The directional derivative that the derivative of C gives: of its values, times cotangents.
fn derivative(program: Program, inputs: &[Input], results: &Results, along: &Results) -> f64 {
    let gradients = |skip: usize| -> f64 {
        results[skip..].iter().zip(along).map(|(it, along)| inner(it, along)).sum()
    };
    match program {
        Program::Elementwise | Program::MatMul | Program::Gather => gradients(0),
        Program::Joined | Program::Pushforward | Program::Directions => gradients(0),
        Program::LogSumExp
        | Program::RotateRecords
        | Program::RotateColumns
        | Program::RotateRows
        | Program::Rk4
        | Program::Mixture
        | Program::Lstm
        | Program::KMeans
        | Program::Shifted
        | Program::Ragged
        | Program::Horner
        | Program::Minors
        | Program::Forces => gradients(1),
        Program::Network => {
            // Of a step of descent.
            let rate = reals(inputs, "rate")[0];
            let slope = |(name, next): (&&str, &Vec<f64>)| -> Vec<f64> {
                let old = reals(inputs, name);
                old.iter().zip(next).map(|(old, next)| (old - next) / rate).collect()
            };
            let slopes = active(program).iter().zip(&results[1..]).map(slope);
            slopes.zip(along).map(|(it, along)| inner(&it, along)).sum()
        }
        Program::Jacobian => results[0].chunks_exact(26).map(|row| inner(row, &along[0])).sum(),
        Program::Bundle => bundle(inputs, results, along),
    }
}

/// The sum of all residuals: every row of the Jacobian times its part of the directions.
fn bundle(inputs: &[Input], results: &Results, along: &Results) -> f64 {
    let (camera_of, point_of) = (ints(inputs, "camera_of"), ints(inputs, "point_of"));
    let mut res = inner(&results[1], &along[2]);
    for (index, rows) in results[0].chunks_exact(30).enumerate() {
        let camera = 11 * camera_of[index] as usize;
        let point = 3 * point_of[index] as usize;
        let mut direction = along[0][camera..camera + 11].to_vec();
        direction.extend(&along[1][point..point + 3]);
        direction.push(along[2][index]);
        res += rows.chunks_exact(15).map(|row| inner(row, &direction)).sum::<f64>();
    }
    res
}

/// What the values are multiplied with.
fn cotangents(program: Program, inputs: &[Input], values: &Results) -> Results {
    match program {
        Program::MatMul => vec![reals(inputs, "dc").to_vec()],
        Program::Gather => vec![reals(inputs, "dy").to_vec()],
        Program::Joined => vec![reals(inputs, "w").to_vec()],
        Program::Elementwise
        | Program::LogSumExp
        | Program::RotateRecords
        | Program::RotateColumns
        | Program::RotateRows
        | Program::Rk4
        | Program::Jacobian
        | Program::Mixture
        | Program::Bundle
        | Program::Lstm
        | Program::KMeans
        | Program::Network
        | Program::Shifted
        | Program::Ragged
        | Program::Horner
        | Program::Minors
        | Program::Pushforward
        | Program::Directions
        | Program::Forces => values.iter().map(|it| vec![1.0; it.len()]).collect(),
    }
}

fn with_c() -> impl Iterator<Item = Program> {
    let all = Program::ALL.into_iter().chain(Program::PATTERNS);
    all.filter(|it| it.reference().is_some())
}

#[test]
fn derivatives_by_hand_are_those_of_central_differences() {
    for program in with_c() {
        let folder = Folder::new("differences");
        let problem = Problem::small(program);
        let inputs = inputs::inputs(&problem);
        let along = directions(program, &inputs);
        let changes = change(&folder, &problem, &inputs, &along);
        let cotangents = cotangents(program, &inputs, &changes);
        let wanted: f64 = changes.iter().zip(&cotangents).map(|(a, b)| inner(a, b)).sum();
        let results = by_c(&folder, &problem, &inputs, Phase::Gradient);
        let found = derivative(program, &inputs, &results, &along);
        let name = program.name();
        assert!(
            (wanted - found).abs() <= 1e-6 * wanted.abs().max(1.0),
            "{name}: {found}, {wanted}"
        );
    }
}

#[test]
fn the_curvature_of_k_means_is_that_of_central_differences() {
    let folder = Folder::new("curvature");
    let problem = Problem::small(Program::KMeans);
    let inputs = inputs::inputs(&problem);
    let ones = vec![vec![1.0; reals(&inputs, "centres").len()]];
    let slopes = |step| {
        let inputs = moved(problem.program, &inputs, &ones, step);
        by_c(&folder, &problem, &inputs, Phase::Gradient).swap_remove(1)
    };
    let (up, down) = (slopes(STEP), slopes(-STEP));
    let found = by_c(&folder, &problem, &inputs, Phase::Gradient).swap_remove(2);
    for ((up, down), found) in up.iter().zip(&down).zip(&found) {
        assert!(((up - down) / (2.0 * STEP) - found).abs() < 1e-6, "{found}");
    }
}

#[test]
fn cotan_agrees_with_c() {
    for program in with_c() {
        let folder = Folder::new("agree");
        let problem = Problem::small(program);
        let inputs = inputs::inputs(&problem);
        for phase in Phase::ALL {
            let wanted = by_c(&folder, &problem, &inputs, phase);
            let place = folder.inputs(&problem, &inputs);
            let found = worker::results_of_cotan(program, Real::F64, &place, phase).unwrap();
            let name = program.name();
            assert_eq!(difference(Real::F64, &wanted, &found), None, "{name}, {}", phase.name());
        }
    }
}

#[test]
fn cotan_multiplies_matrices_as_the_crate_does() {
    let folder = Folder::new("product");
    let problem = Problem::small(Program::MatMul);
    let place = folder.inputs(&problem, &inputs::inputs(&problem));
    for phase in Phase::ALL {
        let wanted = worker::results_of_gemm(&place, phase).unwrap();
        let found = worker::results_of_cotan(problem.program, Real::F64, &place, phase).unwrap();
        assert_eq!(difference(Real::F64, &wanted, &found), None, "{}", phase.name());
    }
}

#[test]
fn what_is_far_or_no_number_is_different() {
    let far = |found: f64| difference(Real::F64, &[vec![1.0, 2.0]], &[vec![1.0, found]]);
    assert_eq!(far(2.0 + 1e-10), None);
    assert!(far(2.0 + 1e-8).is_some());
    assert!(far(f64::NAN).is_some());
    assert!(difference(Real::F64, &[vec![1.0]], &[]).is_some());
}
