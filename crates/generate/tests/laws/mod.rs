//! Laws that every program keeps: it verifies, what is printed can be read back, derivatives
//! verify, passes keep meanings, methods agree with each other, with the adjoint law, and with central
//! differences.

mod bulk;
mod differences;
mod flattening;
mod instant;
mod nests;
mod noise;
pub(crate) mod run;
mod sparsity;
pub(crate) mod wrap;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::mem::discriminant;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use base::Name;
use bulk::{Calls, Compiled, Refusal};
use eval::{Fault, Value};
use generate::{Arguments, Random};
use ir::signature::{derived_name, taped_name};
use ir::{DeriveOp, Dialect, Op, Program, verify, verify_def};
#[allow(unused_imports, reason = "only the tests with fixed seeds ask")]
pub(crate) use run::without_row;
use run::{Leaves, METHODS, Others, Runner, value, with_reals};

/// A law that a program breaks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Find {
    pub(crate) law: &'static str,
    pub(crate) detail: String,
}

impl Find {
    /// Whether both are of the same kind: shrinking must not lead from one bug to another.
    #[allow(dead_code, reason = "only the hunt shrinks")]
    pub(crate) fn is_like(&self, other: &Find) -> bool {
        let start = |it: &Find| it.detail.chars().take(30).collect::<String>();
        let texts = ["nothing", "programs of first order"];
        let says = texts.iter().any(|it| self.law.starts_with(it)) || self.law.ends_with("verify");
        self.law == other.law && (!says || start(self) == start(other))
    }
}

/// How far the laws could be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reached {
    /// It ends in an error, the same one by every method.
    Fault,
    /// A value or a derivative is not finite.
    NotFinite,
    /// All but central differences: it is not smooth enough there.
    Rough,
    /// All of them, but the derivative is zero.
    Flat,
    /// All of them.
    Everything,
}

/// What was found out about a program that keeps the laws.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Checked {
    pub(crate) reached: Reached,
    /// Why method `bulk` does not take it, or one of its derivatives.
    pub(crate) refusal: Option<Refusal>,
}

/// What is left where numbers of usual size cancel.
const ROUNDING: f64 = 1e-11;

type Law<T> = Result<T, Find>;

fn broken<T>(law: &'static str, detail: impl Into<String>) -> Law<T> {
    Err(Find { law, detail: detail.into() })
}

/// Checks all laws; a panic breaks one too.
pub(crate) fn check(seed: u64, program: &Program, dialect: Dialect) -> Law<Checked> {
    let checked = catch_unwind(AssertUnwindSafe(|| {
        statics(program, dialect)?;
        dynamics(seed, program)
    }));
    checked.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|it| it.to_string()));
        broken("nothing panics", text.unwrap_or_default())
    })
}

/// What can be checked without running anything.
fn statics(program: &Program, dialect: Dialect) -> Law<()> {
    if let Err(error) = verify(program, dialect) {
        return broken("the program verifies", error.to_string());
    }
    read_back(program)?;
    for def in program.defs.values() {
        let mut random = Random::new(def.next_var.into());
        let some: Vec<bool> = def.params.iter().map(|_| random.once_in(2)).collect();
        for mask in [vec![true; def.params.len()], some] {
            let name = derived_name(&def.name, &mask);
            let Some(forward) = ad::forward_def(program, &name) else {
                return broken("there is a forward derivative", name.to_string());
            };
            if let Err(error) = verify_def(program, Dialect::Source, &forward) {
                return broken("forward derivatives verify", error.to_string());
            }
            for (from, mask) in [(&**def, &mask), (&forward, &mask)] {
                let taped = ad::tape_def(program, from, mask);
                if taped.name != taped_name(&from.name, mask) {
                    return broken("reverse derivatives have their name", taped.name.to_string());
                }
                if let Err(error) = verify_def(program, Dialect::Delta, &taped) {
                    return broken("reverse derivatives verify", error.to_string());
                }
            }
        }
    }
    Ok(())
}

/// `parse(print(p)) == p`
fn read_back(program: &Program) -> Law<()> {
    match program.to_string().parse::<Program>() {
        Ok(read) if read == *program => Ok(()),
        Ok(_) => broken("what is printed is read back", "another program"),
        Err(error) => broken("what is printed is read back", format!("{error}\n{program}")),
    }
}

/// A program with its derivatives, ready to run by every method, at one point.
struct Point {
    program: Arc<Program>,
    runners: RefCell<Vec<Runner>>,
    /// By forward mode, with a run for each direction.
    one_by_one: RefCell<Box<eval::Evaluator>>,
    /// By method `bulk`, each entry point by itself.
    compiled: RefCell<BTreeMap<Name, Result<Compiled, Refusal>>>,
    sizes: Vec<i64>,
    args: Vec<Value>,
}

/// Entry points of which every stage runs, not only the last one.
const THOROUGH: [&str; 2] = ["main", "main_vjp"];

fn dynamics(seed: u64, program: &Program) -> Law<Checked> {
    let Arguments { sizes, values, special } = generate::arguments(seed, program);
    let wrapped = wrap::wrap(program);
    if let Err(error) = verify(&wrapped, Dialect::Source) {
        return broken("derivative operators verify", error.to_string());
    }
    let args: Vec<Value> = values.iter().map(value).collect();
    let wrapped = Arc::new(wrapped);
    let runners = METHODS.iter().map(|it| Runner::new(*it, &wrapped)).collect();
    let calls = if seed.is_multiple_of(3) { Calls::Stay } else { Calls::Inlined };
    let steps = (run::passes(seed), run::checkpoints(seed));
    let mut compiled = BTreeMap::new();
    for entry in wrapped.defs.keys().filter(|it| it.starts_with("main")) {
        let thorough = THOROUGH.contains(&&**entry);
        compiled.insert(entry.clone(), bulk::compile(&wrapped, entry, thorough, calls, steps)?);
    }
    let refusal = compiled.values().find_map(|it| it.as_ref().err().cloned());
    if let Some(refusal) = &refusal
        && bulk::is_first_order(program)
    {
        return broken("programs of first order are not refused", refusal.clone());
    }
    let (runners, compiled) = (RefCell::new(runners), RefCell::new(compiled));
    let one_by_one = RefCell::new(run::one_by_one(&wrapped));
    let at = Point { program: wrapped, runners, one_by_one, compiled, sizes, args };
    let reached = derivatives(seed, program, &at, special)?;
    Ok(Checked { reached, refusal })
}

/// The laws of derivatives at a point.
fn derivatives(seed: u64, program: &Program, at: &Point, special: bool) -> Law<Reached> {
    let value = match at.agreed("values agree", "main", &[])? {
        Ok(value) => value,
        Err(_) => return Ok(Reached::Fault),
    };
    let (x, y) = (Leaves::of(&at.args), Leaves::of(&value));
    let mut random = Random::new(seed);
    let mut direction = |count: usize| -> Vec<f64> { (0..count).map(|_| random.real()).collect() };
    let (dx, dy) = (direction(x.reals.len()), direction(y.reals.len()));
    let tangents = at.agreed("tangents agree", "main_jvp", &filled(&at.args, &dx))?;
    let cotangents = at.agreed("cotangents agree", "main_vjp", &filled(&value, &dy))?;
    let (tangent, cotangent) = match (tangents, cotangents) {
        (Ok(tangent), Ok(cotangent)) => (Leaves::of(&tangent), Leaves::of(&cotangent)),
        (tangent, cotangent) => {
            let faults = format!("{:?}, {:?}", tangent.err(), cotangent.err());
            return broken("derivatives are where values are", faults);
        }
    };
    if (tangent.reals.len(), cotangent.reals.len()) != (y.reals.len(), x.reals.len()) {
        return broken("derivatives have the structure of values", format!("{tangent:?}"));
    }
    sparsity::pattern(at, &value, &mut random)?;
    let all = [&x, &y, &tangent, &cotangent];
    if !all.iter().all(|it| it.reals.iter().all(|x| x.is_finite())) {
        return Ok(Reached::NotFinite);
    }
    adjoint(&tangent.reals, &dy, &dx, &cotangent.reals)?;
    if wrap::has_gradient(program) && !x.reals.is_empty() {
        second(at, &dx, &tangent.reals)?;
    }
    // A derivative is that of the branch taken, also if it is taken at one point only; and where it
    // stops, central differences see one.
    if special || has(program, &|op| matches!(op, Op::Derive(DeriveOp::StopGradient(_)))) {
        return Ok(Reached::Rough);
    }
    differences::differences(at, &x, &y, &dx, &tangent)
}

/// Values with the structure of these and other reals.
fn filled(values: &[Value], reals: &[f64]) -> Vec<Value> {
    let mut reals = reals.iter().copied();
    values.iter().map(|it| with_reals(it, &mut reals, Others::Zero)).collect()
}

impl Point {
    /// Runs a definition by the method of this number.
    fn run(&self, method: usize, def: &str, args: Vec<Value>) -> Result<Vec<Value>, Fault> {
        self.runners.borrow_mut()[method].call(def, &self.sizes, args)
    }

    /// What the first method gives, after a look at what the others do.
    fn agreed(
        &self,
        law: &'static str,
        def: &str,
        more: &[Value],
    ) -> Law<Result<Vec<Value>, Fault>> {
        let args: Vec<Value> = self.args.iter().chain(more).cloned().collect();
        let first = self.run(0, def, args.clone());
        self.is_in_step(def, &args, &first)?;
        for method in 1..METHODS.len() {
            let other = self.run(method, def, args.clone());
            match (&first, &other) {
                (Ok(first), Ok(other)) => {
                    let again = &mut |args| self.run(method, def, args).ok();
                    same(law, first, other)
                        .or_else(|it| self.unless_noise((def, &args), first, (other, again), it))?;
                }
                (Err(Fault::Memory { .. } | Fault::Tape { .. }), _)
                | (_, Err(Fault::Memory { .. } | Fault::Tape { .. })) => {
                    return broken("work is bounded", format!("{first:?}\n{other:?}"));
                }
                (Err(first), Err(other)) if first == other => {}
                (Ok(_), Err(_)) | (Err(_), Ok(_)) | (Err(_), Err(_)) => {
                    return broken("faults agree", format!("{law}\n{first:?}\n{other:?}"));
                }
            }
        }
        self.agrees_by_bulk(law, def, &args, &first)?;
        match &first {
            Err(Fault::Malformed(what)) => broken("nothing is malformed", what.clone()),
            Ok(_) | Err(_) => Ok(first),
        }
    }
}

impl Point {
    /// Whether runs in several directions that go in step give what runs on their own give, to the bit.
    fn is_in_step(&self, def: &str, args: &[Value], first: &Result<Vec<Value>, Fault>) -> Law<()> {
        let called =
            self.one_by_one.borrow_mut().call(&Name::read(def), &self.sizes, args.to_vec());
        let other = called.map_err(|it| it.fault);
        let is_same = match (first, &other) {
            (Ok(first), Ok(other)) => {
                let (first, other) = (Leaves::of(first), Leaves::of(other));
                let bits = |it: &Leaves| -> Vec<u64> {
                    // One NaN is as good as another.
                    it.reals.iter().map(|x| if x.is_nan() { 0 } else { !x.to_bits() }).collect()
                };
                first.others == other.others && bits(&first) == bits(&other)
            }
            (Err(first), Err(other)) => first == other,
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
        };
        // Tangents of a run that is kept are combinations of its derivatives in all directions, up to rounding.
        let is_kept = || self.program.to_string().contains("linearise");
        match (first, &other) {
            _ if is_same => Ok(()),
            (Ok(first), Ok(other)) if is_kept() => same("directions in step", first, other),
            (Ok(_), _) | (Err(_), _) => {
                broken("directions in step", format!("{def}\n{first:?}\n{other:?}"))
            }
        }
    }

    /// Whether method `bulk`, if it takes the definition, gives the same.
    fn agrees_by_bulk(
        &self,
        law: &'static str,
        def: &str,
        args: &[Value],
        first: &Result<Vec<Value>, Fault>,
    ) -> Law<()> {
        let mut compiled = self.compiled.borrow_mut();
        let Some(Ok(compiled)) = compiled.get_mut(&Name::new(def)) else { return Ok(()) };
        let other = compiled.call(&self.sizes, args)?;
        match (first, &other) {
            (Ok(first), Ok(other)) => {
                let again = &mut |args: Vec<Value>| compiled.call(&self.sizes, &args).ok()?.ok();
                same(law, first, other)
                    .or_else(|it| self.unless_noise((def, args), first, (other, again), it))
            }
            (Err(first), Err(other)) if discriminant(first) == discriminant(other) => Ok(()),
            (Err(_), Err(_)) | (Ok(_), Err(_)) | (Err(_), Ok(_)) => {
                broken("faults agree by bulk", format!("{law}\n{first:?}\n{other:?}"))
            }
        }
    }
}

/// The greatest absolute value.
fn greatest<'a>(of: impl IntoIterator<Item = &'a f64>) -> f64 {
    of.into_iter().fold(0.0, |most: f64, it| most.max(it.abs()))
}

fn same(law: &'static str, first: &[Value], other: &[Value]) -> Law<()> {
    let (first, other) = (Leaves::of(first), Leaves::of(other));
    let detail = || format!("{first:?}\n{other:?}");
    if first.others != other.others || first.reals.len() != other.reals.len() {
        return broken(law, detail());
    }
    let pairs = || first.reals.iter().zip(&other.reals);
    if pairs().any(|(x, y)| !x.is_finite() || !y.is_finite()) {
        return Ok(());
    }
    let scale = greatest(first.reals.iter().chain(&other.reals));
    if pairs().any(|(x, y)| (x - y).abs() > 1e-10 * scale + ROUNDING) {
        return broken(law, detail());
    }
    Ok(())
}

/// <J dx, dy> = <dx, J^T dy>
fn adjoint(tangent: &[f64], dy: &[f64], dx: &[f64], cotangent: &[f64]) -> Law<()> {
    let products =
        |x: &[f64], y: &[f64]| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| x * y).collect() };
    let (left, right) = (products(tangent, dy), products(dx, cotangent));
    let scale = greatest(left.iter().chain(&right));
    let (left, right): (f64, f64) = (left.iter().sum(), right.iter().sum());
    if (left - right).abs() > 1e-8 * scale + ROUNDING {
        return broken("the adjoint law", format!("{left} and {right}"));
    }
    Ok(())
}

/// Of a function to a real: <gradient, dx> is the tangent, and second derivatives agree.
fn second(at: &Point, dx: &[f64], tangent: &[f64]) -> Law<()> {
    let Ok(gradient) = at.agreed("gradients agree", "main_grad", &[])? else {
        return broken("derivatives are where values are", "gradient");
    };
    let gradient = Leaves::of(&gradient).reals;
    if gradient.iter().all(|it| it.is_finite()) {
        adjoint(tangent, &[1.0], dx, &gradient)?;
    }
    match at.agreed("second derivatives agree", "main_hvp", &filled(&at.args, dx))? {
        Ok(_) => Ok(()),
        Err(fault) => broken("derivatives are where values are", format!("{fault:?}")),
    }
}

/// Whether a program has such an operation.
fn has(program: &Program, wanted: &dyn Fn(&Op) -> bool) -> bool {
    fn any(block: &ir::Block, wanted: &dyn Fn(&Op) -> bool) -> bool {
        block.stmts.iter().any(|stmt| {
            let blocks = ir::walk::blocks(&stmt.op);
            wanted(&stmt.op) || blocks.iter().any(|(_, it)| any(it, wanted))
        })
    }
    program.defs.values().any(|it| any(&it.body, wanted))
}
