//! Types without functions: a sum type for each type of functions, up to sizes.
//!
//! `([n]Real) -> [n]Real` and `([m]Real) -> [m]Real` are the same sum type, with a size as its argument.
//! Where two sizes are equal in all types of the program that differ in nothing but sizes, they are one
//! argument, and where a size is the same number everywhere, it is none: then the typing rules see inside
//! of a function what they saw outside.
//! A sum type with type parameters whose functions mention them is copied for each choice of types.

use std::collections::{BTreeMap, BTreeSet};

use base::{Mark, Name};
use ir::walk::{self, Rewrite, Visit};
use ir::{Binder, ConDecl, DataDecl, Def, Program, Size, Type, Var};

use crate::refusal::{Reason, Refusal};

/// Types that copies of sum types may be needed for.
const MAX_TYPES: usize = 5000;

/// A type of functions, up to sizes.
pub(super) struct Class {
    pub(super) number: usize,
    /// The sum type, and the definition that applies values of it.
    pub(super) data: Name,
    pub(super) apply: Name,
    /// The type of functions; its sizes are the arguments of the sum type, from 0 on, and numbers.
    pub(super) ty: Type,
    /// For each argument of the sum type, which size of a type of functions it is.
    positions: Vec<usize>,
}

impl Class {
    /// How many arguments the sum type has.
    pub(super) fn n_sizes(&self) -> u32 {
        self.positions.len() as u32
    }

    /// The arguments of the sum type, from the sizes of a type of functions.
    pub(super) fn arguments(&self, sizes: &[Size]) -> Vec<Size> {
        self.positions.iter().map(|it| sizes[*it].clone()).collect()
    }

    /// The name of a constructor.
    pub(super) fn con(&self, at: usize) -> Name {
        Name::from(format!("{}_{at}", self.data))
    }
}

/// The types of a program, and what becomes of them.
pub(super) struct Types<'p> {
    program: &'p Program,
    /// Sum types that are copied for each choice of types.
    generic: BTreeSet<Name>,
    classes: BTreeMap<Type, Class>,
    /// Copies by what they are of, and those that are not declared yet.
    copies: BTreeMap<Type, usize>,
    undeclared: Vec<Type>,
}

impl<'p> Types<'p> {
    pub(super) fn new(program: &'p Program) -> Result<Types<'p>, Refusal> {
        let generic = generic(program);
        let mut seen =
            Seen { program, generic: &generic, all: BTreeSet::new(), found: BTreeMap::new() };
        for decl in program.datas.values().filter(|it| !generic.contains(&it.name)) {
            decl.cons.iter().flat_map(|it| &it.fields).for_each(|it| seen.add(it));
        }
        for def in program.defs.values() {
            def.params.iter().chain(&def.results).for_each(|it| seen.add(&it.ty));
            walk::visit_block(&def.body, &mut seen);
        }
        if seen.all.len() > MAX_TYPES {
            return Err(Refusal { span: None, reason: Reason::TooManyInstances });
        }
        let classes = seen.found.iter().enumerate();
        let classes = classes.map(|(at, (ty, sizes))| (ty.clone(), class(program, at, ty, sizes)));
        let classes = classes.collect();
        let (copies, undeclared) = (BTreeMap::new(), Vec::new());
        Ok(Types { program, generic, classes, copies, undeclared })
    }

    /// Whether no functions are left.
    pub(super) fn are_first_order(&self) -> bool {
        self.classes.is_empty()
    }

    /// The types of functions, in order.
    pub(super) fn classes(&self) -> impl Iterator<Item = &Class> {
        self.classes.values()
    }

    pub(super) fn class_at(&self, number: usize) -> &Class {
        self.classes().nth(number).expect("compiler bug: a type of functions is missing")
    }

    /// The type of functions that this is, and its sizes.
    pub(super) fn class(&self, ty: &Type) -> (&Class, Vec<Size>) {
        let (skeleton, sizes) = abstracted(ty);
        let class = self.classes.get(&skeleton);
        (class.expect("compiler bug: a type of functions is new"), sizes)
    }

    /// The type without functions.
    pub(super) fn convert(&mut self, ty: &Type) -> Type {
        match ty {
            Type::Function(..) => {
                let (class, sizes) = self.class(ty);
                Type::Data(class.data.clone(), Vec::new(), class.arguments(&sizes))
            }
            Type::Data(name, ..) if self.generic.contains(name) => {
                let (skeleton, sizes) = abstracted(ty);
                let number = self.copy(skeleton);
                Type::Data(Name::from(format!("{name}_{number}")), Vec::new(), sizes)
            }
            Type::Real | Type::Int | Type::Bool | Type::String | Type::Var(_) | Type::Delta => {
                ty.clone()
            }
            Type::Tuple(_) | Type::Array(..) | Type::Data(..) | Type::Dual(_) | Type::Tape(_) => {
                let sizes = ty.sizes().into_iter().cloned().collect();
                ty.with(sizes, ty.parts().into_iter().map(|it| self.convert(it)).collect())
            }
        }
    }

    /// The constructor of the output that belongs to one of the input.
    pub(super) fn con(&mut self, ty: &Type, con: &Name) -> Name {
        match ty {
            Type::Data(name, ..) if self.generic.contains(name) => {
                Name::from(format!("{con}_{}", self.copy(abstracted(ty).0)))
            }
            Type::Real | Type::Int | Type::Bool | Type::String | Type::Var(_) | Type::Delta => {
                con.clone()
            }
            Type::Tuple(_) | Type::Array(..) | Type::Data(..) | Type::Dual(_) | Type::Tape(_) => {
                con.clone()
            }
            Type::Function(..) => con.clone(),
        }
    }

    /// The number of a copy, which is in its name and in those of its constructors.
    fn copy(&mut self, skeleton: Type) -> usize {
        if let Some(number) = self.copies.get(&skeleton) {
            return *number;
        }
        let last = self.copies.values().max().copied().unwrap_or(0);
        let datas = &self.program.datas;
        let is_taken = |number: &usize| {
            let ends = |it: &Name| it.ends_with(&format!("_{number}"));
            datas.values().any(|it| ends(&it.name) || it.cons.iter().any(|it| ends(&it.name)))
        };
        let number = (last + 1..).find(|it| !is_taken(it)).expect("numbers do not end");
        self.copies.insert(skeleton.clone(), number);
        self.undeclared.push(skeleton);
        number
    }

    /// A definition of the input, whose functions are gone, with the types of the output.
    pub(super) fn convert_def(&mut self, def: Def) -> Def {
        let body = walk::rewrite_block(&def.body, &mut Convert(self));
        let mut binders = |all: &[Binder]| -> Vec<Binder> {
            all.iter().map(|it| Binder { var: it.var, ty: self.convert(&it.ty) }).collect()
        };
        Def { params: binders(&def.params), results: binders(&def.results), body, ..def }
    }

    /// A sum type of the input that is not copied.
    pub(super) fn declared(&mut self, decl: &DataDecl) -> Option<DataDecl> {
        if self.generic.contains(&decl.name) {
            return None;
        }
        let con = |con: &ConDecl| {
            let fields = con.fields.iter().map(|it| self.convert(it)).collect();
            ConDecl { fields, ..con.clone() }
        };
        Some(DataDecl { cons: decl.cons.iter().map(con).collect(), ..decl.clone() })
    }

    /// The declaration of a copy that has none yet.
    pub(super) fn next_copy(&mut self) -> Option<DataDecl> {
        let skeleton = self.undeclared.pop()?;
        let number = self.copies[&skeleton];
        let Type::Data(name, types, own) = &skeleton else {
            panic!("compiler bug: a copy of {skeleton}")
        };
        let decl = &self.program.datas[name];
        let n_sizes = skeleton.size_vars().len() as u32;
        let mut cons = Vec::new();
        for con in &decl.cons {
            let inner: Vec<Var> = (n_sizes..).map(Var).take(con.sizes.len()).collect();
            let size_of = |var: Var| {
                let inner =
                    con.sizes.iter().position(|it| *it == var).map(|at| Size::var(inner[at]));
                let own = decl.size_params.iter().zip(own).find(|it| *it.0 == var);
                inner.or_else(|| own.map(|it| it.1.clone()))
            };
            let fields = con.fields.iter();
            let fields = fields.map(|it| it.substitute(&argument(decl, types), &size_of));
            let fields: Vec<Type> = fields.collect();
            let fields = fields.iter().map(|it| self.convert(it)).collect();
            cons.push(ConDecl {
                name: Name::from(format!("{}_{number}", con.name)),
                sizes: inner,
                fields,
            });
        }
        Some(DataDecl {
            name: Name::from(format!("{name}_{number}")),
            type_params: Vec::new(),
            size_params: (0..n_sizes).map(Var).collect(),
            cons,
        })
    }
}

/// The type with its sizes numbered, and the sizes.
fn abstracted(ty: &Type) -> (Type, Vec<Size>) {
    struct Abstract(Vec<Size>);
    impl Rewrite for Abstract {
        fn size(&mut self, size: &Size) -> Size {
            self.0.push(size.clone());
            Size::var(Var(self.0.len() as u32 - 1))
        }
    }
    let mut sizes = Abstract(Vec::new());
    let ty = sizes.ty(ty);
    (ty, sizes.0)
}

/// What stands for the type parameters of a declaration.
fn argument<'a>(decl: &'a DataDecl, types: &'a [Type]) -> impl Fn(&Name) -> Option<Type> + 'a {
    |name| Some(types[decl.type_params.iter().position(|it| it == name)?].clone())
}

/// Puts the types of the output into a block.
struct Convert<'a, 'p>(&'a mut Types<'p>);

impl Rewrite for Convert<'_, '_> {
    fn ty(&mut self, ty: &Type) -> Type {
        self.0.convert(ty)
    }
}

/// A type of functions with the sizes that occur in it anywhere in the program.
fn class(program: &Program, number: usize, skeleton: &Type, found: &BTreeSet<Vec<Size>>) -> Class {
    let n_sizes = found.first().map_or(0, Vec::len);
    let mut positions: Vec<usize> = Vec::new();
    let mut sizes: Vec<Size> = Vec::new();
    for at in 0..n_sizes {
        let constant = found.first().and_then(|it| it[at].as_constant());
        let constant =
            constant.filter(|it| found.iter().all(|of| of[at].as_constant() == Some(*it)));
        let same = positions.iter().position(|it| found.iter().all(|of| of[*it] == of[at]));
        sizes.push(match (constant, same) {
            (Some(value), _) => Size::constant(value),
            (None, Some(argument)) => Size::var(Var(argument as u32)),
            (None, None) => {
                positions.push(at);
                Size::var(Var(positions.len() as u32 - 1))
            }
        });
    }
    let ty = skeleton.substitute_sizes(&|var| sizes.get(var.0 as usize).cloned());
    let is_data = |it: &Name| {
        let mut cons = program.datas.values().flat_map(|it| &it.cons);
        program.datas.contains_key(it) || cons.any(|con| con.name.starts_with(it.as_str()))
    };
    let is_def = |it: &Name| program.defs.contains_key(it);
    let data = free(&Name::new("Function"), number, &is_data);
    let apply = free(&Name::new("apply").with(Mark::Lambda), number, &is_def);
    Class { number, data, apply, ty, positions }
}

/// A name with a number that nothing has.
fn free(base: &Name, number: usize, is_taken: &dyn Fn(&Name) -> bool) -> Name {
    let numbers = (number as u32 + 1..).step_by(MAX_TYPES + 1);
    let mut names = numbers.map(|it| base.with(Mark::Instance(it)));
    names.find(|it| !is_taken(it)).expect("numbers do not end")
}

/// The sum types with type parameters that functions in them mention, directly or in other sum types.
fn generic(program: &Program) -> BTreeSet<Name> {
    fn has_var(ty: &Type) -> bool {
        matches!(ty, Type::Var(_)) || ty.parts().into_iter().any(has_var)
    }
    fn depends(ty: &Type, generic: &BTreeSet<Name>) -> bool {
        let here = match ty {
            Type::Function(..) => has_var(ty),
            Type::Data(name, ..) => generic.contains(name) && has_var(ty),
            Type::Real | Type::Int | Type::Bool | Type::String | Type::Var(_) => false,
            Type::Tuple(_) | Type::Array(..) | Type::Dual(_) | Type::Delta | Type::Tape(_) => false,
        };
        here || ty.parts().into_iter().any(|it| depends(it, generic))
    }
    let mut generic = BTreeSet::new();
    loop {
        let depends = |it: &&DataDecl| {
            let mut fields = it.cons.iter().flat_map(|it| &it.fields);
            !generic.contains(&it.name) && fields.any(|it| depends(it, &generic))
        };
        let found: Vec<Name> =
            program.datas.values().filter(depends).map(|it| it.name.clone()).collect();
        if found.is_empty() {
            return generic;
        }
        generic.extend(found);
    }
}

/// The types of functions that occur, each with all sizes that occur in it.
struct Seen<'a> {
    program: &'a Program,
    generic: &'a BTreeSet<Name>,
    all: BTreeSet<Type>,
    found: BTreeMap<Type, BTreeSet<Vec<Size>>>,
}

impl Seen<'_> {
    fn add(&mut self, ty: &Type) {
        if self.all.len() > MAX_TYPES || !self.all.insert(ty.clone()) {
            return;
        }
        ty.parts().into_iter().for_each(|it| self.add(it));
        match ty {
            Type::Function(..) => {
                let (skeleton, sizes) = abstracted(ty);
                self.found.entry(skeleton).or_default().insert(sizes);
            }
            Type::Data(name, types, sizes) if self.generic.contains(name) => {
                let decl = &self.program.datas[name];
                let size_of = |var: Var| {
                    let mut own = decl.size_params.iter().zip(sizes);
                    own.find(|it| *it.0 == var).map(|it| it.1.clone())
                };
                for field in decl.cons.iter().flat_map(|it| &it.fields) {
                    self.add(&field.substitute(&argument(decl, types), &size_of));
                }
            }
            Type::Real | Type::Int | Type::Bool | Type::String | Type::Var(_) | Type::Delta => {}
            Type::Tuple(_) | Type::Array(..) | Type::Data(..) | Type::Dual(_) | Type::Tape(_) => {}
        }
    }
}

impl<'a> Visit<'a> for Seen<'_> {
    fn ty(&mut self, ty: &'a Type) {
        self.add(ty);
    }

    fn binder_ty(&mut self, ty: &'a Type) {
        self.add(ty);
    }
}
