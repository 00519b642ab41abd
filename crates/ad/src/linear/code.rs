//! Makes the statements of one definition, in a program that grows while it is made.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Name, Saying};
use ir::signature::atom_size;
use ir::{
    ArrayOp, Atom, Binder, Block, Builder, DataDecl, Def, DeriveOp, Literal, Op, Origin, Prim,
    Program, Reduction, Size, Stmt, Type, Var, typing, walk,
};

use super::domain::Domain;

/// Tells of a tangent or a cotangent, which it gives.
pub(crate) fn traced(saying: Saying, text: &Atom, value: Atom) -> Op {
    Op::Derive(DeriveOp::Tell { saying, every: Atom::Int(1), text: text.clone(), value })
}

/// A program that grows, and the statements of the definition that is being made.
pub(crate) struct Code {
    pub(crate) builder: Builder<'static>,
    /// Definitions that are linear in some of their parameters, and how they are transposed.
    pub(crate) transposed: BTreeMap<Name, Transposed>,
    /// What stands beside a real.
    pub(crate) domain: Domain,
}

/// How a definition that is linear in its last parameters is transposed.
#[derive(Clone, Debug)]
pub(crate) enum Transposed {
    /// It is `A.get` of this constructor.
    Get(Name),
    /// By this definition, which takes cotangents of the results in the place of so many tangents, and
    /// gives those of the parameters.
    By(Name, usize),
    /// By one that also takes, behind the cotangents, the sums that it adds to.
    Adding(Name, usize),
}

impl Code {
    pub(crate) fn new(program: Program) -> Code {
        // Tangents of sum types may be there already, from derivatives made before.
        let get = |def: &Arc<Def>| match &def.origin {
            Origin::Fields(con) => Some((def.name.clone(), Transposed::Get(con.clone()))),
            Origin::Source | Origin::Clause | Origin::Derivative => None,
            Origin::Data | Origin::Cast => None,
        };
        let transposed = program.defs.values().filter_map(get).collect();
        Code { builder: Builder::growing(program), transposed, domain: Domain::Reals }
    }

    pub(crate) fn program(&self) -> &Program {
        self.builder.program()
    }

    pub(crate) fn define(&mut self, def: Def) {
        self.define_shared(Arc::new(def));
    }

    pub(crate) fn define_shared(&mut self, def: Arc<Def>) {
        self.builder.program_mut().defs.insert(def.name.clone(), def);
    }

    /// Takes a definition back that nothing calls.
    pub(crate) fn undefine(&mut self, name: &Name) {
        self.builder.program_mut().defs.remove(name);
    }

    pub(crate) fn declare_data(&mut self, decl: DataDecl) {
        self.builder.program_mut().datas.insert(decl.name.clone(), decl);
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
        let types = typing::result_types(self.program(), &lookup, &op, vars);
        let types = types.unwrap_or_else(|it| panic!("compiler bug: {it}: {op}"));
        let binders = vars.iter().zip(types).map(|(var, ty)| Binder { var: *var, ty });
        Stmt { binders: binders.collect(), op }
    }

    /// A statement that binds new variables.
    #[track_caller]
    pub(crate) fn fresh_stmt(&mut self, op: Op) -> Stmt {
        let count = typing::result_count(self.program(), &op);
        let count = count.unwrap_or_else(|it| panic!("compiler bug: {it}: {op}"));
        let vars: Vec<Var> = (0..count).map(|_| self.builder.fresh(Type::unit())).collect();
        self.stmt(&vars, op)
    }

    #[track_caller]
    pub(crate) fn emit(&mut self, op: Op) -> Vec<Atom> {
        let op = self.fitted(op);
        self.builder.emit(op)
    }

    #[track_caller]
    pub(crate) fn one(&mut self, op: Op) -> Atom {
        self.emit(op).remove(0)
    }

    /// Whether a tangent or cotangent is one of numbers, which can be told.
    pub(crate) fn is_traced(&self, tangent: &Atom) -> bool {
        *self.type_of(tangent).split_arrays().1 == Type::Real
    }

    /// A tangent or a cotangent that is told.
    pub(crate) fn traced(&mut self, saying: Saying, text: &Atom, value: Atom) -> Atom {
        if self.is_traced(&value) { self.one(traced(saying, text, value)) } else { value }
    }

    #[track_caller]
    pub(crate) fn prim(&mut self, prim: Prim, args: Vec<Atom>) -> Atom {
        self.one(Op::Prim(prim, args))
    }

    #[track_caller]
    pub(crate) fn bind(&mut self, vars: &[Var], op: Op) {
        let op = self.fitted(op);
        self.builder.bind(vars, op);
    }

    /// A size as an `Int`.
    pub(crate) fn int(&mut self, size: &Size) -> Atom {
        match (size.as_constant(), size.as_var()) {
            (Some(value), _) => Atom::Int(value),
            (None, Some(var)) => Atom::Var(*var),
            (None, None) => self.one(Op::Size(size.clone())),
        }
    }

    /// `value` as every element of an array of these sizes.
    pub(crate) fn broadcast(&mut self, value: Atom, sizes: &[Size]) -> Atom {
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

    /// New variables for the fields of a constructor.
    pub(crate) fn fields(&mut self, ty: &Type, con: &Name) -> Vec<Binder> {
        let count = typing::constructors(self.program(), ty).expect("a sum type");
        let count = count.iter().find(|it| it.name == *con).map_or(0, |it| it.fields.len());
        let vars: Vec<Var> = (0..count).map(|_| self.builder.fresh(Type::Int)).collect();
        let values: Vec<Atom> = vars.iter().map(|it| Atom::Var(*it)).collect();
        let types = typing::constructor_fields(self.program(), ty, con, &values);
        let types = types.expect("a constructor of the type");
        let binders = vars.into_iter().zip(types).map(|(var, ty)| Binder { var, ty });
        let binders: Vec<Binder> = binders.collect();
        self.declare(&binders);
        binders
    }

    /// `0 * x` in effect: whether this primitive gives reals.
    pub(crate) fn gives_reals(&self, prim: Prim, ty: &Type) -> bool {
        !prim.row().partials.is_empty() && *ty.split_arrays().1 == Type::Real
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

/// A definition that is not made yet.
pub(crate) fn stub(
    (name, origin): (Name, Origin),
    size_params: Vec<Var>,
    params: Vec<Binder>,
    results: Vec<Binder>,
    next_var: u32,
) -> Arc<Def> {
    let body = Block { stmts: Vec::new(), results: Vec::new() };
    let (type_params, spans) = (Vec::new(), Default::default());
    Arc::new(Def { name, type_params, size_params, params, results, body, next_var, spans, origin })
}
