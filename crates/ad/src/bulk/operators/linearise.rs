//! Runs that are kept as values: `linearise`, and `jvp` and `vjp` that are given a run.
//!
//! `f.linearise(p..)` gives the results and a run, `f.push(p.., directions, run)` the tangents of the
//! results, `f.pull(p.., cotangents, run)` the cotangents of the parameters. A run is a value of `f.run`,
//! which is filled here: with what `f.fwd` saved, by forward mode with all columns of the Jacobian if a
//! pull-back is called anywhere. The three are made once, whoever asks first, and later derivatives call
//! them too, so that a run may be handed on between definitions that are expanded at different times.
//!
//! By `chad`, a run that is asked for directions anywhere is one of the linear core: its pull-backs alone
//! say nothing about tangents.
//! Not done: by forward mode nothing is kept for directions: each is a run of `f.jvp`.

use std::collections::BTreeSet;
use std::rc::Rc;

use base::Name;
use ir::signature::run_type;
use ir::{
    Arm, ArrayOp, Atom, Beside, Binder, Block, ControlOp, Def, DeriveOp, Op, Operator, Origin,
    Prim, Size, Type, Var, walk,
};

use super::Site;
use super::kept::Run;
use super::matrix::is_data;
use crate::bulk::Mode;
use crate::bulk::work::{Callee, Keeps, Work};
use crate::linear::code::{atoms, real, var_of};
use crate::linear::saved::Needs;

/// What is made of a definition.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Linearise,
    Push,
    Pull,
}

impl Part {
    const ALL: [Part; 3] = [Part::Linearise, Part::Push, Part::Pull];

    fn name(self, def: &Name) -> Name {
        def.part(match self {
            Part::Linearise => "linearise",
            Part::Push => "push",
            Part::Pull => "pull",
        })
    }
}

/// What is in a run.
struct Layout {
    con: Name,
    needs: Needs,
    /// What the first value was saved by; none if nothing depends on anything.
    callee: Option<Rc<Callee>>,
    /// Parameters, and for each of the next values the parameter whose columns it has.
    columns: Vec<(usize, usize)>,
    /// The results of sum types, which the other values are.
    results: Vec<usize>,
}

/// The values in a run, where it is taken apart.
struct Values {
    saved: Option<Atom>,
    columns: Vec<Atom>,
    /// For each result one of its type; those of sum types have the form of the result.
    like: Vec<Atom>,
}

impl Site<'_> {
    /// Calls one of the three definitions.
    pub(super) fn kept(&self, work: &mut Work, part: Part) -> Vec<Atom> {
        if !work.code.program().defs.contains_key(&part.name(&self.def)) {
            self.define_kept(work);
        }
        self.call(work, part.name(&self.def), self.args, Vec::new())
    }

    /// Makes the three definitions; they have the parameters of the definition, and some more.
    fn define_kept(&self, work: &mut Work) {
        let def = work.def(&self.def);
        let all = atoms(&def.params);
        let (captured, args) = all.split_at(self.captured.len());
        let sizes = def.size_params.iter().map(|it| Size::var(*it)).collect();
        let own = Site { def: self.def.clone(), sizes, captured, args };
        let mut layout = None;
        // What fails there is to be blamed on the operator.
        let span = work.code.builder.set_span(None);
        work.code.builder.set_span(span);
        for part in Part::ALL {
            let outer = work.code.builder.begin(def.next_var);
            work.code.builder.set_span(span);
            def.size_params.iter().for_each(|it| work.code.builder.declare(*it, Type::Int));
            work.code.declare(&def.params);
            let more = own.more_params(work, &def, part);
            work.code.builder.open();
            let given = match &layout {
                None => {
                    let (given, made) = own.linearised(work, &def);
                    layout = Some(made);
                    given
                }
                Some(layout) => own.mapped(work, &def, part, layout, &more),
            };
            let body = work.code.builder.close(given);
            let mut results = match part {
                Part::Linearise | Part::Push => def.results.clone(),
                Part::Pull => {
                    let params = def.params[captured.len()..].iter();
                    params.map(|it| work.code.fresh(it.ty.clone())).collect()
                }
            };
            if let Part::Linearise = part {
                results.push(work.code.fresh(run_type(&def.name)));
            }
            let params = def.params.iter().cloned().chain(more).collect();
            let (next_var, spans) = work.code.builder.end(outer);
            let (name, origin) = (part.name(&def.name), Origin::Data);
            let made =
                Def { name, params, results, body, next_var, spans, origin, ..Def::clone(&def) };
            work.code.define(made);
            // What is saved is declared by them.
            work.finish_jobs();
        }
    }

    /// The directions or cotangents, and the run.
    fn more_params(&self, work: &mut Work, def: &Def, part: Part) -> Vec<Binder> {
        let like = match part {
            Part::Linearise => return Vec::new(),
            Part::Push => &def.params[self.captured.len()..],
            Part::Pull => &def.results,
        };
        let mut res: Vec<Binder> = like.iter().map(|it| work.code.fresh(it.ty.clone())).collect();
        res.push(work.code.fresh(run_type(&def.name)));
        res
    }

    /// The results and the run, and what is in it.
    fn linearised(&self, work: &mut Work, def: &Def) -> (Vec<Atom>, Layout) {
        let active = self.active(work);
        let run = match work.mode {
            Mode::Mixed | Mode::Maps | Mode::Chad => {
                let keeps = match self.is_asked(work, Operator::Jvp, self.args.len()) {
                    true => Keeps::BothWays,
                    false => Keeps::PullBacks,
                };
                self.run(work, self.args, &active, keeps)
            }
            Mode::Forward => None,
        };
        let mut given = match &run {
            Some(run) => run.results.clone(),
            None => self.call(work, self.def.clone(), self.args, Vec::new()),
        };
        let mut values: Vec<Atom> = run.iter().map(|it| it.saved.clone()).collect();
        let mut columns = Vec::new();
        if work.mode == Mode::Forward && self.is_asked(work, Operator::Vjp, def.results.len()) {
            for at in (0..active.len()).filter(|it| active[*it]) {
                let made = self.columns_by(work, self.args, at, |work, only, unit| {
                    self.jvp(work, self.args, only, vec![unit]).1
                });
                let rank = self.rank(work, at);
                columns.extend(made.iter().map(|_| (at, rank)));
                values.extend(made);
            }
        }
        let results: Vec<usize> =
            (0..def.results.len()).filter(|it| is_data(&def.results[*it].ty)).collect();
        values.extend(results.iter().map(|at| given[*at].clone()));

        let vars: Vec<Var> = values.iter().filter_map(var_of).collect();
        let sizes: BTreeSet<Var> =
            values.iter().flat_map(|it| work.code.type_of(it).size_vars()).collect();
        let n_sizes = sizes.len();
        let needs = Needs { vars: sizes.into_iter().chain(vars).collect(), n_sizes };
        let ty = run_type(&self.def);
        let Type::Data(name, ..) = &ty else { unreachable!("a run is of a sum type") };
        let con = work.code.declare_saved(name, &[&needs], &[]).remove(0);
        given.push(work.code.saved_value(&ty, &con, &needs));
        let callee = run.map(|it| it.callee);
        (given, Layout { con, needs, callee, columns, results })
    }

    /// The body of `f.push` or `f.pull`: takes the run apart, and does something with what is in it.
    fn mapped(
        &self,
        work: &mut Work,
        def: &Def,
        part: Part,
        layout: &Layout,
        more: &[Binder],
    ) -> Vec<Atom> {
        let (run, directions) = more.split_last().expect("a run");
        let directions = atoms(directions);
        let fields = work.code.fields(&run.ty, &layout.con);
        work.code.builder.open();
        let values = layout.values(work, def, atoms(&fields[layout.needs.n_sizes..]));
        let (given, like) = match part {
            Part::Linearise | Part::Push => {
                (self.pushed(work, def, layout, &values, &directions), &def.results[..])
            }
            Part::Pull => {
                let given = self.pulled(work, def, layout, &values, &directions);
                (given, &def.params[self.captured.len()..])
            }
        };
        let given =
            given.into_iter().zip(like).map(|(it, like)| work.code.fit(it, &like.ty)).collect();
        let body = work.code.builder.close(given);
        let arms = vec![Arm { con: layout.con.clone(), fields, body }];
        let value = Atom::Var(run.var);
        work.code.emit(Op::Control(ControlOp::Match { value, arms, otherwise: None }))
    }

    fn pushed(
        &self,
        work: &mut Work,
        def: &Def,
        layout: &Layout,
        values: &Values,
        directions: &[Atom],
    ) -> Vec<Atom> {
        let active = self.active(work);
        let mut given = Vec::new();
        for at in (0..active.len()).filter(|it| active[*it]) {
            given.push(work.code.direction(Beside::Tangent, &self.args[at], &directions[at]));
        }
        match layout.run(self, def, values) {
            Some(run) if run.callee.keeps == Keeps::BothWays => {
                let tangents = self.push(work, &run, given);
                self.structured(work, &values.like, tangents)
            }
            Some(_) | None => {
                let (values, tangents) = self.jvp(work, self.args, &active, given);
                self.structured(work, &values, tangents)
            }
        }
    }

    fn pulled(
        &self,
        work: &mut Work,
        def: &Def,
        layout: &Layout,
        values: &Values,
        cotangents: &[Atom],
    ) -> Vec<Atom> {
        let given = self.checked_by(work, &values.like, cotangents);
        let gradient = match layout.run(self, def, values) {
            Some(run) => self.pull(work, &run, given),
            None if !layout.columns.is_empty() => {
                self.combined(work, layout, &values.columns, &given)
            }
            None if work.mode == Mode::Forward => self.vjp_forwards(work, self.args, &given),
            None => {
                let active = self.active(work);
                let on = self.args.iter().zip(&active).filter(|it| *it.1);
                let types: Vec<Type> = on.map(|it| work.code.type_of(it.0)).collect();
                let types: Vec<Type> =
                    types.iter().filter_map(|it| work.code.tangent(it)).collect();
                types.iter().map(|it| work.code.zeros(it)).collect()
            }
        };
        self.structured(work, self.args, gradient)
    }

    /// The products of cotangents with columns that were kept.
    fn combined(
        &self,
        work: &mut Work,
        layout: &Layout,
        columns: &[Atom],
        cotangents: &[Atom],
    ) -> Vec<Atom> {
        let mut res = Vec::new();
        let per_param = layout.columns.chunk_by(|a, b| a.0 == b.0);
        let mut columns = columns.iter();
        for group in per_param {
            let (at, rank) = group[0];
            let own: Vec<&Atom> = columns.by_ref().take(group.len()).collect();
            let mut sizes = work.code.sizes_of(own[0]);
            sizes.truncate(rank);
            let sums = scalars(work, &sizes, |work, indices| {
                let mut sum = real(0.0);
                for (column, cotangent) in own.iter().zip(cotangents) {
                    let column = element(work, column, indices);
                    let ty = work.code.type_of(cotangent);
                    let column = work.code.fit(column, &ty);
                    let product = work.code.dot(cotangent, &column);
                    sum = work.code.prim(Prim::Add, vec![sum, product]);
                }
                sum
            });
            let ty = work.code.type_of(&self.args[at]);
            res.push(match is_data(&ty) {
                true => work.code.tangent_from(&self.args[at], &sums, Atom::Int(0)).0,
                false => work.code.fit(sums, &ty),
            });
        }
        res
    }

    /// Whether `jvp` or `vjp`, which have so many directions, have a run of the definition anywhere.
    fn is_asked(&self, work: &Work, operator: Operator, n_directions: usize) -> bool {
        let n_args = self.captured.len() + self.args.len() + n_directions;
        let mut defs = work.code.program().defs.values();
        defs.any(|it| is_asked(&it.body, (operator, &self.def), n_args))
    }

    /// How many dimensions columns of a parameter have before those of the result.
    fn rank(&self, work: &Work, at: usize) -> usize {
        let ty = work.code.type_of(&self.args[at]);
        if is_data(&ty) { 1 } else { ty.split_arrays().0.len() }
    }
}

impl Layout {
    /// The values of a run by what they are.
    fn values(&self, work: &mut Work, def: &Def, all: Vec<Atom>) -> Values {
        let mut all = all.into_iter();
        let saved = self.callee.as_ref().and_then(|it| {
            let saved = all.next()?;
            Some(work.code.fit(saved, &it.saved_type()))
        });
        let columns = all.by_ref().take(self.columns.len()).collect();
        let mut like = Vec::new();
        for (at, result) in def.results.iter().enumerate() {
            let known = if self.results.contains(&at) { all.next() } else { None };
            like.push(match known {
                Some(value) => work.code.fit(value, &result.ty),
                None => work.code.zeros(&result.ty),
            });
        }
        Values { saved, columns, like }
    }

    /// The run that `f.lin` and `f.rev` want.
    fn run(&self, site: &Site<'_>, def: &Def, values: &Values) -> Option<Run> {
        let (callee, saved) = (self.callee.clone()?, values.saved.clone()?);
        let (results, taken) = (values.like.clone(), atoms(&def.params));
        debug_assert_eq!(taken.len(), site.captured.len() + site.args.len());
        Some(Run { callee, values: taken, results, saved })
    }
}

/// Whether a block has this operator of this definition with more arguments than so many.
fn is_asked(block: &Block, of: (Operator, &Name), n_args: usize) -> bool {
    block.stmts.iter().any(|stmt| {
        if let Op::Derive(DeriveOp::OfDefinition { operator, def, captured, args, .. }) = &stmt.op
            && (*operator, def) == of
        {
            return captured.len() + args.len() > n_args;
        }
        walk::blocks(&stmt.op).into_iter().any(|it| is_asked(it.1, of, n_args))
    })
}

/// An array of reals, each by its indices; a real if there are no sizes.
fn scalars(
    work: &mut Work,
    sizes: &[Size],
    scalar: impl FnOnce(&mut Work, &[Atom]) -> Atom,
) -> Atom {
    if sizes.is_empty() {
        return scalar(work, &[]);
    }
    let indices: Vec<Var> = sizes.iter().map(|_| work.code.fresh(Type::Int).var).collect();
    let at: Vec<Atom> = indices.iter().map(|it| Atom::Var(*it)).collect();
    work.code.builder.open();
    let result = scalar(work, &at);
    let body = work.code.builder.close(vec![result]);
    work.code.one(Op::Control(ControlOp::Build { sizes: sizes.to_vec(), indices, body }))
}

fn element(work: &mut Work, array: &Atom, indices: &[Atom]) -> Atom {
    if indices.is_empty() {
        return array.clone();
    }
    let (array, indices) = (array.clone(), indices.to_vec());
    work.code.one(Op::Array(ArrayOp::Index { array, indices }))
}
