//! Every rung takes as many operations as its section says.

use base::Name;
use cotan::with_deep_stack;
use ir::Program;

use crate::ladder::programs::Subject;
use crate::ladder::rungs::{LADDER, Step};

/// `let x1 = x + x; let x2 = x1 + x1; ...` of length `n`, where x is the first of `inputs` reals.
/// Krawiec et al., section 7; Smeding and Vakar call it t_bad in section 5.4.
fn doubling_chain(n: usize, inputs: usize) -> Subject {
    let mut steps = String::new();
    for i in 1..=n {
        steps += &format!("    x{}: Real = add x{} x{}\n", i + 1, i, i);
    }
    function_of_a_vector(inputs, &format!("    x1: Real = index x0 (0)\n{steps}"), n + 1)
}

/// The sum of `inputs` reals.
fn sum(inputs: usize) -> Subject {
    function_of_a_vector(inputs, "    x1: Real = sum 0 x0\n", 1)
}

/// A function of `x0: [inputs]Real` with this body and result.
fn function_of_a_vector(inputs: usize, body: &str, result: usize) -> Subject {
    let (function, vector, tuple) = (result + 1, result + 2, result + 3);
    let ty = format!("([{inputs}]Real) -> Real");
    let text = format!(
        "def point() -> (x{}: ({ty}, [{inputs}]Real)) {{
  x{function}: {ty} = lambda (x0: [{inputs}]Real) {{
{body}    give x{result}
  }}
  x{vector}: [{inputs}]Real = replicate [{inputs}] 1.5
  x{tuple}: ({ty}, [{inputs}]Real) = tuple (x{function}, x{vector})
  give x{tuple}
}}",
        tuple + 1
    );
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}\n{text}"));
    Subject::new(program, &Name::new("point")).expect("no derivative operator")
}

/// How many operations the gradient takes; it must be right.
fn count(step: Step, subject: &Subject, derivative: f64) -> u64 {
    let (gradient, count) = with_deep_stack(|| step.gradient(subject, u64::MAX));
    let gradient = gradient.expect("there is no budget");
    assert_eq!(gradient[0], derivative, "{step:?}");
    count
}

fn chain_count(step: Step, n: usize, inputs: usize) -> u64 {
    count(step, &doubling_chain(n, inputs), 2f64.powi(n as i32))
}

fn sum_count(step: Step, n: usize) -> u64 {
    count(step, &sum(n), 1.0)
}

#[test]
fn without_sharing_every_step_of_the_chain_doubles_the_cost() {
    for step in LADDER.into_iter().filter(|it| it.is_exponential()) {
        let counts: Vec<u64> = (4..=12).map(|n| chain_count(step, n, 1)).collect();
        for pair in counts.windows(2) {
            assert!(pair[1] >= 2 * pair[0], "{step:?}: {counts:?}");
        }
    }
}

#[test]
fn with_vectors_every_operation_costs_the_number_of_inputs() {
    for (n, inputs) in [(10, 1), (100, 1), (10, 10), (100, 10), (1000, 10), (10, 100)] {
        let found = chain_count(Step::Vectors, n, inputs);
        assert_eq!(found, ((n + inputs) * inputs) as u64, "n = {n}, inputs = {inputs}");
    }
}

#[test]
fn staged_calls_cost_at_most_n_log_n() {
    const CONSTANT: f64 = 8.0;
    let check = |step: Step, n: usize, found: u64| {
        let bound = CONSTANT * n as f64 * (n as f64).log2();
        assert!(found as f64 <= bound, "{step:?}: {found} operations for n = {n}");
    };
    for n in [10, 100, 1000] {
        check(Step::Staged, n, chain_count(Step::Staged, n, 1));
        check(Step::Cayley, n, chain_count(Step::Cayley, n, 1));
        check(Step::Cayley, n, sum_count(Step::Cayley, n));
    }
}

#[test]
fn the_last_rungs_are_linear() {
    let check = |step: Step, n: usize, one: u64, two: u64| {
        assert!(two as f64 <= 2.2 * one as f64, "{step:?}: {one}, then {two} for n = {n}");
    };
    for step in [Step::Shared, Step::Arrays, Step::Contributions] {
        for n in [10, 100, 1000] {
            check(step, n, chain_count(step, n, 1), chain_count(step, 2 * n, 1));
            check(step, n, sum_count(step, n), sum_count(step, 2 * n));
        }
    }
}

/// Smeding and Vakar, section 6.3: whoever makes a value of the type of the input for every
/// operation pays for it when the input is large.
#[test]
fn a_sum_of_n_inputs_costs_n_squared_where_cotangents_are_vectors() {
    for step in [Step::Vectors, Step::Naive, Step::Staged] {
        for n in [10, 100, 1000] {
            let (one, two) = (sum_count(step, n), sum_count(step, 2 * n));
            assert!(one >= (n * n) as u64, "{step:?}: {one} operations for n = {n}");
            assert!(two as f64 >= 3.5 * one as f64, "{step:?}: {one}, then {two} for n = {n}");
        }
    }
}

/// Operations on the doubling chain of length n, then on the sum of n inputs. A dash stands for
/// what nobody waits for.
const COUNTS: &str = "
                    10      100     1000       10      100     1000
Vectors             11      101     1001      210    20100  2001000
Unshared          2048        -        -       31      301     3001
Shared              52      502     5002       61      601     6001
Naive             4094        -        -      231    20301  2003001
Staged             113     1103    11003      794    63040  6042980
Cayley              94      904     9004      199     3045    42985
Arrays              87      807     8007      144     1404    14004
Contributions       31      301     3001       41      401     4001
";

/// The numbers themselves, so that whoever changes a rung sees what it costs.
#[test]
fn the_counts_are_those_of_the_table() {
    const SIZES: [usize; 3] = [10, 100, 1000];
    let line = |name: &str, cells: [[String; 3]; 2]| {
        let cells = cells.concat().iter().map(|it| format!("{it:>9}")).collect::<String>();
        format!("{name:13}{cells}\n")
    };
    let mut table =
        "\n".to_string() + &line("", [SIZES, SIZES].map(|it| it.map(|n| n.to_string())));
    for step in LADDER {
        let chain = SIZES.map(|n| match step.is_exponential() && n > 10 {
            true => "-".to_string(),
            false => chain_count(step, n, 1).to_string(),
        });
        let sum = SIZES.map(|n| sum_count(step, n).to_string());
        table += &line(&format!("{step:?}"), [chain, sum]);
    }
    assert_eq!(table, COUNTS, "{table}");
}
