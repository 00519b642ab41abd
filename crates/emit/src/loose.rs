//! Products of gradients as plain ones where that makes no difference.
//!
//! `scale` is a product that is 0 if a factor is, even if the other one is infinite. That costs a
//! comparison, and makes a difference only where the plain product is NaN. So a body of two or more of them,
//! of a vector loop or of a loop with state, is written twice: with plain products, and, where
//! something is NaN that others would see, once more as it is meant. NaN goes through sums, products
//! and functions; where it might not, as in a comparison, the operand is one of those that are looked
//! at. What goes into another one of those that way need not be. Indices, their checks and the stores do not depend on that and are written once, before and after.

use std::collections::BTreeSet;

use ir::Prim;
use loops::{Atom, Both, How, Loop, Node, Scalar, Type, Value, Var};

use crate::lanes::vector_type;
use crate::prims::Width;
use crate::printer::{Printer, variable};
use crate::tuning::MANY_LOOSE;

/// What a body of statements without loops leaves behind.
pub(crate) struct Loose {
    /// Integers and conditions that no product is part of: they and their checks are written once.
    firm: BTreeSet<Var>,
    /// What else the body computes.
    own: BTreeSet<Var>,
    /// What stores, accumulators and the next step need.
    used: Vec<Var>,
    /// What is looked at: if none of it is NaN, plain products were right.
    seen: Vec<Var>,
}

impl Printer<'_> {
    /// What has to be known to write a body with plain products; nothing if that cannot be done, or is
    /// not worth the while.
    pub(crate) fn loose(&self, it: &Loop) -> Option<Loose> {
        let mut scales = 0;
        let mut own: BTreeSet<Var> = BTreeSet::new();
        let firm = self.firm(it);
        let mut tainted: BTreeSet<Var> = BTreeSet::new();
        // What a NaN may have become that is none any more.
        let mut hidden: BTreeSet<Var> = BTreeSet::new();
        let (mut used, mut seen) = (Vec::new(), BTreeSet::new());
        let mut stored: BTreeSet<Var> = BTreeSet::new();
        for node in &it.body {
            match node {
                Node::Let { var, .. } if firm.contains(var) => {}
                Node::Let { var, value } => {
                    own.insert(*var);
                    let operands: Vec<Var> = match value {
                        Value::Prim(_, args) => args.iter().filter_map(var_of).collect(),
                        Value::ScaleAdd(a, b, c) => {
                            [a, b, c].into_iter().filter_map(var_of).collect()
                        }
                        Value::Atom(it) => var_of(it).into_iter().collect(),
                        Value::Load { array, at } => {
                            let hides = at.iter().any(|it| of_any(it.index, &hidden));
                            if stored.contains(array) || hides {
                                return None;
                            }
                            continue;
                        }
                        Value::Part { .. } => return None,
                    };
                    if let Value::Prim(Prim::Scale, _) | Value::ScaleAdd(..) = value
                        && self.is_real(*var)
                    {
                        scales += 1;
                        tainted.insert(*var);
                        continue;
                    }
                    if operands.iter().any(|it| hidden.contains(it)) {
                        hidden.insert(*var);
                    }
                    let from: Vec<Var> =
                        operands.into_iter().filter(|it| tainted.contains(it)).collect();
                    let through = match value {
                        Value::Prim(prim, _) => keeps_nan(*prim) && self.is_real(*var),
                        Value::ScaleAdd(..) | Value::Atom(_) => true,
                        Value::Load { .. } | Value::Part { .. } => false,
                    };
                    if through && !from.is_empty() {
                        tainted.insert(*var);
                    } else if !from.is_empty() {
                        seen.extend(from);
                        hidden.insert(*var);
                    }
                }
                Node::Both { both, of, results } => {
                    own.extend(results);
                    if of_any(*of, &hidden) {
                        hidden.extend(results);
                    }
                    if of_any(*of, &tainted) {
                        // The slope of tanh is 0 where that is infinite; so is a sigmoid.
                        seen.extend(var_of(of));
                        match both {
                            Both::Sigmoids => hidden.extend(results),
                            Both::TanhSlope => {
                                tainted.insert(results[0]);
                                hidden.insert(results[1]);
                            }
                        }
                    }
                }
                Node::Store { array, at, value, how } => {
                    let is_plain = matches!(how, How::Set | How::Add);
                    if !is_plain || at.iter().any(|it| of_any(it.index, &own)) {
                        return None;
                    }
                    stored.insert(*array);
                    used.extend(var_of(value).filter(|it| own.contains(it)));
                }
                Node::Check { holds, .. } if of_any(*holds, &hidden) => return None,
                Node::Check { .. } => {}
                Node::Loop(_) | Node::Scope(_) | Node::Alloc { .. } | Node::Chunks(_) => {
                    return None;
                }
                Node::While(_) | Node::If { .. } | Node::Switch { .. } => return None,
                Node::Make { .. } | Node::Call { .. } | Node::Kernel(_) => return None,
            }
        }
        let after = it.accs.iter().map(|it| &it.value).chain(it.state.iter().map(|it| &it.next));
        used.extend(after.filter_map(var_of).filter(|it| own.contains(it)));
        used.sort();
        used.dedup();
        if scales < MANY_LOOSE || !used.iter().all(|it| self.is_real(*it)) {
            return None;
        }
        seen.extend(used.iter().filter(|it| tainted.contains(it)).copied());
        let seen = self.told(it, seen);
        Some(Loose { firm, own, used, seen })
    }

    /// Those of these reals whose NaN would not be in another one of them anyway.
    fn told(&self, it: &Loop, seen: BTreeSet<Var>) -> Vec<Var> {
        let mut covered: BTreeSet<Var> = BTreeSet::new();
        for node in it.body.iter().rev() {
            let Node::Let { var, value } = node else { continue };
            if !seen.contains(var) && !covered.contains(var) {
                continue;
            }
            let operands: Vec<Var> = match value {
                Value::Prim(prim, args) if keeps_nan(*prim) || *prim == Prim::Scale => {
                    args.iter().filter_map(var_of).collect()
                }
                Value::ScaleAdd(a, b, c) => [a, b, c].into_iter().filter_map(var_of).collect(),
                Value::Atom(it) => var_of(it).into_iter().collect(),
                Value::Prim(..) | Value::Load { .. } | Value::Part { .. } => Vec::new(),
            };
            covered.extend(operands);
        }
        seen.difference(&covered).copied().collect()
    }

    /// The integers and conditions that need nothing of the body but each other: no load, no real.
    fn firm(&self, it: &Loop) -> BTreeSet<Var> {
        let mut firm = BTreeSet::new();
        let mut own = BTreeSet::new();
        for node in &it.body {
            let Node::Let { var, value } = node else { continue };
            let args = match value {
                Value::Prim(_, args) => args.as_slice(),
                Value::Atom(it) => std::slice::from_ref(it),
                Value::ScaleAdd(..) | Value::Load { .. } | Value::Part { .. } => &[],
            };
            let is_firm = |it: &Atom| !of_any(*it, &own) || of_any(*it, &firm);
            let is_whole = matches!(self.func.ty(*var), Type::Scalar(Scalar::Int | Scalar::Bool));
            if is_whole && !args.is_empty() && args.iter().all(is_firm) {
                firm.insert(*var);
            }
            own.insert(*var);
        }
        firm
    }

    /// The statements of a body, with plain products if nobody sees the difference. Stores come after it.
    pub(crate) fn loose_body(&mut self, it: &Loop, loose: &Loose) {
        let is_firm = |node: &Node| {
            if let Node::Let { var, .. } = node {
                return loose.firm.contains(var);
            }
            let Node::Check { holds, values, .. } = node else { return false };
            of_any(*holds, &loose.firm) && !values.iter().any(|it| of_any(*it, &loose.own))
        };
        it.body.iter().filter(|it| is_firm(it)).for_each(|it| self.node(it));
        let kept = |var: &Var| format!("{}k", variable(*var));
        let mut names: BTreeSet<Var> = loose.used.iter().copied().collect();
        names.extend(&loose.seen);
        let list: Vec<String> = names.iter().map(kept).collect();
        let (ty, width) = match self.live {
            Some(_) => (vector_type(Scalar::Real), Width::Lanes),
            None => ("real", Width::One),
        };
        self.line(&format!("{ty} {};", list.join(", ")));
        for plain in [true, false] {
            if plain {
                self.open("{");
            } else {
                let nan = self.fresh("nan");
                let text = any_of(&loose.seen.iter().map(kept).collect::<Vec<String>>(), width);
                self.line(&format!("{ty} {nan} = {text};"));
                let test = match width {
                    Width::Lanes => format!("ct_any_nan({nan})"),
                    Width::One => format!("{nan} != {nan}"),
                };
                self.open(&format!("if (CT_RARE({test})) {{"));
            }
            self.plain_scale = plain.then_some(width);
            for node in &it.body {
                if !matches!(node, Node::Store { .. }) && !is_firm(node) {
                    self.node(node);
                }
            }
            self.plain_scale = None;
            for var in &names {
                let line = format!("{} = {};", kept(var), self.atom(Atom::Var(*var)));
                self.line(&line);
            }
            self.close();
        }
        for var in &loose.used {
            let text = kept(var);
            self.define(*var, &text);
        }
        let is_store = |node: &&Node| matches!(node, Node::Store { .. });
        self.block(&it.body.iter().filter(is_store).cloned().collect());
    }

    /// Whether it is a real, in a vector loop one for every lane.
    fn is_real(&self, var: Var) -> bool {
        let fits = self.live.is_none() || self.is_vector(var);
        self.func.ty(var) == Type::Scalar(Scalar::Real) && fits
    }
}

/// A number that is NaN if one of these is: of vectors by an operation for every two of them. It may also be NaN
/// where one is infinite: then the body runs as it is meant for nothing. Scalars are mostly steps of a recurrence,
/// which has time for sums.
fn any_of(names: &[String], width: Width) -> String {
    if width == Width::One {
        return names.join(" + ");
    }
    let mut parts = names.chunks(2).rev();
    let first = parts.next().map_or(String::new(), |it| it.join(" * "));
    parts.fold(first, |rest, it| format!("ct_ma({}, {rest})", it.join(", ")))
}

fn var_of(atom: &Atom) -> Option<Var> {
    match atom {
        Atom::Var(var) => Some(*var),
        Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) => None,
    }
}

fn of_any(atom: Atom, vars: &BTreeSet<Var>) -> bool {
    var_of(&atom).is_some_and(|it| vars.contains(&it))
}

/// Whether the result is NaN if an operand is.
fn keeps_nan(prim: Prim) -> bool {
    matches!(
        prim,
        Prim::Add
            | Prim::Sub
            | Prim::Mul
            | Prim::Div
            | Prim::Neg
            | Prim::Abs
            | Prim::Sqrt
            | Prim::Exp
            | Prim::Log
            | Prim::Sin
            | Prim::Cos
            | Prim::Tanh
    )
}
