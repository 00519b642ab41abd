//! Back end `native`: an entry point as machine code.
//!
//! The order of its passes: those of method `bulk` (`bulk.rs`), which leave a program of first order
//! without derivative operators, then `lower` (loop nests), `native::emit` (C), the C compiler, and the
//! loader. Values of the interpreter become what C takes in `machine/enter.rs`, and results become
//! values in `machine/leave.rs`.

mod enter;
mod fault;
mod lazy;
mod leave;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use base::{Name, Span};
use eval::{Constructor, Precision, RunError, Value, Via};
use ir::{DataDecl, Def, Program};
use native::emit::{EmitOptions, emit};
use native::{Border, Cache, Function, Module, Stop, Toolchain, Width};

use crate::bulk;
use crate::options::{Backend, Options};
use crate::spread::Spread;

pub(crate) use enter::Entered;
pub(crate) use lazy::Lazy;
pub(crate) use leave::Left;

/// Operations of the interpreter that take about as long as the C compiler does: by `--backend auto`,
/// an entry point that has taken more is compiled. So nothing takes much more than twice the time of the
/// better choice, whatever programs do.
pub(crate) const PATIENCE: u64 = 1 << 23;

/// Whether a choice of back end has entry points compiled.
pub(crate) fn tries_native(backend: Backend) -> bool {
    match backend {
        Backend::Native | Backend::Auto => true,
        Backend::Interp => false,
    }
}

/// Whether there is a C compiler.
pub(crate) fn is_available() -> bool {
    Toolchain::find().is_ok()
}

/// An entry point as machine code.
pub(crate) struct Machine {
    function: Function,
    /// The entry point before it was lowered: its types.
    def: Arc<Def>,
    pub(crate) spread: Spread,
    types: Types,
    sites: Vec<loops::Site>,
    memory: usize,
}

/// What values are made of.
struct Types {
    precision: Precision,
    datas: BTreeMap<Name, DataDecl>,
    /// The constructors of each sum type.
    constructors: BTreeMap<Name, Vec<Rc<Constructor>>>,
    /// The texts of the program, by number.
    texts: Vec<Arc<str>>,
}

/// The machine code of an entry point, for each kind of sizes that it was called with.
pub(crate) type Machines = Result<BTreeMap<Option<Vec<i64>>, Rc<Machine>>, Refused>;

/// Sizes that stand for others of their kind, powers of four: loops are arranged for them.
pub(crate) fn typical(sizes: &[i64]) -> Vec<i64> {
    let rounded = |size: &i64| (0..31).map(|it| 1 << (2 * it)).find(|it| size <= it);
    sizes.iter().map(|it| rounded(it).unwrap_or(i64::MAX)).collect()
}

/// Why an entry point is not compiled.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    /// The place that is to blame, if there is one.
    pub(crate) span: Option<Span>,
    /// A part of a sentence.
    pub(crate) reason: String,
    /// What would help.
    pub(crate) help: &'static str,
}

const USE_INTERP: &str =
    "use `--backend interp`, which runs every program, or `--backend auto`, which chooses";

impl Machine {
    /// Compiles an entry point, or finds it in the cache. Loops are arranged for the typical sizes.
    pub(crate) fn new(
        program: &Program,
        entry: &Name,
        options: Options,
        typical: Option<&[i64]>,
        stop: &Stop,
    ) -> Result<Machine, Refused> {
        let derives = bulk::reaches_derivative(program, entry);
        match options.via {
            Via::Tape if derives => {
                return Err(by_method("the tape is run by the interpreter only"));
            }
            Via::Forward if derives => {
                return Err(by_method("dual numbers are run by the interpreter only"));
            }
            Via::Auto | Via::Bulk | Via::Tape | Via::Forward => {}
        }
        let toolchain = Toolchain::find().map_err(unavailable)?.with_effort(options.effort);
        let bulk = bulk::compile(program, entry).map_err(|it| Refused {
            span: it.span,
            reason: it.reason,
            help: USE_INTERP,
        })?;
        let (precision, memory) = (options.precision, options.bytes());
        let lowered = bulk::loops_of(&bulk.program, &bulk.entry, typical);
        let real = match precision {
            Precision::F64 => native::emit::Precision::F64,
            Precision::F32 => native::emit::Precision::F32,
        };
        let text = emit(&lowered, &EmitOptions { real, vector: true });
        let borders = borders(&lowered, precision);
        let module = Module::build(&toolchain, &Cache::of_user(), &text, borders);
        let module = Arc::new(module.map_err(unavailable)?);
        let def = bulk.program.defs.get(&bulk.entry).expect("an entry point is a definition");
        Ok(Machine {
            function: Function::new(module, 0, options.n_threads(), memory, stop.clone()),
            def: def.clone(),
            spread: bulk.spread,
            types: Types::new(precision, bulk.program.datas, lowered.texts),
            sites: lowered.sites,
            memory,
        })
    }

    /// Arguments in the form that compiled code takes.
    pub(crate) fn enter(&self, sizes: &[i64], values: &[Value]) -> Entered {
        Entered::new(&self.types, &self.def, sizes, &self.spread.arguments(values))
    }

    /// The results of a call.
    pub(crate) fn call(&self, arguments: &Entered) -> Result<Left, RunError> {
        let results = self.function.call(&arguments.inputs());
        let results = results.map_err(|it| self.error(it))?;
        Left::new(&self.types, &self.def, arguments, results).map_err(|it| self.error(it))
    }

    /// The result of the entry point, without the sizes before it.
    pub(crate) fn value(&self, left: &Left) -> Value {
        let mut results = self.spread.results(left.values());
        results.pop().expect("a definition has a result")
    }

    /// How many sizes come before the result.
    pub(crate) fn n_sizes(&self) -> usize {
        self.spread.n_results().saturating_sub(1)
    }

    fn error(&self, failed: native::Failed) -> RunError {
        self.spread.error(fault::error(failed, &self.sites, &self.def.name, self.memory))
    }
}

impl Types {
    fn new(precision: Precision, datas: BTreeMap<Name, DataDecl>, texts: Vec<Arc<str>>) -> Types {
        let of = |decl: &DataDecl| {
            let cons = decl.cons.iter().enumerate();
            cons.map(|(tag, it)| Rc::new(Constructor { name: it.name.clone(), tag })).collect()
        };
        let constructors = datas.iter().map(|(name, decl)| (name.clone(), of(decl))).collect();
        Types { precision, datas, constructors, texts }
    }
}

/// What the entry points of a module take and give.
fn borders(module: &loops::Module, precision: Precision) -> Vec<Border> {
    let width = match precision {
        Precision::F64 => Width::Double,
        Precision::F32 => Width::Single,
    };
    let border = |at: &usize| {
        let func = &module.funcs[*at];
        Border {
            params: func.params.iter().map(|it| func.ty(*it)).collect(),
            results: func.results.iter().map(|it| func.atom_type(*it)).collect(),
            width,
        }
    };
    module.entries.iter().map(border).collect()
}

fn by_method(reason: &str) -> Refused {
    let help = "use `--via bulk`, or `--backend interp`, which runs every method";
    Refused { span: None, reason: reason.to_string(), help }
}

fn unavailable(it: native::Unavailable) -> Refused {
    let help = "install a C compiler or name one by `CC`, or use `--backend interp`; `cotan doctor` \
                says what was found";
    Refused { span: None, reason: it.to_string(), help }
}
