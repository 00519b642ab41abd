//! Do the patterns of a match cover every value, and can each of them be reached?
//!
//! The usefulness algorithm of Maranget, "Warnings for pattern matching" (JFP 2007), on typed
//! patterns: a vector of patterns is useful after a matrix of rows if some values match it and
//! no row before. What makes the wildcard useful is a value that is not covered.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use base::Name;

use crate::declare::TypeTable;
use crate::solve::Solver;
use crate::typed::{Pattern, PatternKind};
use crate::types::{Type, shown_name};

/// The check of one match.
pub(crate) struct Exhaustive<'a> {
    table: &'a TypeTable,
    solver: &'a Solver,
    /// How many patterns of matrices may still be looked at.
    fuel: Cell<usize>,
    /// Matrices that are known to cover everything: most ways through a large match meet again.
    covered: RefCell<BTreeSet<Vec<Vec<Pat>>>>,
    /// Rows that are known not to be useful after a matrix.
    useless: RefCell<BTreeSet<Vec<Vec<Pat>>>>,
}

/// Whether patterns cover all values.
pub(crate) enum Cover {
    /// They do.
    All,
    /// They leave out these values; at most three, as text.
    Missing(Vec<String>),
    /// Nobody can tell in reasonable time.
    TooInvolved,
}

/// A pattern without names and places.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pat {
    Any,
    Con(Rc<(Head, Vec<Pat>)>),
}

/// What a value starts with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Head {
    Tuple(usize),
    Con(Name),
    Bool(bool),
    Int(i64),
    Str(String),
}

/// Work is bounded, since the question is as hard as satisfiability.
const FUEL: usize = 4_000_000;

impl<'a> Exhaustive<'a> {
    /// With all the fuel.
    pub(crate) fn new(table: &'a TypeTable, solver: &'a Solver) -> Exhaustive<'a> {
        let (covered, useless) = Default::default();
        Exhaustive { table, solver, fuel: Cell::new(FUEL), covered, useless }
    }

    /// Whether the patterns cover all values of the type.
    pub(crate) fn cover(&self, patterns: &[Pattern], ty: &Type) -> Cover {
        let rows: Vec<Vec<Pat>> = patterns.iter().map(|it| vec![simplify(it)]).collect();
        if rows.iter().any(|it| is_open(it)) {
            return Cover::All;
        }
        self.fuel.set(FUEL);
        let witnesses = self.uncovered(rows, std::slice::from_ref(ty));
        match (witnesses.is_empty(), self.fuel.get()) {
            (true, 0) => Cover::TooInvolved,
            (true, _) => Cover::All,
            (false, _) => {
                Cover::Missing(witnesses.into_iter().take(3).map(|it| show(&it[0])).collect())
            }
        }
    }

    /// The position of the first pattern that the ones before it cover.
    pub(crate) fn unreachable(&self, patterns: &[Pattern], ty: &Type) -> Option<usize> {
        let rows: Vec<Vec<Pat>> = patterns.iter().map(|it| vec![simplify(it)]).collect();
        self.fuel.set(FUEL);
        let distinct: BTreeSet<&Vec<Pat>> = rows.iter().collect();
        if self.are_disjoint(&rows) && distinct.len() == rows.len() {
            return None;
        }
        (1..rows.len()).find(|&position| {
            let before = rows[..position].to_vec();
            !self.useful(before, &rows[position], std::slice::from_ref(ty))
        })
    }

    /// Whether all rows are literals or constructors with nothing inside, but perhaps the last:
    /// then each is useful that occurs for the first time.
    fn are_disjoint(&self, rows: &[Vec<Pat>]) -> bool {
        let plain = |row: &Vec<Pat>| matches!(&row[0], Pat::Con(it) if it.1.is_empty() && matches!(it.0, Head::Int(_) | Head::Str(_)));
        rows.split_last().is_some_and(|(_, before)| before.iter().all(plain))
    }

    /// Takes fuel for looking at a matrix; whether there is any left.
    fn spend(&self, rows: &[Vec<Pat>]) -> bool {
        let cells = 1 + rows.iter().map(Vec::len).sum::<usize>();
        self.fuel.set(self.fuel.get().saturating_sub(cells));
        self.fuel.get() > 0
    }

    /// Vectors of values that no row matches.
    fn uncovered(&self, mut rows: Vec<Vec<Pat>>, types: &[Type]) -> Vec<Vec<Pat>> {
        if rows.is_empty() {
            return vec![vec![Pat::Any; types.len()]];
        }
        cut(&mut rows);
        if rows.last().is_some_and(|it| is_open(it))
            || !self.spend(&rows)
            || self.covered.borrow().contains(&rows)
        {
            return Vec::new();
        }
        let Some((ty, rest)) = types.split_first() else { return Vec::new() };
        let heads = heads(&rows);
        let mut res = Vec::new();
        let complete = self.all_heads(ty, &heads);
        let others = match complete {
            Some(_) => Vec::new(),
            None => self.uncovered(defaults(&rows), rest),
        };
        // What covers the values that no row names covers the others, too.
        let tried = match complete {
            Some(all) => all,
            None if others.is_empty() => Vec::new(),
            None => self.with_fields(ty, &heads),
        };
        for (head, fields) in tried {
            if !self.spend(&rows) {
                break;
            }
            let inner: Vec<Type> = fields.iter().chain(rest).cloned().collect();
            for mut witness in self.uncovered(specialise(&rows, &head, fields.len()), &inner) {
                let args = witness.drain(..fields.len()).collect();
                witness.insert(0, Pat::Con(Rc::new((head.clone(), args))));
                res.push(witness);
                if res.len() >= 3 {
                    return res;
                }
            }
        }
        for mut witness in others {
            witness.insert(0, Pat::Any);
            res.push(witness);
        }
        if res.is_empty() && self.fuel.get() > 0 {
            self.covered.borrow_mut().insert(rows);
        }
        res
    }

    fn useful(&self, mut rows: Vec<Vec<Pat>>, row: &[Pat], types: &[Type]) -> bool {
        if rows.is_empty() {
            return true;
        }
        cut(&mut rows);
        if rows.last().is_some_and(|it| is_open(it)) {
            return false;
        }
        let (Some((ty, rest)), Some((first, others))) = (types.split_first(), row.split_first())
        else {
            return false;
        };
        if !self.spend(&rows) {
            return true;
        }
        rows.push(row.to_vec());
        if self.useless.borrow().contains(&rows) {
            return false;
        }
        let key = rows.clone();
        rows.pop();
        let res = match first {
            Pat::Con(con) => {
                let (head, args) = &**con;
                let fields = self.fields(ty, head);
                let inner: Vec<Type> = fields.iter().chain(rest).cloned().collect();
                let row: Vec<Pat> = args.iter().chain(others).cloned().collect();
                self.useful(specialise(&rows, head, fields.len()), &row, &inner)
            }
            Pat::Any => match self.all_heads(ty, &heads(&rows)) {
                Some(all) => all.iter().any(|(head, fields)| {
                    let inner: Vec<Type> = fields.iter().chain(rest).cloned().collect();
                    let any = std::iter::repeat_n(Pat::Any, fields.len());
                    let row: Vec<Pat> = any.chain(others.iter().cloned()).collect();
                    self.useful(specialise(&rows, head, fields.len()), &row, &inner)
                }),
                None => self.useful(defaults(&rows), others, rest),
            },
        };
        if !res && self.fuel.get() > 0 {
            self.useless.borrow_mut().insert(key);
        }
        res
    }

    /// All heads a value of the type can have, if the type has finitely many and the rows
    /// look at them at all.
    fn all_heads(&self, ty: &Type, heads: &[Head]) -> Option<Vec<(Head, Vec<Type>)>> {
        if heads.is_empty() {
            return None;
        }
        match self.solver.resolve(ty) {
            Type::Bool => {
                Some(vec![(Head::Bool(true), Vec::new()), (Head::Bool(false), Vec::new())])
            }
            Type::Tuple(parts) => Some(vec![(Head::Tuple(parts.len()), parts)]),
            named @ Type::Named(..) => match self.table.record_fields(&named) {
                Some(fields) => {
                    let types: Vec<Type> = fields.into_iter().map(|(_, it)| it).collect();
                    Some(vec![(Head::Tuple(types.len()), types)])
                }
                None => {
                    let cons = self.table.constructors(&named)?;
                    Some(cons.into_iter().map(|(name, fields)| (Head::Con(name), fields)).collect())
                }
            },
            Type::Real | Type::Int | Type::String | Type::Array(..) | Type::Function(..) => None,
            Type::Param(_) | Type::Var(_) | Type::Error => None,
        }
    }

    fn with_fields(&self, ty: &Type, heads: &[Head]) -> Vec<(Head, Vec<Type>)> {
        heads.iter().map(|it| (it.clone(), self.fields(ty, it))).collect()
    }

    fn fields(&self, ty: &Type, head: &Head) -> Vec<Type> {
        let known = self.all_heads(ty, std::slice::from_ref(head)).unwrap_or_default();
        let found = known.into_iter().find(|(it, _)| it == head);
        match (found, head) {
            (Some((_, fields)), _) => fields,
            (None, Head::Tuple(n)) => vec![Type::Error; *n],
            (None, Head::Con(_) | Head::Bool(_) | Head::Int(_) | Head::Str(_)) => Vec::new(),
        }
    }
}

/// Whether a row matches everything.
fn is_open(row: &[Pat]) -> bool {
    row.iter().all(|it| *it == Pat::Any)
}

/// What comes after a row that matches everything is never reached.
fn cut(rows: &mut Vec<Vec<Pat>>) {
    if let Some(position) = rows.iter().position(|it| is_open(it)) {
        rows.truncate(position + 1);
    }
}

fn simplify(pattern: &Pattern) -> Pat {
    let all = |parts: &[Pattern]| parts.iter().map(simplify).collect();
    let con = |head: Head, parts: Vec<Pat>| Pat::Con(Rc::new((head, parts)));
    match &pattern.kind {
        PatternKind::Wildcard | PatternKind::Local(_) => Pat::Any,
        PatternKind::Int(value) => con(Head::Int(*value), Vec::new()),
        PatternKind::Bool(value) => con(Head::Bool(*value), Vec::new()),
        PatternKind::Str(value) => con(Head::Str(value.clone()), Vec::new()),
        PatternKind::Tuple(parts) => {
            let parts: Vec<Pat> = all(parts);
            if is_open(&parts) { Pat::Any } else { con(Head::Tuple(parts.len()), parts) }
        }
        PatternKind::Con(name, parts) => con(Head::Con(name.clone()), all(parts)),
    }
}

fn heads(rows: &[Vec<Pat>]) -> Vec<Head> {
    let mut seen: BTreeSet<&Head> = BTreeSet::new();
    let mut res: Vec<Head> = Vec::new();
    for row in rows {
        if let Some(Pat::Con(con)) = row.first()
            && seen.insert(&con.0)
        {
            res.push(con.0.clone());
        }
    }
    res
}

/// The rows that match values starting with the head, and what they ask of its fields.
fn specialise(rows: &[Vec<Pat>], head: &Head, n_fields: usize) -> Vec<Vec<Pat>> {
    rows.iter()
        .filter_map(|row| {
            let (first, rest) = row.split_first()?;
            let mut args = match first {
                Pat::Any => vec![Pat::Any; n_fields],
                Pat::Con(con) if con.0 == *head => con.1.clone(),
                Pat::Con(_) => return None,
            };
            args.resize(n_fields, Pat::Any);
            args.extend(rest.iter().cloned());
            Some(args)
        })
        .collect()
}

/// The rows that match whatever the first value is.
fn defaults(rows: &[Vec<Pat>]) -> Vec<Vec<Pat>> {
    let open = rows.iter().filter(|row| matches!(row.first(), Some(Pat::Any)));
    open.map(|row| row[1..].to_vec()).collect()
}

fn show(pat: &Pat) -> String {
    let args = |args: &[Pat]| args.iter().map(show).collect::<Vec<_>>().join(", ");
    let Pat::Con(con) = pat else { return "_".to_string() };
    match (&con.0, con.1.as_slice()) {
        (Head::Tuple(_), parts) => format!("({})", args(parts)),
        (Head::Con(name), []) => shown_name(name).to_string(),
        (Head::Con(name), parts) => format!("{}({})", shown_name(name), args(parts)),
        (Head::Bool(value), _) => value.to_string(),
        (Head::Int(value), _) => value.to_string(),
        (Head::Str(value), _) => format!("{value:?}"),
    }
}
