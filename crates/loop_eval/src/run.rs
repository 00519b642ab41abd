//! Blocks, loops and calls.

use std::rc::Rc;

use ir::Prim;
use loops::{
    Atom, Block, Chunks, Func, How, Kind, Loop, Module, Node, Place, State, Value as Bound, Var,
    While,
};

use crate::kernels::{moved, neutral};
use crate::memory::{Memory, Pointer};
use crate::{Ended, Input, Limits, Outcome, Value, prims};

/// Calls may be nested this deep.
const MOST_CALLS: usize = 20_000;
/// Stack that a call needs at least, and how much there is more of if it is missing.
const RED_ZONE: usize = 128 << 10;
const MORE_STACK: usize = 4 << 20;

/// A run of a module.
pub(crate) struct Run<'a> {
    module: &'a Module,
    pub(crate) memory: Memory,
    limits: Limits,
    nodes: u64,
    calls: usize,
}

/// A call of a function.
pub(crate) struct Frame<'r, 'a> {
    pub(crate) run: &'r mut Run<'a>,
    func: &'a Func,
    vars: Vec<Value>,
}

pub(crate) fn run(
    module: &Module,
    entry: usize,
    inputs: &[Input],
    limits: Limits,
) -> Result<Outcome, Ended> {
    let func = *module.entries.get(entry).ok_or_else(|| wrong("there is no such entry"))?;
    let mut run = Run { module, memory: Memory::default(), limits, nodes: 0, calls: 0 };
    let arguments = inputs.iter().map(|it| match it {
        Input::Scalar(value) => value.clone(),
        Input::Array(values) => Value::Array(run.memory.put(values.clone())),
    });
    let arguments = arguments.collect();
    let results = run.call(func, arguments)?;
    let given = results.into_iter().map(|it| match it {
        Value::Array(start) => run.memory.rest(start).map(Input::Array),
        other @ (Value::Real(_) | Value::Int(_) | Value::Bool(_) | Value::Box(_)) => {
            Ok(Input::Scalar(other))
        }
        Value::Unknown => Err(wrong("a result is nothing that anybody wrote")),
    });
    let results = given.collect::<Result<_, _>>()?;
    Ok(Outcome { results, cost: run.memory.cost })
}

fn wrong(what: &str) -> Ended {
    Ended::Wrong(what.to_string())
}

impl<'a> Run<'a> {
    fn call(&mut self, func: usize, args: Vec<Value>) -> Result<Vec<Value>, Ended> {
        let func = self.module.funcs.get(func).ok_or_else(|| wrong("there is no such function"))?;
        if args.len() != func.params.len() {
            return Err(wrong("there are too few or too many arguments"));
        }
        if self.calls == MOST_CALLS {
            return Err(Ended::Deep);
        }
        self.calls += 1;
        let res = stacker::maybe_grow(RED_ZONE, MORE_STACK, || {
            let vars = vec![Value::Unknown; func.vars.len()];
            let mut frame = Frame { run: self, func, vars };
            for (param, arg) in func.params.iter().zip(args) {
                frame.set(*param, arg);
            }
            frame.block(&func.body)?;
            func.results.iter().map(|it| frame.atom(*it)).collect()
        });
        self.calls -= 1;
        res
    }

    /// A step of the run.
    pub(crate) fn count(&mut self) -> Result<(), Ended> {
        self.nodes += 1;
        if self.nodes > self.limits.nodes { Err(Ended::Long) } else { Ok(()) }
    }

    /// A primitive, rounded as the precision says.
    pub(crate) fn prim(&mut self, prim: Prim, operands: &[Value]) -> Result<Value, Ended> {
        self.memory.cost.operations += 1;
        prims::prim(prim, operands).map(|it| self.rounded(it))
    }

    fn rounded(&self, value: Value) -> Value {
        if let Value::Real(it) = value
            && self.limits.single
        {
            return Value::Real(f64::from(it as f32));
        }
        value
    }
}

impl<'a> Frame<'_, 'a> {
    fn set(&mut self, var: Var, value: Value) {
        self.vars[var.0 as usize] = value;
    }

    pub(crate) fn atom(&self, atom: Atom) -> Result<Value, Ended> {
        Ok(match atom {
            Atom::Var(var) => self.vars[var.0 as usize].clone(),
            Atom::Real(it) => self.run.rounded(Value::Real(it)),
            Atom::Int(it) => Value::Int(it),
            Atom::Bool(it) => Value::Bool(it),
        })
    }

    /// An integer that the way of the run depends on.
    pub(crate) fn int(&self, atom: Atom) -> Result<i64, Ended> {
        let value = self.atom(atom)?;
        if let Value::Int(it) = value {
            return Ok(it);
        }
        Err(wrong(&format!("{atom} is {value:?} in {}", self.func.name)))
    }

    fn bool(&self, atom: Atom) -> Result<bool, Ended> {
        let value = self.atom(atom)?;
        if let Value::Bool(it) = value {
            return Ok(it);
        }
        Err(wrong(&format!("{atom} is {value:?} in {}", self.func.name)))
    }

    pub(crate) fn array(&self, var: Var) -> Result<Pointer, Ended> {
        let value = self.atom(Atom::Var(var))?;
        if let Value::Array(it) = value {
            return Ok(it);
        }
        Err(wrong(&format!("{var} is {value:?} in {}", self.func.name)))
    }

    /// The place of an element; nowhere if that depends on what nobody wrote.
    fn place(&self, array: Var, at: &Place) -> Result<Option<Pointer>, Ended> {
        let mut res = self.array(array)?;
        for term in at {
            match (self.atom(term.index)?, self.atom(term.stride)?) {
                (Value::Int(index), Value::Int(stride)) => {
                    res = moved(res, index.wrapping_mul(stride));
                }
                (Value::Unknown, _) | (_, Value::Unknown) => return Ok(None),
                _ => return Err(wrong("a place is no integer")),
            }
        }
        Ok(Some(res))
    }

    pub(crate) fn spot(&self, array: Var, at: &Place) -> Result<Pointer, Ended> {
        self.place(array, at)?.ok_or_else(|| wrong("a place depends on what nobody wrote"))
    }

    pub(crate) fn block(&mut self, block: &'a Block) -> Result<(), Ended> {
        block.iter().try_for_each(|it| self.node(it))
    }

    /// A block whose arrays end with it.
    fn scoped(&mut self, block: &'a Block) -> Result<(), Ended> {
        let mark = self.run.memory.mark();
        self.block(block)?;
        self.run.memory.free(mark);
        Ok(())
    }

    fn node(&mut self, node: &'a Node) -> Result<(), Ended> {
        self.run.count()?;
        match node {
            Node::Let { var, value } => {
                let value = self.bound(value)?;
                self.set(*var, value);
            }
            Node::Both { both, of, results } => {
                let values = self.both(*both, *of)?;
                results.iter().zip(values).for_each(|(var, value)| self.set(*var, value));
            }
            Node::Alloc { array, len, .. } => {
                let start = self.run.memory.allocate(self.int(*len)?)?;
                self.set(*array, Value::Array(start));
            }
            Node::Store { array, at, value, how } => {
                let (into, new) = (self.spot(*array, at)?, self.atom(*value)?);
                self.put(into, *how, new)?;
            }
            Node::Loop(it) => self.counted(it)?,
            Node::Chunks(it) => self.chunks(it)?,
            Node::While(it) => self.while_loop(it)?,
            Node::If { cond, then, otherwise, results } => {
                let holds = self.bool(*cond)?;
                self.block(if holds { then } else { otherwise })?;
                for it in results {
                    let value = self.atom(if holds { it.then } else { it.otherwise })?;
                    self.set(it.var, value);
                }
            }
            Node::Switch { value, arms, otherwise, results } => {
                let Value::Box(it) = self.atom(*value)? else {
                    return Err(wrong("a switch by what is no box"));
                };
                let found = arms.iter().position(|arm| arm.tag == it.0);
                match found.map(|k| &arms[k]) {
                    Some(arm) => {
                        for (var, field) in arm.fields.iter().zip(&it.1) {
                            self.set(*var, field.clone());
                        }
                        self.block(&arm.body)?;
                    }
                    None => self.block(otherwise)?,
                }
                for choice in results {
                    let atom = found.map_or(choice.otherwise, |k| choice.arms[k]);
                    let value = self.atom(atom)?;
                    self.set(choice.var, value);
                }
            }
            Node::Make { var, tag, fields } => {
                let fields: Result<Vec<Value>, Ended> =
                    fields.iter().map(|it| self.atom(*it)).collect();
                self.set(*var, Value::Box(Rc::new((*tag, fields?))));
            }
            Node::Call { func, args, results } => {
                let args: Result<Vec<Value>, Ended> =
                    args.iter().map(|it| self.atom(*it)).collect();
                let given = self.run.call(*func, args?)?;
                for (var, value) in results.iter().zip(given) {
                    self.set(*var, value);
                }
            }
            Node::Check { holds, site, values } => {
                if !self.bool(*holds)? {
                    let values: Result<Vec<i64>, Ended> =
                        values.iter().map(|it| self.int(*it)).collect();
                    return Err(Ended::Check(*site, values?));
                }
            }
            Node::Scope(block) => self.scoped(block)?,
            Node::Kernel(kernel) => self.kernel(kernel)?,
        }
        Ok(())
    }

    fn bound(&mut self, value: &Bound) -> Result<Value, Ended> {
        match value {
            Bound::Atom(it) => self.atom(*it),
            Bound::Prim(prim, operands) => {
                let operands: Result<Vec<Value>, Ended> =
                    operands.iter().map(|it| self.atom(*it)).collect();
                self.run.prim(*prim, &operands?)
            }
            Bound::ScaleAdd(a, b, c) => {
                let [a, b, c] = [self.atom(*a)?, self.atom(*b)?, self.atom(*c)?];
                self.run.memory.cost.operations += 2;
                prims::scale_add(&a, &b, &c).map(|it| self.run.rounded(it))
            }
            Bound::Load { array, at } => match self.place(*array, at)? {
                Some(from) => self.run.memory.load(from),
                None => Ok(Value::Unknown),
            },
            Bound::Part { array, at } => self.spot(*array, at).map(Value::Array),
        }
    }

    fn put(&mut self, into: Pointer, how: How, new: Value) -> Result<(), Ended> {
        let value = match how {
            How::Set => new,
            How::Add | How::Mul | How::Max | How::Min => {
                self.run.memory.cost.operations += 1;
                let old = self.run.memory.load(into)?;
                self.run.rounded(prims::combined(how, &old, new)?)
            }
        };
        self.run.memory.store(into, value)
    }

    fn counted(&mut self, it: &'a Loop) -> Result<(), Ended> {
        self.begin(&it.state)?;
        let mut sums = Vec::new();
        for acc in &it.accs {
            sums.push(self.atom(acc.init)?);
        }
        for step in 0..self.int(it.count)? {
            self.run.count()?;
            let mark = self.run.memory.mark();
            self.set(it.var, Value::Int(step));
            self.block(&it.body)?;
            for (sum, acc) in sums.iter_mut().zip(&it.accs) {
                self.run.memory.cost.operations += 1;
                let new = self.atom(acc.value)?;
                *sum = self.run.rounded(prims::combined(acc.how, sum, new)?);
            }
            self.next(&it.state)?;
            if it.kind == Kind::Vector {
                self.run.memory.free(mark);
            }
        }
        for (sum, acc) in sums.into_iter().zip(&it.accs) {
            self.set(acc.var, sum);
        }
        self.last(&it.state);
        Ok(())
    }

    fn while_loop(&mut self, it: &'a While) -> Result<(), Ended> {
        self.begin(&it.state)?;
        loop {
            self.run.count()?;
            self.block(&it.before)?;
            if !self.bool(it.cond)? {
                break;
            }
            self.block(&it.body)?;
            self.next(&it.state)?;
        }
        self.last(&it.state);
        Ok(())
    }

    fn begin(&mut self, state: &[State]) -> Result<(), Ended> {
        for it in state {
            let value = self.atom(it.init)?;
            self.set(it.var, value);
        }
        Ok(())
    }

    /// All at once: what is handed on was computed before anything changes.
    fn next(&mut self, state: &[State]) -> Result<(), Ended> {
        let values: Result<Vec<Value>, Ended> = state.iter().map(|it| self.atom(it.next)).collect();
        for (it, value) in state.iter().zip(values?) {
            self.set(it.var, value);
        }
        Ok(())
    }

    fn last(&mut self, state: &[State]) {
        for it in state {
            let value = self.vars[it.var.0 as usize].clone();
            self.set(it.last, value);
        }
    }

    fn chunks(&mut self, it: &'a Chunks) -> Result<(), Ended> {
        let (total, length) = (self.int(it.total)?, self.run.limits.chunk.max(1));
        let mut start = 0;
        while start < total {
            let len = length.min(total - start);
            let mark = self.run.memory.mark();
            self.set(it.start, Value::Int(start));
            self.set(it.len, Value::Int(len));
            for acc in &it.accs {
                let n = self.int(acc.len)?;
                let array = self.run.memory.allocate(n)?;
                let zero = neutral(acc.how, self.func.ty(acc.array));
                for k in 0..n {
                    self.run.memory.store(moved(array, k), zero.clone())?;
                }
                self.set(acc.array, Value::Array(array));
            }
            self.block(&it.body)?;
            for acc in &it.accs {
                let (from, into) = (self.array(acc.array)?, self.array(acc.into)?);
                for k in 0..self.int(acc.len)? {
                    let new = self.run.memory.load(moved(from, k))?;
                    self.put(moved(into, k), acc.how, new)?;
                }
            }
            self.run.memory.free(mark);
            start += len;
        }
        Ok(())
    }
}
