//! Random pairs of loops, of which the second goes back over what the first collected: `recompute`
//! keeps what they mean, to the bit. Programs of `generate` seldom collect so much that it pays.

use std::fmt::Write;
use std::sync::Arc;

use base::Name;
use eval::{Evaluator, Limits, Mode, NoDerivatives, Precision, Value};
use generate::Random;
use ir::{Dialect, Program};

/// How many pairs.
const COUNT: u64 = 600;

#[test]
fn computing_again_keeps_results() {
    let mut changed = 0;
    for seed in 0..COUNT {
        let text = pair(seed);
        let before: Program = text.parse().unwrap_or_else(|it| panic!("{seed}: {it}\n{text}"));
        ir::verify(&before, Dialect::Bulk).unwrap_or_else(|it| panic!("{seed}: {it}\n{text}"));
        let after = opt::recompute(&before);
        ir::verify(&after, Dialect::Bulk).unwrap_or_else(|it| panic!("{seed}: {it}\n{after}"));
        assert_eq!(after.to_string().parse::<Program>().as_ref(), Ok(&after), "{seed}");
        changed += u64::from(before != after);
        for size in [0, 1, 4] {
            let (x, y) = (run(&before, size), run(&after, size));
            assert_eq!(x, y, "{seed} at {size}:\n{before}\n{after}");
        }
    }
    assert!(changed > COUNT / 6, "only {changed} of them are changed");
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Real,
    Int,
    Bool,
    Row,
}

impl Kind {
    fn text(self) -> &'static str {
        match self {
            Kind::Real => "Real",
            Kind::Int => "Int",
            Kind::Bool => "Bool",
            Kind::Row => "[2]Real",
        }
    }
}

/// The work on one program.
struct Writer {
    random: Random,
    next: u32,
    /// What the step of the first loop can read.
    scope: Vec<(String, Kind)>,
}

impl Writer {
    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("x{}", self.next - 1)
    }

    /// One of the variables, mostly a late one, and now and then a constant.
    fn operand(&mut self, kind: Kind) -> String {
        let constant = match kind {
            Kind::Real => Some("0.75"),
            Kind::Int => Some("3"),
            Kind::Bool => Some("true"),
            Kind::Row => None,
        };
        if let Some(constant) = constant.filter(|_| self.random.once_in(12)) {
            return constant.to_string();
        }
        let all: Vec<&String> =
            self.scope.iter().filter(|it| it.1 == kind).map(|it| &it.0).collect();
        match all.is_empty() {
            true => constant.unwrap_or_default().to_string(),
            false => all[self.random.below(all.len())].clone(),
        }
    }

    /// A statement of the step.
    fn statement(&mut self) -> String {
        let (a, b) = (self.operand(Kind::Real), self.operand(Kind::Real));
        let (i, j) = (self.operand(Kind::Int), self.operand(Kind::Int));
        let (p, row) = (self.operand(Kind::Bool), self.operand(Kind::Row));
        let (kind, op) = match self.random.below(14) {
            0 | 1 => (Kind::Real, format!("add {a} {b}")),
            2 | 3 => (Kind::Real, format!("mul {a} {b}")),
            4 => (Kind::Real, format!("sub {a} {b}")),
            5 => (Kind::Real, format!("sin {a}")),
            6 => (Kind::Real, format!("tanh {a}")),
            7 => (Kind::Bool, format!("lt {a} {b}")),
            8 => (Kind::Real, format!("select {p} {a} {b}")),
            9 => (Kind::Real, format!("index {row} (1)")),
            10 => (Kind::Row, format!("mul {row} {a}")),
            11 => (Kind::Int, format!("add {i} {j}")),
            12 => (Kind::Real, format!("max {a} {b}")),
            _last => (Kind::Row, format!("replicate [2] {a}")),
        };
        let var = self.fresh();
        self.scope.push((var.clone(), kind));
        format!("    {var}: {} = {op}\n", kind.text())
    }
}

/// A program with a pair of loops.
fn pair(seed: u64) -> String {
    let mut it = Writer { random: Random::new(seed), next: 20, scope: Vec::new() };
    let is_while = it.random.once_in(3);
    it.scope.push(("x3".to_string(), Kind::Real));
    it.scope.push(("x4".to_string(), Kind::Row));
    it.scope.push(("x5".to_string(), Kind::Real));
    it.scope.push(("x6".to_string(), Kind::Int));
    if !is_while {
        it.scope.push(("x7".to_string(), Kind::Real));
        it.scope.push(("x8".to_string(), Kind::Row));
    }
    let n_stmts = 1 + it.random.below(10);
    let body: String = (0..n_stmts).map(|_| it.statement()).collect();
    let (state, size) = (it.operand(Kind::Real), if is_while { "x9" } else { "x0" });
    // What is collected, and what is done with it.
    let (mut binders, mut given) = (String::new(), String::new());
    let (mut between, mut arrays, mut back) = (String::new(), Vec::new(), String::new());
    let mut total = "x12".to_string();
    let (mut last, n_collected) = (String::new(), 1 + it.random.below(6));
    for _ in 0..n_collected {
        let again = it.random.once_in(8) && !last.is_empty();
        let kind = *it.random.pick(&[Kind::Real, Kind::Real, Kind::Int, Kind::Bool, Kind::Row]);
        let (value, kind) = match it.scope.iter().find(|of| of.0 == last).filter(|_| again) {
            Some(found) => found.clone(),
            None => (it.operand(kind), kind),
        };
        last = value.clone();
        let (array, reversed) = (it.fresh(), it.fresh());
        let ty = format!("[{size}]{}", kind.text());
        let _ = write!(binders, ", {array}: {ty}");
        let _ = write!(given, ", {value}");
        let _ = writeln!(between, "  {reversed}: {ty} = reverse {array}");
        if it.random.once_in(5) && kind == Kind::Real {
            let (sum, sums) = (it.fresh(), it.fresh());
            let other = it.random.pick(&[&array, &reversed]).to_string();
            let _ = writeln!(between, "  {sum}: Real = sum 0 {other}");
            let _ = writeln!(back, "    {sums}: Real = add {total} {sum}");
            total = sums;
        }
        for _ in 0..1 + usize::from(it.random.once_in(8)) {
            let elem = it.fresh();
            arrays.push(format!("{elem}: {} = {reversed}", kind.text()));
            let (term, sum) = (it.fresh(), it.fresh());
            let op = match kind {
                Kind::Real => format!("mul {elem} 1.5"),
                Kind::Int => format!("real {elem}"),
                Kind::Bool => format!("select {elem} 2.0 {total}"),
                Kind::Row => format!("index {elem} (0)"),
            };
            let _ = writeln!(back, "    {term}: Real = {op}");
            let _ = writeln!(back, "    {sum}: Real = add {total} {term}");
            total = sum;
        }
    }
    let first = match is_while {
        true => format!(
            "  x10: Real, x11: Int, x9: Int{binders} = while (x5: Real = x3, x6: Int = 0) {{
    x13: Bool = lt x6 x0\n    give x13\n  }} do {{
{body}    x14: Int = add x6 1\n    give {state}, x14{given}\n  }}\n"
        ),
        false => format!(
            "  x10: Real, x11: Int{binders} = fold (x5: Real = x3, x6: Int = 0) (x7: Real = x1, x8: [2]Real = x2) {{
{body}    x14: Int = add x6 1\n    give {state}, x14{given}\n  }}\n"
        ),
    };
    let arrays = arrays.join(", ");
    format!(
        "def main[x0](x1: [x0]Real, x2: [x0][2]Real, x3: Real, x4: [2]Real) -> (x15: Real, x16: Int, x17: Real) {{
{first}{between}  x18: Real = fold (x12: Real = x3) ({arrays}) {{
{back}    give {total}\n  }}\n  give x10, x11, x18\n}}\n"
    )
}

/// The bits of the results of `main`.
fn run(program: &Program, size: usize) -> Vec<u64> {
    let reals = |n: usize, from: f64| (0..n).map(|it| from - 0.3 * it as f64).collect::<Vec<f64>>();
    let array = |shape: &[usize], from: f64| {
        let data = array::Buffer::Real(reals(shape.iter().product(), from));
        Value::from(array::Dense { shape: shape.to_vec(), data })
    };
    let args =
        vec![array(&[size], 0.7), array(&[size, 2], 1.1), Value::Real(0.4), array(&[2], -0.6)];
    let limits = Limits { memory: 1 << 28, precision: Precision::F64, mode: Mode::Reverse };
    let mut evaluator = Evaluator::new(Arc::new(program.clone()), Box::new(NoDerivatives), limits);
    let results = evaluator.call(&Name::new("main"), &[size as i64], args);
    let results = results.unwrap_or_else(|it| panic!("{it:?}\n{program}"));
    let bits = |it: &Value| match it {
        Value::Real(x) => x.to_bits(),
        Value::Int(x) => *x as u64,
        Value::Bool(_) | Value::Str(_) | Value::Tuple(_) | Value::Array(_) => panic!("{it:?}"),
        Value::Data(_) | Value::Closure(_) | Value::Dual(..) | Value::Delta(_) => panic!("{it:?}"),
    };
    results.iter().map(bits).collect()
}
