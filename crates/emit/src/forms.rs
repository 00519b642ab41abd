//! What of the body of a vector loop differs from lane to lane.
//!
//! A variable is the same in all lanes and stays a scalar, or grows by the same from lane to lane and
//! is the scalar of the first lane, or is a vector. Places follow: elements side by side, elements at
//! a distance, or elements anywhere.

use std::collections::{BTreeMap, BTreeSet};

use ir::Prim;
use loops::{
    Atom, Block, Func, Kernel, Loop, Matrix, Node, Place, Scalar, State, Type, Value, Var,
};

/// How a variable varies over the lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// Not at all.
    Same,
    /// By a literal from lane to lane.
    Steps(i64),
    /// By a variable from lane to lane.
    Strides(Var),
    /// Anyhow.
    Vector,
}

/// The forms of the variables of a function, inside of a vector loop.
#[derive(Clone, Debug)]
pub(crate) struct Forms {
    forms: Vec<Form>,
    /// Arrays with an element for each lane at every place: those that are allocated inside.
    pub(crate) wide: BTreeSet<Var>,
    /// Parts of arrays that begin elsewhere for each lane: there is no pointer for them.
    pub(crate) parts: BTreeMap<Var, (Var, Place)>,
    changed: bool,
}

/// There is something in the loop that cannot be done for several lanes at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OneByOne;

type Analysed = Result<(), OneByOne>;

impl Forms {
    /// Outside of vector loops.
    pub(crate) fn none(func: &Func) -> Forms {
        Forms {
            forms: vec![Form::Same; func.vars.len()],
            wide: BTreeSet::new(),
            parts: BTreeMap::new(),
            changed: false,
        }
    }

    /// The forms of variables in a vector loop.
    pub(crate) fn of_loop(func: &Func, it: &Loop) -> Result<Forms, OneByOne> {
        let mut res = Forms::none(func);
        if !it.state.is_empty() {
            return Err(OneByOne);
        }
        res.forms[it.var.0 as usize] = Form::Steps(1);
        loop {
            res.changed = false;
            res.block(func, &it.body)?;
            if !res.changed {
                break;
            }
        }
        for acc in &it.accs {
            if matches!(func.ty(acc.var), Type::Array(_) | Type::Scalar(Scalar::Box)) {
                return Err(OneByOne);
            }
        }
        Ok(res)
    }

    pub(crate) fn of(&self, var: Var) -> Form {
        self.forms[var.0 as usize]
    }

    pub(crate) fn of_atom(&self, atom: Atom) -> Form {
        match atom {
            Atom::Var(var) => self.of(var),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) => Form::Same,
        }
    }

    /// The array and place that an element of a part is at.
    pub(crate) fn whole(&self, array: Var, at: &Place) -> (Var, Place) {
        let mut res = (array, at.clone());
        while let Some((outer, start)) = self.parts.get(&res.0) {
            res = (*outer, [start.as_slice(), &res.1].concat());
        }
        res
    }

    pub(crate) fn is_same(&self, atom: Atom) -> bool {
        self.of_atom(atom) == Form::Same
    }

    pub(crate) fn is_same_place(&self, at: &Place) -> bool {
        at.iter().all(|it| self.is_same(it.index) && self.is_same(it.stride))
    }

    fn raise(&mut self, func: &Func, var: Var, form: Form) -> Analysed {
        let old = self.of(var);
        let new = match (old, form) {
            (Form::Same, it) => it,
            (_, Form::Same) => old,
            (Form::Steps(_) | Form::Strides(_) | Form::Vector, _) => {
                if old == form {
                    old
                } else {
                    Form::Vector
                }
            }
        };
        if new != Form::Same && matches!(func.ty(var), Type::Array(_) | Type::Scalar(Scalar::Box)) {
            return Err(OneByOne);
        }
        if new != old {
            self.forms[var.0 as usize] = new;
            self.changed = true;
        }
        Ok(())
    }

    fn block(&mut self, func: &Func, block: &Block) -> Analysed {
        block.iter().try_for_each(|it| self.node(func, it))
    }

    fn node(&mut self, func: &Func, node: &Node) -> Analysed {
        match node {
            Node::Let { var, value } => self.value(func, *var, value),
            Node::Both { of, results, .. } => {
                let form = if self.is_same(*of) { Form::Same } else { Form::Vector };
                results.iter().try_for_each(|it| self.raise(func, *it, form))
            }
            Node::Alloc { array, len, lanes } => {
                self.wide.insert(*array);
                let known = func.ty(*array) != Type::Array(Scalar::Box) && lanes.is_none();
                self.require(known && self.is_same(*len))
            }
            Node::Store { value, .. } => self.require(!self.is_wide(*value)),
            Node::Loop(it) => {
                self.require(self.is_same(it.count))?;
                self.states(func, &it.state)?;
                self.block(func, &it.body)?;
                for acc in &it.accs {
                    let same = self.is_same(acc.init) && self.is_same(acc.value);
                    self.raise(func, acc.var, if same { Form::Same } else { Form::Vector })?;
                }
                self.states(func, &it.state)
            }
            Node::While(it) => {
                self.states(func, &it.state)?;
                self.block(func, &it.before)?;
                self.block(func, &it.body)?;
                self.states(func, &it.state)?;
                self.require(self.is_same(it.cond))
            }
            Node::If { cond, then, otherwise, results } => {
                self.block(func, then)?;
                self.block(func, otherwise)?;
                for phi in results {
                    self.join(func, phi.var, &[phi.then, phi.otherwise])?;
                }
                self.require(self.is_same(*cond))
            }
            Node::Call { args, results, .. } => {
                if args.iter().all(|it| self.is_same(*it) && !self.is_wide(*it)) {
                    return Ok(());
                }
                self.require(!args.iter().any(|it| self.is_wide(*it)))?;
                results.iter().try_for_each(|it| self.raise(func, *it, Form::Vector))
            }
            Node::Check { .. } => Ok(()),
            Node::Scope(block) => self.block(func, block),
            Node::Kernel(kernel) => self.kernel(kernel),
            Node::Chunks(_) | Node::Switch { .. } | Node::Make { .. } => Err(OneByOne),
        }
    }

    fn require(&self, holds: bool) -> Analysed {
        if holds { Ok(()) } else { Err(OneByOne) }
    }

    /// Whether it is an array that is more than a pointer.
    fn is_wide(&self, atom: Atom) -> bool {
        matches!(atom, Atom::Var(var) if self.wide.contains(&var) || self.parts.contains_key(&var))
    }

    fn join(&mut self, func: &Func, var: Var, atoms: &[Atom]) -> Analysed {
        self.require(!atoms.iter().any(|it| self.is_wide(*it)))?;
        let same = atoms.iter().all(|it| self.is_same(*it));
        self.raise(func, var, if same { Form::Same } else { Form::Vector })
    }

    fn states(&mut self, func: &Func, state: &[State]) -> Analysed {
        for it in state {
            self.join(func, it.var, &[it.init, it.next])?;
            let form = self.of(it.var);
            self.raise(func, it.last, form)?;
        }
        Ok(())
    }

    fn value(&mut self, func: &Func, var: Var, value: &Value) -> Analysed {
        let form = match value {
            Value::Atom(atom) => {
                self.require(!self.is_wide(*atom))?;
                self.of_atom(*atom)
            }
            Value::Prim(prim, operands) => self.prim(func, *prim, operands),
            Value::ScaleAdd(a, b, c) => {
                let same = [a, b, c].into_iter().all(|it| self.is_same(*it));
                if same { Form::Same } else { Form::Vector }
            }
            Value::Load { array, at } => {
                let (array, at) = self.whole(*array, at);
                if self.wide.contains(&array) || !self.is_same_place(&at) {
                    Form::Vector
                } else {
                    Form::Same
                }
            }
            Value::Part { array, at } => {
                if self.parts.contains_key(array) || !self.is_same_place(at) {
                    self.parts.insert(var, (*array, at.clone()));
                } else if self.wide.contains(array) {
                    self.wide.insert(var);
                }
                Form::Same
            }
        };
        self.raise(func, var, form)
    }

    fn prim(&self, func: &Func, prim: Prim, operands: &[Atom]) -> Form {
        if operands.iter().all(|it| self.is_same(*it)) {
            return Form::Same;
        }
        let [x, y] = operands else { return Form::Vector };
        if func.atom_type(*x) != Type::Scalar(Scalar::Int) {
            return Form::Vector;
        }
        let (f, g) = (self.of_atom(*x), self.of_atom(*y));
        match (prim, f, g) {
            (Prim::Add | Prim::Sub, Form::Steps(_) | Form::Strides(_), Form::Same) => f,
            (Prim::Add, Form::Same, Form::Steps(_) | Form::Strides(_)) => g,
            (Prim::Add, Form::Steps(x), Form::Steps(y)) => Form::Steps(x.wrapping_add(y)),
            (Prim::Sub, Form::Same, Form::Steps(x)) => Form::Steps(x.wrapping_neg()),
            (Prim::Mul, Form::Steps(step), Form::Same) => scaled(step, *y),
            (Prim::Mul, Form::Same, Form::Steps(step)) => scaled(step, *x),
            _ => Form::Vector,
        }
    }

    fn kernel(&self, kernel: &Kernel) -> Analysed {
        match kernel {
            Kernel::Fill { array, at, len, value } => {
                let same = self.is_same(*value) || self.wide.contains(array);
                let plain = !self.parts.contains_key(array);
                self.require(same && plain && self.is_same(*len) && self.is_same_place(at))
            }
            Kernel::Copy { from, from_at, into, into_at, len } => {
                let (whole, place) = self.whole(*from, from_at);
                let same = !self.wide.contains(&whole) && self.is_same_place(&place);
                self.require(self.is_same(*len) && self.is_same_place(into_at))?;
                self.require(self.wide.contains(into) || (same && !self.is_wide(Atom::Var(*into))))
            }
            Kernel::Product { m, n, k, a, b, c, .. } => {
                for Matrix { array, at, rows, columns } in [a, b, c] {
                    let plain = !self.is_wide(Atom::Var(*array)) && self.is_same_place(at);
                    self.require(plain && self.is_same(*rows) && self.is_same(*columns))?;
                }
                self.require([m, n, k].into_iter().all(|it| self.is_same(*it)))
            }
            // Once for each step.
            Kernel::Tell { .. } => self.require(false),
            Kernel::Sort { from, into, len } | Kernel::Argsort { from, into, len } => {
                let plain = ![from, into].into_iter().any(|it| self.is_wide(Atom::Var(*it)));
                self.require(plain && self.is_same(*len))
            }
        }
    }
}

fn scaled(step: i64, by: Atom) -> Form {
    match by {
        Atom::Int(x) => Form::Steps(step.wrapping_mul(x)),
        Atom::Var(var) if step == 1 => Form::Strides(var),
        Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) => Form::Vector,
    }
}
