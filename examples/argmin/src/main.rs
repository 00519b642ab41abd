//! A minimiser of another crate: `argmin` asks a type for the cost and the gradient, and handles give both.
//!
//! `cargo run --manifest-path examples/argmin/Cargo.toml`

use argmin::core::{CostFunction, Error, Executor, Gradient, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;

const ROSENBROCK: &str = "
def rosenbrock(x: [n + 1]Real): Real =
  sum(build i < n => (1.0 - x[i]) ** 2.0 + 100.0 * (x[i + 1] - x[i] ** 2.0) ** 2.0)
";

struct Problem {
    value: cotan::Function,
    gradient: cotan::Function,
}

impl CostFunction for Problem {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.value.call((x,))?.get()?)
    }
}

impl Gradient for Problem {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.gradient.call((x,))?.get()?)
    }
}

fn main() -> Result<(), Error> {
    let f = cotan::Program::new(ROSENBROCK)?.function("rosenbrock")?;
    let problem = Problem { gradient: f.grad(), value: f };
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 7);
    let start = vec![-1.2, 1.0, -1.2, 1.0, -1.2];
    let found =
        Executor::new(problem, solver).configure(|it| it.param(start).max_iters(200)).run()?;
    let x = found.state().get_best_param().ok_or_else(|| Error::msg("no point was found"))?;
    println!("{x:.6?}");
    // The minimum is at ones.
    match x.iter().all(|it| (it - 1.0).abs() < 1e-5) {
        true => Ok(()),
        false => Err(Error::msg("this is not the minimum")),
    }
}
