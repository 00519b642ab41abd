//! Gradients by Cotan, through its library: compiled once, called many times.

use std::ops::Range;

use cotan::{Answer, Argument, Compiled, Compiler, Options, Report, Style, Via};

use crate::crates::contender::{Contender, Notes, Tape};
use crate::crates::problem::{Problem, Program};

/// A definition of a program, differentiated by one method.
pub struct ByCotan {
    program: Compiled,
    parameters: Vec<Parameter>,
    via: Via,
    way: Way,
    /// The definition of the value.
    value: &'static str,
}

/// A parameter and the part of the input that is its value.
struct Parameter {
    name: &'static str,
    shape: Vec<usize>,
    range: Range<usize>,
}

/// How a program is written.
#[derive(Clone, Copy)]
enum Way {
    Plain,
    Elements,
    Arrays,
}

impl Way {
    fn value(self, problem: &Problem) -> &'static str {
        match self {
            Way::Plain => problem.name(),
            Way::Elements => "by_elements",
            Way::Arrays => "by_arrays",
        }
    }

    fn gradient(self) -> &'static str {
        match self {
            Way::Plain => "gradient",
            Way::Elements => "by_elements_gradient",
            Way::Arrays => "by_arrays_gradient",
        }
    }
}

impl ByCotan {
    /// All ways the program is written, each by all methods.
    pub fn all(problem: &Problem) -> Result<Vec<ByCotan>, String> {
        let ways: &[Way] = match problem.program {
            Program::Multiply | Program::Rotate => &[Way::Plain],
            Program::Dot | Program::MatVec | Program::Polynomial => &[Way::Elements, Way::Arrays],
        };
        let mut res = Vec::new();
        for way in ways {
            for via in [Via::Tape, Via::Bulk, Via::Chad, Via::Linmap, Via::Forward] {
                res.push(ByCotan::new(problem, *way, via)?);
            }
        }
        Ok(res)
    }

    fn new(problem: &Problem, way: Way, via: Via) -> Result<ByCotan, String> {
        let options = Options { via, ..Options::default() };
        let file = format!("{}.cot", problem.name());
        let program = Compiler::new(options)
            .compile(&file, text(problem.program))
            .map_err(|report| report.render(Style::Plain))?;
        let (parameters, value) = (parameters(problem), way.value(problem));
        Ok(ByCotan { program, parameters, via, way, value })
    }

    fn call(&mut self, def: &str, input: &[f64]) -> Answer {
        match self.try_call(def, input) {
            Ok(answer) => answer,
            Err(report) => panic!("{}", report.render(Style::Plain)),
        }
    }

    fn try_call(&mut self, def: &str, input: &[f64]) -> Result<Answer, Report> {
        let argument = |it: &Parameter| match it.shape.is_empty() {
            true => Argument::real(it.name, input[it.range.start]),
            false => Argument::reals(it.name, &it.shape, &input[it.range.clone()]),
        };
        let arguments: Vec<Argument> = self.parameters.iter().map(argument).collect();
        self.program.call(def, &arguments)
    }
}

impl Contender for ByCotan {
    fn name(&self) -> String {
        let via = self.via.name();
        match self.way {
            Way::Plain => format!("Cotan, {via}"),
            Way::Elements => format!("Cotan by elements, {via}"),
            Way::Arrays => format!("Cotan by arrays, {via}"),
        }
    }

    fn passes(&self, problem: &Problem) -> usize {
        match self.via {
            Via::Auto | Via::Tape | Via::Bulk | Via::Chad | Via::Linmap => 1,
            Via::Forward => problem.input().len(),
        }
    }

    fn refuses(&mut self, input: &[f64]) -> Option<String> {
        let report = self.try_call(self.way.gradient(), input).err()?;
        report.render(Style::Plain).lines().next().map(str::to_owned)
    }

    fn value(&mut self, input: &[f64]) -> Option<f64> {
        // The same code by every method.
        if self.via != Via::Tape {
            return None;
        }
        self.call(self.value, input).slices().first().map(|it| it[0])
    }

    fn gradient(&mut self, input: &[f64], output: &mut [f64]) {
        let answer = self.call(self.way.gradient(), input);
        let slices = answer.slices();
        let n_reals: usize = slices.iter().map(|it| it.len()).sum();
        let mut rest = output;
        // The value comes before the gradient, if it is there.
        for slice in slices.iter().skip(n_reals - rest.len()) {
            let (here, behind) = rest.split_at_mut(slice.len());
            here.copy_from_slice(slice);
            rest = behind;
        }
    }

    fn notes(&mut self, input: &[f64]) -> Notes {
        let value = self.call(self.value, input).cost().total();
        let gradient = self.call(self.way.gradient(), input);
        Notes { counted: Some((value, gradient.cost().total())), tape: tape(&gradient) }
    }
}

/// What a gradient recorded.
fn tape(gradient: &Answer) -> Option<Tape> {
    let stats = gradient.tape();
    let recorded = Tape {
        contributions: stats.contributions,
        bytes: stats.bytes as u64,
        wholes: stats.wholes,
    };
    (stats.contributions > 0).then_some(recorded)
}

/// The text of a program.
fn text(program: Program) -> &'static str {
    match program {
        Program::Multiply => include_str!("../../programs/crates/multiply.cot"),
        Program::Dot => include_str!("../../programs/crates/dot.cot"),
        Program::MatVec => include_str!("../../programs/crates/matvec.cot"),
        Program::Rotate => include_str!("../../programs/crates/rotate.cot"),
        Program::Polynomial => include_str!("../../programs/crates/polynomial.cot"),
    }
}

/// The parameters of all definitions of a program that are called.
fn parameters(problem: &Problem) -> Vec<Parameter> {
    let (n, side) = (problem.n, problem.side());
    let shapes = match problem.program {
        Program::Multiply => vec![("x", vec![]), ("y", vec![])],
        Program::Dot => vec![("x", vec![n]), ("y", vec![n])],
        Program::MatVec => vec![("m", vec![side, side]), ("v", vec![side])],
        Program::Rotate => vec![("v", vec![3]), ("q", vec![4])],
        Program::Polynomial => vec![("c", vec![n]), ("x", vec![])],
    };
    let mut start = 0;
    let parameter = |(name, shape): (&'static str, Vec<usize>)| {
        let range = start..start + shape.iter().product::<usize>();
        start = range.end;
        Parameter { name, shape, range }
    };
    shapes.into_iter().map(parameter).collect()
}
