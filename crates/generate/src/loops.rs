//! Loops: folds, scans, `iterate`, and `while` with a bound on its turns.

use ir::{Atom, Binder, ControlOp, Loop, Op, Prim, Size, Type};

use crate::scope::Gen;
use crate::shapes;

/// Turns of a loop that no size bounds, at most.
const MOST_TURNS: i64 = 3;

impl Gen<'_, '_> {
    pub(crate) fn fold(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let size = self.any_size();
        let (inits, arrays, step) = self.steps(&size, ty, fuel)?;
        self.emit(Op::Control(ControlOp::Fold { inits, arrays, step })).into_iter().next()
    }

    /// The array of the states of a loop.
    pub(crate) fn scan(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        let Type::Array(size, elem) = ty else { return None };
        let (inits, arrays, step) = self.steps(size, elem, fuel)?;
        self.emit(Op::Control(ControlOp::Scan { inits, arrays, step })).into_iter().next()
    }

    /// A loop over arrays of a size whose first state has the type.
    fn steps(
        &mut self,
        size: &Size,
        ty: &Type,
        fuel: usize,
    ) -> Option<(Vec<Atom>, Vec<Atom>, Loop)> {
        self.repeated(shapes::estimate(size), |it| {
            let (outside, inside) = it.split(fuel);
            let types = it.states(ty);
            let inits = types.iter().map(|ty| it.value(ty, outside / 4)).collect();
            let n_arrays = 1 + it.random.below(2);
            let mut arrays = Vec::new();
            for _ in 0..n_arrays {
                let elem = match it.random.below(6) {
                    0 => Type::Int,
                    1 => Type::array(it.any_size(), Type::Real),
                    2 => Type::Tuple(vec![Type::Real, Type::Int]),
                    _ => Type::Real,
                };
                arrays.push(it.value(&Type::array(size.clone(), elem), outside / 3));
            }
            let elems = arrays.iter().map(|array| {
                let Type::Array(_, elem) = it.builder.type_of(array) else { unreachable!() };
                (*elem).clone()
            });
            let elems: Vec<Type> = elems.collect();
            let state: Vec<Binder> = types.iter().map(|ty| it.binder(ty)).collect();
            let elems: Vec<Binder> = elems.iter().map(|ty| it.binder(ty)).collect();
            let bound: Vec<Binder> = state.iter().chain(&elems).cloned().collect();
            let body = it.block(&bound, |it| {
                it.positive.push(size.clone());
                it.next_states(&types, inside)
            });
            Some((inits, arrays, Loop { state, elems, body }))
        })
    }

    /// The types of the state of a loop that computes a value of this type.
    fn states(&mut self, ty: &Type) -> Vec<Type> {
        let mut res = vec![ty.clone()];
        if self.random.once_in(3) {
            res.push(self.plain_type());
        }
        res
    }

    fn next_states(&mut self, types: &[Type], fuel: usize) -> Vec<Atom> {
        let next = |it: &mut Self, ty: &Type| {
            let value = it.value(ty, fuel / types.len());
            it.tame(value)
        };
        types.iter().map(|ty| next(self, ty)).collect()
    }

    pub(crate) fn iterate(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        self.repeated(MOST_TURNS as u64, |it| {
            let (outside, inside) = it.split(fuel);
            let types = it.states(ty);
            let inits = types.iter().map(|ty| it.value(ty, outside / 2)).collect();
            let mut below = None;
            let count = match it.random.below(4) {
                0 => Atom::Int(it.random.within(-1, MOST_TURNS)),
                1 => {
                    let sizes: Vec<Size> =
                        it.sizes.iter().filter(|it| shapes::estimate(it) <= 3).cloned().collect();
                    let size = it.random.pick(&sizes).clone();
                    below = Some(size.clone());
                    it.size(&size)
                }
                _ => it.few(outside / 2),
            };
            let index = it.binder(&Type::Int);
            let state: Vec<Binder> = types.iter().map(|ty| it.binder(ty)).collect();
            let bound: Vec<Binder> = [&index].into_iter().chain(&state).cloned().collect();
            let body = it.block(&bound, |it| {
                it.indices.extend(below.clone().map(|size| (index.var, size)));
                it.positive.extend(below);
                it.next_states(&types, inside)
            });
            let op =
                Op::Control(ControlOp::Iterate { count, index: index.var, inits, state, body });
            it.emit(op).into_iter().next()
        })
    }

    /// An `Int` from 0 to the most turns of a loop that depends on data.
    pub(crate) fn few(&mut self, fuel: usize) -> Atom {
        let count = self.value(&Type::Int, fuel);
        self.prim(Prim::Rem, vec![count, Atom::Int(MOST_TURNS + 1)])
    }

    /// A `while` that counts its turns, and ends early if the data say so.
    pub(crate) fn repeat_while(&mut self, ty: &Type, fuel: usize) -> Option<Atom> {
        self.repeated(MOST_TURNS as u64, |it| {
            let (outside, inside) = it.split(fuel);
            let types = it.states(ty);
            let first = Atom::Int(it.random.within(0, 1));
            let mut inits = vec![first];
            inits.extend(types.iter().map(|ty| it.value(ty, outside / 2)));
            let turn = it.binder(&Type::Int);
            let mut state = vec![turn.clone()];
            state.extend(types.iter().map(|ty| it.binder(ty)));
            let turn = Atom::Var(turn.var);
            let cond = it.block(&state, |it| {
                let limit = Atom::Int(it.random.within(0, MOST_TURNS));
                let bounded = it.prim(Prim::Lt, vec![turn.clone(), limit]);
                let holds = it.value(&Type::Bool, inside.min(4));
                vec![it.prim(Prim::And, vec![bounded, holds])]
            });
            let body = it.block(&state, |it| {
                let next = it.prim(Prim::Add, vec![turn.clone(), Atom::Int(1)]);
                let mut res = vec![next];
                res.extend(it.next_states(&types, inside));
                res
            });
            it.emit(Op::Control(ControlOp::While { inits, state, cond, body })).into_iter().nth(1)
        })
    }
}
