//! An evaluator of the core language over any domain of numbers: one arm per operation, each as
//! `crates/ir/src/term.rs` says. Derivative operators are not for it.

use std::rc::Rc;

use base::Name;
use eval::Value as Scalar;
use ir::{
    ArrayOp, Atom, Binder, Block, ControlOp, DeriveOp, FunctionOp, Lambda, Loop, Op, Prim, Program,
    Size, Stmt, Var, walk,
};

use crate::ladder::rung::{Domain, Term};
use crate::ladder::scalar::{Partials, primitive};
use crate::ladder::value::{Closure, Frame, Value};

/// Runs a program with the numbers of `D`.
pub(crate) struct Machine<'p, D> {
    pub(crate) program: &'p Program,
    pub(crate) domain: D,
    partials: Partials,
}

/// Why a run ended early.
#[derive(Debug, PartialEq)]
pub(crate) enum Stop {
    /// The program has a derivative operator.
    Derivative,
    /// The program is wrong, or the evaluator.
    Fault(String),
}

/// A fault.
pub(crate) fn fault<T>(message: &str) -> Result<T, Stop> {
    Err(Stop::Fault(message.to_string()))
}

type Outcome<N> = Result<Value<N>, Stop>;
type Outcomes<N> = Result<Vec<Value<N>>, Stop>;

impl<'p, D: Domain> Machine<'p, D> {
    pub(crate) fn new(program: &'p Program, domain: D) -> Machine<'p, D> {
        Machine { program, domain, partials: Partials::default() }
    }

    /// Calls a definition.
    pub(crate) fn call(
        &mut self,
        name: &Name,
        sizes: Vec<i64>,
        args: Vec<Value<D::Num>>,
    ) -> Outcomes<D::Num> {
        let program = self.program;
        let Some(def) = program.defs.get(name) else { return fault(name) };
        let sizes = sizes.into_iter().map(Value::Int);
        let mut frame: Frame<D::Num> = def.size_params.iter().copied().zip(sizes).collect();
        bind(&mut frame, &def.params, args);
        self.block(&mut frame, &def.body)
    }

    /// Calls a function value.
    pub(crate) fn apply(
        &mut self,
        function: &Value<D::Num>,
        args: Vec<Value<D::Num>>,
    ) -> Outcome<D::Num> {
        let Value::Closure(closure) = function else { return fault("not a function") };
        let mut frame = closure.captured.clone();
        self.lambda(&mut frame, &closure.lambda, args)
    }

    fn lambda(
        &mut self,
        frame: &mut Frame<D::Num>,
        lambda: &Lambda,
        args: Vec<Value<D::Num>>,
    ) -> Outcome<D::Num> {
        bind(frame, &lambda.params, args);
        let mut results = self.block(frame, &lambda.body)?;
        Ok(results.remove(0))
    }

    pub(crate) fn block(&mut self, frame: &mut Frame<D::Num>, block: &Block) -> Outcomes<D::Num> {
        for stmt in &block.stmts {
            let results = self.stmt(frame, stmt)?;
            bind(frame, &stmt.binders, results);
        }
        Ok(self.atoms(frame, &block.results))
    }

    pub(crate) fn atoms(&mut self, frame: &Frame<D::Num>, atoms: &[Atom]) -> Vec<Value<D::Num>> {
        atoms.iter().map(|it| self.atom(frame, it)).collect()
    }

    pub(crate) fn atom(&mut self, frame: &Frame<D::Num>, atom: &Atom) -> Value<D::Num> {
        match atom {
            Atom::Var(var) => frame[var].clone(),
            Atom::Real(literal) => Value::Num(self.domain.constant(literal.0)),
            Atom::Int(value) => Value::Int(*value),
            Atom::Bool(value) => Value::Bool(*value),
            Atom::Str(text) => Value::Str(text.clone()),
        }
    }

    pub(crate) fn rows(
        &mut self,
        frame: &Frame<D::Num>,
        atom: &Atom,
    ) -> Result<Rc<Vec<Value<D::Num>>>, Stop> {
        let Value::Array(rows) = self.atom(frame, atom) else { return fault("not an array") };
        Ok(rows)
    }

    fn stmt(&mut self, frame: &mut Frame<D::Num>, stmt: &Stmt) -> Outcomes<D::Num> {
        let one = |value: Value<D::Num>| Ok(vec![value]);
        match &stmt.op {
            Op::Copy(atom) => one(self.atom(frame, atom)),
            Op::Prim(prim, atoms) => {
                let args = self.atoms(frame, atoms);
                one(self.prim(*prim, &args)?)
            }
            Op::Size(size) => one(Value::Int(int_size(frame, size))),
            Op::Tuple { rank, parts } => {
                let parts = self.atoms(frame, parts);
                one(zip_rows(*rank, &parts)?)
            }
            Op::Proj { tuple, index } => {
                let tuple = self.atom(frame, tuple);
                one(project(&tuple, *index)?)
            }
            Op::Con { ty: _, con, args } => {
                one(Value::Data(con.clone(), Rc::new(self.atoms(frame, args))))
            }
            Op::Control(ControlOp::Match { value, arms, otherwise }) => {
                let Value::Data(con, fields) = self.atom(frame, value) else {
                    return fault("not a sum");
                };
                if let Some(arm) = arms.iter().find(|it| it.con == con) {
                    bind(frame, &arm.fields, fields.to_vec());
                    return self.block(frame, &arm.body);
                }
                match otherwise {
                    Some(block) => self.block(frame, block),
                    None => fault("no arm fits"),
                }
            }
            Op::Function(FunctionOp::Lambda(lambda)) => {
                let free = walk::free_vars(lambda);
                let captured = free.into_iter().map(|var| (var, frame[&var].clone())).collect();
                one(Value::Closure(Rc::new(Closure { lambda: lambda.clone(), captured })))
            }
            Op::Function(FunctionOp::Apply(function, args)) => {
                let function = self.atom(frame, function);
                let args = self.atoms(frame, args);
                one(self.apply(&function, args)?)
            }
            Op::Function(FunctionOp::Call { def, types: _, sizes, args }) => {
                let sizes = sizes.iter().map(|it| int_size(frame, it)).collect();
                let args = self.atoms(frame, args);
                self.call(def, sizes, args)
            }
            Op::Control(ControlOp::If { cond, then, otherwise }) => {
                let holds = truth(&self.atom(frame, cond))?;
                self.block(frame, if holds { then } else { otherwise })
            }
            Op::Control(ControlOp::Build { sizes, indices, body }) => {
                let sizes = natural_sizes(frame, sizes)?;
                self.build(frame, &sizes, indices, body)
            }
            Op::Control(ControlOp::Fold { inits, arrays, step }) => {
                let mut states = self.states(frame, inits, arrays, step)?;
                Ok(states.pop().expect("there is always the first state"))
            }
            Op::Control(ControlOp::Scan { inits, arrays, step }) => {
                let states = self.states(frame, inits, arrays, step)?;
                Ok(transposed(inits.len(), &states[1..]))
            }
            Op::Control(ControlOp::Iterate { count, index, inits, state, body }) => {
                let Value::Int(count) = self.atom(frame, count) else { return fault("count") };
                let mut values = self.atoms(frame, inits);
                for i in 0..count {
                    frame.insert(*index, Value::Int(i));
                    bind(frame, state, values);
                    values = self.block(frame, body)?;
                }
                Ok(values)
            }
            Op::Control(ControlOp::While { inits, state, cond, body }) => {
                let mut values = self.atoms(frame, inits);
                loop {
                    bind(frame, state, values.clone());
                    if !truth(&self.block(frame, cond)?[0])? {
                        return Ok(values);
                    }
                    values = self.block(frame, body)?;
                }
            }
            Op::Array(ArrayOp::Filter { array, predicate }) => {
                let mut kept = Vec::new();
                for row in self.rows(frame, array)?.iter() {
                    if truth(&self.lambda(frame, predicate, vec![row.clone()])?)? {
                        kept.push(row.clone());
                    }
                }
                Ok(vec![Value::Int(kept.len() as i64), Value::array(kept)])
            }
            Op::Derive(DeriveOp::StopGradient(atom)) => {
                let value = self.atom(frame, atom);
                one(value.map(&mut |num| self.domain.constant(D::primal(num))))
            }
            Op::Derive(DeriveOp::Checkpoint { value, .. } | DeriveOp::Tell { value, .. }) => {
                one(self.atom(frame, value))
            }
            Op::Derive(
                DeriveOp::Lift { .. }
                | DeriveOp::Primal { .. }
                | DeriveOp::Tangent { .. }
                | DeriveOp::Pair { .. }
                | DeriveOp::OfFunction { .. }
                | DeriveOp::OfDefinition { .. },
            )
            | Op::Delta(_) => Err(Stop::Derivative),
            Op::Equal(..)
            | Op::Close(..)
            | Op::Array(
                ArrayOp::Literal { .. }
                | ArrayOp::Index { .. }
                | ArrayOp::Slice { .. }
                | ArrayOp::Reduce { .. }
                | ArrayOp::Argmax(_)
                | ArrayOp::Argmin(_)
                | ArrayOp::Gather { .. }
                | ArrayOp::Scatter { .. }
                | ArrayOp::Replicate { .. }
                | ArrayOp::Iota(_)
                | ArrayOp::Transpose { .. }
                | ArrayOp::Reshape { .. }
                | ArrayOp::Reverse(_)
                | ArrayOp::Concat(_)
                | ArrayOp::Sort(_)
                | ArrayOp::Argsort(_)
                | ArrayOp::Sized { .. },
            ) => one(self.bulk(frame, stmt)?),
        }
    }

    /// A primitive: element by element if an operand is an array.
    pub(crate) fn prim(&mut self, prim: Prim, args: &[Value<D::Num>]) -> Outcome<D::Num> {
        let rows = |arg: &Value<D::Num>| {
            if let Value::Array(rows) = arg { Some(rows.clone()) } else { None }
        };
        let lengths = || args.iter().filter_map(|it| Some(rows(it)?.len()));
        let Some(n) = lengths().next() else { return self.scalar_prim(prim, args) };
        if lengths().any(|it| it != n) {
            return fault("sizes differ");
        }
        let element = |arg: &Value<D::Num>, i: usize| match rows(arg) {
            Some(rows) => rows[i].clone(),
            None => arg.clone(),
        };
        let mut res = Vec::new();
        for i in 0..n {
            let args: Vec<Value<D::Num>> = args.iter().map(|it| element(it, i)).collect();
            res.push(self.prim(prim, &args)?);
        }
        Ok(Value::array(res))
    }

    /// The only place where derivatives arise.
    fn scalar_prim(&mut self, prim: Prim, args: &[Value<D::Num>]) -> Outcome<D::Num> {
        let scalars: Vec<Scalar> = args.iter().map(primal::<D>).collect::<Result<_, _>>()?;
        match primitive(prim, &scalars).map_err(Stop::Fault)? {
            Scalar::Int(value) => Ok(Value::Int(value)),
            Scalar::Bool(value) => Ok(Value::Bool(value)),
            Scalar::Str(text) => Ok(Value::Str((*text).clone())),
            Scalar::Real(value) => {
                let mut terms = Vec::new();
                for (arg, factor) in args.iter().zip(self.partials.at(prim, &scalars, value)) {
                    if let (Value::Num(operand), Some(factor)) = (arg, factor) {
                        terms.push(Term { factor, operand });
                    }
                }
                Ok(Value::Num(match terms.is_empty() {
                    true => self.domain.constant(value),
                    false => self.domain.op(value, &terms),
                }))
            }
            Scalar::Tuple(_) | Scalar::Data(_) | Scalar::Array(_) | Scalar::Closure(_) => {
                fault("not a scalar")
            }
            Scalar::Dual(..) | Scalar::Delta(_) => fault("not a scalar"),
        }
    }

    /// One array for each result of the body.
    fn build(
        &mut self,
        frame: &mut Frame<D::Num>,
        sizes: &[usize],
        indices: &[Var],
        body: &Block,
    ) -> Outcomes<D::Num> {
        let Some((n, inner)) = sizes.split_first() else { return self.block(frame, body) };
        let mut rows = Vec::new();
        for i in 0..*n {
            frame.insert(indices[0], Value::Int(i as i64));
            rows.push(self.build(frame, inner, &indices[1..], body)?);
        }
        Ok(transposed(body.results.len(), &rows))
    }

    /// The first state of a loop over arrays, and those after each element.
    fn states(
        &mut self,
        frame: &mut Frame<D::Num>,
        inits: &[Atom],
        arrays: &[Atom],
        step: &Loop,
    ) -> Result<Vec<Vec<Value<D::Num>>>, Stop> {
        let mut state = self.atoms(frame, inits);
        let mut states = vec![state.clone()];
        let mut elements = Vec::new();
        for array in arrays {
            elements.push(self.rows(frame, array)?);
        }
        let n = elements.first().map_or(0, |it| it.len());
        if elements.iter().any(|it| it.len() != n) {
            return fault("sizes differ");
        }
        for i in 0..n {
            bind(frame, &step.state, state);
            bind(frame, &step.elems, elements.iter().map(|it| it[i].clone()).collect());
            state = self.block(frame, &step.body)?;
            states.push(state.clone());
        }
        Ok(states)
    }
}

fn bind<N>(frame: &mut Frame<N>, binders: &[Binder], values: Vec<Value<N>>) {
    assert_eq!(binders.len(), values.len(), "as many binders as values");
    for (binder, value) in binders.iter().zip(values) {
        frame.insert(binder.var, value);
    }
}

fn primal<D: Domain>(value: &Value<D::Num>) -> Result<Scalar, Stop> {
    match value {
        Value::Num(num) => Ok(Scalar::Real(D::primal(num))),
        Value::Int(value) => Ok(Scalar::Int(*value)),
        Value::Bool(value) => Ok(Scalar::Bool(*value)),
        Value::Str(text) => Ok(Scalar::Str(std::sync::Arc::new(text.clone()))),
        Value::Tuple(_) | Value::Data(..) | Value::Array(_) | Value::Closure(_) => {
            fault("not a scalar")
        }
    }
}

fn truth<N>(value: &Value<N>) -> Result<bool, Stop> {
    if let Value::Bool(holds) = value { Ok(*holds) } else { fault("not a Bool") }
}

/// The array of each of `n` columns.
fn transposed<N: Clone>(n: usize, rows: &[Vec<Value<N>>]) -> Vec<Value<N>> {
    let column = |k: usize| Value::array(rows.iter().map(|row| row[k].clone()).collect());
    (0..n).map(column).collect()
}

/// A tuple of values, or below `rank` axes the tuples of the elements.
fn zip_rows<N: Clone>(rank: usize, parts: &[Value<N>]) -> Outcome<N> {
    if rank == 0 {
        return Ok(Value::tuple(parts.to_vec()));
    }
    let mut columns = Vec::new();
    for part in parts {
        let Value::Array(rows) = part else { return fault("not an array") };
        columns.push(rows);
    }
    let Some(first) = columns.first() else { return fault("an array of units") };
    let row = |i: usize| {
        let parts: Vec<Value<N>> = columns.iter().map(|it| it[i].clone()).collect();
        zip_rows(rank - 1, &parts)
    };
    Ok(Value::array((0..first.len()).map(row).collect::<Result<_, _>>()?))
}

/// A part of a tuple, or of every tuple of an array.
fn project<N: Clone>(value: &Value<N>, index: usize) -> Outcome<N> {
    match value {
        Value::Tuple(parts) => Ok(parts[index].clone()),
        Value::Array(rows) => {
            let parts = rows.iter().map(|it| project(it, index));
            Ok(Value::array(parts.collect::<Result<_, _>>()?))
        }
        Value::Num(_) | Value::Int(_) | Value::Bool(_) | Value::Str(_) => fault("not a tuple"),
        Value::Data(..) | Value::Closure(_) => fault("not a tuple"),
    }
}

/// The value of a size.
pub(crate) fn int_size<N>(frame: &Frame<N>, size: &Size) -> i64 {
    size.evaluate(&mut |var| {
        let Value::Int(value) = &frame[var] else { panic!("a size is an Int") };
        *value
    })
}

/// The values of sizes of an array.
pub(crate) fn natural_sizes<N>(frame: &Frame<N>, sizes: &[Size]) -> Result<Vec<usize>, Stop> {
    let natural =
        |it: &Size| usize::try_from(int_size(frame, it)).or_else(|_| fault("a negative size"));
    sizes.iter().map(natural).collect()
}
