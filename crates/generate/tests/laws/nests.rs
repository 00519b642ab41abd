//! Loop nests mean what the program means that they were lowered from, and their text is read back.

use array::{Buffer, Dense};
use base::Name;
use eval::{Array, Elems, Fault, Value};
use ir::Program;
use loop_eval::{Ended, Input, Limits, Outcome};

use super::instant::Instant;
use super::noise::is_lost;
use super::{Law, broken, same};

/// Elements of a chunk: more than one, and no more than many arrays have.
const CHUNK: i64 = 3;
/// A chunk of everything, as instant code has it.
const WHOLE: i64 = 1 << 40;
/// Nodes that may run.
const NODES: u64 = 300_000;
/// The law of values, which sums in another order may change.
pub(super) const VALUES: &str = "loop nests give what the program gives";

/// What a run gives.
pub(super) type Ran = Result<Outcome, Ended>;

/// What an entry point is lowered to.
pub(super) struct Nests {
    module: loops::Module,
    instant: Instant,
}

/// Lowers an entry point, and looks at the text of what comes out.
pub(super) fn lowered(program: &Program, entry: &Name) -> Law<Nests> {
    let module = lower::lower(program, std::slice::from_ref(entry), None);
    if let Err(complaint) = loops::verify(&module) {
        return broken("loop nests verify", complaint);
    }
    let text = module.text();
    match loops::parse(&text) {
        Ok(read) if format!("{read:?}") == format!("{module:?}") => {
            let instant = Instant::new(&module)?;
            Ok(Nests { module, instant })
        }
        Ok(_) => broken("loop nests are read back", format!("another module\n{text}")),
        Err(complaint) => broken("loop nests are read back", format!("{complaint}\n{text}")),
    }
}

/// Runs them on flat arguments, and compares with what the program gives. Values of sum types at the
/// border are left alone.
pub(super) fn compared(
    nests: &Nests,
    sizes: &[i64],
    args: &[Value],
    wanted: &Result<Vec<Value>, Fault>,
) -> Law<()> {
    let Nests { module, instant } = nests;
    let numbers = sizes.iter().map(|it| Some(Input::Scalar(loop_eval::Value::Int(*it))));
    let inputs: Option<Vec<Input>> = numbers.chain(args.iter().map(input)).collect();
    let Some(inputs) = inputs else { return Ok(()) };
    let run_on = |inputs: &[Input], chunk: i64, single: bool| {
        loop_eval::run(module, 0, inputs, Limits { nodes: NODES, chunk, single })
    };
    let run = |single| run_on(&inputs, CHUNK, single);
    instant.compared(sizes, args, |single| match single {
        false => run_on(&inputs, WHOLE, false),
        true => run_on(&inputs.iter().map(rounded).collect::<Vec<_>>(), WHOLE, true),
    })?;
    let results = |outcome: &loop_eval::Outcome, wanted: &[Value]| -> Option<Vec<Value>> {
        outcome.results.iter().zip(wanted).map(|(it, like)| output(it, like)).collect()
    };
    match (run(false), wanted) {
        (Ok(outcome), Ok(wanted)) => match results(&outcome, wanted) {
            Some(found) => same(VALUES, wanted, &found).or_else(|find| {
                let single = run(true).ok().and_then(|it| results(&it, wanted));
                let is_lost = single.is_some_and(|it| is_lost(wanted, &found, &it));
                if is_lost { Ok(()) } else { Err(find) }
            }),
            None if wanted.iter().any(is_boxed) => Ok(()),
            None => broken(VALUES, "something else"),
        },
        (Err(Ended::Check(..)), Err(_)) | (Err(Ended::Long | Ended::Deep), _) => Ok(()),
        (Err(Ended::Wrong(complaint)), _) => {
            broken("loop nests stay within their arrays", format!("{complaint}\n{module}"))
        }
        (Err(Ended::Check(site, values)), Ok(_)) => {
            broken("loop nests fail where the program does", format!("site {site}, {values:?}"))
        }
        (Ok(_), Err(fault)) => {
            broken("loop nests fail where the program does", format!("{fault:?}"))
        }
    }
}

/// As it arrives in single precision.
fn rounded(input: &Input) -> Input {
    let number = |it: &loop_eval::Value| match it {
        loop_eval::Value::Real(it) => loop_eval::Value::Real(f64::from(*it as f32)),
        loop_eval::Value::Unknown
        | loop_eval::Value::Int(_)
        | loop_eval::Value::Bool(_)
        | loop_eval::Value::Box(_)
        | loop_eval::Value::Array(_) => it.clone(),
    };
    match input {
        Input::Scalar(it) => Input::Scalar(number(it)),
        Input::Array(it) => Input::Array(it.iter().map(number).collect()),
    }
}

fn is_boxed(value: &Value) -> bool {
    input(value).is_none()
}

fn input(value: &Value) -> Option<Input> {
    let scalar = |it| Some(Input::Scalar(it));
    match value {
        Value::Real(it) => scalar(loop_eval::Value::Real(*it)),
        Value::Int(it) => scalar(loop_eval::Value::Int(*it)),
        Value::Bool(it) => scalar(loop_eval::Value::Bool(*it)),
        Value::Array(array) => Some(Input::Array(match &array.elems {
            Elems::Real(data) => data.iter().map(|it| loop_eval::Value::Real(*it)).collect(),
            Elems::Int(data) => data.iter().map(|it| loop_eval::Value::Int(*it)).collect(),
            Elems::Bool(data) => data.iter().map(|it| loop_eval::Value::Bool(*it)).collect(),
            Elems::Tuple(_)
            | Elems::Boxed(_)
            | Elems::Delta(_)
            | Elems::Dual(..)
            | Elems::Lanes(..) => return None,
        })),
        Value::Tuple(_)
        | Value::Data(_)
        | Value::Str(_)
        | Value::Closure(_)
        | Value::Dual(..)
        | Value::Delta(_) => None,
    }
}

/// A result in the shape of the one that is wanted.
fn output(found: &Input, like: &Value) -> Option<Value> {
    match (found, like) {
        (Input::Scalar(loop_eval::Value::Real(it)), Value::Real(_)) => Some(Value::Real(*it)),
        (Input::Scalar(loop_eval::Value::Int(it)), Value::Int(_)) => Some(Value::Int(*it)),
        (Input::Scalar(loop_eval::Value::Bool(it)), Value::Bool(_)) => Some(Value::Bool(*it)),
        (Input::Array(found), Value::Array(like)) => elements(found, like),
        _ => None,
    }
}

fn elements(found: &[loop_eval::Value], like: &Array) -> Option<Value> {
    let shape = like.shape.to_vec();
    let found = found.get(..shape.iter().product::<usize>())?;
    let data = match &like.elems {
        Elems::Real(_) => Buffer::Real(found.iter().map(real).collect::<Option<_>>()?),
        Elems::Int(_) => Buffer::Int(found.iter().map(int).collect::<Option<_>>()?),
        Elems::Bool(_) => Buffer::Bool(found.iter().map(bool).collect::<Option<_>>()?),
        Elems::Tuple(_)
        | Elems::Boxed(_)
        | Elems::Delta(_)
        | Elems::Dual(..)
        | Elems::Lanes(..) => return None,
    };
    Some(Value::from(Dense { shape, data }))
}

fn real(value: &loop_eval::Value) -> Option<f64> {
    if let loop_eval::Value::Real(it) = value { Some(*it) } else { None }
}

fn int(value: &loop_eval::Value) -> Option<i64> {
    if let loop_eval::Value::Int(it) = value { Some(*it) } else { None }
}

fn bool(value: &loop_eval::Value) -> Option<bool> {
    if let loop_eval::Value::Bool(it) = value { Some(*it) } else { None }
}
