//! Cotan as a library: compile a text, call its definitions, evaluate expressions, run tests.
//!
//! ```
//! use cotan::{Argument, Compiler, Options};
//!
//! # fn main() -> Result<(), cotan::Report> {
//! let text = "
//!     def loss(w: [n]Real, x: [n]Real, y: Real): Real = (dot(w, x) - y) ** 2.0
//!     def main = grad(\\w => loss(w, [1.0, 2.0], 1.0))([1.0, 1.0])
//! ";
//! let mut program = Compiler::new(Options::default()).compile("loss.cot", text)?;
//! assert_eq!(program.call("main", &[])?.to_text(), "[4.0, 8.0]");
//!
//! let w = Argument::reals("w", &[3], &[1.0, 2.0, 3.0]);
//! let x = Argument::json("x", "[1, 0, 1]");
//! let y = Argument::json("y", "3.5");
//! let loss = program.call("loss", &[w.clone(), x, y])?;
//! assert_eq!(loss.as_real(), Some(0.25));
//!
//! let gradient = program.eval("grad(\\w => loss(w, [1.0, 0.0, 1.0], 3.5))(w)", &[w])?;
//! assert_eq!(gradient.to_json(), r#"{"type":"[3]Real","value":[1.0,0.0,1.0]}"#);
//! # Ok(())
//! # }
//! ```
//!
//! Functions and their derivatives are also values, [`Function`], that are cheap to clone and that many
//! threads call at once:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let program = cotan::Program::new("def loss(w: [n]Real, y: Real): Real = (sum(w) - y) ** 2.0")?;
//! let gradient = program.function("loss")?.grad().wrt(["w"]);
//! let there = gradient.clone();
//! let thread = std::thread::spawn(move || there.call(([1.0, 2.0], 1.0)).map(|it| it.to_text()));
//! assert_eq!(gradient.call(([1.0, 2.0], 4.0))?.to_text(), "[-2.0, -2.0]");
//! assert_eq!(thread.join().expect("no panic")?, "[4.0, 4.0]");
//! # Ok(())
//! # }
//! ```
//!
//! # Handles
//!
//! A [`Program`] is checked once. A [`Function`] of it knows its parameters and its type; `.grad()`,
//! `.value_and_grad()`, `.jvp()`, `.vjp()`, `.jacobian()`, `.hessian()` and `.hvp()` give other functions,
//! `.wrt(["w"])` those by some parameters only, and `.via()`, `.backend()`, `.precision()` and `.threads()` the
//! same by other means. Arguments are a tuple of Rust values ([`ToData`]): numbers, slices, tuples, [`Shaped`]
//! arrays, records and data types. Results become Rust values by [`Answer::get`] ([`FromData`]):
//!
//! ```
//! # fn main() -> Result<(), cotan::Report> {
//! let text = "def most(x: [n]Real, from: Int): (Real, Int) = {
//!   let i = argmax(build i < n => if i < from then -infinity else x[i]);
//!   (x[i], i)
//! }";
//! let most = cotan::Program::new(text)?.function("most")?;
//! assert_eq!(most.type_text()?, "(x: [n]Real, from: Int) -> (Real, Int)");
//! let (value, place): (f64, i64) = most.call(([5.0, 1.0, 3.0], 1))?.get()?;
//! assert_eq!((value, place), (3.0, 2));
//! // An expression is a function too.
//! let norm = cotan::Program::new("")?.expression("\\x: [n]Real => sqrt(sum(x * x))")?;
//! assert_eq!(norm.grad().call(([0.0, 4.0],))?.get::<Vec<f64>>()?, [0.0, 1.0]);
//! # Ok(())
//! # }
//! ```
//!
//! # Threads
//!
//! Handles, prepared calls, linearisations and answers are `Send` and `Sync`, and are called by `&self`.
//! The first call compiles; after that compiled code runs without a lock, and interpreters are as many as
//! there are calls at a time.
//!
//! ```
//! # fn main() -> Result<(), cotan::Report> {
//! let program = cotan::Program::new("def f(x: Real): Real = x * x")?;
//! let slope = program.function("f")?.grad();
//! let sum: f64 = std::thread::scope(|scope| {
//!     let slope = &slope;
//!     let threads: Vec<_> = (0..8)
//!         .map(|it| scope.spawn(move || slope.call((f64::from(it),))?.get::<f64>()))
//!         .collect();
//!     threads.into_iter().map(|it| it.join().expect("no panic")).sum::<Result<f64, _>>()
//! })?;
//! assert_eq!(sum, 56.0);
//! # Ok(())
//! # }
//! ```
//!
//! # Errors
//!
//! Everything that can go wrong is a [`Report`]: an error with codes, places in the text of the program, and
//! a form for people. No argument makes a call panic.
//!
//! ```
//! let program = cotan::Program::new("def pick(x: [n]Real, i: Int): Real = x[i]").expect("it checks");
//! let report = program.function("pick").and_then(|it| it.call(([1.0, 2.0], 7))).expect_err("7 is too large");
//! assert_eq!(report.codes(), ["E0601"]);
//! let label = &report.diagnostics[0].labels[0];
//! assert_eq!(report.sources.position(label.span), (1, 38));
//! assert_eq!(label.text, "index 7, but the size is 2");
//! println!("{report}");
//! ```
//!
//! # Prepared calls
//!
//! [`Function::prepare`] binds arguments once; [`Call::set`] changes one of them, and [`Call::call_into`] writes
//! the result into memory of the caller.
//!
//! ```
//! # fn main() -> Result<(), cotan::Report> {
//! let program = cotan::Program::new("def loss(w: [n]Real, x: [n]Real): Real = (dot(w, x) - 1.0) ** 2.0")?;
//! let mut w: [f64; 2] = [0.0, 0.0];
//! let mut step = program.function("loss")?.grad().wrt(["w"]).prepare((w, [0.6, 0.8]))?;
//! let mut gradient = [0.0; 2];
//! for _ in 0..50 {
//!     step.set("w", w)?;
//!     step.call_into(&mut gradient)?;
//!     w = [w[0] - 0.25 * gradient[0], w[1] - 0.25 * gradient[1]];
//! }
//! assert!((0.6 * w[0] + 0.8 * w[1] - 1.0).abs() < 1e-12);
//! # Ok(())
//! # }
//! ```
//!
//! [`Function::linearise`] runs a function once and keeps what its derivative needs: [`Linearised`].
//!
//! # Without compiled code
//!
//! The feature `native`, on by default, is compiled code: a C compiler that is run, and what it made, kept,
//! loaded and called. Without it the library is Rust that touches nothing, and builds for
//! `wasm32-unknown-unknown`; programs run in the interpreter, and C sources are still written.
//! In WebAssembly the stack cannot grow: expressions nest less deep, and so do calls, whose end is E0604.
//!
//! # Stopping
//!
//! A [`Stop`] ends calls from another thread, those of compiled code and those of the interpreter:
//! [`Program::stop_handle`] all of a program, [`Function::stopped_by`] those of one handle.
//!
//! ```
//! # fn main() -> Result<(), cotan::Report> {
//! let program = cotan::Program::new("def forever(x: Real): Real = while(\\y => y > 0.0, \\y => y, x)")?;
//! let stop = cotan::Stop::default();
//! let forever = program.function("forever")?.stopped_by(&stop);
//! let thread = std::thread::spawn(move || forever.call((1.0,)));
//! stop.ask();
//! assert_eq!(thread.join().expect("no panic").expect_err("it was stopped").codes(), ["E0614"]);
//! # Ok(())
//! # }
//! ```
//!
//! # Arrays of `ndarray`
//!
//! With the feature `ndarray`, arrays and views of that crate are arguments, without a copy if their elements
//! lie in order, and results are arrays by [`Answer::get`] or go into `view_mut()`s by
//! [`Function::call_into`].
//!
#![cfg_attr(feature = "ndarray", doc = "```")]
#![cfg_attr(not(feature = "ndarray"), doc = "```ignore")]
//! use ndarray::{Array2, arr1, arr2};
//!
//! # fn main() -> Result<(), cotan::Report> {
//! let program = cotan::Program::new("def f(a: [n][m]Real, x: [m]Real): Real = sum(matvec(a, x))")?;
//! let by_a = program.function("f")?.grad().wrt(["a"]);
//! let a = arr2(&[[1.0, 2.0], [3.0, 4.0]]);
//! let found: Array2<f64> = by_a.call((a.t(), &arr1(&[5.0, 6.0])))?.get()?;
//! assert_eq!(found, arr2(&[[5.0, 6.0], [5.0, 6.0]]));
//! # Ok(())
//! # }
//! ```
//!
//! # Tracing
//!
//! A program can also be written as a Rust closure, [`mod@trace`]:
//!
//! ```
//! use cotan::trace::{Array, build, trace};
//!
//! # fn main() -> Result<(), cotan::Report> {
//! let f = trace(|x: Array<1>| build(x.len(), |i| x.row(i) * i.real()).sum().sin())?;
//! assert_eq!(f.grad().call(([0.0, 0.0, 0.0],))?.to_text(), "[0.0, 1.0, 2.0]");
//! # Ok(())
//! # }
//! ```
//!
//! # Structs and enums
//!
//! Rust structs and enums are values of programs by [`#[derive(Cotan)]`](derive@Cotan): they go in as
//! arguments, come out of answers, and a gradient by a struct is that struct:
//!
//! ```
//! #[derive(Debug, PartialEq, cotan::Cotan)]
//! struct Point { x: f64, y: f64 }
//!
//! # fn main() -> Result<(), cotan::Report> {
//! let program = cotan::Program::new("
//!     type Point = { x: Real, y: Real }
//!     def height(p: Point): Real = p.x * p.x + 3.0 * p.y
//! ")?;
//! let slope = program.function("height")?.grad().call((Point { x: 2.0, y: 1.0 },))?;
//! assert_eq!(slope.get::<Point>()?, Point { x: 4.0, y: 3.0 });
//! # Ok(())
//! # }
//! ```
//!
//! # While Rust compiles
//!
//! Programs that are known before anything runs are checked while Rust compiles, and are modules of typed
//! functions, by [`program!`]:
//!
//! ```
//! cotan::program!(
//!     mod ball = "def loss(w: [n]Real, y: Real): Real = (sum(w) - y) ** 2.0",
//!     grad(loss, w),
//! );
//!
//! # fn main() -> Result<(), cotan::Report> {
//! assert_eq!(ball::loss(&[1.0, 2.0], 4.0)?, 1.0);
//! assert_eq!(ball::grad_loss(&[1.0, 2.0], 4.0)?, [-2.0, -2.0]);
//! # Ok(())
//! # }
//! ```
//!
//! A program with an error is an error of Rust:
//!
//! ```compile_fail
//! cotan::program!(mod ball = "def loss(w: [n]Real): Real = w");
//! # fn main() {}
//! ```
//!
//! The crate `cotan-embed` does the same in a build script by way of C, for programs that are to run without
//! this library.
//!
//! # Overloading and minimisers
//!
//! Generic Rust code is differentiated by overloading, [`real`]. Both kinds of functions can be minimised: a
//! function of a vector as it is, one of a struct by [`Function::fit`], residuals of pairs by [`Function::pairs`].
//!
//! ```
//! use cotan::minimise::{Stop, lbfgs};
//!
//! # fn main() -> Result<(), cotan::Report> {
//! let program = cotan::Program::new("def f(x: [n]Real): Real = sum((x - 3.0) * (x - 3.0)) + product(x)")?;
//! let found = lbfgs(program.function("f")?.value_and_grad(), &[1.0, 1.0], &Stop::default());
//! // 2 (x - 3) + x = 0
//! assert!(found.x.iter().all(|it| (it - 2.0).abs() < 1e-7));
//! # Ok(())
//! # }
//! ```
//!
//! Minimisers of other crates take functions by traits of their own, `argmin` for example by `CostFunction`
//! and `Gradient`, whose methods look like this trait (`examples/argmin` is the whole program). Handles are
//! called through `&self`, so they are all that such a type has to hold:
//!
//! ```
//! # type Error = Box<dyn std::error::Error + Send + Sync>;
//! trait Problem {
//!     fn cost(&self, x: &Vec<f64>) -> Result<f64, Error>;
//!     fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error>;
//! }
//!
//! struct Ours { value: cotan::Function, gradient: cotan::Function }
//!
//! impl Problem for Ours {
//!     fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
//!         Ok(self.value.call((x,))?.get()?)
//!     }
//!     fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
//!         Ok(self.gradient.call((x,))?.get()?)
//!     }
//! }
//!
//! # fn main() -> Result<(), Error> {
//! let f = cotan::Program::new("def f(x: [n]Real): Real = sum(x * x)")?.function("f")?;
//! let problem = Ours { gradient: f.grad(), value: f };
//! assert_eq!(problem.cost(&vec![1.0, 2.0])?, 5.0);
//! assert_eq!(problem.gradient(&vec![1.0, 2.0])?, [2.0, 4.0]);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(
    not(feature = "native"),
    allow(dead_code, reason = "what only machine code asks for is the same in every build")
)]

mod additive;
mod again;
mod answer;
mod argument;
mod backend;
mod bench;
mod compiler;
mod data;
mod deep;
mod describe;
pub mod dev;
mod doctor;
mod document;
mod dump;
mod error;
pub mod explain;
mod export;
mod fit;
mod flattening;
mod gradcheck;
mod handle;
mod linearisation;
mod machine;
mod meanwhile;
mod method;
mod on_demand;
mod once;
mod options;
mod pairs;
mod parts;
mod pass;
mod paths;
mod pipeline;
mod pipelines;
mod plot;
mod prepared;
mod read;
mod report;
mod retell;
mod run;
mod runner;
mod show;
mod signature;
mod sizes;
pub mod sparse;
mod sparsity;
mod stages;
mod strict;
mod testing;
mod together;
pub mod trace;
mod tuning;
mod within;
mod wrt;

pub use ::plot::{Figure, svg as figures_svg, terminal as figure_text};
pub use answer::{Answer, Number, Place, Room, View};
pub use argument::{Argument, ArgumentData, Reals};
pub use backend::{BACK_ENDS, BackEnd, Backend, manual as manual_of_back_ends, without_compiler};
pub use base::render::Style;
pub use base::{Code, Diagnostic, Label, Listener, Said, Saying, Severity, SourceMap, Span, Stop};
pub use bench::{Bench, BenchPart};
pub use check::{Disk, Files, Found, Nowhere, Record, STANDARD, Standard, Texts};
pub use compiler::{Compiled, Compiler, format};
pub use data::{Data, Fields, FromData, Mismatch, Parts, Shaped, ToData};
pub use deep::with_deep_stack;
pub use describe::{Declared, Definition};
pub use doctor::{Doctor, Finding};
pub use document::document;
pub use eval::{Cost, TapeStats};
pub use export::{CArgument, CElement, CFunction, CGives, CSize, Exported, Skipped};
pub use fit::{Fit, Fitted};
pub use formats::{Table, TableError};
pub use gradcheck::{Gradcheck, Law, Outcome};
pub use handle::{Call, Function, Inputs, Linearised, Program, SparseJacobian, Which};
pub use linearisation::Linearisation;
pub use machine::{Compiling, Watch, is_interrupted, stop_on_interrupt};
pub use macros::{Cotan, program};
pub use method::{Accepts, METHODS, Method, Via, manual as manual_of_methods};
pub use minimise;
pub use options::{Checkpoints, Effort, Options, Precision};
pub use pairs::{Bundled, Pairs};
pub use prepared::Prepared;
pub use real;
pub use report::Report;
pub use sparse::Sparse;
pub use sparsity::{Colouring, Side, Sparsity};
pub use testing::{TestOutcome, TestResult};
