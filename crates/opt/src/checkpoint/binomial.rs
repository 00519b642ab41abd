//! A counted loop whose states are kept in places, each of which is free again once it was used: the binomial
//! schedule.
//!
//! The loop is cut into pieces of equal length, and `s` states are kept, each where a piece begins. On the way
//! back, the last piece that is left is done from the last state in front of it; on the way there, further
//! states are kept in the places that are free. Where they belong says the formula of Griewank: with `s` places,
//! `C(s + r, r)` pieces are done with `r` repetitions of each.
//!
//! The first way there is the run of the loop itself: what it kept is what the way back begins with. So the loop
//! becomes that run, which is not differentiated, and a call of `f.kept`, which gives its result and whose clause
//! is the way back. That does not say how what was kept depends on what the loop began with. So where it is
//! differentiated itself, it is what the derivative of the loop in pieces of pieces is.
//!
//! Places are rows of one array, which is changed in place (`crates/lower/src/items/update.rs`). One more than
//! there are is for the state that is gone on from without being kept. `sweep.rs` has what all ways there do.

use base::Name;
use ir::{
    ArrayOp, Atom, Binder, ControlOp, Custom, DeriveOp, FunctionOp, Op, Operator, Origin, Prim,
    Size, Stmt, Type, Var,
};

use super::Pass;
use super::define::{Head, Steps, atoms};
use super::pieces::int;
use super::sweep::{Kept, Run, size_of};

/// A counted loop that keeps states in places.
pub(super) struct Counted<'a> {
    /// Its steps.
    pub(super) steps: Steps,
    /// The derivative of the same in pieces of pieces, if that is differentiated.
    pub(super) derived: Option<Name>,
    /// What steps take: sizes, and values.
    pub(super) sizes: Vec<Var>,
    pub(super) captured: Vec<Var>,
    pub(super) inits: &'a [Atom],
    /// The arrays that it goes through; none if it counts.
    pub(super) arrays: &'a [Atom],
    pub(super) count: Atom,
    /// How often a piece is done again.
    pub(super) times: u32,
}

impl Pass {
    /// Adds the loop in the place of a statement.
    pub(super) fn binomial(&mut self, stmt: &Stmt, it: &Counted<'_>) {
        let length = self.length_in_places(it.times, &it.count);
        let pieces = self.count_of_pieces(&it.count, &length);
        let n_places = self.count_of_places(it.times, &pieces);
        let captured: Vec<Atom> = it.captured.iter().map(|it| Atom::Var(*it)).collect();
        let still = Run {
            steps: it.steps.name.clone(),
            sizes: it.sizes.iter().map(|it| Size::var(*it)).collect(),
            captured: self.stopped(&captured),
            arrays: self.stopped(it.arrays),
            first: Atom::Int(0),
            count: it.count.clone(),
            length: length.clone(),
            n_places: n_places.clone(),
        };
        let inits = self.stopped(it.inits);
        let kept = self.new_places(&inits, &n_places);
        let last = self.prim(Prim::Sub, &[pieces, Atom::Int(1)]);
        let kept = self.advance(&still, kept, &last);
        let state = self.state_in(&kept);
        let from = self.prim(Prim::Mul, &[kept.at.clone(), length.clone()]);
        let left = self.prim(Prim::Sub, &[it.count.clone(), from.clone()]);
        let last = self.run_steps(&still, &from, &left, state);
        let mut sizes = still.sizes;
        let size = it.arrays.first().map(|it| self.builder.type_of(it).split_arrays().0);
        let size = size.and_then(|it| it.first().cloned());
        let given =
            if size.is_none() { vec![Atom::Int(0), it.count.clone()] } else { it.arrays.to_vec() };
        sizes.extend(size);
        sizes.push(size_of(&n_places));
        let more = [vec![length], last, kept.atoms()].concat();
        let args = [captured, given, it.inits.to_vec(), more].concat();
        let (def, types) = (self.kept(it), Vec::new());
        let results: Vec<Var> = stmt.binders.iter().map(|it| it.var).collect();
        self.builder.bind(&results, FunctionOp::Call { def, types, sizes, args }.into());
    }

    /// Values that do not move.
    fn stopped(&mut self, atoms: &[Atom]) -> Vec<Atom> {
        let mut res = Vec::new();
        for it in atoms {
            let is_real = *self.builder.type_of(it).split_arrays().1 == Type::Real;
            res.push(match is_real {
                true => self.builder.one(DeriveOp::StopGradient(it.clone()).into()),
                false => it.clone(),
            });
        }
        res
    }

    /// The length of pieces, so that they and the places take the least memory together: where there are as many
    /// places as `r` times the steps of a piece. Then `(r l)^r / r!` pieces of `l` are all.
    fn length_in_places(&mut self, times: u32, count: &Atom) -> Atom {
        let products: f64 = (1..=times).map(|it| f64::from(it) / f64::from(times)).product();
        let count = self.prim(Prim::Max, &[count.clone(), Atom::Int(1)]);
        let count = self.prim(Prim::ToReal, &[count]);
        let real = |it: f64| Atom::Real(ir::Literal(it));
        let count = self.prim(Prim::Mul, &[count, real(products)]);
        let length = self.prim(Prim::Pow, &[count, real(1.0 / f64::from(times + 1))]);
        let length = self.prim(Prim::Ceil, &[length]);
        let length = self.prim(Prim::ToInt, &[length]);
        self.prim(Prim::Max, &[length, Atom::Int(1)])
    }

    /// The least number of places for so many pieces: `C(s + r, r)` is enough.
    fn count_of_places(&mut self, times: u32, pieces: &Atom) -> Atom {
        let found = self.builder.fresh(Type::Int);
        self.builder.open();
        let mut reach = Atom::Int(1);
        for it in 1..=i64::from(times) {
            let factor = self.prim(Prim::Add, &[Atom::Var(found), Atom::Int(it)]);
            let product = self.prim(Prim::Mul, &[reach, factor]);
            reach = self.prim(Prim::Div, &[product, Atom::Int(it)]);
        }
        let holds = self.prim(Prim::Lt, &[reach, pieces.clone()]);
        let cond = self.builder.close(vec![holds]);
        self.builder.open();
        let next = self.prim(Prim::Add, &[Atom::Var(found), Atom::Int(1)]);
        let body = self.builder.close(vec![next]);
        let (inits, state) = (vec![Atom::Int(1)], vec![int(found)]);
        self.builder.one(ControlOp::While { inits, state, cond, body }.into())
    }

    /// Defines what gives the result of the loop, with the clauses of that, and their own.
    fn kept(&mut self, it: &Counted<'_>) -> Name {
        let names = ["kept", "kept_vjp", "kept_jvp", "kept_vjp_vjp", "kept_vjp_jvp"];
        let [kept, vjp, jvp, vjp_vjp, vjp_jvp] = self.names(names);
        let steps = &it.steps;
        let mut fresh = Fresh(steps.next_var);
        let room = fresh.var();
        let mut sizes = steps.own_sizes.clone();
        sizes.push(room);
        let more = fresh.kept(&steps.results, room);
        let own = &steps.params;
        let all: Vec<Binder> = own.iter().chain(&more).cloned().collect();
        let results = fresh.like(&steps.results);
        let cotangents = fresh.like(&steps.results);
        let tangents = fresh.like(&all);
        let more_cotangents = fresh.like(&all);
        let (moved, given) = (fresh.like(&all), fresh.like(&steps.results));
        let head = Head { sizes: &sizes, next: fresh.0 };
        let (n_own, n_results) = (own.len(), results.len());
        let last = atoms(&more[1..=n_results]);
        let origin = self.def.origin.clone();
        self.define(&kept, origin, &head, all.clone(), &results, |_| last);
        let of = |operator, def: &Name, args: Vec<Atom>| {
            let sizes = steps.own_sizes.iter().map(|it| Size::var(*it)).collect();
            let (def, captured) = (def.clone(), Vec::new());
            Op::Derive(DeriveOp::OfDefinition { operator, def, sizes, captured, args })
        };
        let params = [all.clone(), tangents.clone()].concat();
        let args = [atoms(own), atoms(&tangents[..n_own])].concat();
        let op = of(Operator::Jvp, &steps.name, args);
        self.wrapper(&jvp, Origin::Clause, &head, params, &given, op);
        let params = [all.clone(), cotangents.clone()].concat();
        self.define(&vjp, Origin::Clause, &head, params.clone(), &moved, |pass| {
            let more: Vec<Binder> = more.clone();
            let mut res = pass.back(it, &more, &cotangents);
            res.extend(more.iter().map(|it| pass.zero_of(&it.ty)));
            res
        });
        let customs = &mut self.builder.program_mut().customs;
        customs.insert(kept.clone(), Custom { vjp: Some(vjp.clone()), jvp: Some(jvp) });
        let Some(derived) = &it.derived else { return kept };
        // Of the way back: by what the derivative of the pieces of pieces is.
        let here = [atoms(own), atoms(&cotangents)].concat();
        let directions = fresh.like(&cotangents);
        let gone = fresh.like(&cotangents);
        let head = Head { sizes: &sizes, next: fresh.0 };
        let all_moved = [params.clone(), tangents.clone(), directions.clone()].concat();
        let args = [here.clone(), atoms(&tangents[..n_own]), atoms(&directions)].concat();
        let op = of(Operator::Jvp, derived, args);
        self.define(&vjp_jvp, Origin::Clause, &head, all_moved, &moved, |pass| {
            let mut res = pass.builder.emit(op);
            res.extend(more.iter().map(|it| pass.zero_of(&it.ty)));
            res
        });
        let all_weighed = [params, more_cotangents.clone()].concat();
        let args = [here, atoms(&more_cotangents[..n_own])].concat();
        let op = of(Operator::Vjp, derived, args);
        let results = [moved, gone].concat();
        self.define(&vjp_vjp, Origin::Clause, &head, all_weighed, &results, |pass| {
            let mut res = pass.builder.emit(op);
            let cotangents = res.split_off(n_own);
            res.extend(more.iter().map(|it| pass.zero_of(&it.ty)));
            [res, cotangents].concat()
        });
        let customs = &mut self.builder.program_mut().customs;
        customs.insert(vjp, Custom { vjp: Some(vjp_vjp), jvp: Some(vjp_jvp) });
        kept
    }

    /// The way back: the cotangents of what steps take.
    fn back(&mut self, it: &Counted<'_>, more: &[Binder], cotangents: &[Binder]) -> Vec<Atom> {
        let Steps { name, own_sizes, params, results, .. } = &it.steps;
        let (captured, rest) = params.split_at(it.captured.len());
        let (given, _) = rest.split_at(rest.len() - results.len());
        let more = atoms(more);
        let kept = Kept::of(&more[1 + results.len()..], results.len());
        let n_places = match more.last() {
            Some(last) => {
                let sizes = self.builder.type_of(last).split_arrays().0;
                let size = sizes.first().map_or(Size::constant(1), Size::clone);
                self.builder.one(Op::Size(size.sub(&Size::constant(1))))
            }
            None => Atom::Int(0),
        };
        let sizes: Vec<Size> = own_sizes.iter().map(|it| Size::var(*it)).collect();
        let (arrays, first, count, sizes) = if it.arrays.is_empty() {
            let [first, count] = [0, 1].map(|at| Atom::Var(given[at].var));
            (Vec::new(), first, count, sizes)
        } else {
            let (count, own) = sizes.split_last().expect("the arrays have a size");
            let count = self.builder.one(Op::Size(count.clone()));
            (atoms(given), Atom::Int(0), count, own.to_vec())
        };
        let length = more[0].clone();
        let pieces = self.count_of_pieces(&count, &length);
        let (steps, own) = (name.clone(), atoms(captured));
        let run = Run { steps, sizes, captured: own, arrays, first, count, length, n_places };
        self.sweep_back(&run, kept, &pieces, (captured, given), &atoms(cotangents))
    }

    /// Piece after piece, from the last one.
    fn sweep_back(
        &mut self,
        run: &Run,
        kept: Kept,
        pieces: &Atom,
        (captured, given): (&[Binder], &[Binder]),
        cotangents: &[Atom],
    ) -> Vec<Atom> {
        let taken: Vec<Type> = captured.iter().chain(given).map(|it| it.ty.clone()).collect();
        let is_sum = |ty: &Type| *ty.split_arrays().1 == Type::Real;
        let sums: Vec<Atom> = taken.iter().map(|it| self.zero_of(it)).collect();
        let moving: Vec<Atom> =
            sums.iter().zip(&taken).filter(|it| is_sum(it.1)).map(|it| it.0.clone()).collect();
        let inits = [kept.atoms(), cotangents.to_vec(), moving].concat();
        let mut state = Vec::new();
        for it in &inits {
            let ty = self.builder.type_of(it);
            state.push(Binder { var: self.builder.fresh(ty.clone()), ty });
        }
        let names = atoms(&state);
        let n_parts = kept.places.len();
        let here = Kept::of(&names, n_parts);
        let (cotangents, so_far) = names[4 + n_parts..].split_at(n_parts);
        let index = self.builder.fresh(Type::Int);
        self.builder.open();
        let one = Atom::Int(1);
        let piece = self.prim(Prim::Sub, &[pieces.clone(), one]);
        let piece = self.prim(Prim::Sub, &[piece, Atom::Var(index)]);
        let here = self.advance(run, here, &piece);
        let from = self.prim(Prim::Mul, &[piece.clone(), run.length.clone()]);
        let left = self.prim(Prim::Sub, &[run.count.clone(), from.clone()]);
        let n_steps = self.prim(Prim::Min, &[run.length.clone(), left]);
        let at = self.state_in(&here);
        let (sizes, parts) = self.part_of(run, &from, &n_steps);
        let args = [run.captured.clone(), parts, at, cotangents.to_vec()].concat();
        let (operator, def) = (Operator::Vjp, run.steps.clone());
        let op = DeriveOp::OfDefinition { operator, def, sizes, captured: Vec::new(), args };
        let found = self.builder.emit(op.into());
        let mut next_sums = Vec::new();
        let mut so_far = so_far.iter();
        for (number, (ty, part)) in taken.iter().zip(&found).enumerate() {
            if !is_sum(ty) {
                continue;
            }
            let Some(sum) = so_far.next() else { continue };
            next_sums.push(if number < captured.len() {
                self.prim(Prim::Add, &[sum.clone(), part.clone()])
            } else {
                let size = self.builder.type_of(part).split_arrays().0.swap_remove(0);
                let here = self.builder.one(ArrayOp::Iota(size).into());
                let here = self.prim(Prim::Add, &[here, from.clone()]);
                let (into, indices, values) = (sum.clone(), vec![here], part.clone());
                let op = ArrayOp::Scatter { into, indices, values, mask: None };
                self.builder.one(op.into())
            });
        }
        let here = self.freed(here, &piece);
        let results = [here.atoms(), found[taken.len()..].to_vec(), next_sums].concat();
        let body = self.builder.close(results);
        let count = pieces.clone();
        let op = ControlOp::Iterate { count, index, inits, state, body };
        let made = self.builder.emit(op.into());
        let (cotangents, moved) = made[4 + n_parts..].split_at(n_parts);
        let mut moved = moved.iter();
        let sums = sums.into_iter().zip(&taken);
        let sums = sums.map(|(zero, ty)| match is_sum(ty) {
            true => moved.next().cloned().unwrap_or(zero),
            false => zero,
        });
        sums.chain(cotangents.iter().cloned()).collect()
    }

    /// A piece is done: its place is free, if it has one, and the next piece begins from the one before.
    fn freed(&mut self, kept: Kept, piece: &Atom) -> Kept {
        let start = |pass: &mut Pass, at: &Atom| {
            let (array, indices) = (kept.starts.clone(), vec![at.clone()]);
            pass.builder.one(ArrayOp::Index { array, indices }.into())
        };
        let last = start(self, &kept.top);
        let is_free = self.prim(Prim::Eq, &[last, piece.clone()]);
        let before = self.prim(Prim::Sub, &[kept.top.clone(), Atom::Int(1)]);
        let before = self.prim(Prim::Max, &[before, Atom::Int(0)]);
        let top = self.prim(Prim::Select, &[is_free, before, kept.top.clone()]);
        let at = start(self, &top);
        Kept { at, slot: top.clone(), top, ..kept }
    }
}

/// Variables of definitions that are not begun yet.
struct Fresh(u32);

impl Fresh {
    fn var(&mut self) -> Var {
        self.0 += 1;
        Var(self.0 - 1)
    }

    fn of(&mut self, ty: Type) -> Binder {
        Binder { var: self.var(), ty }
    }

    fn like(&mut self, binders: &[Binder]) -> Vec<Binder> {
        binders.iter().map(|it| self.of(it.ty.clone())).collect()
    }

    /// What `f.kept` takes besides what steps take: the length of pieces, the result, and what was kept.
    fn kept(&mut self, state: &[Binder], room: Var) -> Vec<Binder> {
        let size = Size::var(room).add(&Size::constant(1));
        let mut res = vec![self.of(Type::Int)];
        res.extend(self.like(state));
        res.extend((0..3).map(|_| self.of(Type::Int)));
        res.push(self.of(Type::array(size.clone(), Type::Int)));
        res.extend(state.iter().map(|it| self.of(Type::array(size.clone(), it.ty.clone()))));
        res
    }
}
