//! The inputs of a problem, from one deterministic generator, so that all contenders read the
//! same numbers.

use std::fs;
use std::path::Path;

use crate::npy;
use crate::problem::{Problem, Program, Real};

/// An array, or a number as an array without dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    pub name: &'static str,
    pub shape: Vec<usize>,
    pub data: Data,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    Reals(Vec<f64>),
    Ints(Vec<i64>),
}

/// All inputs of a problem, under the names of the parameters of its definitions.
pub fn inputs(problem: &Problem) -> Vec<Input> {
    let random = &mut Random(0x9e37_79b9_7f4a_7c15);
    let sizes = &problem.sizes;
    match problem.program {
        Program::Elementwise => {
            ["a", "b", "c", "d", "e"].map(|it| random.reals(it, &[sizes[0]], -1.0, 1.0)).into()
        }
        Program::LogSumExp => vec![random.reals("x", sizes, -3.0, 3.0)],
        Program::RotateRecords | Program::RotateRows => vec![
            real_list("q", &QUATERNION),
            random.reals("v", &[sizes[0], 3], -1.0, 1.0),
            random.reals("t", &[sizes[0], 3], 0.0, 1.0),
        ],
        Program::RotateColumns => {
            let mut column = |it, low| random.reals(it, &[sizes[0]], low, 1.0);
            vec![
                real_list("q", &QUATERNION),
                column("v.x", -1.0),
                column("v.y", -1.0),
                column("v.z", -1.0),
                column("t.x", 0.0),
                column("t.y", 0.0),
                column("t.z", 0.0),
            ]
        }
        Program::MatMul => {
            ["a", "b", "dc"].map(|it| random.reals(it, &[sizes[0], sizes[0]], -1.0, 1.0)).into()
        }
        Program::Gather => vec![
            random.reals("x", &[sizes[0]], -1.0, 1.0),
            random.ints("at", sizes[1], sizes[0]),
            random.reals("dy", &[sizes[1]], 0.0, 1.0),
        ],
        Program::Rk4 => vec![
            real_list("rates", &[0.9, 0.6, 0.7, 0.5]),
            real_list("start", &[1.2, 0.9]),
            real("h", 1e-4),
            int("steps", sizes[0]),
        ],
        Program::Jacobian => {
            vec![random.reals("x", &[26], -1.0, 1.0), int("steps", sizes[0]), int("rows", sizes[1])]
        }
        Program::Mixture => mixture(sizes[0], sizes[1], sizes[2], random),
        Program::Bundle => bundle(sizes[0], sizes[1], sizes[2], random),
        Program::Lstm => lstm(sizes[0], sizes[1], random),
        Program::KMeans => vec![
            random.reals("points", &[sizes[1], sizes[2]], -1.0, 1.0),
            random.reals("centres", &[sizes[0], sizes[2]], -1.0, 1.0),
        ],
        Program::Network => network(sizes, random),
        Program::Shifted => vec![
            random.reals("x", &[sizes[0]], 0.5, 1.0),
            // So that nothing dies out.
            random.reals("y", &[sizes[0]], 0.9, 1.1),
            int("steps", sizes[1]),
        ],
        Program::Ragged => vec![
            random.reals("l", &[sizes[0], sizes[0]], -1.0, 1.0),
            random.reals("u", &[sizes[1], sizes[0]], -1.0, 1.0),
        ],
        Program::Joined => vec![
            random.reals("x", &[sizes[0]], -1.0, 1.0),
            random.reals("w", &[3 * sizes[0]], -1.0, 1.0),
            int("k", 1),
        ],
        Program::Horner => vec![
            random.reals("c", &[sizes[0]], -1.0, 1.0),
            random.reals("x", &[sizes[1]], -1.0, 1.0),
        ],
        Program::Minors => vec![random.reals("a", &[sizes[0], sizes[0]], -1.0, 1.0)],
        // Two values by turns, so that the derivative stays small.
        Program::Pushforward => vec![real("r", 3.2), real("x", 0.3), int("steps", sizes[0])],
        Program::Directions => {
            vec![random.reals("x", &[sizes[0]], -1.0, 1.0), int("steps", sizes[1])]
        }
        Program::Forces => vec![random.reals("x", &[sizes[0], 3], -1.0, 1.0)],
    }
}

/// Writes them as `NAME.npy`.
pub fn write(inputs: &[Input], real: Real, folder: &Path) -> Result<(), String> {
    for input in inputs {
        let bytes = match &input.data {
            Data::Reals(data) => npy::of_reals(&input.shape, data, real),
            Data::Ints(data) => npy::of_ints(&input.shape, data),
        };
        let path = folder.join(format!("{}.npy", input.name));
        fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// A quaternion that is not quite of length one.
const QUATERNION: [f64; 4] = [0.1, -0.4, 0.3, 0.8];

fn mixture(d: usize, k: usize, n: usize, random: &mut Random) -> Vec<Input> {
    // Precisions so that all components matter for some points.
    let spread = 1.0 / (d as f64).sqrt();
    vec![
        random.reals("x", &[n, d], 0.0, 1.0),
        random.reals("alpha", &[k], -1.0, 1.0),
        random.reals("mu", &[k, d], 0.0, 1.0),
        random.reals("q", &[k, d], -0.5, 0.5),
        random.reals("l", &[k, d * (d - 1) / 2], -spread, spread),
        real("gamma", 1.0),
        int("m", 0),
    ]
}

fn bundle(cameras: usize, points: usize, observations: usize, random: &mut Random) -> Vec<Input> {
    let mut rows = Vec::new();
    for _ in 0..cameras {
        rows.extend((0..3).map(|_| random.between(-0.3, 0.3)));
        rows.extend([random.between(-1.0, 1.0), random.between(-1.0, 1.0)]);
        rows.extend([random.between(-6.0, -4.0), random.between(0.9, 1.2)]);
        rows.extend((0..4).map(|_| random.between(-0.05, 0.05)));
    }
    vec![
        Input { name: "cameras", shape: vec![cameras, 11], data: Data::Reals(rows) },
        random.reals("points", &[points, 3], -1.0, 1.0),
        random.reals("weights", &[observations], 0.5, 1.5),
        random.ints("camera_of", observations, cameras),
        random.ints("point_of", observations, points),
        random.reals("features", &[observations, 2], -0.3, 0.3),
    ]
}

fn lstm(layers: usize, steps: usize, random: &mut Random) -> Vec<Input> {
    /// The width that the benchmark has.
    const WIDTH: usize = 14;
    let bit = |_| f64::from(random.below(2) == 1);
    let bits: Vec<f64> = (0..steps * WIDTH).map(bit).collect();
    vec![
        random.reals("main", &[2 * layers, 4 * WIDTH], -1.0, 1.0),
        random.reals("extra", &[3, WIDTH], -1.0, 1.0),
        random.reals("state", &[2 * layers, WIDTH], -1.0, 1.0),
        Input { name: "text", shape: vec![steps, WIDTH], data: Data::Reals(bits) },
    ]
}

fn network(sizes: &[usize], random: &mut Random) -> Vec<Input> {
    let [inputs, hidden, classes, batch] = [sizes[0], sizes[1], sizes[2], sizes[3]];
    let (first, second) = (1.0 / (inputs as f64).sqrt(), 1.0 / (hidden as f64).sqrt());
    vec![
        random.reals("w1", &[inputs, hidden], -first, first),
        random.reals("b1", &[hidden], -0.1, 0.1),
        random.reals("w2", &[hidden, classes], -second, second),
        random.reals("b2", &[classes], -0.1, 0.1),
        random.reals("x", &[batch, inputs], 0.0, 1.0),
        random.ints("class", batch, classes),
        real("rate", 0.1),
    ]
}

fn real(name: &'static str, value: f64) -> Input {
    Input { name, shape: vec![], data: Data::Reals(vec![value]) }
}

fn int(name: &'static str, value: usize) -> Input {
    Input { name, shape: vec![], data: Data::Ints(vec![value as i64]) }
}

fn real_list(name: &'static str, values: &[f64]) -> Input {
    Input { name, shape: vec![values.len()], data: Data::Reals(values.to_vec()) }
}

/// Numbers that are the same in every run (splitmix64).
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    /// A real from `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn reals(&mut self, name: &'static str, shape: &[usize], low: f64, high: f64) -> Input {
        let count: usize = shape.iter().product();
        let data = (0..count).map(|_| self.between(low, high)).collect();
        Input { name, shape: shape.to_vec(), data: Data::Reals(data) }
    }

    fn ints(&mut self, name: &'static str, count: usize, bound: usize) -> Input {
        let data = (0..count).map(|_| self.below(bound) as i64).collect();
        Input { name, shape: vec![count], data: Data::Ints(data) }
    }
}
