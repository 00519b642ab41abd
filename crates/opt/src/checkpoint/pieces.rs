//! A loop as one over its pieces, which `define.rs` defines.

use ir::{
    ArrayOp, Atom, Binder, Block, Builder, ControlOp, FunctionOp, Op, Operator, Prim, Size, Stmt,
    Type, Var, walk,
};

use super::Pass;
use super::binomial::Counted;
use super::define::{Piece, Plan};
use crate::tuning::SHORT_LOOP;

/// How long pieces are.
#[derive(Clone)]
pub(super) enum Every {
    /// So many steps; as by `Root(2)` if that is not positive.
    Steps(Atom),
    /// As is best for so many levels.
    Root(u32),
    /// States in places, which are used again: each step is done so many times. Of counted loops only.
    Places(u32),
}

/// Whether a loop may have more than a few steps.
pub(super) fn is_long(op: &Op, builder: &Builder<'_>) -> bool {
    if let Op::Control(ControlOp::Iterate { count: Atom::Int(count), .. }) = op {
        return *count > SHORT_LOOP;
    }
    if let Op::Control(ControlOp::Fold { arrays, .. }) = op {
        let size = arrays.first().and_then(|it| length_of(builder, it)?.as_constant());
        return size.is_none_or(|it| it > SHORT_LOOP);
    }
    true
}

/// Whether the states of a loop can be rows of arrays that are changed in place: it is counted, and all it
/// knows are numbers, and arrays of them whose sizes it does not change.
pub(super) fn has_places(op: &Op, builder: &Builder<'_>) -> bool {
    let is_number = |ty: &Type| matches!(ty.split_arrays().1, Type::Real | Type::Int | Type::Bool);
    let (state, arrays, body) = if let Op::Control(ControlOp::Iterate { state, body, .. }) = op {
        (state, &[][..], body)
    } else if let Op::Control(ControlOp::Fold { arrays, step, .. }) = op {
        (&step.state, &arrays[..], &step.body)
    } else {
        return false;
    };
    let types = walk::free_vars_block(body).into_iter().filter_map(|it| builder.find_type(it));
    let types: Vec<Type> = types.chain(arrays.iter().map(|it| builder.type_of(it))).collect();
    let is_fixed = |it: &Binder| {
        is_number(&it.ty) && it.ty.size_vars().iter().all(|it| builder.find_type(*it).is_some())
    };
    types.iter().all(is_number) && !state.is_empty() && state.iter().all(is_fixed)
}

fn length_of(builder: &Builder<'_>, array: &Atom) -> Option<Size> {
    builder.type_of(array).split_arrays().0.first().cloned()
}

impl Pass {
    /// Adds the loop in pieces in the place of a statement; false if it has to stay as it is.
    pub(super) fn in_pieces(&mut self, stmt: &Stmt, every: &[Every]) -> bool {
        let Some((first, inner)) = every.split_first() else { return false };
        let span = stmt.binders.first().and_then(|it| self.def.spans.0.get(&it.var)).copied();
        let outer = self.builder.set_span(span);
        let done = if let Op::Control(ControlOp::Iterate { .. }) = stmt.op {
            self.iterate(stmt, first, inner);
            true
        } else if let Op::Control(ControlOp::Fold { step, .. }) = &stmt.op {
            let is_plain = stmt.binders.len() == step.state.len() && !step.state.is_empty();
            if is_plain {
                self.fold(stmt, first, inner);
            }
            is_plain
        } else if let Op::Control(ControlOp::While { state, .. }) = &stmt.op {
            let is_plain = stmt.binders.len() == state.len();
            if is_plain {
                self.while_loop(stmt, first, inner);
            }
            is_plain
        } else {
            false
        };
        self.builder.set_span(outer);
        done
    }

    fn iterate(&mut self, stmt: &Stmt, every: &Every, inner: &[Every]) {
        let Op::Control(ControlOp::Iterate { count, index, inits, state, body }) = &stmt.op else {
            return;
        };
        let (from, steps) = (self.builder.fresh(Type::Int), self.builder.fresh(Type::Int));
        let mut mentioned = walk::free_vars_block(body);
        mentioned.remove(index);
        let plan =
            Plan { state, given: vec![int(from), int(steps)], sizes: Vec::new(), mentioned, inner };
        let run = |pass: &mut Pass, inits: Vec<Atom>| {
            let position = pass.builder.fresh(Type::Int);
            let args = vec![Atom::Var(from), Atom::Var(position)];
            let number = Stmt { binders: vec![int(*index)], op: Op::Prim(Prim::Add, args) };
            let stmts = std::iter::once(number).chain(body.stmts.iter().cloned()).collect();
            let body = Block { stmts, results: body.results.clone() };
            let (count, state) = (Atom::Var(steps), state.clone());
            Op::Control(ControlOp::Iterate { count, index: position, inits, state, body })
        };
        if let Every::Places(times) = every {
            return self.in_places(stmt, &plan, *times, (inits, &[], count), run);
        }
        let piece = self.piece(&plan, run);
        let length = self.length(every, count);
        let pieces = self.count_of_pieces(count, &length);
        let number = self.builder.fresh(Type::Int);
        self.declare(state);
        self.builder.open();
        let (from, steps) = self.part(&Atom::Var(number), &length, count);
        let results = self.run(&piece, &[], vec![from, steps], state);
        let body = self.builder.close(results);
        let (inits, state) = (inits.clone(), state.clone());
        let op = ControlOp::Iterate { count: pieces, index: number, inits, state, body };
        self.builder.bind(&vars(&stmt.binders), Op::Control(op));
    }

    fn fold(&mut self, stmt: &Stmt, every: &Every, inner: &[Every]) {
        let Op::Control(ControlOp::Fold { inits, arrays, step }) = &stmt.op else { return };
        let Some(count) = arrays.first().and_then(|it| length_of(&self.builder, it)) else {
            return;
        };
        let count = self.builder.one(Op::Size(count));
        let steps = self.builder.fresh(Type::Int);
        let mut given = Vec::new();
        for elem in &step.elems {
            let ty = Type::array(Size::var(steps), elem.ty.clone());
            given.push(Binder { var: self.builder.fresh(ty.clone()), ty });
        }
        let mut mentioned = walk::free_vars_block(&step.body);
        step.elems.iter().for_each(|it| {
            mentioned.remove(&it.var);
        });
        let elements: Vec<Atom> = given.iter().map(|it| Atom::Var(it.var)).collect();
        let plan = Plan { state: &step.state, given, sizes: vec![steps], mentioned, inner };
        let run = |_: &mut Pass, inits: Vec<Atom>| {
            let (arrays, step) = (elements.clone(), step.clone());
            Op::Control(ControlOp::Fold { inits, arrays, step })
        };
        if let Every::Places(times) = every {
            return self.in_places(stmt, &plan, *times, (inits, arrays, &count), run);
        }
        let piece = self.piece(&plan, run);
        let length = self.length(every, &count);
        let pieces = self.count_of_pieces(&count, &length);
        let number = self.builder.fresh(Type::Int);
        self.declare(&step.state);
        self.builder.open();
        let (from, steps) = self.part(&Atom::Var(number), &length, &count);
        let to = self.builder.one(Op::Prim(Prim::Add, vec![from.clone(), steps]));
        let [from, to] = [from, to].map(|it| match it {
            Atom::Var(var) => Size::var(var),
            Atom::Int(it) => Size::constant(it),
            Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => Size::constant(0),
        });
        let mut parts = Vec::new();
        for array in arrays {
            let (from, to) = (from.clone(), to.clone());
            let op = ArrayOp::Slice { array: array.clone(), axis: 0, from, to };
            parts.push(self.builder.one(op.into()));
        }
        let results = self.run(&piece, &[to.sub(&from)], parts, &step.state);
        let body = self.builder.close(results);
        let (inits, state) = (inits.clone(), step.state.clone());
        let op = ControlOp::Iterate { count: pieces, index: number, inits, state, body };
        self.builder.bind(&vars(&stmt.binders), Op::Control(op));
    }

    /// A counted loop, which keeps states in places.
    fn in_places(
        &mut self,
        stmt: &Stmt,
        plan: &Plan<'_>,
        times: u32,
        (inits, arrays, count): (&[Atom], &[Atom], &Atom),
        run: impl Fn(&mut Pass, Vec<Atom>) -> Op,
    ) {
        let levels: Vec<Every> = (2..=times + 1).rev().map(Every::Root).collect();
        let [pieces, derived, name] = self.names(["pieces", "pieces_vjp", "steps"]);
        let derived = (self.order > 1).then(|| {
            let made = self.steps(&Plan { inner: &levels, ..plan.clone() }, pieces, &run);
            self.clause(&derived, Operator::Vjp, &made);
            derived
        });
        let (sizes, captured) = self.captured(plan);
        let steps = self.steps(plan, name, run);
        let count = count.clone();
        let it = Counted { steps, derived, sizes, captured, inits, arrays, count, times };
        self.binomial(stmt, &it);
    }

    fn while_loop(&mut self, stmt: &Stmt, every: &Every, inner: &[Every]) {
        let Op::Control(ControlOp::While { inits, state, cond, body }) = &stmt.op else { return };
        let steps = self.builder.fresh(Type::Int);
        let mut mentioned = walk::free_vars_block(body);
        mentioned.extend(walk::free_vars_block(cond));
        let plan = Plan { state, given: vec![int(steps)], sizes: Vec::new(), mentioned, inner };
        let piece = self.piece(&plan, |pass, mut inits| {
            let done = pass.builder.fresh(Type::Int);
            pass.builder.open();
            let left = pass.prim(Prim::Lt, &[Atom::Var(done), Atom::Var(steps)]);
            let otherwise = Block { stmts: Vec::new(), results: vec![Atom::Bool(false)] };
            pass.declare(state);
            let then = pass.copied(cond);
            let op = ControlOp::If { cond: left, then, otherwise };
            let holds = pass.builder.one(op.into());
            let cond = pass.builder.close(vec![holds]);
            pass.builder.open();
            body.stmts.iter().for_each(|it| pass.builder.push(it.clone()));
            let next = pass.prim(Prim::Add, &[Atom::Var(done), Atom::Int(1)]);
            let results = body.results.iter().cloned().chain([next]).collect();
            let body = pass.builder.close(results);
            inits.push(Atom::Int(0));
            let state = state.iter().cloned().chain([int(done)]).collect();
            Op::Control(ControlOp::While { inits, state, cond, body })
        });
        let number = self.builder.fresh(Type::Int);
        self.declare(state);
        let cond = self.copied(cond);
        self.builder.open();
        let steps = self.growing(every, &Atom::Var(number));
        let mut results = self.run(&piece, &[], vec![steps], state);
        results.push(self.prim(Prim::Add, &[Atom::Var(number), Atom::Int(1)]));
        let body = self.builder.close(results);
        let inits = inits.iter().cloned().chain([Atom::Int(1)]).collect();
        let state = state.iter().cloned().chain([int(number)]).collect();
        let op = ControlOp::While { inits, state, cond, body };
        let mut results = vars(&stmt.binders);
        results.push(self.builder.fresh(Type::Int));
        self.builder.bind(&results, Op::Control(op));
    }

    /// The length of pieces of a loop of so many steps.
    fn length(&mut self, every: &Every, count: &Atom) -> Atom {
        match every {
            Every::Steps(Atom::Int(steps)) if *steps > 0 => Atom::Int(*steps),
            Every::Steps(Atom::Int(_)) => self.length(&Every::Root(2), count),
            Every::Steps(steps) => {
                let root = self.length(&Every::Root(2), count);
                let is_given = self.prim(Prim::Gt, &[steps.clone(), Atom::Int(0)]);
                self.prim(Prim::Select, &[is_given, steps.clone(), root])
            }
            Every::Root(levels) | Every::Places(levels) => {
                let count = self.prim(Prim::Max, &[count.clone(), Atom::Int(1)]);
                let count = self.prim(Prim::ToReal, &[count]);
                let root = f64::from(levels - 1) / f64::from(*levels);
                let length = self.prim(Prim::Pow, &[count, Atom::Real(ir::Literal(root))]);
                let length = self.prim(Prim::Ceil, &[length]);
                let length = self.prim(Prim::ToInt, &[length]);
                self.prim(Prim::Max, &[length, Atom::Int(1)])
            }
        }
    }

    /// The length of a piece of a loop that does not know how many steps it has: pieces count from 1.
    fn growing(&mut self, every: &Every, number: &Atom) -> Atom {
        match every {
            Every::Steps(Atom::Int(steps)) if *steps > 0 => Atom::Int(*steps),
            Every::Steps(Atom::Int(_)) => number.clone(),
            Every::Steps(steps) => {
                let is_given = self.prim(Prim::Gt, &[steps.clone(), Atom::Int(0)]);
                self.prim(Prim::Select, &[is_given, steps.clone(), number.clone()])
            }
            Every::Root(levels) | Every::Places(levels) => (2..*levels)
                .fold(number.clone(), |it, _| self.prim(Prim::Mul, &[it, number.clone()])),
        }
    }

    /// How many pieces there are: none of no steps, or less.
    pub(super) fn count_of_pieces(&mut self, count: &Atom, length: &Atom) -> Atom {
        let before = self.prim(Prim::Sub, &[count.clone(), Atom::Int(1)]);
        let full = self.prim(Prim::Div, &[before, length.clone()]);
        self.prim(Prim::Add, &[full, Atom::Int(1)])
    }

    /// Where a piece begins, and how many steps it has.
    fn part(&mut self, number: &Atom, length: &Atom, count: &Atom) -> (Atom, Atom) {
        let from = self.prim(Prim::Mul, &[number.clone(), length.clone()]);
        let left = self.prim(Prim::Sub, &[count.clone(), from.clone()]);
        let steps = self.prim(Prim::Min, &[length.clone(), left]);
        (from, steps)
    }

    pub(super) fn prim(&mut self, prim: Prim, args: &[Atom]) -> Atom {
        self.builder.one(Op::Prim(prim, args.to_vec()))
    }

    /// A block whose variables the builder knows.
    fn copied(&mut self, block: &Block) -> Block {
        self.builder.open();
        block.stmts.iter().for_each(|it| self.builder.push(it.clone()));
        self.builder.close(block.results.clone())
    }

    /// Calls a piece from a state.
    fn run(
        &mut self,
        piece: &Piece,
        sizes: &[Size],
        given: Vec<Atom>,
        state: &[Binder],
    ) -> Vec<Atom> {
        let own = piece.sizes.iter().map(|it| Size::var(*it));
        let sizes = own.chain(sizes.iter().cloned()).collect();
        let captured = piece.captured.iter().map(|it| Atom::Var(*it));
        let state = state.iter().map(|it| Atom::Var(it.var));
        let args = captured.chain(given).chain(state).collect();
        let (def, types) = (piece.name.clone(), Vec::new());
        self.builder.emit(FunctionOp::Call { def, types, sizes, args }.into())
    }
}

/// A binder of an `Int`.
pub(super) fn int(var: Var) -> Binder {
    Binder { var, ty: Type::Int }
}

fn vars(binders: &[Binder]) -> Vec<Var> {
    binders.iter().map(|it| it.var).collect()
}
