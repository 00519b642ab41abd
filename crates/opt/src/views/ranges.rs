//! Between what bounds an index is, whatever the loops around it are at.
//!
//! Numbers, indices of loops, sums, differences, and choices between such. Nothing here wraps: sizes are
//! below `MOST_ELEMENTS`, numbers that are written are small, and other integers have no bounds.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Atom, ControlOp, Op, Prim, Size, Stmt, Var};

/// Numbers that are written in an index are below this, or it has no bounds.
const SMALL: i64 = 1 << 31;

/// An index is one of at most so many, each with bounds of its own.
const MOST_CASES: usize = 8;

/// What is known of the integers of a definition.
#[derive(Clone, Default)]
pub(super) struct Bounds {
    /// Indices of loops, which count from zero to below a size.
    pub(super) indices: BTreeMap<Var, Size>,
    /// Sizes of parameters, which are not negative.
    pub(super) natural: BTreeSet<Var>,
}

/// The least and the greatest that an integer may be.
#[derive(Clone)]
struct Range {
    least: Size,
    most: Size,
}

impl Bounds {
    /// Whether an index is at least zero and below a size. Its statements are those inside of the loop.
    pub(super) fn holds(&self, index: &Atom, stmts: &[Stmt], size: &Size) -> bool {
        let Some(cases) = self.cases(index, stmts) else { return false };
        cases.iter().all(|it| {
            let room = size.sub(&it.most).sub(&Size::constant(1));
            self.is_natural(&it.least) && self.is_natural(&room)
        })
    }

    /// Whether a polynomial is a sum of products of what is not negative.
    pub(super) fn is_natural(&self, size: &Size) -> bool {
        let is_size = |it: &Var| self.natural.contains(it);
        size.is_exact()
            && size.terms().all(|(vars, factor)| factor >= 0 && vars.iter().all(is_size))
    }

    fn cases(&self, atom: &Atom, stmts: &[Stmt]) -> Option<Vec<Range>> {
        let var = match atom {
            Atom::Int(value) if value.abs() < SMALL => return Some(vec![Range::of(*value)]),
            Atom::Var(var) => *var,
            Atom::Int(_) | Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => return None,
        };
        if let Some(size) = self.indices.get(&var) {
            let most = size.sub(&Size::constant(1));
            return Some(vec![Range { least: Size::constant(0), most }]);
        }
        if self.natural.contains(&var) {
            let size = Size::var(var);
            return Some(vec![Range { least: size.clone(), most: size }]);
        }
        let binds = |it: &&Stmt| it.binders.iter().any(|it| it.var == var);
        let stmt = stmts.iter().find(binds)?;
        let of = |atom: &Atom| self.cases(atom, stmts);
        match &stmt.op {
            Op::Copy(value) => of(value),
            Op::Size(size) if self.is_natural(size) => {
                Some(vec![Range { least: size.clone(), most: size.clone() }])
            }
            Op::Prim(Prim::Add, args) => pairs(&of(&args[0])?, &of(&args[1])?, |p, q| Range {
                least: p.least.add(&q.least),
                most: p.most.add(&q.most),
            }),
            Op::Prim(Prim::Sub, args) => pairs(&of(&args[0])?, &of(&args[1])?, |p, q| Range {
                least: p.least.sub(&q.most),
                most: p.most.sub(&q.least),
            }),
            Op::Control(ControlOp::If { then, otherwise, .. }) => {
                let mut res = Vec::new();
                for branch in [then, otherwise] {
                    // Inside of a branch, what is bound there is seen first.
                    let stmts: Vec<Stmt> = branch.stmts.iter().chain(stmts).cloned().collect();
                    res.extend(self.cases(branch.results.first()?, &stmts)?);
                }
                (res.len() <= MOST_CASES).then_some(res)
            }
            Op::Size(_) | Op::Prim(..) | Op::Control(_) | Op::Tuple { .. } | Op::Proj { .. } => {
                None
            }
            Op::Con { .. } | Op::Equal(..) | Op::Close(..) | Op::Array(_) => None,
            Op::Function(_) | Op::Derive(_) | Op::Delta(_) => None,
        }
    }
}

impl Range {
    fn of(value: i64) -> Range {
        Range { least: Size::constant(value), most: Size::constant(value) }
    }
}

/// All pairs of cases, if they are few.
fn pairs(xs: &[Range], ys: &[Range], by: impl Fn(&Range, &Range) -> Range) -> Option<Vec<Range>> {
    if xs.len() * ys.len() > MOST_CASES {
        return None;
    }
    Some(xs.iter().flat_map(|x| ys.iter().map(|y| by(x, y)).collect::<Vec<_>>()).collect())
}
