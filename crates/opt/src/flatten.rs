//! Tuples, and arrays of them, become several variables, ir to ir.
//!
//! A variable of type `(Real, [n](Int, Real))` becomes three: `Real`, `[n]Int`, `[n]Real`, its
//! *leaves*, and so do parameters, results, the results of branches, the state of loops and the
//! fields of sum types. A sum type with type parameters, or in whose fields tuples are, is declared
//! anew, once for each choice of its type arguments.
//!
//! Requires: dialect FirstOrder, verified, without dual types.
//! Ensures: dialect FirstOrder; no `tuple` and no `proj` but the empty tuple, and no type with
//! another tuple in it. The same results and the same errors at run time, in the order of [`Layout`].
//! Cost: work at most that of the input times the number of leaves. `filter` of an array of tuples
//! goes through the positions and gathers.
//! Not done: `()` stays a value. Nothing is simplified.
//! Tests: `crates/opt/tests/flatten.rs`; on all examples: `crates/cotan/tests/specialise.rs`.
//!
//! Example. `x2: [n](Real, Int) = tuple 1 (x0, x1)`, `x3: Int = proj x2 1` is nothing but a name: `x1`
//! is written for `x3`.

mod blocks;
mod datas;
mod derive;
mod ops;

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Name;
use ir::{Atom, Binder, Block, Builder, Def, Op, Program, Size, Stmt, Type, Var, typing};
use serde::{Deserialize, Serialize};

use crate::refusal::{Reason, Refusal};
use datas::Datas;

/// A program without tuples, and how its entry point was called before.
#[derive(Clone, Debug)]
pub struct Flat {
    /// The program.
    pub program: Program,
    /// How each parameter of the entry point was flattened.
    pub params: Vec<Layout>,
    /// How each result of the entry point was flattened.
    pub results: Vec<Layout>,
    /// The constructors of sum types that are declared anew: what they were called, and how their
    /// fields were flattened.
    pub constructors: BTreeMap<Name, (Name, Vec<Layout>)>,
}

/// How a value is flattened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Layout {
    /// It is one value.
    Leaf,
    /// Its parts one after the other, as `Op::Tuple` takes them: of an array of tuples with so many
    /// dimensions, the arrays of the parts.
    Tuple {
        /// The dimensions of the array; 0 for a tuple.
        rank: usize,
        /// How each part is flattened.
        parts: Vec<Layout>,
    },
}

impl Layout {
    /// How values of a type are flattened.
    pub fn of(ty: &Type) -> Layout {
        let (sizes, inner) = ty.split_arrays();
        match inner {
            Type::Tuple(parts) if !parts.is_empty() => {
                let part = |it: &Type| Layout::of(&Type::arrays(&sizes, it.clone()));
                Layout::Tuple { rank: sizes.len(), parts: parts.iter().map(part).collect() }
            }
            Type::Tuple(_) | Type::Real | Type::Int | Type::Bool | Type::String => Layout::Leaf,
            Type::Array(..) | Type::Function(..) | Type::Var(_) | Type::Data(..) => Layout::Leaf,
            Type::Dual(_) | Type::Delta | Type::Tape(_) => Layout::Leaf,
        }
    }

    /// How many leaves there are.
    pub fn width(&self) -> usize {
        match self {
            Layout::Leaf => 1,
            Layout::Tuple { parts, .. } => parts.iter().map(Layout::width).sum(),
        }
    }
}

/// The program without tuples.
pub fn flatten(program: &Program, entry: &Name) -> Result<Flat, Refusal> {
    let mut datas = Datas::new(program);
    for def in program.defs.values() {
        let signature = signature(&mut datas, def)?;
        datas.output.defs.insert(def.name.clone(), Arc::new(signature));
    }
    for def in program.defs.values() {
        let flat = flatten_def(&mut datas, def)?;
        datas.bodies.insert(def.name.clone(), Arc::new(flat));
    }
    let layouts = |binders: &[Binder]| binders.iter().map(|it| Layout::of(&it.ty)).collect();
    let def = program.defs.get(entry);
    let (params, results) =
        def.map_or_else(Default::default, |it| (layouts(&it.params), layouts(&it.results)));
    let (program, constructors) = datas.finish();
    Ok(Flat { program, params, results, constructors })
}

/// The definition without its body.
fn signature(datas: &mut Datas<'_>, def: &Def) -> Result<Def, Refusal> {
    let mut flatten = Flatten::new(datas, def);
    let params = flatten.binders(&def.params)?;
    let results = flatten.binders(&def.results)?;
    let (next_var, spans) = flatten.builder.finish();
    let body = Block { stmts: Vec::new(), results: Vec::new() };
    let (name, size_params) = (def.name.clone(), def.size_params.clone());
    let (type_params, origin) = (Vec::new(), def.origin.clone());
    Ok(Def { name, type_params, size_params, params, results, body, next_var, spans, origin })
}

fn flatten_def(datas: &mut Datas<'_>, def: &Def) -> Result<Def, Refusal> {
    let mut flatten = Flatten::new(datas, def);
    let params = flatten.binders(&def.params)?;
    let results = flatten.binders(&def.results)?;
    let body = flatten.block(&def.body)?;
    let (next_var, spans) = flatten.builder.finish();
    let (name, size_params) = (def.name.clone(), def.size_params.clone());
    let (type_params, origin) = (Vec::new(), def.origin.clone());
    Ok(Def { name, type_params, size_params, params, results, body, next_var, spans, origin })
}

/// The work on one definition.
struct Flatten<'a, 'p> {
    datas: &'a mut Datas<'p>,
    def: &'a Def,
    builder: Builder<'p>,
    /// The leaves of each variable of the input.
    leaves: BTreeMap<Var, Vec<Atom>>,
    /// The type of each variable of the input, before it was flattened.
    types: BTreeMap<Var, Type>,
}

impl<'a, 'p> Flatten<'a, 'p> {
    fn new(datas: &'a mut Datas<'p>, def: &'a Def) -> Flatten<'a, 'p> {
        let mut builder = Builder::new(datas.source, def.next_var);
        let (mut leaves, mut types) = (BTreeMap::new(), BTreeMap::new());
        for var in &def.size_params {
            builder.declare(*var, Type::Int);
            leaves.insert(*var, vec![Atom::Var(*var)]);
            types.insert(*var, Type::Int);
        }
        Flatten { datas, def, builder, leaves, types }
    }

    fn refuse<T>(&self, reason: Reason, at: Option<Var>) -> Result<T, Refusal> {
        let span = at.and_then(|it| self.def.spans.0.get(&it)).copied();
        Err(Refusal { span, reason })
    }

    /// The leaves of an operand.
    fn atoms(&self, atom: &Atom) -> Vec<Atom> {
        match atom {
            Atom::Var(var) => self.leaves.get(var).cloned().expect("V1: bound before use"),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => vec![atom.clone()],
        }
    }

    /// An operand whose type has no tuple in it.
    fn atom(&self, atom: &Atom) -> Atom {
        self.atoms(atom).into_iter().next().expect("every type has a leaf")
    }

    fn all_atoms(&self, atoms: &[Atom]) -> Vec<Atom> {
        atoms.iter().flat_map(|it| self.atoms(it)).collect()
    }

    fn size(&self, size: &Size) -> Size {
        size.substitute(&mut |var| self.size_of(*var).unwrap_or_else(|| Size::var(*var)))
    }

    fn size_of(&self, var: Var) -> Option<Size> {
        ir::signature::atom_size(self.leaves.get(&var)?.first()?)
    }

    /// The type of an operand, before it was flattened.
    fn type_of(&self, atom: &Atom) -> Type {
        let found = typing::atom_type(&|var| self.types.get(&var).cloned(), atom);
        found.expect("V1: bound before use")
    }

    /// The types of the leaves of a type of the input.
    fn leaf_types(&mut self, ty: &Type) -> Result<Vec<Type>, Refusal> {
        let ty = ty.substitute_sizes(&|var| self.size_of(var));
        self.datas.leaf_types(&ty)
    }

    /// Variables that are bound in front of a block, or parameters.
    fn binders(&mut self, binders: &[Binder]) -> Result<Vec<Binder>, Refusal> {
        let mut res = Vec::new();
        for binder in binders {
            let types = self.leaf_types(&binder.ty)?;
            let vars = self.vars(binder);
            for (var, ty) in vars.iter().zip(types) {
                self.builder.declare(*var, ty.clone());
                res.push(Binder { var: *var, ty });
            }
        }
        Ok(res)
    }

    /// The variables for the leaves of one of the input; itself if it is one.
    fn vars(&mut self, binder: &Binder) -> Vec<Var> {
        self.types.insert(binder.var, binder.ty.clone());
        let vars = match Layout::of(&binder.ty).width() {
            1 if Layout::of(&binder.ty) == Layout::Leaf => vec![binder.var],
            width => (0..width).map(|_| self.builder.fresh(Type::unit())).collect(),
        };
        self.leaves.insert(binder.var, vars.iter().map(|it| Atom::Var(*it)).collect());
        vars
    }

    /// Says of which leaves a variable consists.
    fn alias(&mut self, binder: &Binder, leaves: Vec<Atom>) {
        self.types.insert(binder.var, binder.ty.clone());
        self.leaves.insert(binder.var, leaves);
    }

    fn block(&mut self, block: &Block) -> Result<Block, Refusal> {
        self.builder.open();
        block.stmts.iter().try_for_each(|it| self.stmt(it))?;
        let results = self.all_atoms(&block.results);
        Ok(self.builder.close(results))
    }

    /// Binds the leaves of all results of a statement to those of an operation.
    fn bind(&mut self, stmt: &Stmt, op: Op) -> Result<(), Refusal> {
        let vars: Vec<Var> = stmt.binders.iter().flat_map(|it| self.vars(it)).collect();
        self.push(&vars, op)
    }

    /// Binds each leaf of the one result of a statement to an operation of its own.
    fn each(&mut self, stmt: &Stmt, op: impl Fn(usize) -> Op) -> Result<(), Refusal> {
        let vars = self.vars(&stmt.binders[0]);
        vars.iter().enumerate().try_for_each(|(at, var)| self.push(&[*var], op(at)))
    }

    fn push(&mut self, vars: &[Var], op: Op) -> Result<(), Refusal> {
        let type_of = |var: Var| Some(self.builder.type_of(&Atom::Var(var)));
        match typing::result_types(&self.datas.output, &type_of, &op, vars) {
            Err(message) => self.refuse(Reason::LostSize(message), vars.first().copied()),
            Ok(types) => {
                let binders = vars.iter().zip(types).map(|(var, ty)| Binder { var: *var, ty });
                self.builder.push(Stmt { binders: binders.collect(), op });
                Ok(())
            }
        }
    }

    fn one(&mut self, op: Op) -> Result<Atom, Refusal> {
        let var = self.builder.fresh(Type::unit());
        self.push(&[var], op)?;
        Ok(Atom::Var(var))
    }
}
