//! What reverse mode promises besides right numbers: what it records and how much memory that
//! takes, that derivatives of definitions are made once, that its Delta terms are those of the
//! paper, what it costs, and that it runs or ends with a clear error.

mod cost;
mod deep;
mod delta;
mod figure;
mod records;
mod separate;

use cotan::{Answer, Argument, Backend, Compiled, Compiler, Options, Style, TapeStats, Via};

/// A program whose derivatives are taken by the tape.
fn compile(text: &str) -> Compiled {
    compile_within(text, Options::default().memory)
}

/// A program whose derivatives are taken by the tape, within a memory limit.
fn compile_within(text: &str, memory: u64) -> Compiled {
    Compiler::new(Options {
        via: Via::Tape,
        memory,
        backend: Backend::Interp,
        ..Options::default()
    })
    .compile("reverse.cot", text)
    .unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)))
}

#[track_caller]
fn answer(program: &mut Compiled, expression: &str, arguments: &[Argument]) -> Answer {
    let answer = program.eval(expression, arguments);
    answer.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)))
}

/// The value of an expression, as text.
#[track_caller]
fn eval(program: &mut Compiled, expression: &str, arguments: &[Argument]) -> String {
    answer(program, expression, arguments).to_text()
}

/// What the tape of an expression took.
#[track_caller]
fn recorded(text: &str, expression: &str, arguments: &[Argument]) -> TapeStats {
    answer(&mut compile(text), expression, arguments).tape()
}

/// An array of `n` different numbers between 0 and 1 as the argument `x`.
fn numbers(n: usize) -> Argument {
    let data: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5) / n as f64).collect();
    Argument::reals("x", &[n], &data)
}
