//! The printer of one function: what it knows while it goes through the statements, and the words of C that
//! all of its files share.

use std::collections::{BTreeMap, BTreeSet};

use loops::{Atom, Func, How, Module, Scalar, Type, Value, Var};

use crate::forms::Forms;
use crate::{EmitOptions, look, parts, prims};

/// Prints one function.
pub(crate) struct Printer<'a> {
    pub(crate) module: &'a Module,
    pub(crate) func: &'a Func,
    pub(crate) names: &'a [String],
    pub(crate) options: EmitOptions,
    /// Sections of our C that it needs.
    pub(crate) needs: BTreeSet<&'static str>,
    /// Functions on reals that it needs: `exp` of vectors, `exp1` of scalars.
    pub(crate) functions: BTreeSet<String>,
    /// Functions that were cut out of it.
    pub(crate) tasks: String,
    /// For names that are no variables.
    pub(crate) next_name: u32,
    pub(crate) text: String,
    pub(crate) depth: usize,
    /// Variables that stand for a literal here: those of loops that are unrolled, and what follows.
    pub(crate) known: Vec<Option<Atom>>,
    /// Of variables of loops: how many steps there are.
    pub(crate) counts: BTreeMap<Var, Atom>,
    /// How many elements the chunk around has.
    pub(crate) chunk: Option<Atom>,
    /// Comparisons, and what they are parts of.
    pub(crate) bounds: BTreeMap<Var, Value>,
    /// Products that are part of a sum.
    pub(crate) fused: BTreeSet<Var>,
    /// Arrays with an element for each lane.
    pub(crate) lanes: Vec<Option<How>>,
    /// Arrays that may be on the stack of C: no other variable refers to them.
    pub(crate) private: BTreeSet<Var>,
    /// What is a vector here.
    pub(crate) forms: Forms,
    /// How many lanes count, in a vector loop.
    pub(crate) live: Option<String>,
    /// Whether products that are 0 if a factor is are plain products now, of scalars or of vectors.
    pub(crate) plain_scale: Option<prims::Width>,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(
        module: &'a Module,
        func: &'a Func,
        names: &'a [String],
        options: EmitOptions,
    ) -> Printer<'a> {
        Printer {
            module,
            func,
            names,
            options,
            needs: BTreeSet::new(),
            functions: BTreeSet::new(),
            tasks: String::new(),
            next_name: 0,
            text: String::new(),
            depth: 0,
            known: vec![None; func.vars.len()],
            counts: BTreeMap::new(),
            chunk: None,
            bounds: look::bounds(func),
            fused: BTreeSet::new(),
            lanes: vec![None; func.vars.len()],
            private: look::private_arrays(func),
            forms: Forms::none(func),
            live: None,
            plain_scale: None,
        }
    }

    pub(crate) fn function(&mut self, name: &str) -> String {
        self.line(&format!("// {}", self.func.name));
        self.line(&format!("{} {{", self.head(name)));
        self.depth += 1;
        if self.func.recursive {
            let number = self.names.iter().position(|it| it == name).unwrap_or(0);
            self.line(&format!("ct_check_stack(ctx, {number});"));
        }
        self.block(&self.func.body);
        if let [result] = self.func.results.as_slice() {
            let result = self.atom(*result);
            self.line(&format!("return {result};"));
        } else {
            for (k, result) in self.func.results.iter().enumerate() {
                let result = self.atom(*result);
                self.line(&format!("*r{k} = {result};"));
            }
        }
        self.depth -= 1;
        self.line("}\n");
        std::mem::take(&mut self.text)
    }

    /// The head of the function: one result is returned, several go through pointers.
    pub(crate) fn head(&self, name: &str) -> String {
        let func = self.func;
        let results: Vec<Type> = func.results.iter().map(|it| func.atom_type(*it)).collect();
        let mut parameters = vec!["ct_ctx *ctx".to_string()];
        parameters.extend(func.params.iter().map(|it| declare(func.ty(*it), &variable(*it))));
        let start = if let [result] = results.as_slice() {
            declare(*result, name)
        } else {
            parameters
                .extend(results.iter().enumerate().map(|(k, ty)| declare(*ty, &format!("*r{k}"))));
            format!("void {name}")
        };
        let of = if self.options.draft { parts::FUNCTION } else { "static" };
        format!("{of} {start}({})", parameters.join(", "))
    }

    pub(crate) fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    pub(crate) fn open(&mut self, text: &str) {
        self.line(text);
        self.depth += 1;
    }

    pub(crate) fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    pub(crate) fn fresh(&mut self, stem: &str) -> String {
        self.next_name += 1;
        format!("{stem}{}", self.next_name)
    }
}

/// The C type of a scalar.
pub(crate) fn scalar_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Real => "real",
        Scalar::Int => "int64_t",
        Scalar::Bool => "_Bool",
        Scalar::Box => "ct_slot *",
    }
}

/// The C type of an element in memory.
pub(crate) fn element_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Real => "real",
        Scalar::Int => "int64_t",
        Scalar::Bool => "uint8_t",
        Scalar::Box => "ct_slot *",
    }
}

/// The declaration of a name.
pub(crate) fn declare(ty: Type, name: &str) -> String {
    match ty {
        Type::Scalar(it) => format!("{} {name}", scalar_type(it)),
        Type::Array(it) => format!("{} *{name}", element_type(it)),
    }
}

pub(crate) fn variable(var: Var) -> String {
    format!("x{}", var.0)
}

pub(crate) fn from_slot(ty: Type, slot: &str) -> String {
    match ty {
        Type::Scalar(Scalar::Real) => format!("(real){slot}.d"),
        Type::Scalar(Scalar::Int) => format!("{slot}.i"),
        Type::Scalar(Scalar::Bool) => format!("{slot}.i != 0"),
        Type::Scalar(Scalar::Box) | Type::Array(_) => format!("{slot}.p"),
    }
}

pub(crate) fn slot_field(ty: Type) -> &'static str {
    match ty {
        Type::Scalar(Scalar::Real) => "d",
        Type::Scalar(Scalar::Int | Scalar::Bool) => "i",
        Type::Scalar(Scalar::Box) | Type::Array(_) => "p",
    }
}
