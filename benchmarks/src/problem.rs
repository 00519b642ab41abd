//! What is measured: the programs and their sizes.

mod bars;

pub use bars::{Bar, Rival};

/// The programs; each has a file in `programs`, and a reference that is written by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Elementwise,
    LogSumExp,
    RotateRecords,
    RotateColumns,
    RotateRows,
    MatMul,
    Gather,
    Rk4,
    Jacobian,
    Mixture,
    Bundle,
    Lstm,
    KMeans,
    Network,
    Shifted,
    Ragged,
    Joined,
    Horner,
    Minors,
    Pushforward,
    Directions,
    Forces,
}

/// The precision of reals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Real {
    F64,
    F32,
}

/// What is timed of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Value,
    Gradient,
}

/// A program with sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub program: Program,
    /// In the order of [`Program::size_names`].
    pub sizes: Vec<usize>,
    pub real: Real,
}

impl Program {
    pub const ALL: [Program; 14] = [
        Program::Elementwise,
        Program::LogSumExp,
        Program::RotateRecords,
        Program::RotateColumns,
        Program::RotateRows,
        Program::MatMul,
        Program::Gather,
        Program::Rk4,
        Program::Jacobian,
        Program::Mixture,
        Program::Bundle,
        Program::Lstm,
        Program::KMeans,
        Program::Network,
    ];

    /// Those that show one pattern each, with C by hand beside it (`patterns/bars.rs`).
    pub const PATTERNS: [Program; 8] = [
        Program::Shifted,
        Program::Ragged,
        Program::Joined,
        Program::Horner,
        Program::Minors,
        Program::Pushforward,
        Program::Directions,
        Program::Forces,
    ];

    /// The name of its file, without extension.
    pub fn name(self) -> &'static str {
        match self {
            Program::Elementwise => "elementwise",
            Program::LogSumExp => "logsumexp",
            Program::RotateRecords => "rotate_records",
            Program::RotateColumns => "rotate_columns",
            Program::RotateRows => "rotate_rows",
            Program::MatMul => "matmul",
            Program::Gather => "gather",
            Program::Rk4 => "rk4",
            Program::Jacobian => "jacobian",
            Program::Mixture => "mixture",
            Program::Bundle => "bundle",
            Program::Lstm => "lstm",
            Program::KMeans => "kmeans",
            Program::Network => "network",
            Program::Shifted => "shifted",
            Program::Ragged => "ragged",
            Program::Joined => "joined",
            Program::Horner => "horner",
            Program::Minors => "minors",
            Program::Pushforward => "pushforward",
            Program::Directions => "directions",
            Program::Forces => "forces",
        }
    }

    /// The C file of the reference; none for the matrix product, which has the `gemm` crate.
    pub fn reference(self) -> Option<&'static str> {
        match self {
            Program::MatMul => None,
            // C stores rows of three as it stores structures of three.
            Program::RotateRows => Some("rotate_records"),
            Program::Elementwise
            | Program::LogSumExp
            | Program::RotateRecords
            | Program::RotateColumns
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
            | Program::Forces => Some(self.name()),
        }
    }

    /// For people.
    fn title(self) -> &'static str {
        match self {
            Program::Elementwise => "`exp(-(a*b+c)^2)*tanh(d)+e`",
            Program::LogSumExp => "logsumexp of rows",
            Program::RotateRecords => "rotate vectors, array of records",
            Program::RotateColumns => "rotate vectors, record of arrays",
            Program::RotateRows => "rotate vectors, `[n][3]Real`",
            Program::MatMul => "matrix product",
            Program::Gather => "gather / scatter-add",
            Program::Rk4 => "Runge-Kutta loop",
            Program::Jacobian => "Jacobian by 26 numbers, through a recursion and a loop",
            Program::Mixture => "Gaussian mixture",
            Program::Bundle => "bundle adjustment, sparse Jacobian",
            Program::Lstm => "LSTM",
            Program::KMeans => "k-means, gradient and Hessian diagonal",
            Program::Network => "network, one training step",
            Program::Shifted => "shifted reads under a test of the index",
            Program::Ragged => "ragged sums, a triangle times vectors",
            Program::Joined => "arrays put together",
            Program::Horner => "a fold over arrays, polynomials at points",
            Program::Minors => "recursion over parts of arrays, a determinant",
            Program::Pushforward => "`jvp` through a loop",
            Program::Directions => "`jvp` in all directions, with loops that are the same for all",
            Program::Forces => "forces between particles",
        }
    }

    fn size_names(self) -> &'static [&'static str] {
        match self {
            Program::Elementwise
            | Program::RotateRecords
            | Program::RotateColumns
            | Program::RotateRows
            | Program::MatMul => &["n"],
            Program::LogSumExp => &["rows", "columns"],
            Program::Gather => &["from", "elements"],
            Program::Rk4 => &["steps"],
            Program::Jacobian => &["steps", "rows"],
            Program::Mixture => &["d", "k", "n"],
            Program::Bundle => &["cameras", "points", "observations"],
            Program::Lstm => &["layers", "steps"],
            Program::KMeans => &["k", "n", "d"],
            Program::Network => &["inputs", "hidden", "classes", "batch"],
            Program::Shifted => &["n", "steps"],
            Program::Ragged => &["d", "n"],
            Program::Joined => &["n"],
            Program::Horner => &["k", "n"],
            Program::Minors => &["n"],
            Program::Pushforward => &["steps"],
            Program::Directions => &["n", "steps"],
            Program::Forces => &["n"],
        }
    }

    /// The sizes of the table of bars.
    fn sizes(self) -> Vec<Vec<usize>> {
        let lists: &[&[usize]] = match self {
            Program::Elementwise => &[&[1_000], &[100_000], &[10_000_000]],
            Program::LogSumExp => &[&[1000, 200]],
            Program::RotateRecords | Program::RotateColumns | Program::RotateRows => &[&[100_000]],
            Program::MatMul => &[&[64], &[512], &[1024]],
            Program::Gather => &[&[100_000, 1_000_000]],
            Program::Rk4 => &[&[1_000_000]],
            Program::Jacobian => &[&[1000, 60]],
            Program::Mixture => &[
                &[2, 5, 1000],
                &[2, 25, 1000],
                &[10, 5, 1000],
                &[10, 25, 1000],
                &[64, 5, 1000],
                &[64, 25, 1000],
            ],
            Program::Bundle => &[&[49, 7776, 31_843], &[161, 48_126, 182_072]],
            Program::Lstm => &[&[2, 1024], &[2, 4096], &[4, 1024], &[4, 4096]],
            Program::KMeans => &[&[10, 10_000, 8], &[100, 10_000, 8]],
            Program::Network => &[&[784, 256, 10, 256]],
            Program::Shifted => &[&[10_000, 100]],
            Program::Ragged => &[&[10, 10_000], &[64, 1000]],
            Program::Joined => &[&[100_000]],
            Program::Horner => &[&[100, 10_000]],
            Program::Minors => &[&[7]],
            Program::Pushforward => &[&[1_000_000]],
            Program::Directions => &[&[100, 1000]],
            Program::Forces => &[&[1000]],
        };
        lists.iter().map(|it| it.to_vec()).collect()
    }

    /// Sizes that even the interpreter runs at once, and that are no multiples of vectors.
    #[cfg(test)]
    fn small_sizes(self) -> Vec<usize> {
        match self {
            Program::Elementwise => vec![37],
            Program::LogSumExp => vec![5, 13],
            Program::RotateRecords | Program::RotateColumns | Program::RotateRows => vec![11],
            Program::MatMul => vec![9],
            Program::Gather => vec![7, 23],
            Program::Rk4 => vec![50],
            Program::Jacobian => vec![7, 40],
            Program::Mixture => vec![3, 4, 19],
            Program::Bundle => vec![3, 5, 17],
            Program::Lstm => vec![2, 6],
            Program::KMeans => vec![3, 29, 2],
            Program::Network => vec![6, 5, 3, 8],
            Program::Shifted => vec![13, 3],
            Program::Ragged => vec![5, 7],
            Program::Joined => vec![11],
            Program::Horner => vec![5, 19],
            Program::Minors => vec![4],
            Program::Pushforward => vec![9],
            Program::Directions => vec![7, 5],
            Program::Forces => vec![11],
        }
    }

    fn reals(self) -> &'static [Real] {
        match self {
            Program::Elementwise => &[Real::F64, Real::F32],
            Program::Network => &[Real::F32],
            Program::LogSumExp
            | Program::RotateRecords
            | Program::RotateColumns
            | Program::RotateRows
            | Program::MatMul
            | Program::Gather
            | Program::Rk4
            | Program::Jacobian
            | Program::Mixture
            | Program::Bundle
            | Program::Lstm
            | Program::KMeans
            | Program::Shifted
            | Program::Ragged
            | Program::Joined
            | Program::Horner
            | Program::Minors
            | Program::Pushforward
            | Program::Directions
            | Program::Forces => &[Real::F64],
        }
    }
}

impl Real {
    pub fn name(self) -> &'static str {
        match self {
            Real::F64 => "f64",
            Real::F32 => "f32",
        }
    }

    pub fn from_name(name: &str) -> Option<Real> {
        [Real::F64, Real::F32].into_iter().find(|it| it.name() == name)
    }

    /// How far results may differ, relative to the greatest number of an array.
    pub fn tolerance(self) -> f64 {
        match self {
            Real::F64 => 1e-9,
            Real::F32 => 1e-3,
        }
    }
}

impl Phase {
    pub const ALL: [Phase; 2] = [Phase::Value, Phase::Gradient];

    /// The name of the definition.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Value => "value",
            Phase::Gradient => "gradient",
        }
    }
}

impl Problem {
    /// Everything that is measured.
    pub fn all() -> Vec<Problem> {
        let mut res = Vec::new();
        for program in Program::ALL {
            for real in program.reals() {
                for sizes in program.sizes() {
                    res.push(Problem { program, sizes, real: *real });
                }
            }
        }
        res
    }

    /// The patterns, with their sizes.
    pub fn patterns() -> Vec<Problem> {
        let mut res = Vec::new();
        for program in Program::PATTERNS {
            let problem = |sizes| Problem { program, sizes, real: Real::F64 };
            res.extend(program.sizes().into_iter().map(problem));
        }
        res
    }

    /// A small one, to see whether results are right.
    #[cfg(test)]
    pub fn small(program: Program) -> Problem {
        Problem { program, sizes: program.small_sizes(), real: Real::F64 }
    }

    /// The mixture whose memory is measured.
    pub fn of_memory(effort: crate::effort::Effort) -> Problem {
        let n = match effort {
            crate::effort::Effort::Full => 1_000_000,
            crate::effort::Effort::Quick => 10_000,
        };
        Problem { program: Program::Mixture, sizes: vec![10, 25, n], real: Real::F64 }
    }

    /// For people.
    pub fn title(&self) -> String {
        let named: Vec<String> = self
            .program
            .size_names()
            .iter()
            .zip(&self.sizes)
            .map(|(name, size)| format!("{name} = {size}"))
            .collect();
        let real = if self.real == Real::F32 { ", f32" } else { "" };
        format!("{}, {}{real}", self.program.title(), named.join(", "))
    }

    /// For files and programs: `mixture-10-25-1000-f64`.
    pub fn key(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(usize::to_string).collect();
        format!("{}-{}-{}", self.program.name(), sizes.join("-"), self.real.name())
    }
}
