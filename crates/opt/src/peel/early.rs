//! What calls would test, computed before the part that makes them.

use std::collections::{BTreeMap, BTreeSet};

use base::Span;
use ir::{Atom, Binder, Block, Def, Op, Prim, Size, Stmt, Type, Var, walk};

use super::{Call, Choice};

/// Scalars of calls, computed in front of the part that makes them: the same one once.
pub(super) struct Early<'d> {
    def: &'d Def,
    /// What is computed before the choice, and in the part, by variable.
    before: BTreeMap<Var, &'d Stmt>,
    inside: BTreeMap<Var, &'d Stmt>,
    /// All that is bound in the part.
    bound: BTreeSet<Var>,
    /// What is known already of the caller, and of the call that is looked at.
    of_caller: BTreeMap<Var, Option<Atom>>,
    of_callee: BTreeMap<Var, Option<Atom>>,
    /// What computes them.
    pub(super) stmts: Vec<Stmt>,
    pub(super) next_var: u32,
    pub(super) spans: BTreeMap<Var, Span>,
}

/// Whose variables are meant: both are those of one definition.
#[derive(Clone, Copy)]
enum Whose<'c> {
    Caller,
    Callee(&'c Call<'c>),
}

impl<'d> Early<'d> {
    pub(super) fn new(def: &'d Def, choice: &Choice<'d>) -> Early<'d> {
        let (mut before, mut inside) = (BTreeMap::new(), BTreeMap::new());
        def.body.stmts[..choice.at].iter().for_each(|it| note(it, &mut before));
        statements(choice.part, &mut inside);
        let bound = walk::bound_vars(choice.part);
        let (stmts, spans) = (Vec::new(), def.spans.0.clone());
        let (of_caller, of_callee) = (BTreeMap::new(), BTreeMap::new());
        let next_var = def.next_var;
        Early { def, before, inside, bound, of_caller, of_callee, stmts, next_var, spans }
    }

    /// What an atom of the definition is in a call, if that is known before the part that makes it.
    pub(super) fn of_callee(&mut self, call: &Call<'_>, atom: &Atom) -> Option<Atom> {
        self.of_callee.clear();
        self.value(Whose::Callee(call), atom)
    }

    /// Each variable once: what is added to itself again and again would be looked at as often as it is added.
    fn value(&mut self, whose: Whose<'_>, atom: &Atom) -> Option<Atom> {
        let Atom::Var(var) = atom else { return Some(atom.clone()) };
        if let Some(known) = self.known(whose).get(var) {
            return known.clone();
        }
        let res = self.value_of(whose, *var);
        self.known(whose).insert(*var, res.clone());
        res
    }

    fn known(&mut self, whose: Whose<'_>) -> &mut BTreeMap<Var, Option<Atom>> {
        match whose {
            Whose::Caller => &mut self.of_caller,
            Whose::Callee(_) => &mut self.of_callee,
        }
    }

    fn value_of(&mut self, whose: Whose<'_>, var: Var) -> Option<Atom> {
        let stmt = match whose {
            Whose::Caller if !self.bound.contains(&var) => return Some(Atom::Var(var)),
            Whose::Caller => *self.inside.get(&var)?,
            Whose::Callee(call) => {
                if let Some(at) = self.def.params.iter().position(|it| it.var == var) {
                    return self.value(Whose::Caller, &call.args[at]);
                }
                if let Some(at) = self.def.size_params.iter().position(|it| *it == var) {
                    return self.size(Whose::Caller, var, &call.sizes[at]);
                }
                *self.before.get(&var)?
            }
        };
        let op = match &stmt.op {
            Op::Size(size) => return self.size(whose, var, size),
            Op::Copy(it) => return self.value(whose, it),
            Op::Prim(prim, args) if is_total(*prim, args) => {
                let args: Option<Vec<Atom>> = args.iter().map(|it| self.value(whose, it)).collect();
                Op::Prim(*prim, args?)
            }
            Op::Equal(x, y) => Op::Equal(self.value(whose, x)?, self.value(whose, y)?),
            Op::Prim(..) | Op::Tuple { .. } | Op::Proj { .. } | Op::Con { .. } | Op::Close(..) => {
                return None;
            }
            Op::Array(_) | Op::Control(_) | Op::Function(_) | Op::Derive(_) | Op::Delta(_) => {
                return None;
            }
        };
        Some(self.emit(op, stmt.binders[0].ty.clone(), var))
    }

    fn size(&mut self, whose: Whose<'_>, var: Var, size: &Size) -> Option<Atom> {
        let size = match whose {
            Whose::Caller => size.clone(),
            Whose::Callee(call) => {
                let known = self.def.size_params.iter().zip(call.sizes);
                let known: BTreeMap<&Var, &Size> = known.collect();
                size.substitute(&mut |it| {
                    known.get(it).map_or(Size::var(*it), |it| Size::clone(it))
                })
            }
        };
        let is_late = |it: &Var| self.bound.contains(it) || self.before.contains_key(it);
        if size.vars().iter().any(is_late) {
            return None;
        }
        Some(match (size.as_var(), size.as_constant()) {
            (Some(var), _) => Atom::Var(*var),
            (None, Some(constant)) => Atom::Int(constant),
            (None, None) => self.emit(Op::Size(size), Type::Int, var),
        })
    }

    fn emit(&mut self, op: Op, ty: Type, like: Var) -> Atom {
        if let Some(same) = self.stmts.iter().find(|it| it.op == op) {
            return Atom::Var(same.binders[0].var);
        }
        let var = Var(self.next_var);
        self.next_var += 1;
        if let Some(span) = self.spans.get(&like).copied() {
            self.spans.insert(var, span);
        }
        self.stmts.push(Stmt { binders: vec![Binder { var, ty }], op });
        Atom::Var(var)
    }
}

/// The statements of a block that give one scalar, at any depth.
fn statements<'d>(block: &'d Block, found: &mut BTreeMap<Var, &'d Stmt>) {
    for stmt in &block.stmts {
        note(stmt, found);
        walk::blocks(&stmt.op).iter().for_each(|it| statements(it.1, found));
    }
}

fn note<'d>(stmt: &'d Stmt, found: &mut BTreeMap<Var, &'d Stmt>) {
    if let [binder] = stmt.binders.as_slice()
        && matches!(binder.ty, Type::Int | Type::Bool | Type::Real)
    {
        found.insert(binder.var, stmt);
    }
}

/// Whether a primitive of these operands has a value whatever they are.
fn is_total(prim: Prim, args: &[Atom]) -> bool {
    match (prim, args.get(1)) {
        (Prim::Div | Prim::Rem, divisor) => matches!(divisor, Some(Atom::Int(it)) if *it != 0),
        (Prim::Pow, _) => false,
        (_, _) => true,
    }
}
