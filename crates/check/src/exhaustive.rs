//! Do the patterns of a match cover every value, and can each of them be reached?
//!
//! The usefulness algorithm of Maranget, "Warnings for pattern matching" (JFP 2007), on typed
//! patterns: a vector of patterns is useful after a matrix of rows if some values match it and
//! no row before. What makes the wildcard useful is a value that is not covered.

use base::Name;

use crate::declare::TypeTable;
use crate::solve::Solver;
use crate::typed::{Pattern, PatternKind};
use crate::types::{Type, shown_name};

/// What the check needs to know of types.
pub(crate) struct Exhaustive<'a> {
    /// Declared types.
    pub table: &'a TypeTable,
    /// What is known of unknowns.
    pub solver: &'a Solver,
}

/// A pattern without names and places.
#[derive(Clone, Debug)]
enum Pat {
    Any,
    Con(Head, Vec<Pat>),
}

/// What a value starts with.
#[derive(Clone, Debug, PartialEq)]
enum Head {
    Tuple(usize),
    Con(Name),
    Bool(bool),
    Int(i64),
    Str(String),
}

/// Work is bounded: a match that needs more than this is taken to be complete.
const FUEL: usize = 200_000;

impl Exhaustive<'_> {
    /// Values that no pattern covers, as text; at most three.
    pub(crate) fn missing(&self, patterns: &[Pattern], ty: &Type) -> Vec<String> {
        let rows: Vec<Vec<Pat>> = patterns.iter().map(|it| vec![simplify(it)]).collect();
        let mut fuel = FUEL;
        let witnesses = self.uncovered(&rows, std::slice::from_ref(ty), &mut fuel);
        witnesses.into_iter().take(3).map(|it| show(&it[0])).collect()
    }

    /// The position of the first pattern that the ones before it cover.
    pub(crate) fn unreachable(&self, patterns: &[Pattern], ty: &Type) -> Option<usize> {
        let rows: Vec<Vec<Pat>> = patterns.iter().map(|it| vec![simplify(it)]).collect();
        let mut fuel = FUEL;
        (1..rows.len()).find(|&position| {
            !self.useful(&rows[..position], &rows[position], std::slice::from_ref(ty), &mut fuel)
        })
    }

    /// Vectors of values that no row matches.
    fn uncovered(&self, rows: &[Vec<Pat>], types: &[Type], fuel: &mut usize) -> Vec<Vec<Pat>> {
        let Some((ty, rest)) = types.split_first() else {
            return if rows.is_empty() { vec![Vec::new()] } else { Vec::new() };
        };
        if *fuel == 0 {
            return Vec::new();
        }
        *fuel -= 1;
        let heads = heads(rows);
        let mut res = Vec::new();
        let complete = self.all_heads(ty, &heads);
        for (head, fields) in complete.clone().unwrap_or_else(|| self.with_fields(ty, &heads)) {
            let inner: Vec<Type> = fields.iter().chain(rest).cloned().collect();
            for mut witness in self.uncovered(&specialise(rows, &head, fields.len()), &inner, fuel)
            {
                let args = witness.drain(..fields.len()).collect();
                witness.insert(0, Pat::Con(head.clone(), args));
                res.push(witness);
                if res.len() >= 3 {
                    return res;
                }
            }
        }
        if complete.is_none() {
            for mut witness in self.uncovered(&defaults(rows), rest, fuel) {
                witness.insert(0, Pat::Any);
                res.push(witness);
            }
        }
        res
    }

    fn useful(&self, rows: &[Vec<Pat>], row: &[Pat], types: &[Type], fuel: &mut usize) -> bool {
        let (Some((ty, rest)), Some((first, others))) = (types.split_first(), row.split_first())
        else {
            return rows.is_empty();
        };
        if *fuel == 0 {
            return true;
        }
        *fuel -= 1;
        match first {
            Pat::Con(head, args) => {
                let fields = self.fields(ty, head);
                let inner: Vec<Type> = fields.iter().chain(rest).cloned().collect();
                let row: Vec<Pat> = args.iter().chain(others).cloned().collect();
                self.useful(&specialise(rows, head, fields.len()), &row, &inner, fuel)
            }
            Pat::Any => match self.all_heads(ty, &heads(rows)) {
                Some(all) => all.iter().any(|(head, fields)| {
                    let inner: Vec<Type> = fields.iter().chain(rest).cloned().collect();
                    let any = std::iter::repeat_n(Pat::Any, fields.len());
                    let row: Vec<Pat> = any.chain(others.iter().cloned()).collect();
                    self.useful(&specialise(rows, head, fields.len()), &row, &inner, fuel)
                }),
                None => self.useful(&defaults(rows), others, rest, fuel),
            },
        }
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

fn simplify(pattern: &Pattern) -> Pat {
    let all = |parts: &[Pattern]| parts.iter().map(simplify).collect();
    match &pattern.kind {
        PatternKind::Wildcard | PatternKind::Local(_) => Pat::Any,
        PatternKind::Int(value) => Pat::Con(Head::Int(*value), Vec::new()),
        PatternKind::Bool(value) => Pat::Con(Head::Bool(*value), Vec::new()),
        PatternKind::Str(value) => Pat::Con(Head::Str(value.clone()), Vec::new()),
        PatternKind::Tuple(parts) => Pat::Con(Head::Tuple(parts.len()), all(parts)),
        PatternKind::Con(name, parts) => Pat::Con(Head::Con(name.clone()), all(parts)),
    }
}

fn heads(rows: &[Vec<Pat>]) -> Vec<Head> {
    let mut res: Vec<Head> = Vec::new();
    for row in rows {
        if let Some(Pat::Con(head, _)) = row.first()
            && !res.contains(head)
        {
            res.push(head.clone());
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
                Pat::Con(it, args) if it == head => args.clone(),
                Pat::Con(..) => return None,
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
    match pat {
        Pat::Any => "_".to_string(),
        Pat::Con(Head::Tuple(_), parts) => format!("({})", args(parts)),
        Pat::Con(Head::Con(name), parts) if parts.is_empty() => shown_name(name).to_string(),
        Pat::Con(Head::Con(name), parts) => format!("{}({})", shown_name(name), args(parts)),
        Pat::Con(Head::Bool(value), _) => value.to_string(),
        Pat::Con(Head::Int(value), _) => value.to_string(),
        Pat::Con(Head::Str(value), _) => format!("{value:?}"),
    }
}
