//! Patterns: bindings become projections, matches become one-level case distinctions.
//!
//! The rows of a match are the arms with the tests that remain; each step takes the first test
//! of the first row and distributes the rows over its outcomes.

use std::collections::BTreeMap;

use base::Name;
use ir::{Arm, Atom, Block, Op};

use crate::elaborate::Elaborate;
use crate::typed::{Expr, LocalId, Pattern, PatternKind};
use crate::types::Type;

/// An arm and what remains to be tested before it is taken.
#[derive(Clone)]
struct Row<'t> {
    tests: Vec<(Atom, &'t Pattern)>,
    bound: Vec<(LocalId, Atom)>,
    body: &'t Expr,
}

impl Elaborate<'_> {
    /// Binds the variables of a pattern that always matches.
    pub(super) fn bind_pattern(&mut self, pattern: &Pattern, value: Atom) {
        match &pattern.kind {
            PatternKind::Wildcard
            | PatternKind::Int(_)
            | PatternKind::Bool(_)
            | PatternKind::Str(_) => {}
            PatternKind::Local(local) => self.bind(*local, value),
            PatternKind::Tuple(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    if !matches!(part.kind, PatternKind::Wildcard) {
                        let part_value = self.b.one(Op::Proj { tuple: value.clone(), index });
                        self.bind_pattern(part, part_value);
                    }
                }
            }
            PatternKind::Con(con, parts) => {
                let fields = self.con_fields(con, &pattern.ty);
                let results = fields.iter().map(|it| Atom::Var(it.var)).collect();
                let body = Block { stmts: Vec::new(), results };
                let arms = vec![Arm { con: con.clone(), fields, body }];
                let values = self.b.emit(Op::Match { value, arms, otherwise: None });
                for (part, value) in parts.iter().zip(values) {
                    self.bind_pattern(part, value);
                }
            }
        }
    }

    /// Fresh binders for the fields of a constructor of the type.
    fn con_fields(&mut self, con: &Name, ty: &Type) -> Vec<ir::Binder> {
        let ty = self.resolve(ty);
        let cons = self.c.table.constructors(&ty).unwrap_or_default();
        let fields =
            cons.into_iter().find(|(it, _)| it == con).map(|(_, it)| it).unwrap_or_default();
        let types: Vec<ir::Type> = fields.iter().map(|it| self.ty(it)).collect();
        types.into_iter().map(|ty| ir::Binder { var: self.b.fresh(ty.clone()), ty }).collect()
    }

    pub(super) fn matching(&mut self, value: &Expr, arms: &[(Pattern, Expr)]) -> Atom {
        let value = self.expr(value);
        let rows = arms
            .iter()
            .map(|(pattern, body)| Row {
                tests: vec![(value.clone(), pattern)],
                bound: Vec::new(),
                body,
            })
            .collect();
        self.rows(rows, &mut BTreeMap::new())
    }

    /// The value of the first row that fits. `parts` remembers projections made so far.
    fn rows(
        &mut self,
        mut rows: Vec<Row<'_>>,
        parts: &mut BTreeMap<(ir::Var, usize), Atom>,
    ) -> Atom {
        for row in &mut rows {
            self.simplify(row, parts);
        }
        let first = rows.first().expect("the match covers all cases").clone();
        let Some((value, pattern)) = first.tests.first().cloned() else {
            for (local, atom) in first.bound {
                self.bind(local, atom);
            }
            return self.expr(first.body);
        };
        match &pattern.kind {
            PatternKind::Con(..) => self.split_by_con(&value, pattern, &rows, parts),
            PatternKind::Int(literal) => {
                self.split_by_literal(&value, Atom::Int(*literal), &rows, parts)
            }
            PatternKind::Bool(literal) => {
                self.split_by_literal(&value, Atom::Bool(*literal), &rows, parts)
            }
            PatternKind::Str(literal) => {
                self.split_by_literal(&value, Atom::Str(literal.as_str().into()), &rows, parts)
            }
            PatternKind::Wildcard | PatternKind::Local(_) | PatternKind::Tuple(_) => {
                unreachable!("simplified away")
            }
        }
    }

    /// Removes tests that always succeed; tuples are taken apart.
    fn simplify(&mut self, row: &mut Row<'_>, parts: &mut BTreeMap<(ir::Var, usize), Atom>) {
        let mut tests = Vec::new();
        let mut open: Vec<(Atom, &Pattern)> = row.tests.drain(..).rev().collect();
        while let Some((value, pattern)) = open.pop() {
            match &pattern.kind {
                PatternKind::Wildcard => {}
                PatternKind::Local(local) => row.bound.push((*local, value)),
                PatternKind::Tuple(inner) => {
                    for (index, part) in inner.iter().enumerate().rev() {
                        if !matches!(part.kind, PatternKind::Wildcard) {
                            let part_value = self.part(&value, index, parts);
                            open.push((part_value, part));
                        }
                    }
                }
                PatternKind::Int(_)
                | PatternKind::Bool(_)
                | PatternKind::Str(_)
                | PatternKind::Con(..) => {
                    tests.push((value, pattern));
                }
            }
        }
        row.tests = tests;
    }

    fn part(
        &mut self,
        tuple: &Atom,
        index: usize,
        parts: &mut BTreeMap<(ir::Var, usize), Atom>,
    ) -> Atom {
        let Atom::Var(var) = tuple else { unreachable!("a tuple is a variable") };
        if let Some(part) = parts.get(&(*var, index)) {
            return part.clone();
        }
        let part = self.b.one(Op::Proj { tuple: tuple.clone(), index });
        parts.insert((*var, index), part.clone());
        part
    }

    fn split_by_con(
        &mut self,
        value: &Atom,
        pattern: &Pattern,
        rows: &[Row<'_>],
        parts: &BTreeMap<(ir::Var, usize), Atom>,
    ) -> Atom {
        let ty = self.resolve(&pattern.ty);
        let all = self.c.table.constructors(&ty).unwrap_or_default();
        let mut arms = Vec::new();
        for (con, _) in &all {
            let tested = rows.iter().any(|row| tests_con(row, value, con));
            if !tested {
                continue;
            }
            let fields = self.con_fields(con, &ty);
            let matching: Vec<Row<'_>> =
                rows.iter().filter_map(|row| take_con(row, value, con, &fields)).collect();
            self.open();
            let result = self.rows(matching, &mut parts.clone());
            let body = self.close(vec![result]);
            arms.push(Arm { con: con.clone(), fields, body });
        }
        let rest: Vec<Row<'_>> =
            rows.iter().filter(|row| !tests_value(row, value)).cloned().collect();
        let otherwise = (arms.len() < all.len()).then(|| {
            self.open();
            let result = self.rows(rest, &mut parts.clone());
            self.close(vec![result])
        });
        self.b.one(Op::Match { value: value.clone(), arms, otherwise })
    }

    fn split_by_literal(
        &mut self,
        value: &Atom,
        literal: Atom,
        rows: &[Row<'_>],
        parts: &BTreeMap<(ir::Var, usize), Atom>,
    ) -> Atom {
        let cond = if literal == Atom::Bool(true) {
            value.clone()
        } else {
            self.b.one(Op::Equal(value.clone(), literal.clone()))
        };
        let fits: Vec<Row<'_>> =
            rows.iter().filter_map(|row| take_literal(row, value, &literal)).collect();
        self.open();
        let result = self.rows(fits, &mut parts.clone());
        let then = self.close(vec![result]);
        let others: Vec<Row<'_>> = if let Atom::Bool(it) = literal {
            // What is not true is false: no test is left.
            let opposite = Atom::Bool(!it);
            rows.iter().filter_map(|row| take_literal(row, value, &opposite)).collect()
        } else {
            rows.iter().filter(|row| !tests_literal(row, value, &literal)).cloned().collect()
        };
        self.open();
        let result = self.rows(others, &mut parts.clone());
        let otherwise = self.close(vec![result]);
        self.b.one(Op::If { cond, then, otherwise })
    }
}

fn test_of<'t>(row: &Row<'t>, value: &Atom) -> Option<(usize, &'t Pattern)> {
    let position = row.tests.iter().position(|(it, _)| it == value)?;
    Some((position, row.tests[position].1))
}

fn tests_value(row: &Row<'_>, value: &Atom) -> bool {
    test_of(row, value).is_some()
}

fn tests_con(row: &Row<'_>, value: &Atom, con: &Name) -> bool {
    test_of(row, value)
        .is_some_and(|(_, it)| matches!(&it.kind, PatternKind::Con(name, _) if name == con))
}

/// The row when the value is known to be of the constructor, if it still fits.
fn take_con<'t>(row: &Row<'t>, value: &Atom, con: &Name, fields: &[ir::Binder]) -> Option<Row<'t>> {
    let Some((position, pattern)) = test_of(row, value) else {
        return Some(row.clone());
    };
    let PatternKind::Con(name, parts) = &pattern.kind else { return None };
    if name != con {
        return None;
    }
    let mut row = row.clone();
    row.tests.remove(position);
    let inner = fields.iter().zip(parts).map(|(field, part)| (Atom::Var(field.var), part));
    row.tests.splice(position..position, inner);
    Some(row)
}

fn tests_literal(row: &Row<'_>, value: &Atom, literal: &Atom) -> bool {
    test_of(row, value).is_some_and(|(_, it)| literal_of(it).as_ref() == Some(literal))
}

fn take_literal<'t>(row: &Row<'t>, value: &Atom, literal: &Atom) -> Option<Row<'t>> {
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

fn literal_of(pattern: &Pattern) -> Option<Atom> {
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
