//! What lowering a definition needs at every turn: the function being written, what the variables of
//! the ir have become, and short ways to write nodes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{Name, Span};
use ir::{Def, Prim, Program, Size};
use loops::{
    Atom, Block, Fault, Func, How, Kernel, Module, Node, Place, Scalar, Site, Type, Value, Var,
};

use crate::flow::Tolerance;
use crate::graph::Graph;
use crate::handed::Handed;
use crate::uses::Uses;
use crate::view::{Source, View};

/// What a variable of the ir has become.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    /// A scalar; `()` is any scalar.
    Scalar(Atom),
    /// An array that can be read.
    Array(View),
}

/// What all definitions share.
pub(crate) struct Whole<'a> {
    pub(crate) program: &'a Program,
    pub(crate) module: Module,
    /// The position of each definition.
    pub(crate) positions: BTreeMap<Name, usize>,
    /// What variables of definitions that are sizes typically are.
    pub(crate) typical: BTreeMap<Name, BTreeMap<ir::Var, i64>>,
    /// The functions that compare whole values, by type.
    pub(crate) equalities: BTreeMap<(ir::Type, Tolerance), usize>,
    /// Functions that no definition asks for; they come after those of definitions.
    pub(crate) extra: Vec<Func>,
    /// What definitions change in place.
    pub(crate) handed: Handed,
}

impl Whole<'_> {
    /// The number of a text.
    pub(crate) fn text(&mut self, text: &Arc<str>) -> i64 {
        let texts = &mut self.module.texts;
        let at = texts.iter().position(|it| it == text).unwrap_or_else(|| {
            texts.push(text.clone());
            texts.len() - 1
        });
        at as i64
    }
}

/// The work on one definition.
pub(crate) struct Lower<'a, 'w> {
    pub(crate) whole: &'w mut Whole<'a>,
    pub(crate) def: &'a Def,
    pub(crate) func: Func,
    /// What is being written, the innermost block last.
    pub(crate) blocks: Vec<Block>,
    pub(crate) values: BTreeMap<ir::Var, Operand>,
    pub(crate) types: BTreeMap<ir::Var, ir::Type>,
    /// Arrays that may be overwritten once nobody reads them any more.
    pub(crate) owned: BTreeSet<Var>,
    /// Arrays that were changed in place.
    pub(crate) changed: BTreeSet<Var>,
    /// Arrays that had a second name at some time, and are not owned for good.
    pub(crate) escaped: BTreeSet<Var>,
    /// The statement that is being lowered.
    pub(crate) span: Option<Span>,
    /// The block that is being lowered.
    pub(crate) graph: Graph<'a>,
    /// Sizes that have been computed, and how deep in blocks.
    pub(crate) known: BTreeMap<Size, (Atom, usize)>,
    /// Sizes that are known not to be negative.
    pub(crate) natural: BTreeSet<Size>,
    /// Sizes and numbers of elements that are known not to be too large.
    pub(crate) bounded: BTreeSet<Size>,
    /// Size parameters that an array among the parameters has.
    pub(crate) anchored: BTreeSet<ir::Var>,
    /// When variables are read.
    pub(crate) uses: Uses,
    /// What variables that are sizes typically are.
    pub(crate) typical: BTreeMap<ir::Var, i64>,
    /// Arrays that are transposed by a statement.
    pub(crate) transposed: BTreeSet<ir::Var>,
    /// How many loops of control flow are around.
    pub(crate) n_loops: usize,
    /// Memory that is meant for the results of the statement of control flow that comes next.
    pub(crate) asked: Vec<Option<Var>>,
}

/// The scalars that values of a type without arrays are.
pub(crate) fn scalar_of(ty: &ir::Type) -> Scalar {
    match ty {
        ir::Type::Real => Scalar::Real,
        ir::Type::Bool => Scalar::Bool,
        ir::Type::Data(..) => Scalar::Box,
        ir::Type::Int | ir::Type::String | ir::Type::Tuple(_) => Scalar::Int,
        ir::Type::Array(_, inner) => scalar_of(inner),
        // A direction that was compared with its value: only the direction is kept.
        ir::Type::Dual(inner) => scalar_of(inner),
        ir::Type::Function(..) | ir::Type::Var(_) => refused(ty),
        ir::Type::Delta | ir::Type::Tape(_) => refused(ty),
    }
}

fn refused(ty: &ir::Type) -> ! {
    panic!("compiler bug: {ty:?} is no type of first order")
}

impl<'a, 'w> Lower<'a, 'w> {
    /// Nothing of a function is written yet.
    pub(crate) fn new(whole: &'w mut Whole<'a>, def: &'a Def, name: Name) -> Lower<'a, 'w> {
        let (values, types, owned, changed, escaped) = Default::default();
        let (span, graph, known, natural, uses, typical, transposed, n_loops) = Default::default();
        let (asked, bounded, anchored) = Default::default();
        let (func, blocks) = (Func::new(name), vec![Block::new()]);
        Lower {
            whole,
            def,
            func,
            blocks,
            values,
            types,
            owned,
            changed,
            escaped,
            span,
            graph,
            known,
            natural,
            bounded,
            anchored,
            uses,
            n_loops,
            asked,
            typical,
            transposed,
        }
    }
}

impl Lower<'_, '_> {
    /// Adds a node to what is being written.
    pub(crate) fn emit(&mut self, node: Node) {
        self.blocks.last_mut().expect("a block is being written").push(node);
    }

    /// What is written meanwhile, as a block of its own.
    pub(crate) fn within<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> (Block, T) {
        self.blocks.push(Block::new());
        // What was checked inside need not have been checked when something else is reached.
        let checked = (self.natural.clone(), self.bounded.clone());
        let res = write(self);
        (self.natural, self.bounded) = checked;
        let block = self.blocks.pop().expect("it was pushed");
        let depth = self.blocks.len();
        self.known.retain(|_, it| it.1 <= depth);
        (block, res)
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

    /// The value of a size.
    pub(crate) fn size(&mut self, size: &Size) -> Atom {
        if let Some((atom, _)) = self.known.get(size) {
            return *atom;
        }
        let atom = self.compute_size(size);
        self.known.insert(size.clone(), (atom, self.blocks.len()));
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

    /// The type of an operand.
    pub(crate) fn type_of(&self, atom: &ir::Atom) -> ir::Type {
        match atom {
            ir::Atom::Var(var) => self.types[var].clone(),
            ir::Atom::Real(_) => ir::Type::Real,
            ir::Atom::Int(_) => ir::Type::Int,
            ir::Atom::Bool(_) => ir::Type::Bool,
            ir::Atom::Str(_) => ir::Type::String,
        }
    }

    /// What an operand has become.
    pub(crate) fn operand(&mut self, atom: &ir::Atom) -> Operand {
        match atom {
            ir::Atom::Var(var) => self.values[var].clone(),
            ir::Atom::Real(it) => Operand::Scalar(Atom::Real(it.0)),
            ir::Atom::Int(it) => Operand::Scalar(Atom::Int(*it)),
            ir::Atom::Bool(it) => Operand::Scalar(Atom::Bool(*it)),
            ir::Atom::Str(it) => Operand::Scalar(Atom::Int(self.whole.text(it))),
        }
    }

    /// A scalar operand.
    pub(crate) fn scalar(&mut self, atom: &ir::Atom) -> Atom {
        match self.operand(atom) {
            Operand::Scalar(atom) => atom,
            Operand::Array(_) => panic!("compiler bug: {atom:?} is an array"),
        }
    }

    /// An operand that is an array.
    pub(crate) fn view(&mut self, atom: &ir::Atom) -> View {
        match self.operand(atom) {
            Operand::Array(view) => view,
            Operand::Scalar(_) => panic!("compiler bug: {atom:?} is a scalar"),
        }
    }

    /// An operand that is an array, contiguous in memory.
    pub(crate) fn array(&mut self, atom: &ir::Atom) -> Var {
        let view = self.view(atom);
        self.contiguous(&view)
    }

    /// A variable of the ir has become this.
    pub(crate) fn define(&mut self, binder: &ir::Binder, operand: Operand) {
        self.types.insert(binder.var, binder.ty.clone());
        self.values.insert(binder.var, operand);
    }

    /// A variable of the ir is in contiguous memory, or is a scalar variable.
    pub(crate) fn define_var(&mut self, binder: &ir::Binder, var: Var) {
        let operand = match &binder.ty {
            ir::Type::Array(..) => Operand::Array(View::contiguous(var, &binder.ty)),
            ir::Type::Real | ir::Type::Int | ir::Type::Bool | ir::Type::String => {
                Operand::Scalar(Atom::Var(var))
            }
            ir::Type::Tuple(_) | ir::Type::Data(..) | ir::Type::Dual(_) => {
                Operand::Scalar(Atom::Var(var))
            }
            ir::Type::Function(..) | ir::Type::Var(_) => refused(&binder.ty),
            ir::Type::Delta | ir::Type::Tape(_) => refused(&binder.ty),
        };
        self.define(binder, operand);
    }

    /// A new variable for a binder: a scalar, or a pointer.
    pub(crate) fn declare(&mut self, binder: &ir::Binder) -> Var {
        let scalar = scalar_of(&binder.ty);
        let array = matches!(binder.ty, ir::Type::Array(..));
        let var = if array { self.fresh_array(scalar) } else { self.fresh(scalar) };
        self.define_var(binder, var);
        var
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

    /// What an operand is as one atom: a scalar, or the pointer to contiguous memory.
    pub(crate) fn atom(&mut self, atom: &ir::Atom) -> Atom {
        match self.operand(atom) {
            Operand::Scalar(atom) => atom,
            Operand::Array(view) => Atom::Var(self.contiguous(&view)),
        }
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
        let sites = &mut self.whole.module.sites;
        sites.push(site);
        let site = sites.len() as u32 - 1;
        self.emit(Node::Check { holds, site, values });
    }

    /// Stores an element.
    pub(crate) fn store(&mut self, array: Var, at: Place, value: Atom, how: How) {
        self.emit(Node::Store { array, at, value, how });
    }

    /// The memory of an array, if this function may overwrite it. The caller makes sure that
    /// nobody reads it afterwards.
    pub(crate) fn owned_memory(&self, view: &View) -> Option<Var> {
        match view.source {
            Source::Memory(array) if view.is_contiguous() && self.owned.contains(&array) => {
                Some(array)
            }
            Source::Memory(_) | Source::Iota | Source::Same(_) | Source::Item(..) => None,
        }
    }
}
