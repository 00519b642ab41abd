//! Sum types and branches.
//!
//! Paper: Section 11.2 and the reference code. Only the branch taken contributes. What its pull-back
//! needs of it is put into a value of a sum type with one constructor for each way, and the pull-back
//! of the whole is a match of that value: `s = if c { ..; save_0(x) } else { ..; save_1(y) }`, and then
//! `match s { save_0(x) => .., save_1(y) => .. }`.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::{Arm, Atom, Binder, Block, ControlOp, FunctionOp, Op, Size, Stmt, Type, Var, walk};

use super::environment::{Sum, changed};
use super::{Part, Pull, Reverse};
use crate::linear::code::var_of;
use crate::linear::saved::{Needs, locals};
use crate::linear::tangent::{get_name, tangent_con};

/// How a statement is made of its blocks.
type Whole = Box<dyn Fn(Vec<Block>) -> Op>;

/// One way that a statement may go.
struct Way {
    fields: Vec<Binder>,
    part: Part,
    /// The value that was matched and the constructor, if it is active.
    matched: Option<(Atom, Name)>,
}

/// What a statement saved: nothing if it can take the same branch again without.
enum Saved {
    Nothing(Whole),
    Value { value: Atom, cons: Vec<Name>, needs: Vec<Needs> },
}

impl Reverse<'_> {
    /// D[K x]' v = x' += the fields of v, which are 0 if v is a zero of no form.
    pub(super) fn con(&mut self, stmt: &Stmt, con: &Name, args: &[Atom]) -> Option<Pull> {
        self.keep(stmt);
        let ty = stmt.binders[0].ty.clone();
        let Type::Data(_, _, sizes) = ty.clone() else { panic!("compiler bug: {ty}") };
        let (con, args) = (con.clone(), args.to_vec());
        self.each_leaf(&stmt.binders[0], move |it, _, v| {
            let n_sizes = it.work.code.n_sizes(&ty, &con);
            let given = args[..n_sizes].iter().cloned().chain([v]).collect();
            let (def, sizes) = (get_name(&con), sizes.clone());
            let fields = it.work.code.emit(Op::Function(FunctionOp::Call {
                def,
                types: Vec::new(),
                sizes,
                args: given,
            }));
            let mut fields = fields.into_iter();
            for arg in &args[n_sizes..] {
                let n_leaves = it.leaves_of(arg).len();
                it.contribute_all(arg, fields.by_ref().take(n_leaves).collect());
            }
        })
    }

    /// A match of a value without fields: the condition contributes nothing.
    pub(super) fn if_(
        &mut self,
        stmt: &Stmt,
        cond: &Atom,
        then: &Block,
        otherwise: &Block,
    ) -> Option<Pull> {
        let captured = self.captured(&[then, otherwise], &BTreeSet::new());
        let way = |part| Way { fields: Vec::new(), part, matched: None };
        let ways = vec![way(self.part(then)), way(self.part(otherwise))];
        let whole = |cond: Atom| -> Whole {
            Box::new(move |mut blocks| {
                let otherwise = blocks.pop().expect("two branches");
                let then = blocks.pop().expect("two branches");
                Op::Control(ControlOp::If { cond: cond.clone(), then, otherwise })
            })
        };
        self.branches(stmt, ways, captured, (whole(cond.clone()), whole(cond.clone())))
    }

    pub(super) fn match_(
        &mut self,
        stmt: &Stmt,
        value: &Atom,
        arms: &[Arm],
        otherwise: Option<&Block>,
    ) -> Option<Pull> {
        let ty = self.work.code.type_of(value);
        let blocks: Vec<&Block> = arms.iter().map(|it| &it.body).chain(otherwise).collect();
        let mut captured = self.captured(&blocks, &BTreeSet::new());
        let is_active = self.is_active(value);
        let known: BTreeSet<Var> = captured.iter().map(|it| it.slot.0).collect();
        if let Atom::Var(var) = value
            && is_active
            && !known.contains(var)
            && !self.fields.is_within(*var, &known)
        {
            let leaf = self.leaves_of(value).remove(0);
            captured.push(Sum { slot: (*var, 0), given: self.work.code.fresh(leaf) });
        }
        let mut ways = Vec::new();
        for arm in arms {
            self.work.code.declare(&arm.fields);
            if is_active {
                arm.fields.iter().for_each(|it| {
                    self.activate(it);
                });
                self.register(value, &arm.con, &arm.fields);
            }
            let matched = is_active.then(|| (value.clone(), arm.con.clone()));
            ways.push(Way { fields: arm.fields.clone(), part: self.part(&arm.body), matched });
        }
        if let Some(block) = otherwise {
            ways.push(Way { fields: Vec::new(), part: self.part(block), matched: None });
        }
        // The fields are needed nowhere else, so the arms of the pull-back bind others.
        let mut renamed = Vec::new();
        for arm in arms {
            renamed.push((arm.con.clone(), self.work.code.fields(&ty, &arm.con)));
        }
        let own = arms.iter().map(|it| (it.con.clone(), it.fields.clone())).collect();
        let whole = |value: Atom, arms: Vec<(Name, Vec<Binder>)>| -> Whole {
            Box::new(move |blocks| {
                let mut blocks = blocks.into_iter();
                let arms = arms.iter().zip(&mut blocks);
                let arm = |((con, fields), body): (&(Name, Vec<Binder>), Block)| Arm {
                    con: con.clone(),
                    fields: fields.clone(),
                    body,
                };
                let arms = arms.map(arm).collect();
                Op::Control(ControlOp::Match {
                    value: value.clone(),
                    arms,
                    otherwise: blocks.next(),
                })
            })
        };
        self.branches(
            stmt,
            ways,
            captured,
            (whole(value.clone(), own), whole(value.clone(), renamed)),
        )
    }

    /// Blocks of which one runs.
    fn branches(
        &mut self,
        stmt: &Stmt,
        ways: Vec<Way>,
        captured: Vec<Sum>,
        (whole, again): (Whole, Whole),
    ) -> Option<Pull> {
        self.work.code.declare(&stmt.binders);
        let on = |it: &Self, at: usize| {
            ways.iter().any(|way| it.is_active(&way.part.values.results[at]))
        };
        let on: Vec<bool> = (0..stmt.binders.len()).map(|at| on(self, at)).collect();
        let mut given: Vec<Vec<Binder>> = Vec::new();
        for (binder, on) in stmt.binders.iter().zip(&on) {
            let types = if *on { self.work.code.leaves(&binder.ty) } else { Vec::new() };
            given.push(types.into_iter().map(|it| self.work.code.fresh(it)).collect());
        }
        let (mut bodies, mut pulls, mut bound) = (Vec::new(), Vec::new(), Vec::new());
        for way in ways {
            let (body, pull) = self.way(way.part, &given, &captured, way.matched, &way.fields);
            bodies.push(body);
            pulls.push(pull);
            bound.push(way.fields);
        }
        let captured = changed(captured, &mut pulls);
        let vars: Vec<Var> = stmt.binders.iter().map(|it| it.var).collect();
        if captured.is_empty() {
            let stmt = self.work.code.stmt(&vars, whole(bodies));
            return self.constant(&stmt);
        }
        let mut needs = Vec::new();
        for ((pull, body), fields) in pulls.iter_mut().zip(&bodies).zip(&bound) {
            let locals = locals(body, fields);
            *pull = self.work.code.with_views(body, pull.clone(), &locals);
            needs.push(self.work.code.needs(pull, &locals, &BTreeMap::new()));
        }
        let saved = match needs.iter().all(|it| it.vars.is_empty()) {
            true => {
                self.work.code.bind(&vars, whole(bodies));
                Saved::Nothing(again)
            }
            false => self.save(vars, bodies, needs, &whole),
        };
        let results: Vec<Var> =
            stmt.binders.iter().zip(on).filter(|it| it.1).map(|it| it.0.var).collect();
        let is_smooth = stmt.binders.iter().filter(|it| results.contains(&it.var));
        is_smooth.cloned().collect::<Vec<_>>().iter().for_each(|it| {
            self.activate(it);
        });
        let given: Vec<Binder> = given.into_iter().flatten().collect();
        Some(Box::new(move |it: &mut Reverse<'_>| {
            let Some(names) = it.handed(&results, &given, &captured) else { return };
            let pulls = pulls.iter().map(|block| walk::substitute_block(block, &names)).collect();
            let op = match saved {
                Saved::Nothing(again) => again(pulls),
                Saved::Value { value, cons, needs } => it.taken(value, &cons, &needs, pulls),
            };
            let sums = it.work.code.emit(op);
            it.sums.extend(captured.iter().map(|it| it.slot).zip(sums));
        }))
    }

    /// The values of one way, and its pull-back.
    fn way(
        &mut self,
        part: Part,
        given: &[Vec<Binder>],
        captured: &[Sum],
        matched: Option<(Atom, Name)>,
        fields: &[Binder],
    ) -> (Block, Block) {
        let leaves = |it: &Vec<Binder>| it.iter().map(|it| Atom::Var(it.var)).collect();
        let cotangents = given.iter().map(leaves).collect();
        self.pulled(part, cotangents, captured, |it| {
            if let Some((value, con)) = matched {
                it.matched(&value, &con, fields);
            }
            Vec::new()
        })
    }

    /// x' += K.d of the cotangents of the fields, unless all are zero.
    fn matched(&mut self, value: &Atom, con: &Name, fields: &[Binder]) {
        let ty = self.work.code.type_of(value);
        let n_sizes = self.work.code.n_sizes(&ty, con);
        let (sizes, fields) = fields.split_at(n_sizes);
        if fields.iter().any(|it| self.fields.is_field(it.var)) {
            return var_of(value).into_iter().for_each(|it| self.pack(it));
        }
        if !fields.iter().any(|it| self.has_sum(it.var)) {
            return;
        }
        let mut args: Vec<Atom> = sizes.iter().map(|it| Atom::Var(it.var)).collect();
        for field in fields {
            args.extend(self.take_or_zeros(field.var));
        }
        let ty = self.leaves_of(value).remove(0);
        let v = self.work.code.one(Op::Con { ty, con: tangent_con(con), args });
        self.contribute(value, 0, v);
    }

    /// What a closed pull-back is handed: the cotangents of the results and the sums, by the names that
    /// it has for them. None if no result has a cotangent.
    pub(super) fn handed(
        &mut self,
        results: &[Var],
        given: &[Binder],
        captured: &[Sum],
    ) -> Option<BTreeMap<Var, Atom>> {
        let found: Vec<Option<Vec<Atom>>> = results.iter().map(|it| self.take_all(*it)).collect();
        if found.iter().all(Option::is_none) {
            return None;
        }
        let mut cotangents = Vec::new();
        for (found, var) in found.into_iter().zip(results) {
            cotangents.extend(match found {
                Some(it) => it,
                None => self.take_or_zeros(*var),
            });
        }
        let mut names: BTreeMap<Var, Atom> =
            given.iter().map(|it| it.var).zip(cotangents).collect();
        for sum in captured {
            names.insert(sum.given.var, self.sum_or_zeros(sum.slot));
        }
        Some(names)
    }

    /// The statement, which also gives what its branches save.
    fn save(
        &mut self,
        mut vars: Vec<Var>,
        bodies: Vec<Block>,
        needs: Vec<Needs>,
        whole: &Whole,
    ) -> Saved {
        let refs: Vec<&Needs> = needs.iter().collect();
        let outer = self.work.code.outer_sizes(&refs);
        let name = self.work.code.saved_name(&self.def.name);
        let cons = self.work.code.declare_saved(&name, &refs, &outer);
        let sizes = outer.into_iter().map(Size::var).collect();
        let ty = Type::Data(name, Vec::new(), sizes);
        let mut blocks = Vec::new();
        for ((body, con), needs) in bodies.into_iter().zip(&cons).zip(&needs) {
            let mut results = self.work.code.builder.reopen(body);
            results.push(self.work.code.saved_value(&ty, con, needs));
            blocks.push(self.work.code.builder.close(results));
        }
        let saved = self.work.code.fresh(ty);
        vars.push(saved.var);
        self.work.code.bind(&vars, whole(blocks));
        Saved::Value { value: Atom::Var(saved.var), cons, needs }
    }

    /// The way that was taken, again.
    fn taken(&mut self, value: Atom, cons: &[Name], needs: &[Needs], pulls: Vec<Block>) -> Op {
        let ty = self.work.code.type_of(&value);
        let ways = pulls.into_iter().zip(cons).zip(needs);
        let arms = ways
            .map(|((pull, con), needs)| self.work.code.saved_arm(&ty, con, needs, pull))
            .collect();
        Op::Control(ControlOp::Match { value, arms, otherwise: None })
    }
}
