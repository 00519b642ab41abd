//! Loops over whole arrays, turned inside out: where every step of a loop computes each element of its state
//! from that element, each element goes through all steps on its own.
//!
//! `for k { for i { y[i] = x[i] * a[i] + c[k] }; x, y = y, x }` becomes
//! `for i { for k { x = x * a[i] + c[k] } }`. The state is in registers and not in memory, and so is what was
//! done to the array before and after the loop. What the steps keep for a loop back over them, an array for
//! every step, becomes as many numbers for each element, which the next element uses again.
//!
//! A *region* is a run of statements of a block, with such a loop in it. An array of the region that nobody
//! reads outside of it is a *cell*, if it has one element for each `i`, or *rows* of them. All that works on
//! cells and rows goes into one vector loop over `i` (`columns/element.rs`, `columns/steps.rs`); what is
//! independent of them is done before it, or after it if it needs sums over `i` (`columns/region.rs`).
//! Then a few elements go side by side, so that none waits for another (`columns/jam.rs`).
//!
//! Requires: a verified function. Ensures: the same, and the same results up to the order in which sums over
//! `i` are added up. Cost: a region has at most [`REACH`] statements on either side of its loop.
//! Not done: axes that are known to be short; a loop whose steps read or write another row of some array
//! outside, which they would walk through in long strides; steps that can fail; states that are scalars.
//! Tests: `tests/programs/bulk/columns.cot`, by `crates/cotan/tests/nests.rs` and `crates/cotan/tests/native.rs`.

mod element;
mod jam;
mod region;
mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use loops::{Acc, Atom, Block, Func, Kind, Loop, Node, Place, Scalar, Type, Value, Var, walk};

use crate::tuning::{REACH, SHORT_AXIS};

/// Turns the loops of a function inside out.
pub(crate) fn columns(func: &mut Func) {
    let known = Known::of(func);
    let mut body = std::mem::take(&mut func.body);
    let has_changed = in_block(func, &known, &mut body);
    func.body = body;
    if has_changed {
        func.compact();
    }
}

fn in_block(func: &mut Func, known: &Known, block: &mut Block) -> bool {
    let mut has_changed = false;
    let mut at = 0;
    while at < block.len() {
        if let Some((range, nodes)) = turned(func, known, block, at) {
            at = range.start + nodes.len();
            block.splice(range, nodes);
            has_changed = true;
            continue;
        }
        let node = &mut block[at];
        let is_parallel = matches!(node, Node::Chunks(_)) || is_vector(node);
        if !is_parallel {
            let inner = node.blocks_mut();
            let changed = inner.into_iter().map(|it| in_block(func, known, it));
            has_changed |= changed.fold(false, |x, y| x | y);
        }
        at += 1;
    }
    has_changed
}

/// What becomes of the statements around a loop, and which those are.
fn turned(
    func: &mut Func,
    known: &Known,
    block: &Block,
    at: usize,
) -> Option<(Range<usize>, Block)> {
    let count = counted_inside(&block[at])?;
    let (mut from, mut to) = (at.saturating_sub(REACH), block.len().min(at + REACH));
    let n_vars = func.vars.len();
    loop {
        match Columns::new(func, known, count, &block[from..to]).region(&block[from..to]) {
            Ok(nodes) => return Some((from..to, nodes)),
            Err(failed) => {
                func.vars.truncate(n_vars);
                let failed = from + failed;
                if failed == at {
                    return None;
                }
                (from, to) = if failed < at { (failed + 1, to) } else { (from, failed) };
            }
        }
    }
}

/// The size of the arrays that the steps of a loop go through, if they do.
fn counted_inside(node: &Node) -> Option<Atom> {
    let Node::Loop(it) = node else { return None };
    if it.kind != Kind::Seq {
        return None;
    }
    vector_inside(&it.body)
}

fn vector_inside(block: &Block) -> Option<Atom> {
    block.iter().find_map(|node| match node {
        Node::Loop(it) if it.kind == Kind::Vector => Some(it.count).filter(is_long),
        Node::Scope(block) => vector_inside(block),
        Node::Loop(it) if it.kind == Kind::Seq => vector_inside(&it.body),
        Node::Loop(_) | Node::Let { .. } | Node::Alloc { .. } | Node::Store { .. } => None,
        Node::Chunks(_) | Node::While(_) | Node::If { .. } | Node::Switch { .. } => None,
        Node::Make { .. }
        | Node::Both { .. }
        | Node::Call { .. }
        | Node::Check { .. }
        | Node::Kernel(_) => None,
    })
}

/// Whether an axis may be long: one that is known to be short is left alone.
fn is_long(count: &Atom) -> bool {
    match count {
        Atom::Var(_) => true,
        Atom::Int(count) => *count >= SHORT_AXIS,
        Atom::Real(_) | Atom::Bool(_) => false,
    }
}

fn is_vector(node: &Node) -> bool {
    matches!(node, Node::Loop(it) if it.kind == Kind::Vector)
}

/// What is known of the variables of a function.
struct Known {
    values: BTreeMap<Var, Value>,
    /// How many elements arrays have.
    lens: BTreeMap<Var, Atom>,
    /// How often variables are used.
    uses: BTreeMap<Var, usize>,
}

impl Known {
    fn of(func: &Func) -> Known {
        let (mut values, mut lens) = (BTreeMap::new(), BTreeMap::new());
        walk(&func.body, &mut |node| {
            if let Node::Let { var, value } = node {
                values.insert(*var, value.clone());
            } else if let Node::Alloc { array, len, .. } = node {
                lens.insert(*array, *len);
            }
        });
        let mut uses = uses(&func.body);
        func.results.iter().filter_map(var_of).for_each(|it| *uses.entry(it).or_default() += 1);
        Known { values, lens, uses }
    }

    /// The array that an array is, or is a part of.
    fn root(&self, array: Var) -> Var {
        let mut array = array;
        while let Some(Value::Part { array: outer, .. } | Value::Atom(Atom::Var(outer))) =
            self.values.get(&array)
        {
            array = *outer;
        }
        array
    }
}

fn uses(block: &[Node]) -> BTreeMap<Var, usize> {
    let mut res = BTreeMap::new();
    walk(block, &mut |node| node.uses(&mut |var| *res.entry(var).or_default() += 1));
    res
}

/// The arrays of which each step of a loop stores one element, its own.
fn by_step(block: &[Node]) -> BTreeSet<Var> {
    let mut res = BTreeSet::new();
    walk(block, &mut |node| {
        let Node::Loop(it) = node else { return };
        for inner in it.body.iter().filter(|_| it.kind == Kind::Seq) {
            if let Node::Store { array, at, .. } = inner
                && let [term] = at.as_slice()
                && term.index == Atom::Var(it.var)
            {
                res.insert(*array);
            }
        }
    });
    res
}

fn var_of(atom: &Atom) -> Option<Var> {
    match atom {
        Atom::Var(var) => Some(*var),
        Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) => None,
    }
}

/// Where the elements of an array of the region are.
#[derive(Clone, Debug)]
enum Pointer {
    /// One for each `i`: its value, in a variable.
    Cell(usize),
    /// Several for each `i`, in an array that the step of the vector loop has; from this place on.
    Rows { array: Var, at: Place },
}

/// A region on its way into a vector loop.
struct Columns<'a> {
    func: &'a mut Func,
    known: &'a Known,
    /// How many elements there are.
    count: Atom,
    /// The number of the element.
    index: Var,
    /// How often variables are used in the region.
    inside: BTreeMap<Var, usize>,
    /// Arrays with an element for every step, of which there may be as many as elements.
    by_step: BTreeSet<Var>,
    pointers: BTreeMap<Var, Pointer>,
    /// The values of cells, if they have one.
    cells: Vec<Option<Atom>>,
    /// What variables have become.
    values: BTreeMap<Var, Atom>,
    /// What differs from element to element.
    wide: BTreeSet<Var>,
    /// What differs from step to step of the loops around.
    varying: BTreeSet<Var>,
    /// The loops around.
    loops: Vec<(Var, Atom)>,
    /// What steps contribute to sums over all elements, by the names of the sums.
    sums: BTreeMap<Var, Atom>,
    /// Whether there is a loop whose state or rows are gone from memory.
    gains: bool,
    before: Block,
    /// A step of the vector loop, as far as it is written.
    step: Block,
    accs: Vec<Acc>,
    after: Block,
    /// What is not there, or not written, before the vector loop is over.
    late: BTreeSet<Var>,
    /// What is read after it.
    read_late: BTreeSet<Var>,
    /// Arrays outside of the region that the vector loop reads.
    read: BTreeSet<Var>,
    /// Cells that are read outside of the region, with the arrays they go to.
    exported: Vec<(Var, usize)>,
}

impl<'a> Columns<'a> {
    fn new(func: &'a mut Func, known: &'a Known, count: Atom, nodes: &[Node]) -> Columns<'a> {
        let index = func.fresh(Type::Scalar(Scalar::Int));
        Columns {
            func,
            known,
            count,
            index,
            inside: uses(nodes),
            by_step: by_step(nodes),
            pointers: BTreeMap::new(),
            cells: Vec::new(),
            values: BTreeMap::new(),
            wide: BTreeSet::from([index]),
            varying: BTreeSet::new(),
            loops: Vec::new(),
            sums: BTreeMap::new(),
            gains: false,
            before: Block::new(),
            step: Block::new(),
            accs: Vec::new(),
            after: Block::new(),
            late: BTreeSet::new(),
            read_late: BTreeSet::new(),
            read: BTreeSet::new(),
            exported: Vec::new(),
        }
    }

    /// The region as a vector loop, with what comes before and after it; or which statement keeps it from
    /// being one.
    fn region(mut self, nodes: &[Node]) -> Result<Block, usize> {
        for (at, node) in nodes.iter().enumerate() {
            self.statement(node).ok_or(at)?;
        }
        // The loop itself is what it is done for.
        let seed = nodes.iter().position(|it| counted_inside(it) == Some(self.count));
        if !self.gains {
            return Err(seed.unwrap_or(0));
        }
        for (array, cell) in std::mem::take(&mut self.exported) {
            if let Some(value) = self.cells[cell] {
                let at = vec![self.own_term()];
                let how = loops::How::Set;
                self.step.push(Node::Store { array, at, value, how });
            }
        }
        let Columns { func, count, index, before, step, accs, after, .. } = self;
        let (kind, state) = (Kind::Vector, Vec::new());
        let it = Loop { var: index, count, kind, state, accs, body: step };
        let mut res = before;
        res.extend(jam::jam(func, it));
        res.extend(after);
        Ok(res)
    }

    fn is_used_outside(&self, var: Var) -> bool {
        let count = |it: &BTreeMap<Var, usize>| it.get(&var).copied().unwrap_or(0);
        count(&self.known.uses) > count(&self.inside)
    }

    /// What an operand has become, if it is there and no cell.
    fn atom(&self, atom: Atom) -> Option<Atom> {
        let Atom::Var(var) = atom else { return Some(atom) };
        let atom = self.values.get(&var).copied().unwrap_or(atom);
        let is_there = |it: Var| !self.late.contains(&it) && !self.pointers.contains_key(&it);
        var_of(&atom).is_none_or(is_there).then_some(atom)
    }

    fn is_wide(&self, atom: Atom) -> bool {
        var_of(&atom).is_some_and(|it| self.wide.contains(&it))
    }

    fn is_varying(&self, atom: Atom) -> bool {
        var_of(&atom).is_some_and(|it| self.varying.contains(&it))
    }
}
