//! `cotan jacobian FILE FUNC` and `cotan hessian FILE FUNC`: print or write a matrix of derivatives.

use std::path::PathBuf;

use clap::Args;
use cotan::{Answer, Argument, Function, Report, Sparse, View};

use crate::options::RunOptions;
use crate::output::{Format, Output};
use crate::{Status, arguments, files, waiting};

/// Arguments of `jacobian` and of `hessian`.
#[derive(Args)]
pub(crate) struct Matrix {
    /// The program; `-` reads standard input
    file: String,
    /// The definition whose derivatives are asked for
    function: String,
    /// A parameter of the definition: name=JSON, name=@FILE.npy, name=@FILE.csv:COLUMN or name=@FILE.npz:ARRAY
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = arguments::name_and_value)]
    args: Vec<(String, String)>,
    /// The parameters to differentiate by, such as a,mu; all by default
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    wrt: Vec<String>,
    /// Only the entries that may be other than zero, in compressed rows
    #[arg(long)]
    sparse: bool,
    /// Write it to this file: .npz as SciPy reads it with --sparse, else .npy
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: RunOptions,
}

/// Which derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The first.
    Jacobian,
    /// The second.
    Hessian,
}

impl Matrix {
    /// Other programs know a file by its ending.
    fn named_rightly(&self) -> Result<(), Report> {
        let ending = if self.sparse { "npz" } else { "npy" };
        match &self.output {
            Some(path) if path.extension().is_none_or(|it| it != ending) => {
                let reason = match self.sparse {
                    true => "a sparse matrix is written to a file that ends in .npz",
                    false => {
                        "a matrix is written to a file that ends in .npy, or in .npz with `--sparse`"
                    }
                };
                Err(Report::unwritable(&path.display().to_string(), reason))
            }
            Some(_) | None => Ok(()),
        }
    }

    pub(crate) fn run(&self, order: Order, output: &Output) -> Status {
        let format = Format::from_flag(self.json);
        let done = match self.sparse {
            true => self.sparse(order, output, format),
            false => self.dense(order, output, format),
        };
        match done {
            Ok(()) => Status::Success,
            Err(report) => output.fail(&report, format),
        }
    }

    /// The definition, by the parameters that were asked for, and its arguments.
    fn given(&self, output: &Output) -> Result<(Function, Vec<Argument>), Report> {
        self.named_rightly()?;
        let text = files::source(&self.file)?;
        let options = self.options.library();
        let checked = waiting::compiler(options).compile(&self.file, &text)?;
        output.report(checked.warnings());
        let program = files::program(&self.file, &text, options)?;
        let arguments = arguments::arguments(&self.args, self.options.memory())?;
        Ok((program.function(&self.function)?, arguments))
    }

    fn dense(&self, order: Order, output: &Output, format: Format) -> Result<(), Report> {
        let (function, arguments) = self.given(output)?;
        let made = match order {
            Order::Jacobian => function.jacobian(),
            Order::Hessian => function.hessian(),
        };
        let made = made.wrt(self.wrt.iter().map(String::as_str));
        let answer = made.call(&arguments[..]);
        output.note_interpreter(made.without_compiler().as_deref());
        let answer = answer?;
        if let Some(path) = &self.output {
            return files::replace_bytes(path, &npy(&answer, path)?);
        }
        match format {
            Format::Text => answer.write_text(&mut |it| output.text(it)),
            Format::Json => answer.write_json(&mut |it| output.text(it)),
        }
        output.line("");
        Ok(())
    }

    fn sparse(&self, order: Order, output: &Output, format: Format) -> Result<(), Report> {
        let (function, arguments) = self.given(output)?;
        let function = function.wrt(self.wrt.iter().map(String::as_str));
        let made = match order {
            Order::Jacobian => function.sparse_jacobian(),
            Order::Hessian => function.sparse_hessian(),
        };
        let found: Sparse = made.call(&arguments[..])?;
        match (&self.output, format) {
            (Some(path), _) => files::replace_bytes(path, &found.to_npz())?,
            (None, Format::Text) => output.text(&found.to_text()),
            (None, Format::Json) => output.line(&found.to_json()),
        }
        Ok(())
    }
}

/// The content of a file in the format of NumPy, which has one array in it.
fn npy(answer: &Answer, path: &std::path::Path) -> Result<Vec<u8>, Report> {
    let made = match answer.view() {
        View::Real(it) => cotan::sparse::npy(&[], &[it]),
        View::Reals(shape, data) => cotan::sparse::npy(shape, data),
        View::Int(_) | View::Bool(_) | View::Text(_) | View::Ints(..) | View::Bools(..) => None,
        View::Tuple(_) | View::Record(..) | View::Constructor(..) | View::List(..) => None,
    };
    made.ok_or_else(|| {
        let reason = "a `.npy` file has one array in it, and this is several; give one of the \
                      parameters by `--wrt`, or ask for one matrix of all by `--sparse`";
        Report::unwritable(&path.display().to_string(), reason)
    })
}
