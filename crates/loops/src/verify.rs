//! What every module satisfies: variables are defined once, before they are used and where they are
//! used; operands have their types; vector loops hand nothing on; loops that are unrolled have a
//! literal count; numbers of functions and sites exist.
//!
//! What a scope defines may be used behind it, but for arrays that were allocated in it.

mod lanes;
mod prims;

pub(crate) use prims::prim_type;

use crate::{
    Acc, Atom, Block, Chunks, Func, How, Kernel, Kind, Loop, Matrix, Module, Node, Place, Scalar,
    State, Type, Value, Var,
};

const INT: Type = Type::Scalar(Scalar::Int);
const REAL: Type = Type::Scalar(Scalar::Real);
const BOOL: Type = Type::Scalar(Scalar::Bool);
const BOX: Type = Type::Scalar(Scalar::Box);

/// Whether a module is as it must be; else the first thing that is not.
pub fn verify(module: &Module) -> Result<(), String> {
    for (index, func) in module.funcs.iter().enumerate() {
        let state = vec![Known::Not; func.vars.len()];
        let mut verifier = Verifier { module, func, state };
        verifier.function().map_err(|it| format!("function {index}, {}: {it}", func.name))?;
    }
    match module.entries.iter().find(|it| **it >= module.funcs.len()) {
        Some(index) => Err(format!("entry {index} is no function")),
        None => Ok(()),
    }
}

type Verified = Result<(), String>;

#[derive(Clone, Copy, PartialEq)]
enum Known {
    /// Not defined so far.
    Not,
    /// May be used.
    Here,
    /// Was defined in a block that has ended.
    Gone,
}

struct Verifier<'a> {
    module: &'a Module,
    func: &'a Func,
    state: Vec<Known>,
}

impl Verifier<'_> {
    fn function(&mut self) -> Verified {
        for param in &self.func.params {
            self.define(*param)?;
        }
        self.block(&self.func.body)?;
        lanes::handed_on(self.func)?;
        self.func.results.iter().try_for_each(|it| self.ty(*it).map(|_| ()))
    }

    fn define(&mut self, var: Var) -> Verified {
        match self.state.get_mut(var.0 as usize) {
            None => Err(format!("{var} has no type")),
            Some(state) if *state != Known::Not => Err(format!("{var} is defined twice")),
            Some(state) => {
                *state = Known::Here;
                Ok(())
            }
        }
    }

    /// Defines a variable of this type.
    fn define_as(&mut self, var: Var, ty: Type) -> Verified {
        self.define(var)?;
        self.same(&format!("{var}"), self.func.ty(var), ty)
    }

    fn same(&self, what: &str, found: Type, expected: Type) -> Verified {
        if found == expected { Ok(()) } else { Err(format!("{what} is {found}, not {expected}")) }
    }

    fn ty(&self, atom: Atom) -> Result<Type, String> {
        match atom {
            Atom::Var(var) => match self.state.get(var.0 as usize) {
                Some(Known::Here) => Ok(self.func.ty(var)),
                Some(Known::Gone) => Err(format!("{var} is used outside of its block")),
                Some(Known::Not) | None => Err(format!("{var} is used before it is defined")),
            },
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) => Ok(self.func.atom_type(atom)),
        }
    }

    fn has(&self, atom: Atom, ty: Type) -> Verified {
        let found = self.ty(atom)?;
        self.same(&format!("{atom}"), found, ty)
    }

    fn array(&self, array: Var) -> Result<Scalar, String> {
        match self.ty(Atom::Var(array))? {
            Type::Array(it) => Ok(it),
            Type::Scalar(_) => Err(format!("{array} is no array")),
        }
    }

    fn place(&self, at: &Place) -> Verified {
        for term in at {
            self.has(term.index, INT)?;
            self.has(term.stride, INT)?;
        }
        Ok(())
    }

    fn block(&mut self, block: &Block) -> Verified {
        block.iter().try_for_each(|it| self.node(it))
    }

    /// What `f` defines cannot be used behind it.
    fn inside<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
        let before = self.state.clone();
        let res = f(self)?;
        for (state, before) in self.state.iter_mut().zip(before) {
            if before == Known::Not && *state == Known::Here {
                *state = Known::Gone;
            }
        }
        Ok(res)
    }

    fn node(&mut self, node: &Node) -> Verified {
        match node {
            Node::Let { var, value } => {
                let ty = self.value(value)?;
                self.define_as(*var, ty)
            }
            Node::Both { of, results, .. } => {
                self.has(*of, REAL)?;
                results.iter().try_for_each(|it| self.define_as(*it, REAL))
            }
            Node::Alloc { array, len, lanes } => {
                self.has(*len, INT)?;
                self.define(*array)?;
                self.array(*array)?;
                self.combines(lanes.unwrap_or(How::Add))
            }
            Node::Store { array, at, value, .. } => {
                let scalar = self.array(*array)?;
                self.place(at)?;
                self.has(*value, Type::Scalar(scalar))
            }
            Node::Loop(it) => self.counted(it),
            Node::Chunks(it) => self.chunks(it),
            Node::While(it) => {
                self.begin(&it.state)?;
                self.inside(|v| {
                    v.enter(&it.state)?;
                    v.block(&it.before)?;
                    v.has(it.cond, BOOL)?;
                    v.block(&it.body)?;
                    v.leave(&it.state)
                })?;
                self.last(&it.state)
            }
            Node::If { cond, then, otherwise, results } => {
                self.has(*cond, BOOL)?;
                let first: Vec<Atom> = results.iter().map(|it| it.then).collect();
                let second: Vec<Atom> = results.iter().map(|it| it.otherwise).collect();
                let vars: Vec<Var> = results.iter().map(|it| it.var).collect();
                self.gives(then, &vars, &first)?;
                self.gives(otherwise, &vars, &second)?;
                vars.into_iter().try_for_each(|it| self.define(it))
            }
            Node::Switch { value, arms, otherwise, results } => {
                self.has(*value, BOX)?;
                let vars: Vec<Var> = results.iter().map(|it| it.var).collect();
                for (k, arm) in arms.iter().enumerate() {
                    let atoms: Option<Vec<Atom>> =
                        results.iter().map(|it| it.arms.get(k).copied()).collect();
                    let atoms = atoms.ok_or("a choice has too few arms")?;
                    self.inside(|v| {
                        arm.fields.iter().try_for_each(|it| v.define(*it))?;
                        v.gives(&arm.body, &vars, &atoms)
                    })?;
                }
                let atoms: Vec<Atom> = results.iter().map(|it| it.otherwise).collect();
                // Where all tags have arms, nobody looks at what would be given otherwise.
                if !otherwise.is_empty() {
                    self.gives(otherwise, &vars, &atoms)?;
                }
                vars.into_iter().try_for_each(|it| self.define(it))
            }
            Node::Make { var, fields, .. } => {
                fields.iter().try_for_each(|it| self.ty(*it).map(|_| ()))?;
                self.define_as(*var, BOX)
            }
            Node::Call { func, args, results } => self.call(*func, args, results),
            Node::Check { holds, site, values } => {
                self.has(*holds, BOOL)?;
                if *site as usize >= self.module.sites.len() {
                    return Err(format!("site {site} does not exist"));
                }
                values.iter().try_for_each(|it| self.has(*it, INT))
            }
            Node::Scope(block) => {
                self.block(block)?;
                crate::walk(block, &mut |node| {
                    if let Node::Alloc { array, .. } = node {
                        self.state[array.0 as usize] = Known::Gone;
                    }
                });
                Ok(())
            }
            Node::Kernel(kernel) => self.kernel(kernel),
        }
    }

    /// A block of a branch and what it gives to these variables.
    fn gives(&mut self, block: &Block, vars: &[Var], atoms: &[Atom]) -> Verified {
        self.inside(|v| {
            v.block(block)?;
            for (var, atom) in vars.iter().zip(atoms) {
                let ty = v.func.vars.get(var.0 as usize).ok_or("no type")?;
                v.has(*atom, *ty)?;
            }
            Ok(())
        })
    }

    fn combines(&self, how: How) -> Verified {
        if how == How::Set { Err("`Set` accumulates nothing".to_string()) } else { Ok(()) }
    }

    fn begin(&self, state: &[State]) -> Verified {
        state.iter().try_for_each(|it| {
            let ty = self.func.vars.get(it.var.0 as usize).ok_or("no type")?;
            self.has(it.init, *ty)
        })
    }

    fn enter(&mut self, state: &[State]) -> Verified {
        state.iter().try_for_each(|it| self.define(it.var))
    }

    fn leave(&self, state: &[State]) -> Verified {
        state.iter().try_for_each(|it| self.has(it.next, self.func.ty(it.var)))
    }

    fn last(&mut self, state: &[State]) -> Verified {
        state.iter().try_for_each(|it| self.define_as(it.last, self.func.ty(it.var)))
    }

    fn counted(&mut self, it: &Loop) -> Verified {
        self.has(it.count, INT)?;
        match (it.kind, it.count) {
            (Kind::Vector, _) if !it.state.is_empty() => {
                return Err("a vector loop has state".to_string());
            }
            (Kind::Unroll, Atom::Var(_)) => {
                return Err("a loop to be unrolled has no literal count".to_string());
            }
            (Kind::Seq | Kind::Vector | Kind::Unroll, _) => {}
        }
        if it.accs.iter().any(|acc| acc.once && it.product(acc).is_none()) {
            return Err("what is rounded once is no product of its own".to_string());
        }
        self.begin(&it.state)?;
        it.accs.iter().try_for_each(|acc| self.acc(acc, acc.init))?;
        self.inside(|v| {
            v.define_as(it.var, INT)?;
            v.enter(&it.state)?;
            v.block(&it.body)?;
            it.accs.iter().try_for_each(|acc| v.acc(acc, acc.value))?;
            v.leave(&it.state)
        })?;
        self.last(&it.state)?;
        it.accs.iter().try_for_each(|it| self.define(it.var))
    }

    fn acc(&self, acc: &Acc, atom: Atom) -> Verified {
        self.combines(acc.how)?;
        let ty = self.func.vars.get(acc.var.0 as usize).ok_or("no type")?;
        self.has(atom, *ty)
    }

    fn chunks(&mut self, it: &Chunks) -> Verified {
        [it.total, it.bytes, it.work].into_iter().try_for_each(|it| self.has(it, INT))?;
        for acc in &it.accs {
            self.combines(acc.how)?;
            self.has(acc.len, INT)?;
            self.array(acc.into)?;
        }
        self.inside(|v| {
            v.define_as(it.start, INT)?;
            v.define_as(it.len, INT)?;
            for acc in &it.accs {
                let scalar = v.array(acc.into)?;
                v.define_as(acc.array, Type::Array(scalar))?;
            }
            v.block(&it.body)
        })
    }

    fn call(&mut self, index: usize, args: &[Atom], results: &[Var]) -> Verified {
        let callee = self.module.funcs.get(index).ok_or(format!("no function {index}"))?;
        if args.len() != callee.params.len() || results.len() != callee.results.len() {
            return Err(format!("wrong number of arguments or results of {}", callee.name));
        }
        for (arg, param) in args.iter().zip(&callee.params) {
            self.has(*arg, callee.ty(*param))?;
        }
        for (var, result) in results.iter().zip(&callee.results) {
            self.define_as(*var, callee.atom_type(*result))?;
        }
        Ok(())
    }

    fn value(&self, value: &Value) -> Result<Type, String> {
        match value {
            Value::Atom(atom) => self.ty(*atom),
            Value::Prim(prim, operands) => {
                let types: Result<Vec<Type>, String> =
                    operands.iter().map(|it| self.ty(*it)).collect();
                let types = types?;
                prim_type(*prim, &types).ok_or_else(|| format!("{} of wrong operands", prim.name()))
            }
            Value::ScaleAdd(a, b, c) => {
                [a, b, c].into_iter().try_for_each(|it| self.has(*it, REAL))?;
                Ok(REAL)
            }
            Value::Load { array, at } => {
                self.place(at)?;
                self.array(*array).map(Type::Scalar)
            }
            Value::Part { array, at } => {
                self.place(at)?;
                self.array(*array).map(Type::Array)
            }
        }
    }

    fn kernel(&self, kernel: &Kernel) -> Verified {
        match kernel {
            Kernel::Fill { array, at, len, value } => {
                self.place(at)?;
                self.has(*len, INT)?;
                self.has(*value, Type::Scalar(self.array(*array)?))
            }
            Kernel::Copy { from, from_at, into, into_at, len } => {
                self.place(from_at)?;
                self.place(into_at)?;
                self.has(*len, INT)?;
                self.has(Atom::Var(*into), Type::Array(self.array(*from)?))
            }
            Kernel::Product { m, n, k, a, b, c, .. } => {
                [m, n, k].into_iter().try_for_each(|it| self.has(*it, INT))?;
                for Matrix { array, at, rows, columns } in [a, b, c] {
                    self.has(Atom::Var(*array), Type::Array(Scalar::Real))?;
                    self.place(at)?;
                    self.has(*rows, INT)?;
                    self.has(*columns, INT)?;
                }
                Ok(())
            }
            Kernel::Sort { from, into, len } => {
                self.has(*len, INT)?;
                self.has(Atom::Var(*into), Type::Array(self.array(*from)?))
            }
            Kernel::Tell { saying: _, every, text, value, sizes } => {
                self.has(*every, INT)?;
                self.has(*text, INT)?;
                sizes.iter().try_for_each(|it| self.has(*it, INT))?;
                match (self.ty(*value)?, sizes.is_empty()) {
                    (Type::Scalar(Scalar::Box) | Type::Array(Scalar::Box), _) => {
                        Err("boxes are told".to_string())
                    }
                    (Type::Scalar(_), true) | (Type::Array(_), false) => Ok(()),
                    (Type::Scalar(_), false) => Err("a scalar is told with sizes".to_string()),
                    (Type::Array(_), true) => Err("an array is told without sizes".to_string()),
                }
            }
            Kernel::Argsort { from, into, len } => {
                self.has(*len, INT)?;
                self.array(*from)?;
                self.has(Atom::Var(*into), Type::Array(Scalar::Int))
            }
        }
    }
}
