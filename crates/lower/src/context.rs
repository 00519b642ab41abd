//! The work on one definition: the function that is written, what the variables of the ir have become
//! (`names.rs`), and what is known of both. It writes what comes before nests, and nests (`write.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{Name, Span};
use ir::{Def, Program, Size};
use loops::{Atom, Block, Func, Module, Scalar, Var};

use crate::flow::Tolerance;
use crate::handed::Handed;
use crate::items::Items;
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
    pub(crate) module: Module,
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
    /// What variables of the ir have become that are there.
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
    /// What statements have become that are not written yet.
    pub(crate) items: Items<'a>,
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
    pub(crate) typical: Typical,
    /// Arrays that are transposed by a statement.
    pub(crate) transposed: BTreeSet<ir::Var>,
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

impl<'a, 'w> Lower<'a, 'w> {
    /// Nothing of a function is written yet.
    pub(crate) fn new(whole: &'w mut Whole<'a>, def: &'a Def, name: Name) -> Lower<'a, 'w> {
        let (values, types, owned, changed, escaped) = Default::default();
        let (span, items, known, natural, uses, typical, transposed, n_loops) = Default::default();
        let (bounded, anchored) = Default::default();
        let place = Whereabouts::of(&name);
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
            items,
            known,
            natural,
            bounded,
            anchored,
            uses,
            n_loops,
            place,
            typical,
            transposed,
        }
    }
}
