//! Definitions as C that anybody can compile: a source for each function, one header, and a manifest.
//!
//! Of each definition of the text that takes and gives numbers, and structures of them, there is its value, and its derivative
//! by all parameters or those that are asked for: value and gradient if it gives one real, the transposed derivative (vjp)
//! otherwise. Arguments and results are buffers of the caller, and so is the memory in between.

mod apart;
mod interface;
mod names;
mod wrapper;

use std::borrow::Cow;
use std::sync::Arc;

use ad::flow::Flow;
use base::Name;
use check::Scheme;
use emit::{EmitOptions, emit};
use eval::Precision;
use ir::{Binder, Def, Operator, Program, Type};

use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::gradcheck::wrap::derivative;
use crate::parts::{UNTOLD, untold};
use crate::pipeline;
use crate::pipelines::MIXED;
use crate::report::Report;
use crate::wrt;

pub use interface::{CArgument, CElement, CFunction, CGives, CSize};
use names::{LeafName, Names, leaf_names};
use wrapper::{Argument, Role, Wrapper};

/// C of a program.
#[derive(Clone, Debug)]
pub struct Exported {
    /// Names and contents: sources, then the header, then the manifest.
    pub files: Vec<(String, String)>,
    /// The C functions there are.
    pub functions: Vec<String>,
    /// The C functions with what they take and give.
    pub interface: Vec<CFunction>,
    /// The flags that the sources are to be compiled with.
    pub flags: String,
    /// Definitions that are not among them.
    pub skipped: Vec<Skipped>,
}

/// A definition without C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The definition, or its derivative.
    pub name: String,
    /// Why.
    pub reason: String,
}

impl Compiled {
    /// The definitions of the text as C; `stem` is what names of files and functions begin with.
    /// Derivatives are by the parameters of these names, or by all that have reals if there are none;
    /// a definition without any of them has no derivative.
    pub fn export_c(&self, stem: &str, wrt: &[&str]) -> Result<Exported, Report> {
        with_deep_stack(|| {
            wrt::known(self, wrt).map_err(|it| self.report(vec![it]))?;
            let stem = names::identifier(stem);
            let mut export = Export {
                compiled: self,
                wrt,
                values: Vec::new(),
                stem,
                made: Vec::new(),
                skipped: Vec::new(),
            };
            // Values first: a definition has its own name, whatever derivatives are called.
            let mut names = Names::default();
            for def in &self.checked.defs {
                let name = format!("{}_{}", export.stem, names::identifier(&def.name));
                export.values.push((def.name.clone(), names.fresh(&name)));
            }
            for def in &self.checked.defs {
                export.definition(&def.name, &mut names);
            }
            Ok(export.finish())
        })
    }
}

/// The work on one program.
struct Export<'a> {
    compiled: &'a Compiled,
    /// The parameters to differentiate by; all if there are none.
    wrt: &'a [&'a str],
    /// What definitions are called in C.
    values: Vec<(Name, String)>,
    stem: String,
    made: Vec<Wrapper>,
    skipped: Vec<Skipped>,
}

/// What a C function computes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Value,
    Gradient,
    Transposed,
}

/// A C function to be made.
struct Part {
    kind: Kind,
    /// Which parameters it is differentiated by.
    by: Vec<bool>,
    name: String,
}

impl Kind {
    fn ending(self) -> &'static str {
        match self {
            Kind::Value => "",
            Kind::Gradient => "_grad",
            Kind::Transposed => "_vjp",
        }
    }

    /// What it is for a definition.
    fn about(self, def: &Name) -> String {
        match self {
            Kind::Value => def.to_string(),
            Kind::Gradient => format!("the gradient of {def}"),
            Kind::Transposed => format!("the vjp of {def}"),
        }
    }
}

impl Export<'_> {
    fn definition(&mut self, name: &Name, names: &mut Names) {
        let program = &self.compiled.checked.program;
        let scheme = self.compiled.checked.scheme(name).expect("a definition of the program");
        let def = program.defs.get(name).expect("a definition of the program").clone();
        if let Some(reason) = self.obstacle(scheme) {
            return self.skip(name, &reason);
        }
        // The definition itself, or the same over tags and fields.
        let (program, def) = match apart::apart(program, &def, name.part("apart")) {
            Ok(None) => (Cow::Borrowed(program), def),
            Ok(Some(apart)) => {
                let (mut program, apart) = (program.clone(), Arc::new(apart));
                program.defs.insert(apart.name.clone(), apart.clone());
                (Cow::Owned(program), apart)
            }
            Err(reason) => return self.skip(name, &reason),
        };
        let program = &*program;
        let value = self.values.iter().find(|it| it.0 == *name).map(|it| it.1.clone());
        let value = value.expect("every definition has a name");
        let whole = Part { kind: Kind::Value, by: Vec::new(), name: value.clone() };
        self.function(program, scheme, (name, &def.name), whole);
        let flow = Flow::new(program);
        let Some(result) = def.results.last() else { return };
        if !flow.carries(&result.ty) || !def.params.iter().any(|it| flow.carries(&it.ty)) {
            return;
        }
        let by = wrt::chosen(scheme, &def, &flow, self.wrt);
        let (operator, kind) = match result.ty == Type::Real {
            true => (Operator::ValueAndGrad, Kind::Gradient),
            false => (Operator::Vjp, Kind::Transposed),
        };
        if !by.contains(&true) {
            let reason = format!("it has no reals in {}", wrt::quoted(self.wrt));
            return self.skip(&kind.about(name), &reason);
        }
        let new = name.part("export");
        let mut program = program.clone();
        let wrapped = derivative(&program, &def, result, (operator, &by), new.clone());
        program.defs.insert(new.clone(), Arc::new(wrapped));
        let part = Part { kind, by, name: names.fresh(&format!("{value}{}", kind.ending())) };
        self.function(&program, scheme, (name, &new), part);
    }

    fn skip(&mut self, name: &str, reason: &str) {
        self.skipped.push(Skipped { name: name.to_string(), reason: reason.to_string() });
    }

    /// What is in the way of a definition.
    fn obstacle(&self, scheme: &Scheme) -> Option<String> {
        let types = &self.compiled.types;
        let params = scheme.params.as_deref().unwrap_or_default();
        let mut all = params.iter().map(|it| &it.ty).chain([&scheme.result]);
        let reason = match () {
            () if !scheme.types.is_empty() => "it is polymorphic",
            () if !scheme.opaque.is_empty() => "the size of its result is known only when it runs",
            () if all.any(|it| types.has_function(it)) => "it takes or gives functions",
            () => return None,
        };
        Some(reason.to_string())
    }

    /// Makes a C function of an entry point; `def` is the definition that it is about.
    fn function(
        &mut self,
        program: &Program,
        scheme: &Scheme,
        (def, entry): (&Name, &Name),
        part: Part,
    ) {
        let mut shown = part.kind.about(def);
        if !self.wrt.is_empty() && part.kind != Kind::Value {
            shown += &format!(" by {}", wrt::quoted(&wrt::names(scheme, &part.by)));
        }
        let resolved = match pipeline::resolve(MIXED, program, entry) {
            Ok(it) => it,
            Err(it) => return self.skip(&shown, &it.reason),
        };
        let flat = resolved.program.defs.get(entry).expect("the entry point is there").clone();
        let binders = flat.params.iter().chain(&flat.results);
        if let Some(it) = binders.clone().find(|it| !is_plain(&it.ty)) {
            return self.skip(&shown, &format!("C has no type for `{}`", shown_type(&it.ty)));
        }
        if untold(&resolved.program).is_some() {
            return self.skip(&shown, UNTOLD);
        }
        let precision = self.compiled.options.precision;
        let real = match precision {
            Precision::F64 => emit::Precision::F64,
            Precision::F32 => emit::Precision::F32,
        };
        let lowered = pipeline::loops_of(&resolved.program, entry, None);
        let text = emit(&lowered, &EmitOptions { real, vector: true, draft: false });
        let (arguments, results) = self.border(scheme, &flat, &part);
        let Part { kind, by, name } = part;
        let ty = format!("{def}: {}", scheme.ty());
        self.made.push(Wrapper {
            name,
            definition: def.to_string(),
            kind,
            by,
            about: shown,
            ty,
            text,
            arguments,
            results,
            precision,
        });
    }

    /// The C parameters of a function: sizes and values that it takes, and places for its results.
    fn border(&self, scheme: &Scheme, flat: &Def, part: &Part) -> (Vec<Argument>, Vec<Argument>) {
        let kind = part.kind;
        let types = &self.compiled.types;
        let params = scheme.params.as_deref().unwrap_or_default();
        let mut names = Names::default();
        // Sizes come first: those of the types, then those that are parameters themselves.
        let own: Vec<String> = scheme.sizes.iter().map(|it| names.fresh(&it.name)).collect();
        // By parameters, and part by part.
        let written: Vec<Vec<LeafName>> = params
            .iter()
            .enumerate()
            .map(|(at, it)| {
                let name = it.name.as_ref().map_or_else(|| format!("p{at}"), |it| it.to_string());
                fresh(&mut names, leaf_names(types, &name, &it.ty))
            })
            .collect();
        let dependent = params.iter().zip(&written).filter(|it| it.0.rigid.is_some());
        let dependent = dependent.flat_map(|it| it.1).map(|it| it.name.clone());
        let sizes: Vec<String> = own.iter().cloned().chain(dependent).collect();
        let by_var: Vec<(ir::Var, String)> =
            flat.size_params.iter().copied().zip(sizes.iter().cloned()).collect();
        let mut arguments = Vec::new();
        for (at, size) in sizes.iter().enumerate() {
            let role = if at < own.len() { Role::Size } else { Role::Repeated };
            arguments.push(Argument::new(size, &Type::Int, role, &by_var));
        }
        let seeds = match kind {
            Kind::Transposed => leaf_names(types, "d_result", &scheme.result),
            Kind::Value | Kind::Gradient => Vec::new(),
        };
        let seeds = fresh(&mut names, seeds);
        let leaves = written.iter().flatten().chain(&seeds).zip(&flat.params);
        let leaf =
            |(it, to): (&LeafName, &Binder)| Argument::new(&it.name, &to.ty, it.role(), &by_var);
        arguments.extend(leaves.map(leaf));
        let value = leaf_names(types, "result", &scheme.result);
        let chosen = || written.iter().zip(&part.by).filter(|it| *it.1).flat_map(|it| it.0);
        let slope = |it: &LeafName| LeafName { name: format!("d_{}", it.name), is_tag: false };
        let slopes = || chosen().map(slope);
        let results: Vec<LeafName> = match kind {
            Kind::Value => value,
            Kind::Gradient => value.into_iter().chain(slopes()).collect(),
            Kind::Transposed => slopes().collect(),
        };
        let result = |(it, to): (&LeafName, &Binder)| {
            // Integers have no derivative.
            let is_slope =
                kind == Kind::Transposed || kind == Kind::Gradient && it.name != "result";
            let is_real = *to.ty.split_arrays().1 == Type::Real;
            let role = if is_slope && !is_real { Role::Dropped } else { it.role() };
            Argument::new(&names.fresh(&it.name), &to.ty, role, &by_var)
        };
        let results = results.iter().zip(&flat.results).map(result).collect();
        (arguments, results)
    }

    fn finish(self) -> Exported {
        let header = format!("{}.h", self.stem);
        let mut files: Vec<(String, String)> =
            self.made.iter().map(|it| (format!("{}.c", it.name), it.source(&header))).collect();
        files.push((header, wrapper::header(&self.stem, &self.made)));
        let manifest = wrapper::manifest(&self.stem, &self.made, &self.skipped);
        files.push((format!("{}.json", self.stem), manifest));
        let functions = self.made.iter().map(|it| it.name.clone()).collect();
        let interface = self.made.iter().map(Wrapper::interface).collect();
        Exported { files, functions, interface, flags: wrapper::flags(), skipped: self.skipped }
    }
}

/// With names that nothing else has.
fn fresh(names: &mut Names, leaves: Vec<LeafName>) -> Vec<LeafName> {
    leaves.into_iter().map(|it| LeafName { name: names.fresh(&it.name), ..it }).collect()
}

/// Whether C has a type for it: numbers, truth values and arrays of them.
fn is_plain(ty: &Type) -> bool {
    match ty.split_arrays().1 {
        Type::Real | Type::Int | Type::Bool => true,
        Type::String | Type::Tuple(_) | Type::Array(..) | Type::Function(..) => false,
        Type::Var(_) | Type::Data(..) | Type::Dual(_) | Type::Delta | Type::Tape(_) => false,
    }
}

/// A type in few words.
fn shown_type(ty: &Type) -> String {
    match ty.split_arrays().1 {
        Type::String => "String".to_string(),
        Type::Tuple(_) => "()".to_string(),
        Type::Data(name, ..) => name.written().to_string(),
        Type::Real | Type::Int | Type::Bool | Type::Array(..) | Type::Function(..) => {
            "this".to_string()
        }
        Type::Var(_) | Type::Dual(_) | Type::Delta | Type::Tape(_) => "this".to_string(),
    }
}
