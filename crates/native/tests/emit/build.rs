//! Functions of loops by hand, short.

use ir::Prim;
use loops::{Atom, Fault, Func, How, Module, Node, Place, Scalar, Site, Term, Type, Value, Var};

pub(crate) const REAL: Type = Type::Scalar(Scalar::Real);
pub(crate) const INT: Type = Type::Scalar(Scalar::Int);
pub(crate) const BOOL: Type = Type::Scalar(Scalar::Bool);
pub(crate) const BOX: Type = Type::Scalar(Scalar::Box);
pub(crate) const REALS: Type = Type::Array(Scalar::Real);
pub(crate) const INTS: Type = Type::Array(Scalar::Int);
pub(crate) const BOOLS: Type = Type::Array(Scalar::Bool);

/// A function and the block that is written at present.
pub(crate) struct Build {
    pub(crate) func: Func,
    blocks: Vec<Vec<Node>>,
}

impl Build {
    pub(crate) fn new(name: &str) -> Build {
        Build { func: Func::new(name.into()), blocks: vec![Vec::new()] }
    }

    pub(crate) fn param(&mut self, ty: Type) -> Var {
        let var = self.func.fresh(ty);
        self.func.params.push(var);
        var
    }

    pub(crate) fn fresh(&mut self, ty: Type) -> Var {
        self.func.fresh(ty)
    }

    pub(crate) fn push(&mut self, node: Node) {
        self.blocks.last_mut().unwrap().push(node);
    }

    pub(crate) fn bind(&mut self, ty: Type, value: Value) -> Atom {
        let var = self.fresh(ty);
        self.push(Node::Let { var, value });
        Atom::Var(var)
    }

    pub(crate) fn prim(&mut self, ty: Type, prim: Prim, operands: &[Atom]) -> Atom {
        self.bind(ty, Value::Prim(prim, operands.to_vec()))
    }

    pub(crate) fn real(&mut self, prim: Prim, operands: &[Atom]) -> Atom {
        self.prim(REAL, prim, operands)
    }

    pub(crate) fn load(&mut self, array: Var, at: Place) -> Atom {
        let Type::Array(scalar) = self.func.ty(array) else { panic!("no array") };
        self.bind(Type::Scalar(scalar), Value::Load { array, at })
    }

    pub(crate) fn store(&mut self, array: Var, at: Place, value: Atom, how: How) {
        self.push(Node::Store { array, at, value, how });
    }

    pub(crate) fn alloc(&mut self, ty: Type, len: Atom) -> Var {
        let array = self.fresh(ty);
        self.push(Node::Alloc { array, len, lanes: None });
        array
    }

    /// What `f` writes, as a block of its own.
    pub(crate) fn block(&mut self, f: impl FnOnce(&mut Build)) -> Vec<Node> {
        self.blocks.push(Vec::new());
        f(self);
        self.blocks.pop().unwrap()
    }

    pub(crate) fn finish(mut self, results: Vec<Atom>) -> Func {
        self.func.body = self.blocks.pop().unwrap();
        self.func.results = results;
        loops::sums(&mut self.func);
        self.func
    }
}

pub(crate) fn v(var: Var) -> Atom {
    Atom::Var(var)
}

pub(crate) fn int(x: i64) -> Atom {
    Atom::Int(x)
}

/// `index * stride`
pub(crate) fn times(index: Atom, stride: Atom) -> Term {
    Term { index, stride }
}

/// The element with this number.
pub(crate) fn at(index: impl Into<Index>) -> Place {
    vec![times(index.into().0, int(1))]
}

/// Something that counts elements.
pub(crate) struct Index(Atom);

impl From<Var> for Index {
    fn from(var: Var) -> Index {
        Index(v(var))
    }
}

impl From<Atom> for Index {
    fn from(atom: Atom) -> Index {
        Index(atom)
    }
}

impl From<i64> for Index {
    fn from(x: i64) -> Index {
        Index(int(x))
    }
}

pub(crate) fn module(funcs: Vec<Func>) -> Module {
    let last = funcs.len() - 1;
    let site = Site { fault: Fault::DivisionByZero, span: None, def: "test".into() };
    Module { funcs, entries: vec![last], sites: vec![site; 8], ..Module::default() }
}

impl Build {
    /// A loop without state.
    pub(crate) fn repeat(
        &mut self,
        kind: loops::Kind,
        count: Atom,
        f: impl FnOnce(&mut Build, Var) -> Vec<(How, Atom, Atom)>,
    ) -> Vec<Atom> {
        let var = self.fresh(INT);
        let mut values = Vec::new();
        let body = self.block(|b| values = f(b, var));
        let accs: Vec<loops::Acc> = values
            .into_iter()
            .map(|(how, init, value)| {
                let ty = self.func.atom_type(init);
                loops::Acc { var: self.fresh(ty), how, init, value, once: false }
            })
            .collect();
        let results = accs.iter().map(|it| v(it.var)).collect();
        let state = vec![];
        self.push(Node::Loop(Box::new(loops::Loop { var, count, kind, state, accs, body })));
        results
    }

    /// A vector loop that stores only.
    pub(crate) fn lanes(&mut self, count: Atom, f: impl FnOnce(&mut Build, Var)) {
        self.repeat(loops::Kind::Vector, count, |b, i| {
            f(b, i);
            vec![]
        });
    }
}
