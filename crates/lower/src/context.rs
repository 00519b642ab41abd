//! What is at hand while a definition is lowered, from what everybody needs to what one stage does.
//!
//! - [`Nodes`]: the function that is written (`write.rs`). It knows no types, no sizes and no arrays.
//! - [`Known`]: what is known of values on top of that: what variables of the ir have become (`names.rs`), sizes
//!   that are computed or checked (`sizes.rs`, `checks.rs`), where elements are (`access.rs`), and who owns memory.
//! - [`Reading`](crate::items::Reading): statements become items, and nothing is written (`items/`).
//! - [`Nests`](crate::nests::Nests): a schedule is written as nodes (`nests/`). It knows no statements.
//! - [`Lower`]: control flow, which lowers blocks inside of statements (`block.rs`, `flow/`).
//!
//! Each of the last three has what is known, and is that by `Deref`; they do not see one another, but that
//! control flow begins a block by reading it and ends it by writing nests.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use base::{Name, Span};
use ir::{Def, Program, Size};
use loops::{Atom, Block, Func, Module, Scalar, Var};

use crate::flow::Tolerance;
use crate::handed::Handed;
use crate::schedule::Processor;
use crate::stretch::Stretch;
use crate::typical::Typical;
use crate::uses::Uses;
use crate::view::View;
use crate::whereabouts::Whereabouts;

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
    /// What nests are written for.
    pub(crate) processor: &'static Processor,
    /// The position of each definition.
    pub(crate) positions: BTreeMap<Name, usize>,
    /// What variables of definitions that are sizes typically are.
    pub(crate) typical: BTreeMap<Name, BTreeMap<ir::Var, i64>>,
    /// The functions that compare whole values, by type.
    pub(crate) equalities: BTreeMap<(ir::Type, Tolerance), usize>,
    /// Functions that no definition asks for; they come after those of definitions.
    pub(crate) extra: Vec<Func>,
    /// The stretches of blocks with where they are, if somebody wants to see them.
    pub(crate) noted: Option<Vec<(String, Stretch<'a>)>>,
    /// What definitions change in place.
    pub(crate) handed: Handed,
}

/// The function that is written, and the module that it is a part of.
pub(crate) struct Nodes<'a, 'w> {
    pub(crate) module: &'w mut Module,
    /// The definition that it is of.
    pub(crate) def: &'a Def,
    pub(crate) func: Func,
    /// What is being written, the innermost block last.
    pub(crate) blocks: Vec<Block>,
    /// The place in the source of what is being written.
    pub(crate) span: Option<Span>,
}

/// What is known of values, where nodes are being written.
pub(crate) struct Known<'a, 'w> {
    pub(crate) nodes: Nodes<'a, 'w>,
    /// What variables of the ir have become that are there.
    pub(crate) values: BTreeMap<ir::Var, Operand>,
    pub(crate) types: BTreeMap<ir::Var, ir::Type>,
    pub(crate) sizes: Sizes,
    /// Arrays that may be overwritten once nobody reads them any more.
    pub(crate) owned: BTreeSet<Var>,
    /// Arrays that were changed in place.
    pub(crate) changed: BTreeSet<Var>,
    /// Arrays that had a second name at some time, and are not owned for good.
    pub(crate) escaped: BTreeSet<Var>,
    /// When variables are read.
    pub(crate) uses: Uses,
}

/// What is known of sizes.
#[derive(Default)]
pub(crate) struct Sizes {
    /// Those that have been computed, and how deep in blocks.
    pub(crate) computed: BTreeMap<Size, (Atom, usize)>,
    /// Those that are known not to be negative.
    pub(crate) natural: BTreeSet<Size>,
    /// Those, and numbers of elements, that are known not to be too large.
    pub(crate) bounded: BTreeSet<Size>,
    /// Size parameters that an array among the parameters has.
    pub(crate) anchored: BTreeSet<ir::Var>,
}

/// The work on one definition: its statements, and the blocks inside of them.
pub(crate) struct Lower<'a, 'w> {
    pub(crate) whole: &'w mut Whole<'a>,
    pub(crate) known: Known<'a, 'w>,
    /// What variables that are sizes typically are.
    pub(crate) typical: Typical,
    /// How many loops of control flow are around.
    pub(crate) n_loops: usize,
    /// Where in the definition this is.
    pub(crate) place: Whereabouts,
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

pub(crate) fn refused(ty: &ir::Type) -> ! {
    panic!("compiler bug: {ty:?} is no type of first order")
}

impl<'a, 'w> Nodes<'a, 'w> {
    /// Nothing of a function is written yet.
    fn new(module: &'w mut Module, def: &'a Def, name: Name) -> Nodes<'a, 'w> {
        Nodes { module, def, func: Func::new(name), blocks: vec![Block::new()], span: None }
    }

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

impl<'a, 'w> Lower<'a, 'w> {
    /// The work on a definition, or on a function of this name that it needs; when variables are read.
    pub(crate) fn new(
        (whole, module): (&'w mut Whole<'a>, &'w mut Module),
        (def, name): (&'a Def, Name),
        uses: Uses,
    ) -> Lower<'a, 'w> {
        let place = Whereabouts::of(&name);
        let nodes = Nodes::new(module, def, name);
        let (values, types, sizes, owned, changed, escaped) = Default::default();
        let known = Known { nodes, values, types, sizes, owned, changed, escaped, uses };
        Lower { whole, known, typical: Typical::default(), n_loops: 0, place }
    }
}

impl<'a, 'w> Deref for Known<'a, 'w> {
    type Target = Nodes<'a, 'w>;
    fn deref(&self) -> &Nodes<'a, 'w> {
        &self.nodes
    }
}

impl DerefMut for Known<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.nodes
    }
}

impl<'a, 'w> Deref for Lower<'a, 'w> {
    type Target = Known<'a, 'w>;
    fn deref(&self) -> &Known<'a, 'w> {
        &self.known
    }
}

impl DerefMut for Lower<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.known
    }
}
