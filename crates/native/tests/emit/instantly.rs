//! The same module as instant code: what C gives, it gives, up to the order of sums.

use std::sync::Arc;

use base::Stop;
use emit::{EmitOptions, Precision};
use loops::Module;
use native::{Border, Failed, Function, Input, Width};

use crate::run::{Arg, Host, Outcome, Want};

/// Compares with what C gave.
pub(crate) fn compare(
    (module, options, host): (&Module, &EmitOptions, Host),
    entries: &[usize],
    calls: &[Vec<Arg>],
    wants: &[Vec<Want>],
    expected: &[Outcome],
) {
    for (k, (args, wants)) in calls.iter().zip(wants).enumerate() {
        let found = outcome(module, options, host, entries[k], args, wants);
        let expected = &expected[k];
        let tolerance = if options.real == Precision::F64 { 1e-12 } else { 1e-5 };
        let same = |x: &f64, y: &f64| {
            x.to_bits() == y.to_bits()
                || (x.is_nan() && y.is_nan())
                || (x - y).abs() <= tolerance * x.abs().max(y.abs())
        };
        let is_same = (found.code, &found.values) == (expected.code, &expected.values)
            && found.results.len() == expected.results.len()
            && found
                .results
                .iter()
                .zip(&expected.results)
                .all(|(x, y)| x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y)));
        assert!(is_same, "instant code gives {found:?}, C {expected:?}\n{args:?}\n{module}");
    }
}

fn outcome(
    module: &Module,
    options: &EmitOptions,
    host: Host,
    entry: usize,
    args: &[Arg],
    wants: &[Want],
) -> Outcome {
    let single = options.real == Precision::F32;
    let how = instant::Options { single, most_steps: None, offsets: native::offsets() };
    let code = instant::compile(module, &how).expect("it is accepted");
    let width = if single { Width::Single } else { Width::Double };
    let border = |at: &usize| {
        let func = &module.funcs[*at];
        let params = func.params.iter().map(|it| func.ty(*it)).collect();
        let results = func.results.iter().map(|it| func.atom_type(*it)).collect();
        Border { params, results, width }
    };
    let borders = module.entries.iter().map(border).collect();
    let texts = module.texts.iter().map(|it| &**it);
    let loaded = native::Module::instant(&code, texts, borders).expect("there is memory");
    let stop = Stop::default();
    if host == Host::Stopping {
        stop.ask();
    }
    let function = Function::new(Arc::new(loaded), entry, 1, 1 << 26, stop);
    let floats: Vec<Vec<f32>> = args.iter().map(floats_of).collect();
    let inputs: Vec<Input<'_>> = args
        .iter()
        .zip(&floats)
        .map(|(arg, floats)| match arg {
            Arg::Real(it) => Input::Real(*it),
            Arg::Int(it) => Input::Int(*it),
            Arg::Bool(it) => Input::Bool(*it),
            Arg::Reals(_) if single => Input::Floats(floats),
            Arg::Reals(it) => Input::Reals(it),
            Arg::Ints(it) => Input::Ints(it),
            Arg::Bools(it) => Input::Bools(it),
        })
        .collect();
    let failed = |code, values| Outcome { code, values, results: Vec::new() };
    let results = match function.call(&inputs) {
        Ok(results) => results,
        Err(Failed::Memory { bytes }) => {
            return failed(1, bytes.map(|it| it as i64).into_iter().collect());
        }
        Err(Failed::Recursion { function }) => return failed(2, vec![function as i64]),
        Err(Failed::Stopped) => return failed(3, Vec::new()),
        Err(Failed::Long) => return failed(4, Vec::new()),
        Err(Failed::Site { site, values }) => return failed(1000 + site as i64, values),
        Err(Failed::Malformed(why)) => panic!("{why}"),
    };
    let read = |(word, want): (&native::Word, &Want)| match want {
        Want::Real => vec![word.real()],
        Want::Int => vec![word.int() as f64],
        Want::Bool => vec![f64::from(u8::from(word.bool()))],
        Want::Reals(len) if single => {
            results.array::<f32>(*word, *len).unwrap().iter().map(|it| f64::from(*it)).collect()
        }
        Want::Reals(len) => results.array::<f64>(*word, *len).unwrap().to_vec(),
        Want::Ints(len) => {
            results.array::<i64>(*word, *len).unwrap().iter().map(|it| *it as f64).collect()
        }
        Want::Bools(len) => {
            results.array::<u8>(*word, *len).unwrap().iter().map(|it| f64::from(*it)).collect()
        }
    };
    let results = results.words().iter().zip(wants).map(read).collect();
    Outcome { code: 0, values: Vec::new(), results }
}

fn floats_of(arg: &Arg) -> Vec<f32> {
    match arg {
        Arg::Reals(it) => it.iter().map(|it| *it as f32).collect(),
        Arg::Real(_) | Arg::Int(_) | Arg::Bool(_) | Arg::Ints(_) | Arg::Bools(_) => Vec::new(),
    }
}
