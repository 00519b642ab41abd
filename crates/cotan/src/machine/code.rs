//! Machine code by way of C: `lower` (loop nests), `emit` (C), the C compiler, and the loader. What was
//! compiled before is only loaded (`machine/recipe.rs`). Values of the interpreter become what C takes in
//! `machine/enter.rs`, and results become values in `machine/leave.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Name, Stop};
use eval::{Constructor, Precision, RunError, Value};
use ir::DataDecl;
use native::{Cache, Failed, Function, Results, Toolchain};

pub(crate) use native::{Input, release_memory};
pub use native::{is_interrupted, stop_on_interrupt};

use super::enter::Entered;
use super::leave::{Left, Plan};
use super::recipe::{Head, Recipe};
use super::{Refused, Wanted, Why, fault};
use crate::backend::Backend;
use crate::flattening::Flattening;
use crate::method::Via;
#[cfg(feature = "instant")]
use crate::options::Effort;
use crate::options::Options;
use crate::parts::reaches_derivative;

/// An entry point as machine code.
pub(crate) struct Machine {
    function: Function,
    head: Head,
    /// Of functions that call themselves: the definitions that they were made of.
    recursive: BTreeMap<usize, Name>,
    flattening: Flattening,
    types: Types,
    sites: Vec<loops::Site>,
    memory: usize,
    /// What results are, if that is the same for all calls.
    plan: Option<Arc<Plan>>,
    /// Whether there is one result, and it is a number.
    is_one: bool,
    /// Whether that is a real.
    is_real: bool,
    /// Whether it was made in a hurry.
    is_draft: bool,
    backend: Backend,
    more_steps: u64,
}

/// What a machine is made of.
pub(super) struct Parts {
    pub(super) module: Arc<native::Module>,
    /// Whether it was made in a hurry: it runs on one thread then.
    pub(super) is_draft: bool,
    pub(super) head: Head,
    pub(super) recursive: BTreeMap<usize, Name>,
    pub(super) flattening: Flattening,
    pub(super) datas: BTreeMap<Name, DataDecl>,
    pub(super) texts: Vec<Arc<str>>,
    pub(super) sites: Vec<loops::Site>,
    pub(super) backend: Backend,
    /// Steps that a draft may take besides its first ones, if C is compiled meanwhile.
    pub(super) more_steps: u64,
}

/// The arguments of a call.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    /// As the function takes them: sizes first.
    pub(super) inputs: &'a [Input<'a>],
    /// Texts that are not in the program.
    pub(super) texts: &'a [Arc<str>],
    /// What the results are going to be, if that is known.
    pub(super) plan: Option<&'a Arc<Plan>>,
}

/// What values are made of.
pub(super) struct Types {
    pub(super) precision: Precision,
    pub(super) datas: BTreeMap<Name, DataDecl>,
    /// The constructors of each sum type.
    pub(super) constructors: BTreeMap<Name, Vec<Arc<Constructor>>>,
    /// The texts of the program, by number.
    pub(super) texts: Vec<Arc<str>>,
}

impl Machine {
    /// Compiles an entry point, or finds it in the cache.
    pub(crate) fn new(
        wanted: Wanted<'_>,
        options: Options,
        stop: &Stop,
    ) -> Result<Machine, Refused> {
        is_compiled_by(wanted, options)?;
        let toolchain = Toolchain::find().map_err(unavailable)?;
        Machine::by(&toolchain, wanted, options, stop)
    }

    /// As `new`, by this compiler.
    pub(super) fn by(
        toolchain: &Toolchain,
        wanted: Wanted<'_>,
        options: Options,
        stop: &Stop,
    ) -> Result<Machine, Refused> {
        is_compiled_by(wanted, options)?;
        native::can_reserve(options.bytes()).map_err(unavailable)?;
        let made = Recipe::follow(wanted, options, toolchain, &Cache::of_user())?;
        Ok(Machine::of(Parts::of(made), options, stop))
    }

    /// Fast code in the cache, of an entry point of which every run comes to it in the end.
    #[cfg(feature = "instant")]
    pub(super) fn kept(wanted: Wanted<'_>, options: Options, stop: &Stop) -> Option<Machine> {
        let options = Options { effort: Effort::Full, ..options };
        let kept = Recipe::in_vain(wanted, options, &Toolchain::find().ok()?, &Cache::of_user());
        kept.map(|it| Machine::of(Parts::of(it), options, stop))
    }

    pub(super) fn of(parts: Parts, options: Options, stop: &Stop) -> Machine {
        let Parts { module, is_draft, head, recursive, flattening, datas, texts, sites, .. } =
            parts;
        let Parts { backend, more_steps, .. } = parts;
        let memory = options.bytes();
        let threads = if is_draft { 1 } else { options.n_threads() };
        let types = Types::new(options.precision, datas, texts);
        let plan = Plan::ahead(&types, &head, &[], &|_| None).map(Arc::new);
        let is_one = flattening.is_one_leaf() && plan.as_ref().is_some_and(|it| it.is_one());
        Machine {
            is_one,
            is_draft,
            is_real: is_one && plan.as_ref().is_some_and(|it| it.is_real()),
            plan,
            function: Function::new(module, 0, threads, memory, stop.clone()),
            head,
            recursive,
            flattening,
            types,
            sites,
            memory,
            backend,
            more_steps,
        }
    }

    /// Arguments in the form that compiled code takes.
    pub(crate) fn enter(&self, sizes: &[i64], values: &[Value]) -> Entered {
        Entered::new(&self.types, &self.head, sizes, &self.flattening.arguments(values))
    }

    /// As `enter`, for calls that are made many times: what the first one would wait for is done here.
    pub(crate) fn enter_for_many(&self, sizes: &[i64], values: &[Value]) -> Entered {
        native::ask_for_pages(self.memory);
        self.enter(sizes, values)
    }

    /// Puts another number or array of numbers in the place of a parameter; its sizes are the same. Says
    /// whether that went without entering everything again.
    pub(crate) fn set(&self, entered: &mut Entered, at: usize, value: &Value) -> bool {
        self.flattening.is_plain() && entered.set(&self.types, &self.head, at, value)
    }

    /// The results of a call; none if the code was made in a hurry and takes too long.
    pub(crate) fn call(&self, arguments: &Entered) -> Result<Option<Left>, RunError> {
        let inputs = arguments.inputs();
        self.left(arguments.given(&inputs), self.function.call(&inputs))
    }

    /// As `call`, of a draft that takes more steps and is to go on while C is compiled.
    pub(crate) fn call_longer(&self, arguments: &Entered) -> Result<Option<Left>, RunError> {
        let inputs = arguments.inputs();
        let results = self.function.call_longer(&inputs, self.more_steps);
        self.left(arguments.given(&inputs), results)
    }

    /// As `call`, until this asks to stop.
    pub(crate) fn call_until(
        &self,
        arguments: &Entered,
        stop: &Stop,
    ) -> Result<Option<Left>, RunError> {
        let inputs = arguments.inputs();
        match self.is_one {
            true => self.one(&inputs, stop),
            false => self.left(arguments.given(&inputs), self.function.call_until(&inputs, stop)),
        }
    }

    /// As `call_until`, on what compiled code takes as it is: sizes first.
    pub(crate) fn call_directly(
        &self,
        inputs: &[Input<'_>],
        stop: &Stop,
    ) -> Result<Option<Left>, RunError> {
        if self.is_one {
            return self.one(inputs, stop);
        }
        let given = Given { inputs, texts: &[], plan: None };
        self.left(given, self.function.call_until(inputs, stop))
    }

    /// Calls it, if all it gives is a real: nothing then has to be put together and taken apart on the way to
    /// whoever wants the number, which takes as long as a small call.
    pub(crate) fn real(
        &self,
        arguments: &Entered,
        stop: &Stop,
    ) -> Option<Result<f64, Result<Option<Left>, RunError>>> {
        if !self.is_real {
            return None;
        }
        Some(match self.function.call_for_one(&arguments.inputs(), stop) {
            Ok(word) => Ok(word.real()),
            Err(Failed::Long) => Err(Ok(None)),
            Err(it) => Err(Err(self.error(it))),
        })
    }

    /// As `call_directly`, if the one result is a number: nothing of the memory of the call is needed after it.
    fn one(&self, inputs: &[Input<'_>], stop: &Stop) -> Result<Option<Left>, RunError> {
        match self.function.call_for_one(inputs, stop) {
            Ok(word) => {
                let value = self.plan.as_ref().and_then(|it| it.one(word));
                Ok(Some(Left::One(value.expect("compiler bug: the one result is a number"))))
            }
            Err(Failed::Long) => Ok(None),
            Err(it) => Err(self.error(it)),
        }
    }

    fn left(
        &self,
        given: Given<'_>,
        results: Result<Results<'_>, Failed>,
    ) -> Result<Option<Left>, RunError> {
        let results = match results {
            Ok(results) => results,
            Err(Failed::Long) => return Ok(None),
            Err(it) => return Err(self.error(it)),
        };
        let given = Given { plan: given.plan.or(self.plan.as_ref()), ..given };
        let left = Left::new(&self.types, &self.head, given, results);
        left.map(Some).map_err(|it| self.error(it))
    }

    /// The result of the entry point, without the sizes before it.
    pub(crate) fn value(&self, leaves: Vec<Value>) -> Value {
        self.flattening.result(leaves)
    }

    /// All results of the entry point.
    pub(crate) fn values(&self, left: &Left) -> Vec<Value> {
        self.flattening.results(left.values())
    }

    /// How many sizes come before the result.
    pub(crate) fn n_sizes(&self) -> usize {
        self.flattening.n_results().saturating_sub(1)
    }

    /// Whether it was made in a hurry, and gives nothing where that was wrong.
    pub(crate) fn is_draft(&self) -> bool {
        self.is_draft
    }

    /// The back end that made it.
    pub(crate) fn backend(&self) -> Backend {
        self.backend
    }

    fn error(&self, failed: Failed) -> RunError {
        let def = |it| self.recursive.get(&it).unwrap_or(&self.head.name).clone();
        self.flattening.error(fault::error(failed, &self.sites, def, self.memory))
    }
}

impl Parts {
    /// Of code by way of C.
    fn of((recipe, module): (Recipe, Arc<native::Module>)) -> Parts {
        let Recipe { is_draft, head, recursive, flattening, datas, texts, sites, .. } = recipe;
        let (backend, more_steps) = (Backend::Native, 0);
        Parts {
            module,
            is_draft,
            head,
            recursive,
            flattening,
            datas,
            texts,
            sites,
            backend,
            more_steps,
        }
    }
}

impl Types {
    fn new(precision: Precision, datas: BTreeMap<Name, DataDecl>, texts: Vec<Arc<str>>) -> Types {
        let of = |decl: &DataDecl| {
            let cons = decl.cons.iter().enumerate();
            cons.map(|(tag, it)| Arc::new(Constructor { name: it.name.clone(), tag })).collect()
        };
        let constructors = datas.iter().map(|(name, decl)| (name.clone(), of(decl))).collect();
        Types { precision, datas, constructors, texts }
    }
}

/// Whether the method is one whose programs are compiled.
pub(super) fn is_compiled_by(wanted: Wanted<'_>, options: Options) -> Result<(), Refused> {
    let derives = reaches_derivative(wanted.program, wanted.entry);
    match derives && options.via.compiled().is_none() {
        true => Err(only_interpreted(options.via)),
        false => Ok(()),
    }
}

fn only_interpreted(via: Via) -> Refused {
    let reason = format!("the method `{}` is run by the interpreter only", via.name());
    let help = "use a method that is compiled, such as the method `bulk`, or the back end `interp`, which runs \
         every method";
    Refused { span: None, reason, help, why: Why::Program }
}

pub(super) fn unavailable(it: native::Unavailable) -> Refused {
    let help = match it {
        native::Unavailable::Memory { .. } => {
            "lower the memory limit, or use the back end `interp`, which takes what it needs"
        }
        native::Unavailable::NoCompiler { .. }
        | native::Unavailable::Compiler { .. }
        | native::Unavailable::Files { .. }
        | native::Unavailable::Load { .. } => {
            "install a C compiler or name one by `CC`, or use the back end `interp`"
        }
    };
    Refused { span: None, reason: it.to_string(), help, why: Why::Compiler }
}
