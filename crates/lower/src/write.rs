//! Short ways to write nodes: scalars, sizes, checks, room in memory; blocks that are written apart.

use std::collections::BTreeSet;

use ir::{Prim, Size};
use loops::{Atom, Block, Fault, How, Kernel, Node, Place, Scalar, Site, Type, Value, Var};

use crate::context::{Known, Lower, Nodes, scalar_of};

impl Nodes<'_, '_> {
    /// Adds a node to what is being written.
    pub(crate) fn emit(&mut self, node: Node) {
        self.blocks.last_mut().expect("a block is being written").push(node);
    }

    pub(crate) fn fresh(&mut self, scalar: Scalar) -> Var {
        self.func.fresh(Type::Scalar(scalar))
    }

    pub(crate) fn fresh_array(&mut self, scalar: Scalar) -> Var {
        self.func.fresh(Type::Array(scalar))
    }

    /// A new variable that is bound to the value.
    pub(crate) fn bind(&mut self, scalar: Scalar, value: Value) -> Atom {
        let var = self.fresh(scalar);
        self.emit(Node::Let { var, value });
        Atom::Var(var)
    }

    /// A primitive of scalars that cannot fail.
    pub(crate) fn prim(&mut self, scalar: Scalar, prim: Prim, args: &[Atom]) -> Atom {
        // With a factor that is neither zero nor infinite, the product is what it always is.
        let plain = |it: &Atom| matches!(it, Atom::Real(it) if *it != 0.0 && it.is_finite());
        let scale = prim == Prim::Scale && args.iter().any(plain);
        let prim = if scale { Prim::Mul } else { prim };
        self.bind(scalar, Value::Prim(prim, args.to_vec()))
    }

    /// The sum of Ints.
    pub(crate) fn add(&mut self, x: Atom, y: Atom) -> Atom {
        match (x, y) {
            (Atom::Int(x), Atom::Int(y)) => Atom::Int(x.wrapping_add(y)),
            (Atom::Int(0), it) | (it, Atom::Int(0)) => it,
            _ => self.prim(Scalar::Int, Prim::Add, &[x, y]),
        }
    }

    /// The difference of Ints.
    pub(crate) fn sub(&mut self, x: Atom, y: Atom) -> Atom {
        match (x, y) {
            (Atom::Int(x), Atom::Int(y)) => Atom::Int(x.wrapping_sub(y)),
            (it, Atom::Int(0)) => it,
            _ => self.prim(Scalar::Int, Prim::Sub, &[x, y]),
        }
    }

    /// The product of Ints.
    pub(crate) fn mul(&mut self, x: Atom, y: Atom) -> Atom {
        match (x, y) {
            (Atom::Int(x), Atom::Int(y)) => Atom::Int(x.wrapping_mul(y)),
            (Atom::Int(1), it) | (it, Atom::Int(1)) => it,
            (Atom::Int(0), _) | (_, Atom::Int(0)) => Atom::Int(0),
            _ => self.prim(Scalar::Int, Prim::Mul, &[x, y]),
        }
    }

    /// The product of the counts, to make room for; more than there can be if it wraps around.
    pub(crate) fn unwrapped(&mut self, len: Atom, counts: &[Atom]) -> Atom {
        if counts.iter().filter(|it| matches!(it, Atom::Var(_))).count() < 2 {
            return len;
        }
        let mut product = Atom::Real(1.0);
        for count in counts {
            let count = self.prim(Scalar::Real, Prim::ToReal, &[*count]);
            product = self.prim(Scalar::Real, Prim::Mul, &[product, count]);
        }
        let fits = self.prim(Scalar::Bool, Prim::Lt, &[product, Atom::Real(1e15)]);
        self.prim(Scalar::Int, Prim::Select, &[fits, len, Atom::Int(i64::MAX)])
    }

    /// Copies a whole array.
    pub(crate) fn copy(&mut self, from: Var, into: Var, len: Atom) {
        let (from_at, into_at) = (Place::new(), Place::new());
        self.emit(Node::Kernel(Kernel::Copy { from, from_at, into, into_at, len }));
    }

    /// Ends the run unless it holds.
    pub(crate) fn check(&mut self, holds: Atom, fault: Fault, values: Vec<Atom>) {
        if holds == Atom::Bool(true) {
            return;
        }
        let site = Site { fault, span: self.span, def: self.def.name.clone() };
        let sites = &mut self.module.sites;
        sites.push(site);
        let site = sites.len() as u32 - 1;
        self.emit(Node::Check { holds, site, values });
    }

    /// Stores an element.
    pub(crate) fn store(&mut self, array: Var, at: Place, value: Atom, how: How) {
        self.emit(Node::Store { array, at, value, how });
    }
}

impl Known<'_, '_> {
    /// What is written meanwhile, as a block of its own.
    pub(crate) fn within<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> (Block, T) {
        let outer = self.begin_block();
        let res = write(self);
        (self.end_block(outer), res)
    }

    /// A block of its own begins.
    pub(crate) fn begin_block(&mut self) -> Outer {
        self.blocks.push(Block::new());
        // What was checked inside need not have been checked when something else is reached.
        Outer { natural: self.sizes.natural.clone(), bounded: self.sizes.bounded.clone() }
    }

    /// It ends.
    pub(crate) fn end_block(&mut self, outer: Outer) -> Block {
        (self.sizes.natural, self.sizes.bounded) = (outer.natural, outer.bounded);
        let block = self.blocks.pop().expect("it was pushed");
        let depth = self.blocks.len();
        self.sizes.computed.retain(|_, it| it.1 <= depth);
        block
    }

    /// The value of a size.
    pub(crate) fn size(&mut self, size: &Size) -> Atom {
        if let Some((atom, _)) = self.sizes.computed.get(size) {
            return *atom;
        }
        let atom = self.compute_size(size);
        let depth = self.blocks.len();
        self.sizes.computed.insert(size.clone(), (atom, depth));
        atom
    }

    fn compute_size(&mut self, size: &Size) -> Atom {
        let terms: Vec<(Vec<ir::Var>, i64)> =
            size.terms().map(|(vars, factor)| (vars.to_vec(), factor)).collect();
        let mut sum = Atom::Int(0);
        for (vars, factor) in terms {
            let mut product = Atom::Int(factor);
            for var in vars {
                let value = self.scalar(&ir::Atom::Var(var));
                product = self.mul(product, value);
            }
            sum = self.add(sum, product);
        }
        sum
    }

    /// The number of elements.
    pub(crate) fn count(&mut self, sizes: &[Size]) -> Atom {
        self.size(&sizes.iter().fold(Size::constant(1), |product, it| product.mul(it)))
    }

    /// Room for an array of a type, which this function may overwrite.
    pub(crate) fn room(&mut self, ty: &ir::Type) -> Var {
        let (sizes, inner) = ty.split_arrays();
        let len = self.count(&sizes);
        let counts: Vec<Atom> = sizes.iter().map(|it| self.size(it)).collect();
        let len = self.unwrapped(len, &counts);
        let array = self.fresh_array(scalar_of(inner));
        self.emit(Node::Alloc { array, len, lanes: None });
        self.owned.insert(array);
        array
    }
}

impl Lower<'_, '_> {
    /// What is written meanwhile, as a block of its own.
    pub(crate) fn within<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> (Block, T) {
        let outer = self.begin_block();
        let res = write(self);
        (self.end_block(outer), res)
    }
}

/// What was known before a block that is written apart.
pub(crate) struct Outer {
    natural: BTreeSet<Size>,
    bounded: BTreeSet<Size>,
}
