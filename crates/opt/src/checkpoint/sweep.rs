//! The way through a loop on which states are kept in places, from a state that is there to a piece further on.

use base::Name;
use ir::{ArrayOp, Atom, Binder, ControlOp, FunctionOp, Prim, Size, Type};

use super::Pass;
use super::pieces::int;

/// A loop whose steps are a definition, and what that needs.
pub(super) struct Run {
    pub(super) steps: Name,
    pub(super) sizes: Vec<Size>,
    pub(super) captured: Vec<Atom>,
    /// What it goes through; nothing if it counts.
    pub(super) arrays: Vec<Atom>,
    /// What it counts from.
    pub(super) first: Atom,
    pub(super) count: Atom,
    /// How many steps a piece has.
    pub(super) length: Atom,
    /// How many states are kept.
    pub(super) n_places: Atom,
}

/// States that are kept.
#[derive(Clone)]
pub(super) struct Kept {
    /// The piece in front of which the state is that is gone on from.
    pub(super) at: Atom,
    /// The last place that has a state.
    pub(super) top: Atom,
    /// The place of the state that is gone on from.
    pub(super) slot: Atom,
    /// The pieces in front of which the states of places are.
    pub(super) starts: Atom,
    /// The states, by parts.
    pub(super) places: Vec<Atom>,
}

impl Kept {
    pub(super) fn atoms(&self) -> Vec<Atom> {
        let Kept { at, top, slot, starts, places } = self;
        [at, top, slot, starts].into_iter().chain(places).cloned().collect()
    }

    /// What `atoms` gave, from the front of others.
    pub(super) fn of(atoms: &[Atom], n_parts: usize) -> Kept {
        let [at, top, slot, starts, rest @ ..] = atoms else {
            panic!("compiler bug: a state is missing")
        };
        let [at, top, slot, starts] = [at, top, slot, starts].map(Atom::clone);
        Kept { at, top, slot, starts, places: rest[..n_parts].to_vec() }
    }
}

impl Pass {
    /// Places that have the state in front of the loop, and nothing else.
    pub(super) fn new_places(&mut self, state: &[Atom], n_places: &Atom) -> Kept {
        let size = size_of(n_places).add(&Size::constant(1));
        let zero = Atom::Int(0);
        let mut all = |value: &Atom| {
            let (size, value) = (size.clone(), value.clone());
            self.builder.one(ArrayOp::Replicate { size, value }.into())
        };
        let starts = all(&zero);
        let places = state.iter().map(all).collect();
        Kept { at: zero.clone(), top: zero.clone(), slot: zero, starts, places }
    }

    /// Goes on to a piece, and keeps states where the schedule says.
    pub(super) fn advance(&mut self, run: &Run, kept: Kept, to: &Atom) -> Kept {
        let inits = kept.atoms();
        let mut state = Vec::new();
        for it in &inits {
            let ty = self.builder.type_of(it);
            state.push(Binder { var: self.builder.fresh(ty.clone()), ty });
        }
        let n_parts = kept.places.len();
        let names: Vec<Atom> = state.iter().map(|it| Atom::Var(it.var)).collect();
        let here = Kept::of(&names, n_parts);
        self.builder.open();
        let holds = self.prim(Prim::Lt, &[here.at.clone(), to.clone()]);
        let cond = self.builder.close(vec![holds]);
        self.builder.open();
        let next = self.one_way(run, &here, to);
        let body = self.builder.close(next.atoms());
        let made = self.builder.emit(ControlOp::While { inits, state, cond, body }.into());
        Kept::of(&made, n_parts)
    }

    /// From one state that is kept to the next one, or to the piece if there is no place left.
    fn one_way(&mut self, run: &Run, here: &Kept, to: &Atom) -> Kept {
        let one = Atom::Int(1);
        let free = self.prim(Prim::Sub, &[run.n_places.clone(), here.top.clone()]);
        let is_kept = self.prim(Prim::Gt, &[free.clone(), one.clone()]);
        let before = self.prim(Prim::Sub, &[to.clone(), here.at.clone()]);
        let left = self.prim(Prim::Add, &[before.clone(), one.clone()]);
        let split = self.split(&left, &free);
        let pieces = self.prim(Prim::Select, &[is_kept.clone(), split, before]);
        let from = self.prim(Prim::Mul, &[here.at.clone(), run.length.clone()]);
        let n_steps = self.prim(Prim::Mul, &[pieces.clone(), run.length.clone()]);
        let state = self.state_in(here);
        let state = self.run_steps(run, &from, &n_steps, state);
        let at = self.prim(Prim::Add, &[here.at.clone(), pieces]);
        let next = self.prim(Prim::Add, &[here.top.clone(), one]);
        let top = self.prim(Prim::Select, &[is_kept.clone(), next.clone(), here.top.clone()]);
        let slot = self.prim(Prim::Select, &[is_kept, next, run.n_places.clone()]);
        let starts = self.with_place(&here.starts, &slot, &at);
        let put = |(places, part): (&Atom, &Atom)| self.with_place(places, &slot, part);
        let places = here.places.iter().zip(&state).map(put).collect();
        Kept { at, top, slot, starts, places }
    }

    /// How many pieces are in front of the next state that is kept, if so many pieces are left and so many places,
    /// that of the state here included: with `r` the least for which `C(q + r, r)` is enough, what comes behind are
    /// at most `C(q - 1 + r, r)`, and what comes before at least `C(q + r - 2, r - 2)`.
    fn split(&mut self, left: &Atom, places: &Atom) -> Atom {
        let one = Atom::Int(1);
        let (times, reach) = (self.builder.fresh(Type::Int), self.builder.fresh(Type::Int));
        let state = vec![int(times), int(reach)];
        let [times, reach] = [times, reach].map(Atom::Var);
        self.builder.open();
        let holds = self.prim(Prim::Lt, &[reach.clone(), left.clone()]);
        let cond = self.builder.close(vec![holds]);
        self.builder.open();
        let next = self.prim(Prim::Add, &[times, one.clone()]);
        let both = self.prim(Prim::Add, &[places.clone(), next.clone()]);
        let product = self.prim(Prim::Mul, &[reach, both]);
        let reach = self.prim(Prim::Div, &[product, next.clone()]);
        let body = self.builder.close(vec![next, reach]);
        let first = self.prim(Prim::Add, &[places.clone(), one.clone()]);
        let inits = vec![one.clone(), first];
        let found = self.builder.emit(ControlOp::While { inits, state, cond, body }.into());
        let [times, reach] = found.as_slice() else {
            panic!("compiler bug: a loop of two numbers gives two")
        };
        let both = self.prim(Prim::Add, &[places.clone(), times.clone()]);
        let product = self.prim(Prim::Mul, &[reach.clone(), places.clone()]);
        let behind = self.prim(Prim::Div, &[product, both.clone()]);
        let most = self.prim(Prim::Sub, &[left.clone(), behind.clone()]);
        // C(q + r - 1, r - 1) and C(q + r - 2, r - 2).
        let fewer = self.prim(Prim::Sub, &[reach.clone(), behind]);
        let before = self.prim(Prim::Sub, &[times.clone(), one.clone()]);
        let product = self.prim(Prim::Mul, &[fewer, before]);
        let both = self.prim(Prim::Sub, &[both, one.clone()]);
        let least = self.prim(Prim::Div, &[product, both]);
        let least = self.prim(Prim::Max, &[least, one]);
        self.prim(Prim::Max, &[most, least])
    }

    /// The state that is gone on from.
    pub(super) fn state_in(&mut self, kept: &Kept) -> Vec<Atom> {
        let part = |array: &Atom| {
            let (array, indices) = (array.clone(), vec![kept.slot.clone()]);
            self.builder.one(ArrayOp::Index { array, indices }.into())
        };
        kept.places.iter().map(part).collect()
    }

    /// An array with another element or row.
    fn with_place(&mut self, array: &Atom, slot: &Atom, value: &Atom) -> Atom {
        let sizes = self.builder.type_of(array).split_arrays().0;
        let Some((size, row)) = sizes.split_first() else { return array.clone() };
        let here = self.builder.one(ArrayOp::Iota(size.clone()).into());
        let mut hit = self.prim(Prim::Eq, &[here, slot.clone()]);
        let mut value = value.clone();
        if !row.is_empty() {
            for size in row.iter().rev() {
                let size = size.clone();
                hit = self.builder.one(ArrayOp::Replicate { size, value: hit }.into());
            }
            let permutation = std::iter::once(row.len()).chain(0..row.len()).collect();
            hit = self.builder.one(ArrayOp::Transpose { array: hit, permutation }.into());
            let size = size.clone();
            value = self.builder.one(ArrayOp::Replicate { size, value }.into());
        }
        self.prim(Prim::Select, &[hit, value, array.clone()])
    }

    /// Runs so many steps from a state, which is behind so many others.
    pub(super) fn run_steps(
        &mut self,
        run: &Run,
        from: &Atom,
        n_steps: &Atom,
        state: Vec<Atom>,
    ) -> Vec<Atom> {
        let (sizes, given) = self.part_of(run, from, n_steps);
        let args = [run.captured.clone(), given, state].concat();
        let (def, types) = (run.steps.clone(), Vec::new());
        self.builder.emit(FunctionOp::Call { def, types, sizes, args }.into())
    }

    /// Sizes, and what is given to some of the steps besides what is captured and a state.
    pub(super) fn part_of(
        &mut self,
        run: &Run,
        from: &Atom,
        n_steps: &Atom,
    ) -> (Vec<Size>, Vec<Atom>) {
        let mut sizes = run.sizes.clone();
        if run.arrays.is_empty() {
            let first = self.prim(Prim::Add, &[run.first.clone(), from.clone()]);
            return (sizes, vec![first, n_steps.clone()]);
        }
        let to = self.prim(Prim::Add, &[from.clone(), n_steps.clone()]);
        let [from, to] = [from, &to].map(size_of);
        sizes.push(to.sub(&from));
        let mut parts = Vec::new();
        for array in &run.arrays {
            let (array, from, to) = (array.clone(), from.clone(), to.clone());
            parts.push(self.builder.one(ArrayOp::Slice { array, axis: 0, from, to }.into()));
        }
        (sizes, parts)
    }

    /// Zero of a type of numbers.
    pub(super) fn zero_of(&mut self, ty: &Type) -> Atom {
        let (sizes, elem) = ty.split_arrays();
        let zero = match elem {
            Type::Real => Atom::Real(ir::Literal(0.0)),
            Type::Bool => Atom::Bool(false),
            Type::Int
            | Type::String
            | Type::Tuple(_)
            | Type::Array(..)
            | Type::Function(..)
            | Type::Data(..)
            | Type::Var(_)
            | Type::Dual(_)
            | Type::Delta
            | Type::Tape(_) => Atom::Int(0),
        };
        sizes.iter().rev().fold(zero, |value, size| {
            let size = size.clone();
            self.builder.one(ArrayOp::Replicate { size, value }.into())
        })
    }
}

/// A number as a size.
pub(super) fn size_of(atom: &Atom) -> Size {
    match atom {
        Atom::Var(var) => Size::var(*var),
        Atom::Int(it) => Size::constant(*it),
        Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => Size::constant(0),
    }
}
