//! Definitions of the ir as terms of the paper's source language, for what that can say.
//!
//! A block becomes bindings, several results a tuple, a call what it calls, a function of several parameters
//! one of a tuple. Arrays are functions of positions wherever that is what an operation says. What there is no
//! word for is named: loops that collect, recursion, and operations that move elements by what the elements are.

mod arrays;

mod loops;

mod types;

use std::collections::BTreeMap;

use base::Name;
use ir::{
    Arm, ArrayOp, Atom, Binder, Block, ControlOp, Def, DeriveOp, FunctionOp, Lambda, Op, Prim,
    Program, Size, Stmt, Type as IrType, Var, walk,
};

use super::term::{Side, Steps, Term, apply, bind, lambda, part, tuple, var};
use super::types::Type;
use super::walk::Supply;

/// A definition as a term.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its parameters.
    pub params: Vec<(Name, Type)>,
    /// Its body.
    pub body: Term,
}

/// What there is no word for.
type Said<T> = Result<T, String>;

/// How many statements are taken over at most, those of what is called included.
const MOST_STATEMENTS: usize = 2000;

/// A definition and all that it calls as a term, or what there is no word for.
pub fn from_ir(program: &Program, def: &Name) -> Said<Function> {
    let def = program.defs.get(def).ok_or_else(|| format!("no definition `{def}`"))?;
    if !def.type_params.is_empty() {
        return Err("type parameters".into());
    }
    let frame = Frame { is_outermost: true, ..Frame::default() };
    let calls = vec![def.name.clone()];
    let mut reader = Reader { program, supply: Supply::default(), frame, calls, n_statements: 0 };
    let known = def.size_params.iter().map(|it| (*it, Size::var(*it)));
    reader.frame.sizes = known.collect();
    let mut params = Vec::new();
    for param in &def.params {
        let name = reader.binder(param);
        params.push((name, reader.ty(&param.ty)?));
    }
    let body = reader.block(&def.body)?;
    Ok(Function { params, body })
}

/// A definition that is being read.
#[derive(Clone, Default)]
struct Frame {
    is_outermost: bool,
    vars: BTreeMap<Var, (Name, IrType)>,
    types: BTreeMap<Name, IrType>,
    sizes: BTreeMap<Var, Size>,
}

struct Reader<'p> {
    program: &'p Program,
    supply: Supply,
    frame: Frame,
    /// The definitions that are being read, the outermost first.
    calls: Vec<Name>,
    n_statements: usize,
}

impl Reader<'_> {
    fn binder(&mut self, binder: &Binder) -> Name {
        let text = binder.var.to_string();
        let name = match self.frame.is_outermost {
            true => Name::from(text),
            false => self.supply.fresh(&text),
        };
        self.frame.vars.insert(binder.var, (name.clone(), self.instance(&binder.ty)));
        name
    }

    /// A position of an array.
    fn index(&mut self, var: Var) -> Name {
        self.binder(&Binder { var, ty: IrType::Int })
    }

    fn atom(&self, atom: &Atom) -> Said<Term> {
        match atom {
            Atom::Var(it) => match self.frame.vars.get(it) {
                Some((name, _)) => Ok(var(name)),
                None => Ok(Term::Size(self.size(&Size::var(*it))?)),
            },
            Atom::Real(value) => Ok(Term::Real(*value)),
            Atom::Int(value) => Ok(Term::Int(*value)),
            Atom::Bool(value) => Ok(truth(*value)),
            Atom::Str(_) => Err("texts".into()),
        }
    }

    fn atoms(&self, atoms: &[Atom]) -> Said<Vec<Term>> {
        atoms.iter().map(|it| self.atom(it)).collect()
    }

    /// The type of an atom, with sizes and types of the outermost definition.
    fn type_of(&self, atom: &Atom) -> IrType {
        match atom {
            Atom::Var(it) => self.frame.vars.get(it).map_or(IrType::Int, |it| it.1.clone()),
            Atom::Real(_) => IrType::Real,
            Atom::Int(_) => IrType::Int,
            Atom::Bool(_) => IrType::Bool,
            Atom::Str(_) => IrType::String,
        }
    }

    fn block(&mut self, block: &Block) -> Said<Term> {
        let mut bound = Vec::new();
        for stmt in &block.stmts {
            self.statement(stmt, &mut bound)?;
        }
        let results = tuple(self.atoms(&block.results)?);
        Ok(bound.into_iter().rev().fold(results, |res, (name, it)| bind(&name, it, res)))
    }

    fn statement(&mut self, stmt: &Stmt, bound: &mut Vec<(Name, Term)>) -> Said<()> {
        self.n_statements += 1;
        if self.n_statements > MOST_STATEMENTS {
            return Err(format!("more than {MOST_STATEMENTS} statements"));
        }
        let results: Vec<IrType> = stmt.binders.iter().map(|it| self.instance(&it.ty)).collect();
        for ty in &results {
            self.known(ty, &mut Vec::new())?;
        }
        let term = self.op(&stmt.op, &results)?;
        if let [binder] = &stmt.binders[..] {
            let name = self.binder(binder);
            bound.push((name, term));
            return Ok(());
        }
        let all = self.supply.fresh("r");
        bound.push((all.clone(), term));
        let of = stmt.binders.len();
        for (at, binder) in stmt.binders.iter().enumerate() {
            let name = self.binder(binder);
            let own = if let Op::Control(ControlOp::Build { sizes, .. }) = &stmt.op {
                self.part_of_elements(var(&all), sizes.len(), at, of)
            } else {
                part(var(&all), at, of)
            };
            bound.push((name, own));
        }
        Ok(())
    }

    /// An operation that gives results of these types: a tuple, if there are several; an array of tuples, if
    /// it is a `build` of several.
    fn op(&mut self, op: &Op, results: &[IrType]) -> Said<Term> {
        match op {
            Op::Copy(atom)
            | Op::Derive(
                DeriveOp::Checkpoint { value: atom, .. } | DeriveOp::Tell { value: atom, .. },
            ) => self.atom(atom),
            Op::Prim(prim, args) => self.prim(*prim, args, &results[0]),
            Op::Size(size) => Ok(Term::Size(self.size(size)?)),
            Op::Tuple { rank: 0, parts } => Ok(tuple(self.atoms(parts)?)),
            Op::Tuple { rank, parts } => self.tuple_of_arrays(*rank, parts, &results[0]),
            Op::Proj { tuple, index } => self.projection(tuple, *index),
            Op::Con { ty, con, args } => {
                let payload = tuple(self.atoms(args)?);
                self.injection(&self.instance(ty), con, payload)
            }
            Op::Equal(one, other) => match self.type_of(one) {
                IrType::Real | IrType::Int => {
                    Ok(Term::Op(Prim::Eq, vec![self.atom(one)?, self.atom(other)?]))
                }
                IrType::Bool | IrType::String | IrType::Tuple(_) | IrType::Array(..) => equality(),
                IrType::Function(..) | IrType::Var(_) | IrType::Data(..) => equality(),
                IrType::Dual(_) | IrType::Delta | IrType::Tape(_) => equality(),
            },
            Op::Close(..) => equality(),
            Op::Array(op) => self.array_op(op, &results[0]),
            Op::Control(op) => self.control(op),
            Op::Function(op) => self.function(op),
            Op::Derive(DeriveOp::StopGradient(_)) => Err("`stop_gradient`".into()),
            Op::Derive(_) => Err("derivative operators".into()),
            Op::Delta(_) => Err("Deltas".into()),
        }
    }

    fn control(&mut self, op: &ControlOp) -> Said<Term> {
        match op {
            ControlOp::If { cond, then, otherwise } => {
                let [yes, no] = ["u", "u"].map(|it| self.supply.fresh(it));
                let (then, otherwise) = (self.block(then)?, self.block(otherwise)?);
                let cond = Box::new(self.atom(cond)?);
                Ok(Term::Case(cond, yes, Box::new(then), no, Box::new(otherwise)))
            }
            ControlOp::Match { value, arms, otherwise } => {
                self.cases(value, arms, otherwise.as_ref())
            }
            ControlOp::Build { sizes, indices, body } => {
                if let Some((array, element, rest)) = self.as_map(sizes, indices, body) {
                    let array = self.atom(array)?;
                    let name = self.binder(element);
                    return Ok(Term::Map(name, Box::new(self.block(&rest)?), Box::new(array)));
                }
                let names: Vec<Name> = indices.iter().map(|it| self.index(*it)).collect();
                let body = self.block(body)?;
                let all = sizes.iter().zip(names).rev();
                all.into_iter().try_fold(body, |body, (size, name)| {
                    Ok(Term::Build(self.size(size)?, name, Box::new(body)))
                })
            }
            ControlOp::Fold { inits, arrays, step } => self.fold(inits, arrays, step),
            ControlOp::Scan { .. } => Err("`scan`".into()),
            ControlOp::Iterate { count, index, inits, state, body } => {
                let steps = Steps::Count(self.atom(count)?);
                let index = self.index(*index);
                self.repeated(steps, index, (inits, state), |it| it.block(body))
            }
            ControlOp::While { inits, state, cond, body } => {
                if body.results.len() > state.len() {
                    return Err("`while` that collects".into());
                }
                let steps = self.condition(state, cond)?;
                let index = self.supply.fresh("i");
                self.repeated(steps, index, (inits, state), |it| it.block(body))
            }
        }
    }

    /// A `build` that does nothing with its position but to read the element of an array there: the array, the
    /// element, and what is made of it.
    fn as_map<'b>(
        &self,
        sizes: &[Size],
        indices: &[Var],
        body: &'b Block,
    ) -> Option<(&'b Atom, &'b Binder, Block)> {
        let ([size], [position], Some((first, rest))) = (sizes, indices, body.stmts.split_first())
        else {
            return None;
        };
        let Op::Array(ArrayOp::Index { array, indices }) = &first.op else { return None };
        let is_whole =
            self.type_of(array).split_arrays().0.first() == self.size(size).ok().as_ref();
        let is_only_use = walk::count_uses(body).get(position) == Some(&1);
        let is_map = is_whole && is_only_use && **indices == [Atom::Var(*position)];
        let rest = Block { stmts: rest.to_vec(), results: body.results.clone() };
        is_map.then(|| (array, &first.binders[0], rest))
    }

    fn function(&mut self, op: &FunctionOp) -> Said<Term> {
        match op {
            FunctionOp::Lambda(it) => self.lambda(it),
            FunctionOp::Apply(function, args) => {
                Ok(apply(self.atom(function)?, tuple(self.atoms(args)?)))
            }
            FunctionOp::Call { def, types, sizes, args } => {
                let callee = self.program.defs.get(def).cloned();
                let callee = callee.ok_or_else(|| format!("no definition `{def}`"))?;
                let types = types.iter().map(|it| self.instance(it)).collect();
                let sizes = sizes.iter().map(|it| self.size(it)).collect::<Said<_>>()?;
                let args = self.atoms(args)?;
                self.call(&callee, types, sizes, args)
            }
        }
    }

    fn lambda(&mut self, it: &Lambda) -> Said<Term> {
        let names: Vec<Name> = it.params.iter().map(|it| self.binder(it)).collect();
        let types: Vec<Type> = it.params.iter().map(|it| self.ty(&it.ty)).collect::<Said<_>>()?;
        let body = self.block(&it.body)?;
        if let ([name], [ty]) = (&names[..], &types[..]) {
            return Ok(lambda(name, ty, body));
        }
        let all = self.supply.fresh("p");
        let of = names.len();
        let parts = names.iter().enumerate().rev();
        let body = parts.fold(body, |res, (at, it)| bind(it, part(var(&all), at, of), res));
        Ok(lambda(&all, &Type::tuple(&types), body))
    }

    /// What a definition gives of these arguments, written out.
    fn call(
        &mut self,
        def: &Def,
        types: Vec<IrType>,
        sizes: Vec<Size>,
        args: Vec<Term>,
    ) -> Said<Term> {
        if self.calls.contains(&def.name) {
            return Err(format!("recursion (`{}`)", def.name));
        }
        if self.program.customs.contains_key(&def.name) {
            return Err(format!("the derivative that `{}` says of itself", def.name));
        }
        self.calls.push(def.name.clone());
        let frame = Frame {
            types: def.type_params.iter().cloned().zip(types).collect(),
            sizes: def.size_params.iter().copied().zip(sizes).collect(),
            ..Frame::default()
        };
        let outer = std::mem::replace(&mut self.frame, frame);
        let names: Vec<Name> = def.params.iter().map(|it| self.binder(it)).collect();
        let body = self.block(&def.body);
        self.frame = outer;
        self.calls.pop();
        let bound = names.iter().zip(args).rev();
        Ok(bound.fold(body?, |res, (name, arg)| bind(name, arg, res)))
    }

    /// A match: a case for each constructor but the last.
    fn cases(&mut self, value: &Atom, arms: &[Arm], otherwise: Option<&Block>) -> Said<Term> {
        let ty = self.type_of(value);
        let cons = self.constructors(&ty)?;
        let mut bodies = Vec::new();
        for (con, _) in &cons {
            let payload = self.supply.fresh("a");
            let body = match (arms.iter().find(|it| it.con == *con), otherwise) {
                (Some(arm), _) => {
                    let names: Vec<Name> = arm.fields.iter().map(|it| self.binder(it)).collect();
                    let body = self.block(&arm.body)?;
                    let parts = names.iter().enumerate().rev();
                    parts.fold(body, |res, (at, it)| {
                        bind(it, part(var(&payload), at, names.len()), res)
                    })
                }
                (None, Some(block)) => self.block(block)?,
                (None, None) => return Err("a match without an arm".into()),
            };
            bodies.push((payload, body));
        }
        let (last, mut res) = bodies.pop().ok_or("a type without values")?;
        let mut name = last;
        for (payload, body) in bodies.into_iter().rev() {
            let rest = self.supply.fresh("s");
            let case =
                Term::Case(Box::new(var(&rest)), payload, Box::new(body), name, Box::new(res));
            (name, res) = (rest, case);
        }
        Ok(bind(&name, self.atom(value)?, res))
    }
}

/// A truth value.
fn truth(value: bool) -> Term {
    let side = if value { Side::Left } else { Side::Right };
    Term::Inject(side, Type::Unit, Box::new(Term::Unit))
}

fn equality<T>() -> Said<T> {
    Err("equality of whole values".into())
}
