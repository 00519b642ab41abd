//! The typing rules: from an operation and the types of its variables to the types of its results.
//!
//! The builder computes the types of new binders with it, and the verifier checks those it finds,
//! so the rules are written once. Sizes are compared as polynomials, that is by their text; an
//! array is given another size by `Sized` only.
//!
//! Blocks inside of an operation are not gone through: the types of their variables are asked for
//! like those of any other, and the verifier goes through them itself.

mod arrays;
mod branches;
mod constructors;
mod derive;
mod scalars;

pub use constructors::{constructor_fields, constructors};
pub use scalars::prim_type;

use base::Name;

use crate::op::{ArrayOp, ControlOp, DeltaOp, DeriveOp, FunctionOp, Op};
use crate::prim::Prim;
use crate::signature::{Signature, instantiate};
use crate::size::Size;
use crate::term::{Arm, Atom, Binder, Block, Lambda, Loop, Program, Var};
use crate::types::Type;

/// The types of the results of `op`, in which the results are called `results`.
///
/// Fails with a sentence if the operation is not well typed.
pub fn result_types(
    program: &Program,
    types: &dyn Fn(Var) -> Option<Type>,
    op: &Op,
    results: &[Var],
) -> Result<Vec<Type>, String> {
    if results.len() != result_count(program, op)? {
        return Err(format!("it has {} results", result_count(program, op)?));
    }
    Typing { program, types }.results(op, results)
}

/// How many results `op` has.
pub fn result_count(program: &Program, op: &Op) -> Result<usize, String> {
    match op {
        Op::Control(ControlOp::Match { arms, otherwise, .. }) => {
            let body = arms.first().map(|it| &it.body).or(otherwise.as_ref());
            Ok(body.ok_or("it has no arm")?.results.len())
        }
        Op::Function(FunctionOp::Call { def, .. }) => Ok(signature(program, def)?.results.len()),
        Op::Control(ControlOp::If { then, .. }) => Ok(then.results.len()),
        Op::Control(ControlOp::Build { body, .. }) => Ok(body.results.len()),
        Op::Control(ControlOp::Fold { step, .. }) => Ok(step.body.results.len()),
        Op::Control(ControlOp::Scan { inits, .. } | ControlOp::Iterate { inits, .. }) => {
            Ok(inits.len())
        }
        Op::Control(ControlOp::While { inits, body, .. }) => {
            let n_results = body.results.len();
            Ok(if n_results > inits.len() { n_results + 1 } else { n_results })
        }
        Op::Array(ArrayOp::Filter { .. }) => Ok(2),
        Op::Derive(DeriveOp::OfDefinition { operator, def, captured, .. }) => {
            derive::derivative_count(*operator, &signature(program, def)?, captured.len())
        }
        Op::Copy(_)
        | Op::Prim(..)
        | Op::Size(_)
        | Op::Tuple { .. }
        | Op::Proj { .. }
        | Op::Con { .. }
        | Op::Equal(..)
        | Op::Close(..)
        | Op::Array(_)
        | Op::Function(_)
        | Op::Derive(_)
        | Op::Delta(_) => Ok(1),
    }
}

/// The type of an atom.
pub fn atom_type(types: &dyn Fn(Var) -> Option<Type>, atom: &Atom) -> Result<Type, String> {
    match atom {
        Atom::Var(var) => types(*var).ok_or_else(|| format!("x{} is not bound", var.0)),
        Atom::Real(_) => Ok(Type::Real),
        Atom::Int(_) => Ok(Type::Int),
        Atom::Bool(_) => Ok(Type::Bool),
        Atom::Str(_) => Ok(Type::String),
    }
}

fn signature(program: &Program, def: &Name) -> Result<Signature, String> {
    program.signature(def).ok_or_else(|| format!("there is no definition {def}"))
}

type Types = Result<Vec<Type>, String>;

/// What the rules ask.
#[derive(Clone, Copy)]
struct Typing<'a> {
    program: &'a Program,
    types: &'a dyn Fn(Var) -> Option<Type>,
}

impl Typing<'_> {
    /// One arm per constructor, in the order of `term.rs`.
    fn results(&self, op: &Op, results: &[Var]) -> Types {
        match op {
            Op::Copy(atom) => self.of(atom).map(one),
            Op::Prim(prim, args) => self.prim(*prim, args).map(one),
            Op::Size(_) => Ok(one(Type::Int)),

            Op::Tuple { rank, parts } => self.tuple(*rank, parts).map(one),
            Op::Proj { tuple, index } => self.proj(tuple, *index).map(one),

            Op::Con { ty, con, args } => {
                let fields = constructor_fields(self.program, ty, con, args)?;
                self.expect_all("field", &fields, args)?;
                Ok(one(ty.clone()))
            }
            Op::Control(ControlOp::Match { value, arms, otherwise }) => {
                self.match_(value, arms, otherwise.as_ref(), results)
            }

            Op::Function(FunctionOp::Lambda(lambda)) => self.lambda(lambda).map(one),
            Op::Function(FunctionOp::Apply(function, args)) => self.apply(function, args).map(one),
            Op::Function(FunctionOp::Call { def, types, sizes, args }) => {
                self.call(def, types, sizes, args, results)
            }

            Op::Control(ControlOp::If { cond, then, otherwise }) => {
                self.expect("the condition", &Type::Bool, cond)?;
                self.join(&[(then, &[]), (otherwise, &[])], results)
            }
            Op::Control(ControlOp::Build { sizes, indices, body }) => {
                same_count("index", sizes.len(), indices.len())?;
                let types = self.all(&body.results)?;
                Ok(types.into_iter().map(|it| Type::arrays(sizes, it)).collect())
            }
            Op::Control(ControlOp::Fold { inits, arrays, step }) => {
                let size = self.step(inits, arrays, step)?;
                let collected = self.collected(&size, step.state.len(), &step.body)?;
                Ok(instantiate(&step.state, &atoms(results)).into_iter().chain(collected).collect())
            }
            Op::Control(ControlOp::Scan { inits, arrays, step }) => {
                let size = self.step(inits, arrays, step)?;
                same_count("result of the body", step.state.len(), step.body.results.len())?;
                Ok(step.state.iter().map(|it| Type::array(size.clone(), it.ty.clone())).collect())
            }
            Op::Control(ControlOp::Iterate { count, index: _, inits, state, body }) => {
                self.expect("the count", &Type::Int, count)?;
                self.state(inits, state, body)?;
                same_count("result of the body", state.len(), body.results.len())?;
                Ok(instantiate(state, &atoms(results)))
            }
            Op::Control(ControlOp::While { inits, state, cond, body }) => {
                self.expect_all("the condition", &[Type::Bool], &cond.results)?;
                self.state(inits, state, body)?;
                let mut types = instantiate(state, &atoms(results));
                if body.results.len() > state.len() {
                    let size = Size::var(results[state.len()]);
                    types.push(Type::Int);
                    types.extend(self.collected(&size, state.len(), body)?);
                }
                Ok(types)
            }

            Op::Array(ArrayOp::Literal { elem, parts }) => {
                self.expect_all("element", &vec![elem.clone(); parts.len()], parts)?;
                Ok(one(Type::array(Size::constant(parts.len() as i64), elem.clone())))
            }
            Op::Array(ArrayOp::Index { array, indices }) => self.index(array, indices).map(one),
            Op::Array(ArrayOp::Slice { array, axis, from, to }) => {
                self.slice(array, *axis, from, to).map(one)
            }
            Op::Array(ArrayOp::Reduce { reduction, axis, array }) => {
                self.reduce(*reduction, *axis, array).map(one)
            }
            Op::Array(ArrayOp::Argmax(array) | ArrayOp::Argmin(array)) => {
                self.numbers(array)?;
                Ok(one(Type::Int))
            }
            Op::Array(ArrayOp::Gather { array, indices, mask }) => {
                self.gather(array, indices, mask.as_ref()).map(one)
            }
            Op::Array(ArrayOp::Scatter { into, indices, values, mask }) => {
                self.scatter(into, indices, values, mask.as_ref()).map(one)
            }
            Op::Array(ArrayOp::Replicate { size, value }) => {
                Ok(one(Type::array(size.clone(), self.of(value)?)))
            }
            Op::Array(ArrayOp::Iota(size)) => Ok(one(Type::array(size.clone(), Type::Int))),
            Op::Array(ArrayOp::Transpose { array, permutation }) => {
                self.transpose(array, permutation).map(one)
            }
            Op::Array(ArrayOp::Reshape { array, rank, sizes }) => {
                self.reshape(array, *rank, sizes).map(one)
            }
            Op::Array(ArrayOp::Reverse(array)) => {
                self.array(array)?;
                self.of(array).map(one)
            }
            Op::Array(ArrayOp::Concat(arrays)) => self.concat(arrays).map(one),
            Op::Array(ArrayOp::Sort(array)) => {
                self.numbers(array)?;
                self.of(array).map(one)
            }
            Op::Array(ArrayOp::Argsort(array)) => {
                let (size, _) = self.numbers(array)?;
                Ok(one(Type::array(size, Type::Int)))
            }
            Op::Array(ArrayOp::Filter { array, predicate }) => {
                self.filter(array, predicate, results)
            }
            Op::Array(ArrayOp::Sized { array, size }) => {
                let (_, elem) = self.array(array)?;
                Ok(one(Type::array(size.clone(), elem)))
            }

            Op::Equal(left, right) | Op::Close(left, right) => {
                let (left, right) = (self.of(left)?, self.of(right)?);
                if !left.equal_up_to_sizes(&right) || left.has_function() {
                    return Err(format!("{left} cannot be compared with {right}"));
                }
                Ok(one(Type::Bool))
            }

            Op::Derive(DeriveOp::StopGradient(value)) => self.of(value).map(one),
            Op::Derive(DeriveOp::Lift { level, value }) => self.lift(*level, value).map(one),
            Op::Derive(DeriveOp::Primal { level, value } | DeriveOp::Tangent { level, value }) => {
                self.primal(*level, value).map(one)
            }
            Op::Derive(DeriveOp::Pair { level, value, tangent }) => {
                let ty = self.lift(*level, value)?;
                self.expect("the tangent", &self.of(value)?, tangent)?;
                Ok(one(ty))
            }
            Op::Derive(DeriveOp::OfFunction { operator, level, function, args }) => {
                self.derive(*operator, *level, function, args).map(one)
            }
            Op::Derive(DeriveOp::OfDefinition { operator, def, sizes, captured, args }) => {
                self.derivative(*operator, def, sizes, captured, args)
            }

            Op::Delta(DeltaOp::Combine(terms)) => self.combine(terms).map(one),
            Op::Delta(DeltaOp::Zeros(value)) => Ok(one(self.of(value)?.tape())),
            Op::Delta(DeltaOp::Strip(value)) => {
                let ty = self.of(value)?;
                ty.untape().map(one).ok_or_else(|| format!("{ty} has no Deltas"))
            }
            Op::Delta(DeltaOp::Pullback { value, inputs, function }) => {
                self.pullback(value, inputs, function).map(one)
            }
        }
    }

    fn prim(&self, prim: Prim, args: &[Atom]) -> Result<Type, String> {
        prim_type(prim, &self.all(args)?)
    }

    fn lambda(&self, lambda: &Lambda) -> Result<Type, String> {
        let [result] = &*lambda.body.results else {
            return Err("a function has exactly one result".into());
        };
        let params = lambda.params.iter().map(|it| it.ty.clone()).collect();
        Ok(Type::Function(params, Box::new(self.of(result)?)))
    }

    fn apply(&self, function: &Atom, args: &[Atom]) -> Result<Type, String> {
        let (params, result) = self.function(function)?;
        self.expect_all("argument", &params, args)?;
        Ok(result)
    }

    /// Parameters and result of a function value.
    fn function(&self, function: &Atom) -> Result<(Vec<Type>, Type), String> {
        match self.of(function)? {
            Type::Function(params, result) => Ok((params, *result)),
            ty @ (Type::Real | Type::Int | Type::Bool | Type::String | Type::Tuple(_))
            | ty @ (Type::Array(..) | Type::Var(_) | Type::Data(..) | Type::Dual(_))
            | ty @ (Type::Delta | Type::Tape(_)) => Err(format!("{ty} is no function")),
        }
    }

    fn call(
        &self,
        def: &Name,
        types: &[Type],
        sizes: &[Size],
        args: &[Atom],
        results: &[Var],
    ) -> Types {
        let signature = signature(self.program, def)?;
        same_count("type argument", signature.type_params.len(), types.len())?;
        same_count("size argument", signature.size_params.len(), sizes.len())?;
        same_count("argument", signature.params.len(), args.len())?;
        let type_of =
            |it: &Name| Some(types[signature.type_params.iter().position(|p| p == it)?].clone());
        let size_of =
            |it: Var| Some(sizes[signature.size_params.iter().position(|p| *p == it)?].clone());
        // Values first: the sizes put in are the caller's and must not be taken for parameters.
        let telescope: Vec<Binder> =
            signature.params.iter().chain(&signature.results).cloned().collect();
        let values: Vec<Atom> = args.iter().cloned().chain(atoms(results)).collect();
        let size_of = |it: Var| match telescope.iter().position(|p| p.var == it) {
            Some(at) => crate::signature::atom_size(&values[at]),
            None => size_of(it),
        };
        let all: Vec<Type> =
            telescope.iter().map(|it| it.ty.substitute(&type_of, &size_of)).collect();
        let (params, results) = all.split_at(args.len());
        self.expect_all("argument", params, args)?;
        Ok(results.to_vec())
    }

    fn match_(
        &self,
        value: &Atom,
        arms: &[Arm],
        otherwise: Option<&Block>,
        results: &[Var],
    ) -> Types {
        let ty = self.of(value)?;
        let cons = constructors(self.program, &ty)?;
        for (at, arm) in arms.iter().enumerate() {
            let vars: Vec<Var> = arm.fields.iter().map(|it| it.var).collect();
            let fields = constructor_fields(self.program, &ty, &arm.con, &atoms(&vars))?;
            if arms[..at].iter().any(|it| it.con == arm.con) {
                return Err(format!("there are two arms for {}", arm.con));
            }
            expect_binders("field", &fields, &arm.fields)?;
        }
        if otherwise.is_none() && arms.len() < cons.len() {
            return Err("the arms do not cover all constructors".into());
        }
        let mut blocks: Vec<(&Block, &[Binder])> =
            arms.iter().map(|it| (&it.body, &*it.fields)).collect();
        blocks.extend(otherwise.map(|it| (it, &[][..])));
        self.join(&blocks, results)
    }

    /// Checks the body of a loop over arrays; gives their size.
    fn step(&self, inits: &[Atom], arrays: &[Atom], step: &Loop) -> Result<Size, String> {
        let arrays = arrays.iter().map(|it| self.array(it)).collect::<Result<Vec<_>, _>>()?;
        let (size, _) = arrays.first().ok_or("a loop needs an array")?;
        if let Some((other, _)) = arrays.iter().find(|(it, _)| it != size) {
            return Err(format!("the arrays have the sizes {size} and {other}"));
        }
        let elems: Vec<Type> = arrays.iter().map(|(_, it)| it.clone()).collect();
        expect_binders("element", &elems, &step.elems)?;
        self.state(inits, &step.state, &step.body)?;
        Ok(size.clone())
    }

    /// The initial values and the results of the body have the types of the state.
    fn state(&self, inits: &[Atom], state: &[Binder], body: &Block) -> Result<(), String> {
        same_count("initial value", state.len(), inits.len())?;
        self.expect_all("initial value", &instantiate(state, inits), inits)?;
        let Some(next) = body.results.get(..state.len()) else {
            return same_count("result of the body", state.len(), body.results.len());
        };
        self.expect_all("result of the body", &instantiate(state, next), next)
    }

    /// The arrays of what the results of a body beyond the state were in each step.
    fn collected(&self, size: &Size, n_state: usize, body: &Block) -> Types {
        let more = self.all(&body.results[n_state..])?;
        Ok(more.into_iter().map(|it| Type::array(size.clone(), it)).collect())
    }

    fn of(&self, atom: &Atom) -> Result<Type, String> {
        atom_type(self.types, atom)
    }

    fn all(&self, atoms: &[Atom]) -> Types {
        atoms.iter().map(|it| self.of(it)).collect()
    }

    fn expect(&self, what: &str, expected: &Type, atom: &Atom) -> Result<(), String> {
        let found = self.of(atom)?;
        if expected.agrees(&found) {
            return Ok(());
        }
        Err(format!("{what} {atom} has type {found}, not {expected}"))
    }

    fn expect_all(&self, what: &str, expected: &[Type], atoms: &[Atom]) -> Result<(), String> {
        same_count(what, expected.len(), atoms.len())?;
        expected.iter().zip(atoms).try_for_each(|(ty, atom)| self.expect(what, ty, atom))
    }
}

fn one(ty: Type) -> Vec<Type> {
    vec![ty]
}

fn atoms(vars: &[Var]) -> Vec<Atom> {
    vars.iter().map(|it| Atom::Var(*it)).collect()
}

fn same_count(what: &str, expected: usize, found: usize) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    Err(format!("{what}: {expected} expected, {found} given"))
}

fn expect_binders(what: &str, expected: &[Type], binders: &[Binder]) -> Result<(), String> {
    same_count(what, expected.len(), binders.len())?;
    match expected.iter().zip(binders).find(|(ty, binder)| !ty.agrees(&binder.ty)) {
        None => Ok(()),
        Some((ty, it)) => Err(format!("{what} x{} has type {}, not {ty}", it.var.0, it.ty)),
    }
}
