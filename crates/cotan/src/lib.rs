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
//! Generic Rust code is differentiated by overloading, [`real`]. Both kinds of functions can be minimised: a
//! function of a vector as it is, one of a struct by [`Function::fit`].
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
//! and `Gradient`, whose methods look like this trait. Handles are called through `&self`, so they are all
//! that such a type has to hold:
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

mod answer;
mod argument;
mod bench;
mod compiler;
mod data;
mod deep;
pub mod dev;
mod doctor;
mod dump;
mod error;
pub mod explain;
mod export;
mod fit;
mod front;
mod gradcheck;
mod handle;
mod linearisation;
mod machine;
mod method;
mod on_demand;
mod once;
mod options;
mod parts;
mod pass;
mod paths;
mod pipeline;
mod pipelines;
mod prepared;
mod read;
mod report;
mod retell;
mod run;
mod runner;
mod show;
mod signature;
mod sizes;
mod sparsity;
mod spread;
mod stages;
mod strict;
mod testing;
mod together;
mod within;
mod wrt;

pub use answer::{Answer, Number, Place, Room};
pub use argument::{Argument, ArgumentData, Reals};
pub use base::Stop;
pub use base::render::Style;
pub use bench::{Bench, BenchPart};
pub use compiler::{Compiled, Compiler, format};
pub use data::{Data, Fields, FromData, Mismatch, Parts, Shaped, ToData};
pub use deep::with_deep_stack;
pub use doctor::{Doctor, Finding};
pub use eval::{Cost, TapeStats};
pub use export::{CArgument, CElement, CFunction, CGives, CSize, Exported, Skipped};
pub use fit::{Fit, Fitted};
pub use gradcheck::{Gradcheck, Law, Outcome};
pub use handle::{Call, Function, Inputs, Linearised, Program, Which};
pub use linearisation::Linearisation;
pub use machine::{Compiling, Watch};
pub use macros::{Cotan, program};
pub use method::{Accepts, METHODS, Method, Via, manual as manual_of_methods};
pub use minimise;
pub use options::{Backend, Effort, Options, Precision};
pub use prepared::Prepared;
pub use real;
pub use report::Report;
pub use sparsity::Sparsity;
pub use testing::{TestOutcome, TestResult};
