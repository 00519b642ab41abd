//! The decision tree of a match: what to test in which order, before anything is written.
//!
//! The rows of a match are the arms with the tests that remain; each step takes the first test
//! of the first row and distributes the rows over its outcomes. A row that does not ask for the
//! tested value goes to several outcomes, so a tree can be exponentially large (Maranget, "Compiling
//! pattern matching to good decision trees", ML 2008): it is given up beyond a bound.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::Atom;

use crate::elaborate::Elaborate;
use crate::typed::{Expr, LocalId, Pattern, PatternKind};
use crate::types::Type;

/// A part of the matched value, by number; the value itself is 0.
pub(super) type Part = usize;

/// A node of a decision tree.
pub(super) struct Node<'t> {
    /// Parts of tuples that are needed from here on: of which part, at which place, as what.
    pub projections: Vec<(Part, usize, Part)>,
    /// What is done.
    pub step: Step<'t>,
}

/// What a node does.
pub(super) enum Step<'t> {
    /// Takes an arm, whose variables are these parts.
    Take { arm: usize, bound: Vec<(LocalId, Part)> },
    /// Asks for the constructor.
    Con {
        value: Part,
        ty: &'t Type,
        cases: Vec<(Name, Vec<Part>, Node<'t>)>,
        otherwise: Option<Box<Node<'t>>>,
    },
    /// Asks whether it is the literal.
    Literal { value: Part, literal: Atom, then: Box<Node<'t>>, otherwise: Box<Node<'t>> },
}

/// A tree, and how often it takes each arm.
pub(super) struct Tree<'t> {
    /// The first node.
    pub root: Node<'t>,
    /// How often each arm is taken.
    pub uses: Vec<usize>,
}

/// The tree of a match, or nothing if it would be too large.
pub(super) fn decide<'t>(e: &Elaborate<'_>, arms: &'t [(Pattern, Expr)]) -> Option<Tree<'t>> {
    let n_patterns: usize = arms.iter().map(|(it, _)| count(it)).sum();
    let mut decide = Decide {
        e,
        parts: BTreeMap::new(),
        uses: vec![0; arms.len()],
        nodes: MOST_NODES + 8 * n_patterns,
        tests: MOST_TESTS,
    };
    let row = |(arm, (pattern, _)): (usize, &'t (Pattern, Expr))| Row {
        tests: vec![(0, pattern)],
        bound: Vec::new(),
        arm,
    };
    let rows = arms.iter().enumerate().map(row).collect();
    let root = decide.node(rows, BTreeSet::new())?;
    Some(Tree { root, uses: decide.uses })
}

/// More nodes than any tree has of a match that somebody wrote; long matches may have more.
const MOST_NODES: usize = 500;

/// More tests than are copied for one.
const MOST_TESTS: usize = 1_000_000;

/// An arm and what remains to be tested before it is taken.
#[derive(Clone)]
struct Row<'t> {
    tests: Vec<(Part, &'t Pattern)>,
    bound: Vec<(LocalId, Part)>,
    arm: usize,
}

struct Decide<'a, 'e> {
    e: &'a Elaborate<'e>,
    /// The fields of constructors and the parts of tuples that have a number.
    parts: BTreeMap<(Part, Option<Name>, usize), Part>,
    uses: Vec<usize>,
    nodes: usize,
    tests: usize,
}

impl Decide<'_, '_> {
    fn part(&mut self, of: Part, con: Option<&Name>, index: usize) -> Part {
        let next = self.parts.len() + 1;
        *self.parts.entry((of, con.cloned(), index)).or_insert(next)
    }

    /// The first row that fits. `made` are the parts of tuples that exist already.
    fn node<'t>(&mut self, mut rows: Vec<Row<'t>>, mut made: BTreeSet<Part>) -> Option<Node<'t>> {
        let work: usize = rows.iter().map(|it| 1 + it.tests.len() + it.bound.len()).sum();
        self.nodes = self.nodes.checked_sub(1)?;
        self.tests = self.tests.checked_sub(work)?;
        let mut projections = Vec::new();
        for row in &mut rows {
            self.simplify(row, &mut made, &mut projections);
        }
        let first = rows.first().expect("the match covers all cases");
        let Some((value, pattern)) = first.tests.first().copied() else {
            self.uses[first.arm] += 1;
            let mut bound = first.bound.clone();
            bound.sort_unstable();
            return Some(Node { projections, step: Step::Take { arm: first.arm, bound } });
        };
        let step = match literal_of(pattern) {
            Some(literal) => self.split_by_literal(value, literal, &rows, &made)?,
            None => self.split_by_con(value, pattern, &rows, &made)?,
        };
        Some(Node { projections, step })
    }

    /// Removes tests that always succeed; tuples are taken apart.
    fn simplify(
        &mut self,
        row: &mut Row<'_>,
        made: &mut BTreeSet<Part>,
        projections: &mut Vec<(Part, usize, Part)>,
    ) {
        let mut tests = Vec::new();
        let mut open: Vec<(Part, &Pattern)> = row.tests.drain(..).rev().collect();
        while let Some((value, pattern)) = open.pop() {
            match &pattern.kind {
                PatternKind::Wildcard => {}
                PatternKind::Local(local) => row.bound.push((*local, value)),
                PatternKind::Tuple(inner) => {
                    for (index, part) in inner.iter().enumerate().rev() {
                        if !matches!(part.kind, PatternKind::Wildcard) {
                            let number = self.part(value, None, index);
                            if made.insert(number) {
                                projections.push((value, index, number));
                            }
                            open.push((number, part));
                        }
                    }
                }
                PatternKind::Int(_)
                | PatternKind::Bool(_)
                | PatternKind::Str(_)
                | PatternKind::Con(..) => tests.push((value, pattern)),
            }
        }
        row.tests = tests;
    }

    fn split_by_con<'t>(
        &mut self,
        value: Part,
        pattern: &'t Pattern,
        rows: &[Row<'t>],
        made: &BTreeSet<Part>,
    ) -> Option<Step<'t>> {
        let ty = self.e.resolve(&pattern.ty);
        let all = self.e.c.table.constructors(&ty).unwrap_or_default();
        let mut cases = Vec::new();
        for (con, fields) in &all {
            if !rows.iter().any(|row| tests_con(row, value, con)) {
                continue;
            }
            let fields: Vec<Part> =
                (0..fields.len()).map(|it| self.part(value, Some(con), it)).collect();
            let fit = rows.iter().filter_map(|row| take_con(row, value, con, &fields)).collect();
            let node = self.node(fit, made.clone())?;
            cases.push((con.clone(), fields, node));
        }
        let otherwise = match cases.len() < all.len() {
            true => {
                let rest = rows.iter().filter(|row| test_of(row, value).is_none());
                Some(Box::new(self.node(rest.cloned().collect(), made.clone())?))
            }
            false => None,
        };
        Some(Step::Con { value, ty: &pattern.ty, cases, otherwise })
    }

    fn split_by_literal<'t>(
        &mut self,
        value: Part,
        literal: Atom,
        rows: &[Row<'t>],
        made: &BTreeSet<Part>,
    ) -> Option<Step<'t>> {
        let fits = rows.iter().filter_map(|row| take_literal(row, value, &literal)).collect();
        let then = Box::new(self.node(fits, made.clone())?);
        let others: Vec<Row<'t>> = if let Atom::Bool(it) = literal {
            // What is not true is false: no test is left.
            let opposite = Atom::Bool(!it);
            rows.iter().filter_map(|row| take_literal(row, value, &opposite)).collect()
        } else {
            rows.iter().filter(|row| !tests_literal(row, value, &literal)).cloned().collect()
        };
        let otherwise = Box::new(self.node(others, made.clone())?);
        Some(Step::Literal { value, literal, then, otherwise })
    }
}

fn count(pattern: &Pattern) -> usize {
    match &pattern.kind {
        PatternKind::Tuple(parts) | PatternKind::Con(_, parts) => {
            1 + parts.iter().map(count).sum::<usize>()
        }
        PatternKind::Wildcard | PatternKind::Local(_) => 0,
        PatternKind::Int(_) | PatternKind::Bool(_) | PatternKind::Str(_) => 1,
    }
}

fn test_of<'t>(row: &Row<'t>, value: Part) -> Option<(usize, &'t Pattern)> {
    let position = row.tests.iter().position(|(it, _)| *it == value)?;
    Some((position, row.tests[position].1))
}

fn tests_con(row: &Row<'_>, value: Part, con: &Name) -> bool {
    test_of(row, value)
        .is_some_and(|(_, it)| matches!(&it.kind, PatternKind::Con(name, _) if name == con))
}

/// The row when the value is known to be of the constructor, if it still fits.
fn take_con<'t>(row: &Row<'t>, value: Part, con: &Name, fields: &[Part]) -> Option<Row<'t>> {
    let Some((position, pattern)) = test_of(row, value) else {
        return Some(row.clone());
    };
    let PatternKind::Con(name, parts) = &pattern.kind else { return None };
    if name != con {
        return None;
    }
    let mut row = row.clone();
    row.tests.remove(position);
    row.tests.splice(position..position, fields.iter().copied().zip(parts));
    Some(row)
}

fn tests_literal(row: &Row<'_>, value: Part, literal: &Atom) -> bool {
    test_of(row, value).is_some_and(|(_, it)| literal_of(it).as_ref() == Some(literal))
}

fn take_literal<'t>(row: &Row<'t>, value: Part, literal: &Atom) -> Option<Row<'t>> {
    let Some((position, pattern)) = test_of(row, value) else {
        return Some(row.clone());
    };
    if literal_of(pattern).as_ref() != Some(literal) {
        return None;
    }
    let mut row = row.clone();
    row.tests.remove(position);
    Some(row)
}

/// The literal that a pattern is.
pub(super) fn literal_of(pattern: &Pattern) -> Option<Atom> {
    match &pattern.kind {
        PatternKind::Int(value) => Some(Atom::Int(*value)),
        PatternKind::Bool(value) => Some(Atom::Bool(*value)),
        PatternKind::Str(value) => Some(Atom::Str(value.as_str().into())),
        PatternKind::Wildcard
        | PatternKind::Local(_)
        | PatternKind::Tuple(_)
        | PatternKind::Con(..) => None,
    }
}
