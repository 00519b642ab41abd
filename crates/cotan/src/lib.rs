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
//! Generic Rust code is differentiated by overloading, [`real`]; both kinds of functions can be minimised:
//!
//! ```
//! # fn main() -> Result<(), cotan::Report> {
//! let program = cotan::Program::new("def f(x: [n]Real): Real = sum((x - 3.0) * (x - 3.0)) + product(x)")?;
//! let f = program.function("f")?.value_and_grad();
//! let f = |x: &[f64]| {
//!     let answer = f.call((x,)).expect("f is defined everywhere");
//!     let parts = answer.slices();
//!     (parts[0][0], parts[1].to_vec())
//! };
//! let found = cotan::minimise::lbfgs(f, &[1.0, 1.0], &cotan::minimise::Stop::default());
//! // 2 (x - 3) + x = 0
//! assert!(found.x.iter().all(|it| (it - 2.0).abs() < 1e-7));
//! # Ok(())
//! # }
//! ```

mod answer;
mod argument;
mod bench;
mod compiler;
mod data;
mod deep;
mod describe;
pub mod dev;
mod doctor;
mod dump;
mod error;
pub mod explain;
mod export;
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

pub use answer::{Answer, Number, Place, Room, View};
pub use argument::{Argument, ArgumentData, Reals};
pub use base::Stop;
pub use base::render::Style;
pub use bench::{Bench, BenchPart};
pub use compiler::{Compiled, Compiler, format};
pub use data::{Data, Fields, FromData, Mismatch, Parts, Shaped, ToData};
pub use deep::with_deep_stack;
pub use describe::{Declared, Definition};
pub use doctor::{Doctor, Finding};
pub use eval::{Cost, TapeStats};
pub use export::{Exported, Skipped};
pub use gradcheck::{Gradcheck, Law, Outcome};
pub use handle::{Call, Function, Inputs, Linearised, Program, Which};
pub use linearisation::Linearisation;
pub use machine::{Compiling, Watch};
pub use method::{Accepts, METHODS, Method, Via, manual as manual_of_methods};
pub use minimise;
pub use options::{Backend, Effort, Options, Precision};
pub use prepared::Prepared;
pub use real;
pub use report::Report;
pub use sparsity::Sparsity;
pub use testing::{TestOutcome, TestResult};
