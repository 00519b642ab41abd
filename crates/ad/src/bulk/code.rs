//! Makes the statements of one definition, in a program that grows while it is made.

use std::collections::BTreeMap;

use ir::signature::atom_size;
use ir::{
    ArrayOp, Atom, Binder, Block, Builder, ControlOp, FunctionOp, Literal, Op, Prim, Program,
    Reduction, Size, Spans, Stmt, Type, Var, typing, walk,
};

use super::work::Work;

/// What the builder is told of the program: the types of statements are computed here.
static NOTHING: Program =
    Program { datas: BTreeMap::new(), defs: BTreeMap::new(), customs: BTreeMap::new() };

/// Statements of one definition. Like [`Builder`], but definitions and sum types that are made on
/// the way are known to it.
pub(crate) struct Code<'w> {
    pub(crate) work: &'w mut Work,
    pub(crate) builder: Builder<'static>,
}

impl<'w> Code<'w> {
    pub(crate) fn new(work: &'w mut Work, next_var: u32) -> Code<'w> {
        Code { work, builder: Builder::new(&NOTHING, next_var) }
    }

    pub(crate) fn fresh(&mut self, ty: Type) -> Binder {
        Binder { var: self.builder.fresh(ty.clone()), ty }
    }

    pub(crate) fn declare(&mut self, binders: &[Binder]) {
        binders.iter().for_each(|it| self.builder.declare(it.var, it.ty.clone()));
    }

    /// Declares what a block binds, at any depth.
    pub(crate) fn declare_block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.declare(&stmt.binders);
            for (bound, inner) in walk::blocks(&stmt.op) {
                self.declare(&bound);
                self.declare_block(inner);
            }
        }
    }

    #[track_caller]
    pub(crate) fn type_of(&self, atom: &Atom) -> Type {
        self.builder.type_of(atom)
    }

    #[track_caller]
    pub(crate) fn sizes_of(&self, atom: &Atom) -> Vec<Size> {
        self.type_of(atom).split_arrays().0
    }

    /// A statement that binds these variables.
    #[track_caller]
    pub(crate) fn stmt(&self, vars: &[Var], op: Op) -> Stmt {
        let lookup = |var: Var| Some(self.builder.type_of(&Atom::Var(var)));
        let types = typing::result_types(&self.work.program, &lookup, &op, vars);
        let types = types.unwrap_or_else(|it| panic!("compiler bug: {it}: {op}"));
        let binders = vars.iter().zip(types).map(|(var, ty)| Binder { var: *var, ty });
        Stmt { binders: binders.collect(), op }
    }

    /// A statement that binds new variables.
    #[track_caller]
    pub(crate) fn fresh_stmt(&mut self, op: Op) -> Stmt {
        let count = typing::result_count(&self.work.program, &op);
        let count = count.unwrap_or_else(|it| panic!("compiler bug: {it}: {op}"));
        let vars: Vec<Var> = (0..count).map(|_| self.builder.fresh(Type::unit())).collect();
        self.stmt(&vars, op)
    }

    #[track_caller]
    pub(crate) fn emit(&mut self, op: Op) -> Vec<Atom> {
        let stmt = self.fresh_stmt(op);
        let results = stmt.binders.iter().map(|it| Atom::Var(it.var)).collect();
        self.builder.push(stmt);
        results
    }

    #[track_caller]
    pub(crate) fn one(&mut self, op: Op) -> Atom {
        self.emit(op).remove(0)
    }

    #[track_caller]
    pub(crate) fn prim(&mut self, prim: Prim, args: Vec<Atom>) -> Atom {
        self.one(Op::Prim(prim, args))
    }

    #[track_caller]
    pub(crate) fn bind(&mut self, vars: &[Var], op: Op) {
        let stmt = self.stmt(vars, op);
        self.builder.push(stmt);
    }

    /// A size as an `Int`.
    pub(crate) fn int(&mut self, size: &Size) -> Atom {
        match (size.as_constant(), size.as_var()) {
            (Some(value), _) => Atom::Int(value),
            (None, Some(var)) => Atom::Var(*var),
            (None, None) => self.one(Op::Size(size.clone())),
        }
    }

    /// The zero of a tangent type.
    pub(crate) fn zeros(&mut self, ty: &Type) -> Atom {
        match ty {
            Type::Real => real(0.0),
            Type::Int => Atom::Int(0),
            Type::Bool => Atom::Bool(false),
            Type::String => Atom::Str("".into()),
            Type::Array(size, elem) => {
                let value = self.zeros(elem);
                self.one(Op::Array(ArrayOp::Replicate { size: size.clone(), value }))
            }
            Type::Data(name, ..) => {
                let con = super::tangent::zero_name(name);
                self.one(Op::Con { ty: ty.clone(), con, args: Vec::new() })
            }
            Type::Tuple(_) => self.one(Op::Tuple { rank: 0, parts: Vec::new() }),
            Type::Function(..) | Type::Var(_) | Type::Dual(_) | Type::Delta | Type::Tape(_) => {
                panic!("compiler bug: no zero of type {ty}")
            }
        }
    }

    /// The value under the sizes of a type from which it differs in nothing else.
    #[track_caller]
    pub(crate) fn fit(&mut self, atom: Atom, ty: &Type) -> Atom {
        let found = self.type_of(&atom);
        if found == *ty {
            return atom;
        }
        let (sizes, inner) = ty.split_arrays();
        debug_assert!(found.equal_up_to_sizes(ty), "{found} instead of {ty}");
        if inner != found.split_arrays().1 {
            return self.cast(atom, ty);
        }
        self.one(Op::Array(ArrayOp::Reshape { array: atom, rank: sizes.len(), sizes }))
    }

    /// The same for sum types that a pass made, whose sizes nobody compares: a call of the identity.
    fn cast(&mut self, atom: Atom, ty: &Type) -> Atom {
        let (sizes, inner) = ty.split_arrays();
        let Type::Data(name, _, size_args) = inner else { return atom };
        let def = self.work.cast(name);
        let cast = |args| {
            Op::Function(FunctionOp::Call {
                def,
                types: Vec::new(),
                sizes: size_args.clone(),
                args,
            })
        };
        if sizes.is_empty() {
            return self.one(cast(vec![atom]));
        }
        let indices: Vec<Var> = sizes.iter().map(|_| self.builder.fresh(Type::Int)).collect();
        self.builder.open();
        let at = indices.iter().map(|it| Atom::Var(*it)).collect();
        let elem = self.one(Op::Array(ArrayOp::Index { array: atom, indices: at }));
        let elem = self.one(cast(vec![elem]));
        let body = self.builder.close(vec![elem]);
        self.one(Op::Control(ControlOp::Build { sizes, indices, body }))
    }

    /// `value` as every element of an array of these sizes.
    pub(crate) fn spread(&mut self, value: Atom, sizes: &[Size]) -> Atom {
        let more = |value, size: &Size| {
            self.one(Op::Array(ArrayOp::Replicate { size: size.clone(), value }))
        };
        sizes.iter().rev().fold(value, more)
    }

    /// The sum of all elements.
    pub(crate) fn total(&mut self, array: Atom) -> Atom {
        let rank = self.sizes_of(&array).len();
        let sum = |array, _| {
            self.one(Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, axis: 0, array }))
        };
        (0..rank).fold(array, sum)
    }

    /// The array with one axis moved to the front.
    pub(crate) fn axis_first(&mut self, axis: usize, array: Atom) -> Atom {
        if axis == 0 {
            return array;
        }
        let permutation = std::iter::once(axis).chain(0..axis).collect();
        self.one(Op::Array(ArrayOp::Transpose { array, permutation }))
    }

    /// The array with the first axis moved behind so many others.
    pub(crate) fn axis_back(&mut self, axis: usize, array: Atom) -> Atom {
        if axis == 0 {
            return array;
        }
        let permutation = (1..=axis).chain([0]).collect();
        self.one(Op::Array(ArrayOp::Transpose { array, permutation }))
    }

    /// The sum of two values of a tangent type.
    pub(crate) fn add(&mut self, left: Atom, right: Atom) -> Atom {
        let ty = self.type_of(&left);
        let (sizes, inner) = ty.split_arrays();
        let Type::Data(name, _, size_args) = inner else {
            return self.prim(Prim::Add, vec![left, right]);
        };
        let def = super::tangent::add_name(name);
        let sum = |args| {
            Op::Function(FunctionOp::Call {
                def,
                types: Vec::new(),
                sizes: size_args.clone(),
                args,
            })
        };
        if sizes.is_empty() {
            return self.one(sum(vec![left, right]));
        }
        let indices: Vec<Var> = sizes.iter().map(|_| self.builder.fresh(Type::Int)).collect();
        let at: Vec<Atom> = indices.iter().map(|it| Atom::Var(*it)).collect();
        self.builder.open();
        let left = self.one(Op::Array(ArrayOp::Index { array: left, indices: at.clone() }));
        let right = self.one(Op::Array(ArrayOp::Index { array: right, indices: at }));
        let result = self.one(sum(vec![left, right]));
        let body = self.builder.close(vec![result]);
        self.one(Op::Control(ControlOp::Build { sizes, indices, body }))
    }

    pub(crate) fn finish(self) -> (u32, Spans) {
        self.builder.finish()
    }
}

/// A literal.
pub(crate) fn real(value: f64) -> Atom {
    Atom::Real(Literal(value))
}

/// Whether an atom is this literal.
pub(crate) fn is_real(atom: &Atom, value: f64) -> bool {
    matches!(atom, Atom::Real(it) if it.0 == value)
}

/// The variable that an atom is.
pub(crate) fn var_of(atom: &Atom) -> Option<Var> {
    match atom {
        Atom::Var(var) => Some(*var),
        Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => None,
    }
}

/// Variables as atoms.
pub(crate) fn atoms(binders: &[Binder]) -> Vec<Atom> {
    binders.iter().map(|it| Atom::Var(it.var)).collect()
}

/// The type with variables replaced in its sizes.
pub(crate) fn with_sizes(ty: &Type, of: &dyn Fn(Var) -> Option<Atom>) -> Type {
    ty.substitute_sizes(&|var| of(var).as_ref().and_then(atom_size))
}

/// A block that gives these atoms.
pub(crate) fn block(stmts: Vec<Stmt>, results: Vec<Atom>) -> Block {
    Block { stmts, results }
}
