//! The invariants of the ir, checked after every pass in tests and debug builds.
//!
//! - V1. Every operand is bound before it is used, in scope.
//! - V2. Every binder is unique in its definition, and its number is below `next_var`.
//! - V3. Every variable in a size is an `Int` in scope.
//! - V4. The types beside binders are those that `typing` computes; nothing is ill typed.
//! - V5. The body of a definition gives what its results promise.
//! - V6. Calls name definitions that exist, with as many types, sizes and arguments.
//! - V7. Types are well formed: sum types are declared and have all their arguments, type variables
//!   are parameters of the definition, arrays hold no functions.
//! - V8. Constructors belong to the sum type; the arms of a match are different and complete.
//! - V9. The dialect allows all of it.
//! - V10. Names are consistent: a declaration is found under its own name, no constructor has two.
//! - V11. Custom derivatives take and give what the derivative of their definition does.
//!
//! Each has a failing case in `crates/ir/tests/verify.rs`.

mod customs;
mod scope;
mod uses;

use std::collections::BTreeSet;
use std::fmt;

use base::Name;

use crate::dialect::Dialect;
use crate::op::{ControlOp, FunctionOp, Op};
use crate::signature::instantiate;
use crate::size::Size;
use crate::term::{Atom, Binder, Block, Def, Program, Stmt, Var};
use crate::types::{DataDecl, Type};
use crate::typing;
use crate::var_map::VarMap;
use crate::walk;
use scope::Scope;
use uses::{Binders, Uses};

/// A broken invariant: a bug of the pass that ran last, or of who wrote the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// Which one, such as `V3`.
    pub invariant: &'static str,
    /// The definition, and the statement in it.
    pub at: String,
    /// How it is broken.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}: {}", self.invariant, self.at, self.message)
    }
}

impl std::error::Error for VerifyError {}

type Verified = Result<(), VerifyError>;

/// Checks a whole program.
pub fn verify(program: &Program, dialect: Dialect) -> Verified {
    verify_names(program)?;
    for data in program.datas.values() {
        verify_data(program, dialect, data)?;
    }
    customs::verify_customs(program)?;
    program.defs.values().try_for_each(|it| verify_def(program, dialect, it))
}

/// Checks one definition against the signatures of the others.
pub fn verify_def(program: &Program, dialect: Dialect, def: &Def) -> Verified {
    let (types, scope) = (VarMap::default(), Scope::default());
    let mut verifier = Verifier { program, dialect, def, types, scope, at: At::Params };
    verifier.def()
}

fn verify_names(program: &Program) -> Verified {
    let fail = |at: &Name, message: String| {
        Err(VerifyError { invariant: "V10", at: at.to_string(), message })
    };
    let mut cons = BTreeSet::new();
    for (name, data) in &program.datas {
        if *name != data.name {
            return fail(name, format!("the sum type is called {}", data.name));
        }
        if let Some(con) = data.cons.iter().find(|it| !cons.insert(&it.name)) {
            return fail(name, format!("the constructor {} exists already", con.name));
        }
    }
    for (name, def) in &program.defs {
        if *name != def.name {
            return fail(name, format!("the definition is called {}", def.name));
        }
    }
    Ok(())
}

fn verify_data(program: &Program, dialect: Dialect, data: &DataDecl) -> Verified {
    let at = || format!("data {}", data.name);
    for (con, ty) in data.cons.iter().flat_map(|it| it.fields.iter().map(move |ty| (it, ty))) {
        if let Err(message) = well_formed(program, &data.type_params, ty) {
            return Err(VerifyError { invariant: "V7", at: at(), message });
        }
        let known = |it: &Var| data.size_params.contains(it) || con.sizes.contains(it);
        if let Some(var) = ty.size_vars().into_iter().find(|it| !known(it)) {
            let message = format!("the size {var} is no parameter");
            return Err(VerifyError { invariant: "V3", at: at(), message });
        }
        if !dialect.allows_type(ty) && data.type_params.is_empty() {
            let message = format!("{ty} is not allowed");
            return Err(VerifyError { invariant: "V9", at: at(), message });
        }
    }
    Ok(())
}

/// V7 of one type.
fn well_formed(program: &Program, type_params: &[Name], ty: &Type) -> Result<(), String> {
    match ty {
        Type::Var(name) if !type_params.contains(name) => {
            return Err(format!("the type {name} is no parameter"));
        }
        Type::Array(_, elem) if elem.has_function() => {
            return Err(format!("{ty} holds functions"));
        }
        Type::Data(name, types, sizes) => match program.datas.get(name) {
            None => return Err(format!("there is no sum type {name}")),
            Some(decl)
                if decl.type_params.len() != types.len()
                    || decl.size_params.len() != sizes.len() =>
            {
                return Err(format!("{ty} has a wrong number of arguments"));
            }
            Some(_) => {}
        },
        Type::Real | Type::Int | Type::Bool | Type::String | Type::Tuple(_) => {}
        Type::Array(..) | Type::Function(..) | Type::Var(_) | Type::Dual(_) => {}
        Type::Delta | Type::Tape(_) => {}
    }
    ty.parts().into_iter().try_for_each(|it| well_formed(program, type_params, it))
}

/// What is being checked.
#[derive(Clone, Copy)]
enum At<'a> {
    Params,
    Stmt(&'a Stmt),
    BlockResults,
    Results,
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Params => f.write_str("its parameters"),
            At::Stmt(stmt) => f.write_str(stmt.to_string().lines().next().unwrap_or("")),
            At::BlockResults => f.write_str("the results of a block"),
            At::Results => f.write_str("its results"),
        }
    }
}

struct Verifier<'a> {
    program: &'a Program,
    dialect: Dialect,
    def: &'a Def,
    /// The types of all variables seen so far, in scope or not.
    types: VarMap<Type>,
    scope: Scope,
    at: At<'a>,
}

impl<'a> Verifier<'a> {
    fn def(&mut self) -> Verified {
        self.at = At::Params;
        self.unique_binders()?;
        if !self.dialect.allows_def(self.def) {
            return self.fail("V9", "type parameters are not allowed");
        }
        let sizes = self.def.size_params.iter().map(|it| Binder { var: *it, ty: Type::Int });
        self.enter(&sizes.collect::<Vec<Binder>>())?;
        self.enter(&self.def.params)?;
        self.block(&self.def.body)?;
        self.at = At::Results;
        self.results()
    }

    /// V2.
    fn unique_binders(&self) -> Verified {
        let mut binders = Binders(self.def.size_params.clone());
        binders.0.extend(self.def.params.iter().chain(&self.def.results).map(|it| it.var));
        walk::visit_block(&self.def.body, &mut binders);
        let mut seen = BTreeSet::new();
        for var in binders.0 {
            if !seen.insert(var) {
                return self.fail("V2", format!("{var} is bound twice"));
            }
            if var.0 >= self.def.next_var {
                return self.fail("V2", format!("{var} is not below {}", self.def.next_var));
            }
        }
        Ok(())
    }

    /// The size that a variable of the outermost block is the value of: a result of size
    /// `x1 + 1` may be promised as `x9` where `x9 = size x1 + 1`.
    fn size_bound_to(&self, var: Var) -> Option<Size> {
        self.def.body.stmts.iter().find_map(|stmt| match (&stmt.op, stmt.binders.as_slice()) {
            (Op::Size(size), [binder]) if binder.var == var => Some(size.clone()),
            _ => None,
        })
    }

    /// V5. Called with the variables of the body's outermost block in scope.
    fn results(&mut self) -> Verified {
        let (promised, given) = (&self.def.results, &self.def.body.results);
        if promised.len() != given.len() {
            return self.fail("V5", format!("{} results, {} given", promised.len(), given.len()));
        }
        let written_out = |ty: &Type| ty.substitute(&|_| None, &|var| self.size_bound_to(var));
        for (at, ty) in instantiate(promised, given).iter().enumerate() {
            let found = self.atom_type(&given[at])?;
            if !written_out(ty).agrees(&written_out(&found)) {
                let message = format!("result {at} is of type {found}, promised is {ty}");
                return self.fail("V5", message);
            }
        }
        // Outside of the body only parameters and the results themselves can be mentioned.
        self.scope.leave(self.def.size_params.len() + self.def.params.len());
        self.enter(promised)
    }

    /// Checks the statements and leaves their binders in scope.
    fn block(&mut self, block: &'a Block) -> Verified {
        for stmt in &block.stmts {
            self.stmt(stmt)?;
        }
        self.at = At::BlockResults;
        block.results.iter().try_for_each(|it| self.atom(it))
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> Verified {
        self.at = At::Stmt(stmt);
        self.operands(&stmt.op)?;
        if !self.dialect.allows_op(&stmt.op) {
            return self.fail("V9", "this operation is not allowed");
        }
        for ty in walk::types(&stmt.op) {
            self.type_(ty)?;
        }
        for (binders, block) in walk::blocks(&stmt.op) {
            let outside = self.scope.len();
            self.enter(&binders)?;
            self.block(block)?;
            self.scope.leave(outside);
        }
        self.at = At::Stmt(stmt);
        self.call_and_constructors(&stmt.op)?;
        self.stmt_types(stmt)?;
        self.enter(&stmt.binders)
    }

    /// V1 and V3 of what the operation takes from outside, inner blocks included.
    fn operands(&self, op: &Op) -> Verified {
        let mut uses = Uses::default();
        walk::visit_op(op, &mut uses);
        uses.bound.sort_unstable();
        let is_outside = |it: &&Var| uses.bound.binary_search(it).is_err();
        let mut atoms = uses.atoms.iter().filter(is_outside);
        atoms.try_for_each(|it| self.atom(&Atom::Var(*it)))?;
        uses.sizes.iter().filter(is_outside).try_for_each(|it| self.size_var(*it))
    }

    fn call_and_constructors(&self, op: &Op) -> Verified {
        match op {
            Op::Function(FunctionOp::Call { def, types, sizes, args }) => {
                let Some(signature) = self.program.signature(def) else {
                    return self.fail("V6", format!("there is no definition {def}"));
                };
                let counts = (types.len(), sizes.len(), args.len());
                let expected = (
                    signature.type_params.len(),
                    signature.size_params.len(),
                    signature.params.len(),
                );
                if counts == expected {
                    return Ok(());
                }
                self.fail("V6", format!("{expected:?} types, sizes and arguments, not {counts:?}"))
            }
            Op::Con { ty, con, args } => {
                match typing::constructor_fields(self.program, ty, con, args) {
                    Ok(_) => Ok(()),
                    Err(message) => self.fail("V8", message),
                }
            }
            Op::Control(ControlOp::Match { value, arms, otherwise }) => {
                let cons = match typing::constructors(self.program, &self.atom_type(value)?) {
                    Ok(cons) => cons,
                    Err(message) => return self.fail("V8", message),
                };
                let names: BTreeSet<&Name> = arms.iter().map(|it| &it.con).collect();
                let known = arms.iter().all(|arm| cons.iter().any(|it| it.name == arm.con));
                let complete = otherwise.is_some() || names.len() == cons.len();
                if known && names.len() == arms.len() && complete {
                    return Ok(());
                }
                self.fail("V8", "the arms are not the constructors, each once")
            }
            Op::Copy(_)
            | Op::Prim(..)
            | Op::Size(_)
            | Op::Tuple { .. }
            | Op::Proj { .. }
            | Op::Equal(..)
            | Op::Close(..)
            | Op::Array(_)
            | Op::Control(_)
            | Op::Function(_)
            | Op::Derive(_)
            | Op::Delta(_) => Ok(()),
        }
    }

    /// V4.
    fn stmt_types(&self, stmt: &Stmt) -> Verified {
        let vars: Vec<Var> = stmt.binders.iter().map(|it| it.var).collect();
        let lookup = |var: Var| self.types.get(var).cloned();
        let types = match typing::result_types(self.program, &lookup, &stmt.op, &vars) {
            Ok(types) => types,
            Err(message) => return self.fail("V4", message),
        };
        match stmt.binders.iter().zip(&types).find(|(binder, ty)| !ty.agrees(&binder.ty)) {
            None => Ok(()),
            Some((it, ty)) => self.fail("V4", format!("{} is of type {ty}", it.var)),
        }
    }

    /// Brings binders into scope one after the other.
    fn enter(&mut self, binders: &[Binder]) -> Verified {
        for binder in binders {
            self.type_(&binder.ty)?;
            self.scope.enter(binder.var);
            self.types.insert(binder.var, binder.ty.clone());
        }
        Ok(())
    }

    /// V3, V7 and V9 of a type.
    fn type_(&self, ty: &Type) -> Verified {
        ty.size_vars().into_iter().try_for_each(|it| self.size_var(it))?;
        if let Err(message) = well_formed(self.program, &self.def.type_params, ty) {
            return self.fail("V7", message);
        }
        if !self.dialect.allows_type(ty) {
            return self.fail("V9", format!("{ty} is not allowed"));
        }
        Ok(())
    }

    fn atom(&self, atom: &Atom) -> Verified {
        match atom {
            Atom::Var(var) if !self.scope.contains(*var) => {
                self.fail("V1", format!("{var} is not in scope"))
            }
            Atom::Var(_) | Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => Ok(()),
        }
    }

    fn size_var(&self, var: Var) -> Verified {
        if !self.scope.contains(var) {
            return self.fail("V3", format!("the size {var} is not in scope"));
        }
        if self.types.get(var) != Some(&Type::Int) {
            return self.fail("V3", format!("the size {var} is no Int"));
        }
        Ok(())
    }

    fn atom_type(&self, atom: &Atom) -> Result<Type, VerifyError> {
        let found = typing::atom_type(&|var| self.types.get(var).cloned(), atom);
        found.or_else(|message| self.fail("V1", message))
    }

    fn fail<T>(
        &self,
        invariant: &'static str,
        message: impl Into<String>,
    ) -> Result<T, VerifyError> {
        let at = format!("{}, {}", self.def.name, self.at);
        Err(VerifyError { invariant, at, message: message.into() })
    }
}
